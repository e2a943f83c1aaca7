#include "../context/messages.h"
#include "../context/place.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/philox.h"
#include "../core/platform.h"
#include "../core/view.h"
#include "../core/words.h"
#include "checks.h"
#include "driver.h"
#include "reverse.h"
#include "sample.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- calls

static PADICI_NOINLINE padic_result padici_sample_end(padic_context *context, const char *name,
                                                      padic_result result)
{
    if (result == PADIC_ERROR_LIMIT) // unless a check has said what else
        padici_blame(context, result, "index", NULL,
                     "has an element above the largest: 0 stands in its place");
    return result ? padici_fault(context, result, name) : PADIC_OK;
}

static padic_result padici_sample_no_desc(padic_context *context, const char *name)
{
    return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
}

PADIC_API padic_result padic_sample_radical_inverse(padic_context *context,
                                                    const padic_sample_radical_inverse_desc *desc)
{
    padici_sample_job job;
    memset(&job, 0, sizeof job);
    if (!desc) return padici_sample_no_desc(context, "sample_radical_inverse");
    job.task = PADICI_SAMPLE_VALUE;
    job.integers = desc->reversed != 0;
    return padici_sample_end(context, "sample_radical_inverse",
                             padici_sample_single(context, &job, &desc->out, &desc->index,
                                                  desc->first, 0, desc->base, desc->digits, 0,
                                                  &desc->scrambling));
}

// Reversal is its own inverse.
PADIC_API padic_result padic_sample_radical_index(padic_context *context,
                                                  const padic_sample_radical_index_desc *desc)
{
    padici_sample_job job;
    memset(&job, 0, sizeof job);
    if (!desc) return padici_sample_no_desc(context, "sample_radical_index");
    job.task = PADICI_SAMPLE_VALUE;
    job.integers = 1;
    return padici_sample_end(context, "sample_radical_index",
                             padici_sample_single(context, &job, &desc->out, &desc->reversals, 0, 1,
                                                  desc->base, desc->digits, 0, NULL));
}

PADIC_API padic_result padic_sample_scramble(padic_context *context,
                                             const padic_sample_scramble_desc *desc)
{
    padici_sample_job job;
    memset(&job, 0, sizeof job);
    if (!desc) return padici_sample_no_desc(context, "sample_scramble");
    job.task = desc->inverse ? PADICI_SAMPLE_UNSCRAMBLE : PADICI_SAMPLE_SCRAMBLE;
    job.integers = 1;
    return padici_sample_end(context, "sample_scramble",
                             padici_sample_single(context, &job, &desc->out, &desc->reversals, 0, 1,
                                                  desc->base, desc->digits, 0, &desc->scrambling));
}

PADIC_API padic_result padic_sample_shuffle_index(padic_context *context,
                                                  const padic_sample_shuffle_index_desc *desc)
{
    padici_sample_job job;
    memset(&job, 0, sizeof job);
    if (!desc) return padici_sample_no_desc(context, "sample_shuffle_index");
    job.task = PADICI_SAMPLE_SHUFFLE;
    job.integers = 1;
    return padici_sample_end(context, "sample_shuffle_index",
                             padici_sample_single(context, &job, &desc->out, &desc->index,
                                                  desc->first, 0, desc->base, desc->digits,
                                                  desc->levels, &desc->scrambling));
}

// One coordinate of Halton (n = 0) or Hammersley points: its base, its keys and its limits.
static padic_result padici_sample_coordinate(const padic_sample_hammersley_desc *desc, uint64_t c,
                                             padici_sample_job *job, padici_sample_radix *x,
                                             padici_sample_keys *keys)
{
    const uint32_t at = desc->dimension + (uint32_t)c;
    padic_result result;
    job->task = PADICI_SAMPLE_VALUE;
    if (!desc->n) {
        result = padici_sample_check_base(x, padic_sample_prime(at), desc->digits,
                                          desc->scrambling.mode, keys);
        job->last = job->scale = x->last;
        return result;
    }
    job->last = job->scale = desc->n - 1;
    if (!at) {
        memset(x, 0, sizeof *x);
        job->task = PADICI_SAMPLE_RATIO;
        return PADIC_OK;
    }
    result = padici_sample_check_base(x, padic_sample_prime(at - 1), desc->digits,
                                      desc->scrambling.mode, keys);
    job->scale = x->last;
    if (job->last > x->last) job->last = x->last;
    return result;
}

// The points of one task, a coordinate after the other.
static void padici_sample_points_task(void *arg, uint32_t task)
{
    padici_sample_split *split = (padici_sample_split *)arg;
    const padic_sample_hammersley_desc *desc = split->points;
    const uint32_t axis = desc->layout == PADIC_SAMPLE_POINTS ? 1 : 0; // of the coordinates
    const uint64_t begin = task * split->step, left = split->count - begin;
    padici_sample_keys keys = split->keys;
    padici_sample_job job = *split->job;
    padici_sample_radix x;
    uint64_t c;
    for (c = 0; c < desc->out.shape[axis]; c++) {
        const uint64_t offset = c * padici_sample_step(&desc->out, axis);
        (void)padici_sample_coordinate(desc, c, &job, &x, &keys);
        job.out = split->job->out + (size_t)(offset * padic_dtype_size(desc->out.dtype));
        if (padici_sample_run(split->context, &job, &x, begin,
                              begin + (left < split->step ? left : split->step)))
            split->bad[task % PADICI_JOBS_AT_ONCE] = 1;
    }
}

