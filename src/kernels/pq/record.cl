// record.cl: what all kernels of a selection know of a query: a record of words, made by the first.

#define PQ_RECORD 16u
// words of a record
#define PQ_KIND 0u // PQ_ALL, PQ_FIXED, PQ_SEARCH
#define PQ_VISIBLE 1u // keys that the query sees
#define PQ_FIRST 2u // the first candidate, as a code; its position is start + first
#define PQ_COUNT 3u // candidates
#define PQ_K 4u // of them, those that are wanted
#define PQ_SKIP 5u // FIXED: before the first that is taken
#define PQ_TURNED 6u // FIXED: from the last one on
#define PQ_IS_FINITE 7u
#define PQ_EXPONENT 8u // of what a table's values must be multiplied by
#define PQ_CODED 9u // keys of the row with codes that can be read
#define PQ_LENGTH 10u // all that the row says it has
#define PQ_ROW 11u
#define PQ_GROUP 12u // head of keys
#define PQ_STATUS 13u
#define PQ_LEFT 14u // 1: cells did not find it
#define PQ_PAD 15u // words before the first candidate's order, so that tiles' lie at multiples of 4
#define PQ_ALL 0u // the list is of all keys
#define PQ_FIXED 1u // all candidates, or the first or last ones: no score counts
#define PQ_SEARCH 2u
// flags of calls
#define PQ_FLAG_COUNTS 1u // key_counts
#define PQ_FLAG_QUERIES 2u // query_counts
#define PQ_FLAG_BEST 4u
#define PQ_FLAG_RECENT 8u
#define PQ_FLAG_TABLES 16u // tables of all finite queries, not only where they decide
#define PQ_FLAG_BINS 32u // a histogram is cleared
#define PQ_FLAG_LENGTHS 64u
#define PQ_FLAG_STATUS 128u
#define PQ_FLAG_SCORES 256u
#define PQ_FLAG_ALONE 512u // tables without a cache
#define PQ_FLAG_VALUES 1024u // values.cl finds what is compared
#define PQ_FLAG_LEAST 2048u // only what is compared from `limit` on
#define PQ_FLAG_UNSCALE 4096u // compared with the limit, and sorted, as numbers of their own size
#define PQ_FLAG_HEAVY 8192u // heavy_counts
#define PQ_FLAG_PLACES 16384u // what is left of the best is listed by position
// words of a query head, where values are made
#define PQ_HEAD_WORDS 8u
#define PQ_HEAD_FINITE 0u
#define PQ_HEAD_EXPONENT 1u
#define PQ_HEAD_TOP 2u // the largest logit's value, as bits
#define PQ_HEAD_SUM 3u // of a softmax, in two words; 0: it has no sum

typedef struct {
    pd_u32 first, heads, queries, per, groups; // first: list of group 0; per: heads of one of keys
    pd_u32 share, heads_at; // heads of a list; words of all, or 0
    pd_u32 slices; // groups that make the table of a query head
    pd_u32 m, bits, ds, extra, book_rows;
    pd_u32 flags, dtype, query_lo, query_hi, query_step[4];
    pd_u32 scaled_at, info_at;
    pd_u32 lengths_at, capacity, page, page_count, row_pages, pages_at, start;
    pd_u32 keys, keys_at, keys_step, counts_at, counts_step; // keys: UINT32_MAX all with codes
    pd_u32 sink, window, heavy, full_below;
    pd_u32 heavy_at, part_lo, part_hi, part_shift; // heavy_counts in `space`; heavy_fraction, or 0
    pd_u32 bins_at, tables_at; // in `space`, whose first words are records
} padic_k_pq_select_tables_params;

typedef struct {
    pd_u32 first, heads, queries, parts;
    pd_u32 m, bits, bytes, groups, flags;
    pd_u32 codes_lo, codes_hi, tiles, page_tiles, page_count, row_pages, pages_at, start;
    pd_u32 cells, counts_at, again; // again: 1 where counts did not do
    pd_u32 sink, window, n; // n: scores of a query; of what is searched, words of a query's orders
    pd_u32 bins_at, tables_at, order_at, places_at, part_at, sort_at, sort_n;
    pd_u32 list_at, list_step[4], cap, list_wide; // list_wide: 2 words an entry
    pd_u32 length_at, length_step[3], status_at, status_step[3];
    pd_u32 out_at, out_step[4], table_at, table_step[5]; // of scores
    pd_u32 limit; // as an ordered integer
    pd_f32 scale_hi, scale_lo, part_hi, part_lo; // of a softmax; of it that is kept
} padic_k_pq_select_find_params;

PD_FN pq_store pq_store_of(const padic_k_pq_select_find_params k)
{
    pq_store s;
    PQ_STORE(s, k)
    return s;
}

// Candidates of a part of a group's: whole tiles of them.
PD_FN pd_u32 pq_part(pd_u32 count, pd_u32 parts)
{
    return (count / parts / PQ_TILE + 1u) * PQ_TILE;
}

// In OpenCL parameters that are needed late, or in a loop, wait in local memory: AMD's compiler
// would keep them in scalar registers, of which there are too few. CUDA has them in memory of their
// own.
#if PD_IS_OPENCL
#define PQ_LATE_BEGIN(type) PD_LOCAL type late[1];
#define PQ_LATE_PUT late[0] = k;
#define PQ_LATE late[0]
#else
#define PQ_LATE_BEGIN(type)
#define PQ_LATE_PUT
#define PQ_LATE k
#endif
