// test_gpu_cdt.c: chains in a buffer of a device: the bytes of a checkpoint are those of chains on
// the host, whatever the kind, the volume, the number of replicas, and how a run is divided.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"

#include "gpu_devices.h"
#include "../cdt/cdt_support.h"

static padic_cdt_plan_desc usual(int kind, int volume)
{
    padic_cdt_plan_desc desc = PADIC_ZERO;
    desc.kind = (padic_cdt_kind)kind;
    desc.volume = (padic_cdt_volume)volume;
    desc.replicas = 3;
    desc.slices = kind ? 0 : 5;
    desc.target = kind ? 96 : 144;
    desc.seed = 12345;
    desc.stream = 7;
    desc.epsilon = volume == PADIC_CDT_VOLUME_SQUARE ? 0.001 : 0.25;
    if (volume == PADIC_CDT_VOLUME_WINDOW) desc.window_min = 80, desc.window_max = 200;
    if (volume == PADIC_CDT_VOLUME_NONE) desc.lambda = 1.3, desc.target = 0, desc.capacity = 400;
    return desc;
}

// Devices, and helpers in host memory for what kernels do not do.
static padic_context *helped[MOST_DEVICES];

static void open_helped(void)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        if (!helped[d])
            helped[d] = open_one(d ? padic_opencl() : padic_native(), d ? NULL : &native_desc,
                                 PADIC_DEVICE_ALLOW_CPU, 0);
}

// A plan whose chains lie in a buffer, from byte 128 on.
static padic_cdt_plan *made_there(padic_context *context, const padic_cdt_plan_desc *desc,
                                  padic_buffer *buffer)
{
    const uint64_t bytes = padic_cdt_state_size_bound(desc);
    padic_cdt_plan_desc there = *desc;
    padic_buffer_desc memory = PADIC_ZERO;
    padic_cdt_plan *plan = NULL;
    memory.size = bytes + 192;
    CHECK_EQ(padic_buffer_create(context, &memory, buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(context, *buffer, 0, 0xa5a5a5a5u, memory.size), PADIC_OK);
    there.state = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, bytes), *buffer, 128);
    CHECK_EQ(padic_cdt_plan_create(context, &there, &plan), PADIC_OK);
    return plan;
}

static padic_cdt_plan *made_here(const padic_cdt_plan_desc *desc)
{
    padic_cdt_plan *plan = NULL;
    CHECK_EQ(padic_cdt_plan_create(NULL, desc, &plan), PADIC_OK);
    return plan;
}

static uint8_t *bytes_of(padic_context *context, const padic_cdt_plan *plan, uint64_t *size)
{
    padic_cdt_save_desc desc = PADIC_ZERO;
    uint8_t *bytes;
    *size = padic_cdt_save_size_bound(plan);
    bytes = (uint8_t *)malloc((size_t)*size);
    desc.plan = plan;
    desc.out = padic_bytes_out(bytes, *size);
    CHECK_EQ(padic_cdt_save(context, &desc), PADIC_OK);
    return bytes;
}

static int same(padic_context *context, const padic_cdt_plan *there, const padic_cdt_plan *here)
{
    uint64_t a_size, b_size;
    uint8_t *a = bytes_of(context, there, &a_size), *b = bytes_of(NULL, here, &b_size);
    const int equal = a_size == b_size && !memcmp(a, b, (size_t)a_size);
    free(a);
    free(b);
    return equal;
}

// Nothing outside the chains' memory was written.
static int kept(padic_context *context, padic_buffer buffer, uint64_t bytes)
{
    uint8_t before[128], after[64];
    int good = 1;
    CHECK_EQ(padic_buffer_download(context, buffer, 0, before, sizeof before), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, buffer, 128 + bytes, after, sizeof after), PADIC_OK);
    for (size_t i = 0; i < sizeof before; i++) good &= before[i] == 0xa5;
    for (size_t i = 0; i < sizeof after; i++) good &= after[i] == 0xa5;
    return good;
}

static void both(padic_context *context, padic_cdt_plan *there, padic_cdt_plan *here,
                 uint64_t attempts, uint64_t visits, uint64_t more)
{
    padic_cdt_run_desc desc = PADIC_ZERO;
    padic_cdt_run_report a, b;
    padic_result result;
    desc.attempts = attempts;
    desc.visits = visits;
    desc.attempts_more = more;
    desc.plan = here;
    desc.report = &a;
    result = padic_cdt_run(NULL, &desc);
    desc.plan = there;
    desc.report = &b;
    CHECK_EQ(padic_cdt_run(context, &desc), result);
    CHECK(!memcmp(&a, &b, sizeof a));
    CHECK(same(context, there, here));
}

