#include "schmidt.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"
#include "eigh.h"
#include "factor.h"
#include "plan.h"
#include "product.h"
#include "svd.h"
#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// A state cut in two: the probabilities of its Schmidt decomposition.

PADICI_FN padic_result padici_tensor_cut_fail(padici_tensor_cut *cut, padic_result result,
                                              const char *sentence)
{
    cut->fault = sentence;
    return result;
}

PADICI_FN void padici_tensor_cut_end(padici_tensor_cut *cut)
{
    padici_free(cut->allocator, cut->memory, cut->bytes);
    cut->memory = NULL;
}

// The axes: the tensor's, or `dims` of a dense one.
PADICI_FN padic_result padici_tensor_cut_axes(padici_tensor_cut *cut, const padic_tensor *state,
                                              uint64_t dims_count, const uint64_t *dims)
{
    uint64_t count = 1, step = 1, before;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    int dense = 1;
    memset(cut, 0, sizeof *cut);
    cut->tensor = *state;
    if (!padici_tensor_is_complex(state->dtype) && !padici_tensor_is_double(state->dtype) &&
        state->dtype != PADIC_F32)
        return padici_tensor_cut_fail(cut, PADIC_ERROR_DTYPE,
                                      "state or rho is not F32, F64, C64 or C128");
    padici_tensor_dense(state, stride);
    if (dims_count > 64)
        return padici_tensor_cut_fail(cut, PADIC_ERROR_ARGUMENT, "dims has more than 64 axes");
    cut->axes = dims_count ? (uint32_t)dims_count : state->rank;
    for (i = cut->axes; i-- > 0;) {
        cut->extent[i] = dims_count ? dims[i] : state->shape[i];
        cut->step[i] = dims_count ? (int64_t)step : stride[i];
        if (!padici_mul_u64(count, cut->extent[i], &count)) count = 0;
        step *= cut->extent[i];
    }
    if (dims_count && padic_tensor_count(state)) (void)padici_tensor_span(state, &dense, &before);
    if (dims_count && (!dense || count != padic_tensor_count(state)))
        return padici_tensor_cut_fail(cut, PADIC_ERROR_MISMATCH,
                                      "dims do not split state, which must be dense");
    if (!count) return padici_tensor_cut_fail(cut, PADIC_ERROR_DOMAIN, "the state is zero");
    return PADIC_OK;
}

// Where the places of the axes in `part` lie, the last axis fastest.
PADICI_FN void padici_tensor_cut_places(const padici_tensor_cut *cut, uint64_t part, int64_t *at)
{
    uint64_t n = 1, i, j;
    uint32_t axis;
    at[0] = 0;
    for (axis = 0; axis < cut->axes; axis++) {
        const uint64_t extent = cut->extent[axis];
        if (!(part >> axis & 1)) continue;
        for (i = n; i-- > 0;) // from the end, so that nothing is lost
            for (j = extent; j-- > 0;) at[i * extent + j] = at[i] + (int64_t)j * cut->step[axis];
        n *= extent;
    }
}

// Whether p comes from singular values.
static int padici_tensor_cut_by_svd(const padici_tensor_cut *cut)
{
    return padici_tensor_is_double(cut->tensor.dtype) && cut->size[0] <= 64;
}

// The sides, and whether they are of a size.
PADICI_FN padic_result padici_tensor_cut_sizes(padici_tensor_cut *cut, uint64_t part)
{
    uint64_t size[2] = {1, 1};
    uint32_t i;
    if (cut->axes < 64 && part >> cut->axes)
        return padici_tensor_cut_fail(cut, PADIC_ERROR_ARGUMENT, "part has bits beyond the axes");
    for (i = 0; i < cut->axes; i++) size[part >> i & 1] *= cut->extent[i];
    cut->shorter = size[1] < size[0];
    cut->size[0] = size[cut->shorter];
    cut->size[1] = size[!cut->shorter];
    if (cut->size[0] > 32768 || cut->size[1] >> 40)
        return padici_tensor_cut_fail(
            cut, PADIC_ERROR_LIMIT,
            "part leaves a shorter side above 32768, or a longer one of 2^40");
    return PADIC_OK;
}

