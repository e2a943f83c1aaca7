// test_device.c: the rules of >>backend API on every backend that is here: cpu, null, simd, native
// (kernels as plain C), opencl, cuda. Most are asked directly, without a context between.

#define PADIC_IMPLEMENT_CORE
#define PADIC_IMPLEMENT_GPU
#define PADIC_IMPLEMENT_OPENCL
#define PADIC_IMPLEMENT_CUDA
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_opencl.h"
#if defined(__has_include)
#if __has_include("../../backends/padic_opencl.h")
#define HAS_OPENCL 1
#endif
#if __has_include("../../backends/padic_cuda.h")
#include "../../backends/padic_cuda.h"
#define HAS_CUDA 1
#endif
#endif
#include "../native/padic_native.h"
#include "../support/padic_test.h"

static char log_text[4096];

static void keep_log(padic_log_level level, uint32_t item, const char *text, void *user)
{
    const size_t used = strlen(log_text);
    (void)level;
    (void)item;
    (void)user;
    snprintf(log_text + used, sizeof log_text - used, "%s\n", text);
}

// What a context lends to a backend.
typedef struct lent {
    padic_allocator allocator;
    padic_jobs jobs;
    padic_logger log;
    padic_cache cache;
    padic_env env;
    char message[512];
    const padic_backend *backend;
    padic_device *device;
    padic_device_info info;
} lent;

static uint64_t live_bytes, live_blocks;

static void *counting_alloc(size_t size, size_t align, void *user)
{
    padic_allocator plain = PADIC_ZERO;
    (void)user;
    if (size >> 31) return NULL;
    live_blocks++;
    live_bytes += size;
    return padici_alloc(&plain, size, align);
}

static void counting_free(void *pointer, size_t size, void *user)
{
    padic_allocator plain = PADIC_ZERO;
    (void)user;
    live_blocks--;
    live_bytes -= size; // the size that was asked for
    padici_free(&plain, pointer, size);
}

static padic_result lend(lent *l, const padic_backend *backend, const padic_device_desc *desc)
{
    memset(l, 0, sizeof *l);
    l->allocator.alloc = counting_alloc;
    l->allocator.free = counting_free;
    l->log.write = keep_log;
    l->env.allocator = &l->allocator;
    l->env.jobs = &l->jobs;
    l->env.log = &l->log;
    l->env.cache = &l->cache;
    l->env.message = l->message;
    l->env.message_size = sizeof l->message;
    l->backend = backend;
    live_blocks = live_bytes = 0;
    log_text[0] = 0;
    return (*backend->open)(&l->env, desc, &l->device);
}

// Closes it: nothing of the allocator's may be left.
static void give_back(lent *l)
{
    (*l->backend->close)(l->device);
    CHECK_EQ(live_blocks, 0);
    CHECK_EQ(live_bytes, 0);
}

#define CALL(l, member, ...) (*(l)->backend->member)((l)->device, __VA_ARGS__)

// ----------------------------------------------------------------------------------------- rules

static void check_info(lent *l)
{
    padic_device_info *info = &l->info;
    memset(info, 0x55, sizeof *info);
    (*l->backend->info)(l->device, info);
    CHECK(info->name[0] && memchr(info->name, 0, sizeof info->name));
    CHECK(memchr(info->vendor, 0, sizeof info->vendor) != NULL);
    CHECK(memchr(info->driver, 0, sizeof info->driver) != NULL);
    CHECK(memchr(info->platform, 0, sizeof info->platform) != NULL);
    CHECK(memchr(info->arch, 0, sizeof info->arch) != NULL);
    CHECK(!(info->alignment & (info->alignment - 1)));
    CHECK_EQ(info->features >> 7, 0); // no bit without a name
    CHECK(!info->max_alloc || info->max_alloc >= 1u << 20);
    if (l->backend->drive) CHECK(info->max_group >= 32);
    CHECK(!(info->features & PADIC_FEATURE_RECORD) == !(l->backend->record && l->backend->replay) ||
          !(info->features & PADIC_FEATURE_RECORD));
    CHECK(!(info->features & PADIC_FEATURE_TIME) || l->backend->time);
}

