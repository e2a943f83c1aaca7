// ops_tensor.h: rows of test_ops.c for tensor_gemm and tensor_contract. Wanted: the definition,
// summed in fp64 by loops over all labels.

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
    if (s->math == PADIC_TENSOR_GAUSS) slack[0] *= 2;
    if (s->math == PADIC_TENSOR_TF32 && !is_double)
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
    desc.op_a = op_a;
    desc.op_b = op_b;
    desc.math = how >> 10 & 3;
    if (how >> 12 & 1) {
        const int both = dtype == PADIC_C64 || dtype == PADIC_C128;
        desc.alpha[0] = -0.75;
        desc.beta[0] = 0.5;
        if (both) desc.alpha[1] = 1.5, desc.beta[1] = -1;
    }
    ops_check(run, PADIC_OP_TENSOR_GEMM, &desc, &ops_tensor_gemm_case);
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

#define OPS_TENSOR {"tensor_gemm", ops_tensor_gemm}, {"tensor_contract", ops_tensor_contract},
