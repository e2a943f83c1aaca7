// test_sparse.c: CSR matrices against dense loops, and a second reader of the bytes.
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L // fileno
#endif
#define PADIC_IMPLEMENT_NULL
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/sparse_calls.h"

#include <math.h>
#if defined(__linux__) && UINTPTR_MAX > UINT32_MAX
#include <sys/mman.h>
#endif

#define MOST 4096 // entries of the matrices here, unless a test says otherwise

static const padic_dtype all_dtypes[12] = {PADIC_F64, PADIC_F32, PADIC_F16, PADIC_BF16,
                                           PADIC_I8,  PADIC_I16, PADIC_I32, PADIC_I64,
                                           PADIC_U8,  PADIC_U16, PADIC_U32, PADIC_U64};

static int is_float(padic_dtype d)
{
    return d <= PADIC_BF16;
}

static int is_signed(padic_dtype d)
{
    return d >= PADIC_I8 && d <= PADIC_I64;
}

static uint64_t word_of(const void *p, uint32_t size)
{
    uint64_t x;
    uint32_t y;
    uint16_t z;
    if (size == 1) return *(const uint8_t *)p;
    if (size == 2) return memcpy(&z, p, 2), z;
    if (size == 4) return memcpy(&y, p, 4), y;
    return memcpy(&x, p, 8), x;
}

static void word_to(void *p, uint32_t size, uint64_t x)
{
    const uint32_t y = (uint32_t)x;
    const uint16_t z = (uint16_t)x;
    if (size == 1) *(uint8_t *)p = (uint8_t)x;
    if (size == 2) memcpy(p, &z, 2);
    if (size == 4) memcpy(p, &y, 4);
    if (size == 8) memcpy(p, &x, 8);
}

// An element as a real number. 64-bit integers: the nearest double, which no threshold here minds.
static double real_of(padic_dtype d, const void *p)
{
    const uint64_t x = word_of(p, padic_dtype_size(d));
    double f64;
    float f32;
    switch (d) {
    case PADIC_F64:
        return memcpy(&f64, p, 8), f64;
    case PADIC_F32:
        return memcpy(&f32, p, 4), (double)f32;
    case PADIC_F16: {
        const int e = (int)(x >> 10 & 31), m = (int)(x & 1023);
        f64 = e == 31 ? (m ? (double)NAN : (double)INFINITY)
              : e     ? ldexp(1024 + m, e - 25)
                      : ldexp(m, -24);
        return x >> 15 ? -f64 : f64;
    }
    case PADIC_BF16: {
        const int e = (int)(x >> 7 & 255), m = (int)(x & 127);
        f64 = e == 255 ? (m ? (double)NAN : (double)INFINITY)
              : e      ? ldexp(128 + m, e - 134)
                       : ldexp(m, -133);
        return x >> 15 ? -f64 : f64;
    }
    case PADIC_I8:
        return (double)(int8_t)x;
    case PADIC_I16:
        return (double)(int16_t)x;
    case PADIC_I32:
        return (double)(int32_t)x;
    case PADIC_I64:
        return (double)(int64_t)x;
    default:
        return (double)x;
    }
}

static uint64_t magnitude_of(padic_dtype d, const void *p)
{
    const uint64_t x = word_of(p, padic_dtype_size(d));
    if (!is_signed(d)) return x;
    const int64_t s = d == PADIC_I8    ? (int8_t)x
                      : d == PADIC_I16 ? (int16_t)x
                      : d == PADIC_I32 ? (int32_t)x
                                       : (int64_t)x;
    return s < 0 ? 0 - (uint64_t)s : (uint64_t)s;
}

static int32_t valuation_of(uint64_t x, uint64_t p)
{
    int32_t v = 0;
    if (!x) return INT32_MAX;
    for (; x % p == 0; x /= p) v++;
    return v;
}

// Is an element kept, said plainly.
static int kept(padic_dtype d, const void *p, padic_sparse_mode mode, double t, uint64_t prime)
{
    const double x = real_of(d, p);
    if (mode == PADIC_SPARSE_MODE_NONZERO) return !(x == 0);
    if (mode == PADIC_SPARSE_MODE_BITS) return word_of(p, padic_dtype_size(d)) != 0;
    if (mode == PADIC_SPARSE_MODE_NORM)
        return (double)valuation_of(magnitude_of(d, p), prime) < t && magnitude_of(d, p) != 0;
    if (is_float(d)) return !(fabs(x) <= t);
    return t < 18446744073709551616.0 && magnitude_of(d, p) > (uint64_t)t;
}

static void random_element(padic_dtype d, void *p, uint32_t percent)
{
    const uint32_t size = padic_dtype_size(d);
    uint64_t x = test_random();
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    if (test_random() % 100 >= percent) {
        x = is_float(d) && test_random() % 8 == 0 ? sign : 0; // -0
    } else if (is_float(d)) {
        const double f = (double)((int64_t)(x >> 40) - (1 << 23)) / (double)(1 << (x % 24));
        const float g = (float)f;
        if (d == PADIC_F64) memcpy(&x, &f, 8);
        if (d == PADIC_F32 || d == PADIC_BF16) {
            uint32_t bits;
            memcpy(&bits, &g, 4);
            x = d == PADIC_BF16 ? bits >> 16 : bits;
        }
        if (d == PADIC_F16) x &= 0xffff; // any bits: NaN, Inf, subnormal
        if (test_random() % 32 == 0)
            x = word_of(&x, size) | sign | (sign - 1) >> (x & 7); // odd ones
    } else {
        x >>= test_random() % 64;
        if (test_random() % 16 == 0) x = sign;
        if (test_random() % 16 == 0) x = ~(uint64_t)0;
    }
    word_to(p, size, x);
}

// A matrix with memory of its own.
typedef struct matrix {
    padic_sparse_csr csr;
    void *memory;
} matrix;

static matrix matrix_new(padic_dtype d, padic_dtype index, uint64_t rows, uint64_t cols,
                         uint64_t nnz)
{
    matrix m;
    memset(&m, 0, sizeof m);
    m.csr.rows = rows;
    m.csr.cols = cols;
    m.csr.nnz = nnz;
    m.csr.value.dtype = d;
    m.csr.row_ptr.dtype = index;
    const size_t size = (size_t)padic_sparse_place_size_bound(&m.csr);
    m.memory = malloc(size ? size : 1);
    if (padic_sparse_place(&m.csr, m.memory, size)) printf(" place failed");
    memset(m.memory, 0xee, size);
    return m;
}

static matrix matrix_numbers(const padic_num_array *a, uint64_t rows, uint64_t cols, uint64_t nnz)
{
    matrix m;
    memset(&m, 0, sizeof m);
    m.csr.rows = rows;
    m.csr.cols = cols;
    m.csr.nnz = nnz;
    m.csr.kind = PADIC_SPARSE_KIND_NUMBERS;
    m.csr.val_of = a->model ? PADIC_SPARSE_VAL_ENTRY : PADIC_SPARSE_VAL_NONE;
    m.csr.p = a->ring->p;
    m.csr.precision = a->ring->precision;
    m.csr.words = a->ring->words;
    m.csr.form = a->ring->form;
    m.csr.value.dtype = a->ring->unit_size == 4 ? PADIC_U32 : PADIC_U64;
    m.csr.val.dtype = a->val.dtype;
    const size_t size = (size_t)padic_sparse_place_size_bound(&m.csr);
    m.memory = malloc(size ? size : 1);
    if (padic_sparse_place(&m.csr, m.memory, size)) printf(" place failed");
    return m;
}

static uint64_t at(const padic_tensor *t, uint64_t i)
{
    return word_of((const char *)t->data + i * padic_dtype_size(t->dtype),
                   padic_dtype_size(t->dtype));
}

static int same_matrix(const padic_sparse_csr *a, const padic_sparse_csr *b)
{
    if (a->rows != b->rows || a->cols != b->cols || a->nnz != b->nnz || a->kind != b->kind ||
        a->val_of != b->val_of || a->p != b->p || a->precision != b->precision ||
        a->row_ptr.dtype != b->row_ptr.dtype || a->value.dtype != b->value.dtype)
        return 0;
    const uint64_t entry =
        padic_dtype_size(a->value.dtype) * (a->kind == PADIC_SPARSE_KIND_NUMBERS ? a->words : 1);
    const uint64_t index = padic_dtype_size(a->row_ptr.dtype);
    const uint64_t vals = a->val_of == PADIC_SPARSE_VAL_ROW   ? a->rows
                          : a->val_of == PADIC_SPARSE_VAL_COL ? a->cols
                          : a->val_of                         ? a->nnz
                                                              : 0;
    return !memcmp(a->row_ptr.data, b->row_ptr.data, (a->rows + 1) * index) &&
           (!a->nnz || (!memcmp(a->col.data, b->col.data, a->nnz * index) &&
                        !memcmp(a->value.data, b->value.data, a->nnz * entry))) &&
           (!vals || !memcmp(a->val.data, b->val.data, vals * padic_dtype_size(a->val.dtype)));
}

// A matrix must be what plain loops over `dense` make of it.
static int is_encoding(const padic_sparse_csr *a, const uint8_t *dense, uint64_t stride,
                       const padic_sparse_encode_report *r, padic_sparse_mode mode, double t,
                       uint64_t prime)
{
    const padic_dtype d = a->value.dtype;
    const uint32_t size = padic_dtype_size(d);
    uint64_t e = 0, dropped = 0, minus = 0;
    double largest = 0;
    if (at(&a->row_ptr, 0)) return 0;
    for (uint64_t i = 0; i < a->rows; i++) {
        for (uint64_t j = 0; j < a->cols; j++) {
            const uint8_t *p = dense + (i * stride + j) * size;
            if (kept(d, p, mode, t, prime)) {
                if (e >= a->nnz || at(&a->col, e) != j ||
                    memcmp((const char *)a->value.data + e * size, p, size))
                    return 0;
                e++;
            } else if (real_of(d, p) != 0) {
                dropped++;
                if (fabs(real_of(d, p)) > largest) largest = fabs(real_of(d, p));
            } else if (is_float(d) && word_of(p, size)) {
                minus++;
            }
        }
        if (at(&a->row_ptr, i + 1) != e) return 0;
    }
    return e == a->nnz && r->nnz == e && r->dropped == dropped &&
           r->negative_zeros == (mode == PADIC_SPARSE_MODE_NONZERO ? minus : 0) &&
           (mode != PADIC_SPARSE_MODE_THRESHOLD || r->largest_dropped == largest) &&
           r->size == padic_sparse_size(a);
}

static padic_context *threads_context(padic_threads **threads, uint32_t workers)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    *threads = padic_threads_create(workers, NULL);
    desc.jobs = padic_threads_jobs(*threads);
    padic_context_create(&desc, &context);
    return context;
}

// A backend in host memory whose kernels write garbage wherever they may.
static uint64_t rude_calls;

static padic_result rude_run(padic_device *device, uint32_t op, void *desc, const padic_mem *mem)
{
    padic_sparse_call *c = (padic_sparse_call *)desc;
    (void)mem;
    uint64_t n = 0;
    (void)device;
    if (c->cols < 5 || c->size == 2) return PADIC_ERROR_NOT_SUPPORTED;
    rude_calls++;
    if (op == PADIC_OP_SPARSE_FILL_LOOP && c->room) {
        memset(c->col, 0x77, (size_t)c->room * c->index_size);
        if (c->value) memset(c->value, 0x77, (size_t)c->room * c->size);
    }
    for (uint64_t r = 0; r < c->rows; r++) {
        if (c->row_ptr)
            word_to((char *)c->row_ptr + r * c->index_size, c->index_size, c->start + n);
        for (uint64_t j = 0; j < c->cols; j++) {
            const uint64_t x =
                word_of((const char *)c->key + (r * c->stride + j) * c->size, c->size);
            if (((x * c->factor + c->bias) & c->mask) <= c->limit) continue;
            if (op == PADIC_OP_SPARSE_FILL_LOOP) {
                word_to((char *)c->col + n * c->index_size, c->index_size, c->first + j);
                if (c->value) word_to((char *)c->value + n * c->size, c->size, x);
            }
            n++;
        }
    }
    c->kept = n;
    return PADIC_OK;
}

static const padic_backend_op rude_ops[] = {{PADIC_OP_SPARSE_COUNT_LOOP, NULL, rude_run},
                                            {PADIC_OP_SPARSE_FILL_LOOP, NULL, rude_run}};

static padic_null_desc rude_desc;
static padic_backend rude_backend;

static padic_context *rude_context(padic_jobs jobs)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    memset(&rude_desc, 0, sizeof rude_desc);
    rude_backend = *padic_null();
    rude_backend.name = "rude";
    rude_backend.ops = rude_ops;
    rude_backend.op_count = 2;
    rude_backend.flags = PADIC_BACKEND_HOST;
    desc.backends[0] = &rude_backend;
    desc.device.native_context = &rude_desc;
    desc.jobs = jobs;
    padic_context_create(&desc, &context);
    return context;
}

