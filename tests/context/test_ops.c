// test_ops.c: every operation on every backend against the plain reference, one table for all.
//
//     ./test_ops [--backend NAME] [--tiny]   test: cpu, threads, simd, native, opencl, cuda
//     ./test_ops --op PART                     only operations whose name contains it
//     ./test_ops support                       which operations devices do, as the README's table
//     ./test_ops perf [BACKEND]                microseconds and GB/s of large cases
//
// An area's rows are in tests/ops_AREA.h: a function that calls ops_check() for each desc it wants
// to see, with tensors that have dtype, shape and strides but no data. The frame gives them memory
// (in buffers, on the host, both), fills what is read, runs, and compares with the reference: bit
// for bit; or, when the row has `exact`, element by element with what that computes in fp64.
// "native" runs the kernels as plain C, and stands for devices in the table of support.

#define PADIC_IMPLEMENT_WAVE
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../../backends/padic_opencl.h"
#if defined(__has_include)
#if __has_include("../../backends/padic_opencl.h")
#define OPS_OPENCL 1
#endif
#if __has_include("../../backends/padic_cuda.h")
#include "../../backends/padic_cuda.h"
#define OPS_CUDA 1
#endif
#endif
#include "../native/padic_native.h"
#include "../support/padic_test.h"
#include "../support/ask.h"
#include "../support/num_calls.h"

#define OPS_TYPES 16 // more than there are dtypes

typedef struct ops_run {
    padic_context *context; // NULL: no backend, no context
    const char *backend;
    int perf, replay;                    // replay: each case again, recorded and replayed
    uint32_t recorded, unrecorded, kept, turn;
    const char *row;                     // the operation it is about
    uint32_t cases, done, refused;       // of the row
    uint32_t tried[OPS_TYPES], yes[OPS_TYPES]; // by dtype
} ops_run;

typedef struct ops_case {
    const char *text; // what is special about it
    // Fills an operand's elements; NULL: floats in (-1, 1), integers of all values.
    void (*input)(const padic_tensor *t, uint32_t operand);
    // Everything written, in C order, operand after operand, complex as two: want and the error
    // that is allowed, from the inputs in the desc. NULL: the reference's bits.
    void (*exact)(const void *desc, double *want, double *slack);
} ops_case;

static const char *ops_filter = "";

// ------------------------------------------------------------------------------------- elements

// Calls fn for the memory of each element in C order.
static void ops_each(const padic_tensor *t, void (*fn)(void *element, uint64_t i, void *arg),
                     void *arg)
{
    const int64_t size = (int64_t)padic_dtype_size(t->dtype);
    int64_t stride[PADIC_MAX_RANK];
    uint64_t index[PADIC_MAX_RANK] = {0}, count = padic_tensor_count(t), i;
    padici_tensor_dense(t, stride);
    for (i = 0; i < count; i++) {
        int64_t at = 0;
        for (uint32_t a = 0; a < t->rank; a++) at += (int64_t)index[a] * stride[a];
        fn((char *)t->data + at * size, i, arg);
        for (uint32_t a = t->rank; a > 0 && ++index[a - 1] == t->shape[a - 1]; a--)
            index[a - 1] = 0;
    }
}

static void ops_random_element(void *element, uint64_t i, void *arg)
{
    const padic_dtype dtype = *(const padic_dtype *)arg;
    const uint32_t size = padic_dtype_size(dtype);
    const uint64_t words[2] = {test_random(), test_random()};
    (void)i;
    if (dtype == PADIC_F32 || dtype == PADIC_C64) {
        const float f[2] = {padic_random_symmetric((uint32_t)words[0]),
                            padic_random_symmetric((uint32_t)words[1])};
        memcpy(element, f, size);
    } else if (dtype == PADIC_F64 || dtype == PADIC_C128) {
        const double d[2] = {(double)(int64_t)words[0] / 9223372036854775808.0,
                             (double)(int64_t)words[1] / 9223372036854775808.0};
        memcpy(element, d, size);
    } else {
        memcpy(element, words, size);
    }
}

static void ops_random(const padic_tensor *t)
{
    padic_dtype dtype = t->dtype;
    ops_each(t, ops_random_element, &dtype);
}

// ---------------------------------------------------------------------------------------- views

