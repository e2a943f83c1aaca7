#include "task.h"
#include "../context/loops.h"
#include "../context/cpu.h"
#include "../context/launch.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/pool.h"
#include "../context/target.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/view.h"
#include "../core/words.h"
#include "ring.h"

#if PADICI_IMPLEMENT_NUM

// Calls

// The call for elements first to first + count - 1.
PADICI_FN padic_num_call padici_num_part(const padici_num_task *task, uint64_t first,
                                         uint64_t count)
{
    padic_num_call call = task->call;
    uint32_t j;
    call.first = first;
    call.count = count;
    padici_num_advance(call.ring, &call.out, first);
    padici_num_advance(task->a ? task->a->ring : call.ring, &call.a, first);
    padici_num_advance(task->b ? task->b->ring : call.ring, &call.b, first);
    padici_num_advance(call.ring, &call.c, first);
    if (call.status) call.status += first;
    for (j = 0; j < PADICI_NUM_OTHERS; j++)
        if (call.other[j])
            call.other[j] = (char *)call.other[j] +
                            first * (task->other_planes >> j & 1 ? 1 : task->other_each[j]) *
                                padic_dtype_size(task->other[j]->dtype);
    return call;
}

static void padici_num_loop(const padici_num_task *task, padic_num_call *call)
{
    if (!call->kernel ||
        padici_loop_run(padici_loop_of(task->context, PADIC_OP_NUM_LOOP), call) != PADIC_OK)
        (*task->loop)(call);
}

static void padici_num_chunk(void *arg, uint32_t index)
{
    padici_num_task *task = (padici_num_task *)arg;
    const uint64_t first = index * task->chunk, left = task->count - first;
    padic_num_call call = padici_num_part(task, first, left < task->chunk ? left : task->chunk);
    if (call.workspace) call.workspace = (char *)call.workspace + index * task->workspace;
    padici_num_loop(task, &call);
    task->bits[index] = call.bits;
}

PADICI_FN void padici_num_range_add(padici_num_range *list, uint32_t *n, const void *p,
                                    uint64_t bytes, uint32_t kind, uint32_t out)
{
    if (!p || !bytes) return;
    list[*n].begin = (uintptr_t)p;
    list[*n].end = (uintptr_t)p + (uintptr_t)bytes;
    list[*n].kind = kind;
    list[*n].out = out;
    ++*n;
}

PADICI_FN void padici_num_ranges(const padic_num_ring *r, const padic_num_planes *p, uint64_t count,
                                 uint32_t out, padici_num_range *list, uint32_t *n)
{
    uint64_t words = p->high ? p->high + count : padici_num_words(r, count);
    padici_num_range_add(list, n, p->unit, words * r->unit_size, 1, out);
    padici_num_range_add(list, n, p->val, count * (p->val16 ? 2 : 4), 2, out);
    padici_num_range_add(list, n, p->known, count * (p->known16 ? 2 : 1), 3, out);
}

PADICI_FN PADICI_NOINLINE padic_result padici_num_overlap(const padici_num_range *list, uint32_t n)
{
    uint32_t i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n && list[i].out; j++) {
            const int same = list[i].begin == list[j].begin && list[i].end == list[j].end &&
                             list[i].kind == list[j].kind && list[i].kind && !list[j].out;
            if (i != j && !same && list[i].begin < list[j].end && list[j].begin < list[i].end)
                return PADIC_ERROR_OVERLAP;
        }
    return PADIC_OK;
}

// One array operand: is it sound, and does it go with the others?
static padic_result padici_num_operand(padici_num_task *task, const padic_num_array *a,
                                       padic_num_planes *planes, padici_num_range *list,
                                       uint32_t *n)
{
    const int out = planes == &task->call.out || (planes == &task->call.c && task->c_out);
    const int own = task->free_rings && (planes == &task->call.a || planes == &task->call.b);
    const int moves = planes == &task->call.c && task->c_count;
    padic_context *const context = task->context;
    padic_result result;
    if (!padici_ring_is(a->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "ring",
                            "was not made by num_ring_init");
    if ((uint32_t)a->model > PADIC_NUM_BALL)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "model",
                            "must be RING, FLOAT or BALL");
    if (a->ring->composite && !task->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, NULL, "ring",
                            "has a radix that is no prime: only digits and text take one");
    if (!own && !padici_ring_equal(a->ring, task->call.ring))
        return padici_blame(context, PADIC_ERROR_RING, NULL, "ring",
                            "is another than that of the others: convert with "
                            "num_set_precision or num_change_prime");
    if (!own && a->model != task->call.model)
        return padici_blame(context, PADIC_ERROR_RING, NULL, "model",
                            "is another than that of the others: all are RING, FLOAT or BALL");
    if (moves ? a->count != task->c_count : a->count != task->count && (out || a->count != 1))
        return padici_blame(context, PADIC_ERROR_MISMATCH, NULL, "count",
                            out || moves ? "is not what the other operands ask for"
                                         : "must be 1 or that of the others");
    result = padici_num_planes_in(context, &task->space, a, planes);
    if (result) return result;
    planes->scalar = moves ? !task->c_moves : a->count != task->count;
    padici_num_ranges(a->ring, planes, a->count, (uint32_t)out, list, n);
    return PADIC_OK;
}