// Bytes at any place and of any size, in the order of the calls.
static void check_memory(lent *l)
{
    enum { SIZE = 70000 };
    static unsigned char want[SIZE], got[SIZE], source[SIZE];
    padic_mem a, b;
    const int rounds = test_tiny ? 40 : 400;
    CHECK_EQ(CALL(l, alloc, SIZE, &a), PADIC_OK);
    CHECK_EQ(CALL(l, alloc, SIZE, &b), PADIC_OK);
    CHECK(a.bits && b.bits && a.bits != b.bits);
    for (int i = 0; i < SIZE; i++) want[i] = (unsigned char)test_random();
    memcpy(source, want, SIZE);
    CHECK_EQ(CALL(l, upload, a, 0, source, SIZE), PADIC_OK);
    memset(source, 0, SIZE); // it has been read
    CHECK_EQ(CALL(l, download, a, 0, got, SIZE), PADIC_OK);
    CHECK(!memcmp(got, want, SIZE));
    CHECK_EQ(CALL(l, copy, b, 0, a, 0, SIZE), PADIC_OK);
    for (int i = 0; i < rounds; i++) { // on b, with `want` in step
        const uint64_t size = 1 + test_random() % (i % 4 ? 200 : 20000);
        const uint64_t at = test_random() % (SIZE - size), from = test_random() % (SIZE - size);
        const uint32_t word = (uint32_t)test_random();
        switch (test_random() % 4) {
        case 0:
            for (uint64_t k = 0; k < size; k++) source[k] = (unsigned char)test_random();
            memcpy(want + at, source, size);
            CHECK_EQ(CALL(l, upload, b, at, source, size), PADIC_OK);
            memset(source, 1, size);
            break;
        case 1:
            for (uint64_t k = 0; k < size / 4 * 4; k++)
                want[at / 4 * 4 + k] = (unsigned char)(word >> 8 * (k % 4));
            if (size >= 4) CHECK_EQ(CALL(l, fill, b, at / 4 * 4, word, size / 4 * 4), PADIC_OK);
            break;
        case 2: // inside one block, apart
            if (at < from ? from - at < size : at - from < size) break;
            memcpy(want + at, want + from, size);
            CHECK_EQ(CALL(l, copy, b, at, b, from, size), PADIC_OK);
            break;
        default:
            CHECK_EQ(CALL(l, download, b, at, got, size), PADIC_OK);
            CHECK(!memcmp(got, want + at, size));
        }
    }
    CHECK_EQ((*l->backend->sync)(l->device), PADIC_OK);
    CHECK_EQ(CALL(l, download, b, 0, got, SIZE), PADIC_OK);
    CHECK(!memcmp(got, want, SIZE));
    CALL(l, free, a, SIZE);
    CALL(l, free, b, SIZE);
}

// What cannot be had: a code, `out` zero, and the device works on.
static void check_refusals(lent *l)
{
    padic_mem mem;
    padic_result result;
    unsigned char byte = 7, back = 0;
    mem.bits = 99;
    result = CALL(l, alloc, UINT64_C(1) << 61, &mem);
    CHECK(result == PADIC_ERROR_MEMORY || result == PADIC_ERROR_LIMIT);
    CHECK_EQ(mem.bits, 0);
    CHECK(memchr(l->message, 0, sizeof l->message) != NULL);
    CHECK_EQ(CALL(l, alloc, 1, &mem), PADIC_OK);
    CHECK_EQ(CALL(l, upload, mem, 0, &byte, 1), PADIC_OK);
    CHECK_EQ(CALL(l, download, mem, 0, &back, 1), PADIC_OK);
    CHECK_EQ(back, 7);
    CALL(l, free, mem, 1);
}

static padic_result build_base(lent *l, const char *more, padic_program **program)
{
    const char *defines[2];
    padic_program_desc desc = PADIC_ZERO;
    defines[0] = "PD_LOCAL_BYTES=16384";
    defines[1] = more;
    desc.program = PADICI_PROGRAM_BASE;
    desc.defines = defines;
    desc.define_count = more ? 2 : 1;
    return CALL(l, program, &desc, program);
}

static padic_result launch_copy(lent *l, padic_program *program, uint32_t group, padic_mem from,
                                padic_mem to, uint32_t n, uint32_t shift)
{
    padici_k_base_copy_params k;
    padic_launch launch;
    padic_result result;
    memset(&k, 0, sizeof k);
    memset(&launch, 0, sizeof launch);
    k.n = n;
    k.axes = 1;
    k.extent[0] = n;
    k.shift[0] = 31;
    k.from_stride[0] = k.to_stride[0] = 1;
    k.to_lo = shift;
    launch.program = program;
    launch.kernel = PADICI_KERNEL_BASE_COPY_4 & 0xffff;
    launch.mem[0] = from;
    launch.mem[1] = to;
    launch.mem_count = 2;
    launch.params = &k;
    launch.params_size = sizeof k;
    launch.group = group;
    launch.groups[0] = 3;
    launch.groups[1] = launch.groups[2] = 1;
    result = CALL(l, launch, &launch);
    memset(&k, 0xff, sizeof k); // params have been copied
    memset(&launch, 0xff, sizeof launch);
    return result;
}

