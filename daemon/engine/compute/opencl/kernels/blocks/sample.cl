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
    requests += output * REQUEST_WORDS;

    const float penalty = as_float(requests[REQUEST_PENALTY]);
    for (uint i = 0; i < requests[REQUEST_PENALTY_COUNT]; ++i) {
        const uint id = requests[REQUEST_PENALTY_IDS + i];
        if (id >= begin && id < end) {
            const float logit = logits[id];
            logits[id] = logit > 0.0f ? logit / penalty : logit * penalty;
        }
    }

    const float temperature = as_float(requests[REQUEST_TEMPERATURE]);
    const uint key = requests[REQUEST_KEY];
    float16 scores = -INFINITY, maxima = -INFINITY;
    uint16 ids = NO_ID;
    int16 bad = 0;
    for (uint i = begin; i < end; i += 16) {
        const float16 logit = load_logits(logits, i, end);
        const uint16 id = LANES + i;
        const int16 exists = id < (uint16)(end);
        // Bits, not isfinite(): exact under every compiler.
        bad |= exists & ((as_uint16(logit) & 0x7f800000u) == 0x7f800000u);
        maxima = fmax(maxima, logit);
        const float16 score = temperature > 0.0f ? logit / temperature + gumbel_noise(key, id) : logit;
        const int16 better = exists & ((score > scores) | (ids == NO_ID));
        scores = select(scores, score, better);
        ids = select(ids, id, better);
    }
    const struct best chosen = best_lane(scores, ids);
    const float largest = lane_max(maxima);
    float16 sums = 0.0f;
    for (uint i = begin; i < end; i += 16) sums += exp(load_logits(logits, i, end) - largest);

    const uint listable = requests[REQUEST_WANTS_CANDIDATES] ? end - begin : 0;
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
            const int16 better = behind & (logit > scores);
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
