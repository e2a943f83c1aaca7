// test_selftest.c: known-answer tests of kernels: every kernel has one, a kernel wrong on purpose
// is dropped and the CPU does its work, nothing is tried twice, no failure on the way is kept.

#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_opencl.h"
#include "../native/padic_native.h"
#include "../support/kernel_tree.h"
#include "../support/padic_test.h"
#include "../support/ask.h"
#include "../support/op_stats.h"

#if NATIVE_HERE
#include <sys/stat.h>
#endif

#define NEED_NATIVE "kernels as C need Linux, python3 and the compiler"

// ------------------------------------------------------------------------------ a log to look at

static char logged[8192];

static void keep_log(padic_log_level level, uint32_t item, const char *text, void *user)
{
    const size_t used = strlen(logged);
    (void)level;
    (void)item;
    (void)user;
    snprintf(logged + used, sizeof logged - used, "%s\n", text);
}

static int times_logged(const char *what)
{
    int n = 0;
    for (const char *at = logged; (at = strstr(at, what)) != NULL; at++) n++;
    return n;
}

// ------------------------------------------------------------------------------ changed programs

static char folder[400];

// kernel_dir with base.cl in which `find` has become `instead` everywhere. 0: `find` is not there.
static int change_base(const char *find, const char *instead)
{
#if NATIVE_HERE
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/padic-selftest-%ld", tmp ? tmp : "/tmp", (long)getpid());
#endif
    return kernel_tree_begin(folder) && kernel_tree_change(folder, "base/", find, instead);
}

static void remove_folder(void)
{
    kernel_tree_end(folder);
}

// ------------------------------------------------------------------------------------- contexts

static padic_native_desc native;

// The device, then a helper in host memory, so that the context is not strict.
static padic_context *open_native(const padic_backend *backend, const char *kernel_dir,
                                  uint32_t device_flags)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    memset(&native, 0, sizeof native);
    logged[0] = 0;
    desc.backends[0] = backend;
    desc.backends[1] = padic_simd();
    desc.device.native_context = &native;
    desc.device.kernel_dir = kernel_dir;
    desc.device.flags = device_flags;
    desc.log.write = keep_log;
    if (padic_context_create(&desc, &context)) return NULL;
    if (strcmp(context->targets[0].backend->name, "native")) {
        padic_context_destroy(context);
        return NULL;
    }
    return context;
}

static padic_stats stats_of(const padic_context *context)
{
    padic_stats stats;
    padic_context_stats(context, &stats);
    return stats;
}

// fill, copy and random_fill of a view with gaps in a buffer; whether each gave the right bytes.
static padic_result work(padic_context *context, int right[3])
{
    static uint32_t got[900], want[900], zero[900];
    const uint32_t value = 0x01020304;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer from, to;
    padic_fill_desc fill = PADIC_ZERO;
    padic_copy_desc copy = PADIC_ZERO;
    padic_random_fill_desc random = PADIC_ZERO;
    padic_tensor view = padic_tensor_1d(PADIC_U32, NULL, 300), host;
    padic_result result;
    view.stride[0] = 3;
    desc.size = sizeof got;
    desc.data = zero;
    right[0] = right[1] = right[2] = 0;
    result = padic_buffer_create(context, &desc, &from);
    if (result) return result;
    result = padic_buffer_create(context, &desc, &to);
    if (result) {
        padic_buffer_destroy(context, from);
        return result;
    }
    host = view;
    host.data = want;
    memset(want, 0, sizeof want);
    random.tensor = padic_tensor_in(view, from, 0);
    random.seed = 5;
    result = padic_random_fill(context, &random);
    if (!result) result = padic_buffer_download(context, from, 0, got, sizeof got);
    random.tensor = host;
    padic_random_fill(NULL, &random);
    right[0] = !result && !memcmp(got, want, sizeof got);
    copy.from = padic_tensor_in(view, from, 0);
    copy.to = padic_tensor_in(view, to, 0);
    if (!result) result = padic_copy(context, &copy);
    if (!result) result = padic_buffer_download(context, to, 0, got, sizeof got);
    right[1] = !result && !memcmp(got, want, sizeof got);
    fill.tensor = padic_tensor_in(view, from, 0);
    fill.value = &value;
    if (!result) result = padic_fill(context, &fill);
    if (!result) result = padic_buffer_download(context, from, 0, got, sizeof got);
    fill.tensor = host;
    padic_fill(NULL, &fill);
    right[2] = !result && !memcmp(got, want, sizeof got);
    padic_buffer_destroy(context, from);
    padic_buffer_destroy(context, to);
    return result;
}

