// The sampling requests as kernels read them and the candidates as they write them, shared with sample_exchange.cpp.
//
// Requests: REQUEST_WORDS words an output, NO_ID behind the last penalised id. Behind those of all outputs are the masks of
// those that have one: bit id % 32 of word id / 32, set if the id takes part. Candidates: a work-group owns one of CHUNKS
// chunks of the vocabulary of one output. First come the counts, [output][chunk]: how many ids of the chunk take part, 0 where
// the output wants no candidates. Then come the TOP largest logits of each chunk as (id, logit), [output][chunk][TOP].
// Options: N_VOCAB, CHUNKS, TOP.
#define REQUEST_WORDS 72
#define REQUEST_TEMPERATURE 0
#define REQUEST_KEY 1
#define REQUEST_PENALTY 2
#define REQUEST_MASK 3  // where the row's mask begins, in words from the first row's request; 0: all ids take part
#define REQUEST_PENALTY_COUNT 4
#define REQUEST_WANTS_CANDIDATES 5
#define REQUEST_PENALTY_IDS 8

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
