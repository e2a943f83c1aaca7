// program: field_points
// texts: ../fft/pair.cl number.cl exponent.cl local.cl beside.cl cayley.cl
// points.cl: steps whose Laplacian is of differences, and what a step does at each point.
//
// An item has the points of a column: one place in the plane of axes 1 and 2, some neighbouring
// ones along axis 0, so that it finds its way but once and reads most of that axis' neighbours but
// once. Groups along y take such slabs in turn, groups along z the fields of a batch.
//
// variant: PD_FIELD_PLANAR=1
// variant: PD_FIELD_ABSORBER=1 PD_FIELD_POWERS=1
// variant: PD_FIELD_RECORDS=1
#define FIELD_BEGIN 1u // stages: the sum is that of psi, not of `sum`
#define FIELD_END 2u   // and goes to psi, and there is no further stage
#define FIELD_IN 4u    // decay: what is read, the density's field, what is written are arrays of
#define FIELD_OF 8u    // the call's own, not psi
#define FIELD_OUT 16u

// Places count complex numbers, planar ones reals; tables and the grid's arrays reals. Arrays of
// the call's own are dense, their imaginary parts `apart` after the real ones where psi is planar.
typedef struct {
    pd_u32 n[3], depth, walls; // points of a column; 2 bits an axis
    pd_u32 psi_base, psi_imaginary, psi_step[3], psi_field;
    pd_u32 in_base, in_imaginary, in_step[3], in_field; // where neighbours are
    pd_u32 points, apart;
    pd_u32 trap[3], potential, absorber, grid; // grid: 0 if both are none
    pd_u32 terms, powers;
    pd_u32 scale[6];              // K/h^2 of each axis; f64: two halves each
    pd_u32 time[2], rate[2], add[2];
    pd_u32 flags, part;           // part: 1 imaginary
    pd_u32 step[2], seed[2];
    pd_u32 stop;                  // RECORDS: flags, such a field stays as it is
} padic_k_field_points_params;

// An item's column; where its first point lies.
typedef struct {
    pd_u32 there, i1, i2, first, end, field, dense;
} field_column;

PD_FN field_column field_column_of(PD_GPTR(const fft_real) tables,
                                   const padic_k_field_points_params k)
{
    const pd_u32 j = PD_GID;
    field_column c;
    c.there = j < k.n[1] * k.n[2];
#if PD_FIELD_RECORDS
    if (tables[k.stop + PD_GRP_Z] != FFT_ZERO) c.there = 0u;
#endif
    (void)tables;
    c.i1 = j / k.n[2];
    c.i2 = j - c.i1 * k.n[2];
    c.first = PD_GRP_Y * k.depth;
    c.end = c.there ? (c.first + k.depth < k.n[0] ? c.first + k.depth : k.n[0]) : c.first;
    c.field = PD_GRP_Z;
    c.dense = c.first * k.n[1] * k.n[2] + j;
    return c;
}

PD_FN pd_u32 field_psi_at(const field_column c, const padic_k_field_points_params k)
{
    return k.psi_base + c.field * k.psi_field + c.first * k.psi_step[0] + c.i1 * k.psi_step[1] +
           c.i2 * k.psi_step[2];
}

PD_FN pd_u32 field_in_at(const field_column c, const padic_k_field_points_params k)
{
    return k.in_base + c.field * k.in_field + c.first * k.in_step[0] + c.i1 * k.in_step[1] +
           c.i2 * k.in_step[2];
}

// The potential at a point, without what the interaction adds.
PD_FN fft_real field_potential(PD_GPTR(const fft_real) tables, const field_column c, pd_u32 i0,
                               pd_u32 dense, const padic_k_field_points_params k)
{
    return tables[k.trap[0] + i0] + tables[k.trap[1] + c.i1] + tables[k.trap[2] + c.i2] +
           tables[k.potential + dense * k.grid];
}

#define FIELD_BESIDE(axis, i, step)                                                   \
    field_beside_of((i), k.n[axis], (step)[axis], k.walls >> 2u * (axis)&3u,          \
                    FIELD_REAL(k.scale + 2 * (axis)))

// 2 K sum_a 1/h_a^2.
PD_FN fft_real field_middle(const padic_k_field_points_params k)
{
    const fft_real sum =
        FIELD_REAL(k.scale) + FIELD_REAL(k.scale + 2) + FIELD_REAL(k.scale + 4);
    return sum + sum;
}

// ---- LEAPFROG2: a part by the other one's derivatives

