#include "unpack.h"
#include "../context/state.h"
#include "../core/view.h"
#include "../core/words.h"
#include "block_decode.h"
#include "bytes.h"
#include "choose_transform.h"
#include "constants.h"
#include "differences.h"
#include "pack.h"
#include "repeats.h"
#include "work.h"

#if PADICI_IMPLEMENT_CODEC

// ---- unpacking

// Copies the part of a decoded block (in w->raw) that lies in the box to its place in the
// destination.
static void padici_codec_store_block(const padici_codec_unpacking *unpacking, padici_codec_work *w,
                                     const padici_codec_box *box, const uint64_t *begin,
                                     const uint64_t *extent)
{
    const padici_codec_grid *grid = &unpacking->header.grid;
    const padic_tensor *tensor = unpacking->tensor;
    const uint8_t *from = w->raw;
    uint8_t *to = (uint8_t *)tensor->data;
    uint64_t count[PADIC_MAX_RANK];
    int64_t dense[PADIC_MAX_RANK];
    uint32_t k;
    padici_codec_swap_elements(w->raw, box->n, box->size);
    padici_codec_dense_strides(extent, grid->axes, dense);
    for (k = 0; k < grid->axes; k++) {
        const uint64_t first = begin[k] > unpacking->begin[k] ? begin[k] : unpacking->begin[k];
        const uint64_t end = begin[k] + extent[k] < unpacking->begin[k] + unpacking->count[k]
                                 ? begin[k] + extent[k]
                                 : unpacking->begin[k] + unpacking->count[k];
        count[k] = end - first;
        from += (int64_t)(first - begin[k]) * dense[k] * (int64_t)grid->element;
        to += (int64_t)(first - unpacking->begin[k]) * unpacking->stride[k] *
              (int64_t)padic_dtype_size(tensor->dtype);
    }
    padici_codec_copy_box(to, unpacking->stride, tensor->dtype, from, dense, grid->dtype, count,
                          grid->axes, unpacking->loops.copy, unpacking->bytes);
}

// `frame` has one frame for each decoded layer.
PADICI_FN int padici_codec_unpack_block(const padici_codec_unpacking *unpacking,
                                        padici_codec_work *w, uint64_t index,
                                        const padici_codec_frame *frame, int use)
{
    const padici_codec_grid *grid = &unpacking->header.grid;
    const uint32_t slot = (uint32_t)(index % grid->span);
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    uint8_t *const own = w->raw;
    padici_codec_box box;
    uint32_t layer;
    padici_codec_grid_block(grid, index, begin, extent, &box);
    padici_codec_load_reference(w, &unpacking->reference, grid, index);
    w->mismatch = 0;
    for (layer = 0; layer < unpacking->layers; layer++) {
        if (layer) padici_codec_next_layer(w, &box, index);
        if (frame[layer].rows == extent[0] &&
            padici_codec_decode_block(grid, w, &box, index, frame + layer, unpacking->layers == 1))
            continue;
        w->raw = own;
        return 0;
    }
    if (use & PADICI_CODEC_BLOCK_KEEP) { // others refer back to it; its offset is known
        memcpy(w->window + w->starts[slot] * box.size, w->raw, box.n * box.size);
        w->starts[slot + 1] = w->starts[slot] + box.n;
        w->held |= UINT64_C(1) << slot;
    }
    if (unpacking->tensor && (use & PADICI_CODEC_BLOCK_STORE))
        padici_codec_store_block(unpacking, w, &box, begin, extent);
    w->raw = own;
    return 1;
}

// The frames of a block, one per layer. 0: one is missing.
static int padici_codec_find_frames(const padici_codec_unpacking *unpacking, uint64_t index,
                                    padici_codec_frame *frame)
{
    uint32_t k;
    for (k = 0; k < unpacking->layers; k++) {
        const uint64_t number = index + k * unpacking->header.grid.total;
        if (!padici_codec_frame_of(unpacking->src, unpacking->size, &unpacking->header,
                                   unpacking->offsets, number, frame + k))
            return 0;
    }
    return 1;
}

