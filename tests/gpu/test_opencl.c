// The OpenCL backend by itself: every rule of the device interface on the platform that is there,
// chosen outside by OCL_ICD_VENDORS. All cases are skipped where there is none.
#define PADIC_IMPLEMENT_GPU
#define PADIC_IMPLEMENT_OPENCL
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_opencl.h"
#include "../support/padic_test.h"
#include "../support/ask.h"
#include "../support/op_stats.h"

// ---- a device opened by hand

static size_t live_blocks;
static int log_lines;
static char last_line[200];

static void *counted_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    live_blocks++;
    return padici_alloc(NULL, size, align);
}
static void counted_free(void *pointer, size_t size, void *user)
{
    (void)user;
    live_blocks -= pointer != NULL;
    padici_free(NULL, pointer, size);
}
static void counted_log(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)level, (void)item, (void)user;
    log_lines++;
    snprintf(last_line, sizeof last_line, "%s", text);
}

// A cache of one entry, and what was asked of it.
static struct {
    char key[40];
    unsigned char *data;
    size_t size;
    int loads, stores;
} cached;

static int cache_load(const char *key, void *data, size_t *size, void *user)
{
    (void)user;
    cached.loads++;
    if (!cached.data || strcmp(key, cached.key)) return 0;
    if (data) memcpy(data, cached.data, cached.size);
    *size = cached.size;
    return 1;
}
static void cache_store(const char *key, const void *data, size_t size, void *user)
{
    (void)user;
    cached.stores++;
    free(cached.data);
    cached.data = (unsigned char *)malloc(size);
    memcpy(cached.data, data, size);
    cached.size = size;
    snprintf(cached.key, sizeof cached.key, "%s", key);
}

static const padic_allocator allocator = {counted_alloc, counted_free, NULL};
static const padic_logger logger = {counted_log, NULL};
static const padic_cache cache = {cache_load, cache_store, NULL};
static padic_stats stats;
static char message[512];
static padic_env env;

static padic_result open_with(const padic_device_desc *desc, padic_device **out)
{
    memset(&env, 0, sizeof env);
    env.allocator = &allocator;
    env.log = &logger;
    env.cache = &cache;
    env.message = message;
    env.message_size = sizeof message;
    env.stats = &stats;
    message[0] = 0;
    return padic_opencl()->open(&env, desc, out);
}

static padic_device *open_any(void)
{
    padic_device_desc desc = PADIC_ZERO;
    padic_device *device;
    desc.flags = PADIC_DEVICE_ALLOW_CPU;
    return open_with(&desc, &device) ? NULL : device;
}

static padici_cl *inside(padic_device *device)
{
    return (padici_cl *)(void *)device;
}

static void close_device(padic_device *device)
{
    padic_opencl()->close(device);
    CHECK_EQ(live_blocks, 0);
}

#define OPEN(device)                              \
    padic_device *device = open_any();            \
    const padic_backend *b = padic_opencl();      \
    if (!device) {                                \
        SKIP("no OpenCL device");                 \
    } else                                        \
        ((void)0)

// Oclgrind reports every refused call as a bug of the program.
static int refusals_count(padic_device *device)
{
    return strstr(inside(device)->info.platform, "Oclgrind") != NULL;
}
#define OPEN_TO_FAIL(device)                                     \
    OPEN(device);                                                \
    if (refusals_count(device)) {                                \
        close_device(device);                                    \
        SKIP("Oclgrind would report the calls that must fail");  \
    } else                                                       \
        ((void)0)

// ---- a kernel to launch: to[i] = a[i] * b[i] + c[i]

enum { N = 1000 };
static float host_a[N], host_b[N], host_c[N];

typedef struct work {
    padic_program *program;
    padic_mem mem[4];
    padici_k_base_mul_add_params params;
    padic_launch launch;
} work;

static const char *const defines[] = {"PD_WG=64"};

static padic_program_desc base_program(void)
{
    padic_program_desc desc = PADIC_ZERO;
    desc.program = PADICI_PROGRAM_BASE;
    desc.defines = defines;
    desc.define_count = 1;
    return desc;
}

static padic_result work_begin(padic_device *device, work *w)
{
    const padic_backend *b = padic_opencl();
    const padic_program_desc desc = base_program();
    padic_result result;
    int i;
    memset(w, 0, sizeof *w);
    for (i = 0; i < N; i++) {
        host_a[i] = (float)(test_random() % 4096) / 64.0f;
        host_b[i] = (float)(test_random() % 4096) / 64.0f;
        host_c[i] = (float)(test_random() % 4096) / 64.0f;
    }
    result = b->program(device, &desc, &w->program);
    for (i = 0; i < 4 && !result; i++) result = b->alloc(device, sizeof host_a, &w->mem[i]);
    if (!result) result = b->upload(device, w->mem[0], 0, host_a, sizeof host_a);
    if (!result) result = b->upload(device, w->mem[1], 0, host_b, sizeof host_b);
    if (!result) result = b->upload(device, w->mem[2], 0, host_c, sizeof host_c);
    if (!result) result = b->fill(device, w->mem[3], 0, 0, sizeof host_a);
    w->params.n = N;
    w->launch.program = w->program;
    w->launch.kernel = PADICI_KERNEL_BASE_MUL_ADD & 0xffff;
    memcpy(w->launch.mem, w->mem, sizeof w->mem);
    w->launch.mem_count = 4;
    w->launch.params = &w->params;
    w->launch.params_size = sizeof w->params;
    w->launch.group = 64;
    w->launch.groups[0] = (N + 63) / 64;
    w->launch.groups[1] = w->launch.groups[2] = 1;
    return result;
}

