#include "checks.h"
#include "../context/launch.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/place.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- checks

PADICI_FN int padici_sample_is_prime(uint32_t n)
{
    uint32_t d;
    if (n < 4 || !(n & 1)) return n == 2 || n == 3;
    for (d = 3; d * d <= n; d += 2)
        if (n % d == 0) return 0;
    return 1;
}

// Base, digits and scrambling of one dimension; its keys are taken off *keys.
PADICI_FN padic_result padici_sample_check_base(padici_sample_radix *x, uint32_t base,
                                                padic_sample_digits digits, padic_sample_mode mode,
                                                padici_sample_keys *keys)
{
    if (base < 2 || (uint32_t)digits > 1 || (uint32_t)mode > 3) return PADIC_ERROR_ARGUMENT;
    if (base > 65537) return PADIC_ERROR_LIMIT;
    padici_sample_radix_make(x, base, digits == PADIC_SAMPLE_LONG);
    if (mode == PADIC_SAMPLE_NONE) return PADIC_OK;
    if (!keys->next) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(keys->next, sizeof *keys->next)) return PADIC_ERROR_ALIGNMENT;
    x->mode = mode;
    x->full = mode == PADIC_SAMPLE_OWEN_FULL || !padici_sample_is_prime(base);
    if (x->full && base > 1021) return PADIC_ERROR_LIMIT;
    if (keys->left < x->levels) return PADIC_ERROR_CAPACITY;
    x->keys = keys->next;
    keys->next += x->levels;
    keys->left -= x->levels;
    return PADIC_OK;
}

// The keys of a call, in host memory.
PADICI_FN padic_result padici_sample_keys_of(padic_context *context,
                                             const padic_sample_scrambling *scrambling,
                                             padici_sample_keys *keys)
{
    const padic_tensor *t = &scrambling->keys;
    void *p;
    padic_result result;
    keys->next = NULL;
    keys->left = 0;
    if (scrambling->mode == PADIC_SAMPLE_NONE || (!t->data && !t->buffer.id)) return PADIC_OK;
    if (t->dtype != PADIC_U64)
        return padici_blame(context, PADIC_ERROR_DTYPE, "scrambling", "keys", "must be U64");
    result = padici_host_pointer(context, t, &p);
    if (!result && (t->rank > 1 || padici_sample_step(t, 0) != 1)) result = PADIC_ERROR_ARGUMENT;
    if (result) return padici_blame(context, result, "scrambling", "keys", NULL);
    keys->next = (const uint64_t *)p;
    keys->left = padic_tensor_count(t);
    return PADIC_OK;
}

// Which of its operands padici_sample_check_base() refused.
PADICI_FN padic_result padici_sample_blame_base(padic_context *context, padic_result result,
                                                uint32_t base, padic_sample_digits digits,
                                                padic_sample_mode mode,
                                                const padici_sample_keys *keys)
{
    if (result == PADIC_ERROR_CAPACITY)
        return padici_blame(context, result, "scrambling", "keys",
                            "are too few: see sample_keys_count");
    if (result == PADIC_ERROR_ALIGNMENT)
        return padici_blame(context, result, "scrambling", "keys", NULL);
    if (result == PADIC_ERROR_LIMIT)
        return padici_blame(context, result, "base", NULL,
                            base > 65537 ? "must be at most 65,537"
                                         : "is above 1,021 and no prime, or the mode is OWEN_FULL: "
                                           "it cannot be scrambled");
    if (base < 2) return padici_blame(context, result, "base", NULL, "must be at least 2");
    if ((uint32_t)digits > 1)
        return padici_blame(context, result, "digits", NULL, "must be SHORT or LONG");
    if ((uint32_t)mode > 3)
        return padici_blame(context, result, "scrambling", "mode", "is none that there is");
    if (keys->next) return result;
    return padici_blame(context, result, "scrambling", "keys", "are missing: see sample_keys");
}

PADICI_FN const char *padici_sample_why(padic_result result)
{
    return result == PADIC_ERROR_LIMIT ? "has more than 8 axes, or more bytes than 63 bits count"
                                       : NULL;
}