// Block number j of those that intersect the box.
static uint64_t padici_codec_touched_block(const padici_codec_unpacking *unpacking, uint64_t j)
{
    const padici_codec_grid *grid = &unpacking->header.grid;
    uint64_t place[PADIC_MAX_RANK], index = 0;
    uint32_t k;
    for (k = grid->axes; k-- > 0;) {
        place[k] = unpacking->from[k] + j % unpacking->blocks[k];
        j /= unpacking->blocks[k];
    }
    for (k = 0; k < grid->axes; k++) index = index * grid->blocks[k] + place[k];
    return index;
}

// Block number j of those that intersect the box, together with all blocks of its super-block that
// are linked by references. The first of them that intersects the box decodes them.
static PADICI_NOINLINE void padici_codec_unpack_group(padici_codec_unpacking *unpacking,
                                                      uint32_t task, uint64_t j)
{
    const padici_codec_grid *grid = &unpacking->header.grid;
    const uint64_t super = padici_codec_touched_block(unpacking, j) / grid->span;
    const uint32_t slot = (uint32_t)(padici_codec_touched_block(unpacking, j) % grid->span);
    padici_codec_work *w = unpacking->work + task;
    uint64_t wanted = 0, need, keep = 0, first = 0; // `first`: bits where a group begins
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    uint32_t lowest = PADICI_CODEC_WINDOW_MOST, k, r;
    padici_codec_frame frame[PADICI_CODEC_MAX_LAYERS];
    int found;
    while (j > 0 && padici_codec_touched_block(unpacking, j - 1) / grid->span == super) j--;
    for (; j < unpacking->total && padici_codec_touched_block(unpacking, j) / grid->span == super;
         j++)
        wanted |= UINT64_C(1) << padici_codec_touched_block(unpacking, j) % grid->span;
    need = wanted;
    for (k = grid->span; k-- > 0;) {
        if (!(need >> k & 1)) continue;
        if (grid->span > 1 && padici_codec_find_frames(unpacking, super * grid->span + k, frame)) {
            const uint32_t reach = padici_codec_reach(frame->payload, frame->size);
            for (r = 1; r <= reach && r <= k; r++) keep |= UINT64_C(1) << (k - r);
            need |= keep;
            if (reach && k - padici_codec_least(reach, k) < lowest)
                lowest = k - (uint32_t)padici_codec_least(reach, k);
        }
        if (lowest >= k) first |= UINT64_C(1) << k;
    }
    for (r = slot; !(first >> r & 1); r--)
        if (wanted >> (r - 1) & 1) return;
    padici_codec_window_enter(w, super);
    for (k = 0; k < grid->span && (k <= r || !(first >> k & 1)); k++) {
        const uint64_t index = super * grid->span + k;
        const int use = (int)(wanted >> k & 1) * PADICI_CODEC_BLOCK_STORE +
                        (int)(keep >> k & 1) * PADICI_CODEC_BLOCK_KEEP;
        padici_codec_box box;
        if (keep && index < grid->total) {
            padici_codec_grid_block(grid, index, begin, extent, &box);
            w->starts[k + 1] = w->starts[k] + box.n;
        }
        if (!(need >> k & 1) || k < r) continue;
        found = padici_codec_find_frames(unpacking, index, frame);
        if ((!found || !padici_codec_unpack_block(unpacking, w, index, frame, use)) &&
            (wanted >> k & 1) && index < unpacking->bad[task]) {
            unpacking->bad[task] = index;
            w->refused = found && w->mismatch;
        }
    }
}

// Takes the next group of blocks.
static uint64_t padici_codec_unpack_claim(padici_codec_unpacking *unpacking)
{
    uint64_t j;
    if (unpacking->workers < 2) return unpacking->claims++;
    padici_lock(&unpacking->lock, PADICI_LOCK);
    j = unpacking->claims++;
    padici_lock(&unpacking->lock, PADICI_UNLOCK);
    return j;
}

static void padici_codec_unpack_task(void *arg, uint32_t task)
{
    padici_codec_unpacking *unpacking = (padici_codec_unpacking *)arg;
    uint64_t j = 0;
    unpacking->bad[task] = UINT64_MAX;
    while (j < unpacking->total) {
        j = padici_codec_unpack_claim(unpacking);
        if (j >= unpacking->total) return;
        padici_codec_unpack_group(unpacking, task, j);
        if (padici_steps_more(&unpacking->steps, 1)) return;
    }
}

