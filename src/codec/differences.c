// ---- prediction: chains of differences, xor, median edge

// A block of elements as an array: the scalar axes, complex numbers as a last axis of two.
typedef struct padici_box {
    padic_dtype dtype; // never complex
    uint32_t size;     // bytes of an element
    uint32_t rank;
    uint32_t extent[PADIC_MAX_RANK + 1];
    size_t n;
} padici_box;

// Difference at distance `stride` inside segments of `segment` elements: one axis of the box.
typedef struct padici_op {
    uint32_t axis; // PADICI_FLAT: a stride of its own over the whole sequence
    uint32_t stride, segment;
    uint32_t cubic; // interpolation: bit l, where the distance is 2^l
} padici_op;

typedef struct padici_predictor {
    uint32_t kind, count;
    uint32_t scale; // interpolation: residuals are multiples of it, and divided
    padici_op op[PADICI_MAX_OPS]; // median: the column axis, then the row axis
    uint32_t taps, shift;         // linear: weights are multiples of 2^-shift
    padic_dtype dtype;            // of the elements where they are added up as floats, else NONE
    double *values;               // then room for all of them
    int32_t weight[PADICI_MAX_TAPS];
    int8_t back[PADICI_MAX_TAPS][PADICI_TAP_AXES]; // steps back on the axis of each op
} padici_predictor;

static padici_op padici_axis_op(const padici_box *box, uint32_t axis)
{
    padici_op op;
    uint32_t i;
    op.axis = axis;
    op.stride = 1;
    for (i = axis + 1; i < box->rank; i++) op.stride *= box->extent[i];
    op.segment = op.stride * box->extent[axis];
    op.cubic = 0;
    return op;
}

static padici_op padici_flat_op(uint32_t stride, size_t n)
{
    padici_op op;
    op.axis = PADICI_FLAT;
    op.stride = stride;
    op.segment = (uint32_t)n;
    op.cubic = 0;
    return op;
}

PADICI_INLINE uint64_t padici_fold(uint64_t residual)
{
    return residual << 1 ^ (uint64_t)((int64_t)residual >> 63);
}

PADICI_INLINE uint64_t padici_unfold(uint64_t z)
{
    return z >> 1 ^ (0 - (z & 1));
}

// What the median edge predictor expects from left, above and corner.
PADICI_INLINE uint64_t padici_median(uint64_t left, uint64_t above, uint64_t corner)
{
    const int64_t a = (int64_t)left, b = (int64_t)above, c = (int64_t)corner;
    const int64_t low = a < b ? a : b, high = a < b ? b : a;
    if (c >= high) return (uint64_t)low;
    if (c <= low) return (uint64_t)high;
    return left + above - corner;
}

// The inverse of one difference or xor on x[from..to) of a sequence that is done before `from`:
// running sums, of unfolded words if `zigzag`. Sums at distances below 8 are carried along in
// `carry`; larger distances look back.
PADICI_INLINE void padici_sum_loop(uint64_t *x, size_t from, size_t to, const padici_op *op,
                                   uint64_t *carry, int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t i = from, lane;
    while (i < to) {
        const size_t place = i % segment, end = padici_least(i + segment - place, to);
        if (stride < 8) {
            if (place == 0) memset(carry, 0, 8 * sizeof *carry);
            for (lane = 0; lane < stride && i + lane < end; lane++) {
                const size_t which = stride == 1 ? 0 : (place + lane) % stride;
                uint64_t sum = carry[which];
                size_t j;
                for (j = i + lane; j < end; j += stride) {
                    const uint64_t r = zigzag ? padici_unfold(x[j]) : x[j];
                    x[j] = sum = exclusive ? sum ^ r : sum + r;
                }
                carry[which] = sum;
            }
        } else {
            const size_t edge = place < stride ? padici_least(i + stride - place, end) : i;
            for (; zigzag && i < edge; i++) x[i] = padici_unfold(x[i]);
            for (i = edge; i < end; i++) {
                const uint64_t r = zigzag ? padici_unfold(x[i]) : x[i];
                x[i] = exclusive ? r ^ x[i - stride] : r + x[i - stride];
            }
        }
        i = end;
    }
}

static void padici_sum(uint64_t *x, size_t from, size_t to, const padici_op *op, uint64_t carry[8],
                       int zigzag, int exclusive)
{
    if (exclusive)
        padici_sum_loop(x, from, to, op, carry, 0, 1);
    else if (zigzag)
        padici_sum_loop(x, from, to, op, carry, 1, 0);
    else
        padici_sum_loop(x, from, to, op, carry, 0, 0);
}

// And forwards: downwards, so that x may be `to`.
PADICI_INLINE void padici_difference_loop(const uint64_t *x, uint64_t *to, size_t n,
                                          const padici_op *op, int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_least(from + segment, n);
        const size_t edge = padici_least(from + stride, end);
        for (i = end; i > edge; i--) {
            const uint64_t before = x[i - 1 - stride];
            const uint64_t r = exclusive ? x[i - 1] ^ before : x[i - 1] - before;
            to[i - 1] = zigzag ? padici_fold(r) : r;
        }
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_fold(x[i]) : x[i];
    }
}

static void padici_difference(const uint64_t *x, uint64_t *to, size_t n, const padici_op *op,
                              int zigzag, int exclusive)
{
    if (exclusive)
        padici_difference_loop(x, to, n, op, 0, 1);
    else if (zigzag)
        padici_difference_loop(x, to, n, op, 1, 0);
    else
        padici_difference_loop(x, to, n, op, 0, 0);
}

PADICI_INLINE void padici_lower_loop(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    size_t i;
    for (i = 0; i < n; i++) x[i] = (x[i] - first) >> shift;
}

static void padici_lower(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    padici_lower_loop(x, n, first, shift);
}

static uint64_t padici_least_word(const uint64_t *x, size_t n, uint64_t *differ)
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

static size_t padici_count_runs(const uint64_t *z, size_t n)
{
    size_t i, runs = 1;
    for (i = 1; i < n; i++) runs += z[i] != z[i - 1];
    return runs;
}

// Row by row, with the edges apart from the inside.
static void padici_unpredict_median(const padici_predictor *predictor, uint64_t *x, size_t n,
                                    int zigzag)
{
    const size_t column = predictor->op[0].stride, row = predictor->op[1].stride;
    const size_t plane = predictor->op[1].segment;
    size_t from, at, i;
    for (i = 0; zigzag && i < n; i++) x[i] = padici_unfold(x[i]);
    for (from = 0; from < n; from += plane) {
        const size_t end = padici_least(from + plane, n);
        for (at = from; at < end; at += row) {
            const size_t row_end = padici_least(at + row, end);
            const size_t edge = padici_least(at + column, row_end);
            if (at == from) {
                for (i = edge; i < row_end; i++) x[i] += x[i - column];
                continue;
            }
            for (i = at; i < edge; i++) x[i] += x[i - row];
            for (; i < row_end; i++)
                x[i] += padici_median(x[i - column], x[i - row], x[i - row - column]);
        }
    }
}
