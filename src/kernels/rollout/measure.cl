// program: rollout_measure
// texts: number.cl units.cl
// measure.cl: metrics of frames. Groups of 1,024 cells of a channel have extremes and sums of their
// own, of numbers scaled by a power of two so that no power of them is out of range; then one group
// for each channel, or trajectory, adds them up about the mean of all.
#define ROLLOUT_BINS 2048u // most bins

typedef struct {
    pd_u32 channels, cells, chunks;
    pd_u32 x, old, sums, step; // of a trajectory's numbers
    pd_u32 before;             // 1: there is a frame before
} padic_k_rollout_measure_params;

// Extremes so far become those with x as well.
PD_FN void rollout_extreme(PD_LPTR(pd_f32) room, pd_u32 row, pd_f32 x)
{
    const pd_u32 i = row * ROLLOUT_WG + PD_LID;
    if (!(x - x == 0.0f)) {
        room[i] = 1.0f;
        return;
    }
    room[i + ROLLOUT_WG] = rollout_larger(room[i + ROLLOUT_WG], -x);
    room[i + 2u * ROLLOUT_WG] = rollout_larger(room[i + 2u * ROLLOUT_WG], x);
}

PD_FN void rollout_extreme_begin(PD_LPTR(pd_f32) room, pd_u32 row)
{
    room[row * ROLLOUT_WG + PD_LID] = 0.0f;
    room[(row + 1u) * ROLLOUT_WG + PD_LID] = -PD_AS_F32(0x7f800000u);
    room[(row + 2u) * ROLLOUT_WG + PD_LID] = -PD_AS_F32(0x7f800000u);
}

PD_FN void rollout_measure_put(PD_LPTR(pd_f32) room, pd_u32 row, pd_f32 a, pd_f32 b, pd_f32 c,
                               pd_f32 d)
{
    const pd_u32 i = row * ROLLOUT_WG + PD_LID;
    room[i] = a;
    room[i + ROLLOUT_WG] = b;
    room[i + 2u * ROLLOUT_WG] = c;
    room[i + 3u * ROLLOUT_WG] = d;
}

PD_KERNEL_WG(padic_k_rollout_measure_cells, ROLLOUT_WG)
(PD_BUF(pd_f32, fields), PD_PARAMS(padic_k_rollout_measure_params, k))
{
    PD_LOCAL pd_f32 room[12u * ROLLOUT_WG];
    const pd_u32 first = PD_GRP * ROLLOUT_CELLS, of = PD_GRP_Z * k.step;
    const pd_u32 count = k.cells - first < ROLLOUT_CELLS ? k.cells - first : ROLLOUT_CELLS;
    const pd_u32 at = k.x + of + PD_GRP_Y * k.cells + first;
    const pd_u32 old = k.old + of + PD_GRP_Y * k.cells + first;
    const pd_u32 to = k.sums + of + ROLLOUT_SUMS * (PD_GRP_Y * k.chunks + PD_GRP);
    pd_f32 unit, past, both, mean, early;
    pd_f32 one = 0.0f, sum_abs = 0.0f, energy = 0.0f, second = 0.0f, third = 0.0f, fourth = 0.0f;
    pd_f32 once = 0.0f, square = 0.0f, product = 0.0f, apart = 0.0f;
    rollout_extreme_begin(room, 0u);
    rollout_extreme_begin(room, 3u);
    for (pd_u32 i = PD_LID; i < count; i += ROLLOUT_WG) {
        rollout_extreme(room, 0u, fields[at + i]);
        if (k.before > 0u) rollout_extreme(room, 3u, fields[old + i]);
    }
    rollout_rows(room, ROLLOUT_EXTREMES, 1u);
    if (PD_LID < ROLLOUT_EXTREMES) fields[to + PD_LID] = room[PD_LID * ROLLOUT_WG];
    unit = rollout_unit(rollout_larger(room[ROLLOUT_WG], room[2u * ROLLOUT_WG]));
    past = rollout_unit(rollout_larger(room[4u * ROLLOUT_WG], room[5u * ROLLOUT_WG]));
    both = k.before > 0u && past < unit ? past : unit;
    PD_BARRIER();
    room[PD_LID] = room[ROLLOUT_WG + PD_LID] = 0.0f;
    for (pd_u32 i = PD_LID; i < count; i += ROLLOUT_WG) {
        room[PD_LID] += fields[at + i] * unit;
        if (k.before > 0u) room[ROLLOUT_WG + PD_LID] += fields[old + i] * past;
    }
    rollout_rows(room, 2u, 0u);
    mean = room[0] / (pd_f32)count;
    early = room[ROLLOUT_WG] / (pd_f32)count;
    PD_BARRIER();
    for (pd_u32 i = PD_LID; i < count; i += ROLLOUT_WG) {
        const pd_f32 x = fields[at + i], v = x * unit, d = v - mean, dd = d * d;
        one += d;
        sum_abs += PD_FABS(v);
        energy = PD_FMA(v, v, energy);
        second += dd;
        third = PD_FMA(dd, d, third);
        fourth = PD_FMA(dd, dd, fourth);
        if (k.before > 0u) {
            const pd_f32 y = fields[old + i], e = y * past - early, f = x * both - y * both;
            once += e;
            square += e * e;
            product += d * e;
            apart = PD_FMA(f, f, apart);
        }
    }
    rollout_measure_put(room, 0u, sum_abs, energy, 0.0f, one);
    rollout_measure_put(room, 4u, second, third, fourth, 0.0f);
    rollout_measure_put(room, 8u, once, square, product, apart);
    rollout_rows(room, 12u, 0u);
    if (PD_LID < 12u)
        fields[to + ROLLOUT_ABS + PD_LID] =
            PD_LID == 2u ? mean : PD_LID == 7u ? early : room[PD_LID * ROLLOUT_WG];
}

