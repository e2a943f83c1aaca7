#include "ground.h"
#include "../launch.h"
#include "../variants.h"
#include "lines.h"
#include "norm.h"
#include "points.h"
#include "record.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Launches of kernels/field/ground.cl, and steps of the semi-implicit flow: field/imaginary.c, on a
// device.

PADICI_FN void padici_gpu_field_search_of(padici_gpu_field_search *s, padici_gpu_field *x)
{
    memset(s, 0, sizeof *s);
    s->x = x;
    s->l = x->plan->device.copy;
    s->state = x->plan->device.state;
    s->places = PADICI_GPU_FIELD_STATE;
    s->skip = x->at.stop;
}

// Of the flow, or of a search by conjugate gradients. After `copies` is set.
PADICI_FN padic_result padici_gpu_field_need_ground(const padici_gpu_field *x, int conjugate)
{
    static const uint32_t flow[] = {
        PADICI_KERNEL_FIELD_GROUND_COPY,     PADICI_KERNEL_FIELD_GROUND_DECIDE,
        PADICI_KERNEL_FIELD_GROUND_SLOPE,    PADICI_KERNEL_FIELD_GROUND_LESS,
        PADICI_KERNEL_FIELD_GROUND_FLOW,     PADICI_KERNEL_FIELD_RECORD_BEGIN};
    static const uint32_t search[] = {
        PADICI_KERNEL_FIELD_GROUND_COPY,     PADICI_KERNEL_FIELD_GROUND_DECIDE,
        PADICI_KERNEL_FIELD_GROUND_GRADIENT, PADICI_KERNEL_FIELD_GROUND_SOFTEN,
        PADICI_KERNEL_FIELD_GROUND_DIRECT,   PADICI_KERNEL_FIELD_GROUND_BEND,
        PADICI_KERNEL_FIELD_GROUND_ARC,      PADICI_KERNEL_FIELD_GROUND_MOVE};
    const uint32_t *kernels = conjugate ? search : flow;
    const size_t kernel_count =
        conjugate ? sizeof search / sizeof *search : sizeof flow / sizeof *flow;
    const padici_gpu_field y = padici_gpu_field_copied(x, x->plan->device.copy);
    const char *defines[PADICI_GPU_FIELD_DEFINES];
    const uint32_t count = padici_gpu_field_words(x, defines);
    padic_result result = padici_gpu_field_need_lines(&y, 0);
    uint32_t i;
    for (i = 0; i < kernel_count && !result; i++)
        result = padici_gpu_need(x->gpu, kernels[i], defines, count);
    return result ? result : padici_gpu_field_need_norm(x);
}

static void padici_gpu_field_search_params(const padici_gpu_field_search *s,
                                           padici_k_field_record_params *k)
{
    padici_gpu_field_record_params(s->x, k);
    k->places = s->places;
    k->stop = s->x->at.stop;
    k->rest = s->x->at.rest;
    k->shift = s->x->at.shift;
    k->skip = s->skip;
    k->relative = s->relative;
    padici_gpu_real(s->time, 1, k->time);
    padici_gpu_real(s->goal, 1, k->goal);
    padici_gpu_real(s->limit, 1, k->limit);
}

PADICI_FN padic_result padici_gpu_field_pass_over(const padici_gpu_field_search *s,
                                                  const padici_gpu_field_look_at *at)
{
    padici_k_field_record_params k;
    padici_gpu_field_search_params(s, &k);
    k.what = at->what;
    k.adds = at->adds;
    return padici_gpu_field_launch(s->x, at->kernel, at->mem, at->count, k.fields, &k, sizeof k);
}

// What follows from the sums of the pass before, those from `largest` on largest ones.
PADICI_FN padic_result padici_gpu_field_decide(const padici_gpu_field_search *s, uint32_t what,
                                               uint32_t sums, uint32_t largest)
{
    padici_k_field_record_params k;
    padic_mem mem[3];
    padici_gpu_field_search_params(s, &k);
    k.what = what;
    k.sums = sums;
    k.largest = largest;
    mem[0] = s->x->plan->device.sums;
    mem[1] = s->state;
    mem[2] = s->x->plan->device.mem;
    return padici_gpu_field_launch(s->x, PADICI_KERNEL_FIELD_GROUND_DECIDE, mem, 3,
                                   s->x->rules->fields, &k, sizeof k);
}

