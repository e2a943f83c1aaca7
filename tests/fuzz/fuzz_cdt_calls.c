// fuzz_cdt_calls.c: calls of cdt that are legal or nearly so, chosen by the bytes: ensembles,
// capacities, weights, volumes, arrays for observables, series, lists with mistakes. After each the
// triangulations are sound. See fuzz_views.h.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "fuzz.h"
#include "fuzz_views.h"

static padic_cdt_plan *plan;
static padic_cdt_plan_desc plan_desc; // as padic_cdt_plan_info() says

static uint64_t odd_size(void) // mostly few
{
    static const uint64_t huge[] = {0, UINT64_MAX, UINT64_MAX / 2 + 1, (uint64_t)1 << 32,
                                    ((uint64_t)1 << 28) + 2, 1000000};
    return next(16) ? next(64) * 2 : huge[next(6)];
}

static double odd_double(void)
{
    static const double odd[] = {-1, 17, 1e300, -1e-300, 0.693147, 0.6931471805599453, 16, 0};
    double x;
    if (next(2)) return odd[next(8)];
    uint64_t bits = (uint64_t)next(256) << 56 | (uint64_t)next(256) << 48 | next(256);
    return memcpy(&x, &bits, sizeof x), x;
}

static void describe(padic_cdt_plan_desc *d)
{
    memset(d, 0, sizeof *d);
    mistakes++; // most fields may not fit each other
    d->kind = (padic_cdt_kind)enumerated(2);
    d->volume = next(2) ? (padic_cdt_volume)0 : (padic_cdt_volume)enumerated(4);
    d->replicas = next(3) ? 0 : odd_size() / 8;
    if (next(2)) d->slices = next(8) ? 1 + next(9) : (uint32_t)odd_size();
    if (!next(3)) d->min_length = next(8) ? 1 + next(4) : (uint32_t)odd_size();
    d->target = next(2) ? 2 * (uint64_t)next(200) : odd_size();
    if (!next(4)) d->lambda = next(2) ? 1 : odd_double();
    if (!next(4)) d->epsilon = next(2) ? 0.1 : odd_double();
    if (d->volume == PADIC_CDT_VOLUME_WINDOW || !next(12)) {
        d->window_min = next(2) ? 2 * (uint64_t)next(60) : odd_size();
        d->window_max = next(2) ? d->window_min + 2 * (uint64_t)next(60) : odd_size();
    }
    if (d->volume == PADIC_CDT_VOLUME_NONE && next(4)) d->lambda = 1.3;
    if (!next(4)) {
        d->weight_flip = next(8) ? next(9) : (uint32_t)odd_size();
        d->weight_insert = next(8) ? next(9) : (uint32_t)odd_size();
        d->weight_delete = next(8) ? next(9) : (uint32_t)odd_size();
    }
    d->seed = next(256);
    d->stream = next(8) ? next(9) : UINT32_MAX - next(9);
    if (!next(4)) d->capacity = odd_size();
    const uint64_t few = d->replicas ? d->replicas : 1;
    if (!next(6) && few < 1000) d->lambdas = view_1(PADIC_F64, few);
    if (!next(6) && few < 1000) d->targets = view_1(PADIC_U64, few);
    for (int i = 0; i < 2; i++) { // sensible values, more often than not
        const padic_tensor *t = i ? &d->targets : &d->lambdas;
        uint64_t lead, n = view_size(t, &lead);
        if (!t->data || !next(3) || n == UINT64_MAX || n % 8 || (uintptr_t)t->data % 8) continue;
        for (n /= 8; !lead && n > 0; n--) {
            const double lambda = 0.7 + 0.01 * next(50);
            const uint64_t target = 100 + 2 * (uint64_t)next(100);
            memcpy((char *)t->data + 8 * (n - 1), i ? (const void *)&target : (const void *)&lambda,
                   8);
        }
    }
}

static void check_all(void)
{
    padic_cdt_check_desc d;
    memset(&d, 0, sizeof d);
    d.plan = plan;
    FUZZ_CHECK(!padic_cdt_check(NULL, &d));
}

