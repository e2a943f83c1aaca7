#include "../../codec/bytes.h"
#include "../../codec/constants.h"
#include "../../codec/transforms.h"
#include "../../codec/pack.h"
#include "../../codec/pack_check.h"
#include "../../codec/unpack.h"
#include "../../core/philox.h"
#include "../../core/tensor.h"
#include "../../core/words.h"
#include "../launch.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "job.h"
#include "pack.h"
#include "prove.h"
#include "unpack.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC_PACK)

// Tests: an array in blocks of every mode. The driver packs it and must give the host's stream,
// unpacks the host's stream and must give the host's elements, and must locate the damage in a
// damaged stream.

#ifndef PADICI_TEST_CODEC_STEP // slow emulators get less of both
#define PADICI_TEST_CODEC_STEP 1100u   // elements of a block
#define PADICI_TEST_CODEC_DAMAGED 6u // streams of which a block is damaged
#endif
#define PADICI_TEST_CODEC_BLOCKS 5u
#define PADICI_TEST_CODEC_COUNT (4 * PADICI_TEST_CODEC_STEP + 137u)
#define PADICI_TEST_CODEC_SKIP 5u // bytes before the stream

typedef struct padici_test_codec {
    padic_dtype dtype;
    uint32_t size, skip; // elements before the array
    int bounded;         // within a tolerance: blocks with a scale, exceptions in the last one
    padici_codec_drive d;
    uint8_t *elements, *back; // little-endian; their values in the stream
    uint8_t *stream;
    size_t bytes, most, index;   // of the stream, and at most; where its index begins
    uint8_t *array, *packed;     // contents of the memories, surrounded by 0xa5
    uint32_t array_size, packed_size;
    padici_gpu_block memory[2];  // of array and packed
    padici_gpu_codec_job job;
} padici_test_codec;

// Blocks: smooth, constant, of few bits with a common factor, noise, of both signs.
static uint64_t padici_test_codec_integer(uint32_t i, uint32_t bits, uint64_t *walk)
{
    const uint32_t half = bits / 2;
    uint32_t r[4];
    padic_random_block(23, 4, 2, i, r);
    switch (i / PADICI_TEST_CODEC_STEP) {
    case 0: return *walk += r[0] % 16 ? r[0] >> 8 & 1 : r[2] & 63;
    case 1: return 0x4141414141414141u;
    case 2: return (UINT64_C(1) << (bits - 2)) + ((r[0] % 16 ? r[0] >> 8 & 1 : r[2] & 63) << 2);
    case 3: return (uint64_t)r[1] << 32 | r[0];
    default: return (uint64_t)(r[0] & 1) << (bits - 1) | (r[0] >> 1 & 3) << (half - 2);
    }
}

// The same for a tolerance of 1/50; the last block has exceptions.
static uint64_t padici_test_codec_float(uint32_t i, padic_dtype dtype, uint64_t *walk)
{
    const uint32_t up = dtype == PADIC_F64 ? 32 : 0;
    uint32_t r[4];
    double v;
    padic_random_block(23, 4, 2, i, r);
    switch (i / PADICI_TEST_CODEC_STEP) {
    case 0: v = (double)(*walk += r[0] & 7) / 64; break;
    case 1: v = (double)0.3f; break;
    case 2: v = (double)(r[0] % 16 ? r[0] >> 8 & 15 : r[2] & 4095) / 16; break;
    case 3: return (uint64_t)r[0] << up | (r[1] & (up ? ~0u : 0));
    default:
        v = (double)(int32_t)(r[0] % 60000) / 32 - 900;
        // of f64 with 32 lower bits, and words of more than 32
        if (up) v = (v + r[3] / 4294967296.) * 16777216;
        if (i % 41 == 3) return (uint64_t)(r[1] | 0x7f000000u) << up;
    }
    return padici_codec_rounded(dtype, v, 0);
}

