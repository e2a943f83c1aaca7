// Every OpenCL call fails once: an error code with a sentence, no leak, no crash. Needs the layer
// tests/gpu/opencl/cl_fault_layer.c, built and named in OPENCL_LAYERS; skipped without it.
#define PADIC_IMPLEMENT_GPU
#define PADIC_IMPLEMENT_OPENCL
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_opencl.h"
#include "../support/padic_test.h"

#if defined(_WIN32) || defined(__APPLE__)
TEST(layer)
{
    SKIP("layers are tested with the loader of Linux");
}
TEST_MAIN("test_cl_fault", CASE(layer))
#else

static void (*fault_set)(long n);
static long (*fault_calls)(void);
static long (*fault_live)(void);
static const char *(*fault_name)(void);

// The layer that the loader has opened: the same library, so the same counters.
static int layer_open(void)
{
    const char *path = getenv("OPENCL_LAYERS");
    void *layer = path ? dlopen(path, RTLD_NOW) : NULL;
    return layer && padici_cl_symbol(layer, "cl_fault_set", (void *)&fault_set, sizeof fault_set) &&
           padici_cl_symbol(layer, "cl_fault_calls", (void *)&fault_calls, sizeof fault_calls) &&
           padici_cl_symbol(layer, "cl_fault_live", (void *)&fault_live, sizeof fault_live) &&
           padici_cl_symbol(layer, "cl_fault_name", (void *)&fault_name, sizeof fault_name);
}

static long live_blocks;

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

// The last entry that was stored.
static unsigned char *entry;
static size_t entry_size;

static int cache_load(const char *key, void *data, size_t *size, void *user)
{
    (void)key, (void)user;
    if (!entry) return 0;
    if (data) memcpy(data, entry, entry_size);
    *size = entry_size;
    return 1;
}
static void cache_store(const char *key, const void *data, size_t size, void *user)
{
    (void)key, (void)user;
    free(entry);
    entry = (unsigned char *)malloc(size);
    memcpy(entry, data, size);
    entry_size = size;
}

static const padic_allocator allocator = {counted_alloc, counted_free, NULL};
static const padic_cache cache = {cache_load, cache_store, NULL};
static char message[512];
static padic_stats stats;
static padic_env env;

typedef struct engine { // what an engine would own, made without the layer failing
    padici_cl *cl;
    int lends;
} engine;

enum { N = 70 };

typedef struct walk {
    padic_device *device;
    padic_program *program;
    padic_mem mem[4];
    float in[N], out[N];
    int kept;
} walk;

static padic_result walk_launch(walk *w)
{
    padici_k_base_mul_add_params params;
    padic_launch launch;
    memset(&launch, 0, sizeof launch);
    params.n = N;
    launch.program = w->program;
    launch.kernel = PADICI_KERNEL_BASE_MUL_ADD & 0xffff;
    memcpy(launch.mem, w->mem, sizeof w->mem);
    launch.mem_count = 4;
    launch.params = &params;
    launch.params_size = sizeof params;
    launch.group = 64;
    launch.groups[0] = 2;
    launch.groups[1] = launch.groups[2] = 1;
    return padic_opencl()->launch(w->device, &launch);
}

static padic_result walk_record(walk *w)
{
    const padic_backend *b = padic_opencl();
    padic_recording *recording = NULL;
    padic_result result = b->record(w->device, PADIC_RECORD_BEGIN, &recording), ended;
    if (result) return result;
    result = b->fill(w->device, w->mem[3], 0, 0, sizeof w->out);
    if (!result) result = walk_launch(w);
    if (!result) result = b->copy(w->device, w->mem[2], 0, w->mem[3], 0, sizeof w->out);
    ended = b->record(w->device, PADIC_RECORD_END, &recording);
    // A recording that broke is not handed out.
    if (!result != !ended || !ended != (recording != NULL)) test_failed(__FILE__, __LINE__, "END");
    if (!result) result = b->replay(w->device, recording, 3);
    if (!result) result = b->record(w->device, PADIC_RECORD_DROP, &recording);
    return result;
}