// All points on the device, one coordinate after the other.
static padic_result padici_sample_points_device(padic_context *context,
                                                const padic_sample_hammersley_desc *desc,
                                                padici_sample_keys keys, padici_sample_job *job,
                                                uint64_t points)
{
    const uint32_t axis = desc->layout == PADIC_SAMPLE_POINTS ? 1 : 0; // of the coordinates
    padici_sample_radix x;
    padici_sample_drive d;
    padic_result result = PADIC_OK, worst = PADIC_OK;
    uint64_t c;
    memset(&d, 0, sizeof d);
    d.job = job;
    d.radix = &x;
    d.count = points;
    for (c = 0; !result && c < desc->out.shape[axis]; c++) {
        result = padici_sample_coordinate(desc, c, job, &x, &keys);
        d.offset = c * padici_sample_step(&desc->out, axis);
        if (!result && !c) result = padici_sample_device(context, &d, 1);
        if (!result) result = padici_sample_device(context, &d, 0);
        if (d.outside) worst = PADIC_ERROR_LIMIT;
        if (d.outside && result == PADIC_ERROR_LIMIT) result = PADIC_OK;
        d.outside = 0;
    }
    return result ? result : worst;
}

// All points, after every coordinate is checked, so that an error comes before anything is written.
static padic_result padici_sample_points(padic_context *context,
                                         const padic_sample_hammersley_desc *desc)
{
    const padic_tensor *out = &desc->out;
    padici_sample_keys keys, all;
    padici_sample_job job;
    padici_sample_radix x;
    padici_sample_split split;
    uint64_t count, points, dimensions, c;
    uint32_t axis;
    padic_result result = padici_sample_check_tensor(out, 0, &count);
    if (result)
        return padici_blame(context, result, "out", NULL, padici_sample_why(result));
    if ((uint32_t)desc->layout > 1 || (uint32_t)desc->digits > 1 ||
        (uint32_t)desc->scrambling.mode > 3)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            "layout, digits or scrambling.mode is none that there is");
    if (out->rank != 2)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL,
                            "must have rank 2: points and dimensions");
    axis = desc->layout == PADIC_SAMPLE_POINTS ? 0 : 1; // of the points
    points = out->shape[axis];
    dimensions = out->shape[1 - axis];
    if (desc->dimension > 1023 || dimensions > 1024u - desc->dimension)
        return padici_blame(context, PADIC_ERROR_LIMIT, "dimension", NULL,
                            "and those of `out` after it must be below 1,024");
    memset(&job, 0, sizeof job);
    memset(&all, 0, sizeof all);
    job.out_stride = padici_sample_step(out, axis);
    job.dtype = out->dtype;
    result = padici_sample_check_in(context, &job, &desc->index, desc->first, out, points, 0,
                                    dimensions == 1);
    if (!result) result = padici_sample_keys_of(context, &desc->scrambling, &all);
    for (c = 0, keys = all; !result && count && c < dimensions; c++) {
        result = padici_sample_coordinate(desc, c, &job, &x, &keys);
        padici_sample_blame_base(context, result, padic_sample_prime(desc->dimension + (uint32_t)c),
                                 desc->digits, desc->scrambling.mode, &keys);
        if (!result) result = padici_sample_check_range(context, &job, points);
    }
    if (result || !count) return result;
    if (job.device) return padici_sample_points_device(context, desc, all, &job, points);
    memset(&split, 0, sizeof split);
    split.context = context;
    split.points = desc;
    split.keys = all;
    split.job = &job;
    split.count = points;
    split.step = PADICI_SAMPLE_CHUNK;
    return padici_sample_split_run(&split, padici_sample_points_task);
}

PADIC_API padic_result padic_sample_hammersley(padic_context *context,
                                               const padic_sample_hammersley_desc *desc)
{
    if (!desc || !desc->n)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "sample_hammersley",
                              desc ? "n is 0: how many points has the set?" : "desc is NULL");
    return padici_sample_end(context, "sample_hammersley", padici_sample_points(context, desc));
}

PADIC_API padic_result padic_sample_halton(padic_context *context,
                                           const padic_sample_halton_desc *desc)
{
    padic_sample_hammersley_desc all;
    memset(&all, 0, sizeof all);
    if (!desc) return padici_sample_no_desc(context, "sample_halton");
    all.out = desc->out;
    all.layout = desc->layout;
    all.digits = desc->digits;
    all.dimension = desc->dimension;
    all.first = desc->first;
    all.index = desc->index;
    all.scrambling = desc->scrambling;
    return padici_sample_end(context, "sample_halton", padici_sample_points(context, &all));
}

