// search.cl: what decides about a field between the passes of ground.cl: numbers that stay in the
// device's memory, in f64 or two words of f32.
#define FIELD_HELD 0u // the norm that psi is to have, as a sum
#define FIELD_NOW 1u  // that it has
#define FIELD_DENSITY 2u
#define FIELD_MU 3u
#define FIELD_ENDED 4u // 1: at its goal, 2: without hope
#define FIELD_RESIDUAL 6u
#define FIELD_COUNT 7u // iterations; numbers from here on are of conjugate gradients
#define FIELD_ENERGY 8u
#define FIELD_SLACK 9u // of energies that are compared
#define FIELD_PRODUCT 10u // <gradient|step>
#define FIELD_SIZE 11u    // of the direction before it was scaled,
#define FIELD_SCALE 12u   // and 1 over it
#define FIELD_BETA 13u
#define FIELD_RE 14u // of psi in the step, or in the direction
#define FIELD_IM 15u
#define FIELD_LAP 16u    // Re <psi|direction>
#define FIELD_LENGTH 17u // |direction|^2
#define FIELD_TRIED 18u  // cosine and sine of each angle
#define FIELD_COS 26u    // of the step that is made, times what holds the norm
#define FIELD_SIN 27u
#define FIELD_RESTART 28u
#define FIELD_WAITS 29u // at its goal by sums that were updated: to be confirmed
#define FIELD_FRESH 30u // -K Lap psi is of psi as it is
#define FIELD_REACH 31u // 1, less where no angle lowered the energy
#define FIELD_ANGLES 4u

#define FIELD_ONE field_sum_whole(1u)
#define FIELD_OF(at) field_sum_get(state, mine + (at))
#define FIELD_LET(at, x) field_sum_put(state, mine + (at), x);
#define FIELD_TOTAL(i) held[(i)*PD_WG]

// Below all that is the largest of anything.
#define FIELD_LEAST (-3.402823466e38f)

PD_FN field_sum field_sum_single(pd_f32 x)
{
#if PD_HAS_F64
    return (pd_f64)x;
#else
    return pd_two_raw(x, 0.0f);
#endif
}

PD_FN field_sum field_sum_size(field_sum a)
{
    return field_sum_above(FIELD_SUM_ZERO, a) ? field_sum_minus(a) : a;
}

PD_FN fft_real field_sum_real(field_sum a)
{
#if PD_HAS_F64
    return (fft_real)a;
#else
    return a.hi;
#endif
}

// The sine of t (first: 2) or its cosine (1), 0 <= t <= 1, by the series.
PD_FN field_sum field_sum_wave(field_sum t, pd_u32 first)
{
    const field_sum square = field_sum_mul(t, t);
    field_sum sum = FIELD_ONE;
    for (pd_u32 n = 18u + first; n > first; n -= 2u) {
        const field_sum part =
            field_sum_over(field_sum_mul(square, sum), field_sum_whole((n - 1u) * (n - 2u)));
        sum = field_sum_add(FIELD_ONE, field_sum_minus(part));
    }
    return first == 2u ? field_sum_mul(t, sum) : sum;
}

// Sums: the norm, psi H psi, the largest U, minus the least one, the largest density. mu and a.
PD_FN void field_flow_slope(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine,
                            PD_GPTR(fft_real) tables, pd_u32 field,
                            const padic_k_field_record_params k)
{
    const field_sum middle = field_sum_over(FIELD_ONE, field_sum_whole(2u));
    const field_sum a = field_sum_mul(
        middle, field_sum_add(FIELD_TOTAL(2u), field_sum_minus(FIELD_TOTAL(3u))));
    FIELD_LET(FIELD_NOW, FIELD_TOTAL(0u))
    FIELD_LET(FIELD_MU, field_sum_over(FIELD_TOTAL(1u), FIELD_TOTAL(0u)))
    FIELD_LET(FIELD_DENSITY, FIELD_TOTAL(4u))
    tables[k.shift + field] = field_sum_real(
        field_sum_add(field_sum_words(k.time[0], k.time[1]),
                      field_sum_above(a, FIELD_SUM_ZERO) ? a : FIELD_SUM_ZERO));
}

