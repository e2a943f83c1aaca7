// padic_cuda.h on a real NVIDIA GPU: what the fake driver of test_mock_cuda.c cannot show. Skipped
// where there is none. With PADIC_SANITIZER set (tests/gpu.sh sets it for compute-sanitizer) the
// test that breaks a context on purpose is left out.
#define PADIC_IMPLEMENTATION
#include "../../../padic.h"
#include "../../../backends/padic_cuda.h"
#include "../../support/padic_test.h"
#include "base_launch.h"

static char said[512];
static const padic_allocator plain = {NULL, NULL, NULL};
static const padic_jobs alone = {0, NULL, NULL, NULL};
static padic_logger quiet = {NULL, NULL};
static padic_cache none = {NULL, NULL, NULL};

static padic_result open_gpu(const padic_device_desc *desc, padic_device **device)
{
    padic_env env = PADIC_ZERO;
    env.allocator = &plain;
    env.jobs = &alone;
    env.log = &quiet;
    env.cache = &none;
    env.message = said;
    env.message_size = sizeof said;
    said[0] = 0;
    return (*padic_cuda()->open)(&env, desc, device);
}

#define OPEN(device)                                                 \
    {                                                                \
        static const padic_device_desc best = PADIC_ZERO;            \
        const padic_result opened = open_gpu(&best, &(device));      \
        if (opened == PADIC_ERROR_NO_DEVICE) {                       \
            SKIP(said);                                              \
        }                                                            \
        if (opened) printf("\n  %s", said);                          \
        REQUIRE(opened == PADIC_OK);                                 \
    }

TEST(device)
{
    padic_device *device = NULL;
    padic_device_info info;
    OPEN(device)
    (*padic_cuda()->info)(device, &info);
    const padici_cuda *cuda = (const padici_cuda *)(void *)device;
    printf(" (%s, %s, %s, NVRTC %d.%d, %u multiprocessors, %lu MiB)", info.name, info.arch,
           info.driver, cuda->nvrtc_major, cuda->nvrtc_minor, (unsigned)info.compute_units,
           (unsigned long)(info.memory >> 20));
    CHECK_EQ(cuda->exact, 1);
    CHECK_EQ(info.subgroup, 32);
    CHECK(info.compute_units > 0 && info.memory > (1u << 28) && info.local_bytes >= 49152);
    CHECK(info.features & PADIC_FEATURE_RECORD);
    CHECK(info.features & PADIC_FEATURE_TIME);
    (*padic_cuda()->close)(device);
}

// Every text that there is compiles as it stands, and every kernel in it exists.
TEST(texts)
{
    padic_device *device = NULL;
    OPEN(device)
    for (uint32_t i = 0; i < PADICI_PROGRAM_COUNT; i++) {
        padic_program *program = NULL;
        padic_program_desc desc = PADIC_ZERO;
        desc.program = i;
        const padic_result result = (*padic_cuda()->program)(device, &desc, &program);
        if (result) printf("\n  %s: %s", padici_programs[i].name, said);
        CHECK_EQ(result, PADIC_OK);
    }
    (*padic_cuda()->close)(device);
}

TEST(memory)
{
    static const size_t sizes[] = {1, 255, 4096, (4u << 20) + 1, (9u << 20) + 77, 64u << 20};
    const padic_backend *g = padic_cuda();
    padic_device *device = NULL;
    OPEN(device)
    for (size_t s = 0; s < (test_tiny ? 3 : sizeof sizes / sizeof *sizes); s++) {
        const size_t n = sizes[s], step = n / 3 + 1;
        padic_mem one, two;
        unsigned char *data = (unsigned char *)malloc(n), *back = (unsigned char *)malloc(n);
        size_t wrong = 0, i;
        REQUIRE((*g->alloc)(device, n + 64, &one) == PADIC_OK);
        REQUIRE((*g->alloc)(device, n + 64, &two) == PADIC_OK);
        CHECK_EQ((*g->fill)(device, one, 0, 0, (n + 64) & ~(size_t)3), PADIC_OK);
        for (size_t at = 0; at < n; at += step) { // three uploads out of one place
            const size_t part = n - at < step ? n - at : step;
            for (i = 0; i < part; i++) data[i] = (unsigned char)((at + i) * 7 + s);
            CHECK_EQ((*g->upload)(device, one, 4 + at, data, part), PADIC_OK);
            memset(data, 0xee, part);
        }
        CHECK_EQ((*g->copy)(device, two, 8, one, 4, n), PADIC_OK);
        CHECK_EQ((*g->download)(device, two, 8, back, n), PADIC_OK);
        for (i = 0; i < n; i++) wrong += back[i] != (unsigned char)(i * 7 + s);
        CHECK_EQ(wrong, 0);
        (*g->free)(device, one, n + 64);
        (*g->free)(device, two, n + 64);
        free(data);
        free(back);
    }
    padic_mem mem;
    CHECK_EQ((*g->alloc)(device, UINT64_C(1) << 50, &mem), PADIC_ERROR_MEMORY);
    CHECK(strstr(said, "bytes asked for") != NULL);
    (*g->close)(device);
}

