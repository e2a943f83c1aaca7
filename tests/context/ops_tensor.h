// ops_tensor.h: rows of test_ops.c for tensor_gemm and tensor_contract (wanted: the definition,
// summed in fp64 by loops over all labels), factorisations (wanted: what the matrices were made of)
// and entropies (wanted: closed forms).

typedef struct ops_tensor_sum {
    const padic_tensor *t[3];
    const char *labels[3];
    uint32_t conj, math;
    const double *alpha, *beta;
} ops_tensor_sum;

static void ops_tensor_number(const padic_tensor *t, int64_t at, double *re, double *im)
{
    const int is_double = t->dtype == PADIC_F64 || t->dtype == PADIC_C128;
    const int64_t parts = t->dtype == PADIC_C64 || t->dtype == PADIC_C128 ? 2 : 1;
    const double *d = (const double *)t->data;
    const float *f = (const float *)t->data;
    *re = is_double ? d[at * parts] : (double)f[at * parts];
    *im = parts == 1 ? 0.0 : is_double ? d[at * parts + 1] : (double)f[at * parts + 1];
}

static int64_t ops_tensor_at(const padic_tensor *t, const char *labels, const uint64_t *value)
{
    int64_t stride[PADIC_MAX_RANK], at = 0;
    padici_tensor_dense(t, stride);
    for (uint32_t i = 0; i < t->rank; i++)
        at += (int64_t)value[(unsigned char)labels[i]] * stride[i];
    return at;
}

// A result and what it may be off: 4 (k + 2) u |A| |B| (GAUSS twice that, TF32 2e-3 |A| |B|), with
// |z| = |re| + |im|, and the rounding of beta c.
static void ops_tensor_result(const ops_tensor_sum *s, uint64_t *value, const uint64_t *size,
                              const char *summed, double *want, double *slack)
{
    const int is_double = s->t[2]->dtype == PADIC_F64 || s->t[2]->dtype == PADIC_C128;
    const int parts = s->t[2]->dtype == PADIC_C64 || s->t[2]->dtype == PADIC_C128 ? 2 : 1;
    const double u = is_double ? 1.1102230246251565e-16 : 5.9604644775390625e-8;
    const double unit = s->alpha[0] == 0 && s->alpha[1] == 0 ? 1.0 : s->alpha[0];
    double re = 0, im = 0, big = 0, x[2], y[2], z[2], k = 1;
    uint64_t n = 1;
    for (const char *l = summed; *l; l++) n *= size[(unsigned char)*l];
    k = (double)n;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t rest = i;
        for (const char *l = summed; *l; l++) {
            value[(unsigned char)*l] = rest % size[(unsigned char)*l];
            rest /= size[(unsigned char)*l];
        }
        ops_tensor_number(s->t[0], ops_tensor_at(s->t[0], s->labels[0], value), &x[0], &x[1]);
        ops_tensor_number(s->t[1], ops_tensor_at(s->t[1], s->labels[1], value), &y[0], &y[1]);
        if (s->conj & 1) x[1] = -x[1];
        if (s->conj & 2) y[1] = -y[1];
        re += x[0] * y[0] - x[1] * y[1];
        im += x[0] * y[1] + x[1] * y[0];
        big += (fabs(x[0]) + fabs(x[1])) * (fabs(y[0]) + fabs(y[1]));
    }
    ops_tensor_number(s->t[2], ops_tensor_at(s->t[2], s->labels[2], value), &z[0], &z[1]);
    if (s->beta[0] == 0 && s->beta[1] == 0) z[0] = z[1] = 0;
    want[0] = unit * re - s->alpha[1] * im + s->beta[0] * z[0] - s->beta[1] * z[1];
    slack[0] = 4 * (k + 2) * u * (fabs(unit) + fabs(s->alpha[1])) * big;
    if (s->math == PADIC_TENSOR_MATH_GAUSS) slack[0] *= 2;
    if (s->math == PADIC_TENSOR_MATH_TF32 && !is_double)
        slack[0] = 2e-3 * (fabs(unit) + fabs(s->alpha[1])) * big;
    slack[0] += 8 * u * (fabs(s->beta[0]) + fabs(s->beta[1])) * (fabs(z[0]) + fabs(z[1]));
    if (parts == 1) return;
    want[1] = unit * im + s->alpha[1] * re + s->beta[0] * z[1] + s->beta[1] * z[0];
    slack[1] = slack[0];
}

static void ops_tensor_all(const ops_tensor_sum *s, double *want, double *slack)
{
    const padic_tensor *c = s->t[2];
    const uint64_t parts = c->dtype == PADIC_C64 || c->dtype == PADIC_C128 ? 2 : 1;
    static uint64_t value[256], size[256];
    char summed[17], *last = summed;
    memset(value, 0, sizeof value);
    for (int o = 0; o < 3; o++)
        for (uint32_t i = 0; i < s->t[o]->rank; i++) {
            const char l = s->labels[o][i];
            size[(unsigned char)l] = s->t[o]->shape[i];
            *last = 0;
            if (o < 2 && !memchr(s->labels[2], l, c->rank) && !strchr(summed, l)) *last++ = l;
        }
    *last = 0;
    for (uint64_t e = 0; e < padic_tensor_count(c); e++) {
        uint64_t rest = e;
        for (uint32_t i = c->rank; i-- > 0;) {
            value[(unsigned char)s->labels[2][i]] = rest % c->shape[i];
            rest /= c->shape[i];
        }
        ops_tensor_result(s, value, size, summed, want + e * parts, slack + e * parts);
    }
}

static void ops_tensor_gemm_exact(const void *desc_, double *want, double *slack)
{
    static const char *const left[4] = {"bmk", "bkm", "bkm", "bmk"};
    static const char *const right[4] = {"bkn", "bnk", "bnk", "bkn"};
    const padic_tensor_gemm_desc *desc = (const padic_tensor_gemm_desc *)desc_;
    ops_tensor_sum s;
    s.t[0] = &desc->a, s.t[1] = &desc->b, s.t[2] = &desc->c;
    s.labels[0] = &left[desc->op_a][3 - desc->a.rank];
    s.labels[1] = &right[desc->op_b][3 - desc->b.rank];
    s.labels[2] = &"bmn"[3 - desc->c.rank];
    s.conj = (desc->op_a >= 2 ? 1u : 0u) | (desc->op_b >= 2 ? 2u : 0u);
    s.math = desc->math;
    s.alpha = desc->alpha, s.beta = desc->beta;
    ops_tensor_all(&s, want, slack);
}

