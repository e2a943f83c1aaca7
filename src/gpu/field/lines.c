#include "lines.h"
#include "../launch.h"
#include "../tests.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Launches of the kernels of lines.

static uint32_t padici_gpu_field_points(const padici_gpu_field *x) // of a group
{
    return x->rules->is_double ? 1024 : 2048;
}

// Whether there are kernels for the lengths of all axes.
PADICI_FN int padici_gpu_field_lengths(const padici_gpu_field *x)
{
    uint32_t i;
    for (i = 0; i < x->axes; i++) {
        const uint64_t n = x->rules->n[x->axis[i]];
        if (n > padici_gpu_field_points(x) || !padici_fft_smooth(n)) return 0;
    }
    return 1;
}

// The axis along which lines are neighbours, and the third one.
static uint32_t padici_gpu_field_side(uint32_t axis, uint32_t *third)
{
    const uint32_t side = axis == 2 ? 1 : 2;
    *third = 3 - axis - side;
    return side;
}

// Whether lines along an axis are done by the kernel of powers of 2: where its lines are there
// at least in part.
static int padici_gpu_field_two(const padici_gpu_field *x, uint32_t axis)
{
    const uint64_t n = x->rules->n[axis];
    uint32_t third;
    const uint64_t all = x->rules->n[padici_gpu_field_side(axis, &third)];
    if (n < 64 || n & (n - 1)) return 0;
    if (x->gpu->tested) return padici_gpu_tested(x->gpu, "PD_FIELD_N", 0) == n;
    return 4 * all * n >= padici_gpu_field_points(x);
}

static uint32_t padici_gpu_field_defines(const padici_gpu_field *x, uint32_t axis,
                                         const char *defines[8])
{
    static const char *const lengths[] = {"PD_FIELD_N=64",  "PD_FIELD_N=128",  "PD_FIELD_N=256",
                                          "PD_FIELD_N=512", "PD_FIELD_N=1024", "PD_FIELD_N=2048"};
    uint32_t count = 0, i = 0;
    if (padici_gpu_field_two(x, axis)) {
        while (UINT64_C(64) << i < x->rules->n[axis]) i++;
        defines[count++] = lengths[i];
    }
    if (x->at.absorber) defines[count++] = "PD_FIELD_ABSORBER=1";
    if (x->powers) defines[count++] = "PD_FIELD_POWERS=1";
    if (x->psi.planar) defines[count++] = "PD_FIELD_PLANAR=1";
    if (!x->rules->is_double) return count;
    defines[count++] = "PD_FFT_F64=1";
    defines[count++] = "PD_FIELD_WG=128";
    return count;
}

static uint32_t padici_gpu_field_kernel(const padici_gpu_field *x, uint32_t axis)
{
    return padici_gpu_field_two(x, axis) ? PADICI_KERNEL_FIELD_TWO_LINES
                                         : PADICI_KERNEL_FIELD_LINES;
}

PADICI_FN padic_result padici_gpu_field_need_lines(const padici_gpu_field *x)
{
    const char *defines[8];
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < x->axes && !result; i++) {
        const uint32_t count =
            padici_gpu_field_defines(x, x->axis[i], defines);
        result = padici_gpu_need(x->gpu, padici_gpu_field_kernel(x, x->axis[i]), defines, count);
    }
    return result;
}

static void padici_gpu_field_real(double value, uint32_t is_double, uint32_t words[2])
{
    const float narrow = (float)value;
    uint64_t bits;
    words[1] = 0;
    memcpy(words, &narrow, 4);
    if (!is_double) return;
    memcpy(&bits, &value, 8);
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
}

// How many lines a group has side by side. Even numbers of them cost where neighbours in memory
// are of one line: local memory has 32 banks.
static uint32_t padici_gpu_field_together(const padici_gpu_field *x, uint32_t axis,
                                          uint32_t ordered)
{
    const uint64_t units = x->gpu->info->compute_units ? x->gpu->info->compute_units : 16;
    const uint64_t n = x->rules->n[axis];
    uint32_t third;
    const uint64_t all = x->rules->n[padici_gpu_field_side(axis, &third)];
    const uint64_t outer = x->rules->n[third] * x->rules->fields;
    uint64_t lines = padici_gpu_field_points(x) / n;
    if (padici_gpu_field_two(x, axis)) return (uint32_t)lines;
    if (lines > all) lines = all;
    while (lines > 8 && lines * n > 512 && (all + lines - 1) / lines * outer < 2 * units)
        lines /= 2;
    if (ordered && lines >= 4 && lines % 2 == 0) lines--;
    lines = (all + (all + lines - 1) / lines - 1) / ((all + lines - 1) / lines); // alike
    return (uint32_t)lines;
}

