// Contexts, buffers, the pool, operations through the table, backends and their failures, profile.
#define PADIC_IMPLEMENT_CORE
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../support/padic_test.h"
#include "../support/ask.h"
#include "../support/op_stats.h"

// ---------------------------------------------------------------------------------- test doubles

// An allocator that knows what is live, checks the size given to free, and fails on request.
typedef struct heap {
    uint64_t live, bytes, calls, fail_at, wrong;
} heap;

typedef struct heap_note { // before each block
    size_t size, step;
} heap_note;

static void *heap_alloc(size_t size, size_t align, void *user)
{
    heap *h = (heap *)user;
    const size_t step = align < 64 ? 64 : align;
    char *p;
    heap_note note;
    if (++h->calls == h->fail_at) return NULL;
    p = (char *)padici_alloc(NULL, size + step, step);
    if (!p) return NULL;
    note.size = size;
    note.step = step;
    memcpy(p + step - sizeof note, &note, sizeof note);
    memset(p + step, 0xa5, size); // nothing may rely on zeros
    h->live++;
    h->bytes += size;
    return p + step;
}

static void heap_free(void *p, size_t size, void *user)
{
    heap *h = (heap *)user;
    heap_note note;
    memcpy(&note, (char *)p - sizeof note, sizeof note);
    if (note.size != size) h->wrong++;
    h->live--;
    h->bytes -= note.size;
    padici_free(NULL, (char *)p - note.step, note.size + note.step);
}

static padic_allocator heap_hook(heap *h)
{
    padic_allocator a;
    a.alloc = heap_alloc;
    a.free = heap_free;
    a.user = h;
    return a;
}

typedef struct notes { // a log
    int lines, warnings, errors;
    char last[256];
} notes;

static void note_line(padic_log_level level, uint32_t item, const char *text, void *user)
{
    notes *n = (notes *)user;
    (void)item;
    n->lines++;
    n->warnings += level == PADIC_LOG_WARNING;
    n->errors += level == PADIC_LOG_ERROR;
    strncpy(n->last, text, sizeof n->last - 1);
}

// A backend in host memory that fills, and says NOT_SUPPORTED to copies only when they come.
static int half_runs, half_fills;

static padic_result half_run(padic_device *device, uint32_t op, void *desc, const padic_mem *mem)
{
    (void)mem;
    (void)device;
    if (op == PADIC_OP_COPY) return PADIC_ERROR_NOT_SUPPORTED;
    half_runs++;
    half_fills++;
    return padici_fill_host(NULL, desc);
}

static const padic_backend_op half_ops[] = {{PADIC_OP_FILL, NULL, half_run},
                                            {PADIC_OP_COPY, NULL, half_run}};

static padic_backend half_backend(void)
{
    padic_backend b = padici_cpu;
    b.name = "half";
    b.ops = half_ops;
    b.op_count = 2;
    b.flags = PADIC_BACKEND_HOST;
    return b;
}

static padic_result absent_open(const padic_env *env, const padic_device_desc *desc,
                                padic_device **out)
{
    (void)desc;
    *out = NULL;
    memcpy(env->message, "absent: no driver", 18);
    return PADIC_ERROR_NO_DEVICE;
}

static padic_result mute_open(const padic_env *env, const padic_device_desc *desc,
                              padic_device **out)
{
    (void)env;
    (void)desc;
    *out = NULL;
    return PADIC_ERROR_NO_DEVICE;
}

static padic_backend absent_backend(void)
{
    padic_backend b = *padic_null();
    b.name = "absent";
    b.open = absent_open;
    return b;
}

// A context on the null backend, with a second name so that it is not strict.
static padic_backend second;
static padic_result null_context(padic_null_desc *null, uint32_t flags, heap *h, notes *n,
                                 padic_context **context)
{
    padic_context_desc desc = PADIC_ZERO;
    second = half_backend();
    desc.backends[0] = padic_null();
    desc.backends[1] = &second;
    desc.device.native_context = null;
    desc.flags = flags;
    if (h) desc.allocator = heap_hook(h);
    if (n) {
        desc.log.write = note_line;
        desc.log.user = n;
    }
    return padic_context_create(&desc, context);
}

static padic_result new_buffer(padic_context *context, uint64_t size, padic_buffer *buffer)
{
    padic_buffer_desc desc = PADIC_ZERO;
    desc.size = size;
    return padic_buffer_create(context, &desc, buffer);
}

static padic_stats stats_of(const padic_context *context)
{
    padic_stats stats;
    padic_context_stats(context, &stats);
    return stats;
}

// ------------------------------------------------------------------------------ types and texts

TEST(names_and_texts)
{
    static const struct {
        padic_dtype dtype;
        const char *name;
        uint32_t size;
    } types[] = {{PADIC_F64, "f64", 8},        {PADIC_F32, "f32", 4},
                 {PADIC_F16, "f16", 2},        {PADIC_BF16, "bf16", 2},
                 {PADIC_I8, "i8", 1},          {PADIC_I16, "i16", 2},
                 {PADIC_I32, "i32", 4},        {PADIC_I64, "i64", 8},
                 {PADIC_U8, "u8", 1},          {PADIC_U16, "u16", 2},
                 {PADIC_U32, "u32", 4},        {PADIC_U64, "u64", 8},
                 {PADIC_C64, "complex64", 8},  {PADIC_C128, "complex128", 16},
                 {PADIC_DTYPE_NONE, "?", 0},   {(padic_dtype)15, "?", 0}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        CHECK(!strcmp(padic_dtype_name(types[i].dtype), types[i].name));
        CHECK_EQ(padic_dtype_size(types[i].dtype), types[i].size);
    }
    const char *unknown = padic_result_text((padic_result)-99);
    int known = 0;
    for (int code = 0; code >= -600; code--) { // each known code has a sentence of its own
        const char *text = padic_result_text((padic_result)code);
        CHECK(text && *text);
        known += strcmp(text, unknown) != 0;
        for (int other = code + 1; other <= 0 && strcmp(text, unknown); other++)
            CHECK(strcmp(text, padic_result_text((padic_result)other)));
    }
    CHECK_EQ(known, 28);
}

