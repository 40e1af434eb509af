#include "engine/server/engine_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>
#include <variant>

#include "base/utf8.h"
#include "engine/compute/cpu/processor.h"

namespace llmd::engine {

using base::ErrorCode;
using base::fail;
using std::chrono::milliseconds;

namespace {

constexpr size_t kReadBytes = 64u << 10;             // of one recv()
constexpr size_t kReadBytesPerIteration = 1u << 20;  // a flood of commands must not hold up the running requests
constexpr uint32_t kProgressPerMille = 10;           // a hundred LoadProgress frames a load
constexpr uint32_t kWholePerMille = 1000;

// The enumerators of the protocol have the values of those that create_backend() takes.
constexpr bool same(protocol::BackendKind named, compute::BackendKind taken) {
    return static_cast<uint8_t>(named) == static_cast<uint8_t>(taken);
}
static_assert(same(protocol::BackendKind::Auto, compute::BackendKind::Auto));
static_assert(same(protocol::BackendKind::OpenCl, compute::BackendKind::OpenCl));
static_assert(same(protocol::BackendKind::Cpu, compute::BackendKind::Cpu));
static_assert(protocol::kLeastLogprob == generation::kLeastLogprob);
static_assert(static_cast<uint8_t>(protocol::Precision::Fast) == static_cast<uint8_t>(compute::Precision::Fast));

base::Error no_model() {
    return fail(ErrorCode::NotReady, "no model is loaded");
}

generation::LoadOptions load_options(const protocol::Load& load) {
    generation::LoadOptions options;
    options.backend.kind = static_cast<compute::BackendKind>(load.backend);
    options.backend.device = load.device;
    options.backend.precision = static_cast<compute::Precision>(load.precision);
    options.backend.n_threads = load.n_threads;
    options.backend.avoided = {load.avoid_device, load.avoid_driver, load.avoid_device_reason};
    options.n_ctx = load.n_ctx;
    options.n_slots = load.n_slots;
    options.prefill_chunk = load.prefill_chunk;
    options.memory_bytes = load.memory_bytes;
    options.chat_template = load.chat_template;
    options.identifies = load.saved_prefix_bytes > 0;
    options.speculates = load.speculates;
    return options;
}

protocol::Ready ready(const generation::LoadedModel& model, milliseconds load_time, const std::string& sandbox) {
    const auto& report = model.backend->report();
    const auto& limits = model.backend->limits();
    protocol::Ready ready;
    ready.architecture = model.spec.architecture;
    ready.quantization = model.spec.quantization;
    ready.n_ctx = limits.n_ctx;
    ready.n_vocab = model.spec.n_vocab;
    ready.n_slots = limits.max_outputs;
    ready.backend = static_cast<protocol::BackendKind>(report.kind);
    ready.device = report.device;
    ready.driver = report.driver;
    ready.precision = static_cast<protocol::Precision>(report.precision);
    ready.profile = report.fingerprint;
    ready.notes = model.notes;
    ready.notes.insert(ready.notes.end(), report.notes.begin(), report.notes.end());
    ready.sandbox = sandbox;
    ready.weight_bytes = report.weight_bytes;
    ready.kv_bytes = report.kv_bytes;
    ready.overhead_bytes = generation::overhead_bytes(report, compute::private_dirty_bytes());
    ready.load_ms = static_cast<uint32_t>(load_time.count());
    return ready;
}

}  // namespace

EngineServer::EngineServer(base::UniqueFd socket, Environment environment, Loader loader, DutyCycle::Now now)
    : socket_(std::move(socket)),
      environment_(std::move(environment)),
      loader_(std::move(loader)),
      duty_cycle_(std::move(now)) {}

EngineServer::Leave EngineServer::run() {
    while (true) {
        if (const auto leave = run_once()) return *leave;
    }
}

std::optional<EngineServer::Leave> EngineServer::run_once() {
    report_pages();
    if (!is_busy()) {
        const auto quiet = has_work() ? protocol::Phase::Waiting : protocol::Phase::Idle;
        if (quiet_phase_ != quiet) report_phase(quiet, milliseconds(0));
    }
    receive(is_busy() ? static_cast<int>(duty_cycle_.rest().count()) : has_unsaved() ? 0 : -1);
    while (!leave_) {
        const auto message = reader_.next();
        if (!message) {
            leave(Leave::Broken, message.error().message);
        } else if (message->has_value()) {
            handle(**message);
        } else {
            break;
        }
    }
    if (!leave_ && is_busy() && duty_cycle_.rest().count() == 0) {
        compute(&generation::Generator::step);
        if (!leave_ && has_work() && duty_cycle_.rest().count() == 0) {
            // It goes out with the tokens of the last step, so that llmd is woken once a step.
            send(protocol::PhaseChange{protocol::Phase::Step, static_cast<uint32_t>(step_budget_.next().count())});
            step_reported_ = true;
        }
    } else if (!leave_ && !has_work() && has_unsaved()) {
        report_phase(protocol::Phase::Idle, kDiskBudget);
        if (const auto saved = generator_->save_next(); !saved) report_fault(saved.error());
    }
    flush();
    return leave_;
}

void EngineServer::report_fault(const base::Error& error) {
    send(protocol::Fault{error.message});
    flush();
    leave(Leave::DeviceFault, error.message);
}

void EngineServer::compute(base::Result<void> (generation::Generator::*call)()) {
    if (!std::exchange(step_reported_, false)) report_phase(protocol::Phase::Step, step_budget_.next());
    const auto computed = duty_cycle_.run([&] { return ((*generator_).*call)(); });
    step_budget_.measured(duty_cycle_.step_time());
    if (!computed) report_fault(computed.error());
}

void EngineServer::receive(int timeout_ms) {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (!leave_ && timeout_ms != 0 && ::poll(&waiting, 1, timeout_ms) < 0 && errno != EINTR) {
        leave(Leave::Broken, base::fail_errno(ErrorCode::Failed, "poll", errno).message);
    }
    std::array<char, kReadBytes> buffer;
    for (size_t total = 0; !leave_ && total < kReadBytesPerIteration;) {
        const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (n > 0) {
            reader_.append({buffer.data(), static_cast<size_t>(n)});
            total += static_cast<size_t>(n);
        } else if (n == 0 || errno == ECONNRESET) {
            leave(Leave::PeerGone, "");
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR) {
            leave(Leave::Broken, base::fail_errno(ErrorCode::Failed, "recv", errno).message);
        }
    }
}

void EngineServer::handle(const protocol::Message& message) {
    if (const auto* load = std::get_if<protocol::Load>(&message)) {
        handle_load(*load);
    } else if (const auto* submit = std::get_if<protocol::Submit>(&message)) {
        handle_submit(*submit);
    } else if (const auto* tokenize = std::get_if<protocol::Tokenize>(&message)) {
        handle_tokenize(*tokenize);
    } else if (const auto* detokenize = std::get_if<protocol::Detokenize>(&message)) {
        handle_detokenize(*detokenize);
    } else if (const auto* render = std::get_if<protocol::Render>(&message)) {
        handle_render(*render);
    } else if (const auto* start = std::get_if<protocol::Start>(&message)) {
        if (generator_) generator_->start(start->id, static_cast<uint32_t>(start->priority));
    } else if (const auto* cancel = std::get_if<protocol::Cancel>(&message)) {
        if (generator_) generator_->cancel(cancel->id);
        answers_.erase(cancel->id);
    } else if (const auto* pause = std::get_if<protocol::SetPaused>(&message)) {
        if (generator_) generator_->set_paused(pause->id, pause->paused);
    } else if (std::holds_alternative<protocol::DropCache>(message)) {
        if (generator_) generator_->drop_cache();
    } else if (const auto* pace = std::get_if<protocol::SetPace>(&message)) {
        handle_pace(*pace);
    } else if (const auto* lease = std::get_if<protocol::SetLease>(&message)) {
        handle_lease(*lease);
    } else {
        leave(Leave::Broken, base::concat("a message of type ", message.index(), " is not for the engine"));
    }
}

void EngineServer::handle_load(const protocol::Load& load) {
    if (std::exchange(load_seen_, true)) {
        leave(Leave::Broken, "a second Load");
        return;
    }
    has_lease_ = true;
    const auto begin = std::chrono::steady_clock::now();
    auto options = load_options(load);
    options.choices = {environment_.choices, environment_.version};
    auto loaded = loader_(load.model_path, options, *this);
    if (!loaded) {
        send(protocol::LoadFailed{loaded.error().code, loaded.error().message});
        return;
    }
    model_ = std::move(*loaded);
    std::vector<std::string> notes;
    generator_.emplace(*model_, generation::PrefillPace(load.prefill_chunk),
                       static_cast<generation::GeneratorEvents&>(*this), open_store(load.saved_prefix_bytes, notes));
    generator_->set_speculates(load.speculates);
    auto answer = ready(*model_, std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin),
                        environment_.sandbox);
    answer.notes.insert(answer.notes.end(), notes.begin(), notes.end());
    send(answer);
}