TEST(golden)
{
    int32_t dense[3][3] = {{5, 0, 7}, {0, 0, 0}, {0, 256, 0}}, back[3][3];
    const int row_ptr[4] = {0, 2, 2, 3}, col[3] = {0, 2, 1}, value[3] = {5, 7, 256};
    matrix m = matrix_new(PADIC_I32, PADIC_DTYPE_NONE, 3, 3, 3);
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_encode_report report;
    desc.source.dense = padic_tensor_2d(PADIC_I32, dense, 3, 3);
    CHECK_EQ(sparse_encode(NULL, &m.csr, &desc, &report), PADIC_OK);
    CHECK_EQ(m.csr.row_ptr.dtype, PADIC_I32);
    CHECK(!memcmp(m.csr.row_ptr.data, row_ptr, sizeof row_ptr));
    CHECK(!memcmp(m.csr.col.data, col, sizeof col));
    CHECK(!memcmp(m.csr.value.data, value, sizeof value));
    CHECK_EQ(report.index_size, 4);
    CHECK_EQ(padic_sparse_size(&m.csr), 3 * (4 + 4) + 4 * 4 + PADIC_SPARSE_HEADER);
    padic_tensor t = padic_tensor_2d(PADIC_I32, back, 3, 3);
    memset(back, 1, sizeof back);
    CHECK_EQ(sparse_decode(NULL, &t, NULL, &m.csr), PADIC_OK);
    CHECK(!memcmp(dense, back, sizeof back));
    uint64_t first = 9, count = 9;
    int64_t entry = 9, entries[3];
    CHECK_EQ(sparse_row(NULL, &m.csr, 0, &first, &count), PADIC_OK);
    CHECK(first == 0 && count == 2);
    CHECK_EQ(sparse_row(NULL, &m.csr, 1, &first, &count), PADIC_OK);
    CHECK(first == 2 && count == 0);
    CHECK_EQ(sparse_row(NULL, &m.csr, 3, &first, &count), PADIC_ERROR_REGION);
    CHECK_EQ(sparse_get(NULL, &m.csr, 0, 2, &entry), PADIC_OK);
    CHECK_EQ(entry, 1);
    CHECK_EQ(sparse_get(NULL, &m.csr, 2, 2, &entry), PADIC_OK);
    CHECK_EQ(entry, -1);
    CHECK_EQ(sparse_get(NULL, &m.csr, 0, 3, &entry), PADIC_ERROR_REGION);
    t = padic_tensor_1d(PADIC_I64, entries, 3);
    CHECK_EQ(sparse_col(NULL, &m.csr, 1, &t), PADIC_OK);
    CHECK(entries[0] == -1 && entries[1] == -1 && entries[2] == 2);
    CHECK_EQ(sparse_col(NULL, &m.csr, 3, &t), PADIC_ERROR_REGION);
    free(m.memory);
    // and its bytes, with values as I16
    static const char hex[] = "5044530100000006040000000100000003000000000000000300000000000000"
                              "0300000000000000000000000000000000000000000000000000000000000000"
                              "98000000000000000f39954da7741d5900000000020000000200000003000000"
                              "4eee290e25a9f937000000000200000001000000000000007fb7917da95227ce"
                              "0500070000010000ab7666019fbbe762b13b11cbdd82e682";
    int16_t half[3][3];
    uint8_t bytes[200];
    char text[401];
    size_t size = 0;
    for (int i = 0; i < 9; i++) half[i / 3][i % 3] = (int16_t)dense[i / 3][i % 3];
    desc.source.dense = padic_tensor_2d(PADIC_I16, half, 3, 3);
    m = matrix_new(PADIC_I16, PADIC_I32, 3, 3, 3);
    CHECK_EQ(sparse_encode(NULL, &m.csr, &desc, NULL), PADIC_OK);
    CHECK_EQ(sparse_write(NULL, &m.csr, bytes, sizeof bytes, &size), PADIC_OK);
    for (size_t i = 0; i < size; i++) snprintf(text + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    CHECK(!strcmp(text, hex));
    free(m.memory);
}

// Every dtype, mode, index width, and shape, by every method: the same bytes as plain loops.
TEST(encode)
{
    static const uint64_t shapes[][3] = {{0, 0, 0},   {0, 7, 7},    {3, 0, 0},     {1, 1, 1},
                                         {1, 9, 9},   {5, 3, 3},    {7, 8, 11},    {4, 17, 17},
                                         {3, 67, 70}, {33, 65, 65}, {2, 999, 999}, {700, 4, 4}};
    padic_threads *threads;
    padic_context *workers = threads_context(&threads, 3);
    padic_context *rude = rude_context(padic_threads_jobs(threads));
    padic_num_ring three;
    REQUIRE(workers && rude && !padic_num_ring_init(&three, 3, 10, NULL));
    uint8_t *dense = (uint8_t *)malloc(8 * MOST), *back = (uint8_t *)malloc(8 * MOST);
    rude_calls = 0;
    for (int type = 0; type < 12; type++)
        for (int s = 0; s < 12; s++)
            for (int mode = 0; mode < 4; mode++)
                for (int turn = 0; turn < (test_tiny ? 1 : 3); turn++) {
                    const padic_dtype d = all_dtypes[type];
                    const uint64_t rows = shapes[s][0], cols = shapes[s][1], stride = shapes[s][2];
                    const uint32_t size = padic_dtype_size(d);
                    const double thresholds[6] = {0, 1, 2.5, 100, 1e9, 6e-6};
                    padic_sparse_encode_desc desc = PADIC_ZERO;
                    padic_sparse_encode_report report;
                    if (mode == PADIC_SPARSE_MODE_NORM && is_float(d)) continue;
                    for (uint64_t i = 0; i < rows * stride; i++)
                        random_element(d, dense + i * size, turn == 0 ? 50 : turn == 1 ? 3 : 100);
                    desc.source.dense = padic_tensor_2d(d, dense, rows, cols);
                    if (stride != cols) {
                        desc.source.dense.stride[0] = (int64_t)stride;
                        desc.source.dense.stride[1] = 1;
                    }
                    desc.source.mode = (padic_sparse_mode)mode;
                    desc.source.ring = &three;
                    if (mode >= PADIC_SPARSE_MODE_THRESHOLD)
                        desc.source.threshold = thresholds[test_random() % 6];
                    matrix first =
                        matrix_new(d, turn == 1 ? PADIC_I64 : PADIC_I32, rows, cols, rows * cols);
                    desc.method = PADIC_SPARSE_METHOD_SCALAR;
                    REQUIRE(!sparse_encode(NULL, &first.csr, &desc, &report));
                    CHECK(is_encoding(&first.csr, dense, stride, &report, desc.source.mode,
                                      desc.source.threshold, 3));
                    CHECK_EQ(report.method, PADIC_SPARSE_METHOD_SCALAR);
                    for (int method = 0; method <= 3; method++) {
                        padic_sparse_encode_report other, counted;
                        matrix again =
                            matrix_new(d, first.csr.row_ptr.dtype, rows, cols, first.csr.nnz);
                        desc.method = (padic_sparse_method)method;
                        padic_context *context = method == 3 ? workers : rude;
                        padic_result result =
                            sparse_encode(context, &again.csr, &desc, &other);
                        if (method == 2 && (cols < 5 || size == 2))
                            CHECK_EQ(result, rows && cols ? PADIC_ERROR_NOT_SUPPORTED : PADIC_OK);
                        else
                            CHECK(!result && same_matrix(&first.csr, &again.csr) &&
                                  other.dropped == report.dropped && other.size == report.size &&
                                  other.largest_dropped == report.largest_dropped &&
                                  other.negative_zeros == report.negative_zeros);
                        desc.method = PADIC_SPARSE_METHOD_AUTO;
                        CHECK_EQ(sparse_count(context, &desc, &again.csr.row_ptr, &counted),
                                 PADIC_OK);
                        CHECK(counted.nnz == report.nnz && counted.size == report.size);
                        CHECK(!memcmp(again.csr.row_ptr.data, first.csr.row_ptr.data,
                                      (rows + 1) * padic_dtype_size(first.csr.row_ptr.dtype)));
                        free(again.memory);
                    }
                    CHECK_EQ(sparse_validate(NULL, &first.csr, PADIC_SPARSE_LEVEL_CANONICAL, NULL),
                             PADIC_OK);
                    memset(back, 0xaa, 8 * MOST);
                    padic_tensor t = desc.source.dense;
                    t.data = back;
                    REQUIRE(!sparse_decode(workers, &t, NULL, &first.csr));
                    for (uint64_t i = 0; i < rows * cols; i++) {
                        const uint8_t *x = dense + (i / cols * stride + i % cols) * size;
                        const uint64_t y =
                            word_of(back + (i / cols * stride + i % cols) * size, size);
                        const int is_kept =
                            kept(d, x, desc.source.mode, desc.source.threshold, 3);
                        CHECK(y == (is_kept ? word_of(x, size) : 0));
                    }
                    free(first.memory);
                }
    CHECK(rude_calls > 1000);
    free(dense);
    free(back);
    padic_context_destroy(workers);
    padic_context_destroy(rude);
    padic_threads_destroy(threads);
}

// Every level of padic_simd.h that this CPU has, alone and with threads: the same bytes.
TEST(simd)
{
    static const char *const levels[4] = {"neon", "avx2", "avx512", "avx512ifma"};
    static const uint64_t shapes[4][2] = {{3, 40000}, {2000, 67}, {1, 131}, {5000, 17}};
    padic_threads *threads = padic_threads_create(3, NULL);
    uint8_t *dense = (uint8_t *)malloc(8 * 140000);
    int found = 0;
    for (int l = 0; l < 4; l++) {
        padic_context_desc make = PADIC_ZERO;
        padic_context *context = NULL;
        make.backends[0] = padic_simd();
        make.device.name = levels[l];
        make.jobs = padic_threads_jobs(threads);
        if (padic_context_create(&make, &context)) continue;
        padic_device_info info;
        padic_context_device_info(context, &info);
        found += !strcmp(info.arch, levels[l]);
        for (int type = 0; type < 12; type++)
            for (int turn = 0; turn < (test_tiny ? 4 : 16); turn++) {
                const padic_dtype d = all_dtypes[type];
                const uint32_t size = padic_dtype_size(d);
                const uint64_t cols = shapes[turn % 4][1];
                const uint64_t rows = test_tiny ? 2 : shapes[turn % 4][0];
                const uint32_t percent = turn < 4 ? 1 : turn < 8 ? 20 : turn < 12 ? 60 : 100;
                padic_sparse_encode_desc desc = PADIC_ZERO;
                padic_sparse_encode_report plain, report;
                for (uint64_t i = 0; i < rows * cols; i++)
                    random_element(d, dense + i * size, percent);
                desc.source.dense = padic_tensor_2d(d, dense, rows, cols);
                desc.source.mode = (padic_sparse_mode)(test_random() % 3);
                desc.source.threshold = desc.source.mode == PADIC_SPARSE_MODE_THRESHOLD ? 2.5 : 0;
                matrix a = matrix_new(d, turn % 3 ? PADIC_I32 : PADIC_I64, rows, cols, rows * cols);
                REQUIRE(!sparse_encode(NULL, &a.csr, &desc, &plain));
                for (int method = PADIC_SPARSE_METHOD_SIMD; method <= PADIC_SPARSE_METHOD_THREADS;
                     method++) {
                    matrix b = matrix_new(d, a.csr.row_ptr.dtype, rows, cols, plain.nnz);
                    desc.method = (padic_sparse_method)method;
                    const padic_result result =
                        sparse_encode(context, &b.csr, &desc, &report);
                    if (result == PADIC_OK)
                        CHECK(same_matrix(&a.csr, &b.csr) && plain.dropped == report.dropped &&
                              plain.negative_zeros == report.negative_zeros);
                    else
                        CHECK(result == PADIC_ERROR_NOT_SUPPORTED &&
                              method == PADIC_SPARSE_METHOD_SIMD);
                    if (d == PADIC_U8 && desc.source.mode == PADIC_SPARSE_MODE_NONZERO &&
                        cols > 100)
                        CHECK_EQ(result, PADIC_OK);
                    free(b.memory);
                }
                free(a.memory);
            }
        padic_context_destroy(context);
    }
    free(dense);
    padic_threads_destroy(threads);
    if (!found) {
        SKIP("no level of padic_simd.h on this CPU");
    }
}

// Long enough for several supersteps of the threads and many pieces; and capacities that are short.
TEST(large)
{
    const uint64_t most = test_tiny ? 200000 : 9500000;
    const uint64_t widths[4] = {1, 13, 4096, most};
    padic_threads *threads;
    padic_context *workers = threads_context(&threads, 4);
    uint8_t *dense = (uint8_t *)malloc(most);
    for (int density = 0; density < 3; density++)
        for (int w = 0; w < 4; w++) {
            const uint64_t cols = widths[w], rows = most / cols / (w == 0 ? 16 : 1);
            padic_sparse_encode_desc desc = PADIC_ZERO;
            padic_sparse_encode_report report, other;
            uint64_t nnz = 0;
            for (uint64_t i = 0; i < rows * cols; i += 4) {
                const uint64_t x = test_random();
                for (uint64_t j = i; j < i + 4 && j < rows * cols; j++) {
                    const uint32_t y = (uint32_t)(x >> (16 * (j - i))) & 0xffff;
                    dense[j] = (uint8_t)(density == 0   ? (y < 65) * y
                                         : density == 1 ? (y < 6553) * y
                                                        : y);
                    nnz += dense[j] != 0;
                }
            }
            desc.source.dense = padic_tensor_2d(PADIC_U8, dense, rows, cols);
            desc.method = PADIC_SPARSE_METHOD_SCALAR;
            matrix a = matrix_new(PADIC_U8, PADIC_I32, rows, cols, nnz);
            CHECK_EQ(sparse_encode(NULL, &a.csr, &desc, &report), PADIC_OK);
            CHECK_EQ(report.nnz, nnz);
            CHECK(is_encoding(&a.csr, dense, cols, &report, desc.source.mode, 0, 0));
            for (int method = PADIC_SPARSE_METHOD_SCALAR; method <= PADIC_SPARSE_METHOD_THREADS;
                 method += 2)
                for (int lack = 0; lack < 2;
                     lack++) { // capacity one short: row_ptr and nnz are right
                    matrix b = matrix_new(PADIC_U8, PADIC_I32, rows, cols, nnz - (uint64_t)lack);
                    desc.method = (padic_sparse_method)method;
                    CHECK_EQ(sparse_encode(workers, &b.csr, &desc, &other),
                             lack ? PADIC_ERROR_CAPACITY : PADIC_OK);
                    CHECK(other.nnz == nnz && b.csr.nnz == nnz && other.size == report.size);
                    CHECK(!memcmp(b.csr.row_ptr.data, a.csr.row_ptr.data, 4 * (rows + 1)));
                    if (!lack) CHECK(same_matrix(&a.csr, &b.csr));
                    if (lack)
                        CHECK_EQ(sparse_row(NULL, &b.csr, 0, &other.nnz, &other.size),
                                 PADIC_ERROR_CAPACITY);
                    free(b.memory);
                }
            free(a.memory);
        }
    free(dense);
    padic_context_destroy(workers);
    padic_threads_destroy(threads);
}

// ---- p-adic numbers

typedef struct ring_case {
    uint64_t p;
    uint32_t precision;
    padic_num_form form;
    uint32_t limb32;
} ring_case;

static const ring_case rings[] = {{2, 7, PADIC_NUM_B2, 0},
                                  {2, 53, PADIC_NUM_B2, 0},
                                  {2, 64, PADIC_NUM_B2, 0},
                                  {257, 3, PADIC_NUM_W32, 0},
                                  {257, 6, PADIC_NUM_W49, 0},
                                  {3, 40, PADIC_NUM_W64, 0},
                                  {257, 12, PADIC_NUM_W128, 0},
                                  {2, 100, PADIC_NUM_W128, 0},
                                  {4398046511093, 2, PADIC_NUM_W128, 0},
                                  {257, 33, PADIC_NUM_RX, 0},
                                  {2, 300, PADIC_NUM_RX, 0},
                                  {3, 100, PADIC_NUM_RX, 1},
                                  {5, 700, PADIC_NUM_RX, 0}};
#define RINGS 13

static padic_num_array array_new(const padic_num_ring *r, padic_num_model model, uint64_t count,
                                 void **memory)
{
    padic_num_array a;
    const size_t size = padic_num_array_size_bound(r, model, count);
    *memory = calloc(size ? size : 1, 1);
    memset(&a, 0, sizeof a);
    if (padic_num_place(&a, r, model, count, *memory, size)) printf(" num place failed");
    return a;
}

// Word k of unit i, as the header says units lie.
static uint64_t *word64(const padic_num_array *a, uint64_t i, uint32_t k, uint32_t **word32)
{
    const padic_num_ring *r = a->ring;
    uint64_t where = i;
    if (r->form == PADIC_NUM_W128) where = i + k * a->high;
    if (r->form == PADIC_NUM_RX) where = (i / 32) * 32 * r->words + k * 32 + i % 32;
    *word32 = r->unit_size == 4 ? (uint32_t *)a->unit.data + where : NULL;
    return r->unit_size == 4 ? NULL : (uint64_t *)a->unit.data + where;
}

static uint64_t get_word(const padic_num_array *a, uint64_t i, uint32_t k)
{
    uint32_t *w32;
    const uint64_t *w64 = word64(a, i, k, &w32);
    return w32 ? *w32 : *w64;
}

static void set_word(const padic_num_array *a, uint64_t i, uint32_t k, uint64_t x)
{
    uint32_t *w32;
    uint64_t *w64 = word64(a, i, k, &w32);
    if (w32)
        *w32 = (uint32_t)x;
    else
        *w64 = x;
}

// Sets number i from digits, by Horner on 32-bit pieces of a 128-bit number, or by limbs.
static void set_digits(const padic_num_array *a, uint64_t i, const uint64_t *digit)
{
    const padic_num_ring *r = a->ring;
    const uint32_t limbs = r->form == PADIC_NUM_RX ? r->words : 1;
    for (uint32_t k = 0; k < limbs; k++) {
        const uint32_t from = k * r->limb_digits;
        const uint32_t to = k + 1 < limbs ? from + r->limb_digits : r->precision;
        uint64_t w[4] = {0, 0, 0, 0};
        for (uint32_t j = to; j-- > from;) {
            // w = w p + d, p < 2^42: two steps of 21 bits would do, 32-bit pieces of p are simpler
            uint64_t low[5] = {0}, high[5] = {0}, carry = 0;
            for (int n = 0; n < 4; n++) {
                low[n] += (w[n] * (uint32_t)r->p) & 0xffffffff;
                low[n + 1] += (w[n] * (uint32_t)r->p) >> 32;
                high[n + 1] += (w[n] * (r->p >> 32)) & 0xffffffff;
                if (n < 3) high[n + 2] += (w[n] * (r->p >> 32)) >> 32;
            }
            low[0] += digit[j] & 0xffffffff;
            low[1] += digit[j] >> 32;
            for (int n = 0; n < 4; n++) {
                carry += low[n] + high[n];
                w[n] = carry & 0xffffffff;
                carry >>= 32;
            }
        }
        set_word(a, i, k, w[0] | w[1] << 32);
        if (r->form == PADIC_NUM_W128) set_word(a, i, 1, w[2] | w[3] << 32);
    }
}

static void random_digits(const padic_num_ring *r, int unit, uint32_t percent, uint64_t *digit)
{
    for (uint32_t k = 0; k < r->precision; k++)
        digit[k] = test_random() % 100 < percent ? test_random() % r->p : 0;
    if (unit && !digit[0]) digit[0] = r->p - 1;
}

TEST(digits)
{
    static uint64_t digit[64][700];
    for (int c = 0; c < RINGS; c++)
        for (int model = 0; model < 2; model++)
            for (int wide = 0; wide < 2; wide++) {
                padic_num_ring ring;
                padic_num_ring_options options = PADIC_ZERO;
                options.limb32 = rings[c].limb32;
                REQUIRE(!padic_num_ring_init(&ring, rings[c].p, rings[c].precision, &options));
                CHECK_EQ(ring.form, rings[c].form);
                const uint64_t p = ring.p, n = ring.precision;
                void *memory[2], *block;
                padic_num_array a = array_new(&ring, (padic_num_model)model, 45, &memory[0]);
                padic_num_array b = array_new(&ring, (padic_num_model)model, 45, &memory[1]);
                padic_sparse_csr m = PADIC_ZERO;
                m.rows = 45;
                m.cols = n;
                m.nnz = 45 * n;
                m.kind = PADIC_SPARSE_KIND_DIGITS;
                m.val_of = model ? PADIC_SPARSE_VAL_ROW : PADIC_SPARSE_VAL_NONE;
                m.p = p;
                m.precision = (uint32_t)n;
                m.value.dtype = p <= 256     ? wide ? PADIC_U16 : PADIC_U8
                                : p <= 65536 ? wide ? PADIC_U64 : PADIC_U16
                                             : PADIC_U64;
                m.row_ptr.dtype = wide ? PADIC_I64 : PADIC_I32;
                const size_t size = (size_t)padic_sparse_place_size_bound(&m);
                block = malloc(size);
                REQUIRE(!padic_sparse_place(&m, block, size));
                for (uint64_t i = 0; i < 45; i++) {
                    random_digits(&ring, model, i % 3 ? 100 : 10, digit[i]);
                    for (uint64_t k = 0; k < n && i == 0; k++) digit[i][k] = p - 1; // -1
                    for (uint64_t k = 0; k < n && i == 1; k++) digit[i][k] = 1;     // 1/(1-p)
                    set_digits(&a, i, digit[i]);
                    if (model) ((int32_t *)a.val.data)[i] = (int32_t)i - 20;
                }
                if (model) { // 0, and a NaN
                    for (uint32_t k = 0; k < ring.words; k++)
                        set_word(&a, 7, k, 0), set_word(&a, 8, k, 0);
                    ((int32_t *)a.val.data)[7] = PADIC_NUM_ZERO;
                    ((int32_t *)a.val.data)[8] = PADIC_NUM_NAN;
                    set_word(&a, 8, 0, PADIC_NUM_DIV0);
                    memset(digit[7], 0, sizeof digit[7]);
                    memset(digit[8], 0, sizeof digit[8]);
                    digit[8][0] = 1;
                }
                REQUIRE(!sparse_from_num(NULL, &m, &a));
                uint64_t e = 0;
                for (uint64_t i = 0; i < 45; i++) {
                    CHECK_EQ(at(&m.row_ptr, i), e);
                    for (uint64_t k = 0; k < n; k++) {
                        if (!digit[i][k]) continue;
                        CHECK(at(&m.col, e) == k && at(&m.value, e) == digit[i][k]);
                        e++;
                    }
                    if (model) CHECK_EQ(at(&m.val, i), (uint32_t)((int32_t *)a.val.data)[i]);
                }
                CHECK(m.nnz == e && at(&m.row_ptr, 45) == e &&
                      m.trusted == PADIC_SPARSE_LEVEL_CANONICAL);
                CHECK_EQ(sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_CANONICAL, NULL), PADIC_OK);
                padic_sparse_csr empty = m; // no room for entries: only row_ptr and nnz
                empty.col = padic_tensor_1d(m.col.dtype, NULL, 0);
                empty.value = padic_tensor_1d(m.value.dtype, NULL, 0);
                CHECK_EQ(sparse_from_num(NULL, &empty, &a), PADIC_ERROR_CAPACITY);
                CHECK_EQ(empty.nnz, e);
                REQUIRE(!sparse_to_num(NULL, &b, &m));
                for (uint64_t i = 0; i < 45; i++) {
                    for (uint32_t k = 0; k < ring.words; k++)
                        CHECK_EQ(get_word(&a, i, k), get_word(&b, i, k));
                    if (model) CHECK_EQ(((int32_t *)a.val.data)[i], ((int32_t *)b.val.data)[i]);
                    CHECK_EQ(((uint8_t *)b.status.data)[i], model && i == 8 ? PADIC_NUM_DIV0 : 0);
                }
                if (p < 200) { // a digit that is none
                    word_to(m.value.data, padic_dtype_size(m.value.dtype), p);
                    CHECK_EQ(sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_CANONICAL, NULL),
                             PADIC_ERROR_CORRUPT);
                    CHECK_EQ(sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_STRUCTURE, NULL),
                             PADIC_OK);
                    CHECK_EQ(sparse_to_num(NULL, &b, &m), PADIC_OK);
                    CHECK_EQ(((uint8_t *)b.status.data)[0], PADIC_NUM_OUTSIDE);
                    b.status = padic_num_plane_of(PADIC_DTYPE_NONE, NULL);
                    CHECK_EQ(sparse_to_num(NULL, &b, &m), PADIC_ERROR_DOMAIN);
                }
                m.value.dtype = PADIC_U8;
                if (p > 256) CHECK_EQ(sparse_from_num(NULL, &m, &a), PADIC_ERROR_ARGUMENT);
                m.value.dtype = PADIC_F32;
                CHECK_EQ(sparse_from_num(NULL, &m, &a), PADIC_ERROR_DTYPE);
                free(block);
                free(memory[0]);
                free(memory[1]);
            }
}

