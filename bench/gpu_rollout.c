// gpu_rollout.c: operator rollouts on a device, as CSV.
//
//     cc -O2 -std=gnu99 -DPADIC_ONLY_ROLLOUT bench/gpu_rollout.c -o gpu_rollout -lm -lpthread -ldl
//     ./gpu_rollout [cuda|opencl] [--repeat N] [--filter NAME]
//     python3 bench/peers/rollout.py cuda compile                the same networks by PyTorch
//
// small: a network of 2 layers, 16 channels; large: of 4 layers, 64 channels; both with kernels of
// 3, INSTANCE and GELU, 128 x 128 cells, 3 channels, CONVEX, GAUSSIAN noise before the output. All
// is in the device's memory; the last frame is kept. Columns: device, name, precision, boundary,
// trajectories, first (the first call with its programs and their tests, ms), us (a step of all
// trajectories, of runs of STEPS steps and the wait for their end), tflops (of the convolutions),
// launches (of a step), recorded (us, a step of a plan that is replayed, all of X a frame).
//
// generation: 100 operators of 2 to 5 layers, 16 to 64 channels and kernels of 3 to 7, M 5, 500
// steps, bf16, all frames to the host's memory, their programs ahead, then one operator after the
// other. Columns: device, generation, seconds in all, seconds of the programs that were asked for
// ahead, TFLOP of all convolutions.
//
// stream: what frames and spectra cost, from 501 frames in bf16. Columns: device, stream, name,
// trajectories, us of a step without outputs, with all frames to a stream that reads one number of
// each, with all frames to the host's memory at the end, with the spectrum of each frame.
//
// reduce: metrics of 2,500 such frames that the device kept. Columns: device, reduce, us of a frame
// by the device for all metrics but the spectrum, for the spectrum; the same by one core of the
// host, from its memory, of 100 frames.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define PADIC_IMPLEMENTATION
#include "../padic.h"

#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"

#include "gpu.h"

enum { SIDE = 128, CELLS = 3 * SIDE * SIDE, STEPS = 32 };

typedef struct rollout_row {
    const char *name;
    uint32_t width, layers;
    padic_rollout_boundary boundary;
    uint64_t batch;
} rollout_row;

#define ROWS(name, width, layers)                                     \
    {name, width, layers, PADIC_ROLLOUT_BOUNDARY_ZERO, 1},            \
        {name, width, layers, PADIC_ROLLOUT_BOUNDARY_ZERO, 5},        \
        {name, width, layers, PADIC_ROLLOUT_BOUNDARY_PERIODIC, 5},    \
        {name, width, layers, PADIC_ROLLOUT_BOUNDARY_ZERO, 16},       \
    {                                                                 \
        name, width, layers, PADIC_ROLLOUT_BOUNDARY_ZERO, 64          \
    }
static const rollout_row rows[] = {ROWS("small", 16, 2), ROWS("large", 64, 4)};

static void call_run(void *arg)
{
    must(padic_rollout_run(context, (const padic_rollout_run_desc *)arg), "run");
}

static padic_rollout_plan *plan;
static padic_record record;

// Steps of a plan, recorded.
static void call_replay(void *arg)
{
    (void)arg;
    for (int i = 0; i < STEPS; i++) must(padic_record_replay(context, record, 1), "replay");
}

// The least ns of a recorded step.
static double replayed(const padic_rollout_run_desc *run, void *weights, void *initial,
                       padic_buffer out, double *t)
{
    const uint64_t shape[6] = {1, run->initial.shape[0], 1, 3, SIDE, SIDE};
    padic_rollout_plan_desc desc = PADIC_ZERO;
    padic_rollout_plan_step_desc step = PADIC_ZERO;
    double ns;
    desc.run = *run;
    desc.run.weights = padic_tensor_2d(PADIC_F32, weights, 1, run->weights.shape[1]);
    desc.run.initial = padic_tensor_nd(PADIC_F32, initial, 4, run->initial.shape);
    memset(&desc.run.out, 0, sizeof desc.run.out);
    desc.run.output = PADIC_ROLLOUT_OUTPUT_ALL;
    must(padic_rollout_plan_create(context, &desc, &plan), "plan");
    step.plan = plan;
    step.out = padic_tensor_in(padic_tensor_nd(PADIC_F32, NULL, 6, shape), out, 0);
    must(padic_rollout_plan_step(context, &step), "step");
    must(padic_record_begin(context), "record");
    must(padic_rollout_plan_step(context, &step), "step");
    must(padic_record_end(context, &record), "record");
    ns = measure_many(call_replay, NULL, 2e7, t) / STEPS;
    must(padic_record_drop(context, record), "drop");
    padic_rollout_plan_destroy(plan);
    return ns;
}

