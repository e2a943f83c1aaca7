// test_simd.c: every kernel of padic_simd.h, at every level that this CPU has, against the plain
// loops: the same bytes and the same result, and not a byte written outside.

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/ask.h"
#include "../support/sample_calls.h"

static const char *const levels[] = {"avx2", "avx512", "avx512ifma", "neon", "none"};
enum { LEVELS = 5 };

// NULL: this CPU lacks the level. `level` NULL: the best there is.
static padic_context *simd_context(const char *level)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = padic_simd();
    desc.device.name = level;
    return padic_context_create(&desc, &context) ? NULL : context;
}

// ---- the backend itself

TEST(levels)
{
    int found = 0;
    for (int i = 0; i < LEVELS; i++) {
        padic_context *context = simd_context(levels[i]);
        padic_device_info info;
        if (!context) continue;
        padic_context_device_info(context, &info);
        CHECK(!strcmp(info.arch, levels[i]));
        CHECK(strstr(info.name, levels[i]) != NULL);
        CHECK_EQ(info.features, PADIC_FEATURE_F64 | PADIC_FEATURE_UNIFIED);
        printf(" %s", levels[i]);
        found++;
        padic_context_destroy(context);
    }
    CHECK(found >= 1); // "none" is everywhere
    padic_context *best = simd_context(NULL), *other = simd_context("Some GPU");
    CHECK(best != NULL && other != NULL); // a name that is no level is another backend's
    padic_context_destroy(best);
    padic_context_destroy(other);
}

TEST(operations) // of the context: done plainly, with this backend alone and strict
{
    padic_context *context = simd_context(NULL);
    REQUIRE(context != NULL);
    float data[100], back[100], want[100];
    padic_random_fill_desc random = PADIC_ZERO;
    random.tensor = padic_tensor_1d(PADIC_F32, want, 100);
    CHECK_EQ(padic_random_fill(NULL, &random), PADIC_OK);
    random.tensor.data = data;
    CHECK_EQ(padic_random_fill(context, &random), PADIC_OK);
    CHECK(!memcmp(data, want, sizeof data));
    CHECK_EQ(ASK(context, padic_random_fill(context, &random)), PADIC_OK);
    CHECK(!strcmp(test_asked.backend, "simd"));
    padic_buffer_desc buffer = PADIC_ZERO;
    padic_buffer id = {0};
    buffer.size = sizeof data;
    buffer.data = data;
    CHECK_EQ(padic_buffer_create(context, &buffer, &id), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(context, id, 0, 7, 16), PADIC_OK);
    CHECK_EQ(padic_buffer_copy(context, id, 0, id, 16, 16), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, id, 0, back, sizeof back), PADIC_OK);
    CHECK(!memcmp(back, data + 4, 16) && !memcmp(back + 4, data + 4, sizeof back - 16));
    CHECK_EQ(padic_context_sync(context), PADIC_OK);
    padic_context_destroy(context);
}

static void *no_memory(size_t size, size_t align, void *user)
{
    size_t *left = (size_t *)user;
    (void)align;
    return *left && (*left)-- ? malloc(size) : NULL;
}

static void some_memory_free(void *p, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(p);
}

TEST(no_memory_left) // the context itself, then the device
{
    for (size_t n = 0; n < 3; n++) {
        padic_context_desc desc = PADIC_ZERO;
        padic_context *context = NULL;
        size_t left = n;
        desc.backends[0] = padic_simd();
        desc.allocator.alloc = no_memory;
        desc.allocator.free = some_memory_free;
        desc.allocator.user = &left;
        CHECK_EQ(padic_context_create(&desc, &context), n < 2 ? PADIC_ERROR_MEMORY : PADIC_OK);
        padic_context_destroy(context);
    }
}

// ---- samplers

enum { MANY = 3000 };
static const uint32_t bases[] = {2,  3,   4,   5,   6,   7,   10,   11,   13,   16,    31,
                                 97, 256, 257, 509, 512, 521, 1021, 1031, 8161, 65521, 65537};
enum { BASES = (int)(sizeof bases / sizeof *bases) };
static const padic_dtype outs[] = {PADIC_U32, PADIC_U64, PADIC_F32, PADIC_F64};

static uint64_t plain_room[3 * MANY + 8], simd_room[3 * MANY + 8], indices[3 * MANY];
static uint64_t keys[64];