// Matrices of numbers: every class and model, NONZERO and NORM, and back.
TEST(numbers)
{
    static uint64_t digit[700];
    for (int c = 0; c < RINGS; c++)
        for (int model = 0; model < 2; model++)
            for (int t = -1; t < 4; t++) {
                padic_num_ring ring;
                padic_num_ring_options options = PADIC_ZERO;
                options.limb32 = rings[c].limb32;
                REQUIRE(!padic_num_ring_init(&ring, rings[c].p, rings[c].precision, &options));
                const uint64_t rows = 9, cols = 39, count = rows * cols;
                void *memory[2];
                padic_num_array a = array_new(&ring, (padic_num_model)model, count, &memory[0]);
                padic_num_array b = array_new(&ring, (padic_num_model)model, count, &memory[1]);
                static uint8_t keep[9 * 39];
                uint64_t nnz = 0, nonzero = 0;
                int16_t val16[9 * 39], back16[9 * 39];
                int32_t *val = (int32_t *)a.val.data;
                for (uint64_t i = 0; i < count; i++) {
                    int32_t v = 0;
                    const int zero = test_random() % 3 == 0;
                    random_digits(&ring, 1, zero ? 0 : 60, digit);
                    if (zero) digit[0] = 0;
                    if (!model && !zero) { // p^v u
                        v = (int32_t)(test_random() % 5);
                        if (v >= (int32_t)ring.precision) v = (int32_t)ring.precision - 1;
                        for (uint32_t k = ring.precision; k-- > 0;)
                            digit[k] = k >= (uint32_t)v ? digit[k - (uint32_t)v] : 0;
                    } else if (model) {
                        v = zero ? PADIC_NUM_ZERO : (int32_t)(test_random() % 9) - 4;
                        if (!zero && test_random() % 20 == 0) {
                            memset(digit, 0, sizeof digit);
                            digit[0] = 1;
                            v = PADIC_NUM_NAN;
                        }
                        val[i] = v;
                        val16[i] = (int16_t)(zero                 ? PADIC_NUM_ZERO16
                                             : v == PADIC_NUM_NAN ? PADIC_NUM_NAN16
                                                                  : v);
                    }
                    set_digits(&a, i, digit);
                    keep[i] = !zero && (t < 0 || v < t);
                    nnz += keep[i];
                    nonzero += !zero;
                }
                padic_sparse_encode_desc desc = PADIC_ZERO;
                padic_sparse_encode_report report;
                desc.source.numbers = a;
                desc.source.rows = rows;
                desc.source.cols = cols;
                desc.source.mode = t < 0 ? PADIC_SPARSE_MODE_NONZERO : PADIC_SPARSE_MODE_NORM;
                desc.source.threshold = t < 0 ? 0 : t;
                if (model && t == 1) { // compact valuations
                    desc.source.numbers.val = padic_num_plane_of(PADIC_I16, val16);
                    b.val = padic_num_plane_of(PADIC_I16, back16);
                }
                matrix m = matrix_numbers(&desc.source.numbers, rows, cols, nnz);
                REQUIRE(!sparse_encode(NULL, &m.csr, &desc, &report));
                CHECK(report.nnz == nnz && report.dropped == nonzero - nnz);
                CHECK_EQ(sparse_validate(NULL, &m.csr, PADIC_SPARSE_LEVEL_CANONICAL, NULL),
                         PADIC_OK);
                padic_sparse_csr wrong = m.csr;
                wrong.p = 4; // no ring
                CHECK_EQ(sparse_validate(NULL, &wrong, PADIC_SPARSE_LEVEL_CANONICAL, NULL),
                         PADIC_ERROR_CORRUPT);
                wrong.p = m.csr.p;
                wrong.precision = 65535; // not the ring of these words
                CHECK_EQ(sparse_validate(NULL, &wrong, PADIC_SPARSE_LEVEL_CANONICAL, NULL),
                         PADIC_ERROR_CORRUPT);
                uint64_t e = 0;
                for (uint64_t i = 0; i < count; i++) {
                    if (i % cols == 0) CHECK_EQ(at(&m.csr.row_ptr, i / cols), e);
                    if (!keep[i]) continue;
                    CHECK_EQ(at(&m.csr.col, e), i % cols);
                    for (uint32_t k = 0; k < ring.words; k++)
                        CHECK_EQ(at(&m.csr.value, e * ring.words + k), get_word(&a, i, k));
                    e++;
                }
                memset(memory[1], 0xcc,
                       padic_num_array_size_bound(&ring, (padic_num_model)model, count));
                REQUIRE(!sparse_decode(NULL, NULL, &b, &m.csr));
                for (uint64_t i = 0; i < count; i++) {
                    for (uint32_t k = 0; k < ring.words; k++)
                        CHECK_EQ(get_word(&b, i, k), keep[i] ? get_word(&a, i, k) : 0);
                    if (model && t == 1) CHECK_EQ(back16[i], keep[i] ? val16[i] : PADIC_NUM_ZERO16);
                    if (model && t != 1)
                        CHECK_EQ(((int32_t *)b.val.data)[i], keep[i] ? val[i] : PADIC_NUM_ZERO);
                    CHECK_EQ(((uint8_t *)b.status.data)[i],
                             model && keep[i] && val[i] == PADIC_NUM_NAN ? PADIC_NUM_DIV0 : 0);
                }
                // Bytes, and transposed twice.
                const size_t room = (size_t)padic_sparse_write_size_bound(&m.csr);
                uint8_t *bytes = (uint8_t *)malloc(room);
                size_t size = 0;
                matrix again = matrix_numbers(&desc.source.numbers, rows, cols, nnz);
                matrix turned = matrix_numbers(&desc.source.numbers, cols, rows, nnz);
                CHECK_EQ(sparse_write(NULL, &m.csr, bytes, room, &size), PADIC_OK);
                CHECK_EQ(size, room);
                CHECK_EQ(sparse_read(NULL, &again.csr, bytes, size), PADIC_OK);
                CHECK(same_matrix(&m.csr, &again.csr));
                CHECK_EQ(sparse_transpose(NULL, &turned.csr, &m.csr), PADIC_OK);
                CHECK_EQ(sparse_validate(NULL, &turned.csr, PADIC_SPARSE_LEVEL_CANONICAL, NULL),
                         PADIC_OK);
                CHECK_EQ(sparse_transpose(NULL, &again.csr, &turned.csr), PADIC_OK);
                CHECK(same_matrix(&m.csr, &again.csr));
                free(bytes);
                free(m.memory);
                free(again.memory);
                free(turned.memory);
                free(memory[0]);
                free(memory[1]);
            }
}

// ---- products

static matrix random_matrix(padic_dtype d, uint64_t rows, uint64_t cols, uint32_t percent,
                            uint8_t *dense)
{
    const uint32_t size = padic_dtype_size(d);
    padic_sparse_encode_desc desc = PADIC_ZERO;
    for (uint64_t i = 0; i < rows * cols; i++) random_element(d, dense + i * size, percent);
    desc.source.dense = padic_tensor_2d(d, dense, rows, cols);
    matrix m = matrix_new(d, test_random() % 2 ? PADIC_I32 : PADIC_I64, rows, cols, rows * cols);
    CHECK_EQ(sparse_encode(NULL, &m.csr, &desc, NULL), PADIC_OK);
    return m;
}

// Exact products of integers: schoolbook on 16-bit limbs, sums of them modulo 2^192.
typedef struct big {
    uint32_t w[12];
} big;

static void big_add_product(big *s, padic_dtype da, const void *a, padic_dtype db, const void *b)
{
    const uint64_t x = magnitude_of(da, a), y = magnitude_of(db, b);
    const int minus = (real_of(da, a) < 0) != (real_of(db, b) < 0);
    uint32_t t[12] = {0};
    for (int i = 0; i < 4; i++) {
        uint32_t carry = 0;
        for (int j = 0; j < 4; j++) {
            carry +=
                (uint32_t)(x >> (16 * i) & 0xffff) * (uint32_t)(y >> (16 * j) & 0xffff) + t[i + j];
            t[i + j] = carry & 0xffff;
            carry >>= 16;
        }
        t[i + 4] = carry;
    }
    uint32_t carry = minus ? 1 : 0;
    for (int i = 0; i < 12; i++) {
        carry += s->w[i] + (minus ? ~t[i] & 0xffff : t[i]);
        s->w[i] = carry & 0xffff;
        carry >>= 16;
    }
}

// 1 if it fits; else 0, and *out = 0.
static int big_get(const big *s, int with_sign, uint64_t *out)
{
    const uint32_t fill = with_sign && s->w[3] >> 15 ? 0xffff : 0;
    *out = s->w[0] | (uint64_t)s->w[1] << 16 | (uint64_t)s->w[2] << 32 | (uint64_t)s->w[3] << 48;
    for (int i = 4; i < 12; i++)
        if (s->w[i] != fill) return *out = 0, 0;
    return 1;
}

TEST(integer_products)
{
    static uint64_t dense_words[1200], x_words[600];
    uint8_t *const dense = (uint8_t *)dense_words, *const x = (uint8_t *)x_words;
    static uint64_t y[300], z[300];
    padic_threads *threads;
    padic_context *workers = threads_context(&threads, 3);
    for (int da = 4; da < 12; da++)
        for (int dx = 4; dx < 12; dx++)
            for (int width = 0; width < 4; width++) {
                const uint64_t rows = 20, cols = 60,
                               m = width == 0   ? 1
                                   : width == 1 ? 3
                                   : width == 2 ? 8
                                                : 10;
                const padic_dtype a_type = all_dtypes[da], x_type = all_dtypes[dx];
                const int sign = width % 2;
                matrix a = random_matrix(a_type, rows, cols, 30, dense);
                padic_sparse_product_desc desc = PADIC_ZERO;
                int fits = 1;
                for (uint64_t i = 0; i < cols * m; i++)
                    random_element(x_type, x + i * padic_dtype_size(x_type), 90);
                desc.a = &a.csr;
                desc.x = padic_tensor_2d(x_type, x, cols, m);
                desc.y = padic_tensor_2d(sign ? PADIC_I64 : PADIC_U64, y, rows, m);
                if (m == 1) {
                    desc.x = padic_tensor_1d(x_type, x, cols);
                    desc.y = padic_tensor_1d(desc.y.dtype, y, rows);
                }
                for (uint64_t r = 0; r < rows; r++)
                    for (uint64_t j = 0; j < m; j++) {
                        big sum = {{0}};
                        for (uint64_t c = 0; c < cols; c++)
                            big_add_product(&sum, a_type,
                                            dense + (r * cols + c) * padic_dtype_size(a_type),
                                            x_type, x + (c * m + j) * padic_dtype_size(x_type));
                        fits &= big_get(&sum, sign, &z[r * m + j]);
                    }
                CHECK_EQ(padic_sparse_product(workers, &desc),
                         fits ? PADIC_OK : PADIC_ERROR_DOMAIN);
                CHECK(!memcmp(y, z, rows * m * 8));
                free(a.memory);
            }
    padic_context_destroy(workers);
    padic_threads_destroy(threads);
}

// The rule of the header, written again; volatile so that nothing is fused or kept wider.
static double rule64(const double *p, uint64_t n)
{
    volatile double s[32], t;
    for (int i = 0; i < 32; i++) s[i] = 0;
    for (uint64_t k = 0; k < n; k++) {
        t = p[2 * k] * p[2 * k + 1];
        s[k % 32] = s[k % 32] + t;
    }
    for (int half = 1; half < 32; half *= 2)
        for (int i = 0; i < 32; i += 2 * half) s[i] = s[i] + s[i + half];
    return s[0];
}

static float rule32(const double *p, uint64_t n)
{
    volatile float s[32], t;
    for (int i = 0; i < 32; i++) s[i] = 0;
    for (uint64_t k = 0; k < n; k++) {
        t = (float)p[2 * k] * (float)p[2 * k + 1];
        s[k % 32] = s[k % 32] + t;
    }
    for (int half = 1; half < 32; half *= 2)
        for (int i = 0; i < 32; i += 2 * half) s[i] = s[i] + s[i + half];
    return s[0];
}

TEST(float_products)
{
    static double pairs[2 * 700];
    static double y64[3000], z64[3000];
    static float y32[3000], z32[3000];
    uint8_t *dense = (uint8_t *)malloc(8 * 300 * 700), *x = (uint8_t *)malloc(8 * 700 * 10);
    padic_threads *threads;
    padic_context *workers = threads_context(&threads, 4);
    for (int da = 0; da < 4; da++)
        for (int dx = 0; dx < 4; dx++)
            for (int turn = 0; turn < 5; turn++) {
                const padic_dtype a_type = all_dtypes[da], x_type = all_dtypes[dx];
                const uint64_t rows = test_tiny ? 70 : 300, cols = turn < 2 ? 25 : 700;
                const uint64_t m = turn == 0 || turn == 2 ? 1 : turn == 1 ? 10 : 8;
                const double eps = a_type == PADIC_F64 ? ldexp(1, -53) : ldexp(1, -24);
                if (x_type != a_type && (a_type == PADIC_F64 || x_type != PADIC_F32)) continue;
                matrix a = random_matrix(a_type, rows, cols, turn == 4 ? 2 : 70, dense);
                for (uint64_t i = 0; i < cols * m; i++)
                    random_element(x_type, x + i * padic_dtype_size(x_type), 95);
                padic_sparse_product_desc desc = PADIC_ZERO;
                desc.a = &a.csr;
                desc.x = padic_tensor_2d(x_type, x, cols, m);
                desc.y = a_type == PADIC_F64 ? padic_tensor_2d(PADIC_F64, y64, rows, m)
                                             : padic_tensor_2d(PADIC_F32, y32, rows, m);
                CHECK_EQ(padic_sparse_product(NULL, &desc), PADIC_OK);
                for (uint64_t r = 0; r < rows; r++)
                    for (uint64_t j = 0; j < m; j++) {
                        uint64_t n = 0;
                        double size = 0, sum = 0;
                        for (uint64_t c = 0; c < cols; c++) {
                            const double v =
                                real_of(a_type, dense + (r * cols + c) * padic_dtype_size(a_type));
                            if (v == 0) continue;
                            pairs[2 * n] = v;
                            pairs[2 * n + 1] =
                                real_of(x_type, x + (c * m + j) * padic_dtype_size(x_type));
                            sum += v * pairs[2 * n + 1];
                            size += fabs(v * pairs[2 * n + 1]);
                            n++;
                        }
                        const double z =
                            a_type == PADIC_F64 ? rule64(pairs, n) : (double)rule32(pairs, n);
                        const double y =
                            a_type == PADIC_F64 ? y64[r * m + j] : (double)y32[r * m + j];
                        if (a_type == PADIC_F64)
                            z64[r * m + j] = z;
                        else
                            z32[r * m + j] = (float)z;
                        CHECK(z != z ? y != y : !memcmp(&y, &z, 8));
                        if (size < 1e30) // and D2 (the sum in f64 is itself off by n eps size)
                            CHECK(fabs(y - sum) <=
                                  ((double)((n + 31) / 32) + 6) * eps * size * 1.0001 +
                                      (double)n * ldexp(1, -53) * size + 1e-40);
                    }
                // Any number of workers: the same bits.
                memcpy(z64, y64, sizeof y64);
                memcpy(z32, y32, sizeof y32);
                memset(y64, 7, sizeof y64);
                memset(y32, 7, sizeof y32);
                CHECK_EQ(padic_sparse_product(workers, &desc), PADIC_OK);
                CHECK(a_type == PADIC_F64 ? !memcmp(y64, z64, rows * m * 8)
                                          : !memcmp(y32, z32, rows * m * 4));
                free(a.memory);
            }
    free(dense);
    free(x);
    padic_context_destroy(workers);
    padic_threads_destroy(threads);
}

