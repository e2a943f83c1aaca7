// @per-level
#if !defined(PADIC_NO_FIELD) && PADICI_ISA_LEVEL <= 3

// The legacy step and energy of rows in f32.

typedef struct PADICI_LK(row) {
    const float *at, *below[2], *above[2]; // of axes 0 and 1
    float *out;
    uint64_t full;                         // whole vectors
    uint32_t rest, half, odd;              // floats after them; of the power
    PADICI_V mass, lambda, turn, start, stop, bad;
    PADICI_V sum[5]; // four times the kinetic energy along each axis; norm, interaction
} PADICI_LK(row);

// One vector of the step: c, its neighbours in the row, and the sum of the other four.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(euler_step)(const PADICI_LK(row) *row, PADICI_V c,
                                                           PADICI_V low, PADICI_V high,
                                                           PADICI_V others)
{
    const PADICI_V n = PADICI_MUL(c, c), square = PADICI_ADD(n, PADICI_SWAP_PARTS(n));
    const PADICI_V own =
        PADICI_FMA(row->lambda, PADICI_LK(power)(square, row->half, row->odd), row->mass);
    const PADICI_V sum = PADICI_ADD(PADICI_ADD(low, high), others);
    return PADICI_FMA(row->turn, PADICI_SWAP_PARTS(PADICI_FNMA(own, c, sum)), c); // of -h
}

#define PADICI_OTHERS(load)                                                               \
    PADICI_ADD(PADICI_ADD(load(row->below[0]), load(row->above[0])),                      \
               PADICI_ADD(load(row->below[1]), load(row->above[1])))
#define PADICI_WHOLE_AT(p) PADICI_LOAD((p) + i)
#define PADICI_PART_AT(p) PADICI_PART_LOAD((p) + i, row->rest)

PADICI_TARGET PADICI_INLINE void PADICI_LK(euler_row)(PADICI_LK(row) *row)
{
    const float *at = row->at, *last = at + row->full * PADICI_LANES + row->rest - 2;
    const PADICI_V first = PADICI_LK(pair)(at[0], at[1]);
    const uint64_t end = row->full * PADICI_LANES;
    const PADICI_V tail = row->rest ? PADICI_LK(tail)(at + end, row->rest, at[0], at[1]) : first;
    PADICI_V before = PADICI_LK(pair)(last[0], last[1]), c = row->full ? PADICI_LOAD(at) : tail;
    const PADICI_V none = PADICI_NONE; // times infinity it is NaN
    PADICI_V bad = row->bad, x;
    uint64_t i;
    for (i = 0; i < end; i += PADICI_LANES) {
        const PADICI_V next = i + PADICI_LANES < end ? PADICI_LOAD(at + i + PADICI_LANES) : tail;
        x = PADICI_LK(euler_step)(row, c, PADICI_BEFORE(before, c), PADICI_AFTER(c, next),
                                  PADICI_OTHERS(PADICI_WHOLE_AT));
        PADICI_STORE(row->out + i, x);
        bad = PADICI_FMA(x, none, bad);
        before = c;
        c = next;
    }
    if (row->rest) {
        x = PADICI_LK(euler_step)(row, c, PADICI_BEFORE(before, c), PADICI_AFTER(c, first),
                                  PADICI_OTHERS(PADICI_PART_AT));
        PADICI_PART_STORE(row->out + i, row->rest, x);
        bad = PADICI_FMA(x, none, bad);
    }
    row->bad = bad;
}

PADICI_TARGET PADICI_INLINE void PADICI_LK(row_begin)(PADICI_LK(row) *row,
                                                      const padici_field_legacy_plane *p,
                                                      uint32_t power)
{
    row->full = 2 * p->count / PADICI_LANES;
    row->rest = (uint32_t)(2 * p->count % PADICI_LANES);
    row->half = power / 2;
    row->odd = power % 2;
    row->bad = PADICI_NONE;
}