// ---------------------------------------------------------------------------------------- tests

TEST(every_kernel)
{
    uint32_t kernels = 0;
    for (uint32_t p = 0; p < PADICI_PROGRAM_COUNT; p++)
        for (uint32_t k = 0; k < padici_programs[p].kernel_count; k++, kernels++)
            if (!padici_gpu_test_of(p << 16 | k)) {
                printf("\n  %s has no self-test", padici_programs[p].kernels[k].name);
                test_failed(__FILE__, __LINE__, "a kernel without a self-test");
            }
    CHECK(padici_gpu_test_of(PADICI_PROGRAM_COUNT << 16) == NULL);
    printf(" of %u", kernels);
}

TEST(right)
{
    padic_context *context = open_native(padic_native(), NULL, 0);
    int right[3];
    if (!context) {
        SKIP(NEED_NATIVE);
    }
    const uint32_t kernels = padici_programs[PADICI_PROGRAM_BASE].kernel_count;
    CHECK_EQ(stats_of(context).self_tests, 0); // nothing at open
    CHECK_EQ(work(context, right), PADIC_OK);
    CHECK(right[0] && right[1] && right[2]);
    CHECK_EQ(stats_of(context).self_tests, kernels);
    CHECK_EQ(stats_of(context).programs, 1);
    CHECK_EQ(work(context, right), PADIC_OK);
    CHECK(right[0] && right[1] && right[2]);
    const padic_stats stats = stats_of(context);
    CHECK_EQ(stats.self_tests, kernels); // once
    CHECK_EQ(stats.self_tests_failed, 0);
    CHECK_EQ(stats.programs, 1);
    CHECK_EQ(native.kept, 1);
    for (int op = PADIC_OP_FILL; op <= PADIC_OP_RANDOM_FILL; op++) {
        CHECK_EQ(op_stats(context, op).calls, 2);
        CHECK_EQ(op_stats(context, op).fallbacks, 0);
    }
    padic_context_destroy(context);
}

// One change of the text each: which kernels it must cost.
static const struct {
    const char *find, *instead;
    int fill, copy, random; // the 4-byte kernel is dropped
    uint32_t failed;        // kernels in all
} changes[] = {
    {"to[at] = BASE_WORD(inner)", "to[at] = BASE_WORD(inner + 1u)", 1, 0, 0, 1},
    // writes behind the buffer, into what only the guard sees
    {"to[at] = BASE_WORD(inner)", "to[at] = to[4700u + 5u] = BASE_WORD(inner)", 1, 0, 0, 1},
    {"to[to_at] = from[from_at]", "to[to_at] = from[from_at ^ 1u]", 0, 1, 0, 3},
    {"i < k.n; i", "i + 1u < k.n; i", 1, 1, 0, 6}, // the last one of 777
    {"i += PD_NGRP * (pd_u32)PD_WG", "i += PD_NGRP * (pd_u32)PD_WG + 1u", 1, 1, 0, 6},
    {"rest = q\n", "rest = q ^ 1u\n", 1, 1, 1, 9},
    {"round < 10u", "round < 9u", 0, 0, 1, 3},
    {">= k.skip", "> k.skip", 0, 0, 1, 3},
    {"w3 = k.stream_hi", "w3 = k.stream_lo", 0, 0, 1, 3},
    {"kind == BASE_F64", "kind == 77u", 0, 0, 1, 1},
    {"a[i] * b[i] + c[i]", "PD_FMA(a[i], b[i], c[i])", 0, 0, 0, 1},
};

