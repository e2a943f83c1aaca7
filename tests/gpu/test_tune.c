// The tuner on kernels as plain C: what it chooses under a clock that this test moves, wrong
// variants, budgets, the table in the cache, modes; prewarm.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_opencl.h"
#include "../native/padic_native.h"
#include "../support/padic_test.h"
#include "../support/op_stats.h"

// The native backend; each launch takes a time by its group, and may be spoilt.
static padic_backend timed;
static struct {
    uint64_t now, cost[257], launches[257];
    uint32_t spoil; // launches of this group write a wrong bit
} sim;

static uint64_t sim_now(void *user)
{
    (void)user;
    return sim.now += 100;
}

static padic_result sim_launch(padic_device *device, const padic_launch *launch)
{
    const padic_result result = padic_native()->launch(device, launch);
    sim.now += sim.cost[launch->group];
    sim.launches[launch->group]++;
    if (launch->group == sim.spoil) *(unsigned char *)(uintptr_t)launch->mem[0].bits ^= 1;
    return result;
}

// A cache in memory with one entry, that of the tuner.
static struct {
    char key[33];
    unsigned char blob[8192];
    size_t size;
    int stores, loads;
} shelf;

static int shelf_load(const char *key, void *data, size_t *size, void *user)
{
    (void)user;
    if (strcmp(key, shelf.key)) return 0;
    *size = shelf.size;
    if (data) memcpy(data, shelf.blob, shelf.size), shelf.loads++;
    return 1;
}

static void shelf_store(const char *key, const void *data, size_t size, void *user)
{
    (void)user;
    memcpy(shelf.key, key, 33);
    CHECK(size <= sizeof shelf.blob);
    memcpy(shelf.blob, data, shelf.size = size);
    shelf.stores++;
}

static int lines, tuned_lines;
static void log_line(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)user;
    lines += level != PADIC_LOG_INFO;
    tuned_lines += strstr(text, "size class") != NULL;
}

// An allocator whose n-th call fails.
static struct {
    uint64_t calls, fail_at;
    int64_t live;
} heap;

static void *heap_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    if (++heap.calls == heap.fail_at) return NULL;
    heap.live++;
    return padici_alloc(NULL, size, align);
}

static void heap_free(void *p, size_t size, void *user)
{
    (void)user;
    heap.live--;
    padici_free(NULL, p, size);
}

static padic_context *begin(padic_mode mode, uint32_t tune_ms)
{
    padic_context_desc desc = PADIC_ZERO;
    memset(&heap, 0, sizeof heap);
    desc.allocator.alloc = heap_alloc;
    desc.allocator.free = heap_free;
    padic_context *context = NULL;
    memset(sim.launches, 0, sizeof sim.launches);
    lines = tuned_lines = 0;
    timed = *padic_native();
    timed.launch = sim_launch;
    desc.backends[0] = &timed;
    desc.clock.now = sim_now;
    desc.mode = mode;
    desc.tune_ms = tune_ms;
    desc.cache.load = shelf_load;
    desc.cache.store = shelf_store;
    desc.log.write = log_line;
    desc.device.flags = PADIC_DEVICE_SKIP_SELF_TEST;
    if (padic_context_create(&desc, &context)) return NULL;
    return context;
}

static void costs(uint64_t of_64, uint64_t of_128, uint64_t of_256)
{
    sim.cost[64] = of_64;
    sim.cost[128] = of_128;
    sim.cost[256] = of_256;
    sim.spoil = 0;
}

static padic_stats stats_of(const padic_context *context)
{
    padic_stats stats;
    padic_context_stats(context, &stats);
    return stats;
}

// A random_fill of n words on the device, compared with the CPU's; returns the group it ran with.
static uint32_t group_of(padic_context *context, uint64_t n)
{
    static uint32_t want[1 << 17], got[1 << 17];
    padic_random_fill_desc random = PADIC_ZERO;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = PADIC_ZERO;
    uint64_t before[257];
    uint32_t group = 0;
    desc.size = 4 * n;
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    random.tensor = padic_tensor_1d(PADIC_U32, want, n);
    random.seed = n;
    CHECK_EQ(padic_random_fill(NULL, &random), PADIC_OK);
    random.tensor.data = NULL;
    random.tensor.buffer = buffer;
    if (context->mode == PADIC_MODE_AUTOTUNE) // the call that tunes; the next one is looked at
        CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    memcpy(before, sim.launches, sizeof before);
    CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    for (uint32_t g = 1; g <= 256; g++)
        if (sim.launches[g] != before[g]) group = g;
    CHECK_EQ(padic_buffer_download(context, buffer, 0, got, 4 * n), PADIC_OK);
    CHECK(!memcmp(got, want, 4 * n));
    CHECK_EQ(padic_buffer_destroy(context, buffer), PADIC_OK);
    return group;
}

