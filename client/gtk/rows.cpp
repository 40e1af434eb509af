#include "client/gtk/rows.h"

#include "base/value.h"

namespace llmd::gtk {
namespace {

constexpr int kGap = 6;

GtkWidget* box(GtkOrientation orientation, int gap) {
    return gtk_box_new(orientation, gap);
}

void append(GtkWidget* to, GtkWidget* widget) {
    gtk_box_append(GTK_BOX(to), widget);
}

GtkWidget* text_label(const std::string& text) {
    GtkWidget* label = gtk_label_new(text.c_str());
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_selectable(GTK_LABEL(label), TRUE);
    return label;
}

// For assistive technologies too: what belongs together has one name.
GtkWidget* group(const char* css_class, const char* name) {
    auto* widget = GTK_WIDGET(g_object_new(GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", kGap,
                                           "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, nullptr));
    gtk_widget_add_css_class(widget, css_class);
    set_accessible_name(widget, name);
    return widget;
}

// On one line, whatever white space the model has put between the arguments.
std::string one_line(const std::string& json) {
    const auto value = base::parse_json(json);
    return value ? base::json_text(*value) : json;
}

}  // namespace

GtkWidget* question_row(const std::string& text) {
    GtkWidget* row = group("question", "Question");
    gtk_widget_set_halign(row, GTK_ALIGN_END);
    append(row, text_label(text));
    return row;
}

GtkWidget* badge(const std::string& text, const char* icon) {
    GtkWidget* out = box(GTK_ORIENTATION_HORIZONTAL, 4);
    gtk_widget_add_css_class(out, "badge");
    gtk_widget_set_valign(out, GTK_ALIGN_CENTER);
    if (icon != nullptr) {
        auto* image = GTK_WIDGET(g_object_new(GTK_TYPE_IMAGE, "icon-name", icon, "accessible-role",
                                              GTK_ACCESSIBLE_ROLE_PRESENTATION, nullptr));
        append(out, image);
    }
    GtkWidget* label = gtk_label_new(text.c_str());
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    append(out, label);
    return out;
}

AnswerRow::AnswerRow() : box_(group("answer", "Answer")), parts_(box(GTK_ORIENTATION_VERTICAL, kGap)) {
    append(box_, parts_);
}

GtkWidget* AnswerRow::add_label(GtkWidget* to, const std::string& text, const char* css_class) {
    GtkWidget* label = text_label(text);
    gtk_widget_add_css_class(label, css_class);
    append(to, label);
    return label;
}

void AnswerRow::show_waiting() {
    clear_notice();
    // GTK 4.18 gives a spinner no role whose name a screen reader reads.
    notice_ = GTK_WIDGET(g_object_new(GTK_TYPE_SPINNER, "accessible-role", GTK_ACCESSIBLE_ROLE_PROGRESS_BAR, nullptr));
    gtk_spinner_start(GTK_SPINNER(notice_));
    gtk_widget_set_halign(notice_, GTK_ALIGN_START);
    set_accessible_name(notice_, "The answer is coming");
    append(box_, notice_);
}

void AnswerRow::add_text(const std::string& text) {
    clear_notice();
    if (text_ == nullptr) {
        text_ = add_label(parts_, "", "text");
        shown_text_.clear();
    }
    shown_text_ += text;
    // The white space that most answers begin with is the model's affair.
    const size_t begin = shown_text_.find_first_not_of(" \n");
    gtk_label_set_text(GTK_LABEL(text_), begin == std::string::npos ? "" : shown_text_.c_str() + begin);
}

void AnswerRow::add_thinking(const std::string& text) {
    if (thinking_ == nullptr) {
        GtkWidget* expander = gtk_expander_new("Thoughts");
        set_accessible_name(expander, "Thoughts");
        thinking_ = text_label("");
        gtk_widget_add_css_class(thinking_, "dim-label");
        gtk_expander_set_child(GTK_EXPANDER(expander), thinking_);
        gtk_box_prepend(GTK_BOX(box_), expander);
    }
    shown_thinking_ += text;
    gtk_label_set_text(GTK_LABEL(thinking_), shown_thinking_.c_str());
}

size_t AnswerRow::add_call(const std::string& name, const std::string& arguments) {
    clear_notice();
    text_ = nullptr;
    GtkWidget* call = group("call", ("Call of the tool " + name).c_str());
    GtkWidget* head = box(GTK_ORIENTATION_HORIZONTAL, kGap);
    append(head, GTK_WIDGET(g_object_new(GTK_TYPE_IMAGE, "icon-name", "applications-utilities-symbolic",
                                         "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, nullptr)));
    add_label(head, name, "heading");
    append(call, head);
    add_label(call, one_line(arguments), "monospace");
    results_.push_back(add_label(call, "", "dim-label"));
    gtk_widget_set_visible(results_.back(), FALSE);
    append(parts_, call);
    return results_.size() - 1;
}

void AnswerRow::show_result(size_t call, const std::string& text) {
    gtk_label_set_text(GTK_LABEL(results_[call]), text.c_str());
    gtk_widget_set_visible(results_[call], TRUE);
}

void AnswerRow::show_remote(const std::string& remote) {
    if (has_remote_) return;
    has_remote_ = true;
    GtkWidget* origin = badge("From " + remote + ", not from this device", "network-server-symbolic");
    gtk_widget_set_halign(origin, GTK_ALIGN_START);
    gtk_box_prepend(GTK_BOX(box_), origin);
}

void AnswerRow::show_notice(const Notice& notice) {
    clear_notice();
    notice_ = group("notice", "What became of the answer");
    add_label(notice_, notice.text, "heading");
    if (!notice.to_do.empty()) add_label(notice_, notice.to_do, "text");
    if (!notice.detail.empty()) {
        GtkWidget* detail = add_label(notice_, notice.detail, "caption");
        gtk_widget_add_css_class(detail, "dim-label");
    }
    if (!notice.action.empty()) {
        GtkWidget* button = gtk_button_new_with_label(notice.action.c_str());
        gtk_widget_set_halign(button, GTK_ALIGN_START);
        on(button, "clicked", notice.activate);
        append(notice_, button);
    }
    append(box_, notice_);
}

void AnswerRow::clear_notice() {
    if (notice_ == nullptr) return;
    gtk_box_remove(GTK_BOX(box_), notice_);
    notice_ = nullptr;
}

}  // namespace llmd::gtk
