// padic_cuda.h on a fake driver and a fake NVRTC (gpu/cuda/): each call failing in turn, every
// way of having no device, code for the chip or PTX, the cache, graphs, time, a lost device, what
// an engine lends. Build both first (sh tests/gpu/cuda/mock.sh FOLDER), name their folder:
//
//     PADIC_MOCK_CUDA=FOLDER ./test_mock_cuda
#define PADIC_IMPLEMENT_GPU
#define PADIC_IMPLEMENT_OPENCL
#define PADIC_IMPLEMENT_CUDA
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_cuda.h"
#include "../../backends/padic_simd.h"
#include "../support/padic_test.h"
#include "../support/ask.h"
#include "cuda/base_launch.h"
#include "cuda/mock.h"
#include "../support/kernel_tree.h"

// ------------------------------------------------------------------------------------ test doubles

typedef struct heap { // an allocator that counts and fails on request
    uint64_t live, calls, fail_at;
} heap;

static void *heap_alloc(size_t size, size_t align, void *user)
{
    heap *h = (heap *)user;
    void *p;
    if (++h->calls == h->fail_at) return NULL;
    p = padici_alloc(NULL, size, align);
    if (!p) return NULL;
    memset(p, 0xa5, size); // nothing may rely on zeros
    h->live++;
    return p;
}

static void heap_free(void *p, size_t size, void *user)
{
    ((heap *)user)->live--;
    padici_free(NULL, p, size);
}

typedef struct store { // one entry of a cache
    unsigned char data[4096];
    size_t size;
    char key[64];
    int loads, stores;
} store;

static int store_load(const char *key, void *data, size_t *size, void *user)
{
    store *s = (store *)user;
    if (!s->size || strcmp(key, s->key)) return 0;
    if (!data) {
        *size = s->size;
        return 1;
    }
    if (*size < s->size) return 0;
    *size = s->size;
    memcpy(data, s->data, s->size);
    s->loads++;
    return 1;
}

static void store_store(const char *key, const void *data, size_t size, void *user)
{
    store *s = (store *)user;
    if (size > sizeof s->data) return;
    memcpy(s->data, data, size);
    s->size = size;
    strncpy(s->key, key, sizeof s->key - 1);
    s->stores++;
}

typedef struct notes {
    int lines;
    char all[2048];
} notes;

static void note_line(padic_log_level level, uint32_t item, const char *text, void *user)
{
    notes *n = (notes *)user;
    const size_t used = strlen(n->all);
    (void)level;
    (void)item;
    n->lines++;
    snprintf(n->all + used, sizeof n->all - used, "%s\n", text);
}

// What the context lends a backend, and a desc that names the two fake libraries.
typedef struct bench {
    padic_allocator allocator;
    padic_jobs jobs;
    padic_logger log;
    padic_cache cache;
    padic_stats stats;
    padic_env env;
    padic_device_desc desc;
    heap heap;
    store store;
    notes notes;
    char message[512], driver[512], compiler[512];
} bench;

static mock_cuda *cuda;
static mock_nvrtc *nvrtc;

#ifndef _WIN32
static const char *folder(void)
{
    return getenv("PADIC_MOCK_CUDA");
}

static void *from_library(const char *name, const char *function)
{
    char path[512];
    void *library, *found;
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    found = library ? dlsym(library, function) : NULL;
    if (!found) printf("\n  %s has no %s: %s", path, function, dlerror());
    return found;
}
#else
static const char *folder(void)
{
    return NULL;
}

static void *from_library(const char *name, const char *function)
{
    (void)name;
    (void)function;
    return NULL;
}
#endif

// "" or "_old": libraries of which the second lacks what is optional. 0: there are none.
static int begin(bench *b, const char *age)
{
    char name[64];
    void *found;
    mock_cuda_state_fn cuda_state;
    mock_nvrtc_state_fn nvrtc_state;
    memset(b, 0, sizeof *b);
    if (!folder()) return 0;
    snprintf(name, sizeof name, "libcuda%s.so.1", age);
    snprintf(b->driver, sizeof b->driver, "%s/%s", folder(), name);
    found = from_library(name, "mock_cuda_state");
    if (!found) return 0;
    memcpy(&cuda_state, &found, sizeof found);
    snprintf(name, sizeof name, "libnvrtc%s.so", age);
    snprintf(b->compiler, sizeof b->compiler, "%s/%s", folder(), name);
    found = from_library(name, "mock_nvrtc_state");
    if (!found) return 0;
    memcpy(&nvrtc_state, &found, sizeof found);
    cuda = cuda_state();
    nvrtc = nvrtc_state();
    memset(cuda, 0, sizeof *cuda);
    memset(nvrtc, 0, sizeof *nvrtc);
    b->allocator.alloc = heap_alloc;
    b->allocator.free = heap_free;
    b->allocator.user = &b->heap;
    b->log.write = note_line;
    b->log.user = &b->notes;
    b->env.allocator = &b->allocator;
    b->env.jobs = &b->jobs;
    b->env.log = &b->log;
    b->env.cache = &b->cache;
    b->env.message = b->message;
    b->env.message_size = sizeof b->message;
    b->env.stats = &b->stats;
    b->desc.library_path = b->driver;
    b->desc.compiler_path = b->compiler;
    return 1;
}

static void use_cache(bench *b)
{
    b->cache.load = store_load;
    b->cache.store = store_store;
    b->cache.user = &b->store;
}

#define BEGIN(b, age)                                                                    \
    if (!begin(&(b), age)) SKIP("PADIC_MOCK_CUDA names no folder with the fake libraries"); \
    else ((void)0)

// Nothing is left, no rule was broken.
static void settled(const bench *b, const char *where)
{
    if (cuda->misused) printf("\n  %s: misuse: %s", where, cuda->misuse);
    CHECK_EQ(cuda->misused, 0);
    CHECK_EQ(cuda->live, 0);
    if (!cuda->not_pushed) CHECK_EQ(cuda->leaked, 0); // such a context keeps its memory to its end
    CHECK_EQ(cuda->depth, 0);
    CHECK_EQ(cuda->capturing, 0);
    CHECK_EQ(nvrtc->live, 0);
    CHECK_EQ(b->heap.live, 0);
}

static int says(const bench *b, const char *words)
{
    if (strstr(b->message, words)) return 1;
    printf("\n  the message is: %s", b->message);
    return 0;
}

static padic_result open_it(bench *b, padic_device **device)
{
    b->message[0] = 0;
    return (*padic_cuda()->open)(&b->env, &b->desc, device);
}

// ----------------------------------------------------------------------------------------- opening

TEST(no_driver)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_result result;
    notes log;
    memset(&log, 0, sizeof log);
    desc.backends[0] = padic_cuda();
    desc.device.library_path = "tests/gpu/cuda/there_is_no_such_library";
    desc.device.name = "a device that nobody has";
    desc.log.write = note_line;
    desc.log.user = &log;
    // Alone it is strict: the answer itself. A driver that is there has no device of that name.
    result = padic_context_create(&desc, &context);
    CHECK_EQ(result, PADIC_ERROR_NO_DEVICE);
    CHECK(context == NULL);
    CHECK(strstr(log.all, "cuda: ") != NULL);
    // With a second one it is an ordinary answer: one line, and the next.
    memset(&log, 0, sizeof log);
    desc.backends[1] = padic_null();
    desc.device.library_path = "tests/gpu/cuda/there_is_no_such_library";
    result = padic_context_create(&desc, &context);
    CHECK_EQ(result, PADIC_OK);
    CHECK_EQ(log.lines, 1);
    padic_context_destroy(context);
}

