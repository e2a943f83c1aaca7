// tile.cu: what convolutions on tensor cores share: a tile of 16 x 16 cells, of CRL_N channels, and
// what follows its sums. Tiles are the same whatever is computed beside them, and so are the bits.
//
// A warp of eight has two rows of the tile. sum[4 (j + b CRL_N/8) + 2 h + c] of a lane is channel
// 8 j + 2 (lane % 4) + c. Its cells are lane / 4 and 8 more, in row 2 warp and the next: h says
// which cell, b which row, if `rows_first`, else the other way round, as the instructions have it.
#ifndef PD_ROLLOUT_N
#define PD_ROLLOUT_N 64 // channels of the output of a group
#endif
#ifndef PD_ROLLOUT_SPAN
#define PD_ROLLOUT_SPAN 3 // rows of the kernel
#endif
#ifndef PD_ROLLOUT_MORE
#define PD_ROLLOUT_MORE 0 // 1: biases, an activation without a norm; 2: a field that is added
#endif
#define CRL_N PD_ROLLOUT_N
#define CRL_PITCH (15u + PD_ROLLOUT_SPAN) // cells of a row of a tile with its margin
#define CRL_ALL (CRL_PITCH * CRL_PITCH)
#define CRL_ROOM (16u * CRL_N) // numbers of local memory

typedef struct {
    pd_u32 height, width, boundary, tiles, across; // tiles; of a row
    pd_u32 inputs;                      // channels
    pd_u32 in, map, state;              // map: plus 1, 0: none; state: 1: in f32, of a buffer
    pd_u32 outputs, out, w, w_each;     // w: of `halves`, in 16 bytes; of an operator
    pd_u32 bias, add;                   // add: a field that is added: plus 1
    pd_u32 moments, to_map;             // plus 1, 0: no norm follows; its map is made later
    pd_u32 group, affine;               // group: channels of a norm; affine: plus 1
    pd_f32 eps;
    pd_u32 step, state_step, parameters, first, per_operator, count; // count: trajectories
} padic_k_rollout_tile_params;

// What a tile's threads know of it.
typedef struct {
    pd_u32 tile, block, slot; // block: of channels
    pd_u32 rows, columns;     // those there are
    pd_u32 y, x;              // of its first cell
} crl_place;

PD_FN crl_place crl_place_of(pd_u32 tile, pd_u32 block, pd_u32 slot,
                             const padic_k_rollout_tile_params &k)
{
    crl_place p;
    p.tile = tile;
    p.block = block;
    p.slot = slot;
    p.y = tile / k.across * 16u;
    p.x = tile % k.across * 16u;
    p.rows = k.height - p.y < 16u ? k.height - p.y : 16u;
    p.columns = k.width - p.x < 16u ? k.width - p.x : 16u;
    return p;
}

// The cell of the input for place `i` of a tile with its margin; height * width: none.
PD_FN pd_u32 crl_cell(pd_u32 i, const crl_place &p, const padic_k_rollout_tile_params &k)
{
    const pd_u32 row = i / CRL_PITCH, margin = PD_ROLLOUT_SPAN / 2u;
    const pd_u32 y = rollout_bound((pd_i32)(p.y + row) - (pd_i32)margin, k.height, k.boundary);
    const pd_u32 x =
        rollout_bound((pd_i32)(p.x + i - row * CRL_PITCH) - (pd_i32)margin, k.width, k.boundary);
    return y < k.height && x < k.width ? y * k.width + x : k.height * k.width;
}

template <bool rows_first> PD_FN pd_u32 crl_row(pd_u32 warp, pd_u32 b, pd_u32 h)
{
    return 2u * warp + (rows_first ? b : h);
}

template <bool rows_first> PD_FN pd_u32 crl_column(pd_u32 lane, pd_u32 b, pd_u32 h)
{
    return lane / 4u + 8u * (rows_first ? h : b);
}

