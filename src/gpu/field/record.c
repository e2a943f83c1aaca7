#include "record.h"
#include "../launch.h"
#include "../variants.h"
#include "lines.h"
#include "norm.h"
#include "points.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Records of fields that stay on the device: sums over psi and a copy of it, from which a kernel
// makes the record. The host waits for nothing.

// The plan with a copy, or a spare one, in psi's place.
PADICI_FN padici_gpu_field padici_gpu_field_copied(const padici_gpu_field *x, padic_mem copy)
{
    const uint64_t *n = x->rules->n;
    padici_gpu_field y = *x;
    y.psi.mem = copy;
    y.copied = 1;
    y.psi.base = 0;
    y.psi.imaginary = x->psi.planar ? (uint32_t)(x->rules->points * x->rules->fields) : 1;
    y.psi.step[0] = (uint32_t)(n[1] * n[2]);
    y.psi.step[1] = (uint32_t)n[2];
    y.psi.step[2] = 1;
    y.psi.field = (uint32_t)x->rules->points;
    return y;
}

PADICI_FN padic_result padici_gpu_field_need_record(const padici_gpu_field *x)
{
    static const uint32_t kernels[] = {
        PADICI_KERNEL_FIELD_RECORD_DIFFER,  PADICI_KERNEL_FIELD_RECORD_SUMS,
        PADICI_KERNEL_FIELD_RECORD_MAKE,    PADICI_KERNEL_FIELD_RECORD_RESIDUAL,
        PADICI_KERNEL_FIELD_RECORD_END,     PADICI_KERNEL_FIELD_RECORD_BEGIN,
        PADICI_KERNEL_FIELD_RECORD_HAMILTON, PADICI_KERNEL_FIELD_RECORD_COPY,
        PADICI_KERNEL_FIELD_RECORD_WEIGH};
    const padici_gpu_field y = padici_gpu_field_copied(x, x->plan->device.copy);
    const char *defines[PADICI_GPU_FIELD_DEFINES];
    const uint32_t count = padici_gpu_field_words(x, defines), spectral = x->rules->spectral;
    const uint32_t end = sizeof kernels / sizeof *kernels - (spectral ? 0 : 2);
    padic_result result = spectral ? padici_gpu_field_need_lines(&y, 0) : PADIC_OK;
    uint32_t i;
    if (spectral && !result) result = padici_gpu_field_need_lines(x, 1);
    for (i = spectral ? 1 : 0; i < end && !result; i++)
        result = padici_gpu_need(x->gpu, kernels[i], defines, count);
    return result;
}

// What differences need.
static void padici_gpu_field_differ_params(const padici_gpu_field *x,
                                           padici_k_field_record_params *k)
{
    const padici_field_rules *rules = x->rules;
    uint32_t *scale[3], a;
    scale[0] = k->scale0;
    scale[1] = k->scale1;
    scale[2] = k->scale2;
    k->n0 = (uint32_t)rules->n[0];
    k->first = rules->first ? 1 : 0;
    for (a = rules->first; a < 3; a++) {
        k->walls |= (uint32_t)rules->desc.boundary[a - rules->first] << 2 * a;
        padici_gpu_real(rules->desc.kinetic / (rules->h[a] * rules->h[a]), rules->is_double,
                        scale[a]);
    }
    if (rules->desc.dims < 2) return;
    padici_gpu_real(-1 / (2 * rules->h[rules->first]), rules->is_double, k->turn_x);
    padici_gpu_real(1 / (2 * rules->h[rules->first + 1]), rules->is_double, k->turn_y);
}

