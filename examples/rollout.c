// rollout.c: a dataset of random neural operators on disk. Each of N operators, a convolutional
// network with weights of its own, is iterated on fields of noise; how much of the state before it
// keeps and how loud its noise is are drawn by Sobol's points.
//
//     cc -O2 -o rollout examples/rollout.c -lpng -lm -lpthread -ldl
//     ./rollout make settings.txt data.pdr [OPERATORS_AT_ONCE [cuda | opencl]]
//     ./rollout show data.pdr
//     ./rollout strip data.pdr TRAJECTORY strip.png       six frames of one trajectory
//     ./rollout sheet data.pdr sheet.png                  the last frame of each operator
//
// Interrupted, by a signal or a power cut, `make` goes on where the file ends: its bytes are the
// same on the same device, and they do not depend on how many operators run at once. A device packs
// the frames itself, in a profile of the codec, a CPU in all its ways, so a file is gone on with by
// the kind that began it. Settings are lines of a name and one or two numbers; what is missing has
// the value below; precision 1 is F16, 2 BF16:
//
//     operators 100    fields 1        realisations 2    steps 60      every 1
//     grid 64 64       channels 3      features 16       layers 2      kernel 3
//     periodic 1       length 6        keep 0.5 0.95     noise 0.001 0.1
//     seed 1           level 5          precision 0
#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_ROLLOUT
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPERATORS, FIELDS, REALISATIONS, STEPS, EVERY, GRID, CHANNELS, FEATURES, LAYERS, KERNEL,
       PERIODIC, LENGTH, KEEP, NOISE, SEED, LEVEL, PRECISION, SETTINGS };
static const char *const names[SETTINGS] = {
    "operators", "fields", "realisations", "steps",  "every", "grid",  "channels", "features",
    "layers",    "kernel", "periodic",     "length", "keep",  "noise", "seed",     "level",
    "precision"};
static double settings[SETTINGS][2] = {{100}, {1}, {2}, {60}, {1}, {64, 64}, {3}, {16}, {2}, {3},
                                       {1}, {6}, {0.5, 0.95}, {0.001, 0.1}, {1}, {5}, {0}};
static padic_context *context;
static padic_rollout_node nodes[PADIC_ROLLOUT_NODES];

static int failed(padic_result result)
{
    if (result) fprintf(stderr, "%s\n", padic_context_message(context));
    return result != PADIC_OK;
}

static uint64_t whole(int setting)
{
    return (uint64_t)settings[setting][0];
}

static int read_settings(const char *path)
{
    char line[200], name[40];
    FILE *file = fopen(path, "r");
    int number = 0, bad = !file;
    if (!file) fprintf(stderr, "%s cannot be read\n", path);
    while (!bad && fgets(line, sizeof line, file)) {
        double value[2] = {0, 0};
        const int found = sscanf(line, " %39s %lf %lf", name, &value[0], &value[1]);
        int s = 0;
        number++;
        if (found < 1 || *name == '#') continue;
        while (s < SETTINGS && strcmp(name, names[s])) s++;
        bad = s == SETTINGS || found < 2 || value[0] < 0 || value[0] > 1e9;
        if (bad) fprintf(stderr, "%s:%d: no setting is called so, or its number is not one\n", path,
                         number);
        else memcpy(settings[s], value, sizeof value);
    }
    if (file) fclose(file);
    return bad;
}

// ---------------------------------------------------------------------------------------- a file

static int put(const void *bytes, uint64_t size, uint64_t at, void *user)
{
    FILE *file = (FILE *)user;
    return fseek(file, (long)at, SEEK_SET) || fwrite(bytes, 1, size, file) != size || fflush(file);
}

static int get(void *bytes, uint64_t size, uint64_t at, void *user)
{
    FILE *file = (FILE *)user;
    return fseek(file, (long)at, SEEK_SET) || fread(bytes, 1, size, file) != size;
}

