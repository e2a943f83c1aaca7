// program: rnn
// texts: cell.cl place.cl product.cl step.cl few.cl short.cl
// rnn.cl: a stack of layers over all steps of a sequence, 32 rows by each group.
//
// A group's states, and the outputs of its layers, are in memory of its own: units by 32 rows. All
// layers of a step come one after the other, so that outputs may be fed back. Columns of 64 inputs
// or units at a time come to local memory; an item has 8 rows of a unit, all its gates.
//
// variant: PD_RNN_W=1
// variant: PD_RNN_W=2
// variant: PD_RNN_W=3
#define RNN_TILE 32u
#define RNN_UNITS 64u // of a block
#define RNN_HELD 8u   // rows of an item
#define RNN_CHUNK 64u

#define RNN_LAYER_WORDS 16u

typedef struct {
    pd_u32 table, layers; // words of `net` where the first layer is, and how many run
    pd_u32 rows, first, count, steps; // steps of this launch, and of all
    pd_u32 flags, turned; // 1: x, 2: out in the order of a row's own steps
    pd_u32 memory;        // rows of 32 of a group
    pd_u32 side, widest;  // of a GRU BEFORE: r h, z, n of `widest` units
    pd_u32 x_at, x_time, x_row, x_column;
    pd_u32 out, out_at, out_time, out_row, out_column; // out: 1 if it is wanted
    pd_u32 length_at, length_step;
    pd_u32 feedback, fed, fed_at, outputs; // 1 replaces, 2 adds; first column; rows of 32
    pd_f32 clip;                           // 0: none
    pd_u32 columns, columns_at, columns_time, columns_row, columns_column;
} padic_k_rnn_run_params;

// What is seldom needed of the parameters lies in local memory, since scalar registers are few:
// lengths of the tile's rows, then these.
#define RNN_ROWS 32u
#define RNN_FED 33u // first column, rows of 32, how many (0 without feedback), 2 adds, clip
#define RNN_SIDE_AT 38u // and the units of each
#define RNN_X 40u   // places: at, time, row, column, turned, whole
#define RNN_OUT 46u
#define RNN_COLUMNS 52u
#define RNN_WIDE 58u // outputs; whether they, and columns, are wanted
#define RNN_STACK 61u // layers, words of `net` where they are
#define RNN_SAID 63u

PD_FN void rnn_say_place(PD_LPTR(pd_u32) said, pd_u32 at, pd_u32 time, pd_u32 row, pd_u32 column,
                         pd_u32 turned, pd_u32 whole)
{
    said[0] = at;
    said[1] = time;
    said[2] = row;
    said[3] = column;
    said[4] = turned;
    said[5] = whole;
}

PD_FN void rnn_say(PD_LPTR(pd_u32) said, PD_GPTR(const pd_u32) lengths,
                   const padic_k_rnn_run_params k)
{
    if (PD_LID < RNN_TILE) {
        const pd_u32 row = PD_GRP * RNN_TILE + PD_LID;
        pd_u32 length = row < k.rows ? k.steps : 0u;
        if ((k.flags & RNN_LENGTHS) && row < k.rows) {
            length = lengths[k.length_at + row * k.length_step];
            length = length < k.steps ? length : k.steps;
        }
        said[PD_LID] = length;
    }
    if (PD_LID == 0u) {
        said[RNN_ROWS] = k.rows;
        said[RNN_FED] = k.fed;
        said[RNN_FED + 1u] = k.fed_at;
        said[RNN_FED + 2u] = k.feedback ? k.outputs : 0u;
        said[RNN_FED + 3u] = k.feedback;
        said[RNN_FED + 4u] = PD_AS_U32(k.clip);
        said[RNN_WIDE] = k.outputs;
        said[RNN_WIDE + 1u] = k.out;
        said[RNN_WIDE + 2u] = k.columns;
        said[RNN_STACK] = k.layers;
        said[RNN_STACK + 1u] = k.table;
        said[RNN_SIDE_AT] = k.side;
        said[RNN_SIDE_AT + 1u] = k.widest;
        rnn_say_place(said + RNN_X, k.x_at, k.x_time, k.x_row, k.x_column, k.turned & 1u, 0u);
        rnn_say_place(said + RNN_OUT, k.out_at, k.out_time, k.out_row, k.out_column,
                      k.turned & 2u, 0u);
        rnn_say_place(said + RNN_COLUMNS, k.columns_at, k.columns_time, k.columns_row,
                      k.columns_column, 0u, 1u);
    }
}