TEST(classes)
{
    static const uint64_t edges[] = {1, 1 << 12, 1 << 16, 1 << 20, 1 << 24, UINT64_MAX};
    for (uint32_t c = 0; c < 5; c++) {
        CHECK_EQ(padici_tune_class(edges[c]), c);
        CHECK_EQ(padici_tune_class(edges[c + 1] - 1), c);
    }
    CHECK_EQ(padici_tune_class(0), 0);
    CHECK(padici_gpu_tunable_count() <= PADICI_TUNE_MOST);
    for (uint32_t i = 0; i < padici_gpu_tunable_count(); i++) { // the tables are valid
        const padici_gpu_tunable *t = padici_gpu_tunable_of(i);
        CHECK(t->count >= 1 && t->count <= PADICI_TUNE_CHOICES);
        CHECK(t->area && t->op > 0 && t->op < PADIC_OP_COUNT && t->example);
        CHECK(t->program < PADICI_PROGRAM_COUNT);
        for (uint32_t j = 0; j < t->count; j++) CHECK(t->choices[j].define_count <= 4);
        for (uint32_t j = 0; j < i; j++) CHECK(strcmp(t->name, padici_gpu_tunable_of(j)->name));
    }
    for (uint32_t i = 0; i < sizeof padici_tune_rows / sizeof *padici_tune_rows; i++) {
        uint32_t known = !padici_tune_rows[i].tunable;
        for (uint32_t j = 0; j < padici_gpu_tunable_count() && !known; j++) {
            known = !strcmp(padici_tune_rows[i].tunable, padici_gpu_tunable_of(j)->name);
            for (uint32_t c = 0; known && c < PADICI_TUNE_CLASSES; c++)
                CHECK(padici_tune_rows[i].choice[c] < padici_gpu_tunable_of(j)->count);
        }
        CHECK(known);
    }
    CHECK(!padici_tune_rows[sizeof padici_tune_rows / sizeof *padici_tune_rows - 1].tunable);
}

// In AUTOTUNE the first call of a size measures; the fastest right variant is used, and only then.
TEST(first_use)
{
    padic_context *context;
    memset(&shelf, 0, sizeof shelf);
    costs(100000, 300000, 900000);
    context = begin(PADIC_MODE_AUTOTUNE, 0);
    if (!context) {
        SKIP("no native backend here");
    }
    CHECK_EQ(group_of(context, 1000), 64);
    CHECK_EQ(stats_of(context).tuner_candidates, 3);
    // Each runs once to be compared; then twice, unless the first time is over 1.5 times the best.
    CHECK_EQ(sim.launches[256], 1 + 1);
    CHECK_EQ(sim.launches[128], 1 + 2);
    CHECK_EQ(op_stats(context, PADIC_OP_RANDOM_FILL).calls, 2); // those of this test
    CHECK_EQ(group_of(context, 2000), 64); // the same size class
    CHECK_EQ(stats_of(context).tuner_candidates, 3);
    CHECK_EQ(shelf.stores, 1);
    CHECK(tuned_lines == 1 && lines == 0);
    CHECK_EQ(padic_context_set_mode(context, PADIC_MODE_OFF), PADIC_OK);
    CHECK_EQ(group_of(context, 1000), 128); // the first variant
    CHECK_EQ(padic_context_set_mode(context, PADIC_MODE_DEFAULT), PADIC_OK);
    CHECK_EQ(group_of(context, 1000), 64);
    CHECK_EQ(group_of(context, 5000), 128); // another class: not measured
    CHECK_EQ(stats_of(context).tuner_candidates, 3);
    padic_context_destroy(context);

    context = begin(PADIC_MODE_DEFAULT, 0); // the next context reads it
    CHECK_EQ(group_of(context, 1000), 64);
    CHECK_EQ(stats_of(context).tuner_candidates, 0);
    CHECK(shelf.loads > 0);
    padic_context_destroy(context);
    context = begin(PADIC_MODE_AUTOTUNE, 0); // and does not measure again
    CHECK_EQ(group_of(context, 1000), 64);
    CHECK_EQ(stats_of(context).tuner_candidates, 0);
    padic_context_destroy(context);
    context = begin(PADIC_MODE_OFF, 0); // unless it is told to do nothing of the kind
    shelf.loads = 0;
    CHECK_EQ(group_of(context, 1000), 128);
    CHECK_EQ(shelf.loads, 0);
    padic_context_destroy(context);
}

