// The job system: everything runs exactly once and is over when it should be; nesting, a full
// queue, sharing, failing allocation. Run it under the thread sanitizer, too.
#define PADIC_IMPLEMENT_NULL
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"

enum { MANY = 5000 };

typedef struct counts {
    uint32_t ran[MANY]; // each task writes its own: a race would be a bug here
    uint64_t result[MANY];
} counts;

static counts shared;

static void count_task(void *arg, uint32_t task)
{
    counts *c = (counts *)arg;
    uint64_t x = task;
    for (uint32_t i = 0; i < task % 64; i++) x = x * 6364136223846793005u + 1;
    c->ran[task]++;
    c->result[task] = x;
}

TEST(parallel_runs_each_once)
{
    static const uint32_t tasks[] = {0, 1, 2, 63, 64, 65, 129, MANY};
    for (uint32_t workers = 1; workers <= 8; workers += workers < 4 ? 1 : 4) {
        padic_threads *threads = padic_threads_create(workers, NULL);
        REQUIRE(threads != NULL);
        const padic_jobs jobs = padic_threads_jobs(threads);
        CHECK_EQ(jobs.workers, workers);
        for (int t = 0; t < 8; t++) {
            memset(&shared, 0, sizeof shared);
            padici_parallel(&jobs, tasks[t], count_task, &shared);
            for (uint32_t i = 0; i < MANY; i++) CHECK_EQ(shared.ran[i], i < tasks[t]);
        }
        padic_threads_destroy(threads);
    }
}

// No hook, a hook with one worker, one without finish: in order, in this thread.
static uint32_t order[100], order_count;
static void order_task(void *arg, uint32_t task)
{
    (void)arg;
    order[order_count++] = task;
}

static void *no_enqueue(void (*fn)(void *), void *arg, void *user)
{
    (void)fn;
    (void)arg;
    (*(int *)user)++;
    return NULL;
}

static void no_finish(void *task, void *user)
{
    (void)task;
    (*(int *)user)++;
}

TEST(without_workers)
{
    int used = 0;
    padic_jobs jobs = PADIC_ZERO;
    for (int i = 0; i < 4; i++) {
        jobs.enqueue = i == 1 ? NULL : no_enqueue;
        jobs.finish = i == 2 ? NULL : no_finish;
        jobs.workers = i == 3 ? 1 : 4;
        jobs.user = &used;
        order_count = 0;
        padici_parallel(i ? &jobs : NULL, 100, order_task, NULL);
        CHECK_EQ(order_count, 100);
        for (uint32_t j = 0; j < 100; j++) CHECK_EQ(order[j], j);
    }
    CHECK_EQ(used, 0);
    CHECK_EQ(padic_threads_jobs(NULL).workers, 0);
}

// A hook that runs at once and returns NULL is a legal job system.
static void *at_once(void (*fn)(void *), void *arg, void *user)
{
    (*(int *)user)++;
    (*fn)(arg);
    return NULL;
}

TEST(jobs_that_run_at_once)
{
    int calls = 0;
    padic_jobs jobs = PADIC_ZERO;
    jobs.workers = 3;
    jobs.enqueue = at_once;
    jobs.finish = no_finish;
    jobs.user = &calls;
    memset(&shared, 0, sizeof shared);
    padici_parallel(&jobs, 200, count_task, &shared);
    CHECK_EQ(calls, 200); // finish was never called
    for (uint32_t i = 0; i < 200; i++) CHECK_EQ(shared.ran[i], 1);
}

// More tasks than the queue holds before anyone waits: the rest runs in the thread that brings it.
typedef struct one_job {
    uint32_t ran;
} one_job;

static void run_one(void *arg)
{
    ((one_job *)arg)->ran++;
}

TEST(full_queue)
{
    static one_job jobs_of[3000];
    static void *handles[3000];
    for (uint32_t workers = 1; workers <= 3; workers++) {
        padic_threads *threads = padic_threads_create(workers, NULL);
        REQUIRE(threads != NULL);
        const padic_jobs jobs = padic_threads_jobs(threads);
        int inline_runs = 0;
        for (int round = 0; round < 2; round++) { // the second with tasks used before
            memset(jobs_of, 0, sizeof jobs_of);
            inline_runs = 0;
            for (int i = 0; i < 3000; i++) {
                handles[i] = (*jobs.enqueue)(run_one, &jobs_of[i], jobs.user);
                inline_runs += handles[i] == NULL;
            }
            for (int i = 2999; i >= 0; i--)
                if (handles[i]) (*jobs.finish)(handles[i], jobs.user);
            for (int i = 0; i < 3000; i++) CHECK_EQ(jobs_of[i].ran, 1);
            CHECK_EQ(inline_runs, 3000 - 1024);
        }
        padic_threads_destroy(threads);
    }
}

