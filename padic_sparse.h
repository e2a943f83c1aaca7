// padic_sparse.h: sparse matrices (compressed rows, CSR) of integers, floats, digits and p-adic
// numbers. Part of padic.h 0.1.0; MIT or Unlicense.
//
// padic_num.h includes it, twice: for the API, and with PADICI_AREAS_IMPLEMENTATION for the
// implementation. Include that; PADIC_NO_SPARSE before it leaves this header out.
//
// >>contents: search for the tag
//
//     >>sparse API        encode, decode, products, bytes; kernels of a backend
//     >>sparse impl       the implementation, in the same order

#ifndef PADIC_SPARSE_H
#define PADIC_SPARSE_H

#ifndef PADIC_NUM_H
#error "include padic_num.h, which includes padic_sparse.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

// room: src/sparse/api.h
// --------------------------------------------------------------------------------- >>sparse API
//
// Compressed sparse rows (CSR): row r has the entries row_ptr[r] to row_ptr[r + 1] - 1; each is a
// column and a value, columns strictly increasing, no zero stored. Everything is D0, the products
// of float matrices excepted (D1). Limits: rows, columns, entries < 2^48.

// What an entry is.
typedef enum padic_sparse_kind {
    PADIC_SPARSE_PLAIN = 0,  // one element of value.dtype: integers or real floats
    PADIC_SPARSE_DIGITS = 1, // row = one p-adic number, column k = its digit of p^k in [0, p)
    PADIC_SPARSE_NUMBERS = 2 // one p-adic number: its unit in `value`, as words of the ring
} padic_sparse_kind;

// What `val` has a valuation for. It belongs to the matrix and goes through every operation.
typedef enum padic_sparse_val {
    PADIC_SPARSE_VAL_NONE = 0,  // RING
    PADIC_SPARSE_VAL_ROW = 1,   // digits of FLOAT numbers
    PADIC_SPARSE_VAL_COL = 2,   // those transposed
    PADIC_SPARSE_VAL_ENTRY = 3  // FLOAT numbers
} padic_sparse_val;

// Which elements are kept.
typedef enum padic_sparse_mode {
    PADIC_SPARSE_NONZERO = 0,   // x != 0, NaN too; -0 is dropped and counted
    PADIC_SPARSE_BITS = 1,      // any bit is set: decode gives every bit back
    PADIC_SPARSE_THRESHOLD = 2, // |x| > t, NaN too; PLAIN only
    PADIC_SPARSE_NORM = 3       // v(x) < t, so |x|_p > p^-t; integers and numbers
} padic_sparse_mode;

// How; the bytes are the same. AUTO: what a calibration says; else, where the source lies on a
// device, that device's best; else THREADS for large input. SIMD and GPU_* are NOT_SUPPORTED where
// nothing does them. What lies elsewhere than the work is moved there and back.
typedef enum padic_sparse_method {
    PADIC_SPARSE_AUTO = 0,
    PADIC_SPARSE_SCALAR = 1,  // this thread, plain loops
    PADIC_SPARSE_SIMD = 2,    // this thread, a backend's loops
    PADIC_SPARSE_THREADS = 3, // the context's jobs; a backend's loops where there are some
    PADIC_SPARSE_GPU_ONE_PASS = 4, // reads once; CUDA only: groups wait for one another
    PADIC_SPARSE_GPU_BITMAP = 5,   // reads once, writes a bit an element, reads what is kept
    PADIC_SPARSE_GPU_REREAD = 6,   // reads twice: for dense data
    PADIC_SPARSE_METHODS = 7
} padic_sparse_method;

// How far the arrays have been looked at.
typedef enum padic_sparse_level {
    PADIC_SPARSE_UNKNOWN = 0,   // an operation validates STRUCTURE before it begins
    PADIC_SPARSE_STRUCTURE = 1, // row_ptr, and columns in range and strictly increasing
    PADIC_SPARSE_CANONICAL = 2  // also no zero stored; digits < p; units, valuations canonical
} padic_sparse_level;

// A matrix. The planes are dense views, in host memory or in buffers; their extents are capacities
// and may be larger than needed. An operation that makes a matrix is given one with
// planes, and sets everything else in it.
typedef struct padic_sparse_csr {
    uint64_t rows, cols, nnz;
    padic_tensor row_ptr; // I32 or I64, rows + 1
    padic_tensor col;     // of the same type, nnz
    padic_tensor value;   // nnz: U8 .. U64, I8 .. I64, F16, BF16, F32, F64; NUMBERS: U32 or U64,
                          // nnz times the words of a unit, those of one entry together, low first
    padic_tensor val;     // I32 or I16: rows, cols or nnz (see val_of)
    padic_sparse_kind kind;
    padic_sparse_val val_of;
    uint64_t p; // DIGITS, NUMBERS: the ring; else 0
    uint32_t precision;
    uint32_t words;       // NUMBERS: words of a unit; else 1
    padic_num_form form;  // of the ring
    padic_sparse_mode mode;
    double threshold;     // t, 0 where the mode has none
    padic_sparse_level trusted; // set by _validate and by whatever makes a matrix. Set by you, no
                                // operation looks any more, and wrong arrays lead it astray
} padic_sparse_csr;

// What encoding found.
typedef struct padic_sparse_report {
    uint64_t nnz;            // also when the capacity was too small
    uint64_t bytes;          // as padic_sparse_bytes() of the result, at its index width
    uint32_t index_size;     // recommended: 4 when rows, cols, nnz < 2^31, else 8
    uint64_t negative_zeros; // NONZERO: -0 that were dropped
    uint64_t dropped;        // THRESHOLD, NORM: elements not 0 that were dropped,
    double largest_dropped;  // THRESHOLD: and the largest of their |x| (64-bit integers: rounded)
    padic_sparse_method method; // that did it
} padic_sparse_report;

// Medians in ns of five encodings of 2^12, 2^16, 2^20, 2^24 elements by each method, -1 where it
// was not measured, and the fastest.
#define PADIC_SPARSE_CLASSES 4
typedef struct padic_sparse_calibration {
    double ns[PADIC_SPARSE_CLASSES][PADIC_SPARSE_METHODS];
    padic_sparse_method best[PADIC_SPARSE_CLASSES];
} padic_sparse_calibration;

// The source is `dense` or `numbers`. All zero but the source: NONZERO, AUTO.
typedef struct padic_sparse_encode_desc {
    padic_tensor dense;      // rank 1 (one row) or 2, any row stride, columns next to each other;
                             // any dtype but complex
    padic_num_array numbers; // RING or FLOAT, rows x cols, row by row
    uint64_t rows, cols;     // of numbers
    const padic_num_ring *ring; // NORM of an integer tensor: whose p
    padic_sparse_mode mode;
    double threshold; // t. THRESHOLD: finite, >= 0
    padic_sparse_method method;
    const padic_sparse_calibration *calibration;
    // U64, 4 elements in a buffer of the device: then encoding there waits for nothing (a recording
    // may hold it). Until padic_sparse_settle() out->nnz is only what its planes hold at most.
    padic_tensor totals;
} padic_sparse_encode_desc;

// The operations check sizes, types and capacities of every matrix. Common errors: ARGUMENT
// (a pointer missing, a mode that does not fit the source, t < 0, NaN or infinite, buffers without
// context), DTYPE, LIMIT (2^48; 2^31 rows, columns or entries with I32 indices), REGION (a row or
// column beyond the matrix), CAPACITY, MISMATCH (shapes or dtypes differ), RING (rings or models
// do), ALIGNMENT, OVERLAP, CORRUPT (a matrix that is not valid), NOT_SUPPORTED (method; BALL;
// strict).
//
// A matrix that is not `trusted` is looked at before it is read: row_ptr and columns lead nowhere
// outside. Its units, digits and valuations may be anything: then results are unspecified.

// Encoding has kernels for plain matrices and numbers of one word, decoding for plain matrices that
// are trusted. The other operations copy planes on a device to the host and back: NOT_SUPPORTED in
// a strict context. Numbers to digits and back, and decoding to numbers, want host memory.

// Only counts: *report, and row_ptr (I32 or I64, rows + 1) unless NULL.
PADIC_API padic_result padic_sparse_count(padic_context *context,
                                          const padic_sparse_encode_desc *desc,
                                          const padic_tensor *row_ptr, padic_sparse_report *report);
// Encodes into the planes of *out; `report` may be NULL. With CAPACITY row_ptr and nnz are right,
// col and value are not filled. If row_ptr, col and value of *out have neither data nor buffer,
// they are made in the context's pool, sized by a count: padic_sparse_destroy() gives them back.
PADIC_API padic_result padic_sparse_encode(padic_context *context, padic_sparse_csr *out,
                                           const padic_sparse_encode_desc *desc,
                                           padic_sparse_report *report);
// What desc->totals says of *out, which was encoded with it: nnz and *report (or NULL). Waits.
// CAPACITY.
PADIC_API padic_result padic_sparse_settle(padic_context *context, padic_sparse_csr *out,
                                           const padic_sparse_encode_desc *desc,
                                           padic_sparse_report *report);
// Matrices of one shape: `dense` has rank 3, or `numbers` count x rows x cols elements. The planes
// of out[0] hold all of them one after another, row_ptr `count` segments of rows + 1, each from 0;
// out[b] become views of their parts. `report` sums up.
PADIC_API padic_result padic_sparse_encode_batch(padic_context *context, padic_sparse_csr *out,
                                                 uint64_t count,
                                                 const padic_sparse_encode_desc *desc,
                                                 padic_sparse_report *report);
// The planes of a matrix whose rows, cols, nnz, kind, val_of, words and value.dtype are set
// (row_ptr.dtype 0: the recommended type; val.dtype 0: I32): in the context's pool; or in one
// block of padic_sparse_place_bound() bytes. MEMORY, CAPACITY.
PADIC_API padic_result padic_sparse_create(padic_context *context, padic_sparse_csr *csr);
PADIC_API size_t padic_sparse_place_bound(const padic_sparse_csr *csr);
PADIC_API padic_result padic_sparse_place(padic_sparse_csr *csr, void *memory, size_t size);
// Gives the buffers of the planes back and clears *csr. Buffers of your own go, too.
PADIC_API padic_result padic_sparse_destroy(padic_context *context, padic_sparse_csr *csr);

// Numbers to the digits of their units, cols = N, and back, without a dense matrix between. FLOAT:
// val by row; ZERO is an empty row, NaN the digits of its status byte (mod P).
// value: U8 (p <= 256), U16 (p <= 65,536), U32 (p <= 2^32) or U64, else ARGUMENT.
PADIC_API padic_result padic_sparse_from_num(padic_context *context, padic_sparse_csr *out,
                                             const padic_num_array *numbers);
PADIC_API padic_result padic_sparse_to_num(padic_context *context, const padic_num_array *numbers,
                                           const padic_sparse_csr *csr);

// Zeros and the entries, in one pass over `dense` (rank 2, or 1 for one row, of the matrix's dtype)
// or `numbers` (NUMBERS; rows x cols of them). The one not meant is NULL.
PADIC_API padic_result padic_sparse_decode(padic_context *context, const padic_tensor *dense,
                                           const padic_num_array *numbers,
                                           const padic_sparse_csr *csr);
// Looks at everything up to the level, which becomes csr->trusted. CORRUPT: *bad_row (may be NULL)
// is the first row that is not valid, `rows` when it is none of them.
PADIC_API padic_result padic_sparse_validate(padic_context *context, padic_sparse_csr *csr,
                                             padic_sparse_level level, uint64_t *bad_row);

// Entries *first to *first + *count - 1 are row `row`; LIMIT beyond the last. O(1).
PADIC_API padic_result padic_sparse_row(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t row, uint64_t *first, uint64_t *count);
// The entry at (row, col): binary search; *entry is -1 for a zero.
PADIC_API padic_result padic_sparse_get(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t row, uint64_t col, int64_t *entry);
// The same for a whole column: `entries` is I64, one for each row. O(rows log cols).
PADIC_API padic_result padic_sparse_col(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t col, const padic_tensor *entries);

// y = A x. x: cols or cols x m, y: rows or rows x m, row by row, m the same; `in` and `out` of the
// matrix's ring for NUMBERS (RING only), whose counts are cols m and rows m.
//   integers: any types; y I64 or U64, exact; a sum that y cannot hold is 0 and the call DOMAIN.
//   floats (D1): F64; F32; F16, BF16 with x of that type or F32 and y F32. The k-th entry of a row
//   goes to partial sum k mod 32, product and sum rounded once each; then neighbours are added
//   pairwise, 5 times. |error| <= (ceil(n / 32) + 6) eps sum |a x|, n entries in the row,
//   eps = 2^-24 or 2^-53.
typedef struct padic_sparse_product_desc {
    const padic_sparse_csr *a;
    padic_tensor x, y;
    padic_num_array in, out;
} padic_sparse_product_desc;
PADIC_API padic_result padic_sparse_spmv(padic_context *context,
                                         const padic_sparse_product_desc *desc); // m = 1
PADIC_API padic_result padic_sparse_spmm(padic_context *context,
                                         const padic_sparse_product_desc *desc);

// out = a transposed: a stable counting sort.
PADIC_API padic_result padic_sparse_transpose(padic_context *context, padic_sparse_csr *out,
                                              const padic_sparse_csr *a);
// out = alpha a + beta b, and alpha a, exact zeros removed; mode NONZERO. Same kind, shape, dtype
// and ring; not DIGITS. alpha, beta point to an int64_t (integers; a result that does not fit is
// left out and the call DOMAIN), a double (floats; rounded to F32 for F32 and less, F16 and BF16
// work in F32; each operation rounded once) or a padic_num_value (NUMBERS of a RING up to W128);
// NULL: 1. `out` may be `a` in _scale only. CAPACITY: out->nnz is what is needed.
PADIC_API padic_result padic_sparse_add(padic_context *context, padic_sparse_csr *out,
                                        const padic_sparse_csr *a, const padic_sparse_csr *b,
                                        const void *alpha, const void *beta);
PADIC_API padic_result padic_sparse_scale(padic_context *context, padic_sparse_csr *out,
                                          const padic_sparse_csr *a, const void *alpha);

// All the bytes of a matrix: nnz (value + index) + (rows + 1) pointers + valuations + the header.
#define PADIC_SPARSE_HEADER 112u // of the byte form, its five checksums included
PADIC_API uint64_t padic_sparse_bytes(const padic_sparse_csr *csr);
// The least t with which THRESHOLD keeps at most `nnz` entries (0: no limit) of `dense` in at most
// `bytes` (0: no limit) with indices of index_size (0: recommended). LIMIT when even the largest t
// takes more; report->bytes and nnz are then that floor. (A row of k bytes costs k bytes dense and
// at least one pointer of 4 sparse: "20 times smaller" rows of 4 digits do not exist.)
PADIC_API padic_result padic_sparse_fit(padic_context *context, const padic_tensor *dense,
                                        uint64_t nnz, uint64_t bytes, uint32_t index_size,
                                        double *threshold, padic_sparse_report *report);

// Bytes: magic PDS, version 1, little-endian: header, row_ptr, col, value, val, each 8-byte aligned
// with a checksum. Reading any bytes is safe. Errors of info and read: CORRUPT, CHECKSUM, VERSION;
// of read also CAPACITY when the planes of *out are too small (*out has the sizes), and DTYPE.
PADIC_API size_t padic_sparse_write_bound(const padic_sparse_csr *csr);
PADIC_API padic_result padic_sparse_write(padic_context *context, const padic_sparse_csr *csr,
                                          void *bytes, size_t capacity, size_t *size);
// Everything in *csr but memory: planes have a dtype and no data, for _place or _create.
PADIC_API padic_result padic_sparse_info(const void *bytes, size_t size, padic_sparse_csr *csr);
PADIC_API padic_result padic_sparse_read(padic_context *context, padic_sparse_csr *out,
                                         const void *bytes, size_t size);

// Measures the methods on the first rows of desc->dense, into the planes of *out, for a later
// desc->calibration: once to warm up, then five times, in each size class that `dense` fills. The
// first failure is returned and *table is then zero.
PADIC_API padic_result padic_sparse_calibrate(padic_context *context, padic_sparse_csr *out,
                                              const padic_sparse_encode_desc *desc,
                                              padic_sparse_calibration *table);

// Kernels of a backend (see >>kernel API). A key is a word of `size` bytes; it is kept when
// ((key factor + bias) & mask) > limit, modulo 2^(8 size) and unsigned: every mode is of this form.
typedef enum padic_sparse_kernel {
    PADIC_KERNEL_SPARSE_COUNT = 3000, // sets `kept`, and row_ptr
    PADIC_KERNEL_SPARSE_FILL = 3001,  // and col and value
    PADIC_KERNEL_SPARSE_ENCODE = 3100, // from here on in a device's memory, by its `drive`
    PADIC_KERNEL_SPARSE_DECODE = 3101
} padic_sparse_kernel;

typedef struct padic_sparse_call {
    const void *key;             // element 0 of row 0; aligned as an element, no more
    uint64_t rows, cols, stride; // of this call; keys from row to row
    uint32_t size, index_size;   // 1, 2, 4, 8; 4, 8
    uint64_t factor, bias, mask, limit;
    uint64_t first;  // FILL: the column of element 0
    uint64_t start;  // kept before this call,
    void *row_ptr;   // unless NULL, entry r becomes start + kept in the rows before r
    void *col;       // FILL: columns of kept keys
    void *value;     // FILL: kept keys; NULL: none wanted
    uint64_t room;   // FILL: at least `kept`. Anything may be written to this many entries
    uint64_t kept;   // out: of all rows together
} padic_sparse_call;
// room: src/padic_sparse.in.h:24

#ifdef __cplusplus
}
#endif

// ================================================================================================
#elif defined(PADICI_AREAS_IMPLEMENTATION)

// room: src/sparse/sparse.c
// ------------------------------------------------------------------------------- >>sparse impl
//
// Every mode is one test of words (padic_sparse_call). A source goes through in pieces that stay in
// the first caches, each by a backend's kernel or the plain loop. One thread fills as it goes while
// a piece surely fits; several count first, and fill while the keys are still in their caches.

#define PADICI_SPARSE_PIECE 32768u    // keys of a piece
#define PADICI_SPARSE_GATHERED 1024u  // of one whose numbers are collected afterwards
#define PADICI_SPARSE_TASK 131072u    // keys of a task,
#define PADICI_SPARSE_TASKS 32u       // so many at once
#define PADICI_SPARSE_INTEGERS 0x1fe0u // PADIC_I8 .. PADIC_U64 as bits
#define PADICI_SPARSE_SIGNED 0x1e0u
#define PADICI_SPARSE_FLOATS 0x1eu // PADIC_F64 .. PADIC_BF16
#define PADICI_SPARSE_INDICES (1u << PADIC_I32 | 1u << PADIC_I64)

static int padici_sparse_is(padic_dtype dtype, uint32_t mask)
{
    return (uint32_t)dtype < 15 && mask >> (uint32_t)dtype & 1;
}

// Words of 1, 2, 4 or 8 bytes at any alignment; `size` is a constant where speed matters.
PADICI_INLINE uint64_t padici_sparse_key(const uint8_t *p, uint32_t size)
{
    uint64_t x;
    uint32_t y;
    uint16_t z;
    if (size == 1) return *p;
    if (size == 2) return memcpy(&z, p, 2), z;
    if (size == 4) return memcpy(&y, p, 4), y;
    return memcpy(&x, p, 8), x;
}

PADICI_INLINE void padici_sparse_key_set(uint8_t *p, uint32_t size, uint64_t x)
{
    const uint32_t y = (uint32_t)x;
    const uint16_t z = (uint16_t)x;
    if (size == 1)
        *p = (uint8_t)x;
    else if (size == 2)
        memcpy(p, &z, 2);
    else if (size == 4)
        memcpy(p, &y, 4);
    else
        memcpy(p, &x, 8);
}

PADICI_INLINE uint64_t padici_sparse_index(const uint8_t *p, uint32_t wide, uint64_t i)
{
    return wide ? padici_sparse_key(p + 8 * i, 8) : padici_sparse_key(p + 4 * i, 4);
}

PADICI_INLINE void padici_sparse_index_set(uint8_t *p, uint32_t wide, uint64_t i, uint64_t x)
{
    padici_sparse_key_set(p + (wide ? 8 : 4) * i, wide ? 8 : 4, x);
}

// f16, bf16 and f32 to f32, exactly.
PADICI_INLINE float padici_sparse_single(padic_dtype dtype, const uint8_t *p)
{
    uint32_t bits = (uint32_t)padici_sparse_key(p, dtype == PADIC_F32 ? 4 : 2);
    const uint32_t m = bits & 0x7fffu;
    float x;
    if (dtype == PADIC_F16 && m < 0x400u) { // subnormal, zero
        x = (float)(int32_t)m * (1.0f / 16777216.0f);
        return bits >> 15 ? -x : x;
    }
    if (dtype == PADIC_BF16) bits <<= 16;
    if (dtype == PADIC_F16)
        bits = (bits & 0x8000u) << 16 | ((m << 13) + (m < 0x7c00u ? 0x38000000u : 0x70000000u));
    memcpy(&x, &bits, 4);
    return x;
}

