// butterfly.cl: sums over a few complex numbers, x_k = sum_j x_j exp(-2 pi i j k / R), in place,
// R = 2, 3, 4, 5, 7, 8 and 16.

// Number i of a table.
PD_FN fft_pair fft_table(PD_GPTR(const fft_real) tables, pd_u32 i)
{
    fft_pair x;
    FFT_LOAD_TWO(x.re, x.im, tables + 2u * i);
    return x;
}

// Elements a and b.
PD_FN void fft_two(fft_real *re, fft_real *im, pd_u32 a, pd_u32 b)
{
    const fft_real x = re[a], y = im[a];
    re[a] = x + re[b];
    im[a] = y + im[b];
    re[b] = x - re[b];
    im[b] = y - im[b];
}

PD_FN void fft_exchange(fft_real *re, fft_real *im, pd_u32 a, pd_u32 b)
{
    const fft_real x = re[a], y = im[a];
    re[a] = re[b];
    im[a] = im[b];
    re[b] = x;
    im[b] = y;
}

// Element a times -i.
PD_FN void fft_turn(fft_real *re, fft_real *im, pd_u32 a)
{
    const fft_real x = re[a];
    re[a] = im[a];
    im[a] = -x;
}

// Elements a to d: sum k where element k was.
PD_FN void fft_four(fft_real *re, fft_real *im, pd_u32 a, pd_u32 b, pd_u32 c, pd_u32 d)
{
    fft_two(re, im, a, c);
    fft_two(re, im, b, d);
    fft_turn(re, im, d);
    fft_two(re, im, a, b); // sums 0 and 2
    fft_two(re, im, c, d); // sums 1 and 3
    fft_exchange(re, im, b, c);
}

PD_FN void fft_eight(fft_real *re, fft_real *im)
{
    const fft_real h = FFT_NUMBER(0.707106781f, 0x3fe6a09eu, 0x667f3bcdu); // sqrt(1/2)
    fft_real x, y;
    fft_four(re, im, 0u, 2u, 4u, 6u);
    fft_four(re, im, 1u, 3u, 5u, 7u);
    x = re[3]; // times exp(-pi i / 4)
    y = im[3];
    re[3] = (x + y) * h;
    im[3] = (y - x) * h;
    fft_turn(re, im, 5u);
    x = re[7];
    y = im[7];
    re[7] = (y - x) * h;
    im[7] = (FFT_ZERO - x - y) * h;
    FFT_UNROLL
    for (pd_u32 k = 0u; k < 8u; k += 2u) fft_two(re, im, k, k + 1u);
    fft_exchange(re, im, 1u, 2u); // sums 0, 4, 1, 5, 2, 6, 3, 7
    fft_exchange(re, im, 2u, 4u);
    fft_exchange(re, im, 3u, 6u);
    fft_exchange(re, im, 6u, 5u);
}

// Element a times exp(-pi i t / 8), t = 1, 2, 3.
PD_FN void fft_turn_part(fft_real *re, fft_real *im, pd_u32 a, pd_u32 t)
{
    const fft_real half_ = FFT_NUMBER(0.707106781f, 0x3fe6a09eu, 0x667f3bcdu);
    const fft_real most = FFT_NUMBER(0.923879533f, 0x3fed906bu, 0xcf328d46u); // cos(pi/8)
    const fft_real least = FFT_NUMBER(0.382683432f, 0x3fd87de2u, 0xa6aea963u); // sin(pi/8)
    const fft_real c = t == 1u ? most : t == 2u ? half_ : least;
    const fft_real s = t == 1u ? least : t == 2u ? half_ : most;
    const fft_real x = re[a], y = im[a];
    re[a] = FFT_FMA(x, c, y * s);
    im[a] = FFT_FMA(y, c, -(x * s));
}

PD_FN void fft_sixteen(fft_real *re, fft_real *im)
{
    FFT_UNROLL
    for (pd_u32 b = 0u; b < 4u; b++) fft_four(re, im, b, 4u + b, 8u + b, 12u + b);
    fft_turn_part(re, im, 5u, 1u); // element 4 k + b times exp(-pi i b k / 8)
    fft_turn_part(re, im, 6u, 2u);
    fft_turn_part(re, im, 7u, 3u);
    fft_turn_part(re, im, 9u, 2u);
    fft_turn(re, im, 10u);
    fft_turn_part(re, im, 11u, 2u);
    fft_turn(re, im, 11u);
    fft_turn_part(re, im, 13u, 3u);
    fft_turn_part(re, im, 14u, 2u);
    fft_turn(re, im, 14u);
    fft_turn_part(re, im, 15u, 1u);
    re[15] = -re[15]; // 9 parts are 8 and 1
    im[15] = -im[15];
    FFT_UNROLL
    for (pd_u32 k = 0u; k < 16u; k += 4u) fft_four(re, im, k, k + 1u, k + 2u, k + 3u);
    FFT_UNROLL
    for (pd_u32 k = 0u; k < 4u; k++) { // sum k + 4 l is at 4 k + l
        FFT_UNROLL
        for (pd_u32 l = k + 1u; l < 4u; l++) fft_exchange(re, im, 4u * k + l, 4u * l + k);
    }
}

