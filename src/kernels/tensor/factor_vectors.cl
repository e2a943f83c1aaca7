// factor_vectors.cl: the order of values, phases of vectors, vectors that complete a basis.

// order[place] = column, by `values`; descending, or ascending.
FACTOR_FN void factor_order(pd_u32 n, PD_LPTR(factor_real) values, pd_u32 ascending,
                            PD_LPTR(pd_u32) order)
{
    const pd_u32 j = PD_LID;
    PD_BARRIER();
    if (j < n) {
        pd_u32 place = 0u;
        FACTOR_ROLLED
        for (pd_u32 i = 0u; i < n; i++) {
            const factor_real x = ascending != 0u ? values[j] : values[i];
            const factor_real y = ascending != 0u ? values[i] : values[j];
            if (x > y || (!(x < y) && i < j)) place += 1u;
        }
        order[place] = j;
    }
    PD_BARRIER();
}

// The position of a column's largest number, the first of those within 2^-20, and its phase; base
// and AT(line) are a column's.
#if FACTOR_COMPLEX
#define FACTOR_PHASE(base, plane_, AT, rows)                                       \
    factor_real best = FACTOR_C(0.0f), pre = FACTOR_C(1.0f), pim = FACTOR_C(0.0f); \
    pd_u32 at = 0u;                                                                \
    for (pd_u32 line = 0u; line < rows; line++) {                                  \
        const factor_real re = base[AT(line)], im = base[(plane_) + AT(line)];     \
        const factor_real now = re * re + im * im;                                 \
        if (now <= best * FACTOR_C(1.0000019073486328125f)) continue;              \
        best = now;                                                                \
        at = line;                                                                 \
        pre = re;                                                                  \
        pim = im;                                                                  \
    }                                                                              \
    if (best > FACTOR_C(0.0f)) {                                                   \
        const factor_real size = FACTOR_SQRT(best);                                \
        pre /= size;                                                               \
        pim /= size;                                                               \
    }
#define FACTOR_TURN(base, plane_, AT, rows)                                    \
    for (pd_u32 line = 0u; line < rows; line++) {                              \
        const factor_real re = base[AT(line)], im = base[(plane_) + AT(line)]; \
        base[AT(line)] = re * pre + im * pim;                                  \
        base[(plane_) + AT(line)] = im * pre - re * pim;                       \
    }
#define FACTOR_REAL(base, plane_, AT) base[(plane_) + AT(at)] = FACTOR_C(0.0f)
#else
#define FACTOR_PHASE(base, plane_, AT, rows)                          \
    factor_real best = FACTOR_C(0.0f), pre = FACTOR_C(1.0f);          \
    for (pd_u32 line = 0u; line < rows; line++) {                     \
        const factor_real re = base[AT(line)], now = re * re;         \
        if (now <= best * FACTOR_C(1.0000019073486328125f)) continue; \
        best = now;                                                   \
        pre = re < FACTOR_C(0.0f) ? -FACTOR_C(1.0f) : FACTOR_C(1.0f); \
    }
#define FACTOR_TURN(base, plane_, AT, rows) \
    for (pd_u32 line = 0u; line < rows; line++) base[AT(line)] *= pre;
#define FACTOR_REAL(base, plane_, AT) ((void)0)
#endif

#define FACTOR_W(i) (column * pitch + (i))
#define FACTOR_V(i) (column * n + (i))

