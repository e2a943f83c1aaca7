#pragma once
// -------------------------------------------------------------------------------- >>tensor view

// Dense views of host memory, last axis fastest. Nothing is checked here: every function that takes
// a tensor checks it. padic_tensor_nd() keeps a rank above 8, for those checks to refuse, and then
// reads no shape.
PADIC_API padic_tensor padic_tensor_1d(padic_dtype dtype, void *data, uint64_t n);
PADIC_API padic_tensor padic_tensor_2d(padic_dtype dtype, void *data, uint64_t rows, uint64_t cols);
PADIC_API padic_tensor padic_tensor_3d(padic_dtype dtype, void *data, uint64_t n0, uint64_t n1,
                                       uint64_t n2);
PADIC_API padic_tensor padic_tensor_nd(padic_dtype dtype, void *data, uint32_t rank,
                                       const uint64_t *shape);
// The same view of a buffer, from its element `offset` on: set the shape with one of the above and
// data NULL, then this.
PADIC_API padic_tensor padic_tensor_in(padic_tensor view, padic_buffer buffer, uint64_t offset);
// Elements of a view; 0 when one of its extents is 0 or the number does not fit 64 bits.
PADIC_API uint64_t padic_tensor_count(const padic_tensor *tensor);

// `size` bytes of host memory to read, and `capacity` bytes to write.
PADIC_API padic_bytes padic_bytes_in(const void *data, uint64_t size);
PADIC_API padic_bytes padic_bytes_out(void *data, uint64_t capacity);

// The operations below take tensors in host memory or in buffers, with any positive strides. The
// context may be NULL when all are in host memory. Common errors: DTYPE, LIMIT, ARGUMENT (strides,
// pointers, ids), REGION (a view that reaches beyond its buffer), MEMORY, NOT_SUPPORTED (strict),
// DEVICE, DEVICE_LOST. An operation that fails may have written some of its output.

// Every element becomes `value`, one element of the tensor's dtype in host memory; NULL: zero. D0.
typedef struct padic_fill_desc {
    padic_tensor tensor;
    const void *value;
} padic_fill_desc;
PADIC_API padic_result padic_fill(padic_context *context, const padic_fill_desc *desc);

// Copies element by element, bits unchanged. D0. Errors: MISMATCH of dtype or shape; OVERLAP when
// the memory from the first to the last element of one view reaches into the other's.
typedef struct padic_copy_desc {
    padic_tensor from, to;
} padic_copy_desc;
PADIC_API padic_result padic_copy(padic_context *context, const padic_copy_desc *desc);

