#pragma once
// ------------------------------------------------------------------------------------- >>pq API
//
// Product quantisation of the keys of an attention (Jegou, Douze, Schmid: Product quantization for
// nearest neighbor search, 2011): short codes of keys, scores of all keys from tables, the exact
// best of them, and attention over those. Symbols: b rows of a batch, h query heads, g heads of
// keys and values (h = G g; head i reads head i / G), d and d_v components, m sub-vectors of
// ds = d / m components, K = 2^bits centroids of each, n coded keys.
//
//     code(x, j)   = argmin_k |x_j - c_jk|^2, x_j the j-th sub-vector; ties to the lowest k
//     T[j][k]      = <q_j, c_jk>
//     score(q, p)  = T[0][code(p, 0)] + T[1][code(p, 1)] + ...
//
// D0: codebooks, codes, scores, lists, whatever the backend. For that, operands are scaled by
// powers of two, centroids and queries below 2, keys as centroids (and clamped to 2^40), and
// components below 2^-40 become 0; then sums are f32, one product after the other in ascending
// dimension, one sub-vector after the other, and no subnormal number arises. To first order a
// score's error is (ds + m) 2^-24 sum |q_i c_i|, and d 2^-38 max|q| max|c| at most from what became
// 0. Attention is D1, D2 between backends.
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // 4096 keys in 2 bytes each; the 8 best for a query
//     {
//         static float keys[4096][16], centroids[2][64][8], scaled[2][9][64];
//         static int32_t info[2][4], list[8];
//         static uint8_t codes[64][2][64];
//         uint32_t count = 0;
//         for (int i = 0; i < 65536; i++) keys[i / 16][i % 16] = (float)(i * 7919 % 1009) - 504;
//         padic_pq_train_desc train = {.seed = 1}; padic_pq_codebook *book = &train.codebook;
//         book->centroids = padic_tensor_nd(PADIC_F32, centroids, 5, (uint64_t[]){1, 1, 2, 64, 8});
//         book->scaled = padic_tensor_nd(PADIC_F32, scaled, 5, (uint64_t[]){1, 1, 2, 9, 64});
//         book->info = padic_tensor_nd(PADIC_I32, info, 4, (uint64_t[]){1, 1, 2, 4});
//         train.keys = padic_tensor_nd(PADIC_F32, keys, 4, (uint64_t[]){1, 1, 4096, 16});
//         padic_pq_cache cache = {.lengths = padic_tensor_1d(PADIC_U32, &count, 1)};
//         cache.codes = padic_tensor_nd(PADIC_U8, codes, 5, (uint64_t[]){1, 1, 64, 2, 64});
//         padic_pq_append_desc append = {.codebook = *book, .cache = cache, .keys = train.keys};
//         padic_pq_select_desc best = {.codebook = *book, .cache = cache, .heavy = 8};
//         best.queries = padic_tensor_nd(PADIC_F32, keys[99], 4, (uint64_t[]){1, 1, 1, 16});
//         best.lists = padic_tensor_nd(PADIC_I32, list, 4, (uint64_t[]){1, 1, 1, 8});
//         if (!padic_pq_train(NULL, &train) && !padic_pq_append(NULL, &append) &&
//             !padic_pq_select(NULL, &best)) printf("key %d of %u\n", list[0], count);
//     }

typedef enum padic_pq_metric {
    PADIC_PQ_METRIC_L2 = 0,
    // Keys and centroids get one more component of each sub-vector, sqrt(max(0, phi - |x_j|^2)),
    // phi the largest |x_j|^2 of the training set: the nearest centroid is then that of the
    // largest <x_j, c_jk> for keys of one norm. Queries have 0 there. New keys follow the same
    // rule; those with |x_j|^2 > phi are counted.
    PADIC_PQ_METRIC_IP = 1
} padic_pq_metric;

// A codebook, for each of B rows of a batch, or one for all (B 1). All of it is dense. What
// padic_pq_train() or padic_pq_prepare() wrote is read by the other calls.
typedef struct padic_pq_codebook {
    padic_tensor centroids; // F32 (B, g, m, K, D): D = ds, with IP ds + 1; K = 2^bits, bits 1 to
                            // 12; m at most 256, d at most 1,024
    padic_tensor scaled;    // F32 (B, g, m, D + 1, K): the components of all centroids in turn,
                            // times 2^-E, then half the squared norms; 2^100 of unused ones
    padic_tensor info;      // I32 (B, g, m, 4): E, the exponent of the largest component of this
                            // row and head; centroids in use; phi 4^-E as bits of an f32; 0
    padic_pq_metric metric;
} padic_pq_codebook;

