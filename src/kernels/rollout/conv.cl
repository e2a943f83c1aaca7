// conv.cl: convolutions, a tile of the output by each group, for up to 32 channels.
//
// An item has four rows of a column, of eight channels. Inputs come to local memory a few channels
// at a time, with the norm and the activation of the node that they are from; weights some lines of
// the kernel at a time. Which, depends on the node alone, so each output is one chain of sums.
#define ROLLOUT_INPUTS 2240u // numbers of local memory for inputs; 54 rows of 32 weights follow
#define ROLLOUT_ROOM 3968u
#define ROLLOUT_OUTPUTS 32u

typedef struct {
    pd_u32 inputs, height, width, outputs, rows, columns; // of the output
    pd_u32 span, stride, boundary; // span: rows of the kernel
    pd_u32 chunk, lines; // input channels, lines of the kernel at a time
    pd_u32 sides, wide, tall, tiles; // of a group: eights of channels, columns, rows; of a row
    pd_u32 taps;         // weights of an input and an output
    pd_u32 w, bias, parameters; // where they are; bias: plus 1; 0: none
    pd_u32 first, per_operator; // trajectory of group 0
    pd_u32 a[4];         // the input
    pd_u32 out, step, spread, line, plane; // from a column, a row, a channel to the next
    pd_u32 more;         // 1: the sums go on from what is there
    pd_u32 moments;      // where they are, plus 1; 0: none are wanted
} padic_k_rollout_conv_params;

// In OpenCL most parameters lie in local memory: AMD's compiler would keep them in scalar
// registers, of which there are too few. CUDA has parameters in memory of their own.
#if PD_IS_OPENCL
#define ROLLOUT_SAID said
#define ROLLOUT_SAID_TYPE PD_LPTR(const padic_k_rollout_conv_params) said
#define ROLLOUT_SAID_BEGIN                                                                      \
    PD_LOCAL padic_k_rollout_conv_params said[1];                                               \
    if (PD_LID == 0u) said[0] = k;                                                              \
    PD_BARRIER();
#define ROLLOUT_K(x) (said->x)
#else
#define ROLLOUT_SAID k
#define ROLLOUT_SAID_TYPE const padic_k_rollout_conv_params k
#define ROLLOUT_SAID_BEGIN
#define ROLLOUT_K(x) (k.x)
#endif

// So many channels of the input, from channel `channel` on, in rows of `pitch`, `high` of each.
PD_FN void rollout_conv_inputs(PD_LPTR(pd_f32) room, PD_GPTR(const pd_f32) a,
                               PD_GPTR(const pd_f32) fields, pd_u32 channel, pd_u32 count,
                               pd_u32 pitch, pd_u32 high, pd_u32 act, ROLLOUT_SAID_TYPE)
{
    const pd_u32 height = ROLLOUT_K(height), width = ROLLOUT_K(width), tiles = ROLLOUT_K(tiles);
    const pd_u32 boundary = ROLLOUT_K(boundary), stride = ROLLOUT_K(stride);
    const pd_i32 before = (pd_i32)(ROLLOUT_K(span) / 2u);
    const pd_i32 top = (pd_i32)(PD_GRP / tiles * ROLLOUT_K(tall) * stride) - before;
    const pd_i32 left = (pd_i32)(PD_GRP % tiles * ROLLOUT_K(wide) * stride) - before;
    const pd_u32 from = ROLLOUT_K(a[ROLLOUT_AT]) + PD_GRP_Z * ROLLOUT_K(a[ROLLOUT_STEP]);
    const pd_u32 at = ROLLOUT_K(a[ROLLOUT_MAP]), maps = at > 0u ? 1u : 0u;
    const pd_u32 map = (at + PD_GRP_Z * ROLLOUT_K(step)) * maps;
    ROLLOUT_ROLLED
    for (pd_u32 r = PD_LID / 32u; r < count * high; r += ROLLOUT_WG / 32u) {
        const pd_u32 i = r / high, c = channel + i;
        const pd_u32 y = rollout_bound(top + (pd_i32)(r - i * high), height, boundary);
        const pd_u32 row = from + (c * height + y) * width;
        ROLLOUT_ROLLED
        for (pd_u32 e = PD_LID % 32u; e < pitch; e += 32u) {
            const pd_u32 x = rollout_bound(left + (pd_i32)e, width, boundary);
            pd_f32 v = 0.0f;
            if (y < height && x < width)
                v = rollout_mapped(fields, a[row + x], map + c * maps, ROLLOUT_K(inputs), act);
            room[r * pitch + e] = v;
        }
    }
}

