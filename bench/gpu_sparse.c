// gpu_sparse.c: how fast dense matrices become CSR on a device, as CSV.
//
// cc -O2 -std=gnu99 -DPADIC_NO_CODEC bench/gpu_sparse.c -o gpu_sparse -lm -lpthread -ldl
// ./gpu_sparse [cuda|opencl] [--repeat N] [--scale N] [--method NAME] [--cases N]
//     the table, or its first N cases (5: those of the targets) by one method; sizes divided by 2^N
// ./gpu_sparse cuda --data FILE --type u8|f32 --cols N [--method NAME] [--dump PREFIX]
//     one matrix of a file; PREFIX.row_ptr, .col and .value are the result, for another reader
//
// Columns: device, type, elements, cols, density, method, entries, ns (median of the repeats, each
// of so many calls that it takes 20 ms, nothing waited for in between), latency_ns (one call and
// the wait for its end), gbs (bytes that one pass must move: s + d (4 + s) an element, and the row
// pointers), share (of the copy bandwidth of this run). The row `copy` is a device-to-device copy
// of 1 GiB: bytes read and written.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define PADIC_IMPLEMENTATION
#include "../padic.h"

#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"

#include "gpu.h"

static double latency(call_fn call, void *arg)
{
    double t[64], begin;
    int i;
    for (i = 0; i < repeats; i++) {
        begin = now();
        call(arg);
        must(padic_context_sync(context), "sync");
        t[i] = now() - begin;
    }
    return median(t, repeats);
}

static void row(const char *type, uint64_t elements, uint64_t cols, double density,
                const char *method, uint64_t entries, double ns, double late, double bytes)
{
    printf("\"%s\",%s,%llu,%llu,%g,%s,%llu,%.0f,%.0f,%.1f,%.3f\n", info.name, type,
           (unsigned long long)elements, (unsigned long long)cols, density, method,
           (unsigned long long)entries, ns, late, bytes / ns, bytes / ns / copy_rate);
    fflush(stdout);
}

static void bench_copy(int scale)
{
    copy_job job;
    double ns;
    job.size = (UINT64_C(1) << 30) >> scale;
    job.from = buffer_of(job.size);
    job.to = buffer_of(job.size);
    must(padic_buffer_fill(context, job.from, 0, 0x01020304u, job.size), "fill");
    ns = measure(copy_call, &job);
    copy_rate = 2.0 * (double)job.size / ns;
    row("u8", job.size, 0, 0, "copy", 0, ns, latency(copy_call, &job), 2.0 * (double)job.size);
    must(padic_buffer_destroy(context, job.from), "destroy");
    must(padic_buffer_destroy(context, job.to), "destroy");
}

static const struct {
    const char *name;
    padic_sparse_method method;
} methods[] = {{"one_pass", PADIC_SPARSE_METHOD_GPU_ONE_PASS},
               {"bitmap", PADIC_SPARSE_METHOD_GPU_BITMAP},
               {"reread", PADIC_SPARSE_METHOD_GPU_REREAD},
               {"auto", PADIC_SPARSE_METHOD_AUTO}};

typedef struct encode_job {
    padic_sparse_encode_desc desc;
    padic_sparse_csr csr;
} encode_job;

static void settle(encode_job *job)
{
    padic_sparse_settle_desc desc = PADIC_ZERO;
    desc.matrix = &job->csr;
    desc.totals = job->desc.totals;
    must(padic_sparse_settle(context, &desc), "settle");
}

static void encode_call(void *arg)
{
    encode_job *job = (encode_job *)arg;
    job->desc.out = &job->csr;
    must(padic_sparse_encode(context, &job->desc), "encode");
}

