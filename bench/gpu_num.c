// gpu_num.c: p-adic arrays on a device, ns for each element, as CSV.
//
// cc -O2 -std=gnu99 -DPADIC_NO_CODEC bench/gpu_num.c -o gpu_num -lm -lpthread -ldl
// ./gpu_num [cuda|opencl] [--repeat N] [--count N] [--op PART]
//
// Columns: device, op, p, N, form, model, elements, ns (median of the repeats, each of as many
// calls as take 20 ms, nothing waited for in between, of one call), ns_each, gops (10^9 elements a
// second), gbs (bytes that the planes have, read or written once), share (of the copy bandwidth of
// this run). Of samples p is the base and N its digits. The row `copy` is a device-to-device copy
// of 1 GiB: bytes read and written. Sums, fractions and exponentials move too little for the share
// to say anything.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define PADIC_IMPLEMENTATION
#include "../padic.h"

#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include "../backends/padic_simd.h"

#include "gpu.h"

static uint64_t count = 10000000;
static const char *only = "";

// ---- arrays

typedef struct arrays {
    padic_num_ring ring;
    padic_num_array x, a, b, c, coefficients, one;
    padic_tensor digits, ints, over, floats, val;
    padic_buffer memory[12];
    uint32_t used;
    padic_num_model model;
} arrays;

// A buffer with random bytes below `most` in each word.
static padic_buffer buffer_random(uint64_t size)
{
    padic_buffer buffer = buffer_of((size + 255) & ~UINT64_C(255));
    padic_random_fill_desc desc = PADIC_ZERO;
    desc.tensor = padic_tensor_1d(PADIC_U32, NULL, (size + 3) / 4);
    desc.tensor.buffer = buffer;
    desc.seed = size;
    must(padic_random_fill(context, &desc), "random");
    return buffer;
}

static void array_of(arrays *s, padic_num_array *a, uint64_t n, uint64_t seed)
{
    const size_t size = padic_num_array_size_bound(&s->ring, s->model, n);
    padic_num_array host;
    padic_num_random_desc random = PADIC_ZERO;
    void *memory = malloc(size);
    padic_buffer buffer = buffer_of((size + 255) & ~(size_t)255);
    if (!memory) exit(1);
    must(padic_num_place(&host, &s->ring, s->model, n, memory, size), "place");
    random.out = host;
    random.seed = seed;
    if (seed) must(padic_num_random(NULL, &random), "random numbers");
    if (!seed) memset(memory, 0, size); // written before it is read
    must(padic_num_place_buffer(a, &s->ring, s->model, n, buffer, 0), "place");
    memset(&a->status, 0, sizeof a->status); // no plane to write, but a word: nothing waits
    must(padic_buffer_upload(context, buffer, 0,
                             (char *)memory + (64 - ((uintptr_t)memory & 63)) % 64, size - 63),
         "upload");
    s->memory[s->used++] = buffer;
    free(memory);
}

static padic_tensor tensor_of(arrays *s, padic_dtype dtype, uint64_t rows, uint64_t n)
{
    const uint64_t shape[2] = {rows, n};
    padic_tensor t = padic_tensor_nd(dtype, NULL, rows > 1 ? 2 : 1, rows > 1 ? shape : &n);
    t.buffer = s->memory[s->used++] = buffer_random(rows * n * padic_dtype_size(dtype));
    return t;
}

static padic_num_array *target(arrays *s)
{
    return &s->x;
}

