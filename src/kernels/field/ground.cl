// program: field_ground
// texts: ../fft/pair.cl number.cl exponent.cl local.cl sum.cl grid.cl search.cl
// ground.cl: ground states, and imaginary time by the semi-implicit flow (field/ground.c,
// field/imaginary.c), where the numbers that decide stay on the device. Arrays are dense, psi lies
// anywhere: -K Lap psi, the gradient, steps and directions. Kernels over all points leave sums of
// their groups, by place, then field and group; between them a group for each field adds these up
// and decides (search.cl). A field whose flag is set stays as it is.
//
// variant: PD_FIELD_PLANAR=1 PD_FIELD_POWERS=1

#define FIELD_GROUND_GROUP                                                              \
    FIELD_GROUP                                                                         \
    const pd_u32 last = tables[k.skip + field] == FFT_ZERO ? end : from;

// A number of the field, as points take it.
#define FIELD_REAL_OF(at) field_sum_real(field_sum_get(state, field * k.places + (at)))

// x^-1/2.
PD_FN fft_real field_soft(fft_real x)
{
#if PD_FFT_F64
    return FFT_NUMBER(0.0f, 0x3ff00000u, 0u) / PD_SQRT64(x);
#else
    return 1.0f / PD_SQRT(x);
#endif
}

PD_FN fft_real field_density(fft_pair x)
{
    return x.re * x.re + x.im * x.im;
}

// V + sum_j g_j |psi|^(p_j - 2).
PD_FN fft_real field_rate_at(PD_GPTR(const fft_real) tables, const field_point p, pd_u32 i,
                             fft_real density, const padic_k_field_record_params k)
{
    return field_potential_at(tables, p, i, k) +
           field_terms(tables, density, FFT_ZERO, FFT_ZERO, k.terms, k.powers);
}

// conj(a) b: its real part, its imaginary part.
PD_FN field_sum field_along(field_sum sum, fft_pair a, fft_pair b)
{
    return field_sum_add(field_sum_add(sum, field_sum_product(a.re, b.re)),
                         field_sum_product(a.im, b.im));
}

PD_FN field_sum field_across(field_sum sum, fft_pair a, fft_pair b)
{
    return field_sum_add(field_sum_add(sum, field_sum_product(a.re, b.im)),
                         field_sum_product(-a.im, b.re));
}

// Sums of an item; they become the group's, from `first` on the largest, and go where they belong.
#define FIELD_HOLD(i, sum) held[(i)*PD_WG + PD_LID] = sum;
#define FIELD_GATHER(count, first)                                                        \
    PD_BARRIER();                                                                         \
    for (pd_u32 share = PD_WG / 2u; share > 0u; share /= 2u) {                            \
        for (pd_u32 i = 0u; i < (count) && PD_LID < share; i++)                           \
            held[i * PD_WG + PD_LID] = field_sum_join(i >= (first) ? FIELD_MOST : 0u,     \
                                                      held[i * PD_WG + PD_LID],           \
                                                      held[i * PD_WG + PD_LID + share]);  \
        PD_BARRIER();                                                                     \
    }
#define FIELD_LEAVE(count, first)                                                         \
    FIELD_GATHER(count, first)                                                            \
    if (PD_LID < (count))                                                                 \
        field_sum_put(parts, PD_LID * k.fields + PD_GRP, held[PD_LID * PD_WG]);

// to = psi, or the array `from`, or that is added to it.
PD_KERNEL(padic_k_field_ground_copy)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, from_), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_record_params, k))
{
    FIELD_GROUND_GROUP
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        fft_pair x = k.what ? field_get(from_, p.copy, k.apart)
                            : field_get(from_, p.psi, k.imaginary);
        if (k.adds) {
            const fft_pair y = field_get(to, p.copy, k.apart);
            x = fft_pair_of(x.re + y.re, x.im + y.im);
        }
        field_put(to, p.copy, k.apart, x);
    }
}

// ---- the flow