static void ops_tensor_contract_exact(const void *desc_, double *want, double *slack)
{
    const padic_tensor_contract_desc *desc = (const padic_tensor_contract_desc *)desc_;
    ops_tensor_sum s;
    s.t[0] = &desc->a, s.t[1] = &desc->b, s.t[2] = &desc->c;
    s.labels[0] = (const char *)desc->labels_a;
    s.labels[1] = (const char *)desc->labels_b;
    s.labels[2] = (const char *)desc->labels_c;
    s.conj = desc->conj, s.math = desc->math;
    s.alpha = desc->alpha, s.beta = desc->beta;
    ops_tensor_all(&s, want, slack);
}

static const ops_case ops_tensor_gemm_case = {"", NULL, ops_tensor_gemm_exact};
static const ops_case ops_tensor_contract_case = {"", NULL, ops_tensor_contract_exact};

// batch 0: rank 2. `apart`: rows stand further apart than they are long; `turned`: the last axis is
// the slowest.
static padic_tensor ops_tensor_view(padic_dtype dtype, uint64_t batch, uint64_t rows,
                                    uint64_t columns, int apart, int turned)
{
    padic_tensor t = batch ? padic_tensor_3d(dtype, NULL, batch, rows, columns)
                           : padic_tensor_2d(dtype, NULL, rows, columns);
    const uint32_t last = t.rank - 1;
    const int64_t r = (int64_t)rows + apart, c = (int64_t)columns + apart;
    if (!apart && !turned) return t;
    t.stride[last] = turned ? r : 1;
    t.stride[last - 1] = turned ? 1 : c;
    if (batch) t.stride[0] = (turned ? r * (int64_t)columns : c * (int64_t)rows) + 2 * apart;
    for (uint32_t i = 0; i < t.rank; i++)
        if (t.stride[i] < 1) t.stride[i] = 1; // next to an extent of 0
    return t;
}

static void ops_tensor_gemm_one(ops_run *run, padic_dtype dtype, uint64_t batch, uint64_t m,
                                uint64_t n, uint64_t k, uint32_t how)
{
    const uint32_t op_a = how & 3, op_b = how >> 2 & 3;
    const int swap_a = op_a == 1 || op_a == 2, swap_b = op_b == 1 || op_b == 2;
    padic_tensor_gemm_desc desc = PADIC_ZERO;
    desc.a = ops_tensor_view(dtype, batch, swap_a ? k : m, swap_a ? m : k, how >> 4 & 1,
                             how >> 5 & 1);
    desc.b = ops_tensor_view(dtype, batch, swap_b ? n : k, swap_b ? k : n, how >> 6 & 1,
                             how >> 7 & 1);
    desc.c = ops_tensor_view(dtype, batch, m, n, how >> 8 & 1, how >> 9 & 1);
    desc.op_a = (padic_tensor_op)op_a;
    desc.op_b = (padic_tensor_op)op_b;
    desc.math = (padic_tensor_math)(how >> 10 & 3);
    if (how >> 12 & 1) {
        const int both = dtype == PADIC_C64 || dtype == PADIC_C128;
        desc.alpha[0] = -0.75;
        desc.beta[0] = 0.5;
        if (both) desc.alpha[1] = 1.5, desc.beta[1] = -1;
    }
    ops_check(run, PADIC_OP_TENSOR_GEMM, &desc, &ops_tensor_gemm_case);
}

// Large enough for tensor cores: whole tiles and parts of them, sums that are no multiple of what
// is added at a time, every layout and operation, SPLIT and TF32 in turns.
static void ops_tensor_gemm_cores(ops_run *run)
{
    static const uint64_t sizes[][4] = {{0, 128, 128, 32}, {2, 130, 198, 70}, {3, 131, 67, 45},
                                        {0, 300, 70, 97},  {1, 64, 129, 33},  {0, 65, 65, 16},
                                        {5, 70, 128, 31},  {40, 66, 64, 17},  {2, 64, 64, 64}};
    for (uint32_t i = 0; i < 9; i++)
        for (uint32_t j = 0; j < 8; j++) {
            const uint32_t how = ((i * 8 + j) * 0x9e3779b1u >> 12 & ~(3u << 10)) |
                                 (2u + j % 2) << 10;
            ops_tensor_gemm_one(run, PADIC_C64, sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3],
                                how);
        }
}

static void ops_tensor_gemm(ops_run *run)
{
    static const uint64_t sizes[][4] = {{0, 1, 1, 1},   {0, 0, 3, 2},    {0, 2, 3, 0},
                                        {0, 3, 4, 5},   {3, 17, 1, 33},  {0, 64, 65, 17},
                                        {40, 8, 8, 8},  {5, 16, 17, 16}, {2, 33, 32, 40},
                                        {0, 3, 2, 1500}, {2, 130, 66, 20}};
    static const padic_dtype types[] = {PADIC_C64, PADIC_F32, PADIC_C128, PADIC_F64};
    if (run->perf) {
        ops_tensor_gemm_one(run, PADIC_C64, 16, 256, 256, 256, 0);
        ops_tensor_gemm_one(run, PADIC_C64, 16, 256, 256, 256, 2u << 10);
        return;
    }
    for (uint32_t d = 0; d < 4; d++)
        for (uint32_t i = 0; i < 11; i++) {
            const uint32_t how = (d * 11 + i) * 0x9e3779b1u >> 12;
            if (i == 10 && d != 0) continue; // for tensor cores
            if (test_tiny && i > 7) continue;
            ops_tensor_gemm_one(run, types[d], sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3],
                                i == 10 ? (how & ~(3u << 10)) | 2u << 10 : how);
        }
    if (!strcmp(run->backend, "cuda")) ops_tensor_gemm_cores(run);
    // Rows of one matrix for the whole batch, backwards.
    {
        padic_tensor_gemm_desc desc = PADIC_ZERO;
        desc.a = padic_tensor_3d(PADIC_C64, NULL, 3, 6, 7);
        desc.a.stride[1] = -7, desc.a.stride[2] = 1;
        desc.b = padic_tensor_2d(PADIC_C64, NULL, 7, 5);
        desc.c = padic_tensor_3d(PADIC_C64, NULL, 3, 6, 5);
        ops_check(run, PADIC_OP_TENSOR_GEMM, &desc, &ops_tensor_gemm_case);
    }
}

