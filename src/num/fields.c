#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "channels.h"
#include "floats.h"
#include "integers.h"

#if PADICI_IMPLEMENT_NUM

// ---- fields of floats

static void padici_num_channels_split_loop(padici_num_sweep *sweep, uint32_t piece, uint64_t first,
                                       uint64_t end)
{
    const padic_dtype dtype = sweep->tensor[0]->dtype;
    const padici_num_format f = padici_num_format_of(dtype);
    uint64_t i;
    (void)piece;
    for (i = first; i < end; i++) {
        const uint64_t x = padici_num_float_load(sweep->data[0], dtype, i), e = x >> f.mantissa;
        padici_num_int_store(sweep->data[1], sweep->size[1], i, e >> f.exponent);
        padici_num_int_store(sweep->data[2], sweep->size[2], i,
                             e & ((UINT64_C(1) << f.exponent) - 1));
        padici_num_int_store(sweep->data[3], sweep->size[3], i,
                             x & ((UINT64_C(1) << f.mantissa) - 1));
    }
}

static void padici_num_channels_join_loop(padici_num_sweep *sweep, uint32_t piece, uint64_t first,
                                      uint64_t end)
{
    const padici_num_format f = padici_num_format_of(sweep->tensor[0]->dtype);
    uint64_t i, x[4];
    uint32_t j;
    int negative;
    for (i = first; i < end; i++) {
        for (j = 1; j < 4; j++)
            x[j] = padici_num_int_load(sweep->data[j], sweep->tensor[j]->dtype, i, &negative);
        x[0] = (x[1] << f.exponent | x[2]) << f.mantissa | x[3];
        if (x[1] > 1 || x[2] >> f.exponent || x[3] >> f.mantissa) {
            sweep->bits[piece] |= PADIC_NUM_OUTSIDE;
            x[0] = 0;
        }
        padici_num_float_store(sweep->data[0], sweep->tensor[0]->dtype, i, x[0]);
    }
}

static padic_result padici_num_channels(padic_context *context, const padic_num_channels_desc *desc,
                                    uint32_t split)
{
    const char *const name = split ? "num_channels_split" : "num_channels_join";
    padici_num_sweep sweep;
    padic_result result;
    padici_num_sweep_begin(&sweep, name, desc,
                       split ? padici_num_channels_split_loop : padici_num_channels_join_loop);
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
    padici_num_sweep_tensor(&sweep, 0, "value", &desc->value, PADICI_NUM_FLOATS, !split);
    padici_num_sweep_tensor(&sweep, 1, "sign", &desc->sign, PADICI_NUM_UNSIGNED, split);
    padici_num_sweep_tensor(&sweep, 2, "exponent", &desc->exponent, PADICI_NUM_UNSIGNED, split);
    padici_num_sweep_tensor(&sweep, 3, "mantissa", &desc->mantissa, PADICI_NUM_UNSIGNED, split);
    result = padici_num_sweep_check(context, &sweep, 0);
    if (!result && 8 * sweep.size[2] < padici_num_format_of(desc->value.dtype).exponent)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "exponent", NULL,
                              "has a dtype too narrow for that field");
    if (!result && 8 * sweep.size[3] < padici_num_format_of(desc->value.dtype).mantissa)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "mantissa", NULL,
                              "has a dtype too narrow for that field");
    return result ? padici_fault(context, result, name) : padici_num_sweep_run(context, &sweep);
}

PADIC_API padic_result padic_num_channels_split(padic_context *context,
                                                const padic_num_channels_desc *desc)
{
    return padici_num_channels(context, desc, 1);
}

PADIC_API padic_result padic_num_channels_join(padic_context *context,
                                               const padic_num_channels_desc *desc)
{
    return padici_num_channels(context, desc, 0);
}

#endif