#define CALL(name, what)                                                 \
    static void name(void *arg)                                          \
    {                                                                    \
        arrays *s = (arrays *)arg;                                       \
        must(what, #name);                                               \
    }
CALL(run_add, padic_num_add(context, target(s), &s->a, &s->b))
CALL(run_mul, padic_num_mul(context, target(s), &s->a, &s->b))
CALL(run_fma, padic_num_fma(context, target(s), &s->a, &s->b, &s->c))
CALL(run_inv, padic_num_inv(context, target(s), &s->a))
CALL(run_div, padic_num_div(context, target(s), &s->a, &s->b))
CALL(run_pow, padic_num_pow(context, target(s), &s->a, 1000003))
CALL(run_sum, padic_num_sum(context, &s->one, &s->a))
CALL(run_dot, padic_num_dot(context, &s->one, &s->a, &s->b))
CALL(run_teichmueller, padic_num_teichmueller(context, target(s), &s->a))
CALL(run_split, padic_num_split(context, target(s), &s->val, &s->a))

static void run_horner(void *arg)
{
    arrays *s = (arrays *)arg;
    padic_num_horner_desc desc = PADIC_ZERO;
    desc.out = s->x;
    desc.x = s->a;
    desc.coefficients = s->coefficients;
    desc.terms = (uint32_t)s->coefficients.count;
    must(padic_num_horner(context, &desc), "horner");
}

static void run_to_digits(void *arg)
{
    arrays *s = (arrays *)arg;
    padic_num_to_digits_desc desc = PADIC_ZERO;
    desc.in = s->a;
    desc.digits = s->digits;
    desc.status = s->val; // a plane of bytes, so that nothing waits
    desc.status.dtype = PADIC_U8;
    must(padic_num_to_digits(context, &desc), "to_digits");
}

static void run_from_digits(void *arg)
{
    arrays *s = (arrays *)arg;
    padic_num_from_digits_desc desc = PADIC_ZERO;
    desc.out = s->x;
    desc.digits = s->digits;
    must(padic_num_from_digits(context, &desc), "from_digits");
}

static void run_from_int(void *arg)
{
    arrays *s = (arrays *)arg;
    padic_num_from_int_desc desc = PADIC_ZERO;
    desc.out = s->x;
    desc.in = s->ints;
    must(padic_num_from_int(context, &desc), "from_int");
}

static void run_from_float(void *arg)
{
    arrays *s = (arrays *)arg;
    padic_num_from_float_desc desc = PADIC_ZERO;
    desc.out = s->x;
    desc.in = s->floats;
    must(padic_num_from_float(context, &desc), "from_float");
}

static void run_to_rational(void *arg)
{
    arrays *s = (arrays *)arg;
    padic_num_to_rational_desc desc = PADIC_ZERO;
    desc.in = s->a;
    desc.numerator = s->ints;
    desc.denominator = s->over;
    desc.status = s->val; // a plane of bytes, so that nothing waits
    desc.status.dtype = PADIC_U8;
    must(padic_num_to_rational(context, &desc), "to_rational");
}

static const struct {
    const char *name;
    call_fn call;
    uint32_t reads, writes; // arrays
    int models;             // bit of each
    int more;               // 1: and an I32 tensor, 2: digits, 3: i64, 4: two of i64
} calls[] = {{"add", run_add, 2, 1, 7, 0},
             {"mul", run_mul, 2, 1, 7, 0},
             {"fma", run_fma, 3, 1, 3, 0},
             {"inv", run_inv, 1, 1, 2, 0},
             {"div", run_div, 2, 1, 6, 0},
             {"pow_1000003", run_pow, 1, 1, 3, 0},
             {"horner_64", run_horner, 1, 1, 3, 0},
             {"sum", run_sum, 1, 0, 3, 0},
             {"dot", run_dot, 2, 0, 3, 0},
             {"split", run_split, 1, 1, 3, 1},
             {"teichmueller", run_teichmueller, 1, 1, 1, 0},
             {"to_digits", run_to_digits, 1, 0, 1, 2},
             {"from_digits", run_from_digits, 0, 1, 1, 2},
             {"from_int", run_from_int, 0, 1, 3, 3},
             {"from_float", run_from_float, 0, 1, 2, 3},
             {"to_rational", run_to_rational, 1, 0, 1, 4}};

static void row(const char *op, const arrays *s, uint64_t n, double ns, double bytes)
{
    static const char *const forms[] = {"", "B2", "W32", "W49", "W64"};
    static const char *const models[] = {"RING", "FLOAT", "BALL"};
    printf("\"%s\",%s,%llu,%u,%s,%s,%llu,%.0f,%.4f,%.2f,%.1f,%.3f\n", info.name, op,
           s ? (unsigned long long)s->ring.p : 0, s ? s->ring.precision : 0,
           s ? forms[s->ring.form] : "", s && s->ring.form ? models[s->model] : "",
           (unsigned long long)n, ns, ns / (double)n, (double)n / ns, bytes / ns,
           bytes / ns / copy_rate);
    fflush(stdout);
}

static padic_num_plane plane_of(const padic_tensor *t, padic_dtype dtype)
{
    padic_num_plane plane = padic_num_plane_in(dtype, t->buffer, t->offset);
    plane.data = t->data;
    return plane;
}

static void bench_ring(uint64_t p, uint32_t N, padic_num_model model)
{
    arrays s;
    uint32_t i;
    const padic_dtype digit = p <= 256 ? PADIC_U8 : p <= 65536 ? PADIC_U16 : PADIC_U32;
    padic_tensor word;
    double plane;
    memset(&s, 0, sizeof s);
    s.model = model;
    must(padic_num_ring_init(&s.ring, p, N, NULL), "ring");
    array_of(&s, &s.x, count, 0);
    array_of(&s, &s.a, count, 2);
    array_of(&s, &s.b, count, 3);
    s.c = s.a;
    array_of(&s, &s.coefficients, 64, 5);
    array_of(&s, &s.one, 1, 0);
    s.val = tensor_of(&s, PADIC_I32, 1, count);
    s.ints = tensor_of(&s, PADIC_I64, 1, count);
    s.over = tensor_of(&s, PADIC_I64, 1, count);
    s.floats = s.ints;
    s.floats.dtype = PADIC_F64;
    word = tensor_of(&s, PADIC_U32, 1, 1);
    s.x.sticky_word = plane_of(&word, PADIC_U32);
    s.one.sticky_word = s.x.sticky_word;
    plane = s.ring.unit_size + (model ? 4 : 0) + (model == PADIC_NUM_BALL ? 1 : 0);
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        const uint64_t n = count;
        double bytes = (double)n * plane * (calls[i].reads + calls[i].writes), ns;
        if (!(calls[i].models >> model & 1) || !strstr(calls[i].name, only)) continue;
        if (calls[i].more == 2) {
            if (!s.digits.dtype) {
                const uint64_t shape[2] = {N, n};
                s.digits = padic_tensor_nd(digit, NULL, 2, shape);
                s.digits.buffer = buffer_of(N * n * padic_dtype_size(digit));
                run_to_digits(&s);
            }
            bytes += (double)(N * n * padic_dtype_size(digit)) + (calls[i].reads ? (double)n : 0);
        }
        bytes += (double)n * (calls[i].more == 1   ? 4
                              : calls[i].more == 3 ? 8
                              : calls[i].more == 4 ? 17
                                                   : 0);
        if (calls[i].more == 4 && !s.ring.base) continue;
        ns = measure(calls[i].call, &s);
        row(calls[i].name, &s, n, ns, bytes);
    }
    if (s.digits.dtype) must(padic_buffer_destroy(context, s.digits.buffer), "destroy");
    for (i = 0; i < s.used; i++) must(padic_buffer_destroy(context, s.memory[i]), "destroy");
}

