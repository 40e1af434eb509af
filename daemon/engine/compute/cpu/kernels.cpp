// The kernels of one instruction set; LLMD_ISA names it (lanes.h says what may not be used here).
#include "engine/compute/cpu/lanes.h"
#include "engine/compute/cpu/packed_matmul.h"
#include "engine/compute/cpu/quantize_activations.h"
#include "engine/compute/cpu/weight_formats.h"

namespace llmd::compute::LLMD_ISA {
namespace {

// Rows of the batch that share one pass over the weights, as many as registers hold.
#if defined(__AVX512F__)
constexpr unsigned kTile = 4;
#elif defined(__AVX2__) || defined(__aarch64__)
constexpr unsigned kTile = 2;
#else
constexpr unsigned kTile = 1;
#endif

// --- Matmuls of plain numbers ----------------------------------------------------------------------------------------

// The rest of a row of plain numbers that is no whole sub-block, padded with zeros as x is.
template <class Format>
LLMD_INLINE void decode_tail(const uint8_t* from, unsigned n, Lanes w[2]) {
    float lane[32] = {};
    for (unsigned i = 0; i < n; ++i) lane[i] = Format::decode_one(from + size_t{i} * Format::kElementBytes);
    w[0] = load(lane);
    w[1] = load(lane + 16);
}

template <unsigned Batch>
LLMD_INLINE void accumulate(Lanes acc[Batch][2], const Lanes w[2], const float* x, size_t x_stride) {
    for (unsigned c = 0; c < Batch; ++c) {
        acc[c][0] = acc[c][0] + w[0] * load(x + c * x_stride);
        acc[c][1] = acc[c][1] + w[1] * load(x + c * x_stride + 16);
    }
}

// One weight row with `Batch` rows of x. Weights of 32 consecutive columns go to 32 partial sums.
template <class Format, unsigned Batch>
LLMD_INLINE void dot(const uint8_t* row, uint32_t cols, const float* x, size_t x_stride, float* out,
                     size_t out_stride) {
    Lanes acc[Batch][2];
    for (unsigned c = 0; c < Batch; ++c) acc[c][0] = acc[c][1] = splat(0);
    Lanes w[2];
    for (uint32_t b = 0; b < cols / 32; ++b, row += size_t{32} * Format::kElementBytes, x += 32) {
        Format::decode(row, w);
        accumulate<Batch>(acc, w, x, x_stride);
    }
    if (const uint32_t tail = cols % 32; tail != 0) {
        decode_tail<Format>(row, tail, w);
        accumulate<Batch>(acc, w, x, x_stride);
    }
    for (unsigned c = 0; c < Batch; ++c) out[c * out_stride] = sum(acc[c][0] + acc[c][1]);
}

// Any number of batch rows up to kTile.
template <class Format>
LLMD_INLINE void dot_tile(unsigned n_batch, const uint8_t* row, uint32_t cols, const float* x, size_t x_stride,
                          float* out, size_t out_stride) {
    if (n_batch == kTile) {
        dot<Format, kTile>(row, cols, x, x_stride, out, out_stride);
    } else {
        for (unsigned c = 0; c < n_batch; ++c) {
            dot<Format, 1>(row, cols, x + c * x_stride, x_stride, out + c * out_stride, out_stride);
        }
    }
}

template <class Format>
void decode_row(const uint8_t* row, uint32_t cols, float* out) {
    Lanes w[2];
    for (uint32_t b = 0; b < cols / 32; ++b, row += size_t{32} * Format::kElementBytes, out += 32) {
        Format::decode(row, w);
        store(out, w[0]);
        store(out + 16, w[1]);
    }
    if (const uint32_t tail = cols % 32; tail != 0) {
        decode_tail<Format>(row, tail, w);
        store(out, w[0]);
        store(out + 16, w[1]);
    }
}

template <class Format>
void multiply_as(const Matrix& w, uint32_t first, uint32_t n_rows, const float* x, size_t x_stride, uint32_t n_batch,
                 float* out, size_t out_stride, float* scratch) {
    const uint8_t* row = w.data + first * w.row_bytes;
    if (n_batch <= kTile) {
        for (uint32_t r = 0; r < n_rows; ++r, row += w.row_bytes) {
            dot_tile<Format>(n_batch, row, w.cols, x, x_stride, out + r, out_stride);
        }
        return;
    }
    // Many batch rows: decode a few rows once. The floats are the same and so are the sums.
    const uint32_t padded = (w.cols + kActivationPadding - 1) / kActivationPadding * kActivationPadding;
    for (uint32_t r = 0; r < n_rows; r += kDecodedRows) {
        const uint32_t n = n_rows - r < kDecodedRows ? n_rows - r : kDecodedRows;
        for (uint32_t i = 0; i < n; ++i, row += w.row_bytes)
            decode_row<Format>(row, w.cols, scratch + size_t{i} * padded);
        for (uint32_t c = 0; c < n_batch; c += kTile) {
            const uint32_t tile = n_batch - c < kTile ? n_batch - c : kTile;
            for (uint32_t i = 0; i < n; ++i) {
                dot_tile<F32>(tile, reinterpret_cast<const uint8_t*>(scratch + size_t{i} * padded), padded,
                              x + c * x_stride, x_stride, out + c * out_stride + r + i, out_stride);
            }
        }
    }
}

void multiply(const Matrix& w, uint32_t first, uint32_t n_rows, const float* x, size_t x_stride, uint32_t n_batch,
              float* out, size_t out_stride, float* scratch) {
    using model::TensorType;
    const auto as = [&]<class Format>(Format) {
        multiply_as<Format>(w, first, n_rows, x, x_stride, n_batch, out, out_stride, scratch);
    };
    switch (w.type) {
        case TensorType::F32:
            return as(F32());
        case TensorType::F16:
            return as(F16());
        case TensorType::BF16:
            return as(BF16());
        default:
            return;  // packed
    }
}

// --- Norms and activations -------------------------------------------------------------------------------------------

// The sum of (x - shift) or of its square: of each 32 values by themselves, then of these sums in their order.
template <bool Square>
float reduce(const float* x, uint32_t n, float shift) {
    const auto term = [shift](const float* from) {
        const Lanes centred = load(from) - splat(shift);
        return Square ? centred * centred : centred;
    };
    float total = 0;
    uint32_t i = 0;
    for (; i + 32 <= n; i += 32) total += sum(term(x + i) + term(x + i + 16));
    if (i == n) return total;
    float tail[32] = {};
    for (uint32_t j = i; j < n; ++j) tail[j - i] = Square ? (x[j] - shift) * (x[j] - shift) : x[j] - shift;
    return total + sum(load(tail) + load(tail + 16));
}

void norm(model::Norm kind, float eps, const float* x, const float* weight, const float* bias, uint32_t n, float* out) {
    const auto count = static_cast<float>(n);
    if (kind == model::Norm::RmsNorm) {
        const float scale = 1.0f / __builtin_sqrtf(reduce<true>(x, n, 0) / count + eps);
        for (uint32_t i = 0; i < n; ++i) out[i] = x[i] * scale * weight[i];
        return;
    }
    const float mean = reduce<false>(x, n, 0) / count;
    const float scale = 1.0f / __builtin_sqrtf(reduce<true>(x, n, mean) / count + eps);
    for (uint32_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * scale * weight[i];
    if (bias != nullptr) {
        for (uint32_t i = 0; i < n; ++i) out[i] += bias[i];
    }
}

// 0.5 (1 + tanh z) = 1 / (1 + e^(-2z))
LLMD_INLINE Lanes gelu(const Lanes& u) {
    const Lanes z = splat(0.7978845608f) * (u + splat(0.044715f) * u * u * u);
    return u / (splat(1) + exponential(splat(-2) * z));
}

// h = of(gate, h), 16 elements at a time.
template <class Function>
LLMD_INLINE void activate_with(const float* gate, float* h, uint32_t n, const Function& of) {
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16) store(h + i, of(gate == nullptr ? splat(0) : load(gate + i), load(h + i)));
    if (i == n) return;
    float gates[16] = {}, rest[16] = {};
    for (uint32_t j = i; j < n; ++j) {
        if (gate != nullptr) gates[j - i] = gate[j];
        rest[j - i] = h[j];
    }
    store(rest, of(load(gates), load(rest)));
    for (uint32_t j = i; j < n; ++j) h[j] = rest[j - i];
}

void activate(model::Activation kind, const float* gate, float* h, uint32_t n) {
    if (kind == model::Activation::SwiGlu) {
        return activate_with(
            gate, h, n, [](const Lanes& g, const Lanes& u) __attribute__((always_inline)) {
                return g / (splat(1) + exponential(splat(0) - g)) * u;
            });
    }
    if (kind == model::Activation::ReluSquared) {
        for (uint32_t i = 0; i < n; ++i) h[i] = h[i] > 0 ? h[i] * h[i] : h[i] * 0.0f;  // a NaN must go on
        return;
    }
    if (kind == model::Activation::GeGlu) {
        return activate_with(gate, h, n, [](const Lanes& g, const Lanes& u) { return gelu(g) * u; });
    }
    activate_with(nullptr, h, n, [](const Lanes&, const Lanes& u) { return gelu(u); });
}

// --- Attention -------------------------------------------------------------------------------------------------------

void to_halves(const float* x, uint32_t n, uint16_t* out) {
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16) store_halves(out + i, x + i);
    for (; i < n; ++i) out[i] = model::float_to_half(x[i]);
}

// Query heads that share one pass over keys and values, and vectors of 16 positions or dimensions in it, as many as
// registers hold.
#if defined(__aarch64__)
constexpr unsigned kHeadTile = 4;
template <unsigned Heads>
constexpr unsigned kHeadBlocks = Heads <= 2 ? 2 : 1;
#else
constexpr unsigned kHeadTile = kTile;
template <unsigned Heads>
constexpr unsigned kHeadBlocks = 2;
#endif

// Scores of the 32 positions of one page with `Heads` query heads, 16 * Blocks of them at a time: a lane is a position.
// Fetches what is at `next`, the page that follows: pages lie anywhere, and hardware does not fetch across them.
template <unsigned Heads, unsigned Blocks>
LLMD_INLINE void score_page(const float* q, uint32_t head_dim, const uint16_t* page, const uint16_t* next, float scale,
                            float* scores) {
    for (unsigned first = 0; first < kPageTokens; first += 16 * Blocks) {
        Lanes acc[Heads][Blocks];
#pragma GCC unroll 4
        for (unsigned h = 0; h < Heads; ++h) {
#pragma GCC unroll 4
            for (unsigned b = 0; b < Blocks; ++b) acc[h][b] = splat(0);
        }
        const uint16_t* keys = page + first;
        uint32_t d = 0;
#if defined(__aarch64__)
        const float* from = q;
        const uint16_t* ahead = next;
        for (; d + 4 <= head_dim; d += 4, from += 4, ahead += size_t{4} * kPageTokens) {
            float32x4_t four[Heads];
#pragma GCC unroll 4
            for (unsigned h = 0; h < Heads; ++h) four[h] = vld1q_f32(from + size_t{h} * head_dim);
#pragma GCC unroll 4
            for (unsigned i = 0; i < 4; ++i, keys += kPageTokens) {
                __builtin_prefetch(ahead + size_t{i} * kPageTokens);
#pragma GCC unroll 4
                for (unsigned b = 0; b < Blocks; ++b) {
                    const Lanes k = load_halves(keys + size_t{16} * b);
#pragma GCC unroll 4
                    for (unsigned h = 0; h < Heads; ++h) acc[h][b] = multiply_add(k, four[h], i, acc[h][b]);
                }
            }
        }
#endif
        for (; d < head_dim; ++d, keys += kPageTokens) {
            __builtin_prefetch(next + size_t{d} * kPageTokens);
#pragma GCC unroll 4
            for (unsigned b = 0; b < Blocks; ++b) {
                const Lanes k = load_halves(keys + size_t{16} * b);
#pragma GCC unroll 4
                for (unsigned h = 0; h < Heads; ++h) acc[h][b] = multiply_add(k, q[h * head_dim + d], acc[h][b]);
            }
        }
#pragma GCC unroll 4
        for (unsigned h = 0; h < Heads; ++h) {
#pragma GCC unroll 4
            for (unsigned b = 0; b < Blocks; ++b) {
                store(scores + size_t{h} * kKvSplit + first + size_t{16} * b, acc[h][b] * splat(scale));
            }
        }
    }
}

// 16 * Blocks dimensions from `dim` on of the weighted sum of the values from `skip` to `count`, for `Heads` heads: a
// lane is a dimension.
template <unsigned Heads, unsigned Blocks>
LLMD_INLINE void weigh_values(const AttendItem& a, const uint32_t* pages, uint32_t skip, uint32_t count, uint32_t dim,
                              const float* weights, float* out) {
    Lanes total[Heads][Blocks] = {};
    for (uint32_t first = skip / kPageTokens * kPageTokens; first < count; first += kPageTokens) {
        const uint32_t unseen = skip > first ? skip - first : 0;
        const uint16_t* values = a.values + pages[first / kPageTokens] * a.value_page_stride + dim;
        const uint32_t n = count - first < kPageTokens ? count - first : kPageTokens;
        const uint16_t* next = first + kPageTokens < count
                                   ? a.values + pages[first / kPageTokens + 1] * a.value_page_stride + dim
                                   : values;
        values += size_t{unseen} * a.value_dim;
        uint32_t j = unseen;
        Lanes acc[Heads][Blocks];  // compilers keep these in registers, and those of all pages in memory
#pragma GCC unroll 4
        for (unsigned h = 0; h < Heads; ++h) {
#pragma GCC unroll 4
            for (unsigned b = 0; b < Blocks; ++b) acc[h][b] = total[h][b];
        }
#if defined(__aarch64__)
        const float* from = weights + first + j;
        for (; j + 4 <= n; j += 4, from += 4) {
            float32x4_t four[Heads];
#pragma GCC unroll 4
            for (unsigned h = 0; h < Heads; ++h) four[h] = vld1q_f32(from + size_t{h} * kKvSplit);
#pragma GCC unroll 4
            for (unsigned i = 0; i < 4; ++i, values += a.value_dim, next += a.value_dim) {
                __builtin_prefetch(next);
#pragma GCC unroll 4
                for (unsigned b = 0; b < Blocks; ++b) {
                    const Lanes v = load_halves(values + size_t{16} * b);
#pragma GCC unroll 4
                    for (unsigned h = 0; h < Heads; ++h) acc[h][b] = multiply_add(v, four[h], i, acc[h][b]);
                }
            }
        }
#endif
        for (; j < n; ++j, values += a.value_dim, next += a.value_dim) {
            __builtin_prefetch(next);
#pragma GCC unroll 4
            for (unsigned b = 0; b < Blocks; ++b) {
                const Lanes v = load_halves(values + size_t{16} * b);
#pragma GCC unroll 4
                for (unsigned h = 0; h < Heads; ++h) {
                    acc[h][b] = multiply_add(v, weights[h * kKvSplit + first + j], acc[h][b]);
                }
            }
        }
#pragma GCC unroll 4
        for (unsigned h = 0; h < Heads; ++h) {
#pragma GCC unroll 4
            for (unsigned b = 0; b < Blocks; ++b) total[h][b] = acc[h][b];
        }
    }
#pragma GCC unroll 4
    for (unsigned h = 0; h < Heads; ++h) {
#pragma GCC unroll 4
        for (unsigned b = 0; b < Blocks; ++b) store(out + size_t{h} * a.value_dim + dim + size_t{16} * b, total[h][b]);
    }
}

template <unsigned Heads>
LLMD_INLINE void weigh_all_values(const AttendItem& a, const uint32_t* pages, uint32_t skip, uint32_t count,
                                  const float* weights, float* out) {
    uint32_t dim = 0;
    if constexpr (kHeadBlocks<Heads> == 2) {
        for (; dim + 32 <= a.value_dim; dim += 32) weigh_values<Heads, 2>(a, pages, skip, count, dim, weights, out);
    }
    for (; dim < a.value_dim; dim += 16) weigh_values<Heads, 1>(a, pages, skip, count, dim, weights, out);
}

struct Softmax {
    float largest, sum;
};

// tanh z = 1 - 2 / (e^(2z) + 1)
void cap_scores(float* scores, uint32_t skip, uint32_t count, float cap) {
    for (uint32_t j = skip / 16 * 16; j < count; j += 16) {
        const Lanes e = exponential(splat(2) * (load(scores + j) / splat(cap)));
        store(scores + j, splat(cap) * (splat(1) - splat(2) / (e + splat(1))));
    }
}

LLMD_INLINE float largest_of(const float* scores, uint32_t skip, uint32_t count) {
    float largest = scores[skip];
    uint32_t j = skip + 1;
#if defined(__aarch64__)
    float32x4_t four = vdupq_n_f32(largest);
    for (; j + 4 <= count; j += 4) four = vmaxq_f32(four, vld1q_f32(scores + j));
    largest = vmaxvq_f32(four);
#endif
    for (; j < count; ++j) largest = scores[j] > largest ? scores[j] : largest;
    return largest;
}

// Turns the scores from `skip` to `count` into e^(score - largest), and what is before them and what follows them up to
// a multiple of 16 into zeros.
Softmax exponentiate(float* scores, uint32_t skip, uint32_t count) {
    const uint32_t padded = (count + 15) / 16 * 16;
    const float largest = largest_of(scores, skip, count);
    for (uint32_t j = skip / 16 * 16; j < padded; j += 16) {
        store(scores + j, exponential(load(scores + j) - splat(largest)));
    }
    for (uint32_t j = 0; j < skip; ++j) scores[j] = 0;
    for (uint32_t j = count; j < padded; ++j) scores[j] = 0;
    Lanes acc = splat(0);
    for (uint32_t j = 0; j < padded; j += 16) acc = acc + load(scores + j);
    return {largest, sum(acc)};
}

// Adds a KV split to those before it.
void fold(Softmax* total, float* total_out, const Softmax& split, const float* split_out, uint32_t n) {
    const float largest = split.largest > total->largest ? split.largest : total->largest;
    const float a = exponential(total->largest - largest), b = exponential(split.largest - largest);
    for (uint32_t i = 0; i < n; ++i) total_out[i] = total_out[i] * a + split_out[i] * b;
    total->sum = total->sum * a + split.sum * b;
    total->largest = largest;
}

template <unsigned Heads>
struct Tile {};

// do_tile(Tile<Heads>, h) for `Heads` heads from h on, or half as many, until all are done.
template <unsigned Heads, class Function>
LLMD_INLINE void for_head_tiles(uint32_t h, uint32_t n_heads, const Function& do_tile) {
    for (; h + Heads <= n_heads; h += Heads) do_tile(Tile<Heads>(), h);
    if constexpr (Heads > 1) for_head_tiles<Heads / 2>(h, n_heads, do_tile);
}

void attend(const AttendItem& a) {
    float* scores = a.scratch;                                 // [n_heads][kKvSplit]
    float* split_out = scores + size_t{a.n_heads} * kKvSplit;  // [n_heads][value_dim]
    float* out = split_out + size_t{a.n_heads} * a.value_dim;  // [n_heads][value_dim]
    auto* totals = reinterpret_cast<Softmax*>(out + size_t{a.n_heads} * a.value_dim);

    const uint32_t first_split = a.first_position / kKvSplit * kKvSplit;
    for (uint32_t first = first_split; first < a.n_positions; first += kKvSplit) {
        const uint32_t skip = a.first_position > first ? a.first_position - first : 0;  // positions that are not seen
        const uint32_t count = a.n_positions - first < kKvSplit ? a.n_positions - first : kKvSplit;
        const uint32_t* pages = a.pages + first / kPageTokens;
        float* sums = first == first_split ? out : split_out;
        for_head_tiles<kHeadTile>(0, a.n_heads, [&]<unsigned Heads>(Tile<Heads>, uint32_t h) {
            float* s = scores + size_t{h} * kKvSplit;
            for (uint32_t p = skip / kPageTokens; p * kPageTokens < count; ++p) {
                const uint16_t* keys = a.keys + pages[p] * a.key_page_stride;
                const bool is_last = (p + 1) * kPageTokens >= count;
                const uint16_t* next = is_last ? a.values + pages[skip / kPageTokens] * a.value_page_stride
                                               : a.keys + pages[p + 1] * a.key_page_stride;
                score_page<Heads, kHeadBlocks<Heads>>(a.q + size_t{h} * a.head_dim, a.head_dim, keys, next, a.scale,
                                                      s + size_t{p} * kPageTokens);
            }
        });
        for_head_tiles<kHeadTile>(0, a.n_heads, [&]<unsigned Heads>(Tile<Heads>, uint32_t h) {
            Softmax split[Heads];
            for (unsigned i = 0; i < Heads; ++i) {
                float* const of_head = scores + size_t{h + i} * kKvSplit;
                if (a.score_cap != 0) cap_scores(of_head, skip, count, a.score_cap);
                split[i] = exponentiate(of_head, skip, count);
            }
            weigh_all_values<Heads>(a, pages, skip, count, scores + size_t{h} * kKvSplit,
                                    sums + size_t{h} * a.value_dim);
            for (unsigned i = 0; i < Heads; ++i) {
                if (first == first_split) {
                    totals[h + i] = split[i];
                } else {
                    const size_t offset = size_t{h + i} * a.value_dim;
                    fold(&totals[h + i], out + offset, split[i], split_out + offset, a.value_dim);
                }
            }
        });
    }
    for (uint32_t h = 0; h < a.n_heads; ++h) {
        for (uint32_t d = 0; d < a.head_dim; ++d) {
            a.out[h * a.head_dim + d] = out[size_t{h} * a.value_dim + d] / totals[h].sum;
        }
    }
}

float exp_sum(const float* x, uint32_t n, float largest) {
    Lanes acc = splat(0);
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16) acc = acc + exponential(load(x + i) - splat(largest));
    if (i < n) {
        float lane[16] = {};
        for (uint32_t j = i; j < n; ++j) lane[j - i] = exponential(x[j] - largest);
        acc = acc + load(lane);
    }
    return sum(acc);
}

#define LLMD_TEXT_OF(name) #name
#define LLMD_TEXT(name) LLMD_TEXT_OF(name)

// Names numbers that come out alike: the baselines of two architectures do not.
#if defined(__aarch64__) && !defined(__ARM_FEATURE_DOTPROD)
constexpr const char* kIsa = "neon";
#else
constexpr const char* kIsa = LLMD_TEXT(LLMD_ISA);
#endif

}  // namespace

CpuKernels kernels() {
    return {kIsa,
            kKeepsBytes,
            {quantize_activations<2>, quantize_activations<1>},
            {multiply_packed<2>, multiply_packed<1>},
            multiply,
            norm,
            activate,
            to_halves,
            attend,
            exp_sum};
}

}  // namespace llmd::compute::LLMD_ISA
