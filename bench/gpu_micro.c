// gpu_micro.c: what a GPU can do at most, by one kind of work at a time: the rates that limits in
// the specification are computed from. Through the backend itself, so launches cost what they cost
// the library. bench/gpu_micro.sh builds and runs it; the output is CSV:
//
//     what,value,unit,per_fma,ms,note
//
// `value` from the fastest of several runs by the device's clock; per_fma is the rate as a share of
// the fp32 FMA rate; ms is the time of that run.
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#ifdef MICRO_OPENCL
#include "../backends/padic_opencl.h"
#else
#include "../backends/padic_cuda.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MICRO_KERNELS
#error "build it with bench/gpu_micro.sh, which adds gpu_micro.cl to the kernels"
#endif

typedef padici_k_gpu_micro_params padic_k_micro;

enum { GROUP = 256, RUNS = 7 };

typedef struct micro {
    const padic_backend *g;
    padic_device *device;
    padic_device_info info;
    padic_program *program;
    padic_mem a, b; // of `bytes` each
    uint64_t bytes;
    double fma;  // rate per second
    int missing; // rows that could not be measured
} micro;

static char said[512];

static void check(padic_result result, const char *what)
{
    if (!result) return;
    fprintf(stderr, "%s: %s (%s)\n", what, padic_result_text(result), said);
    exit(1);
}

static uint64_t stamp(micro *m, uint32_t slot, int read)
{
    uint64_t ns = 0;
    check((*m->g->time)(m->device, slot, read ? &ns : NULL), "time");
    return ns;
}

static double host_ms(void)
{
    return (double)padici_clock_default(NULL) / 1e6;
}

static padic_result launch(micro *m, uint32_t kernel, const padic_k_micro *k, uint32_t groups,
                           int both)
{
    padic_launch l = PADIC_ZERO;
    l.program = m->program;
    l.kernel = kernel & 0xffff;
    l.mem[0] = both ? m->a : m->b;
    l.mem[1] = m->b;
    l.mem_count = both ? 2 : 1;
    l.params = k;
    l.params_size = sizeof *k;
    l.group = GROUP;
    l.groups[0] = groups;
    l.groups[1] = l.groups[2] = 1;
    return (*m->g->launch)(m->device, &l);
}

static padic_k_micro plain(void)
{
    padic_k_micro k;
    memset(&k, 0, sizeof k);
    k.never = 0x9e3779b9u;
    k.u = 0x01234567u;
    k.v = 0x89abcdefu;
    k.a = 0.7501f;
    k.b = 0.2003f;
    return k;
}

// The fastest of several runs, in ms; negative when the kernel is not there.
static double fastest(micro *m, uint32_t kernel, const padic_k_micro *k, uint32_t groups, int both)
{
    double best = -1;
    for (int run = 0; run < RUNS; run++) {
        double ms;
        (void)stamp(m, 0, 0);
        if (launch(m, kernel, k, groups, both)) return -1;
        (void)stamp(m, 1, 0);
        check((*m->g->sync)(m->device), "sync");
        ms = (double)(stamp(m, 1, 1) - stamp(m, 0, 1)) / 1e6;
        if (run && (best < 0 || ms < best)) best = ms; // the first warms up
    }
    return best;
}

static void row(const micro *m, const char *what, double value, const char *unit, double share,
                double ms, const char *note)
{
    (void)m;
    if (share > 0)
        printf("%s,%.4g,%s,%.4f,%.4f,%s\n", what, value, unit, share, ms, note);
    else
        printf("%s,%.4g,%s,,%.4f,%s\n", what, value, unit, ms, note);
    fflush(stdout);
}