static uint64_t size_of(FILE *file)
{
    return fseek(file, 0, SEEK_END) ? 0 : (uint64_t)ftell(file);
}

// --------------------------------------------------------------------------------------- dataset

typedef struct dataset {
    padic_rollout_record_desc desc;
    padic_rollout_run_desc run;
    padic_rollout_noise_law law;
    padic_rollout_parameter parameters[2];
    uint64_t operators, each, field; // trajectories of an operator; numbers of a field
    double *unit, *physical, *keep, *noise;
    float *weights, *initial;
} dataset;

static int sample(dataset *d)
{
    padic_rollout_sobol_desc sobol = PADIC_ZERO;
    padic_rollout_map_params_desc map = PADIC_ZERO;
    const padic_rollout_parameter keep = {PADIC_ROLLOUT_PARAMETER_LINEAR, settings[KEEP][0],
                                          settings[KEEP][1], 0, NULL};
    const padic_rollout_parameter noise = {PADIC_ROLLOUT_PARAMETER_LOG10, settings[NOISE][0],
                                           settings[NOISE][1], 0, NULL};
    d->parameters[0] = keep, d->parameters[1] = noise;
    sobol.out = map.points = padic_tensor_2d(PADIC_F64, d->unit, d->operators, 2);
    sobol.seed = whole(SEED);
    map.out = padic_tensor_2d(PADIC_F64, d->physical, d->operators, 2);
    map.parameters = d->parameters, map.count = 2;
    if (failed(padic_rollout_sobol(context, &sobol))) return 1;
    if (failed(padic_rollout_map_params(context, &map))) return 1;
    for (uint64_t n = 0; n < d->operators; n++)
        d->keep[n] = d->physical[2 * n], d->noise[n] = d->physical[2 * n + 1];
    return 0;
}

static int describe(dataset *d)
{
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    padic_rollout_weights_init_desc weights = PADIC_ZERO;
    padic_rollout_initial_desc initial = PADIC_ZERO;
    uint64_t shape[4] = {whole(FIELDS), whole(CHANNELS), whole(GRID), (uint64_t)settings[GRID][1]};
    memset(d, 0, sizeof *d);
    cnn.channels = (uint32_t)shape[1], cnn.width = (uint32_t)whole(FEATURES);
    cnn.layers = (uint32_t)whole(LAYERS), cnn.kernel = (uint32_t)whole(KERNEL);
    if (whole(PERIODIC)) cnn.boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
    cnn.site = PADIC_ROLLOUT_NOISE_HIDDEN, cnn.noise = &d->law;
    cnn.nodes = nodes, cnn.capacity = PADIC_ROLLOUT_NODES;
    d->run.op.nodes = nodes, d->run.op.count = padic_rollout_nodes_cnn(&cnn);
    d->run.op.channels = cnn.channels;
    d->run.op.height = (uint32_t)shape[2], d->run.op.width = (uint32_t)shape[3];
    if (failed(padic_rollout_operator_info(context, &d->run.op, &report))) return 1;
    d->operators = whole(OPERATORS), d->each = whole(FIELDS) * whole(REALISATIONS);
    d->field = shape[1] * shape[2] * shape[3];
    d->unit = (double *)calloc(d->operators * 6, sizeof(double));
    d->weights = (float *)calloc(d->operators * report.parameters, sizeof(float));
    d->initial = (float *)calloc(shape[0] * d->field, sizeof(float));
    if (!d->unit || !d->weights || !d->initial) return fprintf(stderr, "no memory\n"), 1;
    d->physical = d->unit + 2 * d->operators, d->keep = d->unit + 4 * d->operators;
    d->noise = d->unit + 5 * d->operators;
    if (sample(d)) return 1;
    weights.op = d->run.op, weights.seed = whole(SEED);
    weights.out = padic_tensor_2d(PADIC_F32, d->weights, d->operators, report.parameters);
    if (failed(padic_rollout_weights_init(context, &weights))) return 1;
    initial.kind = PADIC_ROLLOUT_INITIAL_SPECTRAL, initial.seed = whole(SEED);
    initial.spectrum.ell = settings[LENGTH][0];
    initial.out = padic_tensor_nd(PADIC_F32, d->initial, 4, shape);
    if (failed(padic_rollout_initial(context, &initial))) return 1;
    d->run.weights = weights.out, d->run.initial = initial.out;
    d->run.realisations = (uint32_t)whole(REALISATIONS), d->run.steps = (uint32_t)whole(STEPS);
    d->run.policy = PADIC_ROLLOUT_POLICY_CONVEX, d->run.seed = whole(SEED);
    d->run.parameter = padic_tensor_1d(PADIC_F64, d->keep, d->operators);
    d->run.noise_scale = padic_tensor_1d(PADIC_F64, d->noise, d->operators);
    d->run.precision = (padic_rollout_precision)whole(PRECISION);
    d->run.output = PADIC_ROLLOUT_OUTPUT_STREAM, d->run.every = (uint32_t)whole(EVERY);
    d->desc.run = &d->run, d->desc.weights_seed = whole(SEED);
    d->desc.unit = padic_tensor_2d(PADIC_F64, d->unit, d->operators, 2);
    d->desc.physical = padic_tensor_2d(PADIC_F64, d->physical, d->operators, 2);
    d->desc.parameters = d->parameters, d->desc.parameter_count = 2;
    d->desc.level = (uint32_t)whole(LEVEL);
    return 0;
}

