// read.cu: fields as nodes read them: the norm's a x + b and the activation, rounded again.
#ifndef PD_ROLLOUT_ACT
#define PD_ROLLOUT_ACT 0u // of convolutions: of their sums, or of a field that they add
#endif
#ifndef PD_ROLLOUT_IN
#define PD_ROLLOUT_IN 0u // of a field that is read with its norm
#endif

// A map of a trajectory: (2, channels): a, then b.
typedef struct {
    pd_f32 a[8], b[8];
} crl_map;

PD_FN crl_map crl_map_of(const pd_f32 *map, pd_u32 channels, pd_u32 block)
{
    crl_map m;
#pragma unroll
    for (pd_u32 i = 0u; i < 2u; i++) {
        const float4 a = ((const float4 *)map)[2u * block + i];
        const float4 b = ((const float4 *)(map + channels))[2u * block + i];
        m.a[4u * i] = a.x, m.a[4u * i + 1u] = a.y, m.a[4u * i + 2u] = a.z, m.a[4u * i + 3u] = a.w;
        m.b[4u * i] = b.x, m.b[4u * i + 1u] = b.y, m.b[4u * i + 2u] = b.z, m.b[4u * i + 3u] = b.w;
    }
    return m;
}

template <pd_u32 act>
PD_FN pd_u32 crl_pair_as(pd_u32 two, pd_f32 a0, pd_f32 b0, pd_f32 a1, pd_f32 b1)
{
    return crl_pair(rollout_act(PD_FMA(a0, crl_low(two), b0), act),
                    rollout_act(PD_FMA(a1, crl_high(two), b1), act));
}

// Eight channels of a cell.
template <pd_u32 act> PD_FN uint4 crl_mapped_as(const uint4 x, const crl_map &m)
{
    return make_uint4(crl_pair_as<act>(x.x, m.a[0], m.b[0], m.a[1], m.b[1]),
                      crl_pair_as<act>(x.y, m.a[2], m.b[2], m.a[3], m.b[3]),
                      crl_pair_as<act>(x.z, m.a[4], m.b[4], m.a[5], m.b[5]),
                      crl_pair_as<act>(x.w, m.a[6], m.b[6], m.a[7], m.b[7]));
}

PD_FN pd_u32 crl_any_bad(const uint4 x)
{
    return (crl_carry(x.x) | crl_carry(x.y) | crl_carry(x.z) | crl_carry(x.w)) & 0x80008000u;
}
