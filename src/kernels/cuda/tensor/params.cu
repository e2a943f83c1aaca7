// params.cu: the params of products by tensor cores.

#ifndef PD_TENSOR_VEC
#define PD_TENSOR_VEC 1 // 2: neighbours are adjacent and pairs of them 16-byte aligned
#endif
#ifndef PD_TENSOR_PIECES
#define PD_TENSOR_PIECES 2 // 2: hi and lo; 1: hi alone
#endif

// Bits of `flags`.
#define TENSOR_CONJ_A 1u
#define TENSOR_CONJ_B 2u
#define TENSOR_ALPHA_IM 32u
#define TENSOR_BETA 64u
#define TENSOR_PAIRS 128u // pairs of neighbours of c are adjacent and aligned

// Starts with the fields of padic_k_tensor_product_params.
typedef struct {
    pd_u32 rows, columns, depth, batches;
    pd_u32 tiles_down, tiles_across;
    pd_u32 part, flags;
    pd_u32 first[6];
    pd_u32 batch[6];
    pd_i32 a_row, a_sum, b_sum, b_column;
    pd_i32 c_row, c_column;
    pd_u32 axes[4];
    pd_u32 scale[8];
    pd_u32 scales_a, scales_b, scales_at; // scales of a batch of a, of b; offset of those of b
    pd_u32 from, count;                   // batches of this launch
    pd_u32 blocks, pieces_at;             // blocks of the sum; first word of the pieces of b
    pd_u32 operand, along;                // for the pieces: 0 a, 1 b; neighbours along the sum
    pd_u32 tiles;                         // of all batches, if a group processes several
} padic_k_tensor_cores_params;
