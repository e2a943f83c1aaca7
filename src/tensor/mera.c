// ------------------------------------------------------------------------------------ >>mera impl
//
// tr(A(o) rho) is linear in o, and in each u and w that stands in it. One term of A is a chain: S_0
// = o, S_k+1 = S_k B_k, S_n = A(o). Backwards, R_n = rho, R_k = R_k+1 B_k: R_0 is D(rho), and S_k
// R_k+1 is the derivative by B_k.

typedef struct padici_mera_step {
    char what; // u, w; U, W: their conjugates; y, z: w with its conjugate, beside
    const char *b, *s; // labels of B, and of S after it
} padici_mera_step;

typedef struct padici_mera_chain {
    const char *o;
    const char *pair[2][2]; // labels of w and its conjugate in y and z
    padici_mera_step steps[9];
    uint32_t count, mirrored;
} padici_mera_chain;

#define PADICI_MERA_BINARY \
    "ijklmn", {{"epa", "erA"}, {"xgc", "zgC"}}, \
    {{'u', "lmpq", "ijkpqn"}, {'U', "ijrs", "rskpqn"}, {'y', "parA", "skqnaA"}, \
     {'w', "qtb", "sknaAtb"}, {'u', "nvtx", "skaAbvx"}, {'W', "syB", "kaAbvxyB"}, \
     {'U', "kvyz", "aAbxBz"}, {'z', "xczC", "ABCabc"}, {0, NULL, NULL}}, 8
#define PADICI_MERA_SIDE \
    "ijkl", {{"", ""}, {"qfgb", "vfgB"}}, \
    {{'u', "lspq", "ijkspq"}, {'U', "jsuv", "ikpquv"}, {'w', "xkpa", "iquvxa"}, \
     {'W', "xiuA", "qvaA"}, {'z', "qbvB", "ABab"}, {0, NULL, NULL}, {0, NULL, NULL}, \
     {0, NULL, NULL}, {0, NULL, NULL}}, 5
static const padici_mera_chain padici_mera_chains[5] = {
    {PADICI_MERA_BINARY, 0},
    {PADICI_MERA_BINARY, 1},
    {PADICI_MERA_SIDE, 0},
    {PADICI_MERA_SIDE, 1},
    {"ijkl",
     {{"efpa", "efuA"}, {"qfgb", "vfgB"}},
     {{'u', "klpq", "ijpq"}, {'U', "ijuv", "uvpq"}, {'y', "pauA", "vqaA"}, {'z', "qbvB", "ABab"},
      {0, NULL, NULL}, {0, NULL, NULL}, {0, NULL, NULL}, {0, NULL, NULL}, {0, NULL, NULL}},
     4,
     0}};

#define PADICI_MERA_BLOCKS 48

static const char *const padici_mera_names[5] = {"u", "w", "op", "rho", "out"};

typedef struct padici_mera {
    padic_context *context;
    const padic_tensor_mera_desc *desc;
    uint32_t sites;  // an operator acts on
    uint64_t f, c, below, above; // extents; of operators
    padic_tensor u, w;           // dense C128 copies
    padic_dtype dtype;
    void *blocks[PADICI_MERA_BLOCKS];
    size_t sizes[PADICI_MERA_BLOCKS];
    uint32_t used;
} padici_mera;

static void padici_mera_back_to(padici_mera *m, uint32_t used)
{
    while (m->used > used) {
        m->used--;
        padici_free(padici_allocator(m->context), m->blocks[m->used], m->sizes[m->used]);
    }
}

// A dense C128 tensor in memory of its own.
static padic_result padici_mera_take(padici_mera *m, uint32_t rank, const uint64_t *shape,
                                     padic_tensor *t)
{
    size_t bytes = 16;
    uint32_t i;
    *t = padic_tensor_nd(PADIC_C128, NULL, rank, shape);
    for (i = 0; i < rank; i++)
        if (!padici_mul_size(bytes, (size_t)shape[i], &bytes) || (uint64_t)bytes >> 40)
            return padici_fail_here(m->context, PADIC_ERROR_LIMIT,
                                    "u and w are too large for memory");
    if (m->used == PADICI_MERA_BLOCKS)
        return padici_fail_here(m->context, PADIC_ERROR_LIMIT, "too many tensors at once");
    t->data = padici_alloc(padici_allocator(m->context), bytes, 64);
    if (!t->data) return padici_fail_here(m->context, PADIC_ERROR_MEMORY, "out of host memory");
    memset(t->data, 0, bytes);
    m->blocks[m->used] = t->data;
    m->sizes[m->used++] = bytes;
    return PADIC_OK;
}

// to += weight from, axis i of `from` being axis order[i] of `to` (NULL: the same); any dtypes and
// strides. clear: to = instead.
static void padici_mera_add(const padic_tensor *to, const padic_tensor *from, const uint8_t *order,
                            double weight, int clear)
{
    const uint64_t count = padic_tensor_count(from);
    int64_t step[2][PADIC_MAX_RANK];
    uint64_t e;
    uint32_t i;
    padici_tensor_dense(to, step[0]);
    padici_tensor_dense(from, step[1]);
    for (e = 0; e < count; e++) {
        uint64_t rest = e;
        int64_t a = 0, b = 0;
        double x[2], y[2] = {0, 0};
        for (i = from->rank; i-- > 0; rest /= from->shape[i]) {
            const int64_t digit = (int64_t)(rest % from->shape[i]);
            a += digit * step[0][order ? order[i] : i];
            b += digit * step[1][i];
        }
        padici_tensor_read(from->dtype, (const char *)from->data, b, x, x + 1);
        if (!clear) padici_tensor_read(to->dtype, (const char *)to->data, a, y, y + 1);
        padici_tensor_write(to->dtype, (char *)to->data, a, y[0] + weight * x[0],
                            y[1] + weight * x[1]);
    }
}

static padic_tensor padici_mera_turned(const padic_tensor *t, const uint8_t *order)
{
    padic_tensor out = *t;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->rank; i++) {
        out.shape[i] = t->shape[order[i]];
        out.stride[i] = stride[order[i]];
    }
    return out;
}