PADICI_INLINE double padici_sparse_double(padic_dtype dtype, const uint8_t *p)
{
    double x;
    if (dtype != PADIC_F64) return (double)padici_sparse_single(dtype, p);
    memcpy(&x, p, 8);
    return x;
}

// f32 to f16 or bf16: nearest, ties to even; a NaN stays one.
static void padici_sparse_narrow(padic_dtype dtype, uint8_t *p, float x)
{
    const uint64_t inf = dtype == PADIC_F16 ? 0x7c00 : 0x7f80;
    uint32_t bits, m, inexact, overflow;
    uint64_t to;
    memcpy(&bits, &x, 4);
    m = bits & 0x7fffffffu;
    if (m >= 0x7f800000u)
        to = inf | (m > 0x7f800000u ? 0x40 : 0);
    else
        to = padici_float_round(dtype, (m & 0x7fffffu) | (m >> 23 ? 0x800000u : 0),
                                (m >> 23 ? (int64_t)(m >> 23) : 1) - 150, 0, &inexact, &overflow);
    padici_sparse_key_set(p, 2, to | (bits >> 16 & 0x8000u));
}

// Matrices

// A matrix as loops want it; `room` is how many entries its planes hold.
typedef struct padici_sparse {
    uint8_t *row_ptr, *col, *value, *val;
    uint64_t rows, cols, nnz, room, vals; // vals: number of valuations
    uint32_t wide, entry;                 // 8-byte indices; bytes of a value
    uint32_t size[4];                     // of one element of each plane
    uint64_t bytes[4];                    // that the matrix takes in them
} padici_sparse;

static padic_tensor *padici_sparse_tensor(padic_sparse_csr *a, uint32_t i)
{
    return i == 0 ? &a->row_ptr : i == 1 ? &a->col : i == 2 ? &a->value : &a->val;
}

static uint8_t *padici_sparse_plane(const padici_sparse *m, uint32_t i)
{
    return i == 0 ? m->row_ptr : i == 1 ? m->col : i == 2 ? m->value : m->val;
}

// All that can be said of a matrix without its memory.
static padic_result padici_sparse_head(const padic_sparse_csr *a, padici_sparse *m)
{
    const padic_dtype index = a->row_ptr.dtype;
    const uint64_t any = a->rows | a->cols | a->nnz;
    const int numbers = a->kind == PADIC_SPARSE_NUMBERS, digits = a->kind == PADIC_SPARSE_DIGITS;
    const uint32_t words = numbers ? a->words : 1, val = (uint32_t)a->val_of;
    memset(m, 0, sizeof *m);
    if ((uint32_t)a->kind > 2 || (uint32_t)a->mode > 3 || (uint32_t)a->trusted > 2 ||
        (val && !(numbers && val == 3) && !(digits && val < 3)) || words - 1 > 65535u ||
        (!numbers && a->words > 1) ||
        (a->kind && (a->p < 2 || !a->precision || a->precision > PADIC_NUM_MAX_PRECISION)))
        return PADIC_ERROR_ARGUMENT;
    if (!padici_sparse_is(index, PADICI_SPARSE_INDICES) || a->col.dtype != index ||
        !padici_sparse_is(a->value.dtype,
                          numbers  ? 1u << PADIC_U32 | 1u << PADIC_U64
                          : digits ? PADICI_SPARSE_INTEGERS & ~PADICI_SPARSE_SIGNED
                                   : PADICI_SPARSE_INTEGERS | PADICI_SPARSE_FLOATS) ||
        (val && !padici_sparse_is(a->val.dtype, 1u << PADIC_I32 | 1u << PADIC_I16)))
        return PADIC_ERROR_DTYPE;
    m->rows = a->rows;
    m->cols = a->cols;
    m->nnz = m->room = a->nnz;
    m->vals = val == PADIC_SPARSE_VAL_ROW     ? a->rows
              : val == PADIC_SPARSE_VAL_COL   ? a->cols
              : val == PADIC_SPARSE_VAL_ENTRY ? a->nnz
                                              : 0;
    m->wide = index == PADIC_I64;
    m->size[0] = m->size[1] = padic_dtype_size(index);
    m->size[2] = padic_dtype_size(a->value.dtype);
    m->size[3] = val ? padic_dtype_size(a->val.dtype) : 0;
    m->entry = m->size[2] * words;
    if (any >> 48 || (!m->wide && any >> 31) || !padici_mul_u64(a->nnz, m->entry, &m->bytes[2]) ||
        m->bytes[2] >> 62)
        return PADIC_ERROR_LIMIT;
    m->bytes[0] = (a->rows + 1) * m->size[0];
    m->bytes[1] = a->nnz * m->size[1];
    m->bytes[3] = m->vals * m->size[3];
    return PADIC_OK;
}

// The planes of a matrix; `out`: one to be made, nnz still 0, whose room is looked up.
static padic_result padici_sparse_planes_in(padic_context *context, padici_num_space *space,
                                            const padic_sparse_csr *a, int out, padici_sparse *m)
{
    static const char *const name[4] = {"row_ptr", "col", "value", "val"};
    uint32_t i;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (a) result = padici_sparse_head(a, m);
    if (result)
        padici_blame(context, result, "csr", NULL,
                     !a                             ? "is NULL"
                     : result == PADIC_ERROR_DTYPE ? "has a dtype that its kind does not take: I32 "
                                                     "or I64 indices, values as documented"
                     : result == PADIC_ERROR_LIMIT ? "has 2^48 rows, cols or nnz, or 2^31 with I32 "
                                                     "indices: use I64"
                                                   : "has a kind, val_of, mode, words, p or "
                                                     "precision that makes no sense");
    if (out) m->room = UINT64_MAX;
    for (i = 0; i < 4 && !result; i++) {
        const padic_tensor *t = padici_sparse_tensor((padic_sparse_csr *)(uintptr_t)a, i);
        uint64_t room;
        void *p = NULL;
        if (i == 3 && !a->val_of) break;
        result = padici_tensor_check_shape(t, &room);
        if (!result && room < m->bytes[i] / m->size[i]) result = PADIC_ERROR_CAPACITY;
        if (!result)
            result = padici_num_plane_in(context, space, t, room, 1u << (uint32_t)t->dtype, &p);
        if (result) return padici_blame(context, result, name[i], NULL, NULL);
        *(i == 0 ? &m->row_ptr : i == 1 ? &m->col : i == 2 ? &m->value : &m->val) = (uint8_t *)p;
        if (i == 2) room /= m->entry / m->size[2];
        if (out && i && room < m->room && (i < 3 || a->val_of == PADIC_SPARSE_VAL_ENTRY))
            m->room = room;
    }
    return result;
}

static padic_result padici_sparse_planes(padic_context *context, const padic_sparse_csr *a, int out,
                                         padici_sparse *m)
{
    return padici_sparse_planes_in(context, NULL, a, out, m);
}

static padic_result padici_sparse_check(const padic_sparse_csr *a, const padici_sparse *m,
                                        padic_sparse_level level, uint64_t *bad);

// A matrix to be read: valid, or trusted to be.
static padic_result padici_sparse_open(padic_context *context, const padic_sparse_csr *a,
                                       padici_sparse *m)
{
    padic_result result = padici_sparse_planes(context, a, 0, m);
    if (result || a->trusted) return result;
    return padici_sparse_check(a, m, PADIC_SPARSE_STRUCTURE, NULL);
}

// The memory of a matrix in a list for padici_num_overlap(). `same`: an equal one may coincide.
static void padici_sparse_ranges(const padici_sparse *m, uint32_t same, uint32_t out,
                                 padici_num_range *list, uint32_t *n)
{
    uint32_t i;
    for (i = 0; i < 4; i++) {
        uint64_t bytes = m->bytes[i];
        if (out && (i == 1 || i == 2)) bytes = m->room * (i == 1 ? m->size[1] : m->entry);
        padici_num_range_add(list, n, padici_sparse_plane(m, i), bytes, same ? i + 1 : 0, out);
    }
}

static padic_result padici_sparse_end(padic_context *context, const char *name, padic_result result)
{
    if (!result) return result;
    if (result == PADIC_ERROR_CORRUPT)
        padici_blame(context, result, NULL, NULL,
                     "the matrix is not valid: sparse_validate says in which row");
    return padici_fault(context, result, name);
}


PADIC_API uint64_t padic_sparse_bytes(const padic_sparse_csr *csr)
{
    padici_sparse m;
    if (!csr || padici_sparse_head(csr, &m)) return 0;
    return m.bytes[0] + m.bytes[1] + m.bytes[2] + m.bytes[3] + PADIC_SPARSE_HEADER;
}

// Types that are not chosen yet, and the shapes of the planes, without memory.
static padic_result padici_sparse_lay(padic_sparse_csr *a, padici_sparse *m)
{
    uint32_t i;
    padic_result result;
    if (!a->row_ptr.dtype)
        a->row_ptr.dtype = (a->rows | a->cols | a->nnz) >> 31 ? PADIC_I64 : PADIC_I32;
    a->col.dtype = a->row_ptr.dtype;
    if (a->val_of && !a->val.dtype) a->val.dtype = PADIC_I32;
    if ((result = padici_sparse_head(a, m)) != PADIC_OK) return result;
    for (i = 0; i < 4; i++) {
        padic_tensor *t = padici_sparse_tensor(a, i);
        *t = padic_tensor_1d(t->dtype, NULL, m->size[i] ? m->bytes[i] / m->size[i] : 0);
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_sparse_create(padic_context *context, padic_sparse_csr *csr)
{
    padic_sparse_csr next;
    padici_sparse m;
    uint32_t i;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (csr) next = *csr;
    if (context && csr) result = padici_sparse_lay(&next, &m);
    if (result) return padici_sparse_end(context, "sparse_create", result);
    for (i = 0; i < 4 && !result; i++) {
        padic_buffer_desc desc = PADIC_ZERO;
        desc.size = m.bytes[i];
        if (desc.size)
            result = padic_buffer_create(context, &desc, &padici_sparse_tensor(&next, i)->buffer);
    }
    next.trusted = PADIC_SPARSE_UNKNOWN;
    if (result)
        padic_sparse_destroy(context, &next);
    else
        *csr = next;
    return result;
}

PADIC_API size_t padic_sparse_place_bound(const padic_sparse_csr *csr)
{
    padic_sparse_csr next;
    padici_sparse m;
    uint64_t sum = 63;
    uint32_t i;
    if (csr) next = *csr;
    if (!csr || padici_sparse_lay(&next, &m)) return 0;
    for (i = 0; i < 4; i++) padici_num_take(NULL, &sum, m.bytes[i]);
    return sum > (size_t)-1 / 2 ? 0 : (size_t)sum;
}

PADIC_API padic_result padic_sparse_place(padic_sparse_csr *csr, void *memory, size_t size)
{
    const size_t skip = (size_t)(0u - (uintptr_t)memory) & 63, need = padic_sparse_place_bound(csr);
    padici_sparse m;
    uint64_t at = 0;
    uint32_t i;
    if (!csr || !memory || !need) return PADIC_ERROR_ARGUMENT;
    if (size < skip || size - skip < need - 63) return PADIC_ERROR_CAPACITY;
    padici_sparse_lay(csr, &m);
    for (i = 0; i < 4; i++)
        padici_sparse_tensor(csr, i)->data =
            padici_num_take((char *)memory + skip, &at, m.bytes[i]);
    csr->trusted = PADIC_SPARSE_UNKNOWN;
    return PADIC_OK;
}

PADIC_API padic_result padic_sparse_destroy(padic_context *context, padic_sparse_csr *csr)
{
    padic_result result = PADIC_OK, one;
    uint32_t i;
    if (!context || !csr) return padici_sparse_end(context, "sparse_destroy", PADIC_ERROR_ARGUMENT);
    for (i = 0; i < 4; i++) {
        const padic_buffer buffer = padici_sparse_tensor(csr, i)->buffer;
        one = buffer.id ? padic_buffer_destroy(context, buffer) : PADIC_OK;
        if (!result) result = one;
    }
    memset(csr, 0, sizeof *csr);
    return result;
}

// Tests

typedef struct padici_sparse_test {
    uint64_t factor, bias, mask, limit;
} padici_sparse_test;

PADICI_INLINE uint64_t padici_sparse_full(uint32_t size)
{
    return UINT64_MAX >> (64 - 8 * size);
}

// |x| > limit.
static padici_sparse_test padici_sparse_above(padic_dtype dtype, uint64_t limit)
{
    const uint64_t full = padici_sparse_full(padic_dtype_size(dtype));
    const int is_signed = padici_sparse_is(dtype, PADICI_SPARSE_SIGNED);
    padici_sparse_test t = {1, 0, 0, 0};
    t.mask = padici_sparse_is(dtype, PADICI_SPARSE_FLOATS) ? full / 2 : full;
    t.limit = full;
    if (limit > (is_signed ? full / 2 : full - 1)) return t; // none
    t.bias = is_signed ? limit : 0;
    t.limit = is_signed ? 2 * limit : limit;
    return t;
}

// v(x) < t: x is not a multiple of p^t. For odd q and w bits, x q^-1 mod 2^w is the quotient if q
// divides x, and else beyond every quotient.
static padici_sparse_test padici_sparse_below(padic_dtype dtype, uint64_t p, int64_t t)
{
    const uint64_t full = padici_sparse_full(padic_dtype_size(dtype));
    const int is_signed = padici_sparse_is(dtype, PADICI_SPARSE_SIGNED);
    padici_sparse_test x = padici_sparse_above(dtype, t > 0 ? 0 : UINT64_MAX);
    uint64_t q = 1;
    int64_t i;
    if (t <= 0) return x;
    for (i = 0; i < t; i++)
        if (!padici_mul_u64(q, p, &q) || q > full) return x; // only 0 is divisible
    if (p == 2) {
        x.mask = q - 1;
        return x;
    }
    x.factor = padici_inverse64(q);
    x.bias = is_signed ? full / 2 / q : 0;
    x.limit = is_signed ? 2 * x.bias : full / q;
    return x;
}

// The same of a plane of valuations of `size` bytes: v < t as ~(v + 2^(w-1)) > ~(t + 2^(w-1)).
static padici_sparse_test padici_sparse_below_val(uint32_t size, int64_t t)
{
    const uint64_t full = padici_sparse_full(size);
    const int64_t most = (int64_t)(full / 2);
    padici_sparse_test x = {0, 0, 0, 0};
    x.factor = x.mask = full;
    x.bias = full / 2;
    t = t > most ? most : t < -most ? -most : t; // NaN is always kept
    x.limit = (full / 2 - (uint64_t)t) & full;
    return x;
}

// The magnitude of a float or integer type as a number, and the largest whose number is <= t.
static double padici_sparse_magnitude(padic_dtype dtype, uint64_t m)
{
    uint8_t p[8];
    if (!padici_sparse_is(dtype, PADICI_SPARSE_FLOATS)) return (double)m;
    padici_sparse_key_set(p, padic_dtype_size(dtype), m);
    return padici_sparse_double(dtype, p);
}

static uint64_t padici_sparse_limit(padic_dtype dtype, double t)
{
    static const uint64_t inf[5] = {0, UINT64_C(0x7ff0000000000000), 0x7f800000, 0x7c00, 0x7f80};
    uint64_t low = 0, high = padici_sparse_full(padic_dtype_size(dtype));
    if (!padici_sparse_is(dtype, PADICI_SPARSE_FLOATS))
        return t >= (double)high ? high : (uint64_t)t;
    high = inf[dtype] - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (padici_sparse_magnitude(dtype, middle) <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Loops

PADICI_INLINE int padici_sparse_kept(const padic_sparse_call *c, uint64_t key)
{
    return ((key * c->factor + c->bias) & c->mask) > c->limit;
}

// Counters of one width, and the largest |x| that is at most `most`: simple enough for compilers to
// do many at once. A counter as wide as a key does not overflow within a block.
#define PADICI_SPARSE_WIDTH(T, W, BITS, BLOCK)                                                    \
    static uint64_t padici_sparse_count##BITS(const padic_sparse_call *c, const uint8_t *key)     \
    {                                                                                             \
        const W factor = (W)c->factor, bias = (W)c->bias;                                         \
        const T mask = (T)c->mask, limit = (T)c->limit;                                           \
        const int simple = factor == 1 && !bias;                                                  \
        uint64_t total = 0, i = 0;                                                                \
        while (i < c->cols) {                                                                     \
            const uint64_t stop = c->cols - i > (BLOCK) ? i + (BLOCK) : c->cols;                  \
            T kept = 0, k;                                                                        \
            if (simple)                                                                           \
                for (; i < stop; i++) {                                                           \
                    memcpy(&k, key + i * sizeof k, sizeof k);                                     \
                    kept = (T)(kept + ((T)(k & mask) > limit));                                   \
                }                                                                                 \
            for (; i < stop; i++) {                                                               \
                memcpy(&k, key + i * sizeof k, sizeof k);                                         \
                kept = (T)(kept + ((T)((T)(k * factor + bias) & mask) > limit));                  \
            }                                                                                     \
            total += kept;                                                                        \
        }                                                                                         \
        return total;                                                                             \
    }                                                                                             \
    static uint64_t padici_sparse_largest##BITS(const uint8_t *key, uint64_t n, uint64_t mask,    \
                                                int is_signed, uint64_t most)                     \
    {                                                                                             \
        const T all = (T)mask, top = (T)most;                                                     \
        T best = 0, k, s;                                                                         \
        uint64_t i;                                                                               \
        for (i = 0; i < n; i++) {                                                                 \
            memcpy(&k, key + i * sizeof k, sizeof k);                                             \
            s = (T)(is_signed ? (W)0 - (W)(k >> ((BITS)-1)) : 0);                                 \
            k = (T)(((W)(k & all) ^ s) - s);                                                      \
            if (k <= top && k > best) best = k;                                                   \
        }                                                                                         \
        return best;                                                                              \
    }
PADICI_SPARSE_WIDTH(uint8_t, uint32_t, 8, 255u)
PADICI_SPARSE_WIDTH(uint16_t, uint32_t, 16, 65535u)
PADICI_SPARSE_WIDTH(uint32_t, uint32_t, 32, 1u << 30)
PADICI_SPARSE_WIDTH(uint64_t, uint64_t, 64, 1u << 30)

// The entries of one row from `at` on; what `at` is afterwards. Writes without a branch while there
// is room for one more than is kept.
PADICI_INLINE uint64_t padici_sparse_fill(const padic_sparse_call *c, const uint8_t *key,
                                          uint64_t at, uint32_t size, uint32_t wide)
{
    const uint32_t each = 8 / size, any = c->factor == 1 && !(c->bias | c->limit);
    const uint64_t spread = c->mask * (UINT64_MAX / padici_sparse_full(size));
    uint8_t *col = (uint8_t *)c->col, *value = (uint8_t *)c->value;
    uint64_t i, j, n;
    for (i = 0; i < c->cols; i += n, key += n * size) {
        int sure;
        n = c->cols - i;
        if (n >= each) {
            n = each;
            if (any && !(padici_sparse_key(key, 8) & spread)) continue;
        }
        sure = value && n == each && c->room - at >= each;
        for (j = 0; j < n; j++) {
            const uint64_t k = padici_sparse_key(key + j * size, size);
            if (!sure && !padici_sparse_kept(c, k)) continue;
            padici_sparse_index_set(col, wide, at, c->first + i + j);
            if (value) padici_sparse_key_set(value + at * size, size, k);
            at += (uint64_t)padici_sparse_kept(c, k);
        }
    }
    return at;
}

static uint64_t padici_sparse_fill_row(const padic_sparse_call *c, const uint8_t *key, uint64_t at)
{
    switch (c->size * 16 + c->index_size) {
    case 1 * 16 + 4: return padici_sparse_fill(c, key, at, 1, 0);
    case 1 * 16 + 8: return padici_sparse_fill(c, key, at, 1, 1);
    case 2 * 16 + 4: return padici_sparse_fill(c, key, at, 2, 0);
    case 2 * 16 + 8: return padici_sparse_fill(c, key, at, 2, 1);
    case 4 * 16 + 4: return padici_sparse_fill(c, key, at, 4, 0);
    case 4 * 16 + 8: return padici_sparse_fill(c, key, at, 4, 1);
    case 8 * 16 + 4: return padici_sparse_fill(c, key, at, 8, 0);
    default: return padici_sparse_fill(c, key, at, 8, 1);
    }
}

static void padici_sparse_plain(padic_sparse_call *c, uint32_t kernel)
{
    const uint8_t *key = (const uint8_t *)c->key;
    uint64_t r, at = 0;
    for (r = 0; r < c->rows; r++, key += c->stride * c->size) {
        if (c->row_ptr)
            padici_sparse_index_set((uint8_t *)c->row_ptr, c->index_size == 8, r, c->start + at);
        if (kernel == PADIC_KERNEL_SPARSE_FILL)
            at = padici_sparse_fill_row(c, key, at);
        else
            at += c->size == 1   ? padici_sparse_count8(c, key)
                  : c->size == 2 ? padici_sparse_count16(c, key)
                  : c->size == 4 ? padici_sparse_count32(c, key)
                                 : padici_sparse_count64(c, key);
    }
    c->kept = at;
}

// Sources

typedef struct padici_sparse_source {
    const uint8_t *key; // NULL: made from numbers of several words
    uint64_t rows, cols, stride, offset; // offset: where element (0, 0) lies, in elements
    padic_dtype dtype;  // of values
    uint32_t size;      // of keys
    padici_sparse_test test, other; // other: what `negative_zeros` and `dropped` are told by
    uint32_t has_other, has_largest;
    uint64_t most;              // THRESHOLD: limit as a magnitude
    const padic_num_ring *ring; // of numbers
    padic_num_planes planes;
    padic_dtype val_dtype;
    uint32_t gather; // units are collected by column
    int64_t below;   // the t of made keys
    padici_num_space space; // of the memory that a device has of this source, and of the result
    uint32_t device;        // 1: the source is there
} padici_sparse_source;

// 0 for zero, 2 where v < t, else 1, of a number of several words.
static uint8_t padici_sparse_class(const padici_sparse_source *s, uint64_t i)
{
    const padic_num_ring *r = s->ring;
    uint64_t step, at = padici_num_at(r, &s->planes, i, &step), u[2];
    uint32_t k;
    if (r->form == PADIC_NUM_W128) {
        u[0] = padici_word(r, s->planes.unit, at);
        u[1] = padici_word(r, s->planes.unit, at + step);
        if (!(u[0] | u[1])) return 0;
        return s->below >= (int64_t)r->precision || padici_ring_valuation(r, u) < s->below ? 2 : 1;
    }
    for (k = 0; k < r->words; k++) {
        u[0] = padici_word(r, s->planes.unit, at + k * step);
        if (u[0]) return k * r->limb_digits + padici_split1(r, u[0], u + 1) < s->below ? 2 : 1;
    }
    return 0;
}

static padic_result padici_sparse_numbers(padic_context *context, padici_sparse_source *s,
                                          const padic_sparse_encode_desc *desc, uint64_t batch)
{
    const padic_num_array *a = &desc->numbers;
    const padic_num_ring *r = a->ring;
    // the least integer t that does: |t| is at most what a plane of valuations holds
    const double up = desc->threshold > 2147483647.0 ? 2147483647.0
                      : desc->threshold < -2147483647.0 ? -2147483647.0
                                                        : desc->threshold;
    const int64_t t = desc->mode == PADIC_SPARSE_NORM
                          ? (int64_t)up + (up > (double)(int64_t)up)
                          : INT64_MAX;
    padic_result result;
    if (!padici_ring_is(r) || desc->mode == PADIC_SPARSE_THRESHOLD) return PADIC_ERROR_ARGUMENT;
    if (r->composite || (uint32_t)a->model > PADIC_NUM_FLOAT) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_mul_u64(desc->rows, desc->cols, &s->stride) ||
        !padici_mul_u64(s->stride, batch, &s->stride) || s->stride != a->count)
        return PADIC_ERROR_MISMATCH;
    result = padici_num_planes_in(context, &s->space, a, &s->planes);
    if (result) return result;
    s->device = s->space.mems > 0;
    s->ring = r;
    s->rows = desc->rows;
    s->cols = s->stride = desc->cols;
    s->dtype = r->unit_size == 4 ? PADIC_U32 : PADIC_U64;
    s->has_other = desc->mode == PADIC_SPARSE_NORM;
    s->below = t;
    s->gather = a->model == PADIC_NUM_FLOAT || r->words > 1;
    if (a->model == PADIC_NUM_FLOAT) {
        s->val_dtype = a->val.dtype;
        s->size = s->planes.val16 ? 2 : 4;
        s->key = (const uint8_t *)s->planes.val;
        s->test = padici_sparse_below_val(s->size, t);
        s->other = padici_sparse_below_val(s->size, INT64_MAX);
    } else if (r->words > 1) {
        s->size = 1;
        s->test = padici_sparse_above(PADIC_U8, 1);
        s->other = padici_sparse_above(PADIC_U8, 0);
    } else {
        s->size = r->unit_size;
        s->key = (const uint8_t *)s->planes.unit;
        s->test = padici_sparse_below(s->dtype, r->p, t);
        s->other = padici_sparse_above(s->dtype, 0);
    }
    return PADIC_OK;
}

// `t`: rank 1 or 2, or 3 for `batch` matrices *step elements apart.
static padic_result padici_sparse_dense(padic_context *context, padici_num_space *space,
                                        padici_sparse_source *s, const padic_tensor *t,
                                        uint64_t batch, uint64_t *step)
{
    const uint32_t axis = t->rank > 1 ? t->rank - 2 : 0; // of rows
    int64_t stride[PADIC_MAX_RANK];
    uint64_t count;
    void *p;
    padic_result result = padici_tensor_check_shape(t, &count);
    if (result) return result;
    if (!padici_sparse_is(t->dtype, PADICI_SPARSE_INTEGERS | PADICI_SPARSE_FLOATS))
        return PADIC_ERROR_DTYPE;
    if (t->rank < 1 || t->rank > 3 || (t->rank == 3) != (batch != 0) ||
        (batch && t->shape[0] != batch))
        return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(t->data, padic_dtype_size(t->dtype))) return PADIC_ERROR_ALIGNMENT;
    padici_tensor_dense(t, stride);
    s->dtype = t->dtype;
    s->size = padic_dtype_size(t->dtype);
    s->rows = t->rank > 1 ? t->shape[axis] : 1;
    s->cols = t->shape[t->rank - 1];
    s->stride = t->rank > 1 ? (uint64_t)stride[axis] : s->cols;
    if (step) *step = (uint64_t)stride[0];
    if (s->cols > 1 && (stride[t->rank - 1] != 1 || (s->rows > 1 && s->stride < s->cols)))
        return PADIC_ERROR_ARGUMENT;
    if (!t->data && s->rows > 1 && s->stride != s->cols) return PADIC_ERROR_ARGUMENT; // in a buffer
    result = padici_space_pointer(context, space, t, count, &p);
    if (result) return result;
    s->device = space && space->mems > 0;
    s->key = (const uint8_t *)p;
    return count && !p ? PADIC_ERROR_ARGUMENT : PADIC_OK;
}

static padic_result padici_sparse_mode_of(padici_sparse_source *s,
                                          const padic_sparse_encode_desc *desc)
{
    const int is_float = padici_sparse_is(s->dtype, PADICI_SPARSE_FLOATS);
    const double t = desc->threshold, up = t > 64 ? 64 : t;
    s->other = s->test = padici_sparse_above(s->dtype, 0);
    s->has_other = desc->mode >= PADIC_SPARSE_THRESHOLD;
    if (desc->mode == PADIC_SPARSE_NONZERO) {
        s->has_other = (uint32_t)is_float;
        s->other.mask = padici_sparse_full(s->size);
    } else if (desc->mode == PADIC_SPARSE_BITS) {
        s->test.mask = padici_sparse_full(s->size);
    } else if (desc->mode == PADIC_SPARSE_THRESHOLD) {
        if (t < 0) return PADIC_ERROR_ARGUMENT;
        s->most = padici_sparse_limit(s->dtype, t);
        s->test = padici_sparse_above(s->dtype, s->most);
        s->has_largest = 1;
    } else {
        if (is_float) return PADIC_ERROR_DTYPE;
        if (!padici_ring_is(desc->ring) || desc->ring->composite) return PADIC_ERROR_ARGUMENT;
        s->test = padici_sparse_below(s->dtype, desc->ring->p,
                                      up <= 0 ? 0 : (int64_t)up + (up > (double)(int64_t)up));
    }
    return PADIC_OK;
}

// `batch`: 0, or how many matrices there are; *step: from one to the next.
static padic_result padici_sparse_source_of(padic_context *context, padici_sparse_source *s,
                                            const padic_sparse_encode_desc *desc, uint64_t batch,
                                            uint64_t *step)
{
    padic_result result;
    memset(s, 0, sizeof *s);
    if (!desc || (desc->dense.dtype != PADIC_DTYPE_NONE) == (desc->numbers.ring != NULL) ||
        (uint32_t)desc->mode > 3 || (uint32_t)desc->method >= PADIC_SPARSE_METHODS ||
        !(desc->threshold - desc->threshold == 0)) // Inf - Inf is NaN
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            !desc ? "desc is NULL"
                            : (desc->dense.dtype != PADIC_DTYPE_NONE) ==
                                    (desc->numbers.ring != NULL)
                                ? "dense or numbers must be given, and not both"
                            : (uint32_t)desc->mode > 3 ? "mode is none that there is"
                            : (uint32_t)desc->method >= PADIC_SPARSE_METHODS
                                ? "method is none that there is"
                                : "threshold must be finite");
    if (desc->numbers.ring) {
        result = padici_sparse_numbers(context, s, desc, batch ? batch : 1);
        padici_blame(context, result, "numbers", NULL,
                     result == PADIC_ERROR_MISMATCH        ? "must have rows times cols elements"
                     : result == PADIC_ERROR_NOT_SUPPORTED ? "must be RING or FLOAT, of a prime"
                     : desc->mode == PADIC_SPARSE_THRESHOLD
                         ? "have norms, not sizes: mode THRESHOLD is for `dense`"
                         : NULL);
        if (step) *step = s->rows * s->cols;
    } else {
        result = padici_sparse_dense(context, &s->space, s, &desc->dense, batch, step);
        padici_blame(context, result, "dense", NULL,
                     result == PADIC_ERROR_ARGUMENT
                         ? "must have rank 1 or 2 (3 for a batch), memory, columns next to one "
                           "another, and no gaps in a buffer"
                         : NULL);
        if (!result) {
            result = padici_sparse_mode_of(s, desc);
            padici_blame(context, result, "mode", NULL,
                         result == PADIC_ERROR_DTYPE ? "NORM is for integers and numbers"
                         : desc->mode == PADIC_SPARSE_THRESHOLD
                             ? "THRESHOLD wants a threshold of 0 or more"
                             : "NORM of integers wants `ring`, of a prime");
        }
    }
    return !result && (s->rows | s->cols) >> 48 ? PADIC_ERROR_LIMIT : result;
}

