#include "client/gtk/gobject.h"

#include <utility>

namespace llmd::gtk {

void on(gpointer instance, const char* signal, std::function<void()> then) {
    using Handler = std::function<void()>;
    // Swapped, the handler comes first, and what the signal says is not looked at.
    g_signal_connect_data(
        instance, signal, G_CALLBACK(+[](Handler* handler) { (*handler)(); }), new Handler(std::move(then)),
        [](gpointer handler, GClosure*) { delete static_cast<Handler*>(handler); }, G_CONNECT_SWAPPED);
}

void call_then(GObject* source, GAsyncResult* result, gpointer then) {
    const std::unique_ptr<Then> owned(static_cast<Then*>(then));
    (*owned)(source, result);
}

gpointer then_data(Then then) {
    return new Then(std::move(then));
}

bool was_cancelled(const Error& error) {
    return error && g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_CANCELLED) != 0;
}

std::string text_of(GVariant* dictionary, const char* key) {
    const char* text = nullptr;
    return g_variant_lookup(dictionary, key, "&s", &text) != 0 ? text : "";
}

bool flag_of(GVariant* dictionary, const char* key) {
    gboolean flag = FALSE;
    return g_variant_lookup(dictionary, key, "b", &flag) != 0 && flag != 0;
}

guint64 number_of(GVariant* dictionary, const char* key) {
    guint64 large = 0;
    guint32 small = 0;
    if (g_variant_lookup(dictionary, key, "t", &large) != 0) return large;
    return g_variant_lookup(dictionary, key, "u", &small) != 0 ? small : 0;
}

void set_accessible_name(GtkWidget* widget, const std::string& name) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name.c_str(), -1);
}

}  // namespace llmd::gtk
