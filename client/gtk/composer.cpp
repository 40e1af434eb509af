#include "client/gtk/composer.h"

#include <memory>
#include <utility>

namespace llmd::gtk {
namespace {

constexpr int kMaxHeight = 160;  // of the entry, which scrolls then
constexpr char kEntryName[] = "Message";

GtkWidget* round_button(const char* icon, const char* action, const char* name, const char* css_class) {
    GtkWidget* button = gtk_button_new_from_icon_name(icon);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_add_css_class(button, "circular");
    gtk_widget_add_css_class(button, css_class);
    gtk_widget_set_valign(button, GTK_ALIGN_END);
    gtk_widget_set_tooltip_text(button, name);
    set_accessible_name(button, name);
    return button;
}

}  // namespace

Composer::Composer(std::function<void()> send, std::function<void()> changed)
    : send_(std::move(send)),
      box_(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6)),
      entry_(gtk_text_view_new()),
      placeholder_(gtk_label_new(kEntryName)),
      send_button_(round_button("go-up-symbolic", "win.send", "Send", "suggested-action")),
      stop_button_(round_button("media-playback-stop-symbolic", "win.stop", "Stop", "destructive-action")) {
    gtk_widget_add_css_class(box_, "composer");
    gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(entry_), GTK_WRAP_WORD_CHAR);
    gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(entry_), FALSE);  // Tab goes on to the button
    set_accessible_name(entry_, kEntryName);
    // Before the entry itself, which would begin a line.
    GtkEventController* keys = gtk_event_controller_key_new();
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", G_CALLBACK(key_pressed), this);
    gtk_widget_add_controller(entry_, keys);

    GtkWidget* scrolled = gtk_scrolled_window_new();
    gtk_widget_set_focusable(scrolled, FALSE);  // the entry is
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scrolled), TRUE);
    gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(scrolled), kMaxHeight);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), entry_);
    gtk_widget_set_hexpand(scrolled, TRUE);

    gtk_widget_add_css_class(placeholder_, "placeholder");
    gtk_widget_set_halign(placeholder_, GTK_ALIGN_START);
    gtk_widget_set_valign(placeholder_, GTK_ALIGN_START);
    gtk_widget_set_can_target(placeholder_, FALSE);
    GtkWidget* overlay = gtk_overlay_new();
    gtk_overlay_set_child(GTK_OVERLAY(overlay), scrolled);
    gtk_overlay_add_overlay(GTK_OVERLAY(overlay), placeholder_);
    gtk_widget_add_css_class(overlay, "entry-frame");

    gtk_box_append(GTK_BOX(box_), overlay);
    gtk_box_append(GTK_BOX(box_), send_button_);
    gtk_box_append(GTK_BOX(box_), stop_button_);
    show_answering(false);
    on(gtk_text_view_get_buffer(GTK_TEXT_VIEW(entry_)), "changed", [this, changed = std::move(changed)] {
        GtkTextBuffer* buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(entry_));
        gtk_widget_set_visible(placeholder_, gtk_text_buffer_get_char_count(buffer) == 0);
        changed();
    });
}

Composer::~Composer() {
    if (focus_source_ != 0) g_source_remove(focus_source_);
}

void Composer::focus_later() {
    if (focus_source_ != 0) return;
    const auto grab = +[](gpointer data) -> gboolean {
        auto* self = static_cast<Composer*>(data);
        self->focus_source_ = 0;
        self->focus();
        return G_SOURCE_REMOVE;
    };
    focus_source_ = g_idle_add(grab, this);
}

gboolean Composer::key_pressed(GtkEventControllerKey* keys, guint key, guint, GdkModifierType state, Composer* self) {
    const bool is_enter = key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_ISO_Enter;
    if (!is_enter || (state & GDK_SHIFT_MASK) != 0) return FALSE;
    // Where a word is being composed, Enter belongs to the input method.
    GdkEvent* event = gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(keys));
    if (gtk_text_view_im_context_filter_keypress(GTK_TEXT_VIEW(self->entry_), event) != 0) return TRUE;
    self->send_();
    return TRUE;
}

std::string Composer::text() const {
    GtkTextBuffer* buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(entry_));
    GtkTextIter begin;
    GtkTextIter end;
    gtk_text_buffer_get_bounds(buffer, &begin, &end);
    const std::unique_ptr<char, decltype(&g_free)> text(gtk_text_buffer_get_text(buffer, &begin, &end, FALSE), g_free);
    return g_strstrip(text.get());
}

void Composer::clear() {
    gtk_text_buffer_set_text(gtk_text_view_get_buffer(GTK_TEXT_VIEW(entry_)), "", 0);
}

void Composer::show_answering(bool answering) {
    gtk_widget_set_visible(send_button_, !answering);
    gtk_widget_set_visible(stop_button_, answering);
}

}  // namespace llmd::gtk