// Work

typedef struct padici_sparse_work {
    padic_context *context;
    const padici_sparse_source *source;
    padici_sparse to; // row_ptr NULL: not wanted
    uint32_t kernels, report, full;
    uint32_t fill, surely; // fill: not only count; surely: there is room
    uint64_t begin, step, end; // elements of the tasks
    uint64_t start[PADICI_SPARSE_TASKS], kept[PADICI_SPARSE_TASKS], other[PADICI_SPARSE_TASKS],
        largest[PADICI_SPARSE_TASKS];
} padici_sparse_work;

// The elements of a source from `at` on that go through at once: part of one row, or rows.
static uint64_t padici_sparse_piece(const padici_sparse_work *w, uint64_t at, uint64_t end,
                                    padic_sparse_call *call, uint64_t *row)
{
    const padici_sparse_source *s = w->source;
    const uint64_t most = s->gather ? PADICI_SPARSE_GATHERED : PADICI_SPARSE_PIECE, n = end - at;
    *row = at / s->cols;
    memset(call, 0, sizeof *call);
    call->size = s->size;
    call->index_size = w->to.wide ? 8 : 4;
    call->first = at - *row * s->cols;
    call->stride = s->stride;
    call->rows = 1;
    call->cols = s->cols - call->first;
    if (s->key) call->key = s->key + (*row * s->stride + call->first + s->offset) * s->size;
    if (call->first || n < s->cols || s->cols > most / 2 || s->gather) {
        if (call->cols > n) call->cols = n;
        if (call->cols > most) call->cols = most;
    } else {
        call->rows = (n < most ? n : most) / s->cols;
    }
    return call->rows * call->cols;
}

// 1 if a backend did it.
static int padici_sparse_run(const padici_sparse_work *w, padic_sparse_call *call,
                             const padici_sparse_test *test, uint32_t kernel)
{
    call->factor = test->factor;
    call->bias = test->bias;
    call->mask = test->mask;
    call->limit = test->limit;
    call->kept = 0;
    if (w->kernels && padici_kernel(w->context, kernel, call) == PADIC_OK) return 1;
    padici_sparse_plain(call, kernel);
    return 0;
}

// The units of the entries from `at` on, all in one row.
static void padici_sparse_collect(const padici_sparse_work *w, uint64_t row, uint64_t at,
                                  uint64_t n)
{
    const padici_sparse_source *s = w->source;
    const padic_num_ring *r = s->ring;
    const uint64_t end = at + n;
    uint64_t step, i;
    uint32_t k;
    for (; at < end; at++) {
        uint8_t *value = w->to.value + at * w->to.entry;
        i = padici_sparse_index(w->to.col, w->to.wide, at) + row * s->cols + s->offset;
        i = padici_num_at(r, &s->planes, i, &step);
        for (k = 0; k < r->words; k++)
            padici_sparse_key_set(value + k * r->unit_size, r->unit_size,
                                  padici_word(r, s->planes.unit, i + k * step));
    }
}

// What a report says of a piece, beside `kept`.
static void padici_sparse_look(padici_sparse_work *w, padic_sparse_call *call, uint32_t task)
{
    const padici_sparse_source *s = w->source;
    const uint8_t *key = (const uint8_t *)call->key;
    const int is_signed = padici_sparse_is(s->dtype, PADICI_SPARSE_SIGNED);
    const uint64_t mask = s->other.mask, most = s->most;
    uint64_t r, x;
    call->row_ptr = NULL;
    if (s->has_other) {
        padici_sparse_run(w, call, &s->other, PADIC_KERNEL_SPARSE_COUNT);
        w->other[task] += call->kept;
    }
    for (r = 0; s->has_largest && r < call->rows; r++, key += call->stride * call->size) {
        x = s->size == 1   ? padici_sparse_largest8(key, call->cols, mask, is_signed, most)
            : s->size == 2 ? padici_sparse_largest16(key, call->cols, mask, is_signed, most)
            : s->size == 4 ? padici_sparse_largest32(key, call->cols, mask, is_signed, most)
                           : padici_sparse_largest64(key, call->cols, mask, is_signed, most);
        if (x > w->largest[task]) w->largest[task] = x;
    }
}

// Elements begin to end, with `total` kept before them; what is kept after them. Without `surely`
// it fills until the first piece that does not fit.
static uint64_t padici_sparse_span(padici_sparse_work *w, uint64_t begin, uint64_t end,
                                   uint64_t total, uint64_t room, uint32_t task)
{
    const padici_sparse_source *s = w->source;
    const padici_sparse *to = &w->to;
    const uint32_t index = to->wide ? 8 : 4;
    uint8_t made[PADICI_SPARSE_GATHERED];
    padic_sparse_call call;
    uint64_t at, n, row, i;
    for (at = begin; at < end; at += n) {
        uint32_t fill = w->fill && !w->full;
        n = padici_sparse_piece(w, at, end, &call, &row);
        for (i = 0; !s->key && i < n; i++) made[i] = padici_sparse_class(s, s->offset + at + i);
        if (!s->key) call.key = made;
        call.start = total;
        call.row_ptr = to->row_ptr && !call.first ? to->row_ptr + row * index : NULL;
        call.room = fill ? room - total : 0;
        if (!fill || (!w->surely && call.room < n)) {
            padici_sparse_run(w, &call, &s->test, PADIC_KERNEL_SPARSE_COUNT);
            if (fill && call.kept > call.room) w->full = 1, fill = 0;
            if (fill) call.room = call.kept;
        }
        if (fill && to->room) {
            call.col = to->col + total * index;
            call.value = !s->gather ? to->value + total * to->entry
                         : to->val  ? to->val + total * to->size[3]
                                    : NULL;
        }
        if (fill) padici_sparse_run(w, &call, &s->test, PADIC_KERNEL_SPARSE_FILL);
        if (fill && s->gather) padici_sparse_collect(w, row, total, call.kept);
        total += call.kept;
        if (w->report) padici_sparse_look(w, &call, task);
    }
    return total;
}

static void padici_sparse_task(void *arg, uint32_t task)
{
    padici_sparse_work *w = (padici_sparse_work *)arg;
    const uint64_t begin = w->begin + task * w->step, left = w->end - begin, start = w->start[task];
    w->kept[task] = padici_sparse_span(w, begin, begin + (left < w->step ? left : w->step), start,
                                       start + w->kept[task], task) - start;
}

// Several threads: 32 tasks at a time count, then do it again from their caches, knowing where they
// begin: they fill, or at least set row_ptr.
static uint64_t padici_sparse_parallel(padici_sparse_work *w, uint64_t elements)
{
    const padic_jobs *jobs = padici_jobs(w->context);
    const uint32_t fill = w->fill, report = w->report;
    uint64_t total = 0;
    uint32_t tasks, t;
    w->step = PADICI_SPARSE_TASK;
    w->surely = 1;
    for (w->begin = 0; w->begin < elements; w->begin = w->end) {
        w->end = elements - w->begin < PADICI_SPARSE_TASKS * w->step
                     ? elements
                     : w->begin + PADICI_SPARSE_TASKS * w->step;
        tasks = (uint32_t)((w->end - w->begin + w->step - 1) / w->step);
        memset(w->start, 0, sizeof w->start);
        w->fill = 0;
        w->report = report;
        padici_parallel(jobs, tasks, padici_sparse_task, w);
        for (t = 0; t < tasks; t++) {
            w->start[t] = total;
            total += w->kept[t];
        }
        w->full = w->full || (fill && total > w->to.room);
        w->fill = fill;
        w->report = 0;
        if (w->to.row_ptr || fill) padici_parallel(jobs, tasks, padici_sparse_task, w);
    }
    w->report = report;
    return total;
}

static padic_sparse_method padici_sparse_choose(const padic_sparse_encode_desc *desc,
                                                const padic_jobs *jobs, uint64_t bytes,
                                                uint64_t elements)
{
    padic_sparse_method method = desc->method;
    const int size_class = (elements >= 1u << 14) + (elements >= 1u << 18) +
                           (elements >= 1u << 22);
    if (method == PADIC_SPARSE_AUTO && desc->calibration &&
        (uint32_t)desc->calibration->best[size_class] < PADIC_SPARSE_METHODS)
        method = desc->calibration->best[size_class];
    if (method == PADIC_SPARSE_AUTO && jobs && jobs->workers > 1 && bytes >= 1u << 20)
        method = PADIC_SPARSE_THREADS;
    return method;
}

// What a matrix of this source is; its planes as they stand, but for types that are not chosen.
static void padici_sparse_describe(padic_sparse_csr *a, const padici_sparse_source *s,
                                   const padic_sparse_encode_desc *desc)
{
    a->rows = s->rows;
    a->cols = s->cols;
    a->nnz = 0;
    a->kind = s->ring ? PADIC_SPARSE_NUMBERS : PADIC_SPARSE_PLAIN;
    a->val_of = s->val_dtype ? PADIC_SPARSE_VAL_ENTRY : PADIC_SPARSE_VAL_NONE;
    a->p = s->ring ? s->ring->p : 0;
    a->precision = s->ring ? s->ring->precision : 0;
    a->words = s->ring ? s->ring->words : 1;
    a->form = s->ring ? s->ring->form : (padic_num_form)0;
    a->mode = desc->mode;
    a->threshold = desc->mode >= PADIC_SPARSE_THRESHOLD ? desc->threshold : 0;
    a->trusted = PADIC_SPARSE_UNKNOWN;
    if (!a->value.dtype) a->value.dtype = s->dtype;
    if (a->val_of && !a->val.dtype) a->val.dtype = s->val_dtype;
}

// What was found: a->nnz and *report, which has the method. CAPACITY; LIMIT of the index.
static padic_result padici_sparse_found(const padici_sparse_work *w, padic_sparse_csr *a,
                                        const padic_sparse_encode_desc *desc, uint64_t total,
                                        uint64_t other, uint64_t largest,
                                        padic_sparse_report *report)
{
    const padici_sparse_source *s = w->source;
    padic_sparse_csr like = *a;
    a->nnz = report->nnz = total;
    report->index_size = (s->rows | s->cols | total) >> 31 ? 8 : 4;
    *(desc->mode == PADIC_SPARSE_NONZERO ? &report->negative_zeros : &report->dropped) =
        w->report && s->has_other ? other - total : 0;
    if (s->has_largest) report->largest_dropped = padici_sparse_magnitude(s->dtype, largest);
    like.nnz = total;
    if (!like.row_ptr.dtype || report->index_size == 8)
        like.row_ptr.dtype = like.col.dtype = report->index_size == 8 ? PADIC_I64 : PADIC_I32;
    like.col.dtype = like.row_ptr.dtype;
    report->bytes = padic_sparse_bytes(&like);
    if (w->to.row_ptr && !w->to.wide && total >> 31) return PADIC_ERROR_LIMIT;
    return w->full ? PADIC_ERROR_CAPACITY : PADIC_OK;
}