// Rates: `ops` of them in one step of one chain.
static void rate(micro *m, const char *what, uint32_t kernel, double ops, const char *note)
{
    padic_k_micro k = plain();
    const uint32_t units = m->info.compute_units ? m->info.compute_units : 16;
    const uint32_t groups = units * 32; // 8 groups of 256 items fill a multiprocessor, four times
    double ms, steps;
    k.repeat = 4;
    ms = fastest(m, kernel, &k, groups, 0);
    if (ms < 0) {
        fprintf(stderr, "%s: %s\n", what, said);
        m->missing++;
        return;
    }
    while (ms < 4 && k.repeat < 1u << 16) { // long enough for the clock
        k.repeat *= ms < 0.5 ? 8 : 2;
        ms = fastest(m, kernel, &k, groups, 0);
    }
    steps = 64.0 * k.repeat * groups * GROUP;
    if (!m->fma) m->fma = steps * ops / (ms / 1e3);
    row(m, what, steps * ops / (ms / 1e3) / 1e9, "G/s", steps * ops / (ms / 1e3) / m->fma, ms,
        note);
}

static void rates(micro *m)
{
    rate(m, "fp32 fma", PADICI_KERNEL_GPU_MICRO_FMA, 1, "two operations each");
    rate(m, "fp32 add", PADICI_KERNEL_GPU_MICRO_ADD, 1, "");
    rate(m, "fp32 floor and add", PADICI_KERNEL_GPU_MICRO_FLOOR, 1, "pairs");
    rate(m, "fast sin", PADICI_KERNEL_GPU_MICRO_SIN, 1, "");
    rate(m, "fast cos", PADICI_KERNEL_GPU_MICRO_COS, 1, "");
    rate(m, "fast sin beside 4 fma", PADICI_KERNEL_GPU_MICRO_MIXED, 1, "sines");
    rate(m, "sin", PADICI_KERNEL_GPU_MICRO_SIN_EXACT, 1, "library; small arguments");
    rate(m, "fast rsqrt", PADICI_KERNEL_GPU_MICRO_RSQRT, 1, "");
    rate(m, "sqrt", PADICI_KERNEL_GPU_MICRO_SQRT, 1, "rounded correctly");
    rate(m, "divide", PADICI_KERNEL_GPU_MICRO_DIVIDE, 1, "rounded correctly");
    rate(m, "exp", PADICI_KERNEL_GPU_MICRO_EXP, 1, "library");
    rate(m, "u32 mul add", PADICI_KERNEL_GPU_MICRO_MULADD, 1, "low half");
    rate(m, "u32 mul high add", PADICI_KERNEL_GPU_MICRO_MULHI, 1, "");
    rate(m, "u32 x u32 + u64", PADICI_KERNEL_GPU_MICRO_WIDE, 1, "wide");
    rate(m, "u32 x param + u64", PADICI_KERNEL_GPU_MICRO_WIDE_PARAM, 1, "wide");
    rate(m, "u64 x u32 + u32", PADICI_KERNEL_GPU_MICRO_LONG_MUL, 1, "low half");
    rate(m, "u64 x u64 + u32", PADICI_KERNEL_GPU_MICRO_LONG_FULL, 1, "low half");
    rate(m, "u64 mul high add", PADICI_KERNEL_GPU_MICRO_LONG_HIGH, 1, "");
    rate(m, "u32 xor and add", PADICI_KERNEL_GPU_MICRO_UADD, 2, "");
    rate(m, "u32 rotate and add", PADICI_KERNEL_GPU_MICRO_SHIFT, 2, "");
    rate(m, "popcount", PADICI_KERNEL_GPU_MICRO_POPCOUNT, 1, "and an add");
    rate(m, "clz", PADICI_KERNEL_GPU_MICRO_CLZ, 1, "and an add");
    rate(m, "fp64 fma", PADICI_KERNEL_GPU_MICRO_FMA64, 1, "");
    rate(m, "local memory words", PADICI_KERNEL_GPU_MICRO_LOCAL, 1, "reads; no conflicts");
}

