// @per-level
#if !defined(PADIC_NO_FFT) && PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4

// Lines in f32 as matrices whose rows have 16 elements, each of them 4 x 4: these stay in
// registers, and lines of 4 or 8 rows altogether.

// Four vectors and their four blocks change places; four vectors and the lanes of each block.
PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_blocks)(PADICI_V *v)
{
    const PADICI_V a = _mm512_shuffle_f32x4(v[0], v[1], 0x44);
    const PADICI_V b = _mm512_shuffle_f32x4(v[0], v[1], 0xee);
    const PADICI_V c = _mm512_shuffle_f32x4(v[2], v[3], 0x44);
    const PADICI_V d = _mm512_shuffle_f32x4(v[2], v[3], 0xee);
    v[0] = _mm512_shuffle_f32x4(a, c, 0x88);
    v[1] = _mm512_shuffle_f32x4(a, c, 0xdd);
    v[2] = _mm512_shuffle_f32x4(b, d, 0x88);
    v[3] = _mm512_shuffle_f32x4(b, d, 0xdd);
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_lanes)(PADICI_V *v)
{
    const PADICI_V a = _mm512_unpacklo_ps(v[0], v[1]), b = _mm512_unpackhi_ps(v[0], v[1]);
    const PADICI_V c = _mm512_unpacklo_ps(v[2], v[3]), d = _mm512_unpackhi_ps(v[2], v[3]);
    v[0] = _mm512_shuffle_ps(a, c, 0x44);
    v[1] = _mm512_shuffle_ps(a, c, 0xee);
    v[2] = _mm512_shuffle_ps(b, d, 0x44);
    v[3] = _mm512_shuffle_ps(b, d, 0xee);
}

// Four rows of 16, element 4 a + b in lane b of block a: element c + 4 d of row k comes to lane c
// of block k of number d.
PADICI_TARGET PADICI_INLINE void PADICI_HK(rows_of_16)(PADICI_NUMBER *x)
{
    static const float w[3][2][4] = { // exp(-2 pi i b c / 16), c = 1 to 3
        {{1, 0.92387953251f, 0.70710678119f, 0.38268343236f},
         {0, -0.38268343236f, -0.70710678119f, -0.92387953251f}},
        {{1, 0.70710678119f, 0, -0.70710678119f}, {0, -0.70710678119f, -1, -0.70710678119f}},
        {{1, 0.38268343236f, -0.70710678119f, -0.92387953251f},
         {0, -0.92387953251f, -0.70710678119f, 0.38268343236f}}};
    PADICI_V re[4], im[4];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) re[i] = x[i].re, im[i] = x[i].im;
    PADICI_HK(turn_blocks)(re);
    PADICI_HK(turn_blocks)(im);
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) x[i].re = re[i], x[i].im = im[i];
    PADICI_HK(four)(x, x + 1, x + 2, x + 3);
    PADICI_UNROLL_ALL
    for (i = 1; i < 4; i++)
        x[i] = PADICI_HK(times)(x[i], _mm512_broadcast_f32x4(_mm_loadu_ps(w[i - 1][0])),
                                _mm512_broadcast_f32x4(_mm_loadu_ps(w[i - 1][1])));
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) re[i] = x[i].re, im[i] = x[i].im;
    PADICI_HK(turn_lanes)(re);
    PADICI_HK(turn_lanes)(im);
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) x[i].re = re[i], x[i].im = im[i];
    PADICI_HK(four)(x, x + 1, x + 2, x + 3);
}