// Jobs that bring jobs and wait for them: every level does all its work, and nothing hangs.
typedef struct tree {
    padic_jobs jobs;
    uint64_t sums[8];
} tree;

typedef struct branch {
    padic_jobs jobs;
    uint64_t sum[8];
} branch;

static void leaf_task(void *arg, uint32_t task)
{
    ((branch *)arg)->sum[task] = task + 1;
}

static void branch_task(void *arg, uint32_t task)
{
    tree *t = (tree *)arg;
    branch b;
    b.jobs = t->jobs;
    memset(b.sum, 0, sizeof b.sum);
    padici_parallel(&b.jobs, 8, leaf_task, &b);
    t->sums[task] = 0;
    for (int i = 0; i < 8; i++) t->sums[task] += b.sum[i];
}

TEST(nested)
{
    for (uint32_t workers = 1; workers <= 4; workers++) {
        padic_threads *threads = padic_threads_create(workers, NULL);
        REQUIRE(threads != NULL);
        tree t;
        t.jobs = padic_threads_jobs(threads);
        for (int round = 0; round < (test_tiny ? 10 : 200); round++) {
            memset(t.sums, 0, sizeof t.sums);
            padici_parallel(&t.jobs, 8, branch_task, &t);
            for (int i = 0; i < 8; i++) CHECK_EQ(t.sums[i], 36);
        }
        padic_threads_destroy(threads);
    }
}

// Two contexts, each used from a job of its own, on one system.
static padic_jobs two_jobs;
static uint64_t two_values[2][3000];

static void use_context(void *arg, uint32_t task)
{
    padic_context_desc setup = PADIC_ZERO;
    padic_random_fill_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_buffer_desc buffer_desc = PADIC_ZERO;
    padic_buffer buffer;
    (void)arg;
    setup.jobs = two_jobs;
    if (padic_context_create(&setup, &context)) return;
    buffer_desc.size = sizeof two_values[task];
    if (!padic_buffer_create(context, &buffer_desc, &buffer)) {
        desc.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U64, NULL, 3000), buffer, 0);
        desc.seed = 5;
        if (!padic_random_fill(context, &desc))
            (void)padic_buffer_download(context, buffer, 0, two_values[task], buffer_desc.size);
    }
    padic_context_destroy(context);
}

TEST(two_contexts)
{
    static uint64_t expected[3000];
    padic_random_fill_desc desc = PADIC_ZERO;
    padic_threads *threads = padic_threads_create(3, NULL);
    REQUIRE(threads != NULL);
    two_jobs = padic_threads_jobs(threads);
    desc.tensor = padic_tensor_1d(PADIC_U64, expected, 3000);
    desc.seed = 5;
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_OK);
    padici_parallel(&two_jobs, 2, use_context, NULL);
    for (int i = 0; i < 2; i++) CHECK(!memcmp(two_values[i], expected, sizeof expected));
    padic_threads_destroy(threads);
}

// Jobs no one waited for are run before the threads end.
TEST(destroy_runs_the_rest)
{
    static one_job jobs_of[500];
    for (uint32_t workers = 1; workers <= 3; workers++) {
        padic_threads *threads = padic_threads_create(workers, NULL);
        REQUIRE(threads != NULL);
        const padic_jobs jobs = padic_threads_jobs(threads);
        memset(jobs_of, 0, sizeof jobs_of);
        for (int i = 0; i < 500; i++)
            CHECK((*jobs.enqueue)(run_one, &jobs_of[i], jobs.user) != NULL);
        padic_threads_destroy(threads);
        for (int i = 0; i < 500; i++) CHECK_EQ(jobs_of[i].ran, 1);
    }
}

static int live, refuse;
static void *test_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    if (refuse) return NULL;
    live++;
    return padici_alloc(NULL, size, align);
}

static void test_free(void *p, size_t size, void *user)
{
    (void)user;
    live--;
    padici_free(NULL, p, size);
}

