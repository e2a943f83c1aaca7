// SVD, QR, Hermitian eigenvalues and entropies: closed forms, published values, identities at 10 n
// eps, every dtype, odd shapes, strides, batches with a NaN, workers, what must be refused.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/op_stats.h"
#include <math.h>

#define LENGTH(x) ((int)(sizeof(x) / sizeof *(x)))

static padic_context *with; // of the factorisations that are judged; NULL: the reference
static const padic_dtype dtypes[] = {PADIC_F64, PADIC_C128, PADIC_F32, PADIC_C64};

static int is_double(padic_dtype dtype) { return dtype == PADIC_F64 || dtype == PADIC_C128; }
static int is_complex(padic_dtype dtype) { return dtype == PADIC_C64 || dtype == PADIC_C128; }
static double eps_of(padic_dtype dtype) { return is_double(dtype) ? ldexp(1, -52) : ldexp(1, -23); }

static padic_dtype real_of(padic_dtype dtype) { return is_double(dtype) ? PADIC_F64 : PADIC_F32; }
static double entropy_of(padic_dtype dtype, void *data, uint32_t axes, const uint64_t *dims,
                         uint64_t part);

static double normal(void)
{
    double s = -6;
    for (int i = 0; i < 12; i++) s += (double)(test_random() >> 11) / 9007199254740992.0;
    return s;
}

// A view into memory of its own: kind 1 has gaps, 2 its last two axes swapped in memory.
typedef struct array {
    padic_tensor view;
    char *block;
    int64_t step[3]; // batch, row, column
} array;

static array make(padic_dtype dtype, uint64_t batch, uint64_t rows, uint64_t columns, int kind)
{
    array x;
    const uint64_t shape[3] = {batch, rows, columns};
    const int64_t r = (int64_t)rows + (kind ? 2 : 0), c = (int64_t)columns + (kind ? 3 : 0);
    const size_t count = (size_t)((batch ? batch : 1) * (uint64_t)(r * c + 1));
    memset(&x, 0, sizeof x);
    x.step[0] = r * c;
    x.step[1] = kind == 2 ? 1 : c;
    x.step[2] = kind == 2 ? r : 1;
    x.block = (char *)malloc(count * 16);
    memset(x.block, 0x5a, count * 16);
    x.view = padic_tensor_nd(dtype, x.block, batch ? 3 : 2, batch ? shape : shape + 1);
    for (uint32_t i = 0; kind && i < x.view.rank; i++)
        x.view.stride[i] = x.step[3 - x.view.rank + i];
    return x;
}

static array make_values(padic_dtype dtype, uint64_t batch, uint64_t n)
{
    array x = make(dtype, batch, n, 1, 0);
    x.view.rank--;
    return x;
}

static char *element(const array *x, uint64_t b, uint64_t i, uint64_t j)
{
    const int64_t at = (int64_t)b * x->step[0] + (int64_t)i * x->step[1] + (int64_t)j * x->step[2];
    return x->block + at * (int64_t)padic_dtype_size(x->view.dtype);
}

static void set(const array *x, uint64_t b, uint64_t i, uint64_t j, double re, double im)
{
    const float f[2] = {(float)re, (float)im};
    const double d[2] = {re, im};
    memcpy(element(x, b, i, j), is_double(x->view.dtype) ? (const void *)d : (const void *)f,
           padic_dtype_size(x->view.dtype));
}

static void get(const array *x, uint64_t b, uint64_t i, uint64_t j, double z[2])
{
    float f[2] = {0, 0};
    z[0] = z[1] = 0;
    if (is_double(x->view.dtype)) {
        memcpy(z, element(x, b, i, j), padic_dtype_size(x->view.dtype));
    } else {
        memcpy(f, element(x, b, i, j), padic_dtype_size(x->view.dtype));
        z[0] = (double)f[0];
        z[1] = (double)f[1];
    }
}

static double value(const array *x, uint64_t b, uint64_t i)
{
    double z[2];
    get(x, b, i, 0, z);
    return z[0];
}

static void fill(const array *x, uint64_t batch, uint64_t rows, uint64_t columns, double scale)
{
    for (uint64_t b = 0; b < batch; b++)
        for (uint64_t i = 0; i < rows; i++)
            for (uint64_t j = 0; j < columns; j++) {
                const double re = normal(), im = is_complex(x->view.dtype) ? normal() : 0;
                set(x, b, i, j, scale * re, scale * im);
            }
}

// Columns (or rows) of x are orthonormal: the largest |x^dagger x - 1|.
static double unitarity(const array *x, uint64_t b, uint64_t m, uint64_t n, int rows)
{
    double worst = 0;
    for (uint64_t p = 0; p < n; p++)
        for (uint64_t q = 0; q < n; q++) {
            double re = p == q ? -1 : 0, im = 0, y[2], z[2];
            for (uint64_t i = 0; i < m; i++) {
                get(x, b, rows ? p : i, rows ? i : p, y);
                get(x, b, rows ? q : i, rows ? i : q, z);
                re += y[0] * z[0] + y[1] * z[1];
                im += y[0] * z[1] - y[1] * z[0];
            }
            if (!(hypot(re, im) <= worst)) worst = hypot(re, im);
        }
    return worst;
}

// ||A - X diag(s) Y|| and ||A|| (Frobenius); s NULL: 1. turn: Y is X^dagger.
static void residual(const array *a, uint64_t b, const array *x, const array *s, const array *y,
                     int turn, const uint64_t mnr[3], double out[2])
{
    long double error = 0, norm = 0; // squares of 1e-180 fit
    for (uint64_t i = 0; i < mnr[0]; i++)
        for (uint64_t j = 0; j < mnr[1]; j++) {
            double z[2], p[2], q[2];
            get(a, b, i, j, z);
            if (turn && j > i) { // only the lower triangle counts
                get(a, b, j, i, z);
                z[1] = -z[1];
            }
            if (turn && i == j) z[1] = 0;
            norm += (long double)z[0] * z[0] + (long double)z[1] * z[1];
            for (uint64_t k = 0; k < mnr[2]; k++) {
                const double w = s ? value(s, b, k) : 1;
                get(x, b, i, k, p);
                get(y, b, turn ? j : k, turn ? k : j, q);
                if (turn) q[1] = -q[1];
                z[0] -= w * (p[0] * q[0] - p[1] * q[1]);
                z[1] -= w * (p[0] * q[1] + p[1] * q[0]);
            }
            error += (long double)z[0] * z[0] + (long double)z[1] * z[1];
        }
    out[0] = (double)sqrtl(error);
    out[1] = (double)sqrtl(norm);
}

// The largest entry of each column is real and positive.
static int signs(const array *x, uint64_t b, uint64_t m, uint64_t n, double eps)
{
    for (uint64_t j = 0; j < n; j++) {
        double largest = 0, z[2];
        int good = 0;
        for (uint64_t i = 0; i < m; i++) {
            get(x, b, i, j, z);
            if (hypot(z[0], z[1]) > largest) largest = hypot(z[0], z[1]);
        }
        for (uint64_t i = 0; i < m; i++) {
            get(x, b, i, j, z);
            good |= z[0] > largest * (1 - 1e-5) && fabs(z[1]) <= 4 * eps;
        }
        if (!good) return 0;
    }
    return 1;
}

static void svd_judge(const array *a, uint64_t batch, uint64_t m, uint64_t n, int kind)
{
    const uint64_t r = m < n ? m : n, mnr[3] = {m, n, r};
    const padic_dtype t = a->view.dtype;
    const double bound = 10 * (double)(m > n ? m : n) * eps_of(t);
    const int batched = a->view.rank == 3;
    padic_tensor_svd_desc desc = PADIC_ZERO;
    array u = make(t, batched ? batch : 0, m, r, kind);
    array vh = make(t, batched ? batch : 0, r, n, kind);
    array s = make_values(real_of(t), batched ? batch : 0, r);
    desc.a = a->view, desc.u = u.view, desc.vh = vh.view, desc.s = s.view;
    CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
    for (uint64_t b = 0; b < batch; b++) {
        double error[2];
        residual(a, b, &u, &s, &vh, 0, mnr, error);
        CHECK(error[0] <= bound * error[1]);
        CHECK(unitarity(&u, b, m, r, 0) <= bound);
        CHECK(unitarity(&vh, b, n, r, 1) <= bound);
        CHECK(signs(&u, b, m, r, eps_of(t)));
        for (uint64_t k = 0; k + 1 < r; k++) CHECK(value(&s, b, k) >= value(&s, b, k + 1));
        if (r) CHECK(value(&s, b, r - 1) >= 0);
    }
    // Alone, the values are the same within rounding.
    array alone = make_values(real_of(t), batched ? batch : 0, r);
    memset(&desc.u, 0, sizeof desc.u), memset(&desc.vh, 0, sizeof desc.vh);
    desc.s = alone.view;
    CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
    for (uint64_t b = 0; b < batch; b++)
        for (uint64_t k = 0; k < r; k++)
            CHECK_NEAR(value(&alone, b, k), value(&s, b, k), bound * value(&s, b, 0));
    free(u.block), free(vh.block), free(s.block), free(alone.block);
}