// The sums s[n] of the eight lanes that have the same channels, n 4 or 8: each lane keeps that of
// one of them, number crl_kept. Halves are exchanged, then quarters, then eighths.
template <pd_u32 n> PD_FN pd_f32 crl_fold(pd_f32 *s, pd_u32 lane)
{
#pragma unroll
    for (pd_u32 apart = 16u, left = n / 2u; apart >= 4u; apart /= 2u, left /= 2u) {
        const bool upper = (lane & apart) != 0u;
        if (left == 0u) s[0] = s[0] + __shfl_xor_sync(0xffffffffu, s[0], (int)apart);
#pragma unroll
        for (pd_u32 i = 0u; i < left; i++) {
            const pd_f32 mine = upper ? s[i + left] : s[i], other = upper ? s[i] : s[i + left];
            s[i] = mine + __shfl_xor_sync(0xffffffffu, other, (int)apart);
        }
    }
    return s[0];
}

template <pd_u32 n> PD_FN pd_u32 crl_kept(pd_u32 lane)
{
    return n == 8u ? (lane & 16u) / 4u + (lane & 8u) / 4u + (lane & 4u) / 4u
                   : (lane & 16u) / 8u + (lane & 8u) / 8u;
}

// One pass over the tile: a warp's sums of x, or of (x - mean)^2, of each channel, to `room`.
template <bool rows_first, bool square>
PD_FN void crl_sums(const pd_f32 *sum, pd_f32 *room, const pd_f32 *mean, const crl_place &p)
{
    const pd_u32 warp = PD_LID / 32u % 8u, lane = PD_LID % 32u, n = CRL_N < 32 ? 4u : 8u;
#pragma unroll
    for (pd_u32 first = 0u; first < CRL_N / 8u; first += n / 2u) {
        pd_f32 s[n];
#pragma unroll
        for (pd_u32 i = 0u; i < n; i++) {
            const pd_u32 j = first + i / 2u, c = i % 2u;
            pd_f32 m = 0.0f, all = 0.0f;
            if (square) m = mean[8u * j + 2u * (lane % 4u) + c];
#pragma unroll
            for (pd_u32 q = 0u; q < 4u; q++) {
                const pd_u32 b = q / 2u, h = q % 2u;
                const pd_f32 d = sum[4u * (j + b * (CRL_N / 8u)) + 2u * h + c] - m;
                if (crl_row<rows_first>(warp, b, h) < p.rows &&
                    crl_column<rows_first>(lane, b, h) < p.columns)
                    all += square ? d * d : d;
            }
            s[i] = all;
        }
        {
            const pd_f32 all = crl_fold<n>(s, lane);
            const pd_u32 i = crl_kept<n>(lane);
            room[warp * CRL_N + 8u * (first + i / 2u) + 2u * (lane % 4u) + i % 2u] = all;
        }
    }
}

// Moments of two sets of `count` numbers each become those of both: Chan, Golub, LeVeque 1979.
PD_FN void crl_both(float2 &a, const float2 b, pd_f32 count)
{
    const pd_f32 apart = b.x - a.x;
    a.x = 0.5f * (a.x + b.x);
    a.y = PD_FMA(apart * apart, 0.5f * count, a.y + b.y);
}

PD_FN float2 crl_theirs(const float2 a, pd_u32 apart)
{
    return make_float2(__shfl_xor_sync(0xffffffffu, a.x, (int)apart),
                       __shfl_xor_sync(0xffffffffu, a.y, (int)apart));
}

// As crl_fold, of moments of four numbers.
template <pd_u32 n> PD_FN float2 crl_fold_moments(float2 *s, pd_u32 lane)
{
    pd_f32 count = 4.0f;
#pragma unroll
    for (pd_u32 apart = 16u, left = n / 2u; apart >= 4u; apart /= 2u, left /= 2u) {
        const bool upper = (lane & apart) != 0u;
        if (left == 0u) crl_both(s[0], crl_theirs(s[0], apart), count);
#pragma unroll
        for (pd_u32 i = 0u; i < left; i++) {
            const float2 low = s[i], high = s[i + left];
            const float2 theirs = crl_theirs(upper ? low : high, apart);
            s[i] = upper ? high : low;
            crl_both(s[i], theirs, count);
        }
        count = 2.0f * count;
    }
    return s[0];
}