// The order of axes seen in a mirror: of u, of w, of an operator.
static const uint8_t *padici_mera_mirror(const padici_mera *m, char what)
{
    static const uint8_t u[4] = {1, 0, 3, 2}, w2[3] = {1, 0, 2}, w3[4] = {2, 1, 0, 3};
    static const uint8_t o3[6] = {2, 1, 0, 5, 4, 3};
    return what == 'u' ? u : what == 'w' ? (m->sites == 3 ? w2 : w3) : m->sites == 3 ? o3 : u;
}

// c (new) = a b by labels; conj: of b.
static padic_result padici_mera_contract(padici_mera *m, const padic_tensor *a, const char *la,
                                         const padic_tensor *b, const char *lb, int conj,
                                         padic_tensor *c, const char *lc)
{
    padic_tensor_contract_desc desc;
    uint64_t shape[PADIC_MAX_RANK];
    uint32_t i, j;
    padic_result result;
    memset(&desc, 0, sizeof desc);
    for (i = 0; lc[i]; i++) {
        shape[i] = 0;
        for (j = 0; la[j]; j++)
            if (la[j] == lc[i]) shape[i] = a->shape[j];
        for (j = 0; lb[j]; j++)
            if (lb[j] == lc[i]) shape[i] = b->shape[j];
    }
    result = padici_mera_take(m, i, shape, c);
    if (result) return result;
    desc.a = *a;
    desc.b = *b;
    desc.c = *c;
    memcpy(desc.labels_a, la, strlen(la));
    memcpy(desc.labels_b, lb, strlen(lb));
    memcpy(desc.labels_c, lc, strlen(lc));
    desc.conj = conj ? 2 : 0;
    return padic_tensor_contract(m->context, &desc);
}

// The tensors of one chain.
typedef struct padici_mera_run {
    const padici_mera_chain *chain;
    padic_tensor u, w, y, z; // as the chain sees them
    padic_tensor s[10];
} padici_mera_run;

static padic_result padici_mera_open(padici_mera *m, padici_mera_run *r,
                                     const padici_mera_chain *chain)
{
    const char *const *y = chain->pair[0], *const *z = chain->pair[1];
    padic_result result = PADIC_OK;
    r->chain = chain;
    r->u = chain->mirrored ? padici_mera_turned(&m->u, padici_mera_mirror(m, 'u')) : m->u;
    r->w = chain->mirrored ? padici_mera_turned(&m->w, padici_mera_mirror(m, 'w')) : m->w;
    if (y[0][0]) {
        const uint32_t last = m->sites == 3 ? 1 : 2;
        char labels[5] = {0, 0, 0, 0, 0};
        labels[0] = y[0][last];
        labels[1] = y[0][last + 1];
        labels[2] = y[1][last];
        labels[3] = y[1][last + 1];
        result = padici_mera_contract(m, &r->w, y[0], &r->w, y[1], 1, &r->y, labels);
    }
    if (!result) {
        const uint32_t last = m->sites == 3 ? 2 : 3;
        char labels[5] = {0, 0, 0, 0, 0};
        labels[0] = z[0][0];
        labels[1] = z[0][last];
        labels[2] = z[1][0];
        labels[3] = z[1][last];
        result = padici_mera_contract(m, &r->w, z[0], &r->w, z[1], 1, &r->z, labels);
    }
    return result;
}

static const padic_tensor *padici_mera_factor(const padici_mera_run *r, char what)
{
    return what == 'u' || what == 'U'   ? &r->u
           : what == 'w' || what == 'W' ? &r->w
           : what == 'y'                ? &r->y
                                        : &r->z;
}

// S_0 = op (as 2 sites axes) up to S_n.
static padic_result padici_mera_forward(padici_mera *m, padici_mera_run *r, const padic_tensor *op)
{
    const char *labels = r->chain->o;
    uint32_t k;
    r->s[0] = r->chain->mirrored ? padici_mera_turned(op, padici_mera_mirror(m, 'o')) : *op;
    for (k = 0; k < r->chain->count; k++) {
        const padici_mera_step *step = &r->chain->steps[k];
        const padic_result result = padici_mera_contract(
            m, &r->s[k], labels, padici_mera_factor(r, step->what), step->b,
            step->what == 'U' || step->what == 'W', &r->s[k + 1], step->s);
        if (result) return result;
        labels = step->s;
    }
    return PADIC_OK;
}

// The derivative by B_k, added to env_u or env_w as the layer sees them.
static padic_result padici_mera_derive(padici_mera *m, const padici_mera_run *r, uint32_t k,
                                       const padic_tensor *after, const char *labels,
                                       const padic_tensor *env_u, const padic_tensor *env_w,
                                       double weight)
{
    const padici_mera_step *step = &r->chain->steps[k];
    const char *before = k ? r->chain->steps[k - 1].s : r->chain->o;
    const uint8_t *order = NULL;
    padic_tensor e, ew;
    padic_result result;
    if (step->what == 'U' || step->what == 'W') return PADIC_OK;
    result = padici_mera_contract(m, &r->s[k], before, after, labels, 0, &e, step->b);
    if (result) return result;
    if (r->chain->mirrored) order = padici_mera_mirror(m, step->what == 'u' ? 'u' : 'w');
    if (step->what == 'y' || step->what == 'z') {
        const char *const *pair = r->chain->pair[step->what == 'z'];
        result = padici_mera_contract(m, &e, step->b, &r->w, pair[1], 1, &ew, pair[0]);
        if (result) return result;
        e = ew;
    }
    padici_mera_add(step->what == 'u' ? env_u : env_w, &e, order, weight, 0);
    return PADIC_OK;
}

