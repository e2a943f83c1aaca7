#include "../context/run.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "../core/view.h"
#include "array.h"
#include "determinant.h"
#include "integers.h"
#include "lifting.h"
#include "ring.h"
#include "task.h"
#include "workspace.h"

#if PADICI_IMPLEMENT_NUM

// The sizes of a batch, and the most limbs its systems may need: one more than Hadamard's bound,
// since each step of the bound rounds up.
static padic_result padici_num_solve_sizes(padic_context *context, padici_num_solving *s,
                                       const padic_tensor *matrix, const padic_tensor *right)
{
    const uint32_t rank = matrix->rank;
    uint64_t all;
    uint32_t log = 0, bits, axis;
    padic_result result = padici_tensor_check_shape(matrix, &all);
    memset(s, 0, sizeof *s);
    if (result) return padici_blame(context, result, "matrix", NULL, NULL);
    if (matrix->dtype != PADIC_I32 && matrix->dtype != PADIC_I64)
        return padici_blame(context, PADIC_ERROR_DTYPE, "matrix", NULL, "must be I32 or I64");
    if (rank < 2 || rank > 3 || matrix->shape[rank - 1] != matrix->shape[rank - 2])
        return padici_blame(context, PADIC_ERROR_MISMATCH, "matrix", NULL,
                            "must have the shape (n, n) or (batch, n, n)");
    if (!matrix->shape[rank - 1] || matrix->shape[rank - 1] > 64)
        return padici_blame(context, PADIC_ERROR_LIMIT, "matrix", NULL,
                            "must be n x n with n from 1 to 64");
    s->n = (uint32_t)matrix->shape[rank - 1];
    s->batch = rank == 3 ? matrix->shape[0] : 1;
    s->dtype = matrix->dtype;
    if (right) {
        int fits = 1;
        if ((result = padici_tensor_check_shape(right, &all)) != PADIC_OK)
            return padici_blame(context, result, "right", NULL, NULL);
        if (right->dtype != matrix->dtype)
            return padici_blame(context, PADIC_ERROR_DTYPE, "right", NULL,
                                "must have the dtype of `matrix`");
        if (right->rank != rank && right->rank != rank - 1) fits = 0;
        for (axis = 0; fits && axis + 1 < rank; axis++)
            fits = right->shape[axis] == matrix->shape[axis];
        if (!fits)
            return padici_blame(context, PADIC_ERROR_MISMATCH, "right", NULL,
                                "must have the shape (n), (n, sides) or those with `batch` before");
        all = right->rank == rank ? right->shape[rank - 1] : 1;
        if (!all || all > 1u << 20)
            return padici_blame(context, PADIC_ERROR_LIMIT, "right", NULL,
                                "must have 1 to 2^20 sides");
        s->sides = (uint32_t)all;
    } else if (s->n >= 24) {
        s->sides = 1; // its denominator is most of det A, and costs less than that many primes
    }
    while (1u << log < s->n) log++;
    bits = s->n * (s->dtype == PADIC_I32 ? 31 : 63) + (s->n * log + 1) / 2 + 1;
    s->limbs = padici_num_primes_for((s->sides ? 2 * bits : bits) + 2) + 1;
    return PADIC_OK;
}

// The tensors of a call: all of them as integers, including the two inputs.
static padic_result padici_num_solve_tensors(padic_context *context,
                                             const padic_num_solve_desc *desc,
                                             padici_num_solving *s, padici_num_memory *memory)
{
    const uint32_t wide = PADICI_NUM_SIGNED | PADICI_NUM_UNSIGNED;
    const uint32_t rank = 1u << PADIC_U32 | 1u << PADIC_I32;
    const uint64_t sides = s->batch * s->sides, count = sides * s->n;
    const uint32_t det_only = !desc->right.dtype;
    const struct {
        const padic_tensor *t;
        uint64_t count;
        uint32_t allowed, optional;
        padici_num_integers *x;
        const char *name;
    } all[7] = {
        {&desc->matrix, s->batch * s->n * s->n, 1u << s->dtype, 0, &s->matrix, "matrix"},
        {&desc->right, count, 1u << s->dtype, det_only, &s->right, "right"},
        {&desc->numerator, count, wide, det_only || s->call.ring, &s->numerator, "numerator"},
        {&desc->denominator, sides, wide, det_only || s->call.ring, &s->denominator, "denominator"},
        {&desc->det, s->batch, wide, !det_only, &s->det, det_only ? "out" : "det"},
        {&desc->rank, s->batch, rank, 1, &s->rank, "rank"},
        {&desc->status, s->batch, 1u << PADIC_U8, 1, &s->status, "status"}};
    uint32_t i;
    for (i = 0; i < 7; i++) {
        padic_result result = padici_num_integers_of(context, memory, all[i].t, all[i].count,
                                                 all[i].allowed, i > 1, all[i].x);
        if (!result && s->batch && !all[i].optional && !all[i].x->wanted)
            result = PADIC_ERROR_ARGUMENT;
        if (result) return padici_blame(context, result, all[i].name, NULL, NULL);
    }
    return PADIC_OK;
}

