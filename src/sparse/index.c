#include "index.h"
#include "../num/residue.h"

#if PADICI_IMPLEMENT_SPARSE

// ------------------------------------------------------------------------------- >>sparse impl
//
// Every mode is one test of words (padic_sparse_call). A source goes through in pieces that stay in
// the first caches, each by a backend's kernel or the plain loop. One thread fills as it goes while
// a piece surely fits; several count first, and fill while the keys are still in their caches.

PADICI_FN int padici_sparse_is(padic_dtype dtype, uint32_t mask)
{
    return (uint32_t)dtype < 15 && mask >> (uint32_t)dtype & 1;
}

// f32 to f16 or bf16: nearest, ties to even; a NaN stays one.
PADICI_FN void padici_sparse_narrow(padic_dtype dtype, uint8_t *p, float x)
{
    const uint64_t inf = dtype == PADIC_F16 ? 0x7c00 : 0x7f80;
    uint32_t bits, m, inexact, overflow;
    uint64_t to;
    memcpy(&bits, &x, 4);
    m = bits & 0x7fffffffu;
    if (m >= 0x7f800000u)
        to = inf | (m > 0x7f800000u ? 0x40 : 0);
    else
        to = padici_num_float_round(dtype, (m & 0x7fffffu) | (m >> 23 ? 0x800000u : 0),
                                (m >> 23 ? (int64_t)(m >> 23) : 1) - 150, 0, &inexact, &overflow);
    padici_sparse_key_set(p, 2, to | (bits >> 16 & 0x8000u));
}

#endif