TEST(info)
{
    bench b;
    padic_device *device = NULL;
    padic_device_info info;
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    (*padic_cuda()->info)(device, &info);
    CHECK(!strcmp(info.name, "Mock A100"));
    CHECK(!strcmp(info.vendor, "NVIDIA"));
    CHECK(!strcmp(info.driver, "CUDA 13.0"));
    CHECK(!strcmp(info.arch, "sm_90"));
    CHECK_EQ(info.features, PADIC_FEATURE_F64 | PADIC_FEATURE_I64_ATOMICS |
                                PADIC_FEATURE_SUBGROUPS | PADIC_FEATURE_PROGRESS |
                                PADIC_FEATURE_RECORD | PADIC_FEATURE_TIME);
    CHECK_EQ(info.compute_units, 2);
    CHECK_EQ(info.max_group, 1024);
    CHECK_EQ(info.subgroup, 32);
    CHECK_EQ(info.memory, 1u << 30);
    CHECK_EQ(info.local_bytes, 49152);
    (*padic_cuda()->close)(device);
    settled(&b, "info");
}

// What each answer of cuInit is called.
TEST(no_device_sentences)
{
    static const struct {
        int answer;
        const char *words;
    } cases[] = {{34, "stub"}, {100, "no device is visible"}, {803, "reboot"},
                 {804, "compatibility"}, {999, "kernel module"}};
    bench b;
    padic_device *device;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BEGIN(b, "");
        cuda->init_answer = cases[i].answer;
        CHECK_EQ(open_it(&b, &device), PADIC_ERROR_NO_DEVICE);
        CHECK(device == NULL);
        CHECK(says(&b, cases[i].words));
        settled(&b, cases[i].words);
    }
    BEGIN(b, "");
    b.desc.library_path = b.compiler; // a library, but not a driver
    CHECK_EQ(open_it(&b, &device), PADIC_ERROR_NO_DEVICE);
    CHECK(says(&b, "has no cuInit"));
    settled(&b, "not a driver");
}

TEST(choice)
{
    static const struct {
        const char *name;
        uint32_t index;
        const char *want; // NULL: none
    } cases[] = {{NULL, 0, "Mock C100"}, {NULL, 1, "Mock B100"}, {NULL, 2, "Mock A100"},
                 {NULL, 3, NULL},        {"b1", 0, "Mock B100"}, {"MOCK", 2, "Mock A100"},
                 {"b1", 1, NULL},        {"x", 0, NULL}};
    bench b;
    padic_device *device;
    padic_device_info info;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BEGIN(b, "");
        cuda->devices = 3; // the last has most multiprocessors
        b.desc.name = cases[i].name;
        b.desc.index = cases[i].index;
        const padic_result result = open_it(&b, &device);
        CHECK_EQ(result, cases[i].want ? PADIC_OK : PADIC_ERROR_NO_DEVICE);
        if (result) {
            CHECK(says(&b, "no device matches"));
        } else {
            (*padic_cuda()->info)(device, &info);
            CHECK(!strcmp(info.name, cases[i].want));
            (*padic_cuda()->close)(device);
        }
        settled(&b, "choice");
    }
}

// ------------------------------------------------------------------------------------------ memory

// Sources are used again at once, results read late; sizes around the halves of the ring.
TEST(memory)
{
    static const size_t sizes[] = {1, 255, 4096, (4u << 20) - 1, (4u << 20) + 1, (9u << 20) + 77};
    const padic_backend *g = padic_cuda();
    for (int old = 0; old < 2; old++) {
        bench b;
        padic_device *device = NULL;
        BEGIN(b, old ? "_old" : "");
        REQUIRE(open_it(&b, &device) == PADIC_OK);
        for (size_t s = 0; s < (test_tiny ? 4 : sizeof sizes / sizeof *sizes); s++) {
            const size_t n = sizes[s], step = n / 3 + 1;
            padic_mem one, two;
            unsigned char *data = (unsigned char *)malloc(n), *back = (unsigned char *)malloc(n);
            size_t wrong = 0, i;
            REQUIRE((*g->alloc)(device, n + 64, &one) == PADIC_OK);
            REQUIRE((*g->alloc)(device, n + 64, &two) == PADIC_OK);
            for (size_t at = 0; at < n; at += step) { // three uploads out of one place
                const size_t part = n - at < step ? n - at : step;
                for (i = 0; i < part; i++) data[i] = (unsigned char)((at + i) * 7 + s);
                CHECK_EQ((*g->upload)(device, one, 4 + at, data, part), PADIC_OK);
                memset(data, 0xee, part);
            }
            CHECK_EQ((*g->copy)(device, two, 8, one, 4, n), PADIC_OK);
            CHECK_EQ((*g->fill)(device, two, 0, 0x01020304u, 8), PADIC_OK);
            CHECK_EQ((*g->download)(device, two, 8, back, n), PADIC_OK);
            for (i = 0; i < n; i++) wrong += back[i] != (unsigned char)(i * 7 + s);
            CHECK_EQ(wrong, 0);
            (*g->free)(device, one, n + 64);
            (*g->free)(device, two, n + 64);
            free(data);
            free(back);
        }
        (*g->close)(device);
        settled(&b, "memory");
    }
}

// A function of the fake driver, for what the engine does itself.
static void take(void *pointer, size_t size, const char *name)
{
    void *found = from_library("libcuda.so.1", name);
    memcpy(pointer, &found, size);
}

// Memory that the engine pinned: no detour, and free when the call returns.
TEST(pinned)
{
    bench b;
    padic_device *device = NULL;
    padic_mem mem;
    void *pinned = NULL, *popped;
    unsigned char *back = (unsigned char *)calloc(1, 1 << 20);
    int (*allocate)(void **, size_t, unsigned), (*release)(void *);
    const padic_backend *g = padic_cuda();
    BEGIN(b, "");
    take(&allocate, sizeof allocate, "cuMemHostAlloc");
    take(&release, sizeof release, "cuMemFreeHost");
    REQUIRE(back && open_it(&b, &device) == PADIC_OK);
    const padici_cuda *c = (const padici_cuda *)(void *)device;
    REQUIRE(!c->api.cuCtxPushCurrent_v2(c->context) && !allocate(&pinned, 1 << 20, 0));
    REQUIRE(!c->api.cuCtxPopCurrent_v2(&popped));
    REQUIRE((*g->alloc)(device, 1 << 20, &mem) == PADIC_OK);
    memset(pinned, 3, 1 << 20);
    CHECK_EQ((*g->upload)(device, mem, 0, pinned, 1 << 20), PADIC_OK);
    CHECK(c->ring.memory == NULL);
    memset(pinned, 4, 1 << 20);
    CHECK_EQ((*g->download)(device, mem, 0, back, 1 << 20), PADIC_OK);
    CHECK(back[0] == 3 && back[(1 << 20) - 1] == 3);
    (*g->free)(device, mem, 1 << 20);
    CHECK_EQ(release(pinned), 0);
    (*g->close)(device);
    free(back);
    settled(&b, "pinned");
}

