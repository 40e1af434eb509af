"""What engines that speak OpenAI's form answer, as the fake upstream plays them: one class an engine, one method a route.

Written after the engines' own documents and sources: vLLM 0.33 (entrypoints/openai, entrypoints/serve/tokenize), SGLang 0.5.23
(entrypoints/openai/protocol.py), exo 0.3.70 (src/exo/api) and mlx-lm of 2026-08 (server.py). What is silently ignored there is
silently ignored here. Those with a form of their own are in fake_engines.py.

A method gets a Call and returns a Reply. The events of a streamed reply are pairs of a kind (head, thought, token, finish, last for
a finish with a token, usage, done) and their bytes, so that the server can cut or change them at a given token."""
import itertools
import json
from dataclasses import dataclass, field

import fake_model as model

CREATED = 1790000000
N_LOGPROBS = 20


@dataclass
class Call:
    path: str
    body: dict  # {} where there was none
    fault: dict  # what the script wants done to this call; {} nothing


@dataclass
class Reply:
    body: object = None  # JSON, or bytes
    status: int = 200
    headers: dict = field(default_factory=dict)
    events: object = None  # in place of a body
    type: str = "application/json"


@dataclass
class Step:
    token: int
    text: str
    logprob: float
    top: list  # (id, logprob), the likeliest first


class Refusal(Exception):
    def __init__(self, status, body, headers=None):
        super().__init__(status)
        self.reply = Reply(body, status, headers or {})


class Text:
    """One generation: its steps, and after them why it ended."""

    def __init__(self, prompt, tokens, limit, stops, fault, n_top=0):
        self.prompt, self.tokens, self.limit, self.stops, self.fault, self.n_top = prompt, tokens, limit, stops, fault, n_top
        self.n = 0
        self.first = None  # step
        self.reason = "length"

    def steps(self):
        whole, sent, odd = b"", 0, self.fault.get("token_ids")
        limit = self.limit + self.fault.get("extra_tokens", 0)
        for token in itertools.islice(self.tokens, limit):
            self.n += 1
            if token == model.END:  # which is a token as any other, without a text
                self.reason = "stop"
                yield Step(token, "", -0.25, [(token, -0.25)])
                break
            whole += model.piece(token)
            text = whole.decode(errors="ignore")
            found = min((text.find(stop) for stop in self.stops if stop in text), default=-1)
            if found >= 0:
                self.reason = "stop"
                text = text[:found]
            # What may be the beginning of a stop text waits, as half a character does.
            elif self.n < limit:
                text = text[:len(text) - max((n for stop in self.stops for n in range(1, len(stop)) if text.endswith(stop[:n])),
                                             default=0)]
            if odd and self.n == self.fault.get("after", 0) + 1:
                token = odd[0]
            step = Step(token, text[sent:], -0.25, [(token, -0.25)] + [(model.FIRST_WORD + i, -2.0 - i) for i in range(self.n_top - 1)])
            self.first = self.first or step
            yield step
            sent = max(sent, len(text))
            if found >= 0:
                break
        self.reason = self.fault.get("finish_reason", self.reason)

    def usage(self, **more):
        counted = {"prompt_tokens": len(self.prompt), "completion_tokens": self.n, "total_tokens": len(self.prompt) + self.n}
        return {**counted, **more, **self.fault.get("usage", {})}


def sse(kind, value):
    return kind, b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"


def as_prompts(messages):
    """Contents as text: a list of parts is joined."""
    return [dict(m, content="".join(p.get("text", "") for p in m["content"])) if isinstance(m.get("content"), list) else m
            for m in messages]


