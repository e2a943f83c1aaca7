#include "kept.h"
#include "../core/words.h"
#include "../num/words.h"
#include "index.h"

#if PADICI_IMPLEMENT_SPARSE

// Tests

// |x| > limit.
PADICI_FN padici_sparse_test padici_sparse_above(padic_dtype dtype, uint64_t limit)
{
    const uint64_t full = padici_sparse_full(padic_dtype_size(dtype));
    const int is_signed = padici_sparse_is(dtype, PADICI_SPARSE_SIGNED);
    padici_sparse_test t = {1, 0, 0, 0};
    t.mask = padici_sparse_is(dtype, PADICI_SPARSE_FLOATS) ? full / 2 : full;
    t.limit = full;
    if (limit > (is_signed ? full / 2 : full - 1)) return t; // none
    t.bias = is_signed ? limit : 0;
    t.limit = is_signed ? 2 * limit : limit;
    return t;
}

// v(x) < t: x is not a multiple of p^t. For odd q and w bits, x q^-1 mod 2^w is the quotient if q
// divides x, and else beyond every quotient.
PADICI_FN padici_sparse_test padici_sparse_below(padic_dtype dtype, uint64_t p, int64_t t)
{
    const uint64_t full = padici_sparse_full(padic_dtype_size(dtype));
    const int is_signed = padici_sparse_is(dtype, PADICI_SPARSE_SIGNED);
    padici_sparse_test x = padici_sparse_above(dtype, t > 0 ? 0 : UINT64_MAX);
    uint64_t q = 1;
    int64_t i;
    if (t <= 0) return x;
    for (i = 0; i < t; i++)
        if (!padici_mul_u64(q, p, &q) || q > full) return x; // only 0 is divisible
    if (p == 2) {
        x.mask = q - 1;
        return x;
    }
    x.factor = padici_num_inverse64(q);
    x.bias = is_signed ? full / 2 / q : 0;
    x.limit = is_signed ? 2 * x.bias : full / q;
    return x;
}

// The same of a plane of valuations of `size` bytes: v < t as ~(v + 2^(w-1)) > ~(t + 2^(w-1)).
PADICI_FN padici_sparse_test padici_sparse_below_val(uint32_t size, int64_t t)
{
    const uint64_t full = padici_sparse_full(size);
    const int64_t most = (int64_t)(full / 2);
    padici_sparse_test x = {0, 0, 0, 0};
    x.factor = x.mask = full;
    x.bias = full / 2;
    t = t > most ? most : t < -most ? -most : t; // NaN is always kept
    x.limit = (full / 2 - (uint64_t)t) & full;
    return x;
}

// The magnitude of a float or integer type as a number, and the largest whose number is <= t.
PADICI_FN double padici_sparse_magnitude(padic_dtype dtype, uint64_t m)
{
    uint8_t p[8];
    if (!padici_sparse_is(dtype, PADICI_SPARSE_FLOATS)) return (double)m;
    padici_sparse_key_set(p, padic_dtype_size(dtype), m);
    return padici_sparse_double(dtype, p);
}

PADICI_FN uint64_t padici_sparse_limit(padic_dtype dtype, double t)
{
    static const uint64_t inf[5] = {0, UINT64_C(0x7ff0000000000000), 0x7f800000, 0x7c00, 0x7f80};
    uint64_t low = 0, high = padici_sparse_full(padic_dtype_size(dtype));
    if (!padici_sparse_is(dtype, PADICI_SPARSE_FLOATS))
        return t >= (double)high ? high : (uint64_t)t;
    high = inf[dtype] - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (padici_sparse_magnitude(dtype, middle) <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

#endif
