// source.cl: sources, read through the strides of their tensors, and the record of one.

#if PD_WAVE_MODE == 1
#define WAVE_ROW(i) order[kept[21] + (i)] // rows by frequency
#else
#define WAVE_ROW(i) (i)
#endif

typedef struct {
    pd_u32 count, dimensions, wide; // bits of `wide`: position, A, p, k, w, absorption are f64
    pd_u32 present;                 // the same bits
    pd_u32 base[6], step[6];        // in words, one for each tensor; step of two's complement
    pd_u32 step_axis;
    pd_f32 time_hi, time_lo;     // t/2pi, negated if outgoing
    pd_f32 late[4];              // the same to 96 bits, without frequencies c t/2pi
    pd_f32 speed_hi, speed_lo;   // c
    pd_f32 inverse_hi, inverse_lo; // 1/c
    pd_u32 order_base;             // in words
    // Only for padic_k_wave_small: listed points and their output, as in padic_k_wave_field_params;
    // 2^split items share a point.
    pd_u32 points, split, list_base, list_step, list_axis, list_wide, list_dimensions;
    pd_u32 out_base, out_step, output;
    pd_f32 tolerance, length;
} padic_k_wave_sources_params;

// k/2pi, and phase in turns; amplitude with the kernel's constant, absorption, error of w t (in
// turns).
typedef struct {
    pd_two x, y, z, number, turns;
    pd_f32 a, b, error;
} wave_source;

// The words of a source's number in a tensor, 0 if there is no tensor. All loads are issued before
// one is used, so that they overlap.
PD_FN pd_u32 wave_word(PD_GPTR(const pd_u32) from, pd_u32 at, pd_u32 there)
{
    return there ? from[at] : 0u;
}

// Adds a b, exactly and without whole turns.
PD_FN pd_two wave_late_add(pd_two sum, pd_f32 a, pd_f32 b)
{
    const pd_f32 p = a * b, e = PD_FMA(a, b, -p);
    return pd_two_add(sum, pd_two_sum(p - PD_RINT(p), e - PD_RINT(e)));
}

// A number of these words times t0 + t1 + t2 + t3, 24 bits each, modulo whole turns: to 46 bits of
// a turn up to 2^48 turns. A number too small or too large for words has a relative error of
// `error`.
PD_FN pd_two wave_late(pd_u32 low, pd_u32 high, pd_u32 wide, pd_f32 t0, pd_f32 t1, pd_f32 t2,
                       pd_f32 t3, pd_f32 *error)
{
    const pd_two whole = pd_two_words(low, high, wide);
    const pd_u32 e = (high >> 20) & 2047u;
    pd_f32 a = whole.hi, b = 0.0f, c = 0.0f;
    pd_two sum = pd_two_raw(0.0f, 0.0f);
    *error = 1e-27f;
    if (wide && e > 949u && e < 1151u) { // 24, 24 and 5 bits
        const pd_f32 unit = PD_AS_F32((high & 0x80000000u) | ((e - 948u) << 23));
        a = PD_AS_F32((high & 0x80000000u) | ((high & 0xfffffu) << 3) | (low >> 29) |
                      ((e - 896u) << 23));
        b = (pd_f32)(low & 0x1fffffe0u) * unit;
        c = (pd_f32)(low & 31u) * unit;
    } else if (wide) {
        *error = 6e-8f;
    }
    sum = wave_late_add(sum, a, t0);
    sum = wave_late_add(sum, a, t1);
    sum = wave_late_add(sum, a, t2);
    sum = wave_late_add(sum, a, t3);
    sum = wave_late_add(sum, b, t0);
    sum = wave_late_add(sum, b, t1);
    sum = wave_late_add(sum, b, t2);
    sum = wave_late_add(sum, c, t0);
    sum = wave_late_add(sum, c, t1);
    return wave_reduce(sum);
}

// Applies the kernel's constant to amplitude and phase.
PD_FN void wave_source_kernel(wave_source *s)
{
#if PD_WAVE_KERNEL == 1
    s->a *= 0.0795774715f; // 1/4pi
#elif PD_WAVE_KERNEL == 2
    s->a *= 0.25f; // i/4, -i/4 for k < 0
    s->turns = pd_two_add(s->turns, pd_two_of((s->number.hi < 0.0f) ? -0.25f : 0.25f, 0.0f));
#elif PD_WAVE_KERNEL == 3
    s->a *= 0.0795774715f / s->number.hi; // i/2k
    s->turns = pd_two_add(s->turns, pd_two_of(0.25f, 0.0f));
#else
    (void)s;
#endif
}

