// The bench of numbers: ns per element of p-adic arithmetic beside FLINT and PARI, of sparse
// encoding beside the memory's speed, of sample points beside the plain loop.
//
//     sh bench/build.sh OUT [FLAGS...]     with OUT named bench-num...: this program
//     ./bench-num --op num                 rings of >>rings below, every operation, every method
//     ./bench-num --op sparse --elements 268435456
//     ./bench-num --op sample
//
// All methods of a row take turns in one process until each has `--repeat` runs and `--seconds` of
// time; tables show the least time, the CSV also the median. Results of ours are compared with each
// other bit by bit, and with the peers number by number, before they count. Threads are measured by
// the wall clock, all else by the processor time of the thread.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#define PADIC_IMPLEMENTATION
#define PADIC_NO_CODEC
#include "../padic.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"

#include "num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef BENCH_FLAGS
#define BENCH_FLAGS ""
#endif
#ifndef BENCH_COMMIT
#define BENCH_COMMIT ""
#endif

#define MAX_METHODS 12
#define MAX_RUNS 4096
#define HORNER_TERMS 17 // of 16 steps

typedef struct method {
    char name[32];
    void (*run)(void *state);
    void *state;
    int wall;
    double elements; // 0: those of the row
    double runs[MAX_RUNS];
    int count;
    double median, least; // ns per element
} method;

typedef struct options {
    const char *op, *csv, *machine, *filter, *threads;
    uint64_t p; // of --ring; 0: all
    uint32_t precision;
    size_t sizes[8];
    int size_count, repeat, quick, exact; // exact: the sizes of --count, also of long rings
    double seconds, budget;
    uint64_t elements;
} options;

static options opt = {"num", NULL, "", NULL, "yes", 0, 0, {1024, 1000000},
                      2,     5,    0,  0,    0.2,  0, UINT64_C(1) << 28};
static FILE *csv;
static char cpu_name[96], today[16], compiler[96];
static padic_context *contexts[8]; // the SIMD levels of this machine, then the best with threads
static char context_names[8][32];
static int context_count, context_wall[8];

static void die(const char *what)
{
    fprintf(stderr, "bench-num: %s\n", what);
    exit(1);
}

static void *need(void *p)
{
    if (!p) die("out of memory");
    return p;
}

