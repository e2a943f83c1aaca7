// What a refusal says: its sentence begins with the operation that was called and names the field,
// in every context; without one the code is the same. Contexts, buffers, recordings, packing in
// buffers; tensors, waves and vortices.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/ask.h"
#include "../../backends/padic_simd.h"
#include "../gpu/gpu_devices.h"
#include "../support/happy_calls.h"
#include "../support/wave_calls.h"
#include <math.h>

static padic_context *contexts[3];
static double a[64], b[64], c[64], e[256], f[64];
static unsigned char pixels[1024];
static uint32_t calls;

// Whether `word` stands in `text` by itself.
static int has_word(const char *text, const char *word)
{
    const char *at = text;
    for (; (at = strstr(at, word)) != NULL; at++) {
        const char before = at == text ? ' ' : at[-1], after = at[strlen(word)];
        if (!strchr("abcdefghijklmnopqrstuvwxyz_0123456789", before) &&
            (!after || !strchr("abcdefghijklmnopqrstuvwxyz_0123456789", after)))
            return 1;
    }
    return 0;
}

static void refused(int line, const char *operation, const char *field, padic_result want,
                    padic_result got, padic_context *context)
{
    const char *text = padic_context_message(context);
    const size_t length = strlen(operation);
    calls++;
    if (got == want && (!context || (!strncmp(text, operation, length) && text[length] == ':' &&
                                     has_word(text + length, field) && strlen(text) > length + 8)))
        return;
    test_failed(__FILE__, line, operation);
    if (test_failures < 40) printf(" (%s: %d, not %d: \"%s\")", field, (int)got, (int)want, text);
}

static void open_contexts(void)
{
    padic_context_desc with = PADIC_ZERO;
    if (contexts[0]) return;
    open_devices();
    REQUIRE(!padic_context_create(NULL, &contexts[0]));
    with.backends[0] = padic_simd();
    REQUIRE(!padic_context_create(&with, &contexts[1]));
    contexts[2] = device_count ? devices[0] : contexts[0];
    for (int i = 0; i < 64; i++) a[i] = b[i] = f[i] = i % 7 - 2.5;
}

// The call with one thing wrong, without a context and in each.
#define WRONG(NAME, GOOD, CHANGE, FIELD, CODE)                                                   \
    do {                                                                                         \
        for (int i_ = -1; i_ < 3; i_++) {                                                        \
            padic_context *context_ = i_ < 0 ? NULL : contexts[i_];                              \
            padic_##NAME##_desc d = GOOD;                                                        \
            CHANGE;                                                                              \
            refused(__LINE__, #NAME, FIELD, PADIC_ERROR_##CODE, padic_##NAME(context_, &d),      \
                    context_);                                                                   \
        }                                                                                        \
    } while (0)