TEST(bits)
{
    unsigned char bytes[16];
    for (int i = 0; i < 16; i++) bytes[i] = (unsigned char)(i + 1);
    CHECK_EQ(padici_load16(bytes + 1), 0x0302);
    CHECK_EQ(padici_load32(bytes + 1), 0x05040302);
    CHECK_EQ(padici_load64(bytes + 1), UINT64_C(0x0908070605040302));
    padici_store16(bytes + 3, 0xb1a2);
    padici_store32(bytes + 5, 0xd1c2b3a4u);
    CHECK(bytes[3] == 0xa2 && bytes[4] == 0xb1 && bytes[5] == 0xa4 && bytes[8] == 0xd1);
    padici_store64(bytes + 7, UINT64_C(0x1122334455667788));
    CHECK(bytes[7] == 0x88 && bytes[14] == 0x11 && bytes[15] == 16);
    for (uint32_t i = 0; i < 64; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        CHECK_EQ(padici_clz64(bit | (bit - 1)), 63 - i);
        CHECK_EQ(padici_ctz64(bit | ~(bit - 1)), i);
        CHECK_EQ(padici_popcount64(bit - 1), i);
        if (i >= 32) continue;
        CHECK_EQ(padici_clz32((uint32_t)bit), 31 - i);
    }
    CHECK_EQ(padici_popcount64(UINT64_MAX), 64);
    CHECK_EQ(padici_mulhi64(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
    CHECK_EQ(padici_mulhi64(UINT64_C(0xfedcba9876543210), UINT64_C(0x0123456789abcdef)),
             UINT64_C(0x0121fa00ad77d742));
    for (int i = 0; i < 1000; i++) { // (a b) / 2^64 by 32-bit schoolbook
        const uint64_t a = test_random(), b = test_random();
        const uint64_t l = (a & 0xffffffffu) * (b & 0xffffffffu), m = (a >> 32) * (b & 0xffffffffu);
        const uint64_t n = (a & 0xffffffffu) * (b >> 32), h = (a >> 32) * (b >> 32);
        const uint64_t carry = ((l >> 32) + (m & 0xffffffffu) + (n & 0xffffffffu)) >> 32;
        CHECK_EQ(padici_mulhi64(a, b), h + (m >> 32) + (n >> 32) + carry);
    }
    uint64_t u;
    size_t s;
    CHECK(padici_mul_u64(UINT64_MAX, 1, &u) && u == UINT64_MAX);
    CHECK(padici_mul_u64(0, UINT64_MAX, &u) && u == 0);
    CHECK(padici_mul_u64(UINT64_C(1) << 32, UINT64_C(0xffffffff), &u));
    CHECK(!padici_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &u) && u == 0);
    CHECK(padici_mul_size((size_t)-1 / 2, 2, &s) && s == (size_t)-1 - 1);
    CHECK(!padici_mul_size((size_t)-1 / 2 + 1, 2, &s));
}

TEST(default_allocator)
{
    padic_allocator both_null = PADIC_ZERO;
    for (size_t align = 1; align <= 64; align *= 2)
        for (size_t size = 0; size < 200; size += 7) {
            char *p = (char *)padici_alloc(size & 1 ? NULL : &both_null, size, align);
            REQUIRE(p != NULL);
            CHECK_EQ((uintptr_t)p & (align - 1), 0);
            memset(p, 1, size);
            padici_free(size & 1 ? NULL : &both_null, p, size);
        }
    CHECK(padici_alloc(NULL, (size_t)-1, 64) == NULL);
    CHECK(padici_alloc(NULL, (size_t)-8, 16) == NULL);
    padici_free(NULL, NULL, 5);
}

// ------------------------------------------------------------------------------------- tensors

static padic_result check_view(uint32_t rank, const uint64_t *shape, const int64_t *stride,
                               uint64_t *count)
{
    static char data[16];
    padic_tensor t = padic_tensor_nd(PADIC_U16, data, rank, shape);
    if (stride) memcpy(t.stride, stride, rank * sizeof *stride);
    return padici_tensor_check(&t, count);
}

TEST(tensor_check)
{
    uint64_t n = 99, shape[9] = {3, 4, 5, 1, 1, 1, 1, 1, 1};
    int64_t stride[8] = {0};
    CHECK_EQ(padici_tensor_check(NULL, &n), PADIC_ERROR_ARGUMENT);
    CHECK(check_view(0, shape, NULL, &n) == PADIC_OK && n == 1);
    CHECK(check_view(3, shape, NULL, &n) == PADIC_OK && n == 60);
    CHECK(check_view(8, shape, NULL, &n) == PADIC_OK && n == 60);
    CHECK(check_view(9, shape, NULL, &n) == PADIC_ERROR_LIMIT && n == 0);
    shape[1] = 0;
    CHECK(check_view(3, shape, NULL, &n) == PADIC_OK && n == 0);
    shape[0] = UINT64_MAX; // too large even next to a zero: strides would overflow
    CHECK_EQ(check_view(3, shape, NULL, &n), PADIC_ERROR_LIMIT);
    shape[0] = UINT64_C(1) << 62;
    CHECK_EQ(check_view(1, shape, NULL, &n), PADIC_ERROR_LIMIT); // 2^63 bytes
    shape[0]--;
    CHECK_EQ(check_view(1, shape, NULL, &n), PADIC_OK);
    // every other column of rows of 7, transposed: no two share memory
    shape[0] = 4, shape[1] = 3;
    stride[0] = 2, stride[1] = 7;
    CHECK(check_view(2, shape, stride, &n) == PADIC_OK && n == 12);
    stride[1] = 6; // the last of a row is the first of the next
    CHECK_EQ(check_view(2, shape, stride, &n), PADIC_ERROR_ARGUMENT);
    stride[0] = 0, stride[1] = 1;
    CHECK_EQ(check_view(2, shape, stride, &n), PADIC_ERROR_ARGUMENT);
    stride[0] = -3;
    CHECK_EQ(check_view(2, shape, stride, &n), PADIC_ERROR_ARGUMENT);
    stride[0] = INT64_MAX;
    CHECK_EQ(check_view(2, shape, stride, &n), PADIC_ERROR_LIMIT);
    stride[0] = INT64_MAX / 8;
    CHECK_EQ(check_view(2, shape, stride, &n), PADIC_OK);
    stride[0] = INT64_MAX / 6;
    CHECK_EQ(check_view(2, shape, stride, &n), PADIC_ERROR_LIMIT); // bytes
    shape[0] = shape[1] = 2;
    stride[0] = stride[1] = 1;
    CHECK_EQ(check_view(2, shape, stride, &n), PADIC_ERROR_ARGUMENT);
    stride[0] = INT64_MAX / 6;
    shape[1] = 3;
    shape[0] = 1; // takes no step: its stride does not matter, if positive
    CHECK_EQ(check_view(2, shape, stride, &n), PADIC_OK);
    padic_tensor t = padic_tensor_1d((padic_dtype)0, &n, 1);
    CHECK_EQ(padici_tensor_check(&t, &n), PADIC_ERROR_DTYPE);
    t = padic_tensor_1d(PADIC_F32, NULL, 1);
    CHECK_EQ(padici_tensor_check(&t, &n), PADIC_ERROR_ARGUMENT);
    t.shape[0] = 0;
    CHECK_EQ(padici_tensor_check(&t, &n), PADIC_OK);
}

TEST(tensor_views)
{
    double data[24];
    const uint64_t shape[4] = {2, 3, 2, 2};
    const padic_tensor a = padic_tensor_nd(PADIC_F64, data, 4, shape);
    const padic_tensor b = padic_tensor_3d(PADIC_F64, data, 2, 3, 4);
    const padic_buffer buffer = {7};
    int64_t stride[PADIC_MAX_RANK];
    CHECK(a.data == data && a.dtype == PADIC_F64 && a.rank == 4 && a.shape[1] == 3);
    CHECK_EQ(padic_tensor_count(&a), 24);
    CHECK_EQ(padic_tensor_count(&b), 24);
    padici_tensor_dense(&b, stride);
    CHECK(stride[0] == 12 && stride[1] == 4 && stride[2] == 1 && stride[3] == 0);
    const padic_tensor c = padic_tensor_in(padic_tensor_2d(PADIC_F64, NULL, 2, 3), buffer, 5);
    CHECK(c.buffer.id == 7 && c.offset == 5 && c.rank == 2 && !c.data);
    const padic_tensor many = padic_tensor_nd(PADIC_F64, data, 20, shape); // reads no shape
    CHECK(many.rank == 20 && padic_tensor_count(&many) == 0);
    CHECK_EQ(padic_tensor_count(NULL), 0);
    const padic_tensor huge = padic_tensor_2d(PADIC_U8, data, UINT64_MAX, 2);
    CHECK_EQ(padic_tensor_count(&huge), 0);
}

// ------------------------------------------------------------------------------------- contexts

TEST(defaults)
{
    padic_context *context = NULL;
    padic_device_info info;
    CHECK_EQ(padic_context_create(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_context_create(NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK(!strcmp(padic_context_message(context), ""));
    CHECK(!strcmp(padic_context_message(NULL), ""));
    padic_context_device_info(context, &info);
    CHECK(!strcmp(info.name, "CPU, plain C"));
    CHECK_EQ(padic_context_sync(context), PADIC_OK);
    CHECK_EQ(padic_context_sync(NULL), PADIC_ERROR_ARGUMENT);
    padic_context_trim(context, 0);
    padic_context_trim(NULL, 0);
    CHECK_EQ(stats_of(context).pool_live, 0);
    CHECK_EQ(stats_of(NULL).syncs, 0);
    CHECK(padici_jobs(NULL) == NULL && padici_allocator(NULL) == NULL);
    CHECK_EQ(padici_fail(NULL, PADIC_ERROR_CORRUPT, "x"), PADIC_ERROR_CORRUPT);
    CHECK_EQ(padici_fail(context, PADIC_ERROR_CORRUPT, "a sentence"), PADIC_ERROR_CORRUPT);
    CHECK(!strcmp(padic_context_message(context), "a sentence"));
    padic_context_destroy(context);
    padic_context_destroy(NULL);
}

TEST(order_of_backends)
{
    padic_backend absent = absent_backend(), half = half_backend(), old = *padic_null();
    padic_null_desc null = PADIC_ZERO;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_device_info info;
    notes log = PADIC_ZERO;
    desc.log.write = note_line;
    desc.log.user = &log;
    desc.device.native_context = &null;
    desc.backends[0] = &absent;
    desc.backends[2] = padic_null();
    desc.backends[3] = &half;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(log.lines, 1); // the absent one
    CHECK(!strcmp(log.last, "absent: no driver"));
    padic_context_device_info(context, &info);
    CHECK(!strcmp(info.name, "null"));
    CHECK_EQ(context->target_count, 3);
    padic_context_destroy(context);
    CHECK_EQ(null.live, 0);

    absent.open = mute_open; // without a sentence of its own there is the common one
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    CHECK(!strcmp(log.last, padic_result_text(PADIC_ERROR_NO_DEVICE)));
    padic_context_destroy(context);

    desc.flags = PADIC_CONTEXT_STRICT; // the first named must be there
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_ERROR_NO_DEVICE);
    CHECK(context == NULL);
    desc.flags = 0;
    desc.backends[2] = desc.backends[3] = NULL; // one named: strict
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_ERROR_NO_DEVICE);

    desc.backends[0] = padic_null();
    desc.backends[1] = padic_null(); // a second device is not opened
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    CHECK_EQ(null.live, 1);
    padic_context_destroy(context);

    old.version++;
    desc.backends[0] = &old;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_ERROR_NOT_SUPPORTED);
    old.version--;
    old.fill = NULL;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(null.live, 0);
}

// -------------------------------------------------------------------------------------- buffers

static void check_stale(padic_context *context, padic_buffer bad, padic_buffer good)
{
    uint32_t word = 0;
    padic_buffer_report report;
    padic_fill_desc fill = PADIC_ZERO;
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 1), bad, 0);
    CHECK_EQ(padic_buffer_info(context, bad, &report), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_upload(context, bad, 0, &word, 4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_download(context, bad, 0, &word, 4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_fill(context, bad, 0, 0, 4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_copy(context, bad, 0, good, 0, 4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_copy(context, good, 0, bad, 0, 4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_fill(context, &fill), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_destroy(context, bad), PADIC_ERROR_ARGUMENT);
}

// A context that never made a buffer refuses every id, in the tasks of each area as well.
TEST(ids_without_buffers)
{
    padic_context *context;
    padic_sample_halton_desc halton = PADIC_ZERO;
    padic_codec_pack_desc pack = PADIC_ZERO;
    padic_cdt_load_desc load = PADIC_ZERO;
    padic_cdt_plan *plan = NULL;
    padic_field_energy_desc energy = PADIC_ZERO;
    padic_field_record record;
    padic_sparse_count_desc count = PADIC_ZERO;
    padic_sparse_encode_report counted;
    char space[64];
    const padic_buffer bad = {31};
    REQUIRE(padic_context_create(NULL, &context) == PADIC_OK);
    halton.out = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, 4, 2), bad, 0);
    CHECK_EQ(padic_sample_halton(context, &halton), PADIC_ERROR_ARGUMENT);
    pack.tensor = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, 4), bad, 0);
    pack.packed.data = space, pack.packed.capacity = sizeof space;
    CHECK_EQ(padic_codec_pack(context, &pack), PADIC_ERROR_ARGUMENT);
    load.bytes.buffer = bad, load.bytes.size = 100;
    CHECK_EQ(padic_cdt_load(context, &load, &plan), PADIC_ERROR_ARGUMENT);
    CHECK(plan == NULL);
    energy.field.dims = 1, energy.field.shape[0] = 64, energy.field.spacing[0] = 1;
    energy.field.kinetic = 0.5, energy.field.dt = 0.01;
    energy.psi = padic_tensor_in(padic_tensor_1d(PADIC_C64, NULL, 64), bad, 0);
    energy.report = &record;
    CHECK_EQ(padic_field_energy(context, &energy), PADIC_ERROR_ARGUMENT);
    count.source.dense = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, 4, 2), bad, 0);
    count.report = &counted;
    CHECK_EQ(padic_sparse_count(context, &count), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);
}

