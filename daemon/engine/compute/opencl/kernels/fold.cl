// Takes one more leaf of attention, or several that are folded already, into (maximum, sum, weighted V).
#define FOLD(maximum, sum, acc, leaf_max, leaf_sum, leaf_acc)                \
    {                                                                        \
        const float new_max = fmax(maximum, leaf_max);                       \
        const float old_scale = exp((maximum)-new_max);                      \
        const float leaf_scale = exp((leaf_max)-new_max);                    \
        sum = (sum)*old_scale + (leaf_sum)*leaf_scale;                       \
        acc = (acc)*old_scale + (leaf_acc)*leaf_scale;                       \
        maximum = new_max;                                                   \
    }
