#include "qr.h"
#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// QR by Householder reflections.

// The reflection I - 2 v v^dagger / |v|^2 that takes x to (beta, 0, ...): v in place of x, beta =
// -phase(x_0) |x|. Returns 2/|v|^2, or 0 when x is 0.
PADICI_FN double padici_tensor_z_reflector(uint64_t n, double *x, double beta[2])
{
    double norm2 = padici_tensor_z_norm2(n, x), largest = 0, norm, phase[2];
    uint64_t i;
    int power = 0;
    if (norm2 < 1e-270) { // squares lose digits: of 2^-power x, about 1, with the same reflection
        for (i = 0; i < 2 * n; i++)
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        if (largest > 0) frexp(largest, &power);
        for (i = 0; i < 2 * n; i++) x[i] = ldexp(x[i], -power);
        norm2 = padici_tensor_z_norm2(n, x);
    }
    norm = sqrt(norm2);
    beta[0] = beta[1] = 0;
    if (!(norm2 > 0)) return 0;
    padici_tensor_z_phase(x, phase);
    norm2 += norm * padici_tensor_z_size(x[0], x[1]);
    x[0] += phase[0] * norm;
    x[1] += phase[1] * norm;
    beta[0] = -phase[0] * norm;
    beta[1] = -phase[1] * norm;
    if (power) beta[0] = ldexp(beta[0], power);
    if (power) beta[1] = ldexp(beta[1], power);
    return 1 / norm2;
}

// y <- (I - tau v v^dagger) y
PADICI_FN void padici_tensor_z_reflect(uint64_t n, const double *v, double tau, double *y)
{
    double g[2];
    if (tau == 0) return;
    padici_tensor_z_dot(n, v, y, g);
    padici_tensor_z_add(n, y, -tau * g[0], -tau * g[1], v);
}

// a (m x n) becomes the vectors v below and on the diagonal and R above it; tau[k], and diag: R's
// diagonal (complex).
PADICI_FN void padici_tensor_z_qr(uint64_t m, uint64_t n, double *a, double *tau, double *diag)
{
    const uint64_t r = m < n ? m : n;
    uint64_t j, k;
    for (k = 0; k < r; k++) {
        double *column = a + 2 * (k * m + k);
        tau[k] = padici_tensor_z_reflector(m - k, column, diag + 2 * k);
        for (j = k + 1; j < n; j++)
            padici_tensor_z_reflect(m - k, column, tau[k], a + 2 * (j * m + k));
    }
}

// x (m x columns) <- Q x, of the reflections in a.
PADICI_FN void padici_tensor_z_qr_apply(uint64_t m, uint64_t r, const double *a, const double *tau,
                                        uint64_t columns, double *x)
{
    uint64_t j, k;
    for (k = r; k-- > 0;)
        for (j = 0; j < columns; j++)
            padici_tensor_z_reflect(m - k, a + 2 * (k * m + k), tau[k], x + 2 * (j * m + k));
}

#endif
