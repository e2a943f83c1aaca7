#include "digits.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/words.h"
#include "cell.h"
#include "convert.h"
#include "element.h"
#include "integers.h"
#include "residue.h"
#include "ring.h"
#include "ring_tables.h"
#include "task.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// ---- digits

// Splits words below 2^64: first by p^part < 2^32 (by p above), then digit by digit.
typedef struct padici_num_digit_plan {
    uint64_t p, magic;          // ceil(2^64 / p), by which x / p is exact for x, p < 2^32
    uint64_t power, part_magic; // p^part, floor(2^64 / p^part), by which it is at most 1 too small
    uint32_t part;
} padici_num_digit_plan;

static padici_num_digit_plan padici_num_digits_make(const padic_num_ring *r)
{
    padici_num_digit_plan d;
    d.p = r->p;
    d.magic = UINT64_MAX / r->p + 1;
    d.part = 1;
    while (d.part + 1 < r->power_count && !r->power[d.part + 1][1] &&
           r->power[d.part + 1][0] >> 32 == 0)
        d.part++;
    d.power = r->power[d.part][0];
    d.part_magic = UINT64_MAX / d.power;
    return d;
}

// The n digits of x < p^n, lowest first, from element `at` on, `step` apart.
PADICI_INLINE void padici_num_digits_put(const padici_num_digit_plan *d, uint64_t x, uint32_t n,
                                         void *to, uint64_t at, uint64_t step, uint32_t size)
{
    while (n > 0) {
        uint64_t low = x;
        uint32_t k = n;
        if (n > d->part) {
            k = d->part;
            x = padici_mulhi64(low, d->part_magic);
            low -= x * d->power;
            if (low >= d->power) {
                low -= d->power;
                x++;
            }
        }
        for (n -= k; k > 1; k--, at += step) {
            const uint64_t q = padici_mulhi64(low, d->magic);
            padici_num_int_store(to, size, at, low - q * d->p);
            low = q;
        }
        padici_num_int_store(to, size, at, low);
        at += step;
    }
}

static void padici_num_digits_put_any(const padici_num_digit_plan *d, uint64_t x, uint32_t n,
                                      void *to, uint64_t at, uint64_t step, uint32_t size)
{
    switch (size) {
    case 1: padici_num_digits_put(d, x, n, to, at, step, 1); break;
    case 2: padici_num_digits_put(d, x, n, to, at, step, 2); break;
    case 4: padici_num_digits_put(d, x, n, to, at, step, 4); break;
    default: padici_num_digits_put(d, x, n, to, at, step, 8);
    }
}

// The lowest digit after digits 0 to k - 1 have been removed, in place (RX: of its limb).
PADICI_FN uint64_t padici_num_ring_next_digit(const padic_num_ring *r, uint64_t *u, uint32_t k)
{
    uint64_t digit;
    if (r->form == PADIC_NUM_W128) {
        padici_num_wide rest;
        padici_num_wide_store(
            u, padici_num_wide_div(padici_num_wide_load(u), padici_num_wide_make(r->p, 0), &rest));
        return rest.low;
    }
    if (r->form == PADIC_NUM_RX) u += k / r->limb_digits;
    digit = *u % r->p;
    *u /= r->p;
    return digit;
}

// u += d p^k, where digit k is 0.
PADICI_FN void padici_num_ring_set_digit(const padic_num_ring *r, uint64_t *u, uint32_t k,
                                         uint64_t d)
{
    if (r->form == PADIC_NUM_RX)
        u[k / r->limb_digits] += d * r->power[k % r->limb_digits][0];
    else if (r->form == PADIC_NUM_W128)
        padici_num_wide_store(
            u, padici_num_wide_add(padici_num_wide_load(u),
                                   padici_num_wide_mul_low(padici_num_wide_load(r->power[k]),
                                                           padici_num_wide_make(d, 0))));
    else
        u[0] += d * r->power[k][0];
}