// R_n = rho back to R_0, added to `descended`; or, when S is there, the environments.
static padic_result padici_mera_backward(padici_mera *m, padici_mera_run *r,
                                         const padic_tensor *rho, const padic_tensor *descended,
                                         const padic_tensor *env_u, const padic_tensor *env_w,
                                         double weight)
{
    static const uint8_t swap3[6] = {3, 4, 5, 0, 1, 2}, swap2[4] = {2, 3, 0, 1};
    static const uint8_t swap3m[6] = {5, 4, 3, 2, 1, 0}, swap2m[4] = {3, 2, 1, 0};
    const char *labels = m->sites == 3 ? "abcABC" : "abAB";
    padic_tensor after =
        r->chain->mirrored ? padici_mera_turned(rho, padici_mera_mirror(m, 'o')) : *rho;
    uint32_t k;
    for (k = r->chain->count; k-- > 0;) {
        const padici_mera_step *step = &r->chain->steps[k];
        const char *before = k ? r->chain->steps[k - 1].s : r->chain->o;
        padic_tensor next;
        padic_result result = PADIC_OK;
        if (env_u) result = padici_mera_derive(m, r, k, &after, labels, env_u, env_w, weight);
        if (!result)
            result = padici_mera_contract(m, &after, labels, padici_mera_factor(r, step->what),
                                          step->b, step->what == 'U' || step->what == 'W', &next,
                                          before);
        if (result) return result;
        after = next;
        labels = before;
    }
    if (descended)
        padici_mera_add(descended, &after,
                        r->chain->mirrored ? (m->sites == 3 ? swap3m : swap2m)
                                           : (m->sites == 3 ? swap3 : swap2),
                        weight, 0);
    return PADIC_OK;
}

// All terms of A: ascends op to `up` (NULL: not), descends rho to `down`, or derives.
static padic_result padici_mera_all(padici_mera *m, const padic_tensor *op, const padic_tensor *rho,
                                    const padic_tensor *up, const padic_tensor *down,
                                    const padic_tensor *env_u, const padic_tensor *env_w)
{
    const padici_mera_chain *chain = padici_mera_chains + (m->sites == 3 ? 0 : 2);
    const uint32_t terms = m->sites == 3 ? 2 : 3, used = m->used;
    const double weight = 1.0 / terms;
    uint32_t i;
    padic_result result = PADIC_OK;
    for (i = 0; i < terms && !result; i++) {
        padici_mera_run run;
        result = padici_mera_open(m, &run, chain + i);
        if (!result && op) result = padici_mera_forward(m, &run, op);
        if (!result && up)
            padici_mera_add(up, &run.s[run.chain->count],
                            run.chain->mirrored ? padici_mera_mirror(m, 'o') : NULL, weight, 0);
        if (!result && rho)
            result = padici_mera_backward(m, &run, rho, down, env_u, env_w, weight);
        padici_mera_back_to(m, used);
    }
    return result;
}

static padic_result padici_mera_infinite(padici_mera *m, const char *name)
{
    return padici_fail_field(m->context, PADIC_ERROR_NOT_FINITE, name, "has a NaN or an infinity");
}

// A (d, d) tensor as one of an axis a site, copied to dense C128 and divided by 2^power, so that no
// product of two is beyond F64. `given` NULL: zeros.
static padic_result padici_mera_operator(padici_mera *m, const padic_tensor *given,
                                         const char *name, uint64_t extent, padic_tensor *out,
                                         int *power)
{
    uint64_t shape[6], d;
    uint32_t i;
    padic_tensor flat;
    padic_result result;
    for (i = 0; i < 6; i++) shape[i] = extent;
    result = padici_mera_take(m, 2 * m->sites, shape, out);
    if (result || !given) return result;
    d = m->sites == 3 ? extent * extent * extent : extent * extent;
    flat = padic_tensor_2d(PADIC_C128, out->data, d, d);
    if (!padici_tensor_power(given, power)) return padici_mera_infinite(m, name);
    padici_mera_add(&flat, given, NULL, ldexp(1.0, -*power), 1);
    return PADIC_OK;
}

// Writes from 2^power (`from` is lost) where `to` holds all of it.
static padic_result padici_mera_write(padici_mera *m, const padic_tensor *to,
                                      const padic_tensor *from, int power)
{
    const double first = ldexp(1.0, power / 2), second = ldexp(1.0, power - power / 2);
    const uint64_t count = 2 * padic_tensor_count(from);
    padic_tensor flat = *from;
    double *x = (double *)from->data;
    uint64_t i;
    for (i = 0; i < count; i++) {
        x[i] = x[i] * first * second;
        if (!padici_tensor_holds(to->dtype, x[i]))
            return padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                    "a number of out is beyond its dtype: scale op, rho, u or w");
    }
    flat.rank = to->rank;
    memcpy(flat.shape, to->shape, sizeof flat.shape);
    padici_mera_add(to, &flat, NULL, 1, 1);
    return PADIC_OK;
}

// max |x^dagger x - 1| of x as rows of its fine legs.
static double padici_mera_off(const padic_tensor *x, uint64_t columns)
{
    const uint64_t rows = padic_tensor_count(x) / columns;
    const double *z = (const double *)x->data;
    double worst = 0;
    uint64_t i, j, k;
    for (i = 0; i < columns; i++)
        for (j = 0; j <= i; j++) {
            double re = i == j ? -1 : 0, im = 0, off;
            for (k = 0; k < rows; k++) {
                const double *p = z + 2 * (k * columns + i), *q = z + 2 * (k * columns + j);
                re += p[0] * q[0];
                re += p[1] * q[1];
                im += p[0] * q[1];
                im -= p[1] * q[0];
            }
            off = padici_z_size(re, im);
            if (worst == worst && !(off <= worst)) worst = off; // a NaN stays
        }
    return worst;
}

#define PADICI_MERA_UW 1u // which fields a function uses: u and w, read
#define PADICI_MERA_UW_OUT 2u
#define PADICI_MERA_OP 4u
#define PADICI_MERA_RHO 8u
#define PADICI_MERA_OUT 16u
#define PADICI_MERA_RESULT 32u

