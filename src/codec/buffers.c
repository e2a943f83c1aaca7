#include "buffers.h"
#include "../context/messages.h"
#include "../context/run.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "constants.h"
#include "grid.h"
#include "header.h"
#include "pack.h"
#include "pack_check.h"
#include "transforms.h"
#include "unpack.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the public calls: tasks, whose arrays lie in host memory or in buffers

// 0: some block is not a run of elements, or there are no blocks.
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

static int padici_codec_in_buffer(const padic_tensor *t)
{
    return !t->data && t->buffer.id;
}

// Packed bytes as a view.
static padic_tensor padici_codec_bytes_view(const padic_bytes *bytes, uint64_t size)
{
    padic_tensor t = padic_tensor_1d(PADIC_U8, bytes->data, size);
    if (!bytes->data) t.buffer = bytes->buffer, t.offset = bytes->offset;
    return t;
}

typedef struct padici_codec_covered { // of the host's memory
    uintptr_t from;
    uint64_t size; // 0: none
} padici_codec_covered;

static padici_codec_covered padici_codec_covered_of(const void *data, uint64_t size)
{
    padici_codec_covered range;
    range.from = (uintptr_t)data;
    range.size = data && !(size >> 63) ? size : 0;
    return range;
}

// The range that a view covers; invalid views are refused elsewhere.
static padici_codec_covered padici_codec_covers(const padic_tensor *t)
{
    uint64_t count, before;
    int dense;
    if (!t->data || padici_tensor_check_view(t, 0, &count) || !count)
        return padici_codec_covered_of(NULL, 0);
    return padici_codec_covered_of(t->data, padici_tensor_span(t, &dense, &before));
}

static int padici_codec_overlap(padici_codec_covered a, padici_codec_covered b)
{
    return a.size && b.size &&
           (a.from < b.from ? b.from - a.from < a.size : a.from - b.from < b.size);
}

static padic_result padici_codec_request_fail(padic_context *context, const char *operation,
                                              padic_result result, const char *sentence)
{
    padici_codec_header header;
    memset(&header, 0, sizeof header);
    return padici_codec_fail(context, operation, &header,
                             padici_codec_reject(&header, result, sentence));
}

static padic_result padici_codec_no_desc(padic_context *context, const char *operation)
{
    return padici_codec_request_fail(context, operation, PADIC_ERROR_ARGUMENT,
                                     "desc is NULL: give one");
}

#ifndef PADIC_NO_CODEC_PACK
// Checks that outputs do not overlap inputs.
static padic_result padici_codec_pack_request_check(padici_view_task *view)
{
    const padici_codec_pack_request *task = (const padici_codec_pack_request *)(const void *)view;
    const padic_codec_pack_desc *desc = task->here;
    const padici_codec_covered packed =
        padici_codec_covered_of(desc->packed.data, desc->packed.capacity);
    if (padici_codec_overlap(packed, padici_codec_covers(&desc->tensor)) ||
        padici_codec_overlap(packed, padici_codec_covers(&desc->reference)) ||
        padici_codec_overlap(packed, padici_codec_covers(&desc->importance)))
        return padici_codec_request_fail(view->context, "codec_pack", PADIC_ERROR_OVERLAP,
                                         "packed shares memory with what is packed");
    return PADIC_OK;
}
#endif

static padic_result padici_codec_unpack_request_check(padici_view_task *view)
{
    const padici_codec_unpack_request *task =
        (const padici_codec_unpack_request *)(const void *)view;
    const padic_codec_unpack_desc *desc = task->here;
    padici_codec_covered out;
    if (!padici_allocator_whole(desc->allocator))
        return padici_codec_request_fail(view->context,
                                         task->verify ? "codec_verify" : "codec_unpack",
                                         PADIC_ERROR_ARGUMENT, PADICI_CODEC_HALF_ALLOCATOR);
    if (task->verify) return PADIC_OK;
    out = padici_codec_covers(&desc->tensor);
    if (padici_codec_overlap(out, padici_codec_covered_of(desc->packed.data, desc->packed.size)) ||
        padici_codec_overlap(out, padici_codec_covers(&desc->reference)))
        return padici_codec_request_fail(view->context, "codec_unpack", PADIC_ERROR_OVERLAP,
                                         "tensor shares memory with packed or the reference");
    return PADIC_OK;
}

#ifndef PADIC_NO_CODEC_PACK
static padic_result padici_codec_pack_request_host(padici_view_task *view)
{
    padici_codec_pack_request *task = (padici_codec_pack_request *)(void *)view;
    padic_result result;
    if (view->count) task->desc.packed.data = task->packed.data;
    result = padici_codec_pack_in_memory(view->context, task->here);
    if (view->count) task->written = result ? 0 : task->desc.report->packed_size;
    return result;
}
#endif

// The intact part of a damaged stream is written: that is no failure of the call.
static padic_result padici_codec_unpack_request_host(padici_view_task *view)
{
    padici_codec_unpack_request *task = (padici_codec_unpack_request *)(void *)view;
    padic_result result;
    if (view->count) task->desc.packed.data = task->packed.data;
    result = padici_codec_unpack_in_memory(view->context, task->here, task->verify);
    if (result != PADIC_ERROR_CHECKSUM && result != PADIC_ERROR_CORRUPT &&
        result != PADIC_ERROR_MISMATCH && result != PADIC_ERROR_CANCELLED)
        return result;
    task->damage = result;
    return PADIC_OK;
}

