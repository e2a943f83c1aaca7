// test_cdt_chains.c: chains have the same bytes for any threads, groups and stops; states stay
// manifolds; checkpoints and lists go round, and damaged ones are refused; wrong input; failing
// memory; series.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"

#include "../support/failing.h"
#include "../support/padic_test.h"
#include "cdt_support.h"

#include <math.h>

static padic_cdt_plan_desc usual(padic_cdt_kind kind)
{
    padic_cdt_plan_desc desc = PADIC_ZERO;
    desc.kind = kind;
    desc.replicas = 3;
    desc.slices = kind ? 0 : 8;
    desc.target = kind ? 96 : 144;
    desc.seed = 12345;
    desc.stream = 7;
    return desc;
}

static padic_cdt_plan *made(const padic_cdt_plan_desc *desc)
{
    padic_cdt_plan *plan = NULL;
    CHECK(!padic_cdt_plan_create(NULL, desc, &plan));
    return plan;
}

static padic_result check_plan(padic_context *context, const padic_cdt_plan *plan,
                               padic_cdt_check_report *report)
{
    padic_cdt_check_desc desc = PADIC_ZERO;
    desc.plan = plan;
    desc.report = report;
    return padic_cdt_check(context, &desc);
}

static padic_result load(const uint8_t *bytes, uint64_t size, padic_cdt_plan **plan,
                         padic_cdt_check_report *report)
{
    padic_cdt_load_desc desc = PADIC_ZERO;
    desc.bytes = padic_bytes_in(bytes, size);
    desc.report = report;
    return padic_cdt_load(NULL, &desc, plan);
}

// ---- states

TEST(invariants) // after each of many moves, by the library and by the checker beside it
{
    const int moves = test_amount(300, 30000, 200000);
    for (int kind = 0; kind < 6; kind++) {
        padic_cdt_plan_desc desc = PADIC_ZERO;
        padic_cdt_plan *plan;
        desc.kind = kind < 4 ? PADIC_CDT_KIND_CAUSAL_TORUS : PADIC_CDT_KIND_EUCLID_SPHERE;
        desc.slices = kind == 3 ? 8 : (uint32_t)kind + 1;
        desc.min_length = kind == 3 ? 3 : 1;
        desc.target = kind == 4 ? 12 : kind == 5 ? 60 : kind == 3 ? 60 : 14;
        desc.seed = (uint64_t)kind;
        plan = made(&desc);
        CHECK(!cdt_check(plan));
        for (int i = 0; i < moves; i++) {
            if (i % 1000 == 500) CHECK(!cdt_grow(NULL, plan, UINT64_MAX));
            CHECK(!cdt_run(NULL, plan, 1, 0));
            CHECK(!check_plan(NULL, plan, NULL));
            if (i % 4 == 0) CHECK(!cdt_check(plan));
        }
        padic_cdt_plan_destroy(plan);
    }
    for (int kind = 0; kind < 2; kind++) { // larger ones, seldom
        padic_cdt_plan_desc desc = usual((padic_cdt_kind)kind);
        padic_cdt_plan *plan;
        desc.replicas = 1;
        desc.target = 20000;
        plan = made(&desc);
        CHECK(!cdt_grow(NULL, plan, (uint64_t)test_amount(10000, 200000, 20000000)));
        CHECK(!check_plan(NULL, plan, NULL));
        CHECK(!cdt_check(plan));
        padic_cdt_plan_destroy(plan);
    }
}

