#!/usr/bin/env python3
"""Measures the model on the test sets of phone_text: phrasings and slot values that the training never sees. Greedy.

    evaluate.py --model FILE.gguf                through the real llmd, with tools; LLMD_BUILD names the build directory
    evaluate.py --checkpoint checkpoint.pt --tokenizer tokenizer.json     through PyTorch, where there is a GPU and no llmd

The set "by hand" is by_hand.json, if there is one: requests by somebody who has not seen the generator. It is a list of
{"id", "system", "tools": [names of tools.json], "messages", "expect", "also"}; "expect" is {"calls": [{"name", "arguments"}]}, {"ask": text},
{"refuse": true} or {"extract": value, "schema": schema}, and "also" lists other calls or values that are as right. Whether a question or a
refusal is the wanted one is not measured, only that it is a sentence and no call. A system message that states a day is given in the
words that the README asks for.

Prints one line a figure and, with --wrong N, the first wrong answers of each set.
"""
import argparse
import datetime
import http.client
import json
import os
import re
import shutil
import socket
import sys
import time

from phone_text import generate, times

MOST_TOKENS = {"tale": 420, "several": 200, **dict.fromkeys(generate.EXTRACTIONS, 200)}
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def questions(samples):
    """(messages, tools, schema, expected message) of every answer that is measured."""
    for sample in samples:
        messages = sample["messages"]
        for i, message in enumerate(messages):
            if message["role"] == "assistant" and (i + 1 == len(messages) or "last" not in sample):
                yield messages[:i], sample.get("tools", []), sample.get("schema"), message, sample


def calls_of(message):
    calls = []
    for call in message.get("tool_calls") or ():
        try:
            arguments = json.loads(call["function"]["arguments"])
        except ValueError:  # cut off at the most tokens
            arguments = None
        calls.append((call["function"]["name"], arguments))
    return calls


