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
//         padic_sparse_csr csr = PADIC_ZERO;
//         padic_context *context; // whose pool has the matrix
//         padic_result result = padic_context_create(NULL, &context);
//         if (result) return puts(padic_result_text(result)), 1;
//         result = padic_sparse_from_dense(context, padic_tensor_2d(PADIC_F32, dense, 2, 3), &csr);
//         if (!result)
//             result = padic_sparse_multiply(context, &csr, padic_tensor_1d(PADIC_F32, x, 3),
//                                            padic_tensor_1d(PADIC_F32, y, 2));
//         printf("%u entries, y = %g %g\n", (unsigned)csr.nnz, y[0], y[1]); // 3, 201, 30
//         padic_sparse_destroy(context, &csr);
//         padic_context_destroy(context);
//         return result != PADIC_OK;
//     }
//
// An operation takes a desc, zero being the default of every field. What makes, places, destroys or
// measures a matrix (create, place, destroy, size) takes the matrix itself.

// What an entry is.
typedef enum padic_sparse_kind {
    PADIC_SPARSE_KIND_PLAIN = 0,  // one element of value.dtype: integers or real floats
    PADIC_SPARSE_KIND_DIGITS = 1, // row = one p-adic number, column k = its digit of p^k in [0, p)
    PADIC_SPARSE_KIND_NUMBERS = 2 // one p-adic number: its unit in `value`, as words of the ring
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
    PADIC_SPARSE_MODE_NONZERO = 0,   // x != 0, NaN too; -0 is dropped and counted
    PADIC_SPARSE_MODE_BITS = 1,      // any bit is set: decode gives every bit back
    PADIC_SPARSE_MODE_THRESHOLD = 2, // |x| > t, NaN too; PLAIN only
    PADIC_SPARSE_MODE_NORM = 3       // v(x) < t, so |x|_p > p^-t; integers and numbers
} padic_sparse_mode;

// How; the bytes are the same. AUTO: what a calibration says; else, where the source lies on a
// device, that device's best; else THREADS for large input. SIMD and GPU_* are NOT_SUPPORTED where
// nothing does them. What lies elsewhere than the work is moved there and back.
typedef enum padic_sparse_method {
    PADIC_SPARSE_METHOD_AUTO = 0,
    PADIC_SPARSE_METHOD_SCALAR = 1,  // this thread, plain loops
    PADIC_SPARSE_METHOD_SIMD = 2,    // this thread, a backend's loops
    PADIC_SPARSE_METHOD_THREADS = 3, // the context's jobs; a backend's loops where there are some
    PADIC_SPARSE_METHOD_GPU_ONE_PASS = 4, // reads once; CUDA only: groups wait for one another
    PADIC_SPARSE_METHOD_GPU_BITMAP = 5,   // reads once, writes bits, reads what is kept
    PADIC_SPARSE_METHOD_GPU_REREAD = 6,   // reads twice: for dense data
    PADIC_SPARSE_METHOD_COUNT = 7
} padic_sparse_method;

// How far the arrays have been validated.
typedef enum padic_sparse_level {
    PADIC_SPARSE_LEVEL_UNKNOWN = 0,   // an operation validates STRUCTURE before it begins
    PADIC_SPARSE_LEVEL_STRUCTURE = 1, // row_ptr, and columns in range and strictly increasing
    PADIC_SPARSE_LEVEL_CANONICAL = 2  // also no zero; digits < p; units, valuations canonical
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
    padic_sparse_level trusted; // set by _validate and by whatever makes a matrix. If you set it,
                                // nothing is validated any more, and wrong arrays lead astray
} padic_sparse_csr;

// What is encoded, and which of its elements are kept: `dense` or `numbers`.
typedef struct padic_sparse_source {
    padic_tensor dense;      // rank 1 (one row) or 2, any row stride, columns next to each other;
                             // any dtype but complex
    padic_num_array numbers; // RING or FLOAT, rows x cols, row by row
    uint64_t rows, cols;     // of numbers
    const padic_num_ring *ring; // NORM of an integer tensor: whose p
    padic_sparse_mode mode;
    double threshold; // t. THRESHOLD: finite, >= 0
} padic_sparse_source;