static void work_end(padic_device *device, work *w)
{
    int i;
    for (i = 0; i < 4; i++)
        if (w->mem[i].bits) padic_opencl()->free(device, w->mem[i], sizeof host_a);
}

static void check_sums(padic_device *device, const work *w)
{
    static float out[N];
    int i;
    memset(out, 0, sizeof out);
    CHECK_EQ(padic_opencl()->download(device, w->mem[3], 0, out, sizeof out), PADIC_OK);
    for (i = 0; i < N; i++) {
        const float product = host_a[i] * host_b[i]; // exact for these numbers
        CHECK(out[i] == product + host_c[i]);
    }
}

// ---- choice

TEST(device)
{
    padic_device_info info;
    OPEN(device);
    b->info(device, &info);
    printf(" (%s, %s, %s)", info.platform, info.name, info.driver);
    CHECK(info.name[0] && info.vendor[0] && info.driver[0] && info.platform[0]);
    CHECK(info.compute_units && info.max_group && info.alignment);
    CHECK(info.memory && info.max_alloc && info.max_alloc <= info.memory);
    CHECK(info.local_bytes >= 16384); // what 1.2 promises is 32 KiB
    CHECK(info.features & PADIC_FEATURE_RECORD);
    CHECK(!(info.features & (PADIC_FEATURE_SUBGROUPS | PADIC_FEATURE_PROGRESS)));
    close_device(device);
}

TEST(choice)
{
    padic_device_desc desc = PADIC_ZERO;
    padic_device_info info;
    padic_device *other;
    uint64_t type;
    OPEN(device);
    b->info(device, &info);
    type = padici_cl_device_number(inside(device), inside(device)->device, PADICI_CL_DEVICE_TYPE);
    close_device(device);
    // A part of the name finds it, CPU or not; a wrong one, and one too many, do not.
    desc.name = info.name + strlen(info.name) / 2;
    CHECK_EQ(open_with(&desc, &device), PADIC_OK);
    if (device) close_device(device);
    desc.index = 1000;
    other = (padic_device *)(void *)&desc;
    CHECK_EQ(open_with(&desc, &other), PADIC_ERROR_NO_DEVICE);
    CHECK(other == NULL);
    CHECK(strstr(message, "index") != NULL);
    desc.index = 0;
    desc.name = "no such device";
    CHECK_EQ(open_with(&desc, &other), PADIC_ERROR_NO_DEVICE);
    CHECK(strstr(message, "no such device") != NULL);
    CHECK_EQ(live_blocks, 0);
    // A CPU device does not serve unasked.
    desc.name = NULL;
    if (!(type & (PADICI_CL_TYPE_GPU | PADICI_CL_TYPE_ACCELERATOR))) {
        CHECK_EQ(open_with(&desc, &other), PADIC_ERROR_NO_DEVICE);
        CHECK(strstr(message, "ALLOW_CPU") != NULL);
    }
    // A wrong library is passed over.
    desc.flags = PADIC_DEVICE_ALLOW_CPU;
    desc.library_path = "/nowhere/libOpenCL.so";
    CHECK_EQ(open_with(&desc, &device), PADIC_OK);
    if (device) close_device(device);
    desc.library_path = "libm.so.6";
    CHECK_EQ(open_with(&desc, &device), PADIC_OK);
    if (device) close_device(device);
}

// Where nothing can serve: a sentence, and a context that goes on with the CPU.
TEST(absent)
{
    padic_device_desc device_desc = PADIC_ZERO;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_device *device;
    padic_tensor tensor;
    padic_fill_desc fill = PADIC_ZERO;
    padic_result result;
    uint8_t bytes[5] = {1, 2, 3, 4, 5};
    device_desc.flags = PADIC_DEVICE_ALLOW_CPU;
    result = open_with(&device_desc, &device);
    if (!result) {
        close_device(device);
        SKIP("there is a device");
    }
    CHECK_EQ(result, PADIC_ERROR_NO_DEVICE);
    CHECK(device == NULL);
    CHECK_EQ(live_blocks, 0);
    CHECK(!strncmp(message, "OpenCL: ", 8));
    printf(" (%s)", message);
    desc.backends[0] = desc.backends[1] = padic_opencl(); // one alone would be strict
    desc.device = device_desc;
    desc.allocator = allocator;
    desc.log = logger;
    log_lines = 0;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    CHECK_EQ(log_lines, 2);
    CHECK(!strcmp(last_line, message));
    tensor = padic_tensor_1d(PADIC_U8, bytes, 5);
    fill.tensor = tensor;
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
    CHECK(!bytes[0] && !bytes[4]);
    padic_context_destroy(context);
    desc.flags = PADIC_CONTEXT_STRICT;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_ERROR_NO_DEVICE);
    CHECK_EQ(live_blocks, 0);
}