TEST(stale_ids)
{
    padic_context *contexts[4];
    padic_buffer good[4], bad, other;
    int foreign = 0;
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(padic_context_create(NULL, &contexts[i]), PADIC_OK);
        REQUIRE(contexts[i] != NULL);
        CHECK_EQ(new_buffer(contexts[i], 8, &good[i]), PADIC_OK);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) foreign += i != j && padici_slot_find(contexts[i], good[j]);
    CHECK(foreign <= 2); // one pair in 65,536 may meet by chance, not two
    bad.id = 0;
    check_stale(contexts[0], bad, good[0]);
    CHECK_EQ(new_buffer(contexts[0], 8, &bad), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(contexts[0], bad), PADIC_OK);
    check_stale(contexts[0], bad, good[0]);
    CHECK_EQ(new_buffer(contexts[0], 8, &other), PADIC_OK); // the same slot and block again
    CHECK(other.id != bad.id && (other.id & 0xffff) == (bad.id & 0xffff));
    check_stale(contexts[0], bad, good[0]);
    for (int i = 0; i < 1000; i++) { // any bits at all
        bad.id = (uint32_t)test_random();
        if (bad.id != other.id && bad.id != good[0].id) check_stale(contexts[0], bad, good[0]);
    }
    for (int i = 0; i < 4; i++) padic_context_destroy(contexts[i]);
    padic_fill_desc fill = PADIC_ZERO;
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 1), other, 0);
    CHECK_EQ(padic_fill(NULL, &fill), PADIC_ERROR_ARGUMENT); // no context at all
    CHECK_EQ(padic_buffer_destroy(NULL, other), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_upload(NULL, other, 0, &fill, 1), PADIC_ERROR_ARGUMENT);
}