// Medians in ns of five encodings of 2^12, 2^16, 2^20, 2^24 elements by each method, -1 where it
// was not measured, and the fastest.
#define PADIC_SPARSE_CALIBRATION_SIZES 4
typedef struct padic_sparse_calibration {
    double ns[PADIC_SPARSE_CALIBRATION_SIZES][PADIC_SPARSE_METHOD_COUNT];
    padic_sparse_method best[PADIC_SPARSE_CALIBRATION_SIZES];
} padic_sparse_calibration;

// What encoding found. Without a report, nobody counts what is dropped, which costs time.
typedef struct padic_sparse_encode_report {
    uint64_t nnz;            // also when the capacity was too small
    uint64_t size;           // as padic_sparse_size() of the result, at its index width
    uint32_t index_size;     // recommended: 4 when rows, cols, nnz < 2^31, else 8
    uint64_t negative_zeros; // NONZERO: -0 that were dropped
    uint64_t dropped;        // THRESHOLD, NORM: elements not 0 that were dropped,
    double largest_dropped;  // THRESHOLD: and the largest of their |x| (64-bit integers: rounded)
    padic_sparse_method method; // that did it
} padic_sparse_encode_report;

// The operations check sizes, types and capacities of every matrix. Common errors: ARGUMENT
// (a pointer missing, a mode that does not fit the source, t < 0, NaN or infinite, buffers without
// context), DTYPE, LIMIT (2^48; 2^31 rows, columns or entries with I32 indices), REGION (a row or
// column beyond the matrix), CAPACITY, MISMATCH (shapes or dtypes differ), RING (rings or models
// do), ALIGNMENT, OVERLAP, CORRUPT (a matrix that is not valid), NOT_SUPPORTED (method; BALL;
// strict).
//
// A matrix that is not `trusted` is validated before it is read: row_ptr and columns lead nowhere
// outside. Its units, digits and valuations may be anything: then results are unspecified. Only
// padic_sparse_row() and padic_sparse_get() do not validate the whole matrix: they check the two
// ends of the row that they read, and where its columns do not ascend, what _get finds is
// unspecified.

// Encoding has kernels for plain matrices and numbers of one word, decoding for plain matrices that
// are trusted. The other operations copy planes on a device to the host and back: NOT_SUPPORTED in
// a strict context.

// Only counts: the report, and row_ptr. One of the two must be given.
typedef struct padic_sparse_count_desc {
    padic_sparse_source source;
    padic_sparse_method method;
    const padic_sparse_calibration *calibration; // of AUTO
    padic_tensor row_ptr;                        // optional: I32 or I64, rows + 1
    padic_sparse_encode_report *report;
} padic_sparse_count_desc;
PADIC_API padic_result padic_sparse_count(padic_context *context,
                                          const padic_sparse_count_desc *desc);

// Encodes into the planes of *out. With CAPACITY row_ptr and nnz are right, col and value are not
// filled. If row_ptr, col and value of *out have neither data nor buffer, they are made in the
// context's pool, sized by a count: padic_sparse_destroy() gives them back.
typedef struct padic_sparse_encode_desc {
    padic_sparse_source source;
    padic_sparse_method method;
    const padic_sparse_calibration *calibration; // of AUTO
    padic_sparse_csr *out;
    // Optional: U64, 4 elements in a buffer of the device. Then encoding there waits for nothing (a
    // recording may hold it), and until padic_sparse_settle() out->nnz is only what its planes hold
    // at most.
    padic_tensor totals;
    padic_sparse_encode_report *report; // optional
} padic_sparse_encode_desc;
PADIC_API padic_result padic_sparse_encode(padic_context *context,
                                           const padic_sparse_encode_desc *desc);

// The short way: the elements of `dense` that are not zero, by padic_sparse_encode(). *out all
// zero: in the context's pool.
PADIC_API padic_result padic_sparse_from_dense(padic_context *context, padic_tensor dense,
                                               padic_sparse_csr *out);