static void ops_tensor_contract(ops_run *run)
{
    static const struct {
        const char *a, *b, *c;
    } rows[] = {{"ijk", "lj", "ikl"}, {"ab", "ab", ""},       {"abc", "cbd", "ad"},
                {"aab", "bc", "ca"},  {"abz", "cyb", "ca"},   {"abcd", "bdef", "afce"},
                {"", "ab", "ba"},     {"xabx", "xcab", "xc"}, {"abcdefgh", "hgfe", "dbca"}};
    static const padic_dtype types[][3] = {{PADIC_C64, PADIC_C64, PADIC_C64},
                                           {PADIC_F32, PADIC_F32, PADIC_F32},
                                           {PADIC_F32, PADIC_C64, PADIC_C64},
                                           {PADIC_C64, PADIC_F32, PADIC_C64},
                                           {PADIC_C128, PADIC_F64, PADIC_C128},
                                           {PADIC_F64, PADIC_F64, PADIC_F64}};
    if (run->perf) return;
    for (uint32_t d = 0; d < 6; d++)
        for (uint32_t i = 0; i < 9; i++) {
            const char *labels[3] = {rows[i].a, rows[i].b, rows[i].c};
            padic_tensor_contract_desc desc = PADIC_ZERO;
            padic_tensor *t[3] = {&desc.a, &desc.b, &desc.c};
            uint8_t *to[3] = {desc.labels_a, desc.labels_b, desc.labels_c};
            if (test_tiny && (d + i) % 3) continue;
            for (int o = 0; o < 3; o++) {
                uint64_t shape[8];
                const uint32_t rank = (uint32_t)strlen(labels[o]);
                for (uint32_t j = 0; j < rank; j++) // 1 to 5, by label
                    shape[j] = 1 + (uint64_t)(labels[o][j] * 7 + (int)i) % (rank > 5 ? 2 : 5);
                for (uint32_t j = 0; j < rank && strlen(labels[0]) > 5; j++)
                    shape[j] = 1 + (uint64_t)(labels[o][j] * 7 + (int)i) % 2;
                *t[o] = padic_tensor_nd(types[d][o], NULL, rank, shape);
                memcpy(to[o], labels[o], rank);
            }
            desc.conj = i % 4;
            desc.math = d % 2;
            if (i % 2) desc.alpha[0] = 2, desc.beta[0] = -1;
            ops_check(run, PADIC_OP_TENSOR_CONTRACT, &desc, &ops_tensor_contract_case);
        }
}

// Factorisations. A = X diag(w) Y^dagger with w known and far apart, X and Y of random reflections,
// so that the factors are known, too; Q R likewise.

#define OPS_FACTOR_MOST (5 * 66 * 70) // numbers of all matrices of a batch

static struct {
    uint64_t m, n, r;
    int kind;                                      // 0 svd, 1 qr, 2 eigh
    double x[2 * OPS_FACTOR_MOST], y[2 * OPS_FACTOR_MOST], a[2 * OPS_FACTOR_MOST];
    double w[OPS_FACTOR_MOST]; // y: of qr R (r x n), else V (n x r)
    double gap, eps;
} ops_factor;

static double ops_factor_random(void)
{
    return (double)(test_random() >> 11) / 4503599627370496.0 - 1;
}

// x (rows x columns, row-major): columns of a unitary matrix, by three random reflections of 1.
static void ops_factor_unitary(uint64_t rows, uint64_t columns, int both, double *x)
{
    static double v[2 * 600];
    for (uint64_t i = 0; i < rows * columns; i++)
        x[2 * i] = i / columns == i % columns, x[2 * i + 1] = 0;
    for (int turn = 0; turn < 3; turn++) {
        double norm = 0;
        for (uint64_t i = 0; i < rows; i++) {
            v[2 * i] = ops_factor_random(), v[2 * i + 1] = both ? ops_factor_random() : 0;
            norm += v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1];
        }
        for (uint64_t j = 0; j < columns; j++) {
            double re = 0, im = 0;
            for (uint64_t i = 0; i < rows; i++) {
                const double *z = x + 2 * (i * columns + j);
                re += v[2 * i] * z[0] + v[2 * i + 1] * z[1];
                im += v[2 * i] * z[1] - v[2 * i + 1] * z[0];
            }
            re *= 2 / norm, im *= 2 / norm;
            for (uint64_t i = 0; i < rows; i++) {
                double *z = x + 2 * (i * columns + j);
                z[0] -= v[2 * i] * re - v[2 * i + 1] * im;
                z[1] -= v[2 * i] * im + v[2 * i + 1] * re;
            }
        }
    }
    for (uint64_t j = 0; j < columns; j++) { // what rounding has left of a length of 1
        double norm = 0;
        for (uint64_t i = 0; i < rows; i++) {
            const double *z = x + 2 * (i * columns + j);
            norm += z[0] * z[0] + z[1] * z[1];
        }
        norm = sqrt(norm);
        for (uint64_t i = 0; i < rows; i++) {
            double *z = x + 2 * (i * columns + j);
            z[0] /= norm, z[1] /= norm;
        }
    }
}

// The largest entry of each column real and positive, the same turn for y's.
static void ops_factor_signs(uint64_t rows, uint64_t columns, double *x, uint64_t other, double *y)
{
    for (uint64_t j = 0; j < columns; j++) {
        double most = 0, turn[2] = {1, 0};
        for (uint64_t i = 0; i < rows; i++) {
            const double *z = x + 2 * (i * columns + j), size = hypot(z[0], z[1]);
            if (size > most) most = size, turn[0] = z[0] / size, turn[1] = -z[1] / size;
        }
        for (uint64_t i = 0; i < rows + other; i++) {
            double *z = i < rows ? x + 2 * (i * columns + j) : y + 2 * ((i - rows) * columns + j);
            const double re = z[0] * turn[0] - z[1] * turn[1];
            z[1] = z[0] * turn[1] + z[1] * turn[0], z[0] = re;
        }
    }
}