PADICI_FN void padici_gpu_field_record_params(const padici_gpu_field *x,
                                              padici_k_field_record_params *k)
{
    const padici_field_rules *rules = x->rules;
    const padici_gpu_field_place *psi = &x->psi;
    const padici_gpu_field y = padici_gpu_field_copied(x, x->plan->device.copy);
    uint64_t each;
    memset(k, 0, sizeof *k);
    k->points = (uint32_t)rules->points;
    k->groups = (uint32_t)padici_gpu_field_shares(rules->points, &each);
    k->each = (uint32_t)each;
    k->fields = (uint32_t)(rules->fields * k->groups);
    k->n1 = (uint32_t)rules->n[1];
    k->n2 = (uint32_t)rules->n[2];
    k->base = psi->base;
    k->imaginary = psi->imaginary;
    k->step0 = psi->step[0];
    k->step1 = psi->step[1];
    k->step2 = psi->step[2];
    k->step_field = psi->field;
    k->apart = y.psi.imaginary;
    k->trap0 = x->at.trap[0];
    k->trap1 = x->at.trap[1];
    k->trap2 = x->at.trap[2];
    k->x0 = x->at.x[0];
    k->x1 = x->at.x[1];
    k->x2 = x->at.x[2];
    k->potential = x->at.potential;
    k->terms = x->at.terms;
    k->powers = padici_gpu_field_powers(x);
    k->places = PADICI_GPU_FIELD_STATE;
    if (!rules->spectral) padici_gpu_field_differ_params(x, k);
}

// Over all points.
static padic_result padici_gpu_field_record_all(padici_gpu_field *x, uint32_t kernel,
                                                const padic_mem *mem, uint32_t count,
                                                const padici_k_field_record_params *k)
{
    return padici_gpu_field_launch(x, kernel, mem, count, k->fields, k, sizeof *k);
}

// to += psi.
static padic_result padici_gpu_field_add(padici_gpu_field *x, padic_mem to)
{
    padici_k_field_record_params k;
    padic_mem mem[2];
    padici_gpu_field_record_params(x, &k);
    k.adds = 1;
    mem[0] = x->psi.mem;
    mem[1] = to;
    return padici_gpu_field_record_all(x, PADICI_KERNEL_FIELD_RECORD_COPY, mem, 2, &k);
}

// Lines of a copy along an axis.
static padic_result padici_gpu_field_copy_lines(padici_gpu_field *x, padic_mem copy, uint32_t axis,
                                                uint32_t first, uint32_t middle, uint32_t second)
{
    padici_gpu_field y = padici_gpu_field_copied(x, copy);
    return padici_gpu_field_along(&y, axis, first, middle, second, 0);
}

// The same of psi, whose result is the copy.
static padic_result padici_gpu_field_lines_out(padici_gpu_field *x, padic_mem copy, uint32_t axis,
                                               uint32_t first, uint32_t middle, uint32_t second)
{
    const padici_gpu_field y = padici_gpu_field_copied(x, copy);
    padici_gpu_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.axis = axis;
    pass.first = first;
    pass.middle = middle;
    pass.second = second;
    pass.to = &y.psi;
    return padici_gpu_field_lines(x, &pass);
}

// The phases that psi is owed, of k^2 along the last axis and over a time; the copy is psi
// transformed along that axis.
PADICI_FN padic_result padici_gpu_field_record_ahead(padici_gpu_field *x, uint32_t before,
                                                     double owed)
{
    const padici_gpu_field y = padici_gpu_field_copied(x, x->plan->device.copy);
    padici_gpu_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.axis = x->axis[x->axes - 1];
    pass.before = before;
    pass.middle = owed != 0 ? PADICI_GPU_FIELD_PHASE : PADICI_GPU_FIELD_NOTHING;
    pass.time = owed;
    pass.to = &y.psi;
    pass.stays = 1;
    return padici_gpu_field_lines(x, &pass);
}

// Whether one way over psi and the copy finds all sums: those of H psi are whole only of f32.
PADICI_FN int padici_gpu_field_record_whole(const padici_gpu_field *x)
{
    return !x->rules->is_double && x->rules->desc.rotation == 0;
}