// Fills `scaled` and `info` from `centroids`, which are another library's, say.
// Errors: NOT_FINITE (centroids, phi).
typedef struct padic_pq_prepare_desc {
    padic_pq_codebook codebook; // scaled and info are written
    padic_tensor used;          // U32 (B, g, m), 1 to K; zero: all K
    padic_tensor phi;           // F32 (B, g, m), with IP
} padic_pq_prepare_desc;
PADIC_API padic_result padic_pq_prepare(padic_context *context, const padic_pq_prepare_desc *desc);

typedef enum padic_pq_init {
    PADIC_PQ_INIT_KMEANS_PP = 0, // a sample with a probability that goes with the square of its
                                 // distance from the centroids so far (Arthur, Vassilvitskii 2007)
    PADIC_PQ_INIT_RANDOM = 1,    // different samples, each with the same probability
    PADIC_PQ_INIT_GIVEN = 2      // `centroids` as they are: goes on with an earlier training
} padic_pq_init;

// Trains a codebook by k-means (Lloyd), each sub-vector of each head by itself: assigns samples to
// the nearest centroid, ties to the lowest, and moves centroids to the means of their samples, in
// fixed point of 2^-24 of the largest component, whose sums are exact. A centroid without samples
// takes the sample that is farthest from its own. Where there are fewer different samples than K,
// the rest of the centroids are not used. D0.
//
// Random words are Philox's: key `seed`, stream (head, sub-vector << 4 | 9), step 0 for the first
// centroids (number i: words 2 i and 2 i + 1), 1 for samples (number i: word i).
// Errors: NOT_FINITE (keys, given centroids), CANCELLED.
typedef struct padic_pq_train_desc {
    padic_pq_codebook codebook; // all of it is written
    padic_tensor keys;          // F32, F16 or BF16 (b, g, s, d); B is b, or 1: all rows together
    uint64_t seed;
    uint32_t head;              // number of the first head of keys, in the stream
    padic_pq_init init;
    uint32_t rounds;            // of assignment and means; 0: 10
    uint64_t samples;           // of each row and head at most, one from each of as many stretches
                                // of equal length; 0: all keys
    uint64_t tolerance_moves;   // ends when at most so many samples changed their centroid
    padic_tensor inertia;       // F64 (B, g, m, rounds + 1): sums of |x_j - c|^2 before each round
                                // and at the end, after which they repeat; may be left out
    padic_tensor workspace;     // U8, padic_pq_train_workspace() bytes of host memory, on 64 bytes;
                                // zero: from the allocator
} padic_pq_train_desc;
PADIC_API padic_result padic_pq_train(padic_context *context, const padic_pq_train_desc *desc);
PADIC_API uint64_t padic_pq_train_workspace(padic_context *context,
                                            const padic_pq_train_desc *desc);

// Codes of keys. D0. Errors: NOT_FINITE (what was written before stays).
typedef struct padic_pq_encode_desc {
    padic_pq_codebook codebook;
    padic_tensor keys;      // F32, F16 or BF16 (b, g, s, d)
    padic_tensor out;       // U8, U16 or I32 (b, g, s, m), as wide as the codes at least
    padic_tensor clamped;   // U32 (b, g): sub-vectors beyond phi; may be left out
    padic_tensor workspace; // U8, padic_pq_encode_workspace() bytes, as above
} padic_pq_encode_desc;
PADIC_API padic_result padic_pq_encode(padic_context *context, const padic_pq_encode_desc *desc);
PADIC_API uint64_t padic_pq_encode_workspace(padic_context *context,
                                             const padic_pq_encode_desc *desc);

// Keys from codes: their centroids. D0. Errors: DOMAIN (a code from K on; it becomes NaN).
typedef struct padic_pq_decode_desc {
    padic_pq_codebook codebook;
    padic_tensor codes; // U8, U16 or I32 (b, g, s, m)
    padic_tensor out;   // F32 (b, g, s, d)
} padic_pq_decode_desc;
PADIC_API padic_result padic_pq_decode(padic_context *context, const padic_pq_decode_desc *desc);