// Sets nnz of a matrix that was encoded with `totals`, and *report if that encoding had one, too.
// Waits. CAPACITY.
typedef struct padic_sparse_settle_desc {
    padic_sparse_csr *matrix;
    padic_tensor totals;
    padic_sparse_encode_report *report; // optional
} padic_sparse_settle_desc;
PADIC_API padic_result padic_sparse_settle(padic_context *context,
                                           const padic_sparse_settle_desc *desc);

// Encodes `count` matrices of one shape: source.dense has rank 3, or source.numbers count x rows x
// cols elements. The planes of out[0] hold all of them one after another, row_ptr `count` segments
// of rows + 1, each from 0; out[b] become views of their parts. The report sums up.
typedef struct padic_sparse_encode_batch_desc {
    padic_sparse_source source;
    uint64_t count;
    padic_sparse_method method;
    const padic_sparse_calibration *calibration; // of AUTO
    padic_sparse_csr *out;                       // `count` of them
    padic_sparse_encode_report *report;          // optional
} padic_sparse_encode_batch_desc;
PADIC_API padic_result padic_sparse_encode_batch(padic_context *context,
                                                 const padic_sparse_encode_batch_desc *desc);

// Makes the planes of a matrix whose rows, cols, nnz, kind, val_of, words and value.dtype are set
// (row_ptr.dtype 0: the recommended type; val.dtype 0: I32): in the context's pool; or in one
// block of `size` bytes, padic_sparse_place_size_bound() (0: no matrix) or more. MEMORY, CAPACITY.
PADIC_API padic_result padic_sparse_create(padic_context *context, padic_sparse_csr *csr);
PADIC_API padic_result padic_sparse_place(padic_sparse_csr *csr, void *memory, uint64_t size);
PADIC_API uint64_t padic_sparse_place_size_bound(const padic_sparse_csr *csr);
// Gives the buffers of the planes back and clears *csr. Buffers of your own go, too. NULL is fine.
PADIC_API padic_result padic_sparse_destroy(padic_context *context, padic_sparse_csr *csr);

// Numbers to the digits of their units, cols = N, without a dense matrix between. FLOAT: val by
// row; ZERO is an empty row, NaN the digits of its status byte (mod P). With CAPACITY row_ptr and
// nnz are right.
// value: U8 (p <= 256), U16 (p <= 65,536), U32 (p <= 2^32) or U64, else ARGUMENT.
typedef struct padic_sparse_from_num_desc {
    padic_num_array numbers; // RING or FLOAT
    padic_sparse_csr *out;
} padic_sparse_from_num_desc;
PADIC_API padic_result padic_sparse_from_num(padic_context *context,
                                             const padic_sparse_from_num_desc *desc);
// And back.
typedef struct padic_sparse_to_num_desc {
    const padic_sparse_csr *matrix; // DIGITS
    padic_num_array out;            // of its ring; rows elements
} padic_sparse_to_num_desc;
PADIC_API padic_result padic_sparse_to_num(padic_context *context,
                                           const padic_sparse_to_num_desc *desc);

// Writes zeros and the entries, in one pass.
typedef struct padic_sparse_decode_desc {
    const padic_sparse_csr *matrix;
    padic_tensor out; // rank 2, or 1 for one row, of the matrix's dtype; or
    padic_num_array out_numbers; // of a matrix of NUMBERS: rows x cols of them
} padic_sparse_decode_desc;
PADIC_API padic_result padic_sparse_decode(padic_context *context,
                                           const padic_sparse_decode_desc *desc);

// Validates everything up to the level, which becomes matrix->trusted. CORRUPT.
typedef struct padic_sparse_validate_report {
    uint64_t bad_row; // the first row that is not valid; `rows` when it is none of them
} padic_sparse_validate_report;
typedef struct padic_sparse_validate_desc {
    padic_sparse_csr *matrix;
    padic_sparse_level level; // STRUCTURE or CANONICAL
    padic_sparse_validate_report *report; // optional
} padic_sparse_validate_desc;
PADIC_API padic_result padic_sparse_validate(padic_context *context,
                                             const padic_sparse_validate_desc *desc);