// Finds the tensors (u, w, op, rho, out), their dtypes, and the extents of the layer.
static padic_result padici_mera_find(padici_mera *m, padic_context *context,
                                     const padic_tensor_mera_desc *desc, uint32_t uses,
                                     padic_tensor *t)
{
    padici_operand operands[5];
    uint32_t i, j, legs;
    padic_result result;
    memset(m, 0, sizeof *m);
    m->context = context;
    m->desc = desc;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    if (desc->kind > PADIC_TENSOR_TERNARY)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "kind is no padic_tensor_mera_kind");
    if (desc->flags > PADIC_TENSOR_UNCHECKED)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "flags has an unknown bit");
    if ((uses & PADICI_MERA_RESULT) && !desc->result)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "result is NULL");
    if (!(desc->tolerance >= 0))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tolerance is negative or a NaN");
    memset(t, 0, 5 * sizeof *t);
    if (uses & (PADICI_MERA_UW | PADICI_MERA_UW_OUT)) {
        t[0] = desc->u;
        t[1] = desc->w;
    }
    if (uses & PADICI_MERA_OP) t[2] = desc->op;
    if (uses & PADICI_MERA_RHO) t[3] = desc->rho;
    if (uses & PADICI_MERA_OUT) t[4] = desc->out;
    // What is written comes last there; u and w are checked as written ones, too, when they are.
    result = padici_tensor_host(context, t, padici_mera_names, operands, 5,
                                uses & PADICI_MERA_UW_OUT ? 0 : 4);
    if (result) return result;
    for (i = 0; i < 5; i++) {
        const uint32_t used = (i < 2 ? 3u : 1u << i) & uses;
        if (!used) continue;
        if (m->dtype == PADIC_DTYPE_NONE) m->dtype = t[i].dtype;
        if (t[i].dtype != PADIC_F32 && !padici_tensor_is_double(t[i].dtype) &&
            !padici_tensor_is_complex(t[i].dtype))
            return padici_fail_field(context, PADIC_ERROR_DTYPE, padici_mera_names[i],
                                     "is not F32, F64, C64 or C128");
        if (t[i].dtype != m->dtype)
            return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                    "u, w, op, rho and out are not of one dtype");
    }
    m->sites = desc->kind == PADIC_TENSOR_BINARY ? 3 : 2;
    if (!(uses & (PADICI_MERA_UW | PADICI_MERA_UW_OUT))) return PADIC_OK;
    legs = desc->kind == PADIC_TENSOR_BINARY ? 2 : 3;
    m->f = t[0].rank == 4 ? t[0].shape[0] : 0;
    for (i = 0, j = m->f > 0 && m->f <= 64 && t[1].rank == legs + 1; i < 4 && j; i++)
        j = t[0].shape[i] == m->f;
    for (i = 0; i < legs && j; i++) j = t[1].shape[i] == m->f;
    m->c = j ? t[1].shape[legs] : 0;
    if (!m->c || m->c > (legs == 2 ? m->f * m->f : m->f * m->f * m->f))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "u is (f, f, f, f), w (f, f, c), ternary (f, f, f, c)");
    m->below = m->sites == 3 ? m->f * m->f * m->f : m->f * m->f;
    m->above = m->sites == 3 ? m->c * m->c * m->c : m->c * m->c;
    return PADIC_OK;
}

static void padici_mera_end(padici_mera *m) { padici_mera_back_to(m, 0); }

// u or w, copied.
static padic_result padici_mera_copy(padici_mera *m, const padic_tensor *t, const char *name,
                                     padic_tensor *to)
{
    int power;
    padic_result result = padici_mera_take(m, t->rank, t->shape, to);
    if (result) return result;
    padici_mera_add(to, t, NULL, 1, 1);
    return padici_tensor_power(to, &power) ? PADIC_OK : padici_mera_infinite(m, name);
}

// Copies u and w, and checks them.
static padic_result padici_mera_begin(padici_mera *m, padic_context *context,
                                      const padic_tensor_mera_desc *desc, uint32_t uses,
                                      padic_tensor *t)
{
    padic_result result = padici_mera_find(m, context, desc, uses, t);
    double bound;
    if (result) return result;
    result = padici_mera_copy(m, &t[0], "u", &m->u);
    if (!result) result = padici_mera_copy(m, &t[1], "w", &m->w);
    if (!result) {
        bound = desc->flags & PADIC_TENSOR_UNCHECKED  ? 1e300
                : padici_tensor_is_double(m->dtype) ? 1e-10
                                                    : 1e-4;
        if (!(padici_mera_off(&m->u, m->f * m->f) <= bound) ||
            !(padici_mera_off(&m->w, m->c) <= bound))
            result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "u or w is not isometric");
    }
    if (result) padici_mera_end(m);
    return result;
}

// Whether t is (d, d); else MISMATCH, and what was taken is given back.
static padic_result padici_mera_square(padici_mera *m, const padic_tensor *t, const char *name,
                                       uint64_t d)
{
    if (t->rank == 2 && t->shape[0] == d && t->shape[1] == d) return PADIC_OK;
    return padici_fail_field(m->context, PADIC_ERROR_MISMATCH, name,
                             "is not square, of f or c to the power of its sites");
}

static padic_result padici_mera_ascend(padic_context *context,
                                       const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], op, up;
    int power = 0;
    padic_result result = padici_mera_begin(&m, context, desc,
                                            PADICI_MERA_UW | PADICI_MERA_OP | PADICI_MERA_OUT, t);
    if (result) return result;
    result = padici_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_mera_square(&m, &t[4], "out", m.above);
    if (!result) result = padici_mera_operator(&m, &t[2], "op", m.f, &op, &power);
    if (!result) result = padici_mera_operator(&m, NULL, "", m.c, &up, NULL);
    if (!result) result = padici_mera_all(&m, &op, NULL, &up, NULL, NULL, NULL);
    if (!result) result = padici_mera_write(&m, &t[4], &up, power);
    padici_mera_end(&m);
    return result;
}

static padic_result padici_mera_descend(padic_context *context,
                                        const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], rho, down;
    int power = 0;
    padic_result result = padici_mera_begin(&m, context, desc,
                                            PADICI_MERA_UW | PADICI_MERA_RHO | PADICI_MERA_OUT, t);
    if (result) return result;
    result = padici_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_mera_square(&m, &t[4], "out", m.below);
    if (!result) result = padici_mera_operator(&m, &t[3], "rho", m.c, &rho, &power);
    if (!result) result = padici_mera_operator(&m, NULL, "", m.f, &down, NULL);
    if (!result) result = padici_mera_all(&m, NULL, &rho, NULL, &down, NULL, NULL);
    if (!result) result = padici_mera_write(&m, &t[4], &down, power);
    padici_mera_end(&m);
    return result;
}

