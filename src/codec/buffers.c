#include "buffers.h"
#include "constants.h"
#include "transforms.h"
#include "grid.h"
#include "pack.h"
#include "pack_tolerance.h"
#include "pack_check.h"
#include "unpack.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"
#include "../context/cpu.h"
#include "../context/launch.h"
#include "../context/messages.h"
#include "../context/place.h"
#include "../context/pool.h"
#include "../context/state.h"
#include "../context/target.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing and unpacking in buffers

// 0: some block is not a run of elements, or there are none.
PADICI_FN int padici_codec_runs(const padici_codec_header *header, padici_codec_drive *d)
{
    const padici_codec_grid *grid = &header->grid;
    const padic_dtype dtype = padici_codec_scalar(grid->dtype);
    uint32_t k = grid->axes;
    memset(d, 0, sizeof *d);
    d->size = padic_dtype_size(dtype);
    d->kind = padici_codec_is_float(dtype) ? 2 : (uint32_t)padici_codec_is_signed(dtype);
    d->blocks = grid->total;
    d->header_size = header->size;
    d->length = grid->shape[0];
    d->inner = padici_codec_parts(grid->dtype);
    while (k > 0 && grid->block[k - 1] >= grid->shape[k - 1]) d->inner *= grid->shape[--k];
    d->per_row = k ? grid->blocks[k - 1] : 1;
    d->row = k ? d->inner * grid->shape[k - 1] : d->inner;
    d->step = k ? d->inner * grid->block[k - 1] : d->inner;
    d->rows = k == 1 ? 0 : k ? 1 : grid->shape[0];
    for (k = k ? k - 1 : 0; k-- > 0;)
        if (grid->block[k] != 1 && grid->shape[k] != 1) return 0;
    return grid->total > 0 && grid->total >> 31 == 0;
}

// A view without gaps that lies in a device's memory. NOT_SUPPORTED: it does not.
static padic_result padici_codec_place(padic_context *context, const char *field,
                                       const padic_tensor *t, padici_place *place, uint64_t *bytes)
{
    uint64_t count, before;
    int dense = 1;
    padic_result result = padici_field_place(context, field, t, place);
    if (!result) result = padici_tensor_check_shape(t, &count);
    if (result) return result;
    *bytes = count ? padici_tensor_span(t, &dense, &before) : 0;
    return place->host || !dense ? PADIC_ERROR_NOT_SUPPORTED : PADIC_OK;
}

// What a refusal lacks: no sentence was said since there were so many.
static padic_result padici_codec_say(padic_context *context, uint32_t said, const char *operation,
                                     const padici_codec_header *header, padic_result result)
{
    if (!result || result == PADIC_ERROR_NOT_SUPPORTED || context->said != said) return result;
    return padici_codec_fail(context, operation, header, result);
}