// The coded keys of a batch: code i of a row is of the key at position start + i. Codes lie in
// tiles of 64 keys, all of sub-vector 0, then of 1, ...; with at most 4 bits byte i has key i and,
// in its upper half, key i + 32. Codes of 5 or 6 bits may be packed, into 48 bytes instead of 64:
// 32 bytes have the lower 4 bits in the same way, then byte i the upper 2 of the keys i, i + 16,
// i + 32 and i + 48, from bit 0 on. Positions and lengths are below 2^31. Zero bytes are a good
// start, and what any bytes stand for never leads out of a tensor.
//
// With `pages` rows share memory: tile t of row r lies in page pages[r][t / P] as tile t % P, P the
// tiles of a page. padic_pq_fork() makes a row go on from another's.
typedef struct padic_pq_cache {
    padic_tensor codes;   // dense; bits <= 4: U8 (b, g, tiles, m, 32); <= 8: U8 (b, g, tiles, m,
                          // 64), or 48, packed, with 5 and 6; else U16 (b, g, tiles, m, 64). With
                          // pages b is theirs
    padic_tensor lengths; // U32 (b), dense: coded keys of each row
    padic_tensor pages;   // U32 (b, pages of a row), dense; zero: none
    padic_tensor counts;  // U32 (b, g, K^m), dense, for K^m <= 8,192: keys of each cell, whose
                          // number is that with the digits code(p, 0), code(p, 1), ... in base K.
                          // It makes selection much faster. Zero: none
    uint64_t start;       // the first coded position
    uint32_t bits;        // of a code; 0: the codebook's, or without one 4, 6, 8 or 12 by the tiles
} padic_pq_cache;

// Adds keys at the end of each row; nothing that is there is touched. One at a time or all at once
// gives the same bytes. A key with a NaN or an infinity gets the codes 0 and is counted.
// Errors: CAPACITY (nothing is written), DOMAIN (a page that is none, or lengths beyond the
// capacity; nothing is written).
//
// A recording on a device asks nobody whether there was room: a replay that would fail leaves the
// cache and the counts of keys as they are, and what was recorded after it goes on with that.
typedef struct padic_pq_append_desc {
    padic_pq_codebook codebook;
    padic_pq_cache cache;    // written
    padic_tensor keys;       // F32, F16 or BF16 (b, g, c, d)
    padic_tensor key_counts; // U32 (b), dense: of the c keys of each row; zero: all
    uint32_t deferred;       // 1: `keys` are all keys of a row by their positions, key_counts of
                             // them there are, and those get codes that have none yet and have
                             // left the window, the last `window` of them. 0: they are new keys
    uint64_t window;         // only with `deferred`
    padic_tensor key_pages;  // U32 (b, n), dense, with `deferred`: keys are (pages, g, keys of a
                             // page, d), and a row's are in these pages; zero: none
    padic_tensor not_finite; // U32 (b, g): keys with a NaN or an infinity; may be left out
    padic_tensor clamped;    // U32 (b, g): sub-vectors beyond phi; may be left out
    padic_tensor workspace;  // U8, padic_pq_append_workspace() bytes, as above
} padic_pq_append_desc;
PADIC_API padic_result padic_pq_append(padic_context *context, const padic_pq_append_desc *desc);
PADIC_API uint64_t padic_pq_append_workspace(padic_context *context,
                                             const padic_pq_append_desc *desc);

// Shortens rows. Errors: ARGUMENT (a length above the row's own; nothing is written), DOMAIN (as
// of padic_pq_append(); and as there a recording asks nobody, here and in the next three calls).
typedef struct padic_pq_truncate_desc {
    padic_pq_cache cache; // lengths and counts are written
    padic_tensor lengths; // U32 (b), dense: keys that stay
} padic_pq_truncate_desc;
PADIC_API padic_result padic_pq_truncate(padic_context *context,
                                         const padic_pq_truncate_desc *desc);

// Makes row `to` begin as row `from`: `length` keys of it. Whole pages are shared from then on, the
// codes of the last one are copied to `page`, which no row may be using.
// Errors: ARGUMENT (no pages, a row or page that is none, a length above the row's own).
typedef struct padic_pq_fork_desc {
    padic_pq_cache cache; // written: pages, lengths, counts, and the codes of `page`
    uint64_t from, to;
    uint64_t length; // 0: all
    uint64_t page;   // read where the last page is not whole
} padic_pq_fork_desc;
PADIC_API padic_result padic_pq_fork(padic_context *context, const padic_pq_fork_desc *desc);

