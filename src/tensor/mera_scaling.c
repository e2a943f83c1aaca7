#include "mera_scaling.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/philox.h"
#include "../core/platform.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "factor.h"
#include "mera_chain.h"
#include "mera_fields.h"
#include "product.h"
#include "qr.h"
#include "svd.h"
#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// Scaling dimensions: moduli of the eigenvalues of the ascending map.

// h (n x n) to upper Hessenberg form, which keeps its eigenvalues.
static void padici_tensor_z_hessenberg(uint64_t n, double *h)
{
    uint64_t i, j, k;
    for (k = 0; k + 2 < n; k++) {
        double *x = h + 2 * (k * n + k + 1), beta[2];
        const uint64_t m = n - k - 1;
        const double tau = padici_tensor_z_reflector(m, x, beta);
        for (j = k + 1; j < n; j++) padici_tensor_z_reflect(m, x, tau, h + 2 * (j * n + k + 1));
        for (i = 0; i < n && tau != 0; i++) { // from the right, row by row
            double re = 0, im = 0, sum[2];
            for (j = 0; j < m; j++) {
                const double *z = h + 2 * ((k + 1 + j) * n + i);
                re += z[0] * x[2 * j];
                re -= z[1] * x[2 * j + 1];
                im += z[0] * x[2 * j + 1];
                im += z[1] * x[2 * j];
            }
            sum[0] = re;
            sum[1] = im;
            for (j = 0; j < m; j++) // sum conj(x_j)
                padici_tensor_z_add(1, h + 2 * ((k + 1 + j) * n + i), -tau * x[2 * j],
                                    tau * x[2 * j + 1], sum);
        }
        memset(x, 0, (size_t)(16 * m));
        x[0] = beta[0];
        x[1] = beta[1];
    }
}

// The eigenvalue of the last 2 x 2 block up to `hi` that is closer to the last entry.
static void padici_tensor_z_shift(uint64_t n, const double *h, uint64_t hi, double out[2])
{
    const double *a = h + 2 * ((hi - 1) * n + hi - 1), *d = h + 2 * (hi * n + hi);
    const double *b = h + 2 * (hi * n + hi - 1), *c = a + 2;
    const double p = (a[0] - d[0]) / 2, q = (a[1] - d[1]) / 2;
    const double re = p * p - q * q + (b[0] * c[0] - b[1] * c[1]);
    const double im = 2 * p * q + (b[0] * c[1] + b[1] * c[0]), size = sqrt(re * re + im * im);
    double x = sqrt((size + fabs(re)) / 2), y = x > 0 ? im / (2 * x) : 0; // a root of re + i im
    if (re < 0) {
        const double t = x;
        x = fabs(y);
        y = im < 0 ? -t : t;
    }
    if (x * p + y * q > 0) { // the one that takes p + root towards 0
        x = -x;
        y = -y;
    }
    out[0] = d[0] + p + x;
    out[1] = d[1] + q + y;
}

// One QR step with a shift on rows and columns lo .. hi of the Hessenberg matrix h. g: 4 (hi - lo).
static void padici_tensor_z_qr_step(uint64_t n, double *h, uint64_t lo, uint64_t hi,
                                    const double shift[2], double *g)
{
    uint64_t i, j, k;
    for (k = lo; k <= hi; k++) {
        h[2 * (k * n + k)] -= shift[0];
        h[2 * (k * n + k) + 1] -= shift[1];
    }
    for (k = lo; k < hi; k++) {
        double *r = g + 4 * (k - lo), *z = h + 2 * (k * n + k), size = 0;
        for (i = 0; i < 4; i++) size += z[i] * z[i];
        size = sqrt(size);
        for (i = 0; i < 4; i++) r[i] = size > 0 ? z[i] / size : i == 0; // c, s
        for (j = k; j <= hi; j++) {
            double *x = h + 2 * (j * n + k), a[4];
            memcpy(a, x, sizeof a);
            x[0] = r[0] * a[0] + r[1] * a[1] + r[2] * a[2] + r[3] * a[3];
            x[1] = r[0] * a[1] - r[1] * a[0] + r[2] * a[3] - r[3] * a[2];
            x[2] = r[0] * a[2] - r[1] * a[3] - r[2] * a[0] + r[3] * a[1];
            x[3] = r[0] * a[3] + r[1] * a[2] - r[2] * a[1] - r[3] * a[0];
        }
    }
    for (k = lo; k < hi; k++)
        for (i = lo; i <= (k + 2 < hi ? k + 2 : hi); i++) {
            const double *r = g + 4 * (k - lo);
            double *x = h + 2 * (k * n + i), *y = x + 2 * n;
            const double a = x[0], b = x[1], c = y[0], d = y[1];
            x[0] = a * r[0] - b * r[1] + c * r[2] - d * r[3];
            x[1] = a * r[1] + b * r[0] + c * r[3] + d * r[2];
            y[0] = c * r[0] + d * r[1] - a * r[2] - b * r[3];
            y[1] = d * r[0] - c * r[1] - b * r[2] + a * r[3];
        }
    for (k = lo; k <= hi; k++) {
        h[2 * (k * n + k)] += shift[0];
        h[2 * (k * n + k) + 1] += shift[1];
    }
}

