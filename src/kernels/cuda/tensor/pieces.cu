// pieces.cu: scales of the lines of a and b, and the pieces of their numbers.

// Scales of the lines of a or b: 2^(13 - exponent of the largest part); 1 for a line of zeros or
// one that is not finite.
PD_FN pd_f32 tensor_scale_of(pd_u32 largest)
{
    const pd_u32 exponent = largest >> 23;
    pd_u32 biased = 267u - exponent;
    if (exponent == 0u || exponent == 255u) biased = 127u;
    return PD_AS_F32((biased > 253u ? 253u : biased) << 23);
}

PD_KERNEL_WG(padic_k_cuda_tensor_scale, 128)
(PD_CBUF(pd_f32, x), PD_CBUF(pd_u32, shape), PD_BUF(pd_f32, scale),
 PD_PARAMS(padic_k_cuda_tensor_scale_params, k))
{
    const pd_u32 lane = PD_LID & 31u, warp = PD_LID >> 5;
    const pd_u32 number = k.along ? PD_GRP * 4u + warp : PD_GRP * 128u + PD_LID;
    const pd_u32 batch = number / k.lines, line = number % k.lines;
    const pd_u32 step = k.along ? 32u : 1u;
    pd_u32 largest = 0u;
    if (batch >= k.batches) return; // no barrier follows; a warp leaves whole when it reads along
#if PD_TENSOR_GENERAL
    const pd_u32 *sums = shape + TENSOR_AXES_SUM;
    const pd_i64 origin = (pd_i64)PD_U64(k.first[0], k.first[1]) +
                          TENSOR_BATCH(batch, k.operand) +
                          (k.operand ? TENSOR_COLUMN(line, 0u) : TENSOR_ROW(line, 0u));
#else
    const pd_i64 origin = (pd_i64)PD_U64(k.first[0], k.first[1]) +
                          (pd_i64)((pd_u64)batch * PD_U64(k.batch[0], k.batch[1])) +
                          (pd_i32)(line * (pd_u32)k.line);
    (void)shape;
#endif
#pragma unroll 8
    for (pd_u32 i = k.along ? lane : 0u; i < k.depth; i += step) {
#if PD_TENSOR_GENERAL
        const pd_i32 at = tensor_find(sums, k.axes[2], i, k.operand);
#else
        const pd_i32 at = (pd_i32)(i * (pd_u32)k.sum);
#endif
        const float2 v = ((const float2 *)x)[origin + at];
        const pd_u32 re = PD_AS_U32(v.x) & 0x7fffffffu, im = PD_AS_U32(v.y) & 0x7fffffffu;
        largest = largest > re ? largest : re;
        largest = largest > im ? largest : im;
    }
    if (k.along) {
        for (pd_u32 d = 16u; d > 0u; d >>= 1) {
            const pd_u32 other = __shfl_xor_sync(0xffffffffu, largest, (int)d);
            largest = largest > other ? largest : other;
        }
        if (lane) return;
    }
    scale[k.at + number] = tensor_scale_of(largest);
}

// Splits two numbers into two binary16 numbers, x in the low half, and their remainders.
PD_FN void tensor_cut(pd_f32 x, pd_f32 y, pd_u32 *hi, pd_u32 *lo)
{
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(*hi) : "f"(y), "f"(x));
#if PD_TENSOR_PIECES == 2
    pd_f32 u, v;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
        : "=f"(u), "=f"(v)
        : "r"(*hi));
    u = x - u;
    v = y - v;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(*lo) : "f"(v), "f"(u));
#else
    *lo = 0u;
#endif
}

// The position of piece p of a line and a place in one operand's part of a block: `lines` rows
// (columns) by 16 places of the sum, 32 lines words. Along: a line has 8 chunks of 16 bytes, re hi,
// re lo, im hi, im lo, 2 chunks each; otherwise a place of the sum has 8 lines bytes, re hi of all
// lines, ... Chunks are permuted by the line (the place), so that 8 of them in 8 lines lie in
// different banks.
template <pd_u32 lines, bool along>
PD_FN pd_u32 tensor_piece_word(pd_u32 line, pd_u32 place, pd_u32 p)
{
    const pd_u32 q = place >> 1;
    if (along) return line * 32u + (((p * 2u + (q >> 2)) ^ (line & 7u)) << 2) + (q & 3u);
    return place * (lines * 2u) + p * (lines / 2u) + (((line >> 3) ^ (place & 7u)) << 2) +
           ((line & 7u) >> 1);
}