static void qr_judge(const array *a, uint64_t batch, uint64_t m, uint64_t n, int kind)
{
    const uint64_t r = m < n ? m : n, mnr[3] = {m, n, r};
    const padic_dtype t = a->view.dtype;
    const double bound = 10 * (double)(m > n ? m : n) * eps_of(t);
    const int batched = a->view.rank == 3;
    padic_tensor_qr_desc desc = PADIC_ZERO;
    array q = make(t, batched ? batch : 0, m, r, kind);
    array rr = make(t, batched ? batch : 0, r, n, kind);
    desc.a = a->view, desc.q = q.view, desc.r = rr.view;
    CHECK_EQ(padic_tensor_qr(with, &desc), PADIC_OK);
    for (uint64_t b = 0; b < batch; b++) {
        double error[2], z[2];
        residual(a, b, &q, NULL, &rr, 0, mnr, error);
        CHECK(error[0] <= bound * error[1]);
        CHECK(unitarity(&q, b, m, r, 0) <= bound);
        for (uint64_t i = 0; i < r; i++)
            for (uint64_t j = 0; j <= i; j++) {
                get(&rr, b, i, j, z);
                CHECK(z[1] == 0 && (i == j ? z[0] >= 0 : z[0] == 0));
            }
    }
    free(q.block), free(rr.block);
}

static void eigh_judge(const array *a, uint64_t batch, uint64_t n, int kind)
{
    const uint64_t mnr[3] = {n, n, n};
    const padic_dtype t = a->view.dtype;
    const double bound = 10 * (double)n * eps_of(t);
    const int batched = a->view.rank == 3;
    padic_tensor_eigh_desc desc = PADIC_ZERO;
    array v = make(t, batched ? batch : 0, n, n, kind);
    array w = make_values(real_of(t), batched ? batch : 0, n);
    array alone = make_values(real_of(t), batched ? batch : 0, n);
    desc.a = a->view, desc.v = v.view, desc.w = w.view;
    CHECK_EQ(padic_tensor_eigh(with, &desc), PADIC_OK);
    memset(&desc.v, 0, sizeof desc.v);
    desc.w = alone.view;
    CHECK_EQ(padic_tensor_eigh(with, &desc), PADIC_OK);
    for (uint64_t b = 0; b < batch; b++) {
        double error[2];
        residual(a, b, &v, &w, &v, 1, mnr, error);
        CHECK(error[0] <= bound * error[1]);
        CHECK(unitarity(&v, b, n, n, 0) <= bound);
        CHECK(signs(&v, b, n, n, eps_of(t)));
        for (uint64_t k = 0; k < n; k++) {
            if (k) CHECK(value(&w, b, k) >= value(&w, b, k - 1));
            CHECK_NEAR(value(&alone, b, k), value(&w, b, k), bound * error[1]);
        }
    }
    free(v.block), free(w.block), free(alone.block);
}

TEST(svd_triangle_of_ones)
{
    static const double known[8] = {5.4189757237, 1.8270647407, 1.1217342944, .8296901137,
                                    .6765818225,  .5880850656,  .5362089982,  .5086609188};
    const double pi = 3.14159265358979323846;
    for (int t = 0; t < 4; t++) {
        array a = make(dtypes[t], 0, 8, 8, 0), s = make_values(real_of(dtypes[t]), 0, 8);
        padic_tensor_svd_desc desc = PADIC_ZERO;
        for (uint64_t i = 0; i < 8; i++)
            for (uint64_t j = 0; j < 8; j++) set(&a, 0, i, j, j <= i, 0);
        desc.a = a.view, desc.s = s.view;
        CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
        for (int k = 0; k < 8; k++) {
            const double exact = 1 / (2 * sin((2 * k + 1) * pi / 34));
            CHECK_NEAR(value(&s, 0, (uint64_t)k), exact, 80 * eps_of(dtypes[t]));
            CHECK_NEAR(exact, known[k], 1e-10);
        }
        svd_judge(&a, 1, 8, 8, 1);
        free(a.block), free(s.block);
    }
}

// A discrete Fourier transform has all values 1; rank one; nothing; repeated values; huge and tiny.
TEST(svd_special)
{
    const double pi = 3.14159265358979323846;
    for (int t = 0; t < 4; t++)
        for (uint64_t n = 1; n <= 33; n += n < 4 ? 1 : 29) {
            const padic_dtype dtype = dtypes[t];
            array a = make(dtype, 0, n, n, 0), s = make_values(real_of(dtype), 0, n);
            padic_tensor_svd_desc desc = PADIC_ZERO;
            desc.a = a.view, desc.s = s.view;
            for (uint64_t i = 0; i < n; i++)
                for (uint64_t j = 0; j < n; j++) {
                    const double x = 2 * pi * (double)(i * j % n) / (double)n;
                    const double f = 1 / sqrt((double)n);
                    // The Hartley transform is the real one of them.
                    set(&a, 0, i, j, f * (cos(x) + (is_complex(dtype) ? 0 : sin(x))), f * sin(x));
                }
            svd_judge(&a, 1, n, n, 2);
            CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
            for (uint64_t k = 0; k < n; k++)
                CHECK_NEAR(value(&s, 0, k), 1, 10 * (double)n * eps_of(dtype));
            for (uint64_t i = 0; i < n; i++) // rank one
                for (uint64_t j = 0; j < n; j++)
                    set(&a, 0, i, j, (double)(i + 1) * ((double)j - 1.5), 0);
            svd_judge(&a, 1, n, n, 0);
            for (uint64_t i = 0; i < n; i++)
                for (uint64_t j = 0; j < n; j++) set(&a, 0, i, j, 0, 0);
            svd_judge(&a, 1, n, n, 0);
            qr_judge(&a, 1, n, n, 0);
            eigh_judge(&a, 1, n, 0);
            for (uint64_t i = 0; i < n; i++) set(&a, 0, i, i, i < n / 2 ? 3 : -3, 0); // repeated
            svd_judge(&a, 1, n, n, 0);
            eigh_judge(&a, 1, n, 0);
            for (int power = -1; power <= 1; power += 2) {
                fill(&a, 1, n, n, pow(10, is_double(dtype) ? 180 * power : 18 * power));
                svd_judge(&a, 1, n, n, 0);
                qr_judge(&a, 1, n, n, 0);
                eigh_judge(&a, 1, n, 0);
            }
            free(a.block), free(s.block);
        }
}

// Singular values that fall by 10^-17 from the first to the last: sums of terms x y^T with x and y
// random, and with y falling, too, up or down the columns.
TEST(svd_falling)
{
    enum { MOST = 104 };
    static const uint64_t sizes[] = {40, 64, MOST};
    for (int i = 0; i < (test_tiny ? 2 : 3); i++)
        for (int way = 0; way < 4; way++) {
            const uint64_t n = sizes[i];
            array a = make(PADIC_F64, 0, n, n, 0);
            static double sum[MOST][MOST];
            double x[MOST], y[MOST];
            memset(sum, 0, sizeof sum);
            for (uint64_t k = 0; k < n; k++) {
                for (uint64_t j = 0; j < n; j++) {
                    const uint64_t at = way == 1 ? j * 37 % n : way == 2 ? j : n - j;
                    x[j] = normal();
                    y[j] = normal() * (way ? pow(10, -7.0 * (double)at / (double)n) : 1);
                }
                for (uint64_t e = 0; e < n * n; e++)
                    sum[e / n][e % n] +=
                        pow(10, -17.0 * (double)k / (double)n) * x[e / n] * y[e % n];
            }
            for (uint64_t e = 0; e < n * n; e++) set(&a, 0, e / n, e % n, sum[e / n][e % n], 0);
            svd_judge(&a, 1, n, n, 0);
            free(a.block);
        }
}

