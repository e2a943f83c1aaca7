#include "pack.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "choose_blocks.h"
#include "choose_transform.h"
#include "constants.h"
#include "grid.h"
#include "pack_tolerance.h"
#include "pack_check.h"
#include "pack_search.h"
#include "pack_workers.h"
#include "unpack.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing

PADICI_FN uint32_t padici_codec_workers(const padic_jobs *jobs, uint64_t tasks)
{
    uint32_t workers = jobs && jobs->enqueue && jobs->workers > 1 ? jobs->workers : 1;
#ifndef PADICI_SWAP
    tasks = 1;
#endif
    if (workers > 64) workers = 64;
    if (workers > tasks) workers = tasks ? (uint32_t)tasks : 1;
    return workers;
}

#ifndef PADIC_NO_CODEC_PACK
// The worst case of one shape of blocks.
static uint64_t padici_codec_size_most(const padic_codec_pack_desc *desc)
{
    padici_codec_header header;
    const padici_codec_grid *grid = &header.grid;
    uint64_t size, elements = 1;
    uint32_t k;
    if (padici_codec_check(desc, PADICI_CODEC_CHECK_SIZES, &header)) return 0;
    for (k = 0; k < grid->axes; k++) elements *= grid->shape[k];
    size = elements * grid->element;
    if (grid->total > UINT64_MAX / 512 || size > UINT64_MAX / 16) return 0;
    size += grid->total * (PADICI_CODEC_FRAME_SIZE + 1 + PADICI_CODEC_PAYLOAD_PAD + 8);
    size = size * header.layers + header.size + PADICI_CODEC_INDEX_FIXED;
    return size > SIZE_MAX / 2 ? 0 : size;
}

// The most of all shapes of blocks that may be chosen or tried.
static uint64_t padici_codec_most_of_shapes(const padic_codec_pack_desc *desc,
                                            uint64_t (*of)(const padic_codec_pack_desc *desc))
{
    uint64_t size, most = (*of)(desc);
    padici_codec_header header;
    padic_codec_pack_desc other;
    uint32_t number, trial;
    if (!most || padici_codec_check(desc, PADICI_CODEC_CHECK_SIZES, &header)) return most;
    trial = padici_codec_policy_of(header.level)->blocks.trial;
    for (number = 0; number < PADICI_CODEC_SHAPE_NUMBERS; number++) {
        if (!padici_codec_shapes(desc, &header, &other, number)) continue;
        size = (*of)(&other);
        if (size > most) most = size;
        other.level = trial;
        size = trial ? (*of)(&other) : 0;
        if (size > most) most = size;
    }
    return most;
}

PADIC_API uint64_t padic_codec_size_bound(const padic_codec_pack_desc *desc)
{
    return padici_codec_most_of_shapes(desc, padici_codec_size_most);
}

static uint64_t padici_codec_workspace_most(const padic_codec_pack_desc *desc)
{
    padici_codec_header header;
    uint64_t size;
    if (padici_codec_check(desc, PADICI_CODEC_CHECK_SIZES, &header)) return 0;
    if (header.grid.total > SIZE_MAX / 512) return 0;
    size = padici_codec_packing_memory(&header.grid, 1, 1) + 8 * header.grid.total * header.layers;
    return size > SIZE_MAX / 2 ? 0 : size;
}

PADIC_API uint64_t padic_codec_pack_workspace(const padic_codec_pack_desc *desc)
{
    return padici_codec_most_of_shapes(desc, padici_codec_workspace_most);
}
#endif

// The size of a workspace, or of all memory if there is none.
PADICI_FN uint64_t padici_codec_workspace_size(const padic_tensor *workspace)
{
    return workspace && workspace->data ? workspace->shape[0] : SIZE_MAX / 2;
}

