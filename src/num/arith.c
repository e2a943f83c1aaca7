// --------------------------------------------------------------------------------- >>arith impl
//
// Each operation is a function of one element (padici_..._one), right for every form and model.
// One-word rings and floats have loops of their own beside it, made for each form, which hand the
// rare elements (specials, limits) to that function.

// What all operations do first: 1 if an operand is NaN, whose bits the result then has.
PADICI_INLINE int padici_cell_nan(padici_cell *x, const padici_cell *a, const padici_cell *b)
{
    const padici_cell *nan = a->v == PADIC_NUM_NAN              ? a
                             : b && b->v == PADIC_NUM_NAN ? b
                                                                : NULL;
    if (!nan) return 0;
    x->v = PADIC_NUM_NAN;
    x->bits = nan->bits;
    return 1;
}

static void padici_cell_copy(const padic_num_ring *r, padici_cell *x, const padici_cell *a)
{
    x->v = a->v;
    x->n = a->n;
    x->bits = a->bits;
    padici_ring_copy(r, x->u, a->u);
}

// A valuation that may lie far outside; padici_cell_store() then sees that it does.
PADICI_INLINE int32_t padici_val_clamp(int64_t v)
{
    const int64_t most = PADIC_NUM_MAX_VALUATION + INT64_C(1);
    return (int32_t)(v > most ? most : v < -most ? -most : v);
}

// a + b, or a - b.
static void padici_cell_sum(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            const padici_cell *b, int minus, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    int64_t d, known;
    if (call->model == PADIC_NUM_RING) {
        (minus ? padici_ring_sub : padici_ring_add)(r, x->u, a->u, b->u);
        return;
    }
    if (padici_cell_nan(x, a, b)) return;
    if (b->v == PADIC_NUM_ZERO) {
        padici_cell_copy(r, x, a);
        return;
    }
    if (minus) {
        padici_ring_neg(r, temp, b->u);
        padici_ring_low(r, temp, temp, b->n);
    } else {
        padici_ring_copy(r, temp, b->u);
    }
    if (a->v == PADIC_NUM_ZERO) {
        padici_cell_copy(r, x, b);
        padici_ring_copy(r, x->u, temp);
        return;
    }
    x->v = a->v < b->v ? a->v : b->v;
    d = (int64_t)b->v - a->v;
    known = (int64_t)a->v + a->n < (int64_t)b->v + b->n ? (int64_t)a->v + a->n
                                                        : (int64_t)b->v + b->n;
    if (call->model == PADIC_NUM_BALL && known <= x->v) { // not a digit left
        x->v = (int32_t)known;
        x->n = 0;
        memset(x->u, 0, r->words * sizeof *x->u);
        x->bits |= PADIC_NUM_PRECLOSS;
        return;
    }
    if (call->model == PADIC_NUM_BALL) x->n = (uint32_t)(known - x->v);
    if (d >= 0) {
        padici_ring_up(r, temp, temp, (uint64_t)d);
        padici_ring_add(r, x->u, a->u, temp);
    } else {
        padici_ring_up(r, x->u, a->u, (uint64_t)-d);
        padici_ring_add(r, x->u, x->u, temp);
    }
    padici_cell_normal(call, x);
}

// The limits of valuations for an intermediate result, as if it had been stored.
static void padici_cell_limit(padici_cell *x)
{
    if (x->v == PADIC_NUM_NAN || x->v == PADIC_NUM_ZERO) return;
    if (x->v > PADIC_NUM_MAX_VALUATION) {
        x->v = PADIC_NUM_ZERO;
        x->bits |= PADIC_NUM_INEXACT;
    } else if (x->v < -PADIC_NUM_MAX_VALUATION) {
        x->v = PADIC_NUM_NAN;
        x->bits |= PADIC_NUM_RANGE;
    }
}

static void padici_cell_mul(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            const padici_cell *b)
{
    const padic_num_ring *r = call->ring;
    if (call->model != PADIC_NUM_RING) {
        if (padici_cell_nan(x, a, b)) return;
        if (a->v == PADIC_NUM_ZERO || b->v == PADIC_NUM_ZERO) {
            x->v = PADIC_NUM_ZERO;
            memset(x->u, 0, r->words * sizeof *x->u);
            return;
        }
        x->v = a->v + b->v;
        x->n = a->n < b->n ? a->n : b->n;
    }
    padici_ring_mul(r, x->u, a->u, b->u);
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
}

// a / b; a NULL: 1 / b.
static void padici_cell_div(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            const padici_cell *b, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const inverse = temp + 2 * r->words;
    if (call->model == PADIC_NUM_RING) {
        if (padici_ring_is_zero(r, b->u))
            x->bits = PADIC_NUM_DIV0;
        else if (!padici_ring_unit(r, b->u))
            x->bits = PADIC_NUM_NONUNIT;
    } else {
        if (padici_cell_nan(x, a ? a : b, b)) return;
        if (b->v == PADIC_NUM_ZERO || !b->n)
            x->bits = PADIC_NUM_DIV0;
        else if (a && a->v == PADIC_NUM_ZERO)
            x->v = PADIC_NUM_ZERO;
        else
            x->v = a ? a->v - b->v : -b->v;
        x->n = a && a->n < b->n ? a->n : b->n;
    }
    if (x->bits || x->v == PADIC_NUM_ZERO) {
        memset(x->u, 0, r->words * sizeof *x->u);
        return;
    }
    if (a) {
        padici_ring_inv(r, inverse, b->u, temp);
        padici_ring_mul(r, x->u, a->u, inverse);
    } else {
        padici_ring_inv(r, x->u, b->u, temp);
    }
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
}

static void padici_add_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)c;
    padici_cell_sum(call, x, a, b, 0, temp);
}

static void padici_sub_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)c;
    padici_cell_sum(call, x, a, b, 1, temp);
}

static void padici_neg_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    (void)temp;
    padici_cell_copy(call->ring, x, a);
    padici_ring_neg(call->ring, x->u, a->u);
    padici_ring_low(call->ring, x->u, x->u, a->n);
}

static void padici_mul_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)c;
    (void)temp;
    padici_cell_mul(call, x, a, b);
}

static void padici_inv_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    padici_cell_div(call, x, NULL, a, temp);
}

static void padici_div_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    (void)c;
    padici_cell_div(call, x, a, b, temp);
}

// x = a b + c through an intermediate at temp.
static void padici_fma_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    padici_cell product;
    product.u = temp + call->ring->words;
    product.v = 0;
    product.n = call->ring->precision;
    product.bits = 0;
    padici_cell_mul(call, &product, a, b);
    padici_cell_limit(&product);
    padici_cell_sum(call, x, &product, c, 0, temp);
    if (x->v != PADIC_NUM_NAN) x->bits |= product.bits;
}

// a p^k.
static void padici_shift_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                             const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    const int64_t k = call->k;
    (void)b;
    (void)c;
    (void)temp;
    padici_cell_copy(r, x, a);
    if (call->model != PADIC_NUM_RING) {
        if (a->v == PADIC_NUM_NAN || a->v == PADIC_NUM_ZERO) return;
        x->v = padici_val_clamp(k > INT32_MAX ? INT32_MAX : k < INT32_MIN ? INT32_MIN : a->v + k);
    } else if (k >= 0) {
        padici_ring_up(r, x->u, a->u, (uint64_t)k);
    } else if (!padici_ring_is_zero(r, a->u) &&
               padici_ring_valuation(r, a->u) < 0 - (uint64_t)k) {
        x->bits = PADIC_NUM_NONUNIT;
        memset(x->u, 0, r->words * sizeof *x->u);
    } else {
        padici_ring_down(r, x->u, a->u, 0 - (uint64_t)k);
        x->bits = PADIC_NUM_PRECLOSS;
    }
}

