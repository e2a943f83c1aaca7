#include "crossing.h"
#include "words.h"

#if PADICI_IMPLEMENT_CORE

// Crossings of the negative real axis, from exact signs of cross products.

// |x| as an odd-aligned integer times 2^*power; 0 as 0.
static uint64_t padici_crossing_integer(double x, int32_t *power)
{
    uint64_t bits, mantissa;
    uint32_t up;
    memcpy(&bits, &x, 8);
    mantissa = bits & UINT64_C(0xfffffffffffff);
    *power = (int32_t)(bits >> 52 & 0x7ff);
    if (*power) mantissa |= UINT64_C(1) << 52;
    else *power = 1;
    if (!mantissa) return 0;
    up = padici_clz64(mantissa); // the highest bit to the top
    *power -= (int32_t)up;
    return mantissa << up;
}

// Sign of |a b| - |c d| for finite numbers, exactly.
static int padici_crossing_compare(double a, double b, double c, double d)
{
    int32_t power[4];
    uint64_t m[4], high[2], low[2];
    uint32_t i;
    m[0] = padici_crossing_integer(a, &power[0]);
    m[1] = padici_crossing_integer(b, &power[1]);
    m[2] = padici_crossing_integer(c, &power[2]);
    m[3] = padici_crossing_integer(d, &power[3]);
    for (i = 0; i < 2; i++) {
        const uint64_t x = m[2 * i], y = m[2 * i + 1];
        const uint64_t cross = (x >> 32) * (uint32_t)y + ((x & 0xffffffffu) * (uint32_t)y >> 32);
        const uint64_t more = (x & 0xffffffffu) * (y >> 32) + (cross & 0xffffffffu);
        high[i] = (x >> 32) * (y >> 32) + (cross >> 32) + (more >> 32);
        low[i] = x * y;
        power[i] = power[2 * i] + power[2 * i + 1];
        if (high[i] && !(high[i] >> 63)) {
            high[i] = high[i] << 1 | low[i] >> 63;
            low[i] <<= 1;
            power[i]--;
        }
    }
    if (!high[0] || !high[1]) return (high[0] != 0) - (high[1] != 0);
    if (power[0] != power[1]) return power[0] < power[1] ? -1 : 1;
    if (high[0] != high[1]) return high[0] < high[1] ? -1 : 1;
    return (low[0] > low[1]) - (low[0] < low[1]);
}

// Sign of a.re b.im - b.re a.im, of which one im is negative and the other is not. Products in f64
// decide, unless they are equal, overflow or lose digits at the small end.
static int padici_crossing_turn(const double a[2], const double b[2])
{
    const double p = a[0] * b[1], q = b[0] * a[1], high = fabs(p) > fabs(q) ? fabs(p) : fabs(q);
    int first, second, order;
    if (p != q && high > 1e-280 && high < 1e300) return p > q ? 1 : -1;
    first = (a[0] > 0) - (a[0] < 0);
    first *= (b[1] > 0) - (b[1] < 0);
    second = (b[0] > 0) - (b[0] < 0);
    second *= (a[1] > 0) - (a[1] < 0);
    if (first != second) return first > second ? 1 : -1;
    order = padici_crossing_compare(a[0], b[1], b[0], a[1]);
    return first < 0 ? -order : order;
}

PADICI_FN int padici_crossing(const double a[2], const double b[2])
{
    const int above = a[1] >= 0;
    int turn;
    if (above == (b[1] >= 0)) return 0;
    turn = padici_crossing_turn(a, b);
    return above ? turn > 0 : -(turn < 0);
}

#endif
