#include "value.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/view.h"
#include "array.h"
#include "limbs.h"
#include "residue.h"
#include "ring.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// One value

// 1 if a plane of an array lies in a buffer, where calls without a context cannot read it.
static int padici_num_in_buffer(const padic_num_array *a)
{
    return (!a->unit.data && a->unit.buffer.id) ||
           (a->model != PADIC_NUM_RING && !a->val.data && a->val.buffer.id) ||
           (a->model == PADIC_NUM_BALL && !a->known.data && a->known.buffer.id);
}

PADIC_API padic_result padic_num_get(const padic_num_array *array, uint64_t index,
                                     padic_num_value *value)
{
    padic_num_call call;
    padici_num_cell x;
    padic_result result;
    if (!array || !value || !padici_num_ring_is(array->ring)) return PADIC_ERROR_ARGUMENT;
    memset(value, 0, sizeof *value);
    if (array->ring->form == PADIC_NUM_RX) return PADIC_ERROR_NOT_SUPPORTED;
    if (index >= array->count) return PADIC_ERROR_REGION;
    if (padici_num_in_buffer(array)) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&call, 0, sizeof call);
    call.ring = array->ring;
    if ((result = padici_num_planes_of(NULL, array, &call.a)) != PADIC_OK) return result;
    x.u = value->u;
    padici_num_cell_raw(call.ring, &call.a, index, &x);
    value->v = x.v;
    value->n = x.n;
    return PADIC_OK;
}

// 1 if a cell is canonical. `a` is a residue in words; limbs are checked one by one.
PADICI_FN int padici_num_cell_canonical(const padic_num_call *call, const padic_num_planes *p,
                                    const padici_num_cell *x)
{
    const padic_num_ring *r = call->ring;
    const int32_t limit = p->val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
    uint64_t limbs_above = 0;
    uint32_t i, n;
    if (x->v == PADIC_NUM_NAN && p->val) {
        for (i = 1; i < r->words; i++) limbs_above |= x->u[i];
        return x->u[0] < 256 && !limbs_above && (!p->known || !x->n) && x->u[0] & PADIC_NUM_HARD;
    }
    if (r->form == PADIC_NUM_RX) {
        for (i = 0; i < r->words; i++)
            if (x->u[i] >= padici_num_limb_base(r, i)) return 0;
    } else if (r->form == PADIC_NUM_W128) {
        if (!padici_num_wide_less(padici_num_wide_load(x->u), padici_num_modulus(r))) return 0;
    } else if (r->base && x->u[0] >= r->base) {
        return 0;
    }
    if (call->model == PADIC_NUM_RING) return 1;
    if (x->v == PADIC_NUM_ZERO) return padici_num_ring_is_zero(r, x->u) && (!p->known || !x->n);
    if (x->v > limit || x->v < -limit || x->n > r->precision) return 0;
    if (call->model == PADIC_NUM_BALL && !x->n) return padici_num_ring_is_zero(r, x->u);
    if (padici_num_ring_digit(r, x->u) == 0) return 0;
    n = x->n;
    if (n == r->precision) return 1;
    if (r->form < PADIC_NUM_W128) return x->u[0] < r->power[n][0];
    if (r->form == PADIC_NUM_W128)
        return padici_num_wide_less(padici_num_wide_load(x->u), padici_num_wide_load(r->power[n]));
    for (i = n / r->limb_digits + 1; i < r->words; i++) limbs_above |= x->u[i];
    return !limbs_above && x->u[n / r->limb_digits] < r->power[n % r->limb_digits][0];
}

PADIC_API padic_result padic_num_set(const padic_num_array *array, uint64_t index,
                                     const padic_num_value *value)
{
    padic_num_call call;
    padici_num_cell x;
    uint64_t u[2];
    padic_result result;
    if (!array || !value || !padici_num_ring_is(array->ring)) return PADIC_ERROR_ARGUMENT;
    if (array->ring->form == PADIC_NUM_RX) return PADIC_ERROR_NOT_SUPPORTED;
    if (index >= array->count) return PADIC_ERROR_REGION;
    if (padici_num_in_buffer(array)) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&call, 0, sizeof call);
    call.ring = array->ring;
    call.model = array->model;
    if ((result = padici_num_planes_of(NULL, array, &call.out)) != PADIC_OK) return result;
    u[0] = value->u[0];
    u[1] = value->u[1];
    x.u = u;
    x.v = array->model == PADIC_NUM_RING ? 0 : value->v;
    x.n = array->model == PADIC_NUM_BALL ? value->n : array->ring->precision;
    x.bits = x.v == PADIC_NUM_NAN ? (uint32_t)u[0] : 0;
    if ((array->ring->words == 1 && u[1]) || !padici_num_cell_canonical(&call, &call.out, &x))
        return PADIC_ERROR_DOMAIN;
    padici_num_cell_store(&call, index, &x);
    return PADIC_OK;
}

// The index of the first element that is not canonical, or the count.
PADICI_FN padic_result padici_num_check_find(padic_context *context, const padic_num_array *in,
                                             uint64_t *bad)
{
    padic_num_call call;
    padici_num_cell x;
    uint64_t local[2], i;
    padic_result result;
    if (!padici_num_ring_is(in->ring) || (uint32_t)in->model > PADIC_NUM_BALL)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            "has no ring, or no such model");
    memset(&call, 0, sizeof call);
    call.ring = in->ring;
    call.model = in->model;
    if ((result = padici_num_planes_of(context, in, &call.a)) != PADIC_OK) return result;
    x.u = local;
    if (in->ring->form == PADIC_NUM_RX) {
        if (!in->workspace || in->workspace_size < padic_num_workspace(in->ring))
            return padici_blame(context, PADIC_ERROR_CAPACITY, NULL, "workspace",
                                "is missing or too small: see num_workspace");
        if (!padici_aligned(in->workspace, 8))
            return padici_blame(context, PADIC_ERROR_ALIGNMENT, NULL, "workspace", NULL);
        x.u = (uint64_t *)in->workspace;
    }
    for (i = 0; i < in->count; i++) {
        padici_num_cell_raw(call.ring, &call.a, i, &x);
        if (!padici_num_cell_canonical(&call, &call.a, &x)) {
            *bad = i;
            return padici_blame(context, PADIC_ERROR_CORRUPT, NULL, NULL,
                                "has an element that is not canonical: see num_check");
        }
    }
    *bad = in->count;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_check(padic_context *context, const padic_num_check_desc *desc)
{
    uint64_t bad = 0;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_check", "desc is NULL");
    result = padici_num_check_find(context, &desc->in, &bad);
    if (desc->report) desc->report->bad_index = bad;
    if (!result) return PADIC_OK;
    padici_blame(context, result, "in", NULL, NULL);
    return padici_fault(context, result, "num_check");
}

#endif