TEST(wrong_variants)
{
    padic_context *context;
    memset(&shelf, 0, sizeof shelf);
    costs(100000, 300000, 200000);
    context = begin(PADIC_MODE_DEFAULT, 0);
    if (!context) {
        SKIP("no native backend here");
    }
    sim.spoil = 64; // fastest, and wrong by a bit
    const uint64_t begin_ns = sim.now;
    CHECK_EQ(padic_context_tune(context, PADIC_AREA_BASE, 2), PADIC_OK);
    CHECK(sim.now > begin_ns);
    sim.spoil = 0;
    CHECK_EQ(lines, 1); // which is said
    CHECK_EQ(group_of(context, 1000), 256);
    padic_context_destroy(context);

    memset(&shelf, 0, sizeof shelf);
    context = begin(PADIC_MODE_DEFAULT, 0);
    sim.spoil = 128; // the first variant itself is wrong: nothing can be said
    CHECK_EQ(padic_context_tune(context, PADIC_AREA_BASE, 1), PADIC_OK);
    sim.spoil = 0;
    CHECK_EQ(group_of(context, 1000), 128);
    padic_context_destroy(context);
}

TEST(budget)
{
    padic_context *context;
    const uint64_t ms = 1000000;
    memset(&shelf, 0, sizeof shelf);
    costs(10 * ms, 11 * ms, 12 * ms);
    context = begin(PADIC_MODE_DEFAULT, 0);
    if (!context) {
        SKIP("no native backend here");
    }
    uint64_t before = sim.now;
    CHECK_EQ(padic_context_tune(context, PADIC_AREA_BASE, 100), PADIC_OK);
    // A variant takes up to 3 runs of 12 ms; one that has begun is finished.
    CHECK(sim.now - before < (100 + 3 * 12 + 1) * ms);
    CHECK_EQ(stats_of(context).tuner_candidates, 4); // 33 + 30 + 36 ms: then the next one's default
    before = sim.now;
    CHECK_EQ(padic_context_tune(context, 1u << 31, 100), PADIC_ERROR_ARGUMENT); // no such area
    CHECK(sim.now - before < ms);
    CHECK_EQ(padic_context_tune(NULL, 0, 1), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);

    memset(&shelf, 0, sizeof shelf);
    context = begin(PADIC_MODE_AUTOTUNE, 50); // for all first uses together
    CHECK_EQ(group_of(context, 1000), 64); // 33 ms for the first variant, then another may begin
    CHECK_EQ(group_of(context, 5000), 128);
    CHECK_EQ(stats_of(context).tuner_candidates, 2);
    padic_context_destroy(context);
}

TEST(damaged_table)
{
    padic_context *context;
    memset(&shelf, 0, sizeof shelf);
    costs(100000, 300000, 900000);
    context = begin(PADIC_MODE_AUTOTUNE, 0);
    if (!context) {
        SKIP("no native backend here");
    }
    CHECK_EQ(group_of(context, 1000), 64);
    padic_context_destroy(context);
    const size_t size = shelf.size;
    for (int way = 0; way < 2; way++) { // a byte, and a table that is whole but makes no sense
        context = begin(PADIC_MODE_DEFAULT, 0);
        if (way == 0) {
            shelf.blob[size - 1] ^= 4;
        } else {
            unsigned char payload[PADICI_TUNE_BYTES];
            const size_t bytes = padici_gpu_tunable_count() * PADICI_TUNE_CLASSES * 5;
            padici_gpu gpu;
            padici_cache_key key;
            memset(&gpu, 0, sizeof gpu);
            gpu.context = context;
            gpu.target = &context->targets[0];
            gpu.info = &gpu.target->info;
            memset(payload, 0, sizeof payload);
            payload[0] = 4; // of three choices
            CHECK(padici_tune_key(&gpu, &key));
            padici_cache_store(&context->env, key.space, PADICI_CACHE_TUNED, payload, bytes);
        }
        CHECK_EQ(group_of(context, 1000), 128);
        CHECK_EQ(stats_of(context).cache_bad, 1);
        padic_context_destroy(context);
    }
}