// Of many small matrices all converge: in sums of two numbers rounding is more than 2 eps.
TEST(svd_small)
{
    const size_t count = test_tiny ? 5000 : 500000;
    double *a = (double *)malloc(sizeof *a * count * 4);
    double *s = (double *)malloc(sizeof *s * count * 2);
    padic_tensor_svd_desc desc = PADIC_ZERO;
    double worst = 0;
    REQUIRE(a && s);
    for (size_t i = 0; i < 4 * count; i++)
        a[i] = (double)(test_random() >> 11) / 4503599627370496.0 - 1;
    desc.a = padic_tensor_3d(PADIC_F64, a, count, 2, 2);
    desc.s = padic_tensor_2d(PADIC_F64, s, count, 2);
    CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
    for (size_t i = 0; i < count; i++) { // |det| is the product, and the sum of squares is kept
        const double *x = a + 4 * i, *y = s + 2 * i;
        const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
        const double off = fabs(y[0] * y[1] - fabs(x[0] * x[3] - x[1] * x[2])) +
                           fabs(y[0] * y[0] + y[1] * y[1] - square);
        if (off > worst * square) worst = off / square;
    }
    CHECK(worst < 20 * ldexp(1, -52));
    free(a);
    free(s);
}

TEST(shapes_and_strides)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 5, 8, 17, 31};
    const int count = test_tiny ? 6 : 8;
    int round = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            for (int t = 0; t < 4; t++, round++) {
                const uint64_t m = sizes[i], n = sizes[j], batch = (uint64_t)(round % 3);
                array a = make(dtypes[t], batch, m, n, round % 3);
                fill(&a, batch ? batch : 1, m, n, 1);
                svd_judge(&a, batch ? batch : 1, m, n, round / 3 % 3);
                qr_judge(&a, batch ? batch : 1, m, n, round / 3 % 3);
                if (i == j) eigh_judge(&a, batch ? batch : 1, n, round / 3 % 3);
                free(a.block);
            }
    array none = make(PADIC_C64, 1, 3, 3, 0);
    padic_tensor_svd_desc desc = PADIC_ZERO;
    desc.a = none.view;
    desc.a.shape[0] = 0;
    CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
    free(none.block);
}

// Negative strides, and a batch of one matrix.
TEST(views)
{
    double a[6] = {1, 2, 3, 4, 5, 7}, s[4], want[2];
    padic_tensor_svd_desc desc = PADIC_ZERO;
    desc.a = padic_tensor_3d(PADIC_F64, a + 5, 2, 3, 2);
    desc.a.stride[0] = 0, desc.a.stride[1] = -2, desc.a.stride[2] = -1;
    desc.s = padic_tensor_2d(PADIC_F64, s, 2, 2);
    CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
    desc.a = padic_tensor_2d(PADIC_F64, a, 3, 2);
    desc.s = padic_tensor_1d(PADIC_F64, want, 2);
    CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(s[i], want[i % 2], 1e-14 * want[0]);
    CHECK_NEAR(want[0] * want[0] + want[1] * want[1], 104, 1e-12);     // trace of the Gram matrix
    CHECK_NEAR(want[0] * want[0] * want[1] * want[1], 35 * 69 - 49 * 49, 1e-9);
}

// The Laplacian of a path: 2 - 2 cos(j pi/(n + 1)), by Jacobi and by QL; and larger random ones.
TEST(eigh_path)
{
    static const uint64_t sizes[] = {1, 2, 9, 64, 65, 130};
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < (test_tiny ? 4 : 6); i++)
        for (int t = 0; t < 4; t++) {
            const uint64_t n = sizes[i];
            if (t && i > 3 && t != i - 2) continue;
            array a = make(dtypes[t], 0, n, n, 1), w = make_values(real_of(dtypes[t]), 0, n);
            array v = make(dtypes[t], 0, n, n, 0);
            padic_tensor_eigh_desc desc = PADIC_ZERO;
            for (uint64_t p = 0; p < n; p++)
                for (uint64_t q = 0; q < n; q++) {
                    const double x = p == q ? 2 : p + 1 == q || q + 1 == p ? -1 : 0;
                    set(&a, 0, p, q, q > p ? 1e9 : x, p == q ? 1e9 : 0); // what is not read
                }
            desc.a = a.view, desc.w = w.view, desc.v = v.view;
            CHECK_EQ(padic_tensor_eigh(with, &desc), PADIC_OK);
            for (uint64_t k = 0; k < n; k++)
                CHECK_NEAR(value(&w, 0, k), 2 - 2 * cos((double)(k + 1) * pi / (double)(n + 1)),
                           10 * (double)n * eps_of(dtypes[t]));
            eigh_judge(&a, 1, n, 0);
            fill(&a, 1, n, n, 1);
            eigh_judge(&a, 1, n, 2);
            free(a.block), free(w.block), free(v.block);
        }
}

// Eigenvalues that fall below the last bit of the largest: the Hilbert matrix, with its large
// entries first and last and times 2^-900; and sums of 4^-k x x^T with x random.
TEST(eigh_falling)
{
    static const uint64_t sizes[] = {65, 100, 128};
    for (int i = 0; i < 3; i++)
        for (int way = test_tiny ? 3 : 0; way < 4; way++) {
            const uint64_t n = sizes[i];
            array a = make(PADIC_F64, 0, n, n, 0);
            fill(&a, 1, n, n, 0);
            for (uint64_t p = 0; p < n; p++)
                for (uint64_t q = 0; q < n; q++) {
                    const uint64_t at = way == 1 ? 2 * n - p - q - 1 : p + q + 1;
                    if (way < 3) set(&a, 0, p, q, (way == 2 ? ldexp(1, -900) : 1) / (double)at, 0);
                }
            for (uint64_t k = 0; way == 3 && k < n; k++) {
                double x[128], z[2];
                for (uint64_t p = 0; p < n; p++) x[p] = normal();
                for (uint64_t p = 0; p < n; p++)
                    for (uint64_t q = 0; q < n; q++) {
                        get(&a, 0, p, q, z);
                        set(&a, 0, p, q, z[0] + ldexp(x[p] * x[q], -2 * (int)k), 0);
                    }
            }
            eigh_judge(&a, 1, n, 0);
            free(a.block);
        }
}

// Large and flat: the way by QR, and U completed where a rank is missing.
TEST(rank_deficient)
{
    for (int t = 0; t < 4; t++)
        for (int turn = 0; turn < 2; turn++) {
            const uint64_t m = turn ? 6 : 40, n = turn ? 40 : 6;
            array a = make(dtypes[t], 0, m, n, 0);
            for (uint64_t i = 0; i < m; i++)
                for (uint64_t j = 0; j < n; j++)
                    set(&a, 0, i, j, (double)(i + j), is_complex(dtypes[t]) ? (double)(i * 2) : 0);
            svd_judge(&a, 1, m, n, 1);
            qr_judge(&a, 1, m, n, 1);
            free(a.block);
        }
}