# ---- requests by hand -----------------------------------------------------------------------------------------------------------------
def by_hand(path):
    """The requests of the file as samples: what is expected of one is its last message, and "also" says what else is right."""
    with open(os.path.join(HERE, "tools.json")) as file:
        table = {tool["function"]["name"]: tool for tool in json.load(file)}
    with open(path) as file:
        requests = json.load(file)
    samples = []
    for request in requests:
        messages, expect = list(request["messages"]), request["expect"]
        if "system" in request:
            day = re.search(r"\d{4}-\d\d-\d\d", request["system"])
            clock = re.search(r"\d\d:\d\d", request["system"])
            system = times.calendar(datetime.date.fromisoformat(day[0]), clock and clock[0]) if day else request["system"]
            messages.insert(0, {"role": "system", "content": system})
        kind = next(iter(set(expect) - {"schema"}))
        wanted = {"role": "assistant", "content": "", "kind": kind}
        if kind == "calls":
            wanted["tool_calls"] = [{"function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}} for call in expect["calls"]]
        elif kind == "extract":
            wanted["content"] = json.dumps(expect["extract"])
            if "Schema:" not in messages[-1]["content"]:
                messages[-1] = {"role": "user", "content": f"Take the facts out of the text.\nSchema: {json.dumps(expect['schema'])}\nText: {messages[-1]['content']}"}
        else:
            wanted["content"] = expect[kind] if isinstance(expect[kind], str) else ""
        samples.append({"kind": "by hand", "messages": [*messages, wanted], "tools": [table[name] for name in request.get("tools", ())], "schema": expect.get("schema"),
                        "id": request["id"], "also": request.get("also", []), "last": True})
    return samples


def plain(value):
    """A value without what nobody would call wrong: case, an article, the stop at the end of a text."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return re.sub(r"^(the|a|an|my) ", "", value.lower().strip().rstrip(".!")) if isinstance(value, str) else value


def judge_by_hand(expected, answer, sample):
    kind, calls = expected["kind"], [list(call) for call in answer["calls"]]
    content = answer["content"].strip()
    said = bool(content) and not calls and answer["finished"]
    if kind == "calls":
        rights = [[[call["name"], call["arguments"]] for call in also] for also in [
            [{"name": name, "arguments": arguments} for name, arguments in calls_of(expected)], *sample["also"]]]
        exact = calls in rights
        near = plain(calls) in plain(rights)
    elif kind == "extract":
        try:
            value = json.loads(content)
        except ValueError:
            value = None
        rights = [json.loads(expected["content"]), *sample["also"]]
        exact = value in rights
        near = plain(value) in plain(rights)
    else:
        exact = near = said and (kind == "refuse" or content.endswith("?"))
    return {"by hand: right": exact, "by hand: right but for case, articles and stops": near, f"by hand, {kind}: right": exact}


SHE, HE = {"she", "her", "hers", "herself"}, {"he", "him", "his", "himself"}


def judge_tale(text, finished, wanted):
    words = re.findall(r"[a-z'-]+", text.lower())
    found = set(words)
    named = all(wanted[key] is None or wanted[key].lower() in text.lower() for key in ("hero", "place", "thing")) and \
        (wanted["hero"] is not None or wanted["role"] is None or wanted["role"] in text.lower())
    own = {"she": SHE, "he": HE, "it": {"it", "its"}}[wanted["pronoun"]]
    others = (SHE | HE) - own
    if wanted["role"] is None:  # any hero: one pronoun
        kept = not (found & SHE and found & HE)
    else:
        kept = bool(found & own) and not found & others
    return {"tale: hero, place and thing named": named, "tale: ended within 220 words": finished and len(words) <= 220,
            "tale: 80 to 200 words": 80 <= len(words) <= 200, "tale: pronouns kept": kept}


def judge(name, expected, answer, sample):
    """figure -> whether it is right. An answer has content, calls and finished."""
    kind = expected["kind"]
    calls, wanted = answer["calls"], calls_of(expected)
    content = answer["content"].strip()
    said = bool(content) and not calls and answer["finished"]
    if name == "by hand":
        return judge_by_hand(expected, answer, sample)
    if name == "bad input":
        return {"bad input: a sentence": said, f"bad input, {kind}: a sentence": said}
    if name == "no answer" and kind in ("missing", "cancelled"):
        if expected is next(message for message in sample["messages"] if message["role"] == "assistant"):  # what "missing" measures
            return {}
        return {"no answer: no call": said and (kind == "cancelled" or content.endswith("?"))}
    if name in ("call", "several", "odd tools", "switches") or kind == "completed":
        label = {"missing": "completed after a question", "no answer": "completed after no answer"}[name] if kind == "completed" else name
        return {f"{label}: whole call exact": calls == wanted, f"{label}: name": [c[0] for c in calls] == [c[0] for c in wanted]}
    if name == "missing":
        return {"missing: asked": said and content.endswith("?"), "missing: the right question": said and content == expected["content"]}
    if name in ("refusal", "bad time"):
        return {f"{name}: refused": said, f"{name}: the right sentence": said and content == expected["content"]}
    if name in generate.EXTRACTIONS:
        try:
            value = json.loads(content)
        except ValueError:
            value = None
        return {f"{name}: exact": value == json.loads(expected["content"]), f"{name}: JSON": value is not None}
    if name == "tale":
        return judge_tale(content, answer["finished"], sample["wanted"])
    return {"talk: no call": said, "talk: the right sentence": said and content == expected["content"]}


# ---- through llmd ---------------------------------------------------------------------------------------------------------------------
class Socket(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("llmd", timeout=300)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Llmd:
    def __init__(self, model):
        os.environ.setdefault("LLMD_SOURCE", SOURCE)
        os.environ.setdefault("LLMD_BUILD", os.path.join(SOURCE, "build"))
        sys.path.insert(0, os.path.join(SOURCE, "tests", "integration"))
        import harness
        self.bus = harness.PrivateBus()
        shutil.copyfile(model, self.bus.path("data/llmd/models/trained.gguf"))
        self.daemon = harness.Daemon(self.bus)
        self.connection = Socket(self.bus.path("runtime/llmd/llmd.sock"))

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        data = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {data}")
        return data

    def answer(self, name, messages, tools, schema):
        body = {"model": "trained", "temperature": 0, "max_tokens": MOST_TOKENS.get(name, 120),
                "messages": [{k: v for k, v in m.items() if k != "kind"} for m in messages]}
        if tools:
            body["tools"] = tools
        if schema:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "facts", "schema": schema}}
        try:
            choice = self.post("/v1/chat/completions", body)["choices"][0]
        except RuntimeError as error:  # such as a prompt that is longer than the context: not answered, thus wrong
            print(error)
            return {"content": "", "calls": [], "finished": False}
        return {"content": choice["message"].get("content") or "", "calls": calls_of(choice["message"]), "finished": choice["finish_reason"] in ("stop", "tool_calls")}

    def answers(self, name, asked):
        return (self.answer(name, messages, tools, schema) for messages, tools, schema, _, _ in asked)

    def close(self):
        self.connection.close()
        self.daemon.stop()
        self.bus.close()


# ---- through PyTorch ------------------------------------------------------------------------------------------------------------------
CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.S)


class Torch:
    def __init__(self, checkpoint, tokenizer):
        import torch
        import train
        from phone_text.encode import Encoder
        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        if os.path.isdir(checkpoint):
            from convert import from_parts
            state = from_parts(checkpoint)
        else:
            state = torch.load(checkpoint, map_location=self.device, weights_only=True)
        def attend(q, k, v, mask):
            n = q.shape[1] // k.shape[1]
            return torch.nn.functional.scaled_dot_product_attention(q, k.repeat_interleave(n, 1), v.repeat_interleave(n, 1), is_causal=True)
        self.model = train.Model(state["shape"], state["n_vocab"], attend, 2048).to(self.device)
        self.model.load_state_dict({name: tensor.float() for name, tensor in state["model"].items()})
        self.encoder = Encoder(tokenizer)
        self.end = self.encoder.special["<|im_end|>"]

    def logits(self, ids, at):
        model, torch = self.model, self.torch
        x = model.embed_tokens(ids)
        t = ids.shape[1]
        for layer in model.layers:
            x = layer(x, model.cos[:t], model.sin[:t], None, model.attend)
        x = model.norm(x[torch.arange(len(at), device=x.device), at])
        return torch.nn.functional.linear(x, model.embed_tokens.weight)

    def answers(self, name, asked):
        torch = self.torch
        prompts = [self.encoder.conversation(messages, tools, prompt=True)[0] for messages, tools, _, _, _ in asked]
        texts = [None] * len(prompts)
        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        for start in range(0, len(order), 128):
            batch = order[start:start + 128]
            longest = max(len(prompts[i]) for i in batch)
            most = min(MOST_TOKENS.get(name, 120), 2048 - longest)
            ids = torch.zeros((len(batch), longest + most), dtype=torch.long)
            lengths = torch.tensor([len(prompts[i]) for i in batch])
            for row, i in enumerate(batch):
                ids[row, :len(prompts[i])] = torch.tensor(prompts[i])
            ids, lengths, first = ids.to(self.device), lengths.to(self.device), lengths.clone()
            done = torch.zeros(len(batch), dtype=torch.bool, device=self.device)
            rows = torch.arange(len(batch), device=self.device)
            with torch.no_grad(), torch.autocast(self.device, torch.bfloat16):
                for _ in range(most):
                    width = (int(lengths.max()) + 63) // 64 * 64
                    token = self.logits(ids[:, :width], lengths - 1).argmax(-1)
                    ids[rows, lengths] = torch.where(done, ids[rows, lengths], token)
                    lengths += (~done).long()
                    done |= token == self.end
                    if bool(done.all()):
                        break
            for row, i in enumerate(batch):
                made = ids[row, int(first[row]):int(lengths[row])].tolist()
                finished = bool(made) and made[-1] == self.end
                texts[i] = (self.encoder.tokenizer.decode(made[:-1] if finished else made, skip_special_tokens=False), finished)
        for text, finished in texts:
            calls = []
            for call in CALL.findall(text):
                try:
                    value = json.loads(call)
                    calls.append((value["name"], value["arguments"]))
                except (ValueError, KeyError, TypeError):
                    calls.append(("broken", {}))
            yield {"content": "" if calls else text, "calls": calls, "finished": finished}

    def close(self):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", help="a GGUF file")
    parser.add_argument("--checkpoint", help="of train.py, or a directory that convert.py --parts wrote")
    parser.add_argument("--tokenizer")
    parser.add_argument("--samples", type=int, default=100, help="of each set")
    parser.add_argument("--seed", default="test")
    parser.add_argument("--sets", default="", help="the names of some, with commas between them")
    parser.add_argument("--wrong", type=int, default=0)
    parser.add_argument("--by-hand", default=os.path.join(HERE, "by_hand.json"))
    parser.add_argument("--seconds", type=float, help="begin no further set after so many")
    parser.add_argument("--json", help="write the figures into this file")
    options = parser.parse_args()
    began = time.monotonic()
    engine = Llmd(options.model) if options.model else Torch(options.checkpoint, options.tokenizer)
    figures = {}
    try:
        sets = generate.test_samples(options.seed, options.samples)
        if os.path.exists(options.by_hand):
            sets["by hand"] = by_hand(options.by_hand)
        for name, samples in sets.items():
            if options.sets and name not in options.sets.split(",") or options.seconds and time.monotonic() - began > options.seconds:
                continue
            asked = list(questions(samples))
            shown = 0
            for (messages, _, _, expected, sample), answer in zip(asked, engine.answers(name, asked)):
                right = judge(name, expected, answer, sample)
                for figure, is_right in right.items():
                    n = figures.setdefault(figure, [0, 0])
                    n[0] += is_right
                    n[1] += 1
                if not all(list(right.values())) and shown < options.wrong:
                    shown += 1
                    print(f"-- {name}: {messages[-1]['content'][-700:]}\n   wanted {calls_of(expected) or expected['content']}\n   got    {answer['calls'] or answer['content']}")
            for figure, (n, of) in figures.items():
                if figure.startswith((name + ":", name + ",")) or name == "missing" and figure.startswith("completed"):
                    print(f"{figure:48} {n:4} of {of:4}  {100 * n / of:5.1f} %", flush=True)
    finally:
        engine.close()
    if options.json:
        with open(options.json, "w") as file:
            json.dump({figure: {"right": n, "of": of} for figure, (n, of) in figures.items()}, file, indent=1)


if __name__ == "__main__":
    main()