// Two builds of one program, launches in order with copies and fills between, no wait.
static void check_launches(lent *l)
{
    enum { N = 5000 };
    static uint32_t want[N + 100], got[N + 100];
    padic_program *wide = NULL, *narrow = NULL, *broken = (padic_program *)(void *)want;
    padic_mem a, b;
    const int rounds = test_tiny ? 10 : 100;
    CHECK_EQ(build_base(l, NULL, &wide), PADIC_OK);
    CHECK_EQ(build_base(l, "PD_WG=32", &narrow), PADIC_OK);
    CHECK(wide && narrow && wide != narrow);
    if (!wide || !narrow) return;
    l->message[0] = log_text[0] = 0;
    CHECK_EQ(build_base(l, "PD_WG=((", &broken), PADIC_ERROR_BUILD);
    CHECK(broken == NULL);
    CHECK(l->message[0] != 0 && log_text[0] != 0);
    CHECK_EQ(CALL(l, alloc, sizeof want, &a), PADIC_OK);
    CHECK_EQ(CALL(l, alloc, sizeof want, &b), PADIC_OK);
    for (int i = 0; i < N + 100; i++) want[i] = (uint32_t)test_random();
    CHECK_EQ(CALL(l, upload, a, 0, want, sizeof want), PADIC_OK);
    for (int i = 0; i < rounds; i++) { // b = a moved up by one; a = b; a[i] = i
        const uint32_t word = (uint32_t)i;
        CHECK_EQ(CALL(l, copy, b, 0, a, 0, sizeof want), PADIC_OK);
        CHECK_EQ(launch_copy(l, i & 1 ? wide : narrow, i & 1 ? 128 : 32, a, b, N, 1), PADIC_OK);
        CHECK_EQ(launch_copy(l, i & 2 ? wide : narrow, i & 2 ? 128 : 32, b, a, N + 100, 0),
                 PADIC_OK);
        CHECK_EQ(CALL(l, fill, a, 4 * (uint64_t)i, word, 4), PADIC_OK);
        memmove(want + 1, want, N * sizeof *want);
        want[i] = word;
    }
    CHECK_EQ(CALL(l, download, a, 0, got, sizeof got), PADIC_OK);
    CHECK(!memcmp(got, want, sizeof got));
    CALL(l, free, a, sizeof want);
    CALL(l, free, b, sizeof want);
}

// ------------------------------------------------------------------------- through a context, too

static padic_context *open_context(const padic_backend *backend, const padic_device_desc *device)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = backend;
    desc.device = *device;
    desc.log.write = keep_log;
    desc.flags = PADIC_CONTEXT_DEBUG;
    return padic_context_create(&desc, &context) ? NULL : context;
}

// No launch that does not fit its kernel reaches the backend.
static void check_validation(const padic_backend *backend, const padic_device_desc *device)
{
    padic_context *context = open_context(backend, device);
    padici_gpu gpu;
    padici_gpu_work good, bad;
    padici_gpu_block block;
    padici_gpu_state state;
    padici_k_base_mul_add_params k = {100};
    const char *const wg[] = {"PD_WG=64"};
    REQUIRE(context != NULL);
    memset(&gpu, 0, sizeof gpu);
    memset(&state, 0, sizeof state);
    gpu.context = context;
    gpu.target = &context->targets[0];
    gpu.info = &gpu.target->info;
    context->gpu = padici_alloc(&context->allocator, sizeof state, 16);
    memcpy(context->gpu, &state, sizeof state);
    gpu.state = (padici_gpu_state *)context->gpu;
    gpu.op = PADIC_OP_COPY;
    CHECK_EQ(padici_gpu_scratch(&gpu, 4000, &block), PADIC_OK);
    memset(&good, 0, sizeof good);
    good.kernel = PADICI_KERNEL_BASE_MUL_ADD;
    for (int i = 0; i < 4; i++) good.mem[i] = block.mem;
    good.mem_count = 4;
    good.params = &k;
    good.params_size = sizeof k;
    CHECK_EQ(padici_gpu_launch(&gpu, &good), PADIC_OK);
    const padic_stats before = context->stats;
    CHECK_EQ(gpu.launches, 1);
#define REFUSED(change)                                                  \
    bad = good;                                                          \
    change;                                                              \
    CHECK_EQ(padici_gpu_launch(&gpu, &bad), PADIC_ERROR_ARGUMENT)
    REFUSED(bad.kernel += 100);
    REFUSED(bad.mem_count = 3);
    REFUSED(bad.mem_count = 5);
    REFUSED(bad.mem_count = 9);
    REFUSED(bad.mem[2].bits = 0);
    REFUSED(bad.mem[3].bits += 1);
    REFUSED(bad.params = NULL);
    REFUSED(bad.params_size = 0);
    REFUSED(bad.params_size = 8);
    REFUSED(bad.group = 64);
    REFUSED(bad.groups[0] = 0x2000000); // * 128 = 2^32
    REFUSED(bad.groups[1] = 65536);
    REFUSED(bad.groups[2] = 65536);
    REFUSED(bad.define_count = PADICI_GPU_DEFINES + 1);
    CHECK_EQ(context->stats.launches, before.launches);
    CHECK_EQ(gpu.launches, 1);
    good.group = 128;
    CHECK_EQ(padici_gpu_launch(&gpu, &good), PADIC_OK);
    good.defines = wg;
    good.define_count = 1;
    CHECK_EQ(padici_gpu_launch(&gpu, &good), PADIC_ERROR_ARGUMENT); // 64 now
    good.group = 64;
    CHECK_EQ(padici_gpu_launch(&gpu, &good), PADIC_OK);
    padici_gpu_scratch_end(&gpu, &block);
    good.group = 0;
    good.define_count = 0;
    CHECK_EQ(padici_gpu_launch(&gpu, &good), PADIC_ERROR_ARGUMENT); // its memory is not in use
    padic_context_destroy(context);
}

