// ops_num.h: rows of test_ops.c for arrays of p-adic numbers, some of many: units of 32 and 64
// bits, three models, sizes 0, 1, odd. The whole table is test_gpu_num.c.

// x: two operands and the result; t: two tensors of U64, one element for each number.
typedef padic_result (*ops_num_fn)(padic_context *context, const padic_num_array *const *x,
                                   const padic_tensor *t);

// What numbers have done in a context, all operations together.
static padic_op_stats ops_num_stats(const padic_context *from)
{
    padic_op_stats all = PADIC_ZERO, one;
    int op;
    for (op = PADIC_OP_NUM_ADD; op <= PADIC_OP_NUM_HADAMARD; op++) {
        padic_context_op_stats(from, (padic_op)op, &one);
        all.calls += one.calls;
        all.fallbacks += one.fallbacks;
    }
    return all;
}

static padic_result ops_num_do_add(padic_context *context, const padic_num_array *const *x,
                                   const padic_tensor *t)
{
    (void)t;
    return padic_num_add(context, x[2], x[0], x[1]);
}

static padic_result ops_num_do_mul(padic_context *context, const padic_num_array *const *x,
                                   const padic_tensor *t)
{
    (void)t;
    return padic_num_mul(context, x[2], x[0], x[1]);
}

static padic_result ops_num_do_div(padic_context *context, const padic_num_array *const *x,
                                   const padic_tensor *t)
{
    (void)t;
    return padic_num_div(context, x[2], x[0], x[1]);
}

static padic_result ops_num_do_exp(padic_context *context, const padic_num_array *const *x,
                                   const padic_tensor *t)
{
    (void)t;
    return padic_num_exp(context, x[2], x[0]);
}

static padic_result ops_num_do_sqrt(padic_context *context, const padic_num_array *const *x,
                                   const padic_tensor *t)
{
    (void)t;
    return padic_num_sqrt(context, x[2], x[0]);
}

static padic_result ops_num_do_root(padic_context *context, const padic_num_array *const *x,
                                    const padic_tensor *t)
{
    (void)t;
    return padic_num_root(context, x[2], x[0], 257 * 3); // p divides n
}

static padic_result ops_num_do_pow_padic(padic_context *context, const padic_num_array *const *x,
                                         const padic_tensor *t)
{
    (void)t;
    return padic_num_pow_padic(context, x[2], x[0], x[1]);
}

static padic_result ops_num_do_random(padic_context *context, const padic_num_array *const *x,
                                      const padic_tensor *t)
{
    padic_num_random_desc desc = PADIC_ZERO;
    (void)t;
    desc.out = *x[2];
    desc.seed = 77;
    desc.first = 1000;
    return padic_num_random(context, &desc);
}

static padic_result ops_num_do_change_prime(padic_context *context,
                                            const padic_num_array *const *x, const padic_tensor *t)
{
    (void)t;
    return padic_num_change_prime(context, x[2], x[0]);
}

static padic_result ops_num_do_valuation(padic_context *context, const padic_num_array *const *x,
                                         const padic_tensor *t)
{
    padic_num_valuation_desc desc = PADIC_ZERO;
    desc.in = *x[0];
    desc.other = *x[1];
    desc.val = t[0];
    desc.val.dtype = PADIC_I32;
    desc.norm = t[1];
    desc.norm.dtype = PADIC_F64;
    return padic_num_valuation(context, &desc);
}

static padic_result ops_num_do_tropical(padic_context *context, const padic_num_array *const *x,
                                        const padic_tensor *t)
{
    padic_tensor out = t[0];
    out.dtype = PADIC_F64;
    return padic_num_tropical(context, &out, x[0]);
}

static padic_result ops_num_do_to_float(padic_context *context, const padic_num_array *const *x,
                                        const padic_tensor *t)
{
    padic_num_to_float_desc desc = PADIC_ZERO;
    desc.in = *x[0];
    desc.out = t[0];
    desc.out.dtype = PADIC_F64;
    desc.sticky = x[2]->sticky;
    return padic_num_to_float(context, &desc);
}

static padic_result ops_num_do_to_rational(padic_context *context,
                                           const padic_num_array *const *x, const padic_tensor *t)
{
    padic_num_to_rational_desc desc = PADIC_ZERO;
    desc.in = *x[0];
    desc.numerator = t[0];
    desc.denominator = t[1];
    desc.numerator.dtype = PADIC_I64;
    desc.mode = PADIC_NUM_RATIONAL_QUOTIENT;
    desc.sticky = x[2]->sticky;
    return padic_num_to_rational(context, &desc);
}

