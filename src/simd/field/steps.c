// @per-level
#if !defined(PADIC_NO_FIELD) && !defined(PADIC_NO_FFT)

// Rows and blocks of split steps, over the words of Fourier transforms. TURNS: a vector of integers
// as wide as reals. ODD: a where the low bit of n is set, else b. FLIP: x, negative where its
// second bit is. FAR: whether one of them is not below `limit`.
#define PADICI_TOP (8 * PADICI_REAL_SIZE - 1)
#if PADICI_ISA_LEVEL == 3
#define PADICI_TURNS __m512i
#define PADICI_XOR _mm512_xor_si512
#define PADICI_REALS PADICI_R(castsi512)
#define PADICI_ODD(n, a, b) PADICI_R(mask_blend)(PADICI_SIGNS(PADICI_SHL(n, PADICI_TOP)), b, a)
#if PADICI_REAL_SIZE == 4
#define PADICI_BITS _mm512_castps_si512
#define PADICI_SHL _mm512_slli_epi32
#define PADICI_SHR _mm512_srli_epi32
#define PADICI_SIGNS _mm512_movepi32_mask
#define PADICI_FAR(x, limit)                                                                    \
    _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(limit), _CMP_NLT_UQ)
#else
#define PADICI_BITS _mm512_castpd_si512
#define PADICI_SHL _mm512_slli_epi64
#define PADICI_SHR _mm512_srli_epi64
#define PADICI_SIGNS _mm512_movepi64_mask
#define PADICI_FAR(x, limit)                                                                    \
    _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(limit), _CMP_NLT_UQ)
#endif
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TURNS __m256i
#define PADICI_XOR _mm256_xor_si256
#define PADICI_REALS PADICI_R(castsi256)
#define PADICI_ODD(n, a, b) PADICI_R(blendv)(b, a, PADICI_REALS(PADICI_SHL(n, PADICI_TOP)))
#define PADICI_FAR(x, limit)                                                                    \
    PADICI_R(movemask)(PADICI_R(cmp)(PADICI_R(andnot)(PADICI_SET(-0.0f), x), PADICI_SET(limit), \
                                     _CMP_NLT_UQ))
#if PADICI_REAL_SIZE == 4
#define PADICI_BITS _mm256_castps_si256
#define PADICI_SHL _mm256_slli_epi32
#define PADICI_SHR _mm256_srli_epi32
#else
#define PADICI_BITS _mm256_castpd_si256
#define PADICI_SHL _mm256_slli_epi64
#define PADICI_SHR _mm256_srli_epi64
#endif
#elif PADICI_REAL_SIZE == 4
#define PADICI_TURNS uint32x4_t
#define PADICI_XOR veorq_u32
#define PADICI_REALS vreinterpretq_f32_u32
#define PADICI_BITS vreinterpretq_u32_f32
#define PADICI_SHL vshlq_n_u32
#define PADICI_SHR vshrq_n_u32
#define PADICI_ODD(n, a, b) vbslq_f32(vtstq_u32(n, vdupq_n_u32(1)), a, b)
#define PADICI_FAR(x, limit) !vminvq_u32(vcaltq_f32(x, vdupq_n_f32(limit)))
#else
#define PADICI_TURNS uint64x2_t
#define PADICI_XOR veorq_u64
#define PADICI_REALS vreinterpretq_f64_u64
#define PADICI_BITS vreinterpretq_u64_f64
#define PADICI_SHL vshlq_n_u64
#define PADICI_SHR vshrq_n_u64
#define PADICI_ODD(n, a, b) vbslq_f64(vtstq_u64(n, vdupq_n_u64(1)), a, b)
#define PADICI_FAR(x, limit)                                                                    \
    !vminvq_u32(vreinterpretq_u32_u64(vcaltq_f64(x, vdupq_n_f64(limit))))
#endif
#define PADICI_FLIP(n, x)                                                                       \
    PADICI_REALS(PADICI_XOR(PADICI_BITS(x), PADICI_SHL(PADICI_SHR(n, 1), PADICI_TOP)))
#define PADICI_HORNER(a, b) PADICI_FMA(z, b, PADICI_SET((PADICI_REAL)(a))) // a + z b

// Exact to an ulp below these; and of angles in f32 nothing is left far beyond.
#if PADICI_REAL_SIZE == 4
#define PADICI_LARGEST 64.0f
#define PADICI_ROUNDER 12582912.0f // 1.5 2^23: rounds to integers
#else
#define PADICI_LARGEST 1e5
#define PADICI_ROUNDER 6755399441055744.0 // 1.5 2^52
#endif