// Digits of one element that is not STANDARD in one word. Destroys u.
static void padici_num_digits_slow(const padic_num_call *call, const padici_num_digit_plan *d,
                                   uint64_t *u, uint64_t at, uint64_t step, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    const uint32_t kind = (uint32_t)call->k & 15, size = padic_dtype_size(call->dtype);
    uint64_t carry = 0;
    uint32_t k;
    if (kind == PADIC_NUM_DIGITS_STANDARD && r->form == PADIC_NUM_RX) {
        for (k = 0; k < r->words; k++, at += step * r->limb_digits)
            padici_num_digits_put_any(d, u[k], k + 1 < r->words ? r->limb_digits : r->top_digits,
                                  call->other[0], at, step, size);
        return;
    }
    for (k = 0; k < r->precision; k++, at += step) {
        uint64_t digit;
        if (kind == PADIC_NUM_DIGITS_TEICHMUELLER) {
            digit = padici_num_ring_digit(r, u);
            if (digit) {
                padici_num_ring_teichmueller(r, temp, digit, temp + r->words);
                padici_num_ring_sub(r, u, u, temp);
            }
            padici_num_ring_down(r, u, u, 1);
        } else {
            digit = padici_num_ring_next_digit(r, u, k);
            if (kind == PADIC_NUM_DIGITS_BALANCED) {
                digit += carry;
                carry = digit > r->p >> 1;
                digit -= carry ? r->p : 0;
            }
        }
        padici_num_int_store(call->other[0], size, at, digit);
    }
}

// Kernel TO_DIGITS: call->other[0] holds digits of call->dtype, call->stride elements between
// planes, or 0 for rows; other[1] is i32 valuations or NULL; other[2] is known digits or NULL, u16
// if call->k & 16. call->k & 15 is the kind.
PADICI_FN void padici_num_to_digits_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_num_digit_plan d = padici_num_digits_make(r);
    const int fast = (call->k & 15) == PADIC_NUM_DIGITS_STANDARD && r->form < PADIC_NUM_W128;
    const uint32_t size = padic_dtype_size(call->dtype), n = r->precision;
    const uint64_t step = call->stride ? call->stride : 1, row = call->stride ? 1 : n;
    padici_num_work work;
    padici_num_cell x;
    uint64_t i;
    padici_num_work_begin(&work, r, call->workspace);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        padici_num_cell_load(call, &call->a, i, &x);
        if (x.v == PADIC_NUM_NAN) padici_num_ring_set(r, x.u, x.bits);
        if (fast)
            padici_num_digits_put_any(&d, x.u[0], n, call->other[0], i * row, step, size);
        else
            padici_num_digits_slow(call, &d, x.u, i * row, step, work.temp);
        if (call->other[1]) ((int32_t *)call->other[1])[i] = x.v;
        if (call->other[2]) padici_num_int_store(call->other[2], call->k & 16 ? 2 : 1, i, x.n);
        padici_num_report(call, i, x.bits);
    }
}

// The residue of one element's digits goes to u; 0 if one is out of range.
static int padici_num_digits_get(const padic_num_call *call, uint64_t *u, uint64_t at,
                                 uint64_t step, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    const uint32_t kind = (uint32_t)call->k & 15;
    uint64_t borrow = 0;
    uint32_t k;
    memset(u, 0, r->words * sizeof *u);
    for (k = 0; k < r->precision; k++, at += step) {
        int negative;
        uint64_t digit = padici_num_int_load(call->other[0], call->dtype, at, &negative);
        if (kind == PADIC_NUM_DIGITS_BALANCED) {
            if (digit > (negative ? (r->p - 1) >> 1 : r->p >> 1)) return 0;
            negative |= borrow && !digit;
            digit = negative ? r->p - digit - borrow : digit - borrow;
            borrow = (uint64_t)negative;
        } else if (digit >= r->p) {
            return 0;
        }
        if (kind != PADIC_NUM_DIGITS_TEICHMUELLER) {
            padici_num_ring_set_digit(r, u, k, digit);
        } else if (digit) {
            padici_num_ring_teichmueller(r, temp, digit, temp + r->words);
            padici_num_ring_up(r, temp, temp, k);
            padici_num_ring_add(r, u, u, temp);
        }
    }
    return 1;
}