TEST(not_finite)
{
    float a[5 * 4], s[5 * 2], before[2];
    int32_t info[5];
    padic_tensor_svd_desc desc = PADIC_ZERO;
    padic_tensor_qr_desc qr = PADIC_ZERO;
    padic_tensor_eigh_desc eigh = PADIC_ZERO;
    padic_context *context;
    REQUIRE(!padic_context_create(NULL, &context));
    for (int i = 0; i < 20; i++) a[i] = (float)(i % 4);
    memset(s, 0x5a, sizeof s);
    memcpy(before, s, sizeof before);
    a[3 * 4 + 1] = (float)NAN;
    desc.a = padic_tensor_3d(PADIC_F32, a, 5, 2, 2);
    desc.s = padic_tensor_2d(PADIC_F32, s, 5, 2);
    CHECK_EQ(padic_tensor_svd(context, &desc), PADIC_ERROR_NOT_FINITE);
    CHECK(strstr(padic_context_message(context), "matrix 3") != NULL);
    desc.status = padic_tensor_1d(PADIC_I32, info, sizeof info / sizeof *info);
    CHECK_EQ(padic_tensor_svd(context, &desc), PADIC_OK);
    for (int b = 0; b < 5; b++) {
        CHECK_EQ(info[b], b == 3 ? PADIC_ERROR_NOT_FINITE : PADIC_OK);
        if (b == 3) CHECK(!memcmp(s + 6, before, sizeof before));
        if (b != 3) CHECK_NEAR(s[2 * b] * s[2 * b + 1], 2, 1e-5); // |det|
    }
    memset(&desc.status, 0, sizeof desc.status);
    CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_ERROR_NOT_FINITE);
    qr.a = desc.a;
    CHECK_EQ(padic_tensor_qr(with, &qr), PADIC_ERROR_NOT_FINITE);
    eigh.a = desc.a; // the NaN is above the diagonal
    eigh.w = desc.s;
    CHECK_EQ(padic_tensor_eigh(context, &eigh), PADIC_OK);
    a[3 * 4 + 2] = (float)INFINITY;
    CHECK_EQ(padic_tensor_eigh(context, &eigh), PADIC_ERROR_NOT_FINITE);
    padic_context_destroy(context);
}

// A hook that refuses once it is told to, and counts what is out.
typedef struct hook {
    int refuse, blocks;
} hook;

static void *hook_alloc(size_t size, size_t align, void *user)
{
    hook *h = (hook *)user;
    if (h->refuse) return NULL;
    h->blocks++;
    char *whole = (char *)malloc(size + 2 * align); // align >= 16; the way back lies before
    char *block = whole + 2 * align - (uintptr_t)whole % align;
    memcpy(block - sizeof whole, &whole, sizeof whole);
    return block;
}

static void hook_free(void *pointer, size_t size, void *user)
{
    char *whole;
    (void)size;
    ((hook *)user)->blocks--;
    memcpy(&whole, (char *)pointer - sizeof whole, sizeof whole);
    free(whole);
}

TEST(refused)
{
    double a[12] = {1, 2, 3, 4}, s[12] = {-1, -1}, u[12] = {-1};
    padic_tensor_svd_desc good = PADIC_ZERO, d;
    good.a = padic_tensor_2d(PADIC_F64, a, 2, 2);
    good.s = padic_tensor_1d(PADIC_F64, s, 2);
    good.u = padic_tensor_2d(PADIC_F64, u, 2, 2);
    CHECK_EQ(padic_tensor_svd(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_tensor_qr(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_tensor_eigh(NULL, NULL), PADIC_ERROR_ARGUMENT);
#define REFUSED(change, error) \
    d = good, change, CHECK_EQ(padic_tensor_svd(NULL, &d), error), CHECK(s[0] == -1 && u[0] == -1)
    REFUSED(d.a = padic_tensor_1d(PADIC_F64, a, 4), PADIC_ERROR_ARGUMENT);
    REFUSED(d.a.data = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED(d.a.dtype = PADIC_I32, PADIC_ERROR_DTYPE);
    REFUSED(d.a.dtype = PADIC_DTYPE_NONE, PADIC_ERROR_DTYPE);
    REFUSED(d.u.dtype = PADIC_F32, PADIC_ERROR_MISMATCH);
    REFUSED(d.s.dtype = PADIC_C128, PADIC_ERROR_MISMATCH);
    REFUSED(d.s.shape[0] = 3, PADIC_ERROR_MISMATCH);
    REFUSED(d.u.shape[1] = 1, PADIC_ERROR_MISMATCH);
    REFUSED(d.u.rank = 1, PADIC_ERROR_MISMATCH);
    REFUSED(d.u.data = a, PADIC_ERROR_OVERLAP);
    REFUSED(d.u.data = s, PADIC_ERROR_OVERLAP);
    REFUSED(d.u.data = a + 3, PADIC_ERROR_OVERLAP);
    int32_t status[2] = {7, 7};
    good.status = padic_tensor_1d(PADIC_I32, status, 1); // one matrix
    REFUSED(d.status.shape[0] = 2, PADIC_ERROR_MISMATCH);
    REFUSED(d.status.dtype = PADIC_F32, PADIC_ERROR_MISMATCH);
    REFUSED(d.status.rank = 0, PADIC_ERROR_MISMATCH);
    REFUSED(d.status.data = (int32_t *)(void *)a, PADIC_ERROR_OVERLAP);
    CHECK(status[0] == 7 && status[1] == 7);
    good.status.dtype = PADIC_DTYPE_NONE;
    padic_tensor_eigh_desc eigh = PADIC_ZERO;
    eigh.a = padic_tensor_2d(PADIC_F64, a, 2, 3);
    CHECK_EQ(padic_tensor_eigh(NULL, &eigh), PADIC_ERROR_MISMATCH);
    eigh.a.shape[1] = 2;
    eigh.w = padic_tensor_1d(PADIC_F64, s, 2);
    eigh.v = padic_tensor_2d(PADIC_F64, u, 2, 2);
    const padic_tensor_eigh_desc right = eigh;
#define REFUSED_E(change, error) \
    eigh = right, change, CHECK_EQ(padic_tensor_eigh(NULL, &eigh), error), \
    CHECK(s[0] == -1 && u[0] == -1)
    REFUSED_E(eigh.a.dtype = PADIC_I32, PADIC_ERROR_DTYPE);
    REFUSED_E(eigh.a.data = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED_E(eigh.w.shape[0] = 3, PADIC_ERROR_MISMATCH);
    REFUSED_E(eigh.w.dtype = PADIC_F32, PADIC_ERROR_MISMATCH);
    REFUSED_E(eigh.v.shape[1] = 1, PADIC_ERROR_MISMATCH);
    REFUSED_E(eigh.v.dtype = PADIC_C128, PADIC_ERROR_MISMATCH);
    REFUSED_E(eigh.v.data = a, PADIC_ERROR_OVERLAP);
    REFUSED_E(eigh.v.data = s, PADIC_ERROR_OVERLAP);
    padic_tensor_qr_desc qr = PADIC_ZERO;
    qr.a = padic_tensor_2d(PADIC_F64, a, 2, 2);
    qr.q = padic_tensor_2d(PADIC_F64, s, 2, 2);
    qr.r = padic_tensor_2d(PADIC_F64, u, 2, 2);
    const padic_tensor_qr_desc whole = qr;
#define REFUSED_Q(change, error) \
    qr = whole, change, CHECK_EQ(padic_tensor_qr(NULL, &qr), error), \
    CHECK(s[0] == -1 && u[0] == -1)
    REFUSED_Q(qr.a.dtype = PADIC_I32, PADIC_ERROR_DTYPE);
    REFUSED_Q(qr.a.data = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED_Q(qr.q.shape[1] = 3, PADIC_ERROR_MISMATCH);
    REFUSED_Q(qr.r.shape[0] = 1, PADIC_ERROR_MISMATCH);
    REFUSED_Q(qr.q.dtype = PADIC_F32, PADIC_ERROR_MISMATCH);
    REFUSED_Q(qr.r.dtype = PADIC_C128, PADIC_ERROR_MISMATCH);
    REFUSED_Q(qr.r.data = a, PADIC_ERROR_OVERLAP);
    REFUSED_Q(qr.r.data = s, PADIC_ERROR_OVERLAP);
    // Memory comes from the hook, and a refusal writes nothing.
    hook h = {0, 0};
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    open.allocator.alloc = hook_alloc, open.allocator.free = hook_free, open.allocator.user = &h;
    REQUIRE(!padic_context_create(&open, &context));
    const int before = h.blocks;
    h.refuse = 1;
    CHECK_EQ(padic_tensor_svd(context, &good), PADIC_ERROR_MEMORY);
    CHECK(s[0] == -1 && u[0] == -1);
    h.refuse = 0;
    CHECK_EQ(padic_tensor_svd(context, &good), PADIC_OK);
    CHECK_NEAR(s[0] * s[1], 2, 1e-14);
    CHECK_EQ(h.blocks, before);
    padic_context_destroy(context);
}

// The same bits with 1, 2 and 7 workers, and twice.
TEST(workers)
{
    enum { N = 6, B = 23, SIZE = 2 * N * N };
    static double a[B * SIZE], u[5][B * SIZE], s[5][B * N];
    static const uint32_t workers[] = {0, 1, 2, 7, 7};
    for (int i = 0; i < B * SIZE; i++) a[i] = normal();
    for (int w = 0; w < 5; w++) {
        padic_threads *threads = NULL;
        padic_context_desc open = PADIC_ZERO;
        padic_context *context;
        padic_tensor_svd_desc desc = PADIC_ZERO;
        if (workers[w]) {
            threads = padic_threads_create(workers[w], NULL);
            REQUIRE(threads != NULL);
            open.jobs = padic_threads_jobs(threads);
        }
        REQUIRE(!padic_context_create(&open, &context));
        desc.a = padic_tensor_3d(PADIC_C128, a, B, N, N);
        desc.u = padic_tensor_3d(PADIC_C128, u[w], B, N, N);
        desc.s = padic_tensor_2d(PADIC_F64, s[w], B, N);
        CHECK_EQ(padic_tensor_svd(context, &desc), PADIC_OK);
        CHECK(!memcmp(u[w], u[0], sizeof u[0]) && !memcmp(s[w], s[0], sizeof s[0]));
        padic_context_destroy(context);
        if (threads) padic_threads_destroy(threads);
    }
}

// Operands in buffers of a device that has no kernels: a helper on the host does the work, and what
// it wrote comes back although one matrix has a NaN, whose results stay.
TEST(buffers)
{
    enum { N = 3, B = 4 };
    static const uint64_t dims[2] = {N, N};
    static const double before[B * N] = {-1, -1, -1, -1, -1, -1, -2, -3, -4, -1, -1, -1};
    double a[B * N * N], u[B * N * N], s[B * N], want[B * N];
    padic_tensor_entropy_report sum = {-1, 0, 0, 0};
    int32_t info[B];
    padic_stats stats;
    padic_context_desc open = PADIC_ZERO;
    padic_buffer_desc buffer = PADIC_ZERO;
    padic_buffer buffers[3];
    padic_context *context;
    padic_tensor_svd_desc desc = PADIC_ZERO;
    padic_tensor_entropy_desc entropy = PADIC_ZERO;
    open.backends[0] = padic_null(), open.backends[1] = padic_simd();
    REQUIRE(!padic_context_create(&open, &context));
    for (int i = 0; i < B * N * N; i++) a[i] = normal();
    a[2 * N * N + 4] = INFINITY;
    desc.a = padic_tensor_3d(PADIC_F64, a, B, N, N);
    desc.s = padic_tensor_2d(PADIC_F64, want, B, N);
    CHECK_EQ(padic_tensor_svd(NULL, &desc), PADIC_ERROR_NOT_FINITE);
    buffer.size = sizeof a, buffer.data = a;
    REQUIRE(!padic_buffer_create(context, &buffer, &buffers[0]));
    memset(u, 0, sizeof u);
    buffer.data = u;
    REQUIRE(!padic_buffer_create(context, &buffer, &buffers[1]));
    buffer.size = sizeof before, buffer.data = before;
    REQUIRE(!padic_buffer_create(context, &buffer, &buffers[2]));
    desc.a.data = NULL, desc.a.buffer = buffers[0];
    desc.u = desc.a, desc.u.buffer = buffers[1];
    desc.s.data = NULL, desc.s.buffer = buffers[2];
    CHECK_EQ(padic_tensor_svd(context, &desc), PADIC_ERROR_NOT_FINITE);
    CHECK(strstr(padic_context_message(context), "matrix 2 has a NaN or an infinity") != NULL);
    desc.status = padic_tensor_1d(PADIC_I32, info, sizeof info / sizeof *info);
    CHECK_EQ(padic_tensor_svd(context, &desc), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, buffers[2], 0, s, sizeof s), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, buffers[1], 0, u, sizeof u), PADIC_OK);
    for (int b = 0; b < B; b++) {
        CHECK_EQ(info[b], b == 2 ? PADIC_ERROR_NOT_FINITE : PADIC_OK);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(s[b * N + i], b == 2 ? before[b * N + i] : want[b * N + i], 1e-14);
        for (int i = 0; i < N * N && b == 2; i++) CHECK(u[b * N * N + i] == 0);
        if (b != 2) CHECK_NEAR(hypot(hypot(u[b * 9], u[b * 9 + 3]), u[b * 9 + 6]), 1, 1e-14);
    }
    entropy.state = padic_tensor_2d(PADIC_F64, NULL, N, N);
    entropy.state.buffer = buffers[0];
    entropy.part = 1;
    entropy.report = &sum;
    CHECK_EQ(padic_tensor_entropy(context, &entropy), PADIC_OK);
    CHECK_NEAR(sum.von_neumann, entropy_of(PADIC_F64, a, 2, dims, 1), 1e-14);
    padic_context_stats(context, &stats);
    CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_SVD).calls, 1); // the other failed
    CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_ENTROPY).calls, 1);
    CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_ENTROPY).staged_bytes, 8 * N * N);
    // status of matrices without elements.
    memset(info, 0x5a, sizeof info);
    memset(&desc, 0, sizeof desc);
    desc.a = padic_tensor_3d(PADIC_F64, NULL, B, 0, N);
    desc.status = padic_tensor_1d(PADIC_I32, info, B);
    CHECK_EQ(padic_tensor_svd(context, &desc), PADIC_OK);
    for (int b = 0; b < B; b++) CHECK_EQ(info[b], PADIC_OK);
    padic_context_destroy(context);
}

