// Chooses the token of each output from what the groups of the output product left (choice.cl).
//
// answer: ANSWER_WORDS words an output: id, whether all logits were finite, log-sum-exp. sampled[slot] becomes the id of
// the slot's last output, -1 where the logits were no numbers. Grid: (1, outputs).
#define ANSWER_WORDS 4

__kernel GROUP_SIZE void choose(__global const uint4* summaries, uint groups, __global const int* step,
                                __global int* sampled, __global uint* answer) {
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
    answer[output * ANSWER_WORDS] = good ? ID(best) : NO_ID;
    answer[output * ANSWER_WORDS + 1] = good ? 1 : 0;
    answer[output * ANSWER_WORDS + 2] = as_uint(LARGEST(best) + log(sum));
    answer[output * ANSWER_WORDS + 3] = 0;
    const uint row = (uint)step[STEP_OUTPUT_ROW(output)];
    if (step[STEP_IS_LAST_OUTPUT(row)]) sampled[step[STEP_SLOT(row)]] = good ? (int)ID(best) : -1;
}
