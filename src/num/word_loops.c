#include "word_loops.h"
#include "../core/words.h"
#include "cell.h"
#include "element.h"
#include "residue.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// One-word loops. `r` is a copy on the stack that no plane can alias; `form` and `kernel` are
// constants, so each combination becomes one tight loop.

#define PADICI_NUM_BLOCK 64u  // elements that share an inversion
#define PADICI_NUM_SPREAD 32u // copies of a scalar operand, on the stack

PADICI_INLINE void padici_num_words_ring(const padic_num_ring *r, padic_num_form form,
                                         uint32_t kernel, uint32_t narrow, void *out,
                                         const void *pa, const void *pb, const void *pc, uint64_t n)
{
    uint64_t i;
    for (i = 0; i < n; i++) {
        const uint64_t a = padici_num_word_at(form, pa, i, narrow);
        const uint64_t b = pb ? padici_num_word_at(form, pb, i, narrow) : 0;
        const uint64_t x = kernel == PADIC_OP_NUM_ADD   ? padici_num_add1(r, form, a, b)
                           : kernel == PADIC_OP_NUM_SUB ? padici_num_sub1(r, form, a, b)
                           : kernel == PADIC_OP_NUM_NEG ? padici_num_sub1(r, form, 0, a)
                           : kernel == PADIC_OP_NUM_MUL ? padici_num_mul1(r, form, a, b)
                                : padici_num_add1(r, form, padici_num_mul1(r, form, a, b),
                                              padici_num_word_at(form, pc, i, narrow));
        padici_num_word_to(form, out, i, narrow, x);
    }
}

// W32 without branches. Products: a quotient from one high product is at most one too small. Where
// compilers vectorise loops without words above 64 bits: with h = ab 2^-down the quotient h mu is
// also at most one too small; for P > 2^30 (`wide`) at most three, and for P > 2^31 (2) mu has one
// bit more than 32.
typedef struct padici_num_mod32 {
    uint64_t high; // floor((2^64 - 1) / p)
    uint32_t p, mu, down;
} padici_num_mod32;

PADICI_INLINE uint32_t padici_num_product32(const padici_num_mod32 *m, int wide, uint32_t a,
                                            uint32_t b)
{
    const uint64_t ab = (uint64_t)a * b;
#if defined(__AVX2__)
    const uint64_t two = 2 * (uint64_t)m->p;
    const uint32_t h = (uint32_t)(ab >> m->down);
    uint64_t q = (uint64_t)h * m->mu >> (wide ? 32 : 33), r;
    uint32_t x;
    if (wide == 2) q += h;
    r = ab - (uint64_t)(uint32_t)q * m->p;
    if (wide) {
        r -= two;
        r += (0 - (r >> 63)) & two;
    }
    if (wide < 2) {
        x = (uint32_t)r - m->p;
        return x + ((0u - (x >> 31)) & m->p);
    }
    r -= m->p;
#else
    const uint64_t r = ab - padici_mulhi64(ab, m->high) * m->p - m->p;
    (void)wide;
#endif
    return (uint32_t)(r + ((0 - (r >> 63)) & m->p));
}

PADICI_INLINE uint32_t padici_num_one32(const padici_num_mod32 *m, int wide, uint32_t kernel,
                                        uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t x = a, y = kernel == PADIC_OP_NUM_FMA ? c : b;
    if (kernel == PADIC_OP_NUM_MUL || kernel == PADIC_OP_NUM_FMA)
        x = padici_num_product32(m, wide, a, b);
    if (kernel == PADIC_OP_NUM_NEG) x = a ? m->p - a : 0;
    if (kernel == PADIC_OP_NUM_SUB) x = a - b + (a < b ? m->p : 0);
    if (kernel == PADIC_OP_NUM_ADD || kernel == PADIC_OP_NUM_FMA) {
        const uint32_t gap = m->p - y; // x + y may reach 2^32
        x = x - gap + (x < gap ? m->p : 0);
    }
    return x;
}

