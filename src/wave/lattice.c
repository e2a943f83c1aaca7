#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "../core/view.h"
#include "check.h"
#include "source.h"
#include "vortex.h"

#if PADICI_IMPLEMENT_WAVE

// The sphere: points spread evenly over it.

static padic_result padici_wave_lattice_check(padic_context *context,
                                              const padic_wave_lattice_desc *desc)
{
    uint64_t count;
    padic_result result = padici_tensor_check_view(&desc->out, 0, &count);
    if (result) return padici_fail_view(context, result, "out", &desc->out);
    if (!padici_wave_real_type(&desc->out))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not f32 or f64");
    if (desc->out.rank != 2 || desc->out.shape[1] != 3)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out is not (N, 3)");
    if (count && !desc->out.data)
        return padici_wave_bad(context, PADIC_ERROR_NOT_SUPPORTED, "out is not in host memory");
    if (desc->radius < 0)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "radius is negative");
    if (!padici_wave_finite(desc->radius) || !padici_wave_finite(desc->centre[0]) ||
        !padici_wave_finite(desc->centre[1]) || !padici_wave_finite(desc->centre[2]) ||
        !padici_wave_finite(desc->turns) || !padici_wave_finite(desc->offset))
        return padici_wave_bad(context, PADIC_ERROR_NOT_FINITE,
                               "radius, centre, turns or offset is not finite");
    return PADIC_OK;
}

PADIC_API padic_result padic_wave_lattice(padic_context *context,
                                          const padic_wave_lattice_desc *desc)
{
    int64_t stride[PADIC_MAX_RANK];
    uint64_t i, n;
    double radius, n1;
    const char *before;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "wave_lattice", "desc is NULL");
    before = padici_enter(context, "wave_lattice");
    result = padici_wave_lattice_check(context, desc);
    padici_leave(context, before);
    if (result) return result;
    n = desc->out.shape[0];
    n1 = (double)n;
    radius = desc->radius > 0 ? desc->radius : 1;
    padici_tensor_dense(&desc->out, stride);
    for (i = 0; i < n; i++) {
        const double z = 1 - (2.0 * (double)i + 1) / n1, s = sqrt(1 - z * z);
        // i/g modulo 1, in 64 bits: 2^64/g is 0x9e37...
        const double turn = (double)(i * UINT64_C(0x9e3779b97f4a7c15)) / 18446744073709551616.0;
        const double angle = PADICI_TWO_PI * turn + desc->turns * acos(z) + desc->offset;
        double at[3];
        uint32_t j;
        at[0] = s * cos(angle);
        at[1] = s * sin(angle);
        at[2] = z;
        for (j = 0; j < 3; j++) {
            const int64_t to = (int64_t)i * stride[0] + (int64_t)j * stride[1];
            const double value = desc->centre[j] + radius * at[j];
            const float single = (float)value;
            if (desc->out.dtype == PADIC_F64) memcpy((char *)desc->out.data + 8 * to, &value, 8);
            else memcpy((char *)desc->out.data + 4 * to, &single, 4);
        }
    }
    if (desc->report) desc->report->weight = n ? 2 * PADICI_TWO_PI * radius * radius / n1 : 0;
    return PADIC_OK;
}

#endif
