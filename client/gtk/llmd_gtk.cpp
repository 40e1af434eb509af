// llmd-gtk: a window in which a person talks to the models of llmd.
#include <adwaita.h>

#include "client/gtk/chat_window.h"
#include "client/gtk/gobject.h"

namespace {

constexpr char kApplicationId[] = "org.llmd.Gtk";

struct Key {
    const char* action;
    const char* keys[3];
};
constexpr Key kKeys[] = {
    {"win.stop", {"Escape", nullptr}},
    {"win.new-chat", {"<Control>n", nullptr}},
    {"win.choose-model", {"<Control>m", nullptr}},
    {"window.close", {"<Control>w", "<Control>q", nullptr}},
};

}  // namespace

int main(int argc, char** argv) {
    g_set_application_name("llmd");
    const llmd::gtk::Ref<AdwApplication> application(adw_application_new(kApplicationId, G_APPLICATION_DEFAULT_FLAGS));
    for (const Key& key : kKeys)
        gtk_application_set_accels_for_action(GTK_APPLICATION(application.get()), key.action, key.keys);
    llmd::gtk::on(application.get(), "activate", [&application] {
        GtkWindow* window = gtk_application_get_active_window(GTK_APPLICATION(application.get()));
        if (window != nullptr) return gtk_window_present(window);
        llmd::gtk::ChatWindow::open(application.get());
    });
    return g_application_run(G_APPLICATION(application.get()), argc, argv);
}
