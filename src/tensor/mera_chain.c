#include "mera_chain.h"
#include "../context/messages.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"
#include "product.h"

#if PADICI_IMPLEMENT_TENSOR

// ------------------------------------------------------------------------------------ >>mera impl
//
// tr(A(o) rho) is linear in o, and in each u and w that stands in it. One term of A is a chain: S_0
// = o, S_k+1 = S_k B_k, S_n = A(o). Backwards, R_n = rho, R_k = R_k+1 B_k: R_0 is D(rho), and S_k
// R_k+1 is the derivative by B_k.

typedef struct padici_tensor_mera_step {
    char what; // u, w; U, W: their conjugates; y, z: w with its conjugate, beside
    const char *b, *s; // labels of B, and of S after it
} padici_tensor_mera_step;

typedef struct padici_tensor_mera_chain {
    const char *o;
    const char *pair[2][2]; // labels of w and its conjugate in y and z
    padici_tensor_mera_step steps[9];
    uint32_t count, mirrored;
} padici_tensor_mera_chain;

#define PADICI_TENSOR_MERA_BINARY \
    "ijklmn", {{"epa", "erA"}, {"xgc", "zgC"}}, \
        {{'u', "lmpq", "ijkpqn"}, {'U', "ijrs", "rskpqn"},  {'y', "parA", "skqnaA"}, \
         {'w', "qtb", "sknaAtb"}, {'u', "nvtx", "skaAbvx"}, {'W', "syB", "kaAbvxyB"}, \
         {'U', "kvyz", "aAbxBz"}, {'z', "xczC", "ABCabc"},  {0, NULL, NULL}}, \
        8
#define PADICI_TENSOR_MERA_SIDE \
    "ijkl", {{"", ""}, {"qfgb", "vfgB"}}, \
        {{'u', "lspq", "ijkspq"}, {'U', "jsuv", "ikpquv"}, {'w', "xkpa", "iquvxa"}, \
         {'W', "xiuA", "qvaA"},   {'z', "qbvB", "ABab"},   {0, NULL, NULL}, \
         {0, NULL, NULL},         {0, NULL, NULL},         {0, NULL, NULL}}, \
        5

static const padici_tensor_mera_chain padici_tensor_mera_chains[5] = {
    {PADICI_TENSOR_MERA_BINARY, 0},
    {PADICI_TENSOR_MERA_BINARY, 1},
    {PADICI_TENSOR_MERA_SIDE, 0},
    {PADICI_TENSOR_MERA_SIDE, 1},
    {"ijkl",
     {{"efpa", "efuA"}, {"qfgb", "vfgB"}},
     {{'u', "klpq", "ijpq"},
      {'U', "ijuv", "uvpq"},
      {'y', "pauA", "vqaA"},
      {'z', "qbvB", "ABab"},
      {0, NULL, NULL},
      {0, NULL, NULL},
      {0, NULL, NULL},
      {0, NULL, NULL},
      {0, NULL, NULL}},
     4,
     0}};

PADICI_FN void padici_tensor_mera_back_to(padici_tensor_mera *m, uint32_t used)
{
    while (m->used > used) {
        m->used--;
        padici_free(padici_allocator(m->context), m->blocks[m->used], m->sizes[m->used]);
    }
}

// A dense C128 tensor in memory of its own; of F64 inside of a real network. take: zeros.
static padic_result padici_tensor_mera_claim(padici_tensor_mera *m, uint32_t rank,
                                             const uint64_t *shape, padic_tensor *t)
{
    size_t bytes = m->real ? 8 : 16;
    uint32_t i;
    *t = padic_tensor_nd(m->real ? PADIC_F64 : PADIC_C128, NULL, rank, shape);
    for (i = 0; i < rank; i++)
        if (!padici_mul_size(bytes, (size_t)shape[i], &bytes) || (uint64_t)bytes >> 40)
            return padici_fail_here(m->context, PADIC_ERROR_LIMIT,
                                    "u and w are too large for memory");
    if (m->used == PADICI_TENSOR_MERA_BLOCKS)
        return padici_fail_here(m->context, PADIC_ERROR_LIMIT, "too many tensors at once");
    t->data = padici_alloc(padici_allocator(m->context), bytes, 64);
    if (!t->data) return padici_fail_here(m->context, PADIC_ERROR_MEMORY, "out of host memory");
    m->blocks[m->used] = t->data;
    m->sizes[m->used++] = bytes;
    return PADIC_OK;
}

PADICI_FN padic_result padici_tensor_mera_take(padici_tensor_mera *m, uint32_t rank,
                                               const uint64_t *shape, padic_tensor *t)
{
    const padic_result result = padici_tensor_mera_claim(m, rank, shape, t);
    if (!result) memset(t->data, 0, m->sizes[m->used - 1]);
    return result;
}

// to += weight from, axis i of `from` being axis order[i] of `to` (NULL: the same); any dtypes and
// strides. clear: to = instead.
PADICI_FN void padici_tensor_mera_add(const padic_tensor *to, const padic_tensor *from,
                                      const uint8_t *order, double weight, int clear)
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