TEST(out_of_memory)
{
    bench b;
    padic_device *device = NULL;
    padic_mem mem;
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    CHECK_EQ((*padic_cuda()->alloc)(device, UINT64_C(3) << 30, &mem), PADIC_ERROR_MEMORY);
    CHECK_EQ(mem.bits, 0);
    CHECK(says(&b, "3221225472 bytes asked for, 12345678 of 1073741824 free"));
    (*padic_cuda()->close)(device);
    settled(&b, "out of memory");
}

// ---------------------------------------------------------------------------------------- programs

TEST(launches)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program;
    padic_mem mem;
    uint32_t words[1000];
    const padic_backend *g = padic_cuda();
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    REQUIRE(build_base(device, &program) == PADIC_OK);
    CHECK(!strcmp(nvrtc->options, "--gpu-architecture=sm_90 --std=c++14 --fmad=false -DPD_WG=128 "
                                  "-DPD_HAS_F64=1 "));
    REQUIRE((*g->alloc)(device, sizeof words, &mem) == PADIC_OK);
    CHECK_EQ((*g->fill)(device, mem, 0, 7, sizeof words), PADIC_OK);
    CHECK_EQ(launch_fill(device, program, mem, 777, 0xabcd0123u), PADIC_OK);
    CHECK_EQ((*g->download)(device, mem, 0, words, sizeof words), PADIC_OK);
    for (uint32_t i = 0; i < 1000; i++) CHECK_EQ(words[i], i < 777 ? 0xabcd0123u : 7);
    CHECK_EQ(cuda->launches, 1);
    (*g->free)(device, mem, sizeof words);
    (*g->close)(device);
    settled(&b, "launches");
}

// A job system that has done each job before it returns.
static uint32_t jobs_done;

static void *at_once(void (*fn)(void *), void *arg, void *user)
{
    (void)user;
    jobs_done++;
    (*fn)(arg);
    return NULL;
}

static void nothing_left(void *task, void *user)
{
    (void)task;
    (void)user;
}

#define SEVERAL 5

// As many programs at once, every second the same; 42045: `bad` of them, and all others, are right.
static padic_result several(bench *b, uint32_t *answer)
{
    static const char *const defines[2][2] = {{"PD_WG=128", "PD_HAS_F64=1"},
                                              {"PD_WG=128", "PD_HAS_F64=0"}};
    padic_program_desc descs[SEVERAL];
    padic_program *programs[SEVERAL];
    padic_result results[SEVERAL], result;
    padic_device *device = NULL;
    uint32_t i;
    b->jobs.workers = 3;
    b->jobs.enqueue = at_once;
    b->jobs.finish = nothing_left;
    result = open_it(b, &device);
    if (result) return result;
    for (i = 0; i < SEVERAL; i++) {
        descs[i].program = PADICI_PROGRAM_BASE;
        descs[i].defines = defines[i % 2];
        descs[i].define_count = 2;
    }
    (*padic_cuda()->programs)(device, descs, SEVERAL, programs, results);
    *answer = 42045;
    for (i = 0; i < SEVERAL; i++) {
        CHECK_EQ(programs[i] == NULL, results[i] != PADIC_OK);
        if (results[i]) result = results[i];
        else if (i) CHECK(programs[i] != programs[0]);
    }
    if (!result) {
        padic_mem mem = {0};
        uint32_t words[100];
        result = (*padic_cuda()->alloc)(device, sizeof words, &mem);
        for (i = 0; i < SEVERAL && !result; i++) {
            result = launch_fill(device, programs[i], mem, 100, 7 + i);
            if (!result) result = (*padic_cuda()->download)(device, mem, 0, words, sizeof words);
            if (!result && (words[0] != 7 + i || words[99] != 7 + i)) *answer = 0;
        }
        if (mem.bits) (*padic_cuda()->free)(device, mem, sizeof words);
    }
    (*padic_cuda()->close)(device);
    return result;
}

TEST(programs_at_once)
{
    static const char *const define = "PD_WG=128";
    bench b;
    padic_device *device = NULL;
    padic_program_desc descs[3] = {PADIC_ZERO};
    padic_program *programs[3];
    padic_result results[3];
    uint32_t answer = 0;
    BEGIN(b, "");
    use_cache(&b);
    CHECK_EQ(several(&b, &answer), PADIC_OK);
    CHECK_EQ(answer, 42045);
    CHECK_EQ(nvrtc->compiles, SEVERAL);
    CHECK_EQ(jobs_done, SEVERAL);
    settled(&b, "programs at once");
    // The second of three fails: its own result, its own lines in the log.
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    for (uint32_t i = 0; i < 3; i++) {
        descs[i].program = PADICI_PROGRAM_BASE;
        descs[i].defines = &define;
        descs[i].define_count = 1;
    }
    nvrtc->fail_at = nvrtc->calls + 5; // three are created, then compiled in order
    (*padic_cuda()->programs)(device, descs, 3, programs, results);
    CHECK(programs[0] && !programs[1] && programs[2]);
    CHECK_EQ(results[0], PADIC_OK);
    CHECK_EQ(results[1], PADIC_ERROR_BUILD);
    CHECK_EQ(results[2], PADIC_OK);
    CHECK_EQ(b.notes.lines, 2);
    descs[1].program = PADICI_PROGRAM_COUNT;
    (*padic_cuda()->programs)(device, descs, 3, programs, results);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(results[i] == PADIC_ERROR_ARGUMENT && programs[i] == NULL);
    (*padic_cuda()->close)(device);
    settled(&b, "one of three");
}

