// Sampling: what the kernels that choose tokens share, the epilogue of the logits among them (constants.h has the layout of
// their requests and answers); and, with the option SAMPLE_CHOOSE or SAMPLE_CANDIDATES, the kernel choose or candidates.
//
// Candidates: a work-group owns one of CHUNKS chunks of the vocabulary of one output. First come the counts,
// [output][chunk]: how many ids of the chunk take part, 0 where the output wants no candidates. Then come the TOP largest
// logits of each chunk as (id, logit), [output][chunk][TOP].
//
// Options: N_VOCAB, CHUNKS, TOP.
#define CHUNK_IDS ((N_VOCAB + CHUNKS - 1) / CHUNKS)

// The contents of the requests from a word on, counted from the first request's. The offset has 32 bits, so that one
// 64-bit addition makes an address.
#define REQUESTS_AT(type, word) (*(__global const type*)((__global const uchar*)requests + 4 * (uint)(word)))

// `requests` are the first row's, `mask` is the row's REQUEST_MASK.
INLINE bool takes_part(__global const uint* requests, uint mask, uint id) {
    return mask == 0 ? true : (REQUESTS_AT(uint, mask + id / 32) >> id % 32 & 1) != 0;
}
// Counts the ids from begin to end that take part.
INLINE uint count_taking_part(__global const uint* requests, uint mask, uint begin, uint end) {
    if (mask == 0) return end - begin;
    uint count = 0;
    for (uint id = begin; id < end;) {
        const uint in_word = min(32 - id % 32, end - id);
        count += popcount(requests[mask + id / 32] >> id % 32 & 0xffffffffu >> (32 - in_word));
        id += in_word;
    }
    return count;
}

// The random numbers of sampling: the same as compute/noise.h.
INLINE uint mix32(uint h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}
// log(x) of positive normal numbers, off by at most 1.2e-7 of itself, near 1 too, where native functions lose all of it, in
// a quarter of the instructions of log(). x = m 2^exponent with m = 1 + f in [sqrt(1/2), sqrt(2)), and log(m) = f - f^2 / 2
// + f^3 P(f) with a polynomial fitted to the least relative error.
INLINE float log_of_normal(float x) {
    const int exponent = (as_int(x) - 0x3f3504f3) >> 23;
    const float f = as_float(as_int(x) - exponent * 0x800000) - 1.0f;
    float p = mad(0.08700360f, f, -0.14267476f);
    p = mad(p, f, 0.14914785f);
    p = mad(p, f, -0.16577587f);
    p = mad(p, f, 0.19963062f);
    p = mad(p, f, -0.25001338f);
    p = mad(p, f, 0.33333910f);
    p = mad(f * f, mad(p, f, -0.5f), f);
    return mad((float)exponent, 0.69314718f, p);
}
INLINE float gumbel_noise(uint key, uint id) {
    const uint h = mix32(id ^ key) >> 9;
    const float u = ((float)h + 0.5f) * 0x1p-23f;
    return -log_of_normal(-log_of_normal(u));
}

// The knowledge of a part of the vocabulary when a token is chosen from it, and the way two parts become one. It is a
// vector, not a struct: compilers for GPUs keep copies of a struct in private memory.
typedef uint4 choice_t;
#define SCORE(choice) as_float((choice).x)    // the best: logit, or logit / temperature + noise
#define ID(choice) (choice).y                 // and the lowest id that has it; NO_ID: the part is empty
#define LARGEST(choice) as_float((choice).z)  // logit
#define BAD(choice) (choice).w                // a logit is not finite: nothing else counts
#define NO_CHOICE ((choice_t)(as_uint(-INFINITY), NO_ID, as_uint(-INFINITY), 0))

INLINE choice_t merged_choice(choice_t a, choice_t b) {
    const bool is_better = SCORE(b) > SCORE(a) || (SCORE(b) == SCORE(a) && ID(b) < ID(a));
    // There is no && and no || here: AbortsOnBranches in runtime/quirks.cpp.
    const bool is_b = (ID(a) == NO_ID) | ((ID(b) != NO_ID) & is_better);
    return (choice_t)((is_b ? b : a).xy, as_uint(fmax(LARGEST(a), LARGEST(b))), BAD(a) | BAD(b));
}

// Integers above 0 in the order of the numbers, and one above them all.
INLINE uint in_order(float v) { return as_uint(v) ^ ((uint)(as_int(v) >> 31) | 0x80000000u); }
INLINE float from_order(uint key) { return as_float(key ^ ((uint)((int)~key >> 31) | 0x80000000u)); }
#define BEYOND_NUMBERS 0xffffffffu
#define LEAST_IN_ORDER 0x007fffffu  // of -infinity

