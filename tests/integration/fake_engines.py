"""All engines that the fake upstream plays, and those of them that have routes of their own beside OpenAI's.

Written after llama.cpp 0.7.0 (tools/server) and Ollama of 2026-08 (api/types.go, openai/openai.go, server/routes.go)."""
import json

import fake_model as model
from fake_openai import Call, Exo, Mlx, OpenAi, Refusal, Reply, Sglang, Vllm, as_prompts, sse

SEED_BITS = 32  # of llama.cpp's generator


class LlamaServer(OpenAi):
    owner = "llamacpp"
    parameters = {"n_predict", "temperature", "top_k", "top_p", "min_p", "repeat_penalty", "presence_penalty", "frequency_penalty",
                  "repeat_last_n", "seed"}
    default_tokens = None
    may_be_unlisted = True  # one model: whatever name
    pings = 30

    def routes(self):
        return {**super().routes(), ("GET", "/props"): self.props, ("POST", "/tokenize"): self.tokenize,
                ("POST", "/detokenize"): lambda call: Reply({"content": model.detokenize(call.body["tokens"])}),
                ("POST", "/apply-template"): lambda call: Reply({"prompt": model.render(
                    as_prompts(call.body["messages"]), call.body.get("add_generation_prompt", True),
                    self.continues(call.body["messages"]))}),
                ("POST", "/completion"): self.completion, ("POST", "/completions"): self.completion,
                ("GET", "/health"): lambda _call: Reply({"status": "ok"})}

    def error(self, status, kind, message):
        return {"error": {"code": status, "message": message, "type": kind}}

    def unknown_model(self, name):
        return self.error(400, "invalid_request_error", f"model '{name}' not found")

    def unauthorized(self):
        return Reply(self.error(401, "authentication_error", "Invalid API Key"), 401)

    def find(self, name):
        router = self.script.get("router")
        if router is not None and name not in router:
            raise Refusal(400, self.unknown_model(name))

    def models(self):
        return iter(self.script.get("router") or super().models())

    def entry(self, name):
        entry = {**super().entry(name), "aliases": [], "tags": [],
                 "meta": {"vocab_type": 2, "n_vocab": model.N_VOCAB, "n_ctx": self.n_ctx, "n_ctx_train": 2 * self.n_ctx, "n_embd": 8,
                          "n_params": 1000, "size": 1000}}
        if "router" in self.script:
            entry["status"] = {"value": self.script["router"][name]}
        return entry

    def props(self, _call):
        return Reply({"build_info": self.script.get("version", "b11669-fake"), "total_slots": self.script.get("slots", 4),
                      "model_path": "/models/tales.gguf", "chat_template": "{{ messages }}",
                      "default_generation_settings": {"n_ctx": self.n_ctx}})

    def tokenize(self, call):
        body = call.body
        ids = model.tokenize(body.get("content", ""), body.get("add_special", False), body.get("parse_special", True))
        if body.get("with_pieces"):
            return Reply({"tokens": [{"id": token, "piece": model.detokenize([token])} for token in ids]})
        return Reply({"tokens": ids})

    def continues(self, messages):
        return bool(messages) and messages[-1]["role"] == "assistant"

    def embeddings(self, call):
        if not self.embeds:
            self.refuse("This server does not support embeddings. Start it with `--embeddings`", 501, "not_supported_error")
        reply = super().embeddings(call)
        for each in reply.body["data"]:
            length = sum(number * number for number in each["embedding"]) ** 0.5
            each["embedding"] = [number / length for number in each["embedding"]]
        return reply

    def seed(self, body):
        seed = body.get("seed", -1) % (1 << SEED_BITS)
        return None if seed == (1 << SEED_BITS) - 1 else seed  # a random one; here always the same

    def fits(self, prompt, _limit):
        if len(prompt) >= self.n_ctx:
            error = self.error(400, "exceed_context_size_error", f"request ({len(prompt)} tokens) exceeds the available context size "
                               f"({self.n_ctx} tokens), try increasing it")
            error["error"].update(n_prompt_tokens=len(prompt), n_ctx=self.n_ctx)
            raise Refusal(400, error)

    def prompt_of(self, body):
        prompt = body.get("prompt", "")
        return prompt if isinstance(prompt, list) else super().prompt_of(body)

    def schema(self, body):
        return body.get("json_schema")

    def completions(self, call):
        self.usage_in_finish = True
        return super().completions(Call(call.path, {**call.body, "response_format": None}, call.fault))

    def chat(self, call):
        self.usage_in_finish = False
        return super().chat(Call(call.path, {**call.body, "json_schema": OpenAi.schema(self, call.body)}, call.fault))

    def completion(self, call):
        """The native route, the only one that gives ids."""
        body = call.body
        self.check(body)
        limit = body.get("n_predict", body.get("max_tokens", -1))
        text = self.text(call, self.prompt_of(body), body, None if limit < 0 else limit, self.chance(body), self.schema(body),
                         body.get("n_probs", 0))
        if not body.get("stream"):
            steps = list(text.steps())
            ids = [step.token for step in steps] if body.get("return_tokens") else []
            return Reply({**self.last(call, text), "content": "".join(step.text for step in steps), "tokens": ids})
        return Reply(events=self.native_events(call, text), type="text/event-stream")

    def native_events(self, call, text):
        for step in text.steps():
            event = {"index": 0, "content": step.text, "tokens": [step.token], "stop": False, "id_slot": 0,
                     "tokens_predicted": text.n, "tokens_evaluated": len(text.prompt)}
            if call.body.get("timings_per_token"):
                event["timings"] = {"cache_n": len(text.prompt) - 1, "prompt_n": 1}  # it has kept what it computed
            if call.body.get("n_probs"):
                def entry(token, value):
                    return {"id": token, "token": model.detokenize([token]), "bytes": list(model.piece(token)), "logprob": value}
                event["completion_probabilities"] = [{**entry(step.token, step.logprob), "top_logprobs": [entry(*t) for t in step.top]}]
            yield sse("token", event)
        yield sse("finish", self.last(call, text))

    def last(self, call, text):
        kinds = {"length": "limit", "stop": "word" if text.stops else "eos"}
        usage = text.usage()
        return {"index": 0, "content": "", "tokens": [], "id_slot": 0, "stop": True, "model": "tales", "truncated": False,
                "tokens_predicted": usage["completion_tokens"], "tokens_evaluated": usage["prompt_tokens"],
                "tokens_cached": usage["total_tokens"] - 1, "stop_type": kinds.get(text.reason, text.reason), "stopping_word": "",
                "timings": {"cache_n": call.fault.get("cached", 0), "prompt_n": len(text.prompt), "predicted_n": text.n}}


