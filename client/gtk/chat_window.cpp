#include "client/gtk/chat_window.h"

#include <utility>

#include "client/calendar.h"
#include "client/gtk/tools.h"
#include "client/value.h"

namespace llmd::gtk {
namespace {

constexpr int kWidth = 360;  // of a phone, which is the least that the window needs
constexpr int kHeight = 720;
constexpr int kWelcomeIcon = 64;
constexpr int kColumn = 720;  // of text, however wide the window is
// A model that calls tools again and again is stopped.
constexpr int kMaxRounds = 8;

GtkWidget* vertical_box() {
    return gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
}

GtkWidget* clamped(GtkWidget* child) {
    GtkWidget* clamp = adw_clamp_new();
    adw_clamp_set_maximum_size(ADW_CLAMP(clamp), kColumn);
    adw_clamp_set_child(ADW_CLAMP(clamp), child);
    return clamp;
}

void add_option(GVariantBuilder* options, const char* key, GVariant* value) {
    g_variant_builder_add(options, "{sv}", key, value);
}

}  // namespace

void ChatWindow::open(AdwApplication* application) {
    auto* self = new ChatWindow(application);
    g_object_set_data_full(G_OBJECT(self->window_), "chat-window", self,
                           [](gpointer data) { delete static_cast<ChatWindow*>(data); });
    gtk_window_present(GTK_WINDOW(self->window_));
    self->composer_.focus();
}

ChatWindow::ChatWindow(AdwApplication* application)
    : window_(adw_application_window_new(GTK_APPLICATION(application))),
      service_([this] { show_state(); }),
      picker_([this] { service_.read_models(); }, [this] { composer_.focus_later(); }),
      composer_([this] { send(); }, [this] { show_state(); }) {
    add_actions();
    GtkWidget* content = vertical_box();
    gtk_box_append(GTK_BOX(content), make_header());
    gtk_box_append(GTK_BOX(content), make_banner());
    gtk_box_append(GTK_BOX(content), make_welcome());
    gtk_box_append(GTK_BOX(content), make_conversation());
    gtk_box_append(GTK_BOX(content), clamped(composer_.widget()));
    adw_application_window_set_content(ADW_APPLICATION_WINDOW(window_), content);
    gtk_window_set_title(GTK_WINDOW(window_), "llmd");
    gtk_window_set_default_size(GTK_WINDOW(window_), kWidth, kHeight);
    gtk_widget_set_size_request(window_, kWidth, -1);
    show_chat(false);
    show_state();
}

ChatWindow::~ChatWindow() {
    if (follow_source_ != 0) g_source_remove(follow_source_);
}

// Buttons and not a menu model, whose items have no names for assistive technologies in GTK 4.18.
GtkWidget* ChatWindow::make_menu() {
    GtkWidget* items = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget* popover = gtk_popover_new();
    gtk_popover_set_child(GTK_POPOVER(popover), items);
    on(popover, "closed", [this] { composer_.focus_later(); });
    const std::pair<const char*, const char*> actions[] = {
        {"New Chat", "win.new-chat"},
        {"About llmd", "win.about"},
    };
    for (const auto& [name, action] : actions) {
        GtkWidget* item = gtk_button_new_with_label(name);
        gtk_button_set_has_frame(GTK_BUTTON(item), FALSE);
        gtk_actionable_set_action_name(GTK_ACTIONABLE(item), action);
        on(item, "clicked", [popover] { gtk_popover_popdown(GTK_POPOVER(popover)); });
        gtk_box_append(GTK_BOX(items), item);
    }
    GtkWidget* tools = gtk_check_button_new_with_label("Let the Model Read the Clock");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(tools), "win.tools");
    set_accessible_name(tools, "Let the Model Read the Clock");
    gtk_box_append(GTK_BOX(items), tools);
    return popover;
}

GtkWidget* ChatWindow::make_header() {
    GtkWidget* header = adw_header_bar_new();
    GtkWidget* anew = gtk_button_new_from_icon_name("list-add-symbolic");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(anew), "win.new-chat");
    gtk_widget_set_tooltip_text(anew, "New Chat");
    set_accessible_name(anew, "New Chat");
    adw_header_bar_pack_start(ADW_HEADER_BAR(header), anew);
    adw_header_bar_set_title_widget(ADW_HEADER_BAR(header), picker_.widget());

    GtkWidget* button = gtk_menu_button_new();
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "open-menu-symbolic");
    gtk_menu_button_set_popover(GTK_MENU_BUTTON(button), make_menu());
    gtk_menu_button_set_primary(GTK_MENU_BUTTON(button), TRUE);
    gtk_widget_set_tooltip_text(button, "Menu");
    set_accessible_name(button, "Menu");
    adw_header_bar_pack_end(ADW_HEADER_BAR(header), button);
    return header;
}

GtkWidget* ChatWindow::make_banner() {
    banner_ = gtk_label_new("");
    gtk_label_set_wrap(GTK_LABEL(banner_), TRUE);
    gtk_label_set_justify(GTK_LABEL(banner_), GTK_JUSTIFY_CENTER);
    gtk_widget_add_css_class(banner_, "state");
    return banner_;
}

