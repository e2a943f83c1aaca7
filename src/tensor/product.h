#pragma once
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_TENSOR

// A place in a group, and where each operand stands there.
typedef struct padici_tensor_walk {
    const padici_tensor_group *group;
    uint64_t digit[PADICI_TENSOR_AXES];
    int64_t at[3];
} padici_tensor_walk;

PADICI_FN void padici_tensor_walk_to(padici_tensor_walk *walk, const padici_tensor_group *group,
                                     uint64_t index);
PADICI_FN void padici_tensor_walk_on(padici_tensor_walk *walk);

PADICI_INLINE void padici_tensor_read(padic_dtype dtype, const char *data, int64_t at, double *re,
                                      double *im)
{
    float f[2];
    double d[2];
    *im = 0;
    if (dtype == PADIC_F32) {
        memcpy(f, data + at * 4, 4);
        *re = (double)f[0];
    } else if (dtype == PADIC_C64) {
        memcpy(f, data + at * 8, 8);
        *re = (double)f[0];
        *im = (double)f[1];
    } else if (dtype == PADIC_F64) {
        memcpy(re, data + at * 8, 8);
    } else {
        memcpy(d, data + at * 16, 16);
        *re = d[0];
        *im = d[1];
    }
}

PADICI_INLINE void padici_tensor_write(padic_dtype dtype, char *data, int64_t at, double re,
                                       double im)
{
    float f[2];
    double d[2];
    if (padici_tensor_is_double(dtype)) {
        d[0] = re;
        d[1] = im;
        memcpy(data + at * (dtype == PADIC_F64 ? 8 : 16), d, dtype == PADIC_F64 ? 8 : 16);
    } else {
        f[0] = (float)re;
        f[1] = (float)im;
        memcpy(data + at * (dtype == PADIC_F32 ? 4 : 8), f, dtype == PADIC_F32 ? 4 : 8);
    }
}

// z = factor z. A real factor is one: it makes no NaN of an infinite part and a 0.
PADICI_INLINE void padici_tensor_times(const double factor[2], double *re, double *im)
{
    // Sums only: gcc 12 fuses a vector of a difference and a sum, whatever the setting.
    double r = factor[0] * *re, i = factor[0] * *im;
    if (factor[1] != 0) {
        r += -factor[1] * *im;
        i += factor[1] * *re;
    }
    *re = r;
    *im = i;
}

// c = x sum + y c, rounded once.
PADICI_INLINE void padici_tensor_put(padic_dtype dtype, char *c, int64_t at, const double x[2],
                                     const double y[2], double re, double im)
{
    padici_tensor_times(x, &re, &im);
    if (y[0] != 0 || y[1] != 0) {
        double cr, ci;
        padici_tensor_read(dtype, c, at, &cr, &ci);
        padici_tensor_times(y, &cr, &ci);
        re += cr;
        im += ci;
    }
    padici_tensor_write(dtype, c, at, re, im);
}

PADICI_FN void padici_tensor_places(padici_tensor_walk *walk, uint32_t count, uint32_t x,
                                    int64_t *at_x, uint32_t y, int64_t *at_y);

PADICI_INLINE uint32_t padici_tensor_part(uint64_t size, uint64_t begin, uint32_t most)
{
    return size - begin < most ? (uint32_t)(size - begin) : most;
}

PADICI_FN void padici_tensor_run(const padic_jobs *jobs, const padici_tensor_plan *plan, void *a,
                                 void *b, void *c);

#endif
