// The profile: spans by the device's clock moved to the host's, spans that do not overlap, a trace
// that is JSON, exact counters, and nothing at all when it is off. The report.
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

// --------------------------------------------------------------------------- a device with a clock

// The null backend behind a queue that takes simulated time. All times are the host's; the device's
// own clock began elsewhere and is slow.
static struct {
    uint64_t host, busy; // now; until when the queue works
    uint64_t stamps[PADIC_TIME_SLOTS];
    uint64_t stamped, read, fail_at, times; // calls
    uint64_t truth[1024][2];                // begin and end of the n-th copy or launch
    uint32_t count;
} sim;

static uint64_t sim_now(void *user)
{
    (void)user;
    return sim.host += 10; // reading it takes time
}

static void sim_work(uint64_t ns)
{
    const uint64_t begin = sim.busy > sim.host ? sim.busy : sim.host;
    sim.busy = begin + ns;
    sim.truth[sim.count % 1024][0] = begin;
    sim.truth[sim.count++ % 1024][1] = sim.busy;
}

static padic_result sim_copy(padic_device *device, padic_mem to, uint64_t at, padic_mem from,
                             uint64_t from_at, uint64_t size)
{
    sim.host += 100;
    sim_work(5000 + size);
    return padici_null_copy(device, to, at, from, from_at, size);
}

static padic_result sim_sync(padic_device *device)
{
    if (sim.busy > sim.host) sim.host = sim.busy;
    return padici_null_sync(device);
}

static padic_result sim_time(padic_device *device, uint32_t slot, uint64_t *ns)
{
    (void)device;
    CHECK(slot < PADIC_TIME_SLOTS);
    if (++sim.times == sim.fail_at) return PADIC_ERROR_DEVICE;
    if (ns) {
        CHECK(sim.busy <= sim.host); // only after a sync
        *ns = sim.stamps[slot];
        sim.read++;
    } else {
        const uint64_t now = sim.busy > sim.host ? sim.busy : sim.host;
        sim.stamps[slot] = 7000000 + now / 5 * 4 + now % 5;
        sim.stamped++;
    }
    return PADIC_OK;
}

static void sim_info(padic_device *device, padic_device_info *info)
{
    padici_null_info(device, info);
    memcpy(info->name, "a \"device\"", 11);
    memcpy(info->driver, "1.2", 4);
    memcpy(info->arch, "sm_90", 6);
    info->features |= PADIC_FEATURE_TIME;
    info->memory = UINT64_C(7) << 30;
}

static padic_backend sim_backend(void)
{
    padic_backend b = *padic_null();
    memset(&sim, 0, sizeof sim);
    sim.host = 1000;
    b.name = "sim";
    b.info = sim_info;
    b.copy = sim_copy;
    b.sync = sim_sync;
    b.time = sim_time;
    return b;
}

typedef struct stage {
    padic_backend backend;
    padic_null_desc null;
    padic_context *context;
    padic_buffer a, b;
    uint64_t start; // what the context's clock began with
} stage;

static int stage_begin(stage *s, uint32_t flags, uint32_t spans)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_buffer_desc buffer = PADIC_ZERO;
    memset(s, 0, sizeof *s);
    s->backend = sim_backend();
    desc.backends[0] = &s->backend;
    desc.device.native_context = &s->null;
    desc.flags = flags;
    desc.profile_spans = spans;
    desc.clock.now = sim_now;
    s->start = sim.host + 10;
    buffer.size = 4096;
    return !padic_context_create(&desc, &s->context) &&
           !padic_buffer_create(s->context, &buffer, &s->a) &&
           !padic_buffer_create(s->context, &buffer, &s->b);
}

static padic_result copy_words(stage *s, uint64_t words)
{
    padic_copy_desc copy = PADIC_ZERO;
    copy.from = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, words), s->a, 0);
    copy.to = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, words), s->b, 0);
    return padic_copy(s->context, &copy);
}

static padic_stats stats_of(const padic_context *context)
{
    padic_stats stats;
    padic_context_stats(context, &stats);
    return stats;
}

// ------------------------------------------------------------------------------------ the trace

typedef struct row {
    char name[32], method[32];
    double ts, dur;
    int track, launches, host_clock;
    double bytes;
} row;