TEST(wrong_on_purpose)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        padic_context *context = NULL;
        int right[3];
        CHECK(change_base(changes[i].find, changes[i].instead) || !NATIVE_HERE);
        context = open_native(padic_native(), folder, 0);
        if (!context) {
            remove_folder();
            SKIP(NEED_NATIVE);
        }
        const int failures = test_failures;
        for (int round = 0; round < 2; round++) {
            CHECK_EQ(work(context, right), PADIC_OK);
            CHECK(right[0] && right[1] && right[2]); // whoever did it
        }
        const padic_stats stats = stats_of(context);
        CHECK_EQ(stats.self_tests_failed, changes[i].failed);
        CHECK_EQ(stats.self_tests, padici_programs[PADICI_PROGRAM_BASE].kernel_count);
        CHECK_EQ(op_stats(context, PADIC_OP_FILL).fallbacks, 2 * changes[i].fill);
        CHECK_EQ(op_stats(context, PADIC_OP_COPY).fallbacks, 2 * changes[i].copy);
        CHECK_EQ(op_stats(context, PADIC_OP_RANDOM_FILL).fallbacks, 2 * changes[i].random);
        CHECK_EQ(times_logged("its self-test fails"), (int)changes[i].failed);
        CHECK_EQ(native.kept, 0); // a binary with a wrong kernel is not stored
        CHECK_EQ(stats.programs, 1);
        if (test_failures > failures)
            printf("\n  with %s; log: %s", changes[i].instead, logged);
        padic_context_destroy(context);
    }
    remove_folder();
}

TEST(strict_and_supports)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_random_fill_desc random = PADIC_ZERO;
    uint32_t data[10] = {0};
    CHECK(change_base("round < 10u", "round < 9u") || !NATIVE_HERE);
    memset(&native, 0, sizeof native);
    logged[0] = 0;
    desc.backends[0] = padic_native(); // alone, so strict
    desc.device.native_context = &native;
    desc.device.kernel_dir = folder;
    desc.log.write = keep_log;
    if (padic_context_create(&desc, &context)) {
        remove_folder();
        SKIP(NEED_NATIVE);
    }
    random.tensor = padic_tensor_1d(PADIC_U32, data, 10);
    // not known
    CHECK_EQ(ASK(context, padic_random_fill(context, &random)), PADIC_OK);
    CHECK(!strcmp(test_asked.backend, "native"));
    CHECK_EQ(stats_of(context).self_tests, 0); // to ask does nothing
    CHECK_EQ(padic_random_fill(context, &random), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(data[0], 0);
    CHECK_EQ(ASK(context, padic_random_fill(context, &random)), PADIC_ERROR_NOT_SUPPORTED);
    CHECK(strstr(logged, "padic_k_base_random_4 is not used on kernels as plain C") != NULL);
    padic_context_destroy(context);
    remove_folder();
}

TEST(skipped) // PADIC_DEVICE_SKIP_SELF_TEST: the wrong kernel is believed
{
    padic_context *context;
    int right[3];
    CHECK(change_base("round < 10u", "round < 9u") || !NATIVE_HERE);
    context = open_native(padic_native(), folder, PADIC_DEVICE_SKIP_SELF_TEST);
    if (!context) {
        remove_folder();
        SKIP(NEED_NATIVE);
    }
    CHECK_EQ(work(context, right), PADIC_OK);
    CHECK(!right[0] && right[2]);
    CHECK_EQ(stats_of(context).self_tests, 0);
    CHECK_EQ(op_stats(context, PADIC_OP_RANDOM_FILL).fallbacks, 0);
    CHECK_EQ(native.kept, 1);
    padic_context_destroy(context);
    remove_folder();
}