// ---- memory

TEST(memory)
{
    unsigned char in[300], out[300];
    padic_mem first, second;
    uint32_t i;
    OPEN(device);
    CHECK_EQ(b->alloc(device, 300, &first), PADIC_OK);
    CHECK_EQ(b->alloc(device, 300, &second), PADIC_OK);
    CHECK(first.bits && second.bits && first.bits != second.bits);
    for (i = 0; i < 300; i++) in[i] = (unsigned char)test_random();
    CHECK_EQ(b->upload(device, first, 0, in, 300), PADIC_OK);
    CHECK_EQ(b->fill(device, second, 0, 0x04030201u, 300), PADIC_OK);
    CHECK_EQ(b->copy(device, second, 17, first, 5, 101), PADIC_OK);
    CHECK_EQ(b->upload(device, second, 299, in, 1), PADIC_OK);
    CHECK_EQ(b->upload(device, second, 0, in, 0), PADIC_OK); // nothing is nothing
    CHECK_EQ(b->fill(device, second, 8, 0xffffffffu, 0), PADIC_OK);
    CHECK_EQ(b->copy(device, second, 0, first, 0, 0), PADIC_OK);
    CHECK_EQ(b->download(device, second, 0, out, 300), PADIC_OK);
    for (i = 0; i < 299; i++)
        CHECK_EQ(out[i], i >= 17 && i < 118 ? in[i - 12] : (unsigned char)(i % 4 + 1));
    CHECK_EQ(out[299], in[0]);
    CHECK_EQ(b->copy(device, first, 200, first, 0, 100), PADIC_OK); // inside one buffer
    CHECK_EQ(b->download(device, first, 199, out, 101), PADIC_OK);
    CHECK(out[0] == in[199] && !memcmp(out + 1, in, 100));
    CHECK_EQ(b->sync(device), PADIC_OK);
    b->free(device, first, 300);
    b->free(device, second, 300);
    close_device(device);
}

// Above 64 KiB data goes through two halves of pinned memory, or the buffer is mapped.
TEST(large_transfers)
{
    static const size_t sizes[] = {PADICI_CL_RING_FROM, PADICI_CL_PIECE, PADICI_CL_PIECE + 1,
                                   2 * PADICI_CL_PIECE, 5 * PADICI_CL_PIECE / 2 + 3};
    static unsigned char in[5 * PADICI_CL_PIECE / 2 + 8], out[sizeof in];
    const uint32_t words = 0x55555555u;
    padic_mem mem;
    size_t i, j;
    int way;
    OPEN(device);
    for (i = 0; i < sizeof in; i++) in[i] = (unsigned char)(i * 2654435761u >> 13);
    for (way = 0; way < 3; way++) {
        uint32_t *features = &inside(device)->info.features;
        *features &= ~(uint32_t)PADIC_FEATURE_UNIFIED;
        if (way == 1) *features |= PADIC_FEATURE_UNIFIED;
        if (way == 2) inside(device)->ring.refused = 1; // neither
        CHECK_EQ(b->alloc(device, sizeof in, &mem), PADIC_OK);
        for (i = test_tiny ? 2 : 0; i < sizeof sizes / sizeof sizes[0]; i += test_tiny ? 2 : 1) {
            const size_t size = sizes[i];
            CHECK_EQ(b->fill(device, mem, 0, words, sizeof in & ~(size_t)3), PADIC_OK);
            CHECK_EQ(b->upload(device, mem, 3, in + 1, size), PADIC_OK);
            CHECK_EQ(b->upload(device, mem, 3, in + 1, size), PADIC_OK); // while that is in flight
            memset(out, 0, size + 4);
            CHECK_EQ(b->download(device, mem, 2, out, size + 2), PADIC_OK);
            CHECK(out[0] == 0x55 && out[size + 1] == 0x55);
            CHECK(!memcmp(out + 1, in + 1, size));
            for (j = size + 2; j < size + 4; j++) CHECK_EQ(out[j], 0);
        }
        CHECK_EQ(inside(device)->ring.at != NULL, 1);
        b->free(device, mem, sizeof in);
    }
    inside(device)->ring.refused = 0;
    close_device(device);
}

TEST(too_large)
{
    padic_mem mem = {1};
    padic_result result;
    OPEN_TO_FAIL(device);
    result = b->alloc(device, UINT64_C(1) << 50, &mem);
    CHECK(result == PADIC_ERROR_MEMORY || result == PADIC_ERROR_LIMIT);
    CHECK_EQ(mem.bits, 0);
    CHECK(message[0]);
    CHECK_EQ(b->alloc(device, 256, &mem), PADIC_OK); // and nothing is lost by it
    b->free(device, mem, 256);
    close_device(device);
}

// ---- programs and launches

