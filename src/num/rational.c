#include "rational.h"
#include "../context/messages.h"
#include "../core/log.h"
#include "../core/words.h"
#include "cell.h"
#include "integers.h"
#include "residue.h"
#include "ring.h"
#include "task.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Rational reconstruction of arrays

PADICI_FN void padici_num_exact_begin(padici_num_exact *e, uint32_t words, void *workspace)
{
    e->at = words > PADICI_NUM_EXACT_WORDS ? (uint64_t *)workspace : e->local;
    e->part = words > PADICI_NUM_EXACT_WORDS ? words : PADICI_NUM_EXACT_WORDS + 2;
    e->n.w = e->at + 9 * e->part;
    e->d.w = e->at + 16 * e->part;
    e->n.n = e->d.n = 0;
    e->n.room = e->d.room = 7 * e->part;
}

static void padici_num_exact_set(padici_num_big *b, const uint64_t *x, uint32_t n)
{
    memmove(b->w, x, n * sizeof *x);
    b->n = n;
    padici_num_big_trim(b);
}

static uint32_t padici_num_rational_store(const padic_num_call *call, uint64_t i,
                                          padici_num_exact *e, int negative)
{
    const padici_num_rational *o = (const padici_num_rational *)call->options;
    uint32_t bits = padici_num_big_store(call->other[0], o->dtype[0], o->limbs[0], o->stride, i,
                                         &e->n, negative && e->n.n);
    if (call->other[1])
        bits |=
            padici_num_big_store(call->other[1], o->dtype[1], o->limbs[1], o->stride, i, &e->d, 0);
    return bits;
}

// Pair i is +-n p^v / d, or n / (d p^-v); 0 / 0 if `bits` is set or one of them does not fit.
static void padici_num_rational_put(padic_num_call *call, uint64_t i, padici_num_exact *e,
                                    int negative, int64_t v, uint32_t bits)
{
    if (!bits &&
        !padici_num_big_power(call->ring, v < 0 ? &e->d : &e->n, (uint64_t)(v < 0 ? -v : v)))
        bits = PADIC_NUM_RANGE;
    if (!bits) bits = padici_num_rational_store(call, i, e, negative);
    if (bits) {
        e->n.n = e->d.n = 0;
        padici_num_rational_store(call, i, e, 0);
    }
    padici_num_report(call, i, bits);
}

// One element, all modes but COMMON.
static void padici_num_rational_one(padic_num_call *call, uint64_t i, const padici_num_cell *x,
                                const padici_num_bounds *bounds, padici_num_exact *e)
{
    const padic_num_ring *r = call->ring;
    const padici_num_rational *o = (const padici_num_rational *)call->options;
    const int fixed = o->mode == PADIC_NUM_RATIONAL_FIXED;
    int64_t v = x->v == PADIC_NUM_ZERO ? 0 : x->v;
    int sign = 1;
    padici_num_big_set(&e->n, 0);
    padici_num_big_set(&e->d, 1);
    if (fixed) padici_num_exact_set(&e->d, o->fixed, 2);
    if (x->v == PADIC_NUM_NAN) {
        padici_num_rational_put(call, i, e, 0, 0, x->bits);
        return;
    }
    if (x->v != PADIC_NUM_ZERO && fixed) {
        v += o->fixed_v;
        sign = v < 0 ? 0 : padici_num_joint_numerator(&e->joint, x->u, x->n);
        if (sign) padici_num_exact_set(&e->n, e->joint.x, e->joint.words);
    } else if (x->v != PADIC_NUM_ZERO) {
        sign = padici_num_fraction(r, x->u, x->n, bounds, e->n.w, e->d.w, e->at + e->part);
        e->n.n = e->d.n = sign ? r->words : 0;
        padici_num_big_trim(&e->n);
        padici_num_big_trim(&e->d);
    }
    padici_num_rational_put(call, i, e, sign < 0, v, sign ? 0 : PADIC_NUM_RATREC);
}