// What is multiplied: rows of 32 in a group's memory, or x.
typedef struct {
    pd_u32 is_x, at, depth;
    pd_u32 weights, stride, units; // stride: of a column
    pd_u32 gates, scale;
} rnn_source;

PD_FN void rnn_fetch(PD_LPTR(pd_f32) v, PD_LPTR(const pd_u32) said, PD_GPTR(const pd_f32) x,
                     PD_GPTR(const pd_f32) own, const rnn_source s, pd_u32 from, pd_u32 count,
                     pd_u32 n)
{
    if (!s.is_x) {
        for (pd_u32 e = PD_LID; e < count * RNN_TILE; e += 256u)
            v[e] = own[(s.at + from) * RNN_TILE + e];
        return;
    }
    for (pd_u32 e = PD_LID; e < count * RNN_TILE; e += 256u) {
        const pd_u32 row = e / count, d = e - row * count, column = from + d;
        const pd_u32 all = PD_GRP * RNN_TILE + row;
        const pd_u32 t = said[RNN_X + 4u] ? rnn_turned(n, said[row]) : n;
        pd_f32 value = 0.0f;
        if (column - said[RNN_FED] < said[RNN_FED + 2u])
            value = own[(said[RNN_FED + 1u] + column - said[RNN_FED]) * RNN_TILE + row];
        else if (all < said[RNN_ROWS])
            value = x[said[RNN_X] + t * said[RNN_X + 1u] + all * said[RNN_X + 2u] +
                      column * said[RNN_X + 3u]];
        v[d * RNN_TILE + row] = value;
    }
}

// part += weights of a unit times columns of its rows.
PD_FN void rnn_gates(PD_LPTR(const pd_f32) v, PD_GPTR(const rnn_weight) weights, pd_u32 at,
                     const rnn_source s, pd_u32 count, pd_u32 gates, pd_f32 *part)
{
    for (pd_u32 d = 0u; d < count; d++) {
        pd_f32 u[RNN_HELD];
        RNN_UNROLL
        for (pd_u32 i = 0u; i < RNN_HELD; i++) u[i] = v[d * RNN_TILE + i];
        RNN_UNROLL
        for (pd_u32 g = 0u; g < gates; g++) {
            const pd_f32 w = RNN_VALUE(weights[at + d * s.stride + g * s.units]);
            RNN_UNROLL
            for (pd_u32 i = 0u; i < RNN_HELD; i++)
                part[g * RNN_HELD + i] = PD_FMA(w, u[i], part[g * RNN_HELD + i]);
        }
    }
}

PD_FN void rnn_add(PD_GPTR(const pd_u32) net, const rnn_source s, pd_u32 unit, pd_u32 gate,
                   const pd_f32 *part, pd_f32 *sums)
{
#if PD_RNN_W == 3
    const pd_f32 scale = PD_AS_F32(net[s.scale + gate * s.units + unit]);
    RNN_UNROLL
    for (pd_u32 i = 0u; i < RNN_HELD; i++) sums[i] = sums[i] + part[i] * scale;
#else
    (void)net;
    (void)s;
    (void)unit;
    (void)gate;
    RNN_UNROLL
    for (pd_u32 i = 0u; i < RNN_HELD; i++) sums[i] = sums[i] + part[i];
#endif
}

PD_FN void rnn_gates_of(PD_LPTR(const pd_f32) v, PD_GPTR(const rnn_weight) weights, pd_u32 at,
                        const rnn_source s, pd_u32 count, pd_f32 *part)
{
    if (s.gates == 4u)
        rnn_gates(v, weights, at, s, count, 4u, part);
    else if (s.gates == 3u)
        rnn_gates(v, weights, at, s, count, 3u, part);
    else if (s.gates == 2u)
        rnn_gates(v, weights, at, s, count, 2u, part);
    else
        rnn_gates(v, weights, at, s, count, 1u, part);
}