// Sets or reads the codes of whole rows, as flat arrays. Errors: DOMAIN (as of padic_pq_append();
// of an import also a code of more than `bits`), and of an import ARGUMENT and CAPACITY. Nothing
// is written then.
typedef struct padic_pq_import_desc {
    padic_pq_cache cache;    // written
    padic_tensor codes;      // U8, U16, I32 or I64 (b, g, n, m)
    padic_tensor key_counts; // U32 (b), dense: of the n keys of each row; zero: all
} padic_pq_import_desc;
PADIC_API padic_result padic_pq_import(padic_context *context, const padic_pq_import_desc *desc);
typedef struct padic_pq_export_desc {
    padic_pq_cache cache;
    padic_tensor out; // U8, U16, I32 or I64 (b, g, n, m); 0 from a row's length on
} padic_pq_export_desc;
PADIC_API padic_result padic_pq_export(padic_context *context, const padic_pq_export_desc *desc);

// Tables and scores of queries. Scores are in the order of codes; those from a row's length on, and
// of queries with a NaN or an infinity, are -infinity. D0.
typedef struct padic_pq_score_desc {
    padic_pq_codebook codebook;
    padic_pq_cache cache;
    padic_tensor queries;   // F32, F16 or BF16 (b, h, s_q, d)
    padic_tensor tables;    // F32 (b, h, s_q, m, K): T; may be left out
    padic_tensor out;       // F32 (b, h, s_q, n); may be left out
    padic_tensor workspace; // U8, padic_pq_score_workspace() bytes, as above
} padic_pq_score_desc;
PADIC_API padic_result padic_pq_score(padic_context *context, const padic_pq_score_desc *desc);
PADIC_API uint64_t padic_pq_score_workspace(padic_context *context,
                                            const padic_pq_score_desc *desc);

typedef enum padic_pq_tie {
    PADIC_PQ_TIE_FIRST = 0, // of equal scores the lower position is the better
    PADIC_PQ_TIE_RECENT = 1 // the higher
} padic_pq_tie;

typedef enum padic_pq_order {
    PADIC_PQ_ORDER_POSITION = 0,
    PADIC_PQ_ORDER_BEST = 1 // best first
} padic_pq_order;

// The k best of each row of scores, exactly; NaN counts as -infinity, -0 as 0. D0.
typedef struct padic_pq_topk_desc {
    padic_tensor scores;    // F32 (rows, n), n below 2^31
    padic_tensor out;       // I32 (rows, k): positions; -1 from n on
    padic_pq_tie tie;
    padic_pq_order order;
    padic_tensor workspace; // U8, padic_pq_topk_workspace() bytes, as above
} padic_pq_topk_desc;
PADIC_API padic_result padic_pq_topk(padic_context *context, const padic_pq_topk_desc *desc);
PADIC_API uint64_t padic_pq_topk_workspace(padic_context *context, const padic_pq_topk_desc *desc);

enum { // bits of a status
    PADIC_PQ_STATUS_NOT_FINITE = 1, // the query has a NaN or an infinity: all scores are -infinity
    PADIC_PQ_STATUS_LENGTH = 2,     // a length was above its capacity, and counts as that
    PADIC_PQ_STATUS_PAGE = 4,       // a page was none: from there on keys count as not coded, or
                                    // entries are skipped
    PADIC_PQ_STATUS_UNCODED = 8,    // keys between sink and window have no codes
    PADIC_PQ_STATUS_ENTRY = 16,     // a list had a position or weight that makes no sense: skipped
    PADIC_PQ_STATUS_SHIFT = 8       // how many have no codes: the bits from here on, at most 2^24-1
};

typedef enum padic_pq_method {
    PADIC_PQ_METHOD_AUTO = 0,     // the fastest here
    PADIC_PQ_METHOD_SCORES = 1,   // all scores, a histogram of them
    PADIC_PQ_METHOD_CELLS = 2,    // by cells: m at most 2, `counts`; else SCORES
    PADIC_PQ_METHOD_FILTER = 3    // by tables in bytes, then scores of what is left: bits at most 8
} padic_pq_method;

// Of the best ones, those that are in the list. D1 with TOP_P, else D0.
typedef enum padic_pq_limit {
    PADIC_PQ_LIMIT_NONE = 0,      // all
    PADIC_PQ_LIMIT_THRESHOLD = 1, // with a score from `threshold` on
    PADIC_PQ_LIMIT_TOP_P = 2      // the fewest, best first, that have `top_p` of the softmax of
                                  // scale * score over all candidates
} padic_pq_limit;

