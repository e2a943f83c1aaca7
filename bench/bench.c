// The bench: the codec beside others on a folder of arrays, copies, random numbers, threads.
//
//     cc -O2 -o bench-padic bench/bench.c -lm                                            ours alone
//     cc -O2 -DBENCH_ZSTD -o bench-padic bench/bench.c bench/peers/zstd.c -lzstd -lm   beside zstd
//
// or `sh bench/build.sh OUT [FLAGS...]`, which takes every peer that is installed. Then
//
//     ./bench-padic --op codec --data FOLDER        FOLDER holds MANIFEST.tsv and the arrays
//
// --help lists the options and bench/README.md says what the columns mean. MB is 10^6 raw bytes.
// Codecs take turns on each array in one thread of one process; every result is compared with the
// input before it counts.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "bench.h"

#ifndef BENCH_NO_PADIC // only the peers
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#ifdef BENCH_THREADS // the job system, for --threads
#include "../backends/padic_threads.h"
#endif
#endif

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <unistd.h>
#endif

#ifndef BENCH_FLAGS
#define BENCH_FLAGS "" // what the compiler was given; bench/build.sh says it
#endif
#ifndef BENCH_COMMIT
#define BENCH_COMMIT ""
#endif

#define MAX_CODECS 24
#define MAX_ARRAYS 512
#define MAX_SAMPLES 2000

typedef struct options {
    const char *op, *data, *filter, *peers, *csv, *json, *stages, *machine, *commit;
    int levels[9], level_count;
    int tolerance_mode;
    double tolerance;
    int threads[16], thread_count;
    int repeat;     // fewest runs of each codec on an array
    double seconds; // and the least time
    size_t size;    // of memcpy and random
    int cpu_clock, show_best, list, simd;
    int trust; // rows without the packer's proof, too
} options;

static options opt;

static int fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return 1;
}

// ---------------------------------------------------------------------------------------- clocks

// Seconds. The thread's own processor time leaves out what other programs took from us.
static double now(void)
{
#ifdef _WIN32
    LARGE_INTEGER count, rate;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&rate);
    return (double)count.QuadPart / (double)rate.QuadPart;
#else
    struct timespec t;
    clock_gettime(opt.cpu_clock ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

typedef struct samples {
    double s[MAX_SAMPLES];
    int n;
    double total;
} samples;

static void sample_add(samples *a, double seconds)
{
    a->total += seconds;
    if (a->n < MAX_SAMPLES) a->s[a->n++] = seconds;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sample_sort(samples *a)
{
    qsort(a->s, (size_t)a->n, sizeof a->s[0], by_value);
}

// Sorted samples: 0 the least, 0.5 the median.
static double sample_at(const samples *a, double share)
{
    if (!a->n) return 0;
    return a->s[(int)(share * (double)(a->n - 1) + 0.5)];
}

// ---------------------------------------------------------------------------------------- machine

static char machine_name[64], machine_cpu[96], machine_date[32], machine_compiler[96];

// Keeps a text in one CSV field.
static void tidy(char *text)
{
    size_t n;
    for (n = 0; text[n]; n++)
        if (text[n] == ',' || text[n] == '"' || (unsigned char)text[n] < 32) text[n] = ' ';
    while (n && text[n - 1] == ' ') text[--n] = 0;
}

static void machine_read(void)
{
    time_t t = time(NULL);
    struct tm *utc = gmtime(&t);
    FILE *file;
    char line[256];
    if (utc) strftime(machine_date, sizeof machine_date, "%Y-%m-%dT%H:%MZ", utc);
    if (opt.machine) snprintf(machine_name, sizeof machine_name, "%s", opt.machine);
#ifndef _WIN32
    else if (gethostname(machine_name, sizeof machine_name - 1)) machine_name[0] = 0;
#endif
    snprintf(machine_cpu, sizeof machine_cpu, "unknown");
    file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        snprintf(machine_cpu, sizeof machine_cpu, "%s", colon + 2);
        break;
    }
    if (file) fclose(file);
#if defined(__clang__)
    snprintf(machine_compiler, sizeof machine_compiler, "%s", __VERSION__);
#elif defined(__GNUC__)
    snprintf(machine_compiler, sizeof machine_compiler, "gcc %s", __VERSION__);
#elif defined(_MSC_VER)
    snprintf(machine_compiler, sizeof machine_compiler, "msvc %d", _MSC_VER);
#else
    snprintf(machine_compiler, sizeof machine_compiler, "unknown");
#endif
    tidy(machine_name);
    tidy(machine_cpu);
    tidy(machine_compiler);
}

// Share of the last minute's processor time that others asked for; < 0: unknown.
static double machine_load(void)
{
    double load = -1;
    FILE *file = fopen("/proc/loadavg", "r");
    if (file) {
        if (fscanf(file, "%lf", &load) != 1) load = -1;
        fclose(file);
    }
    return load;
}

// ------------------------------------------------------------------------------------ result rows

// A row holds the columns in the order below; what does not apply stays empty.
enum {
    COL_MACHINE, COL_DATE, COL_COMMIT, COL_COMPILER, COL_FLAGS, COL_CPU, COL_THREADS,
    COL_OP, COL_AREA, COL_CASE, COL_CATEGORY, COL_DTYPE, COL_SHAPE, COL_N, COL_METHOD,
    COL_REPEATS, COL_MEDIAN, COL_P10, COL_P90, COL_MIN, COL_CLOCK,
    COL_BYTES, COL_GBPS, COL_SHARE_COPY,
    COL_ERROR, COL_ERROR_KIND, COL_SIZE_RATIO,
    COL_PEER, COL_PEER_VERSION, COL_PEER_US, COL_SPEEDUP, COL_LIMIT, COL_VERDICT,
    COLUMNS
};

static const struct {
    const char *name;
    int number; // written without quotes in JSON
} columns[COLUMNS] = {
    {"machine", 0}, {"date", 0}, {"commit", 0}, {"compiler", 0}, {"flags", 0}, {"cpu", 0},
    {"threads", 1}, {"op", 0}, {"area", 0}, {"case", 0}, {"category", 0}, {"dtype", 0},
    {"shape", 0}, {"n", 1}, {"method", 0}, {"repeats", 1}, {"median_us", 1}, {"p10_us", 1},
    {"p90_us", 1}, {"min_us", 1}, {"clock", 0}, {"bytes", 1}, {"gbps", 1}, {"share_copy", 1},
    {"error", 1}, {"error_kind", 0}, {"size_ratio", 1}, {"peer", 0}, {"peer_version", 0},
    {"peer_us", 1}, {"speedup", 1}, {"limit_us", 1}, {"verdict", 0},
};

typedef struct row {
    char text[COLUMNS][128];
} row;

static FILE *csv_file, *json_file;
static double copy_gbps; // copy bandwidth of this run

static void row_set(row *r, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->text[column], sizeof r->text[column], format, args);
    va_end(args);
    tidy(r->text[column]);
}

static void row_begin(row *r, const char *op, const char *area, uint32_t threads)
{
    memset(r, 0, sizeof *r);
    row_set(r, COL_MACHINE, "%s", machine_name);
    row_set(r, COL_DATE, "%s", machine_date);
    row_set(r, COL_COMMIT, "%s", opt.commit ? opt.commit : BENCH_COMMIT);
    row_set(r, COL_COMPILER, "%s", machine_compiler);
    row_set(r, COL_FLAGS, "%s", BENCH_FLAGS);
    row_set(r, COL_CPU, "%s", machine_cpu);
    row_set(r, COL_THREADS, "%u", threads);
    row_set(r, COL_OP, "%s", op);
    row_set(r, COL_AREA, "%s", area);
    row_set(r, COL_CLOCK, opt.cpu_clock ? "cpu" : "host");
}