GtkWidget* ChatWindow::make_welcome() {
    welcome_ = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    gtk_widget_add_css_class(welcome_, "welcome");
    gtk_widget_set_valign(welcome_, GTK_ALIGN_CENTER);
    gtk_widget_set_vexpand(welcome_, TRUE);
    auto* icon = g_object_new(GTK_TYPE_IMAGE, "icon-name", "org.llmd.Gtk-symbolic", "pixel-size", kWelcomeIcon,
                              "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, nullptr);
    gtk_widget_add_css_class(GTK_WIDGET(icon), "dim-label");
    gtk_box_append(GTK_BOX(welcome_), GTK_WIDGET(icon));
    const std::pair<const char*, const char*> lines[] = {
        {"Ask something", "title-2"},
        {"The answer comes from a model on this device, unless you choose one of another machine.", "dim-label"},
    };
    for (const auto& [text, css_class] : lines) {
        GtkWidget* label = gtk_label_new(text);
        gtk_label_set_wrap(GTK_LABEL(label), TRUE);
        gtk_label_set_justify(GTK_LABEL(label), GTK_JUSTIFY_CENTER);
        gtk_widget_add_css_class(label, css_class);
        gtk_box_append(GTK_BOX(welcome_), label);
    }
    return clamped(welcome_);
}

GtkWidget* ChatWindow::make_conversation() {
    rows_ = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    gtk_widget_add_css_class(rows_, "conversation");
    GtkWidget* scrolled = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), clamped(rows_));
    set_accessible_name(scrolled, "Conversation");
    scroll_ = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
    on(scroll_, "value-changed", [this] {
        const double bottom = gtk_adjustment_get_upper(scroll_) - gtk_adjustment_get_page_size(scroll_);
        at_bottom_ = gtk_adjustment_get_value(scroll_) >= bottom - 1;
    });
    on(scroll_, "changed", [this] { follow(); });

    gtk_widget_set_vexpand(scrolled, TRUE);
    return chat_ = scrolled;
}

// A widget that is not shown is not there for assistive technologies either.
void ChatWindow::show_chat(bool begun) {
    gtk_widget_set_visible(chat_, begun);
    gtk_widget_set_visible(welcome_, !begun);
}

// Who has scrolled up to read stays there. Not in the middle of a layout, which would not see it.
void ChatWindow::follow() {
    if (!at_bottom_ || follow_source_ != 0) return;
    const auto scroll = +[](gpointer data) -> gboolean {
        auto* self = static_cast<ChatWindow*>(data);
        self->follow_source_ = 0;
        gtk_adjustment_set_value(self->scroll_, gtk_adjustment_get_upper(self->scroll_));
        return G_SOURCE_REMOVE;
    };
    follow_source_ = g_idle_add(scroll, this);
}

void ChatWindow::add_actions() {
    const std::pair<const char*, std::function<void()>> actions[] = {
        {"send", [this] { send(); }},
        {"stop", [this] { stop(); }},
        {"new-chat", [this] { begin_anew(); }},
        {"choose-model", [this] { picker_.open(); }},
        {"about",
         [this] {
             gtk_show_about_dialog(GTK_WINDOW(window_), "program-name", "llmd", "version", LLMD_VERSION,
                                   "logo-icon-name", "org.llmd.Gtk", "comments",
                                   "Talk to the language models of this device", "license-type", GTK_LICENSE_MIT_X11,
                                   nullptr);
         }},
    };
    for (const auto& [name, activate] : actions) {
        const Ref<GSimpleAction> action(g_simple_action_new(name, nullptr));
        on(action.get(), "activate", activate);
        g_action_map_add_action(G_ACTION_MAP(window_), G_ACTION(action.get()));
    }
    const Ref<GSimpleAction> tools(g_simple_action_new_stateful("tools", nullptr, g_variant_new_boolean(FALSE)));
    g_action_map_add_action(G_ACTION_MAP(window_), G_ACTION(tools.get()));
}

void ChatWindow::enable(const char* action, bool enabled) {
    g_simple_action_set_enabled(G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(window_), action)), enabled);
}

void ChatWindow::send() {
    const std::string question = composer_.text();
    if (question.empty() || answer_ || service_.proxy() == nullptr) return;
    composer_.clear();
    conversation_.ask(question);
    if (row_) row_->clear_notice();
    row_ = std::make_unique<AnswerRow>();
    gtk_box_append(GTK_BOX(rows_), question_row(question));
    gtk_box_append(GTK_BOX(rows_), row_->widget());
    show_chat(true);
    at_bottom_ = true;
    rounds_ = 0;
    ask();
}

