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

// Of `here` channels from `first` on, at most 256, mean and sum of squared differences over all
// tiles, by Chan, Golub, LeVeque 1979: of channel first + i % (the power of 2 from 8 on that holds
// `here`) for thread i. Threads split the tiles in an order that is theirs alone. room: 256.
PD_FN float2 crl_merge(const float2 *of, pd_f32 *room, pd_u32 first, pd_u32 here,
                       const crl_grid &g)
{
    const pd_u32 id = PD_LID % 256u;
    pd_u32 wide = 8u;
    while (wide < here) wide *= 2u;
    const pd_u32 c = id % wide, parts = 256u / wide;
    pd_f32 count = 0.0f, mean = 0.0f, squares = 0.0f, all = 0.0f, sum = 0.0f;
#pragma unroll 1
    for (pd_u32 begin = id / wide; begin < g.tiles; begin += 8u * parts) {
        float2 m[8];
        pd_f32 cells[8], many = 0.0f, next = 0.0f, joined = 0.0f;
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) {
            const pd_u32 tile = begin + i * parts;
            m[i] = make_float2(0.0f, 0.0f);
            if (tile < g.tiles && c < here) m[i] = __ldcg(of + tile * g.channels + first + c);
        }
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) {
            const pd_u32 tile = begin + i * parts;
            cells[i] = tile < g.tiles ? crl_cells(tile, g) : 0.0f;
            many += cells[i];
            next = PD_FMA(cells[i], m[i].x, next);
        }
        next = next * ROLLOUT_RECIPROCAL(many);
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++)
            joined += PD_FMA(cells[i] * (m[i].x - next), m[i].x - next, m[i].y);
        const pd_f32 apart = next - mean, share = many * ROLLOUT_RECIPROCAL(count + many);
        squares += PD_FMA(apart * apart, count * share, joined);
        mean = PD_FMA(apart, share, mean);
        count += many;
    }
    room[id] = count * mean;
    crl_together();
    for (pd_u32 i = 0u; i < parts; i++) sum += room[i * wide + c];
    sum = sum * ROLLOUT_RECIPROCAL((pd_f32)(g.height * g.width));
    crl_together();
    room[id] = PD_FMA(count * (mean - sum), mean - sum, squares);
    crl_together();
    for (pd_u32 i = 0u; i < parts; i++) all += room[i * wide + c];
    crl_together();
    return make_float2(sum, all);
}

// a and b from the moments of `count` numbers.
PD_FN float2 crl_linear(const float2 moments, pd_f32 count, pd_f32 gamma, pd_f32 beta, pd_f32 eps)
{
    const pd_f32 a = gamma / PD_SQRT(moments.y / count + eps);
    return make_float2(a, PD_FMA(-a, moments.x, beta));
}
