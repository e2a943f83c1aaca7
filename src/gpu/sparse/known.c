#include "known.h"
#include "../../core/philox.h"
#include "../../core/tensor.h"
#include "../../sparse/index.h"
#include "../../sparse/kept.h"
#include "../../sparse/source.h"
#include "../../sparse/work.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SPARSE)

// Known answers: a matrix of two tiles, one sparse, one dense, and an odd tail, done by the host.

// Memory of a test that no buffer shows.
static void *padici_sparse_known_space(padici_gpu_case *c, uint64_t size)
{
    const size_t whole = ((size_t)size + 15u) & ~(size_t)15u;
    void *space = c->space + c->used;
    if (whole > PADICI_GPU_CASE_BYTES - c->used) return NULL;
    c->used += whole;
    return space;
}

static void padici_sparse_known_keys(const padici_sparse_known *x, unsigned char *keys)
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

// The job of what `desc` encoded to `csr`. (In a frame of its own.)
static padic_result padici_sparse_known_job(padici_gpu_case *c, padici_sparse_known *x,
                                            padic_sparse_encode_desc *desc, padic_sparse_csr *csr)
{
    padici_sparse_source s;
    padici_sparse_work w;
    const padic_result result = padici_sparse_source_of(NULL, &s, &desc->source, 0, NULL);
    if (result) return result;
    memset(&w, 0, sizeof w);
    w.source = &s;
    w.fill = w.report = 1;
    w.to.room = x->nnz - 3; // the last entries have no room
    padici_sparse_drive_begin(&w, csr, PADIC_SPARSE_GPU_BITMAP, 1, &x->d);
    x->d.row_ptr.mem.bits = x->d.value.mem.bits = 1u << 20; // there are some
    x->job.gpu = c->gpu;
    x->job.d = &x->d;
    x->job.elements = x->n;
    x->job.row_ptr = x->d.row_ptr;
    x->job.simple = c->round;
    return padici_gpu_sparse_params(&x->job) ? PADIC_OK : PADIC_ERROR_SELF_TEST;
}

// `keys` is the image of buffer `buffer`. Mode THRESHOLD in round 0, NONZERO in the next.
PADICI_FN padic_result padici_sparse_known_begin(padici_gpu_case *c, padici_sparse_known *x,
                                                 uint32_t buffer, uint32_t tile_bytes)
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
    x->rows = (2 * x->tile + 120) / PADICI_SPARSE_KNOWN_COLS;
    x->n = x->rows * PADICI_SPARSE_KNOWN_COLS;
    x->tiles = (x->n + x->tile - 1) / x->tile;
    x->keys = (unsigned char *)padici_gpu_image(c, buffer, (uint64_t)x->n * x->size);
    x->row_ptr = (uint32_t *)padici_sparse_known_space(c, (x->rows + 1u) * 4u);
    x->col = (uint32_t *)padici_sparse_known_space(c, x->tile * 4u);
    x->value = (unsigned char *)padici_sparse_known_space(c, x->tile * x->size);
    if (!x->keys || !x->row_ptr || !x->col || !x->value) return PADIC_ERROR_MEMORY;
    padici_sparse_known_keys(x, x->keys);
    desc.source.dense = padic_tensor_2d(x->dtype, x->keys, x->rows, PADICI_SPARSE_KNOWN_COLS);
    desc.source.mode = c->round ? PADIC_SPARSE_NONZERO : PADIC_SPARSE_THRESHOLD;
    desc.source.threshold = c->round ? 0 : 1;
    csr.row_ptr = padic_tensor_1d(PADIC_I32, x->row_ptr, x->rows + 1u);
    csr.col = padic_tensor_1d(PADIC_I32, x->col, x->tile);
    csr.value = padic_tensor_1d(x->dtype, x->value, x->tile);
    desc.out = &csr;
    desc.report = &x->report;
    result = padic_sparse_encode(NULL, &desc);
    if (result) return result;
    x->nnz = (uint32_t)csr.nnz;
    result = padici_sparse_known_job(c, x, &desc, &csr);
    if (result) return result;
    x->job.k.tiles = x->tiles;
    x->job.k.flags |= PADICI_SPARSE_K_SIGNED;
    x->bitmap_words = x->tile / 32;
    return PADIC_OK;
}

