// @per-level
#if !defined(PADIC_NO_FIELD) && PADICI_ISA_LEVEL <= 3

// Rows of steps in f64: the operations of the plain loops, in their order, none fused. PADICI_D: a
// vector of doubles. RE, IM: of the numbers in two vectors, in an order that ORDER gives others,
// too; FIRST, SECOND: back. ODD: a where the low bit of n is set, else b. FLIP: x, negative where
// its second bit is. FAR: whether one of them is not below 1e5.
#if PADICI_ISA_LEVEL == 3
#define PADICI_D __m512d
#define PADICI_D_LANES 8
#define PADICI_DR(op) _mm512_##op##_pd
#define PADICI_D_ORDER(v) _mm512_permutexvar_pd(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), v)
#define PADICI_D_BITS __m512i
#define PADICI_D_AS_BITS(x) _mm512_castpd_si512(x)
#define PADICI_D_NEXT(n) _mm512_add_epi64(n, _mm512_set1_epi64(1))
#define PADICI_D_ODD(n, a, b)                                                             \
    _mm512_mask_blend_pd(_mm512_test_epi64_mask(n, _mm512_set1_epi64(1)), b, a)
#define PADICI_D_FLIP(n, x)                                                               \
    _mm512_castsi512_pd(_mm512_xor_si512(                                                 \
        _mm512_castpd_si512(x),                                                           \
        _mm512_slli_epi64(_mm512_and_si512(n, _mm512_set1_epi64(2)), 62)))
#define PADICI_D_FAR(x)                                                                   \
    _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(1e5), _CMP_NLT_UQ)
#elif PADICI_ISA_LEVEL == 2
#define PADICI_D __m256d
#define PADICI_D_LANES 4
#define PADICI_DR(op) _mm256_##op##_pd
#define PADICI_D_ORDER(v) _mm256_permute4x64_pd(v, 0xd8)
#define PADICI_D_BITS __m256i
#define PADICI_D_AS_BITS(x) _mm256_castpd_si256(x)
#define PADICI_D_NEXT(n) _mm256_add_epi64(n, _mm256_set1_epi64x(1))
#define PADICI_D_ODD(n, a, b)                                                             \
    _mm256_blendv_pd(b, a, _mm256_castsi256_pd(_mm256_slli_epi64(n, 63)))
#define PADICI_D_FLIP(n, x)                                                               \
    _mm256_xor_pd(x, _mm256_castsi256_pd(_mm256_slli_epi64(                               \
                         _mm256_and_si256(n, _mm256_set1_epi64x(2)), 62)))
#define PADICI_D_FAR(x)                                                                   \
    _mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x),           \
                                     _mm256_set1_pd(1e5), _CMP_NLT_UQ))
#endif

#if PADICI_ISA_LEVEL >= 2
#define PADICI_D_SET PADICI_DR(set1)
#define PADICI_D_LOAD PADICI_DR(loadu)
#define PADICI_D_STORE PADICI_DR(storeu)
#define PADICI_D_ADD PADICI_DR(add)
#define PADICI_D_SUB PADICI_DR(sub)
#define PADICI_D_MUL PADICI_DR(mul)
#define PADICI_D_ROOT PADICI_DR(sqrt)
#define PADICI_D_RE PADICI_DR(unpacklo)
#define PADICI_D_IM PADICI_DR(unpackhi)
#define PADICI_D_FIRST PADICI_DR(unpacklo)
#define PADICI_D_SECOND PADICI_DR(unpackhi)
#else
#define PADICI_D float64x2_t
#define PADICI_D_LANES 2
#define PADICI_D_ORDER(v) (v)
#define PADICI_D_BITS uint64x2_t
#define PADICI_D_AS_BITS(x) vreinterpretq_u64_f64(x)
#define PADICI_D_NEXT(n) vaddq_u64(n, vdupq_n_u64(1))
#define PADICI_D_ODD(n, a, b) vbslq_f64(vtstq_u64(n, vdupq_n_u64(1)), a, b)
#define PADICI_D_FLIP(n, x)                                                               \
    vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(x),                             \
                                    vshlq_n_u64(vandq_u64(n, vdupq_n_u64(2)), 62)))
