// program: rollout_modes
// texts: number.cl random.cl
// modes.cl: SPECTRAL nodes, and normal fields with a correlation: between cells and the modes that
// are kept, by sums over rows and then over columns, one chain each. A mode (row r, column q) of a
// channel has two numbers, re and im.
#define ROLLOUT_MODES_CELLS 2048u // numbers of local memory for cells; as many for half a transform

// cos and sin of 2 pi j/n, for j < n: of an angle up to pi/4, after Moshier's Cephes.
typedef struct {
    pd_u32 count, to; // n, and where they are among the weights
} padic_k_rollout_modes_turns_params;

PD_KERNEL_WG(padic_k_rollout_modes_turns, ROLLOUT_WG)
(PD_BUF(pd_f32, weights), PD_PARAMS(padic_k_rollout_modes_turns_params, k))
{
    const pd_u32 j = PD_GRP * ROLLOUT_WG + PD_LID, n = k.count;
    const pd_u32 quarter = 4u * j / n, rest = 4u * j - quarter * n; // of pi/2: rest/n
    const pd_u32 beyond = 2u * rest > n ? 1u : 0u;
    const pd_f32 x = 1.57079637f * (pd_f32)(beyond ? n - rest : rest) / (pd_f32)n, s = x * x;
    const pd_f32 sine = PD_FMA(PD_FMA(PD_FMA(-1.9515295891e-4f, s, 8.3321608736e-3f), s,
                                      -1.6666654611e-1f) * s, x, x);
    const pd_f32 cosine = PD_FMA(PD_FMA(PD_FMA(2.443315711809948e-5f, s, -1.388731625493765e-3f),
                                        s, 4.166664568298827e-2f) * s, s, PD_FMA(s, -0.5f, 1.0f));
    const pd_f32 c = beyond ? sine : cosine, d = beyond ? cosine : sine;
    if (j < n) {
        weights[k.to + 2u * j] = quarter == 0u ? c : quarter == 1u ? -d : quarter == 2u ? -c : d;
        weights[k.to + 2u * j + 1u] =
            quarter == 0u ? d : quarter == 1u ? c : quarter == 2u ? -d : -c;
    }
}

typedef struct {
    pd_u32 channels, height, width;   // channels: of the input
    pd_u32 up, rows, columns;         // kept: up of the rows are those from 0 on, others the last
    pd_u32 block, lines;              // columns of a group, lines of cells at a time
    pd_u32 a[4], map;                 // the input; map: numbers of a trajectory
    pd_u32 turns_x, turns_y;          // among the weights
    pd_u32 out, step;
    pd_f32 scale;
} padic_k_rollout_modes_in_params;

// Row of the transform that row r of those that are kept is.
PD_FN pd_u32 rollout_modes_row(pd_u32 r, pd_u32 up, pd_u32 rows, pd_u32 height)
{
    return r < up ? r : height - rows + r;
}

// Transforms of `lines` rows of cells, of `count` columns from `first` on.
PD_FN void rollout_modes_lines(PD_LPTR(pd_f32) room, PD_GPTR(const pd_f32) turns, pd_u32 lines,
                               pd_u32 count, pd_u32 first, pd_u32 width, pd_u32 to)
{
    for (pd_u32 e = PD_LID; e < lines * count; e += ROLLOUT_WG) {
        const pd_u32 line = e / count, q = first + e - line * count;
        pd_f32 re = 0.0f, im = 0.0f;
        pd_u32 turn = 0u;
        for (pd_u32 x = 0u; x < width; x++) {
            const pd_f32 v = room[line * width + x];
            re = PD_FMA(v, turns[2u * turn], re);
            im = PD_FMA(-v, turns[2u * turn + 1u], im);
            turn += q;
            if (turn >= width) turn -= width;
        }
        room[to + 2u * e] = re;
        room[to + 2u * e + 1u] = im;
    }
}

