// One function for each instruction set that meson.build compiles kernels.cpp for.
#pragma once

#include "engine/compute/cpu/cpu_kernels.h"

namespace llmd::compute::baseline {
CpuKernels kernels();  // whatever the compiler's own target has: SSE2 on x86-64, NEON on aarch64
}
namespace llmd::compute::avx2 {
CpuKernels kernels();  // AVX2 and F16C
}
namespace llmd::compute::avx512 {
CpuKernels kernels();  // AVX-512 F, BW, VL and VNNI
}
namespace llmd::compute::dotprod {
CpuKernels kernels();  // ARMv8.2 with the dot product of bytes
}
