#include "threshold.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_CDT

// Acceptance thresholds: exponentials in integers, so that every machine has the same.

#define PADICI_CDT_ONE ((uint64_t)1 << 62)
#define PADICI_CDT_LN2 INT64_C(49946518145322874) // ln 2 in units of 2^-56

// x in units of 2^-56, |x| <= PADICI_CDT_EXPONENT; half a unit goes away from 0.
PADICI_FN int64_t padici_cdt_fixed(double x)
{
    const double scaled = x * 72057594037927936.0; // exact
    return (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

// n x, at most 2^61 either way.
PADICI_FN int64_t padici_cdt_fixed_times(int64_t x, int64_t n)
{
    const uint64_t most = (uint64_t)1 << 61;
    uint64_t size;
    const int fits = padici_mul_u64((uint64_t)(x < 0 ? -x : x), (uint64_t)(n < 0 ? -n : n), &size);
    if (!fits || size > most) size = most;
    return (x < 0) != (n < 0) ? -(int64_t)size : (int64_t)size;
}

// e^-r in units of 2^-62, r in [0, ln 2) in units of 2^-64: 18 terms, by Horner.
static uint64_t padici_cdt_exponential(uint64_t r)
{
    uint64_t y = PADICI_CDT_ONE;
    uint32_t k;
    for (k = 18; k; k--) y = PADICI_CDT_ONE - padici_mulhi64(r, y) / k;
    return y;
}

// round(2^32 (above / below) e^-x), but at most 2^33; x in units of 2^-56, |x| <= 2^62. The error
// is below half a unit and 2^-8 of one.
PADICI_FN uint64_t padici_cdt_threshold(int64_t x, uint32_t above, uint32_t below)
{
    int64_t n = x / PADICI_CDT_LN2, r = x % PADICI_CDT_LN2; // x = n ln 2 + r
    uint64_t value;
    if (r < 0) r += PADICI_CDT_LN2, n--;
    value = (padici_cdt_exponential((uint64_t)r << 8) >> 10) * above / below; // 2^-52
    n += 20;
    if (n >= 63) return 0;
    if (n > 0) {
        value = (value + ((uint64_t)1 << (n - 1))) >> n;
        return value > PADICI_CDT_ALWAYS ? PADICI_CDT_ALWAYS : value;
    }
    return n <= -33 || value > PADICI_CDT_ALWAYS >> -n ? PADICI_CDT_ALWAYS : value << -n;
}

#undef PADICI_CDT_ONE
#undef PADICI_CDT_LN2

#endif