// The same of an operation that has no desc.
#define BAD(NAME, CALL, FIELD, CODE)                                                             \
    do {                                                                                         \
        for (int i_ = -1; i_ < 3; i_++) {                                                        \
            padic_context *context = i_ < 0 ? NULL : contexts[i_];                               \
            refused(__LINE__, NAME, FIELD, PADIC_ERROR_##CODE, CALL, context);                   \
        }                                                                                        \
    } while (0)
// The same of an operation that is nothing without a context.
#define WITHIN(NAME, CALL, FIELD, CODE)                                                          \
    do {                                                                                         \
        padic_context *context = NULL;                                                           \
        CHECK_EQ(CALL, PADIC_ERROR_ARGUMENT);                                                    \
        for (int i_ = 0; i_ < 3; i_++) {                                                         \
            context = contexts[i_];                                                              \
            refused(__LINE__, NAME, FIELD, PADIC_ERROR_##CODE, CALL, context);                   \
        }                                                                                        \
    } while (0)
// What may be wrong with any tensor of a desc.
#define VIEWS(NAME, GOOD, T, FIELD)                                                              \
    do {                                                                                         \
        WRONG(NAME, GOOD, d.T.rank = 9, FIELD, LIMIT);                                           \
        WRONG(NAME, GOOD, d.T.dtype = (padic_dtype)99, FIELD, DTYPE);                            \
        WRONG(NAME, GOOD, d.T.data = NULL, FIELD, ARGUMENT);                                     \
        WRONG(NAME, GOOD, (d.T.data = NULL, d.T.buffer.id = 77), FIELD, ARGUMENT);               \
    } while (0)

static padic_buffer buffers[3]; // 64 bytes in each context
static padic_buffer of(const padic_context *context)
{
    int i = 0;
    while (i < 2 && contexts[i] != context) i++;
    return buffers[i];
}

static void open_buffers(void)
{
    padic_buffer_desc d = PADIC_ZERO;
    open_contexts();
    d.size = 64;
    for (int i = 0; i < 3; i++) REQUIRE(!padic_buffer_create(contexts[i], &d, &buffers[i]));
}

static void close_buffers(void)
{
    for (int i = 0; i < 3; i++) CHECK(!padic_buffer_destroy(contexts[i], buffers[i]));
}

static int refuse_text(const char *text, size_t size, void *user)
{
    (void)text, (void)size, (void)user;
    return 1;
}

static char logged[512];
static void log_line(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item, (void)user;
    if (level == PADIC_LOG_ERROR && strlen(text) < sizeof logged) strcpy(logged, text);
}

TEST(memory)
{
    const padic_buffer dead = {0x70001};
    padic_buffer_desc d = PADIC_ZERO, two = PADIC_ZERO, huge = PADIC_ZERO;
    padic_buffer made;
    padic_buffer_report report;
    open_buffers();
    two.data = a, two.host = b, two.size = 8;
    huge.size = UINT64_MAX;
    WITHIN("buffer_create", padic_buffer_create(context, NULL, &made), "desc", ARGUMENT);
    WITHIN("buffer_create", padic_buffer_create(context, &d, NULL), "buffer", ARGUMENT);
    WITHIN("buffer_create", padic_buffer_create(context, &two, &made), "host", ARGUMENT);
    WITHIN("buffer_create", padic_buffer_create(context, &huge, &made), "bytes", LIMIT);
    CHECK_EQ(made.id, 0);
    WITHIN("buffer_destroy", padic_buffer_destroy(context, dead), "buffer", ARGUMENT);
    WITHIN("buffer_info", padic_buffer_info(context, dead, &report), "buffer", ARGUMENT);
    WITHIN("buffer_info", padic_buffer_info(context, of(context), NULL), "report", ARGUMENT);
    WITHIN("buffer_upload", padic_buffer_upload(context, dead, 0, a, 8), "buffer", ARGUMENT);
    WITHIN("buffer_upload", padic_buffer_upload(context, of(context), 60, a, 8), "buffer", REGION);
    WITHIN("buffer_upload", padic_buffer_upload(context, of(context), 0, NULL, 8), "data",
           ARGUMENT);
    WITHIN("buffer_download", padic_buffer_download(context, dead, 0, a, 8), "buffer", ARGUMENT);
    WITHIN("buffer_download", padic_buffer_download(context, of(context), UINT64_MAX, a, 8),
           "buffer", REGION);
    WITHIN("buffer_download", padic_buffer_download(context, of(context), 0, NULL, 8), "data",
           ARGUMENT);
    WITHIN("buffer_copy", padic_buffer_copy(context, dead, 0, of(context), 0, 8), "to", ARGUMENT);
    WITHIN("buffer_copy", padic_buffer_copy(context, of(context), 0, dead, 0, 8), "from",
           ARGUMENT);
    WITHIN("buffer_copy", padic_buffer_copy(context, of(context), 64, of(context), 0, 8), "to",
           REGION);
    WITHIN("buffer_copy", padic_buffer_copy(context, of(context), 0, of(context), 64, 8), "from",
           REGION);
    WITHIN("buffer_copy", padic_buffer_copy(context, of(context), 0, of(context), 4, 8), "from",
           OVERLAP);
    WITHIN("buffer_fill", padic_buffer_fill(context, dead, 0, 1, 8), "buffer", ARGUMENT);
    WITHIN("buffer_fill", padic_buffer_fill(context, of(context), 0, 1, 65), "buffer", REGION);
    WITHIN("buffer_fill", padic_buffer_fill(context, of(context), 2, 1, 4), "at", ARGUMENT);
    WITHIN("buffer_fill", padic_buffer_fill(context, of(context), 0, 1, 5), "size", ARGUMENT);
    close_buffers();
}

static void *some_alloc(size_t size, size_t align, void *user)
{
    (void)size, (void)align, (void)user;
    return NULL;
}

static void some_free(void *pointer, size_t size, void *user)
{
    (void)pointer, (void)size, (void)user;
}

static void *some_enqueue(void (*fn)(void *arg), void *arg, void *user)
{
    (void)user;
    (*fn)(arg);
    return NULL;
}

static void some_finish(void *task, void *user)
{
    (void)task, (void)user;
}

static int some_load(const char *key, void *data, size_t *size, void *user)
{
    (void)key, (void)data, (void)size, (void)user;
    return 0;
}

static void some_store(const char *key, const void *data, size_t size, void *user)
{
    (void)key, (void)data, (void)size, (void)user;
}

TEST(contexts_and_recordings)
{
    const padic_record dead = {0x70001};
    padic_context_desc d = PADIC_ZERO;
    padic_backend old = *padic_simd();
    padic_context *made;
    padic_record record;
    padic_context_describe_desc describe = PADIC_ZERO;
    padic_context_describe_report described = PADIC_ZERO;
    char text[8];
    open_buffers();
    WITHIN("context_set_mode", padic_context_set_mode(context, (padic_mode)4), "mode", ARGUMENT);
    WITHIN("context_describe", padic_context_describe(context, NULL), "desc", ARGUMENT);
    describe.text = padic_bytes_out(NULL, 9);
    WITHIN("context_describe", padic_context_describe(context, &describe), "text", ARGUMENT);
    describe.text = padic_bytes_out(NULL, 0); // asks for the size
    describe.report = &described;
    WITHIN("context_describe", padic_context_describe(context, &describe), "text", CAPACITY);
    CHECK(described.size > sizeof text);
    describe.text = padic_bytes_out(text, sizeof text);
    WITHIN("context_describe", padic_context_describe(context, &describe), "text", CAPACITY);
    WITHIN("context_prewarm", padic_context_prewarm(context, 1u << 31), "areas", ARGUMENT);
    WITHIN("context_tune", padic_context_tune(context, 1u << 31, 1), "areas", ARGUMENT);
    WITHIN("context_profile_write", padic_context_profile_write(context, NULL, NULL), "sink",
           ARGUMENT);
    WITHIN("context_profile_write", padic_context_profile_write(context, refuse_text, NULL), "sink",
           CALLBACK);
    WITHIN("record_end", padic_record_end(context, &record), "begun", ARGUMENT);
    WITHIN("record_replay", padic_record_replay(context, dead, 1), "record", ARGUMENT);
    WITHIN("record_drop", padic_record_drop(context, dead), "record", ARGUMENT);
    for (int i = 0; i < 2; i++)
        refused(__LINE__, "record_begin", "host", PADIC_ERROR_NOT_SUPPORTED,
                padic_record_begin(contexts[i]), contexts[i]);
    if (device_count) { // what cannot be recorded
        padic_context *const c2 = contexts[2];
        padic_buffer other;
        padic_buffer_desc size8 = PADIC_ZERO;
        size8.size = 8;
        CHECK(!padic_record_begin(c2));
#define UNRECORDED(NAME, CALL, FIELD) \
    refused(__LINE__, NAME, FIELD, PADIC_ERROR_ARGUMENT, padic_##CALL, c2)
        UNRECORDED("record_begin", record_begin(c2), "begun");
        UNRECORDED("record_replay", record_replay(c2, dead, 1), "recorded");
        UNRECORDED("record_drop", record_drop(c2, dead), "recorded");
        UNRECORDED("buffer_create", buffer_create(c2, &size8, &other), "recorded");
        UNRECORDED("buffer_destroy", buffer_destroy(c2, buffers[2]), "recorded");
        UNRECORDED("buffer_upload", buffer_upload(c2, buffers[2], 0, a, 8), "recorded");
        UNRECORDED("buffer_download", buffer_download(c2, buffers[2], 0, f, 8), "recorded");
        UNRECORDED("context_sync", context_sync(c2), "recorded");
        UNRECORDED("context_set_mode", context_set_mode(c2, PADIC_MODE_OFF), "recorded");
        UNRECORDED("context_prewarm", context_prewarm(c2, 0), "recorded");
        UNRECORDED("context_ask", context_ask(c2, NULL), "recorded");
        UNRECORDED("context_tune", context_tune(c2, 0, 1), "recorded");
        CHECK(!padic_record_end(c2, NULL));
        CHECK(!padic_record_begin(c2));
        CHECK(!padic_buffer_fill(c2, buffers[2], 0, 7, 64));
        CHECK(!padic_record_end(c2, &record));
        for (int away = 0; away < 2; away++) { // what broke it, whatever failed after that
            padic_copy_desc copy = PADIC_ZERO;
            padic_record none;
            CHECK(!padic_record_begin(c2));
            copy.from = copy.to = padic_tensor_1d(PADIC_U8, a, 8);
            CHECK_EQ(padic_copy(c2, &copy), PADIC_ERROR_OVERLAP);
            copy.to.dtype = PADIC_I8;
            CHECK_EQ(padic_copy(c2, &copy), PADIC_ERROR_MISMATCH);
            if (away)
                CHECK(!padic_record_end(c2, NULL));
            else
                refused(__LINE__, "record_end", "copy", PADIC_ERROR_OVERLAP,
                        padic_record_end(c2, &none), c2);
        }
        CHECK(!padic_buffer_destroy(c2, buffers[2]));
        UNRECORDED("record_replay", record_replay(c2, record, 1), "buffer");
        CHECK(!padic_record_drop(c2, record));
        CHECK(!padic_buffer_create(c2, &size8, &buffers[2]));
    }
    d.log.write = log_line;
    CHECK_EQ(padic_context_create(&d, NULL), PADIC_ERROR_ARGUMENT);
    CHECK(!strncmp(logged, "context_create: context ", 24));
    for (int i = 0; i < 10; i++) { // each a field that makes no sense
        static const char *const fields[] = {"flags",     "device.flags", "mode",  "allocator",
                                             "allocator", "jobs",         "jobs",  "cache",
                                             "cache",     "context_create"};
        padic_context_desc wrong = d;
        if (i == 0) wrong.flags = 1u << 3;
        if (i == 1) wrong.device.flags = 1u << 3;
        if (i == 2) wrong.mode = (padic_mode)4;
        if (i == 3) wrong.allocator.alloc = some_alloc;
        if (i == 4) wrong.allocator.free = some_free;
        if (i == 5) wrong.jobs.enqueue = some_enqueue;
        if (i == 6) wrong.jobs.finish = some_finish;
        if (i == 7) wrong.cache.load = some_load;
        if (i == 8) wrong.cache.store = some_store;
        logged[0] = 0;
        CHECK_EQ(padic_context_create(&wrong, &made), i < 9 ? PADIC_ERROR_ARGUMENT : PADIC_OK);
        CHECK(i == 9 || (!made && !strncmp(logged, "context_create: ", 16) &&
                         has_word(logged, fields[i])));
        padic_context_destroy(made);
    }
    old.version++;
    d.backends[0] = &old;
    CHECK_EQ(padic_context_create(&d, &made), PADIC_ERROR_NOT_SUPPORTED);
    CHECK(!strncmp(logged, "context_create: ", 16) && has_word(logged, "backends"));
#ifndef TEST_NATIVE_ONLY
    d.backends[0] = padic_opencl();
    d.device.name = "no such device";
    CHECK_EQ(padic_context_create(&d, &made), PADIC_ERROR_NO_DEVICE);
    CHECK(!strncmp(logged, "context_create: OpenCL: ", 24));
    CHECK(strstr(logged, "no device") || strstr(logged, "no driver") ||
          strstr(logged, "not installed"));
#endif
    close_buffers();
}

TEST(basics)
{
    padic_fill_desc l = PADIC_ZERO;
    padic_copy_desc p = PADIC_ZERO;
    padic_random_fill_desc r = PADIC_ZERO;
    open_buffers();
    l.tensor = r.tensor = p.from = padic_tensor_2d(PADIC_F64, a, 3, 4);
    p.to = padic_tensor_2d(PADIC_F64, b, 3, 4);
    VIEWS(fill, l, tensor, "tensor");
    VIEWS(random_fill, r, tensor, "tensor");
    VIEWS(copy, p, from, "from");
    VIEWS(copy, p, to, "to");
    WRONG(fill, l, d.tensor.stride[0] = -1, "tensor", ARGUMENT);
    WRONG(random_fill, r, d.tensor.shape[0] = UINT64_C(1) << 34, "tensor", LIMIT);
    WRONG(copy, p, d.from.dtype = PADIC_F32, "from", MISMATCH);
    WRONG(copy, p, d.to.rank = 1, "to", MISMATCH);
    WRONG(copy, p, d.to.shape[0] = 2, "to", MISMATCH);
    WRONG(copy, p, d.to.data = a, "to", OVERLAP);
    BAD("fill", padic_fill(context, NULL), "desc", ARGUMENT);
    BAD("copy", padic_copy(context, NULL), "desc", ARGUMENT);
    BAD("random_fill", padic_random_fill(context, NULL), "desc", ARGUMENT);
    for (int i = 0; i < 3; i++) {
        l.tensor = padic_tensor_in(padic_tensor_1d(PADIC_F64, NULL, 8), buffers[i], 1);
        refused(__LINE__, "fill", "tensor", PADIC_ERROR_REGION, padic_fill(contexts[i], &l),
                contexts[i]);
    }
    close_buffers();
}

static padic_result codec_info_in(padic_context *context, const padic_tensor *packed,
                                  padic_codec_report *report)
{
    padic_codec_info_desc desc;
    desc.packed = codec_bytes(packed);
    desc.report = report;
    return padic_codec_info(context, &desc);
}

static int no_write(const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    return 1;
}

static int no_read(void *data, size_t size, size_t *got, void *user)
{
    (void)data, (void)size, (void)user;
    *got = 0;
    return 1;
}

TEST(packing_in_buffers)
{
    static unsigned char bytes[4096];
    static uint64_t space[16];
    padic_codec_pack_desc d = PADIC_ZERO, wrong;
    padic_codec_unpack_desc u = PADIC_ZERO;
    padic_tensor packed = padic_tensor_1d(PADIC_U8, bytes, sizeof bytes), bad = packed;
    const padic_buffer dead = {0x70001};
    padic_codec_report report;
    uint64_t size;
    open_contexts();
    d.tensor = u.tensor = padic_tensor_1d(PADIC_F64, a, 64);
    wrong = d;
    wrong.tensor.dtype = (padic_dtype)99;
    BAD("codec_pack", padic_codec_pack(context, NULL), "desc", ARGUMENT);
    BAD("codec_pack", codec_pack_to(context, &wrong, &packed, &size), "tensor", DTYPE);
    BAD("codec_unpack", padic_codec_unpack(context, NULL), "desc", ARGUMENT);
    BAD("codec_verify", padic_codec_verify(context, NULL), "desc", ARGUMENT);
    BAD("codec_info", padic_codec_info(context, NULL), "desc", ARGUMENT);
    BAD("codec_info", codec_info_in(context, &packed, NULL), "report", ARGUMENT);
    bad = packed, bad.data = NULL;
    BAD("codec_pack", codec_pack_to(context, &d, &bad, &size), "packed", ARGUMENT);
    BAD("codec_unpack", codec_unpack_from(context, &u, &bad), "packed", ARGUMENT);
    BAD("codec_info", codec_info_in(context, &bad, &report), "packed", ARGUMENT);
    CHECK(!codec_pack_to(NULL, &d, &packed, &size));
    packed.shape[0] = size;
    u.tensor.shape[0] = 63;
    BAD("codec_unpack", codec_unpack_from(context, &u, &packed), "tensor", MISMATCH);
    u.tensor.shape[0] = 64;
    for (int i = 0; i < 2; i++) { // half a hook
        padic_codec_verify_desc v = PADIC_ZERO;
        padic_codec_pack_begin_desc pack = PADIC_ZERO;
        padic_codec_unpack_begin_desc unpack = PADIC_ZERO;
        padic_codec_packer *packer;
        padic_codec_unpacker *unpacker;
        padic_allocator half = PADIC_ZERO;
        if (i) half.alloc = some_alloc;
        if (!i) half.free = some_free;
        wrong = d, wrong.allocator = &half;
        BAD("codec_pack", codec_pack_to(context, &wrong, &packed, &size), "allocator", ARGUMENT);
        CHECK_EQ(padic_codec_size_bound(&wrong), 0);
        CHECK_EQ(padic_codec_pack_workspace(&wrong), 0);
        pack.pack = wrong, pack.write = no_write;
        BAD("codec_pack_begin", padic_codec_pack_begin(context, &pack, &packer), "allocator",
            ARGUMENT);
        u.allocator = v.allocator = &half;
        BAD("codec_unpack", codec_unpack_from(context, &u, &packed), "allocator", ARGUMENT);
        v.packed = padic_bytes_in(packed.data, size);
        BAD("codec_verify", padic_codec_verify(context, &v), "allocator", ARGUMENT);
        unpack.unpack = u, unpack.read = no_read;
        BAD("codec_unpack_begin", padic_codec_unpack_begin(context, &unpack, &unpacker),
            "allocator", ARGUMENT);
        u.allocator = NULL;
    }
    wrong = d;
    wrong.workspace = padic_tensor_1d(PADIC_U16, (char *)space + (0 - (uintptr_t)space) % 64, 1);
    BAD("codec_pack", codec_pack_to(context, &wrong, &packed, &size), "workspace", ARGUMENT);
    wrong.workspace.dtype = PADIC_U8;
    BAD("codec_pack", codec_pack_to(context, &wrong, &packed, &size), "workspace", CAPACITY);
    u.workspace = wrong.workspace;
    BAD("codec_unpack", codec_unpack_from(context, &u, &packed), "workspace", CAPACITY);
    memset(&u.workspace, 0, sizeof u.workspace);
    for (int i = 0; i < 3; i++) { // in buffers: dead ones, too short ones, one for both
        padic_context *const context = contexts[i];
        padic_buffer_desc room = PADIC_ZERO;
        padic_buffer buffer;
        padic_tensor in = padic_tensor_1d(PADIC_F64, NULL, 64);
        padic_tensor there = padic_tensor_1d(PADIC_U8, NULL, 256);
        room.size = 512 + 256;
        CHECK(!padic_buffer_create(context, &room, &buffer));
        for (int profile = 0; profile < 2; profile++) {
            d.profile = profile ? PADIC_CODEC_PROFILE_FETCH : PADIC_CODEC_PROFILE_ANY;
            d.tensor = u.tensor = padic_tensor_in(in, dead, 0);
            bad = padic_tensor_in(there, buffer, 512);
#define TWICE(FIELD, CODE)                                                                       \
    refused(__LINE__, "codec_pack", FIELD, PADIC_ERROR_##CODE,                                \
            codec_pack_to(context, &d, &bad, &size), context);                             \
    refused(__LINE__, "codec_unpack", FIELD, PADIC_ERROR_##CODE,                            \
            codec_unpack_from(context, &u, &bad), context)
            TWICE("tensor", ARGUMENT);
            refused(__LINE__, "codec_info", "packed", PADIC_ERROR_REGION,
                    (bad.offset = 1000, codec_info_in(context, &bad, &report)), context);
            bad.offset = 512;
            d.tensor = u.tensor = padic_tensor_in(in, buffer, 0);
            if (profile || i < 2) { // a strict device takes no other profile, whatever the bytes
                bad = padic_tensor_in(there, dead, 0);
                TWICE("packed", ARGUMENT);
                bad = padic_tensor_in(there, buffer, 513);
                TWICE("packed", REGION);
            }
            d.tensor = u.tensor = padic_tensor_in(in, buffer, 33);
            bad = padic_tensor_in(there, buffer, 512);
            TWICE("tensor", REGION);
        }
        d.tensor = u.tensor = padic_tensor_1d(PADIC_F64, a, 64);
        d.profile = PADIC_CODEC_PROFILE_ANY;
        CHECK(!padic_buffer_destroy(context, buffer));
    }
}

TEST(products)
{
    padic_tensor_gemm_desc g = PADIC_ZERO;
    padic_tensor_contract_desc k = PADIC_ZERO;
    padic_tensor_gemm_group group = {2, 2, 2, 0, 0, 0, 0, 0, 0};
    open_contexts();
    g.a = padic_tensor_2d(PADIC_F64, a, 3, 4);
    g.b = padic_tensor_2d(PADIC_F64, b, 4, 5);
    g.c = padic_tensor_2d(PADIC_F64, c, 3, 5);
    VIEWS(tensor_gemm, g, a, "a");
    VIEWS(tensor_gemm, g, b, "b");
    VIEWS(tensor_gemm, g, c, "c");
    WRONG(tensor_gemm, g, d.c.stride[0] = -5, "c", ARGUMENT);
    WRONG(tensor_gemm, g, d.c.data = a, "c", OVERLAP);
    WRONG(tensor_gemm, g, d.a.dtype = PADIC_I32, "a", DTYPE);
    WRONG(tensor_gemm, g, d.b.dtype = PADIC_F32, "b", MISMATCH);
    WRONG(tensor_gemm, g, d.math = 4, "math", ARGUMENT);
    WRONG(tensor_gemm, g, d.op_a = 4, "op_a", ARGUMENT);
    WRONG(tensor_gemm, g, d.alpha[0] = NAN, "alpha", DOMAIN);
    WRONG(tensor_gemm, g, d.beta[1] = 1, "beta", ARGUMENT);
    WRONG(tensor_gemm, g, d.a.rank = 1, "a", ARGUMENT);
    WRONG(tensor_gemm, g, d.a.shape[1] = 3, "a", MISMATCH);
    WRONG(tensor_gemm, g, d.group_count = 1, "groups", ARGUMENT);
    WRONG(tensor_gemm, g, (d.group_count = 1, d.groups = &group), "a", ARGUMENT);
    g.a = g.b = padic_tensor_1d(PADIC_F64, a, 3), g.c = padic_tensor_1d(PADIC_F64, c, 3);
    WRONG(tensor_gemm, g, (d.group_count = 1, d.groups = &group), "groups", MISMATCH);
    BAD("tensor_gemm", padic_tensor_gemm(context, NULL), "desc", ARGUMENT);
    k.a = padic_tensor_2d(PADIC_F64, a, 3, 4);
    k.b = padic_tensor_2d(PADIC_F64, b, 4, 5);
    k.c = padic_tensor_2d(PADIC_F64, c, 3, 5);
    k.labels_a[0] = 1, k.labels_a[1] = k.labels_b[0] = 2, k.labels_b[1] = 3;
    k.labels_c[0] = 1, k.labels_c[1] = 3;
    VIEWS(tensor_contract, k, a, "a");
    VIEWS(tensor_contract, k, c, "c");
    WRONG(tensor_contract, k, d.conj = 4, "conj", ARGUMENT);
    WRONG(tensor_contract, k, d.labels_a[1] = 0, "labels_a", ARGUMENT);
    WRONG(tensor_contract, k, d.labels_b[2] = 9, "labels_b", ARGUMENT);
    WRONG(tensor_contract, k, d.labels_c[1] = 1, "labels_c", ARGUMENT);
    WRONG(tensor_contract, k, d.labels_c[1] = 8, "labels_c", ARGUMENT);
    WRONG(tensor_contract, k, d.b.shape[0] = 3, "labels_b", MISMATCH);
    WRONG(tensor_contract, k, d.c.data = b, "c", OVERLAP);
}

TEST(factorisations)
{
    padic_tensor_svd_desc s = PADIC_ZERO;
    padic_tensor_qr_desc q = PADIC_ZERO;
    padic_tensor_eigh_desc h = PADIC_ZERO;
    int32_t info[1];
    open_contexts();
    s.a = q.a = h.a = padic_tensor_2d(PADIC_F64, a, 4, 4);
    s.u = q.q = h.v = padic_tensor_2d(PADIC_F64, b, 4, 4);
    s.vh = q.r = padic_tensor_2d(PADIC_F64, c, 4, 4);
    s.s = h.w = padic_tensor_1d(PADIC_F64, e, 4);
    VIEWS(tensor_svd, s, a, "a");
    VIEWS(tensor_svd, s, u, "u");
    VIEWS(tensor_svd, s, vh, "vh");
    VIEWS(tensor_svd, s, s, "s");
    VIEWS(tensor_qr, q, q, "q");
    VIEWS(tensor_qr, q, r, "r");
    VIEWS(tensor_eigh, h, v, "v");
    VIEWS(tensor_eigh, h, w, "w");
    WRONG(tensor_svd, s, d.a.dtype = PADIC_I64, "a", DTYPE);
    WRONG(tensor_svd, s, d.a.rank = 1, "a", ARGUMENT);
    WRONG(tensor_svd, s, d.u.shape[0] = 3, "u", MISMATCH);
    WRONG(tensor_svd, s, d.vh.dtype = PADIC_F32, "vh", MISMATCH);
    WRONG(tensor_svd, s, d.s.dtype = PADIC_F32, "s", MISMATCH);
    WRONG(tensor_svd, s, d.u.data = a, "u", OVERLAP);
    WRONG(tensor_svd, s, d.vh.data = b, "vh", OVERLAP);
    WRONG(tensor_svd, s, d.status = padic_tensor_1d(PADIC_F32, info, 1), "status", MISMATCH);
    WRONG(tensor_qr, q, d.r.shape[1] = 3, "r", MISMATCH);
    WRONG(tensor_qr, q, d.q.data = a, "q", OVERLAP);
    WRONG(tensor_eigh, h, d.a.shape[1] = 3, "a", MISMATCH);
    WRONG(tensor_eigh, h, d.w.shape[0] = 3, "w", MISMATCH);
    a[5] = NAN;
    WRONG(tensor_svd, s, (void)0, "a", NOT_FINITE);
    WRONG(tensor_qr, q, (void)0, "a", NOT_FINITE);
    WRONG(tensor_eigh, h, (void)0, "a", NOT_FINITE);
    a[5] = 1;
    BAD("tensor_qr", padic_tensor_qr(context, NULL), "desc", ARGUMENT);
}

TEST(entropies)
{
    uint64_t dims[65] = {2, 3};
    double orders[1] = {-1};
    padic_tensor_entropy_desc s = PADIC_ZERO;
    padic_tensor_mutual_information_desc m = PADIC_ZERO;
    padic_tensor_entropy_report report;
    padic_tensor_mutual_information_report information;
    double x, spectrum[1];
    open_contexts();
    s.state = m.state = padic_tensor_3d(PADIC_F64, b, 2, 3, 4);
    s.part = m.part_a = 1, m.part_b = 2, s.report = &report, m.report = &information;
    VIEWS(tensor_entropy, s, state, "state");
    WRONG(tensor_entropy, s, d.state.dtype = PADIC_I8, "state", DTYPE);
    WRONG(tensor_entropy, s, d.rho = d.state, "rho", ARGUMENT);
    WRONG(tensor_entropy, s, d.part = 8, "part", ARGUMENT);
    WRONG(tensor_entropy, s, d.unit = (padic_tensor_unit)2, "unit", ARGUMENT);
    WRONG(tensor_entropy, s, d.legacy = 2, "legacy", ARGUMENT);
    WRONG(tensor_entropy, s, (d.legacy = 1, d.part = 2), "part", ARGUMENT);
    WRONG(tensor_entropy, s, d.dims = padic_tensor_1d(PADIC_U64, dims, 65), "dims", ARGUMENT);
    WRONG(tensor_entropy, s, d.dims = padic_tensor_1d(PADIC_U64, dims, 2), "dims", MISMATCH);
    WRONG(tensor_entropy, s, d.orders = padic_tensor_1d(PADIC_F64, orders, 1), "orders", MISMATCH);
    WRONG(tensor_entropy, s,
          (d.renyi = padic_tensor_1d(PADIC_F64, &x, 1),
           d.orders = padic_tensor_1d(PADIC_F64, orders, 1)),
          "orders", ARGUMENT);
    WRONG(tensor_entropy, s, d.spectrum = padic_tensor_1d(PADIC_F64, spectrum, 1), "spectrum",
          CAPACITY);
    memset(c, 0, sizeof c);
    WRONG(tensor_entropy, s, d.state = padic_tensor_2d(PADIC_F64, c, 2, 2), "state", DOMAIN);
    WRONG(tensor_entropy, s, (d.state = padic_tensor_2d(PADIC_F64, c, 2, 2), c[1] = INFINITY),
          "state", NOT_FINITE);
    WRONG(tensor_entropy, s,
          (d.rho = padic_tensor_2d(PADIC_F64, c, 2, 3), d.state.dtype = PADIC_DTYPE_NONE,
           d.part = 0),
          "rho", MISMATCH);
    VIEWS(tensor_mutual_information, m, state, "state");
    WRONG(tensor_mutual_information, m, d.part_b = 1, "part_b", ARGUMENT);
    WRONG(tensor_mutual_information, m, d.unit = (padic_tensor_unit)7, "unit", ARGUMENT);
    WRONG(tensor_mutual_information, m, d.report = NULL, "report", ARGUMENT);
    WRONG(tensor_mutual_information, m, d.part_b = 8, "part", ARGUMENT);
    c[1] = 0;
}

TEST(einsums)
{
    padic_tensor_einsum_desc s = PADIC_ZERO;
    padic_tensor_pair_pool_desc p = PADIC_ZERO;
    padic_tensor_pair_pool_fuse_desc good = PADIC_ZERO, fuse;
    padic_tensor_term terms[3], bad[3];
    padic_tensor_path path = PADIC_ZERO;
    open_contexts();
    memset(terms, 0, sizeof terms);
    terms[0].tensor = padic_tensor_2d(PADIC_F64, a, 3, 4);
    terms[1].tensor = padic_tensor_2d(PADIC_F64, b, 4, 5);
    terms[2].tensor = padic_tensor_2d(PADIC_F64, f, 5, 2);
    s.expression = "ab,bc,cd->ad", s.operands = terms, s.count = 3;
    s.out.tensor = padic_tensor_2d(PADIC_F64, c, 3, 2);
#define TERM(CHANGE) (memcpy(bad, terms, sizeof bad), CHANGE, d.operands = bad)
    for (int i = 0; i < 3; i++) CHECK_EQ(padic_tensor_einsum(contexts[i], &s), PADIC_OK);
    CHECK_EQ(padic_tensor_einsum(NULL, &s), PADIC_OK);
    WRONG(tensor_einsum, s, d.expression = "ab,bc->ac", "expression", MISMATCH);
    WRONG(tensor_einsum, s, d.expression = "ab,bc,cd,de->ae", "expression", MISMATCH);
    WRONG(tensor_einsum, s, d.expression = "ab,bc,cd->ae", "expression", ARGUMENT);
    WRONG(tensor_einsum, s, d.expression = "ab,bc,cd->aa", "expression", ARGUMENT);
    WRONG(tensor_einsum, s, d.expression = "abx,bc,cd->ad", "operands", MISMATCH);
    WRONG(tensor_einsum, s, d.expression = "a?,bc,cd->ad", "expression", ARGUMENT);
    WRONG(tensor_einsum, s, d.expression = "ab,ac,cd->ad", "operands", MISMATCH);
    WRONG(tensor_einsum, s, d.expression = NULL, "expression", ARGUMENT);
    WRONG(tensor_einsum, s, d.count = 0, "count", ARGUMENT);
    WRONG(tensor_einsum, s, d.math = 9, "math", ARGUMENT);
    WRONG(tensor_einsum, s, d.method = 9, "method", ARGUMENT);
    WRONG(tensor_einsum, s, d.objective = 9, "objective", ARGUMENT);
    WRONG(tensor_einsum, s, d.method = PADIC_TENSOR_METHOD_GIVEN, "path", ARGUMENT);
    WRONG(tensor_einsum, s, d.path = &path, "path", ARGUMENT);
    WRONG(tensor_einsum, s, d.memory_limit = 1, "memory_limit", LIMIT);
    WRONG(tensor_einsum, s, d.workspace = padic_tensor_1d(PADIC_U8, e, 8), "workspace", CAPACITY);
    WRONG(tensor_einsum, s, d.workspace = padic_tensor_1d(PADIC_F64, e, 64), "workspace", ARGUMENT);
    WRONG(tensor_einsum, s, d.workspace = padic_tensor_1d(PADIC_U8, a, 512), "workspace", OVERLAP);
    WRONG(tensor_einsum, s, d.out.tensor.data = a, "out", OVERLAP);
    WRONG(tensor_einsum, s, d.out.tensor.data = NULL, "out", ARGUMENT);
    WRONG(tensor_einsum, s, d.out.tensor.dtype = PADIC_F32, "out", MISMATCH);
    WRONG(tensor_einsum, s, d.out.tensor.rank = 9, "out", LIMIT);
    WRONG(tensor_einsum, s, d.out.conj = 1, "conj", ARGUMENT);
    WRONG(tensor_einsum, s, TERM(bad[1].tensor.data = NULL), "operands", ARGUMENT);
    WRONG(tensor_einsum, s, TERM(bad[1].tensor.dtype = PADIC_I8), "operands", DTYPE);
    WRONG(tensor_einsum, s, TERM(bad[1].tensor.rank = 9), "operands", LIMIT);
    WRONG(tensor_einsum, s, TERM(bad[1].rank = 3), "rank", ARGUMENT);
    BAD("tensor_einsum", padic_tensor_einsum(context, NULL), "desc", ARGUMENT);
    BAD("tensor_einsum_info", padic_tensor_einsum_info(context, &s, NULL), "path", ARGUMENT);
    s.count = 0;
    BAD("tensor_einsum_info", padic_tensor_einsum_info(context, &s, &path), "count", ARGUMENT);
    p.tensors = padic_tensor_3d(PADIC_F64, a, 2, 2, 2);
    p.u = padic_tensor_3d(PADIC_F64, b, 1, 8, 8);
    p.w = padic_tensor_3d(PADIC_F64, f, 1, 8, 3);
    p.out = padic_tensor_2d(PADIC_F64, c, 1, 3);
    WRONG(tensor_pair_pool, p, d.tensors.shape[0] = 3, "tensors", ARGUMENT);
    WRONG(tensor_pair_pool, p, d.tensors.shape[2] = 3, "tensors", MISMATCH);
    WRONG(tensor_pair_pool, p, d.u.shape[1] = 3, "u", MISMATCH);
    WRONG(tensor_pair_pool, p, d.w.shape[1] = 3, "w", MISMATCH);
    WRONG(tensor_pair_pool, p, d.out.shape[1] = 4, "out", MISMATCH);
    WRONG(tensor_pair_pool, p, d.u.dtype = PADIC_I32, "u", DTYPE);
    WRONG(tensor_pair_pool, p, d.w.dtype = PADIC_F32, "w", MISMATCH);
    WRONG(tensor_pair_pool, p, d.out.rank = 9, "out", LIMIT);
    WRONG(tensor_pair_pool, p, d.workspace = padic_tensor_1d(PADIC_U8, e, 8), "workspace",
          CAPACITY);
    BAD("tensor_pair_pool", padic_tensor_pair_pool(context, NULL), "desc", ARGUMENT);
    good.u = p.u, good.w = p.w;
    good.out = padic_tensor_3d(PADIC_F64, c, 1, 8, 3);
#define FUSE(CHANGE, FIELD, CODE) \
    fuse = good; CHANGE; \
    BAD("tensor_pair_pool_fuse", padic_tensor_pair_pool_fuse(context, &fuse), FIELD, CODE)
    FUSE(fuse.u.rank = 2, "u", MISMATCH);
    FUSE(fuse.w.shape[1] = 2, "w", MISMATCH);
    FUSE(fuse.out.shape[2] = 2, "out", MISMATCH);
    FUSE(fuse.out.dtype = PADIC_I8, "out", DTYPE);
    BAD("tensor_pair_pool_fuse", padic_tensor_pair_pool_fuse(context, NULL), "desc", ARGUMENT);
}

TEST(codes)
{
    static uint32_t links[6 * 6], less[6 * 6];
    static uint64_t rows[400], part[1] = {1}, much[1] = {UINT64_C(1) << 63};
    static uint8_t signs[64], bulk[6] = {7, 0, 0, 0, 0, 0}, inside[6];
    const uint64_t shape[6] = {2, 2, 2, 2, 2, 2};
    padic_tensor t = padic_tensor_nd(PADIC_F64, e, 6, shape), one;
    padic_tensor_happy happy = PADIC_ZERO, bad;
    padic_tensor_tableau table = PADIC_ZERO;
    uint32_t cut, entropy;
    double x;
    open_contexts();
#define TENSOR(CHANGE) (one = t, CHANGE, &one)
    BAD("tensor_perfect", padic_tensor_perfect(context, NULL), "desc", ARGUMENT);
    BAD("tensor_perfect", perfect(context, TENSOR(one.dtype = PADIC_I8)), "out",
        DTYPE);
    BAD("tensor_perfect", perfect(context, TENSOR(one.rank = 5)), "out", MISMATCH);
    BAD("tensor_perfect", perfect(context, TENSOR(one.data = NULL)), "out",
        ARGUMENT);
    BAD("tensor_perfect_check", padic_tensor_perfect_check(context, NULL), "desc", ARGUMENT);
    BAD("tensor_perfect_check", perfect_check(context, TENSOR(one.rank = 3), &x),
        "tensor", MISMATCH);
    BAD("tensor_perfect_check", perfect_check(context, TENSOR(one.rank = 9), &x),
        "tensor", LIMIT);
    memset(e, 0, sizeof e);
    BAD("tensor_perfect_check", perfect_check(context, &t, &x), "tensor", DOMAIN);
    BAD("tensor_happy_build", padic_tensor_happy_build(context, NULL), "desc", ARGUMENT);
    BAD("tensor_happy_build", happy_build(context, 0, 9, NULL, 0, &bad), "layers", ARGUMENT);
    BAD("tensor_happy_build", happy_build(context, 0, 1, links, 5, &bad), "links",
        CAPACITY);
    REQUIRE(happy_build(NULL, 0, 1, links, 36, &happy) == PADIC_OK);
    bad = happy, bad.links.data = NULL;
    BAD("tensor_happy_encode", happy_encode(context, &bad, NULL, rows, signs, 400, &table), "happy",
        ARGUMENT);
    BAD("tensor_happy_encode", happy_encode(context, &happy, NULL, rows, signs, 400, NULL), "out",
        ARGUMENT);
    BAD("tensor_happy_encode", happy_encode(context, &happy, bulk, rows, signs, 400, &table),
        "bulk", ARGUMENT);
    BAD("tensor_happy_encode", happy_encode(context, &happy, NULL, rows, signs, 3, &table),
        "rows", CAPACITY);
    REQUIRE(happy_encode(NULL, &happy, NULL, rows, signs, 400, &table) == PADIC_OK);
    BAD("tensor_happy_entropy", happy_entropy(context, &table, NULL, &entropy), "part",
        ARGUMENT);
    BAD("tensor_happy_entropy", happy_entropy(context, &table, much, &entropy), "part",
        ARGUMENT);
    BAD("tensor_happy_cut", happy_cut(context, &happy, NULL, &cut, NULL, NULL), "part",
        ARGUMENT);
    BAD("tensor_happy_cut", happy_cut(context, &bad, part, &cut, NULL, NULL), "happy",
        ARGUMENT);
    BAD("tensor_happy_cut", happy_cut(context, &happy, much, &cut, NULL, NULL), "part",
        ARGUMENT);
    memcpy(less, links, sizeof less);
    less[0] = 7;
    bad = happy, bad.links.data = less;
    BAD("tensor_happy_wedge", happy_wedge(context, &bad, part, inside, NULL), "links",
        ARGUMENT);
    BAD("tensor_happy_wedge", happy_wedge(context, &happy, part, NULL, NULL), "out",
        ARGUMENT);
}

TEST(layers)
{
    static double u[16], w[8], op[64], rho[64], out[64], results[16];
    const uint64_t shape[4] = {2, 2, 2, 2};
    padic_tensor_mera_layer layer = PADIC_ZERO;
    padic_tensor_mera_random_desc r = PADIC_ZERO;
    padic_tensor_mera_ascend_desc ascend = PADIC_ZERO;
    padic_tensor_mera_descend_desc descend = PADIC_ZERO;
    padic_tensor_mera_update_desc p = PADIC_ZERO;
    padic_tensor_mera_environment_desc v = PADIC_ZERO;
    padic_tensor_mera_expect_desc x = PADIC_ZERO;
    padic_tensor_mera_expect_report told;
    padic_tensor_mera_fixed_point_desc fixed = PADIC_ZERO;
    padic_tensor_mera_scaling_desc s = PADIC_ZERO;
    padic_tensor_mera_state_desc t = PADIC_ZERO;
    padic_tensor_mera_check_desc k = PADIC_ZERO;
    padic_tensor_mera_check_report off;
    open_contexts();
    layer.u = padic_tensor_nd(PADIC_F64, u, 4, shape);
    layer.w = padic_tensor_nd(PADIC_F64, w, 3, shape);
    r.layer = ascend.layer = descend.layer = p.layer = v.layer = fixed.layer = s.layer = t.layer =
        k.layer = layer;
    ascend.op = p.op = v.op = x.op = padic_tensor_2d(PADIC_F64, op, 8, 8);
    descend.rho = p.rho = v.rho = x.rho = t.state = padic_tensor_2d(PADIC_F64, rho, 8, 8);
    ascend.out = descend.out = v.out = fixed.out = t.out = padic_tensor_2d(PADIC_F64, out, 8, 8);
    s.eigenvalues = padic_tensor_1d(PADIC_F64, results, 2);
    x.report = &told, k.report = &off;
    REQUIRE(padic_tensor_mera_random(NULL, &r) == PADIC_OK);
    VIEWS(tensor_mera_ascend, ascend, layer.u, "u");
    VIEWS(tensor_mera_ascend, ascend, op, "op");
    VIEWS(tensor_mera_descend, descend, out, "out");
    VIEWS(tensor_mera_update, p, rho, "rho");
    VIEWS(tensor_mera_scaling, s, eigenvalues, "eigenvalues");
    WRONG(tensor_mera_ascend, ascend, d.layer.kind = (padic_tensor_mera_kind)2, "kind", ARGUMENT);
    WRONG(tensor_mera_ascend, ascend, d.layer.flags = 2, "flags", ARGUMENT);
    WRONG(tensor_mera_fixed_point, fixed, d.tolerance = -1, "tolerance", TOLERANCE);
    WRONG(tensor_mera_check, k, d.report = NULL, "report", ARGUMENT);
    WRONG(tensor_mera_expect, x, d.report = NULL, "report", ARGUMENT);
    WRONG(tensor_mera_ascend, ascend, d.layer.w.shape[0] = 3, "w", MISMATCH);
    WRONG(tensor_mera_ascend, ascend, d.op.shape[0] = 3, "op", MISMATCH);
    WRONG(tensor_mera_descend, descend, d.rho.shape[1] = 3, "rho", MISMATCH);
    WRONG(tensor_mera_descend, descend, d.out.shape[1] = 3, "out", MISMATCH);
    WRONG(tensor_mera_ascend, ascend, d.out.data = op, "out", OVERLAP);
    WRONG(tensor_mera_ascend, ascend, d.layer.u.dtype = PADIC_I8, "u", DTYPE);
    WRONG(tensor_mera_ascend, ascend, d.op.dtype = PADIC_F32, "op", MISMATCH);
    WRONG(tensor_mera_environment, v, d.part = (padic_tensor_mera_part)2, "part", ARGUMENT);
    WRONG(tensor_mera_environment, v, d.part = PADIC_TENSOR_MERA_PART_W, "out", MISMATCH);
    WRONG(tensor_mera_scaling, s, d.eigenvalues.shape[0] = 65, "eigenvalues", ARGUMENT);
    WRONG(tensor_mera_scaling, s, d.dimensions = padic_tensor_1d(PADIC_F64, out, 3), "dimensions",
          MISMATCH);
    WRONG(tensor_mera_state, t, d.sites = 1, "sites", ARGUMENT);
    WRONG(tensor_mera_state, t, d.sites = 1025, "sites", LIMIT);
    WRONG(tensor_mera_state, t, d.sites = 2, "state", MISMATCH);
    WRONG(tensor_mera_random, r, d.layer.w.rank = 2, "w", MISMATCH);
    BAD("tensor_mera_update", padic_tensor_mera_update(context, NULL), "desc", ARGUMENT);
    op[3] = NAN;
    WRONG(tensor_mera_ascend, ascend, (void)0, "op", NOT_FINITE);
    WRONG(tensor_mera_update, p, (void)0, "op", NOT_FINITE);
    WRONG(tensor_mera_expect, x, (void)0, "op", NOT_FINITE);
    op[3] = 0, u[2] += 1;
    WRONG(tensor_mera_ascend, ascend, (void)0, "u", DOMAIN);
    u[2] = INFINITY;
    WRONG(tensor_mera_check, k, (void)0, "u", NOT_FINITE);
}

static padic_wave_superpose_desc field(void)
{
    padic_wave_superpose_desc s = PADIC_ZERO;
    s.points = padic_tensor_2d(PADIC_F64, a, 5, 3);
    s.sources = padic_tensor_2d(PADIC_F64, b, 4, 3);
    s.wavenumber = padic_tensor_1d(PADIC_F64, f, 4);
    s.amplitude = padic_tensor_1d(PADIC_F64, f + 8, 4);
    s.out = padic_tensor_1d(PADIC_C128, c, 5);
    return s;
}

TEST(waves)
{
    padic_wave_superpose_desc s = field();
    padic_wave_frames_desc m = PADIC_ZERO;
    padic_wave_gradient_desc g = PADIC_ZERO;
    double bound;
    open_contexts();
    VIEWS(wave_superpose, s, points, "points");
    VIEWS(wave_superpose, s, sources, "sources");
    VIEWS(wave_superpose, s, wavenumber, "wavenumber");
    VIEWS(wave_superpose, s, amplitude, "amplitude");
    VIEWS(wave_superpose, s, out, "out");
    WRONG(wave_superpose, s, d.kernel = (padic_wave_kernel)9, "kernel", ARGUMENT);
    WRONG(wave_superpose, s, d.sign = (padic_wave_sign)9, "sign", ARGUMENT);
    WRONG(wave_superpose, s, d.softening = (padic_wave_softening)9, "softening", ARGUMENT);
    WRONG(wave_superpose, s, d.output = (padic_wave_output)9, "output", ARGUMENT);
    WRONG(wave_superpose, s, d.flags = 4, "flags", ARGUMENT);
    WRONG(wave_superpose, s, (d.flags = 1, d.output = PADIC_WAVE_OUTPUT_REAL), "flags", ARGUMENT);
    WRONG(wave_superpose, s, d.speed = -1, "speed", ARGUMENT);
    WRONG(wave_superpose, s, d.time = NAN, "time", NOT_FINITE);
    WRONG(wave_superpose, s, d.length = -1, "length", ARGUMENT);
    WRONG(wave_superpose, s, d.softening = PADIC_WAVE_SOFTENING_SHELL, "length", ARGUMENT);
    WRONG(wave_superpose, s, d.tolerance = NAN, "tolerance", TOLERANCE);
    WRONG(wave_superpose, s, d.points.dtype = PADIC_DTYPE_NONE, "points", ARGUMENT);
    WRONG(wave_superpose, s, d.points.rank = 1, "points", MISMATCH);
    WRONG(wave_superpose, s, d.points.dtype = PADIC_I32, "points", DTYPE);
    WRONG(wave_superpose, s, d.grid.count[0] = 5, "grid.count", ARGUMENT);
    WRONG(wave_superpose, s, d.sources.shape[1] = 4, "sources", MISMATCH);
    WRONG(wave_superpose, s, d.wavenumber.dtype = PADIC_DTYPE_NONE, "wavenumber", ARGUMENT);
    WRONG(wave_superpose, s, d.wavenumber.shape[0] = 3, "wavenumber", MISMATCH);
    WRONG(wave_superpose, s, d.amplitude.dtype = PADIC_I8, "amplitude", DTYPE);
    WRONG(wave_superpose, s, d.out.dtype = PADIC_F64, "out", DTYPE);
    WRONG(wave_superpose, s, d.out.shape[0] = 4, "out", MISMATCH);
    WRONG(wave_superpose, s, d.out.data = a, "out", OVERLAP);
    WRONG(wave_superpose, s, (d.kernel = PADIC_WAVE_KERNEL_GREEN2, d.softening =
                              PADIC_WAVE_SOFTENING_SHELL,
                              d.points.shape[1] = d.sources.shape[1] = 2, d.length = 1),
          "softening", ARGUMENT);
    a[3] = INFINITY;
    WRONG(wave_superpose, s, (void)0, "points", NOT_FINITE);
    BAD("wave_error_bound", wave_error_bound(context, &s, &bound), "points", NOT_FINITE);
    a[3] = 1;
    BAD("wave_superpose", padic_wave_superpose(context, NULL), "desc", ARGUMENT);
    BAD("wave_error_bound", wave_error_bound(context, &s, NULL), "report", ARGUMENT);
    s.sources.data = NULL;
    BAD("wave_error_bound", wave_error_bound(context, &s, &bound), "sources", NOT_SUPPORTED);
    m.field = field();
    m.field.out = padic_tensor_2d(PADIC_C128, c, 3, 5);
    m.times = padic_tensor_1d(PADIC_F64, e, 3);
    VIEWS(wave_frames, m, times, "times");
    WRONG(wave_frames, m, d.times.dtype = PADIC_DTYPE_NONE, "times", ARGUMENT);
    WRONG(wave_frames, m, d.drive = padic_tensor_2d(PADIC_C64, e, 3, 4), "drive", ARGUMENT);
    WRONG(wave_frames, m, d.field.out.dtype = PADIC_DTYPE_NONE, "out", ARGUMENT);
    WRONG(wave_frames, m, d.times.rank = 2, "times", MISMATCH);
    WRONG(wave_frames, m, d.times.dtype = PADIC_I8, "times", DTYPE);
    WRONG(wave_frames, m, d.merge_turns = -1, "merge_turns", ARGUMENT);
    WRONG(wave_frames, m, d.field.out.shape[0] = 2, "times", MISMATCH);
    WRONG(wave_frames, m, d.mean_intensity = padic_tensor_1d(PADIC_F64, e, 4), "mean_intensity",
          MISMATCH);
    BAD("wave_frames_error_bound", wave_frames_error_bound(context, &m, NULL), "report",
        ARGUMENT);
    m.times.rank = 9;
    BAD("wave_frames_error_bound", wave_frames_error_bound(context, &m, &bound), "times",
        LIMIT);
    g.field = field();
    g.out = padic_tensor_2d(PADIC_C128, e, 5, 3);
    VIEWS(wave_gradient, g, out, "out");
    VIEWS(wave_gradient, g, field.out, "field.out");
    WRONG(wave_gradient, g, d.out.dtype = PADIC_F64, "out", DTYPE);
    WRONG(wave_gradient, g, d.out.shape[1] = 4, "out", MISMATCH);
    WRONG(wave_gradient, g, d.out.shape[0] = 4, "out", MISMATCH);
    WRONG(wave_gradient, g,
          (d.field.out.dtype = PADIC_DTYPE_NONE, d.field.output = PADIC_WAVE_OUTPUT_REAL), "output",
          ARGUMENT);
}

TEST(fields)
{
    padic_wave_observe_desc o = PADIC_ZERO;
    padic_wave_tonemap_desc t = PADIC_ZERO;
    padic_wave_normalise_desc n = PADIC_ZERO;
    padic_wave_phase_gradient_desc g = PADIC_ZERO;
    padic_wave_winding_desc w = PADIC_ZERO;
    int64_t list[8] = {0};
    padic_wave_lattice_desc l = PADIC_ZERO;
    open_contexts();
    memset(c, 0, sizeof c);
    o.psi = t.field = g.psi = w.psi = padic_tensor_2d(PADIC_C64, a, 5, 5);
    n.psi = padic_tensor_1d(PADIC_C64, c, 5);
    o.out = padic_tensor_2d(PADIC_F32, e, 5, 5);
    t.out = padic_tensor_3d(PADIC_U8, pixels, 5, 5, 4);
    g.out = padic_tensor_3d(PADIC_F32, e, 5, 5, 2);
    VIEWS(wave_observe, o, psi, "psi");
    VIEWS(wave_observe, o, out, "out");
    WRONG(wave_observe, o, d.output = PADIC_WAVE_OUTPUT_RGBA8, "output", ARGUMENT);
    WRONG(wave_observe, o, d.psi.dtype = PADIC_F32, "psi", DTYPE);
    WRONG(wave_observe, o, d.out.dtype = PADIC_C64, "out", DTYPE);
    WRONG(wave_observe, o, d.out.shape[0] = 3, "out", MISMATCH);
    WRONG(wave_observe, o, d.out.data = a, "out", OVERLAP);
    VIEWS(wave_tonemap, t, field, "field");
    VIEWS(wave_tonemap, t, out, "out");
    WRONG(wave_tonemap, t, d.tone.curve = (padic_wave_curve)9, "tone.curve", ARGUMENT);
    WRONG(wave_tonemap, t, d.tone.map = PADIC_WAVE_MAP_TABLE, "tone.table", ARGUMENT);
    WRONG(wave_tonemap, t, d.tone.low = NAN, "tone.low", ARGUMENT);
    WRONG(wave_tonemap, t, (d.tone.map = PADIC_WAVE_MAP_HUE, d.field.dtype = PADIC_F32), "tone.map",
          ARGUMENT);
    WRONG(wave_tonemap, t, d.out.dtype = PADIC_I8, "out", DTYPE);
    WRONG(wave_tonemap, t, d.out.shape[2] = 3, "out", MISMATCH);
    VIEWS(wave_normalise, n, psi, "psi");
    WRONG(wave_normalise, n, d.target = -1, "target", ARGUMENT);
    WRONG(wave_normalise, n, d.volume = NAN, "volume", ARGUMENT);
    WRONG(wave_normalise, n, d.legacy = 2, "legacy", ARGUMENT);
    WRONG(wave_normalise, n, (d.legacy = 1, d.target = 2), "target", ARGUMENT);
    WRONG(wave_normalise, n, d.psi.dtype = PADIC_F64, "psi", DTYPE);
    WRONG(wave_normalise, n, (void)0, "psi", DOMAIN);
    WRONG(wave_normalise, n, c[1] = NAN, "psi", DOMAIN);
    VIEWS(wave_phase_gradient, g, psi, "psi");
    VIEWS(wave_phase_gradient, g, out, "out");
    WRONG(wave_phase_gradient, g, d.method = (padic_wave_phase_method)9, "method", ARGUMENT);
    WRONG(wave_phase_gradient, g, d.periodic = 4, "periodic", ARGUMENT);
    WRONG(wave_phase_gradient, g, d.step[1] = -1, "step", ARGUMENT);
    WRONG(wave_phase_gradient, g, d.scale = NAN, "scale", ARGUMENT);
    WRONG(wave_phase_gradient, g, d.floor = -1, "floor", ARGUMENT);
    WRONG(wave_phase_gradient, g, d.out.shape[2] = 3, "out", MISMATCH);
    w.map = padic_tensor_2d(PADIC_I8, pixels, 5, 5);
    VIEWS(wave_winding, w, psi, "psi");
    VIEWS(wave_winding, w, map, "map");
    WRONG(wave_winding, w, d.psi.rank = 1, "psi", MISMATCH);
    WRONG(wave_winding, w, d.periodic = 8, "periodic", ARGUMENT);
    WRONG(wave_winding, w, d.defects = padic_tensor_2d(PADIC_F64, list, 2, 3), "defects",
          DTYPE);
    WRONG(wave_winding, w, d.defects = padic_tensor_2d(PADIC_I64, list, 2, 4), "defects",
          MISMATCH);
    WRONG(wave_winding, w, d.map.dtype = PADIC_U8, "map", DTYPE);
    WRONG(wave_winding, w, d.map.shape[0] = 4, "map", MISMATCH);
    l.out = padic_tensor_2d(PADIC_F64, e, 5, 3);
    WRONG(wave_lattice, l, d.out.rank = 9, "out", LIMIT);
    WRONG(wave_lattice, l, d.out.dtype = PADIC_I8, "out", DTYPE);
    WRONG(wave_lattice, l, d.out.shape[1] = 2, "out", MISMATCH);
    WRONG(wave_lattice, l, d.out.data = NULL, "out", NOT_SUPPORTED);
    WRONG(wave_lattice, l, d.radius = -1, "radius", ARGUMENT);
    WRONG(wave_lattice, l, d.centre[1] = NAN, "centre", NOT_FINITE);
    BAD("wave_lattice", padic_wave_lattice(context, NULL), "desc", ARGUMENT);
}

TEST(vortices)
{
    static double cores[4] = {1, 1, 0, 1}, charges[4] = {1, 2, 0.5, 70}, axes[12] = {0, 0, 1, 0, 1,
                                                                                     0, 3, 0, 0};
    padic_wave_vortex_desc v = PADIC_ZERO;
    open_contexts();
    v.points = padic_tensor_2d(PADIC_F64, a, 5, 3);
    v.centres = padic_tensor_2d(PADIC_F64, b, 2, 3);
    v.cores = padic_tensor_1d(PADIC_F64, cores, 2);
    v.charges = padic_tensor_1d(PADIC_F64, charges, 2);
    v.axes = padic_tensor_2d(PADIC_F64, axes, 2, 3);
    v.psi = padic_tensor_1d(PADIC_C64, f, 5);
    v.out = padic_tensor_1d(PADIC_C64, e, 5);
    for (int i = 0; i < 3; i++) CHECK_EQ(padic_wave_vortex(contexts[i], &v), PADIC_OK);
    VIEWS(wave_vortex, v, points, "points");
    VIEWS(wave_vortex, v, centres, "centres");
    VIEWS(wave_vortex, v, cores, "cores");
    VIEWS(wave_vortex, v, charges, "charges");
    VIEWS(wave_vortex, v, axes, "axes");
    VIEWS(wave_vortex, v, psi, "psi");
    VIEWS(wave_vortex, v, out, "out");
    WRONG(wave_vortex, v, d.core = (padic_wave_core)9, "core", ARGUMENT);
    WRONG(wave_vortex, v, d.output = (padic_wave_output)9, "output", ARGUMENT);
    WRONG(wave_vortex, v, d.flags = 1, "flags", ARGUMENT);
    WRONG(wave_vortex, v, d.centres.shape[1] = 4, "centres", MISMATCH);
    WRONG(wave_vortex, v, d.cores.shape[0] = 3, "cores", MISMATCH);
    WRONG(wave_vortex, v, d.charges.dtype = PADIC_I32, "charges", DTYPE);
    WRONG(wave_vortex, v, d.axes.shape[1] = 2, "axes", MISMATCH);
    WRONG(wave_vortex, v, d.psi.shape[0] = 4, "psi", MISMATCH);
    WRONG(wave_vortex, v, d.psi.dtype = PADIC_F32, "psi", DTYPE);
    WRONG(wave_vortex, v, d.out.shape[0] = 4, "out", MISMATCH);
    WRONG(wave_vortex, v, d.out.data = a, "out", OVERLAP);
    WRONG(wave_vortex, v, d.core = PADIC_WAVE_CORE_LEGACY, "axes", ARGUMENT);
    WRONG(wave_vortex, v, d.core = PADIC_WAVE_CORE_PADE, "charges", ARGUMENT);
    WRONG(wave_vortex, v, d.charges.data = charges + 1, "charges", ARGUMENT);
    WRONG(wave_vortex, v, d.charges.data = charges + 2, "charges", ARGUMENT);
    WRONG(wave_vortex, v, d.cores.data = cores + 1, "cores", ARGUMENT);
    WRONG(wave_vortex, v, d.axes.data = axes + 3, "axes", ARGUMENT);
    WRONG(wave_vortex, v, d.cores.dtype = PADIC_DTYPE_NONE, "cores", ARGUMENT);
    b[1] = NAN;
    WRONG(wave_vortex, v, (void)0, "centres", NOT_FINITE);
    b[1] = 0;
    BAD("wave_vortex", padic_wave_vortex(context, NULL), "desc", ARGUMENT);
    printf(" [%u wrong calls]", calls);
}

// What a call would do is what it does, in every area whose operations are tasks.
static void asked_as_done(padic_context *context, padic_op op, padic_result done, const void *out,
                          const void *before, size_t size)
{
    padic_op_stats now;
    padic_context_op_stats(context, op, &now);
    CHECK_EQ(test_asked.result, done);
    CHECK(test_asked.calls == 1 && test_asked.op == op);
    if (done) CHECK(done == PADIC_ERROR_NOT_SUPPORTED && !*test_asked.backend); // strict
    if (done) return;
    CHECK(now.backend && !strcmp(test_asked.backend, now.backend));
    CHECK(!size || memcmp(out, before, size)); // it was not done when it was asked
}

TEST(asking)
{
    static float points[16], none[16];
    static unsigned char bytes[4096], zero[4096];
    open_buffers();
    for (int i = 0; i < 6; i++) {
        padic_context *const context = contexts[i % 3];
        padic_sample_halton_desc halton = PADIC_ZERO;
        padic_codec_pack_desc pack = PADIC_ZERO;
        padic_sparse_count_desc count = PADIC_ZERO;
        padic_sparse_encode_report found;
        padic_op_stats stats;
        memset(points, 0, sizeof points);
        memset(bytes, 0, sizeof bytes);
        if (i >= 3) CHECK(!padic_buffer_upload(context, of(context), 0, none, 64));
        halton.out = padic_tensor_2d(PADIC_F32, i < 3 ? points : NULL, 1, 16);
        halton.first = 1;
        if (i >= 3) halton.out.buffer = of(context);
        padic_context_op_stats(context, PADIC_OP_SAMPLE_HALTON, &stats);
        CHECK_EQ(ASK(context, padic_sample_halton(context, &halton)), PADIC_OK);
        if (i >= 3) CHECK(!padic_buffer_download(context, of(context), 0, points, 64));
        CHECK(!memcmp(points, none, sizeof none));
        const uint64_t before = stats.calls;
        padic_context_op_stats(context, PADIC_OP_SAMPLE_HALTON, &stats);
        CHECK_EQ(stats.calls, before);
        const padic_result done = padic_sample_halton(context, &halton);
        if (i >= 3) CHECK(!padic_buffer_download(context, of(context), 0, points, 64));
        asked_as_done(context, PADIC_OP_SAMPLE_HALTON, done, points, none, sizeof none);

        pack.tensor = padic_tensor_1d(PADIC_F64, i < 3 ? a : NULL, 8);
        pack.packed = padic_bytes_out(bytes, sizeof bytes);
        if (i >= 3) pack.tensor.buffer = of(context);
        const padic_result would = ASK(context, padic_codec_pack(context, &pack));
        CHECK(!memcmp(bytes, zero, sizeof zero));
        asked_as_done(context, PADIC_OP_CODEC_PACK, padic_codec_pack(context, &pack), bytes, zero,
                      sizeof zero);
        padic_bytes packed;
        padic_context_ask(context, &test_asked); // the short way stops at the operation
        CHECK_EQ(padic_codec_pack_new(context, &pack, &packed), would ? would : PADIC_ERROR_ASKED);
        CHECK(!packed.data && !strstr(padic_context_message(context), "asked"));
        padic_context_ask(context, NULL);

        count.source.dense = padic_tensor_2d(PADIC_F32, f, 4, 8);
        count.report = &found;
        CHECK_EQ(ASK(context, padic_sparse_count(context, &count)), PADIC_OK);
        asked_as_done(context, PADIC_OP_SPARSE_COUNT, padic_sparse_count(context, &count), NULL,
                      NULL, 0);
        halton.out.dtype = PADIC_F16;
        CHECK_EQ(ASK(context, padic_sample_halton(context, &halton)), PADIC_ERROR_DTYPE);
        CHECK(!*test_asked.backend);
        CHECK_EQ(padic_context_ask(context, &test_asked), PADIC_OK);
        if (i == 2 && device_count) CHECK_EQ(padic_record_begin(context), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_context_ask(context, NULL), PADIC_OK);
    }
    close_buffers();
}

TEST_MAIN("test_messages", CASE(memory), CASE(asking), CASE(contexts_and_recordings), CASE(basics),
          CASE(packing_in_buffers), CASE(products), CASE(factorisations), CASE(entropies),
          CASE(einsums),
          CASE(codes), CASE(layers), CASE(waves), CASE(fields), CASE(vortices),
          CASE(no_kernel_was_dropped))