// Counts, or counts and fills, on the host; a->nnz and *report are always right.
static padic_result padici_sparse_work_run(padici_sparse_work *w, padic_sparse_csr *a,
                                           const padic_sparse_encode_desc *desc,
                                           padic_sparse_report *report)
{
    const padici_sparse_source *s = w->source;
    const uint64_t elements = s->rows * s->cols;
    const padic_sparse_method method =
        padici_sparse_choose(desc, padici_jobs(w->context), elements * s->size, elements);
    padic_sparse_call call;
    uint64_t total = 0, other = 0, largest = 0;
    uint32_t t;
    memset(report, 0, sizeof *report);
    if (w->to.row_ptr && !w->to.wide && (s->rows | s->cols) >> 31) return PADIC_ERROR_LIMIT;
    if (elements && s->key && w->context && method != PADIC_SPARSE_SCALAR) { // asks for the first
        padici_sparse_piece(w, 0, elements, &call, &total);
        w->kernels = 1;
        w->kernels = (uint32_t)padici_sparse_run(w, &call, &s->test, PADIC_KERNEL_SPARSE_COUNT);
        total = 0;
    }
    if (method == PADIC_SPARSE_SIMD && !w->kernels && elements) return PADIC_ERROR_NOT_SUPPORTED;
    if (elements)
        total = method == PADIC_SPARSE_THREADS
                    ? padici_sparse_parallel(w, elements)
                    : padici_sparse_span(w, 0, elements, 0, w->to.room, 0);
    else if (w->to.row_ptr)
        memset(w->to.row_ptr, 0, (size_t)(s->rows * (w->to.wide ? 8 : 4)));
    if (w->to.row_ptr) padici_sparse_index_set(w->to.row_ptr, w->to.wide, s->rows, total);
    for (t = 0; t < PADICI_SPARSE_TASKS; t++) {
        other += w->other[t];
        if (w->largest[t] > largest) largest = w->largest[t];
    }
    report->method = method == PADIC_SPARSE_THREADS ? method
                     : w->kernels                   ? PADIC_SPARSE_SIMD
                                                    : PADIC_SPARSE_SCALAR;
    return padici_sparse_found(w, a, desc, total, other, largest, report);
}

// Encoding on a device: what its driver gets with PADIC_KERNEL_SPARSE_ENCODE. Planes that are not
// wanted have no memory (bits 0). The elements are rows x cols x batch without gaps; with `batch`
// above 1 row_ptr has a segment of rows + 1 for each matrix.
typedef struct padici_sparse_drive {
    padic_sparse_method method; // wanted; becomes what it was
    uint32_t size, wide, fill, report, is_signed, has_largest;
    uint32_t unit_size; // not 0: `unit` goes to `value`, kept keys to `val`; else these to `value`
    uint32_t wait;      // 1: `found` is wanted now
    uint64_t rows, cols, batch, room, most;
    double density; // of a matrix like this seen before, or -1
    padici_sparse_test test, other;
    padici_place key, unit, row_ptr, col, value, val, totals;
    uint64_t *firsts;  // batch + 1: entries before each matrix; NULL: not wanted
    uint64_t found[4]; // 0, entries, kept by `other`, largest
} padici_sparse_drive;

// Memory that is moved to where the work is.
typedef struct padici_sparse_stage {
    padic_context *context;
    const padici_num_space *space;
    uint32_t host, count; // host: that is where the work is
    struct {
        padici_place home, now;
        uint32_t block;
    } moved[8];
} padici_sparse_stage;

static padic_result padici_sparse_move_bytes(padici_sparse_stage *stage, const padici_place *to,
                                             const padici_place *from, uint64_t bytes)
{
    stage->context->stats.kernels.staged_bytes += bytes;
    return padici_target_move(stage->context, &stage->context->targets[0], to, from, bytes);
}

// *place becomes where the work finds `bytes` bytes at a pointer of the space; `in`: as they are.
static padic_result padici_sparse_reach(padici_sparse_stage *stage, const void *pointer,
                                        uint64_t bytes, int in, padici_place *place)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer, number = address >> 56;
    padici_pool *pool = &stage->context->pools[stage->host];
    padici_place home;
    padic_result result;
    home.host = !(number && number <= stage->space->mems);
    home.mem.bits = address;
    home.at = 0;
    if (!home.host) {
        home.mem = stage->space->mem[number - 1];
        home.at = address & (UINT64_MAX >> 8);
    }
    *place = home;
    if (!pointer || home.host == stage->host) return PADIC_OK;
    if (stage->count == 8) return PADIC_ERROR_LIMIT;
    result = padici_pool_take(stage->context, pool, bytes ? bytes : 1,
                              &stage->moved[stage->count].block);
    if (result) return result;
    place->mem = pool->blocks[stage->moved[stage->count].block].mem;
    place->at = 0;
    place->host = stage->host;
    stage->moved[stage->count].home = home;
    stage->moved[stage->count++].now = *place;
    return in ? padici_sparse_move_bytes(stage, place, &home, bytes) : PADIC_OK;
}

// Moves what was written home.
static padic_result padici_sparse_home(padici_sparse_stage *stage, const padici_place *place,
                                       uint64_t bytes)
{
    uint32_t i;
    for (i = 0; i < stage->count; i++)
        if (stage->moved[i].now.mem.bits == place->mem.bits)
            return padici_sparse_move_bytes(stage, &stage->moved[i].home, place, bytes);
    return PADIC_OK;
}

static void padici_sparse_stage_end(padici_sparse_stage *stage)
{
    while (stage->count)
        padici_pool_give(stage->context, &stage->context->pools[stage->host],
                         stage->moved[--stage->count].block);
}

static void padici_sparse_stage_begin(padici_sparse_stage *stage, padic_context *context,
                                      const padici_num_space *space, uint32_t host)
{
    memset(stage, 0, sizeof *stage);
    stage->context = context;
    stage->space = space;
    stage->host = host;
}

// The planes of a matrix to be made, and what is in them home again.
static padic_result padici_sparse_reach_planes(padici_sparse_stage *stage, const padici_sparse *to,
                                               uint64_t pointers, uint64_t room,
                                               padici_place place[4])
{
    padic_result result =
        padici_sparse_reach(stage, to->row_ptr, pointers * (to->wide ? 8 : 4), 0, &place[0]);
    if (!result) result = padici_sparse_reach(stage, to->col, room * to->size[1], 0, &place[1]);
    if (!result) result = padici_sparse_reach(stage, to->value, room * to->entry, 0, &place[2]);
    if (!result) result = padici_sparse_reach(stage, to->val, room * to->size[3], 0, &place[3]);
    return result;
}

static padic_result padici_sparse_home_planes(padici_sparse_stage *stage, const padici_sparse *to,
                                              uint64_t pointers, uint64_t nnz,
                                              const padici_place place[4])
{
    padic_result result = padici_sparse_home(stage, &place[0], pointers * (to->wide ? 8 : 4));
    if (!result) result = padici_sparse_home(stage, &place[1], nnz * to->size[1]);
    if (!result) result = padici_sparse_home(stage, &place[2], nnz * to->entry);
    if (!result) result = padici_sparse_home(stage, &place[3], nnz * to->size[3]);
    return result;
}

// The driver's struct, but for the places. 0 where no kernel can do it.
static int padici_sparse_drive_begin(const padici_sparse_work *w, const padic_sparse_csr *a,
                                     padic_sparse_method method, uint64_t batch,
                                     padici_sparse_drive *d)
{
    const padici_sparse_source *s = w->source;
    const uint64_t n = s->rows * s->cols * batch;
    memset(d, 0, sizeof *d);
    d->method = method;
    d->size = s->size;
    d->wide = w->to.wide;
    d->fill = w->fill;
    d->report = w->report && (s->has_other || s->has_largest);
    d->is_signed = (uint32_t)padici_sparse_is(s->dtype, PADICI_SPARSE_SIGNED);
    d->has_largest = s->has_largest;
    d->unit_size = s->gather ? s->ring->unit_size : 0;
    d->wait = 1;
    d->rows = s->rows;
    d->cols = s->cols;
    d->batch = batch;
    d->room = w->to.room < n ? w->to.room : n;
    d->most = s->most;
    d->test = s->test;
    d->other = s->other;
    d->density = a->rows == s->rows && a->cols == s->cols && n ? (double)a->nnz / (double)n : -1;
    return (s->key || !n) && (s->rows < 2 || s->stride == s->cols) &&
           (!s->gather || s->ring->words == 1) && s->cols >> 47 == 0 && n >> 40 == 0;
}

// All of `batch` matrices on the device; *d says what was found.
static padic_result padici_sparse_drive_run(const padici_sparse_work *w, padici_sparse_drive *d)
{
    const padici_sparse_source *s = w->source;
    const uint64_t n = s->rows * s->cols * d->batch, pointers = (s->rows + 1) * d->batch;
    const uint8_t *key = s->key ? s->key + s->offset * s->size : NULL;
    const uint8_t *unit = (const uint8_t *)s->planes.unit;
    padici_sparse_stage stage;
    padici_place place[4];
    padic_result result = padici_drive(w->context, PADIC_KERNEL_SPARSE_ENCODE, d, 1);
    if (result) return result;
    if (unit) unit += s->offset * d->unit_size; // none for plain matrices
    padici_sparse_stage_begin(&stage, w->context, &s->space, 0);
    result = padici_sparse_reach(&stage, n ? key : NULL, n * s->size, 1, &d->key);
    if (!result && d->unit_size)
        result = padici_sparse_reach(&stage, n ? unit : NULL, n * d->unit_size, 1, &d->unit);
    if (!result) result = padici_sparse_reach_planes(&stage, &w->to, pointers, d->room, place);
    if (!result && stage.count && !d->wait) result = PADIC_ERROR_ARGUMENT; // all on the device
    if (!result) {
        d->row_ptr = place[0];
        d->col = place[1];
        d->value = place[2];
        d->val = place[3];
        result = padici_drive(w->context, PADIC_KERNEL_SPARSE_ENCODE, d, 0);
    }
    if (!result)
        result = padici_sparse_home_planes(&stage, &w->to, pointers,
                                           d->fill && d->found[1] <= d->room ? d->found[1] : 0,
                                           place);
    padici_sparse_stage_end(&stage);
    return result;
}

// Where desc->totals lies.
static padic_result padici_sparse_totals(padic_context *context,
                                         const padic_sparse_encode_desc *desc, padici_place *place)
{
    const padic_tensor *t = &desc->totals;
    padic_result result;
    if (!context || t->dtype != PADIC_U64) return PADIC_ERROR_ARGUMENT;
    result = padici_operand_place(context, t, place);
    if (!result && (place->host || padic_tensor_count(t) < 4)) result = PADIC_ERROR_ARGUMENT;
    return result;
}

static padic_result padici_sparse_on_device(padici_sparse_work *w, padic_sparse_csr *a,
                                            const padic_sparse_csr *before,
                                            const padic_sparse_encode_desc *desc,
                                            padic_sparse_method method,
                                            padic_sparse_report *report)
{
    const padici_sparse_source *s = w->source;
    padici_sparse_drive d;
    padic_result result = PADIC_OK;
    if (!padici_sparse_drive_begin(w, before, method, 1, &d)) return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->totals.dtype) {
        result = padici_sparse_totals(w->context, desc, &d.totals);
        d.wait = 0;
    }
    if (!result) result = padici_sparse_drive_run(w, &d);
    if (result) return result;
    w->context->stats.kernels.calls++;
    report->method = d.method;
    if (!d.wait) {
        a->nnz = d.room;
        return PADIC_OK;
    }
    w->full = d.fill && d.found[1] > d.room;
    if (!s->has_largest) d.found[3] = 0;
    return padici_sparse_found(w, a, desc, d.found[1], d.found[2], d.found[3], report);
}

// The loops of the host on copies of what lies on a device.
static padic_result padici_sparse_on_copies(padici_sparse_work *w, padic_sparse_csr *a,
                                            const padic_sparse_encode_desc *desc,
                                            padic_sparse_report *report)
{
    padici_sparse_source source = *w->source;
    padici_sparse_stage stage;
    padici_sparse to = w->to;
    padici_place place[4], in;
    padic_num_planes *planes = &source.planes;
    const padic_num_ring *r = source.ring;
    const uint64_t n = source.rows * source.cols;
    uint64_t count = r ? desc->numbers.count : 0;
    const int key_is_val = planes->val != NULL;
    padic_result result = PADIC_OK;
    padici_sparse_stage_begin(&stage, w->context, &w->source->space, 1);
    if (r && count) {
        count = r->form == PADIC_NUM_W128 ? planes->high + count : padici_num_words(r, count);
        result = padici_sparse_reach(&stage, planes->unit, count * r->unit_size, 1, &in);
        planes->unit = padici_mem_at(in.mem, in.at);
        if (!result && planes->val) {
            result = padici_sparse_reach(&stage, planes->val, desc->numbers.count * source.size, 1,
                                         &in);
            planes->val = padici_mem_at(in.mem, in.at);
        }
        if (source.key) source.key = (const uint8_t *)(key_is_val ? planes->val : planes->unit);
    } else if (n) {
        count = (source.rows - 1) * source.stride + source.cols;
        result = padici_sparse_reach(&stage, source.key + source.offset * source.size,
                                     count * source.size, 1, &in);
        source.key = (const uint8_t *)padici_mem_at(in.mem, in.at);
        source.offset = 0;
    }
    if (!result)
        result = padici_sparse_reach_planes(&stage, &to, source.rows + 1, to.room < n ? to.room : n,
                                            place);
    if (!result) {
        w->source = &source;
        w->to.row_ptr = (uint8_t *)padici_mem_at(place[0].mem, place[0].at);
        w->to.col = (uint8_t *)padici_mem_at(place[1].mem, place[1].at);
        w->to.value = (uint8_t *)padici_mem_at(place[2].mem, place[2].at);
        w->to.val = (uint8_t *)padici_mem_at(place[3].mem, place[3].at);
        if (w->to.room > n) w->to.room = n;
        result = padici_sparse_work_run(w, a, desc, report);
    }
    if (!result || result == PADIC_ERROR_CAPACITY) {
        const padic_result back = padici_sparse_home_planes(
            &stage, &to, source.rows + 1, w->fill && !result ? a->nnz : 0, place);
        if (back) result = back;
    }
    padici_sparse_stage_end(&stage);
    if (!result && !w->context->stats.kernels.fallbacks++)
        padici_log_write(&w->context->log, PADIC_LOG_WARNING, 0,
                         "sparse: an operation on buffers was done on the host (said once)");
    return result;
}

// Counts, or counts and fills, where desc->method, or the memory, says.
static padic_result padici_sparse_work_do(padici_sparse_work *w, padic_sparse_csr *a,
                                          const padic_sparse_csr *before,
                                          const padic_sparse_encode_desc *desc,
                                          padic_sparse_report *report)
{
    const padici_sparse_source *s = w->source;
    const uint64_t n = s->rows * s->cols;
    const int strict = w->context && w->context->strict;
    padic_sparse_method method = desc->method;
    padic_result result;
    if (method == PADIC_SPARSE_AUTO && desc->calibration)
        method = padici_sparse_choose(desc, NULL, n * s->size, n);
    memset(report, 0, sizeof *report);
    if (w->to.row_ptr && !w->to.wide && (s->rows | s->cols) >> 31) return PADIC_ERROR_LIMIT;
    if (method >= PADIC_SPARSE_GPU_ONE_PASS ||
        (method == PADIC_SPARSE_AUTO && (s->device || (s->space.mems && strict)))) {
        result = padici_sparse_on_device(w, a, before, desc, method, report);
        if (result != PADIC_ERROR_NOT_SUPPORTED || desc->method || (s->space.mems && strict))
            return result;
    }
    if (desc->totals.dtype) return PADIC_ERROR_NOT_SUPPORTED;
    if (!s->space.mems) return padici_sparse_work_run(w, a, desc, report);
    return strict ? PADIC_ERROR_NOT_SUPPORTED : padici_sparse_on_copies(w, a, desc, report);
}

// Encoding

// `a` becomes the description of the matrix, with its nnz.
static padic_result padici_sparse_count(padic_context *context, padici_sparse_source *s,
                                        const padic_sparse_encode_desc *desc,
                                        const padic_tensor *row_ptr, padic_sparse_csr *a,
                                        padic_sparse_report *report)
{
    padici_sparse_work w;
    uint64_t room;
    void *p;
    padic_result result;
    memset(&w, 0, sizeof w);
    w.context = context;
    w.source = s;
    w.report = report != NULL;
    padici_sparse_describe(a, s, desc);
    if (row_ptr) {
        p = NULL;
        result = padici_tensor_check_shape(row_ptr, &room);
        if (!result)
            result = padici_num_plane_in(context, &s->space, row_ptr, room, PADICI_SPARSE_INDICES,
                                         &p);
        if (!result && room <= s->rows) result = PADIC_ERROR_CAPACITY;
        if (result) return padici_blame(context, result, "row_ptr", NULL, NULL);
        w.to.row_ptr = (uint8_t *)p;
        w.to.wide = row_ptr->dtype == PADIC_I64;
        a->row_ptr.dtype = row_ptr->dtype;
    }
    if (desc->totals.dtype) return PADIC_ERROR_ARGUMENT;
    return padici_sparse_work_do(&w, a, a, desc, report);
}

PADIC_API padic_result padic_sparse_count(padic_context *context,
                                          const padic_sparse_encode_desc *desc,
                                          const padic_tensor *row_ptr, padic_sparse_report *report)
{
    padici_sparse_source s;
    padic_sparse_csr a;
    padic_result result = padici_sparse_source_of(context, &s, desc, 0, NULL);
    memset(&a, 0, sizeof a);
    if (!result && !report)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "report", NULL, "is NULL");
    if (!result) result = padici_sparse_count(context, &s, desc, row_ptr, &a, report);
    return padici_sparse_end(context, "sparse_count", result);
}

// Into planes that are there. `report` may be NULL.
static padic_result padici_sparse_encode(padic_context *context, padic_sparse_csr *out,
                                         padici_sparse_source *s,
                                         const padic_sparse_encode_desc *desc,
                                         padic_sparse_report *report)
{
    padici_sparse_work w;
    padic_sparse_report local;
    padic_sparse_csr next = *out;
    padici_num_range list[8];
    const uint64_t rows = s->rows ? s->rows - 1 : 0;
    uint32_t n = 0;
    padic_result result;
    padici_sparse_describe(&next, s, desc);
    memset(&w, 0, sizeof w);
    w.context = context;
    w.source = s;
    w.report = report != NULL;
    w.fill = 1;
    result = padici_sparse_planes_in(context, &s->space, &next, 1, &w.to);
    if (result) return result;
    if (next.value.dtype != s->dtype || (next.val_of && next.val.dtype != s->val_dtype))
        return padici_blame(context, PADIC_ERROR_MISMATCH,
                            next.value.dtype != s->dtype ? "value" : "val", NULL,
                            "must have the dtype of the source");
    w.to.bytes[3] = w.to.room * w.to.size[3];
    padici_sparse_ranges(&w.to, 0, 1, list, &n);
    if (s->ring)
        padici_num_ranges(s->ring, &s->planes, desc->numbers.count, 0, list, &n);
    else
        padici_num_range_add(list, &n, s->key ? s->key + s->offset * s->size : NULL,
                             s->rows ? (rows * s->stride + s->cols) * s->size : 0, 0, 0);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    result = padici_sparse_work_do(&w, &next, out, desc, report ? report : &local);
    if (result && result != PADIC_ERROR_CAPACITY) return result;
    next.trusted = result || desc->totals.dtype ? PADIC_SPARSE_UNKNOWN : PADIC_SPARSE_CANONICAL;
    *out = next;
    return result;
}

PADIC_API padic_result padic_sparse_encode(padic_context *context, padic_sparse_csr *out,
                                           const padic_sparse_encode_desc *desc,
                                           padic_sparse_report *report)
{
    padici_sparse_source s;
    padic_sparse_report local;
    padic_sparse_csr made;
    padic_result result = padici_sparse_source_of(context, &s, desc, 0, NULL);
    uint32_t i, absent = 0;
    if (!result && !out)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL, "is NULL");
    if (result) return padici_sparse_end(context, "sparse_encode", result);
    for (i = 0; i < 3; i++)
        absent += !padici_sparse_tensor(out, i)->data && !padici_sparse_tensor(out, i)->buffer.id;
    if (absent < 3 || !context)
        return padici_sparse_end(context, "sparse_encode",
                                 padici_sparse_encode(context, out, &s, desc, report));
    made = *out;
    result = padici_sparse_count(context, &s, desc, NULL, &made, &local);
    if (!result) result = padic_sparse_create(context, &made);
    if (result) return padici_sparse_end(context, "sparse_encode", result);
    result = padici_sparse_encode(context, &made, &s, desc, report);
    if (result)
        padic_sparse_destroy(context, &made);
    else
        *out = made;
    return padici_sparse_end(context, "sparse_encode", result);
}

// A plane without its first `used` elements.
static padic_tensor padici_sparse_rest(const padic_tensor *t, uint64_t used)
{
    const uint64_t n = padic_tensor_count(t);
    padic_tensor rest = padic_tensor_1d(t->dtype, t->data, 0);
    if (used > n) used = n;
    rest.shape[0] = n - used;
    rest.buffer = t->buffer;
    rest.offset = t->offset + (t->data ? 0 : used);
    if (t->data) rest.data = (char *)t->data + used * padic_dtype_size(t->dtype);
    return rest;
}