// The error code of the first damaged block, which may have needed another reference.
PADICI_FN padic_result padici_codec_unpack_refusal(const padici_codec_unpacking *unpacking,
                                                   int mismatch)
{
    return mismatch && unpacking->reference.data ? PADIC_ERROR_MISMATCH : PADIC_ERROR_CHECKSUM;
}

// 1 if a frame that does not fit into the stream is damaged: its head does not match a block of
// this grid.
static int padici_codec_not_cut(const padici_codec_unpacking *unpacking, uint64_t at,
                                uint64_t index)
{
    const padici_codec_grid *grid = &unpacking->header.grid;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    padici_codec_box box;
    if (unpacking->size - at < PADICI_CODEC_FRAME_SIZE) return 0;
    padici_codec_grid_block(grid, index, begin, extent, &box);
    return padici_load32(unpacking->src + at) >
               padici_codec_slot_size(grid) - PADICI_CODEC_FRAME_SIZE ||
           padici_load32(unpacking->src + at + 4) != extent[0];
}

// A stream without its index: the blocks from the front, as far as they are complete. Each layer is
// scanned by itself, after the previous ones. A damaged block before the end is reported by its
// code, as by a reader from the front.
static uint64_t padici_codec_unpack_front(padici_codec_unpacking *unpacking, padic_result *result)
{
    const padici_codec_grid *grid = &unpacking->header.grid;
    uint64_t at[PADICI_CODEC_MAX_LAYERS], index = 0, bad = UINT64_MAX;
    padici_codec_frame frame[PADICI_CODEC_MAX_LAYERS];
    uint32_t k, layer;
    for (layer = 0; layer < unpacking->layers; layer++) {
        at[layer] = layer ? at[layer - 1] : unpacking->header.size;
        for (index = 0; layer && index < grid->total; index++) {
            if (!padici_codec_take_frame(unpacking->src, unpacking->size, at[layer], frame))
                return 0;
            at[layer] += PADICI_CODEC_FRAME_SIZE + frame->size;
        }
    }
    for (index = 0; index < grid->total; index++) {
        uint64_t remainder = index;
        int touched = 1;
        for (layer = 0; layer < unpacking->layers && touched; layer++) {
            touched =
                padici_codec_take_frame(unpacking->src, unpacking->size, at[layer], frame + layer);
            if (touched)
                at[layer] += PADICI_CODEC_FRAME_SIZE + frame[layer].size;
            else if (bad == UINT64_MAX && padici_codec_not_cut(unpacking, at[layer], index))
                *result = PADIC_ERROR_CHECKSUM;
        }
        if (!touched) break;
        for (k = grid->axes; k-- > 0;) {
            const uint64_t place = k ? remainder % grid->blocks[k] : remainder;
            if (k) remainder /= grid->blocks[k];
            touched &= place >= unpacking->from[k] &&
                       place - unpacking->from[k] < unpacking->blocks[k];
        }
        padici_codec_window_enter(unpacking->work, index / grid->span);
        if ((touched || grid->span > 1) &&
            !padici_codec_unpack_block(unpacking, unpacking->work, index, frame,
                                       (touched ? PADICI_CODEC_BLOCK_STORE : 0) |
                                           (grid->span > 1 ? PADICI_CODEC_BLOCK_KEEP : 0)) &&
            touched && bad == UINT64_MAX) {
            bad = index;
            *result = padici_codec_unpack_refusal(unpacking, unpacking->work->mismatch);
        }
        if (padici_steps_more(&unpacking->steps, (uint64_t)touched)) return bad;
    }
    return bad == UINT64_MAX && index < grid->total ? index : bad;
}

static int padici_codec_may_widen(padic_dtype from, padic_dtype to)
{
    return from == to || (to == PADIC_F64 && (from == PADIC_F32 || from == PADIC_F16 ||
                                              from == PADIC_BF16)) ||
           (to == PADIC_F32 && (from == PADIC_F16 || from == PADIC_BF16));
}

// The reference, if the stream needs one, and the layers.
PADICI_FN padic_result padici_codec_unpack_side(padici_codec_unpacking *unpacking,
                                                const padic_codec_unpack_desc *desc)
{
    padici_codec_header *header = &unpacking->header;
    padic_result result;
    unpacking->layers = header->layers;
    if (desc->layers && desc->layers < header->layers) unpacking->layers = desc->layers;
    if (!(header->features & PADICI_CODEC_FEATURE_REFERENCE)) return PADIC_OK;
    header->fault = "reference is not the array that the packer had: give that one";
    if (!desc->reference.data) return PADIC_ERROR_MISMATCH;
    padici_codec_take_side(&desc->reference, &unpacking->reference);
    result = padici_codec_side_fits(&desc->reference, header->grid.dtype, &header->grid,
                                    header->grid.shape);
    if (!result) header->fault = NULL;
    return result;
}

