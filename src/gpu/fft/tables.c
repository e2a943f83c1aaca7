#include "tables.h"
#include "power.h"
#include "../../context/messages.h"
#include "../../context/recording.h"
#include "../../context/operation.h"
#include "../../context/pool.h"
#include "../../core/memory.h"
#include "../../core/tensor.h"
#include "../../fft/roots.h"
#include "../launch.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FFT)

// Tables of transforms in a device's memory: roots of unity, chirps. Most are kept as long as the
// context, since recorded launches may use them.

// m as a product of two numbers that local memory holds, as equal as can be.
static int padici_gpu_fft_matrix(uint64_t m, uint64_t most, padici_gpu_fft_layout *layout)
{
    uint64_t d = 1;
    if (m > most * most) return 0;
    layout->m = layout->n1 = (uint32_t)m;
    layout->n2 = 1;
    if (m <= most) return 1;
    while ((d + 1) * (d + 1) <= m) d++;
    while (m % d) d--;
    layout->n1 = (uint32_t)d;
    layout->n2 = (uint32_t)(m / d);
    return layout->n2 <= most;
}

// 0 for what kernels do not do.
PADICI_FN int padici_gpu_fft_layout_of(uint64_t n, uint32_t is_double,
                                       padici_gpu_fft_layout *layout)
{
    const uint64_t most = PADICI_GPU_FFT_POINTS(is_double);
    uint64_t m = n;
    memset(layout, 0, sizeof *layout);
    if (n > most * most) return 0;
    if (!padici_fft_smooth(n) || !padici_gpu_fft_matrix(n, most, layout))
        for (m = padic_fft_next_size(2 * n - 1); !padici_gpu_fft_matrix(m, most, layout);
             m = padic_fft_next_size(m + 1))
            if (m > most * most) return 0;
    layout->n = (uint32_t)n;
    layout->is_double = is_double;
    layout->roots[1] = layout->size = layout->n1;
    if (layout->n2 > 1) {
        while (m > UINT64_C(1) << 2 * layout->shift) layout->shift++;
        layout->twist = layout->roots[1] + layout->n2;
        layout->size = layout->twist + (1u << layout->shift) + (uint32_t)(m >> layout->shift) + 1;
    }
    if (m == n) return 1;
    layout->chirp = layout->size;
    layout->spectrum = layout->chirp + (uint32_t)n;
    layout->size = layout->spectrum + (uint32_t)m;
    return 1;
}

static void padici_gpu_fft_put(const padici_gpu_fft_layout *layout, void *table, uint64_t i,
                               const double *number)
{
    const uint32_t is_double = layout->is_double;
    char *at = (char *)table + i * (is_double ? 16 : 8);
    padici_fft_put(at, is_double, number[0]);
    padici_fft_put(at + (is_double ? 8 : 4), is_double, number[1]);
}

// Roots `step` k of order n, k < count, from number `to` of the table on.
static padic_result padici_gpu_fft_roots(const padic_env *env, const padici_gpu_fft_layout *layout,
                                         void *table, uint32_t to, uint64_t n, uint64_t step,
                                         uint64_t count)
{
    padici_fft_roots roots;
    double root[2];
    uint64_t k;
    const padic_result result = padici_fft_roots_begin(&roots, env->allocator, n);
    for (k = 0; k < count && !result; k++) {
        padici_fft_root(&roots, k * step % n, root);
        padici_gpu_fft_put(layout, table, to + k, root);
    }
    if (!result) padici_fft_roots_end(&roots);
    return result;
}

// exp(-pi i j^2 / n), and the spectrum of its conjugates over its length, as the reference has
// them: see fft/line.c. `wave`: m complex numbers of f64.
static padic_result padici_gpu_fft_chirps(const padic_env *env,
                                          const padici_gpu_fft_layout *layout, void *table,
                                          double *wave)
{
    const uint64_t n = layout->n, m = layout->m;
    padic_fft_transform_desc fft;
    padici_fft_roots roots;
    uint64_t j;
    padic_result result = padici_fft_roots_begin(&roots, env->allocator, 2 * n);
    if (result) return result;
    memset(wave, 0, (size_t)m * 16);
    for (j = 0; j < n; j++) {
        double *at = wave + 2 * j, *mirrored = wave + 2 * (j ? m - j : 0);
        padici_fft_root(&roots, j * j % (2 * n), at);
        padici_gpu_fft_put(layout, table, layout->chirp + j, at);
        at[0] /= (double)m;
        at[1] /= -(double)m;
        mirrored[0] = at[0];
        mirrored[1] = at[1];
    }
    padici_fft_roots_end(&roots);
    memset(&fft, 0, sizeof fft);
    fft.out = padic_tensor_1d(PADIC_C128, wave, m);
    result = padici_fft_transform_host(env, &fft);
    for (j = 0; j < m && !result; j++)
        padici_gpu_fft_put(layout, table, layout->spectrum + j, wave + 2 * j);
    return result;
}