TEST(build_error)
{
    padic_context *context;
    int right[3];
    CHECK(change_base("if (i < k.n) to[i]", "if (i < k.n to[i]") || !NATIVE_HERE);
    context = open_native(padic_native(), folder, 0);
    if (!context) {
        remove_folder();
        SKIP(NEED_NATIVE);
    }
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(work(context, right), PADIC_OK);
        CHECK(right[0] && right[1] && right[2]);
    }
    CHECK(times_logged("error:") >= 1); // the compiler's own words
    CHECK(strstr(logged, "base.cl:") != NULL);
    CHECK_EQ(times_logged("base is not used on"), 1); // tried once
    const padic_stats stats = stats_of(context);
    CHECK_EQ(stats.programs, 0);
    CHECK_EQ(stats.self_tests, 0);
    CHECK_EQ(op_stats(context, PADIC_OP_FILL).fallbacks, 3);
    CHECK_EQ(native.kept, 0);
    padic_context_destroy(context);
    remove_folder();
}

// ----------------------------------------------------------------------------- failures on the way

static uint64_t fault_calls, fault_at;
static padic_result fault_with;

static padic_result fault(void)
{
    return ++fault_calls == fault_at ? fault_with : PADIC_OK;
}

static padic_result fault_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    const padic_result result = fault();
    out->bits = 0;
    return result ? result : native_alloc(device, size, out);
}

static padic_result fault_upload(padic_device *device, padic_mem mem, uint64_t at,
                                 const void *from, uint64_t size)
{
    const padic_result result = fault();
    return result ? result : native_upload(device, mem, at, from, size);
}

static padic_result fault_download(padic_device *device, padic_mem mem, uint64_t at, void *to,
                                   uint64_t size)
{
    const padic_result result = fault();
    return result ? result : native_download(device, mem, at, to, size);
}

static padic_result fault_program(padic_device *device, const padic_program_desc *desc,
                                  padic_program **out)
{
    const padic_result result = fault();
    *out = NULL;
    return result ? result : native_build(device, desc, out);
}

static padic_result fault_launch(padic_device *device, const padic_launch *launch)
{
    const padic_result result = fault();
    return result ? result : native_launch(device, launch);
}

static padic_backend faulty_backend(void)
{
    padic_backend backend = *padic_native();
    backend.alloc = fault_alloc;
    backend.upload = fault_upload;
    backend.download = fault_download;
    backend.program = fault_program;
    backend.launch = fault_launch;
    return backend;
}

TEST(every_call_fails) // no memory now is no reason to do without a kernel later
{
    const padic_backend backend = faulty_backend();
    const padic_result codes[] = {PADIC_ERROR_MEMORY, PADIC_ERROR_DEVICE, PADIC_ERROR_DEVICE_LOST};
    for (int code = 0; code < 3; code++) {
        int failed = 0;
        for (fault_at = 1;; fault_at += code ? 3 : 1) {
            padic_context *context;
            int right[3];
            padic_result result;
            fault_calls = 0;
            fault_with = codes[code];
            context = open_native(&backend, NULL, 0);
            if (!context) {
                SKIP(NEED_NATIVE);
            }
            result = work(context, right);
            const int came = fault_calls >= fault_at;
            // A full device is asked again when idle blocks have been given back.
            if (result) CHECK_EQ(result, codes[code]);
            failed += result != PADIC_OK;
            if (!result) CHECK(right[0] && right[1] && right[2]);
            fault_calls = fault_at; // no more
            const padic_result again = work(context, right);
            const padic_stats stats = stats_of(context);
            if (code == 2 && came) {
                CHECK_EQ(result, PADIC_ERROR_DEVICE_LOST);
                CHECK_EQ(again, PADIC_ERROR_DEVICE_LOST);
            } else {
                CHECK_EQ(again, PADIC_OK);
                CHECK(right[0] && right[1] && right[2]);
            }
            if (code == 0) {
                CHECK_EQ(stats.self_tests_failed, 0);
                CHECK_EQ(native.kept, 1);
            }
            padic_context_destroy(context); // aborts when a block is left
            if (!came) break;
        }
        CHECK(failed > (code == 1 ? 1 : 10)); // a kernel whose test cannot run is done without
    }
}

static uint64_t allocations, allocation_fails;

static void *failing_alloc(size_t size, size_t align, void *user)
{
    (void)align;
    (void)user;
    return ++allocations == allocation_fails ? NULL : malloc(size ? size : 1);
}

static void failing_free(void *pointer, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(pointer);
}