PD_FN field_sum field_goal(field_sum mu, const padic_k_field_record_params k)
{
    const field_sum goal = field_sum_words(k.goal[0], k.goal[1]), size = field_sum_size(mu);
    return k.relative && field_sum_above(size, FIELD_ONE) ? field_sum_mul(goal, size) : goal;
}

// 1: at its goal; 2: there is no hope.
PD_FN pd_u32 field_judged(field_sum residual, PD_GPTR(const pd_u32) state, pd_u32 mine,
                          const padic_k_field_record_params k)
{
    const field_sum limit = field_sum_words(k.limit[0], k.limit[1]);
    if (!field_sum_finite(residual)) return 2u;
    if (!field_sum_above(residual, field_goal(FIELD_OF(FIELD_MU), k))) return 1u;
    return field_sum_above(limit, FIELD_SUM_ZERO) &&
                   field_sum_above(FIELD_OF(FIELD_DENSITY), limit)
               ? 2u
               : 0u;
}

// Sum: |H psi - mu psi|^2.
PD_FN void field_flow_judge(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine,
                            PD_GPTR(fft_real) tables, pd_u32 field,
                            const padic_k_field_record_params k)
{
    const field_sum residual =
        field_sum_root(field_sum_over(FIELD_TOTAL(0u), FIELD_OF(FIELD_NOW)));
    const pd_u32 ended = field_judged(residual, state, mine, k);
    FIELD_LET(FIELD_RESIDUAL, residual)
    if (ended) {
        FIELD_LET(FIELD_ENDED, field_sum_whole(ended))
        tables[k.stop + field] = (fft_real)1.0f;
    } else {
        FIELD_LET(FIELD_COUNT, field_sum_add(FIELD_OF(FIELD_COUNT), FIELD_ONE))
    }
}

// Before the first iteration: each field waits for -K Lap psi. Sum: the norm.
PD_FN void field_search_begin(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine,
                              PD_GPTR(fft_real) tables, pd_u32 field,
                              const padic_k_field_record_params k)
{
    for (pd_u32 i = 0u; i < k.places; i++) FIELD_LET(i, FIELD_SUM_ZERO)
    FIELD_LET(FIELD_HELD, FIELD_TOTAL(0u))
    if (k.places > FIELD_REACH) {
        FIELD_LET(FIELD_COS, FIELD_ONE)
        FIELD_LET(FIELD_WAITS, FIELD_ONE)
        FIELD_LET(FIELD_REACH, FIELD_ONE)
    }
    tables[k.stop + field] = k.places > FIELD_REACH ? (fft_real)1.0f : FFT_ZERO;
    tables[k.rest + field] = FFT_ZERO;
}

// Sums: the norm, <psi|L>, the potential, <U>, the interaction; the largest density, minus the
// least U.
PD_FN void field_search_look(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine,
                             PD_GPTR(fft_real) tables, pd_u32 field,
                             const padic_k_field_record_params k)
{
#if PD_FFT_F64
    const field_sum few = field_sum_words(0x68497682u, 0x3d3c25c2u); // 1e-13
#else
    const field_sum few = field_sum_words(0u, 0x3e900000u); // 2^-22
#endif
    const field_sum norm = FIELD_TOTAL(0u), most = FIELD_TOTAL(6u);
    const field_sum least =
        field_sum_above(most, FIELD_SUM_ZERO) ? field_sum_minus(most) : FIELD_SUM_ZERO;
    const field_sum mu = field_sum_over(field_sum_add(FIELD_TOTAL(1u), FIELD_TOTAL(3u)), norm);
    const field_sum twice = field_sum_minus(field_sum_add(least, least));
    field_sum parts = field_sum_add(field_sum_size(FIELD_TOTAL(1u)),
                                    field_sum_size(FIELD_TOTAL(2u)));
    field_sum energy = field_sum_add(FIELD_TOTAL(1u), FIELD_TOTAL(2u));
    field_sum shift = field_sum_add(mu, twice);
    parts = field_sum_add(parts, field_sum_size(FIELD_TOTAL(4u)));
    energy = field_sum_add(energy, FIELD_TOTAL(4u));
    if (!field_sum_above(field_sum_add(shift, least), FIELD_SUM_ZERO))
        shift = field_sum_add(FIELD_ONE, twice);
    FIELD_LET(FIELD_NOW, norm)
    FIELD_LET(FIELD_MU, mu)
    FIELD_LET(FIELD_ENERGY, field_sum_over(energy, norm))
    FIELD_LET(FIELD_SLACK, field_sum_mul(few, field_sum_over(parts, norm)))
    FIELD_LET(FIELD_DENSITY, FIELD_TOTAL(5u))
    tables[k.shift + field] = field_sum_real(shift);
    if (field_sum_above(FIELD_OF(FIELD_WAITS), FIELD_SUM_ZERO)) {
        FIELD_LET(FIELD_WAITS, FIELD_SUM_ZERO)
        FIELD_LET(FIELD_FRESH, FIELD_ONE)
        FIELD_LET(FIELD_RESTART, FIELD_ONE)
        tables[k.stop + field] = FFT_ZERO;
        tables[k.rest + field] = (fft_real)1.0f;
    }
}