static void bandwidth(micro *m, const char *what, uint32_t kernel, double passes, int both)
{
    padic_k_micro k = plain();
    const uint32_t units = m->info.compute_units ? m->info.compute_units : 16;
    double best = -1;
    uint32_t of = 0;
    char note[64];
    k.n = (uint32_t)(m->bytes / 4);
    for (uint32_t per = 8; per <= 128; per *= 4) { // groups a multiprocessor
        const double ms = fastest(m, kernel, &k, units * per, both);
        if (ms < 0) {
            m->missing++;
            return;
        }
        if (best < 0 || ms < best) best = ms, of = per;
    }
    snprintf(note, sizeof note, "%u groups of 256 a multiprocessor", (unsigned)of);
    row(m, what, passes * (double)m->bytes / (best / 1e3) / 1e9, "GB/s", 0, best, note);
}

static void driver_copy(micro *m)
{
    double best = -1;
    for (int run = 0; run < RUNS; run++) {
        double ms;
        (void)stamp(m, 0, 0);
        check((*m->g->copy)(m->device, m->b, 0, m->a, 0, m->bytes), "copy");
        (void)stamp(m, 1, 0);
        check((*m->g->sync)(m->device), "sync");
        ms = (double)(stamp(m, 1, 1) - stamp(m, 0, 1)) / 1e6;
        if (run && (best < 0 || ms < best)) best = ms;
    }
    row(m, "copy by the driver", 2.0 * (double)m->bytes / (best / 1e3) / 1e9, "GB/s", 0, best,
        "read and written");
}

static void memory(micro *m)
{
    padic_k_micro k = plain();
    driver_copy(m);
    bandwidth(m, "copy of words", PADICI_KERNEL_GPU_MICRO_COPY, 2, 1);
    bandwidth(m, "copy of words, 4 at once", PADICI_KERNEL_GPU_MICRO_COPY_FOUR, 2, 1);
    bandwidth(m, "copy of pairs", PADICI_KERNEL_GPU_MICRO_COPY_LONG, 2, 1);
    bandwidth(m, "copy of pairs, 4 at once", PADICI_KERNEL_GPU_MICRO_COPY_LONG_FOUR, 2, 1);
    bandwidth(m, "read of pairs", PADICI_KERNEL_GPU_MICRO_READ, 1, 1);
    bandwidth(m, "write of pairs", PADICI_KERNEL_GPU_MICRO_WRITE, 1, 0);
    for (uint32_t spread = 0; spread <= 1u << 20; spread = spread ? spread * 1024 : 1024) {
        char what[64];
        double ms;
        k.n = 1u << 24;
        k.u = spread;
        ms = fastest(m, PADICI_KERNEL_GPU_MICRO_ATOMIC, &k, 4096, 0);
        snprintf(what, sizeof what, "atomic add to %u words", spread ? (unsigned)spread : 1u);
        row(m, what, (double)k.n / (ms / 1e3) / 1e9, "G/s", 0, ms, "global memory");
    }
}

