// encode.cl: the params of all encoders from dense to CSR, and their key tests.

#ifndef PD_SPARSE_SIZE
#define PD_SPARSE_SIZE 4 // bytes of a key
#endif
#if PD_SPARSE_SIZE == 1
typedef pd_u8 sparse_key;
#elif PD_SPARSE_SIZE == 2
typedef pd_u16 sparse_key;
#elif PD_SPARSE_SIZE == 4
typedef pd_u32 sparse_key;
#else
typedef pd_u64 sparse_key;
#endif
#if PD_SPARSE_SIZE == 8
typedef pd_u64 sparse_int; // the type to compute keys in
#define SPARSE_INT(x) PD_U64((x)[0], (x)[1])
#else
typedef pd_u32 sparse_int;
#define SPARSE_INT(x) ((x)[0])
#endif

#define SPARSE_FILL 1u    // flags: entries are requested, not only row_ptr
#define SPARSE_ROWS 2u    // row_ptr is requested
#define SPARSE_WIDE 4u    // indices of 64 bits
#define SPARSE_SIMPLE 8u  // the test is (key & mask) != 0
#define SPARSE_BITMAP 16u // pass 1 writes the bitmap, pass 2 reads it
#define SPARSE_SIGNED 32u
#define SPARSE_KEYS 64u   // kept keys are requested

typedef struct {
    pd_u32 n_lo, n_hi; // elements, `pad` included
    pd_u32 base_lo, base_hi; // byte, a multiple of 16
    pd_u32 pad, tiles, flags;
    pd_u32 rows_lo, rows_hi, cols_lo, cols_hi;
    pd_u32 magic; // 2^32 / cols + 1 for 1 < cols < 32768
    pd_u32 room_lo, room_hi;
    pd_u32 row_ptr_lo, row_ptr_hi, col_lo, col_hi; // first elements of the planes
    pd_u32 kept_lo, kept_hi, unit_lo, unit_hi, value_lo, value_hi; // unit, value: words
    pd_u32 factor[2], bias[2], mask[2], limit[2];
    pd_u32 other[8]; // factor, bias, mask, limit of the second test
    pd_u32 most[2];
    pd_u32 total_lo, total_hi; // its first element
    pd_u32 polls; // ring.cu: of a group for how many have started
} padic_k_sparse_encode_params;

// 1 if a key is kept.
PD_FN pd_u32 sparse_kept(sparse_int x, sparse_int factor, sparse_int bias, sparse_int mask,
                         sparse_int limit)
{
    return ((x * factor + bias) & mask) > limit ? 1u : 0u;
}

// Constants to get columns below 2^32 from an element's number in a part of the matrix.
typedef struct {
    pd_u32 add, cols, magic, limit;
} sparse_line;

// Of a part of `most` elements, whose first one is `col` except for skipped ones: it has many rows,
// or parts of two.
PD_FN sparse_line sparse_line_of(pd_u32 col, pd_u32 skip, pd_u32 most,
                                 const padic_k_sparse_encode_params k)
{
    sparse_line line;
    line.add = col - skip;
    line.cols = k.cols_lo;
    line.magic = (k.cols_lo >= most) ? 0u : (k.cols_lo > 1u) ? k.magic : 0xffffffffu;
    line.limit = (k.cols_lo >= most || k.cols_lo <= 1u) ? k.cols_lo : 0xffffffffu;
    return line;
}

PD_FN pd_u32 sparse_line_column(pd_u32 i, const sparse_line line)
{
    const pd_u32 c = i + line.add;
    return c - (PD_MULHI32(c, line.magic) + ((c >= line.limit) ? 1u : 0u)) * line.cols;
}