typedef struct sample_job {
    padic_sample_radical_inverse_desc desc;
    uint64_t keys[64];
} sample_job;

static void run_sample(void *arg)
{
    must(padic_sample_radical_inverse(context, &((sample_job *)arg)->desc), "radical inverse");
}

// Radical inverses of neighbouring indices: p is the base, N its digits.
static void bench_sample(uint32_t base, padic_sample_mode mode, padic_dtype dtype)
{
    static const char *const names[] = {"sample_none", "sample_permute", "sample_owen"};
    padic_sample_keys_desc init = PADIC_ZERO;
    sample_job job;
    arrays s;
    uint64_t n = count * 10, bytes, last;
    memset(&job, 0, sizeof job);
    memset(&s, 0, sizeof s);
    if (!strstr(names[mode], only)) return;
    s.ring.p = init.base = job.desc.base = base;
    s.ring.precision = padic_sample_levels(base, PADIC_SAMPLE_DIGITS_SHORT);
    last = padic_sample_last_index(base, PADIC_SAMPLE_DIGITS_SHORT);
    init.out = padic_tensor_1d(PADIC_U64, job.keys, sizeof job.keys / 8);
    must(padic_sample_keys(NULL, &init), "keys");
    job.desc.scrambling.mode = mode;
    job.desc.scrambling.keys = padic_tensor_1d(PADIC_U64, job.keys, sizeof job.keys / 8);
    job.desc.first = 12345;
    if (n > last - 12345) n = last - 12345;
    bytes = n * padic_dtype_size(dtype);
    job.desc.out = padic_tensor_in(padic_tensor_1d(dtype, NULL, n), buffer_of(bytes), 0);
    row(names[mode], &s, n, measure(run_sample, &job), (double)bytes);
    must(padic_buffer_destroy(context, job.desc.out.buffer), "destroy");
}