static padic_result padici_codec_pack_device(padic_context *context,
                                             const padic_codec_pack_desc *desc,
                                             const padic_tensor *packed)
{
    uint8_t bytes[PADICI_CODEC_HEADER_MOST];
    padici_codec_header header;
    padici_codec_drive d;
    padici_place array, to;
    uint64_t span, room;
    padic_result result = padici_codec_check(desc, PADICI_CODEC_CHECK_SIZES, &header);
    if (result) return padici_codec_fail(context, "codec_pack", &header, result);
    if (!desc->profile || !padici_codec_runs(&header, &d)) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_codec_place(context, "tensor.buffer", &desc->tensor, &array, &span);
    if (!result) result = padici_codec_place(context, "packed.buffer", packed, &to, &room);
    if (result) return result;
    if (padici_places_overlap(&array, span, &to, room))
        return padici_fail_field(context, PADIC_ERROR_OVERLAP, "packed",
                                 "shares memory with tensor");
    d.array = array;
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE && !(desc->range > 0)) {
        d.asked = 1;
        result = padici_drive(context, PADIC_KERNEL_CODEC_PACK, &d, 0);
        if (result) return result;
        d.asked = 0;
    }
    if (desc->tolerance_mode != PADIC_CODEC_TOLERANCE_NONE) {
        header.error_bound = padici_codec_scalar_tolerance(
            desc, desc->range > 0 ? desc->range : padici_codec_difference_down(d.high, d.low));
        d.bounded = padici_codec_scales_of(header.error_bound, d.size, &d.scales);
        while (d.guess < 2 && d.size == 4 &&
               (d.high > padici_codec_value(PADIC_F32, d.scales.most[d.guess]) ||
                -d.low > padici_codec_value(PADIC_F32, d.scales.most[d.guess])))
            d.guess++;
    }
    padici_codec_put_header(bytes, &header);
    d.header = bytes;
    d.fetch = desc->profile == PADIC_CODEC_PROFILE_FETCH;
    d.coded = desc->profile == PADIC_CODEC_PROFILE_CODED;
    d.packed = to;
    d.room = room;
    d.proving = !(desc->flags & PADIC_CODEC_NO_PROOF);
    result = padici_drive(context, PADIC_KERNEL_CODEC_PACK, &d, 1);
    if (!result) result = padici_drive(context, PADIC_KERNEL_CODEC_PACK, &d, 0);
    // the stream is none: the host makes one, if it may
    if (!result && d.wrong)
        return context->strict ? PADIC_ERROR_SELF_TEST : PADIC_ERROR_NOT_SUPPORTED;
    if (desc->report) desc->report->packed_size = d.total; // 0 after an error
    if (!result && d.total > room)
        return padici_fail_field(context, PADIC_ERROR_CAPACITY, "packed",
                                 "is smaller than the stream: packed_size in the report tells");
    if (!result) padici_codec_report_blocks(context, &header, d.total, d.reencoded, desc->report);
    return result;
}

// Bytes of a place in a device's memory.
static padic_result padici_codec_read(padic_context *context, const padici_place *place,
                                      uint64_t at, void *to, uint64_t size)
{
    padici_place from = *place, here;
    from.at += at;
    here.mem.bits = (uint64_t)(uintptr_t)to;
    here.at = 0;
    here.host = 1;
    return padici_target_move(context, &context->targets[0], &here, &from, size);
}