#if PD_FIELD_PLANAR
#define FIELD_PART(at, part) ((at) + (part)*k.psi_imaginary)
#else
#define FIELD_PART(at, part) (2u * (at) + (part))
#endif

// A part after a time, with the density of the mean of old and new, by two corrections. lap: the
// other part's kinetic term.
PD_FN fft_real field_kicked(PD_GPTR(const fft_real) tables, fft_real old, fft_real other,
                            fft_real lap, fft_real v, const padic_k_field_points_params k)
{
    const fft_real time = FIELD_REAL(k.time), middle = FFT_NUMBER(0.5f, 0x3fe00000u, 0u);
    fft_real fresh = old;
    for (pd_u32 round = 0u; round < 3u; round++) {
        const fft_real mean = (old + fresh) * middle;
        const fft_real density = mean * mean + other * other;
        const fft_real u = v + field_terms(tables, density, FFT_ZERO, FFT_ZERO, k.terms, k.powers);
        fresh = old + time * (lap + u * other);
    }
    return fresh;
}

// Neighbours are of the other part, which stays as it is.
PD_KERNEL(padic_k_field_points_kick)
(PD_CBUF(fft_real, tables), PD_BUF(fft_real, psi), PD_PARAMS(padic_k_field_points_params, k))
{
    const field_column c = field_column_of(tables, k);
    const field_beside b1 = FIELD_BESIDE(1, c.i1, k.psi_step);
    const field_beside b2 = FIELD_BESIDE(2, c.i2, k.psi_step);
    const fft_real middle = field_middle(k);
    const pd_u32 other = 1u - k.part;
    pd_u32 at = field_psi_at(c, k), dense = c.dense;
    fft_real here = FFT_ZERO, below = FFT_ZERO;
    if (c.first < c.end) {
        const field_beside b0 = FIELD_BESIDE(0, c.first, k.psi_step);
        here = psi[FIELD_PART(at, other)];
        below = psi[FIELD_PART(at + b0.down, other)];
    }
    for (pd_u32 i0 = c.first; i0 < c.end; i0++) {
        const field_beside b0 = FIELD_BESIDE(0, i0, k.psi_step);
        const fft_real above = psi[FIELD_PART(at + b0.up, other)];
        fft_real lap = middle * here - b0.up_scale * above - b0.down_scale * below;
        lap = lap - b1.up_scale * psi[FIELD_PART(at + b1.up, other)] -
              b1.down_scale * psi[FIELD_PART(at + b1.down, other)];
        lap = lap - b2.up_scale * psi[FIELD_PART(at + b2.up, other)] -
              b2.down_scale * psi[FIELD_PART(at + b2.down, other)];
        psi[FIELD_PART(at, k.part)] =
            field_kicked(tables, psi[FIELD_PART(at, k.part)], here, lap,
                         field_potential(tables, c, i0, dense, k), k);
        below = here;
        here = above;
        at += k.psi_step[0];
        dense += k.n[1] * k.n[2];
    }
}

// ---- RK4, LEGACY_EULER

PD_FN fft_pair field_less(fft_pair a, fft_real scale, fft_pair b)
{
    return fft_pair_of(a.re - scale * b.re, a.im - scale * b.im);
}

// (-i H - W) of x, lap: -K Lap of it.
PD_FN fft_pair field_rate(PD_GPTR(const fft_real) tables, fft_pair x, fft_pair lap, fft_real v,
                          pd_u32 dense, const padic_k_field_points_params k)
{
    const fft_real u = v + field_terms(tables, x.re * x.re + x.im * x.im, FFT_ZERO, FFT_ZERO,
                                       k.terms, k.powers);
#if PD_FIELD_ABSORBER
    const fft_real w = tables[k.absorber + dense];
#else
    const fft_real w = FFT_ZERO;
#endif
    (void)dense;
    return fft_pair_of(lap.im + u * x.im - w * x.re, -(lap.re + u * x.re) - w * x.im);
}