typedef struct {
    pd_u32 cells, chunks, parts, each; // parts: with metrics of their own; each: groups of a part
    pd_u32 x, sums, step, before;
    pd_u32 metrics, columns;           // bits, of a part
    pd_u32 out, row;                   // where a trajectory's row is; from one to the next
    pd_u32 first, bins, ranged;
    pd_u32 units;                      // of SPECTRUM: the unit of each part, or 0 if not finite
    pd_f32 low, high;
} padic_k_rollout_reduce_params;

// Sums of powers of distances from another number, by `by`: S_0 to S_4 about the first.
PD_FN pd_f32 rollout_second(pd_f32 n, pd_f32 a, pd_f32 b, pd_f32 one, pd_f32 other, pd_f32 product)
{
    return product + (PD_FMA(a, other, b * one) + n * (a * b));
}

PD_FN pd_f32 rollout_third(pd_f32 n, pd_f32 a, pd_f32 one, pd_f32 second, pd_f32 third)
{
    return third + a * (3.0f * second + a * (3.0f * one + a * n));
}

PD_FN pd_f32 rollout_fourth(pd_f32 n, pd_f32 a, pd_f32 one, pd_f32 second, pd_f32 third,
                            pd_f32 fourth)
{
    return fourth + a * (4.0f * third + a * (6.0f * second + a * (4.0f * one + a * n)));
}

// The bin of x: min(bins - 1, floor((x - low) bins/(high - low))), of x below low 0. What is within
// 2^-44 of a bin's edge is on it.
PD_FN pd_u32 rollout_bin(pd_f32 x, pd_f32 low, pd_f32 high, pd_u32 bins)
{
    const pd_two place = pd_two_mul1(pd_two_sum(x, -low), (pd_f32)bins);
    const pd_two width = pd_two_sum(high, -low);
    const pd_f32 guess = PD_FLOOR(place.hi / width.hi);
    pd_u32 bin;
    if (!(guess > 0.0f)) bin = 0u;
    else bin = guess < (pd_f32)bins ? (pd_u32)guess : bins - 1u;
    for (pd_u32 i = 0u; i < 2u; i++) { // the guess may be one off
        const pd_two next = pd_two_sub(pd_two_mul1(width, (pd_f32)(bin + 1u)), place);
        const pd_two here = pd_two_sub(pd_two_mul1(width, (pd_f32)bin), place);
        const pd_f32 near = PD_FABS(place.hi) * 5.6843419e-14f; // 2^-44
        if (bin + 1u < bins && next.hi + next.lo <= near) bin += 1u;
        else if (bin > 0u && here.hi + here.lo > near) bin -= 1u;
    }
    return bin;
}

