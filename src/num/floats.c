#include "floats.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/words.h"
#include "cell.h"
#include "convert.h"
#include "euclid.h"
#include "integers.h"
#include "residue.h"
#include "task.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// ---- floats

PADICI_FN padici_num_format padici_num_format_of(padic_dtype dtype)
{
    padici_num_format f;
    f.mantissa = dtype == PADIC_F64 ? 52 : dtype == PADIC_F32 ? 23 : dtype == PADIC_F16 ? 10 : 7;
    f.exponent = dtype == PADIC_F64 ? 11 : dtype == PADIC_F16 ? 5 : 8;
    return f;
}

PADICI_FN void padici_num_float_store(void *data, padic_dtype dtype, uint64_t i, uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    if (dtype == PADIC_F64)
        memcpy((char *)data + 8 * i, &bits, 8);
    else if (dtype == PADIC_F32)
        memcpy((char *)data + 4 * i, &word, 4);
    else
        ((uint16_t *)data)[i] = (uint16_t)bits;
}

PADICI_FN void padici_num_twos_make(const padic_num_ring *r, padici_num_twos *t)
{
    uint64_t half = (r->base >> 1) + 1, temp, x = 1 % r->base;
    uint32_t i;
    for (i = 0; i < 64; i++) {
        t->low[i] = x;
        x = padici_num_add1(r, r->form, x, x);
    }
    padici_num_ring_pow(r, &t->high[0], &half, 1088, &temp);
    for (i = 1; i < 33; i++) t->high[i] = padici_num_mul1(r, r->form, t->high[i - 1], x);
}

// Writes the integer nearest to m 2^k, ties to even, to work->a; 1 if it was rounded. One that is
// far too long is cut to the room.
static int padici_num_float_scale(padici_num_work *work, uint64_t m, int64_t k)
{
    uint64_t rest, half;
    if (k >= 0) {
        padici_num_big_set(&work->a, m);
        padici_num_big_up(&work->a, (uint64_t)k);
        return 0;
    }
    if (k < -63) k = -63; // m is below 2^53
    rest = m & ((UINT64_C(1) << -k) - 1);
    half = UINT64_C(1) << (-k - 1);
    m >>= -k;
    padici_num_big_set(&work->a, m + (rest > half || (rest == half && m & 1)));
    return rest != 0;
}

// 1 if the split integer x < P is above P / 2.
static int padici_num_float_large(const padic_num_ring *r, const padici_num_cell *x, uint64_t *t)
{
    if (x->v == PADIC_NUM_ZERO) return 0;
    padici_num_ring_up(r, t, x->u, (uint64_t)x->v);
    padici_num_ring_neg(r, t + r->words, t);
    return !padici_num_ring_less(r, t, t + r->words);
}

// x = (-1)^negative m 2^e. call->k: mode, and scale above.
static void padici_num_cell_of_float(const padic_num_call *call, padici_num_cell *x, int negative,
                                 uint64_t m, int32_t e, padici_num_work *work)
{
    const padic_num_ring *r = call->ring;
    const uint32_t mode = (uint32_t)call->k & 255;
    uint32_t bits = 0;
    if (mode == PADIC_NUM_FLOAT_SCALED) {
        const int64_t k = e + (call->k >> 8);
        if (m && k + 64 - padici_clz64(m) >= (int64_t)r->bits) {
            x->bits = PADIC_NUM_RANGE;
            return;
        }
        bits = padici_num_float_scale(work, m, k) ? (uint32_t)PADIC_NUM_INEXACT : 0;
    } else {
        padici_num_big_set(&work->a, m);
    }
    if (mode == PADIC_NUM_FLOAT_DIRECT && r->p != 2) {
        padici_num_big_set(&work->b, 1);
        padici_num_big_up(e < 0 ? &work->b : &work->a, (uint64_t)(e < 0 ? -e : e));
        padici_num_cell_of_fraction(call, x, &work->a, negative, &work->b, work->temp);
        return;
    }
    padici_num_cell_of_big(r, x, &work->a, 0, 1);
    if (mode == PADIC_NUM_FLOAT_DIRECT && m) x->v += e;
    if (mode == PADIC_NUM_FLOAT_SCALED && padici_num_float_large(r, x, work->temp))
        bits |= PADIC_NUM_RANGE;
    if (negative) padici_num_ring_neg(r, x->u, x->u);
    padici_num_cell_settle(call, x);
    x->bits |= bits;
}

