#include "../context/loops.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/view.h"
#include "../core/words.h"
#include "line.h"
#include "plan.h"

#if PADICI_IMPLEMENT_FFT

// A transform: its operands and checks, one axis after the other.

// Whether n reals of a line lie at the beginning of its n/2 + 1 complex numbers, line by line: both
// tensors are then one operand, the complex one.
static int padici_fft_shared(const padic_fft_transform_desc *desc)
{
    const int to_real = desc->out.dtype == PADIC_F32 || desc->out.dtype == PADIC_F64;
    const padic_tensor *real = to_real ? &desc->out : &desc->in;
    const padic_tensor *both = to_real ? &desc->in : &desc->out;
    const uint32_t axes = desc->axis_count ? desc->axis_count : 1;
    int64_t step[PADIC_MAX_RANK], steps[PADIC_MAX_RANK];
    uint64_t count = 1, numbers = 1;
    uint32_t i, last;
    if (!(real->dtype == PADIC_F32 && both->dtype == PADIC_C64) &&
        !(real->dtype == PADIC_F64 && both->dtype == PADIC_C128))
        return 0;
    if (real->rank != both->rank || !real->rank || real->rank > PADIC_MAX_RANK ||
        axes > PADIC_FFT_AXES || real->data != both->data ||
        (!real->data && (!real->buffer.id || real->buffer.id != both->buffer.id)) ||
        both->offset >> 62 || real->offset != 2 * both->offset)
        return 0;
    last = desc->axis_count ? desc->axis[axes - 1] : real->rank - 1;
    for (i = 0; i < real->rank; i++)
        if (!padici_mul_u64(count, real->shape[i] | 1, &count) ||
            !padici_mul_u64(numbers, both->shape[i] | 1, &numbers) || both->stride[i] >> 60)
            return 0;
    if (last >= real->rank || (count | numbers) >> 60) return 0;
    padici_tensor_dense(real, step);
    padici_tensor_dense(both, steps);
    for (i = 0; i < real->rank; i++)
        if (i == last ? step[i] != 1 || steps[i] != 1
                      : step[i] != 2 * steps[i] && real->shape[i] > 1)
            return 0;
    return 1;
}

PADICI_FN uint32_t padici_fft_transform_operands(void *desc_, padici_operand *operands)
{
    padic_fft_transform_desc *desc = (padic_fft_transform_desc *)desc_;
    const int in_place = desc->in.dtype == PADIC_DTYPE_NONE;
    operands[0].name = "out";
    operands[0].tensor = &desc->out;
    operands[0].out = in_place ? 2 : 1;
    operands[0].kind = 1;
    if (in_place) return 1;
    if (padici_fft_shared(desc)) {
        operands[0].out = 2;
        if (desc->in.dtype == PADIC_C64 || desc->in.dtype == PADIC_C128)
            operands[0].tensor = &desc->in;
        return 1;
    }
    operands[1].name = "in";
    operands[1].tensor = &desc->in;
    operands[1].any_stride = 1;
    operands[1].kind = 1;
    return 2;
}

// The views' dtypes: a pair that there is.
static padic_result padici_fft_check_types(padic_context *context,
                                           const padic_fft_transform_desc *desc)
{
    const padic_dtype out = desc->out.dtype;
    const padic_dtype in = desc->in.dtype == PADIC_DTYPE_NONE ? out : desc->in.dtype;
    const int from_real = in == PADIC_F32 || in == PADIC_F64;
    const int to_real = out == PADIC_F32 || out == PADIC_F64;
    const int is_double = in == PADIC_F64 || in == PADIC_C128;
    if (!desc->in.dtype && (desc->in.data || desc->in.buffer.id))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "in", "has memory, but no dtype");
    if (!from_real && in != PADIC_C64 && in != PADIC_C128)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, desc->in.dtype ? "in" : "out",
                                 "is not f32, f64, complex64 or complex128");
    if ((!to_real && out != PADIC_C64 && out != PADIC_C128) || (from_real && to_real) ||
        is_double != (out == PADIC_F64 || out == PADIC_C128))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out",
                                 "does not go with in: f32 and complex64, f64 and complex128, "
                                 "one of them complex");
    if (from_real && desc->direction == PADIC_FFT_INVERSE)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "direction",
                                 "is inverse, but in is real: its transform is forward");
    if (to_real && desc->direction == PADIC_FFT_FORWARD)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "direction",
                                 "is forward, but out is real: its transform is inverse");
    return PADIC_OK;
}