static void ops_factor_make(uint64_t b, int both)
{
    const uint64_t m = ops_factor.m, n = ops_factor.n, r = ops_factor.r;
    double *x = ops_factor.x + 2 * b * m * r, *y = ops_factor.y + 2 * b * n * r;
    double *a = ops_factor.a + 2 * b * m * n, *w = ops_factor.w + b * r;
    ops_factor_unitary(m, r, both, x);
    if (ops_factor.kind != 1) ops_factor_unitary(n, r, both, y);
    if (ops_factor.kind == 2) memcpy(y, x, 16 * n * n);
    for (uint64_t k = 0; k < r; k++) // svd: 2 to 1/r; eigh: -1 to 1
        w[k] = ops_factor.kind == 2 ? (2 * (double)k + 1) / (double)r - 1
                                    : (2 * (double)(r - k) - 1) / (double)r;
    ops_factor_signs(m, r, x, ops_factor.kind == 1 ? 0 : n, y);
    for (uint64_t i = 0; ops_factor.kind == 1 && i < r * n; i++) { // R
        const uint64_t k = i / n, j = i % n;
        y[2 * i] = j < k ? 0 : j > k ? .3 * ops_factor_random() : 1 + .5 * ops_factor_random();
        y[2 * i + 1] = both && j > k ? .3 * ops_factor_random() : 0;
    }
    for (uint64_t i = 0; i < m * n; i++) {
        a[2 * i] = a[2 * i + 1] = 0;
        for (uint64_t k = 0; k < r; k++) {
            const double *p = x + 2 * (i / n * r + k), *q = y + 2 * (i % n * r + k);
            double f = w[k], re = q[0], im = -q[1];
            if (ops_factor.kind == 1)
                f = 1, re = y[2 * (k * n + i % n)], im = y[2 * (k * n + i % n) + 1];
            a[2 * i] += f * (p[0] * re - p[1] * im);
            a[2 * i + 1] += f * (p[0] * im + p[1] * re);
        }
    }
}

// Of eigh, the upper triangle and the diagonal's imaginary parts are not read.
static void ops_factor_number(void *element, uint64_t i, void *arg)
{
    const padic_dtype dtype = *(const padic_dtype *)arg;
    const uint64_t n = ops_factor.n, row = i / n % n, column = i % n;
    double z[2];
    float f[2];
    memcpy(z, ops_factor.a + 2 * i, 16);
    if (ops_factor.kind == 2 && column > row) z[0] = z[1] = 1e9;
    if (ops_factor.kind == 2 && column == row) z[1] = -1e9;
    f[0] = (float)z[0], f[1] = (float)z[1];
    if (dtype == PADIC_F64 || dtype == PADIC_C128)
        memcpy(element, z, padic_dtype_size(dtype));
    else
        memcpy(element, f, padic_dtype_size(dtype));
}

static void ops_factor_input(const padic_tensor *t, uint32_t operand)
{
    padic_dtype dtype = t->dtype;
    const uint64_t batch = t->rank == 3 ? t->shape[0] : 1;
    if (operand) { // an output, which keeps what it has where a matrix has a NaN
        ops_random(t);
        return;
    }
    for (uint64_t b = 0; b < batch; b++)
        ops_factor_make(b, dtype == PADIC_C64 || dtype == PADIC_C128);
    ops_each(t, ops_factor_number, &dtype);
}

// `count` numbers of z, transposed and conjugated as matrices of rows x columns when `turn`.
static double *ops_factor_want(const padic_tensor *t, const double *z, int turn, double slack,
                               double **want, double *slacks)
{
    const uint64_t parts = t->dtype == PADIC_C64 || t->dtype == PADIC_C128 ? 2 : 1;
    const uint64_t count = padic_tensor_count(t), columns = t->rank ? t->shape[t->rank - 1] : 1;
    const uint64_t rows = t->rank > 1 ? t->shape[t->rank - 2] : 1;
    for (uint64_t i = 0; t->dtype != PADIC_DTYPE_NONE && i < count; i++) {
        uint64_t from = i;
        if (turn) from = i / (rows * columns) * (rows * columns) + i % columns * rows +
                         i / columns % rows;
        for (uint64_t p = 0; p < parts; p++) {
            *(*want)++ = p && turn ? -z[2 * from + p] : z[2 * from + p];
            *slacks++ = slack;
        }
    }
    return slacks;
}

static double *ops_factor_values(const padic_tensor *t, double slack, double **want, double *slacks)
{
    const uint64_t count = padic_tensor_count(t);
    for (uint64_t i = 0; t->dtype != PADIC_DTYPE_NONE && i < count; i++) {
        *(*want)++ = ops_factor.w[i];
        *slacks++ = slack;
    }
    return slacks;
}

// status: all went well.
static void ops_factor_well(const padic_tensor *t, double *want, double *slack)
{
    const uint64_t count = padic_tensor_count(t);
    for (uint64_t i = 0; t->dtype != PADIC_DTYPE_NONE && i < count; i++)
        want[i] = 0, slack[i] = 1e-30;
}

// Values are off by 10 n eps of the largest; vectors by that over the gap, though not so often.
static void ops_tensor_svd_exact(const void *desc_, double *want, double *slack)
{
    const padic_tensor_svd_desc *desc = (const padic_tensor_svd_desc *)desc_;
    const double longer = (double)(ops_factor.m > ops_factor.n ? ops_factor.m : ops_factor.n);
    const double off = 4 * ops_factor.eps * sqrt(longer) * (double)ops_factor.r;
    slack = ops_factor_want(&desc->u, ops_factor.x, 0, off, &want, slack);
    slack = ops_factor_want(&desc->vh, ops_factor.y, 1, off, &want, slack);
    slack = ops_factor_values(&desc->s, 10 * longer * ops_factor.eps, &want, slack);
    ops_factor_well(&desc->status, want, slack);
}

static void ops_tensor_qr_exact(const void *desc_, double *want, double *slack)
{
    const padic_tensor_qr_desc *desc = (const padic_tensor_qr_desc *)desc_;
    const double off = 10 * ops_factor.eps * (double)(ops_factor.m + ops_factor.n);
    slack = ops_factor_want(&desc->q, ops_factor.x, 0, off, &want, slack);
    slack = ops_factor_want(&desc->r, ops_factor.y, 0, 3 * off, &want, slack);
    ops_factor_well(&desc->status, want, slack);
}