// A ring's products: modulo p^2 against plain integers, and unit vectors pick the columns.
TEST(ring_products)
{
    static uint64_t digit[700], da[11 * 37], dx[37 * 3];
    padic_threads *threads;
    padic_context *workers = threads_context(&threads, 2);
    for (int c = 0; c < RINGS; c++) {
        padic_num_ring ring;
        padic_num_ring_options options = PADIC_ZERO;
        options.limb32 = rings[c].limb32;
        REQUIRE(!padic_num_ring_init(&ring, rings[c].p, rings[c].precision, &options));
        const uint64_t rows = 11, cols = 37, m = 3, p = ring.p, square = p < 1 << 16 ? p * p : p;
        void *memory[5];
        padic_num_array a = array_new(&ring, PADIC_NUM_RING, rows * cols, &memory[0]);
        padic_num_array x = array_new(&ring, PADIC_NUM_RING, cols * m, &memory[1]);
        padic_num_array y = array_new(&ring, PADIC_NUM_RING, rows * m, &memory[2]);
        padic_num_array one = array_new(&ring, PADIC_NUM_RING, cols, &memory[3]);
        padic_num_array column = array_new(&ring, PADIC_NUM_RING, rows, &memory[4]);
        for (uint64_t i = 0; i < rows * cols; i++) {
            random_digits(&ring, 0, test_random() % 3 ? 0 : 100, digit);
            set_digits(&a, i, digit);
            da[i] = digit[0] + (square > p ? digit[1] * p : 0);
        }
        for (uint64_t i = 0; i < cols * m; i++) {
            random_digits(&ring, 0, 100, digit);
            if (square == p) digit[0] %= 1 << 16; // so that products fit
            set_digits(&x, i, digit);
            dx[i] = digit[0] + (square > p ? digit[1] * p : 0);
        }
        padic_sparse_encode_desc desc = PADIC_ZERO;
        desc.source.numbers = a;
        desc.source.rows = rows;
        desc.source.cols = cols;
        matrix s = matrix_numbers(&a, rows, cols, rows * cols);
        REQUIRE(!sparse_encode(NULL, &s.csr, &desc, NULL));
        padic_sparse_product_desc product = PADIC_ZERO;
        product.a = &s.csr;
        product.x_numbers = x;
        product.y_numbers = y;
        REQUIRE(!padic_sparse_product(workers, &product));
        matrix d =
            matrix_new(PADIC_U64, PADIC_I32, rows * m, ring.precision, rows * m * ring.precision);
        REQUIRE(!sparse_from_num(NULL, &d.csr, &y));
        for (uint64_t r = 0; r < rows; r++)
            for (uint64_t j = 0; j < m; j++) {
                uint64_t sum = 0, low = 0;
                int64_t e;
                for (uint64_t k = 0; k < cols; k++)
                    sum = (sum + da[r * cols + k] * dx[k * m + j]) % square;
                if (!sparse_get(NULL, &d.csr, r * m + j, 0, &e) && e >= 0)
                    low = at(&d.csr.value, (uint64_t)e);
                if (square > p && !sparse_get(NULL, &d.csr, r * m + j, 1, &e) && e >= 0)
                    low += p * at(&d.csr.value, (uint64_t)e);
                CHECK_EQ(low, sum);
            }
        for (uint64_t k = 0; k < cols; k++) {
            memset(digit, 0, sizeof digit);
            for (uint64_t i = 0; i < cols; i++) {
                digit[0] = i == k;
                set_digits(&one, i, digit);
            }
            product.x_numbers = one;
            product.y_numbers = column;
            REQUIRE(!padic_sparse_product(NULL, &product));
            for (uint64_t r = 0; r < rows; r++)
                for (uint32_t w = 0; w < ring.words; w++)
                    CHECK_EQ(get_word(&column, r, w), get_word(&a, r * cols + k, w));
        }
        product.y_numbers.count = 10;
        CHECK_EQ(padic_sparse_product(NULL, &product), PADIC_ERROR_MISMATCH);
        free(s.memory);
        free(d.memory);
        for (int i = 0; i < 5; i++) free(memory[i]);
    }
    padic_context_destroy(workers);
    padic_threads_destroy(threads);
}

// ---- matrices from matrices

TEST(transpose)
{
    static uint64_t dense_words[MOST];
    uint8_t *const dense = (uint8_t *)dense_words;
    for (int type = 0; type < 12; type++)
        for (int turn = 0; turn < 6; turn++) {
            const uint64_t rows = turn == 0 ? 0 : test_random() % 50 + 1,
                           cols = turn == 1 ? 0 : test_random() % 70 + 1;
            const padic_dtype d = all_dtypes[type];
            matrix a = random_matrix(d, rows, cols, 20, dense);
            matrix b = matrix_new(d, PADIC_I32, cols, rows, a.csr.nnz);
            matrix c = matrix_new(d, a.csr.row_ptr.dtype, rows, cols, a.csr.nnz);
            CHECK_EQ(sparse_transpose(NULL, &b.csr, &a.csr), PADIC_OK);
            CHECK(b.csr.rows == cols && b.csr.cols == rows && b.csr.nnz == a.csr.nnz);
            CHECK_EQ(sparse_validate(NULL, &b.csr, PADIC_SPARSE_LEVEL_CANONICAL, NULL), PADIC_OK);
            for (uint64_t r = 0, e = 0; r < rows; r++)
                for (; e < at(&a.csr.row_ptr, r + 1); e++) {
                    int64_t f = -1;
                    CHECK_EQ(sparse_get(NULL, &b.csr, at(&a.csr.col, e), r, &f), PADIC_OK);
                    CHECK(f >= 0 && at(&b.csr.value, (uint64_t)f) == at(&a.csr.value, e));
                }
            CHECK_EQ(sparse_transpose(NULL, &c.csr, &b.csr), PADIC_OK);
            CHECK(same_matrix(&a.csr, &c.csr));
            CHECK_EQ(sparse_transpose(NULL, &a.csr, &a.csr),
                     cols > rows ? PADIC_ERROR_CAPACITY : PADIC_ERROR_OVERLAP);
            free(a.memory);
            free(b.memory);
            free(c.memory);
        }
}

// Digits keep their valuations by row, by column, and in the bytes.
TEST(valuations_stay)
{
    padic_num_ring ring;
    void *memory[2], *block[3];
    REQUIRE(!padic_num_ring_init(&ring, 5, 8, NULL));
    padic_num_array a = array_new(&ring, PADIC_NUM_FLOAT, 10, &memory[0]);
    padic_num_array b = array_new(&ring, PADIC_NUM_FLOAT, 10, &memory[1]);
    for (uint64_t i = 0; i < 10; i++) {
        uint64_t digit[8];
        random_digits(&ring, 1, 50, digit);
        set_digits(&a, i, digit);
        ((int32_t *)a.val.data)[i] = (int32_t)(i * i) - 30;
    }
    padic_sparse_csr m[3];
    for (int k = 0; k < 3; k++) {
        memset(&m[k], 0, sizeof m[k]);
        m[k].rows = k == 1 ? 8 : 10;
        m[k].cols = k == 1 ? 10 : 8;
        m[k].nnz = 80;
        m[k].kind = PADIC_SPARSE_KIND_DIGITS;
        m[k].val_of = k == 1 ? PADIC_SPARSE_VAL_COL : PADIC_SPARSE_VAL_ROW;
        m[k].p = 5;
        m[k].precision = 8;
        m[k].value.dtype = PADIC_U8;
        block[k] = malloc((size_t)padic_sparse_place_size_bound(&m[k]));
        REQUIRE(!padic_sparse_place(&m[k], block[k], padic_sparse_place_size_bound(&m[k])));
    }
    CHECK_EQ(sparse_from_num(NULL, &m[0], &a), PADIC_OK);
    CHECK_EQ(sparse_transpose(NULL, &m[1], &m[0]), PADIC_OK);
    CHECK_EQ(m[1].val_of, PADIC_SPARSE_VAL_COL);
    CHECK_EQ(sparse_validate(NULL, &m[1], PADIC_SPARSE_LEVEL_CANONICAL, NULL), PADIC_OK);
    CHECK_EQ(sparse_to_num(NULL, &b, &m[1]), PADIC_ERROR_MISMATCH);
    uint8_t bytes[2000];
    size_t size;
    CHECK_EQ(sparse_write(NULL, &m[1], bytes, sizeof bytes, &size), PADIC_OK);
    memset(block[1], 0, 100);
    CHECK_EQ(sparse_read(NULL, &m[1], bytes, size), PADIC_OK);
    CHECK_EQ(sparse_transpose(NULL, &m[2], &m[1]), PADIC_OK);
    CHECK(same_matrix(&m[0], &m[2]));
    CHECK_EQ(sparse_to_num(NULL, &b, &m[2]), PADIC_OK);
    CHECK(!memcmp(a.unit.data, b.unit.data, 10 * ring.unit_size) &&
          !memcmp(a.val.data, b.val.data, 40));
    ((int32_t *)m[2].val.data)[3] = -1 - (1 << 29);
    uint64_t bad;
    CHECK_EQ(sparse_validate(NULL, &m[2], PADIC_SPARSE_LEVEL_CANONICAL, &bad), PADIC_ERROR_CORRUPT);
    CHECK_EQ(bad, 3);
    ((int32_t *)m[2].val.data)[3] = 1 << 29;
    CHECK_EQ(sparse_validate(NULL, &m[2], PADIC_SPARSE_LEVEL_CANONICAL, &bad), PADIC_OK);
    ((int32_t *)m[2].val.data)[3]++;
    CHECK_EQ(sparse_validate(NULL, &m[2], PADIC_SPARSE_LEVEL_CANONICAL, &bad), PADIC_ERROR_CORRUPT);
    for (int k = 0; k < 3; k++) free(block[k]);
    free(memory[0]);
    free(memory[1]);
}

// Entry e if it is a NaN, else what no NaN is.
static uint64_t any_nan(const padic_sparse_csr *a, uint64_t e)
{
    const uint32_t size = padic_dtype_size(a->value.dtype);
    const double x = real_of(a->value.dtype, (const char *)a->value.data + e * size);
    return x != x ? at(&a->value, e) : 0;
}

TEST(add_and_scale)
{
    static uint64_t da_words[900], db_words[900];
    uint8_t *const da = (uint8_t *)da_words, *const db = (uint8_t *)db_words;
    for (int type = 0; type < 12; type++)
        for (int turn = 0; turn < (test_tiny ? 6 : 12); turn++) {
            const padic_dtype d = all_dtypes[type];
            const uint32_t size = padic_dtype_size(d);
            const uint64_t rows = test_random() % 30, cols = test_random() % 30;
            matrix a = random_matrix(d, rows, cols, 30, da),
                   b = random_matrix(d, rows, cols, 30, db);
            const int64_t whole[2] = {turn == 0 ? -1 : (int64_t)(test_random() % 9) - 4,
                                      turn == 0 ? 1 : (int64_t)(test_random() % 9) - 4};
            const double real[2] = {turn == 0 ? -1.0 : 0.3 * (double)whole[0],
                                    turn == 0 ? 1.0 : 1.7 * (double)whole[1]};
            const void *alpha = is_float(d) ? (const void *)&real[0] : &whole[0];
            const void *beta = is_float(d) ? (const void *)&real[1] : &whole[1];
            const int only = turn % 3 == 2; // scale
            int fits = 1;
            if (turn == 0) memcpy(db, da, sizeof da_words); // a - a, with -1 and 1
            matrix sum = matrix_new(d, PADIC_I32, rows, cols, rows * cols);
            const padic_result result =
                only ? sparse_scale(NULL, &sum.csr, &a.csr, turn == 5 ? NULL : alpha)
                     : sparse_add(NULL, &sum.csr, &a.csr, turn == 0 ? &a.csr : &b.csr,
                                        turn == 3 ? NULL : alpha, turn == 3 ? NULL : beta);
            uint64_t e = 0;
            for (uint64_t i = 0; i < rows * cols; i++) {
                const uint8_t *x = da + i * size, *y = db + i * size;
                const int has_x = kept(d, x, PADIC_SPARSE_MODE_NONZERO, 0, 0);
                const int has_y = !only && kept(d, y, PADIC_SPARSE_MODE_NONZERO, 0, 0);
                const int plain = turn == 3 || turn == 5;
                uint64_t z = 0;
                int there;
                if (is_float(d)) {
                    const double f = plain ? 1 : real[0], g = plain ? 1 : real[1];
                    volatile double s64 = 0, t64;
                    volatile float s32 = 0, t32;
                    if (has_x) s64 = f * real_of(d, x), s32 = (float)f * (float)real_of(d, x);
                    if (has_y) {
                        t64 = g * real_of(d, y);
                        t32 = (float)g * (float)real_of(d, y);
                        s64 = has_x ? s64 + t64 : t64;
                        s32 = has_x ? s32 + t32 : t32;
                    }
                    const double s = d == PADIC_F64 ? s64 : (double)s32;
                    there = s != 0;
                    if (size == 2 && there) { // the nearest of the type: try all of its magnitudes
                        double best = INFINITY;
                        const uint64_t inf = d == PADIC_F16 ? 0x7c00 : 0x7f80;
                        for (uint64_t k = 0; k < inf && s == s && !isinf(s); k++) {
                            uint8_t w[2];
                            word_to(w, 2, k);
                            const double away = fabs(real_of(d, w) - fabs(s));
                            if (away < best || (away == best && k % 2 == 0)) best = away, z = k;
                        }
                        const double edge = d == PADIC_F16 ? 65520 : ldexp(511, 119);
                        if (s != s || fabs(s) >= edge) z = inf;
                        there = z != 0;
                        if (signbit(s)) z |= 0x8000;
                        if (s != s) z = any_nan(&sum.csr, e);
                    } else if (d == PADIC_F64) {
                        const double w = s;
                        memcpy(&z, &w, 8);
                        if (s != s) z = any_nan(&sum.csr, e);
                    } else {
                        const float w = (float)s;
                        uint32_t bits;
                        memcpy(&bits, &w, 4);
                        z = bits;
                        if (s != s) z = any_nan(&sum.csr, e);
                    }
                } else {
                    big w = {{0}};
                    const int64_t f = plain ? 1 : whole[0], g = plain ? 1 : whole[1];
                    big_add_product(&w, d, x, PADIC_I64, &f);
                    if (!only) big_add_product(&w, d, y, PADIC_I64, &g);
                    there = big_get(&w, is_signed(d), &z);
                    if (there && is_signed(d) && size < 8)
                        there = z + ((uint64_t)1 << (8 * size - 1)) < (uint64_t)1 << (8 * size);
                    if (there && !is_signed(d) && size < 8) there = z < (uint64_t)1 << (8 * size);
                    fits &= there;
                    if (size < 8) z &= ((uint64_t)1 << (8 * size)) - 1;
                    there = there && z;
                }
                if (!there) continue;
                CHECK(e < sum.csr.nnz && at(&sum.csr.col, e) == i % cols &&
                      at(&sum.csr.value, e) == z);
                CHECK(e >= at(&sum.csr.row_ptr, i / cols) &&
                      e < at(&sum.csr.row_ptr, i / cols + 1));
                e++;
            }
            CHECK_EQ(result, fits ? PADIC_OK : PADIC_ERROR_DOMAIN);
            CHECK_EQ(e, sum.csr.nnz);
            CHECK_EQ(sparse_validate(NULL, &sum.csr, PADIC_SPARSE_LEVEL_CANONICAL, NULL), PADIC_OK);
            if (only) { // in place is the same
                const padic_result again =
                    sparse_scale(NULL, &a.csr, &a.csr, turn == 5 ? NULL : alpha);
                CHECK_EQ(again, result);
                CHECK(a.csr.nnz == e && !memcmp(a.csr.value.data, sum.csr.value.data, e * size));
                const int64_t none = 0;
                const double nothing = 0;
                padic_result cleared = sparse_scale(
                    NULL, &b.csr, &b.csr, is_float(d) ? (const void *)&nothing : &none);
                CHECK_EQ(cleared, PADIC_OK);
                if (!is_float(d)) CHECK_EQ(b.csr.nnz, 0);
            } else if (sum.csr.nnz) {
                matrix small = matrix_new(d, PADIC_I32, rows, cols, e - 1);
                CHECK_EQ(sparse_add(NULL, &small.csr, &a.csr, turn == 0 ? &a.csr : &b.csr,
                                          turn == 3 ? NULL : alpha, turn == 3 ? NULL : beta),
                         PADIC_ERROR_CAPACITY);
                CHECK_EQ(small.csr.nnz, e);
                free(small.memory);
            }
            free(a.memory);
            free(b.memory);
            free(sum.memory);
        }
}

