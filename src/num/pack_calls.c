#include "packs.h"
#include "array.h"
#include "element.h"
#include "limbs.h"
#include "residue.h"
#include "ring_tables.h"
#include "root.h"
#include "series.h"

#if PADICI_IMPLEMENT_NUM

// Calls on packs: elements go in and out one by one, by the rules of every model.

// exp(a) or log(a) of one number. `t`: 50 residues.
PADICI_FN void padici_num_packs_one(const padic_num_ring *r, int log, uint64_t *x,
                                    const uint64_t *a, uint64_t *t)
{
    padici_num_packs p;
    memset(&p, 0, sizeof p);
    p.ring = r;
    p.lanes = 1;
    p.product = padici_num_packs_plain;
    p.inverse = t;
    t += r->words;
    (log ? padici_num_packs_log : padici_num_packs_exp)(&p, x, a, t);
}

// The 64-bit words of working memory that packs need, beside the residues of one element.
PADICI_FN uint64_t padici_num_packs_words(const padic_num_ring *r)
{
    const uint64_t size = padici_num_pack_limbs(r);
    return (PADICI_NUM_PACK_SLOTS * PADICI_NUM_PACK_LANES + 5) * size + 8;
}

typedef struct padici_num_pack_group {
    padici_num_cell x[PADICI_NUM_PACK_LANES];
    int32_t v[PADICI_NUM_PACK_LANES];  // of a, for exp
    uint32_t n[PADICI_NUM_PACK_LANES];
    padici_num_log_state log[PADICI_NUM_PACK_LANES];
    uint64_t first;
    uint32_t used; // bit j: lane j has an element
    uint64_t *in, *more, *out; // packs: the operand, the dividend or seeds, the result
} padici_num_pack_group;

// 1 / sqrt(u) modulo the base, from that modulo p^known.
static uint64_t padici_num_limb_root(const padic_num_ring *r, uint64_t u, uint64_t z,
                                     uint32_t known)
{
    for (; known < r->limb_digits; known *= 2) { // z += z (1 - u z^2) / 2
        uint64_t d = padici_num_limb_mul(r, padici_num_limb_mul(r, z, z), u);
        d = d > 1 ? r->base + 1 - d : 1 - d;
        d = (d >> 1) + (d & 1 ? (r->base >> 1) + 1 : 0);
        z += padici_num_limb_mul(r, z, d);
        if (z >= r->base) z -= r->base;
    }
    return z;
}

// Element i into lane j, or straight to the result. `words`: the memory of one element.
static void padici_num_pack_load(padic_num_call *call, padici_num_pack_group *g, uint32_t lanes,
                                 uint32_t j, uint64_t *words)
{
    const padic_num_ring *r = call->ring;
    const uint32_t op = call->op;
    uint64_t *const y = words + 3 * r->words, *const t = words + 4 * r->words, seed = 0;
    padici_num_cell *const x = &g->x[j], a, b;
    const uint64_t *from = y;
    uint32_t k, known = 0;
    int used;
    a.u = words;
    b.u = words + r->words;
    x->u = words + 2 * r->words;
    x->v = 0;
    x->n = r->precision;
    x->bits = 0;
    padici_num_cell_load(call, &call->a, g->first + j, &a);
    if (op == PADIC_OP_NUM_DIV || op == PADIC_OP_NUM_MUL)
        padici_num_cell_load(call, &call->b, g->first + j, &b);
    switch (op) {
    case PADIC_OP_NUM_MUL:
        used = padici_num_mul_begin(call, x, &a, &b);
        from = b.u;
        break;
    case PADIC_OP_NUM_INV:
    case PADIC_OP_NUM_DIV:
        used = padici_num_div_begin(call, x, op == PADIC_OP_NUM_DIV ? &a : NULL,
                                    op == PADIC_OP_NUM_DIV ? &b : &a);
        from = op == PADIC_OP_NUM_DIV ? b.u : a.u;
        break;
    case PADIC_OP_NUM_EXP: used = padici_num_exp_begin(call, x, &a, y); break;
    case PADIC_OP_NUM_LOG: used = padici_num_log_begin(call, x, &a, &g->log[j], y, t); break;
    default:
        used = padici_num_root_begin(call, (const padici_root *)call->options, x, &a, y, t, &seed,
                                     &known);
        if (used) g->more[j] = padici_num_limb_root(r, y[0], seed, known);
    }
    g->v[j] = a.v;
    g->n[j] = a.n;
    if (!used) {
        padici_num_cell_store(call, g->first + j, x);
        return;
    }
    g->used |= 1u << j;
    for (k = 0; k < r->words; k++) g->in[k * lanes + j] = from[k];
    if (op != PADIC_OP_NUM_DIV && op != PADIC_OP_NUM_MUL) return;
    for (k = 0; k < r->words; k++) g->more[k * lanes + j] = a.u[k];
}

