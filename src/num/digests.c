#include "../core/platform.h"
#include "../core/splitmix.h"
#include "../core/words.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// ---- digests

#define PADICI_NUM_MERSENNE ((UINT64_C(1) << 61) - 1)

// h r + w modulo 2^61 - 1, for h and r below 2^61 + 8: below 2^61 + 8 again, not quite reduced.
PADICI_INLINE uint64_t padici_num_digest_step(uint64_t h, uint64_t r, uint64_t w)
{
    const padici_num_wide x = padici_num_wide_mul(h, r);
    const uint64_t s = (x.low & PADICI_NUM_MERSENNE) + (x.low >> 61 | x.high << 3) + w;
    return (s & PADICI_NUM_MERSENNE) + (s >> 61);
}

PADIC_API void padic_num_digest_init(padic_num_digest *digest, uint64_t seed)
{
    // A counter that no record uses: its words 1 and 3 stay below 2^29.
    static const uint32_t counter[4] = {0, UINT32_MAX, 0, UINT32_MAX};
    uint32_t w[4];
    if (!digest) return;
    memset(digest, 0, sizeof *digest);
    digest->seed = seed;
    padici_philox((uint32_t)seed, (uint32_t)(seed >> 32), counter, w);
    digest->point[0] = (w[0] | (uint64_t)w[1] << 32) % PADICI_NUM_MERSENNE;
    digest->point[1] = (w[2] | (uint64_t)w[3] << 32) % PADICI_NUM_MERSENNE;
}

// The two elements of Z/2^64 that a record adds. Its polynomial has the coefficients 1, size (high
// word, low word), id (the same), and the data, four bytes per word, lowest first, the last word
// padded with zeros; the 1 distinguishes a long record from a short one that begins with zeros.
static void padici_num_digest_record(const padic_num_digest *digest, uint64_t id, const void *data,
                                 size_t size, uint64_t out[2])
{
    const uint64_t a = digest->point[0], b = digest->point[1], length = size;
    const uint8_t *p = (const uint8_t *)data;
    size_t left;
    uint8_t last[4] = {0, 0, 0, 0};
    uint64_t head[4], x = 1, y = 1;
    uint32_t counter[4], w[4], k;
    head[0] = length >> 32;
    head[1] = (uint32_t)length;
    head[2] = id >> 32;
    head[3] = (uint32_t)id;
    for (k = 0; k < 4; k++) {
        x = padici_num_digest_step(x, a, head[k]);
        y = padici_num_digest_step(y, b, head[k]);
    }
    for (left = size; left >= 4; left -= 4, p += 4) {
        x = padici_num_digest_step(x, a, padici_load32(p));
        y = padici_num_digest_step(y, b, padici_load32(p));
    }
    if (left) {
        memcpy(last, p, left);
        x = padici_num_digest_step(x, a, padici_load32(last));
        y = padici_num_digest_step(y, b, padici_load32(last));
    }
    if (x >= PADICI_NUM_MERSENNE) x -= PADICI_NUM_MERSENNE;
    if (y >= PADICI_NUM_MERSENNE) y -= PADICI_NUM_MERSENNE;
    counter[0] = (uint32_t)x;
    counter[1] = (uint32_t)(x >> 32);
    counter[2] = (uint32_t)y;
    counter[3] = (uint32_t)(y >> 32);
    padici_philox((uint32_t)digest->seed, (uint32_t)(digest->seed >> 32), counter, w);
    out[0] = w[0] | (uint64_t)w[1] << 32;
    out[1] = w[2] | (uint64_t)w[3] << 32;
}

// Adds a record `times` times, modulo 2^64.
static void padici_num_digest_put(padic_num_digest *digest, uint64_t id, const void *data,
                                  size_t size, uint64_t times)
{
    uint64_t x[2];
    padici_num_digest_record(digest, id, data, size, x);
    digest->count += times;
    digest->sum[0] += times * x[0];
    digest->sum[1] += times * x[1];
}

PADIC_API void padic_num_digest_add(padic_num_digest *digest, uint64_t id, const void *data,
                                    size_t size)
{
    if (digest && (data || !size)) padici_num_digest_put(digest, id, data, size, 1);
}

PADIC_API void padic_num_digest_remove(padic_num_digest *digest, uint64_t id, const void *data,
                                       size_t size)
{
    if (digest && (data || !size)) padici_num_digest_put(digest, id, data, size, UINT64_MAX);
}

PADIC_API void padic_num_digest_update(padic_num_digest *digest, uint64_t id, const void *before,
                                       const void *after, size_t size)
{
    padic_num_digest_remove(digest, id, before, size);
    padic_num_digest_add(digest, id, after, size);
}

PADIC_API padic_result padic_num_digest_merge(padic_num_digest *digest,
                                              const padic_num_digest *other)
{
    if (!digest || !other) return PADIC_ERROR_ARGUMENT;
    if (digest->seed != other->seed) return PADIC_ERROR_MISMATCH;
    digest->count += other->count;
    digest->sum[0] += other->sum[0];
    digest->sum[1] += other->sum[1];
    return PADIC_OK;
}

#undef PADICI_NUM_MERSENNE

#endif