static void ops_tensor_eigh_exact(const void *desc_, double *want, double *slack)
{
    const padic_tensor_eigh_desc *desc = (const padic_tensor_eigh_desc *)desc_;
    const double n = (double)ops_factor.n, off = 4 * ops_factor.eps * sqrt(n) * n;
    slack = ops_factor_want(&desc->v, ops_factor.x, 0, off, &want, slack);
    slack = ops_factor_values(&desc->w, 10 * n * ops_factor.eps, &want, slack);
    ops_factor_well(&desc->status, want, slack);
}

static const ops_case ops_tensor_svd_case = {"", ops_factor_input, ops_tensor_svd_exact};
static const ops_case ops_tensor_qr_case = {"", ops_factor_input, ops_tensor_qr_exact};
static const ops_case ops_tensor_eigh_case = {"", ops_factor_input, ops_tensor_eigh_exact};

// s or w: one axis less.
static padic_tensor ops_factor_vector(padic_dtype dtype, uint64_t batch, uint64_t r, int apart)
{
    const padic_dtype real = dtype == PADIC_F64 || dtype == PADIC_C128 ? PADIC_F64 : PADIC_F32;
    padic_tensor t = ops_tensor_view(real, 0, batch ? batch : 1, r, apart, 0);
    if (batch) return t;
    t.rank = 1;
    t.shape[0] = r;
    t.stride[0] = apart ? 2 : 0;
    t.shape[1] = 0, t.stride[1] = 0;
    return t;
}

// how: which results are not wanted (3 bits), then as in ops_tensor_gemm_one(); 128: with status,
// so that the call can be recorded.
static void ops_factor_one(ops_run *run, int kind, padic_dtype dtype, uint64_t batch, uint64_t m,
                           uint64_t n, uint32_t how)
{
    const uint64_t r = m < n ? m : n;
    const int apart = how >> 3 & 1, turned = how >> 4 & 1;
    const padic_tensor a = ops_tensor_view(dtype, batch, m, n, how >> 5 & 1, how >> 6 & 1);
    const padic_tensor left = ops_tensor_view(dtype, batch, m, r, apart, turned);
    const padic_tensor right = ops_tensor_view(dtype, batch, r, n, apart, !turned);
    const padic_tensor values = ops_factor_vector(dtype, batch, r, apart), none = PADIC_ZERO;
    padic_tensor status = padic_tensor_1d(PADIC_I32, NULL, batch ? batch : 1);
    if (apart) status.stride[0] = 3;
    if (!(how & 128)) status = none;
    REQUIRE((batch ? batch : 1) * m * n <= OPS_FACTOR_MOST);
    ops_factor.m = m, ops_factor.n = n, ops_factor.r = r, ops_factor.kind = kind;
    ops_factor.eps = dtype == PADIC_F64 || dtype == PADIC_C128 ? ldexp(1, -52) : ldexp(1, -23);
    if ((how & 7) == 7) how &= ~7u;
    if (kind == 0) {
        padic_tensor_svd_desc desc = PADIC_ZERO;
        desc.a = a, desc.status = status;
        desc.u = how & 1 ? none : left, desc.vh = how & 2 ? none : right;
        desc.s = how & 4 ? none : values;
        ops_check(run, PADIC_OP_TENSOR_SVD, &desc, &ops_tensor_svd_case);
    } else if (kind == 1) {
        padic_tensor_qr_desc desc = PADIC_ZERO;
        desc.a = a, desc.status = status;
        desc.q = how & 1 ? none : left, desc.r = how & 2 ? none : right;
        ops_check(run, PADIC_OP_TENSOR_QR, &desc, &ops_tensor_qr_case);
    } else {
        padic_tensor_eigh_desc desc = PADIC_ZERO;
        desc.a = a, desc.status = status;
        desc.v = how & 1 ? none : left, desc.w = how & 2 ? none : values;
        ops_check(run, PADIC_OP_TENSOR_EIGH, &desc, &ops_tensor_eigh_case);
    }
}

static void ops_factor_all(ops_run *run, int kind)
{
    static const uint64_t sizes[][3] = {{0, 1, 1},   {0, 3, 2},   {3, 2, 5},  {0, 0, 3},
                                        {2, 0, 0},   {4, 8, 8},   {5, 16, 9}, {2, 33, 7},
                                        {1, 30, 31}, {2, 17, 64}, {0, 5, 66}, {0, 66, 65},
                                        {0, 64, 64}, {3, 36, 36}};
    static const padic_dtype types[] = {PADIC_C64, PADIC_F32, PADIC_C128, PADIC_F64};
    if (run->perf) {
        ops_factor_one(run, kind, PADIC_C64, 90, 16, 16, 0);
        ops_factor_one(run, kind, PADIC_C64, 5, 64, 64, 0);
        return;
    }
    for (uint32_t d = 0; d < 4; d++)
        for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const uint32_t how = (d * 14 + i) * 0x9e3779b1u >> 24;
            const uint64_t m = sizes[i][kind == 2 && sizes[i][1] > sizes[i][2] ? 2 : 1];
            if (test_tiny && (i == 9 || i > 10)) continue;
            ops_factor_one(run, kind, types[d], sizes[i][0], m, kind == 2 ? m : sizes[i][2],
                           i == 8 || i == 12 ? how & ~7u : how);
        }
}

// What ops_check() does not see: matrices without unique factors, by residuals; a NaN, `info`.

#define OPS_FACTOR_N 9
typedef float ops_factor_matrix[OPS_FACTOR_N][OPS_FACTOR_N][2];

// (x y)[i][j], one of them conjugated and transposed (conj 1: x, 2: y), with w between them.
static void ops_factor_product(ops_factor_matrix x, const float *w, ops_factor_matrix y, int conj,
                               int i, int j, double z[2])
{
    z[0] = z[1] = 0;
    for (int k = 0; k < OPS_FACTOR_N; k++) {
        const float *p = conj == 1 ? x[k][i] : x[i][k], *q = conj == 2 ? y[j][k] : y[k][j];
        const double p0 = (double)p[0], p1 = conj == 1 ? -(double)p[1] : (double)p[1];
        const double q0 = (double)q[0], q1 = conj == 2 ? -(double)q[1] : (double)q[1];
        const double f = w ? (double)w[k] : 1;
        z[0] += f * (p0 * q0 - p1 * q1);
        z[1] += f * (p0 * q1 + p1 * q0);
    }
}

