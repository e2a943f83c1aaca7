// measure.cl: observables of chains: src/cdt/measure.c.

#define CDT_ORDER_SHARE 4096u // vertices of a group

#define CDT_SUM 0u     // what an output's elements are: words of the replicas,
#define CDT_PROFILE 1u // the same, in 32 bits,
#define CDT_PRODUCT 2u // products of two of them,
#define CDT_COUNTS 3u  // columns of `counts`

typedef struct {
    pd_u32 replicas, rows, n; // rows of n elements: one per replica, or one, which gets their sum
    pd_u32 what, add;         // CDT_SUM ...; 1: to what is there
    pd_u32 state_lo, state_hi, stride_lo, stride_hi; // of a replica, in words of 32 bits
    pd_u32 at;                // in its words: where the read ones begin; the places of cdt_order
    pd_u32 slices;
    pd_u32 out_lo, out_hi;    // in elements
} padic_k_cdt_measure_params;

// Triangles at a vertex.
PD_FN pd_u32 cdt_order(PD_GPTR(const pd_u32) records, PD_GPTR(const pd_u32) places, pd_u32 vertex)
{
#if PD_CDT_SPHERE
    const pd_u32 first = places[vertex];
    pd_u32 h = first, order = 0u;
    do { // to the opposite of the half-edge before
        h = records[2u * ((h & 3u) == 0u ? h + 2u : h - 1u) + 1u];
        order++;
    } while (h != first);
#else
    pd_u32 x = records[4u * vertex], order = 4u;
    (void)places;
    for (; x & 1u; x = records[2u * x]) order++; // downs left of its up
    for (x = records[4u * vertex + 2u]; !(x & 1u); x = records[2u * x]) order++;
#endif
    return order;
}

// Adds the vertices of each order, of a group's part of a replica, to n counts of the replica.
PD_KERNEL(padic_k_cdt_order)
(PD_CBUF(pd_u32, state), PD_CBUF(pd_u64, heads), PD_BUF(pd_u32, counts),
 PD_PARAMS(padic_k_cdt_measure_params, k))
{
    const pd_u64 first = PD_U64(k.state_lo, k.state_hi) +
                         PD_GRP * PD_U64(k.stride_lo, k.stride_hi);
    const pd_u32 all = (pd_u32)heads[(pd_u64)PD_GRP * CDT_HEAD + CDT_HEAD_VERTICES];
    const pd_u32 begin = PD_GRP_Y * CDT_ORDER_SHARE;
    const pd_u32 end = all - begin < CDT_ORDER_SHARE ? all : begin + CDT_ORDER_SHARE;
    for (pd_u32 v = begin + PD_LID; begin < all && v < end; v += (pd_u32)PD_WG) {
        const pd_u32 order = cdt_order(state + first, state + (first + k.at), v);
        PD_ATOMIC_ADD_G(counts + ((pd_u64)PD_GRP * k.n + (order < k.n ? order : k.n - 1u)), 1u);
    }
}

// Element e of a replica's row; `words` and `head` are the replica's.
PD_FN pd_u64 cdt_value(PD_GPTR(const pd_u32) words, PD_GPTR(const pd_u64) head, pd_u32 e,
                       const padic_k_cdt_measure_params k)
{
    pd_u64 n;
    if (k.what == CDT_PRODUCT)
        return PD_MULWIDE(words[k.at + e / k.slices], words[k.at + e % k.slices]);
    if (k.what != CDT_COUNTS) return words[k.at + e];
    if (e > 2u) return head[e - 1u]; // from CDT_HEAD_ATTEMPTS on
    n = head[CDT_HEAD_VERTICES];
#if PD_CDT_SPHERE
    return e == 0u ? n : e == 1u ? 3 * n - 6 : 2 * n - 4;
#else
    return e == 0u ? n : e == 1u ? 3 * n : 2 * n;
#endif
}

PD_KERNEL(padic_k_cdt_rows)
(PD_CBUF(pd_u32, state), PD_CBUF(pd_u64, heads), PD_BUF(pd_u64, out), PD_BUF(pd_u32, out_profile),
 PD_PARAMS(padic_k_cdt_measure_params, k))
{
    const pd_u64 to = PD_U64(k.out_lo, k.out_hi), stride = PD_U64(k.stride_lo, k.stride_hi);
    for (pd_u32 i = PD_GID; i < k.rows * k.n; i += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 row = i / k.n, e = i % k.n, end = k.rows == k.replicas ? row + 1u : k.replicas;
        pd_u64 sum = k.add ? out[to + i] : 0;
        for (pd_u32 r = row; r < end; r++)
            sum += cdt_value(state + (PD_U64(k.state_lo, k.state_hi) + r * stride),
                             heads + (pd_u64)r * CDT_HEAD, e, k);
        if (k.what == CDT_PROFILE)
            out_profile[to + i] = (pd_u32)sum;
        else
            out[to + i] = sum;
    }
}