// m 2^e of a float, m odd or 0; 0 for infinity and NaN.
PADICI_INLINE int padici_num_float_split(uint64_t bits, padici_num_format f, uint64_t *m,
                                         int32_t *e)
{
    const uint32_t top = (1u << f.exponent) - 1, field = (uint32_t)(bits >> f.mantissa) & top;
    *m = (bits & ((UINT64_C(1) << f.mantissa) - 1)) | (uint64_t)(field != 0) << f.mantissa;
    *e = 0;
    if (field == top) return 0;
    if (*m) { // the lowest bit is worth the same in a subnormal and in field 1
        const uint32_t zeros = padici_ctz64(*m);
        *e = (int32_t)(zeros + (field ? field : 1)) - (int32_t)(top / 2 + f.mantissa);
        *m >>= zeros;
    }
    return 1;
}

// Converts elements from i on in a ring of one word while they are neither 0 nor special; DIRECT or
// SPLIT. Returns the index where it stopped.
PADICI_INLINE uint64_t padici_num_from_float_words(padic_num_call *call, uint64_t i,
                                                   padic_dtype dtype, const padici_num_twos *twos,
                                                   uint64_t limit)
{
    const padic_num_ring *const r = call->ring;
    const padici_num_format f = padici_num_format_of(dtype);
    const int split = call->model != PADIC_NUM_RING, direct = !call->other[1];
    int16_t *const exponent = (int16_t *)call->other[1];
    padici_num_cell x;
    uint64_t u, m;
    int32_t e;
    x.u = &u;
    for (; i < call->count; i++) {
        const uint64_t bits = padici_num_float_load(call->other[0], dtype, i);
        uint64_t two = 1;
        if (!padici_num_float_split(bits, f, &m, &e) || !m) break;
        if (direct && r->p != 2) {
            const uint32_t k = (uint32_t)(e + 1088);
            two = padici_num_mul1(r, r->form, twos->low[k & 63], twos->high[k >> 6]);
        }
        padici_num_cell_of_word(r, &x, limit, m, two, (int)(bits >> (f.mantissa + f.exponent)),
                                split);
        if (direct && r->p == 2) x.v = e;
        if (exponent) exponent[i] = (int16_t)e;
        padici_num_cell_put(call, i, &x);
    }
    return i;
}

// Kernel FROM_FLOAT: other[0] holds floats of call->dtype, other[1] i16 exponents or NULL; call->k
// is the mode + 256 scale.
PADICI_FN void padici_num_from_float_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_num_format f = padici_num_format_of(call->dtype);
    const uint32_t mode = (uint32_t)call->k & 255, odd = r->p != 2;
    const int word = r->form < PADIC_NUM_W128 && mode != PADIC_NUM_FLOAT_SCALED &&
                     (odd || call->other[1] || call->model != PADIC_NUM_RING);
    padici_num_work work;
    padici_num_twos twos;
    padici_num_cell x;
    uint64_t i, bits, m;
    int32_t e;
    if (word && odd && !call->other[1]) padici_num_twos_make(r, &twos);
    padici_num_work_begin(&work, r, call->workspace);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        if (word && call->dtype == PADIC_F64)
            i = padici_num_from_float_words(call, i, PADIC_F64, &twos, work.limit);
        else if (word)
            i = padici_num_from_float_words(call, i, call->dtype, &twos, work.limit);
        if (i == call->count) return;
        bits = padici_num_float_load(call->other[0], call->dtype, i);
        x.v = 0;
        x.n = r->precision;
        x.bits = PADIC_NUM_OUTSIDE;
        if (padici_num_float_split(bits, f, &m, &e)) {
            const int negative = (int)(bits >> (f.mantissa + f.exponent));
            x.bits = 0;
            padici_num_cell_of_float(call, &x, negative, m, e, &work);
            if (!m && negative) x.bits |= PADIC_NUM_INEXACT;
        }
        if (call->other[1]) ((int16_t *)call->other[1])[i] = (int16_t)e;
        if (x.bits & PADIC_NUM_HARD) x.v = PADIC_NUM_NAN;
        padici_num_cell_store(call, i, &x);
    }
}