std::optional<generation::PrefixStore> EngineServer::open_store(uint64_t max_bytes, std::vector<std::string>& notes) {
    if (!environment_.prefixes.empty()) report_phase(protocol::Phase::Idle, kDiskBudget);
    if (max_bytes == 0) {
        if (!environment_.prefixes.empty()) generation::PrefixStore::clear(environment_.prefixes);
        return std::nullopt;
    }
    if (environment_.prefixes.empty()) {
        notes.emplace_back("prefixes are not saved: there is no cache directory");
        return std::nullopt;
    }
    const auto& backend = *model_->backend;
    auto store =
        generation::PrefixStore::open(environment_.prefixes,
                                      base::concat("llmd-engine ", environment_.version, ", ",
                                                   backend.report().fingerprint, ", model ", model_->content),
                                      generation::PrefixStore::PageBytes{backend.page_bytes(compute::KvPool::Full),
                                                                         backend.page_bytes(compute::KvPool::Window)},
                                      max_bytes);
    if (store) return *std::move(store);
    notes.push_back(base::concat("prefixes are not saved: ", store.error().message));
    return std::nullopt;
}

void EngineServer::handle_submit(const protocol::Submit& submit) {
    if (!generator_) return refuse(submit.id, no_model());
    if (submit.cache_scope.size() > protocol::kMaxCacheScopeBytes) {
        refuse(submit.id, fail(ErrorCode::InvalidArgument, "cache_scope: ", submit.cache_scope.size(),
                               " bytes are more than ", protocol::kMaxCacheScopeBytes));
        return;
    }
    generation::GenerationRequest request{submit, {}, {}, {}, {}};
    if (request.top_logprobs) request.top_logprobs = std::min(*request.top_logprobs, protocol::kMaxTopLogprobs);
    report_phase(protocol::Phase::Step, kTokenizeBudget);
    auto syntax = AnswerSyntax::create(submit, *model_, request);
    if (!syntax) {
        refuse(submit.id, syntax.error());
        return;
    }
    uint32_t n_prompt = 0;
    if (const auto submitted = generator_->submit(request, &n_prompt); !submitted) {
        const bool too_long = submitted.error().code == ErrorCode::ContextExceeded;
        refuse(submit.id, submitted.error(), too_long ? n_prompt : 0);
    } else {
        const auto& answer = answers_[submit.id] = *std::move(syntax);
        send(protocol::Accepted{.id = submit.id, .prompt_tokens = n_prompt, .notes = answer->notes()});
    }
}

