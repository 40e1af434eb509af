#include "service/route.h"

#include "base/json_writer.h"
#include "handover/names.h"

namespace llmd::service {

bool Route::advance(std::span<const std::string> models, const base::Error& error, bool has_delivered) {
    const auto next = fallback.next(models, {error.code, handover::is_of_this_device(model), has_delivered});
    if (!next) return false;
    failed.push_back(base::concat(model.empty() ? "the default model" : base::in_quotes(model), " failed with ",
                                  base::error_name(error.code)));
    model = *next;
    return true;
}

bool Route::skip(std::span<const std::string> models, const base::Error& error) {
    const auto next = fallback.next(models, {error.code, handover::is_of_this_device(model), false});
    if (next) {
        model = *next;
    } else {
        failed.pop_back();  // its error is the last one, and not one before it
    }
    return next.has_value();
}

std::string Route::note() const {
    return failed.empty() ? std::string() : "fallback: " + handover::list_of(failed);
}

base::Error Route::with_history(base::Error error) const {
    if (!failed.empty()) error.message += "; before it " + handover::list_of(failed);
    return error;
}

}  // namespace llmd::service