// Checks box and destination against the array, and finds the blocks that intersect the box.
PADICI_FN padic_result padici_codec_unpack_region(padici_codec_unpacking *unpacking,
                                                  const padic_codec_unpack_desc *desc, int verify)
{
    padici_codec_header *header = &unpacking->header;
    const padici_codec_grid *grid = &header->grid;
    const uint64_t most = desc->output_limit ? desc->output_limit : UINT64_MAX;
    uint64_t bytes = grid->element;
    int whole = 1;
    uint32_t k;
    for (k = 0; k < grid->rank && !verify; k++) whole &= desc->count[k] == 0 && desc->begin[k] == 0;
    unpacking->total = 1;
    for (k = 0; k < grid->axes; k++) {
        uint64_t last;
        unpacking->begin[k] = whole ? 0 : desc->begin[k];
        unpacking->count[k] = whole ? grid->shape[k] : desc->count[k];
        if (unpacking->begin[k] > grid->shape[k] ||
            unpacking->count[k] > grid->shape[k] - unpacking->begin[k])
            return padici_codec_reject(
                header, PADIC_ERROR_REGION,
                "begin and count reach outside the array: see padic_codec_info()");
        unpacking->from[k] = unpacking->begin[k] / grid->block[k];
        last = unpacking->begin[k] + unpacking->count[k];
        unpacking->blocks[k] =
            unpacking->count[k] ? (last - 1) / grid->block[k] + 1 - unpacking->from[k] : 0;
        unpacking->total *= unpacking->blocks[k];
        bytes *= unpacking->count[k];
    }
    if (bytes > most) {
        header->need = bytes;
        return padici_codec_reject(header, PADIC_ERROR_LIMIT, "output_limit is below the array's ");
    }
    if (!verify) {
        const padic_tensor *t = &desc->tensor;
        uint64_t count;
        const padic_result result = padici_tensor_check(t, &count);
        if (result) return padici_codec_reject(header, result, padici_codec_view_fault(t, result));
        if (t->rank != grid->rank || !padici_codec_may_widen(grid->dtype, t->dtype))
            return padici_codec_reject(
                header, PADIC_ERROR_MISMATCH,
                "tensor.dtype or rank is not the stream's: see padic_codec_info()");
        for (k = 0; k < grid->rank; k++)
            if (t->shape[k] != unpacking->count[k])
                return padici_codec_reject(header, PADIC_ERROR_MISMATCH,
                                           "tensor.shape is not that of the box, or of the array");
        padici_tensor_dense(t, unpacking->stride);
        if (t->rank == 0) unpacking->stride[0] = 1;
        unpacking->tensor = t;
        unpacking->bytes = count * padic_dtype_size(t->dtype);
    }
    return padici_codec_unpack_side(unpacking, desc);
}

PADICI_FN PADICI_NOINLINE uint64_t padici_codec_unpack_memory(const padici_codec_grid *grid,
                                                              uint32_t workers)
{
    const uint64_t each = padici_codec_work_layout(NULL, grid, 0, NULL);
    return workers * (each + ((sizeof(padici_codec_work) + 63) & ~(size_t)63) + 64);
}

PADICI_FN void padici_codec_unpack_place(padici_codec_unpacking *unpacking, uint8_t *at)
{
    const padici_codec_grid *grid = &unpacking->header.grid;
    uint32_t i;
    unpacking->work = (padici_codec_work *)(void *)at;
    at += unpacking->workers * ((sizeof(padici_codec_work) + 63) & ~(size_t)63);
    unpacking->bad = (uint64_t *)(void *)at;
    at += unpacking->workers * 64;
    for (i = 0; i < unpacking->workers; i++) {
        at += padici_codec_work_layout(unpacking->work + i, grid, 0, at);
        unpacking->work[i].loops = &unpacking->loops;
    }
}