class OpenAi:
    """The form that all share: Ray Serve, gateways and proxies have this and nothing else."""
    owner = "openai"
    parameters = {"max_tokens", "temperature", "top_p", "seed"}
    reasoning = "reasoning_content"
    gives_ids = False
    usage_in_finish = False  # unasked, in the event with the finish_reason
    finish_has_token = False  # the event with the finish_reason has the last token's text and id
    default_tokens = 16
    parses_specials = True
    may_be_unlisted = False
    open_paths = {"/health"}  # without a key
    pings = None  # seconds between comments

    def __init__(self, script):
        self.script = script
        self.n_ctx = script.get("n_ctx", 4096)
        self.embeds = script.get("embeddings", False)
        self.serial = itertools.count(1)

    # --- what the script says ---

    def models(self):
        names = self.script.get("models", ["tales"])
        return itertools.chain(names, (f"model-{i}" for i in range(self.script.get("more_models", 0))))

    def find(self, name):
        if not self.may_be_unlisted and not self.script.get("serves_unlisted") and name not in self.models():
            raise Refusal(404, self.unknown_model(name))

    def error(self, status, kind, message):
        return {"error": {"message": message, "type": kind, "param": None, "code": status}}

    def unknown_model(self, name):
        return self.error(404, "NotFoundError", f"The model `{name}` does not exist.")

    def unauthorized(self):
        return Reply({"error": "Unauthorized"}, 401)

    def refuse(self, message, status=400, kind="BadRequestError"):
        raise Refusal(status, self.error(status, kind, message))

    # --- what is asked for ---

    def seed(self, body):
        return body.get("seed")

    def chance(self, body):
        """On what the text depends beside the ids; None: it is greedy. A temperature that was not sent is the model's own."""
        if body.get("temperature", 0.7) == 0 or body.get("top_k") == 1:
            return None
        heard = {name: body.get(name) for name in sorted(self.parameters - {"max_tokens", "n_predict", "seed"})}
        return json.dumps([heard, self.seed(body)])

    def schema(self, body):
        wanted = body.get("response_format") or {}
        return wanted.get("json_schema", {}).get("schema") if wanted.get("type") == "json_schema" else None

    def check(self, body):
        self.find(body.get("model"))

    def fits(self, prompt, limit):
        if len(prompt) >= self.n_ctx or (limit is not None and len(prompt) + limit > self.n_ctx):
            self.refuse(f"This model's maximum context length is {self.n_ctx} tokens. However, you requested {limit} output tokens and "
                        f"your prompt contains {len(prompt)} input tokens.")

    def text(self, call, prompt, body, limit, chance, schema, n_top=0):
        self.fits(prompt, limit)
        if limit is None:
            limit = self.default_tokens or self.n_ctx
        limit = min(limit, self.n_ctx - len(prompt))
        if schema is not None and call.fault.get("schema") != "ignore":
            tokens = iter(model.fitting(schema))
        else:
            tokens = model.generate(prompt, chance)
        ends_at = self.script.get("ends_at")  # so many ids, prompt included, after which the text is at its end
        if ends_at is not None:
            tokens = itertools.chain(itertools.islice(tokens, max(0, ends_at - len(prompt))), [model.END])
        if "echo" in call.fault:
            tokens = itertools.chain(model.tokenize(call.fault["echo"]), tokens)
        stops = body.get("stop") or []
        return Text(prompt, tokens, limit, [stops] if isinstance(stops, str) else stops, call.fault, n_top)

    def prompt_of(self, body):
        prompt = body.get("prompt", "")
        if isinstance(prompt, list):
            self.refuse("this server takes text only")
        return model.tokenize(prompt, add_special=True, parse_special=self.parses_specials)

    def chat_ids(self, body):
        messages = as_prompts(body.get("messages", []))
        continues = body.get("continue_final_message", self.continues(messages))
        return model.tokenize(model.render(messages, body.get("add_generation_prompt", True), continues), True, self.parses_specials)

    def continues(self, _messages):
        return False

    # --- routes ---

    def routes(self):
        return {("GET", "/v1/models"): self.list_models, ("POST", "/v1/completions"): self.completions,
                ("POST", "/v1/chat/completions"): self.chat, ("POST", "/v1/embeddings"): self.embeddings,
                ("GET", "/health"): lambda _call: Reply(b"")}

    def entry(self, name):
        return {"id": name, "object": "model", "created": CREATED, "owned_by": self.owner}

    def list_models(self, _call):
        return Reply({"object": "list", "data": [self.entry(name) for name in self.models()]})

    def embeddings(self, call):
        if not self.embeds:
            self.refuse("Not Found", 404, "NotFoundError")
        self.check(call.body)
        inputs = call.body["input"]
        inputs = [inputs] if isinstance(inputs, str) or isinstance(inputs[0], int) else inputs
        ids = [model.tokenize(text, True) if isinstance(text, str) else text for text in inputs]
        data = [{"object": "embedding", "index": i, "embedding": model.embedding(each)} for i, each in enumerate(ids)]
        n = sum(map(len, ids))
        return Reply({"object": "list", "data": data, "model": call.body["model"], "usage": {"prompt_tokens": n, "total_tokens": n}})

    def completions(self, call):
        body = call.body
        self.check(body)
        text = self.text(call, self.prompt_of(body), body, body.get("max_tokens"), self.chance(body), self.schema(body),
                         int(body.get("logprobs") or 0))
        return self.answer(call, text, "text_completion", self.completion_choice, first=None)

    def chat(self, call):
        body = call.body
        self.check(body)
        limit = body.get("max_completion_tokens", body.get("max_tokens"))
        n_top = int(body.get("top_logprobs") or 0) if body.get("logprobs") else 0
        text = self.text(call, self.chat_ids(body), body, limit, self.chance(body), self.schema(body), n_top)
        return self.answer(call, text, "chat.completion", self.chat_choice, first={"role": "assistant", "content": ""})

    def completion_choice(self, body, text, step):
        choice = {"index": 0, "text": step.text if step else "", "logprobs": None, "finish_reason": None}
        if step and body.get("logprobs") is not None:
            choice["logprobs"] = self.old_logprobs([step])
        if self.gives_ids and body.get("return_token_ids"):
            choice["token_ids"] = [step.token] if step else []
            if step is not None and text.first is step:
                choice["prompt_token_ids"] = text.prompt
        return choice

    def chat_choice(self, body, text, step):
        choice = {"index": 0, "delta": {"content": step.text} if step else {}, "logprobs": None, "finish_reason": None}
        if step and body.get("logprobs"):
            choice["logprobs"] = {"content": [self.new_logprob(step)]}
        if self.gives_ids and body.get("return_token_ids"):
            choice["token_ids"] = [step.token] if step else []
        return choice

    def old_logprobs(self, steps):
        def name(token):
            return f"token_id:{token}"
        return {"tokens": [name(s.token) for s in steps], "token_logprobs": [s.logprob for s in steps], "text_offset": [0] * len(steps),
                "top_logprobs": [{name(t): value for t, value in s.top} for s in steps]}

    def new_logprob(self, step):
        def entry(token, value):
            text = model.piece(token)
            return {"token": text.decode(errors="replace"), "logprob": value, "bytes": list(text)}
        return {**entry(step.token, step.logprob), "top_logprobs": [entry(*each) for each in step.top]}

    def answer(self, call, text, kind, choice_of, first):
        body = call.body
        frame = {"id": f"cmpl-{next(self.serial)}", "object": kind, "created": CREATED, "model": body.get("model")}
        if not body.get("stream"):
            steps = list(text.steps())
            choice = choice_of(body, text, None)
            whole = "".join(step.text for step in steps)
            if "delta" in choice:
                choice.pop("delta")
                choice["message"] = {"role": "assistant", "content": whole}
                if "thinks" in call.fault:
                    choice["message"][self.reasoning] = call.fault["thinks"]
            else:
                choice["text"] = whole
            if "token_ids" in choice:
                choice.update(token_ids=[step.token for step in steps], prompt_token_ids=text.prompt)
            choice["finish_reason"] = text.reason
            return Reply({**frame, "choices": [choice], "usage": text.usage()})
        return Reply(events=self.events(call, text, dict(frame, object=kind.replace("chat.completion", "chat.completion.chunk")),
                                        choice_of, first), type="text/event-stream")

    def events(self, call, text, frame, choice_of, first):
        body = call.body
        options = body.get("stream_options") or {}
        each = {"usage": text.usage()} if options.get("continuous_usage_stats") else {}
        if first is not None:
            yield sse("head", {**frame, "choices": [{"index": 0, "delta": first, "finish_reason": None}], **each})
        for thought in call.fault.get("thinks", "").split():
            text.n += 1
            yield sse("thought", {**frame, "choices": [{"index": 0, "delta": {self.reasoning: thought + " "}, "finish_reason": None}]})
        def event(kind, step, usage, reason=None):
            usage = {"usage": usage} if each or (reason and self.usage_in_finish) else {}
            return sse(kind, {**frame, "choices": [dict(choice_of(body, text, step), finish_reason=reason)], **usage})

        last = None
        merges = self.finish_has_token and "no_finish" not in call.fault
        for step in text.steps():
            if last:
                yield event("token", *last)
            last = (step, text.usage())
            if not merges:
                yield event("token", *last)
                last = None
        yield event("last" if last else "finish", last and last[0], text.usage(), text.reason)
        if options.get("include_usage") and not self.usage_in_finish:
            yield sse("usage", {**frame, "choices": [], "usage": text.usage()})
        yield sse("done", b"[DONE]")

    def error_events(self, error, done):
        """An error in the middle of a stream, whose status said 200."""
        yield sse("error", error)
        if done:
            yield sse("done", b"[DONE]")