// Numbers: modulo P, zero divisors vanish.
TEST(add_numbers)
{
    for (int c = 0; c < 9; c++) { // up to W128
        padic_num_ring ring;
        void *memory[3];
        REQUIRE(!padic_num_ring_init(&ring, rings[c].p, rings[c].precision, NULL));
        padic_num_array a = array_new(&ring, PADIC_NUM_RING, 12, &memory[0]);
        padic_num_array b = array_new(&ring, PADIC_NUM_RING, 12, &memory[1]);
        padic_num_array back = array_new(&ring, PADIC_NUM_RING, 12, &memory[2]);
        uint64_t x[12][64 * 2] = {{0}}, y[12][64 * 2] = {{0}};
        for (uint64_t i = 0; i < 12; i++) {
            random_digits(&ring, 0, i % 4 ? 100 : 0, x[i]);
            random_digits(&ring, 0, i % 3 ? 100 : 0, y[i]);
            set_digits(&a, i, x[i]);
            set_digits(&b, i, y[i]);
        }
        matrix ma = matrix_numbers(&a, 3, 4, 12), mb = matrix_numbers(&a, 3, 4, 12),
               sum = matrix_numbers(&a, 3, 4, 12);
        padic_sparse_encode_desc desc = PADIC_ZERO;
        desc.source.rows = 3;
        desc.source.cols = 4;
        desc.source.numbers = a;
        REQUIRE(!sparse_encode(NULL, &ma.csr, &desc, NULL));
        desc.source.numbers = b;
        REQUIRE(!sparse_encode(NULL, &mb.csr, &desc, NULL));
        CHECK_EQ(sparse_add(NULL, &sum.csr, &ma.csr, &mb.csr, NULL, NULL), PADIC_OK);
        REQUIRE(!sparse_decode(NULL, NULL, &back, &sum.csr));
        for (uint64_t i = 0; i < 12; i++) { // digit by digit with carries
            uint64_t carry = 0, s[64 * 2];
            for (uint32_t k = 0; k < ring.precision; k++) {
                const uint64_t t = x[i][k] + y[i][k] + carry;
                s[k] = t % ring.p;
                carry = t / ring.p;
            }
            set_digits(&a, i, s);
            for (uint32_t w = 0; w < ring.words; w++)
                CHECK_EQ(get_word(&a, i, w), get_word(&back, i, w));
        }
        // (P - 1) A + A = 0, and p^(N-1) kills what p divides.
        padic_num_value minus = {0, 0, {0, 0}};
        uint64_t top[64 * 2];
        for (uint32_t k = 0; k < ring.precision; k++) top[k] = ring.p - 1;
        set_digits(&a, 0, top);
        minus.u[0] = get_word(&a, 0, 0);
        if (ring.words == 2) minus.u[1] = get_word(&a, 0, 1);
        CHECK_EQ(sparse_add(NULL, &sum.csr, &mb.csr, &mb.csr, &minus, NULL), PADIC_OK);
        CHECK_EQ(sum.csr.nnz, 0);
        memset(top, 0, sizeof top);
        top[ring.precision - 1] = 1;
        set_digits(&a, 0, top);
        minus.u[0] = get_word(&a, 0, 0);
        if (ring.words == 2) minus.u[1] = get_word(&a, 0, 1);
        CHECK_EQ(sparse_scale(NULL, &sum.csr, &mb.csr, &minus), PADIC_OK);
        uint64_t units = 0;
        for (uint64_t i = 0; i < 12; i++) units += y[i][0] != 0;
        CHECK_EQ(sum.csr.nnz, units);
        minus.u[0] = minus.u[1] = UINT64_MAX;
        CHECK_EQ(sparse_scale(NULL, &sum.csr, &mb.csr, &minus), PADIC_ERROR_ARGUMENT);
        free(ma.memory);
        free(mb.memory);
        free(sum.memory);
        for (int i = 0; i < 3; i++) free(memory[i]);
    }
}

TEST(batch)
{
    static uint64_t dense_words[MOST];
    uint8_t *const dense = (uint8_t *)dense_words;
    for (int turn = 0; turn < 8; turn++) {
        const padic_dtype d = all_dtypes[test_random() % 12];
        const uint64_t count = (uint64_t)turn, rows = test_random() % 9,
                       cols = test_random() % 20 + 1;
        const uint32_t size = padic_dtype_size(d);
        uint64_t nnz = 0;
        for (uint64_t i = 0; i < count * rows * cols; i++) {
            random_element(d, dense + i * size, 30);
            nnz += (uint64_t)kept(d, dense + i * size, PADIC_SPARSE_MODE_NONZERO, 0, 0);
        }
        padic_sparse_encode_desc desc = PADIC_ZERO, one = PADIC_ZERO;
        padic_sparse_encode_report report, each;
        padic_sparse_csr out[8];
        desc.source.dense = padic_tensor_3d(d, dense, count, rows, cols);
        for (uint64_t lack = 0; lack <= (nnz > 0); lack++) {
            matrix m = matrix_new(d, PADIC_I32, count * (rows + 1), cols, nnz - lack);
            memset(out, 0, sizeof out);
            out[0] = m.csr;
            CHECK_EQ(sparse_encode_batch(NULL, out, count, &desc, &report),
                     lack ? PADIC_ERROR_CAPACITY : PADIC_OK);
            CHECK_EQ(report.nnz, nnz);
            for (uint64_t b = 0; b < count && !lack; b++) {
                matrix single = matrix_new(d, PADIC_I32, rows, cols, rows * cols);
                one.source.dense = padic_tensor_2d(d, dense + b * rows * cols * size, rows, cols);
                CHECK_EQ(sparse_encode(NULL, &single.csr, &one, &each), PADIC_OK);
                CHECK(same_matrix(&single.csr, &out[b]));
                free(single.memory);
            }
            free(m.memory);
        }
    }
    // and of numbers, long ones too
    for (int c = 0; c < RINGS; c += 3) {
        padic_num_ring ring;
        padic_num_ring_options options = PADIC_ZERO;
        void *memory[2];
        static uint64_t digit[700];
        padic_sparse_csr out[3];
        padic_sparse_encode_desc desc = PADIC_ZERO;
        options.limb32 = rings[c].limb32;
        REQUIRE(!padic_num_ring_init(&ring, rings[c].p, rings[c].precision, &options));
        padic_num_array a = array_new(&ring, PADIC_NUM_FLOAT, 3 * 20, &memory[0]);
        padic_num_array b = array_new(&ring, PADIC_NUM_FLOAT, 20, &memory[1]);
        for (uint64_t i = 0; i < 60; i++) {
            random_digits(&ring, 1, 100, digit);
            set_digits(&a, i, digit);
            ((int32_t *)a.val.data)[i] = (int32_t)i;
        }
        desc.source.numbers = a;
        desc.source.rows = 4;
        desc.source.cols = 5;
        matrix m = matrix_numbers(&a, 15, 5, 60);
        memset(out, 0, sizeof out);
        out[0] = m.csr;
        CHECK_EQ(sparse_encode_batch(NULL, out, 3, &desc, NULL), PADIC_OK);
        for (uint64_t k = 0; k < 3; k++) {
            REQUIRE(!sparse_decode(NULL, NULL, &b, &out[k]));
            for (uint64_t i = 0; i < 20; i++)
                CHECK(get_word(&b, i, 0) == get_word(&a, 20 * k + i, 0) &&
                      ((int32_t *)b.val.data)[i] == (int32_t)(20 * k + i));
        }
        free(m.memory);
        free(memory[0]);
        free(memory[1]);
    }
}

// ---- validity

TEST(validate)
{
    int32_t row_ptr[5] = {0, 2, 2, 5, 6}, col[6] = {1, 4, 0, 2, 3, 4};
    float value[6] = {1, 2, 3, 4, 5, 6}, x[5] = {1, 1, 1, 1, 1}, y[4];
    padic_sparse_csr m = PADIC_ZERO;
    uint64_t bad;
    m.rows = 4;
    m.cols = 5;
    m.nnz = 6;
    m.row_ptr = padic_tensor_1d(PADIC_I32, row_ptr, 5);
    m.col = padic_tensor_1d(PADIC_I32, col, 6);
    m.value = padic_tensor_1d(PADIC_F32, value, 6);
#define GIVES(code, row) \
    do { \
        padic_sparse_csr copy = m; \
        padic_sparse_product_desc product = PADIC_ZERO; \
        product.a = &copy; \
        product.x = padic_tensor_1d(PADIC_F32, x, 5); \
        product.y = padic_tensor_1d(PADIC_F32, y, 4); \
        bad = 99; \
        CHECK_EQ(sparse_validate(NULL, &copy, PADIC_SPARSE_LEVEL_CANONICAL, &bad), code); \
        if ((code) != PADIC_OK) CHECK_EQ(bad, row); \
        CHECK_EQ(copy.trusted, (code) ? PADIC_SPARSE_LEVEL_UNKNOWN \
                                      : PADIC_SPARSE_LEVEL_CANONICAL); \
        copy.trusted = PADIC_SPARSE_LEVEL_UNKNOWN; \
        if ((code) != PADIC_ERROR_CORRUPT || row < 8) \
            CHECK_EQ(padic_sparse_product(NULL, &product), code); \
    } while (0)
    GIVES(PADIC_OK, 0);
    row_ptr[0] = 1;
    GIVES(PADIC_ERROR_CORRUPT, 0);
    row_ptr[0] = -1;
    GIVES(PADIC_ERROR_CORRUPT, 0);
    row_ptr[0] = 0;
    row_ptr[2] = 1;
    GIVES(PADIC_ERROR_CORRUPT, 1);
    row_ptr[2] = 2;
    row_ptr[3] = 7;
    GIVES(PADIC_ERROR_CORRUPT, 2);
    row_ptr[3] = 5;
    row_ptr[4] = 5;
    GIVES(PADIC_ERROR_CORRUPT, 4);
    row_ptr[4] = INT32_MIN;
    GIVES(PADIC_ERROR_CORRUPT, 3);
    row_ptr[4] = 6;
    col[5] = 5;
    GIVES(PADIC_ERROR_CORRUPT, 3);
    col[5] = -1;
    GIVES(PADIC_ERROR_CORRUPT, 3);
    col[5] = 4;
    col[3] = 0;
    GIVES(PADIC_ERROR_CORRUPT, 2);
    col[3] = 4;
    GIVES(PADIC_ERROR_CORRUPT, 2);
    col[3] = 2;
    m.nnz = 7;
    GIVES(PADIC_ERROR_CAPACITY, 4);
    m.nnz = 6;
    m.rows = 5;
    GIVES(PADIC_ERROR_CAPACITY, 5);
    m.rows = 4;
    m.rows = (uint64_t)1 << 48;
    GIVES(PADIC_ERROR_LIMIT, m.rows);
    m.rows = 4;
    m.cols = (uint64_t)1 << 31;
    GIVES(PADIC_ERROR_LIMIT, 4);
    m.cols = 5;
    m.nnz = UINT64_MAX;
    GIVES(PADIC_ERROR_LIMIT, 4);
    m.nnz = 6;
    m.rows = UINT64_MAX;
    GIVES(PADIC_ERROR_LIMIT, m.rows);
    m.rows = 4;
    m.col.dtype = PADIC_I64;
    GIVES(PADIC_ERROR_DTYPE, 4);
    m.col.dtype = PADIC_I32;
    m.value.dtype = PADIC_C64;
    GIVES(PADIC_ERROR_DTYPE, 4);
    m.value.dtype = PADIC_F32;
    m.kind = (padic_sparse_kind)9;
    GIVES(PADIC_ERROR_ARGUMENT, 4);
    m.kind = PADIC_SPARSE_KIND_PLAIN;
    m.words = 2;
    GIVES(PADIC_ERROR_ARGUMENT, 4);
    m.words = 0;
    m.val_of = PADIC_SPARSE_VAL_ROW;
    GIVES(PADIC_ERROR_ARGUMENT, 4);
    m.val_of = PADIC_SPARSE_VAL_NONE;
    m.col.data = NULL;
    GIVES(PADIC_ERROR_ARGUMENT, 4);
    m.col.data = col;
    // A stored zero is structure enough, but not canonical; -0 is one, but in BITS.
    value[2] = 0;
    CHECK_EQ(sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_CANONICAL, &bad), PADIC_ERROR_CORRUPT);
    CHECK_EQ(bad, 2);
    CHECK_EQ(sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_STRUCTURE, &bad), PADIC_OK);
    value[2] = -0.0f;
    CHECK_EQ(sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_CANONICAL, &bad), PADIC_ERROR_CORRUPT);
    m.mode = PADIC_SPARSE_MODE_BITS;
    CHECK_EQ(sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_CANONICAL, &bad), PADIC_OK);
    CHECK_EQ(sparse_validate(NULL, &m, (padic_sparse_level)3, &bad), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_validate(NULL, NULL, PADIC_SPARSE_LEVEL_STRUCTURE, &bad), PADIC_ERROR_ARGUMENT);
}

// What is sound but not canonical: one row with one entry, of digits and of numbers.
TEST(not_canonical)
{
    enum { D, W, L }; // digits of Z/5^3, a number of one word, one of Q_5 with 100 digits
    const int32_t most = PADIC_NUM_MAX_VALUATION, most16 = PADIC_NUM_MAX_VALUATION16;
    const uint64_t base = UINT64_C(476837158203125); // 5^21, of a limb
    const padic_sparse_val none = PADIC_SPARSE_VAL_NONE, row = PADIC_SPARSE_VAL_ROW,
                           column = PADIC_SPARSE_VAL_COL, entry = PADIC_SPARSE_VAL_ENTRY;
    const struct {
        int kind;
        padic_sparse_val val_of;
        int narrow; // valuations of 16 bits
        uint64_t u[2];
        int32_t v;
        uint32_t precision; // 0: the right one
        int good;
    } list[] = {
        {D, none, 0, {4, 0}, 0, 0, 1},
        {D, none, 0, {5, 0}, 0, 0, 0},
        {D, none, 0, {0, 0}, 0, 0, 0},
        {D, none, 0, {4, 0}, 0, 2, 0},
        {D, none, 0, {4, 0}, 0, 1, 1}, // one column for each number
        {D, row, 0, {4, 0}, most, 0, 1},
        {D, row, 0, {4, 0}, most + 1, 0, 0},
        {D, row, 0, {4, 0}, -most - 1, 0, 0},
        {D, row, 0, {4, 0}, PADIC_NUM_NAN, 0, 1},
        {D, row, 0, {4, 0}, 0, 1, 0},
        {D, row, 1, {4, 0}, -most16, 0, 1},
        {D, row, 1, {4, 0}, -most16 - 1, 0, 0},
        {D, column, 0, {4, 0}, -most, 1, 1},
        {D, column, 0, {4, 0}, most + 1, 1, 0},
        {D, column, 0, {4, 0}, 0, 3, 0},
        {W, none, 0, {124, 0}, 0, 0, 1},
        {W, none, 0, {125, 0}, 0, 0, 0},
        {W, none, 0, {0, 0}, 0, 0, 0},
        {W, entry, 0, {124, 0}, -most, 0, 1},
        {W, entry, 0, {125, 0}, 0, 0, 0},
        {W, entry, 0, {120, 0}, 0, 0, 0}, // no unit
        {W, entry, 0, {124, 0}, most + 1, 0, 0},
        {W, entry, 0, {0, 0}, PADIC_NUM_ZERO, 0, 0},
        {W, entry, 0, {124, 0}, PADIC_NUM_ZERO, 0, 0},
        {W, entry, 0, {PADIC_NUM_DIV0, 0}, PADIC_NUM_NAN, 0, 1},
        {W, entry, 0, {PADIC_NUM_INEXACT, 0}, PADIC_NUM_NAN, 0, 0}, // that is no NaN
        {L, none, 0, {5, 0}, 0, 0, 1},
        {L, none, 0, {0, base - 1}, 0, 0, 1},
        {L, none, 0, {5, base}, 0, 0, 0},
        {L, none, 0, {0, 0}, 0, 0, 0},
        {L, entry, 0, {1, base - 1}, most, 0, 1},
        {L, entry, 0, {5, base - 1}, most, 0, 0},
        {L, entry, 0, {1, 0}, most + 1, 0, 0},
        {L, entry, 0, {1, 0}, -most - 1, 0, 0},
        {L, entry, 0, {1, 0}, PADIC_NUM_ZERO, 0, 0},
        {L, entry, 0, {PADIC_NUM_DIV0, 0}, PADIC_NUM_NAN, 0, 1},
        {L, entry, 0, {PADIC_NUM_DIV0, 1}, PADIC_NUM_NAN, 0, 0},
        {L, entry, 0, {256 | PADIC_NUM_DIV0, 0}, PADIC_NUM_NAN, 0, 0},
        {L, entry, 0, {PADIC_NUM_INEXACT, 0}, PADIC_NUM_NAN, 0, 0},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        int32_t row_ptr[2] = {0, 1}, col[1] = {0}, val[3] = {0, 0, 0};
        int16_t val16[3] = {0, 0, 0};
        uint64_t units[16] = {0};
        padic_num_ring ring;
        padic_sparse_csr m = PADIC_ZERO;
        CHECK_EQ(padic_num_ring_init(&ring, 5, list[i].kind == L ? 100 : 3, NULL), PADIC_OK);
        REQUIRE(ring.words <= 16 && (list[i].kind != L || ring.form == PADIC_NUM_RX));
        m.rows = 1;
        m.cols = 3;
        m.nnz = 1;
        m.row_ptr = padic_tensor_1d(PADIC_I32, row_ptr, 2);
        m.col = padic_tensor_1d(PADIC_I32, col, 1);
        m.kind = list[i].kind == D ? PADIC_SPARSE_KIND_DIGITS : PADIC_SPARSE_KIND_NUMBERS;
        m.val_of = list[i].val_of;
        m.p = 5;
        m.precision = list[i].precision ? list[i].precision : ring.precision;
        m.words = m.kind == PADIC_SPARSE_KIND_DIGITS ? 1 : ring.words;
        m.form = m.kind == PADIC_SPARSE_KIND_DIGITS ? (padic_num_form)0 : ring.form;
        m.value = padic_tensor_1d(ring.unit_size == 4 ? PADIC_U32 : PADIC_U64, units, m.words);
        word_to(units, ring.unit_size, list[i].u[0]);
        if (m.words > 1) units[1] = list[i].u[1];
        val[0] = list[i].v;
        val16[0] = (int16_t)list[i].v;
        if (m.val_of != none && list[i].narrow) m.val = padic_tensor_1d(PADIC_I16, val16, 3);
        else if (m.val_of != none) m.val = padic_tensor_1d(PADIC_I32, val, 3);
        const padic_result r = sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_CANONICAL, NULL);
        if (r != (list[i].good ? PADIC_OK : PADIC_ERROR_CORRUPT)) printf("\n  entry %d", (int)i);
        CHECK_EQ(r, list[i].good ? PADIC_OK : PADIC_ERROR_CORRUPT);
        CHECK_EQ(sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_STRUCTURE, NULL), PADIC_OK);
    }
}

// ---- bytes

// The second reader: from the comment in the header alone.
static uint64_t le(const uint8_t *p, int n)
{
    uint64_t x = 0;
    while (n-- > 0) x = x << 8 | p[n];
    return x;
}

static void le_set(uint8_t *p, uint64_t x)
{
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(x >> (8 * i));
}