// Views that most operations want: sizes 0, 1, odd, more than a group; dense, with gaps, turned.
// `data` is NULL. Returns 0 after the last.
static int ops_view(int perf, uint32_t number, padic_dtype dtype, padic_tensor *t)
{
    static const struct {
        uint32_t rank;
        uint64_t shape[PADIC_MAX_RANK];
        int64_t stride[PADIC_MAX_RANK];
    } views[] = {
        {0, {0}, {0}},
        {1, {0}, {0}},
        {1, {1}, {0}},
        {1, {7}, {0}},
        {1, {1001}, {0}},
        {1, {333}, {3}},
        {2, {3, 0}, {0}},
        {2, {19, 23}, {0}},
        {2, {31, 16}, {20, 1}},      // rows apart
        {2, {17, 33}, {1, 17}},      // turned
        {3, {5, 1, 9}, {40, 77, 3}}, // every axis apart, one of extent 1
        {4, {3, 4, 5, 6}, {1, 3, 12, 60}},
        {8, {2, 1, 3, 2, 2, 1, 2, 3}, {256, 1000, 64, 31, 15, 9, 7, 2}},
    }, large[] = {
        {1, {1 << 22}, {0}},
        {1, {1 << 21}, {2}},
        {2, {2048, 2048}, {1, 2048}},
        {3, {128, 128, 128}, {1, 128, 16384}},
    };
    uint32_t i;
    if (number >= (perf ? sizeof large / sizeof *large : sizeof views / sizeof *views)) return 0;
    memset(t, 0, sizeof *t);
    t->dtype = dtype;
    t->rank = perf ? large[number].rank : views[number].rank;
    for (i = 0; i < PADIC_MAX_RANK; i++) {
        t->shape[i] = perf ? large[number].shape[i] : views[number].shape[i];
        t->stride[i] = perf ? large[number].stride[i] : views[number].stride[i];
    }
    return 1;
}

// ---------------------------------------------------------------------------------------- memory

typedef struct ops_memory { // of one operand, from its lowest to behind its highest element
    unsigned char *bytes;   // exactly so long
    uint64_t size, before;  // before: of them before element 0
    uint32_t out;
    padic_buffer buffer;
} ops_memory;

typedef struct ops_call {
    uint32_t op, count;
    const padici_op_row *row;
    padici_any_desc desc;
    padici_operand operands[PADICI_MAX_OPERANDS];
} ops_call;

static void ops_call_begin(ops_call *call, uint32_t op, const void *desc)
{
    memset(call, 0, sizeof *call);
    call->op = op;
    call->row = padici_op_row_of(op);
    memcpy(&call->desc, desc, call->row->desc_size);
    call->count = (*call->row->operands)(&call->desc, call->operands);
    while (!call->operands[call->count - 1].tensor) call->count--; // what stays on the host
}

static void ops_memory_begin(const ops_call *call, ops_memory m[PADICI_MAX_OPERANDS])
{
    for (uint32_t i = 0; i < call->count; i++) {
        const padic_tensor *t = call->operands[i].tensor;
        int dense;
        m[i].before = 0;
        m[i].size = padic_tensor_count(t) ? padici_tensor_span(t, &dense, &m[i].before) : 0;
        m[i].bytes = (unsigned char *)malloc(m[i].size ? (size_t)m[i].size : 1);
        memset(m[i].bytes, 0x5a, m[i].size ? (size_t)m[i].size : 1);
        m[i].out = call->operands[i].out;
        m[i].buffer.id = 0;
    }
}

static void ops_memory_end(const ops_call *call, ops_memory m[PADICI_MAX_OPERANDS])
{
    for (uint32_t i = 0; i < call->count; i++) free(m[i].bytes);
}

static void ops_on_host(ops_call *call, const ops_memory *m, uint32_t i)
{
    call->operands[i].tensor->data = m[i].bytes + m[i].before;
    call->operands[i].tensor->buffer.id = 0;
    call->operands[i].tensor->offset = 0;
}

// In a buffer, some elements behind its beginning. The native device's is exactly as long as it
// must be, for the sanitizers to see the first byte outside.
static void *ops_in_buffer(ops_run *run, ops_call *call, ops_memory *m, uint32_t i)
{
    const uint64_t size = padic_dtype_size(call->operands[i].tensor->dtype), lead = 3 * size;
    const int native = !strncmp(run->backend, "native", 6);
    unsigned char *block = (unsigned char *)malloc((size_t)(lead + m[i].size));
    padic_buffer_desc desc = PADIC_ZERO;
    memset(block, 0x5a, (size_t)lead);
    memcpy(block + lead, m[i].bytes, (size_t)m[i].size);
    desc.size = lead + m[i].size;
    if (native)
        desc.native = (uint64_t)(uintptr_t)block;
    else
        desc.data = block;
    CHECK_EQ(padic_buffer_create(run->context, &desc, &m[i].buffer), PADIC_OK);
    call->operands[i].tensor->data = NULL;
    call->operands[i].tensor->buffer = m[i].buffer;
    call->operands[i].tensor->offset = 3 + m[i].before / size;
    if (native) return block;
    free(block);
    return NULL;
}