// The same on the CPU and on a device.
static void check_buffers(padic_context *context)
{
    unsigned char bytes[300], back[300];
    padic_buffer a, b, lent;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer_report report;
    const uint64_t huge = UINT64_MAX - 3;
    uint32_t words[4] = {1, 2, 3, 4};
    for (int i = 0; i < 300; i++) bytes[i] = (unsigned char)test_random();
    desc.size = 300;
    desc.data = bytes;
    CHECK_EQ(padic_buffer_create(context, &desc, &a), PADIC_OK);
    CHECK_EQ(new_buffer(context, 301, &b), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, a, 0, back, 300), PADIC_OK);
    CHECK(!memcmp(bytes, back, 300));
    CHECK_EQ(padic_buffer_copy(context, b, 1, a, 0, 300), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, b, 11, back, 290), PADIC_OK);
    CHECK(!memcmp(bytes + 10, back, 290));
    CHECK_EQ(padic_buffer_upload(context, a, 100, "hello", 5), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, a, 99, back, 7), PADIC_OK);
    CHECK(back[0] == bytes[99] && !memcmp(back + 1, "hello", 5) && back[6] == bytes[105]);
    CHECK_EQ(padic_buffer_fill(context, a, 4, 0x01020304u, 8), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, a, 0, back, 16), PADIC_OK);
    words[0] = words[1] = 0x01020304u;
    CHECK(!memcmp(back, bytes, 4) && !memcmp(back + 4, words, 8));
    CHECK(!memcmp(back + 12, bytes + 12, 4));
    // ranges
    CHECK_EQ(padic_buffer_upload(context, a, 296, bytes, 5), PADIC_ERROR_REGION);
    CHECK_EQ(padic_buffer_upload(context, a, huge, bytes, 5), PADIC_ERROR_REGION);
    CHECK_EQ(padic_buffer_download(context, a, 5, back, huge), PADIC_ERROR_REGION);
    CHECK_EQ(padic_buffer_copy(context, a, 0, b, 2, 300), PADIC_ERROR_REGION);
    CHECK_EQ(padic_buffer_fill(context, a, 300, 0, 4), PADIC_ERROR_REGION);
    CHECK_EQ(padic_buffer_fill(context, a, 2, 0, 4), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_fill(context, a, 4, 0, 6), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_upload(context, a, 0, NULL, 1), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_download(context, a, 0, NULL, 1), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_upload(context, a, 300, NULL, 0), PADIC_OK);
    CHECK_EQ(padic_buffer_copy(context, a, 300, a, 300, 0), PADIC_OK);
    CHECK_EQ(padic_buffer_copy(context, a, 0, a, 99, 100), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_buffer_copy(context, a, 99, a, 0, 100), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_buffer_copy(context, a, 0, a, 100, 100), PADIC_OK);
    // borrowed host memory stays where it is, and goes both ways
    memset(&desc, 0, sizeof desc);
    desc.size = sizeof words;
    desc.host = words;
    CHECK_EQ(padic_buffer_create(context, &desc, &lent), PADIC_OK);
    CHECK_EQ(padic_buffer_info(context, lent, &report), PADIC_OK);
    CHECK(report.borrowed && report.host && report.size == 16 &&
          report.native == (uint64_t)(uintptr_t)words);
    CHECK_EQ(padic_buffer_fill(context, lent, 8, 9, 4), PADIC_OK);
    CHECK_EQ(words[2], 9);
    CHECK_EQ(padic_buffer_copy(context, b, 0, lent, 0, 16), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(context, lent, 0, 0, 16), PADIC_OK);
    CHECK_EQ(padic_buffer_copy(context, lent, 4, b, 8, 8), PADIC_OK);
    CHECK(words[0] == 0 && words[1] == 9 && words[2] == 4 && words[3] == 0);
    CHECK_EQ(padic_buffer_copy(context, lent, 0, lent, 4, 8), PADIC_ERROR_OVERLAP);
    desc.data = words;
    CHECK_EQ(padic_buffer_create(context, &desc, &lent), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(lent.id, 0);
    // borrowed device memory: another buffer's handle will do
    CHECK_EQ(padic_buffer_info(context, b, &report), PADIC_OK);
    memset(&desc, 0, sizeof desc);
    desc.size = 301;
    desc.native = report.native;
    CHECK_EQ(padic_buffer_create(context, &desc, &lent), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(context, b, 8, 77, 4), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, lent, 8, words, 4), PADIC_OK);
    CHECK_EQ(words[0], 77);
    CHECK_EQ(padic_buffer_destroy(context, lent), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, b, 8, words, 4), PADIC_OK); // still there
    // sizes at the edge
    CHECK_EQ(new_buffer(context, 0, &lent), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(context, lent), PADIC_OK);
    CHECK_EQ(new_buffer(context, UINT64_MAX, &lent), PADIC_ERROR_LIMIT);
    CHECK_EQ(lent.id, 0);
    CHECK(*padic_context_message(context));
    CHECK_EQ(padic_buffer_create(context, NULL, &lent), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_create(context, &desc, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_info(context, a, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_info(NULL, a, &report), PADIC_ERROR_ARGUMENT);
    padic_context_stats(context, NULL);
    padic_context_device_info(context, NULL);
    CHECK_EQ(padic_buffer_create(NULL, &desc, &lent), PADIC_ERROR_ARGUMENT);
}

TEST(buffers)
{
    heap h = PADIC_ZERO;
    padic_null_desc null = PADIC_ZERO;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    desc.allocator = heap_hook(&h);
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    check_buffers(context);
    padic_context_destroy(context);
    CHECK(!h.live && !h.wrong);
    CHECK_EQ(null_context(&null, 0, &h, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    check_buffers(context);
    padic_context_destroy(context);
    CHECK(!h.live && !h.wrong && !null.live);
}

TEST(many_buffers)
{
    padic_context *context;
    static padic_buffer all[65535];
    padic_buffer one;
    char lent[4];
    padic_buffer_desc desc = PADIC_ZERO;
    CHECK_EQ(padic_context_create(NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    desc.size = 4;
    desc.host = lent;
    for (int i = 0; i < 65535; i++) REQUIRE(!padic_buffer_create(context, &desc, &all[i]));
    CHECK_EQ(padic_buffer_create(context, &desc, &one), PADIC_ERROR_LIMIT);
    CHECK_EQ(padic_buffer_destroy(context, all[777]), PADIC_OK);
    CHECK_EQ(padic_buffer_create(context, &desc, &one), PADIC_OK);
    CHECK_EQ(one.id & 0xffff, all[777].id & 0xffff);
    // one slot used over and over: its ids repeat after 65,536 times, not before
    for (int i = 0; i < 65535; i++) {
        CHECK(i == 65534 || one.id != all[777].id);
        CHECK_EQ(padic_buffer_destroy(context, one), PADIC_OK);
        CHECK_EQ(padic_buffer_create(context, &desc, &one), PADIC_OK);
    }
    CHECK_EQ(one.id, all[777].id);
    padic_context_destroy(context);
}

// ----------------------------------------------------------------------------------------- pool

TEST(pool_sizes)
{
    uint64_t before = 0, size, rounded;
    uint32_t last = 0;
    for (size = 1; size < UINT64_C(1) << 34; size += 1 + size / 97) {
        rounded = size;
        const uint32_t bin = padici_pool_size_class(&rounded);
        CHECK(bin < PADICI_POOL_SIZE_CLASSES && bin >= last);
        CHECK(rounded >= size && rounded >= before);
        CHECK(bin == last || bin == last + 1); // no class is skipped
        if (before && bin < PADICI_POOL_SIZE_CLASSES - 1)
            CHECK((bin == last) == (rounded == before));
        if (size > 256) CHECK((rounded - size) * 4 < size);
        last = bin;
        before = rounded;
        CHECK_EQ(padici_pool_size_class(&rounded), bin); // rounding twice changes nothing
        CHECK_EQ(rounded, before);
    }
    CHECK_EQ(last, PADICI_POOL_SIZE_CLASSES - 1);
    size = UINT64_C(64) << 20;
    CHECK_EQ(padici_pool_size_class(&size), PADICI_POOL_SIZE_CLASSES - 2);
    size++;
    CHECK_EQ(padici_pool_size_class(&size), PADICI_POOL_SIZE_CLASSES - 1);
    CHECK_EQ(size, UINT64_C(66) << 20);
}

// Random sizes come and go; each buffer keeps its own pattern, so none shares memory.
TEST(pool_never_aliases)
{
    enum { LIVE = 40 };
    padic_buffer buffers[LIVE];
    uint64_t sizes[LIVE];
    uint32_t marks[LIVE];
    heap h = PADIC_ZERO;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    memset(buffers, 0, sizeof buffers);
    desc.allocator = heap_hook(&h);
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    for (uint32_t round = 0; round < (test_tiny ? 200u : 3000u); round++) {
        const uint64_t i = test_random() % LIVE;
        static uint32_t back[2048];
        if (buffers[i].id) {
            CHECK_EQ(padic_buffer_download(context, buffers[i], 0, back, sizes[i]), PADIC_OK);
            for (uint64_t w = 0; w < sizes[i] / 4; w++) CHECK_EQ(back[w], marks[i]);
            CHECK_EQ(padic_buffer_destroy(context, buffers[i]), PADIC_OK);
        }
        sizes[i] = (test_random() % (1 + test_random() % 2048)) * 4;
        marks[i] = round;
        CHECK_EQ(new_buffer(context, sizes[i], &buffers[i]), PADIC_OK);
        CHECK_EQ(padic_buffer_fill(context, buffers[i], 0, round, sizes[i]), PADIC_OK);
        if (round % 500 == 0) padic_context_trim(context, 1);
    }
    const padic_stats stats = stats_of(context);
    CHECK(stats.pool_hits > stats.device_allocations);
    padic_context_trim(context, 1);
    CHECK_EQ(stats_of(context).pool_idle, 0);
    padic_context_destroy(context);
    CHECK(!h.live && !h.wrong);
}

TEST(pool_second_step_allocates_nothing)
{
    heap h = PADIC_ZERO;
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    uint64_t calls = 0, device = 0;
    static uint32_t strided[5000];
    CHECK_EQ(null_context(&null, PADIC_CONTEXT_PROFILE, &h, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    for (int step = 0; step < 4; step++) {
        padic_buffer a, b, c;
        padic_fill_desc fill = PADIC_ZERO;
        padic_copy_desc copy = PADIC_ZERO;
        padic_random_fill_desc random = PADIC_ZERO;
        CHECK_EQ(new_buffer(context, 10000, &a), PADIC_OK);
        CHECK_EQ(new_buffer(context, 5000, &b), PADIC_OK);
        CHECK_EQ(new_buffer(context, 70000, &c), PADIC_OK);
        fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, 777), b, 1);
        CHECK_EQ(padic_fill(context, &fill), PADIC_OK); // odd: through the host
        random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, 2500), a, 0);
        CHECK_EQ(padic_random_fill(context, &random), PADIC_OK); // through the host
        copy.from = random.tensor;
        copy.to = padic_tensor_1d(PADIC_F32, strided, 2500);
        copy.to.stride[0] = 2;
        CHECK_EQ(padic_copy(context, &copy), PADIC_OK); // through the host, with gaps
        random.tensor = padic_tensor_1d(PADIC_F32, strided, 100);
        CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
        CHECK_EQ(padic_buffer_destroy(context, c), PADIC_OK);
        CHECK_EQ(padic_buffer_destroy(context, a), PADIC_OK);
        CHECK_EQ(padic_buffer_destroy(context, b), PADIC_OK);
        if (step > 0) {
            CHECK_EQ(h.calls, calls);
            CHECK_EQ(stats_of(context).device_allocations, device);
        }
        calls = h.calls;
        device = stats_of(context).device_allocations;
    }
    CHECK(op_stats(context, PADIC_OP_COPY).fallbacks == 4);
    padic_context_destroy(context);
    CHECK(!h.live && !h.wrong && !null.live);
}

TEST(pool_trim_and_retry)
{
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    padic_buffer buffers[10];
    CHECK_EQ(null_context(&null, 0, NULL, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    for (int i = 0; i < 10; i++)
        CHECK_EQ(new_buffer(context, UINT64_C(1024) << i, &buffers[i]), PADIC_OK);
    const uint64_t all = stats_of(context).pool_live;
    CHECK_EQ(all, 1023 * 1024);
    for (int i = 0; i < 10; i++) CHECK_EQ(padic_buffer_destroy(context, buffers[i]), PADIC_OK);
    CHECK_EQ(stats_of(context).pool_live, 0);
    CHECK_EQ(stats_of(context).pool_idle, all);
    CHECK_EQ(stats_of(context).pool_peak, all);
    padic_context_trim(context, 0); // 1.2 times the peak: nothing to free
    CHECK_EQ(stats_of(context).pool_idle, all);
    padic_context_trim(context, 200 * 1024); // the largest go: 512, 256, 128 KiB
    CHECK_EQ(stats_of(context).pool_idle, 127 * 1024);
    CHECK_EQ(null.live, 1 + 7);
    // a device without memory: idle blocks are freed, then it is asked once more
    null.fail_at = null.calls + 1;
    CHECK_EQ(new_buffer(context, 1 << 20, &buffers[0]), PADIC_OK);
    CHECK_EQ(stats_of(context).pool_idle, 0);
    CHECK_EQ(null.live, 2);
    // with nothing idle it is an error, and the device stays usable
    null.fail_at = null.calls + 1;
    CHECK_EQ(new_buffer(context, 1 << 20, &buffers[1]), PADIC_ERROR_MEMORY);
    CHECK(strstr(padic_context_message(context), "null backend: call"));
    CHECK_EQ(new_buffer(context, 1 << 20, &buffers[1]), PADIC_OK);
    padic_context_destroy(context);
    CHECK_EQ(null.live, 0);
}

TEST(pool_large_blocks_and_limit)
{
    const uint64_t mib = 1 << 20;
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    padic_buffer a, b;
    padic_stats stats;
    if (sizeof(size_t) < 8) {
        SKIP("blocks of 100 MiB are for 64-bit machines");
    }
    null.max_alloc = 101 * mib;
    CHECK_EQ(null_context(&null, 0, NULL, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(new_buffer(context, 99 * mib, &a), PADIC_OK); // 100 MiB
    CHECK_EQ(padic_buffer_destroy(context, a), PADIC_OK);
    CHECK_EQ(new_buffer(context, 80 * mib, &a), PADIC_OK); // a quarter would be wasted
    CHECK_EQ(new_buffer(context, 90 * mib, &b), PADIC_OK); // 11 % is fine
    stats = stats_of(context);
    CHECK_EQ(stats.device_allocations, 2);
    CHECK_EQ(stats.pool_live, 180 * mib);
    CHECK_EQ(padic_buffer_destroy(context, a), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(context, b), PADIC_OK);
    CHECK_EQ(new_buffer(context, 101 * mib, &a), PADIC_OK); // not rounded beyond the limit
    CHECK_EQ(padic_buffer_destroy(context, a), PADIC_OK);
    CHECK_EQ(new_buffer(context, 101 * mib, &a), PADIC_OK);
    CHECK_EQ(stats_of(context).device_allocations, 3);
    CHECK_EQ(new_buffer(context, 101 * mib + 1, &b), PADIC_ERROR_LIMIT);
    padic_context_destroy(context);
    CHECK_EQ(null.live, 0);
}

TEST(debug_fill)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_buffer buffer;
    padic_buffer_report report;
    unsigned char bytes[250];
    int wrong = 0;
    desc.flags = PADIC_CONTEXT_DEBUG;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(new_buffer(context, 250, &buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, buffer, 0, bytes, 250), PADIC_OK);
    for (int i = 0; i < 250; i++) wrong += bytes[i] != 0xcd;
    CHECK_EQ(padic_buffer_info(context, buffer, &report), PADIC_OK);
    memset(bytes, 1, 250);
    CHECK_EQ(padic_buffer_upload(context, buffer, 0, bytes, 250), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(context, buffer), PADIC_OK);
    memcpy(bytes, (void *)(uintptr_t)report.native, 250); // idle in the pool, still mapped
    for (int i = 0; i < 250; i++) wrong += bytes[i] != 0xcd;
    CHECK_EQ(wrong, 0);
    padic_context_destroy(context);
}

// ----------------------------------------------------------------------------------- operations

enum { ROOM = 4096 }; // bytes of each memory below

// A view of rank 0 to 3 with extents 0 to 5, dense or strided in any order of axes, that starts at
// some element and fits ROOM bytes. Returns the start.
static uint64_t random_view(padic_dtype dtype, uint32_t rank, const uint64_t *shape,
                            padic_tensor *t)
{
    const uint64_t room = ROOM / padic_dtype_size(dtype);
    uint64_t span = 1, start;
    *t = padic_tensor_nd(dtype, NULL, rank, shape);
    if (test_random() % 2 && rank) {
        uint32_t axes[3] = {0, 1, 2};
        uint64_t step = 1 + test_random() % 2;
        for (uint32_t i = rank; i > 1; i--) {
            const uint32_t j = (uint32_t)(test_random() % i), keep = axes[i - 1];
            axes[i - 1] = axes[j];
            axes[j] = keep;
        }
        for (uint32_t i = 0; i < rank; i++) {
            t->stride[axes[i]] = (int64_t)step;
            span += shape[axes[i]] ? (shape[axes[i]] - 1) * step : 0;
            step = span + test_random() % 2;
        }
    } else {
        for (uint32_t i = 0; i < rank; i++) span *= shape[i];
    }
    start = span < room ? test_random() % (room - span + 1) : 0;
    if (span > room) t->rank = PADIC_MAX_RANK + 1; // the caller tries again
    return start;
}

// Byte of element i of a view, by the definition of strides.
static uint64_t element_at(const padic_tensor *t, uint64_t i)
{
    int64_t stride[PADIC_MAX_RANK], at = 0;
    padici_tensor_dense(t, stride);
    for (uint32_t axis = t->rank; axis > 0; axis--) {
        at += (int64_t)(i % t->shape[axis - 1]) * stride[axis - 1];
        i /= t->shape[axis - 1];
    }
    return (uint64_t)at * padic_dtype_size(t->dtype);
}

// Puts a view onto memory in one of four places: host, buffer, borrowed host, by `kind`.
typedef struct memory {
    unsigned char *host;  // what it must hold
    unsigned char *there; // host memory, when kind is 0 or 2
    padic_buffer buffer;
} memory;

static void memory_begin(padic_context *context, memory *m, int kind)
{
    m->host = (unsigned char *)malloc(ROOM);
    m->there = (unsigned char *)malloc(ROOM);
    m->buffer.id = 0;
    for (int i = 0; i < ROOM; i++) m->host[i] = m->there[i] = (unsigned char)test_random();
    padic_buffer_desc desc = PADIC_ZERO;
    desc.size = ROOM;
    if (kind == 1) desc.data = m->there;
    if (kind == 2) desc.host = m->there;
    if (kind) CHECK_EQ(padic_buffer_create(context, &desc, &m->buffer), PADIC_OK);
}

static void memory_view(const memory *m, uint64_t start, padic_tensor *t)
{
    if (m->buffer.id) {
        *t = padic_tensor_in(*t, m->buffer, start);
    } else {
        t->data = m->there + start * padic_dtype_size(t->dtype);
    }
}

static void memory_end(padic_context *context, memory *m, int kind)
{
    if (kind == 1)
        CHECK_EQ(padic_buffer_download(context, m->buffer, 0, m->there, ROOM), PADIC_OK);
    CHECK(!memcmp(m->there, m->host, ROOM));
    if (kind) CHECK_EQ(padic_buffer_destroy(context, m->buffer), PADIC_OK);
    free(m->host);
    free(m->there);
}

// Fill, copy and random_fill on random views in every place, against element loops written here.
static void check_operations(padic_context *context, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        const padic_dtype dtype = (padic_dtype)(1 + test_random() % 14);
        const uint32_t size = padic_dtype_size(dtype), rank = (uint32_t)(test_random() % 4);
        const int kinds = context ? 3 : 1;
        const int from_kind = (int)(test_random() % (uint64_t)kinds);
        const int to_kind = (int)(test_random() % (uint64_t)kinds);
        uint64_t shape[3], start, from_start, count = 1;
        unsigned char value[16];
        padic_tensor t, from;
        memory a, b;
        for (int i = 0; i < 3; i++) shape[i] = test_random() % 6;
        for (uint32_t i = 0; i < rank; i++) count *= shape[i];
        for (int i = 0; i < 16; i++) value[i] = (unsigned char)test_random();
        start = random_view(dtype, rank, shape, &t);
        from_start = random_view(dtype, rank, shape, &from);
        if (t.rank > PADIC_MAX_RANK || from.rank > PADIC_MAX_RANK) continue;
        memory_begin(context, &a, from_kind);
        memory_begin(context, &b, to_kind);
        memory_view(&a, from_start, &from);
        memory_view(&b, start, &t);
        if (round % 3 == 0) {
            padic_fill_desc desc = PADIC_ZERO;
            desc.tensor = t;
            desc.value = round % 2 ? value : NULL;
            if (!desc.value) memset(value, 0, 16);
            CHECK_EQ(padic_fill(context, &desc), PADIC_OK);
            for (uint64_t i = 0; i < count; i++)
                memcpy(b.host + start * size + element_at(&t, i), value, size);
        } else if (round % 3 == 1) {
            padic_copy_desc desc = PADIC_ZERO;
            desc.from = from;
            desc.to = t;
            CHECK_EQ(padic_copy(context, &desc), PADIC_OK);
            for (uint64_t i = 0; i < count; i++)
                memcpy(b.host + start * size + element_at(&t, i),
                       a.host + from_start * size + element_at(&from, i), size);
        } else {
            padic_random_fill_desc desc = PADIC_ZERO;
            static unsigned char dense[ROOM];
            desc.tensor = padic_tensor_nd(dtype, dense, rank, shape);
            desc.seed = (uint64_t)round;
            CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_OK);
            desc.tensor = t;
            CHECK_EQ(padic_random_fill(context, &desc), PADIC_OK);
            for (uint64_t i = 0; i < count; i++)
                memcpy(b.host + start * size + element_at(&t, i), dense + i * size, size);
        }
        memory_end(context, &b, to_kind);
        memory_end(context, &a, from_kind);
    }
}

// In one line: the CPU where nothing else is included, and not strict where one backend is.
TEST(best)
{
    padic_context *context = NULL;
    padic_device_info info;
    char text[4096];
    CHECK_EQ(padic_context_create_best(&context), PADIC_OK);
    REQUIRE(context != NULL);
    padic_context_device_info(context, &info);
    CHECK(!strcmp(info.name, "CPU, plain C"));
    padic_context_destroy(context);
#undef PADICI_BEST_SIMD
#define PADICI_BEST_SIMD padic_null() // stands for a header's device
    CHECK_EQ(padic_context_create_best(&context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK(!context->strict && context->target_count == 2);
    padic_context_describe_desc describe = PADIC_ZERO;
    describe.text = padic_bytes_out(text, sizeof text);
    CHECK_EQ(padic_context_describe(context, &describe), PADIC_OK);
    CHECK(strstr(text, "null: ") && strstr(text, "cpu: "));
    padic_context_destroy(context);
    CHECK_EQ(padic_context_create_best(NULL), PADIC_ERROR_ARGUMENT);
}

TEST(operations)
{
    const int rounds = test_tiny ? 300 : 6000;
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    check_operations(NULL, rounds);
    CHECK_EQ(padic_context_create(NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    check_operations(context, rounds);
    for (int op = 1; op <= PADIC_OP_RANDOM_FILL; op++)
        CHECK(op_stats(context, op).calls && !op_stats(context, op).fallbacks &&
              !op_stats(context, op).staged_bytes);
    padic_context_destroy(context);
    CHECK_EQ(null_context(&null, PADIC_CONTEXT_DEBUG, NULL, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    half_fills = 0;
    check_operations(context, rounds);
    for (int op = 1; op <= PADIC_OP_RANDOM_FILL; op++)
        CHECK(op_stats(context, op).fallbacks && op_stats(context, op).staged_bytes);
    CHECK(op_stats(context, PADIC_OP_FILL).fallbacks <
          op_stats(context, PADIC_OP_FILL).calls); // the driver's
    CHECK(op_stats(context, PADIC_OP_COPY).fallbacks < op_stats(context, PADIC_OP_COPY).calls);
    CHECK_EQ(op_stats(context, PADIC_OP_RANDOM_FILL).fallbacks,
             op_stats(context, PADIC_OP_RANDOM_FILL).calls);
    CHECK_EQ(half_fills, op_stats(context, PADIC_OP_FILL).fallbacks); // the second backend's
    padic_context_destroy(context);
    CHECK_EQ(null.live, 0);
}

// Every counter, to the number.
TEST(statistics)
{
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    padic_buffer a, b;
    padic_stats s;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_copy_desc copy = PADIC_ZERO;
    padic_fill_desc fill = PADIC_ZERO;
    uint32_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    CHECK_EQ(null_context(&null, 0, NULL, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    desc.size = sizeof words;
    desc.data = words;
    CHECK_EQ(padic_buffer_create(context, &desc, &a), PADIC_OK);       // upload of 32
    CHECK_EQ(new_buffer(context, sizeof words, &b), PADIC_OK);
    CHECK_EQ(padic_buffer_copy(context, b, 0, a, 0, 32), PADIC_OK);    // copy
    CHECK_EQ(padic_buffer_upload(context, a, 4, words, 8), PADIC_OK);  // upload of 8
    CHECK_EQ(padic_buffer_download(context, b, 8, words, 12), PADIC_OK); // download of 12
    CHECK_EQ(padic_buffer_fill(context, b, 0, 5, 16), PADIC_OK);       // fill
    copy.from = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 8), a, 0);
    copy.to = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 8), b, 0);
    CHECK_EQ(padic_copy(context, &copy), PADIC_OK);                    // copy
    copy.to = padic_tensor_1d(PADIC_U32, words, 8);
    CHECK_EQ(padic_copy(context, &copy), PADIC_OK);                    // download of 32
    fill.tensor = copy.from;
    fill.tensor.shape[0] = 4;
    fill.tensor.stride[0] = 2;
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);        // download and upload of 28, fallback
    CHECK_EQ(padic_context_sync(context), PADIC_OK);
    s = stats_of(context);
    CHECK(s.uploads == 3 && s.upload_bytes == 32 + 8 + 28);
    CHECK(s.downloads == 3 && s.download_bytes == 12 + 32 + 28);
    CHECK(s.copies == 2 && s.fills == 1 && s.syncs == 1 && s.launches == 0 && s.programs == 0);
    const padic_op_stats copied = op_stats(context, PADIC_OP_COPY);
    const padic_op_stats filled = op_stats(context, PADIC_OP_FILL);
    CHECK(copied.calls == 2 && copied.fallbacks == 0 && copied.staged_bytes == 0);
    CHECK(filled.calls == 1 && filled.fallbacks == 1 && filled.staged_bytes == 56);
    CHECK(s.device_allocations == 3 && s.pool_hits == 0); // one on the host
    CHECK(s.pool_live == 512 && s.pool_idle == 256 && s.pool_peak == 768);
    CHECK_EQ(padic_buffer_destroy(context, b), PADIC_OK);
    CHECK_EQ(new_buffer(context, 100, &b), PADIC_OK);
    CHECK_EQ(stats_of(context).pool_hits, 1);
    CHECK(s.host_allocations == 4); // context, ids, a table of blocks for each pool
    padic_context_destroy(context);
}

// A value of 16 bytes is a repeated word only if all four words agree.
// Small calls that are done at once are counted like those that go the long way.
TEST(small_calls_are_counted)
{
    padic_context_desc plain = PADIC_ZERO;
    double x[48];
    for (int i = 0; i < 48; i++) x[i] = i;
    for (int profile = 0; profile < 2; profile++) {
        padic_tensor_gemm_desc gemm = PADIC_ZERO;
        padic_context *context;
        padic_context_ask_report report;
        plain.flags = profile ? (uint32_t)PADIC_CONTEXT_PROFILE : 0;
        CHECK_EQ(padic_context_create(&plain, &context), PADIC_OK);
        REQUIRE(context != NULL);
        gemm.a = padic_tensor_2d(PADIC_F64, x, 4, 4);
        gemm.b = padic_tensor_2d(PADIC_F64, x + 16, 4, 4);
        gemm.c = padic_tensor_2d(PADIC_F64, x + 32, 4, 4);
        CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_GEMM).calls, 0);
        for (uint64_t i = 1; i < 4; i++) {
            CHECK_EQ(padic_tensor_gemm(context, &gemm), PADIC_OK);
            CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_GEMM).calls, i);
        }
        CHECK(!strcmp(op_stats(context, PADIC_OP_TENSOR_GEMM).backend, "cpu"));
        CHECK_EQ(padic_context_ask(context, &report), PADIC_OK); // from here on nothing is done
        x[32] = -1;
        CHECK_EQ(padic_tensor_gemm(context, &gemm), PADIC_ERROR_ASKED);
        CHECK_EQ(padic_context_ask(context, NULL), PADIC_OK);
        CHECK(x[32] == -1 && report.calls == 1);
        CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_GEMM).calls, 3);
        gemm.c.dtype = PADIC_F32; // refused: not counted
        CHECK(padic_tensor_gemm(context, &gemm) != PADIC_OK);
        gemm.c.dtype = PADIC_F64;
        CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_GEMM).calls, 3);
        CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_GEMM).fallbacks, 0);
        padic_context_destroy(context);
    }
}