static double now(int wall)
{
    struct timespec t;
    clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Lets all methods take turns; times become ns per element.
static void take_turns(method *methods, int n, double elements)
{
    double spent = 0, begin = now(1);
    int inner[MAX_METHODS], i, j, round;
    for (round = 0; round <= opt.repeat || spent < opt.seconds * 1e9 * n; round++) {
        if (round == MAX_RUNS) break;
        for (i = 0; i < n; i++) {
            const double each = methods[i].elements > 0 ? methods[i].elements : elements;
            double t = now(methods[i].wall);
            for (j = 0; j < (round ? inner[i] : 1); j++) (*methods[i].run)(methods[i].state);
            t = now(methods[i].wall) - t;
            if (round)
                methods[i].runs[methods[i].count++] = t / inner[i] / each;
            else // warms up, and says how many times make 50 us
                inner[i] = t < 50 ? 1000 : t < 50000 ? (int)(50000 / t) + 1 : 1;
        }
        spent = now(1) - begin;
    }
    for (i = 0; i < n; i++) {
        qsort(methods[i].runs, (size_t)methods[i].count, sizeof(double), by_size);
        methods[i].median = methods[i].runs[methods[i].count / 2];
        methods[i].least = methods[i].runs[0];
    }
}

static void report(const char *op, const char *what, double n, const method *methods, int count)
{
    int i;
    printf("%-14s %-16s %9.0f", op, what, n);
    for (i = 0; i < count; i++) printf("  %s %.3g", methods[i].name, methods[i].least);
    printf("\n");
    fflush(stdout);
    for (i = 0; csv && i < count; i++)
        fprintf(csv, "%s,%s,%s,\"%s\",\"%s\",\"%s\",%s,%s,%.0f,%s,%d,%.4f,%.4f,%s\n", opt.machine,
                today, BENCH_COMMIT, compiler, BENCH_FLAGS, cpu_name, op, what,
                methods[i].elements > 0 ? methods[i].elements : n, methods[i].name,
                methods[i].count, methods[i].median, methods[i].least,
                methods[i].wall ? "wall" : "cpu");
    if (csv) fflush(csv);
}

static method *add_method(method *methods, int *n, const char *name, void (*run)(void *),
                          void *state, int wall)
{
    method *m = &methods[(*n)++];
    memset(m, 0, sizeof *m);
    snprintf(m->name, sizeof m->name, "%s", name);
    m->run = run;
    m->state = state;
    m->wall = wall;
    return m;
}

// ---------------------------------------------------------------------------------- >>num
//
// >>rings: those of the library's specification

static const struct {
    uint64_t p;
    uint32_t n;
} rings[] = {{257, 6},   {2, 53},         {3, 20},          {5, 27},
             {7, 22},    {65537, 3},      {2147483647, 2},  {UINT64_C(4294967291), 2},
             {(UINT64_C(1) << 61) - 1, 1}, {257, 64},       {257, 512}};

static const char *const op_names[NUM_OPS] = {"add", "mul", "inv", "sqrt", "exp",
                                              "log", "teichmueller", "ratrec", "bare mul",
                                              "split", "distance", "digits out", "digits in",
                                              "from f64", "bare add", "horner"};

typedef struct num_case {
    num_op op;
    padic_num_ring ring;
    void *tables;
    size_t count, limbs;
    padic_num_array a, b, x;
    padic_context *context;
    int64_t *numerator, *denominator;
    int32_t *valuation;
    double *real;
    padic_tensor digits;
    uint32_t sticky;
} num_case;

static padic_num_array make(const padic_num_ring *ring, padic_num_model model, size_t count)
{
    const size_t size = padic_num_array_size_bound(ring, model, count);
    const size_t scratch = padic_num_workspace(ring) * padic_threads_cores();
    padic_num_array a;
    void *memory = NULL;
    if (posix_memalign(&memory, 64, size + scratch)) die("out of memory");
    memset(memory, 0, size);
    if (padic_num_place(&a, ring, model, count, memory, size)) die("place");
    if (scratch) { // of all threads
        a.workspace = (char *)memory + size / 64 * 64;
        a.workspace_size = scratch;
    }
    memset(&a.status, 0, sizeof a.status); // timed without the plane, with the sticky word
    return a;
}

static void run_ours(void *state)
{
    num_case *c = (num_case *)state;
    padic_context *k = c->context;
    padic_result result = PADIC_OK;
    switch (c->op) {
    case NUM_BARE_ADD:
    case NUM_ADD: result = padic_num_add(k, &c->x, &c->a, &c->b); break;
    case NUM_BARE_MUL:
    case NUM_MUL: result = padic_num_mul(k, &c->x, &c->a, &c->b); break;
    case NUM_INV: result = padic_num_inv(k, &c->x, &c->a); break;
    case NUM_SQRT: result = padic_num_sqrt(k, &c->x, &c->a); break;
    case NUM_EXP: result = padic_num_exp(k, &c->x, &c->a); break;
    case NUM_LOG: result = padic_num_log(k, &c->x, &c->a, PADIC_NUM_LOG_SERIES); break;
    case NUM_TEICHMUELLER: result = padic_num_teichmueller(k, &c->x, &c->a); break;
    case NUM_SPLIT: {
        const padic_tensor val = padic_tensor_1d(PADIC_I32, c->valuation, c->count);
        result = padic_num_split(k, &c->x, &val, &c->a);
        break;
    }
    case NUM_DISTANCE: {
        padic_num_valuation_desc desc = PADIC_ZERO;
        desc.in = c->a;
        desc.other = c->b;
        desc.val = padic_tensor_1d(PADIC_I32, c->valuation, c->count);
        desc.sticky = &c->sticky;
        result = padic_num_valuation(k, &desc);
        break;
    }
    case NUM_DIGITS_OUT: {
        padic_num_to_digits_desc desc = PADIC_ZERO;
        desc.in = c->a;
        desc.digits = c->digits;
        desc.sticky = &c->sticky;
        result = padic_num_to_digits(k, &desc);
        break;
    }
    case NUM_DIGITS_IN: {
        padic_num_from_digits_desc desc = PADIC_ZERO;
        desc.out = c->x;
        desc.digits = c->digits;
        result = padic_num_from_digits(k, &desc);
        break;
    }
    case NUM_HORNER: {
        padic_num_horner_desc desc = PADIC_ZERO;
        desc.out = c->x;
        desc.x = c->a;
        desc.coefficients = c->b;
        desc.coefficients.count = desc.terms = HORNER_TERMS;
        result = padic_num_horner(k, &desc);
        break;
    }
    case NUM_FROM_F64: {
        padic_num_from_float_desc desc = PADIC_ZERO;
        desc.out = c->x;
        desc.in = padic_tensor_1d(PADIC_F64, c->real, c->count);
        result = padic_num_from_float(k, &desc);
        break;
    }
    default: {
        padic_num_to_rational_desc desc = PADIC_ZERO;
        desc.in = c->a;
        desc.guard = PADIC_NUM_RATIONAL_NO_GUARD; // as the peers
        desc.numerator = padic_tensor_1d(PADIC_I64, c->numerator, c->count);
        desc.denominator = padic_tensor_1d(PADIC_I64, c->denominator, c->count);
        desc.sticky = &c->sticky;
        result = padic_num_to_rational(k, &desc);
    }
    }
    if (result) die(padic_result_text(result));
}

// The bytes of a result, for comparing methods.
static size_t unit_bytes(const num_case *c)
{
    size_t n = c->count;
    if (c->ring.form == PADIC_NUM_RX) n = (n + 31) / 32 * 32 * c->ring.words;
    return n * c->ring.unit_size;
}

// Where the result lies, for comparing methods.
static void *result_of(const num_case *c, size_t *size)
{
    *size = c->op == NUM_DISTANCE     ? c->count * 4
            : c->op == NUM_DIGITS_OUT ? c->count * c->ring.precision *
                                            padic_dtype_size(c->digits.dtype)
                                      : unit_bytes(c);
    return c->op == NUM_DISTANCE     ? (void *)c->valuation
           : c->op == NUM_DIGITS_OUT ? c->digits.data
                                     : c->x.unit.data;
}

// Operands: random units u; for exp p u (4 u), for log 1 + p u (1 + 4 u), for sqrt u^2, for ratrec
// n / d.
static void make_operands(num_case *c)
{
    const padic_num_model model =
        c->op >= NUM_BARE_MUL && c->op != NUM_FROM_F64 ? PADIC_NUM_RING : PADIC_NUM_FLOAT;
    padic_num_array ring = make(&c->ring, PADIC_NUM_RING, c->count), to;
    const int32_t v = c->ring.p == 2 ? 2 : 1;
    uint64_t *limbs = (uint64_t *)need(malloc(c->count * c->limbs * 8));
    int which;
    size_t i;
    c->a = make(&c->ring, model, c->count);
    c->b = make(&c->ring, model, c->count);
    c->x = make(&c->ring, model, c->count);
    c->x.sticky = &c->sticky;
    for (which = 0; which < 2; which++) {
        padic_num_to_int_desc out = PADIC_ZERO;
        padic_num_from_int_desc in = PADIC_ZERO;
        to = which ? c->b : c->a;
        padic_num_random_desc draw = PADIC_ZERO;
        draw.out = ring;
        draw.seed = 1;
        draw.stream = (uint64_t)which;
        if (padic_num_random(NULL, &draw)) die("random");
        if (c->op == NUM_LOG) {
            padic_num_array one = make(&c->ring, PADIC_NUM_RING, 1);
            ring.sticky = &c->sticky;
            if (padic_num_shift(NULL, &ring, &ring, v)) die("shift");
            in.out = one;
            {
                int64_t unity = 1;
                in.in = padic_tensor_1d(PADIC_I64, &unity, 1);
                if (padic_num_from_int(NULL, &in)) die("one");
            }
            if (padic_num_add(NULL, &ring, &ring, &one)) die("add");
        }
        out.in = ring;
        out.out = padic_tensor_2d(PADIC_U64, limbs, c->limbs, c->count);
        out.sticky = &c->sticky;
        in.out = to;
        in.in = out.out;
        in.out.sticky = &c->sticky;
        if (padic_num_to_int(NULL, &out) || padic_num_from_int(NULL, &in)) die("units");
        if (model == PADIC_NUM_FLOAT && c->op != NUM_LOG)
            for (i = 0; i < c->count; i++)
                if (((int32_t *)to.val.data)[i] != PADIC_NUM_ZERO)
                    ((int32_t *)to.val.data)[i] = c->op == NUM_EXP ? v : 0;
    }
    if (c->op == NUM_SQRT && padic_num_square(NULL, &c->a, &c->a)) die("square");
    if (c->op == NUM_RATREC) {
        padic_num_from_rational_desc in = PADIC_ZERO;
        const uint32_t bits = c->ring.bits / 2 - 2 < 62 ? c->ring.bits / 2 - 2 : 62;
        for (i = 0; i < c->count; i++) {
            uint32_t w[4];
            padic_random_block(7, 0, 0, (uint32_t)i, w);
            c->numerator[i] = (int64_t)(((uint64_t)w[0] << 32 | w[1]) >> (64 - bits));
            c->denominator[i] = (int64_t)(((uint64_t)w[2] << 32 | w[3]) >> (64 - bits)) | 1;
            if ((uint64_t)c->denominator[i] % c->ring.p == 0) c->denominator[i] += 2;
            if ((uint64_t)c->numerator[i] % c->ring.p == 0) c->numerator[i] += 1;
        }
        in.out = c->a;
        in.numerator = padic_tensor_1d(PADIC_I64, c->numerator, c->count);
        in.denominator = padic_tensor_1d(PADIC_I64, c->denominator, c->count);
        if (padic_num_from_rational(NULL, &in)) die("fractions");
    }
    free(limbs);
    free(ring.unit.data);
}

// Units of an array as words, element after element.
static uint64_t *words_of(const num_case *c, const padic_num_array *a, size_t count)
{
    uint64_t *planes = (uint64_t *)need(malloc(c->count * c->limbs * 8));
    uint64_t *words = (uint64_t *)need(malloc(count * c->limbs * 8));
    padic_num_array plain = *a;
    padic_num_to_int_desc out = PADIC_ZERO;
    uint32_t sticky = 0;
    size_t i, k;
    plain.model = PADIC_NUM_RING; // u alone
    plain.val.dtype = PADIC_DTYPE_NONE;
    out.in = plain;
    out.out = padic_tensor_2d(PADIC_U64, planes, c->limbs, c->count);
    out.sticky = &sticky;
    if (padic_num_to_int(NULL, &out)) die("words");
    for (i = 0; i < count; i++)
        for (k = 0; k < c->limbs; k++) words[i * c->limbs + k] = planes[k * c->count + i];
    free(planes);
    return words;
}

static void free_array(padic_num_array *a)
{
    free(a->unit.data); // where the block begins
}

// What memory allows: the operands' bytes read, the results' written, 16 KiB of a plane at a time
// by way of a block that stays in the nearest cache.
#define COPY_BLOCK 16384
typedef struct copy_plane {
    char *at;
    size_t size; // of an element
} copy_plane;
typedef struct copy_case {
    copy_plane in[4], out[2];
    size_t count;
    int ins, outs;
} copy_case;

static void run_copy(void *state)
{
    const copy_case *c = (const copy_case *)state;
    static char block[4][COPY_BLOCK];
    size_t i, step = COPY_BLOCK / 8;
    int j;
    for (j = 0; j < c->ins; j++)
        if (step > COPY_BLOCK / c->in[j].size) step = COPY_BLOCK / c->in[j].size;
    for (j = 0; j < c->outs; j++)
        if (step > COPY_BLOCK / c->out[j].size) step = COPY_BLOCK / c->out[j].size;
    for (i = 0; i < c->count; i += step) {
        const size_t n = c->count - i < step ? c->count - i : step;
        for (j = 0; j < c->ins; j++)
            memcpy(block[j], c->in[j].at + i * c->in[j].size, n * c->in[j].size);
        for (j = 0; j < c->outs; j++)
            memcpy(c->out[j].at + i * c->out[j].size, block[j], n * c->out[j].size);
    }
}

static int copy_array(copy_plane *planes, int n, const padic_num_array *a)
{
    planes[n].at = (char *)a->unit.data;
    planes[n++].size = a->ring->unit_size;
    if (a->model == PADIC_NUM_RING) return n;
    planes[n].at = (char *)a->val.data;
    planes[n++].size = 4;
    return n;
}

static void copy_plane_add(copy_plane *planes, int *n, void *at, size_t size)
{
    planes[*n].at = (char *)at;
    planes[(*n)++].size = size;
}

static void copy_make(copy_case *copy, const num_case *c)
{
    memset(copy, 0, sizeof *copy);
    copy->count = c->count;
    if (c->op == NUM_DIGITS_IN || c->op == NUM_FROM_F64)
        copy_plane_add(copy->in, &copy->ins, c->op == NUM_FROM_F64 ? (void *)c->real
                                                                   : c->digits.data,
                       c->op == NUM_FROM_F64
                           ? 8
                           : c->ring.precision * padic_dtype_size(c->digits.dtype));
    else
        copy->ins = copy_array(copy->in, 0, &c->a);
    if (c->op <= NUM_MUL || c->op == NUM_BARE_MUL || c->op == NUM_BARE_ADD ||
        c->op == NUM_DISTANCE)
        copy->ins = copy_array(copy->in, copy->ins, &c->b);
    if (c->op == NUM_DIGITS_OUT) {
        copy_plane_add(copy->out, &copy->outs, c->digits.data,
                       c->ring.precision * padic_dtype_size(c->digits.dtype));
    } else if (c->op == NUM_RATREC) {
        copy_plane_add(copy->out, &copy->outs, c->numerator, 8);
        copy_plane_add(copy->out, &copy->outs, c->denominator, 8);
    } else if (c->op != NUM_DISTANCE) {
        copy->outs = copy_array(copy->out, 0, &c->x);
    }
    if (c->op == NUM_SPLIT || c->op == NUM_DISTANCE)
        copy_plane_add(copy->out, &copy->outs, c->valuation, 4);
}

static void compare_peer(const num_case *c, const num_peer *peer, void *state, size_t count)
{
    const size_t n = count < 100 ? count : 100;
    uint64_t *words = words_of(c, &c->x, n);
    size_t i;
    for (i = 0; i < n; i++) {
        const int32_t v = c->x.val.data && c->x.model ? ((int32_t *)c->x.val.data)[i] : 0;
        if (v == PADIC_NUM_ZERO) continue;
        if (!(*peer->same)(state, i, c->op == NUM_RATREC ? 0 : v, words + i * c->limbs, c->limbs,
                           c->numerator[i], c->denominator[i])) {
            fprintf(stderr, "%s, %s: element %u differs\n", op_names[c->op], peer->name,
                    (unsigned)i);
            exit(1);
        }
    }
    free(words);
}

// So many elements that a run takes --budget seconds, if `least` ns is what one takes.
static size_t affordable(double least, size_t count)
{
    const double most = opt.budget > 0 && least > 0 ? opt.budget * 1e9 / least : (double)count;
    return most >= (double)count ? count : most < 64 ? 32 : (size_t)most / 32 * 32;
}

// `known`: ns per element of plain, FLINT and PARI, where they are known, 0 where not; then those
// of this case.
static void bench_num_case(num_op op, uint64_t p, uint32_t precision, size_t count, double *known)
{
    static const num_peer *const peers[] = {
#ifdef BENCH_FLINT
        &num_flint,
#endif
#ifdef BENCH_PARI
        &num_pari,
#endif
        NULL};
    static method methods[MAX_METHODS];
    static num_case cases[MAX_METHODS];
    copy_case copy;
    num_case *c = &cases[0];
    uint64_t *a, *b;
    unsigned char *expected;
    void *digits, *result;
    char what[32];
    int n = 0, i, j;
    size_t table_size, result_size;
    padic_num_ring_tables_desc tables = PADIC_ZERO;
    memset(cases, 0, sizeof cases);
    c->op = op;
    c->count = count;
    if (padic_num_ring_init(&c->ring, p, precision, NULL)) die("ring");
    c->limbs = c->ring.bits / 64 + 1; // integers with a sign
    c->numerator = (int64_t *)need(calloc(count, 8));
    c->denominator = (int64_t *)need(calloc(count, 8));
    c->valuation = (int32_t *)need(calloc(count, 4));
    c->real = (double *)need(calloc(count, 8));
    for (i = 0; i < (int)count; i++) {
        uint32_t w[4];
        padic_random_block(3, 0, 0, (uint32_t)i, w);
        c->real[i] = ((double)(w[0] >> 12) - 524288) / 1024;
    }
    digits = need(calloc(count * precision, p <= 256 ? 1 : p <= 65536 ? 2 : p >> 32 ? 8 : 4));
    c->digits = padic_tensor_2d(p <= 256     ? PADIC_U8
                                : p <= 65536 ? PADIC_U16
                                : p >> 32    ? PADIC_U64
                                             : PADIC_U32,
                                digits, precision, count);
    table_size = padic_num_ring_tables_size_bound(&c->ring);
    if (table_size) {
        c->tables = need(malloc(table_size));
        tables.ring = &c->ring;
        tables.memory = padic_tensor_1d(PADIC_U8, c->tables, table_size);
        if (padic_num_ring_tables(NULL, &tables)) die("tables");
    }
    make_operands(c);
    a = words_of(c, &c->a, count);
    b = words_of(c, &c->b, count);
    if (op == NUM_DIGITS_IN) { // what they are read from
        c->op = NUM_DIGITS_OUT;
        run_ours(c);
        c->op = op;
    }
    result = result_of(c, &result_size);
    memset(result, 0xee, result_size); // as below: a tile's end is not written
    run_ours(c);
    expected = (unsigned char *)need(malloc(result_size));
    memcpy(expected, result, result_size);
    add_method(methods, &n, "plain", run_ours, c, 0);
    for (i = 0; i < context_count; i++) {
        cases[i + 1] = *c;
        cases[i + 1].context = contexts[i];
        memset(result, 0xee, result_size);
        run_ours(&cases[i + 1]);
        if (op != NUM_RATREC && memcmp(expected, result, result_size))
            die("a backend differs from the plain loop");
        add_method(methods, &n, context_names[i], run_ours, &cases[i + 1], context_wall[i]);
    }
    for (j = 0; peers[j] && op < NUM_PEER_OPS && strcmp(opt.threads, "only"); j++) {
        const int two = op < NUM_INV || op == NUM_BARE_MUL;
        const size_t few = affordable(known[1 + j], count);
        void *state = (*peers[j]->open)(op, p, precision, few, c->limbs, a, two ? b : NULL,
                                        op == NUM_EXP ? (p == 2 ? 2 : 1) : 0);
        if (!state) continue;
        (*peers[j]->run)(state);
        // FLINT's Teichmueller lift at p = 2 is 1 for every unit, ours 1 or -1.
        if (op != NUM_TEICHMUELLER || p != 2) compare_peer(c, peers[j], state, few);
        add_method(methods, &n, peers[j]->name, peers[j]->run, state, 0)->elements = (double)few;
    }
    if (c->ring.words == 1) {
        copy_make(&copy, c);
        add_method(methods, &n, "copy", run_copy, &copy, 0);
    }
    take_turns(methods, n, (double)count * (op == NUM_HORNER ? HORNER_TERMS - 1 : 1));
    snprintf(what, sizeof what, "%llu^%u", (unsigned long long)p, precision);
    report(op_names[op], what, (double)count, methods, n);
    known[0] = methods[0].least;
    for (j = 0; peers[j]; j++)
        for (i = 0; i < n; i++)
            if (!strcmp(methods[i].name, peers[j]->name)) {
                known[1 + j] = methods[i].least;
                (*peers[j]->close)(methods[i].state);
            }
    free_array(&c->a);
    free_array(&c->b);
    free_array(&c->x);
    free(a);
    free(b);
    free(expected);
    free(c->tables);
    free(c->numerator);
    free(c->denominator);
    free(c->valuation);
    free(c->real);
    free(digits);
}

static void bench_num(void)
{
    const size_t count = opt.p ? 1 : sizeof rings / sizeof rings[0];
    size_t r;
    int op, s;
    for (r = 0; r < count; r++)
        for (op = 0; op < NUM_OPS; op++) {
            double known[3] = {0, 0, 0};
            for (s = 0; s < opt.size_count; s++) {
                const uint64_t p = opt.p ? opt.p : rings[r].p;
                const uint32_t precision = opt.p ? opt.precision : rings[r].n;
                padic_num_ring ring;
                size_t n = opt.sizes[s];
                char what[48];
                snprintf(what, sizeof what, "%s %llu^%u", op_names[op], (unsigned long long)p,
                         precision);
                if (opt.filter && !strstr(what, opt.filter)) continue;
                if (padic_num_ring_init(&ring, p, precision, NULL)) die("ring");
                if (ring.form == PADIC_NUM_RX && !opt.exact) // as long in all, and whole tiles
                    n = n / ((ring.bits + 63) / 64) / 32 * 32 + 32;
                if (op == NUM_RATREC && precision == 1) continue; // no room for a fraction
                if (op >= NUM_PEER_OPS && op != NUM_BARE_ADD && ring.words > 1) continue;
                bench_num_case((num_op)op, p, precision, affordable(known[0], n), known);
            }
        }
}

// --------------------------------------------------------------------------------- >>solve

typedef struct solve_case {
    padic_num_solve_desc desc;
    padic_context *context;
} solve_case;

static void run_solve(void *state)
{
    solve_case *c = (solve_case *)state;
    if (padic_num_solve(c->context, &c->desc)) die("solve");
}

// Exact solution and determinant of random systems, entries so small that |det| < 257^6 / 2; ns a
// system.
static void bench_solve(void)
{
    static const struct {
        uint32_t n;
        int32_t largest;
    } cases[] = {{3, 20000}, {4, 2000}, {6, 100}, {8, 20}};
    const size_t batch = 2000;
    size_t i, j;
    int count, m;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t n = cases[i].n;
        int32_t *matrix = (int32_t *)need(malloc(batch * n * n * 4));
        int32_t *right = (int32_t *)need(malloc(batch * n * 4));
        int64_t *numerator = (int64_t *)need(malloc(batch * n * 8));
        int64_t *denominator = (int64_t *)need(malloc(batch * 8));
        int64_t *det = (int64_t *)need(malloc(batch * 8));
        void *expected = need(malloc(batch * n * 8)), *scratch = NULL;
        static method methods[MAX_METHODS];
        static solve_case states[MAX_METHODS];
        uint32_t sticky = 0, w[4];
        char what[32];
        for (j = 0; j < batch * n * (n + 1); j++) {
            int32_t *to = j < batch * n * n ? &matrix[j] : &right[j - batch * n * n];
            padic_random_block(5, n, 0, (uint32_t)j, w);
            *to = (int32_t)(w[0] % (2 * (uint32_t)cases[i].largest + 1)) - cases[i].largest;
        }
        memset(states, 0, sizeof states);
        for (m = 0, count = 0; m <= context_count; m++) {
            padic_num_solve_desc *desc = &states[m].desc;
            size_t size;
            states[m].context = m ? contexts[m - 1] : NULL;
            desc->matrix = padic_tensor_3d(PADIC_I32, matrix, batch, n, n);
            desc->right = padic_tensor_2d(PADIC_I32, right, batch, n);
            desc->numerator = padic_tensor_2d(PADIC_I64, numerator, batch, n);
            desc->denominator = padic_tensor_1d(PADIC_I64, denominator, batch);
            desc->det = padic_tensor_1d(PADIC_I64, det, batch);
            desc->sticky = &sticky;
            size = padic_num_solve_workspace(desc) * padic_threads_cores();
            if (!scratch) scratch = need(malloc(size + 8));
            desc->workspace = padic_tensor_1d(PADIC_U8, scratch, size);
            run_solve(&states[m]);
            if (!m) memcpy(expected, numerator, batch * n * 8);
            if (memcmp(expected, numerator, batch * n * 8)) die("a backend differs");
            add_method(methods, &count, m ? context_names[m - 1] : "plain", run_solve, &states[m],
                       m && context_wall[m - 1]);
        }
        take_turns(methods, count, (double)batch);
        snprintf(what, sizeof what, "%u x %u", (unsigned)n, (unsigned)n);
        report("solve", what, (double)batch, methods, count);
        free(matrix);
        free(right);
        free(numerator);
        free(denominator);
        free(det);
        free(expected);
        free(scratch);
    }
}

