// GObject's references, signals and asynchronous calls in C++'s words. Everything here is for the main thread.
#pragma once

#include <gtk/gtk.h>

#include <functional>
#include <memory>
#include <string>

namespace llmd::gtk {

struct Unref {
    void operator()(gpointer object) const { g_object_unref(object); }
};
template <typename T>
using Ref = std::unique_ptr<T, Unref>;

struct FreeError {
    void operator()(GError* error) const { g_error_free(error); }
};
using Error = std::unique_ptr<GError, FreeError>;

struct UnrefVariant {
    void operator()(GVariant* variant) const { g_variant_unref(variant); }
};
using Variant = std::unique_ptr<GVariant, UnrefVariant>;

// Calls `then` for each emission of a signal without a result, as long as `instance` lives.
void on(gpointer instance, const char* signal, std::function<void()> then);

// A callback for GIO and its data: `then` is called once. Where it belongs to an object, the object cancels the call
// when it goes, and `then` touches nothing of it when was_cancelled() says so.
using Then = std::function<void(GObject* source, GAsyncResult* result)>;
void call_then(GObject* source, GAsyncResult* result, gpointer then);
gpointer then_data(Then then);
bool was_cancelled(const Error& error);

// The text of a key of a dictionary (a{sv}); empty where there is none.
std::string text_of(GVariant* dictionary, const char* key);
// A flag or a number of it; 0 where there is none.
bool flag_of(GVariant* dictionary, const char* key);
guint64 number_of(GVariant* dictionary, const char* key);

// The name of a control for assistive technologies.
void set_accessible_name(GtkWidget* widget, const std::string& name);

}  // namespace llmd::gtk
