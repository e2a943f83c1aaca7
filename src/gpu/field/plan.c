#include "plan.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/pool.h"
#include "../../context/recording.h"
#include "../../core/memory.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../../fft/roots.h"
#include "../launch.h"
#include "lines.h"
#include "norm.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// What a plan has in a device's memory: tables. They are made by the
// first call that works there, and again after padic_field_plan_set().

static uint32_t padici_gpu_field_take(uint64_t *used, uint64_t count)
{
    const uint64_t at = *used;
    *used += (count + 7) & ~(uint64_t)7;
    return (uint32_t)at;
}

static void padici_gpu_field_arrange(const padici_field_rules *rules, padici_gpu_field_layout *at)
{
    uint64_t used = 8, longest = 0; // so that no table lies at 0
    uint32_t a;
    for (a = 0; a < 3; a++) {
        const uint64_t n = rules->n[a];
        at->trap[a] = padici_gpu_field_take(&used, n);
        at->x[a] = padici_gpu_field_take(&used, n);
        if (rules->desc.method == PADIC_FIELD_METHOD_CAYLEY2) {
            at->inverse[a] = padici_gpu_field_take(&used, 2 * n);
            at->column[a] = padici_gpu_field_take(&used, 2 * n + 2);
        }
        if (!rules->spectral) continue;
        at->roots[a] = padici_gpu_field_take(&used, 2 * n);
        at->turn[0][a] = padici_gpu_field_take(&used, 2 * n);
        at->turn[1][a] = padici_gpu_field_take(&used, 2 * n);
        at->modes[a] = padici_gpu_field_take(&used, n);
        at->k[a] = padici_gpu_field_take(&used, n);
        if (rules->desc.dims < 2) continue;
        at->slope[a] = padici_gpu_field_take(&used, n);
        at->place[a] = padici_gpu_field_take(&used, n);
        if (n > longest) longest = n;
    }
    at->none = padici_gpu_field_take(&used, longest);
    at->stop = padici_gpu_field_take(&used, rules->fields);
    at->rest = padici_gpu_field_take(&used, rules->fields);
    at->shift = padici_gpu_field_take(&used, rules->fields);
    at->terms = padici_gpu_field_take(&used, 2 * PADIC_FIELD_TERMS);
    at->potential = at->absorber = 0;
    if (rules->desc.potential.data || rules->desc.absorber.data)
        at->potential = padici_gpu_field_take(&used, rules->points);
    if (rules->desc.absorber.data) at->absorber = padici_gpu_field_take(&used, rules->points);
    at->size = used;
}

static void padici_gpu_field_put(const padici_gpu_field *x, void *table, uint64_t at, double value)
{
    if (x->rules->is_double) ((double *)table)[at] = value;
    else ((float *)table)[at] = (float)value;
}

// b of CAYLEY2's factors along axis a: see padici_field_cayley().
PADICI_FN void padici_gpu_field_beside(const padici_field_rules *rules, uint32_t a, double b[2])
{
    const padic_field_plan_desc *desc = &rules->desc;
    const double size = desc->dt * desc->kinetic / (2 * rules->h[a] * rules->h[a]);
    const int imaginary = desc->time == PADIC_FIELD_TIME_IMAGINARY;
    b[0] = imaginary ? size : 0;
    b[1] = imaginary ? 0 : size;
}

// Tables of axis a for transforms, whose lengths have kernels.
static padic_result padici_gpu_field_modes(const padici_gpu_field *x, uint32_t a, void *table)
{
    const padic_field_plan *plan = x->plan;
    const uint64_t n = x->rules->n[a];
    padici_fft_roots roots;
    double time[2], root[2];
    uint64_t i;
    uint32_t which;
    const padic_result result =
        padici_fft_roots_begin(&roots, padici_allocator(plan->context), n);
    if (result) return result;
    (void)padici_field_substeps(&x->rules->desc, time);
    for (i = 0; i < n; i++) {
        padici_fft_root(&roots, i, root);
        padici_gpu_field_put(x, table, x->at.roots[a] + 2 * i, root[0]);
        padici_gpu_field_put(x, table, x->at.roots[a] + 2 * i + 1, root[1]);
        for (which = 0; which < 2; which++) {
            const double angle = -time[which] * plan->k[a][i];
            const int decays = x->rules->desc.time == PADIC_FIELD_TIME_IMAGINARY;
            const uint64_t to = x->at.turn[which][a] + 2 * i;
            padici_gpu_field_put(x, table, to, (decays ? exp(angle) : cos(angle)) / (double)n);
            padici_gpu_field_put(x, table, to + 1, (decays ? 0 : sin(angle)) / (double)n);
        }
        padici_gpu_field_put(x, table, x->at.modes[a] + i,
                             plan->k[a][i] / (double)x->rules->points);
    }
    padici_fft_roots_end(&roots);
    return PADIC_OK;
}