static void ops_out_of_buffer(ops_run *run, const ops_call *call, ops_memory *m, uint32_t i)
{
    const uint64_t lead = 3 * (uint64_t)padic_dtype_size(call->operands[i].tensor->dtype);
    CHECK_EQ(padic_buffer_download(run->context, m[i].buffer, lead, m[i].bytes, m[i].size),
             PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(run->context, m[i].buffer), PADIC_OK);
}

static padic_result ops_execute(padic_context *context, ops_call *call)
{
    return padici_run(context, call->op, &call->desc);
}

// ----------------------------------------------------------------------------------- comparison

typedef struct ops_values {
    double *want, *slack;
    uint64_t at;
    padic_dtype dtype;
    uint32_t bad;
    double worst; // error over slack
} ops_values;

static void ops_compare_element(void *element, uint64_t i, void *arg)
{
    ops_values *v = (ops_values *)arg;
    const uint32_t parts = v->dtype == PADIC_C64 || v->dtype == PADIC_C128 ? 2 : 1;
    const int is_double = v->dtype == PADIC_F64 || v->dtype == PADIC_C128;
    (void)i;
    for (uint32_t k = 0; k < parts; k++, v->at++) {
        float f;
        double got, error;
        if (v->dtype == PADIC_U8) {
            got = *(const unsigned char *)element;
        } else if (is_double) {
            memcpy(&got, (char *)element + 8 * k, 8);
        } else {
            memcpy(&f, (char *)element + 4 * k, 4);
            got = f;
        }
        error = got > v->want[v->at] ? got - v->want[v->at] : v->want[v->at] - got;
        if (got == v->want[v->at]) error = 0;
        if (got != got && v->want[v->at] != v->want[v->at]) error = 0; // a NaN is to be one
        if (!(error <= v->slack[v->at])) v->bad++;
        if (error / v->slack[v->at] > v->worst) v->worst = error / v->slack[v->at];
        if (v->dtype == PADIC_U8)
            memset(element, 0x5a, 1); // what is left are gaps
        else if (is_double)
            memset((char *)element + 8 * k, 0x5a, 8);
        else
            memset((char *)element + 4 * k, 0x5a, 4);
    }
}

// Compares everything written with fp64, then the bytes between.
static void ops_compare_exact(ops_call *call, ops_memory *got, ops_values *v)
{
    v->at = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        padic_tensor t = *call->operands[i].tensor;
        if (!got[i].out) continue;
        t.data = got[i].bytes + got[i].before;
        v->dtype = t.dtype;
        ops_each(&t, ops_compare_element, v);
        for (uint64_t k = 0; k < got[i].size; k++) v->bad += got[i].bytes[k] != 0x5a;
    }
}

static uint32_t ops_compare_bits(const ops_call *call, const ops_memory *want,
                                 const ops_memory *got)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < call->count; i++)
        bad += want[i].size && memcmp(want[i].bytes, got[i].bytes, (size_t)want[i].size);
    return bad;
}

// ------------------------------------------------------------------------------------- one case

static void ops_name(const ops_run *run, const ops_call *call, const ops_case *c, const char *how)
{
    const padic_tensor *t = call->operands[call->count - 1].tensor;
    printf("\n  %s on %s, %s %s, %s [", run->row, run->backend, how, c && c->text ? c->text : "",
           padic_dtype_name(t->dtype));
    for (uint32_t a = 0; a < t->rank; a++)
        printf("%s%lu", a ? ", " : "", (unsigned long)t->shape[a]);
    printf("] strides");
    for (uint32_t a = 0; a < t->rank; a++) printf(" %ld", (long)t->stride[a]);
}

