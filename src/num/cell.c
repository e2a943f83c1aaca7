// Elements

// One number at work: NaN and ZERO by v as in a plane, `bits` what happened to it.
typedef struct padici_cell {
    int32_t v;
    uint32_t n, bits;
    uint64_t *u; // ring->words words
} padici_cell;

PADICI_INLINE uint64_t padici_word(const padic_num_ring *r, const void *plane, uint64_t i)
{
    return r->unit_size == 4 ? ((const uint32_t *)plane)[i] : ((const uint64_t *)plane)[i];
}

PADICI_INLINE void padici_word_set(const padic_num_ring *r, void *plane, uint64_t i, uint64_t x)
{
    if (r->unit_size == 4)
        ((uint32_t *)plane)[i] = (uint32_t)x;
    else
        ((uint64_t *)plane)[i] = x;
}

// As it stands in the plane.
PADICI_INLINE int32_t padici_val_raw(const padic_num_planes *p, uint64_t i)
{
    int32_t v;
    if (!p->val16) return ((const int32_t *)p->val)[i];
    v = ((const int16_t *)p->val)[i];
    return v == PADIC_NUM_ZERO16 ? PADIC_NUM_ZERO : v == PADIC_NUM_NAN16 ? PADIC_NUM_NAN : v;
}

PADICI_INLINE int padici_val_finite(int32_t v)
{
    const uint32_t most = (uint32_t)PADIC_NUM_MAX_VALUATION;
    return (uint32_t)v + most <= 2 * most;
}

// As operations see it: beyond the limits it is what a result there would have become, so that
// sums of valuations stay below 2^31.
PADICI_INLINE int32_t padici_val_load(const padic_num_planes *p, uint64_t i)
{
    const int32_t v = padici_val_raw(p, i);
    return padici_val_finite(v) ? v : v > 0 ? PADIC_NUM_ZERO : PADIC_NUM_NAN;
}

PADICI_INLINE void padici_val_store(const padic_num_planes *p, uint64_t i, int32_t v)
{
    if (!p->val16)
        ((int32_t *)p->val)[i] = v;
    else
        ((int16_t *)p->val)[i] = (int16_t)(v == PADIC_NUM_ZERO  ? PADIC_NUM_ZERO16
                                           : v == PADIC_NUM_NAN ? PADIC_NUM_NAN16
                                                                : v);
}

// Where the words of element i begin, and the distance from one to the next.
PADICI_INLINE uint64_t padici_num_at(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                                     uint64_t *step)
{
    *step = r->form == PADIC_NUM_RX ? 32 : p->high;
    return r->form == PADIC_NUM_RX ? (i >> 5) * 32 * r->words + (i & 31) : i;
}

// Element i of an operand as it stands; x->u has room. A NaN brings its status byte as bits.
static void padici_cell_raw(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                            padici_cell *x)
{
    uint64_t at, step;
    uint32_t k;
    if (p->scalar) i = 0;
    at = padici_num_at(r, p, i, &step);
    for (k = 0; k < r->words; k++) x->u[k] = padici_word(r, p->unit, at + k * step);
    x->v = p->val ? padici_val_raw(p, i) : 0;
    x->n = r->precision;
    x->bits = 0;
    if (p->known)
        x->n = p->known16 ? ((const uint16_t *)p->known)[i] : ((const uint8_t *)p->known)[i];
    if (x->v == PADIC_NUM_NAN) x->bits = (uint32_t)x->u[0] & 255;
}

// Is u below p^n, n <= N, limb by limb?
static int padici_ring_below(const padic_num_ring *r, const uint64_t *u, uint32_t n)
{
    uint32_t i, k;
    if (r->form < PADIC_NUM_W128)
        return n == r->precision ? !r->base || u[0] < r->base : u[0] < r->power[n][0];
    if (r->form == PADIC_NUM_W128)
        return padici_wide_less(padici_wide_load(u), padici_wide_load(r->power[n]));
    for (i = 0; i < r->words; i++, n -= k) {
        k = n < r->limb_digits ? n : r->limb_digits;
        if (u[i] >= r->power[k][0]) return 0;
    }
    return 1;
}

// u mod p^n of any words.
static void padici_ring_tame(const padic_num_ring *r, uint64_t *u, uint32_t n)
{
    padici_wide rest;
    uint32_t i, k;
    if (r->form == PADIC_NUM_W128) {
        padici_wide_div(padici_wide_load(u), padici_wide_load(r->power[n]), &rest);
        padici_wide_store(u, rest);
    } else if (r->form < PADIC_NUM_W128) {
        u[0] %= r->power[n][0];
    } else {
        for (i = 0; i < r->words; i++, n -= k) {
            k = n < r->limb_digits ? n : r->limb_digits;
            u[i] %= r->power[k][0];
        }
    }
}

