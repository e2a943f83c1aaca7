// Recordings and modes: what is replayed equals what is launched, bit for bit; what cannot be
// recorded is refused before the driver sees it; a broken recording leaves nothing behind; buffers
// that go; repeated calls in every mode, proved by the counters.
#define PADIC_IMPLEMENT_NULL
#define PADIC_IMPLEMENT_GPU
#define PADIC_IMPLEMENT_OPENCL
#define PADIC_IMPLEMENT_CUDA
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_cuda.h"
#include "../../backends/padic_opencl.h"
#include "../native/padic_native.h"
#include "../support/padic_test.h"
#include "../support/op_stats.h"

// ---------------------------------------------------------------------------------- test doubles

// The null backend with a tape of its own: while it records, copies, fills and launches go there.
// Its device is the null backend's, so the tape lies here: one device at a time.
typedef struct tape_call {
    int kind;
    padic_launch launch;
    uint32_t params[64];
    padic_mem mem, from;
    uint64_t at, from_at, size;
    uint32_t word;
} tape_call;

struct padic_recording {
    tape_call calls[64];
    uint32_t count;
};

static struct {
    padic_recording *open;
    int live, begins, ends, replays, fail_begin, fail_end;
    int foreign; // calls while recording that a capture does not survive
} tape;

static padic_result tape_record(padic_device *device, int action, padic_recording **recording)
{
    (void)device;
    if (action == PADIC_RECORD_BEGIN) {
        tape.begins++;
        if (tape.fail_begin) return (padic_result)tape.fail_begin;
        tape.open = (padic_recording *)calloc(1, sizeof *tape.open);
        tape.live++;
        return PADIC_OK;
    }
    if (action == PADIC_RECORD_END) {
        *recording = tape.open;
        tape.open = NULL;
        tape.ends++;
        if (!tape.fail_end) return PADIC_OK;
        free(*recording);
        *recording = NULL;
        tape.live--;
        return (padic_result)tape.fail_end;
    }
    padic_recording *r = *recording ? *recording : tape.open;
    if (!*recording) tape.open = NULL;
    free(r);
    tape.live--;
    *recording = NULL;
    return PADIC_OK;
}

static padic_result tape_launch(padic_device *device, const padic_launch *launch)
{
    if (!tape.open) return padici_null_launch(device, launch);
    tape_call *c = &tape.open->calls[tape.open->count++];
    c->kind = 1;
    c->launch = *launch;
    memcpy(c->params, launch->params, launch->params_size);
    return PADIC_OK;
}

static padic_result tape_copy(padic_device *device, padic_mem to, uint64_t at, padic_mem from,
                              uint64_t from_at, uint64_t size)
{
    if (!tape.open) return padici_null_copy(device, to, at, from, from_at, size);
    tape_call *c = &tape.open->calls[tape.open->count++];
    c->kind = 2;
    c->mem = to;
    c->at = at;
    c->from = from;
    c->from_at = from_at;
    c->size = size;
    return PADIC_OK;
}

static padic_result tape_fill(padic_device *device, padic_mem mem, uint64_t at, uint32_t word,
                              uint64_t size)
{
    if (!tape.open) return padici_null_fill(device, mem, at, word, size);
    tape_call *c = &tape.open->calls[tape.open->count++];
    c->kind = 3;
    c->mem = mem;
    c->at = at;
    c->word = word;
    c->size = size;
    return PADIC_OK;
}

static padic_result tape_replay(padic_device *device, padic_recording *r, uint32_t times)
{
    padic_result result = PADIC_OK;
    tape.replays++;
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < r->count && !result; i++) {
            tape_call *c = &r->calls[i];
            c->launch.params = c->params;
            if (c->kind == 1) result = padici_null_launch(device, &c->launch);
            if (c->kind == 2)
                result = padici_null_copy(device, c->mem, c->at, c->from, c->from_at, c->size);
            if (c->kind == 3) result = padici_null_fill(device, c->mem, c->at, c->word, c->size);
        }
    return result;
}

static padic_result tape_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    tape.foreign += tape.open != NULL;
    return padici_null_alloc(device, size, out);
}
static void tape_free(padic_device *device, padic_mem mem, uint64_t size)
{
    tape.foreign += tape.open != NULL;
    padici_null_free(device, mem, size);
}
static padic_result tape_upload(padic_device *device, padic_mem mem, uint64_t at, const void *from,
                                uint64_t size)
{
    tape.foreign += tape.open != NULL;
    return padici_null_upload(device, mem, at, from, size);
}
static padic_result tape_download(padic_device *device, padic_mem mem, uint64_t at, void *to,
                                  uint64_t size)
{
    tape.foreign += tape.open != NULL;
    return padici_null_download(device, mem, at, to, size);
}
static padic_result tape_program(padic_device *device, const padic_program_desc *desc,
                                 padic_program **out)
{
    tape.foreign += tape.open != NULL;
    return padici_null_build(device, desc, out);
}
static padic_result tape_sync(padic_device *device)
{
    tape.foreign += tape.open != NULL;
    return padici_null_sync(device);
}