// Scores of the query heads that read one head of keys, as one score. What is not finite is as in
// padic_pq_topk(). D1 with SOFTMAX_SUM, else D0: f32 sums in ascending order of heads.
typedef enum padic_pq_reduce {
    PADIC_PQ_REDUCE_NONE = 0,       // a list for each query head
    PADIC_PQ_REDUCE_MAX = 1,
    PADIC_PQ_REDUCE_SUM = 2,
    PADIC_PQ_REDUCE_SOFTMAX_SUM = 3 // of softmax(scale * score) over the candidates
} padic_pq_reduce;

// For each query a list of positions: the sink (the first ones), the best of the coded keys, the
// window (the last ones). Query i of s_q in a row of s_k keys sees the first L = s_k - s_q + i + 1.
// Candidates are coded positions of those in neither sink nor window, and the best min(k,
// candidates) of them by (score, position), exactly, are taken, k = min(heavy, heavy_counts of the
// row, floor(heavy_fraction L)). The list has each position once, in ascending order (with BEST the
// best first between sink and window). Where L <= max(sink + k + window, full_below) it is
// 0 ... L - 1, and nothing is scored. D0 but for TOP_P and SOFTMAX_SUM.
//
// With `bias` and `slopes` (ALiBi: Press, Smith, Lewis: Train short, test long, 2022) the score of
// position p is
//
//     score(p) + bias[p] - slope min(L - 1 - p, 2^24 - 1)
//
// in f32, in this order, and what is below 2^-126 becomes 0. It is not multiplied by 1/sqrt(d): a
// bias of logits is to be divided by `scale` first. CELLS and FILTER are SCORES then, as with
// `reduce` and TOP_P. Of a softmax devices take scales from 1e-18 to 1e18; its sums are of two
// words of f32 there, to about 2^-43.
typedef struct padic_pq_select_desc {
    padic_pq_codebook codebook;
    padic_pq_cache cache;
    padic_tensor queries;      // F32, F16 or BF16 (b, h, s_q, d)
    uint64_t key_count;        // s_k, below 2^31; 0: all up to the last that is coded
    padic_tensor key_counts;   // U32 (b), dense: s_k of each row instead
    padic_tensor query_counts; // U32 (b), dense: s_q of each row; zero: all. Lists of other
                               // queries are empty
    uint64_t sink, window, heavy;
    padic_tensor heavy_counts; // U32 (b), dense: at most so many of each row; zero: `heavy`
    double heavy_fraction;     // at most so much of L, from 0 to 1; 0: any
    uint64_t full_below;
    padic_pq_tie tie;
    padic_pq_order order;
    padic_pq_method method;
    padic_tensor bias;         // F32 (b, h, n): of position p; 0 from n on. May be left out
    padic_tensor slopes;       // F32 (h); may be left out
    padic_pq_limit limit;
    float threshold;           // with THRESHOLD; no NaN
    double top_p;              // with TOP_P, from 0 to 1
    double scale;              // of TOP_P and SOFTMAX_SUM; 0: 1 / sqrt(d)
    padic_pq_reduce reduce;    // not NONE: lists, lengths and status have g heads for h
    padic_tensor lists;        // I32 or I64 (b, h, s_q, max(sink + heavy + window, full_below) or
                               // more): -1 from a list's length on
    padic_tensor lengths;      // U32 (b, h, s_q); may be left out
    padic_tensor status;       // U32 (b, h, s_q); may be left out
    padic_tensor workspace;    // U8, padic_pq_select_workspace() bytes, as above
} padic_pq_select_desc;
PADIC_API padic_result padic_pq_select(padic_context *context, const padic_pq_select_desc *desc);
PADIC_API uint64_t padic_pq_select_workspace(padic_context *context,
                                             const padic_pq_select_desc *desc);