static void ops_contents(ops_run *run, ops_call *call, const ops_memory *before,
                         const ops_memory *m)
{
    for (uint32_t i = 0; i < call->count; i++) {
        const uint64_t lead = 3 * (uint64_t)padic_dtype_size(call->operands[i].tensor->dtype);
        CHECK_EQ(padic_buffer_upload(run->context, m[i].buffer, lead, before[i].bytes,
                                     before[i].size),
                 PADIC_OK);
    }
}

// The same call three times more, as LOW_OVERHEAD keeps it: noted, recorded, replayed.
static void ops_keep(ops_run *run, ops_call *call, const ops_memory *before, const ops_memory *m)
{
    padic_stats first, last;
    CHECK_EQ(padic_context_set_mode(run->context, PADIC_MODE_LOW_OVERHEAD), PADIC_OK);
    padic_context_stats(run->context, &first);
    for (int round = 0; round < 3; round++) {
        ops_contents(run, call, before, m);
        CHECK_EQ(ops_execute(run->context, call), PADIC_OK);
    }
    padic_context_stats(run->context, &last);
    CHECK(last.replays == first.replays ||
          (last.replays == first.replays + 2 && call->row->rules & PADICI_OP_REPLAY));
    CHECK_EQ(padic_context_set_mode(run->context, PADIC_MODE_DEFAULT), PADIC_OK);
    run->kept += last.replays > first.replays;
}

// The same call again from the same contents, this time recorded and replayed. An operation whose
// driver asks the host cannot be recorded; then it runs plainly again.
static void ops_replay(ops_run *run, ops_call *call, const ops_memory *before, const ops_memory *m)
{
    padic_record record;
    ops_contents(run, call, before, m);
    CHECK_EQ(padic_record_begin(run->context), PADIC_OK);
    const padic_result inside = ops_execute(run->context, call);
    CHECK_EQ(padic_record_end(run->context, &record), inside);
    if (inside) {
        CHECK_EQ(inside, PADIC_ERROR_ARGUMENT);
        CHECK_EQ(ops_execute(run->context, call), PADIC_OK);
        run->unrecorded++;
        return;
    }
    CHECK_EQ(padic_record_replay(run->context, record, 1), PADIC_OK);
    CHECK_EQ(padic_record_drop(run->context, record), PADIC_OK);
    run->recorded++;
}

// One placement of the operands: bit i of `buffers` puts operand i into a buffer.
static void ops_place(ops_run *run, ops_call *call, const ops_case *c, const ops_memory *before,
                      const ops_memory *want, ops_values *v, uint32_t buffers)
{
    ops_memory got[PADICI_MAX_OPERANDS];
    void *blocks[PADICI_MAX_OPERANDS] = {0};
    padic_result should, result;
    uint32_t bad;
    ops_memory_begin(call, got);
    for (uint32_t i = 0; i < call->count; i++) {
        memcpy(got[i].bytes, before[i].bytes, (size_t)before[i].size);
        if (buffers >> i & 1 && run->context)
            blocks[i] = ops_in_buffer(run, call, got, i);
        else
            ops_on_host(call, got, i);
    }
    should = run->context ? ASK(run->context, ops_execute(run->context, call)) : PADIC_OK;
    result = ops_execute(run->context, call);
    if (!result && run->replay && buffers == (1u << call->count) - 1) {
        if (run->turn++ % 2)
            ops_replay(run, call, before, got);
        else
            ops_keep(run, call, before, got);
    }
    for (uint32_t i = 0; i < call->count; i++) {
        if (buffers >> i & 1 && run->context) ops_out_of_buffer(run, call, got, i);
        free(blocks[i]);
    }
    if (result == PADIC_ERROR_NOT_SUPPORTED) {
        bad = ops_compare_bits(call, before, got); // nothing was touched
    } else if (v) {
        v->bad = 0;
        v->worst = 0;
        ops_compare_exact(call, got, v);
        bad = v->bad;
    } else {
        bad = ops_compare_bits(call, want, got);
    }
    if (bad || result != should || (result && result != PADIC_ERROR_NOT_SUPPORTED)) {
        if (test_failures < 5)
            ops_name(run, call, c, buffers ? buffers == 1 ? "first in a buffer" : "in buffers"
                                           : "on the host");
        if (v && v->worst > 0 && test_failures < 5) printf("; error / allowed %.3g", v->worst);
        CHECK_EQ(result, should);
        CHECK(!result || result == PADIC_ERROR_NOT_SUPPORTED);
        CHECK_EQ(bad, 0);
    }
    run->cases++;
    run->done += !result;
    run->refused += result == PADIC_ERROR_NOT_SUPPORTED;
    ops_memory_end(call, got);
}