// The bitmap, counts (u32), starts and {others, largest} (u64) of the tiles; any may be NULL.
PADICI_FN void padici_sparse_known_tiles(const padici_sparse_known *x, uint32_t *bitmap,
                                         uint32_t *count, uint64_t *start, uint64_t *report)
{
    uint32_t r, e, i;
    uint64_t sum = 0;
    uint32_t counts[4] = {0, 0, 0, 0};
    if (bitmap) memset(bitmap, 0, (size_t)x->tiles * x->bitmap_words * 4u);
    for (r = 0, e = 0; r < x->rows; r++)
        for (; e < x->row_ptr[r + 1]; e++) {
            i = r * PADICI_SPARSE_KNOWN_COLS + x->col[e];
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

// What every encoding kernel gets: its params, and from buffer i on row_ptr, columns, kept keys,
// units and value with what must become of them.
PADICI_FN padic_result padici_sparse_known_planes(padici_gpu_case *c, padici_sparse_known *x,
                                                  uint32_t i)
{
    const uint32_t room = x->nnz - 3, units = padici_gpu_define(c, "PD_SPARSE_UNITS", 0);
    uint32_t *unit, *to, j, r, e;
    void *out[4];
    if (!padici_gpu_image(c, i, (x->rows + 1u) * 4u) ||
        !padici_gpu_image(c, i + 1, (uint64_t)x->nnz * 4) ||
        !padici_gpu_image(c, i + 2, (uint64_t)x->nnz * x->size))
        return PADIC_ERROR_MEMORY;
    unit = (uint32_t *)padici_gpu_image(c, i + 3, units ? (uint64_t)x->n * units * 4 : 4);
    if (!unit || !padici_gpu_image(c, i + 4, units ? (uint64_t)x->nnz * units * 4 : 4))
        return PADIC_ERROR_MEMORY;
    for (j = 0; j < x->n * units; j++) unit[j] = j * 2654435761u;
    for (j = 0; j < 3; j++) out[j] = padici_gpu_answer(c, i + j);
    out[3] = padici_gpu_answer(c, i + 4);
    if (!out[0] || !out[1] || !out[2] || !out[3]) return PADIC_ERROR_MEMORY;
    memcpy(out[0], x->row_ptr, (x->rows + 1u) * 4u);
    memcpy(out[1], x->col, room * 4u);
    memcpy(out[2], x->value, room * x->size);
    to = (uint32_t *)out[3];
    for (r = 0, e = 0; units && r < x->rows; r++)
        for (; e < x->row_ptr[r + 1]; e++)
            for (j = 0; e < room && j < units; j++)
                to[e * units + j] =
                    unit[(r * PADICI_SPARSE_KNOWN_COLS + x->col[e]) * units + j];
    memcpy(&c->params, &x->job.k, sizeof x->job.k);
    return PADIC_OK;
}

PADICI_FN void *padici_sparse_known_words(padici_gpu_case *c, const padici_sparse_known *x,
                                          uint32_t i)
{
    void *image = padici_gpu_image(c, i, (uint64_t)x->n * x->size);
    if (image) memcpy(image, x->keys, (size_t)x->n * x->size);
    return image;
}

// {0, entries, kept by the second test, largest}, as buffer i.
PADICI_FN padic_result padici_sparse_known_totals(padici_gpu_case *c, const padici_sparse_known *x,
                                                  uint32_t i)
{
    uint64_t report[8], *totals = (uint64_t *)padici_gpu_image(c, i, 32);
    uint32_t t;
    if (!totals) return PADIC_ERROR_MEMORY;
    memset(totals, 0, 32);
    totals = (uint64_t *)padici_gpu_answer(c, i);
    if (!totals) return PADIC_ERROR_MEMORY;
    totals[1] = x->nnz;
    if (!padici_gpu_define(c, "PD_SPARSE_REPORT", 0)) return PADIC_OK;
    padici_sparse_known_tiles(x, NULL, NULL, NULL, report);
    for (t = 0; t < x->tiles; t++) {
        totals[2] += report[2 * t];
        if (report[2 * t + 1] > totals[3]) totals[3] = report[2 * t + 1];
    }
    return PADIC_OK;
}

#endif
