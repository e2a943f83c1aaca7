#include "../../core/philox.h"
#include "../../core/tensor.h"
#include "../../sparse/encoding.h"
#include "../../sparse/index.h"
#include "../../sparse/kept.h"
#include "../../sparse/source.h"
#include "../../sparse/work.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "encode.h"
#include "job.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SPARSE)

// Tests: a matrix of two tiles, one sparse, one dense, and an odd tail, against the host.

#define PADICI_TEST_SPARSE_TILES (2u * 8u * 256u + 77u) // of the scan
#define PADICI_TEST_SPARSE_COLS 97u

typedef struct padici_test_sparse {
    uint32_t size, tile, tiles, n, rows, nnz;
    padic_dtype dtype;
    unsigned char *keys;
    uint32_t *row_ptr, *col;
    unsigned char *value;
    uint32_t bitmap_words; // of a tile
    padic_sparse_encode_report report;
    padici_gpu_sparse_job job; // its params
    padici_gpu_sparse_drive d;
} padici_test_sparse;

static void padici_test_sparse_keys(const padici_test_sparse *x, unsigned char *keys)
{
    uint32_t i, j;
    for (i = 0; i < x->n; i++) {
        uint32_t block[4];
        const uint32_t dense = i / x->tile == 1;
        padic_random_block(17, 4, 2, i, block);
        for (j = 0; j < x->size; j++) keys[i * x->size + j] = 0;
        if (block[0] % 100 >= (dense ? 45u : 4u)) continue;
        keys[i * x->size + (block[1] & 3 ? 0 : x->size - 1)] = (unsigned char)(block[2] % 5 + 253);
        if (block[1] & 8) keys[i * x->size] = (unsigned char)(block[3] | 1u);
    }
}

// The job of `desc` encoded to `csr`. (In a separate stack frame.)
static PADICI_NOINLINE padic_result padici_test_sparse_job(padici_gpu_case *c,
                                                           padici_test_sparse *x,
                                                           padic_sparse_encode_desc *desc,
                                                           padic_sparse_csr *csr)
{
    padici_sparse_encoding e;
    padic_result result;
    padici_sparse_encoding_begin(&e, "", 0, &desc->source, PADIC_SPARSE_METHOD_GPU_BITMAP, NULL);
    memset(&e.to, 0, sizeof e.to);
    memset(&e.planes, 0, sizeof e.planes);
    result = padici_sparse_source_of(NULL, &e.source, &desc->source, 0, NULL);
    if (result) return result;
    e.fill = e.report = 1;
    e.planes.room = x->nnz - 3; // the last entries have no room
    e.density = (double)csr->nnz / (double)x->n;
    padici_gpu_sparse_drive_of(&e, &x->d);
    x->d.row_ptr.mem.bits = x->d.value.mem.bits = 1u << 20; // there are some
    x->job.gpu = c->gpu;
    x->job.d = &x->d;
    x->job.elements = x->n;
    x->job.row_ptr = x->d.row_ptr;
    return padici_gpu_sparse_params(&x->job) ? PADIC_OK : PADIC_ERROR_SELF_TEST;
}