// The largest entry of |X diag(w) Y - A| over |A|, of |X^dagger X - 1| and, with w, of
// |Y Y^dagger - 1|.
static double ops_factor_residual(ops_factor_matrix a, ops_factor_matrix x, const float *w,
                                  ops_factor_matrix y)
{
    double worst = 0, most = 0, z[2];
    for (int i = 0; i < OPS_FACTOR_N; i++)
        for (int j = 0; j < OPS_FACTOR_N; j++)
            most = fmax(most, hypot((double)a[i][j][0], (double)a[i][j][1]));
    for (int i = 0; i < OPS_FACTOR_N; i++)
        for (int j = 0; j < OPS_FACTOR_N; j++) {
            ops_factor_product(x, w, y, 0, i, j, z);
            z[0] -= (double)a[i][j][0], z[1] -= (double)a[i][j][1];
            worst = fmax(worst, most > 0 ? hypot(z[0], z[1]) / most : hypot(z[0], z[1]));
            ops_factor_product(x, NULL, x, 1, i, j, z);
            worst = fmax(worst, hypot(z[0] - (i == j), z[1]));
            if (w) ops_factor_product(y, NULL, y, 2, i, j, z);
            worst = fmax(worst, hypot(z[0] - (i == j), z[1]));
        }
    return worst;
}

// Rank one, nothing, equal values, small and large numbers, a NaN.
static void ops_factor_special(ops_factor_matrix *a)
{
    memset(a, 0, 6 * sizeof *a);
    for (int b = 0; b < 6; b++)
        for (int i = 0; i < OPS_FACTOR_N; i++)
            for (int j = 0; j < OPS_FACTOR_N; j++)
                for (int k = 0; k < 2; k++) {
                    float *z = &a[b][i][j][k];
                    if (b == 0 && !k) *z = (float)((i + 1) * (j + 1));
                    if (b == 2 && !k) *z = i != j ? 0 : i % 2 ? 3.f : -3.f;
                    if (b == 3) *z = (float)ops_factor_random() * 1e-30f;
                    if (b == 4) *z = (float)ops_factor_random() * 1e37f;
                    if (b == 5) *z = (float)ops_factor_random();
                }
    a[5][4][2][0] = (float)NAN;
}

static padic_result ops_factor_call(padic_context *context, int kind, padic_tensor a,
                                    padic_tensor x, padic_tensor y, padic_tensor w,
                                        padic_tensor status)
{
    if (kind == 0) {
        padic_tensor_svd_desc desc = PADIC_ZERO;
        desc.a = a, desc.u = x, desc.vh = y, desc.s = w, desc.status = status;
        return padic_tensor_svd(context, &desc);
    }
    if (kind == 1) {
        padic_tensor_qr_desc desc = PADIC_ZERO;
        desc.a = a, desc.q = x, desc.r = y, desc.status = status;
        return padic_tensor_qr(context, &desc);
    }
    padic_tensor_eigh_desc desc = PADIC_ZERO;
    desc.a = a, desc.v = x, desc.w = w, desc.status = status;
    return padic_tensor_eigh(context, &desc);
}

static void ops_factor_others(ops_run *run, int kind)
{
    static ops_factor_matrix a[6], x[6], y[6], full;
    const uint64_t shape[3] = {6, OPS_FACTOR_N, OPS_FACTOR_N};
    const padic_tensor ta = padic_tensor_nd(PADIC_C64, a, 3, shape);
    const padic_tensor tx = padic_tensor_nd(PADIC_C64, x, 3, shape);
    const padic_tensor ty = padic_tensor_nd(PADIC_C64, y, 3, shape);
    float w[6][OPS_FACTOR_N];
    int32_t status[6];
    const padic_tensor tw = padic_tensor_2d(PADIC_F32, w, 6, OPS_FACTOR_N), none = PADIC_ZERO;
    if (run->perf) return;
    ops_factor_special(a);
    memset(x, 0x5a, sizeof x), memset(y, 0x5a, sizeof y), memset(w, 0x5a, sizeof w);
    padic_result result = ops_factor_call(run->context, kind, ta, tx, ty, tw, none);
    if (result == PADIC_ERROR_NOT_SUPPORTED) return;
    CHECK_EQ(result, PADIC_ERROR_NOT_FINITE);
    if (run->context) CHECK(strstr(padic_context_message(run->context), "matrix 5") != NULL);
    result = ops_factor_call(run->context, kind, ta, tx, ty, tw,
                             padic_tensor_1d(PADIC_I32, status, 6));
    CHECK_EQ(result, PADIC_OK); // it does not look
    for (int b = 0; b < 6; b++)
        CHECK_EQ(status[b], b == 5 ? PADIC_ERROR_NOT_FINITE : PADIC_OK);
    for (size_t i = 0; i < sizeof x[5]; i++)
        CHECK(((unsigned char *)x[5])[i] == 0x5a && ((unsigned char *)y[5])[i] == 0x5a);
    for (int b = 0; b < 5; b++) {
        memcpy(full, a[b], sizeof full);
        for (int i = 0; kind == 2 && i < OPS_FACTOR_N; i++)
            for (int j = 0; j < OPS_FACTOR_N; j++) {
                if (j > i) full[i][j][0] = a[b][j][i][0], full[i][j][1] = -a[b][j][i][1];
                if (j == i) full[i][j][1] = 0;
                y[b][i][j][0] = x[b][j][i][0], y[b][i][j][1] = -x[b][j][i][1];
            }
        CHECK(ops_factor_residual(full, x[b], kind == 1 ? NULL : w[b], y[b]) <=
              10 * OPS_FACTOR_N * ldexp(1, -23));
        for (int i = 0; kind == 1 && i < OPS_FACTOR_N; i++) {
            CHECK(y[b][i][i][0] >= 0 && y[b][i][i][1] == 0);
            for (int j = 0; j < i; j++) CHECK(y[b][i][j][0] == 0 && y[b][i][j][1] == 0);
        }
        for (int k = 1; kind != 1 && k < OPS_FACTOR_N; k++)
            CHECK(kind == 2 ? w[b][k] >= w[b][k - 1] : w[b][k] <= w[b][k - 1] && w[b][k] >= 0);
    }
}