// Times and bandwidth out of sorted samples; `bytes` moved by one run.
static void row_times(row *r, const samples *t, double bytes)
{
    double median = sample_at(t, 0.5), gbps = median > 0 ? bytes / median * 1e-9 : 0;
    row_set(r, COL_REPEATS, "%d", t->n);
    row_set(r, COL_MEDIAN, "%.2f", 1e6 * median);
    row_set(r, COL_P10, "%.2f", 1e6 * sample_at(t, 0.1));
    row_set(r, COL_P90, "%.2f", 1e6 * sample_at(t, 0.9));
    row_set(r, COL_MIN, "%.2f", 1e6 * sample_at(t, 0));
    row_set(r, COL_BYTES, "%.0f", bytes);
    row_set(r, COL_GBPS, "%.4f", gbps);
    if (copy_gbps > 0) row_set(r, COL_SHARE_COPY, "%.4f", gbps / copy_gbps);
}

static void row_write(const row *r)
{
    int i, some = 0;
    if (csv_file)
        for (i = 0; i < COLUMNS; i++)
            fprintf(csv_file, "%s%s", r->text[i], i + 1 < COLUMNS ? "," : "\n");
    if (!json_file) return;
    fputc('{', json_file);
    for (i = COL_THREADS; i < COLUMNS; i++) {
        const char *c;
        if (!r->text[i][0]) continue;
        fprintf(json_file, "%s\"%s\":", some++ ? "," : "", columns[i].name);
        if (columns[i].number) {
            fputs(r->text[i], json_file);
            continue;
        }
        fputc('"', json_file);
        for (c = r->text[i]; *c; c++) fprintf(json_file, *c == '\\' ? "\\\\" : "%c", *c);
        fputc('"', json_file);
    }
    fputs("}\n", json_file);
}

// Appends to a CSV file of the same columns, so that one file holds a machine's history.
static int outputs_open(void)
{
    int i;
    if (opt.csv) {
        csv_file = fopen(opt.csv, "a");
        if (!csv_file) return fail("cannot write %s", opt.csv);
        fseek(csv_file, 0, SEEK_END);
        if (ftell(csv_file) == 0)
            for (i = 0; i < COLUMNS; i++)
                fprintf(csv_file, "%s%s", columns[i].name, i + 1 < COLUMNS ? "," : "\n");
    }
    if (opt.json) {
        json_file = fopen(opt.json, "w");
        if (!json_file) return fail("cannot write %s", opt.json);
        fprintf(json_file,
                "{\"machine\":\"%s\",\"date\":\"%s\",\"commit\":\"%s\",\"compiler\":\"%s\","
                "\"flags\":\"%s\",\"cpu\":\"%s\"}\n",
                machine_name, machine_date, opt.commit ? opt.commit : BENCH_COMMIT,
                machine_compiler, BENCH_FLAGS, machine_cpu);
    }
    return 0;
}

// ----------------------------------------------------------------------------------------- arrays

static bench_array arrays[MAX_ARRAYS];
static int array_count;

// Field `index` of a line cut by tabs, without what ends the line.
static void field(const char *line, int index, char *to, size_t room)
{
    size_t n;
    while (index-- > 0) {
        line = strchr(line, '\t');
        if (!line++) {
            to[0] = 0;
            return;
        }
    }
    n = strcspn(line, "\t\r\n");
    if (n >= room) n = room - 1;
    memcpy(to, line, n);
    to[n] = 0;
}

// The column whose heading begins so, or -1.
static int heading(const char *line, const char *name)
{
    char text[64];
    int i, last = 0;
    const char *c;
    for (c = line; *c; c++) last += *c == '\t';
    for (i = 0; i <= last; i++) {
        field(line, i, text, sizeof text);
        if (!strncmp(text, name, strlen(name))) return i;
    }
    return -1;
}

static int dtype_read(bench_array *a)
{
    static const struct {
        const char *name;
        char kind;
        uint32_t item;
    } dtypes[] = {{"f64", 'f', 8}, {"f32", 'f', 4}, {"f16", 'f', 2},  {"bf16", 'b', 2},
                  {"i8", 'i', 1},  {"i16", 'i', 2}, {"i32", 'i', 4},  {"i64", 'i', 8},
                  {"u8", 'u', 1},  {"u16", 'u', 2}, {"u32", 'u', 4},  {"u64", 'u', 8},
                  {"c64", 'c', 8}, {"c128", 'c', 16}, {"complex64", 'c', 8},
                  {"complex128", 'c', 16}};
    size_t i;
    for (i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (!strcmp(a->dtype, dtypes[i].name)) {
            a->kind = dtypes[i].kind;
            a->item = dtypes[i].item;
            return 0;
        }
    return 1;
}

// "643x1197"
static int shape_read(bench_array *a, const char *text)
{
    while (*text && a->rank < 8) {
        char *end;
        unsigned long long extent = strtoull(text, &end, 10);
        if (end == text) return 1;
        a->shape[a->rank++] = extent;
        text = *end == 'x' ? end + 1 : end;
    }
    return *text != 0;
}

// One of the words of --filter stands in the name or is the category or dtype.
static int wanted(const bench_array *a)
{
    char words[256], *word, *next;
    if (!opt.filter) return 1;
    snprintf(words, sizeof words, "%s", opt.filter);
    for (word = words; word; word = next) {
        next = strchr(word, ',');
        if (next) *next++ = 0;
        if (strstr(a->name, word) || !strcmp(a->category, word) || !strcmp(a->dtype, word))
            return 1;
    }
    return 0;
}

static int array_load(bench_array *a)
{
    char path[1024];
    FILE *file;
    size_t got;
    snprintf(path, sizeof path, "%s/%s.bin", opt.data, a->name);
    file = fopen(path, "rb");
    if (!file) {
        snprintf(path, sizeof path, "%s/%s", opt.data, a->name);
        file = fopen(path, "rb");
    }
    if (!file) return fail("cannot read %s/%s.bin", opt.data, a->name);
    a->data = (unsigned char *)malloc(a->bytes + 64);
    got = a->data ? fread(a->data, 1, a->bytes + 1, file) : 0;
    fclose(file);
    if (got != a->bytes) return fail("%s holds not %lu bytes", path, (unsigned long)a->bytes);
    return 0;
}

// Arrays whose floats were integers, texts or decimals before, where the manifest has no column
// `class`; by what the notes of our folders say of each. All others are native.
static const char *origin_of(const char *name)
{
    static const char *const decoded[] = {
        "dem_bigtujunga", "dem_etopo20", "dem_zsw3", "em_femm_B", "aud_speech16k",
        "aud_explosion_st", "hrtf_kemar", "hdr_spiaggia_rgbe", "alp_bitcoin_transactions",
        "alp_city_temperature", "alp_nyc29", "alp_gov26", "ett_h1", "ucr_shapesall",
        "mesonet_5min", "md_gro_nm"};
    size_t i;
    for (i = 0; i < sizeof decoded / sizeof *decoded; i++)
        if (!strcmp(name, decoded[i])) return "decoded";
    return "native";
}

static int arrays_read(void)
{
    char path[1024], line[4096], text[128];
    int column[6], i;
    static const char *const names[6] = {"category", "name", "dtype", "dims", "bytes", "class"};
    FILE *file;
    if (!opt.data) return fail("--op codec needs --data FOLDER with a MANIFEST.tsv");
    snprintf(path, sizeof path, "%s/MANIFEST.tsv", opt.data);
    file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) return fail("cannot read %s", path);
    for (i = 0; i < 6; i++) column[i] = heading(line, names[i]);
    if (column[3] < 0) column[3] = heading(line, "shape");
    if (column[1] < 0 || column[2] < 0 || column[3] < 0)
        return fail("%s needs the columns name, dtype and dims", path);
    while (fgets(line, sizeof line, file)) {
        bench_array *a = &arrays[array_count];
        uint32_t k;
        memset(a, 0, sizeof *a);
        field(line, column[1], a->name, sizeof a->name);
        if (!a->name[0]) continue;
        field(line, column[2], a->dtype, sizeof a->dtype);
        if (column[0] >= 0) field(line, column[0], a->category, sizeof a->category);
        snprintf(a->origin, sizeof a->origin, "%s", origin_of(a->name));
        if (column[5] >= 0) field(line, column[5], a->origin, sizeof a->origin);
        if (!wanted(a)) continue;
        field(line, column[3], text, sizeof text);
        if (dtype_read(a)) return fail("%s: no dtype %s", a->name, a->dtype);
        if (shape_read(a, text)) return fail("%s: no shape %s", a->name, text);
        a->bytes = a->item;
        for (k = 0; k < a->rank; k++) a->bytes *= (size_t)a->shape[k];
        if (column[4] >= 0) {
            field(line, column[4], text, sizeof text);
            if (strtoull(text, NULL, 10) != a->bytes)
                return fail("%s: bytes and shape differ in the manifest", a->name);
        }
        if (array_load(a)) return 1;
        if (++array_count == MAX_ARRAYS) break;
    }
    fclose(file);
    return array_count ? 0 : fail("no array of %s passes the filter", path);
}