// Axes: there, different, not empty, not too long. `real`: the one with reals is the last named.
static padic_result padici_fft_check_axes(padic_context *context, const padici_fft_shape *shape)
{
    uint32_t i, j;
    for (i = 0; i < shape->axis_count; i++) {
        uint64_t n;
        if (shape->axis[i] >= shape->rank)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "axis",
                                     "is beyond the rank of the tensors");
        for (j = 0; j < i; j++)
            if (shape->axis[i] == shape->axis[j])
                return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "axis", "is named twice");
        n = shape->real && i + 1 == shape->axis_count ? shape->last
                                                      : shape->complex_shape[shape->axis[i]];
        if (!n)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "axis",
                                     "has no elements: a transform has one or more");
        if (n > PADIC_FFT_LONGEST || (n > PADIC_FFT_LONGEST / 2 && !padici_fft_smooth(n)))
            return padici_fail_field(context, PADIC_ERROR_LIMIT, "axis",
                                     "has more elements than PADIC_FFT_LONGEST, or half of that");
    }
    return PADIC_OK;
}

static padic_result padici_fft_check_shapes(padic_context *context,
                                            const padic_fft_transform_desc *desc,
                                            const padici_fft_shape *shape)
{
    const int from_real = desc->in.dtype == PADIC_F32 || desc->in.dtype == PADIC_F64;
    const padic_tensor *real = from_real ? &desc->in : &desc->out;
    uint32_t i;
    if (desc->in.dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (desc->in.rank != desc->out.rank)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out", "has another rank than in");
    for (i = 0; i < shape->rank; i++) {
        const uint64_t n = shape->complex_shape[i];
        const int halved = shape->real && i == shape->axis[shape->axis_count - 1];
        if (halved && n != shape->last / 2 + 1)
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                     "does not go with in: n reals along the last axis named are "
                                     "n/2 + 1 complex numbers");
        if (!halved && (shape->real ? real->shape[i] : desc->in.shape[i]) != n)
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                     "has other extents than in");
    }
    return PADIC_OK;
}

// What lies in one memory must be one view.
static padic_result padici_fft_check_place(padic_context *context,
                                           const padic_fft_transform_desc *desc)
{
    const padic_tensor *in = &desc->in, *out = &desc->out;
    int64_t from[PADIC_MAX_RANK], to[PADIC_MAX_RANK];
    uint32_t i;
    if (in->dtype != out->dtype || in->data != out->data ||
        (!in->data && (in->buffer.id != out->buffer.id || in->offset != out->offset)))
        return PADIC_OK;
    padici_tensor_dense(in, from);
    padici_tensor_dense(out, to);
    for (i = 0; i < in->rank; i++)
        if (from[i] != to[i] && in->shape[i] > 1)
            return padici_fail_field(context, PADIC_ERROR_OVERLAP, "out",
                                     "lies where in lies, with other strides");
    return PADIC_OK;
}

