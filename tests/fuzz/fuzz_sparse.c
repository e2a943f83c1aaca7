// fuzz_sparse.c: any bytes as a written matrix, or as the arrays of one. See fuzz.h.
#include "fuzz.h"

#include "../../padic.h"
#include "../support/sparse_calls.h"

// A matrix that calls itself valid goes through everything; answers are compared where two ways
// lead to one.
static void fuzz_use(const padic_sparse_csr *m)
{
    padic_sparse_csr turned, back;
    uint64_t cells, first, count;
    int64_t entry;
    memset(&turned, 0, sizeof turned);
    for (uint64_t r = 0; r < m->rows && r < 40; r++) {
        FUZZ_CHECK(!sparse_row(NULL, m, r, &first, &count));
        FUZZ_CHECK(first + count <= m->nnz && count <= m->cols);
        FUZZ_CHECK(!m->cols || !sparse_get(NULL, m, r, m->cols / 2, &entry));
    }
    turned = *m;
    turned.rows = m->cols;
    turned.cols = m->rows;
    turned.val_of = m->val_of == PADIC_SPARSE_VAL_ROW   ? PADIC_SPARSE_VAL_COL
                    : m->val_of == PADIC_SPARSE_VAL_COL ? PADIC_SPARSE_VAL_ROW
                                                        : m->val_of;
    back = *m;
    const size_t size = (size_t)padic_sparse_place_size_bound(&turned);
    const size_t again = (size_t)padic_sparse_place_size_bound(&back);
    if (!size || size > FUZZ_MOST || again > FUZZ_MOST) return;
    void *memory = fuzz_new(size), *other = fuzz_new(again);
    FUZZ_CHECK(!padic_sparse_place(&turned, memory, size) &&
               !padic_sparse_place(&back, other, again));
    FUZZ_CHECK(!sparse_transpose(NULL, &turned, m));
    FUZZ_CHECK(!sparse_validate(NULL, &turned, m->trusted, NULL));
    FUZZ_CHECK(!sparse_transpose(NULL, &back, &turned));
    const size_t index = padic_dtype_size(m->row_ptr.dtype);
    FUZZ_CHECK(!memcmp(back.row_ptr.data, m->row_ptr.data, (size_t)(m->rows + 1) * index));
    FUZZ_CHECK(!m->nnz || !memcmp(back.col.data, m->col.data, (size_t)m->nnz * index));
    cells = m->rows && m->cols > FUZZ_MOST / m->rows ? FUZZ_MOST : m->rows * m->cols;
    if (m->kind == PADIC_SPARSE_KIND_PLAIN && cells < FUZZ_MOST / 8) {
        void *dense = fuzz_new((size_t)cells * 8);
        padic_tensor t = padic_tensor_2d(m->value.dtype, dense, m->rows, m->cols);
        FUZZ_CHECK(!sparse_decode(NULL, &t, NULL, m));
        padic_sparse_product_desc product;
        memset(&product, 0, sizeof product);
        product.a = m;
        if (m->cols + m->rows < 4096) {
            const padic_dtype y = m->value.dtype == PADIC_F64    ? PADIC_F64
                                  : m->value.dtype <= PADIC_BF16 ? PADIC_F32
                                                                 : PADIC_I64;
            product.x = padic_tensor_1d(m->value.dtype, dense, m->cols);
            product.y = padic_tensor_1d(y, (uint8_t *)dense + m->cols * 8, m->rows);
            if (cells >= m->cols + m->rows) {
                const padic_result result = padic_sparse_product(NULL, &product);
                FUZZ_CHECK(!result || result == PADIC_ERROR_DOMAIN);
            }
        }
        free(dense);
    }
    if (m->kind == PADIC_SPARSE_KIND_PLAIN) {
        const int64_t none = 0;
        const double nothing = 0;
        const padic_result result = sparse_scale(
            NULL, &back, &back, m->value.dtype <= PADIC_BF16 ? (const void *)&nothing : &none);
        FUZZ_CHECK(!result && back.nnz <= m->nnz);
    }
    free(memory);
    free(other);
}

// The bytes as they come.
static void fuzz_bytes(const uint8_t *data, size_t size)
{
    uint8_t *exact = (uint8_t *)fuzz_new(size);
    padic_sparse_csr m;
    if (size) memcpy(exact, data, size);
    if (!sparse_info(exact, size, &m)) {
        const size_t need = (size_t)padic_sparse_place_size_bound(&m);
        FUZZ_CHECK(need && need <= size + 4096); // no more than the bytes themselves
        void *memory = fuzz_new(need);
        FUZZ_CHECK(!padic_sparse_place(&m, memory, need));
        if (!sparse_read(NULL, &m, exact, size)) {
            size_t written = 0;
            uint8_t *again = (uint8_t *)fuzz_new(size);
            FUZZ_CHECK(!sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_CANONICAL, NULL));
            FUZZ_CHECK(!sparse_write(NULL, &m, again, size, &written) && written == size);
            FUZZ_CHECK(!memcmp(again, exact, size));
            fuzz_use(&m);
            free(again);
        }
        free(memory);
    }
    free(exact);
}

static void fuzz_store(uint8_t *p, uint64_t x)
{
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(x >> (8 * i));
}

