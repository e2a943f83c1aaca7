#include "points.h"
#include "../launch.h"
#include "../variants.h"
#include "lines.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Launches of kernels/field/points.cl.

#define PADICI_GPU_FIELD_MOST 65535u // groups along y, along z

// Points of a column: fewer, where there would not be enough groups.
static uint32_t padici_gpu_field_depth(const padici_gpu_field *x)
{
    const padici_field_rules *rules = x->rules;
    const uint64_t units = x->gpu->info->compute_units ? x->gpu->info->compute_units : 16;
    const uint64_t plane = (rules->n[1] * rules->n[2] + 127) / 128 * rules->fields;
    uint32_t depth = 16;
    while (depth > 1 && plane * ((rules->n[0] + depth - 1) / depth) < 16 * units) depth /= 2;
    return x->gpu->tested ? 2 : depth;
}

PADICI_FN int padici_gpu_field_points_fit(const padici_gpu_field *x)
{
    return x->rules->n[0] <= PADICI_GPU_FIELD_MOST && x->rules->fields <= PADICI_GPU_FIELD_MOST;
}

// The variant for the plan.
PADICI_FN uint32_t padici_gpu_field_defines(const padici_gpu_field *x, const char **defines)
{
    uint32_t count = 0;
    if (x->rules->is_double) defines[count++] = "PD_FFT_F64=1";
    if (x->psi.planar) defines[count++] = "PD_FIELD_PLANAR=1";
    if (x->at.absorber) defines[count++] = "PD_FIELD_ABSORBER=1";
    if (x->powers) defines[count++] = "PD_FIELD_POWERS=1";
    if (x->stops) defines[count++] = "PD_FIELD_RECORDS=1";
    return count;
}

PADICI_FN padic_result padici_gpu_field_need_points(const padici_gpu_field *x, uint32_t kernel)
{
    const char *defines[PADICI_GPU_FIELD_DEFINES];
    return padici_gpu_need(x->gpu, kernel, defines, padici_gpu_field_defines(x, defines));
}

PADICI_FN padic_result padici_gpu_field_arrays_begin(const padici_gpu_field *x, uint32_t count,
                                                     padici_gpu_field_arrays *arrays)
{
    const uint64_t number = x->rules->is_double ? 16 : 8;
    padic_result result = PADIC_OK;
    arrays->count = 0;
    while (arrays->count < count && !result) {
        result = padici_gpu_scratch(x->gpu, x->rules->points * x->rules->fields * number,
                                    &arrays->block[arrays->count]);
        if (!result) arrays->count++;
    }
    if (result) padici_gpu_field_arrays_end(x, arrays);
    return result;
}

PADICI_FN void padici_gpu_field_arrays_end(const padici_gpu_field *x,
                                           padici_gpu_field_arrays *arrays)
{
    while (arrays->count) padici_gpu_scratch_end(x->gpu, &arrays->block[--arrays->count]);
}

// Where array i has the fields.
PADICI_FN padici_gpu_field_place padici_gpu_field_array(const padici_gpu_field *x,
                                                        const padici_gpu_field_arrays *arrays,
                                                        uint32_t i)
{
    const padici_field_rules *rules = x->rules;
    padici_gpu_field_place place;
    memset(&place, 0, sizeof place);
    place.mem = arrays->block[i].mem;
    place.planar = x->psi.planar;
    place.imaginary = place.planar ? (uint32_t)(rules->points * rules->fields) : 1;
    place.field = (uint32_t)rules->points;
    place.step[0] = (uint32_t)(rules->n[1] * rules->n[2]);
    place.step[1] = (uint32_t)rules->n[2];
    place.step[2] = 1;
    return place;
}

// Where psi, or an array, lies.
static void padici_gpu_field_places(const padici_gpu_field *x, uint32_t of_array,
                                    padici_k_field_points_params *k)
{
    const padici_field_rules *rules = x->rules;
    const uint32_t plane = (uint32_t)(rules->n[1] * rules->n[2]);
    k->psi_base = k->in_base = x->psi.base;
    k->psi_imaginary = k->in_imaginary = x->psi.imaginary;
    k->psi_field = k->in_field = x->psi.field;
    memcpy(k->psi_step, x->psi.step, sizeof k->psi_step);
    memcpy(k->in_step, x->psi.step, sizeof k->in_step);
    k->points = (uint32_t)rules->points;
    k->apart = x->psi.planar ? (uint32_t)(rules->points * rules->fields) : 1;
    if (!of_array) return;
    k->in_base = 0;
    k->in_imaginary = k->apart;
    k->in_field = k->points;
    k->in_step[0] = plane;
    k->in_step[1] = (uint32_t)rules->n[2];
    k->in_step[2] = 1;
}

PADICI_FN padic_result padici_gpu_field_points(const padici_gpu_field *x,
                                               const padici_gpu_field_sweep *sweep)
{
    const padici_field_rules *rules = x->rules;
    const padic_field_plan_desc *desc = &rules->desc;
    const uint32_t wide = rules->is_double;
    const char *defines[PADICI_GPU_FIELD_DEFINES];
    padici_k_field_points_params k;
    padici_gpu_work work;
    uint32_t a;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.depth = padici_gpu_field_depth(x);
    padici_gpu_field_places(x, sweep->of_array, &k);
    for (a = 0; a < 3; a++) {
        const uint32_t there = a >= rules->first;
        k.n[a] = (uint32_t)rules->n[a];
        k.trap[a] = x->at.trap[a];
        if (there) k.walls |= (uint32_t)desc->boundary[a - rules->first] << 2 * a;
        padici_gpu_real(there ? desc->kinetic / (rules->h[a] * rules->h[a]) : 0, wide,
                        k.scale + 2 * a);
    }
    k.potential = x->at.potential;
    k.absorber = x->at.absorber;
    k.grid = x->at.potential ? 1 : 0;
    k.terms = x->at.terms;
    k.powers = padici_gpu_field_powers(x);
    padici_gpu_real(sweep->time, wide, k.time);
    padici_gpu_real(-sweep->time / 6.28318530717958647692, wide, k.rate);
    padici_gpu_real(sweep->add, wide, k.add);
    k.flags = sweep->flags;
    k.part = sweep->part;
    k.step[0] = (uint32_t)x->plan->step;
    k.step[1] = (uint32_t)(x->plan->step >> 32);
    k.seed[0] = (uint32_t)desc->seed;
    k.seed[1] = (uint32_t)(desc->seed >> 32);
    k.stop = x->at.stop;
    work.kernel = sweep->kernel;
    work.defines = defines;
    work.define_count = padici_gpu_field_defines(x, defines);
    memcpy(work.mem, sweep->mem, sizeof sweep->mem);
    work.mem_count = sweep->mem_count;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (k.n[1] * k.n[2] + 127) / 128;
    work.groups[1] = (k.n[0] + k.depth - 1) / k.depth;
    work.groups[2] = (uint32_t)rules->fields;
    return padici_gpu_launch(x->gpu, &work);
}

#undef PADICI_GPU_FIELD_MOST

#endif