static padic_result padici_mera_expect(padic_context *context,
                                       const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5];
    int64_t p[PADIC_MAX_RANK], q[PADIC_MAX_RANK];
    uint64_t i, j, d;
    double re = 0, im = 0, x[2], y[2], scale[2];
    int power[2];
    padic_result result = padici_mera_find(
        &m, context, desc, PADICI_MERA_OP | PADICI_MERA_RHO | PADICI_MERA_RESULT, t);
    if (result) return result;
    d = t[2].rank == 2 ? t[2].shape[0] : 0;
    result = padici_mera_square(&m, &t[2], "op", d);
    if (!result) result = padici_mera_square(&m, &t[3], "rho", d);
    for (i = 0; i < 2 && !result; i++) {
        if (!padici_tensor_power(&t[2 + i], &power[i]))
            result = padici_mera_infinite(&m, padici_mera_names[2 + i]);
        else scale[i] = ldexp(1.0, power[i]);
    }
    if (result) return result;
    padici_tensor_dense(&t[2], p);
    padici_tensor_dense(&t[3], q);
    for (i = 0; i < d; i++)
        for (j = 0; j < d; j++) {
            const int64_t r = (int64_t)i, s = (int64_t)j;
            padici_tensor_read(m.dtype, (const char *)t[2].data, r * p[0] + s * p[1], x, x + 1);
            padici_tensor_read(m.dtype, (const char *)t[3].data, s * q[0] + r * q[1], y, y + 1);
            x[0] /= scale[0], x[1] /= scale[0];
            y[0] /= scale[1], y[1] /= scale[1];
            re += x[0] * y[0];
            re -= x[1] * y[1];
            im += x[0] * y[1];
            im += x[1] * y[0];
        }
    re = ldexp(re, power[0] + power[1]);
    im = ldexp(im, power[0] + power[1]);
    if (re - re != 0 || im - im != 0)
        return padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                "the result is beyond F64: scale op or rho");
    desc->result[0] = re;
    desc->result[1] = im;
    return PADIC_OK;
}

static padic_result padici_mera_fixed_point(padic_context *context,
                                            const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], x[2];
    uint64_t i, count;
    uint32_t step, steps;
    padici_steps hook;
    double change = 1, tolerance;
    padic_result result =
        padici_mera_begin(&m, context, desc, PADICI_MERA_UW | PADICI_MERA_OUT, t);
    if (result) return result;
    steps = desc->steps ? desc->steps : 1000;
    tolerance = desc->tolerance > 0 ? desc->tolerance : 1e-12;
    if (m.f != m.c)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH, "w has c other than f");
    if (!result) result = padici_mera_square(&m, &t[4], "out", m.above);
    if (!result) result = padici_mera_operator(&m, NULL, "", m.f, &x[0], NULL);
    if (!result) result = padici_mera_operator(&m, NULL, "", m.f, &x[1], NULL);
    count = 2 * m.above * m.above;
    for (i = 0; !result && i < m.above; i++)
        ((double *)x[0].data)[2 * i * (m.above + 1)] = 1 / (double)m.above;
    padici_steps_begin(&hook, NULL, padici_progress(context), 0); // as many as it takes
    for (step = 0; !result && step < steps && change > tolerance; step++) {
        double *a = (double *)x[0].data, *b = (double *)x[1].data;
        memset(b, 0, (size_t)count * 8);
        result = padici_mera_all(&m, NULL, &x[0], NULL, &x[1], NULL, NULL);
        for (i = 0, change = 0; i < count; i++) {
            if (!(fabs(b[i] - a[i]) <= change)) change = fabs(b[i] - a[i]); // or a NaN
            a[i] = b[i];
        }
        if (!result && padici_steps_more(&hook, 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it");
    }
    if (!result) result = padici_mera_write(&m, &t[4], &x[0], 0);
    if (!result) {
        if (desc->result) *desc->result = change;
        if (!(change <= tolerance))
            result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "no fixed point yet");
    }
    padici_mera_end(&m);
    return result;
}

static padic_result padici_mera_environment(padic_context *context,
                                            const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], op, rho, env[2];
    int up = 0, down = 0;
    uint32_t i, w;
    padic_result result = padici_mera_begin(
        &m, context, desc, PADICI_MERA_UW | PADICI_MERA_OP | PADICI_MERA_RHO | PADICI_MERA_OUT, t);
    if (result) return result;
    w = desc->steps;
    if (w > 1)
        result = padici_fail_here(context, PADIC_ERROR_ARGUMENT, "steps is not 0 (u) or 1 (w)");
    for (i = 0; !result && i < t[4].rank && t[4].rank == t[w].rank; i++)
        if (t[4].shape[i] != t[w].shape[i]) break;
    if (!result && i < t[w].rank)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH, "out has not the shape of u or w");
    if (!result) result = padici_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_mera_operator(&m, &t[2], "op", m.f, &op, &up);
    if (!result) result = padici_mera_operator(&m, &t[3], "rho", m.c, &rho, &down);
    if (!result) result = padici_mera_take(&m, m.u.rank, m.u.shape, &env[0]);
    if (!result) result = padici_mera_take(&m, m.w.rank, m.w.shape, &env[1]);
    if (!result) result = padici_mera_all(&m, &op, &rho, NULL, NULL, &env[0], &env[1]);
    if (!result) result = padici_mera_write(&m, &t[4], &env[w], up + down);
    padici_mera_end(&m);
    return result;
}

// x <- -conj(U V^dagger) of its environment, both as matrices of fine by coarse legs.
static padic_result padici_mera_best(padici_mera *m, const padic_tensor *x, const padic_tensor *env,
                                     uint64_t columns)
{
    const uint64_t rows = padic_tensor_count(x) / columns;
    uint64_t shape[1], i, j, k;
    const double *e = (const double *)env->data;
    double *z = (double *)x->data, *a, *v, *s, *work;
    const uint32_t used = m->used;
    padic_tensor space;
    int power;
    padic_result result;
    shape[0] = 2 * rows * columns + 2 * columns * columns + 4 * columns + 2;
    result = padici_mera_take(m, 1, shape, &space);
    if (result) return result;
    a = (double *)space.data;
    s = a + 2 * rows * columns;
    v = s + columns;
    work = v + 2 * columns * columns;
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++) memcpy(a + 2 * (j * rows + i), e + 2 * (i * columns + j), 16);
    if (!padici_tensor_power(env, &power))
        result = padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                  "an environment is beyond F64: scale u or w");
    for (i = 0; !result && i < 2 * rows * columns; i++) a[i] = ldexp(a[i], -power);
    if (!result && !padici_z_svd(rows, columns, a, s, v, work, 0))
        result = padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence of the SVD");
    for (i = 0; !result && i < rows; i++)
        for (j = 0; j < columns; j++) {
            double re = 0, im = 0; // of (U V^dagger)_ij
            for (k = 0; k < columns; k++) {
                const double *p = a + 2 * (k * rows + i), *q = v + 2 * (k * columns + j);
                re += p[0] * q[0];
                re += p[1] * q[1];
                im += p[1] * q[0];
                im -= p[0] * q[1];
            }
            z[2 * (i * columns + j)] = -re;
            z[2 * (i * columns + j) + 1] = im;
        }
    padici_mera_back_to(m, used);
    return result;
}