// Of psi, and l = -K Lap psi: the norm, psi H psi; the largest U, minus the least one, the largest
// density.
PD_KERNEL(padic_k_field_ground_slope)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, l),
 PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[5 * PD_WG];
    FIELD_GROUND_GROUP
    field_sum s0 = FIELD_SUM_ZERO, s1 = s0, s2 = field_sum_single(FIELD_LEAST), s3 = s2, s4 = s2;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary), y = field_get(l, p.copy, k.apart);
        const fft_real density = field_density(x);
        const fft_real u = field_rate_at(tables, p, i, density, k);
        s0 = field_along(s0, x, x);
        s1 = field_sum_add(field_along(s1, x, y), field_sum_product(u, density));
        s2 = field_sum_more(s2, field_sum_of(u));
        s3 = field_sum_more(s3, field_sum_of(-u));
        s4 = field_sum_more(s4, field_sum_of(density));
    }
    FIELD_HOLD(0u, s0)
    FIELD_HOLD(1u, s1)
    FIELD_HOLD(2u, s2)
    FIELD_HOLD(3u, s3)
    FIELD_HOLD(4u, s4)
    FIELD_LEAVE(5u, 2u)
}

// l += (U - mu) psi; |l|^2 of that.
PD_KERNEL(padic_k_field_ground_less)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_BUF(field_word, l),
 PD_CBUF(pd_u32, state), PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    FIELD_GROUND_GROUP
    const fft_real mu = FIELD_REAL_OF(FIELD_MU);
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary), y = field_get(l, p.copy, k.apart);
        const fft_real u = field_rate_at(tables, p, i, field_density(x), k) - mu;
        const fft_pair h = fft_pair_of(y.re + u * x.re, y.im + u * x.im);
        field_put(l, p.copy, k.apart, h);
        sum = field_along(sum, h, h);
    }
    FIELD_HOLD(0u, sum)
    FIELD_LEAVE(1u, 1u)
}

// psi -= l; the norm of that.
PD_KERNEL(padic_k_field_ground_flow)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_CBUF(field_word, l),
 PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    FIELD_GROUND_GROUP
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary), y = field_get(l, p.copy, k.apart);
        const fft_pair z = fft_pair_of(x.re - y.re, x.im - y.im);
        field_put(psi, p.psi, k.imaginary, z);
        sum = field_along(sum, z, z);
    }
    FIELD_HOLD(0u, sum)
    FIELD_LEAVE(1u, 1u)
}

// ---- conjugate gradients: psi, L = (-K Lap - Omega L_z) psi, and the same of a direction d

// gradient = L + (U - mu) psi, its size; step = gradient (a + U)^-1/2.
PD_KERNEL(padic_k_field_ground_gradient)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, l),
 PD_BUF(field_word, gradient), PD_BUF(field_word, step), PD_CBUF(pd_u32, state),
 PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    FIELD_GROUND_GROUP
    const fft_real mu = FIELD_REAL_OF(FIELD_MU), a = tables[k.shift + field];
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary), y = field_get(l, p.copy, k.apart);
        const fft_real u = field_rate_at(tables, p, i, field_density(x), k);
        const fft_real factor = field_soft(a + u);
        const fft_pair g = fft_pair_of(y.re + (u - mu) * x.re, y.im + (u - mu) * x.im);
        field_put(gradient, p.copy, k.apart, g);
        field_put(step, p.copy, k.apart, fft_pair_of(g.re * factor, g.im * factor));
        sum = field_along(sum, g, g);
    }
    FIELD_HOLD(0u, sum)
    FIELD_LEAVE(1u, 1u)
}

// step *= (a + U)^-1/2; <psi|step>, Re <gradient|step>, Re <before|step>, <gradient|psi>,
// <before|psi>, `before` the gradient of the iteration before.
PD_KERNEL(padic_k_field_ground_soften)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, gradient),
 PD_CBUF(field_word, before), PD_BUF(field_word, step), PD_BUF(pd_u32, parts),
 PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[8 * PD_WG];
    FIELD_GROUND_GROUP
    const fft_real a = tables[k.shift + field];
    field_sum s0 = FIELD_SUM_ZERO, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary), y = field_get(step, p.copy, k.apart);
        const fft_pair g = field_get(gradient, p.copy, k.apart);
        const fft_pair b = field_get(before, p.copy, k.apart);
        const fft_real factor =
            field_soft(a + field_rate_at(tables, p, i, field_density(x), k));
        const fft_pair z = fft_pair_of(y.re * factor, y.im * factor);
        field_put(step, p.copy, k.apart, z);
        s0 = field_along(s0, x, z);
        s1 = field_across(s1, x, z);
        s2 = field_along(s2, g, z);
        s3 = field_along(s3, b, z);
        s4 = field_along(s4, g, x);
        s5 = field_across(s5, g, x);
        s6 = field_along(s6, b, x);
        s7 = field_across(s7, b, x);
    }
    FIELD_HOLD(0u, s0)
    FIELD_HOLD(1u, s1)
    FIELD_HOLD(2u, s2)
    FIELD_HOLD(3u, s3)
    FIELD_HOLD(4u, s4)
    FIELD_HOLD(5u, s5)
    FIELD_HOLD(6u, s6)
    FIELD_HOLD(7u, s7)
    FIELD_LEAVE(8u, 8u)
}

