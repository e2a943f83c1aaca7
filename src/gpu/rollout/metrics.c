#include "metrics.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/state.h"
#include "../../core/memory.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Metrics of frames while a rollout runs: kernels/rollout/measure.cl, spectrum.cl.

#define PADICI_GPU_ROLLOUT_SUMS 18u   // numbers of 1,024 cells of a channel
#define PADICI_GPU_ROLLOUT_BINS 2048u // most bins
#define PADICI_GPU_ROLLOUT_SIDE 2048u // most rows and columns of SPECTRUM
#define PADICI_GPU_ROLLOUT_ROOM 4096u // numbers of local memory of its kernels

static padic_result padici_gpu_rollout_spectrum_begin(padici_gpu_rollout *n,
                                                      const padic_rollout_run_desc *desc,
                                                      padici_gpu_rollout_meter *m)
{
    static const uint32_t kernels[3] = {PADICI_KERNEL_ROLLOUT_SPECTRUM_ROWS,
                                        PADICI_KERNEL_ROLLOUT_SPECTRUM_COLUMNS,
                                        PADICI_KERNEL_ROLLOUT_SPECTRUM_BANDS};
    const uint64_t *shape = desc->initial.shape, side = PADICI_GPU_ROLLOUT_SIDE;
    padic_result result = PADIC_OK;
    uint32_t i;
    if (!(m->metrics & PADIC_ROLLOUT_METRIC_SPECTRUM)) return PADIC_OK;
    if (shape[2] > side || shape[3] > side) return PADIC_ERROR_NOT_SUPPORTED;
    m->height = (uint32_t)shape[2];
    m->width = (uint32_t)shape[3];
    m->bands = m->columns;
    for (i = 0; 1u << i < (uint32_t)PADIC_ROLLOUT_METRIC_SPECTRUM; i++)
        m->bands -= m->metrics >> i & 1;
    m->units = padici_gpu_rollout_reserve(n, m->parts);
    m->modes = padici_gpu_rollout_reserve(
        n, (uint64_t)m->channels * (m->width / 2 + 1) * 2 * m->height);
    m->turns = (uint32_t)n->packed;
    n->packed += 2 * ((uint64_t)m->width + m->height);
    for (i = 0; i < 3 && !result; i++) result = padici_gpu_need(n->gpu, kernels[i], NULL, 0);
    return result;
}

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
    if (m->bins > PADICI_GPU_ROLLOUT_BINS) return PADIC_ERROR_NOT_SUPPORTED;
    m->pairs = (m->metrics & two) != 0;
    if (m->pairs) m->old = padici_gpu_rollout_reserve(n, m->channels * cells);
    m->sums = padici_gpu_rollout_reserve(
        n, (uint64_t)PADICI_GPU_ROLLOUT_SUMS * m->channels * m->chunks);
    result = padici_gpu_need(n->gpu, PADICI_KERNEL_ROLLOUT_MEASURE_CELLS, NULL, 0);
    if (!result) result = padici_gpu_need(n->gpu, PADICI_KERNEL_ROLLOUT_MEASURE_REDUCE, NULL, 0);
    return result ? result : padici_gpu_rollout_spectrum_begin(n, desc, m);
}

// cos and sin of 2 pi j/n, of a row's cells and then of a column's.
PADICI_FN padic_result padici_gpu_rollout_meter_fill(const padici_gpu_rollout *n,
                                                     const padici_gpu_rollout_meter *m)
{
    const padic_allocator *allocator = n->gpu->context->env.allocator;
    const size_t size = 2 * sizeof(float) * ((size_t)m->width + m->height);
    padic_result result;
    float *turns;
    uint32_t i;
    if (!m->bands) return PADIC_OK;
    turns = (float *)padici_alloc(allocator, size, 16);
    if (!turns) return padici_fail_here(n->gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    n->gpu->context->stats.host_allocations++;
    for (i = 0; i < m->width + m->height; i++) {
        const uint32_t count = i < m->width ? m->width : m->height;
        const uint32_t j = i < m->width ? i : i - m->width;
        const double angle = 6.283185307179586477 * (double)j / (double)count;
        turns[2 * i] = (float)cos(angle);
        turns[2 * i + 1] = (float)sin(angle);
    }
    result = padici_gpu_upload(n->gpu, n->weights.mem, (uint64_t)m->turns * 4, turns, size);
    padici_free(allocator, turns, size);
    return result;
}

// The bands of X, after its sums and units.
static padic_result padici_gpu_rollout_spectrum(const padici_gpu_rollout *n,
                                                const padici_gpu_rollout_meter *m,
                                                const padici_k_rollout_reduce_params *r,
                                                padic_mem out)
{
    padici_k_rollout_spectrum_params k;
    padici_k_rollout_bands_params b;
    padic_mem mem[2];
    padic_result result;
    memset(&k, 0, sizeof k);
    k.height = m->height;
    k.width = m->width;
    k.columns = m->width / 2 + 1;
    k.lines = PADICI_GPU_ROLLOUT_ROOM / (m->width + 1);
    if (k.lines > 16) k.lines = 16;
    if (k.lines > m->height) k.lines = m->height;
    k.chunks = m->chunks;
    k.shared = m->channels / m->parts;
    k.x = r->x;
    k.sums = m->sums;
    k.units = m->units;
    k.modes = m->modes;
    k.turns = m->turns;
    k.step = r->step;
    k.scale = (float)(1 / (double)m->cells);
    mem[0] = n->memory.mem;
    mem[1] = n->weights.mem;
    result = padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_SPECTRUM_ROWS, mem, 2, &k,
                                       sizeof k, (k.height + k.lines - 1) / k.lines, m->channels,
                                       n->count);
    if (!result)
        result = padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_SPECTRUM_COLUMNS, mem, 2, &k,
                                           sizeof k, k.columns, m->channels, n->count);
    memset(&b, 0, sizeof b);
    b.height = k.height;
    b.width = k.width;
    b.columns = k.columns;
    b.shared = k.shared;
    b.units = k.units;
    b.modes = k.modes;
    b.step = k.step;
    b.out = r->out + m->columns - m->bands;
    b.row = r->row;
    b.group = m->columns;
    b.first = n->first;
    mem[1] = out;
    return result ? result
                  : padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_SPECTRUM_BANDS, mem, 2, &b,
                                              sizeof b, m->bands, m->parts, n->count);
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
    r.units = m->units;
    r.low = m->low;
    r.high = m->high;
    result = padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_MEASURE_REDUCE, mem, 2, &r,
                                       sizeof r, m->parts, 1, n->count);
    return result || !m->bands ? result : padici_gpu_rollout_spectrum(n, m, &r, out->now.mem);
}

#undef PADICI_GPU_ROLLOUT_SUMS
#undef PADICI_GPU_ROLLOUT_BINS
#undef PADICI_GPU_ROLLOUT_SIDE
#undef PADICI_GPU_ROLLOUT_ROOM

#endif
