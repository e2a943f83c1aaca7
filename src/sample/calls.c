#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../context/view_task.h"
#include "../core/log.h"
#include "../core/philox.h"
#include "../core/platform.h"
#include "../core/view.h"
#include "../core/words.h"
#include "checks.h"
#include "request.h"
#include "reverse.h"
#include "sample.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- calls

PADICI_VIEW_TASK(sample_radical_inverse)
PADICI_VIEW_TASK(sample_radical_index)
PADICI_VIEW_TASK(sample_scramble)
PADICI_VIEW_TASK(sample_shuffle_index)
PADICI_VIEW_TASK(sample_halton)
PADICI_VIEW_TASK(sample_hammersley)
PADICI_VIEW_TASK(sample_keys)

static padic_result padici_sample_no_desc(padic_context *context, const char *name)
{
    return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
}

PADIC_API padic_result padic_sample_radical_inverse(padic_context *context,
                                                    const padic_sample_radical_inverse_desc *desc)
{
    padici_sample_request q;
    padici_sample_request_begin(&q, "sample_radical_inverse", PADIC_OP_SAMPLE_RADICAL_INVERSE);
    if (!desc) return padici_sample_no_desc(context, q.name);
    if (desc->reversed > 1)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, q.name, "reversed is not 0 or 1");
    q.single = 1;
    q.job.integers = desc->reversed;
    q.out = desc->out;
    q.index = desc->index;
    q.first = desc->first;
    q.base = desc->base;
    q.digits = desc->digits;
    q.scrambling = desc->scrambling;
    return padici_sample_request_run(context, &q);
}

// Reversal is its own inverse.
PADIC_API padic_result padic_sample_radical_index(padic_context *context,
                                                  const padic_sample_radical_index_desc *desc)
{
    padici_sample_request q;
    padici_sample_request_begin(&q, "sample_radical_index", PADIC_OP_SAMPLE_RADICAL_INDEX);
    if (!desc) return padici_sample_no_desc(context, q.name);
    q.single = q.needs_index = q.job.integers = 1;
    q.index_name = "reversals";
    q.out = desc->out;
    q.index = desc->reversals;
    q.base = desc->base;
    q.digits = desc->digits;
    memset(&q.scrambling, 0, sizeof q.scrambling);
    return padici_sample_request_run(context, &q);
}

PADIC_API padic_result padic_sample_scramble(padic_context *context,
                                             const padic_sample_scramble_desc *desc)
{
    padici_sample_request q;
    padici_sample_request_begin(&q, "sample_scramble", PADIC_OP_SAMPLE_SCRAMBLE);
    if (!desc) return padici_sample_no_desc(context, q.name);
    if (desc->inverse > 1)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, q.name, "inverse is not 0 or 1");
    q.single = q.needs_index = q.job.integers = 1;
    q.index_name = "reversals";
    q.job.task = desc->inverse ? PADICI_SAMPLE_UNSCRAMBLE : PADICI_SAMPLE_SCRAMBLE;
    q.out = desc->out;
    q.index = desc->reversals;
    q.base = desc->base;
    q.digits = desc->digits;
    q.scrambling = desc->scrambling;
    return padici_sample_request_run(context, &q);
}

PADIC_API padic_result padic_sample_shuffle_index(padic_context *context,
                                                  const padic_sample_shuffle_index_desc *desc)
{
    padici_sample_request q;
    padici_sample_request_begin(&q, "sample_shuffle_index", PADIC_OP_SAMPLE_SHUFFLE_INDEX);
    if (!desc) return padici_sample_no_desc(context, q.name);
    q.single = q.job.integers = 1;
    q.job.task = PADICI_SAMPLE_SHUFFLE;
    q.out = desc->out;
    q.index = desc->index;
    q.first = desc->first;
    q.base = desc->base;
    q.digits = desc->digits;
    q.levels = desc->levels;
    q.scrambling = desc->scrambling;
    return padici_sample_request_run(context, &q);
}

PADIC_API padic_result padic_sample_hammersley(padic_context *context,
                                               const padic_sample_hammersley_desc *desc)
{
    padici_sample_request q;
    padici_sample_request_begin(&q, "sample_hammersley", PADIC_OP_SAMPLE_HAMMERSLEY);
    if (!desc || !desc->n)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, q.name,
                              desc ? "n is 0: how many points has the set?" : "desc is NULL");
    q.n = desc->n;
    q.out = desc->out;
    q.index = desc->index;
    q.first = desc->first;
    q.layout = desc->layout;
    q.digits = desc->digits;
    q.dimension = desc->dimension;
    q.scrambling = desc->scrambling;
    return padici_sample_request_run(context, &q);
}

PADIC_API padic_result padic_sample_halton(padic_context *context,
                                           const padic_sample_halton_desc *desc)
{
    padici_sample_request q;
    padici_sample_request_begin(&q, "sample_halton", PADIC_OP_SAMPLE_HALTON);
    if (!desc) return padici_sample_no_desc(context, q.name);
    q.out = desc->out;
    q.index = desc->index;
    q.first = desc->first;
    q.layout = desc->layout;
    q.digits = desc->digits;
    q.dimension = desc->dimension;
    q.scrambling = desc->scrambling;
    return padici_sample_request_run(context, &q);
}

PADIC_API padic_result padic_sample_halton_points(float *out, uint64_t points, uint32_t dimensions,
                                                  uint64_t first)
{
    padic_sample_halton_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.out = padic_tensor_2d(PADIC_F32, out, points, dimensions);
    desc.layout = PADIC_SAMPLE_LAYOUT_POINTS;
    desc.first = first;
    return padic_sample_halton(NULL, &desc);
}