static void ops_perf(ops_run *run, ops_call *call, const ops_case *c, const ops_memory *before)
{
    ops_memory m[PADICI_MAX_OPERANDS];
    void *blocks[PADICI_MAX_OPERANDS] = {0};
    uint64_t bytes = 0, times[9] = {0};
    ops_memory_begin(call, m);
    for (uint32_t i = 0; i < call->count; i++) {
        memcpy(m[i].bytes, before[i].bytes, (size_t)before[i].size);
        bytes += padic_tensor_count(call->operands[i].tensor) *
                 padic_dtype_size(call->operands[i].tensor->dtype);
        if (run->context)
            blocks[i] = ops_in_buffer(run, call, m, i);
        else
            ops_on_host(call, m, i);
    }
    for (uint32_t k = 0; k < 9; k++) {
        const uint64_t begin = padici_clock_default(NULL);
        if (ops_execute(run->context, call)) break;
        if (run->context) (void)padic_context_sync(run->context);
        times[k] = padici_clock_default(NULL) - begin;
        for (uint32_t j = k; j > 0 && times[j] < times[j - 1]; j--) {
            const uint64_t t = times[j];
            times[j] = times[j - 1];
            times[j - 1] = t;
        }
    }
    ops_name(run, call, c, "");
    if (times[0]) printf(": %.1f us, %.2f GB/s", (double)times[4] / 1e3,
                         (double)bytes / (double)times[4]);
    else printf(": not supported");
    for (uint32_t i = 0; i < call->count; i++) {
        if (run->context) ops_out_of_buffer(run, call, m, i);
        free(blocks[i]);
    }
    ops_memory_end(call, m);
}

// A thread an item under ThreadSanitizer takes its time: with --tiny one case in 13 there.
static int ops_too_slow(const ops_run *run)
{
#if defined(__SANITIZE_THREAD__) || NATIVE_FEATURE(thread_sanitizer)
    static uint32_t number;
    return test_tiny && !strncmp(run->backend, "native", 6) && number++ % 13;
#else
    (void)run;
    return 0;
#endif
}

// The one entry for rows. `desc` is the operation's, its tensors without data; c may be NULL.
static void ops_check(ops_run *run, uint32_t op, const void *desc, const ops_case *c)
{
    ops_call call;
    ops_memory before[PADICI_MAX_OPERANDS], want[PADICI_MAX_OPERANDS];
    ops_values values = {NULL, NULL, 0, PADIC_DTYPE_NONE, 0, 0};
    uint64_t numbers = 0;
    padic_dtype dtype;
    if (ops_too_slow(run)) return;
    ops_call_begin(&call, op, desc);
    ops_memory_begin(&call, before);
    ops_memory_begin(&call, want);
    for (uint32_t i = 0; i < call.count; i++) {
        ops_on_host(&call, before, i);
        if (call.operands[i].out != 1 && c && c->input)
            (*c->input)(call.operands[i].tensor, i);
        else if (call.operands[i].out != 1)
            ops_random(call.operands[i].tensor);
        if (call.operands[i].out) numbers += 2 * padic_tensor_count(call.operands[i].tensor);
        memcpy(want[i].bytes, before[i].bytes, (size_t)before[i].size);
    }
    dtype = call.operands[call.count - 1].tensor->dtype;
    if (dtype == PADIC_I32) dtype = call.operands[0].tensor->dtype; // not `status`
    if (c && c->exact) {
        values.want = (double *)calloc((size_t)numbers + 1, sizeof(double));
        values.slack = (double *)calloc((size_t)numbers + 1, sizeof(double));
        (*c->exact)(&call.desc, values.want, values.slack);
    }
    for (uint32_t i = 0; i < call.count; i++) ops_on_host(&call, want, i);
    CHECK_EQ(ops_execute(NULL, &call), PADIC_OK);
    if (run->perf) {
        ops_perf(run, &call, c, before);
    } else {
        const uint32_t all = (1u << call.count) - 1, done = run->done;
        ops_place(run, &call, c, before, want, c && c->exact ? &values : NULL, all);
        run->tried[dtype] += numbers > 0;
        run->yes[dtype] += numbers > 0 && run->done > done;
        if (run->context) ops_place(run, &call, c, before, want, c && c->exact ? &values : NULL, 0);
        if (run->context && call.count > 1)
            ops_place(run, &call, c, before, want, c && c->exact ? &values : NULL, 1);
    }
    free(values.want);
    free(values.slack);
    ops_memory_end(&call, before);
    ops_memory_end(&call, want);
}