TEST(launch)
{
    work w;
    OPEN(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    check_sums(device, &w);
    // Params are copied by the call.
    CHECK_EQ(b->fill(device, w.mem[3], 0, 0, sizeof host_a), PADIC_OK);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    w.params.n = 0;
    CHECK_EQ(b->sync(device), PADIC_OK);
    check_sums(device, &w);
    work_end(device, &w);
    close_device(device);
}

TEST(many_launches) // over several batches, in order, in three dimensions of groups
{
    const int launches = test_tiny ? 67 : 301;
    float expect = 0, got = 0;
    work w;
    int i;
    OPEN(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    // to = a * b + c with c and to in turn: x <- a b + x
    for (i = 0; i < launches; i++) {
        w.launch.mem[2] = i & 1 ? w.mem[3] : w.mem[2];
        w.launch.mem[3] = i & 1 ? w.mem[2] : w.mem[3];
        CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    }
    expect = host_c[N - 1];
    for (i = 0; i < launches; i++) expect = host_a[N - 1] * host_b[N - 1] + expect;
    CHECK_EQ(b->download(device, w.mem[3], (N - 1) * sizeof got, &got, sizeof got), PADIC_OK);
    CHECK(got == expect);
    w.launch.groups[1] = 3; // every item several times, with the same answer
    w.launch.groups[2] = 2;
    w.launch.mem[2] = w.mem[2];
    w.launch.mem[3] = w.mem[3];
    CHECK_EQ(b->upload(device, w.mem[2], 0, host_c, sizeof host_c), PADIC_OK);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    check_sums(device, &w);
    work_end(device, &w);
    close_device(device);
}

TEST(failed_calls) // say what happened, leave nothing behind, and the device goes on
{
    padic_program_desc desc = base_program();
    padic_program *program = (padic_program *)(void *)&desc;
    static const char *const wrong[] = {"PD_WG=not_a_number"};
    static char long_one[2000];
    const char *longs[1];
    work w;
    OPEN_TO_FAIL(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    desc.program = 1000;
    CHECK_EQ(b->program(device, &desc, &program), PADIC_ERROR_NOT_SUPPORTED);
    CHECK(program == NULL);
    desc.program = PADICI_PROGRAM_BASE;
    desc.defines = wrong;
    log_lines = 0;
    CHECK_EQ(b->program(device, &desc, &program), PADIC_ERROR_BUILD);
    CHECK(program == NULL);
    CHECK(log_lines > 0);
    CHECK(strstr(message, "base does not compile: -") != NULL);
    CHECK(strstr(message, "not_a_number") != NULL); // the compiler's own words
    memset(long_one, 'A', sizeof long_one - 1);
    longs[0] = long_one;
    desc.defines = longs;
    CHECK_EQ(b->program(device, &desc, &program), PADIC_ERROR_LIMIT);
    w.launch.mem_count = 3; // params where a buffer belongs
    CHECK_EQ(b->launch(device, &w.launch), PADIC_ERROR_DEVICE);
    CHECK(strstr(message, "clSetKernelArg answered -") != NULL);
    w.launch.mem_count = 4;
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    check_sums(device, &w);
    work_end(device, &w);
    close_device(device);
}

TEST(kernel_dir) // the texts as they lie there, for who writes kernels
{
    padic_device_desc desc = PADIC_ZERO;
    padic_program_desc base = base_program();
    padic_program *program;
    char folder[] = "src/kernels";
    work w;
    OPEN(device);
    close_device(device);
    desc.flags = PADIC_DEVICE_ALLOW_CPU;
    desc.kernel_dir = folder;
    CHECK_EQ(open_with(&desc, &device), PADIC_OK);
    REQUIRE(device != NULL);
    memset(folder, '?', sizeof folder - 1); // the desc is the caller's again
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    check_sums(device, &w);
    work_end(device, &w);
    close_device(device);
    desc.kernel_dir = "/nowhere";
    CHECK_EQ(open_with(&desc, &device), PADIC_OK);
    REQUIRE(device != NULL);
    CHECK_EQ(b->program(device, &base, &program), PADIC_ERROR_BUILD);
    CHECK(message[0] && !program);
    close_device(device);
}

TEST(missing_kernel) // one that the driver cannot create falls back alone
{
    padici_cl_built_program *built;
    padici_cl_kernel taken;
    const uint32_t index = PADICI_KERNEL_BASE_MUL_ADD & 0xffff;
    work w;
    OPEN(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    built = inside(device)->programs;
    taken = built->kernels[index];
    built->kernels[index] = NULL;
    CHECK_EQ(b->launch(device, &w.launch), PADIC_ERROR_BUILD);
    CHECK(strstr(message, "padic_k_base_mul_add") != NULL);
    built->kernels[index] = taken;
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    check_sums(device, &w);
    work_end(device, &w);
    close_device(device);
}

TEST(lost) // nothing is asked of a lost device but to let go
{
    padic_recording *recording = NULL;
    padic_program *program;
    const padic_program_desc desc = base_program();
    padic_mem mem;
    uint64_t ns;
    work w;
    OPEN(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    CHECK_EQ(padici_cl_check(inside(device), "clFinish", PADICI_CL_NO_RESOURCES),
             PADIC_ERROR_DEVICE); // a launch that lacks resources is not the end
    CHECK_EQ(b->sync(device), PADIC_OK);
    CHECK_EQ(padici_cl_check_wait(inside(device), "clFinish", PADICI_CL_NV_LOST),
             PADIC_ERROR_DEVICE_LOST);
    CHECK(strstr(message, "-9999") != NULL);
    CHECK_EQ(b->sync(device), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->alloc(device, 256, &mem), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->upload(device, w.mem[0], 0, host_a, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->download(device, w.mem[0], 0, host_a, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->copy(device, w.mem[0], 0, w.mem[1], 0, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->fill(device, w.mem[0], 0, 0, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->program(device, &desc, &program), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->record(device, PADIC_RECORD_BEGIN, &recording), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(b->time(device, 0, &ns), PADIC_ERROR_DEVICE_LOST);
    CHECK(strstr(message, "make a new one") != NULL);
    work_end(device, &w);
    close_device(device);
}

TEST(codes) // of the driver become ours
{
    static const struct {
        int32_t code;
        padic_result result;
        const char *words;
    } rows[] = {
        {-4, PADIC_ERROR_MEMORY, "-4 (no device memory)"},
        {-6, PADIC_ERROR_MEMORY, "-6 (out of host memory)"},
        {-61, PADIC_ERROR_LIMIT, "-61 (invalid buffer size)"},
        {-11, PADIC_ERROR_BUILD, "-11"},
        {-54, PADIC_ERROR_DEVICE, "-54"},
        {-777, PADIC_ERROR_DEVICE, "-777"},
        {-36, PADIC_ERROR_DEVICE_LOST, "-36 (invalid queue); the device is lost"},
    };
    size_t i;
    OPEN(device);
    (void)b;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_EQ(padici_cl_check(inside(device), "clX", rows[i].code), rows[i].result);
        CHECK(strstr(message, rows[i].words) != NULL);
    }
    CHECK(inside(device)->lost);
    inside(device)->lost = 0;
    CHECK_EQ(padici_cl_check_wait(inside(device), "clFinish", -5), PADIC_ERROR_DEVICE_LOST);
    CHECK(inside(device)->lost);
    inside(device)->lost = 0;
    close_device(device);
}

TEST(polling) // waits that look now and then, as on drivers whose own wait keeps a core busy
{
    work w;
    OPEN(device);
    inside(device)->polls = 1;
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    CHECK_EQ(b->sync(device), PADIC_OK);
    check_sums(device, &w);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    check_sums(device, &w);
    work_end(device, &w);
    close_device(device);
}

// ---- recordings

TEST(replay)
{
    static float plain[N], replayed[N];
    padic_recording *recording = NULL;
    work w;
    int round, i;
    OPEN(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    for (round = 0; round < 2; round++) { // x <- a b + x by way of a copy; 3 times
        CHECK_EQ(b->upload(device, w.mem[2], 0, host_c, sizeof host_c), PADIC_OK);
        for (i = 0; i < (round ? 1 : 3); i++) {
            if (round) CHECK_EQ(b->record(device, PADIC_RECORD_BEGIN, &recording), PADIC_OK);
            CHECK_EQ(b->fill(device, w.mem[3], 0, 0x7fc00000u, sizeof host_a), PADIC_OK);
            CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
            CHECK_EQ(b->copy(device, w.mem[2], 0, w.mem[3], 0, sizeof host_a), PADIC_OK);
            if (round) CHECK_EQ(b->record(device, PADIC_RECORD_END, &recording), PADIC_OK);
        }
        if (!round) CHECK_EQ(b->download(device, w.mem[3], 0, plain, sizeof plain), PADIC_OK);
    }
    REQUIRE(recording != NULL);
    // Nothing ran while recording, and the frozen params are the recording's own.
    CHECK_EQ(b->download(device, w.mem[2], 0, replayed, sizeof replayed), PADIC_OK);
    CHECK(!memcmp(replayed, host_c, sizeof host_c));
    w.params.n = 0;
    CHECK_EQ(b->replay(device, recording, 2), PADIC_OK);
    CHECK_EQ(b->replay(device, recording, 1), PADIC_OK);
    CHECK_EQ(b->download(device, w.mem[3], 0, replayed, sizeof replayed), PADIC_OK);
    CHECK(!memcmp(plain, replayed, sizeof plain));
    CHECK_EQ(b->replay(device, recording, 100), PADIC_OK); // several batches
    CHECK_EQ(b->sync(device), PADIC_OK);
    CHECK_EQ(b->record(device, PADIC_RECORD_DROP, &recording), PADIC_OK);
    CHECK(recording == NULL);
    work_end(device, &w);
    close_device(device);
}

TEST(recordings) // dropped, broken, many, and left to close()
{
    padic_recording *first = NULL, *second = NULL;
    work w;
    int i;
    OPEN(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    CHECK_EQ(b->record(device, PADIC_RECORD_END, &first), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(b->record(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    CHECK_EQ(b->record(device, PADIC_RECORD_BEGIN, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    CHECK_EQ(b->record(device, PADIC_RECORD_DROP, NULL), PADIC_OK); // the open one
    CHECK_EQ(b->record(device, PADIC_RECORD_DROP, NULL), PADIC_OK);
    // A command that fails breaks the recording, whose END says so.
    CHECK_EQ(b->record(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    if (refusals_count(device)) inside(device)->recording->result = PADIC_ERROR_DEVICE;
    w.launch.mem_count = 3;
    if (!refusals_count(device)) CHECK_EQ(b->launch(device, &w.launch), PADIC_ERROR_DEVICE);
    w.launch.mem_count = 4;
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    first = (padic_recording *)(void *)&w;
    CHECK_EQ(b->record(device, PADIC_RECORD_END, &first), PADIC_ERROR_DEVICE);
    CHECK(first == NULL);
    // An empty one, and one that outgrows its first block.
    CHECK_EQ(b->record(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    CHECK_EQ(b->record(device, PADIC_RECORD_END, &first), PADIC_OK);
    CHECK_EQ(b->replay(device, first, 3), PADIC_OK);
    CHECK_EQ(b->record(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    for (i = 0; i < 100; i++) CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    CHECK_EQ(b->record(device, PADIC_RECORD_END, &second), PADIC_OK);
    CHECK_EQ(b->replay(device, second, 2), PADIC_OK);
    check_sums(device, &w);
    CHECK_EQ(b->record(device, PADIC_RECORD_DROP, &first), PADIC_OK);
    CHECK_EQ(b->record(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    work_end(device, &w);
    close_device(device); // with one done and one open
}

TEST(time_stamps)
{
    uint64_t begin = 0, end = 0;
    padic_device_info info;
    work w;
    OPEN(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    b->info(device, &info);
    if (info.features & PADIC_FEATURE_TIME) {
        CHECK_EQ(b->time(device, 1, &end), PADIC_ERROR_ARGUMENT); // never stamped
        CHECK_EQ(b->time(device, PADIC_TIME_SLOTS, NULL), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(b->time(device, 0, NULL), PADIC_OK);
        CHECK_EQ(b->time(device, 0, NULL), PADIC_OK); // again
        CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
        CHECK_EQ(b->time(device, 1, NULL), PADIC_OK);
        CHECK_EQ(b->sync(device), PADIC_OK);
        CHECK_EQ(b->time(device, 0, &begin), PADIC_OK);
        CHECK_EQ(b->time(device, 1, &end), PADIC_OK);
        CHECK(begin && end > begin);
        CHECK(end - begin < UINT64_C(60000000000));
    }
    inside(device)->info.features &= ~(uint32_t)PADIC_FEATURE_TIME;
    CHECK_EQ(b->time(device, 0, NULL), PADIC_ERROR_NOT_SUPPORTED);
    work_end(device, &w);
    close_device(device);
}

// ---- the cache

TEST(program_cache)
{
    padic_program_desc desc = base_program();
    padic_program *program;
    static const char *const other[] = {"PD_WG=32"};
    work w;
    OPEN(device);
    memset(&stats, 0, sizeof stats);
    cached.loads = cached.stores = 0;
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    CHECK_EQ(stats.cache_misses, 1);
    CHECK_EQ(cached.stores, 0); // not before its kernels have proved right
    b->keep(device, w.program);
    CHECK_EQ(cached.stores, 1);
    b->keep(device, w.program); // once is enough
    CHECK_EQ(cached.stores, 1);
    work_end(device, &w);
    close_device(device);

    device = open_any();
    REQUIRE(device != NULL);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    CHECK_EQ(stats.cache_hits, 1);
    CHECK(!inside(device)->programs->fresh);
    CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
    check_sums(device, &w);
    b->keep(device, w.program); // it came from there
    CHECK_EQ(cached.stores, 1);
    desc.defines = other; // another key
    CHECK_EQ(b->program(device, &desc, &program), PADIC_OK);
    CHECK_EQ(stats.cache_misses, 2);
    CHECK_EQ(stats.cache_bad, 0);
    work_end(device, &w);
    close_device(device);
}

TEST(damaged_cache) // is a miss, and the good binary takes its place
{
    char key[1536];
    int kind, aborts;
    work w;
    OPEN_TO_FAIL(device);
    CHECK_EQ(work_begin(device, &w), PADIC_OK);
    b->keep(device, w.program);
    memcpy(key, inside(device)->programs->key.space, sizeof key);
    // rusticl ends the process when it is given what is not a binary of its own.
    aborts = strstr(inside(device)->info.platform, "rusticl") != NULL;
    work_end(device, &w);
    close_device(device);
    for (kind = 0; kind < (aborts ? 3 : 5); kind++) {
        static unsigned char text[4096];
        const int stores = cached.stores;
        const uint64_t bad = stats.cache_bad;
        REQUIRE(cached.size > 200);
        if (kind == 0) cached.data[cached.size / 2] ^= 1; // the checksum sees it
        if (kind == 1) cached.size /= 2;
        if (kind == 2) padici_cache_store(&env, key, PADICI_CACHE_PTX, text, sizeof text);
        if (kind == 3) { // whole, but not a program: the driver refuses it
            memset(text, 0x5a, sizeof text);
            padici_cache_store(&env, key, PADICI_CACHE_OPENCL, text, sizeof text);
        }
        if (kind == 4) padici_cache_store(&env, key, PADICI_CACHE_OPENCL, text, 0);
        device = open_any();
        REQUIRE(device != NULL);
        CHECK_EQ(work_begin(device, &w), PADIC_OK);
        CHECK_EQ(stats.cache_bad, bad + 1);
        CHECK(inside(device)->programs->fresh);
        CHECK_EQ(b->launch(device, &w.launch), PADIC_OK);
        check_sums(device, &w);
        b->keep(device, w.program);
        CHECK(cached.stores > stores);
        work_end(device, &w);
        close_device(device);
    }
}

// ---- what the engine owns

// The counts of the engine's context and queue. Drivers let go of what a finished command held in
// threads of their own, a little later: asked until they are what they should be, for a second.
static int references(const padici_cl *cl, padici_cl_context context, padici_cl_queue queue,
                      uint32_t of_context, uint32_t of_queue)
{
    uint32_t first = 0, second = 0, i;
    for (i = 0; i < PADICI_CL_YIELDS + 1000; i++) {
        CHECK_EQ(cl->api.GetContextInfo(context, 0x1080, sizeof first, &first, NULL), 0);
        CHECK_EQ(cl->api.GetCommandQueueInfo(queue, 0x1092, sizeof second, &second, NULL), 0);
        if (first == of_context && second == of_queue) return 1;
        padici_cl_pause(i);
    }
    printf(" (%u and %u references)", first, second);
    return 0;
}

TEST(engine)
{
    padici_cl *cl;
    padici_cl_context context;
    padici_cl_queue queue, unordered;
    padic_device_desc desc = PADIC_ZERO;
    padic_device *guest;
    int32_t code = 0;
    uint32_t before = 0;
    int way;
    work w;
    OPEN(device); // plays the engine, which lends what it has made
    cl = inside(device);
    context = cl->api.CreateContext(NULL, 1, &cl->device, NULL, NULL, &code);
    REQUIRE(!code);
    queue = cl->api.CreateCommandQueue(context, cl->device, 0, &code);
    REQUIRE(!code);
    CHECK_EQ(cl->api.GetContextInfo(context, 0x1080, sizeof before, &before, NULL), 0);
    for (way = 0; way < 5; way++) {
        memset(&desc, 0, sizeof desc);
        if (way != 3) desc.native_context = (void *)context;
        if (way == 1 || way == 2) desc.native_queue = (void *)queue;
        if (way >= 2) desc.native_device = (void *)cl->device;
        CHECK_EQ(open_with(&desc, &guest), PADIC_OK);
        REQUIRE(guest != NULL);
        CHECK_EQ(inside(guest)->context == context, way != 3);
        CHECK_EQ(inside(guest)->queue == queue, way == 1 || way == 2);
        CHECK_EQ(work_begin(guest, &w), PADIC_OK);
        CHECK_EQ(b->launch(guest, &w.launch), PADIC_OK);
        check_sums(guest, &w);
        if (desc.native_queue) // it has no profiling
            CHECK_EQ(b->time(guest, 0, NULL), PADIC_ERROR_NOT_SUPPORTED);
        work_end(guest, &w);
        b->close(guest);
        CHECK(references(cl, context, queue, before, 1));
    }
    // What does not belong together, and what is not in order, is refused.
    memset(&desc, 0, sizeof desc);
    desc.native_context = (void *)cl->context;
    desc.native_queue = (void *)queue;
    CHECK_EQ(open_with(&desc, &guest), PADIC_ERROR_ARGUMENT);
    CHECK(guest == NULL && message[0]);
    desc.native_context = NULL;
    unordered =
        cl->api.CreateCommandQueue(context, cl->device, PADICI_CL_QUEUE_OUT_OF_ORDER, &code);
    if (!code) {
        desc.native_queue = (void *)unordered;
        CHECK_EQ(open_with(&desc, &guest), PADIC_ERROR_ARGUMENT);
        CHECK(strstr(message, "order") != NULL);
        cl->api.ReleaseCommandQueue(unordered);
    }
    CHECK(references(cl, context, queue, before, 1));
    cl->api.ReleaseCommandQueue(queue);
    cl->api.ReleaseContext(context);
    close_device(device);
}

TEST(engine_buffer) // a cl_mem of the engine's, used in a context, keeps its count
{
    padic_context_desc desc = PADIC_ZERO;
    padic_buffer_desc buffer_desc = PADIC_ZERO;
    padic_context *context;
    padic_buffer buffer;
    padic_fill_desc fill = PADIC_ZERO;
    padici_cl *cl;
    padici_cl_mem mem;
    uint32_t count = 0, words[64], i;
    const uint32_t value = 0x01020304u;
    int32_t code = 0;
    int32_t(PADICI_CL_CALL * info)(padici_cl_mem, uint32_t, size_t, void *, size_t *) = NULL;
    OPEN(device);
    (void)b;
    cl = inside(device);
#if !defined(_WIN32) && !defined(__APPLE__)
    (void)padici_cl_symbol(dlopen("libOpenCL.so.1", RTLD_NOW), "clGetMemObjectInfo", (void *)&info,
                           sizeof info);
#endif
    mem = cl->api.CreateBuffer(cl->context, PADICI_CL_MEM_READ_WRITE, sizeof words, NULL, &code);
    REQUIRE(!code);
    desc.backends[0] = padic_opencl();
    desc.flags = PADIC_CONTEXT_STRICT;
    desc.device.native_context = (void *)cl->context;
    desc.device.native_queue = (void *)cl->queue;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    buffer_desc.size = sizeof words;
    buffer_desc.native = (uint64_t)(uintptr_t)mem;
    CHECK_EQ(padic_buffer_create(context, &buffer_desc, &buffer), PADIC_OK);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 60), buffer, 4);
    fill.value = &value;
    memset(words, 0, sizeof words);
    CHECK_EQ(padic_buffer_upload(context, buffer, 0, words, sizeof words), PADIC_OK);
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
    // The engine goes on in its own queue.
    code = cl->api.EnqueueReadBuffer(cl->queue, mem, 1, 0, sizeof words, words, 0, NULL, NULL);
    CHECK_EQ(code, 0);
    for (i = 0; i < 64; i++) CHECK_EQ(words[i], i < 4 ? 0 : value);
    padic_context_destroy(context);
    for (i = 0; info && count != 1 && i < PADICI_CL_YIELDS + 1000; i++) {
        CHECK_EQ(info(mem, 0x1105, sizeof count, &count, NULL), 0);
        padici_cl_pause(i);
    }
    if (info) CHECK_EQ(count, 1);
    CHECK_EQ(cl->api.ReleaseMemObject(mem), 0);
    close_device(device);
}

// ---- through a context

static size_t trace_size;
static char trace[1 << 16];

static int keep_trace(const char *text, size_t size, void *user)
{
    (void)user;
    if (size > sizeof trace - 1 - trace_size) return 1;
    memcpy(trace + trace_size, text, size);
    trace_size += size;
    trace[trace_size] = 0;
    return 0;
}

// Every mode, a recording and a replay of it give the bytes that the CPU gives.
TEST(contexts)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_buffer_desc buffer_desc = PADIC_ZERO;
    padic_random_fill_desc random = PADIC_ZERO, plain;
    padic_context *context;
    padic_buffer buffer;
    padic_record record;
    padic_device_info info;
    padic_stats now;
    const uint32_t times = test_tiny ? 3 : 70;
    uint32_t round;
    static uint16_t want[3001], got[3001];
    OPEN(device);
    (void)b;
    close_device(device);
    desc.backends[0] = padic_opencl(); // alone, so strict: nothing may fall back
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    desc.flags = PADIC_CONTEXT_PROFILE;
    desc.allocator = allocator;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    buffer_desc.size = sizeof want;
    CHECK_EQ(padic_buffer_create(context, &buffer_desc, &buffer), PADIC_OK);
    random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U16, NULL, 3000), buffer, 1);
    plain = random;
    plain.tensor = padic_tensor_1d(PADIC_U16, want + 1, 3000);
    CHECK_EQ(ASK(context, padic_random_fill(context, &random)), PADIC_OK);
    CHECK(!strcmp(test_asked.backend, "opencl"));
    for (round = 0; round < (test_tiny ? 9 : 12); round++) { // tuning takes its time
        const padic_mode mode = (padic_mode)(round / 3); // three calls each: run, record, replay
        if (round % 3 == 0) CHECK_EQ(padic_context_set_mode(context, mode), PADIC_OK);
        random.seed = plain.seed = mode;
        CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
        CHECK_EQ(padic_random_fill(NULL, &plain), PADIC_OK);
        CHECK_EQ(padic_buffer_download(context, buffer, 0, got, sizeof got), PADIC_OK);
        CHECK(!memcmp(want + 1, got + 1, 6000));
    }
    CHECK_EQ(padic_context_set_mode(context, PADIC_MODE_DEFAULT), PADIC_OK);
    CHECK_EQ(padic_record_begin(context), PADIC_OK);
    CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(context, buffer, 0, 0, 6000), PADIC_OK);
    CHECK_EQ(padic_record_replay(context, record, times), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, buffer, 0, got, sizeof got), PADIC_OK);
    CHECK(!memcmp(want + 1, got + 1, 6000));
    padic_context_stats(context, &now);
    CHECK(now.replays >= times);
    CHECK(now.self_tests > 0);
    CHECK_EQ(now.self_tests_failed, 0);
    CHECK_EQ(op_stats(context, PADIC_OP_RANDOM_FILL).fallbacks, 0);
    padic_context_device_info(context, &info);
    trace_size = 0;
    CHECK_EQ(padic_context_profile_write(context, keep_trace, NULL), PADIC_OK);
    CHECK(strstr(trace, "\"random_fill\"") && strstr(trace, "\"opencl\""));
    // Where the device has no clock to trust, its spans are the host's.
    CHECK_EQ(strstr(trace, "\"clock\":\"host\"") == NULL,
             (info.features & PADIC_FEATURE_TIME) != 0);
    padic_context_destroy(context);
    CHECK_EQ(live_blocks, 0);
}

TEST_MAIN("test_opencl", CASE(device), CASE(choice), CASE(absent), CASE(memory),
          CASE(large_transfers), CASE(too_large), CASE(launch), CASE(many_launches),
          CASE(failed_calls), CASE(kernel_dir), CASE(missing_kernel), CASE(lost), CASE(codes),
          CASE(polling), CASE(replay), CASE(recordings), CASE(time_stamps), CASE(program_cache),
          CASE(damaged_cache), CASE(engine), CASE(engine_buffer), CASE(contexts))
