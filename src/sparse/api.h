#pragma once
// --------------------------------------------------------------------------------- >>sparse API
//
// Compressed sparse rows (CSR): row r has the entries row_ptr[r] to row_ptr[r + 1] - 1; each is a
// column and a value, columns strictly increasing, no zero stored. Everything is D0, the products
// of float matrices excepted (D1). Limits: rows, columns, entries < 2^48.
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // a matrix without its zeros, times a vector
//     {
//         float dense[2][3] = {{1, 0, 2}, {0, 3, 0}}, x[3] = {1, 10, 100}, y[2] = {0, 0};
//         padic_sparse_encode_desc desc = PADIC_ZERO;
//         padic_sparse_product_desc product = PADIC_ZERO;
//         padic_sparse_csr csr = PADIC_ZERO;
//         padic_context *context; // whose pool has the matrix
//         padic_result result = padic_context_create(NULL, &context);
//         if (result) return puts(padic_result_text(result)), 1;
//         desc.dense = padic_tensor_2d(PADIC_F32, dense, 2, 3);
//         result = padic_sparse_encode(context, &csr, &desc, NULL);
//         product.a = &csr;
//         product.x = padic_tensor_1d(PADIC_F32, x, 3);
//         product.y = padic_tensor_1d(PADIC_F32, y, 2);
//         if (!result) result = padic_sparse_spmv(context, &product);
//         printf("%u entries, y = %g %g\n", (unsigned)csr.nnz, y[0], y[1]); // 3, 201, 30
//         padic_sparse_destroy(context, &csr);
//         padic_context_destroy(context);
//         return result != PADIC_OK;
//     }

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

// A backend's loops (padic_backend_op) SPARSE_COUNT_LOOP, which sets `kept` and row_ptr, and
// SPARSE_FILL_LOOP, which sets col and value, too. A key is a word of `size` bytes; it is kept when
// ((key factor + bias) & mask) > limit, modulo 2^(8 size) and unsigned: every mode is of this form.
typedef enum padic_sparse_kernel { // in a device's memory
    PADIC_KERNEL_SPARSE_ENCODE = 3100,
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