// Sums of the angular momentum: y k_x or -x k_y of the copy transformed along that axis.
static padic_result padici_gpu_field_weigh(padici_gpu_field *x, uint32_t part)
{
    const uint32_t along = x->rules->first + part, across = x->rules->first + 1 - part;
    padici_k_field_record_params k;
    padic_mem mem[3];
    uint32_t weight[3] = {0, 0, 0};
    padici_gpu_field_record_params(x, &k);
    weight[along] = x->at.slope[along];
    weight[across] = x->at.x[across];
    k.weight0 = weight[0];
    k.weight1 = weight[1];
    k.weight2 = weight[2];
    k.place = 10 + part;
    mem[0] = x->plan->device.mem;
    mem[1] = x->plan->device.copy;
    mem[2] = x->plan->device.sums;
    return padici_gpu_field_record_all(x, PADICI_KERNEL_FIELD_RECORD_WEIGH, mem, 3, &k);
}

// Whether part 0 or 1 of the angular momentum is not 0 by itself.
PADICI_FN int padici_gpu_field_turns(const padici_gpu_field *x, uint32_t part)
{
    const padici_field_rules *rules = x->rules;
    return rules->desc.dims > 1 && rules->n[rules->first + part] > 1;
}

// Whether the kinetic term's transforms come by x and k_y, where its part of L_z is added up.
static int padici_gpu_field_between(const padici_gpu_field *x)
{
    return x->rules->spectral && padici_gpu_field_turns(x, 1) &&
           x->axis[0] != x->rules->first + 1;
}

static padic_result padici_gpu_field_turning(padici_gpu_field *x)
{
    padic_result result = PADIC_OK;
    uint32_t part;
    for (part = 0; part < 2 && !result; part++) {
        if (!padici_gpu_field_turns(x, part) || (part && padici_gpu_field_between(x))) continue;
        result = padici_gpu_field_lines_out(x, x->plan->device.copy, x->rules->first + part,
                                            PADICI_GPU_FIELD_FORWARD, PADICI_GPU_FIELD_NOTHING,
                                            PADICI_GPU_FIELD_NONE);
        if (!result) result = padici_gpu_field_weigh(x, part);
    }
    return result;
}

// A kernel that goes over psi and the copy, and adds up.
static padic_result padici_gpu_field_record_over(padici_gpu_field *x, uint32_t kernel)
{
    padici_k_field_record_params k;
    padic_mem mem[4];
    padici_gpu_field_record_params(x, &k);
    mem[0] = x->plan->device.mem;
    mem[1] = x->psi.mem;
    mem[2] = x->plan->device.copy;
    mem[3] = x->plan->device.sums;
    return padici_gpu_field_record_all(x, kernel, mem, 4, &k);
}

// The copy = -K Lap psi. `ahead`: it is psi transformed along the last axis. `weighs`: the sum of
// L_z that there is on the way.
static padic_result padici_gpu_field_kinetic(padici_gpu_field *x, uint32_t ahead, uint32_t weighs)
{
    const padic_mem copy = x->plan->device.copy;
    const uint32_t last = x->axes - 1;
    padic_result result = PADIC_OK;
    uint32_t i;
    if (!x->rules->spectral) // with the sums of the angular momentum
        return padici_gpu_field_record_over(x, PADICI_KERNEL_FIELD_RECORD_DIFFER);
    for (i = last; i > 0 && !result; i--) {
        if (i < last)
            result = padici_gpu_field_copy_lines(x, copy, x->axis[i], PADICI_GPU_FIELD_FORWARD,
                                                 PADICI_GPU_FIELD_NOTHING, PADICI_GPU_FIELD_NONE);
        else if (!ahead)
            result = padici_gpu_field_lines_out(x, copy, x->axis[i], PADICI_GPU_FIELD_FORWARD,
                                                PADICI_GPU_FIELD_NOTHING, PADICI_GPU_FIELD_NONE);
        if (!result && weighs && padici_gpu_field_between(x) &&
            x->axis[i] == x->rules->first + 1)
            result = padici_gpu_field_weigh(x, 1);
    }
    if (!result && last)
        result = padici_gpu_field_copy_lines(x, copy, x->axis[0], PADICI_GPU_FIELD_FORWARD,
                                             PADICI_GPU_FIELD_MODES, PADICI_GPU_FIELD_INVERSE);
    if (!result && !last)
        result = padici_gpu_field_lines_out(x, copy, x->axis[0], PADICI_GPU_FIELD_FORWARD,
                                            PADICI_GPU_FIELD_MODES, PADICI_GPU_FIELD_INVERSE);
    for (i = 1; i <= last && !result; i++)
        result = padici_gpu_field_copy_lines(x, copy, x->axis[i], PADICI_GPU_FIELD_INVERSE,
                                             PADICI_GPU_FIELD_NOTHING, PADICI_GPU_FIELD_NONE);
    return result;
}