static uint64_t mixed(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

static uint64_t sum_of(const uint8_t *p, uint64_t size, uint64_t seed)
{
    uint64_t sum = mixed(size ^ ~seed), key = (seed + 1) * UINT64_C(0xd1342543de82ef95);
    for (uint64_t i = 0; i < size / 8; i++, key += UINT64_C(0x9e3779b97f4a7c15))
        sum += mixed(le(p + 8 * i, 8) ^ key);
    return sum; // sizes are multiples of 8
}

static int read_apart(const uint8_t *p, size_t size, const padic_sparse_csr *m)
{
    const uint64_t rows = le(p + 16, 8), nnz = le(p + 32, 8), index = p[8];
    const uint32_t value = padic_dtype_size((padic_dtype)p[7]);
    const uint8_t *q = p + 80;
    if (memcmp(p, "PDS\1", 4) || le(p + 64, 8) != size || le(p + 72, 8) != sum_of(p, 72, 0))
        return 0;
    if (p[4] != m->kind || p[5] != m->val_of || p[6] != m->mode || rows != m->rows ||
        le(p + 24, 8) != m->cols || nnz != m->nnz || p[7] != m->value.dtype || le(p + 12, 4) != 1)
        return 0;
    const uint64_t n[3] = {rows + 1, nnz, nnz}, each[3] = {index, index, value};
    const padic_tensor *planes[3] = {&m->row_ptr, &m->col, &m->value};
    for (int s = 0; s < 3; s++) {
        const uint64_t padded = (n[s] * each[s] + 7) / 8 * 8;
        for (uint64_t i = 0; i < n[s]; i++)
            if (le(q + i * each[s], (int)each[s]) != at(planes[s], i)) return 0;
        if (le(q + padded, 8) != sum_of(q, padded, (uint64_t)s + 1)) return 0;
        q += padded + 8;
    }
    return q + 8 == p + size; // the checksum of no valuations
}

TEST(bytes)
{
    static uint64_t dense_words[300];
    uint8_t *const dense = (uint8_t *)dense_words;
    for (int turn = 0; turn < 24; turn++) {
        const padic_dtype d = all_dtypes[turn % 12];
        const uint64_t rows = turn < 12 ? 20 : (uint64_t)turn - 12, cols = turn < 12 ? 15 : 1;
        matrix a = random_matrix(d, rows, cols, 20, dense);
        const size_t room = (size_t)padic_sparse_write_size_bound(&a.csr);
        uint8_t *p = (uint8_t *)malloc(room);
        size_t size = 1;
        size = 0; // no memory: a question
        CHECK_EQ(sparse_write(NULL, &a.csr, NULL, 0, &size), PADIC_ERROR_CAPACITY);
        CHECK_EQ(size, room);
        CHECK_EQ(sparse_write(NULL, &a.csr, NULL, room, &size), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(sparse_write(NULL, &a.csr, p, room - 1, &size), PADIC_ERROR_CAPACITY);
        CHECK_EQ(size, room);
        CHECK_EQ(sparse_write(NULL, &a.csr, p, room, &size), PADIC_OK);
        CHECK(read_apart(p, size, &a.csr));
        CHECK(size >= padic_sparse_size(&a.csr) && size <= padic_sparse_size(&a.csr) + 24);
        padic_sparse_csr info;
        CHECK_EQ(sparse_info(p, size, &info), PADIC_OK);
        CHECK(info.rows == rows && info.cols == cols && info.nnz == a.csr.nnz &&
              info.value.dtype == d);
        matrix b;
        b.csr = info;
        const size_t need = (size_t)padic_sparse_place_size_bound(&b.csr);
        b.memory = malloc(need);
        CHECK_EQ(padic_sparse_place(&b.csr, b.memory, need), PADIC_OK);
        CHECK_EQ(sparse_read(NULL, &b.csr, p, size), PADIC_OK);
        CHECK(same_matrix(&a.csr, &b.csr) && b.csr.trusted == PADIC_SPARSE_LEVEL_CANONICAL);
        // Any cut, any bit, too little room: an error.
        for (size_t cut = 0; cut < size; cut++) {
            uint8_t *exact = (uint8_t *)malloc(cut ? cut : 1);
            memcpy(exact, p, cut);
            CHECK(sparse_read(NULL, &b.csr, exact, cut) != PADIC_OK);
            free(exact);
        }
        for (size_t i = 0; i < size; i++) {
            p[i] ^= (uint8_t)(1 << i % 8);
            const padic_result result = sparse_read(NULL, &b.csr, p, size);
            CHECK(result == PADIC_ERROR_CHECKSUM || (i < 3 && result == PADIC_ERROR_CORRUPT) ||
                  (i == 3 && (result == PADIC_ERROR_VERSION || result == PADIC_ERROR_CORRUPT)));
            p[i] ^= (uint8_t)(1 << i % 8);
        }
        CHECK_EQ(sparse_read(NULL, &b.csr, p, size), PADIC_OK);
        if (a.csr.nnz) {
            b.csr.col.shape[0]--;
            CHECK_EQ(sparse_read(NULL, &b.csr, p, size), PADIC_ERROR_CAPACITY);
            CHECK_EQ(b.csr.nnz, a.csr.nnz);
            b.csr.col.shape[0]++;
        }
        b.csr.value.dtype = d == PADIC_U8 ? PADIC_I8 : PADIC_U8;
        CHECK_EQ(sparse_read(NULL, &b.csr, p, size), PADIC_ERROR_DTYPE);
        // What no encoder wrote, with right checksums: padding that is not 0, rows out of order.
        b.csr.value.dtype = d;
        const uint64_t index = p[8], used = a.csr.nnz * padic_dtype_size(d);
        const uint64_t first = ((rows + 1) * index + 7) / 8 * 8, third = (used + 7) / 8 * 8;
        uint8_t *values = p + 80 + first + 8 + (a.csr.nnz * index + 7) / 8 * 8 + 8;
        if (used % 8) {
            values[third - 1] = 1;
            le_set(values + third, sum_of(values, third, 3));
            CHECK_EQ(sparse_read(NULL, &b.csr, p, size), PADIC_ERROR_CORRUPT);
            values[third - 1] = 0;
            le_set(values + third, sum_of(values, third, 3));
            CHECK_EQ(sparse_read(NULL, &b.csr, p, size), PADIC_OK);
        }
        p[80] = 1;
        le_set(p + 80 + first, sum_of(p + 80, first, 1));
        CHECK_EQ(sparse_read(NULL, &b.csr, p, size), PADIC_ERROR_CORRUPT);
        free(p);
        free(a.memory);
        free(b.memory);
    }
    CHECK_EQ(padic_sparse_write_size_bound(NULL), 0);
    CHECK_EQ(sparse_read(NULL, NULL, "PDS", 3), PADIC_ERROR_ARGUMENT);
}

// A header that says what no encoder does, under a right checksum.
TEST(header_fields)
{
    static const struct {
        uint32_t at, size;
        uint64_t value;
    } list[] = {
        {4, 1, 3}, {5, 1, 1}, {5, 1, 4}, {6, 1, 4}, {7, 1, 0}, {7, 1, 13}, {7, 1, 15}, {8, 1, 0},
        {8, 1, 5}, {8, 1, 8}, {9, 1, 6}, {9, 1, 7}, {9, 1, 15}, {10, 1, 1}, {10, 1, 200},
        {11, 1, 1}, {12, 4, 0}, {12, 4, 2}, {16, 8, 4}, {16, 8, UINT64_MAX},
        {32, 8, 1}, {32, 8, 100}, {32, 8, UINT64_MAX}, {40, 8, 5}, {48, 4, 3}, {52, 4, 1},
        {52, 4, 1u << 31}, {56, 8, UINT64_C(0x7ff0000000000000)},
        {56, 8, UINT64_C(0xfff8000000000000)}, {64, 8, 0}, {64, 8, UINT64_MAX},
    };
    int16_t dense[9] = {0, 7, 0, -1, 5, 0, 0, 0, 300};
    padic_sparse_encode_desc desc = PADIC_ZERO;
    uint64_t room[64];
    uint8_t *const p = (uint8_t *)room, *const q = p + 256; // one as it was, one that is damaged
    padic_sparse_csr info;
    size_t size;
    matrix m = matrix_new(PADIC_I16, PADIC_I32, 3, 3, 4);
    desc.source.dense = padic_tensor_2d(PADIC_I16, dense, 3, 3);
    CHECK_EQ(sparse_encode(NULL, &m.csr, &desc, NULL), PADIC_OK);
    REQUIRE(sparse_write(NULL, &m.csr, p, 256, &size) == PADIC_OK);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        memcpy(q, p, size);
        for (uint32_t k = 0; k < list[i].size; k++)
            q[list[i].at + k] = (uint8_t)(list[i].value >> 8 * k);
        le_set(q + 72, sum_of(q, 72, 0));
        memset(&info, 0xa6, sizeof info);
        const padic_result r = sparse_info(q, size, &info);
        if (r != PADIC_ERROR_CORRUPT) printf("\n  byte %d", (int)list[i].at);
        CHECK_EQ(r, PADIC_ERROR_CORRUPT);
        CHECK(!info.rows && !info.row_ptr.dtype);
        CHECK_EQ(sparse_read(NULL, &m.csr, q, size), PADIC_ERROR_CORRUPT);
    }
    memcpy(q, p, size);
    q[3] = 0;
    CHECK_EQ(sparse_info(q, size, &info), PADIC_ERROR_CORRUPT);
    CHECK_EQ(sparse_info(NULL, 0, &info), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_info(p, size, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_read(NULL, &m.csr, NULL, 0), PADIC_ERROR_ARGUMENT);
    padic_sparse_csr other = m.csr;
    other.row_ptr.dtype = other.col.dtype = PADIC_I64;
    CHECK_EQ(sparse_read(NULL, &other, p, size), PADIC_ERROR_DTYPE);
    other = m.csr;
    other.value.data = p + 80; // what is being read
    CHECK_EQ(sparse_read(NULL, &other, p, size), PADIC_ERROR_OVERLAP);
    CHECK_EQ(sparse_read(NULL, &m.csr, p, size), PADIC_OK);
    free(m.memory);
}

#define ONES (UINT64_C(1) << 31)

// 2^31 bytes of 1 in the memory of one piece of them; NULL where that cannot be had.
static void *many_ones(void)
{
#if defined(__linux__) && UINTPTR_MAX > UINT32_MAX
    const size_t piece = (size_t)1 << 21;
    FILE *f = tmpfile();
    uint8_t *at = NULL;
    void *whole = MAP_FAILED;
    size_t i;
    if (!f) return NULL;
    for (i = 0; i < piece; i++) putc(1, f);
    if (!fflush(f)) whole = mmap(NULL, ONES, PROT_READ, MAP_SHARED, fileno(f), 0);
    if (whole != MAP_FAILED) at = (uint8_t *)whole;
    for (i = piece; at && i < ONES; i += piece)
        if (mmap(at + i, piece, PROT_READ, MAP_SHARED | MAP_FIXED, fileno(f), 0) == MAP_FAILED) {
            munmap(whole, ONES);
            at = NULL;
        }
    fclose(f);
    return at;
#else
    return NULL;
#endif
}

// I32 indices reach to 2^31 - 1, of rows, columns and entries: LIMIT, before any memory is looked
// at; I64 ones reach further.
TEST(i32_index_with_2_31_entries)
{
    const uint64_t most = ONES;
    static int64_t row_ptr[32769];
    padic_sparse_csr a, info;
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_encode_report report;
    uint64_t bad;
    // A matrix that says so, in planes of any size; every way into the library.
    for (int which = 0; which < 3; which++)
        for (int step = 0; step < 2; step++) { // one less: room is what is missing
            const uint64_t n = most - (uint64_t)step;
            int32_t x[16] = {0, 1, 0, 7};
            size_t size;
            uint64_t first, count;
            int64_t entry;
            padic_tensor dense = padic_tensor_2d(PADIC_I32, x + 4, 1, 1);
            memset(&a, 0, sizeof a);
            a.rows = which == 0 ? n : 1;
            a.cols = which == 1 ? n : 1;
            a.nnz = which == 2 ? n : 1;
            a.row_ptr = padic_tensor_1d(PADIC_I32, x, 2);
            a.col = padic_tensor_1d(PADIC_I32, x + 2, 1);
            a.value = padic_tensor_1d(PADIC_I32, x + 3, 1);
            const padic_result want = !step        ? PADIC_ERROR_LIMIT
                                      : which == 1 ? PADIC_OK
                                                   : PADIC_ERROR_CAPACITY;
            CHECK_EQ(sparse_validate(NULL, &a, PADIC_SPARSE_LEVEL_CANONICAL, &bad), want);
            CHECK_EQ(sparse_row(NULL, &a, 0, &first, &count), want);
            CHECK_EQ(sparse_get(NULL, &a, 0, 0, &entry), want);
            if (!step) {
                CHECK_EQ(sparse_decode(NULL, &dense, NULL, &a), PADIC_ERROR_LIMIT);
                CHECK_EQ(padic_sparse_write_size_bound(&a), 0);
                CHECK_EQ(padic_sparse_place_size_bound(&a), 0);
                CHECK_EQ(sparse_write(NULL, &a, x, sizeof x, &size), PADIC_ERROR_LIMIT);
            }
            a.row_ptr.dtype = a.col.dtype = PADIC_I64;
            if (!step && which != 1)
                CHECK_EQ(sparse_validate(NULL, &a, PADIC_SPARSE_LEVEL_CANONICAL, &bad),
                         PADIC_ERROR_CAPACITY);
        }
    // Bytes whose header says so, under a right checksum.
    {
        static const uint64_t at[3] = {16, 24, 32};
        uint8_t dense = 9, bytes[256];
        size_t size;
        matrix one = matrix_new(PADIC_U8, PADIC_I32, 1, 1, 1);
        desc.source.dense = padic_tensor_2d(PADIC_U8, &dense, 1, 1);
        CHECK_EQ(sparse_encode(NULL, &one.csr, &desc, NULL), PADIC_OK);
        CHECK_EQ(sparse_write(NULL, &one.csr, bytes, sizeof bytes, &size), PADIC_OK);
        for (int field = 0; field < 3; field++) {
            uint8_t other[256];
            memcpy(other, bytes, size);
            other[at[field]] = 0;
            other[at[field] + 3] = 0x80; // 2^31
            for (int i = 0; i < 8; i++) other[72 + i] = (uint8_t)(sum_of(other, 72, 0) >> 8 * i);
            CHECK_EQ(sparse_info(other, size, &info), PADIC_ERROR_CORRUPT);
            CHECK_EQ(sparse_read(NULL, &one.csr, other, size), PADIC_ERROR_CORRUPT);
        }
        CHECK_EQ(sparse_read(NULL, &one.csr, bytes, size), PADIC_OK);
        free(one.memory);
    }
    // 2^31 entries that are there
    uint8_t *const ones = test_tiny ? NULL : (uint8_t *)many_ones();
    padic_context_desc make = PADIC_ZERO;
    padic_context *context = NULL;
    padic_tensor index = padic_tensor_1d(PADIC_I32, row_ptr, 32769);
    if (!ones) return;
    make.backends[0] = padic_simd();
    if (padic_context_create(&make, &context)) context = NULL; // slower
    desc.source.dense = padic_tensor_2d(PADIC_U8, ones, 32768, 65536);
    CHECK_EQ(sparse_count(context, &desc, &index, &report), PADIC_ERROR_LIMIT);
    CHECK(report.nnz == most && report.index_size == 8);
    index.dtype = PADIC_I64;
    CHECK_EQ(sparse_count(context, &desc, &index, &report), PADIC_OK);
    CHECK(row_ptr[32768] == (int64_t)most && report.index_size == 8);
    desc.source.dense.shape[0] = 32767;
    index.dtype = PADIC_I32;
    CHECK_EQ(sparse_count(context, &desc, &index, &report), PADIC_OK);
    CHECK(report.nnz == most - 65536 && report.index_size == 4);
    if (context) padic_context_destroy(context);
#if defined(__linux__) && UINTPTR_MAX > UINT32_MAX
    munmap(ones, ONES);
#endif
}

// Bytes that hold more than the caller has room for: CAPACITY with what they need, nothing written.
TEST(count_over_the_callers_limit)
{
    static uint64_t dense_words[300];
    uint8_t *const dense = (uint8_t *)dense_words;
    matrix a = random_matrix(PADIC_F32, 20, 15, 40, dense);
    const size_t room = (size_t)padic_sparse_write_size_bound(&a.csr);
    uint8_t *const bytes = (uint8_t *)malloc(room);
    size_t size;
    CHECK_EQ(sparse_write(NULL, &a.csr, bytes, room, &size), PADIC_OK);
    for (int plane = 0; plane < 3; plane++) {
        matrix b = matrix_new(PADIC_F32, a.csr.row_ptr.dtype, 20, 15, a.csr.nnz);
        const size_t index = padic_dtype_size(a.csr.row_ptr.dtype);
        const uint64_t full = plane ? a.csr.nnz : 21;
        padic_tensor *const t = plane == 0   ? &b.csr.row_ptr
                                : plane == 1 ? &b.csr.col
                                             : &b.csr.value;
        memset(b.csr.row_ptr.data, 0x5a, 21 * index);
        memset(b.csr.col.data, 0x5a, (size_t)a.csr.nnz * index);
        memset(b.csr.value.data, 0x5a, (size_t)a.csr.nnz * 4);
        t->shape[0] = full - 1;
        CHECK_EQ(sparse_read(NULL, &b.csr, bytes, size), PADIC_ERROR_CAPACITY);
        CHECK(b.csr.rows == 20 && b.csr.cols == 15 && b.csr.nnz == a.csr.nnz);
        for (uint64_t i = 0; i < (plane < 2 ? index : 4) * full; i++)
            CHECK(((uint8_t *)t->data)[i] == 0x5a);
        t->shape[0] = full;
        CHECK_EQ(sparse_read(NULL, &b.csr, bytes, size), PADIC_OK);
        CHECK(same_matrix(&a.csr, &b.csr));
        free(b.memory);
    }
    free(bytes);
    free(a.memory);
}

TEST(fit)
{
    static uint64_t dense_words[900];
    uint8_t *const dense = (uint8_t *)dense_words;
    for (int type = 0; type < 12; type++)
        for (int turn = 0; turn < 4; turn++) {
            const padic_dtype d = all_dtypes[type];
            const uint32_t size = padic_dtype_size(d);
            const uint64_t rows = 20, cols = 45,
                           target = test_random() % 700 + (uint64_t)(turn == 0) * 200;
            for (uint64_t i = 0; i < rows * cols; i++) random_element(d, dense + i * size, 80);
            padic_tensor t = padic_tensor_2d(d, dense, rows, cols);
            padic_sparse_encode_report report, counted;
            double threshold = -1;
            uint64_t infinite = 0;
            for (uint64_t i = 0; i < rows * cols; i++)
                infinite += !(fabs(real_of(d, dense + i * size)) <= 1e308 * 1.7);
            const uint64_t bytes =
                turn < 2 ? 0 : (rows + 1) * 4 + PADIC_SPARSE_HEADER + target * (size + 4) + 3;
            const padic_result result = sparse_fit(NULL, &t, turn < 2 ? target : 0, bytes,
                                                         turn == 3 ? 4 : 0, &threshold, &report);
            if (infinite > target) {
                CHECK_EQ(result, PADIC_ERROR_LIMIT);
                CHECK_EQ(report.nnz, infinite);
                continue;
            }
            if (turn < 2 && target == 0) continue;
            REQUIRE(!result);
            padic_sparse_encode_desc desc = PADIC_ZERO;
            desc.source.dense = t;
            desc.source.mode = PADIC_SPARSE_MODE_THRESHOLD;
            desc.source.threshold = threshold;
            CHECK_EQ(sparse_count(NULL, &desc, NULL, &counted), PADIC_OK);
            CHECK(counted.nnz <= target && counted.nnz == report.nnz &&
                  counted.size == report.size);
            if (threshold > 0 &&
                size < 8) { // the least that does: the next smaller of the type does not
                uint64_t below = 0;
                double smaller = -1;
                for (uint64_t i = 0; i < rows * cols; i++) {
                    const double x = fabs(real_of(d, dense + i * size));
                    if (x < threshold && x > smaller) smaller = x;
                }
                if (smaller < 0) smaller = 0;
                for (uint64_t i = 0; i < rows * cols; i++)
                    below += !(fabs(real_of(d, dense + i * size)) <= smaller);
                CHECK(below > target);
            }
        }
    uint8_t four[4] = {1, 2, 3, 4};
    padic_tensor t = padic_tensor_2d(PADIC_U8, four, 1, 4);
    padic_sparse_encode_report report;
    double threshold;
    CHECK_EQ(sparse_fit(NULL, &t, 0, 100, 0, &threshold, &report), PADIC_ERROR_LIMIT);
    CHECK_EQ(report.size, PADIC_SPARSE_HEADER + 8); // the floor
    CHECK_EQ(sparse_fit(NULL, &t, 0, 0, 5, &threshold, &report), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_fit(NULL, &t, 0, 0, 0, &threshold, NULL), PADIC_OK);
    CHECK(threshold == 0);
}

// ---- numbers, and the digits of them, in buffers

// Planes of an array of numbers, to or from a context's buffer that holds them.
static void move_numbers(padic_context *context, const padic_num_array *on,
                         const padic_num_array *host, int up)
{
    const padic_num_ring *r = host->ring;
    const padic_num_plane *to[3] = {&on->unit, &on->val, &on->status};
    const padic_num_plane *from[3] = {&host->unit, &host->val, &host->status};
    const uint64_t words = host->high ? host->high + host->count
                                      : padici_num_words(r, host->count);
    for (int i = 0; i < 3; i++) {
        const uint64_t size = padic_dtype_size(from[i]->dtype);
        const uint64_t bytes = size * (i ? host->count : words), first = to[i]->offset * size;
        if (!bytes || (i == 1 && !host->model)) continue;
        CHECK_EQ(up ? padic_buffer_upload(context, to[i]->buffer, first, from[i]->data, bytes)
                    : padic_buffer_download(context, to[i]->buffer, first, from[i]->data, bytes),
                 PADIC_OK);
    }
}

static void fill_units(const padic_num_array *a, int byte)
{
    const uint64_t words = a->high ? a->high + a->count : padici_num_words(a->ring, a->count);
    memset(a->unit.data, byte, (size_t)(words * a->ring->unit_size));
}

static int same_numbers(const padic_num_array *a, const padic_num_array *b)
{
    const uint64_t words = a->high ? a->high + a->count : padici_num_words(a->ring, a->count);
    return !memcmp(a->unit.data, b->unit.data, words * a->ring->unit_size) &&
           (!a->model || !memcmp(a->val.data, b->val.data, a->count * 4)) &&
           !memcmp(a->status.data, b->status.data, a->count);
}

// A matrix in buffers as one in host memory: 1 if they are the same.
static int same_as_on(padic_context *context, const padic_sparse_csr *on,
                      const padic_sparse_csr *host)
{
    void *memory[4] = {NULL, NULL, NULL, NULL};
    padic_sparse_csr copy = *on;
    padic_tensor *planes[4] = {&copy.row_ptr, &copy.col, &copy.value, &copy.val};
    for (int i = 0; i < 4; i++) {
        const uint64_t bytes = padic_tensor_count(planes[i]) * padic_dtype_size(planes[i]->dtype);
        if (!planes[i]->buffer.id) continue;
        memory[i] = malloc((size_t)bytes);
        CHECK_EQ(padic_buffer_download(context, planes[i]->buffer, 0, memory[i], bytes), PADIC_OK);
        planes[i]->data = memory[i];
    }
    const int same = same_matrix(&copy, host);
    for (int i = 0; i < 4; i++) free(memory[i]);
    return same;
}

// An array like `host` in a buffer of its own.
static padic_num_array numbers_on(padic_context *context, const padic_num_array *host)
{
    padic_num_array on;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = PADIC_ZERO;
    memset(&on, 0, sizeof on);
    desc.size = padic_num_array_size_bound(host->ring, host->model, host->count);
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    CHECK_EQ(padic_num_place_buffer(&on, host->ring, host->model, host->count, buffer, 0),
             PADIC_OK);
    on.workspace = host->workspace;
    on.workspace_size = host->workspace_size;
    move_numbers(context, &on, host, 1);
    return on;
}

// 0: buffers in host memory; 1: in a device that computes nothing; 2: that alone
static padic_context *elsewhere(int where)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    if (where) desc.backends[0] = padic_null();
    if (where == 1) desc.backends[1] = padic_null(); // not strict: the host helps
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    return context;
}

static void digits_elsewhere(padic_context *context, const padic_num_array *a, int where)
{
    void *memory[2];
    padic_num_array b = array_new(a->ring, a->model, a->count, &memory[0]);
    padic_num_array c = array_new(a->ring, a->model, a->count, &memory[1]);
    padic_num_array a_on = numbers_on(context, a), b_on;
    padic_sparse_csr like = PADIC_ZERO, host, on, full;
    padic_op_stats stats;
    like.rows = a->count, like.cols = like.precision = a->ring->precision;
    like.nnz = like.rows * like.cols;
    like.kind = PADIC_SPARSE_KIND_DIGITS;
    like.val_of = a->model ? PADIC_SPARSE_VAL_ROW : PADIC_SPARSE_VAL_NONE;
    like.p = a->ring->p;
    like.value.dtype = a->ring->p <= 256 ? PADIC_U8 : PADIC_U64;
    host = on = like;
    void *block = malloc((size_t)padic_sparse_place_size_bound(&host));
    REQUIRE(!padic_sparse_place(&host, block, padic_sparse_place_size_bound(&host)));
    REQUIRE(!padic_sparse_create(context, &on));
    CHECK_EQ(sparse_from_num(NULL, &host, a), PADIC_OK);
    CHECK_EQ(sparse_from_num(NULL, &on, &a_on), PADIC_ERROR_ARGUMENT); // buffers need it
    CHECK_EQ(sparse_from_num(context, &on, &a_on), PADIC_OK);
    CHECK(same_as_on(context, &on, &host) && on.trusted == PADIC_SPARSE_LEVEL_CANONICAL);
    CHECK_EQ(sparse_from_num(context, &on, a), PADIC_OK); // one here, one there
    CHECK(same_as_on(context, &on, &host));
    full = on; // row_ptr and nnz nonetheless
    full.col.shape[0] = full.value.shape[0] = 1;
    CHECK_EQ(sparse_from_num(context, &full, &a_on), PADIC_ERROR_CAPACITY);
    CHECK_EQ(full.nnz, host.nnz);
    CHECK(same_as_on(context, &on, &host));
    padic_context_op_stats(context, PADIC_OP_SPARSE_FROM_NUM, &stats);
    CHECK_EQ(stats.calls, 3);
    CHECK_EQ(stats.fallbacks, where ? 3 : 0);
    CHECK((stats.staged_bytes > 0) == where);
    fill_units(&b, 0xa5); // words that no element has stay
    b_on = numbers_on(context, &b);
    CHECK_EQ(sparse_to_num(NULL, &b, &host), PADIC_OK);
    CHECK_EQ(sparse_to_num(NULL, &b_on, &on), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_to_num(context, &b_on, &on), PADIC_OK);
    move_numbers(context, &b_on, &c, 0);
    CHECK(same_numbers(&b, &c));
    CHECK_EQ(sparse_to_num(context, &c, &on), PADIC_OK);
    CHECK(same_numbers(&b, &c));
    on.trusted = PADIC_SPARSE_LEVEL_UNKNOWN;
    CHECK_EQ(sparse_to_num(context, &b_on, &on), PADIC_OK);
    padic_context_op_stats(context, PADIC_OP_SPARSE_TO_NUM, &stats);
    CHECK_EQ(stats.calls, 3);
    CHECK_EQ(stats.fallbacks, where ? 3 : 0);
    b_on.unit.offset += (uint64_t)1 << 40;
    CHECK_EQ(sparse_to_num(context, &b_on, &on), PADIC_ERROR_REGION);
    CHECK(strstr(padic_context_message(context), "out"));
    CHECK_EQ(padic_buffer_destroy(context, b_on.unit.buffer), PADIC_OK);
    CHECK_EQ(sparse_to_num(context, &b_on, &on), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_buffer_destroy(context, a_on.unit.buffer), PADIC_OK);
    CHECK_EQ(sparse_from_num(context, &on, &a_on), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sparse_destroy(context, &on), PADIC_OK);
    free(block);
    free(memory[0]);
    free(memory[1]);
}

// A matrix of numbers in buffers: decoded, and times numbers there.
static void numbers_elsewhere(padic_context *context, const padic_num_array *a)
{
    const uint64_t rows = 5, cols = 9;
    void *memory[5];
    padic_num_array b = array_new(a->ring, a->model, 45, &memory[0]);
    padic_num_array c = array_new(a->ring, a->model, 45, &memory[1]);
    padic_num_array x = array_new(a->ring, a->model, cols, &memory[2]);
    padic_num_array y = array_new(a->ring, a->model, rows, &memory[3]);
    padic_num_array z = array_new(a->ring, a->model, rows, &memory[4]);
    padic_num_array b_on = numbers_on(context, &b), x_on, y_on = numbers_on(context, &y);
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_product_desc product = PADIC_ZERO;
    matrix m = matrix_numbers(a, rows, cols, rows * cols);
    padic_sparse_csr on = m.csr;
    const uint32_t zero = 0;
    uint32_t word = 0, bits = 0;
    padic_buffer_desc four = PADIC_ZERO;
    padic_buffer sticky = PADIC_ZERO;
    four.size = 4;
    REQUIRE(!padic_buffer_create(context, &four, &sticky));
    desc.source.numbers = *a;
    desc.source.rows = rows, desc.source.cols = cols;
    REQUIRE(!padic_sparse_create(context, &on));
    REQUIRE(!sparse_encode(NULL, &m.csr, &desc, NULL));
    REQUIRE(!sparse_encode(context, &on, &desc, NULL));
    CHECK_EQ(sparse_decode(NULL, NULL, &b, &m.csr), PADIC_OK);
    CHECK_EQ(sparse_decode(context, NULL, &b_on, &on), PADIC_OK);
    move_numbers(context, &b_on, &c, 0);
    CHECK(same_numbers(&b, &c));
    CHECK_EQ(sparse_decode(context, NULL, &b_on, &m.csr), PADIC_OK); // one here, one there
    CHECK_EQ(sparse_decode(context, NULL, &c, &on), PADIC_OK);
    CHECK(same_numbers(&b, &c));
    b_on.status.dtype = PADIC_DTYPE_NONE; // the word alone says what happened
    CHECK_EQ(padic_buffer_upload(context, sticky, 0, &zero, 4), PADIC_OK);
    b_on.sticky_word = padic_num_plane_in(PADIC_U32, sticky, 0);
    CHECK_EQ(sparse_decode(context, NULL, &b_on, &on), PADIC_OK);
    b.status.dtype = PADIC_DTYPE_NONE;
    b.sticky = &bits;
    CHECK_EQ(sparse_decode(NULL, NULL, &b, &m.csr), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, sticky, 0, &word, 4), PADIC_OK);
    CHECK(word == bits && (word != 0) == (a->model != PADIC_NUM_RING));
    b.sticky = NULL; // nobody hears of it, and what was done stays
    b_on.sticky_word.dtype = PADIC_DTYPE_NONE;
    CHECK_EQ(sparse_decode(NULL, NULL, &b, &m.csr), bits ? PADIC_ERROR_DOMAIN : PADIC_OK);
    CHECK_EQ(sparse_decode(context, NULL, &b_on, &on), bits ? PADIC_ERROR_DOMAIN : PADIC_OK);
    for (uint64_t i = 0; i < cols; i++)
        for (uint32_t k = 0; k < a->ring->words; k++) set_word(&x, i, k, get_word(a, i + 9, k));
    x_on = numbers_on(context, &x);
    product.a = &m.csr, product.x_numbers = x, product.y_numbers = y;
    const padic_result expected = padic_sparse_product(NULL, &product);
    CHECK_EQ(expected, a->model ? PADIC_ERROR_NOT_SUPPORTED : PADIC_OK);
    product.a = &on, product.x_numbers = x_on, product.y_numbers = y_on;
    CHECK_EQ(padic_sparse_product(NULL, &product), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sparse_product(context, &product), expected);
    move_numbers(context, &y_on, &z, 0);
    CHECK(same_numbers(&y, &z));
    product.a = &m.csr, product.x_numbers = x_on, product.y_numbers = z;
    CHECK_EQ(padic_sparse_product(context, &product), expected);
    CHECK(same_numbers(&y, &z));
    product.y_numbers = x_on; // over what it reads
    if (!a->model) CHECK_EQ(padic_sparse_product(context, &product), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_sparse_destroy(context, &on), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(context, b_on.unit.buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(context, x_on.unit.buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(context, y_on.unit.buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(context, sticky), PADIC_OK);
    free(m.memory);
    for (int i = 0; i < 5; i++) free(memory[i]);
}

TEST(elsewhere)
{
    static uint64_t digit[700];
    for (int where = 0; where < 3; where++)
        for (int c = 0; c < RINGS; c++)
            for (int model = 0; model < 2; model++) {
                padic_num_ring ring;
                padic_num_ring_options options = PADIC_ZERO;
                padic_context *context = elsewhere(where);
                void *memory;
                options.limb32 = rings[c].limb32;
                REQUIRE(!padic_num_ring_init(&ring, rings[c].p, rings[c].precision, &options));
                padic_num_array a = array_new(&ring, (padic_num_model)model, 45, &memory);
                for (uint64_t i = 0; i < 45; i++) {
                    random_digits(&ring, model, i % 3 ? 100 : 10, digit);
                    set_digits(&a, i, digit);
                    if (model) ((int32_t *)a.val.data)[i] = (int32_t)i - 20;
                }
                if (model) { // a NaN
                    for (uint32_t k = 0; k < ring.words; k++) set_word(&a, 8, k, 0);
                    ((int32_t *)a.val.data)[8] = PADIC_NUM_NAN;
                    set_word(&a, 8, 0, PADIC_NUM_DIV0);
                }
                if (where < 2) {
                    digits_elsewhere(context, &a, where);
                    numbers_elsewhere(context, &a);
                } else if (!model) { // nothing is copied behind the caller's back
                    padic_num_array a_on = numbers_on(context, &a);
                    matrix m = matrix_new(PADIC_U64, PADIC_I32, 45, ring.precision,
                                          45 * ring.precision);
                    CHECK_EQ(sparse_from_num(context, &m.csr, &a_on), PADIC_ERROR_NOT_SUPPORTED);
                    CHECK(strstr(padic_context_message(context), "sparse_from_num"));
                    CHECK_EQ(sparse_from_num(context, &m.csr, &a), PADIC_OK);
                    CHECK_EQ(sparse_to_num(context, &a_on, &m.csr), PADIC_ERROR_NOT_SUPPORTED);
                    CHECK(strstr(padic_context_message(context), "sparse_to_num"));
                    CHECK_EQ(padic_buffer_destroy(context, a_on.unit.buffer), PADIC_OK);
                    free(m.memory);
                }
                padic_stats left;
                padic_context_stats(context, &left);
                CHECK_EQ(left.pool_live, 0);
                padic_context_destroy(context);
                free(memory);
            }
}

// ---- a context's memory

TEST(pool)
{
    padic_context *context = NULL;
    padic_stats before, after;
    static float x[64][100], y[64][100];
    REQUIRE(!padic_context_create(NULL, &context));
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 100; j++) x[i][j] = (i * 100 + j) % 7 ? 0 : (float)(i + j + 1);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 100; j++) y[i][j] = -x[i][j];
    padic_sparse_encode_desc dx = PADIC_ZERO, dy = PADIC_ZERO;
    dx.source.dense = padic_tensor_2d(PADIC_F32, x, 64, 100);
    dy.source.dense = padic_tensor_2d(PADIC_F32, y, 64, 100);
    for (int turn = 0; turn < 5; turn++) {
        padic_sparse_csr a = PADIC_ZERO, b = PADIC_ZERO, sum = PADIC_ZERO;
        padic_context_stats(context, &before);
        REQUIRE(!sparse_encode(context, &a, &dx, NULL));
        REQUIRE(!sparse_encode(context, &b, &dy, NULL));
        // Two live results are apart.
        padic_buffer_report p, q;
        const padic_buffer ids[8] = {a.row_ptr.buffer, a.col.buffer, a.value.buffer,
                                     b.row_ptr.buffer, b.col.buffer, b.value.buffer};
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < i; j++) {
                CHECK(!padic_buffer_info(context, ids[i], &p) &&
                      !padic_buffer_info(context, ids[j], &q));
                CHECK(p.native + p.size <= q.native || q.native + q.size <= p.native);
            }
        sum = a; // and go on as ordinary matrices
        memset(&sum.row_ptr.buffer, 0, sizeof sum.row_ptr.buffer);
        sum.nnz = a.nnz;
        CHECK_EQ(padic_sparse_create(context, &sum), PADIC_OK);
        CHECK_EQ(sparse_add(context, &sum, &a, &b, NULL, NULL), PADIC_OK);
        CHECK_EQ(sum.nnz, 0);
        float back[64][100];
        padic_tensor t = padic_tensor_2d(PADIC_F32, back, 64, 100);
        CHECK_EQ(sparse_decode(context, &t, NULL, &a), PADIC_OK);
        CHECK(!memcmp(back, x, sizeof back));
        CHECK_EQ(sparse_decode(NULL, &t, NULL, &a), PADIC_ERROR_ARGUMENT); // buffers need it
        CHECK_EQ(padic_sparse_destroy(context, &sum), PADIC_OK);
        CHECK_EQ(padic_sparse_destroy(context, &a), PADIC_OK);
        CHECK_EQ(padic_sparse_destroy(context, &b), PADIC_OK);
        CHECK_EQ(a.row_ptr.buffer.id, 0);
        padic_context_stats(context, &after);
        if (turn)
            CHECK(after.device_allocations == before.device_allocations &&
                  after.host_allocations == before.host_allocations);
        CHECK_EQ(after.pool_live, 0);
    }
    padic_context_destroy(context);
}

