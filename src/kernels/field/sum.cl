// sum.cl: sums over fields, and what records do with them: in f64 or, without it, in two words of
// f32. One in memory is two words of 32 bits. The tree is the same for all devices: items take
// points in turn, then half of a group's items add those of the other half to their own, until one
// is left.
#define FIELD_MOST 9u // the place whose sum is the largest of all

#if PD_HAS_F64
typedef pd_f64 field_sum;
#define FIELD_SUM_ZERO ((pd_f64)0.0f)

PD_FN field_sum field_sum_add(field_sum a, field_sum b)
{
    return a + b;
}

PD_FN field_sum field_sum_of(fft_real x)
{
    return (pd_f64)x;
}

PD_FN field_sum field_sum_product(fft_real a, fft_real b)
{
    return (pd_f64)a * (pd_f64)b;
}

PD_FN field_sum field_sum_more(field_sum a, field_sum b)
{
    return b > a || !(b - b == FIELD_SUM_ZERO) ? b : a;
}

PD_FN field_sum field_sum_get(PD_GPTR(const pd_u32) from, pd_u32 at)
{
    return PD_AS_F64(PD_U64(from[2u * at], from[2u * at + 1u]));
}

PD_FN void field_sum_put(PD_GPTR(pd_u32) to, pd_u32 at, field_sum x)
{
    const pd_u64 bits = PD_AS_U64(x);
    to[2u * at] = (pd_u32)(bits & 0xffffffffu);
    to[2u * at + 1u] = (pd_u32)(bits >> 32);
}

// sqrt(a / b), 1 where that is no number above 0.
PD_FN pd_f64 field_sum_ratio(field_sum a, field_sum b)
{
    const pd_f64 ratio = a / b;
    return ratio > FIELD_SUM_ZERO && ratio - ratio == FIELD_SUM_ZERO ? PD_SQRT64(ratio)
                                                                    : (pd_f64)1.0f;
}

PD_FN field_sum field_sum_mul(field_sum a, field_sum b)
{
    return a * b;
}

PD_FN field_sum field_sum_over(field_sum a, field_sum b)
{
    return a / b;
}

PD_FN field_sum field_sum_root(field_sum a)
{
    return PD_SQRT64(a);
}

PD_FN pd_u32 field_sum_above(field_sum a, field_sum b)
{
    return a > b ? 1u : 0u;
}

PD_FN pd_u32 field_sum_finite(field_sum a)
{
    return a - a == FIELD_SUM_ZERO ? 1u : 0u;
}

PD_FN field_sum field_sum_whole(pd_u32 x)
{
    return (pd_f64)x;
}

// Of the two halves of f64.
PD_FN field_sum field_sum_words(pd_u32 low, pd_u32 high)
{
    return PD_AS_F64(PD_U64(low, high));
}

// As f64.
PD_FN void field_sum_write(PD_GPTR(pd_u32) to, pd_u32 at, field_sum x)
{
    field_sum_put(to, at, x);
}
#else
typedef pd_two field_sum;
#define FIELD_SUM_ZERO pd_two_raw(0.0f, 0.0f)

PD_FN field_sum field_sum_add(field_sum a, field_sum b)
{
    return pd_two_add(a, b);
}

PD_FN field_sum field_sum_of(fft_real x)
{
    return pd_two_raw(x, 0.0f);
}

PD_FN field_sum field_sum_product(fft_real a, fft_real b)
{
    return pd_two_mul(pd_two_raw(a, 0.0f), pd_two_raw(b, 0.0f));
}

PD_FN field_sum field_sum_more(field_sum a, field_sum b)
{
    const pd_u32 is = b.hi > a.hi || !(b.hi - b.hi == 0.0f) ? 1u : 0u;
    return pd_two_raw(is ? b.hi : a.hi, is ? b.lo : a.lo);
}

PD_FN field_sum field_sum_get(PD_GPTR(const pd_u32) from, pd_u32 at)
{
    return pd_two_raw(PD_AS_F32(from[2u * at]), PD_AS_F32(from[2u * at + 1u]));
}

PD_FN void field_sum_put(PD_GPTR(pd_u32) to, pd_u32 at, field_sum x)
{
    to[2u * at] = PD_AS_U32(x.hi);
    to[2u * at + 1u] = PD_AS_U32(x.lo);
}

