#include "turns.h"
#include "../../tensor/vectors.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Singular values of a bidiagonal matrix and eigenvalues of a tridiagonal one by implicit QR steps
// (Golub and Kahan 1965; Demmel and Kahan 1990 for steps without a shift). The rotations wait until
// several sweeps go over the vectors together (Van Zee, van de Geijn and Quintana-Orti 2014). A
// matrix has numbers of about 1 at most; a coupling within a few roundings of the largest is none.

#define PADICI_SIMD_TENSOR_STEPS (2 * PADICI_TENSOR_SWEEPS) // most sweeps for a value

// The rotation that takes (f, g) to (r, 0).
PADICI_INLINE double padici_simd_tensor_rotation(double f, double g, double *c, double *s)
{
    const double square = f * f + g * g, r = sqrt(square);
    if (square < 1e-280) { // below all that counts
        *c = 1;
        *s = 0;
        return f;
    }
    *c = f / r;
    *s = g / r;
    return r;
}

static void padici_simd_tensor_turns_flush(padici_simd_tensor_turns *t)
{
    uint32_t side;
    for (side = 0; side < t->sides; side++)
        if (t->x[side]) (*t->turn)(t, side);
    t->used = t->sweeps = 0;
}

// Room for a sweep over columns first to last.
static void padici_simd_tensor_turns_begin(padici_simd_tensor_turns *t, uint64_t first,
                                           uint64_t last)
{
    if (t->sweeps == PADICI_SIMD_TENSOR_HELD || t->used + (last - first) > t->room)
        padici_simd_tensor_turns_flush(t);
    t->first[t->sweeps] = first;
    t->count[t->sweeps++] = last - first;
    t->used += last - first;
}

// The smaller singular value of [f g; 0 h].
static double padici_simd_tensor_shift(double f, double g, double h)
{
    double least = fabs(f) < fabs(h) ? fabs(f) : fabs(h), most, a, b, c;
    most = fabs(f) < fabs(h) ? fabs(h) : fabs(f);
    if (least == 0) return 0;
    a = 1 + least / most;
    b = (most - least) / most;
    g = fabs(g);
    if (g < most) {
        c = g / most;
        return least * (2 / (sqrt(a * a + c * c) + sqrt(b * b + c * c)));
    }
    c = most / g;
    return 2 * (least / (sqrt(1 + a * c * (a * c)) + sqrt(1 + b * c * (b * c)))) * c;
}

// A sweep with a shift over rows l to k.
static void padici_simd_tensor_bidiagonal_sweep(uint64_t l, uint64_t k, double *d, double *e,
                                                double shift, double *const rotation[4])
{
    double f = (fabs(d[l]) - shift) * ((d[l] < 0 ? -1 : 1) + shift / d[l]), g = e[l], x = d[l];
    uint64_t i;
    for (i = l; i < k; i++) {
        double c, s, r = padici_simd_tensor_rotation(f, g, &c, &s), y = e[i], z = d[i + 1];
        if (i > l) e[i - 1] = r;
        rotation[0][i - l] = c;
        rotation[1][i - l] = s;
        f = c * x + s * y;
        y = c * y - s * x;
        g = s * z;
        z = c * z;
        d[i] = padici_simd_tensor_rotation(f, g, &c, &s);
        rotation[2][i - l] = c;
        rotation[3][i - l] = s;
        f = c * y + s * z;
        x = c * z - s * y;
        if (i + 1 == k) break;
        g = s * e[i + 1];
        e[i + 1] = c * e[i + 1];
    }
    d[k] = x;
    e[k - 1] = f;
}

// Without one: small values keep their digits.
static void padici_simd_tensor_bidiagonal_zero(uint64_t l, uint64_t k, double *d, double *e,
                                               double *const rotation[4])
{
    double c = 1, s = 0, old_c = 1, old_s = 0, r;
    uint64_t i;
    for (i = l; i < k; i++) {
        r = padici_simd_tensor_rotation(d[i] * c, e[i], &c, &s);
        if (i > l) e[i - 1] = old_s * r;
        rotation[0][i - l] = c;
        rotation[1][i - l] = s;
        d[i] = padici_simd_tensor_rotation(old_c * r, d[i + 1] * s, &old_c, &old_s);
        rotation[2][i - l] = old_c;
        rotation[3][i - l] = old_s;
    }
    r = d[k] * c;
    d[k] = r * old_c;
    e[k - 1] = r * old_s;
}