static padic_backend tape_backend(void)
{
    padic_backend b = *padic_null();
    memset(&tape, 0, sizeof tape);
    b.name = "tape";
    b.alloc = tape_alloc;
    b.free = tape_free;
    b.upload = tape_upload;
    b.download = tape_download;
    b.program = tape_program;
    b.launch = tape_launch;
    b.copy = tape_copy;
    b.fill = tape_fill;
    b.sync = tape_sync;
    b.record = tape_record;
    b.replay = tape_replay;
    return b;
}

// A context with three buffers of 256 words on a device: by the tape, or by the context's list.
typedef struct stage {
    padic_backend backend;
    padic_null_desc null;
    padic_context *context;
    padic_buffer a, b, c;
    uint32_t sum; // of the launches seen
    int errors;   // logged
} stage;

static void stage_launch(const padic_launch *launch, void *user)
{
    stage *s = (stage *)user;
    uint32_t param;
    memcpy(&param, launch->params, sizeof param);
    s->sum = s->sum * 31 + param + launch->groups[0] * 7 + launch->kernel;
}

static void stage_log(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)text;
    ((stage *)user)->errors += level == PADIC_LOG_ERROR;
}

static padic_buffer new_buffer(padic_context *context, uint64_t size)
{
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = PADIC_ZERO;
    desc.size = size;
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    return buffer;
}

static int stage_begin(stage *s, int own, padic_mode mode)
{
    padic_context_desc desc = PADIC_ZERO;
    memset(s, 0, sizeof *s);
    s->backend = tape_backend();
    if (!own) s->backend.record = NULL;
    s->null.on_launch = stage_launch;
    s->null.user = s;
    desc.backends[0] = &s->backend;
    desc.device.native_context = &s->null;
    desc.log.write = stage_log;
    desc.log.user = s;
    desc.mode = mode;
    if (padic_context_create(&desc, &s->context)) return 0;
    s->a = new_buffer(s->context, 1024);
    s->b = new_buffer(s->context, 1024);
    s->c = new_buffer(s->context, 1024);
    return s->a.id && s->b.id && s->c.id;
}

static void stage_end(stage *s)
{
    padic_context_destroy(s->context);
    CHECK_EQ(s->null.live, 0);
    CHECK_EQ(tape.live, 0);
    CHECK_EQ(tape.foreign, 0);
}

static padic_stats stats_of(const padic_context *context)
{
    padic_stats stats;
    padic_context_stats(context, &stats);
    return stats;
}

static uint32_t word_of(stage *s, padic_buffer buffer, uint32_t i)
{
    uint32_t word = 0;
    CHECK_EQ(padic_buffer_download(s->context, buffer, 4 * i, &word, 4), PADIC_OK);
    return word;
}

// A launch on the first device, as drivers make them.
static padic_result launch_once(stage *s, uint32_t param)
{
    padici_target *target = &s->context->targets[0];
    padic_launch launch = PADIC_ZERO;
    uint32_t params[3];
    params[0] = params[1] = params[2] = param;
    launch.kernel = 5;
    launch.params = params;
    launch.params_size = sizeof params;
    launch.group = 128;
    launch.groups[0] = launch.groups[1] = launch.groups[2] = 3;
    return padici_target_launch(s->context, target, &launch);
}

// A step whose effect depends on its order: b = a shifted by a word, launches, c = b, part filled.
static padic_result step(stage *s)
{
    padic_copy_desc copy = PADIC_ZERO;
    padic_result result = padic_buffer_copy(s->context, s->b, 4, s->a, 0, 1020);
    if (!result) result = launch_once(s, 17);
    copy.from = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 256), s->b, 0);
    copy.to = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 256), s->a, 0);
    if (!result) result = padic_copy(s->context, &copy);
    if (!result) result = padic_buffer_fill(s->context, s->a, 40, 0xabcdu, 8);
    return result ? result : launch_once(s, 18);
}

static void first_contents(stage *s)
{
    uint32_t words[256];
    for (uint32_t i = 0; i < 256; i++) words[i] = i * 2654435761u;
    CHECK_EQ(padic_buffer_upload(s->context, s->a, 0, words, sizeof words), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(s->context, s->b, 0, 9, 1024), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(s->context, s->c, 0, 8, 1024), PADIC_OK);
    s->sum = 0;
}

// ------------------------------------------------------------------------------------- recordings