TEST(allocator_and_cores)
{
    padic_allocator allocator = PADIC_ZERO;
    allocator.alloc = test_alloc;
    allocator.free = test_free;
    live = 0;
    refuse = 1;
    CHECK(padic_threads_create(2, &allocator) == NULL);
    refuse = 0;
    padic_threads *threads = padic_threads_create(0, &allocator);
    CHECK(threads != NULL);
    CHECK_EQ(live, 1);
    CHECK(padic_threads_cores() >= 1);
    if (padic_threads_cores() <= 256)
        CHECK_EQ(padic_threads_jobs(threads).workers, padic_threads_cores());
    padic_threads_destroy(threads);
    padic_threads_destroy(NULL);
    CHECK_EQ(live, 0);
}

// A progress hook under real workers: one at a time asks, `done` never falls, and a call that is
// stopped in the middle ends with CANCELLED and keeps nothing. The thread sanitizer sees the plain
// (not atomic) writes of the hook.
typedef struct watch {
    uint64_t calls, last, total, stop; // 0: to the end
    int inside, wrong;
    unsigned char seen[16]; // written by each call, so that two at once are a race
} watch;

static int watch_step(uint64_t done, uint64_t total, void *user)
{
    watch *w = (watch *)user;
    w->wrong |= w->inside || done < w->last || (total && done > total);
    w->inside = 1;
    for (int i = 0; i < 16; i++) w->seen[i]++;
    w->last = done;
    w->total = total;
    w->calls++;
    w->inside = 0;
    return w->stop && done >= w->stop;
}

#ifdef __GNUC__
typedef struct tally { // an allocator for several threads that counts
    long live;
} tally;

static void *tally_alloc(size_t size, size_t align, void *user)
{
    __atomic_add_fetch(&((tally *)user)->live, 1, __ATOMIC_RELAXED);
    return padici_alloc(NULL, size, align);
}

static void tally_free(void *pointer, size_t size, void *user)
{
    if (pointer) __atomic_sub_fetch(&((tally *)user)->live, 1, __ATOMIC_RELAXED);
    padici_free(NULL, pointer, size);
}

enum {
    CUT_PACK, CUT_UNPACK, CUT_VERIFY, CUT_SUPERPOSE, CUT_FRAMES, CUT_GRADIENT, CUT_VORTEX, CUT_SVD,
    CUTS
};

static float cut_array[256 * 256], cut_back[256 * 256];
static uint8_t cut_packed[1 << 19], cut_again[1 << 19];
static size_t cut_size;
static double cut_points[3 * 8192], cut_sources[3 * 8], cut_times[4], cut_matrices[100 * 16];
static float cut_waves[2 * 4 * 8192], cut_slopes[2 * 3 * 8192];