// Entropies.

static double entropy_of(padic_dtype dtype, void *data, uint32_t axes, const uint64_t *dims,
                         uint64_t part)
{
    padic_tensor_entropy_desc desc = PADIC_ZERO;
    uint64_t count = 1;
    padic_tensor_entropy_report s = {-1, 0, 0, 0};
    for (uint32_t i = 0; i < axes; i++) count *= dims[i];
    desc.state = padic_tensor_1d(dtype, data, count);
    desc.dims = padic_tensor_1d(PADIC_U64, (void *)dims, axes), desc.part = part;
    desc.report = &s;
    CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_OK);
    return s.von_neumann;
}

static const uint64_t twos[20] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
static const double ln2 = 0.69314718055994531;

TEST(entropy_values)
{
    static const double orders[] = {.5, 2, 3, INFINITY, 1, 0};
    static const double want[] = {.6238107164, .4700036292, .4133392866,
                                  .2876820725, .5623351446, .6931471806};
    padic_tensor_entropy_report s;
    double data[4], renyi[6], spectrum[2];
    float single[4];
    for (int t = 0; t < 3; t++) { // F64, F32, rho
        padic_tensor_entropy_desc desc = PADIC_ZERO;
        const double tolerance = t == 1 ? 2e-6 : 1e-10;
        data[0] = sqrt(.75) * 3, data[3] = sqrt(.25) * 3, data[1] = data[2] = 0;
        if (t == 2) data[0] = .75, data[3] = .25;
        for (int i = 0; i < 4; i++) single[i] = (float)data[i];
        *(t == 2 ? &desc.rho : &desc.state) =
            padic_tensor_2d(t == 1 ? PADIC_F32 : PADIC_F64, t == 1 ? (void *)single : data, 2, 2);
        desc.part = t == 2 ? 0 : 2;
        desc.orders = padic_tensor_1d(PADIC_F64, (void *)orders, 6);
        desc.renyi = padic_tensor_1d(PADIC_F64, renyi, 6);
        desc.report = &s;
        desc.spectrum = padic_tensor_1d(PADIC_F64, spectrum, 2);
        CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_OK);
        CHECK_NEAR(s.von_neumann, .5623351446, tolerance);
        for (int i = 0; i < 6; i++) CHECK_NEAR(renyi[i], want[i], tolerance);
        CHECK_NEAR(s.negativity, t == 2 ? 0 : .4330127019, tolerance);
        CHECK_NEAR(s.gap, .5, tolerance);
        CHECK_EQ(s.rank, 2);
        CHECK_NEAR(spectrum[0], -log(.75), tolerance);
        CHECK_NEAR(spectrum[1], -log(.25), tolerance);
        desc.unit = PADIC_TENSOR_UNIT_BITS;
        CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_OK);
        CHECK_NEAR(s.von_neumann, .8112781245, tolerance);
        desc.unit = PADIC_TENSOR_UNIT_NATS, desc.legacy = 1, desc.part = t == 2 ? 0 : 1;
        CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_OK);
        CHECK_NEAR(s.von_neumann, .8112781245, tolerance);
        desc.spectrum.shape[0] = 1, s.von_neumann = -1;
        CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_ERROR_CAPACITY);
        CHECK(s.rank == 2 && s.von_neumann == -1);
    }
}