static uint64_t launches(void)
{
    padic_stats stats;
    padic_context_stats(context, &stats);
    return stats.launches;
}

static const char *const names[] = {"f32", "f16", "bf16"};

static const double noise_scale = 0.01;
static padic_rollout_noise_law law;
static padic_rollout_operator_report operator_info;

// The network of a row in `run`, and its weights in the host's memory; `operator_info` is of it.
static void network(const rollout_row *row, uint32_t kernel, uint64_t seed,
                    padic_rollout_run_desc *run)
{
    static padic_rollout_node nodes[PADIC_ROLLOUT_NODES];
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_weights_init_desc init = PADIC_ZERO;
    law.scale = &noise_scale;
    cnn.width = row->width;
    cnn.layers = row->layers;
    cnn.kernel = kernel;
    cnn.boundary = row->boundary;
    cnn.noise = &law;
    cnn.site = PADIC_ROLLOUT_NOISE_HIDDEN;
    cnn.nodes = nodes;
    cnn.capacity = PADIC_ROLLOUT_NODES;
    run->op.nodes = nodes;
    run->op.count = padic_rollout_nodes_cnn(&cnn);
    run->op.height = run->op.width = SIDE;
    must(padic_rollout_operator_info(NULL, &run->op, &operator_info), "info");
    init.op = run->op;
    init.seed = seed;
    init.out = padic_tensor_2d(PADIC_F32, malloc(operator_info.parameters * 4), 1,
                               operator_info.parameters);
    must(padic_rollout_weights_init(NULL, &init), "weights");
    run->weights = init.out;
    run->policy = PADIC_ROLLOUT_POLICY_CONVEX;
}

static void bench(const rollout_row *row, padic_rollout_precision precision)
{
    const uint64_t shape[4] = {row->batch, 3, SIDE, SIDE};
    const uint64_t last[7] = {1, row->batch, 1, 1, 3, SIDE, SIDE};
    padic_rollout_run_desc run = PADIC_ZERO;
    void *host;
    padic_buffer weights, initial, out;
    float *data = numbers(row->batch * CELLS);
    double first, ns, again, t[64];
    uint64_t before;
    network(row, 0, 0, &run);
    host = run.weights.data;
    weights = buffer_with(operator_info.parameters * 4, host);
    initial = buffer_with(row->batch * CELLS * 4, data);
    out = buffer_of(row->batch * CELLS * 4);
    run.weights.data = NULL;
    run.weights = padic_tensor_in(run.weights, weights, 0);
    run.initial = padic_tensor_in(padic_tensor_nd(PADIC_F32, NULL, 4, shape), initial, 0);
    run.out = padic_tensor_in(padic_tensor_nd(PADIC_F32, NULL, 7, last), out, 0);
    run.precision = precision;
    run.output = PADIC_ROLLOUT_OUTPUT_LAST;
    run.steps = STEPS + 1;
    first = measure_once(call_run, &run, 1);
    before = launches();
    (void)measure_once(call_run, &run, 1);
    before = launches() - before;
    ns = measure_many(call_run, &run, 2e7, t) / STEPS;
    again = replayed(&run, host, data, out, t);
    printf("\"%s\",%s,%s,%s,%llu,%.0f,%.2f,%.2f,%.1f,%.2f\n", info.name, row->name,
           names[precision],
           row->boundary == PADIC_ROLLOUT_BOUNDARY_ZERO ? "zero" : "periodic",
           (unsigned long long)row->batch, first * 1e-6, ns * 1e-3,
           2e-3 * (double)row->batch * (double)operator_info.mac / ns, (double)before / STEPS,
           again * 1e-3);
    fflush(stdout);
    must(padic_buffer_destroy(context, weights), "buffer");
    must(padic_buffer_destroy(context, initial), "buffer");
    must(padic_buffer_destroy(context, out), "buffer");
    free(host), free(data);
}