static void job_begin(encode_job *job, padic_dtype dtype, uint64_t rows, uint64_t cols,
                      uint64_t room, padic_sparse_method method)
{
    const uint32_t s = padic_dtype_size(dtype);
    memset(job, 0, sizeof *job);
    job->desc.source.dense = padic_tensor_in(padic_tensor_2d(dtype, NULL, rows, cols),
                                      buffer_of(rows * cols * s), 0);
    job->desc.source.mode = dtype == PADIC_F32 ? PADIC_SPARSE_MODE_NONZERO : PADIC_SPARSE_MODE_BITS;
    job->desc.method = method;
    job->desc.totals = padic_tensor_in(padic_tensor_1d(PADIC_U64, NULL, 4), buffer_of(32), 0);
    job->csr.row_ptr = padic_tensor_in(padic_tensor_1d(PADIC_I32, NULL, rows + 1),
                                       buffer_of((rows + 1) * 4), 0);
    job->csr.col = padic_tensor_in(padic_tensor_1d(PADIC_I32, NULL, room), buffer_of(room * 4), 0);
    job->csr.value = padic_tensor_in(padic_tensor_1d(dtype, NULL, room), buffer_of(room * s), 0);
}

static void job_end(encode_job *job)
{
    must(padic_buffer_destroy(context, job->desc.source.dense.buffer), "destroy");
    must(padic_buffer_destroy(context, job->desc.totals.buffer), "destroy");
    must(padic_sparse_destroy(context, &job->csr), "destroy");
}

// Elements that are not zero with a probability of `density`, by a generator of 64 bits.
static void make(void *data, uint32_t size, uint64_t n, double density)
{
    const uint64_t limit = (uint64_t)(density * 4294967296.0);
    uint64_t i, x = 88172645463325252u;
    for (i = 0; i < n; i++) {
        float f;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        if (size == 1) {
            ((uint8_t *)data)[i] = (x >> 32) < limit ? (uint8_t)(x % 255 + 1) : 0;
        } else {
            f = (x >> 32) < limit ? (float)(x & 0xffff) + 1.0f : 0.0f;
            memcpy((uint8_t *)data + 4 * i, &f, 4);
        }
    }
}

// `times` copies of a matrix below each other: that many of its rows and entries.
typedef struct part {
    const void *data;
    uint64_t rows, cols, times;
} part;

// One part is uploaded; then what is there is copied behind itself.
static void fill(padic_buffer to, const part *x, uint32_t size)
{
    const uint64_t one = x->rows * x->cols * size, all = one * x->times;
    uint64_t have = one;
    must(padic_buffer_upload(context, to, 0, x->data, one), "upload");
    while (have < all) {
        const uint64_t more = all - have < have ? all - have : have;
        must(padic_buffer_copy(context, to, have, to, 0, more), "copy");
        have += more;
    }
}

// Whether `n` bytes of the device from `at` on are those of the host.
static int same(padic_buffer buffer, uint64_t at, const void *host, void *got, uint64_t n)
{
    if (!n) return 1;
    must(padic_buffer_download(context, buffer, at, got, n), "read");
    return !memcmp(got, host, (size_t)n);
}

// The result of the last call, all of it, beside the host's of the part.
static uint64_t check(encode_job *job, const part *x)
{
    const padic_dtype dtype = job->desc.source.dense.dtype;
    const uint32_t s = padic_dtype_size(dtype);
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_csr host = PADIC_ZERO;
    const uint64_t room = x->rows * x->cols, longest = room > x->rows ? room : x->rows + 1;
    int32_t *row_ptr = (int32_t *)malloc((size_t)(x->rows + 1) * 4);
    void *col = malloc((size_t)room * 4), *value = malloc((size_t)room * s);
    void *got = malloc((size_t)longest * 4);
    uint64_t t, r;
    int right;
    if (!row_ptr || !col || !value || !got) exit(1);
    desc.source.dense = padic_tensor_2d(dtype, (void *)(uintptr_t)x->data, x->rows, x->cols);
    desc.source.mode = job->desc.source.mode;
    host.row_ptr = padic_tensor_1d(PADIC_I32, row_ptr, x->rows + 1);
    host.col = padic_tensor_1d(PADIC_I32, col, room);
    host.value = padic_tensor_1d(dtype, value, room);
    desc.out = &host;
    must(padic_sparse_encode(NULL, &desc), "host");
    settle(job);
    right = job->csr.nnz == host.nnz * x->times;
    for (t = 0; t < x->times && right; t++) {
        right = same(job->csr.row_ptr.buffer, t * x->rows * 4, row_ptr, got, (x->rows + 1) * 4) &&
                same(job->csr.col.buffer, t * host.nnz * 4, col, got, host.nnz * 4) &&
                same(job->csr.value.buffer, t * host.nnz * s, value, got, host.nnz * s);
        for (r = 0; r <= x->rows; r++) row_ptr[r] += (int32_t)host.nnz;
    }
    if (!right) fprintf(stderr, "WRONG: the result differs from the host's\n");
    if (!right) exit(2);
    free(row_ptr);
    free(col);
    free(value);
    free(got);
    return job->csr.nnz;
}