// Operators [first, first + count) to the record, which gets their frames while they run. What is
// of one operator of all, is a part here.
static int run_some(const dataset *d, padic_rollout_record *record, uint64_t first, uint64_t count,
                    uint32_t *status, uint32_t *ids)
{
    const uint64_t codes[4] = {count, whole(FIELDS), whole(REALISATIONS), 4};
    padic_rollout_run_desc run = d->run;
    padic_rollout_record_metrics_desc end = PADIC_ZERO;
    for (uint64_t n = 0; n < count; n++) ids[n] = (uint32_t)(first + n);
    run.weights = padic_tensor_2d(PADIC_F32, d->weights + first * d->run.weights.shape[1], count,
                                  d->run.weights.shape[1]);
    run.parameter = padic_tensor_1d(PADIC_F64, d->keep + first, count);
    run.noise_scale = padic_tensor_1d(PADIC_F64, d->noise + first, count);
    run.ids = padic_tensor_1d(PADIC_U32, ids, count);
    run.status = padic_tensor_nd(PADIC_U32, status, 4, codes);
    run.stream.record = end.record = record;
    run.stream.first = end.first = first * d->each;
    end.status = padic_tensor_2d(PADIC_U32, status, count * d->each, 4);
    return failed(padic_rollout_run(context, &run)) ||
           failed(padic_rollout_record_metrics(context, &end));
}

static void show_progress(uint64_t done, uint64_t all, uint64_t before, double seconds)
{
    char bar[31] = "..............................";
    const double each = done > before ? seconds / (double)(done - before) : 0;
    memset(bar, '#', 30 * done / all);
    fprintf(stderr, "\r[%s] %llu of %llu operators, %.0f s left ", bar, (unsigned long long)done,
            (unsigned long long)all, each * (double)(all - done));
}