// `each` weights of so many channels, for the group's channels of the output, of which this item
// has number o.
PD_FN void rollout_conv_weights(PD_LPTR(pd_f32) room, PD_GPTR(const pd_f32) weights, pd_u32 count,
                                pd_u32 each, pd_u32 from, pd_u32 taps, pd_u32 o, pd_u32 outputs)
{
    for (pd_u32 r = PD_LID / 32u; r < count * each; r += ROLLOUT_WG / 32u) {
        const pd_u32 i = r / each;
        pd_f32 v = 0.0f;
        if (o < outputs) v = weights[from + (i * taps + r - i * each) * outputs + o];
        room[r * ROLLOUT_OUTPUTS + PD_LID % 32u] = v;
    }
}

// Sums over the items of a side, in rows of 256: that of side s is at 32 s then.
ROLLOUT_FN void rollout_sides(PD_LPTR(pd_f32) room, pd_u32 rows, pd_u32 sides)
{
    for (pd_u32 apart = ROLLOUT_WG / 2u; apart > 0u; apart /= 2u) {
        const pd_u32 step = apart >= 32u ? apart : apart % 32u; // first of warps, then of lanes
        const pd_u32 is = apart >= 32u ? PD_LID : PD_LID % 32u;
        const pd_u32 on = apart >= 32u ? apart >= 32u * sides : PD_LID < 32u * sides;
        if (on > 0u && is < step)
            for (pd_u32 i = PD_LID; i < rows * ROLLOUT_WG; i += ROLLOUT_WG)
                room[i] = room[i] + room[i + step];
        PD_BARRIER();
    }
}

// Cells of the tile that are in the grid.
PD_FN pd_u32 rollout_tile_cells(pd_u32 tile, pd_u32 tiles, pd_u32 wide, pd_u32 tall, pd_u32 columns,
                                pd_u32 rows)
{
    const pd_u32 x = columns - tile % tiles * wide, y = rows - tile / tiles * tall;
    return (x < wide ? x : wide) * (y < tall ? y : tall);
}

// What the sums begin with: biases, 0, or what is there.
#define ROLLOUT_CONV_BEGIN                                                                      \
    ROLLOUT_UNROLL                                                                              \
    for (pd_u32 o = 0u; o < 8u; o++) {                                                          \
        const pd_u32 there = own + o < ROLLOUT_K(outputs) ? 1u : 0u;                          \
        pd_f32 start = 0.0f;                                                                    \
        if (there && ROLLOUT_K(bias) > 0u)                                                    \
            start = weights[net + ROLLOUT_K(bias) - 1u + own + o];                            \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 j = 0u; j < 4u; j++) {                                                      \
            sum[8u * j + o] = start;                                                            \
            if (there && ROLLOUT_K(more) > 0u && j < rows)                                    \
                sum[8u * j + o] =                                                               \
                    out[place + j * ROLLOUT_K(line) + o * ROLLOUT_K(plane)];                \
        }                                                                                       \
    }

// The item's four by eight sums over channels of the input and lines of the kernel in local memory.
#define ROLLOUT_CONV_SUMS                                                                       \
    for (pd_u32 i = 0u; i < count; i++)                                                         \
        for (pd_u32 dy = 0u; dy < lines; dy++) {                                                \
            const pd_u32 at =                                                                   \
                (i * high + row * k.stride + line + dy) * pitch + column * k.stride;            \
            const pd_u32 from =                                                                 \
                ROLLOUT_INPUTS + (i * lines + dy) * k.span * ROLLOUT_OUTPUTS + 8u * side;     \
            for (pd_u32 dx = 0u; dx < k.span; dx++) {                                         \
                ROLLOUT_UNROLL                                                                  \
                for (pd_u32 j = 0u; j < 4u; j++) {                                              \
                    const pd_f32 v = room[at + dx + j * k.stride * pitch];                      \
                    ROLLOUT_UNROLL                                                              \
                    for (pd_u32 o = 0u; o < 8u; o++)                                            \
                        sum[8u * j + o] = PD_FMA(v, room[from + dx * ROLLOUT_OUTPUTS + o],      \
                                                 sum[8u * j + o]);                              \
                }                                                                               \
            }                                                                                   \
        }

PD_FN pd_u32 rollout_conv_place(pd_u32 own, pd_u32 row, pd_u32 column,
                                const padic_k_rollout_conv_params k)
{
    return k.out + PD_GRP_Z * k.step + own * k.plane +
           (PD_GRP / k.tiles * k.tall + row) * k.line +
           (PD_GRP % k.tiles * k.wide + column) * k.spread;
}

// How many of an item's four rows there are.
PD_FN pd_u32 rollout_conv_rows(pd_u32 row, pd_u32 column, const padic_k_rollout_conv_params k)
{
    const pd_u32 top = PD_GRP / k.tiles * k.tall + row;
    if (PD_GRP % k.tiles * k.wide + column >= k.columns || top >= k.rows) return 0u;
    return k.rows - top < 4u ? k.rows - top : 4u;
}

