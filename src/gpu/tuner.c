#include "tuner.h"
#include "../context/buffer.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/run.h"
#include "../context/state.h"
#include "../context/target.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "base/axes.h"
#include "base/driver.h"
#include "cache.h"
#include "choices.h"
#include "codec/driver.h"
#include "codec/job.h"
#include "codec/pack.h"
#include "codec/prove.h"
#include "codec/unpack.h"
#include "drive.h"
#include "factor/entropy.h"
#include "factor/factor.h"
#include "launch.h"
#include "num/params.h"
#include "num/run.h"
#include "num/solve.h"
#include "num/special.h"
#include "num/tables.h"
#include "sample/points.h"
#include "sparse/driver.h"
#include "sparse/encode.h"
#include "sparse/job.h"
#include "tables.h"
#include "tensor/cores.h"
#include "tensor/driver.h"
#include "tensor/groups.h"
#include "tensor/product.h"
#include "tensor/tile.h"
#include "tests.h"
#include "variants.h"
#include "vortex/axes.h"
#include "vortex/lines.h"
#include "vortex/normalise.h"
#include "vortex/phase.h"
#include "vortex/pixels.h"
#include "wave/field.h"
#include "wave/frames.h"
#include "wave/frames_plan.h"
#include "wave/plan.h"
#include "wave/superpose.h"
#include "wave/warm.h"

#if PADICI_IMPLEMENT_GPU

// Measures the choices of one tunable on one example, against the CPU's results.

// Points the desc's tensors at host memory, or (host NULL) at the buffers.
static void padici_tune_point(padici_tune_run *r, unsigned char *host)
{
    uint32_t i;
    for (i = 0; i < r->count; i++) {
        padic_tensor *t = r->operands[i].tensor;
        if (!r->size[i]) continue; // a tensor that the example omits
        t->data = host ? host + r->at[i] : NULL;
        t->buffer.id = host ? 0 : r->buffers[i].id;
    }
}

static void padici_tune_run_end(padici_tune_run *r)
{
    uint32_t i;
    for (i = 0; i < r->count; i++)
        if (r->buffers[i].id) (void)padic_buffer_destroy(r->gpu->context, r->buffers[i]);
    padici_free(&r->gpu->context->allocator, r->reference, (size_t)(3 * r->bytes));
    r->reference = NULL;
}

static PADICI_NOINLINE padic_result padici_tune_run_begin(padici_tune_run *r, uint32_t size_class)
{
    padic_context *context = r->gpu->context;
    const padici_op_row *row = padici_op_row_of(r->t->op);
    padic_result result = PADIC_OK;
    uint32_t i;
    if (!(*r->t->example)(&r->desc, size_class)) return PADIC_ERROR_NOT_SUPPORTED;
    r->count = (*row->operands)(&r->desc, r->operands); // an example only has views
    for (i = 0; i < r->count; i++) {
        const padic_tensor *t = r->operands[i].tensor;
        r->at[i] = r->bytes;
        r->size[i] = t->dtype ? padic_tensor_count(t) * padic_dtype_size(t->dtype) : 0;
        r->bytes += (r->size[i] + 63) & ~UINT64_C(63);
    }
    if (!r->bytes || r->bytes > ((size_t)-1 >> 2)) return PADIC_ERROR_NOT_SUPPORTED;
    r->reference =
        (unsigned char *)padici_alloc(&context->allocator, (size_t)(3 * r->bytes), 64);
    if (!r->reference) return PADIC_ERROR_MEMORY;
    context->stats.host_allocations++;
    memset(r->reference, 0, (size_t)(3 * r->bytes));
    r->first = r->reference + r->bytes;
    r->got = r->first + r->bytes;
    padici_tune_point(r, r->reference);
    for (i = 0; i < r->count && !result; i++) {
        padic_random_fill_desc random = PADIC_ZERO;
        padic_buffer_desc buffer = PADIC_ZERO;
        if (!r->size[i]) continue;
        random.tensor = *r->operands[i].tensor;
        random.stream = i;
        if (!r->operands[i].out) result = padic_random_fill(NULL, &random);
        buffer.size = r->size[i];
        buffer.data = r->reference + r->at[i];
        if (!result) result = padic_buffer_create(context, &buffer, &r->buffers[i]);
    }
    if (!result) result = (*row->host)(&context->env, &r->desc);
    padici_tune_point(r, NULL);
    return result;
}

