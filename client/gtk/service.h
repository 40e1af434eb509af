// llmd on the session bus, as a window sees it: whether it runs, what it does, and which models it has.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/gtk/gobject.h"
#include "llmd_proxy.h"

namespace llmd::gtk {

struct Model {
    std::string name;
    std::string detail;  // architecture, quantization and size; of a remote's model the host
    std::string remote;  // the remote that has it; empty for a model of this device
    bool is_default = false;
    bool is_usable = true;
};

class Service {
public:
    // `changed` is called for every change of what the functions below return, and never before the constructor
    // returns.
    explicit Service(std::function<void()> changed);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Null until the bus has answered, and where there is none.
    LlmdLlmd1* proxy() const { return proxy_.get(); }
    // llmd has its name on the bus.
    bool runs() const;
    // The bus starts llmd for whoever calls it.
    bool starts_by_itself() const { return starts_by_itself_; }
    // The interface's State and Model; empty while llmd does not run.
    std::string state() const;
    std::string model() const;
    // How far the model is loaded, in percent; of use in the state `loading`.
    guint64 loaded_percent() const { return loaded_percent_; }
    // The word is in the interface's Features.
    bool offers(const char* feature) const;
    // In llmd's order; empty while none are known. Read again whenever llmd appears.
    const std::vector<Model>& models() const { return models_; }
    void read_models();

private:
    void take_proxy(LlmdLlmd1* proxy);
    void ask_who_starts();
    void watch_loading();
    void read_progress();

    const std::function<void()> changed_;
    const Ref<GCancellable> cancellable_;
    Ref<LlmdLlmd1> proxy_;
    bool starts_by_itself_ = false;
    std::vector<Model> models_;
    guint64 loaded_percent_ = 0;
    guint timer_ = 0;
};

}  // namespace llmd::gtk