static void padici_num_pack_store(padic_num_call *call, padici_num_pack_group *g, uint32_t lanes,
                                  uint32_t j, uint64_t *words)
{
    const padic_num_ring *r = call->ring;
    padici_num_cell *const x = &g->x[j], a;
    uint32_t k;
    x->u = words;
    a.u = words + r->words;
    a.v = g->v[j];
    a.n = g->n[j];
    a.bits = 0;
    for (k = 0; k < r->words; k++) x->u[k] = g->out[k * lanes + j];
    switch (call->op) {
    case PADIC_OP_NUM_INV:
    case PADIC_OP_NUM_DIV:
    case PADIC_OP_NUM_MUL:
        if (call->model == PADIC_NUM_BALL) padici_num_ring_low(r, x->u, x->u, x->n);
        break;
    case PADIC_OP_NUM_EXP: padici_num_exp_end(call, x, &a); break;
    case PADIC_OP_NUM_LOG: padici_num_log_end(call, x, &g->log[j], words + r->words); break;
    default: padici_num_root_finish(call, x, x->u);
    }
    padici_num_cell_store(call, g->first + j, x);
}

// The operation on the lanes of a group. `t`: 7 packs, then 5 pack lengths of one lane.
static void padici_num_pack_work(padic_num_call *call, padici_num_packs *p,
                                 padici_num_pack_group *g, uint64_t *t)
{
    const padic_num_ring *r = call->ring;
    switch (call->op) {
    case PADIC_OP_NUM_INV: padici_num_packs_inv(p, g->out, g->in, r->words, t); break;
    case PADIC_OP_NUM_DIV:
        padici_num_packs_inv(p, t, g->in, r->words, g->out);
        (*p->product)(p, g->out, r->words, g->more, r->words, t, r->words, NULL, 0, 0);
        break;
    case PADIC_OP_NUM_MUL:
        (*p->product)(p, g->out, r->words, g->more, r->words, g->in, r->words, NULL, 0, 0);
        break;
    case PADIC_OP_NUM_EXP: padici_num_packs_exp(p, g->out, g->in, t); return;
    case PADIC_OP_NUM_LOG: padici_num_packs_log(p, g->out, g->in, t); return;
    default: padici_num_packs_sqrt(p, g->out, g->in, g->more, t); return;
    }
    padici_num_packs_cut(p, g->out);
}

PADICI_FN int padici_num_packs_has(uint32_t op)
{
    return op == PADIC_OP_NUM_INV || op == PADIC_OP_NUM_DIV || op == PADIC_OP_NUM_SQRT ||
           op == PADIC_OP_NUM_EXP || op == PADIC_OP_NUM_LOG;
}

// The packs in the workspace, for so many lanes; returns the other memory.
static uint64_t *padici_num_packs_lay(padici_num_packs *p, padici_num_pack_group *g,
                                      uint64_t *packs, uint32_t lanes)
{
    const size_t size = (size_t)padici_num_pack_limbs(p->ring) * lanes;
    p->lanes = lanes;
    p->key = 0;
    p->inverse = packs;
    p->temp = packs + size;
    g->in = packs + 3 * size;
    g->more = packs + 4 * size;
    g->out = packs + 5 * size;
    return packs + 6 * size;
}

// A call of long numbers by `lanes` at a time, the last one or two one by one. NOT_SUPPORTED, with
// nothing written: not this one.
PADICI_FN padic_result padici_num_packs_run(padic_num_call *call, uint32_t lanes,
                                            padici_num_packs_mul product)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const words = (uint64_t *)call->workspace, *t;
    uint64_t *const packs =
        padici_num_pack_memory(words + (PADICI_NUM_TEMPS + PADICI_NUM_CELLS) * r->words);
    const uint32_t op = call->op;
    padici_num_packs p;
    padici_num_pack_group g;
    uint32_t j, n;
    if (call->count < 3 ||
        (op == PADIC_OP_NUM_SQRT && (r->p == 2 || ((const padici_root *)call->options)->n != 2)) ||
        ((op == PADIC_OP_NUM_EXP || op == PADIC_OP_NUM_LOG) && !padici_num_packs_can(r)))
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&p, 0, sizeof p);
    p.ring = r;
    p.product = product;
    t = padici_num_packs_lay(&p, &g, packs, lanes);
    for (g.first = 0; g.first < call->count; g.first += lanes) {
        if (call->count - g.first < 3 && lanes > 1) {
            lanes = 1;
            p.product = padici_num_packs_plain;
            t = padici_num_packs_lay(&p, &g, packs, lanes);
        }
        n = call->count - g.first < lanes ? (uint32_t)(call->count - g.first) : lanes;
        memset(g.in, 0, r->words * lanes * sizeof *g.in);
        memset(g.more, 0, r->words * lanes * sizeof *g.more);
        for (j = 0; j < lanes; j++) {
            g.in[j] = op != PADIC_OP_NUM_EXP;
            g.more[j] = 1;
        }
        g.used = 0;
        for (j = 0; j < n; j++) padici_num_pack_load(call, &g, lanes, j, words);
        if (!g.used) continue;
        padici_num_pack_work(call, &p, &g, t);
        for (j = 0; j < n; j++)
            if (g.used >> j & 1) padici_num_pack_store(call, &g, lanes, j, words);
    }
    return PADIC_OK;
}

#endif