TEST(entropy_states)
{
    static double x[1 << 13];
    padic_tensor_mutual_information_desc mutual = PADIC_ZERO;
    padic_tensor_mutual_information_report told;
    mutual.report = &told, mutual.dims = padic_tensor_1d(PADIC_U64, (void *)twos, 20);
    for (uint32_t n = 2; n <= 9; n++) { // GHZ; n = 2: Bell
        memset(x, 0, sizeof x);
        x[0] = x[(1u << n) - 1] = 1;
        for (uint64_t part = 0; part < UINT64_C(1) << n; part++) {
            const int whole = !part || part == (UINT64_C(1) << n) - 1;
            CHECK_NEAR(entropy_of(PADIC_F64, x, n, twos, part), whole ? 0 : ln2, 1e-12);
        }
        mutual.state = padic_tensor_1d(PADIC_F64, x, UINT64_C(1) << n);
        mutual.dims.shape[0] = n, mutual.part_a = 1, mutual.part_b = 2;
        CHECK_EQ(padic_tensor_mutual_information(NULL, &mutual), PADIC_OK);
        CHECK_NEAR(told.information, n == 2 ? 2 * ln2 : ln2, 1e-12);
        CHECK_NEAR(told.entropy_ab, n == 2 ? 0 : ln2, 1e-12);
    }
    for (uint32_t n = 3; n <= 4; n++) { // W
        memset(x, 0, sizeof x);
        for (uint32_t i = 0; i < n; i++) x[1u << i] = 1;
        CHECK_NEAR(entropy_of(PADIC_F64, x, n, twos, 2), n == 3 ? .6365141683 : .5623351446, 1e-10);
    }
    for (int i = 0; i < 16; i++) x[i] = (1 + i / 4) * (i % 4 - 1.5); // a product
    mutual.state = padic_tensor_1d(PADIC_F64, x, 16);
    mutual.dims.shape[0] = 4, mutual.part_a = 3, mutual.part_b = 12;
    CHECK_EQ(padic_tensor_mutual_information(NULL, &mutual), PADIC_OK);
    CHECK_NEAR(told.information, 0, 1e-12);
    mutual.part_b = 6;
    CHECK_EQ(padic_tensor_mutual_information(NULL, &mutual), PADIC_ERROR_ARGUMENT);
}

// The AKLT chain: a block of L sites between its two bonds.
TEST(entropy_aklt)
{
    static const double want[4] = {1.0986122887, 1.3689223607, 1.3841824236, 1.3860675793};
    const double a = sqrt(2.0 / 3), b = sqrt(1.0 / 3);
    const double m[3][2][2] = {{{0, a}, {0, 0}}, {{-b, 0}, {0, b}}, {{0, 0}, {-a, 0}}};
    uint64_t sites = 1;
    for (uint32_t length = 1; length <= 4; length++) {
        static double x[2 * 81 * 2];
        uint64_t dims[6] = {2, 3, 3, 3, 3, 3};
        sites *= 3;
        dims[length + 1] = 2;
        for (uint64_t s = 0; s < sites; s++)
            for (uint64_t i = 0; i < 2; i++) {
                double row[2] = {i == 0 ? 1.0 : 0.0, i == 0 ? 0.0 : 1.0};
                for (uint64_t l = sites; l > 1; l /= 3) {
                    const double(*site)[2] = m[s / (l / 3) % 3];
                    const double r0 = row[0] * site[0][0] + row[1] * site[1][0];
                    row[1] = row[0] * site[0][1] + row[1] * site[1][1];
                    row[0] = r0;
                }
                for (uint64_t j = 0; j < 2; j++) x[(i * sites + s) * 2 + j] = row[j];
            }
        CHECK_NEAR(entropy_of(PADIC_F64, x, length + 2, dims, ((UINT64_C(1) << length) - 1) << 1),
                   want[length - 1], 1e-10);
    }
}

static double gauss(void) // unlike normal(), exactly: Haar needs it
{
    const double u = ((double)(test_random() >> 11) + 1) / 9007199254740993.0;
    const double v = (double)(test_random() >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

// Page's averages over random states.
TEST(entropy_page)
{
    static const struct {
        uint64_t m, n;
        double mean;
    } rows[] = {{2, 2, 1.0 / 3}, {2, 4, .5095238}, {4, 4, .9223957}, {8, 8, 1.5885338}};
    for (int r = 0; r < 4; r++) {
        const int samples = test_tiny ? 300 : 10000;
        const uint64_t dims[2] = {rows[r].m, rows[r].n};
        double sum = 0, square = 0, x[128];
        for (int i = 0; i < samples; i++) {
            for (uint64_t j = 0; j < 2 * dims[0] * dims[1]; j++) x[j] = gauss();
            const double s = entropy_of(PADIC_C128, x, 2, dims, 1);
            sum += s, square += s * s;
        }
        sum /= samples;
        CHECK_NEAR(sum, rows[r].mean, 4 * sqrt((square / samples - sum * sum) / samples));
    }
}

// Schmidt values that fall fast, on both sides of the size where the way changes: the Hilbert
// matrix, 1/(i + j + 1/2 + j/n), exp(-i j/n), exp(sqrt(-1) i j/n), and sums of 2^-k x y^T with x, y
// random. A cut, its transpose, and the sum over the singular values agree.
TEST(entropy_falling)
{
    enum { MOST = 128 };
    static double x[2 * MOST * MOST], y[2 * MOST * MOST], s[MOST];
    static const uint64_t sizes[] = {64, 65, 100, 128};
    for (int i = 0; i < 4; i++)
        for (int kind = test_tiny ? 3 : 0; kind < 5; kind++) {
            const uint64_t n = sizes[i], dims[2] = {n, n};
            padic_tensor_svd_desc svd = PADIC_ZERO;
            double sum = 0, want = 0, side[2][MOST];
            memset(x, 0, sizeof x);
            for (uint64_t p = 0; p < n * n; p++) {
                const double a = (double)(p / n), b = (double)(p % n), all = (double)n;
                x[2 * p] = kind == 0   ? 1 / (a + b + 1)
                           : kind == 1 ? 1 / (a + b + .5 + b / all)
                           : kind == 2 ? exp(-a * b / all)
                           : kind == 3 ? cos(a * b / all)
                                       : 0;
                x[2 * p + 1] = kind == 3 ? sin(a * b / all) : 0;
            }
            for (uint64_t k = 0; kind == 4 && k < n; k++) {
                for (uint64_t p = 0; p < 2 * n; p++) side[p & 1][p / 2] = normal();
                for (uint64_t p = 0; p < n * n; p++)
                    x[2 * p] += ldexp(side[0][p / n] * side[1][p % n], -(int)k);
            }
            for (uint64_t p = 0; p < n * n; p++) memcpy(y + 2 * (p % n * n + p / n), x + 2 * p, 16);
            svd.a = padic_tensor_2d(PADIC_C128, x, n, n);
            svd.s = padic_tensor_1d(PADIC_F64, s, n);
            REQUIRE(!padic_tensor_svd(NULL, &svd));
            for (uint64_t k = n; k-- > 0;) sum += s[k] * s[k];
            for (uint64_t k = n; k-- > 0;)
                if (s[k] * s[k] > 1e-300 * sum) want -= s[k] * s[k] / sum * log(s[k] * s[k] / sum);
            CHECK_NEAR(entropy_of(PADIC_C128, x, 2, dims, 1), want, 1e-12);
            CHECK_NEAR(entropy_of(PADIC_C128, y, 2, dims, 1), want, 1e-12);
            CHECK_NEAR(entropy_of(PADIC_C128, x, 2, dims, 2), want, 1e-12);
        }
}

// S_A = S_rest, for every mask; a unitary on one axis changes nothing; F32 by the Gram matrix.
TEST(entropy_identities)
{
    static const uint64_t dims[5] = {3, 2, 4, 2, 3};
    enum { COUNT = 3 * 2 * 4 * 2 * 3 };
    double x[2 * COUNT], y[2 * COUNT];
    float z[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++) z[i] = (float)(x[i] = normal());
    for (int i = 0; i < COUNT / 3; i++) // rotate the first axis: real, in its plane 0 2
        for (int k = 0; k < 2; k++) {
            const int a = 2 * i + k, b = a + 2 * COUNT / 3, c = b + 2 * COUNT / 3;
            y[a] = .6 * x[a] - .8 * x[c];
            y[b] = x[b];
            y[c] = .8 * x[a] + .6 * x[c];
        }
    for (uint64_t part = 0; part < 32; part++) {
        const double s = entropy_of(PADIC_C128, x, 5, dims, part);
        CHECK_NEAR(entropy_of(PADIC_C128, x, 5, dims, 31 & ~part), s, 1e-12);
        CHECK_NEAR(entropy_of(PADIC_C128, y, 5, dims, part), s, 1e-12);
        CHECK_NEAR(entropy_of(PADIC_C64, z, 5, dims, part), s, 2e-6);
    }
    // The tensor's own axes, in another order in memory; a state scaled by 1e-150.
    padic_tensor_entropy_desc desc = PADIC_ZERO;
    const uint64_t shape[3] = {6, 8, 3};
    padic_tensor_entropy_report s;
    for (int i = 0; i < 2 * COUNT; i++) y[i] = 1e-170 * x[i];
    desc.state = padic_tensor_nd(PADIC_C128, y, 3, shape);
    desc.state.stride[0] = 24, desc.state.stride[1] = 3, desc.state.stride[2] = 1;
    desc.part = 2, desc.report = &s;
    CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_OK);
    CHECK_NEAR(s.von_neumann, entropy_of(PADIC_C128, x, 5, dims, 12), 1e-12);
    desc.state.shape[0] = 3, desc.state.shape[2] = 6; // transposed
    desc.state.stride[0] = 1, desc.state.stride[2] = 24;
    CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_OK);
    CHECK_NEAR(s.von_neumann, entropy_of(PADIC_C128, x, 5, dims, 12), 1e-12);
}

