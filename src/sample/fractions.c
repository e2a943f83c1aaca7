#include "fractions.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- fractions

// floor((2^128 - 1) / d) - 2^64 for d >= 2^63, in two digits of 32 bits: each a guess by the upper
// half of d, which is at most two too large (Knuth, algorithm D).
static uint64_t padici_sample_fraction_inverse(uint64_t d)
{
    const uint64_t high = d >> 32, low = (uint32_t)d;
    uint64_t left = ~d, v = 0; // of 2^128 - 1 - 2^64 d: its upper word, the lower is all ones
    uint32_t k;
    for (k = 0; k < 2; k++) {
        uint64_t digit = left / high, over = left % high;
        while (digit >> 32 || digit * low > (over << 32 | UINT32_MAX)) {
            digit--;
            over += high;
            if (over >> 32) break;
        }
        left = (left << 32 | UINT32_MAX) - digit * d;
        v = v << 32 | digit;
    }
    return v;
}

PADICI_FN void padici_sample_fraction_make(padici_sample_fraction *f, uint64_t last, int need64)
{
    memset(f, 0, sizeof *f);
    f->n = last + 1;
    if (!f->n) return;
    if (last <= UINT32_MAX) f->inverse = UINT64_MAX / f->n;
    if (f->inverse && !need64) return;
    f->shift = padici_clz64(f->n);
    f->d = f->n << f->shift;
    f->v = padici_sample_fraction_inverse(f->d);
}

#endif
