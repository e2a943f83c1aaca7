#include "lines.h"
#include "../fft/driver.h"
#include "../fft/power.h"
#include "../launch.h"
#include "../tests.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Launches of the kernels of lines.

// Whether there are kernels for the lengths of all axes.
PADICI_FN int padici_gpu_field_lengths(const padici_gpu_field *x)
{
    uint32_t i;
    for (i = 0; i < x->axes; i++) {
        const uint64_t n = x->rules->n[x->axis[i]];
        if (n > PADICI_GPU_FFT_POINTS(x->rules->is_double) || !padici_fft_smooth(n)) return 0;
    }
    return 1;
}

// The axis along which lines are neighbours, and the third one.
PADICI_FN uint32_t padici_gpu_field_side(uint32_t axis, uint32_t *third)
{
    const uint32_t side = axis == 2 ? 1 : 2;
    *third = 3 - axis - side;
    return side;
}

#define PADICI_GPU_FIELD_KERNELS 5u

// How lines along an axis are done: by the kernels for powers of two, or by those for all lengths.
typedef struct padici_gpu_field_way {
    padici_gpu_fft_power power; // lines 0: none
    const uint32_t *kernels;    // by whether there is a transform before, and 2 if one after; the
                                // last one has phases of k^2 around the middle
    const char *defines[PADICI_GPU_FFT_WORDS + 6];
    uint32_t define_count, ordered;
} padici_gpu_field_way;

// `copies`: of copies of psi, or to them.
static void padici_gpu_field_way_of(const padici_gpu_field *x, uint32_t axis, uint32_t copies,
                                    padici_gpu_field_way *way)
{
    static const uint32_t all[PADICI_GPU_FIELD_KERNELS] = {
        PADICI_KERNEL_FIELD_NONE, PADICI_KERNEL_FIELD_FIRST, PADICI_KERNEL_FIELD_SECOND,
        PADICI_KERNEL_FIELD_BOTH, PADICI_KERNEL_FIELD_AROUND};
    static const uint32_t powers[PADICI_GPU_FIELD_KERNELS] = {
        PADICI_KERNEL_FIELD_POWER_NONE, PADICI_KERNEL_FIELD_POWER_FIRST,
        PADICI_KERNEL_FIELD_POWER_SECOND, PADICI_KERNEL_FIELD_POWER_BOTH,
        PADICI_KERNEL_FIELD_POWER_AROUND};
    const padici_field_rules *rules = x->rules;
    uint32_t third, side = padici_gpu_field_side(axis, &third), most, i;
    memset(way, 0, sizeof *way);
    way->kernels = all;
    way->ordered = x->psi.step[axis] < x->psi.step[side] || rules->n[side] == 1;
    most = rules->n[axis] == 512 ? 128 : 256; // more would spill registers
    if (padici_gpu_fft_power_find(x->gpu, rules->n[axis], rules->n[side],
                                  rules->n[third] * rules->fields, way->ordered ? 0 : 3,
                                  rules->is_double, most, &way->power)) {
        way->kernels = powers;
        for (i = 0; i < way->power.define_count; i++)
            way->defines[way->define_count++] = way->power.defines[i];
    } else if (rules->is_double) {
        way->defines[way->define_count++] = "PD_FFT_F64=1";
        way->defines[way->define_count++] = "PD_FFT_WG=128";
    }
    if (x->at.absorber) way->defines[way->define_count++] = "PD_FIELD_ABSORBER=1";
    if (x->powers) way->defines[way->define_count++] = "PD_FIELD_POWERS=1";
    if (x->psi.planar) way->defines[way->define_count++] = "PD_FIELD_PLANAR=1";
    if (rules->desc.rotation != 0) way->defines[way->define_count++] = "PD_FIELD_SWIRL=1";
    if (x->copies) way->defines[way->define_count++] = "PD_FIELD_RECORDS=1";
    if (copies || x->copied) way->defines[way->define_count++] = "PD_FIELD_COPIES=1";
}

// Whether the kernels of an axis can leave psi, and its transform elsewhere: see `stays`.
PADICI_FN int padici_gpu_field_leaves(const padici_gpu_field *x, uint32_t axis)
{
    padici_gpu_field_way way;
    padici_gpu_field_way_of(x, axis, 1, &way);
    return way.power.lines > 0;
}

PADICI_FN padic_result padici_gpu_field_need_lines(const padici_gpu_field *x, uint32_t copies)
{
    padici_gpu_field_way way;
    padic_result result = PADIC_OK;
    uint32_t i, j;
    for (i = 0; i < x->axes && !result; i++) {
        padici_gpu_field_way_of(x, x->axis[i], copies, &way);
        for (j = 0; j < PADICI_GPU_FIELD_KERNELS && !result; j++)
            result = padici_gpu_need(x->gpu, way.kernels[j], way.defines, way.define_count);
    }
    return result;
}

// The potential and the interaction over a time, in turns.
static void padici_gpu_field_rates(const padici_gpu_field *x, double time,
                                   padici_k_field_lines_params *k)
{
    const padici_field_rules *rules = x->rules;
    padici_gpu_real(-time / 6.28318530717958647692, rules->is_double, k->rate);
    padici_gpu_real(time, rules->is_double, k->time);
    k->terms = x->at.terms;
    k->powers = padici_gpu_field_powers(x);
}