// The status bytes, and the word that takes them all.
static padic_result padici_num_check_status(padici_num_task *task, const padic_num_array *target,
                                            uint32_t *n)
{
    const uint64_t count = task->c_out ? 1 : task->count;
    const padic_tensor *const status = target ? NULL : task->status;
    void *p = NULL;
    padic_result result = PADIC_OK;
    if (target && (target->status.dtype || target->status.data))
        result = padici_num_plane_of(task->context, &task->space, &target->status, count,
                                     1u << PADIC_U8, &p);
    else if (status && (status->dtype || status->data))
        result = padici_num_plane_in(task->context, &task->space, status, count, 1u << PADIC_U8,
                                     &p);
    if (result) return padici_blame(task->context, result, "status", NULL, NULL);
    if (p) task->call.status = (uint8_t *)p;
    padici_num_range_add(task->ranges, n, p, count, 0, 1);
    if (!target || (!target->sticky_word.dtype && !target->sticky_word.data)) return PADIC_OK;
    result = padici_num_plane_of(task->context, &task->space, &target->sticky_word, 1,
                                 1u << PADIC_U32, &p);
    if (result) return padici_blame(task->context, result, "sticky_word", NULL, NULL);
    task->sticky_word = (uint32_t *)p;
    padici_num_range_add(task->ranges, n, p, sizeof(uint32_t), 0, 1);
    return PADIC_OK;
}

// Checks everything.
static padic_result padici_num_check_task(padici_num_task *task)
{
    padic_num_call *call = &task->call;
    const padic_num_array *arrays[4];
    padic_num_planes *planes[4];
    padici_num_range *const list = task->ranges;
    const padic_num_array *target = task->c_out ? task->c : task->out;
    const padic_num_array *owner = target ? target : task->a; // of the workspace
    uint32_t j, n = 0;
    padic_result result;
    arrays[0] = task->out;
    arrays[1] = task->a;
    arrays[2] = task->b;
    arrays[3] = task->c;
    planes[0] = &call->out;
    planes[1] = &call->a;
    planes[2] = &call->b;
    planes[3] = &call->c;
    for (j = 0; j < 4; j++)
        if (arrays[j]) {
            result = padici_num_operand(task, arrays[j], planes[j], list, &n);
            if (result) return padici_blame(task->context, result, task->field[j], NULL, NULL);
        }
    for (j = 0; j < PADICI_NUM_OTHERS; j++)
        if (task->other[j]) {
            uint64_t count;
            if (!task->other_each[j]) task->other_each[j] = 1;
            result = PADIC_ERROR_LIMIT;
            if (padici_mul_u64(task->count, task->other_each[j], &count))
                result = padici_num_plane_in(task->context, &task->space, task->other[j], count,
                                             task->other_dtypes[j], &call->other[j]);
            if (result)
                return padici_blame(task->context, result, task->other_field[j], NULL, NULL);
            padici_num_range_add(list, &n, call->other[j],
                                 count * padic_dtype_size(task->other[j]->dtype), 0,
                                 task->other_out >> j & 1);
        }
    if (task->other[0]) call->dtype = task->other[0]->dtype;
    result = padici_num_check_status(task, target, &n);
    if (result) return result;
    if (target && target->sticky) task->sticky = target->sticky;
    if (!padici_aligned(task->sticky, sizeof *task->sticky))
        return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "sticky", NULL, NULL);
    padici_num_range_add(list, &n, task->sticky, sizeof(uint32_t), 0, 1);
    if (call->ring->form == PADIC_NUM_RX || (task->a && task->a->ring->form == PADIC_NUM_RX)) {
        task->workspace = padic_num_workspace(call->ring);
        if (task->a && padic_num_workspace(task->a->ring) > task->workspace)
            task->workspace = padic_num_workspace(task->a->ring);
        if (task->free_rings && owner->workspace_size < task->workspace) owner = task->a;
        if (!owner->workspace || owner->workspace_size < task->workspace)
            return task->count || task->c_out
                       ? padici_blame(task->context, PADIC_ERROR_CAPACITY, "workspace", NULL,
                                      "is missing or too small: see num_workspace")
                       : PADIC_OK;
        if (!padici_aligned(owner->workspace, 8))
            return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "workspace", NULL, NULL);
        call->workspace = owner->workspace;
        task->workspace_pieces = owner->workspace_size / task->workspace;
        padici_num_range_add(list, &n, owner->workspace, owner->workspace_size, 0, 1);
    }
    task->range_count = n;
    if (task->space.mems && task->space.host) return PADIC_ERROR_ARGUMENT;
    return padici_num_overlap(list, n);
}

