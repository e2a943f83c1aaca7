#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/splitmix.h"
#include "../core/view.h"
#include "../core/words.h"
#include "random.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Sobol's sequence, by Joe and Kuo's direction numbers, and Owen's scrambling of it.

// Of dimensions 1 to 63 of new-joe-kuo-6.21201: the polynomial over GF(2), all its bits, and as
// many initial numbers m as its degree.
typedef struct padici_rollout_sobol_row {
    uint16_t polynomial, m[9];
} padici_rollout_sobol_row;
static const padici_rollout_sobol_row padici_rollout_sobol_rows[63] = {
    {3, {1}}, {7, {1, 3}}, {11, {1, 3, 1}}, {13, {1, 1, 1}}, {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}}, {37, {1, 1, 5, 5, 17}}, {41, {1, 1, 5, 5, 5}}, {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}}, {59, {1, 1, 1, 3, 11}}, {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}}, {91, {1, 1, 1, 15, 21, 21}}, {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}}, {109, {1, 3, 1, 15, 13, 25}}, {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}}, {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}}, {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}}, {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}}, {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}}, {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}}, {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}}, {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}}, {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}}, {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}}, {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}}, {333, {1, 3, 1, 11, 27, 43, 71, 9}},
    {351, {1, 1, 7, 15, 21, 11, 81, 45}}, {355, {1, 3, 7, 3, 25, 31, 65, 79}},
    {357, {1, 3, 1, 1, 19, 11, 3, 205}}, {361, {1, 1, 5, 9, 19, 21, 29, 157}},
    {369, {1, 3, 7, 11, 1, 33, 89, 185}}, {391, {1, 3, 3, 3, 15, 9, 79, 71}},
    {397, {1, 3, 7, 11, 15, 39, 119, 27}}, {425, {1, 1, 3, 1, 11, 31, 97, 225}},
    {451, {1, 1, 1, 3, 23, 43, 57, 177}}, {463, {1, 3, 7, 7, 17, 17, 37, 71}},
    {487, {1, 3, 1, 5, 27, 63, 123, 213}}, {501, {1, 1, 3, 5, 11, 43, 53, 133}},
    {529, {1, 3, 5, 5, 29, 17, 47, 173, 479}}, {539, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {545, {1, 1, 1, 5, 17, 39, 23, 5, 343}}, {557, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {563, {1, 1, 1, 11, 11, 17, 63, 105, 183}}, {601, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {607, {1, 1, 5, 15, 19, 45, 41, 7, 383}}, {617, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {623, {1, 1, 1, 3, 23, 15, 111, 223, 83}}, {631, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {637, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
};

// Bit k of an index's Gray code adds v[k].
static void padici_rollout_sobol_directions(uint32_t dimension, uint32_t v[32])
{
    const padici_rollout_sobol_row *row;
    uint32_t degree, k, i;
    for (k = 0; k < 32; k++) v[k] = 1u << (31 - k);
    if (!dimension) return;
    row = &padici_rollout_sobol_rows[dimension - 1];
    degree = 31 - padici_clz32(row->polynomial);
    for (k = 0; k < 32; k++) {
        if (k < degree) {
            v[k] = (uint32_t)row->m[k] << (31 - k);
            continue;
        }
        v[k] = v[k - degree] ^ v[k - degree] >> degree;
        for (i = 1; i < degree; i++)
            if (row->polynomial >> (degree - i) & 1) v[k] ^= v[k - i];
    }
}

// Bit j changes by a word of the bits above it.
static uint32_t padici_rollout_sobol_scramble(uint64_t seed, uint32_t dimension, uint32_t x)
{
    const uint64_t stream = padici_rollout_stream(dimension, 0, 0, PADICI_ROLLOUT_OWEN);
    uint32_t flips = 0, j;
    for (j = 0; j < 32; j++) {
        const uint32_t above = j ? x >> (32 - j) : 0;
        flips |= (padici_rollout_word(seed, stream, j, above) & 1) << (31 - j);
    }
    return x ^ flips;
}

typedef struct padici_rollout_sobol_job {
    const padic_rollout_sobol_desc *desc;
    int64_t stride[PADIC_MAX_RANK];
} padici_rollout_sobol_job;

// One dimension of all points.
static void padici_rollout_sobol_column(void *arg, uint32_t column)
{
    const padici_rollout_sobol_job *job = (const padici_rollout_sobol_job *)arg;
    const padic_rollout_sobol_desc *desc = job->desc;
    const uint32_t dimension = desc->dimension + column;
    const uint32_t first = (uint32_t)desc->first, gray = first ^ first >> 1;
    const uint32_t size = padic_dtype_size(desc->out.dtype);
    char *out = (char *)desc->out.data + (int64_t)column * job->stride[1] * (int64_t)size;
    uint32_t v[32], x = 0, k;
    uint64_t i;
    padici_rollout_sobol_directions(dimension, v);
    for (k = 0; k < 32; k++)
        if (gray >> k & 1) x ^= v[k];
    for (i = 0; i < desc->out.shape[0]; i++, out += job->stride[0] * (int64_t)size) {
        const uint32_t word = desc->plain ? x : padici_rollout_sobol_scramble(desc->seed,
                                                                              dimension, x);
        const double u = ((double)word + 0.5) * (1.0 / 4294967296.0);
        const uint32_t next = (uint32_t)(desc->first + i + 1);
        memcpy(out, size == 4 ? (const void *)&word : (const void *)&u, size);
        if (next) x ^= v[padici_ctz64(next)];
    }
}

PADICI_FN padic_result padici_rollout_sobol_check(padic_context *context, const void *desc_)
{
    const padic_rollout_sobol_desc *desc = (const padic_rollout_sobol_desc *)desc_;
    if (desc->out.dtype != PADIC_U32 && desc->out.dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "is not u32 or f64");
    if (desc->out.rank != 2)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out", "is not (n, d)");
    if (desc->plain > 1)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plain", "is not 0 or 1");
    if (desc->dimension > PADIC_ROLLOUT_SOBOL_DIMENSIONS ||
        desc->out.shape[1] > PADIC_ROLLOUT_SOBOL_DIMENSIONS - desc->dimension)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "out",
                                 "reaches beyond dimension 63, the last");
    if (desc->first > (uint64_t)1 << 32 || desc->out.shape[0] > ((uint64_t)1 << 32) - desc->first)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "first",
                                 "plus the number of points is above 2^32");
    return PADIC_OK;
}

PADICI_FN uint32_t padici_rollout_sobol_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_sobol_desc *desc = (padic_rollout_sobol_desc *)desc_;
    operands[0].name = "out";
    operands[0].tensor = &desc->out;
    operands[0].out = 1;
    return 1;
}

PADICI_FN padic_result padici_rollout_sobol_host(const padic_env *env, const void *desc_)
{
    padici_rollout_sobol_job job;
    job.desc = (const padic_rollout_sobol_desc *)desc_;
    padici_tensor_dense(&job.desc->out, job.stride);
    if (job.desc->out.shape[0])
        padici_parallel(padici_env_jobs(env), (uint32_t)job.desc->out.shape[1],
                        padici_rollout_sobol_column, &job);
    return PADIC_OK;
}

#endif
