#include "pack_search.h"
#include "differences.h"
#include "transforms.h"
#include "grid.h"
#include "header.h"
#include "pack_tolerance.h"
#include "pack_load.h"
#include "pack_workers.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: the search for a tolerance, from a mean square or a size

// A trial of all blocks with a tolerance: their size (with header and index) and the squares of
// errors.
static uint64_t padici_codec_try_tolerance(const padic_codec_pack_desc *desc,
                                           padici_codec_packing *packing, double absolute,
                                           uint64_t *offsets)
{
    const padici_codec_sink sink = packing->sink;
    const uint64_t total = packing->header.grid.total;
    uint64_t size;
    uint32_t layer;
    memset(&packing->sink, 0, sizeof packing->sink); // without a destination it only counts
    packing->tolerance.mode =
        absolute > 0 ? PADIC_CODEC_TOLERANCE_ABSOLUTE : PADIC_CODEC_TOLERANCE_NONE;
    packing->tolerance.absolute = packing->header.error_bound = absolute;
    padici_codec_layer_tolerances(desc, packing);
    packing->measuring = 1;
    packing->squares = 0;
    for (layer = 0; layer < packing->header.layers; layer++) {
        packing->layer = layer;
        packing->squares = 0; // of the last layer
        (void)padici_codec_pack_blocks(packing, 0, total, offsets);
    }
    packing->measuring = 0;
    size = packing->sink.written + packing->header.size + PADICI_CODEC_INDEX_FIXED +
           8 * total * packing->header.layers;
    packing->sink = sink;
    return size;
}

// The bound that ensures the mean square: a part of a complex number has half of it.
PADICI_FN double padici_codec_least_rms(const padic_codec_pack_desc *desc)
{
    return padici_codec_parts(desc->tensor.dtype) == 2
               ? padici_codec_product_down(desc->tolerance, 0.70710678118654746)
               : desc->tolerance;
}

// The largest bound whose errors keep the mean square. Errors spread evenly over a step give a
// factor of the square root of 3; a bound equal to the target always works.
PADICI_FN PADICI_NOINLINE void padici_codec_search_rms(const padic_codec_pack_desc *desc,
                                                       padici_codec_packing *packing,
                                                       uint64_t *offsets)
{
    const padici_codec_grid *grid = &packing->header.grid;
    const double least = padici_codec_least_rms(desc);
    double allowed, best = 0, factor = 1.71875, count = 0;
    uint64_t b;
    uint32_t k;
    padici_codec_box box;
    size_t i;
    for (b = 0; b < grid->total; b++) {
        (void)padici_codec_load_block(packing, b, packing->work->raw, &box);
        if (!padici_codec_is_float(box.dtype)) {
            count += (double)box.n;
            continue;
        }
        for (i = 0; i < box.n; i++) {
            const double x = padici_codec_value(
                box.dtype, padici_codec_element(packing->work->raw, i, box.size));
            count += x - x == 0;
        }
    }
    if (padici_codec_parts(grid->dtype) == 2) count *= 0.5;
    // (1 - 2^-20): the sums are rounded
    allowed = desc->tolerance * desc->tolerance * (1 - 1.0 / 1048576) * count;
    for (k = 0; k < 12 && !packing->steps.stop; k++) {
        if (!(least * factor < 1e300)) break;
        (void)padici_codec_try_tolerance(desc, packing, least * factor, offsets);
        if (packing->squares <= allowed && allowed < DBL_MAX && allowed > 1e-290) {
            best = least * factor;
            if (factor < 1.71875 || factor > 16) break;
            factor *= 1.25;
        } else {
            if (best > 0 || factor < 1.125) break;
            factor *= 0.9375;
        }
    }
    if (!(best > 0)) best = least;
    else packing->allowed = allowed;
    packing->tolerance.mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    packing->tolerance.absolute = packing->header.error_bound = best;
}

// The smallest bound, in quarter powers of two of the range, that does not exceed the size. 0:
// there is none; the size at the largest bound is in *size.
PADICI_FN int padici_codec_search_fixed(const padic_codec_pack_desc *desc,
                                        padici_codec_packing *packing, uint64_t *offsets,
                                        uint64_t *size)
{
    static const double quarter[4] = {1, 0.8408964152537145, 0.7071067811865476,
                                      0.5946035575013605};
    const double range = padici_codec_measure_range(packing);
    const uint64_t most =
        desc->tolerance < 9e15 ? (uint64_t)desc->tolerance : UINT64_C(9000000000000000);
    uint32_t low = 0, high = 256, i; // low fits, high does not
    *size = padici_codec_try_tolerance(desc, packing, 0, offsets);
    if (*size <= most) return 1;
    *size = padici_codec_try_tolerance(desc, packing, range, offsets);
    if (*size > most) return 0;
    while (high - low > 1 && !packing->steps.stop) {
        const uint32_t middle = (low + high) / 2;
        double step = range * quarter[middle % 4];
        for (i = 0; i < middle / 4; i++) step *= 0.5;
        if (padici_codec_try_tolerance(desc, packing, step, offsets) <= most)
            low = middle;
        else high = middle;
    }
    packing->tolerance.mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    packing->tolerance.absolute = range * quarter[low % 4];
    for (i = 0; i < low / 4; i++) packing->tolerance.absolute *= 0.5;
    packing->header.error_bound = packing->tolerance.absolute;
    return 1;
}

#endif
