// gpu_field.h: what test_gpu_field.c, _methods.c and _ground.c share: fields in buffers of a
// device, and their steps beside the reference's in f64, which the tests of tests/field have
// compared with closed forms. Include it after gpu_devices.h.
#ifndef GPU_FIELD_H
#define GPU_FIELD_H

#include "../field/field_support.h"

// A wave packet with a phase, and a little of every mode.
static inline double *packet(const padic_field_plan_desc *desc, uint64_t fields)
{
    const uint64_t points = field_points(desc);
    double *psi = (double *)malloc((size_t)(points * fields) * 16);
    for (uint64_t i = 0; i < points * fields; i++) {
        uint64_t left = i % points;
        double r = 0, phase = 0.3 * (double)(i / points);
        for (uint32_t a = desc->dims; a-- > 0; left /= desc->shape[a]) {
            const double x = field_x(desc, a, left % desc->shape[a]);
            r += x * x / (4 + a);
            phase += (0.5 + 0.25 * a) * x;
        }
        r = exp(-r) + 0.01 * ((double)(test_random() >> 40) / 16777216.0 - 0.5);
        psi[2 * i] = (double)(float)(r * cos(phase));
        psi[2 * i + 1] = (double)(float)(r * sin(phase));
    }
    return psi;
}

// A view of `there` elements of psi's shape: dense, planar, or with gaps.
static inline padic_tensor view_of(const padic_field_plan_desc *desc, int gaps, uint64_t *reals)
{
    const int wide = desc->dtype == PADIC_C128;
    padic_tensor t = PADIC_ZERO;
    int64_t step = 1;
    t.dtype = desc->layout ? wide ? PADIC_F64 : PADIC_F32 : desc->dtype;
    if (desc->layout) t.shape[t.rank++] = 2;
    if (desc->batch) t.shape[t.rank++] = desc->batch;
    for (uint32_t a = 0; a < desc->dims; a++) t.shape[t.rank++] = desc->shape[a];
    for (uint32_t a = t.rank; a-- > 0;) {
        t.stride[a] = step + (gaps ? 1 : 0);
        step = t.stride[a] * (int64_t)t.shape[a];
    }
    *reals = (uint64_t)step * (desc->layout ? 1 : 2);
    return t;
}

// psi, dense and interleaved in f64, to or from the memory of a view.
static inline void move(const padic_field_plan_desc *desc, const padic_tensor *t, double *psi,
                 char *memory, int back)
{
    const int wide = desc->dtype == PADIC_C128;
    const uint64_t points = field_points(desc), fields = desc->batch ? desc->batch : 1;
    const uint32_t planar = desc->layout != 0, lead = planar + (desc->batch > 0);
    for (uint64_t i = 0; i < points * fields; i++) {
        uint64_t left = i % points;
        int64_t at = desc->batch ? (int64_t)(i / points) * t->stride[planar] : 0;
        for (uint32_t a = desc->dims; a-- > 0; left /= desc->shape[a])
            at += (int64_t)(left % desc->shape[a]) * t->stride[lead + a];
        for (int part = 0; part < 2; part++) {
            const int64_t real = planar ? at + part * t->stride[0] : 2 * at + part;
            if (back && wide) psi[2 * i + (uint64_t)part] = ((double *)(void *)memory)[real];
            else if (back) psi[2 * i + (uint64_t)part] = (double)((float *)(void *)memory)[real];
            else if (wide) ((double *)(void *)memory)[real] = psi[2 * i + (uint64_t)part];
            else ((float *)(void *)memory)[real] = (float)psi[2 * i + (uint64_t)part];
        }
    }
}

typedef struct there {
    padic_field_plan_desc desc;
    padic_field_plan *plan;
    padic_tensor psi;
    uint64_t bytes;
    char *memory;
} there;

static inline void there_begin(padic_context *context, const padic_field_plan_desc *desc, int gaps,
                        double *psi, there *x)
{
    padic_buffer_desc buffer = PADIC_ZERO;
    padic_buffer made = {0};
    uint64_t reals;
    memset(x, 0, sizeof *x);
    x->desc = *desc;
    CHECK_EQ(padic_field_plan_create(context, desc, &x->plan), PADIC_OK);
    x->psi = view_of(desc, gaps, &reals);
    x->bytes = reals * (desc->dtype == PADIC_C128 ? 8 : 4);
    x->memory = (char *)malloc((size_t)x->bytes);
    memset(x->memory, 0x11, (size_t)x->bytes);
    move(desc, &x->psi, psi, x->memory, 0);
    buffer.size = x->bytes;
    CHECK_EQ(padic_buffer_create(context, &buffer, &made), PADIC_OK);
    CHECK_EQ(padic_buffer_upload(context, made, 0, x->memory, x->bytes), PADIC_OK);
    x->psi = padic_tensor_in(x->psi, made, 0);
}