// -------------------------------------------------------------------------------- >>sparse

typedef struct sparse_case {
    padic_context *context;
    padic_sparse_encode_desc desc;
    padic_sparse_csr out;
    padic_sparse_encode_report report;
    const uint8_t *bytes;
    uint64_t n, rows, sum;
    uint32_t *cols;
    uint8_t *values;
} sparse_case;

static void run_encode(void *state)
{
    sparse_case *c = (sparse_case *)state;
    c->desc.out = &c->out;
    c->desc.report = &c->report;
    if (padic_sparse_encode(c->context, &c->desc)) die("encode");
}

// What one writes first: an element at a time, if it is not zero.
static void run_loop(void *state)
{
    sparse_case *c = (sparse_case *)state;
    const uint64_t cols = c->n / c->rows;
    uint64_t row, i, n = 0;
    int64_t *row_ptr = (int64_t *)need(malloc((c->rows + 1) * 8));
    for (row = 0; row < c->rows; row++) {
        row_ptr[row] = (int64_t)n;
        for (i = 0; i < cols; i++)
            if (c->bytes[row * cols + i]) {
                c->cols[n] = (uint32_t)i;
                c->values[n++] = c->bytes[row * cols + i];
            }
    }
    row_ptr[c->rows] = (int64_t)n;
    c->sum = n;
    free(row_ptr);
}

