// The largest logits of each chunk of the vocabulary of each output that wants candidates, as sample_exchange.cl has them. The
// token has been chosen (choose.cl), and the repeat penalty is in the logits. Needs group_best.cl. Grid: (CHUNKS, outputs).
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

    // The largest, then the largest of those behind it, and so on.
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
