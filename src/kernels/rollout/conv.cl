// program: rollout_conv
// texts: number.cl
// conv.cl: convolutions, a tile of the output by each group, for up to 32 channels.
//
// An item has four rows of a column, of eight channels. Inputs come to local memory a few channels
// at a time, with the norm and the activation of the node that they are from; weights some lines of
// the kernel at a time. Which, depends on the node alone, so each output is one chain of sums.
#define ROLLOUT_INPUTS 2240u // numbers of local memory for inputs; 54 rows of 32 weights follow
#define ROLLOUT_ROOM 3968u
#define ROLLOUT_OUTPUTS 32u
#ifndef ROLLOUT_CONVS
#define ROLLOUT_CONVS 2 // groups at a time, which take each other's waits
#endif

typedef struct {
    pd_u32 inputs, height, width, outputs, rows, columns; // of the output
    pd_u32 span, stride, boundary; // span: rows of the kernel
    pd_u32 single, ahead; // span and stride are 1, all local memory is for weights; see there
    pd_u32 chunk, lines; // input channels, lines of the kernel at a time
    pd_u32 sides, wide, tall, tiles; // of a group: eights of channels, columns, rows; of a row
    pd_u32 taps;         // weights of an input and an output
    pd_u32 w, bias, parameters; // where they are; bias: plus 1; 0: none
    pd_u32 first, per_operator; // trajectory of group 0
    pd_u32 a[4];         // the input
    pd_u32 out, step, spread, line, plane; // from a column, a row, a channel to the next
    pd_u32 more;         // 1: the sums go on from what is there
    pd_u32 moments;      // where they are, plus 1; 0: none are wanted
} padic_k_rollout_conv_layer_params;

// In OpenCL most parameters lie in local memory: AMD's compiler would keep them in scalar
// registers, of which there are too few. CUDA has parameters in memory of their own.
#if PD_IS_OPENCL
#define ROLLOUT_SAID said
#define ROLLOUT_SAID_TYPE PD_LPTR(const padic_k_rollout_conv_layer_params) said
#define ROLLOUT_SAID_BEGIN                                                                      \
    PD_LOCAL padic_k_rollout_conv_layer_params said[1];                                         \
    if (PD_LID == 0u) said[0] = k;                                                              \
    PD_BARRIER();
#define ROLLOUT_K(x) (said->x)
#else
#define ROLLOUT_SAID k
#define ROLLOUT_SAID_TYPE const padic_k_rollout_conv_layer_params k
#define ROLLOUT_SAID_BEGIN
#define ROLLOUT_K(x) (k.x)
#endif

// e / n for e n < 2^18, from 2^18 / n + 1.
#define ROLLOUT_INVERSE(n) (262144u / (n) + 1u)
#define ROLLOUT_DIVIDED(e, inverse) ((e) * (inverse) >> 18)

// Where number e of the inputs of a group, in rows of `pitch`, `high` of a channel, is in the first
// channels; ROLLOUT_NOWHERE: it is 0.
#define ROLLOUT_NOWHERE 0xffffffffu
PD_FN pd_u32 rollout_conv_input(pd_u32 e, pd_u32 total, pd_u32 pitch, pd_u32 high,
                                ROLLOUT_SAID_TYPE)
{
    const pd_u32 height = ROLLOUT_K(height), width = ROLLOUT_K(width), tiles = ROLLOUT_K(tiles);
    const pd_u32 boundary = ROLLOUT_K(boundary), stride = ROLLOUT_K(stride);
    const pd_i32 before = (pd_i32)(ROLLOUT_K(span) / 2u);
    const pd_i32 top = (pd_i32)(PD_GRP / tiles * ROLLOUT_K(tall) * stride) - before;
    const pd_i32 left = (pd_i32)(PD_GRP % tiles * ROLLOUT_K(wide) * stride) - before;
    const pd_u32 from = ROLLOUT_K(a[ROLLOUT_AT]) + PD_GRP_Z * ROLLOUT_K(a[ROLLOUT_STEP]);
    const pd_u32 r = ROLLOUT_DIVIDED(e, ROLLOUT_INVERSE(pitch));
    const pd_u32 i = ROLLOUT_DIVIDED(r, ROLLOUT_INVERSE(high));
    const pd_u32 y = rollout_bound(top + (pd_i32)(r - i * high), height, boundary);
    const pd_u32 x = rollout_bound(left + (pd_i32)(e - r * pitch), width, boundary);
    if (e >= total || y >= height || x >= width) return ROLLOUT_NOWHERE;
    return from + (i * height + y) * width + x;
}