// For operations that the CPU computes to the bit, whatever its workers and vectors, and devices
// within a bound: the bound holds where there is none or a device.
static inline void ops_check_device(ops_run *run, uint32_t op, const void *desc, const ops_case *c)
{
    ops_case bits = *c;
    bits.exact = NULL;
    ops_check(run, op, desc,
              run->context && padici_target_is_host(&run->context->targets[0]) ? &bits : c);
}

// The same where vectors have a bound, too.
static inline void ops_check_vectors(ops_run *run, uint32_t op, const void *desc,
                                     const ops_case *c)
{
    if (!strcmp(run->backend, "simd")) ops_check(run, op, desc, c);
    else ops_check_device(run, op, desc, c);
}

// Elements of a tensor in C order as f64, complex ones as two: the caller frees them.
typedef struct ops_numbers {
    double *at;
    padic_dtype dtype;
} ops_numbers;

// A finite number of 16 bits, `wide` of them its fraction.
static double ops_small(uint32_t h, int wide, int bias)
{
    const int e = (int)((h & 0x7fffu) >> wide);
    const double part = (double)(h & ((1u << wide) - 1)) / (double)(1u << wide);
    return (h >> 15 ? -1 : 1) * (e ? ldexp(1 + part, e - bias) : ldexp(part, 1 - bias));
}

static void ops_numbers_element(void *element, uint64_t i, void *arg)
{
    const ops_numbers *n = (const ops_numbers *)arg;
    float f[2];
    int64_t whole = 0;
    switch (n->dtype) {
    case PADIC_I64: memcpy(&whole, element, 8), n->at[i] = (double)whole; break;
    case PADIC_I32: n->at[i] = *(const int32_t *)element; break;
    case PADIC_U32: n->at[i] = *(const uint32_t *)element; break;
    case PADIC_F16: n->at[i] = ops_small(*(const uint16_t *)element, 10, 15); break;
    case PADIC_BF16: n->at[i] = ops_small(*(const uint16_t *)element, 7, 127); break;
    case PADIC_F64: memcpy(n->at + i, element, 8); break;
    case PADIC_C128: memcpy(n->at + 2 * i, element, 16); break;
    case PADIC_F32:
        memcpy(f, element, 4);
        n->at[i] = f[0];
        break;
    default:
        memcpy(f, element, 8);
        n->at[2 * i] = f[0];
        n->at[2 * i + 1] = f[1];
    }
}

static inline double *ops_numbers_of(const padic_tensor *t)
{
    ops_numbers n;
    n.at = (double *)calloc(2 * (size_t)padic_tensor_count(t) + 1, sizeof(double));
    n.dtype = t->dtype;
    if (t->dtype != PADIC_DTYPE_NONE) ops_each(t, ops_numbers_element, &n);
    return n.at;
}

// For what is no operation of the table (numbers, sparse matrices): the row compares by itself and
// says here whether the backend did the case.
static inline void ops_note(ops_run *run, padic_dtype dtype, int done)
{
    run->cases++;
    run->done += (uint32_t)(done != 0);
    run->refused += (uint32_t)!done;
    run->tried[dtype]++;
    run->yes[dtype] += (uint32_t)(done != 0);
}

// ----------------------------------------------------------------------------------------- rows

#include "ops_base.h"
#include "ops_tensor.h"
#include "ops_wave.h"
#include "ops_vortex.h"
#include "ops_num.h"
#include "ops_fft.h"
#include "ops_field.h"
#include "ops_rnn.h"
#include "ops_rollout.h"
#include "ops_rollout_data.h"
#include "ops_pq.h"

static const struct {
    const char *name;
    void (*check)(ops_run *run);
} ops_rows[] = {OPS_BASE OPS_TENSOR OPS_WAVE OPS_VORTEX OPS_NUM OPS_FFT OPS_FIELD
             OPS_RNN OPS_ROLLOUT OPS_ROLLOUT_DATA OPS_PQ};

// Whether row i is that of a plan and `op` one of the plan's calls.
static int ops_plan(size_t i, uint32_t op)
{
    const char *name = ops_rows[i].name, *end = strstr(name, "_plan");
    return end && !end[5] && !strncmp(name, padici_op_name(op), strlen(name));
}

