"""The GPUs that Mesa's shims stand for: what a program is told so that it finds one, and what its driver calls it."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Gpu:
    name: str    # of its column or row
    driver: str  # as RUSTICL_ENABLE names it
    device: str  # a part of what OpenCL calls it
    shim: str
    environment: dict = field(default_factory=dict)


def _adreno(name, device):
    return Gpu(name, "freedreno", device, "libfreedreno_noop_drm_shim.so",
               {"FD_GPU_ID": name, "FD_MESA_DEBUG": "shaderdb", "IR3_SHADER_DEBUG": "cs"})


FIRST = "630"  # whose report has every kernel
CHIPS = {name: _adreno(name, f"FD{name}") for name in ("618", FIRST, "660", "702", "730", "740", "750")}
CHIPS["830"] = _adreno("830", "Adreno (TM) 830")
# Words of code that the instruction cache holds, in Mesa's table of devices (freedreno_devices.py, instr_cache_size, of 16
# words each).
CACHE_WORDS = {"618": 64 * 16, FIRST: 64 * 16, "660": 127 * 16, "730": 127 * 16, "740": 127 * 16, "750": 127 * 16}

# Of other makers: only whether the kernels compile and spill.
OTHERS = {
    "asahi": Gpu("asahi", "asahi", "Apple M1", "libasahi_noop_drm_shim.so", {"AGX_MESA_DEBUG": "shaderdb"}),
    "radeonsi": Gpu("radeonsi", "radeonsi", "AMD", "libamdgpu_noop_drm_shim.so",
                    {"AMDGPU_GPU_ID": "navi33", "AMD_DEBUG": "cs,stats,asm"}),
}