static void bench_samples(void)
{
    static const uint32_t bases[] = {2, 3, 5, 257};
    int i, m;
    for (i = 0; i < 4; i++)
        for (m = 0; m < 3; m++) bench_sample(bases[i], (padic_sample_mode)m, PADIC_F32);
    bench_sample(3, PADIC_SAMPLE_MODE_NONE, PADIC_F64);
}

// Small exact systems with the determinant, of n unknowns and `sides` right sides; entries of
// `bits` bits. `modp`: modulo 257^6, too.
typedef struct systems_row {
    uint64_t n, batch, few; // few: systems for the CPU
    uint32_t bits, sides;
    int modp;
} systems_row;

typedef struct systems_job {
    padic_context *context;
    padic_num_solve_desc desc;
} systems_job;

static void run_systems(void *arg)
{
    systems_job *job = (systems_job *)arg;
    must(padic_num_solve(job->context, &job->desc), "solve");
}

// The tensors of a batch: in buffers, or (cpu) in a block of host memory, which is returned.
static char *systems_of(systems_job *job, const padic_num_ring *ring, const systems_row *r,
                        padic_context *cpu)
{
    const uint64_t n = r->n, batch = cpu ? r->few : r->batch, sides = r->sides;
    const uint64_t square[3] = {batch, n, n}, right[3] = {batch, n, sides};
    const uint64_t sizes[6] = {n * n, n * sides, n * sides, sides, 1, 1};
    const uint32_t bits = r->bits;
    size_t size;
    padic_tensor *const t[6] = {&job->desc.matrix,      &job->desc.right, &job->desc.numerator,
                                &job->desc.denominator, &job->desc.det,   &job->desc.status};
    char *const block = (char *)malloc(8 * batch * (n * n + 2 * n * sides + sides + 2));
    uint64_t state = 1, at = 0, i, j;
    if (!block) exit(1);
    memset(job, 0, sizeof *job);
    job->context = cpu ? cpu : context;
    for (i = 0; i < 6; i++) {
        int64_t *const x = (int64_t *)(void *)(block + 8 * at);
        for (j = 0; j < batch * sizes[i]; j++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            x[j] = i > 1 ? 0 : (int64_t)(state >> (64 - bits)) - (INT64_C(1) << (bits - 1));
        }
        if (ring && i > 2 && i < 5) continue;
        *t[i] = i ? padic_tensor_1d(i == 5 ? PADIC_U8 : PADIC_I64, cpu ? x : NULL, batch * sizes[i])
                  : padic_tensor_nd(PADIC_I64, cpu ? x : NULL, 3, square);
        if (i == 1) *t[1] = padic_tensor_nd(PADIC_I64, cpu ? x : NULL, 3, right);
        if (!cpu) t[i]->buffer = buffer_with(8 * batch * sizes[i], x);
        at += batch * sizes[i];
    }
    if (ring) {
        job->desc.out.ring = ring;
        job->desc.out.count = batch * n * sides;
        job->desc.out.unit = plane_of(&job->desc.numerator, PADIC_U64);
        memset(&job->desc.numerator, 0, sizeof job->desc.numerator);
    }
    size = padic_num_solve_workspace(&job->desc);
    job->desc.workspace = padic_tensor_1d(PADIC_U8, malloc(size), size);
    if (!size || !job->desc.workspace.data) exit(1);
    return block;
}

