// Factorisations. A matrix is F64, complex, interleaved, its columns one after another; of real
// ones the imaginary parts stay 0.

#define PADICI_EPS 1.1102230246251565e-16 // 2^-53
#ifndef PADICI_SWEEPS // tests/test_sweeps.c has fewer, so that they do not do
#define PADICI_SWEEPS 30u
#endif

// x^dagger y
static void padici_z_dot(uint64_t n, const double *x, const double *y, double out[2])
{
    double re = 0, im = 0;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        re += x[i] * y[i];
        re += x[i + 1] * y[i + 1];
        im += x[i] * y[i + 1];
        im -= x[i + 1] * y[i];
    }
    out[0] = re;
    out[1] = im;
}

static double padici_z_norm2(uint64_t n, const double *x)
{
    double sum = 0;
    uint64_t i;
    for (i = 0; i < 2 * n; i++) sum += x[i] * x[i];
    return sum;
}

// y += (re + i im) x
static void padici_z_add(uint64_t n, double *y, double re, double im, const double *x)
{
    const double minus = -im;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        double a = y[i], b = y[i + 1];
        a += re * x[i];
        a += minus * x[i + 1];
        b += re * x[i + 1];
        b += im * x[i];
        y[i] = a;
        y[i + 1] = b;
    }
}

// x *= re + i im; sums only, as in a plan's products
static void padici_z_scale(uint64_t n, double *x, double re, double im)
{
    const double minus = -im;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        const double a = x[i], b = x[i + 1];
        x[i] = a * re;
        x[i] += b * minus;
        x[i + 1] = a * im;
        x[i + 1] += b * re;
    }
}

// (x, y) <- (c x - s conj(e) y, s x + c conj(e) y), |e| = 1: a rotation after y's phase is turned.
static void padici_z_rotate(uint64_t n, double *x, double *y, double c, double s, const double e[2])
{
    const double minus = -e[1];
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        const double a = x[i], b = x[i + 1];
        double p = y[i] * e[0], q = y[i + 1] * e[0];
        p += y[i + 1] * e[1];
        q += y[i] * minus;
        x[i] = c * a + -s * p;
        x[i + 1] = c * b + -s * q;
        y[i] = s * a + c * p;
        y[i + 1] = s * b + c * q;
    }
}

// |re + i im|, of numbers whose squares F64 does not hold, too.
static double padici_z_size(double re, double im)
{
    const double x = fabs(re), y = fabs(im), large = x > y ? x : y, square = re * re + im * im;
    const double ratio = (x > y ? y : x) / (large > 0 ? large : 1);
    if (square > 1e-280 && square < 1e300) return sqrt(square);
    return large * sqrt(1 + ratio * ratio);
}

// The phase of z, 1 for 0.
static void padici_z_phase(const double z[2], double phase[2])
{
    const double up = fabs(z[0]) + fabs(z[1]) < 1e-290 ? 1e300 : 1; // a size needs all its digits
    const double size = padici_z_size(z[0] * up, z[1] * up);
    phase[0] = size > 0 ? z[0] * up / size : 1;
    phase[1] = size > 0 ? z[1] * up / size : 0;
}

// The reflection I - 2 v v^dagger / |v|^2 that takes x to (beta, 0, ...): v in place of x, beta =
// -phase(x_0) |x|. Returns 2/|v|^2, or 0 when x is 0.
static double padici_z_reflector(uint64_t n, double *x, double beta[2])
{
    double norm2 = padici_z_norm2(n, x), largest = 0, norm, phase[2];
    uint64_t i;
    int power = 0;
    if (norm2 < 1e-270) { // squares lose digits: of 2^-power x, about 1, with the same reflection
        for (i = 0; i < 2 * n; i++)
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        if (largest > 0) frexp(largest, &power);
        for (i = 0; i < 2 * n; i++) x[i] = ldexp(x[i], -power);
        norm2 = padici_z_norm2(n, x);
    }
    norm = sqrt(norm2);
    beta[0] = beta[1] = 0;
    if (!(norm2 > 0)) return 0;
    padici_z_phase(x, phase);
    norm2 += norm * padici_z_size(x[0], x[1]);
    x[0] += phase[0] * norm;
    x[1] += phase[1] * norm;
    beta[0] = -phase[0] * norm;
    beta[1] = -phase[1] * norm;
    if (power) beta[0] = ldexp(beta[0], power);
    if (power) beta[1] = ldexp(beta[1], power);
    return 1 / norm2;
}

// y <- (I - tau v v^dagger) y
static void padici_z_reflect(uint64_t n, const double *v, double tau, double *y)
{
    double g[2];
    if (tau == 0) return;
    padici_z_dot(n, v, y, g);
    padici_z_add(n, y, -tau * g[0], -tau * g[1], v);
}

// a (m x n) becomes the vectors v below and on the diagonal and R above it; tau[k], and diag: R's
// diagonal (complex).
static void padici_z_qr(uint64_t m, uint64_t n, double *a, double *tau, double *diag)
{
    const uint64_t r = m < n ? m : n;
    uint64_t j, k;
    for (k = 0; k < r; k++) {
        double *column = a + 2 * (k * m + k);
        tau[k] = padici_z_reflector(m - k, column, diag + 2 * k);
        for (j = k + 1; j < n; j++)
            padici_z_reflect(m - k, column, tau[k], a + 2 * (j * m + k));
    }
}

// x (m x columns) <- Q x, of the reflections in a.
static void padici_z_qr_apply(uint64_t m, uint64_t r, const double *a, const double *tau,
                              uint64_t columns, double *x)
{
    uint64_t j, k;
    for (k = r; k-- > 0;)
        for (j = 0; j < columns; j++)
            padici_z_reflect(m - k, a + 2 * (k * m + k), tau[k], x + 2 * (j * m + k));
}