static char text[1 << 20];
static size_t text_size;
static row rows[1024];
static int row_count;

static int keep(const char *piece, size_t size, void *user)
{
    (void)user;
    if (text_size + size >= sizeof text) return 1;
    memcpy(text + text_size, piece, size);
    text[text_size += size] = 0;
    return 0;
}

// A strict reader of JSON: returns behind a value, or NULL. `key` is the name that led here.
static const char *json_value(const char *p, const char *key, row *r, int depth);

static const char *json_space(const char *p)
{
    while (*p == ' ' || *p == '\n') p++;
    return p;
}

static const char *json_string(const char *p, char *out, size_t size)
{
    size_t n = 0;
    if (*p++ != '"') return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 32 || *p == '\\') return NULL; // we write no escapes
        if (n + 1 < size) out[n++] = *p;
    }
    out[n] = 0;
    return p + 1;
}

static const char *json_object(const char *p, row *r, int depth)
{
    char key[32];
    for (p = json_space(p + 1); *p != '}'; p = json_space(p)) {
        p = json_string(p, key, sizeof key);
        if (!p || *json_space(p) != ':') return NULL;
        p = json_value(json_space(json_space(p) + 1), key, r, depth + 1);
        if (!p) return NULL;
        p = json_space(p);
        if (*p == ',' && p[1] != '}')
            p++;
        else if (*p != '}')
            return NULL;
    }
    return p + 1;
}

static const char *json_number(const char *p, const char *key, row *r)
{
    const char *begin = p;
    char *end;
    while ((*p >= '0' && *p <= '9') || *p == '.') p++;
    if (p == begin || (*begin == '0' && begin[1] >= '0' && begin[1] <= '9')) return NULL;
    const double value = strtod(begin, &end);
    if (end != p) return NULL;
    if (!strcmp(key, "ts")) r->ts = value;
    if (!strcmp(key, "dur")) r->dur = value;
    if (!strcmp(key, "tid")) r->track = (int)value;
    if (!strcmp(key, "bytes")) r->bytes = value;
    if (!strcmp(key, "launches")) r->launches = (int)value;
    return p;
}

static const char *json_value(const char *p, const char *key, row *r, int depth)
{
    char word[64];
    if (depth > 4) return NULL;
    if (*p == '{') {
        row fresh;
        memset(&fresh, 0, sizeof fresh);
        if (!strcmp(key, "args")) return json_object(p, r, depth);
        p = json_object(p, &fresh, depth);
        if (p && !strcmp(key, "traceEvents") && fresh.dur > 0 && row_count < 1024)
            rows[row_count++] = fresh;
        return p;
    }
    if (*p == '[') {
        for (p = json_space(p + 1); *p != ']'; p = json_space(p)) {
            p = json_value(p, key, r, depth + 1);
            if (!p) return NULL;
            p = json_space(p);
            if (*p == ',' && *json_space(p + 1) != ']')
                p = json_space(p + 1);
            else if (*p != ']')
                return NULL;
        }
        return p + 1;
    }
    if (*p != '"') return json_number(p, key, r);
    p = json_string(p, word, sizeof word);
    if (!p) return NULL;
    if (!strcmp(key, "name") && depth == 3) memcpy(r->name, word, 31);
    if (!strcmp(key, "method")) memcpy(r->method, word, 31);
    if (!strcmp(key, "clock")) r->host_clock = !strcmp(word, "host");
    return p;
}

// The trace as rows; 0 when it is not JSON.
static int read_trace(padic_context *context)
{
    row none;
    memset(&none, 0, sizeof none);
    text_size = 0;
    row_count = 0;
    if (padic_context_profile_write(context, keep, NULL)) return 0;
    const char *end = json_value(text, "", &none, 0);
    return end && !*json_space(end);
}

// Two spans of a track are apart, or one lies in the other.
static void spans_nest(void)
{
    for (int i = 0; i < row_count; i++)
        for (int j = 0; j < i; j++) {
            const row *a = &rows[j], *b = &rows[i];
            const double ae = a->ts + a->dur, be = b->ts + b->dur, e = 0.0015;
            if (a->track != b->track) continue;
            CHECK(ae <= b->ts + e || be <= a->ts + e || (a->ts <= b->ts + e && be <= ae + e) ||
                  (b->ts <= a->ts + e && ae <= be + e));
        }
}