static void bench_one(const char *type, const part *x, double density, int only)
{
    const padic_dtype dtype = strcmp(type, "f32") ? PADIC_U8 : PADIC_F32;
    const uint64_t rows = x->rows * x->times, n = rows * x->cols, s = padic_dtype_size(dtype);
    const uint64_t room = (uint64_t)((double)n * density * 1.02) + 4096;
    int m;
    for (m = 0; m < 4; m++) {
        encode_job job;
        uint64_t nnz;
        double ns;
        if (only >= 0 && m != only) continue;
        job_begin(&job, dtype, rows, x->cols, room < n ? room : n, methods[m].method);
        fill(job.desc.source.dense.buffer, x, (uint32_t)s);
        job.desc.out = &job.csr;
        if (padic_sparse_encode(context, &job.desc) == PADIC_ERROR_NOT_SUPPORTED) {
            fprintf(stderr, "%s: not supported here\n", methods[m].name);
            job_end(&job);
            continue;
        }
        ns = measure(encode_call, &job);
        nnz = check(&job, x);
        row(type, n, x->cols, density, methods[m].name, nnz, ns, latency(encode_call, &job),
            (double)(n * s) + (double)nnz * (double)(4 + s) + (double)rows * 4);
        job_end(&job);
    }
}

// Large matrices are repeated parts of 2^26 elements. First those of the table of targets.
static const struct {
    const char *type;
    uint64_t rows, cols, times;
} cases[] = {{"u8", 1 << 12, 1 << 14, 4},   {"u8", 1 << 12, 1 << 14, 15},
             {"f32", 1 << 12, 1 << 14, 4},  {"f32", 1 << 12, 1 << 14, 15},
             {"f32", 1 << 13, 1 << 13, 1},  {"u8", 1 << 12, 1 << 11, 1},
             {"f32", 1 << 10, 1 << 10, 1},  {"u8", 1 << 8, 1 << 8, 1},
             {"u8", 1 << 22, 16, 4}};
#define CASES ((int)(sizeof cases / sizeof cases[0]))

static void table(int scale, int cases_wanted, int only)
{
    static const double densities[] = {0.001, 0.01, 0.1, 0.5};
    int c, d;
    for (c = 0; c < CASES && c < cases_wanted; c++)
        for (d = 0; d < 4; d++) {
            const uint32_t size = strcmp(cases[c].type, "f32") ? 1 : 4;
            void *data;
            part x;
            x.rows = cases[c].rows >> scale ? cases[c].rows >> scale : 1;
            x.cols = cases[c].cols;
            x.times = cases[c].times;
            x.data = data = malloc((size_t)(x.rows * x.cols * size));
            if (!data) exit(1);
            make(data, size, x.rows * x.cols, densities[d]);
            bench_one(cases[c].type, &x, densities[d], only);
            free(data);
        }
}