// Of the cells of a part, counted by `counts`; `room` has the sum then.
ROLLOUT_FN void rollout_entropy(PD_LPTR(pd_f32) room, PD_LPTR(pd_u32) counts,
                                PD_GPTR(const pd_f32) fields, pd_u32 at, pd_u32 count, pd_f32 low,
                                pd_f32 high, pd_u32 bins)
{
    // bins times a difference of numbers from 2^100 on may leave f32
    const pd_f32 unit = rollout_larger(-low, high) > PD_AS_F32(0x71800000u)
                            ? PD_AS_F32(0x2b800000u) // 2^-40
                            : 1.0f;
    pd_f32 sum = 0.0f;
    PD_BARRIER();
    for (pd_u32 i = PD_LID; i < bins; i += ROLLOUT_WG) counts[i] = 0u;
    PD_BARRIER();
    if (low < high)
        for (pd_u32 i = PD_LID; i < count; i += ROLLOUT_WG)
            PD_ATOMIC_ADD_L(&counts[rollout_bin(fields[at + i] * unit, low * unit, high * unit,
                                                bins)], 1u);
    PD_BARRIER();
    for (pd_u32 i = PD_LID; i < bins; i += ROLLOUT_WG) {
        const pd_f32 p = (pd_f32)counts[i] / (pd_f32)count;
        if (counts[i] > 0u) sum -= p * PD_LOG(p);
    }
    room[PD_LID] = sum;
    rollout_rows(room, 1u, 0u);
}

// Column of metric `bit` of a row.
PD_FN void rollout_put(PD_GPTR(pd_f32) out, pd_u32 at, pd_u32 metrics, pd_u32 bit, pd_f32 value)
{
    if (((metrics >> bit) & 1u) > 0u)
        out[at + PD_POPCOUNT(metrics & ((1u << bit) - 1u))] = value;
}

// What 10 sums over all groups say: |x|, x^2, and about the means powers 2 to 4, of the one before
// 2, products, (x - x before)^2, in rows of `room`.
PD_FN void rollout_columns(PD_GPTR(pd_f32) out, PD_LPTR(const pd_f32) room, pd_u32 at, pd_f32 n,
                           pd_f32 mean, pd_f32 least, pd_f32 most, pd_f32 unit, pd_f32 both,
                           pd_u32 before, pd_u32 differs, pd_u32 metrics)
{
    const pd_f32 size = rollout_inverse(unit), second = room[2u * ROLLOUT_WG];
    const pd_f32 m2 = second / n, nan = PD_AS_F32(0x7fc00000u);
    const pd_u32 differ = least < most && second > 0.0f ? 1u : 0u;
    pd_f32 r = 0.0f;
    rollout_put(out, at, metrics, 0u, room[ROLLOUT_WG] * size * size);
    rollout_put(out, at, metrics, 1u, least < most ? mean : least);
    rollout_put(out, at, metrics, 2u, room[0] / n * size);
    rollout_put(out, at, metrics, 3u, least);
    rollout_put(out, at, metrics, 4u, most);
    rollout_put(out, at, metrics, 5u, differ ? second / (n - 1.0f) * size * size : 0.0f);
    rollout_put(out, at, metrics, 6u,
                differ ? room[3u * ROLLOUT_WG] / n / (m2 * PD_SQRT(m2)) : 0.0f);
    rollout_put(out, at, metrics, 7u, differ ? room[4u * ROLLOUT_WG] / n / (m2 * m2) - 3.0f : 0.0f);
    if (differ && differs && room[5u * ROLLOUT_WG] > 0.0f) {
        r = room[6u * ROLLOUT_WG] / (PD_SQRT(second) * PD_SQRT(room[5u * ROLLOUT_WG]));
        r = r > 1.0f ? 1.0f : r < -1.0f ? -1.0f : r;
    }
    rollout_put(out, at, metrics, 9u, before ? r : nan);
    rollout_put(out, at, metrics, 10u,
                before ? PD_SQRT(room[7u * ROLLOUT_WG] / n) * rollout_inverse(both) : nan);
}