PADICI_FN padic_result padici_codec_memory_take(padici_codec_memory *memory, padic_context *context,
                                                const padic_allocator *own,
                                                const padic_tensor *workspace, uint64_t need,
                                                padici_codec_header *header)
{
    memory->size = 0;
    memory->allocator = own ? own : padici_allocator(context);
    if (workspace && (workspace->data || workspace->buffer.id)) {
        if (!workspace->data || workspace->dtype != PADIC_U8 || workspace->rank != 1 ||
            workspace->stride[0] > 1 || workspace->stride[0] < 0 ||
            (uintptr_t)workspace->data % 64)
            return padici_codec_reject(
                header, PADIC_ERROR_ARGUMENT,
                "workspace must be U8 of rank 1 without gaps, in host memory, 64-byte aligned");
        if (need > workspace->shape[0]) {
            header->need = need;
            return padici_codec_reject(header, PADIC_ERROR_CAPACITY,
                                       "workspace is too small, it takes ");
        }
        memory->at = (uint8_t *)workspace->data;
        return PADIC_OK;
    }
    if (need > SIZE_MAX / 2) return PADIC_ERROR_LIMIT;
    memory->at = (uint8_t *)padici_alloc(memory->allocator, (size_t)need, 64);
    memory->size = (size_t)need;
    return memory->at ? PADIC_OK : PADIC_ERROR_MEMORY;
}

PADICI_FN void padici_codec_memory_give(padici_codec_memory *memory)
{
    if (memory->size) padici_free(memory->allocator, memory->at, memory->size);
}

// Reports the blocks: to the caller's report, if there is one, and to the log.
PADICI_FN void padici_codec_report_blocks(padic_context *context, const padici_codec_header *header,
                                          uint64_t written, uint64_t reencoded,
                                          padic_codec_report *report)
{
    const padic_logger *log = padici_logger(context);
    padici_text text;
    char space[160];
    if (report) {
        padici_codec_fill_report(header, report);
        report->packed_size = written;
        report->blocks_reencoded = reencoded;
    }
    if (!reencoded || !log) return;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "codec_pack: blocks stored as they are, as they did not come back: ");
    padici_text_number(&text, reencoded, 1);
    padici_text_add(&text, "; nothing is lost, but please report the array");
    padici_log_write(log, PADIC_LOG_WARNING, 0, space);
}

PADICI_FN void padici_codec_report_packed(padic_context *context,
                                          const padici_codec_packing *packing,
                                          padic_codec_report *report)
{
    uint64_t reencoded = 0;
    uint32_t i;
    for (i = 0; i < packing->workers; i++) reencoded += packing->work[i].reencoded;
    padici_codec_report_blocks(context, &packing->header, packing->sink.written, reencoded, report);
}

// The header and the frames of all layers.
static padic_result padici_codec_pack_planes(const padic_codec_pack_desc *desc,
                                             padici_codec_packing *packing, uint64_t *offsets)
{
    const uint64_t total = packing->header.grid.total;
    uint32_t layer, k;
    padic_result result;
    padici_codec_layer_tolerances(desc, packing);
    packing->sink.written = 0;
    result = padici_codec_output_header(packing);
    for (layer = 0; layer < packing->header.layers && !result; layer++) {
        for (k = 0; k < packing->workers; k++) packing->work[k].squares = 0; // of the last layer
        packing->layer = layer;
        packing->above = layer && packing->sink.written <= packing->sink.capacity
                             ? packing->sink.dst
                             : NULL;
        result = padici_codec_pack_blocks(packing, 0, total, offsets + layer * total);
    }
    return result;
}

static double padici_codec_squares(const padici_codec_packing *packing)
{
    double sum = 0;
    uint32_t k;
    for (k = 0; k < packing->workers; k++) sum += packing->work[k].squares;
    return sum;
}

// All layers; again with a tolerance that needs no trial if the errors are too large after all.
static padic_result padici_codec_pack_allowed(const padic_codec_pack_desc *desc,
                                              padici_codec_packing *packing, uint64_t *offsets)
{
    padic_result result = padici_codec_pack_planes(desc, packing, offsets);
    const double most = packing->allowed * (1 + 1.0 / 2097152); // sums in another order
    if (result || !(packing->allowed > 0) || !(padici_codec_squares(packing) > most)) return result;
    packing->allowed = 0;
    packing->tolerance.absolute = packing->header.error_bound = padici_codec_least_rms(desc);
    return padici_codec_pack_planes(desc, packing, offsets);
}

