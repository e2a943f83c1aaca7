#include "task.h"
#include "../context/loops.h"
#include "../context/cpu.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/run.h"
#include "../core/jobs.h"
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
    if (!call->op ||
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

// One array operand: 1 if it is sound and fits the others.
static padic_result padici_num_operand(padici_num_task *task, const padic_num_array *a,
                                       padic_num_planes *planes)
{
    const int out = planes == &task->call.out || (planes == &task->call.c && task->c_out);
    const int own = task->free_rings && (planes == &task->call.a || planes == &task->call.b);
    const int moves = planes == &task->call.c && task->c_count;
    padic_context *const context = task->context;
    padic_result result;
    if (!padici_num_ring_is(a->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "ring",
                            "was not made by num_ring_init");
    if ((uint32_t)a->model > PADIC_NUM_BALL)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "model",
                            "must be RING, FLOAT or BALL");
    if (a->ring->composite && !task->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, NULL, "ring",
                            "has a radix that is no prime: only digits and text take one");
    if (!own && !padici_num_ring_equal(a->ring, task->call.ring))
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
    result = padici_num_planes_add(context, &task->memory, a, (uint32_t)out, planes);
    planes->scalar = moves ? !task->c_moves : a->count != task->count;
    return result;
}

// The status bytes, and the word that collects them.
static padic_result padici_num_check_status(padici_num_task *task, const padic_num_array *target)
{
    const uint64_t count = task->c_out ? 1 : task->count;
    const padic_tensor *const status = target ? NULL : task->status;
    padici_num_memory *const memory = &task->memory;
    padic_result result = PADIC_OK;
    if (target && (target->status.dtype || target->status.data))
        result = padici_num_plane_add(task->context, memory, &target->status, count,
                                      1u << PADIC_U8, 0, 1, &task->status_plane);
    else if (status && (status->dtype || status->data))
        result = padici_num_tensor_add(task->context, memory, status, count, 1u << PADIC_U8, 1,
                                       &task->status_plane);
    if (result) return padici_blame(task->context, result, "status", NULL, NULL);
    if (target && (target->sticky_word.dtype || target->sticky_word.data))
        result = padici_num_plane_add(task->context, memory, &target->sticky_word, 1,
                                      1u << PADIC_U32, 0, 2, &task->sticky_word);
    if (result) return padici_blame(task->context, result, "sticky_word", NULL, NULL);
    if (target && target->sticky) task->sticky = target->sticky;
    if (!padici_aligned(task->sticky, sizeof *task->sticky))
        return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "sticky", NULL, NULL);
    padici_num_host(memory, task->sticky, sizeof(uint32_t), 2);
    return PADIC_OK;
}

// The workspace of long rings, of `owner`.
static padic_result padici_num_check_workspace(padici_num_task *task, const padic_num_array *owner)
{
    const padic_num_ring *const a = task->a ? task->a->ring : NULL, *const r = task->call.ring;
    if (r->form != PADIC_NUM_RX && (!a || a->form != PADIC_NUM_RX)) return PADIC_OK;
    task->workspace = padic_num_workspace(r);
    if (a && padic_num_workspace(a) > task->workspace) task->workspace = padic_num_workspace(a);
    if (task->free_rings && owner->workspace_size < task->workspace) owner = task->a;
    if (!owner->workspace || owner->workspace_size < task->workspace)
        return task->count || task->c_out
                   ? padici_blame(task->context, PADIC_ERROR_CAPACITY, "workspace", NULL,
                                  "is missing or too small: see num_workspace")
                   : PADIC_OK;
    if (!padici_aligned(owner->workspace, 8))
        return padici_blame(task->context, PADIC_ERROR_ALIGNMENT, "workspace", NULL, NULL);
    task->call.workspace = owner->workspace;
    task->workspace_pieces = owner->workspace_size / task->workspace;
    padici_num_host(&task->memory, owner->workspace, owner->workspace_size, 1);
    return PADIC_OK;
}

