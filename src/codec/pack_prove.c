#include "pack_prove.h"
#include "block_decode.h"
#include "bytes.h"
#include "constants.h"
#include "loops.h"
#include "transforms.h"
#include "pack_block.h"
#include "pack_load.h"
#include "repeats.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: blocks are decoded again, and kept within the tolerance

// The error between two blocks of finite elements: the greatest, or the sum of squares.
PADICI_FN double padici_codec_differ(const padici_codec_box *box, const uint8_t *a,
                                     const uint8_t *b, int squares)
{
    double sum = 0, d;
    size_t i;
    for (i = 0; i < box->n; i++) {
        const uint64_t p = padici_codec_element(a, i, box->size),
                       q = padici_codec_element(b, i, box->size);
        if (p == q) continue;
        if (padici_codec_is_float(box->dtype)) {
            d = padici_codec_value(box->dtype, p) - padici_codec_value(box->dtype, q);
        } else {
            const uint64_t x = padici_codec_to_ordered(box->dtype, p, box->size);
            const uint64_t y = padici_codec_to_ordered(box->dtype, q, box->size);
            const int above = padici_codec_is_signed(box->dtype) ? (int64_t)y > (int64_t)x : y > x;
            d = (double)(above ? y - x : x - y);
        }
        if (d < 0) d = -d;
        if (squares) sum = sum + d * d;
        if (!squares && d > sum) sum = d;
    }
    return sum;
}

// 1 if |x - y| <= share |x|, exactly: a product and a difference as two doubles each. Powers of two
// keep both away from overflow and underflow. For infinities and NaN it is 0: d is infinite and
// product is not, or d, product or low is NaN, which fails every comparison.
static int padici_codec_within_share(double x, double y, double share)
{
    const double size = x < 0 ? -x : x, most = size * share;
    double scale = 1, high, low, product, remainder, d, z;
    if (most >= 1e-280 && padici_codec_is_within(x, y, most * (1 - 4.5e-16))) return 1;
    if (size < 1e-100) scale = 1.3407807929942597e154; // 2^512
    if (size > 1e150) scale = 7.458340731200207e-155;  // 2^-512
    x *= scale;
    y *= scale;
    if (x < 0) x = -x, y = -y;
    product = x * share; // remainder = x share - product: x and share in halves of 26 bits
    z = x * 134217729.0;
    high = z - (z - x);
    low = x - high;
    z = share * 134217729.0;
    d = z - (z - share);
    z = share - d;
    remainder = ((high * d - product) + high * z + low * d) + low * z;
    d = x - y; // and its rounding error
    z = d - x;
    low = (x - (d - z)) + (-y - z);
    if (d < 0) d = -d, low = -low;
    return d < product || (d == product && low <= remainder);
}

// 1 if elements b equal a within the tolerance, exactly; NaN must match to the bit.
static PADICI_NOINLINE int padici_codec_keeps(const padici_codec_loops *loops,
                                              const padici_codec_box *box,
                                              const padici_codec_tolerance *tolerance,
                                              const uint8_t *a, const uint8_t *b)
{
    const int pointwise = tolerance->mode == PADIC_CODEC_TOLERANCE_POINTWISE;
    const uint64_t most =
        tolerance->absolute < 18446744073709551615.0 ? (uint64_t)tolerance->absolute : UINT64_MAX;
    const int floats = (box->dtype == PADIC_F32 || box->dtype == PADIC_F64) && !PADICI_BIG_ENDIAN;
    size_t i;
    for (i = 0; i < box->n; i++) {
        uint64_t p, q;
        if (i % 256 == 0 && !pointwise) { // a stretch by rounded differences, if they do
            const size_t count = padici_codec_least(256, box->n - i), at = i * box->size;
            if (floats ? (*loops->within)(box->dtype, a + at, b + at, count, tolerance->absolute)
                       : !memcmp(a + at, b + at, count * box->size)) {
                i += count - 1;
                continue;
            }
        }
        p = padici_codec_element(a, i, box->size);
        q = padici_codec_element(b, i, box->size);
        if (p == q) continue;
        if (padici_codec_is_float(box->dtype)) {
            const double x = padici_codec_value(box->dtype, p),
                         y = padici_codec_value(box->dtype, q);
            if (pointwise ? !padici_codec_within_share(x, y, tolerance->pointwise)
                          : !padici_codec_is_within(x, y, tolerance->absolute))
                return 0;
        } else {
            const uint64_t x = padici_codec_to_ordered(box->dtype, p, box->size);
            const uint64_t y = padici_codec_to_ordered(box->dtype, q, box->size);
            const int above = padici_codec_is_signed(box->dtype) ? (int64_t)y > (int64_t)x : y > x;
            if ((above ? y - x : x - y) > most) return 0;
        }
    }
    return 1;
}

// 1 if the payload is the raw elements in w->raw.
static int padici_codec_is_raw(const padici_codec_work *w, const padici_codec_box *box, size_t size)
{
    return w->payload[0] == PADICI_CODEC_TRANSFORM_RAW &&
           size == box->n * box->size + 1 + PADICI_CODEC_PAYLOAD_PAD &&
           !memcmp(w->payload + 1, w->raw, size - 1 - PADICI_CODEC_PAYLOAD_PAD);
}

PADICI_FN size_t padici_codec_reencode(padici_codec_work *w, const padici_codec_box *box)
{
    const size_t size = padici_codec_pack_raw(w, box);
    PADICI_CODEC_REENCODED;
    w->reencoded++;
    if (!padici_codec_is_raw(w, box, size)) w->broken = 1;
    return size;
}

// Decodes the payload of a block as a reader will, and stores the block raw if it does not match.
// Within a tolerance w->raw then has the decoded elements. Returns the payload's size.
PADICI_FN PADICI_NOINLINE size_t padici_codec_prove_block(const padici_codec_packing *packing,
                                                          padici_codec_work *w,
                                                          const padici_codec_box *box,
                                                          const padici_codec_tolerance *tolerance,
                                                          uint64_t index, size_t size)
{
    const int exact = tolerance->mode == PADIC_CODEC_TOLERANCE_NONE;
    const uint32_t reach = padici_codec_reach(w->payload, size);
    const size_t all = box->n * box->size;
    uint8_t *const source = w->raw;
    padici_codec_plan plan;
    int good;
    if (exact && !packing->proving) return size;
    if (exact && padici_codec_is_raw(w, box, size)) return size;
    w->past = 0;
    if (reach) {
        const uint32_t span = packing->header.grid.span, slot = (uint32_t)(index % span);
        const padici_codec_kept *kept = packing->kept + index / span % packing->supers;
        w->past = kept->starts[slot] - kept->starts[slot - reach];
        w->history = kept->history + kept->starts[slot - reach] * box->size;
    }
    if (exact) w->raw = (uint8_t *)w->trial; // the packer no longer needs it
    good = padici_codec_take_block(w, box, w->payload, size, &plan, NULL);
    w->past = 0;
    if (exact) {
        good = good && !memcmp(source, w->raw, all);
        w->raw = source;
    } else if (packing->proving || !good) {
        padici_codec_box same;
        (void)padici_codec_load_block(packing, index, w->record, &same);
        good = good && padici_codec_keeps(w->loops, box, tolerance, w->record, w->raw);
        if (!good) memcpy(w->raw, w->record, all);
    }
    return good ? size : padici_codec_reencode(w, box);
}

#endif