// ---------------------------------------------------------------------------------------- tests

TEST(device_clock)
{
    stage s;
    REQUIRE(stage_begin(&s, PADIC_CONTEXT_PROFILE, 0));
    const uint64_t syncs = stats_of(s.context).syncs;
    for (uint32_t i = 0; i < 50; i++) {
        CHECK_EQ(copy_words(&s, 1 + i * 20), PADIC_OK);
        if (i == 20) CHECK_EQ(padic_context_sync(s.context), PADIC_OK);
        if (i == 30) sim.host += 1000000; // the program does something else
    }
    CHECK_EQ(stats_of(s.context).syncs, syncs + 1); // only the one asked for
    REQUIRE(read_trace(s.context));
    REQUIRE(row_count == 50);
    for (int i = 0; i < 50; i++) { // ns after create; a tie is wrong by half a question's time
        CHECK_NEAR(rows[i].ts * 1000, sim.truth[i][0] - s.start, 150);
        CHECK_NEAR((rows[i].ts + rows[i].dur) * 1000, sim.truth[i][1] - s.start, 150);
        CHECK(!strcmp(rows[i].name, "copy") && !strcmp(rows[i].method, "sim"));
        CHECK(rows[i].track == 2 && !rows[i].host_clock);
        CHECK_EQ(rows[i].bytes, 2 * 4 * (1 + i * 20));
    }
    spans_nest();
    const uint64_t read = sim.read;
    CHECK(read_trace(s.context) && row_count == 50); // the same again
    CHECK_EQ(sim.read, read);
    padic_context_destroy(s.context);
    CHECK_EQ(s.null.live, 0);
}

// More spans than slots between two syncs, more than the ring holds, and none lost in between.
TEST(many_spans)
{
    stage s;
    REQUIRE(stage_begin(&s, PADIC_CONTEXT_PROFILE, 0));
    for (int i = 0; i < 400; i++) CHECK_EQ(copy_words(&s, 100), PADIC_OK);
    CHECK(stats_of(s.context).syncs <= 400 / ((PADIC_TIME_SLOTS - 1) / 2) + 1);
    REQUIRE(read_trace(s.context));
    CHECK_EQ(row_count, 400);
    for (int i = 0; i < row_count; i++) {
        CHECK(!rows[i].host_clock);
        CHECK_NEAR(rows[i].ts * 1000, sim.truth[i][0] - s.start, 300);
        CHECK_NEAR(rows[i].dur * 1000, 5400, 150); // an idle queue stamps before the call
    }
    spans_nest();
    padic_context_destroy(s.context);

    REQUIRE(stage_begin(&s, PADIC_CONTEXT_PROFILE, 8));
    for (int i = 0; i < 30; i++) CHECK_EQ(copy_words(&s, 100), PADIC_OK);
    CHECK_EQ(stats_of(s.context).spans_lost, 22);
    REQUIRE(read_trace(s.context));
    CHECK_EQ(row_count, 8);
    for (int i = 0; i < row_count; i++)
        CHECK_NEAR(rows[i].ts * 1000, sim.truth[22 + i][0] - s.start, 150);
    padic_context_destroy(s.context);
}

// Host work in between lies on its own track; what the device cannot stamp waits.
TEST(tracks)
{
    stage s;
    uint32_t words[64];
    padic_random_fill_desc random = PADIC_ZERO;
    padic_context_desc desc = PADIC_ZERO;
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    REQUIRE(stage_begin(&s, PADIC_CONTEXT_PROFILE, 0));
    padic_context_destroy(s.context);

    random.tensor = padic_tensor_1d(PADIC_U32, words, 64);
    desc.backends[0] = &s.backend;
    desc.backends[1] = &padici_cpu; // a second one, so that falling back is allowed
    desc.device.native_context = &null;
    desc.flags = PADIC_CONTEXT_PROFILE;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    REQUIRE(read_trace(context));
    CHECK(row_count == 1 && rows[0].track == 1 && !rows[0].host_clock);
    CHECK(!strcmp(rows[0].method, "cpu"));
    padic_context_destroy(context);
}