// a^k for an exponent of sign and magnitude.
static void padici_cell_pow(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                            int negative, padici_wide k, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const base = temp + 3 * r->words, unit;
    uint32_t i = padici_wide_bits(k);
    const int zero = call->model == PADIC_NUM_RING ? padici_ring_is_zero(r, a->u)
                                                   : a->v == PADIC_NUM_ZERO || !a->n;
    if (call->model != PADIC_NUM_RING && padici_cell_nan(x, a, NULL)) return;
    if (i && negative && zero) x->bits = PADIC_NUM_DIV0;
    if (i && negative && !zero && call->model == PADIC_NUM_RING && !padici_ring_unit(r, a->u))
        x->bits = PADIC_NUM_NONUNIT;
    if (x->bits) {
        memset(x->u, 0, r->words * sizeof *x->u);
        return;
    }
    if (i && call->model != PADIC_NUM_RING) {
        if (a->v == PADIC_NUM_ZERO) {
            x->v = PADIC_NUM_ZERO;
            return;
        }
        if (a->v) {
            const int64_t most = PADIC_NUM_MAX_VALUATION + INT64_C(1);
            const int64_t m = k.high || k.low > (uint64_t)most ? most : (int64_t)k.low;
            x->v = padici_val_clamp(a->v * m * (negative ? -1 : 1));
        }
        x->n = a->n;
        if (a->n) { // (u + O(p^n))^k is known to n + v(k) digits
            padici_wide rest = k, digit;
            for (; x->n < r->precision; x->n++) {
                rest = padici_wide_div(rest, padici_wide_make(r->p, 0), &digit);
                if (!padici_wide_zero(digit)) break;
            }
            // (1 + O(2))^k, k even: of any odd x, x^2 is 1 modulo 8
            if (r->p == 2 && a->n == 1 && !(k.low & 1) && x->n < r->precision) x->n++;
        } else {
            memset(x->u, 0, r->words * sizeof *x->u);
            return; // O(p^v)^k = O(p^(v k))
        }
    }
    if (i && negative)
        padici_ring_inv(r, base, a->u, temp);
    else
        padici_ring_copy(r, base, a->u);
    padici_ring_set(r, x->u, 1);
    while (i-- > 0) {
        padici_ring_mul(r, temp, x->u, x->u);
        unit = i < 64 ? k.low >> i : k.high >> (i - 64);
        if (unit & 1)
            padici_ring_mul(r, x->u, temp, base);
        else
            padici_ring_copy(r, x->u, temp);
    }
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
}

static void padici_pow_one(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                           const padici_cell *b, const padici_cell *c, uint64_t *temp)
{
    const uint64_t k = call->k < 0 ? 0 - (uint64_t)call->k : (uint64_t)call->k;
    (void)b;
    (void)c;
    padici_cell_pow(call, x, a, call->k < 0, padici_wide_make(k, 0), temp);
}

// One-word loops. `r` is a copy on the stack that no plane can alias, `form` and `kernel` are
// constants: one tight loop comes out for each.

#define PADICI_NUM_BLOCK 64u  // elements that share an inversion
#define PADICI_NUM_SPREAD 32u // copies of a scalar operand, on the stack

PADICI_INLINE uint64_t padici_word_at(padic_num_form form, const void *plane, uint64_t i,
                                      uint32_t narrow)
{
    return form == PADIC_NUM_W32 || (form == PADIC_NUM_B2 && narrow)
               ? ((const uint32_t *)plane)[i]
               : ((const uint64_t *)plane)[i];
}

PADICI_INLINE void padici_word_to(padic_num_form form, void *plane, uint64_t i, uint32_t narrow,
                                  uint64_t x)
{
    if (form == PADIC_NUM_W32 || (form == PADIC_NUM_B2 && narrow))
        ((uint32_t *)plane)[i] = (uint32_t)x;
    else
        ((uint64_t *)plane)[i] = x;
}

PADICI_INLINE void padici_words_ring(const padic_num_ring *r, padic_num_form form, uint32_t kernel,
                                     uint32_t narrow, void *out, const void *pa, const void *pb,
                                     const void *pc, uint64_t n)
{
    uint64_t i;
    for (i = 0; i < n; i++) {
        const uint64_t a = padici_word_at(form, pa, i, narrow);
        const uint64_t b = pb ? padici_word_at(form, pb, i, narrow) : 0;
        const uint64_t x = kernel == PADIC_KERNEL_NUM_ADD   ? padici_add1(r, form, a, b)
                           : kernel == PADIC_KERNEL_NUM_SUB ? padici_sub1(r, form, a, b)
                           : kernel == PADIC_KERNEL_NUM_NEG ? padici_sub1(r, form, 0, a)
                           : kernel == PADIC_KERNEL_NUM_MUL ? padici_mul1(r, form, a, b)
                                : padici_add1(r, form, padici_mul1(r, form, a, b),
                                              padici_word_at(form, pc, i, narrow));
        padici_word_to(form, out, i, narrow, x);
    }
}

// W32 without branches. Products: a quotient from one high product is at most one too small.
// Where compilers make vectors of loops without words above 64 bits: with h = ab 2^-down the
// quotient h mu is at most one too small, too; for P > 2^30 (`wide`) at most three, and for P >
// 2^31 (2) mu has one bit more than 32.
typedef struct padici_mod32 {
    uint64_t high; // floor((2^64 - 1) / p)
    uint32_t p, mu, down;
} padici_mod32;

PADICI_INLINE uint32_t padici_product32(const padici_mod32 *m, int wide, uint32_t a, uint32_t b)
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

PADICI_INLINE uint32_t padici_one32(const padici_mod32 *m, int wide, uint32_t kernel, uint32_t a,
                                    uint32_t b, uint32_t c)
{
    uint32_t x = a, y = kernel == PADIC_KERNEL_NUM_FMA ? c : b;
    if (kernel == PADIC_KERNEL_NUM_MUL || kernel == PADIC_KERNEL_NUM_FMA)
        x = padici_product32(m, wide, a, b);
    if (kernel == PADIC_KERNEL_NUM_NEG) x = a ? m->p - a : 0;
    if (kernel == PADIC_KERNEL_NUM_SUB) x = a - b + (a < b ? m->p : 0);
    if (kernel == PADIC_KERNEL_NUM_ADD || kernel == PADIC_KERNEL_NUM_FMA) {
        const uint32_t gap = m->p - y; // x + y may reach 2^32
        x = x - gap + (x < gap ? m->p : 0);
    }
    return x;
}

// In blocks with places of their own: what is read and what is written may be the same.
PADICI_INLINE void padici_loop32(const padici_mod32 *m, int wide, uint32_t kernel, uint32_t *out,
                                 const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                                 uint64_t n)
{
    enum { BLOCK = 32 };
    const padici_mod32 mod = *m;
    uint64_t i = 0;
    uint32_t a[BLOCK], b[BLOCK], c[BLOCK], j;
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    for (; i + BLOCK <= n; i += BLOCK) {
        memcpy(a, pa + i, sizeof a);
        if (kernel != PADIC_KERNEL_NUM_NEG) memcpy(b, pb + i, sizeof b);
        if (kernel == PADIC_KERNEL_NUM_FMA) memcpy(c, pc + i, sizeof c);
        for (j = 0; j < BLOCK; j++) a[j] = padici_one32(&mod, wide, kernel, a[j], b[j], c[j]);
        memcpy(out + i, a, sizeof a);
    }
    for (; i < n; i++)
        out[i] = padici_one32(&mod, wide, kernel, pa[i], pb ? pb[i] : 0, pc ? pc[i] : 0);
}

PADICI_INLINE void padici_words_ring32(const padic_num_ring *r, uint32_t kernel, uint32_t *out,
                                       const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                                       uint64_t n)
{
    padici_mod32 m;
    m.p = (uint32_t)r->base;
    m.mu = m.down = 0;
    m.high = UINT64_MAX / m.p;
    if (kernel != PADIC_KERNEL_NUM_MUL && kernel != PADIC_KERNEL_NUM_FMA) {
        padici_loop32(&m, 0, kernel, out, pa, pb, pc, n);
    } else if (r->bits < 31) {
        m.down = r->bits < 2 ? 0 : r->bits - 2;
        m.mu = (uint32_t)((UINT64_C(1) << (m.down + 33)) / m.p);
        padici_loop32(&m, 0, kernel, out, pa, pb, pc, n);
    } else if (r->bits == 31) {
        m.down = 30;
        m.mu = (uint32_t)((UINT64_C(1) << 62) / m.p);
        padici_loop32(&m, 1, kernel, out, pa, pb, pc, n);
    } else {
        m.down = 32;
        m.mu = (uint32_t)(UINT64_MAX / m.p - (UINT64_C(1) << 32));
        padici_loop32(&m, 2, kernel, out, pa, pb, pc, n);
    }
}

// A span of an operand: itself, or a scalar spread over `room`.
static const void *padici_num_spread(const padic_num_ring *r, const padic_num_planes *p,
                                     uint64_t first, uint64_t *room)
{
    uint32_t i;
    if (!p->unit) return NULL;
    if (!p->scalar) return (const char *)p->unit + first * r->unit_size;
    for (i = 0; i < PADICI_NUM_SPREAD; i++)
        padici_word_set(r, room, i, padici_word(r, p->unit, 0));
    return room;
}