// Polynomials of degree 2, a third of `count`, and a seed near a root of each but every seventh.
static void ops_num_polynomials(const padic_num_array *x)
{
    const uint64_t terms = x->count < 3 ? 1 : 3, n = x->count / terms;
    int64_t *const to = (int64_t *)calloc((size_t)x->count + 1, 8);
    padic_num_from_int_desc desc = PADIC_ZERO;
    uint64_t i, k, state = 1;
    for (k = 0; k < 2; k++) {
        for (i = 0; i < n; i++) {
            int64_t c[4]; // the seed, then those of x, x^2 and the 257 of the constant
            uint32_t j;
            state = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
            for (j = 0; j < 4; j++) c[j] = (int64_t)(state >> 13 * j & 127) + 1;
            if ((c[1] + 2 * c[2] * c[0]) % 257 == 0) c[1]++; // a double root
            if (!k) {
                to[i] = c[0] + (i % 7 == 6);
            } else if (terms == 3) {
                to[i] = 257 * c[3] - c[0] * (c[1] + c[2] * c[0]);
                to[n + i] = c[1];
                to[2 * n + i] = c[2];
            }
        }
        desc.out = x[k];
        desc.in = padic_tensor_1d(PADIC_I64, to, x->count);
        if (padic_num_from_int(NULL, &desc)) abort();
    }
    free(to);
}

// The first of an array.
static padic_num_array ops_num_first(const padic_num_array *from, uint64_t count)
{
    padic_num_array a = *from;
    a.count = count;
    return a;
}

static uint32_t ops_num_lifted; // roots in host memory

static padic_result ops_num_do_hensel(padic_context *context, const padic_num_array *const *x,
                                      const padic_tensor *t)
{
    const uint32_t terms = x[0]->count < 3 ? 1 : 3;
    padic_num_hensel_desc desc = PADIC_ZERO;
    padic_result result;
    uint64_t i;
    (void)t;
    desc.out = ops_num_first(x[2], x[2]->count / terms);
    desc.seeds = ops_num_first(x[0], x[2]->count / terms);
    desc.coefficients = *x[1];
    desc.terms = terms;
    result = padic_num_hensel(context, &desc);
    for (i = 0; !context && i < desc.out.count; i++) {
        padic_num_value root;
        if (padic_num_get(&desc.out, i, &root)) abort();
        ops_num_lifted += root.v != PADIC_NUM_NAN && root.u[0] != 0;
    }
    return result;
}