TEST(replay_equals_launches)
{
    for (int own = 0; own < 2; own++)
        for (uint32_t times = 0; times < 4; times++) {
            unsigned char plain[2][1024], replayed[2][1024];
            padic_record record;
            stage s;
            REQUIRE(stage_begin(&s, own, PADIC_MODE_OFF));
            first_contents(&s);
            for (uint32_t t = 0; t < times; t++) CHECK_EQ(step(&s), PADIC_OK);
            padic_buffer_download(s.context, s.a, 0, plain[0], 1024);
            padic_buffer_download(s.context, s.b, 0, plain[1], 1024);
            const uint32_t sum = s.sum;

            first_contents(&s);
            const padic_stats before = stats_of(s.context);
            const uint64_t calls = s.null.calls;
            CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
            CHECK_EQ(step(&s), PADIC_OK);
            CHECK_EQ(s.null.calls, calls); // nothing has reached the device
            CHECK_EQ(padic_record_end(s.context, &record), PADIC_OK);
            CHECK_EQ(s.sum, 0);
            CHECK_EQ(padic_record_replay(s.context, record, times), PADIC_OK);
            const padic_stats after = stats_of(s.context);
            CHECK_EQ(after.recorded_nodes - before.recorded_nodes, 5);
            CHECK_EQ(after.replays - before.replays, times);
            CHECK_EQ(after.launches, before.launches); // none one by one
            CHECK_EQ(after.copies, before.copies);
            CHECK_EQ(after.fills, before.fills);
            CHECK_EQ(tape.replays, own && times);
            padic_buffer_download(s.context, s.a, 0, replayed[0], 1024);
            padic_buffer_download(s.context, s.b, 0, replayed[1], 1024);
            CHECK(!memcmp(plain, replayed, sizeof plain));
            CHECK_EQ(s.sum, sum);
            CHECK_EQ(padic_record_drop(s.context, record), PADIC_OK);
            CHECK_EQ(padic_record_drop(s.context, record), PADIC_ERROR_ARGUMENT);
            CHECK_EQ(padic_record_replay(s.context, record, 1), PADIC_ERROR_ARGUMENT);
            stage_end(&s);
        }
}

