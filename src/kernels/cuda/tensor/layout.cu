// layout.cu: tiles and strides of a complex product.

#ifndef PD_TENSOR_GENERAL
#define PD_TENSOR_GENERAL 0 // as in tensor.cl
#endif

#define TENSOR_ITEMS 128u // 4 warps, 2 x 2, of 64 x 32 results each
#define TENSOR_TILE_ROWS 128u
#define TENSOR_TILE_COLUMNS 64u
#define TENSOR_BLOCK 16u // of the sum

typedef struct {
    pd_u32 lines, depth, batches; // lines: rows of a or columns of b
    pd_u32 operand;               // 0 a, 1 b
    pd_u32 along;                 // a warp reads along the sum; otherwise each item has a line
    pd_u32 at;                    // first scale to write
    pd_u32 first[2], batch[2];
    pd_i32 line, sum; // steps of the single axis
    pd_u32 axes[4];
} padic_k_cuda_tensor_scale_params;

#if PD_TENSOR_GENERAL
PD_FN pd_i32 tensor_find(const pd_u32 *axis, pd_u32 axes, pd_u32 index, pd_u32 which)
{
    pd_i32 at = 0;
    for (pd_u32 i = axes; i > 0u; i--) {
        const pd_u32 size = axis[4u * i - 4u];
        at += (pd_i32)(index % size * axis[4u * i - 3u + which]);
        index /= size;
    }
    return at;
}

PD_FN pd_i64 tensor_find_batch(const pd_u32 *axis, pd_u32 axes, pd_u32 index, pd_u32 operand)
{
    pd_i64 at = 0;
    for (pd_u32 i = axes; i > 0u; i--) {
        const pd_u32 size = axis[8u * i - 8u], word = 8u * i - 7u + 2u * operand;
        at += (pd_i64)((pd_u64)(index % size) * PD_U64(axis[word], axis[word + 1u]));
        index /= size;
    }
    return at;
}

#define TENSOR_AXES_COLUMN (4u * k.axes[0])
#define TENSOR_AXES_SUM (4u * (k.axes[0] + k.axes[1]))
#define TENSOR_AXES_BATCH (4u * (k.axes[0] + k.axes[1] + k.axes[2]))
#define TENSOR_ROW(i, which) tensor_find(shape, k.axes[0], i, which)
#define TENSOR_COLUMN(i, which) tensor_find(shape + TENSOR_AXES_COLUMN, k.axes[1], i, which)
#define TENSOR_SUM(i, which) tensor_find(shape + TENSOR_AXES_SUM, k.axes[2], i, which)
#define TENSOR_BATCH(i, operand) \
    tensor_find_batch(shape + TENSOR_AXES_BATCH, k.axes[3], i, operand)
#else
#define TENSOR_ROW(i, which) ((pd_i32)((i) * (pd_u32)((which) ? k.c_row : k.a_row)))
#define TENSOR_COLUMN(i, which) ((pd_i32)((i) * (pd_u32)((which) ? k.c_column : k.b_column)))
#define TENSOR_SUM(i, which) ((pd_i32)((i) * (pd_u32)((which) ? k.b_sum : k.a_sum)))
#define TENSOR_BATCH(i, operand) \
    ((pd_i64)((pd_u64)(i) * PD_U64(k.batch[2u * (operand)], k.batch[2u * (operand) + 1u])))
#endif

#ifndef PD_TENSOR_A_ALONG
#define PD_TENSOR_A_ALONG 1 // how the pieces of a lie in a block
#endif
#ifndef PD_TENSOR_B_ALONG
#define PD_TENSOR_B_ALONG 0
#endif

// c at one place becomes alpha (x + i y) + beta c.
PD_FN void tensor_write(float2 *to, pd_f32 x, pd_f32 y, const padic_k_tensor_cores_params &k)
{
    const pd_f32 alpha_re = PD_AS_F32(k.scale[0]), alpha_im = PD_AS_F32(k.scale[2]);
    const pd_f32 beta_re = PD_AS_F32(k.scale[4]), beta_im = PD_AS_F32(k.scale[6]);
    pd_f32 u = alpha_re * x, v = alpha_re * y;
    if (k.flags & TENSOR_ALPHA_IM) {
        u = PD_FMA(-alpha_im, y, u);
        v = PD_FMA(alpha_im, x, v);
    }
    if (k.flags & TENSOR_BETA) {
        const float2 old = *to;
        u = PD_FMA(beta_re, old.x, u);
        u = PD_FMA(-beta_im, old.y, u);
        v = PD_FMA(beta_re, old.y, v);
        v = PD_FMA(beta_im, old.x, v);
    }
    *to = make_float2(u, v);
}
