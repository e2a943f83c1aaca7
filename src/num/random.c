#include "../context/state.h"
#include "../context/messages.h"
#include "../core/log.h"
#include "../core/philox.h"
#include "../core/platform.h"
#include "cell.h"
#include "convert.h"
#include "floats.h"
#include "limbs.h"
#include "residue.h"
#include "task.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// ---- random numbers, and how many digits

// Splits w m of the fraction w: returns the integer part; w becomes the fraction.
static uint64_t padici_num_big_carry(padici_num_big *w, uint64_t m)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < w->n; i++) {
        const padici_num_wide x =
            padici_num_wide_add(padici_num_wide_mul(w->w[i], m), padici_num_wide_make(carry, 0));
        w->w[i] = x.low;
        carry = x.high;
    }
    return carry;
}

// floor(P w / 2^s), a few digits at a time from the top.
static void padici_num_random_residue(const padic_num_ring *r, uint64_t *u, uint64_t seed,
                                  uint64_t stream, uint64_t index, padici_num_big *w)
{
    const uint32_t blocks = (r->bits + 64 + 127) / 128, digits = padici_num_word_digits(r);
    padici_num_wide sum = {0, 0};
    uint32_t i, left;
    for (i = 0; i < blocks; i++) {
        const uint64_t block = index * blocks + i;
        uint32_t word[4];
        padic_random_block(seed, stream, (uint32_t)(block >> 32), (uint32_t)block, word);
        w->w[2 * i] = word[0] | (uint64_t)word[1] << 32;
        w->w[2 * i + 1] = word[2] | (uint64_t)word[3] << 32;
    }
    w->n = 2 * blocks;
    if (r->form == PADIC_NUM_RX) {
        for (i = r->words; i-- > 0;) u[i] = padici_num_big_carry(w, padici_num_limb_base(r, i));
    } else if (r->form < PADIC_NUM_W128) {
        u[0] = r->base ? padici_num_big_carry(w, r->base) : w->w[2 * blocks - 1];
    } else {
        for (left = r->precision; left > 0; left -= i) {
            i = left < digits ? left : digits;
            sum = padici_num_wide_mul_low(sum, padici_num_wide_make(r->power[i][0], 0));
            sum = padici_num_wide_add(
                sum, padici_num_wide_make(padici_num_big_carry(w, r->power[i][0]), 0));
        }
        padici_num_wide_store(u, sum);
    }
}

static void padici_num_random_loop(padic_num_call *call)
{
    const padic_num_random_desc *const desc = (const padic_num_random_desc *)call->options;
    padici_num_work work;
    padici_num_cell x;
    uint64_t i;
    padici_num_work_begin(&work, call->ring, call->workspace);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        x.v = 0;
        x.n = call->ring->precision;
        x.bits = 0;
        padici_num_random_residue(call->ring, x.u, desc->seed, desc->stream,
                              desc->first + call->first + i, &work.a);
        padici_num_cell_normal(call, &x);
        x.bits = 0;
        padici_num_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_random(padic_context *context, const padic_num_random_desc *desc)
{
    padici_num_task task;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_random", "desc is NULL");
    if (desc->first >> 48 || desc->out.count > (UINT64_C(1) << 48) - desc->first)
        return padici_fail_in(context, PADIC_ERROR_LIMIT, "num_random",
                              "first + out.count must not be above 2^48");
    padici_num_task_begin(&task, "num_random", PADIC_OP_NUM_RANDOM, padici_num_random_loop,
                          &desc->out, NULL, NULL, NULL);
    task.call.options = desc;
    return padici_num_run(context, &task);
}

// The least n with p^n > 2 a b.
static uint32_t padici_num_fit_above(uint64_t p, uint64_t a, uint64_t b)
{
    uint64_t words[2][4];
    padici_num_big least, power;
    uint32_t n = 0;
    least.w = words[0];
    power.w = words[1];
    least.room = power.room = 4;
    padici_num_big_set(&least, a);
    padici_num_big_mul_add(&least, b, 0);
    padici_num_big_up(&least, 1);
    for (padici_num_big_set(&power, 1); !padici_num_big_less(&least, &power); n++)
        padici_num_big_mul_add(&power, p, 0);
    return n;
}

PADIC_API uint32_t padic_num_ring_fit(const padic_num_ring_fit_desc *desc)
{
    const uint32_t guard = desc && desc->greatest_denominator ? 1 : 0;
    uint32_t n, of_floats;
    if (!desc || desc->p >> 63 || !padic_num_is_prime(desc->p)) return 0;
    if (guard && !desc->greatest_numerator) return 0;
    n = guard + padici_num_fit_above(desc->p, desc->greatest_numerator,
                                     guard ? desc->greatest_denominator : 1);
    if (desc->dtype) {
        if (desc->dtype < PADIC_F64 || desc->dtype > PADIC_BF16) return 0;
        of_floats = padici_num_fit_above(
            desc->p, (UINT64_C(2) << padici_num_format_of(desc->dtype).mantissa) - 1, 1);
        if (n < of_floats) n = of_floats;
    }
    return n ? n : 1;
}

#endif
