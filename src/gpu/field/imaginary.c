#include "../../context/messages.h"
#include "../launch.h"
#include "norm.h"
#include "step.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Steps in imaginary time, which hold the norm: field/imaginary.c, on a device.

// DOMAIN where a field has a norm of 0 or one that is not finite. Waits, but not for a recording,
// whose fields stay as they are then.
PADICI_FN padic_result padici_gpu_field_cool_begin(padici_gpu_field *x)
{
    double state[PADICI_GPU_FIELD_STATES][PADICI_GPU_FIELD_STATE];
    const uint64_t fields = x->rules->fields;
    uint64_t i;
    uint32_t j, count;
    padic_result result = padici_gpu_field_norm(x, &x->psi, PADICI_GPU_FIELD_DENSITY,
                                                PADICI_GPU_FIELD_HELD);
    for (i = 0; i < fields && !result && !x->gpu->context->recording; i += count) {
        count = fields - i < PADICI_GPU_FIELD_STATES ? (uint32_t)(fields - i)
                                                     : (uint32_t)PADICI_GPU_FIELD_STATES;
        result = padici_gpu_field_states(x, i, count, state);
        for (j = 0; j < count && !result; j++) {
            const double norm = state[j][PADICI_GPU_FIELD_HELD];
            if (!(norm > 0) || !(norm - norm == 0))
                result = padici_fail_field(x->gpu->context, PADIC_ERROR_DOMAIN, "psi",
                                           "has a norm that is 0 or not finite");
        }
    }
    return result;
}

// Array i, or psi itself (0), as `i` + 1.
static padici_gpu_field_place padici_gpu_field_of(const padici_gpu_field_steps *s, uint32_t i)
{
    return i ? padici_gpu_field_array(&s->x, &s->arrays, i - 1) : s->x.psi;
}

// out = in e^(-time U), U with the density of `of` and less the potential's least value, so that
// nothing grows; then out has the call's norm.
static padic_result padici_gpu_field_decay(padici_gpu_field_steps *s, double time, uint32_t in,
                                           uint32_t of, uint32_t out)
{
    const padici_gpu_field_place to = padici_gpu_field_of(s, out);
    padici_gpu_field_sweep sweep;
    padic_result result;
    memset(&sweep, 0, sizeof sweep);
    sweep.kernel = PADICI_KERNEL_FIELD_POINTS_DECAY;
    sweep.flags = (in ? PADICI_GPU_FIELD_IN : 0) | (of ? PADICI_GPU_FIELD_OF : 0) |
                  (out ? PADICI_GPU_FIELD_OUT : 0);
    sweep.time = time;
    sweep.add = s->x.plan->potential_least;
    sweep.mem[0] = s->x.plan->device.mem;
    sweep.mem[1] = padici_gpu_field_of(s, in).mem;
    sweep.mem[2] = padici_gpu_field_of(s, of).mem;
    sweep.mem[3] = to.mem;
    sweep.mem_count = 4;
    result = padici_gpu_field_points(&s->x, &sweep);
    if (!result)
        result = padici_gpu_field_norm(&s->x, &to, PADICI_GPU_FIELD_DENSITY, PADICI_GPU_FIELD_NOW);
    return result ? result : padici_gpu_field_rescale(&s->x, &to, s->x.stops);
}

// The first half with the start's density, the second with the end's, which three corrections find.
PADICI_FN padic_result padici_gpu_field_cool(padici_gpu_field_steps *s)
{
    const double dt = s->x.rules->desc.dt;
    const uint32_t between = s->arrays.count - 1, end = s->arrays.count;
    const padici_gpu_field_place psi = s->x.psi;
    uint32_t round;
    padic_result result = padici_gpu_field_decay(s, dt / 2, 0, 0, between);
    if (!result) {
        s->x.psi = padici_gpu_field_of(s, between);
        result = s->x.rules->spectral ? padici_gpu_field_drift(s, dt)
                                      : padici_gpu_field_cayley(s, &s->x.psi);
        s->x.psi = psi;
    }
    for (round = 0; round < 4 && !result; round++)
        result = padici_gpu_field_decay(s, dt / 2, between, round % 2 ? end : 0,
                                        round % 2 ? 0 : end);
    return result;
}

#endif
