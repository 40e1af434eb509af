"""Reads GGUF files, for the CI jobs that compare them."""
import math
import struct

import numpy as np

from gguf_writer import ALIGNMENT, ARRAY, BLOCKS, STRING, TYPE_NAMES  # noqa: F401


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