// The same for any form of one word; `kernel` is a constant here.
PADICI_INLINE void padici_ring_loop(padic_num_call *call, uint32_t kernel)
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
            padici_words_ring32(&r, kernel, (uint32_t *)x, (const uint32_t *)a,
                                (const uint32_t *)b, (const uint32_t *)c, n);
        else if (r.form == PADIC_NUM_W49)
            padici_words_ring(&r, PADIC_NUM_W49, kernel, 0, x, a, b, c, n);
        else if (r.form == PADIC_NUM_W64)
            padici_words_ring(&r, PADIC_NUM_W64, kernel, 0, x, a, b, c, n);
        else if (r.unit_size == 4)
            padici_words_ring(&r, PADIC_NUM_B2, kernel, 1, x, a, b, c, n);
        else
            padici_words_ring(&r, PADIC_NUM_B2, kernel, 0, x, a, b, c, n);
    }
    if (call->status) memset(call->status, 0, (size_t)call->count);
}

// Floats of one word with i32 valuations: a b, a + b, a - b.
PADICI_INLINE void padici_words_float(padic_num_call *call, const padic_num_ring *r,
                                      padic_num_form form, uint32_t kernel, padici_num_one one)
{
    const padic_num_planes a = call->a, b = call->b, out = call->out;
    const uint32_t narrow = r->unit_size == 4;
    uint8_t *const status = call->status;
    uint64_t i, first = 0; // elements from `first` on are done one by one
    for (i = 0; i < call->count; i++) {
        const uint64_t ia = a.scalar ? 0 : i, ib = b.scalar ? 0 : i;
        const int32_t va = ((const int32_t *)a.val)[ia], vb = ((const int32_t *)b.val)[ib];
        uint64_t ua = padici_word_at(form, a.unit, ia, narrow);
        uint64_t ub = padici_word_at(form, b.unit, ib, narrow), x;
        int32_t v;
        uint32_t bits = 0;
        first = i;
        if (PADICI_UNLIKELY(!padici_val_finite(va) || !padici_val_finite(vb))) goto rare;
        if (kernel == PADIC_KERNEL_NUM_MUL) {
            x = padici_mul1(r, form, ua, ub);
            v = va + vb;
            if (PADICI_UNLIKELY(!padici_val_finite(v))) goto rare;
        } else {
            const uint64_t d = (uint64_t)(va < vb ? (int64_t)vb - va : (int64_t)va - vb);
            if (kernel == PADIC_KERNEL_NUM_SUB) ub = padici_sub1(r, form, 0, ub);
            v = va < vb ? va : vb;
            if (d) { // the number further down is a unit there, and stays one
                uint64_t low = va < vb ? ua : ub, high = va < vb ? ub : ua;
                high = d >= r->precision      ? 0
                       : form == PADIC_NUM_B2 ? (high << d) & (r->base - 1)
                                              : padici_mul1(r, form, high, r->power[d][0]);
                x = padici_add1(r, form, low, high);
            } else {
                x = padici_add1(r, form, ua, ub);
                if (!x) {
                    v = PADIC_NUM_ZERO;
                    bits = PADIC_NUM_PRECLOSS;
                } else if (form == PADIC_NUM_B2 || x * r->inverse <= r->ladder_limit[0]) {
                    v += (int32_t)padici_split1(r, x, &x);
                    if (PADICI_UNLIKELY(v > PADIC_NUM_MAX_VALUATION)) goto rare;
                }
            }
        }
        padici_word_to(form, out.unit, i, narrow, x);
        ((int32_t *)out.val)[i] = v;
        if (status) status[i] = (uint8_t)bits;
        call->bits |= bits;
        continue;
    rare:
        padici_num_span(call, first, first + 1, one);
    }
}

PADICI_INLINE void padici_float_loop(padic_num_call *call, uint32_t kernel, padici_num_one one)
{
    const padic_num_ring r = *call->ring;
    if (r.form == PADIC_NUM_W32)
        padici_words_float(call, &r, PADIC_NUM_W32, kernel, one);
    else if (r.form == PADIC_NUM_W49)
        padici_words_float(call, &r, PADIC_NUM_W49, kernel, one);
    else if (r.form == PADIC_NUM_W64)
        padici_words_float(call, &r, PADIC_NUM_W64, kernel, one);
    else
        padici_words_float(call, &r, PADIC_NUM_B2, kernel, one);
}

// Have all operands of a call i32 valuations and one word?
PADICI_INLINE int padici_num_fast(const padic_num_call *call, padic_num_model model)
{
    return call->model == model && call->ring->form < PADIC_NUM_W128 &&
           !(call->a.val16 | call->b.val16 | call->c.val16 | call->out.val16);
}