// The same for n STANDARD digits in one word.
PADICI_INLINE int padici_num_digits_get1(const padic_num_ring *r, padic_dtype dtype,
                                         const void *from, uint32_t n, uint64_t at, uint64_t step,
                                         uint64_t *u)
{
    const uint64_t p = r->p;
    uint64_t x = 0, bad = 0;
    uint32_t k;
    int negative;
    for (k = 0; k < n; k++, at += step) {
        const uint64_t digit = padici_num_int_load(from, dtype, at, &negative);
        bad |= digit >= p;
        x += digit * r->power[k][0];
    }
    *u = x;
    return !bad;
}

static int padici_num_digits_get1_any(const padic_num_call *call, uint32_t n, uint64_t at,
                                  uint64_t step, uint64_t *u)
{
    const padic_num_ring *const r = call->ring;
    const void *const from = call->other[0];
    switch (call->dtype) {
    case PADIC_U8: return padici_num_digits_get1(r, PADIC_U8, from, n, at, step, u);
    case PADIC_U16: return padici_num_digits_get1(r, PADIC_U16, from, n, at, step, u);
    case PADIC_U32: return padici_num_digits_get1(r, PADIC_U32, from, n, at, step, u);
    default: return padici_num_digits_get1(r, PADIC_U64, from, n, at, step, u);
    }
}

// Sets v, n and the status of an element whose digits are in x->u.
static void padici_num_digits_finish(padic_num_call *call, uint64_t i, padici_num_cell *x)
{
    int negative;
    if (call->model != PADIC_NUM_RING && call->other[1])
        x->v = ((const int32_t *)call->other[1])[i];
    if (call->model == PADIC_NUM_BALL && call->other[2])
        x->n = (uint32_t)padici_num_int_load(call->other[2], call->k & 16 ? PADIC_U16 : PADIC_U8, i,
                                         &negative);
    if (!x->bits && x->v == PADIC_NUM_NAN)
        x->bits = x->u[0] & PADIC_NUM_HARD ? (uint32_t)x->u[0] & 255 : (uint32_t)PADIC_NUM_OUTSIDE;
    else if (x->n > call->ring->precision)
        x->bits = PADIC_NUM_OUTSIDE;
    if (x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN) {
        x->v = padici_num_val_clamp(x->v);
        padici_num_cell_normal(call, x);
        if (call->model == PADIC_NUM_FLOAT) x->bits &= ~(uint32_t)PADIC_NUM_PRECLOSS;
    }
    padici_num_cell_store(call, i, x);
}

// Kernel FROM_DIGITS, arguments as TO_DIGITS.
PADICI_FN void padici_num_from_digits_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const int standard = (call->k & 15) == PADIC_NUM_DIGITS_STANDARD;
    const int word = r->form < PADIC_NUM_W128;
    const int plain = word && (call->model == PADIC_NUM_RING ||
                               (call->model == PADIC_NUM_FLOAT && !call->other[1]));
    const uint64_t step = call->stride ? call->stride : 1, row = call->stride ? 1 : r->precision;
    padici_num_work work;
    padici_num_cell x;
    uint64_t i;
    padici_num_work_begin(&work, r, call->workspace);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        int good = 1;
        uint32_t k;
        x.v = 0;
        x.n = r->precision;
        if (standard && word)
            good = padici_num_digits_get1_any(call, r->precision, i * row, step, x.u);
        else if (standard && r->form == PADIC_NUM_RX)
            for (k = 0; k < r->words; k++)
                good &= padici_num_digits_get1_any(
                    call, k + 1 < r->words ? r->limb_digits : r->top_digits,
                    i * row + k * r->limb_digits * step, step, x.u + k);
        else
            good = padici_num_digits_get(call, x.u, i * row, step, work.temp);
        x.bits = good ? 0 : PADIC_NUM_OUTSIDE;
        if (plain && good && x.u[0]) {
            if (call->model == PADIC_NUM_FLOAT)
                x.v = (int32_t)padici_num_word_split(r, work.limit, x.u[0], x.u);
            padici_num_cell_put(call, i, &x);
        } else {
            padici_num_digits_finish(call, i, &x);
        }
    }
}