// Reading all of it: what the memory gives one core.
static void run_read(void *state)
{
    sparse_case *c = (sparse_case *)state;
    const uint64_t *words = (const uint64_t *)(const void *)c->bytes;
    uint64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, i;
    for (i = 0; i + 4 <= c->n / 8; i += 4) {
        s0 += words[i];
        s1 += words[i + 1];
        s2 += words[i + 2];
        s3 += words[i + 3];
    }
    c->sum = s0 + s1 + s2 + s3;
}

static void bench_sparse(void)
{
    static const double densities[] = {0.001, 0.01, 0.1, 0.5};
    static method methods[MAX_METHODS];
    static sparse_case cases[MAX_METHODS];
    const uint64_t rows = 4096, cols = opt.elements / rows, n = rows * cols;
    uint8_t *bytes = (uint8_t *)need(malloc(n));
    const size_t room = (size_t)(n / 2 + n / 16);
    int32_t *row_ptr = (int32_t *)need(malloc((rows + 1) * 4));
    int32_t *col = (int32_t *)need(malloc(room * 4));
    uint8_t *value = (uint8_t *)need(malloc(room));
    size_t d;
    int i, k;
    uint64_t j;
    for (d = 0; d < sizeof densities / sizeof densities[0]; d++) {
        uint64_t state = 88172645463325252u, nnz = 0;
        char what[32];
        int count = 0;
        for (j = 0; j < n; j++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes[j] = (double)(state >> 40) < densities[d] * 16777216.0 ? (uint8_t)(state | 1) : 0;
            nnz += bytes[j] != 0;
        }
        if (nnz > room) die("density");
        for (i = -2; i <= context_count; i++) {
            sparse_case *c = &cases[i + 2];
            memset(c, 0, sizeof *c);
            c->bytes = bytes;
            c->n = n;
            c->rows = rows;
            c->cols = (uint32_t *)col;
            c->values = value;
            c->context = i > 0 ? contexts[i - 1] : NULL;
            c->desc.source.dense = padic_tensor_2d(PADIC_U8, bytes, rows, cols);
            c->desc.method = i <= 0                   ? PADIC_SPARSE_METHOD_SCALAR
                             : context_wall[i - 1] ? PADIC_SPARSE_METHOD_THREADS
                                                      : PADIC_SPARSE_METHOD_SIMD;
            c->out.row_ptr = padic_tensor_1d(PADIC_I32, row_ptr, rows + 1);
            c->out.col = padic_tensor_1d(PADIC_I32, col, room);
            c->out.value = padic_tensor_1d(PADIC_U8, value, room);
            add_method(methods, &count,
                       i == -2   ? "read"
                       : i == -1 ? "loop"
                       : i       ? context_names[i - 1]
                                 : "plain",
                       i == -2 ? run_read : i == -1 ? run_loop : run_encode, c,
                       i > 0 && context_wall[i - 1]);
        }
        for (k = 2; k < count; k++) {
            run_encode(&cases[k]);
            if (cases[k].out.nnz != nnz) die("nnz");
        }
        take_turns(methods, count, (double)n);
        snprintf(what, sizeof what, "density %g", densities[d]);
        report("sparse u8", what, (double)n, methods, count);
        printf("    read %.2f GB/s;", 1 / methods[0].least);
        for (k = 2; k < count; k++)
            printf(" %s: %.0f %% of it, %.1f x the loop;", methods[k].name,
                   100 * methods[0].least / methods[k].least, methods[1].least / methods[k].least);
        printf("\n");
    }
    free(bytes);
    free(row_ptr);
    free(col);
    free(value);
}