enum { OPERATORS = 100, GENERATED = 500, REALISATIONS = 5 };

// Operator n of the generation; its weights and initial condition are `run`'s.
static void operator_of(uint32_t n, float *frames, padic_rollout_run_desc *run)
{
    const uint64_t shape[4] = {1, 3, SIDE, SIDE};
    const uint64_t all[7] = {1, 1, REALISATIONS, GENERATED, 3, SIDE, SIDE};
    const uint32_t kernel = n % 25 == 24 ? 7 : n % 4 == 3 ? 5 : 3;
    const rollout_row row = {"", 16u << n % 3, 2 + n / 3 % 4, PADIC_ROLLOUT_BOUNDARY_ZERO, 1};
    network(&row, kernel, n, run);
    run->initial = padic_tensor_nd(PADIC_F32, numbers(CELLS), 4, shape);
    run->out = padic_tensor_nd(PADIC_F32, frames, 7, all);
    run->precision = PADIC_ROLLOUT_PRECISION_BF16;
    run->output = PADIC_ROLLOUT_OUTPUT_EVERY;
    run->every = 1;
    run->realisations = REALISATIONS;
    run->seed = n;
    run->steps = GENERATED;
}

// All programs are asked for ahead, then one operator after the other is rolled out.
static void generation(void)
{
    float *frames = numbers((uint64_t)REALISATIONS * GENERATED * CELLS);
    double begin, ahead = 0, all = 0, tflop = 0;
    padic_context_ask_report report;
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t n = 0; n < OPERATORS; n++) {
            padic_rollout_run_desc run = PADIC_ZERO;
            operator_of(n, frames, &run);
            begin = now();
            if (turn) {
                must(padic_rollout_run(context, &run), "run");
            } else {
                must(padic_context_ask(context, &report), "ask");
                (void)padic_rollout_run(context, &run);
                must(padic_context_ask(context, NULL), "ask");
                must(report.result, "run");
            }
            all += now() - begin;
            if (turn) tflop += 2e-12 * (double)operator_info.mac * REALISATIONS * (GENERATED - 1);
            free(run.weights.data), free(run.initial.data);
        }
        if (turn) break;
        begin = now();
        must(padic_context_prewarm(context, PADIC_AREA_ASKED), "prewarm");
        all += now() - begin;
        ahead = all;
    }
    printf("\"%s\",generation,%.2f,%.2f,%.0f\n", info.name, all * 1e-9, ahead * 1e-9, tflop);
    free(frames);
}

static int read_frame(uint32_t t, const padic_rollout_view *view, void *user)
{
    (void)t;
    *(float *)user += *(const float *)view->frames.data;
    return 0;
}

static void stream(const rollout_row *row)
{
    enum { T = 501 };
    const uint64_t shape[4] = {row->batch, 3, SIDE, SIDE};
    const uint64_t all[7] = {1, row->batch, 1, T, 3, SIDE, SIDE};
    padic_rollout_run_desc run = PADIC_ZERO;
    float *initial = numbers(row->batch * CELLS), *frames = numbers(row->batch * T * CELLS);
    float sum = 0;
    double ns[4];
    network(row, 0, 0, &run);
    run.initial = padic_tensor_nd(PADIC_F32, initial, 4, shape);
    run.precision = PADIC_ROLLOUT_PRECISION_BF16;
    run.steps = T;
    for (int i = 0; i < 4; i++) {
        padic_rollout_run_desc one = run;
        uint64_t rows_of[5] = {1, row->batch, 1, T, 0};
        one.output = i == 1   ? PADIC_ROLLOUT_OUTPUT_STREAM
                     : i == 2 ? PADIC_ROLLOUT_OUTPUT_ALL
                              : PADIC_ROLLOUT_OUTPUT_NONE;
        if (i == 1) one.stream.frame = read_frame, one.stream.user = &sum;
        if (i == 2) one.out = padic_tensor_nd(PADIC_F32, frames, 7, all);
        if (i == 3) {
            one.reduce.metrics = PADIC_ROLLOUT_METRIC_SPECTRUM;
            rows_of[4] = padic_rollout_metrics_count(&one.reduce, 3, SIDE, SIDE);
            one.metrics = padic_tensor_nd(PADIC_F32, frames, 5, rows_of);
        }
        one.report = &(padic_rollout_run_report){0}; // waits for its end
        (void)measure_once(call_run, &one, 1);
        ns[i] = measure_once(call_run, &one, 3) / 3 / (T - 1);
    }
    printf("\"%s\",stream,%s,%llu,%.2f,%.2f,%.2f,%.2f\n", info.name, row->name,
           (unsigned long long)row->batch, ns[0] * 1e-3, ns[1] * 1e-3, ns[2] * 1e-3, ns[3] * 1e-3);
    free(run.weights.data), free(initial), free(frames);
}

