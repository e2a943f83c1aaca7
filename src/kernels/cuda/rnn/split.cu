// split.cu: products of f32 by the tensor cores' BF16, and cells, for the kernels of this folder.
//
// A number is the sum of three BF16, exactly, a weight of as many as its dtype needs. Of the
// products of their parts those below 2^-26 of the largest are left out.
#define CRN_PARTS (PD_RNN_W == 0 ? 3u : PD_RNN_W == 1 ? 2u : 1u) // of a weight

PD_FN pd_u32 crn_pack(pd_f32 low, pd_f32 high)
{
    pd_u32 x;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
    return x;
}

PD_FN pd_f32 crn_rest(pd_f32 x, pd_u32 bits) // infinities have none
{
    return PD_FABS(x) < 3.38e38f ? x - PD_AS_F32(bits) : 0.0f;
}

// The first `parts` parts of two numbers, `apart` words from one to the next.
template <pd_u32 parts, pd_u32 apart> PD_FN void crn_cut(pd_f32 x, pd_f32 y, pd_u32 *part)
{
    part[0] = crn_pack(x, y);
    if (parts == 1u) return;
    x = crn_rest(x, part[0] << 16);
    y = crn_rest(y, part[0] & 0xffff0000u);
    part[apart] = crn_pack(x, y);
    if (parts == 2u) return;
    x = x - PD_AS_F32(part[apart] << 16);
    y = y - PD_AS_F32(part[apart] & 0xffff0000u);
    part[2u * apart] = crn_pack(x, y);
}

// d += a b: 16 rows by 16 columns by 8.
PD_FN void crn_mma(pd_f32 *d, const pd_u32 *a, const pd_u32 *b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The same of `tiles` tiles of all parts: a[part][4], b[tile][part][2], d[tile][4].
template <pd_u32 tiles> PD_FN void crn_multiply(pd_f32 *d, const pd_u32 *a, const pd_u32 *b)
{
#pragma unroll
    for (pd_u32 i = 0u; i < CRN_PARTS; i++)
#pragma unroll
        for (pd_u32 j = 0u; j < 3u - i; j++)
#pragma unroll
            for (pd_u32 t = 0u; t < tiles; t++)
                crn_mma(d + 4u * t, a + 4u * j, b + 2u * (t * CRN_PARTS + i));
}

// Four matrices of 8 by 8 from local memory, a row of one from each lane's address on.
PD_FN void crn_matrices(pd_u32 *a, const pd_u32 *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((pd_u32)__cvta_generic_to_shared(from))
                 : "memory");
}

PD_FN void crn_turned_matrices(pd_u32 *a, const pd_u32 *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((pd_u32)__cvta_generic_to_shared(from))
                 : "memory");
}