// op - its largest eigenvalue; that value.
static padic_result padici_mera_shift(padici_mera *m, const padic_tensor *op, double *shift)
{
    const uint64_t d = m->below;
    const uint32_t used = m->used;
    uint64_t shape[1], i;
    padic_tensor space;
    double *a, *x = (double *)op->data;
    padic_result result;
    shape[0] = d * d + 4 * d;
    result = padici_mera_take(m, 1, shape, &space);
    if (result) return result;
    a = (double *)space.data;
    for (i = 0; i < 2 * d * d; i++) a[i] = i & 1 ? -x[i] : x[i]; // rows as columns: conjugated
    if (!padici_z_eigh(d, a, a + 2 * d * d, NULL, a + 2 * d * d + d))
        result = padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence");
    *shift = a[2 * d * d + d - 1];
    for (i = 0; !result && i < d; i++) x[2 * i * (d + 1)] -= *shift;
    padici_mera_back_to(m, used);
    return result;
}

static padic_result padici_mera_update(padic_context *context,
                                       const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], op, rho, env[2];
    padici_steps hook;
    uint32_t i, steps;
    uint64_t k;
    int up = 0, down = 0;
    double shift = 0, energy = 0, trace = 0;
    padic_result result = padici_mera_begin(
        &m, context, desc, PADICI_MERA_UW_OUT | PADICI_MERA_OP | PADICI_MERA_RHO, t);
    if (result) return result;
    steps = desc->steps ? desc->steps : 1;
    result = padici_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_mera_operator(&m, &t[2], "op", m.f, &op, &up);
    if (!result) result = padici_mera_operator(&m, &t[3], "rho", m.c, &rho, &down);
    if (!result) result = padici_mera_take(&m, m.u.rank, m.u.shape, &env[0]);
    if (!result) result = padici_mera_take(&m, m.w.rank, m.w.shape, &env[1]);
    if (!result) result = padici_mera_shift(&m, &op, &shift);
    padici_steps_begin(&hook, NULL, padici_progress(context), steps);
    for (i = 0; i < 2 * steps && !result; i++) {
        const padic_tensor *x = i & 1 ? &m.w : &m.u, *e = &env[i & 1];
        const uint64_t count = padic_tensor_count(&m.u);
        memset(env[0].data, 0, (size_t)count * 16);
        memset(env[1].data, 0, (size_t)padic_tensor_count(&m.w) * 16);
        result = padici_mera_all(&m, &op, &rho, NULL, NULL, &env[0], &env[1]);
        for (k = 0; !i && k < count; k++) { // each of the u in a term gives the whole of it
            const double *p = (double *)m.u.data + 2 * k, *q = (double *)env[0].data + 2 * k;
            energy += p[0] * q[0];
            energy -= p[1] * q[1];
        }
        if (!result) result = padici_mera_best(&m, x, e, i & 1 ? m.c : m.f * m.f);
        if (!result && padici_steps_more(&hook, i & 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it; nothing is written");
    }
    for (k = 0; !result && k < m.above; k++) trace += ((double *)rho.data)[2 * k * (m.above + 1)];
    energy = ldexp(energy / (m.sites == 3 ? 2 : 1) + shift * trace, up + down);
    if (!result && desc->result && energy - energy != 0)
        result = padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                  "the result is beyond F64: scale op or rho");
    if (!result) {
        padici_mera_add(&t[0], &m.u, NULL, 1, 1);
        padici_mera_add(&t[1], &m.w, NULL, 1, 1);
        if (desc->result) *desc->result = energy;
    }
    padici_mera_end(&m);
    return result;
}

// Columns of a Gaussian matrix, orthonormalised; to t, of `columns` coarse ones.
static padic_result padici_mera_haar(padici_mera *m, const padic_tensor *t, uint64_t columns,
                                     uint64_t stream)
{
    const uint64_t rows = padic_tensor_count(t) / columns;
    const uint32_t used = m->used;
    uint64_t shape[1], i, j;
    padic_tensor space, out;
    double *a, *q, *tau, *diag, phase[2];
    padic_result result;
    shape[0] = 2 * rows * columns + 2 * columns;
    result = padici_mera_take(m, 1, shape, &space);
    if (!result) result = padici_mera_take(m, t->rank, t->shape, &out);
    if (result) return result;
    a = (double *)space.data;
    q = a + 2 * rows * columns;
    tau = q + 2 * rows * columns;
    diag = tau + columns;
    for (i = 0; i < rows * columns; i++) {
        uint32_t word[4];
        double radius, angle;
        padic_random_block(m->desc->seed, stream, 0, (uint32_t)i, word);
        radius = sqrt(-2 * log(1 - padic_random_f64(word[0], word[1])));
        angle = 6.283185307179586477 * padic_random_f64(word[2], word[3]);
        a[2 * i] = radius * cos(angle);
        a[2 * i + 1] = padici_tensor_is_complex(m->dtype) ? radius * sin(angle) : 0;
        q[2 * i] = i % (rows + 1) == 0 && i / rows < columns ? 1 : 0;
        q[2 * i + 1] = 0;
    }
    padici_z_qr(rows, columns, a, tau, diag);
    padici_z_qr_apply(rows, columns, a, tau, columns, q);
    for (j = 0; j < columns; j++) {
        padici_z_phase(diag + 2 * j, phase);
        padici_z_scale(rows, q + 2 * j * rows, phase[0], phase[1]);
        for (i = 0; i < rows; i++)
            memcpy((double *)out.data + 2 * (i * columns + j), q + 2 * (j * rows + i), 16);
    }
    padici_mera_add(t, &out, NULL, 1, 1);
    padici_mera_back_to(m, used);
    return PADIC_OK;
}