// The operands of both directions: floats, and exponents for the modes that have them.
static padic_result padici_num_task_floats(padic_context *context, padici_num_task *task,
                                       const padic_tensor *floats, const padic_tensor *exponent,
                                       padic_num_float_mode mode, int32_t scale)
{
    const int given = exponent->dtype || exponent->data || exponent->buffer.id;
    task->other_field[1] = "exponent";
    if ((uint32_t)mode > PADIC_NUM_FLOAT_SCALED)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                              "mode must be DIRECT, SPLIT or SCALED");
    if (given != (mode == PADIC_NUM_FLOAT_SPLIT))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                              "exponent is for mode SPLIT, which needs it, and for no other");
    if (scale > 1 << 20 || scale < -(1 << 20))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, task->name,
                              "scale must be between -2^20 and 2^20");
    task->other[0] = floats;
    task->other_dtypes[0] = 1u << PADIC_F64 | 1u << PADIC_F32 | 1u << PADIC_F16 | 1u << PADIC_BF16;
    if (given) task->other[1] = exponent;
    task->other_dtypes[1] = 1u << PADIC_I16;
    task->call.k = (int64_t)mode | (int64_t)scale * 256;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_from_float(padic_context *context,
                                            const padic_num_from_float_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_float", "desc is NULL");
    padici_num_task_begin(&task, "num_from_float", PADIC_OP_NUM_FROM_FLOAT,
                          padici_num_from_float_loop, &desc->out, NULL, NULL, NULL);
    task.other_field[0] = "in";
    result = padici_num_task_floats(context, &task, &desc->in, &desc->exponent, desc->mode,
                                desc->scale);
    if (result) return result;
    task.other_out = 2;
    return padici_num_run(context, &task);
}

// a / b = q 2^exponent with 64 bits of q, *more if the remainder is not 0. Destroys a and b, which
// have room for one more word.
static uint64_t padici_num_big_ratio(padici_num_big *a, padici_num_big *b, int64_t *exponent,
                                     int *more)
{
    const uint64_t la = padici_num_big_bits(a), lb = padici_num_big_bits(b);
    uint64_t q = 0;
    *exponent = (int64_t)la - (int64_t)lb;
    if (la < lb)
        padici_num_big_up(a, lb - la);
    else
        padici_num_big_up(b, la - lb);
    for (;;) { // now 1/2 < a / b < 2
        const int less = padici_num_big_less(a, b);
        q = q << 1 | !less;
        if (!less) padici_num_big_sub(a, b);
        if (q >> 63) break;
        padici_num_big_up(a, 1);
        --*exponent;
    }
    *more = a->n != 0;
    return q;
}

// The float nearest to +-a / b 2^e; an empty b is 1.
static uint64_t padici_num_float_of_big(padic_dtype dtype, int negative, padici_num_big *a,
                                        padici_num_big *b, int64_t e, uint32_t *bits)
{
    const padici_num_format f = padici_num_format_of(dtype);
    const uint64_t sign = (uint64_t)(negative && a->n) << (f.mantissa + f.exponent);
    uint64_t q = a->n ? a->w[a->n - 1] : 0;
    int64_t exponent = 0;
    uint32_t i, inexact, overflow;
    int more = 0;
    if (b->n && a->n) {
        q = padici_num_big_ratio(a, b, &exponent, &more);
    } else if (a->n > 1) {
        const uint32_t up = padici_clz64(q);
        const padici_num_wide top =
            padici_num_wide_shl(padici_num_wide_make(a->w[a->n - 2], q), up);
        q = top.high;
        more = top.low != 0;
        for (i = 0; i + 2 < a->n; i++) more |= a->w[i] != 0;
        exponent = 64 * ((int64_t)a->n - 1) - up;
    }
    q = padici_num_float_round(dtype, q, e + exponent, (uint32_t)more, &inexact, &overflow);
    *bits |= overflow ? PADIC_NUM_RANGE : inexact ? PADIC_NUM_INEXACT : 0;
    return sign | q;
}

