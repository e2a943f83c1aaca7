#include "differences.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- prediction: chains of differences, xor, median edge

PADICI_FN padici_codec_op padici_codec_axis_op(const padici_codec_box *box, uint32_t axis)
{
    padici_codec_op op;
    uint32_t i;
    op.axis = axis;
    op.stride = 1;
    for (i = axis + 1; i < box->rank; i++) op.stride *= box->extent[i];
    op.segment = op.stride * box->extent[axis];
    op.cubic = 0;
    return op;
}

PADICI_FN padici_codec_op padici_codec_flat_op(uint32_t stride, size_t n)
{
    padici_codec_op op;
    op.axis = PADICI_CODEC_FLAT;
    op.stride = stride;
    op.segment = (uint32_t)n;
    op.cubic = 0;
    return op;
}

// The inverse of one difference or xor on x[from..to) of a sequence that is already decoded before
// `from`: running sums, of unfolded words if `zigzag`. Sums at distances below 8 are carried in
// `carry`; larger distances look back.
PADICI_INLINE void padici_codec_sum_loop(uint64_t *x, size_t from, size_t to,
                                         const padici_codec_op *op, uint64_t *carry, int zigzag,
                                         int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t i = from, lane;
    while (i < to) {
        const size_t place = i % segment, end = padici_codec_least(i + segment - place, to);
        if (stride < 8) {
            if (place == 0) memset(carry, 0, 8 * sizeof *carry);
            for (lane = 0; lane < stride && i + lane < end; lane++) {
                const size_t which = stride == 1 ? 0 : (place + lane) % stride;
                uint64_t sum = carry[which];
                size_t j;
                for (j = i + lane; j < end; j += stride) {
                    const uint64_t r = zigzag ? padici_codec_unfold(x[j]) : x[j];
                    x[j] = sum = exclusive ? sum ^ r : sum + r;
                }
                carry[which] = sum;
            }
        } else {
            const size_t edge = place < stride ? padici_codec_least(i + stride - place, end) : i;
            for (; zigzag && i < edge; i++) x[i] = padici_codec_unfold(x[i]);
            for (i = edge; i < end; i++) {
                const uint64_t r = zigzag ? padici_codec_unfold(x[i]) : x[i];
                x[i] = exclusive ? r ^ x[i - stride] : r + x[i - stride];
            }
        }
        i = end;
    }
}

PADICI_FN void padici_codec_sum(uint64_t *x, size_t from, size_t to, const padici_codec_op *op,
                                uint64_t carry[8], int zigzag, int exclusive)
{
    if (exclusive)
        padici_codec_sum_loop(x, from, to, op, carry, 0, 1);
    else if (zigzag)
        padici_codec_sum_loop(x, from, to, op, carry, 1, 0);
    else
        padici_codec_sum_loop(x, from, to, op, carry, 0, 0);
}

PADICI_FN void padici_codec_difference(const uint64_t *x, uint64_t *to, size_t n,
                                       const padici_codec_op *op, int zigzag, int exclusive)
{
    if (exclusive)
        padici_codec_difference_plain(x, to, n, op, 0, 1);
    else if (zigzag)
        padici_codec_difference_plain(x, to, n, op, 1, 0);
    else
        padici_codec_difference_plain(x, to, n, op, 0, 0);
}

PADICI_FN void padici_codec_lower(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    padici_codec_lower_loop(x, n, first, shift);
}

PADICI_FN uint64_t padici_codec_least_word(const uint64_t *x, size_t n, uint64_t *differ)
{
    uint64_t low = x[0], all = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        if ((int64_t)x[i] < (int64_t)low) low = x[i];
        all |= x[i] ^ x[0];
    }
    *differ = all;
    return low;
}

PADICI_FN size_t padici_codec_count_runs(const uint64_t *z, size_t n)
{
    size_t i, runs = 1;
    for (i = 1; i < n; i++) runs += z[i] != z[i - 1];
    return runs;
}

// Row by row, with the edges separate from the inside.
PADICI_FN void padici_codec_unpredict_median(const padici_codec_predictor *predictor, uint64_t *x,
                                             size_t n, int zigzag)
{
    const size_t column = predictor->op[0].stride, row = predictor->op[1].stride;
    const size_t plane = predictor->op[1].segment;
    size_t from, at, i;
    for (i = 0; zigzag && i < n; i++) x[i] = padici_codec_unfold(x[i]);
    for (from = 0; from < n; from += plane) {
        const size_t end = padici_codec_least(from + plane, n);
        for (at = from; at < end; at += row) {
            const size_t row_end = padici_codec_least(at + row, end);
            const size_t edge = padici_codec_least(at + column, row_end);
            if (at == from) {
                for (i = edge; i < row_end; i++) x[i] += x[i - column];
                continue;
            }
            for (i = at; i < edge; i++) x[i] += x[i - row];
            for (; i < row_end; i++)
                x[i] += padici_codec_median(x[i - column], x[i - row], x[i - row - column]);
        }
    }
}

// ---- elements as floats, in the host's order

// Comparisons with NaN are false, so that these leave the result as it is.
#define PADICI_CODEC_RANGE_OF(FLOAT) \
    FLOAT least[8], most[8]; \
    for (k = 0; k < 8; k++) least[k] = (FLOAT)infinite, most[k] = (FLOAT)-infinite; \
    for (; i + 8 <= n; i += 8) { \
        FLOAT x[8]; \
        memcpy(x, raw + i * sizeof *x, sizeof x); \
        for (k = 0; k < 8; k++) { \
            least[k] = x[k] < least[k] ? x[k] : least[k]; \
            most[k] = x[k] > most[k] ? x[k] : most[k]; \
        } \
    } \
    for (; i < n; i++) { \
        FLOAT x; \
        memcpy(&x, raw + i * sizeof x, sizeof x); \
        *least = x < *least ? x : *least; \
        *most = x > *most ? x : *most; \
    } \
    *low = *high = 0; \
    for (k = 0; k < 8; k++) { \
        if (!k || (double)least[k] < *low) *low = (double)least[k]; \
        if (!k || (double)most[k] > *high) *high = (double)most[k]; \
    }

PADICI_FN void padici_codec_range_loop(padic_dtype dtype, const uint8_t *raw, size_t n, double *low,
                                       double *high)
{
    const double infinite = padici_codec_double_of(UINT64_C(0x7ff) << 52);
    size_t i = 0;
    uint32_t k;
    if (dtype == PADIC_F32) {
        PADICI_CODEC_RANGE_OF(float)
    } else {
        PADICI_CODEC_RANGE_OF(double)
    }
}

#undef PADICI_CODEC_RANGE_OF

PADICI_FN int padici_codec_within_loop(padic_dtype dtype, const uint8_t *a, const uint8_t *b,
                                       size_t n, double tolerance)
{
    uint32_t outside = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        double d;
        if (dtype == PADIC_F32) {
            float x, y;
            memcpy(&x, a + 4 * i, 4);
            memcpy(&y, b + 4 * i, 4);
            d = (double)x - (double)y;
        } else {
            double y;
            memcpy(&d, a + 8 * i, 8);
            memcpy(&y, b + 8 * i, 8);
            d -= y;
        }
        outside |= (uint32_t)!(d < tolerance) | (uint32_t)!(d > -tolerance);
    }
    return !outside;
}

#endif
