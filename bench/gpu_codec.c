// gpu_codec.c: how fast the codec's profiles are packed and unpacked in a device's memory, as CSV.
//
// cc -O2 -std=gnu99 bench/gpu_codec.c -o gpu_codec -lm -lpthread -ldl
// ./gpu_codec [cuda|opencl] [--repeat N] [--scale N] [--case NAME] [--kernels FOLDER]
//             [--write FOLDER] [--file FILE TYPE]
//             [--profile NAME]
//     --scale: sizes divided by 2^N, -1: twice as large; --kernels: their texts are read from
//     there; --write: the first part of each case goes to FOLDER/NAME; --file: its elements again
//     and again (f32, f64, f16) instead of the cases; --profile: parallel, fetch or coded alone
//
// Columns: device, case, profile, bytes (of the array), ratio, pack_ns, unpack_ns (median of the
// repeats: one call, its read-backs and the wait for its end), pack_gbs, unpack_gbs (raw bytes),
// pack_share, unpack_share (of raw bytes that a copy moves in the time of a copy: 1 is a copy's
// speed). The row `copy` is a device-to-device
// copy of 1 GiB in the same unit: the bytes of the array, which are read once and written once. A
// packer reads an array twice and writes 1 / ratio of it, an unpacker reads 1 / ratio and writes
// it; limit_pack, limit_unpack are the GB/s of raw bytes at which they would move as many bytes a
// second as the copy.
// Before a case is timed, the device's stream of its first part is compared with the host's, and
// after it what came back with what was packed; a difference ends the program with 2.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define PADIC_NO_NUM
#define PADIC_NO_WAVE
#define PADIC_NO_TENSOR
#define PADIC_NO_SAMPLE
#define PADIC_IMPLEMENTATION
#include "../padic.h"

#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"

#include "gpu.h"

#define PART (UINT64_C(16) << 20) // bytes that are made; an array is these again and again

typedef struct job {
    padic_codec_pack_desc pack;
    padic_codec_unpack_desc unpack;
    padic_bytes packed; // all of the room
    uint64_t size;       // of the stream
    padic_buffer from, to;
    uint64_t bytes;      // of the array
} job;

static void pack_call(void *arg)
{
    job *j = (job *)arg;
    padic_codec_report report;
    j->pack.packed = j->packed;
    j->pack.report = &report;
    must(padic_codec_pack(context, &j->pack), "pack");
    j->size = report.packed_size;
}

static void unpack_call(void *arg)
{
    job *j = (job *)arg;
    j->unpack.packed = j->packed;
    j->unpack.packed.size = j->size;
    must(padic_codec_unpack(context, &j->unpack), "unpack");
}

static uint64_t scaled(int scale)
{
    return scale < 0 ? (UINT64_C(1) << 30) << -scale : (UINT64_C(1) << 30) >> scale;
}

static void bench_copy(int scale)
{
    copy_job j;
    double ns;
    memset(&j, 0, sizeof j);
    j.size = scaled(scale);
    j.from = buffer_of(j.size);
    j.to = buffer_of(j.size);
    must(padic_buffer_fill(context, j.from, 0, 0x01020304u, j.size), "fill");
    ns = measure_end(copy_call, &j);
    copy_rate = (double)j.size / ns;
    printf("\"%s\",copy,,%llu,1,%.0f,%.0f,%.1f,%.1f,1,1,,\n", info.name, (unsigned long long)j.size,
           ns, ns, copy_rate, copy_rate);
    must(padic_buffer_destroy(context, j.from), "destroy");
    must(padic_buffer_destroy(context, j.to), "destroy");
}

static uint64_t seed = 88172645463325252u;
static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

// smooth: a walk of 12 bits a step; bits: 10 random bits; weights: 16-bit floats near zero; noise;
// bounded: a walk of floats within an absolute bound, the second with a NaN in 5000 elements.
typedef struct codec_case {
    const char *name;
    padic_dtype dtype;
    int kind; // FROM_FILE: name is a file's
    double tolerance;
} codec_case;
#define FROM_FILE (-1)

static const codec_case cases[] = {
    {"smooth f32", PADIC_F32, 0, 0},    {"smooth i32", PADIC_I32, 0, 0},
    {"smooth f64", PADIC_F64, 0, 0},    {"bits i32", PADIC_I32, 1, 0},
    {"bits u16", PADIC_U16, 1, 0},      {"bits u8", PADIC_U8, 2, 0},
    {"weights bf16", PADIC_BF16, 3, 0}, {"noise f32", PADIC_F32, 4, 0},
    {"bounded f32", PADIC_F32, 5, 0.05}, {"bounded holes f32", PADIC_F32, 6, 0.05},
    {"bounded f64", PADIC_F64, 5, 1e-6}};