// |got - reference| of the floats of an output, compared with the bound.
static int padici_tune_near(const padici_tune_run *r, uint32_t i)
{
    const padic_dtype dtype = r->operands[i].tensor->dtype;
    const int wide = dtype == PADIC_F64 || dtype == PADIC_C128;
    const uint64_t step = wide ? 8 : 4;
    double largest = 0, worst = 0;
    uint64_t at;
    if (!(r->t->bound > 0) || (!wide && dtype != PADIC_F32 && dtype != PADIC_C64))
        return !memcmp(r->got + r->at[i], r->reference + r->at[i], (size_t)r->size[i]);
    for (at = r->at[i]; at < r->at[i] + r->size[i]; at += step) {
        double a, b;
        float f;
        if (wide) {
            memcpy(&a, r->got + at, 8);
            memcpy(&b, r->reference + at, 8);
        } else {
            memcpy(&f, r->got + at, 4);
            a = f;
            memcpy(&f, r->reference + at, 4);
            b = f;
        }
        if (!(fabs(a - b) <= worst)) worst = fabs(a - b);
        if (fabs(b) > largest) largest = fabs(b);
    }
    return worst <= r->t->bound * largest;
}

// Runs a choice once, from outputs of zeros: OK if the result is right, SELF_TEST if not.
static padic_result padici_tune_check(padici_tune_run *r, uint32_t choice)
{
    padic_context *context = r->gpu->context;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < r->count && !result; i++)
        if (r->operands[i].out && r->size[i])
            result = padici_target_fill(context, &context->targets[0],
                                        padici_slot_find(context, r->buffers[i])->mem, 0, 0,
                                        r->size[i] & ~UINT64_C(3));
    if (!result) result = padici_run(context, r->t->op, &r->desc);
    if (result) return result;
    if (context->ops[r->t->op].backend != context->targets[0].backend->name)
        return PADIC_ERROR_NOT_SUPPORTED; // another backend ran it: nothing to measure
    for (i = 0; i < r->count && !result; i++) {
        if (!r->operands[i].out || !r->size[i]) continue;
        result = padic_buffer_download(context, r->buffers[i], 0, r->got + r->at[i], r->size[i]);
        if (result) return result;
        if (!padici_tune_near(r, i)) return PADIC_ERROR_SELF_TEST;
        if (choice && memcmp(r->got + r->at[i], r->first + r->at[i], (size_t)r->size[i]))
            return PADIC_ERROR_SELF_TEST;
        memcpy(r->first + r->at[i], r->got + r->at[i], (size_t)r->size[i]);
    }
    return result;
}

static uint64_t padici_tune_now(const padic_context *context)
{
    return (*context->clock.now)(context->clock.user);
}

// Host time of one run, UINT64_MAX if it fails.
static uint64_t padici_tune_time(padici_tune_run *r)
{
    padic_context *context = r->gpu->context;
    const uint64_t begin = padici_tune_now(context);
    uint64_t end;
    if (padici_run(context, r->t->op, &r->desc) || padic_context_sync(context)) return UINT64_MAX;
    end = padici_tune_now(context);
    return end > begin ? end - begin : 1;
}

static void padici_tune_log_wrong(const padici_tune_run *r, uint32_t choice)
{
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, r->t->name);
    padici_text_add(&text, ": choice ");
    padici_text_number(&text, choice, 1);
    padici_text_add(&text, " computes something else on ");
    padici_text_add(&text, r->gpu->info->name);
    padici_log_write(&r->gpu->context->log, PADIC_LOG_WARNING, r->t->op, space);
}

// Times the choices until the deadline. The first counts as the best until another one is faster
// and right.
static PADICI_NOINLINE padic_result padici_tune_choices(padici_tune_run *r, uint64_t deadline,
                                                        uint32_t *chosen, uint64_t *best)
{
    padic_context *context = r->gpu->context;
    uint32_t i;
    *chosen = 0;
    *best = UINT64_MAX;
    for (i = 0; i < r->t->count; i++) {
        uint64_t time, again;
        padic_result result;
        if (i && padici_tune_now(context) >= deadline) break;
        r->gpu->state->trial_choice = i;
        result = padici_tune_check(r, i); // compiles, too
        context->stats.tuner_candidates++;
        if (result && (!i || context->targets[0].lost)) return result;
        if (result == PADIC_ERROR_SELF_TEST) padici_tune_log_wrong(r, i);
        if (result) continue;
        time = padici_tune_time(r);
        if (time != UINT64_MAX && (!i || time / 3 <= *best / 2)) {
            again = padici_tune_time(r);
            if (again < time) time = again;
        }
        if (i && time > *best - *best / 20) continue; // too little to leave a proven choice
        *best = time;
        *chosen = i;
    }
    return PADIC_OK;
}

static PADICI_NOINLINE void padici_tune_log(const padici_gpu *gpu, uint32_t index, uint32_t c,
                                            padic_result result)
{
    const padici_gpu_tunable *t = padici_gpu_tunable_of(index);
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, t->name);
    padici_text_add(&text, ", size class ");
    padici_text_number(&text, c, 1);
    if (result) {
        padici_text_add(&text, ": not tuned: ");
        padici_text_add(&text, padic_result_text(result));
    } else {
        padici_text_add(&text, ": choice ");
        padici_text_number(&text, gpu->state->tuned[index][c] - 1u, 1);
        padici_text_add(&text, ", MB/s ");
        padici_text_number(&text, gpu->state->speed[index][c], 1);
    }
    padici_log_write(&gpu->context->log, PADIC_LOG_INFO, t->op, space);
}