TEST(clock_that_fails)
{
    for (uint64_t at = 1; at < 40; at++) {
        stage s;
        s.backend = sim_backend();
        memset(&s.null, 0, sizeof s.null);
        padic_context_desc desc = PADIC_ZERO;
        padic_buffer_desc buffer = PADIC_ZERO;
        sim.fail_at = at;
        desc.backends[0] = &s.backend;
        desc.device.native_context = &s.null;
        desc.flags = PADIC_CONTEXT_PROFILE;
        desc.clock.now = sim_now;
        buffer.size = 4096;
        CHECK_EQ(padic_context_create(&desc, &s.context), PADIC_OK);
        CHECK_EQ(padic_buffer_create(s.context, &buffer, &s.a), PADIC_OK);
        CHECK_EQ(padic_buffer_create(s.context, &buffer, &s.b), PADIC_OK);
        for (int i = 0; i < 10; i++) {
            CHECK_EQ(copy_words(&s, 100), PADIC_OK);
            if (i == 5) CHECK_EQ(padic_context_sync(s.context), PADIC_OK);
        }
        REQUIRE(read_trace(s.context));
        CHECK_EQ(row_count, 10);
        spans_nest();
        padic_context_destroy(s.context);
        CHECK_EQ(s.null.live, 0);
    }
}

TEST(replays)
{
    stage s;
    padic_record record;
    REQUIRE(stage_begin(&s, PADIC_CONTEXT_PROFILE, 0));
    CHECK_EQ(padic_record_begin(s.context), PADIC_OK);
    const uint64_t times = sim.times;
    CHECK_EQ(copy_words(&s, 100), PADIC_OK);
    CHECK_EQ(sim.times, times); // nothing is stamped into a recording
    CHECK_EQ(padic_record_end(s.context, &record), PADIC_OK);
    CHECK_EQ(padic_record_replay(s.context, record, 3), PADIC_OK);
    REQUIRE(read_trace(s.context));
    REQUIRE(row_count == 1);
    CHECK(!strcmp(rows[0].name, "replay") && !strcmp(rows[0].method, "list"));
    CHECK_EQ(rows[0].launches, 3);
    CHECK_NEAR(rows[0].dur * 1000, 3 * 5400, 150);
    padic_context_destroy(s.context);
}

// A real device: spans lie between create and now, in order, and no host clock where it has one.
static int on_device(const padic_backend *backend)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_buffer_desc buffer = PADIC_ZERO;
    padic_random_fill_desc random = PADIC_ZERO;
    padic_context *context;
    padic_device_info info;
    padic_buffer out;
    padic_record record;
    double end;
    desc.backends[0] = backend;
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    desc.flags = PADIC_CONTEXT_PROFILE;
    if (padic_context_create(&desc, &context)) return 0;
    padic_context_device_info(context, &info);
    buffer.size = 1 << 20;
    CHECK_EQ(padic_buffer_create(context, &buffer, &out), PADIC_OK);
    random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 1 << 18), out, 0);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
        if (i == 10) CHECK_EQ(padic_context_sync(context), PADIC_OK);
    }
    CHECK_EQ(padic_record_begin(context), PADIC_OK);
    CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
    CHECK_EQ(padic_record_replay(context, record, 5), PADIC_OK);
    CHECK(read_trace(context));
    end = (double)padici_profile_now(context) / 1000;
    CHECK_EQ(row_count, 21);
    for (int i = 0; i < row_count; i++) {
        CHECK(rows[i].ts >= 0 && rows[i].ts + rows[i].dur <= end);
        CHECK(!(info.features & PADIC_FEATURE_TIME) || !rows[i].host_clock);
        CHECK(i == 0 || rows[i].ts >= rows[i - 1].ts);
        CHECK(rows[i].track == 2);
    }
    spans_nest();
    printf(" %s: %s, %.1f us,", backend->name, rows[10].host_clock ? "host clock" : "device clock",
           rows[15].dur);
    padic_context_destroy(context);
    return 1;
}

TEST(native)
{
    if (!on_device(padic_native())) {
        SKIP("kernels as C need Linux, python3 and the compiler");
    }
}

