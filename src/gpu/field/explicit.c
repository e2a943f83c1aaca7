#include "step.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// LEAPFROG2, RK4, LEGACY_EULER, and noise: launches of kernels/field/points.cl.

PADICI_FN int padici_gpu_field_explicit(const padici_gpu_field *x)
{
    const padic_field_method method = x->rules->desc.method;
    return method == PADIC_FIELD_METHOD_LEAPFROG2 || method == PADIC_FIELD_METHOD_RK4 ||
           method == PADIC_FIELD_METHOD_LEGACY_EULER;
}

PADICI_FN padic_result padici_gpu_field_need_explicit(const padici_gpu_field *x)
{
    const padic_field_method method = x->rules->desc.method;
    padic_result result;
    if (method != PADIC_FIELD_METHOD_LEAPFROG2) {
        result = padici_gpu_field_need_points(x, PADICI_KERNEL_FIELD_POINTS_STAGE);
        if (!result && method == PADIC_FIELD_METHOD_LEGACY_EULER)
            result = padici_gpu_field_need_points(x, PADICI_KERNEL_FIELD_POINTS_COPY);
        return result;
    }
    result = padici_gpu_field_need_points(x, PADICI_KERNEL_FIELD_POINTS_KICK);
    if (!result && x->at.absorber)
        result = padici_gpu_field_need_points(x, PADICI_KERNEL_FIELD_POINTS_FADE);
    return result;
}

// A kernel of psi alone.
PADICI_FN padic_result padici_gpu_field_each(padici_gpu_field_steps *s, uint32_t kernel,
                                             double time, uint32_t part)
{
    padici_gpu_field_sweep sweep;
    memset(&sweep, 0, sizeof sweep);
    sweep.kernel = kernel;
    sweep.part = part;
    sweep.time = time;
    sweep.mem[0] = s->x.plan->device.mem;
    sweep.mem[1] = s->x.psi.mem;
    sweep.mem_count = 2;
    return padici_gpu_field_points(&s->x, &sweep);
}

static padic_result padici_gpu_field_kick(padici_gpu_field_steps *s, double time, uint32_t part)
{
    return padici_gpu_field_each(s, PADICI_KERNEL_FIELD_POINTS_KICK, part ? -time : time, part);
}

static padic_result padici_gpu_field_leapfrog(padici_gpu_field_steps *s)
{
    const double dt = s->x.rules->desc.dt;
    const int fades = s->x.at.absorber != 0;
    padic_result result = PADIC_OK;
    if (fades) result = padici_gpu_field_each(s, PADICI_KERNEL_FIELD_POINTS_FADE, dt / 2, 0);
    if (!result) result = padici_gpu_field_kick(s, s->owed + dt / 2, 1);
    if (!result) result = padici_gpu_field_kick(s, dt, 0);
    s->owed = dt / 2;
    if (!fades || result) return result;
    result = padici_gpu_field_explicit_settle(s);
    if (result) return result;
    return padici_gpu_field_each(s, PADICI_KERNEL_FIELD_POINTS_FADE, dt / 2, 0);
}

PADICI_FN padic_result padici_gpu_field_explicit_settle(padici_gpu_field_steps *s)
{
    const double owed = s->owed;
    s->owed = 0;
    return owed != 0 ? padici_gpu_field_kick(s, owed, 1) : PADIC_OK;
}

// f = (-i H - W) of array `in` (0: of psi): the sum gets `time` f, array `next` is psi + `add` f.
static padic_result padici_gpu_field_stage(padici_gpu_field_steps *s, uint32_t in, uint32_t next,
                                           uint32_t flags, double time, double add)
{
    padici_gpu_field_sweep sweep;
    memset(&sweep, 0, sizeof sweep);
    sweep.kernel = PADICI_KERNEL_FIELD_POINTS_STAGE;
    sweep.flags = flags;
    sweep.time = time;
    sweep.add = add;
    sweep.of_array = in != 0;
    sweep.mem[0] = s->x.plan->device.mem;
    sweep.mem[1] = in ? s->arrays.block[in - 1].mem : s->x.psi.mem;
    sweep.mem[2] = s->x.psi.mem;
    sweep.mem[3] = s->arrays.block[s->arrays.count - 1].mem;
    sweep.mem[4] = s->arrays.block[next ? next - 1 : 0].mem;
    sweep.mem_count = 5;
    return padici_gpu_field_points(&s->x, &sweep);
}

static padic_result padici_gpu_field_runge_kutta(padici_gpu_field_steps *s)
{
    const double dt = s->x.rules->desc.dt;
    padic_result result = padici_gpu_field_stage(s, 0, 1, PADICI_GPU_FIELD_BEGIN, dt / 6, dt / 2);
    if (!result) result = padici_gpu_field_stage(s, 1, 2, 0, dt / 3, dt / 2);
    if (!result) result = padici_gpu_field_stage(s, 2, 1, 0, dt / 3, dt);
    if (!result) result = padici_gpu_field_stage(s, 1, 2, PADICI_GPU_FIELD_END, dt / 6, 0);
    return result;
}

static padic_result padici_gpu_field_euler(padici_gpu_field_steps *s)
{
    padici_gpu_field_sweep sweep;
    padic_result result;
    memset(&sweep, 0, sizeof sweep);
    sweep.kernel = PADICI_KERNEL_FIELD_POINTS_COPY;
    sweep.mem[0] = s->x.plan->device.mem;
    sweep.mem[1] = s->x.psi.mem;
    sweep.mem[2] = s->arrays.block[0].mem;
    sweep.mem_count = 3;
    result = padici_gpu_field_points(&s->x, &sweep);
    if (result) return result;
    return padici_gpu_field_stage(s, 1, 1, PADICI_GPU_FIELD_BEGIN | PADICI_GPU_FIELD_END,
                                  s->x.rules->desc.dt, 0);
}

PADICI_FN padic_result padici_gpu_field_explicit_step(padici_gpu_field_steps *s)
{
    const padic_field_method method = s->x.rules->desc.method;
    if (method == PADIC_FIELD_METHOD_LEAPFROG2) return padici_gpu_field_leapfrog(s);
    return method == PADIC_FIELD_METHOD_RK4 ? padici_gpu_field_runge_kutta(s)
                                            : padici_gpu_field_euler(s);
}

// After a step, whose number counts.
PADICI_FN padic_result padici_gpu_field_noise(padici_gpu_field_steps *s)
{
    const padic_field_plan_desc *desc = &s->x.rules->desc;
    padici_gpu_field_sweep sweep;
    memset(&sweep, 0, sizeof sweep);
    sweep.kernel = PADICI_KERNEL_FIELD_POINTS_NOISE;
    sweep.add = sqrt(desc->noise * (desc->dt < 0 ? -desc->dt : desc->dt) / s->x.rules->volume);
    sweep.mem[0] = s->x.plan->device.mem;
    sweep.mem[1] = s->x.psi.mem;
    sweep.mem_count = 2;
    return padici_gpu_field_points(&s->x, &sweep);
}

#endif