// Which entries are a row: `count` from `first` on; O(1). REGION beyond the last row: both are 0.
typedef struct padic_sparse_row_report {
    uint64_t first, count;
} padic_sparse_row_report;
typedef struct padic_sparse_row_desc {
    const padic_sparse_csr *matrix;
    uint64_t row;
    padic_sparse_row_report *report;
} padic_sparse_row_desc;
PADIC_API padic_result padic_sparse_row(padic_context *context, const padic_sparse_row_desc *desc);
// Which entry is at (row, col), by binary search.
typedef struct padic_sparse_get_report {
    int64_t entry; // -1: a zero, also after an error
} padic_sparse_get_report;
typedef struct padic_sparse_get_desc {
    const padic_sparse_csr *matrix;
    uint64_t row, col;
    padic_sparse_get_report *report;
} padic_sparse_get_desc;
PADIC_API padic_result padic_sparse_get(padic_context *context, const padic_sparse_get_desc *desc);
// The entries of a whole column, -1 for a zero. O(rows log cols).
typedef struct padic_sparse_col_desc {
    const padic_sparse_csr *matrix;
    uint64_t col;
    padic_tensor out; // I64, rows
} padic_sparse_col_desc;
PADIC_API padic_result padic_sparse_col(padic_context *context, const padic_sparse_col_desc *desc);

// y = A x, for a vector x or for the m columns of a matrix X (SpMV, SpMM).
//   integers: any types; y I64 or U64, exact; a sum that y cannot hold is 0 and the call DOMAIN.
//   floats (D1): F64; F32; F16, BF16 with x of that type or F32 and y F32. The k-th entry of a row
//   goes to partial sum k mod 32, product and sum rounded once each; then neighbours are added
//   pairwise, 5 times. |error| <= (ceil(n / 32) + 6) eps sum |a x|, n entries in the row,
//   eps = 2^-24 or 2^-53.
typedef struct padic_sparse_product_desc {
    const padic_sparse_csr *a;
    padic_tensor x, y; // cols or cols x m; rows or rows x m, row by row
    padic_num_array x_numbers, y_numbers; // NUMBERS of a RING: the same, of the matrix's ring
} padic_sparse_product_desc;
PADIC_API padic_result padic_sparse_product(padic_context *context,
                                            const padic_sparse_product_desc *desc);

// The short way: y = a x, by padic_sparse_product().
PADIC_API padic_result padic_sparse_multiply(padic_context *context, const padic_sparse_csr *a,
                                             padic_tensor x, padic_tensor y);

// out = a transposed: a stable counting sort.
typedef struct padic_sparse_transpose_desc {
    const padic_sparse_csr *a;
    padic_sparse_csr *out;
} padic_sparse_transpose_desc;
PADIC_API padic_result padic_sparse_transpose(padic_context *context,
                                              const padic_sparse_transpose_desc *desc);

// A factor of all entries, of the matrix's kind (else ARGUMENT): 1 if all is zero.
typedef enum padic_sparse_factor_kind {
    PADIC_SPARSE_FACTOR_ONE = 0,
    PADIC_SPARSE_FACTOR_INTEGER = 1, // of integers
    PADIC_SPARSE_FACTOR_REAL = 2,    // of floats; rounded to F32 for F32, F16 and BF16
    PADIC_SPARSE_FACTOR_NUMBER = 3   // of NUMBERS: a residue
} padic_sparse_factor_kind;
typedef struct padic_sparse_factor {
    padic_sparse_factor_kind kind;
    int64_t integer;
    double real;
    padic_num_value number;
} padic_sparse_factor;

// out = alpha a + beta b, and out = alpha a, exact zeros removed; mode NONZERO. Same kind, shape,
// dtype and ring; not DIGITS, and NUMBERS of a RING up to W128 only. Integers: a result that does
// not fit is left out and the call DOMAIN. F16 and BF16 work in F32; each operation is rounded
// once. CAPACITY: out->nnz is what is needed.
typedef struct padic_sparse_add_desc {
    const padic_sparse_csr *a, *b;
    padic_sparse_factor alpha, beta;
    padic_sparse_csr *out;
} padic_sparse_add_desc;
PADIC_API padic_result padic_sparse_add(padic_context *context, const padic_sparse_add_desc *desc);
typedef struct padic_sparse_scale_desc {
    const padic_sparse_csr *a;
    padic_sparse_factor alpha;
    padic_sparse_csr *out; // may be `a`
} padic_sparse_scale_desc;
PADIC_API padic_result padic_sparse_scale(padic_context *context,
                                          const padic_sparse_scale_desc *desc);