// Sizes, and the ring of MODP. `right` NULL: determinants.
static padic_result padici_num_solve_begin(padic_context *context, padici_num_solving *s,
                                       const padic_num_solve_desc *desc, const padic_tensor *right)
{
    const padic_num_array *out = &desc->out;
    const padic_result result = padici_num_solve_sizes(context, s, &desc->matrix, right);
    if (result || !out->ring) return result;
    if (!padici_num_ring_is(out->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "out", "ring",
                            "was not made by num_ring_init");
    if (out->ring->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "out", "ring",
                            "has a radix that is no prime");
    if (out->model != PADIC_NUM_RING)
        return padici_blame(context, PADIC_ERROR_RING, "out", "model", "must be RING");
    if (out->count != s->batch * s->n * s->sides)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", "count",
                            "must be the number of elements of `right`");
    s->call.ring = out->ring;
    return PADIC_OK;
}

// How many workers share a batch.
static uint64_t padici_num_solve_workers(const padici_num_solving *s)
{
    const padic_jobs *jobs = padici_jobs(s->context);
    uint64_t n = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (n > PADICI_NUM_CHUNKS) n = PADICI_NUM_CHUNKS;
    return n < s->batch ? n : s->batch;
}

// All systems, in host memory.
static void padici_num_solve_pieces(padici_num_task *task)
{
    padici_num_solving *const s = (padici_num_solving *)(uintptr_t)task->call.options;
    const padic_jobs *jobs = padici_jobs(s->context);
    uint64_t pieces = padici_num_solve_workers(s);
    uint32_t i, wrong = 0;
    if (pieces > s->pieces) pieces = s->pieces;
    s->chunk = (s->batch + pieces - 1) / pieces;
    padici_parallel(jobs, (uint32_t)((s->batch + s->chunk - 1) / s->chunk), padici_num_solve_chunk,
                    s);
    for (i = 0; i < PADICI_NUM_CHUNKS; i++) {
        task->call.bits |= s->bits[i];
        wrong |= s->wrong[i];
    }
    task->call.bits |= wrong << 31;
}

// A task whose operands have been checked. Bit 31 of its bits: A x is not b.
static void padici_num_solve_task(padici_num_task *task, const char *name, uint32_t op,
                                  padici_num_solving *s)
{
    padici_num_task_begin(task, name, op, NULL, NULL, NULL, NULL, NULL);
    task->call.op = PADIC_OP_NUM_SOLVE; // the kernels of all three are in that row
    task->all = padici_num_solve_pieces;
    task->checked = 1;
    task->context = s->context;
    task->call.options = s;
}

// Checks the workspace, and lays it out.
static padic_result padici_num_solve_memory(padici_num_solving *s, const padic_num_solve_desc *desc,
                                            padici_num_memory *memory)
{
    padici_num_solve_room m;
    padic_result result;
    s->each = padici_num_solve_lay(s, NULL, &m);
    if (s->each > SIZE_MAX / 16) return PADIC_ERROR_LIMIT;
    result = padici_num_workspace_check(s->context, &desc->workspace, 8 * s->each);
    if (result) return result;
    if (desc->workspace.data)
        padici_num_host(memory, desc->workspace.data, desc->workspace.shape[0], 1);
    padici_num_host(memory, desc->sticky, sizeof *desc->sticky, 2);
    if (memory->device && memory->host)
        return padici_blame(s->context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            "tensors in host memory and on a device in one call");
    return padici_num_overlap(memory->range, memory->count);
}

// A checked call that is not empty.
static padic_result padici_num_solve_do(padici_num_task *task, padici_num_solving *s,
                                        const padic_num_solve_desc *desc)
{
    const uint64_t each = 8 * s->each;
    uint64_t all;
    padici_num_workspace w;
    padic_result result;
    if (!padici_mul_u64(each, padici_num_solve_workers(s), &all)) all = each;
    result = padici_num_workspace_take(s->context, &desc->workspace, all, &w);
    if (result) return padici_fault(s->context, result, task->name);
    s->workspace = (uint64_t *)w.at;
    s->pieces = w.size / each;
    result = padici_run_task(s->context, task->op, task);
    padici_num_workspace_give(&w);
    return result;
}