// Both rooms are filled alike first, so comparing them whole finds bytes written outside.
static void rooms(void)
{
    memset(plain_room, 0xa5, sizeof plain_room);
    memset(simd_room, 0xa5, sizeof simd_room);
}

static int rooms_agree(void)
{
    return !memcmp(plain_room, simd_room, sizeof plain_room);
}

// A case: base, digits, mode, dtype, count, stride, places of the data, indices or a range.
static padic_sample_radical_inverse_desc random_case(void)
{
    static const uint32_t sizes[] = {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 511, MANY};
    padic_sample_radical_inverse_desc d = PADIC_ZERO;
    const uint64_t r = test_random();
    const uint32_t stride = r % 4 ? 1 : 2 + (uint32_t)(r >> 8) % 2;
    uint64_t last, count = sizes[(r >> 16) % (sizeof sizes / sizeof *sizes)];
    d.base = bases[(r >> 24) % BASES];
    d.digits = (r >> 32) % 4 ? PADIC_SAMPLE_DIGITS_SHORT : PADIC_SAMPLE_DIGITS_LONG;
    d.scrambling.mode = (padic_sample_mode)((r >> 34) % 3);
    d.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
    last = padic_sample_last_index(d.base, d.digits);
    d.out = padic_tensor_1d(outs[(r >> 40) % 4], NULL, count);
    d.out.stride[0] = stride;
    d.reversed = (r >> 44) % 8 == 0 && (d.out.dtype == PADIC_U64 || (d.out.dtype == PADIC_U32 &&
                                                                     !d.digits));
    if ((r >> 48) % 2) { // any indices, up to the largest and now and then beyond
        const int wide = (r >> 50) % 2 || d.digits;
        const uint64_t most = (r >> 52) % 4 ? last : last / 2 + (last >> 12);
        d.index = padic_tensor_1d(wide ? PADIC_U64 : PADIC_U32, indices, count);
        d.index.stride[0] = (r >> 54) % 3 ? 1 : 3;
        for (uint32_t j = 0; j < count * (uint64_t)d.index.stride[0]; j++) {
            uint64_t i = test_random();
            i = i % 5 ? (last + 1 ? i % (last + 1) : i) : last - i % 3;
            if (test_random() % 4096 == 0) i = most + 1;
            if (wide)
                indices[j] = i;
            else
                ((uint32_t *)(void *)indices)[j] = (uint32_t)i;
        }
    } else {
        const uint64_t room = last > count ? last - count : 1;
        if (last < count) d.out.shape[0] = last;
        d.first = r >> 62 == 0 ? 0 : r >> 62 == 1 ? room - 1 : test_random() % room;
    }
    return d;
}

TEST(radical_inverse)
{
    for (int l = 0; l < LEVELS; l++) {
        padic_context *context = simd_context(levels[l]);
        if (!context) continue;
        for (int i = 0; i < (test_tiny ? 300 : 6000); i++) {
            padic_sample_radical_inverse_desc d = random_case();
            const size_t at = (size_t)(test_random() % 16); // of 4 bytes: any alignment
            for (int k = 0; k < 64; k++) keys[k] = test_random();
            rooms();
            d.out.data = (char *)plain_room + 4 * at;
            const padic_result want = padic_sample_radical_inverse(NULL, &d);
            d.out.data = (char *)simd_room + 4 * at;
            const padic_result got = padic_sample_radical_inverse(context, &d);
            CHECK_EQ(got, want);
            if (!rooms_agree())
                printf("\n  %s: base %u digits %d mode %d dtype %s count %u stride %d index %d",
                       levels[l], d.base, (int)d.digits, (int)d.scrambling.mode,
                       padic_dtype_name(d.out.dtype), (unsigned)d.out.shape[0],
                       (int)d.out.stride[0], (int)d.index.dtype);
            CHECK(rooms_agree());
        }
        padic_context_destroy(context);
    }
}