// Sums of an item over its groups of cells, about the means of all, which are g and h beyond the
// numbers of the first group, to rows of `room`.
PD_FN void rollout_reduce_item(PD_LPTR(pd_f32) room, PD_GPTR(const pd_f32) fields, pd_u32 from,
                               pd_u32 chunk, pd_f32 unit, pd_f32 past, pd_f32 both, pd_f32 g,
                               pd_f32 h, const padic_k_rollout_reduce_params k)
{
    const pd_f32 start = rollout_about(fields, from, ROLLOUT_ABOUT, unit);
    const pd_f32 begun = rollout_about(fields, from, ROLLOUT_BEFORE, past);
    pd_f32 sum[8];
    ROLLOUT_UNROLL
    for (pd_u32 i = 0u; i < 8u; i++) sum[i] = 0.0f;
    for (pd_u32 e = PD_LID; e < k.each; e += ROLLOUT_WG) {
        const pd_u32 at = from + ROLLOUT_SUMS * e;
        const pd_u32 left = k.cells - (chunk + e) % k.chunks * ROLLOUT_CELLS;
        const pd_f32 n = (pd_f32)(left < ROLLOUT_CELLS ? left : ROLLOUT_CELLS);
        const pd_f32 own = rollout_unit(rollout_larger(fields[at + 1u], fields[at + 2u]));
        const pd_f32 old = rollout_unit(rollout_larger(fields[at + 4u], fields[at + 5u]));
        const pd_f32 pair = k.before > 0u && old < own ? old : own;
        const pd_f32 f = unit * rollout_inverse(own), p = past * rollout_inverse(old);
        const pd_f32 w = both * rollout_inverse(pair);
        const pd_f32 a = fields[at + ROLLOUT_ABOUT] * f - start - g;
        const pd_f32 b = fields[at + ROLLOUT_BEFORE] * p - begun - h;
        const pd_f32 one = fields[at + ROLLOUT_ABOUT + 1u] * f;
        const pd_f32 second = fields[at + ROLLOUT_ABOUT + 2u] * f * f;
        const pd_f32 third = fields[at + ROLLOUT_ABOUT + 3u] * f * f * f;
        const pd_f32 once = fields[at + ROLLOUT_BEFORE + 1u] * p;
        sum[0] += fields[at + ROLLOUT_ABS] * f;
        sum[1] += fields[at + ROLLOUT_ABS + 1u] * f * f;
        sum[2] += rollout_second(n, a, a, one, one, second);
        sum[3] += rollout_third(n, a, one, second, third);
        sum[4] += rollout_fourth(n, a, one, second, third,
                                 fields[at + ROLLOUT_ABOUT + 4u] * f * f * f * f);
        if (k.before > 0u) {
            sum[5] += rollout_second(n, b, b, once, once, fields[at + ROLLOUT_BEFORE + 2u] * p * p);
            sum[6] += rollout_second(n, a, b, one, once, fields[at + ROLLOUT_BOTH] * f * p);
            sum[7] += fields[at + ROLLOUT_APART] * w * w;
        }
    }
    ROLLOUT_UNROLL
    for (pd_u32 i = 0u; i < 8u; i++) room[i * ROLLOUT_WG + PD_LID] = sum[i];
}

// Sums of x and of x before, by their units, less the numbers of the first group, to rows 0 and 1.
PD_FN void rollout_reduce_means(PD_LPTR(pd_f32) room, PD_GPTR(const pd_f32) fields, pd_u32 from,
                                pd_u32 chunk, pd_f32 unit, pd_f32 past,
                                const padic_k_rollout_reduce_params k)
{
    const pd_f32 start = rollout_about(fields, from, ROLLOUT_ABOUT, unit);
    const pd_f32 begun = rollout_about(fields, from, ROLLOUT_BEFORE, past);
    pd_f32 sum = 0.0f, other = 0.0f;
    for (pd_u32 e = PD_LID; e < k.each; e += ROLLOUT_WG) {
        const pd_u32 at = from + ROLLOUT_SUMS * e;
        const pd_u32 left = k.cells - (chunk + e) % k.chunks * ROLLOUT_CELLS;
        const pd_f32 n = (pd_f32)(left < ROLLOUT_CELLS ? left : ROLLOUT_CELLS);
        const pd_f32 own = rollout_unit(rollout_larger(fields[at + 1u], fields[at + 2u]));
        const pd_f32 old = rollout_unit(rollout_larger(fields[at + 4u], fields[at + 5u]));
        const pd_f32 f = unit * rollout_inverse(own), p = past * rollout_inverse(old);
        sum += n * (fields[at + ROLLOUT_ABOUT] * f - start) + fields[at + ROLLOUT_ABOUT + 1u] * f;
        if (k.before > 0u)
            other += n * (fields[at + ROLLOUT_BEFORE] * p - begun) +
                     fields[at + ROLLOUT_BEFORE + 1u] * p;
    }
    room[PD_LID] = sum;
    room[ROLLOUT_WG + PD_LID] = other;
    rollout_rows(room, 2u, 0u);
}