PD_FN wave_source wave_source_of(PD_GPTR(const pd_u32) position, PD_GPTR(const pd_u32) amplitude,
                                 PD_GPTR(const pd_u32) phase, PD_GPTR(const pd_u32) wavenumber,
                                 PD_GPTR(const pd_u32) frequency,
                                 PD_GPTR(const pd_u32) absorption, pd_u32 m,
                                 padic_k_wave_sources_params k)
{
    const pd_u32 wide = k.wide & 1u, both = k.wide & k.present, at0 = k.base[0] + m * k.step[0];
    const pd_u32 at1 = k.base[1] + m * k.step[1], at2 = k.base[2] + m * k.step[2];
    const pd_u32 at3 = k.base[3] + m * k.step[3], at4 = k.base[4] + m * k.step[4];
    const pd_u32 at5 = k.base[5] + m * k.step[5];
    const pd_u32 y = (k.dimensions > 1u) ? 1u : 0u, z = (k.dimensions > 2u) ? 1u : 0u;
    const pd_u32 x0 = wave_word(position, at0, k.dimensions);
    const pd_u32 y0 = wave_word(position, at0 + k.step_axis, y);
    const pd_u32 z0 = wave_word(position, at0 + 2u * k.step_axis, z);
    const pd_u32 a0 = wave_word(amplitude, at1, k.present & 2u);
    const pd_u32 p0 = wave_word(phase, at2, k.present & 4u);
    const pd_u32 k0 = wave_word(wavenumber, at3, k.present & 8u);
    const pd_u32 w0 = wave_word(frequency, at4, k.present & 16u);
    const pd_u32 b0 = wave_word(absorption, at5, k.present & 32u);
    const pd_u32 x1 = wave_word(position, at0 + 1u, wide);
    const pd_u32 y1 = wave_word(position, at0 + k.step_axis + 1u, wide & y);
    const pd_u32 z1 = wave_word(position, at0 + 2u * k.step_axis + 1u, wide & z);
    const pd_u32 a1 = wave_word(amplitude, at1 + 1u, both & 2u);
    const pd_u32 p1 = wave_word(phase, at2 + 1u, both & 4u);
    const pd_u32 k1 = wave_word(wavenumber, at3 + 1u, both & 8u);
    const pd_u32 w1 = wave_word(frequency, at4 + 1u, both & 16u);
    const pd_u32 b1 = wave_word(absorption, at5 + 1u, both & 32u);
    const pd_two over = pd_two_raw(0.159154937f, 6.42063833e-9f); // 1/2pi
    wave_source s;
    pd_two rate;
    s.x = pd_two_words(x0, x1, wide);
    s.y = pd_two_words(y0, y1, wide);
    s.z = pd_two_words(z0, z1, wide);
    s.a = (k.present & 2u) ? pd_two_words(a0, a1, both & 2u).hi : 1.0f;
    s.b = pd_two_words(b0, b1, both & 32u).hi;
    s.number = pd_two_words(k0, k1, both & 8u);
    rate = pd_two_words(w0, w1, both & 16u);
    if (!(k.present & 8u)) s.number = pd_two_mul(rate, pd_two_raw(k.inverse_hi, k.inverse_lo));
    if (!(k.present & 16u)) rate = pd_two_mul(s.number, pd_two_raw(k.speed_hi, k.speed_lo));
    s.number = pd_two_mul(s.number, over);
    s.turns = pd_two_mul(pd_two_words(p0, p1, both & 4u), over);
    rate = pd_two_mul(rate, pd_two_raw(k.time_hi, k.time_lo));
    s.error = 4e-14f * (PD_FABS(rate.hi) + PD_FABS(s.turns.hi));
    if (s.error > 4e-11f) { // large times: more words
        const pd_u32 of = (k.present & 16u) ? 16u : 8u;
        const pd_f32 much = PD_FABS(rate.hi), more = PD_FABS(s.turns.hi);
        pd_f32 left;
        rate = wave_late((of == 16u) ? w0 : k0, (of == 16u) ? w1 : k1, both & of, k.late[0],
                         k.late[1], k.late[2], k.late[3], &left);
        s.error = left * much;
        s.turns = wave_late(p0, p1, both & 4u, 1.591549367e-01f, 6.420638243e-09f, 7.342738037e-17f,
                            8.135948500e-24f, &left);
        s.error = PD_FMA(left, more, s.error);
    }
    s.turns = pd_two_add(wave_reduce(rate), wave_reduce(s.turns));
    wave_source_kernel(&s);
    s.turns = wave_reduce(s.turns);
    return s;
}

