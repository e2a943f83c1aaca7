#include "few.h"
#include "../context/run.h"
#include "array.h"
#include "cell.h"
#include "residue.h"
#include "word_loops.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Fast path of small calls: few results of one word, everything in host memory. The checks of the
// general path are a few comparisons here; where one of them fails, or an element is a rare case,
// nothing is written, and the general path does the work or reports the error.

#define PADICI_NUM_FEW 16u

// 1 for a sound array of `count` elements.
PADICI_INLINE int padici_num_few_is(const padic_num_array *x, const padic_num_ring *r,
                                padic_num_model model, uint64_t count)
{
    const uintptr_t unit = (uintptr_t)x->unit.data, val = (uintptr_t)x->val.data;
    return x->ring == r && x->model == model && x->count == count && unit &&
           !(unit & (r->unit_size - 1)) &&
           x->unit.dtype == (r->unit_size == 4 ? PADIC_U32 : PADIC_U64) &&
           (model == PADIC_NUM_RING || (val && !(val & 3) && x->val.dtype == PADIC_I32));
}

PADICI_INLINE int padici_num_few_apart(const void *a, uint64_t a_size, const void *b,
                                       uint64_t b_size)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return (x - y >= b_size) & (y - x >= a_size);
}

// The bytes from the first to the last of an array's planes.
typedef struct padici_num_few_hull {
    uintptr_t low, high;
} padici_num_few_hull;

PADICI_INLINE padici_num_few_hull padici_num_few_hull_of(const padic_num_array *x)
{
    const uintptr_t unit = (uintptr_t)x->unit.data, val = (uintptr_t)x->val.data;
    const uintptr_t unit_end = unit + (uintptr_t)x->count * x->ring->unit_size;
    const uintptr_t val_end = val + (uintptr_t)x->count * 4;
    padici_num_few_hull hull;
    hull.low = unit;
    hull.high = unit_end;
    if (x->model == PADIC_NUM_RING) return hull;
    if (val < unit) hull.low = val;
    if (val_end > unit_end) hull.high = val_end;
    return hull;
}

// 1 if the planes of an operand are apart from everything that is written, of which `hull` are unit
// and val; each plane may also be the result's own.
PADICI_INLINE int padici_num_few_clear(const padic_num_array *out, const padic_num_array *in,
                                       const padici_num_few_hull *hull)
{
    const uint64_t n = out->count, m = in->count, w = out->ring->unit_size;
    const void *const unit = in->unit.data, *const val = in->val.data;
    const void *const status = out->status.data, *const sticky = out->sticky;
    const padici_num_few_hull own = padici_num_few_hull_of(in);
    int clear = 1;
    if (status)
        clear = padici_num_few_apart(status, n, (const void *)own.low, own.high - own.low);
    if (sticky)
        clear &= padici_num_few_apart(sticky, 4, (const void *)own.low, own.high - own.low);
    if (clear && (own.low >= hull->high || own.high <= hull->low)) return 1;
    clear = (n == m && unit == out->unit.data) |
            padici_num_few_apart(out->unit.data, n * w, unit, m * w);
    if (status) clear &= padici_num_few_apart(status, n, unit, m * w);
    if (sticky) clear &= padici_num_few_apart(sticky, 4, unit, m * w);
    if (out->model == PADIC_NUM_RING) return clear;
    clear &=
        (n == m && val == out->val.data) | padici_num_few_apart(out->val.data, n * 4, val, m * 4);
    clear &= padici_num_few_apart(out->unit.data, n * w, val, m * 4);
    clear &= padici_num_few_apart(out->val.data, n * 4, unit, m * w);
    if (status) clear &= padici_num_few_apart(status, n, val, m * 4);
    if (sticky) clear &= padici_num_few_apart(sticky, 4, val, m * 4);
    return clear;
}

// 1 for a sound result whose planes do not overlap.
PADICI_INLINE int padici_num_few_out(const padic_num_array *out)
{
    const padic_num_ring *r = out->ring;
    const void *const status = out->status.data, *const val = out->val.data;
    const uint64_t n = out->count;
    int clear = 1;
    if (n - 1 >= PADICI_NUM_FEW || !r || r->magic != PADICI_NUM_MAGIC ||
        r->form >= PADIC_NUM_W128 || r->composite || (uint32_t)out->model > PADIC_NUM_FLOAT ||
        !padici_num_few_is(out, r, out->model, n) ||
        out->status.dtype != (status ? PADIC_U8 : PADIC_DTYPE_NONE) || out->sticky_word.dtype ||
        out->sticky_word.data || ((uintptr_t)out->sticky & 3))
        return 0;
    if (status) clear = padici_num_few_apart(out->unit.data, n * r->unit_size, status, n);
    if (out->sticky)
        clear &= padici_num_few_apart(out->unit.data, n * r->unit_size, out->sticky, 4);
    if (status && out->sticky) clear &= padici_num_few_apart(status, n, out->sticky, 4);
    if (out->model == PADIC_NUM_RING) return clear;
    clear &= padici_num_few_apart(out->unit.data, n * r->unit_size, val, n * 4);
    if (status) clear &= padici_num_few_apart(val, n * 4, status, n);
    if (out->sticky) clear &= padici_num_few_apart(val, n * 4, out->sticky, 4);
    return clear;
}