// Tables of rates in the mixed representation of axis x, or of y and z; RATES leaves k^2 out.
static void padici_gpu_field_swirl_tables(const padici_gpu_field *x,
                                          const padici_gpu_field_pass *pass, uint32_t side,
                                          uint32_t third, padici_k_field_lines_params *k)
{
    const padici_gpu_field_layout *at = &x->at;
    const uint32_t first = x->rules->first, along = pass->axis == first;
    const uint32_t other = along ? first + 1 : first; // the axis whose places count
    const int rates = pass->middle == PADICI_GPU_FIELD_RATES;
    const uint32_t z = along || first || rates ? 3 : 2; // and whose k^2
    double points = (double)x->rules->n[pass->axis];
    if (z == 2) points *= (double)x->rules->n[2];
    k->own = rates ? at->none : at->k[pass->axis];
    k->slope = at->slope[pass->axis];
    k->side = side == z ? at->k[side] : at->none;
    k->third = third == z ? at->k[third] : at->none;
    k->side_place = side == other ? at->place[side] : at->none;
    k->third_place = third == other ? at->place[third] : at->none;
    padici_gpu_real(1 / points, x->rules->is_double, k->scale);
    padici_gpu_field_rates(x, pass->time, k);
    if (x->rules->desc.time == PADIC_FIELD_TIME_IMAGINARY) k->flags |= PADICI_GPU_FIELD_DECAYS;
}

// Tables and arrays of what is done between the transforms.
static void padici_gpu_field_tables_of(const padici_gpu_field *x,
                                       const padici_gpu_field_pass *pass, uint32_t side,
                                       uint32_t third, padici_k_field_lines_params *k)
{
    const padici_gpu_field_layout *at = &x->at;
    const uint64_t *n = x->rules->n, stride[3] = {n[1] * n[2], n[2], 1};
    const uint32_t *table = pass->middle == PADICI_GPU_FIELD_MODES    ? at->modes
                            : pass->middle == PADICI_GPU_FIELD_SMOOTH ? at->k
                                                                      : at->trap;
    k->own = table[pass->axis];
    k->side = table[side];
    k->third = table[third];
    k->shift = at->shift;
    if (pass->middle == PADICI_GPU_FIELD_SMOOTH)
        padici_gpu_real(1 / (double)x->rules->points, x->rules->is_double, k->scale);
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

// Where the result goes.
static void padici_gpu_field_lines_to(const padici_gpu_field_pass *pass,
                                      const padici_gpu_field_place *to, uint32_t side,
                                      uint32_t third, padici_k_field_lines_params *k)
{
    k->to_base = to->base;
    k->to_imaginary = to->imaginary;
    k->to_element = to->step[pass->axis];
    k->to_line = to->step[side];
    k->to_outer = to->step[third];
    k->to_field = to->field;
    k->stays = pass->stays;
}

PADICI_FN padic_result padici_gpu_field_lines(padici_gpu_field *x,
                                              const padici_gpu_field_pass *pass)
{
    const padici_field_rules *rules = x->rules;
    const uint32_t axis = pass->axis;
    uint32_t third, side = padici_gpu_field_side(axis, &third), radix[64], i;
    padici_gpu_field_way way;
    padici_k_field_lines_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.n = (uint32_t)rules->n[axis];
    k.all = (uint32_t)rules->n[side];
    k.outers = (uint32_t)rules->n[third];
    k.before = pass->before ? x->at.turn[pass->before - 1][axis] : 0;
    k.after = pass->after ? x->at.turn[pass->after - 1][axis] : 0;
    k.first = pass->first;
    k.middle = pass->middle;
    k.second = pass->second;
    k.base = x->psi.base;
    k.imaginary = x->psi.imaginary;
    k.step_element = x->psi.step[axis];
    k.step_line = x->psi.step[side];
    k.step_outer = x->psi.step[third];
    k.step_field = x->psi.field;
    padici_gpu_field_way_of(x, axis, pass->to || pass->middle >= PADICI_GPU_FIELD_MODES, &way);
    if (way.ordered) k.flags |= PADICI_GPU_FIELD_ORDERED;
    if (pass->middle == PADICI_GPU_FIELD_SWIRL || pass->middle == PADICI_GPU_FIELD_RATES)
        padici_gpu_field_swirl_tables(x, pass, side, third, &k);
    else
        padici_gpu_field_tables_of(x, pass, side, third, &k);
    k.lines = way.power.lines ? way.power.lines
                              : padici_gpu_fft_together(x->gpu, k.n, k.all,
                                                        (uint64_t)k.outers * rules->fields,
                                                        rules->is_double, way.ordered);
    k.blocks = (k.all + k.lines - 1) / k.lines;
    k.roots = x->at.roots[axis];
    k.stop = x->stops ? x->at.stop : 0;
    padici_gpu_field_lines_to(pass, pass->to ? pass->to : &x->psi, side, third, &k);
    k.stages = k.n > 1 ? padici_fft_radices(k.n, 8, radix) : 0;
    for (i = 0; i < k.stages; i++) k.radices |= radix[i] << 4 * i;
    work.kernel = way.kernels[pass->before || pass->after
                                  ? PADICI_GPU_FIELD_KERNELS - 1
                                  : (pass->first ? 1u : 0u) | (pass->second ? 2u : 0u)];
    work.defines = way.defines;
    work.define_count = way.define_count;
    work.mem[0] = x->plan->device.mem;
    work.mem[1] = x->psi.mem;
    work.mem[2] = pass->to ? pass->to->mem : x->psi.mem;
    work.mem_count = 3;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (uint32_t)(k.blocks * k.outers * rules->fields);
    return padici_gpu_launch(x->gpu, &work);
}

// The same for a pass of these.
PADICI_FN padic_result padici_gpu_field_along(padici_gpu_field *x, uint32_t axis, uint32_t first,
                                              uint32_t middle, uint32_t second, double time)
{
    padici_gpu_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.axis = axis;
    pass.first = first;
    pass.middle = middle;
    pass.second = second;
    pass.time = time;
    return padici_gpu_field_lines(x, &pass);
}

#undef PADICI_GPU_FIELD_KERNELS

#endif