TEST(same_bytes) // hashes that never change; stops, threads and groups
{
    static const uint64_t golden[2][2] = {
        {UINT64_C(0x46773e7c5bba3c62), UINT64_C(0xa26a1c099c11a04d)},
        {UINT64_C(0xe533688e5caac331), UINT64_C(0x7f545f496e7fc5cc)}};
    padic_threads *threads = padic_threads_create(3, NULL);
    padic_context_desc with = PADIC_ZERO;
    padic_context *context;
    with.jobs = padic_threads_jobs(threads);
    REQUIRE(!padic_context_create(&with, &context));
    for (int kind = 0; kind < 2; kind++) {
        padic_cdt_plan_desc desc = usual((padic_cdt_kind)kind);
        padic_cdt_plan *whole = made(&desc), *split = made(&desc), *last;
        uint64_t state;
        const uint64_t attempts = (uint64_t)test_amount(100000, 1000000, 10000000), after = 77777;
        CHECK(!cdt_grow(NULL, whole, 5000) && !cdt_grow(context, split, 5000));
        CHECK_EQ(cdt_state(whole), cdt_state(split));
        CHECK(!cdt_run(NULL, whole, after, 0));
        state = cdt_state(whole);
        CHECK_EQ(state, golden[kind][0]);
        CHECK(!cdt_run(NULL, whole, attempts - after, 0));
        for (uint64_t done = 0; done < attempts;) { // in pieces, by threads
            uint64_t n = test_random() % 5 ? test_random() % 400 : test_random() % 200000;
            if (n > attempts - done) n = attempts - done;
            CHECK(!cdt_run(test_random() % 2 ? context : NULL, split, n, 0));
            done += n;
        }
        CHECK_EQ(cdt_state(whole), cdt_state(split));
        CHECK(!cdt_run(NULL, whole, 0, 30) && !cdt_run(context, split, 0, 11));
        CHECK(!cdt_run(NULL, split, 0, 19));
        CHECK_EQ(cdt_state(whole), cdt_state(split));
        CHECK(!cdt_check(split));
        desc.replicas = 1; // the last replica alone
        desc.stream += 2;
        last = made(&desc);
        CHECK(!cdt_grow(NULL, last, 5000) && !cdt_run(NULL, last, attempts, 0));
        CHECK(!cdt_run(NULL, last, 0, 30));
        {
            uint64_t size, one;
            uint8_t *a = cdt_bytes(whole, &size), *b = cdt_bytes(last, &one);
            CHECK(one < size && !memcmp(a + size - (one - 96), b + 96, (size_t)one - 96));
            free(a);
            free(b);
        }
        padic_cdt_plan_destroy(whole);
        padic_cdt_plan_destroy(split);
        padic_cdt_plan_destroy(last);
        desc.volume = PADIC_CDT_VOLUME_SQUARE; // the other way of thresholds
        desc.epsilon = 0.001;
        last = made(&desc);
        CHECK(!cdt_grow(NULL, last, 20000));
        CHECK_EQ(cdt_state(last), golden[kind][1]);
        CHECK(!cdt_check(last));
        padic_cdt_plan_destroy(last);
    }
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

TEST(own_laws) // lambda and target of each replica
{
    double lambdas[3] = {0.8, 0, 1.5};
    uint64_t targets[3] = {200, 100, 300}, counts[3][PADIC_CDT_COUNTS];
    padic_cdt_plan_desc desc = usual(PADIC_CDT_KIND_CAUSAL_TORUS), alone = desc;
    padic_cdt_plan *plan, *one;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    padic_cdt_plan_report info;
    uint64_t size, small;
    uint8_t *a, *b;
    desc.lambdas = padic_tensor_1d(PADIC_F64, lambdas, 3);
    desc.targets = padic_tensor_1d(PADIC_U64, targets, 3);
    plan = made(&desc);
    CHECK(!cdt_grow(NULL, plan, UINT64_MAX));
    measure.plan = plan;
    measure.counts = padic_tensor_2d(PADIC_U64, counts, 3, PADIC_CDT_COUNTS);
    CHECK(!padic_cdt_measure(NULL, &measure));
    for (int i = 0; i < 3; i++) CHECK_EQ(counts[i][PADIC_CDT_COUNT_TRIANGLES], targets[i]);
    CHECK(!cdt_run(NULL, plan, 10000, 0));
    alone.replicas = 1;
    alone.stream += 2;
    alone.lambda = 1.5;
    alone.target = 300;
    alone.capacity = 2 * 300 + 4096;
    one = made(&alone);
    CHECK(!cdt_grow(NULL, one, UINT64_MAX) && !cdt_run(NULL, one, 10000, 0));
    a = cdt_bytes(plan, &size);
    b = cdt_bytes(one, &small);
    CHECK(!memcmp(a + size - (small - 96), b + 96, (size_t)small - 96));
    CHECK(!padic_cdt_plan_info(plan, &info));
    CHECK(info.desc.lambda == 0.8 && info.desc.target == 200 && info.desc.capacity == 4696);
    CHECK(info.size == padic_cdt_plan_size_bound(&desc));
    free(a);
    free(b);
    padic_cdt_plan_destroy(plan);
    padic_cdt_plan_destroy(one);
}

TEST(capacity) // insertions beyond it are refused and counted; a window's are not
{
    padic_cdt_plan_desc desc = usual(PADIC_CDT_KIND_CAUSAL_TORUS);
    padic_cdt_run_desc run = PADIC_ZERO;
    padic_cdt_run_report report;
    desc.capacity = 100;
    run.plan = made(&desc); // its target is above it
    run.attempts = 20000;
    run.report = &report;
    CHECK_EQ(cdt_grow(NULL, run.plan, 0), PADIC_ERROR_DOMAIN);
    CHECK(!padic_cdt_run(NULL, &run));
    CHECK(report.refused > 0 && !cdt_check(run.plan));
    CHECK_EQ(report.attempts[0] + report.attempts[1] + report.attempts[2], 60000);
    CHECK(report.accepted[0] > 10000 && report.accepted[0] < report.attempts[0]);
    padic_cdt_plan_destroy(run.plan);
    desc.volume = PADIC_CDT_VOLUME_WINDOW;
    desc.capacity = 0;
    desc.target = 0;
    desc.window_min = 60;
    desc.window_max = 100;
    run.plan = made(&desc);
    CHECK(!cdt_grow(NULL, run.plan, 0) && !padic_cdt_run(NULL, &run));
    CHECK(report.refused == 0 && !cdt_check(run.plan));
    run.visits = 1;
    CHECK_EQ(padic_cdt_run(NULL, &run), PADIC_ERROR_ARGUMENT); // no target
    padic_cdt_plan_destroy(run.plan);
    desc.volume = PADIC_CDT_VOLUME_NONE; // and one that is never reached
    desc.lambda = 2;
    desc.target = 5000;
    run.plan = made(&desc);
    run.attempts_more = 1000;
    CHECK_EQ(padic_cdt_run(NULL, &run), PADIC_ERROR_LIMIT);
    padic_cdt_plan_destroy(run.plan);
}

// ---- checkpoints

static void put_word(uint8_t *p, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(x >> 8 * i);
}

// The checksum of whole 64-bit words, from its definition.
static uint64_t mixed(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

static uint64_t checksum(const uint8_t *p, uint64_t size, uint64_t seed)
{
    uint64_t sum = mixed(size ^ ~seed), key = (seed + 1) * UINT64_C(0xd1342543de82ef95);
    for (; size >= 8; size -= 8, p += 8, key += UINT64_C(0x9e3779b97f4a7c15))
        sum += mixed((cdt_word(p) | (uint64_t)cdt_word(p + 4) << 32) ^ key);
    return sum;
}

// Puts the checksums of a checkpoint of one replica right.
static void seal(uint8_t *bytes, uint64_t size)
{
    put_word(bytes + 88, checksum(bytes, 88, 0), 8);
    put_word(bytes + size - 8, checksum(bytes + 96, size - 104, 1), 8);
}

TEST(checkpoints) // a chain that is loaded goes on as the other does
{
    for (int kind = 0; kind < 2; kind++)
        for (int volume = 0; volume < 4; volume++) {
            padic_cdt_plan_desc desc = usual((padic_cdt_kind)kind);
            padic_cdt_plan *plan, *again;
            padic_cdt_plan_report info, of_plan;
            padic_bytes in;
            uint64_t size;
            uint8_t *bytes;
            desc.volume = (padic_cdt_volume)volume;
            desc.window_min = 80;
            desc.window_max = 200;
            desc.epsilon = 0.01;
            if (volume == PADIC_CDT_VOLUME_NONE) desc.lambda = 1.3;
            if (volume == PADIC_CDT_VOLUME_NONE) desc.target = 0;
            plan = made(&desc);
            for (int i = 0; i < test_amount(3, 20, 200); i++) {
                CHECK(!cdt_run(NULL, plan, test_random() % 3000, 0));
                bytes = cdt_bytes(plan, &size);
                REQUIRE(!load(bytes, size, &again, NULL));
                in = padic_bytes_in(bytes, size);
                CHECK(!padic_cdt_info(NULL, &in, &info) && !padic_cdt_plan_info(plan, &of_plan));
                CHECK(info.size == of_plan.size && info.triangles == of_plan.triangles);
                CHECK(info.desc.lambda == of_plan.desc.lambda && info.desc.seed == desc.seed);
                CHECK_EQ(cdt_state(again), cdt_hash(bytes, size));
                CHECK(!cdt_run(NULL, plan, 1234, 0) && !cdt_run(NULL, again, 1234, 0));
                CHECK_EQ(cdt_state(plan), cdt_state(again));
                free(bytes);
                padic_cdt_plan_destroy(plan);
                plan = again;
            }
            CHECK(!cdt_check(plan));
            padic_cdt_plan_destroy(plan);
        }
}

TEST(damaged) // every byte: with its checksum CHECKSUM or so, without it refused, or a good state
{
    for (int kind = 0; kind < 2; kind++) {
        padic_cdt_plan_desc desc = usual((padic_cdt_kind)kind);
        padic_cdt_plan *plan, *again;
        padic_cdt_load_desc limits = PADIC_ZERO;
        uint64_t size, accepted = 0, refused = 0;
        uint8_t *bytes, *copy;
        desc.replicas = 1;
        desc.target = kind ? 40 : 60;
        desc.slices = kind ? 0 : 5;
        plan = made(&desc);
        CHECK(!cdt_grow(NULL, plan, 300));
        bytes = cdt_bytes(plan, &size);
        copy = (uint8_t *)malloc((size_t)size + 8);
        for (uint64_t n = 0; n < size; n++) { // cut short, in a block of that size
            uint8_t *part = (uint8_t *)malloc((size_t)n + 1);
            memcpy(part, bytes, (size_t)n);
            CHECK(load(n ? part : bytes, n, &again, NULL) && !again);
            free(part);
        }
        memcpy(copy, bytes, (size_t)size);
        CHECK_EQ(load(copy, size + 8, &again, NULL), PADIC_ERROR_CORRUPT);
        copy[3] = 2;
        CHECK_EQ(load(copy, size, &again, NULL), PADIC_ERROR_VERSION);
        for (uint64_t i = 0; i < size; i++)
            for (int turn = 0; turn < test_amount(2, 9, 200); turn++) {
                padic_cdt_check_report report;
                const uint8_t x = (uint8_t)(1 + test_random() % 255);
                memcpy(copy, bytes, (size_t)size);
                copy[i] = (uint8_t)(copy[i] ^ (turn < 8 ? 1 << turn : x));
                const padic_result plain = load(copy, size, &again, NULL);
                CHECK(plain && !again);
                seal(copy, size);
                const padic_result result = load(copy, size, &again, &report);
                CHECK(!result == !!again);
                refused += result != PADIC_OK;
                if (result) continue;
                CHECK(!cdt_check(again) && !cdt_run(NULL, again, 100, 0) && !cdt_check(again));
                padic_cdt_plan_destroy(again);
                accepted++;
            }
        CHECK(refused > accepted && accepted > 0); // seeds and counters may be anything
        limits.bytes = padic_bytes_in(bytes, size);
        limits.memory_limit = 1000;
        CHECK_EQ(padic_cdt_load(NULL, &limits, &again), PADIC_ERROR_LIMIT);
        memcpy(copy, bytes, (size_t)size);
        put_word(copy + 48, (uint64_t)1 << 28, 8); // a capacity that would take gigabytes
        seal(copy, size);
        CHECK_EQ(load(copy, size, &again, NULL), PADIC_ERROR_LIMIT);
        put_word(copy + 40, (uint64_t)1 << 31, 8); // and very many replicas
        seal(copy, size);
        CHECK_EQ(load(copy, size, &again, NULL), PADIC_ERROR_CORRUPT);
        free(bytes);
        free(copy);
        padic_cdt_plan_destroy(plan);
    }
}

static padic_cdt_fault fault_of(const uint8_t *bytes, uint64_t size, uint64_t at, uint64_t word,
                                uint64_t at_too, uint64_t word_too)
{
    uint8_t *copy = (uint8_t *)malloc((size_t)size);
    padic_cdt_check_report report;
    padic_cdt_plan *plan;
    memcpy(copy, bytes, (size_t)size);
    put_word(copy + 216 + 4 * at, word, 4);
    put_word(copy + 216 + 4 * at_too, word_too, 4);
    seal(copy, size);
    const padic_result result = load(copy, size, &plan, &report);
    CHECK_EQ(result, PADIC_ERROR_CORRUPT);
    free(copy);
    return report.fault;
}

TEST(faults) // each invariant, broken
{
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    uint64_t size;
    uint8_t *bytes;
    desc.slices = 3;
    desc.min_length = 4;
    desc.target = 24;
    plan = made(&desc);
    bytes = cdt_bytes(plan, &size); // links 0 to 3 in slice 0; up, down, up, down, ...
#define WORD(i) cdt_word(bytes + 216 + 4 * (i))
    CHECK_EQ(fault_of(bytes, size, 0, 24, 0, 24), PADIC_CDT_FAULT_LABEL);
    CHECK_EQ(fault_of(bytes, size, 48, 3, 48, 3), PADIC_CDT_FAULT_LABEL); // a slice
    CHECK_EQ(fault_of(bytes, size, 48, 1, 48, 1), PADIC_CDT_FAULT_SLICE); // too short
    CHECK_EQ(fault_of(bytes, size, 0, 4, 0, 4), PADIC_CDT_FAULT_NEIGHBOUR);
    CHECK_EQ(fault_of(bytes, size, 48, WORD(52), 52, WORD(48)), PADIC_CDT_FAULT_SLICE);
    { // two rings instead of one: the right neighbours of two ups change places
        uint8_t *copy = (uint8_t *)malloc((size_t)size);
        padic_cdt_check_report report;
        padic_cdt_plan *again;
        const uint32_t a = 0, b = 4, ra = WORD(2 * a + 1), rb = WORD(2 * b + 1);
        memcpy(copy, bytes, (size_t)size);
        put_word(copy + 216 + 4 * (2 * a + 1), rb, 4);
        put_word(copy + 216 + 4 * (2 * b + 1), ra, 4);
        put_word(copy + 216 + 4 * (2 * (uint64_t)rb), a, 4);
        put_word(copy + 216 + 4 * (2 * (uint64_t)ra), b, 4);
        seal(copy, size);
        CHECK_EQ(load(copy, size, &again, &report), PADIC_ERROR_CORRUPT);
        CHECK_EQ(report.fault, PADIC_CDT_FAULT_RING);
        // the downs of links 5 and 6 change places, their ups stay
        memcpy(copy, bytes, (size_t)size);
        for (uint32_t side = 0; side < 2; side++) {
            put_word(copy + 216 + 4 * (2 * 11 + side), WORD(2 * 13 + side), 4);
            put_word(copy + 216 + 4 * (2 * 13 + side), WORD(2 * 11 + side), 4);
            put_word(copy + 216 + 4 * (2 * WORD(2 * 11 + side) + 1 - side), 13, 4);
            put_word(copy + 216 + 4 * (2 * WORD(2 * 13 + side) + 1 - side), 11, 4);
        }
        seal(copy, size);
        CHECK_EQ(load(copy, size, &again, &report), PADIC_ERROR_CORRUPT);
        CHECK_EQ(report.fault, PADIC_CDT_FAULT_ORDER);
        memcpy(copy, bytes, (size_t)size);
        copy[96 + 88] ^= 1; // a threshold
        seal(copy, size);
        CHECK_EQ(load(copy, size, &again, &report), PADIC_ERROR_CORRUPT);
        CHECK_EQ(report.fault, PADIC_CDT_FAULT_COUNTER);
        free(copy);
    }
    free(bytes);
    padic_cdt_plan_destroy(plan);
    desc = usual(PADIC_CDT_KIND_EUCLID_SPHERE);
    desc.replicas = 1;
    desc.target = 6;
    plan = made(&desc);
    CHECK(!cdt_grow(NULL, plan, UINT64_MAX));
    bytes = cdt_bytes(plan, &size); // 18 half-edges (origin, opposite), then 5 of vertices
    CHECK_EQ(fault_of(bytes, size, 0, 5, 0, 5), PADIC_CDT_FAULT_LABEL);
    CHECK_EQ(fault_of(bytes, size, 1, 18, 1, 18), PADIC_CDT_FAULT_LABEL);
    CHECK_EQ(fault_of(bytes, size, 1, 0, 1, 0), PADIC_CDT_FAULT_NEIGHBOUR);
    CHECK_EQ(fault_of(bytes, size, 0, WORD(2), 0, WORD(2)), PADIC_CDT_FAULT_LOOP);
    CHECK_EQ(fault_of(bytes, size, 0, WORD(4), 0, WORD(4)), PADIC_CDT_FAULT_ENDS);
    CHECK_EQ(fault_of(bytes, size, 36, WORD(37), 36, WORD(37)), PADIC_CDT_FAULT_VERTEX);
    CHECK_EQ(fault_of(bytes, size, 36, 18, 36, 18), PADIC_CDT_FAULT_LABEL);
#undef WORD
    free(bytes);
    padic_cdt_plan_destroy(plan);
    CHECK(!strcmp(padic_cdt_fault_text((padic_cdt_fault)99), "?"));
}

// ---- lists

TEST(lists) // out and in again
{
    for (int kind = 0; kind < 2; kind++) {
        padic_cdt_plan_desc desc = usual((padic_cdt_kind)kind);
        padic_cdt_plan *plan = made(&desc), *to = made(&desc);
        static uint32_t triangles[1000][3], back[1000][3], slices[1000];
        padic_cdt_export_desc out = PADIC_ZERO;
        padic_cdt_import_desc in = PADIC_ZERO;
        padic_cdt_check_report report;
        const uint32_t n = kind ? 96 : 144, vertices = kind ? 50 : 72;
        CHECK(!cdt_grow(NULL, plan, 20000));
        for (int i = 0; i < test_amount(5, 100, 1000); i++) {
            CHECK(!cdt_run(NULL, plan, 0, 10));
            out.plan = plan;
            out.replica = in.replica = (uint64_t)i % 3;
            out.triangles = in.triangles = padic_tensor_2d(PADIC_U32, triangles, n, 3);
            if (!kind) out.slices = in.slices = padic_tensor_1d(PADIC_U32, slices, vertices);
            CHECK(!padic_cdt_export(NULL, &out));
            if (kind) CHECK(!cdt_check_sphere(&triangles[0][0], n, vertices));
            for (uint32_t t = 0; t < n; t++) { // from any corner, in any order
                const uint32_t turn = (uint32_t)test_random() % 3;
                const uint32_t other = (uint32_t)test_random() % n;
                uint32_t one[3];
                for (int k = 0; k < 3; k++) one[k] = triangles[t][((uint32_t)k + turn) % 3];
                memcpy(triangles[t], triangles[other], sizeof one);
                memcpy(triangles[other], one, sizeof one);
            }
            in.plan = to;
            in.report = &report;
            CHECK(!padic_cdt_import(NULL, &in));
            CHECK(!report.fault && !cdt_check(to) && !check_plan(NULL, to, NULL));
            if (!kind) { // links have the numbers of vertices: the same records
                out.plan = to;
                out.triangles = padic_tensor_2d(PADIC_U32, back, n, 3);
                CHECK(!padic_cdt_export(NULL, &out));
                out.plan = plan;
                out.triangles = padic_tensor_2d(PADIC_U32, triangles, n, 3);
                CHECK(!padic_cdt_export(NULL, &out));
                CHECK(!memcmp(back, triangles, (size_t)n * 12));
            }
            CHECK(!cdt_run(NULL, to, 500, 0));
        }
        { // what is no triangulation is refused, and the replica stays
            uint32_t bad = 0;
            const uint64_t before = cdt_state(to);
            for (int i = 0; i < 2000; i++) {
                uint32_t *word = &triangles[test_random() % n][test_random() % 3];
                const uint32_t old = *word;
                *word = (uint32_t)test_random() % (vertices + 2);
                if (*word == old) continue;
                const padic_result result = padic_cdt_import(NULL, &in);
                CHECK(result == PADIC_ERROR_CORRUPT && report.fault);
                bad++;
                *word = old;
            }
            CHECK(bad > 1000);
            CHECK_EQ(cdt_state(to), before);
            for (uint32_t k = 0; k < 3; k++) { // turned inside out: one triangle, all of them
                const uint32_t word = triangles[5][0];
                triangles[5][0] = triangles[5][1];
                triangles[5][1] = word;
                CHECK_EQ(padic_cdt_import(NULL, &in), k % 2 ? PADIC_OK : PADIC_ERROR_CORRUPT);
            }
        }
        padic_cdt_plan_destroy(plan);
        padic_cdt_plan_destroy(to);
    }
}

TEST(not_spheres) // a torus and a tetrahedron: N2 = 2 N0 - 4; two edges with the same ends
{
    uint32_t triangles[18][3] = {{0}};
    static const uint32_t tetrahedron[4][3] = {{7, 8, 9}, {7, 10, 8}, {8, 10, 9}, {9, 10, 7}};
    static const uint32_t folded[6][3] = {{0, 1, 2}, {0, 2, 1}, {0, 1, 3}, // on 5 vertices
                                          {0, 3, 1}, {0, 1, 4}, {0, 4, 1}};
    padic_cdt_plan_desc desc = usual(PADIC_CDT_KIND_EUCLID_SPHERE);
    padic_cdt_import_desc in = PADIC_ZERO;
    padic_cdt_check_report report;
    for (uint32_t i = 0; i < 7; i++) {
        const uint32_t one[3] = {i, (i + 1) % 7, (i + 3) % 7};
        const uint32_t two[3] = {i, (i + 3) % 7, (i + 2) % 7};
        memcpy(triangles[2 * i], one, sizeof one);
        memcpy(triangles[2 * i + 1], two, sizeof two);
    }
    memcpy(triangles[14], tetrahedron, sizeof tetrahedron);
    in.plan = made(&desc);
    in.report = &report;
    in.triangles = padic_tensor_2d(PADIC_U32, triangles, 18, 3);
    CHECK_EQ(padic_cdt_import(NULL, &in), PADIC_ERROR_CORRUPT);
    CHECK_EQ(report.fault, PADIC_CDT_FAULT_EULER);
    memcpy(triangles, folded, sizeof folded);
    in.triangles = padic_tensor_2d(PADIC_U32, triangles, 6, 3);
    CHECK_EQ(padic_cdt_import(NULL, &in), PADIC_ERROR_CORRUPT);
    CHECK_EQ(report.fault, PADIC_CDT_FAULT_DOUBLE);
    in.triangles = padic_tensor_2d(PADIC_U32, triangles, 7, 3);
    CHECK_EQ(padic_cdt_import(NULL, &in), PADIC_ERROR_MISMATCH);
    in.triangles = padic_tensor_2d(PADIC_U32, triangles, 100000, 3);
    CHECK_EQ(padic_cdt_import(NULL, &in), PADIC_ERROR_LIMIT);
    in.replica = 3;
    CHECK_EQ(padic_cdt_import(NULL, &in), PADIC_ERROR_ARGUMENT);
    padic_cdt_plan_destroy(in.plan);
}

// All downs of each strip in a row: two links join the same vertices, which lists can say, too.
TEST(double_links)
{
    enum { L = 3, T = 4 };
    uint32_t triangles[2 * L * T][3], slices[L * T], back[2 * L * T][3], n = 0;
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_import_desc in = PADIC_ZERO;
    padic_cdt_export_desc out = PADIC_ZERO;
    desc.slices = T;
    desc.target = 2 * L * T;
    in.plan = made(&desc);
    for (uint32_t t = 0; t < T; t++)
        for (uint32_t i = 0; i < L; i++) {
            const uint32_t above = (t + 1) % T * L;
            slices[t * L + i] = t;
            const uint32_t up[3] = {t * L + i, t * L + (i + 1) % L, above};
            const uint32_t down[3] = {above + (i + 1) % L, above + i, t * L};
            memcpy(triangles[n++], up, sizeof up);
            memcpy(triangles[n++], down, sizeof down);
        }
    in.triangles = padic_tensor_2d(PADIC_U32, triangles, 2 * L * T, 3);
    in.slices = padic_tensor_1d(PADIC_U32, slices, L * T);
    CHECK(!padic_cdt_import(NULL, &in) && !cdt_check(in.plan));
    out.plan = in.plan;
    out.triangles = padic_tensor_2d(PADIC_U32, back, 2 * L * T, 3);
    CHECK(!padic_cdt_export(NULL, &out));
    in.triangles = out.triangles;
    CHECK(!padic_cdt_import(NULL, &in) && !cdt_check(in.plan));
    CHECK(!cdt_run(NULL, in.plan, 1000, 0) && !cdt_check(in.plan));
    padic_cdt_plan_destroy(in.plan);
}

// ---- what is refused

#define REFUSED(change, code)                                       \
    do {                                                            \
        padic_cdt_plan_desc d = usual(PADIC_CDT_KIND_CAUSAL_TORUS);      \
        padic_cdt_plan *p = (padic_cdt_plan *)&d;                   \
        change;                                                     \
        CHECK_EQ(padic_cdt_plan_create(context, &d, &p), code);     \
        CHECK(!p && padic_context_message(context)[0]);             \
        CHECK_EQ(padic_cdt_plan_size_bound(&d), 0);                 \
    } while (0)

TEST(refused)
{
    padic_context *context;
    padic_cdt_plan *plan = NULL;
    padic_cdt_plan_desc desc = usual(PADIC_CDT_KIND_CAUSAL_TORUS);
    padic_cdt_measure_desc m = PADIC_ZERO;
    padic_cdt_plan_report info;
    padic_bytes none = PADIC_ZERO;
    double lambdas[3] = {1, -20, 1};
    uint64_t counts[4][PADIC_CDT_COUNTS];
    REQUIRE(!padic_context_create(NULL, &context));
    REFUSED(d.kind = (padic_cdt_kind)2, PADIC_ERROR_ARGUMENT);
    REFUSED(d.volume = (padic_cdt_volume)4, PADIC_ERROR_ARGUMENT);
    REFUSED(d.target = 145, PADIC_ERROR_ARGUMENT);
    REFUSED(d.target = 46, PADIC_ERROR_ARGUMENT); // 2 T min_length = 48
    REFUSED(d.target = 0, PADIC_ERROR_ARGUMENT);
    REFUSED((d.target = 0, d.volume = PADIC_CDT_VOLUME_SQUARE), PADIC_ERROR_ARGUMENT);
    REFUSED(d.target = UINT64_MAX - 1, PADIC_ERROR_ARGUMENT + 0 * (int)d.kind);
    REFUSED((d.weight_flip = 1, d.weight_insert = 1), PADIC_ERROR_ARGUMENT);
    REFUSED((d.weight_flip = 1, d.weight_delete = 1), PADIC_ERROR_ARGUMENT);
    REFUSED(d.weight_flip = 1001, PADIC_ERROR_ARGUMENT);
    REFUSED(d.epsilon = -1, PADIC_ERROR_ARGUMENT);
    REFUSED(d.epsilon = sqrt(-1.0), PADIC_ERROR_ARGUMENT);
    REFUSED(d.epsilon = 1e300, PADIC_ERROR_ARGUMENT);
    REFUSED(d.lambda = sqrt(-1.0), PADIC_ERROR_ARGUMENT);
    REFUSED(d.lambda = HUGE_VAL, PADIC_ERROR_ARGUMENT);
    REFUSED(d.lambda = 0.6, PADIC_ERROR_ARGUMENT); // + 0.02 < ln 2: it diverges
    REFUSED(d.volume = PADIC_CDT_VOLUME_NONE, PADIC_ERROR_ARGUMENT); // at ln 2 it does, too
    REFUSED(d.volume = PADIC_CDT_VOLUME_WINDOW, PADIC_ERROR_ARGUMENT);
    REFUSED((d.volume = PADIC_CDT_VOLUME_WINDOW, d.window_min = d.window_max = 61),
            PADIC_ERROR_ARGUMENT);
    REFUSED((d.kind = PADIC_CDT_KIND_EUCLID_SPHERE, d.target = 2), PADIC_ERROR_ARGUMENT);
    REFUSED(d.replicas = UINT64_MAX, PADIC_ERROR_LIMIT);
    REFUSED((d.slices = UINT32_MAX, d.min_length = UINT32_MAX), PADIC_ERROR_LIMIT);
    REFUSED(d.capacity = (uint64_t)1 << 31, PADIC_ERROR_LIMIT);
    REFUSED(d.capacity = ((uint64_t)1 << 28) + 2, PADIC_ERROR_LIMIT);
    REFUSED(d.capacity = 10, PADIC_ERROR_ARGUMENT);
    REFUSED(d.lambdas = padic_tensor_1d(PADIC_F64, lambdas, 3), PADIC_ERROR_ARGUMENT);
    REFUSED(d.lambdas = padic_tensor_1d(PADIC_F64, lambdas, 2), PADIC_ERROR_MISMATCH);
    REFUSED(d.lambdas = padic_tensor_1d(PADIC_F32, lambdas, 3), PADIC_ERROR_DTYPE);
    REFUSED((d.lambdas.dtype = PADIC_F64, d.lambdas.buffer.id = 9), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_plan_create(context, NULL, &plan), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_plan_create(context, &desc, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_run(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_grow(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_measure(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_check(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_save(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_load(context, NULL, &plan), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_export(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_import(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_estimate(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_dimension(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_info(context, &none, &info), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(cdt_run(context, NULL, 1, 0), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(cdt_grow(NULL, NULL, 1), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(check_plan(context, NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_cdt_measure(context, &m), PADIC_ERROR_ARGUMENT);
    CHECK(!strcmp(padic_context_message(context), "cdt_measure: plan is NULL"));
    REQUIRE(!padic_cdt_plan_create(context, &desc, &plan));
    m.plan = plan;
    CHECK(!padic_cdt_measure(context, &m)); // nothing is asked for
    CHECK(!cdt_run(context, plan, 0, 0));
    m.counts = padic_tensor_2d(PADIC_U64, counts, 4, PADIC_CDT_COUNTS);
    CHECK_EQ(padic_cdt_measure(context, &m), PADIC_ERROR_MISMATCH);
    m.counts = padic_tensor_2d(PADIC_U32, counts, 3, PADIC_CDT_COUNTS);
    CHECK_EQ(padic_cdt_measure(context, &m), PADIC_ERROR_DTYPE);
    m.counts = padic_tensor_2d(PADIC_U64, counts, 3, PADIC_CDT_COUNTS);
    m.counts.stride[0] = PADIC_CDT_COUNTS + 1;
    m.counts.stride[1] = 1;
    CHECK_EQ(padic_cdt_measure(context, &m), PADIC_ERROR_ARGUMENT);
    m.counts = padic_tensor_2d(PADIC_U64, counts, 3, PADIC_CDT_COUNTS);
    m.order = padic_tensor_2d(PADIC_U64, &counts[2][0], 3, 4);
    CHECK_EQ(padic_cdt_measure(context, &m), PADIC_ERROR_OVERLAP);
    m.order = padic_tensor_2d(PADIC_U64, (char *)counts + 1, 3, 4);
    CHECK_EQ(padic_cdt_measure(context, &m), PADIC_ERROR_ALIGNMENT);
    memset(&m.order, 0, sizeof m.order);
    m.graph = (padic_cdt_graph)2;
    CHECK_EQ(padic_cdt_measure(context, &m), PADIC_ERROR_ARGUMENT);
    m.graph = PADIC_CDT_GRAPH_DUAL;
    m.workspace = padic_tensor_1d(PADIC_U8, counts, 64);
    CHECK(padic_cdt_measure(context, &m) != PADIC_OK);
    {
        padic_cdt_save_desc save = PADIC_ZERO;
        padic_cdt_save_report report;
        uint8_t few[100];
        save.plan = plan;
        save.report = &report;
        CHECK_EQ(padic_cdt_save(context, &save), PADIC_ERROR_ARGUMENT);
        save.out = padic_bytes_out(few, sizeof few);
        CHECK_EQ(padic_cdt_save(context, &save), PADIC_ERROR_CAPACITY);
        CHECK_EQ(report.size, padic_cdt_save_size_bound(plan));
    }
    padic_cdt_plan_destroy(plan);
    padic_cdt_plan_destroy(NULL);
    CHECK_EQ(padic_cdt_save_size_bound(NULL), 0);
    CHECK_EQ(padic_cdt_measure_workspace(NULL), 0);
    CHECK_EQ(padic_cdt_plan_info(NULL, &info), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);
}

// ---- memory, contexts

// All calls with an allocator that fails after so many; 1: nothing failed.
static int all_calls(padic_context *context, padic_cdt_kind kind)
{
    padic_cdt_plan_desc desc = usual(kind);
    padic_cdt_plan *plan = NULL, *again = NULL;
    static uint64_t order[1][20];
    static uint32_t triangles[600];
    static uint8_t bytes[20000];
    static double curve[2][5] = {{1, 2, 3, 4, 5}, {1, 3, 4, 5, 7}}, slope[5];
    padic_cdt_measure_desc measure = PADIC_ZERO;
    padic_cdt_save_desc save = PADIC_ZERO;
    padic_cdt_load_desc from = PADIC_ZERO;
    padic_cdt_export_desc out = PADIC_ZERO;
    padic_cdt_import_desc in = PADIC_ZERO;
    padic_cdt_dimension_desc dimension = PADIC_ZERO;
    uint32_t slices[72];
    int fine = !padic_cdt_plan_create(context, &desc, &plan);
    if (fine) {
        padic_cdt_save_report report;
        fine &= !cdt_grow(context, plan, UINT64_MAX) && !cdt_run(context, plan, 0, 1);
        measure.plan = save.plan = out.plan = in.plan = plan;
        measure.order = padic_tensor_2d(PADIC_U64, order, 1, 20);
        fine &= !padic_cdt_measure(context, &measure);
        fine &= !check_plan(context, plan, NULL);
        save.out = padic_bytes_out(bytes, sizeof bytes);
        save.report = &report;
        fine &= !padic_cdt_save(context, &save);
        from.bytes = padic_bytes_in(bytes, report.size);
        fine &= !padic_cdt_load(context, &from, &again);
        out.triangles = padic_tensor_2d(PADIC_U32, triangles, kind ? 96 : 144, 3);
        if (!kind) out.slices = padic_tensor_1d(PADIC_U32, slices, 72);
        fine &= !padic_cdt_export(context, &out);
        in.triangles = out.triangles;
        in.slices = out.slices;
        fine &= !padic_cdt_import(context, &in);
        dimension.curves = padic_tensor_2d(PADIC_F64, curve, 2, 5);
        dimension.out = padic_tensor_1d(PADIC_F64, slope, 5);
        fine &= !padic_cdt_dimension(context, &dimension);
    }
    padic_cdt_plan_destroy(plan);
    padic_cdt_plan_destroy(again);
    return fine;
}

TEST(memory) // each allocation fails once; nothing stays behind
{
    for (int kind = 0; kind < 2; kind++) {
        int fails = 0;
        for (int n = 0; n < 40; n++) {
            failing f = {1000, 0};
            padic_context_desc with = PADIC_ZERO;
            padic_context *context;
            with.allocator.alloc = failing_alloc;
            with.allocator.free = failing_free;
            with.allocator.user = &f;
            REQUIRE(!padic_context_create(&with, &context));
            f.left = n;
            fails += !all_calls(context, (padic_cdt_kind)kind);
            f.left = 1000;
            padic_context_destroy(context);
            CHECK_EQ(f.live, 0);
        }
        CHECK(fails >= 7 && fails < 20);
    }
}

TEST(apart) // chains outside their plan: in host memory, and in a buffer of it
{
    static uint64_t memory[80000];
    padic_context *context;
    padic_buffer_desc size = PADIC_ZERO;
    padic_buffer buffer;
    char *at = (char *)memory;
    at += (64 - (uintptr_t)at % 64) % 64;
    REQUIRE(!padic_context_create(NULL, &context));
    for (int kind = 0; kind < 2; kind++)
        for (int there = 0; there < 2; there++) {
            padic_cdt_plan_desc desc = usual((padic_cdt_kind)kind);
            padic_cdt_plan *plain = made(&desc), *plan = NULL;
            padic_cdt_save_desc save = PADIC_ZERO;
            padic_cdt_check_desc check = PADIC_ZERO;
            padic_cdt_measure_desc measure = PADIC_ZERO;
            uint64_t counts[1][PADIC_CDT_COUNTS];
            padic_cdt_plan_report info;
            uint64_t own;
            size.size = padic_cdt_state_size_bound(&desc);
            REQUIRE(size.size > 0 && size.size < sizeof memory - 64);
            own = padic_cdt_plan_size_bound(&desc);
            REQUIRE(!padic_buffer_create(context, &size, &buffer));
            desc.state = padic_tensor_1d(PADIC_U8, at, size.size);
            if (there) {
                desc.state.data = NULL;
                desc.state.buffer = buffer;
            }
            CHECK(padic_cdt_plan_size_bound(&desc) < own);
            REQUIRE(!padic_cdt_plan_create(context, &desc, &plan));
            CHECK(!padic_cdt_plan_info(plan, &info) &&
                  info.size == padic_cdt_plan_size_bound(&desc) && !info.desc.state.data);
            CHECK(!cdt_grow(context, plan, 1000) && !cdt_grow(NULL, plain, 1000));
            CHECK(!cdt_run(context, plan, 5000, !kind) && !cdt_run(NULL, plain, 5000, !kind));
            save.plan = check.plan = measure.plan = plan;
            CHECK(!padic_cdt_check(context, &check));
            save.out = padic_bytes_out(malloc(100000), 100000);
            CHECK(!padic_cdt_save(context, &save));
            CHECK_EQ(cdt_hash((uint8_t *)save.out.data, padic_cdt_save_size_bound(plan)),
                     cdt_state(plain));
            measure.counts = padic_tensor_2d(PADIC_U64, counts, 1, PADIC_CDT_COUNTS);
            CHECK(!padic_cdt_measure(NULL, &measure)); // of words that are in the plan
            measure.order = padic_tensor_2d(PADIC_U64, at + 64, 1, 20);
            measure.counts.data = NULL;
            CHECK_EQ(padic_cdt_measure(context, &measure),
                     there ? PADIC_OK : PADIC_ERROR_OVERLAP); // over the chains
            free(save.out.data);
            padic_cdt_plan_destroy(plan);
            padic_cdt_plan_destroy(plain);
            CHECK(!padic_buffer_destroy(context, buffer));
        }
    padic_context_destroy(context);
}

TEST(workspaces) // no allocation at all
{
    static uint64_t memory[40000], other[40000];
    failing f = {1000, 0};
    padic_context_desc with = PADIC_ZERO;
    padic_context *context;
    padic_cdt_plan_desc desc = usual(PADIC_CDT_KIND_CAUSAL_TORUS);
    padic_cdt_plan *plan, *plain = made(&desc);
    padic_cdt_measure_desc measure = PADIC_ZERO;
    padic_cdt_check_desc check = PADIC_ZERO;
    uint64_t order[1][20];
    char *at = (char *)memory, *more = (char *)other;
    at += (64 - (uintptr_t)at % 64) % 64;
    more += (64 - (uintptr_t)more % 64) % 64;
    with.allocator.alloc = failing_alloc;
    with.allocator.free = failing_free;
    with.allocator.user = &f;
    REQUIRE(!padic_context_create(&with, &context));
    f.left = 0;
    desc.workspace = padic_tensor_1d(PADIC_U8, at, padic_cdt_plan_size_bound(&desc));
    CHECK(desc.workspace.shape[0] > 0 && desc.workspace.shape[0] < sizeof memory - 64);
    REQUIRE(!padic_cdt_plan_create(context, &desc, &plan));
    CHECK(!cdt_grow(context, plan, 1000) && !cdt_grow(NULL, plain, 1000));
    CHECK_EQ(cdt_state(plan), cdt_state(plain));
    measure.plan = check.plan = plan;
    measure.order = padic_tensor_2d(PADIC_U64, order, 1, 20);
    measure.workspace = padic_tensor_1d(PADIC_U8, more, padic_cdt_measure_workspace(plan));
    check.workspace = measure.workspace;
    CHECK(measure.workspace.shape[0] < sizeof other - 64);
    CHECK(!padic_cdt_measure(context, &measure) && !padic_cdt_check(context, &check));
    measure.workspace.shape[0]--;
    CHECK_EQ(padic_cdt_measure(context, &measure), PADIC_ERROR_CAPACITY);
    measure.workspace = padic_tensor_1d(PADIC_U8, more + 8, 100000);
    CHECK_EQ(padic_cdt_measure(context, &measure), PADIC_ERROR_ALIGNMENT);
    padic_cdt_plan_destroy(plan);
    desc.workspace.shape[0]--;
    CHECK_EQ(padic_cdt_plan_create(context, &desc, &plan), PADIC_ERROR_CAPACITY);
    padic_cdt_plan_destroy(plain);
    f.left = 1000;
    padic_context_destroy(context);
    CHECK_EQ(f.live, 0);
}

static int stop_at_third(uint64_t done, uint64_t total, void *user)
{
    (void)total;
    (void)done;
    return ++*(int *)user >= 3;
}

TEST(contexts) // counted, cancelled, results in buffers, replicas measured by threads
{
    enum { REPLICAS = 9 };
    static uint64_t order[REPLICAS][20], same[REPLICAS][20], shells[REPLICAS][9];
    static double returns[REPLICAS][9], mean[1][9], twice[1][9];
    padic_threads *threads = padic_threads_create(3, NULL);
    padic_context_desc with = PADIC_ZERO;
    padic_context *context;
    padic_cdt_plan_desc desc = usual(PADIC_CDT_KIND_EUCLID_SPHERE);
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    padic_buffer_desc room = PADIC_ZERO;
    padic_op_stats stats;
    int calls = 0;
    with.jobs = padic_threads_jobs(threads);
    REQUIRE(!padic_context_create(&with, &context));
    desc.replicas = REPLICAS;
    plan = made(&desc);
    CHECK(!cdt_grow(context, plan, 3000));
    padic_context_op_stats(context, PADIC_OP_CDT_GROW, &stats);
    CHECK(stats.calls == 1 && stats.fallbacks == 0);
    measure.plan = plan;
    measure.roots = 3;
    measure.order = padic_tensor_2d(PADIC_U64, order, REPLICAS, 20);
    measure.shells = padic_tensor_2d(PADIC_U64, shells, REPLICAS, 9);
    measure.returns = padic_tensor_2d(PADIC_F64, returns, REPLICAS, 9);
    CHECK(!padic_cdt_measure(context, &measure));
    memcpy(same, order, sizeof same);
    room.size = sizeof order;
    REQUIRE(!padic_buffer_create(context, &room, &measure.order.buffer));
    measure.order.data = NULL;
    measure.returns = padic_tensor_2d(PADIC_F64, mean, 1, 9);
    CHECK(!padic_cdt_measure(context, &measure));
    memset(order, 0, sizeof order);
    CHECK(!padic_buffer_download(context, measure.order.buffer, 0, order, sizeof order));
    CHECK(!memcmp(same, order, sizeof same));
    for (int s = 0; s < 9; s++) {
        double sum = 0;
        for (int r = 0; r < REPLICAS; r++) sum += returns[r][s] / (int)REPLICAS;
        CHECK_NEAR(sum, mean[0][s], 1e-14);
    }
    measure.accumulate = 1;
    memcpy(twice, mean, sizeof twice);
    measure.returns = padic_tensor_2d(PADIC_F64, twice, 1, 9);
    CHECK(padic_cdt_measure(NULL, &measure) != PADIC_OK); // a buffer without context
    CHECK(!padic_cdt_measure(context, &measure));
    CHECK(!padic_buffer_download(context, measure.order.buffer, 0, order, sizeof order));
    for (int s = 0; s < 9; s++) CHECK_NEAR(twice[0][s], 2 * mean[0][s], 1e-14);
    for (int q = 0; q < 20; q++) CHECK_EQ(order[4][q], 2 * same[4][q]);
    padic_context_destroy(context);
    with.progress.step = stop_at_third;
    with.progress.user = &calls;
    REQUIRE(!padic_context_create(&with, &context));
    CHECK_EQ(cdt_run(context, plan, 10000000, 0), PADIC_ERROR_CANCELLED);
    CHECK(calls == 3 && !cdt_check(plan) && !check_plan(NULL, plan, NULL));
    padic_cdt_plan_destroy(plan);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

// ---- series

TEST(series) // AR(1): tau = (1 + a) / (1 - a) / 2; the jackknife of a mean is its plain error
{
    const uint64_t n = (uint64_t)test_amount(20000, 200000, 4000000);
    const double a = 0.9;
    double *x = (double *)malloc((size_t)n * 8), block[10] = {0}, sum = 0, square = 0, now = 0;
    padic_cdt_estimate_desc desc = PADIC_ZERO;
    padic_cdt_estimate_report report;
    for (uint64_t i = 0; i < n; i++) {
        double gauss = -6; // nearly
        for (int k = 0; k < 12; k++) gauss += (double)(test_random() >> 11) / 9007199254740992.0;
        now = a * now + gauss * sqrt(1 - a * a);
        x[i] = 100 + now;
    }
    desc.series = padic_tensor_1d(PADIC_F64, x, n);
    desc.blocks = 10;
    desc.report = &report;
    CHECK(!padic_cdt_estimate(NULL, &desc));
    CHECK_NEAR(report.tau, 9.5, 3 * report.tau_error);
    CHECK(report.tau_error < 2 && (double)report.window >= 6 * report.tau);
    for (uint64_t i = 0; i < n; i++) block[i / (n / 10)] += (x[i] - 100) / (double)(n / 10);
    for (int i = 0; i < 10; i++) sum += block[i] / 10, square += block[i] * block[i] / 10;
    CHECK_NEAR(report.value, 100 + sum, 1e-9);
    CHECK_NEAR(report.error, sqrt((square - sum * sum) / 9), 1e-9);
    CHECK_NEAR(report.error, sqrt(2 * report.tau / (double)n), 0.7 * report.error);
    desc.statistic = PADIC_CDT_STATISTIC_VARIANCE;
    CHECK(!padic_cdt_estimate(NULL, &desc));
    CHECK_NEAR(report.value, 1, 4 * report.error);
    x[7] = HUGE_VAL;
    CHECK_EQ(padic_cdt_estimate(NULL, &desc), PADIC_ERROR_NOT_FINITE);
    desc.series.shape[0] = 1;
    CHECK_EQ(padic_cdt_estimate(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.series.shape[0] = 5; // all the same
    for (int i = 0; i < 5; i++) x[i] = 3;
    desc.blocks = 0;
    CHECK(!padic_cdt_estimate(NULL, &desc));
    CHECK(report.value == 0 && report.error == 0 && report.tau == 0.5);
    desc.blocks = 6;
    CHECK_EQ(padic_cdt_estimate(NULL, &desc), PADIC_ERROR_ARGUMENT);
    free(x);
}

TEST(slopes) // of powers
{
    double curves[3][40], out[40], error[40];
    padic_cdt_dimension_desc desc = PADIC_ZERO;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 40; r++) // shells of r^3; returns s^(-2/2)
            curves[c][r] = r ? pow(r, 3) - pow(r - 1, 3) : 0;
    desc.curves = padic_tensor_2d(PADIC_F64, curves, 3, 40);
    desc.out = padic_tensor_1d(PADIC_F64, out, 40);
    desc.error = padic_tensor_1d(PADIC_F64, error, 40);
    CHECK(!padic_cdt_dimension(NULL, &desc));
    for (int r = 2; r < 39; r++) CHECK_NEAR(out[r], 3, 1e-12);
    for (int r = 2; r < 39; r++) CHECK(error[r] < 1e-7);
    CHECK(out[0] == 0 && out[1] == 0 && out[39] == 0);
    desc.reach = 4;
    CHECK(!padic_cdt_dimension(NULL, &desc));
    for (int r = 5; r < 36; r++) CHECK_NEAR(out[r], 3, 1e-12);
    CHECK(out[4] == 0 && out[36] == 0);
    for (int c = 0; c < 3; c++)
        for (int s = 0; s < 40; s++) curves[c][s] = s ? pow(s, -1 - 0.1 * (c - 1)) : 1;
    desc.slope = PADIC_CDT_SLOPE_SPECTRAL;
    CHECK(!padic_cdt_dimension(NULL, &desc));
    for (int s = 6; s < 36; s += 2) {
        CHECK_NEAR(out[s], 2, 0.05);
        CHECK(error[s] > 0.02 && error[s] < 0.3);
    }
    CHECK(out[7] == 0 && out[4] == 0);
    desc.reach = 5;
    CHECK_EQ(padic_cdt_dimension(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.reach = UINT64_MAX - 1;
    CHECK(!padic_cdt_dimension(NULL, &desc));
    desc.out = padic_tensor_1d(PADIC_F64, curves, 40);
    CHECK_EQ(padic_cdt_dimension(NULL, &desc), PADIC_ERROR_OVERLAP);
    desc.out = padic_tensor_1d(PADIC_F64, out, 39);
    CHECK_EQ(padic_cdt_dimension(NULL, &desc), PADIC_ERROR_MISMATCH);
}

TEST_MAIN("cdt_chains", CASE(invariants), CASE(same_bytes), CASE(own_laws), CASE(capacity),
          CASE(checkpoints), CASE(damaged), CASE(faults), CASE(lists), CASE(not_spheres),
          CASE(double_links), CASE(refused), CASE(memory), CASE(apart), CASE(workspaces),
          CASE(contexts), CASE(series), CASE(slopes))
