#include "channels.h"
#include "../context/messages.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/view.h"
#include "array.h"

#if PADICI_IMPLEMENT_NUM

// ------------------------------------------------------------------------------ >>channels impl

PADICI_FN void padici_num_sweep_begin(padici_num_sweep *sweep, const char *name, const void *desc,
                                      void (*loop)(padici_num_sweep *sweep, uint32_t piece,
                                                   uint64_t first, uint64_t end))
{
    memset(sweep, 0, sizeof *sweep);
    sweep->name = name;
    sweep->desc = desc;
    sweep->loop = loop;
}

PADICI_FN void padici_num_sweep_tensor(padici_num_sweep *sweep, uint32_t j, const char *field,
                                   const padic_tensor *tensor, uint32_t allowed, uint32_t out)
{
    sweep->field[j] = field;
    sweep->tensor[j] = tensor;
    sweep->allowed[j] = allowed;
    sweep->out |= out << j;
}

PADICI_FN void padici_num_sweep_status(padici_num_sweep *sweep, const padic_tensor *status,
                                   uint32_t *sticky)
{
    if (status->dtype || status->data)
        padici_num_sweep_tensor(sweep, PADICI_NUM_SWEEP_STATUS, "status", status, 1u << PADIC_U8,
                                1);
    sweep->sticky = sticky;
}

// Checks the tensors and finds their memory; `count` is that of tensor 0. Two tensors may share
// memory only if they have the same dtype and `alike` has the bits of both.
PADICI_FN padic_result padici_num_sweep_check(padic_context *context, padici_num_sweep *sweep,
                                          uint32_t alike)
{
    uint32_t j;
    padic_result result = padici_tensor_check_shape(sweep->tensor[0], &sweep->count);
    padici_blame(context, result, sweep->field[0], NULL, NULL);
    for (j = 0; !result && j < PADICI_NUM_SWEEP_TENSORS; j++) {
        const padic_tensor *t = sweep->tensor[j];
        if (!t) continue;
        result = padici_num_plane(context, t, sweep->count, sweep->allowed[j], &sweep->data[j]);
        padici_blame(context, result, sweep->field[j], NULL, NULL);
        sweep->size[j] = padic_dtype_size(t->dtype);
        padici_num_range_add(sweep->range, &sweep->ranges, sweep->data[j],
                             sweep->count * sweep->size[j], alike >> j & 1 ? (uint32_t)t->dtype : 0,
                             sweep->out >> j & 1);
    }
    padici_num_range_add(sweep->range, &sweep->ranges, sweep->sticky, sizeof(uint32_t), 0, 1);
    return result ? result : padici_num_overlap(sweep->range, sweep->ranges);
}

static void padici_num_sweep_piece(void *arg, uint32_t piece)
{
    padici_num_sweep *sweep = (padici_num_sweep *)arg;
    const uint64_t first = piece * sweep->chunk, left = sweep->count - first;
    (*sweep->loop)(sweep, piece, first, first + (left < sweep->chunk ? left : sweep->chunk));
}

PADICI_FN padic_result padici_num_sweep_run(padic_context *context, padici_num_sweep *sweep)
{
    const padic_jobs *jobs = padici_jobs(context);
    uint64_t pieces = jobs && jobs->workers > 1 ? (sweep->count >> 12) + 1 : 1;
    uint32_t j, bits = 0;
    if (!sweep->count) return PADIC_OK;
    if (pieces > PADICI_NUM_CHUNKS) pieces = PADICI_NUM_CHUNKS;
    sweep->chunk = ((sweep->count + pieces - 1) / pieces + 63) & ~UINT64_C(63);
    pieces = (sweep->count + sweep->chunk - 1) / sweep->chunk;
    padici_parallel(jobs, (uint32_t)pieces, padici_num_sweep_piece, sweep);
    for (j = 0; j < pieces; j++) bits |= sweep->bits[j];
    if (sweep->sticky) *sweep->sticky |= bits;
    if (bits & PADIC_NUM_HARD && !sweep->sticky && !sweep->data[PADICI_NUM_SWEEP_STATUS])
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, sweep->name, PADICI_NUM_SILENT);
    return PADIC_OK;
}

#endif