// Element i of an operand. Planes are the caller's, so whatever they hold: u below p^n, n at most
// N, v within its limits or special. That p does not divide u is taken on trust.
static void padici_cell_load(const padic_num_call *call, const padic_num_planes *p, uint64_t i,
                             padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    padici_cell_raw(r, p, i, x);
    if (PADICI_UNLIKELY(!padici_val_finite(x->v)) && x->v != PADIC_NUM_ZERO) {
        if (x->v != PADIC_NUM_NAN) {
            x->bits = x->v > 0 ? PADIC_NUM_INEXACT : PADIC_NUM_RANGE;
            x->v = x->v > 0 ? PADIC_NUM_ZERO : PADIC_NUM_NAN;
        }
        memset(x->u, 0, r->words * sizeof *x->u);
        x->u[0] = x->v == PADIC_NUM_NAN ? x->bits : 0;
        x->n = p->known ? 0 : x->n;
        return;
    }
    if (PADICI_UNLIKELY(x->n > r->precision)) x->n = r->precision;
    if (PADICI_UNLIKELY(!padici_ring_below(r, x->u, x->n))) padici_ring_tame(r, x->u, x->n);
}

// Writes element i of call->out: specials for hard bits and for valuations beyond the limits, the
// status byte, and the bits of the call.
static void padici_cell_store(padic_num_call *call, uint64_t i, padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    const padic_num_planes *p = &call->out;
    uint64_t at, step;
    uint32_t k;
    if (p->val && x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN) {
        const int32_t limit = p->val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
        if (x->v > limit) {
            x->v = PADIC_NUM_ZERO;
            x->bits |= PADIC_NUM_INEXACT;
        } else if (x->v < -limit) {
            x->bits |= PADIC_NUM_RANGE;
        }
    }
    if (x->bits & PADIC_NUM_HARD) x->v = PADIC_NUM_NAN;
    if (x->v == PADIC_NUM_NAN || x->v == PADIC_NUM_ZERO) {
        memset(x->u, 0, r->words * sizeof *x->u);
        x->n = 0;
        if (p->val && x->v == PADIC_NUM_NAN) x->u[0] = x->bits;
    }
    at = padici_num_at(r, p, i, &step);
    for (k = 0; k < r->words; k++) padici_word_set(r, p->unit, at + k * step, x->u[k]);
    if (p->val) padici_val_store(p, i, x->v);
    if (p->known) {
        if (p->known16)
            ((uint16_t *)p->known)[i] = (uint16_t)x->n;
        else
            ((uint8_t *)p->known)[i] = (uint8_t)x->n;
    }
    if (call->status) call->status[i] = (uint8_t)x->bits;
    call->bits |= x->bits;
}

// Makes p^v u canonical. In: u any residue, n digits of it known. FLOAT: strips p from u; 0 becomes
// ZERO with PRECLOSS. BALL: u mod p^n, then the same; nothing left is O(p^(v+n)) with PRECLOSS.
static void padici_cell_normal(const padic_num_call *call, padici_cell *x)
{
    const padic_num_ring *r = call->ring;
    uint32_t w;
    if (call->model == PADIC_NUM_RING || x->v == PADIC_NUM_ZERO || x->v == PADIC_NUM_NAN ||
        x->bits & PADIC_NUM_HARD)
        return;
    if (call->model == PADIC_NUM_BALL) padici_ring_low(r, x->u, x->u, x->n);
    w = padici_ring_valuation(r, x->u);
    if (w == r->precision) { // u is 0
        if (call->model == PADIC_NUM_FLOAT)
            x->v = PADIC_NUM_ZERO;
        else if (x->n)
            x->v += (int32_t)x->n;
        else
            return; // O(p^v) as it came
        x->n = 0;
        x->bits |= PADIC_NUM_PRECLOSS;
    } else if (w) {
        padici_ring_down(r, x->u, x->u, w);
        x->v += (int32_t)w;
        x->n -= w;
    }
}

// One element of an operation: *x from *a, *b, *c, those that the operation has. x->u is none of
// theirs; x comes with v = 0, n = N, bits = 0. `temp` has room for PADICI_NUM_TEMPS residues.
typedef void (*padici_num_one)(const padic_num_call *call, padici_cell *x, const padici_cell *a,
                               const padici_cell *b, const padici_cell *c, uint64_t *temp);

// Elements first to end - 1 of any operation, for every form and model.
static void padici_num_span(padic_num_call *call, uint64_t first, uint64_t end, padici_num_one one)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)];
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->scratch : local, i;
    padici_cell x, a, b, c;
    memset(&x, 0, sizeof x);
    a = b = c = x;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    c.u = words + 3 * r->words;
    for (i = first; i < end; i++) {
        if (call->a.unit) padici_cell_load(call, &call->a, i, &a);
        if (call->b.unit) padici_cell_load(call, &call->b, i, &b);
        if (call->c.unit) padici_cell_load(call, &call->c, i, &c);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        (*one)(call, &x, &a, &b, &c, words + PADICI_NUM_CELLS * r->words);
        padici_cell_store(call, i, &x);
    }
}

// The plain loop of an operation.
PADICI_INLINE void padici_num_each(padic_num_call *call, padici_num_one one)
{
    padici_num_span(call, 0, call->count, one);
}