static padic_result padici_gpu_fft_fill(const padic_env *env, const padici_gpu_fft_layout *layout,
                                        void *table, double *wave)
{
    const uint64_t m = layout->m, part = UINT64_C(1) << layout->shift;
    padic_result result =
        padici_gpu_fft_roots(env, layout, table, 0, layout->n1, 1, layout->n1);
    if (!result && layout->n2 > 1)
        result = padici_gpu_fft_roots(env, layout, table, layout->roots[1], layout->n2, 1,
                                      layout->n2);
    if (!result && layout->n2 > 1)
        result = padici_gpu_fft_roots(env, layout, table, layout->twist, m, 1, part);
    if (!result && layout->n2 > 1)
        result = padici_gpu_fft_roots(env, layout, table, layout->twist + (uint32_t)part, m, part,
                                      m / part + 1);
    if (!result && wave) result = padici_gpu_fft_chirps(env, layout, table, wave);
    return result;
}

// Makes the tables and moves them to `block`.
static padic_result padici_gpu_fft_move(padici_gpu *gpu, const padici_gpu_fft_layout *layout,
                                        padici_gpu_block *block)
{
    const size_t size = (size_t)layout->size * (layout->is_double ? 16 : 8);
    const size_t waves = layout->spectrum ? (size_t)layout->m * 16 : 0;
    padic_env env = gpu->context->env;
    padic_result result;
    char *table = (char *)padici_alloc(env.allocator, size + waves + 16, 16);
    if (!table) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    gpu->context->stats.host_allocations++;
    env.jobs = NULL;
    result = padici_gpu_fft_fill(
        &env, layout, table, waves ? (double *)(void *)(table + (size + 15) / 16 * 16) : NULL);
    if (!result) result = padici_gpu_scratch(gpu, size, block);
    if (!result) result = padici_gpu_upload(gpu, block->mem, 0, table, size);
    padici_free(env.allocator, table, size + waves + 16);
    return result;
}

// Keeps new tables, in place of those that were not used for the longest time, none of which a
// recording may use, nor this call, which began after `since`. Else they stay the caller's.
static void padici_gpu_fft_keep(padici_gpu *gpu, const padici_gpu_fft_layout *layout,
                                uint64_t since, padici_gpu_block *block)
{
    padici_gpu_state *state = gpu->state;
    uint32_t i, oldest;
    for (;;) {
        for (i = 0; i < PADICI_GPU_FFT_KEPT && state->fft[i].n; i++) continue;
        if (i < PADICI_GPU_FFT_KEPT && block->size <= PADICI_GPU_FFT_BYTES - state->fft_bytes)
            break;
        oldest = PADICI_GPU_FFT_KEPT;
        for (i = 0; i < PADICI_GPU_FFT_KEPT; i++)
            if (state->fft[i].n && !state->fft[i].recorded && state->fft[i].used <= since &&
                (oldest == PADICI_GPU_FFT_KEPT || state->fft[i].used < state->fft[oldest].used))
                oldest = i;
        if (oldest == PADICI_GPU_FFT_KEPT) return;
        padici_pool_give(gpu->context, &gpu->context->pools[0], state->fft[oldest].block);
        state->fft_bytes -= state->fft[oldest].size;
        state->fft[oldest].n = 0;
    }
    state->fft[i].n = layout->n;
    state->fft[i].is_double = layout->is_double;
    state->fft[i].block = block->block;
    state->fft[i].recorded = 0;
    state->fft[i].size = block->size;
    state->fft[i].used = ++state->fft_calls;
    state->fft[i].mem = block->mem;
    state->fft_bytes += block->size;
    block->block = PADICI_NO_BLOCK;
}

// The tables of a layout: kept ones, whose block is none of the caller's, or new ones. `since`:
// state->fft_calls as the call began.
PADICI_FN padic_result padici_gpu_fft_tables(padici_gpu *gpu, const padici_gpu_fft_layout *layout,
                                             uint64_t since, padici_gpu_block *block)
{
    padici_gpu_state *state = gpu->state;
    padic_result result;
    uint32_t i;
    memset(block, 0, sizeof *block);
    block->block = PADICI_NO_BLOCK;
    for (i = 0; i < PADICI_GPU_FFT_KEPT; i++)
        if (state->fft[i].n == layout->n && state->fft[i].is_double == layout->is_double) {
            block->mem = state->fft[i].mem;
            state->fft[i].used = ++state->fft_calls;
            if (gpu->context->recording) state->fft[i].recorded = 1;
            return PADIC_OK;
        }
    if (gpu->context->recording)
        return padici_refuse(gpu->context, "the first transform of a length, which makes tables,");
    result = padici_gpu_fft_move(gpu, layout, block);
    if (!result) padici_gpu_fft_keep(gpu, layout, since, block);
    return result;
}

#endif
