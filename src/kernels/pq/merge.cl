// program: pq_merge
// texts: number.cl
// merge.cl: two parts of an attention as one; lists as weights of all positions.

typedef struct {
    pd_u32 heads, queries, d_v, has_lse;
    pd_u32 first_at, first_step[4], second_at, second_step[4];
    pd_u32 one_at, one_step[3], two_at, two_step[3]; // lse of the parts
    pd_u32 out_at, out_step[4], lse_at, lse_step[3];
} padic_k_pq_merge_parts_params;

PD_FN pd_f32 pq_merge_quotient(pd_f32 a, pd_f32 b)
{
    const pd_f32 x = a / b, y = x + PD_FMA(-x, b, a) / b;
    return pq_finite(PD_AS_U32(y)) > 0u ? y : x;
}

// A query a group. Weights are halved, so that no sum overflows.
PD_KERNEL(padic_k_pq_merge_parts)
(PD_CBUF(pd_f32, first), PD_CBUF(pd_f32, second), PD_CBUF(pd_u32, one), PD_CBUF(pd_u32, two),
 PD_BUF(pd_f32, out), PD_BUF(pd_f32, lse), PD_PARAMS(padic_k_pq_merge_parts_params, k))
{
    const pd_u32 i = PD_GRP % k.queries, head = PD_GRP / k.queries % k.heads;
    const pd_u32 row = PD_GRP / k.queries / k.heads;
    const pd_u32 x = one[k.one_at + row * k.one_step[0] + head * k.one_step[1] +
                         i * k.one_step[2]];
    const pd_u32 y = two[k.two_at + row * k.two_step[0] + head * k.two_step[1] +
                         i * k.two_step[2]];
    const pd_u32 from = k.first_at + row * k.first_step[0] + head * k.first_step[1] +
                        i * k.first_step[2];
    const pd_u32 from2 = k.second_at + row * k.second_step[0] + head * k.second_step[1] +
                         i * k.second_step[2];
    const pd_u32 to = k.out_at + row * k.out_step[0] + head * k.out_step[1] + i * k.out_step[2];
    const pd_f32 p = PD_AS_F32(x), q = PD_AS_F32(y), most = p > q ? p : q;
    const pd_f32 a = x == PQ_LEAST ? 0.0f : 0.5f * PD_EXP(p - most);
    const pd_f32 b = y == PQ_LEAST ? 0.0f : 0.5f * PD_EXP(q - most);
    const pd_u32 none = x == PQ_LEAST && y == PQ_LEAST ? 1u : 0u;
    for (pd_u32 c = PD_LID; c < k.d_v; c += PQ_WG) {
        const pd_f32 left = a * first[from + c * k.first_step[3]];
        const pd_f32 right = b * second[from2 + c * k.second_step[3]];
        out[to + c * k.out_step[3]] =
            none > 0u ? 0.0f : pq_merge_quotient(left + right, a + b);
    }
    if (PD_LID == 0u && k.has_lse > 0u)
        lse[k.lse_at + row * k.lse_step[0] + head * k.lse_step[1] + i * k.lse_step[2]] =
            none > 0u ? PD_AS_F32(PQ_LEAST) : most + PD_LOG(2.0f * (a + b));
}

typedef struct {
    pd_u32 heads, queries, n, keys, flags; // n: entries of a list; keys: weights of a query
    pd_u32 list_at, list_step[4], length_at, length_step[3], weight_at, weight_step[4];
    pd_u32 out_lo, out_hi, out_step[4];
} padic_k_pq_merge_dense_params;
#define PQ_DENSE_WIDE 1u // lists of 64-bit numbers
#define PQ_DENSE_LENGTHS 2u
#define PQ_DENSE_WEIGHTS 4u

// The bits of a + b, where subnormal numbers are 0.
PD_FN pd_u32 pq_plus(pd_u32 a, pd_u32 b)
{
    const pd_f32 x = PD_AS_F32(a), y = PD_AS_F32((b & 0x7f800000u) > 0u ? b : 0u);
    const pd_u32 sum = PD_AS_U32(x + y);
    return (sum & 0x7f800000u) > 0u ? sum : 0u;
}

// A query a group: as many entries at a time as there are items. Of those of one position the
// first one's item adds all, in their order.
PD_KERNEL(padic_k_pq_merge_dense)
(PD_CBUF(pd_u32, lists), PD_CBUF(pd_u32, lengths), PD_CBUF(pd_u32, weights), PD_BUF(pd_u32, out),
 PD_PARAMS(padic_k_pq_merge_dense_params, k))
{
    PD_LOCAL pd_u32 position[PD_WG];
    PD_LOCAL pd_u32 weight[PD_WG];
    const pd_u32 i = PD_GRP % k.queries, head = PD_GRP / k.queries % k.heads;
    const pd_u32 row = PD_GRP / k.queries / k.heads, wide = k.flags & PQ_DENSE_WIDE;
    const pd_u32 from = k.list_at + row * k.list_step[0] + head * k.list_step[1] +
                        i * k.list_step[2];
    const pd_u32 from2 = k.weight_at + row * k.weight_step[0] + head * k.weight_step[1] +
                         i * k.weight_step[2];
    const pd_u64 to = PD_U64(k.out_lo, k.out_hi) + pq_steps(row, k.out_step[0]) +
                      pq_steps(head, k.out_step[1]) + pq_steps(i, k.out_step[2]);
    pd_u32 count = k.n;
    if ((k.flags & PQ_DENSE_LENGTHS) > 0u) {
        const pd_u32 length = lengths[k.length_at + row * k.length_step[0] +
                                      head * k.length_step[1] + i * k.length_step[2]];
        if (length < count) count = length;
    }
    for (pd_u32 c = PD_LID; c < k.keys; c += PQ_WG) out[to + pq_steps(c, k.out_step[3])] = 0u;
    for (pd_u32 base = 0u; base < count; base += PQ_WG) {
        const pd_u32 left = count - base, e = base + PD_LID;
        pd_u32 at = PQ_MOST, first = 1u;
        PD_BARRIER_ALL();
        if (PD_LID < left) {
            const pd_u64 entry = from + e * k.list_step[3];
            at = lists[wide > 0u ? 2u * entry : entry];
            if (wide > 0u && lists[2u * entry + 1u] > 0u) at = PQ_MOST;
            if (at >= k.keys) at = PQ_MOST;
            weight[PD_LID] = (k.flags & PQ_DENSE_WEIGHTS) > 0u
                                 ? weights[from2 + e * k.weight_step[3]]
                                 : 0x3f800000u;
        }
        position[PD_LID] = at;
        PD_BARRIER();
        for (pd_u32 j = 0u; j < PD_LID && at != PQ_MOST; j++)
            if (position[j] == at) first = 0u;
        if (at != PQ_MOST && first > 0u) {
            pd_u32 sum = out[to + pq_steps(at, k.out_step[3])];
            for (pd_u32 j = PD_LID; j < PQ_WG; j++)
                if (position[j] == at) sum = pq_plus(sum, weight[j]);
            out[to + pq_steps(at, k.out_step[3])] = sum;
        }
    }
}