TEST(every_base) // the reciprocals: indices next to multiples of powers of the base
{
    enum { COUNT = 192 };
    static uint32_t at[COUNT], want[COUNT], got[COUNT];
    for (int l = 0; l < LEVELS; l++) {
        padic_context *context = simd_context(levels[l]);
        if (!context) continue;
        for (uint32_t b = 2; b <= 65537; b += test_tiny ? 1 + b / 4 : 1 + b / 1024) {
            padic_sample_radical_inverse_desc d = PADIC_ZERO;
            uint64_t last, power = b;
            last = padic_sample_last_index(b, PADIC_SAMPLE_DIGITS_SHORT);
            for (int j = 0; j < COUNT; j++) {
                uint64_t i = test_random() % (last / power + 1) * power + test_random() % 3;
                i = j == 0 || i < 2 ? last : i - 1 - (j == 1);
                at[j] = (uint32_t)(i > last ? last : i);
                power = power > last / b ? b : power * b;
            }
            d.base = b;
            d.index = padic_tensor_1d(PADIC_U32, at, COUNT);
            d.out = padic_tensor_1d(b % 2 ? PADIC_U32 : PADIC_F32, want, COUNT);
            d.scrambling.mode = (padic_sample_mode)(b / 2 % 3);
            if (b % 2 == 0 && b > 1021) d.scrambling.mode = PADIC_SAMPLE_MODE_NONE;
            d.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
            const padic_result result = padic_sample_radical_inverse(NULL, &d);
            d.out.data = got;
            CHECK_EQ(padic_sample_radical_inverse(context, &d), result);
            CHECK(!memcmp(want, got, sizeof want));
        }
        padic_context_destroy(context);
    }
}

TEST(in_place) // indices become values where they lie
{
    for (int l = 0; l < LEVELS; l++) {
        padic_context *context = simd_context(levels[l]);
        if (!context) continue;
        for (int i = 0; i < 40 * BASES; i++) {
            padic_sample_radical_inverse_desc d = PADIC_ZERO;
            uint64_t last;
            d.base = bases[i % BASES];
            d.scrambling.mode = (padic_sample_mode)(test_random() % 3);
            d.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
            last = padic_sample_last_index(d.base, d.digits);
            const int wide = (int)(test_random() % 2);
            rooms();
            for (int j = 0; j < 200; j++) {
                const uint64_t index = test_random() % (last + 1);
                const uint32_t half = (uint32_t)index;
                memcpy((char *)plain_room + j * (wide ? 8 : 4), wide ? (const void *)&index : &half,
                       wide ? 8 : 4);
            }
            memcpy(simd_room, plain_room, sizeof simd_room);
            d.out = padic_tensor_1d(wide ? PADIC_F64 : PADIC_F32, plain_room, 200);
            d.index = padic_tensor_1d(wide ? PADIC_U64 : PADIC_U32, plain_room, 200);
            CHECK_EQ(padic_sample_radical_inverse(NULL, &d), PADIC_OK);
            d.out.data = d.index.data = simd_room;
            CHECK_EQ(padic_sample_radical_inverse(context, &d), PADIC_OK);
            CHECK(rooms_agree());
        }
        padic_context_destroy(context);
    }
}

TEST(halton_and_hammersley)
{
    for (int l = 0; l < LEVELS; l++) {
        padic_context *context = simd_context(levels[l]);
        if (!context) continue;
        for (int i = 0; i < (test_tiny ? 40 : 400); i++) {
            static uint64_t many_keys[32 * 64];
            padic_sample_hammersley_desc d = PADIC_ZERO;
            padic_sample_keys_desc init = PADIC_ZERO;
            const uint64_t points = test_random() % 300, dimensions = 1 + test_random() % 10;
            d.dimension = (uint32_t)(test_random() % 200);
            d.layout = (padic_sample_layout)(test_random() % 2);
            d.digits = test_random() % 4 ? PADIC_SAMPLE_DIGITS_SHORT : PADIC_SAMPLE_DIGITS_LONG;
            d.out = padic_tensor_2d(outs[test_random() % 4], NULL,
                                    d.layout ? points : dimensions, d.layout ? dimensions : points);
            d.n = points + 1 + test_random() % 1000;
            d.first = test_random() % 2;
            init.seed = test_random();
            init.digits = d.digits;
            init.dimension = d.dimension ? d.dimension - 1 : 0;
            init.dimensions = 12;
            CHECK_EQ(sample_keys(&init, many_keys, sizeof many_keys), PADIC_OK);
            d.scrambling.mode = (padic_sample_mode)(test_random() % 4);
            d.scrambling.keys = padic_tensor_1d(PADIC_U64, many_keys, sizeof many_keys / 8);
            rooms();
            d.out.data = plain_room;
            const padic_result want = padic_sample_hammersley(NULL, &d);
            d.out.data = simd_room;
            CHECK_EQ(padic_sample_hammersley(context, &d), want);
            CHECK(rooms_agree());
        }
        padic_context_destroy(context);
    }
}

