// @per-level
#ifndef PADIC_NO_TENSOR

// Householder reflections H = I - tau v v^dagger, v_k = 1, whose H^dagger takes a column to a real
// multiple of e_k; four of them together as I - V T V^dagger (Schreiber and Van Loan 1989).

#define PADICI_UP(n) (((n) + PADICI_LANES - 1) / PADICI_LANES * PADICI_LANES)
#define PADICI_DOWN(n) ((n) / PADICI_LANES * PADICI_LANES)
#if PADICI_REAL_SIZE == 4
#define PADICI_TINY 1e-26 // below it squares lose digits
#else
#define PADICI_TINY 1e-270
#endif

// Memory of one matrix: what its kind does not need is NULL.
typedef struct PADICI_GK(room) {
    int paired, turn, vectors;
    size_t m, n, r;                        // as it is read, m >= n for an SVD
    size_t down, right, line;              // padded rows of a; of n rows; of factors by column
    PADICI_GK(matrix) a, b, w, u, v, x, y; // x, y: real
    PADICI_REAL *vector[2], *factor[3], *sums, *spare;
    double *tau[3], *d, *e;
    uint64_t *order;
    padici_simd_tensor_turns turns;
} PADICI_GK(room);

// The sum of squares of the numbers from `from` to `to`, which is a multiple of a vector.
PADICI_TARGET static double PADICI_GK(squares)(int paired, const PADICI_REAL *x, size_t im,
                                               size_t from, size_t to)
{
    PADICI_V s[4];
    PADICI_REAL total[4];
    double sum = 0;
    size_t i = from;
    const size_t whole = PADICI_UP(from);
    for (; i < whole && i < to; i++) sum += (double)x[i] * (double)x[i];
    for (i = from; paired && i < whole && i < to; i++)
        sum += (double)x[im + i] * (double)x[im + i];
    s[0] = s[1] = s[2] = s[3] = PADICI_NONE;
    for (i = whole; i < to; i += PADICI_LANES) {
        const PADICI_V y = PADICI_LOAD(x + i);
        s[0] = PADICI_FMA(y, y, s[0]);
        if (paired) {
            const PADICI_V z = PADICI_LOAD(x + im + i);
            s[1] = PADICI_FMA(z, z, s[1]);
        }
    }
    PADICI_GK(totals)(s, total);
    return sum + ((double)total[0] + (double)total[1]);
}

// Numbers from `from` to `to` times re + i im.
PADICI_TARGET static void PADICI_GK(times)(int paired, PADICI_REAL *x, size_t im, size_t from,
                                           size_t to, double re_, double im_)
{
    const PADICI_REAL p = (PADICI_REAL)re_, q = (PADICI_REAL)im_;
    size_t i;
    if (paired) {
        for (i = from; i < to; i++) {
            const PADICI_REAL a = x[i], b = x[im + i];
            x[i] = a * p - b * q;
            x[im + i] = a * q + b * p;
        }
    } else {
        for (i = from; i < to; i++) x[i] *= p;
    }
}

// A column whose squares are lost becomes about 1. Returns the factor.
static double PADICI_GK(lift)(int paired, PADICI_REAL *x, size_t im, size_t from, size_t to)
{
    double largest = 0;
    size_t i;
    int power = 0;
    for (i = from; i < to; i++) {
        if (fabs((double)x[i]) > largest) largest = fabs((double)x[i]);
        if (paired && fabs((double)x[im + i]) > largest) largest = fabs((double)x[im + i]);
    }
    if (largest > 0) frexp(largest, &power);
    for (i = from; power && i < to; i++) {
        x[i] = (PADICI_REAL)ldexp((double)x[i], -power);
        if (paired) x[im + i] = (PADICI_REAL)ldexp((double)x[im + i], -power);
    }
    return ldexp(1, -power);
}

// Rows k to `end` of a column become v, with zeros before them as far as a block of four reaches.
PADICI_TARGET static void PADICI_GK(reflector)(int paired, PADICI_REAL *x, size_t im, size_t k,
                                               size_t end, double *beta, double tau[2])
{
    double rest = PADICI_GK(squares)(paired, x, im, k + 1, end), up = 1, re, imag, norm, size;
    size_t i;
    if (rest < PADICI_TINY) {
        up = PADICI_GK(lift)(paired, x, im, k, end);
        rest = PADICI_GK(squares)(paired, x, im, k + 1, end);
        if (rest < PADICI_TINY) {
            rest = 0;
            PADICI_GK(times)(paired, x, im, k + 1, end, 0, 0);
        }
    }
    re = (double)x[k];
    imag = paired ? (double)x[im + k] : 0;
    for (i = PADICI_DOWN(k < 3 ? 0 : k - 3); i < k; i++) {
        x[i] = 0;
        if (paired) x[im + i] = 0;
    }
    if (paired) x[im + k] = 0;
    x[k] = 1;
    *beta = re / up;
    tau[0] = tau[1] = 0;
    if (rest == 0 && imag == 0) return;
    norm = sqrt(re * re + imag * imag + rest);
    if (re > 0) norm = -norm;
    *beta = norm / up;
    tau[0] = (norm - re) / norm;
    tau[1] = -imag / norm;
    re -= norm;
    size = 1 / (re * re + imag * imag);
    PADICI_GK(times)(paired, x, im, k + 1, end, re * size, -imag * size);
}

