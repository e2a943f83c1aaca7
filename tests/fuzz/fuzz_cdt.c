// fuzz_cdt.c: any bytes as a checkpoint of triangulations, as they come and with their checksums
// put right; or as lists of triangles. What is accepted must be sound and come back the same.
// Seeds: checkpoints begin with P; lists with T or S for the kind, then vertices a byte each. See
// fuzz.h.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "fuzz.h"

static padic_context *context;
static fuzz_memory memory;

static void fuzz_context(void)
{
    padic_context_desc desc;
    if (context) return;
    memset(&desc, 0, sizeof desc);
    desc.allocator = fuzz_allocator(&memory);
    FUZZ_CHECK(!padic_context_create(&desc, &context));
}

// A plan that was accepted.
static void fuzz_plan(padic_cdt_plan *plan)
{
    padic_cdt_check_desc check;
    padic_cdt_run_desc run;
    padic_cdt_measure_desc measure;
    uint64_t order[1][16];
    memset(&check, 0, sizeof check);
    memset(&run, 0, sizeof run);
    memset(&measure, 0, sizeof measure);
    check.plan = measure.plan = plan;
    run.plan = plan;
    FUZZ_CHECK(!padic_cdt_check(context, &check));
    measure.order = padic_tensor_2d(PADIC_U64, order, 1, 16);
    FUZZ_CHECK(!padic_cdt_measure(context, &measure));
    run.attempts = 500;
    FUZZ_CHECK(!padic_cdt_run(context, &run));
    FUZZ_CHECK(!padic_cdt_check(context, &check));
}

static void fuzz_bytes(const uint8_t *data, size_t size)
{
    uint8_t *exact = (uint8_t *)fuzz_new(size);
    padic_cdt_load_desc load;
    padic_cdt_check_report report;
    padic_cdt_plan_report info;
    padic_cdt_plan *plan;
    const uint64_t before = memory.bytes;
    memcpy(exact, data, size);
    memset(&load, 0, sizeof load);
    load.bytes = padic_bytes_in(exact, size);
    load.memory_limit = FUZZ_MOST;
    load.report = &report;
    memory.peak = before;
    (void)padic_cdt_info(context, &load.bytes, &info);
    const padic_result result = padic_cdt_load(context, &load, &plan);
    FUZZ_CHECK(memory.peak - before <= FUZZ_MOST);
    FUZZ_CHECK(!result == !!plan);
    if (plan) {
        padic_cdt_save_desc save;
        uint8_t *again = (uint8_t *)fuzz_new(size);
        memset(&save, 0, sizeof save);
        save.plan = plan;
        save.out = padic_bytes_out(again, size);
        FUZZ_CHECK(padic_cdt_save_size_bound(plan) == size && !padic_cdt_save(context, &save));
        FUZZ_CHECK(!memcmp(again, exact, size));
        fuzz_plan(plan);
        free(again);
    }
    padic_cdt_plan_destroy(plan);
    FUZZ_CHECK(memory.bytes == before);
    free(exact);
}

static uint64_t fuzz_load(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = 8; i-- > 0;) x = x << 8 | p[i];
    return x;
}

static void fuzz_store(uint8_t *p, uint64_t x)
{
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(x >> (8 * i));
}

static uint64_t fuzz_mix(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

static uint64_t fuzz_sum(const uint8_t *p, size_t size, uint64_t seed) // of whole words
{
    uint64_t sum = fuzz_mix(size ^ ~seed), key = (seed + 1) * UINT64_C(0xd1342543de82ef95);
    for (; size; size -= 8, p += 8, key += UINT64_C(0x9e3779b97f4a7c15))
        sum += fuzz_mix(fuzz_load(p) ^ key);
    return sum;
}

// Its length and checksums put right, so that what they guard is reached.
static void fuzz_sealed(const uint8_t *data, size_t size)
{
    uint8_t *bytes = (uint8_t *)fuzz_new(size);
    size_t at = 96;
    memcpy(bytes, data, size);
    if (size >= 96) {
        fuzz_store(bytes + 80, size);
        fuzz_store(bytes + 88, fuzz_sum(bytes, 88, 0));
        while (size - at >= 128) {
            const uint64_t n = fuzz_load(bytes + at + 80);
            const uint64_t words = bytes[4] ? 13 * n - 24 : 5 * n;
            const uint64_t all = 128 + 4 * (words + words % 2);
            if (n > size || all > size - at) break;
            fuzz_store(bytes + at + all - 8, fuzz_sum(bytes + at, (size_t)all - 8, 1));
            at += (size_t)all;
        }
        fuzz_bytes(bytes, size);
    }
    free(bytes);
}

// Three bytes a triangle, then one a vertex of the torus.
static void fuzz_lists(const uint8_t *data, size_t size)
{
    const int torus = data[0] == 'T';
    const size_t bytes = size - 1, vertices = torus ? bytes / 7 : 0;
    const size_t triangles = (torus ? 2 * vertices : bytes / 3) & ~(size_t)1;
    const size_t n = torus ? vertices : triangles / 2 + 2;
    uint32_t *list = (uint32_t *)fuzz_new(12 * triangles), *slices = (uint32_t *)fuzz_new(4 * n);
    padic_cdt_plan_desc desc;
    padic_cdt_import_desc in;
    padic_cdt_check_report report;
    memset(&desc, 0, sizeof desc);
    memset(&in, 0, sizeof in);
    for (size_t i = 0; i < 3 * triangles; i++) list[i] = data[1 + i];
    for (size_t i = 0; i < vertices; i++) slices[i] = data[1 + 3 * triangles + i];
    desc.kind = torus ? PADIC_CDT_KIND_CAUSAL_TORUS : PADIC_CDT_KIND_EUCLID_SPHERE;
    desc.slices = 3;
    desc.target = 100;
    in.report = &report;
    in.triangles = padic_tensor_2d(PADIC_U32, list, triangles, 3);
    if (torus) in.slices = padic_tensor_1d(PADIC_U32, slices, n);
    FUZZ_CHECK(!padic_cdt_plan_create(context, &desc, &in.plan));
    const padic_result result = padic_cdt_import(context, &in);
    FUZZ_CHECK((result == PADIC_ERROR_CORRUPT) == (report.fault != PADIC_CDT_FAULT_NONE));
    fuzz_plan(in.plan);
    padic_cdt_plan_destroy(in.plan);
    free(list);
    free(slices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > 20000) return 0;
    fuzz_context();
    if (data[0] == 'P') {
        fuzz_bytes(data, size);
        fuzz_sealed(data, size);
    } else {
        fuzz_lists(data, size);
    }
    return 0;
}
