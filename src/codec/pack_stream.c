#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/memory.h"
#include "../core/platform.h"
#include "../core/words.h"
#include "choose_transform.h"
#include "grid.h"
#include "header.h"
#include "pack.h"
#include "pack_tolerance.h"
#include "pack_check.h"
#include "pack_workers.h"
#include "packing.h"

#if PADICI_IMPLEMENT_CODEC && !defined(PADIC_NO_CODEC_PACK)

// ---- packing a stream

struct padic_codec_packer {
    padici_codec_packing packing;
    padic_context *context;
    const padic_allocator *allocator;
    size_t total; // bytes of this object and its buffers
    uint8_t *slab; // a row of blocks, or as many as the workers need
    uint64_t row_bytes, slab_bytes, slab_rows, held, rows;
    uint64_t *offsets, known, room; // of the blocks written
    padic_codec_report *report;
    padic_result failed;
};

// The number of workers that the address space allows; bytes of the rows that they fill, and in
// all. 0: none.
static uint32_t padici_codec_packer_size(const padici_codec_header *header, uint32_t workers,
                                         uint64_t row, uint64_t across, uint64_t *deep,
                                         uint64_t *slab, uint64_t *total)
{
    const padici_codec_grid *grid = &header->grid;
    for (; workers; workers--) {
        *deep = workers > 1 && across ? (2 * workers + across - 1) / across : 1;
        if (!header->flags && *deep > grid->blocks[0])
            *deep = grid->blocks[0] ? grid->blocks[0] : 1;
        if (!padici_mul_u64(row, grid->block[0], slab) || *slab > SIZE_MAX / 4 / *deep) continue;
        *slab *= *deep;
        *total = ((sizeof(padic_codec_packer) + 63) & ~(size_t)63) +
                 ((*slab + 63) & ~UINT64_C(63)) +
                 padici_codec_packing_memory(grid, workers, PADICI_CODEC_BATCH);
        if (*total <= SIZE_MAX / 2) break;
    }
    return workers;
}

PADIC_API padic_result padic_codec_pack_begin(padic_context *context,
                                              const padic_codec_pack_begin_desc *begin,
                                              padic_codec_packer **packer)
{
    const padic_codec_pack_desc *desc = begin ? &begin->pack : NULL;
    padici_codec_header header;
    padici_codec_grid *grid = &header.grid;
    const padic_allocator *allocator;
    padic_codec_packer *p;
    const padic_jobs *jobs = padici_jobs(context);
    uint64_t row = 1, across = 1, deep = 1, slab = 0, total = 0;
    uint32_t workers, k;
    padic_result result;
    if (packer) *packer = NULL;
    if (!packer || !begin || !begin->write)
        return padici_codec_fail(context, "codec_pack_begin", NULL, PADIC_ERROR_ARGUMENT);
    result = padici_codec_check(desc, PADICI_CODEC_CHECK_STREAM, &header);
    if (result) return padici_codec_fail(context, "codec_pack_begin", &header, result);
    for (k = 1; k < grid->axes; k++) {
        row *= grid->shape[k];
        across *= grid->blocks[k];
    }
    row *= grid->element;
    workers = padici_codec_workers(jobs, header.flags ? UINT64_MAX : grid->total);
    workers = padici_codec_packer_size(&header, workers, row, across, &deep, &slab, &total);
    if (!workers) return padici_codec_fail(context, "codec_pack_begin", &header, PADIC_ERROR_LIMIT);
    allocator = desc->allocator ? desc->allocator : padici_allocator(context);
    p = (padic_codec_packer *)padici_alloc(allocator, (size_t)total, 64);
    if (!p) return padici_codec_fail(context, "codec_pack_begin", &header, PADIC_ERROR_MEMORY);
    memset(p, 0, sizeof *p);
    p->packing.header = header;
    p->packing.sink.write = begin->write;
    p->packing.sink.user = begin->user;
    p->packing.jobs = jobs;
    padici_codec_pick(context, &p->packing.loops);
    p->packing.workers = workers;
    p->context = context;
    p->allocator = allocator;
    p->report = desc->report;
    if (p->report) memset(p->report, 0, sizeof *p->report);
    p->total = (size_t)total;
    p->slab = (uint8_t *)p + ((sizeof *p + 63) & ~(size_t)63);
    p->row_bytes = row;
    p->slab_bytes = slab;
    p->slab_rows = deep * grid->block[0];
    padici_codec_packing_place(&p->packing, desc, PADICI_CODEC_BATCH,
                               p->slab + ((slab + 63) & ~UINT64_C(63)));
    padici_codec_measure_tolerance(desc, &p->packing);
    padici_codec_layer_tolerances(desc, &p->packing);
    padici_codec_take_side(&desc->reference, &p->packing.reference);
    padici_codec_take_side(&desc->importance, &p->packing.importance);
    padici_codec_dense_strides(grid->shape, grid->axes, p->packing.stride);
    p->packing.data = p->slab;
    padici_steps_begin(&p->packing.steps, desc->progress, padici_progress(context),
                       header.flags ? 0 : grid->total);
    result = padici_codec_output_header(&p->packing);
    if (result) {
        padici_free(allocator, p, p->total);
        return padici_codec_fail(context, "codec_pack_begin", &header, result);
    }
    *packer = p;
    return PADIC_OK;
}

