// codec_nvcomp.c: nvCOMP's batched calls on an array in a GPU's memory, for codec_nvcomp.py.
//
// cc -O2 bench/peers/codec_nvcomp.c -o codec_nvcomp -I $NVCOMP/include -I $CUDA/include
//     -L $CUDA/lib64 $NVCOMP/lib64/libnvcomp.so.6 -lcudart -Wl,-rpath,$NVCOMP/lib64
// NVCOMP is the folder nvidia/libnvcomp of PyPI's package nvidia-libnvcomp-cu13 (proprietary).
// ./codec_nvcomp FILE TYPE BYTES [--chunk N] [--repeat N]
//
// The array is FILE again and again up to BYTES; TYPE is f32, i32, f64, u16, u8 or bf16. A row a
// method: peer, chunk, ratio, pack_ns, unpack_ns, median of the repeats: a call and the wait for
// its end, all memory made before. Chunks (65,536 bytes) are packed to places of their own, which
// stay apart; ratio counts what they have. What came back is compared with what was packed.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime.h>
#include <nvcomp/ans.h>
#include <nvcomp/bitcomp.h>
#include <nvcomp/cascaded.h>
#include <nvcomp/gdeflate.h>
#include <nvcomp/lz4.h>

static size_t bytes, chunk = 65536, chunks;
static int repeats = 9;
static char *array, *packed, *back;
static void **from, **to, **into;                // places of the chunks, on the device
static size_t *sizes, *packed_sizes, *got_sizes; // on the device
static nvcompStatus_t *statuses;

static void must(unsigned fault, const char *what)
{
    if (!fault) return;
    fprintf(stderr, "%s: error %u\n", what, fault);
    exit(2);
}

static void *on_device(size_t size)
{
    void *memory;
    must(cudaMalloc(&memory, size ? size : 1), "cudaMalloc");
    return memory;
}

