// Applies the repeat penalties of each output row to its logits and reduces them for the choice of a token.
//
// A lane keeps the best of the ids that are sixteen apart; the first of equals is the lowest. Requests and results:
// sample_exchange.cl. Needs noise.cl for sixteen lanes before it. Grid: (CHUNKS, outputs).
// The logits i.. of a chunk that ends at `end`; -infinity past it.
static inline float16 load_logits(__global const float* logits, uint i, uint end) {
    if (i + 16 <= end) return vload16(0, logits + i);
    float some[16];
    for (uint lane = 0; lane < 16; ++lane) some[lane] = i + lane < end ? logits[i + lane] : -INFINITY;
    return vload16(0, some);
}

// -1 for those of the ids first..first + 15 that take part, else 0.
static inline int16 taking_part(__global const uint* requests, uint mask, uint first) {
    if (mask == 0) return (int16)(-1);
    const uint at = mask + first / 32, shift = first % 32;
    const uint bits = requests[at] >> shift | (shift > 16 ? requests[at + 1] << (32 - shift) : 0);
    return ((uint16)(bits) >> LANES & 1) != 0;
}

struct best {
    float value;
    uint id;
};
// The largest lane and, among equals, the lowest id.
static inline struct best best_lane(float16 values, uint16 ids) {
    float value[16];
    uint id[16];
    vstore16(values, 0, value);
    vstore16(ids, 0, id);
    struct best result = {value[0], id[0]};
    for (uint i = 1; i < 16; ++i) {
        if (id[i] != NO_ID && (result.id == NO_ID || value[i] > result.value ||
                               (value[i] == result.value && id[i] < result.id))) {
            result.value = value[i];
            result.id = id[i];
        }
    }
    return result;
}

__kernel ONE_ITEM void sample(__global float* logits, __global const uint* requests, __global const int* step,
                              __global uint* result) {
    const uint chunk = get_group_id(0);
    const uint output = get_group_id(1);
    const uint begin = min(chunk * CHUNK_IDS, (uint)N_VOCAB);
    const uint end = min(begin + CHUNK_IDS, (uint)N_VOCAB);
    logits += output * N_VOCAB;
    __global const uint* request = requests + output * REQUEST_WORDS;
    const uint mask = request[REQUEST_MASK];

    const float penalty = as_float(request[REQUEST_PENALTY]);
    for (uint i = 0; i < request[REQUEST_PENALTY_COUNT]; ++i) {
        const uint id = request[REQUEST_PENALTY_IDS + i];
        if (id >= begin && id < end) {
            const float logit = logits[id];
            logits[id] = logit > 0.0f ? logit / penalty : logit * penalty;
        }
    }

    const float temperature = as_float(request[REQUEST_TEMPERATURE]);
    const uint key = request[REQUEST_KEY];
    float16 scores = -INFINITY, maxima = -INFINITY;
    uint16 ids = NO_ID;
    int16 bad = 0;
    for (uint i = begin; i < end; i += 16) {
        const float16 logit = load_logits(logits, i, end);
        const uint16 id = LANES + i;
        const int16 exists = id < (uint16)(end);
        // Bits, not isfinite(): exact under every compiler.
        bad |= exists & ((as_uint16(logit) & 0x7f800000u) == 0x7f800000u);
        const int16 takes = exists & taking_part(requests, mask, i);
        maxima = fmax(maxima, select((float16)(-INFINITY), logit, takes));
        const float16 score = temperature > 0.0f ? logit / temperature + gumbel_noise(key, id) : logit;
        const int16 better = takes & ((score > scores) | (ids == NO_ID));
        scores = select(scores, score, better);
        ids = select(ids, id, better);
    }
    const struct best chosen = best_lane(scores, ids);
    const float largest = lane_max(maxima);
    float16 sums = 0.0f;
    for (uint i = begin; i < end; i += 16) {
        const float16 one = exp(load_logits(logits, i, end) - largest);
        sums += select((float16)(0.0f), one, taking_part(requests, mask, i));
    }

    const uint listable = request[REQUEST_WANTS_CANDIDATES] ? count_taking_part(requests, mask, begin, end) : 0;
    __global uint* summary = result + (output * CHUNKS + chunk) * SUMMARY_WORDS;
    summary[0] = as_uint(chosen.value);
    summary[1] = chosen.id;
    summary[2] = as_uint(largest);
    summary[3] = as_uint(lane_sum(sums));
    summary[4] = any(bad) ? 1 : 0;
    summary[SUMMARY_LISTABLE] = listable;

    // The largest, then the largest of those behind it, and so on.
    __global uint* top = result + (uint)step[STEP_OUTPUT_COUNT] * (CHUNKS * SUMMARY_WORDS) +
                         (output * CHUNKS + chunk) * (2 * TOP);
    float last = INFINITY;
    uint last_id = 0;
    for (uint n = 0; n < min(listable, (uint)TOP); ++n) {
        scores = -INFINITY;
        ids = NO_ID;
        for (uint i = begin; i < end; i += 16) {
            const float16 logit = load_logits(logits, i, end);
            const uint16 id = LANES + i;
            const int16 behind = (logit < last) | ((logit == last) & (id > (uint16)(last_id)));
            const int16 better = behind & (logit > scores) & taking_part(requests, mask, i);
            scores = select(scores, logit, better);
            ids = select(ids, id, better);
        }
        const struct best next = best_lane(scores, ids);
        last = next.value;
        last_id = next.id;
        top[2 * n] = last_id;
        top[2 * n + 1] = as_uint(last);
    }
}