// The keys are the image of buffer `buffer`. Mode NONZERO where `simple`, else THRESHOLD.
static padic_result padici_test_sparse_begin(padici_gpu_case *c, padici_test_sparse *x,
                                                 uint32_t buffer, uint32_t tile_bytes,
                                              uint32_t simple)
{
    static const padic_dtype dtypes[4] = {PADIC_I8, PADIC_I16, PADIC_I32, PADIC_I64};
    padic_sparse_encode_desc desc;
    padic_sparse_csr csr;
    padic_result result;
    memset(x, 0, sizeof *x);
    memset(&desc, 0, sizeof desc);
    memset(&csr, 0, sizeof csr);
    x->size = padici_gpu_define(c, "PD_SPARSE_SIZE", 4);
    x->dtype = dtypes[x->size == 8 ? 3 : x->size / 2];
    x->tile = tile_bytes ? tile_bytes / x->size : padici_sparse_tile(x->size);
    x->rows = (2 * x->tile + 120) / PADICI_TEST_SPARSE_COLS;
    x->n = x->rows * PADICI_TEST_SPARSE_COLS;
    x->tiles = (x->n + x->tile - 1) / x->tile;
    x->keys = (unsigned char *)padici_gpu_image(c, buffer, (uint64_t)x->n * x->size);
    x->row_ptr = (uint32_t *)padici_gpu_space(c, (x->rows + 1u) * 4u);
    x->col = (uint32_t *)padici_gpu_space(c, x->tile * 4u);
    x->value = (unsigned char *)padici_gpu_space(c, x->tile * x->size);
    if (c->failed) return PADIC_ERROR_MEMORY;
    padici_test_sparse_keys(x, x->keys);
    desc.source.dense = padic_tensor_2d(x->dtype, x->keys, x->rows, PADICI_TEST_SPARSE_COLS);
    desc.source.mode = simple ? PADIC_SPARSE_MODE_NONZERO : PADIC_SPARSE_MODE_THRESHOLD;
    desc.source.threshold = simple ? 0 : 1;
    csr.row_ptr = padic_tensor_1d(PADIC_I32, x->row_ptr, x->rows + 1u);
    csr.col = padic_tensor_1d(PADIC_I32, x->col, x->tile);
    csr.value = padic_tensor_1d(x->dtype, x->value, x->tile);
    desc.out = &csr;
    desc.report = &x->report;
    result = padic_sparse_encode(NULL, &desc);
    if (result) return result;
    x->nnz = (uint32_t)csr.nnz;
    x->job.simple = simple;
    result = padici_test_sparse_job(c, x, &desc, &csr);
    x->job.k.tiles = x->tiles;
    x->job.k.flags |= PADICI_SPARSE_K_SIGNED;
    x->bitmap_words = x->tile / 32;
    c->groups[0] = x->tiles;
    return result;
}

// The bitmap, counts (u32), starts and {others, largest} (u64) of the tiles; any may be NULL.
static void padici_test_sparse_tiles(const padici_test_sparse *x, uint32_t *bitmap,
                                         uint32_t *count, uint64_t *start, uint64_t *report)
{
    uint32_t r, e, i;
    uint64_t sum = 0;
    uint32_t counts[4] = {0, 0, 0, 0};
    if (bitmap) memset(bitmap, 0, (size_t)x->tiles * x->bitmap_words * 4u);
    for (r = 0, e = 0; r < x->rows; r++)
        for (; e < x->row_ptr[r + 1]; e++) {
            i = r * PADICI_TEST_SPARSE_COLS + x->col[e];
            if (bitmap) bitmap[i / 32] |= 1u << (i % 32);
            counts[i / x->tile]++;
        }
    for (i = 0; i < x->tiles; i++) {
        if (count) count[i] = counts[i];
        if (start) start[i] = sum;
        sum += counts[i];
    }
    for (i = 0; report && i < x->n; i++) { // of signed keys, as the report defines it
        const uint64_t key = padici_sparse_key(x->keys + i * x->size, x->size);
        const uint64_t full = padici_sparse_full(x->size);
        const uint64_t m = key >> (8 * x->size - 1) ? (0 - key) & full : key;
        uint64_t *of = report + i / x->tile * 2;
        if (i % x->tile == 0) of[0] = of[1] = 0;
        of[0] += key != 0;
        if (m <= x->d.most && m > of[1]) of[1] = m;
    }
}

// The common buffers of all encoding kernels: params, and from buffer i on row_ptr, columns, kept
// keys, units and value with their expected contents.
static padic_result padici_test_sparse_planes(padici_gpu_case *c, padici_test_sparse *x,
                                                  uint32_t i)
{
    const uint32_t room = x->nnz - 3, units = padici_gpu_define(c, "PD_SPARSE_UNITS", 0);
    const uint32_t out = PADICI_FILL_BYTES | PADICI_FILL_OUT;
    void *row_ptr = padici_gpu_make(c, i, out, PADIC_U32, x->rows + 1u, 0);
    void *col = padici_gpu_make(c, i + 1, out, PADIC_U32, x->nnz, 0);
    void *value = padici_gpu_make(c, i + 2, out, x->dtype, x->nnz, 0);
    uint32_t *unit = (uint32_t *)padici_gpu_make(c, i + 3, PADICI_FILL_HASH, PADIC_U32,
                                                 (uint64_t)x->n * units, 0);
    uint32_t *to = (uint32_t *)padici_gpu_make(c, i + 4, out, PADIC_U32,
                                               (uint64_t)x->nnz * units, 0);
    uint32_t j, r, e;
    if (c->failed) return PADIC_ERROR_MEMORY;
    memcpy(row_ptr, x->row_ptr, (x->rows + 1u) * 4u);
    memcpy(col, x->col, room * 4u);
    memcpy(value, x->value, room * x->size);
    for (r = 0, e = 0; units && r < x->rows; r++)
        for (; e < x->row_ptr[r + 1]; e++)
            for (j = 0; e < room && j < units; j++)
                to[e * units + j] =
                    unit[(r * PADICI_TEST_SPARSE_COLS + x->col[e]) * units + j];
    memcpy(&c->params, &x->job.k, sizeof x->job.k);
    return PADIC_OK;
}