static padic_tensor padici_tensor_mera_turned(const padic_tensor *t, const uint8_t *order)
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
static const uint8_t *padici_tensor_mera_mirror(const padici_tensor_mera *m, char what)
{
    static const uint8_t u[4] = {1, 0, 3, 2}, w2[3] = {1, 0, 2}, w3[4] = {2, 1, 0, 3};
    static const uint8_t o3[6] = {2, 1, 0, 5, 4, 3};
    return what == 'u' ? u : what == 'w' ? (m->sites == 3 ? w2 : w3) : m->sites == 3 ? o3 : u;
}

// c (new) = a b by labels; conj: of b.
static padic_result padici_tensor_mera_contract(padici_tensor_mera *m, const padic_tensor *a,
                                                const char *la, const padic_tensor *b,
                                                const char *lb, int conj, padic_tensor *c,
                                                const char *lc)
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
    result = padici_tensor_mera_claim(m, i, shape, c);
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
typedef struct padici_tensor_mera_run {
    const padici_tensor_mera_chain *chain;
    padic_tensor u, w, y, z; // as the chain sees them
    padic_tensor s[10];
} padici_tensor_mera_run;

static padic_result padici_tensor_mera_open(padici_tensor_mera *m, padici_tensor_mera_run *r,
                                            const padici_tensor_mera_chain *chain)
{
    const char *const *y = chain->pair[0], *const *z = chain->pair[1];
    padic_result result = PADIC_OK;
    r->chain = chain;
    r->u = chain->mirrored ? padici_tensor_mera_turned(&m->u, padici_tensor_mera_mirror(m, 'u'))
                           : m->u;
    r->w = chain->mirrored ? padici_tensor_mera_turned(&m->w, padici_tensor_mera_mirror(m, 'w'))
                           : m->w;
    if (y[0][0]) {
        const uint32_t last = m->sites == 3 ? 1 : 2;
        char labels[5] = {0, 0, 0, 0, 0};
        labels[0] = y[0][last];
        labels[1] = y[0][last + 1];
        labels[2] = y[1][last];
        labels[3] = y[1][last + 1];
        result = padici_tensor_mera_contract(m, &r->w, y[0], &r->w, y[1], 1, &r->y, labels);
    }
    if (!result) {
        const uint32_t last = m->sites == 3 ? 2 : 3;
        char labels[5] = {0, 0, 0, 0, 0};
        labels[0] = z[0][0];
        labels[1] = z[0][last];
        labels[2] = z[1][0];
        labels[3] = z[1][last];
        result = padici_tensor_mera_contract(m, &r->w, z[0], &r->w, z[1], 1, &r->z, labels);
    }
    return result;
}

static const padic_tensor *padici_tensor_mera_factor(const padici_tensor_mera_run *r, char what)
{
    return what == 'u' || what == 'U'   ? &r->u
           : what == 'w' || what == 'W' ? &r->w
           : what == 'y'                ? &r->y
                                        : &r->z;
}

// S_0 = op (as 2 sites axes) up to S_n.
static padic_result padici_tensor_mera_forward(padici_tensor_mera *m, padici_tensor_mera_run *r,
                                               const padic_tensor *op)
{
    const char *labels = r->chain->o;
    uint32_t k;
    r->s[0] = r->chain->mirrored ? padici_tensor_mera_turned(op, padici_tensor_mera_mirror(m, 'o'))
                                 : *op;
    for (k = 0; k < r->chain->count; k++) {
        const padici_tensor_mera_step *step = &r->chain->steps[k];
        const padic_result result = padici_tensor_mera_contract(
            m, &r->s[k], labels, padici_tensor_mera_factor(r, step->what), step->b,
            step->what == 'U' || step->what == 'W', &r->s[k + 1], step->s);
        if (result) return result;
        labels = step->s;
    }
    return PADIC_OK;
}

// The derivative by B_k, added to env_u or env_w as the layer sees them.
static padic_result padici_tensor_mera_derive(padici_tensor_mera *m,
                                              const padici_tensor_mera_run *r, uint32_t k,
                                              const padic_tensor *after, const char *labels,
                                              const padic_tensor *env_u, const padic_tensor *env_w,
                                              double weight)
{
    const padici_tensor_mera_step *step = &r->chain->steps[k];
    const char *before = k ? r->chain->steps[k - 1].s : r->chain->o;
    const uint8_t *order = NULL;
    padic_tensor e, ew;
    padic_result result;
    if (step->what == 'U' || step->what == 'W') return PADIC_OK;
    result = padici_tensor_mera_contract(m, &r->s[k], before, after, labels, 0, &e, step->b);
    if (result) return result;
    if (r->chain->mirrored) order = padici_tensor_mera_mirror(m, step->what == 'u' ? 'u' : 'w');
    if (step->what == 'y' || step->what == 'z') {
        const char *const *pair = r->chain->pair[step->what == 'z'];
        result = padici_tensor_mera_contract(m, &e, step->b, &r->w, pair[1], 1, &ew, pair[0]);
        if (result) return result;
        e = ew;
    }
    padici_tensor_mera_add(step->what == 'u' ? env_u : env_w, &e, order, weight, 0);
    return PADIC_OK;
}

