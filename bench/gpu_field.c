// gpu_field.c: steps of condensates on a device, as CSV.
//
//     cc -O2 -std=gnu99 -DPADIC_ONLY_FIELD bench/gpu_field.c -o gpu_field -lm -lpthread -ldl
//     ./gpu_field [cuda|opencl] [--repeat N] [--filter NAME]
//     python3 bench/peers/fft_torch.py ./gpu_fft                 PyTorch's split steps, too
//
// C64, g = 1 in a harmonic trap, in the device's memory; parts interleaved, of LEAPFROG2 and RK4
// planar. Columns: device, name, points (of all fields), us (a step of all fields, of calls of 200
// steps and the wait for their end), gbs (what a step must move, see `rows`), share (of the copy
// bandwidth of this run), norm (what 200 steps made of a norm of 1, less 1), telemetry
// (what a record every 32 steps adds to a split step, of its time), record (us). Then ground
// states.
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
    padic_field_method method;
    padic_field_time time;
    uint32_t dims;
    uint64_t n, batch;
    double rotation, noise;
    uint32_t bytes; // a point: passes over the field, read and written
} field_row;

#define SPLIT(name, dims, n) \
    {name, PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_TIME_REAL, dims, n, 0, 0, 0, 16 * (dims - 1)}
#define METHOD(name, method, n, batch, bytes) \
    {name, PADIC_FIELD_METHOD_##method, PADIC_FIELD_TIME_REAL, 3, n, batch, 0, 0, bytes}
static const field_row rows[] = {
    SPLIT("128^2", 2, 128),
    SPLIT("1024^2", 2, 1024),
    SPLIT("64^3", 3, 64),
    SPLIT("128^3", 3, 128),
    SPLIT("256^3", 3, 256),
    SPLIT("512^3", 3, 512),
    METHOD("leapfrog 64^3", LEAPFROG2, 64, 0, 24), // two kicks: each part read, one written
    METHOD("leapfrog 8 64^3", LEAPFROG2, 64, 8, 24),
    METHOD("leapfrog 128^3", LEAPFROG2, 128, 0, 24),
    METHOD("leapfrog 256^3", LEAPFROG2, 256, 0, 24),
    METHOD("leapfrog 512^3", LEAPFROG2, 512, 0, 24),
    METHOD("rk4 256^3", RK4, 256, 0, 128), // stages: 24, 40, 40 and 24
    METHOD("cayley 256^3", CAYLEY2, 256, 0, 184), // phases, and 56 for the lines of each axis
    {"rotation 1024^2", PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_TIME_REAL, 2, 1024, 0, 0.5, 0, 64},
    {"noise 256^3", PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_TIME_REAL, 3, 256, 0, 0, 0.01, 64},
    {"imaginary 256^3", PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_TIME_IMAGINARY, 3, 256, 0, 0, 0,
     5 * 48 + 3 * 16},
    {"flow 256^3", PADIC_FIELD_METHOD_FLOW, PADIC_FIELD_TIME_IMAGINARY, 3, 256, 0, 0, 0,
     16 + 2 * 80 + 16 + 24 + 24 + 16},
};

// Ground states of harmonic traps, of norm 1, from Gaussians by CG to the default residual.
typedef struct ground_row {
    const char *name;
    uint32_t dims;
    uint64_t n;
    double length, g;
    padic_dtype dtype;
} ground_row;

static const ground_row grounds[] = {
    {"ground 1024", 1, 1024, 64, 313.71, PADIC_C128},
    {"ground 96^2", 2, 96, 20, 100, PADIC_C128},
    {"ground 96^2 c64", 2, 96, 20, 100, PADIC_C64},
    {"ground 512^2", 2, 512, 20, 100, PADIC_C128},
    {"ground 64^3", 3, 64, 20, 12566.37, PADIC_C128},
    {"ground 128^3", 3, 128, 20, 12566.37, PADIC_C128},
};

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
    const uint64_t most = MEASURED / EVERY;
    const padic_buffer buffer = buffer_of(
        most * (plan->batch ? plan->batch : 1) * sizeof(padic_field_record));
    plan->measure_every = EVERY;
    must(padic_field_plan_set(context, plan, step->plan), "plan");
    step->records = padic_tensor_in(
        plan->batch ? padic_tensor_3d(PADIC_F64, NULL, most, plan->batch, PADIC_FIELD_COLUMNS)
                    : padic_tensor_2d(PADIC_F64, NULL, most, PADIC_FIELD_COLUMNS),
        buffer, 0);
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
    const int planar = row->method == PADIC_FIELD_METHOD_LEAPFROG2 ||
                       row->method == PADIC_FIELD_METHOD_RK4;
    const double h = 16.0 / (double)row->n;
    padic_tensor view = PADIC_ZERO;
    plan.dims = row->dims;
    plan.dtype = PADIC_C64;
    plan.layout = planar ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
    plan.method = row->method;
    plan.time = row->time;
    plan.batch = row->batch;
    plan.rotation = row->rotation;
    plan.noise = row->noise;
    plan.dt = planar ? h * h / 16 : 1e-3;
    plan.power[0].g = 1;
    plan.flags = PADIC_FIELD_NORM_FREE;
    for (a = 0; a < row->dims; a++) {
        plan.shape[a] = row->n;
        plan.spacing[a] = h;
        plan.trap[a] = 0.5;
        points *= row->n;
    }
    if (row->batch) points *= row->batch;
    psi = numbers(2 * points);
    before = norm_of(psi, points);
    buffer = buffer_with(8 * points, psi);
    must(padic_field_plan_create(context, &plan, &step.plan), "plan");
    view.dtype = planar ? PADIC_F32 : PADIC_C64;
    if (planar) view.shape[view.rank++] = 2;
    if (row->batch) view.shape[view.rank++] = row->batch;
    for (a = 0; a < row->dims; a++) view.shape[view.rank++] = row->n;
    step.psi = padic_tensor_in(view, buffer, 0);
    step.count = STEPS;
    call_steps(&step);
    must(padic_buffer_download(context, buffer, 0, psi, 8 * points), "download");
    norm = norm_of(psi, points) / before - 1;
    ns = measure_many(call_steps, &step, 2e7, t) / STEPS;
    with = row->method <= PADIC_FIELD_METHOD_SPLIT4 && !row->time && row->rotation == 0 &&
                   row->noise == 0
               ? telemetry(&plan, &step)
               : ns;
    bytes = (double)row->bytes * (double)points;
    printf("\"%s\",%s,%llu,%.2f,%.0f,%.3f,%.1e,%.3f,%.2f\n", info.name, row->name,
           (unsigned long long)points, ns * 1e-3, bytes / ns, bytes / ns / copy_rate, norm,
           with / ns - 1, (with - ns) * EVERY * 1e-3);
    fflush(stdout);
    padic_field_plan_destroy(step.plan);
    must(padic_buffer_destroy(context, buffer), "buffer");
    free(psi);
}

