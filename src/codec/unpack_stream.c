#include "../context/ops.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/memory.h"
#include "../core/splitmix.h"
#include "../core/tensor.h"
#include "../core/words.h"
#include "bytes.h"
#include "choose_transform.h"
#include "constants.h"
#include "transforms.h"
#include "grid.h"
#include "header.h"
#include "pack.h"
#include "pack_check.h"
#include "unpack.h"

#if PADICI_IMPLEMENT_CODEC

// ---- unpacking a stream

// Reads exactly `size` bytes; or CORRUPT, or CHECKSUM where the input ends like a complete stream.
static PADICI_NOINLINE padic_result padici_codec_prefetch(padic_codec_unpacker *u, uint8_t *to,
                                                          size_t size)
{
    size_t got = 0, keep;
    if ((*u->read)(to, size, &got, u->user) != 0 || got > size) return PADIC_ERROR_CALLBACK;
    u->consumed += got;
    keep = got < 8 ? 8 - got : 0;
    memmove(u->last, u->last + 8 - keep, keep);
    memcpy(u->last + keep, to + got + keep - 8, 8 - keep);
    if (got == size) return PADIC_OK;
    return memcmp(u->last, "PADC-END", 8) == 0 ? PADIC_ERROR_CHECKSUM : PADIC_ERROR_CORRUPT;
}

// Reads and checks the header, of any size within the limit.
static padic_result padici_codec_unpacker_header(padic_codec_unpacker *start, uint64_t limit)
{
    uint8_t bytes[PADICI_CODEC_HEADER_MOST], *more = bytes;
    size_t size;
    padic_result result = padici_codec_prefetch(start, bytes, 40);
    if (result == PADIC_ERROR_CHECKSUM) result = PADIC_ERROR_CORRUPT;
    if (!result && memcmp(bytes, "PADC", 4) != 0) result = PADIC_ERROR_CORRUPT;
    if (!result && bytes[4] > PADIC_CODEC_WIRE_VERSION) result = PADIC_ERROR_VERSION;
    if (result) return result;
    size = padici_load16(bytes + 10);
    if (size < 40) return PADIC_ERROR_CORRUPT;
    if (size > sizeof bytes) { // a later version's
        if (size > limit) return PADIC_ERROR_LIMIT;
        more = (uint8_t *)padici_alloc(start->allocator, size, 64);
        if (!more) return PADIC_ERROR_MEMORY;
        memcpy(more, bytes, 40);
    }
    result = padici_codec_prefetch(start, more + 40, size - 40);
    if (result == PADIC_ERROR_CHECKSUM) result = PADIC_ERROR_CORRUPT; // not a header
    if (!result) result = padici_codec_take_header(more, size, &start->unpacking.header);
    if (more != bytes) padici_free(start->allocator, more, size);
    return result;
}

// The number of workers within the limit, and the bytes in all. 0: not even one.
static uint32_t padici_codec_unpacker_size(padic_codec_unpacker *start, uint64_t across,
                                           uint64_t limit, uint64_t *total)
{
    padici_codec_header *header = &start->unpacking.header;
    const padici_codec_grid *grid = &header->grid;
    // blocks that refer back are decoded one after the other
    uint32_t workers = grid->span > 1 || across == 0 ? 1
                       : grid->shape[0] == PADIC_CODEC_UNKNOWN
                           ? padici_codec_workers(start->jobs, 64)
                           : padici_codec_workers(start->jobs, grid->total);
    for (; workers; workers--) {
        start->deep = workers > 1 ? (workers + across - 1) / across : 1;
        *total = padici_codec_pull_memory(grid, workers, start->deep);
        if (*total <= limit && *total <= SIZE_MAX / 2) break;
        header->fault = "memory_limit is below what a row of blocks needs, ";
        header->need = *total;
    }
    if (workers) header->fault = NULL;
    return workers;
}

