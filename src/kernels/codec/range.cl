// range.cl: the range of the finite elements, for a bound that is relative to it.

// The range of the finite elements: for each group its least and its greatest.
PD_KERNEL_WG(padic_k_codec_range, PD_CODEC_WG)
(PD_CBUF(codec_key, keys), PD_BUF(pd_i64, range), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const codec_bare flip = codec_flip(k.kind), fold = codec_fold_of(k.kind);
    const pd_u64 all = (pd_u64)(k.blocks / k.per_row) * PD_U64(k.row_lo, k.row_hi);
    PD_GPTR(const codec_key) from = keys + PD_U64(k.array_lo, k.array_hi);
    pd_u64 least = PD_U64(0u, 0x7fffffffu), most = PD_U64(0u, 0x80000000u), i;
    for (i = (pd_u64)PD_GRP * 256u + PD_LID; i < all; i += (pd_u64)PD_NGRP * 256u) {
        const pd_u64 x = (pd_u64)(pd_i64)codec_number(from[i], flip, fold);
#if PD_CODEC_SIZE == 4
        if (codec_is_off(from[i], 0x7f7fffffu)) continue;
#elif PD_CODEC_SIZE == 8
        if (codec_is_off(from[i], PD_U64(0xffffffffu, 0x7fefffffu))) continue;
#endif
        least = codec_join(least, x, CODEC_LEAST);
        most = codec_join(most, x, CODEC_MOST);
    }
    least = codec_all(each, least, CODEC_LEAST);
    most = codec_all(each, most, CODEC_MOST);
    if (PD_LID == 0u) {
        range[2u * PD_GRP] = (pd_i64)least;
        range[2u * PD_GRP + 1u] = (pd_i64)most;
    }
}