// Summaries: [output][group], each in_order(score), id, in_order(largest), or BEYOND_NUMBERS if bad, and the sum of
// exp(logit - largest).
#define SUM(summary) as_float((summary).w)
INLINE choice_t choice_of(uint4 summary) {
    return (choice_t)(as_uint(from_order(summary.x)), summary.y, as_uint(from_order(summary.z)),
                      summary.z == BEYOND_NUMBERS ? 1u : 0u);
}

#ifdef SAMPLE_CHOOSE
// Chooses the token of each output from what the groups of the output matmul left.
//
// sampled[slot] becomes the id of the slot's last output, -1 where the logits were no numbers. Grid: (1, outputs).

__kernel GROUP_SIZE void choose(__global const uint4* summaries, __global const int* step, __global int* sampled,
                                __global uint* answer, uint groups) {
    __local choice_t parts[GROUP];
    __local float sums[GROUP];
    const uint item = get_local_id(0);
    const uint output = get_group_id(1);
    __global const uint4* of_output = summaries + output * groups;
    choice_t best = NO_CHOICE;
    for (uint g = item; g < groups; g += GROUP) {
        best = merged_choice(best, choice_of(of_output[g]));
    }
    parts[item] = best;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) parts[item] = merged_choice(parts[item], parts[item + half_size]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    best = parts[0];
    float sum = 0.0f;
    for (uint g = item; g < groups; g += GROUP) {
        const uint4 summary = of_output[g];
        if (ID(summary) != NO_ID) sum += SUM(summary) * exp(from_order(summary.z) - LARGEST(best));
    }
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item != 0) return;
    for (uint i = 1; i < min(groups, (uint)GROUP); ++i) sum += sums[i];
    const bool good = BAD(best) == 0 && ID(best) != NO_ID;
    answer += output * ANSWER_WORDS;
    answer[ANSWER_ID] = good ? ID(best) : NO_ID;
    answer[ANSWER_IS_FINITE] = good ? 1 : 0;
    answer[ANSWER_LOG_SUM_EXP] = as_uint(LARGEST(best) + log(sum));
    const uint row = (uint)step[STEP_OUTPUT_ROW(output)];
    if (step[STEP_IS_LAST_OUTPUT(row)]) sampled[step[STEP_SLOT(row)]] = good ? (int)ID(best) : -1;
}
#endif

#ifdef SAMPLE_CANDIDATES
// GROUP_BEST leaves in best[0], ids[0] the largest value of the items and, among equals, its lowest id. It is a macro
// because of ConditionForAll in runtime/quirks.cpp.
#define GROUP_BEST(best, ids)                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                      \
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {                  \
        if (item < half_size) {                                                        \
            const float other = best[item + half_size];                                \
            const uint other_id = ids[item + half_size];                               \
            if (other > best[item] || (other == best[item] && other_id < ids[item])) { \
                best[item] = other;                                                    \
                ids[item] = other_id;                                                  \
            }                                                                          \
        }                                                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                  \
    }

// The largest logits of each chunk of the vocabulary, for each output that wants candidates. The token has been chosen, and
// the logits are biased. Grid: (CHUNKS, outputs).
__kernel GROUP_SIZE void candidates(__global const float* logits, __global const uint* requests,
                                    __global const int* step, __global uint* result) {
    __local float best[GROUP];
    __local uint ids[GROUP];
    const uint item = get_local_id(0);
    const uint chunk = get_group_id(0);
    const uint output = get_group_id(1);
    const uint begin = min(chunk * CHUNK_IDS, (uint)N_VOCAB);
    const uint end = min(begin + CHUNK_IDS, (uint)N_VOCAB);
    logits += output * N_VOCAB;
    __global const uint* request = requests + output * REQUEST_WORDS;
    const uint mask = request[REQUEST_MASK];
    const uint listable = request[REQUEST_WANTS_CANDIDATES] ? count_taking_part(requests, mask, begin, end) : 0;
    if (item == 0) result[output * CHUNKS + chunk] = listable;

    // First the largest, then the largest of those behind it, and so on.
    __global uint* top = result + (uint)step[STEP_OUTPUT_COUNT] * CHUNKS + (output * CHUNKS + chunk) * (2 * TOP);
    float last = INFINITY;
    uint last_id = 0;
    for (uint n = 0; n < min(listable, (uint)TOP); ++n) {
        float score = -INFINITY;
        uint id = NO_ID;
        for (uint i = begin + item; i < end; i += GROUP) {
            const float logit = logits[i];
            if ((logit < last || (logit == last && i > last_id)) && logit > score && takes_part(requests, mask, i)) {
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
#endif
