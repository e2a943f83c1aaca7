#include "hensel.h"
#include "../context/run.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/view.h"
#include "../core/words.h"
#include "array.h"
#include "cell.h"
#include "element.h"
#include "residue.h"
#include "ring.h"
#include "series.h"
#include "series_calls.h"
#include "task.h"
#include "workspace.h"

#if PADICI_IMPLEMENT_NUM

// Coefficient k modulo P. Returns its number of known digits, at most N, or -1 if it is no integer.
static int64_t padici_num_polynomial_get(const padici_num_polynomial *f, uint64_t k, uint64_t *x)
{
    const padic_num_ring *r = f->call->ring;
    padici_num_cell c;
    int64_t known = r->precision;
    if (f->words) {
        padici_num_ring_copy(r, x, f->words + k * r->words);
        return known;
    }
    c.u = x;
    padici_num_cell_load(f->call, &f->planes, f->at + k * f->stride, &c);
    if (c.v < 0) return -1;
    if (f->call->model == PADIC_NUM_BALL && c.v != PADIC_NUM_ZERO && c.v + (int64_t)c.n < known)
        known = c.v + (int64_t)c.n;
    if (c.v > 0) padici_num_ring_up(r, x, x, (uint64_t)c.v);
    return known;
}

// y = f(x), d = f'(x); `t`: 2 residues.
static void padici_num_polynomial_value(const padici_num_polynomial *f, const uint64_t *x,
                                        uint64_t *y, uint64_t *d, uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    uint64_t *const c = t + r->words;
    uint32_t k = f->terms;
    padici_num_ring_set(r, y, 0);
    padici_num_ring_set(r, d, 0);
    while (k-- > 0) {
        padici_num_ring_mul(r, t, d, x);
        padici_num_ring_add(r, d, t, y);
        padici_num_ring_mul(r, t, y, x);
        padici_num_polynomial_get(f, k, c);
        padici_num_ring_add(r, y, t, c);
    }
}

// Lifts x to the root near it if the lemma holds. Returns how many digits of x are right, given
// `known` digits of f, or 0. `t`: 8 residues.
static uint32_t padici_num_hensel_lift(const padici_num_polynomial *f, uint64_t *x, uint32_t known,
                                   uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    uint64_t *const y = t, *const d = t + r->words, *const a = t + 2 * r->words;
    uint64_t *const temp = t + 3 * r->words;
    uint32_t v, s, steps = 0;
    padici_num_polynomial_value(f, x, y, d, temp);
    v = padici_num_ring_valuation(r, y);
    s = padici_num_ring_valuation(r, d);
    if ((v < known ? v : known) <= 2 * s) return 0;
    while (v < known && ++steps < 20) { // x -= f(x) / f'(x)
        padici_num_ring_down(r, y, y, s);
        padici_num_ring_down(r, d, d, s);
        padici_num_ring_inv(r, a, d, temp);
        padici_num_ring_mul(r, d, a, y);
        padici_num_ring_sub(r, x, x, d);
        padici_num_polynomial_value(f, x, y, d, temp);
        v = padici_num_ring_valuation(r, y);
    }
    padici_num_ring_low(r, x, x, known - s);
    return known - s;
}

// The least number of known digits of all coefficients, or -1 if one is no integer; *nonzero: one
// is not 0. With `words` they are copied there. `t`: 1 residue.
static int64_t padici_num_polynomial_known(const padici_num_polynomial *f, uint64_t *words,
                                           int *nonzero, uint64_t *t)
{
    const padic_num_ring *r = f->call->ring;
    int64_t known = r->precision;
    uint32_t k;
    *nonzero = 0;
    for (k = 0; k < f->terms; k++) {
        const int64_t n = padici_num_polynomial_get(f, k, t);
        if (n < known) known = n;
        if (n < 0) return -1;
        *nonzero |= !padici_num_ring_is_zero(r, t);
        if (words) padici_num_ring_copy(r, words + k * r->words, t);
    }
    return known;
}