static void bench_system(const systems_row *r, const padic_num_ring *ring, padic_context *cpu)
{
    const uint64_t n = r->n, sides = r->sides, batch = cpu ? r->few : r->batch;
    padic_tensor *t[6];
    systems_job job;
    arrays s;
    char name[60];
    char *const block = systems_of(&job, ring, r, cpu);
    double bytes = 8.0 * (double)batch * (double)(n * n + (2 * n + 1) * sides + 1), ns;
    int i;
    memset(&s, 0, sizeof s);
    if (ring) s.ring = *ring;
    snprintf(name, sizeof name, "%s%u_%ubit", ring ? "modp" : "solve", (unsigned)n, r->bits);
    if (sides > 1) snprintf(name + strlen(name), 20, "_%usides", r->sides);
    if (cpu) strcat(name, "_cpu");
    if (cpu) { // one thread, vectors: the least of some
        double best = 1e300;
        for (i = 0; i < (n < 32 ? 5 : 1); i++) {
            const double begin = now();
            run_systems(&job);
            if (now() - begin < best) best = now() - begin;
        }
        ns = best;
    } else {
        ns = measure(run_systems, &job);
    }
    row(name, ring ? &s : NULL, batch, ns, bytes);
    t[0] = &job.desc.matrix;
    t[1] = &job.desc.right;
    t[2] = &job.desc.numerator;
    t[3] = &job.desc.denominator;
    t[4] = &job.desc.det;
    t[5] = &job.desc.status;
    for (i = 0; i < 6; i++)
        if (t[i]->buffer.id) must(padic_buffer_destroy(context, t[i]->buffer), "destroy");
    if (job.desc.out.unit.buffer.id)
        must(padic_buffer_destroy(context, job.desc.out.unit.buffer), "destroy");
    free(job.desc.workspace.data);
    free(block);
}

static void bench_systems(void)
{
    const uint64_t many = count / 10;
    const systems_row rows[] = { // the last ones: minors beyond a word
        {3, many, 20000, 12, 1, 1}, {4, many, 20000, 9, 1, 1},   {6, many, 20000, 5, 1, 1},
        {8, many, 20000, 4, 1, 1},  {4, 10000, 1000, 9, 200, 1}, {32, 2000, 100, 60, 1, 1},
        {64, 2000, 10, 60, 1, 1},   {4, 20000, 500, 60, 1, 0},   {8, 20000, 500, 31, 1, 0},
        {16, 20000, 500, 8, 1, 0},  {16, 20000, 500, 60, 1, 0},  {30, 2000, 100, 60, 1, 0},
        {64, 1, 10, 60, 1, 0},      {16, 2000, 20, 60, 64, 0}};
    padic_context_desc desc = PADIC_ZERO;
    padic_context *cpu = NULL;
    padic_num_ring ring;
    int i, m;
    desc.backends[0] = padic_simd();
    must(padic_context_create(&desc, &cpu), "a context of the CPU");
    must(padic_num_ring_init(&ring, 257, 6, NULL), "ring");
    for (i = 0; i < (int)(sizeof rows / sizeof *rows); i++)
        for (m = 0; m <= rows[i].modp; m++) {
            bench_system(&rows[i], m ? &ring : NULL, NULL);
            bench_system(&rows[i], m ? &ring : NULL, cpu);
        }
    padic_context_destroy(cpu);
}

// All roots of random polynomials with `terms` coefficients each.
typedef struct hensel_job {
    padic_context *context;
    padic_num_polynomial_roots_desc desc;
} hensel_job;

static void run_hensel(void *arg)
{
    hensel_job *job = (hensel_job *)arg;
    must(padic_num_polynomial_roots(job->context, &job->desc), "all roots");
}