// x less what psi has of it: c psi.
PD_FN fft_pair field_less_of(fft_pair x, fft_pair c, fft_pair psi)
{
    const fft_pair part = fft_mul(c, psi);
    return fft_pair_of(x.re - part.re, x.im - part.im);
}

// d = beta d - step, step orthogonal to psi; ld is a copy of it. <psi|d>, |d|^2.
PD_KERNEL(padic_k_field_ground_direct)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, step),
 PD_BUF(field_word, d), PD_BUF(field_word, ld), PD_CBUF(pd_u32, state), PD_BUF(pd_u32, parts),
 PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[3 * PD_WG];
    FIELD_GROUND_GROUP
    const fft_real beta = FIELD_REAL_OF(FIELD_BETA);
    const fft_pair c = fft_pair_of(FIELD_REAL_OF(FIELD_RE), FIELD_REAL_OF(FIELD_IM));
    field_sum s0 = FIELD_SUM_ZERO, s1 = s0, s2 = s0;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary);
        const fft_pair y = field_less_of(field_get(step, p.copy, k.apart), c, x);
        fft_pair z = fft_pair_of(-y.re, -y.im);
        if (beta > FFT_ZERO) { // before that d is nothing
            const fft_pair old = field_get(d, p.copy, k.apart);
            z = fft_pair_of(beta * old.re - y.re, beta * old.im - y.im);
        }
        field_put(d, p.copy, k.apart, z);
        field_put(ld, p.copy, k.apart, z);
        s0 = field_along(s0, x, z);
        s1 = field_across(s1, x, z);
        s2 = field_along(s2, z, z);
    }
    FIELD_HOLD(0u, s0)
    FIELD_HOLD(1u, s1)
    FIELD_HOLD(2u, s2)
    FIELD_LEAVE(3u, 3u)
}

// <d|U d> + sum_j g_j (p_j - 2) rho^((p_j - 4)/2) (Re conj(psi) d)^2 at a point.
PD_FN fft_real field_bent(PD_GPTR(const fft_real) tables, const field_point p, pd_u32 i, fft_pair x,
                          fft_pair d, const padic_k_field_record_params k)
{
    const fft_real density = field_density(x), along = x.re * d.re + x.im * d.im;
    fft_real more = FFT_ZERO;
    pd_u32 at = k.terms;
    for (pd_u32 left = k.powers; left > 0u && density > FFT_ZERO; left >>= 4u, at += 2u) {
        const fft_real power = field_power(density, (left & 15u) - 1u, tables[at + 1u]);
        const fft_real twice = tables[at + 1u] + tables[at + 1u];
        more += tables[at] * twice * (power / density);
    }
    return field_rate_at(tables, p, i, density, k) * field_density(d) + more * along * along;
}