// Launches one after the other: what they cost the host, and what they cost the device.
static void launches(micro *m)
{
    enum { COUNT = 2000 };
    padic_k_micro k = plain();
    padic_recording *recording = NULL;
    for (int graph = 0; graph < 2; graph++) {
        double host = -1, device = -1, whole = -1;
        if (graph && !m->g->record) return;
        if (graph) {
            padic_result end, result = (*m->g->record)(m->device, PADIC_RECORD_BEGIN, NULL);
            if (result) return;
            for (int i = 0; i < COUNT && !result; i++)
                result = launch(m, PADICI_KERNEL_GPU_MICRO_EMPTY, &k, 1, 0);
            end = (*m->g->record)(m->device, PADIC_RECORD_END, &recording);
            check(result ? result : end, "record");
        }
        for (int run = 0; run < RUNS; run++) {
            double begin, returned, done, ms;
            (void)stamp(m, 0, 0);
            begin = host_ms();
            if (graph) check((*m->g->replay)(m->device, recording, 1), "replay");
            for (int i = 0; i < COUNT && !graph; i++)
                check(launch(m, PADICI_KERNEL_GPU_MICRO_EMPTY, &k, 1, 0), "launch");
            returned = host_ms() - begin;
            (void)stamp(m, 1, 0);
            check((*m->g->sync)(m->device), "sync");
            done = host_ms() - begin;
            ms = (double)(stamp(m, 1, 1) - stamp(m, 0, 1)) / 1e6;
            if (!run) continue;
            if (host < 0 || returned < host) host = returned;
            if (device < 0 || ms < device) device = ms;
            if (whole < 0 || done < whole) whole = done;
        }
        row(m, graph ? "graph node on the device" : "launch on the device", device * 1e3 / COUNT,
            "us", 0, device, "empty kernels of one group");
        row(m, graph ? "graph node on the host" : "launch on the host", host * 1e3 / COUNT, "us", 0,
            host, "until the call returns");
        row(m, graph ? "graph node in all" : "launch in all", whole * 1e3 / COUNT, "us", 0, whole,
            "until all have ended");
    }
}

#ifndef MICRO_OPENCL
// What of a launch is the driver's own: cuLaunchKernel alone, its arguments packed or by pointers.
static void bare_launches(micro *m)
{
    enum { COUNT = 2000 };
    padici_cuda *cuda = (padici_cuda *)(void *)m->device;
    void *function = padici_cuda_functions((padici_cuda_program *)(void *)m->program)
        [PADICI_KERNEL_GPU_MICRO_EMPTY & 0xffff];
    padic_k_micro k = plain();
    unsigned char packed[8 + sizeof k];
    size_t size = sizeof packed;
    void *extra[] = {(void *)1, packed, (void *)2, &size, NULL};
    void *arguments[] = {&m->b, &k}, *popped;
    memcpy(packed, &m->b, 8);
    memcpy(packed + 8, &k, sizeof k);
    check(padici_cuda_enter(cuda), "push");
    for (int way = 0; way < 2; way++) {
        double best = -1;
        for (int run = 0; run < RUNS; run++) {
            const double begin = host_ms();
            double ms;
            int error = 0;
            for (int i = 0; i < COUNT; i++)
                error |= cuda->api.cuLaunchKernel(function, 1, 1, 1, GROUP, 1, 1, 0, cuda->stream,
                                                  way ? arguments : NULL, way ? NULL : extra);
            ms = host_ms() - begin;
            if (error | cuda->api.cuStreamSynchronize(cuda->stream)) return;
            if (best < 0 || ms < best) best = ms;
        }
        row(m, way ? "cuLaunchKernel by pointers" : "cuLaunchKernel packed", best * 1e3 / COUNT,
            "us", 0, best, "on the host");
    }
    const double begin = host_ms();
    for (int i = 0; i < COUNT; i++) {
        (void)cuda->api.cuCtxPushCurrent_v2(cuda->context);
        (void)cuda->api.cuCtxPopCurrent_v2(&popped);
    }
    row(m, "push and pop of the context", (host_ms() - begin) * 1e3 / COUNT, "us", 0,
        host_ms() - begin, "on the host");
    (void)padici_cuda_leave(cuda, PADIC_OK);
}
#endif

// Up and down, of memory that is not pinned. Returns ms of the fastest.
static double transfer(micro *m, void *host, uint64_t size, int count, int down)
{
    double best = -1;
    for (int run = 0; run < 5; run++) {
        const double begin = host_ms();
        double ms;
        for (int i = 0; i < count; i++)
            check(down ? (*m->g->download)(m->device, m->a, 0, host, size)
                       : (*m->g->upload)(m->device, m->a, 0, host, size),
                  "transfer");
        check((*m->g->sync)(m->device), "sync");
        ms = host_ms() - begin;
        if (run && (best < 0 || ms < best)) best = ms;
    }
    return best;
}