// The host's stream, its decoded elements, and the driver's view of it.
static PADICI_NOINLINE padic_result padici_test_codec_host(padici_gpu_case *c, padici_test_codec *x,
                                                           padic_codec_profile profile)
{
    padic_codec_pack_desc desc;
    padic_codec_unpack_desc unpack;
    padic_codec_report report;
    padici_codec_header header;
    padic_result result;
    memset(&desc, 0, sizeof desc);
    memset(&unpack, 0, sizeof unpack);
    desc.tensor = padic_tensor_1d(x->dtype, x->elements, PADICI_TEST_CODEC_COUNT);
    desc.block[0] = PADICI_TEST_CODEC_STEP;
    desc.profile = profile;
    desc.tolerance_mode = x->bounded ? PADIC_CODEC_TOLERANCE_ABSOLUTE : PADIC_CODEC_TOLERANCE_NONE;
    desc.tolerance = x->bounded ? 0.02 : 0;
    desc.allocator = &c->gpu->context->allocator;
    desc.report = &report;
    x->most = (size_t)padic_codec_size_bound(&desc);
    x->stream = (uint8_t *)padici_gpu_space(c, x->most);
    if (c->failed) return PADIC_ERROR_MEMORY;
    desc.packed = padic_bytes_out(x->stream, x->most);
    result = padic_codec_pack(NULL, &desc);
    x->bytes = (size_t)report.packed_size;
    if (!result) result = padici_codec_check(&desc, PADICI_CODEC_CHECK_SIZES, &header);
    unpack.tensor = padic_tensor_1d(x->dtype, x->back, PADICI_TEST_CODEC_COUNT);
    unpack.allocator = desc.allocator;
    unpack.packed = padic_bytes_in(x->stream, x->bytes);
    if (!result) result = padic_codec_unpack(NULL, &unpack);
    if (result) return result;
    x->index = (size_t)padici_load64(x->stream + x->bytes - 24);
    (void)padici_codec_runs(&header, &x->d);
    if (x->bounded) x->d.bounded = padici_codec_scales_of(desc.tolerance, x->size, &x->d.scales);
    return PADIC_OK;
}

// Rounds: integers and floats, PARALLEL; floats, FETCH; integers and floats, CODED. Floats are
// within a tolerance where the kernels support bounds.
static padic_result padici_test_codec_begin(padici_gpu_case *c, padici_test_codec *x)
{
    static const padic_dtype integers[4] = {PADIC_U8, PADIC_I16, PADIC_U32, PADIC_I64};
    static const padic_dtype floats[4] = {PADIC_I8, PADIC_BF16, PADIC_F32, PADIC_F64};
    static const padic_codec_profile profiles[5] = {
        PADIC_CODEC_PROFILE_PARALLEL, PADIC_CODEC_PROFILE_PARALLEL, PADIC_CODEC_PROFILE_FETCH,
        PADIC_CODEC_PROFILE_CODED, PADIC_CODEC_PROFILE_CODED};
    const uint32_t tolerance = padici_gpu_define(c, "PD_CODEC_BOUND", 0), whole = c->round % 3 == 0;
    uint64_t walk;
    uint32_t i;
    padic_result result;
    memset(x, 0, sizeof *x);
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++) x->job.block[i].block = PADICI_NO_BLOCK;
    x->memory[0].block = x->memory[1].block = PADICI_NO_BLOCK;
    x->size = padici_gpu_define(c, "PD_CODEC_SIZE", 4);
    i = x->size == 8 ? 3 : x->size / 2;
    x->dtype = !whole || tolerance ? floats[i] : integers[i];
    x->skip = whole ? 3 : 0;
    x->bounded = !whole && tolerance;
    x->elements = (uint8_t *)padici_gpu_space(c, PADICI_TEST_CODEC_COUNT * x->size);
    x->back = (uint8_t *)padici_gpu_space(c, PADICI_TEST_CODEC_COUNT * x->size);
    if (c->failed) return PADIC_ERROR_MEMORY;
    walk = x->bounded ? 4000 : UINT64_C(3) << (8 * x->size - 3);
    for (i = 0; i < PADICI_TEST_CODEC_COUNT; i++)
        padici_codec_set_element(x->elements, i, x->size,
                           x->bounded ? padici_test_codec_float(i, x->dtype, &walk)
                                      : padici_test_codec_integer(i, 8 * x->size, &walk));
    padici_codec_swap_elements(x->elements, PADICI_TEST_CODEC_COUNT, x->size);
    result = padici_test_codec_host(c, x, profiles[c->round]);
    padici_codec_swap_elements(x->elements, PADICI_TEST_CODEC_COUNT,
                               x->size); // little-endian again
    padici_codec_swap_elements(x->back, PADICI_TEST_CODEC_COUNT, x->size);
    x->d.fetch = profiles[c->round] == PADIC_CODEC_PROFILE_FETCH;
    x->d.array.at = x->skip * x->size;
    x->d.packed.at = PADICI_TEST_CODEC_SKIP;
    x->d.header = x->stream;
    x->array_size = ((x->skip + PADICI_TEST_CODEC_COUNT) * x->size + 7u) & ~7u;
    x->packed_size = (PADICI_TEST_CODEC_SKIP + (uint32_t)x->most + 7) & ~3u;
    x->array = (uint8_t *)padici_gpu_space(c, x->array_size + PADICI_GPU_GUARD);
    x->packed = (uint8_t *)padici_gpu_space(c, x->packed_size + PADICI_GPU_GUARD);
    if (c->failed) return PADIC_ERROR_MEMORY;
    memset(x->array, 0xa5, x->array_size + PADICI_GPU_GUARD);
    memset(x->packed, 0xa5, x->packed_size + PADICI_GPU_GUARD);
    return result;
}