// add, sub, mul: the fast loops where they serve, else element by element.
#define PADICI_NUM_LOOP(name, one, KERNEL)                                 \
    PADICI_NOINLINE static void padici_##name##_loop(padic_num_call *call) \
    {                                                                      \
        if (padici_num_fast(call, PADIC_NUM_RING))                         \
            padici_ring_loop(call, KERNEL);                                \
        else if (padici_num_fast(call, PADIC_NUM_FLOAT))                   \
            padici_float_loop(call, KERNEL, padici_##one##_one);           \
        else                                                               \
            padici_num_each(call, padici_##one##_one);                     \
    }
PADICI_NUM_LOOP(add, add, PADIC_KERNEL_NUM_ADD)
PADICI_NUM_LOOP(sub, sub, PADIC_KERNEL_NUM_SUB)
PADICI_NUM_LOOP(mul_words, mul, PADIC_KERNEL_NUM_MUL)

// RING products of W128, the planes read and written a word at a time.
static void padici_mul_loop(padic_num_call *call)
{
    const padic_num_ring r = *call->ring;
    const uint64_t *const a = (const uint64_t *)call->a.unit;
    const uint64_t *const b = (const uint64_t *)call->b.unit;
    const uint64_t step_a = !call->a.scalar, step_b = !call->b.scalar;
    uint64_t *const x = (uint64_t *)call->out.unit, i;
    if (r.form != PADIC_NUM_W128 || call->model != PADIC_NUM_RING) {
        padici_mul_words_loop(call);
        return;
    }
    for (i = 0; i < call->count; i++) {
        const uint64_t *const u = a + i * step_a, *const v = b + i * step_b;
        const padici_wide y = padici_mul2(&r, padici_wide_make(u[0], u[call->a.high]),
                                          padici_wide_make(v[0], v[call->b.high]));
        x[i] = y.low;
        x[i + call->out.high] = y.high;
    }
    if (call->status) memset(call->status, 0, (size_t)call->count);
}

static void padici_neg_loop(padic_num_call *call)
{
    if (padici_num_fast(call, PADIC_NUM_RING))
        padici_ring_loop(call, PADIC_KERNEL_NUM_NEG);
    else
        padici_num_each(call, padici_neg_one);
}

static void padici_fma_loop(padic_num_call *call)
{
    if (padici_num_fast(call, PADIC_NUM_RING))
        padici_ring_loop(call, PADIC_KERNEL_NUM_FMA);
    else
        padici_num_each(call, padici_fma_one);
}

// inv and div up to W128: a block shares one inversion (Montgomery's trick: the inverse of a
// product times the other factors is the inverse of one). Four chains of products run side by side,
// since each waits for itself. A divisor that is no unit takes part as 1 and is done again alone.
typedef struct padici_inverses {
    uint64_t unit[PADICI_NUM_BLOCK][2];    // divisors, then their inverses
    uint64_t product[PADICI_NUM_BLOCK][2]; // of a chain up to here
    uint64_t rare;
} padici_inverses;

PADICI_INLINE void padici_inverses_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                    const uint64_t *b)
{
    if (r->form == PADIC_NUM_W128)
        padici_wide_store(x, padici_mul2(r, padici_wide_load(a), padici_wide_load(b)));
    else
        x[0] = padici_mul1(r, r->form, a[0], b[0]);
}

static void padici_inverses_load(const padic_num_call *call, const padic_num_planes *divisor,
                              uint64_t first, uint64_t n, padici_inverses *batch)
{
    const padic_num_ring *r = call->ring;
    uint64_t i;
    batch->rare = 0;
    for (i = 0; i < n; i++) {
        const uint64_t at = divisor->scalar ? 0 : first + i;
        uint64_t *const u = batch->unit[i];
        u[0] = padici_word(r, divisor->unit, at);
        u[1] = r->words > 1 ? padici_word(r, divisor->unit, at + divisor->high) : 0;
        if (divisor->val ? !padici_val_finite(padici_val_load(divisor, at))
                         : !padici_ring_unit(r, u)) {
            batch->rare |= UINT64_C(1) << i;
            padici_ring_set(r, u, 1);
        }
    }
}

static void padici_inverses_invert(const padic_num_ring *r, padici_inverses *batch, uint64_t n)
{
    const uint64_t chains = n < 4 ? n : 4;
    uint64_t inverse[4][2], all[4][2], x[2], t[4], i;
    for (i = 0; i < n; i++)
        if (i < 4)
            memcpy(batch->product[i], batch->unit[i], sizeof x);
        else
            padici_inverses_mul(r, batch->product[i], batch->product[i - 4], batch->unit[i]);
    for (i = 0; i < chains; i++)
        if (i)
            padici_inverses_mul(r, all[i], all[i - 1], batch->product[n - chains + i]);
        else
            memcpy(all[0], batch->product[n - chains], sizeof x);
    padici_ring_inv(r, x, all[chains - 1], t);
    for (i = chains; i-- > 1;) {
        padici_inverses_mul(r, inverse[(n - chains + i) & 3], x, all[i - 1]);
        padici_inverses_mul(r, t, x, batch->product[n - chains + i]);
        memcpy(x, t, sizeof x);
    }
    memcpy(inverse[(n - chains) & 3], x, sizeof x);
    for (i = n; i-- > 0;) {
        uint64_t *const chain = inverse[i & 3];
        if (i < 4) {
            memcpy(batch->unit[i], chain, sizeof x);
        } else {
            padici_inverses_mul(r, x, chain, batch->product[i - 4]);
            padici_inverses_mul(r, t, chain, batch->unit[i]);
            memcpy(chain, t, sizeof x);
            memcpy(batch->unit[i], x, sizeof x);
        }
    }
}

static void padici_div_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const int inv = !call->b.unit;
    const padici_num_one one = inv ? padici_inv_one : padici_div_one;
    const padic_num_planes *divisor = inv ? &call->a : &call->b;
    padici_inverses batch;
    uint64_t u[2], x[2], first, i, n;
    padici_cell a, out;
    if (r->form == PADIC_NUM_RX || call->model == PADIC_NUM_BALL) {
        padici_num_each(call, one);
        return;
    }
    a.u = u;
    out.u = x;
    for (first = 0; first < call->count; first += n) {
        n = call->count - first < PADICI_NUM_BLOCK ? call->count - first : PADICI_NUM_BLOCK;
        padici_inverses_load(call, divisor, first, n, &batch);
        padici_inverses_invert(r, &batch, n);
        for (i = 0; i < n; i++) {
            const uint64_t at = divisor->scalar ? 0 : first + i;
            if (batch.rare >> i & 1) continue;
            a.v = 0;
            if (inv) {
                memcpy(x, batch.unit[i], sizeof x);
            } else {
                padici_cell_load(call, &call->a, first + i, &a);
                if (!padici_val_finite(a.v)) {
                    batch.rare |= UINT64_C(1) << i;
                    continue;
                }
                padici_inverses_mul(r, x, u, batch.unit[i]);
            }
            out.v = a.v - (divisor->val ? padici_val_load(divisor, at) : 0);
            if (r->words == 1 && !call->out.val16 && padici_val_finite(out.v)) {
                padici_word_set(r, call->out.unit, first + i, x[0]);
                if (call->out.val) ((int32_t *)call->out.val)[first + i] = out.v;
                if (call->status) call->status[first + i] = 0;
                continue;
            }
            out.n = r->precision;
            out.bits = 0;
            padici_cell_store(call, first + i, &out);
        }
        for (; batch.rare; batch.rare &= batch.rare - 1) {
            const uint64_t at = first + padici_ctz64(batch.rare);
            padici_num_span(call, at, at + 1, one);
        }
    }
}

static void padici_shift_loop(padic_num_call *call)
{
    padici_num_each(call, padici_shift_one);
}

static void padici_pow_loop(padic_num_call *call)
{
    padici_num_each(call, padici_pow_one);
}

// The public functions of up to three operands.
static padic_result padici_num_simple(padic_context *context, const char *name, uint32_t kernel,
                                      void (*loop)(padic_num_call *call),
                                      const padic_num_array *out, const padic_num_array *a,
                                      const padic_num_array *b, const padic_num_array *c,
                                      uint32_t operands, int64_t k)
{
    padici_num_task task;
    if (!out || !a || (operands > 1 && !b) || (operands > 2 && !c))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL" : !a ? "a is NULL" : !b ? "b is NULL"
                                                                          : "c is NULL");
    padici_num_task_begin(&task, name, kernel, loop, out, a, b, c);
    task.call.k = k;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_add(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_add", PADIC_KERNEL_NUM_ADD, padici_add_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_sub(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_sub", PADIC_KERNEL_NUM_SUB, padici_sub_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_neg(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_num_simple(context, "num_neg", PADIC_KERNEL_NUM_NEG, padici_neg_loop,
                             out, a, NULL, NULL, 1, 0);
}

PADIC_API padic_result padic_num_mul(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_mul", PADIC_KERNEL_NUM_MUL, padici_mul_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_square(padic_context *context, const padic_num_array *out,
                                        const padic_num_array *a)
{
    // (u + O(2^n))^2 is known to more digits than a product of two such numbers
    if (out && padici_ring_is(out->ring) && out->ring->p == 2 && out->model == PADIC_NUM_BALL)
        return padici_num_simple(context, "num_square", PADIC_KERNEL_NUM_POW, padici_pow_loop, out,
                                 a, NULL, NULL, 1, 2);
    return padici_num_simple(context, "num_square", PADIC_KERNEL_NUM_MUL, padici_mul_loop, out, a,
                             a, NULL, 1, 0);
}

PADIC_API padic_result padic_num_inv(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_num_simple(context, "num_inv", PADIC_KERNEL_NUM_INV, padici_div_loop,
                             out, a, NULL, NULL, 1, 0);
}

PADIC_API padic_result padic_num_div(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_div", PADIC_KERNEL_NUM_DIV, padici_div_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_shift(padic_context *context, const padic_num_array *out,
                                       const padic_num_array *a, int64_t k)
{
    return padici_num_simple(context, "num_shift", PADIC_KERNEL_NUM_SHIFT, padici_shift_loop,
                             out, a, NULL, NULL, 1, k);
}

PADIC_API padic_result padic_num_pow(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, int64_t k)
{
    return padici_num_simple(context, "num_pow", PADIC_KERNEL_NUM_POW, padici_pow_loop,
                             out, a, NULL, NULL, 1, k);
}

PADIC_API padic_result padic_num_fma(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b,
                                     const padic_num_array *c)
{
    return padici_num_simple(context, "num_fma", PADIC_KERNEL_NUM_FMA, padici_fma_loop,
                             out, a, b, c, 3, 0);
}

// Exponents of its own for each element: other[0], in 128 bits two planes `stride` apart.
static void padici_pow_array_loop(padic_num_call *call)
{
    const char *const k = (const char *)call->other[0];
    padic_num_call one = *call;
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    padici_cell x, a;
    x.u = words;
    a.u = words + r->words;
    for (i = 0; i < call->count; i++) {
        padici_wide e = {0, 0};
        int negative;
        if (call->dtype == PADIC_I32)
            e.low = (uint64_t)(int64_t)((const int32_t *)(const void *)k)[i];
        else
            e.low = ((const uint64_t *)(const void *)k)[i];
        negative = (int64_t)e.low < 0;
        e.high = 0 - (uint64_t)negative;
        if (call->dtype == PADIC_U64) {
            e.high = ((const uint64_t *)(const void *)k)[i + call->stride];
            negative = (int64_t)e.high < 0;
        }
        if (negative) e = padici_wide_sub(padici_wide_make(0, 0), e);
        padici_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        padici_cell_pow(call, &x, &a, negative, e, words + PADICI_NUM_CELLS * r->words);
        padici_cell_store(&one, i, &x);
    }
    call->bits = one.bits;
}

PADIC_API padic_result padic_num_pow_array(padic_context *context, const padic_num_array *out,
                                           const padic_num_array *a, const padic_tensor *k)
{
    padici_num_task task;
    if (!out || !a || !k)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_pow_array",
                              !out ? "out is NULL" : !a ? "a is NULL" : "k is NULL");
    padici_num_task_begin(&task, "num_pow_array", PADIC_KERNEL_NUM_POW_ARRAY, padici_pow_array_loop,
                          out, a, NULL, NULL);
    task.call.stride = out->count;
    task.other[0] = k;
    task.other_field[0] = "k";
    task.other_each[0] = k->dtype == PADIC_U64 ? 2 : 1;
    task.other_planes = 1;
    task.other_dtypes[0] = 1u << PADIC_I32 | 1u << PADIC_I64 | 1u << PADIC_U64;
    return padici_num_run(context, &task);
}