static void make(void *data, padic_dtype dtype, int kind)
{
    const uint32_t size = padic_dtype_size(dtype);
    const uint64_t n = PART / size;
    uint64_t i, x, walk = UINT64_C(3) << (8 * size - 3);
    for (i = 0; i < n; i++) {
        const uint64_t r = random64();
        switch (kind) {
        case 0: x = walk += (r & 4095) - 2047; break;
        case 1: x = r & 1023; break;
        case 2: x = r & 15; break;
        case 3: x = (r & 1) << 15 | (0x3c00 + (r >> 1 & 0x1ff)); break;
        case 5:
        case 6: {
            const float y = (float)(int64_t)(walk = (i ? walk : 0) + (r & 4095) - 2047) / 4096;
            uint32_t bits;
            memcpy(&bits, &y, 4);
            x = kind == 6 && i % 5000 == 4321 ? 0x7fc00000u : bits;
            if (dtype == PADIC_F64) {
                const double wide = (double)y + (double)(random64() >> 12) * 0x1p-60;
                memcpy(&x, &wide, 8);
            }
            break;
        }
        default: x = r;
        }
        memcpy((uint8_t *)data + i * size, &x, size);
    }
}

// The elements of a file, again and again.
static void read_part(void *data, padic_dtype dtype, const char *name)
{
    FILE *file = fopen(name, "rb");
    size_t size = file ? fread(data, 1, PART, file) : 0, at;
    size -= size % padic_dtype_size(dtype);
    if (file) fclose(file);
    if (!size) {
        fprintf(stderr, "%s cannot be read\n", name);
        exit(2);
    }
    for (at = size; at < PART; at++) ((uint8_t *)data)[at] = ((uint8_t *)data)[at - size];
}

static void write_part(const void *data, const char *folder, const char *name)
{
    char path[512];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (file && fwrite(data, 1, PART, file) == PART && !fclose(file)) return;
    fprintf(stderr, "%s cannot be written\n", path);
    exit(2);
}

// The device's stream of the first part beside the host's.
static void check_part(const job *j, const void *part)
{
    padic_codec_pack_desc host = j->pack, device = j->pack;
    padic_codec_report report, got_report;
    size_t room, size;
    uint8_t *want, *got;
    host.tensor.shape[0] = device.tensor.shape[0] = PART / padic_dtype_size(host.tensor.dtype);
    host.tensor.buffer.id = 0;
    host.tensor.data = (void *)(uintptr_t)part;
    room = (size_t)padic_codec_size_bound(&host);
    want = (uint8_t *)malloc(room);
    got = (uint8_t *)malloc(room);
    host.packed = padic_bytes_out(want, room);
    host.report = &report;
    device.packed = j->packed;
    device.report = &got_report;
    must(padic_codec_pack(NULL, &host), "host");
    must(padic_codec_pack(context, &device), "pack");
    size = (size_t)report.packed_size;
    must(padic_buffer_download(context, j->packed.buffer, 0, got, size), "download");
    if (got_report.packed_size != size || memcmp(want, got, size)) {
        fprintf(stderr, "WRONG: the stream differs from the host's\n");
        exit(2);
    }
    free(want);
    free(got);
}

static void check_back(const job *j, const void *part)
{
    const uint32_t size = padic_dtype_size(j->pack.tensor.dtype);
    uint8_t *got = (uint8_t *)malloc(PART);
    uint64_t at, i;
    for (at = 0; at < j->bytes; at += PART) {
        must(padic_buffer_download(context, j->to, at, got, PART), "download");
        for (i = 0; i < PART / size && j->pack.tolerance > 0; i++) { // then as it was
            float x, y;
            double a, b;
            memcpy(size == 8 ? (void *)&a : (void *)&x, (const uint8_t *)part + size * i, size);
            memcpy(size == 8 ? (void *)&b : (void *)&y, got + size * i, size);
            if (size == 4) a = (double)x, b = (double)y;
            if (fabs(a - b) <= j->pack.tolerance)
                memcpy(got + size * i, (const uint8_t *)part + size * i, size);
        }
        if (!memcmp(got, part, PART)) continue;
        fprintf(stderr, "WRONG: another array came back\n");
        exit(2);
    }
    free(got);
}