static uint64_t fuzz_mix(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

// The checksum of whole words.
static uint64_t fuzz_sum(const uint8_t *p, size_t size, uint64_t seed)
{
    uint64_t sum = fuzz_mix(size ^ ~seed), key = (seed + 1) * UINT64_C(0xd1342543de82ef95), x;
    for (; size; size -= 8, key += UINT64_C(0x9e3779b97f4a7c15)) {
        x = 0;
        for (int i = 8; i-- > 0;) x = x << 8 | p[i];
        sum += fuzz_mix(x ^ key);
        p += 8;
    }
    return sum;
}

// Its checksums put right, so that what they guard is reached.
static void fuzz_checked(const uint8_t *data, size_t size)
{
    uint8_t *bytes = (uint8_t *)fuzz_new(size);
    if (size) memcpy(bytes, data, size);
    if (size >= PADIC_SPARSE_HEADER) {
        padic_sparse_csr m;
        fuzz_store(bytes + 64, size);
        fuzz_store(bytes + 72, fuzz_sum(bytes, 72, 0));
        if (!sparse_info(bytes, size, &m)) {
            const uint64_t index = bytes[8], vals = padic_tensor_count(&m.val);
            const uint64_t plane[4] = {(m.rows + 1) * index, m.nnz * index,
                                       padic_tensor_count(&m.value) *
                                           padic_dtype_size(m.value.dtype),
                                       vals * padic_dtype_size(m.val.dtype)};
            size_t at = 80;
            for (uint64_t i = 0; i < 4; i++) {
                const size_t padded = (size_t)(plane[i] + 7) & ~(size_t)7;
                fuzz_store(bytes + at + padded, fuzz_sum(bytes + at, padded, i + 1));
                at += padded + 8;
            }
        }
        fuzz_bytes(bytes, size);
    }
    free(bytes);
}

// Arrays and fields of nonsense in blocks of exactly their size.
static void fuzz_arrays(const uint8_t *data, size_t size)
{
    padic_sparse_csr m;
    uint64_t bad;
    if (size < 32) return;
    memset(&m, 0, sizeof m);
    const uint64_t rows = data[0], nnz = data[1], wide = data[2] & 1 ? 8 : 4, cols = data[3];
    const padic_dtype dtype = (padic_dtype)(data[4] % 15);
    const uint64_t value = padic_dtype_size(dtype), words = data[9] % 3, vals = data[10];
    m.rows = rows + (data[5] & 1);
    m.cols = data[2] & 4 ? UINT64_MAX / (cols + 1) : cols;
    m.nnz = data[2] & 8 ? (uint64_t)data[6] << 40 | nnz : nnz;
    m.kind = (padic_sparse_kind)(data[7] % 4);
    m.val_of = (padic_sparse_val)(data[8] % 5);
    m.words = (uint32_t)words;
    m.p = data[11];
    m.precision = data[12];
    m.form = (padic_num_form)(data[13] % 8);
    m.mode = (padic_sparse_mode)(data[14] % 5);
    const uint64_t sizes[4] = {(rows + 1) * wide, nnz * wide, nnz * value * (words ? words : 1),
                               vals * 4};
    uint8_t *plane[4];
    for (int i = 0, at = 32; i < 4; i++) {
        plane[i] = (uint8_t *)fuzz_new((size_t)sizes[i]);
        for (uint64_t k = 0; k < sizes[i]; k++, at++)
            plane[i][k] = data[at % (int)(size < 100000 ? size : 100000)];
        if (i < 2) // small numbers more often than not
            for (uint64_t k = 0; k < sizes[i] / wide && data[15] & 1; k++)
                memset(plane[i] + k * wide + 1, 0, (size_t)wide - 1);
    }
    m.row_ptr = padic_tensor_1d(wide == 8 ? PADIC_I64 : PADIC_I32, plane[0], rows + 1);
    m.col = padic_tensor_1d(m.row_ptr.dtype, plane[1], nnz);
    m.value = padic_tensor_1d(dtype, plane[2], nnz * (words ? words : 1));
    m.val = padic_tensor_1d(PADIC_I32, plane[3], vals);
    const padic_sparse_csr before = m;
    uint64_t first, count;
    int64_t entry;
    (void)sparse_row(NULL, &m, data[16], &first, &count);
    (void)sparse_get(NULL, &m, data[16], data[17], &entry);
    if (!sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_STRUCTURE, &bad)) fuzz_use(&m);
    m = before;
    if (!sparse_validate(NULL, &m, PADIC_SPARSE_LEVEL_CANONICAL, &bad)) {
        fuzz_use(&m);
        uint8_t *bytes = (uint8_t *)fuzz_new(padic_sparse_write_size_bound(&m));
        size_t written;
        FUZZ_CHECK(!sparse_write(NULL, &m, bytes, padic_sparse_write_size_bound(&m), &written));
        fuzz_bytes(bytes, written);
        free(bytes);
    }
    m = before;
    padic_sparse_product_desc product; // not validated: operations look themselves
    memset(&product, 0, sizeof product);
    float y[256] = {0}, x[256] = {0};
    product.a = &m;
    product.x = padic_tensor_1d(PADIC_F32, x, m.cols < 256 ? m.cols : 256);
    product.y = padic_tensor_1d(PADIC_F32, y, m.rows < 256 ? m.rows : 256);
    (void)padic_sparse_product(NULL, &product);
    (void)sparse_scale(NULL, &m, &m, NULL);
    for (int i = 0; i < 4; i++) free(plane[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    if (data[0] == 'P') {
        fuzz_bytes(data, size);
        fuzz_checked(data, size);
    } else {
        fuzz_arrays(data, size);
    }
    return 0;
}