// What LOW_OVERHEAD kept of the old variants goes when new ones are chosen.
TEST(recorded_calls_follow)
{
    padic_random_fill_desc random = PADIC_ZERO;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer;
    padic_context *context;
    uint32_t word = 0;
    memset(&shelf, 0, sizeof shelf);
    costs(100000, 300000, 900000);
    context = begin(PADIC_MODE_LOW_OVERHEAD, 0);
    if (!context) {
        SKIP("no native backend here");
    }
    desc.size = 4000;
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 1000), buffer, 0);
    for (int i = 0; i < 3; i++) CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    CHECK_EQ(stats_of(context).replays, 2);
    CHECK_EQ(stats_of(context).launches, 1);
    CHECK_EQ(sim.launches[128], 3);
    CHECK_EQ(padic_context_tune(context, PADIC_AREA_BASE, 1), PADIC_OK);
    const uint64_t of_64 = sim.launches[64];
    for (int i = 0; i < 3; i++) CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    CHECK_EQ(sim.launches[64], of_64 + 3);
    CHECK_EQ(stats_of(context).replays, 4);
    CHECK_EQ(padic_buffer_download(context, buffer, 0, &word, 4), PADIC_OK);
    uint32_t block[4];
    padic_random_block(0, 0, 0, 0, block);
    CHECK_EQ(word, block[0]);
    padic_context_destroy(context);
}

// With self-tests: every choice passes them, too.
TEST(choices_pass_their_tests)
{
    padic_context *context;
    memset(&shelf, 0, sizeof shelf);
    costs(100000, 300000, 900000);
    context = begin(PADIC_MODE_AUTOTUNE, 0);
    if (!context) {
        SKIP("no native backend here");
    }
    context->device_flags = 0;
    CHECK_EQ(group_of(context, 1000), 64);
    CHECK_EQ(stats_of(context).tuner_candidates, 3);
    CHECK_EQ(stats_of(context).programs, 3);
    CHECK_EQ(stats_of(context).self_tests, 30);
    CHECK_EQ(stats_of(context).self_tests_failed, 0);
    padic_context_destroy(context);
}

static void look_at(padic_context *context, padici_gpu *gpu)
{
    memset(gpu, 0, sizeof *gpu);
    gpu->context = context;
    gpu->target = &context->targets[0];
    gpu->info = &gpu->target->info;
    gpu->state = (padici_gpu_state *)context->gpu;
}

// In AUTOTUNE the first call of each operation measures its tunable, the second does not, and both
// give what the mode OFF gives.
TEST(each_operation_tunes)
{
    if (test_tiny) {
        SKIP("the examples are too large for slow tools");
    }
    for (uint32_t i = 0; i < padici_gpu_tunable_count(); i++) {
        padic_context *context;
        padici_gpu gpu;
        padici_tune_run run;
        memset(&shelf, 0, sizeof shelf);
        costs(1000, 3000, 9000);
        context = begin(PADIC_MODE_OFF, 10000);
        if (!context) {
            SKIP("no native backend here");
        }
        CHECK_EQ(padic_context_prewarm(context, PADIC_AREA_BASE), PADIC_OK);
        look_at(context, &gpu);
        memset(&run, 0, sizeof run);
        run.gpu = &gpu;
        run.t = padici_gpu_tunable_of(i);
        CHECK_EQ(padici_tune_run_begin(&run, 0), PADIC_OK);
        CHECK_EQ(padici_tune_check(&run, 0), PADIC_OK);
        CHECK_EQ(gpu.state->tuned[i][0], 0);
        CHECK_EQ(padic_context_set_mode(context, PADIC_MODE_AUTOTUNE), PADIC_OK);
        CHECK_EQ(padici_tune_check(&run, 1), PADIC_OK); // the bits of the first
        CHECK(gpu.state->tuned[i][0] > 0);
        CHECK_EQ(stats_of(context).tuner_candidates, run.t->count);
        CHECK_EQ(padici_tune_check(&run, 1), PADIC_OK);
        CHECK_EQ(stats_of(context).tuner_candidates, run.t->count);
        padici_tune_run_end(&run);
        CHECK_EQ(lines, 0);
        padic_context_destroy(context);
        CHECK_EQ(heap.live, 0);
    }
}