// e^(i x): reduced by parts of pi/2; polynomials of Cephes in f32, of fdlibm in f64.
PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_LRK(turn)(PADICI_V x)
{
    const PADICI_V rounder = PADICI_SET(PADICI_ROUNDER);
    const PADICI_V y = PADICI_FMA(x, PADICI_SET((PADICI_REAL)0.63661977236758134308), rounder);
    const PADICI_V q = PADICI_SUB(y, rounder);
    const PADICI_TURNS n = PADICI_BITS(y);
    PADICI_V r, z, s, c;
    PADICI_NUMBER out;
#if PADICI_REAL_SIZE == 4
    r = PADICI_FNMA(q, PADICI_SET(1.57079637050628662109f), x);
    r = PADICI_FNMA(q, PADICI_SET(-4.37113900018624283e-8f), r);
    z = PADICI_MUL(r, r);
    s = PADICI_HORNER(8.3321608736e-3, PADICI_SET(-1.9515295891e-4f));
    s = PADICI_HORNER(-1.6666654611e-1, s);
    c = PADICI_HORNER(-1.388731625493765e-3, PADICI_SET(2.443315711809948e-5f));
    c = PADICI_HORNER(4.166664568298827e-2, c);
#else
    r = PADICI_FNMA(q, PADICI_SET(1.57079632673412561417), x);
    r = PADICI_FNMA(q, PADICI_SET(6.07710050630396597660e-11), r);
    r = PADICI_FNMA(q, PADICI_SET(2.02226624879595063154e-21), r);
    z = PADICI_MUL(r, r);
    s = PADICI_HORNER(-2.50507602534068634195e-08, PADICI_SET(1.58969099521155010221e-10));
    s = PADICI_HORNER(2.75573137070700676789e-06, s);
    s = PADICI_HORNER(-1.98412698298579493134e-04, s);
    s = PADICI_HORNER(8.33333333332248946124e-03, s);
    s = PADICI_HORNER(-1.66666666666666324348e-01, s);
    c = PADICI_HORNER(2.08757232129817482790e-09, PADICI_SET(-1.13596475577881948265e-11));
    c = PADICI_HORNER(-2.75573143513906633035e-07, c);
    c = PADICI_HORNER(2.48015872894767294178e-05, c);
    c = PADICI_HORNER(-1.38888888888741095749e-03, c);
    c = PADICI_HORNER(4.16666666666666019037e-02, c);
#endif
    s = PADICI_FMA(PADICI_MUL(r, z), s, r);
    c = PADICI_HORNER(-0.5, c);
    c = PADICI_HORNER(1, c);
    out.re = PADICI_FLIP(PADICI_XOR(n, PADICI_SHL(n, 1)), PADICI_ODD(n, s, c));
    out.im = PADICI_FLIP(n, PADICI_ODD(n, c, s));
    return out;
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LRK(root)(PADICI_V x)
{
#if PADICI_ISA_LEVEL >= 2
    return PADICI_R(sqrt)(x);
#else
    return PADICI_R(vsqrtq)(x);
#endif
}

// The angle of a number, from that without its density.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LRK(angle)(const padici_field_phase_row *row,
                                                       PADICI_V angle, PADICI_NUMBER a)
{
    const PADICI_V rho = PADICI_FMA(a.re, a.re, PADICI_MUL(a.im, a.im));
    uint32_t j;
    for (j = 0; j < row->terms; j++) {
        const PADICI_V power = row->power[j] == 1   ? rho
                               : row->power[j] == 2 ? PADICI_MUL(rho, rho)
                                                    : PADICI_LRK(root)(rho);
        angle = PADICI_FMA(PADICI_SET((PADICI_REAL)row->scale[j]), power, angle);
    }
    return angle;
}

// One vector of a row, `n` its numbers. Returns 0 where it is left as it is.
PADICI_TARGET PADICI_INLINE int PADICI_LRK(phase_pairs)(const padici_field_phase_row *row,
                                                        PADICI_V angle, uint32_t n, PADICI_REAL *x)
{
    PADICI_NUMBER a = PADICI_HK(get_pairs)(x, n), turn;
    angle = PADICI_LRK(angle)(row, angle, a);
    if (PADICI_FAR(angle, PADICI_LARGEST)) return 0;
    turn = PADICI_LRK(turn)(angle);
    PADICI_HK(put_pairs)(x, n, PADICI_HK(times)(a, turn.re, turn.im));
    return 1;
}