// Diagonal d (n) and e above it (n; the last is space) to singular values, of any sign and order.
// 0: no convergence.
PADICI_FN int padici_simd_tensor_bidiagonal_qr(uint64_t n, double *d, double *e, double eps,
                                               padici_simd_tensor_turns *turns)
{
    double least = 0, smallest, shift;
    uint64_t k, l, i, steps = 0;
    for (i = 0; i < n; i++) {
        if (fabs(d[i]) > least) least = fabs(d[i]);
        if (i + 1 < n && fabs(e[i]) > least) least = fabs(e[i]);
    }
    least = 8 * eps * least + 1e-290;
    for (k = n ? n - 1 : 0; k > 0;) {
        double *rotation[4];
        if (fabs(e[k - 1]) <= least) {
            k--;
            continue;
        }
        smallest = fabs(d[k]);
        for (l = k; l > 0 && fabs(e[l - 1]) > least; l--)
            if (fabs(d[l - 1]) < smallest) smallest = fabs(d[l - 1]);
        if (steps++ == PADICI_SIMD_TENSOR_STEPS * n) break;
        padici_simd_tensor_turns_begin(turns, l, k);
        for (i = 0; i < 2; i++) {
            rotation[2 * i] = turns->c[i] + turns->used - (k - l);
            rotation[2 * i + 1] = turns->s[i] + turns->used - (k - l);
        }
        shift = smallest > least ? padici_simd_tensor_shift(d[k - 1], e[k - 1], d[k]) : 0;
        if (smallest > least && shift * shift > eps * d[l] * d[l])
            padici_simd_tensor_bidiagonal_sweep(l, k, d, e, shift, rotation);
        else
            padici_simd_tensor_bidiagonal_zero(l, k, d, e, rotation);
    }
    padici_simd_tensor_turns_flush(turns);
    return k == 0;
}

static void padici_simd_tensor_tridiagonal_sweep(uint64_t l, uint64_t k, double *d, double *e,
                                                 double *cosine, double *sine)
{
    const double half = (d[k - 1] - d[k]) / 2, size = sqrt(half * half + e[k - 1] * e[k - 1]);
    double f = d[l] - (d[k] - e[k - 1] / (half + (half < 0 ? -size : size)) * e[k - 1]), g = e[l];
    double x = d[l], y = e[l];
    uint64_t i;
    for (i = l; i < k; i++) {
        double c, s, r = padici_simd_tensor_rotation(f, g, &c, &s), p, q, z = d[i + 1];
        if (i > l) e[i - 1] = r;
        cosine[i - l] = c;
        sine[i - l] = s;
        p = c * x + s * y;
        q = c * y + s * z;
        d[i] = c * p + s * q;
        x = c * (c * z - s * y) - s * (c * y - s * x);
        f = c * q - s * p;
        if (i + 1 == k) break;
        g = s * e[i + 1];
        y = c * e[i + 1];
    }
    d[k] = x;
    e[k - 1] = f;
}

// Values alone need no square roots (Pal, Walker and Kahan; Parlett 8.15): e has squares, l < k.
static void padici_simd_tensor_tridiagonal_rootless(uint64_t l, uint64_t k, double *d, double *e)
{
    const double half = (d[k - 1] - d[k]) / 2, size = sqrt(half * half + e[k - 1]);
    const double shift = d[k] - e[k - 1] / (half + (half < 0 ? -size : size));
    double c = 1, s = 0, gamma = d[l] - shift, p = gamma * gamma;
    uint64_t i;
    for (i = l; i < k; i++) {
        const double square = e[i], r = p + square, over = p > 0 ? r / p : 0, old = gamma;
        const double before = c, next = d[i + 1];
        if (i > l) e[i - 1] = s * r;
        c = p / r;
        s = square / r;
        gamma = c * (next - shift) - s * old;
        d[i] = old + (next - gamma);
        p = p > 0 ? gamma * gamma * over : before * square;
    }
    e[k - 1] = s * p;
    d[k] = shift + gamma;
}

// Diagonal d (n) and e beside it (n) to eigenvalues, in any order.
PADICI_FN int padici_simd_tensor_tridiagonal_qr(uint64_t n, double *d, double *e, double eps,
                                                padici_simd_tensor_turns *turns)
{
    double least = 0;
    uint64_t k, l, i, steps = 0;
    for (i = 0; i < n; i++) {
        if (fabs(d[i]) > least) least = fabs(d[i]);
        if (i + 1 < n && fabs(e[i]) > least) least = fabs(e[i]);
    }
    least = 8 * eps * least + 1e-145;
    for (i = 0; i < n && !turns->sides; i++) e[i] *= e[i];
    if (!turns->sides) least *= least;
    for (k = n ? n - 1 : 0; k > 0;) {
        if (fabs(e[k - 1]) <= least) {
            k--;
            continue;
        }
        for (l = k; l > 0 && fabs(e[l - 1]) > least;) l--;
        if (steps++ == PADICI_SIMD_TENSOR_STEPS * n) break;
        if (!turns->sides) {
            padici_simd_tensor_tridiagonal_rootless(l, k, d, e);
            continue;
        }
        padici_simd_tensor_turns_begin(turns, l, k);
        padici_simd_tensor_tridiagonal_sweep(l, k, d, e, turns->c[0] + turns->used - (k - l),
                                             turns->s[0] + turns->used - (k - l));
    }
    padici_simd_tensor_turns_flush(turns);
    return k == 0;
}

#undef PADICI_SIMD_TENSOR_STEPS

#endif
