"""What tests/fault's OpenCL layer does and has seen, shared with the engine: the layout is that of fault_control.h."""
import mmap
import struct

LAYOUT = struct.Struct("<QQQqIiIIII64s64s32s")
FAIL, DELAY, ABORT, PANIC = range(4)
HIDE_CPU_TYPE, CHANGE_DRIVER = 1, 64
EVERY_TIME = 2**64 - 1
OUT_OF_RESOURCES, BUILD_PROGRAM_FAILURE, MEM_OBJECT_ALLOCATION_FAILURE = -5, -11, -4


class FaultControl:
    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(LAYOUT.size))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), LAYOUT.size)

    def calls(self):
        return LAYOUT.unpack_from(self.memory)[0]

    def arm(self, after=None, status=OUT_OF_RESOURCES, action=FAIL, last=None, delay_ms=0, hidden=0, function=""):
        """The call that comes `after` others from now on meets a fault (None: no call), or all from it to `last`."""
        calls, _, _, objects, queues = LAYOUT.unpack_from(self.memory)[:5]
        first = 0 if after is None else calls + after
        LAYOUT.pack_into(self.memory, 0, calls, first, last or first, objects, queues, status, action, delay_ms, hidden,
                         0, function.encode(), b"", b"")

    def last_call(self):
        """The function that met the last fault since arm(); empty when none has."""
        return LAYOUT.unpack_from(self.memory)[-2].rstrip(b"\0").decode()
