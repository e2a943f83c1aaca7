// power.cl: powers of e and their sums in two words, by + - * and fused products alone: the same on
// all devices that round these, and to about 2^-43 what f64 has.

// x 2^e, x from 0.7 to 1.5, or 0.
typedef struct {
    pd_two x;
    pd_i32 e;
} pq_power;

PD_FN pd_two pq_two_times_add(const pd_two a, const pd_two b, pd_f32 hi, pd_f32 lo)
{
    return pd_two_add(pd_two_mul(a, b), pd_two_raw(hi, lo));
}

// e^r, |r| < 0.36: Taylor's series to r^11, its last terms in one word.
PD_FN pd_two pq_two_exp(const pd_two r)
{
    pd_f32 rest = 2.75573192e-7f + r.hi * 2.50521084e-8f;
    pd_two sum;
    rest = 2.75573192e-6f + r.hi * rest;
    rest = 2.48015873e-5f + r.hi * rest;
    rest = 1.98412698e-4f + r.hi * rest;
    sum = pd_two_add(pd_two_mul1(r, rest), pd_two_raw(0.00138888892f, -3.36310944e-11f));
    sum = pq_two_times_add(sum, r, 0.00833333377f, -4.34617203e-10f);
    sum = pq_two_times_add(sum, r, 0.0416666679f, -1.24176347e-9f);
    sum = pq_two_times_add(sum, r, 0.166666672f, -4.96705388e-9f);
    sum = pq_two_times_add(sum, r, 0.5f, 0.0f);
    sum = pq_two_times_add(sum, r, 1.0f, 0.0f);
    return pq_two_times_add(sum, r, 1.0f, 0.0f);
}

// e^(scale (value - top)), which is at most 1; scale > 0, or < 0 and no value below top.
PD_FN pq_power pq_power_of(pd_f32 value, pd_f32 top, pd_f32 scale_hi, pd_f32 scale_lo)
{
    const pd_two gap = pd_two_sum(value, -top);
    const pd_two x = pd_two_mul(pd_two_raw(gap.hi, gap.lo), pd_two_raw(scale_hi, scale_lo));
    pd_f32 n;
    pq_power p;
    p.x = pd_two_raw(0.0f, 0.0f);
    p.e = 0;
    if (!(x.hi > -800.0f)) return p; // also what is infinite
    n = PD_RINT(x.hi * 1.44269504f);
    p.x = pq_two_exp(pd_two_sub(x, pd_two_mul1(pd_two_raw(0.693147182f, -1.90465421e-9f), n)));
    p.e = (pd_i32)n;
    return p;
}

// What it is without the exponent: 0 below 2^-126.
PD_FN pd_two pq_power_sized(const pq_power p)
{
    pd_two x = pd_two_raw(0.0f, 0.0f);
    if (!(p.x.hi > 0.0f)) return x;
    x.hi = PD_AS_F32(pq_unscaled(PD_AS_U32(p.x.hi), p.e));
    x.lo = PD_AS_F32(pq_unscaled(PD_AS_U32(p.x.lo), p.e));
    return x;
}

// a / b of b > 0, whatever the device's own division gives to a few bits.
PD_FN pd_two pq_two_quotient(const pd_two a, const pd_two b)
{
    const pd_f32 first = a.hi / b.hi;
    const pd_two left = pd_two_sub(a, pd_two_mul1(b, first));
    const pd_f32 second = left.hi / b.hi;
    const pd_two rest = pd_two_sub(left, pd_two_mul1(b, second));
    const pd_two sum = pd_two_sum(first, second);
    return pd_two_of(sum.hi, sum.lo + rest.hi / b.hi);
}

// The largest of all items' words, in tops[0].
PQ_FN void pq_top(PD_LPTR(pd_u32) tops)
{
    for (pd_u32 apart = PQ_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart && tops[PD_LID + apart] > tops[PD_LID])
            tops[PD_LID] = tops[PD_LID + apart];
        PD_BARRIER();
    }
}

// The sum of all items' numbers, in high[0] and low[0].
PQ_FN void pq_sum_two(PD_LPTR(pd_f32) high, PD_LPTR(pd_f32) low)
{
    for (pd_u32 apart = PQ_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart) {
            const pd_two sum = pd_two_add(pd_two_raw(high[PD_LID], low[PD_LID]),
                                          pd_two_raw(high[PD_LID + apart], low[PD_LID + apart]));
            high[PD_LID] = sum.hi;
            low[PD_LID] = sum.lo;
        }
        PD_BARRIER();
    }
}