// Every operation of the table has a row, but tasks: tests of their areas do those on every backend
// (tests/gpu/test_gpu_codec.c, test_gpu_sparse.c, tests/sample).
TEST(complete)
{
    for (uint32_t op = 1; op < PADIC_OP_COUNT; op++) {
        const padici_op_row *row = padici_op_row_of(op);
        int found = !row || !row->desc_size; // a loop, of operations that have rows; a task
        for (size_t i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++)
            found |= !strcmp(ops_rows[i].name, padici_op_name(op)) || ops_plan(i, op);
        CHECK(*padici_op_name(op)); // numbers have no gap, or PADIC_OP_COUNT is too small
        if (!found) printf(" %s has no row;", padici_op_name(op));
        CHECK(found);
    }
}

static void ops_all(ops_run *run)
{
    for (size_t i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        if (!strstr(ops_rows[i].name, ops_filter)) continue;
        run->row = ops_rows[i].name;
        run->cases = run->done = run->refused = run->recorded = run->unrecorded = run->kept = 0;
        memset(run->tried, 0, sizeof run->tried);
        memset(run->yes, 0, sizeof run->yes);
        (*ops_rows[i].check)(run);
        if (!run->perf) printf(" %s %u/%u,", run->row, run->done, run->cases);
        if (run->replay)
            printf(" replayed %u/%u, kept %u,", run->recorded, run->recorded + run->unrecorded,
                   run->kept);
    }
}

static void ops_log(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)user;
    // A strict context says so each time it refuses; rows ask for some errors.
    if (level < PADIC_LOG_INFO && !strstr(text, "this context is strict") &&
        !strstr(text, "cannot be recorded") && !strstr(text, "matrix 5 has a NaN") &&
        !strstr(text, "outside the domain") && !strstr(text, "the state has a NaN") &&
        !strstr(text, "the state is zero") && !strstr(text, "spectrum is too small") &&
        !strstr(text, "psi is 0 or not finite") && !strstr(text, "unstable for every dt"))
        printf("\n  %s", text);
}

static padic_context *ops_open(const padic_backend *backend, void *native, const padic_jobs *jobs)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = backend;
    desc.device.native_context = native;
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
    desc.flags = PADIC_CONTEXT_DEBUG;
    desc.log.write = ops_log;
    if (jobs) desc.jobs = *jobs;
    return padic_context_create(&desc, &context) ? NULL : context;
}

// All rows on one context, which ends.
static void ops_backend(const char *name, padic_context *context)
{
    ops_run run;
    padic_stats stats;
    memset(&run, 0, sizeof run);
    run.backend = name;
    run.context = context;
    run.replay = context && !padici_target_is_host(&context->targets[0]) &&
                 strcmp(name, "native"); // there the other item order has it
    ops_all(&run);
    padic_context_stats(context, &stats);
    CHECK_EQ(stats.self_tests_failed, 0);
    padic_context_destroy(context);
}

TEST(none) // the reference against `exact`, and against itself in other memory
{
    ops_backend("none", NULL);
}

TEST(cpu)
{
    ops_backend("cpu", ops_open(NULL, NULL, NULL));
}

TEST(threads)
{
    padic_threads *threads = padic_threads_create(3, NULL);
    const padic_jobs jobs = padic_threads_jobs(threads);
    ops_backend("threads", ops_open(NULL, NULL, &jobs));
    padic_threads_destroy(threads);
}

TEST(simd)
{
    ops_backend("simd", ops_open(padic_simd(), NULL, NULL));
}

TEST(native)
{
    padic_native_desc native = PADIC_ZERO;
    padic_context *context = ops_open(padic_native(), &native, NULL);
    if (!context) {
        SKIP("kernels as C need Linux, python3 and the compiler");
    }
    ops_backend("native", context);
    CHECK(native.launches > 0 || *ops_filter); // one operation alone may have no kernel
}

TEST(native_down) // the items of a group in the other order: a missing barrier shows
{
    padic_native_desc native = PADIC_ZERO;
    padic_context *context;
    if (!test_full()) {
        SKIP("this order is native_least's, except in the full set");
    }
    native.down = 1;
    context = ops_open(padic_native(), &native, NULL);
    if (!context) {
        SKIP("kernels as C need Linux, python3 and the compiler");
    }
    ops_backend("native_down", context);
}

