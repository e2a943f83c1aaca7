// checksum.cl: a checksum is a sum of mixed words, so items can add theirs in any order.

// In parts: three instructions where compilers emit four.
PD_FN pd_u64 codec_times(pd_u64 x, pd_u32 low, pd_u32 high)
{
    const pd_u64 y = PD_MULWIDE((pd_u32)x, low);
    return PD_U64((pd_u32)y, (pd_u32)(y >> 32) + (pd_u32)x * high + (pd_u32)(x >> 32) * low);
}

PD_FN pd_u64 codec_mix(pd_u64 x)
{
    x = codec_times(x, 0x1ce4e5b9u, 0xbf58476du);
    x ^= x >> 32;
    x = codec_times(x, 0x133111ebu, 0x94d049bbu);
    return x ^ (x >> 29);
}

PD_FN pd_u64 codec_seed(pd_u64 seed)
{
    return (seed + 1u) * PD_U64(0xde82ef95u, 0xd1342543u);
}

// The final step of a checksum.
PD_FN pd_u64 codec_sum_end(pd_u64 bytes, pd_u64 seed)
{
    return codec_mix(bytes ^ ~seed);
}

// The checksum of an index that starts at byte `index`; `sum`: of the offsets.
#define CODEC_END PD_U64(0x43444150u, 0x444e452du) // its last 8 bytes
PD_FN pd_u64 codec_index_sum(pd_u64 sum, pd_u32 blocks, pd_u64 length, pd_u64 index)
{
    const pd_u64 head = codec_seed(CODEC_SEED_INDEX);
    sum += codec_sum_end(8u * (pd_u64)blocks, CODEC_SEED_INDEX + 1u);
    sum ^= codec_mix(0xffffffffu ^ head) + codec_mix(blocks ^ (head + CODEC_GOLDEN)) +
           codec_mix(length ^ (head + 2u * CODEC_GOLDEN)) + codec_sum_end(24u, CODEC_SEED_INDEX);
    return sum ^ (codec_mix(index ^ codec_seed(CODEC_SEED_INDEX + 2u)) +
                  codec_sum_end(8u, CODEC_SEED_INDEX + 2u));
}