TEST(threads) // more than one task; an index too large is told from any of them
{
    enum { COUNT = 100000, POINTS = 20000 };
    static uint32_t in[COUNT], one[COUNT], all[COUNT];
    padic_threads *threads = padic_threads_create(3, NULL);
    REQUIRE(threads != NULL);
    for (int simd = 0; simd < 2; simd++)
        for (int bad = 0; bad < 2; bad++) {
            padic_context_desc desc = PADIC_ZERO;
            padic_context *context = NULL;
            padic_sample_radical_inverse_desc d = PADIC_ZERO;
            padic_sample_halton_desc h = PADIC_ZERO;
            desc.jobs = padic_threads_jobs(threads);
            desc.backends[0] = simd ? padic_simd() : NULL;
            CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
            for (int i = 0; i < COUNT; i++) in[i] = (uint32_t)test_random() % 3486784401u;
            if (bad) in[70000] = 3486784401u; // 3^20
            d.base = 3;
            d.index = padic_tensor_1d(PADIC_U32, in, COUNT);
            d.out = padic_tensor_1d(PADIC_F32, one, COUNT);
            CHECK_EQ(padic_sample_radical_inverse(NULL, &d), bad ? PADIC_ERROR_LIMIT : PADIC_OK);
            d.out.data = all;
            CHECK_EQ(padic_sample_radical_inverse(context, &d), bad ? PADIC_ERROR_LIMIT : PADIC_OK);
            CHECK(!memcmp(one, all, sizeof one));
            h.out = padic_tensor_2d(PADIC_F32, one, 5, POINTS);
            h.first = 7;
            CHECK_EQ(padic_sample_halton(NULL, &h), PADIC_OK);
            h.out.data = all;
            CHECK_EQ(padic_sample_halton(context, &h), PADIC_OK);
            CHECK(!memcmp(one, all, 5 * POINTS * sizeof *one));
            padic_context_destroy(context);
        }
    padic_threads_destroy(threads);
}

TEST(scramble_and_shuffle)
{
    for (int l = 0; l < LEVELS; l++) {
        padic_context *context = simd_context(levels[l]);
        if (!context) continue;
        for (int i = 0; i < (test_tiny ? 100 : 2000); i++) {
            padic_sample_scramble_desc d = PADIC_ZERO;
            padic_sample_shuffle_index_desc s = PADIC_ZERO;
            uint64_t last;
            d.base = s.base = bases[test_random() % BASES];
            d.digits = s.digits = test_random() % 4 ? PADIC_SAMPLE_DIGITS_SHORT
                : PADIC_SAMPLE_DIGITS_LONG;
            const uint32_t D = padic_sample_levels(d.base, d.digits);
            last = padic_sample_last_index(d.base, d.digits);
            const uint64_t count = test_random() % 200;
            const int wide = d.digits || test_random() % 2;
            for (int k = 0; k < 64; k++) keys[k] = test_random();
            for (uint32_t j = 0; j < count; j++) {
                const uint64_t index = test_random() % 64 ? test_random() % (last + !!(last + 1))
                                                          : last + test_random() % 2;
                const uint32_t half = (uint32_t)index;
                memcpy((char *)indices + j * (wide ? 8 : 4), wide ? (const void *)&index : &half,
                       wide ? 8 : 4);
            }
            d.scrambling.mode = (padic_sample_mode)(test_random() % 3);
            d.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
            d.reversals = padic_tensor_1d(wide ? PADIC_U64 : PADIC_U32, indices, count);
            d.out = d.reversals;
            for (int what = 0; what < 3; what++) {
                padic_result want, got;
                rooms();
                d.out.data = plain_room;
                s.scrambling = d.scrambling;
                s.levels = test_random() % 2 ? 0 : 1 + (uint32_t)(test_random() % D);
                s.first = count < last / 2 ? test_random() % (last / 2) : 0;
                if (test_random() % 2) s.index = d.reversals;
                s.out = d.out;
                want = what == 0   ? padic_sample_scramble(NULL, &d)
                       : what == 1 ? sample_unscramble(NULL, &d)
                                   : padic_sample_shuffle_index(NULL, &s);
                d.out.data = s.out.data = simd_room;
                got = what == 0   ? padic_sample_scramble(context, &d)
                      : what == 1 ? sample_unscramble(context, &d)
                                  : padic_sample_shuffle_index(context, &s);
                CHECK_EQ(got, want);
                if (!rooms_agree())
                    printf("\n  %s: %d base %u digits %d mode %d levels %u count %u", levels[l],
                           what, d.base, (int)d.digits, (int)d.scrambling.mode, s.levels,
                           (unsigned)count);
                CHECK(rooms_agree());
            }
        }
        padic_context_destroy(context);
    }
}