// -sum(XX + Z) on a ring times x; bits of the index are sites.
static void ising(uint32_t n, const double *x, double *y)
{
    for (uint32_t i = 0; i < 1u << n; i++) {
        double up = 0, sum = 0;
        for (uint32_t s = 0; s < n; s++) {
            up += i >> s & 1 ? -1 : 1;
            sum += x[i ^ 1u << s ^ 1u << (s + 1) % n];
        }
        y[i] = -sum - up * x[i];
    }
}

// The critical Ising ring: S against ln((N/pi) sin(pi l/N)) has slope c/3 = 1/6. The ground state
// is found by conjugate gradients on its Rayleigh quotient.
TEST(entropy_ising)
{
    enum { N = 12, COUNT = 1 << N };
    static double x[COUNT], p[COUNT], hx[COUNT], hp[COUNT], y[COUNT];
    const double pi = 3.14159265358979323846;
    double energy = 0, before = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < COUNT; i++) x[i] = 1;
    x[0] = 30;
    for (int step = 0; step < 200; step++) {
        double norm = 0, e = 0, pp = 0, xp = 0, xhp = 0, php = 0, rr = 0;
        for (int i = 0; i < COUNT; i++) norm += x[i] * x[i];
        for (int i = 0; i < COUNT; i++) x[i] /= sqrt(norm);
        ising(N, x, hx);
        for (int i = 0; i < COUNT; i++) e += x[i] * hx[i];
        for (int i = 0; i < COUNT; i++) rr += (hx[i] - e * x[i]) * (hx[i] - e * x[i]);
        energy = e;
        if (rr < 1e-22) break;
        for (int i = 0; i < COUNT; i++)
            p[i] = -(hx[i] - e * x[i]) + (before > 0 ? rr / before : 0) * p[i];
        before = rr;
        for (int i = 0; i < COUNT; i++) xp += x[i] * p[i];
        for (int i = 0; i < COUNT; i++) p[i] -= xp * x[i];
        ising(N, p, hp);
        for (int i = 0; i < COUNT; i++)
            pp += p[i] * p[i], xhp += x[i] * hp[i], php += p[i] * hp[i];
        // The lowest of the 2 x 2 problem in x and p/|p|.
        const double d = (php / pp - e) / 2, off = xhp / sqrt(pp);
        const double low = d - sqrt(d * d + off * off);
        for (int i = 0; i < COUNT; i++) y[i] = x[i] + low / off * p[i] / sqrt(pp);
        for (int i = 0; i < COUNT; i++) x[i] = y[i];
    }
    CHECK_NEAR(energy, -2 / sin(pi / (2 * N)), 1e-9);
    for (int l = 2; l <= N / 2; l++) {
        const double s = entropy_of(PADIC_F64, x, N, twos, (UINT64_C(1) << l) - 1);
        const double at = log((double)N / pi * sin(pi * l / (double)N));
        CHECK_NEAR(s, entropy_of(PADIC_F64, x, N, twos, ((UINT64_C(1) << l) - 1) << 3), 1e-6);
        sx += at, sy += s, sxx += at * at, sxy += at * s;
    }
    const double n = N / 2 - 1;
    CHECK_NEAR((n * sxy - sx * sy) / (n * sxx - sx * sx), 1.0 / 6, .02 / 6);
}