// So many channels of the input, from channel `channel` on. An item has four numbers on their way
// at a time.
PD_FN void rollout_conv_inputs(PD_LPTR(pd_f32) room, PD_GPTR(const pd_f32) a, pd_u32 channel,
                               pd_u32 total, pd_u32 pitch, pd_u32 high, ROLLOUT_SAID_TYPE)
{
    const pd_u32 before = channel * ROLLOUT_K(height) * ROLLOUT_K(width);
    ROLLOUT_ROLLED
    for (pd_u32 first = PD_LID; first < total; first += 4u * ROLLOUT_WG) {
        pd_f32 v[4];
        ROLLOUT_UNROLL
        for (pd_u32 q = 0u; q < 4u; q++) {
            const pd_u32 at = rollout_conv_input(first + q * ROLLOUT_WG, total, pitch, high,
                                                 ROLLOUT_SAID);
            v[q] = at == ROLLOUT_NOWHERE ? 0.0f : a[at + before];
        }
        ROLLOUT_UNROLL
        for (pd_u32 q = 0u; q < 4u; q++)
            if (first + q * ROLLOUT_WG < total) room[first + q * ROLLOUT_WG] = v[q];
    }
}

// The norm and the activation that they have, of an item's own numbers.
PD_FN void rollout_conv_mapped(PD_LPTR(pd_f32) room, PD_GPTR(const pd_f32) fields, pd_u32 channel,
                               pd_u32 total, pd_u32 pitch, pd_u32 high, pd_u32 act,
                               ROLLOUT_SAID_TYPE)
{
    const pd_u32 at = ROLLOUT_K(a[ROLLOUT_MAP]), maps = at > 0u ? 1u : 0u;
    const pd_u32 map = (at + PD_GRP_Z * ROLLOUT_K(step)) * maps;
    if (maps == 0u && act == ROLLOUT_NONE) return;
    ROLLOUT_ROLLED
    for (pd_u32 e = PD_LID; e < total; e += ROLLOUT_WG) {
        const pd_u32 r = ROLLOUT_DIVIDED(e, ROLLOUT_INVERSE(pitch));
        const pd_u32 i = ROLLOUT_DIVIDED(r, ROLLOUT_INVERSE(high));
        if (rollout_conv_input(e, total, pitch, high, ROLLOUT_SAID) != ROLLOUT_NOWHERE)
            room[e] = rollout_mapped(fields, room[e], map + (channel + i) * maps,
                                     ROLLOUT_K(inputs), act);
    }
}

// `each` weights of so many channels, for the group's channels of the output, of which this item
// has number o.
PD_FN void rollout_conv_weights(PD_LPTR(pd_f32) room, PD_GPTR(const pd_f32) weights, pd_u32 count,
                                pd_u32 each, pd_u32 from, pd_u32 taps, pd_u32 o, pd_u32 outputs)
{
    const pd_u32 of_each = ROLLOUT_INVERSE(each), total = count * each;
    ROLLOUT_ROLLED
    for (pd_u32 first = PD_LID / 32u; first < total; first += ROLLOUT_WG / 8u) {
        pd_f32 v[4];
        ROLLOUT_UNROLL
        for (pd_u32 q = 0u; q < 4u; q++) {
            const pd_u32 r = first + q * (ROLLOUT_WG / 32u), i = ROLLOUT_DIVIDED(r, of_each);
            v[q] = 0.0f;
            if (o < outputs && r < total)
                v[q] = weights[from + (i * taps + r - i * each) * outputs + o];
        }
        ROLLOUT_UNROLL
        for (pd_u32 q = 0u; q < 4u; q++) {
            const pd_u32 r = first + q * (ROLLOUT_WG / 32u);
            if (r < total) room[r * ROLLOUT_OUTPUTS + PD_LID % 32u] = v[q];
        }
    }
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

// An item's sums take one weight of each of its channels, `from` in local memory, for four cells,
// which are in v.
#define ROLLOUT_CONV_ADD(first, from)                                                           \
    ROLLOUT_UNROLL                                                                              \
    for (pd_u32 o = 0u; o < 8u; o++) {                                                          \
        const pd_f32 weight = room[(from) + o];                                                 \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 j = 0u; j < 4u; j++)                                                        \
            sum[8u * j + o] = PD_FMA(v[(first) + j], weight, sum[8u * j + o]);                  \
    }