// f = -i H - W of `in`: the sum gets time f, the next stage is psi + add f.
PD_KERNEL(padic_k_field_points_stage)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, in), PD_BUF(field_word, psi),
 PD_BUF(field_word, sum), PD_BUF(field_word, next), PD_PARAMS(padic_k_field_points_params, k))
{
    const field_column c = field_column_of(tables, k);
    const field_beside b1 = FIELD_BESIDE(1, c.i1, k.in_step);
    const field_beside b2 = FIELD_BESIDE(2, c.i2, k.in_step);
    const fft_real middle = field_middle(k);
    const pd_u32 imaginary = k.in_imaginary;
    pd_u32 at = field_in_at(c, k), own = field_psi_at(c, k), dense = c.dense;
    fft_pair here = fft_pair_of(FFT_ZERO, FFT_ZERO), below = here;
    if (c.first < c.end) {
        const field_beside b0 = FIELD_BESIDE(0, c.first, k.in_step);
        here = field_get(in, at, imaginary);
        below = field_get(in, at + b0.down, imaginary);
    }
    for (pd_u32 i0 = c.first; i0 < c.end; i0++) {
        const field_beside b0 = FIELD_BESIDE(0, i0, k.in_step);
        const fft_pair above = field_get(in, at + b0.up, imaginary);
        const pd_u32 place = c.field * k.points + dense;
        fft_pair lap = fft_pair_of(middle * here.re, middle * here.im), f, total = here;
        lap = field_less(lap, b0.up_scale, above);
        lap = field_less(lap, b0.down_scale, below);
        lap = field_less(lap, b1.up_scale, field_get(in, at + b1.up, imaginary));
        lap = field_less(lap, b1.down_scale, field_get(in, at + b1.down, imaginary));
        lap = field_less(lap, b2.up_scale, field_get(in, at + b2.up, imaginary));
        lap = field_less(lap, b2.down_scale, field_get(in, at + b2.down, imaginary));
        f = field_rate(tables, here, lap, field_potential(tables, c, i0, dense, k), dense, k);
        if (!(k.flags & FIELD_BEGIN)) total = field_get(sum, place, k.apart);
        total = fft_pair_of(total.re + FIELD_REAL(k.time) * f.re,
                            total.im + FIELD_REAL(k.time) * f.im);
        if (k.flags & FIELD_END) {
            field_put(psi, own, k.psi_imaginary, total);
        } else {
            const fft_pair now = field_get(psi, own, k.psi_imaginary);
            field_put(sum, place, k.apart, total);
            field_put(next, place, k.apart,
                      fft_pair_of(now.re + FIELD_REAL(k.add) * f.re,
                                  now.im + FIELD_REAL(k.add) * f.im));
        }
        below = here;
        here = above;
        at += k.in_step[0];
        own += k.psi_step[0];
        dense += k.n[1] * k.n[2];
    }
}

// ---- what happens to each point by itself

#define FIELD_EACH_POINT                                                                      \
    const field_column c = field_column_of(tables, k);                                        \
    pd_u32 at = field_psi_at(c, k), dense = c.dense;                                          \
    for (pd_u32 i0 = c.first; i0 < c.end; i0++, at += k.psi_step[0], dense += k.n[1] * k.n[2])

// psi times the phase of U over `time`; `rate` is -time / 2 pi.
PD_KERNEL(padic_k_field_points_phase)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_points_params, k))
{
    FIELD_EACH_POINT
    {
        const fft_pair x = field_get(psi, at, k.psi_imaginary);
        fft_real u = field_potential(tables, c, i0, dense, k);
        fft_pair y;
#if PD_FIELD_ABSORBER
        const fft_real w = tables[k.absorber + dense];
        const fft_real loss = field_exp(-FIELD_REAL(k.time) * w);
#else
        const fft_real w = FFT_ZERO;
#endif
        u += field_terms(tables, x.re * x.re + x.im * x.im, w, FIELD_REAL(k.time), k.terms,
                         k.powers);
        y = fft_mul(x, field_turn(u * FIELD_REAL(k.rate)));
#if PD_FIELD_ABSORBER
        y = fft_pair_of(y.re * loss, y.im * loss);
#endif
        field_put(psi, at, k.psi_imaginary, y);
    }
}

// psi times e^(-W time).
PD_KERNEL(padic_k_field_points_fade)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_points_params, k))
{
    FIELD_EACH_POINT
    {
        const fft_pair x = field_get(psi, at, k.psi_imaginary);
        const fft_real loss = field_exp(-FIELD_REAL(k.time) * tables[k.absorber + dense]);
        field_put(psi, at, k.psi_imaginary, fft_pair_of(x.re * loss, x.im * loss));
    }
}