// Which code is asked for: for the chip, then PTX of the best known below it, then none.
TEST(code)
{
    static const int old_list[] = {50, 60, 70, 75, 80, 0}, new_list[] = {100, 120, 0};
    static const struct {
        int arch, no_cubin, refuse_cubin, refuse_ptx;
        const int *list;
        const char *options, *words; // of the last compile; of a failure (else NULL)
    } cases[] = {
        {90, 0, 0, 0, NULL, "=sm_90 ", NULL},
        {90, 1, 0, 0, NULL, "=compute_90 ", NULL},  // NVRTC gives none
        {90, 0, 209, 0, NULL, "=compute_90 ", NULL}, // the driver refuses it
        {90, 0, 0, 0, old_list, "=compute_80 ", NULL},
        {87, 0, 0, 0, NULL, "=compute_86 ", NULL},
        {90, 0, 209, 222, NULL, "=compute_90 ", "the driver is for CUDA 13.0"},
        {90, 0, 0, 222, old_list, "=compute_80 ", "NVRTC 12.8"},
        {90, 0, 200, 218, NULL, "=compute_90 ", "refuses the program's code"},
        {90, 0, 0, 0, new_list, NULL, "too new for so old a chip"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        padic_device *device = NULL;
        padic_program *program;
        padic_result result;
        BEGIN(b, "");
        cuda->arch = cases[i].arch;
        cuda->refuse_cubin = cases[i].refuse_cubin;
        cuda->refuse_ptx = cases[i].refuse_ptx;
        nvrtc->no_cubin = cases[i].no_cubin;
        nvrtc->archs = cases[i].list;
        result = open_it(&b, &device);
        if (!cases[i].options) {
            CHECK_EQ(result, PADIC_ERROR_NO_DEVICE);
            CHECK(says(&b, cases[i].words));
            settled(&b, "code");
            continue;
        }
        REQUIRE(result == PADIC_OK);
        result = build_base(device, &program);
        CHECK_EQ(result, cases[i].words ? PADIC_ERROR_BUILD : PADIC_OK);
        CHECK_EQ(program == NULL, result != PADIC_OK);
        CHECK(strstr(nvrtc->options, cases[i].options) != NULL);
        if (cases[i].words) CHECK(says(&b, cases[i].words));
        (*padic_cuda()->close)(device);
        settled(&b, "code");
    }
}

// A text for CUDA only gets the chip's own instructions where there are some.
TEST(code_of_one_chip)
{
    static const struct {
        int arch, refuse_a;
        const char *options;
    } cases[] = {{90, 0, "=sm_90a "}, {90, 1, "=sm_90 "}, {80, 0, "=sm_80 "}};
    uint32_t which = 0;
    while (which < PADICI_PROGRAM_COUNT && !padici_programs[which].cuda) which++;
    if (which == PADICI_PROGRAM_COUNT) {
        SKIP("there is no text for CUDA only");
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        padic_device *device = NULL;
        padic_program *program;
        padic_program_desc desc = PADIC_ZERO;
        desc.program = which;
        BEGIN(b, "");
        cuda->arch = cases[i].arch;
        nvrtc->refuse_a = cases[i].refuse_a;
        REQUIRE(open_it(&b, &device) == PADIC_OK);
        CHECK_EQ((*padic_cuda()->program)(device, &desc, &program), PADIC_OK);
        CHECK(strstr(nvrtc->options, cases[i].options) != NULL);
        (*padic_cuda()->close)(device);
        settled(&b, "code of one chip");
    }
}

// A compiler's errors: all lines to the log, the first in the message.
TEST(compile_errors)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program;
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    nvrtc->fail_at = nvrtc->calls + 2; // create, compile
    CHECK_EQ(build_base(device, &program), PADIC_ERROR_BUILD);
    CHECK(program == NULL);
    CHECK(says(&b, "NVRTC does not compile base: mock.cu(1): error: told to fail"));
    CHECK_EQ(b.notes.lines, 2);
    CHECK(strstr(b.notes.all, "mock.cu(2): error: and again") != NULL);
    CHECK_EQ(build_base(device, &program), PADIC_OK); // the device is as good as before
    (*padic_cuda()->close)(device);
    settled(&b, "compile errors");
}

// An NVRTC that does not answer: the device is there, but of no use.
TEST(no_compiler)
{
    bench b;
    padic_device *device;
#ifdef PADIC_CUDA_PTX
    SKIP("its PTX is compiled in");
#endif
    BEGIN(b, "");
    nvrtc->fail_at = 1;
    CHECK_EQ(open_it(&b, &device), PADIC_ERROR_NO_DEVICE);
    CHECK(says(&b, "Mock A100 is there, but kernels cannot be compiled for it"));
    settled(&b, "no compiler");
}

// Without a compiler, or where its code is refused, PTX that was compiled in serves
// (tests/gpu/cuda/mock.sh writes one that is good enough for the fake driver).
TEST(shipped)
{
#ifdef PADIC_CUDA_PTX
    static const char *const unknown[] = {"PD_WG=77"};
    static const char *const known[] = {"PD_LOCAL_BYTES=49152", "PD_HAS_F64=1",
                                        "PD_HAS_I64_ATOMICS=1"};
    for (int way = 0; way < 2; way++) {
        bench b;
        padic_device *device = NULL;
        padic_program *program;
        padic_program_desc desc = PADIC_ZERO;
        BEGIN(b, "");
        if (way == 0) nvrtc->fail_at = 1;
        if (way == 1) cuda->refuse_cubin = 209;
        REQUIRE(open_it(&b, &device) == PADIC_OK);
        if (way == 1) nvrtc->no_cubin = 0, nvrtc->fail_at = nvrtc->calls + 2;
        desc.program = PADICI_PROGRAM_BASE;
        desc.defines = known;
        desc.define_count = 3;
        CHECK_EQ((*padic_cuda()->program)(device, &desc, &program), PADIC_OK);
        CHECK(program != NULL);
        desc.defines = unknown;
        desc.define_count = 1;
        if (way == 0) {
            CHECK_EQ((*padic_cuda()->program)(device, &desc, &program), PADIC_ERROR_BUILD);
            CHECK(says(&b, "no shipped PTX of this program's variant"));
        }
        (*padic_cuda()->close)(device);
        settled(&b, "shipped");
    }
#else
    SKIP("PADIC_CUDA_PTX is not defined");
#endif
}

// Stored after keep() only; damaged, cut, of another driver, or refused: built anew.
TEST(cache)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program;
    for (int turn = 0; turn < 7; turn++) {
        const int hit = turn == 2 || turn == 6;
        if (turn == 0) {
            BEGIN(b, "");
            use_cache(&b);
        }
        memset(&b.stats, 0, sizeof b.stats);
        nvrtc->compiles = 0;
        cuda->version = turn == 5 ? 12040 : 0; // another driver: another key
        if (turn == 3) b.store.data[b.store.size - 5] ^= 1;
        if (turn == 4) b.store.size--;
        REQUIRE(open_it(&b, &device) == PADIC_OK);
        CHECK_EQ(build_base(device, &program), PADIC_OK);
        CHECK_EQ(nvrtc->compiles, !hit);
        CHECK_EQ(b.stats.cache_hits, hit);
        CHECK_EQ(b.stats.cache_bad, turn == 3 || turn == 4);
        if (turn == 0) CHECK_EQ(b.store.stores, 0);
        if (turn != 0 && turn != 5) (*padic_cuda()->keep)(device, program);
        (*padic_cuda()->keep)(device, program); // twice does no harm
        if (turn == 0) b.store.size = 0; // as if its self-test had failed
        if (turn == 5) b.store.key[0] = 0;
        (*padic_cuda()->close)(device);
        settled(&b, "cache");
        if (turn == 5) { // of today's driver again
            REQUIRE(open_it(&b, &device) == PADIC_OK);
            cuda->version = 0;
            (*padic_cuda()->close)(device);
            REQUIRE(open_it(&b, &device) == PADIC_OK);
            CHECK_EQ(build_base(device, &program), PADIC_OK);
            (*padic_cuda()->keep)(device, program);
            (*padic_cuda()->close)(device);
        }
    }
    // Whole entries of what is no program: the driver, which is told no size, never sees them.
    static const char *const junk[] = {"", "\177ELF", "// .version 8.7"}; // the last lacks its 0
    for (uint32_t i = 0; i < 3; i++) {
        b.store.key[0] = 0;
        REQUIRE(open_it(&b, &device) == PADIC_OK);
        CHECK_EQ(build_base(device, &program), PADIC_OK);
        const padici_cuda_program *made = (const padici_cuda_program *)(void *)program;
        REQUIRE(made->key != NULL);
        padici_cache_store(&b.env, made->key, i < 2 ? PADICI_CACHE_CUBIN : PADICI_CACHE_PTX,
                           junk[i], strlen(junk[i]));
        memset(&b.stats, 0, sizeof b.stats);
        cuda->loads = nvrtc->compiles = 0;
        CHECK_EQ(build_base(device, &program), PADIC_OK);
        CHECK_EQ(cuda->loads, 1);
        CHECK_EQ(b.stats.cache_bad, 1);
        CHECK_EQ(nvrtc->compiles, 1);
        (*padic_cuda()->keep)(device, program);
        (*padic_cuda()->close)(device);
        settled(&b, "junk in the cache");
    }
    // What was stored is whole, but the driver will not have it: code first, then text.
    memset(&b.stats, 0, sizeof b.stats);
    nvrtc->compiles = 0;
    cuda->refuse_cubin = 218;
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    CHECK_EQ(build_base(device, &program), PADIC_OK);
    CHECK_EQ(b.stats.cache_bad, 1);
    CHECK_EQ(nvrtc->compiles, 2);
    (*padic_cuda()->keep)(device, program);
    (*padic_cuda()->close)(device);
    nvrtc->compiles = 0; // the text was stored and is found
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    CHECK_EQ(build_base(device, &program), PADIC_OK);
    CHECK_EQ(nvrtc->compiles, 0);
    (*padic_cuda()->close)(device);
    settled(&b, "cache");
}