// The copy -= Omega L_z psi.
static padic_result padici_gpu_field_rotation(padici_gpu_field *x)
{
    const padic_mem copy = x->plan->device.copy, spare = x->plan->device.spare;
    padici_gpu_field y = padici_gpu_field_copied(x, spare);
    padic_result result = PADIC_OK;
    uint32_t part;
    for (part = 0; part < 2 && !result && x->rules->desc.rotation != 0; part++) {
        if (!padici_gpu_field_turns(x, part)) continue;
        result = padici_gpu_field_lines_out(x, spare, x->rules->first + part,
                                            PADICI_GPU_FIELD_FORWARD, PADICI_GPU_FIELD_RATES,
                                            PADICI_GPU_FIELD_INVERSE);
        if (!result) result = padici_gpu_field_add(&y, copy);
    }
    return result;
}

// out = H psi, or -K Lap psi alone.
PADICI_FN padic_result padici_gpu_field_hamilton(padici_gpu_field *x,
                                                 const padici_gpu_field_place *out,
                                                 uint32_t kinetic_only)
{
    padici_k_field_record_params k;
    padic_mem mem[4];
    padic_result result = padici_gpu_field_kinetic(x, 0, 0);
    if (!result && !kinetic_only) result = padici_gpu_field_rotation(x);
    if (result) return result;
    padici_gpu_field_record_params(x, &k);
    k.kinetic = kinetic_only;
    k.out = out->base;
    k.out_imaginary = out->imaginary;
    k.out0 = out->step[0];
    k.out1 = out->step[1];
    k.out2 = out->step[2];
    k.out_field = out->field;
    mem[0] = x->plan->device.mem;
    mem[1] = x->psi.mem;
    mem[2] = x->plan->device.copy;
    mem[3] = out->mem;
    return padici_gpu_field_record_all(x, PADICI_KERNEL_FIELD_RECORD_HAMILTON, mem, 4, &k);
}

static void padici_gpu_field_end_params(const padici_gpu_field *x,
                                        const padici_gpu_field_record *record,
                                        padici_k_field_record_end_params *k)
{
    const padici_field_rules *rules = x->rules;
    const double n = (double)rules->n[rules->first];
    double turned = rules->desc.dims > 1 ? (double)rules->n[rules->first + 1] : 1;
    uint64_t each;
    uint32_t j;
    if (rules->desc.dims > 2 && padici_gpu_field_between(x)) turned *= (double)rules->n[2];
    memset(k, 0, sizeof *k);
    k->groups = (uint32_t)padici_gpu_field_shares(rules->points, &each);
    k->fields = (uint32_t)(rules->fields * k->groups);
    k->places = PADICI_GPU_FIELD_STATE;
    k->stop = x->at.stop;
    k->record = (uint32_t)record->at;
    k->number = (uint32_t)record->number;
    k->dims = rules->desc.dims;
    k->terms = rules->terms;
    for (j = 0; j < rules->terms; j++) k->of |= rules->of[j] << 4 * j;
    for (j = 0; j < 2; j++)
        if (rules->spectral ? padici_gpu_field_turns(x, j) : !j) k->turning |= 1u << j;
    if (padici_gpu_field_record_whole(x)) k->turning |= 12;
    padici_gpu_real(record->time, 1, k->time);
    padici_gpu_real((double)record->step, 1, k->step);
    padici_gpu_real(rules->volume, 1, k->volume);
    padici_gpu_real(rules->desc.density_limit, 1, k->limit);
    padici_gpu_real(rules->spectral ? -1 / n : 1, 1, k->part0);
    padici_gpu_real(rules->desc.rotation != 0 ? -rules->desc.rotation : 0, 1, k->rotation);
    if (rules->desc.dims > 1)
        padici_gpu_real(1 / turned, 1, k->part1);
    padici_gpu_real(rules->g[0], 1, k->g0);
    padici_gpu_real(rules->g[1], 1, k->g1);
    padici_gpu_real(rules->g[2], 1, k->g2);
    padici_gpu_real(rules->half[0], 1, k->exponent0);
    padici_gpu_real(rules->half[1], 1, k->exponent1);
    padici_gpu_real(rules->half[2], 1, k->exponent2);
}

