// factor_params.cl: the params of factorisations, for all kernels.

// Bits of `flags`.
#define FACTOR_LEFT 1u    // the first result is requested: left vectors, Q, eigenvectors
#define FACTOR_RIGHT 2u   // the second one: right vectors, R
#define FACTOR_VALUES 4u  // singular values, eigenvalues
#define FACTOR_ADJOINT 8u // the matrix read is A^dagger
#define FACTOR_RELATIVE 16u // values relative to an unreported power of 2: none overflows
#define FACTOR_HERMITIAN 32u // CUDA's kernel: eigenvalues, vectors in x

// m x n as it is read. Steps in numbers of the tensors, complex ones of two; first: of parts.
typedef struct {
    pd_u32 batch, m, n, flags;
    pd_u32 a_first, x_first, y_first, w_first;    // x: m x n, or m x r; y: n x n, or r x n
    pd_i32 a_batch, a_row, a_column;
    pd_i32 x_batch, x_row, x_column;
    pd_i32 y_batch, y_row, y_column;
    pd_i32 w_batch, w_row;
    pd_u32 i_first; // of info, in words
    pd_i32 i_step;
    pd_u32 not_finite, not_done; // values of info in these cases; else 0
} padic_k_tensor_factor_params;