// Both memories, and the job on them.
static padic_result padici_test_codec_up(padici_gpu_case *c, padici_test_codec *x)
{
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < 2 && !result; i++) {
        const uint64_t size = (i ? x->packed_size : x->array_size) + PADICI_GPU_GUARD;
        if (x->memory[i].block == PADICI_NO_BLOCK)
            result = padici_gpu_scratch(c->gpu, size, &x->memory[i]);
        if (!result)
            result = padici_gpu_upload(c->gpu, x->memory[i].mem, 0, i ? x->packed : x->array, size);
    }
    x->d.array.mem = x->memory[0].mem;
    x->d.packed.mem = x->memory[1].mem;
    x->job.gpu = c->gpu;
    x->job.d = &x->d;
    (void)padici_gpu_codec_params(&x->d, 1, &x->job.k);
    return result;
}

// 1 if both memories now equal `array` and `packed`, except for `free` bytes of elements.
static padic_result padici_test_codec_same(padici_gpu_case *c, const padici_test_codec *x,
                                           size_t free_)
{
    const size_t used = c->used, at = x->skip * x->size;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < 2 && !result; i++) {
        const uint8_t *want = i ? x->packed : x->array;
        const uint64_t size = (i ? x->packed_size : x->array_size) + PADICI_GPU_GUARD;
        uint8_t *got = (uint8_t *)padici_gpu_space(c, size);
        if (c->failed) return PADIC_ERROR_MEMORY;
        result = padici_gpu_download(c->gpu, x->memory[i].mem, 0, got, size);
        if (!i) memcpy(got + at, want + at, free_);
        if (!result && memcmp(got, want, (size_t)size)) result = PADIC_ERROR_SELF_TEST;
    }
    c->used = used;
    return result;
}

static void padici_test_codec_end(padici_gpu_case *c, padici_test_codec *x)
{
    uint32_t i;
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++) padici_gpu_scratch_end(c->gpu, &x->job.block[i]);
    for (i = 0; i < 2; i++) padici_gpu_scratch_end(c->gpu, &x->memory[i]);
}