static void call_reduce(void *arg)
{
    must(padic_rollout_reduce(context, (const padic_rollout_reduce_desc *)arg), "reduce");
}

static void reduce(void)
{
    enum { FRAMES = 2500, FEW = 100 };
    uint64_t shape[5] = {1, FRAMES, 3, SIDE, SIDE}, rows_of[3] = {1, FRAMES, 0};
    float *data = numbers((uint64_t)FRAMES * CELLS);
    const padic_buffer frames = buffer_with((uint64_t)FRAMES * CELLS * 4, data);
    double ns[4], t[64];
    for (int i = 0; i < 4; i++) {
        padic_rollout_reduce_desc desc = PADIC_ZERO;
        padic_buffer out;
        float *host_out;
        shape[1] = rows_of[1] = i < 2 ? FRAMES : FEW;
        desc.metrics.metrics = i % 2 ? PADIC_ROLLOUT_METRIC_SPECTRUM : 0;
        rows_of[2] = padic_rollout_metrics_count(&desc.metrics, 3, SIDE, SIDE);
        out = buffer_of(rows_of[1] * rows_of[2] * 4);
        host_out = numbers(rows_of[1] * rows_of[2]);
        desc.frames = padic_tensor_nd(PADIC_F32, data, 5, shape);
        desc.out = padic_tensor_nd(PADIC_F32, host_out, 3, rows_of);
        if (i < 2) {
            desc.frames.data = desc.out.data = NULL;
            desc.frames = padic_tensor_in(desc.frames, frames, 0);
            desc.out = padic_tensor_in(desc.out, out, 0);
            (void)measure_once(call_reduce, &desc, 1);
            ns[i] = measure_many(call_reduce, &desc, 2e7, t) / FRAMES;
        } else {
            const double begin = now();
            must(padic_rollout_reduce(NULL, &desc), "reduce");
            ns[i] = (now() - begin) / FEW;
        }
        must(padic_buffer_destroy(context, out), "buffer");
        free(host_out);
    }
    printf("\"%s\",reduce,%.2f,%.2f,%.0f,%.0f\n", info.name, ns[0] * 1e-3, ns[1] * 1e-3,
           ns[2] * 1e-3, ns[3] * 1e-3);
    must(padic_buffer_destroy(context, frames), "buffer");
    free(data);
}

int main(int argc, char **argv)
{
    const char *filter = NULL;
    static const padic_rollout_precision precisions[] = {
        PADIC_ROLLOUT_PRECISION_F32, PADIC_ROLLOUT_PRECISION_BF16, PADIC_ROLLOUT_PRECISION_F16};
    size_t i, p;
    const int code = open_named(argc, argv, padic_cuda(), padic_opencl(), &filter);
    if (code) return code;
    puts("device,name,precision,boundary,trajectories,first,us,tflops,launches,recorded");
    for (p = 0; p < 3; p++)
        for (i = 0; i < sizeof rows / sizeof *rows; i++)
            if (!filter || !strcmp(filter, rows[i].name) ||
                !strcmp(filter, names[precisions[p]]))
                bench(&rows[i], precisions[p]);
    if (!filter || !strcmp(filter, "generation")) generation();
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((!filter || !strcmp(filter, "stream")) && rows[i].batch == 5 &&
            rows[i].boundary == PADIC_ROLLOUT_BOUNDARY_ZERO)
            stream(&rows[i]);
    if (!filter || !strcmp(filter, "reduce")) reduce();
    padic_context_destroy(context);
    return 0;
}