TEST(refused_calls)
{
    static const char *const build_defines[] = {"PD_WG=64"};
    for (int own = 0; own < 2; own++) {
        padic_record record, other;
        padic_buffer_desc desc = PADIC_ZERO;
        padic_buffer buffer;
        padic_program_desc program = PADIC_ZERO;
        const padici_shape shape = {64, 1, 8};
        padici_program built;
        padic_random_fill_desc random = PADIC_ZERO;
        padic_copy_desc copy = PADIC_ZERO;
        uint32_t words[256];
        stage s;
        REQUIRE(stage_begin(&s, own, PADIC_MODE_DEFAULT));
        first_contents(&s);
        desc.size = 64;
        program.defines = build_defines;
        program.define_count = 1;
        const uint64_t calls = s.null.calls;
        CHECK_EQ(padic_record_end(s.context, &record), PADIC_ERROR_ARGUMENT); // none begun
        CHECK_EQ(padic_record_begin(NULL), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_record_end(NULL, &record), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(padic_record_begin(s.context), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_buffer_create(s.context, &desc, &buffer), PADIC_ERROR_ARGUMENT);
        CHECK(strstr(padic_context_message(s.context), "record") != NULL);
        CHECK_EQ(padic_buffer_destroy(s.context, s.a), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_buffer_upload(s.context, s.a, 0, words, 1024), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_buffer_download(s.context, s.a, 0, words, 1024), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_context_sync(s.context), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_buffer_copy(s.context, s.a, 4, s.a, 0, 8), PADIC_ERROR_OVERLAP);
        CHECK_EQ(padic_context_set_mode(s.context, PADIC_MODE_OFF), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padici_program_build(s.context, &program, 1, &shape, &built),
                 PADIC_ERROR_ARGUMENT);
        padic_context_trim(s.context, 1);
        CHECK_EQ(step(&s), PADIC_OK); // the recording is none the worse
        CHECK_EQ(s.null.calls, calls);
        CHECK_EQ(padic_record_end(s.context, &record), PADIC_OK);
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(padic_record_replay(s.context, record, 1), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_record_drop(s.context, record), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_record_end(s.context, NULL), PADIC_OK); // thrown away
        CHECK_EQ(padic_record_replay(s.context, record, 1), PADIC_OK);

        // Operations that would need the host, or the CPU, break it.
        copy.from = padic_tensor_1d(PADIC_U32, words, 256);
        copy.to = padic_tensor_in(copy.from, s.a, 0);
        copy.to.data = NULL;
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(padic_copy(s.context, &copy), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(step(&s), PADIC_OK);
        CHECK_EQ(padic_record_end(s.context, &other), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(other.id, 0);
        random.tensor = copy.to;
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK(padic_random_fill(s.context, &random) != PADIC_OK);
        CHECK(padic_record_end(s.context, &other) != PADIC_OK);
        CHECK_EQ(padic_record_replay(s.context, record, 1), PADIC_OK); // the first still works
        stage_end(&s);
    }
    padic_context *cpu;
    CHECK_EQ(padic_context_create(NULL, &cpu), PADIC_OK);
    CHECK_EQ(padic_record_begin(cpu), PADIC_ERROR_NOT_SUPPORTED);
    padic_context_destroy(cpu);
}

TEST(scratch_stays_with_the_recording)
{
    for (int own = 0; own < 2; own++) {
        padici_pool *pool;
        padic_record record;
        uint32_t first, second, third, later;
        stage s;
        REQUIRE(stage_begin(&s, own, PADIC_MODE_DEFAULT));
        pool = &s.context->pools[0];
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(padici_pool_take(s.context, pool, 5000, &first), PADIC_ERROR_ARGUMENT); // cold
        CHECK_EQ(padic_record_end(s.context, &record), PADIC_OK); // a refusal breaks nothing
        CHECK_EQ(padic_record_drop(s.context, record), PADIC_OK);
        CHECK_EQ(padici_pool_take(s.context, pool, 5000, &first), PADIC_OK);
        padici_pool_give(s.context, pool, first);
        const padic_stats before = stats_of(s.context);
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(padici_pool_take(s.context, pool, 5000, &second), PADIC_OK);
        CHECK_EQ(second, first);
        padici_pool_give(s.context, pool, second);
        CHECK_EQ(padici_pool_take(s.context, pool, 5000, &third), PADIC_OK); // again, in order
        CHECK_EQ(third, first);
        padici_pool_give(s.context, pool, third);
        CHECK_EQ(launch_once(&s, 1), PADIC_OK);
        CHECK_EQ(padic_record_end(s.context, &record), PADIC_OK);
        CHECK_EQ(stats_of(s.context).device_allocations, before.device_allocations);
        CHECK_EQ(padici_pool_take(s.context, pool, 5000, &later), PADIC_OK);
        CHECK(later != first); // it is the recording's
        padic_context_trim(s.context, 1);
        padici_pool_give(s.context, pool, later);
        CHECK_EQ(padic_record_drop(s.context, record), PADIC_OK);
        CHECK_EQ(stats_of(s.context).pool_live, before.pool_live);
        stage_end(&s);
    }
}

TEST(buffers_that_go)
{
    for (int own = 0; own < 2; own++) {
        padic_record with_c, without_c;
        stage s;
        REQUIRE(stage_begin(&s, own, PADIC_MODE_DEFAULT));
        first_contents(&s);
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(padic_buffer_copy(s.context, s.c, 0, s.a, 0, 8), PADIC_OK);
        CHECK_EQ(padic_buffer_copy(s.context, s.c, 8, s.a, 8, 8), PADIC_OK);
        CHECK_EQ(padic_record_end(s.context, &with_c), PADIC_OK);
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(padic_buffer_fill(s.context, s.b, 0, 77, 8), PADIC_OK);
        CHECK_EQ(padic_record_end(s.context, &without_c), PADIC_OK);
        CHECK_EQ(padic_record_replay(s.context, with_c, 1), PADIC_OK);
        CHECK_EQ(padic_buffer_destroy(s.context, s.c), PADIC_OK);
        const padic_buffer heir = new_buffer(s.context, 1024); // in the same memory
        CHECK_EQ(padic_buffer_fill(s.context, heir, 0, 5, 1024), PADIC_OK);
        CHECK_EQ(padic_record_replay(s.context, with_c, 1), PADIC_ERROR_ARGUMENT);
        CHECK(strstr(padic_context_message(s.context), "destroyed") != NULL);
        CHECK_EQ(word_of(&s, heir, 0), 5);
        CHECK_EQ(padic_record_replay(s.context, without_c, 1), PADIC_OK);
        CHECK_EQ(word_of(&s, s.b, 0), 77);
        CHECK_EQ(padic_record_drop(s.context, with_c), PADIC_OK);
        stage_end(&s); // with `without_c` alive
    }
}

TEST(broken_capture_recovers)
{
    padic_record record;
    stage s;
    for (int own = 0; own < 2; own++) {
        REQUIRE(stage_begin(&s, own, PADIC_MODE_DEFAULT));
        first_contents(&s);
        if (own) { // the driver refuses to begin, for good or so that the list is used
            tape.fail_begin = PADIC_ERROR_DEVICE;
            CHECK_EQ(padic_record_begin(s.context), PADIC_ERROR_DEVICE);
            CHECK_EQ(padic_record_end(s.context, &record), PADIC_ERROR_ARGUMENT);
            tape.fail_begin = PADIC_ERROR_NOT_SUPPORTED;
            CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
            CHECK_EQ(step(&s), PADIC_OK);
            CHECK_EQ(padic_record_end(s.context, &record), PADIC_OK);
            CHECK_EQ(padic_record_replay(s.context, record, 1), PADIC_OK);
            CHECK_EQ(tape.replays, 0);
            tape.fail_begin = 0;
            tape.fail_end = PADIC_ERROR_DEVICE; // or to end
            CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
            CHECK_EQ(step(&s), PADIC_OK);
            CHECK_EQ(padic_record_end(s.context, &record), PADIC_ERROR_DEVICE);
            CHECK_EQ(record.id, 0);
            tape.fail_end = 0;
        }
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK); // a call fails inside
        CHECK_EQ(step(&s), PADIC_OK);
        (void)padici_target_end(s.context, &s.context->targets[0], PADIC_ERROR_DEVICE);
        CHECK_EQ(padic_record_end(s.context, &record), PADIC_ERROR_DEVICE);
        CHECK_EQ(record.id, 0);
        CHECK_EQ(step(&s), PADIC_OK); // and all is as before
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(step(&s), PADIC_OK);
        CHECK_EQ(padic_record_end(s.context, &record), PADIC_OK);
        CHECK_EQ(padic_record_replay(s.context, record, 2), PADIC_OK);
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK); // destroyed while recording
        CHECK_EQ(step(&s), PADIC_OK);
        stage_end(&s);
    }
}

// Each call of the device fails in turn: an error or success, never a leak.
TEST(every_call_fails_once)
{
    for (int own = 0; own < 2; own++)
        for (uint64_t at = 1, reached = 1; reached; at++) {
            padic_record record = PADIC_ZERO;
            stage s;
            int made;
            memset(&s, 0, sizeof s);
            s.backend = tape_backend();
            if (!own) s.backend.record = NULL;
            padic_context_desc desc = PADIC_ZERO;
            s.null.fail_at = at;
            s.null.fail_with = PADIC_ERROR_DEVICE;
            s.null.on_launch = stage_launch;
            s.null.user = &s;
            desc.backends[0] = &s.backend;
            desc.device.native_context = &s.null;
            desc.mode = PADIC_MODE_LOW_OVERHEAD;
            desc.flags = PADIC_CONTEXT_PROFILE | PADIC_CONTEXT_DEBUG;
            made = !padic_context_create(&desc, &s.context);
            if (made) {
                padic_buffer_desc size = PADIC_ZERO;
                size.size = 1024;
                (void)padic_buffer_create(s.context, &size, &s.a);
                (void)padic_buffer_create(s.context, &size, &s.b);
                (void)step(&s);
                (void)padic_record_begin(s.context);
                (void)step(&s);
                (void)padic_record_end(s.context, &record);
                (void)padic_record_replay(s.context, record, 2);
                for (int i = 0; i < 3; i++) (void)step(&s);
                (void)padic_buffer_destroy(s.context, s.a);
            }
            reached = s.null.calls >= at;
            stage_end(&s);
            CHECK(at < 1000);
        }
}

TEST(ids)
{
    padic_record record, stale = PADIC_ZERO;
    stage s, t;
    REQUIRE(stage_begin(&s, 0, PADIC_MODE_DEFAULT));
    CHECK_EQ(padic_record_replay(s.context, stale, 1), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_record_drop(s.context, stale), PADIC_ERROR_ARGUMENT);
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
        CHECK_EQ(padic_buffer_fill(s.context, s.a, 0, (uint32_t)i, 4), PADIC_OK);
        CHECK_EQ(padic_record_end(s.context, &record), PADIC_OK);
        CHECK(record.id != stale.id);
        CHECK_EQ(padic_record_replay(s.context, stale, 1), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_record_replay(s.context, record, 1), PADIC_OK);
        CHECK_EQ(word_of(&s, s.a, 0), i);
        if (i < 50) CHECK_EQ(padic_record_drop(s.context, record), PADIC_OK);
        stale = i < 50 ? record : stale;
    }
    REQUIRE(stage_begin(&t, 0, PADIC_MODE_DEFAULT));
    CHECK_EQ(padic_record_replay(t.context, record, 1), PADIC_ERROR_ARGUMENT); // another's
    stage_end(&t);
    stage_end(&s);
}