// An array through transforms along all axes and back.
PADICI_FN padic_result padici_gpu_field_through(const padici_gpu_field_search *s, padic_mem array,
                                                uint32_t middle)
{
    padici_gpu_field y = padici_gpu_field_copied(s->x, array);
    padic_result result = PADIC_OK;
    uint32_t i;
    y.stops = 1;
    y.at.stop = s->skip;
    for (i = y.axes; i-- > 1 && !result;)
        result = padici_gpu_field_along(&y, y.axis[i], PADICI_GPU_FIELD_FORWARD,
                                        PADICI_GPU_FIELD_NOTHING, PADICI_GPU_FIELD_NONE, 0);
    if (!result)
        result = padici_gpu_field_along(&y, y.axis[0], PADICI_GPU_FIELD_FORWARD, middle,
                                        PADICI_GPU_FIELD_INVERSE, 0);
    for (i = 1; i < y.axes && !result; i++)
        result = padici_gpu_field_along(&y, y.axis[i], PADICI_GPU_FIELD_INVERSE,
                                        PADICI_GPU_FIELD_NOTHING, PADICI_GPU_FIELD_NONE, 0);
    return result;
}

// to = psi, or the array `from`, or that is added.
static padic_result padici_gpu_field_copied_to(const padici_gpu_field_search *s,
                                               const padic_mem *from, padic_mem to, uint32_t adds)
{
    padici_gpu_field_look_at at;
    memset(&at, 0, sizeof at);
    at.kernel = PADICI_KERNEL_FIELD_GROUND_COPY;
    at.what = from != NULL;
    at.adds = adds;
    at.mem[at.count++] = s->x->plan->device.mem;
    at.mem[at.count++] = from ? *from : s->x->psi.mem;
    at.mem[at.count++] = to;
    return padici_gpu_field_pass_over(s, &at);
}

// to -= Omega L_z of psi or of the array `from`.
static padic_result padici_gpu_field_swirled(const padici_gpu_field_search *s,
                                             const padic_mem *from, padic_mem to)
{
    const padic_mem spare = s->x->plan->device.spare;
    padici_gpu_field y = padici_gpu_field_copied(s->x, spare);
    padic_result result = PADIC_OK;
    uint32_t part;
    y.stops = 1;
    y.at.stop = s->skip;
    for (part = 0; part < 2 && !result; part++) {
        if (!padici_gpu_field_turns(s->x, part)) continue;
        result = padici_gpu_field_copied_to(s, from, spare, 0);
        if (!result)
            result = padici_gpu_field_along(&y, s->x->rules->first + part,
                                            PADICI_GPU_FIELD_FORWARD, PADICI_GPU_FIELD_RATES,
                                            PADICI_GPU_FIELD_INVERSE, 0);
        if (!result) result = padici_gpu_field_copied_to(s, &spare, to, 1);
    }
    return result;
}

// to = (-K Lap - Omega L_z) of psi, or of the array `from`, which `to` is a copy of.
PADICI_FN padic_result padici_gpu_field_applied(const padici_gpu_field_search *s,
                                                const padic_mem *from, padic_mem to)
{
    padic_result result = from ? PADIC_OK : padici_gpu_field_copied_to(s, NULL, to, 0);
    if (!result) result = padici_gpu_field_through(s, to, PADICI_GPU_FIELD_MODES);
    if (result || s->x->rules->desc.rotation == 0) return result;
    return padici_gpu_field_swirled(s, from, to);
}

// psi -= (1/dt + a + T)^-1 (H - mu) psi, then psi has its norm again. `judges`: fields at their
// goal stay as they are.
PADICI_FN padic_result padici_gpu_field_flow(const padici_gpu_field_search *s, uint32_t judges)
{
    padici_gpu_field_look_at at;
    padic_result result = padici_gpu_field_applied(s, NULL, s->l);
    memset(&at, 0, sizeof at);
    at.kernel = PADICI_KERNEL_FIELD_GROUND_SLOPE;
    at.mem[0] = s->x->plan->device.mem;
    at.mem[1] = s->x->psi.mem;
    at.mem[2] = s->l;
    at.mem[3] = s->x->plan->device.sums;
    at.count = 4;
    if (!result) result = padici_gpu_field_pass_over(s, &at);
    if (!result) result = padici_gpu_field_decide(s, PADICI_GPU_FIELD_FLOW_SLOPE, 5, 2);
    at.kernel = PADICI_KERNEL_FIELD_GROUND_LESS;
    at.mem[3] = s->state;
    at.mem[4] = s->x->plan->device.sums;
    at.count = 5;
    if (!result) result = padici_gpu_field_pass_over(s, &at);
    if (!result && judges) result = padici_gpu_field_decide(s, PADICI_GPU_FIELD_FLOW_JUDGE, 1, 1);
    if (!result) result = padici_gpu_field_through(s, s->l, PADICI_GPU_FIELD_SMOOTH);
    at.kernel = PADICI_KERNEL_FIELD_GROUND_FLOW;
    at.mem[3] = s->x->plan->device.sums;
    at.count = 4;
    if (!result) result = padici_gpu_field_pass_over(s, &at);
    if (!result) result = padici_gpu_field_total(s->x, PADICI_GPU_FIELD_NOW);
    return result ? result : padici_gpu_field_rescale(s->x, &s->x->psi, 1);
}

#endif