// Two at once, in turns; what belongs to one is not the other's.
static void check_two(const padic_backend *backend, const padic_device_desc *device)
{
    padic_context *c[2];
    padic_buffer b[2];
    padic_buffer_desc desc = PADIC_ZERO;
    static uint32_t got[1000], want[2][1000];
    c[0] = open_context(backend, device);
    c[1] = open_context(backend, device);
    REQUIRE(c[0] && c[1]);
    desc.size = sizeof got;
    for (int i = 0; i < 2; i++) CHECK_EQ(padic_buffer_create(c[i], &desc, &b[i]), PADIC_OK);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 1000; k++) want[i][k] = (uint32_t)test_random();
        CHECK_EQ(padic_buffer_upload(c[i], b[i], 0, want[i], sizeof got), PADIC_OK);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(padic_buffer_download(c[i], b[i], 0, got, sizeof got), PADIC_OK);
        CHECK(!memcmp(got, want[i], sizeof got));
        CHECK_EQ(padic_buffer_download(c[i], b[!i], 0, got, sizeof got), PADIC_ERROR_ARGUMENT);
    }
    padic_context_destroy(c[0]);
    CHECK_EQ(padic_buffer_download(c[1], b[1], 0, got, sizeof got), PADIC_OK);
    CHECK(!memcmp(got, want[1], sizeof got));
    padic_context_destroy(c[1]);
}

// 0: there is no device.
static int check_backend(const padic_backend *backend, void *native_context)
{
    static lent l;
    padic_device_desc desc = PADIC_ZERO;
    padic_result result;
    desc.native_context = native_context;
    desc.flags = PADIC_DEVICE_ALLOW_CPU;
    CHECK(padici_backend_complete(backend));
    CHECK(!backend->record == !backend->replay);
    CHECK((backend->flags & PADIC_BACKEND_HOST) == 0 || !backend->drive);
    result = lend(&l, backend, &desc);
    if (result) {
        CHECK_EQ(result, PADIC_ERROR_NO_DEVICE);
        CHECK(l.device == NULL && live_blocks == 0);
        CHECK(l.message[0]); // why
        printf(" %s", l.message);
        return 0;
    }
    check_info(&l);
    check_memory(&l);
    check_refusals(&l);
    if (backend->drive)
        check_launches(&l);
    else if (strcmp(backend->name, "null")) {
        padic_program *program = (padic_program *)(void *)&l;
        CHECK_EQ(build_base(&l, NULL, &program), PADIC_ERROR_NOT_SUPPORTED);
        CHECK(program == NULL);
    }
    give_back(&l); // programs go with the device
    if (backend->drive) check_validation(backend, &desc);
    check_two(backend, &desc);
    return 1;
}

// ----------------------------------------------------------------------------------------- tests

TEST(cpu)
{
    CHECK(check_backend(&padici_cpu, NULL));
}

TEST(null)
{
    padic_null_desc null = PADIC_ZERO;
    CHECK(check_backend(padic_null(), &null));
    CHECK_EQ(null.live, 0);
}

TEST(simd)
{
    CHECK(check_backend(padic_simd(), NULL));
}

TEST(native)
{
    padic_native_desc native = PADIC_ZERO;
    if (!check_backend(padic_native(), &native)) {
        SKIP("kernels as C need Linux, python3 and the compiler");
    }
}

TEST(opencl)
{
#ifdef HAS_OPENCL
    if (!check_backend(padic_opencl(), NULL)) {
        SKIP("no OpenCL device");
    }
#else
    SKIP("no padic_opencl.h");
#endif
}

TEST(cuda)
{
#ifdef HAS_CUDA
    if (!check_backend(padic_cuda(), NULL)) {
        SKIP("no CUDA device");
    }
#else
    SKIP("no padic_cuda.h");
#endif
}

TEST_MAIN("device", CASE(cpu), CASE(null), CASE(simd), CASE(native), CASE(opencl), CASE(cuda))