// In two pieces: through the ring, or mapped.
static padic_result walk_large(walk *w)
{
    static unsigned char in[PADICI_CL_PIECE + 100], out[sizeof in];
    const padic_backend *b = padic_opencl();
    padic_mem mem = {0};
    padic_result result = b->alloc(w->device, sizeof in, &mem);
    if (result) return result;
    memset(in, 7, sizeof in);
    memset(out, 0, sizeof out);
    result = b->upload(w->device, mem, 0, in, sizeof in);
    if (!result) result = b->download(w->device, mem, 0, out, sizeof out);
    if (!result) CHECK(!memcmp(in, out, sizeof in));
    b->free(w->device, mem, sizeof in);
    return result;
}

static padic_result walk_work(walk *w)
{
    const padic_backend *b = padic_opencl();
    static const char *const defines[] = {"PD_WG=64"};
    padic_program_desc desc = PADIC_ZERO;
    padic_result result;
    uint64_t ns;
    int i;
    desc.program = PADICI_PROGRAM_BASE;
    desc.defines = defines;
    desc.define_count = 1;
    result = b->program(w->device, &desc, &w->program);
    for (i = 0; i < 4 && !result; i++) result = b->alloc(w->device, sizeof w->in, &w->mem[i]);
    for (i = 0; i < 3 && !result; i++)
        result = b->upload(w->device, w->mem[i], 0, w->in, sizeof w->in);
    if (!result) result = b->fill(w->device, w->mem[3], 0, 0, sizeof w->in);
    if (!result && (((padici_cl *)(void *)w->device)->info.features & PADIC_FEATURE_TIME))
        result = b->time(w->device, 3, NULL);
    if (!result) result = walk_launch(w);
    if (!result) result = b->sync(w->device);
    if (!result && (((padici_cl *)(void *)w->device)->info.features & PADIC_FEATURE_TIME))
        result = b->time(w->device, 3, &ns);
    if (!result) b->keep(w->device, w->program);
    if (!result) result = walk_record(w);
    if (!result) result = walk_large(w);
    if (!result) result = b->download(w->device, w->mem[3], 0, w->out, sizeof w->out);
    return result;
}

// Everything the backend does. What was made is undone whatever happened.
static padic_result walk_all(walk *w, const engine *lender, int polls)
{
    const padic_backend *b = padic_opencl();
    padic_device_desc desc = PADIC_ZERO;
    padic_result result;
    int i;
    memset(w, 0, sizeof *w);
    for (i = 0; i < N; i++) w->in[i] = (float)i;
    desc.flags = PADIC_DEVICE_ALLOW_CPU;
    if (lender->lends) {
        desc.native_context = (void *)lender->cl->context;
        if (lender->lends > 1) desc.native_queue = (void *)lender->cl->queue;
    }
    message[0] = 0;
    result = b->open(&env, &desc, &w->device);
    if (result) {
        CHECK(w->device == NULL);
        return result;
    }
    if (polls) {
        padici_cl *cl = (padici_cl *)(void *)w->device;
        cl->polls = 1;
        cl->info.features &= ~(uint32_t)PADIC_FEATURE_UNIFIED;
    }
    result = walk_work(w);
    for (i = 0; i < 4; i++)
        if (w->mem[i].bits) b->free(w->device, w->mem[i], sizeof w->in);
    b->close(w->device);
    return result;
}

static int ordinary(padic_result result)
{
    return result == PADIC_ERROR_MEMORY || result == PADIC_ERROR_NO_DEVICE ||
           result == PADIC_ERROR_DEVICE || result == PADIC_ERROR_DEVICE_LOST ||
           result == PADIC_ERROR_BUILD;
}

static void walk_each(const engine *lender, int polls, int warm)
{
    static walk w;
    long n, calls = 1, errors = 0, live = fault_live();
    int i;
    for (n = 0; n <= calls; n++) {
        padic_result result;
        if (!warm) {
            free(entry);
            entry = NULL;
        }
        fault_set(n);
        result = walk_all(&w, lender, polls);
        if (n == 0) {
            calls = fault_calls();
            CHECK_EQ(result, PADIC_OK);
            CHECK(calls > 60);
        }
        errors += result != PADIC_OK;
        if (fault_live() != live || live_blocks || (result && (!ordinary(result) || !message[0])))
            printf("\n  call %ld, %s: result %d, %ld objects, %ld blocks, \"%s\"", n, fault_name(),
                   (int)result, fault_live() - live, live_blocks, message);
        CHECK_EQ(fault_live(), live);
        CHECK_EQ(live_blocks, 0);
        CHECK(!result || (ordinary(result) && !strncmp(message, "OpenCL: ", 8)));
        for (i = 0; i < N && !result; i++) { // 3 times x <- x x + x from x = i, over the copy
            const float first = w.in[i] * w.in[i] + w.in[i];
            CHECK(w.out[i] == w.in[i] * w.in[i] * 2 + first);
        }
        if (test_failures > 3) break;
    }
    fault_set(0);
    printf(" (%ld calls, %ld errors)", calls, errors);
    CHECK(errors > 20 && errors < calls); // a hint that fails is no error
}