TEST(opencl)
{
    if (!on_device(padic_opencl())) {
        SKIP("no OpenCL device");
    }
}

TEST(cuda)
{
    if (!on_device(padic_cuda())) {
        SKIP("no CUDA device");
    }
}

TEST(off_is_free)
{
    stage s;
    REQUIRE(stage_begin(&s, 0, 0));
    const uint64_t host = sim.host;
    const padic_stats before = stats_of(s.context);
    for (int i = 0; i < 20; i++) CHECK_EQ(copy_words(&s, 100), PADIC_OK);
    const padic_stats after = stats_of(s.context);
    CHECK_EQ(sim.host - host, 20 * 100); // the clock was not asked
    CHECK_EQ(sim.times, 0);
    CHECK_EQ(after.syncs, before.syncs);
    CHECK_EQ(after.host_allocations, before.host_allocations);
    CHECK_EQ(after.copies - before.copies, 20);
    CHECK_EQ(op_stats(s.context, PADIC_OP_COPY).calls, 20);
    CHECK(read_trace(s.context) && row_count == 0);
    padic_context_destroy(s.context);

    REQUIRE(stage_begin(&s, PADIC_CONTEXT_PROFILE, 0)); // on: nothing is allocated after create
    const padic_stats on = stats_of(s.context);
    for (int i = 0; i < 300; i++) CHECK_EQ(copy_words(&s, 100), PADIC_OK);
    CHECK_EQ(stats_of(s.context).host_allocations, on.host_allocations);
    padic_context_destroy(s.context);
}

TEST(report)
{
    static char report[8192];
    stage s;
    REQUIRE(stage_begin(&s, PADIC_CONTEXT_PROFILE, 0));
    CHECK_EQ(copy_words(&s, 100), PADIC_OK);
    padic_context_describe_report said = PADIC_ZERO;
    padic_context_describe_desc describe = PADIC_ZERO;
    describe.report = &said;
    describe.text = padic_bytes_out(report, sizeof report);
    CHECK_EQ(padic_context_describe(s.context, &describe), PADIC_OK);
    if (!strstr(report, "sim: a \"device\", driver 1.2, arch sm_90\n")) printf("\n%s", report);
    CHECK(strstr(report, "padic.h " PADIC_VERSION ", mode default, strict, profile\n") == report);
    CHECK(strstr(report, "sim: a \"device\", driver 1.2, arch sm_90\n") != NULL);
    CHECK(strstr(report, "features: time\n") != NULL);
    CHECK(strstr(report, "7168 MiB of memory") == NULL);
    CHECK(strstr(report, "MiB of memory 7168") != NULL);
    CHECK(strstr(report, "cpu: CPU, plain C\n") != NULL);
    CHECK(strstr(report, "\ncopy: sim, calls 1\n") != NULL);
    CHECK(strstr(report, "\nwork: copies 1\n") != NULL);
    CHECK(strstr(report, "random_fill") == NULL); // never called
    const size_t whole = strlen(report);
    CHECK_EQ(said.size, whole);
    for (uint64_t room = 0; room <= whole; room += room ? whole - 1 : 1) { // cut, but a text
        describe.text = padic_bytes_out(room ? report : NULL, room);
        memset(report, 'x', sizeof report - 1);
        said.size = 0;
        CHECK_EQ(padic_context_describe(s.context, &describe), PADIC_ERROR_CAPACITY);
        CHECK_EQ(said.size, whole);
        CHECK(room ? strlen(report) == room - 1 : report[0] == 'x');
    }
    describe.text = padic_bytes_out(report, whole + 1);
    CHECK_EQ(padic_context_describe(s.context, &describe), PADIC_OK);
    CHECK_EQ(padic_context_describe(NULL, &describe), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(said.size, 0);
    CHECK_EQ(padic_context_describe(s.context, NULL), PADIC_ERROR_ARGUMENT);
    describe.text = padic_bytes_out(NULL, 10);
    CHECK_EQ(padic_context_describe(s.context, &describe), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(s.context);
}

TEST_MAIN("test_profile", CASE(device_clock), CASE(many_spans), CASE(tracks),
          CASE(clock_that_fails), CASE(replays), CASE(native), CASE(opencl), CASE(cuda),
          CASE(off_is_free), CASE(report))