// Sets valuation and status of the root x, of which x->n digits are right.
static void padici_num_hensel_finish(const padic_num_call *call, padici_num_cell *x)
{
    x->v = 0;
    if (call->model == PADIC_NUM_RING)
        x->bits = x->n < call->ring->precision ? PADIC_NUM_PRECLOSS : 0;
    else
        padici_num_cell_normal(call, x);
}

// Seeds: a; coefficients: c, k of them, `stride` elements apart, or consecutive.
static void padici_num_hensel_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *const words = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    uint64_t *const temp = words + 2 * r->words;
    padici_num_polynomial f;
    padici_num_cell a, x;
    int64_t known;
    int nonzero;
    memset(&f, 0, sizeof f);
    f.call = call;
    f.planes = call->c;
    f.planes.scalar = 0;
    f.terms = (uint32_t)call->k;
    f.stride = call->stride ? call->stride : 1;
    a.u = words;
    x.u = words + r->words;
    for (i = 0; i < call->count; i++) {
        f.at = call->stride ? i : 0;
        padici_num_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.bits = 0;
        if (!padici_num_cell_nan(&x, &a, NULL)) {
            known = padici_num_polynomial_known(&f, NULL, &nonzero, temp);
            x.n = 0;
            if (known >= 0 && a.v >= 0) {
                padici_num_ring_up(r, x.u, a.u, a.v == PADIC_NUM_ZERO ? 0 : (uint64_t)a.v);
                x.n = padici_num_hensel_lift(&f, x.u, (uint32_t)known, temp);
            }
            if (x.n)
                padici_num_hensel_finish(call, &x);
            else
                x.bits = PADIC_NUM_OUTSIDE;
        }
        padici_num_cell_store(call, i, &x);
    }
}

// g and its digits for x + p^k Z_p: a Taylor shift, then p^(kj) on the coefficients, divided by
// their common power of p. Returns how many of their digits are known, 0 if none.
static uint32_t padici_num_hensel_shift(padici_num_hensel *h, const uint64_t *x, uint32_t k,
                                        uint64_t *t)
{
    const padic_num_ring *r = h->call.ring;
    const uint32_t terms = h->desc->terms, words = r->words;
    uint64_t *const g = h->shifted;
    uint32_t i, j, v, m = h->known;
    memcpy(g, h->words, (size_t)terms * words * sizeof *t);
    for (i = 0; i + 1 < terms && !padici_num_ring_is_zero(r, x); i++)
        for (j = terms - 1; j-- > i;) {
            padici_num_ring_mul(r, t, g + (j + 1) * words, x);
            padici_num_ring_add(r, g + j * words, g + j * words, t);
        }
    for (j = 0; j < terms; j++) {
        padici_num_ring_up(r, g + j * words, g + j * words, (uint64_t)j * k);
        v = padici_num_ring_valuation(r, g + j * words);
        if (v < m) m = v;
    }
    for (j = 0; j < terms; j++) {
        padici_num_ring_down(r, g + j * words, g + j * words, m);
        h->digits[j] = padici_num_ring_digit(r, g + j * words);
    }
    return h->known - m;
}