PADIC_API padic_result padic_sparse_settle(padic_context *context, padic_sparse_csr *out,
                                           const padic_sparse_encode_desc *desc,
                                           padic_sparse_report *report)
{
    padici_sparse_source s;
    padici_sparse_work w;
    padic_sparse_report local;
    padici_place place, host;
    uint64_t found[4];
    padic_result result = padici_sparse_source_of(context, &s, desc, 0, NULL);
    memset(&w, 0, sizeof w);
    if (!result && (!out || out->rows != s.rows || out->cols != s.cols))
        result = PADIC_ERROR_ARGUMENT;
    if (!result) result = padici_sparse_totals(context, desc, &place);
    if (!result) result = padici_sparse_planes_in(context, &s.space, out, 1, &w.to);
    if (result) return padici_sparse_end(context, "sparse_settle", result);
    host.mem.bits = (uint64_t)(uintptr_t)found;
    host.at = 0;
    host.host = 1;
    result = padici_target_move(context, &context->targets[0], &host, &place, sizeof found);
    if (result) return result;
    w.source = &s;
    w.report = report != NULL;
    w.full = found[1] > w.to.room;
    memset(&local, 0, sizeof local);
    if (!s.has_largest) found[3] = 0;
    result = padici_sparse_found(&w, out, desc, found[1], found[2], found[3], &local);
    if (report) *report = local;
    out->trusted = result ? PADIC_SPARSE_UNKNOWN : PADIC_SPARSE_CANONICAL;
    return padici_sparse_end(context, "sparse_settle", result);
}

// Matrix b of a batch, whose entries begin with number `first`.
static void padici_sparse_part(padic_sparse_csr *part, const padic_sparse_csr *whole,
                               const padici_sparse_source *s, uint64_t b, uint64_t first)
{
    const uint64_t words = s->ring ? s->ring->words : 1;
    *part = *whole;
    part->row_ptr = padici_sparse_rest(&whole->row_ptr, b * (s->rows + 1));
    part->col = padici_sparse_rest(&whole->col, first);
    part->value = padici_sparse_rest(&whole->value, first == UINT64_MAX ? first : first * words);
    if (s->val_dtype) part->val = padici_sparse_rest(&whole->val, first);
}

// All matrices by one driver call. NOT_SUPPORTED: one by one, then.
static padic_result padici_sparse_batch(padic_context *context, padici_sparse_source *s,
                                        padic_sparse_csr *out, uint64_t count, uint64_t step,
                                        const padic_sparse_encode_desc *desc, uint32_t wanted,
                                        padic_sparse_report *report)
{
    padici_sparse_work w;
    padici_sparse_drive d;
    padic_sparse_csr whole = out[0];
    padic_sparse_report each;
    padici_num_range list[8];
    uint64_t b;
    uint32_t block, n = 0;
    padic_result result, worst;
    if ((!s->device && desc->method < PADIC_SPARSE_GPU_ONE_PASS) || step != s->rows * s->cols ||
        desc->method == PADIC_SPARSE_SCALAR || desc->method == PADIC_SPARSE_SIMD ||
        desc->method == PADIC_SPARSE_THREADS || wanted || count >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&w, 0, sizeof w);
    w.context = context;
    w.source = s;
    w.fill = 1;
    padici_sparse_describe(&whole, s, desc);
    whole.rows = (s->rows + 1) * count - 1; // so that the planes are large enough
    result = padici_sparse_planes_in(context, &s->space, &whole, 1, &w.to);
    if (result) return result;
    if (whole.value.dtype != s->dtype || (whole.val_of && whole.val.dtype != s->val_dtype))
        return PADIC_ERROR_MISMATCH;
    if (!padici_sparse_drive_begin(&w, out, desc->method, count, &d))
        return PADIC_ERROR_NOT_SUPPORTED;
    w.to.bytes[3] = w.to.room * w.to.size[3];
    padici_sparse_ranges(&w.to, 0, 1, list, &n);
    if (s->ring)
        padici_num_ranges(s->ring, &s->planes, desc->numbers.count, 0, list, &n);
    else
        padici_num_range_add(list, &n, s->key, count * s->rows * s->cols * s->size, 0, 0);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    result = padici_pool_take(context, &context->pools[1], (count + 1) * 8, &block);
    if (result) return result;
    d.firsts = (uint64_t *)(void *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    result = padici_sparse_drive_run(&w, &d);
    worst = !result && d.found[1] > d.room ? PADIC_ERROR_CAPACITY : PADIC_OK;
    whole.rows = s->rows;
    for (b = 0; b < count && !result; b++) {
        padici_sparse_part(&out[b], &whole, s, b, worst ? UINT64_MAX : d.firsts[b]);
        memset(&each, 0, sizeof each);
        w.source = s;
        result = padici_sparse_found(&w, &out[b], desc, d.firsts[b + 1] - d.firsts[b], 0, 0, &each);
        out[b].row_ptr.shape[0] = s->rows + 1;
        out[b].trusted = worst ? PADIC_SPARSE_UNKNOWN : PADIC_SPARSE_CANONICAL;
        report->nnz += each.nnz;
        report->bytes += each.bytes;
        if (each.index_size > report->index_size) report->index_size = each.index_size;
        report->method = d.method;
    }
    padici_pool_give(context, &context->pools[1], block);
    if (!result) context->stats.kernels.calls++;
    return result ? result : worst;
}

PADIC_API padic_result padic_sparse_encode_batch(padic_context *context, padic_sparse_csr *out,
                                                 uint64_t count,
                                                 const padic_sparse_encode_desc *desc,
                                                 padic_sparse_report *report)
{
    padic_sparse_report sum, each;
    padici_sparse_source s;
    padic_sparse_csr whole;
    uint64_t b, step = 0;
    padic_result result = PADIC_OK, worst = PADIC_OK;
    memset(&sum, 0, sizeof sum);
    if (count || !desc) result = padici_sparse_source_of(context, &s, desc, count, &step);
    if (!result && (!out || desc->totals.dtype)) result = PADIC_ERROR_ARGUMENT;
    if (!result && count && context) {
        result = padici_sparse_batch(context, &s, out, count, step, desc,
                                     report && (s.has_other || s.has_largest), &sum);
        if (result != PADIC_ERROR_NOT_SUPPORTED) {
            if (report) *report = sum;
            return padici_sparse_end(context, "sparse_encode_batch", result);
        }
        result = PADIC_OK;
    }
    if (!result && count) whole = out[0];
    for (b = 0; b < count && !result; b++) {
        s.offset = b * step;
        padici_sparse_part(&out[b], &whole, &s, b, worst ? UINT64_MAX : sum.nnz);
        memset(&each, 0, sizeof each);
        result = padici_sparse_encode(context, &out[b], &s, desc, &each);
        if (result == PADIC_ERROR_CAPACITY && each.nnz) { // go on and count
            worst = result;
            result = PADIC_OK;
        }
        out[b].row_ptr.shape[0] = s.rows + 1;
        sum.nnz += each.nnz;
        sum.bytes += each.bytes;
        sum.negative_zeros += each.negative_zeros;
        sum.dropped += each.dropped;
        if (each.largest_dropped > sum.largest_dropped) sum.largest_dropped = each.largest_dropped;
        if (each.index_size > sum.index_size) sum.index_size = each.index_size;
        sum.method = each.method;
    }
    if (report) *report = sum;
    return padici_sparse_end(context, "sparse_encode_batch", result ? result : worst);
}

// Validation

// The ring of a matrix of numbers.
static padic_result padici_sparse_ring(const padic_sparse_csr *a, padic_num_ring *ring)
{
    padic_num_ring_options options;
    options.form = a->form;
    options.limb32 = a->form == PADIC_NUM_RX && a->value.dtype == PADIC_U32;
    if (padic_num_ring_init(ring, a->p, a->precision, &options) || ring->form != a->form ||
        ring->words != a->words || ring->unit_size != padic_dtype_size(a->value.dtype))
        return PADIC_ERROR_CORRUPT;
    return PADIC_OK;
}

// Is entry e what the matrix may hold? call->a has its valuations.
static int padici_sparse_check_entry(const padic_sparse_csr *a, const padici_sparse *m,
                                     const padic_num_call *call, uint64_t e)
{
    const padic_num_ring *r = call->ring;
    const uint8_t *p = m->value + e * m->entry;
    uint64_t u[2] = {0, 0}, x = padici_sparse_key(p, m->size[2]), any = 0, rest = 0;
    padici_cell cell;
    uint32_t k;
    if (a->kind == PADIC_SPARSE_DIGITS) return x && x < a->p;
    if (a->kind == PADIC_SPARSE_PLAIN) {
        if (a->mode != PADIC_SPARSE_BITS && padici_sparse_is(a->value.dtype, PADICI_SPARSE_FLOATS))
            x &= padici_sparse_full(m->size[2]) / 2;
        return x != 0;
    }
    for (k = 0; k < a->words; k++) {
        x = padici_sparse_key(p + k * m->size[2], m->size[2]);
        any |= x;
        if (k) rest |= x;
        if (k < 2) u[k] = x;
        if (r->form == PADIC_NUM_RX && x >= padici_limb_base(r, k)) return 0;
    }
    cell.v = m->val ? padici_val_raw(&call->a, e) : 0;
    cell.n = r->precision;
    cell.u = u;
    if (r->form != PADIC_NUM_RX)
        return any && cell.v != PADIC_NUM_ZERO && padici_cell_canonical(call, &call->a, &cell);
    if (cell.v == PADIC_NUM_NAN) return !rest && u[0] < 256 && u[0] & PADIC_NUM_HARD;
    if (!m->val) return any != 0;
    return cell.v <= PADIC_NUM_MAX_VALUATION && cell.v >= -PADIC_NUM_MAX_VALUATION && u[0] % r->p;
}

// A valuation of a row or column of digits.
static int padici_sparse_check_val(const padic_num_call *call, uint64_t i)
{
    const int32_t v = padici_val_raw(&call->a, i);
    const int32_t limit = call->a.val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
    return v == PADIC_NUM_ZERO || v == PADIC_NUM_NAN || (v <= limit && v >= -limit);
}

static padic_result padici_sparse_check(const padic_sparse_csr *a, const padici_sparse *m,
                                        padic_sparse_level level, uint64_t *bad)
{
    const int canonical = level == PADIC_SPARSE_CANONICAL;
    uint64_t r, e = 0, next, col, last = 0, i, here;
    padic_num_ring ring;
    padic_num_call call;
    memset(&call, 0, sizeof call);
    call.ring = &ring;
    call.model = m->val ? PADIC_NUM_FLOAT : PADIC_NUM_RING;
    call.a.val = m->val;
    call.a.val16 = m->size[3] == 2;
    if (!bad) bad = &here;
    *bad = a->rows;
    if (canonical && a->kind == PADIC_SPARSE_NUMBERS && padici_sparse_ring(a, &ring))
        return PADIC_ERROR_CORRUPT;
    if (canonical && a->kind == PADIC_SPARSE_DIGITS &&
        a->precision != (a->val_of == PADIC_SPARSE_VAL_COL ? a->rows : a->cols) &&
        !(a->val_of == PADIC_SPARSE_VAL_NONE && a->precision == a->rows))
        return PADIC_ERROR_CORRUPT;
    for (i = 0; canonical && a->val_of == PADIC_SPARSE_VAL_COL && i < m->cols; i++)
        if (!padici_sparse_check_val(&call, i)) return PADIC_ERROR_CORRUPT;
    *bad = 0;
    if (padici_sparse_index(m->row_ptr, m->wide, 0)) return PADIC_ERROR_CORRUPT;
    for (r = 0; r < m->rows; r++, e = next) {
        *bad = r;
        next = padici_sparse_index(m->row_ptr, m->wide, r + 1);
        if (next < e || next > m->nnz || (canonical && a->val_of == PADIC_SPARSE_VAL_ROW &&
                                          !padici_sparse_check_val(&call, r)))
            return PADIC_ERROR_CORRUPT;
        for (i = e; i < next; i++, last = col) {
            col = padici_sparse_index(m->col, m->wide, i);
            if (col >= m->cols || (i > e && col <= last) ||
                (canonical && !padici_sparse_check_entry(a, m, &call, i)))
                return PADIC_ERROR_CORRUPT;
        }
    }
    *bad = a->rows;
    return e == m->nnz ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

static padic_result padici_sparse_validate_host(padic_context *context, padic_sparse_csr *csr,
                                                padic_sparse_level level, uint64_t *bad_row)
{
    padici_sparse m;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (bad_row) *bad_row = csr ? csr->rows : 0;
    if (level == PADIC_SPARSE_STRUCTURE || level == PADIC_SPARSE_CANONICAL)
        result = padici_sparse_planes(context, csr, 0, &m);
    else
        padici_blame(context, result, "level", NULL, "must be STRUCTURE or CANONICAL");
    if (!result) result = padici_sparse_check(csr, &m, level, bad_row);
    if (!result) csr->trusted = level;
    return padici_sparse_end(context, "sparse_validate", result);
}

// Views

static padic_result padici_sparse_find_row(const padici_sparse *m, uint64_t row, uint64_t *first,
                                           uint64_t *end)
{
    if (row >= m->rows) return PADIC_ERROR_REGION;
    *first = padici_sparse_index(m->row_ptr, m->wide, row);
    *end = padici_sparse_index(m->row_ptr, m->wide, row + 1);
    return *first > *end || *end > m->nnz ? PADIC_ERROR_CORRUPT : PADIC_OK;
}

static padic_result padici_sparse_row_host(padic_context *context, const padic_sparse_csr *csr,
                                           uint64_t row, uint64_t *first, uint64_t *count)
{
    padici_sparse m;
    uint64_t end = 0, begin = 0;
    padic_result result = first && count ? padici_sparse_planes(context, csr, 0, &m)
                                         : PADIC_ERROR_ARGUMENT;
    if (!result) result = padici_sparse_find_row(&m, row, &begin, &end);
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, "row", NULL, "must be below csr.rows");
    if (first) *first = result ? 0 : begin;
    if (count) *count = result ? 0 : end - begin;
    return padici_sparse_end(context, "sparse_row", result);
}

// The entry at (row, col), or -1.
static padic_result padici_sparse_find(const padici_sparse *m, uint64_t row, uint64_t col,
                                       int64_t *entry)
{
    uint64_t first, end, last;
    padic_result result = padici_sparse_find_row(m, row, &first, &end);
    if (result || col >= m->cols) return result ? result : PADIC_ERROR_REGION;
    for (last = end; first < end;) {
        const uint64_t middle = first + (end - first) / 2;
        if (padici_sparse_index(m->col, m->wide, middle) < col)
            first = middle + 1;
        else
            end = middle;
    }
    *entry = first < last && padici_sparse_index(m->col, m->wide, first) == col ? (int64_t)first
                                                                                : -1;
    return PADIC_OK;
}

static padic_result padici_sparse_get_host(padic_context *context, const padic_sparse_csr *csr,
                                           uint64_t row, uint64_t col, int64_t *entry)
{
    padici_sparse m;
    padic_result result = entry ? padici_sparse_planes(context, csr, 0, &m) : PADIC_ERROR_ARGUMENT;
    if (entry) *entry = -1;
    if (!result) result = padici_sparse_find(&m, row, col, entry);
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, row < m.rows ? "col" : "row", NULL,
                     "must be below csr.rows or csr.cols");
    return padici_sparse_end(context, "sparse_get", result);
}

static padic_result padici_sparse_col_host(padic_context *context, const padic_sparse_csr *csr,
                                           uint64_t col, const padic_tensor *entries)
{
    padici_sparse m;
    uint64_t r;
    int64_t entry;
    void *p = NULL;
    padic_result result = entries ? padici_sparse_open(context, csr, &m) : PADIC_ERROR_ARGUMENT;
    if (!result && col >= m.cols) result = PADIC_ERROR_REGION;
    if (result == PADIC_ERROR_REGION)
        padici_blame(context, result, "col", NULL, "must be below csr.cols");
    if (!result) {
        result = padici_num_plane(context, entries, m.rows, 1u << PADIC_I64, &p);
        padici_blame(context, result, "entries", NULL, NULL);
    }
    for (r = 0; !result && r < m.rows; r++) {
        result = padici_sparse_find(&m, r, col, &entry);
        if (!result) memcpy((char *)p + 8 * r, &entry, 8);
    }
    return padici_sparse_end(context, "sparse_col", result);
}

// Decoding and products go by rows.

typedef struct padici_sparse_job {
    padici_sparse m;
    const padic_sparse_csr *csr;
    uint64_t step;         // rows of a task
    uint8_t *y;            // dense out, and
    uint64_t stride, width; // decode: its row stride; products: columns of x and y
    const uint8_t *x;
    padic_dtype x_dtype, y_dtype;
    padic_num_call call; // numbers: `out`, `b` for x, and in `a` the valuations of the matrix
    uint32_t bad[PADICI_JOBS_AT_ONCE];
} padici_sparse_job;

PADICI_INLINE uint64_t padici_sparse_first(const padici_sparse *m, uint64_t row)
{
    return padici_sparse_index(m->row_ptr, m->wide, row);
}

// The last row of a task, exclusive.
static uint64_t padici_sparse_end_row(const padici_sparse_job *job, uint32_t task)
{
    const uint64_t begin = task * job->step;
    return job->m.rows - begin < job->step ? job->m.rows : begin + job->step;
}

// Runs the tasks (one if `alone`); all their bad[] together.
static uint32_t padici_sparse_rows(padic_context *context, padici_sparse_job *job, int alone,
                                   void (*fn)(void *arg, uint32_t task))
{
    const uint64_t rows = job->m.rows;
    uint32_t i, bad = 0;
    job->step = alone ? rows : rows < 64 * 64 ? 64 : (rows + 63) / 64;
    if (rows)
        padici_parallel(padici_jobs(context), (uint32_t)((rows + job->step - 1) / job->step), fn,
                        job);
    for (i = 0; i < PADICI_JOBS_AT_ONCE; i++) bad |= job->bad[i];
    return bad;
}

static padic_result padici_sparse_job_begin(padic_context *context, padici_sparse_job *job,
                                            const padic_sparse_csr *csr)
{
    padic_result result;
    memset(job, 0, sizeof *job);
    job->csr = csr;
    if ((result = padici_sparse_open(context, csr, &job->m)) != PADIC_OK) return result;
    job->call.a.val = job->m.val;
    job->call.a.val16 = job->m.size[3] == 2;
    return result;
}

// An array for the numbers of a matrix: its planes, and status if it is `out`.
static padic_result padici_sparse_array(padic_context *context, padici_sparse_job *job,
                                        const padic_num_array *a, uint64_t count, int out)
{
    const padic_num_ring *r = a->ring;
    const padic_sparse_csr *csr = job->csr;
    void *p = NULL;
    padic_result result;
    const char *const field = out ? "out" : "in";
    if (!padici_ring_is(r))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, field, "ring",
                            "was not made by num_ring_init");
    if (r->composite && a->model)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, field, "ring",
                            "has a radix that is no prime");
    if (r->p != csr->p || r->precision != csr->precision || r->form != csr->form ||
        (csr->kind == PADIC_SPARSE_NUMBERS &&
         (r->unit_size != job->m.size[2] || r->words != csr->words)))
        return padici_blame(context, PADIC_ERROR_RING, field, "ring",
                            "is another than that of the matrix");
    if (a->model != (csr->val_of ? PADIC_NUM_FLOAT : PADIC_NUM_RING))
        return padici_blame(context, PADIC_ERROR_RING, field, "model",
                            "must be FLOAT where the matrix has valuations, else RING");
    if (a->count != count)
        return padici_blame(context, PADIC_ERROR_MISMATCH, field, "count",
                            "is not what the matrix asks for");
    result = padici_num_planes_of(context, a, out ? &job->call.out : &job->call.b);
    if (result) padici_blame(context, result, field, NULL, NULL);
    if (result || !out) return result;
    job->call.ring = r;
    job->call.model = a->model;
    job->call.scratch = a->scratch;
    if (r->form == PADIC_NUM_RX &&
        (!a->scratch || a->scratch_size < padic_num_scratch_bound(r)))
        return padici_blame(context, PADIC_ERROR_CAPACITY, field, "scratch",
                            "is missing or too small: see num_scratch_bound");
    if (r->form == PADIC_NUM_RX && !padici_aligned(a->scratch, 8))
        return padici_blame(context, PADIC_ERROR_ALIGNMENT, field, "scratch", NULL);
    if (a->status.dtype) {
        result = padici_num_plane(context, &a->status, count, 1u << PADIC_U8, &p);
        padici_blame(context, result, field, "status", NULL);
    }
    job->call.status = (uint8_t *)p;
    return result;
}

// Whether what a job writes lies apart from what it reads.
static padic_result padici_sparse_apart(const padici_sparse_job *job, const padic_num_array *out,
                                        const padic_num_array *in, uint64_t y_size, uint64_t x_size)
{
    padici_num_range list[16];
    uint32_t n = 0, i;
    padici_sparse_ranges(&job->m, 0, 0, list, &n);
    padici_num_range_add(list, &n, job->y, y_size, 0, 1);
    padici_num_range_add(list, &n, job->x, x_size, 0, 0);
    if (in) padici_num_ranges(job->call.ring, &job->call.b, in->count, 0, list, &n);
    if (out) padici_num_ranges(job->call.ring, &job->call.out, out->count, 1, list, &n);
    if (out) padici_num_range_add(list, &n, job->call.status, out->count, 0, 1);
    for (i = 0; i < n; i++) list[i].kind = 0; // `out` may not even be `in`
    return padici_num_overlap(list, n);
}

// The end of a call that wrote numbers.
static padic_result padici_sparse_array_end(const padic_num_array *out, uint32_t bits)
{
    if (out->sticky) *out->sticky |= bits;
    return bits & PADIC_NUM_HARD && !out->sticky && !out->status.dtype ? PADIC_ERROR_DOMAIN
                                                                      : PADIC_OK;
}

