#include "client/gtk/service.h"

#include <memory>
#include <utility>

namespace llmd::gtk {
namespace {

constexpr char kName[] = "org.llmd.Llmd1";
constexpr char kPath[] = "/org/llmd/Llmd1";
// The bus waits this long for a service that it starts.
constexpr int kCallTimeoutMs = 120'000;
constexpr guint kProgressMs = 500;

GVariant* no_options() {
    return g_variant_new("a{sv}", nullptr);
}

Model model_of(GVariant* dictionary) {
    Model model;
    model.name = text_of(dictionary, "name");
    model.remote = text_of(dictionary, "remote");
    model.is_default = flag_of(dictionary, "default");
    model.is_usable = text_of(dictionary, "error").empty();
    if (!model.remote.empty()) {
        model.detail = text_of(dictionary, "host");
    } else if (!model.is_usable) {
        model.detail = text_of(dictionary, "error");
    } else {
        const std::unique_ptr<char, decltype(&g_free)> size(g_format_size(number_of(dictionary, "size_bytes")), g_free);
        model.detail =
            text_of(dictionary, "architecture") + " · " + text_of(dictionary, "quantization") + " · " + size.get();
    }
    return model;
}

}  // namespace

Service::Service(std::function<void()> changed) : changed_(std::move(changed)), cancellable_(g_cancellable_new()) {
    // Its construction alone does not start llmd; the first call does.
    llmd_llmd1_proxy_new_for_bus(G_BUS_TYPE_SESSION, G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START_AT_CONSTRUCTION, kName, kPath,
                                 cancellable_.get(), call_then, then_data([this](GObject*, GAsyncResult* result) {
                                     GError* raw = nullptr;
                                     LlmdLlmd1* proxy = llmd_llmd1_proxy_new_for_bus_finish(result, &raw);
                                     const Error error(raw);
                                     if (was_cancelled(error)) return;
                                     if (proxy != nullptr) take_proxy(proxy);
                                     changed_();
                                 }));
}

Service::~Service() {
    g_cancellable_cancel(cancellable_.get());
    if (timer_ != 0) g_source_remove(timer_);
    if (proxy_) g_signal_handlers_disconnect_by_data(proxy_.get(), this);
}

void Service::take_proxy(LlmdLlmd1* proxy) {
    proxy_.reset(proxy);
    g_dbus_proxy_set_default_timeout(G_DBUS_PROXY(proxy), kCallTimeoutMs);
    const auto changes = +[](Service* self) {
        self->watch_loading();
        self->changed_();
    };
    g_signal_connect_swapped(proxy, "notify::state", G_CALLBACK(changes), this);
    g_signal_connect_swapped(proxy, "notify::model", G_CALLBACK(changes), this);
    const auto appears = +[](Service* self) {
        if (self->runs()) self->read_models();
        self->watch_loading();
        self->changed_();
    };
    g_signal_connect_swapped(proxy, "notify::g-name-owner", G_CALLBACK(appears), this);
    ask_who_starts();
    read_models();
    watch_loading();
}

void Service::ask_who_starts() {
    g_dbus_connection_call(
        g_dbus_proxy_get_connection(G_DBUS_PROXY(proxy_.get())), "org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus", "ListActivatableNames", nullptr, G_VARIANT_TYPE("(as)"), G_DBUS_CALL_FLAGS_NONE, -1,
        cancellable_.get(), call_then, then_data([this](GObject* source, GAsyncResult* result) {
            GError* raw = nullptr;
            const Variant reply(g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &raw));
            const Error error(raw);
            if (was_cancelled(error) || !reply) return;
            const Variant names(g_variant_get_child_value(reply.get(), 0));
            const std::unique_ptr<const char*, decltype(&g_free)> list(g_variant_get_strv(names.get(), nullptr),
                                                                       g_free);
            starts_by_itself_ = g_strv_contains(list.get(), kName) != 0;
            changed_();
        }));
}

bool Service::runs() const {
    if (!proxy_) return false;
    const std::unique_ptr<char, decltype(&g_free)> owner(g_dbus_proxy_get_name_owner(G_DBUS_PROXY(proxy_.get())),
                                                         g_free);
    return owner != nullptr;
}

std::string Service::state() const {
    const char* state = runs() ? llmd_llmd1_get_state(proxy_.get()) : nullptr;
    return state != nullptr ? state : "";
}

std::string Service::model() const {
    const char* model = runs() ? llmd_llmd1_get_model(proxy_.get()) : nullptr;
    return model != nullptr ? model : "";
}

bool Service::offers(const char* feature) const {
    const char* const* features = proxy_ ? llmd_llmd1_get_features(proxy_.get()) : nullptr;
    return features != nullptr && g_strv_contains(features, feature) != 0;
}

void Service::read_models() {
    if (!proxy_) return;
    llmd_llmd1_call_list_models(
        proxy_.get(), no_options(), G_DBUS_CALL_FLAGS_NONE, -1, cancellable_.get(), call_then,
        then_data([this](GObject* source, GAsyncResult* result) {
            GError* raw = nullptr;
            GVariant* reply = nullptr;
            llmd_llmd1_call_list_models_finish(LLMD_LLMD1(source), &reply, result, &raw);
            const Error error(raw);
            const Variant list(reply);
            if (was_cancelled(error) || !list) return;  // the banner says that llmd does not run
            models_.clear();
            for (gsize i = 0; i < g_variant_n_children(list.get()); ++i) {
                models_.push_back(model_of(Variant(g_variant_get_child_value(list.get(), i)).get()));
            }
            changed_();
        }));
}

void Service::watch_loading() {
    const bool loads = state() == "loading";
    if (loads && timer_ == 0) {
        loaded_percent_ = 0;
        const auto tick = +[](gpointer self) -> gboolean {
            static_cast<Service*>(self)->read_progress();
            return G_SOURCE_CONTINUE;
        };
        timer_ = g_timeout_add(kProgressMs, tick, this);
    } else if (!loads && timer_ != 0) {
        g_source_remove(std::exchange(timer_, 0));
    }
}

void Service::read_progress() {
    llmd_llmd1_call_get_status(proxy_.get(), no_options(), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, cancellable_.get(),
                               call_then, then_data([this](GObject* source, GAsyncResult* result) {
                                   GError* raw = nullptr;
                                   GVariant* reply = nullptr;
                                   llmd_llmd1_call_get_status_finish(LLMD_LLMD1(source), &reply, result, &raw);
                                   const Error error(raw);
                                   const Variant status(reply);
                                   if (was_cancelled(error) || !status) return;
                                   loaded_percent_ = number_of(status.get(), "load_per_mille") / 10;
                                   changed_();
                               }));
}

}  // namespace llmd::gtk