static padic_result padici_num_check_others(padici_num_task *task)
{
    uint32_t j;
    for (j = 0; j < PADICI_NUM_OTHERS; j++) {
        padic_result result = PADIC_ERROR_LIMIT;
        uint64_t count;
        if (!task->other[j]) continue;
        if (!task->other_each[j]) task->other_each[j] = 1;
        if (padici_mul_u64(task->count, task->other_each[j], &count))
            result = padici_num_tensor_add(task->context, &task->memory, task->other[j], count,
                                           task->other_dtypes[j], task->other_out >> j & 1,
                                           &task->call.other[j]);
        if (result) return padici_blame(task->context, result, task->other_field[j], NULL, NULL);
    }
    if (task->other[0]) task->call.dtype = task->other[0]->dtype;
    return PADIC_OK;
}

// Checks all operands.
static padic_result padici_num_check_operands(padici_num_task *task)
{
    const padic_num_array *const target = task->c_out ? task->c : task->out;
    const padic_num_array *arrays[4];
    padic_num_planes *planes[4];
    uint32_t j;
    padic_result result = PADIC_OK;
    arrays[0] = task->out;
    arrays[1] = task->a;
    arrays[2] = task->b;
    arrays[3] = task->c;
    planes[0] = &task->call.out;
    planes[1] = &task->call.a;
    planes[2] = &task->call.b;
    planes[3] = &task->call.c;
    for (j = 0; j < 4 && !result; j++)
        if (arrays[j]) {
            result = padici_num_operand(task, arrays[j], planes[j]);
            if (result) padici_blame(task->context, result, task->field[j], NULL, NULL);
        }
    if (!result) result = padici_num_check_others(task);
    if (!result) result = padici_num_check_status(task, target);
    if (!result) result = padici_num_check_workspace(task, target ? target : task->a);
    if (result) return result;
    if (task->memory.device && task->memory.host)
        return padici_blame(task->context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            "planes in host memory and on a device in one call");
    return padici_num_overlap(task->memory.range, task->memory.count);
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
    if (task->sticky_word) *(uint32_t *)task->sticky_word |= task->call.bits;
}

// The pointer of a slot.
PADICI_FN void **padici_num_slot(padici_num_task *task, uint32_t slot)
{
    padic_num_call *const call = &task->call;
    padic_num_planes *const planes = slot < 3   ? &call->out
                                     : slot < 6 ? &call->a
                                     : slot < 9 ? &call->b
                                                : &call->c;
    if (slot == PADICI_NUM_STATUS) return &task->status_plane;
    if (slot == PADICI_NUM_STICKY) return &task->sticky_word;
    if (slot >= PADICI_NUM_OTHER) return &call->other[slot - PADICI_NUM_OTHER];
    return slot % 3 == 0 ? &planes->unit : slot % 3 == 1 ? &planes->val : &planes->known;
}

// Bytes from one element to the next in a slot, of rings up to 64 bits.
PADICI_FN uint64_t padici_num_slot_step(const padici_num_task *task, uint32_t slot)
{
    const padic_num_call *const call = &task->call;
    const padic_num_planes *const planes = slot < 3   ? &call->out
                                           : slot < 6 ? &call->a
                                           : slot < 9 ? &call->b
                                                      : &call->c;
    const padic_num_array *const array = slot < 3 ? task->out : slot < 6 ? task->a : task->b;
    const uint32_t j = slot - PADICI_NUM_OTHER;
    if (slot == PADICI_NUM_STATUS) return 1;
    if (slot == PADICI_NUM_STICKY) return 0;
    if (slot >= PADICI_NUM_OTHER)
        return !task->other[j] ? 0
                               : (task->other_planes >> j & 1 ? 1 : task->other_each[j]) *
                                     padic_dtype_size(task->other[j]->dtype);
    if (planes->scalar) return 0;
    if (slot % 3 == 1) return planes->val16 ? 2 : 4;
    if (slot % 3 == 2) return planes->known16 ? 2 : 1;
    return slot < 9 && array ? array->ring->unit_size : call->ring->unit_size;
}