TEST(every_allocation_fails)
{
    for (allocation_fails = 0;; allocation_fails++) {
        padic_context_desc desc = PADIC_ZERO;
        padic_context *context = NULL;
        int right[3];
        memset(&native, 0, sizeof native);
        allocations = 0;
        desc.backends[0] = padic_native();
        desc.device.native_context = &native;
        desc.allocator.alloc = failing_alloc;
        desc.allocator.free = failing_free;
        if (padic_context_create(&desc, &context)) {
            if (!allocation_fails) {
                SKIP(NEED_NATIVE);
            }
            continue;
        }
        const padic_result result = work(context, right);
        const int came = allocation_fails && allocations >= allocation_fails;
        CHECK_EQ(result, came ? PADIC_ERROR_MEMORY : PADIC_OK);
        CHECK_EQ(work(context, right), PADIC_OK);
        CHECK(right[0] && right[1] && right[2]);
        CHECK_EQ(stats_of(context).self_tests_failed, 0);
        padic_context_destroy(context);
        if (allocation_fails && !came) break;
    }
}

// ------------------------------------------------------------------------------------- variants

static padici_gpu gpu_of(padic_context *context)
{
    padici_gpu gpu;
    memset(&gpu, 0, sizeof gpu);
    gpu.context = context;
    gpu.target = &context->targets[0];
    gpu.info = &gpu.target->info;
    gpu.state = (padici_gpu_state *)context->gpu;
    gpu.op = PADIC_OP_FILL;
    return gpu;
}

TEST(variants)
{
    padic_context *context = open_native(padic_native(), NULL, 0);
    const char *const narrow[] = {"PD_WG=64", "PD_X=1"}, *const other[] = {"PD_WG=64", "PD_X=2"};
    const char *const wide[] = {"PD_WG=512"}, *const broken[] = {"PD_WG=(("};
    int right[3];
    padici_gpu gpu;
    uint32_t index = 99;
    if (!context) {
        SKIP(NEED_NATIVE);
    }
    CHECK_EQ(work(context, right), PADIC_OK);
    gpu = gpu_of(context);
    CHECK_EQ(padici_gpu_ready(&gpu, PADICI_KERNEL_BASE_FILL_4, narrow, 2, &index), PADIC_OK);
    CHECK_EQ(gpu.state->variants[index].shapes[0].group, 64);
    CHECK_EQ(stats_of(context).programs, 2);
    CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_COPY_1, narrow, 2), PADIC_OK);
    CHECK_EQ(stats_of(context).programs, 2);
    CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_COPY_1, narrow, 1), PADIC_OK);
    CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_COPY_1, other, 2), PADIC_OK);
    CHECK_EQ(stats_of(context).programs, 4);
    // groups that the device lacks, and what does not compile: dropped, and known to a query
    for (int i = 0; i < 2; i++) {
        const char *const *defines = i ? broken : wide;
        gpu.query = 1;
        CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_FILL_4, defines, 1), PADIC_OK);
        gpu.query = 0;
        CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_FILL_4, defines, 1),
                 PADIC_ERROR_NOT_SUPPORTED);
        gpu.query = 1;
        CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_FILL_4, defines, 1),
                 PADIC_ERROR_NOT_SUPPORTED);
        gpu.query = 0;
    }
    CHECK_EQ(stats_of(context).programs, 4);
    CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_FILL_4 + 1000, NULL, 0),
             PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padici_gpu_need(&gpu, PADICI_PROGRAM_COUNT << 16, NULL, 0),
             PADIC_ERROR_NOT_SUPPORTED);
    for (uint32_t p = 0; p < PADICI_PROGRAM_COUNT; p++) // texts for CUDA are not read elsewhere
        if (padici_programs[p].cuda)
            CHECK_EQ(padici_gpu_need(&gpu, p << 16, NULL, 0), PADIC_ERROR_NOT_SUPPORTED);
    // while recording nothing new begins
    const char *const late[] = {"PD_X=3"};
    context->recording = 1;
    CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_FILL_4, narrow, 2), PADIC_OK);
    CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_FILL_4, late, 1), PADIC_ERROR_ARGUMENT);
    context->recording = 0;
    CHECK_EQ(padici_gpu_need(&gpu, PADICI_KERNEL_BASE_FILL_4, late, 1), PADIC_OK);
    padic_context_destroy(context);
}

