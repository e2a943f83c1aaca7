// map.cu: norms as maps a x + b of channels, from the moments of tiles of 16 x 16 cells.

// Tiles of an output; of a row.
typedef struct {
    pd_u32 height, width, tiles, across, channels;
} crl_grid;

PD_FN void crl_together(void) // the 256 threads that have sums
{
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

PD_FN pd_f32 crl_cells(pd_u32 tile, const crl_grid &g)
{
    if ((g.height | g.width) % 16u == 0u) return 256.0f;
    const pd_u32 row = tile / g.across, rows = g.height - 16u * row;
    const pd_u32 columns = g.width - 16u * (tile - row * g.across);
    return (pd_f32)((rows < 16u ? rows : 16u) * (columns < 16u ? columns : 16u));
}

// Moments of `count` numbers become those of `many` others, too.
PD_FN void crl_pool(pd_f32 &count, pd_f32 &mean, pd_f32 &squares, pd_f32 many, pd_f32 next,
                    pd_f32 joined)
{
    const pd_f32 all = count + many, share = all > 0.0f ? many * ROLLOUT_RECIPROCAL(all) : 0.0f;
    const pd_f32 apart = next - mean;
    squares += PD_FMA(apart * apart, count * share, joined);
    mean = PD_FMA(apart, share, mean);
    count = all;
}

// Of a channel mean and sum of squared differences over all tiles, by Chan, Golub, LeVeque 1979, by
// the eight lanes of a warp that are 4, 8, ... apart: each of them has every eighth tile.
PD_FN float2 crl_merge(const float2 *of, pd_u32 channel, const crl_grid &g)
{
    pd_f32 count = 0.0f, mean = 0.0f, squares = 0.0f;
#pragma unroll 1
    for (pd_u32 begin = PD_LID % 32u / 4u; begin < g.tiles; begin += 64u) {
        float2 m[8];
        pd_f32 cells[8], many = 0.0f, next = 0.0f, joined = 0.0f;
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) {
            const pd_u32 tile = begin + 8u * i;
            m[i] = make_float2(0.0f, 0.0f);
            if (tile < g.tiles && channel < g.channels)
                m[i] = __ldcg(of + tile * g.channels + channel);
        }
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) {
            const pd_u32 tile = begin + 8u * i;
            cells[i] = tile < g.tiles ? crl_cells(tile, g) : 0.0f;
            many += cells[i];
            next = PD_FMA(cells[i], m[i].x, next);
        }
        next = next * ROLLOUT_RECIPROCAL(many);
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++)
            joined += PD_FMA(cells[i] * (m[i].x - next), m[i].x - next, m[i].y);
        crl_pool(count, mean, squares, many, next, joined);
    }
#pragma unroll
    for (pd_u32 apart = 4u; apart < 32u; apart *= 2u)
        crl_pool(count, mean, squares, __shfl_xor_sync(0xffffffffu, count, (int)apart),
                 __shfl_xor_sync(0xffffffffu, mean, (int)apart),
                 __shfl_xor_sync(0xffffffffu, squares, (int)apart));
    return make_float2(mean, squares);
}

// A norm over `group` channels; gamma and beta of all channels, or NULL.
typedef struct {
    pd_u32 group;
    pd_f32 eps;
    const pd_f32 *affine;
} crl_norm_of;

// a and b of channel c from the moments of `count` numbers.
PD_FN float2 crl_linear(const float2 m, pd_f32 count, pd_u32 c, const crl_norm_of &norm,
                        const crl_grid &g)
{
    if (c >= g.channels) return make_float2(0.0f, 0.0f);
    const pd_f32 gamma = norm.affine ? norm.affine[c] : 1.0f;
    const pd_f32 beta = norm.affine ? norm.affine[g.channels + c] : 0.0f;
    const pd_f32 a = gamma / PD_SQRT(m.y / count + norm.eps);
    return make_float2(a, PD_FMA(-a, m.x, beta));
}

// Channels first to end - 1 of a trajectory's map, (2, channels up to a multiple of 16), from the
// moments of all tiles, (tiles, channels). A norm over several channels has 256 at most.
PD_FN void crl_norm(const float2 *of, pd_f32 *map, pd_u32 first, pd_u32 end,
                    const crl_norm_of &norm, const crl_grid &g)
{
    const pd_u32 padded = (g.channels + 15u) / 16u * 16u, id = PD_LID % 256u;
    const pd_f32 cells = (pd_f32)(g.height * g.width);
    for (pd_u32 c = first + id / 32u * 4u + id % 4u; c < end; c += 32u) {
        float2 m = crl_merge(of, c, g);
        if (norm.group == 1u) m = crl_linear(m, cells, c, norm, g);
        if (id % 32u >= 4u) continue;
        map[c] = m.x;
        map[padded + c] = m.y;
    }
    if (norm.group == 1u) return;
    crl_together();
    {
        const pd_u32 from = id - id % norm.group;
        const pd_u32 last = id < g.channels ? from + norm.group : from;
        float2 m = make_float2(0.0f, 0.0f);
        pd_f32 count = 0.0f;
        for (pd_u32 i = from; i < last; i++)
            crl_pool(count, m.x, m.y, cells, map[i], map[padded + i]);
        m = crl_linear(m, count, id, norm, g);
        crl_together(); // all have read
        if (id >= padded) return;
        map[id] = m.x;
        map[padded + id] = m.y;
    }
}