// ---- sparse kernels, against the definition of padic_sparse_call

// The backend without a context, as a context opens it. NULL: this CPU lacks the level.
static padic_device *simd_device(const char *level)
{
    static const padic_allocator allocator = {NULL, NULL, NULL};
    static const padic_jobs jobs = {0, NULL, NULL, NULL};
    static const padic_logger log = {NULL, NULL};
    static const padic_cache cache = {NULL, NULL, NULL};
    static char message[200];
    static padic_env env;
    padic_device_desc desc = PADIC_ZERO;
    padic_device *device = NULL;
    env.allocator = &allocator;
    env.jobs = &jobs;
    env.log = &log;
    env.cache = &cache;
    env.message = message;
    env.message_size = sizeof message;
    desc.name = level;
    return padic_simd()->open(&env, &desc, &device) ? NULL : device;
}

enum { KEYS = 40000 };
static uint64_t sparse_keys[KEYS + 8], want_ptr[601], got_ptr[601];
static uint64_t want_col[KEYS + 8], got_col[KEYS + 8], want_value[KEYS + 8], got_value[KEYS + 8];

static uint64_t sparse_key(const padic_sparse_call *call, uint64_t at)
{
    uint64_t key = 0;
    uint8_t b;
    uint16_t h;
    uint32_t w;
    const char *p = (const char *)call->key + at * call->size;
    switch (call->size) {
    case 1: memcpy(&b, p, 1); key = b; break;
    case 2: memcpy(&h, p, 2); key = h; break;
    case 4: memcpy(&w, p, 4); key = w; break;
    default: memcpy(&key, p, 8);
    }
    return key;
}

static void sparse_index(void *to, uint64_t at, uint32_t size, uint64_t value)
{
    const uint32_t half = (uint32_t)value;
    memcpy((char *)to + at * size, size == 4 ? (const void *)&half : &value, size);
}

// The backend's way of a loop.
static padic_result (*loop_of(uint32_t op))(padic_device *, uint32_t, void *, const padic_mem *)
{
    const padic_backend *b = padic_simd();
    uint32_t i = 0;
    while (b->ops[i].op != op) i++;
    return b->ops[i].run;
}

static void sparse_naive(padic_sparse_call *call, int fill)
{
    const uint64_t ones = UINT64_MAX >> (64 - 8 * call->size);
    call->kept = 0;
    for (uint64_t r = 0; r < call->rows; r++) {
        if (call->row_ptr)
            sparse_index(call->row_ptr, r, call->index_size, call->start + call->kept);
        for (uint64_t c = 0; c < call->cols; c++) {
            const uint64_t at = r * call->stride + c, key = sparse_key(call, at);
            if (((key * call->factor + call->bias) & call->mask & ones) <= call->limit) continue;
            if (fill) {
                sparse_index(call->col, call->kept, call->index_size, call->first + c);
                if (call->value)
                    memcpy((char *)call->value + call->kept * call->size,
                           (const char *)call->key + at * call->size, call->size);
            }
            call->kept++;
        }
    }
}

