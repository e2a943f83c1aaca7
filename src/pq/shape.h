#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_PQ

// Descs as plain numbers and addresses.

enum {
    PADICI_PQ_SUBVECTORS = 256,
    PADICI_PQ_COMPONENTS = 1024,
    PADICI_PQ_BITS = 12,
    PADICI_PQ_CELLS = 8192, // most cells that are counted
    PADICI_PQ_TILE = 64,
    PADICI_PQ_PACKED = 48, // bytes of a tile's codes of 6 bits
    PADICI_PQ_INFO = 4 // words: E, centroids in use, phi 4^-E, 0
};

typedef struct padici_pq_view { // steps in bytes
    char *at;
    padic_dtype dtype;
    int64_t step[5];
} padici_pq_view;

typedef struct padici_pq_book {
    uint64_t batch, groups, m, cells, ds, components; // components: ds, with IP one more
    uint32_t bits;
    const float *centroids, *scaled;
    const int32_t *info;
} padici_pq_book;

typedef struct padici_pq_store {
    uint64_t rows, groups, m, tiles; // tiles: of a row
    uint64_t page_tiles, page_count, row_pages; // page_tiles 0: no pages
    uint64_t start, cells; // cells: K^m, or 0: they are not counted
    uint32_t bits, tile_bytes; // of one sub-vector
    uint8_t *codes;
    uint32_t *lengths, *counts;
    const uint32_t *pages;
} padici_pq_store;

PADICI_FN int padici_pq_here(const padic_tensor *t);
PADICI_FN padici_pq_view padici_pq_view_of(const padic_tensor *t);

// An operand of a desc; padici_pq_optional() where it has memory. `out` as padici_operand.
PADICI_FN uint32_t padici_pq_operand(padici_operand *operands, uint32_t n, const char *name,
                                     padic_tensor *t, uint8_t out);
PADICI_FN uint32_t padici_pq_optional(padici_operand *operands, uint32_t n, const char *name,
                                      padic_tensor *t, uint8_t out);
PADICI_FN uint32_t padici_pq_book_operands(padici_operand *operands, padic_pq_codebook *book,
                                           uint8_t out);
PADICI_FN uint32_t padici_pq_store_operands(padici_operand *operands, uint32_t n,
                                            padic_pq_cache *cache, uint8_t out);

// A tensor of this dtype (NONE: f32, f16 or bf16) and shape; an extent UINT64_MAX is any.
PADICI_FN padic_result padici_pq_check(padic_context *context, const char *name,
                                       const padic_tensor *t, padic_dtype dtype, uint32_t rank,
                                       uint64_t n0, uint64_t n1, uint64_t n2, uint64_t n3);
PADICI_FN padic_result padici_pq_check_optional(padic_context *context, const char *name,
                                                const padic_tensor *t, padic_dtype dtype,
                                                uint32_t rank, uint64_t n0, uint64_t n1,
                                                uint64_t n2, uint64_t n3);
// Lists, of I32 or I64.
PADICI_FN padic_result padici_pq_check_lists(padic_context *context, const char *name,
                                             const padic_tensor *t, uint64_t n0, uint64_t n1,
                                             uint64_t n2);
PADICI_FN padic_result padici_pq_check_dense(padic_context *context, const char *name,
                                             const padic_tensor *t);
PADICI_FN padic_result padici_pq_check_codes(padic_context *context, const char *name,
                                             const padic_tensor *t, uint32_t bits);

PADICI_FN padic_result padici_pq_check_book(padic_context *context, const padic_pq_codebook *book);
PADICI_FN padic_result padici_pq_check_store(padic_context *context, const padic_pq_cache *cache,
                                             const padic_pq_codebook *book);
// (b, h, s_q, d), h a multiple of g.
PADICI_FN padic_result padici_pq_check_queries(padic_context *context, const padic_tensor *queries,
                                               const padic_pq_codebook *book, uint64_t rows);
// Of a desc that has been checked.
PADICI_FN void padici_pq_book_of(const padic_pq_codebook *codebook, padici_pq_book *book);
PADICI_FN void padici_pq_store_of(const padic_pq_cache *cache, const padici_pq_book *book,
                                  padici_pq_store *store);

