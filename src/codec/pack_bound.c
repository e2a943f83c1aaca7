
// a - b and a b, a, b >= 0, rounded down. The error of the rounding is known exactly (Knuth's
// two-sum; Dekker's product of halves of the mantissas).
static double padici_down(double x)
{
    return x > 0 ? padici_double_of(padici_bits_of(x) - 1) : x;
}

static double padici_product_down(double a, double b)
{
    const double p = a * b, split = 134217729.0;
    double ah, al, bh, bl;
    if (!(p <= DBL_MAX)) return DBL_MAX;
    if (a > 1e290 || b > 1e290 || p < 1e-280) return padici_down(p); // halves would not be exact
    ah = a * split, ah = ah - (ah - a), al = a - ah;
    bh = b * split, bh = bh - (bh - b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl < 0 ? padici_down(p) : p;
}

static double padici_difference_down(double a, double b)
{
    const double d = a - b, z = d - a;
    if (!(d <= DBL_MAX)) return DBL_MAX;
    return (a - (d - z)) + (-b - z) < 0 ? padici_down(d) : d;
}

// The spread of the finite values of an array, rounded down.
// The values of one worker's blocks: least and greatest, of integers in unsigned order.
typedef struct padici_range {
    double low, high;
    uint64_t first, last;
    int any;
} padici_range;

static void padici_range_task(void *arg, uint32_t task)
{
    padici_packing *packing = (padici_packing *)arg;
    padici_work *w = packing->work + task;
    padici_range range;
    padici_box box;
    uint64_t b;
    size_t i;
    memset(&range, 0, sizeof range);
    for (b = task; b < packing->header.grid.total; b += packing->workers) {
        (void)padici_load_block(packing, b, w->raw, &box);
        for (i = 0; i < box.n; i++) {
            const uint64_t bits = padici_element(w->raw, i, box.size);
            if (padici_is_float(box.dtype)) {
                const double x = padici_value(box.dtype, bits);
                if (!(x - x == 0)) continue;
                if (!range.any || x < range.low) range.low = x;
                if (!range.any || x > range.high) range.high = x;
            } else {
                const uint64_t x = padici_ordered(box.dtype, bits, box.size) +
                                   (padici_is_signed(box.dtype) ? UINT64_C(1) << 63 : 0);
                if (!range.any || x < range.first) range.first = x;
                if (!range.any || x > range.last) range.last = x;
            }
            range.any = 1;
        }
    }
    memcpy(w->words, &range, sizeof range);
}

static double padici_measure_range(padici_packing *packing)
{
    const padic_dtype dtype = padici_scalar(packing->header.grid.dtype);
    padici_range all, part;
    uint32_t i;
    memset(&all, 0, sizeof all);
    padici_parallel(packing->jobs, packing->workers, padici_range_task, packing);
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
    if (padici_is_float(dtype)) return padici_difference_down(all.high, all.low);
    all.last -= all.first;
    if (all.last >> 53 == 0) return (double)(int64_t)all.last;
    return padici_down((double)(int64_t)(all.last >> 1) * 2); // the conversion may have gone up
}

// The bound of one scalar; a complex number's error is shared by its parts.
static double padici_scalar_bound(const padic_codec_desc *desc, double range)
{
    const double absolute = desc->bound_mode == PADIC_BOUND_RANGE
                                ? padici_product_down(desc->bound, range)
                                : desc->bound;
    return padici_parts(desc->tensor.dtype) == 1
               ? absolute
               : padici_product_down(absolute, 0.70710678118654746);
}

static void padici_measure_bound(const padic_codec_desc *desc, padici_packing *packing)
{
    const int asked = desc->bound_mode == PADIC_BOUND_RANGE && !(desc->range > 0);
    double absolute;
    packing->bound.mode = desc->bound_mode;
    packing->bound.pointwise = desc->bound;
    if (desc->bound_mode == PADIC_BOUND_NONE || desc->bound_mode >= PADIC_BOUND_POINTWISE) return;
    absolute = padici_scalar_bound(desc, asked ? padici_measure_range(packing) : desc->range);
    packing->header.bound_absolute = packing->bound.absolute = absolute;
    if (!(absolute > 0)) packing->bound.mode = PADIC_BOUND_NONE; // all values are equal
}

// Bounds of the layers before the last: coarser by 16 each; where that is lossless, from 1/64 of
// the range down.
static void padici_layer_bounds(const padic_codec_desc *desc, padici_packing *packing)
{
    const uint32_t planes = packing->header.planes;
    double coarse = packing->bound.absolute;
    uint32_t k;
    packing->layer = planes - 1;
    packing->layers[planes - 1] = packing->bound;
    if (planes == 1) return;
    if (packing->bound.mode == PADIC_BOUND_NONE || packing->bound.mode == PADIC_BOUND_POINTWISE) {
        coarse = (desc->range > 0 ? desc->range : padici_measure_range(packing)) / 4;
        for (k = 0; k < planes; k++) coarse /= 16;
    }
    for (k = planes - 1; k-- > 0;) {
        coarse = coarse < DBL_MAX / 16 ? coarse * 16 : DBL_MAX;
        packing->layers[k].mode = coarse > 0 ? PADIC_BOUND_ABSOLUTE : PADIC_BOUND_NONE;
        packing->layers[k].absolute = coarse;
        packing->layers[k].pointwise = 0;
    }
}

// All blocks with a bound on trial; their size (with header and index) and the squares of errors.
static uint64_t padici_try_bound(const padic_codec_desc *desc, padici_packing *packing,
                                 double absolute, uint64_t *offsets)
{
    const padici_sink sink = packing->sink;
    const uint64_t total = packing->header.grid.total;
    uint64_t size;
    uint32_t layer;
    memset(&packing->sink, 0, sizeof packing->sink); // counts
    packing->bound.mode = absolute > 0 ? PADIC_BOUND_ABSOLUTE : PADIC_BOUND_NONE;
    packing->bound.absolute = packing->header.bound_absolute = absolute;
    padici_layer_bounds(desc, packing);
    packing->measuring = 1;
    packing->squares = 0;
    for (layer = 0; layer < packing->header.planes; layer++) {
        packing->layer = layer;
        packing->squares = 0; // of the last layer
        (void)padici_pack_blocks(packing, 0, total, offsets);
    }
    packing->measuring = 0;
    size = packing->sink.written + packing->header.size + PADICI_INDEX_FIXED +
           8 * total * packing->header.planes;
    packing->sink = sink;
    return size;
}

// The bound with which no mean square is larger than asked for: of complex numbers a part has half.
static double padici_least_rms(const padic_codec_desc *desc)
{
    return padici_parts(desc->tensor.dtype) == 2
               ? padici_product_down(desc->bound, 0.70710678118654746)
               : desc->bound;
}

// The largest bound whose errors keep the mean square. Errors spread evenly over a step give the
// square root of 3; a bound that is the target itself always does.
static void padici_search_rms(const padic_codec_desc *desc, padici_packing *packing,
                              uint64_t *offsets)
{
    const padici_grid *grid = &packing->header.grid;
    const double least = padici_least_rms(desc);
    double allowed, best = 0, factor = 1.71875, count = 0;
    uint64_t b;
    uint32_t k;
    padici_box box;
    size_t i;
    for (b = 0; b < grid->total; b++) {
        (void)padici_load_block(packing, b, packing->work->raw, &box);
        if (!padici_is_float(box.dtype)) {
            count += (double)box.n;
            continue;
        }
        for (i = 0; i < box.n; i++) {
            const double x = padici_value(box.dtype,
                                          padici_element(packing->work->raw, i, box.size));
            count += x - x == 0;
        }
    }
    if (padici_parts(grid->dtype) == 2) count *= 0.5;
    // (1 - 2^-20): the sums are rounded
    allowed = desc->bound * desc->bound * (1 - 1.0 / 1048576) * count;
    for (k = 0; k < 12 && !packing->steps.stop; k++) {
        if (!(least * factor < 1e300)) break;
        (void)padici_try_bound(desc, packing, least * factor, offsets);
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
    packing->bound.mode = PADIC_BOUND_ABSOLUTE;
    packing->bound.absolute = packing->header.bound_absolute = best;
}

// The smallest bound, in quarter powers of two of the range, that gives no more bytes. 0: there is
// none; the size at the largest bound is in *size.
static int padici_search_fixed(const padic_codec_desc *desc, padici_packing *packing,
                               uint64_t *offsets, uint64_t *size)
{
    static const double quarter[4] = {1, 0.8408964152537145, 0.7071067811865476,
                                      0.5946035575013605};
    const double range = padici_measure_range(packing);
    const uint64_t most = desc->bound < 9e15 ? (uint64_t)desc->bound : UINT64_C(9000000000000000);
    uint32_t low = 0, high = 256, i; // low fits, high does not
    *size = padici_try_bound(desc, packing, 0, offsets);
    if (*size <= most) return 1;
    *size = padici_try_bound(desc, packing, range, offsets);
    if (*size > most) return 0;
    while (high - low > 1 && !packing->steps.stop) {
        const uint32_t middle = (low + high) / 2;
        double step = range * quarter[middle % 4];
        for (i = 0; i < middle / 4; i++) step *= 0.5;
        if (padici_try_bound(desc, packing, step, offsets) <= most) low = middle;
        else high = middle;
    }
    packing->bound.mode = PADIC_BOUND_ABSOLUTE;
    packing->bound.absolute = range * quarter[low % 4];
    for (i = 0; i < low / 4; i++) packing->bound.absolute *= 0.5;
    packing->header.bound_absolute = packing->bound.absolute;
    return 1;
}
