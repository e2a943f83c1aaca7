
// The least factor of the bound in a block; 0: lossless.
static double padici_block_importance(const padici_packing *packing, uint64_t index)
{
    const padici_grid *grid = &packing->header.grid;
    const padici_aside *aside = &packing->importance;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK], at[PADIC_MAX_RANK];
    double least = DBL_MAX;
    padici_box box;
    uint32_t k;
    int one = 1;
    padici_grid_block(grid, index, begin, extent, &box);
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

static double padici_down(double x);
static double padici_product_down(double a, double b);

// The bound of one layer in one block.
static padici_bound padici_block_bound(const padici_packing *packing, uint32_t layer,
                                       uint64_t index)
{
    padici_bound bound = packing->layers[layer];
    double factor;
    if (!packing->importance.data || bound.mode == PADIC_BOUND_NONE) return bound;
    factor = padici_block_importance(packing, index);
    bound.absolute = padici_product_down(bound.absolute, factor);
    bound.pointwise = padici_product_down(bound.pointwise, factor);
    if (bound.pointwise >= 1) bound.pointwise = 0.9375;
    if (!(factor > 0) || (bound.mode != PADIC_BOUND_POINTWISE && !(bound.absolute > 0)))
        bound.mode = PADIC_BOUND_NONE;
    return bound;
}

// What the elements of two blocks of finite ones differ by: the greatest, or the sum of squares.
static double padici_differ(const padici_box *box, const uint8_t *a, const uint8_t *b, int squares)
{
    double sum = 0, d;
    size_t i;
    for (i = 0; i < box->n; i++) {
        const uint64_t p = padici_element(a, i, box->size), q = padici_element(b, i, box->size);
        if (p == q) continue;
        if (padici_is_float(box->dtype)) {
            d = padici_value(box->dtype, p) - padici_value(box->dtype, q);
        } else {
            const uint64_t x = padici_ordered(box->dtype, p, box->size);
            const uint64_t y = padici_ordered(box->dtype, q, box->size);
            const int above = padici_is_signed(box->dtype) ? (int64_t)y > (int64_t)x : y > x;
            d = (double)(above ? y - x : x - y);
        }
        if (d < 0) d = -d;
        if (squares) sum = sum + d * d;
        if (!squares && d > sum) sum = d;
    }
    return sum;
}

// Whether |x - y| <= share |x|, exactly: a product and a difference as two doubles each. Powers of
// two keep both away from overflow and underflow. Of what is infinite or no number it is 0: d is
// infinite and product is not, or d, product or low is NaN, which no comparison holds for.
static int padici_within_share(double x, double y, double share)
{
    const double size = x < 0 ? -x : x, most = size * share;
    double scale = 1, high, low, product, rest, d, z;
    if (most >= 1e-280 && padici_within(x, y, most * (1 - 4.5e-16))) return 1;
    if (size < 1e-100) scale = 1.3407807929942597e154; // 2^512
    if (size > 1e150) scale = 7.458340731200207e-155;  // 2^-512
    x *= scale;
    y *= scale;
    if (x < 0) x = -x, y = -y;
    product = x * share; // rest = x share - product: x and share in halves of 26 bits
    z = x * 134217729.0;
    high = z - (z - x);
    low = x - high;
    z = share * 134217729.0;
    d = z - (z - share);
    z = share - d;
    rest = ((high * d - product) + high * z + low * d) + low * z;
    d = x - y; // and what that drops
    z = d - x;
    low = (x - (d - z)) + (-y - z);
    if (d < 0) d = -d, low = -low;
    return d < product || (d == product && low <= rest);
}

// The end of a stretch [from, to) whose elements b all differ from a by less than the bound, as far
// as rounded differences tell; `from` where one may not.
static size_t padici_near(const padici_box *box, double bound, const uint8_t *a, const uint8_t *b,
                          size_t from, size_t to)
{
    uint32_t outside = 0;
    size_t i;
    if (box->dtype == PADIC_F32 && !PADICI_BIG_ENDIAN) {
        for (i = from; i < to; i++) {
            float x, y;
            double d;
            memcpy(&x, a + 4 * i, 4);
            memcpy(&y, b + 4 * i, 4);
            d = (double)x - (double)y;
            outside |= !(d < bound) | !(d > -bound);
        }
    } else if (box->dtype == PADIC_F64 && !PADICI_BIG_ENDIAN) {
        for (i = from; i < to; i++) {
            double x, y;
            memcpy(&x, a + 8 * i, 8);
            memcpy(&y, b + 8 * i, 8);
            x -= y;
            outside |= !(x < bound) | !(x > -bound);
        }
    } else {
        return memcmp(a + from * box->size, b + from * box->size, (to - from) * box->size) ? from
                                                                                          : to;
    }
    return outside ? from : to;
}

// Whether elements b stand for a within the bound, exactly; what is no number to the bit.
static int padici_keeps(const padici_box *box, const padici_bound *bound, const uint8_t *a,
                        const uint8_t *b)
{
    const int pointwise = bound->mode == PADIC_BOUND_POINTWISE;
    const uint64_t most = bound->absolute < 18446744073709551615.0 ? (uint64_t)bound->absolute
                                                                   : UINT64_MAX;
    size_t i, from = 0;
    for (i = 0; i < box->n; i++) {
        uint64_t p, q;
        if (i % 256 == 0 && !pointwise) { // a stretch of them by rounded differences, if these do
            from = padici_near(box, bound->absolute, a, b, i, padici_least(i + 256, box->n));
            if (from > i) {
                i = from - 1;
                continue;
            }
        }
        p = padici_element(a, i, box->size);
        q = padici_element(b, i, box->size);
        if (p == q) continue;
        if (padici_is_float(box->dtype)) {
            const double x = padici_value(box->dtype, p), y = padici_value(box->dtype, q);
            if (pointwise ? !padici_within_share(x, y, bound->pointwise)
                          : !padici_within(x, y, bound->absolute))
                return 0;
        } else {
            const uint64_t x = padici_ordered(box->dtype, p, box->size);
            const uint64_t y = padici_ordered(box->dtype, q, box->size);
            const int above = padici_is_signed(box->dtype) ? (int64_t)y > (int64_t)x : y > x;
            if ((above ? y - x : x - y) > most) return 0;
        }
    }
    return 1;
}

