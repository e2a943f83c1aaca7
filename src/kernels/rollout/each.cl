// each.cl: nodes whose cells are made one by one, 1,024 cells of a channel by each group; norms
// from the moments of tiles; weights as the kernels read them.
#define ROLLOUT_COPY 0u // kinds
#define ROLLOUT_ADD 1u
#define ROLLOUT_CONCAT 2u
#define ROLLOUT_MEAN 3u
#define ROLLOUT_NEAREST 4u
#define ROLLOUT_BILINEAR 5u

typedef struct {
    pd_u32 kind, channels, height, width; // of the output
    pd_u32 inputs, boundary; // inputs: channels of a
    pd_u32 a[4], b[4], map;  // map: numbers of a trajectory whose maps these are
    pd_u32 out, step;        // step: of the output
    pd_u32 moments;          // where they are, plus 1; 0: none are wanted
} padic_k_rollout_each_params;

// The later of the two coarse cells that fine cell i is made of, less `back`.
PD_FN pd_u32 rollout_coarse(pd_u32 i, pd_u32 back, pd_u32 n, pd_u32 boundary)
{
    return rollout_bound((pd_i32)((i + 1u) / 2u) - (pd_i32)back, n,
                         boundary == 0u ? ROLLOUT_REPLICATE : boundary);
}

// The weight of that cell.
PD_FN pd_f32 rollout_share(pd_u32 i, pd_u32 back)
{
    return (i & 1u) == back ? 0.75f : 0.25f;
}

// What cell (y, x) of channel c has of a: a sum over four cells, or one.
PD_FN pd_f32 rollout_each_a(PD_GPTR(const pd_f32) a, PD_GPTR(const pd_f32) fields, pd_u32 c,
                            pd_u32 y, pd_u32 x, const padic_k_rollout_each_params k)
{
    const pd_u32 map = k.a[ROLLOUT_MAP] > 0u ? k.a[ROLLOUT_MAP] + PD_GRP_Z * k.map + c : 0u;
    const pd_u32 from = k.a[ROLLOUT_AT] + PD_GRP_Z * k.a[ROLLOUT_STEP];
    const pd_u32 fine = k.kind == ROLLOUT_NEAREST || k.kind == ROLLOUT_BILINEAR ? 1u : 0u;
    const pd_u32 mean = k.kind == ROLLOUT_MEAN ? 1u : 0u;
    const pd_u32 height = fine ? k.height / 2u : mean ? 2u * k.height : k.height;
    const pd_u32 width = fine ? k.width / 2u : mean ? 2u * k.width : k.width;
    const pd_u32 corners = mean || k.kind == ROLLOUT_BILINEAR ? 4u : 1u;
    pd_f32 sum = 0.0f;
    for (pd_u32 corner = 0u; corner < corners; corner++) {
        const pd_u32 down = corner / 2u, across = corner % 2u;
        pd_u32 row = fine ? y / 2u : y, column = fine ? x / 2u : x;
        pd_f32 weight = 1.0f, v;
        if (mean) {
            row = 2u * y + down;
            column = 2u * x + across;
            weight = 0.25f;
        }
        if (k.kind == ROLLOUT_BILINEAR) {
            row = rollout_coarse(y, down, height, k.boundary);
            column = rollout_coarse(x, across, width, k.boundary);
            weight = rollout_share(y, down) * rollout_share(x, across);
        }
        v = row < height && column < width ? a[from + (c * height + row) * width + column] : 0.0f;
        v = rollout_mapped(fields, v, map, k.inputs, k.a[ROLLOUT_ACT]);
        v = corners > 1u ? weight * v : v; // of one its bits, whatever they are
        sum = corner > 0u ? sum + v : v;
    }
    return sum;
}

PD_FN pd_f32 rollout_each_b(PD_GPTR(const pd_f32) b, PD_GPTR(const pd_f32) fields, pd_u32 c,
                            pd_u32 cell, const padic_k_rollout_each_params k)
{
    const pd_u32 map = k.b[ROLLOUT_MAP] > 0u ? k.b[ROLLOUT_MAP] + PD_GRP_Z * k.map + c : 0u;
    const pd_u32 channels = k.kind == ROLLOUT_CONCAT ? k.channels - k.inputs : k.channels;
    return rollout_mapped(fields,
                          b[k.b[ROLLOUT_AT] + PD_GRP_Z * k.b[ROLLOUT_STEP] +
                            c * k.height * k.width + cell],
                          map, channels, k.b[ROLLOUT_ACT]);
}