// The fraction of p^v u, with default bounds, in work->a and work->b. Returns 0 if there is none,
// 1, or -1. p^|v| is a factor of one of them; where it does not fit, *e is 2^20 or -2^20.
static int padici_num_big_fraction(const padic_num_call *call, const padici_num_cell *x,
                               padici_num_work *work, int64_t *e)
{
    const padic_num_ring *r = call->ring;
    padici_num_big *const a = &work->a, *const b = &work->b, *const longer = x->v < 0 ? b : a;
    uint64_t *const n = work->temp, *const d = n + r->words;
    const int sign = x->n ? padici_num_fraction_of(r, x->u, x->n, n, d, d + r->words) : 0;
    if (!sign) return 0;
    padici_num_ring_copy(r, a->w, n); // the buffers lie higher
    padici_num_ring_copy(r, b->w, d);
    a->n = b->n = r->words;
    padici_num_big_trim(a);
    padici_num_big_trim(b);
    longer->room--; // for the division
    *e = padici_num_big_power(r, longer, (uint64_t)(x->v < 0 ? -x->v : x->v)) ? 0
         : x->v < 0                                                       ? -(INT64_C(1) << 20)
                                                                          : INT64_C(1) << 20;
    longer->room++;
    return sign;
}

// The float of an element; 2^e is for SPLIT and SCALED.
static uint64_t padici_num_float_of_cell(const padic_num_call *call, padici_num_cell *x, int64_t e,
                                     padici_num_work *work, uint32_t *bits)
{
    const padici_num_format f = padici_num_format_of(call->dtype);
    const padic_num_ring *r = call->ring;
    const int direct = ((uint32_t)call->k & 255) == PADIC_NUM_FLOAT_DIRECT;
    int negative = 0;
    work->b.n = 0;
    if (direct && r->p != 2 && x->v != PADIC_NUM_NAN) {
        int sign;
        e = 0;
        if (x->v == PADIC_NUM_ZERO || (x->n && padici_num_ring_is_zero(r, x->u))) return 0;
        sign = padici_num_big_fraction(call, x, work, &e);
        if (!sign) *bits = PADIC_NUM_RATREC;
        negative = sign < 0;
    } else {
        *bits = padici_num_big_of_cell(call, x, 1, !direct, work, &negative);
        if (direct) e = x->v;
        if (*bits == PADIC_NUM_RANGE && x->v != PADIC_NUM_NAN) { // too long
            *bits = 0;
            padici_num_big_set(&work->a, 1); // for p = 2 only zeros remain
            e = INT64_C(1) << 40;
        }
    }
    if (*bits & PADIC_NUM_HARD) return ((UINT64_C(2) << f.exponent) - 1) << (f.mantissa - 1); // NaN
    return padici_num_float_of_big(call->dtype, negative, &work->a, &work->b, e, bits);
}

static void padici_num_to_float_loop(padic_num_call *call)
{
    padici_num_work work;
    padici_num_cell x;
    uint64_t i;
    padici_num_work_begin(&work, call->ring, call->workspace);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        uint64_t y;
        uint32_t bits = 0;
        padici_num_cell_load(call, &call->a, i, &x);
        y = padici_num_float_of_cell(call, &x,
                                 call->other[1] ? ((const int16_t *)call->other[1])[i]
                                                : -(call->k >> 8),
                                 &work, &bits);
        padici_num_float_store(call->other[0], call->dtype, i, y);
        padici_num_report(call, i, bits);
    }
}

PADIC_API padic_result padic_num_to_float(padic_context *context,
                                          const padic_num_to_float_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_float", "desc is NULL");
    padici_num_task_begin(&task, "num_to_float", PADIC_OP_NUM_TO_FLOAT, padici_num_to_float_loop,
                          NULL, &desc->in, NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "out";
    result = padici_num_task_floats(context, &task, &desc->out, &desc->exponent, desc->mode,
                                desc->scale);
    if (result) return result;
    task.other_out = 1;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

#endif