static padic_result cut_call(padic_context *context, int what)
{
    padic_codec_pack_desc d = PADIC_ZERO;
    padic_codec_unpack_desc u = PADIC_ZERO;
    padic_wave_superpose_desc s = PADIC_ZERO;
    padic_wave_frames_desc m = PADIC_ZERO;
    padic_wave_gradient_desc g = PADIC_ZERO;
    padic_wave_vortex_desc o = PADIC_ZERO;
    padic_tensor_svd_desc v = PADIC_ZERO;
    static double charges[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    size_t size;
    d.tensor = padic_tensor_2d(PADIC_F32, cut_array, 256, 256);
    d.block[0] = d.block[1] = 16; // 256 blocks
    d.level = 3;
    u.tensor = padic_tensor_2d(PADIC_F32, cut_back, 256, 256);
    s.points = padic_tensor_2d(PADIC_F64, cut_points, 8192, 3);
    s.sources = padic_tensor_2d(PADIC_F64, cut_sources, 8, 3);
    s.frequency = padic_tensor_1d(PADIC_F64, cut_sources, 8);
    s.out = padic_tensor_1d(PADIC_C64, cut_waves, 8192);
    switch (what) {
    case CUT_PACK:
        return context ? codec_pack(context, &d, cut_again, sizeof cut_again, &size)
                       : codec_pack(NULL, &d, cut_packed, sizeof cut_packed, &cut_size);
    case CUT_UNPACK: return codec_unpack(context, &u, cut_packed, cut_size);
    case CUT_VERIFY: return codec_verify(context, &u, cut_packed, cut_size);
    case CUT_SUPERPOSE: return padic_wave_superpose(context, &s);
    case CUT_FRAMES:
        m.field = s;
        m.field.out = padic_tensor_2d(PADIC_C64, cut_waves, 4, 8192);
        m.times = padic_tensor_1d(PADIC_F64, cut_times, 4);
        return padic_wave_frames(context, &m);
    case CUT_GRADIENT:
        g.field = s;
        g.field.out.dtype = PADIC_DTYPE_NONE;
        g.out = padic_tensor_2d(PADIC_C64, cut_slopes, 8192, 3);
        return padic_wave_gradient(context, &g);
    case CUT_VORTEX:
        o.points = s.points;
        o.centres = s.sources;
        o.charges = padic_tensor_1d(PADIC_F64, charges, 8);
        o.cores = padic_tensor_1d(PADIC_F64, charges, 8);
        o.out = s.out;
        return padic_wave_vortex(context, &o);
    default:
        v.a = padic_tensor_3d(PADIC_F64, cut_matrices, 100, 4, 4);
        v.s = padic_tensor_2d(PADIC_F64, cut_slopes, 100, 4);
        return padic_tensor_svd(context, &v);
    }
}

TEST(cancelled_by_the_hook)
{
    padic_threads *threads = padic_threads_create(5, NULL);
    REQUIRE(threads != NULL);
    for (int i = 0; i < 256 * 256; i++) cut_array[i] = (float)(i % 251) * 0.25f;
    for (int i = 0; i < 3 * 8192; i++) cut_points[i] = (double)(i * 37 % 1000) * 0.01;
    for (int i = 0; i < 3 * 8; i++) cut_sources[i] = i + 20;
    for (int i = 0; i < 4; i++) cut_times[i] = i;
    for (int i = 0; i < 1600; i++) cut_matrices[i] = (double)(i * 29 % 31);
    CHECK_EQ(cut_call(NULL, CUT_PACK), PADIC_OK);
    for (int vectors = 0; vectors < 2; vectors++) {
        watch w = PADIC_ZERO;
        tally memory = {0};
        padic_context_desc desc = PADIC_ZERO;
        padic_context *context;
        desc.jobs = padic_threads_jobs(threads);
        desc.progress.step = watch_step;
        desc.progress.user = &w;
        desc.allocator.alloc = tally_alloc;
        desc.allocator.free = tally_free;
        desc.allocator.user = &memory;
        if (vectors) desc.backends[0] = desc.backends[1] = padic_simd(); // two: not strict
        REQUIRE(padic_context_create(&desc, &context) == PADIC_OK);
        for (int what = 0; what < CUTS; what++) {
            uint64_t total;
            memset(&w, 0, sizeof w);
            CHECK_EQ(cut_call(context, what), PADIC_OK);
            total = w.total;
            CHECK(!w.wrong && w.calls > 0 && total > 1 && w.last == total);
            const long before = memory.live;
            for (uint64_t stop = 1; stop <= total; stop += 1 + total / (test_tiny ? 3 : 12)) {
                memset(&w, 0, sizeof w);
                w.stop = stop;
                CHECK_EQ(cut_call(context, what), PADIC_ERROR_CANCELLED);
                CHECK(!w.wrong && w.last >= stop && w.last <= total && w.total == total);
                CHECK_EQ(memory.live, before);
                for (int i = 0; i < 16; i++) CHECK_EQ(w.seen[i], w.calls & 255);
                CHECK(strstr(padic_context_message(context), "progress hook") != NULL);
            }
            memset(&w, 0, sizeof w); // and the context is as good as new
            CHECK_EQ(cut_call(context, what), PADIC_OK);
            if (what == CUT_PACK) CHECK(!memcmp(cut_packed, cut_again, cut_size));
            if (what == CUT_UNPACK) CHECK(!memcmp(cut_array, cut_back, sizeof cut_array));
        }
        padic_context_destroy(context);
        CHECK_EQ(memory.live, 0);
    }
    padic_threads_destroy(threads);
}
#else
TEST(cancelled_by_the_hook) {}
#endif

TEST_MAIN("threads", CASE(parallel_runs_each_once), CASE(without_workers),
          CASE(jobs_that_run_at_once), CASE(full_queue), CASE(nested), CASE(two_contexts),
          CASE(destroy_runs_the_rest), CASE(allocator_and_cores),
          CASE(cancelled_by_the_hook))
