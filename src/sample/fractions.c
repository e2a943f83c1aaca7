#include "fractions.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- fractions

PADICI_FN void padici_sample_fraction_make(padici_sample_fraction *f, uint64_t last, int need64)
{
    uint64_t rest;
    uint32_t k;
    memset(f, 0, sizeof *f);
    f->n = last + 1;
    if (!f->n) return;
    if (last <= UINT32_MAX) f->inverse = UINT64_MAX / f->n;
    if (f->inverse && !need64) return;
    f->shift = padici_clz64(f->n);
    f->d = f->n << f->shift;
    rest = ~f->d; // of 2^128 - 1 - 2^64 d, whose upper word this is; the lower is all ones
    for (k = 0; k < 64; k++) {
        uint64_t over = rest >> 63;
        rest = rest << 1 | 1;
        f->v <<= 1;
        if (over || rest >= f->d) {
            rest -= f->d;
            f->v |= 1;
        }
    }
}

#endif