TEST(fill_words)
{
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    padic_buffer buffer;
    padic_fill_desc fill = PADIC_ZERO;
    CHECK_EQ(null_context(&null, 0, NULL, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(new_buffer(context, 64, &buffer), PADIC_OK);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_C128, NULL, 4), buffer, 0);
    for (int odd = 0; odd < 5; odd++) {
        uint32_t value[4] = {6, 6, 6, 6}, back[16];
        if (odd < 4) value[odd] = 7;
        fill.value = value;
        CHECK_EQ(ASK(context, padic_fill(context, &fill)), PADIC_OK);
        CHECK(!strcmp(test_asked.backend, odd < 4 ? "half" : "null"));
        CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
        CHECK_EQ(padic_buffer_download(context, buffer, 0, back, 64), PADIC_OK);
        for (int i = 0; i < 16; i++) CHECK_EQ(back[i], value[i % 4]);
    }
    padic_context_destroy(context);
}

TEST(operations_refuse)
{
    uint32_t data[16] = {0};
    padic_context *context;
    padic_buffer buffer;
    padic_copy_desc copy = PADIC_ZERO;
    padic_fill_desc fill = PADIC_ZERO;
    CHECK_EQ(padic_context_create(NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(new_buffer(context, 64, &buffer), PADIC_OK);
    CHECK_EQ(padic_fill(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_fill(context, &fill), PADIC_ERROR_DTYPE);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 16), buffer, 0);
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
    fill.tensor.offset = 1;
    CHECK_EQ(padic_fill(context, &fill), PADIC_ERROR_REGION);
    fill.tensor.offset = UINT64_MAX;
    CHECK_EQ(padic_fill(context, &fill), PADIC_ERROR_REGION);
    fill.tensor.offset = UINT64_MAX / 4;
    CHECK_EQ(padic_fill(context, &fill), PADIC_ERROR_REGION);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 8), buffer, 1);
    fill.tensor.stride[0] = 2;
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK); // elements 1, 3, .. 15
    fill.tensor.offset = 2;
    CHECK_EQ(padic_fill(context, &fill), PADIC_ERROR_REGION);
    fill.tensor = padic_tensor_nd(PADIC_U32, data, 9, NULL);
    CHECK_EQ(padic_fill(context, &fill), PADIC_ERROR_LIMIT);
    copy.from = padic_tensor_1d(PADIC_U32, data, 8);
    copy.to = padic_tensor_1d(PADIC_U32, data + 8, 8);
    CHECK_EQ(padic_copy(context, &copy), PADIC_OK);
    copy.to.data = data + 7;
    CHECK_EQ(padic_copy(context, &copy), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_copy(NULL, &copy), PADIC_ERROR_OVERLAP);
    copy.to = copy.from;
    CHECK_EQ(padic_copy(context, &copy), PADIC_ERROR_OVERLAP);
    copy.to = padic_tensor_1d(PADIC_I32, data + 8, 8);
    CHECK_EQ(padic_copy(context, &copy), PADIC_ERROR_MISMATCH);
    copy.to = padic_tensor_1d(PADIC_U32, data + 8, 7);
    CHECK_EQ(padic_copy(context, &copy), PADIC_ERROR_MISMATCH);
    copy.to = padic_tensor_2d(PADIC_U32, data + 8, 1, 8);
    CHECK_EQ(padic_copy(context, &copy), PADIC_ERROR_MISMATCH);
    copy.from = copy.to = padic_tensor_1d(PADIC_U32, NULL, 0); // nothing to do is fine
    CHECK_EQ(padic_copy(context, &copy), PADIC_OK);
    CHECK_EQ(ASK(context, padic_copy(context, &copy)), PADIC_OK); // also of nothing
    CHECK(test_asked.calls == 1 && test_asked.op == PADIC_OP_COPY);
    CHECK(!strcmp(test_asked.backend, "cpu"));
    CHECK_EQ(padic_context_ask(NULL, &test_asked), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);
}