// In blocks with local buffers, since what is read and what is written may be the same.
PADICI_INLINE void padici_num_loop32(const padici_num_mod32 *m, int wide, uint32_t kernel,
                                     uint32_t *out, const uint32_t *pa, const uint32_t *pb,
                                     const uint32_t *pc, uint64_t n)
{
    enum { BLOCK = 32 };
    const padici_num_mod32 mod = *m;
    uint64_t i = 0;
    uint32_t a[BLOCK], b[BLOCK], c[BLOCK], j;
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    for (; i + BLOCK <= n; i += BLOCK) {
        memcpy(a, pa + i, sizeof a);
        if (kernel != PADIC_OP_NUM_NEG) memcpy(b, pb + i, sizeof b);
        if (kernel == PADIC_OP_NUM_FMA) memcpy(c, pc + i, sizeof c);
        for (j = 0; j < BLOCK; j++) a[j] = padici_num_one32(&mod, wide, kernel, a[j], b[j], c[j]);
        memcpy(out + i, a, sizeof a);
    }
    for (; i < n; i++)
        out[i] = padici_num_one32(&mod, wide, kernel, pa[i], pb ? pb[i] : 0, pc ? pc[i] : 0);
}

PADICI_INLINE void padici_num_words_ring32(const padic_num_ring *r, uint32_t kernel, uint32_t *out,
                                       const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                                       uint64_t n)
{
    padici_num_mod32 m;
    m.p = (uint32_t)r->base;
    m.mu = m.down = 0;
    m.high = UINT64_MAX / m.p;
    if (kernel != PADIC_OP_NUM_MUL && kernel != PADIC_OP_NUM_FMA) {
        padici_num_loop32(&m, 0, kernel, out, pa, pb, pc, n);
    } else if (r->bits < 31) {
        m.down = r->bits < 2 ? 0 : r->bits - 2;
        m.mu = (uint32_t)((UINT64_C(1) << (m.down + 33)) / m.p);
        padici_num_loop32(&m, 0, kernel, out, pa, pb, pc, n);
    } else if (r->bits == 31) {
        m.down = 30;
        m.mu = (uint32_t)((UINT64_C(1) << 62) / m.p);
        padici_num_loop32(&m, 1, kernel, out, pa, pb, pc, n);
    } else {
        m.down = 32;
        m.mu = (uint32_t)(UINT64_MAX / m.p - (UINT64_C(1) << 32));
        padici_num_loop32(&m, 2, kernel, out, pa, pb, pc, n);
    }
}

// A span of an operand: itself, or a scalar repeated in `room`.
static const void *padici_num_spread(const padic_num_ring *r, const padic_num_planes *p,
                                     uint64_t first, uint64_t *room)
{
    uint32_t i;
    if (!p->unit) return NULL;
    if (!p->scalar) return (const char *)p->unit + first * r->unit_size;
    for (i = 0; i < PADICI_NUM_SPREAD; i++)
        padici_num_word_set(r, room, i, padici_num_word(r, p->unit, 0));
    return room;
}