// i = reverse(x) mod 2^a and i = reverse(y) mod 3^c. The base-3 digits of t in i = reverse(x) + 2^a
// t are found from the lowest up, as in a Hensel lift: each makes a digit of i that of reverse(y).
PADIC_API padic_result padic_sample_halton_index(padic_context *context,
                                                 const padic_sample_halton_index_desc *desc)
{
    static const char name[] = "sample_halton_index";
    uint64_t columns, rows = 1, grid, i, y, power = 1;
    uint32_t k;
    if (!desc) return padici_sample_no_desc(context, name);
    if (!desc->report) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "report is NULL");
    desc->report->index = 0;
    for (k = 0; k < desc->exponent3 && k <= 40; k++) rows *= 3;
    columns = (uint64_t)1 << (desc->exponent2 & 63);
    if (desc->exponent2 > 63 || desc->exponent3 > 40 || !padici_mul_u64(columns, rows, &grid))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, name, "the grid has 2^64 pixels or more");
    if (desc->x >= columns || desc->y >= rows)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "x or y is outside the grid");
    i = desc->exponent2 ? padici_sample_bits(desc->x) >> (64 - desc->exponent2) : 0;
    y = desc->y;
    for (k = 0; k < desc->exponent3; k++, power *= 3) {
        uint64_t weight = rows / power / 3;    // of digit k of i in y, from its top
        uint64_t wanted = y / weight + 3 - i / power % 3;
        y %= weight;
        if (desc->exponent2 & 1) wanted *= 2; // 1 / 2^a mod 3
        i += wanted % 3 * power << desc->exponent2;
    }
    if (desc->s > (UINT64_MAX - i) / grid)
        return padici_fail_in(context, PADIC_ERROR_LIMIT, name, "s: the index is 2^64 or more");
    desc->report->index = i + desc->s * grid;
    return PADIC_OK;
}

static uint32_t padici_sample_keys_base(const padic_sample_keys_desc *desc, uint32_t d)
{
    return desc->base ? desc->base : padic_sample_prime(desc->dimension + d);
}

// How many keys a desc asks for, or what is wrong with it.
static padic_result padici_sample_keys_total(const padic_sample_keys_desc *desc, uint64_t *count)
{
    uint64_t total = 0;
    uint32_t d, n, levels = 0;
    *count = 0;
    if (!desc || desc->base == 1 || (uint32_t)desc->digits > 1) return PADIC_ERROR_ARGUMENT;
    if (desc->base > 65537) return PADIC_ERROR_LIMIT;
    n = desc->dimensions ? desc->dimensions : 1;
    if (n - 1 > UINT32_MAX - desc->dimension) return PADIC_ERROR_LIMIT;
    if (desc->base) {
        total = (uint64_t)n * padic_sample_levels(desc->base, desc->digits);
    } else {
        if (desc->dimension > 1023 || n > 1024 - desc->dimension) return PADIC_ERROR_LIMIT;
        for (d = 0; d < n; d++) {
            levels = padic_sample_levels(padici_sample_keys_base(desc, d), desc->digits);
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
    (void)padici_sample_keys_total(desc, &count);
    return count;
}

// A call of sample_keys.
typedef struct padici_sample_keys_task {
    padici_view_task task;
    padic_sample_keys_desc desc;
} padici_sample_keys_task;

static padic_result padici_sample_check_keys_desc(padic_context *context,
                                                  const padic_sample_keys_desc *desc)
{
    const padic_tensor *out = &desc->out;
    uint64_t count, room;
    padic_result result = padici_sample_keys_total(desc, &count);
    if (result) return padici_blame(context, result, NULL, NULL, "there are no such dimensions");
    result = padici_tensor_check_shape(out, &room);
    if (!result && out->dtype != PADIC_U64) result = PADIC_ERROR_DTYPE;
    if (!result && ((!out->data && !out->buffer.id) || out->rank > 1 ||
                    padici_sample_step(out, 0) != 1))
        result = PADIC_ERROR_ARGUMENT;
    if (!result && room < count) result = PADIC_ERROR_CAPACITY;
    return padici_blame(context, result, "out", NULL, NULL);
}

static padic_result padici_sample_keys_task_check(padici_view_task *task)
{
    const padic_result result = padici_sample_check_keys_desc(
        task->context, &((const padici_sample_keys_task *)(void *)task)->desc);
    return result ? padici_fault(task->context, result, "sample_keys") : PADIC_OK;
}

static padic_result padici_sample_keys_task_host(padici_view_task *task)
{
    const padic_sample_keys_desc *desc = &((const padici_sample_keys_task *)(void *)task)->desc;
    const uint32_t n = desc->dimensions ? desc->dimensions : 1;
    uint64_t *keys = (uint64_t *)desc->out.data;
    uint32_t d, k, word[4];
    for (d = 0; d < n; d++) {
        const uint32_t base = padici_sample_keys_base(desc, d);
        const uint32_t levels = padic_sample_levels(base, desc->digits);
        for (k = 0; k < levels; k++) {
            padic_random_block(desc->seed, (uint64_t)desc->dimension + d, k, 0, word);
            *keys++ = word[0] | (uint64_t)word[1] << 32;
        }
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_sample_keys(padic_context *context, const padic_sample_keys_desc *desc)
{
    padici_sample_keys_task task;
    if (!desc) return padici_sample_no_desc(context, "sample_keys");
    task.desc = *desc;
    padici_view_task_begin(&task.task, context, padici_sample_keys_task_check,
                           padici_sample_keys_task_host);
    padici_view_add(&task.task, "out", &task.desc.out, 2);
    return padici_run_task(context, PADIC_OP_SAMPLE_KEYS, &task);
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