// The least and the greatest finite element, and the initial scale.
static padic_result padici_test_codec_range(padici_test_codec *x)
{
    padici_codec_drive *d = &x->d;
    double low = 0, high = 0;
    uint32_t i;
    const padic_result result = padici_gpu_codec_range(&x->job);
    for (i = 0; i < PADICI_TEST_CODEC_COUNT; i++) {
        const uint64_t bits = padici_codec_element(x->elements, i, x->size);
        const double v = padici_codec_value(x->dtype, bits);
        if (!(v - v == 0)) continue; // not finite
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    padici_gpu_scratch_end(x->job.gpu, &x->job.block[PADICI_CODEC_B_TOTALS]);
    while (d->guess < 2 && x->size == 4 &&
           (high > padici_codec_value(PADIC_F32, d->scales.most[d->guess]) ||
            -low > padici_codec_value(PADIC_F32, d->scales.most[d->guess])))
        d->guess++;
    return result ? result : d->low == low && d->high == high ? PADIC_OK : PADIC_ERROR_SELF_TEST;
}

// Packs into exactly the stream's size.
static padic_result padici_test_codec_packed(padici_gpu_case *c, padici_test_codec *x)
{
    padic_result result;
    x->d.room = x->bytes;
    x->d.coded = c->round > 2;
    memcpy(x->array + x->skip * x->size, x->elements, PADICI_TEST_CODEC_COUNT * x->size);
    result = padici_test_codec_up(c, x);
    if (!result && x->bounded) {
        result = padici_test_codec_range(x);
        (void)padici_gpu_codec_params(&x->d, 1, &x->job.k);
    }
    if (!result) result = padici_gpu_codec_pack_in(&x->job);
    if (result) return result;
    memcpy(x->packed + PADICI_TEST_CODEC_SKIP, x->stream, x->bytes);
    return x->d.total == x->bytes ? padici_test_codec_same(c, x, 0) : PADIC_ERROR_SELF_TEST;
}

static padic_result padici_test_codec_pack(padici_gpu_case *c)
{
    padici_test_codec x;
    padic_result result = padici_test_codec_begin(c, &x);
    if (!result) result = padici_test_codec_packed(c, &x);
    padici_test_codec_end(c, &x);
    return result;
}

// The proof of a stream with another header, then with other elements in blocks 1 and 4, which
// become raw.
static padic_result padici_test_codec_proved(padici_gpu_case *c, padici_test_codec *x)
{
    uint8_t *const packed = x->packed + PADICI_TEST_CODEC_SKIP;
    uint8_t *const array = x->array + x->skip * x->size;
    padic_codec_unpack_desc unpack;
    uint32_t i;
    padic_result result;
    packed[33] ^= 2;
    x->d.room = x->most;
    result = padici_test_codec_up(c, x);
    if (!result) result = padici_gpu_codec_prove(&x->job);
    if (result) return result;
    if (!x->d.wrong || x->d.reencoded) return PADIC_ERROR_SELF_TEST;
    packed[33] ^= 2;
    for (i = 1; i < PADICI_TEST_CODEC_BLOCKS; i += 3)
        array[(i * PADICI_TEST_CODEC_STEP + 1) * x->size - 1] ^= 0x10;
    result = padici_test_codec_up(c, x);
    if (!result) result = padici_gpu_codec_prove(&x->job);
    if (!result && (x->d.wrong || x->d.reencoded != 2 || x->d.total > x->most))
        return PADIC_ERROR_SELF_TEST;
    if (!result)
        result = padici_gpu_download(c->gpu, x->memory[1].mem, PADICI_TEST_CODEC_SKIP, x->stream,
                                     x->d.total);
    memset(&unpack, 0, sizeof unpack);
    unpack.tensor = padic_tensor_1d(x->dtype, x->elements, PADICI_TEST_CODEC_COUNT);
    unpack.allocator = &c->gpu->context->allocator;
    unpack.packed = padic_bytes_in(x->stream, x->d.total);
    if (!result && padic_codec_unpack(NULL, &unpack))
        return PADIC_ERROR_SELF_TEST;
    padici_codec_swap_elements(x->elements, PADICI_TEST_CODEC_COUNT, x->size);
    for (i = 1; i < PADICI_TEST_CODEC_BLOCKS; i += 3) {
        const size_t at = i * PADICI_TEST_CODEC_STEP * x->size;
        const size_t end = (i + 1) * PADICI_TEST_CODEC_STEP * x->size;
        const size_t all = PADICI_TEST_CODEC_COUNT * x->size;
        memcpy(x->back + at, array + at, (end < all ? end : all) - at);
    }
    return result ? result
           : memcmp(x->elements, x->back, PADICI_TEST_CODEC_COUNT * x->size)
               ? PADIC_ERROR_SELF_TEST
               : PADIC_OK;
}

static padic_result padici_test_codec_prove(padici_gpu_case *c)
{
    padici_test_codec x;
    padic_result result = padici_test_codec_begin(c, &x);
    if (!result) result = padici_test_codec_packed(c, &x);
    if (!result) result = padici_test_codec_proved(c, &x);
    padici_test_codec_end(c, &x);
    return result;
}

// Unpacks the stream with the byte at `damaged` changed by `bit` into memory without elements.
static padic_result padici_test_codec_unpacked(padici_gpu_case *c, padici_test_codec *x,
                                               uint32_t unseen, uint64_t damaged, uint8_t bit)
{
    const size_t size = PADICI_TEST_CODEC_COUNT * x->size;
    uint8_t *const array = x->array + x->skip * x->size;
    padic_result result;
    uint32_t i;
    memset(array, 0xa5, size);
    x->packed[PADICI_TEST_CODEC_SKIP + damaged] ^= bit;
    x->d.unseen = unseen;
    x->d.bad = UINT64_MAX;
    result = padici_test_codec_up(c, x);
    if (!result) result = padici_gpu_codec_unpack_in(&x->job);
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++) padici_gpu_scratch_end(c->gpu, &x->job.block[i]);
    if (!bit) memcpy(array, x->back, size);
    if (!result) result = padici_test_codec_same(c, x, bit ? size : 0);
    x->packed[PADICI_TEST_CODEC_SKIP + damaged] ^= bit;
    return result;
}

