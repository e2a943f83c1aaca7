#pragma once
#include "shape.h"

#ifndef PADIC_NO_PQ

// Lists of positions that are read, and how many keys their queries see.

typedef struct padici_pq_seen {
    padici_pq_view key_counts, query_counts;
    uint64_t keys, queries, positions; // of all rows; positions: the most keys there can be
} padici_pq_seen;

// Keys 0 ... L - 1; a count above what there can be is in the status.
PADICI_FN uint64_t padici_pq_visible(const padici_pq_seen *seen, uint64_t row, uint64_t i,
                                     uint32_t *status);

typedef struct padici_pq_listed {
    padici_pq_view list, lengths;
    uint64_t n;
} padici_pq_listed;

// The entries of a list below `visible`, each once, ascending: position << 32 | place in the list.
// Returns how many.
PADICI_FN uint64_t padici_pq_entries(const padici_pq_listed *listed, uint64_t row, uint64_t head,
                                     uint64_t i, uint64_t visible, uint64_t *entries,
                                     uint32_t *status);
// The first entry whose position is `from` or above.
PADICI_FN uint64_t padici_pq_entries_from(const uint64_t *entries, uint64_t n, uint64_t from);

// The optional counts of rows, and a number of keys.
PADICI_FN padic_result padici_pq_seen_check(padic_context *context, uint64_t rows,
                                            uint64_t key_count, const padic_tensor *key_counts,
                                            const padic_tensor *query_counts);

// Keys (b, g, s, d) or pages of them, of queries (b, h, s_q, d); pages may be without memory.
PADICI_FN padic_result padici_pq_check_keys(padic_context *context, const padic_tensor *queries,
                                            const padic_tensor *keys, const padic_tensor *pages);

// Where the keys or values of a row are; -1 where the page of a position is none.
typedef struct padici_pq_places {
    const uint32_t *pages;
    uint64_t page, page_count, row_pages; // positions of a page
} padici_pq_places;

PADICI_FN padici_pq_places padici_pq_places_of(const padic_tensor *keys, const padic_tensor *pages);

PADICI_INLINE uint64_t padici_pq_positions(const padici_pq_places *places)
{
    return places->page * (places->pages ? places->row_pages : 1);
}

PADICI_INLINE const char *padici_pq_place(const padici_pq_places *places,
                                          const padici_pq_view *view, uint64_t row, uint64_t head,
                                          uint64_t position)
{
    if (places->pages) {
        row = places->pages[row * places->row_pages + position / places->page];
        if (row >= places->page_count) return NULL;
        position %= places->page;
    }
    return view->at + padici_pq_at3(view, row, head, position);
}

#endif