// 1 for a sound operand: as many elements as the result, or one for all.
PADICI_INLINE int padici_num_few_operand(const padic_num_array *out, const padic_num_array *a,
                                         const padici_num_few_hull *hull, uint64_t count)
{
    if (a->count == 1) count = 1;
    return padici_num_few_is(a, out->ring, out->model, count) &&
           padici_num_few_clear(out, a, hull);
}

// a op b, or a unary operation, with finite valuations. 0: a rare case.
static int padici_num_few_one(const padic_num_ring *r, padic_num_model model, uint32_t kernel,
                          padici_num_word_float *x, padici_num_word_float b)
{
    const padici_num_word_float a = *x;
    uint64_t temp[4], inverse;
    switch (kernel) {
    case PADIC_OP_NUM_INV:
    case PADIC_OP_NUM_DIV:
        if (kernel == PADIC_OP_NUM_INV) b = a;
        if (model == PADIC_NUM_RING && !padici_num_ring_unit(r, &b.u)) return 0;
        padici_num_ring_inv(r, &inverse, &b.u, temp);
        x->u = kernel == PADIC_OP_NUM_INV ? inverse : padici_num_mul1(r, r->form, a.u, inverse);
        x->v = kernel == PADIC_OP_NUM_INV ? -b.v : a.v - b.v;
        return padici_num_val_finite(x->v);
    case PADIC_OP_NUM_NEG:
        x->u = padici_num_sub1(r, r->form, 0, a.u);
        return 1;
    default:
        if (model == PADIC_NUM_FLOAT) return padici_num_word_float_op(r, r->form, kernel, x, b);
        x->u = kernel == PADIC_OP_NUM_ADD   ? padici_num_add1(r, r->form, a.u, b.u)
               : kernel == PADIC_OP_NUM_SUB ? padici_num_sub1(r, r->form, a.u, b.u)
                                                : padici_num_mul1(r, r->form, a.u, b.u);
        return 1;
    }
}

PADICI_INLINE int padici_num_few_load(const padic_num_array *a, uint64_t i,
                                      padici_num_word_float *x)
{
    x->u = padici_num_word(a->ring, a->unit.data, i);
    x->v = a->model == PADIC_NUM_RING ? 0 : ((const int32_t *)a->val.data)[i];
    x->bits = 0;
    return padici_num_val_finite(x->v);
}

// The inverses of n units in place, by one inversion of their product. 0: one is no unit.
static int padici_num_few_inverses(const padic_num_ring *r, uint64_t *u, uint64_t n)
{
    uint64_t left[PADICI_NUM_FEW], temp[4], all = 1, inverse, i;
    for (i = 0; i < n; i++) {
        if (!padici_num_ring_unit(r, &u[i])) return 0;
        left[i] = all;
        all = i ? padici_num_mul1(r, r->form, all, u[i]) : u[i];
    }
    padici_num_ring_inv(r, &inverse, &all, temp);
    for (i = n; i-- > 1;) {
        const uint64_t next = padici_num_mul1(r, r->form, inverse, u[i]);
        u[i] = padici_num_mul1(r, r->form, inverse, left[i]);
        inverse = next;
    }
    u[0] = inverse;
    return 1;
}

// Quotients, or reciprocals, of several elements. 0: a rare case.
static int padici_num_few_quotients(const padic_num_array *out, const padic_num_array *a,
                                    const padic_num_array *b, padici_num_word_float *x)
{
    const padic_num_ring *r = out->ring;
    const padic_num_array *const under = b ? b : a;
    uint64_t u[PADICI_NUM_FEW], i;
    padici_num_word_float y;
    for (i = 0; i < out->count; i++) {
        if (!padici_num_few_load(a, a->count == 1 ? 0 : i, &x[i]) ||
            !padici_num_few_load(under, under->count == 1 ? 0 : i, &y))
            return 0;
        u[i] = y.u;
        x[i].v = b ? x[i].v - y.v : -y.v;
        if (!padici_num_val_finite(x[i].v)) return 0;
    }
    if (!padici_num_few_inverses(r, u, out->count)) return 0;
    for (i = 0; i < out->count; i++)
        x[i].u = b ? padici_num_mul1(r, r->form, x[i].u, u[i]) : u[i];
    return 1;
}