// Runs the loop, in pieces if the context has workers.
PADICI_FN void padici_num_pieces(padici_num_task *task)
{
    const padic_jobs *jobs = padici_jobs(task->context);
    uint64_t pieces = 1;
    uint32_t j;
    if (jobs && jobs->workers > 1 && !task->c_out && !task->whole) pieces += task->count >> 14;
    if (pieces > PADICI_NUM_CHUNKS) pieces = PADICI_NUM_CHUNKS;
    if (task->workspace && pieces > task->workspace_pieces) pieces = task->workspace_pieces;
    task->chunk = ((task->count + pieces - 1) / pieces + 63) & ~UINT64_C(63);
    pieces = task->count ? (task->count + task->chunk - 1) / task->chunk : 1;
    if (pieces > 1) {
        padici_parallel(jobs, (uint32_t)pieces, padici_num_chunk, task);
        for (j = 0; j < pieces; j++) task->call.bits |= task->bits[j];
    } else {
        task->call.count = task->count;
        padici_num_loop(task, &task->call);
    }
    if (task->sticky_word) *task->sticky_word |= task->call.bits;
}

// Moves a pointer of the call from a device's memory to the copy of its range.
PADICI_FN void padici_num_redirect(const padici_num_task *task, char *base, const uint64_t *at,
                                   void **pointer)
{
    uint32_t i;
    for (i = 0; i < task->range_count && *pointer; i++)
        if ((uintptr_t)*pointer == task->ranges[i].begin) {
            *pointer = base + at[i];
            return;
        }
}

static void padici_num_redirect_all(padici_num_task *task, char *base, const uint64_t *at)
{
    padic_num_planes *planes[4];
    void *status = task->call.status, *word = task->sticky_word;
    uint32_t i;
    planes[0] = &task->call.out;
    planes[1] = &task->call.a;
    planes[2] = &task->call.b;
    planes[3] = &task->call.c;
    for (i = 0; i < 4; i++) {
        padici_num_redirect(task, base, at, &planes[i]->unit);
        padici_num_redirect(task, base, at, &planes[i]->val);
        padici_num_redirect(task, base, at, &planes[i]->known);
        padici_num_redirect(task, base, at, &task->call.other[i]);
    }
    padici_num_redirect(task, base, at, &status);
    padici_num_redirect(task, base, at, &word);
    task->call.status = (uint8_t *)status;
    task->sticky_word = (uint32_t *)word;
}

PADICI_FN PADICI_NOINLINE uint64_t padici_num_range_size(const padici_num_range *range)
{
    return (uint64_t)(range->end - range->begin);
}

// Copies of the ranges that lie on the device, to the host or back.
PADICI_FN PADICI_NOINLINE padic_result padici_num_copies(padici_num_task *task, char *base,
                                                         const uint64_t *at, int back)
{
    padic_context *const context = task->context;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < task->range_count && !result; i++) {
        const padici_num_range *range = &task->ranges[i];
        const uint64_t address = (uint64_t)range->begin, size = padici_num_range_size(range);
        padici_place device, host;
        if (at[i] == UINT64_MAX || (back && !range->out)) continue;
        device.mem = task->space.mem[(address >> 56) - 1];
        device.at = address & (UINT64_MAX >> 8);
        device.host = 0;
        host.mem.bits = (uint64_t)(uintptr_t)base;
        host.at = at[i];
        host.host = 1;
        result = padici_target_move(context, &context->targets[0], back ? &device : &host,
                                    back ? &host : &device, size);
        context->stats.kernels.staged_bytes += size;
    }
    return result;
}