static void bench_case(const codec_case *c, int scale, const char *folder, const char *only)
{
    static const char *const names[3] = {"parallel", "fetch", "coded"};
    const padic_dtype dtype = c->dtype;
    void *part = malloc(PART);
    uint64_t at;
    int profile;
    job j;
    memset(&j, 0, sizeof j);
    j.bytes = scaled(scale);
    if (j.bytes < PART) j.bytes = PART;
    if (c->kind == FROM_FILE)
        read_part(part, dtype, c->name);
    else
        make(part, dtype, c->kind);
    if (folder) write_part(part, folder, c->kind == FROM_FILE ? "file" : c->name);
    j.from = buffer_of(j.bytes);
    j.to = buffer_of(j.bytes);
    must(padic_buffer_upload(context, j.from, 0, part, PART), "upload");
    for (at = PART; at < j.bytes; at *= 2)
        must(padic_buffer_copy(context, j.from, at, j.from, 0, at), "copy");
    for (profile = PADIC_CODEC_PROFILE_PARALLEL; profile <= PADIC_CODEC_PROFILE_CODED; profile++) {
        double pack, unpack;
        const uint64_t n = j.bytes / padic_dtype_size(dtype);
        const char *name = names[profile - PADIC_CODEC_PROFILE_PARALLEL];
        if (only && strcmp(only, name)) continue;
        j.pack.profile = (padic_codec_profile)profile;
        j.pack.tolerance = c->tolerance;
        j.pack.tolerance_mode =
            c->tolerance > 0 ? PADIC_CODEC_TOLERANCE_ABSOLUTE : PADIC_CODEC_TOLERANCE_NONE;
        j.pack.tensor = padic_tensor_in(padic_tensor_1d(dtype, NULL, n), j.from, 0);
        j.unpack.tensor = padic_tensor_in(padic_tensor_1d(dtype, NULL, n), j.to, 0);
        j.packed = padic_bytes_out(NULL, padic_codec_size_bound(&j.pack));
        j.packed.buffer = buffer_of(j.packed.capacity);
        check_part(&j, part);
        pack = measure_end(pack_call, &j);
        must(padic_buffer_fill(context, j.to, 0, 0, j.bytes), "fill");
        unpack = measure_end(unpack_call, &j);
        check_back(&j, part);
        printf("\"%s\",%s,%s,%llu,%.3f,%.0f,%.0f,%.1f,%.1f,%.3f,%.3f,%.0f,%.0f\n", info.name,
               c->name, name, (unsigned long long)j.bytes,
               (double)j.bytes / (double)j.size, pack, unpack,
               (double)j.bytes / pack,
               (double)j.bytes / unpack,
               (double)j.bytes / pack / copy_rate,
               (double)j.bytes / unpack / copy_rate,
               copy_rate * 2 / (2 + (double)j.size / (double)j.bytes),
               copy_rate * 2 / (1 + (double)j.size / (double)j.bytes));
        fflush(stdout);
        must(padic_buffer_destroy(context, j.packed.buffer), "destroy");
    }
    must(padic_buffer_destroy(context, j.from), "destroy");
    must(padic_buffer_destroy(context, j.to), "destroy");
    free(part);
}

int main(int argc, char **argv)
{
    padic_context_desc desc = PADIC_ZERO;
    const char *only = NULL, *folder = NULL, *profile = NULL;
    codec_case file = {NULL, PADIC_F32, FROM_FILE, 0};
    int i, c, scale = 0;
    desc.backends[0] = padic_cuda();
    for (i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(word, "opencl")) desc.backends[0] = padic_opencl();
        else if (!strcmp(word, "cuda")) desc.backends[0] = padic_cuda();
        else if (!strcmp(word, "--repeat")) repeats = atoi(value), i++;
        else if (!strcmp(word, "--scale")) scale = atoi(value), i++;
        else if (!strcmp(word, "--case")) only = value, i++;
        else if (!strcmp(word, "--kernels")) desc.device.kernel_dir = value, i++;
        else if (!strcmp(word, "--profile")) profile = value, i++;
        else if (!strcmp(word, "--write")) folder = value, i++;
        else if (!strcmp(word, "--file") && i + 2 < argc) {
            file.name = value;
            file.dtype = !strcmp(argv[i + 2], "f64")   ? PADIC_F64
                         : !strcmp(argv[i + 2], "f16") ? PADIC_F16
                                                       : PADIC_F32;
            i += 2;
        } else return fprintf(stderr, "%s: unknown argument %s\n", argv[0], word), 2;
    }
    if (repeats < 1 || repeats > 63) repeats = 9;
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    if (padic_context_create(&desc, &context)) return fprintf(stderr, "no device\n"), 77;
    padic_context_device_info(context, &info);
    printf("device,case,profile,bytes,ratio,pack_ns,unpack_ns,pack_gbs,unpack_gbs,pack_share,"
           "unpack_share,limit_pack,limit_unpack\n");
    bench_copy(scale);
    if (file.name) bench_case(&file, scale, folder, profile);
    for (c = 0; !file.name && c < (int)(sizeof cases / sizeof *cases); c++)
        if (!only || strstr(cases[c].name, only))
            bench_case(cases + c, scale, folder, profile);
    padic_context_destroy(context);
    return 0;
}