// The toolkit's stub of the driver (PADIC_CUDA_STUB names it) answers 34.
TEST(stub)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    notes log;
    memset(&log, 0, sizeof log);
    if (!getenv("PADIC_CUDA_STUB")) {
        SKIP("PADIC_CUDA_STUB names no stub library");
    }
    desc.backends[0] = padic_cuda();
    desc.device.library_path = getenv("PADIC_CUDA_STUB");
    desc.log.write = note_line;
    desc.log.user = &log;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_ERROR_NO_DEVICE);
    CHECK(strstr(log.all, "stub library was found instead of the driver") != NULL);
}

// A text of a program as it lies in the tree, with its comments.
static char *text_of(const padici_program_text *program, uint32_t i)
{
    const uint32_t number = program->texts[i];
    const padici_kernel_lines *lines = number < PADICI_TEXT_SHARED
                                           ? &padici_texts[number]
                                           : &padici_cuda_texts[number - PADICI_TEXT_SHARED];
    return kernel_tree_text("src/kernels", lines->name);
}

// The defines of the n-th line `// variant: A=1 B=2` of a text and one more; 0: no such line.
static uint32_t variant(const padici_program_text *program, uint32_t n, char *words, size_t room,
                        const char **defines)
{
    uint32_t count = 0;
    if (n == 0) return 1;
    for (uint32_t i = 0; i < program->text_count; i++) {
        char *text = text_of(program, i), *at = text;
        while ((at = strstr(at, "// variant: ")) != NULL) {
            at += 12;
            if (--n) continue;
            snprintf(words, room, "%.*s", (int)strcspn(at, "\n"), at);
            for (char *word = strtok(words, " "); word && count < 16; word = strtok(NULL, " "))
                defines[count++] = word;
            free(text);
            return count + 1;
        }
        free(text);
    }
    return 0;
}

static int least_arch(const padici_program_text *program) // of a line `// arch: sm_80`
{
    int arch = 0;
    for (uint32_t i = 0; i < program->text_count && !arch; i++) {
        char *text = text_of(program, i);
        const char *at = strstr(text, "// arch: sm_");
        if (at) arch = atoi(at + 12);
        free(text);
    }
    return arch;
}

// Every text by the real NVRTC, for the oldest chip, or the newest where that is too old; with
// PADIC_REAL_NVRTC=variants for both and for two more, and on sm_90 every variant that a text
// lists: no error, and code for the chip.
static void real_compiles(padic_device *device, int arch, uint32_t *built)
{
    const int all = !strcmp(getenv("PADIC_REAL_NVRTC"), "variants"), variants = all && arch == 90;
    char words[512];
    const char *defines[16];
    for (uint32_t p = 0; p < PADICI_PROGRAM_COUNT; p++) {
        padic_program_desc desc = PADIC_ZERO;
        const int least = least_arch(&padici_programs[p]);
        if (least > arch || (!all && arch == 100 && least <= 75)) continue;
        for (uint32_t v = 0; v == 0 || variants; v++) {
            padic_program *program = NULL;
            const uint32_t count =
                variant(&padici_programs[p], v, words, sizeof words, defines);
            if (!count) break;
            desc.program = p;
            desc.defines = defines;
            desc.define_count = count - 1;
            cuda->image = NULL;
            if ((*padic_cuda()->program)(device, &desc, &program))
                printf("\n  %s, variant %u: %s", padici_programs[p].name, (unsigned)v,
                       ((padici_cuda *)(void *)device)->env.message);
            CHECK(program != NULL);
            CHECK(cuda->image != NULL);
            *built += program != NULL;
        }
    }
}

TEST(real_compiler)
{
    static const int archs[] = {75, 100, 80, 90};
    const char *how = getenv("PADIC_REAL_NVRTC");
    const size_t count = how && !strcmp(how, "variants") ? 4 : 2;
    uint32_t built = 0;
    for (size_t i = 0; i < count; i++) {
        bench b;
        padic_device *device = NULL;
        padic_result result;
        if (!how) {
            SKIP("PADIC_REAL_NVRTC is not set");
        }
        BEGIN(b, "");
        b.desc.compiler_path = NULL;
        cuda->arch = archs[i];
        cuda->any_image = 1;
        result = open_it(&b, &device);
        if (result == PADIC_ERROR_NO_DEVICE) printf("\n  %s", b.message);
        if (result == PADIC_ERROR_NO_DEVICE && strstr(b.message, "not installed")) {
            SKIP("NVRTC is not installed");
        }
        REQUIRE(result == PADIC_OK);
        real_compiles(device, archs[i], &built);
        if (b.notes.lines) printf("\n%s", b.notes.all);
        CHECK_EQ(b.notes.lines, 0); // no warning, either
        (*padic_cuda()->close)(device);
        settled(&b, "real compiler");
    }
    printf(" (%u programs)", (unsigned)built);
}

TEST(kernel_dir)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program;
    BEGIN(b, "");
    b.desc.kernel_dir = "src/kernels";
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    CHECK_EQ(build_base(device, &program), PADIC_OK);
    (*padic_cuda()->close)(device);
    b.desc.kernel_dir = "tests/gpu/cuda";
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    CHECK_EQ(build_base(device, &program), PADIC_ERROR_BUILD);
    CHECK(says(&b, "kernel_dir"));
    (*padic_cuda()->close)(device);
    settled(&b, "kernel_dir");
}