TEST(same_bytes)
{
    open_helped();
    for (int d = 0; d < device_count; d++)
        for (int kind = 0; kind < 2; kind++)
            for (int volume = 0; volume < 4; volume++) {
                padic_context *const context = helped[d];
                const padic_cdt_plan_desc desc = usual(kind, volume);
                const uint64_t long_run = (uint64_t)test_amount(9000, 30000, 1000000);
                padic_buffer buffer;
                padic_cdt_plan *there = made_there(context, &desc, &buffer), *here;
                padic_op_stats stats;
                here = made_here(&desc);
                CHECK(same(context, there, here));
                CHECK_EQ(cdt_grow(context, there, 1000), cdt_grow(NULL, here, 1000));
                CHECK(same(context, there, here));
                both(context, there, here, 1, 0, 0);
                both(context, there, here, long_run, 0, 0); // more than a launch
                if (desc.target) {
                    both(context, there, here, 0, 5, 0);
                    both(context, there, here, 333, 2, 0);
                    both(context, there, here, 0, 1000000, 700); // not that often
                }
                CHECK(kept(context, buffer, padic_cdt_state_size_bound(&desc)));
                padic_context_op_stats(context, PADIC_OP_CDT_RUN, &stats);
                CHECK(!strcmp(stats.backend, d ? "opencl" : "native"));
                padic_cdt_plan_destroy(there);
                padic_cdt_plan_destroy(here);
                CHECK_EQ(padic_buffer_destroy(context, buffer), PADIC_OK);
            }
}

TEST(many) // replicas: more than a group has; laws of their own
{
    static double lambdas[100];
    static uint64_t targets[100];
    open_helped();
    for (int d = 0; d < device_count; d++)
        for (int kind = 0; kind < 2; kind++) {
            padic_context *const context = helped[d];
            padic_cdt_plan_desc desc = usual(kind, 0);
            padic_buffer buffer;
            padic_cdt_plan *there, *here;
            for (int i = 0; i < 100; i++) {
                lambdas[i] = 1.2 + 0.002 * i;
                targets[i] = 30 + 2 * (uint64_t)(i % 13);
            }
            desc.replicas = 100;
            desc.lambdas = padic_tensor_1d(PADIC_F64, lambdas, 100);
            desc.targets = padic_tensor_1d(PADIC_U64, targets, 100);
            desc.capacity = 50; // below some of the targets
            there = made_there(context, &desc, &buffer);
            here = made_here(&desc);
            CHECK_EQ(cdt_grow(context, there, 0), PADIC_ERROR_DOMAIN);
            CHECK_EQ(cdt_grow(NULL, here, 0), PADIC_ERROR_DOMAIN);
            CHECK(same(context, there, here));
            both(context, there, here, 500, 0, 0);
            padic_cdt_plan_destroy(there);
            padic_cdt_plan_destroy(here);
            CHECK_EQ(padic_buffer_destroy(context, buffer), PADIC_OK);
        }
}

TEST(others) // what the host does with chains that lie on a device
{
    open_helped();
    for (int d = 0; d < device_count; d++)
        for (int kind = 0; kind < 2; kind++) {
            padic_context *const context = helped[d];
            const padic_cdt_plan_desc desc = usual(kind, 0);
            padic_buffer buffer;
            padic_cdt_plan *there = made_there(context, &desc, &buffer), *here = made_here(&desc);
            padic_cdt_measure_desc measure = PADIC_ZERO;
            padic_cdt_check_desc check = PADIC_ZERO;
            padic_cdt_export_desc list = PADIC_ZERO;
            padic_cdt_import_desc back = PADIC_ZERO;
            static uint64_t got[2][3 * PADIC_CDT_COUNTS], order[2][3 * 20];
            static uint32_t profile[2][15], triangles[2][3 * 300], slices[2][150];
            uint64_t n;
            CHECK(!cdt_grow(context, there, 3000) && !cdt_grow(NULL, here, 3000));
            for (int i = 0; i < 2; i++) {
                measure.plan = list.plan = i ? here : there;
                measure.counts = padic_tensor_2d(PADIC_U64, got[i], 3, PADIC_CDT_COUNTS);
                measure.order = padic_tensor_2d(PADIC_U64, order[i], 3, 20);
                if (!kind) measure.profile = padic_tensor_2d(PADIC_U32, profile[i], 3, 5);
                CHECK_EQ(padic_cdt_measure(i ? NULL : context, &measure), PADIC_OK);
                n = got[i][PADIC_CDT_COUNTS + PADIC_CDT_COUNT_TRIANGLES];
                REQUIRE(n <= 300);
                list.replica = 1;
                list.triangles = padic_tensor_2d(PADIC_U32, triangles[i], n, 3);
                if (!kind) list.slices = padic_tensor_1d(PADIC_U32, slices[i], n / 2);
                CHECK_EQ(padic_cdt_export(i ? NULL : context, &list), PADIC_OK);
                back.plan = i ? here : there;
                back.replica = 2;
                back.triangles = list.triangles;
                back.slices = list.slices;
                CHECK_EQ(padic_cdt_import(i ? NULL : context, &back), PADIC_OK);
            }
            CHECK(!memcmp(got[0], got[1], sizeof got[0]));
            CHECK(!memcmp(order[0], order[1], sizeof order[0]));
            CHECK(!memcmp(profile[0], profile[1], sizeof profile[0]));
            CHECK(!memcmp(triangles[0], triangles[1], sizeof triangles[0]));
            CHECK(same(context, there, here));
            both(context, there, here, 1000, 0, 0);
            check.plan = there;
            CHECK_EQ(padic_cdt_check(context, &check), PADIC_OK);
            padic_cdt_plan_destroy(there);
            padic_cdt_plan_destroy(here);
            CHECK_EQ(padic_buffer_destroy(context, buffer), PADIC_OK);
        }
}

