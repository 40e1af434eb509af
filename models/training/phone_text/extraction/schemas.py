"""The schema of an extraction: which properties, how their names are spelled, which are required or may be null; and the answer that fits it."""
import json
import re


def camel(words_):
    return words_[0] + "".join(w[:1].upper() + w[1:] for w in words_[1:])


SPELLINGS = ((lambda w: "_".join(w), 10), (camel, 5), (lambda w: "-".join(w), 0.6), (lambda w: "".join(x[:1].upper() + x[1:] for x in w), 0.6), (lambda w: "".join(w), 0.6),
             (lambda w: "_".join(w).upper(), 0.2))
_SPELL, _WEIGHTS = zip(*SPELLINGS)
TYPES = {"string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "enum": "string"}


def spelling(choose):
    return choose.rng.choices(_SPELL, _WEIGHTS)[0]


def format_of(value):
    return "YYYY-MM-DD" if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else "HH:MM" if re.fullmatch(r"\d\d:\d\d", value) else None


def schema_of(choose, asked, values, heads, labels=None):
    """Of `asked`, a dict of property -> (words of its name, type, choices or None), in the wanted order. `values` has what the text says.
    Returns the schema and the answer."""
    rng = choose.rng
    spell = spelling(choose)
    describes = labels is not None and choose.chance(0.13)
    formats = choose.chance(0.5)
    nullable = choose.chance(0.1)
    properties, answer, required, names = {}, {}, [], {}
    for key, (name, type_, more) in asked.items():
        name = spell(name.split())
        if name in properties:
            continue
        names[key] = name
        if type_ == "array":
            schema = {"type": "array", "items": more}
        else:
            schema = {"type": TYPES[type_]}
            if type_ == "enum":
                schema["enum"] = list(more)
        if nullable and type_ not in ("array", "enum") and (key not in heads or choose.chance(0.3)):
            schema["type"] = [schema["type"], "null"]
        if describes and choose.chance(0.8):
            schema["description"] = rng.choice(("The {}", "{}", "the {}", "{} of the " + rng.choice(("text", "message", "entry")))).format(labels(key))
        elif formats and isinstance(values.get(key), str) and (form := format_of(values[key])):
            schema["description"] = rng.choice((form, form, form, form, form, f"{labels(key) if labels else name.lower()}, {form}", f"as {form}", f"Date, {form}" if "Y" in form else f"24 hours, {form}", f"in the form {form}"))
        properties[name] = schema
        if key in values:
            answer[name] = values[key]
        elif nullable and isinstance(schema["type"], list):
            answer[name] = None
    p = rng.random()
    if p < 0.3:
        required = [names[k] for k in heads if k in names and names[k] in answer]
    elif p < 0.75:
        required = list(answer)
    elif p < 0.85:
        required = [name for name in answer if choose.chance(0.5)]
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if choose.chance(0.1):
        schema["additionalProperties"] = False
    return schema, answer


def nest(schema, answer, name, inner):
    """Makes of some properties an object of its own, if its name is free."""
    if len(inner) < 2 or name in schema["properties"] and name not in inner:
        return
    at = min(list(schema["properties"]).index(key) for key in inner)
    object_ = {"type": "object", "properties": {("street" if key == name else key): schema["properties"][key] for key in inner}}
    rest = [(key, value) for key, value in schema["properties"].items() if key not in inner]
    schema["properties"] = dict(rest[:at] + [(name, object_)] + rest[at:])
    found = {("street" if key == name else key): answer.pop(key) for key in inner if key in answer}
    if "required" in schema:
        schema["required"] = [key for key in schema["required"] if key not in inner] + ([name] if found and name not in schema["required"] and all(key in schema["required"] for key in inner) else [])
        if not schema["required"]:
            del schema["required"]
    if found:
        answer[name] = found
        ordered = {key: answer[key] for key in schema["properties"] if key in answer}
        answer.clear()
        answer.update(ordered)


def message(choose, ask, schema, text):
    """What the user says. The README tells applications to say it as most of these do."""
    rng = choose.rng
    p = rng.random()
    said = json.dumps(schema, ensure_ascii=False) if p < 0.88 else json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    p = rng.random()
    if p < 0.82:
        return f"{ask}\nSchema: {said}\nText: {text}"
    if p < 0.87:
        return f"{ask}\nSchema: {said}\nText:\n{text}"
    if p < 0.9:
        return f"{ask}\n\nSchema: {said}\n\nText: {text}"
    if p < 0.93:
        return f"{ask}\nText: {text}\nSchema: {said}"
    if p < 0.96:
        return f"{ask}\nSchema: {said}\nText: \"{text}\""
    return f"{ask}\nSchema: {said}\n{text}"
