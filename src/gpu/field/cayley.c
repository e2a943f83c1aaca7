#include "../launch.h"
#include "lines.h"
#include "step.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// CAYLEY2: phases by kernels/field/points.cl, lines of each axis by cayley.cl, a text of the same
// program.

#define PADICI_GPU_FIELD_MOST 65535u // groups along y, along z

PADICI_FN int padici_gpu_field_cayley_fit(const padici_gpu_field *x)
{
    return padici_gpu_field_points_fit(x) && x->rules->n[1] <= PADICI_GPU_FIELD_MOST;
}

PADICI_FN padic_result padici_gpu_field_need_cayley(const padici_gpu_field *x)
{
    const padic_result result =
        padici_gpu_field_need_points(x, PADICI_KERNEL_FIELD_POINTS_CAYLEY);
    return result ? result : padici_gpu_field_need_points(x, PADICI_KERNEL_FIELD_POINTS_PHASE);
}

// The kinetic step along an axis of what lies at `place`.
static padic_result padici_gpu_field_cayley_axis(padici_gpu_field_steps *s, uint32_t axis,
                                                 const padici_gpu_field_place *place)
{
    const padici_gpu_field *x = &s->x;
    const padici_field_rules *rules = x->rules;
    const uint32_t wall = (uint32_t)rules->desc.boundary[axis - rules->first];
    uint32_t third, side = padici_gpu_field_side(axis, &third);
    const char *defines[PADICI_GPU_FIELD_DEFINES];
    padici_k_field_points_line_params k;
    padici_gpu_work work;
    double b[2];
    if (rules->n[axis] == 1 && wall == PADIC_FIELD_BOUNDARY_PERIODIC) return PADIC_OK;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.n = (uint32_t)rules->n[axis];
    k.all = (uint32_t)rules->n[side];
    k.outers = (uint32_t)rules->n[third];
    k.periodic = wall == PADIC_FIELD_BOUNDARY_PERIODIC;
    k.apart = place->planar ? (uint32_t)(rules->points * rules->fields) : 1;
    k.base = place->base;
    k.imaginary = place->imaginary;
    k.step_element = place->step[axis];
    k.step_line = place->step[side];
    k.step_outer = place->step[third];
    k.step_field = place->field;
    k.inverse = x->at.inverse[axis];
    k.column = x->at.column[axis];
    padici_gpu_field_beside(rules, axis, b);
    padici_gpu_real(-b[0], rules->is_double, k.off);
    padici_gpu_real(-b[1], rules->is_double, k.off + 2);
    k.stop = x->at.stop;
    work.kernel = PADICI_KERNEL_FIELD_POINTS_CAYLEY;
    work.defines = defines;
    work.define_count = padici_gpu_field_defines(x, defines);
    work.mem[0] = x->plan->device.mem;
    work.mem[1] = place->mem;
    work.mem[2] = s->arrays.block[0].mem;
    work.mem_count = 3;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (k.all + 127) / 128;
    work.groups[1] = k.outers;
    work.groups[2] = (uint32_t)rules->fields;
    return padici_gpu_launch(x->gpu, &work);
}

PADICI_FN padic_result padici_gpu_field_cayley(padici_gpu_field_steps *s,
                                               const padici_gpu_field_place *place)
{
    padic_result result = PADIC_OK;
    uint32_t a;
    for (a = s->x.rules->first; a < 3 && !result; a++)
        result = padici_gpu_field_cayley_axis(s, a, place);
    return result;
}

#undef PADICI_GPU_FIELD_MOST

#endif