static padic_sparse_call sparse_case(void)
{
    static const uint64_t sizes[] = {1,  2,  4,  6,   7,   16,  31,  32,  33,   60,   63,
                                     64, 65, 99, 127, 128, 129, 700, 999, 2048, 2049, 5000};
    static const uint32_t share[] = {1, 2, 3, 10, 100, 3000};
    padic_sparse_call call = PADIC_ZERO;
    const uint64_t r = test_random(), ones = UINT64_MAX >> (64 - (8u << (r % 4)));
    const uint32_t one_in = share[(r >> 8) % 6];
    call.size = 1u << (r % 4);
    call.index_size = (r >> 4) % 2 ? 4 : 8;
    call.cols = sizes[(r >> 16) % 22];
    call.rows = call.cols < 64 && (r >> 20) % 4 ? (r >> 24) % 600 : (r >> 24) % 6;
    call.stride = call.cols + ((r >> 32) % 2 ? 3 : 0);
    call.first = (r >> 36) % 2 ? 123456 : 0;
    call.start = (r >> 38) % 2 ? 99 : 0;
    call.factor = (r >> 40) % 4 ? 1 : test_random() & ones;
    call.bias = (r >> 42) % 4 ? 0 : test_random() & ones;
    call.mask = (r >> 44) % 2 ? ones : test_random() & ones;
    call.limit = (r >> 46) % 2 ? 0 : test_random() & ones;
    const uint64_t words = (call.rows * call.stride * call.size + 7) / 8 + 8;
    for (uint64_t i = 0; i < words; i++) {
        sparse_keys[i] = test_random();
        if (one_in > 1)
            for (uint32_t k = 0; k < 8; k += call.size)
                if (test_random() % one_in) sparse_keys[i] &= ~(ones << 8 * k);
    }
    call.key = (const char *)sparse_keys + call.size * (test_random() % 8);
    return call;
}

TEST(sparse)
{
    for (int l = 0; l < LEVELS; l++) {
        padic_device *device = simd_device(levels[l]);
        if (!device) continue;
        for (int i = 0; i < (test_tiny ? 100 : 1500); i++) {
            padic_sparse_call want = sparse_case(), got;
            const int fill = test_random() % 4 != 0, values = test_random() % 8 != 0;
            if (test_random() % 8) want.row_ptr = want_ptr;
            memset(want_ptr, 0xa5, sizeof want_ptr);
            memset(got_ptr, 0xa5, sizeof got_ptr);
            memset(want_col, 0xa5, sizeof want_col);
            memset(want_value, 0xa5, sizeof want_value);
            memset(got_col, 0xa5, sizeof got_col);
            memset(got_value, 0xa5, sizeof got_value);
            want.col = (char *)want_col + want.index_size;
            want.value = values ? (char *)want_value + want.size : NULL;
            got = want;
            got.row_ptr = want.row_ptr ? got_ptr : NULL;
            got.col = (char *)got_col + want.index_size;
            got.value = values ? (char *)got_value + want.size : NULL;
            sparse_naive(&want, fill);
            got.room = want.kept + (test_random() % 2 ? 0 : test_random() % 200);
            got.kept = 77;
            const uint32_t kernel = fill ? PADIC_OP_SPARSE_FILL_LOOP : PADIC_OP_SPARSE_COUNT_LOOP;
            const padic_result result = loop_of(kernel)(device, kernel, &got, NULL);
            const int done = want.cols >= 32 || want.stride == want.cols;
            CHECK_EQ(result, done && strcmp(levels[l], "none") ? PADIC_OK
                                                               : PADIC_ERROR_NOT_SUPPORTED);
            if (result) continue;
            if (got.kept != want.kept)
                printf("\n  %s: size %u rows %u cols %u factor %x bias %x mask %x limit %x",
                       levels[l], got.size, (unsigned)got.rows, (unsigned)got.cols,
                       (unsigned)got.factor, (unsigned)got.bias, (unsigned)got.mask,
                       (unsigned)got.limit);
            CHECK_EQ(got.kept, want.kept);
            if (got.kept != want.kept) continue;
            CHECK(!memcmp(got_ptr, want_ptr, sizeof want_ptr));
            if (!fill) continue;
            // Entries from `kept` to `room` are no one's business; all others must agree.
            memcpy((char *)got.col + got.kept * got.index_size,
                   (char *)want.col + got.kept * got.index_size,
                   (size_t)(got.room - got.kept) * got.index_size);
            if (values)
                memcpy((char *)got.value + got.kept * got.size,
                       (char *)want.value + got.kept * got.size,
                       (size_t)(got.room - got.kept) * got.size);
            CHECK(!memcmp(got_col, want_col, sizeof want_col));
            CHECK(!memcmp(got_value, want_value, sizeof want_value));
        }
        padic_simd()->close(device);
    }
}