PADICI_FN uint64_t padici_codec_unpack_limit(const padic_codec_unpack_desc *desc)
{
    return desc->memory_limit ? desc->memory_limit : PADIC_CODEC_MEMORY;
}

PADICI_FN padic_result padici_codec_unpack_all(padic_context *context, padici_codec_unpacking *all,
                                               const padic_codec_unpack_desc *desc, int verify,
                                               uint64_t *bad)
{
    padici_codec_memory memory;
    const padic_jobs *jobs = padici_jobs(context);
    const uint64_t room = padici_codec_workspace_size(&desc->workspace);
    const size_t size = (size_t)desc->packed.size;
    const uint64_t limit = padici_codec_unpack_limit(desc);
    uint64_t need;
    padic_result result, index, damage = PADIC_OK;
    uint32_t i;
    memset(&all->src, 0, sizeof *all - offsetof(padici_codec_unpacking, src));
    *bad = UINT64_MAX;
    if (!desc->packed.data) {
        memset(&all->header, 0, sizeof all->header);
        return padici_codec_reject(&all->header, PADIC_ERROR_ARGUMENT,
                                   "packed has neither data nor a buffer: give the stream");
    }
    all->src = (const uint8_t *)desc->packed.data;
    all->size = size;
    result = padici_codec_take_header(all->src, size, &all->header);
    if (result) return result;
    index = padici_codec_take_index(all->src, size, &all->header, &all->offsets);
    // without an index the length of a stream written with unknown length is missing
    if (index && (all->header.flags & PADICI_CODEC_UNKNOWN_LENGTH)) return index;
    result = padici_codec_unpack_region(all, desc, verify);
    if (result) return result;
    all->workers = index ? 1 : padici_codec_workers(jobs, all->total);
    need = padici_codec_unpack_memory(&all->header.grid, all->workers);
    while (all->workers > 1 && (need > room || need > limit))
        need = padici_codec_unpack_memory(&all->header.grid, --all->workers);
    if (need > limit) {
        all->header.need = need;
        return padici_codec_reject(&all->header, PADIC_ERROR_LIMIT,
                                   "memory_limit is below what a block needs, ");
    }
    result = padici_codec_memory_take(&memory, context, desc->allocator, &desc->workspace, need,
                                      &all->header);
    if (result) return result;
    padici_codec_pick(context, &all->loops);
    padici_codec_unpack_place(all, memory.at);
    padici_steps_begin(&all->steps, desc->progress, padici_progress(context),
                       all->total);
    if (index) {
        *bad = padici_codec_unpack_front(all, &index);
    } else {
        padici_parallel(jobs, all->workers, padici_codec_unpack_task, all);
        for (i = 0; i < all->workers; i++) {
            if (all->bad[i] >= *bad) continue;
            *bad = all->bad[i];
            damage = padici_codec_unpack_refusal(all, all->work[i].refused);
        }
    }
    padici_codec_memory_give(&memory);
    result = padici_steps_end(&all->steps);
    if (result) return result;
    // a prefix with all the requested layers suffices
    if (index && *bad == UINT64_MAX && all->layers < all->header.layers) return PADIC_OK;
    return index ? index : damage;
}

// The same for a desc whose arrays lie in host memory; `verify`: blocks are only checked.
PADICI_FN PADICI_NOINLINE padic_result padici_codec_unpack_in_memory(
    padic_context *context, const padic_codec_unpack_desc *desc, int verify)
{
    padici_codec_unpacking all;
    uint64_t bad;
    const padic_result result = padici_codec_unpack_all(context, &all, desc, verify, &bad);
    if (desc->report) desc->report->bad_block = bad;
    if (!result) return PADIC_OK;
    return padici_codec_fail(context, verify ? "codec_verify" : "codec_unpack", &all.header,
                             result);
}

PADICI_FN uint64_t padici_codec_payload_step(const padici_codec_grid *grid)
{
    return (padici_codec_slot_size(grid) + 127) & ~(uint64_t)63;
}