TEST(entropy_refused)
{
    padic_tensor_entropy_report s = {-1, 0, 0, 0};
    double a[4] = {1, 0, 0, 1}, order = -1, renyi = -1;
    uint64_t dims[65] = {2, 2, 2};
    padic_tensor_entropy_desc good = PADIC_ZERO, d;
    good.state = padic_tensor_2d(PADIC_F64, a, 2, 2);
    good.report = &s, good.part = 1;
    CHECK_EQ(padic_tensor_entropy(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_tensor_mutual_information(NULL, NULL), PADIC_ERROR_ARGUMENT);
#define REFUSED_S(change, error) \
    d = good, change, CHECK_EQ(padic_tensor_entropy(NULL, &d), error), CHECK(s.von_neumann == -1)
    REFUSED_S(d.rho = d.state, PADIC_ERROR_ARGUMENT);
    REFUSED_S(d.state.dtype = PADIC_DTYPE_NONE, PADIC_ERROR_ARGUMENT);
    REFUSED_S(d.state.dtype = PADIC_I64, PADIC_ERROR_DTYPE);
    REFUSED_S(d.state.data = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED_S(d.part = 4, PADIC_ERROR_ARGUMENT);
    REFUSED_S((d.part = 2, d.legacy = 1), PADIC_ERROR_ARGUMENT);
    REFUSED_S(d.unit = (padic_tensor_unit)2, PADIC_ERROR_ARGUMENT);
    const padic_tensor split = padic_tensor_1d(PADIC_U64, dims, 3);
    const padic_tensor one = padic_tensor_1d(PADIC_F64, &order, 1);
    REFUSED_S(d.dims = split, PADIC_ERROR_MISMATCH);
    REFUSED_S((d.dims = split, d.dims.shape[0] = 65), PADIC_ERROR_ARGUMENT);
    REFUSED_S((d.dims = split, d.dims.dtype = PADIC_F64), PADIC_ERROR_DTYPE);
    REFUSED_S((d.dims = split, d.dims.stride[0] = 2), PADIC_ERROR_ARGUMENT);
    REFUSED_S((d.dims = split, d.dims.data = NULL), PADIC_ERROR_NOT_SUPPORTED);
    REFUSED_S((d.orders = one, d.renyi = padic_tensor_1d(PADIC_F64, &renyi, 1)),
              PADIC_ERROR_ARGUMENT);
    REFUSED_S(d.orders = one, PADIC_ERROR_MISMATCH);
    REFUSED_S((d.orders = one, d.orders.dtype = PADIC_F32), PADIC_ERROR_DTYPE);
    REFUSED_S((d.spectrum = one, d.spectrum.rank = 2), PADIC_ERROR_ARGUMENT);
    REFUSED_S((d.rho = d.state, d.state.dtype = PADIC_DTYPE_NONE), PADIC_ERROR_ARGUMENT);
    a[0] = NAN;
    REFUSED_S(d.part = 1, PADIC_ERROR_NOT_FINITE);
    a[0] = a[3] = 0;
    REFUSED_S(d.part = 1, PADIC_ERROR_DOMAIN);
    a[0] = 1, a[3] = -.1;
    REFUSED_S((d.rho = d.state, d.state.dtype = PADIC_DTYPE_NONE, d.part = 0), PADIC_ERROR_DOMAIN);
}

// Values 2^-k, in a permuted diagonal, beside a matrix of zeros: what is kept and dropped is known.
static void truncated(padic_dtype dtype, uint64_t m, uint64_t n)
{
    const uint64_t r = m < n ? m : n, rank = 6, mnr[3] = {m, n, rank};
    const double eps = eps_of(dtype);
    int32_t ranks[2];
    double discarded[2], all = 0, lost = 0, error[2], z[2];
    padic_tensor_svd_desc desc = PADIC_ZERO;
    array a = make(dtype, 2, m, n, 1), u = make(dtype, 2, m, rank, 1);
    array vh = make(dtype, 2, rank, n, 0), s = make_values(real_of(dtype), 2, rank);
    for (uint64_t e = 0; e < 2 * m * n; e++) set(&a, e / m / n, e / n % m, e % n, 0, 0);
    for (uint64_t k = r; k-- > 0;) {
        set(&a, 0, 3 * k % r, 5 * k % r, k % 2 ? ldexp(1, -(int)k) : 0,
            k % 2 ? 0 : ldexp(1, -(int)k));
        if (!is_complex(dtype)) set(&a, 0, 3 * k % r, 5 * k % r, ldexp(1, -(int)k), 0);
        all += ldexp(1, -2 * (int)k);
    }
    desc.a = a.view, desc.u = u.view, desc.vh = vh.view, desc.s = s.view, desc.rank = rank;
    desc.ranks = padic_tensor_1d(PADIC_I32, ranks, 2);
    desc.discarded = padic_tensor_1d(PADIC_F64, discarded, 2);
    for (uint64_t kept = 6; kept >= 4; kept -= 2) { // by rank alone; by the cutoff
        desc.cutoff = kept == 4 ? .1 : 0;
        lost = 0;
        for (uint64_t k = r; k-- > kept;) lost += ldexp(1, -2 * (int)k);
        CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
        CHECK(ranks[0] == (int32_t)kept && ranks[1] == (desc.cutoff > 0 ? 0 : 6));
        CHECK_NEAR(discarded[0], lost / all, 20 * eps);
        CHECK(discarded[1] == 0);
        residual(&a, 0, &u, &s, &vh, 0, mnr, error);
        CHECK_NEAR(error[0] * error[0], lost, 100 * eps);
        for (uint64_t k = 0; k < rank; k++) {
            double column = 0, row = 0;
            CHECK_NEAR(value(&s, 0, k), k < kept ? ldexp(1, -(int)k) : 0, 20 * eps);
            CHECK(value(&s, 1, k) == 0);
            for (uint64_t i = 0; i < m; i++) get(&u, 0, i, k, z), column += hypot(z[0], z[1]);
            for (uint64_t j = 0; j < n; j++) get(&vh, 0, k, j, z), row += hypot(z[0], z[1]);
            if (k >= kept) CHECK(column == 0 && row == 0);
            else CHECK(column > .9 && row > .9);
        }
    }
    free(a.block), free(u.block), free(vh.block), free(s.block);
}

TEST(svd_truncated)
{
    double a[12] = {1, 2, 3, 4}, s[12] = {-1};
    int32_t ranks[2] = {7, 7};
    padic_tensor_svd_desc good = PADIC_ZERO, d;
    for (int t = 0; t < 4; t++)
        truncated(dtypes[t], 7, 7), truncated(dtypes[t], 11, 8), truncated(dtypes[t], 7, 29);
    good.a = padic_tensor_2d(PADIC_F64, a, 2, 2);
    good.s = padic_tensor_1d(PADIC_F64, s, 2);
#define REFUSED_T(change, error) \
    d = good, change, CHECK_EQ(padic_tensor_svd(with, &d), error), CHECK(s[0] == -1)
    REFUSED_T(d.rank = 3, PADIC_ERROR_ARGUMENT);
    REFUSED_T(d.rank = 1, PADIC_ERROR_MISMATCH); // s has two
    REFUSED_T(d.cutoff = -.1, PADIC_ERROR_ARGUMENT);
    REFUSED_T(d.cutoff = 2, PADIC_ERROR_ARGUMENT);
    REFUSED_T(d.cutoff = NAN, PADIC_ERROR_ARGUMENT);
    REFUSED_T(d.method = (padic_tensor_svd_method)2, PADIC_ERROR_ARGUMENT);
    REFUSED_T(d.ranks = padic_tensor_1d(PADIC_I32, ranks, 2), PADIC_ERROR_MISMATCH);
    REFUSED_T(d.ranks = padic_tensor_1d(PADIC_F64, a + 6, 1), PADIC_ERROR_MISMATCH);
    REFUSED_T(d.discarded = padic_tensor_1d(PADIC_F32, a + 6, 1), PADIC_ERROR_MISMATCH);
    REFUSED_T(d.discarded = padic_tensor_1d(PADIC_F64, a, 1), PADIC_ERROR_OVERLAP);
    CHECK(ranks[0] == 7 && ranks[1] == 7);
}

// Orthogonal columns of lengths that fall by 10^-10: by Jacobi each value has all its digits.
TEST(svd_relative)
{
    double a[16], s[4];
    padic_tensor_svd_desc desc = PADIC_ZERO;
    for (int i = 0; i < 16; i++) { // a Hadamard matrix
        const int j = i % 4, ones = i / 4 & j, odd = (ones ^ ones >> 1) & 1;
        a[i] = (odd ? -.5 : .5) * pow(10, -10 * j);
    }
    desc.a = padic_tensor_2d(PADIC_F64, a, 4, 4);
    desc.s = padic_tensor_1d(PADIC_F64, s, 4);
    desc.method = PADIC_TENSOR_SVD_METHOD_JACOBI;
    CHECK_EQ(padic_tensor_svd(with, &desc), PADIC_OK);
    for (int j = 0; j < 4; j++) CHECK_NEAR(s[j] * pow(10, 10 * j), 1, 1e-14);
}

// All of that by vectors of each level, and sizes at which blocks and vectors end.
TEST(vectors)
{
    static const char *const levels[] = {"neon", "avx2", "avx512", NULL}; // NULL: the highest
    static const uint64_t sizes[] = {4, 7, 12, 16, 33, 64, 65, 100};
    for (int l = 0; l < 4; l++) {
        padic_context_desc desc = PADIC_ZERO;
        desc.backends[0] = padic_simd();
        desc.device.name = levels[l];
        if (padic_context_create(&desc, &with)) continue;
        test_svd_triangle_of_ones(), test_svd_special(), test_shapes_and_strides(), test_views();
        test_rank_deficient(), test_svd_truncated(), test_svd_relative();
        if (!levels[l]) test_svd_falling(), test_eigh_path(), test_eigh_falling();
        for (int i = 0; i < (test_tiny ? 5 : 8); i++)
            for (int t = 0; t < 4; t++)
                for (int shape = 0; shape < 3; shape++) { // square, a little longer, flat
                    const uint64_t n = sizes[i], m = shape == 0 ? n : shape == 1 ? n + 1 : n / 3;
                    array a = make(dtypes[t], 2, m, n, (i + shape) % 3);
                    fill(&a, 2, m, n, shape ? 1e30 : 1);
                    svd_judge(&a, 2, m, n, 0);
                    qr_judge(&a, 2, m, n, 0);
                    if (!shape) eigh_judge(&a, 2, n, 0);
                    free(a.block);
                }
        padic_context_destroy(with);
        with = NULL;
    }
}

TEST_MAIN("test_factor", CASE(svd_triangle_of_ones), CASE(svd_special),
          CASE(svd_falling), CASE(svd_small), CASE(shapes_and_strides),
          CASE(views), CASE(eigh_path), CASE(eigh_falling), CASE(rank_deficient),
          CASE(not_finite), CASE(refused), CASE(svd_truncated), CASE(svd_relative),
          CASE(vectors), CASE(workers), CASE(buffers),
          CASE(entropy_values), CASE(entropy_states), CASE(entropy_aklt), CASE(entropy_page),
          CASE(entropy_falling), CASE(entropy_identities), CASE(entropy_ising),
          CASE(entropy_refused))
