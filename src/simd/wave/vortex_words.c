// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// Vortices: the factors of lines along any axis at the points of a pass, and of those along z at
// the points of a block.

// tanh(x), x >= 0: p/(p + 2), p = e^{2x} - 1 = (2^n - 1) + 2^n (2^f - 1), 2x/ln 2 = n + f.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(tanh)(PADICI_VF x)
{
    const PADICI_VF y = PADICI_MUL(PADICI_F(min)(x, PADICI_SET(10.0f)), PADICI_SET(2.885390082f));
    const PADICI_N n = PADICI_NEAREST(y);
    const PADICI_VF f = PADICI_F(sub)(y, PADICI_WHOLE(n)), two = PADICI_SCALE(PADICI_SET(1.0f), n);
    PADICI_VF g = PADICI_MADD(PADICI_SET(1.5252734e-5f), f, PADICI_SET(1.5403530e-4f)), p;
    g = PADICI_MADD(g, f, PADICI_SET(1.3333558e-3f)); // (ln 2)^k/k!
    g = PADICI_MADD(g, f, PADICI_SET(9.6181291e-3f));
    g = PADICI_MADD(g, f, PADICI_SET(5.5504109e-2f));
    g = PADICI_MADD(g, f, PADICI_SET(0.24022651f));
    g = PADICI_MADD(g, f, PADICI_SET(0.69314718f));
    p = PADICI_MADD(two, PADICI_MUL(g, f), PADICI_F(sub)(two, PADICI_SET(1.0f)));
    return PADICI_MUL(p, PADICI_WK(part)(PADICI_ADD(p, PADICI_SET(2.0f))));
}

// Half a vector of (point - c).e; f64, because points far along an axis may be close to it.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(along)(const padici_wave_places *places,
                                                       uint32_t i, const double c[3],
                                                       const double e[3])
{
    PADICI_VD sum = PADICI_D(mul)(PADICI_D(sub)(PADICI_D(loadu)(places->at[0] + i),
                                                PADICI_D(set1)(c[0])), PADICI_D(set1)(e[0]));
    uint32_t k;
    for (k = 1; k < 3; k++)
        sum = PADICI_D(add)(sum, PADICI_D(mul)(PADICI_D(sub)(PADICI_D(loadu)(places->at[k] + i),
                                                             PADICI_D(set1)(c[k])),
                                               PADICI_D(set1)(e[k])));
    return sum;
}

// Points i, ... along axis k, minus c.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(from)(const padici_wave_places *places, uint32_t i,
                                                      uint32_t k, double c)
{
    const double *at = places->at[k] + i;
    return PADICI_JOIN(PADICI_D(sub)(PADICI_D(loadu)(at), PADICI_D(set1)(c)),
                       PADICI_D(sub)(PADICI_D(loadu)(at + PADICI_LANES / 2), PADICI_D(set1)(c)));
}

// Makes z a factor of charge 1; LEGACY: of modulus 1, and *modulus. Marks lanes where f32 does not
// suffice.
// not enough.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(core)(padic_wave_core core, PADICI_VF rho2,
                                                      PADICI_VF d2, float xi, PADICI_VF *modulus,
                                                      PADICI_VG *bad)
{
    const PADICI_VF one = PADICI_SET(1.0f), part = PADICI_SET(1 / xi);
    PADICI_VF r = rho2, x, size;
    if (core == PADIC_WAVE_CORE_RATIONAL) {
        r = PADICI_ADD(r, PADICI_SET(xi * xi));
        size = PADICI_WK(root)(r);
    } else if (core == PADIC_WAVE_CORE_PADE) {
        const PADICI_VF a1 = PADICI_SET(0.3401100f), a2 = PADICI_SET(0.0464431f);
        x = PADICI_MUL(rho2, PADICI_MUL(part, part));
        size = PADICI_MADD(PADICI_MADD(a2, x, PADICI_ADD(a1, a2)), x, one);
        size = PADICI_MUL(PADICI_MADD(a2, x, a1), PADICI_WK(part)(size));
        size = PADICI_MUL(PADICI_MUL(size, PADICI_WK(root)(size)), part);
        r = PADICI_MADD(x, PADICI_MUL(x, PADICI_SET(1e18f)), one);
    } else {
        size = PADICI_WK(root)(rho2);
    }
    if (core == PADIC_WAVE_CORE_LEGACY) {
        x = PADICI_MUL(PADICI_MUL(d2, PADICI_WK(root)(d2)), part);
        *modulus = PADICI_WK(tanh)(x);
        *bad = PADICI_OR(*bad, PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), d2)));
    }
    *bad = PADICI_OR(*bad, PADICI_TINY(r));
    *bad = PADICI_OR(*bad, PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), r)));
    return size;
}

