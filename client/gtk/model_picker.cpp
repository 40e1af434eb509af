#include "client/gtk/model_picker.h"

#include <adwaita.h>

#include <algorithm>
#include <utility>

#include "client/gtk/rows.h"

namespace llmd::gtk {
namespace {

constexpr int kListWidth = 300;  // fits a phone's 360
constexpr int kListHeight = 420;
constexpr char kRemoteIcon[] = "network-server-symbolic";

bool same(const std::vector<Model>& a, const std::vector<Model>& b) {
    const auto equal = [](const Model& x, const Model& y) {
        return x.name == y.name && x.detail == y.detail && x.remote == y.remote && x.is_default == y.is_default &&
               x.is_usable == y.is_usable;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

}  // namespace

ModelPicker::ModelPicker(std::function<void()> opened, std::function<void()> closed)
    : button_(gtk_menu_button_new()),
      label_(gtk_label_new("No model")),
      remote_icon_(gtk_image_new_from_icon_name(kRemoteIcon)),
      popover_(gtk_popover_new()),
      list_(gtk_list_box_new()) {
    GtkWidget* content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_label_set_ellipsize(GTK_LABEL(label_), PANGO_ELLIPSIZE_MIDDLE);
    gtk_widget_set_visible(remote_icon_, FALSE);
    gtk_box_append(GTK_BOX(content), remote_icon_);
    gtk_box_append(GTK_BOX(content), label_);
    gtk_menu_button_set_child(GTK_MENU_BUTTON(button_), content);
    gtk_menu_button_set_always_show_arrow(GTK_MENU_BUTTON(button_), TRUE);

    gtk_list_box_set_selection_mode(GTK_LIST_BOX(list_), GTK_SELECTION_NONE);
    gtk_widget_add_css_class(list_, "boxed-list");
    set_accessible_name(list_, "Models");
    g_signal_connect(list_, "row-activated", G_CALLBACK(choose), this);
    GtkWidget* scrolled = gtk_scrolled_window_new();
    gtk_widget_set_focusable(scrolled, FALSE);  // its rows are
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
    gtk_widget_set_size_request(scrolled, kListWidth, -1);
    gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(scrolled), kListHeight);
    gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scrolled), TRUE);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), list_);
    gtk_popover_set_child(GTK_POPOVER(popover_), scrolled);
    gtk_menu_button_set_popover(GTK_MENU_BUTTON(button_), popover_);
    on(popover_, "show", std::move(opened));
    on(popover_, "closed", std::move(closed));
    show_chosen();
}

void ModelPicker::show(const std::vector<Model>& models) {
    if (same(models, models_)) return;
    models_ = models;
    while (GtkWidget* row = gtk_widget_get_first_child(list_)) gtk_list_box_remove(GTK_LIST_BOX(list_), row);
    const auto find = [this](auto condition) { return std::find_if(models_.begin(), models_.end(), condition); };
    auto chosen = find([this](const Model& model) { return model.name == chosen_; });
    if (chosen == models_.end()) chosen = find([](const Model& model) { return model.is_default; });
    chosen_ = chosen == models_.end() ? "" : chosen->name;
    for (const Model& model : models_) add_row(model);
    show_chosen();
}

void ModelPicker::add_row(const Model& model) {
    GtkWidget* row = adw_action_row_new();
    adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
    adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), model.name.c_str());
    adw_action_row_set_subtitle(ADW_ACTION_ROW(row), model.detail.c_str());
    adw_action_row_set_title_lines(ADW_ACTION_ROW(row), 2);
    adw_action_row_set_subtitle_lines(ADW_ACTION_ROW(row), 2);
    gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), TRUE);
    gtk_widget_set_sensitive(row, model.is_usable);
    std::string more = model.detail;  // the title is the row's name
    if (model.is_default) {
        adw_action_row_add_suffix(ADW_ACTION_ROW(row), badge("default", nullptr));
        more += ", default";
    }
    if (!model.remote.empty()) {
        adw_action_row_add_suffix(ADW_ACTION_ROW(row), badge(model.remote, kRemoteIcon));
        more += ", on " + model.remote;
    }
    if (model.name == chosen_) {
        adw_action_row_add_suffix(ADW_ACTION_ROW(row), gtk_image_new_from_icon_name("object-select-symbolic"));
        more += ", chosen";
    }
    // libadwaita 1.7 describes the row by its subtitle alone, and that would go before the description that is set
    // here.
    gtk_accessible_reset_relation(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_RELATION_DESCRIBED_BY);
    gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, more.c_str(), -1);
    gtk_list_box_append(GTK_LIST_BOX(list_), row);
}

void ModelPicker::choose(GtkListBox*, GtkListBoxRow* row, ModelPicker* self) {
    self->chosen_ = self->models_[static_cast<size_t>(gtk_list_box_row_get_index(row))].name;
    gtk_popover_popdown(GTK_POPOVER(self->popover_));
    self->show(std::exchange(self->models_, {}));  // the mark moves
}

std::string ModelPicker::chosen_remote() const {
    for (const Model& model : models_) {
        if (model.name == chosen_) return model.remote;
    }
    return "";
}

void ModelPicker::show_chosen() {
    const bool is_remote = !chosen_remote().empty();
    gtk_label_set_text(GTK_LABEL(label_), chosen_.empty() ? "No model" : chosen_.c_str());
    gtk_widget_set_visible(remote_icon_, is_remote);
    set_accessible_name(button_,
                        "Model: " + (chosen_.empty() ? "none" : chosen_) + (is_remote ? ", on another machine" : ""));
    gtk_widget_set_sensitive(button_, !models_.empty());
}

}  // namespace llmd::gtk