// The outputs of a unit for an item's rows. sums: of the gates; of a GRU AFTER the fourth is U h.
PD_FN void rnn_finish(PD_GPTR(const pd_u32) net, PD_LPTR(const pd_u32) said, PD_GPTR(pd_f32) own,
                      PD_LPTR(const pd_u32) l, pd_u32 unit, pd_u32 n, const pd_f32 *sums)
{
    const pd_u32 row = PD_LID / RNN_UNITS * RNN_HELD, old = n & 1u, units = l[RNN_COUNT];
    const pd_u32 was = (l[RNN_AT] + old * units + unit) * RNN_TILE + row;
    const pd_u32 is = (l[RNN_AT] + (old ^ 1u) * units + unit) * RNN_TILE + row;
    const pd_u32 held = (l[RNN_AT] + 2u * units + unit) * RNN_TILE + row;
    pd_f32 b[4], y[RNN_HELD];
    RNN_UNROLL
    for (pd_u32 g = 0u; g < 4u; g++) b[g] = 0.0f;
    if (l[RNN_KIND] == RNN_LINEAR) {
        b[0] = PD_AS_F32(net[l[RNN_BIAS] + unit]);
    } else {
        RNN_UNROLL
        for (pd_u32 g = 0u; g < 3u; g++) b[g] = PD_AS_F32(net[l[RNN_BIAS] + g * units + unit]);
        b[3] = PD_AS_F32(net[l[RNN_KIND] == RNN_LSTM ? l[RNN_BIAS] + 3u * units + unit
                                                     : l[RNN_BACK] + unit]);
    }
    if (l[RNN_KIND] == RNN_LINEAR) {
        RNN_UNROLL
        for (pd_u32 i = 0u; i < RNN_HELD; i++)
            y[i] = rnn_activate(sums[i] + b[0], l[RNN_FLAGS], PD_AS_F32(l[RNN_GAIN]));
    } else if (l[RNN_KIND] == RNN_LSTM) {
        RNN_UNROLL
        for (pd_u32 i = 0u; i < RNN_HELD; i++) {
            const pd_f32 old_c = own[held + i], kept = rnn_sigmoid(sums[RNN_HELD + i] + b[1]);
            const pd_f32 c = kept * old_c + rnn_sigmoid(sums[i] + b[0]) *
                                                rnn_tanh(sums[2u * RNN_HELD + i] + b[2]);
            y[i] = rnn_sigmoid(sums[3u * RNN_HELD + i] + b[3]) * rnn_tanh(c);
            own[held + i] = n < said[row + i] ? c : old_c;
        }
    } else {
        RNN_UNROLL
        for (pd_u32 i = 0u; i < RNN_HELD; i++) {
            const pd_f32 z = rnn_sigmoid(sums[RNN_HELD + i] + b[1]);
            const pd_f32 r = rnn_sigmoid(sums[i] + b[0]);
            pd_f32 a = sums[2u * RNN_HELD + i] + b[2];
            if (!(l[RNN_FLAGS] & RNN_BEFORE)) a = a + r * (sums[3u * RNN_HELD + i] + b[3]);
            y[i] = rnn_gru(z, a, own[was + i], l[RNN_FLAGS]);
        }
    }
    RNN_UNROLL
    for (pd_u32 i = 0u; i < RNN_HELD; i++) {
        const pd_f32 kept = l[RNN_KIND] == RNN_LINEAR ? 0.0f : own[was + i];
        own[is + i] = n < said[row + i] ? y[i] : kept;
    }
}

// Rows of 32 to a tensor; beyond a row's end 0, or what is there.
PD_FN void rnn_save(PD_LPTR(const pd_u32) said, PD_GPTR(const pd_f32) own, PD_GPTR(pd_f32) to,
                    pd_u32 from, pd_u32 n, pd_u32 place)
{
    const pd_u32 count = said[RNN_WIDE];
    for (pd_u32 e = PD_LID; e < count * RNN_TILE; e += 256u) {
        const pd_u32 row = e / count, i = e - row * count, all = PD_GRP * RNN_TILE + row;
        const pd_u32 end = said[row], t = said[place + 4u] ? rnn_turned(n, end) : n;
        const pd_f32 value = own[(from + i) * RNN_TILE + row];
        if (all < said[RNN_ROWS])
            to[said[place] + t * said[place + 1u] + all * said[place + 2u] +
               i * said[place + 3u]] = n < end || said[place + 5u] ? value : 0.0f;
    }
}

