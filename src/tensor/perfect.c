#include "perfect.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/state.h"
#include "../core/view.h"
#include "factor.h"
#include "plan.h"
#include "product.h"

#if PADICI_IMPLEMENT_TENSOR

// ------------------------------------------------------------------------------------- >>code impl
//
// Perfect tensors: one that is known, and the check of any.

PADICI_FN uint32_t padici_tensor_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) *
                          UINT64_C(0x0101010101010101) >> 56);
}

static padic_result padici_tensor_perfect_named(padic_context *context,
                                                const padic_tensor_perfect_desc *desc)
{
    static const char *const names[1] = {"out"};
    padic_tensor t;
    padici_operand operand;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i, b;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    t = desc->out;
    if (t.dtype != PADIC_F32 && !padici_tensor_is_double(t.dtype) &&
        !padici_tensor_is_complex(t.dtype))
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "out is not F32, F64, C64 or C128");
    result = padici_tensor_host(context, &t, names, &operand, 1, 0);
    if (result) return result;
    for (i = 0, b = t.rank == 6; i < 6 && b; i++) b = t.shape[i] == 2;
    if (!b) return padici_fail_here(context, PADIC_ERROR_MISMATCH, "out has not six axes of 2");
    padici_tensor_dense(&t, stride);
    for (b = 0; b < 64; b++) {
        const uint32_t ring = b >> 1; // bit i - 1: leg i
        const uint32_t next = (ring << 1 | ring >> 4) & 31;
        const uint32_t minus =
            padici_tensor_ones((b & 1) ? ring : 0) + padici_tensor_ones(ring & next);
        int64_t at = 0;
        for (i = 0; i < 6; i++) at += (b >> i & 1) * stride[i];
        padici_tensor_write(t.dtype, (char *)t.data, at, minus & 1 ? -0.125 : 0.125, 0);
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_perfect(padic_context *context,
                                            const padic_tensor_perfect_desc *desc)
{
    const char *before = padici_enter(context, "tensor_perfect");
    const padic_result result = padici_tensor_perfect_named(context, desc);
    padici_leave(context, before);
    return result;
}

// Where the number `index` of the legs in `part` lies, the last one fastest.
static int64_t padici_tensor_perfect_at(const padic_tensor *t, const int64_t *stride, uint32_t part,
                                        uint64_t index)
{
    int64_t at = 0;
    uint32_t i;
    for (i = t->rank; i-- > 0;) {
        if (!(part >> i & 1)) continue;
        at += (int64_t)(index % t->shape[i]) * stride[i];
        index /= t->shape[i];
    }
    return at;
}

// (M M^dagger)_ij of a split with d rows, all numbers divided by `scale`.
static void padici_tensor_perfect_entry(const padic_tensor *t, double scale, uint32_t part,
                                        uint64_t d, uint64_t i, uint64_t j, double out[2])
{
    const uint32_t rest = ((1u << t->rank) - 1) & ~part;
    int64_t stride[PADIC_MAX_RANK], row[2];
    uint64_t k;
    padici_tensor_dense(t, stride);
    row[0] = padici_tensor_perfect_at(t, stride, part, i);
    row[1] = padici_tensor_perfect_at(t, stride, part, j);
    out[0] = out[1] = 0;
    for (k = 0; k < d; k++) {
        const int64_t at = padici_tensor_perfect_at(t, stride, rest, k);
        double x[2], y[2];
        padici_tensor_read(t->dtype, (const char *)t->data, row[0] + at, x, x + 1);
        padici_tensor_read(t->dtype, (const char *)t->data, row[1] + at, y, y + 1);
        x[0] /= scale, x[1] /= scale;
        y[0] /= scale, y[1] /= scale;
        out[0] += x[0] * y[0];
        out[0] += x[1] * y[1];
        out[1] += x[1] * y[0];
        out[1] -= x[0] * y[1];
    }
}

static padic_result padici_tensor_perfect_check_named(padic_context *context,
                                                      const padic_tensor_perfect_check_desc *desc)
{
    static const char *const names[1] = {"tensor"};
    padic_tensor t;
    padici_operand operand;
    uint32_t part, i;
    uint64_t d = 1, j, k;
    double norm = 0, z[2], worst = 0, scale = 1;
    int power;
    padic_result result;
    if (!desc || !desc->report)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or report is NULL");
    t = desc->tensor;
    if (t.dtype != PADIC_F32 && !padici_tensor_is_double(t.dtype) &&
        !padici_tensor_is_complex(t.dtype))
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "tensor is not F32, F64, C64 or C128");
    result = padici_tensor_host(context, &t, names, &operand, 1, 1);
    if (result) return result;
    for (i = 0; i < t.rank && t.shape[i] == t.shape[0]; i++) continue;
    if (!t.rank || t.rank % 2 || i < t.rank || !t.shape[0])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "tensor has not 2, 4, 6 or 8 axes of one extent");
    for (i = 0; i < t.rank / 2; i++) d *= t.shape[0];
    if (padici_tensor_power(&t, &power)) {
        scale = ldexp(1.0, power);
        for (j = 0; j < d; j++) {
            padici_tensor_perfect_entry(&t, scale, (1u << t.rank / 2) - 1, d, j, j, z);
            norm += z[0] / (double)d;
        }
    }
    if (!(norm > 0))
        return padici_fail_here(context, PADIC_ERROR_DOMAIN, "tensor is zero or not finite");
    for (part = 1; part < 1u << t.rank; part += 2) { // with leg 0; the others are the rest of one
        uint32_t legs = 0;
        for (i = 0; i < t.rank; i++) legs += part >> i & 1;
        if (legs != t.rank / 2) continue;
        for (j = 0; j < d; j++)
            for (k = 0; k <= j; k++) {
                double off;
                padici_tensor_perfect_entry(&t, scale, part, d, j, k, z);
                if (j == k) z[0] -= norm;
                off = sqrt(z[0] * z[0] + z[1] * z[1]) / norm;
                if (off > worst) worst = off;
            }
    }
    desc->report->deviation = worst;
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_perfect_check(padic_context *context,
                                                  const padic_tensor_perfect_check_desc *desc)
{
    const char *before = padici_enter(context, "tensor_perfect_check");
    const padic_result result = padici_tensor_perfect_check_named(context, desc);
    padici_leave(context, before);
    return result;
}

#endif