// (point - c) along axis a: high words first, whose difference is exact where it is small.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(apart)(const padici_wave_vortex_block *b,
                                                       uint32_t i, const padici_wave_vortex_line *l,
                                                       uint32_t a)
{
    return PADICI_ADD(PADICI_F(sub)(PADICI_F(loadu)(b->at[a][0] + i), PADICI_SET(l->at[a][0])),
                      PADICI_F(sub)(PADICI_F(loadu)(b->at[a][1] + i), PADICI_SET(l->at[a][1])));
}

// `core` is a constant at each call. Tracks the extremes of radicands: outside of f32's range the
// reference computes the points again.
PADICI_TARGET PADICI_INLINE void PADICI_WK(vortex_as)(padici_wave_vortex_block *b,
                                                      padic_wave_core core)
{
    const PADICI_VF one = PADICI_SET(1.0f);
    uint64_t j;
    uint32_t i, k;
    for (i = 0; i < b->points; i += PADICI_LANES) {
        PADICI_VF pr = PADICI_F(loadu)(b->psi[0] + i), pi = PADICI_F(loadu)(b->psi[1] + i);
        PADICI_VF least = one, most = one;
        PADICI_VG bad;
        for (j = 0; j < b->lines; j++) {
            const padici_wave_vortex_line *l = &b->line[j];
            PADICI_VF zr = PADICI_WK(apart)(b, i, l, 0), zi = PADICI_WK(apart)(b, i, l, 1);
            const PADICI_VF rho2 = PADICI_MADD(zr, zr, PADICI_MUL(zi, zi));
            PADICI_VF r = rho2, size, next;
            if (core == PADIC_WAVE_CORE_RATIONAL) {
                r = PADICI_ADD(r, PADICI_SET(l->core * l->core));
                size = PADICI_WK(root)(r);
            } else if (core == PADIC_WAVE_CORE_PADE) {
                const PADICI_VF a1 = PADICI_SET(0.3401100f), a2 = PADICI_SET(0.0464431f);
                const PADICI_VF x = PADICI_MUL(rho2, PADICI_SET(l->part * l->part));
                size = PADICI_MADD(PADICI_MADD(a2, x, PADICI_ADD(a1, a2)), x, one);
                size = PADICI_MUL(PADICI_MADD(a2, x, a1), PADICI_WK(part)(size));
                size = PADICI_MUL(PADICI_MUL(size, PADICI_WK(root)(size)), PADICI_SET(l->part));
                r = PADICI_MADD(x, PADICI_MUL(x, PADICI_SET(1e18f)), one);
            } else {
                size = PADICI_WK(root)(rho2);
            }
            least = PADICI_F(min)(r, least);
            most = PADICI_F(max)(r, most);
            if (core == PADIC_WAVE_CORE_LEGACY) { // once, then powers of a unit
                const PADICI_VF z = PADICI_WK(apart)(b, i, l, 2), d2 = PADICI_MADD(z, z, rho2);
                const PADICI_VF modulus = PADICI_WK(tanh)(
                    PADICI_MUL(PADICI_MUL(d2, PADICI_WK(root)(d2)), PADICI_SET(l->part)));
                most = PADICI_F(max)(d2, most);
                pr = PADICI_MUL(pr, modulus);
                pi = PADICI_MUL(pi, modulus);
            }
            zr = PADICI_MUL(zr, size);
            zi = PADICI_MUL(zi, PADICI_MUL(size, PADICI_SET(l->sign)));
            for (k = 0; k < l->charge; k++) {
                next = PADICI_NMADD(pi, zi, PADICI_MUL(pr, zr));
                pi = PADICI_MADD(pr, zi, PADICI_MUL(pi, zr));
                pr = next;
            }
        }
        bad = PADICI_OR(PADICI_TINY(least),
                        PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), most)));
        if (PADICI_ANY(bad)) b->bad |= ((1u << PADICI_LANES / 4) - 1) << i / 4;
        PADICI_F(storeu)(b->psi[0] + i, pr);
        PADICI_F(storeu)(b->psi[1] + i, pi);
    }
}