// Of a GRU BEFORE: r h, and what waits for the product with it.
PD_FN void rnn_wait(PD_GPTR(const pd_u32) net, PD_GPTR(pd_f32) own, PD_LPTR(const pd_u32) l,
                    pd_u32 unit, pd_u32 n, const pd_f32 *sums, PD_LPTR(const pd_u32) said)
{
    const pd_u32 row = PD_LID / RNN_UNITS * RNN_HELD;
    const pd_u32 was = (l[RNN_AT] + (n & 1u) * l[RNN_COUNT] + unit) * RNN_TILE + row;
    const pd_u32 side = (said[RNN_SIDE_AT] + unit) * RNN_TILE + row;
    const pd_u32 step = said[RNN_SIDE_AT + 1u] * RNN_TILE;
    const pd_f32 b = PD_AS_F32(net[l[RNN_BIAS] + unit]);
    RNN_UNROLL
    for (pd_u32 i = 0u; i < RNN_HELD; i++) {
        own[side + i] = rnn_sigmoid(sums[i] + b) * own[was + i];
        own[side + step + i] = sums[RNN_HELD + i];
        own[side + 2u * step + i] = sums[2u * RNN_HELD + i];
    }
}

// What is multiplied in phase 0 (x, then h) and, of a GRU BEFORE, in phase 1 (r h).
PD_FN rnn_source rnn_source_of(PD_LPTR(const pd_u32) l, pd_u32 from, pd_u32 is_x, pd_u32 phase,
                               pd_u32 second, pd_u32 n, PD_LPTR(const pd_u32) said)
{
    const pd_u32 gates = l[RNN_KIND] == RNN_LSTM ? 4u : l[RNN_KIND] == RNN_GRU ? 3u : 1u;
    rnn_source s;
    s.is_x = 0u;
    s.units = l[RNN_COUNT];
    s.stride = gates * l[RNN_COUNT];
    s.gates = gates;
    s.depth = l[RNN_COUNT];
    s.weights = l[RNN_RECURRENT];
    s.scale = l[RNN_RECURRENT_SCALE];
    s.at = l[RNN_AT] + (n & 1u) * l[RNN_COUNT];
    if (phase) {
        s.at = said[RNN_SIDE_AT];
        s.weights = l[RNN_RECURRENT] + 2u * l[RNN_COUNT];
        s.scale = l[RNN_RECURRENT_SCALE] + 2u * l[RNN_COUNT];
        s.gates = 1u;
    } else if (!second) {
        s.is_x = is_x;
        s.at = from;
        s.depth = l[RNN_INPUTS];
        s.weights = l[RNN_INPUT];
        s.scale = l[RNN_INPUT_SCALE];
    } else if (l[RNN_FLAGS] & RNN_BEFORE) {
        s.gates = 2u;
    }
    return s;
}

// One layer, one step. from: rows of 32 of its inputs, unless they are x.
PD_FN void rnn_layer_step(PD_LPTR(pd_f32) v, PD_LPTR(const pd_u32) said,
                          PD_GPTR(const pd_u32) net, PD_GPTR(const rnn_weight) weights,
                          PD_GPTR(const pd_f32) x, PD_GPTR(pd_f32) own, PD_LPTR(const pd_u32) l,
                          pd_u32 from, pd_u32 is_x, pd_u32 n)
{
    const pd_u32 before = l[RNN_KIND] == RNN_GRU ? l[RNN_FLAGS] & RNN_BEFORE : 0u;
    const pd_u32 row = PD_LID / RNN_UNITS * RNN_HELD;
    for (pd_u32 phase = 0u; phase < (before ? 2u : 1u); phase++) {
        for (pd_u32 block = 0u; block < l[RNN_COUNT]; block += RNN_UNITS) {
            const pd_u32 unit = block + PD_LID % RNN_UNITS;
            const pd_u32 sources = l[RNN_KIND] == RNN_LINEAR || phase ? 1u : 2u;
            pd_f32 sums[4u * RNN_HELD];
            RNN_UNROLL
            for (pd_u32 i = 0u; i < 4u * RNN_HELD; i++) sums[i] = 0.0f;
            for (pd_u32 which = 0u; which < sources; which++) {
                const rnn_source s = rnn_source_of(l, from, is_x, phase, which, n, said);
                for (pd_u32 d = 0u; d < s.depth; d += RNN_CHUNK) {
                    const pd_u32 count = s.depth - d < RNN_CHUNK ? s.depth - d : RNN_CHUNK;
                    const pd_u32 at = s.weights + d * s.stride + unit;
                    pd_f32 part[4u * RNN_HELD];
                    RNN_UNROLL
                    for (pd_u32 i = 0u; i < 4u * RNN_HELD; i++) part[i] = 0.0f;
                    rnn_fetch(v, said, x, own, s, d, count, n);
                    PD_BARRIER();
                    if (unit < l[RNN_COUNT]) {
                        rnn_gates_of(v + row, weights, at, s, count, part);
                        rnn_add(net, s, unit, 0u, part, sums);
                        if (s.gates > 1u)
                            rnn_add(net, s, unit, 1u, part + RNN_HELD, sums + RNN_HELD);
                        if (s.gates == 3u && which) // of a GRU AFTER: U h
                            rnn_add(net, s, unit, 2u, part + 2u * RNN_HELD, sums + 3u * RNN_HELD);
                        else if (s.gates > 2u)
                            rnn_add(net, s, unit, 2u, part + 2u * RNN_HELD, sums + 2u * RNN_HELD);
                        if (s.gates > 3u)
                            rnn_add(net, s, unit, 3u, part + 3u * RNN_HELD, sums + 3u * RNN_HELD);
                    }
                    PD_BARRIER();
                }
            }
            if (unit < l[RNN_COUNT] && phase) {
                const pd_u32 side = (said[RNN_SIDE_AT] + unit) * RNN_TILE + row;
                const pd_u32 step = said[RNN_SIDE_AT + 1u] * RNN_TILE;
                RNN_UNROLL
                for (pd_u32 i = 0u; i < RNN_HELD; i++) {
                    sums[RNN_HELD + i] = own[side + step + i];
                    sums[2u * RNN_HELD + i] = sums[i] + own[side + 2u * step + i];
                }
            }
            if (unit < l[RNN_COUNT]) {
                if (before && !phase)
                    rnn_wait(net, own, l, unit, n, sums, said);
                else
                    rnn_finish(net, said, own, l, unit, n, sums);
            }
        }
        PD_BARRIER_ALL();
    }
}