// A warp's moments of each channel of a whole tile, to `room`.
PD_FN void crl_whole(const pd_f32 *sum, float2 *room)
{
    const pd_u32 warp = PD_LID / 32u % 8u, lane = PD_LID % 32u, n = CRL_N < 32 ? 4u : 8u;
#pragma unroll
    for (pd_u32 first = 0u; first < CRL_N / 8u; first += n / 2u) {
        float2 s[n];
#pragma unroll
        for (pd_u32 i = 0u; i < n; i++) {
            const pd_f32 *x = sum + 4u * (first + i / 2u) + i % 2u, *y = x + CRL_N / 2u;
            const pd_f32 m = 0.25f * (x[0] + x[2] + (y[0] + y[2]));
            const pd_f32 a = x[0] - m, b = x[2] - m, c = y[0] - m, d = y[2] - m;
            s[i] = make_float2(m, PD_FMA(a, a, b * b) + PD_FMA(c, c, d * d));
        }
        {
            const float2 all = crl_fold_moments<n>(s, lane);
            const pd_u32 i = crl_kept<n>(lane);
            room[warp * CRL_N + 8u * (first + i / 2u) + 2u * (lane % 4u) + i % 2u] = all;
        }
    }
}

// Those of all warps.
PD_FN float2 crl_warps(const float2 *room, pd_u32 c)
{
    float2 s[8];
#pragma unroll
    for (pd_u32 w = 0u; w < 8u; w++) s[w] = room[w * CRL_N + c];
#pragma unroll
    for (pd_u32 w = 0u; w < 4u; w++) crl_both(s[w], s[w + 4u], 32.0f);
    crl_both(s[0], s[2], 64.0f);
    crl_both(s[1], s[3], 64.0f);
    crl_both(s[0], s[1], 128.0f);
    return s[0];
}

// Moments of the tile's channels, mean and sum of squared differences, to `to`. room: 16 CRL_N.
template <bool rows_first>
PD_FN void crl_moments(const pd_f32 *sum, pd_f32 *room, pd_f32 *to, const crl_place &p,
                       pd_u32 outputs)
{
    const pd_u32 c = PD_LID % 256u, channel = p.block * CRL_N + c;
    const pd_f32 cells = (pd_f32)(p.rows * p.columns);
    pd_f32 *mean = room + 8u * CRL_N;
    if (p.rows == 16u && p.columns == 16u) {
        crl_whole(sum, (float2 *)room);
        crl_together();
        if (c < CRL_N && channel < outputs)
            ((float2 *)to)[p.tile * outputs + channel] = crl_warps((const float2 *)room, c);
        return;
    }
    crl_sums<rows_first, false>(sum, room, mean, p);
    crl_together();
    if (c < CRL_N) {
        pd_f32 all = room[c];
        for (pd_u32 w = 1u; w < 8u; w++) all += room[w * CRL_N + c];
        mean[c] = all * ROLLOUT_RECIPROCAL(cells);
    }
    crl_together();
    crl_sums<rows_first, true>(sum, room, mean, p);
    crl_together();
    if (c < CRL_N && channel < outputs) {
        pd_f32 all = room[c];
        for (pd_u32 w = 1u; w < 8u; w++) all += room[w * CRL_N + c];
        ((float2 *)to)[p.tile * outputs + channel] = make_float2(mean[c], all);
    }
}

#if PD_ROLLOUT_MORE == 1
// Biases and the activation.
PD_FN void crl_biases(pd_f32 *sum, const pd_f32 *weights, const crl_place &p,
                      const padic_k_rollout_tile_params &k)
{
    const pd_u32 net = (k.first + p.slot) / k.per_operator * k.parameters;
#pragma unroll
    for (pd_u32 j = 0u; j < CRL_N / 8u; j++) {
        const pd_u32 c = p.block * CRL_N + 8u * j + 2u * (PD_LID % 4u);
        pd_f32 bias[2] = {0.0f, 0.0f};
        if (k.bias > 0u && c < k.outputs) bias[0] = weights[net + k.bias - 1u + c];
        if (k.bias > 0u && c + 1u < k.outputs) bias[1] = weights[net + k.bias + c];
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) {
            pd_f32 *x = sum + 4u * (j + i / 4u * (CRL_N / 8u)) + i % 4u;
            *x += bias[i % 2u];
            if (k.moments == 0u) *x = rollout_act(*x, PD_ROLLOUT_ACT);
        }
    }
}
#endif