TEST(native_least) // a device with nothing that is optional, in that order, too
{
    padic_native_desc native = PADIC_ZERO;
    padic_context *context;
    native.features = PADIC_FEATURE_UNIFIED;
    native.down = 1;
    context = ops_open(padic_native(), &native, NULL);
    if (!context) {
        SKIP("kernels as C need Linux, python3 and the compiler");
    }
    ops_backend("native_least", context);
}

TEST(opencl)
{
#ifdef OPS_OPENCL
    padic_context *context = ops_open(padic_opencl(), NULL, NULL);
    if (!context) {
        SKIP("no OpenCL device");
    }
    ops_backend("opencl", context);
#else
    SKIP("no padic_opencl.h");
#endif
}

TEST(cuda)
{
#ifdef OPS_CUDA
    padic_context *context = ops_open(padic_cuda(), NULL, NULL);
    if (!context) {
        SKIP("no CUDA device");
    }
    ops_backend("cuda", context);
#else
    SKIP("no padic_cuda.h");
#endif
}

// ---------------------------------------------------------------------------------------- modes

// | operation | on a GPU |: yes, no, or the dtypes that are done in every case seen.
static int ops_support(void)
{
    padic_native_desc native = PADIC_ZERO;
    ops_run run;
    memset(&run, 0, sizeof run);
    run.backend = "native";
    run.context = ops_open(padic_native(), &native, NULL);
    if (!run.context) return puts("no native device"), 77;
    puts("| operation | element types | by kernels |\n|---|---|---|");
    for (size_t i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        uint32_t tried = 0, all = 0, none = 0;
        run.row = ops_rows[i].name;
        memset(run.tried, 0, sizeof run.tried);
        memset(run.yes, 0, sizeof run.yes);
        (*ops_rows[i].check)(&run);
        for (uint32_t t = 0; t < OPS_TYPES; t++) {
            tried += run.tried[t] != 0;
            all += run.tried[t] && run.yes[t] == run.tried[t];
            none += run.tried[t] && !run.yes[t];
        }
        printf("| %s |", run.row);
        for (uint32_t t = 0; t < OPS_TYPES; t++)
            if (run.tried[t]) printf(" %s", padic_dtype_name((padic_dtype)t));
        printf(" |%s", all == tried ? " all" : none == tried ? " none" : "");
        for (uint32_t t = 0; t < OPS_TYPES && all != tried && none != tried; t++)
            if (run.yes[t])
                printf(" %s%s", padic_dtype_name((padic_dtype)t),
                       run.yes[t] == run.tried[t] ? "" : " (some shapes)");
        puts(" |");
    }
    padic_context_destroy(run.context);
    return test_failures != 0;
}

static int ops_perf_mode(const char *backend)
{
    ops_run run;
    padic_native_desc native = PADIC_ZERO;
    memset(&run, 0, sizeof run);
    run.backend = backend;
    run.perf = 1;
    if (!strcmp(backend, "native")) run.context = ops_open(padic_native(), &native, NULL);
    if (!strcmp(backend, "simd")) run.context = ops_open(padic_simd(), NULL, NULL);
#ifdef OPS_OPENCL
    if (!strcmp(backend, "opencl")) run.context = ops_open(padic_opencl(), NULL, NULL);
#endif
#ifdef OPS_CUDA
    if (!strcmp(backend, "cuda")) run.context = ops_open(padic_cuda(), NULL, NULL);
#endif
    if (!run.context && strcmp(backend, "none")) return printf("no %s device\n", backend), 77;
    ops_all(&run);
    puts("");
    padic_context_destroy(run.context);
    return test_failures != 0;
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {CASE(complete), CASE(none),        CASE(cpu),
                                      CASE(threads),  CASE(simd),        CASE(native),
                                      CASE(native_down), CASE(native_least), CASE(opencl),
                                      CASE(cuda)};
    if (argc > 2 && !strcmp(argv[1], "--op")) {
        ops_filter = argv[2];
        argv[2] = argv[0];
        argv += 2;
        argc -= 2;
    }
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--backend")) memcpy(argv[i] + 2, "filter", 7); // a backend is a case
    if (argc > 1 && !strcmp(argv[1], "support")) return ops_support();
    if (argc > 1 && !strcmp(argv[1], "perf")) return ops_perf_mode(argc > 2 ? argv[2] : "none");
    return test_main("ops", cases, (int)(sizeof cases / sizeof *cases), argc, argv);
}
