// The rows of a conversation: one for each question and each answer. Rows belong to the box that they are put in.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "client/gtk/gobject.h"

namespace llmd::gtk {

GtkWidget* question_row(const std::string& text);

// A small word in a rounded frame, such as the name of a remote, with an icon before it unless `icon` is null.
GtkWidget* badge(const std::string& text, const char* icon);

// An answer: texts and calls of tools in the order in which they come, what the model thinks, and what became of it.
class AnswerRow {
public:
    AnswerRow();
    GtkWidget* widget() const { return box_; }

    // A spinner, until anything else is shown.
    void show_waiting();
    void add_text(const std::string& text);
    void add_thinking(const std::string& text);
    // Returns the number of the call, for show_result().
    size_t add_call(const std::string& name, const std::string& arguments);
    void show_result(size_t call, const std::string& text);
    // That the answer is from another machine.
    void show_remote(const std::string& remote);

    struct Notice {
        std::string text;
        std::string to_do;
        std::string detail;              // llmd's own words
        std::string action;              // on a button; none where it is empty
        std::function<void()> activate;  // of the button
    };
    void show_notice(const Notice& notice);
    // With its button; also the spinner.
    void clear_notice();

private:
    GtkWidget* add_label(GtkWidget* to, const std::string& text, const char* css_class);

    GtkWidget* box_;
    GtkWidget* parts_;               // texts and calls
    GtkWidget* notice_ = nullptr;    // the notice, or the spinner
    GtkWidget* thinking_ = nullptr;  // the label
    GtkWidget* text_ = nullptr;      // the label that text goes to; null behind a call
    std::string shown_text_;         // of text_
    std::string shown_thinking_;
    std::vector<GtkWidget*> results_;  // of each call, hidden until there is one
    bool has_remote_ = false;
};

}  // namespace llmd::gtk
