// scan.cl: the offset of each block in the stream.

#define CODEC_SCAN 16u // blocks of an item
// totals = {offset of the index, size of the stream}. One group.
PD_KERNEL_WG(padic_k_codec_scan, PD_CODEC_WG)
(PD_BUF(pd_u32, record), PD_BUF(pd_u64, totals), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    pd_u64 at = k.header;
    pd_u32 from, i;
    for (from = 0u; from < k.blocks; from += 256u * CODEC_SCAN) {
        const pd_u32 own = from + PD_LID * CODEC_SCAN;
        PD_GPTR(pd_u32) r = record + (pd_u64)own * CODEC_RECORD;
        pd_u64 size[CODEC_SCAN], x = 0u;
        for (i = 0u; i < CODEC_SCAN; i++) // loads are issued together
            size[i] = own + i < k.blocks ? r[i * CODEC_RECORD + CODEC_SIZE] + (pd_u64)16u : 0u;
        for (i = 0u; i < CODEC_SCAN; i++) x += size[i];
        x = codec_before(each, part, x) + at;
        for (i = 0u; i < CODEC_SCAN; i++) {
            if (own + i < k.blocks) {
                r[i * CODEC_RECORD + CODEC_AT] = (pd_u32)x;
                r[i * CODEC_RECORD + CODEC_AT + 1u] = (pd_u32)(x >> 32);
            }
            x += size[i];
        }
        at += CODEC_TOTAL(part);
        PD_BARRIER();
    }
    if (PD_LID == 0u) {
        totals[0] = at;
        totals[1] = at + 48u + 8u * (pd_u64)k.blocks;
    }
}