PADICI_TARGET static uint64_t PADICI_LRK(phase)(const padici_field_phase_row *row)
{
    const PADICI_REAL *angle = (const PADICI_REAL *)row->angle;
    const PADICI_V base = PADICI_SET(*(const PADICI_REAL *)row->base);
    PADICI_REAL *x = (PADICI_REAL *)row->psi;
    uint64_t i;
    uint32_t rest;
    for (i = 0; i + PADICI_LANES <= row->count; i += PADICI_LANES)
        if (!PADICI_LRK(phase_pairs)(row, PADICI_ADD(base, PADICI_LOAD(angle + i)), PADICI_LANES,
                                     x + 2 * i))
            return i;
    rest = (uint32_t)(row->count - i);
    if (rest && !PADICI_LRK(phase_pairs)(row, PADICI_ADD(base, PADICI_PART_LOAD(angle + i, rest)),
                                         rest, x + 2 * i))
        return i;
    return row->count;
}

PADICI_TARGET static uint64_t PADICI_LRK(phase_block)(const padici_field_phase_row *row)
{
    const PADICI_REAL *angle = (const PADICI_REAL *)row->angle;
    const PADICI_V base = PADICI_LOAD((const PADICI_REAL *)row->base);
    PADICI_REAL *x = (PADICI_REAL *)row->psi;
    uint64_t i;
    for (i = 0; i < row->count; i++, x += PADICI_VECTOR) {
        const PADICI_NUMBER a = PADICI_HK(swapped)(PADICI_HK(get)(x), row->swapped);
        const PADICI_V all = PADICI_LRK(angle)(row, PADICI_ADD(base, PADICI_SET(angle[i])), a);
        PADICI_NUMBER turn;
        if (PADICI_FAR(all, PADICI_LARGEST)) break;
        turn = PADICI_LRK(turn)(all);
        PADICI_HK(put)(x, PADICI_HK(times)(a, turn.re, turn.im));
    }
    return i;
}

PADICI_TARGET static void PADICI_LRK(angles)(const padici_field_angle_row *row)
{
    const double *v = row->potential;
    PADICI_REAL *out = (PADICI_REAL *)row->out;
    const double rounder = 6755399441055744.0;
    uint64_t i;
    for (i = 0; i < row->count; i++) {
        double x = -row->time * (v ? row->trap[i] + v[i] : row->trap[i]);
        if (PADICI_REAL_SIZE == 4)
            x -= ((x * 0.15915494309189533577 + rounder) - rounder) * 6.28318530717958647692;
        out[i] = (PADICI_REAL)x;
    }
}

PADICI_TARGET static void PADICI_LRK(drift)(const padici_field_drift_row *row)
{
    const PADICI_REAL *k = (const PADICI_REAL *)row->k, *turn = (const PADICI_REAL *)row->turn;
    const PADICI_V re = PADICI_SET(turn[0]), im = PADICI_SET(turn[1]);
    PADICI_REAL *x = (PADICI_REAL *)row->psi;
    uint64_t left = row->count;
    while (left) {
        const uint32_t n = left < PADICI_LANES ? (uint32_t)left : PADICI_LANES;
        const PADICI_NUMBER f = PADICI_HK(times)(PADICI_HK(get_pairs)(k, n), re, im);
        PADICI_HK(put_pairs)(x, n, PADICI_HK(times)(PADICI_HK(get_pairs)(x, n), f.re, f.im));
        left -= n;
        x += 2 * n;
        k += 2 * n;
    }
}

PADICI_TARGET static void PADICI_LRK(drift_block)(const padici_field_drift_row *row)
{
    const PADICI_REAL *k = (const PADICI_REAL *)row->k, *turn = (const PADICI_REAL *)row->turn;
    const PADICI_V re = PADICI_LOAD(turn), im = PADICI_LOAD(turn + PADICI_LANES);
    PADICI_REAL *x = (PADICI_REAL *)row->psi;
    uint64_t i;
    for (i = 0; i < row->count; i++, x += PADICI_VECTOR, k += 2) {
        PADICI_NUMBER a = PADICI_HK(times)(PADICI_HK(get)(x), re, im);
        a = PADICI_HK(times)(a, PADICI_SET(k[0]), PADICI_SET(k[1]));
        PADICI_HK(put)(x, PADICI_HK(swapped)(a, 1));
    }
}

PADICI_FN const padici_field_kernels *PADICI_LRK(kernels)(void)
{
    static const padici_field_kernels kernels = {
        PADICI_REAL_SIZE == 8,   PADICI_LRK(angles), PADICI_LRK(phase),
        PADICI_LRK(phase_block), PADICI_LRK(drift),  PADICI_LRK(drift_block)};
    return &kernels;
}

#undef PADICI_TOP
#undef PADICI_TURNS
#undef PADICI_XOR
#undef PADICI_REALS
#undef PADICI_ODD
#undef PADICI_BITS
#undef PADICI_SHL
#undef PADICI_SHR
#undef PADICI_SIGNS
#undef PADICI_FAR
#undef PADICI_FLIP
#undef PADICI_HORNER
#undef PADICI_LARGEST
#undef PADICI_ROUNDER

#endif