// Elements first to end - 1 over one denominator: d of their units, and the highest p^-v.
static void padici_num_rational_vector(padic_num_call *call, uint64_t first, uint64_t end,
                                       const padici_num_bounds *bounds, padici_num_exact *e,
                                       padici_num_cell *x)
{
    uint64_t i;
    int64_t low = 0; // the lowest valuation
    int found = 1;
    padici_num_joint_begin(&e->joint, call->ring, bounds, e->at + e->part, e->at + 23 * e->part,
                       e->part);
    for (i = first; i < end && found; i++) {
        padici_num_cell_load(call, &call->a, i, x);
        if (x->v == PADIC_NUM_ZERO || x->v == PADIC_NUM_NAN) continue;
        if (x->v < low) low = x->v;
        found = x->n > bounds->guard && (padici_num_joint_numerator(&e->joint, x->u, x->n) ||
                                         padici_num_joint_extend(&e->joint));
    }
    for (i = first; i < end && found; i++) {
        padici_num_cell_load(call, &call->a, i, x);
        if (x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN)
            found = padici_num_joint_numerator(&e->joint, x->u, x->n);
    }
    for (i = first; i < end; i++) {
        int sign = 1;
        uint32_t bits = found ? 0 : PADIC_NUM_RATREC;
        padici_num_cell_load(call, &call->a, i, x);
        if (x->v == PADIC_NUM_NAN) bits = x->bits;
        padici_num_big_set(&e->n, 0);
        if (!bits && x->v != PADIC_NUM_ZERO) {
            sign = padici_num_joint_numerator(&e->joint, x->u, x->n);
            padici_num_exact_set(&e->n, e->joint.x, e->joint.words);
            if (!padici_num_big_power(call->ring, &e->n, (uint64_t)(x->v - low)))
                bits = PADIC_NUM_RANGE;
        }
        padici_num_exact_set(&e->d, e->joint.d, e->joint.words);
        if (!bits && !padici_num_big_power(call->ring, &e->d, (uint64_t)-low))
            bits = PADIC_NUM_RANGE;
        padici_num_rational_put(call, i, e, sign < 0, 0, bits);
    }
}

static void padici_num_rational_each(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_num_rational *o = (const padici_num_rational *)call->options;
    padici_num_bounds bounds = o->bounds;
    padici_num_exact e;
    padici_num_cell x;
    uint64_t i;
    uint32_t digits = 0; // that the bounds are for
    padici_num_exact_begin(&e, r->words, call->workspace);
    x.u = e.at;
    if (o->mode == PADIC_NUM_RATIONAL_COMMON) {
        for (i = 0; i < call->count; i += o->vector)
            padici_num_rational_vector(call, i, i + o->vector, &bounds, &e, &x);
        return;
    }
    if (o->mode == PADIC_NUM_RATIONAL_FIXED) {
        padici_num_joint_begin(&e.joint, r, &bounds, e.at + e.part, e.at + 23 * e.part, e.part);
        padici_num_exact_set(&e.d, o->unit, 2);
        padici_num_ring_of_big(r, e.joint.ring_d, &e.d);
    }
    for (i = 0; i < call->count; i++) {
        padici_num_cell_load(call, &call->a, i, &x);
        if (x.n != digits && r->form < PADIC_NUM_RX && o->mode == PADIC_NUM_RATIONAL_BOUNDED) {
            digits = x.n; // one square root and division for many elements
            padici_num_bounds_wide(r, digits, &o->bounds, &bounds.most_n, &bounds.most_d);
        }
        padici_num_rational_one(call, i, &x, &bounds, &e);
    }
}

// One word: elements in pairs, so that their division chains overlap.
PADICI_INLINE void padici_num_rational_pair(uint64_t m, uint64_t most, uint64_t r1[2],
                                            uint64_t t1[2])
{
    uint64_t a0 = m, a1 = r1[0], s0 = 0, s1 = 1, b0 = m, b1 = r1[1], t0 = 0, t = 1, q, r;
#define PADICI_NUM_EUCLID(x0, x1, y0, y1) \
    do { \
        q = x0 / x1; \
        r = x0 - q * x1; \
        x0 = x1; \
        x1 = r; \
        r = y0 - q * y1; \
        y0 = y1; \
        y1 = r; \
    } while (0)
    while (a1 > most && b1 > most) {
        PADICI_NUM_EUCLID(a0, a1, s0, s1);
        PADICI_NUM_EUCLID(b0, b1, t0, t);
    }
    while (a1 > most) PADICI_NUM_EUCLID(a0, a1, s0, s1);
    while (b1 > most) PADICI_NUM_EUCLID(b0, b1, t0, t);
#undef PADICI_NUM_EUCLID
    r1[0] = a1;
    r1[1] = b1;
    t1[0] = s1; // two's complement
    t1[1] = t;
}

