#include "csr_test.h"
#include "../../core/philox.h"
#include "../../sparse/index.h"
#include "job.h"
#include "known.h"
#include "../tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SPARSE)

// Tests of the kernels.

PADICI_FN padic_result padici_test_sparse_bits(padici_gpu_case *c)
{
    padici_sparse_known x;
    uint32_t *bitmap, *count;
    uint64_t *report;
    padic_result result = padici_sparse_known_begin(c, &x, 0, 0);
    if (result) return result;
    c->again = c->round == 0;
    c->groups[0] = x.tiles;
    x.job.k.flags |= PADICI_SPARSE_K_BITMAP;
    memcpy(&c->params, &x.job.k, sizeof x.job.k);
    if (!padici_sparse_known_words(c, &x, 1) ||
        !padici_gpu_image(c, 2, (uint64_t)x.tiles * x.bitmap_words * 4) ||
        !padici_gpu_image(c, 3, x.tiles * 4u) || !padici_gpu_image(c, 4, x.tiles * 16u))
        return PADIC_ERROR_MEMORY;
    bitmap = (uint32_t *)padici_gpu_answer(c, 2);
    count = (uint32_t *)padici_gpu_answer(c, 3);
    report = (uint64_t *)padici_gpu_answer(c, 4);
    if (!bitmap || !count || !report) return PADIC_ERROR_MEMORY;
    padici_sparse_known_tiles(&x, bitmap, count, NULL,
                              padici_gpu_define(c, "PD_SPARSE_REPORT", 0) ? report : NULL);
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_sparse_scan(padici_gpu_case *c)
{
    const uint32_t tiles = 2u * 8u * 256u + 77u;
    const uint32_t wanted = padici_gpu_define(c, "PD_SPARSE_REPORT", 0);
    padici_k_sparse_encode_params k;
    uint32_t *count, t, block[4];
    uint64_t *report, *start, *totals, sum = 0;
    memset(&k, 0, sizeof k);
    k.tiles = tiles;
    k.total_lo = 1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    count = (uint32_t *)padici_gpu_image(c, 0, tiles * 4u);
    report = (uint64_t *)padici_gpu_image(c, 1, tiles * 16u);
    if (!count || !report || !padici_gpu_image(c, 2, tiles * 8u) || !padici_gpu_image(c, 3, 40))
        return PADIC_ERROR_MEMORY;
    start = (uint64_t *)padici_gpu_answer(c, 2);
    totals = (uint64_t *)padici_gpu_answer(c, 3);
    if (!start || !totals) return PADIC_ERROR_MEMORY;
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
PADICI_FN padic_result padici_test_sparse_emit(padici_gpu_case *c)
{
    padici_sparse_known x;
    uint32_t *bitmap;
    uint64_t *start;
    padic_result result = padici_sparse_known_begin(c, &x, 0, 0);
    if (result) return result;
    c->again = c->round == 0;
    c->groups[0] = x.tiles;
    if (c->round == 0) x.job.k.flags |= PADICI_SPARSE_K_BITMAP;
    bitmap = (uint32_t *)(c->round == 0
                              ? padici_gpu_image(c, 1, (uint64_t)x.tiles * x.bitmap_words * 4)
                              : padici_sparse_known_words(c, &x, 1));
    start = (uint64_t *)padici_gpu_image(c, 2, x.tiles * 8u);
    if (!bitmap || !start) return PADIC_ERROR_MEMORY;
    padici_sparse_known_tiles(&x, c->round == 0 ? bitmap : NULL, NULL, start, NULL);
    return padici_sparse_known_planes(c, &x, 3);
}

PADICI_FN padic_result padici_test_sparse_small(padici_gpu_case *c)
{
    padici_sparse_known x;
    padic_result result = padici_sparse_known_begin(c, &x, 0, 0);
    if (!result && !padici_sparse_known_words(c, &x, 1)) result = PADIC_ERROR_MEMORY;
    if (!result) result = padici_sparse_known_totals(c, &x, 2);
    c->again = c->round == 0;
    return result ? result : padici_sparse_known_planes(c, &x, 3);
}

PADICI_FN padic_result padici_test_sparse_segments(padici_gpu_case *c)
{
    const uint32_t rows = 19, count = 23, wide = c->round;
    padici_k_sparse_segments_params k;
    uint32_t *from, *to, b, r, sum = 0;
    uint64_t *firsts;
    memset(&k, 0, sizeof k);
    k.rows_lo = rows;
    k.count = count;
    k.wide = wide ? PADICI_SPARSE_K_WIDE : 0;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    c->again = c->round == 0;
    from = (uint32_t *)padici_gpu_image(c, 0, (rows * count + 1u) * (wide ? 8u : 4u));
    if (!from || !padici_gpu_image(c, 1, (rows + 1u) * count * (wide ? 8u : 4u)) ||
        !padici_gpu_image(c, 2, (count + 1u) * 8u))
        return PADIC_ERROR_MEMORY;
    to = (uint32_t *)padici_gpu_answer(c, 1);
    firsts = (uint64_t *)padici_gpu_answer(c, 2);
    if (!to || !firsts) return PADIC_ERROR_MEMORY;
    for (b = 0; b < count; b++) {
        firsts[b] = sum;
        for (r = 0; r <= rows; r++) {
            const uint32_t at = b * rows + r, own = b * (rows + 1u) + r;
            padici_sparse_index_set((uint8_t *)from, wide, at, sum);
            padici_sparse_index_set((uint8_t *)to, wide, own, sum - firsts[b]);
            if (r < rows) sum += (at * 7u) % 5u;
        }
    }
    firsts[count] = sum;
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_sparse_decode(padici_gpu_case *c)
{
    padici_k_sparse_decode_params k;
    padici_sparse_known x;
    uint32_t r, e, *row_ptr, *col;
    unsigned char *value, *dense;
    padic_result result = padici_sparse_known_begin(c, &x, 3, 0);
    if (result) return result;
    memset(&k, 0, sizeof k);
    k.rows_lo = x.rows;
    k.cols_lo = PADICI_SPARSE_KNOWN_COLS;
    k.nnz_lo = x.nnz;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = (x.n * x.size + 8191u) / 8192u;
    row_ptr = (uint32_t *)padici_gpu_image(c, 0, (x.rows + 1u) * 4u);
    col = (uint32_t *)padici_gpu_image(c, 1, (uint64_t)x.nnz * 4);
    value = (unsigned char *)padici_gpu_image(c, 2, (uint64_t)x.nnz * x.size);
    dense = (unsigned char *)padici_gpu_answer(c, 3);
    if (!row_ptr || !col || !value || !dense) return PADIC_ERROR_MEMORY;
    memcpy(row_ptr, x.row_ptr, (x.rows + 1u) * 4u);
    memcpy(col, x.col, x.nnz * 4u);
    memcpy(value, x.value, (size_t)x.nnz * x.size);
    memset(x.keys, 0xa5, (size_t)x.n * x.size); // all of it is written
    memset(dense, 0, (size_t)x.n * x.size);
    for (r = 0, e = 0; r < x.rows; r++)
        for (; e < row_ptr[r + 1]; e++)
            memcpy(dense + (r * PADICI_SPARSE_KNOWN_COLS + col[e]) * x.size, value + e * x.size,
                   x.size);
    return PADIC_OK;
}

// The state of one pass, whose image is buffer 1, and everything else.
static padic_result padici_sparse_known_one_pass(padici_gpu_case *c, padici_sparse_known *x,
                                                 uint32_t bytes, uint32_t words)
{
    padic_result result = padici_sparse_known_begin(c, x, 0, bytes);
    void *state;
    if (result) return result;
    state = padici_gpu_image(c, 1, words * 8u);
    if (!state) return PADIC_ERROR_MEMORY;
    memset(state, 0, words * 8u);
    result = padici_sparse_known_totals(c, x, 7);
    return result ? result : padici_sparse_known_planes(c, x, 2);
}

PADICI_FN padic_result padici_test_cuda_sparse_encode(padici_gpu_case *c)
{
    padici_sparse_known x;
    uint64_t *state;
    uint32_t t, count[4];
    const uint32_t bytes = padici_gpu_define(c, "PD_SPARSE_THREADS", 256) *
                           padici_gpu_define(c, "PD_SPARSE_VECTORS", 8) * 16;
    padic_result result;
    if (padici_gpu_define(c, "PD_SPARSE_SIMPLE", 0)) c->round = 1; // that has no threshold
    result = padici_sparse_known_one_pass(c, &x, bytes, 3 + 10);
    if (result) return result;
    c->again = c->round == 0;
    c->groups[0] = x.tiles;
    state = (uint64_t *)padici_gpu_answer(c, 1);
    if (!state) return PADIC_ERROR_MEMORY;
    padici_sparse_known_tiles(&x, NULL, count, NULL, NULL);
    for (t = 0; t < x.tiles; t++) state[8 + t] = UINT64_C(1) << 62 | count[t];
    state[4] = x.tiles;
    state[8 + x.tiles] = (uint64_t)x.tiles << 48 | x.nnz; // of all, which are fewer than 32
    return PADIC_OK;
}

// Two groups that wait for each other to begin, and two that do not.
PADICI_FN padic_result padici_test_cuda_sparse_ring_encode(padici_gpu_case *c)
{
    const uint32_t again = c->round;
    padici_k_sparse_encode_params k;
    padici_sparse_known x;
    padic_result result;
    c->round = 1; // it has no threshold
    result = padici_sparse_known_one_pass(
        c, &x, padici_gpu_sparse_ring_bytes(padici_gpu_define(c, "PD_SPARSE_SIZE", 4)) / 2, 8 + 8);
    c->round = again;
    if (result) return result;
    c->again = !again;
    c->groups[0] = 2;
    memcpy(&k, &c->params, sizeof k);
    k.looks = again ? 0 : 1u << 30;
    memcpy(&c->params, &k, sizeof k);
    return padici_gpu_answer(c, 1) ? PADIC_OK : PADIC_ERROR_MEMORY;
}

PADICI_FN const padici_gpu_test *padici_tests_sparse(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_SPARSE_BITS, 0, 0, padici_test_sparse_bits, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SPARSE_SCAN, 0, 0, padici_test_sparse_scan, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SPARSE_EMIT, 0, 0, padici_test_sparse_emit, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SPARSE_SMALL, 0, 0, padici_test_sparse_small, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SPARSE_SEGMENTS, 0, 0, padici_test_sparse_segments, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SPARSE_DECODE, 0, 0, padici_test_sparse_decode, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_SPARSE_ENCODE, 0, 0, padici_test_cuda_sparse_encode,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE, 0, 0, padici_test_cuda_sparse_ring_encode,
         {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#endif