// -------------------------------------------------------------------------------- bound and check

static double half_value(unsigned bits, int brain)
{
    double sign = bits >> 15 ? -1.0 : 1.0;
    int e, width = brain ? 7 : 10, bias = brain ? 127 : 15, top = brain ? 255 : 31;
    unsigned m = bits & ((1u << width) - 1u);
    e = (int)((bits & 0x7fffu) >> width);
    if (e == top) return m ? (double)NAN : sign * (double)INFINITY;
    if (!e) return sign * ldexp((double)m, 1 - bias - width);
    return sign * ldexp((double)(m + (1u << width)), e - bias - width);
}

// Number `i` of the array (two of them an element when complex). 64-bit integers lose low bits
// here; check_bounded() subtracts those itself.
static double value_at(const bench_array *a, const unsigned char *data, size_t i)
{
    uint32_t item = a->kind == 'c' ? a->item / 2 : a->item;
    const unsigned char *p = data + i * item;
    uint64_t u = 0;
    if (a->kind == 'f' || a->kind == 'c') {
        if (item == 8) {
            double d;
            memcpy(&d, p, 8);
            return d;
        }
        if (item == 4) {
            float f;
            memcpy(&f, p, 4);
            return (double)f;
        }
    }
    if (a->kind == 'f' || a->kind == 'b') {
        uint16_t h;
        memcpy(&h, p, 2);
        return half_value(h, a->kind == 'b');
    }
    if (item == 1) u = p[0];
    if (item == 2) {
        uint16_t v;
        memcpy(&v, p, 2);
        u = v;
    }
    if (item == 4) {
        uint32_t v;
        memcpy(&v, p, 4);
        u = v;
    }
    if (item == 8) memcpy(&u, p, 8);
    if (a->kind == 'u') return (double)u;
    if (item < 8 && u >> (8 * item - 1)) return (double)u - ldexp(1.0, 8 * (int)item);
    return item == 8 ? (double)(int64_t)u : (double)u;
}

static size_t number_count(const bench_array *a)
{
    return a->bytes / (a->kind == 'c' ? a->item / 2 : a->item);
}

// The bound in the array's own unit.
static void bound_prepare(bench_array *a)
{
    double low = INFINITY, high = -INFINITY;
    size_t i, n = number_count(a);
    a->tolerance_mode = opt.tolerance_mode;
    a->tolerance = opt.tolerance;
    if (opt.tolerance_mode == 1) a->absolute = opt.tolerance;
    if (opt.tolerance_mode != 2) return;
    for (i = 0; i < n; i++) {
        double x = value_at(a, a->data, i);
        if (!isfinite(x)) continue;
        if (x < low) low = x;
        if (x > high) high = x;
    }
    a->absolute = high > low ? opt.tolerance * (high - low) : 0;
}

// Largest error, in the unit of the bound; infinite where a non-finite value did not survive.
static double check_bounded(const bench_array *a, const unsigned char *back)
{
    double worst = 0;
    size_t i, n = number_count(a);
    uint32_t item = a->kind == 'c' ? a->item / 2 : a->item;
    for (i = 0; i < n; i++) {
        double x, y, e;
        if (!memcmp(a->data + i * item, back + i * item, item)) continue;
        x = value_at(a, a->data, i);
        y = value_at(a, back, i);
        e = fabs(x - y);
        if (item == 8 && a->kind != 'f' && a->kind != 'c') {
            uint64_t u, v;
            memcpy(&u, a->data + i * 8, 8);
            memcpy(&v, back + i * 8, 8);
            e = a->kind == 'i' ? ((int64_t)u < (int64_t)v ? (double)(v - u) : (double)(u - v))
                               : (u < v ? (double)(v - u) : (double)(u - v));
        }
        if (a->tolerance_mode == 3) e = e / fabs(x);
        if (!(e >= 0 && e < INFINITY)) return INFINITY;
        if (e > worst) worst = e;
    }
    return worst;
}

// Nothing to say about the output: 0. Otherwise the error stands in *error.
static int output_wrong(const bench_array *a, const unsigned char *back, double *error)
{
    double allowed = a->tolerance_mode == 3 ? a->tolerance : a->absolute;
    *error = 0;
    if (!memcmp(a->data, back, a->bytes)) return 0;
    *error = check_bounded(a, back);
    return !(allowed > 0 && *error <= allowed);
}

// ------------------------------------------------------------------------------------------- ours

#ifndef BENCH_NO_PADIC

typedef struct ours_state {
    const bench_array *array;
    padic_codec_pack_desc pack;
    padic_codec_unpack_desc unpack;
    padic_codec_report report; // of packing
    void *block; // workspace as it came from malloc
    padic_context *context; // NULL: one thread
#ifdef BENCH_THREADS
    padic_threads *threads;
#endif
} ours_state;

static void ours_tensor(padic_tensor *t, const bench_array *a, void *data)
{
    uint32_t i;
    int k;
    t->data = data;
    t->rank = a->rank;
    for (i = 0; i < a->rank; i++) t->shape[i] = a->shape[i];
    for (k = PADIC_F64; k <= PADIC_C128; k++)
        if (!strcmp(padic_dtype_name((padic_dtype)k), a->dtype)) t->dtype = (padic_dtype)k;
    if (t->dtype == PADIC_DTYPE_NONE) t->dtype = a->item == 8 ? PADIC_C64 : PADIC_C128;
}

// Workers for more than one thread; they live as long as the array is measured.
static int ours_threads(ours_state *s, uint32_t workers)
{
#ifdef BENCH_THREADS
    padic_context_desc desc;
    memset(&desc, 0, sizeof desc);
    s->threads = padic_threads_create(workers, NULL);
    if (!s->threads) return 1;
    desc.jobs = padic_threads_jobs(s->threads);
    return desc.jobs.workers != workers || padic_context_create(&desc, &s->context) != PADIC_OK;
#else
    (void)s, (void)workers;
    return 1;
#endif
}