PADICI_TARGET PADICI_INLINE void PADICI_LK(euler_of)(padici_field_legacy_plane *p, uint32_t power)
{
    PADICI_LK(row) row;
    float lanes[PADICI_LANES];
    uint64_t j;
    PADICI_LK(row_begin)(&row, p, power - 2);
    row.mass = PADICI_SET(p->mass + 6);
    row.lambda = PADICI_SET(p->lambda);
    row.turn = PADICI_LK(pair)(-p->dt, p->dt);
    for (j = p->first; j < p->end; j++) {
        const int64_t at = (int64_t)j * p->row;
        row.at = p->at + at;
        row.below[0] = p->below + at;
        row.above[0] = p->above + at;
        row.below[1] = p->at + (int64_t)((j ? j : p->rows) - 1) * p->row;
        row.above[1] = p->at + (int64_t)(j + 1 < p->rows ? j + 1 : 0) * p->row;
        row.out = p->out + (int64_t)j * p->out_row;
        PADICI_LK(euler_row)(&row);
    }
    PADICI_STORE(lanes, row.bad);
    for (j = 0; j < PADICI_LANES; j++) p->odd |= !(lanes[j] == 0);
}

PADICI_TARGET PADICI_FN void PADICI_LK(euler)(padici_field_legacy_plane *p)
{
    if (p->power == 3) PADICI_LK(euler_of)(p, 3);
    else if (p->power == 4) PADICI_LK(euler_of)(p, 4);
    else PADICI_LK(euler_of)(p, p->power);
}

// Four times the kinetic energy of one vector. Differences over one step, not two, count twice: at
// the ends of the row by `factor`, at those of the other axes where `edges` has 1 and 2.
PADICI_TARGET PADICI_INLINE void PADICI_LK(slopes)(PADICI_V *sum, PADICI_V slope, PADICI_V factor,
                                                   uint32_t edges, PADICI_V first,
                                                   PADICI_V second)
{
    slope = PADICI_MUL(slope, factor);
    if (edges & 1) first = PADICI_ADD(first, first);
    if (edges & 2) second = PADICI_ADD(second, second);
    sum[0] = PADICI_FMA(first, first, sum[0]);
    sum[1] = PADICI_FMA(second, second, sum[1]);
    sum[2] = PADICI_FMA(slope, slope, sum[2]);
}

// Norm and interaction of two vectors.
PADICI_TARGET PADICI_INLINE void PADICI_LK(squares)(const PADICI_LK(row) *row, PADICI_V *sum,
                                                    PADICI_V c, PADICI_V d)
{
    const PADICI_V re = PADICI_REAL_PARTS(c, d), im = PADICI_IMAGINARY_PARTS(c, d);
    const PADICI_V square = PADICI_FMA(re, re, PADICI_MUL(im, im));
    sum[3] = PADICI_ADD(sum[3], square);
    if (row->half == 1 && row->odd)
        sum[4] = PADICI_FMA(square, PADICI_LK(root)(square), sum[4]);
    else if (row->half == 2 && !row->odd)
        sum[4] = PADICI_FMA(square, square, sum[4]);
    else
        sum[4] = PADICI_ADD(sum[4], PADICI_LK(power)(square, row->half, row->odd));
}

#define PADICI_DIFFERENCE(load, a) PADICI_SUB(load(row->above[a]), load(row->below[a]))