static inline void there_get(padic_context *context, there *x, double *psi)
{
    CHECK_EQ(padic_buffer_download(context, x->psi.buffer, 0, x->memory, x->bytes), PADIC_OK);
    move(&x->desc, &x->psi, psi, x->memory, 1);
}

static inline void there_end(padic_context *context, there *x)
{
    padic_field_plan_destroy(x->plan);
    CHECK_EQ(padic_buffer_destroy(context, x->psi.buffer), PADIC_OK);
    free(x->memory);
}

static inline padic_result there_go(padic_context *context, there *x, uint64_t count)
{
    padic_field_step_desc step = PADIC_ZERO;
    step.plan = x->plan;
    step.psi = x->psi;
    step.count = count;
    return padic_field_step(context, &step);
}

// The reference's steps of all fields, in f64.
static inline void reference(const padic_field_plan_desc *desc, double *psi, uint64_t count)
{
    padic_field_plan_desc exact = *desc;
    const uint64_t fields = desc->batch ? desc->batch : 1;
    exact.dtype = PADIC_C128;
    exact.layout = PADIC_FIELD_LAYOUT_INTERLEAVED;
    exact.batch = 0;
    exact.measure_every = 0;
    for (uint64_t i = 0; i < fields; i++)
        CHECK_EQ(field_go(&exact, psi + 2 * i * field_points(desc), count), PADIC_OK);
}

static inline int has_f64(padic_context *context)
{
    padic_device_info info;
    padic_context_device_info(context, &info);
    return (info.features & PADIC_FEATURE_F64) != 0;
}

// A few steps, within the rounding of as many transforms and phases.
static inline void compare(padic_context *context, const padic_field_plan_desc *desc, int gaps,
                    uint64_t count)
{
    const uint64_t fields = desc->batch ? desc->batch : 1, all = field_points(desc) * fields;
    const double unit = desc->dtype == PADIC_C128 ? ldexp(1, -53) : ldexp(1, -24);
    const double bound = (double)(count + 2) * 8 * (log2((double)all) + 8) * unit;
    double *want, *got, error;
    there x;
    if (desc->dtype == PADIC_C128 && !has_f64(context)) return;
    want = packet(desc, fields);
    got = (double *)malloc((size_t)all * 16);
    there_begin(context, desc, gaps, want, &x);
    reference(desc, want, count);
    CHECK_EQ(there_go(context, &x, count), PADIC_OK);
    there_get(context, &x, got);
    error = field_apart(got, want, all);
    if (!(error <= bound)) {
        printf("\n  method %d, %d axes of %lu: error %g, bound %g", (int)desc->method,
               (int)desc->dims, (unsigned long)desc->shape[0], error, bound);
        test_failed(__FILE__, __LINE__, "the reference's result");
    }
    there_end(context, &x);
    free(want);
    free(got);
}

static inline padic_field_plan_desc grid(uint32_t dims, uint64_t a, uint64_t b, uint64_t c,
                                         int wide)
{
    padic_field_plan_desc desc = field_grid(dims, 2, 1);
    desc.dtype = wide ? PADIC_C128 : PADIC_C64;
    desc.shape[0] = a;
    desc.shape[1] = b;
    desc.shape[2] = c;
    desc.dt = 1.0 / 128;
    for (uint32_t i = 0; i < dims; i++) {
        desc.spacing[i] = 12.0 / (double)(desc.shape[i] + 8);
        desc.trap[i] = 0.5;
        desc.centre[i] = 0.25;
    }
    desc.power[0].g = 2;
    desc.flags = PADIC_FIELD_NORM_FREE;
    return desc;
}

// A grid of an explicit method, walls of all kinds, a step well within its limit.
static inline padic_field_plan_desc walled(uint32_t dims, uint64_t a, uint64_t b, uint64_t c,
                                           int i, padic_field_method method)
{
    padic_field_plan_desc desc = grid(dims, a, b, c, i & 1);
    double k = 0;
    desc.method = method;
    for (uint32_t axis = 0; axis < dims; axis++) {
        desc.spacing[axis] = 12.0 / (double)(desc.shape[axis] + 1);
        k += 1 / (desc.spacing[axis] * desc.spacing[axis]);
        desc.boundary[axis] = (padic_field_boundary)((i + (int)axis) % 3);
    }
    desc.dt = 1 / (2 * k + 60);
    return desc;
}

#endif // GPU_FIELD_H