// A bug in the kernels of each family: which kernel the test of its program must cost, with these
// defines.
static const struct {
    const char *folder, *find, *instead;
    uint32_t kernel;
    const char *define;
} planted_bugs[] = {
    {"sample/", "sample_mix64(h + (pd_u64)j * 0x9e3779b9u)", "sample_mix64(h)",
     PADICI_KERNEL_SAMPLE_MAPS, "PD_SAMPLE_NODES=1"},
    {"num/", "if (carry) shown -= (pd_u64)NUM_P(r)", "(void)carry", PADICI_KERNEL_NUM_EACH,
     "PD_NUM_OP=14\nPD_NUM_KIND=1"},
    {"wave/", "base + j < own", "base + j <= own", PADICI_KERNEL_WAVE_RANK, "PD_WAVE_MODE=1"},
    {"wave/", "a.high != b.high || a.low", "a.high != b.high && a.low", PADICI_KERNEL_WAVE_ENDS,
     "PD_WAVE_MODE=1\nPD_WAVE_LISTED=1"},
    {"wave/", "sum += re * re + im * im", "sum += re * re - im * im", PADICI_KERNEL_VORTEX_NORM,
     ""},
    {"wave/", "VORTEX_SLOPE(1u, y)", "VORTEX_SLOPE(2u, y)", PADICI_KERNEL_VORTEX_GRADIENT, ""},
    {"tensor/", "re += parts[((pd_u64)i * count + e) * TENSOR_C_PARTS]",
     "re += parts[e * TENSOR_C_PARTS]", PADICI_KERNEL_TENSOR_ADD, ""},
    {"tensor/", "gim -= vi * zr", "gim += vi * zr", PADICI_KERNEL_FACTOR_QR, ""},
    {"tensor/", "places[i] + places[k.rows + j / k.low]", "places[i]", PADICI_KERNEL_FACTOR_CUT,
     ""},
    {"sparse/", "others += sparse_other(x, k)", "others += 1u", PADICI_KERNEL_SPARSE_BITS,
     "PD_SPARSE_REPORT=1"},
    {"codec/", "codec_put(bytes, at + 16u, length, 8u)", "codec_put(bytes, at + 16u, length, 7u)",
     PADICI_KERNEL_CODEC_FRAMES, ""},
    {"codec/", "if (f->scale == 0u || f->size < 45u)", "if (f->scale != 0u)",
     PADICI_KERNEL_CODEC_INSPECT, "PD_CODEC_BOUND=1"},
    {"fft/", "p * j * turns", "p * j", PADICI_KERNEL_FFT_LINES, ""},
    {"fft/", "x.im = -x.im;", "x.im += x.im;", PADICI_KERNEL_FFT_LINES,
     "PD_FFT_F64=1\nPD_FFT_WG=128"},
    {"fft/", "(turn >> k.shift)", "0u", PADICI_KERNEL_FFT_LINES, ""},
    {"rnn/", "column * k.out_column] = x;", "column * k.out_column] = sum;",
     PADICI_KERNEL_RNN_DOTS, ""},
    {"rnn/", "rest * h + z * next", "rest * next + z * h", PADICI_KERNEL_RNN_CELLS, ""},
    {"rnn/", "RNN_TILE] * factor", "RNN_TILE] * (factor + 1.0f)",
     PADICI_KERNEL_RNN_RUN, "PD_RNN_W=2"},
    {"pq/", "above += found[1]", "above += 0u", PADICI_KERNEL_PQ_SELECT_FINISH, ""},
    {"pq/", "take < all ? all - take : 0u", "take < all ? 0u : 0u", PADICI_KERNEL_PQ_SELECT_CELLS,
     ""},
    {"pq/", "other < high[PD_LID]", "other > high[PD_LID]", PADICI_KERNEL_PQ_KEYS, ""},
    {"pq/", "> 0u ? p.group : p.head", "> 0u ? p.head : p.head", PADICI_KERNEL_PQ_ATTEND_SPLIT, ""},
    {"pq/", "if (position[j] == at) first = 0u", "(void)at", PADICI_KERNEL_PQ_MERGE_DENSE, ""},
    {"pq/", "byte[32u + (i & 15u)]", "byte[32u + (i & 7u)]", PADICI_KERNEL_PQ_SELECT_SCORES, ""},
    {"pq/", "position[e - 1u] != own", "own > 0u", PADICI_KERNEL_PQ_ENTRIES_LISTS, ""},
    {"pq/", "k.mode == PQ_ROWS_CUT ? low", "k.mode == PQ_ROWS_SET ? low",
     PADICI_KERNEL_PQ_ROWS_COUNT, ""},
    {"pq/", "k.to * k.row_pages, step", "k.from * k.row_pages, step",
     PADICI_KERNEL_PQ_ROWS_FORK, ""},
    {"pq/", "? state[PQ_ENTRY_EQUAL] - take", "? 0u * take", PADICI_KERNEL_PQ_ENTRIES_BEST, ""},
    {"rollout/", "apart.hi * apart.hi *", "0.0f *", PADICI_KERNEL_ROLLOUT_NORMS, ""},
    {"rollout/", "2 * size - 2 - i", "2 * size - 1 - i", PADICI_KERNEL_ROLLOUT_CONV_LAYER, ""},
    {"rollout/", "k.site << 4", "k.site << 3", PADICI_KERNEL_ROLLOUT_NOISE, ""},
    {"rollout/", "x > k.above", "x > k.high + 1.0f", PADICI_KERNEL_ROLLOUT_KEEP, ""},
    {"rnn/", "part[i] * scale", "part[i] * (scale + 1.0f)", PADICI_KERNEL_RNN_RUN, "PD_RNN_W=3"},
};