// Valuation and metric

// 1 / power, or power, as the bits of a float, correctly rounded; of the quotient 2^s / power 64
// bits and whether something is left. A power of PADICI_NORM_WORDS - 1 words counts as infinite.
#define PADICI_NORM_WORDS 21u // p^|v| of 1,200 bits and one factor more
static uint64_t padici_norm_round(const uint64_t *power, uint32_t used, int inverse,
                                  padic_dtype dtype, uint32_t *overflow)
{
    uint64_t rest[PADICI_NORM_WORDS], q = 0;
    const uint32_t bits = 64 * used - padici_clz64(power[used - 1]);
    uint32_t i, j, more = 0, inexact;
    *overflow = 0;
    if (used == PADICI_NORM_WORDS - 1) {
        *overflow = !inverse;
        return inverse ? 0 : padici_float_round(dtype, 1, 2000, 0, &inexact, &more);
    }
    if (!inverse) { // the 64 highest bits, and whether there are others
        const uint32_t drop = bits > 64 ? bits - 64 : 0;
        q = power[drop / 64] >> (drop & 63);
        if (drop & 63) q |= power[drop / 64 + 1] << (64 - (drop & 63));
        for (i = 0; i < drop; i++) more |= (uint32_t)(power[i / 64] >> (i & 63) & 1);
        return padici_float_round(dtype, q, drop, more, &inexact, overflow);
    }
    used++; // twice the rest may take one word more than the power
    memset(rest, 0, sizeof rest); // 2^(bits - 1) divided by the power, bit by bit
    rest[(bits - 1) / 64] = UINT64_C(1) << ((bits - 1) & 63);
    for (i = 0; i < 64; i++) {
        int32_t less = 0;
        for (j = used; j-- > 0 && !less;) less = rest[j] < power[j] ? -1 : rest[j] > power[j];
        if (less >= 0) { // rest - power
            uint64_t borrow = 0;
            for (j = 0; j < used; j++) {
                const uint64_t d = rest[j] - power[j], e = d - borrow;
                borrow = (rest[j] < power[j]) | (d < borrow);
                rest[j] = e;
            }
        }
        q = q << 1 | (less >= 0);
        for (j = used; j-- > 0;) rest[j] = rest[j] << 1 | (j ? rest[j - 1] >> 63 : 0);
    }
    for (j = 0; j < used; j++) more |= rest[j] != 0;
    return padici_float_round(dtype, q, -(int64_t)(bits - 1) - 63, more, &inexact, overflow);
}

// power p, of `used` words; those it has then.
static uint32_t padici_norm_times(uint64_t *power, uint32_t used, uint64_t p)
{
    uint64_t carry = 0;
    uint32_t j;
    for (j = 0; j < used; j++) {
        const padici_wide x = padici_wide_add(padici_wide_mul(power[j], p),
                                              padici_wide_make(carry, 0));
        power[j] = x.low;
        carry = x.high;
    }
    if (carry) power[used++] = carry;
    return used;
}

// p^-v.
static uint64_t padici_norm_bits(uint64_t p, int32_t v, padic_dtype dtype, uint32_t *overflow)
{
    uint64_t power[PADICI_NORM_WORDS];
    uint32_t k = (uint32_t)(v < 0 ? -v : v), used = 1, i;
    memset(power, 0, sizeof power);
    power[0] = 1;
    for (i = 0; i < k && used < PADICI_NORM_WORDS - 1; i++)
        used = padici_norm_times(power, used, p);
    return padici_norm_round(power, used, v > 0, dtype, overflow);
}

typedef struct padici_norms { // those of narrow valuations, computed once for a call
    uint64_t bits[64];
    int32_t v[64];
} padici_norms;

static uint32_t padici_norm_store(padici_norms *norms, const padic_num_call *call, uint64_t i,
                                  int32_t v, uint32_t bits)
{
    const padic_dtype dtype = (padic_dtype)call->k;
    const uint32_t slot = (uint32_t)v & 63;
    uint64_t x;
    uint32_t overflow = 0;
    if (v == PADIC_NUM_ZERO) {
        x = 0;
    } else if (v == PADIC_NUM_NAN) {
        x = dtype == PADIC_F64 ? UINT64_C(0x7ff8) << 48 : 0x7fc00000u;
    } else if (norms->v[slot] == v) {
        x = norms->bits[slot];
        overflow = x == (dtype == PADIC_F64 ? UINT64_C(0x7ff) << 52 : 0x7f800000u);
    } else {
        x = padici_norm_bits(call->ring->p, v, dtype, &overflow);
        norms->v[slot] = v;
        norms->bits[slot] = x;
    }
    if (dtype == PADIC_F64)
        memcpy((char *)call->other[1] + 8 * i, &x, 8);
    else {
        const uint32_t y = (uint32_t)x;
        memcpy((char *)call->other[1] + 4 * i, &y, 4);
    }
    return overflow ? bits | PADIC_NUM_RANGE : bits;
}

// The valuation of a cell, and what there is to say of it.
static int32_t padici_cell_valuation(const padic_num_call *call, const padici_cell *a,
                                     uint32_t *bits)
{
    *bits = a->bits;
    if (call->model == PADIC_NUM_RING) {
        const uint32_t v = padici_ring_valuation(call->ring, a->u);
        return v < call->ring->precision ? (int32_t)v : PADIC_NUM_ZERO;
    }
    if (a->v != PADIC_NUM_ZERO && a->v != PADIC_NUM_NAN && !a->n) *bits |= PADIC_NUM_PRECLOSS;
    return a->v;
}

// The same for one word, if the element is an ordinary one.
PADICI_INLINE int padici_word_valuation(const padic_num_call *call, const padic_num_ring *r,
                                        uint64_t i, int32_t *v)
{
    const uint64_t ia = call->a.scalar ? 0 : i, ib = call->b.scalar ? 0 : i;
    uint64_t x;
    *v = 0;
    if (call->model != PADIC_NUM_RING) {
        const int32_t va = ((const int32_t *)call->a.val)[ia];
        const int32_t vb = call->b.unit ? ((const int32_t *)call->b.val)[ib] : va;
        *v = va < vb ? va : vb;
        if (!padici_val_finite(va) || !padici_val_finite(vb)) return 0;
        if (!call->b.unit || va != vb) return 1; // of two valuations that differ, the smaller
    }
    x = padici_word(r, call->a.unit, ia);
    if (call->b.unit) x = padici_sub1(r, r->form, x, padici_word(r, call->b.unit, ib));
    if (!x) return 0;
    if (r->p == 2 || x * r->inverse <= r->unit_limit) *v += (int32_t)padici_split1(r, x, &x);
    return padici_val_finite(*v);
}

// v(a), or v(a - b).
static void padici_valuation_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    int32_t *const val = (int32_t *)call->other[0];
    const int fast = padici_num_fast(call, PADIC_NUM_RING) ||
                     padici_num_fast(call, PADIC_NUM_FLOAT);
    padici_norms norms;
    padici_cell x, a, b;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    for (i = 0; i < 64; i++) norms.v[i] = PADIC_NUM_NAN;
    for (i = 0; i < call->count; i++) {
        uint32_t bits;
        int32_t v;
        if (fast && padici_word_valuation(call, r, i, &v)) {
            bits = 0;
            if (val) val[i] = v;
            if (call->other[1]) bits = padici_norm_store(&norms, call, i, v, 0);
            if (call->status) call->status[i] = (uint8_t)bits;
            call->bits |= bits;
            continue;
        }
        padici_cell_load(call, &call->a, i, &a);
        if (call->b.unit) {
            padici_cell_load(call, &call->b, i, &b);
            x.v = 0;
            x.n = r->precision;
            x.bits = 0;
            padici_cell_sum(call, &x, &a, &b, 1, words + PADICI_NUM_CELLS * r->words);
            v = padici_cell_valuation(call, &x, &bits);
        } else {
            v = padici_cell_valuation(call, &a, &bits);
        }
        if (val) val[i] = v;
        if (call->other[1]) bits = padici_norm_store(&norms, call, i, v, bits);
        if (call->status) call->status[i] = (uint8_t)bits;
        call->bits |= bits;
    }
}