// i = reverse(x) mod 2^a and i = reverse(y) mod 3^c. The base-3 digits of t in i = reverse(x) + 2^a
// t are found from the lowest up, as in a Hensel lift: each makes a digit of i that of reverse(y).
PADIC_API padic_result padic_sample_halton_index(const padic_sample_halton_index_desc *desc,
                                                 uint64_t *index)
{
    uint64_t columns, rows = 1, grid, i, y, power = 1;
    uint32_t k;
    if (index) *index = 0;
    if (!desc || !index) return PADIC_ERROR_ARGUMENT;
    if (desc->exponent2 > 63 || desc->exponent3 > 40) return PADIC_ERROR_LIMIT;
    columns = (uint64_t)1 << desc->exponent2;
    for (k = 0; k < desc->exponent3; k++) rows *= 3;
    if (!padici_mul_u64(columns, rows, &grid)) return PADIC_ERROR_LIMIT;
    if (desc->x >= columns || desc->y >= rows) return PADIC_ERROR_ARGUMENT;
    i = desc->exponent2 ? padici_sample_bits(desc->x) >> (64 - desc->exponent2) : 0;
    y = desc->y;
    for (k = 0; k < desc->exponent3; k++, power *= 3) {
        uint64_t weight = rows / power / 3;    // of digit k of i in y, from its top
        uint64_t wanted = y / weight + 3 - i / power % 3;
        y %= weight;
        if (desc->exponent2 & 1) wanted *= 2; // 1 / 2^a mod 3
        i += wanted % 3 * power << desc->exponent2;
    }
    if (desc->s > (UINT64_MAX - i) / grid) return PADIC_ERROR_LIMIT;
    *index = i + desc->s * grid;
    return PADIC_OK;
}

static uint32_t padici_sample_keys_base(const padic_sample_keys_desc *desc, uint32_t d)
{
    return desc->base ? desc->base : padic_sample_prime(desc->dimension + d);
}

// How many keys a desc asks for, or what is wrong with it.
static padic_result padici_sample_keys_check(const padic_sample_keys_desc *desc, uint64_t *count)
{
    uint64_t total = 0;
    uint32_t d, n, levels = 0;
    *count = 0;
    if (!desc || desc->base == 1 || (uint32_t)desc->digits > 1) return PADIC_ERROR_ARGUMENT;
    if (desc->base > 65537) return PADIC_ERROR_LIMIT;
    n = desc->dimensions ? desc->dimensions : 1;
    if (n - 1 > UINT32_MAX - desc->dimension) return PADIC_ERROR_LIMIT;
    if (desc->base) {
        total = (uint64_t)n * padic_sample_levels(desc->base, desc->digits, NULL);
    } else {
        if (desc->dimension > 1023 || n > 1024 - desc->dimension) return PADIC_ERROR_LIMIT;
        for (d = 0; d < n; d++) {
            levels = padic_sample_levels(padici_sample_keys_base(desc, d), desc->digits, NULL);
            total += levels;
        }
    }
    if (total > (size_t)-1 / sizeof(uint64_t)) return PADIC_ERROR_LIMIT;
    *count = total;
    return PADIC_OK;
}

PADIC_API uint64_t padic_sample_keys_count(const padic_sample_keys_desc *desc)
{
    uint64_t count;
    (void)padici_sample_keys_check(desc, &count);
    return count;
}

static padic_result padici_sample_keys_write(padic_context *context,
                                             const padic_sample_keys_desc *desc)
{
    void *p;
    uint64_t *keys, count;
    uint32_t d, k, n, word[4];
    padic_result result = padici_sample_keys_check(desc, &count);
    if (result) return padici_blame(context, result, NULL, NULL, "there are no such dimensions");
    if (desc->out.dtype != PADIC_U64)
        return padici_blame(context, PADIC_ERROR_DTYPE, "out", NULL, "must be U64");
    result = padici_host_pointer(context, &desc->out, &p);
    if (!result && (!p || desc->out.rank > 1 || padici_sample_step(&desc->out, 0) != 1))
        result = PADIC_ERROR_ARGUMENT;
    if (!result && !padici_aligned(p, sizeof *keys)) result = PADIC_ERROR_ALIGNMENT;
    if (!result && padic_tensor_count(&desc->out) < count) result = PADIC_ERROR_CAPACITY;
    if (result) return padici_blame(context, result, "out", NULL, NULL);
    keys = (uint64_t *)p;
    n = desc->dimensions ? desc->dimensions : 1;
    for (d = 0; d < n; d++) {
        const uint32_t base = padici_sample_keys_base(desc, d);
        const uint32_t levels = padic_sample_levels(base, desc->digits, NULL);
        for (k = 0; k < levels; k++) {
            padic_random_block(desc->seed, (uint64_t)desc->dimension + d, k, 0, word);
            *keys++ = word[0] | (uint64_t)word[1] << 32;
        }
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_sample_keys(padic_context *context, const padic_sample_keys_desc *desc)
{
    if (!desc) return padici_sample_no_desc(context, "sample_keys");
    return padici_sample_end(context, "sample_keys", padici_sample_keys_write(context, desc));
}

PADIC_API uint32_t padic_sample_laine_karras(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    return x ^ x * 0x8d22f6e6u;
}

#endif