// Memory for a cut, and its places.
static padic_result padici_tensor_cut_begin(padici_tensor_cut *cut, uint64_t part)
{
    const uint64_t all = cut->axes == 64 ? UINT64_MAX : (UINT64_C(1) << cut->axes) - 1;
    uint64_t doubles;
    size_t bytes;
    padic_result result = padici_tensor_cut_sizes(cut, part);
    if (result) return result;
    doubles = padici_tensor_cut_by_svd(cut)
                  ? 4 * cut->size[1] * cut->size[0] + 2 * cut->size[0] * cut->size[0]
                  : 2 * cut->size[0] * cut->size[0];
    doubles += 8 * cut->size[0] + cut->size[0] + cut->size[1];
    if (doubles > (size_t)-1 || !padici_mul_size((size_t)doubles, 8, &bytes))
        return padici_tensor_cut_fail(cut, PADIC_ERROR_LIMIT, "u and w are too large for memory");
    cut->bytes = bytes;
    cut->memory = (char *)padici_alloc(cut->allocator, bytes, 64);
    if (!cut->memory) return padici_tensor_cut_fail(cut, PADIC_ERROR_MEMORY, "out of host memory");
    cut->at[0] = (int64_t *)(void *)cut->memory;
    cut->at[1] = cut->at[0] + cut->size[0];
    cut->p = (double *)(void *)(cut->at[1] + cut->size[1]);
    cut->space = cut->p + cut->size[0];
    padici_tensor_cut_places(cut, part, cut->at[!cut->shorter]);
    padici_tensor_cut_places(cut, all & ~part, cut->at[cut->shorter]);
    return PADIC_OK;
}

// Column j (of the longer side) of the state, divided by `scale`.
static void padici_tensor_cut_read(const padici_tensor_cut *cut, uint64_t j, double scale,
                                   double *x)
{
    uint64_t i;
    for (i = 0; i < cut->size[0]; i++) {
        padici_tensor_read(cut->tensor.dtype, (const char *)cut->tensor.data,
                           cut->at[1][j] + cut->at[0][i], x + 2 * i, x + 2 * i + 1);
        x[2 * i] /= scale;
        x[2 * i + 1] /= scale;
    }
}

// A power of 2 near the largest part; 0 for a zero state, -1 for one that is not finite.
static double padici_tensor_cut_scale(const padici_tensor_cut *cut, double *x)
{
    double largest = 0;
    uint64_t i, j;
    int power;
    for (j = 0; j < cut->size[1]; j++) {
        padici_tensor_cut_read(cut, j, 1, x);
        for (i = 0; i < 2 * cut->size[0]; i++) {
            if (!(x[i] - x[i] == 0)) return -1;
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        }
    }
    if (largest == 0) return 0;
    frexp(largest, &power);
    return ldexp(1.0, power < -1000 ? -1000 : power > 1000 ? 1000 : power);
}