static int make(const char *from, const char *path, uint64_t batch, int on_device)
{
    dataset d;
    padic_rollout_record *record = NULL;
    padic_rollout_record_report report = PADIC_ZERO;
    const time_t begin = time(NULL);
    FILE *file;
    uint32_t *status;
    int bad;
    if (read_settings(from) || describe(&d)) return 1;
    file = fopen(path, "r+b");
    if (!file) file = fopen(path, "w+b");
    if (!file) return fprintf(stderr, "%s cannot be written\n", path), 1;
    status = (uint32_t *)malloc(batch * (d.each * 4 + 1) * sizeof(uint32_t));
    d.desc.size = size_of(file), d.desc.user = file;
    d.desc.write = put, d.desc.read = d.desc.size ? get : NULL;
    if (on_device) d.desc.profile = PADIC_CODEC_PROFILE_CODED; // it packs them itself
    bad = !status || failed(padic_rollout_record_begin(context, &d.desc, &record)) ||
          failed(padic_rollout_record_info(record, &report));
    if (!bad) {
        const uint64_t before = report.trajectories / d.each;
        for (uint64_t n = before; n < d.operators && !bad; n += batch) {
            const uint64_t some = d.operators - n < batch ? d.operators - n : batch;
            show_progress(n, d.operators, before, difftime(time(NULL), begin));
            bad = run_some(&d, record, n, some, status, status + batch * d.each * 4);
        }
        if (!bad) show_progress(d.operators, d.operators, before, 0), fputc('\n', stderr);
        bad |= failed(padic_rollout_record_end(context, record));
    }
    bad |= fclose(file) != 0;
    free(status), free(d.unit), free(d.weights), free(d.initial);
    return bad;
}

// --------------------------------------------------------------------------------------- reading

// Frames [frame, frame + count) of a trajectory; the caller frees them.
static float *frames_of(padic_rollout_reader *reader, const padic_rollout_reader_report *is,
                        uint64_t trajectory, uint64_t frame, uint64_t count)
{
    const uint64_t shape[5] = {1, count, is->run.op.channels, is->run.op.height, is->run.op.width};
    padic_rollout_record_read_desc desc = PADIC_ZERO;
    float *values = (float *)malloc(count * shape[2] * shape[3] * shape[4] * sizeof(float));
    desc.reader = reader, desc.first = trajectory, desc.frame = frame;
    desc.out = padic_tensor_nd(PADIC_F32, values, 5, shape);
    if (values && !failed(padic_rollout_record_read(context, &desc))) return values;
    free(values);
    return NULL;
}

// One frame into a picture, its channels as red, green and blue, each from its least to its most.
static void paint(const float *frame, const padic_rollout_operator *op, uint8_t *to, uint64_t width)
{
    const uint64_t cells = (uint64_t)op->height * op->width;
    for (uint32_t c = 0; c < 3; c++) {
        const float *x = frame + (c < op->channels ? c : op->channels - 1) * cells;
        float low = x[0], high = x[0];
        for (uint64_t i = 0; i < cells; i++) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        for (uint64_t i = 0; i < cells; i++)
            to[(i / op->width * width + i % op->width) * 3 + c] =
                (uint8_t)(high > low ? 255 * (x[i] - low) / (high - low) : 0);
    }
}

// Six frames of a trajectory, or, where that is negative, the last frame of each operator, ten in a
// row.
static int picture(padic_rollout_reader *reader, const padic_rollout_reader_report *is,
                   int64_t trajectory, const char *path)
{
    const padic_rollout_operator *op = &is->run.op;
    const uint64_t each = is->run.initial.shape[0] * is->run.realisations;
    const uint64_t all = trajectory < 0 ? is->whole / each : 6;
    const uint64_t across = trajectory < 0 ? all < 10 ? all : 10 : 6;
    const uint64_t down = across ? (all + across - 1) / across : 0;
    const uint64_t width = across * (op->width + 2), height = down * (op->height + 2);
    uint8_t *pixels = (uint8_t *)calloc(width * height + 1, 3);
    png_image image;
    int bad = !pixels || !all;
    for (uint64_t i = 0; i < all && !bad; i++) {
        const uint64_t t = trajectory < 0 ? is->frames - 1 : i * (is->frames - 1) / 5;
        const uint64_t k = trajectory < 0 ? i * each : (uint64_t)trajectory;
        float *frame = frames_of(reader, is, k, t, 1);
        bad = !frame;
        if (!bad)
            paint(frame, op, pixels + ((i / across * (op->height + 2) + 1) * width +
                                       i % across * (op->width + 2) + 1) * 3, width);
        free(frame);
    }
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION, image.format = PNG_FORMAT_RGB;
    image.width = (png_uint_32)width, image.height = (png_uint_32)height;
    if (!bad && !png_image_write_to_file(&image, path, 0, pixels, 0, NULL))
        bad = fprintf(stderr, "%s: %s\n", path, image.message);
    free(pixels);
    return bad;
}

