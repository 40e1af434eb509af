// A text that comes as ndjson through the pipe which `Stream` hands out.
#pragma once

#include <functional>
#include <utility>

#include "base/unique_fd.h"
#include "client/llmd_client.h"
#include "client/ndjson.h"

namespace llmd::client {

class PipeText final : public TextSource {
public:
    // `pipe` is a blocking read end, which closing cancels; `progress` is TextSource::progress().
    PipeText(base::UniqueFd pipe, std::function<Dictionary()> progress)
        : pipe_(std::move(pipe)), progress_(std::move(progress)) {}

    int fd() const override { return pipe_.get(); }
    std::optional<std::vector<StreamLine>> read() override;
    Dictionary progress() override { return progress_(); }

private:
    const base::UniqueFd pipe_;
    const std::function<Dictionary()> progress_;
    StreamReader reader_;
};

}  // namespace llmd::client