// As `option`, one thread: vectors; packing without its proof, plain and with vectors.
#define OURS_SIMD -1
#define OURS_TRUST -2
#define OURS_TRUST_SIMD -3

static int ours_simd(ours_state *s)
{
    padic_context_desc desc = PADIC_ZERO;
    desc.backends[0] = padic_simd();
    return padic_context_create(&desc, &s->context) != PADIC_OK;
}

static void ours_close(void *state)
{
    ours_state *s = (ours_state *)state;
    padic_context_destroy(s->context);
#ifdef BENCH_THREADS
    padic_threads_destroy(s->threads);
#endif
    free(s->block);
    free(s);
}

// The workspace is made here, as the contexts of the peers are: that of several threads is more
// than as many times what one needs.
static void *ours_open(const bench_codec *codec, const bench_array *array, size_t *room)
{
    ours_state *s = (ours_state *)calloc(1, sizeof *s);
    static const padic_codec_tolerance_mode modes[4] = {
        PADIC_CODEC_TOLERANCE_NONE, PADIC_CODEC_TOLERANCE_ABSOLUTE, PADIC_CODEC_TOLERANCE_RANGE,
        PADIC_CODEC_TOLERANCE_POINTWISE};
    size_t size;
    if (!s) return NULL;
    s->array = array;
    ours_tensor(&s->pack.tensor, array, array->data);
    ours_tensor(&s->unpack.tensor, array, NULL);
    s->pack.level = (uint32_t)(codec->level);
    s->pack.tolerance_mode = modes[array->tolerance_mode];
    s->pack.tolerance = array->tolerance;
    *room = (size_t)padic_codec_size_bound(&s->pack);
    size = (size_t)padic_codec_pack_workspace(&s->pack);
    if (codec->option > 1) {
        size *= 2 * (size_t)codec->option;
        if (!*room || ours_threads(s, (uint32_t)codec->option)) {
            fprintf(stderr, "bench: no %d threads\n", codec->option);
            ours_close(s);
            return NULL;
        }
    }
    s->block = malloc(size + 64);
    if (codec->option <= OURS_TRUST) s->pack.flags = PADIC_CODEC_PACK_NO_PROOF;
    if (!s->block || !*room ||
        ((codec->option == OURS_SIMD || codec->option == OURS_TRUST_SIMD) && ours_simd(s))) {
        ours_close(s);
        return NULL;
    }
    memset(s->block, 0, size + 64); // its pages are there before the first run
    s->pack.workspace = padic_tensor_1d(
        PADIC_U8, (char *)s->block + (64 - (uintptr_t)s->block % 64) % 64, size);
    s->pack.report = &s->report;
    return s;
}

static size_t ours_pack(void *state, void *dst, size_t room)
{
    ours_state *s = (ours_state *)state;
    padic_result result;
    s->pack.packed = padic_bytes_out(dst, room);
    result = padic_codec_pack(s->context, &s->pack);
    if (result) fprintf(stderr, "bench: pack: %s\n", padic_result_text(result));
    return result ? 0 : (size_t)s->report.packed_size;
}

// The workspace of packing serves unpacking where it is enough; the report says what is needed.
static int ours_unpack(void *state, const void *src, size_t size, void *dst)
{
    ours_state *s = (ours_state *)state;
    padic_result result;
    s->unpack.tensor.data = dst;
    s->unpack.packed = padic_bytes_in(src, size);
    if (!s->unpack.workspace.data && s->block) {
        padic_codec_report report;
        padic_codec_info_desc info;
        info.packed = s->unpack.packed;
        info.report = &report;
        if (padic_codec_info(NULL, &info)) return 1;
        if (report.workspace <= s->pack.workspace.shape[0])
            s->unpack.workspace = s->pack.workspace;
    }
    result = padic_codec_unpack(s->context, &s->unpack);
    if (result) fprintf(stderr, "bench: unpack: %s\n", padic_result_text(result));
    return result != PADIC_OK;
}

static const char *ours_version(void)
{
    return PADIC_VERSION;
}

#define OURS_ROW(name, level)                                                                      \
    {                                                                                              \
        name, level, 0, ours_open, ours_pack, ours_unpack, ours_close, ours_version                \
    }

// Levels with several threads or vectors, made from the options: "padic5x2", "padic5simd".
static bench_codec threaded[MAX_CODECS];
static char threaded_names[MAX_CODECS][32];

static const bench_codec bench_ours[] = {
    OURS_ROW("padic1", 1), OURS_ROW("padic2", 2), OURS_ROW("padic3", 3),
    OURS_ROW("padic4", 4), OURS_ROW("padic5", 5), OURS_ROW("padic6", 6),
    OURS_ROW("padic7", 7), OURS_ROW("padic8", 8), OURS_ROW("padic9", 9),
    {NULL, 0, 0, NULL, NULL, NULL, NULL, NULL},
};

#endif

static const bench_codec *const tables[] = {
#ifndef BENCH_NO_PADIC
    bench_ours,
#endif
#ifdef BENCH_ZSTD
    bench_zstd,
#endif
#ifdef BENCH_LZ4
    bench_lz4,
#endif
#ifdef BENCH_BLOSC
    bench_blosc,
#endif
#ifdef BENCH_ZFP
    bench_zfp,
#endif
    NULL,
};

// --------------------------------------------------------------------------------------- measuring

typedef struct measure {
    const bench_codec *codec;
    void *state;
    unsigned char *packed;
    size_t room, size;
    double error;
    int wrong, done;
    samples pack, unpack;
} measure;

// What stays of each array and codec for the means; ratio 0: no result.
typedef struct result {
    double ratio, pack[2], unpack[2]; // MB/s: best, median
} result;

static const bench_codec *chosen[MAX_CODECS];
static int chosen_count, ours_count; // ours stand first
static measure measures[MAX_CODECS];
static result results[MAX_ARRAYS][MAX_CODECS];
static int wrong_ours, wrong_peers;

static uint32_t threads_of(int codec)
{
    return codec < ours_count && chosen[codec]->option > 1 ? (uint32_t)chosen[codec]->option : 1;
}

static const bench_codec *codec_find(const char *name)
{
    int t, i;
    for (t = 0; tables[t]; t++)
        for (i = 0; tables[t][i].name; i++)
            if (!strcmp(tables[t][i].name, name)) return &tables[t][i];
    return NULL;
}

static int codec_choose(const char *name)
{
    const bench_codec *codec = codec_find(name);
    if (!codec) return fail("no codec %s in this build; --list names them", name);
    if (chosen_count == MAX_CODECS) return fail("too many codecs");
    chosen[chosen_count++] = codec;
    return 0;
}

// One run, both ways. The output buffer is soiled first, so that nothing passes by doing nothing.
static void measure_run(measure *m, const bench_array *a, unsigned char *back, int counts)
{
    double t0, t1, t2, t3;
    if (!counts) memset(back, 0xa5, a->bytes);
    t0 = now();
    m->size = m->codec->pack(m->state, m->packed, m->room);
    t1 = now();
    m->wrong = !m->size;
    t2 = now();
    if (!m->wrong) m->wrong = m->codec->unpack(m->state, m->packed, m->size, back);
    t3 = now();
    if (!m->wrong && (!counts || m->pack.n % 16 == 0)) m->wrong = output_wrong(a, back, &m->error);
    if (m->wrong || !counts) return;
    sample_add(&m->pack, t1 - t0);
    sample_add(&m->unpack, t3 - t2);
    m->done = m->pack.n >= opt.repeat && m->pack.total + m->unpack.total >= opt.seconds;
}