// Checks what its row of src/ops.def requires, once.
PADICI_FN padic_result padici_num_task_check(padic_context *context, const void *task_)
{
    padici_num_task *const task = (padici_num_task *)(uintptr_t)task_;
    const padic_num_array *first = task->out ? task->out : task->a;
    const uint32_t op = task->op;
    const int soft = // the operation raises no hard bit
        op == PADIC_OP_NUM_EQUAL || op == PADIC_OP_NUM_TROPICAL || op == PADIC_OP_NUM_RANDOM ||
        (first && first->model == PADIC_NUM_RING &&
         ((op >= PADIC_OP_NUM_ADD && op <= PADIC_OP_NUM_FMA) || op == PADIC_OP_NUM_SQUARE ||
          op == PADIC_OP_NUM_HORNER || op == PADIC_OP_NUM_DOT || op == PADIC_OP_NUM_SUM ||
          op == PADIC_OP_NUM_FROM_INT));
    padic_result result;
    if (task->checked) return PADIC_OK;
    task->context = context;
    if (!first || !padici_num_ring_is(first->ring)) {
        padici_blame(context, PADIC_ERROR_ARGUMENT, task->field[task->out ? 0 : 1], "ring",
                     "was not made by num_ring_init");
        return padici_fault(context, PADIC_ERROR_ARGUMENT, task->name);
    }
    task->call.ring = first->ring;
    task->call.model = first->model;
    task->count = first->count;
    result = padici_num_check_operands(task);
    if (result) return padici_fault(context, result, task->name);
    task->said = task->sticky || task->call.status || padici_num_has(task, PADICI_NUM_STATUS) ||
                 padici_num_has(task, PADICI_NUM_STICKY);
    task->report = task->sticky || (!task->said && !soft);
    task->checked = 1;
    return PADIC_OK;
}

// 1 if that slot is used, wherever it lies.
PADICI_FN int padici_num_has(padici_num_task *task, uint32_t slot)
{
    void **const pointer = padici_num_slot(task, slot);
    uint32_t i;
    for (i = 0; i < task->memory.count && !*pointer; i++)
        if (task->memory.range[i].pointer == pointer) return 1;
    return *pointer != NULL;
}

PADICI_FN uint32_t padici_num_task_operands(void *task_, padici_operand *operands)
{
    const padici_num_memory *const memory = &((padici_num_task *)task_)->memory;
    uint32_t i, n = 0;
    if (!memory->device || !operands) return memory->device;
    for (i = 0; i < memory->count; i++) {
        const padici_num_range *const range = &memory->range[i];
        padici_operand *const o = &operands[n];
        if (!range->mem.bits) continue;
        n++;
        o->pointer = range->pointer;
        o->bytes = range->end - range->begin;
        o->home.mem = range->mem;
        o->home.at = range->begin;
        o->out = (uint8_t)range->out;
        o->kind = (uint8_t)range->kind;
        o->dense = 1;
    }
    return n;
}

// The generic loops, everything in host memory.
PADICI_FN padic_result padici_num_task_host(const padic_env *env, const void *task_)
{
    padici_num_task *const task = (padici_num_task *)(uintptr_t)task_;
    (void)env;
    if (task->status_plane) task->call.status = (uint8_t *)task->status_plane;
    if (task->all)
        (*task->all)(task);
    else if (task->count || task->c_out)
        padici_num_pieces(task);
    return PADIC_OK;
}

PADICI_FN padic_result padici_num_run(padic_context *context, padici_num_task *task)
{
    const padic_result result = padici_run_task(context, task->op, task);
    if (result) return result;
    if (task->sticky) *task->sticky |= task->call.bits;
    if (task->call.bits & PADIC_NUM_HARD && !task->said)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, task->name, PADICI_NUM_SILENT);
    return PADIC_OK;
}

PADICI_FN void padici_num_task_begin(padici_num_task *task, const char *name, uint32_t op,
                                     void (*loop)(padic_num_call *call), const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b,
                                     const padic_num_array *c)
{
    memset(task, 0, offsetof(padici_num_task, memory));
    task->memory.count = task->memory.host = task->memory.device = 0;
    task->name = name;
    task->field[0] = "out";
    task->field[1] = "a";
    task->field[2] = "b";
    task->field[3] = "c";
    task->call.op = op;
    task->op = op;
    task->loop = loop;
    task->out = out;
    task->a = a;
    task->b = b;
    task->c = c;
}

#endif