TEST(planted)
{
    for (size_t i = 0; i < sizeof planted_bugs / sizeof *planted_bugs; i++) {
        const uint32_t kernel = planted_bugs[i].kernel;
        char text[80], *at;
        const char *defines[4];
        uint32_t count = 0, index = 0;
        padic_context *context;
        padici_gpu gpu;
        int right[3];
        (void)change_base("\001", ""); // the tree as it is
        if (!kernel_tree_change(folder, planted_bugs[i].folder, planted_bugs[i].find,
                                planted_bugs[i].instead) && NATIVE_HERE) {
            printf("\n  no %s", planted_bugs[i].find);
            test_failed(__FILE__, __LINE__, "a bug that has no place");
        }
        context = open_native(padic_native(), folder, 0);
        if (!context) {
            remove_folder();
            SKIP(NEED_NATIVE);
        }
        snprintf(text, sizeof text, "%s", planted_bugs[i].define);
        for (at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) defines[count++] = at;
        CHECK_EQ(work(context, right), PADIC_OK);
        gpu = gpu_of(context);
        if (padici_gpu_ready(&gpu, kernel, defines, count, &index) != PADIC_ERROR_NOT_SUPPORTED ||
            !(gpu.state->variants[index].dropped >> (kernel & 0xffffu) & 1)) {
            printf("\n  with %s; log: %s", planted_bugs[i].instead, logged);
            test_failed(__FILE__, __LINE__, "a bug that no self-test sees");
        }
        padic_context_destroy(context);
    }
    remove_folder();
}

// Fills the stack below the caller, so that what a function forgets to set shows.
static unsigned paint(unsigned char with)
{
    volatile unsigned char below[60000];
    for (size_t i = 0; i < sizeof below; i++) below[i] = with;
    return below[with];
}

