#include "metrics.h"
#include "../../context/operation.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Metrics of frames while a rollout runs: kernels/rollout/measure.cl.

#define PADICI_GPU_ROLLOUT_SUMS 18u   // numbers of 1,024 cells of a channel
#define PADICI_GPU_ROLLOUT_BINS 2048u // most bins

PADICI_FN padic_result padici_gpu_rollout_meter_begin(padici_gpu_rollout *n,
                                                      const padic_rollout_run_desc *desc,
                                                      uint32_t columns,
                                                      padici_gpu_rollout_meter *m)
{
    const uint64_t *shape = desc->initial.shape, cells = shape[2] * shape[3];
    const uint32_t two = PADIC_ROLLOUT_METRIC_AUTOCORRELATION | PADIC_ROLLOUT_METRIC_STEP_NORM;
    const uint32_t all = (PADIC_ROLLOUT_METRIC_SPECTRUM - 1);
    padic_result result;
    memset(m, 0, sizeof *m);
    if (!columns) return PADIC_OK;
    m->on = 1;
    m->metrics = desc->reduce.metrics ? desc->reduce.metrics : all;
    m->every = desc->reduce_every ? desc->reduce_every : 1;
    m->rows = (uint32_t)padici_rollout_run_measured(desc);
    m->channels = (uint32_t)shape[1];
    m->parts = desc->reduce.per_channel ? m->channels : 1;
    m->columns = columns / m->parts;
    m->cells = (uint32_t)cells;
    m->chunks = (m->cells - 1) / PADICI_GPU_ROLLOUT_CELLS + 1;
    if (m->metrics & PADIC_ROLLOUT_METRIC_ENTROPY)
        m->bins = desc->reduce.bins ? desc->reduce.bins : 50;
    m->ranged = desc->reduce.range != NULL;
    if (m->ranged) {
        m->low = desc->reduce.range[0];
        m->high = desc->reduce.range[1];
    }
    if ((m->metrics & PADIC_ROLLOUT_METRIC_SPECTRUM) || m->bins > PADICI_GPU_ROLLOUT_BINS)
        return PADIC_ERROR_NOT_SUPPORTED;
    m->pairs = (m->metrics & two) != 0;
    if (m->pairs) m->old = padici_gpu_rollout_reserve(n, m->channels * cells);
    m->sums = padici_gpu_rollout_reserve(
        n, (uint64_t)PADICI_GPU_ROLLOUT_SUMS * m->channels * m->chunks);
    result = padici_gpu_need(n->gpu, PADICI_KERNEL_ROLLOUT_MEASURE_CELLS, NULL, 0);
    return result ? result
                  : padici_gpu_need(n->gpu, PADICI_KERNEL_ROLLOUT_MEASURE_REDUCE, NULL, 0);
}

PADICI_FN padic_result padici_gpu_rollout_meter_before(const padici_gpu_rollout *n,
                                                       const padici_gpu_rollout_meter *m,
                                                       uint32_t t)
{
    if (!m->on || !m->pairs || !t || (!m->single && t % m->every)) return PADIC_OK;
    return padici_gpu_rollout_copy(n, 0, n->memory.mem, m->old, (uint32_t)n->each);
}

PADICI_FN padic_result padici_gpu_rollout_meter_after(const padici_gpu_rollout *n,
                                                      const padici_gpu_rollout_meter *m,
                                                      const padic_tensor *metrics, uint32_t t)
{
    const padici_operand *out = padici_gpu_rollout_operand(n->call, metrics);
    padici_k_rollout_measure_params k;
    padici_k_rollout_reduce_params r;
    padic_mem mem[2];
    padic_result result;
    if (!m->on || !out || !out->bytes || (!m->single && t % m->every)) return PADIC_OK;
    memset(&k, 0, sizeof k);
    k.channels = m->channels;
    k.cells = m->cells;
    k.chunks = m->chunks;
    k.x = n->state_at;
    k.old = m->old;
    k.sums = m->sums;
    k.step = (uint32_t)n->each;
    k.before = m->pairs && t;
    mem[0] = n->memory.mem;
    mem[1] = out->now.mem;
    result = padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_MEASURE_CELLS, mem, 1, &k,
                                       sizeof k, k.chunks, k.channels, n->count);
    if (result) return result;
    memset(&r, 0, sizeof r);
    r.cells = m->cells;
    r.chunks = m->chunks;
    r.parts = m->parts;
    r.each = m->channels / m->parts * m->chunks;
    r.x = k.x;
    r.sums = k.sums;
    r.step = k.step;
    r.before = k.before;
    r.metrics = m->metrics;
    r.columns = m->columns;
    r.row = (m->single ? 1 : m->rows) * m->columns * m->parts;
    r.out = (uint32_t)(out->now.at / 4);
    if (!m->single) r.out += t / m->every * m->columns * m->parts;
    r.first = n->first;
    r.bins = m->bins;
    r.ranged = m->ranged;
    r.low = m->low;
    r.high = m->high;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_MEASURE_REDUCE, mem, 2, &r, sizeof r,
                                     m->parts, 1, n->count);
}

#undef PADICI_GPU_ROLLOUT_SUMS
#undef PADICI_GPU_ROLLOUT_BINS

#endif