// Observables of a plan: each row, or all in one.
typedef struct seen {
    uint64_t counts[3 * PADIC_CDT_COUNTS], sum[3 * 5], product[3 * 25], order[3 * 40];
    uint32_t profile[3 * 5];
} seen;

static padic_result observe(padic_context *context, const padic_cdt_plan *plan, seen *to, int kind,
                            uint64_t rows, uint64_t bins, uint32_t accumulate, padic_buffer counts)
{
    padic_cdt_measure_desc desc = PADIC_ZERO;
    desc.plan = plan;
    desc.accumulate = accumulate;
    desc.counts = padic_tensor_2d(PADIC_U64, to->counts, rows, PADIC_CDT_COUNTS);
    if (counts.id) desc.counts = padic_tensor_in(desc.counts, counts, 3); // the others move there
    if (counts.id) desc.counts.data = NULL;
    desc.order = padic_tensor_2d(PADIC_U64, to->order, rows, bins);
    if (!kind) {
        desc.profile = padic_tensor_2d(PADIC_U32, to->profile, 3, 5);
        desc.profile_sum = padic_tensor_2d(PADIC_U64, to->sum, rows, 5);
        desc.profile_product = padic_tensor_3d(PADIC_U64, to->product, rows, 5, 5);
    }
    return padic_cdt_measure(context, &desc);
}

TEST(observed) // by kernels alone
{
    static const uint64_t bins[] = {1, 5, 40};
    open_helped();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 12; i++) {
            padic_context *const context = devices[d];
            const int kind = i % 2;
            const uint64_t rows = i % 4 < 2 ? 3 : 1;
            padic_cdt_plan_desc desc = usual(kind, i % 3 == 1 ? PADIC_CDT_VOLUME_SQUARE : 0);
            padic_buffer_desc memory = PADIC_ZERO;
            padic_buffer buffer, counts;
            padic_cdt_plan *there, *here;
            padic_cdt_measure_desc alone = PADIC_ZERO;
            static uint64_t zero[64];
            seen a, b;
            desc.capacity = i < 6 ? 0 : 20000; // more than a group's vertices
            if (i >= 6) desc.target = 12000;
            there = made_there(context, &desc, &buffer);
            here = made_here(&desc);
            memset(&a, 0, sizeof a);
            memset(&b, 0, sizeof b);
            memory.size = sizeof zero;
            memory.data = zero;
            CHECK_EQ(padic_buffer_create(context, &memory, &counts), PADIC_OK);
            CHECK(!cdt_grow(context, there, 1000) && !cdt_grow(NULL, here, 1000));
            for (uint32_t turn = 0; turn < 2; turn++) {
                const padic_buffer none = {0};
                CHECK(!observe(context, there, &a, kind, rows, bins[i % 3], turn, counts));
                CHECK(!observe(NULL, here, &b, kind, rows, bins[i % 3], turn, none));
                CHECK(!cdt_run(context, there, 500, 0) && !cdt_run(NULL, here, 500, 0));
            }
            CHECK_EQ(padic_buffer_download(context, counts, 24, a.counts,
                                           rows * PADIC_CDT_COUNTS * 8), PADIC_OK);
            CHECK(!memcmp(&a, &b, sizeof a));
            alone.plan = there;
            alone.counts = padic_tensor_2d(PADIC_U64, zero, rows, PADIC_CDT_COUNTS);
            CHECK_EQ(padic_cdt_measure(context, &alone), PADIC_OK); // nothing is there but words
            alone.plan = here;
            alone.counts.data = b.counts;
            CHECK(!padic_cdt_measure(NULL, &alone) && !memcmp(zero, b.counts, rows * 80));
            memset(zero, 0, sizeof zero);
            alone.plan = there;
            alone.shells = padic_tensor_2d(PADIC_U64, zero, rows, 4);
            CHECK_EQ(padic_cdt_measure(context, &alone), PADIC_ERROR_NOT_SUPPORTED); // strict
            padic_cdt_plan_destroy(there);
            padic_cdt_plan_destroy(here);
            CHECK_EQ(padic_buffer_destroy(context, buffer), PADIC_OK);
            CHECK_EQ(padic_buffer_destroy(context, counts), PADIC_OK);
        }
}