// Lays out the unpacker's memory and its work.
static void padici_codec_unpacker_place(padic_codec_unpacker *u, uint32_t workers,
                                        const padic_codec_unpack_desc *desc)
{
    const padici_codec_grid *grid = &u->unpacking.header.grid;
    u->frames = (padici_codec_frame *)(void *)((uint8_t *)u + ((sizeof *u + 63) & ~(size_t)63));
    u->payload = (uint8_t *)u->frames + 64 * (size_t)workers;
    u->payload_room = padici_codec_slot_size(grid);
    u->report = desc->report;
    padici_steps_begin(&u->unpacking.steps, desc->progress, padici_progress(u->context),
                       grid->total);
    u->unpacking.workers = workers;
    padici_codec_pick(u->context, &u->unpacking.loops);
    u->slab = u->payload + workers * (size_t)u->payload_step;
    padici_codec_unpack_place(&u->unpacking, u->slab);
    u->slab += padici_codec_unpack_memory(grid, workers);
}

PADIC_API padic_result padic_codec_unpack_begin(padic_context *context,
                                                const padic_codec_unpack_begin_desc *begin,
                                                padic_codec_unpacker **unpacker)
{
    const padic_codec_unpack_desc *desc = begin ? &begin->unpack : NULL;
    padic_codec_report own, *report = begin ? begin->report : NULL;
    padic_codec_unpacker start, *u;
    padici_codec_header *header = &start.unpacking.header;
    padici_codec_grid *grid = &header->grid;
    uint64_t total = 0, row, across = 1, limit;
    padic_result result;
    uint32_t workers, k;
    if (unpacker) *unpacker = NULL;
    if (report) memset(report, 0, sizeof *report);
    if (desc && desc->report) desc->report->bad_block = UINT64_MAX;
    if (!unpacker || !begin || !begin->read)
        return padici_codec_fail(context, "codec_unpack_begin", NULL, PADIC_ERROR_ARGUMENT);
    memset(&start, 0, sizeof start);
    if (!padici_allocator_whole(desc->allocator))
        return padici_codec_fail(
            context, "codec_unpack_begin", header,
            padici_codec_reject(header, PADIC_ERROR_ARGUMENT, PADICI_CODEC_HALF_ALLOCATOR));
    start.context = context;
    start.read = begin->read;
    start.user = begin->user;
    start.allocator = desc->allocator ? desc->allocator : padici_allocator(context);
    limit = padici_codec_unpack_limit(desc);
    result = padici_codec_unpacker_header(&start, limit);
    if (!result) result = padici_codec_unpack_side(&start.unpacking, desc);
    if (!result && header->layers > 1) result = PADIC_ERROR_NOT_SUPPORTED;
    if (result) return padici_codec_fail(context, "codec_unpack_begin", header, result);
    padici_codec_fill_report(header, report ? report : &own);
    if (report) own = *report;
    start.output_limit = desc->output_limit ? desc->output_limit : UINT64_MAX;
    if (own.raw_size > start.output_limit) {
        header->fault = "output_limit is below the array's ";
        header->need = own.raw_size;
        return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_LIMIT);
    }
    row = grid->element;
    for (k = 1; k < grid->axes; k++) {
        row *= grid->shape[k];
        across *= grid->blocks[k];
    }
    start.jobs = padici_jobs(context);
    workers = padici_codec_unpacker_size(&start, across, limit, &total);
    if (!workers)
        return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_LIMIT);
    start.payload_step = padici_codec_payload_step(grid);
    u = (padic_codec_unpacker *)padici_alloc(start.allocator, (size_t)total, 64);
    if (!u) return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_MEMORY);
    *u = start;
    u->total = (size_t)total;
    u->row_bytes = row;
    padici_codec_unpacker_place(u, workers, desc);
    *unpacker = u;
    return PADIC_OK;
}