static void **places(char *first, size_t step)
{
    void **host = (void **)malloc(chunks * sizeof *host), **device;
    size_t i;
    for (i = 0; i < chunks; i++) host[i] = first + i * step;
    device = (void **)on_device(chunks * sizeof *host);
    must(cudaMemcpy(device, host, chunks * sizeof *host, cudaMemcpyHostToDevice), "places");
    free(host);
    return device;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

// The median time of `call` and the wait for its end.
#define MEASURE(ns, call)                                        \
    do {                                                         \
        double times[64];                                        \
        int run;                                                 \
        for (run = -2; run < repeats; run++) {                   \
            const double begin = now();                          \
            must((unsigned)(call), #call);                            \
            must(cudaStreamSynchronize(NULL), #call);            \
            if (run >= 0) times[run] = now() - begin;            \
        }                                                        \
        qsort(times, (size_t)repeats, sizeof *times, by_size);   \
        ns = times[repeats / 2];                                 \
    } while (0)

static void report(const char *peer, double pack, double unpack, const char *host)
{
    size_t *got = (size_t *)malloc(chunks * sizeof *got), sum = 0, i;
    nvcompStatus_t *status = (nvcompStatus_t *)malloc(chunks * sizeof *status);
    char *result = (char *)malloc(bytes);
    must(cudaMemcpy(got, packed_sizes, chunks * sizeof *got, cudaMemcpyDeviceToHost), "sizes");
    must(cudaMemcpy(status, statuses, chunks * sizeof *status, cudaMemcpyDeviceToHost), "status");
    must(cudaMemcpy(result, back, bytes, cudaMemcpyDeviceToHost), "result");
    for (i = 0; i < chunks; i++) must(status[i], "chunk"), sum += got[i];
    printf("%s,%zu,%.3f,%.0f,%.0f%s\n", peer, chunk, (double)bytes / (double)sum, pack, unpack,
           memcmp(result, host, bytes) ? ",WRONG" : "");
    fflush(stdout);
    free(got);
    free(status);
    free(result);
}

// nvCOMP names the calls of its methods alike.
#define METHOD(Name, peer, pack_options, unpack_options)                                          \
    do {                                                                                          \
        nvcompBatched##Name##CompressOpts_t opts = pack_options;                                  \
        nvcompBatched##Name##DecompressOpts_t back_opts = unpack_options;                         \
        size_t room, temp_size, back_temp_size;                                                   \
        void *temp, *back_temp;                                                                   \
        double pack, unpack;                                                                      \
        must(nvcompBatched##Name##CompressGetMaxOutputChunkSize(chunk, opts, &room), peer);       \
        must(nvcompBatched##Name##CompressGetTempSize(chunks, chunk, opts, &temp_size, bytes,     \
                                                      NULL), peer);                               \
        must(nvcompBatched##Name##DecompressGetTempSize(chunks, chunk, back_opts,                 \
                                                        &back_temp_size, bytes, NULL), peer);     \
        room = (room + 255) / 256 * 256;                                                          \
        packed = (char *)on_device(room * chunks);                                                \
        to = places(packed, room);                                                                \
        temp = on_device(temp_size), back_temp = on_device(back_temp_size);                       \
        must(cudaMemset(back, 0, bytes), "memset");                                               \
        MEASURE(pack, nvcompBatched##Name##CompressAsync(                                         \
                          (const void *const *)from, sizes, chunk, chunks, temp, temp_size, to,   \
                          packed_sizes, opts, statuses, NULL));                                   \
        MEASURE(unpack, nvcompBatched##Name##DecompressAsync(                                     \
                            (const void *const *)to, packed_sizes, sizes, got_sizes, chunks,      \
                            back_temp, back_temp_size, into, back_opts, statuses, NULL));         \
        report(peer, pack, unpack, host);                                                         \
        cudaFree(temp), cudaFree(back_temp), cudaFree(packed), cudaFree(to);                      \
    } while (0)

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        nvcompType_t bits, ans; // as an integer; for ANS
    } types[] = {{"f32", NVCOMP_TYPE_UINT, NVCOMP_TYPE_FLOAT32},
                 {"i32", NVCOMP_TYPE_INT, NVCOMP_TYPE_UCHAR},
                 {"f64", NVCOMP_TYPE_ULONGLONG, NVCOMP_TYPE_UCHAR},
                 {"u16", NVCOMP_TYPE_USHORT, NVCOMP_TYPE_UCHAR},
                 {"bf16", NVCOMP_TYPE_USHORT, NVCOMP_TYPE_FLOAT16},
                 {"u8", NVCOMP_TYPE_UCHAR, NVCOMP_TYPE_UCHAR}};
    size_t t, part, at;
    char *host;
    FILE *file;
    int i;
    if (argc < 4) return fprintf(stderr, "usage: %s FILE TYPE BYTES [--chunk N]\n", argv[0]), 2;
    for (t = 0; t < 6 && strcmp(types[t].name, argv[2]);) t++;
    bytes = (size_t)strtoull(argv[3], NULL, 10);
    for (i = 4; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--chunk")) chunk = (size_t)atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--repeat")) repeats = atoi(argv[i + 1]);
    }
    file = fopen(argv[1], "rb");
    if (t == 6 || !file || !chunk || bytes % chunk || !bytes || repeats < 1 || repeats > 63)
        return fprintf(stderr, "%s: bad type, file, size or count\n", argv[0]), 2;
    host = (char *)malloc(bytes);
    part = fread(host, 1, bytes, file);
    fclose(file);
    if (!part) return fprintf(stderr, "%s: empty\n", argv[1]), 2;
    for (at = part; at < bytes; at++) host[at] = host[at - part];
    chunks = bytes / chunk;
    array = (char *)on_device(bytes);
    back = (char *)on_device(bytes);
    must(cudaMemcpy(array, host, bytes, cudaMemcpyHostToDevice), "copy");
    from = places(array, chunk);
    into = places(back, chunk);
    sizes = (size_t *)on_device(3 * chunks * sizeof *sizes);
    packed_sizes = sizes + chunks;
    got_sizes = packed_sizes + chunks;
    statuses = (nvcompStatus_t *)on_device(chunks * sizeof *statuses);
    {
        size_t *all = (size_t *)malloc(chunks * sizeof *all);
        for (at = 0; at < chunks; at++) all[at] = chunk;
        must(cudaMemcpy(sizes, all, chunks * sizeof *all, cudaMemcpyHostToDevice), "sizes");
        free(all);
    }
    {
        nvcompBatchedANSCompressOpts_t ans = nvcompBatchedANSCompressDefaultOpts;
        nvcompBatchedBitcompCompressOpts_t bits = nvcompBatchedBitcompCompressDefaultOpts;
        nvcompBatchedCascadedCompressOpts_t cascade = nvcompBatchedCascadedCompressDefaultOpts;
        nvcompBatchedLZ4CompressOpts_t lz4 = nvcompBatchedLZ4CompressDefaultOpts;
        ans.data_type = types[t].ans;
        bits.data_type = types[t].bits;
        cascade.common_opts.data_type = types[t].bits;
        lz4.data_type = types[t].bits == NVCOMP_TYPE_ULONGLONG ? NVCOMP_TYPE_UINT : types[t].bits;
        METHOD(ANS, "ANS", ans, nvcompBatchedANSDecompressDefaultOpts);
        METHOD(Bitcomp, "Bitcomp", bits, nvcompBatchedBitcompDecompressDefaultOpts);
        METHOD(Cascaded, "Cascaded", cascade, nvcompBatchedCascadedDecompressDefaultOpts);
        METHOD(LZ4, "LZ4", lz4, nvcompBatchedLZ4DecompressDefaultOpts);
        METHOD(Gdeflate, "GDeflate", nvcompBatchedGdeflateCompressDefaultOpts,
               nvcompBatchedGdeflateDecompressDefaultOpts);
    }
    return 0;
}