// Moments of the sums over the tile: the mean, then sums of differences from it, then of their
// squares.
#define ROLLOUT_CONV_MOMENTS                                                                    \
    for (pd_u32 pass = 0u; pass < 3u * on; pass++) {                                            \
        PD_BARRIER();                                                                           \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 o = 0u; o < 8u; o++) {                                                      \
            pd_f32 all = 0.0f;                                                                  \
            ROLLOUT_UNROLL                                                                      \
            for (pd_u32 j = 0u; j < 4u; j++) {                                                  \
                const pd_f32 d = sum[8u * j + o] - mean[o];                                     \
                if (j < rows) all += pass < 2u ? d : d * d;                                     \
            }                                                                                   \
            room[o * ROLLOUT_WG + PD_LID] = all;                                                \
        }                                                                                       \
        PD_BARRIER();                                                                           \
        rollout_sides(room, 8u, sides);                                                         \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 o = 0u; o < 8u; o++) {                                                      \
            const pd_f32 all = room[o * ROLLOUT_WG + 32u * side];                               \
            if (pass == 0u) mean[o] = all * ROLLOUT_RECIPROCAL(cells);                          \
            if (pass == 1u) off[o] = all;                                                       \
            if (pass == 2u && PD_LID % 32u == 0u && PD_LID < 32u * sides && own + o < outputs)  \
                rollout_moments_put(out, to + 3u * o, cells, mean[o], off[o], all);             \
        }                                                                                       \
    }

PD_KERNEL_WG(padic_k_rollout_conv, ROLLOUT_WG)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_rollout_conv_params, k))
{
    PD_LOCAL pd_f32 room[ROLLOUT_ROOM];
    ROLLOUT_SAID_BEGIN
    const pd_u32 lane = PD_LID % 32u, side = PD_LID / 32u % k.sides;
    const pd_u32 column = lane % k.wide, own = 8u * (PD_GRP_Y * k.sides + side);
    const pd_u32 row = 4u * (PD_LID / 32u / k.sides * (32u / k.wide) + lane / k.wide);
    const pd_u32 rows = rollout_conv_rows(row, column, k);
    const pd_u32 place = rollout_conv_place(own, row, column, k);
    const pd_u32 pitch = k.stride * (k.wide - 1u) + k.span;
    const pd_u32 high = k.stride * (k.tall - 1u) + k.span;
    const pd_u32 net = (k.first + PD_GRP_Z) / k.per_operator * k.parameters, w = net + k.w;
    const pd_u32 output = lane < 8u * k.sides ? PD_GRP_Y * 8u * k.sides + lane : k.outputs;
    pd_f32 sum[32];
    ROLLOUT_CONV_BEGIN
    for (pd_u32 channel = 0u; channel < k.inputs; channel += k.chunk) {
        const pd_u32 count = k.inputs - channel < k.chunk ? k.inputs - channel : k.chunk;
        for (pd_u32 line = 0u; line < k.span; line += k.lines) {
            const pd_u32 lines = k.span - line < k.lines ? k.span - line : k.lines;
            PD_BARRIER();
            if (line == 0u)
                rollout_conv_inputs(room, a, fields, channel, count, pitch, high,
                                    k.a[ROLLOUT_ACT], ROLLOUT_SAID);
            rollout_conv_weights(room + ROLLOUT_INPUTS, weights, count, lines * k.span,
                                 w + (channel * ROLLOUT_K(taps) + line * k.span) *
                                         ROLLOUT_K(outputs),
                                 ROLLOUT_K(taps), output, ROLLOUT_K(outputs));
            PD_BARRIER();
            ROLLOUT_CONV_SUMS
        }
    }
    {
        const pd_u32 outputs = ROLLOUT_K(outputs), sides = ROLLOUT_K(sides);
        const pd_u32 on = ROLLOUT_K(moments) > 0u ? 1u : 0u;
        const pd_u32 to = ROLLOUT_K(moments) - 1u + PD_GRP_Z * ROLLOUT_K(step) +
                          3u * (PD_GRP * outputs + own);
        const pd_u32 tile = rollout_tile_cells(PD_GRP, ROLLOUT_K(tiles), ROLLOUT_K(wide),
                                               ROLLOUT_K(tall), ROLLOUT_K(columns),
                                               ROLLOUT_K(rows));
        const pd_f32 cells = (pd_f32)tile;
        pd_f32 mean[8], off[8];
        ROLLOUT_UNROLL
        for (pd_u32 o = 0u; o < 8u; o++) mean[o] = off[o] = 0.0f;
        ROLLOUT_UNROLL
        for (pd_u32 j = 0u; j < 4u; j++) {
            ROLLOUT_UNROLL
            for (pd_u32 o = 0u; o < 8u; o++)
                if (j < rows && own + o < outputs)
                    out[place + j * ROLLOUT_K(line) + o * ROLLOUT_K(plane)] = sum[8u * j + o];
        }
        ROLLOUT_CONV_MOMENTS
    }
}