static engine owner(int lends)
{
    padic_device_desc desc = PADIC_ZERO;
    padic_device *device = NULL;
    engine e;
    memset(&env, 0, sizeof env); // malloc: the engine's own blocks are not counted
    env.message = message;
    env.message_size = sizeof message;
    desc.flags = PADIC_DEVICE_ALLOW_CPU;
    e.lends = lends;
    e.cl = NULL;
    if (layer_open() && !padic_opencl()->open(&env, &desc, &device))
        e.cl = (padici_cl *)(void *)device;
    env.allocator = &allocator;
    env.cache = &cache;
    env.stats = &stats;
    return e;
}

static void each(int lends, int polls, int warm)
{
    engine e = owner(lends);
    if (!e.cl) {
        SKIP("no layer in OPENCL_LAYERS, or no OpenCL device");
    }
    walk_each(&e, polls, warm);
    padic_opencl()->close((padic_device *)(void *)e.cl);
    CHECK_EQ(fault_live(), 0);
    free(entry);
    entry = NULL;
}

TEST(own)
{
    each(0, 0, 0);
}
TEST(from_cache)
{
    each(0, 0, 1);
}
TEST(polling)
{
    each(0, 1, 1);
}
TEST(engine_context)
{
    each(1, 0, 1);
}
TEST(engine_queue)
{
    each(2, 0, 1);
}

// Through the context: what a program sees is a result, or the CPU's work instead.
TEST(contexts)
{
    long n, calls = 1;
    int made = 0;
    if (!layer_open()) {
        SKIP("no layer in OPENCL_LAYERS");
    }
    for (n = 0; n <= calls; n++) {
        padic_context_desc desc = PADIC_ZERO;
        padic_buffer_desc buffer_desc = PADIC_ZERO;
        padic_fill_desc fill = PADIC_ZERO;
        padic_random_fill_desc random = PADIC_ZERO;
        padic_context *context = NULL;
        padic_buffer buffer = {0};
        uint16_t out[64], want[64];
        const uint16_t value = 7;
        padic_result result;
        desc.backends[0] = desc.backends[1] = padic_opencl();
        desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
        desc.allocator = allocator;
        fault_set(n);
        result = padic_context_create(&desc, &context);
        CHECK_EQ(context != NULL, result == PADIC_OK);
        buffer_desc.size = sizeof out;
        if (!result) result = padic_buffer_create(context, &buffer_desc, &buffer);
        fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U16, NULL, 63), buffer, 1);
        fill.value = &value;
        if (!result) result = padic_fill(context, &fill);
        random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U16, NULL, 33), buffer, 1);
        random.seed = 5;
        if (!result) result = padic_random_fill(context, &random);
        if (!result) result = padic_buffer_download(context, buffer, 0, out, sizeof out);
        if (!result) {
            padic_random_fill_desc plain = random;
            plain.tensor = padic_tensor_1d(PADIC_U16, want + 1, 33);
            CHECK_EQ(padic_random_fill(NULL, &plain), PADIC_OK);
            CHECK(!memcmp(out + 1, want + 1, 66));
            CHECK(out[34] == 7 && out[63] == 7);
            made++;
        }
        if (context && result) CHECK(padic_context_message(context)[0]);
        padic_context_destroy(context);
        if (n == 0) {
            calls = fault_calls();
            CHECK_EQ(result, PADIC_OK);
        }
        CHECK_EQ(fault_live(), 0);
        CHECK_EQ(live_blocks, 0);
        if (test_failures) {
            printf("\n  call %ld: %s: %d", n, fault_name(), (int)result);
            break;
        }
    }
    fault_set(0);
    printf(" (%ld calls, %d runs succeeded)", calls, made);
}

TEST_MAIN("test_cl_fault", CASE(own), CASE(from_cache), CASE(polling), CASE(engine_context),
          CASE(engine_queue), CASE(contexts))
#endif