// Columns from `rank` on, by order, become unit vectors orthogonal to all previous ones: the axis
// that those cover least, orthogonalised twice.
FACTOR_FN void factor_complete(PD_LPTR(factor_real) w, pd_u32 pitch, pd_u32 plane, pd_u32 m,
                               pd_u32 n, pd_u32 rank, PD_LPTR(pd_u32) order,
                               PD_LPTR(factor_real) sums)
{
    const pd_u32 lid = PD_LID;
#if !FACTOR_COMPLEX
    (void)plane;
#endif
    for (pd_u32 place = rank; place < n; place++) {
        const pd_u32 column = order[place] * pitch;
        factor_real least = FACTOR_C(4.0f), norm = FACTOR_C(0.0f);
        pd_u32 at = 0u, i, j;
        for (i = lid; i < m; i += FACTOR_WG) {
            factor_real covered = FACTOR_C(0.0f);
            FACTOR_ROLLED
            for (j = 0u; j < place; j++) {
                const pd_u32 other = order[j] * pitch + i;
                covered += w[other] * w[other];
#if FACTOR_COMPLEX
                covered += w[plane + other] * w[plane + other];
#endif
            }
            if (covered < least) {
                least = covered;
                at = i;
            }
        }
        sums[lid] = least;
        sums[FACTOR_WG + lid] = (factor_real)at;
        PD_BARRIER();
        least = sums[0];
        at = 0u;
        FACTOR_ROLLED
        for (i = 1u; i < FACTOR_WG; i++) {
            if (sums[i] < least) at = i;
            if (sums[i] < least) least = sums[i];
        }
        at = (pd_u32)sums[FACTOR_WG + at];
        for (i = lid; i < m; i += FACTOR_WG) { // for an axis the products are known
            factor_real re = i == at ? FACTOR_C(1.0f) : FACTOR_C(0.0f);
#if FACTOR_COMPLEX
            factor_real im = FACTOR_C(0.0f);
#endif
            FACTOR_ROLLED
            for (j = 0u; j < place; j++) {
                const pd_u32 other = order[j] * pitch;
                re -= w[other + i] * w[other + at];
#if FACTOR_COMPLEX
                re -= w[plane + other + i] * w[plane + other + at];
                im -= w[plane + other + i] * w[other + at];
                im += w[other + i] * w[plane + other + at];
#endif
            }
            w[column + i] = re;
#if FACTOR_COMPLEX
            w[plane + column + i] = im;
#endif
        }
        PD_BARRIER();
        if (lid < place) { // again for this item's column
            const pd_u32 other = order[lid] * pitch;
            factor_real gre = FACTOR_C(0.0f), gim = FACTOR_C(0.0f);
            FACTOR_ROLLED
            for (i = 0u; i < m; i++) {
                gre += w[other + i] * w[column + i];
#if FACTOR_COMPLEX
                gre += w[plane + other + i] * w[plane + column + i];
                gim += w[other + i] * w[plane + column + i];
                gim -= w[plane + other + i] * w[column + i];
#endif
            }
            sums[lid] = gre;
            sums[FACTOR_WG + lid] = gim;
        }
        PD_BARRIER();
        for (i = lid; i < m; i += FACTOR_WG) {
            FACTOR_ROLLED
            for (j = 0u; j < place; j++) {
                const pd_u32 other = order[j] * pitch + i;
                w[column + i] -= sums[j] * w[other];
#if FACTOR_COMPLEX
                w[column + i] += sums[FACTOR_WG + j] * w[plane + other];
                w[plane + column + i] -= sums[j] * w[plane + other];
                w[plane + column + i] -= sums[FACTOR_WG + j] * w[other];
#endif
            }
        }
        PD_BARRIER();
        FACTOR_ROLLED
        for (i = 0u; i < m; i++) {
            norm += w[column + i] * w[column + i];
#if FACTOR_COMPLEX
            norm += w[plane + column + i] * w[plane + column + i];
#endif
        }
        norm = FACTOR_C(1.0f) / FACTOR_SQRT(norm);
        PD_BARRIER(); // all have read it
        for (i = lid; i < m; i += FACTOR_WG) {
            w[column + i] *= norm;
#if FACTOR_COMPLEX
            w[plane + column + i] *= norm;
#endif
        }
        PD_BARRIER();
    }
}

// Writes the values in order, descending or ascending, if requested; a matrix that is not finite
// (power 0) has none. Returns power, or 0 if a value would be infinite: then none is written.
FACTOR_FN pd_u32 factor_values(PD_GPTR(factor_real) out, PD_LPTR(factor_real) values, pd_u32 n,
                             pd_u32 ascending, pd_u32 power, pd_u32 b,
                             PD_LPTR(pd_u32) steps, PD_LPTR(pd_u32) order)
{
    const pd_u32 lid = PD_LID, flags = steps[17];
    const factor_real scale =
        FACTOR_POWER((flags & FACTOR_RELATIVE) != 0u ? FACTOR_TOP / 2u : power);
    factor_order(n, values, ascending, order);
    if ((flags & FACTOR_VALUES) == 0u || power == 0u) return power;
    if (FACTOR_HIGH(values[order[0]] * scale) == FACTOR_TOP ||
        FACTOR_HIGH(values[order[n - 1u]] * scale) == FACTOR_TOP)
        return 0u;
    if (lid < n)
        out[steps[12] + b * steps[13] + lid * steps[14]] = values[order[lid]] * scale;
    return power;
}

// Writes the columns of v in order to the tensor whose steps start at `axes`; conjugated or not.
FACTOR_FN void factor_columns(PD_GPTR(const factor_real) v, PD_GPTR(factor_real) to, pd_u32 n,
                              pd_u32 axes, pd_u32 conjugated, pd_u32 b,
                              PD_LPTR(pd_u32) steps, PD_LPTR(pd_u32) order)
{
    for (pd_u32 e = PD_LID; e < n * n; e += FACTOR_WG) {
        const pd_u32 column = order[e / n], at = factor_at(steps, axes, b, e % n, e / n);
        to[at] = v[FACTOR_V(e % n)];
#if FACTOR_COMPLEX
        to[at + 1u] = conjugated ? -v[n * n + FACTOR_V(e % n)] : v[n * n + FACTOR_V(e % n)];
#endif
    }
    (void)conjugated;
}