// Whether the payload is the elements in w->raw as they are.
static int padici_is_raw(const padici_work *w, const padici_box *box, size_t size)
{
    return w->payload[0] == PADICI_FORM_RAW &&
           size == box->n * box->size + 1 + PADICI_PAYLOAD_PAD &&
           !memcmp(w->payload + 1, w->raw, size - 1 - PADICI_PAYLOAD_PAD);
}

// The elements in w->raw as they are, in place of what did not come back. Tests end there.
#ifndef PADICI_REENCODED
#define PADICI_REENCODED ((void)0)
#endif
static size_t padici_reencode(padici_work *w, const padici_box *box)
{
    const size_t size = padici_pack_raw(w, box);
    PADICI_REENCODED;
    w->reencoded++;
    if (!padici_is_raw(w, box, size)) w->broken = 1;
    return size;
}

// Decodes the payload of a block as a reader will, and stores the block as it is if it does not
// come back. Within a bound w->raw has the decoded elements then. Returns the payload's size.
static size_t padici_prove_block(const padici_packing *packing, padici_work *w,
                                 const padici_box *box, const padici_bound *bound, uint64_t index,
                                 size_t size)
{
    const int exact = bound->mode == PADIC_BOUND_NONE;
    const uint32_t reach = padici_reach(w->payload, size);
    const size_t all = box->n * box->size;
    uint8_t *const source = w->raw;
    padici_plan plan;
    int good;
    if (exact && !packing->proving) return size;
    if (exact && padici_is_raw(w, box, size)) return size;
    w->past = 0;
    if (reach) {
        const uint32_t span = packing->header.grid.span, slot = (uint32_t)(index % span);
        const padici_kept *kept = packing->kept + index / span % packing->supers;
        w->past = kept->starts[slot] - kept->starts[slot - reach];
        w->history = kept->history + kept->starts[slot - reach] * box->size;
    }
    if (exact) w->raw = (uint8_t *)w->trial; // the packer does not need it now
    good = padici_take_block(w, box, w->payload, size, &plan, NULL);
    w->past = 0;
    if (exact) {
        good = good && !memcmp(source, w->raw, all);
        w->raw = source;
    } else if (packing->proving || !good) {
        padici_box same;
        (void)padici_load_block(packing, index, w->record, &same);
        good = good && padici_keeps(box, bound, w->record, w->raw);
        if (!good) memcpy(w->raw, w->record, all);
    }
    return good ? size : padici_reencode(w, box);
}

// Whether the layer before came out as it did when it was emitted: the reader has that one.
static int padici_layer_stands(const padici_packing *packing, const padici_work *w, uint64_t index)
{
    const uint64_t total = packing->header.grid.total;
    const uint64_t *place = packing->places + (index - packing->first);
    return !packing->above ||
           padici_load64(packing->above + place[-(int64_t)total] + 8) == w->digest;
}

// Packs one block, layer after layer as far as the one that is emitted. The last payload stands in
// w->payload, what the decoder will have in w->raw.
static size_t padici_pack_layers(padici_packing *packing, padici_work *w, uint64_t index,
                                 padici_box *box, uint32_t *rows)
{
    const uint64_t reencoded = w->reencoded;
    uint32_t layer;
    size_t size = 0;
    *rows = padici_load_behind(packing, w, index, box);
    padici_load_reference(w, &packing->reference, &packing->header.grid, index);
    for (layer = 0; layer <= packing->layer; layer++) {
        padici_bound bound = padici_block_bound(packing, layer, index);
        w->reencoded = reencoded; // the layers before were counted when they were emitted
        if (layer) {
            // a layer that came nearer than it had to is not made worse
            double worst;
            (void)padici_load_block(packing, index, w->record, box);
            worst = padici_down(padici_differ(box, w->raw, w->record, 0));
            if (bound.mode == PADIC_BOUND_ABSOLUTE || bound.mode == PADIC_BOUND_RANGE) {
                if (worst < bound.absolute) bound.absolute = worst;
                if (!(bound.absolute > 0)) bound.mode = PADIC_BOUND_NONE;
            }
            padici_next_layer(w, box, index);
            (void)padici_load_block(packing, index, w->raw, box);
        }
        if (layer == packing->layer && !padici_layer_stands(packing, w, index)) {
            size = padici_reencode(w, box);
            break;
        }
        size = padici_pack_block(w, box, &bound);
        size = padici_prove_block(packing, w, box, &bound, index, size);
    }
    if (packing->measuring) w->reencoded = reencoded;
    return size;
}

// What the decoder will have of a block to its place in the window, for those that follow.
static void padici_keep_decoded(padici_packing *packing, padici_work *w, const padici_box *box,
                                uint64_t index)
{
    const uint32_t span = packing->header.grid.span, slot = (uint32_t)(index % span);
    padici_kept *kept = packing->kept + index / span % packing->supers;
    uint32_t *picks = kept->picks + kept->picked[slot];
    uint8_t *place = kept->history + kept->starts[slot] * box->size;
    size_t i, count;
    count = padici_pick(w, box, place, picks);
    for (i = 0; i < count; i++) picks[i] += (uint32_t)kept->starts[slot];
    kept->picked[slot + 1] = kept->picked[slot] + count;
}