// Params needed late, in local memory: scalar registers are scarce on some chips.
PD_FN void wave_keep(padic_k_wave_sources_params k, PD_LPTR(pd_u32) kept)
{
    kept[0] = k.base[0];
    kept[1] = k.base[1];
    kept[2] = k.base[2];
    kept[3] = k.base[3];
    kept[4] = k.base[4];
    kept[5] = k.base[5];
    kept[6] = k.step[0];
    kept[7] = k.step[1];
    kept[8] = k.step[2];
    kept[9] = k.step[3];
    kept[10] = k.step[4];
    kept[11] = k.step[5];
    kept[12] = k.step_axis;
    kept[13] = k.wide;
    kept[14] = k.dimensions;
    kept[15] = PD_AS_U32(k.time_hi);
    kept[16] = PD_AS_U32(k.time_lo);
    kept[17] = PD_AS_U32(k.speed_hi);
    kept[18] = PD_AS_U32(k.speed_lo);
    kept[19] = PD_AS_U32(k.inverse_hi);
    kept[20] = PD_AS_U32(k.inverse_lo);
    kept[21] = k.order_base;
    kept[27] = PD_AS_U32(k.late[0]);
    kept[28] = PD_AS_U32(k.late[1]);
    kept[29] = PD_AS_U32(k.late[2]);
    kept[30] = PD_AS_U32(k.late[3]);
}

// The params with those from there.
PD_FN padic_k_wave_sources_params wave_keeps(padic_k_wave_sources_params k,
                                             PD_LPTR(const pd_u32) kept)
{
    padic_k_wave_sources_params own = k;
    WAVE_UNROLL
    for (pd_u32 j = 0u; j < 6u; j++) {
        own.base[j] = kept[j];
        own.step[j] = kept[6u + j];
    }
    own.step_axis = kept[12];
    own.wide = kept[13];
    own.dimensions = kept[14];
    own.time_hi = PD_AS_F32(kept[15]);
    own.time_lo = PD_AS_F32(kept[16]);
    own.speed_hi = PD_AS_F32(kept[17]);
    own.speed_lo = PD_AS_F32(kept[18]);
    own.inverse_hi = PD_AS_F32(kept[19]);
    own.inverse_lo = PD_AS_F32(kept[20]);
    own.order_base = kept[21];
    own.late[0] = PD_AS_F32(kept[27]);
    own.late[1] = PD_AS_F32(kept[28]);
    own.late[2] = PD_AS_F32(kept[29]);
    own.late[3] = PD_AS_F32(kept[30]);
    return own;
}

// 13 words per source, all first words first: position (3 x 2), k/2pi (2), phase in turns (2),
// amplitude, absorption, error.
PD_KERNEL(padic_k_wave_sources)
(PD_CBUF(pd_u32, position), PD_CBUF(pd_u32, amplitude), PD_CBUF(pd_u32, phase),
 PD_CBUF(pd_u32, wavenumber), PD_CBUF(pd_u32, frequency), PD_CBUF(pd_u32, absorption),
 PD_CBUF(pd_u32, order), PD_BUF(pd_f32, record), PD_PARAMS(padic_k_wave_sources_params, k))
{
    PD_LOCAL pd_u32 kept[32];
    if (PD_LID == 0u) wave_keep(k, kept);
    PD_BARRIER();
    for (pd_u32 i = PD_GID; i < k.count; i += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 n = k.count;
        const wave_source s = wave_source_of(position, amplitude, phase, wavenumber, frequency,
                                             absorption, WAVE_ROW(i), wave_keeps(k, kept));
        record[i] = s.x.hi;
        record[n + i] = s.x.lo;
        record[2u * n + i] = s.y.hi;
        record[3u * n + i] = s.y.lo;
        record[4u * n + i] = s.z.hi;
        record[5u * n + i] = s.z.lo;
        record[6u * n + i] = s.number.hi;
        record[7u * n + i] = s.number.lo;
        record[8u * n + i] = s.turns.hi;
        record[9u * n + i] = s.turns.lo;
        record[10u * n + i] = s.a;
        record[11u * n + i] = s.b;
        record[12u * n + i] = s.error;
    }
    (void)order;
}