// Packs the rows in the slab: whole rows of blocks, or the last ones.
static padic_result padici_codec_pack_slab(padic_codec_packer *p)
{
    padici_codec_grid *grid = &p->packing.header.grid;
    const uint64_t rows = p->held / p->row_bytes, length = grid->shape[0];
    uint64_t across = 1;
    padic_result result;
    uint32_t k;
    for (k = 1; k < grid->axes; k++) across *= grid->blocks[k];
    across *= (rows + grid->block[0] - 1) / grid->block[0];
    if (p->known + across > p->room) {
        const uint64_t room = 2 * (p->known + across) + 64;
        uint64_t *more = (uint64_t *)padici_alloc(p->allocator, (size_t)(room * 8), 64);
        if (!more) return PADIC_ERROR_MEMORY;
        if (p->known) memcpy(more, p->offsets, (size_t)p->known * 8);
        if (p->offsets) padici_free(p->allocator, p->offsets, (size_t)p->room * 8);
        p->offsets = more;
        p->room = room;
    }
    p->packing.first_row = p->rows;
    grid->shape[0] = p->rows + rows; // rows known so far: the last block may be short
    result = padici_codec_pack_blocks(&p->packing, p->known, across, p->offsets + p->known);
    grid->shape[0] = length;
    p->known += across;
    p->rows += rows;
    p->held = 0;
    return result;
}

PADIC_API padic_result padic_codec_pack_push(padic_codec_packer *packer, const padic_bytes *data)
{
    const uint8_t *from = data ? (const uint8_t *)data->data : NULL;
    uint64_t size = data ? data->size : 0;
    const padici_codec_grid *grid;
    if (!packer || !data || (!from && size)) return PADIC_ERROR_ARGUMENT;
    grid = &packer->packing.header.grid;
    while (size && !packer->failed) {
        uint64_t left = packer->slab_bytes - packer->held, rows = grid->shape[0] - packer->rows;
        if (rows < packer->slab_rows && rows * packer->row_bytes < left + packer->held)
            left = rows * packer->row_bytes - packer->held;
        if (left == 0) {
            packer->failed = PADIC_ERROR_MISMATCH; // more than the shape has
            break;
        }
        if (left > size) left = size;
        memcpy(packer->slab + packer->held, from, (size_t)left);
        packer->held += left;
        from += left;
        size -= left;
        if (packer->held == packer->slab_bytes) packer->failed = padici_codec_pack_slab(packer);
    }
    if (!packer->failed) return PADIC_OK;
    return padici_codec_fail(packer->context, "codec_pack_push", NULL, packer->failed);
}

PADIC_API padic_result padic_codec_pack_end(padic_codec_packer *packer)
{
    padic_context *context;
    padici_codec_grid *grid;
    padic_result result;
    if (!packer) return PADIC_ERROR_ARGUMENT;
    context = packer->context;
    grid = &packer->packing.header.grid;
    result = packer->failed;
    if (!result && packer->held) {
        if (packer->held % packer->row_bytes)
            result = PADIC_ERROR_MISMATCH; // the input ends inside a row
        else
            result = padici_codec_pack_slab(packer);
    }
    if (!result && grid->shape[0] == PADIC_CODEC_UNKNOWN)
        grid->shape[0] = packer->rows;
    if (!result && packer->rows != grid->shape[0] && packer->row_bytes)
        result = PADIC_ERROR_MISMATCH;
    if (!result)
        result = padici_steps_end(&packer->packing.steps);
    if (!result)
        result = padici_codec_output_index(&packer->packing, packer->offsets, packer->known,
                                           grid->shape[0]);
    if (!result) padici_codec_report_packed(context, &packer->packing, packer->report);
    if (packer->report) packer->report->packed_size = packer->packing.sink.written;
    if (packer->offsets) padici_free(packer->allocator, packer->offsets, (size_t)packer->room * 8);
    padici_free(packer->allocator, packer, packer->total);
    return result ? padici_codec_fail(context, "codec_pack_end", NULL, result) : PADIC_OK;
}

#endif
