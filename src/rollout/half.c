#include "engine.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// Numbers of 16 bits: to the nearest, ties to even.

PADICI_FN float padici_rollout_half(padic_rollout_precision precision, float x)
{
    uint32_t bits, size;
    float value;
    memcpy(&bits, &x, 4);
    size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return x; // NaN
    if (precision == PADIC_ROLLOUT_PRECISION_BF16) {
        size = (size + 0x7fffu + (size >> 16 & 1)) & 0xffff0000u;
    } else if (size >= 0x477ff000u) { // 65520
        size = 0x7f800000u;
    } else if (size >= 0x38800000u) { // 2^-14
        size = (size + 0xfffu + (size >> 13 & 1)) & 0xffffe000u;
    } else { // in steps of 2^-24, which are those of numbers from 1/2 on
        memcpy(&value, &size, 4);
        value = (value + 0.5f) - 0.5f;
        memcpy(&size, &value, 4);
    }
    bits = (bits & 0x80000000u) | size;
    memcpy(&value, &bits, 4);
    return value;
}

PADICI_FN void padici_rollout_halve(const padici_rollout_engine *e, void *reals, uint64_t count,
                                    char *mark)
{
    const size_t size = padici_rollout_real(e);
    uint64_t i;
    if (!padici_rollout_is_half(e)) return;
    for (i = 0; i < count; i++) {
        const float x =
            padici_rollout_half(e->precision, (float)padici_rollout_get(reals, i, size));
        padici_rollout_put(reals, i, size, (double)x);
        if (!(fabs((double)x) <= 3.4028234663852886e38)) *mark = 1;
    }
}

#endif
