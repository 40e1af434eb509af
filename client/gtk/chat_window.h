// The window: a conversation in one column, the model's name above and the entry below.
#pragma once

#include <adwaita.h>

#include <memory>
#include <string>
#include <vector>

#include "client/gtk/advice.h"
#include "client/gtk/answer.h"
#include "client/gtk/composer.h"
#include "client/gtk/conversation.h"
#include "client/gtk/model_picker.h"
#include "client/gtk/rows.h"
#include "client/gtk/service.h"

namespace llmd::gtk {

class ChatWindow {
public:
    // Makes a window of `application` and the object behind it, which goes with the window.
    static void open(AdwApplication* application);
    ~ChatWindow();
    ChatWindow(const ChatWindow&) = delete;
    ChatWindow& operator=(const ChatWindow&) = delete;

private:
    explicit ChatWindow(AdwApplication* application);

    GtkWidget* make_menu();
    GtkWidget* make_header();
    GtkWidget* make_banner();
    GtkWidget* make_welcome();
    GtkWidget* make_conversation();
    void show_chat(bool begun);
    void add_actions();
    void enable(const char* action, bool enabled);

    void send();
    // Asks for the next part of the answer that row_ shows: all of it, what follows a call, or the rest of one that was
    // cut.
    void ask();
    // The model may call what the app has: the person allows it, llmd passes it on, and the model is of this device.
    bool offers_tools() const;
    void take(const client::StreamLine& line);
    void take_end(const client::StreamLine& line);
    void take_error(const client::StreamLine& line);
    // The answer has ended, or is not wanted any more: what has come of it is kept.
    void end_answer();
    void run_calls();
    void stop();
    void begin_anew();
    void show_notice(const std::string& happened, const std::string& to_do, const std::string& detail,
                     Advice::Next next);
    void show_state();
    void follow();

    GtkWidget* window_;
    GtkWidget* welcome_ = nullptr;  // before the first question
    GtkWidget* chat_ = nullptr;     // behind it
    GtkWidget* rows_ = nullptr;
    GtkWidget* banner_ = nullptr;
    GtkAdjustment* scroll_ = nullptr;
    bool at_bottom_ = true;
    guint follow_source_ = 0;

    Service service_;
    ModelPicker picker_;
    Composer composer_;
    Conversation conversation_;
    std::unique_ptr<Answer> answer_;  // while it comes
    std::unique_ptr<AnswerRow> row_;  // of the last question
    std::string text_;                // of the answer since the last ask()
    std::vector<client::ToolCall> calls_;
    std::vector<size_t> shown_calls_;  // their numbers in row_
    int rounds_ = 0;                   // of calls, since the question
};

}  // namespace llmd::gtk
