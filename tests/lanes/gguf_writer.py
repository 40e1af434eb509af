"""Writes GGUF files."""
import array
import math
import struct

ALIGNMENT = 32
U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5  # types of values
TYPE_NAMES = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K",
              13: "Q5_K", 14: "Q6_K", 20: "IQ4_NL", 23: "IQ4_XS", 30: "BF16"}
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84), 11: (256, 110),
          12: (256, 144), 13: (256, 176), 14: (256, 210), 20: (32, 18), 23: (256, 136), 30: (1, 2)}  # weights and bytes


def _text(text):
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def entry(key, value):
    if isinstance(value, str):
        kind, body = STRING, _text(value)
    elif isinstance(value, bool):
        kind, body = BOOL, struct.pack("<?", value)
    elif isinstance(value, float):
        kind, body = F32, struct.pack("<f", value)
    elif isinstance(value, int):
        kind, body = U32, struct.pack("<I", value)
    else:
        element = {str: STRING, bool: BOOL, int: I32, float: F32}[type(value[0])]
        codes = {BOOL: "b", I32: "i", F32: "f"}
        items = b"".join(map(_text, value)) if element == STRING else array.array(codes[element], value).tobytes()
        kind, body = ARRAY, struct.pack("<IQ", element, len(value)) + items
    return _text(key) + struct.pack("<I", kind) + body


def size_of(shape, kind):
    weights, size = BLOCKS[kind]
    return math.prod(shape) // weights * size


def aligned(size):
    return size + -size % ALIGNMENT


def write(path, entries, tensors):
    """`entries`: {key: value}. `tensors`: (name, shape with the rows first, type, parts), where the parts are the bytes one after
    the other; without parts the weights are zeros, as a hole of a sparse file."""
    infos, end = [], 0
    for name, shape, kind, _ in tensors:
        sizes = shape[::-1]
        infos.append(_text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, end))
        end += aligned(size_of(shape, kind))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries))
    head += b"".join(entry(key, value) for key, value in entries.items()) + b"".join(infos)
    head += bytes(-len(head) % ALIGNMENT)
    at = len(head)
    with open(path, "wb") as file:
        file.write(head)
        for _, shape, kind, parts in tensors:
            file.seek(at)
            for part in parts:
                file.write(part)
            at += aligned(size_of(shape, kind))
        file.truncate(at)


def spelled_bytes():
    """How byte-level vocabularies spell each byte."""
    printable = [*range(33, 127), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    spelled = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}
    return [spelled[byte] for byte in range(256)]
