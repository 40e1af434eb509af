#include "engine/generation/device_choice.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <utility>

#include "base/utf8.h"
#include "engine/compute/opencl/runtime/program_cache.h"
#include "engine/generation/kv_cache/window_pages.h"

namespace llmd::generation {
namespace {

using base::ErrorCode;
using base::Result;
using compute::BackendKind;
using compute::ChosenDevice;
using compute::ProgramCache;

// In the place of a choice before the first is made.
constexpr std::string_view kNotChosenYet = "not chosen yet";

struct Timed {
    size_t device;  // its index
    double tokens_per_s;
};

std::string label(const ChosenDevice& device) {
    if (device.kind == BackendKind::Cpu) return "CPU";
    return base::concat(device.name, " (", device.platform, " ", device.driver, ")");
}

bool rules_out(const base::Error& error) {
    return error.code == ErrorCode::DeviceError || error.code == ErrorCode::OutOfMemory ||
           error.code == ErrorCode::Timeout;
}

std::string date_of(std::chrono::system_clock::time_point time) {
    const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    return text.data();
}

std::string figure(double tokens_per_s) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f tokens/s", tokens_per_s);
    return text.data();
}

// The device's index, then a line for each note.
std::string encode(size_t device, const std::vector<std::string>& notes) {
    std::string text = std::to_string(device);
    for (std::string note : notes) {
        std::replace(note.begin(), note.end(), '\n', ' ');
        text += '\n' + base::to_clean_text(note);
    }
    return text;
}

std::optional<DeviceChoice> decode(std::string_view text, const std::vector<ChosenDevice>& devices) {
    size_t device = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), device);
    if (error != std::errc() || device >= devices.size() || !base::is_clean_text(text)) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    DeviceChoice choice{devices[device], {}};
    while (text.starts_with('\n')) {
        text.remove_prefix(1);
        choice.notes.emplace_back(text.substr(0, text.find('\n')));
        text.remove_prefix(choice.notes.back().size());
    }
    if (choice.notes.empty()) return std::nullopt;
    return choice;
}

// `timed` is not empty.
Timed best_of(const std::vector<Timed>& timed, const std::vector<ChosenDevice>& devices) {
    const auto worth = [&](const Timed& one) {
        return devices[one.device].kind == BackendKind::Cpu ? one.tokens_per_s * kGpuShare : one.tokens_per_s;
    };
    return *std::max_element(timed.begin(), timed.end(),
                             [&](const Timed& a, const Timed& b) { return worth(a) < worth(b); });
}

std::string summary(const std::vector<Timed>& timed, const Timed& best, const std::vector<ChosenDevice>& devices) {
    std::string text = base::concat(label(devices[best.device]), " was chosen: ", figure(best.tokens_per_s));
    bool is_slower = false;
    for (const Timed& other : timed) {
        if (other.device == best.device) continue;
        text += base::concat("; ", label(devices[other.device]), ": ", figure(other.tokens_per_s));
        is_slower = is_slower || other.tokens_per_s > best.tokens_per_s;
    }
    return text + (is_slower ? "; a GPU that is nearly as fast leaves the processor free" : "");
}

}  // namespace

Result<std::optional<DeviceChoice>> choose_device(const compute::AutoDevices& listed, std::string_view model,
                                                  const ChoicesKept& kept, DeviceTrials& trials,
                                                  std::chrono::system_clock::time_point now) {
    const std::vector<ChosenDevice>& devices = listed.devices;
    if (devices.size() < 2 || kept.directory.empty()) return std::optional<DeviceChoice>();
    const uint64_t key = compute::program_key(std::array<std::string_view, 3>{kept.version, listed.identity, model});
    const ProgramCache cache(kept.directory, kMaxDeviceChoiceBytes);
    const auto keep = [&](std::string_view text) { cache.keep(key, std::as_bytes(std::span(text))); };
    if (const auto bytes = cache.peek(key)) {
        const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
        if (auto choice = decode(text, devices)) return choice;
    }
    std::vector<size_t> sound;
    DeviceChoice choice;
    for (size_t i = 0; i < devices.size(); ++i) {
        const auto tested = devices[i].kind == BackendKind::Cpu ? Result<void>() : trials.test(devices[i]);
        if (tested) {
            sound.push_back(i);
        } else if (rules_out(tested.error())) {
            choice.notes.push_back(base::concat(label(devices[i]), " is not used: ", tested.error().message));
        } else {
            return tested.error();
        }
    }
    if (sound.size() < 2) {
        if (!sound.empty()) choice.device = devices[sound.front()];
        return std::optional(choice);
    }
    // Where nothing can be kept every load would take so long.
    keep(kNotChosenYet);
    if (!cache.peek(key)) return std::optional<DeviceChoice>();

    std::vector<Timed> timed;
    bool is_final = true;
    // The first GPU comes last, since it is likely to be taken and need not be loaded again then.
    std::reverse(sound.begin(), sound.end());
    for (const size_t i : sound) {
        const auto speed = trials.time(devices[i], i == sound.back());
        if (speed) {
            timed.push_back({i, *speed});
        } else if (rules_out(speed.error())) {
            choice.notes.push_back(base::concat(label(devices[i]), " was not timed: ", speed.error().message));
            is_final = is_final && speed.error().code == ErrorCode::Timeout;
        } else {
            return speed.error();
        }
    }
    if (timed.empty()) return std::optional<DeviceChoice>();
    const Timed best = best_of(timed, devices);
    choice.device = devices[best.device];
    choice.notes.push_back(
        base::concat(summary(timed, best, devices), "; timed at the first load, on ", date_of(now), ", ",
                     is_final ? "and kept until a driver, the devices or llmd change" : "and again at the next load"));
    if (is_final) keep(encode(best.device, choice.notes));
    return std::optional(choice);
}