// Every choice of every tunable computes the bits of the first, and what the CPU does.
TEST(all_tunables)
{
    padic_context *context;
    padici_gpu gpu;
    uint32_t count = 0;
    if (test_tiny) {
        SKIP("the examples are too large for slow tools");
    }
    memset(&shelf, 0, sizeof shelf);
    costs(1000, 1000, 1000);
    context = begin(PADIC_MODE_DEFAULT, 0);
    if (!context) {
        SKIP("no native backend here");
    }
    CHECK_EQ(padic_context_prewarm(context, PADIC_AREA_BASE), PADIC_OK); // makes context->gpu
    look_at(context, &gpu);
    for (uint32_t i = 0; i < padici_gpu_tunable_count(); i++) {
        const uint64_t programs = stats_of(context).programs;
        uint32_t built = 0; // variants that are texts of their own
        for (uint32_t j = 0; j < padici_gpu_tunable_of(i)->count; j++)
            built += padici_gpu_tunable_of(i)->choices[j].define_count > 0;
        padici_tune_one(&gpu, i, 0, UINT64_MAX);
        CHECK(stats_of(context).programs - programs >= built);
        count += padici_gpu_tunable_of(i)->count;
        CHECK_EQ(stats_of(context).tuner_candidates, count);
        CHECK(gpu.state->tuned[i][0] && gpu.state->speed[i][0]);
    }
    CHECK_EQ(lines, 0); // nothing was wrong
    padic_context_destroy(context);
}

// Each host allocation of prewarm, tune and a tuned call fails in turn: never a leak, and what the
// call gives is right.
TEST(memory_fails)
{
    uint64_t at = 1, reached = 1;
    for (; reached; at++) {
        padic_context *context;
        memset(&shelf, 0, sizeof shelf);
        costs(100000, 300000, 900000);
        context = begin(PADIC_MODE_AUTOTUNE, 0);
        if (!context) {
            SKIP("no native backend here");
        }
        heap.fail_at = heap.calls + at;
        (void)padic_context_prewarm(context, PADIC_AREA_BASE);
        (void)padic_context_tune(context, PADIC_AREA_BASE, 1);
        reached = heap.calls >= heap.fail_at;
        heap.fail_at = 0;
        CHECK(group_of(context, 1000) > 0);
        CHECK_EQ(context->tuning + context->quiet, 0);
        padic_context_destroy(context);
        CHECK_EQ(heap.live, 0);
        CHECK(at < 1000);
    }
    printf(" %lu allocations,", (unsigned long)at - 2);
}

TEST(prewarm)
{
    padic_random_fill_desc random = PADIC_ZERO;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer;
    padic_record record;
    padic_context *context, *cpu;
    memset(&shelf, 0, sizeof shelf);
    costs(0, 0, 0);
    context = begin(PADIC_MODE_DEFAULT, 0);
    if (!context) {
        SKIP("no native backend here");
    }
    context->device_flags = 0; // with self-tests
    desc.size = 4000;
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 1000), buffer, 0);
    CHECK_EQ(padic_record_begin(context), PADIC_OK); // cold: refused
    CHECK_EQ(padic_random_fill(context, &random), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_context_prewarm(context, 0), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_context_tune(context, 0, 1), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_record_end(context, &record), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(stats_of(context).programs, 0);
    CHECK_EQ(padic_context_prewarm(context, PADIC_AREA_BASE), PADIC_OK);
    const padic_stats warm = stats_of(context);
    CHECK_EQ(warm.programs, 1);
    CHECK_EQ(warm.self_tests, 10);
    CHECK_EQ(warm.self_tests_failed, 0);
    CHECK(warm.build_ns > 0);
    CHECK_EQ(padic_context_prewarm(context, PADIC_AREA_BASE), PADIC_OK); // once is enough
    CHECK_EQ(padic_record_begin(context), PADIC_OK);
    CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
    CHECK_EQ(padic_record_replay(context, record, 2), PADIC_OK);
    CHECK_EQ(stats_of(context).programs, 1);
    CHECK_EQ(stats_of(context).self_tests, warm.self_tests);
    CHECK_EQ(padic_context_prewarm(NULL, 0), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);
    CHECK_EQ(padic_context_create(NULL, &cpu), PADIC_OK);
    CHECK_EQ(padic_context_prewarm(cpu, 0), PADIC_OK);
    CHECK_EQ(padic_context_tune(cpu, 0, 0), PADIC_OK);
    padic_context_destroy(cpu);
}

TEST_MAIN("test_tune", CASE(classes), CASE(first_use), CASE(wrong_variants), CASE(budget),
          CASE(damaged_table), CASE(recorded_calls_follow), CASE(choices_pass_their_tests),
          CASE(each_operation_tunes), CASE(all_tunables), CASE(memory_fails), CASE(prewarm))