// Over channels of the input and lines of the kernel in local memory.
#define ROLLOUT_CONV_SUMS                                                                       \
    ROLLOUT_ROLLED                                                                              \
    for (pd_u32 i = 0u; i < count; i++)                                                         \
        ROLLOUT_ROLLED                                                                          \
        for (pd_u32 dy = 0u; dy < lines; dy++) {                                                \
            const pd_u32 at =                                                                   \
                (i * high + row * k.stride + line + dy) * pitch + column * k.stride;            \
            const pd_u32 from =                                                                 \
                ROLLOUT_INPUTS + (i * lines + dy) * k.span * ROLLOUT_OUTPUTS + 8u * side;       \
            ROLLOUT_ROLLED                                                                      \
            for (pd_u32 dx = 0u; dx < k.span; dx++) {                                           \
                pd_f32 v[4];                                                                    \
                ROLLOUT_UNROLL                                                                  \
                for (pd_u32 j = 0u; j < 4u; j++) v[j] = room[at + dx + j * k.stride * pitch];   \
                ROLLOUT_CONV_ADD(0u, from + dx * ROLLOUT_OUTPUTS)                                \
            }                                                                                   \
        }

#if PD_IS_CUDA
#define ROLLOUT_COLUMNS ROLLOUT_UNROLL
#else
#define ROLLOUT_COLUMNS ROLLOUT_ROLLED // AMD's compiler would have all weights in registers
#endif

// The same of three lines of three, column by column: six rows serve all lines.
#define ROLLOUT_CONV_SUMS_3                                                                     \
    ROLLOUT_ROLLED                                                                              \
    for (pd_u32 i = 0u; i < count; i++) {                                                       \
        const pd_u32 at = (i * high + row) * pitch + column;                                    \
        const pd_u32 from = ROLLOUT_INPUTS + 9u * i * ROLLOUT_OUTPUTS + 8u * side;              \
        ROLLOUT_COLUMNS                                                                         \
        for (pd_u32 dx = 0u; dx < 3u; dx++) {                                                   \
            pd_f32 v[6];                                                                        \
            ROLLOUT_UNROLL                                                                      \
            for (pd_u32 j = 0u; j < 6u; j++) v[j] = room[at + j * pitch + dx];                  \
            ROLLOUT_UNROLL                                                                      \
            for (pd_u32 dy = 0u; dy < 3u; dy++)                                                 \
                ROLLOUT_CONV_ADD(dy, from + (3u * dy + dx) * ROLLOUT_OUTPUTS)                   \
        }                                                                                       \
    }

// Of kernels of one cell: inputs have no second reader in the group but other channels' items, so
// they come from global memory, those of four channels at a time. They have no norm and no
// activation of their own.
#define ROLLOUT_CONV_SUMS_1                                                                     \
    ROLLOUT_ROLLED                                                                              \
    for (pd_u32 i = 0u; i < count; i += 4u) {                                                   \
        pd_f32 v[16];                                                                           \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 j = 0u; j < 16u; j++) {                                                     \
            v[j] = 0.0f;                                                                        \
            if (j % 4u < rows && i + j / 4u < count)                                            \
                v[j] = a[cell + (channel + i + j / 4u) * area + j % 4u * ROLLOUT_K(width)];     \
        }                                                                                       \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 q = 0u; q < 4u; q++) {                                                      \
            if (i + q >= count) break;                                                          \
            ROLLOUT_CONV_ADD(4u * q, (i + q) * ROLLOUT_OUTPUTS + 8u * side)                     \
        }                                                                                       \
    }