TEST(fallback_and_strict)
{
    padic_null_desc null = PADIC_ZERO;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_buffer buffer;
    padic_fill_desc fill = PADIC_ZERO;
    padic_random_fill_desc random = PADIC_ZERO;
    padic_copy_desc copy = PADIC_ZERO;
    uint32_t here[4] = {9, 9, 9, 9};
    uint64_t before;
    notes log = PADIC_ZERO;
    // not strict: said once an operation, counted every time
    CHECK_EQ(null_context(&null, 0, NULL, &log, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(new_buffer(context, 64, &buffer), PADIC_OK);
    random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 4), buffer, 0);
    CHECK_EQ(ASK(context, padic_random_fill(context, &random)), PADIC_OK);
    CHECK(!strcmp(test_asked.backend, "cpu"));
    CHECK_EQ(op_stats(context, PADIC_OP_RANDOM_FILL).calls, 0); // asking does nothing
    for (int i = 0; i < 3; i++) CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    CHECK_EQ(log.warnings, 1);
    CHECK(!strcmp(log.last, "random_fill: not done by null but by cpu (said once)"));
    CHECK_EQ(op_stats(context, PADIC_OP_RANDOM_FILL).fallbacks, 3);
    CHECK_EQ(op_stats(context, PADIC_OP_RANDOM_FILL).staged_bytes, 3 * 16);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 4), buffer, 0);
    CHECK_EQ(ASK(context, padic_fill(context, &fill)), PADIC_OK);
    CHECK(!strcmp(test_asked.backend, "null")); // by the driver
    fill.tensor.stride[0] = 2;
    CHECK_EQ(ASK(context, padic_fill(context, &fill)), PADIC_OK);
    CHECK(!strcmp(test_asked.backend, "half"));
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
    CHECK_EQ(log.warnings, 2);
    // half refuses copies when they come: the CPU does them
    copy.from = fill.tensor;
    copy.to = padic_tensor_1d(PADIC_U32, here, 4);
    CHECK_EQ(ASK(context, padic_copy(context, &copy)), PADIC_OK);
    CHECK(!strcmp(test_asked.backend, "half"));
    CHECK_EQ(padic_copy(context, &copy), PADIC_OK);
    CHECK(!strcmp(log.last, "copy: not done by null but by cpu (said once)"));
    CHECK(here[0] == 0 && here[3] == 0);
    CHECK_EQ(log.errors, 0);
    padic_context_destroy(context);

    // strict by name, then by flag: refused before any work
    for (int flag = 0; flag < 2; flag++) {
        second = half_backend();
        desc.backends[0] = padic_null();
        desc.backends[1] = flag ? &second : NULL;
        desc.flags = flag ? PADIC_CONTEXT_STRICT : 0;
        desc.device.native_context = &null;
        CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
        REQUIRE(context != NULL);
        CHECK_EQ(new_buffer(context, 64, &buffer), PADIC_OK);
        random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 4), buffer, 0);
        fill.tensor = random.tensor;
        before = null.calls;
        CHECK_EQ(padic_random_fill(context, &random), PADIC_ERROR_NOT_SUPPORTED);
        CHECK(strstr(padic_context_message(context), "random_fill: not done by null"));
        CHECK_EQ(ASK(context, padic_random_fill(context, &random)), PADIC_ERROR_NOT_SUPPORTED);
        CHECK(!strcmp(test_asked.backend, ""));
        CHECK_EQ(null.calls, before);
        CHECK_EQ(padic_fill(context, &fill), PADIC_OK); // the driver
        copy.from = padic_tensor_1d(PADIC_U32, here, 2); // host to host needs no device
        copy.to = padic_tensor_1d(PADIC_U32, here + 2, 2);
        CHECK_EQ(padic_copy(context, &copy), flag ? PADIC_ERROR_NOT_SUPPORTED : PADIC_OK);
        padic_context_destroy(context);
    }
    CHECK_EQ(null.live, 0);
}

TEST(without_context)
{
    float value = 1.5f, data[3] = {0, 0, 0};
    padic_fill_desc fill = PADIC_ZERO;
    fill.tensor = padic_tensor_1d(PADIC_F32, data, 3);
    fill.value = &value;
    CHECK_EQ(padic_fill(NULL, &fill), PADIC_OK);
    CHECK(data[0] == 1.5f && data[2] == 1.5f);
}

// ------------------------------------------------------------------------------------- failures

