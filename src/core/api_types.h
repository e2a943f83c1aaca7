#pragma once
// -------------------------------------------------------------------------------------- >>types

// Element types. The numbers are part of the wire format.
typedef enum padic_dtype {
    PADIC_DTYPE_NONE = 0,
    PADIC_F64 = 1,
    PADIC_F32 = 2,
    PADIC_F16 = 3,  // IEEE binary16
    PADIC_BF16 = 4, // the upper half of a binary32
    PADIC_I8 = 5,
    PADIC_I16 = 6,
    PADIC_I32 = 7,
    PADIC_I64 = 8,
    PADIC_U8 = 9,
    PADIC_U16 = 10,
    PADIC_U32 = 11,
    PADIC_U64 = 12,
    PADIC_C64 = 13, // complex: two f32, real first
    PADIC_C128 = 14 // complex: two f64
} padic_dtype;

// Bytes of one element; 0 for a value that is no dtype.
PADIC_API uint32_t padic_dtype_size(padic_dtype dtype);
// "f64", "bf16", "complex64", ...; "?" for a value that is no dtype.
PADIC_API const char *padic_dtype_name(padic_dtype dtype);

// Index and generation of a buffer; 0 is null. A stale id is an error, never a crash.
typedef struct padic_buffer {
    uint32_t id;
} padic_buffer;

// A view of an n-dimensional array; owns nothing. Element (i0, i1, ...) lies `sum(i * stride)`
// elements after `data` (or after element `offset` of `buffer` when `data` is NULL). The last
// axis is the fastest; all strides 0 means dense in that order. Rank 0 is one element.
typedef struct padic_tensor {
    void *data;
    padic_buffer buffer;
    padic_dtype dtype;
    uint64_t offset;
    uint32_t rank;
    uint64_t shape[PADIC_MAX_RANK];
    int64_t stride[PADIC_MAX_RANK]; // in elements
} padic_tensor;

// Bytes: a packed stream, a file, a text. They lie at `data` in host memory or, where `data` is
// NULL, in a buffer from its byte `offset` on. `size` of them are there to be read; a call that
// writes them may write `capacity` bytes, and says in its report how many it wrote.
typedef struct padic_bytes {
    void *data; // only read where the bytes are an input
    padic_buffer buffer;
    uint64_t offset, size, capacity;
} padic_bytes;

typedef struct padic_context padic_context;

