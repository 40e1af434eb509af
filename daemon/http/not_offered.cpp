#include "http/not_offered.h"

#include <algorithm>
#include <array>

#include "api/errors.h"
#include "base/error.h"
#include "http/bridge_guard.h"

namespace llmd::http {

namespace {

using base::ErrorCode;

constexpr std::string_view kVersion = "/v1";

struct Row {
    std::string_view path;  // with all that is below it; but for Ollama's, also behind /v1
    std::string_view what;  // "llmd ..."
    ErrorCode code = ErrorCode::NotFound;
};
constexpr std::array kRows = {
    Row{"/assistants", "keeps no assistants"},
    Row{"/audio", "neither hears nor speaks"},
    Row{"/batches", "runs no batches"},
    Row{"/chat/completions", "keeps no answers"},
    Row{"/containers", "runs no programs"},
    Row{"/conversations", "keeps no conversations"},
    Row{"/evals", "runs no evaluations"},
    Row{"/files", "keeps no files"},
    Row{"/fine_tuning", "trains no models"},
    Row{"/fine-tunes", "trains no models"},
    Row{"/images", "draws no images"},
    Row{"/infill", "fills no gaps in texts"},
    Row{"/lora-adapters", "has no adapters"},
    Row{"/messages/batches", "runs no batches"},
    Row{"/moderations", "judges no texts"},
    Row{"/realtime", "holds no realtime sessions"},
    Row{"/rerank", "ranks no texts"},
    Row{"/reranking", "ranks no texts"},
    Row{"/responses", "keeps no responses"},
    Row{"/score", "ranks no texts"},
    Row{"/slots", "shows no slots"},
    Row{"/threads", "keeps no threads"},
    Row{"/uploads", "keeps no files"},
    Row{"/vector_stores", "keeps no vectors"},
    Row{"/videos", "makes no videos"},
    // Nobody may change the model files this way.
    Row{"/api/blobs", "takes no files: `llmctl import` does", ErrorCode::NotAllowed},
    Row{"/api/copy", "copies no models", ErrorCode::NotAllowed},
    Row{"/api/create", "makes no models: `llmctl import` takes files into its directory", ErrorCode::NotAllowed},
    Row{"/api/delete", "deletes no models: `llmctl rm` does", ErrorCode::NotAllowed},
    Row{"/api/push", "uploads no models", ErrorCode::NotAllowed},
    Row{"/api/web_fetch", "has no network"},
    Row{"/api/web_search", "has no network"},
};

bool is_at_or_below(std::string_view path, std::string_view row) {
    return path.starts_with(row) && (path.size() == row.size() || path[row.size()] == '/');
}

}  // namespace

std::optional<Reply> refuse_not_offered(std::string_view path) {
    const std::string_view short_path = is_at_or_below(path, kVersion) ? path.substr(kVersion.size()) : path;
    const auto* row =
        std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return is_at_or_below(short_path, one.path); });
    if (row == kRows.end()) return std::nullopt;
    const base::Error error = row->code == ErrorCode::NotAllowed
                                  ? base::fail(row->code, "llmd ", row->what)
                                  : base::fail(row->code, path, " is not offered: llmd ", row->what);
    return refuse_in_form(path, api::error_row(row->code).http_status, error);
}

}  // namespace llmd::http