// Returns all the bytes of a matrix: nnz (value + index) + (rows + 1) pointers + valuations + the
// header.
#define PADIC_SPARSE_HEADER 112u // of the byte form, its five checksums included
PADIC_API uint64_t padic_sparse_size(const padic_sparse_csr *csr);
// Finds the least t with which THRESHOLD keeps at most nnz_limit entries of `dense` in at most
// size_limit bytes with indices of index_size. LIMIT when even the largest t takes more; size and
// nnz of the report are then that floor. (A row of k bytes costs k bytes dense and at least one
// pointer of 4 sparse: "20 times smaller" rows of 4 digits do not exist.)
typedef struct padic_sparse_fit_report {
    double threshold;
    padic_sparse_encode_report encoding; // what encoding with it finds
} padic_sparse_fit_report;
typedef struct padic_sparse_fit_desc {
    padic_tensor dense;
    uint64_t nnz_limit, size_limit; // 0: none
    uint32_t index_size;            // 4, 8; 0: recommended
    padic_sparse_fit_report *report;
} padic_sparse_fit_desc;
PADIC_API padic_result padic_sparse_fit(padic_context *context, const padic_sparse_fit_desc *desc);

// Bytes: magic PDS, version 1, little-endian: header, row_ptr, col, value, val, each 8-byte aligned
// with a checksum. Writes a matrix. CAPACITY: report->size is what is needed; no memory of no
// capacity asks for just that.
typedef struct padic_sparse_write_report {
    uint64_t size; // bytes written: padic_sparse_write_size_bound(), which is exact
} padic_sparse_write_report;
typedef struct padic_sparse_write_desc {
    const padic_sparse_csr *matrix;
    padic_bytes out;
    padic_sparse_write_report *report; // optional
} padic_sparse_write_desc;
PADIC_API uint64_t padic_sparse_write_size_bound(const padic_sparse_csr *csr);
PADIC_API padic_result padic_sparse_write(padic_context *context,
                                          const padic_sparse_write_desc *desc);
// Tells everything of a written matrix but its memory: planes have a dtype and no data, for _place
// or _create. Any bytes are safe, here and in _read. CORRUPT, CHECKSUM, VERSION.
PADIC_API padic_result padic_sparse_info(padic_context *context, const padic_bytes *bytes,
                                         padic_sparse_csr *csr);
// Reads a matrix. As _info; CAPACITY when the planes of *out are too small (*out has the sizes),
// DTYPE when they have other dtypes.
typedef struct padic_sparse_read_desc {
    padic_bytes bytes;
    padic_sparse_csr *out;
} padic_sparse_read_desc;
PADIC_API padic_result padic_sparse_read(padic_context *context,
                                         const padic_sparse_read_desc *desc);

// Measures the methods on the first rows of source.dense, for a later desc.calibration: once to
// warm up, then five times, in each of the sizes that `dense` fills. The first failure is returned
// and *out is then zero.
typedef struct padic_sparse_calibrate_desc {
    padic_sparse_source source;
    const padic_sparse_csr *matrix; // whose planes are written
    padic_sparse_calibration *out;
} padic_sparse_calibrate_desc;
PADIC_API padic_result padic_sparse_calibrate(padic_context *context,
                                              const padic_sparse_calibrate_desc *desc);

// A backend's loops (padic_backend_op) SPARSE_COUNT_LOOP, which sets `kept` and row_ptr, and
// SPARSE_FILL_LOOP, which sets col and value, too. A key is a word of `size` bytes; it is kept when
// ((key factor + bias) & mask) > limit, modulo 2^(8 size) and unsigned: every mode is of this form.
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