void ChatWindow::ask() {
    GVariantBuilder options;
    g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
    if (!picker_.chosen().empty()) add_option(&options, "model", g_variant_new_string(picker_.chosen().c_str()));
    add_option(&options, "max_tokens", g_variant_new_int32(-1));
    add_option(&options, "priority", g_variant_new_string("interactive"));
    if (offers_tools()) add_option(&options, "tools", g_variant_new_string(kTools));
    text_.clear();
    calls_.clear();
    shown_calls_.clear();
    row_->show_waiting();
    const std::string remote = picker_.chosen_remote();
    if (!remote.empty()) row_->show_remote(remote);
    const auto calls = remote.empty() ? Conversation::Calls::With : Conversation::Calls::Without;
    // A question that may call for a tool may be about a day.
    const std::string system = offers_tools() ? client::with_calendar("") : "";
    answer_ = std::make_unique<Answer>(service_.proxy(), conversation_.messages(calls, system),
                                       g_variant_builder_end(&options),
                                       [this](const client::StreamLine& line) { take(line); });
    composer_.focus();
    show_state();
}

void ChatWindow::take(const client::StreamLine& line) {
    using Kind = client::StreamLine::Kind;
    switch (line.kind) {
        case Kind::Text:
            text_ += line.text;
            row_->add_text(line.text);
            break;
        case Kind::Thinking:
            row_->add_thinking(line.text);
            break;
        case Kind::ToolCall:
            calls_.push_back(line.call);
            shown_calls_.push_back(row_->add_call(line.call.name, line.call.arguments));
            break;
        case Kind::Done:
            take_end(line);
            break;
        case Kind::Error:
            take_error(line);
            break;
    }
}

void ChatWindow::take_end(const client::StreamLine& line) {
    const std::string where = client::text_of(line.info, "where");
    if (!where.empty() && where != "device") row_->show_remote(where);
    if (line.finish_reason == "tool_calls") return run_calls();
    end_answer();
    if (line.finish_reason == "stop") return row_->clear_notice();
    const Advice advice = advice_for_end(line.finish_reason);
    show_notice(advice.happened, advice.to_do, "", advice.next);
}

bool ChatWindow::offers_tools() const {
    const Variant tools(g_action_group_get_action_state(G_ACTION_GROUP(window_), "tools"));
    return g_variant_get_boolean(tools.get()) != 0 && service_.offers("tools") && picker_.chosen_remote().empty();
}

void ChatWindow::take_error(const client::StreamLine& line) {
    end_answer();
    const Advice advice = advice_for_error(line.error_name);
    show_notice(advice.happened, advice.to_do, line.message, advice.next);
}

void ChatWindow::end_answer() {
    answer_.reset();
    conversation_.answer(text_, {});
    // A call that is not known to be whole is not run, and the model does not get it either.
    for (const size_t call : shown_calls_) row_->show_result(call, "Not run: the answer was cut.");
    show_state();
}

void ChatWindow::run_calls() {
    answer_.reset();
    conversation_.answer(text_, calls_);
    for (size_t i = 0; i < calls_.size(); ++i) {
        const std::string result =
            offers_tools() ? run_tool(calls_[i].name, calls_[i].arguments) : "Not run: it was not offered.";
        row_->show_result(shown_calls_[i], result);
        conversation_.add_result(calls_[i].id, result);
    }
    if (++rounds_ < kMaxRounds) return ask();
    show_state();
    show_notice("The model keeps calling tools.", "Ask it to go on, or ask something else.", "", Advice::Next::Repeat);
}

void ChatWindow::stop() {
    if (!answer_) return;
    end_answer();
    show_notice("You stopped the answer.", "", "", Advice::Next::Repeat);
    composer_.focus();
}

void ChatWindow::begin_anew() {
    answer_.reset();
    row_.reset();
    conversation_.clear();
    while (GtkWidget* row = gtk_widget_get_first_child(rows_)) gtk_box_remove(GTK_BOX(rows_), row);
    show_chat(false);
    composer_.focus();
    show_state();
}

void ChatWindow::show_notice(const std::string& happened, const std::string& to_do, const std::string& detail,
                             Advice::Next next) {
    AnswerRow::Notice notice{happened, to_do, detail, "", nullptr};
    if (next == Advice::Next::Repeat) {
        notice.action = text_.empty() ? "Try Again" : "Go On";
        notice.activate = [this] { ask(); };
    } else if (next == Advice::Next::NewChat) {
        notice.action = "New Chat";
        notice.activate = [this] { begin_anew(); };
    }
    row_->show_notice(notice);
}

void ChatWindow::show_state() {
    const bool answering = answer_ != nullptr;
    enable("send", !answering && service_.proxy() != nullptr && !composer_.text().empty());
    enable("stop", answering);
    composer_.show_answering(answering);
    picker_.show(service_.models());

    const std::string state = service_.state();
    std::string banner;
    if (!service_.runs() && !service_.starts_by_itself()) {
        banner = "llmd is not running";
    } else if (state == "loading") {
        banner = "Loading " + service_.model() + " … " + std::to_string(service_.loaded_percent()) + " %";
    } else if (state == "throttled") {
        banner = "The device is hot: answers come slowly";
    } else if (state == "suspended") {
        banner = "The device is going to sleep";
    } else if (state == "error") {
        banner = "llmd has a problem: “llmctl doctor” says which";
    }
    gtk_label_set_text(GTK_LABEL(banner_), banner.c_str());
    gtk_widget_set_visible(banner_, !banner.empty());
}

}  // namespace llmd::gtk