PD_FN pd_f32 field_sum_ratio(field_sum a, field_sum b)
{
    const pd_f32 first = a.hi / b.hi;
    const pd_f32 ratio = first + (PD_FMA(-first, b.hi, a.hi) + a.lo - first * b.lo) / b.hi;
    return ratio > 0.0f && ratio - ratio == 0.0f ? PD_SQRT(ratio) : 1.0f;
}

PD_FN field_sum field_sum_mul(field_sum a, field_sum b)
{
    return pd_two_mul(a, b);
}

PD_FN field_sum field_sum_over(field_sum a, field_sum b)
{
    const pd_f32 first = a.hi / b.hi;
    const field_sum left = pd_two_sub(a, pd_two_mul1(b, first));
    return pd_two_of(first, left.hi / b.hi);
}

PD_FN field_sum field_sum_root(field_sum a)
{
    const pd_f32 first = PD_SQRT(a.hi);
    const field_sum left = pd_two_sub(a, pd_two_mul(pd_two_raw(first, 0.0f),
                                                    pd_two_raw(first, 0.0f)));
    if (!(first > 0.0f)) return pd_two_raw(first, 0.0f);
    return pd_two_of(first, left.hi / (first + first));
}

PD_FN pd_u32 field_sum_above(field_sum a, field_sum b)
{
    return a.hi > b.hi || (a.hi - b.hi == 0.0f && a.lo > b.lo) ? 1u : 0u;
}

PD_FN pd_u32 field_sum_finite(field_sum a)
{
    return a.hi - a.hi == 0.0f ? 1u : 0u;
}

PD_FN field_sum field_sum_whole(pd_u32 x)
{
    return pd_two_of((pd_f32)(x & 0xffff0000u), (pd_f32)(x & 0xffffu));
}

// Of the two halves of f64.
PD_FN field_sum field_sum_words(pd_u32 low, pd_u32 high)
{
    return pd_two_words(low, high, 1u);
}

// As f64: `hi` has 24 bits of the mantissa, `lo` what is to be added at its end.
PD_FN void field_sum_write(PD_GPTR(pd_u32) to, pd_u32 at, field_sum x)
{
    const pd_u32 bits = PD_AS_U32(x.hi), e = (bits >> 23) & 255u, sign = bits & 0x80000000u;
    pd_u64 m = (pd_u64)((bits & 0x7fffffu) | 0x800000u) << 30; // one bit more than f64 has
    pd_u32 power = e + 896u;
    pd_f32 more = sign ? -x.lo : x.lo;
    if (e == 0u || e == 255u) { // 0, and what f32 has no number for
        to[2u * at] = 0u;
        to[2u * at + 1u] = sign | (e ? 0x7ff00000u | (bits & 0x7fffffu ? 0x80000u : 0u) : 0u);
        return;
    }
    more = e < 127u ? more * PD_AS_F32((253u - e) << 23) * PD_AS_F32(181u << 23) // 2^(180 - e)
                    : more * PD_AS_F32((307u - e) << 23);
    more = PD_RINT(more);
    m = (pd_u64)((pd_i64)m + (pd_i64)(pd_i32)more);
    if (m >> 53 == 0u) { // below the power of two that `hi` is
        m <<= 1;
        power--;
    }
    m = (m + 1u) >> 1;
    if (m >> 53 != 0u) {
        m >>= 1;
        power++;
    }
    to[2u * at] = (pd_u32)(m & 0xffffffffu);
    to[2u * at + 1u] = sign | power << 20 | ((pd_u32)(m >> 32) & 0xfffffu);
}
#endif

PD_FN field_sum field_sum_minus(field_sum a)
{
#if PD_HAS_F64
    return -a;
#else
    return pd_two_raw(-a.hi, -a.lo);
#endif
}

PD_FN field_sum field_sum_join(pd_u32 place, field_sum a, field_sum b)
{
    return place == FIELD_MOST ? field_sum_more(a, b) : field_sum_add(a, b);
}

// `count` sums of each item, number i at held[i * PD_WG + PD_LID], become the group's: those of
// item 0. `first`: the place of the first one.
#define FIELD_TREE(held, first, count)                                                       \
    PD_BARRIER();                                                                            \
    for (pd_u32 share = PD_WG / 2u; share > 0u; share /= 2u) {                               \
        for (pd_u32 i = 0u; i < (count) && PD_LID < share; i++)                              \
            (held)[i * PD_WG + PD_LID] =                                                     \
                field_sum_join((first) + i, (held)[i * PD_WG + PD_LID],                      \
                               (held)[i * PD_WG + PD_LID + share]);                          \
        PD_BARRIER();                                                                        \
    }