static void padici_sparse_decode_task(void *arg, uint32_t task)
{
    const padici_sparse_job *job = (const padici_sparse_job *)arg;
    const padici_sparse *m = &job->m;
    const uint64_t end = padici_sparse_end_row(job, task);
    uint64_t r, e = padici_sparse_first(m, task * job->step);
    for (r = task * job->step; r < end; r++) {
        uint8_t *row = job->y + r * job->stride * m->entry;
        memset(row, 0, (size_t)(m->cols * m->entry));
        for (; e < padici_sparse_first(m, r + 1); e++)
            padici_sparse_key_set(row + padici_sparse_index(m->col, m->wide, e) * m->entry,
                                  m->entry, padici_sparse_key(m->value + e * m->entry, m->entry));
    }
}

static void padici_sparse_decode_numbers(void *arg, uint32_t task)
{
    padici_sparse_job *job = (padici_sparse_job *)arg;
    const padici_sparse *m = &job->m;
    const padic_num_ring *ring = job->call.ring;
    const padic_num_planes *p = &job->call.out;
    const uint64_t end = padici_sparse_end_row(job, task);
    uint64_t r, e = padici_sparse_first(m, task * job->step), i, at, step;
    uint32_t k;
    for (r = task * job->step; r < end; r++) {
        for (i = r * m->cols; i < (r + 1) * m->cols; i++) {
            at = padici_num_at(ring, p, i, &step);
            for (k = 0; k < ring->words; k++) padici_word_set(ring, p->unit, at + k * step, 0);
            if (p->val) padici_val_store(p, i, PADIC_NUM_ZERO);
            if (job->call.status) job->call.status[i] = 0;
        }
        for (; e < padici_sparse_first(m, r + 1); e++) {
            const uint8_t *value = m->value + e * m->entry;
            i = r * m->cols + padici_sparse_index(m->col, m->wide, e);
            at = padici_num_at(ring, p, i, &step);
            for (k = 0; k < ring->words; k++)
                padici_word_set(ring, p->unit, at + k * step,
                                padici_sparse_key(value + k * m->size[2], m->size[2]));
            if (!p->val) continue;
            padici_val_store(p, i, padici_val_load(&job->call.a, e));
            if (padici_val_load(p, i) != PADIC_NUM_NAN) continue;
            k = (uint32_t)padici_sparse_key(value, m->size[2]) & 255u;
            if (job->call.status) job->call.status[i] = (uint8_t)k;
            job->bad[task % PADICI_JOBS_AT_ONCE] |= k;
        }
    }
}

static padic_result padici_sparse_decode_host(padic_context *context, const padic_tensor *dense,
                                              const padic_num_array *numbers,
                                              const padic_sparse_csr *csr)
{
    padici_sparse_job job;
    padici_sparse_source to;
    uint64_t count;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!dense != !numbers)
        result = padici_sparse_job_begin(context, &job, csr);
    else
        padici_blame(context, result, "dense", NULL, "or numbers must be given, and not both");
    if (!result && (numbers != NULL) != (csr->kind == PADIC_SPARSE_NUMBERS))
        result = padici_blame(context, PADIC_ERROR_MISMATCH, "numbers", NULL,
                              "are for a matrix of kind NUMBERS, `dense` is for all others");
    if (!result && dense) {
        memset(&to, 0, sizeof to);
        result = padici_sparse_dense(context, NULL, &to, dense, 0, NULL);
        if (!result && (to.rows != csr->rows || to.cols != csr->cols ||
                        to.dtype != csr->value.dtype))
            result = PADIC_ERROR_MISMATCH;
        padici_blame(context, result, "dense", NULL,
                     result == PADIC_ERROR_MISMATCH ? "must have the matrix's shape and dtype"
                                                    : NULL);
        job.y = (uint8_t *)(uintptr_t)to.key;
        job.stride = to.stride;
        count = csr->rows && csr->cols ? (csr->rows - 1) * to.stride + csr->cols : 0;
        if (!result) result = padici_sparse_apart(&job, NULL, NULL, count * to.size, 0);
        if (!result && count) padici_sparse_rows(context, &job, 0, padici_sparse_decode_task);
    } else if (!result) {
        if (!padici_mul_u64(csr->rows, csr->cols, &count)) result = PADIC_ERROR_LIMIT;
        if (!result) result = padici_sparse_array(context, &job, numbers, count, 1);
        if (!result) result = padici_sparse_apart(&job, numbers, NULL, 0, 0);
        if (!result)
            result = padici_sparse_array_end(
                numbers, padici_sparse_rows(context, &job, numbers->ring->form == PADIC_NUM_RX,
                                            padici_sparse_decode_numbers));
    }
    return padici_sparse_end(context, "sparse_decode", result);
}

// Digits

// Writes the digits of number i that are not 0, as far as there is room; how many there are.
static uint64_t padici_sparse_digits(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                                     const padici_sparse *to, uint64_t total)
{
    const uint32_t limb = r->form == PADIC_NUM_RX ? r->limb_digits : r->precision;
    uint64_t step, at = padici_num_at(r, p, i, &step), kept = 0, d, u[2];
    uint32_t k;
    for (k = 0; k < r->precision; k++) {
        if (k % limb == 0) u[0] = padici_word(r, p->unit, at + k / limb * step);
        if (k == 0 && r->form == PADIC_NUM_W128) u[1] = padici_word(r, p->unit, at + step);
        d = padici_ring_next_digit(r, u, k % limb);
        if (!d) continue;
        if (total + kept < to->room) {
            padici_sparse_index_set(to->col, to->wide, total + kept, k);
            padici_sparse_key_set(to->value + (total + kept) * to->entry, to->entry, d);
        }
        kept++;
    }
    return kept;
}

static padic_result padici_sparse_from_num(padic_context *context, padic_sparse_csr *out,
                                           const padic_num_array *a)
{
    padic_sparse_csr next;
    padici_sparse to;
    padic_num_call call;
    padici_num_range list[8];
    uint64_t i, total = 0;
    uint32_t n = 0;
    padic_result result;
    if (!out || !a || !padici_ring_is(a->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, !out ? "out" : "numbers", NULL,
                            !out || !a ? "is NULL" : "has no ring");
    if ((uint32_t)a->model > PADIC_NUM_FLOAT)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "numbers", "model",
                            "must be RING or FLOAT");
    next = *out;
    next.rows = a->count;
    next.cols = next.precision = a->ring->precision;
    next.nnz = 0;
    next.kind = PADIC_SPARSE_DIGITS;
    next.val_of = a->model ? PADIC_SPARSE_VAL_ROW : PADIC_SPARSE_VAL_NONE;
    next.p = a->ring->p;
    next.words = 1;
    next.form = a->ring->form;
    next.mode = PADIC_SPARSE_NONZERO;
    next.threshold = 0;
    next.trusted = PADIC_SPARSE_UNKNOWN;
    memset(&call, 0, sizeof call);
    if ((result = padici_sparse_planes(context, &next, 1, &to)) != PADIC_OK) return result;
    if (a->ring->p - 1 > padici_sparse_full(to.entry))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "value", NULL,
                            "has a dtype too narrow for the digits of so large a prime");
    if ((result = padici_num_planes_of(context, a, &call.b)) != PADIC_OK)
        return padici_blame(context, result, "numbers", NULL, NULL);
    padici_sparse_ranges(&to, 0, 1, list, &n);
    padici_num_ranges(a->ring, &call.b, a->count, 0, list, &n);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    call.a.val = to.val;
    call.a.val16 = to.size[3] == 2;
    for (i = 0; i < a->count; i++) {
        padici_sparse_index_set(to.row_ptr, to.wide, i, total);
        if (to.val) padici_val_store(&call.a, i, padici_val_load(&call.b, i));
        if (to.val && call.a.val16 != call.b.val16 &&
            padici_val_load(&call.a, i) != padici_val_load(&call.b, i))
            return PADIC_ERROR_LIMIT;
        total += padici_sparse_digits(a->ring, &call.b, i, &to, total);
    }
    padici_sparse_index_set(to.row_ptr, to.wide, a->count, total);
    if (!to.wide && total >> 31) return PADIC_ERROR_LIMIT;
    next.nnz = total;
    if (total <= to.room) next.trusted = PADIC_SPARSE_CANONICAL;
    *out = next;
    return total > to.room ? PADIC_ERROR_CAPACITY : PADIC_OK;
}

PADIC_API padic_result padic_sparse_from_num(padic_context *context, padic_sparse_csr *out,
                                             const padic_num_array *numbers)
{
    return padici_sparse_end(context, "sparse_from_num",
                             padici_sparse_from_num(context, out, numbers));
}

static padic_result padici_sparse_to_num(padic_context *context, const padic_num_array *a,
                                         const padic_sparse_csr *csr)
{
    padici_sparse_job job;
    const padici_sparse *m = &job.m;
    uint64_t local[2], r, e = 0, d;
    padici_cell x;
    padic_result result = a ? padici_sparse_job_begin(context, &job, csr) : PADIC_ERROR_ARGUMENT;
    if (!a) padici_blame(context, result, "numbers", NULL, "is NULL");
    if (result) return result;
    if (csr->kind != PADIC_SPARSE_DIGITS || csr->val_of == PADIC_SPARSE_VAL_COL ||
        csr->cols != csr->precision)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "csr", NULL,
                            "must be of kind DIGITS, a number a row");
    result = padici_sparse_array(context, &job, a, csr->rows, 1);
    if (!result) result = padici_sparse_apart(&job, a, NULL, 0, 0);
    if (result) return result;
    x.u = a->ring->form == PADIC_NUM_RX ? (uint64_t *)job.call.scratch : local;
    for (r = 0; r < csr->rows; r++) {
        memset(x.u, 0, a->ring->words * sizeof *x.u);
        x.v = m->val ? padici_val_load(&job.call.a, r) : 0;
        x.n = a->ring->precision;
        x.bits = 0;
        for (; e < padici_sparse_first(m, r + 1); e++) {
            d = padici_sparse_key(m->value + e * m->entry, m->entry);
            if (d >= a->ring->p)
                x.bits |= PADIC_NUM_OUTSIDE;
            else
                padici_ring_set_digit(a->ring, x.u,
                                      (uint32_t)padici_sparse_index(m->col, m->wide, e), d);
        }
        if (x.v == PADIC_NUM_NAN)
            x.bits |= x.u[0] & PADIC_NUM_HARD ? (uint32_t)x.u[0] & 255u
                                              : (uint32_t)PADIC_NUM_OUTSIDE;
        if (!m->val && x.bits) memset(x.u, 0, a->ring->words * sizeof *x.u);
        padici_cell_normal(&job.call, &x);
        padici_cell_store(&job.call, r, &x);
    }
    return padici_sparse_array_end(a, job.call.bits);
}

PADIC_API padic_result padic_sparse_to_num(padic_context *context, const padic_num_array *numbers,
                                           const padic_sparse_csr *csr)
{
    return padici_sparse_end(context, "sparse_to_num", padici_sparse_to_num(context, numbers, csr));
}

// Products

// Integers without bound: three words, two's complement.
typedef struct padici_sparse_exact {
    uint64_t w[3];
} padici_sparse_exact;

// s += a b, both given as magnitude and sign.
PADICI_INLINE void padici_sparse_exact_add(padici_sparse_exact *s, uint64_t a, int a_negative,
                                           uint64_t b, int b_negative)
{
    padici_wide t = padici_wide_mul(a, b), sum = padici_wide_make(s->w[0], s->w[1]);
    if (a_negative != b_negative) {
        s->w[2] -= (uint64_t)padici_wide_less(sum, t);
        sum = padici_wide_sub(sum, t);
    } else {
        sum = padici_wide_add(sum, t);
        s->w[2] += (uint64_t)padici_wide_less(sum, t);
    }
    s->w[0] = sum.low;
    s->w[1] = sum.high;
}

// Writes a sum as an integer of any type: 1, or 0 if it does not fit, and 0 is written.
static int padici_sparse_exact_store(const padici_sparse_exact *s, padic_dtype dtype, uint8_t *p)
{
    const uint32_t size = padic_dtype_size(dtype);
    const int is_signed = padici_sparse_is(dtype, PADICI_SPARSE_SIGNED);
    const uint64_t full = padici_sparse_full(size), x = s->w[0];
    const uint64_t sign = is_signed ? 0 - (x >> 63) : 0;
    const int fits = s->w[1] == sign && s->w[2] == sign &&
                     (x ^ sign) <= (is_signed ? full / 2 : full);
    padici_sparse_key_set(p, size, fits ? x & full : 0);
    return fits;
}

#define PADICI_SPARSE_WIDE 8 // columns of x at once

// y of one row and `wide` columns, for one type of sum: 32 sums, added in a fixed tree. No sum is
// ever -0, so lanes beyond n change no bit and the tree may leave them out.
#define PADICI_SPARSE_PRODUCT(T, NAME, LOAD)                                                      \
    PADICI_INLINE void padici_sparse_##NAME(const padici_sparse_job *job, uint64_t first,         \
                                            uint64_t n, const uint8_t *x, uint8_t *y,             \
                                            padic_dtype a_type, padic_dtype x_type, uint32_t wide) \
    {                                                                                             \
        const padici_sparse *m = &job->m;                                                         \
        const uint64_t a_size = padic_dtype_size(a_type), x_size = padic_dtype_size(x_type);      \
        T sum[32 * PADICI_SPARSE_WIDE], a;                                                        \
        uint64_t k;                                                                               \
        uint32_t lanes = 1, lane, half, j;                                                        \
        while (lanes < 32 && lanes < n) lanes *= 2;                                               \
        for (j = 0; j < lanes * wide; j++) sum[j] = 0;                                            \
        for (k = 0; k < n; k++) {                                                                 \
            const uint64_t c = padici_sparse_index(m->col, m->wide, first + k);                   \
            a = LOAD(a_type, m->value + (first + k) * a_size);                                    \
            for (j = 0; j < wide; j++)                                                            \
                sum[k % 32 * wide + j] += a * LOAD(x_type, x + (c * job->width + j) * x_size);    \
        }                                                                                         \
        for (half = 1; half < lanes; half *= 2)                                                   \
            for (lane = 0; lane < lanes; lane += 2 * half)                                        \
                for (j = 0; j < wide; j++) sum[lane * wide + j] += sum[(lane + half) * wide + j]; \
        memcpy(y, sum, wide * sizeof a);                                                          \
    }
PADICI_SPARSE_PRODUCT(float, product32, padici_sparse_single)
PADICI_SPARSE_PRODUCT(double, product64, padici_sparse_double)

static void padici_sparse_real_row(const padici_sparse_job *job, uint64_t first, uint64_t n,
                                   const uint8_t *x, uint8_t *y, uint32_t wide)
{
    const padic_dtype type = job->csr->value.dtype;
    if (type == PADIC_F64 && wide == 1)
        padici_sparse_product64(job, first, n, x, y, PADIC_F64, PADIC_F64, 1);
    else if (type == PADIC_F64)
        padici_sparse_product64(job, first, n, x, y, PADIC_F64, PADIC_F64, wide);
    else if (type == PADIC_F32 && wide == 1)
        padici_sparse_product32(job, first, n, x, y, PADIC_F32, PADIC_F32, 1);
    else if (type == PADIC_F32)
        padici_sparse_product32(job, first, n, x, y, PADIC_F32, PADIC_F32, wide);
    else
        padici_sparse_product32(job, first, n, x, y, type, job->x_dtype, wide);
}

// 1 if all sums fit.
static int padici_sparse_integer_row(const padici_sparse_job *job, uint64_t first, uint64_t n,
                                     const uint8_t *x, uint8_t *y, uint32_t wide)
{
    const padici_sparse *m = &job->m;
    padici_sparse_exact sum[PADICI_SPARSE_WIDE];
    uint64_t k, a, b;
    uint32_t j;
    int fits = 1, a_negative, b_negative;
    memset(sum, 0, sizeof sum);
    for (k = first; k < first + n; k++) {
        const uint64_t c = padici_sparse_index(m->col, m->wide, k) * job->width;
        a = padici_int_load(m->value, job->csr->value.dtype, k, &a_negative);
        for (j = 0; j < wide; j++) {
            b = padici_int_load(x, job->x_dtype, c + j, &b_negative);
            padici_sparse_exact_add(&sum[j], a, a_negative, b, b_negative);
        }
    }
    for (j = 0; j < wide; j++)
        fits &= padici_sparse_exact_store(&sum[j], job->y_dtype, y + 8 * j);
    return fits;
}

static void padici_sparse_product_task(void *arg, uint32_t task)
{
    padici_sparse_job *job = (padici_sparse_job *)arg;
    const uint64_t end = padici_sparse_end_row(job, task);
    const uint64_t x_size = padic_dtype_size(job->x_dtype), y_size = padic_dtype_size(job->y_dtype);
    uint64_t r, j;
    for (r = task * job->step; r < end; r++) {
        const uint64_t first = padici_sparse_first(&job->m, r);
        const uint64_t n = padici_sparse_first(&job->m, r + 1) - first;
        for (j = 0; j < job->width; j += PADICI_SPARSE_WIDE) {
            const uint64_t left = job->width - j;
            const uint32_t wide = left < PADICI_SPARSE_WIDE ? (uint32_t)left : PADICI_SPARSE_WIDE;
            const uint8_t *x = job->x ? job->x + j * x_size : NULL;
            uint8_t *y = job->y + (r * job->width + j) * y_size;
            if (padici_sparse_is(job->x_dtype, PADICI_SPARSE_FLOATS))
                padici_sparse_real_row(job, first, n, x, y, wide);
            else if (!padici_sparse_integer_row(job, first, n, x, y, wide))
                job->bad[task % PADICI_JOBS_AT_ONCE] = 1;
        }
    }
}

static void padici_sparse_ring_task(void *arg, uint32_t task)
{
    padici_sparse_job *job = (padici_sparse_job *)arg;
    const padici_sparse *m = &job->m;
    const padic_num_ring *ring = job->call.ring;
    const uint64_t end = padici_sparse_end_row(job, task);
    uint64_t local[8], i, e, at, step;
    uint64_t *u = ring->form == PADIC_NUM_RX ? (uint64_t *)job->call.scratch : local;
    uint64_t *const a = u + ring->words, *const x = a + ring->words, *const t = x + ring->words;
    uint32_t k;
    for (i = task * job->step * job->width; i < end * job->width; i++) {
        const uint64_t r = i / job->width, j = i % job->width;
        memset(u, 0, ring->words * sizeof *u);
        for (e = padici_sparse_first(m, r); e < padici_sparse_first(m, r + 1); e++) {
            at = padici_sparse_index(m->col, m->wide, e) * job->width + j;
            at = padici_num_at(ring, &job->call.b, at, &step);
            for (k = 0; k < ring->words; k++) {
                a[k] = padici_sparse_key(m->value + e * m->entry + k * m->size[2], m->size[2]);
                x[k] = padici_word(ring, job->call.b.unit, at + k * step);
            }
            padici_ring_mul(ring, t, a, x);
            padici_ring_add(ring, u, u, t);
        }
        at = padici_num_at(ring, &job->call.out, i, &step);
        for (k = 0; k < ring->words; k++)
            padici_word_set(ring, job->call.out.unit, at + k * step, u[k]);
        if (job->call.status) job->call.status[i] = 0;
    }
}

static padic_result padici_sparse_ring_product(padic_context *context, padici_sparse_job *job,
                                               const padic_sparse_product_desc *desc, uint32_t one)
{
    const padic_sparse_csr *a = desc->a;
    uint64_t outs, ins;
    padic_result result;
    job->width = one || !a->rows ? 1 : desc->out.count / a->rows;
    if (a->val_of)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "a", NULL,
                            "has FLOAT numbers: products are for RING");
    if (!padici_mul_u64(job->width, a->rows, &outs) || !padici_mul_u64(job->width, a->cols, &ins))
        return PADIC_ERROR_LIMIT;
    result = padici_sparse_array(context, job, &desc->out, outs, 1);
    if (!result) result = padici_sparse_array(context, job, &desc->in, ins, 0);
    if (!result) result = padici_sparse_apart(job, &desc->out, &desc->in, 0, 0);
    if (!result && desc->out.ring->composite) result = PADIC_ERROR_NOT_SUPPORTED;
    if (!result)
        padici_sparse_rows(context, job, desc->out.ring->form == PADIC_NUM_RX,
                           padici_sparse_ring_task);
    return result;
}

// A dense operand of rows x width (or rows, for width 1).
static padic_result padici_sparse_operand(padic_context *context, const padic_tensor *t,
                                          uint64_t rows, uint64_t width, uint32_t dtypes, void **p)
{
    uint64_t count;
    padic_result result = padici_tensor_check_shape(t, &count);
    if (result) return result;
    if (t->rank < 1 || t->rank > 2 || t->shape[0] != rows ||
        (t->rank == 2 ? t->shape[1] : 1) != width)
        return PADIC_ERROR_MISMATCH;
    return padici_num_plane(context, t, count, dtypes, p);
}