static void transfers(micro *m, const char *how)
{
    const uint64_t size = m->bytes < UINT64_C(256) << 20 ? m->bytes : UINT64_C(256) << 20;
    char *host = (char *)malloc((size_t)size), what[64];
    double ms;
    if (!host) return;
    memset(host, 1, (size_t)size);
    for (int down = 0; down < 2; down++) {
        ms = transfer(m, host, size, 1, down);
        snprintf(what, sizeof what, "%s%s", down ? "download" : "upload", how);
        row(m, what, (double)size / (ms / 1e3) / 1e9, "GB/s", 0, ms, "of pageable memory");
        ms = transfer(m, host, 64, 1000, down);
        snprintf(what, sizeof what, "%s of 64 bytes%s", down ? "download" : "upload", how);
        row(m, what, ms, "us", 0, ms, "host time");
    }
    free(host);
}

static void build(micro *m)
{
    static const char *const defines[] = {"PD_WG=256", "PD_HAS_F64=1"};
    padic_program_desc desc = PADIC_ZERO;
    const double begin = host_ms();
    desc.program = PADICI_PROGRAM_GPU_MICRO;
    desc.defines = defines;
    desc.define_count = m->info.features & PADIC_FEATURE_F64 ? 2 : 1;
    check((*m->g->program)(m->device, &desc, &m->program), "program");
    row(m, "build of 32 kernels", host_ms() - begin, "ms", 0, host_ms() - begin, "no cache");
}

int main(void)
{
    static const padic_allocator allocator = {NULL, NULL, NULL};
    static const padic_jobs jobs = {0, NULL, NULL, NULL};
    static const padic_logger log = {NULL, NULL};
    static const padic_cache cache = {NULL, NULL, NULL};
    padic_env env = PADIC_ZERO;
    padic_device_desc desc = PADIC_ZERO;
    padic_result result;
    micro m;
    memset(&m, 0, sizeof m);
    env.allocator = &allocator;
    env.jobs = &jobs;
    env.log = &log;
    env.cache = &cache;
    env.message = said;
    env.message_size = sizeof said;
    desc.flags = PADIC_DEVICE_ALLOW_CPU;
#ifdef MICRO_OPENCL
    m.g = padic_opencl();
#else
    m.g = padic_cuda();
#endif
    result = (*m.g->open)(&env, &desc, &m.device);
    if (result == PADIC_ERROR_NO_DEVICE) return fprintf(stderr, "%s\n", said), 77;
    check(result, "open");
    (*m.g->info)(m.device, &m.info);
    printf("# %s; %s; %s; %s; %u multiprocessors\n", m.g->name, m.info.name, m.info.arch,
           m.info.driver, (unsigned)m.info.compute_units);
    puts("what,value,unit,per_fma,ms,note");
    m.bytes = m.info.memory > UINT64_C(8) << 30 ? UINT64_C(1) << 30 : UINT64_C(16) << 20;
    check((*m.g->alloc)(m.device, m.bytes, &m.a), "alloc");
    check((*m.g->alloc)(m.device, m.bytes, &m.b), "alloc");
    check((*m.g->fill)(m.device, m.a, 0, 0x3f123456u, m.bytes), "fill");
    check((*m.g->fill)(m.device, m.b, 0, 1, m.bytes), "fill");
    build(&m);
    rates(&m);
    memory(&m);
    launches(&m);
    transfers(&m, "");
#ifndef MICRO_OPENCL
    bare_launches(&m);
    { // the same without the backend's ring of pinned memory, to see what that is worth
        padici_cuda *cuda = (padici_cuda *)(void *)m.device;
        padici_cuda_drop_ring(cuda);
        cuda->api.cuMemHostAlloc = NULL;
        transfers(&m, " without ring");
    }
#endif
    (*m.g->free)(m.device, m.a, m.bytes);
    (*m.g->free)(m.device, m.b, m.bytes);
    (*m.g->close)(m.device);
    return m.missing != 0;
}
