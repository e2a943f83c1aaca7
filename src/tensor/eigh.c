#include "eigh.h"
#include "qr.h"
#include "svd.h"
#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// Eigenvalues and vectors of a Hermitian matrix: Jacobi rotations, or tridiagonal form and QL.

// Two-sided Jacobi on the Hermitian a (n x n), whole; its diagonal becomes the eigenvalues. v may
// be NULL.
static int padici_tensor_z_eigh_jacobi(uint64_t n, double *a, double *v)
{
    const double tiny = 8.673617379884035e-19 * sqrt(padici_tensor_z_norm2(n * n, a)); // 2^-60
    uint32_t sweep;
    for (sweep = 0; sweep < PADICI_TENSOR_SWEEPS; sweep++) {
        uint64_t p, q, i, turned = 0;
        for (p = 0; p + 1 < n; p++)
            for (q = p + 1; q < n; q++) {
                double *x = a + 2 * p * n, *y = a + 2 * q * n, g[2], e[2], z, t, c, s, size;
                const double app = x[2 * p], aqq = y[2 * q];
                g[0] = y[2 * p]; // a_pq
                g[1] = y[2 * p + 1];
                size = sqrt(g[0] * g[0] + g[1] * g[1]);
                if (!(size > PADICI_TENSOR_EPS * sqrt(fabs(app)) * sqrt(fabs(aqq))) ||
                    !(size > tiny))
                    continue;
                turned++;
                padici_tensor_z_phase(g, e);
                z = (aqq - app) / (2 * size);
                t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
                c = 1 / sqrt(1 + t * t);
                s = c * t;
                padici_tensor_z_rotate(n, x, y, c, s, e);
                for (i = 0; i < n; i++) { // rows, as the conjugates of columns
                    if (i == p || i == q) continue;
                    a[2 * (i * n + p)] = x[2 * i];
                    a[2 * (i * n + p) + 1] = -x[2 * i + 1];
                    a[2 * (i * n + q)] = y[2 * i];
                    a[2 * (i * n + q) + 1] = -y[2 * i + 1];
                }
                x[2 * p] = app - t * size;
                y[2 * q] = aqq + t * size;
                x[2 * p + 1] = y[2 * q + 1] = 0;
                x[2 * q] = x[2 * q + 1] = y[2 * p] = y[2 * p + 1] = 0;
                if (v) padici_tensor_z_rotate(n, v + 2 * p * n, v + 2 * q * n, c, s, e);
            }
        if (!turned) return 1;
    }
    return n < 2;
}

// a (Hermitian, n x n, whole) to a real tridiagonal matrix d, e (e[k] couples k and k + 1), with
// the transformation in v (NULL is fine): a = v T v^dagger. work: 2 n + n.
static void padici_tensor_z_tridiagonal(uint64_t n, double *a, double *v, double *d, double *e,
                                        double *work)
{
    double *p = work, *tau = work + 2 * n, phase[2], turn[2], beta[2];
    uint64_t i, j, k;
    if (v) memset(v, 0, (size_t)(16 * n * n));
    if (v) v[0] = 1;
    turn[0] = 1;
    turn[1] = 0;
    for (k = 0; k + 1 < n; k++) {
        double *x = a + 2 * (k * n + k + 1), g[2], t;
        const uint64_t m = n - k - 1;
        d[k] = a[2 * (k * n + k)];
        tau[k] = padici_tensor_z_reflector(m, x, beta);
        e[k] = padici_tensor_z_size(beta[0], beta[1]);
        padici_tensor_z_phase(beta, phase); // of the entry below the diagonal
        t = turn[0] * phase[0] - turn[1] * phase[1];
        turn[1] = turn[0] * phase[1] + turn[1] * phase[0];
        turn[0] = t;
        if (v) {
            v[2 * ((k + 1) * n + k + 1)] = turn[0];
            v[2 * ((k + 1) * n + k + 1) + 1] = turn[1];
        }
        if (tau[k] == 0) continue;
        memset(p, 0, (size_t)(16 * m));
        for (j = 0; j < m; j++) // p = tau A x
            padici_tensor_z_add(m, p, tau[k] * x[2 * j], tau[k] * x[2 * j + 1],
                                a + 2 * ((k + 1 + j) * n + k + 1));
        padici_tensor_z_dot(m, x, p, g);
        padici_tensor_z_add(m, p, -0.5 * tau[k] * g[0], -0.5 * tau[k] * g[1], x);
        for (j = 0; j < m; j++) { // A -= x p^dagger + p x^dagger
            double *column = a + 2 * ((k + 1 + j) * n + k + 1);
            padici_tensor_z_add(m, column, -p[2 * j], p[2 * j + 1], x);
            padici_tensor_z_add(m, column, -x[2 * j], x[2 * j + 1], p);
        }
    }
    if (n) d[n - 1] = a[2 * (n * n - 1)];
    for (k = n; v && k-- > 1;)
        for (i = 0; i < n; i++)
            padici_tensor_z_reflect(n - k, a + 2 * ((k - 1) * n + k), tau[k - 1],
                                    v + 2 * (i * n + k));
}