// Sum of a, or of a b: neighbours pairwise, like the bits of a binary counter.
static int padici_num_few_sum(const padic_num_array *a, const padic_num_array *b,
                              padici_num_word_float *x)
{
    const padic_num_ring *r = a->ring;
    padici_num_word_float level[8], y;
    uint64_t i, n;
    uint32_t depth = 0;
    x->u = x->bits = 0;
    x->v = 0;
    for (i = 0; a->model == PADIC_NUM_RING && i < a->count; i++) { // in any order
        const uint64_t u = padici_num_word(r, a->unit.data, i);
        const uint64_t v =
            b ? padici_num_mul1(r, r->form, u, padici_num_word(r, b->unit.data, i)) : u;
        x->u = padici_num_add1(r, r->form, x->u, v);
    }
    if (a->model == PADIC_NUM_RING) return 1;
    for (i = 0; i < a->count || depth > 1;) {
        if (i < a->count) {
            if (!padici_num_few_load(a, i, &level[depth])) return 0;
            if (b && (!padici_num_few_load(b, i, &y) ||
                      !padici_num_few_one(r, a->model, PADIC_OP_NUM_MUL, &level[depth], y)))
                return 0;
            depth++;
        }
        n = i < a->count ? ++i : 0; // then the remaining ones, from the right
        for (; depth > 1 && !(n & 1); n >>= 1) {
            const uint32_t bits = level[depth - 2].bits | level[depth - 1].bits;
            depth--;
            if (!padici_num_few_one(r, a->model, PADIC_OP_NUM_ADD, &level[depth - 1],
                                level[depth]))
                return 0;
            level[depth - 1].bits |= bits;
            if (!padici_num_val_finite(level[depth - 1].v) && (depth > 1 || i < a->count)) return 0;
        }
    }
    *x = level[0];
    return 1;
}

// A whole small call of the row `op`, by the rules of `kernel`: 1 when it is done and counted.
PADICI_FN int padici_num_few(padic_context *context, uint32_t op, uint32_t kernel,
                             const padic_num_array *out, const padic_num_array *a,
                             const padic_num_array *b)
{
    const padic_num_ring *r = out->ring;
    const int sums = kernel == PADIC_OP_NUM_SUM || kernel == PADIC_OP_NUM_DOT;
    const uint64_t n = out->count, count = sums ? a->count : n;
    padici_num_word_float x[PADICI_NUM_FEW], y = {0, 0, 0};
    padici_num_few_hull hull;
    uint64_t i;
    uint32_t all = 0, group = 0;
    if (!padici_run_may(context, PADICI_AT_ONCE_TASKS)) return 0;
    if (count - 1 >= PADICI_NUM_FEW || (sums && n != 1) || !padici_num_few_out(out)) return 0;
    hull = padici_num_few_hull_of(out);
    if (!padici_num_few_operand(out, a, &hull, count)) return 0;
    if (b && b != a && !padici_num_few_operand(out, b, &hull, count)) return 0;
    if (sums && !padici_num_few_sum(a, b, x)) return 0;
    group = (kernel == PADIC_OP_NUM_INV || kernel == PADIC_OP_NUM_DIV) && n > 1 &&
            r->form != PADIC_NUM_B2;
    if (group && !padici_num_few_quotients(out, a, b, x)) return 0;
    for (i = 0; !sums && !group && i < n; i++)
        if (!padici_num_few_load(a, a->count == 1 ? 0 : i, &x[i]) ||
            (b && !padici_num_few_load(b, b->count == 1 ? 0 : i, &y)) ||
            !padici_num_few_one(r, out->model, kernel, &x[i], y))
            return 0;
    for (i = 0; i < n; i++) {
        padici_num_word_set(r, out->unit.data, i, x[i].u);
        if (out->model == PADIC_NUM_FLOAT) ((int32_t *)out->val.data)[i] = x[i].v;
        if (out->status.data) ((uint8_t *)out->status.data)[i] = (uint8_t)x[i].bits;
        all |= x[i].bits;
    }
    if (out->sticky) *out->sticky |= all;
    padici_run_counted(context, op);
    return 1;
}

#undef PADICI_NUM_FEW

#endif