// Sum: |gradient|^2.
PD_FN void field_search_judge(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine,
                              PD_GPTR(fft_real) tables, pd_u32 field,
                              const padic_k_field_record_params k)
{
    const field_sum residual =
        field_sum_root(field_sum_over(FIELD_TOTAL(0u), FIELD_OF(FIELD_NOW)));
    const pd_u32 ended = field_judged(residual, state, mine, k);
    const pd_u32 waits =
        ended == 1u && !field_sum_above(FIELD_OF(FIELD_FRESH), FIELD_SUM_ZERO) ? 1u : 0u;
    FIELD_LET(FIELD_RESIDUAL, residual)
    FIELD_LET(FIELD_FRESH, FIELD_SUM_ZERO)
    if (!ended) return;
    tables[k.stop + field] = (fft_real)1.0f;
    if (waits) {
        FIELD_LET(FIELD_WAITS, FIELD_ONE)
        tables[k.rest + field] = FFT_ZERO;
    } else {
        FIELD_LET(FIELD_ENDED, field_sum_whole(ended))
    }
}

// Sums: <psi|step>, Re <gradient|step>, Re <before|step>, <gradient|psi>, <before|psi>.
PD_FN void field_search_beta(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine)
{
    const field_sum norm = FIELD_OF(FIELD_NOW), last = FIELD_OF(FIELD_PRODUCT);
    const field_sum re = field_sum_over(FIELD_TOTAL(0u), norm);
    const field_sum im = field_sum_over(FIELD_TOTAL(1u), norm);
    const field_sum lost = field_sum_add(field_sum_mul(re, FIELD_TOTAL(4u)),
                                         field_sum_minus(field_sum_mul(im, FIELD_TOTAL(5u))));
    const field_sum gone = field_sum_add(field_sum_mul(re, FIELD_TOTAL(6u)),
                                         field_sum_minus(field_sum_mul(im, FIELD_TOTAL(7u))));
    const field_sum product = field_sum_add(FIELD_TOTAL(2u), field_sum_minus(lost));
    const field_sum before = field_sum_add(FIELD_TOTAL(3u), field_sum_minus(gone));
    field_sum beta = FIELD_SUM_ZERO;
    if (!field_sum_above(FIELD_OF(FIELD_RESTART), FIELD_SUM_ZERO) &&
        field_sum_above(last, FIELD_SUM_ZERO))
        beta = field_sum_mul(FIELD_OF(FIELD_SIZE),
                             field_sum_over(field_sum_add(product, field_sum_minus(before)),
                                            last));
    FIELD_LET(FIELD_RE, re)
    FIELD_LET(FIELD_IM, im)
    FIELD_LET(FIELD_PRODUCT, product)
    FIELD_LET(FIELD_BETA, field_sum_above(beta, FIELD_SUM_ZERO) ? beta : FIELD_SUM_ZERO)
}

// Sums: <psi|direction>, |direction|^2.
PD_FN void field_search_size(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine)
{
    const field_sum norm = FIELD_OF(FIELD_NOW);
    const field_sum re = field_sum_over(FIELD_TOTAL(0u), norm);
    const field_sum im = field_sum_over(FIELD_TOTAL(1u), norm);
    const field_sum along = field_sum_add(field_sum_mul(re, re), field_sum_mul(im, im));
    const field_sum square = field_sum_add(field_sum_over(FIELD_TOTAL(2u), norm),
                                           field_sum_minus(along));
    field_sum size = FIELD_SUM_ZERO;
    if (field_sum_above(square, FIELD_SUM_ZERO)) size = field_sum_root(square);
    FIELD_LET(FIELD_RE, re)
    FIELD_LET(FIELD_IM, im)
    FIELD_LET(FIELD_SIZE, size)
    FIELD_LET(FIELD_SCALE, field_sum_above(size, FIELD_SUM_ZERO) ? field_sum_over(FIELD_ONE, size)
                                                                 : FIELD_SUM_ZERO)
}