static PADICI_NOINLINE padic_result
padici_sparse_product(padic_context *context,
                      const padic_sparse_product_desc *desc, uint32_t one)
{
    padici_sparse_job job;
    const padic_sparse_csr *a = desc ? desc->a : NULL;
    uint32_t x_types = PADICI_SPARSE_INTEGERS, y_types = 1u << PADIC_I64 | 1u << PADIC_U64;
    void *x, *y;
    padic_result result = a ? padici_sparse_job_begin(context, &job, a) : PADIC_ERROR_ARGUMENT;
    if (!a) padici_blame(context, result, "a", NULL, "is NULL");
    if (result) return result;
    if (a->kind == PADIC_SPARSE_NUMBERS)
        return padici_sparse_ring_product(context, &job, desc, one);
    if (padici_sparse_is(a->value.dtype, PADICI_SPARSE_FLOATS)) {
        y_types = 1u << (a->value.dtype == PADIC_F64 ? PADIC_F64 : PADIC_F32);
        x_types = 1u << a->value.dtype | y_types;
    }
    job.width = one || desc->y.rank != 2 ? 1 : desc->y.shape[1];
    job.x_dtype = desc->x.dtype;
    job.y_dtype = desc->y.dtype;
    result = padici_sparse_operand(context, &desc->x, a->cols, job.width, x_types, &x);
    padici_blame(context, result, "x", NULL,
                 result == PADIC_ERROR_MISMATCH ? "must have a.cols rows, and as many columns as y"
                                                : NULL);
    if (!result) {
        result = padici_sparse_operand(context, &desc->y, a->rows, job.width, y_types, &y);
        padici_blame(context, result, "y", NULL,
                     result == PADIC_ERROR_MISMATCH ? "must have a.rows rows" : NULL);
    }
    if (result) return result;
    job.x = (const uint8_t *)x;
    job.y = (uint8_t *)y;
    result = padici_sparse_apart(&job, NULL, NULL,
                                 a->rows * job.width * padic_dtype_size(job.y_dtype),
                                 a->cols * job.width * padic_dtype_size(job.x_dtype));
    if (result || !job.width) return result;
    return padici_sparse_rows(context, &job, 0, padici_sparse_product_task) ? PADIC_ERROR_DOMAIN
                                                                            : PADIC_OK;
}

// Matrices from matrices

// A matrix like a in the planes of out.
static void padici_sparse_like(padic_sparse_csr *next, const padic_sparse_csr *out,
                               const padic_sparse_csr *a)
{
    *next = *a;
    next->row_ptr = out->row_ptr;
    next->col = out->col;
    next->value = out->value;
    next->val = out->val;
    next->nnz = 0;
    next->trusted = PADIC_SPARSE_UNKNOWN;
}

static PADICI_NOINLINE padic_result
padici_sparse_transpose(padic_context *context, padic_sparse_csr *out,
                        const padic_sparse_csr *a)
{
    padic_sparse_csr next;
    padici_sparse m, to;
    padici_num_range list[8];
    uint64_t r, e, c, at;
    uint32_t n = 0;
    padic_result result = out ? padici_sparse_open(context, a, &m) : PADIC_ERROR_ARGUMENT;
    if (!out) padici_blame(context, result, "out", NULL, "is NULL");
    if (result) return result;
    padici_sparse_like(&next, out, a);
    next.rows = a->cols;
    next.cols = a->rows;
    if (a->val_of == PADIC_SPARSE_VAL_ROW) next.val_of = PADIC_SPARSE_VAL_COL;
    if (a->val_of == PADIC_SPARSE_VAL_COL) next.val_of = PADIC_SPARSE_VAL_ROW;
    if ((result = padici_sparse_planes(context, &next, 1, &to)) != PADIC_OK) return result;
    if (to.entry != m.entry || next.value.dtype != a->value.dtype || to.size[3] != m.size[3])
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL,
                            "must have planes of the dtypes of a");
    if (!to.wide && m.nnz >> 31)
        return padici_blame(context, PADIC_ERROR_LIMIT, "out", "row_ptr", "must be I64 here");
    to.bytes[3] = m.bytes[3];
    padici_sparse_ranges(&m, 0, 0, list, &n);
    padici_sparse_ranges(&to, 0, 1, list, &n);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    out->nnz = m.nnz;
    if (to.room < m.nnz)
        return padici_blame(context, PADIC_ERROR_CAPACITY, "out", NULL,
                            "has planes with too little room: out.nnz is what it takes");
    memset(to.row_ptr, 0, (size_t)to.bytes[0]);
    for (e = 0; e < m.nnz; e++) { // how many in each column, one place further up
        c = padici_sparse_index(m.col, m.wide, e) + 1;
        at = padici_sparse_index(to.row_ptr, to.wide, c) + 1;
        padici_sparse_index_set(to.row_ptr, to.wide, c, at);
    }
    for (c = 0, at = 0; c <= next.rows; c++) {
        at += padici_sparse_index(to.row_ptr, to.wide, c);
        padici_sparse_index_set(to.row_ptr, to.wide, c, at);
    }
    for (r = 0, e = 0; r < m.rows; r++)
        for (; e < padici_sparse_first(&m, r + 1); e++) {
            c = padici_sparse_index(m.col, m.wide, e);
            at = padici_sparse_index(to.row_ptr, to.wide, c);
            padici_sparse_index_set(to.row_ptr, to.wide, c, at + 1);
            padici_sparse_index_set(to.col, to.wide, at, r);
            memcpy(to.value + at * m.entry, m.value + e * m.entry, m.entry);
            if (a->val_of == PADIC_SPARSE_VAL_ENTRY)
                memcpy(to.val + at * m.size[3], m.val + e * m.size[3], m.size[3]);
        }
    for (c = next.rows; c > 0; c--) { // each now holds where the next one begins
        at = padici_sparse_index(to.row_ptr, to.wide, c - 1);
        padici_sparse_index_set(to.row_ptr, to.wide, c, at);
    }
    padici_sparse_index_set(to.row_ptr, to.wide, 0, 0);
    if (m.vals && a->val_of != PADIC_SPARSE_VAL_ENTRY) memcpy(to.val, m.val, (size_t)m.bytes[3]);
    next.nnz = m.nnz;
    next.trusted = a->trusted ? a->trusted : PADIC_SPARSE_STRUCTURE;
    *out = next;
    return PADIC_OK;
}

typedef struct padici_sparse_sum {
    const padic_sparse_csr *like;
    const padic_num_ring *ring; // NUMBERS
    const void *factor[2];      // alpha, beta; NULL: 1
    uint32_t overflow;
} padici_sparse_sum;

// A ring's factors must be residues.
static int padici_sparse_is_residue(const padic_num_ring *r, const void *factor)
{
    const padic_num_value *v = (const padic_num_value *)factor;
    if (!v) return 1;
    if (r->form == PADIC_NUM_W128)
        return padici_wide_less(padici_wide_load(v->u), padici_modulus(r));
    return !v->u[1] && (!r->base || v->u[0] < r->base);
}

// *to = the sum of factor times entry, those that are there: 1, or 0 if it is zero or does not fit.
static int padici_sparse_combine(padici_sparse_sum *s, const uint8_t *const from[2], uint8_t *to)
{
    const padic_dtype type = s->like->value.dtype;
    const padic_num_ring *r = s->ring;
    const uint32_t size = padic_dtype_size(type);
    padici_sparse_exact exact = {{0, 0, 0}};
    uint64_t sum[2] = {0, 0}, a[2] = {0, 0}, t[2], m;
    uint32_t i, k, n = 0;
    int64_t whole = 1;
    int negative;
    double real = 0, f = 1;
    float single = 0;
    for (i = 0; i < 2; i++) {
        if (!from[i]) continue;
        if (r) {
            for (k = 0; k < r->words; k++) a[k] = padici_sparse_key(from[i] + k * size, size);
            if (s->factor[i])
                padici_ring_mul(r, t, ((const padic_num_value *)s->factor[i])->u, a);
            padici_ring_add(r, sum, sum, s->factor[i] ? t : a);
        } else if (padici_sparse_is(type, PADICI_SPARSE_INTEGERS)) {
            if (s->factor[i]) memcpy(&whole, s->factor[i], 8);
            m = padici_int_load(from[i], type, 0, &negative);
            padici_sparse_exact_add(&exact, m, negative,
                                    whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole, whole < 0);
        } else {
            if (s->factor[i]) memcpy(&f, s->factor[i], 8);
            if (type == PADIC_F64) {
                const double x = f * padici_sparse_double(type, from[i]);
                real = n++ ? real + x : x;
            } else {
                const float x = (float)f * padici_sparse_single(type, from[i]);
                single = n++ ? single + x : x;
            }
        }
        whole = 1;
        f = 1;
    }
    if (r) {
        for (k = 0; k < r->words; k++) padici_sparse_key_set(to + k * size, size, sum[k]);
        return (sum[0] | sum[1]) != 0;
    }
    if (type == PADIC_F64)
        memcpy(to, &real, 8);
    else if (type == PADIC_F32)
        memcpy(to, &single, 4);
    else if (size == 2 && padici_sparse_is(type, PADICI_SPARSE_FLOATS))
        padici_sparse_narrow(type, to, single);
    else if (!padici_sparse_exact_store(&exact, type, to))
        s->overflow = 1;
    m = padici_sparse_key(to, size);
    return padici_sparse_is(type, PADICI_SPARSE_FLOATS) ? (m << 1 & padici_sparse_full(size)) != 0
                                                        : m != 0;
}

// Merges the rows of a and b (NULL: a alone). The result of a alone may be a: an entry is written
// at or before where it was read, and row_ptr after it was read.
static uint64_t padici_sparse_merge(padici_sparse_sum *s, const padici_sparse *to,
                                    const padici_sparse *a, const padici_sparse *b)
{
    uint64_t r, at = 0, i = 0, j = 0, i_end, j_end = 0, value[2];
    const uint8_t *from[2];
    for (r = 0; r < a->rows; r++) {
        i_end = padici_sparse_first(a, r + 1);
        if (b) j_end = padici_sparse_first(b, r + 1);
        padici_sparse_index_set(to->row_ptr, to->wide, r, at);
        while (i < i_end || j < j_end) {
            const uint64_t x = i < i_end ? padici_sparse_index(a->col, a->wide, i) : UINT64_MAX;
            const uint64_t y = j < j_end ? padici_sparse_index(b->col, b->wide, j) : UINT64_MAX;
            from[0] = x <= y ? a->value + i++ * a->entry : NULL;
            from[1] = y <= x ? b->value + j++ * b->entry : NULL;
            if (!padici_sparse_combine(s, from, (uint8_t *)value)) continue;
            if (at < to->room) {
                padici_sparse_index_set(to->col, to->wide, at, x < y ? x : y);
                memcpy(to->value + at * to->entry, value, to->entry);
            }
            at++;
        }
    }
    padici_sparse_index_set(to->row_ptr, to->wide, a->rows, at);
    return at;
}

// b NULL: alpha a, which may lie where a does.
static padic_result padici_sparse_add(padic_context *context, padic_sparse_csr *out,
                                      const padic_sparse_csr *a, const padic_sparse_csr *b,
                                      padici_sparse_sum *s)
{
    padic_sparse_csr next;
    padici_sparse ma, mb, to;
    padici_num_range list[12];
    uint32_t n = 0, same;
    padic_result result = out ? padici_sparse_open(context, a, &ma) : PADIC_ERROR_ARGUMENT;
    if (!result && b) result = padici_sparse_open(context, b, &mb);
    if (result) return result;
    if (b && (a->kind != b->kind || a->rows != b->rows || a->cols != b->cols || a->p != b->p ||
              a->value.dtype != b->value.dtype || a->precision != b->precision ||
              ma.entry != mb.entry || a->val_of != b->val_of || a->form != b->form)) {
        if (a->kind == b->kind && a->kind && (a->p != b->p || a->precision != b->precision ||
                                              a->form != b->form || ma.entry != mb.entry))
            return padici_blame(context, PADIC_ERROR_RING, "b", NULL,
                                "is of another ring than a");
        return padici_blame(context, PADIC_ERROR_MISMATCH, "b", NULL,
                            "must have the kind, shape and dtypes of a");
    }
    if (a->kind == PADIC_SPARSE_DIGITS || a->val_of || (s->ring && s->ring->form == PADIC_NUM_RX))
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "a", NULL,
                            "must be PLAIN, or RING numbers up to W128");
    if (a->kind == PADIC_SPARSE_NUMBERS && !s->ring)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "a", NULL,
                            "has a p, precision, form and words that no ring has");
    if (s->ring && (!padici_sparse_is_residue(s->ring, s->factor[0]) ||
                    !padici_sparse_is_residue(s->ring, s->factor[1])))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "alpha", NULL,
                            "and beta must be residues below P");
    padici_sparse_like(&next, out, a);
    next.mode = PADIC_SPARSE_NONZERO;
    next.threshold = 0;
    if ((result = padici_sparse_planes(context, &next, 1, &to)) != PADIC_OK) return result;
    if (next.value.dtype != a->value.dtype)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", "value",
                            "must have the dtype of a.value");
    same = !b && to.row_ptr == ma.row_ptr && to.col == ma.col && to.value == ma.value &&
           to.wide == ma.wide;
    if (same) to.room = ma.nnz;
    padici_sparse_ranges(&ma, same, 0, list, &n);
    if (b) padici_sparse_ranges(&mb, 0, 0, list, &n);
    padici_sparse_ranges(&to, same, 1, list, &n);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    s->like = a;
    next.nnz = padici_sparse_merge(s, &to, &ma, b ? &mb : NULL);
    if (next.nnz > to.room || (!to.wide && next.nnz >> 31)) {
        out->nnz = next.nnz;
        return next.nnz > to.room ? PADIC_ERROR_CAPACITY : PADIC_ERROR_LIMIT;
    }
    next.trusted = PADIC_SPARSE_STRUCTURE;
    if (a->trusted == PADIC_SPARSE_CANONICAL && (!b || b->trusted == PADIC_SPARSE_CANONICAL))
        next.trusted = PADIC_SPARSE_CANONICAL;
    *out = next;
    return s->overflow ? PADIC_ERROR_DOMAIN : PADIC_OK;
}

static void padici_sparse_sum_of(padici_sparse_sum *s, padic_num_ring *ring,
                                 const padic_sparse_csr *a, const void *alpha, const void *beta)
{
    memset(s, 0, sizeof *s);
    s->factor[0] = alpha;
    s->factor[1] = beta;
    if (a && a->kind == PADIC_SPARSE_NUMBERS && !padici_sparse_ring(a, ring)) s->ring = ring;
}

static PADICI_NOINLINE padic_result
padici_sparse_add_host(padic_context *context, padic_sparse_csr *out,
                       const padic_sparse_csr *a, const padic_sparse_csr *b,
                       const void *alpha, const void *beta)
{
    padic_num_ring ring;
    padici_sparse_sum s;
    if (!b) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "sparse_add", "b is NULL");
    padici_sparse_sum_of(&s, &ring, a, alpha, beta);
    return padici_sparse_end(context, "sparse_add", padici_sparse_add(context, out, a, b, &s));
}

static PADICI_NOINLINE padic_result
padici_sparse_scale_host(padic_context *context, padic_sparse_csr *out,
                         const padic_sparse_csr *a, const void *alpha)
{
    padic_num_ring ring;
    padici_sparse_sum s;
    padici_sparse_sum_of(&s, &ring, a, alpha, NULL);
    return padici_sparse_end(context, "sparse_scale", padici_sparse_add(context, out, a, NULL, &s));
}

// The threshold for a size

PADIC_API padic_result padic_sparse_fit(padic_context *context, const padic_tensor *dense,
                                        uint64_t nnz, uint64_t bytes, uint32_t index_size,
                                        double *threshold, padic_sparse_report *report)
{
    padic_sparse_encode_desc desc;
    padici_sparse_source s;
    padic_sparse_csr a;
    padic_sparse_report local;
    uint64_t low = 0, high, limit;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!report) report = &local;
    if (threshold) *threshold = 0;
    memset(&desc, 0, sizeof desc);
    desc.mode = PADIC_SPARSE_THRESHOLD;
    if (dense) desc.dense = *dense;
    if (threshold && dense && (!index_size || index_size == 4 || index_size == 8))
        result = padici_sparse_source_of(context, &s, &desc, 0, NULL);
    else
        padici_blame(context, result, NULL, NULL,
                     threshold && dense ? "index_size must be 0, 4 or 8"
                                        : "threshold or dense is NULL");
    if (result) return padici_sparse_end(context, "sparse_fit", result);
    high = padici_sparse_limit(s.dtype, 1.7976931348623157e308);
    if (padici_sparse_is(s.dtype, PADICI_SPARSE_SIGNED)) high = high / 2 + 1;
    for (limit = high; low <= high; limit = low + (high - low) / 2) { // the largest one first
        memset(&a, 0, sizeof a);
        if (index_size) a.row_ptr.dtype = index_size == 8 ? PADIC_I64 : PADIC_I32;
        s.most = limit;
        s.test = padici_sparse_above(s.dtype, limit);
        result = padici_sparse_count(context, &s, &desc, NULL, &a, report);
        if (result) return padici_sparse_end(context, "sparse_fit", result);
        if ((nnz && report->nnz > nnz) || (bytes && report->bytes > bytes)) {
            if (limit == high)
                return padici_fail_in(context, PADIC_ERROR_LIMIT, "sparse_fit",
                                      "bytes is below what an empty matrix takes");
            low = limit + 1;
        } else if (low == limit) {
            break;
        } else {
            high = limit;
        }
    }
    *threshold = padici_sparse_magnitude(s.dtype, limit);
    return PADIC_OK;
}

// Bytes
//
//     0 "PDS" 1   4 kind, val_of, mode, value type   8 index size, val type, form, 0   12 words
//     16 rows   24 cols   32 nnz   40 p   48 precision   52 0   56 threshold   64 size of all
//     72 checksum; then row_ptr, col, value, val, each filled up to 8 bytes by 0, and its checksum

#define PADICI_SPARSE_PADDED(bytes) (((bytes) + 7) & ~UINT64_C(7))

static uint64_t padici_sparse_sections(const padici_sparse *m)
{
    uint64_t sum = PADIC_SPARSE_HEADER;
    uint32_t i;
    for (i = 0; i < 4; i++) sum += PADICI_SPARSE_PADDED(m->bytes[i]);
    return sum;
}

PADIC_API size_t padic_sparse_write_bound(const padic_sparse_csr *csr)
{
    padici_sparse m;
    if (!csr || padici_sparse_head(csr, &m)) return 0;
    return padici_sparse_sections(&m) > (size_t)-1 ? 0 : (size_t)padici_sparse_sections(&m);
}

// Elements of `size` bytes to or from little-endian.
static void padici_sparse_move(uint8_t *to, const uint8_t *from, uint64_t bytes, uint32_t size)
{
    uint64_t i;
    if (!bytes) return;
    if (!PADICI_BIG_ENDIAN)
        memcpy(to, from, (size_t)bytes);
    else
        for (i = 0; i < bytes; i++) to[i] = from[i / size * size + size - 1 - i % size];
}

static padic_result padici_sparse_write(padic_context *context, const padic_sparse_csr *csr,
                                        uint8_t *at, size_t capacity, size_t *size)
{
    padici_sparse m;
    uint64_t bits;
    uint32_t i;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (size) *size = 0;
    if (at && size)
        result = padici_sparse_open(context, csr, &m);
    else
        padici_blame(context, result, at ? "size" : "bytes", NULL, "is NULL");
    if (result) return result;
    if (!(*size = padic_sparse_write_bound(csr))) return PADIC_ERROR_LIMIT;
    if (capacity < *size)
        return padici_blame(context, PADIC_ERROR_CAPACITY, "capacity", NULL,
                            "is below the size returned");
    memset(at, 0, 72);
    memcpy(at, "PDS\1", 4);
    at[4] = (uint8_t)csr->kind;
    at[5] = (uint8_t)csr->val_of;
    at[6] = (uint8_t)csr->mode;
    at[7] = (uint8_t)csr->value.dtype;
    at[8] = (uint8_t)m.size[0];
    at[9] = (uint8_t)(csr->val_of ? csr->val.dtype : 0);
    padici_store32(at + 12, csr->kind == PADIC_SPARSE_NUMBERS ? csr->words : 1);
    padici_store64(at + 16, csr->rows);
    padici_store64(at + 24, csr->cols);
    padici_store64(at + 32, csr->nnz);
    if (csr->kind) {
        at[10] = (uint8_t)csr->form;
        padici_store64(at + 40, csr->p);
        padici_store32(at + 48, csr->precision);
    }
    memcpy(&bits, &csr->threshold, 8);
    padici_store64(at + 56, bits);
    padici_store64(at + 64, *size);
    padici_store64(at + 72, padici_checksum(at, 72, 0));
    at += 80;
    for (i = 0; i < 4; i++) {
        const uint64_t padded = PADICI_SPARSE_PADDED(m.bytes[i]);
        if (padded) memset(at + padded - 8, 0, 8);
        padici_sparse_move(at, padici_sparse_plane(&m, i), m.bytes[i], m.size[i]);
        padici_store64(at + padded, padici_checksum(at, (size_t)padded, i + 1));
        at += padded + 8;
    }
    return PADIC_OK;
}

static padic_result padici_sparse_write_host(padic_context *context, const padic_sparse_csr *csr,
                                             void *bytes, size_t capacity, size_t *size)
{
    return padici_sparse_end(context, "sparse_write",
                             padici_sparse_write(context, csr, (uint8_t *)bytes, capacity, size));
}