// Factors of CAYLEY2 along axis a.
static void padici_gpu_field_factors(const padici_gpu_field *x, uint32_t a, void *table)
{
    const uint64_t n = x->rules->n[a];
    double b[2], corner[2], *inverse = x->plan->line, *column = inverse + 2 * n;
    uint64_t i;
    padici_gpu_field_beside(x->rules, a, b);
    if (!padici_field_lines_factors(x->rules, a, b, inverse, column, corner)) return;
    for (i = 0; i < 2 * n; i++) {
        padici_gpu_field_put(x, table, x->at.inverse[a] + i, inverse[i]);
        padici_gpu_field_put(x, table, x->at.column[a] + i, column[i]);
    }
    padici_gpu_field_put(x, table, x->at.column[a] + 2 * n, corner[0]);
    padici_gpu_field_put(x, table, x->at.column[a] + 2 * n + 1, corner[1]);
}

static padic_result padici_gpu_field_axis(const padici_gpu_field *x, uint32_t a, void *table)
{
    uint64_t i;
    for (i = 0; i < x->rules->n[a]; i++) {
        padici_gpu_field_put(x, table, x->at.trap[a] + i, x->plan->trap[a][i]);
        padici_gpu_field_put(x, table, x->at.x[a] + i, x->plan->x[a][i]);
    }
    for (i = 0; i < x->rules->n[a] && x->at.k[a]; i++) {
        const double omega = x->rules->desc.rotation, place = x->plan->x[a][i];
        padici_gpu_field_put(x, table, x->at.k[a] + i, x->plan->k[a][i]);
        if (!x->at.slope[a]) continue;
        padici_gpu_field_put(x, table, x->at.slope[a] + i, x->plan->slope[a][i]);
        if (a == x->rules->first || a == x->rules->first + 1)
            padici_gpu_field_put(x, table, x->at.place[a] + i,
                                 a == x->rules->first ? -omega * place : omega * place);
    }
    if (x->at.inverse[a] && a >= x->rules->first) padici_gpu_field_factors(x, a, table);
    return x->rules->spectral ? padici_gpu_field_modes(x, a, table) : PADIC_OK;
}

static padic_result padici_gpu_field_fill(padici_gpu_field *x)
{
    padic_context *context = x->gpu->context;
    const size_t size = (size_t)x->at.size * (x->rules->is_double ? 8 : 4);
    char *table = (char *)padici_alloc(&context->allocator, size, 16);
    padic_result result = PADIC_OK;
    uint64_t i;
    uint32_t a;
    if (!table) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    context->stats.host_allocations++;
    memset(table, 0, size);
    for (a = 0; a < 3 && !result; a++) result = padici_gpu_field_axis(x, a, table);
    for (a = 0; a < x->rules->terms; a++) {
        padici_gpu_field_put(x, table, x->at.terms + 2 * a, x->rules->g[a]);
        padici_gpu_field_put(x, table, x->at.terms + 2 * a + 1, x->rules->half[a]);
    }
    for (i = 0; i < x->rules->points && x->plan->potential; i++)
        padici_gpu_field_put(x, table, x->at.potential + i, x->plan->potential[i]);
    for (i = 0; i < x->rules->points && x->at.absorber; i++)
        padici_gpu_field_put(x, table, x->at.absorber + i, x->plan->absorber[i]);
    if (!result)
        result = padici_gpu_upload(x->gpu, x->plan->device.mem, 0, table, size);
    padici_free(&context->allocator, table, size);
    return result;
}

// The next piece of memory of the plan.
static padic_result padici_gpu_field_take_block(padici_gpu_field *x, uint64_t size, padic_mem *mem)
{
    padic_field_plan *plan = x->plan;
    padici_gpu_block block;
    const padic_result result = padici_gpu_scratch(x->gpu, size, &block);
    if (result) return result;
    plan->device.block[plan->device.made++] = block.block;
    *mem = block.mem;
    return PADIC_OK;
}

// Whether the plan is to have another copy of psi.
static uint32_t padici_gpu_field_spares(const padici_gpu_field *x)
{
    return x->copies && x->rules->desc.rotation != 0;
}