static int show(padic_rollout_reader *reader, const padic_rollout_reader_report *is)
{
    const uint64_t operators = is->run.weights.shape[0];
    double *values = (double *)malloc(operators * 2 * sizeof(double));
    padic_rollout_record_read_desc desc = PADIC_ZERO;
    int bad = !values;
    desc.reader = reader, desc.part = PADIC_ROLLOUT_PART_PHYSICAL;
    desc.out = padic_tensor_2d(PADIC_F64, values, operators, 2);
    bad = bad || failed(padic_rollout_record_read(context, &desc));
    if (!bad)
        printf("%llu operators, %llu of %llu trajectories of %llu frames\n",
               (unsigned long long)operators, (unsigned long long)is->whole,
               (unsigned long long)is->trajectories, (unsigned long long)is->frames);
    for (uint64_t n = 0; n < operators && !bad; n++)
        printf("%4llu: keeps %.3f, noise %.4f\n", (unsigned long long)n, values[2 * n],
               values[2 * n + 1]);
    free(values);
    return bad;
}

static int look(const char *what, const char *path, int64_t trajectory, const char *to)
{
    padic_rollout_record_open_desc desc = PADIC_ZERO;
    padic_rollout_reader_report is;
    padic_rollout_reader *reader = NULL;
    FILE *file = fopen(path, "rb");
    int bad;
    if (!file) return fprintf(stderr, "%s cannot be read\n", path), 1;
    desc.read = get, desc.size = size_of(file), desc.user = file;
    bad = failed(padic_rollout_record_open(context, &desc, &reader)) ||
          failed(padic_rollout_record_report_of(reader, &is)) ||
          (!strcmp(what, "show") ? show(reader, &is) : picture(reader, &is, trajectory, to));
    if (reader) padic_rollout_record_close(context, reader);
    fclose(file);
    return bad;
}

int main(int argc, char **argv)
{
    padic_threads *threads = padic_threads_create(0, NULL); // one for each core
    padic_context_desc with = PADIC_ZERO;
    const char *what = argc > 2 ? argv[1] : "";
    const char *on = argc > 5 ? argv[5] : "";
    int bad = 2, first = 0;
    if (!strcmp(on, "cuda")) with.backends[first++] = padic_cuda();
    if (!strcmp(on, "opencl")) with.backends[first++] = padic_opencl();
    with.backends[first] = padic_simd();
    with.jobs = padic_threads_jobs(threads);
    if (padic_context_create(&with, &context)) return 1;
    if (!strcmp(what, "make") && argc > 3)
        bad = make(argv[2], argv[3], argc > 4 && atoi(argv[4]) > 0 ? (uint64_t)atoi(argv[4]) : 4,
                   first);
    else if (!strcmp(what, "show"))
        bad = look(what, argv[2], 0, NULL);
    else if (!strcmp(what, "strip") && argc > 4)
        bad = look(what, argv[2], atoi(argv[3]), argv[4]);
    else if (!strcmp(what, "sheet") && argc > 3)
        bad = look(what, argv[2], -1, argv[3]);
    if (bad == 2)
        fprintf(stderr, "rollout make SETTINGS FILE [N [cuda|opencl]] | show FILE | "
                        "strip FILE TRAJECTORY PNG | sheet FILE PNG\n");
    padic_context_destroy(context);
    padic_threads_destroy(threads);
    return bad;
}