// Code for the chip, and PTX that the driver translates: the same words.
TEST(code_and_ptx)
{
    const padic_backend *g = padic_cuda();
    for (int ptx = 0; ptx < 2; ptx++) {
        padic_device *device = NULL;
        padic_program *program;
        padic_mem mem;
        uint32_t words[1000];
        OPEN(device)
        if (ptx) ((padici_cuda *)(void *)device)->exact = 0;
        REQUIRE(build_base(device, &program) == PADIC_OK);
        REQUIRE((*g->alloc)(device, sizeof words, &mem) == PADIC_OK);
        CHECK_EQ((*g->fill)(device, mem, 0, 7, sizeof words), PADIC_OK);
        CHECK_EQ(launch_fill(device, program, mem, 777, 0xabcd0123u), PADIC_OK);
        CHECK_EQ((*g->download)(device, mem, 0, words, sizeof words), PADIC_OK);
        for (uint32_t i = 0; i < 1000; i++) CHECK_EQ(words[i], i < 777 ? 0xabcd0123u : 7);
        (*g->free)(device, mem, sizeof words);
        (*g->close)(device);
    }
}

TEST(graphs_and_time)
{
    padic_device *device = NULL;
    padic_program *program;
    padic_recording *recording = NULL;
    padic_mem mem;
    uint32_t words[256] = {0}, i;
    uint64_t begin, end;
    const padic_backend *g = padic_cuda();
    OPEN(device)
    REQUIRE(build_base(device, &program) == PADIC_OK);
    REQUIRE((*g->alloc)(device, sizeof words, &mem) == PADIC_OK);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    CHECK_EQ((*g->fill)(device, mem, 0, 1, sizeof words), PADIC_OK);
    CHECK_EQ(launch_fill(device, program, mem, 100, 2), PADIC_OK);
    CHECK_EQ((*g->copy)(device, mem, 800, mem, 0, 200), PADIC_OK);
    CHECK_EQ((*g->sync)(device), PADIC_ERROR_ARGUMENT);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_END, &recording), PADIC_OK);
    REQUIRE(recording != NULL);
    CHECK_EQ((*g->upload)(device, mem, 0, words, sizeof words), PADIC_OK);
    CHECK_EQ((*g->download)(device, mem, 0, words, sizeof words), PADIC_OK);
    for (i = 0; i < 256; i++) CHECK_EQ(words[i], 0);
    CHECK_EQ((*g->time)(device, 0, NULL), PADIC_OK);
    CHECK_EQ((*g->replay)(device, recording, 100), PADIC_OK);
    CHECK_EQ((*g->time)(device, 1, NULL), PADIC_OK);
    CHECK_EQ((*g->download)(device, mem, 0, words, sizeof words), PADIC_OK);
    for (i = 0; i < 256; i++) CHECK_EQ(words[i], i < 100 || (i >= 200 && i < 250) ? 2 : 1);
    CHECK_EQ((*g->time)(device, 0, &begin), PADIC_OK);
    CHECK_EQ((*g->time)(device, 1, &end), PADIC_OK);
    CHECK(end > begin);
    printf(" (a node %.2f us)", (double)(end - begin) / 300e3);
    // A capture with a launch that the driver refuses ends with an error, and the next one works.
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_DROP, NULL), PADIC_OK);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_DROP, &recording), PADIC_OK);
    (*g->free)(device, mem, sizeof words);
    (*g->close)(device);
}

