// gpu_field.c: split steps of condensates on a device, as CSV.
//
//     cc -O2 -std=gnu99 -DPADIC_ONLY_FIELD bench/gpu_field.c -o gpu_field -lm -lpthread -ldl
//     ./gpu_field [cuda|opencl] [--repeat N] [--filter NAME]
//     python3 bench/peers/fft_torch.py ./gpu_fft                 PyTorch's split steps, too
//
// SPLIT2, C64, g = 1 in a harmonic trap, in the device's memory. Columns: device, name, points, us
// (a step, of calls of 200 steps and the wait for their end), gbs (2 (D - 1) passes over the field,
// read and written, a step), share (of the copy bandwidth of this run), norm (what 200 steps made
// of a norm of 1, less 1), telemetry (what a record every 32 steps adds to a step, of its time),
// record (us).
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define PADIC_IMPLEMENTATION
#include "../padic.h"

#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"

#include "gpu.h"
#include <math.h>

enum { STEPS = 200, EVERY = 32, MEASURED = 6 * EVERY };

typedef struct field_row {
    const char *name;
    uint32_t dims;
    uint64_t n;
} field_row;

static const field_row rows[] = {{"128^2", 2, 128}, {"1024^2", 2, 1024}, {"64^3", 3, 64},
                                 {"128^3", 3, 128}, {"256^3", 3, 256},   {"512^3", 3, 512}};

static void call_steps(void *arg)
{
    must(padic_field_step(context, (const padic_field_step_desc *)arg), "steps");
}

// The sum of |psi|^2.
static double norm_of(const float *psi, uint64_t points)
{
    double sum = 0;
    uint64_t i;
    for (i = 0; i < 2 * points; i++) sum += (double)psi[i] * psi[i];
    return sum;
}

// ns of a step with a record every EVERY steps.
static double telemetry(padic_field_plan_desc *plan, padic_field_step_desc *step)
{
    double with, t[64];
    const uint64_t rows = MEASURED / EVERY;
    const padic_buffer buffer = buffer_with(rows * sizeof(padic_field_record), NULL);
    plan->measure_every = EVERY;
    must(padic_field_plan_set(context, plan, step->plan), "plan");
    step->records = padic_tensor_in(
        padic_tensor_2d(PADIC_F64, NULL, rows, PADIC_FIELD_COLUMNS), buffer, 0);
    step->count = MEASURED;
    step->restart = 1;
    call_steps(step);
    with = measure_many(call_steps, step, 2e7, t) / MEASURED;
    must(padic_buffer_destroy(context, buffer), "buffer");
    return with;
}

static void bench(const field_row *row)
{
    padic_field_plan_desc plan = PADIC_ZERO;
    padic_field_step_desc step = PADIC_ZERO;
    padic_buffer buffer;
    uint64_t points = 1;
    uint32_t a;
    float *psi;
    double before, norm, ns, with, bytes, t[64];
    plan.dims = row->dims;
    plan.dtype = PADIC_C64;
    plan.dt = 1e-3;
    plan.power[0].g = 1;
    plan.flags = PADIC_FIELD_NORM_FREE;
    for (a = 0; a < row->dims; a++) {
        plan.shape[a] = row->n;
        plan.spacing[a] = 16.0 / (double)row->n;
        plan.trap[a] = 0.5;
        points *= row->n;
    }
    psi = numbers(2 * points);
    before = norm_of(psi, points);
    buffer = buffer_with(8 * points, psi);
    must(padic_field_plan_create(context, &plan, &step.plan), "plan");
    step.psi = padic_tensor_in(padic_tensor_nd(PADIC_C64, NULL, row->dims, plan.shape), buffer, 0);
    step.count = STEPS;
    call_steps(&step);
    must(padic_buffer_download(context, buffer, 0, psi, 8 * points), "download");
    norm = norm_of(psi, points) / before - 1;
    ns = measure_many(call_steps, &step, 2e7, t) / STEPS;
    with = telemetry(&plan, &step);
    bytes = 16.0 * (double)points * 2 * (row->dims - 1);
    printf("\"%s\",%s,%llu,%.2f,%.0f,%.3f,%.1e,%.3f,%.2f\n", info.name, row->name,
           (unsigned long long)points, ns * 1e-3, bytes / ns, bytes / ns / copy_rate, norm,
           with / ns - 1, (with - ns) * EVERY * 1e-3);
    fflush(stdout);
    padic_field_plan_destroy(step.plan);
    must(padic_buffer_destroy(context, buffer), "buffer");
    free(psi);
}

int main(int argc, char **argv)
{
    const char *filter = NULL;
    size_t i;
    const int code = open_named(argc, argv, padic_cuda(), padic_opencl(), &filter);
    if (code) return code;
    puts("device,name,points,us,gbs,share,norm,telemetry,record");
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!filter || !strcmp(filter, rows[i].name)) bench(&rows[i]);
    padic_context_destroy(context);
    return 0;
}