// Checks everything but `desc` itself, then runs.
static padic_result padici_num_solve_run(padic_context *context, const char *name, uint32_t op,
                                         const padic_num_solve_desc *desc,
                                         const padic_tensor *right)
{
    padici_num_task task;
    padici_num_solving s;
    uint32_t bits;
    padic_result result = padici_num_solve_begin(context, &s, desc, right);
    s.context = context;
    s.verify = desc->verify;
    padici_num_solve_task(&task, name, op, &s);
    if (!result) result = padici_num_solve_tensors(context, desc, &s, &task.memory);
    if (!result && desc->verify > 1)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "verify", NULL, "must be 0 or 1");
    if (!result && s.call.ring) {
        result = padici_num_planes_add(context, &task.memory, &desc->out, 1, &s.call.out);
        padici_blame(context, result, "out", NULL, NULL);
    }
    if (!result) result = padici_num_solve_memory(&s, desc, &task.memory);
    if (result) return padici_fault(context, result, name);
    if (!s.batch) return PADIC_OK;
    task.report = desc->sticky || !s.status.wanted || s.verify;
    result = padici_num_solve_do(&task, &s, desc);
    if (result) return result;
    bits = task.call.bits & (UINT32_MAX >> 1);
    if (desc->sticky) *desc->sticky |= bits;
    if (task.call.bits >> 31)
        return padici_fail_in(context, PADIC_ERROR_SELF_TEST, name, "A x is not b: a fault");
    if (bits & PADIC_NUM_HARD && !desc->sticky && !s.status.wanted)
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, name,
                              "a system has no result, and there is neither status nor sticky to "
                              "say which");
    return PADIC_OK;
}

static PADICI_NOINLINE size_t padici_num_solve_size(const padic_num_solve_desc *desc,
                                                 const padic_tensor *right)
{
    padici_num_solving s;
    padici_num_solve_room m;
    uint64_t words;
    if (padici_num_solve_begin(NULL, &s, desc, right)) return 0;
    words = padici_num_solve_lay(&s, NULL, &m);
    return words > (size_t)-1 / 16 ? 0 : (size_t)words * sizeof(uint64_t);
}

PADIC_API uint64_t padic_num_solve_workspace(const padic_num_solve_desc *desc)
{
    return desc ? padici_num_solve_size(desc, &desc->right) : 0;
}

PADIC_API padic_result padic_num_solve(padic_context *context, const padic_num_solve_desc *desc)
{
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_solve", "desc is NULL");
    return padici_num_solve_run(context, "num_solve", PADIC_OP_NUM_SOLVE, desc, &desc->right);
}

// A determinant is a system without right sides.
static padic_num_solve_desc padici_num_det_desc(const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    memset(&solve, 0, sizeof solve);
    solve.matrix = desc->matrix;
    solve.det = desc->out;
    solve.status = desc->status;
    solve.sticky = desc->sticky;
    solve.workspace = desc->workspace;
    return solve;
}

PADIC_API uint64_t padic_num_det_workspace(const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    if (!desc) return 0;
    solve = padici_num_det_desc(desc);
    return padici_num_solve_size(&solve, NULL);
}

PADIC_API padic_result padic_num_det(padic_context *context, const padic_num_det_desc *desc)
{
    padic_num_solve_desc solve;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_det", "desc is NULL");
    solve = padici_num_det_desc(desc);
    return padici_num_solve_run(context, "num_det", PADIC_OP_NUM_DET, &solve, NULL);
}

PADIC_API padic_result padic_num_hadamard(padic_context *context,
                                          const padic_num_hadamard_desc *desc)
{
    padici_num_task task;
    padici_num_solving s;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_hadamard", "desc is NULL");
    result = padici_num_solve_sizes(context, &s, &desc->matrix, NULL);
    s.context = context;
    s.bound = 1;
    s.pieces = PADICI_NUM_CHUNKS;
    padici_num_solve_task(&task, "num_hadamard", PADIC_OP_NUM_HADAMARD, &s);
    if (!result) {
        result = padici_num_integers_of(context, &task.memory, &desc->matrix,
                                        s.batch * s.n * s.n, 1u << s.dtype, 0, &s.matrix);
        if (!result && s.batch && !s.matrix.wanted) result = PADIC_ERROR_ARGUMENT;
        padici_blame(context, result, "matrix", NULL, NULL);
    }
    if (!result) {
        result = padici_num_integers_of(context, &task.memory, &desc->out, s.batch,
                                        1u << PADIC_U32 | 1u << PADIC_I32, 1, &s.rank);
        if (!result && s.batch && !s.rank.wanted) result = PADIC_ERROR_ARGUMENT;
        padici_blame(context, result, "out", NULL, NULL);
    }
    if (!result && task.memory.device && task.memory.host)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL,
                              "and matrix lie apart, in host memory and on a device");
    if (!result) result = padici_num_overlap(task.memory.range, task.memory.count);
    if (result) return padici_fault(context, result, "num_hadamard");
    return s.batch ? padici_run_task(context, task.op, &task) : PADIC_OK;
}

#endif