// Measures one tunable for one size class. Counters of its operation are not changed. Where
// measuring fails the first choice stays and is not tried again, unless memory was short.
static void padici_tune_one(padici_gpu *gpu, uint32_t index, uint32_t c, uint64_t deadline)
{
    padic_context *context = gpu->context;
    padici_gpu_state *state = gpu->state;
    padici_tune_run *run; // too large for the stack
    const uint32_t op = padici_gpu_tunable_of(index)->op;
    const padic_op_stats stats = context->ops[op];
    const char *const method = context->method;
    uint32_t chosen = 0, i;
    uint64_t best = 0, bytes = 0;
    padic_result result;
    run = (padici_tune_run *)padici_alloc(&context->allocator, sizeof *run, 64);
    if (!run) return;
    memset(run, 0, sizeof *run);
    run->gpu = gpu;
    run->t = padici_gpu_tunable_of(index);
    context->tuning++;
    padici_run_settle(context);
    context->quiet++;
    state->trial = index + 1;
    result = padici_tune_run_begin(run, c);
    if (!result) result = padici_tune_choices(run, deadline, &chosen, &best);
    for (i = 0; i < run->count; i++) bytes += run->size[i];
    padici_tune_run_end(run);
    padici_free(&context->allocator, run, sizeof *run);
    state->trial = 0;
    context->quiet--;
    context->tuning--;
    padici_run_settle(context);
    context->method = method;
    context->ops[op] = stats;
    if (result != PADIC_ERROR_MEMORY) state->tuned[index][c] = (uint8_t)(chosen + 1);
    state->speed[index][c] = result || !best ? 0 : (uint32_t)(bytes * 1000 / best);
    if (result != PADIC_ERROR_NOT_SUPPORTED) padici_tune_log(gpu, index, c, result);
}

PADICI_FN const padici_gpu_choice *padici_gpu_choose(padici_gpu *gpu, const padici_gpu_tunable *t,
                                                     uint64_t n)
{
    padic_context *context = gpu->context;
    padici_gpu_state *state = gpu->state;
    const uint32_t c = padici_tune_class(n);
    uint32_t index = 0;
    uint64_t begin, budget;
    while (index + 1 < padici_gpu_tunable_count() && padici_gpu_tunable_of(index) != t) index++;
    if (state && state->trial == index + 1) return &t->choices[state->trial_choice];
    if (context->mode == PADIC_MODE_OFF) return &t->choices[0];
    if (!state) return &t->choices[padici_tune_builtin(gpu, t, c)];
    if (!state->tune_loaded && !context->recording) padici_tune_load(gpu);
    budget = (uint64_t)context->tune_ms * 1000000;
    if (context->mode == PADIC_MODE_AUTOTUNE && !gpu->query && !context->recording &&
        !context->tuning && !state->tuned[index][c] && state->tune_ns < budget) {
        begin = padici_tune_now(context);
        padici_tune_one(gpu, index, c, begin + budget - state->tune_ns);
        state->tune_ns += padici_tune_now(context) - begin;
        padici_tune_store(gpu);
    }
    return &t->choices[state->tuned[index][c] ? state->tuned[index][c] - 1u
                                              : padici_tune_builtin(gpu, t, c)];
}

PADICI_FN padic_result padici_gpu_tune(padici_gpu *gpu, const padici_drive_tune *call)
{
    const uint64_t deadline = padici_tune_now(gpu->context) + (uint64_t)call->ms * 1000000;
    padici_steps steps;
    uint32_t i, c, measured = 0, all = 0;
    for (i = 0; i < padici_gpu_tunable_count(); i++)
        all += (padici_gpu_tunable_of(i)->area & call->areas) != 0;
    padici_steps_begin(&steps, NULL, padici_progress(gpu->context), all * PADICI_TUNE_CLASSES);
    if (!gpu->state->tune_loaded) padici_tune_load(gpu);
    for (c = 0; c < PADICI_TUNE_CLASSES; c++) // smallest first: they cost least
        for (i = 0; i < padici_gpu_tunable_count(); i++) {
            if (!(padici_gpu_tunable_of(i)->area & call->areas)) continue;
            if (gpu->target->lost) return padici_target_begin(gpu->context, gpu->target);
            if (padici_tune_now(gpu->context) >= deadline) break;
            padici_tune_one(gpu, i, c, deadline);
            measured++;
            if (!padici_steps_more(&steps, 1)) continue;
            padici_tune_store(gpu); // the measurements are valid
            return padici_fail(gpu->context, PADIC_ERROR_CANCELLED,
                               "context_tune: the progress hook stopped it");
        }
    if (measured) padici_tune_store(gpu);
    return PADIC_OK;
}

#endif
