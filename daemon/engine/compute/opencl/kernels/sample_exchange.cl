// What blocks/sample.cl, blocks/choose.cl and packed/candidates.cl read and write, shared with sample_exchange.cpp. Requests:
// REQUEST_WORDS words a row, NO_ID behind the last penalised id; packed/epilogue_logits.cl reads them too. A work-group owns one of
// CHUNKS pieces of the vocabulary of one row. It writes a summary: the best score (logit, or logit / temperature +
// noise) and its id, the largest logit, the sum of exp(logit - largest), whether a logit is not finite, and, if
// candidates are wanted, how many ids the chunk has. Its TOP largest logits then follow as (id, logit) behind the
// summaries of all rows. Options: N_VOCAB, CHUNKS, TOP (a chunk's candidates).
#define REQUEST_WORDS 72
#define REQUEST_TEMPERATURE 0
#define REQUEST_KEY 1
#define REQUEST_PENALTY 2
#define REQUEST_WANTS_CANDIDATES 3
#define REQUEST_PENALTY_COUNT 4
#define REQUEST_PENALTY_IDS 8

#define SUMMARY_WORDS 6
#define SUMMARY_LISTABLE 5
#define CHUNK_IDS ((N_VOCAB + CHUNKS - 1) / CHUNKS)
#define NO_ID 0xffffffffu