#define PADICI_D_FAR(x)                                                                   \
    !(vgetq_lane_u64(vcaltq_f64(x, vdupq_n_f64(1e5)), 0) &                                \
      vgetq_lane_u64(vcaltq_f64(x, vdupq_n_f64(1e5)), 1))
#define PADICI_D_SET vdupq_n_f64
#define PADICI_D_LOAD vld1q_f64
#define PADICI_D_STORE vst1q_f64
#define PADICI_D_ADD vaddq_f64
#define PADICI_D_SUB vsubq_f64
#define PADICI_D_MUL vmulq_f64
#define PADICI_D_ROOT vsqrtq_f64
#define PADICI_D_RE vuzp1q_f64
#define PADICI_D_IM vuzp2q_f64
#define PADICI_D_FIRST vzip1q_f64
#define PADICI_D_SECOND vzip2q_f64
#endif

// a + z b
#define PADICI_D_HORNER(a, b) PADICI_D_ADD(PADICI_D_SET(a), PADICI_D_MUL(z, b))
// a - z b
#define PADICI_D_HORNER_LESS(a, b) PADICI_D_SUB(PADICI_D_SET(a), PADICI_D_MUL(z, b))

PADICI_TARGET PADICI_INLINE void PADICI_LK(turn)(PADICI_D x, PADICI_D out[2])
{
    const PADICI_D magic = PADICI_D_SET(6755399441055744.0); // 1.5 2^52: rounds to integers
    const PADICI_D y = PADICI_D_ADD(PADICI_D_MUL(x, PADICI_D_SET(0.63661977236758134308)), magic);
    const PADICI_D q = PADICI_D_SUB(y, magic);
    const PADICI_D high = PADICI_D_SUB(x, PADICI_D_MUL(q, PADICI_D_SET(1.57079632673412561417)));
    const PADICI_D middle =
        PADICI_D_SUB(high, PADICI_D_MUL(q, PADICI_D_SET(6.07710050630396597660e-11)));
    const PADICI_D r =
        PADICI_D_SUB(middle, PADICI_D_MUL(q, PADICI_D_SET(2.02226624879595063154e-21)));
    const PADICI_D z = PADICI_D_MUL(r, r);
    const PADICI_D_BITS n = PADICI_D_AS_BITS(y);
    PADICI_D s = PADICI_D_MUL(z, PADICI_D_SET(1.58969099521155010221e-10)), c, sine;
    s = PADICI_D_ADD(PADICI_D_SET(-2.50507602534068634195e-08), s);
    s = PADICI_D_HORNER(2.75573137070700676789e-06, s);
    s = PADICI_D_HORNER(-1.98412698298579493134e-04, s);
    s = PADICI_D_HORNER(8.33333333332248946124e-03, s);
    s = PADICI_D_HORNER(-1.66666666666666324348e-01, s);
    sine = PADICI_D_ADD(r, PADICI_D_MUL(PADICI_D_MUL(r, z), s));
    c = PADICI_D_MUL(z, PADICI_D_SET(1.13596475577881948265e-11));
    c = PADICI_D_SUB(PADICI_D_SET(2.08757232129817482790e-09), c);
    c = PADICI_D_HORNER(-2.75573143513906633035e-07, c);
    c = PADICI_D_HORNER(2.48015872894767294178e-05, c);
    c = PADICI_D_HORNER(-1.38888888888741095749e-03, c);
    c = PADICI_D_HORNER(4.16666666666666019037e-02, c);
    c = PADICI_D_HORNER_LESS(0.5, c);
    c = PADICI_D_HORNER_LESS(1, c);
    out[0] = PADICI_D_FLIP(PADICI_D_NEXT(n), PADICI_D_ODD(n, sine, c));
    out[1] = PADICI_D_FLIP(n, PADICI_D_ODD(n, c, sine));
}