PADICI_FN void padici_fft_shape_of(const padic_fft_transform_desc *desc, padici_fft_shape *shape)
{
    const int in_place = desc->in.dtype == PADIC_DTYPE_NONE;
    const int from_real = desc->in.dtype == PADIC_F32 || desc->in.dtype == PADIC_F64;
    const int to_real = desc->out.dtype == PADIC_F32 || desc->out.dtype == PADIC_F64;
    const padic_tensor *spectrum = to_real && !in_place ? &desc->in : &desc->out;
    memset(shape, 0, sizeof *shape);
    shape->is_double = desc->out.dtype == PADIC_F64 || desc->out.dtype == PADIC_C128;
    shape->real = from_real || to_real;
    shape->inverse = desc->direction == PADIC_FFT_INVERSE;
    shape->rank = spectrum->rank;
    memcpy(shape->complex_shape, spectrum->shape, spectrum->rank * sizeof *spectrum->shape);
    shape->axis_count = desc->axis_count ? desc->axis_count : 1;
    memcpy(shape->axis, desc->axis, sizeof shape->axis);
    if (!desc->axis_count) shape->axis[0] = shape->rank - 1;
    if (shape->real && shape->axis[shape->axis_count - 1] < shape->rank)
        shape->last = (from_real ? &desc->in : &desc->out)
                          ->shape[shape->axis[shape->axis_count - 1]];
}

PADICI_FN padic_result padici_fft_transform_check(padic_context *context, const void *desc_)
{
    const padic_fft_transform_desc *desc = (const padic_fft_transform_desc *)desc_;
    padici_fft_shape shape;
    padic_result result;
    if ((uint32_t)desc->direction > PADIC_FFT_INVERSE)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "direction", "is not a direction");
    if ((uint32_t)desc->scale > PADIC_FFT_SCALE_ORTHO)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "scale", "is not a scale");
    if (desc->axis_count > PADIC_FFT_AXES)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "axis_count", "is above 3");
    if (!desc->out.rank)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out", "has no axis");
    result = padici_fft_check_types(context, desc);
    if (result) return result;
    padici_fft_shape_of(desc, &shape);
    result = padici_fft_check_axes(context, &shape);
    if (!result) result = padici_fft_check_shapes(context, desc, &shape);
    if (!result) result = padici_fft_check_place(context, desc);
    if (result || !desc->plan) return result;
    if (desc->plan->context != context)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plan", "is of another context");
    if (!padici_fft_plan_fits(desc->plan, &shape))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "plan",
                                 "is for other dtypes, extents or axes");
    return PADIC_OK;
}

static void padici_fft_memory_of(const padic_tensor *t, padici_fft_memory *memory)
{
    const int64_t size = (int64_t)padic_dtype_size(t->dtype);
    const int is_real = t->dtype == PADIC_F32 || t->dtype == PADIC_F64;
    uint32_t i;
    padici_tensor_dense(t, memory->step);
    for (i = 0; i < PADIC_MAX_RANK; i++) memory->step[i] *= size;
    memory->at = (char *)t->data;
    memory->imaginary = is_real ? PADICI_FFT_NONE : size / 2;
    memory->is_double = t->dtype == PADIC_F64 || t->dtype == PADIC_C128;
}

// The plan's own, dense, in the precision of its blocks.
static void padici_fft_memory_work(const padic_fft_plan *plan, padici_fft_memory *memory)
{
    int64_t step = plan->kernels->is_double ? 16 : 8;
    uint32_t i;
    memory->at = (char *)plan->work;
    memory->is_double = plan->kernels->is_double;
    memory->imaginary = step / 2;
    for (i = plan->rank; i > 0; i--) {
        memory->step[i - 1] = step;
        step *= (int64_t)plan->shape[i - 1];
    }
}

// The other axes of a sweep, the fastest first, those joined that are one. from, to: steps.
PADICI_FN void padici_fft_other_axes(uint32_t rank, const uint64_t *shape, uint32_t axis,
                                     const int64_t *from, const int64_t *to,
                                     padici_fft_sweep *sweep)
{
    uint32_t i, j, n = 0;
    for (i = rank; i-- > 0;) {
        if (i == axis || shape[i] == 1) continue;
        for (j = n++; j > 0 && sweep->to_step[j - 1] > to[i]; j--) {
            sweep->count[j] = sweep->count[j - 1];
            sweep->from_step[j] = sweep->from_step[j - 1];
            sweep->to_step[j] = sweep->to_step[j - 1];
        }
        sweep->count[j] = shape[i];
        sweep->from_step[j] = from[i];
        sweep->to_step[j] = to[i];
    }
    if (!n) sweep->count[n++] = 1;
    for (i = 0, j = 1; j < n; j++) {
        const int64_t count = (int64_t)sweep->count[i];
        if (sweep->from_step[j] == count * sweep->from_step[i] &&
            sweep->to_step[j] == count * sweep->to_step[i]) {
            sweep->count[i] *= sweep->count[j];
            continue;
        }
        i++;
        sweep->count[i] = sweep->count[j];
        sweep->from_step[i] = sweep->from_step[j];
        sweep->to_step[i] = sweep->to_step[j];
    }
    sweep->rank = i + 1;
}