// Only what _write() writes is accepted.
PADIC_API padic_result padic_sparse_info(const void *bytes, size_t size, padic_sparse_csr *csr)
{
    const uint8_t *at = (const uint8_t *)bytes;
    padic_sparse_csr a;
    padici_sparse m;
    uint64_t bits;
    if (!csr) return PADIC_ERROR_ARGUMENT;
    memset(csr, 0, sizeof *csr);
    memset(&a, 0, sizeof a);
    if (!bytes) return PADIC_ERROR_ARGUMENT;
    if (size < 4 || memcmp(at, "PDS", 3) || !at[3]) return PADIC_ERROR_CORRUPT;
    if (at[3] > 1) return PADIC_ERROR_VERSION;
    if (size < PADIC_SPARSE_HEADER) return PADIC_ERROR_CORRUPT;
    if (padici_load64(at + 72) != padici_checksum(at, 72, 0)) return PADIC_ERROR_CHECKSUM;
    if ((at[8] != 4 && at[8] != 8) || at[4] > 2 || at[5] > 3 || at[6] > 3 || at[7] > 14 ||
        at[9] > 14 || at[10] > PADIC_NUM_RX || at[11] || padici_load32(at + 52) || !at[5] != !at[9])
        return PADIC_ERROR_CORRUPT;
    a.kind = (padic_sparse_kind)at[4];
    a.val_of = (padic_sparse_val)at[5];
    a.mode = (padic_sparse_mode)at[6];
    a.value.dtype = (padic_dtype)at[7];
    a.row_ptr.dtype = at[8] == 8 ? PADIC_I64 : PADIC_I32;
    a.val.dtype = (padic_dtype)at[9];
    a.form = (padic_num_form)at[10];
    a.words = padici_load32(at + 12);
    a.rows = padici_load64(at + 16);
    a.cols = padici_load64(at + 24);
    a.nnz = padici_load64(at + 32);
    a.p = padici_load64(at + 40);
    a.precision = padici_load32(at + 48);
    bits = padici_load64(at + 56);
    memcpy(&a.threshold, &bits, 8);
    if (padici_sparse_lay(&a, &m) || padici_load64(at + 64) != size ||
        padici_sparse_sections(&m) != size || !(a.threshold - a.threshold == 0) || !a.words ||
        (!a.kind && (a.p || a.precision || at[10])))
        return PADIC_ERROR_CORRUPT;
    *csr = a;
    return PADIC_OK;
}

static PADICI_NOINLINE padic_result
padici_sparse_read(padic_context *context, padic_sparse_csr *out,
                   const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes, *data[4];
    padic_sparse_csr next, head;
    padici_sparse m;
    padici_num_range list[5];
    uint64_t padded, j;
    uint32_t i, n = 0;
    padic_result result = out ? padic_sparse_info(bytes, size, &head) : PADIC_ERROR_ARGUMENT;
    if (result)
        return padici_blame(context, result, out ? "bytes" : "out", NULL,
                            out && bytes ? padic_result_text(result) : "is NULL");
    if (out->row_ptr.dtype != head.row_ptr.dtype || out->value.dtype != head.value.dtype ||
        (head.val_of && out->val.dtype != head.val.dtype))
        return padici_blame(context, PADIC_ERROR_DTYPE, "out", NULL,
                            "has planes of other dtypes than the stream: see sparse_info");
    padici_sparse_like(&next, out, &head);
    next.nnz = head.nnz;
    result = padici_sparse_planes(context, &next, 0, &m);
    if (result == PADIC_ERROR_CAPACITY) *out = next;
    if (result) return result;
    padici_sparse_ranges(&m, 0, 1, list, &n);
    padici_num_range_add(list, &n, bytes, size, 0, 0);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    for (i = 0, at += 80; i < 4; i++) {
        data[i] = at;
        padded = PADICI_SPARSE_PADDED(m.bytes[i]);
        at += padded + 8;
        if (padici_load64(at - 8) != padici_checksum(data[i], (size_t)padded, i + 1))
            return padici_blame(context, PADIC_ERROR_CHECKSUM, "bytes", NULL, "are damaged");
        for (j = m.bytes[i]; j < padded; j++)
            if (data[i][j])
                return padici_blame(context, PADIC_ERROR_CORRUPT, "bytes", NULL,
                                    "are no stream that sparse_write makes");
    }
    for (i = 0; i < 4; i++)
        padici_sparse_move(padici_sparse_plane(&m, i), data[i], m.bytes[i], m.size[i]);
    result = padici_sparse_check(&next, &m, PADIC_SPARSE_CANONICAL, NULL);
    if (result)
        return padici_blame(context, result, "bytes", NULL, "hold a matrix that is not canonical");
    next.trusted = PADIC_SPARSE_CANONICAL;
    *out = next;
    return PADIC_OK;
}

// Copies of planes on a device, for what only the host does

#define PADICI_SPARSE_LENT 12u // three matrices

typedef struct padici_sparse_loan {
    padic_context *context;
    uint32_t count;
    struct {
        padici_place home, now;
        uint64_t bytes;
        uint32_t block, part; // part: 1 + number of the plane of the matrix that is made
        const padic_sparse_csr *made;
    } lent[PADICI_SPARSE_LENT];
} padici_sparse_loan;

// *t comes to lie in host memory: as it is (`in`), or to be written, for padici_sparse_repay().
static padic_result padici_sparse_lend(padici_sparse_loan *loan, padic_tensor *t, int in, int out)
{
    padic_context *const context = loan->context;
    uint64_t count, before, bytes;
    int dense;
    uint32_t block;
    padici_place home;
    padic_result result;
    if (!context || t->data || !t->buffer.id) return PADIC_OK;
    if ((result = padici_operand_place(context, t, &home)) != PADIC_OK || home.host) return result;
    if ((result = padici_tensor_check_shape(t, &count)) != PADIC_OK) return result;
    if (context->strict || loan->count == PADICI_SPARSE_LENT) return PADIC_ERROR_NOT_SUPPORTED;
    bytes = count ? padici_tensor_span(t, &dense, &before) : 0;
    result = padici_pool_take(context, &context->pools[1], bytes ? bytes : 1, &block);
    if (result) return result;
    loan->lent[loan->count].home = home;
    loan->lent[loan->count].now.mem = context->pools[1].blocks[block].mem;
    loan->lent[loan->count].now.at = 0;
    loan->lent[loan->count].now.host = 1;
    loan->lent[loan->count].bytes = out ? bytes : 0;
    loan->lent[loan->count].block = block;
    loan->lent[loan->count].made = NULL;
    t->data = padici_mem_at(loan->lent[loan->count].now.mem, 0);
    t->buffer.id = 0;
    t->offset = 0;
    if (in) {
        context->stats.kernels.staged_bytes += bytes;
        result = padici_target_move(context, &context->targets[0], &loan->lent[loan->count].now,
                                    &home, bytes);
    }
    loan->count++;
    return result;
}

// The same with a matrix: *csr becomes *copy if there is something to lend. `made`: a matrix to be
// made, of which only what it then has goes home.
static padic_result padici_sparse_lend_csr(padici_sparse_loan *loan, const padic_sparse_csr **csr,
                                           padic_sparse_csr *copy, int made)
{
    const uint32_t first = loan->count;
    padic_result result = PADIC_OK;
    uint32_t i, had;
    if (!*csr) return PADIC_OK;
    *copy = **csr;
    for (i = 0; i < 4 && !result; i++) {
        if (i == 3 && !padici_sparse_tensor(copy, 3)->dtype) break;
        had = loan->count;
        result = padici_sparse_lend(loan, padici_sparse_tensor(copy, i), !made, made);
        if (loan->count == had || !made) continue;
        loan->lent[had].made = copy;
        loan->lent[had].part = i;
    }
    if (loan->count > first) *csr = copy;
    return result;
}

// The planes of a matrix that was made are at home again in its struct.
static void padici_sparse_return(padic_sparse_csr *csr, const padic_sparse_csr *lent)
{
    padic_sparse_csr next = *lent;
    if (csr == lent) return;
    next.row_ptr = csr->row_ptr;
    next.col = csr->col;
    next.value = csr->value;
    next.val = csr->val;
    *csr = next;
}

// Ends a loan, after moving home what was written if the call was a success.
static padic_result padici_sparse_repay(padici_sparse_loan *loan, padic_result result)
{
    padic_context *const context = loan->context;
    const uint32_t count = loan->count;
    while (loan->count) {
        const uint32_t i = --loan->count;
        uint64_t bytes = loan->lent[i].bytes;
        padici_sparse m;
        if (loan->lent[i].made && !padici_sparse_head(loan->lent[i].made, &m) &&
            m.bytes[loan->lent[i].part] < bytes)
            bytes = m.bytes[loan->lent[i].part];
        if (bytes && !result) {
            context->stats.kernels.staged_bytes += bytes;
            result = padici_target_move(context, &context->targets[0], &loan->lent[i].home,
                                        &loan->lent[i].now, bytes);
        }
        padici_pool_give(context, &context->pools[1], loan->lent[i].block);
    }
    if (count && !result && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "sparse: an operation on buffers was done on the host (said once)");
    if (count && !result) context->stats.kernels.calls++;
    return result;
}

// An operation that reads one matrix.
#define PADICI_SPARSE_READER(name, call)                                          \
    padici_sparse_loan loan;                                                      \
    padic_sparse_csr copy;                                                        \
    padic_result result;                                                          \
    loan.context = context;                                                       \
    loan.count = 0;                                                               \
    result = padici_sparse_lend_csr(&loan, &csr, &copy, 0);                       \
    result = result ? padici_sparse_end(context, name, result) : (call);          \
    return padici_sparse_repay(&loan, result)

PADIC_API padic_result padic_sparse_validate(padic_context *context, padic_sparse_csr *csr_,
                                             padic_sparse_level level, uint64_t *bad_row)
{
    const padic_sparse_csr *csr = csr_;
    padici_sparse_loan loan;
    padic_sparse_csr copy;
    padic_result result;
    loan.context = context;
    loan.count = 0;
    result = padici_sparse_lend_csr(&loan, &csr, &copy, 0);
    if (result)
        result = padici_sparse_end(context, "sparse_validate", result);
    else if (csr == csr_)
        result = padici_sparse_validate_host(context, csr_, level, bad_row);
    else
        result = padici_sparse_validate_host(context, &copy, level, bad_row);
    if (!result && csr_) csr_->trusted = level;
    return padici_sparse_repay(&loan, result);
}

PADIC_API padic_result padic_sparse_row(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t row, uint64_t *first, uint64_t *count)
{
    PADICI_SPARSE_READER("sparse_row", padici_sparse_row_host(context, csr, row, first, count));
}

PADIC_API padic_result padic_sparse_get(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t row, uint64_t col, int64_t *entry)
{
    PADICI_SPARSE_READER("sparse_get", padici_sparse_get_host(context, csr, row, col, entry));
}

PADIC_API padic_result padic_sparse_col(padic_context *context, const padic_sparse_csr *csr,
                                        uint64_t col, const padic_tensor *entries)
{
    PADICI_SPARSE_READER("sparse_col", padici_sparse_col_host(context, csr, col, entries));
}

PADIC_API padic_result padic_sparse_write(padic_context *context, const padic_sparse_csr *csr,
                                          void *bytes, size_t capacity, size_t *size)
{
    PADICI_SPARSE_READER("sparse_write",
                         padici_sparse_write_host(context, csr, bytes, capacity, size));
}

// Decoding on a device: what its driver gets with PADIC_KERNEL_SPARSE_DECODE.
typedef struct padici_sparse_decode_drive {
    uint32_t size, wide;
    uint64_t rows, cols, nnz;
    padici_place row_ptr, col, value, dense;
} padici_sparse_decode_drive;

// NOT_SUPPORTED where the host has to do it.
static padic_result padici_sparse_decode_device(padic_context *context, const padic_tensor *dense,
                                                const padic_sparse_csr *csr)
{
    padici_num_space space;
    padici_sparse_decode_drive d;
    padici_sparse_source to;
    padici_sparse_stage stage;
    padici_sparse m;
    padici_num_range list[8];
    uint32_t n = 0;
    padic_result result;
    memset(&space, 0, sizeof space);
    memset(&to, 0, sizeof to);
    memset(&d, 0, sizeof d);
    result = padici_sparse_dense(context, &space, &to, dense, 0, NULL);
    if (!result) result = padici_sparse_planes_in(context, &space, csr, 0, &m);
    if (result) return result;
    if (!space.mems || csr->kind != PADIC_SPARSE_PLAIN || !csr->trusted ||
        (to.rows > 1 && to.stride != to.cols))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (to.rows != csr->rows || to.cols != csr->cols || to.dtype != csr->value.dtype)
        return PADIC_ERROR_MISMATCH;
    padici_sparse_ranges(&m, 0, 0, list, &n);
    padici_num_range_add(list, &n, to.key, to.rows * to.cols * to.size, 0, 1);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    d.size = to.size;
    d.wide = m.wide;
    d.rows = m.rows;
    d.cols = m.cols;
    d.nnz = m.nnz;
    result = padici_drive(context, PADIC_KERNEL_SPARSE_DECODE, &d, 1);
    if (result || !m.rows || !m.cols) return result;
    padici_sparse_stage_begin(&stage, context, &space, 0);
    result = padici_sparse_reach(&stage, m.row_ptr, m.bytes[0], 1, &d.row_ptr);
    if (!result) result = padici_sparse_reach(&stage, m.col, m.bytes[1], 1, &d.col);
    if (!result) result = padici_sparse_reach(&stage, m.value, m.bytes[2], 1, &d.value);
    if (!result)
        result = padici_sparse_reach(&stage, to.key, to.rows * to.cols * to.size, 0, &d.dense);
    if (!result) result = padici_drive(context, PADIC_KERNEL_SPARSE_DECODE, &d, 0);
    if (!result) result = padici_sparse_home(&stage, &d.dense, to.rows * to.cols * to.size);
    padici_sparse_stage_end(&stage);
    if (!result) context->stats.kernels.calls++;
    return result;
}

PADIC_API padic_result padic_sparse_decode(padic_context *context, const padic_tensor *dense,
                                           const padic_num_array *numbers,
                                           const padic_sparse_csr *csr)
{
    padici_sparse_loan loan;
    padic_sparse_csr copy;
    padic_tensor to;
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    if (context && dense && !numbers && csr && (dense->buffer.id || csr->row_ptr.buffer.id)) {
        result = padici_sparse_decode_device(context, dense, csr);
        if (result != PADIC_ERROR_NOT_SUPPORTED)
            return padici_sparse_end(context, "sparse_decode", result);
    }
    loan.context = context;
    loan.count = 0;
    result = padici_sparse_lend_csr(&loan, &csr, &copy, 0);
    if (dense) {
        to = *dense;
        if (!result) result = padici_sparse_lend(&loan, &to, 0, 1);
        dense = &to;
    }
    result = result ? padici_sparse_end(context, "sparse_decode", result)
                    : padici_sparse_decode_host(context, dense, numbers, csr);
    return padici_sparse_repay(&loan, result);
}

static padic_result padici_sparse_product_lent(padic_context *context,
                                               const padic_sparse_product_desc *desc, uint32_t one)
{
    padici_sparse_loan loan;
    padic_sparse_csr copy;
    padic_sparse_product_desc local;
    padic_result result;
    const char *const name = one ? "sparse_spmv" : "sparse_spmm";
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
    local = *desc;
    loan.context = context;
    loan.count = 0;
    result = padici_sparse_lend_csr(&loan, &local.a, &copy, 0);
    if (!result) result = padici_sparse_lend(&loan, &local.x, 1, 0);
    if (!result) result = padici_sparse_lend(&loan, &local.y, 0, 1);
    if (!result) result = padici_sparse_product(context, &local, one);
    return padici_sparse_repay(&loan, padici_sparse_end(context, name, result));
}

PADIC_API padic_result padic_sparse_spmv(padic_context *context,
                                         const padic_sparse_product_desc *desc)
{
    return padici_sparse_product_lent(context, desc, 1);
}

PADIC_API padic_result padic_sparse_spmm(padic_context *context,
                                         const padic_sparse_product_desc *desc)
{
    return padici_sparse_product_lent(context, desc, 0);
}

// An operation that makes *out of a and b.
#define PADICI_SPARSE_MAKER(name, a, b, call)                                      \
    const padic_sparse_csr *made = out;                                            \
    padici_sparse_loan loan;                                                       \
    padic_sparse_csr copies[3], *to = out;                                         \
    padic_result result;                                                           \
    loan.context = context;                                                        \
    loan.count = 0;                                                                \
    result = padici_sparse_lend_csr(&loan, &made, &copies[0], 1);                  \
    if (made != out) to = &copies[0];                                              \
    if (!result) result = padici_sparse_lend_csr(&loan, (a), &copies[1], 0);       \
    if (!result) result = padici_sparse_lend_csr(&loan, (b), &copies[2], 0);       \
    result = result ? padici_sparse_end(context, name, result) : (call);           \
    if (out) padici_sparse_return(out, to);                                        \
    return padici_sparse_repay(&loan, result)

PADIC_API padic_result padic_sparse_transpose(padic_context *context, padic_sparse_csr *out,
                                              const padic_sparse_csr *a)
{
    const padic_sparse_csr *none = NULL;
    PADICI_SPARSE_MAKER("sparse_transpose", &a, &none,
                        padici_sparse_end(context, "sparse_transpose",
                                          padici_sparse_transpose(context, to, a)));
}

PADIC_API padic_result padic_sparse_add(padic_context *context, padic_sparse_csr *out,
                                        const padic_sparse_csr *a, const padic_sparse_csr *b,
                                        const void *alpha, const void *beta)
{
    PADICI_SPARSE_MAKER("sparse_add", &a, &b,
                        padici_sparse_add_host(context, to, a, b, alpha, beta));
}

PADIC_API padic_result padic_sparse_scale(padic_context *context, padic_sparse_csr *out,
                                          const padic_sparse_csr *a, const void *alpha)
{
    const padic_sparse_csr *none = NULL;
    PADICI_SPARSE_MAKER("sparse_scale", &a, &none, padici_sparse_scale_host(context, to, a, alpha));
}

PADIC_API padic_result padic_sparse_read(padic_context *context, padic_sparse_csr *out,
                                         const void *bytes, size_t size)
{
    const padic_sparse_csr *none = NULL, *nor = NULL;
    PADICI_SPARSE_MAKER("sparse_read", &none, &nor,
                        padici_sparse_end(context, "sparse_read",
                                          padici_sparse_read(context, to, bytes, size)));
}

// Calibration

// The median time of five encodings after one to warm up.
static padic_result padici_sparse_measure(padic_context *context, const padic_sparse_csr *out,
                                          const padic_sparse_encode_desc *desc, double *ns)
{
    padic_sparse_csr to = *out;
    padic_sparse_report report;
    double t[6];
    uint32_t i, j;
    for (i = 0; i < 6; i++) {
        const uint64_t begin = padici_profile_now(context);
        const padic_result result = padic_sparse_encode(context, &to, desc, &report);
        double took = (double)(padici_profile_now(context) - begin);
        if (result) return result;
        for (j = i; j > 1 && t[j - 1] > took; j--) t[j] = t[j - 1]; // t[1] to t[5] in order
        t[i ? j : 0] = took;
    }
    *ns = t[3];
    return PADIC_OK;
}

PADIC_API padic_result padic_sparse_calibrate(padic_context *context, padic_sparse_csr *out,
                                              const padic_sparse_encode_desc *desc,
                                              padic_sparse_calibration *table)
{
    const padic_jobs *jobs = padici_jobs(context);
    padic_sparse_encode_desc one;
    padici_sparse_source s;
    uint32_t c, m;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (table) memset(table, 0, sizeof *table);
    if (context && out && table && desc && !desc->numbers.ring)
        result = padici_sparse_source_of(context, &s, desc, 0, NULL);
    if (result) return padici_sparse_end(context, "sparse_calibrate", result);
    one = *desc;
    one.calibration = NULL;
    for (c = 0; c < PADIC_SPARSE_CLASSES; c++) {
        const uint64_t most = UINT64_C(1) << (12 + 4 * c);
        for (m = 0; m < PADIC_SPARSE_METHODS; m++) table->ns[c][m] = -1;
        if (!s.cols || s.rows * s.cols < most) continue;
        if (one.dense.rank == 2) one.dense.shape[0] = s.cols > most ? 1 : most / s.cols;
        one.dense.shape[one.dense.rank - 1] = s.cols > most ? most : s.cols;
        for (m = PADIC_SPARSE_SCALAR; m < PADIC_SPARSE_METHODS; m++) {
            if (m == PADIC_SPARSE_THREADS && (!jobs || jobs->workers < 2)) continue;
            one.method = (padic_sparse_method)m;
            result = padici_sparse_measure(context, out, &one, &table->ns[c][m]);
            if (result == PADIC_ERROR_NOT_SUPPORTED) continue;
            if (result) {
                memset(table, 0, sizeof *table);
                return result;
            }
            if (!table->best[c] || table->ns[c][m] < table->ns[c][table->best[c]])
                table->best[c] = (padic_sparse_method)m;
        }
    }
    return PADIC_OK;
}
// room: src/padic_sparse.in.h:33

#endif // PADIC_SPARSE_H