// RING and FLOAT below 2^64, I64 numerators in other[0] and denominators in other[1]; k is Nmax and
// stride Dmax, both at least 2, so that |t| < 2^63.
PADICI_FN void padici_num_rational_fast(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    int64_t *const numerators = (int64_t *)call->other[0];
    int64_t *const denominators = (int64_t *)call->other[1];
    const uint64_t last = r->p == 2 ? 0 : UINT64_MAX / r->p;
    uint64_t i, j, u[2], t[2];
    for (i = 0; i < call->count; i += 2) {
        const uint64_t pair = call->count - i < 2 ? 1 : 2;
        for (j = 0; j < 2; j++) u[j] = j < pair ? padici_num_word(r, call->a.unit, i + j) : 0;
        padici_num_rational_pair(r->base, (uint64_t)call->k, u, t);
        for (j = 0; j < pair; j++) {
            const int32_t v = call->a.val ? padici_num_val_load(&call->a, i + j) : 0;
            const uint32_t k = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
            const uint64_t d = t[j] >> 63 ? 0 - t[j] : t[j];
            const int p_divides = r->p == 2 ? !(d & 1) : d * r->inverse <= last;
            uint64_t n = u[j], e = d;
            uint32_t bits = d > call->stride || p_divides ? PADIC_NUM_RATREC : 0;
            if (v == PADIC_NUM_NAN) {
                bits = padici_num_val_raw(&call->a, i + j) == v
                           ? (uint32_t)padici_num_word(r, call->a.unit, i + j) & 255
                           : (uint32_t)PADIC_NUM_RANGE;
            } else if (v == PADIC_NUM_ZERO) {
                n = bits = 0;
                e = 1;
            } else if (v) {
                const uint64_t f = k < r->power_count && !r->power[k][1] ? r->power[k][0] : 0;
                const uint64_t x = v < 0 ? e : n, least = v > 0 ? t[j] >> 63 : 0; // -2^63 is one
                if (!bits && (!f || padici_mulhi64(x, f) || (x * f - least) >> 63))
                    bits = PADIC_NUM_RANGE;
                n = v < 0 ? n : x * f;
                e = v < 0 ? x * f : e;
            }
            if (bits) n = e = 0;
            numerators[i + j] = (int64_t)(t[j] >> 63 ? 0 - n : n);
            denominators[i + j] = (int64_t)e;
            padici_num_report(call, i + j, bits);
        }
    }
}

static void padici_num_rational_loop(padic_num_call *call)
{
    if (call->op == PADIC_OP_NUM_TO_RATIONAL)
        padici_num_rational_fast(call);
    else
        padici_num_rational_each(call);
}

// Options from the desc; 1 if it is sound.
PADICI_FN padic_result padici_num_rational_options(padic_context *context,
                                               const padic_num_to_rational_desc *desc,
                                               padici_num_rational *o)
{
    const padic_num_ring *r = desc->in.ring;
    padici_num_wide remainder, q;
    memset(o, 0, sizeof *o);
    if (!padici_num_ring_is(r))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "in", "ring",
                            "was not made by num_ring_init");
    if ((uint32_t)desc->mode > PADIC_NUM_RATIONAL_QUOTIENT)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "mode", NULL, "is none that there is");
    if (r->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "in", "ring",
                            "has a radix that is no prime");
    o->mode = desc->mode;
    o->stride = desc->in.count;
    o->vector = desc->vector ? desc->vector : desc->in.count;
    o->bounds.guard = desc->guard ? desc->guard : 1;
    if (desc->guard == PADIC_NUM_RATIONAL_NO_GUARD) o->bounds.guard = 0;
    o->bounds.most_n = padici_num_wide_load(desc->numerator_limit);
    o->bounds.most_d = padici_num_wide_load(desc->denominator_limit);
    if (o->mode == PADIC_NUM_RATIONAL_QUOTIENT) {
        memset(&o->bounds, 0, sizeof o->bounds);
        o->bounds.quotient = desc->quotient ? desc->quotient : 1024 * (uint64_t)r->bits;
        return PADIC_OK;
    }
    if (o->mode == PADIC_NUM_RATIONAL_COMMON && desc->in.count % (o->vector ? o->vector : 1))
        return padici_blame(context, PADIC_ERROR_MISMATCH, "vector", NULL,
                            "must divide in.count");
    if (o->mode == PADIC_NUM_RATIONAL_FIXED) {
        q = padici_num_wide_load(desc->fixed);
        padici_num_wide_store(o->fixed, q);
        if (padici_num_wide_zero(q))
            return padici_blame(context, PADIC_ERROR_ARGUMENT, "fixed", NULL,
                                "is 0: give the denominator");
        for (;; o->fixed_v++) {
            padici_num_wide_store(o->unit, q);
            q = padici_num_wide_div(q, padici_num_wide_make(r->p, 0), &remainder);
            if (!padici_num_wide_zero(remainder)) break;
        }
        o->bounds.most_d = padici_num_wide_make(1, 0);
    }
    return PADIC_OK;
}

