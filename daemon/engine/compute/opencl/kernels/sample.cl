// Applies the repeat penalties of each output row to its logits and reduces them for the choice of a token.
//
// A work-group owns one of CHUNKS pieces of the vocabulary of one row. It writes a summary: the best score (logit, or
// logit / temperature + noise) and its id, the largest logit, the sum of exp(logit - largest), whether a logit is not
// finite, and, if candidates are wanted, how many ids the chunk has. Its TOP largest logits then follow as (id, logit)
// behind the summaries of all rows.
// Requests: REQUEST_WORDS words a row. Grid: (CHUNKS, outputs). Options: N_VOCAB, CHUNKS, TOP (a chunk's candidates).
//
// choose() then leaves the best id of all chunks where the next step finds it.
//
// Noise: the twin of compute/noise.h.
#define REQUEST_WORDS 72
#define REQUEST_TEMPERATURE 0
#define REQUEST_KEY 1
#define REQUEST_PENALTY 2
#define REQUEST_WANTS_CANDIDATES 3
#define REQUEST_PENALTY_COUNT 4
#define REQUEST_PENALTY_IDS 8

#define SUMMARY_WORDS 6
#define CHUNK_IDS ((N_VOCAB + CHUNKS - 1) / CHUNKS)
#define NO_ID 0xffffffffu

static inline uint mix32(uint h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}
static inline float gumbel_noise(uint key, uint id) {
    const uint h = mix32(id ^ key) >> 9;
    const float u = ((float)h + 0.5f) * 0x1p-23f;
    return -log(-log(u));
}

// Leaves in best[0], ids[0] the largest value of the items and, among equals, its lowest id. A macro rather than a
// function with barriers that is called twice: see norm.cl.
#define GROUP_BEST(best, ids)                                                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                 \
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {                             \
        if (item < half_size) {                                                                   \
            const float other = best[item + half_size];                                           \
            const uint other_id = ids[item + half_size];                                          \
            if (other > best[item] || (other == best[item] && other_id < ids[item])) {            \
                best[item] = other;                                                               \
                ids[item] = other_id;                                                             \
            }                                                                                     \
        }                                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                             \
    }

__kernel GROUP_SIZE void sample(__global float* logits, __global const uint* requests, __global const int* step,
                                __global uint* result) {
    __local float best[GROUP];
    __local uint ids[GROUP];
    const uint item = get_local_id(0);
    const uint chunk = get_group_id(0);
    const uint output = get_group_id(1);
    const uint begin = min(chunk * CHUNK_IDS, (uint)N_VOCAB);
    const uint end = min(begin + CHUNK_IDS, (uint)N_VOCAB);
    logits += output * N_VOCAB;
    requests += output * REQUEST_WORDS;

    const float penalty = as_float(requests[REQUEST_PENALTY]);
    for (uint i = item; i < requests[REQUEST_PENALTY_COUNT]; i += GROUP) {
        const uint id = requests[REQUEST_PENALTY_IDS + i];
        if (id >= begin && id < end) {
            const float logit = logits[id];
            logits[id] = logit > 0.0f ? logit / penalty : logit * penalty;
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);

    const float temperature = as_float(requests[REQUEST_TEMPERATURE]);
    const uint key = requests[REQUEST_KEY];
    float score = -INFINITY, largest = -INFINITY;
    uint id = NO_ID, bad = 0;
    for (uint i = begin + item; i < end; i += GROUP) {
        const float logit = logits[i];
        // Bits, not isfinite(): exact under every compiler.
        bad |= (as_uint(logit) & 0x7f800000u) == 0x7f800000u;
        largest = fmax(largest, logit);
        const float s = temperature > 0.0f ? logit / temperature + gumbel_noise(key, i) : logit;
        if (s > score || id == NO_ID) {
            score = s;
            id = i;
        }
    }
    best[item] = score;
    ids[item] = id;
    GROUP_BEST(best, ids)
    const float chosen_score = best[0];
    const uint chosen = ids[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    best[item] = largest;
    ids[item] = bad;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) {
            best[item] = fmax(best[item], best[item + half_size]);
            ids[item] |= ids[item + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    largest = best[0];
    bad = ids[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (uint i = begin + item; i < end; i += GROUP) sum += exp(logits[i] - largest);
    best[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) best[item] += best[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = best[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint listable = requests[REQUEST_WANTS_CANDIDATES] ? end - begin : 0;
    if (item == 0) {
        __global uint* summary = result + (output * CHUNKS + chunk) * SUMMARY_WORDS;
        summary[0] = as_uint(chosen_score);
        summary[1] = chosen;
        summary[2] = as_uint(largest);
        summary[3] = as_uint(sum);
        summary[4] = bad;
        summary[5] = listable;
    }

    // The largest, then the largest of those behind it, and so on.
    __global uint* top = result + (uint)step[STEP_OUTPUT_COUNT] * (CHUNKS * SUMMARY_WORDS) +
                         (output * CHUNKS + chunk) * (2 * TOP);
    float last = INFINITY;
    uint last_id = 0;
    for (uint n = 0; n < min(listable, (uint)TOP); ++n) {
        score = -INFINITY;
        id = NO_ID;
        for (uint i = begin + item; i < end; i += GROUP) {
            const float logit = logits[i];
            if ((logit < last || (logit == last && i > last_id)) && logit > score) {
                score = logit;
                id = i;
            }
        }
        best[item] = score;
        ids[item] = id;
        GROUP_BEST(best, ids)
        last = best[0];
        last_id = ids[0];
        if (item == 0) {
            top[2 * n] = last_id;
            top[2 * n + 1] = as_uint(last);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// sampled[slot] = the best id of the output's chunks, lowest among equals, or -1 if a logit is not finite. Of several
// outputs in one slot the last one counts. Grid: (1, outputs).
__kernel GROUP_SIZE void choose(__global const uint* result, __global const int* step, __global int* sampled) {
    __local float best[GROUP];
    __local uint ids[GROUP];
    const uint item = get_local_id(0);
    const uint output = get_group_id(1);
    float score = -INFINITY;
    uint id = NO_ID;
    for (uint chunk = item; chunk < CHUNKS; chunk += GROUP) {
        __global const uint* summary = result + (output * CHUNKS + chunk) * SUMMARY_WORDS;
        if (summary[4]) {  // wins over every finite score
            score = INFINITY;
            id = NO_ID;
            break;
        }
        if (summary[1] != NO_ID && as_float(summary[0]) > score) {
            score = as_float(summary[0]);
            id = summary[1];
        }
    }
    best[item] = score;
    ids[item] = id;
    GROUP_BEST(best, ids)
    const uint row = (uint)step[STEP_OUTPUT_ROW(output)];
    if (item == 0 && step[STEP_IS_LAST_OUTPUT(row)]) sampled[step[STEP_SLOT(row)]] = (int)ids[0];
}