// The operands of both directions.
static padic_result padici_num_task_digits(padic_context *context, padici_num_task *task,
                                       const padic_num_array *array,
                                       const padic_tensor *digits, padic_num_digit_kind kind,
                                       padic_num_layout layout, const padic_tensor *val,
                                       const padic_tensor *known)
{
    const padic_num_ring *r = array->ring;
    const uint32_t balanced = kind == PADIC_NUM_DIGITS_BALANCED,
                   planes = layout == PADIC_NUM_LAYOUT_PLANES;
    uint32_t bits;
    task->field[1] = "in";
    task->other_field[0] = "digits";
    task->other_field[1] = "val";
    task->other_field[2] = "known";
    if (!padici_num_ring_is(r))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                              "the array has no ring: make one with num_ring_init");
    if ((uint32_t)kind > PADIC_NUM_DIGITS_TEICHMUELLER || (uint32_t)layout > PADIC_NUM_LAYOUT_ROWS)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                              "kind or layout is none that there is");
    if (r->composite && (array->model != PADIC_NUM_RING || kind == PADIC_NUM_DIGITS_TEICHMUELLER))
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, task->name,
                              "a ring of a radix that is no prime has model RING and STANDARD or "
                              "BALANCED digits");
    task->composite = 1;
    task->other[0] = digits;
    task->other_each[0] = r->precision;
    task->other_planes = planes;
    task->other_dtypes[0] = balanced ? PADICI_NUM_SIGNED : PADICI_NUM_UNSIGNED;
    bits = 64 - padici_clz64(balanced ? r->p >> 1 : r->p - 1) + balanced;
    if ((uint32_t)digits->dtype < 32 && task->other_dtypes[0] >> digits->dtype & 1) {
        if (8 * padic_dtype_size(digits->dtype) < bits)
            return padici_fail_in(context, PADIC_ERROR_ARGUMENT, task->name,
                                  "digits has a dtype too narrow for p: choose a wider one");
        if (digits->rank == 2 && digits->shape[!planes] != r->precision)
            return padici_fail_in(context, PADIC_ERROR_MISMATCH, task->name,
                                  "digits must have N of them for each number, as `layout` says");
    }
    task->call.stride = planes ? array->count : 0;
    task->call.k = (int64_t)kind | (known->dtype == PADIC_U16 ? 16 : 0);
    if (val->dtype || val->data || val->buffer.id) task->other[1] = val;
    task->other_dtypes[1] = 1u << PADIC_I32;
    if (known->dtype || known->data || known->buffer.id) task->other[2] = known;
    task->other_dtypes[2] = 1u << PADIC_U16 | (r->precision < 256 ? 1u << PADIC_U8 : 0);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_to_digits(padic_context *context,
                                           const padic_num_to_digits_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_digits", "desc is NULL");
    padici_num_task_begin(&task, "num_to_digits", PADIC_OP_NUM_TO_DIGITS,
                          padici_num_to_digits_loop, NULL, &desc->in, NULL, NULL);
    result = padici_num_task_digits(context, &task, &desc->in, &desc->digits, desc->kind,
                                    desc->layout, &desc->val, &desc->known);
    if (result) return result;
    task.other_out = 7;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_from_digits(padic_context *context,
                                             const padic_num_from_digits_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_digits", "desc is NULL");
    padici_num_task_begin(&task, "num_from_digits", PADIC_OP_NUM_FROM_DIGITS,
                          padici_num_from_digits_loop, &desc->out, NULL, NULL, NULL);
    result = padici_num_task_digits(context, &task, &desc->out, &desc->digits, desc->kind,
                                    desc->layout, &desc->val, &desc->known);
    if (result) return result;
    return padici_num_run(context, &task);
}

#endif