// The modes of a channel, of a block of columns.
PD_KERNEL_WG(padic_k_rollout_modes_in, ROLLOUT_WG)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_rollout_modes_in_params, k))
{
    PD_LOCAL pd_f32 room[2u * ROLLOUT_MODES_CELLS];
    const pd_u32 first = PD_GRP * k.block, left = k.columns - first;
    const pd_u32 count = left < k.block ? left : k.block, c = PD_GRP_Y;
    const pd_u32 map = k.a[ROLLOUT_MAP] > 0u ? k.a[ROLLOUT_MAP] + PD_GRP_Z * k.map + c : 0u;
    const pd_u32 from = k.a[ROLLOUT_AT] + PD_GRP_Z * k.a[ROLLOUT_STEP] + c * k.height * k.width;
    const pd_u32 to = k.out + PD_GRP_Z * k.step + 2u * (c * k.rows * k.columns + first);
    for (pd_u32 y = 0u; y < k.height; y += k.lines) {
        const pd_u32 lines = k.height - y < k.lines ? k.height - y : k.lines;
        PD_BARRIER();
        for (pd_u32 i = PD_LID; i < lines * k.width; i += ROLLOUT_WG)
            room[i] = rollout_mapped(fields, a[from + y * k.width + i], map, k.channels,
                                     k.a[ROLLOUT_ACT]);
        PD_BARRIER();
        rollout_modes_lines(room, weights + k.turns_x, lines, count, first, k.width,
                            ROLLOUT_MODES_CELLS + 2u * y * count);
    }
    PD_BARRIER();
    for (pd_u32 e = PD_LID; e < k.rows * count; e += ROLLOUT_WG) {
        const pd_u32 r = e / count, q = e - r * count;
        const pd_u32 row = rollout_modes_row(r, k.up, k.rows, k.height);
        pd_f32 re = 0.0f, im = 0.0f;
        pd_u32 turn = 0u;
        for (pd_u32 y = 0u; y < k.height; y++) {
            const pd_f32 cosine = weights[k.turns_y + 2u * turn];
            const pd_f32 sine = weights[k.turns_y + 2u * turn + 1u];
            const pd_u32 at = ROLLOUT_MODES_CELLS + 2u * (y * count + q);
            re = PD_FMA(room[at], cosine, PD_FMA(room[at + 1u], sine, re));
            im = PD_FMA(room[at + 1u], cosine, PD_FMA(-room[at], sine, im));
            turn += row;
            if (turn >= k.height) turn -= k.height;
        }
        out[to + 2u * (r * k.columns + q)] = re * k.scale;
        out[to + 2u * (r * k.columns + q) + 1u] = im * k.scale;
    }
}

typedef struct {
    pd_u32 inputs, outputs, modes; // modes: of a channel
    pd_u32 w, parameters;          // w (in, out, mode, 2)
    pd_u32 in, out, step;
    pd_u32 first, per_operator, count; // count: trajectories, four of a group
} padic_k_rollout_modes_mix_params;

// A mode of an output by each item, of four trajectories: sums over the inputs.
PD_KERNEL_WG(padic_k_rollout_modes_mix, ROLLOUT_WG)
(PD_CBUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_rollout_modes_mix_params, k))
{
    const pd_u32 all = k.outputs * k.modes, own = PD_GRP * ROLLOUT_WG + PD_LID;
    const pd_u32 e = own < all ? own : 0u, mode = e % k.modes;
    pd_f32 re[4], im[4];
    pd_u32 net[4], at[4];
    ROLLOUT_UNROLL
    for (pd_u32 j = 0u; j < 4u; j++) {
        const pd_u32 slot = 4u * PD_GRP_Z + j < k.count ? 4u * PD_GRP_Z + j : k.count - 1u;
        at[j] = slot * k.step;
        net[j] = (k.first + slot) / k.per_operator * k.parameters + k.w;
        re[j] = im[j] = 0.0f;
    }
    for (pd_u32 i = 0u; i < k.inputs; i++) {
        pd_f32 w = 0.0f, v = 0.0f;
        ROLLOUT_UNROLL
        for (pd_u32 j = 0u; j < 4u; j++) {
            const pd_u32 x = k.in + at[j] + 2u * (i * k.modes + mode);
            const pd_f32 a = fields[x], b = fields[x + 1u];
            if (j == 0u || net[j] != net[j > 0u ? j - 1u : 0u]) {
                w = weights[net[j] + 2u * (i * all + e)];
                v = weights[net[j] + 2u * (i * all + e) + 1u];
            }
            re[j] = PD_FMA(w, a, PD_FMA(-v, b, re[j]));
            im[j] = PD_FMA(w, b, PD_FMA(v, a, im[j]));
        }
    }
    ROLLOUT_UNROLL
    for (pd_u32 j = 0u; j < 4u; j++)
        if (own < all && 4u * PD_GRP_Z + j < k.count) {
            out[k.out + at[j] + 2u * e] = re[j];
            out[k.out + at[j] + 2u * e + 1u] = im[j];
        }
}

typedef struct {
    pd_u32 height, width, up, rows, columns, lines; // lines: of cells, of a group
    pd_u32 turns_x, turns_y, in, out, step;
    pd_f32 scale;
} padic_k_rollout_modes_out_params;