// Sums: Re <gradient|direction>, half of E'' but for mu, |direction|^2, Re <psi|direction>. Angles
// that are tried: -E'/E'', then halves.
PD_FN void field_search_angles(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine)
{
    const field_sum slope = field_sum_minus(FIELD_TOTAL(0u)), length = FIELD_TOTAL(2u);
    const field_sum bend = field_sum_add(
        FIELD_TOTAL(1u), field_sum_minus(field_sum_mul(length, FIELD_OF(FIELD_MU))));
    field_sum angle = field_sum_words(0x9999999au, 0x3fb99999u); // 0.1
    if (field_sum_above(bend, FIELD_SUM_ZERO)) angle = field_sum_over(slope, bend);
    if (field_sum_above(angle, FIELD_ONE)) angle = FIELD_ONE;
    angle = field_sum_mul(angle, FIELD_OF(FIELD_REACH));
    if (!field_sum_above(slope, FIELD_SUM_ZERO)) angle = FIELD_SUM_ZERO;
    FIELD_LET(FIELD_LAP, FIELD_TOTAL(3u))
    FIELD_LET(FIELD_LENGTH, length)
    for (pd_u32 i = 0u; i < FIELD_ANGLES; i++) {
        FIELD_LET(FIELD_TRIED + 2u * i, field_sum_wave(angle, 1u))
        FIELD_LET(FIELD_TRIED + 2u * i + 1u, field_sum_wave(angle, 2u))
        angle = field_sum_over(angle, field_sum_whole(2u));
    }
}

// Sums: the energies at these angles. The first that is no higher than before is taken.
PD_FN void field_search_choose(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state, pd_u32 mine)
{
    const field_sum most = field_sum_add(FIELD_OF(FIELD_ENERGY), FIELD_OF(FIELD_SLACK));
    field_sum c = FIELD_ONE, s = FIELD_SUM_ZERO, norm = FIELD_OF(FIELD_HELD), reach;
    for (pd_u32 j = FIELD_ANGLES; j-- > 0u;) {
        const field_sum a = FIELD_OF(FIELD_TRIED + 2u * j), b = FIELD_OF(FIELD_TRIED + 2u * j + 1u);
        const field_sum both = field_sum_mul(field_sum_mul(a, b), FIELD_OF(FIELD_LAP));
        const field_sum size = field_sum_add(
            field_sum_add(field_sum_mul(field_sum_mul(a, a), FIELD_OF(FIELD_NOW)),
                          field_sum_mul(field_sum_mul(b, b), FIELD_OF(FIELD_LENGTH))),
            field_sum_add(both, both));
        const field_sum energy = field_sum_over(FIELD_TOTAL(j), size);
        if (field_sum_above(b, FIELD_SUM_ZERO) && field_sum_finite(energy) &&
            !field_sum_above(energy, most)) {
            c = a;
            s = b;
            norm = size;
        }
    }
    reach = field_sum_over(FIELD_OF(FIELD_REACH), field_sum_whole(16u));
    if (field_sum_above(s, FIELD_SUM_ZERO)) {
        const field_sum factor = field_sum_root(field_sum_over(FIELD_OF(FIELD_HELD), norm));
        c = field_sum_mul(c, factor);
        s = field_sum_mul(s, factor);
        reach = FIELD_ONE;
        FIELD_LET(FIELD_RESTART, FIELD_SUM_ZERO)
    } else {
        if (!field_sum_above(FIELD_OF(FIELD_TRIED + 1u), FIELD_SUM_ZERO)) reach = FIELD_ONE;
        FIELD_LET(FIELD_RESTART, FIELD_ONE)
    }
    FIELD_LET(FIELD_COS, c)
    FIELD_LET(FIELD_SIN, s)
    FIELD_LET(FIELD_REACH, reach)
    FIELD_LET(FIELD_COUNT, field_sum_add(FIELD_OF(FIELD_COUNT), FIELD_ONE))
}