// out = in e^(-time (U - add)), U with the density of `of`.
PD_KERNEL(padic_k_field_points_decay)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, in), PD_CBUF(field_word, of),
 PD_BUF(field_word, out), PD_PARAMS(padic_k_field_points_params, k))
{
    FIELD_EACH_POINT
    {
        const pd_u32 place = c.field * k.points + dense;
        const fft_pair x = (k.flags & FIELD_IN) ? field_get(in, place, k.apart)
                                                : field_get(in, at, k.psi_imaginary);
        const fft_pair y = (k.flags & FIELD_OF) ? field_get(of, place, k.apart)
                                                : field_get(of, at, k.psi_imaginary);
        const fft_real u =
            field_potential(tables, c, i0, dense, k) - FIELD_REAL(k.add) +
            field_terms(tables, y.re * y.re + y.im * y.im, FFT_ZERO, FFT_ZERO, k.terms, k.powers);
        const fft_real factor = field_exp(-FIELD_REAL(k.time) * u);
        const fft_pair z = fft_pair_of(factor * x.re, factor * x.im);
        if (k.flags & FIELD_OUT) field_put(out, place, k.apart, z);
        else field_put(out, at, k.psi_imaginary, z);
    }
}

// A dense copy of psi.
PD_KERNEL(padic_k_field_points_copy)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_BUF(field_word, out),
 PD_PARAMS(padic_k_field_points_params, k))
{
    FIELD_EACH_POINT
    {
        field_put(out, c.field * k.points + dense, k.apart, field_get(psi, at, k.psi_imaginary));
        (void)i0;
    }
}

PD_KERNEL(padic_k_field_points_cayley)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, work),
 PD_PARAMS(padic_k_field_points_line_params, k))
{
    field_cayley(tables, psi, work, k);
}

// ---- noise

typedef struct {
    pd_u32 a, b, c, d;
} field_words;

// Philox4x32-10.
PD_FN field_words field_philox(field_words w, pd_u32 k0, pd_u32 k1)
{
    pd_u32 a = w.a, b = w.b, c = w.c, d = w.d;
    field_words out;
    for (pd_u32 round = 0u; round < 10u; round++) {
        const pd_u32 p = PD_MULHI32(0xd2511f53u, a), q = PD_MULHI32(0xcd9e8d57u, c);
        const pd_u32 p_low = 0xd2511f53u * a, q_low = 0xcd9e8d57u * c;
        a = q ^ b ^ k0;
        c = p ^ d ^ k1;
        b = q_low;
        d = p_low;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out.a = a;
    out.b = b;
    out.c = c;
    out.d = d;
    return out;
}

// -log(1 - m / 2^53).
PD_FN fft_real field_rare(pd_u64 m)
{
    const pd_u64 one = (pd_u64)1u << 53;
#if PD_FFT_F64
    return -field_log((pd_f64)(pd_i64)(one - m) * FFT_NUMBER(0.0f, 0x3ca00000u, 0u));
#else
    const pd_f32 scale = PD_AS_F32(0x25000000u); // 2^-53
    const pd_f32 small = (pd_f32)m * scale, sum = 1.0f - small;
    if (m > one >> 1) return -field_log((pd_f32)(one - m) * scale);
    if (sum == 1.0f) return small;
    return -field_log(sum) * (small / (1.0f - sum)); // the rounding of the sum cancels (Kahan)
#endif
}

// psi += add sqrt(-log(1 - u)) exp(2 pi i v), u and v of the point's words (Box, Muller).
PD_KERNEL(padic_k_field_points_noise)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_points_params, k))
{
    FIELD_EACH_POINT
    {
        const fft_pair x = field_get(psi, at, k.psi_imaginary);
        field_words w;
        fft_real size;
        fft_pair turn;
        w.a = dense;
        w.b = k.step[0];
        w.c = k.step[1];
        w.d = c.field;
        w = field_philox(w, k.seed[0], k.seed[1]);
        size = field_rare(PD_U64(w.a, w.b) >> 11);
#if PD_FFT_F64
        size = PD_SQRT64(size) * FIELD_REAL(k.add);
        turn = field_turn((pd_f64)(pd_i64)(PD_U64(w.c, w.d) >> 11) *
                          FFT_NUMBER(0.0f, 0x3ca00000u, 0u));
#else
        size = PD_SQRT(size) * FIELD_REAL(k.add);
        turn = field_turn((pd_f32)(PD_U64(w.c, w.d) >> 11) * PD_AS_F32(0x25000000u));
#endif
        field_put(psi, at, k.psi_imaginary,
                  fft_pair_of(x.re + size * turn.re, x.im + size * turn.im));
        (void)i0;
    }
}