// {0, entries, kept by the second test, largest}, as buffer i.
static void padici_test_sparse_totals(padici_gpu_case *c, const padici_test_sparse *x,
                                                  uint32_t i)
{
    uint64_t report[8], *totals = (uint64_t *)padici_gpu_make(
                            c, i, PADICI_FILL_ZERO | PADICI_FILL_OUT, PADIC_U64, 4, 0);
    uint32_t t;
    totals[1] = x->nnz;
    if (!padici_gpu_define(c, "PD_SPARSE_REPORT", 0)) return;
    padici_test_sparse_tiles(x, NULL, NULL, NULL, report);
    for (t = 0; t < x->tiles; t++) {
        totals[2] += report[2 * t];
        if (report[2 * t + 1] > totals[3]) totals[3] = report[2 * t + 1];
    }
}

static void padici_test_sparse_words(padici_gpu_case *c, const padici_test_sparse *x, uint32_t i)
{
    memcpy(padici_gpu_image(c, i, (uint64_t)x->n * x->size), x->keys, (size_t)x->n * x->size);
}

static padic_result padici_test_sparse_bits(padici_gpu_case *c)
{
    const uint32_t out = PADICI_FILL_BYTES | PADICI_FILL_OUT;
    padici_test_sparse x;
    uint32_t *bitmap, *count;
    uint64_t *report;
    const padic_result result = padici_test_sparse_begin(c, &x, 0, 0, c->round);
    if (result) return result;
    x.job.k.flags |= PADICI_SPARSE_K_BITMAP;
    memcpy(&c->params, &x.job.k, sizeof x.job.k);
    padici_test_sparse_words(c, &x, 1);
    bitmap = (uint32_t *)padici_gpu_make(c, 2, out, PADIC_U32, x.tiles * x.bitmap_words, 0);
    count = (uint32_t *)padici_gpu_make(c, 3, out, PADIC_U32, x.tiles, 0);
    report = (uint64_t *)padici_gpu_make(c, 4, out, PADIC_U64, x.tiles * 2u, 0);
    padici_test_sparse_tiles(&x, bitmap, count, NULL,
                              padici_gpu_define(c, "PD_SPARSE_REPORT", 0) ? report : NULL);
    return PADIC_OK;
}

static padic_result padici_test_sparse_scan(padici_gpu_case *c)
{
    const uint32_t tiles = PADICI_TEST_SPARSE_TILES;
    const uint32_t wanted = padici_gpu_define(c, "PD_SPARSE_REPORT", 0);
    padici_k_sparse_encode_params k;
    uint32_t *count = PADICI_TEST_IMAGE(uint32_t, 0), t, block[4];
    uint64_t *report = PADICI_TEST_IMAGE(uint64_t, 1), *start = PADICI_TEST_ANSWER(uint64_t, 2);
    uint64_t *totals = PADICI_TEST_ANSWER(uint64_t, 3), sum = 0;
    memset(&k, 0, sizeof k);
    k.tiles = tiles;
    k.total_lo = 1;
    memcpy(&c->params, &k, sizeof k);
    totals[1] = 0;
    if (wanted) totals[3] = totals[4] = 0;
    for (t = 0; t < tiles; t++) {
        padic_random_block(5, 5, 5, t, block);
        count[t] = 0x200000u - (block[0] & 0xfffu); // so that the sum needs more than 32 bits
        report[2 * t] = block[1];
        report[2 * t + 1] = (uint64_t)block[2] << 32 | block[3];
        start[t] = sum;
        sum += count[t];
        if (!wanted) continue;
        totals[3] += report[2 * t];
        if (report[2 * t + 1] > totals[4]) totals[4] = report[2 * t + 1];
    }
    totals[2] = sum;
    return PADIC_OK;
}

