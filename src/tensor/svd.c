#include "svd.h"
#include "qr.h"
#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// Singular values and vectors by one-sided Jacobi rotations.

// One-sided Jacobi: columns of w (m x n) are rotated until they are orthogonal, and with them those
// of v (n x n; NULL is fine). 0 when 30 sweeps do not do it. Sums of few numbers leave more than
// `tolerance` for ever: what is below `rounding` is rotated, but asks for no other sweep.
static int padici_tensor_z_jacobi(uint64_t m, uint64_t n, double *w, double *v, double tolerance)
{
    const double rounding = tolerance + 8 * PADICI_TENSOR_EPS;
    uint32_t sweep;
    for (sweep = 0; sweep < PADICI_TENSOR_SWEEPS; sweep++) {
        uint64_t p, q, turned = 0;
        for (p = 0; p + 1 < n; p++)
            for (q = p + 1; q < n; q++) {
                double *x = w + 2 * p * m, *y = w + 2 * q * m, g[2], e[2], z, t, c;
                const double a = padici_tensor_z_norm2(m, x), b = padici_tensor_z_norm2(m, y);
                double size;
                padici_tensor_z_dot(m, x, y, g);
                size = sqrt(g[0] * g[0] + g[1] * g[1]);
                if (!(size > tolerance * sqrt(a) * sqrt(b)) || !(size > 1e-100)) continue;
                turned += size > rounding * sqrt(a) * sqrt(b);
                e[0] = g[0] / size;
                e[1] = g[1] / size;
                z = (b - a) / (2 * size);
                // Of the two tangents that which puts the longer column first: where singular
                // values fall far, the small angle alone needs many more sweeps.
                t = z > 0 ? -(z + sqrt(1 + z * z)) : -1 / (sqrt(1 + z * z) - z);
                c = 1 / sqrt(1 + t * t);
                padici_tensor_z_rotate(m, x, y, c, c * t, e);
                if (v) padici_tensor_z_rotate(n, v + 2 * p * n, v + 2 * q * n, c, c * t, e);
            }
        if (!turned) return 1;
    }
    return n < 2;
}

static void padici_tensor_z_swap(uint64_t n, double *x, double *y)
{
    uint64_t i;
    for (i = 0; i < 2 * n; i++) {
        const double a = x[i];
        x[i] = y[i];
        y[i] = a;
    }
}

// Sorts values (descending, or ascending) and the columns of x and y (NULL is fine) with them.
PADICI_FN void padici_tensor_z_sort(uint64_t n, double *values, int ascending, uint64_t m,
                                    double *x, uint64_t k, double *y)
{
    uint64_t i, j;
    for (i = 0; i + 1 < n; i++) {
        uint64_t best = i;
        double value;
        for (j = i + 1; j < n; j++)
            if (ascending ? values[j] < values[best] : values[j] > values[best]) best = j;
        if (best == i) continue;
        value = values[i];
        values[i] = values[best];
        values[best] = value;
        if (x) padici_tensor_z_swap(m, x + 2 * i * m, x + 2 * best * m);
        if (y) padici_tensor_z_swap(k, y + 2 * i * k, y + 2 * best * k);
    }
}

// Columns `done` and on of u (m x n) become unit vectors orthogonal to all before: of the axes the
// one that those before cover least, orthogonalised twice.
static void padici_tensor_z_complete(uint64_t m, uint64_t n, uint64_t done, double *u)
{
    uint64_t i, j, k, pass;
    for (k = done; k < n; k++) {
        double *x = u + 2 * k * m, least = 2, g[2], norm;
        uint64_t at = 0;
        for (i = 0; i < m; i++) {
            double covered = 0;
            for (j = 0; j < k; j++) covered += padici_tensor_z_norm2(1, u + 2 * (j * m + i));
            if (covered < least) {
                least = covered;
                at = i;
            }
        }
        memset(x, 0, (size_t)(16 * m));
        x[2 * at] = 1;
        for (pass = 0; pass < 2; pass++)
            for (j = 0; j < k; j++) {
                padici_tensor_z_dot(m, u + 2 * j * m, x, g);
                padici_tensor_z_add(m, x, -g[0], -g[1], u + 2 * j * m);
            }
        norm = sqrt(padici_tensor_z_norm2(m, x));
        padici_tensor_z_scale(m, x, 1 / norm, 0);
    }
}

// Turns column x so that its largest entry is real and positive, and y by the same phase.
PADICI_FN void padici_tensor_z_sign(uint64_t m, double *x, uint64_t n, double *y)
{
    double largest = 0, phase[2];
    uint64_t i, at = 0;
    for (i = 0; i < m; i++) {
        const double size = padici_tensor_z_norm2(1, x + 2 * i);
        if (size <= largest * (1 + 1.9073486328125e-6)) continue;
        largest = size;
        at = i;
    }
    padici_tensor_z_phase(x + 2 * at, phase);
    padici_tensor_z_scale(m, x, phase[0], -phase[1]);
    if (phase[1] != 0) x[2 * at + 1] = 0;
    if (y) padici_tensor_z_scale(n, y, phase[0], -phase[1]);
}

// w (m x n, m >= n) = U diag(s) V^dagger: U in place of w, s, V (n x n; NULL: s alone is made, and
// w is lost). work: 2 m n + 2 n n + 3 n doubles. `single`: the numbers came from F32.
PADICI_FN int padici_tensor_z_svd(uint64_t m, uint64_t n, double *w, double *s, double *v,
                                  double *work, int single)
{
    const double eps = single ? 1.1920928955078125e-7 : 2 * PADICI_TENSOR_EPS;
    const double tolerance = (double)n * (single ? 9.094947017729282e-13 : PADICI_TENSOR_EPS);
    const int tall = (double)m > 1.2 * (double)n;
    const uint64_t rows = tall ? n : m;
    double *x = w, *tau = work, *diag = work + n, *q = work + 3 * n, limit;
    uint64_t i, j, rank;
    int good;
    if (tall) { // of R instead
        padici_tensor_z_qr(m, n, w, tau, diag);
        x = q + 2 * m * n;
        memset(x, 0, (size_t)(16 * n * n));
        for (j = 0; j < n; j++) {
            memcpy(x + 2 * j * n, w + 2 * j * m, (size_t)(16 * j));
            x[2 * (j * n + j)] = diag[2 * j];
            x[2 * (j * n + j) + 1] = diag[2 * j + 1];
        }
    }
    if (v) memset(v, 0, (size_t)(16 * n * n));
    for (j = 0; v && j < n; j++) v[2 * (j * n + j)] = 1;
    good = padici_tensor_z_jacobi(rows, n, x, v, tolerance);
    for (j = 0; j < n; j++) s[j] = sqrt(padici_tensor_z_norm2(rows, x + 2 * j * rows));
    padici_tensor_z_sort(n, s, 0, rows, v ? x : NULL, n, v);
    if (!v) return good;
    limit = (double)m * eps * (n ? s[0] : 0);
    for (rank = 0; rank < n && s[rank] > limit; rank++)
        padici_tensor_z_scale(rows, x + 2 * rank * rows, 1 / s[rank], 0);
    padici_tensor_z_complete(rows, n, rank, x);
    if (!tall) return good;
    memset(q, 0, (size_t)(16 * m * n));
    for (j = 0; j < n; j++) memcpy(q + 2 * j * m, x + 2 * j * n, (size_t)(16 * n));
    padici_tensor_z_qr_apply(m, n, w, tau, n, q);
    for (i = 0; i < 2 * m * n; i++) w[i] = q[i];
    return good;
}

#endif