// The real part of the sum over the modes and, but for columns 0 and W/2, those at -q: that is the
// transform of what is Hermitian of these columns.
PD_KERNEL_WG(padic_k_rollout_modes_out, ROLLOUT_WG)
(PD_CBUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_rollout_modes_out_params, k))
{
    PD_LOCAL pd_f32 room[2u * ROLLOUT_MODES_CELLS];
    const pd_u32 first = PD_GRP * k.lines, left = k.height - first;
    const pd_u32 lines = left < k.lines ? left : k.lines, c = PD_GRP_Y;
    const pd_u32 from = k.in + PD_GRP_Z * k.step + 2u * c * k.rows * k.columns;
    for (pd_u32 e = PD_LID; e < lines * k.columns; e += ROLLOUT_WG) {
        const pd_u32 y = e / k.columns, q = e - y * k.columns;
        const pd_f32 twice = q == 0u || 2u * q == k.width ? k.scale : 2.0f * k.scale;
        const pd_u32 jump = (k.height - k.rows + k.up) * (first + y) % k.height; // of row k.up
        pd_f32 re = 0.0f, im = 0.0f;
        pd_u32 turn = 0u;
        for (pd_u32 r = 0u; r < k.rows; r++) {
            const pd_u32 at = from + 2u * (r * k.columns + q);
            if (r == k.up) turn = jump;
            re = PD_FMA(fields[at], weights[k.turns_y + 2u * turn],
                        PD_FMA(-fields[at + 1u], weights[k.turns_y + 2u * turn + 1u], re));
            im = PD_FMA(fields[at], weights[k.turns_y + 2u * turn + 1u],
                        PD_FMA(fields[at + 1u], weights[k.turns_y + 2u * turn], im));
            turn += first + y;
            if (turn >= k.height) turn -= k.height;
        }
        room[2u * e] = re * twice;
        room[2u * e + 1u] = im * twice;
    }
    PD_BARRIER();
    for (pd_u32 i = PD_LID; i < lines * k.width; i += ROLLOUT_WG) {
        const pd_u32 y = i / k.width, x = i - y * k.width;
        pd_f32 sum = 0.0f;
        pd_u32 turn = 0u;
        for (pd_u32 q = 0u; q < k.columns; q++) {
            const pd_u32 at = 2u * (y * k.columns + q);
            sum = PD_FMA(room[at], weights[k.turns_x + 2u * turn],
                         PD_FMA(-room[at + 1u], weights[k.turns_x + 2u * turn + 1u], sum));
            turn += x;
            if (turn >= k.width) turn -= k.width;
        }
        out[k.out + PD_GRP_Z * k.step + (c * k.height + first) * k.width + i] = sum;
    }
}

typedef struct {
    pd_u32 channels, up, rows, columns;
    pd_u32 site, t, seed_low, seed_high;
    pd_u32 ids, realisations, amplitudes, quantiles; // words of `tables`; amplitudes: of columns,
    pd_u32 first, per_operator;                      // then of rows
    pd_u32 out, step;
    pd_u32 clock; // word of t, plus 1; 0: k.t
} padic_k_rollout_modes_draw_params;

// Rank of a mode in the half plane, from the middle outwards: rollout/spectral.c.
PD_FN pd_u32 rollout_modes_rank(pd_u32 x, pd_i32 y)
{
    const pd_u32 up = (pd_u32)(y < 0 ? -y : y), s = x > up ? x : up;
    pd_u32 place = 3u * s + (s - x);
    if (s == 0u) return 0u;
    if (y == (pd_i32)s) place = x;
    else if (x == s) place = (pd_u32)((pd_i32)(2u * s) - y);
    return ((2u * s - 1u) * (2u * s - 1u) + 1u) / 2u + place;
}

// Modes of a normal field of variance 1: those with q_x = 0 and q_y < 0 are conjugates.
PD_KERNEL_WG(padic_k_rollout_modes_draw, ROLLOUT_WG)
(PD_CBUF(pd_u32, tables), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_rollout_modes_draw_params, k))
{
    const pd_u32 e = PD_GRP * ROLLOUT_WG + PD_LID, c = PD_GRP_Y, modes = k.rows * k.columns;
    const pd_u32 r = e / k.columns, q = e - r * k.columns, trajectory = k.first + PD_GRP_Z;
    const pd_u32 n = trajectory / k.per_operator;
    const pd_u32 realisation = tables[k.realisations + trajectory - n * k.per_operator];
    const pd_i32 row = r < k.up ? (pd_i32)r : (pd_i32)r - (pd_i32)k.rows;
    const pd_u32 turned = q == 0u && row < 0 ? 1u : 0u;
    const pd_u32 rank = rollout_modes_rank(q, turned ? -row : row);
    const pd_u32 t = k.clock > 0u ? tables[k.clock - 1u] : k.t;
    const rollout_words w = rollout_philox(rank * k.channels + c, t, tables[k.ids + n],
                                           realisation << 12 | k.site << 4 | 4u, k.seed_low,
                                           k.seed_high);
    const pd_u32 at = k.out + PD_GRP_Z * k.step + 2u * (c * modes + e);
    if (e < modes) {
        pd_f32 a = PD_AS_F32(tables[k.amplitudes + q]) *
                   PD_AS_F32(tables[k.amplitudes + k.columns + r]);
        pd_f32 im = 0.0f;
        if (rank > 0u) {
            a = a * 0.70710678f;
            im = a * rollout_normal(tables + k.quantiles, w.b);
        }
        out[at] = a * rollout_normal(tables + k.quantiles, w.a);
        out[at + 1u] = turned ? -im : im;
    }
}