// Splits the residue class x + p^k Z_p: writes each root that is alone in a class modulo p^(k+1),
// and queues the classes that may hold several.
static void padici_num_hensel_split(padici_num_hensel *h, const uint64_t *x, uint32_t k,
                                    uint64_t *t)
{
    const padic_num_ring *r = h->call.ring;
    const uint64_t p = r->p, branches = h->desc->branches;
    const uint32_t words = r->words, known = padici_num_hensel_shift(h, x, k, t);
    uint32_t terms = h->desc->terms, j;
    uint64_t y, d, residue, *entry;
    padici_num_cell root;
    root.u = t;
    t += words;
    h->lower_bound |= !known;
    while (terms > 0 && !h->digits[terms - 1]) terms--;
    for (residue = 0; residue < p && terms > 1 && known; residue++) {
        for (y = 0, j = terms; j-- > 0;) y = (y * residue + h->digits[j]) % p;
        if (y) continue;
        for (d = 0, j = terms; --j > 0;) d = (d * residue + h->digits[j] * (j % p)) % p;
        padici_num_ring_set(r, root.u, residue);
        h->lower_bound |= !d && (h->waiting == branches || k + 1 >= h->known);
        if (!d && branches) {
            if (h->waiting == branches || k + 1 >= h->known) continue;
            entry = h->queue + (h->head + h->waiting++) % branches * (words + 1);
            padici_num_ring_up(r, t, root.u, k);
            padici_num_ring_add(r, entry, x, t);
            entry[words] = k + 1;
            continue;
        }
        root.n = k + padici_num_hensel_lift(&h->g, root.u, known, t);
        if (!root.n || h->found++ >= h->desc->root_limit) continue;
        padici_num_ring_up(r, root.u, root.u, k);
        padici_num_ring_add(r, root.u, root.u, x);
        padici_num_ring_low(r, root.u, root.u, root.n);
        root.bits = 0;
        padici_num_hensel_finish(&h->call, &root);
        padici_num_cell_store(&h->call, h->at++, &root);
    }
}

// All roots of polynomial i.
static void padici_num_hensel_roots(padici_num_hensel *h, uint64_t i)
{
    const padic_num_polynomial_roots_desc *desc = h->desc;
    const padic_num_ring *r = h->call.ring;
    uint64_t *const x = h->temp, *const t = h->temp + r->words, *entry;
    padici_num_cell none;
    int nonzero;
    const int64_t known = padici_num_polynomial_known(&h->f, h->words, &nonzero, t);
    uint32_t k = 0;
    h->found = h->lower_bound = 0;
    h->head = h->waiting = 0;
    h->at = i * desc->root_limit;
    h->known = known > 0 ? (uint32_t)known : 0;
    padici_num_ring_set(r, x, 0);
    while (known > 0) {
        padici_num_hensel_split(h, x, k, t);
        if (!h->waiting) break;
        entry = h->queue + h->head * (r->words + 1);
        padici_num_ring_copy(r, x, entry);
        k = (uint32_t)entry[r->words];
        h->head = (h->head + 1) % desc->branches;
        h->waiting--;
    }
    none.u = t;
    while (h->at < (i + 1) * desc->root_limit) { // unused elements
        none.bits = known < 0 ? PADIC_NUM_OUTSIDE : 0;
        padici_num_cell_integer(&h->call, &none, 0);
        padici_num_cell_store(&h->call, h->at++, &none);
    }
}

PADIC_API uint64_t padic_num_polynomial_roots_workspace(const padic_num_polynomial_roots_desc *desc)
{
    const padic_num_ring *r = desc ? desc->out.ring : NULL;
    uint64_t words;
    if (!padici_num_ring_is(r) || desc->terms >> 20 || desc->branches >> 20) return 0;
    words = (uint64_t)desc->terms * (2 * r->words + 1) + PADICI_NUM_TEMPS * r->words +
            (uint64_t)desc->branches * (r->words + 1);
    return words > (size_t)-1 / 16 ? 0 : (size_t)words * sizeof(uint64_t);
}

// All polynomials, in host memory. Writes nothing if one of them is 0.
#define PADICI_NUM_HENSEL_NOTHING (UINT32_C(1) << 31)

static void padici_num_polynomial_roots_loop(padic_num_call *call)
{
    padici_num_hensel h = *(const padici_num_hensel *)call->options;
    const uint64_t n = h.desc->polynomials;
    uint64_t i;
    int nonzero;
    h.call = *call;
    h.call.workspace = NULL;
    h.f.call = &h.call;
    h.f.planes = call->c;
    h.f.planes.scalar = 0;
    h.g = h.f;
    h.g.words = h.shifted;
    for (i = 0; i < n; i++) {
        h.f.at = h.own ? i : 0;
        if (padici_num_polynomial_known(&h.f, NULL, &nonzero, h.temp) < 0 || nonzero) continue;
        call->bits |= PADICI_NUM_HENSEL_NOTHING;
        return;
    }
    for (i = 0; i < n; i++) {
        h.f.at = h.own ? i : 0;
        padici_num_hensel_roots(&h, i);
        ((uint32_t *)call->other[0])[i] = h.found;
        if (call->other[1]) ((uint8_t *)call->other[1])[i] = (uint8_t)h.lower_bound;
    }
    call->bits |= h.call.bits;
}