// Axis number `number` of a plan, in a tensor of its rank and of `shape`, whose extents along that
// axis are the plan's. `worked`: work is done between two transforms of it.
PADICI_FN padici_fft_sweep padici_fft_one_axis(const padic_fft_plan *plan, uint32_t number,
                                               const uint64_t *shape, int inverse, int worked,
                                               double scale,
                                               const padici_fft_memory *from,
                                               const padici_fft_memory *to)
{
    const padici_fft_axis *axis = &plan->axis[number];
    padici_fft_sweep sweep;
    memset(&sweep, 0, sizeof sweep);
    sweep.axis = axis;
    sweep.from.at = from->at;
    sweep.from.element = from->step[axis->axis];
    sweep.from.imaginary = from->imaginary;
    sweep.from.is_double = from->is_double;
    sweep.to.at = to->at;
    sweep.to.element = to->step[axis->axis];
    sweep.to.imaginary = to->imaginary;
    sweep.to.is_double = to->is_double;
    sweep.from.swapped = sweep.to.swapped = (uint32_t)inverse;
    sweep.from.scale = 1;
    sweep.to.scale = scale;
    if (plan->real && number + 1 == plan->axis_count)
        sweep.real = inverse ? PADICI_FFT_TO_REALS : PADICI_FFT_FROM_REALS;
    padici_fft_other_axes(plan->rank, shape, axis->axis, from->step, to->step, &sweep);
    padici_fft_axis_begin(plan, &sweep, worked);
    return sweep;
}

// What the sums of `n` elements in all are multiplied by.
PADICI_FN double padici_fft_factor(const padic_fft_transform_desc *desc, double n)
{
    if (desc->scale == PADIC_FFT_SCALE_ORTHO) return 1 / sqrt(n);
    return desc->scale == PADIC_FFT_SCALE_INVERSE && desc->direction == PADIC_FFT_INVERSE ? 1 / n
                                                                                          : 1;
}

// The last axis named first, where reals become complex; to reals it is the last.
static void padici_fft_all_axes(padic_fft_plan *plan, const padic_fft_transform_desc *desc)
{
    const int inverse = desc->direction == PADIC_FFT_INVERSE;
    const int to_reals = plan->real && inverse;
    padici_fft_memory in, out, between;
    double scale = 1;
    uint32_t i;
    for (i = 0; i < plan->axis_count; i++) scale *= (double)plan->axis[i].n;
    scale = padici_fft_factor(desc, scale);
    padici_fft_memory_of(&desc->out, &out);
    in = out;
    if (desc->in.dtype != PADIC_DTYPE_NONE) padici_fft_memory_of(&desc->in, &in);
    between = out;
    if (plan->kernels->is_double != plan->is_double || to_reals)
        padici_fft_memory_work(plan, &between);
    for (i = 0; i < plan->axis_count; i++) {
        const int ends = i + 1 == plan->axis_count;
        plan->sweep[i] = padici_fft_one_axis(plan, to_reals ? i : plan->axis_count - 1 - i,
                                             plan->shape, inverse, 0, ends ? scale : 1,
                                             i ? &between : &in, ends ? &out : &between);
    }
    memcpy(&plan->known, desc, sizeof *desc);
}

static void padici_fft_sweeps_run(const padic_fft_plan *plan, const padic_jobs *jobs)
{
    uint32_t i;
    for (i = 0; i < plan->axis_count; i++) padici_fft_axis_run(plan, jobs, &plan->sweep[i]);
}

