// Leaves the best id of all chunks (sample_exchange.cl) where the next step finds it. Needs group_best.cl.
//
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