void EngineServer::handle_tokenize(const protocol::Tokenize& tokenize) {
    if (!model_) return refuse(tokenize.id, no_model());
    report_phase(protocol::Phase::Step, kTokenizeBudget);
    const tokenizer::Tokenizer& tokenizer = *model_->tokenizer;
    protocol::Tokenized tokenized{.id = tokenize.id, .ids = {}, .pieces = {}};
    tokenized.ids = tokenize.add_special ? tokenizer.encode_prompt(tokenize.text) : tokenizer.encode(tokenize.text);
    if (tokenized.ids.size() > protocol::kMaxArrayElements) {
        refuse(tokenize.id, fail(ErrorCode::PromptTooLong, "text: ", tokenized.ids.size(), " tokens are more than ",
                                 protocol::kMaxArrayElements));
        return;
    }
    if (tokenize.with_pieces) {
        for (const int32_t id : tokenized.ids) {
            std::string& piece = tokenized.pieces.emplace_back();
            tokenizer.append_bytes(id, piece);
            if (piece.empty()) piece = tokenizer.token_text(id);  // a control token
        }
    }
    send(tokenized);
}

void EngineServer::handle_detokenize(const protocol::Detokenize& detokenize) {
    if (!model_) return refuse(detokenize.id, no_model());
    report_phase(protocol::Phase::Step, kTokenizeBudget);
    const tokenizer::Tokenizer& tokenizer = *model_->tokenizer;
    std::string text;
    bool is_first = true;
    for (const int32_t id : detokenize.ids) {
        if (id < 0 || static_cast<uint32_t>(id) >= model_->spec.n_vocab) {
            refuse(detokenize.id, fail(ErrorCode::InvalidArgument, "tokens: ", id, " is not in the vocabulary of ",
                                       model_->spec.n_vocab));
            return;
        }
        tokenizer.append_bytes(id, text);
        if (is_first && !text.empty()) {
            is_first = false;
            // encode() has put it there.
            if (tokenizer.adds_space(id) && text.front() == ' ') text.erase(0, 1);
        }
        if (text.size() > protocol::kMaxStringBytes) {
            refuse(detokenize.id, fail(ErrorCode::PromptTooLong, "tokens: their text has more than ",
                                       protocol::kMaxStringBytes, " bytes"));
            return;
        }
    }
    send(protocol::Detokenized{detokenize.id, std::move(text)});
}