PD_KERNEL_WG(padic_k_rollout_measure_reduce, ROLLOUT_WG)
(PD_BUF(pd_f32, fields), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_rollout_reduce_params, k))
{
    PD_LOCAL pd_f32 room[8u * ROLLOUT_WG];
    PD_LOCAL pd_u32 counts[ROLLOUT_BINS];
    const pd_u32 of = PD_GRP_Z * k.step, chunk = PD_GRP * k.each;
    const pd_u32 from = k.sums + of + ROLLOUT_SUMS * chunk, count = k.each / k.chunks * k.cells;
    const pd_u32 at = k.out + (k.first + PD_GRP_Z) * k.row + PD_GRP * k.columns;
    const pd_f32 n = (pd_f32)count;
    pd_f32 bad, worse, least, most, low, high, unit, past, both, g, h;
    for (pd_u32 i = 0u; i < ROLLOUT_EXTREMES; i++)
        room[i * ROLLOUT_WG + PD_LID] = -PD_AS_F32(0x7f800000u);
    for (pd_u32 e = PD_LID; e < k.each; e += ROLLOUT_WG)
        for (pd_u32 i = 0u; i < ROLLOUT_EXTREMES; i++)
            room[i * ROLLOUT_WG + PD_LID] = rollout_larger(room[i * ROLLOUT_WG + PD_LID],
                                                           fields[from + ROLLOUT_SUMS * e + i]);
    rollout_rows(room, ROLLOUT_EXTREMES, 1u);
    bad = room[0];
    least = -room[ROLLOUT_WG];
    most = room[2u * ROLLOUT_WG];
    worse = room[3u * ROLLOUT_WG];
    low = -room[4u * ROLLOUT_WG];
    high = room[5u * ROLLOUT_WG];
    unit = rollout_unit(rollout_larger(-least, most));
    past = rollout_unit(rollout_larger(-low, high));
    both = k.before > 0u && past < unit ? past : unit;
    PD_BARRIER();
    rollout_reduce_means(room, fields, from, chunk, unit, past, k);
    g = room[0] / n;
    h = room[ROLLOUT_WG] / n;
    PD_BARRIER();
    rollout_reduce_item(room, fields, from, chunk, unit, past, both, g, h, k);
    rollout_rows(room, 8u, 0u);
    if (PD_LID == 0u)
        rollout_columns(out, room, at, n,
                        (rollout_about(fields, from, ROLLOUT_ABOUT, unit) + g) *
                            rollout_inverse(unit),
                        least, most, unit, both,
                        k.before > 0u && !(worse > 0.0f) ? 1u : 0u, low < high ? 1u : 0u,
                        k.metrics);
    if (PD_LID == 0u && ((k.metrics >> 11) & 1u) > 0u)
        fields[k.units + of + PD_GRP] = bad > 0.0f ? 0.0f : unit;
    if (k.bins > 0u) {
        rollout_entropy(room, counts, fields, k.x + of + PD_GRP * count, bad > 0.0f ? 0u : count,
                        k.ranged > 0u ? k.low : least, k.ranged > 0u ? k.high : most, k.bins);
        if (PD_LID == 0u) rollout_put(out, at, k.metrics, 8u, room[0]);
    }
    PD_BARRIER_ALL();
    for (pd_u32 i = PD_LID; i < k.columns && bad > 0.0f; i += ROLLOUT_WG)
        out[at + i] = PD_AS_F32(0x7fc00000u);
}
