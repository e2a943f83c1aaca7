// gpu_sparse.c: how fast dense matrices become CSR on a device, as CSV.
//
// cc -O2 -std=gnu99 -DPADIC_NO_CODEC bench/gpu_sparse.c -o gpu_sparse -lm -lpthread -ldl
// ./gpu_sparse [cuda|opencl] [--repeat N] [--scale N] [--method NAME] [--cases N]
//     the table, or its first N cases by one method; sizes divided by 2^N
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
#include "../padic_num.h"

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
} methods[] = {{"one_pass", PADIC_SPARSE_GPU_ONE_PASS},
               {"bitmap", PADIC_SPARSE_GPU_BITMAP},
               {"reread", PADIC_SPARSE_GPU_REREAD},
               {"auto", PADIC_SPARSE_AUTO}};

typedef struct encode_job {
    padic_sparse_encode_desc desc;
    padic_sparse_csr csr;
} encode_job;

static void encode_call(void *arg)
{
    encode_job *job = (encode_job *)arg;
    must(padic_sparse_encode(context, &job->csr, &job->desc, NULL), "encode");
}

static void job_begin(encode_job *job, padic_dtype dtype, uint64_t rows, uint64_t cols,
                      uint64_t room, padic_sparse_method method)
{
    const uint32_t s = padic_dtype_size(dtype);
    memset(job, 0, sizeof *job);
    job->desc.dense = padic_tensor_in(padic_tensor_2d(dtype, NULL, rows, cols),
                                      buffer_of(rows * cols * s), 0);
    job->desc.mode = dtype == PADIC_F32 ? PADIC_SPARSE_NONZERO : PADIC_SPARSE_BITS;
    job->desc.method = method;
    job->desc.totals = padic_tensor_in(padic_tensor_1d(PADIC_U64, NULL, 4), buffer_of(32), 0);
    job->csr.row_ptr = padic_tensor_in(padic_tensor_1d(PADIC_I32, NULL, rows + 1),
                                       buffer_of((rows + 1) * 4), 0);
    job->csr.col = padic_tensor_in(padic_tensor_1d(PADIC_I32, NULL, room), buffer_of(room * 4), 0);
    job->csr.value = padic_tensor_in(padic_tensor_1d(dtype, NULL, room), buffer_of(room * s), 0);
}