// e^(-r^2 / 2 s^2) of norm 1.
static void gaussian(const ground_row *row, uint64_t points, double *psi)
{
    const double h = row->length / (double)row->n;
    const double s = 1 + pow(row->g, 1.0 / (row->dims + 2)) / 3;
    double sum = 0;
    uint64_t i;
    uint32_t a;
    for (i = 0; i < points; i++) {
        uint64_t left = i;
        double r = 0;
        for (a = 0; a < row->dims; a++, left /= row->n) {
            const double x = ((double)(left % row->n) - (double)(row->n / 2)) * h;
            r += x * x;
        }
        psi[2 * i] = exp(-r / (2 * s * s));
        psi[2 * i + 1] = 0;
        sum += psi[2 * i] * psi[2 * i];
    }
    sum = sqrt(sum * pow(h, row->dims));
    for (i = 0; i < 2 * points; i++) psi[i] /= sum;
}

static void bench_ground(const ground_row *row)
{
    padic_field_plan_desc plan = PADIC_ZERO;
    padic_field_ground_desc ground = PADIC_ZERO;
    padic_field_ground_report report;
    uint64_t points = 1, size;
    padic_buffer buffer;
    double *psi, t[64];
    float *single;
    void *start;
    uint64_t j;
    uint32_t a;
    int i;
    plan.dims = row->dims;
    plan.dtype = row->dtype;
    plan.dt = 1e-3;
    plan.power[0].g = row->g;
    for (a = 0; a < row->dims; a++) {
        plan.shape[a] = row->n;
        plan.spacing[a] = row->length / (double)row->n;
        plan.trap[a] = 0.5;
        points *= row->n;
    }
    size = points * (row->dtype == PADIC_C64 ? 8 : 16);
    psi = (double *)malloc((size_t)points * 16);
    single = (float *)malloc((size_t)points * 8);
    gaussian(row, points, psi);
    for (j = 0; j < 2 * points; j++) single[j] = (float)psi[j];
    start = row->dtype == PADIC_C64 ? (void *)single : (void *)psi;
    buffer = buffer_with(size, start);
    must(padic_field_plan_create(context, &plan, &ground.plan), "plan");
    ground.psi = padic_tensor_in(padic_tensor_nd(row->dtype, NULL, row->dims, plan.shape), buffer,
                                 0);
    ground.report = &report;
    for (i = 0; i <= repeats; i++) { // the first one compiles
        double begin;
        must(padic_buffer_upload(context, buffer, 0, start, size), "upload");
        must(padic_context_sync(context), "sync");
        begin = now();
        must(padic_field_ground(context, &ground), "ground");
        if (i) t[i - 1] = now() - begin;
    }
    printf("\"%s\",%s,%llu,%.1f,%llu,%.2e,%.7f,%.7f\n", info.name, row->name,
           (unsigned long long)points, median(t, repeats) * 1e-3,
           (unsigned long long)report.iterations, report.residual, report.energy, report.mu);
    fflush(stdout);
    padic_field_plan_destroy(ground.plan);
    must(padic_buffer_destroy(context, buffer), "buffer");
    free(psi);
    free(single);
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
    puts("device,name,points,us of a search,iterations,residual,energy,mu");
    for (i = 0; i < sizeof grounds / sizeof *grounds; i++)
        if (!filter || !strcmp(filter, grounds[i].name)) bench_ground(&grounds[i]);
    padic_context_destroy(context);
    return 0;
}