// Working memory of pulling, for this many workers and rows of blocks. UINT64_MAX: it cannot be
// allocated.
PADICI_FN uint64_t padici_codec_pull_memory(const padici_codec_grid *grid, uint32_t workers,
                                            uint64_t deep)
{
    const uint64_t rows = grid->shape[0] < grid->block[0] ? grid->shape[0] : grid->block[0];
    uint64_t slab = grid->element;
    uint32_t k;
    for (k = 1; k < grid->axes; k++) slab *= grid->shape[k];
    if (!padici_mul_u64(slab, rows, &slab) || !padici_mul_u64(slab, deep, &slab) || slab >> 63)
        return UINT64_MAX;
    return slab + ((sizeof(padic_codec_unpacker) + 63) & ~(size_t)63) + 64 +
           padici_codec_unpack_memory(grid, workers) +
           workers * (padici_codec_payload_step(grid) + 64);
}

PADICI_FN void padici_codec_fill_report(const padici_codec_header *header,
                                        padic_codec_report *report)
{
    const padici_codec_grid *grid = &header->grid;
    padici_codec_grid read = header->grid;
    uint64_t raw = grid->element;
    uint32_t k;
    memset(report, 0, sizeof *report);
    padici_codec_grid_fit(&read);
    report->dtype = grid->dtype;
    report->rank = grid->rank;
    for (k = 0; k < grid->rank; k++) {
        report->shape[k] = grid->shape[k];
        report->block[k] = grid->block[k];
        raw *= grid->shape[k];
    }
    report->level = header->level;
    report->wire_version = header->version;
    report->tolerance_mode = header->tolerance_mode;
    report->tolerance = header->tolerance;
    report->error_bound = header->error_bound;
    report->blocks = grid->total;
    report->raw_size = grid->shape[0] == PADIC_CODEC_UNKNOWN ? 0 : raw;
    report->workspace = padici_codec_unpack_memory(&read, 1);
    report->stream_workspace = padici_codec_pull_memory(&read, 1, 1);
    report->reference = (header->features & PADICI_CODEC_FEATURE_REFERENCE) != 0;
    report->layers = header->layers;
}

// Describes a stream in host memory.
PADICI_FN PADICI_NOINLINE padic_result padici_codec_info_in_memory(const padic_bytes *packed,
                                                              padic_codec_report *report)
{
    padici_codec_header header;
    padici_codec_histogram histogram;
    const uint8_t *p = (const uint8_t *)packed->data, *offsets;
    const size_t size = (size_t)packed->size;
    padic_result result;
    uint64_t b;
    uint32_t k;
    memset(&histogram, 0, sizeof histogram);
    result = padici_codec_take_header(p, size, &header);
    if (result) return result;
    result = padici_codec_take_index(p, size, &header, &offsets);
    if (result) return result;
    padici_codec_fill_report(&header, report);
    report->packed_size = size;
    for (k = 0; k < header.layers; k++) {
        const uint64_t next = (k + 1) * header.grid.total;
        report->layer_end[k] = k + 1 == header.layers || !header.grid.total
                                   ? size
                                   : padici_load64(offsets + 8 * (size_t)next);
    }
    for (b = 0; b < header.grid.total * header.layers; b++) {
        uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
        padici_codec_frame frame;
        padici_codec_box box;
        padici_codec_plan plan;
        padici_codec_grid_block(&header.grid, b % header.grid.total, begin, extent, &box);
        if (!padici_codec_frame_of(p, size, &header, offsets, b, &frame) ||
            frame.rows != extent[0] ||
            !padici_codec_take_block(NULL, &box, frame.payload, frame.size, &plan, &histogram))
            return PADIC_ERROR_CHECKSUM;
        report->transforms[plan.transform.kind]++;
        if (plan.transform.kind != PADICI_CODEC_TRANSFORM_RAW) {
            report->predictors[plan.predictor.kind]++;
            report->patterns[plan.pattern]++;
            if (plan.pattern != PADICI_CODEC_PATTERN_CONSTANT)
                report->representations[plan.representation]++;
        }
        histogram.bytes[PADICI_CODEC_KIND_HEADER] += PADICI_CODEC_FRAME_SIZE;
    }
    histogram.bytes[PADICI_CODEC_KIND_HEADER] += header.size;
    histogram.bytes[PADICI_CODEC_KIND_INDEX] =
        PADICI_CODEC_INDEX_FIXED + 8 * header.grid.total * header.layers;
    report->exceptions = histogram.exceptions;
    for (k = 0; k < 8; k++) report->streams[k] = histogram.coders[k];
    for (k = 0; k < PADIC_CODEC_STREAM_KINDS; k++) report->bytes[k] = histogram.bytes[k];
    return PADIC_OK;
}

#endif