// A matrix in memory of ours; all of it is compared.
typedef struct encoded {
    padic_sparse_csr csr;
    padic_sparse_encode_report report;
    uint64_t row_ptr[701], col[KEYS], value[KEYS];
} encoded;
static encoded plain_matrix, simd_matrix;

static padic_result encode(padic_context *context, encoded *e, padic_sparse_encode_desc *desc,
                           int wide)
{
    const padic_tensor *dense = &desc->source.dense;
    const padic_dtype index = wide ? PADIC_I64 : PADIC_I32;
    const uint64_t count = padic_tensor_count(dense);
    memset(e, 0, sizeof *e);
    e->csr.row_ptr = padic_tensor_1d(index, e->row_ptr, dense->shape[0] + 1);
    e->csr.col = padic_tensor_1d(index, e->col, count);
    e->csr.value = padic_tensor_1d(dense->dtype, e->value, count);
    desc->out = &e->csr;
    desc->report = &e->report;
    const padic_result result = padic_sparse_encode(context, desc);
    // What is behind the last entry is no one's business.
    const size_t size = wide ? 8 : 4, each = padic_dtype_size(dense->dtype);
    const size_t nnz = (size_t)e->csr.nnz;
    memset((char *)e->col + nnz * size, 0, sizeof e->col - nnz * size);
    memset((char *)e->value + nnz * each, 0, sizeof e->value - nnz * each);
    memset(&e->csr, 0, sizeof e->csr);
    e->report.method = PADIC_SPARSE_METHOD_AUTO;
    return result;
}

TEST(encode) // as a whole: every dtype and mode
{
    padic_num_ring ring;
    CHECK_EQ(padic_num_ring_init(&ring, 5, 3, NULL), PADIC_OK);
    for (int l = 0; l < LEVELS; l++) {
        padic_context *context = simd_context(levels[l]);
        if (!context) continue;
        for (int i = 0; i < (test_tiny ? 60 : 1500); i++) {
            padic_sparse_encode_desc d = PADIC_ZERO;
            const uint64_t cols = 1 + test_random() % (i % 3 ? 100 : 3000);
            const uint64_t most = KEYS / cols / 2 < 700 ? KEYS / cols / 2 : 700;
            const uint64_t rows = 1 + test_random() % (most > 1 ? most : 1);
            const padic_dtype dtype = (padic_dtype)(PADIC_F64 + (int)(test_random() % 12));
            const uint64_t one_in = 1 + test_random() % 50;
            const uint32_t each = padic_dtype_size(dtype);
            const int wide = (int)(test_random() % 2), number = dtype >= PADIC_I8;
            char *data = (char *)sparse_keys;
            for (uint64_t k = 0; k < rows * cols * 2 * each; k += each) {
                uint64_t x = test_random();
                if (x >> 32 & 1) x &= 0x80000000000000ff; // small integers, -0 and the like
                if (test_random() % one_in) x = test_random() % 8 ? 0 : x >> 63 << (8 * each - 1);
                memcpy(data + k, &x, each); // the low bytes, on a big-endian machine others
            }
            d.source.dense = padic_tensor_2d(dtype, data, rows, cols);
            if (test_random() % 3 == 0) {
                d.source.dense.stride[0] = (int64_t)(cols + test_random() % cols);
                d.source.dense.stride[1] = 1;
            }
            d.source.mode = (padic_sparse_mode)(test_random() % (number ? 4 : 3));
            if (d.source.mode == PADIC_SPARSE_MODE_NORM)
                d.source.threshold = (double)(test_random() % 4);
            else if (d.source.mode == PADIC_SPARSE_MODE_THRESHOLD)
                d.source.threshold = (double)(test_random() % 300) / 4;
            if (d.source.mode == PADIC_SPARSE_MODE_NORM) d.source.ring = &ring;
            const padic_result want = encode(NULL, &plain_matrix, &d, wide);
            CHECK_EQ(encode(context, &simd_matrix, &d, wide), want);
            CHECK_EQ(want, PADIC_OK);
            CHECK(!memcmp(&plain_matrix, &simd_matrix, sizeof plain_matrix));
        }
        padic_context_destroy(context);
    }
}

TEST_MAIN("simd", CASE(levels), CASE(operations), CASE(no_memory_left), CASE(radical_inverse),
          CASE(every_base), CASE(in_place), CASE(halton_and_hammersley), CASE(threads),
          CASE(scramble_and_shuffle), CASE(sparse), CASE(encode))