// A view; `integer`: only U32 and U64.
PADICI_FN padic_result padici_sample_check_tensor(const padic_tensor *t, int integer,
                                                  uint64_t *count)
{
    padic_result result = padici_tensor_check_shape(t, count);
    if (result) return result;
    if (t->dtype != PADIC_U32 && t->dtype != PADIC_U64 &&
        (integer || (t->dtype != PADIC_F32 && t->dtype != PADIC_F64)))
        return PADIC_ERROR_DTYPE;
    if (!padici_aligned(t->data, padic_dtype_size(t->dtype))) return PADIC_ERROR_ALIGNMENT;
    return *count && !t->data && !t->buffer.id ? PADIC_ERROR_ARGUMENT : PADIC_OK;
}

// Bytes from the first to behind the last element.
static uint64_t padici_sample_extent(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    uint64_t last = 0;
    uint32_t i;
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->rank; i++) last += (t->shape[i] - 1) * (uint64_t)stride[i];
    return (last + 1) * padic_dtype_size(t->dtype);
}

PADICI_FN uint64_t padici_sample_step(const padic_tensor *t, uint32_t axis)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    return t->rank > axis ? (uint64_t)stride[axis] : 1;
}

// Where a view lies.
static padic_result padici_sample_place(padic_context *context, const padic_tensor *t,
                                        padici_place *place)
{
    uint64_t at;
    place->mem.bits = (uint64_t)(uintptr_t)t->data;
    place->at = 0;
    place->host = 1;
    if (t->data || !padic_tensor_count(t)) return PADIC_OK;
    if (!context) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_mul_u64(t->offset, padic_dtype_size(t->dtype), &at)) at = UINT64_MAX;
    return padici_buffer_range(context, t->buffer, at, padici_sample_extent(t), place);
}

// Output and index, or the range from `first`: `points` of them, from 0 to job->last. `alone`: each
// point is read once, right before it is written, so both may be the same view.
PADICI_FN padic_result padici_sample_check_in(padic_context *context, padici_sample_job *job,
                                              const padic_tensor *index, uint64_t first,
                                              const padic_tensor *out, uint64_t points, int given,
                                              int alone)
{
    uint64_t count, a, b;
    padic_result result = padici_sample_place(context, out, &job->to);
    job->first = first;
    if (result) return result;
    job->device = !job->to.host;
    if (!job->device) job->out = (char *)(uintptr_t)(job->to.mem.bits + job->to.at);
    if (!given && index->dtype == PADIC_DTYPE_NONE && !index->data && !index->buffer.id)
        return PADIC_OK;
    result = padici_sample_check_tensor(index, 1, &count);
    if (!result) result = padici_sample_place(context, index, &job->from);
    if (result)
        return padici_blame(context, result, given ? "reversals" : "index", NULL,
                            padici_sample_why(result));
    if (index->rank > 1 || (index->rank ? index->shape[0] : 1) != points)
        return padici_blame(context, PADIC_ERROR_MISMATCH, given ? "reversals" : "index", NULL,
                            "must have one element for each of `out`");
    job->index_dtype = index->dtype;
    job->index_stride = padici_sample_step(index, 0);
    if (!count || !padic_tensor_count(out)) return PADIC_OK;
    if (job->from.host != job->to.host)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, given ? "reversals" : "index", NULL,
                            "and out lie apart, in host memory and on a device");
    a = job->from.mem.bits + job->from.at; // a device's handles are no addresses, but differ
    b = job->to.mem.bits + job->to.at;
    job->index = (const char *)(uintptr_t)(job->device ? 1 : a);
    if (job->device && job->from.mem.bits != job->to.mem.bits) return PADIC_OK;
    if (alone && a == b && padic_dtype_size(index->dtype) == padic_dtype_size(out->dtype) &&
        (points < 2 || job->index_stride == padici_sample_step(out, 0)))
        return PADIC_OK;
    if (a < b + padici_sample_extent(out) && b < a + padici_sample_extent(index))
        return PADIC_ERROR_OVERLAP;
    return PADIC_OK;
}

// One coordinate on the device. `query`: only whether it can.
PADICI_FN padic_result padici_sample_device(padic_context *context, padici_sample_drive *d,
                                            int query)
{
    padic_result result = padici_drive(context, PADICI_KERNEL_SAMPLE_DEVICE, d, query);
    return !result && d->outside ? PADIC_ERROR_LIMIT : result;
}