static padic_result padici_codec_info_request_host(padici_view_task *view)
{
    padici_codec_info_request *task = (padici_codec_info_request *)(void *)view;
    const padic_bytes bytes = padic_bytes_in(task->packed.data, task->desc.packed.size);
    padici_codec_header header;
    padic_result result;
    memset(&header, 0, sizeof header);
    if (!task->desc.report)
        result = padici_codec_reject(&header, PADIC_ERROR_ARGUMENT,
                                     "report is NULL: give a place for what is found");
    else if (!bytes.data)
        result = padici_codec_reject(&header, PADIC_ERROR_ARGUMENT,
                                     "packed has neither data nor a buffer: give the stream");
    else
        result = padici_codec_info_in_memory(&bytes, task->desc.report);
    return result ? padici_codec_fail(task->view.context, "codec_info", &header, result)
                  : PADIC_OK;
}

PADICI_VIEW_TASK(codec_pack)
PADICI_VIEW_TASK(codec_unpack)
PADICI_VIEW_TASK(codec_verify)
PADICI_VIEW_TASK(codec_info)

#ifndef PADIC_NO_CODEC_PACK
PADIC_API padic_result padic_codec_pack(padic_context *context, const padic_codec_pack_desc *desc)
{
    padici_codec_pack_request task;
    padic_codec_report own;
    if (!desc) return padici_codec_no_desc(context, "codec_pack");
    if (desc->report) memset(desc->report, 0, sizeof own);
    padici_view_task_begin(&task.view, context, padici_codec_pack_request_check,
                           padici_codec_pack_request_host);
    task.here = desc;
    if (!(padici_codec_in_buffer(&desc->tensor) || padici_codec_in_buffer(&desc->reference) ||
          padici_codec_in_buffer(&desc->importance) ||
          (!desc->packed.data && desc->packed.buffer.id)))
        return padici_run_task(context, PADIC_OP_CODEC_PACK, &task);
    task.here = &task.desc;
    task.desc = *desc;
    if (!desc->report) task.desc.report = &own;
    task.packed = padici_codec_bytes_view(&desc->packed, desc->packed.capacity);
    task.written = 0;
    padici_view_add(&task.view, "tensor", &task.desc.tensor, 0);
    padici_view_add(&task.view, "packed", &task.packed, 1)->written = &task.written;
    padici_view_add(&task.view, "reference", &task.desc.reference, 0);
    padici_view_add(&task.view, "importance", &task.desc.importance, 0);
    return padici_run_task(context, PADIC_OP_CODEC_PACK, &task);
}
#endif

// Unpacks, or (`verify`) only checks blocks.
static padic_result padici_codec_unpack_any(padic_context *context, uint32_t op,
                                            const padic_codec_unpack_desc *desc, int verify)
{
    padici_codec_unpack_request task;
    padic_result result;
    task.damage = PADIC_OK;
    task.verify = verify;
    if (desc->report) desc->report->bad_block = UINT64_MAX;
    padici_view_task_begin(&task.view, context, padici_codec_unpack_request_check,
                           padici_codec_unpack_request_host);
    task.here = desc;
    if (!(padici_codec_in_buffer(&desc->tensor) || padici_codec_in_buffer(&desc->reference) ||
          (!desc->packed.data && desc->packed.buffer.id))) {
        result = padici_run_task(context, op, &task);
        return result ? result : task.damage;
    }
    task.here = &task.desc;
    task.desc = *desc;
    task.packed = padici_codec_bytes_view(&desc->packed, desc->packed.size);
    padici_view_add(&task.view, "tensor", verify ? NULL : &task.desc.tensor, 2);
    padici_view_add(&task.view, "packed", &task.packed, 0);
    padici_view_add(&task.view, "reference", &task.desc.reference, 0);
    result = padici_run_task(context, op, &task);
    return result ? result : task.damage;
}

PADIC_API padic_result padic_codec_unpack(padic_context *context,
                                          const padic_codec_unpack_desc *desc)
{
    if (!desc) return padici_codec_no_desc(context, "codec_unpack");
    return padici_codec_unpack_any(context, PADIC_OP_CODEC_UNPACK, desc, 0);
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
    return padici_codec_unpack_any(context, PADIC_OP_CODEC_VERIFY, &all, 1);
}

PADIC_API padic_result padic_codec_info(padic_context *context, const padic_codec_info_desc *desc)
{
    padici_codec_info_request task;
    if (!desc) return padici_codec_no_desc(context, "codec_info");
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    task.desc = *desc;
    task.packed = padici_codec_bytes_view(&desc->packed, desc->packed.size);
    padici_view_task_begin(&task.view, context, NULL, padici_codec_info_request_host);
    padici_view_add(&task.view, "packed", &task.packed, 0);
    return padici_run_task(context, PADIC_OP_CODEC_INFO, &task);
}

// ---- memory of the library's own

#ifndef PADIC_NO_CODEC_PACK
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
#endif

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