// The packed bytes must not depend on threads or vectors.
static void threads_agree(int i)
{
    int k;
    measure *m = &measures[i];
    for (k = 0; k < i && i < ours_count && m->codec->option && !m->wrong; k++) {
        const measure *one = &measures[k];
        if (!one->state || one->wrong || one->codec->level != m->codec->level) continue;
        m->wrong = one->size != m->size || memcmp(one->packed, m->packed, m->size) != 0;
    }
}

#ifndef BENCH_NO_PADIC

// What most of the blocks took, or of the streams of bytes; "-" where there are none.
static const char *most_of(const uint64_t counts[8], const char *const names[8])
{
    int i, best = 0;
    for (i = 1; i < 8; i++)
        if (counts[i] > counts[best]) best = i;
    return counts[best] ? names[best] : "-";
}

// --stages: a row for an array and a level of ours: choices, and packed bytes by what they are.
static int stages_row(const bench_array *a, const measure *m)
{
    static const char *const transforms[8] = {"bits",    "fields", "scale",   "affine",
                                              "decimal", "raw",    "columns", "plain"};
    static const char *const predictors[8] = {"none", "delta", "delta2", "lorenzo",
                                              "xor", "median", "interpolate", "linear"};
    static const char *const patterns[8] = {"none", "runs", "lz", "constant",
                                            "match", "-", "-", "-"};
    static const char *const digits[8] = {"class", "bytes", "packed", "unit",
                                          "prime", "nibbles", "bits", "table"};
    static const char *const coders[8] = {"raw", "constant", "packed", "huffman",
                                          "rans", "sparse", "context", "repeat"};
    static FILE *file;
    padic_codec_info_desc info;
    static padic_codec_report report;
    int i;
    if (!file) {
        file = fopen(opt.stages, "w");
        if (!file) return fail("cannot write %s", opt.stages);
        fputs("case,class,category,dtype,level,raw_bytes,packed_bytes,ratio,form,predictor,pattern,"
              "digits,coder,copied_blocks,blocks,headers,tokens,bits,planes,patterns,exceptions,"
              "raw,index\n", file);
    }
    info.packed = padic_bytes_in(m->packed, m->size);
    info.report = &report;
    if (padic_codec_info(NULL, &info)) return fail("info of %s", a->name);
    fprintf(file, "%s,%s,%s,%s,%d,%lu,%lu,%.4f,%s,%s,%s,%s,%s,%lu,%lu", a->name, a->origin,
            a->category, a->dtype, m->codec->level, (unsigned long)a->bytes, (unsigned long)m->size,
            (double)a->bytes / (double)m->size, most_of(report.transforms, transforms),
            most_of(report.predictors, predictors), most_of(report.patterns, patterns),
            most_of(report.representations, digits), most_of(report.streams, coders),
            (unsigned long)report.patterns[4], (unsigned long)report.blocks);
    for (i = 0; i < PADIC_CODEC_STREAM_KINDS; i++)
        fprintf(file, ",%lu", (unsigned long)report.bytes[i]);
    fputc('\n', file);
    return fflush(file) ? fail("cannot write %s", opt.stages) : 0;
}

#else
static int stages_row(const bench_array *a, const measure *m)
{
    (void)a;
    (void)m;
    return 0;
}
#endif

// All codecs on one array, in turns until each has its runs and its time.
static int measure_array(const bench_array *a)
{
    unsigned char *back = (unsigned char *)malloc(a->bytes + 64);
    int i, left;
    if (!back) return fail("no memory");
    for (i = 0; i < chosen_count; i++) {
        measure *m = &measures[i];
        memset(m, 0, sizeof *m);
        m->codec = chosen[i];
        m->state = m->codec->open(m->codec, a, &m->room);
        m->done = 1;
        if (!m->state) continue;
        m->packed = (unsigned char *)malloc(m->room + 64);
        if (!m->packed) return fail("no memory");
        memset(m->packed, 0, m->room + 64);
        measure_run(m, a, back, 0); // warms up and checks
        threads_agree(i);
        m->done = m->wrong;
    }
    do {
        left = 0;
        for (i = 0; i < chosen_count; i++) {
            if (measures[i].done) continue;
            measure_run(&measures[i], a, back, 1);
            if (measures[i].wrong) measures[i].done = 1;
            left += !measures[i].done;
        }
    } while (left);
    for (i = 0; i < chosen_count; i++) {
        measure *m = &measures[i];
        if (!m->state) continue;
        if (opt.stages && i < ours_count && !m->codec->option && !m->wrong && stages_row(a, m))
            return 1;
        m->codec->close(m->state);
        free(m->packed);
        sample_sort(&m->pack);
        sample_sort(&m->unpack);
        if (!m->wrong) continue;
        if (i < ours_count) wrong_ours++;
        else wrong_peers++;
        fprintf(stderr, "bench: %s on %s: WRONG OUTPUT\n", m->codec->name, a->name);
    }
    free(back);
    return 0;
}

static void shape_text(const bench_array *a, char *to, size_t room)
{
    uint32_t i;
    size_t n = 0;
    to[0] = 0;
    for (i = 0; i < a->rank && n < room; i++) {
        int k = snprintf(to + n, room - n, "%s%llu", i ? "x" : "", (unsigned long long)a->shape[i]);
        n += k > 0 ? (size_t)k : 0;
    }
}

// The first peer is what ours is judged by: at least half its speed, and no larger.
static void rows_of_array(const bench_array *a)
{
    int i, way;
    char shape[96];
    const measure *peer = ours_count < chosen_count ? &measures[ours_count] : NULL;
    shape_text(a, shape, sizeof shape);
    for (i = 0; i < chosen_count; i++)
        for (way = 0; way < 2; way++) {
            const measure *m = &measures[i];
            const samples *t = way ? &m->unpack : &m->pack;
            row r;
            if (!m->state) continue;
            row_begin(&r, way ? "unpack" : "pack", "codec", threads_of(i));
            row_set(&r, COL_CASE, "%s", a->name);
            row_set(&r, COL_CATEGORY, "%s", a->category);
            row_set(&r, COL_DTYPE, "%s", a->dtype);
            row_set(&r, COL_SHAPE, "%s", shape);
            row_set(&r, COL_N, "%lu", (unsigned long)(a->bytes / a->item));
            row_set(&r, COL_METHOD, "%.*s", (int)strcspn(m->codec->name, "x"), m->codec->name);
            if (m->wrong) {
                row_set(&r, COL_VERDICT, "wrong");
                row_write(&r);
                continue;
            }
            row_times(&r, t, (double)a->bytes);
            row_set(&r, COL_ERROR, "%.6g", m->error);
            row_set(&r, COL_ERROR_KIND, m->error > 0 ? "largest" : "exact");
            row_set(&r, COL_SIZE_RATIO, "%.6f", (double)m->size / (double)a->bytes);
            if (i < ours_count && threads_of(i) == 1 && peer && peer->pack.n) {
                const samples *p = way ? &peer->unpack : &peer->pack;
                double speedup = sample_at(p, 0.5) / sample_at(t, 0.5);
                row_set(&r, COL_PEER, "%s", peer->codec->name);
                row_set(&r, COL_PEER_VERSION, "%s", peer->codec->version());
                row_set(&r, COL_PEER_US, "%.2f", 1e6 * sample_at(p, 0.5));
                row_set(&r, COL_SPEEDUP, "%.3f", speedup);
                row_set(&r, COL_LIMIT, "%.2f", 2e6 * sample_at(p, 0.5));
                row_set(&r, COL_VERDICT, speedup >= 0.5 ? "pass" : "slow");
            }
            row_write(&r);
        }
}