static void job_end(encode_job *job)
{
    must(padic_buffer_destroy(context, job->desc.dense.buffer), "destroy");
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

// The result of the last call beside the host's.
static uint64_t check(encode_job *job, const void *data, uint64_t rows, uint64_t cols)
{
    const padic_dtype dtype = job->desc.dense.dtype;
    const uint32_t s = padic_dtype_size(dtype);
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_csr host = PADIC_ZERO;
    const uint64_t room = job->csr.col.shape[0];
    void *plane[3], *got = malloc((size_t)(room + rows + 1) * 4);
    int wrong;
    plane[0] = malloc((size_t)(rows + 1) * 4);
    plane[1] = malloc((size_t)room * 4 + 4);
    plane[2] = malloc((size_t)room * s + 4);
    desc.dense = padic_tensor_2d(dtype, (void *)(uintptr_t)data, rows, cols);
    desc.mode = job->desc.mode;
    host.row_ptr = padic_tensor_1d(PADIC_I32, plane[0], rows + 1);
    host.col = padic_tensor_1d(PADIC_I32, plane[1], room);
    host.value = padic_tensor_1d(dtype, plane[2], room);
    must(padic_sparse_encode(NULL, &host, &desc, NULL), "host");
    must(padic_sparse_settle(context, &job->csr, &job->desc, NULL), "settle");
    wrong = job->csr.nnz != host.nnz;
    must(padic_buffer_download(context, job->csr.row_ptr.buffer, 0, got, (rows + 1) * 4), "read");
    wrong |= memcmp(got, plane[0], (size_t)(rows + 1) * 4) != 0;
    must(padic_buffer_download(context, job->csr.col.buffer, 0, got, host.nnz * 4), "read");
    wrong |= memcmp(got, plane[1], (size_t)host.nnz * 4) != 0;
    must(padic_buffer_download(context, job->csr.value.buffer, 0, got, host.nnz * s), "read");
    wrong |= memcmp(got, plane[2], (size_t)host.nnz * s) != 0;
    if (wrong) fprintf(stderr, "WRONG: the result differs from the host's\n");
    if (wrong) exit(2);
    free(plane[0]);
    free(plane[1]);
    free(plane[2]);
    free(got);
    return host.nnz;
}

static void bench_one(const char *type, const void *data, uint64_t rows, uint64_t cols,
                      double density, int only)
{
    const padic_dtype dtype = strcmp(type, "f32") ? PADIC_U8 : PADIC_F32;
    const uint64_t n = rows * cols, s = padic_dtype_size(dtype);
    const uint64_t room = (uint64_t)((double)n * density * 1.02) + 4096;
    int m;
    for (m = 0; m < 4; m++) {
        encode_job job;
        uint64_t nnz;
        double ns;
        if (only >= 0 && m != only) continue;
        job_begin(&job, dtype, rows, cols, room < n ? room : n, methods[m].method);
        must(padic_buffer_upload(context, job.desc.dense.buffer, 0, data, n * s), "upload");
        if (padic_sparse_encode(context, &job.csr, &job.desc, NULL) == PADIC_ERROR_NOT_SUPPORTED) {
            fprintf(stderr, "%s: not supported here\n", methods[m].name);
            job_end(&job);
            continue;
        }
        ns = measure(encode_call, &job);
        nnz = check(&job, data, rows, cols);
        row(type, n, cols, density, methods[m].name, nnz, ns, latency(encode_call, &job),
            (double)(n * s) + (double)nnz * (double)(4 + s) + (double)rows * 4);
        job_end(&job);
    }
}

static void table(int scale, int cases_wanted, int only)
{
    static const double densities[] = {0.001, 0.01, 0.1, 0.5};
    static const struct {
        const char *type;
        uint64_t rows, cols;
    } cases[] = {{"u8", 1 << 14, 1 << 14}, {"f32", 1 << 13, 1 << 13}, {"u8", 1 << 12, 1 << 11},
                 {"f32", 1 << 10, 1 << 10}, {"u8", 1 << 8, 1 << 8}, {"u8", 1 << 24, 16}};
    int c, d;
    for (c = 0; c < 6 && c < cases_wanted; c++)
        for (d = 0; d < 4; d++) {
            const uint64_t rows = cases[c].rows >> scale ? cases[c].rows >> scale : 1;
            const uint32_t size = strcmp(cases[c].type, "f32") ? 1 : 4;
            void *data = malloc((size_t)(rows * cases[c].cols * size));
            if (!data) exit(1);
            make(data, size, rows * cases[c].cols, densities[d]);
            bench_one(cases[c].type, data, rows, cases[c].cols, densities[d], only);
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
    bench_one(type, data, rows, cols, (double)nnz / (double)n, method);
    if (prefix) {
        job_begin(&job, s == 4 ? PADIC_F32 : PADIC_U8, rows, cols, nnz,
                  method < 0 ? PADIC_SPARSE_AUTO : methods[method].method);
        must(padic_buffer_upload(context, job.desc.dense.buffer, 0, data, n * s), "upload");
        encode_call(&job);
        must(padic_sparse_settle(context, &job.csr, &job.desc, NULL), "settle");
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
    int i, m, scale = 0, method = -1, cases = 6;
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
        else if (!strcmp(word, "--cases")) cases = atoi(value), i++;
        else if (!strcmp(word, "--method")) {
            for (m = 0; m < 4; m++)
                if (!strcmp(value, methods[m].name)) method = m;
            i++;
        } else return fprintf(stderr, "%s: unknown argument %s\n", argv[0], word), 2;
    }
    if (repeats < 1 || repeats > 63) repeats = 9;
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    if (padic_context_create(&desc, &context)) return fprintf(stderr, "no device\n"), 77;
    padic_context_device(context, &info);
    printf("device,type,elements,cols,density,method,entries,ns,latency_ns,gbs,share\n");
    bench_copy(scale);
    if (data)
        i = one_file(data, type, cols, method, prefix);
    else
        table(scale, cases, method), i = 0;
    padic_context_destroy(context);
    return i;
}