// Cosine and sine of 2 pi j / n, j <= n/2, n = 3, 5, 7.
PD_FN fft_real fft_cos(pd_u32 n, pd_u32 j)
{
    if (n == 3u) return FFT_NUMBER(-0.5f, 0xbfe00000u, 0u);
    if (n == 5u)
        return j == 1u ? FFT_NUMBER(0.309016994f, 0x3fd3c6efu, 0x372fe950u)
                       : FFT_NUMBER(-0.809016994f, 0xbfe9e377u, 0x9b97f4a8u);
    return j == 1u   ? FFT_NUMBER(0.623489802f, 0x3fe3f3a0u, 0xe28bedd1u)
           : j == 2u ? FFT_NUMBER(-0.222520934f, 0xbfcc7b90u, 0xe3024582u)
                     : FFT_NUMBER(-0.900968868f, 0xbfecd4bcu, 0xa9cb5c71u);
}

PD_FN fft_real fft_sin(pd_u32 n, pd_u32 j)
{
    if (n == 3u) return FFT_NUMBER(0.866025404f, 0x3febb67au, 0xe8584caau);
    if (n == 5u)
        return j == 1u ? FFT_NUMBER(0.951056516f, 0x3fee6f0eu, 0x134454ffu)
                       : FFT_NUMBER(0.587785252f, 0x3fe2cf23u, 0x04755a5eu);
    return j == 1u   ? FFT_NUMBER(0.781831482f, 0x3fe904c3u, 0x7505de4bu)
           : j == 2u ? FFT_NUMBER(0.974927912f, 0x3fef329cu, 0x0558e969u)
                     : FFT_NUMBER(0.433883739f, 0x3fdbc4c0u, 0x4d71abc1u);
}

// n odd elements, by the sums and differences of elements j and n - j.
PD_FN void fft_odd(fft_real *re, fft_real *im, pd_u32 n)
{
    const pd_u32 pairs = n / 2u;
    const fft_real re0 = re[0], im0 = im[0];
    fft_real sum_re[4], sum_im[4], less_re[4], less_im[4];
    FFT_UNROLL
    for (pd_u32 j = 1u; j <= pairs; j++) {
        sum_re[j] = re[j] + re[n - j];
        sum_im[j] = im[j] + im[n - j];
        less_re[j] = re[j] - re[n - j];
        less_im[j] = im[j] - im[n - j];
        re[0] += sum_re[j];
        im[0] += sum_im[j];
    }
    FFT_UNROLL
    for (pd_u32 k = 1u; k <= pairs; k++) {
        fft_real even_re = re0, even_im = im0, odd_re = FFT_ZERO, odd_im = FFT_ZERO;
        FFT_UNROLL
        for (pd_u32 j = 1u; j <= pairs; j++) {
            const pd_u32 turn = j * k % n, at = turn <= pairs ? turn : n - turn;
            const fft_real c = fft_cos(n, at);
            const fft_real s = turn <= pairs ? fft_sin(n, at) : -fft_sin(n, at);
            even_re += c * sum_re[j];
            even_im += c * sum_im[j];
            odd_re += s * less_re[j];
            odd_im += s * less_im[j];
        }
        re[k] = even_re + odd_im; // minus i times the odd part
        im[k] = even_im - odd_re;
        re[n - k] = even_re - odd_im;
        im[n - k] = even_im + odd_re;
    }
}

PD_FN void fft_small(fft_real *re, fft_real *im, pd_u32 radix)
{
    if (radix == 16u) fft_sixteen(re, im);
    else if (radix == 8u) fft_eight(re, im);
    else if (radix == 4u) fft_four(re, im, 0u, 1u, 2u, 3u);
    else if (radix == 2u) fft_two(re, im, 0u, 1u);
    else fft_odd(re, im, radix);
}