// d, without what psi has of it, of the norm of psi; ld, which is -K Lap of d as it was (with
// rotation more), becomes L of it. Re <gradient|d>, half of E'' but for mu, |d|^2, Re <psi|d>.
PD_KERNEL(padic_k_field_ground_bend)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, l),
 PD_CBUF(field_word, gradient), PD_BUF(field_word, d), PD_BUF(field_word, ld),
 PD_CBUF(pd_u32, state), PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[4 * PD_WG];
    FIELD_GROUND_GROUP
    const fft_real scale = FIELD_REAL_OF(FIELD_SCALE);
    const fft_pair c = fft_pair_of(FIELD_REAL_OF(FIELD_RE), FIELD_REAL_OF(FIELD_IM));
    field_sum s0 = FIELD_SUM_ZERO, s1 = s0, s2 = s0, s3 = s0;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary);
        const fft_pair g = field_get(gradient, p.copy, k.apart);
        fft_pair z = field_less_of(field_get(d, p.copy, k.apart), c, x);
        fft_pair y = field_less_of(field_get(ld, p.copy, k.apart), c,
                                   field_get(l, p.copy, k.apart));
        z = fft_pair_of(scale * z.re, scale * z.im);
        y = fft_pair_of(scale * y.re, scale * y.im);
        field_put(d, p.copy, k.apart, z);
        field_put(ld, p.copy, k.apart, y);
        s0 = field_along(s0, g, z);
        s1 = field_sum_add(field_along(s1, z, y), field_sum_of(field_bent(tables, p, i, x, z, k)));
        s2 = field_along(s2, z, z);
        s3 = field_along(s3, x, z);
    }
    FIELD_HOLD(0u, s0)
    FIELD_HOLD(1u, s1)
    FIELD_HOLD(2u, s2)
    FIELD_HOLD(3u, s3)
    FIELD_LEAVE(4u, 4u)
}

// V |psi|^2 and the energy of the interaction at a point, 2 g / p of |psi|^p.
PD_FN fft_real field_energy_at(PD_GPTR(const fft_real) tables, fft_real v, fft_real density,
                               const padic_k_field_record_params k)
{
    fft_real sum = FFT_ZERO;
    pd_u32 at = k.terms;
    for (pd_u32 left = k.powers; left > 0u; left >>= 4u, at += 2u)
        sum += tables[at] / ((fft_real)1.0f + tables[at + 1u]) *
               field_power(density, (left & 15u) - 1u, tables[at + 1u]);
    return (v + sum) * density;
}

// Energies of c psi + s d.
#define FIELD_TRY(j)                                                                             \
    {                                                                                            \
        const fft_pair z = fft_pair_of(c##j * x.re + s##j * w.re, c##j * x.im + s##j * w.im);    \
        const fft_pair h = fft_pair_of(c##j * y.re + s##j * u.re, c##j * y.im + s##j * u.im);    \
        sum##j = field_sum_add(field_along(sum##j, z, h),                                        \
                               field_sum_of(field_energy_at(tables, v, field_density(z), k)));   \
    }
#define FIELD_ANGLE(j)                                               \
    const fft_real c##j = FIELD_REAL_OF(FIELD_TRIED + 2u * j##u);    \
    const fft_real s##j = FIELD_REAL_OF(FIELD_TRIED + 2u * j##u + 1u);

PD_KERNEL(padic_k_field_ground_arc)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, l),
 PD_CBUF(field_word, d), PD_CBUF(field_word, ld), PD_CBUF(pd_u32, state), PD_BUF(pd_u32, parts),
 PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[FIELD_ANGLES * PD_WG];
    FIELD_GROUND_GROUP
    FIELD_ANGLE(0)
    FIELD_ANGLE(1)
    FIELD_ANGLE(2)
    FIELD_ANGLE(3)
    field_sum sum0 = FIELD_SUM_ZERO, sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary), y = field_get(l, p.copy, k.apart);
        const fft_pair w = field_get(d, p.copy, k.apart), u = field_get(ld, p.copy, k.apart);
        const fft_real v = field_potential_at(tables, p, i, k);
        FIELD_TRY(0)
        FIELD_TRY(1)
        FIELD_TRY(2)
        FIELD_TRY(3)
    }
    FIELD_HOLD(0u, sum0)
    FIELD_HOLD(1u, sum1)
    FIELD_HOLD(2u, sum2)
    FIELD_HOLD(3u, sum3)
    FIELD_LEAVE(FIELD_ANGLES, FIELD_ANGLES)
}