// Attention of each query over the keys of a list:
//
//     l_j = scale <q, k_j> + ln w_j,  lse = ln sum_j e^(l_j),  o = sum_j e^(l_j - lse) v_j
//
// An entry twice counts twice; weights 1 / p make the sums over entries that were drawn with
// probabilities p estimates of those over all. No entry: o = 0, lse = -infinity. A NaN stays in its
// query.
//
// Splits of 64 entries are summed, then added in their order; a query's bits do not depend on what
// else is in the call. Sums are in f64 on the CPU, in two words of f32 on devices; where a device's
// f64 is fast, keys of 16 bits have products in f64, and splits of 16 or 256 entries. With
// p_j = e^(l_j - lse) the error of o is at most (8 + max |l| + log2 n) 2^-23 sum_j p_j |v_j|, and
// on devices n 2^-90 max(1, |v|) more; there a query with a product beyond f32 may be NaN. D1, D2
// between backends.
typedef struct padic_pq_attend_desc {
    padic_tensor queries; // F32, F16 or BF16 (b, h, s_q, d), d at most 1,024
    padic_tensor keys;    // F32, F16 or BF16 (b, g, s, d); with pages (pages, g, s of a page, d)
    padic_tensor values;  // F32, F16 or BF16 (b, g, s, d_v), or like keys; d_v at most 1,024
    padic_tensor pages;   // U32 (b, n), dense: of a row's positions; zero: none
    double scale;         // 0: 1 / sqrt(d)
    padic_tensor lists;   // I32 or I64 (b, h, s_q, n): positions; -1 is skipped. Also (b, g, s_q,
                          // n): one for all query heads of a head of keys
    padic_tensor lengths; // U32, as many as lists; zero: n
    padic_tensor weights; // F32, like lists, from 0 on; zero: 1
    padic_tensor out;     // F32 (b, h, s_q, d_v): o
    padic_tensor lse;     // F32 (b, h, s_q); may be left out
    padic_tensor status;  // U32 (b, h, s_q): ENTRY, PAGE, LENGTH; may be left out
    padic_tensor workspace; // U8, padic_pq_attend_workspace() bytes, as above
} padic_pq_attend_desc;
PADIC_API padic_result padic_pq_attend(padic_context *context, const padic_pq_attend_desc *desc);
PADIC_API uint64_t padic_pq_attend_workspace(padic_context *context,
                                             const padic_pq_attend_desc *desc);

// The same over all keys that a query sees: the first s_k - s_q + i + 1.
typedef struct padic_pq_attend_full_desc {
    padic_tensor queries, keys, values, pages; // as above
    double scale;
    uint64_t key_count;        // s_k; 0: s, or all of the row's pages
    padic_tensor key_counts;   // U32 (b), dense: s_k of each row instead
    padic_tensor query_counts; // U32 (b), dense: s_q of each row; zero: all
    padic_tensor out, lse, status, workspace; // as above; padic_pq_attend_full_workspace()
} padic_pq_attend_full_desc;
PADIC_API padic_result padic_pq_attend_full(padic_context *context,
                                            const padic_pq_attend_full_desc *desc);
PADIC_API uint64_t padic_pq_attend_full_workspace(padic_context *context,
                                                  const padic_pq_attend_full_desc *desc);

// The attention over two sets of keys, from that over each: with a = e^first_lse, b = e^second_lse
// (a + b is not formed as such) o = (a first + b second) / (a + b), lse = ln(a + b); of two empty
// ones 0 and -infinity. Its own error is below 2^-20 max(|first|, |second|). D1, D2 between
// backends.
typedef struct padic_pq_merge_desc {
    padic_tensor first, second;         // F32 (b, h, s_q, d_v)
    padic_tensor first_lse, second_lse; // F32 (b, h, s_q)
    padic_tensor out;                   // F32 (b, h, s_q, d_v)
    padic_tensor lse;                   // F32 (b, h, s_q); may be left out
} padic_pq_merge_desc;
PADIC_API padic_result padic_pq_merge(padic_context *context, const padic_pq_merge_desc *desc);

// Lists as weights of all positions, 0 elsewhere: what older callers take. Entries that occur twice
// add up, in their order in f32. Weights and sums below 2^-126 are 0. D0.
typedef struct padic_pq_weights_dense_desc {
    padic_tensor lists;   // I32 or I64 (b, h, s_q, n); positions outside are skipped
    padic_tensor lengths; // U32 (b, h, s_q); zero: n
    padic_tensor weights; // F32 (b, h, s_q, n); zero: 1
    padic_tensor out;     // F32 (b, h, s_q, s_k)
} padic_pq_weights_dense_desc;
PADIC_API padic_result padic_pq_weights_dense(padic_context *context,
                                              const padic_pq_weights_dense_desc *desc);