// One call with planes in buffers (without a context: in host memory), and without a context.
// `prepare`, or NULL, replaces the random operands.
static void ops_num_case(ops_run *run, const padic_num_ring *ring, padic_num_model model,
                         uint64_t count, ops_num_fn call,
                         void (*prepare)(const padic_num_array *operands))
{
    const size_t size = padic_num_array_size_bound(ring, model, count);
    padic_num_array host[3], own[3];
    const padic_num_array *want[3], *got[3];
    padic_tensor planes[2], own_planes[2]; // of the host, of buffers
    padic_buffer buffer[3], plane[2];
    padic_op_stats before, after;
    char *memory[6], *words[4];
    uint32_t sticky[2] = {0, 0}, i;
    padic_result result;
    memset(&before, 0, sizeof before);
    after = before;
    for (i = 0; i < 6; i++) memory[i] = (char *)calloc(size + 64, 1);
    for (i = 0; i < 3; i++) {
        padic_num_random_desc random = PADIC_ZERO;
        char *const begin = memory[i] + ((0u - (uintptr_t)memory[i]) & 63);
        if (padic_num_place(&host[i], ring, model, count, begin, size)) abort();
        random.out = host[i];
        random.seed = i;
        if (padic_num_random(NULL, &random)) abort();
    }
    if (prepare) (*prepare)(host);
    for (i = 0; i < 3; i++) {
        padic_buffer_desc desc = PADIC_ZERO;
        char *const begin = memory[i] + ((0u - (uintptr_t)memory[i]) & 63);
        if (!run->context) {
            char *const other = memory[i + 3] + ((0u - (uintptr_t)memory[i + 3]) & 63);
            memcpy(other, begin, size - 63);
            if (padic_num_place(&own[i], ring, model, count, other, size)) abort();
        } else {
            desc.size = size;
            desc.data = begin;
            if (padic_buffer_create(run->context, &desc, &buffer[i]) ||
                padic_num_place_buffer(&own[i], ring, model, count, buffer[i], 0))
                abort();
        }
        want[i] = &host[i];
        got[i] = &own[i];
    }
    for (i = 0; i < 2; i++) {
        words[i] = (char *)calloc((size_t)count + 1, 8);
        words[i + 2] = (char *)calloc((size_t)count + 1, 8);
        planes[i] = padic_tensor_1d(PADIC_U64, words[i], count);
        own_planes[i] = padic_tensor_1d(PADIC_U64, run->context ? NULL : words[i + 2], count);
        if (run->context) {
            padic_buffer_desc desc = PADIC_ZERO;
            desc.size = 8 * (count + 1);
            desc.data = words[i];
            if (padic_buffer_create(run->context, &desc, &plane[i])) abort();
            own_planes[i].buffer = plane[i];
        }
    }
    host[2].sticky = &sticky[0];
    own[2].sticky = &sticky[1];
    if (run->context) {
        (void)ASK(run->context, (*call)(run->context, got, own_planes));
        before = ops_num_stats(run->context);
    }
    result = (*call)(run->context, got, own_planes);
    if (run->context) {
        padic_op_stats one;
        after = ops_num_stats(run->context);
        padic_context_op_stats(run->context, test_asked.op, &one);
        CHECK_EQ(test_asked.result, result);
        CHECK(result || !strcmp(test_asked.backend, one.backend));
    }
    if (result != PADIC_ERROR_NOT_SUPPORTED) {
        CHECK_EQ(result, (*call)(NULL, want, planes));
        CHECK_EQ(sticky[1], sticky[0]);
        for (i = 0; i < 3; i++) {
            const size_t skip = (0u - (uintptr_t)memory[i]) & 63;
            char *const other = memory[i + 3] + ((0u - (uintptr_t)memory[i + 3]) & 63);
            if (run->context)
                CHECK_EQ(padic_buffer_download(run->context, buffer[i], 0, other, size - 63),
                         PADIC_OK);
            CHECK(!memcmp(other, memory[i] + skip, size - 63));
        }
    }
    for (i = 0; i < 2; i++) {
        if (run->context) {
            CHECK_EQ(
                padic_buffer_download(run->context, plane[i], 0, words[i + 2], 8 * (count + 1)),
                PADIC_OK);
            padic_buffer_destroy(run->context, plane[i]);
        }
        if (result != PADIC_ERROR_NOT_SUPPORTED)
            CHECK(!memcmp(words[i], words[i + 2], 8 * ((size_t)count + 1)));
        free(words[i]);
        free(words[i + 2]);
    }
    ops_note(run, ring->unit_size == 4 ? PADIC_U32 : PADIC_U64,
             result != PADIC_ERROR_NOT_SUPPORTED &&
                 after.fallbacks == before.fallbacks);
    for (i = 0; i < 3 && run->context; i++) padic_buffer_destroy(run->context, buffer[i]);
    for (i = 0; i < 6; i++) free(memory[i]);
}

static void ops_num_rows(ops_run *run, ops_num_fn call)
{
    static const uint64_t counts[4] = {0, 1, 333, 1 << 20};
    static const uint32_t precisions[2] = {3, 6}; // of 257: units of 32 and of 64 bits
    padic_num_ring ring;
    int i, m, c;
    for (i = 0; i < 2; i++)
        for (m = 0; m < 3; m++)
            for (c = run->perf ? 3 : 0; c < (run->perf ? 4 : 3); c++) {
                if (padic_num_ring_init(&ring, 257, precisions[i], NULL)) abort();
                ops_num_case(run, &ring, (padic_num_model)m, counts[c], call, NULL);
            }
}

// Fewer variants: a ring in words of 32 bits, floats and balls of 64.
static void ops_num_few(ops_run *run, ops_num_fn call)
{
    padic_num_ring ring;
    int m, c;
    for (m = 0; m < 3; m++)
        for (c = 0; c < 3; c++) {
            if (padic_num_ring_init(&ring, 257, m ? 6 : 3, NULL)) abort();
            ops_num_case(run, &ring, (padic_num_model)m, c ? c == 1 ? 1 : 333 : 0, call, NULL);
        }
}

static void ops_num_add(ops_run *run)
{
    ops_num_rows(run, ops_num_do_add);
}

static void ops_num_mul(ops_run *run)
{
    ops_num_rows(run, ops_num_do_mul);
}

static void ops_num_div(ops_run *run)
{
    ops_num_rows(run, ops_num_do_div);
}

static void ops_num_exp(ops_run *run)
{
    ops_num_rows(run, ops_num_do_exp);
}

static void ops_num_sqrt(ops_run *run)
{
    ops_num_rows(run, ops_num_do_sqrt);
}