// The potential and the interaction over a time, in turns.
static void padici_gpu_field_rates(const padici_gpu_field *x, double time,
                                   padici_k_field_lines_params *k)
{
    const padici_field_rules *rules = x->rules;
    uint32_t j;
    padici_gpu_field_real(-time / 6.28318530717958647692, rules->is_double, k->rate);
    padici_gpu_field_real(time, rules->is_double, k->time);
    k->terms = x->at.terms;
    for (j = 0; j < rules->terms; j++) {
        const double half = rules->half[j];
        const uint32_t way = half == 1 ? 1 : half == 2 ? 2 : half == 0.5 ? 0 : 3;
        k->powers |= (way + 1) << 4 * j;
    }
}

// Tables and arrays of what is done between the transforms.
static void padici_gpu_field_tables_of(const padici_gpu_field *x,
                                       const padici_gpu_field_pass *pass, uint32_t side,
                                       uint32_t third, padici_k_field_lines_params *k)
{
    const padici_gpu_field_layout *at = &x->at;
    const uint64_t *n = x->rules->n, stride[3] = {n[1] * n[2], n[2], 1};
    const uint32_t *table = pass->middle == PADICI_GPU_FIELD_PHASE  ? at->trap
                                                                    : at->turn[pass->which];
    k->own = table[pass->axis];
    k->side = table[side];
    k->third = table[third];
    if (pass->middle != PADICI_GPU_FIELD_PHASE) return;
    if (at->potential || at->absorber) {
        k->grid_element = (uint32_t)stride[pass->axis];
        k->grid_line = (uint32_t)stride[side];
        k->grid_outer = (uint32_t)stride[third];
    }
    k->potential = at->potential;
    k->absorber = at->absorber;
    padici_gpu_field_rates(x, pass->time, k);
}

PADICI_FN padic_result padici_gpu_field_lines(padici_gpu_field *x,
                                              const padici_gpu_field_pass *pass)
{
    const padici_field_rules *rules = x->rules;
    const uint32_t axis = pass->axis;
    uint32_t third, side = padici_gpu_field_side(axis, &third), radix[64], i;
    const char *defines[8];
    padici_k_field_lines_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.n = (uint32_t)rules->n[axis];
    k.all = (uint32_t)rules->n[side];
    k.outers = (uint32_t)rules->n[third];
    k.first = pass->first;
    k.middle = pass->middle;
    k.second = pass->second;
    k.base = x->psi.base;
    k.imaginary = x->psi.imaginary;
    k.step_element = x->psi.step[axis];
    k.step_line = x->psi.step[side];
    k.step_outer = x->psi.step[third];
    k.step_field = x->psi.field;
    if (x->psi.step[axis] < x->psi.step[side] || k.all == 1)
        k.flags |= PADICI_GPU_FIELD_ORDERED;
    padici_gpu_field_tables_of(x, pass, side, third, &k);
    k.lines = padici_gpu_field_together(x, axis, k.flags & PADICI_GPU_FIELD_ORDERED);
    k.blocks = (k.all + k.lines - 1) / k.lines;
    k.roots = x->at.roots[axis];
    k.stages = k.n > 1 ? padici_fft_radices(k.n, 8, radix) : 0;
    for (i = 0; i < k.stages; i++) k.radices |= radix[i] << 4 * i;
    work.kernel = padici_gpu_field_kernel(x, axis);
    work.defines = defines;
    work.define_count = padici_gpu_field_defines(x, axis, defines);
    work.mem[0] = x->plan->device.mem;
    work.mem[1] = x->psi.mem;
    work.mem_count = 2;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (uint32_t)(k.blocks * k.outers * rules->fields);
    return padici_gpu_launch(x->gpu, &work);
}

#endif