static padic_result padici_gpu_field_memory(padici_gpu_field *x)
{
    padic_field_plan *plan = x->plan;
    const uint64_t fields = x->rules->fields;
    const uint64_t copy = fields * x->rules->points * (x->rules->is_double ? 16 : 8);
    uint64_t each;
    const uint64_t shares = fields * padici_gpu_field_shares(x->rules->points, &each);
    padic_result result = PADIC_OK;
    if (plan->device.made == 0)
        result = padici_gpu_field_take_block(x, x->at.size * (x->rules->is_double ? 8 : 4),
                                             &plan->device.mem);
    if (!result && plan->device.made == 1)
        result = padici_gpu_field_take_block(x, shares * PADICI_GPU_FIELD_SUMS * 8,
                                             &plan->device.sums);
    if (!result && plan->device.made == 2)
        result = padici_gpu_field_take_block(
            x, fields * (PADICI_GPU_FIELD_STATE + PADIC_FIELD_COLUMNS) * 8, &plan->device.state);
    if (!result && plan->device.made == 3 && x->copies)
        result = padici_gpu_field_take_block(x, copy, &plan->device.copy);
    if (!result && plan->device.made == 4 && padici_gpu_field_spares(x))
        result = padici_gpu_field_take_block(x, copy, &plan->device.spare);
    return result;
}

// The memory, and what is in it. A plan that has it all keeps it.
PADICI_FN padic_result padici_gpu_field_ready(padici_gpu_field *x)
{
    padic_field_plan *plan = x->plan;
    padici_gpu *gpu = x->gpu;
    padic_result result;
    if (plan->device.made >= 3 + x->copies + padici_gpu_field_spares(x) &&
        plan->device.tables == plan->tables) {
        if (gpu->context->recording) plan->device.recorded = 1;
        return PADIC_OK;
    }
    if (gpu->context->recording)
        return padici_refuse(gpu->context, "the first call with a plan, which makes tables,");
    result = padici_gpu_field_memory(x);
    if (!result) result = padici_gpu_field_fill(x);
    if (!result) plan->device.tables = plan->tables;
    return result;
}

// Fields of a view. 0: beyond what kernels reach.
PADICI_FN int padici_gpu_field_reach(const padici_gpu_field *x, const padici_operand *o,
                                     padici_gpu_field_place *place)
{
    const padici_field_rules *rules = x->rules;
    const uint32_t real = rules->is_double ? 8 : 4, lead = rules->planar + (rules->desc.batch > 0);
    int64_t stride[PADIC_MAX_RANK];
    uint64_t unit = rules->planar ? real : 2 * real, scale = 1;
    uint32_t a;
    memset(place, 0, sizeof *place);
    if (o->now.at % real || (o->now.at + o->bytes) / real >> 32) return 0;
    padici_tensor_dense(o->tensor, stride);
    place->planar = rules->planar;
    if (!rules->planar && o->now.at % unit) { // reals with gaps
        place->planar = 1;
        unit = real;
        scale = 2;
    }
    place->mem = o->now.mem;
    place->base = (uint32_t)(o->now.at / unit);
    place->imaginary = rules->planar ? (uint32_t)stride[0] : 1;
    for (a = 0; a < rules->desc.dims; a++)
        place->step[rules->first + a] = (uint32_t)((uint64_t)stride[lead + a] * scale);
    if (rules->desc.batch) place->field = (uint32_t)((uint64_t)stride[rules->planar] * scale);
    return 1;
}

// How the power of each term is computed, + 1: 4 bits each.
PADICI_FN uint32_t padici_gpu_field_powers(const padici_gpu_field *x)
{
    uint32_t powers = 0, j;
    for (j = 0; j < x->rules->terms; j++) {
        const double half = x->rules->half[j];
        const uint32_t how = half == 1 ? 1 : half == 2 ? 2 : half == 0.5 ? 0 : 3;
        powers |= (how + 1) << 4 * j;
    }
    return powers;
}

// 0: the kernels do not do such fields, or such a plan.
PADICI_FN int padici_gpu_field_begin(padici_gpu_field *x, padici_gpu *gpu, padic_field_plan *plan,
                                     const padici_operand *psi)
{
    const padici_field_rules *rules = &plan->rules;
    uint32_t a, j;
    memset(x, 0, sizeof *x);
    x->gpu = gpu;
    x->plan = plan;
    x->rules = rules;
    if (rules->is_double && !(gpu->info->features & PADIC_FEATURE_F64)) return 0;
    for (j = 0; j < rules->terms; j++)
        if (rules->half[j] != 1 && rules->half[j] != 2) x->powers = 1;
    if (rules->points >> 30 || rules->points * rules->fields >> 30) return 0;
    padici_gpu_field_arrange(rules, &x->at);
    if (x->at.size >> 31) return 0;
    if (gpu->info->max_alloc && x->at.size * (rules->is_double ? 8 : 4) > gpu->info->max_alloc)
        return 0;
    for (a = rules->first; a < 3; a++)
        if (rules->n[a] > 1) x->axis[x->axes++] = a;
    if (!x->axes) x->axis[x->axes++] = 2;
    if (rules->spectral && !padici_gpu_field_lengths(x)) return 0;
    return padici_gpu_field_reach(x, psi, &x->psi);
}

#endif
