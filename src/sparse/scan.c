#include "scan.h"
#include "encode.h"
#include "index.h"
#include "kept.h"

#if PADICI_IMPLEMENT_SPARSE

// Loops

PADICI_INLINE int padici_sparse_kept(const padic_sparse_call *c, uint64_t key)
{
    return ((key * c->factor + c->bias) & c->mask) > c->limit;
}

// Counters of one width, and the largest |x| that is at most `most`: simple enough for compilers to
// do many at once. A counter as wide as a key does not overflow within a block.
#define PADICI_SPARSE_WIDTH(T, W, BITS, BLOCK)                                                    \
    static uint64_t padici_sparse_count##BITS(const padic_sparse_call *c, const uint8_t *key)     \
    {                                                                                             \
        const W factor = (W)c->factor, bias = (W)c->bias;                                         \
        const T mask = (T)c->mask, limit = (T)c->limit;                                           \
        const int simple = factor == 1 && !bias;                                                  \
        uint64_t total = 0, i = 0;                                                                \
        while (i < c->cols) {                                                                     \
            const uint64_t stop = c->cols - i > (BLOCK) ? i + (BLOCK) : c->cols;                  \
            T kept = 0, k;                                                                        \
            if (simple)                                                                           \
                for (; i < stop; i++) {                                                           \
                    memcpy(&k, key + i * sizeof k, sizeof k);                                     \
                    kept = (T)(kept + ((T)(k & mask) > limit));                                   \
                }                                                                                 \
            for (; i < stop; i++) {                                                               \
                memcpy(&k, key + i * sizeof k, sizeof k);                                         \
                kept = (T)(kept + ((T)((T)(k * factor + bias) & mask) > limit));                  \
            }                                                                                     \
            total += kept;                                                                        \
        }                                                                                         \
        return total;                                                                             \
    }                                                                                             \
    PADICI_FN uint64_t padici_sparse_largest##BITS(const uint8_t *key, uint64_t n,                \
                                                   uint64_t mask, int is_signed, uint64_t most)   \
    {                                                                                             \
        const T all = (T)mask, top = (T)most;                                                     \
        T best = 0, k, s;                                                                         \
        uint64_t i;                                                                               \
        for (i = 0; i < n; i++) {                                                                 \
            memcpy(&k, key + i * sizeof k, sizeof k);                                             \
            s = (T)(is_signed ? (W)0 - (W)(k >> ((BITS)-1)) : 0);                                 \
            k = (T)(((W)(k & all) ^ s) - s);                                                      \
            if (k <= top && k > best) best = k;                                                   \
        }                                                                                         \
        return best;                                                                              \
    }

PADICI_SPARSE_WIDTH(uint8_t, uint32_t, 8, 255u)

PADICI_SPARSE_WIDTH(uint16_t, uint32_t, 16, 65535u)

PADICI_SPARSE_WIDTH(uint32_t, uint32_t, 32, 1u << 30)

PADICI_SPARSE_WIDTH(uint64_t, uint64_t, 64, 1u << 30)

// The entries of one row from `at` on; what `at` is afterwards. Writes without a branch while there
// is room for one more than is kept.
PADICI_INLINE uint64_t padici_sparse_fill(const padic_sparse_call *c, const uint8_t *key,
                                          uint64_t at, uint32_t size, uint32_t wide)
{
    const uint32_t each = 8 / size, any = c->factor == 1 && !(c->bias | c->limit);
    const uint64_t spread = c->mask * (UINT64_MAX / padici_sparse_full(size));
    uint8_t *col = (uint8_t *)c->col, *value = (uint8_t *)c->value;
    uint64_t i, j, n;
    for (i = 0; i < c->cols; i += n, key += n * size) {
        int sure;
        n = c->cols - i;
        if (n >= each) {
            n = each;
            if (any && !(padici_sparse_key(key, 8) & spread)) continue;
        }
        sure = value && n == each && c->room - at >= each;
        for (j = 0; j < n; j++) {
            const uint64_t k = padici_sparse_key(key + j * size, size);
            if (!sure && !padici_sparse_kept(c, k)) continue;
            padici_sparse_index_set(col, wide, at, c->first + i + j);
            if (value) padici_sparse_key_set(value + at * size, size, k);
            at += (uint64_t)padici_sparse_kept(c, k);
        }
    }
    return at;
}

static uint64_t padici_sparse_fill_row(const padic_sparse_call *c, const uint8_t *key, uint64_t at)
{
    switch (c->size * 16 + c->index_size) {
    case 1 * 16 + 4: return padici_sparse_fill(c, key, at, 1, 0);
    case 1 * 16 + 8: return padici_sparse_fill(c, key, at, 1, 1);
    case 2 * 16 + 4: return padici_sparse_fill(c, key, at, 2, 0);
    case 2 * 16 + 8: return padici_sparse_fill(c, key, at, 2, 1);
    case 4 * 16 + 4: return padici_sparse_fill(c, key, at, 4, 0);
    case 4 * 16 + 8: return padici_sparse_fill(c, key, at, 4, 1);
    case 8 * 16 + 4: return padici_sparse_fill(c, key, at, 8, 0);
    default: return padici_sparse_fill(c, key, at, 8, 1);
    }
}

PADICI_FN void padici_sparse_plain(padic_sparse_call *c, uint32_t kernel)
{
    const uint8_t *key = (const uint8_t *)c->key;
    uint64_t r, at = 0;
    for (r = 0; r < c->rows; r++, key += c->stride * c->size) {
        if (c->row_ptr)
            padici_sparse_index_set((uint8_t *)c->row_ptr, c->index_size == 8, r, c->start + at);
        if (kernel == PADIC_OP_SPARSE_FILL_LOOP)
            at = padici_sparse_fill_row(c, key, at);
        else
            at += c->size == 1   ? padici_sparse_count8(c, key)
                  : c->size == 2 ? padici_sparse_count16(c, key)
                  : c->size == 4 ? padici_sparse_count32(c, key)
                                 : padici_sparse_count64(c, key);
    }
    c->kept = at;
}

#undef PADICI_SPARSE_WIDTH

#endif