// Inputs and weights come to local memory when they are wanted.
#define ROLLOUT_CONV_TURNS                                                                      \
    const pd_u32 cell = rollout_conv_cell(row, column, k);                                      \
    for (pd_u32 channel = 0u; channel < k.inputs; channel += k.chunk) {                         \
        const pd_u32 count = k.inputs - channel < k.chunk ? k.inputs - channel : k.chunk;       \
        for (pd_u32 line = 0u; line < k.span; line += k.lines) {                                \
            const pd_u32 lines = k.span - line < k.lines ? k.span - line : k.lines;             \
            PD_BARRIER();                                                                       \
            if (line == 0u && !k.single) {                                                      \
                rollout_conv_inputs(room, a, channel, count * high * pitch, pitch, high,        \
                                    ROLLOUT_SAID);                                              \
                rollout_conv_mapped(room, fields, channel, count * high * pitch, pitch, high,   \
                                    k.a[ROLLOUT_ACT], ROLLOUT_SAID);                            \
            }                                                                                   \
            rollout_conv_weights(room + (k.single ? 0u : ROLLOUT_INPUTS), weights, count,       \
                                 lines * k.span,                                                \
                                 w + (channel * ROLLOUT_K(taps) + line * k.span) *              \
                                         ROLLOUT_K(outputs),                                    \
                                 ROLLOUT_K(taps), output, ROLLOUT_K(outputs));                  \
            PD_BARRIER();                                                                       \
            if (k.single) {                                                                     \
                ROLLOUT_CONV_SUMS_1                                                             \
            } else {                                                                            \
                ROLLOUT_CONV_SUMS                                                               \
            }                                                                                   \
        }                                                                                       \
    }

// Of 3 x 3 kernels they are on their way, in registers, while the chunk before them is summed;
// `chunk` divides the channels.
#define ROLLOUT_AHEAD 6u          // inputs of an item
#define ROLLOUT_AHEAD_WEIGHTS 5u  // its rows of weights
#define ROLLOUT_CONV_FETCH(channel)                                                             \
    ROLLOUT_UNROLL                                                                              \
    for (pd_u32 q = 0u; q < ROLLOUT_AHEAD; q++)                                                 \
        next[q] = at_of[q] == ROLLOUT_NOWHERE ? 0.0f : a[at_of[q] + (channel) * area];          \
    ROLLOUT_UNROLL                                                                              \
    for (pd_u32 q = 0u; q < ROLLOUT_AHEAD_WEIGHTS; q++) {                                       \
        const pd_u32 r = PD_LID / 32u + q * (ROLLOUT_WG / 32u); /* rows beyond are not used */  \
        coming[q] = weights[own_w + ((channel) * ROLLOUT_K(taps) + (r < taps ? r : 0u)) *       \
                                        ROLLOUT_K(outputs)];                                    \
    }

#define ROLLOUT_CONV_AHEAD                                                                      \
    const pd_u32 count = ROLLOUT_K(chunk);                                                      \
    const pd_u32 total = count * high * pitch, taps = count * ROLLOUT_K(taps);                  \
    const pd_u32 own_w = w + (output < ROLLOUT_K(outputs) ? output : 0u);                       \
    pd_u32 at_of[ROLLOUT_AHEAD];                                                                \
    pd_f32 next[ROLLOUT_AHEAD], coming[ROLLOUT_AHEAD_WEIGHTS];                                  \
    ROLLOUT_UNROLL                                                                              \
    for (pd_u32 q = 0u; q < ROLLOUT_AHEAD; q++)                                                 \
        at_of[q] = rollout_conv_input(PD_LID + q * ROLLOUT_WG, total, pitch, high,              \
                                      ROLLOUT_SAID);                                            \
    ROLLOUT_CONV_FETCH(0u)                                                                      \
    ROLLOUT_ROLLED                                                                              \
    for (pd_u32 channel = 0u; channel < ROLLOUT_K(inputs); channel += count) {                  \
        PD_BARRIER();                                                                           \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 q = 0u; q < ROLLOUT_AHEAD; q++)                                             \
            room[PD_LID + q * ROLLOUT_WG] = next[q];                                            \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 q = 0u; q < ROLLOUT_AHEAD_WEIGHTS; q++)                                     \
            room[ROLLOUT_INPUTS + q * ROLLOUT_WG + PD_LID] = coming[q];                         \
        rollout_conv_mapped(room, fields, channel, total, pitch, high, ROLLOUT_K(a[ROLLOUT_ACT]),\
                            ROLLOUT_SAID);                                                      \
        PD_BARRIER();                                                                           \
        if (channel + count < ROLLOUT_K(inputs)) {                                              \
            ROLLOUT_CONV_FETCH(channel + count)                                                 \
        }                                                                                       \
        ROLLOUT_CONV_SUMS_3                                                                     \
    }