PADIC_API padic_result padic_num_valuation(padic_context *context,
                                           const padic_num_valuation_desc *desc)
{
    padici_num_task task;
    if (!desc || (!desc->val.dtype && !desc->norm.dtype))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_valuation",
                              "val and norm are both missing: give one of them");
    padici_num_task_begin(&task, "num_valuation", PADIC_KERNEL_NUM_VALUATION,
                          padici_valuation_loop, NULL, &desc->in,
                          desc->other.ring ? &desc->other : NULL, NULL);
    task.field[1] = "in";
    task.field[2] = "other";
    task.other_field[0] = "val";
    task.other_field[1] = "norm";
    if (desc->val.dtype) task.other[0] = &desc->val;
    if (desc->norm.dtype) task.other[1] = &desc->norm;
    task.other_dtypes[0] = 1u << PADIC_I32;
    task.other_dtypes[1] = 1u << PADIC_F32 | 1u << PADIC_F64;
    task.other_out = 3;
    task.call.k = desc->norm.dtype;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

// v_p of an integer of any type in a tensor; ZERO for 0.
static int32_t padici_integer_valuation(const padic_num_ring *r, padic_dtype dtype,
                                        const void *data, uint64_t i)
{
    uint64_t x = 0;
    int64_t y;
    int32_t v = 0;
    switch (dtype) {
    case PADIC_I8: y = ((const int8_t *)data)[i]; break;
    case PADIC_I16: y = ((const int16_t *)data)[i]; break;
    case PADIC_I32: y = ((const int32_t *)data)[i]; break;
    case PADIC_U8: y = ((const uint8_t *)data)[i]; break;
    case PADIC_U16: y = ((const uint16_t *)data)[i]; break;
    case PADIC_U32: y = ((const uint32_t *)data)[i]; break;
    default: memcpy(&y, (const char *)data + 8 * i, 8); break;
    }
    x = (uint64_t)y;
    if (y < 0 && dtype != PADIC_U64) x = 0 - x;
    if (!x) return PADIC_NUM_ZERO;
    for (; x % r->p == 0; x /= r->p) v++;
    return v;
}

PADIC_API padic_result padic_num_valuation_of(padic_context *context, const padic_num_ring *ring,
                                              const padic_tensor *val,
                                              const padic_tensor *numerator,
                                              const padic_tensor *denominator)
{
    const uint32_t integers = 0xffu << PADIC_I8; // I8 to U64
    void *out, *n, *d = NULL;
    uint64_t i, count;
    padic_result result;
    const char *field = "val";
    if (!padici_ring_is(ring) || ring->composite || !val || !numerator)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_valuation_of",
                              "ring is none of a prime, or val or numerator is NULL");
    result = padici_tensor_check_shape(val, &count);
    if (!result) result = padici_num_plane(context, val, count, 1u << PADIC_I32, &out);
    if (!result) {
        field = "numerator";
        result = padici_num_plane(context, numerator, count, integers, &n);
    }
    if (!result && denominator) {
        field = "denominator";
        result = padici_num_plane(context, denominator, count, integers, &d);
    }
    if (result) {
        padici_blame(context, result, field, NULL, NULL);
        return padici_fault(context, result, "num_valuation_of");
    }
    for (i = 0; i < count; i++) {
        const int32_t vn = padici_integer_valuation(ring, numerator->dtype, n, i);
        const int32_t vd = d ? padici_integer_valuation(ring, denominator->dtype, d, i) : 0;
        if (vd == PADIC_NUM_ZERO) result = PADIC_ERROR_DOMAIN;
        ((int32_t *)out)[i] = vd == PADIC_NUM_ZERO   ? PADIC_NUM_NAN
                              : vn == PADIC_NUM_ZERO ? vn
                                                     : vn - vd;
    }
    if (!result) return PADIC_OK;
    return padici_fail_in(context, result, "num_valuation_of", "a denominator is 0: NAN there");
}

static void padici_split_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2], i;
    int32_t *const val = (int32_t *)call->other[0];
    const int ring = padici_num_fast(call, PADIC_NUM_RING);
    const int fast = ring || padici_num_fast(call, PADIC_NUM_FLOAT);
    padici_cell x;
    x.u = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    for (i = 0; i < call->count; i++) {
        const uint64_t at = call->a.scalar ? 0 : i;
        uint32_t bits;
        int32_t v = 0;
        if (fast) {
            uint64_t u = padici_word(r, call->a.unit, at);
            int easy = u != 0;
            if (!ring) { // it is its unit already
                v = ((const int32_t *)call->a.val)[at];
                easy = padici_val_finite(v);
            } else if (easy && (r->p == 2 || u * r->inverse <= r->unit_limit)) {
                v = (int32_t)padici_split1(r, u, &u);
            }
            if (easy) {
                bits = ring && v ? PADIC_NUM_PRECLOSS : 0;
                padici_word_set(r, call->out.unit, i, u);
                if (!ring) ((int32_t *)call->out.val)[i] = 0;
                if (val) val[i] = v;
                if (call->status) call->status[i] = (uint8_t)bits;
                call->bits |= bits;
                continue;
            }
        }
        padici_cell_load(call, &call->a, i, &x);
        v = padici_cell_valuation(call, &x, &bits);
        x.bits = bits;
        if (call->model == PADIC_NUM_RING && v != PADIC_NUM_ZERO && v) {
            if (r->form < PADIC_NUM_W128)
                padici_split1(r, x.u[0], x.u);
            else
                padici_ring_down(r, x.u, x.u, (uint64_t)v);
            x.bits |= PADIC_NUM_PRECLOSS;
        }
        if (val) val[i] = v;
        if (x.v != PADIC_NUM_ZERO && x.v != PADIC_NUM_NAN) x.v = 0;
        padici_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_split(padic_context *context, const padic_num_array *out,
                                       const padic_tensor *val, const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_split",
                              !out ? "out is NULL" : "in is NULL");
    padici_num_task_begin(&task, "num_split", PADIC_KERNEL_NUM_SPLIT, padici_split_loop, out, in,
                          NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "val";
    task.other[0] = val;
    task.other_dtypes[0] = 1u << PADIC_I32;
    task.other_out = 1;
    return padici_num_run(context, &task);
}

// Is a = b modulo p^k? Through the difference: its valuation is at least k (1), below (0), or only
// known to be at least A < k (2).
static void padici_equal_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    padici_cell x, a, b;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    for (i = 0; i < call->count; i++) {
        uint32_t bits;
        int32_t v;
        padici_cell_load(call, &call->a, i, &a);
        padici_cell_load(call, &call->b, i, &b);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        padici_cell_sum(call, &x, &a, &b, 1, words + PADICI_NUM_CELLS * r->words);
        v = padici_cell_valuation(call, &x, &bits);
        ((uint8_t *)call->other[0])[i] =
            (uint8_t)(v == PADIC_NUM_NAN                              ? 0
                      : v >= call->k                                  ? 1
                      : call->model == PADIC_NUM_BALL && !x.n ? 2
                                                                      : 0);
    }
}

PADIC_API padic_result padic_num_equal(padic_context *context, const padic_tensor *equal,
                                       const padic_num_array *a, const padic_num_array *b,
                                       int64_t prec)
{
    padici_num_task task;
    if (!equal || !a || !b)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_equal",
                              !equal ? "equal is NULL" : !a ? "a is NULL" : "b is NULL");
    padici_num_task_begin(&task, "num_equal", PADIC_KERNEL_NUM_EQUAL, padici_equal_loop, NULL, a, b,
                          NULL);
    task.other_field[0] = "equal";
    task.other[0] = equal;
    task.other_dtypes[0] = 1u << PADIC_U8;
    task.other_out = 1;
    task.call.k = prec ? prec : padici_ring_is(a->ring) ? a->ring->precision : 0;
    return padici_num_run(context, &task);
}

