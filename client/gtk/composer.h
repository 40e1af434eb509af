// The entry at the bottom, with its buttons that send and stop.
#pragma once

#include <functional>
#include <string>

#include "client/gtk/gobject.h"

namespace llmd::gtk {

class Composer {
public:
    // `send` is called for Enter and Ctrl+Enter; Shift+Enter begins a line. The buttons have the actions win.send and
    // win.stop. `changed` is called whenever the text is.
    Composer(std::function<void()> send, std::function<void()> changed);
    ~Composer();
    Composer(const Composer&) = delete;
    Composer& operator=(const Composer&) = delete;
    GtkWidget* widget() const { return box_; }

    // Without white space around it.
    std::string text() const;
    void clear();
    void focus() { gtk_widget_grab_focus(entry_); }
    // For when a popover has closed: GTK 4.18 gives the focus to the popover's button after that.
    void focus_later();
    // Shows the button that stops in place of the one that sends.
    void show_answering(bool answering);

private:
    static gboolean key_pressed(GtkEventControllerKey* keys, guint key, guint code, GdkModifierType state,
                                Composer* self);

    const std::function<void()> send_;
    GtkWidget* box_;
    GtkWidget* entry_;
    GtkWidget* placeholder_;
    GtkWidget* send_button_;
    GtkWidget* stop_button_;
    guint focus_source_ = 0;
};

}  // namespace llmd::gtk