static void keep_results(int array)
{
    int i;
    double mb = (double)arrays[array].bytes * 1e-6;
    for (i = 0; i < chosen_count; i++) {
        const measure *m = &measures[i];
        result *r = &results[array][i];
        if (!m->state || m->wrong || !m->pack.n) continue;
        r->ratio = (double)arrays[array].bytes / (double)m->size;
        r->pack[0] = mb / sample_at(&m->pack, 0);
        r->pack[1] = mb / sample_at(&m->pack, 0.5);
        r->unpack[0] = mb / sample_at(&m->unpack, 0);
        r->unpack[1] = mb / sample_at(&m->unpack, 0.5);
    }
}

// ----------------------------------------------------------------------------------------- tables

static void table_head(const char *first)
{
    int i;
    printf("\n%-26s %-5s", first, "");
    for (i = 0; i < chosen_count; i++) printf(" |%21s", chosen[i]->name);
    printf("\n%-26s %-5s", "", "");
    for (i = 0; i < chosen_count; i++) printf(" | ratio   pack  unpack");
    printf("\n");
}

static void table_cells(const result *r)
{
    int i, k = opt.show_best ? 0 : 1;
    for (i = 0; i < chosen_count; i++)
        if (r[i].ratio > 0)
            printf(" |%6.*f %6.0f %7.0f", r[i].ratio < 100 ? 3 : 1, r[i].ratio, r[i].pack[k],
                   r[i].unpack[k]);
        else
            printf(" |%21s", "-");
    printf("\n");
}

// Geometric means over the arrays of a category, dtype and class ("" takes all) that every codec
// did; returns how many those are. Codecs that cannot take a dtype get means over what they did.
static int means(const char *category, const char *dtype, const char *origin, result *to)
{
    int a, i, count = 0, own[MAX_CODECS];
    memset(to, 0, sizeof *to * MAX_CODECS);
    memset(own, 0, sizeof own);
    for (a = 0; a < array_count; a++) {
        if (category[0] && strcmp(category, arrays[a].category)) continue;
        if (dtype[0] && strcmp(dtype, arrays[a].dtype)) continue;
        if (origin[0] && strcmp(origin, arrays[a].origin)) continue;
        count++;
        for (i = 0; i < chosen_count; i++) {
            const result *r = &results[a][i];
            int k;
            if (r->ratio <= 0) continue;
            own[i]++;
            to[i].ratio += log(r->ratio);
            for (k = 0; k < 2; k++) {
                to[i].pack[k] += log(r->pack[k]);
                to[i].unpack[k] += log(r->unpack[k]);
            }
        }
    }
    for (i = 0; i < chosen_count; i++) {
        int k;
        if (!own[i]) continue;
        to[i].ratio = exp(to[i].ratio / own[i]);
        for (k = 0; k < 2; k++) {
            to[i].pack[k] = exp(to[i].pack[k] / own[i]);
            to[i].unpack[k] = exp(to[i].unpack[k] / own[i]);
        }
    }
    return count;
}

static void table_means(void)
{
    result r[MAX_CODECS];
    int a, b, which, count;
    table_head("geometric means");
    count = means("", "", "", r);
    printf("%-26s %5d", "all", count);
    table_cells(r);
    for (which = 0; which < 2; which++) {
        const char *name = which ? "decoded" : "native";
        count = means("", "", name, r);
        if (!count) continue;
        printf("%-26s %5d", name, count);
        table_cells(r);
    }
    for (which = 0; which < 2; which++)
        for (a = 0; a < array_count; a++) {
            const char *name = which ? arrays[a].dtype : arrays[a].category;
            if (!name[0]) continue;
            for (b = 0; b < a; b++)
                if (!strcmp(name, which ? arrays[b].dtype : arrays[b].category)) break;
            if (b < a) continue; // had it
            count = means(which ? "" : name, which ? name : "", "", r);
            printf("%-26s %5d", name, count);
            table_cells(r);
        }
}

// How unquiet the machine was: median over best time, as a geometric mean.
static double spread(int codec, int unpack)
{
    double sum = 0;
    int a, n = 0;
    for (a = 0; a < array_count; a++) {
        const result *r = &results[a][codec];
        const double *v = unpack ? r->unpack : r->pack;
        if (r->ratio <= 0) continue;
        sum += log(v[0] / v[1]);
        n++;
    }
    return n ? exp(sum / n) : 1;
}

// Ours against peer `p`, arrays that both did.
static void verdict(int ours, int p)
{
    double ratio = 0, speed[2][2] = {{0, 0}, {0, 0}};
    int a, k, n = 0;
    for (a = 0; a < array_count; a++) {
        const result *x = &results[a][ours], *y = &results[a][p];
        if (x->ratio <= 0 || y->ratio <= 0) continue;
        n++;
        ratio += log(x->ratio / y->ratio);
        for (k = 0; k < 2; k++) {
            speed[0][k] += log(x->pack[k] / y->pack[k]);
            speed[1][k] += log(x->unpack[k] / y->unpack[k]);
        }
    }
    if (!n) return;
    ratio = exp(ratio / n);
    for (k = 0; k < 2; k++) {
        speed[0][k] = exp(speed[0][k] / n);
        speed[1][k] = exp(speed[1][k] / n);
    }
    printf("%s / %s (%s), %d arrays: ratio x %.3f, pack x %.3f (best %.3f), unpack x %.3f (best "
           "%.3f)",
           chosen[ours]->name, chosen[p]->name, chosen[p]->version(), n, ratio, speed[0][1],
           speed[0][0], speed[1][1], speed[1][0]);
    if (p == ours_count)
        printf(": %s, pack %s, unpack %s", ratio > 1 ? "smaller" : "LARGER",
               speed[0][1] >= 0.5 ? "pass" : "SLOW", speed[1][1] >= 0.5 ? "pass" : "SLOW");
    printf("\n");
}

// Arrays where ours is more than 2 % larger than a peer, or slower than half of it.
static void flags(int ours, int p)
{
    int a, n = 0;
    for (a = 0; a < array_count; a++) {
        const result *x = &results[a][ours], *y = &results[a][p];
        if (x->ratio <= 0 || y->ratio <= 0 || x->ratio >= 0.98 * y->ratio) continue;
        if (!n++) printf("%s more than 2 %% behind %s:", chosen[ours]->name, chosen[p]->name);
        printf(" %s (%.3f to %.3f)", arrays[a].name, x->ratio, y->ratio);
    }
    if (n) printf("\n");
    if (p != ours_count) return;
    for (n = 0, a = 0; a < array_count; a++) {
        const result *x = &results[a][ours], *y = &results[a][p];
        if (x->ratio <= 0 || y->ratio <= 0 || x->unpack[1] >= 0.5 * y->unpack[1]) continue;
        if (!n++)
            printf("%s unpacks at less than half of %s:", chosen[ours]->name, chosen[p]->name);
        printf(" %s (%.2f)", arrays[a].name, x->unpack[1] / y->unpack[1]);
    }
    if (n) printf("\n");
    for (n = 0, a = 0; a < array_count; a++) {
        const result *x = &results[a][ours], *y = &results[a][p];
        if (x->ratio <= 0 || y->ratio <= 0 || x->pack[1] >= 0.5 * y->pack[1]) continue;
        if (!n++) printf("%s packs at less than half of %s:", chosen[ours]->name, chosen[p]->name);
        printf(" %s (%.2f)", arrays[a].name, x->pack[1] / y->pack[1]);
    }
    if (n) printf("\n");
}