// Absolute values of the eigenvalues of h (n x n, lost), descending. work: 4 n.
static int padici_tensor_z_moduli(uint64_t n, double *h, double *values, double *work)
{
    uint64_t hi = n - 1, lo, i;
    uint32_t step = 0;
    double shift[2];
    padici_tensor_z_hessenberg(n, h);
    while (hi > 0) {
        for (lo = hi; lo > 0; lo--) {
            double *z = h + 2 * ((lo - 1) * n + lo);
            const double about = fabs(h[2 * (lo * n + lo)]) + fabs(h[2 * (lo * n + lo) + 1]) +
                                 fabs(z[-2]) + fabs(z[-1]);
            if (fabs(z[0]) + fabs(z[1]) <= PADICI_TENSOR_EPS * about + 1e-290) break;
        }
        if (lo == hi) {
            hi--;
            step = 0;
            continue;
        }
        if (++step > 90) return 0;
        padici_tensor_z_shift(n, h, hi, shift);
        if (step % 15 == 0) shift[0] += fabs(h[2 * ((hi - 1) * n + hi)]); // out of a cycle
        padici_tensor_z_qr_step(n, h, lo, hi, shift, work);
    }
    for (i = 0; i < n; i++) {
        const double *z = h + 2 * (i * n + i);
        values[i] = sqrt(z[0] * z[0] + z[1] * z[1]);
    }
    padici_tensor_z_sort(n, values, 0, 0, NULL, 0, NULL);
    return 1;
}

// A block of operators of `d` numbers each, orthonormal, and what one step makes of it.
typedef struct padici_tensor_mera_block {
    uint64_t d, columns;
    double *x, *y, *h, *values, *work; // y = A(x), h = x^dagger y
} padici_tensor_mera_block;

static void padici_tensor_mera_block_cut(padici_tensor_mera_block *b, double *space)
{
    b->x = space;
    b->y = b->x + 2 * b->d * b->columns;
    b->h = b->y + 2 * b->d * b->columns;
    b->values = b->h + 2 * b->columns * b->columns;
    b->work = b->values + b->columns;
}

static PADICI_NOINLINE padic_result padici_tensor_mera_block_step(padici_tensor_mera *m,
                                                  padici_tensor_mera_block *b)
{
    const uint64_t d = b->d, n = b->columns;
    uint64_t i, j, shape[6];
    padic_result result = PADIC_OK;
    for (i = 0; i < 6; i++) shape[i] = m->f;
    memset(b->y, 0, (size_t)(16 * d * n));
    for (j = 0; j < n && !result; j++) {
        const padic_tensor from =
            padic_tensor_nd(PADIC_C128, b->x + 2 * j * d, 2 * m->sites, shape);
        const padic_tensor to = padic_tensor_nd(PADIC_C128, b->y + 2 * j * d, 2 * m->sites, shape);
        result = padici_tensor_mera_all(m, &from, NULL, &to, NULL, NULL, NULL);
    }
    if (result) return result;
    for (i = 0; i < 2 * d * n; i++)
        if (b->y[i] - b->y[i] != 0)
            return padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                    "an operator is beyond F64: scale u or w");
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            padici_tensor_z_dot(d, b->x + 2 * i * d, b->y + 2 * j * d, b->h + 2 * (j * n + i));
    if (!padici_tensor_z_moduli(n, b->h, b->values, b->work))
        return padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence");
    padici_tensor_z_qr(d, n, b->y, b->work, b->work + n); // x <- Q of y
    memset(b->x, 0, (size_t)(16 * d * n));
    for (j = 0; j < n; j++) b->x[2 * (j * d + j)] = 1;
    padici_tensor_z_qr_apply(d, n, b->y, b->work, n, b->x);
    return PADIC_OK;
}