class Vllm(OpenAi):
    owner = "vllm"
    finish_has_token = True
    parameters = {"max_tokens", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "presence_penalty",
                  "frequency_penalty", "seed"}
    reasoning = "reasoning"
    gives_ids = True
    open_paths = {"/health", "/version", "/tokenize", "/detokenize", "/metrics"}

    def routes(self):
        return {**super().routes(), ("GET", "/version"): lambda _call: Reply({"version": self.script.get("version", "0.33.0")}),
                ("POST", "/tokenize"): self.tokenize, ("POST", "/detokenize"): self.detokenize}

    def entry(self, name):
        return {**super().entry(name), "root": name, "parent": None, "max_model_len": self.n_ctx, "permission": []}

    def prompt_of(self, body):
        prompt = body.get("prompt", "")
        if not isinstance(prompt, list):
            return super().prompt_of(body)
        if any(not isinstance(token, int) or not 0 <= token < model.N_VOCAB for token in prompt):
            self.refuse("token id is out of vocabulary")
        return prompt

    def check(self, body):
        super().check(body)
        if body.get("priority") and not self.script.get("priorities"):
            self.refuse("priority must be 0 without priority scheduling")
        if not 1 <= len(body.get("cache_salt", "x")) <= 1024:
            self.refuse("cache_salt must have 1 to 1024 characters")
        if int(body.get("top_logprobs") or 0) > N_LOGPROBS or int(body.get("logprobs") or 0) > N_LOGPROBS:
            self.refuse(f"at most {N_LOGPROBS} log-probabilities")

    def schema(self, body):
        return (body.get("structured_outputs") or {}).get("json") or super().schema(body)

    def tokenize(self, call):
        body = call.body
        if "messages" in body:
            ids = self.chat_ids({"continue_final_message": False, **body})
        else:
            ids = model.tokenize(body["prompt"], body.get("add_special_tokens", True), self.parses_specials)
        return Reply({"count": len(ids), "max_model_len": self.n_ctx, "tokens": ids, "token_strs": None})

    def detokenize(self, call):
        return Reply({"prompt": model.detokenize(call.body["tokens"])})


