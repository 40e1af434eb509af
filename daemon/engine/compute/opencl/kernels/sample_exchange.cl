// What blocks/sample.cl, blocks/choose.cl and packed/candidates.cl read and write, shared with sample_exchange.cpp. Requests:
// REQUEST_WORDS words a row, NO_ID behind the last penalised id; packed/epilogue_logits.cl reads them too. Behind those of all
// rows are the masks of rows that have one: bit id % 32 of word id / 32, set if the id takes part. A work-group owns one of
// CHUNKS pieces of the vocabulary of one row. It writes a summary: the best score (logit, or logit / temperature +
// noise) and its id, the largest logit, the sum of exp(logit - largest), whether a logit is not finite, and, if
// candidates are wanted, how many ids of the chunk take part. Its TOP largest logits then follow as (id, logit) behind the
// summaries of all rows. Options: N_VOCAB, CHUNKS, TOP (a chunk's candidates).
#define REQUEST_WORDS 72
#define REQUEST_TEMPERATURE 0
#define REQUEST_KEY 1
#define REQUEST_PENALTY 2
#define REQUEST_MASK 3  // where the row's mask begins, in words from the first row's request; 0: all ids take part
#define REQUEST_PENALTY_COUNT 4
#define REQUEST_WANTS_CANDIDATES 5
#define REQUEST_PENALTY_IDS 8

#define SUMMARY_WORDS 6
#define SUMMARY_LISTABLE 5
#define CHUNK_IDS ((N_VOCAB + CHUNKS - 1) / CHUNKS)
#define NO_ID 0xffffffffu

// `requests` are the first row's, `mask` is the row's REQUEST_MASK.
INLINE bool takes_part(__global const uint* requests, uint mask, uint id) {
    return mask == 0 ? true : (requests[mask + id / 32] >> id % 32 & 1) != 0;
}
// Ids from begin to end that take part.
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