// Checks the index after the end mark: complete, and consistent with the frames and the array.
static padic_result padici_codec_pull_index(padic_codec_unpacker *u, const uint8_t *frame)
{
    padici_codec_grid *grid = &u->unpacking.header.grid;
    const uint64_t seed = PADICI_CODEC_SEED_INDEX + 1, end = padici_mix((8 * u->frame) ^ ~seed);
    const uint64_t at = u->consumed - PADICI_CODEC_FRAME_SIZE, length = grid->shape[0];
    uint64_t sum = 0, b, total;
    uint8_t head[24], tail[24];
    padic_result result;
    memcpy(head, frame, PADICI_CODEC_FRAME_SIZE);
    result = padici_codec_prefetch(u, head + PADICI_CODEC_FRAME_SIZE, 8);
    for (b = 0; b < u->frame && !result; b++) {
        result = padici_codec_prefetch(u, tail, 8);
        sum += padici_checksum_word(padici_load64(tail), b, seed);
    }
    if (!result) result = padici_codec_prefetch(u, tail, 24);
    if (result) return result;
    u->ended = 1;
    if (memcmp(tail + 16, "PADC-END", 8) != 0) return PADIC_ERROR_CORRUPT;
    sum = (sum + end) ^ padici_checksum(head, 24, PADICI_CODEC_SEED_INDEX) ^
          padici_checksum(tail, 8, PADICI_CODEC_SEED_INDEX + 2);
    if (sum != padici_load64(tail + 8) || padici_load64(tail) != at) return PADIC_ERROR_CHECKSUM;
    sum = (u->places + end) ^ padici_checksum(head, 24, PADICI_CODEC_SEED_INDEX) ^
          padici_checksum(tail, 8, PADICI_CODEC_SEED_INDEX + 2);
    if (sum != padici_load64(tail + 8)) return PADIC_ERROR_CHECKSUM; // offsets of others
    grid->shape[0] = padici_load64(head + 16);
    if (padici_load32(head + 4) != 0 || padici_load64(head + 8) != u->frame ||
        grid->shape[0] == PADIC_CODEC_UNKNOWN || padici_codec_grid_finish(grid) ||
        grid->total != u->frame || (length != PADIC_CODEC_UNKNOWN && grid->shape[0] != length))
        result = PADIC_ERROR_CHECKSUM;
    total = grid->shape[0];
    grid->shape[0] = length;
    // of as many blocks, with a different extent of the last ones
    return result ? result : total == u->rows || !u->row_bytes ? PADIC_OK : PADIC_ERROR_CHECKSUM;
}

static void padici_codec_pull_task(void *arg, uint32_t task)
{
    padic_codec_unpacker *u = (padic_codec_unpacker *)arg;
    padici_codec_unpacking *unpacking = &u->unpacking;
    const uint64_t index = u->block + task;
    const int keep = unpacking->header.grid.span > 1 ? PADICI_CODEC_BLOCK_KEEP : 0;
    padici_codec_window_enter(unpacking->work + task, index / unpacking->header.grid.span);
    unpacking->bad[task] =
        !padici_codec_unpack_block(unpacking, unpacking->work + task, index, u->frames + task,
                                   PADICI_CODEC_BLOCK_STORE | keep);
}

// Decodes the waiting blocks, and counts those before the first damaged one.
static padic_result padici_codec_pull_blocks(padic_codec_unpacker *u, uint32_t *waiting)
{
    uint32_t i;
    padici_parallel(u->jobs, *waiting, padici_codec_pull_task, u);
    for (i = 0; i < *waiting && !u->unpacking.bad[i]; i++) {}
    u->block += i;
    if (i == *waiting) {
        *waiting = 0;
        return padici_steps_more(&u->unpacking.steps, i) ? PADIC_ERROR_CANCELLED : PADIC_OK;
    }
    *waiting = 0;
    return padici_codec_unpack_refusal(&u->unpacking, u->unpacking.work[i].mismatch);
}