// Checks planes, workspace and overlaps of a search for all roots.
static padic_result padici_num_hensel_operands(padici_num_hensel *h, padici_num_task *task)
{
    const padic_num_polynomial_roots_desc *desc = h->desc;
    const uint64_t n = desc->polynomials;
    padici_num_memory *const memory = &task->memory;
    padic_num_call *const call = &task->call;
    uint64_t roots;
    padic_result result;
    if (desc->out.ring->p >> 20)
        return padici_blame(task->context, PADIC_ERROR_LIMIT, "out", "ring",
                            "has a p of 2^20 or more: num_hensel lifts roots from seeds there");
    if (!padici_mul_u64(desc->root_limit, n, &roots) || desc->out.count != roots)
        return padici_blame(task->context, PADIC_ERROR_MISMATCH, "out", "count",
                            "must be root_limit times `polynomials`");
    result = padici_num_workspace_check(task->context, &desc->workspace, task->workspace);
    if (result) return result;
    result = padici_num_tensor_add(task->context, memory, &desc->found, n, 1u << PADIC_U32, 1,
                                   &call->other[0]);
    padici_blame(task->context, result, "found", NULL, NULL);
    if (!result && (desc->guarantee.dtype || desc->guarantee.data)) {
        result = padici_num_tensor_add(task->context, memory, &desc->guarantee, n, 1u << PADIC_U8,
                                       1, &call->other[1]);
        padici_blame(task->context, result, "guarantee", NULL, NULL);
    }
    if (!result) {
        result = padici_num_series_out(task->context, memory, &desc->out, &call->out,
                                       &task->status_plane);
        padici_blame(task->context, result, "out", NULL, NULL);
    }
    if (!result) {
        result = padici_num_series_in(task->context, memory, &desc->coefficients, &call->c);
        padici_blame(task->context, result, "coefficients", NULL, NULL);
    }
    if (!result && memory->device && memory->host)
        result = padici_blame(task->context, PADIC_ERROR_ARGUMENT, "out", NULL,
                              "and coefficients lie apart, in host memory and on a device");
    if (result) return result;
    if (desc->workspace.data)
        padici_num_host(memory, desc->workspace.data, desc->workspace.shape[0], 1);
    return padici_num_overlap(memory->range, memory->count);
}

// Lays out the working memory of a checked search and runs it.
static padic_result padici_num_hensel_do(padici_num_hensel *h, padici_num_task *task)
{
    const padic_num_polynomial_roots_desc *desc = h->desc;
    const uint64_t words = (uint64_t)desc->terms * desc->out.ring->words;
    padici_num_workspace w;
    padic_result result =
        padici_num_workspace_take(task->context, &desc->workspace, task->workspace, &w);
    if (result) return padici_fault(task->context, result, task->name);
    task->call.workspace = w.at;
    task->workspace_pieces = 1;
    h->shifted = (uint64_t *)w.at;
    h->words = h->shifted + words;
    h->digits = h->words + words;
    h->queue = h->digits + desc->terms;
    h->temp = h->queue + (uint64_t)desc->branches * (desc->out.ring->words + 1);
    result = padici_run_task(task->context, task->op, task);
    padici_num_workspace_give(&w);
    return result;
}