static void bench_hensel(uint64_t p, uint32_t N, uint32_t terms, uint64_t n, int cpu)
{
    const uint64_t sizes[3] = {8 * terms * n, 8 * (terms - 1) * n, 4 * n};
    hensel_job job;
    arrays s;
    size_t size;
    padic_buffer buffer[3];
    char name[40], *memory[3];
    uint64_t state = 1, i;
    double ns;
    memset(&s, 0, sizeof s);
    memset(&job, 0, sizeof job);
    must(padic_num_ring_init(&s.ring, p, N, NULL), "ring");
    job.context = cpu ? NULL : context;
    for (i = 0; i < 3; i++) memory[i] = (char *)malloc(sizes[i]);
    if (!memory[0] || !memory[1] || !memory[2]) exit(1);
    for (i = 0; i < terms * n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ((uint64_t *)(void *)memory[0])[i] = (state >> 1) % s.ring.modulus[0];
    }
    for (i = 0; i < 3 && !cpu; i++) buffer[i] = buffer_with(sizes[i], memory[i]);
    job.desc.coefficients.ring = job.desc.out.ring = &s.ring;
    job.desc.coefficients.count = terms * n;
    job.desc.coefficients.unit = padic_num_plane_of(PADIC_U64, cpu ? memory[0] : NULL);
    job.desc.out.count = (terms - 1) * n;
    job.desc.out.unit = padic_num_plane_of(PADIC_U64, cpu ? memory[1] : NULL);
    job.desc.found = padic_tensor_1d(PADIC_U32, cpu ? memory[2] : NULL, n);
    if (!cpu) job.desc.coefficients.unit.buffer = buffer[0];
    if (!cpu) job.desc.out.unit.buffer = buffer[1];
    if (!cpu) job.desc.found.buffer = buffer[2];
    job.desc.terms = terms;
    job.desc.polynomials = n;
    job.desc.root_limit = terms - 1;
    job.desc.branches = 16;
    size = padic_num_polynomial_roots_workspace(&job.desc);
    job.desc.workspace = padic_tensor_1d(PADIC_U8, malloc(size), size);
    if (!size || !job.desc.workspace.data) exit(1);
    ns = now();
    run_hensel(&job);
    ns = cpu ? now() - ns : measure(run_hensel, &job);
    snprintf(name, sizeof name, "hensel_all%u%s", terms - 1, cpu ? "_cpu" : "");
    row(name, &s, n, ns, (double)(sizes[0] + sizes[1] + sizes[2]));
    for (i = 0; i < 3; i++) {
        if (!cpu) must(padic_buffer_destroy(context, buffer[i]), "destroy");
        free(memory[i]);
    }
    free(job.desc.workspace.data);
}

static void bench_hensels(void)
{
    int cpu;
    for (cpu = 0; cpu < 2; cpu++) {
        bench_hensel(7, 22, 4, cpu ? 2000 : count / 20, cpu);
        bench_hensel(257, 6, 4, cpu ? 2000 : count / 20, cpu);
        bench_hensel(257, 6, 33, cpu ? 500 : count / 200, cpu);
        bench_hensel(65537, 3, 9, cpu ? 10 : count / 10000, cpu);
    }
}

static void bench_copy(void)
{
    copy_job job;
    double ns;
    job.size = UINT64_C(1) << 30;
    job.from = buffer_of(job.size);
    job.to = buffer_of(job.size);
    must(padic_buffer_fill(context, job.from, 0, 0x01020304u, job.size), "fill");
    ns = measure(copy_call, &job);
    copy_rate = 2.0 * (double)job.size / ns;
    row("copy", NULL, job.size, ns, 2.0 * (double)job.size);
    must(padic_buffer_destroy(context, job.from), "destroy");
    must(padic_buffer_destroy(context, job.to), "destroy");
}

int main(int argc, char **argv)
{
    static const struct {
        uint64_t p;
        uint32_t N;
    } rings[] = {{2, 24}, {2, 53}, {3, 20}, {257, 3}, {257, 6}, {3, 30}, {5, 27}};
    padic_context_desc desc = PADIC_ZERO;
    int i, m;
    desc.backends[0] = padic_cuda();
    desc.flags = PADIC_CONTEXT_STRICT;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "opencl")) desc.backends[0] = padic_opencl();
        if (!strcmp(argv[i], "--repeat") && i + 1 < argc) repeats = atoi(argv[++i]);
        if (!strcmp(argv[i], "--count") && i + 1 < argc) count = strtoull(argv[++i], NULL, 10);
        if (!strcmp(argv[i], "--op") && i + 1 < argc) only = argv[++i];
    }
    if (repeats < 1 || repeats > 64 || count < 4096) return fputs("--repeat 1 to 64\n", stderr), 2;
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    if (padic_context_create(&desc, &context)) return fputs("no device\n", stderr), 77;
    padic_context_device_info(context, &info);
    puts("device,op,p,N,form,model,elements,ns,ns_each,gops,gbs,share");
    bench_copy();
    if (strstr("systems", only)) bench_systems();
    if (strstr("hensel", only)) bench_hensels();
    if (strcmp(only, "systems") && strcmp(only, "hensel")) bench_samples();
    i = strncmp(only, "sample", 6) && strcmp(only, "systems") && strcmp(only, "hensel")
            ? 0
            : (int)(sizeof rings / sizeof *rings);
    for (; i < (int)(sizeof rings / sizeof *rings); i++)
        for (m = 0; m < 3; m++) bench_ring(rings[i].p, rings[i].N, (padic_num_model)m);
    padic_context_destroy(context);
    return 0;
}
