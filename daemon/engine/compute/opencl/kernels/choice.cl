// What is known of a part of the vocabulary when a token is chosen from it, and how two parts become one.
//
// A vector, not a struct: compilers for GPUs keep copies of a struct in private memory.
typedef uint4 choice_t;
#define SCORE(choice) as_float((choice).x)    // the best: logit, or logit / temperature + noise
#define ID(choice) (choice).y                 // and the lowest id that has it; NO_ID: the part is empty
#define LARGEST(choice) as_float((choice).z)  // logit
#define BAD(choice) (choice).w                // a logit is not finite: nothing else counts
#define NO_CHOICE ((choice_t)(as_uint(-INFINITY), NO_ID, as_uint(-INFINITY), 0))

INLINE choice_t merged_choice(choice_t a, choice_t b) {
    const bool is_better = SCORE(b) > SCORE(a) || (SCORE(b) == SCORE(a) && ID(b) < ID(a));
    // No && and ||: of their branches LLVM 18 in PoCL 6 makes something for AVX2 on which it ends the process.
    const bool is_b = (ID(a) == NO_ID) | ((ID(b) != NO_ID) & is_better);
    return (choice_t)((is_b ? b : a).xy, as_uint(fmax(LARGEST(a), LARGEST(b))), BAD(a) | BAD(b));
}

// Integers above 0 in the order of the numbers; one above them all.
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