// Round 0 with the bitmap, round 1 from the keys again.
static padic_result padici_test_sparse_emit(padici_gpu_case *c)
{
    padici_test_sparse x;
    uint32_t *bitmap = NULL;
    uint64_t *start;
    const padic_result result = padici_test_sparse_begin(c, &x, 0, 0, c->round);
    if (result) return result;
    if (c->round == 0) {
        x.job.k.flags |= PADICI_SPARSE_K_BITMAP;
        bitmap = (uint32_t *)padici_gpu_image(c, 1, (uint64_t)x.tiles * x.bitmap_words * 4);
    } else {
        padici_test_sparse_words(c, &x, 1);
    }
    start = (uint64_t *)padici_gpu_image(c, 2, x.tiles * 8u);
    padici_test_sparse_tiles(&x, bitmap, NULL, start, NULL);
    return padici_test_sparse_planes(c, &x, 3);
}

static padic_result padici_test_sparse_small(padici_gpu_case *c)
{
    padici_test_sparse x;
    const padic_result result = padici_test_sparse_begin(c, &x, 0, 0, c->round);
    if (result) return result;
    c->groups[0] = 1;
    padici_test_sparse_words(c, &x, 1);
    padici_test_sparse_totals(c, &x, 2);
    return padici_test_sparse_planes(c, &x, 3);
}

static padic_result padici_test_sparse_segments(padici_gpu_case *c)
{
    const uint32_t rows = 19, count = 23, wide = c->round;
    padici_k_sparse_segments_params k;
    const padic_dtype dtype = wide ? PADIC_U64 : PADIC_U32;
    uint8_t *from =
        (uint8_t *)padici_gpu_make(c, 0, PADICI_FILL_BYTES, dtype, rows * count + 1u, 0);
    uint8_t *to = (uint8_t *)padici_gpu_make(c, 1, PADICI_FILL_BYTES | PADICI_FILL_OUT, dtype,
                                             (rows + 1u) * count, 0);
    uint64_t *firsts = PADICI_TEST_ANSWER(uint64_t, 2);
    uint32_t b, r, sum = 0;
    memset(&k, 0, sizeof k);
    k.rows_lo = rows;
    k.count = count;
    k.wide = wide ? PADICI_SPARSE_K_WIDE : 0;
    memcpy(&c->params, &k, sizeof k);
    for (b = 0; b < count; b++) {
        firsts[b] = sum;
        for (r = 0; r <= rows; r++) {
            const uint32_t at = b * rows + r, own = b * (rows + 1u) + r;
            padici_sparse_index_set(from, wide, at, sum);
            padici_sparse_index_set(to, wide, own, sum - firsts[b]);
            if (r < rows) sum += (at * 7u) % 5u;
        }
    }
    firsts[count] = sum;
    return PADIC_OK;
}

static padic_result padici_test_sparse_decode(padici_gpu_case *c)
{
    padici_k_sparse_decode_params k;
    padici_test_sparse x;
    uint32_t r, e;
    unsigned char *dense;
    const padic_result result = padici_test_sparse_begin(c, &x, 3, 0, 0);
    if (result) return result;
    memset(&k, 0, sizeof k);
    k.rows_lo = x.rows;
    k.cols_lo = PADICI_TEST_SPARSE_COLS;
    k.nnz_lo = x.nnz;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = (x.n * x.size + 8191u) / 8192u;
    memcpy(padici_gpu_image(c, 0, (x.rows + 1u) * 4u), x.row_ptr, (x.rows + 1u) * 4u);
    memcpy(padici_gpu_image(c, 1, x.nnz * 4u), x.col, x.nnz * 4u);
    memcpy(padici_gpu_image(c, 2, x.nnz * x.size), x.value, (size_t)x.nnz * x.size);
    dense = (unsigned char *)padici_gpu_answer(c, 3);
    memset(x.keys, 0xa5, (size_t)x.n * x.size); // all of it is written
    memset(dense, 0, (size_t)x.n * x.size);
    for (r = 0, e = 0; r < x.rows; r++)
        for (; e < x.row_ptr[r + 1]; e++)
            memcpy(dense + (r * PADICI_TEST_SPARSE_COLS + x.col[e]) * x.size, x.value + e * x.size,
                   x.size);
    return PADIC_OK;
}

