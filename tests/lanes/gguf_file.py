"""Reads GGUF files, for the CI jobs that compare them, and copies them with other metadata. Values of tensors need numpy."""
import math
import mmap
import struct

from gguf_writer import ALIGNMENT, ARRAY, BLOCKS, STRING, TYPE_NAMES, aligned, entry  # noqa: F401


class Gguf:
    """A GGUF file: metadata, tensor types and, of F32 tensors, values."""
    SCALARS = {0: "B", 1: "b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "?", 10: "<Q", 11: "<q", 12: "<d"}

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.at = 8
        n_tensors, n_entries = self._next("<Q"), self._next("<Q")
        self.meta, self.entries = {}, {}  # the entries as bytes
        for _ in range(n_entries):
            begin, key = self.at, self._text()
            self.meta[key] = self._value(self._next("<I"))
            self.entries[key] = self.data[begin:self.at]
        infos = {}
        self.infos_begin = self.at
        for _ in range(n_tensors):
            name = self._text()
            sizes = [self._next("<Q") for _ in range(self._next("<I"))]
            infos[name] = (sizes, self._next("<I"), self._next("<Q"))
        self.infos_end = self.at
        alignment = self.meta.get("general.alignment", ALIGNMENT)
        self.begin = -(-self.at // alignment) * alignment
        self.tensors = {name: (sizes, kind, self.begin + offset) for name, (sizes, kind, offset) in infos.items()}

    def _next(self, layout):
        value, = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return value

    def _text(self):
        size = self._next("<Q")
        self.at += size
        return self.data[self.at - size:self.at].decode(errors="replace")

    def _value(self, kind):
        if kind == STRING:
            return self._text()
        if kind == ARRAY:
            element = self._next("<I")
            return [self._value(element) for _ in range(self._next("<Q"))]
        return self._next(self.SCALARS[kind])

    def floats(self, name):
        import numpy as np
        sizes, kind, begin = self.tensors[name]
        assert kind == 0, f"{name} is {TYPE_NAMES[kind]}, not F32"
        n = math.prod(sizes)
        return np.frombuffer(self.data, "<f4", n, begin).astype(np.float64).reshape(sizes[::-1])

    def stored(self, name):
        """The bytes of a tensor."""
        import numpy as np
        sizes, kind, begin = self.tensors[name]
        weights, size = BLOCKS[kind]
        return np.frombuffer(self.data, np.uint8, math.prod(sizes) // weights * size, begin)

    def copy(self, path, changes):
        """Writes the file with other metadata. `changes`: {key: value, or None for one that is left out}."""
        entries = {**self.entries, **{key: value if value is None else entry(key, value) for key, value in changes.items()}}
        kept = [one for one in entries.values() if one is not None]
        head = self.data[:8] + struct.pack("<QQ", len(self.tensors), len(kept)) + b"".join(kept)
        head += self.data[self.infos_begin:self.infos_end]
        with open(path, "wb") as file:
            file.write(head + bytes(aligned(len(head)) - len(head)))
            file.write(memoryview(self.data)[self.begin:])