// The sums in 16 bits, to the field; MORE 2: with what another field has there. What is not finite
// leaves the bits 0x80008000.
template <bool rows_first, bool whole>
PD_FN pd_u32 crl_store(const pd_f32 *sum, pd_f32 *fields, const crl_place &p,
                       const padic_k_rollout_tile_params &k)
{
    const pd_u32 warp = PD_LID / 32u % 8u, lane = PD_LID % 32u, cells = k.height * k.width;
    const pd_u32 first = p.block * CRL_N, planes = ((k.outputs + 15u) / 16u * 16u - first) / 8u;
    const pd_u64 of = (pd_u64)p.slot * k.step;
    pd_u32 *out = (pd_u32 *)(fields + k.out + of) + lane % 4u + first / 8u * cells * 4u;
#if PD_ROLLOUT_MORE == 2
    const pd_u32 *add =
        (const pd_u32 *)(fields + k.add - 1u + of) + lane % 4u + first / 8u * cells * 4u;
#endif
    pd_u32 bad = 0u, at[4];
    bool is[4];
#pragma unroll
    for (pd_u32 q = 0u; q < 4u; q++) {
        const pd_u32 row = crl_row<rows_first>(warp, q / 2u, q % 2u);
        const pd_u32 column = crl_column<rows_first>(lane, q / 2u, q % 2u);
        at[q] = ((p.y + row) * k.width + p.x + column) * 4u;
        is[q] = whole || (row < p.rows && column < p.columns);
    }
#pragma unroll
    for (pd_u32 j = 0u; j < CRL_N / 8u; j++) {
#if PD_ROLLOUT_MORE == 2
        pd_u32 other[4];
#pragma unroll
        for (pd_u32 q = 0u; q < 4u; q++) {
            other[q] = 0u;
            if (k.add > 0u && (whole || (is[q] && j < planes))) other[q] = add[at[q]];
        }
        add += cells * 4u;
#endif
#pragma unroll
        for (pd_u32 q = 0u; q < 4u; q++) {
            const pd_f32 *x = sum + 4u * (j + q / 2u * (CRL_N / 8u)) + 2u * (q % 2u);
#if PD_ROLLOUT_MORE == 2
            const pd_u32 two = crl_pair(x[0] + crl_low(other[q]), x[1] + crl_high(other[q]));
#else
            const pd_u32 two = crl_pair(x[0], x[1]);
#endif
            if (!whole && !(is[q] && j < planes)) continue;
            bad |= crl_carry(two);
            out[at[q]] = two;
        }
        out += cells * 4u;
    }
    return bad;
}

// What follows the sums: biases and an activation, moments. room: CRL_ROOM numbers.
template <bool rows_first>
PD_FN void crl_complete(pd_f32 *sum, pd_f32 *room, pd_f32 *fields, const pd_f32 *weights,
                        const crl_place &p, const padic_k_rollout_tile_params &k)
{
#if PD_ROLLOUT_MORE == 1
    crl_biases(sum, weights, p, k);
#endif
    if (k.moments == 0u) return;
    crl_moments<rows_first>(sum, room, fields + k.moments - 1u + (pd_u64)p.slot * k.step, p,
                            k.outputs);
    crl_together();
}

// Then the field.
template <bool rows_first>
PD_FN void crl_keep(const pd_f32 *sum, pd_f32 *fields, pd_u32 *words, const crl_place &p,
                    const padic_k_rollout_tile_params &k)
{
    const bool whole =
        p.rows == 16u && p.columns == 16u && (p.block + 1u) * CRL_N <= k.outputs;
    const pd_u32 bad = whole ? crl_store<rows_first, true>(sum, fields, p, k)
                             : crl_store<rows_first, false>(sum, fields, p, k);
    if ((bad & 0x80008000u) > 0u) atomicOr(words + CRL_WORDS * p.slot + CRL_BAD, 1u);
}
