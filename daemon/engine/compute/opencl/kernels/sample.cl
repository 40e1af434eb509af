// Applies the repeat penalties of each output row to its logits and reduces them for the choice of a token.
//
// Requests and results: sample_exchange.cl. Needs noise.cl and choose.cl before it. Grid: (CHUNKS, outputs).
// Options: PENALTIES (0: they are in the logits already).
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

#if PENALTIES
    const float penalty = as_float(requests[REQUEST_PENALTY]);
    for (uint i = item; i < requests[REQUEST_PENALTY_COUNT]; i += GROUP) {
        const uint id = requests[REQUEST_PENALTY_IDS + i];
        if (id >= begin && id < end) {
            const float logit = logits[id];
            logits[id] = logit > 0.0f ? logit / penalty : logit * penalty;
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif

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