PD_FN pd_u32 rollout_conv_place(pd_u32 own, pd_u32 row, pd_u32 column,
                                const padic_k_rollout_conv_layer_params k)
{
    return k.out + PD_GRP_Z * k.step + own * k.plane +
           (PD_GRP / k.tiles * k.tall + row) * k.line +
           (PD_GRP % k.tiles * k.wide + column) * k.spread;
}

// Where the first of an item's four cells is in the first channel of the input, of SUMS_1.
PD_FN pd_u32 rollout_conv_cell(pd_u32 row, pd_u32 column, const padic_k_rollout_conv_layer_params k)
{
    return k.a[ROLLOUT_AT] + PD_GRP_Z * k.a[ROLLOUT_STEP] +
           (PD_GRP / k.tiles * k.tall + row) * k.width + PD_GRP % k.tiles * k.wide + column;
}

// How many of an item's four rows there are.
PD_FN pd_u32 rollout_conv_rows(pd_u32 row, pd_u32 column, const padic_k_rollout_conv_layer_params k)
{
    const pd_u32 top = PD_GRP / k.tiles * k.tall + row;
    if (PD_GRP % k.tiles * k.wide + column >= k.columns || top >= k.rows) return 0u;
    return k.rows - top < 4u ? k.rows - top : 4u;
}

// Moments of the sums over the tile: the mean, then sums of differences from it, then of their
// squares.
#define ROLLOUT_CONV_MOMENTS                                                                    \
    PD_BARRIER();                                                                               \
    ROLLOUT_ROLLED                                                                              \
    for (pd_u32 pass = 0u; pass < 3u * on; pass++) {                                            \
        ROLLOUT_UNROLL                                                                          \
        for (pd_u32 o = 0u; o < 8u; o++) {                                                      \
            const pd_f32 mean =                                                                 \
                pass > 0u ? room[summed + o * sides + side] * ROLLOUT_RECIPROCAL(cells) : 0.0f; \
            pd_f32 all = 0.0f;                                                                  \
            ROLLOUT_UNROLL                                                                      \
            for (pd_u32 j = 0u; j < 4u; j++) {                                                  \
                const pd_f32 d = sum[8u * j + o] - mean;                                        \
                if (j < rows) all += pass < 2u ? d : d * d;                                     \
            }                                                                                   \
            room[ROLLOUT_STRAND(o)] = all;                                                      \
        }                                                                                       \
        PD_BARRIER();                                                                           \
        rollout_sums(room, 8u, sides, summed + 32u * pass);                                     \
    }                                                                                           \
    if (on > 0u && PD_LID < 8u * sides && channel < outputs)                                    \
        rollout_moments_put(out, to + 3u * channel, cells,                                      \
                            room[summed + PD_LID] * ROLLOUT_RECIPROCAL(cells),                  \
                            room[summed + 32u + PD_LID], room[summed + 64u + PD_LID]);

PD_KERNEL_MIN(padic_k_rollout_conv_layer, ROLLOUT_WG, ROLLOUT_CONVS)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_rollout_conv_layer_params, k))
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
    const pd_u32 area = ROLLOUT_K(height) * ROLLOUT_K(width);
    const pd_u32 output = lane < 8u * k.sides ? PD_GRP_Y * 8u * k.sides + lane : k.outputs;
    pd_f32 sum[32];
    ROLLOUT_CONV_BEGIN
    if (k.ahead) {
        ROLLOUT_CONV_AHEAD
    } else {
        ROLLOUT_CONV_TURNS
    }
    {
        const pd_u32 outputs = ROLLOUT_K(outputs), sides = ROLLOUT_K(sides);
        const pd_u32 on = ROLLOUT_K(moments) > 0u ? 1u : 0u;
        const pd_u32 to = ROLLOUT_K(moments) - 1u + PD_GRP_Z * ROLLOUT_K(step) +
                          3u * PD_GRP * outputs;
        const pd_u32 channel = 8u * (PD_GRP_Y * sides + PD_LID % sides) + PD_LID / sides;
        const pd_u32 summed = ROLLOUT_SUMMED(8u);
        const pd_u32 tile = rollout_tile_cells(PD_GRP, ROLLOUT_K(tiles), ROLLOUT_K(wide),
                                               ROLLOUT_K(tall), ROLLOUT_K(columns),
                                               ROLLOUT_K(rows));
        const pd_f32 cells = (pd_f32)tile;
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