// ------------------------------------------------------------------------------------------ modes

static padic_copy_desc copy_of(padic_buffer from, padic_buffer to, uint64_t at)
{
    padic_copy_desc copy = PADIC_ZERO;
    copy.from = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 16), from, at);
    copy.to = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 16), to, at);
    return copy;
}

TEST(modes_do_what_they_say)
{
    static const padic_mode plain[] = {PADIC_MODE_OFF, PADIC_MODE_DEFAULT, PADIC_MODE_AUTOTUNE};
    stage s;
    REQUIRE(stage_begin(&s, 1, PADIC_MODE_DEFAULT));
    first_contents(&s);
    CHECK_EQ(padic_context_mode(s.context), PADIC_MODE_DEFAULT);
    CHECK_EQ(padic_context_set_mode(s.context, (padic_mode)4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_context_set_mode(NULL, PADIC_MODE_OFF), PADIC_ERROR_ARGUMENT);
    const padic_copy_desc copy = copy_of(s.a, s.b, 3);
    for (int m = 0; m < 3; m++) { // each call is one call of the driver
        CHECK_EQ(padic_context_set_mode(s.context, plain[m]), PADIC_OK);
        CHECK_EQ(padic_context_mode(s.context), plain[m]);
        const padic_stats before = stats_of(s.context);
        for (int i = 0; i < 5; i++) CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
        const padic_stats after = stats_of(s.context);
        CHECK_EQ(after.copies - before.copies, 5);
        CHECK_EQ(after.replays + after.recorded_nodes, 0);
    }
    // Once as it is, then recorded and replayed.
    CHECK_EQ(padic_context_set_mode(s.context, PADIC_MODE_LOW_OVERHEAD), PADIC_OK);
    padic_stats before = stats_of(s.context), after;
    const uint64_t copies = op_stats(s.context, PADIC_OP_COPY).calls;
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(padic_buffer_fill(s.context, s.a, 0, (uint32_t)i + 1, 1024), PADIC_OK);
        CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
        CHECK_EQ(word_of(&s, s.b, 3), i + 1);
        CHECK_EQ(word_of(&s, s.b, 18), i + 1);
        after = stats_of(s.context);
        CHECK_EQ(after.copies - before.copies, 1);
        CHECK_EQ(after.recorded_nodes - before.recorded_nodes, i > 0);
        CHECK_EQ(after.replays - before.replays, i);
        CHECK_EQ(op_stats(s.context, PADIC_OP_COPY).calls - copies, i + 1);
        if (i == 1) CHECK_EQ(tape.live, 1);
    }
    CHECK_EQ(word_of(&s, s.b, 2), 9);
    CHECK_EQ(word_of(&s, s.b, 19), 9);
    CHECK_EQ(padic_context_set_mode(s.context, PADIC_MODE_OFF), PADIC_OK); // nothing is kept
    CHECK_EQ(tape.live, 0);
    CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
    CHECK_EQ(stats_of(s.context).replays, after.replays);
    CHECK_EQ(s.errors, 1); // the mode that there is not
    stage_end(&s);
}