// -------------------------------------------------------------------------------------- recordings

TEST(graphs)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program, *none;
    padic_recording *recording = NULL, *second = NULL;
    padic_mem mem, other;
    uint32_t words[256] = {0}, i;
    const padic_backend *g = padic_cuda();
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    REQUIRE(build_base(device, &program) == PADIC_OK);
    REQUIRE((*g->alloc)(device, sizeof words, &mem) == PADIC_OK);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_END, &recording), PADIC_ERROR_ARGUMENT);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    CHECK_EQ((*g->fill)(device, mem, 0, 1, sizeof words), PADIC_OK);
    CHECK_EQ(launch_fill(device, program, mem, 100, 2), PADIC_OK);
    CHECK_EQ((*g->copy)(device, mem, 800, mem, 0, 200), PADIC_OK);
    // Refused before the driver can break the capture.
    CHECK_EQ((*g->alloc)(device, 4, &other), PADIC_ERROR_ARGUMENT);
    CHECK_EQ((*g->upload)(device, mem, 0, words, 4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ((*g->download)(device, mem, 0, words, 4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ((*g->sync)(device), PADIC_ERROR_ARGUMENT);
    CHECK_EQ((*g->time)(device, 0, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(build_base(device, &none), PADIC_ERROR_ARGUMENT);
    CHECK(says(&b, "while a recording is open"));
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_END, &recording), PADIC_OK);
    REQUIRE(recording != NULL);
    CHECK_EQ((*g->upload)(device, mem, 0, words, sizeof words), PADIC_OK);
    CHECK_EQ((*g->download)(device, mem, 0, words, sizeof words), PADIC_OK);
    for (i = 0; i < 256; i++) CHECK_EQ(words[i], 0); // recording did nothing
    CHECK_EQ((*g->replay)(device, recording, 3), PADIC_OK);
    CHECK_EQ(cuda->graph_launches, 3);
    CHECK_EQ((*g->download)(device, mem, 0, words, sizeof words), PADIC_OK);
    for (i = 0; i < 256; i++) CHECK_EQ(words[i], i < 100 || (i >= 200 && i < 250) ? 2 : 1);
    // An open one is given up; a kept one is dropped; one is left to close().
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_DROP, NULL), PADIC_OK);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_DROP, &recording), PADIC_OK);
    CHECK(recording == NULL);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    (*g->free)(device, mem, sizeof words); // does not break a capture
    CHECK_EQ((*g->record)(device, PADIC_RECORD_END, &second), PADIC_OK);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, NULL), PADIC_OK);
    (*g->close)(device); // in the middle of one
    settled(&b, "graphs");
}

// A capture that broke: an error at its end, and the next one works.
TEST(broken_capture)
{
    bench b;
    padic_device *device = NULL;
    padic_recording *recording = NULL;
    padic_mem mem;
    const padic_backend *g = padic_cuda();
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    REQUIRE((*g->alloc)(device, 256, &mem) == PADIC_OK);
    for (int fail = 0; fail < 3; fail++) {
        padic_result result = (*g->record)(device, PADIC_RECORD_BEGIN, NULL);
        CHECK_EQ(result, PADIC_OK);
        CHECK_EQ((*g->fill)(device, mem, 0, 1, 256), PADIC_OK);
        // Then push, end, instantiate.
        cuda->fail_at = fail ? cuda->calls + 1 + fail : 0;
        cuda->fail_with = 901;
        result = (*g->record)(device, PADIC_RECORD_END, &recording);
        CHECK_EQ(result, fail ? PADIC_ERROR_DEVICE : PADIC_OK);
        CHECK_EQ(recording == NULL, fail != 0);
        if (fail) CHECK(says(&b, "capture"));
        cuda->fail_at = 0;
        CHECK_EQ((*g->sync)(device), PADIC_OK);
    }
    (*g->free)(device, mem, 256);
    (*g->close)(device);
    settled(&b, "broken capture");
}

// -------------------------------------------------------------------------------------------- time

TEST(time)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program;
    padic_mem mem;
    uint64_t ns = 0, before = 0, begin_ns = 0;
    const padic_backend *g = padic_cuda();
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    REQUIRE(build_base(device, &program) == PADIC_OK);
    REQUIRE((*g->alloc)(device, 512, &mem) == PADIC_OK);
    CHECK_EQ((*g->time)(device, 3, &ns), PADIC_ERROR_ARGUMENT); // never stamped
    CHECK_EQ((*g->time)(device, 1u << 20, NULL), PADIC_ERROR_LIMIT);
    cuda->kernel_ns = 300000000; // a kernel takes 0.3 s, so an hour passes
    for (uint32_t i = 0; i < 12000; i++) {
        const uint32_t slot = i % 200;
        CHECK_EQ((*g->time)(device, slot, NULL), PADIC_OK);
        CHECK_EQ(launch_fill(device, program, mem, 128, i), PADIC_OK);
        if (slot != 199) continue;
        CHECK_EQ((*g->sync)(device), PADIC_OK);
        for (uint32_t k = 0; k < 200; k += 199) {
            CHECK_EQ((*g->time)(device, k, &ns), PADIC_OK);
            CHECK(ns >= before);
            if (before && k) CHECK_NEAR((double)(ns - before), 199 * 300001000.0, 5000.0);
            before = ns;
        }
        if (i == 199) begin_ns = ns;
    }
    // 11800 stamps and kernels after the first round, and the moves of the base.
    CHECK_NEAR((double)(ns - begin_ns) / 1e9, 11800 * 0.300001, 0.001);
    (*g->free)(device, mem, 512);
    (*g->close)(device);
    settled(&b, "time");
}

// Without graphs, events and pinned memory the rest works.
TEST(old_driver)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program;
    padic_recording *recording;
    padic_device_info info;
    padic_mem mem;
    uint32_t words[64] = {0};
    const padic_backend *g = padic_cuda();
    BEGIN(b, "_old");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    (*g->info)(device, &info);
    CHECK_EQ(info.features & (PADIC_FEATURE_RECORD | PADIC_FEATURE_TIME), 0);
    REQUIRE(build_base(device, &program) == PADIC_OK);
    CHECK(strstr(nvrtc->options, "=compute_80 ") != NULL); // an NVRTC before 11.1
    REQUIRE((*g->alloc)(device, 256, &mem) == PADIC_OK);
    CHECK_EQ(launch_fill(device, program, mem, 64, 5), PADIC_OK);
    CHECK_EQ((*g->download)(device, mem, 0, words, 256), PADIC_OK);
    CHECK_EQ(words[63], 5);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, &recording), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ((*g->time)(device, 0, NULL), PADIC_ERROR_NOT_SUPPORTED);
    (*g->free)(device, mem, 256);
    (*g->close)(device);
    settled(&b, "old driver");
}

// ----------------------------------------------------------------------------------- a lost device