static padic_result padici_mera_random(padic_context *context,
                                       const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5];
    padic_result result = padici_mera_find(&m, context, desc, PADICI_MERA_UW_OUT, t);
    if (!result) result = padici_mera_haar(&m, &t[0], m.f * m.f, 0);
    if (!result) result = padici_mera_haar(&m, &t[1], m.c, 1);
    padici_mera_end(&m);
    return result;
}

static padic_result padici_mera_check(padic_context *context,
                                      const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5];
    padic_result result =
        padici_mera_find(&m, context, desc, PADICI_MERA_UW | PADICI_MERA_RESULT, t);
    if (!result) result = padici_mera_copy(&m, &t[0], "u", &m.u);
    if (!result) result = padici_mera_copy(&m, &t[1], "w", &m.w);
    if (!result) {
        const double off = padici_mera_off(&m.u, m.f * m.f), other = padici_mera_off(&m.w, m.c);
        const double worst = other > off || other != other ? other : off; // a NaN stays
        if (worst - worst == 0)
            desc->result[0] = worst;
        else
            result = padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                      "the result is beyond F64: scale u or w");
    }
    padici_mera_end(&m);
    return result;
}

// One factor of the ring: x, seen as (left, middle, right), to y, seen as (left, new, right); or of
// its last and first site.
static padic_result padici_mera_ring(padici_mera *m, padic_tensor *x, padic_tensor *y,
                                     const padic_tensor *b, uint64_t left, uint64_t right, int wrap)
{
    padic_tensor_contract_desc desc;
    const uint64_t rows = b->shape[0];
    void *data = x->data;
    padic_result result;
    memset(&desc, 0, sizeof desc);
    desc.b = *b;
    desc.a = padic_tensor_3d(PADIC_C128, x->data, left, wrap ? rows : b->shape[1], right);
    desc.c = padic_tensor_3d(PADIC_C128, y->data, left, rows, right);
    memcpy(desc.labels_a, "lcr", 3);
    memcpy(desc.labels_b, "xc", 2);
    memcpy(desc.labels_c, "lxr", 3);
    if (wrap) { // left and right are both f: u (right', left', right, left)
        desc.a.shape[1] = desc.c.shape[1] = padic_tensor_count(x) / (left * right);
        memcpy(desc.labels_b, "RLrl", 4);
        memcpy(desc.labels_c, "LcR", 3);
    }
    result = padic_tensor_contract(m->context, &desc);
    x->data = y->data;
    y->data = data;
    return result;
}

static padic_result padici_mera_state(padic_context *context,
                                      const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], x, y, u, w;
    int power = 0;
    uint64_t n, legs, i, fine = 1, coarse = 1, left = 1, right;
    padic_result result = padici_mera_begin(&m, context, desc,
                                            PADICI_MERA_UW | PADICI_MERA_RHO | PADICI_MERA_OUT, t);
    if (result) return result;
    n = desc->steps;
    legs = m.sites == 3 ? 2 : 3;
    for (i = 0; i < n * legs && fine <= 1u << 20; i++) fine *= m.f;
    for (i = 0; i < n && coarse <= 1u << 20; i++) coarse *= m.c;
    if (n < 2 || fine > 1u << 20 || coarse > 1u << 20)
        result = padici_fail_here(context, PADIC_ERROR_LIMIT,
                                  "steps is below 2, or the ring has more than 2^20 numbers");
    else if (t[3].rank != 1 || t[3].shape[0] != coarse || t[4].rank != 1 || t[4].shape[0] != fine)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                  "rho is not (c^n), or out not (f^(2 n)), ternary (f^(3 n))");
    right = fine > coarse ? fine : coarse; // in between it is never longer
    if (!result) result = padici_mera_take(&m, 1, &right, &x);
    if (!result) result = padici_mera_take(&m, 1, &right, &y);
    if (!result && !padici_tensor_power(&t[3], &power)) result = padici_mera_infinite(&m, "rho");
    if (!result) padici_mera_add(&x, &t[3], NULL, ldexp(1.0, -power), 1);
    x.shape[0] = fine;
    u = padic_tensor_2d(PADIC_C128, m.u.data, m.f * m.f, m.f * m.f);
    w = padic_tensor_2d(PADIC_C128, m.w.data, padic_tensor_count(&m.w) / m.c, m.c);
    for (i = 0, right = coarse; i < n && !result; i++, left *= w.shape[0])
        result = padici_mera_ring(&m, &x, &y, &w, left, right /= m.c, 0);
    for (i = 1, left = w.shape[0] / m.f; i < n && !result; i++, left *= w.shape[0])
        result = padici_mera_ring(&m, &x, &y, &u, left, fine / left / m.f / m.f, 0);
    if (!result) result = padici_mera_ring(&m, &x, &y, &m.u, m.f, m.f, 1);
    if (!result) result = padici_mera_write(&m, &t[4], &x, power);
    padici_mera_end(&m);
    return result;
}

// h (n x n) to upper Hessenberg form, which keeps its eigenvalues.
static void padici_z_hessenberg(uint64_t n, double *h)
{
    uint64_t i, j, k;
    for (k = 0; k + 2 < n; k++) {
        double *x = h + 2 * (k * n + k + 1), beta[2];
        const uint64_t m = n - k - 1;
        const double tau = padici_z_reflector(m, x, beta);
        for (j = k + 1; j < n; j++) padici_z_reflect(m, x, tau, h + 2 * (j * n + k + 1));
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
                padici_z_add(1, h + 2 * ((k + 1 + j) * n + i), -tau * x[2 * j],
                             tau * x[2 * j + 1], sum);
        }
        memset(x, 0, (size_t)(16 * m));
        x[0] = beta[0];
        x[1] = beta[1];
    }
}