TEST(low_overhead_follows_descs_and_buffers)
{
    for (int own = 0; own < 2; own++) {
        stage s;
        REQUIRE(stage_begin(&s, own, PADIC_MODE_LOW_OVERHEAD));
        first_contents(&s);
        for (uint32_t round = 0; round < 4; round++) // alternating descs keep their own
            for (uint64_t at = 0; at < 200; at += 50) {
                const padic_copy_desc copy = copy_of(s.a, s.b, at);
                const uint32_t word = round * 1000 + (uint32_t)at;
                CHECK_EQ(padic_buffer_fill(s.context, s.a, 4 * at, word, 64), PADIC_OK);
                CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
                CHECK_EQ(word_of(&s, s.b, (uint32_t)at), word);
            }
        CHECK_EQ(stats_of(s.context).replays, 12);
        CHECK_EQ(stats_of(s.context).recorded_nodes, 4);
        const padic_copy_desc old = copy_of(s.a, s.b, 0);
        CHECK_EQ(padic_buffer_destroy(s.context, s.b), PADIC_OK);
        const padic_buffer heir = new_buffer(s.context, 1024);
        CHECK_EQ(padic_buffer_fill(s.context, heir, 0, 5, 1024), PADIC_OK);
        CHECK_EQ(padic_copy(s.context, &old), PADIC_ERROR_ARGUMENT); // the id is dead
        CHECK_EQ(padic_copy(s.context, &old), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(word_of(&s, heir, 0), 5);
        CHECK_EQ(own && tape.live, 0); // what used the buffer has gone at once
        const padic_copy_desc fresh = copy_of(s.a, heir, 0);
        for (int i = 0; i < 3; i++) CHECK_EQ(padic_copy(s.context, &fresh), PADIC_OK);
        CHECK_EQ(stats_of(s.context).replays, 14);
        CHECK_EQ(word_of(&s, heir, 0), 3000);

        // More calls than are kept: those unused longest go, nothing grows.
        for (int round = 0; round < 3; round++)
            for (uint64_t at = 0; at < 100; at++) {
                const padic_copy_desc copy = copy_of(s.a, heir, at);
                CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
            }
        CHECK(tape.live <= (int)PADICI_KEPT_CALLS);
        CHECK(s.context->recording_count <= PADICI_KEPT_CALLS + 1);
        stage_end(&s);
    }
}

TEST(low_overhead_where_it_cannot)
{
    uint32_t words[256] = {0};
    padic_copy_desc copy;
    padic_random_fill_desc random = PADIC_ZERO;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *cpu;
    stage s;
    REQUIRE(stage_begin(&s, 1, PADIC_MODE_LOW_OVERHEAD));
    first_contents(&s);
    copy = copy_of(s.a, s.b, 0); // a host operand: never recorded
    copy.to = padic_tensor_1d(PADIC_U32, words, 16);
    for (int i = 0; i < 4; i++) CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
    copy = copy_of(s.a, s.b, 0);
    tape.fail_begin = PADIC_ERROR_DEVICE; // a driver that cannot: as before, and nobody is told
    for (int i = 0; i < 4; i++) CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
    CHECK_EQ(tape.begins, 1); // not tried again and again
    CHECK_EQ(stats_of(s.context).replays, 0);
    CHECK_EQ(stats_of(s.context).copies, 4);
    CHECK_EQ(s.errors, 0);
    CHECK(!strcmp(padic_context_message(s.context), ""));
    stage_end(&s);

    desc.mode = PADIC_MODE_LOW_OVERHEAD; // on the CPU: plain calls
    CHECK_EQ(padic_context_create(&desc, &cpu), PADIC_OK);
    random.tensor = padic_tensor_1d(PADIC_U32, words, 16);
    for (int i = 0; i < 4; i++) CHECK_EQ(padic_random_fill(cpu, &random), PADIC_OK);
    CHECK_EQ(stats_of(cpu).replays + stats_of(cpu).recorded_nodes, 0);
    CHECK_EQ(op_stats(cpu, PADIC_OP_RANDOM_FILL).calls, 4);
    CHECK(!strcmp(op_stats(cpu, PADIC_OP_RANDOM_FILL).backend, "cpu"));
    padic_context_destroy(cpu);
}

// Calls that are kept give up their scratch when the device is full.
TEST(low_overhead_makes_room)
{
    padic_buffer_desc size = PADIC_ZERO;
    padic_buffer buffer;
    padici_recording *r;
    uint32_t block;
    stage s;
    REQUIRE(stage_begin(&s, 1, PADIC_MODE_LOW_OVERHEAD));
    first_contents(&s);
    const padic_copy_desc copy = copy_of(s.a, s.b, 0);
    for (int i = 0; i < 3; i++) CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
    CHECK_EQ(tape.live, 1);
    CHECK_EQ(padici_pool_take(s.context, &s.context->pools[0], 5000, &block), PADIC_OK);
    r = &s.context->recordings[0];
    s.context->pools[0].blocks[block].next = r->held; // as if its driver had taken it
    r->held = block;
    const uint64_t live = s.null.live;
    size.size = 100000;
    s.null.fail_at = s.null.calls + 1; // no room the first time
    CHECK_EQ(padic_buffer_create(s.context, &size, &buffer), PADIC_OK);
    CHECK_EQ(tape.live, 0);
    CHECK_EQ(s.null.live, live); // one block went, one came
    for (int i = 0; i < 3; i++) CHECK_EQ(padic_copy(s.context, &copy), PADIC_OK);
    CHECK_EQ(tape.live, 1); // seen, recorded, replayed again
    stage_end(&s);
}

// From the third identical step on (plain, recorded, replayed) nothing is allocated anywhere; in
// the other modes from the second.
TEST(steps_allocate_nothing)
{
    for (int mode = PADIC_MODE_DEFAULT; mode <= PADIC_MODE_AUTOTUNE; mode++) {
        const int warm = mode == PADIC_MODE_LOW_OVERHEAD ? 2 : 1;
        stage s;
        padic_stats before = PADIC_ZERO;
        REQUIRE(stage_begin(&s, 0, (padic_mode)mode));
        first_contents(&s);
        for (int i = 0; i < 6; i++) {
            uint32_t block;
            if (i == warm) before = stats_of(s.context);
            CHECK_EQ(step(&s), PADIC_OK);
            CHECK_EQ(padici_pool_take(s.context, &s.context->pools[0], 5000, &block), PADIC_OK);
            padici_pool_give(s.context, &s.context->pools[0], block);
        }
        const padic_stats after = stats_of(s.context);
        CHECK_EQ(after.host_allocations, before.host_allocations);
        CHECK_EQ(after.device_allocations, before.device_allocations);
        CHECK_EQ(after.pool_hits - before.pool_hits, 6 - warm);
        stage_end(&s);
    }
}

// Kernels on a device, in every mode: the same bytes, no allocation from the second step on (from
// the third where the second records), and one launch from the library per replayed step at most.
static int modes_on(const padic_backend *backend)
{
    static uint32_t first[3000], got[3000];
    const int last = test_tiny ? PADIC_MODE_LOW_OVERHEAD : PADIC_MODE_AUTOTUNE; // which runs much
    for (int mode = PADIC_MODE_DEFAULT; mode <= last; mode++) {
        padic_context_desc desc = PADIC_ZERO;
        padic_buffer_desc size = PADIC_ZERO;
        padic_random_fill_desc random = PADIC_ZERO;
        padic_copy_desc copy = PADIC_ZERO;
        padic_context *context;
        padic_buffer a, b;
        padic_stats warm = PADIC_ZERO, end;
        desc.backends[0] = backend;
        desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
        desc.mode = (padic_mode)mode;
        if (padic_context_create(&desc, &context)) return 0;
        size.size = sizeof got;
        CHECK_EQ(padic_buffer_create(context, &size, &a), PADIC_OK);
        CHECK_EQ(padic_buffer_create(context, &size, &b), PADIC_OK);
        CHECK_EQ(padic_buffer_fill(context, b, 0, 7, sizeof got), PADIC_OK);
        random.tensor = padic_tensor_in(padic_tensor_2d(PADIC_U32, NULL, 100, 25), a, 0);
        random.tensor.stride[0] = 30;
        random.tensor.stride[1] = 1;
        copy.from = random.tensor;
        copy.to = padic_tensor_in(padic_tensor_2d(PADIC_U32, NULL, 100, 25), b, 1);
        copy.to.stride[0] = 1;
        copy.to.stride[1] = 110;
        for (int step = 0; step < 6; step++) {
            if (step == 2) warm = stats_of(context);
            CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
            CHECK_EQ(padic_copy(context, &copy), PADIC_OK);
        }
        end = stats_of(context);
        CHECK_EQ(end.host_allocations, warm.host_allocations);
        CHECK_EQ(end.device_allocations, warm.device_allocations);
        CHECK_EQ(end.programs, warm.programs);
        CHECK_EQ(end.syncs, warm.syncs);
        CHECK_EQ(end.launches - warm.launches, mode == PADIC_MODE_LOW_OVERHEAD ? 0 : 8);
        CHECK_EQ(end.replays - warm.replays, mode == PADIC_MODE_LOW_OVERHEAD ? 8 : 0);
        CHECK_EQ(end.recorded_nodes, mode == PADIC_MODE_LOW_OVERHEAD ? 2 : 0);
        CHECK_EQ((end.tuner_candidates > 0), (mode == PADIC_MODE_AUTOTUNE));
        CHECK_EQ(op_stats(context, PADIC_OP_COPY).calls, 6);
        CHECK(!strcmp(op_stats(context, PADIC_OP_COPY).backend, backend->name));
        CHECK(strcmp(op_stats(context, PADIC_OP_COPY).method, backend->name) == 0 ||
              mode == PADIC_MODE_LOW_OVERHEAD);
        CHECK_EQ(end.self_tests_failed, 0);
        CHECK_EQ(padic_buffer_download(context, b, 0, got, sizeof got), PADIC_OK);
        if (mode == PADIC_MODE_DEFAULT) memcpy(first, got, sizeof first);
        CHECK(!memcmp(first, got, sizeof first));
        for (uint32_t i = 0; i < 2500; i++) {
            uint32_t block[4];
            padic_random_block(0, 0, 0, i / 4, block);
            CHECK_EQ(got[1 + i / 25 + i % 25 * 110], block[i % 4]);
        }
        CHECK(got[0] == 7 && got[101] == 7); // between the views
        padic_context_destroy(context);
    }
    return 1;
}

TEST(native)
{
    if (!modes_on(padic_native())) {
        SKIP("kernels as C need Linux, python3 and the compiler");
    }
}

TEST(opencl)
{
    if (!modes_on(padic_opencl())) {
        SKIP("no OpenCL device");
    }
}

TEST(cuda)
{
    if (!modes_on(padic_cuda())) {
        SKIP("no CUDA device");
    }
}

TEST_MAIN("test_record", CASE(replay_equals_launches), CASE(refused_calls),
          CASE(scratch_stays_with_the_recording), CASE(buffers_that_go),
          CASE(broken_capture_recovers), CASE(every_call_fails_once), CASE(ids),
          CASE(modes_do_what_they_say), CASE(low_overhead_follows_descs_and_buffers),
          CASE(low_overhead_where_it_cannot), CASE(low_overhead_makes_room),
          CASE(steps_allocate_nothing), CASE(native),
          CASE(opencl), CASE(cuda))