// Starts a row of blocks after `all` rows of the slab: the slab is the box, and the known array
// ends with it.
static padic_result padici_codec_pull_row(padic_codec_unpacker *u, uint64_t length, uint64_t all,
                                          uint64_t rows)
{
    padici_codec_unpacking *unpacking = &u->unpacking;
    padici_codec_grid *grid = &unpacking->header.grid;
    uint64_t bytes;
    uint32_t k;
    if (length == u->rows + all || // more blocks than the array has
        rows == 0 || rows > grid->block[0] ||
        (length != PADIC_CODEC_UNKNOWN && rows != padici_codec_least(length - u->rows - all,
                                                                     grid->block[0])) ||
        (u->rows + all) % grid->block[0]) // only the last one is short
        return PADIC_ERROR_CHECKSUM;
    if (!padici_mul_u64(u->rows + all + rows, u->row_bytes, &bytes) || bytes > u->output_limit)
        return PADIC_ERROR_LIMIT;
    grid->shape[0] = u->rows + all + rows;
    for (k = 0; k < grid->axes; k++) {
        unpacking->begin[k] = k ? 0 : u->rows;
        unpacking->count[k] = k ? grid->shape[k] : all + rows;
    }
    padici_codec_dense_strides(unpacking->count, grid->axes, unpacking->stride);
    u->tensor.data = u->slab;
    u->tensor.dtype = grid->dtype;
    unpacking->tensor = &u->tensor;
    return PADIC_OK;
}

// Decodes the next rows of blocks into the slab, including complete rows before an error.
static PADICI_NOINLINE padic_result padici_codec_pull_slab(padic_codec_unpacker *u)
{
    padici_codec_grid *grid = &u->unpacking.header.grid;
    const uint64_t length = grid->shape[0], first = u->block;
    uint64_t across = 1, rows = 0, all = 0, b;
    uint8_t bytes[PADICI_CODEC_FRAME_SIZE];
    uint32_t waiting = 0, k;
    int ends = 0, whole;
    padic_result result = PADIC_OK;
    u->held = u->given = 0;
    for (k = 1; k < grid->axes; k++) across *= grid->blocks[k];
    for (b = 0; !result && (b == 0 || b < across * u->deep); b++) {
        padici_codec_frame *frame = u->frames + waiting;
        uint8_t *payload = u->payload + waiting * (size_t)u->payload_step;
        const int begins = across == 0 || b % across == 0;
        const uint64_t at = u->consumed;
        result = padici_codec_prefetch(u, bytes, sizeof bytes);
        if (result) break;
        frame->size = padici_load32(bytes);
        frame->rows = padici_load32(bytes + 4);
        frame->checksum = padici_load64(bytes + 8);
        frame->payload = payload;
        ends = frame->size == PADICI_CODEC_END_MARK && begins;
        if (ends && across && length != PADIC_CODEC_UNKNOWN && length != u->rows + all)
            result = PADIC_ERROR_CHECKSUM; // blocks are missing
        if (ends) break;
        if (begins) {
            rows = frame->rows;
            result = across ? padici_codec_pull_row(u, length, all, rows) : PADIC_ERROR_CHECKSUM;
            if (result) break;
            all += rows;
        }
        if (frame->size > u->payload_room - PADICI_CODEC_FRAME_SIZE || frame->rows != rows)
            result = PADIC_ERROR_CHECKSUM;
        u->places += padici_checksum_word(at, u->frame++, PADICI_CODEC_SEED_INDEX + 1);
        if (!result) result = padici_codec_prefetch(u, payload, frame->size);
        if (!result && ++waiting == u->unpacking.workers)
            result = padici_codec_pull_blocks(u, &waiting);
    }
    if (waiting) {
        const padic_result before = padici_codec_pull_blocks(u, &waiting);
        if (before) result = before, ends = 0;
    }
    grid->shape[0] = length;
    rows = across ? (u->block - first) / across * grid->block[0] : 0;
    if (rows > all) rows = all;
    u->rows += rows;
    u->held = rows * u->row_bytes;
    if (!result && !ends) return PADIC_OK;
    if (u->row_bytes == 0 && length != PADIC_CODEC_UNKNOWN) u->rows = length;
    whole = length == u->rows || (length == PADIC_CODEC_UNKNOWN && !result);
    if (!result) result = padici_codec_pull_index(u, bytes);
    if (u->report && !whole && result != PADIC_ERROR_LIMIT && result != PADIC_ERROR_CALLBACK &&
        result != PADIC_ERROR_CANCELLED &&
        (result != PADIC_ERROR_CORRUPT || length != PADIC_CODEC_UNKNOWN))
        u->report->bad_block = u->block; // equals padici_codec_unpack_front() for a stream that
                                         // was truncated
    return result;
}