TEST(short_ways) // without descs: 3 entries, and a product by hand
{
    float dense[2][3] = {{1, 0, 2}, {0, 3, 0}}, x[3] = {1, 10, 100}, y[2] = {0, 0};
    const padic_tensor t = padic_tensor_2d(PADIC_F32, dense, 2, 3);
    const padic_tensor tx = padic_tensor_1d(PADIC_F32, x, 3), ty = padic_tensor_1d(PADIC_F32, y, 2);
    padic_sparse_csr csr = PADIC_ZERO;
    padic_context *context;
    REQUIRE(padic_context_create(NULL, &context) == PADIC_OK);
    CHECK_EQ(padic_sparse_from_dense(context, t, &csr), PADIC_OK);
    CHECK_EQ(csr.nnz, 3);
    CHECK_EQ(padic_sparse_multiply(context, &csr, tx, ty), PADIC_OK);
    CHECK(y[0] == 201 && y[1] == 30);
    CHECK_EQ(padic_sparse_multiply(context, &csr, ty, tx), PADIC_ERROR_MISMATCH);
    CHECK_EQ(padic_sparse_multiply(context, NULL, tx, ty), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sparse_from_dense(context, t, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sparse_destroy(context, &csr), PADIC_OK);
    padic_context_destroy(context);
}

TEST(calibrate)
{
    padic_threads *threads;
    padic_context *context = threads_context(&threads, 2);
    uint8_t *dense = (uint8_t *)calloc(1 << 17, 1);
    for (int i = 0; i < 1 << 17; i += 19) dense[i] = (uint8_t)(i | 1);
    matrix m = matrix_new(PADIC_U8, PADIC_I32, 1 << 10, 1 << 7, 1 << 15);
    padic_sparse_calibration table;
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_calibrate_desc calibrate = PADIC_ZERO;
    padic_sparse_encode_report report;
    desc.source.dense = padic_tensor_2d(PADIC_U8, dense, 1 << 10, 1 << 7);
    calibrate.source = desc.source;
    calibrate.matrix = &m.csr;
    calibrate.out = &table;
    CHECK_EQ(padic_sparse_calibrate(context, &calibrate), PADIC_OK);
    for (int c = 0; c < PADIC_SPARSE_CALIBRATION_SIZES; c++) {
        CHECK((table.best[c] != PADIC_SPARSE_METHOD_AUTO) == (c < 2));
        for (int method = 0; method < PADIC_SPARSE_METHOD_COUNT; method++)
            CHECK((table.ns[c][method] >= 0) ==
                  (c < 2 && (method == PADIC_SPARSE_METHOD_SCALAR ||
                             method == PADIC_SPARSE_METHOD_THREADS)));
    }
    table.best[1] = PADIC_SPARSE_METHOD_SCALAR;
    desc.calibration = &table;
    CHECK_EQ(sparse_encode(context, &m.csr, &desc, &report), PADIC_OK);
    CHECK_EQ(report.method, PADIC_SPARSE_METHOD_SCALAR);
    table.best[1] = PADIC_SPARSE_METHOD_THREADS;
    CHECK_EQ(sparse_encode(context, &m.csr, &desc, &report), PADIC_OK);
    CHECK_EQ(report.method, PADIC_SPARSE_METHOD_THREADS);
    m.csr.col.shape[0] = 1;
    CHECK_EQ(padic_sparse_calibrate(context, &calibrate), PADIC_ERROR_CAPACITY);
    CHECK(table.best[0] == 0 && table.ns[0][1] == 0);
    free(m.memory);
    free(dense);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

TEST(errors)
{
    float x[6] = {1, 0, 2, 0, 0, 3};
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_encode_report report;
    padic_num_ring ring, radix;
    matrix m = matrix_new(PADIC_F32, PADIC_I32, 2, 3, 6);
    padic_sparse_csr out = m.csr;
    desc.source.dense = padic_tensor_2d(PADIC_F32, x, 2, 3);
    CHECK_EQ(sparse_encode(NULL, NULL, &desc, &report), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_encode(NULL, &out, NULL, &report), PADIC_ERROR_ARGUMENT);
    memset(&out, 0, sizeof out); // no planes, and nothing that could make them
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sparse_from_dense(NULL, desc.source.dense, &out), PADIC_ERROR_ARGUMENT);
    out = m.csr;
    CHECK_EQ(sparse_count(NULL, &desc, NULL, NULL), PADIC_ERROR_ARGUMENT);
    desc.source.mode = PADIC_SPARSE_MODE_THRESHOLD;
    desc.source.threshold = -1;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    desc.source.threshold = (double)NAN;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    desc.source.threshold = (double)INFINITY;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    desc.source.threshold = 1;
    desc.source.mode = PADIC_SPARSE_MODE_NORM; // floats have no p here
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_DTYPE);
    desc.source.dense.dtype = PADIC_I32;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    CHECK(!padic_num_ring_init_radix(&radix, 10, 4, NULL));
    desc.source.ring = &radix;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    desc.source.mode = PADIC_SPARSE_MODE_NONZERO;
    desc.source.threshold = 0;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_MISMATCH); // value is F32
    desc.source.dense.dtype = PADIC_C64;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_DTYPE);
    desc.source.dense = padic_tensor_3d(PADIC_F32, x, 1, 2, 3);
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    desc.source.dense = padic_tensor_2d(PADIC_F32, m.csr.value.data, 2, 3);
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_OVERLAP);
    desc.source.dense = padic_tensor_2d(PADIC_F32, NULL, 2, 3);
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    desc.source.dense = padic_tensor_2d(PADIC_F32, x, 2, 3);
    for (int method = PADIC_SPARSE_METHOD_GPU_ONE_PASS; method < PADIC_SPARSE_METHOD_COUNT;
         method++) {
        desc.method = (padic_sparse_method)method;
        CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_NOT_SUPPORTED);
    }
    desc.method = PADIC_SPARSE_METHOD_SIMD;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_NOT_SUPPORTED);
    desc.method = (padic_sparse_method)7;
    CHECK_EQ(sparse_encode(NULL, &out, &desc, &report), PADIC_ERROR_ARGUMENT);
    desc.method = PADIC_SPARSE_METHOD_AUTO;
    // Too many columns for I32, though only counted.
    padic_sparse_encode_desc wide = PADIC_ZERO;
    wide.source.dense = padic_tensor_2d(PADIC_F32, NULL, 0, (uint64_t)1 << 31);
    int32_t one[2];
    padic_tensor row_ptr = padic_tensor_1d(PADIC_I32, one, 2);
    CHECK_EQ(sparse_count(NULL, &wide, &row_ptr, &report), PADIC_ERROR_LIMIT);
    wide.source.dense.shape[1] = (uint64_t)1 << 48;
    CHECK_EQ(sparse_count(NULL, &wide, NULL, &report), PADIC_ERROR_LIMIT);
    row_ptr.dtype = PADIC_U32;
    CHECK_EQ(sparse_count(NULL, &desc, &row_ptr, &report), PADIC_ERROR_DTYPE);
    row_ptr.dtype = PADIC_I32;
    CHECK_EQ(sparse_count(NULL, &desc, &row_ptr, &report), PADIC_ERROR_CAPACITY);
    // Numbers
    void *memory[2];
    REQUIRE(!padic_num_ring_init(&ring, 7, 5, NULL));
    padic_num_array a = array_new(&ring, PADIC_NUM_BALL, 6, &memory[0]);
    padic_num_array b = array_new(&ring, PADIC_NUM_RING, 6, &memory[1]);
    padic_sparse_encode_desc numbers = PADIC_ZERO;
    numbers.source.numbers = a;
    numbers.source.rows = 2;
    numbers.source.cols = 3;
    CHECK_EQ(sparse_encode(NULL, &out, &numbers, &report), PADIC_ERROR_NOT_SUPPORTED);
    numbers.source.numbers = b;
    numbers.source.cols = 4;
    CHECK_EQ(sparse_encode(NULL, &out, &numbers, &report), PADIC_ERROR_MISMATCH);
    numbers.source.cols = 3;
    numbers.source.mode = PADIC_SPARSE_MODE_THRESHOLD;
    CHECK_EQ(sparse_encode(NULL, &out, &numbers, &report), PADIC_ERROR_ARGUMENT);
    numbers.source.dense = desc.source.dense;
    CHECK_EQ(sparse_encode(NULL, &out, &numbers, &report), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_from_num(NULL, &out, &a), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(sparse_from_num(NULL, &out, NULL), PADIC_ERROR_ARGUMENT);
    // Products, sums, decode
    CHECK_EQ(sparse_encode(NULL, &m.csr, &desc, &report), PADIC_OK);
    float y[3];
    double z[2]; // room for four floats, aligned for two doubles
    padic_tensor t = padic_tensor_2d(PADIC_F32, y, 1, 3);
    CHECK_EQ(sparse_decode(NULL, &t, NULL, &m.csr), PADIC_ERROR_MISMATCH);
    CHECK_EQ(sparse_decode(NULL, &t, &b, &m.csr), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_decode(NULL, NULL, &b, &m.csr), PADIC_ERROR_MISMATCH);
    padic_sparse_product_desc product = PADIC_ZERO;
    product.a = &m.csr;
    product.x = padic_tensor_1d(PADIC_F32, y, 3);
    product.y = padic_tensor_1d(PADIC_F32, z, 3);
    CHECK_EQ(padic_sparse_product(NULL, &product), PADIC_ERROR_MISMATCH);
    product.y = padic_tensor_1d(PADIC_F64, z, 2);
    CHECK_EQ(padic_sparse_product(NULL, &product), PADIC_ERROR_DTYPE);
    product.y = padic_tensor_1d(PADIC_F32, y, 2);
    CHECK_EQ(padic_sparse_product(NULL, &product), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_sparse_product(NULL, NULL), PADIC_ERROR_ARGUMENT);
    matrix other = matrix_new(PADIC_F32, PADIC_I32, 3, 2, 6);
    padic_sparse_csr copy = other.csr;
    desc.source.dense = padic_tensor_2d(PADIC_F32, x, 3, 2);
    CHECK_EQ(sparse_encode(NULL, &copy, &desc, NULL), PADIC_OK);
    matrix result = matrix_new(PADIC_F32, PADIC_I32, 2, 3, 6);
    CHECK_EQ(sparse_add(NULL, &result.csr, &m.csr, &copy, NULL, NULL), PADIC_ERROR_MISMATCH);
    CHECK_EQ(sparse_add(NULL, &m.csr, &m.csr, &m.csr, NULL, NULL), PADIC_ERROR_OVERLAP);
    CHECK_EQ(sparse_add(NULL, &result.csr, &m.csr, NULL, NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sparse_transpose(NULL, &result.csr, &m.csr), PADIC_ERROR_CAPACITY);
    CHECK_EQ(padic_sparse_create(NULL, &copy), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sparse_place(&copy, x, 8), PADIC_ERROR_CAPACITY);
    free(m.memory);
    free(other.memory);
    free(result.memory);
    free(memory[0]);
    free(memory[1]);
}

// Results over what is read: OVERLAP, and nothing is written.
TEST(out_over_planes)
{
    static uint64_t room[256], was[256];
    int64_t dense[9] = {0, 5, 0, -7, 0, 0, 1, 0, 2}, kept[9];
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_encode_report report;
    padic_sparse_csr csr = PADIC_ZERO;
    padic_tensor t;
    size_t size;
    memcpy(kept, dense, sizeof dense);
    csr.rows = csr.cols = 3;
    csr.nnz = 4;
    csr.value.dtype = PADIC_I64;
    CHECK_EQ(padic_sparse_place(&csr, room, sizeof room), PADIC_OK);
    desc.source.dense = padic_tensor_2d(PADIC_I64, dense, 3, 3);
    CHECK_EQ(sparse_encode(NULL, &csr, &desc, NULL), PADIC_OK);
    // row_ptr of a count, in both sizes, with its last byte in the first of them, too
    t = padic_tensor_1d(PADIC_I32, dense, 4);
    CHECK_EQ(sparse_count(NULL, &desc, &t, &report), PADIC_ERROR_OVERLAP);
    t = padic_tensor_1d(PADIC_I64, dense + 5, 4);
    CHECK_EQ(sparse_count(NULL, &desc, &t, NULL), PADIC_ERROR_OVERLAP);
    desc.source.dense.data = room + 3;
    t = padic_tensor_1d(PADIC_I64, room, 4);
    memcpy(was, room, sizeof room);
    CHECK_EQ(sparse_count(NULL, &desc, &t, NULL), PADIC_ERROR_OVERLAP);
    CHECK(!memcmp(room, was, sizeof room));
    CHECK(!memcmp(kept, dense, sizeof dense));
    t = padic_tensor_1d(PADIC_I64, room + 12, 4); // beside it
    desc.source.dense.data = dense;
    CHECK_EQ(sparse_count(NULL, &desc, &t, &report), PADIC_OK);
    CHECK_EQ(report.nnz, 4);
    // and over numbers
    padic_num_ring ring;
    void *memory;
    REQUIRE(!padic_num_ring_init(&ring, 7, 5, NULL));
    padic_sparse_encode_desc numbers = PADIC_ZERO;
    numbers.source.numbers = array_new(&ring, PADIC_NUM_RING, 6, &memory);
    numbers.source.rows = 2;
    numbers.source.cols = 3;
    t = padic_tensor_1d(PADIC_I32, numbers.source.numbers.unit.data, 3);
    CHECK_EQ(sparse_count(NULL, &numbers, &t, NULL), PADIC_ERROR_OVERLAP);
    free(memory);
    // A column, and bytes, over each plane.
    memset(room, 0, sizeof room);
    CHECK_EQ(padic_sparse_place(&csr, room, sizeof room), PADIC_OK);
    CHECK_EQ(sparse_encode(NULL, &csr, &desc, NULL), PADIC_OK);
    memcpy(was, room, sizeof room);
    for (int plane = 0; plane < 3; plane++) {
        void *const at = plane == 0   ? csr.row_ptr.data
                         : plane == 1 ? csr.col.data
                                      : csr.value.data;
        t = padic_tensor_1d(PADIC_I64, at, 3);
        CHECK_EQ(sparse_col(NULL, &csr, 1, &t), PADIC_ERROR_OVERLAP);
        CHECK(!memcmp(room, was, sizeof room));
        CHECK_EQ(sparse_write(NULL, &csr, at, 512, &size), PADIC_ERROR_OVERLAP);
        CHECK(!memcmp(room, was, sizeof room));
    }
    t = padic_tensor_1d(PADIC_I64, room + 128, 3);
    CHECK_EQ(sparse_col(NULL, &csr, 1, &t), PADIC_OK);
    CHECK_EQ(sparse_write(NULL, &csr, room + 128, 512, &size), PADIC_OK);
    CHECK(!memcmp(room, was, 1024));
}

TEST(destroy_nothing)
{
    padic_sparse_csr csr = PADIC_ZERO;
    padic_context *context;
    REQUIRE(padic_context_create(NULL, &context) == PADIC_OK);
    CHECK_EQ(padic_sparse_destroy(context, NULL), PADIC_OK);
    CHECK_EQ(padic_sparse_destroy(NULL, NULL), PADIC_OK);
    CHECK_EQ(padic_sparse_destroy(context, &csr), PADIC_OK);
    CHECK_EQ(padic_sparse_destroy(NULL, &csr), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);
}

TEST_MAIN("sparse", CASE(golden), CASE(encode), CASE(simd), CASE(large), CASE(digits),
          CASE(numbers), CASE(integer_products), CASE(float_products), CASE(ring_products),
          CASE(transpose), CASE(valuations_stay), CASE(add_and_scale), CASE(add_numbers),
          CASE(batch), CASE(validate), CASE(not_canonical), CASE(bytes), CASE(header_fields),
          CASE(i32_index_with_2_31_entries), CASE(count_over_the_callers_limit), CASE(fit),
          CASE(elsewhere), CASE(pool), CASE(short_ways), CASE(calibrate), CASE(errors),
          CASE(out_over_planes), CASE(destroy_nothing))