PADICI_TARGET static uint64_t PADICI_LK(phase)(const padici_field_phase_row *row)
{
    const PADICI_D base = PADICI_D_SET(row->base), time = PADICI_D_SET(-row->time);
    uint64_t i;
    for (i = 0; i + PADICI_D_LANES <= row->count; i += PADICI_D_LANES) {
        double *at = row->psi + 2 * i;
        const PADICI_D a = PADICI_D_LOAD(at), b = PADICI_D_LOAD(at + PADICI_D_LANES);
        const PADICI_D re = PADICI_D_RE(a, b), im = PADICI_D_IM(a, b);
        const PADICI_D rho = PADICI_D_ADD(PADICI_D_MUL(re, re), PADICI_D_MUL(im, im));
        PADICI_D u = PADICI_D_ADD(base, PADICI_D_LOAD(row->trap + i)), turn[2], x, y;
        uint32_t j;
        if (row->potential) u = PADICI_D_ADD(u, PADICI_D_LOAD(row->potential + i));
        u = PADICI_D_ORDER(u);
        for (j = 0; j < row->terms; j++) {
            const PADICI_D power = row->power[j] == 1   ? rho
                                   : row->power[j] == 2 ? PADICI_D_MUL(rho, rho)
                                                        : PADICI_D_ROOT(rho);
            u = PADICI_D_ADD(u, PADICI_D_MUL(PADICI_D_SET(row->g[j]), power));
        }
        u = PADICI_D_MUL(time, u);
        if (PADICI_D_FAR(u)) break;
        PADICI_LK(turn)(u, turn);
        x = PADICI_D_SUB(PADICI_D_MUL(turn[0], re), PADICI_D_MUL(turn[1], im));
        y = PADICI_D_ADD(PADICI_D_MUL(turn[0], im), PADICI_D_MUL(turn[1], re));
        PADICI_D_STORE(at, PADICI_D_FIRST(x, y));
        PADICI_D_STORE(at + PADICI_D_LANES, PADICI_D_SECOND(x, y));
    }
    return i;
}

PADICI_TARGET static uint64_t PADICI_LK(drift)(const padici_field_drift_row *row)
{
    const PADICI_D re = PADICI_D_SET(row->turn[0]), im = PADICI_D_SET(row->turn[1]);
    uint64_t i;
    for (i = 0; i + PADICI_D_LANES <= row->count; i += PADICI_D_LANES) {
        double *at = row->psi + 2 * i;
        const double *k = row->k + 2 * i;
        const PADICI_D a = PADICI_D_LOAD(at), b = PADICI_D_LOAD(at + PADICI_D_LANES);
        const PADICI_D d = PADICI_D_LOAD(k), e = PADICI_D_LOAD(k + PADICI_D_LANES);
        const PADICI_D x = PADICI_D_RE(a, b), y = PADICI_D_IM(a, b);
        const PADICI_D kx = PADICI_D_RE(d, e), ky = PADICI_D_IM(d, e);
        const PADICI_D c = PADICI_D_SUB(PADICI_D_MUL(re, kx), PADICI_D_MUL(im, ky));
        const PADICI_D s = PADICI_D_ADD(PADICI_D_MUL(re, ky), PADICI_D_MUL(im, kx));
        const PADICI_D u = PADICI_D_SUB(PADICI_D_MUL(c, x), PADICI_D_MUL(s, y));
        const PADICI_D v = PADICI_D_ADD(PADICI_D_MUL(c, y), PADICI_D_MUL(s, x));
        PADICI_D_STORE(at, PADICI_D_FIRST(u, v));
        PADICI_D_STORE(at + PADICI_D_LANES, PADICI_D_SECOND(u, v));
    }
    return i;
}

PADICI_FN const padici_field_kernels *PADICI_LK(kernels)(void)
{
    static const padici_field_kernels kernels = {PADICI_LK(phase), PADICI_LK(drift)};
    return &kernels;
}

#endif