// A call with a plan, and with the desc of the call before it.
PADICI_FN padic_result padici_fft_transform_quick(padic_context *context, const void *desc_)
{
    const padic_fft_transform_desc *desc = (const padic_fft_transform_desc *)desc_;
    const padic_fft_plan *plan = desc->plan;
    if (!plan || plan->context != context || (context && context->recording) ||
        memcmp(&plan->known, desc, sizeof *desc))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_fft_sweeps_run(plan, context ? padici_env_jobs(&context->env) : NULL);
    return PADIC_OK;
}

// `kernels` of a plan that lives for this call, when the desc has none.
PADICI_FN padic_result padici_fft_run(const padic_env *env, const padici_fft_kernels *kernels,
                                      const padic_fft_transform_desc *desc)
{
    padic_fft_transform_desc moved;
    padic_fft_plan *plan = NULL;
    padici_fft_shape shape;
    uint64_t count = padic_tensor_count(&desc->out);
    padic_result result = PADIC_OK;
    if (!count) return PADIC_OK;
    if (!desc->out.data || (desc->in.dtype != PADIC_DTYPE_NONE && !desc->in.data)) {
        moved = *desc; // one operand, of which the other tensor has not heard where it lies
        if (desc->out.data) moved.in.data = desc->out.data;
        else moved.out.data = desc->in.data;
        desc = &moved;
    }
    if (!desc->plan) {
        padici_fft_shape_of(desc, &shape);
        result = padici_fft_plan_make(env, NULL, kernels, &shape, &plan);
    }
    if (result)
        return padici_env_fail(env, result, "no memory for the tables and the scratch");
    if (plan || memcmp(&desc->plan->known, desc, sizeof *desc))
        padici_fft_all_axes(plan ? plan : desc->plan, desc);
    padici_fft_sweeps_run(plan ? plan : desc->plan, padici_env_jobs(env));
    padic_fft_plan_destroy(plan);
    return PADIC_OK;
}

PADICI_FN padic_result padici_fft_transform_host(const padic_env *env, const void *desc)
{
    return padici_fft_run(env, padici_fft_plain(), (const padic_fft_transform_desc *)desc);
}

// plan

static padic_result padici_fft_plan_create_named(padic_context *context,
                                                 const padic_fft_transform_desc *desc,
                                                 padic_fft_plan **plan)
{
    padic_fft_transform_desc own;
    padici_fft_choice choice;
    padici_fft_shape shape;
    uint64_t count;
    padic_result result;
    if (!plan) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "plan is NULL");
    *plan = NULL;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    own = *desc;
    own.plan = NULL;
    own.in.data = own.out.data = NULL;
    own.in.buffer.id = 0;
    own.out.buffer.id = 1; // so that they do not lie in one place
    result = padici_tensor_check_view(&own.out, 0, &count);
    if (result) return padici_fail_view(context, result, "out", &own.out);
    if (own.in.dtype != PADIC_DTYPE_NONE) result = padici_tensor_check_view(&own.in, 1, &count);
    if (result) return padici_fail_view(context, result, "in", &own.in);
    result = padici_fft_transform_check(context, &own);
    if (result) return result;
    padici_fft_shape_of(&own, &shape);
    choice.is_double = shape.is_double;
    choice.kernels = padici_fft_plain();
    (void)padici_loop_run(padici_loop_of(context, PADIC_OP_FFT_KERNELS), &choice);
    result = padici_fft_plan_make(context ? &context->env : NULL, context, choice.kernels, &shape,
                                  plan);
    return result ? padici_fail_here(context, result, "no memory for the plan") : PADIC_OK;
}

PADIC_API padic_result padic_fft_plan_create(padic_context *context,
                                             const padic_fft_transform_desc *desc,
                                             padic_fft_plan **plan)
{
    const char *before = padici_enter(context, "fft_plan_create");
    const padic_result result = padici_fft_plan_create_named(context, desc, plan);
    padici_leave(context, before);
    return result;
}

#endif