static void ops_num_root(ops_run *run)
{
    ops_num_few(run, ops_num_do_root);
}

static void ops_num_pow_padic(ops_run *run)
{
    ops_num_few(run, ops_num_do_pow_padic);
}

static void ops_num_change_prime(ops_run *run)
{
    ops_num_few(run, ops_num_do_change_prime);
}

static void ops_num_random(ops_run *run)
{
    ops_num_rows(run, ops_num_do_random);
}

static void ops_num_valuation(ops_run *run)
{
    ops_num_few(run, ops_num_do_valuation);
}

static void ops_num_tropical(ops_run *run)
{
    ops_num_few(run, ops_num_do_tropical);
}

static void ops_num_to_float(ops_run *run)
{
    ops_num_few(run, ops_num_do_to_float);
}

static void ops_num_to_rational(ops_run *run)
{
    ops_num_few(run, ops_num_do_to_rational);
}

static void ops_num_hensel(ops_run *run)
{
    static const uint64_t counts[3] = {0, 1, 999};
    padic_num_ring ring;
    int m, c;
    ops_num_lifted = 0;
    for (m = 0; m < 4; m++)
        for (c = 0; c < 3; c++) {
            if (padic_num_ring_init(&ring, 257, m % 3 ? 6 : 3 + (uint32_t)m, NULL)) abort();
            ops_num_case(run, &ring, (padic_num_model)(m % 3), counts[c], ops_num_do_hensel,
                         ops_num_polynomials);
        }
    CHECK(ops_num_lifted >= 4 * (333 - 333 / 7));
}

// A batch of systems (modp: modulo 257^3), or (sides 0) of determinants: `bits` of the entries, so
// that minors fit in a word or do not. The results are I64 with a status for each.
typedef struct ops_systems {
    uint32_t n, sides, bits, modp;
    padic_dtype dtype;
    uint64_t batch;
} ops_systems;

// The call. t: A, B, numerators (or residues), denominators, det, rank, status.
static padic_result ops_num_systems_do(padic_context *context, const ops_systems *c,
                                       const padic_num_ring *ring, const padic_tensor *t,
                                       uint32_t *sticky)
{
    padic_num_solve_desc desc = PADIC_ZERO;
    padic_num_det_desc det = PADIC_ZERO;
    padic_result result;
    desc.matrix = det.matrix = t[0];
    desc.right = t[1];
    if (c->modp) {
        desc.out.ring = ring;
        desc.out.count = c->batch * c->n * c->sides;
        desc.out.unit = padic_num_plane_in(t[2].dtype, t[2].buffer, t[2].offset);
        desc.out.unit.data = t[2].data;
    } else {
        desc.numerator = t[2];
        desc.denominator = t[3];
        desc.det = t[4];
    }
    det.out = t[4];
    desc.rank = t[5];
    desc.status = det.status = t[6];
    desc.sticky = det.sticky = sticky;
    if (c->batch % 2) // else from the allocator
        desc.workspace = det.workspace = num_workspace(
            c->sides ? padic_num_solve_workspace(&desc) : padic_num_det_workspace(&det));
    result = c->sides ? padic_num_solve(context, &desc) : padic_num_det(context, &det);
    num_workspace_end(&desc.workspace);
    return result;
}