// Moments of the cells of a group, which are at `at` and on: the mean, then sums of differences
// from it and of their squares, all of the cells times `unit`. `on` 0: they are not wanted.
ROLLOUT_FN void rollout_cells_moments(PD_LPTR(pd_f32) room, PD_GPTR(pd_f32) out, pd_u32 at,
                                      pd_u32 count, pd_u32 to, pd_u32 on, pd_f32 unit)
{
    pd_f32 mean = 0.0f;
    for (pd_u32 pass = 0u; pass < 2u * on; pass++) {
        pd_f32 sum = 0.0f, square = 0.0f;
        for (pd_u32 i = PD_LID; i < count; i += ROLLOUT_WG) {
            const pd_f32 d = out[at + i] * unit - mean;
            sum += d;
            square = PD_FMA(d, d, square);
        }
        room[ROLLOUT_STRAND(0u)] = sum;
        room[ROLLOUT_STRAND(1u)] = square;
        PD_BARRIER();
        rollout_sums(room, 2u, 1u, ROLLOUT_SUMMED(2u));
        sum = room[ROLLOUT_SUMMED(2u)];
        if (pass == 1u && PD_LID == 0u)
            rollout_moments_put(out, to, (pd_f32)count, mean, sum, room[ROLLOUT_SUMMED(2u) + 1u]);
        mean = sum * ROLLOUT_RECIPROCAL((pd_f32)count);
    }
}

PD_KERNEL_WG(padic_k_rollout_each, ROLLOUT_WG)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, b), PD_CBUF(pd_f32, fields), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_rollout_each_params, k))
{
    PD_LOCAL pd_f32 room[ROLLOUT_SUMS_ROOM(2)];
    const pd_u32 cells = k.height * k.width, c = PD_GRP_Y, first = PD_GRP * ROLLOUT_CELLS;
    const pd_u32 count = cells - first < ROLLOUT_CELLS ? cells - first : ROLLOUT_CELLS;
    const pd_u32 to = k.out + PD_GRP_Z * k.step + c * cells;
    const pd_u32 beyond = k.kind == ROLLOUT_CONCAT && c >= k.inputs ? 1u : 0u;
    for (pd_u32 i = PD_LID; i < count; i += ROLLOUT_WG) {
        const pd_u32 cell = first + i, y = cell / k.width;
        pd_f32 x = 0.0f;
        if (!beyond) x = rollout_each_a(a, fields, c, y, cell - y * k.width, k);
        if (beyond || k.kind == ROLLOUT_ADD) {
            const pd_f32 other = rollout_each_b(b, fields, beyond ? c - k.inputs : c, cell, k);
            x = beyond ? other : x + other;
        }
        out[to + cell] = x;
    }
    rollout_cells_moments(room, out, to + first, count,
                          k.moments - 1u + PD_GRP_Z * k.step + 3u * (PD_GRP * k.channels + c),
                          k.moments > 0u ? 1u : 0u, 1.0f);
}

typedef struct {
    pd_u32 channels, cells, field, map, act, step; // map: plus 1; 0: none
} padic_k_rollout_settle_params;

// The norm and the activation of a field in place.
PD_KERNEL_WG(padic_k_rollout_settle, ROLLOUT_WG)
(PD_BUF(pd_f32, fields), PD_PARAMS(padic_k_rollout_settle_params, k))
{
    const pd_u32 c = PD_GRP_Y, first = PD_GRP * ROLLOUT_CELLS + PD_LID, of = PD_GRP_Z * k.step;
    const pd_u32 at = k.field + of + c * k.cells, map = k.map > 0u ? k.map + of + c : 0u;
    pd_f32 v[4];
    ROLLOUT_UNROLL
    for (pd_u32 i = 0u; i < 4u; i++) {
        v[i] = 0.0f;
        if (first + i * ROLLOUT_WG < k.cells) v[i] = fields[at + first + i * ROLLOUT_WG];
    }
    ROLLOUT_UNROLL
    for (pd_u32 i = 0u; i < 4u; i++)
        if (first + i * ROLLOUT_WG < k.cells)
            fields[at + first + i * ROLLOUT_WG] =
                rollout_mapped(fields, v[i], map, k.channels, k.act);
}

// ---- norms

typedef struct {
    pd_u32 channels, group; // group: channels that share a mean and a variance
    pd_u32 rows, columns, count, tiles, wide, tall; // tiles; wide 0: 1,024 cells of a channel each
    pd_u32 moments, map, step;
    pd_u32 affine, statistics, parameters; // where these weights are, plus 1; 0: none
    pd_u32 first, per_operator;
    pd_f32 eps;
} padic_k_rollout_norms_params;

// The moments of all items become those of item 0.
ROLLOUT_FN void rollout_gather(PD_LPTR(pd_f32) room)
{
    for (pd_u32 apart = ROLLOUT_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart) {
            const pd_u32 i = PD_LID, j = PD_LID + apart;
            const rollout_moments m = rollout_merge(
                rollout_moments_of(room[i], room[ROLLOUT_WG + i], room[2 * ROLLOUT_WG + i],
                                   room[3 * ROLLOUT_WG + i]),
                rollout_moments_of(room[j], room[ROLLOUT_WG + j], room[2 * ROLLOUT_WG + j],
                                   room[3 * ROLLOUT_WG + j]));
            room[i] = m.count;
            room[ROLLOUT_WG + i] = m.mean.hi;
            room[2 * ROLLOUT_WG + i] = m.mean.lo;
            room[3 * ROLLOUT_WG + i] = m.squares;
        }
        PD_BARRIER();
    }
}

