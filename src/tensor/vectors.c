#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// Factorisations. A matrix is F64, complex, interleaved, its columns one after another; of real
// ones the imaginary parts stay 0.

// x^dagger y
PADICI_FN void padici_tensor_z_dot(uint64_t n, const double *x, const double *y, double out[2])
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

PADICI_FN double padici_tensor_z_norm2(uint64_t n, const double *x)
{
    double sum = 0;
    uint64_t i;
    for (i = 0; i < 2 * n; i++) sum += x[i] * x[i];
    return sum;
}

// y += (re + i im) x
PADICI_FN void padici_tensor_z_add(uint64_t n, double *y, double re, double im, const double *x)
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
PADICI_FN void padici_tensor_z_scale(uint64_t n, double *x, double re, double im)
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
PADICI_FN void padici_tensor_z_rotate(uint64_t n, double *x, double *y, double c, double s,
                                      const double e[2])
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
PADICI_FN double padici_tensor_z_size(double re, double im)
{
    const double x = fabs(re), y = fabs(im), large = x > y ? x : y, square = re * re + im * im;
    const double ratio = (x > y ? y : x) / (large > 0 ? large : 1);
    if (square > 1e-280 && square < 1e300) return sqrt(square);
    return large * sqrt(1 + ratio * ratio);
}

// The phase of z, 1 for 0.
PADICI_FN void padici_tensor_z_phase(const double z[2], double phase[2])
{
    const double up = fabs(z[0]) + fabs(z[1]) < 1e-290 ? 1e300 : 1; // a size needs all its digits
    const double size = padici_tensor_z_size(z[0] * up, z[1] * up);
    phase[0] = size > 0 ? z[0] * up / size : 1;
    phase[1] = size > 0 ? z[1] * up / size : 0;
}

#endif