// R_n = rho back to R_0, added to `descended`; or, when S is there, the environments.
static padic_result padici_tensor_mera_backward(padici_tensor_mera *m, padici_tensor_mera_run *r,
                                                const padic_tensor *rho,
                                                const padic_tensor *descended,
                                                const padic_tensor *env_u,
                                                const padic_tensor *env_w, double weight)
{
    static const uint8_t swap3[6] = {3, 4, 5, 0, 1, 2}, swap2[4] = {2, 3, 0, 1};
    static const uint8_t swap3m[6] = {5, 4, 3, 2, 1, 0}, swap2m[4] = {3, 2, 1, 0};
    const char *labels = m->sites == 3 ? "abcABC" : "abAB";
    padic_tensor after = r->chain->mirrored
                             ? padici_tensor_mera_turned(rho, padici_tensor_mera_mirror(m, 'o'))
                             : *rho;
    uint32_t k;
    for (k = r->chain->count; k-- > 0;) {
        const padici_tensor_mera_step *step = &r->chain->steps[k];
        const char *before = k ? r->chain->steps[k - 1].s : r->chain->o;
        padic_tensor next;
        padic_result result = PADIC_OK;
        if (env_u)
            result = padici_tensor_mera_derive(m, r, k, &after, labels, env_u, env_w, weight);
        if (!result)
            result = padici_tensor_mera_contract(
                m, &after, labels, padici_tensor_mera_factor(r, step->what), step->b,
                step->what == 'U' || step->what == 'W', &next, before);
        if (result) return result;
        after = next;
        labels = before;
    }
    if (descended)
        padici_tensor_mera_add(descended, &after,
                               r->chain->mirrored ? (m->sites == 3 ? swap3m : swap2m)
                                                  : (m->sites == 3 ? swap3 : swap2),
                               weight, 0);
    return PADIC_OK;
}

// Whether a dense C128 tensor has no imaginary parts; NULL has none.
static int padici_tensor_mera_is_real(const padic_tensor *t)
{
    const uint64_t count = t ? padic_tensor_count(t) : 0;
    uint64_t i;
    for (i = 0; i < count; i++)
        if (((const double *)t->data)[2 * i + 1] != 0) return 0;
    return 1;
}

// Where no tensor has imaginary parts: copies of F64, all contractions being real ones then.
static padic_result padici_tensor_mera_real(padici_tensor_mera *m, padic_tensor t[4])
{
    padic_result result = PADIC_OK;
    uint32_t i;
    m->real = padici_tensor_mera_is_real(&m->u) && padici_tensor_mera_is_real(&m->w);
    for (i = 0; i < 2 && m->real; i++)
        if (t[i].data) m->real = padici_tensor_mera_is_real(&t[i]);
    t[2] = m->u;
    t[3] = m->w;
    for (i = 0; i < 4 && m->real && !result; i++) {
        const padic_tensor from = t[i];
        if (!from.data) continue;
        result = padici_tensor_mera_take(m, from.rank, from.shape, &t[i]);
        if (!result) padici_tensor_mera_add(&t[i], &from, NULL, 1, 1);
    }
    return result;
}

// All terms of A: ascends op to `up` (NULL: not), descends rho to `down`, or derives.
PADICI_FN padic_result padici_tensor_mera_all(padici_tensor_mera *m, const padic_tensor *op,
                                              const padic_tensor *rho, const padic_tensor *up,
                                              const padic_tensor *down, const padic_tensor *env_u,
                                              const padic_tensor *env_w)
{
    const padici_tensor_mera_chain *chain = padici_tensor_mera_chains + (m->sites == 3 ? 0 : 2);
    const uint32_t terms = m->sites == 3 ? 2 : 3, before = m->used;
    const double weight = 1.0 / terms;
    const padic_tensor u = m->u, w = m->w;
    padic_tensor t[4];
    uint32_t i, used;
    padic_result result;
    memset(t, 0, sizeof t);
    if (op) t[0] = *op;
    if (rho) t[1] = *rho;
    result = padici_tensor_mera_real(m, t);
    m->u = t[2];
    m->w = t[3];
    used = m->used;
    for (i = 0; i < terms && !result; i++) {
        padici_tensor_mera_run run;
        result = padici_tensor_mera_open(m, &run, chain + i);
        if (!result && op) result = padici_tensor_mera_forward(m, &run, &t[0]);
        if (!result && up)
            padici_tensor_mera_add(up, &run.s[run.chain->count],
                                   run.chain->mirrored ? padici_tensor_mera_mirror(m, 'o') : NULL,
                                   weight, 0);
        if (!result && rho)
            result = padici_tensor_mera_backward(m, &run, &t[1], down, env_u, env_w, weight);
        padici_tensor_mera_back_to(m, used);
    }
    padici_tensor_mera_back_to(m, before);
    m->u = u;
    m->w = w;
    m->real = 0;
    return result;
}

#undef PADICI_TENSOR_MERA_BINARY
#undef PADICI_TENSOR_MERA_SIDE

#endif