// T of columns k to k + 3 of v: above the diagonal of the 4 x 4 matrices t (real, imaginary parts).
static void PADICI_GK(triangle)(int paired, PADICI_GK(block) *b, const double *tau, double t[2][16])
{
    PADICI_GK(block) g = *b;
    uint32_t i, l, p;
    g.c = b->v;
    PADICI_GK(dots)(paired, 1, &g, 0, 4);
    memset(t, 0, 2 * sizeof *t);
    for (i = 0; i < 4; i++) {
        t[0][5 * i] = tau[2 * i];
        t[1][5 * i] = tau[2 * i + 1];
        for (l = 0; l < i; l++) {
            double re = 0, im = 0;
            for (p = l; p < i; p++) {
                const double x = (double)g.w[p * g.w_step + i];
                const double y = paired ? (double)g.w[p * g.w_step + g.w_im + i] : 0;
                re += t[0][4 * l + p] * x - t[1][4 * l + p] * y;
                im += t[0][4 * l + p] * y + t[1][4 * l + p] * x;
            }
            t[0][4 * l + i] = -(tau[2 * i] * re - tau[2 * i + 1] * im);
            t[1][4 * l + i] = -(tau[2 * i] * im + tau[2 * i + 1] * re);
        }
    }
}

// Lines of w become -T w, or -T^dagger w; columns from to to.
PADICI_TARGET static void PADICI_GK(fold)(int paired, const PADICI_GK(block) *b,
                                          double t[2][16], int adjoint, size_t from, size_t to)
{
    PADICI_REAL re[16], im[16];
    size_t j;
    uint32_t i, l;
    for (i = 0; i < 4; i++)
        for (l = 0; l < 4; l++) {
            re[4 * i + l] = (PADICI_REAL)-t[0][adjoint ? 4 * l + i : 4 * i + l];
            im[4 * i + l] =
                (PADICI_REAL)(adjoint ? t[1][4 * l + i] : -t[1][4 * i + l]);
        }
    for (j = PADICI_DOWN(from); j < to; j += PADICI_LANES) {
        PADICI_V x[4], y[4];
        for (l = 0; l < 4; l++) {
            x[l] = PADICI_LOAD(b->w + l * b->w_step + j);
            if (paired) y[l] = PADICI_LOAD(b->w + l * b->w_step + b->w_im + j);
        }
        for (i = 0; i < 4; i++) {
            PADICI_V p = PADICI_NONE, q = PADICI_NONE;
            for (l = 0; l < 4; l++) {
                p = PADICI_FMA(PADICI_SET(re[4 * i + l]), x[l], p);
                if (!paired) continue;
                p = PADICI_FNMA(PADICI_SET(im[4 * i + l]), y[l], p);
                q = PADICI_FMA(PADICI_SET(re[4 * i + l]), y[l], q);
                q = PADICI_FMA(PADICI_SET(im[4 * i + l]), x[l], q);
            }
            PADICI_STORE(b->w + i * b->w_step + j, p);
            if (paired) PADICI_STORE(b->w + i * b->w_step + b->w_im + j, q);
        }
    }
}

// One reflection on columns from to to of c.
PADICI_TARGET static void PADICI_GK(reflect_one)(int paired, const PADICI_GK(block) *b,
                                                 const double tau[2], int adjoint, size_t from,
                                                 size_t to)
{
    if (tau[0] == 0 && tau[1] == 0) return;
    PADICI_GK(dots)(paired, 0, b, from, to);
    PADICI_GK(times)(paired, b->w, b->w_im, from, to, -tau[0], adjoint ? tau[1] : -tau[1]);
    PADICI_GK(add)(paired, 0, b, from, to);
}

// The reflections in columns k to k + count of v, whose first v_k is in row `pivot`, on columns
// from to to of c: the product of the H, or its adjoint. `end`: padded rows.
PADICI_TARGET static void PADICI_GK(reflect)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *v,
                                             size_t k, uint32_t count, size_t pivot,
                                             const double *tau, int adjoint,
                                             const PADICI_GK(matrix) *c, size_t from, size_t to,
                                             size_t end)
{
    PADICI_GK(block) b;
    double t[2][16];
    uint32_t i;
    if (from >= to) return;
    b.v = *v;
    b.v.x += k * v->step;
    b.c = *c;
    b.w = m->spare;
    b.w_im = m->line;
    b.w_step = (m->paired ? 2 : 1) * m->line;
    b.begin = PADICI_DOWN(pivot);
    b.end = end;
    if (count == 4) {
        PADICI_GK(triangle)(m->paired, &b, tau, t);
        PADICI_GK(dots)(m->paired, 1, &b, from, to);
        PADICI_GK(fold)(m->paired, &b, t, adjoint, from, to);
        PADICI_GK(add)(m->paired, 1, &b, from, to);
        return;
    }
    for (i = 0; i < count; i++) {
        const uint32_t at = adjoint ? i : count - 1 - i;
        b.v.x = v->x + (k + at) * v->step;
        PADICI_GK(reflect_one)(m->paired, &b, tau + 2 * at, adjoint, from, to);
    }
}

// c (columns from to to) <- H_0 H_1 ... c; v_k of H_k is in row k + shift.
PADICI_TARGET static void PADICI_GK(reflect_all)(const PADICI_GK(room) *m,
                                                 const PADICI_GK(matrix) *v, size_t count,
                                                 size_t shift, const double *tau,
                                                 const PADICI_GK(matrix) *c, size_t to, size_t end,
                                                 int unit)
{
    size_t k = count;
    while (k) {
        const uint32_t some = k % 4 ? (uint32_t)(k % 4) : 4;
        k -= some;
        PADICI_GK(reflect)(m, v, k, some, k + shift, tau + 2 * k, 0, c, unit ? k : 0, to, end);
    }
}

#endif