// Byte of an element of three axes, and positions of a list there.
PADICI_INLINE int64_t padici_pq_at3(const padici_pq_view *view, uint64_t row, uint64_t head,
                                    uint64_t i)
{
    return (int64_t)row * view->step[0] + (int64_t)head * view->step[1] +
           (int64_t)i * view->step[2];
}

PADICI_INLINE int64_t padici_pq_list_get(const char *at, padic_dtype dtype)
{
    return dtype == PADIC_I64 ? *(const int64_t *)(const void *)at
                              : *(const int32_t *)(const void *)at;
}

PADICI_INLINE void padici_pq_list_put(char *at, padic_dtype dtype, int64_t position)
{
    if (dtype == PADIC_I64) *(int64_t *)(void *)at = position;
    else *(int32_t *)(void *)at = (int32_t)position;
}

// What belongs to a row of the batch, a head of keys, and a sub-vector.
PADICI_INLINE uint64_t padici_pq_book_index(const padici_pq_book *book, uint64_t row, uint64_t head,
                                            uint64_t j)
{
    return ((book->batch == 1 ? 0 : row) * book->groups + head) * book->m + j;
}

// The codes of a tile; NULL where its page is none.
PADICI_FN uint8_t *padici_pq_tile(const padici_pq_store *store, uint64_t row, uint64_t head,
                                  uint64_t tile);
// How many keys of a row can be read, at most `length`: up to the first page that is none.
PADICI_FN uint64_t padici_pq_readable(const padici_pq_store *store, uint64_t row, uint64_t length);

// Whether the lengths of all rows fit, and all their pages are there.
PADICI_FN int padici_pq_store_sound(const padici_pq_store *store);

// The code of key i of a tile, below 2^bits.
PADICI_INLINE uint32_t padici_pq_code(const padici_pq_store *store, const uint8_t *tile, uint64_t j,
                                      uint32_t i)
{
    const uint8_t *codes = tile + j * store->tile_bytes;
    const uint32_t mask = ((uint32_t)1 << store->bits) - 1;
    if (store->tile_bytes == 64) return codes[i] & mask;
    if (store->tile_bytes == 32) return (uint32_t)(codes[i & 31] >> (i >> 5) * 4) & 15u & mask;
    if (store->tile_bytes == PADICI_PQ_PACKED)
        return (((uint32_t)(codes[i & 31] >> (i >> 5) * 4) & 15u) |
                ((uint32_t)(codes[32 + (i & 15)] >> (i >> 4) * 2) & 3u) << 4) &
               mask;
    return *(const uint16_t *)(const void *)(codes + 2 * i) & mask;
}

PADICI_INLINE void padici_pq_code_set(const padici_pq_store *store, uint8_t *tile, uint64_t j,
                                      uint32_t i, uint32_t code)
{
    uint8_t *codes = tile + j * store->tile_bytes;
    const uint32_t shift = (i >> 5) * 4, pair = (i >> 4) * 2;
    if (store->tile_bytes == 64) {
        codes[i] = (uint8_t)code;
    } else if (store->tile_bytes == 128) {
        *(uint16_t *)(void *)(codes + 2 * i) = (uint16_t)code;
    } else {
        codes[i & 31] = (uint8_t)((codes[i & 31] & ~(15u << shift)) | (code & 15u) << shift);
        if (store->tile_bytes == 32) return;
        codes += 32 + (i & 15);
        *codes = (uint8_t)((*codes & ~(3u << pair)) | (code >> 4) << pair);
    }
}

// Codes of tiles of 48 bytes as bytes.
PADICI_FN void padici_pq_unpack(const uint8_t *packed, uint64_t runs, uint8_t *out);

// Memory of a call: the caller's, or the allocator's; `each` bytes for each of `workers`.
typedef struct padici_pq_space {
    char *at;
    uint64_t each, size;
    uint32_t workers, owned;
} padici_pq_space;
PADICI_FN uint64_t padici_pq_space_bytes(const padic_jobs *jobs, uint64_t tasks, uint64_t each,
                                         padici_pq_space *space);
PADICI_FN padic_result padici_pq_space_begin(const padic_env *env, const padic_tensor *workspace,
                                             uint64_t tasks, uint64_t each,
                                             padici_pq_space *space);
PADICI_FN void padici_pq_space_end(const padic_env *env, padici_pq_space *space);

#endif