// The state of one pass, whose image is buffer 1, and all other buffers.
static padic_result padici_test_sparse_one_pass(padici_gpu_case *c, padici_test_sparse *x,
                                                 uint32_t bytes, uint32_t words, uint32_t simple)
{
    const padic_result result = padici_test_sparse_begin(c, x, 0, bytes, simple);
    if (result) return result;
    (void)padici_gpu_make(c, 1, PADICI_FILL_ZERO | PADICI_FILL_OUT, PADIC_U64, words, 0);
    padici_test_sparse_totals(c, x, 7);
    return padici_test_sparse_planes(c, x, 2);
}

static padic_result padici_test_cuda_sparse_encode(padici_gpu_case *c)
{
    const uint32_t simple = padici_gpu_define(c, "PD_SPARSE_SIMPLE", 0) || c->round;
    const uint32_t bytes = padici_gpu_define(c, "PD_SPARSE_THREADS", 256) *
                           padici_gpu_define(c, "PD_SPARSE_VECTORS", 8) * 16;
    padici_test_sparse x;
    uint64_t *state;
    uint32_t t, count[4];
    const padic_result result = padici_test_sparse_one_pass(c, &x, bytes, 3 + 10, simple);
    if (result) return result;
    c->again = !simple;
    state = PADICI_TEST_ANSWER(uint64_t, 1);
    padici_test_sparse_tiles(&x, NULL, count, NULL, NULL);
    for (t = 0; t < x.tiles; t++) state[8 + t] = UINT64_C(1) << 62 | count[t];
    state[4] = x.tiles;
    state[8 + x.tiles] = (uint64_t)x.tiles << 48 | x.nnz; // of all, which are fewer than 32
    return PADIC_OK;
}

// Two groups that wait for each other to start, and two that do not. It has no threshold.
static padic_result padici_test_cuda_sparse_ring_encode(padici_gpu_case *c)
{
    const uint32_t size = padici_gpu_define(c, "PD_SPARSE_SIZE", 4);
    padici_test_sparse x;
    const padic_result result =
        padici_test_sparse_one_pass(c, &x, padici_gpu_sparse_ring_bytes(size) / 2, 8 + 8, 1);
    x.job.k.polls = c->round ? 0 : 1u << 30;
    memcpy(&c->params, &x.job.k, sizeof x.job.k);
    c->groups[0] = 2;
    return result;
}

PADICI_FN const padici_gpu_test *padici_tests_sparse(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_SPARSE_BITS, 2, 0, padici_test_sparse_bits, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SPARSE_SCAN, 1, 3, padici_test_sparse_scan,
         {PADICI_TEST_IN(BYTES, PADIC_U32, PADICI_TEST_SPARSE_TILES),
          PADICI_TEST_IN(BYTES, PADIC_U64, 2 * PADICI_TEST_SPARSE_TILES),
          PADICI_TEST_OUT(PADIC_U64, PADICI_TEST_SPARSE_TILES, 0),
          PADICI_TEST_OUT(PADIC_U64, 5, 0)}},
        {PADICI_KERNEL_SPARSE_EMIT, 2, 0, padici_test_sparse_emit, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SPARSE_SMALL, 2, 0, padici_test_sparse_small, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SPARSE_SEGMENTS, 2, 3, padici_test_sparse_segments,
         {PADICI_TEST_NONE, PADICI_TEST_NONE, PADICI_TEST_OUT(PADIC_U64, 24, 0)}},
        {PADICI_KERNEL_SPARSE_DECODE, 1, 0, padici_test_sparse_decode, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_SPARSE_ENCODE, 2, 0, padici_test_cuda_sparse_encode,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE, 2, 0, padici_test_cuda_sparse_ring_encode,
         {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_SPARSE_TILES
#undef PADICI_TEST_SPARSE_COLS

#endif