// The same for any form of one word; `kernel` is a constant here.
PADICI_INLINE void padici_num_ring_loop(padic_num_call *call, uint32_t kernel)
{
    const padic_num_ring r = *call->ring;
    uint64_t room[3][PADICI_NUM_SPREAD];
    const uint64_t whole = call->a.scalar | call->b.scalar | call->c.scalar ? PADICI_NUM_SPREAD
                                                                            : call->count;
    uint64_t first, n;
    for (first = 0; first < call->count; first += n) {
        const void *a = padici_num_spread(&r, &call->a, first, room[0]);
        const void *b = padici_num_spread(&r, &call->b, first, room[1]);
        const void *c = padici_num_spread(&r, &call->c, first, room[2]);
        void *x = (char *)call->out.unit + first * r.unit_size;
        n = call->count - first < whole ? call->count - first : whole;
        if (r.form == PADIC_NUM_W32)
            padici_num_words_ring32(&r, kernel, (uint32_t *)x, (const uint32_t *)a,
                                (const uint32_t *)b, (const uint32_t *)c, n);
        else if (r.form == PADIC_NUM_W49)
            padici_num_words_ring(&r, PADIC_NUM_W49, kernel, 0, x, a, b, c, n);
        else if (r.form == PADIC_NUM_W64)
            padici_num_words_ring(&r, PADIC_NUM_W64, kernel, 0, x, a, b, c, n);
        else if (r.unit_size == 4)
            padici_num_words_ring(&r, PADIC_NUM_B2, kernel, 1, x, a, b, c, n);
        else
            padici_num_words_ring(&r, PADIC_NUM_B2, kernel, 0, x, a, b, c, n);
    }
    if (call->status) memset(call->status, 0, (size_t)call->count);
}

// Floats of one word with i32 valuations: a b, a + b, a - b.
PADICI_INLINE void padici_num_words_float(padic_num_call *call, const padic_num_ring *r,
                                      padic_num_form form, uint32_t kernel, padici_num_one one)
{
    const padic_num_planes a = call->a, b = call->b, out = call->out;
    const uint32_t narrow = r->unit_size == 4;
    uint8_t *const status = call->status;
    uint64_t i;
    for (i = 0; i < call->count; i++) {
        const uint64_t ia = a.scalar ? 0 : i, ib = b.scalar ? 0 : i;
        padici_num_word_float x, y;
        x.u = padici_num_word_at(form, a.unit, ia, narrow);
        x.v = ((const int32_t *)a.val)[ia];
        x.bits = 0;
        y.u = padici_num_word_at(form, b.unit, ib, narrow);
        y.v = ((const int32_t *)b.val)[ib];
        if (PADICI_UNLIKELY(!padici_num_val_finite(x.v) || !padici_num_val_finite(y.v) ||
                            !padici_num_word_float_op(r, form, kernel, &x, y))) {
            padici_num_span(call, i, i + 1, one);
            continue;
        }
        padici_num_word_to(form, out.unit, i, narrow, x.u);
        ((int32_t *)out.val)[i] = x.v;
        if (status) status[i] = (uint8_t)x.bits;
        call->bits |= x.bits;
    }
}

PADICI_INLINE void padici_num_float_loop(padic_num_call *call, uint32_t kernel, padici_num_one one)
{
    const padic_num_ring r = *call->ring;
    if (r.form == PADIC_NUM_W32)
        padici_num_words_float(call, &r, PADIC_NUM_W32, kernel, one);
    else if (r.form == PADIC_NUM_W49)
        padici_num_words_float(call, &r, PADIC_NUM_W49, kernel, one);
    else if (r.form == PADIC_NUM_W64)
        padici_num_words_float(call, &r, PADIC_NUM_W64, kernel, one);
    else
        padici_num_words_float(call, &r, PADIC_NUM_B2, kernel, one);
}