class Sglang(Vllm):
    owner = "sglang"
    reasoning = "reasoning_content"
    open_paths = {"/health"}

    def routes(self):
        routes = super().routes()
        routes.pop(("GET", "/version"))
        return {**routes, ("GET", "/server_info"): lambda _call: Reply({"version": self.script.get("version", "0.5.23"),
                                                                       "model_path": next(self.models()), "max_total_num_tokens": 99999}),
                ("POST", "/v1/tokenize"): self.tokenize, ("POST", "/v1/detokenize"): self.detokenize}

    may_be_unlisted = True

    def entry(self, name):
        entry = super().entry(name)
        entry.pop("permission")
        return entry

    def error(self, status, kind, message):
        return {"object": "error", "message": message, "type": kind, "param": None, "code": status}

    def seed(self, _body):
        return None  # without deterministic inference

    def check(self, body):
        super().check({**body, "priority": 0})
        if body.get("top_k") == 0:
            self.refuse("top_k must be -1 (disable), or at least 1, got 0.")
        if not 0 < body.get("repetition_penalty", 1) <= 2:
            self.refuse("repetition_penalty must be in (0, 2]")

    def schema(self, body):
        return json.loads(body["json_schema"]) if body.get("json_schema") else super().schema(body)

    def chat_ids(self, body):
        return body.get("input_ids") or super().chat_ids(body)

    def tokenize(self, call):
        """Older ones (serving_tokenize.py of 2025) know texts only."""
        if "prompt" not in call.body and self.script.get("tokenizes_texts_only"):
            self.refuse("prompt: Field required")
        reply = super().tokenize(call)
        reply.body.pop("token_strs")
        reply.body["max_model_len"] = -1  # the tokenizer's, where it has one
        return reply

    def detokenize(self, call):
        return Reply({"text": model.detokenize(call.body["tokens"])})


class Exo(OpenAi):
    """Chats only, always with a new turn of the assistant; `response_format` is taken and dropped."""
    owner = "exo"
    parameters = {"max_tokens", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "seed"}
    usage_in_finish = finish_has_token = True
    default_tokens = None
    pings = 10
    pings_at_once = True
    open_paths = None  # it knows no keys

    def routes(self):
        routes = super().routes()
        for path in ("/v1/completions", "/v1/embeddings"):
            routes.pop(("POST", path))
        return {**routes, ("GET", "/node_id"): lambda _call: Reply("12D3KooWFake"), ("GET", "/state"): lambda _call: Reply({"instances": {}})}

    def unknown_model(self, name):
        return self.error(404, "Not Found", f"No instance found for model {name}")

    def schema(self, _body):
        return None


class Mlx(Exo):
    owner = "mlx"
    default_tokens = 512

    def routes(self):
        routes = OpenAi.routes(self)
        routes.pop(("POST", "/v1/embeddings"))
        return routes