// Header and index of a stream in a device's memory. The header mostly tells the index's length;
// then, if *unseen, that is all, else *unseen becomes 0.
static padic_result padici_codec_read_head(padic_context *context, const padici_place *from,
                                           uint64_t size, padici_codec_header *header,
                                           uint64_t *index, uint32_t *unseen, uint32_t *coded)
{
    uint8_t head[256], *bytes;
    uint64_t at = size < sizeof head ? size : sizeof head;
    uint32_t block;
    padic_result result = padici_codec_read(context, from, 0, head, at);
    if (!result) result = padici_codec_take_header(head, (size_t)at, header);
    if (result) return result;
    if (size < header->size + PADICI_CODEC_INDEX_FIXED) return PADIC_ERROR_CORRUPT;
    *coded = header->size + 20u < at && head[header->size + 20] == PADICI_CODEC_REPRESENT_BUCKETS;
    at = header->grid.total * header->layers; // if there are not so many, it is read again
    *index =
        size - PADICI_CODEC_INDEX_FIXED - (at > (size - PADICI_CODEC_INDEX_FIXED) / 8 ? 0 : 8 * at);
    *unseen &= !(header->flags & PADICI_CODEC_UNKNOWN_LENGTH) && at >> 16 == 0 &&
               *index >= header->size && size - *index == 8 * at + PADICI_CODEC_INDEX_FIXED;
    if (*unseen) return PADIC_OK;
    do {
        result = padici_pool_take(context, &context->pools[1], size - (at = *index), &block);
        if (result) return result;
        bytes = (uint8_t *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
        result = padici_codec_read(context, from, at, bytes, size - at);
        *index = result ? size : padici_load64(bytes + (size - at - 24));
        if (!result && (memcmp(bytes + (size - at - 8), "PADC-END", 8) != 0 ||
                        *index < header->size || *index > size - PADICI_CODEC_INDEX_FIXED))
            result = PADIC_ERROR_CORRUPT;
        else if (!result && *index >= at)
            result = padici_codec_index_check(bytes + (*index - at), size - *index, header);
        padici_pool_give(context, &context->pools[1], block);
    } while (!result && *index < at);
    return result;
}

// What the host says of a stream that the device of a strict context does not take: its code, and
// its bad block. NOT_SUPPORTED: the host would take it. Nothing is unpacked.
static padic_result padici_codec_verdict(padic_context *context,
                                         const padic_codec_unpack_desc *desc,
                                         const padici_place *from, uint64_t size)
{
    padic_codec_unpack_desc plain = *desc;
    padici_codec_unpacking region;
    uint64_t bad = UINT64_MAX;
    uint32_t block;
    uint8_t *bytes;
    padic_result result = padici_pool_take(context, &context->pools[1], size + 8, &block);
    if (result) return result;
    bytes = (uint8_t *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    memset(&region, 0, sizeof region);
    plain.tensor.data = &plain; // not read
    plain.packed = padic_bytes_in(bytes, size);
    result = padici_codec_read(context, from, 0, bytes, size);
    if (!result) {
        result = padici_codec_take_header(bytes, (size_t)size, &region.header);
        if (!result && !(region.header.flags & PADICI_CODEC_UNKNOWN_LENGTH))
            result = padici_codec_unpack_region(&region, &plain, 0);
        if (!result)
            result =
                padici_codec_unpack_all(context, &region, &plain, 1, &bad);
        if (result)
            padici_codec_fail(context, "codec_unpack", &region.header, result);
        else
            result = PADIC_ERROR_NOT_SUPPORTED;
    }
    padici_pool_give(context, &context->pools[1], block);
    if (desc->report) desc->report->bad_block = bad;
    return result;
}

// *unseen: the index is the driver's to look at; 1 afterwards: it is not what was expected.
static padic_result padici_codec_unpack_seen(padic_context *context,
                                             const padic_codec_unpack_desc *desc,
                                             const padici_place *array, const padici_place *from,
                                             uint64_t size, uint32_t *unseen)
{
    padici_codec_header header;
    padici_codec_unpacking region;
    padici_codec_drive d;
    uint64_t index;
    padic_codec_unpack_desc plain = *desc;
    uint32_t k, coded = 0;
    padic_result result =
        padici_codec_read_head(context, from, size, &header, &index, unseen, &coded);
    if (result)
        return context->strict ? padici_codec_verdict(context, desc, from, size)
                               : PADIC_ERROR_NOT_SUPPORTED;
    memset(&region, 0, sizeof region);
    region.header = header;
    plain.tensor.data = &plain; // not read
    result = padici_codec_unpack_region(&region, &plain, 0);
    if (result) return padici_codec_fail(context, "codec_unpack", &region.header, result);
    for (k = 0; k < header.grid.axes && !result; k++)
        if (region.count[k] != header.grid.shape[k]) result = PADIC_ERROR_NOT_SUPPORTED;
    if (!result && (desc->tensor.dtype != header.grid.dtype || header.layers > 1 ||
                    !padici_codec_runs(&header, &d)))
        result = PADIC_ERROR_NOT_SUPPORTED;
    if (result) return result;
    d.array = *array;
    d.packed = *from;
    d.room = index;
    d.unseen = *unseen;
    d.mostly = coded;
    d.bounded = header.tolerance_mode != PADIC_CODEC_TOLERANCE_NONE && d.size >= 4 && d.kind == 2;
    result = padici_drive(context, PADIC_KERNEL_CODEC_UNPACK, &d, 1);
    if (!result) result = padici_drive(context, PADIC_KERNEL_CODEC_UNPACK, &d, 0);
    *unseen = d.unseen;
    if (result || d.unseen || d.bad == UINT64_MAX) return result;
    return context->strict ? padici_codec_verdict(context, desc, from, size)
                           : PADIC_ERROR_NOT_SUPPORTED;
}

// What the host can say better, an error too, is NOT_SUPPORTED, so that it is asked; of a strict
// context it tells only which error it is.
static padic_result padici_codec_unpack_device(padic_context *context,
                                               const padic_codec_unpack_desc *desc,
                                               const padic_tensor *packed)
{
    padici_place array, from;
    uint64_t span, size;
    uint32_t unseen = 1;
    padic_result result =
        padici_codec_place(context, "tensor.buffer", &desc->tensor, &array, &span);
    if (!result) result = padici_codec_place(context, "packed.buffer", packed, &from, &size);
    if (result) return result;
    if (padici_places_overlap(&array, span, &from, size))
        return padici_fail_field(context, PADIC_ERROR_OVERLAP, "tensor",
                                 "shares memory with packed");
    if (desc->report) desc->report->bad_block = UINT64_MAX;
    result = padici_codec_unpack_seen(context, desc, &array, &from, size, &unseen);
    if (!result && unseen) {
        unseen = 0;
        result = padici_codec_unpack_seen(context, desc, &array, &from, size, &unseen);
    }
    return result;
}

// A copy in host memory of what lies in a device's.
typedef struct padici_codec_staged {
    padici_place home, now;
    uint64_t bytes;
    uint32_t block, moved;
} padici_codec_staged;

static int padici_codec_in_buffer(const padic_tensor *t)
{
    return !t->data && t->buffer.id;
}

// The view gets host memory: a buffer's own, or a copy.
static padic_result padici_codec_stage_in(padic_context *context, const char *field,
                                          padic_tensor *t, padici_codec_staged *staged)
{
    uint64_t count, before;
    int dense;
    padic_result result;
    if (!padici_codec_in_buffer(t)) return PADIC_OK;
    result = padici_field_place(context, field, t, &staged->home);
    if (!result) result = padici_tensor_check_shape(t, &count);
    if (result) return result;
    staged->now = staged->home;
    if (!staged->home.host) {
        staged->bytes = count ? padici_tensor_span(t, &dense, &before) : 0;
        if (context->strict && count)
            return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, field,
                                     "is not for the device to do here, and this context is "
                                     "strict: do it in host memory");
        result =
            padici_pool_take(context, &context->pools[1], staged->bytes + 8, &staged->block);
        if (result) return result;
        staged->moved = 1;
        staged->now.mem = context->pools[1].blocks[staged->block].mem;
        staged->now.at = 0;
        staged->now.host = 1;
        context->stats.kernels.staged_bytes += staged->bytes;
        result = padici_target_move(context, &context->targets[0], &staged->now, &staged->home,
                                    staged->bytes);
    }
    t->data = padici_mem_at(staged->now.mem, staged->now.at);
    t->buffer.id = 0;
    t->offset = 0;
    return result;
}

// The first `bytes` go home.
static PADICI_NOINLINE padic_result padici_codec_stage_out(padic_context *context,
                                                           padici_codec_staged *staged,
                                                           uint64_t bytes, padic_result result)
{
    padic_result moved = PADIC_OK;
    if (!staged->moved) return result;
    if (bytes > staged->bytes) bytes = staged->bytes;
    context->stats.kernels.staged_bytes += bytes;
    if (bytes)
        moved = padici_target_move(context, &context->targets[0], &staged->home, &staged->now,
                                   bytes);
    padici_pool_give(context, &context->pools[1], staged->block);
    staged->moved = 0;
    if (!result && !moved && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "codec: a call on buffers was done on the host (said once)");
    return result ? result : moved;
}

// Whether the host has to do a call that a device was asked to do.
static int padici_codec_goes_on(padic_context *context, padic_result result)
{
    if (!result) context->stats.kernels.calls++;
    return result == PADIC_ERROR_NOT_SUPPORTED;
}

static padic_tensor padici_codec_bytes_view(const padic_bytes *bytes, uint64_t size)
{
    padic_tensor t = padic_tensor_1d(PADIC_U8, bytes->data, size);
    if (!bytes->data) t.buffer = bytes->buffer, t.offset = bytes->offset;
    return t;
}

static padic_result padici_codec_no_desc(padic_context *context, const char *operation)
{
    padici_codec_header header;
    memset(&header, 0, sizeof header);
    header.fault = "desc is NULL: give one";
    return padici_codec_fail(context, operation, &header, PADIC_ERROR_ARGUMENT);
}

static PADICI_NOINLINE padic_result padici_codec_pack_buffers(padic_context *context,
                                                              const padic_codec_pack_desc *desc)
{
    padici_codec_staged array, to, reference, importance;
    padic_codec_report own;
    padic_codec_pack_desc copy = *desc;
    padic_tensor packed = padici_codec_bytes_view(&desc->packed, desc->packed.capacity);
    padic_result result;
    if (padici_codec_in_buffer(&desc->tensor) && padici_codec_in_buffer(&packed)) {
        const uint32_t said = context->said;
        result = padici_codec_pack_device(context, desc, &packed);
        if (!padici_codec_goes_on(context, result))
            return padici_codec_say(context, said, "codec_pack", NULL, result);
    }
    memset(&array, 0, sizeof array);
    to = reference = importance = array;
    result = padici_codec_stage_in(context, "tensor.buffer", &copy.tensor, &array);
    if (!result)
        result = padici_codec_stage_in(context, "reference.buffer", &copy.reference, &reference);
    if (!result)
        result =
            padici_codec_stage_in(context, "importance.buffer", &copy.importance, &importance);
    if (!result) result = padici_codec_stage_in(context, "packed.buffer", &packed, &to);
    copy.packed.data = packed.data;
    if (!copy.report) copy.report = &own;
    if (!result) result = padici_codec_pack_host(context, &copy);
    result = padici_codec_stage_out(context, &to, result ? 0 : copy.report->packed_size, result);
    result = padici_codec_stage_out(context, &importance, 0, result);
    result = padici_codec_stage_out(context, &reference, 0, result);
    return padici_codec_stage_out(context, &array, 0, result);
}

PADIC_API padic_result padic_codec_pack(padic_context *context, const padic_codec_pack_desc *desc)
{
    const char *before;
    padic_result result;
    if (!desc) return padici_codec_no_desc(context, "codec_pack");
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    if (!context || !(padici_codec_in_buffer(&desc->tensor) ||
                      padici_codec_in_buffer(&desc->reference) ||
                      padici_codec_in_buffer(&desc->importance) ||
                      (!desc->packed.data && desc->packed.buffer.id)))
        return padici_codec_pack_host(context, desc);
    before = padici_enter(context, "codec_pack");
    result = padici_codec_pack_buffers(context, desc);
    padici_leave(context, before);
    return result;
}

// Unpacks, or (`verify`) checks blocks alone.
static PADICI_NOINLINE padic_result padici_codec_unpack_buffers(
    padic_context *context, const padic_codec_unpack_desc *desc, int verify)
{
    padici_codec_staged array, from, reference;
    padic_codec_unpack_desc copy = *desc;
    padic_tensor packed = padici_codec_bytes_view(&desc->packed, desc->packed.size);
    padic_result result;
    if (!verify && padici_codec_in_buffer(&desc->tensor) && padici_codec_in_buffer(&packed)) {
        const uint32_t said = context->said;
        result = padici_codec_unpack_device(context, desc, &packed);
        if (!padici_codec_goes_on(context, result))
            return padici_codec_say(context, said, "codec_unpack", NULL, result);
    }
    memset(&array, 0, sizeof array);
    from = reference = array;
    result = padici_codec_stage_in(context, "tensor.buffer", &copy.tensor, &array);
    if (!result)
        result = padici_codec_stage_in(context, "reference.buffer", &copy.reference, &reference);
    if (!result) result = padici_codec_stage_in(context, "packed.buffer", &packed, &from);
    copy.packed.data = packed.data;
    if (!result) result = padici_codec_unpack_host(context, &copy, verify);
    result = padici_codec_stage_out(context, &from, 0, result);
    result = padici_codec_stage_out(context, &reference, 0, result);
    return padici_codec_stage_out(context, &array, UINT64_MAX, result); // all but damaged blocks
}

static padic_result padici_codec_unpack_any(padic_context *context, const char *operation,
                                            const padic_codec_unpack_desc *desc, int verify)
{
    const char *before;
    padic_result result;
    if (desc->report) desc->report->bad_block = UINT64_MAX;
    if (!context || !(padici_codec_in_buffer(&desc->tensor) ||
                      padici_codec_in_buffer(&desc->reference) ||
                      (!desc->packed.data && desc->packed.buffer.id)))
        return padici_codec_unpack_host(context, desc, verify);
    before = padici_enter(context, operation);
    result = padici_codec_unpack_buffers(context, desc, verify);
    padici_leave(context, before);
    return result;
}

PADIC_API padic_result padic_codec_unpack(padic_context *context,
                                          const padic_codec_unpack_desc *desc)
{
    if (!desc) return padici_codec_no_desc(context, "codec_unpack");
    return padici_codec_unpack_any(context, "codec_unpack", desc, 0);
}

PADIC_API padic_result padic_codec_verify(padic_context *context,
                                          const padic_codec_verify_desc *desc)
{
    padic_codec_unpack_desc all;
    if (!desc) return padici_codec_no_desc(context, "codec_verify");
    memset(&all, 0, sizeof all);
    all.packed = desc->packed;
    all.reference = desc->reference;
    all.layers = desc->layers;
    all.memory_limit = desc->memory_limit;
    all.output_limit = desc->output_limit;
    all.workspace = desc->workspace;
    all.allocator = desc->allocator;
    all.progress = desc->progress;
    all.report = desc->report;
    return padici_codec_unpack_any(context, "codec_verify", &all, 1);
}

PADIC_API padic_result padic_codec_info(padic_context *context, const padic_codec_info_desc *desc)
{
    padici_codec_staged from;
    padic_bytes bytes;
    padic_tensor packed;
    const char *before;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!desc) return padici_codec_no_desc(context, "codec_info");
    memset(&from, 0, sizeof from);
    before = padici_enter(context, "codec_info");
    packed = padici_codec_bytes_view(&desc->packed, desc->packed.size);
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    if (!desc->report)
        padici_fail_here(context, result, "report is NULL: give a place for what is found");
    else if (!packed.data && !(context && packed.buffer.id))
        padici_fail_here(context, result,
                         "packed has neither data nor a buffer: give the stream");
    else
        result = padici_codec_stage_in(context, "packed.buffer", &packed, &from);
    if (!result && packed.data) {
        bytes = padic_bytes_in(packed.data, desc->packed.size);
        result = padici_codec_info_host(&bytes, desc->report);
        if (result) padici_fail_here(context, result, padic_result_text(result));
    }
    result = padici_codec_stage_out(context, &from, 0, result);
    padici_leave(context, before);
    return result;
}

