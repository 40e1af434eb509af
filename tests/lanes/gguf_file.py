"""Reads and writes GGUF files, for the CI jobs that compare them."""
import math
import struct

import numpy as np

TYPE_NAMES = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K",
              13: "Q5_K", 14: "Q6_K", 20: "IQ4_NL", 23: "IQ4_XS", 30: "BF16"}
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84), 11: (256, 110),
          12: (256, 144), 13: (256, 176), 14: (256, 210), 20: (32, 18), 23: (256, 136), 30: (1, 2)}  # weights and bytes


U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5  # types of values
ALIGNMENT = 32


class Gguf:
    """A GGUF file: metadata, tensor types and, of F32 tensors, values."""
    SCALARS = {0: "B", 1: "b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "?", 10: "<Q", 11: "<q", 12: "<d"}

    def __init__(self, path):
        self.data = np.memmap(path, np.uint8, "r")
        self.at = 8
        n_tensors, n_entries = self._next("<Q"), self._next("<Q")
        self.meta = {self._text(): self._value(self._next("<I")) for _ in range(n_entries)}
        infos = {}
        for _ in range(n_tensors):
            name = self._text()
            sizes = [self._next("<Q") for _ in range(self._next("<I"))]
            infos[name] = (sizes, self._next("<I"), self._next("<Q"))
        alignment = self.meta.get("general.alignment", ALIGNMENT)
        begin = -(-self.at // alignment) * alignment
        self.tensors = {name: (sizes, kind, begin + offset) for name, (sizes, kind, offset) in infos.items()}

    def _next(self, layout):
        value, = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return value

    def _text(self):
        size = self._next("<Q")
        self.at += size
        return self.data[self.at - size:self.at].tobytes().decode(errors="replace")

    def _value(self, kind):
        if kind == STRING:
            return self._text()
        if kind == ARRAY:
            element = self._next("<I")
            return [self._value(element) for _ in range(self._next("<Q"))]
        return self._next(self.SCALARS[kind])

    def floats(self, name):
        sizes, kind, begin = self.tensors[name]
        assert kind == 0, f"{name} is {TYPE_NAMES[kind]}, not F32"
        n = math.prod(sizes)
        return self.data[begin:begin + 4 * n].view("<f4").astype(np.float64).reshape(sizes[::-1])

    def stored(self, name):
        """The bytes of a tensor."""
        sizes, kind, begin = self.tensors[name]
        weights, size = BLOCKS[kind]
        return self.data[begin:begin + math.prod(sizes) // weights * size]


def _text(text):
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _entry(key, value):
    if isinstance(value, str):
        kind, body = STRING, _text(value)
    elif isinstance(value, bool):
        kind, body = BOOL, struct.pack("<?", value)
    elif isinstance(value, float):
        kind, body = F32, struct.pack("<f", value)
    elif isinstance(value, int):
        kind, body = U32, struct.pack("<I", value)
    else:
        element = STRING if isinstance(value[0], str) else I32
        items = b"".join(map(_text, value)) if element == STRING else struct.pack(f"<{len(value)}i", *value)
        kind, body = ARRAY, struct.pack("<IQ", element, len(value)) + items
    return _text(key) + struct.pack("<I", kind) + body


def write(path, entries, tensors):
    """`tensors`: (name, sizes with the columns first, type, bytes), where bytes of None are zeros: a hole of a sparse file."""
    infos, parts, end = [], [], 0
    for name, sizes, kind, data in tensors:
        infos.append(_text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, end))
        weights, size = BLOCKS[kind]
        parts.append((end, data))
        end += -(-math.prod(sizes) // weights * size // ALIGNMENT) * ALIGNMENT
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries))
    head += b"".join(_entry(key, value) for key, value in entries.items()) + b"".join(infos)
    head += bytes(-len(head) % ALIGNMENT)
    with open(path, "wb") as file:
        file.write(head)
        for begin, data in parts:
            if data is not None:
                file.seek(len(head) + begin)
                file.write(data)
        file.truncate(len(head) + end)