// Pieces of one operand's part of a block. An item has pairs of neighbours.
template <pd_u32 lines, bool along>
PD_FN void tensor_pieces(const pd_f32 *x, const pd_u32 *shape, const pd_f32 *scale, pd_u32 *pieces,
                         const padic_k_tensor_cores_params &k)
{
    enum : pd_u32 {
        pairs = lines * TENSOR_BLOCK / 2u / TENSOR_ITEMS, // per item
        apart = along ? TENSOR_ITEMS / 8u : 0u            // distance of their lines
    };
    const pd_u32 tiles = k.operand ? k.tiles_across : k.tiles_down;
    const pd_u32 most = k.operand ? k.columns : k.rows;
    const pd_u32 batch = k.from + PD_GRP / tiles;
    const pd_u32 line0 =
        PD_GRP % tiles * lines + (along ? PD_LID >> 3 : PD_LID % (lines / 2u) * 2u);
    const pd_u32 place0 =
        PD_GRP_Y * TENSOR_BLOCK + (along ? (PD_LID & 7u) * 2u : PD_LID / (lines / 2u));
    const pd_u32 sign = k.flags >> k.operand << 31; // TENSOR_CONJ_A, _B
    const pd_f32 *const from = x + 2 * ((pd_i64)PD_U64(k.first[2u * k.operand],
                                                       k.first[2u * k.operand + 1u]) +
                                        TENSOR_BATCH(batch, k.operand));
    const pd_u32 scale0 = k.operand ? k.scales_at + batch * k.scales_b : batch * k.scales_a;
    pd_u32 *const out = pieces + (k.operand ? k.pieces_at : 0u) +
                        (pd_u64)(PD_GRP * k.blocks + PD_GRP_Y) * (32u * lines);
    (void)shape;
#pragma unroll
    for (pd_u32 i = 0u; i < pairs; i++) {
        const pd_u32 line = line0 + i * apart, line1 = along ? line : line + 1u;
        const pd_u32 place = place0 + (along ? 0u : i * (2u * TENSOR_ITEMS / lines));
        const pd_u32 place1 = along ? place + 1u : place, in_tile = line % lines;
        const bool one = line < most && place < k.depth, two = line1 < most && place1 < k.depth;
        const pd_i64 at = (k.operand ? TENSOR_COLUMN(line, 0u) : TENSOR_ROW(line, 0u)) +
                          (pd_i64)TENSOR_SUM(place, k.operand);
        const pd_f32 s = line < most ? scale[scale0 + line] : 1.0f;
        const pd_f32 t = along ? s : line1 < most ? scale[scale0 + line1] : 1.0f;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        pd_u32 piece[4];
        if (PD_TENSOR_VEC == 2 && one && two) {
            v = *(const float4 *)(from + 2 * at);
        } else {
            if (one) {
                const float2 u = *(const float2 *)(from + 2 * at);
                v.x = u.x;
                v.y = u.y;
            }
            if (two) {
                const pd_i64 next =
                    (k.operand ? TENSOR_COLUMN(line1, 0u) : TENSOR_ROW(line1, 0u)) +
                    (pd_i64)TENSOR_SUM(place1, k.operand);
                const float2 u = *(const float2 *)(from + 2 * next);
                v.z = u.x;
                v.w = u.y;
            }
        }
        tensor_cut(v.x * s, v.z * t, &piece[0], &piece[1]);
        tensor_cut(PD_AS_F32(PD_AS_U32(v.y) ^ (one ? sign : 0u)) * s,
                   PD_AS_F32(PD_AS_U32(v.w) ^ (two ? sign : 0u)) * t, &piece[2], &piece[3]);
#pragma unroll
        for (pd_u32 p = 0u; p < 4u; p += 3u - PD_TENSOR_PIECES)
            out[tensor_piece_word<lines, along>(in_tile, place % TENSOR_BLOCK, p)] = piece[p];
    }
}

// A group writes one block of one tile: x a tile of a batch, y a block.
PD_KERNEL_WG(padic_k_cuda_tensor_cut, 128)
(PD_CBUF(pd_f32, x), PD_CBUF(pd_u32, shape), PD_CBUF(pd_f32, scale), PD_BUF(pd_u32, pieces),
 PD_PARAMS(padic_k_tensor_cores_params, k))
{
    if (k.operand == 0u) {
        if (k.along)
            tensor_pieces<TENSOR_TILE_ROWS, true>(x, shape, scale, pieces, k);
        else
            tensor_pieces<TENSOR_TILE_ROWS, false>(x, shape, scale, pieces, k);
    } else {
        if (k.along)
            tensor_pieces<TENSOR_TILE_COLUMNS, true>(x, shape, scale, pieces, k);
        else
            tensor_pieces<TENSOR_TILE_COLUMNS, false>(x, shape, scale, pieces, k);
    }
}
