// Leaves in best[0], ids[0] the largest value of the items and, among equals, its lowest id. A macro: as a function
// with barriers that is called twice such a thing gave wrong results now and then on PoCL 3.1; why is not known.
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