static void ops_num_systems(ops_run *run, const ops_systems *c)
{
    const uint64_t n = c->n, sides = c->sides, batch = c->batch, all = batch * n * sides;
    const uint64_t square[3] = {batch, n, n}, right[3] = {batch, n, sides};
    const padic_dtype kind = c->modp ? PADIC_U32 : PADIC_I64;
    const uint64_t counts[7] = {batch * n * n, all, all, batch * sides, batch, batch, batch};
    const padic_dtype dtypes[7] = {c->dtype,  c->dtype,  kind,    PADIC_I64,
                                   PADIC_I64, PADIC_U32, PADIC_U8};
    padic_num_ring ring;
    padic_tensor want[7], got[7];
    padic_buffer buffer[7];
    padic_op_stats before, after;
    char *memory[14];
    uint32_t sticky[2] = {0, 0}, i;
    uint64_t j;
    padic_result result;
    if (padic_num_ring_init(&ring, 257, 3, NULL)) abort();
    memset(&before, 0, sizeof before);
    after = before;
    for (i = 0; i < 7; i++) {
        const size_t size = (size_t)counts[i] * padic_dtype_size(dtypes[i]) + 8;
        memory[i] = (char *)calloc(size, 1);
        memory[i + 7] = (char *)calloc(size, 1);
        for (j = 0; j < counts[i] && i < 2; j++) {
            const int64_t x = (int64_t)(test_random() >> (64 - c->bits)) - (1 << (c->bits - 1));
            const int64_t entry = j / (n * (i ? sides : n)) % 5 == 4 && j / n % n == 0 ? 0 : x;
            if (c->dtype == PADIC_I32)
                ((int32_t *)(void *)memory[i])[j] = (int32_t)entry;
            else
                ((int64_t *)(void *)memory[i])[j] = entry;
        }
        memcpy(memory[i + 7], memory[i], size);
        want[i] = i == 0   ? padic_tensor_nd(dtypes[i], memory[i], 3, square)
                  : i == 1 ? padic_tensor_nd(dtypes[i], memory[i], 3, right)
                           : padic_tensor_1d(dtypes[i], memory[i], counts[i]);
        got[i] = want[i];
        got[i].data = run->context ? NULL : memory[i + 7];
        if (run->context) {
            padic_buffer_desc desc = PADIC_ZERO;
            desc.size = size;
            desc.data = memory[i];
            if (padic_buffer_create(run->context, &desc, &buffer[i])) abort();
            got[i].buffer = buffer[i];
        }
    }
    if (run->context) before = ops_num_stats(run->context);
    result = ops_num_systems_do(run->context, c, &ring, got, &sticky[1]);
    if (run->context) after = ops_num_stats(run->context);
    if (result != PADIC_ERROR_NOT_SUPPORTED) {
        CHECK_EQ(result, ops_num_systems_do(NULL, c, &ring, want, &sticky[0]));
        CHECK_EQ(sticky[1], sticky[0]);
    }
    for (i = 0; i < 7; i++) {
        const size_t size = (size_t)counts[i] * padic_dtype_size(dtypes[i]) + 8;
        if (run->context) {
            CHECK_EQ(padic_buffer_download(run->context, buffer[i], 0, memory[i + 7], size),
                     PADIC_OK);
            padic_buffer_destroy(run->context, buffer[i]);
        }
        if (result != PADIC_ERROR_NOT_SUPPORTED)
            CHECK(!memcmp(memory[i], memory[i + 7], size));
        free(memory[i]);
        free(memory[i + 7]);
    }
    ops_note(run, c->dtype, result != PADIC_ERROR_NOT_SUPPORTED &&
                                after.fallbacks == before.fallbacks);
}

static void ops_num_solve(ops_run *run)
{
    static const ops_systems rows[] = {
        {3, 1, 6, 0, PADIC_I32, 0},   {1, 1, 6, 0, PADIC_I32, 1},   {3, 1, 6, 0, PADIC_I32, 333},
        {8, 2, 5, 0, PADIC_I64, 65},  {4, 1, 16, 0, PADIC_I64, 65}, {16, 1, 3, 0, PADIC_I64, 3},
        {17, 1, 3, 0, PADIC_I32, 2},  {3, 1, 20, 1, PADIC_I32, 333}, {17, 2, 20, 1, PADIC_I64, 5},
        {3, 65, 20, 0, PADIC_I64, 1}, {31, 1, 3, 0, PADIC_I32, 1},   {64, 1, 2, 0, PADIC_I64, 1},
        {2, 130, 20, 1, PADIC_I32, 3}};
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows && !run->perf; i++) ops_num_systems(run, &rows[i]);
}

static void ops_num_det(ops_run *run)
{
    static const ops_systems rows[] = {
        {3, 0, 6, 0, PADIC_I32, 333}, {1, 0, 6, 0, PADIC_I64, 1},  {8, 0, 9, 0, PADIC_I64, 65},
        {16, 0, 3, 0, PADIC_I32, 3},  {31, 0, 3, 0, PADIC_I32, 2}, {2, 0, 30, 0, PADIC_I64, 129}};
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows && !run->perf; i++) ops_num_systems(run, &rows[i]);
}

#define OPS_NUM                                                                              \
    {"num_add", ops_num_add}, {"num_mul", ops_num_mul}, {"num_div", ops_num_div},            \
        {"num_exp", ops_num_exp}, {"num_sqrt", ops_num_sqrt}, {"num_root", ops_num_root},    \
        {"num_pow_padic", ops_num_pow_padic}, {"num_change_prime", ops_num_change_prime},    \
        {"num_valuation", ops_num_valuation}, {"num_tropical", ops_num_tropical},            \
        {"num_to_float", ops_num_to_float}, {"num_to_rational", ops_num_to_rational},    \
        {"num_random", ops_num_random}, {"num_hensel", ops_num_hensel},                      \
        {"num_solve", ops_num_solve}, {"num_det", ops_num_det},