// ---- memory of the library's own

PADIC_API padic_result padic_codec_pack_new(padic_context *context,
                                            const padic_codec_pack_desc *desc, padic_bytes *packed)
{
    padic_codec_pack_desc all;
    padic_codec_report own;
    const padic_allocator *allocator;
    void *room, *data;
    uint64_t most, size;
    padic_result result;
    if (packed) memset(packed, 0, sizeof *packed);
    if (!desc || !packed) return padici_codec_no_desc(context, "codec_pack_new");
    allocator = padici_allocator(context);
    most = padic_codec_size_bound(desc);
    room = most ? padici_alloc(allocator, (size_t)most, 64) : NULL;
    if (most && !room)
        return padici_codec_fail(context, "codec_pack_new", NULL, PADIC_ERROR_MEMORY);
    all = *desc;
    all.packed = padic_bytes_out(room, most);
    if (!all.report) all.report = &own;
    result = padic_codec_pack(context, &all);
    size = result ? 0 : all.report->packed_size;
    data = size ? padici_alloc(allocator, (size_t)size, 64) : NULL;
    if (data) memcpy(data, room, (size_t)size);
    if (most) padici_free(allocator, room, (size_t)most);
    if (result) return result;
    if (!data) return padici_codec_fail(context, "codec_pack_new", NULL, PADIC_ERROR_MEMORY);
    *packed = padic_bytes_out(data, size);
    packed->size = size;
    return PADIC_OK;
}

