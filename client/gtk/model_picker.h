// The button with the model's name, and the list behind it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/gtk/gobject.h"
#include "client/gtk/service.h"

namespace llmd::gtk {

class ModelPicker {
public:
    // `opened` is called before the list is shown, `closed` when it is no more.
    ModelPicker(std::function<void()> opened, std::function<void()> closed);
    GtkWidget* widget() const { return button_; }
    void open() { gtk_menu_button_popup(GTK_MENU_BUTTON(button_)); }

    // Keeps what was chosen, as long as it is there; else the default is.
    void show(const std::vector<Model>& models);
    // The chosen model's name; empty where there is none.
    const std::string& chosen() const { return chosen_; }
    // The remote that has it; empty for one of this device.
    std::string chosen_remote() const;

private:
    static void choose(GtkListBox* list, GtkListBoxRow* row, ModelPicker* self);
    void add_row(const Model& model);
    void show_chosen();

    GtkWidget* button_;
    GtkWidget* label_;
    GtkWidget* remote_icon_;
    GtkWidget* popover_;
    GtkWidget* list_;
    std::vector<Model> models_;
    std::string chosen_;
};

}  // namespace llmd::gtk