TEST(lost)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program;
    padic_recording *recording;
    padic_mem mem, other;
    uint32_t word = 0;
    const padic_backend *g = padic_cuda();
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    REQUIRE(build_base(device, &program) == PADIC_OK);
    REQUIRE((*g->alloc)(device, 256, &mem) == PADIC_OK);
    cuda->lost_at = 1;
    CHECK_EQ(launch_fill(device, program, mem, 64, 5), PADIC_OK);
    CHECK_EQ((*g->sync)(device), PADIC_ERROR_DEVICE_LOST);
    CHECK(says(&b, "719 (CUDA_ERROR_LAUNCH_FAILED); the device is lost after fill"));
    CHECK(says(&b, "compute-sanitizer"));
    cuda->lost_at = 0;
    const int calls = cuda->calls; // from here on the driver is left alone
    CHECK_EQ((*g->sync)(device), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ((*g->alloc)(device, 4, &other), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ((*g->upload)(device, mem, 0, &word, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ((*g->download)(device, mem, 0, &word, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ((*g->fill)(device, mem, 0, 1, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ((*g->copy)(device, mem, 0, mem, 4, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(launch_fill(device, program, mem, 64, 5), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ((*g->time)(device, 0, NULL), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, &recording), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(build_base(device, &program), PADIC_ERROR_DEVICE_LOST);
    (*g->free)(device, mem, 256);
    CHECK_EQ(cuda->calls, calls);
    (*g->close)(device);
    settled(&b, "lost");
    REQUIRE(open_it(&b, &device) == PADIC_OK); // where the driver recovers
    CHECK_EQ((*g->sync)(device), PADIC_OK);
    (*g->close)(device);
    settled(&b, "after a loss");
}

// The driver answers the same for ever: an ordinary NO_DEVICE, and another backend does the work.
TEST(spoilt)
{
    bench b;
    padic_device *device = NULL;
    padic_program *program;
    padic_mem mem;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_fill_desc fill = PADIC_ZERO;
    uint32_t word = 1;
    BEGIN(b, "");
    REQUIRE(open_it(&b, &device) == PADIC_OK);
    REQUIRE(build_base(device, &program) == PADIC_OK);
    REQUIRE((*padic_cuda()->alloc)(device, 256, &mem) == PADIC_OK);
    cuda->lost_at = 1;
    cuda->spoilt = 1;
    CHECK_EQ(launch_fill(device, program, mem, 64, 5), PADIC_OK);
    CHECK_EQ((*padic_cuda()->sync)(device), PADIC_ERROR_DEVICE_LOST);
    (*padic_cuda()->close)(device);
    CHECK_EQ(open_it(&b, &device), PADIC_ERROR_NO_DEVICE);
    CHECK(device == NULL);
    CHECK(says(&b, "an earlier fault has spoilt CUDA for this process"));
    desc.backends[0] = padic_cuda();
    desc.device = b.desc;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_ERROR_NO_DEVICE); // alone it is strict
    desc.backends[1] = padic_simd();
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    fill.tensor = padic_tensor_1d(PADIC_U32, &word, 1);
    CHECK_EQ(ASK(context, padic_fill(context, &fill)), PADIC_OK);
    CHECK(strcmp(test_asked.backend, "cuda") != 0);
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
    CHECK_EQ(word, 0);
    padic_context_destroy(context);
    settled(&b, "spoilt");
    cuda->spoilt = 0;
}

// ---------------------------------------------------------------------------- what an engine lends

typedef int (*make_context_fn)(void **, unsigned, int);
typedef int (*end_context_fn)(void *);
typedef int (*make_stream_fn)(void **, unsigned);
typedef int (*allocate_fn)(uint64_t *, size_t);
typedef int (*release_fn)(uint64_t);
typedef int (*capture_fn)(void *, int);
typedef int (*captured_fn)(void *, void **);

TEST(engine)
{
    make_context_fn make_context;
    end_context_fn end_context, end_stream, end_graph;
    make_stream_fn make_stream;
    allocate_fn allocate;
    release_fn release;
    capture_fn begin_capture;
    captured_fn end_capture;
    const padic_backend *g = padic_cuda();
    for (int way = 0; way < 3; way++) { // context and stream; the stream alone; the context alone
        bench b;
        padic_device *device = NULL;
        padic_program *program;
        padic_mem mem, other;
        void *context, *stream, *graph;
        uint64_t pointer;
        uint32_t words[64] = {0};
        int before;
        BEGIN(b, "");
        take(&make_context, sizeof make_context, "cuCtxCreate_v2");
        take(&end_context, sizeof end_context, "cuCtxDestroy_v2");
        take(&make_stream, sizeof make_stream, "cuStreamCreate");
        take(&end_stream, sizeof end_stream, "cuStreamDestroy_v2");
        take(&allocate, sizeof allocate, "cuMemAlloc_v2");
        take(&release, sizeof release, "cuMemFree_v2");
        take(&begin_capture, sizeof begin_capture, "cuStreamBeginCapture_v2");
        take(&end_capture, sizeof end_capture, "cuStreamEndCapture");
        take(&end_graph, sizeof end_graph, "cuGraphDestroy");
        REQUIRE(!make_context(&context, 0, 0) && !make_stream(&stream, 0));
        REQUIRE(!allocate(&pointer, 256));
        before = cuda->live;
        b.desc.native_context = way == 1 ? NULL : context;
        b.desc.native_queue = way == 2 ? NULL : stream;
        REQUIRE(open_it(&b, &device) == PADIC_OK);
        CHECK_EQ(cuda->depth, 1); // the engine's context is still current
        REQUIRE(build_base(device, &program) == PADIC_OK);
        mem.bits = pointer;
        CHECK_EQ(launch_fill(device, program, mem, 64, 9), PADIC_OK);
        CHECK_EQ((*g->download)(device, mem, 0, words, 256), PADIC_OK);
        CHECK_EQ(words[63], 9);
        if (way < 2) { // the engine captures: launches only join, waiting is refused
            CHECK_EQ(begin_capture(stream, 0), 0);
            CHECK_EQ(launch_fill(device, program, mem, 64, 10), PADIC_OK);
            CHECK_EQ((*g->sync)(device), PADIC_ERROR_ARGUMENT);
            CHECK(says(&b, "while the engine captures its stream"));
            CHECK_EQ((*g->alloc)(device, 16, &other), PADIC_ERROR_ARGUMENT);
            CHECK_EQ((*g->record)(device, PADIC_RECORD_BEGIN, NULL), PADIC_ERROR_ARGUMENT);
            CHECK_EQ(end_capture(stream, &graph), 0);
            CHECK_EQ(end_graph(graph), 0);
        }
        CHECK_EQ(cuda->depth, 1);
        (*g->close)(device);
        CHECK_EQ(cuda->live, before);
        CHECK_EQ(release(pointer), 0);
        CHECK_EQ(end_stream(stream), 0);
        CHECK_EQ(end_context(context), 0);
        settled(&b, "engine");
    }
}

// ------------------------------------------------------------------------------- each call in turn

// Everything once. The first error ends it; what was made is given back.
static padic_result everything(bench *b, uint32_t *answer)
{
    padic_device *device = NULL;
    padic_program *program = NULL;
    padic_recording *recording = NULL;
    padic_mem one = {0}, two = {0};
    uint32_t words[512];
    uint64_t ns = 0;
    const padic_backend *g = padic_cuda();
    padic_result r = open_it(b, &device);
    if (r) return r;
    memset(words, 1, sizeof words);
    r = (*g->alloc)(device, sizeof words, &one);
    if (!r) r = (*g->alloc)(device, sizeof words, &two);
    if (!r) r = (*g->upload)(device, one, 0, words, sizeof words);
    if (!r) r = build_base(device, &program);
    if (!r) r = (*g->time)(device, 0, NULL);
    if (!r) r = launch_fill(device, program, one, 300, 42);
    if (!r) r = (*g->time)(device, 1, NULL);
    if (!r) r = (*g->sync)(device);
    if (!r) r = (*g->time)(device, 1, &ns);
    if (!r) r = (*g->record)(device, PADIC_RECORD_BEGIN, NULL);
    if (!r) {
        padic_result end;
        r = (*g->copy)(device, two, 0, one, 0, sizeof words);
        if (!r) r = (*g->fill)(device, two, 4, 43, 4);
        end = (*g->record)(device, PADIC_RECORD_END, &recording);
        if (!r) r = end;
    }
    if (!r) r = (*g->replay)(device, recording, 2);
    if (!r) r = (*g->record)(device, PADIC_RECORD_DROP, &recording);
    if (!r) (*g->keep)(device, program);
    if (!r) r = (*g->download)(device, two, 0, words, sizeof words);
    if (!r) *answer = words[0] * 1000 + words[1] + (words[299] == 42) + (words[300] == 0x01010101u);
    if (one.bits) (*g->free)(device, one, sizeof words);
    if (two.bits) (*g->free)(device, two, sizeof words);
    (*g->close)(device);
    return r;
}

// The same from the top: a context, operations by kernels, a mode that records and replays.
static padic_result whole_context(bench *b, uint32_t *answer)
{
    enum { N = 501 };
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_buffer_desc room = PADIC_ZERO;
    padic_buffer one = {0}, two = {0};
    padic_random_fill_desc fill = PADIC_ZERO;
    padic_copy_desc copy = PADIC_ZERO;
    uint32_t want[N], got[2 * N];
    padic_result r;
    desc.allocator = b->allocator;
    desc.log = b->log;
    desc.cache = b->cache;
    desc.backends[0] = padic_cuda();
    desc.device = b->desc;
    desc.device.flags = PADIC_DEVICE_SKIP_SELF_TEST;
    desc.mode = PADIC_MODE_LOW_OVERHEAD;
    r = padic_context_create(&desc, &context);
    if (r) return r;
    room.size = sizeof got;
    fill.seed = 7;
    fill.tensor = padic_tensor_1d(PADIC_U32, want, N);
    (void)padic_random_fill(NULL, &fill);
    r = padic_buffer_create(context, &room, &one);
    if (!r) r = padic_buffer_create(context, &room, &two);
    if (!r) r = padic_buffer_fill(context, two, 0, 9, sizeof got);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, N), one, 0);
    copy.from = fill.tensor;
    copy.to = padic_tensor_in(fill.tensor, two, 0);
    copy.to.stride[0] = 2; // by a kernel
    for (int turn = 0; turn < 4 && !r; turn++) { // the third and later ones are replays
        r = padic_random_fill(context, &fill);
        if (!r) r = padic_copy(context, &copy);
    }
    if (!r) r = padic_buffer_download(context, two, 0, got, sizeof got);
    if (!r) {
        *answer = 42045;
        for (uint32_t i = 0; i < N; i++)
            if (got[2 * i] != want[i] || got[2 * i + 1] != 9) *answer = 0;
    }
    if (r) snprintf(b->message, sizeof b->message, "%s", padic_context_message(context));
    padic_context_destroy(context);
    return r;
}

// One kind of call fails at its n-th turn, for every n. Right answers in spite of it are counted.
static void all_in_turn(padic_result (*whole)(bench *, uint32_t *), int what, int code)
{
    int survived = 0, failed = 0, n;
    for (n = 1; n < 5000; n++) {
        bench b;
        uint32_t answer = 0;
        padic_result r;
        int reached;
        if (!begin(&b, "")) return;
        use_cache(&b);
        if (what == 0) {
            cuda->fail_at = n;
            cuda->fail_with = code;
        } else if (what == 1) {
            nvrtc->fail_at = n;
            nvrtc->fail_with = code;
        } else {
            b.heap.fail_at = (uint64_t)n;
        }
        r = (*whole)(&b, &answer);
        reached = what == 0   ? cuda->calls >= n
                  : what == 1 ? nvrtc->calls >= n
                              : b.heap.calls >= (uint64_t)n;
        settled(&b, "each call in turn");
        if (r) {
            failed++;
            CHECK(r <= PADIC_ERROR_ARGUMENT && strcmp(padic_result_text(r), "") != 0);
            if (what != 2) CHECK(b.message[0] != 0 || b.notes.lines > 0);
        } else {
            survived++;
            CHECK_EQ(answer, 42045);
        }
        if (!reached) {
            CHECK(cuda->launches > 0); // of the run without a fault
            break;
        }
    }
    printf("\n  %s %d: %d calls failed in turn, %d runs succeeded all the same",
           what == 0 ? "driver" : what == 1 ? "NVRTC" : "memory", code, failed, survived - 1);
    CHECK(n > 5 && failed > 2);
}

TEST(driver_calls_in_turn)
{
    bench b;
    BEGIN(b, "");
    all_in_turn(everything, 0, 2);
    all_in_turn(everything, 0, 1);
    all_in_turn(everything, 0, 218); // an image is refused, so the next way is tried
    all_in_turn(everything, 0, 719); // as if the device were lost: nothing may leak, either
}

TEST(compiler_calls_in_turn)
{
    bench b;
    BEGIN(b, "");
    all_in_turn(everything, 1, 6);
    all_in_turn(everything, 1, 5);
    all_in_turn(several, 1, 6);
}

TEST(allocations_in_turn)
{
    bench b;
    BEGIN(b, "");
    all_in_turn(everything, 2, 0);
    all_in_turn(several, 2, 0);
}

TEST(context_in_turn)
{
    bench b;
    BEGIN(b, "");
    all_in_turn(whole_context, 0, 2);
    all_in_turn(whole_context, 0, 901);
    all_in_turn(whole_context, 0, 719);
    all_in_turn(whole_context, 1, 6);
    all_in_turn(whole_context, 2, 0);
}

TEST_MAIN("test_mock_cuda", CASE(no_driver), CASE(info), CASE(no_device_sentences), CASE(choice),
          CASE(memory), CASE(pinned), CASE(out_of_memory), CASE(launches), CASE(programs_at_once),
          CASE(code),
          CASE(code_of_one_chip), CASE(compile_errors), CASE(no_compiler), CASE(shipped),
          CASE(cache), CASE(stub), CASE(real_compiler), CASE(kernel_dir), CASE(graphs),
          CASE(broken_capture), CASE(time), CASE(old_driver), CASE(lost), CASE(spoilt),
          CASE(engine), CASE(driver_calls_in_turn), CASE(compiler_calls_in_turn),
          CASE(allocations_in_turn), CASE(context_in_turn))