// Numbers of rows_of_16() to where `rows` rows of a line begin whose matrix has n1: element k2 of
// row k is number k + n1 k2.
PADICI_TARGET PADICI_INLINE void PADICI_HK(put_rows)(uint32_t rows, uint32_t swapped,
                                                     PADICI_V scale, PADICI_NUMBER *x,
                                                     PADICI_REAL *out, size_t n1)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 4, 20, 8, 24, 12, 28, 1, 17, 5, 21, 9, 25, 13,
                                            29);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(2));
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < rows; i++) {
        x[i].re = PADICI_MUL(scale, x[i].re);
        x[i].im = PADICI_MUL(scale, x[i].im);
        x[i] = PADICI_HK(swapped)(x[i], swapped);
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) {
        const PADICI_V a = _mm512_permutex2var_ps(x[i].re, first, x[i].im);
        const PADICI_V b = _mm512_permutex2var_ps(x[i].re, second, x[i].im);
        PADICI_REAL *to = out + 8 * i * n1;
        if (rows == 4) {
            PADICI_STORE(to, a);
            PADICI_STORE(to + PADICI_LANES, b);
        } else {
            const PADICI_V c = _mm512_permutex2var_ps(x[i + 4].re, first, x[i + 4].im);
            const PADICI_V d = _mm512_permutex2var_ps(x[i + 4].re, second, x[i + 4].im);
            PADICI_STORE(to, _mm512_shuffle_f32x4(a, c, 0x44));
            PADICI_STORE(to + 2 * n1, _mm512_shuffle_f32x4(a, c, 0xee));
            PADICI_STORE(to + 4 * n1, _mm512_shuffle_f32x4(b, d, 0x44));
            PADICI_STORE(to + 6 * n1, _mm512_shuffle_f32x4(b, d, 0xee));
        }
    }
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(twiddled)(PADICI_NUMBER x, const PADICI_REAL *w)
{
    return PADICI_HK(times)(x, PADICI_LOAD(w), PADICI_LOAD(w + PADICI_LANES));
}

// Lines of 4 or 8 rows.
PADICI_TARGET PADICI_INLINE void PADICI_HK(whole_of)(uint32_t rows, uint32_t swapped,
                                                     const padici_fft_whole_line *line)
{
    const PADICI_REAL *in = (const PADICI_REAL *)line->in;
    const PADICI_REAL *w = (const PADICI_REAL *)line->twiddle;
    PADICI_NUMBER x[8];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < rows; i++)
        x[i] = PADICI_HK(swapped)(PADICI_HK(get_pairs)(in + i * PADICI_VECTOR, PADICI_LANES),
                                  swapped);
    PADICI_HK(dft)(rows, x);
    PADICI_UNROLL_ALL
    for (i = 1; i < rows; i++) x[i] = PADICI_HK(twiddled)(x[i], w + i * PADICI_VECTOR);
    PADICI_HK(rows_of_16)(x);
    if (rows == 8) PADICI_HK(rows_of_16)(x + 4);
    PADICI_HK(put_rows)(rows, swapped, PADICI_SET((PADICI_REAL)line->scale), x,
                        (PADICI_REAL *)line->out, rows);
}

// The rows of a line whose columns are done, as a block of 16 lines.
PADICI_TARGET PADICI_INLINE void PADICI_HK(rows_of)(uint32_t swapped,
                                                    const padici_fft_whole_line *line)
{
    const PADICI_REAL *in = (const PADICI_REAL *)line->in;
    const PADICI_REAL *w = (const PADICI_REAL *)line->twiddle;
    const size_t n1 = (size_t)line->n / 16;
    size_t row;
    uint32_t i;
    for (row = 0; row < n1; row += 8, in += 8 * PADICI_VECTOR, w += 8 * PADICI_VECTOR) {
        PADICI_NUMBER x[8];
        PADICI_UNROLL_ALL
        for (i = 0; i < 8; i++)
            x[i] = PADICI_HK(twiddled)(PADICI_HK(get)(in + i * PADICI_VECTOR),
                                       w + i * PADICI_VECTOR);
        PADICI_HK(rows_of_16)(x);
        PADICI_HK(rows_of_16)(x + 4);
        PADICI_HK(put_rows)(8, swapped, PADICI_SET((PADICI_REAL)line->scale), x,
                            (PADICI_REAL *)line->out + 2 * row, n1);
    }
}

PADICI_TARGET static void PADICI_HK(whole)(const padici_fft_whole_line *line)
{
    if (line->n > 128 && line->swapped) PADICI_HK(rows_of)(1, line);
    else if (line->n > 128) PADICI_HK(rows_of)(0, line);
    else if (line->n == 64 && line->swapped) PADICI_HK(whole_of)(4, 1, line);
    else if (line->n == 64) PADICI_HK(whole_of)(4, 0, line);
    else if (line->swapped) PADICI_HK(whole_of)(8, 1, line);
    else PADICI_HK(whole_of)(8, 0, line);
}

#endif