// -------------------------------------------------------------------------------- >>sample

typedef struct sample_case {
    padic_context *context;
    padic_sample_radical_inverse_desc desc;
    uint32_t *out;
    uint64_t n;
} sample_case;

static void run_sample(void *state)
{
    sample_case *c = (sample_case *)state;
    if (padic_sample_radical_inverse(c->context, &c->desc)) die("sample");
}

// The digit loop that renderers ship: one division a digit, the factor in floating point.
static void run_digit_loop(void *state)
{
    sample_case *c = (sample_case *)state;
    const uint32_t base = c->desc.base;
    float *out = (float *)(void *)c->out;
    uint64_t i;
    for (i = 0; i < c->n; i++) {
        uint64_t a = i, reversed = 0;
        float scale = 1, inverse = 1.0f / (float)base;
        while (a) {
            const uint64_t next = a / base;
            reversed = reversed * base + (a - next * base);
            scale *= inverse;
            a = next;
        }
        out[i] = (float)reversed * scale;
    }
}

static void bench_sample(void)
{
    static const uint32_t bases[] = {2, 3, 5, 7, 11, 257};
    static method methods[MAX_METHODS];
    static sample_case cases[MAX_METHODS];
    const uint64_t n = 1 << 16;
    uint32_t *out = (uint32_t *)need(malloc(n * 4)), *expected = (uint32_t *)need(malloc(n * 4));
    size_t b;
    int i, mode;
    for (b = 0; b < sizeof bases / sizeof bases[0]; b++)
        for (mode = 0; mode < 3; mode += 2) {
            uint64_t keys[64];
            padic_sample_keys_desc init = PADIC_ZERO;
            char what[32];
            int count = 0;
            init.seed = 1;
            init.base = bases[b];
            init.out = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
            if (padic_sample_keys(NULL, &init)) die("keys");
            for (i = -1; i <= context_count; i++) {
                sample_case *c = &cases[i + 1];
                memset(c, 0, sizeof *c);
                c->n = n;
                c->out = out;
                c->context = i > 0 ? contexts[i - 1] : NULL;
                c->desc.out = padic_tensor_1d(PADIC_U32, out, n);
                c->desc.base = bases[b];
                c->desc.first = 1000000;
                c->desc.scrambling.mode = (padic_sample_mode)mode;
                c->desc.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
                if (i >= 0) {
                    run_sample(c);
                    if (!i) memcpy(expected, out, n * 4);
                    if (memcmp(expected, out, n * 4)) die("samples differ");
                } else if (mode) {
                    continue; // nobody ships this one
                }
                add_method(methods, &count,
                           i < 0 ? "digit loop" : i ? context_names[i - 1] : "plain",
                           i < 0 ? run_digit_loop : run_sample, c, i > 0 && context_wall[i - 1]);
            }
            take_turns(methods, count, (double)n);
            snprintf(what, sizeof what, "base %u", bases[b]);
            report(mode ? "owen" : "radical", what, (double)n, methods, count);
        }
    free(out);
    free(expected);
}