PADICI_FN padic_result padici_sample_check_range(padic_context *context,
                                                 const padici_sample_job *job, uint64_t points)
{
    if (job->index || !points) return PADIC_OK;
    if (job->first > job->last || points - 1 > job->last - job->first)
        return padici_blame(context, PADIC_ERROR_LIMIT, "first", NULL,
                            "and the points after it reach beyond the largest index: see "
                            "sample_levels");
    return PADIC_OK;
}

PADICI_FN padic_result padici_sample_split_run(padici_sample_split *split, void (*fn)(void *arg,
                                               uint32_t task))
{
    uint64_t tasks;
    uint32_t i;
    int bad = 0;
    while ((tasks = (split->count + split->step - 1) / split->step) > 1u << 24) split->step *= 2;
    padici_parallel(padici_jobs(split->context), (uint32_t)tasks, fn, split);
    for (i = 0; i < PADICI_JOBS_AT_ONCE; i++) bad |= split->bad[i];
    return bad ? PADIC_ERROR_LIMIT : PADIC_OK;
}

static void padici_sample_single_task(void *arg, uint32_t task)
{
    padici_sample_split *split = (padici_sample_split *)arg;
    const uint64_t begin = task * split->step, left = split->count - begin;
    if (padici_sample_run(split->context, split->job, split->radix, begin,
                          begin + (left < split->step ? left : split->step)))
        split->bad[task % PADICI_JOBS_AT_ONCE] = 1;
}

// The functions of one base: checks everything, then runs.
PADICI_FN padic_result padici_sample_single(padic_context *context, padici_sample_job *job,
                                            const padic_tensor *out, const padic_tensor *in,
                                            uint64_t first, int given, uint32_t base,
                                            padic_sample_digits digits, uint32_t levels,
                                            const padic_sample_scrambling *scrambling)
{
    padici_sample_split split;
    padici_sample_radix x;
    const padic_sample_mode mode = scrambling ? scrambling->mode : PADIC_SAMPLE_NONE;
    padici_sample_keys keys;
    uint64_t count;
    uint32_t k;
    padic_result result = PADIC_OK;
    memset(&keys, 0, sizeof keys);
    if (scrambling) result = padici_sample_keys_of(context, scrambling, &keys);
    if (result) return result;
    result = padici_sample_check_base(&x, base, digits, mode, &keys);
    if (result) return padici_sample_blame_base(context, result, base, digits, mode, &keys);
    if (levels > x.levels)
        return padici_blame(context, PADIC_ERROR_LIMIT, "levels", NULL,
                            "is more than an index has digits: see sample_levels");
    job->last = job->scale = x.last;
    result = padici_sample_check_tensor(out, (int)job->integers, &count);
    if (result)
        return padici_blame(context, result, "out", NULL, padici_sample_why(result));
    if (job->integers && out->dtype == PADIC_U32 && digits == PADIC_SAMPLE_LONG)
        return padici_blame(context, PADIC_ERROR_DTYPE, "out", NULL, "must be U64 for LONG digits");
    if (out->rank > 1)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL, "must have rank 0 or 1");
    job->out_stride = padici_sample_step(out, 0);
    job->dtype = out->dtype;
    result = padici_sample_check_in(context, job, in, first, out, count, given, 1);
    if (!result) result = padici_sample_check_range(context, job, count);
    if (result) return result;
    if (levels && levels < x.levels) {
        job->group = 1;
        for (k = 0; k < levels; k++) job->group *= base;
        x.levels = levels;
    }
    if (job->device) {
        padici_sample_drive d;
        memset(&d, 0, sizeof d);
        d.job = job;
        d.radix = &x;
        d.count = count;
        result = padici_sample_device(context, &d, 1);
        return result ? result : padici_sample_device(context, &d, 0);
    }
    memset(&split, 0, sizeof split);
    split.context = context;
    split.job = job;
    split.radix = &x;
    split.count = count;
    split.step = 4 * PADICI_SAMPLE_CHUNK;
    return padici_sample_split_run(&split, padici_sample_single_task);
}

#endif