// Checks the polynomials of both operations; *own: each has its own coefficients.
static padic_result padici_num_hensel_check(padic_context *context, const char *name,
                                            const padic_num_array *out, const padic_num_array *c,
                                            uint32_t terms, uint64_t polynomials, uint32_t *own)
{
    uint64_t all;
    if (!terms || !padici_num_ring_is(out->ring) || !padici_num_ring_is(c->ring) ||
        (uint32_t)out->model > PADIC_NUM_BALL)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !terms ? "terms is 0: give at least one coefficient"
                                     : "out or coefficients has no ring, or out.model is none "
                                       "that there is");
    if (out->ring->composite)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, name,
                              "out.ring has a radix that is no prime");
    if (terms >> 20 || !padici_mul_u64(terms, polynomials, &all))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, name, "terms must be below 2^20");
    *own = c->count != terms;
    if (!padici_num_ring_equal(out->ring, c->ring) || out->model != c->model)
        return padici_fail_in(context, PADIC_ERROR_RING, name,
                              "out and coefficients are of different rings or models");
    if (*own && c->count != all)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, name,
                              "coefficients.count must be terms, or terms times polynomials");
    return PADIC_OK;
}

PADIC_API padic_result padic_num_polynomial_roots(padic_context *context,
                                                  const padic_num_polynomial_roots_desc *desc)
{
    static const char *const name = "num_polynomial_roots";
    padici_num_hensel h;
    padici_num_task task;
    uint32_t bits, own;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
    result = padici_num_hensel_check(context, name, &desc->out, &desc->coefficients, desc->terms,
                                     desc->polynomials, &own);
    if (result) return result;
    memset(&h, 0, sizeof h);
    h.desc = desc;
    h.own = own;
    h.f.terms = desc->terms;
    h.f.stride = own ? desc->polynomials : 1;
    padici_num_task_begin(&task, name, PADIC_OP_NUM_POLYNOMIAL_ROOTS,
                          padici_num_polynomial_roots_loop, NULL, NULL, NULL, NULL);
    task.context = context;
    task.call.ring = desc->out.ring;
    task.call.model = desc->out.model;
    task.call.options = &h;
    task.workspace = padic_num_polynomial_roots_workspace(desc);
    if (!task.workspace)
        return padici_fail_in(context, PADIC_ERROR_LIMIT, name, "branches must be below 2^20");
    result = padici_num_hensel_operands(&h, &task);
    if (result) return padici_fault(context, result, name);
    if (!desc->polynomials) return PADIC_OK;
    task.count = desc->polynomials;
    task.whole = 1;
    task.report = task.checked = 1; // bits are needed in any case
    result = padici_num_hensel_do(&h, &task);
    if (result) return result;
    bits = task.call.bits;
    if (bits & PADICI_NUM_HENSEL_NOTHING)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              "coefficients: all known digits of a polynomial are 0");
    if (desc->out.sticky) *desc->out.sticky |= bits;
    if (bits & PADIC_NUM_HARD && !desc->out.sticky && !padici_num_has(&task, PADICI_NUM_STATUS))
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, name,
                              "coefficients: one is no integer, and out has neither status nor "
                              "sticky to say whose");
    return PADIC_OK;
}

PADIC_API padic_result padic_num_hensel(padic_context *context, const padic_num_hensel_desc *desc)
{
    const padic_num_array *out = desc ? &desc->out : NULL;
    const padic_num_array *c = desc ? &desc->coefficients : NULL;
    padici_num_task task;
    uint32_t own;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_hensel", "desc is NULL");
    result =
        padici_num_hensel_check(context, "num_hensel", out, c, desc->terms, out->count, &own);
    if (result) return result;
    padici_num_task_begin(&task, "num_hensel", PADIC_OP_NUM_HENSEL, padici_num_hensel_loop, out,
                          &desc->seeds, NULL, c);
    task.field[1] = "seeds";
    task.field[3] = "coefficients";
    task.call.k = desc->terms;
    task.c_moves = own;
    task.c_count = c->count;
    task.call.stride = own ? out->count : 0;
    if (padici_num_same_units(c, out))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_hensel",
                              "out must not be the coefficients");
    return padici_num_run(context, &task);
}

#undef PADICI_NUM_HENSEL_NOTHING

#endif