// ------------------------------------------------------------------------------------- operations

static void machine_print(void)
{
    printf("%s, %s, %s%s%s\n", machine_name, machine_cpu, machine_compiler,
           BENCH_FLAGS[0] ? " " : "",
           BENCH_FLAGS);
    printf("%s, %s clock, load %.2f\n", machine_date, opt.cpu_clock ? "thread cpu" : "wall",
           machine_load());
}

// Bandwidth of memcpy, counted as bytes copied (not read plus written).
static void op_memcpy(int print)
{
    size_t size = opt.size ? opt.size : (size_t)64 << 20;
    unsigned char *from = (unsigned char *)malloc(size), *to = (unsigned char *)malloc(size);
    static samples t;
    row r;
    memset(&t, 0, sizeof t);
    if (from && to) {
        memset(from, 1, size);
        memset(to, 2, size);
        while (t.n < opt.repeat || t.total < opt.seconds) {
            double begin = now();
            memcpy(to, from, size);
            sample_add(&t, now() - begin);
            from[(size_t)t.n % size] = to[(size_t)t.n * 977 % size]; // no run can be left out
        }
        sample_sort(&t);
        copy_gbps = (double)size / sample_at(&t, 0.5) * 1e-9;
        row_begin(&r, "memcpy", "bench", 1);
        row_set(&r, COL_N, "%lu", (unsigned long)size);
        row_times(&r, &t, (double)size);
        row_write(&r);
        if (print)
            printf("memcpy of %.0f MB: best %.0f, median %.0f MB/s, %d runs\n", (double)size * 1e-6,
                   (double)size / sample_at(&t, 0) * 1e-6, (double)size / sample_at(&t, 0.5) * 1e-6,
                   t.n);
    }
    free(from);
    free(to);
}

#ifndef BENCH_NO_PADIC

// Words a second out of Philox4x32-10, as integers and as floats; checked against single blocks.
static int op_random(void)
{
    static const padic_dtype dtypes[] = {PADIC_U32, PADIC_U64, PADIC_F32, PADIC_F64, PADIC_F16};
    size_t size = (opt.size ? opt.size : (size_t)16 << 20) / 16 * 16, i, d;
    uint32_t *words = (uint32_t *)malloc(size);
    if (!words || !size) return fail("no memory");
    op_memcpy(1);
    for (d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
        uint64_t n = size / padic_dtype_size(dtypes[d]);
        padic_random_fill_desc desc;
        static samples t;
        row r;
        memset(&desc, 0, sizeof desc);
        memset(&t, 0, sizeof t);
        desc.tensor.data = words;
        desc.tensor.dtype = dtypes[d];
        desc.tensor.rank = 1;
        desc.tensor.shape[0] = n;
        desc.seed = 1;
        memset(words, 0xa5, size);
        if (padic_random_fill(NULL, &desc)) return fail("padic_random_fill failed");
        if (dtypes[d] == PADIC_U32)
            for (i = 0; i < size / 16; i++) {
                uint32_t out[4];
                padic_random_block(1, 0, 0, (uint32_t)i, out);
                if (memcmp(out, words + 4 * i, 16)) return fail("random: WRONG block %lu",
                                                                (unsigned long)i);
            }
        while (t.n < opt.repeat || t.total < opt.seconds) {
            double begin = now();
            padic_random_fill(NULL, &desc);
            sample_add(&t, now() - begin);
        }
        sample_sort(&t);
        row_begin(&r, "random_fill", "random", 1);
        row_set(&r, COL_DTYPE, "%s", padic_dtype_name(dtypes[d]));
        row_set(&r, COL_N, "%lu", (unsigned long)n);
        row_times(&r, &t, (double)size);
        row_write(&r);
        printf("random %-4s best %6.0f, median %6.0f MB/s, %.2f of the copy bandwidth, %d runs\n",
               padic_dtype_name(dtypes[d]), (double)size / sample_at(&t, 0) * 1e-6,
               (double)size / sample_at(&t, 0.5) * 1e-6,
               (double)size / sample_at(&t, 0.5) * 1e-9 / copy_gbps, t.n);
    }
    free(words);
    return 0;
}

#endif

#ifndef BENCH_NO_PADIC
// The plain codec of this level with another option, and a name for that.
static int ours_variant(int level, const char *suffix, int option)
{
    bench_codec *codec = &threaded[chosen_count];
    char *name = threaded_names[chosen_count];
    snprintf(name, sizeof threaded_names[0], "padic%d", level);
    if (codec_choose(name)) return 1;
    *codec = *chosen[chosen_count - 1];
    strcat(name, suffix);
    codec->name = name;
    codec->option = option;
    chosen[chosen_count - 1] = codec;
    return 0;
}
#endif

// Each level with each number of threads.
static int ours_choose(void)
{
#ifndef BENCH_NO_PADIC
    int i, k;
    for (i = 0; i < opt.level_count; i++) {
        for (k = 0; k < opt.thread_count; k++) {
            char name[16];
            snprintf(name, sizeof name, "padic%d", opt.levels[i]);
            if (codec_choose(name)) return 1;
            if (opt.threads[k] == 1) continue;
            if (opt.cpu_clock) return fail("--clock cpu counts one thread only");
            snprintf(threaded_names[chosen_count - 1], sizeof threaded_names[0], "%sx%d", name,
                     opt.threads[k]);
            threaded[chosen_count - 1] = *chosen[chosen_count - 1];
            threaded[chosen_count - 1].name = threaded_names[chosen_count - 1];
            threaded[chosen_count - 1].option = opt.threads[k];
            chosen[chosen_count - 1] = &threaded[chosen_count - 1];
        }
        if (opt.trust && ours_variant(opt.levels[i], "-", OURS_TRUST)) return 1;
        if (opt.simd && ours_variant(opt.levels[i], "simd", OURS_SIMD)) return 1;
        if (opt.simd && opt.trust && ours_variant(opt.levels[i], "simd-", OURS_TRUST_SIMD))
            return 1;
    }
    ours_count = chosen_count;
#endif
    return 0;
}

// How much of N threads' speed arrives, beside the same level with one thread.
static void scaling(void)
{
    int i, one, a;
    for (i = 0; i < ours_count; i++)
        for (one = 0; one < ours_count; one++) {
            double pack = 0, unpack = 0;
            int n = 0;
            if (threads_of(i) < 2 || threads_of(one) > 1) continue;
            if (chosen[i]->level != chosen[one]->level) continue;
            for (a = 0; a < array_count; a++) {
                const result *x = &results[a][i], *y = &results[a][one];
                if (x->ratio <= 0 || y->ratio <= 0) continue;
                pack += log(x->pack[1] / y->pack[1]);
                unpack += log(x->unpack[1] / y->unpack[1]);
                n++;
            }
            if (n)
                printf("%s: pack x %.2f, unpack x %.2f of one thread (efficiency %.0f %% and %.0f "
                       "%%), %d arrays\n",
                       chosen[i]->name, exp(pack / n), exp(unpack / n),
                       100 * exp(pack / n) / threads_of(i), 100 * exp(unpack / n) / threads_of(i),
                        n);
        }
}

