// What is known of a part of the vocabulary when a token is chosen from it, and how two parts become one.
typedef struct {
    float score;    // the best: logit, or logit / temperature + noise
    uint id;        // and the lowest id that has it; NO_ID: the part is empty
    float largest;  // logit
    float sum;      // of exp(logit - largest)
    uint bad;       // a logit is not finite: nothing else counts
} choice_t;

static inline choice_t no_choice(void) {
    const choice_t none = {-INFINITY, NO_ID, -INFINITY, 0.0f, 0};
    return none;
}

// All but the sum, which waits until the largest of all parts is known: every exp() is long.
static inline choice_t merged_choice(choice_t a, choice_t b) {
    if (b.id == NO_ID) return a;
    if (a.id == NO_ID) return b;
    choice_t both = a;
    if (b.score > a.score || (b.score == a.score && b.id < a.id)) {
        both.score = b.score;
        both.id = b.id;
    }
    both.largest = fmax(a.largest, b.largest);
    both.bad = a.bad | b.bad;
    return both;
}

// Summaries: [output][word][group], so that neighbouring groups are neighbours.
#define CHOICE_WORDS 5
static inline void store_choice(__global uint* to, uint groups, uint group, choice_t choice) {
    to[group] = as_uint(choice.score);
    to[groups + group] = choice.id;
    to[2 * groups + group] = as_uint(choice.largest);
    to[3 * groups + group] = as_uint(choice.sum);
    to[4 * groups + group] = choice.bad;
}
static inline choice_t load_choice(__global const uint* from, uint groups, uint group) {
    const choice_t choice = {as_float(from[group]), from[groups + group], as_float(from[2 * groups + group]),
                             as_float(from[3 * groups + group]), from[4 * groups + group]};
    return choice;
}
