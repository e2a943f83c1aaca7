// field_support.h: short calls of the area field, and oracles that share no code with it.
#ifndef FIELD_SUPPORT_H
#define FIELD_SUPPORT_H

#include "../../padic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_PI 3.14159265358979323846

// A grid of n points along each of `dims` axes, box `length`, C128.
static inline padic_field_plan_desc field_grid(uint32_t dims, uint64_t n, double length)
{
    padic_field_plan_desc desc = PADIC_ZERO;
    uint32_t a;
    desc.dims = dims;
    desc.dtype = PADIC_C128;
    desc.dt = 0.01;
    for (a = 0; a < dims; a++) {
        desc.shape[a] = n;
        desc.spacing[a] = length / (double)n;
    }
    return desc;
}

static inline padic_tensor field_view(const padic_field_plan_desc *desc, double *psi)
{
    return padic_tensor_nd(PADIC_C128, psi, desc->dims, desc->shape);
}

static inline uint64_t field_points(const padic_field_plan_desc *desc)
{
    uint64_t n = 1;
    uint32_t a;
    for (a = 0; a < desc->dims; a++) n *= desc->shape[a];
    return n;
}

static inline double *field_memory(const padic_field_plan_desc *desc)
{
    return (double *)calloc((size_t)field_points(desc), 2 * sizeof(double));
}

// Place of point i along an axis of the centred periodic box.
static inline double field_x(const padic_field_plan_desc *desc, uint32_t axis, uint64_t i)
{
    const uint64_t n = desc->shape[axis];
    return ((double)i - 0.5 * (double)n) * desc->spacing[axis];
}

static inline padic_result field_steps(padic_field_plan *plan, const padic_field_plan_desc *desc,
                                       double *psi, uint64_t count)
{
    padic_field_step_desc step = PADIC_ZERO;
    step.plan = plan;
    step.psi = field_view(desc, psi);
    step.count = count;
    return padic_field_step(NULL, &step);
}

// Steps of a plan that lives for them.
static inline padic_result field_go(const padic_field_plan_desc *desc, double *psi, uint64_t count)
{
    padic_field_plan *plan;
    padic_result result = padic_field_plan_create(NULL, desc, &plan);
    if (!result) result = field_steps(plan, desc, psi, count);
    padic_field_plan_destroy(plan);
    return result;
}

static inline padic_field_record field_energy(const padic_field_plan_desc *desc, double *psi)
{
    padic_field_energy_desc energy = PADIC_ZERO;
    padic_field_record record;
    memset(&record, 0, sizeof record);
    energy.field = *desc;
    energy.psi = field_view(desc, psi);
    energy.report = &record;
    if (padic_field_energy(NULL, &energy)) record.norm = NAN;
    return record;
}

// ||a - b|| / ||b|| over n complex numbers.
static inline double field_apart(const double *a, const double *b, uint64_t n)
{
    double away = 0, size = 0;
    uint64_t i;
    for (i = 0; i < 2 * n; i++) {
        away += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(away / size);
}

#endif