// The eigenvalue of the last 2 x 2 block up to `hi` that is closer to the last entry.
static void padici_z_shift(uint64_t n, const double *h, uint64_t hi, double out[2])
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
static void padici_z_qr_step(uint64_t n, double *h, uint64_t lo, uint64_t hi, const double shift[2],
                             double *g)
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
static int padici_z_moduli(uint64_t n, double *h, double *values, double *work)
{
    uint64_t hi = n - 1, lo, i;
    uint32_t step = 0;
    double shift[2];
    padici_z_hessenberg(n, h);
    while (hi > 0) {
        for (lo = hi; lo > 0; lo--) {
            double *z = h + 2 * ((lo - 1) * n + lo);
            const double about = fabs(h[2 * (lo * n + lo)]) + fabs(h[2 * (lo * n + lo) + 1]) +
                                 fabs(z[-2]) + fabs(z[-1]);
            if (fabs(z[0]) + fabs(z[1]) <= PADICI_EPS * about + 1e-290) break;
        }
        if (lo == hi) {
            hi--;
            step = 0;
            continue;
        }
        if (++step > 90) return 0;
        padici_z_shift(n, h, hi, shift);
        if (step % 15 == 0) shift[0] += fabs(h[2 * ((hi - 1) * n + hi)]); // out of a cycle
        padici_z_qr_step(n, h, lo, hi, shift, work);
    }
    for (i = 0; i < n; i++) {
        const double *z = h + 2 * (i * n + i);
        values[i] = sqrt(z[0] * z[0] + z[1] * z[1]);
    }
    padici_z_sort(n, values, 0, 0, NULL, 0, NULL);
    return 1;
}

// A block of operators of `d` numbers each, orthonormal, and what one step makes of it.
typedef struct padici_mera_block {
    uint64_t d, columns;
    double *x, *y, *h, *values, *work; // y = A(x), h = x^dagger y
} padici_mera_block;

static padic_result padici_mera_block_step(padici_mera *m, padici_mera_block *b)
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
        result = padici_mera_all(m, &from, NULL, &to, NULL, NULL, NULL);
    }
    if (result) return result;
    for (i = 0; i < 2 * d * n; i++)
        if (b->y[i] - b->y[i] != 0)
            return padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                    "an operator is beyond F64: scale u or w");
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            padici_z_dot(d, b->x + 2 * i * d, b->y + 2 * j * d, b->h + 2 * (j * n + i));
    if (!padici_z_moduli(n, b->h, b->values, b->work))
        return padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence");
    padici_z_qr(d, n, b->y, b->work, b->work + n); // x <- Q of y
    memset(b->x, 0, (size_t)(16 * d * n));
    for (j = 0; j < n; j++) b->x[2 * (j * d + j)] = 1;
    padici_z_qr_apply(d, n, b->y, b->work, n, b->x);
    return PADIC_OK;
}

static padic_result padici_mera_scaling(padic_context *context,
                                        const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padici_mera_block b;
    padic_tensor t[5], space;
    uint64_t i, shape[1], n;
    uint32_t step;
    double tolerance, change = 1, last[64];
    padici_steps hook;
    padic_result result =
        padici_mera_begin(&m, context, desc, PADICI_MERA_UW | PADICI_MERA_RESULT, t);
    if (result) return result;
    memset(&b, 0, sizeof b);
    n = desc->steps;
    tolerance = desc->tolerance > 0 ? desc->tolerance : 1e-12;
    b.d = m.below * m.below;
    b.columns = 2 * n + 8 < b.d ? 2 * n + 8 : b.d;
    if (m.f != m.c || !n || n > 64 || n > b.d)
        result = padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                  "w has c other than f, or steps is not 1 to 64");
    shape[0] = 2 * b.d * b.columns + b.columns * b.columns + 4 * b.columns;
    if (!result) result = padici_mera_take(&m, 1, shape, &space);
    if (!result) {
        b.x = (double *)space.data;
        b.y = b.x + 2 * b.d * b.columns;
        b.h = b.y + 2 * b.d * b.columns;
        b.values = b.h + 2 * b.columns * b.columns;
        b.work = b.values + b.columns;
    }
    for (i = 0; !result && i < b.d * b.columns; i++) {
        uint32_t word[4];
        padic_random_block(desc->seed, 2, 0, (uint32_t)i, word);
        b.y[2 * i] = padic_random_f64(word[0], word[1]) - 0.5;
        b.y[2 * i + 1] = padic_random_f64(word[2], word[3]) - 0.5;
    }
    if (!result) {
        padici_z_qr(b.d, b.columns, b.y, b.work, b.work + b.columns);
        for (i = 0; i < b.columns; i++) b.x[2 * (i * b.d + i)] = 1;
        padici_z_qr_apply(b.d, b.columns, b.y, b.work, b.columns, b.x);
    }
    padici_steps_begin(&hook, NULL, padici_progress(context), 0); // as many as it takes
    for (step = 0; !result && step < 500 && change > tolerance; step++) {
        result = padici_mera_block_step(&m, &b);
        if (!result && padici_steps_more(&hook, 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                      "the progress hook stopped it");
        for (i = 0, change = step ? 0 : 1; !result && i < n; i++) {
            if (step && fabs(b.values[i] - last[i]) > change) change = fabs(b.values[i] - last[i]);
            last[i] = b.values[i];
        }
    }
    for (i = 0; !result && i < n; i++) {
        desc->result[i] = last[i];
        desc->result[n + i] = -log(last[i]) / log(m.sites == 3 ? 2.0 : 3.0);
    }
    if (!result && !(change <= tolerance))
        result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "no convergence in 500 steps");
    padici_mera_end(&m);
    return result;
}

#define PADICI_MERA_ENTRY(name)                                                             \
    PADIC_API padic_result padic_tensor_mera_##name(padic_context *context,                 \
                                                    const padic_tensor_mera_desc *desc)     \
    {                                                                                       \
        const char *before = padici_enter(context, "tensor_mera_" #name);                   \
        const padic_result result = padici_mera_##name(context, desc);                      \
        padici_leave(context, before);                                                      \
        return result;                                                                      \
    }
PADICI_MERA_ENTRY(ascend)
PADICI_MERA_ENTRY(descend)
PADICI_MERA_ENTRY(expect)
PADICI_MERA_ENTRY(fixed_point)
PADICI_MERA_ENTRY(environment)
PADICI_MERA_ENTRY(update)
PADICI_MERA_ENTRY(random)
PADICI_MERA_ENTRY(check)
PADICI_MERA_ENTRY(state)
PADICI_MERA_ENTRY(scaling)
#undef PADICI_MERA_ENTRY