// p of the cut, not yet divided by their sum.
static int padici_tensor_cut_values(padici_tensor_cut *cut, double scale)
{
    const uint64_t r = cut->size[0], n = cut->size[1];
    double *g = cut->space + 8 * r - 2 * r, *x = cut->space;
    uint64_t i, j;
    int good = 1;
    if (padici_tensor_cut_by_svd(cut)) {
        double *w = cut->space + 2 * r;
        for (j = 0; j < n; j++) {
            padici_tensor_cut_read(cut, j, scale, x);
            for (i = 0; i < r; i++) memcpy(w + 2 * (i * n + j), x + 2 * i, 16);
        }
        good = padici_tensor_z_svd(n, r, w, cut->p, NULL, w + 2 * n * r, 0);
        for (i = 0; i < r; i++) cut->p[i] *= cut->p[i];
        return good;
    }
    memset(g, 0, (size_t)(16 * r * r));
    for (j = 0; j < n; j++) { // the lower triangle of sum x x^dagger
        padici_tensor_cut_read(cut, j, scale, x);
        for (i = 0; i < r; i++)
            padici_tensor_z_add(r - i, g + 2 * (i * r + i), x[2 * i], -x[2 * i + 1], x + 2 * i);
    }
    for (i = 0; i < r; i++)
        for (j = 0; j < i; j++) {
            g[2 * (i * r + j)] = g[2 * (j * r + i)];
            g[2 * (i * r + j) + 1] = -g[2 * (j * r + i) + 1];
        }
    good = padici_tensor_z_eigh(r, g, cut->p, NULL, cut->space);
    padici_tensor_z_sort(r, cut->p, 0, 0, NULL, 0, NULL);
    return good;
}

PADICI_FN padic_result padici_tensor_cut_normalise(padici_tensor_cut *cut, double drop,
                                                   uint64_t *rank)
{
    double sum = 0;
    uint64_t i;
    for (i = cut->size[0]; i-- > 0;) sum += cut->p[i]; // the small ones first
    if (!(sum > 0))
        return padici_tensor_cut_fail(cut, PADIC_ERROR_DOMAIN, "rho has no positive trace");
    if (cut->p[cut->size[0] - 1] < -1e-6 * sum)
        return padici_tensor_cut_fail(cut, PADIC_ERROR_DOMAIN, "rho has a negative eigenvalue");
    for (i = 0; i < cut->size[0] && cut->p[i] / sum > drop; i++) cut->p[i] /= sum;
    *rank = i;
    return PADIC_OK;
}

// p of a state, descending, and how many are above `drop`.
PADICI_FN padic_result padici_tensor_cut_run(padici_tensor_cut *cut, uint64_t part, double drop,
                                             uint64_t *rank)
{
    double scale;
    padic_result result = padici_tensor_cut_begin(cut, part);
    if (result) return result;
    scale = padici_tensor_cut_scale(cut, cut->space);
    if (scale < 0)
        result = padici_tensor_cut_fail(cut, PADIC_ERROR_NOT_FINITE,
                                        "the state has a NaN or an infinity");
    else if (scale == 0)
        result = padici_tensor_cut_fail(cut, PADIC_ERROR_DOMAIN, "the state is zero");
    else if (!padici_tensor_cut_values(cut, scale))
        result = padici_tensor_cut_fail(cut, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) result = padici_tensor_cut_normalise(cut, drop, rank);
    if (result) padici_tensor_cut_end(cut);
    return result;
}

// The same of a density matrix.
PADICI_FN padic_result padici_tensor_cut_run_rho(padici_tensor_cut *cut, double drop,
                                                 uint64_t *rank)
{
    const uint64_t n = cut->extent[0];
    padici_tensor_factor f;
    double *g, scale;
    padic_result result;
    memset(&f, 0, sizeof f);
    result = padici_tensor_cut_begin(cut, 1);
    if (result) return result;
    f.kind = PADICI_TENSOR_FACTOR_EIGH;
    f.tensors[0] = cut->tensor;
    f.m = f.n = n;
    f.stride[0][1] = cut->step[0];
    f.stride[0][2] = cut->step[1];
    g = cut->space + 6 * n;
    if (!padici_tensor_factor_read(&f, 0, 0, g, &scale))
        result =
            padici_tensor_cut_fail(cut, PADIC_ERROR_NOT_FINITE, "rho has a NaN or an infinity");
    else if (!padici_tensor_z_eigh(n, g, cut->p, NULL, cut->space))
        result = padici_tensor_cut_fail(cut, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) padici_tensor_z_sort(n, cut->p, 0, 0, NULL, 0, NULL);
    if (!result) result = padici_tensor_cut_normalise(cut, drop, rank);
    if (result) padici_tensor_cut_end(cut);
    return result;
}

#endif
