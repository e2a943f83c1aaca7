// random.cl: random numbers.

#if PD_NUM_OP == NUM_OP_RANDOM
// floor(P w / 2^128), w the 128 bits of block `index` of (seed, stream): Philox4x32-10.
PD_FN num_u num_random(const num_ring r, pd_u64 seed, pd_u64 stream, pd_u64 index)
{
    pd_u32 w0 = (pd_u32)index, w1 = (pd_u32)(index >> 32), w2 = (pd_u32)stream;
    pd_u32 w3 = (pd_u32)(stream >> 32), k0 = (pd_u32)seed, k1 = (pd_u32)(seed >> 32);
    for (pd_u32 round = 0u; round < 10u; round++) {
        const pd_u32 p_hi = PD_MULHI32(0xd2511f53u, w0), p_lo = 0xd2511f53u * w0;
        const pd_u32 q_hi = PD_MULHI32(0xcd9e8d57u, w2), q_lo = 0xcd9e8d57u * w2;
        w0 = q_hi ^ w1 ^ k0;
        w2 = p_hi ^ w3 ^ k1;
        w1 = q_lo;
        w3 = p_lo;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
#if PD_NUM_TWO
    return (num_u)(PD_U64(w2, w3) >> (64u - r.n));
#else
    const pd_u64 high = PD_U64(w2, w3), carry = PD_MULHI64(PD_U64(w0, w1), (pd_u64)r.base);
    const pd_u64 low = high * r.base + carry;
    return (num_u)(PD_MULHI64(high, (pd_u64)r.base) + (low < carry ? 1u : 0u));
#endif
}
#endif

#if PD_NUM_OP == NUM_OP_RANDOM
PD_FN pd_u32 num_item_random(const num_ring r, const num_work w, pd_u32 i)
{
    num_cell x = num_cell_of(r);
    x.u = num_random(r, w.k, w.stride, w.first + i);
    if (PD_NUM_MODEL) x = num_normal(r, x);
    x.bits = 0u;
    return num_store(w.out, i, x);
}
#define NUM_ITEM num_item_random
#endif
