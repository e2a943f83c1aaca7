#include "kernels.h"
#include "number.h"

#if PADICI_IMPLEMENT_PQ

// The inner loops in plain C.

static void padici_pq_plain_dots(const float *x, const float *c, uint64_t n, uint64_t cells,
                                 float *out)
{
    uint64_t i, k;
    for (k = 0; k < cells; k++) out[k] = x[0] * c[k];
    for (i = 1; i < n; i++) {
        const float *row = c + i * cells, xi = x[i];
        for (k = 0; k < cells; k++) out[k] = out[k] + xi * row[k];
    }
}

// Key i of the codes of a sub-vector in a tile.
PADICI_INLINE uint32_t padici_pq_plain_code(const uint8_t *codes, uint32_t bits, uint32_t i)
{
    return bits > 4 ? codes[i] : (uint32_t)(codes[i & 31] >> (i >> 5) * 4) & 15u;
}

static uint64_t padici_pq_plain_cells(const uint8_t *tiles, uint64_t count, uint32_t bits,
                                      const uint8_t *rank, const uint8_t *most,
                                      const uint8_t *above, uint64_t *mask)
{
    const uint32_t step = bits > 4 ? 64 : 32;
    uint64_t t, some = 0;
    uint32_t i;
    for (t = 0; t < count; t++, tiles += 2 * step) {
        uint64_t any = 0, best = 0;
        for (i = 0; i < 64; i++) {
            const uint32_t c0 = padici_pq_plain_code(tiles, bits, i) & 63u;
            const uint32_t at =
                rank[padici_pq_plain_code(tiles + step, bits, i) & 63u];
            any |= (uint64_t)(at < most[c0]) << i;
            best |= (uint64_t)(at < above[c0]) << i;
        }
        mask[2 * t] = any;
        mask[2 * t + 1] = best;
        some |= (uint64_t)(any != 0) << t;
    }
    return some;
}

static void padici_pq_plain_sums(const uint8_t *tiles, uint64_t count, uint64_t m,
                                 uint32_t bits, const uint8_t *table, uint16_t *out)
{
    const uint32_t step = bits > 4 ? 64 : 32;
    uint64_t t, j;
    uint32_t i;
    for (t = 0; t < count; t++, out += 64) {
        memset(out, 0, 64 * sizeof *out);
        for (j = 0; j < m; j++, tiles += step) {
            const uint8_t *row = table + 256 * j;
            for (i = 0; i < 64; i++)
                out[i] = (uint16_t)(out[i] + row[padici_pq_plain_code(tiles, bits, i)]);
        }
    }
}

static uint64_t padici_pq_plain_tops(const uint16_t *sums, uint64_t n, uint32_t least,
                                     uint64_t most, uint32_t *place)
{
    uint64_t count = 0, i;
    for (i = 0; i < n; i++) {
        if (sums[i] < least) continue;
        if (count == most) return UINT64_MAX;
        place[count++] = (uint32_t)i;
    }
    return count;
}

static void padici_pq_plain_ranks(const uint32_t *order, uint32_t cells, uint8_t *rank)
{
    padici_pq_ranks_loop(order, cells, rank);
}

static void padici_pq_plain_rows_dots(const double *q, const char *const *row, uint64_t n,
                                      uint64_t d, padic_dtype dtype, double *out)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    uint64_t j, i;
    for (j = 0; j < n; j++) {
        double sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        if (dtype == PADIC_F32) {
            const float *x = (const float *)(const void *)row[j];
            for (i = 0; i < d; i++) sum[i & 7] = sum[i & 7] + q[i] * (double)x[i];
        } else {
            for (i = 0; i < d; i++)
                sum[i & 7] =
                    sum[i & 7] +
                    q[i] * (double)padici_pq_float(padici_pq_load(row[j] + i * size, dtype));
        }
        out[j] = padici_pq_eight(sum);
    }
}

static void padici_pq_plain_rows_add(const double *w, const char *const *row, uint64_t n,
                                     uint64_t d, padic_dtype dtype, double *o)
{
    uint64_t j, i;
    for (j = 0; j < n; j++) {
        if (dtype == PADIC_F32) {
            const float *x = (const float *)(const void *)row[j];
            for (i = 0; i < d; i++) o[i] = o[i] + w[j] * (double)x[i];
        } else {
            for (i = 0; i < d; i++)
                o[i] = o[i] +
                       w[j] * (double)padici_pq_float(padici_pq_load(row[j] + i * 2, dtype));
        }
    }
}

PADICI_FN const padici_pq_kernels *padici_pq_plain(void)
{
    static const padici_pq_kernels kernels = {
        padici_pq_plain_dots, padici_pq_plain_cells, padici_pq_plain_sums,
        padici_pq_plain_tops, padici_pq_plain_ranks, padici_pq_plain_rows_dots,
        padici_pq_plain_rows_add};
    return &kernels;
}

#endif