TEST(list_moves) // a self-test builds other programs where the list of variants is full
{
    padic_context *context = open_native(padic_native(), NULL, 0);
    char word[16];
    const char *define = word;
    padici_gpu gpu;
    int right[3];
    uint32_t index = 0, full;
    if (!context) {
        SKIP(NEED_NATIVE);
    }
    CHECK_EQ(work(context, right), PADIC_OK);
    gpu = gpu_of(context);
    full = gpu.state->capacity;
    while (gpu.state->count + 1 < full) {
        snprintf(word, sizeof word, "PD_X=%u", gpu.state->count);
        CHECK_EQ(padici_variant_add(&gpu, PADICI_PROGRAM_BASE, &define, 1), PADIC_OK);
    }
    CHECK_EQ(padici_gpu_ready(&gpu, PADICI_KERNEL_FIELD_POINTS_KICK, NULL, 0, &index), PADIC_OK);
    CHECK(gpu.state->count > full);
    CHECK_EQ(gpu.state->variants[index].state, PADICI_VARIANT_READY);
    CHECK_EQ(gpu.state->variants[index].dropped, 0);
    padic_context_destroy(context);
}

TEST(cases_are_whole) // a case says the same whatever lay in memory before; texts for CUDA, too
{
    static const char *const lists[] = {"", "PD_TENSOR_GENERAL=1\n", "PD_TENSOR_PIECES=1\n",
                                        "PD_FACTOR_VECTORS=0\n", "PD_TENSOR_CONJ=1\n",
                                        "PD_TENSOR_A_ALONG=0\nPD_TENSOR_B_ALONG=1\n"};
    padic_context *context = open_native(padic_native(), NULL, 0);
    unsigned char *space[2] = {(unsigned char *)malloc(PADICI_GPU_CASE_BYTES),
                               (unsigned char *)malloc(PADICI_GPU_CASE_BYTES)};
    uint32_t cases = 0;
    if (!context) {
        free(space[0]), free(space[1]);
        SKIP(NEED_NATIVE);
    }
    for (uint32_t p = 0; p < PADICI_PROGRAM_COUNT; p++)
        for (uint32_t k = 0; k < padici_programs[p].kernel_count; k++)
            for (size_t d = 0; d < sizeof lists / sizeof *lists; d++) {
                const padici_gpu_test *test = padici_gpu_test_of(p << 16 | k);
                char defines[80];
                padici_variant variant;
                padici_gpu_state state;
                padici_gpu gpu = gpu_of(context);
                int again = test->groups != PADICI_TEST_DRIVEN; // which describes no case
                memset(&variant, 0, sizeof variant);
                memset(&state, 0, sizeof state);
                snprintf(defines, sizeof defines, "%s", lists[d]);
                variant.program = p;
                variant.defines = defines;
                variant.defines_size = strlen(defines);
                state.variants = &variant;
                state.count = 1;
                gpu.state = &state;
                for (uint32_t round = 0; again && round < 16; round++) {
                    padici_gpu_case c[2];
                    padic_result result[2];
                    for (int i = 0; i < 2; i++) {
                        memset(&c[i], 0, sizeof c[i]);
                        memset(space[i], 0x33, PADICI_GPU_CASE_BYTES);
                        c[i].gpu = &gpu;
                        c[i].kernel = k;
                        c[i].round = round;
                        c[i].space = space[i];
                        paint(i ? 0xee : 0x11);
                        result[i] = padici_gpu_case_make(&c[i], test);
                    }
                    CHECK_EQ(result[0], result[1]);
                    if (result[0]) break;
                    again = c[0].again;
                    cases++;
                    if (c[0].used != c[1].used || memcmp(space[0], space[1], c[0].used) ||
                        memcmp(&c[0].params, &c[1].params, sizeof c[0].params) ||
                        memcmp(c[0].groups, c[1].groups, sizeof c[0].groups)) {
                        printf("\n  %s, %s", padici_programs[p].kernels[k].name, defines);
                        test_failed(__FILE__, __LINE__, "a case that depends on old memory");
                    }
                }
            }
    printf(" of %u", cases);
    CHECK(cases > 200);
    free(space[0]), free(space[1]);
    padic_context_destroy(context);
}

TEST_MAIN("selftest", CASE(every_kernel), CASE(right), CASE(wrong_on_purpose),
          CASE(strict_and_supports), CASE(skipped), CASE(build_error), CASE(every_call_fails),
          CASE(every_allocation_fails), CASE(variants),
          CASE(list_moves), CASE(cases_are_whole), CASE(planted))