// psi and L after the step; the norm, <psi|L>, the potential, <U>, the energy of the interaction;
// the largest density, minus the least U.
PD_KERNEL(padic_k_field_ground_move)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, l),
 PD_CBUF(field_word, d), PD_CBUF(field_word, ld), PD_CBUF(pd_u32, state), PD_BUF(pd_u32, parts),
 PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[7 * PD_WG];
    FIELD_GROUND_GROUP
    const fft_real c = FIELD_REAL_OF(FIELD_COS), s = FIELD_REAL_OF(FIELD_SIN);
    field_sum s0 = FIELD_SUM_ZERO, s1 = s0, s2 = s0, s3 = s0, s4 = s0;
    field_sum s5 = field_sum_single(FIELD_LEAST), s6 = s5;
    for (pd_u32 i = from + PD_LID; i < last; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        fft_pair x = field_get(psi, p.psi, k.imaginary), y = field_get(l, p.copy, k.apart);
        fft_real density, u, v;
        if (!k.what && s > FFT_ZERO) {
            const fft_pair w = field_get(d, p.copy, k.apart), z = field_get(ld, p.copy, k.apart);
            x = fft_pair_of(c * x.re + s * w.re, c * x.im + s * w.im);
            y = fft_pair_of(c * y.re + s * z.re, c * y.im + s * z.im);
            field_put(psi, p.psi, k.imaginary, x);
            field_put(l, p.copy, k.apart, y);
        }
        density = field_density(x);
        v = field_potential_at(tables, p, i, k);
        u = field_rate_at(tables, p, i, density, k);
        s0 = field_along(s0, x, x);
        s1 = field_along(s1, x, y);
        s2 = field_sum_add(s2, field_sum_product(v, density));
        s3 = field_sum_add(s3, field_sum_product(u, density));
        s4 = field_sum_add(s4, field_sum_of(field_energy_at(tables, FFT_ZERO, density, k)));
        s5 = field_sum_more(s5, field_sum_of(density));
        s6 = field_sum_more(s6, field_sum_of(-u));
    }
    FIELD_HOLD(0u, s0)
    FIELD_HOLD(1u, s1)
    FIELD_HOLD(2u, s2)
    FIELD_HOLD(3u, s3)
    FIELD_HOLD(4u, s4)
    FIELD_HOLD(5u, s5)
    FIELD_HOLD(6u, s6)
    FIELD_LEAVE(7u, 5u)
}

// ---- between them

#define FIELD_FLOW_SLOPE 1u
#define FIELD_FLOW_JUDGE 2u
#define FIELD_BEGIN 3u
#define FIELD_LOOK 4u
#define FIELD_JUDGE 5u
#define FIELD_TURN 6u
#define FIELD_MEASURE 7u
#define FIELD_AIM 8u
#define FIELD_CHOOSE 9u

PD_FN void field_decide(PD_LPTR(const field_sum) held, PD_GPTR(pd_u32) state,
                        PD_GPTR(fft_real) tables, pd_u32 field,
                        const padic_k_field_record_params k)
{
    const pd_u32 mine = field * k.places;
    if (k.what == FIELD_BEGIN) field_search_begin(held, state, mine, tables, field, k);
    else if (tables[k.skip + field] != FFT_ZERO) return;
    else if (k.what == FIELD_FLOW_SLOPE) field_flow_slope(held, state, mine, tables, field, k);
    else if (k.what == FIELD_FLOW_JUDGE) field_flow_judge(held, state, mine, tables, field, k);
    else if (k.what == FIELD_LOOK) field_search_look(held, state, mine, tables, field, k);
    else if (k.what == FIELD_JUDGE) field_search_judge(held, state, mine, tables, field, k);
    else if (k.what == FIELD_TURN) field_search_beta(held, state, mine);
    else if (k.what == FIELD_MEASURE) field_search_size(held, state, mine);
    else if (k.what == FIELD_AIM) field_search_angles(held, state, mine);
    else field_search_choose(held, state, mine);
}

PD_KERNEL(padic_k_field_ground_decide)
(PD_CBUF(pd_u32, parts), PD_BUF(pd_u32, state), PD_BUF(fft_real, tables),
 PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[8 * PD_WG];
    const pd_u32 field = PD_GRP, first = field * k.groups;
    for (pd_u32 j = 0u; j < k.sums; j++) {
        const pd_u32 place = j >= k.largest ? FIELD_MOST : 0u;
        field_sum sum = j < k.largest ? FIELD_SUM_ZERO : field_sum_single(FIELD_LEAST);
        for (pd_u32 i = PD_LID; i < k.groups; i += PD_WG)
            sum = field_sum_join(place, sum, field_sum_get(parts, j * k.fields + first + i));
        FIELD_HOLD(j, sum)
    }
    FIELD_GATHER(k.sums, k.largest)
    if (PD_LID == 0u) field_decide(held, state, tables, field, k);
}
