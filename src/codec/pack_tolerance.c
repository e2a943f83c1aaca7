#include "pack_tolerance.h"
#include "../core/jobs.h"
#include "differences.h"
#include "loops.h"
#include "transforms.h"
#include "grid.h"
#include "pack_check.h"
#include "pack_load.h"
#include "streams.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: bounds of the error, of an array, a layer and a block

#define PADICI_CODEC_RANGE_PART 4096u // elements of which the spread is found at once

// a - b and a b, a, b >= 0, rounded down. The rounding error is known exactly (Knuth's two-sum;
// Dekker's product of halves of the mantissas).
PADICI_FN double padici_codec_down(double x)
{
    return x > 0 ? padici_codec_double_of(padici_codec_bits_of(x) - 1) : x;
}

PADICI_FN double padici_codec_product_down(double a, double b)
{
    const double p = a * b, split = 134217729.0;
    double ah, al, bh, bl;
    if (!(p <= DBL_MAX)) return DBL_MAX;
    if (a > 1e290 || b > 1e290 || p < 1e-280)
        return padici_codec_down(p); // halves would not be exact
    ah = a * split, ah = ah - (ah - a), al = a - ah;
    bh = b * split, bh = bh - (bh - b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl < 0 ? padici_codec_down(p) : p;
}

PADICI_FN double padici_codec_difference_down(double a, double b)
{
    const double d = a - b, z = d - a;
    if (!(d <= DBL_MAX)) return DBL_MAX;
    return (a - (d - z)) + (-b - z) < 0 ? padici_codec_down(d) : d;
}

// The least factor of the tolerance in a block; 0: lossless.
static double padici_codec_block_importance(const padici_codec_packing *packing, uint64_t index)
{
    const padici_codec_grid *grid = &packing->header.grid;
    const padici_codec_side *aside = &packing->importance;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK], at[PADIC_MAX_RANK];
    double least = DBL_MAX;
    padici_codec_box box;
    uint32_t k;
    int one = 1;
    padici_codec_grid_block(grid, index, begin, extent, &box);
    for (k = 0; k < grid->axes; k++) one &= aside->shape[k] == grid->blocks[k];
    for (k = 0; k < grid->axes && one; k++) {
        begin[k] /= grid->block[k];
        extent[k] = 1;
    }
    memset(at, 0, sizeof at);
    for (;;) {
        const uint8_t *p = aside->data;
        float x;
        for (k = 0; k < grid->axes; k++) p += (int64_t)(begin[k] + at[k]) * aside->stride[k] * 4;
        memcpy(&x, p, 4);
        if (!(x > 0 && x <= FLT_MAX)) return 0;
        if ((double)x < least) least = (double)x;
        for (k = grid->axes; k-- > 0;) {
            if (++at[k] < extent[k]) break;
            at[k] = 0;
        }
        if (k == UINT32_MAX) return least;
    }
}

// The bound of one layer in one block.
PADICI_FN padici_codec_tolerance padici_codec_block_tolerance(const padici_codec_packing *packing,
                                                              uint32_t layer, uint64_t index)
{
    padici_codec_tolerance tolerance = packing->layers[layer];
    double factor;
    if (!packing->importance.data || tolerance.mode == PADIC_CODEC_TOLERANCE_NONE) return tolerance;
    factor = padici_codec_block_importance(packing, index);
    tolerance.absolute = padici_codec_product_down(tolerance.absolute, factor);
    tolerance.pointwise = padici_codec_product_down(tolerance.pointwise, factor);
    if (tolerance.pointwise >= 1) tolerance.pointwise = 0.9375;
    if (!(factor > 0) ||
        (tolerance.mode != PADIC_CODEC_TOLERANCE_POINTWISE && !(tolerance.absolute > 0)))
        tolerance.mode = PADIC_CODEC_TOLERANCE_NONE;
    return tolerance;
}