static PADICI_NOINLINE padic_result padici_codec_pack_all(padic_context *context,
                                                          const padic_codec_pack_desc *desc,
                                                          padici_codec_packing *packing)
{
    const padici_codec_grid *grid = &packing->header.grid;
    padici_codec_memory memory;
    uint64_t *offsets, count;
    uint64_t work, index;
    uint32_t blocks;
    padic_result result = padici_codec_check(desc, PADICI_CODEC_CHECK_PACK, &packing->header);
    if (!result) result = padici_tensor_check(&desc->tensor, &count);
    if (result) return result;
    if (grid->total > SIZE_MAX / 512) return PADIC_ERROR_LIMIT;
    padici_codec_take_side(&desc->reference, &packing->reference);
    padici_codec_take_side(&desc->importance, &packing->importance);
    padici_tensor_dense(&desc->tensor, packing->stride);
    if (desc->tensor.rank == 0) packing->stride[0] = 1;
    packing->data = (const uint8_t *)desc->tensor.data;
    packing->jobs = padici_jobs(context);
    padici_codec_pick(context, &packing->loops);
    result = padici_codec_choose_blocks(context, desc, packing);
    if (result) return result;
    packing->workers = padici_codec_workers(packing->jobs, grid->total);
    index = 8 * grid->total * packing->header.layers;
    blocks = grid->span > PADICI_CODEC_BATCH / 2 ? 2 * grid->span : PADICI_CODEC_BATCH;
    while (packing->workers > 1 &&
           padici_codec_packing_memory(grid, packing->workers, blocks) + index >
               padici_codec_workspace_size(&desc->workspace))
        if (blocks > PADICI_CODEC_BATCH)
            blocks /= 2;
        else
            packing->workers--;
    work = padici_codec_packing_memory(grid, packing->workers, blocks);
    result = padici_codec_memory_take(&memory, context, desc->allocator, &desc->workspace,
                                      work + index, &packing->header);
    if (result) return result;
    padici_codec_packing_place(packing, desc, blocks, memory.at);
    offsets = (uint64_t *)(void *)(memory.at + work);
    padici_steps_begin(&packing->steps, desc->progress, padici_progress(context),
                       desc->tolerance_mode < PADIC_CODEC_TOLERANCE_RMS
                           ? grid->total * packing->header.layers
                           : 0);
    padici_codec_measure_tolerance(desc, packing);
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_RMS)
        padici_codec_search_rms(desc, packing, offsets);
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_FIXED &&
        !padici_codec_search_fixed(desc, packing, offsets, &packing->sink.written))
        result = PADIC_ERROR_LIMIT;
    if (packing->steps.stop) result = PADIC_ERROR_CANCELLED;
    if (!result) result = padici_codec_pack_allowed(desc, packing, offsets);
    if (!result) result = padici_steps_end(&packing->steps);
    if (!result)
        result = padici_codec_output_index(packing, offsets, grid->total * packing->header.layers,
                                           grid->shape[0]);
    if (!result && desc->tolerance_mode == PADIC_CODEC_TOLERANCE_FIXED &&
        !((double)packing->sink.written <= desc->tolerance))
        result = PADIC_ERROR_LIMIT;
    if (!result) padici_codec_report_packed(context, packing, desc->report);
    padici_codec_memory_give(&memory);
    return result;
}

// The same for a desc whose arrays lie in host memory. Separate from its callers because its frame
// is large.
PADICI_FN PADICI_NOINLINE padic_result padici_codec_pack_in_memory(padic_context *context,
                                                              const padic_codec_pack_desc *desc)
{
    padici_codec_packing packing;
    padic_result result;
    memset(&packing, 0, sizeof packing);
    packing.sink.dst = (uint8_t *)desc->packed.data;
    packing.sink.capacity = desc->packed.capacity;
    if (desc->packed.capacity && !desc->packed.data)
        result = padici_codec_reject(&packing.header, PADIC_ERROR_ARGUMENT,
                                     "packed has neither data nor a buffer: give it memory");
    else
        result = padici_codec_pack_all(context, desc, &packing);
    if (result == PADIC_ERROR_LIMIT && desc->report) // FIXED
        desc->report->packed_size = packing.sink.written;
    if (!result && packing.sink.written > packing.sink.capacity) result = PADIC_ERROR_CAPACITY;
    return result ? padici_codec_fail(context, "codec_pack", &packing.header, result) : PADIC_OK;
}

#endif