// A program that uses everything. Stops at the first failure, as programs do.
static padic_result whole_program(padic_null_desc *null, heap *h, uint32_t flags)
{
    padic_context *context = NULL;
    padic_buffer a, b = PADIC_ZERO;
    static uint32_t host[600];
    padic_buffer_desc desc = PADIC_ZERO;
    padic_fill_desc fill = PADIC_ZERO;
    padic_copy_desc copy = PADIC_ZERO;
    padic_random_fill_desc random = PADIC_ZERO;
    padic_program_desc program_desc = PADIC_ZERO;
    static const padici_shape shape = {64, 1, 4};
    padici_program program;
    padic_launch launch = PADIC_ZERO;
    padic_buffer_report report = PADIC_ZERO;
    uint32_t params = 5;
    padic_result result = null_context(null, flags, h, NULL, &context);
    if (result) {
        CHECK(context == NULL);
        return result;
    }
    desc.size = sizeof host;
    desc.data = host;
    result = padic_buffer_create(context, &desc, &a);
    CHECK(!result == (a.id != 0));
    if (!result) result = new_buffer(context, sizeof host, &b);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 600), b, 0);
    if (!result) result = padic_fill(context, &fill);
    fill.tensor.shape[0] = 200;
    fill.tensor.stride[0] = 3;
    if (!result) result = padic_fill(context, &fill); // staged, with gaps
    random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 600), a, 0);
    if (!result) result = padic_random_fill(context, &random); // staged
    copy.from = random.tensor;
    copy.to = padic_tensor_1d(PADIC_U32, host, 600);
    if (!result) result = padic_copy(context, &copy); // download
    copy.to = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 600), b, 0);
    if (!result) result = padic_copy(context, &copy); // on the device
    if (!result) result = padici_program_build(context, &program_desc, 1, &shape, &program);
    launch.group = 64;
    launch.groups[0] = launch.groups[1] = launch.groups[2] = 1;
    launch.mem_count = 1;
    launch.params = &params;
    launch.params_size = 4;
    if (!result) result = padic_buffer_info(context, a, &report);
    launch.mem[0].bits = report.native;
    if (!result) result = padici_launch(context, &program, &launch);
    for (int i = 0; i < 40 && !result; i++) result = new_buffer(context, 300, &b); // tables grow
    if (!result) result = padic_context_sync(context);
    if (!result) result = padic_buffer_download(context, a, 0, host, sizeof host);
    if (result) CHECK(*padic_context_message(context));
    padic_context_destroy(context);
    return result;
}

TEST(every_allocation_fails)
{
    for (int set = 0; set < 2; set++) {
        uint64_t n;
        for (n = 1; n < 1000; n++) {
            heap h = PADIC_ZERO;
            padic_null_desc null = PADIC_ZERO;
            h.fail_at = n;
            const padic_result result = whole_program(
                &null, &h, set ? PADIC_CONTEXT_PROFILE | PADIC_CONTEXT_DEBUG : 0);
            CHECK(!h.live && !h.bytes && !h.wrong && !null.live);
            if (h.calls < n) {
                CHECK_EQ(result, PADIC_OK);
                break;
            }
            // A retry after freeing idle blocks may save it; nothing else can.
            CHECK(result == PADIC_ERROR_MEMORY || result == PADIC_OK);
        }
        CHECK(n > 40 && n < 1000);
    }
}

TEST(every_device_call_fails)
{
    static const padic_result codes[] = {PADIC_ERROR_MEMORY, PADIC_ERROR_DEVICE,
                                         PADIC_ERROR_DEVICE_LOST};
    for (int set = 0; set < 6; set++) {
        const uint32_t flags = set % 2 ? PADIC_CONTEXT_PROFILE | PADIC_CONTEXT_DEBUG : 0;
        uint64_t n;
        for (n = 1; n < 1000; n++) {
            heap h = PADIC_ZERO;
            padic_null_desc null = PADIC_ZERO;
            null.fail_at = n;
            null.fail_with = codes[set / 2];
            const padic_result result = whole_program(&null, &h, flags);
            CHECK(!h.live && !h.wrong && !null.live);
            if (null.calls < n) {
                CHECK_EQ(result, PADIC_OK);
                break;
            }
            // A device that does not open is passed over, and the next backend has no programs.
            if (n == 1 && codes[set / 2] == PADIC_ERROR_DEVICE)
                CHECK_EQ(result, PADIC_ERROR_NOT_SUPPORTED);
            else // a failed 0xCD on giving back and a retry that succeeds are not told
                CHECK(result == codes[set / 2] || result == PADIC_OK);
            if (result == PADIC_ERROR_DEVICE_LOST)
                CHECK_EQ(null.calls, n); // not touched again
        }
        CHECK(n > 40 && n < 1000);
    }
}