class Ollama(OpenAi):
    """Its own routes; the ones that look like OpenAI's lack top_k, and a raw prompt goes through the template there."""
    owner = "library"
    parameters = {"num_predict", "temperature", "top_k", "top_p", "min_p", "repeat_penalty", "repeat_last_n", "presence_penalty",
                  "frequency_penalty", "seed"}
    reasoning = "reasoning"
    default_tokens = None
    open_paths = {"/api/version"}

    def routes(self):
        return {**super().routes(), ("GET", "/api/version"): lambda _call: Reply({"version": self.script.get("version", "0.23.4")}),
                ("GET", "/api/tags"): lambda _call: Reply({"models": [self.tag(name) for name in self.models()]}),
                ("POST", "/api/show"): self.show, ("POST", "/api/generate"): self.api_generate, ("POST", "/api/chat"): self.api_chat,
                ("POST", "/api/embed"): self.embed}

    def cloud(self, name):
        host = self.script.get("cloud", {}).get(name)
        return {"remote_model": name.removesuffix("-cloud"), "remote_host": host} if host else {}

    def tag(self, name):
        return {"name": name, "model": name, "size": 1000, "digest": "0" * 64, "details": {"format": "gguf"}, **self.cloud(name)}

    def unknown_model(self, name):
        return {"error": f"model '{name}' not found"}

    def error(self, _status, _kind, message):
        return {"error": message}

    def show(self, call):
        name = call.body.get("model")
        self.find(name)
        kinds = ["embedding"] if self.embeds else ["completion"]
        return Reply({"model_info": {"general.architecture": "llama", "llama.context_length": self.n_ctx},
                      "capabilities": kinds + self.script.get("capabilities", []), "details": {"family": "tales"}, **self.cloud(name)})

    def completions(self, call):
        messages = [{"role": "user", "content": call.body.get("prompt", "")}]
        return super().completions(Call(call.path, {**call.body, "prompt": model.render(messages)}, call.fault))

    def continues(self, messages):
        return bool(messages) and messages[-1]["role"] == "assistant"

    def api_generate(self, call):
        prompt = call.body.get("prompt", "")
        if not call.body.get("raw"):
            prompt = model.render([{"role": "user", "content": prompt}])
        return self.native(call, prompt, "response", "thinking")

    def api_chat(self, call):
        messages = as_prompts(call.body.get("messages", []))
        return self.native(call, model.render(messages, continues=self.continues(messages)), "message", "thinking")

    def native(self, call, prompt, where, thinking):
        body, options = call.body, call.body.get("options", {})
        self.find(body.get("model"))
        ids = model.tokenize(prompt, True, True)
        limit = options.get("num_predict", -1)
        if len(ids) >= self.n_ctx:
            if not body.get("truncate", True):
                self.refuse("the input length exceeds the context length")
            ids = ids[:1] + ids[-(self.n_ctx // 2):]
        schema = body.get("format") if isinstance(body.get("format"), dict) else None
        text = self.text(call, ids, options, None if limit < 0 else min(limit, self.n_ctx - len(ids)), self.chance(options), schema,
                         body.get("top_logprobs", 0))
        frame = {"model": body["model"], "created_at": "2026-09-21T14:13:20Z"}

        def part(content, thought=None):
            if where == "message":
                return {"message": {"role": "assistant", "content": content, **({thinking: thought} if thought else {})}}
            return {where: content, **({thinking: thought} if thought else {})}

        def line(kind, value):
            return kind, json.dumps(value).encode() + b"\n"

        def events():
            for thought in call.fault.get("thinks", "").split():
                text.n += 1
                yield line("thought", {**frame, **part("", thought + " "), "done": False})
            for step in text.steps():
                logprobs = {"logprobs": [self.new_logprob(step)]} if body.get("logprobs") else {}
                yield line("token", {**frame, **part(step.text), "done": False, **logprobs})
            usage = text.usage()
            yield line("finish", {**frame, **part(""), "done": True, "done_reason": text.reason, "total_duration": 1,
                                  "prompt_eval_count": usage["prompt_tokens"], "eval_count": usage["completion_tokens"]})
        if body.get("stream", True):
            return Reply(events=events(), type="application/x-ndjson")
        lines = [json.loads(data) for _kind, data in events()]
        content = "".join(each["message"]["content"] if where == "message" else each[where] for each in lines)
        return Reply({**lines[-1], **part(content)})

    def embed(self, call):
        self.find(call.body.get("model"))
        if not self.embeds:
            self.refuse("this model does not support embeddings", 501)
        inputs = call.body["input"]
        ids = [model.tokenize(text, True) for text in ([inputs] if isinstance(inputs, str) else inputs)]
        return Reply({"model": call.body["model"], "embeddings": [model.embedding(each) for each in ids],
                      "prompt_eval_count": sum(map(len, ids))})

    def error_events(self, error, _done):
        yield "error", json.dumps(error).encode() + b"\n"


ENGINES = {"openai": OpenAi, "vllm": Vllm, "sglang": Sglang, "llama-server": LlamaServer, "ollama": Ollama, "exo": Exo, "mlx": Mlx}