PADICI_TARGET PADICI_INLINE void PADICI_LK(energy_row)(PADICI_LK(row) *row, uint32_t edges)
{
    const float *at = row->at, *last = at + row->full * PADICI_LANES + row->rest - 2;
    const PADICI_V final = PADICI_LK(pair)(last[0], last[1]), one = PADICI_SET(1);
    const uint64_t end = row->full * PADICI_LANES;
    const PADICI_V tail =
        row->rest ? PADICI_LK(tail)(at + end, row->rest, last[0], last[1]) : final;
    PADICI_V before = PADICI_LK(pair)(at[0], at[1]), c = row->full ? PADICI_LOAD(at) : tail;
    PADICI_V sum[5], factor = row->start; // in registers
    uint64_t i;
    uint32_t k;
    PADICI_UNROLL_ALL
    for (k = 0; k < 5; k++) sum[k] = row->sum[k];
    for (i = 0; i < end; i += PADICI_LANES) {
        const PADICI_V next = i + PADICI_LANES < end ? PADICI_LOAD(at + i + PADICI_LANES) : tail;
        if (i + PADICI_LANES == end && !row->rest) factor = PADICI_MUL(factor, row->stop);
        PADICI_LK(slopes)(sum, PADICI_SUB(PADICI_AFTER(c, next), PADICI_BEFORE(before, c)),
                          factor, edges, PADICI_DIFFERENCE(PADICI_WHOLE_AT, 0),
                          PADICI_DIFFERENCE(PADICI_WHOLE_AT, 1));
        if (i & PADICI_LANES) PADICI_LK(squares)(row, sum, before, c);
        factor = one;
        before = c;
        c = next;
    }
    if (row->rest) {
        float lanes[PADICI_LANES];
        if (!row->full) factor = row->start;
        PADICI_STORE(lanes, PADICI_SUB(PADICI_AFTER(c, final), PADICI_BEFORE(before, c)));
        PADICI_LK(slopes)(sum, PADICI_PART_LOAD(lanes, row->rest), PADICI_MUL(factor, row->stop),
                          edges, PADICI_DIFFERENCE(PADICI_PART_AT, 0),
                          PADICI_DIFFERENCE(PADICI_PART_AT, 1));
        c = PADICI_PART_LOAD(at + i, row->rest);
    } else {
        c = PADICI_NONE;
    }
    if (row->full & 1) PADICI_LK(squares)(row, sum, before, c);
    else if (row->rest) PADICI_LK(squares)(row, sum, PADICI_NONE, c);
    PADICI_UNROLL_ALL
    for (k = 0; k < 5; k++) row->sum[k] = sum[k];
}

PADICI_TARGET PADICI_INLINE void PADICI_LK(flush)(PADICI_LK(row) *row, double sum[3][16])
{
    float lanes[PADICI_LANES];
    uint32_t k, i;
    for (k = 0; k < 5; k++) {
        double *to = sum[k < 2 ? 0 : k - 2];
        PADICI_STORE(lanes, row->sum[k]);
        for (i = 0; i < PADICI_LANES; i++) to[i] += (double)lanes[i];
        row->sum[k] = PADICI_NONE;
    }
}

// Vectors with 2 at the first number of a row, at the last one, and else 1.
PADICI_TARGET PADICI_INLINE void PADICI_LK(energy_ends)(PADICI_LK(row) *row)
{
    const uint32_t end = row->rest ? row->rest : PADICI_LANES;
    float lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i < 2 ? 2 : 1;
    row->start = PADICI_LOAD(lanes);
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i + 2 == end || i + 1 == end ? 2 : 1;
    row->stop = PADICI_LOAD(lanes);
}

PADICI_TARGET PADICI_INLINE void PADICI_LK(energy_of)(padici_field_legacy_plane *p, uint32_t power)
{
    PADICI_LK(row) row;
    uint64_t j, since = 0;
    PADICI_LK(row_begin)(&row, p, power);
    PADICI_LK(energy_ends)(&row);
    for (j = 0; j < 5; j++) row.sum[j] = PADICI_NONE;
    for (j = p->first; j < p->end; j++) {
        const int64_t at = (int64_t)j * p->row;
        const uint32_t edges = (j && j + 1 < p->rows ? 0u : 2u) + p->edge;
        row.at = p->at + at;
        row.below[0] = p->below + at;
        row.above[0] = p->above + at;
        row.below[1] = j ? row.at - p->row : row.at;
        row.above[1] = j + 1 < p->rows ? row.at + p->row : row.at;
        if (edges) PADICI_LK(energy_row)(&row, edges);
        else PADICI_LK(energy_row)(&row, 0);
        since += row.full + (row.rest != 0);
        if (since < PADICI_FIELD_LEGACY_SUMMED && j + 1 < p->end) continue;
        PADICI_LK(flush)(&row, p->sum);
        since = 0;
    }
}

PADICI_TARGET PADICI_FN void PADICI_LK(energy)(padici_field_legacy_plane *p)
{
    if (p->power == 3) PADICI_LK(energy_of)(p, 3);
    else if (p->power == 4) PADICI_LK(energy_of)(p, 4);
    else PADICI_LK(energy_of)(p, p->power);
}

#endif