// Number i of a tensor of rank 1, if there is one.
static void padici_tensor_mera_put(const padic_tensor *t, uint64_t i, double x)
{
    int64_t stride[PADIC_MAX_RANK];
    if (t->dtype == PADIC_DTYPE_NONE) return;
    padici_tensor_dense(t, stride);
    padici_tensor_write(PADIC_F64, (char *)t->data, (int64_t)i * stride[0], x, 0);
}

// The tensors of the results.
static padic_result padici_tensor_mera_spectrum(padic_context *context,
                                                const padic_tensor_mera_scaling_desc *desc,
                                                padic_tensor to[2])
{
    static const char *const names[2] = {"eigenvalues", "dimensions"};
    const uint64_t n = desc->eigenvalues.rank == 1 ? desc->eigenvalues.shape[0] : 0;
    padici_operand operands[2];
    padic_result result;
    to[0] = desc->eigenvalues;
    to[1] = desc->dimensions;
    result = padici_tensor_host(context, to, names, operands, 2, 0);
    if (result) return result;
    if (to[0].dtype != PADIC_F64 || !n || n > 64)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "eigenvalues are not (n), F64, n from 1 to 64");
    if (to[1].dtype != PADIC_DTYPE_NONE &&
        (to[1].dtype != PADIC_F64 || to[1].rank != 1 || to[1].shape[0] != n))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "dimensions are not F64 of the shape of eigenvalues");
    return PADIC_OK;
}

PADICI_FN padic_result padici_tensor_mera_scaling(padic_context *context,
                                                  const padic_tensor_mera_scaling_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 0, NULL, NULL, NULL, NULL};
    padici_tensor_mera m;
    padici_tensor_mera_block b;
    padic_tensor t[5], to[2], space;
    uint64_t i, shape[1], n;
    uint32_t step;
    double tolerance, change = 1, last[64];
    padici_steps hook;
    padic_result result = padici_tensor_mera_tolerance(context, desc->tolerance);
    if (!result) result = padici_tensor_mera_spectrum(context, desc, to);
    if (!result) result = padici_tensor_mera_begin(&m, context, &given, t);
    if (result) return result;
    memset(&b, 0, sizeof b);
    n = to[0].shape[0];
    tolerance = desc->tolerance > 0 ? desc->tolerance : 1e-12;
    b.d = m.below * m.below;
    b.columns = 2 * n + 8 < b.d ? 2 * n + 8 : b.d;
    if (m.f != m.c || n > b.d)
        result = padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                  "w has c other than f, or eigenvalues more than there are");
    shape[0] = 2 * b.d * b.columns + b.columns * b.columns + 4 * b.columns;
    if (!result) result = padici_tensor_mera_take(&m, 1, shape, &space);
    if (!result) padici_tensor_mera_block_cut(&b, (double *)space.data);
    for (i = 0; !result && i < b.d * b.columns; i++) {
        uint32_t word[4];
        padic_random_block(desc->seed, 2, 0, (uint32_t)i, word);
        b.y[2 * i] = padic_random_f64(word[0], word[1]) - 0.5;
        b.y[2 * i + 1] = padic_random_f64(word[2], word[3]) - 0.5;
    }
    if (!result) {
        padici_tensor_z_qr(b.d, b.columns, b.y, b.work, b.work + b.columns);
        for (i = 0; i < b.columns; i++) b.x[2 * (i * b.d + i)] = 1;
        padici_tensor_z_qr_apply(b.d, b.columns, b.y, b.work, b.columns, b.x);
    }
    padici_steps_begin(&hook, NULL, padici_progress(context), 0); // as many as it takes
    for (step = 0; !result && step < 500 && change > tolerance; step++) {
        result = padici_tensor_mera_block_step(&m, &b);
        if (!result && padici_steps_more(&hook, 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                      "the progress hook stopped it");
        for (i = 0, change = step ? 0 : 1; !result && i < n; i++) {
            if (step && fabs(b.values[i] - last[i]) > change) change = fabs(b.values[i] - last[i]);
            last[i] = b.values[i];
        }
    }
    for (i = 0; !result && i < n; i++) {
        padici_tensor_mera_put(&to[0], i, last[i]);
        padici_tensor_mera_put(&to[1], i, -log(last[i]) / log(m.sites == 3 ? 2.0 : 3.0));
    }
    if (!result && !(change <= tolerance))
        result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "no convergence in 500 steps");
    padici_tensor_mera_end(&m);
    return result;
}

#endif