// Singular values that fall by 10^-17: the sweeps converge, the values are the reference's.
static void ops_factor_falling(ops_run *run)
{
    enum { N = 36 };
    static double a[N][N];
    static float b[N][N];
    if (run->perf) return;
    memset(a, 0, sizeof a);
    for (int k = 0; k < N; k++) {
        double x[2][N];
        for (int i = 0; i < 2 * N; i++) x[i & 1][i / 2] = ops_factor_random();
        for (int i = 0; i < N * N; i++)
            a[i / N][i % N] += pow(10, (-17. * k - 7. * (i % N)) / 36) * x[0][i / N] * x[1][i % N];
    }
    for (int i = 0; i < N * N; i++) b[i / N][i % N] = (float)a[i / N][i % N];
    for (int is_double = 0; is_double < 2; is_double++) {
        const padic_dtype type = is_double ? PADIC_F64 : PADIC_F32;
        double s[2][N];
        float t[2][N];
        for (int host = 0; host < 2; host++) {
            padic_tensor_svd_desc desc = PADIC_ZERO;
            desc.a = padic_tensor_2d(type, is_double ? (void *)a : (void *)b, N, N);
            desc.s = padic_tensor_1d(type, is_double ? (void *)s[host] : (void *)t[host], N);
            const padic_result result = padic_tensor_svd(host ? NULL : run->context, &desc);
            if (result == PADIC_ERROR_NOT_SUPPORTED) return;
            CHECK_EQ(result, PADIC_OK);
        }
        for (int k = 0; k < N; k++)
            if (is_double)
                CHECK_NEAR(s[0][k], s[1][k], 10 * N * ldexp(1, -52) * s[1][0]);
            else
                CHECK_NEAR((double)t[0][k], (double)t[1][k],
                           10 * N * ldexp(1, -23) * (double)t[1][0]);
    }
}

static void ops_tensor_svd(ops_run *run)
{
    ops_factor_all(run, 0);
    ops_factor_others(run, 0);
    ops_factor_falling(run);
}

static void ops_tensor_qr(ops_run *run)
{
    ops_factor_all(run, 1);
    ops_factor_others(run, 1);
}

static void ops_tensor_eigh(ops_run *run)
{
    ops_factor_all(run, 2);
    ops_factor_others(run, 2);
}

// Entropies of states A with the singular values w, and of rho with them as eigenvalues.

typedef struct ops_entropy { // of one row
    uint64_t shape[4]; // axes 0 and 2 of the state are one side
    int rho;
} ops_entropy;

static void ops_entropy_number(void *element, uint64_t i, void *arg)
{
    const padic_tensor *t = (const padic_tensor *)arg;
    uint64_t row = i / ops_factor.n, column = i % ops_factor.n;
    if (t->rank == 4) {
        const uint64_t *n = t->shape, e[4] = {i / (n[1] * n[2] * n[3]), i / (n[2] * n[3]) % n[1],
                                              i / n[3] % n[2], i % n[3]};
        row = e[0] * n[2] + e[2], column = e[1] * n[3] + e[3];
    }
    const double *z = ops_factor.a + 2 * (row * ops_factor.n + column);
    const float f[2] = {(float)z[0], (float)z[1]};
    const int is_double = t->dtype == PADIC_F64 || t->dtype == PADIC_C128;
    memcpy(element, is_double ? (const void *)z : (const void *)f, padic_dtype_size(t->dtype));
}

static void ops_entropy_check(const padic_tensor_entropy_report *got, const double renyi[2],
                              int rho,
                              double off)
{
    const uint64_t r = ops_factor.r;
    double sum = 0, want[4] = {0, 0, 0, 0}, root = 0;
    for (uint64_t k = 0; k < r; k++)
        sum += rho ? ops_factor.w[k] : ops_factor.w[k] * ops_factor.w[k];
    for (uint64_t k = 0; k < r; k++) {
        const double w = ops_factor.w[k], p = (rho ? w : w * w) / sum;
        want[0] -= p * log(p);
        if (k == 0) want[1] += p;
        if (k == 1) want[1] -= p;
        want[2] += p * p;
        root += sqrt(p);
    }
    CHECK_NEAR(got->von_neumann, want[0], off * (1 + want[0]));
    CHECK_NEAR(got->gap, want[1], off);
    CHECK_NEAR(renyi[0], -log(want[2]), off * (1 - log(want[2])));
    CHECK_NEAR(renyi[1], 2 * log(root), off * (1 + 2 * log(root)));
    CHECK_NEAR(got->negativity, rho ? 0 : (root * root - 1) / 2, off * root * root);
    CHECK_EQ(got->rank, r);
}