static void call_run(padic_context *context)
{
    padic_cdt_run_desc d;
    padic_cdt_run_report report;
    memset(&d, 0, sizeof d);
    d.plan = plan;
    d.attempts = next(4) * (uint64_t)next(200);
    d.visits = next(3) ? 0 : next(9);
    d.attempts_more = 1 + next(200);
    if (next(2)) d.report = &report;
    if (d.visits) mistakes++; // LIMIT
    blocks_keep();
    fuzz_after(context, padic_cdt_run(context, &d));
}

static void call_grow(padic_context *context)
{
    padic_cdt_grow_desc d;
    memset(&d, 0, sizeof d);
    d.plan = plan;
    d.discard = next(2) ? UINT64_MAX : 1 + next(200);
    mistakes++; // DOMAIN: the capacity
    blocks_keep();
    fuzz_after(context, padic_cdt_grow(context, &d));
}

static padic_tensor rows_of(padic_dtype dtype, uint32_t rank, uint64_t n, uint64_t m)
{
    uint64_t shape[3];
    shape[0] = next(2) ? 1 : plan_desc.replicas;
    shape[1] = n, shape[2] = m;
    if (dtype == PADIC_U32) shape[0] = plan_desc.replicas;
    return view(dtype, rank, shape);
}

static void call_measure(padic_context *context)
{
    padic_cdt_measure_desc d;
    memset(&d, 0, sizeof d);
    d.plan = plan;
    d.accumulate = next(3) ? 0u : next(8) ? 1u : (mistakes++, 2u);
    d.graph = (padic_cdt_graph)enumerated(2);
    d.roots = next(4) ? next(5) : UINT64_MAX;
    const int torus = plan_desc.kind == PADIC_CDT_KIND_CAUSAL_TORUS || !next(20);
    const uint64_t t = torus ? plan_desc.slices : 3;
    mistakes++; // sizes of 0, tori for spheres, strides
    if (next(2)) d.counts = rows_of(PADIC_U64, 2, PADIC_CDT_COUNTS, 0);
    if (torus && !next(3)) d.profile = rows_of(PADIC_U32, 2, t, 0);
    if (torus && !next(3)) d.profile_sum = rows_of(PADIC_U64, 2, t, 0);
    if (torus && !next(3)) d.profile_product = rows_of(PADIC_U64, 3, t, t);
    if (!next(3)) d.order = rows_of(PADIC_U64, 2, next(20), 0);
    if (!next(3)) d.shells = rows_of(PADIC_U64, 2, next(20), 0);
    if (!next(3)) d.returns = rows_of(PADIC_F64, 2, next(20), 0);
    d.workspace = workspace_of(padic_cdt_measure_workspace(plan));
    blocks_keep();
    fuzz_after(context, padic_cdt_measure(context, &d));
}

static void call_save(padic_context *context)
{
    padic_cdt_save_desc d;
    padic_cdt_save_report report;
    padic_cdt_load_desc load;
    padic_cdt_plan *again = NULL;
    const uint64_t size = padic_cdt_save_size_bound(plan), lacks = next(8) ? 0 : 1 + next(200);
    memset(&d, 0, sizeof d);
    memset(&load, 0, sizeof load);
    if (lacks > size || size > 1 << 20) return;
    if (lacks) mistakes++;
    d.plan = plan;
    d.out = padic_bytes_out(block_new((size_t)(size - lacks)), size - lacks);
    d.report = next(2) ? &report : NULL;
    blocks_keep();
    const padic_result result = padic_cdt_save(context, &d);
    fuzz_after(context, result);
    if (d.report) FUZZ_CHECK(report.size == size);
    if (result) return;
    load.bytes = padic_bytes_in(d.out.data, size);
    load.memory_limit = next(4) ? UINT64_MAX : (mistakes++, next(200) * 64);
    blocks_keep();
    fuzz_after(context, padic_cdt_load(context, &load, &again));
    padic_cdt_plan_destroy(again);
}