static void dump(const char *prefix, const char *suffix, padic_buffer buffer, uint64_t size)
{
    char name[512];
    FILE *file;
    void *data = malloc((size_t)size + 1);
    snprintf(name, sizeof name, "%s.%s", prefix, suffix);
    must(padic_buffer_download(context, buffer, 0, data, size), "download");
    file = fopen(name, "wb");
    if (!file || fwrite(data, 1, (size_t)size, file) != size || fclose(file)) exit(1);
    free(data);
}

static int one_file(const char *path, const char *type, uint64_t cols, int method,
                    const char *prefix)
{
    const uint64_t s = strcmp(type, "f32") ? 1 : 4;
    FILE *file = fopen(path, "rb");
    uint64_t size, n, nnz = 0, i, rows;
    uint8_t *data;
    encode_job job;
    part all;
    if (!file || fseek(file, 0, SEEK_END)) return fprintf(stderr, "%s?\n", path), 1;
    size = (uint64_t)ftell(file);
    rewind(file);
    data = (uint8_t *)malloc((size_t)size);
    if (!data || fread(data, 1, (size_t)size, file) != size || !cols) return 1;
    fclose(file);
    rows = size / s / cols;
    n = rows * cols;
    for (i = 0; i < n; i++) {
        uint32_t x = 0;
        memcpy(&x, data + i * s, (size_t)s);
        nnz += x != 0;
    }
    all.data = data;
    all.rows = rows;
    all.cols = cols;
    all.times = 1;
    bench_one(type, &all, (double)nnz / (double)n, method);
    if (prefix) {
        job_begin(&job, s == 4 ? PADIC_F32 : PADIC_U8, rows, cols, nnz,
                  method < 0 ? PADIC_SPARSE_METHOD_AUTO : methods[method].method);
        must(padic_buffer_upload(context, job.desc.source.dense.buffer, 0, data, n * s), "upload");
        encode_call(&job);
        settle(&job);
        dump(prefix, "row_ptr", job.csr.row_ptr.buffer, (rows + 1) * 4);
        dump(prefix, "col", job.csr.col.buffer, job.csr.nnz * 4);
        dump(prefix, "value", job.csr.value.buffer, job.csr.nnz * s);
        job_end(&job);
    }
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    padic_context_desc desc = PADIC_ZERO;
    const char *data = NULL, *type = "u8", *prefix = NULL;
    uint64_t cols = 0;
    int i, m, scale = 0, method = -1, wanted = CASES;
    desc.backends[0] = padic_cuda();
    for (i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(word, "opencl")) desc.backends[0] = padic_opencl();
        else if (!strcmp(word, "cuda")) desc.backends[0] = padic_cuda();
        else if (!strcmp(word, "--data")) data = value, i++;
        else if (!strcmp(word, "--type")) type = value, i++;
        else if (!strcmp(word, "--dump")) prefix = value, i++;
        else if (!strcmp(word, "--cols")) cols = strtoull(value, NULL, 10), i++;
        else if (!strcmp(word, "--repeat")) repeats = atoi(value), i++;
        else if (!strcmp(word, "--scale")) scale = atoi(value), i++;
        else if (!strcmp(word, "--cases")) wanted = atoi(value), i++;
        else if (!strcmp(word, "--method")) {
            for (m = 0; m < 4; m++)
                if (!strcmp(value, methods[m].name)) method = m;
            i++;
        } else return fprintf(stderr, "%s: unknown argument %s\n", argv[0], word), 2;
    }
    if (repeats < 1 || repeats > 63) repeats = 9;
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    if (padic_context_create(&desc, &context)) return fprintf(stderr, "no device\n"), 77;
    padic_context_device_info(context, &info);
    printf("device,type,elements,cols,density,method,entries,ns,latency_ns,gbs,share\n");
    bench_copy(scale);
    if (data)
        i = one_file(data, type, cols, method, prefix);
    else
        table(scale, wanted, method), i = 0;
    padic_context_destroy(context);
    return i;
}