// Checks that the given bounds are possible with all digits, and whether the fast path applies.
static int padici_num_rational_bounds(const padic_num_to_rational_desc *desc,
                                      padici_num_rational *o, padici_num_task *task)
{
    const padic_num_ring *r = desc->in.ring;
    const padici_num_bounds *b = &o->bounds;
    const int given = !padici_num_wide_zero(b->most_n) || !padici_num_wide_zero(b->most_d);
    padici_num_wide n, d;
    uint64_t limit[6], product[8];
    int fit;
    if (b->quotient) return 1;
    if (r->form == PADIC_NUM_RX) { // limits of more than 5 words are beyond any bounds
        const uint32_t digits = r->precision > b->guard ? r->precision - b->guard : 0;
        if (!given || padici_num_power_bits(r->p, digits) > 320) return 1;
        padici_num_words_power(r, limit, NULL, digits, 6);
        return digits && padici_num_bounds_fit(b, limit, 6, product);
    }
    fit = padici_num_bounds_wide(r, r->precision, b, &n, &d);
    if (given && !fit) return 0;
    if (o->mode == PADIC_NUM_RATIONAL_BOUNDED && r->form < PADIC_NUM_W128 && r->base &&
        desc->in.model != PADIC_NUM_BALL && n.low > 1 && d.low > 1 && !(n.high | d.high) &&
        o->dtype[0] == PADIC_I64 && o->dtype[1] == PADIC_I64) {
        task->call.op = PADIC_OP_NUM_TO_RATIONAL;
        task->call.k = (int64_t)n.low;
        task->call.stride = d.low;
    }
    return 1;
}

PADIC_API padic_result padic_num_to_rational(padic_context *context,
                                             const padic_num_to_rational_desc *desc)
{
    padici_num_task task;
    padici_num_rational o;
    padic_result result;
    uint32_t j;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_rational", "desc is NULL");
    padici_num_task_begin(&task, "num_to_rational", PADIC_OP_NUM_TO_RATIONAL,
                          padici_num_rational_loop, NULL, &desc->in, NULL, NULL);
    task.call.op = PADICI_NUM_RATIONAL;
    result = padici_num_rational_options(context, desc, &o);
    task.field[1] = "in";
    task.other_field[0] = "numerator";
    task.other_field[1] = "denominator";
    for (j = 0; j < 2 && !result; j++) {
        const padic_tensor *t = j ? &desc->denominator : &desc->numerator;
        if (j && o.mode == PADIC_NUM_RATIONAL_FIXED && !t->dtype) continue; // optional in that mode
        result = padici_num_task_ints(&task, j, t, &desc->in);
        padici_blame(context, result, task.other_field[j], NULL,
                     "must have the shape (limbs, in.count), with at most 64 limbs or 7 for each "
                     "word of a long ring");
        o.dtype[j] = t->dtype;
        o.limbs[j] = task.other_planes >> j & 1 ? (uint32_t)task.other_each[j] : 0;
    }
    if (!result && !padici_num_rational_bounds(desc, &o, &task))
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "numerator_limit", NULL,
                              "times denominator_limit must stay below p^(N - guard) / 2");
    if (result) return padici_fault(context, result, "num_to_rational");
    task.other_out = 3;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    task.whole = o.mode == PADIC_NUM_RATIONAL_COMMON;
    task.call.options = &o;
    return padici_num_run(context, &task);
}

#endif