// What the outputs make of the columns that they are fed back to. from: rows of 32 of the outputs.
PD_FN void rnn_feed(PD_LPTR(const pd_u32) said, PD_GPTR(pd_f32) own, pd_u32 from, pd_u32 n)
{
    const pd_u32 count = said[RNN_FED + 2u], add = said[RNN_FED + 3u] == 2u ? 1u : 0u;
    const pd_u32 first = said[RNN_FED + 1u] * RNN_TILE + PD_LID;
    const pd_f32 clip = PD_AS_F32(said[RNN_FED + 4u]);
    pd_f32 squares = 0.0f;
    if (PD_LID >= RNN_TILE || n >= said[PD_LID % RNN_TILE]) return;
    for (pd_u32 i = 0u; i < count; i++) {
        pd_f32 next = own[(from + i) * RNN_TILE + PD_LID];
        if (add) next = own[first + i * RNN_TILE] + next;
        own[first + i * RNN_TILE] = next;
        squares = squares + next * next;
    }
    if (add && clip > 0.0f && squares > clip * clip) {
        const pd_f32 factor = clip / PD_SQRT(squares);
        for (pd_u32 i = 0u; i < count; i++)
            own[first + i * RNN_TILE] = own[first + i * RNN_TILE] * factor;
    }
}

// The columns of the first step.
PD_FN void rnn_feed_first(PD_LPTR(const pd_u32) said, PD_GPTR(const pd_f32) x, PD_GPTR(pd_f32) own)
{
    const pd_u32 count = said[RNN_FED + 2u];
    for (pd_u32 e = PD_LID; e < count * RNN_TILE; e += 256u) {
        const pd_u32 row = e / count, i = e - row * count, all = PD_GRP * RNN_TILE + row;
        pd_f32 value = 0.0f;
        if (all < said[RNN_ROWS])
            value = x[said[RNN_X] + all * said[RNN_X + 2u] +
                      (said[RNN_FED] + i) * said[RNN_X + 3u]];
        own[(said[RNN_FED + 1u] + i) * RNN_TILE + row] = value;
    }
}