// Implicit QL on the tridiagonal d, e (n of each, e[n - 1] is space); columns of v (n x n; NULL is
// fine) turn along. Bowdler, Martin, Reinsch, Wilkinson 1968. A coupling within the rounding of the
// whole matrix counts as none: between small entries steps would only move that rounding about.
static int padici_tensor_z_ql(uint64_t n, double *d, double *e, double *v)
{
    static const double one[2] = {1, 0};
    double least = 0;
    uint64_t l, k, i;
    for (k = 0; k < n; k++) {
        const double size = fabs(d[k]) + (k + 1 < n ? fabs(e[k]) : 0);
        if (size > least) least = size;
    }
    least = 1e-290 + PADICI_TENSOR_EPS * least;
    for (l = 0; l < n; l++) {
        uint32_t step;
        for (step = 0;; step++) {
            double g, r, s = 1, c = 1, p = 0;
            for (k = l; k + 1 < n; k++)
                if (fabs(e[k]) <= least) break;
            if (k == l) break;
            if (step == 60) return 0;
            g = (d[l + 1] - d[l]) / (2 * e[l]);
            r = sqrt(g * g + 1);
            g = d[k] - d[l] + e[l] / (g + (g < 0 ? -r : r));
            for (i = k; i-- > l;) {
                const double f = s * e[i], b = c * e[i];
                e[i + 1] = r = sqrt(f * f + g * g);
                if (r == 0) break; // underflow: this coupling is gone
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + 2 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                if (v) padici_tensor_z_rotate(n, v + 2 * i * n, v + 2 * (i + 1) * n, c, s, one);
                r = 1;
            }
            if (r == 0) {
                d[i + 1] -= p;
            } else {
                d[l] -= p;
                e[l] = g;
            }
            e[k] = 0;
        }
    }
    return 1;
}

// Eigenvalues, ascending, of the Hermitian a (n x n, whole, lost), vectors in v (NULL: none). work:
// 4 n doubles.
PADICI_FN int padici_tensor_z_eigh(uint64_t n, double *a, double *values, double *v, double *work)
{
    uint64_t i;
    int good;
    if (n <= 64 && v) { // values alone: fewer operations the other way
        memset(v, 0, (size_t)(16 * n * n));
        for (i = 0; i < n; i++) v[2 * (i * n + i)] = 1;
        good = padici_tensor_z_eigh_jacobi(n, a, v);
        for (i = 0; i < n; i++) values[i] = a[2 * (i * n + i)];
    } else {
        padici_tensor_z_tridiagonal(n, a, v, values, work + 3 * n, work);
        good = padici_tensor_z_ql(n, values, work + 3 * n, v);
    }
    padici_tensor_z_sort(n, values, 1, n, v, 0, NULL);
    return good;
}

#endif