// ln p in units of 2^-122, less than 2^7 units too narrow, 1 < p < 2^63: with 2^k <= p < 2^(k+1),
// k ln 2 + 2 artanh z, z = (p - 2^k) / (p + 2^k) < 1/3.
static padici_wide padici_ln(uint64_t p)
{
    const padici_wide ln2 = {UINT64_C(0xaf278ece600fcbda),
                             UINT64_C(0x02c5c85fdf473de6)}; // floor(2^122 ln 2)
    const uint32_t k = 63 - padici_clz64(p);
    const padici_wide sum = padici_wide_make(p + (UINT64_C(1) << k), 0);
    padici_wide rest = {0, 0}, z, z2, term, x;
    uint64_t j = 1;
    z.high = padici_wide_div(padici_wide_make(0, p - (UINT64_C(1) << k)), sum, &rest).low;
    z.low = padici_wide_div(padici_wide_make(0, rest.low), sum, NULL).low; // in units of 2^-128
    z2 = padici_wide_mul_high(z, z);
    x = term = z;
    while (!padici_wide_zero(term)) {
        term = padici_wide_mul_high(term, z2);
        x = padici_wide_add(x, padici_wide_div(term, padici_wide_make(j += 2, 0), NULL));
    }
    return padici_wide_add(padici_wide_shr(x, 5),
                           padici_wide_mul_low(ln2, padici_wide_make(k, 0)));
}

// -v, or the bits of -v ln p: the product is known to 115 - 30 bits below the point, and lies on no
// boundary between two floats, since ln p is irrational.
static void padici_tropical_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_wide ln = padici_ln(r->p);
    uint64_t local[2], i, bits;
    padici_cell x;
    x.u = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    for (i = 0; i < call->count; i++) {
        uint32_t soft, inexact, overflow, down;
        int32_t v;
        padici_cell_load(call, &call->a, i, &x);
        v = padici_cell_valuation(call, &x, &soft);
        if (call->dtype == PADIC_I32) {
            ((int32_t *)call->other[0])[i] = v == PADIC_NUM_NAN ? v : -v; // zero: -(2^31 - 1)
            continue;
        }
        bits = v > 0 ? UINT64_C(1) << 63 : 0;
        if (v == PADIC_NUM_ZERO) {
            bits = UINT64_C(0xfff) << 52; // minus infinity
        } else if (v == PADIC_NUM_NAN) {
            bits = UINT64_C(0x7ff8) << 48;
        } else if (v) { // 158 bits, 30 of them below the unit of 2^-122 are never there
            const uint64_t k = (uint64_t)(v < 0 ? -(int64_t)v : v);
            padici_wide m = padici_wide_mul(ln.high, k);
            m = padici_wide_add(m, padici_wide_make(padici_mulhi64(ln.low, k), 0));
            down = padici_wide_bits(m) > 64 ? padici_wide_bits(m) - 64 : 0;
            bits |= padici_float_round(PADIC_F64, padici_wide_shr(m, down).low,
                                       (int64_t)down + 64 - 122, 1, &inexact, &overflow);
        }
        memcpy((char *)call->other[0] + 8 * i, &bits, 8);
    }
}

PADIC_API padic_result padic_num_tropical(padic_context *context, const padic_tensor *out,
                                          const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tropical",
                              !out ? "out is NULL" : "in is NULL");
    padici_num_task_begin(&task, "num_tropical", PADIC_KERNEL_NUM_TROPICAL, padici_tropical_loop,
                          NULL, in, NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "out";
    task.other[0] = out;
    task.other_dtypes[0] = 1u << PADIC_I32 | 1u << PADIC_F64;
    task.other_out = 1;
    return padici_num_run(context, &task);
}

// Horner's rule, sums

// x = x y + c, in place.
static void padici_horner_step(const padic_num_call *call, padici_cell *x, const padici_cell *y,
                               const padici_cell *c, uint64_t *temp)
{
    padici_cell next;
    next.u = temp + 2 * call->ring->words;
    next.v = 0;
    next.n = call->ring->precision;
    next.bits = 0;
    padici_fma_one(call, &next, x, y, c, temp);
    if (next.v != PADIC_NUM_NAN) next.bits |= x->bits;
    padici_cell_copy(call->ring, x, &next);
}

// Points i to i + 3 of one-word residues side by side, since each step waits for the one before it.
PADICI_INLINE void padici_horner_four(const padic_num_call *call, const padic_num_ring *r,
                                      padic_num_form form, uint64_t i, uint64_t x[4])
{
    const uint64_t step = call->stride ? 1 : 0, from = call->stride ? i : 0;
    const uint64_t next = call->a.scalar ? 0 : 1, first = next * i;
    const uint64_t y0 = padici_word(r, call->a.unit, first);
    const uint64_t y1 = padici_word(r, call->a.unit, first + next);
    const uint64_t y2 = padici_word(r, call->a.unit, first + 2 * next);
    const uint64_t y3 = padici_word(r, call->a.unit, first + 3 * next);
    uint64_t x0 = 0, x1 = 0, x2 = 0, x3 = 0, k;
    for (k = (uint64_t)call->k; k > 0; k--) {
        const uint64_t at = call->stride ? (k - 1) * call->stride + from : k - 1;
        x0 = padici_mul1(r, form, x0, y0);
        x1 = padici_mul1(r, form, x1, y1);
        x2 = padici_mul1(r, form, x2, y2);
        x3 = padici_mul1(r, form, x3, y3);
        x0 = padici_add1(r, form, x0, padici_word(r, call->c.unit, at));
        x1 = padici_add1(r, form, x1, padici_word(r, call->c.unit, at + step));
        x2 = padici_add1(r, form, x2, padici_word(r, call->c.unit, at + 2 * step));
        x3 = padici_add1(r, form, x3, padici_word(r, call->c.unit, at + 3 * step));
    }
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
}

// The same for P < 2^31 and shared coefficients, two steps at once: x y^2 + b y + a < 3 P^2 for
// x < 2 P, and its remainder again.
static void padici_horner_narrow(const padic_num_call *call, const padic_num_ring *r, uint64_t i)
{
    const uint32_t *const c = (const uint32_t *)call->c.unit;
    const uint32_t *const y = (const uint32_t *)call->a.unit + i;
    uint32_t *const out = (uint32_t *)call->out.unit + i;
    const uint64_t p = r->base, high = UINT64_MAX / p;
    const uint64_t y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
    const uint64_t z0 = y0 * y0 % p, z1 = y1 * y1 % p, z2 = y2 * y2 % p, z3 = y3 * y3 % p;
    uint64_t k = (uint64_t)call->k, x0 = k & 1 ? c[k - 1] : 0, x1 = x0, x2 = x0, x3 = x0;
    for (k &= ~UINT64_C(1); k > 0; k -= 2) {
        const uint64_t a = c[k - 2], b = c[k - 1];
        x0 = x0 * z0 + b * y0 + a;
        x1 = x1 * z1 + b * y1 + a;
        x2 = x2 * z2 + b * y2 + a;
        x3 = x3 * z3 + b * y3 + a;
        x0 -= padici_mulhi64(x0, high) * p;
        x1 -= padici_mulhi64(x1, high) * p;
        x2 -= padici_mulhi64(x2, high) * p;
        x3 -= padici_mulhi64(x3, high) * p;
    }
    out[0] = (uint32_t)(x0 < p ? x0 : x0 - p);
    out[1] = (uint32_t)(x1 < p ? x1 : x1 - p);
    out[2] = (uint32_t)(x2 < p ? x2 : x2 - p);
    out[3] = (uint32_t)(x3 < p ? x3 : x3 - p);
}

// The first points of a call on one-word residues, by fours; how many.
static uint64_t padici_horner_fours(padic_num_call *call, const padic_num_ring *r)
{
    uint64_t x[4], i = 0, j;
    padici_cell cell;
    if (r->form == PADIC_NUM_W32 && r->bits < 32 && !call->stride && !call->a.scalar) {
        for (; i + 4 <= call->count; i += 4) padici_horner_narrow(call, r, i);
        if (call->status) memset(call->status, 0, (size_t)i);
        return i;
    }
    for (; i + 4 <= call->count; i += 4) {
        if (r->form == PADIC_NUM_B2)
            padici_horner_four(call, r, PADIC_NUM_B2, i, x);
        else if (r->form == PADIC_NUM_W64)
            padici_horner_four(call, r, PADIC_NUM_W64, i, x);
        else
            padici_horner_four(call, r, PADIC_NUM_W49, i, x);
        for (j = 0; j < 4; j++) {
            cell.u = x + j;
            cell.v = 0;
            cell.n = r->precision;
            cell.bits = 0;
            padici_cell_store(call, i + j, &cell);
        }
    }
    return i;
}