std::string model_shape(const model::DecoderSpec& spec, std::span<const model::Weight> weights) {
    std::string text = spec.architecture;
    for (const auto& [role, layer, tensor] : weights) {
        text += base::concat('\n', static_cast<uint32_t>(role), ' ', layer, ' ', static_cast<uint32_t>(tensor.type),
                             ' ', tensor.rows, ' ', tensor.cols);
    }
    return text;
}

Result<double> decode_speed(compute::Backend& backend,
                            const std::function<std::chrono::steady_clock::time_point()>& now) {
    const compute::BackendLimits& limits = backend.limits();
    uint32_t n_pages = std::min(pages_for(kWarmUpTokens + kTimedTokens), limits.n_pages);
    if (limits.window != 0) n_pages = std::min(n_pages, limits.n_window_pages);
    const uint32_t n_tokens = std::min({kWarmUpTokens + kTimedTokens, limits.n_ctx, n_pages * compute::kPageTokens});
    const uint32_t n_ahead = backend.is_asynchronous() ? 1 : 0;
    std::vector<uint32_t> pages(n_pages);
    std::iota(pages.begin(), pages.end(), 0);
    if (auto set = backend.set_pages(0, pages); !set) return set.error();
    if (limits.window != 0) {
        if (auto set = backend.set_window_pages(0, 0, pages); !set) return set.error();
    }
    const auto submit = [&](uint32_t position) -> Result<void> {
        const compute::Row row = {0, position, position == 0 ? 0 : compute::kSampledToken, true};
        const compute::SampleRequest request = {.position = position + 1};
        auto done = backend.begin({&row, 1});
        if (done) done = backend.forward();
        if (done) done = backend.sample({&request, 1});
        return done ? backend.submit() : done;
    };
    uint32_t n_submitted = 0, n_done = 0;
    const auto wait = [&]() -> Result<void> {
        const auto sampled = backend.wait();
        if (!sampled) return sampled.error();
        if (!sampled->front().finite) {
            return base::fail(ErrorCode::DeviceError, "its logits of token ", n_done, " are not finite");
        }
        ++n_done;
        return {};
    };
    // At least one token, then more up to the `until`-th, or until so much time has passed.
    const auto run = [&](uint32_t until, std::chrono::steady_clock::duration time) -> Result<void> {
        const auto begin = now();
        while (n_done < until) {
            for (; n_submitted < n_tokens && n_submitted <= n_done + n_ahead; ++n_submitted) {
                if (auto done = submit(n_submitted); !done) return done;
            }
            if (auto done = wait(); !done) return done;
            if (now() - begin >= time) break;
        }
        return {};
    };
    if (auto warmed = run(std::min(kWarmUpTokens, n_tokens / 2), kWarmUpTime); !warmed) return warmed.error();
    const uint32_t n_warm = n_done;
    const auto begin = now();
    if (auto timed = run(n_tokens, kTimingTime); !timed) return timed.error();
    const std::chrono::duration<double> time = std::max(now() - begin, std::chrono::steady_clock::duration(1));
    const uint32_t n_timed = n_done - n_warm;
    while (n_done < n_submitted) {
        if (auto done = wait(); !done) return done.error();
    }
    backend.discard_pages(compute::KvPool::Full, pages);
    if (limits.window != 0) backend.discard_pages(compute::KvPool::Window, pages);
    if (auto set = backend.set_pages(0, {}); !set) return set.error();
    return n_timed / time.count();
}

}  // namespace llmd::generation