// The loop on copies in host memory, which is no more than a detour.
static padic_result padici_num_staged(padici_num_task *task)
{
    padic_context *const context = task->context;
    uint64_t at[PADICI_NUM_PLANES + 2], size = 0;
    uint32_t i, j, block;
    char *base;
    padic_result result;
    if (context->strict)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, task->name,
                              "not done by the device, and this context is strict");
    for (i = 0; i < task->range_count; i++) { // in place: one copy
        at[i] = UINT64_MAX;
        for (j = 0; j < i && task->ranges[j].begin != task->ranges[i].begin;) j++;
        if (j < i) at[i] = at[j];
        if (j < i || task->ranges[i].begin == (uintptr_t)task->sticky ||
            (task->workspace && task->ranges[i].begin == (uintptr_t)task->call.workspace))
            continue;
        at[i] = size;
        size += (padici_num_range_size(&task->ranges[i]) + 63) & ~UINT64_C(63);
    }
    result = padici_pool_take(context, &context->pools[1], size ? size : 1, &block);
    if (result) return result;
    base = (char *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    result = padici_num_copies(task, base, at, 0);
    if (!result) {
        padici_num_redirect_all(task, base, at);
        padici_num_pieces(task);
        result = padici_num_copies(task, base, at, 1);
    }
    padici_pool_give(context, &context->pools[1], block);
    if (!result && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "num: an operation on buffers was done on the host (said once)");
    return result;
}

// Planes on a device: by its driver, or on copies.
PADICI_FN padic_result padici_num_device(padici_num_task *task)
{
    const uint32_t kernel = task->call.kernel;
    const int soft = // no hard bit can come of these
        kernel == PADIC_KERNEL_NUM_EQUAL || kernel == PADIC_KERNEL_NUM_TROPICAL ||
        kernel == PADIC_KERNEL_NUM_RANDOM ||
        (task->call.model == PADIC_NUM_RING &&
         ((kernel >= PADIC_KERNEL_NUM_ADD && kernel <= PADIC_KERNEL_NUM_FMA) ||
          kernel == PADIC_KERNEL_NUM_HORNER || kernel == PADIC_KERNEL_NUM_DOT ||
          kernel == PADIC_KERNEL_NUM_SUM || kernel == PADIC_KERNEL_NUM_FROM_INT));
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    task->report = task->sticky || (!task->sticky_word && !task->call.status && !soft);
    if (kernel) result = padici_drive(task->context, kernel, task, 1);
    if (!result) result = padici_drive(task->context, kernel, task, 0);
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = padici_num_staged(task);
    if (!result) task->context->stats.kernels.calls++;
    return result;
}

PADICI_FN padic_result padici_num_run(padic_context *context, padici_num_task *task)
{
    const padic_num_array *first = task->out ? task->out : task->a;
    padic_result result;
    task->context = context;
    if (!first || !padici_ring_is(first->ring)) {
        padici_blame(context, PADIC_ERROR_ARGUMENT, task->field[task->out ? 0 : 1], "ring",
                     "was not made by num_ring_init");
        return padici_fault(context, PADIC_ERROR_ARGUMENT, task->name);
    }
    task->call.ring = first->ring;
    task->call.model = first->model;
    task->count = first->count;
    result = padici_num_check_task(task);
    if (result == PADIC_ERROR_ARGUMENT && task->space.mems && task->space.host)
        padici_blame(context, result, NULL, NULL,
                     "planes in host memory and on a device in one call");
    if (result) return padici_fault(context, result, task->name);
    if (!task->count && !task->c_out) return PADIC_OK;
    if (task->space.mems)
        result = padici_num_device(task);
    else
        padici_num_pieces(task);
    if (result) return result;
    if (task->sticky) *task->sticky |= task->call.bits;
    if (task->call.bits & PADIC_NUM_HARD && !task->sticky && !task->call.status &&
        !task->sticky_word)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, task->name, PADICI_NUM_SILENT);
    return PADIC_OK;
}

PADICI_FN void padici_num_task_begin(padici_num_task *task, const char *name, uint32_t kernel,
                                     void (*loop)(padic_num_call *call), const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b,
                                     const padic_num_array *c)
{
    memset(task, 0, offsetof(padici_num_task, ranges));
    task->name = name;
    task->field[0] = "out";
    task->field[1] = "a";
    task->field[2] = "b";
    task->field[3] = "c";
    task->call.kernel = kernel;
    task->loop = loop;
    task->out = out;
    task->a = a;
    task->b = b;
    task->c = c;
}

#endif