static int op_codec(void)
{
    int a, i;
    char words[256], *word, *next;
    double load;
    if (ours_choose()) return 1;
    snprintf(words, sizeof words, "%s", opt.peers);
    for (word = words[0] ? words : NULL; word; word = next) {
        next = strchr(word, ',');
        if (next) *next++ = 0;
        if (codec_choose(word)) return 1;
    }
    if (!chosen_count) return fail("nothing to measure: no level and no peer");
    if (arrays_read()) return 1;
    load = machine_load();
    op_memcpy(1);
    table_head(opt.show_best ? "MB/s: best" : "MB/s: median");
    for (a = 0; a < array_count; a++) {
        bound_prepare(&arrays[a]);
        if (measure_array(&arrays[a])) return 1;
        rows_of_array(&arrays[a]);
        keep_results(a);
        printf("%-26.26s %-5s", arrays[a].name, arrays[a].dtype);
        table_cells(results[a]);
        fflush(stdout);
        free(arrays[a].data);
        arrays[a].data = NULL;
    }
    table_means();
    printf("\nmedian over best time, pack / unpack:");
    for (i = 0; i < chosen_count; i++)
        printf(" %s %.3f / %.3f", chosen[i]->name, spread(i, 0), spread(i, 1));
    printf("; load %.2f before, %.2f after\n", load, machine_load());
    scaling();
    for (a = 0; a < ours_count; a++)
        for (i = ours_count; i < chosen_count; i++)
            if (threads_of(a) == 1) verdict(a, i);
    for (a = 0; a < ours_count; a++)
        for (i = ours_count; i < chosen_count; i++)
            if (threads_of(a) == 1) flags(a, i);
    if (wrong_peers) printf("%d results of peers were wrong and are left out\n", wrong_peers);
    if (wrong_ours) return fail("%d results of ours were WRONG", wrong_ours);
    return 0;
}

// ---------------------------------------------------------------------------------------- options

static void help(void)
{
    puts("bench [--op codec|memcpy|random] [--data FOLDER] [options]\n"
         "  --op OP           codec (needs --data), memcpy, random\n"
         "  --data FOLDER     arrays with their MANIFEST.tsv\n"
         "  --level N,...     levels of ours, default 5; none: only the peers\n"
         "  --threads N,...   threads of ours, default 1; 1,2 shows how it scales\n"
         "  --simd yes        each level with vectors, too\n"
         "  --proof both      each level without the packer's proof, too (a name with -)\n"
         "  --peer NAME,...   peers of this build, the first one gives the limits\n"
         "  --filter WORD,... part of an array's name, or a category, or a dtype\n"
         "  --bound B         error bound; --mode absolute (default), range or pointwise\n"
         "  --repeat N        fewest runs, default 5; --seconds S  and least time, default 0.3\n"
         "  --clock cpu       the thread's processor time instead of the wall clock\n"
         "  --show best       best instead of median speeds in the table\n"
         "  --csv FILE        append rows; --json FILE  write one object a line\n"
         "  --stages FILE     what each array took: choices and packed bytes by kind, as CSV\n"
         "  --size BYTES      of memcpy (default 64 MiB) and random (16 MiB)\n"
         "  --machine NAME --commit HASH   for the rows\n"
         "  --list            codecs of this build");
}

// "1,5,9" into at most `room` numbers from 1 to `most`; "none" is none of them.
static int numbers_read(const char *text, int most, int room, int *to, int *count)
{
    *count = 0;
    if (!strcmp(text, "none")) return 0;
    while (*text) {
        int number = atoi(text);
        if (number < 1 || number > most || *count == room)
            return fail("not up to %d numbers from 1 to %d: %s", room, most, text);
        to[(*count)++] = number;
        text += strcspn(text, ",");
        if (*text) text++;
    }
    return 0;
}

static int options_read(int argc, char **argv)
{
    int i;
    opt.op = "codec";
    opt.levels[0] = 5;
    opt.level_count = 1;
    opt.threads[0] = 1;
    opt.thread_count = 1;
    opt.repeat = 5;
    opt.seconds = 0.3;
    opt.peers = codec_find("zstd9s") ? "zstd3s,zstd9s" : "";
    for (i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
            help();
            exit(0);
        }
        if (!strcmp(name, "--list")) {
            opt.list = 1;
            continue;
        }
        if (!value) return fail("%s needs a value; --help lists the options", name);
        i++;
        if (!strcmp(name, "--op")) opt.op = value;
        else if (!strcmp(name, "--data")) opt.data = value;
        else if (!strcmp(name, "--filter")) opt.filter = value;
        else if (!strcmp(name, "--peer")) opt.peers = strcmp(value, "none") ? value : "";
        else if (!strcmp(name, "--csv")) opt.csv = value;
        else if (!strcmp(name, "--json")) opt.json = value;
        else if (!strcmp(name, "--stages")) opt.stages = value;
        else if (!strcmp(name, "--machine")) opt.machine = value;
        else if (!strcmp(name, "--commit")) opt.commit = value;
        else if (!strcmp(name, "--repeat")) opt.repeat = atoi(value);
        else if (!strcmp(name, "--seconds")) opt.seconds = atof(value);
        else if (!strcmp(name, "--size")) opt.size = (size_t)strtoull(value, NULL, 10);
        else if (!strcmp(name, "--simd")) opt.simd = !strcmp(value, "yes");
        else if (!strcmp(name, "--proof")) opt.trust = !strcmp(value, "both");
        else if (!strcmp(name, "--clock")) opt.cpu_clock = !strcmp(value, "cpu");
        else if (!strcmp(name, "--show")) opt.show_best = !strcmp(value, "best");
        else if (!strcmp(name, "--level")) {
            if (numbers_read(value, 9, 9, opt.levels, &opt.level_count)) return 1;
        } else if (!strcmp(name, "--threads")) {
            if (numbers_read(value, 256, 16, opt.threads, &opt.thread_count)) return 1;
        } else if (!strcmp(name, "--bound")) {
            opt.tolerance = atof(value);
            if (!opt.tolerance_mode) opt.tolerance_mode = 1;
        } else if (!strcmp(name, "--mode")) {
            opt.tolerance_mode = !strcmp(value, "pointwise") ? 3 : !strcmp(value, "range") ? 2 : 1;
        } else
            return fail("no option %s; --help lists them", name);
    }
    if (opt.tolerance_mode && !(opt.tolerance > 0)) return fail("--bound must be above zero");
    if (opt.repeat < 1 || opt.repeat > MAX_SAMPLES) return fail("--repeat is 1 to %d", MAX_SAMPLES);
    return 0;
}

static void list(void)
{
    int t, i;
    for (t = 0; tables[t]; t++)
        for (i = 0; tables[t][i].name; i++)
            printf("%-10s %s\n", tables[t][i].name, tables[t][i].version());
}

int main(int argc, char **argv)
{
    int status = 0;
    if (options_read(argc, argv)) return 2;
    if (opt.list) {
        list();
        return 0;
    }
    machine_read();
    if (outputs_open()) return 2;
    machine_print();
    if (!strcmp(opt.op, "memcpy")) op_memcpy(1);
    else if (!strcmp(opt.op, "codec")) status = op_codec();
#ifndef BENCH_NO_PADIC
    else if (!strcmp(opt.op, "random")) status = op_random();
#endif
    else status = fail("no operation %s; --help lists them", opt.op);
    if (csv_file && fclose(csv_file)) status = fail("cannot write %s", opt.csv);
    if (json_file && fclose(json_file)) status = fail("cannot write %s", opt.json);
    return status;
}