// Context, stream and memory are the engine's, here of the same driver's functions.
TEST(engine)
{
    const padic_backend *g = padic_cuda();
    padic_device *own = NULL, *device = NULL;
    padic_device_desc desc = PADIC_ZERO;
    padic_program *program;
    padic_mem mem = {0};
    uint32_t words[64] = {0};
    void *context = NULL, *popped = NULL, *stream = NULL, *graph = NULL;
    OPEN(own)
    const padici_cuda_api *api = &((const padici_cuda *)(void *)own)->api;
    REQUIRE(!api->cuDevicePrimaryCtxRetain(&context, ((const padici_cuda *)(void *)own)->device));
    REQUIRE(!api->cuCtxPushCurrent_v2(context) && !api->cuStreamCreate(&stream, 1));
    REQUIRE(!api->cuMemAlloc_v2(&mem.bits, 256));
    desc.native_queue = stream; // its context is found
    REQUIRE(open_gpu(&desc, &device) == PADIC_OK);
    REQUIRE(build_base(device, &program) == PADIC_OK);
    CHECK_EQ(launch_fill(device, program, mem, 64, 9), PADIC_OK);
    CHECK_EQ((*g->download)(device, mem, 0, words, 256), PADIC_OK);
    CHECK_EQ(words[63], 9);
    // The engine captures: a launch joins its graph, what would break the capture is refused.
    CHECK_EQ(api->cuStreamBeginCapture_v2(stream, 0), 0);
    CHECK_EQ(launch_fill(device, program, mem, 64, 10), PADIC_OK);
    CHECK_EQ((*g->sync)(device), PADIC_ERROR_ARGUMENT);
    CHECK_EQ((*g->download)(device, mem, 0, words, 256), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(api->cuStreamEndCapture(stream, &graph), 0);
    CHECK(graph != NULL);
    if (graph) CHECK_EQ(api->cuGraphDestroy(graph), 0);
    (*g->close)(device);
    CHECK_EQ(api->cuMemFree_v2(mem.bits), 0); // still the engine's, all of them
    CHECK_EQ(api->cuStreamDestroy_v2(stream), 0);
    CHECK_EQ(api->cuCtxPopCurrent_v2(&popped), 0);
    CHECK(popped == context);
    CHECK_EQ(api->cuDevicePrimaryCtxRelease_v2(((const padici_cuda *)(void *)own)->device), 0);
    (*g->close)(own);
}

// Through a context: operations on the GPU give the CPU's bytes. (test_ops.c has the whole table.)
TEST(context)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_buffer_desc room = PADIC_ZERO;
    padic_buffer buffer;
    padic_stats stats;
    static unsigned char device_bytes[4099 * 16], host_bytes[4099 * 16];
    desc.backends[0] = padic_cuda();
    const padic_result result = padic_context_create(&desc, &context);
    if (result == PADIC_ERROR_NO_DEVICE) {
        SKIP("no NVIDIA GPU");
    }
    REQUIRE(result == PADIC_OK);
    room.size = sizeof device_bytes;
    REQUIRE(padic_buffer_create(context, &room, &buffer) == PADIC_OK);
    for (int dtype = PADIC_F64; dtype <= PADIC_C128; dtype++) {
        const uint64_t size = padic_dtype_size((padic_dtype)dtype) * (uint64_t)4099;
        padic_random_fill_desc fill = PADIC_ZERO;
        fill.seed = 12345;
        fill.step = 3;
        fill.tensor = padic_tensor_1d((padic_dtype)dtype, host_bytes, 4099);
        CHECK_EQ(padic_random_fill(NULL, &fill), PADIC_OK);
        fill.tensor = padic_tensor_in(padic_tensor_1d((padic_dtype)dtype, NULL, 4099), buffer, 0);
        const padic_result done = padic_random_fill(context, &fill);
        if (done) printf("\n  %s", padic_context_message(context));
        CHECK_EQ(done, PADIC_OK);
        CHECK_EQ(padic_buffer_download(context, buffer, 0, device_bytes, size), PADIC_OK);
        CHECK(!memcmp(device_bytes, host_bytes, (size_t)size));
    }
    padic_context_stats(context, &stats);
    CHECK(stats.launches >= 14);
    CHECK_EQ(stats.self_tests_failed, 0);
    padic_context_destroy(context);
}

// A kernel that writes where nothing is: lost, and said so. It must be the last test.
TEST(lost)
{
    padic_device *device = NULL;
    padic_program *program;
    padic_mem nowhere = {0x1000}, mem;
    const padic_backend *g = padic_cuda();
    if (getenv("PADIC_SANITIZER")) {
        SKIP("under compute-sanitizer");
    }
    OPEN(device)
    REQUIRE(build_base(device, &program) == PADIC_OK);
    CHECK_EQ(launch_fill(device, program, nowhere, 64, 9), PADIC_OK);
    CHECK_EQ((*g->sync)(device), PADIC_ERROR_DEVICE_LOST);
    CHECK(strstr(said, "the device is lost after fill") != NULL);
    printf(" (%s)", said);
    CHECK_EQ((*g->alloc)(device, 256, &mem), PADIC_ERROR_DEVICE_LOST);
    (*g->close)(device);
    // The driver mostly answers the same for the rest of the process.
    static const padic_device_desc best = PADIC_ZERO;
    const padic_result again = open_gpu(&best, &device);
    printf("\n  opened again: %d %s", (int)again, said);
    CHECK(again == PADIC_OK || again == PADIC_ERROR_NO_DEVICE);
    if (again) {
        CHECK(strstr(said, "spoilt CUDA for this process") != NULL);
        return;
    }
    CHECK_EQ((*g->alloc)(device, 256, &mem), PADIC_OK);
    CHECK_EQ((*g->fill)(device, mem, 0, 1, 256), PADIC_OK);
    CHECK_EQ((*g->sync)(device), PADIC_OK);
    (*g->free)(device, mem, 256);
    (*g->close)(device);
}

TEST_MAIN("test_cuda", CASE(device), CASE(texts), CASE(memory), CASE(code_and_ptx),
          CASE(graphs_and_time), CASE(engine), CASE(context), CASE(lost))