// ---------------------------------------------------------------------------------- >>main

static void open_contexts(void)
{
    static const char *const levels[] = {"neon", "avx2", "avx512", "avx512ifma"};
    padic_threads *threads; // until the end
    const uint32_t workers = padic_threads_cores();
    int i, best = -1;
    for (i = 0; i < 4; i++) {
        padic_context_desc desc = PADIC_ZERO;
        desc.backends[0] = padic_simd();
        desc.device.name = levels[i];
        if (padic_context_create(&desc, &contexts[context_count])) continue;
        best = i;
        if (!strcmp(opt.threads, "only")) {
            padic_context_destroy(contexts[context_count]);
            continue;
        }
        snprintf(context_names[context_count++], 32, "%s", levels[i]);
    }
    if (!strcmp(opt.threads, "no")) return;
    threads = workers > 1 ? padic_threads_create(workers, NULL) : NULL;
    if (threads) {
        padic_context_desc desc = PADIC_ZERO;
        if (best >= 0) desc.backends[0] = padic_simd();
        desc.jobs = padic_threads_jobs(threads);
        if (padic_context_create(&desc, &contexts[context_count])) return;
        context_wall[context_count] = 1;
        snprintf(context_names[context_count++], 32, "%u threads", workers);
    }
}

static void machine(void)
{
    char line[256];
    time_t t = time(NULL);
    FILE *f = fopen("/proc/cpuinfo", "r");
    strftime(today, sizeof today, "%Y-%m-%d", gmtime(&t));
    snprintf(compiler, sizeof compiler, "%s", __VERSION__);
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            line[strcspn(line, "\n")] = 0;
            snprintf(cpu_name, sizeof cpu_name, "%.90s", strchr(line, ':') + 2);
            break;
        }
    if (f) fclose(f);
    printf("%s, %s, flags %s, commit %s, %s\n", cpu_name, compiler, BENCH_FLAGS, BENCH_COMMIT,
           today);