static padic_result padici_gpu_field_end_launch(padici_gpu_field *x, uint32_t kernel,
                                                const padic_mem *mem, uint32_t count,
                                                uint64_t groups,
                                                const padici_k_field_record_end_params *k)
{
    return padici_gpu_field_launch(x, kernel, mem, count, groups, k, sizeof *k);
}

// Before a call's first record.
PADICI_FN padic_result padici_gpu_field_record_begin(padici_gpu_field *x)
{
    padici_k_field_record_end_params k;
    padici_gpu_field_record none;
    padic_mem mem[2];
    memset(&none, 0, sizeof none);
    padici_gpu_field_end_params(x, &none, &k);
    k.fields = (uint32_t)x->rules->fields;
    mem[0] = x->plan->device.state;
    mem[1] = x->plan->device.mem;
    return padici_gpu_field_end_launch(x, PADICI_KERNEL_FIELD_RECORD_BEGIN, mem, 2,
                                       (x->rules->fields + 31) / 32, &k);
}

// The residual of a record that has none: the copy is -K Lap psi.
static padic_result padici_gpu_field_record_rest(padici_gpu_field *x,
                                                 const padici_k_field_record_end_params *end,
                                                 const padici_gpu_field_record *record)
{
    const padic_field_plan *plan = x->plan;
    padici_k_field_record_params k;
    padic_mem mem[5];
    padic_result result = padici_gpu_field_rotation(x);
    if (result) return result;
    padici_gpu_field_record_params(x, &k);
    mem[0] = plan->device.mem;
    mem[1] = x->psi.mem;
    mem[2] = plan->device.copy;
    mem[3] = plan->device.state;
    mem[4] = plan->device.sums;
    result = padici_gpu_field_record_all(x, PADICI_KERNEL_FIELD_RECORD_RESIDUAL, mem, 5, &k);
    mem[0] = plan->device.sums;
    mem[1] = plan->device.state;
    mem[2] = record->mem;
    return result ? result
                  : padici_gpu_field_end_launch(x, PADICI_KERNEL_FIELD_RECORD_END, mem, 3,
                                                x->rules->fields, end);
}

// A record of each field of psi, which is nowhere between its steps.
PADICI_FN padic_result padici_gpu_field_record_make(padici_gpu_field *x,
                                                    padici_gpu_field_record *record)
{
    const int whole = padici_gpu_field_record_whole(x), turns = x->rules->spectral != 0;
    padici_k_field_record_end_params end;
    padic_mem mem[4];
    padic_result result = turns && !whole ? padici_gpu_field_turning(x) : PADIC_OK;
    if (!record->mem.bits) { // nobody wants it
        record->mem = x->plan->device.state;
        record->at = x->rules->fields * PADICI_GPU_FIELD_STATE;
    }
    if (!result) result = padici_gpu_field_kinetic(x, record->ahead, 1);
    if (!result) result = padici_gpu_field_record_over(x, PADICI_KERNEL_FIELD_RECORD_SUMS);
    if (!result && turns && whole) result = padici_gpu_field_turning(x);
    if (result) return result;
    padici_gpu_field_end_params(x, record, &end);
    mem[0] = x->plan->device.sums;
    mem[1] = x->plan->device.state;
    mem[2] = x->plan->device.mem;
    mem[3] = record->mem;
    result = padici_gpu_field_end_launch(x, PADICI_KERNEL_FIELD_RECORD_MAKE, mem, 4,
                                         x->rules->fields, &end);
    return result || whole ? result : padici_gpu_field_record_rest(x, &end, record);
}

#endif