PADICI_FN PADICI_TARGET void PADICI_WK(vortex)(padici_wave_vortex_block *b)
{
    if (b->core == PADIC_WAVE_CORE_RATIONAL) PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_RATIONAL);
    else if (b->core == PADIC_WAVE_CORE_PADE) PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_PADE);
    else if (b->core == PADIC_WAVE_CORE_NONE) PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_NONE);
    else PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_LEGACY);
}

// 1 if f32 suffices for n lines: charges of LEGACY may be any, cores beyond f32.
PADICI_INLINE int PADICI_WK(lines_fit)(padic_wave_core core, const padici_wave_line *lines,
                                       uint32_t n)
{
    uint32_t j;
    for (j = 0; j < n; j++) {
        const padici_wave_line *l = &lines[j];
        if (l->charge != floor(l->charge)) return 0;
        if (!(fabs(l->centre[0]) < 1e150 && fabs(l->centre[1]) < 1e150 &&
              fabs(l->centre[2]) < 1e150))
            return 0;
        if (core != PADIC_WAVE_CORE_NONE && !(l->core > 1e-18 && l->core < 1e18)) return 0;
    }
    return 1;
}

// padici_wave_lines.
PADICI_FN PADICI_TARGET void PADICI_WK(lines)(padic_wave_core core,
                                              const padici_wave_line *lines, uint32_t n,
                                              const padici_wave_places *places, uint32_t first,
                                              uint32_t end, padici_complex *products)
{
    float re[PADICI_LANES], im[PADICI_LANES];
    uint32_t i, j, k;
    if (!PADICI_WK(lines_fit)(core, lines, n)) {
        padici_wave_lines_plain(core, lines, n, places, first, end, products);
        return;
    }
    for (i = first; i < end; i += PADICI_LANES) {
        PADICI_VF pr = PADICI_SET(1.0f), pi = PADICI_SET(0.0f);
        PADICI_VG bad = PADICI_G0;
        for (j = 0; j < n; j++) {
            const padici_wave_line *l = &lines[j];
            PADICI_VF d, zr, zi, d2, size, next, modulus = pr;
            const uint32_t charge = (uint32_t)fabs(l->charge);
            if (!charge && core != PADIC_WAVE_CORE_LEGACY) continue;
            if (l->e1[0] == 1 && l->e2[1] == 1) { // along +z
                zr = PADICI_WK(from)(places, i, 0, l->centre[0]);
                zi = PADICI_WK(from)(places, i, 1, l->centre[1]);
            } else {
                zr = PADICI_JOIN(PADICI_WK(along)(places, i, l->centre, l->e1),
                                 PADICI_WK(along)(places, i + PADICI_LANES / 2, l->centre, l->e1));
                zi = PADICI_JOIN(PADICI_WK(along)(places, i, l->centre, l->e2),
                                 PADICI_WK(along)(places, i + PADICI_LANES / 2, l->centre, l->e2));
            }
            d2 = PADICI_MADD(zr, zr, PADICI_MUL(zi, zi));
            d = zr;
            if (core == PADIC_WAVE_CORE_LEGACY) d = PADICI_WK(from)(places, i, 2, l->centre[2]);
            size = PADICI_WK(core)(core, d2, PADICI_MADD(d, d, d2),
                                   core == PADIC_WAVE_CORE_NONE ? 1.0f : (float)l->core, &modulus,
                                   &bad);
            if (core == PADIC_WAVE_CORE_LEGACY) { // once, then powers of a unit
                pr = PADICI_MUL(pr, modulus);
                pi = PADICI_MUL(pi, modulus);
            }
            zr = PADICI_MUL(zr, size);
            zi = PADICI_MUL(zi, l->charge < 0 ? PADICI_MUL(size, PADICI_SET(-1.0f)) : size);
            for (k = 0; k < charge; k++) {
                next = PADICI_NMADD(pi, zi, PADICI_MUL(pr, zr));
                pi = PADICI_MADD(pr, zi, PADICI_MUL(pi, zr));
                pr = next;
            }
        }
        PADICI_F(storeu)(re, pr);
        PADICI_F(storeu)(im, pi);
        for (k = 0; k < PADICI_LANES && i + k < end; k++) {
            const padici_complex factor = {(double)re[k], (double)im[k]};
            if (PADICI_ANY(bad))
                padici_wave_lines_plain(core, lines, n, places, i + k, i + k + 1, products);
            else
                products[i + k] = padici_wave_times(products[i + k], factor);
        }
    }
}

#endif