PADIC_API padic_result padic_codec_unpack_pull(padic_codec_unpacker *unpacker, padic_bytes *data)
{
    uint8_t *to = data ? (uint8_t *)data->data : NULL;
    uint64_t room, got = 0;
    if (data) data->size = 0;
    if (!unpacker || !data || (!to && data->capacity)) return PADIC_ERROR_ARGUMENT;
    room = data->capacity;
    // an empty request still reads up to the end, so that an empty array's index is read
    for (;;) {
        uint64_t part = unpacker->held - unpacker->given;
        if (part == 0) {
            if (unpacker->failed || unpacker->ended || (got == room && room)) break;
            unpacker->failed = padici_codec_pull_slab(unpacker);
            continue;
        }
        if (part > room - got) part = room - got;
        if (part == 0) break;
        memcpy(to + got, unpacker->slab + unpacker->given, (size_t)part);
        unpacker->given += part;
        got += part;
    }
    data->size = got;
    if (unpacker->failed && unpacker->held == unpacker->given)
        return padici_codec_fail(unpacker->context, "codec_unpack_pull", NULL, unpacker->failed);
    return PADIC_OK;
}

PADIC_API void padic_codec_unpack_end(padic_codec_unpacker *unpacker)
{
    if (unpacker) padici_free(unpacker->allocator, unpacker, unpacker->total);
}

#ifndef PADIC_NO_CODEC_PACK
// A small set packed with several settings: lockstep peers compare the bytes.
PADICI_FN PADICI_NOINLINE uint64_t padici_codec_self_hash(void)
{
    static const padic_dtype dtypes[4] = {PADIC_F32, PADIC_F64, PADIC_I16, PADIC_BF16};
    uint64_t hash = 0, values[64];
    uint8_t packed[1024];
    padic_codec_pack_desc desc;
    padic_codec_report report;
    size_t i;
    uint32_t k;
    for (k = 0; k < 8; k++) {
        for (i = 0; i < 64; i++) {
            // smooth and rough halves, in whole, tenth and binary steps
            const double x = (double)(int32_t)((i * i + 7 * i * (k + 1)) % 1009) - 300;
            const padic_dtype dtype = dtypes[k % 4];
            if (padici_codec_is_float(dtype))
                padici_codec_set_element(
                    (uint8_t *)values, i, padic_dtype_size(dtype),
                    padici_codec_rounded(dtype, k < 4 ? x / 10 : x * 0.375, 0));
            else
                padici_codec_set_element((uint8_t *)values, i, padic_dtype_size(dtype),
                                         (uint64_t)(int64_t)x);
        }
        padici_codec_swap_elements((uint8_t *)values, 64, padic_dtype_size(dtypes[k % 4]));
        memset(&desc, 0, sizeof desc);
        desc.tensor = padic_tensor_2d(dtypes[k % 4], values, 8, 8);
        desc.level = k + 2;
        desc.packed = padic_bytes_out(packed, sizeof packed);
        desc.report = &report;
        if (padic_codec_pack(NULL, &desc)) return 0;
        hash = padici_mix(hash ^ padici_checksum(packed, (size_t)report.packed_size, k));
    }
    return hash;
}
#endif

#endif