PADIC_API padic_result padic_codec_unpack_new(padic_context *context,
                                              const padic_codec_unpack_desc *desc,
                                              padic_tensor *tensor)
{
    padic_codec_unpack_desc all;
    padici_codec_header header;
    const padic_allocator *allocator;
    uint64_t bytes;
    void *data;
    padic_result result;
    if (tensor) memset(tensor, 0, sizeof *tensor);
    if (!desc || !tensor) return padici_codec_no_desc(context, "codec_unpack_new");
    memset(&header, 0, sizeof header);
    if (!desc->packed.data)
        result = padici_codec_reject(&header, PADIC_ERROR_ARGUMENT,
                                     "packed has no data: give the stream in host memory");
    else
        result = padici_codec_take_header((const uint8_t *)desc->packed.data,
                                          (size_t)desc->packed.size, &header);
    if (!result && (header.flags & PADICI_CODEC_UNKNOWN_LENGTH)) { // the index has it
        const uint8_t *offsets;
        result = padici_codec_take_index((const uint8_t *)desc->packed.data,
                                         (size_t)desc->packed.size, &header, &offsets);
    }
    if (result) return padici_codec_fail(context, "codec_unpack_new", &header, result);
    all = *desc;
    memset(all.begin, 0, sizeof all.begin);
    memset(all.count, 0, sizeof all.count);
    all.tensor = padic_tensor_nd(header.grid.dtype, NULL, header.grid.rank, header.grid.shape);
    bytes = padic_tensor_count(&all.tensor) * header.grid.element;
    if (bytes > SIZE_MAX / 2 || (desc->output_limit && bytes > desc->output_limit)) {
        header.fault = "output_limit is below the array's ";
        header.need = bytes;
        return padici_codec_fail(context, "codec_unpack_new", &header, PADIC_ERROR_LIMIT);
    }
    allocator = padici_allocator(context);
    data = padici_alloc(allocator, bytes ? (size_t)bytes : 1, 64);
    if (!data) return padici_codec_fail(context, "codec_unpack_new", NULL, PADIC_ERROR_MEMORY);
    all.tensor.data = data;
    result = padic_codec_unpack(context, &all);
    if (result) padici_free(allocator, data, bytes ? (size_t)bytes : 1);
    else *tensor = all.tensor;
    return result;
}

PADIC_API void padic_codec_free_packed(padic_context *context, padic_bytes *packed)
{
    if (!packed || !packed->data) return;
    padici_free(padici_allocator(context), packed->data,
                (size_t)packed->capacity);
    memset(packed, 0, sizeof *packed);
}

PADIC_API void padic_codec_free_tensor(padic_context *context, padic_tensor *tensor)
{
    uint64_t bytes;
    if (!tensor || !tensor->data) return;
    bytes = padic_tensor_count(tensor) * padic_dtype_size(tensor->dtype);
    padici_free(padici_allocator(context), tensor->data,
                bytes ? (size_t)bytes : 1);
    memset(tensor, 0, sizeof *tensor);
}

#endif