static int stop_at(uint64_t done, uint64_t total, void *user)
{
    (void)total;
    return done >= *(const uint64_t *)user;
}

TEST(refused)
{
    open_helped();
    for (int d = 0; d < device_count; d++) {
        padic_context *const context = helped[d];
        padic_cdt_plan_desc desc = usual(0, 0), there;
        const uint64_t bytes = padic_cdt_state_size_bound(&desc);
        padic_cdt_plan *plan, *strict;
        padic_buffer buffer, own;
        padic_record record;
        padic_cdt_plan *made = made_there(context, &desc, &buffer);
        there = desc;
        there.state = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, bytes), buffer, 128);
        CHECK_EQ(padic_cdt_plan_create(NULL, &there, &plan), PADIC_ERROR_ARGUMENT);
        there.state.offset = 100;
        CHECK_EQ(padic_cdt_plan_create(context, &there, &plan), PADIC_ERROR_ALIGNMENT);
        there.state.offset = 256;
        CHECK_EQ(padic_cdt_plan_create(context, &there, &plan), PADIC_ERROR_REGION);
        there.state.offset = 0;
        there.state.shape[0] = bytes - 1;
        CHECK_EQ(padic_cdt_plan_create(context, &there, &plan), PADIC_ERROR_CAPACITY);
        there.state.shape[0] = bytes;
        there.state.dtype = PADIC_U32;
        CHECK_EQ(padic_cdt_plan_create(context, &there, &plan), PADIC_ERROR_ARGUMENT);
        CHECK(!plan);
        CHECK_EQ(cdt_run(NULL, made, 10, 0), PADIC_ERROR_ARGUMENT); // not without the context
        CHECK_EQ(padic_record_begin(context), PADIC_OK);
        CHECK(cdt_run(context, made, 10, 0) != PADIC_OK);
        (void)padic_record_end(context, &record);
        CHECK_EQ(padic_buffer_destroy(context, buffer), PADIC_OK);
        CHECK_EQ(cdt_run(context, made, 10, 0), PADIC_ERROR_ARGUMENT); // its memory is gone
        padic_cdt_plan_destroy(made);
        strict = made_there(devices[d], &desc, &own); // kernels alone
        CHECK_EQ(cdt_grow(devices[d], strict, 100), PADIC_OK);
        CHECK_EQ(cdt_run(devices[d], strict, 100, 1), PADIC_OK);
        padic_cdt_plan_destroy(strict);
        CHECK_EQ(padic_buffer_destroy(devices[d], own), PADIC_OK);
    }
}

TEST(cancelled) // between launches: the plan is good, and goes on
{
    padic_context_desc with = PADIC_ZERO;
    padic_context *context;
    padic_cdt_plan_desc desc = usual(0, 0);
    padic_cdt_plan *there, *here;
    padic_cdt_run_desc run = PADIC_ZERO;
    padic_cdt_run_report report;
    padic_buffer buffer;
    uint64_t limit = 20000;
    open_helped();
    with.backends[0] = padic_native();
    with.backends[1] = padic_native();
    with.device.native_context = &native_desc;
    with.progress.step = stop_at;
    with.progress.user = &limit;
    if (padic_context_create(&with, &context)) {
        SKIP("no native device");
    }
    there = made_there(context, &desc, &buffer);
    here = made_here(&desc);
    run.plan = there;
    run.attempts = 40000;
    run.report = &report;
    CHECK_EQ(padic_cdt_run(context, &run), PADIC_ERROR_CANCELLED);
    limit = UINT64_MAX;
    run.plan = here;
    run.attempts = (report.attempts[0] + report.attempts[1] + report.attempts[2]) / 3;
    CHECK(run.attempts > 0 && run.attempts < 40000);
    CHECK_EQ(padic_cdt_run(NULL, &run), PADIC_OK);
    CHECK(same(context, there, here));
    both(context, there, here, 9000, 1, 0);
    padic_cdt_plan_destroy(there);
    padic_cdt_plan_destroy(here);
    padic_context_destroy(context);
}

TEST(ends)
{
    for (int d = 0; d < device_count; d++) padic_context_destroy(helped[d]);
}

TEST_MAIN("gpu_cdt", CASE(same_bytes), CASE(many), CASE(others), CASE(observed),
          CASE(refused), CASE(cancelled),
          CASE(ends), CASE(no_kernel_was_dropped))