PD_FN void rollout_gather_put(PD_LPTR(pd_f32) room, const rollout_moments m)
{
    room[PD_LID] = m.count;
    room[ROLLOUT_WG + PD_LID] = m.mean.hi;
    room[2 * ROLLOUT_WG + PD_LID] = m.mean.lo;
    room[3 * ROLLOUT_WG + PD_LID] = m.squares;
}

PD_FN pd_u32 rollout_norm_cells(pd_u32 tile, const padic_k_rollout_norms_params k)
{
    const pd_u32 left = k.rows * k.columns - tile * ROLLOUT_CELLS;
    if (k.wide > 0u) return rollout_tile_cells(tile, k.tiles, k.wide, k.tall, k.columns, k.rows);
    return left < ROLLOUT_CELLS ? left : ROLLOUT_CELLS;
}

// mu, a, beta of the channels of a group, of a trajectory; count 0: statistics are given.
PD_KERNEL_WG(padic_k_rollout_norms, ROLLOUT_WG)
(PD_BUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_PARAMS(padic_k_rollout_norms_params, k))
{
    PD_LOCAL pd_f32 room[4 * ROLLOUT_WG];
    const pd_u32 of = PD_GRP_Z * k.step, channel = PD_GRP * k.group;
    const pd_u32 row = (k.first + PD_GRP_Z) / k.per_operator * k.parameters;
    rollout_moments m = rollout_moments_of(0.0f, 0.0f, 0.0f, 0.0f);
    for (pd_u32 e = PD_LID; e < k.count * k.group; e += ROLLOUT_WG) {
        const pd_u32 tile = e / k.group;
        const pd_u32 at = k.moments + of + 3u * (tile * k.channels + channel + e - tile * k.group);
        const pd_u32 cells = rollout_norm_cells(tile, k);
        m = rollout_merge(m, rollout_moments_of((pd_f32)cells, fields[at], fields[at + 1u],
                                                fields[at + 2u]));
    }
    rollout_gather_put(room, m);
    PD_BARRIER();
    rollout_gather(room);
    for (pd_u32 c = channel + PD_LID; c < channel + k.group; c += ROLLOUT_WG) {
        pd_f32 gamma = 1.0f, beta = 0.0f, mean = 0.0f, variance = 1.0f;
        if (k.count > 0u) {
            mean = room[ROLLOUT_WG];
            variance = room[3 * ROLLOUT_WG] / room[0];
        } else if (k.statistics > 0u) {
            mean = weights[row + k.statistics - 1u + c];
            variance = weights[row + k.statistics - 1u + k.channels + c];
        }
        if (k.affine > 0u) {
            gamma = weights[row + k.affine - 1u + c];
            beta = weights[row + k.affine - 1u + k.channels + c];
        }
        fields[of + k.map + c] = mean;
        fields[of + k.map + k.channels + c] = gamma / PD_SQRT(variance + k.eps);
        fields[of + k.map + 2u * k.channels + c] = beta;
    }
}

// ---- weights

typedef struct {
    pd_u32 count, w, outputs, taps, turned; // of a node; w: those of a matrix, the first ones
    pd_u32 from, row, column, wide; // of the tensor, in its elements; wide: of f64
    pd_u32 to, parameters;
} padic_k_rollout_pack_params;

// w (out, in, tap), or (in, out, tap) if turned, becomes (in, tap, out). `faulty` has a word of
// each operator: whether a weight is not finite.
PD_KERNEL_WG(padic_k_rollout_pack, ROLLOUT_WG)
(PD_CBUF(pd_u32, from), PD_BUF(pd_f32, to), PD_BUF(pd_u32, faulty),
 PD_PARAMS(padic_k_rollout_pack_params, k))
{
    const pd_u32 e = PD_GRP * ROLLOUT_WG + PD_LID, o = e % k.outputs, i = e / k.outputs;
    pd_u32 at = e;
    if (e < k.w) {
        at = k.turned ? (i / k.taps * k.outputs + o) * k.taps + i % k.taps
                      : o * (k.w / k.outputs) + i;
    }
    if (e < k.count) {
        const pd_u32 place = k.from + PD_GRP_Y * k.row + at * k.column;
        const pd_u32 low = from[k.wide ? 2u * place : place];
        const pd_u32 high = k.wide ? from[2u * place + 1u] : low;
        const pd_u32 top = k.wide ? 0x7ff00000u : 0x7f800000u;
        if ((high & top) == top) PD_ATOMIC_OR_G(faulty + PD_GRP_Y, 1u);
        to[k.to + PD_GRP_Y * k.parameters + e] = pd_two_words(low, high, k.wide).hi;
    }
}