// The values of one worker's part: least and greatest, of integers in unsigned order.
typedef struct padici_codec_range {
    double low, high;
    uint64_t first, last;
    int any;
} padici_codec_range;

static void padici_codec_widen_range(padici_codec_range *range, double low, double high)
{
    if (!range->any || low < range->low) range->low = low;
    if (!range->any || high > range->high) range->high = high;
    range->any = 1;
}

// Part of an array of F32 or F64 without gaps. Infinities are rare: they are left out one by one.
static void padici_codec_range_part(const padici_codec_loops *loops, padic_dtype dtype,
                                    const uint8_t *data, uint64_t n, padici_codec_range *range)
{
    const uint32_t size = padic_dtype_size(dtype);
    uint64_t i, k;
    for (i = 0; i < n; i += PADICI_CODEC_RANGE_PART) {
        const size_t count = n - i < PADICI_CODEC_RANGE_PART ? (size_t)(n - i)
                                                             : PADICI_CODEC_RANGE_PART;
        double low, high;
        (*loops->range)(dtype, data + i * size, count, &low, &high);
        if (low - low == 0 && high - high == 0) {
            padici_codec_widen_range(range, low, high);
            continue;
        }
        for (k = i; k < i + count && low <= high; k++) {
            float single = 0;
            double x = 0;
            if (dtype == PADIC_F32) {
                memcpy(&single, data + 4 * k, 4);
                x = (double)single;
            } else {
                memcpy(&x, data + 8 * k, 8);
            }
            if (x - x == 0) padici_codec_widen_range(range, x, x);
        }
    }
}

// The elements of an array of F32 or F64 without gaps; 0: it is none.
static uint64_t padici_codec_range_elements(const padici_codec_packing *packing)
{
    const padici_codec_grid *grid = &packing->header.grid;
    const padic_dtype dtype = padici_codec_scalar(grid->dtype);
    int64_t dense[PADIC_MAX_RANK];
    uint64_t n = padici_codec_parts(grid->dtype);
    uint32_t k;
    if (dtype != PADIC_F32 && dtype != PADIC_F64) return 0;
    padici_codec_dense_strides(grid->shape, grid->axes, dense);
    for (k = 0; k < grid->axes; k++) {
        if (grid->shape[k] > 1 && packing->stride[k] != dense[k]) return 0;
        n *= grid->shape[k];
    }
    return n;
}

static void padici_codec_range_task(void *arg, uint32_t task)
{
    padici_codec_packing *packing = (padici_codec_packing *)arg;
    padici_codec_work *w = packing->work + task;
    const padic_dtype dtype = padici_codec_scalar(packing->header.grid.dtype);
    const uint64_t all = padici_codec_range_elements(packing);
    const uint64_t each = all / packing->workers + 1, from = each * task;
    padici_codec_range range;
    padici_codec_box box;
    uint64_t b;
    size_t i;
    memset(&range, 0, sizeof range);
    if (from < all)
        padici_codec_range_part(w->loops, dtype, packing->data + from * padic_dtype_size(dtype),
                                each < all - from ? each : all - from, &range);
    for (b = task; b < packing->header.grid.total && !all; b += packing->workers) {
        (void)padici_codec_load_block(packing, b, w->raw, &box);
        for (i = 0; i < box.n; i++) {
            const uint64_t bits = padici_codec_element(w->raw, i, box.size);
            if (padici_codec_is_float(box.dtype)) {
                const double x = padici_codec_value(box.dtype, bits);
                if (x - x == 0) padici_codec_widen_range(&range, x, x);
            } else {
                const uint64_t x = padici_codec_to_ordered(box.dtype, bits, box.size) +
                                   (padici_codec_is_signed(box.dtype) ? UINT64_C(1) << 63 : 0);
                if (!range.any || x < range.first) range.first = x;
                if (!range.any || x > range.last) range.last = x;
                range.any = 1;
            }
        }
    }
    memcpy(w->words, &range, sizeof range);
}