TEST(device_lost)
{
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    padic_buffer a, b;
    uint32_t word = 1;
    padic_fill_desc fill = PADIC_ZERO;
    CHECK_EQ(null_context(&null, 0, NULL, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(new_buffer(context, 64, &a), PADIC_OK);
    null.fail_at = null.calls + 1;
    null.fail_with = PADIC_ERROR_DEVICE_LOST;
    CHECK_EQ(padic_context_sync(context), PADIC_ERROR_DEVICE_LOST);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 4), a, 0);
    CHECK_EQ(padic_context_sync(context), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(padic_buffer_upload(context, a, 0, &word, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(padic_buffer_fill(context, a, 0, 0, 4), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(padic_fill(context, &fill), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(ASK(context, padic_fill(context, &fill)), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(new_buffer(context, 1 << 20, &b), PADIC_ERROR_DEVICE_LOST);
    CHECK_EQ(padic_buffer_destroy(context, a), PADIC_OK);
    CHECK_EQ(null.calls, null.fail_at);
    padic_context_destroy(context);
    CHECK_EQ(null.live, 0);
}

// ------------------------------------------------------------------------------------- launches

static padic_launch seen;
static uint32_t seen_params[2];
static int launches;

static void see_launch(const padic_launch *launch, void *user)
{
    seen = *launch;
    memcpy(seen_params, launch->params, 8);
    (*(int *)user)++;
}

TEST(launch_checks)
{
    static const char *const defines[] = {"PD_X=1", "PD_WG=120"};
    static const padici_shape shapes[] = {{64, 1, 8}, {120, 8, 256}, {120, 3, 8}};
    padic_null_desc null = PADIC_ZERO;
    padic_context *context;
    padic_buffer buffers[3];
    padic_buffer_report report;
    padic_program_desc program_desc = PADIC_ZERO;
    padici_program program, none = PADIC_ZERO;
    padic_launch good = PADIC_ZERO, bad;
    const uint32_t params[2] = {7, 8};
    null.on_launch = see_launch;
    null.user = &launches;
    launches = 0;
    CHECK_EQ(null_context(&null, PADIC_CONTEXT_DEBUG, NULL, NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(new_buffer(context, 100, &buffers[i]), PADIC_OK);
        CHECK_EQ(padic_buffer_info(context, buffers[i], &report), PADIC_OK);
        good.mem[i].bits = report.native;
    }
    good.mem[3].bits = 7; // beyond the count
    program_desc.defines = defines;
    program_desc.define_count = 2;
    CHECK_EQ(padici_program_build(context, &program_desc, 3, shapes, &program), PADIC_OK);
    CHECK_EQ(null.live, 5);
    good.kernel = 2;
    good.mem_count = 3;
    good.params = params;
    good.params_size = 8;
    good.group = 120;
    good.groups[0] = 35791394; // * 120 < 2^32
    good.groups[1] = good.groups[2] = 65535;
    good.op = PADIC_OP_FILL;
    CHECK_EQ(padici_launch(context, &program, &good), PADIC_OK);
    CHECK_EQ(launches, 1);
    CHECK(seen.program == program.handle && seen.kernel == 2 && seen.group == 120);
    CHECK(seen_params[0] == 7 && seen_params[1] == 8);
    for (int i = 0; i < 3; i++) CHECK_EQ(seen.mem[i].bits, good.mem[i].bits);
    CHECK_EQ(seen.mem[3].bits, 0);
#define REFUSED(change)                                                                    \
    bad = good;                                                                            \
    change;                                                                                \
    CHECK_EQ(padici_launch(context, &program, &bad), PADIC_ERROR_ARGUMENT)
    REFUSED(bad.kernel = 3);
    REFUSED(bad.kernel = 0);
    REFUSED(bad.group = 64);
    REFUSED(bad.groups[0] = 0);
    REFUSED(bad.groups[1] = 0);
    REFUSED(bad.groups[2] = 0);
    REFUSED(bad.groups[0]++);
    REFUSED(bad.groups[1]++);
    REFUSED(bad.groups[2]++);
    REFUSED(bad.mem_count = 2);
    REFUSED(bad.mem_count = 9);
    REFUSED(bad.mem[2].bits = 0);
    REFUSED(bad.mem[2].bits++);
    REFUSED(bad.params = NULL);
    REFUSED(bad.params_size = 0);
    REFUSED(bad.params_size = 6);
    REFUSED(bad.params_size = 12);
    REFUSED(bad.params_size = 260);
    REFUSED(bad.op = PADIC_OP_COUNT);
    REFUSED(bad.op = UINT32_MAX);
    static const uint32_t most[64] = {7, 8};
    bad = good;
    bad.params = most;
    bad.params_size = 256;
    bad.kernel = 1;
    bad.op = PADIC_OP_COUNT - 1;
    for (int i = 0; i < 8; i++) bad.mem[i] = good.mem[i % 3];
    bad.mem_count = 8;
    CHECK_EQ(padici_launch(context, &program, &bad), PADIC_OK);
    CHECK_EQ(seen.mem[7].bits, seen.mem[1].bits);
    launches--;
    CHECK_EQ(padici_launch(context, &none, &good), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_destroy(context, buffers[1]), PADIC_OK);
    CHECK_EQ(padici_launch(context, &program, &good), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(launches, 1);
    CHECK_EQ(stats_of(context).launches, 2);
    padic_buffer_desc lent = PADIC_ZERO; // host memory is not the device's
    char host[100];
    lent.size = sizeof host;
    lent.host = host;
    CHECK_EQ(padic_buffer_create(context, &lent, &buffers[1]), PADIC_OK);
    good.mem[1].bits = (uint64_t)(uintptr_t)host;
    CHECK_EQ(padici_launch(context, &program, &good), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(launches, 1);
    // groups that the device does not have
    static const padici_shape large[] = {{64, 1, 8}, {512, 1, 8}}, zero = {0, 1, 8};
    CHECK_EQ(padici_program_build(context, &program_desc, 2, large, &program), PADIC_ERROR_LIMIT);
    CHECK_EQ(padici_program_build(context, &program_desc, 1, &zero, &program), PADIC_ERROR_LIMIT);
    context->recording = 1; // nothing is built now
    CHECK_EQ(padici_program_build(context, &program_desc, 3, shapes, &program),
             PADIC_ERROR_ARGUMENT);
    context->recording = 0;
    padic_context_destroy(context);
    CHECK_EQ(null.live, 0);
    // the CPU has no programs, so no launches
    CHECK_EQ(padic_context_create(NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    program_desc.define_count = 0;
    CHECK_EQ(padici_program_build(context, &program_desc, 3, shapes, &program),
             PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(padici_launch(context, &program, &good), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padici_cpu.launch(context->targets[0].device, &good), PADIC_ERROR_NOT_SUPPORTED);
    padic_context_destroy(context);
}

// -------------------------------------------------------------------------------------- profile

static uint64_t tick(void *user)
{
    return *(uint64_t *)user += 1234567;
}

typedef struct text_sink {
    char text[4096];
    size_t size;
    int fail_at, pieces;
} text_sink;

static int sink(const char *text, size_t size, void *user)
{
    text_sink *s = (text_sink *)user;
    if (++s->pieces == s->fail_at || s->size + size >= sizeof s->text) return 1;
    memcpy(s->text + s->size, text, size);
    s->size += size;
    s->text[s->size] = 0;
    return 0;
}

TEST(profile)
{
    static const char expected[] =
        "{\"traceEvents\":[\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,"
        "\"args\":{\"name\":\"host\"}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2,"
        "\"args\":{\"name\":\"null\"}},\n"
        "{\"name\":\"random_fill\",\"cat\":\"padic\",\"ph\":\"X\",\"ts\":3703.701,\"dur\":1234.567,"
        "\"pid\":1,\"tid\":1,\"args\":{\"bytes\":40,\"launches\":0,\"method\":\"cpu\"}},\n"
        "{\"name\":\"fill\",\"cat\":\"padic\",\"ph\":\"X\",\"ts\":6172.835,\"dur\":1234.567,"
        "\"pid\":1,\"tid\":2,\"args\":{\"bytes\":40,\"launches\":0,\"method\":\"null\","
        "\"clock\":\"host\"}}\n"
        "],\"displayTimeUnit\":\"ns\"}\n";
    static text_sink out;
    padic_null_desc null = PADIC_ZERO;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    padic_buffer buffer;
    padic_fill_desc fill = PADIC_ZERO;
    padic_random_fill_desc random = PADIC_ZERO;
    uint64_t time = 1;
    second = half_backend();
    desc.backends[0] = padic_null();
    desc.backends[1] = &second;
    desc.device.native_context = &null;
    desc.flags = PADIC_CONTEXT_PROFILE;
    desc.profile_spans = 2; // three spans: the first is lost
    desc.clock.now = tick;
    desc.clock.user = &time;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(new_buffer(context, 40, &buffer), PADIC_OK);
    random.tensor = padic_tensor_in(padic_tensor_1d(PADIC_F64, NULL, 5), buffer, 0);
    fill.tensor = random.tensor;
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
    CHECK_EQ(stats_of(context).spans_lost, 0);
    CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    const uint64_t syncs = stats_of(context).syncs;
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
    CHECK_EQ(stats_of(context).syncs, syncs + 1);
    CHECK_EQ(stats_of(context).spans_lost, 1);
    CHECK_EQ(padic_context_profile_write(context, sink, &out), PADIC_OK);
    if (strcmp(out.text, expected)) printf("\n%s", out.text);
    CHECK(!strcmp(out.text, expected));
    for (int piece = 1; piece <= 4; piece++) {
        memset(&out, 0, sizeof out);
        out.fail_at = piece;
        CHECK_EQ(padic_context_profile_write(context, sink, &out), PADIC_ERROR_CALLBACK);
    }
    CHECK_EQ(padic_context_profile_write(context, NULL, &out), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);

    // off: an empty trace, no waiting, and the clock is read once
    time = 0;
    desc.flags = 0;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(new_buffer(context, 40, &buffer), PADIC_OK);
    fill.tensor.buffer = buffer;
    CHECK_EQ(padic_fill(context, &fill), PADIC_OK);
    CHECK_EQ(stats_of(context).syncs, 0);
    CHECK_EQ(time, 1234567);
    memset(&out, 0, sizeof out);
    CHECK_EQ(padic_context_profile_write(context, sink, &out), PADIC_OK);
    CHECK(strstr(out.text, "\"ph\":\"X\"") == NULL);
    CHECK(strstr(out.text, "}}\n],\"displayTimeUnit\":\"ns\"}\n"));
    padic_context_destroy(context);

    // a name that JSON could not take
    padic_backend odd = *padic_null();
    odd.name = "a\"b\\c\nd~ \x7f";
    desc.backends[0] = &odd;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    memset(&out, 0, sizeof out);
    CHECK_EQ(padic_context_profile_write(context, sink, &out), PADIC_OK);
    CHECK(strstr(out.text, "\"a?b?c?d~ ?\""));
    padic_context_destroy(context);

    // the default clock moves
    desc.clock.now = NULL;
    desc.flags = PADIC_CONTEXT_PROFILE;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    REQUIRE(context != NULL);
    const uint64_t from = padici_profile_now(context);
    for (uint32_t i = 0; i < 30000000 && padici_profile_now(context) == from; i++) {}
    CHECK(padici_profile_now(context) > from);
    padic_context_destroy(context);
}

// Equal to itself; that it is equal on other machines is for tests/run.sh.
TEST(self_hash)
{
    CHECK_EQ(padic_self_hash(), padic_self_hash());
    CHECK(padic_self_hash() != 0);
    // Computed once more in Python, from the definitions in padic.h.
    CHECK_EQ(padici_random_self_hash(), UINT64_C(0xfebd638f44387f10));
}

// What has no padic_op is done, even while operations are only asked.
TEST(asked_without_an_operation)
{
    const int32_t above[3] = {18, 5, -27};
    int32_t v[3] = {-1, -1, -1};
    padic_num_valuation_of_desc valuation = PADIC_ZERO;
    padic_sample_halton_index_report at = {9};
    padic_sample_halton_index_desc pixel = PADIC_ZERO;
    padic_num_check_report checked = {9};
    padic_num_check_desc check = PADIC_ZERO;
    padic_context_ask_report report;
    padic_num_array x, y;
    padic_num_ring ring;
    padic_bytes text = PADIC_ZERO;
    padic_context *context;
    REQUIRE(padic_context_create(NULL, &context) == PADIC_OK);
    REQUIRE(padic_num_ring_init(&ring, 3, 8, NULL) == PADIC_OK);
    valuation.ring = &ring;
    valuation.numerator = padic_tensor_1d(PADIC_I32, (void *)(uintptr_t)above, 3);
    valuation.out = padic_tensor_1d(PADIC_I32, v, 3);
    pixel.exponent2 = pixel.exponent3 = 1;
    pixel.x = 1;
    pixel.report = &at;
    CHECK_EQ(padic_context_ask(context, &report), PADIC_OK);
    CHECK_EQ(padic_num_valuation_of(context, &valuation), PADIC_OK);
    CHECK(v[0] == 2 && v[1] == 0 && v[2] == 3);
    CHECK_EQ(padic_sample_halton_index(context, &pixel), PADIC_OK);
    CHECK_EQ(at.index, 3); // odd, and 0 mod 3
    REQUIRE(padic_num_from_text(context, &ring, PADIC_NUM_RING, "7\n12\n", &x) == PADIC_OK);
    CHECK_EQ(x.count, 2);
    check.in = x;
    check.report = &checked;
    CHECK_EQ(padic_num_check(context, &check), PADIC_OK);
    CHECK_EQ(checked.bad_index, 2);
    CHECK_EQ(padic_num_to_text(context, &x, (padic_num_text)0, &text), PADIC_OK);
    CHECK(text.size > 0);
    CHECK_EQ(report.calls, 0);
    CHECK_EQ(padic_context_ask(context, NULL), PADIC_OK);
    REQUIRE(padic_num_from_text(context, &ring, PADIC_NUM_RING, (const char *)text.data, &y) ==
            PADIC_OK);
    CHECK(y.count == 2 && !memcmp(x.unit.data, y.unit.data, 2 * ring.unit_size));
    padic_num_free_text(context, &text);
    padic_num_free(context, &x);
    padic_num_free(context, &y);
    padic_context_destroy(context);
}

TEST_MAIN("context", CASE(names_and_texts), CASE(bits), CASE(default_allocator), CASE(tensor_check),
          CASE(tensor_views), CASE(defaults), CASE(order_of_backends), CASE(stale_ids),
          CASE(ids_without_buffers),
          CASE(buffers), CASE(many_buffers), CASE(pool_sizes), CASE(pool_never_aliases),
          CASE(pool_second_step_allocates_nothing), CASE(pool_trim_and_retry),
          CASE(pool_large_blocks_and_limit), CASE(debug_fill), CASE(best), CASE(operations),
          CASE(statistics), CASE(small_calls_are_counted),
          CASE(asked_without_an_operation), CASE(fill_words),
          CASE(operations_refuse), CASE(fallback_and_strict),
          CASE(without_context), CASE(every_allocation_fails), CASE(every_device_call_fails),
          CASE(device_lost), CASE(launch_checks), CASE(profile), CASE(self_hash))