PD_KERNEL_WG(padic_k_rnn_run, 256)
(PD_CBUF(pd_u32, net), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, x), PD_CBUF(pd_u32, lengths),
 PD_BUF(pd_f32, out), PD_BUF(pd_f32, columns), PD_BUF(pd_f32, memory),
 PD_PARAMS(padic_k_rnn_run_params, k))
{
    PD_LOCAL pd_f32 v[RNN_CHUNK * RNN_TILE];
    PD_LOCAL pd_u32 said[RNN_SAID];
    PD_LOCAL pd_u32 layer[RNN_LAYER_WORDS];
    PD_GPTR(pd_f32) own = memory + (pd_u64)PD_GRP * k.memory * RNN_TILE;
    rnn_say(said, lengths, k);
    PD_BARRIER();
    if (k.first == 0u) rnn_feed_first(said, x, own);
    PD_BARRIER_ALL();
    for (pd_u32 n = k.first; n < k.first + k.count; n++) {
        pd_u32 from = 0u;
        for (pd_u32 i = 0u; i < said[RNN_STACK]; i++) {
            if (PD_LID < RNN_LAYER_WORDS)
                layer[PD_LID] = net[said[RNN_STACK + 1u] + i * RNN_LAYER_WORDS + PD_LID];
            PD_BARRIER();
            rnn_layer_step(v, said, net, weights, x, own, layer, from, i == 0u ? 1u : 0u, n);
            from = layer[RNN_AT] + ((n & 1u) ^ 1u) * layer[RNN_COUNT];
            PD_BARRIER();
        }
        if (said[RNN_WIDE + 1u]) rnn_save(said, own, out, from, n, RNN_OUT);
        if (said[RNN_FED + 2u]) {
            rnn_feed(said, own, from, n);
            PD_BARRIER_ALL();
            if (said[RNN_WIDE + 2u])
                rnn_save(said, own, columns, said[RNN_FED + 1u], n, RNN_COLUMNS);
        }
        PD_BARRIER_ALL();
    }
}

// States between a tensor and the groups' memory: h or c of all layers. Columns beyond a layer's
// units become 0.
typedef struct {
    pd_u32 table, rows, groups, memory;
    pd_u32 tile; // rows of a group: 32, or all of few
    pd_u32 is_c, save, zero, steps; // zero: there is no tensor to load
    pd_u32 units;                   // columns of the tensor
    pd_u32 at, layer, row, column;  // of the tensor
} padic_k_rnn_states_params;

PD_KERNEL_WG(padic_k_rnn_states, 256)
(PD_CBUF(pd_u32, net), PD_BUF(pd_f32, states), PD_BUF(pd_f32, memory),
 PD_PARAMS(padic_k_rnn_states_params, k))
{
    PD_GPTR(const pd_u32) l = net + k.table + PD_GRP_Y * RNN_LAYER_WORDS;
    const pd_u32 row = PD_GRP * 8u + PD_LID / 32u, lane = PD_LID % 32u;
    const pd_u32 kind = l[RNN_KIND], units = l[RNN_COUNT];
    const pd_u32 has = kind == RNN_LINEAR || (k.is_c && kind == RNN_GRU) ? 0u : units;
    const pd_u32 at = l[RNN_AT] + (k.is_c ? 2u * units : k.save ? (k.steps & 1u) * units : 0u);
    PD_GPTR(pd_f32) own = memory + (pd_u64)(row / k.tile) * k.memory * k.tile;
    if (row >= k.groups * k.tile || kind == RNN_LINEAR || (k.save && row >= k.rows)) return;
    for (pd_u32 i = lane; i < (k.save ? k.units : has); i += 32u) {
        const pd_u32 from = k.at + l[RNN_STATE] * k.layer + row * k.row + i * k.column;
        const pd_u32 place = (at + i) * k.tile + row % k.tile;
        if (k.save)
            states[from] = i < has ? own[place] : 0.0f;
        else
            own[place] = k.zero || row >= k.rows ? 0.0f : states[from];
    }
}

// found[0] becomes 1 where a number is not finite, found[1] where a length is above `steps`.
typedef struct {
    pd_u32 times, rows, columns, flags, steps;
    pd_u32 at, time, row, column;
    pd_u32 length_at, length_step;
} padic_k_rnn_check_params;

PD_KERNEL_WG(padic_k_rnn_check, 256)
(PD_CBUF(pd_u32, x), PD_CBUF(pd_u32, lengths), PD_BUF(pd_u32, found),
 PD_PARAMS(padic_k_rnn_check_params, k))
{
    const pd_u32 row = PD_GRP, limit = k.times;
    pd_u32 end = limit, bad = 0u;
    if (k.flags & RNN_LENGTHS) {
        end = lengths[k.length_at + row * k.length_step];
        if (end > k.steps && PD_LID == 0u) PD_ATOMIC_OR_G(found + 1, 1u);
        end = end < limit ? end : limit;
    }
    for (pd_u32 t = 0u; t < end; t++)
        for (pd_u32 i = PD_LID; i < k.columns; i += 256u) {
            const pd_u32 bits = x[k.at + t * k.time + row * k.row + i * k.column];
            if ((bits & 0x7f800000u) == 0x7f800000u) bad = 1u;
        }
    if (bad) PD_ATOMIC_OR_G(found, 1u);
}