// The spread of the finite values of an array, rounded down.
PADICI_FN double padici_codec_measure_range(padici_codec_packing *packing)
{
    const padic_dtype dtype = padici_codec_scalar(packing->header.grid.dtype);
    padici_codec_range all, part;
    uint32_t i;
    memset(&all, 0, sizeof all);
    padici_parallel(packing->jobs, packing->workers, padici_codec_range_task, packing);
    for (i = 0; i < packing->workers; i++) {
        memcpy(&part, packing->work[i].words, sizeof part);
        if (!part.any) continue;
        if (!all.any || part.low < all.low) all.low = part.low;
        if (!all.any || part.high > all.high) all.high = part.high;
        if (!all.any || part.first < all.first) all.first = part.first;
        if (!all.any || part.last > all.last) all.last = part.last;
        all.any = 1;
    }
    if (!all.any) return 0;
    if (padici_codec_is_float(dtype)) return padici_codec_difference_down(all.high, all.low);
    all.last -= all.first;
    if (all.last >> 53 == 0) return (double)(int64_t)all.last;
    return padici_codec_down((double)(int64_t)(all.last >> 1) *
                             2); // the conversion may have rounded up
}

// The bound of one scalar; a complex number's error is shared by its parts.
PADICI_FN double padici_codec_scalar_tolerance(const padic_codec_pack_desc *desc, double range)
{
    const double absolute = desc->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE
                                ? padici_codec_product_down(desc->tolerance, range)
                                : desc->tolerance;
    return padici_codec_parts(desc->tensor.dtype) == 1
               ? absolute
               : padici_codec_product_down(absolute, 0.70710678118654746);
}

PADICI_FN void padici_codec_measure_tolerance(const padic_codec_pack_desc *desc,
                                              padici_codec_packing *packing)
{
    const int asked = desc->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE && !(desc->range > 0);
    double absolute;
    packing->tolerance.mode = desc->tolerance_mode;
    packing->tolerance.pointwise = desc->tolerance;
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_NONE ||
        desc->tolerance_mode >= PADIC_CODEC_TOLERANCE_POINTWISE)
        return;
    absolute = padici_codec_scalar_tolerance(desc, asked ? padici_codec_measure_range(packing)
                                                         : desc->range);
    packing->header.error_bound = packing->tolerance.absolute = absolute;
    if (!(absolute > 0))
        packing->tolerance.mode = PADIC_CODEC_TOLERANCE_NONE; // all values are equal
}

// Bounds of the layers before the last: coarser by 16 each; if the last is lossless, from 1/64 of
// the range down.
PADICI_FN PADICI_NOINLINE void padici_codec_layer_tolerances(const padic_codec_pack_desc *desc,
                                                             padici_codec_packing *packing)
{
    const uint32_t planes = packing->header.layers;
    double coarse = packing->tolerance.absolute;
    uint32_t k;
    packing->layer = planes - 1;
    packing->layers[planes - 1] = packing->tolerance;
    if (planes == 1) return;
    if (packing->tolerance.mode == PADIC_CODEC_TOLERANCE_NONE ||
        packing->tolerance.mode == PADIC_CODEC_TOLERANCE_POINTWISE) {
        coarse = (desc->range > 0 ? desc->range : padici_codec_measure_range(packing)) / 4;
        for (k = 0; k < planes; k++) coarse /= 16;
    }
    for (k = planes - 1; k-- > 0;) {
        coarse = coarse < DBL_MAX / 16 ? coarse * 16 : DBL_MAX;
        packing->layers[k].mode =
            coarse > 0 ? PADIC_CODEC_TOLERANCE_ABSOLUTE : PADIC_CODEC_TOLERANCE_NONE;
        packing->layers[k].absolute = coarse;
        packing->layers[k].pointwise = 0;
    }
}

#undef PADICI_CODEC_RANGE_PART

#endif