void EngineServer::handle_render(const protocol::Render& render) {
    if (!model_) return refuse(render.id, no_model());
    report_phase(protocol::Phase::Step, kTokenizeBudget);
    auto rendered = render_prompt(render, *model_);
    if (rendered && rendered->text.size() > protocol::kMaxStringBytes) {
        rendered = fail(ErrorCode::PromptTooLong, "messages: their prompt has more than ", protocol::kMaxStringBytes,
                        " bytes");
    }
    if (!rendered) return refuse(render.id, rendered.error());
    rendered->text = base::to_clean_text(rendered->text);
    send(*rendered);
}

void EngineServer::handle_pace(const protocol::SetPace& pace) {
    if (pace.duty_cycle_percent == 0 || pace.duty_cycle_percent > protocol::kFullDutyCycle) {
        leave(Leave::Broken, base::concat("SetPace.duty_cycle_percent: ", pace.duty_cycle_percent,
                                          " is not in the range 1 to ", protocol::kFullDutyCycle));
        return;
    }
    duty_cycle_.set_percent(pace.duty_cycle_percent);
    if (generator_) generator_->set_runs_ahead(duty_cycle_.is_full());
}

void EngineServer::handle_lease(const protocol::SetLease& lease) {
    const bool had_lease = std::exchange(has_lease_, lease.held);
    if (lease.held) {
        if (!had_lease) duty_cycle_.resume();
        return;
    }
    if (had_lease) {
        if (has_work()) compute(&generation::Generator::settle);
        duty_cycle_.suspend();
    }
    send(protocol::LeaseReleased{});
}

void EngineServer::send(const protocol::Message& message) {
    if (leave_) return;
    if (const auto encoded = protocol::encode(message, unsent_); !encoded) {
        leave(Leave::Broken, encoded.error().message);
    }
}

// Blocking is safe: llmd is an event loop that always reads, and a dead one closes the socket.
void EngineServer::flush() {
    std::string_view rest = unsent_;
    while (!rest.empty() && !leave_) {
        const ssize_t n = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (n >= 0) {
            rest.remove_prefix(static_cast<size_t>(n));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            pollfd waiting{socket_.get(), POLLOUT, 0};
            ::poll(&waiting, 1, -1);
        } else if (errno == EPIPE || errno == ECONNRESET) {
            leave(Leave::PeerGone, "");
        } else if (errno != EINTR) {
            leave(Leave::Broken, base::fail_errno(ErrorCode::Failed, "send", errno).message);
        }
    }
    unsent_.clear();
}

void EngineServer::refuse(uint64_t id, const base::Error& error, uint32_t prompt_tokens) {
    send(protocol::Refused{id, error.code, error.message, prompt_tokens});
}

void EngineServer::report_pages() {
    if (!generator_) return;
    const auto pages = generator_->page_counts();
    if (std::exchange(pages_, pages) != pages) send(protocol::Pages{pages.used, pages.cached, pages.total});
}

void EngineServer::report_phase(protocol::Phase phase, milliseconds budget) {
    quiet_phase_ = budget.count() == 0 ? std::optional(phase) : std::nullopt;
    step_reported_ = false;
    send(protocol::PhaseChange{phase, static_cast<uint32_t>(budget.count())});
    flush();
}