// add, sub, mul: the fast loops where they apply, otherwise element by element.
#define PADICI_NUM_LOOP(name, one, KERNEL)                                 \
    PADICI_FN PADICI_NOINLINE void padici_num_##name##_loop(padic_num_call *call) \
    {                                                                      \
        if (padici_num_fast(call, PADIC_NUM_RING))                         \
            padici_num_ring_loop(call, KERNEL);                                \
        else if (padici_num_fast(call, PADIC_NUM_FLOAT))                   \
            padici_num_float_loop(call, KERNEL, padici_num_##one##_one);           \
        else                                                               \
            padici_num_each(call, padici_num_##one##_one);                     \
    }

PADICI_NUM_LOOP(add, add, PADIC_OP_NUM_ADD)

PADICI_NUM_LOOP(sub, sub, PADIC_OP_NUM_SUB)

PADICI_NUM_LOOP(mul_words, mul, PADIC_OP_NUM_MUL)

// RING products of W128; the planes are read and written one word at a time.
PADICI_FN void padici_num_mul_loop(padic_num_call *call)
{
    const padic_num_ring r = *call->ring;
    const uint64_t *const a = (const uint64_t *)call->a.unit;
    const uint64_t *const b = (const uint64_t *)call->b.unit;
    const uint64_t step_a = !call->a.scalar, step_b = !call->b.scalar;
    uint64_t *const x = (uint64_t *)call->out.unit, i;
    if (r.form != PADIC_NUM_W128 || call->model != PADIC_NUM_RING) {
        padici_num_mul_words_loop(call);
        return;
    }
    for (i = 0; i < call->count; i++) {
        const uint64_t *const u = a + i * step_a, *const v = b + i * step_b;
        const padici_num_wide y = padici_num_mul2(&r, padici_num_wide_make(u[0], u[call->a.high]),
                                          padici_num_wide_make(v[0], v[call->b.high]));
        x[i] = y.low;
        x[i + call->out.high] = y.high;
    }
    if (call->status) memset(call->status, 0, (size_t)call->count);
}

PADICI_FN void padici_num_neg_loop(padic_num_call *call)
{
    if (padici_num_fast(call, PADIC_NUM_RING))
        padici_num_ring_loop(call, PADIC_OP_NUM_NEG);
    else
        padici_num_each(call, padici_num_neg_one);
}

PADICI_FN void padici_num_fma_loop(padic_num_call *call)
{
    if (padici_num_fast(call, PADIC_NUM_RING))
        padici_num_ring_loop(call, PADIC_OP_NUM_FMA);
    else
        padici_num_each(call, padici_num_fma_one);
}

// inv and div up to W128: a block shares one inversion (Montgomery's trick: the inverse of a
// product times the other factors is the inverse of one). Four product chains are interleaved,
// since each step of a chain waits for the one before. A divisor that is no unit counts as 1 and is
// redone alone.
typedef struct padici_num_inverses {
    uint64_t unit[PADICI_NUM_BLOCK][2];    // divisors, then their inverses
    uint64_t product[PADICI_NUM_BLOCK][2]; // prefix products of a chain
    uint64_t rare;
} padici_num_inverses;

PADICI_INLINE void padici_num_inverses_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                    const uint64_t *b)
{
    if (r->form == PADIC_NUM_W128)
        padici_num_wide_store(x,
                              padici_num_mul2(r, padici_num_wide_load(a), padici_num_wide_load(b)));
    else
        x[0] = padici_num_mul1(r, r->form, a[0], b[0]);
}

static void padici_num_inverses_load(const padic_num_call *call, const padic_num_planes *divisor,
                              uint64_t first, uint64_t n, padici_num_inverses *batch)
{
    const padic_num_ring *r = call->ring;
    uint64_t i;
    batch->rare = 0;
    for (i = 0; i < n; i++) {
        const uint64_t at = divisor->scalar ? 0 : first + i;
        uint64_t *const u = batch->unit[i];
        u[0] = padici_num_word(r, divisor->unit, at);
        u[1] = r->words > 1 ? padici_num_word(r, divisor->unit, at + divisor->high) : 0;
        if (divisor->val ? !padici_num_val_finite(padici_num_val_load(divisor, at))
                         : !padici_num_ring_unit(r, u)) {
            batch->rare |= UINT64_C(1) << i;
            padici_num_ring_set(r, u, 1);
        }
    }
}

static void padici_num_inverses_invert(const padic_num_ring *r, padici_num_inverses *batch,
                                       uint64_t n)
{
    const uint64_t chains = n < 4 ? n : 4;
    uint64_t inverse[4][2], all[4][2], x[2], t[4], i;
    for (i = 0; i < n; i++)
        if (i < 4)
            memcpy(batch->product[i], batch->unit[i], sizeof x);
        else
            padici_num_inverses_mul(r, batch->product[i], batch->product[i - 4], batch->unit[i]);
    for (i = 0; i < chains; i++)
        if (i)
            padici_num_inverses_mul(r, all[i], all[i - 1], batch->product[n - chains + i]);
        else
            memcpy(all[0], batch->product[n - chains], sizeof x);
    padici_num_ring_inv(r, x, all[chains - 1], t);
    for (i = chains; i-- > 1;) {
        padici_num_inverses_mul(r, inverse[(n - chains + i) & 3], x, all[i - 1]);
        padici_num_inverses_mul(r, t, x, batch->product[n - chains + i]);
        memcpy(x, t, sizeof x);
    }
    memcpy(inverse[(n - chains) & 3], x, sizeof x);
    for (i = n; i-- > 0;) {
        uint64_t *const chain = inverse[i & 3];
        if (i < 4) {
            memcpy(batch->unit[i], chain, sizeof x);
        } else {
            padici_num_inverses_mul(r, x, chain, batch->product[i - 4]);
            padici_num_inverses_mul(r, t, chain, batch->unit[i]);
            memcpy(chain, t, sizeof x);
            memcpy(batch->unit[i], x, sizeof x);
        }
    }
}

PADICI_FN void padici_num_div_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const int inv = !call->b.unit;
    const padici_num_one one = inv ? padici_num_inv_one : padici_num_div_one;
    const padic_num_planes *divisor = inv ? &call->a : &call->b;
    padici_num_inverses batch;
    uint64_t u[2], x[2], first, i, n;
    padici_num_cell a, out;
    if (r->form == PADIC_NUM_RX || call->model == PADIC_NUM_BALL) {
        padici_num_each(call, one);
        return;
    }
    a.u = u;
    out.u = x;
    for (first = 0; first < call->count; first += n) {
        n = call->count - first < PADICI_NUM_BLOCK ? call->count - first : PADICI_NUM_BLOCK;
        padici_num_inverses_load(call, divisor, first, n, &batch);
        padici_num_inverses_invert(r, &batch, n);
        for (i = 0; i < n; i++) {
            const uint64_t at = divisor->scalar ? 0 : first + i;
            if (batch.rare >> i & 1) continue;
            a.v = 0;
            if (inv) {
                memcpy(x, batch.unit[i], sizeof x);
            } else {
                padici_num_cell_load(call, &call->a, first + i, &a);
                if (!padici_num_val_finite(a.v)) {
                    batch.rare |= UINT64_C(1) << i;
                    continue;
                }
                padici_num_inverses_mul(r, x, u, batch.unit[i]);
            }
            out.v = a.v - (divisor->val ? padici_num_val_load(divisor, at) : 0);
            if (r->words == 1 && !call->out.val16 && padici_num_val_finite(out.v)) {
                padici_num_word_set(r, call->out.unit, first + i, x[0]);
                if (call->out.val) ((int32_t *)call->out.val)[first + i] = out.v;
                if (call->status) call->status[first + i] = 0;
                continue;
            }
            out.n = r->precision;
            out.bits = 0;
            padici_num_cell_store(call, first + i, &out);
        }
        for (; batch.rare; batch.rare &= batch.rare - 1) {
            const uint64_t at = first + padici_ctz64(batch.rare);
            padici_num_span(call, at, at + 1, one);
        }
    }
}

PADICI_FN void padici_num_shift_loop(padic_num_call *call)
{
    padici_num_each(call, padici_num_shift_one);
}

PADICI_FN void padici_num_pow_loop(padic_num_call *call)
{
    padici_num_each(call, padici_num_pow_one);
}

#undef PADICI_NUM_BLOCK
#undef PADICI_NUM_SPREAD
#undef PADICI_NUM_LOOP

#endif