// a: points; c: call->k coefficients, one after the other, or `stride` elements apart.
static void padici_horner_loop(padic_num_call *call)
{
    const padic_num_ring r = *call->ring;
    const int fast = padici_num_fast(call, PADIC_NUM_RING);
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i, k;
    uint64_t *words = r.form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    padic_num_planes coefficients = call->c;
    padici_cell x, y, c;
    coefficients.scalar = 0; // it only said that they stay where they are
    x.u = words;
    y.u = words + r.words;
    c.u = words + 2 * r.words;
    for (i = fast ? padici_horner_fours(call, &r) : 0; i < call->count; i++) {
        padici_cell_load(call, &call->a, i, &y);
        k = (uint64_t)call->k - 1;
        padici_cell_load(call, &coefficients, call->stride ? k * call->stride + i : k, &x);
        if (fast) {
            for (; k > 0; k--) {
                const uint64_t at = call->stride ? (k - 1) * call->stride + i : k - 1;
                x.u[0] = padici_mul1(&r, r.form, x.u[0], y.u[0]);
                x.u[0] = padici_add1(&r, r.form, x.u[0], padici_word(&r, coefficients.unit, at));
            }
        } else {
            for (; k > 0; k--) {
                padici_cell_load(call, &coefficients,
                                 call->stride ? (k - 1) * call->stride + i : k - 1, &c);
                padici_horner_step(call, &x, &y, &c, words + PADICI_NUM_CELLS * r.words);
            }
        }
        padici_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_horner(padic_context *context, const padic_num_horner_desc *desc)
{
    padici_num_task task;
    uint64_t own;
    if (!desc || !desc->terms)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_horner",
                              desc ? "terms is 0: give at least one coefficient" : "desc is NULL");
    if (desc->terms >> 20 || !padici_mul_u64(desc->terms, desc->out.count, &own))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, "num_horner",
                              "terms is 2^20 or more: split the polynomial");
    padici_num_task_begin(&task, "num_horner", PADIC_KERNEL_NUM_HORNER, padici_horner_loop,
                          &desc->out, &desc->x, NULL, &desc->coefficients);
    task.field[1] = "x";
    task.field[3] = "coefficients";
    task.call.k = desc->terms;
    task.c_moves = desc->coefficients.count != desc->terms;
    task.c_count = task.c_moves ? own : desc->terms;
    task.call.stride = task.c_moves ? desc->out.count : 0;
    if (padici_num_same_units(&desc->coefficients, &desc->out))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_horner",
                              "out must not be the coefficients");
    return padici_num_run(context, &task);
}

// Neighbours pairwise, as elements come in order: like the bits of a binary counter, two subtrees
// of one size become one of the next. At the end what is left is folded from the right.
typedef struct padici_reduction {
    padici_cell level[40]; // enough for 2^51 elements
    uint64_t count;
    uint32_t depth;
} padici_reduction;

static void padici_reduce_merge(const padic_num_call *call, padici_reduction *f, uint64_t *temp)
{
    padici_cell *a = &f->level[f->depth - 2], *b = &f->level[f->depth - 1], x;
    x.u = temp;
    x.v = 0;
    x.n = call->ring->precision;
    x.bits = 0;
    padici_cell_sum(call, &x, a, b, 0, temp + call->ring->words);
    padici_cell_limit(&x);
    if (x.v != PADIC_NUM_NAN) x.bits |= a->bits | b->bits;
    padici_cell_copy(call->ring, a, &x);
    f->depth--;
}

static void padici_reduce_push(const padic_num_call *call, padici_reduction *f,
                               const padici_cell *x, uint64_t *temp)
{
    uint64_t n = ++f->count;
    padici_cell_copy(call->ring, &f->level[f->depth++], x);
    for (; !(n & 1); n >>= 1) padici_reduce_merge(call, f, temp);
}

// Elements first to end - 1 (at most 4,096) of a, or of a b: 32 lanes, then pairwise.
static void padici_reduce_chunk(const padic_num_call *call, uint64_t first, uint64_t end,
                             padici_reduction *f, padici_cell *x, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t lane, i;
    padici_cell a, b, sum;
    a.u = temp;
    b.u = temp + r->words;
    sum.u = temp + 2 * r->words;
    f->count = f->depth = 0;
    for (lane = first; lane < end && lane < first + 32; lane++) {
        for (i = lane; i < end; i += 32) {
            padici_cell_load(call, &call->a, i, &a);
            if (call->b.unit) {
                padici_cell_load(call, &call->b, i, &b);
                sum.v = 0;
                sum.n = r->precision;
                sum.bits = 0;
                padici_cell_mul(call, &sum, &a, &b);
                padici_cell_limit(&sum);
                padici_cell_copy(r, &a, &sum);
            }
            if (i == lane) {
                padici_cell_copy(r, x, &a);
            } else {
                sum.v = 0;
                sum.n = r->precision;
                sum.bits = 0;
                padici_cell_sum(call, &sum, x, &a, 0, temp + 3 * r->words);
                if (sum.v != PADIC_NUM_NAN) sum.bits |= x->bits | a.bits;
                padici_cell_copy(r, x, &sum);
            }
        }
        padici_reduce_push(call, f, x, temp);
    }
    while (f->depth > 1) padici_reduce_merge(call, f, temp);
    padici_cell_copy(r, x, &f->level[0]);
}

// c, one element, becomes the sum of a, or of a b. A fold's residues lie in `temp`, then what sums
// need.
static void padici_reduce_loop(padic_num_call *call)
{
    enum { CHUNK = 4096, LEVELS = 38, LANES = 7 };
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], first, i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local;
    uint64_t *const temp = words + (1 + LEVELS + LANES) * r->words;
    padici_reduction chunks, lanes;
    padici_cell x;
    for (i = 0; i < LEVELS; i++) chunks.level[i].u = words + (1 + i) * r->words;
    for (i = 0; i < LANES; i++) lanes.level[i].u = words + (1 + LEVELS + i) * r->words;
    chunks.count = chunks.depth = 0;
    x.u = words;
    memset(x.u, 0, r->words * sizeof *x.u);
    x.v = call->model == PADIC_NUM_RING ? 0 : PADIC_NUM_ZERO;
    x.n = x.bits = 0;
    if (call->model == PADIC_NUM_RING && r->form < PADIC_NUM_W128) { // any order is the same
        uint64_t sum = 0;
        for (i = 0; i < call->count; i++) {
            uint64_t y = padici_word(r, call->a.unit, call->a.scalar ? 0 : i);
            if (call->b.unit)
                y = padici_mul1(r, r->form, y,
                                padici_word(r, call->b.unit, call->b.scalar ? 0 : i));
            sum = padici_add1(r, r->form, sum, y);
        }
        x.u[0] = sum;
    } else if (call->count) {
        for (first = 0; first < call->count; first += CHUNK) {
            const uint64_t end = call->count - first < CHUNK ? call->count : first + CHUNK;
            padici_reduce_chunk(call, first, end, &lanes, &x, temp);
            padici_reduce_push(call, &chunks, &x, temp);
        }
        while (chunks.depth > 1) padici_reduce_merge(call, &chunks, temp);
        padici_cell_copy(r, &x, &chunks.level[0]);
    }
    call->out = call->c;
    padici_cell_store(call, 0, &x);
}

static padic_result padici_num_reduce(padic_context *context, const char *name, uint32_t kernel,
                                      const padic_num_array *out, const padic_num_array *a,
                                      const padic_num_array *b)
{
    padici_num_task task;
    padici_num_task_begin(&task, name, kernel, padici_reduce_loop, NULL, a, b, out);
    task.field[3] = "out";
    task.c_count = 1;
    task.c_out = 1;
    if (out && out->count != 1)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, name, "out.count must be 1");
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_sum(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    if (!out || !a)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_sum",
                              !out ? "out is NULL" : "a is NULL");
    return padici_num_reduce(context, "num_sum", PADIC_KERNEL_NUM_SUM, out, a, NULL);
}

PADIC_API padic_result padic_num_dot(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    if (!out || !a || !b)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_dot",
                              !out ? "out is NULL" : !a ? "a is NULL" : "b is NULL");
    if (a->count != b->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_dot",
                              "a.count and b.count differ");
    return padici_num_reduce(context, "num_dot", PADIC_KERNEL_NUM_DOT, out, a, b);
}