#ifdef BENCH_FLINT
    printf("flint %s; ", (*num_flint.version)());
#endif
#ifdef BENCH_PARI
    printf("pari %s; ", (*num_pari.version)());
#endif
    printf("ns per element, the least of all runs\n");
    printf("Peers' numbers carry a precision each, check domains, and take any N; ours fix N for "
           "an array.\nExp, log, sqrt and Teichmueller at 257^6 are the easiest case (p > N, "
           "units).\n");
}

int main(int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--help")) {
            puts("--op num|solve|sparse|sample  --filter TEXT (\"mul 257^6\")  --ring 257^12\n"
                 "--sizes small|large|both or --count N,N,... (exactly so many)\n--elements N (sparse)  --repeat N\n"
                 "--budget S (with both: large rows and peers of as many elements as a run of S\n"
                 "seconds does)  --seconds S  --csv FILE  --machine NAME\n"
                 "--threads yes|no|only (only: no other level, no peers)");
            return 0;
        }
        if (!strcmp(argv[i], "--op")) opt.op = value;
        else if (!strcmp(argv[i], "--filter")) opt.filter = value;
        else if (!strcmp(argv[i], "--ring")) {
            const char *at = strchr(value, '^');
            opt.p = strtoull(value, NULL, 10);
            opt.precision = at ? (uint32_t)strtoul(at + 1, NULL, 10) : 1;
        } else if (!strcmp(argv[i], "--csv")) opt.csv = value;
        else if (!strcmp(argv[i], "--machine")) opt.machine = value;
        else if (!strcmp(argv[i], "--repeat")) opt.repeat = atoi(value);
        else if (!strcmp(argv[i], "--threads")) opt.threads = value;
        else if (!strcmp(argv[i], "--seconds")) opt.seconds = atof(value);
        else if (!strcmp(argv[i], "--budget")) opt.budget = atof(value);
        else if (!strcmp(argv[i], "--elements")) opt.elements = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--sizes")) {
            opt.size_count = strcmp(value, "both") ? 1 : 2;
            if (!strcmp(value, "large")) opt.sizes[0] = opt.sizes[1];
        } else if (!strcmp(argv[i], "--count")) {
            char *at = (char *)(uintptr_t)value;
            for (opt.size_count = 0, opt.exact = 1; *at && opt.size_count < 8; at += *at == ',')
                opt.sizes[opt.size_count++] = (size_t)strtoul(at, &at, 10);
        } else die("unknown option, see --help");
    }
    if (opt.csv) {
        csv = fopen(opt.csv, "a");
        if (!csv) die("cannot write the CSV");
        fseek(csv, 0, SEEK_END);
        if (!ftell(csv))
            fprintf(csv, "machine,date,commit,compiler,flags,cpu,op,case,n,method,repeats,"
                         "median_ns,min_ns,clock\n");
    }
    machine();
    open_contexts();
    if (!strcmp(opt.op, "num")) bench_num();
    else if (!strcmp(opt.op, "solve")) bench_solve();
    else if (!strcmp(opt.op, "sparse")) bench_sparse();
    else if (!strcmp(opt.op, "sample")) bench_sample();
    else die("--op num, solve, sparse or sample");
    for (i = 0; i < context_count; i++) padic_context_destroy(contexts[i]);
    if (csv) fclose(csv);
    return 0;
}