static void ops_entropy_one(ops_run *run, padic_dtype dtype, const ops_entropy *e, int apart,
                            uint32_t buffers)
{
    static const double orders[2] = {2, .5};
    const int is_double = dtype == PADIC_F64 || dtype == PADIC_C128;
    const uint64_t *n = e->shape;
    padic_tensor_entropy_desc desc = PADIC_ZERO;
    padic_tensor_entropy_report got = {-1, -1, -1, 77};
    double renyi[2] = {-1, -1};
    ops_call call;
    ops_memory m[PADICI_MAX_OPERANDS];
    void *block = NULL;
    padic_tensor t = padic_tensor_nd(dtype, NULL, 4, n);
    if (e->rho) t = padic_tensor_2d(dtype, NULL, n[0], n[0]);
    ops_factor.kind = 0;
    ops_factor.m = e->rho ? n[0] : n[0] * n[2], ops_factor.n = e->rho ? n[0] : n[1] * n[3];
    ops_factor.r = ops_factor.m < ops_factor.n ? ops_factor.m : ops_factor.n;
    REQUIRE(ops_factor.m * ops_factor.n <= OPS_FACTOR_MOST);
    ops_factor_make(0, dtype == PADIC_C64 || dtype == PADIC_C128);
    if (e->rho) { // V diag(w) V^dagger
        const uint64_t d = n[0];
        for (uint64_t i = 0; i < d * d; i++) {
            double *z = ops_factor.a + 2 * i;
            z[0] = z[1] = 0;
            for (uint64_t k = 0; k < d; k++) {
                const double *p = ops_factor.x + 2 * (i / d * d + k);
                const double *q = ops_factor.x + 2 * (i % d * d + k), w = ops_factor.w[k];
                z[0] += w * (p[0] * q[0] + p[1] * q[1]);
                z[1] += w * (p[1] * q[0] - p[0] * q[1]);
            }
        }
    }
    if (apart && !e->rho) { // axes in another order, with gaps
        t.stride[1] = 1, t.stride[0] = (int64_t)n[1] + 1;
        t.stride[3] = t.stride[0] * (int64_t)n[0], t.stride[2] = t.stride[3] * (int64_t)n[3] + 2;
    } else if (apart) {
        t.stride[0] = 2 * (int64_t)n[0] + 1, t.stride[1] = 2;
    }
    *(e->rho ? &desc.rho : &desc.state) = t;
    desc.part = e->rho ? 0 : 5;
    desc.report = &got;
    desc.orders = padic_tensor_1d(PADIC_F64, (void *)orders, 2);
    desc.renyi = padic_tensor_1d(PADIC_F64, renyi, 2);
    ops_call_begin(&call, PADIC_OP_TENSOR_ENTROPY, &desc);
    CHECK_EQ(call.count, 1);
    ops_memory_begin(&call, m);
    t.data = m[0].bytes + m[0].before;
    ops_each(&t, ops_entropy_number, &t);
    if (buffers)
        block = ops_in_buffer(run, &call, m, 0);
    else
        ops_on_host(&call, m, 0);
    const padic_result should =
        run->context ? ASK(run->context, ops_execute(run->context, &call)) : PADIC_OK;
    const padic_result result = ops_execute(run->context, &call);
    CHECK(!result || result == PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(should, result);
    if (result)
        CHECK(got.von_neumann == -1 && got.gap == -1 && got.rank == 77);
    else
        ops_entropy_check(&got, renyi, e->rho, is_double ? 1e-12 : 1e-6);
    if (buffers) ops_out_of_buffer(run, &call, m, 0);
    free(block);
    ops_memory_end(&call, m);
    ops_note(run, dtype, !result);
}

// A NaN, a state of zeros, too little room for the spectrum: nothing is written.
static void ops_entropy_refused(ops_run *run, int many)
{
    static const padic_result results[3] = {PADIC_ERROR_NOT_FINITE, PADIC_ERROR_DOMAIN,
                                            PADIC_ERROR_CAPACITY};
    float a[40][40][2];
    for (int what = 0; what < 3; what++) {
        padic_tensor_entropy_desc desc = PADIC_ZERO;
        padic_tensor_entropy_report s = {-1, 0, 0, 0};
        double spectrum[1] = {-1};
        const uint64_t n = many ? 40 : 3;
        memset(a, 0, sizeof a);
        for (uint64_t i = 0; i < n && what != 1; i++) a[i][i][0] = 1;
        if (what == 0) a[2][1][1] = (float)NAN;
        desc.state = padic_tensor_2d(PADIC_C64, a, n, n);
        desc.state.stride[0] = 40, desc.state.stride[1] = 1;
        desc.part = 1, desc.report = &s;
        desc.spectrum = padic_tensor_1d(PADIC_F64, spectrum, 1);
        const padic_result result = padic_tensor_entropy(run->context, &desc);
        if (result == PADIC_ERROR_NOT_SUPPORTED) return;
        CHECK_EQ(result, results[what]);
        CHECK(s.von_neumann == -1 && spectrum[0] == -1);
        CHECK_EQ(s.rank, what == 2 ? n : 0);
    }
}

// Two of three qubits: 2 ln 2 of a pair, with the third one apart; ln 2 of GHZ.
static void ops_entropy_information(ops_run *run)
{
    for (int ghz = 0; ghz < 2; ghz++) {
        float psi[8] = {1, 0, 0, 0, 0, 0, 0, 0};
        padic_tensor_mutual_information_report told = {-1, 0, 0, 0};
        padic_tensor_mutual_information_desc desc = PADIC_ZERO;
        psi[ghz ? 7 : 6] = 1;
        desc.state = padic_tensor_3d(PADIC_F32, psi, 2, 2, 2);
        desc.part_a = 1, desc.part_b = 2, desc.report = &told;
        const padic_result result = padic_tensor_mutual_information(run->context, &desc);
        if (result == PADIC_ERROR_NOT_SUPPORTED) return;
        CHECK_EQ(result, PADIC_OK);
        CHECK_NEAR(told.information, (ghz ? 1 : 2) * log(2), 1e-6);
        CHECK_NEAR(told.entropy_ab, ghz ? log(2) : 0, 1e-6);
    }
}

static void ops_tensor_entropy(ops_run *run)
{
    static const padic_dtype types[] = {PADIC_C64, PADIC_F32, PADIC_C128, PADIC_F64};
    static const ops_entropy rows[] = {
        {{2, 1, 1, 2}, 0}, {{1, 1, 1, 1}, 0}, {{2, 3, 4, 5}, 0},   {{3, 2, 2, 4}, 0},
        {{7, 4, 5, 9}, 0}, {{2, 30, 1, 20}, 0}, {{3, 13, 7, 41}, 0}, {{8, 8, 8, 8}, 0},
        {{5, 40, 10, 9}, 0}, {{9, 9, 9, 9}, 0}, {{3, 0, 0, 0}, 1}, {{17, 0, 0, 0}, 1},
        {{50, 0, 0, 0}, 1}};
    if (run->perf) return;
    for (uint32_t d = 0; d < 4; d++)
        for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (test_tiny && (i == 7 || i == 8 || i == 12)) continue;
            for (uint32_t buffers = 0; buffers < (run->context ? 2u : 1u); buffers++)
                ops_entropy_one(run, types[d], &rows[i], (int)((i + d + buffers) & 1), buffers);
        }
    ops_entropy_information(run);
    ops_entropy_refused(run, 0);
    if (!test_tiny) ops_entropy_refused(run, 1);
}

#define OPS_TENSOR                                                                     \
    {"tensor_gemm", ops_tensor_gemm}, {"tensor_contract", ops_tensor_contract},        \
    {"tensor_svd", ops_tensor_svd}, {"tensor_qr", ops_tensor_qr},                      \
    {"tensor_eigh", ops_tensor_eigh}, {"tensor_entropy", ops_tensor_entropy},