// The stream unchanged; with its index damaged, the rows of a block, the sum of each block.
static padic_result padici_test_codec_unpack(padici_gpu_case *c)
{
    padici_test_codec x;
    uint32_t b;
    padic_result result = padici_test_codec_begin(c, &x);
    if (result) return result;
    memcpy(x.packed + PADICI_TEST_CODEC_SKIP, x.stream, x.bytes);
    x.d.room = x.index;
    x.d.mostly = c->round > 2;
    result = padici_test_codec_unpacked(c, &x, c->round & 1, 0, 0);
    if (!result && (x.d.unseen || x.d.bad != UINT64_MAX)) result = PADIC_ERROR_SELF_TEST;
    if (!result) result = padici_test_codec_unpacked(c, &x, 1, x.bytes - 16, 1);
    if (!result && !x.d.unseen) result = PADIC_ERROR_SELF_TEST;
    for (b = 0; b < PADICI_TEST_CODEC_DAMAGED && !result; b++) {
        const uint32_t block = b < PADICI_TEST_CODEC_BLOCKS ? b : 3;
        const uint64_t at = padici_load64(x.stream + x.index + 24 + 8 * block);
        result = padici_test_codec_unpacked(c, &x, 0, at + (b == block ? 8 : 4), 1);
        if (!result && x.d.bad != block) result = PADIC_ERROR_SELF_TEST;
    }
    padici_test_codec_end(c, &x);
    return result;
}

// Block sizes whose sum needs more than 32 bits.
static padic_result padici_test_codec_scan(padici_gpu_case *c)
{
    const uint32_t blocks = c->round ? 3 : 700;
    padici_k_codec_stream_params k;
    uint64_t at = 77, *totals = (uint64_t *)(void *)c->buffers[1].answer;
    uint32_t *record = (uint32_t *)padici_gpu_image(c, 0, 4 * PADICI_CODEC_RECORD * blocks), b;
    memset(&k, 0, sizeof k);
    k.blocks = blocks;
    k.header = 77;
    memcpy(&c->params, &k, sizeof k);
    for (b = 0; b < blocks; b++)
        record[b * PADICI_CODEC_RECORD] = (b * 2654435761u) >> (b % 3 ? 9 : 1);
    record = (uint32_t *)padici_gpu_answer(c, 0);
    for (b = 0; b < blocks; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        r[PADICI_CODEC_R_AT] = (uint32_t)at;
        r[PADICI_CODEC_R_AT + 1] = (uint32_t)(at >> 32);
        at += (uint64_t)r[0] + 16;
    }
    totals[0] = at;
    totals[1] = at + 48 + 8 * (uint64_t)blocks;
    return PADIC_OK;
}

#define PADICI_TEST_CODEC(NAME, name) \
    {PADICI_KERNEL_CODEC_##NAME, 5, PADICI_TEST_DRIVEN, padici_test_codec_##name, \
     {PADICI_TEST_NONE}}

PADICI_FN const padici_gpu_test *padici_tests_codec(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_CODEC_SCAN, 2, 1, padici_test_codec_scan,
         {PADICI_TEST_NONE, PADICI_TEST_OUT(PADIC_U64, 2, 0)}},
        PADICI_TEST_CODEC(MEASURE, pack),
        PADICI_TEST_CODEC(FRAMES, pack),
        PADICI_TEST_CODEC(FILL, pack),
        PADICI_TEST_CODEC(CLASSES, pack),
        PADICI_TEST_CODEC(RANS, pack),
        PADICI_TEST_CODEC(CODED, pack),
        PADICI_TEST_CODEC(OFF, pack),
        PADICI_TEST_CODEC(RANGE, pack),
        PADICI_TEST_CODEC(INSPECT, unpack),
        PADICI_TEST_CODEC(UNPACK, unpack),
        PADICI_TEST_CODEC(NARROW, unpack),
        PADICI_TEST_CODEC(REMAINDER, unpack),
        PADICI_TEST_CODEC(TOKENS, unpack),
        PADICI_TEST_CODEC(EXPAND, unpack),
        PADICI_TEST_CODEC(PATCH, unpack),
        PADICI_TEST_CODEC(PROVE, prove),
        PADICI_TEST_CODEC(REDO, prove),
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_CODEC
#undef PADICI_TEST_CODEC_STEP
#undef PADICI_TEST_CODEC_DAMAGED
#undef PADICI_TEST_CODEC_BLOCKS
#undef PADICI_TEST_CODEC_COUNT
#undef PADICI_TEST_CODEC_SKIP

#endif