void EngineServer::leave(Leave leave, std::string reason) {
    if (leave_) return;
    leave_ = leave;
    reason_ = std::move(reason);
}

bool EngineServer::before(generation::LoadStage stage, milliseconds budget) {
    const bool builds = stage == generation::LoadStage::Build;
    report_phase(builds ? protocol::Phase::KernelBuild : protocol::Phase::Load, budget);
    return !leave_;
}

void EngineServer::on_uploaded(uint64_t bytes, uint64_t total_bytes) {
    const double share = static_cast<double>(bytes) / static_cast<double>(total_bytes);
    report_progress(static_cast<uint32_t>(share * kWholePerMille));
}

void EngineServer::report_progress(uint32_t per_mille) {
    const bool is_last = per_mille >= kWholePerMille && load_per_mille_ < kWholePerMille;
    if (per_mille < load_per_mille_ + kProgressPerMille && !is_last) return;
    load_per_mille_ = per_mille;
    send(protocol::LoadProgress{per_mille});
}

void EngineServer::on_started(uint64_t id, uint32_t cached_tokens) {
    send(protocol::Started{id, cached_tokens});
    report_pages();
}

void EngineServer::on_device(const compute::ChosenDevice& device) {
    send(protocol::DeviceChosen{static_cast<protocol::BackendKind>(device.kind), device.name, device.driver});
    flush();  // its driver may end this process at once
}

void EngineServer::on_prefill(uint64_t id, uint32_t position) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_progress_) return;
    next_progress_ = now + kProgressInterval;
    send(protocol::Tokens{.id = id, .ids = {}, .parts = {}, .position = position});
}

void EngineServer::on_token(uint64_t id, int32_t token, std::string text, uint32_t position,
                            const generation::TokenLogprobs* logprobs) {
    protocol::Tokens tokens;
    tokens.id = id;
    tokens.ids = {token};
    tokens.bytes = text.size();
    tokens.parts = answers_.at(id)->feed(text);
    tokens.position = position;
    if (logprobs != nullptr) {
        auto& told = tokens.logprobs.emplace_back();
        told.chosen = spelled(logprobs->chosen);
        for (const auto& one : logprobs->top) told.top.push_back(spelled(one));
    }
    send(tokens);
}

protocol::TokenLogprob EngineServer::spelled(const generation::TokenLogprob& token) const {
    protocol::TokenLogprob spelled{token.id, token.logprob, {}};
    model_->tokenizer->append_bytes(token.id, spelled.bytes);
    return spelled;
}

void EngineServer::on_finished(uint64_t id, const generation::Finish& finish) {
    protocol::Finished finished;
    finished.id = id;
    if (const auto* error = std::get_if<base::Error>(&finish.how)) {
        finished.reason = protocol::FinishReason::Error;
        finished.code = error->code;
        finished.message = error->message;
    } else {
        const bool stop = std::get<generation::End>(finish.how) == generation::End::Stop;
        finished.reason = stop ? protocol::FinishReason::Stop : protocol::FinishReason::Length;
    }
    const auto answer = answers_.extract(id);
    AnswerSyntax& syntax = *answer.mapped();
    finished.bytes = finish.text.size();
    finished.parts = syntax.feed(finish.text);
    const bool ended_itself = finished.reason == protocol::FinishReason::Stop;
    for (protocol::AnswerPart& part : syntax.finish(ended_itself)) finished.parts.push_back(std::move(part));
    finished.notes = syntax.last_notes();
    finished.stop = finish.stop;
    if (ended_itself && syntax.ends_with_call()) finished.reason = protocol::FinishReason::ToolCalls;
    finished.embedding = finish.embedding;
    finished.prefill_tokens = finish.costs.prefill_tokens;
    finished.prefill_us = static_cast<uint64_t>(finish.costs.prefill_time.count());
    finished.decode_tokens = finish.costs.decode_tokens;
    finished.decode_us = static_cast<uint64_t>(finish.costs.decode_time.count());
    finished.drafted_tokens = finish.costs.drafted;
    finished.accepted_tokens = finish.costs.accepted;
    report_pages();  // first, so that the page counts are up to date when the answer arrives
    send(finished);
}

}  // namespace llmd::engine