static void call_lists(padic_context *context)
{
    padic_cdt_measure_desc m;
    padic_cdt_export_desc out;
    padic_cdt_import_desc in;
    padic_cdt_check_report report;
    memset(&m, 0, sizeof m);
    memset(&out, 0, sizeof out);
    memset(&in, 0, sizeof in);
    uint64_t *counts = (uint64_t *)block_new((size_t)plan_desc.replicas * PADIC_CDT_COUNTS * 8);
    m.plan = plan;
    m.counts = padic_tensor_2d(PADIC_U64, counts, plan_desc.replicas, PADIC_CDT_COUNTS);
    FUZZ_CHECK(!padic_cdt_measure(NULL, &m));
    out.plan = in.plan = plan;
    out.replica = next(30) ? 0 : (mistakes++, odd_size());
    const uint64_t n2 = counts[PADIC_CDT_COUNT_TRIANGLES], n0 = counts[PADIC_CDT_COUNT_VERTICES];
    if (n2 > 5000) return;
    const int torus = plan_desc.kind == PADIC_CDT_KIND_CAUSAL_TORUS;
    mistakes++; // strides
    out.triangles = view_2(PADIC_U32, n2, 3);
    if (torus && next(4)) out.slices = view_1(PADIC_U32, n0);
    blocks_keep();
    const padic_result result = padic_cdt_export(context, &out);
    fuzz_after(context, result);
    if (result || out.replica) return;
    in.triangles = out.triangles;
    in.slices = out.slices;
    in.report = &report;
    uint32_t *list = (uint32_t *)out.triangles.data;
    for (uint32_t n = next(4); n > 0; n--) {
        uint32_t *p = list + (next(256) * 256u + next(256)) % (3 * n2);
        *p = next(4) ? next((uint32_t)(n0 < 250 ? n0 + 2 : 250)) : UINT32_MAX - next(3);
    }
    blocks_keep();
    fuzz_after(context, padic_cdt_import(context, &in));
}

static void call_series(padic_context *context)
{
    padic_cdt_estimate_desc e;
    padic_cdt_estimate_report report;
    padic_cdt_dimension_desc d;
    const uint64_t n = next(40), curves = next(5);
    memset(&e, 0, sizeof e);
    memset(&d, 0, sizeof d);
    mistakes++;
    e.series = view_1(PADIC_F64, n);
    e.blocks = next(4) ? next(50) : odd_size();
    e.statistic = (padic_cdt_statistic)enumerated(2);
    e.report = next(8) ? &report : NULL;
    blocks_keep();
    fuzz_after(context, padic_cdt_estimate(context, &e));
    d.curves = view_2(PADIC_F64, curves, n);
    d.slope = (padic_cdt_slope)enumerated(2);
    d.reach = next(4) ? next(12) : odd_size();
    d.out = view_1(PADIC_F64, n);
    if (next(2)) d.error = view_1(PADIC_F64, n);
    blocks_keep();
    fuzz_after(context, padic_cdt_dimension(context, &d));
}

static void call_plan(padic_context *context)
{
    padic_cdt_plan_desc d;
    padic_cdt_plan_report report;
    describe(&d);
    const uint64_t size = padic_cdt_plan_size_bound(&d);
    if (size > 1 << 18) { // legal, but large: only asked
        blocks_free();
        return;
    }
    if (next(3)) d.workspace = workspace_of(size);
    if (!next(3)) {
        d.state = workspace_of(padic_cdt_state_size_bound(&d));
        if (d.workspace.data) d.workspace = workspace_of(padic_cdt_plan_size_bound(&d));
    }
    blocks_keep();
    const padic_result result = padic_cdt_plan_create(context, &d, &plan);
    fuzz_after(context, result);
    FUZZ_CHECK(!result == !!plan && (result || size));
    if (!plan) return;
    FUZZ_CHECK(!padic_cdt_plan_info(plan, &report));
    plan_desc = report.desc;
    FUZZ_CHECK(report.size <= size);
    for (uint32_t i = 1 + next(5); i > 0; i--) {
        padic_context *other = any_context();
        mistakes = 0;
        if (block_count > FUZZ_BLOCKS - 40) break;
        switch (next(6)) {
        case 0: call_grow(other); break;
        case 1: call_run(other); break;
        case 2: call_measure(other); break;
        case 3: call_save(other); break;
        case 4: call_lists(other); break;
        default: call_series(other); break;
        }
        check_all();
    }
    padic_cdt_plan_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_begin();
    at = data, end = data + size;
    for (int calls = 0; at < end && calls < 20; calls++) {
        const uint64_t before = memory.bytes;
        mistakes = 0;
        call_plan(any_context());
        blocks_free();
        FUZZ_CHECK(memory.bytes == before || memory.bytes <= 1 << 20);
    }
    return 0;
}
