// number.cl: activations, boundaries, fields as nodes read them, moments, tiles.

#if PD_IS_CUDA || (defined(__clang__) && !PD_IS_C)
#define ROLLOUT_UNROLL _Pragma("unroll")
#define ROLLOUT_ROLLED _Pragma("unroll 1")
#else
#define ROLLOUT_UNROLL
#define ROLLOUT_ROLLED
#endif

// For functions with barriers: PoCL miscompiles them unless they are inlined.
#if PD_IS_OPENCL
#define ROLLOUT_FN __attribute__((always_inline)) PD_FN
#else
#define ROLLOUT_FN PD_FN
#endif

#ifndef ROLLOUT_WG
#define ROLLOUT_WG 256 // items of a group, in all kernels: sums are in that order
#endif
#define ROLLOUT_CELLS 1024u // cells of a channel that a group has, four of each item

#if PD_IS_CUDA // two units in the last place
#define ROLLOUT_RECIPROCAL(a) __fdividef(1.0f, a)
#else
#define ROLLOUT_RECIPROCAL(a) (1.0f / (a))
#endif

#ifndef ROLLOUT_GELU
#define ROLLOUT_GELU(x) rollout_gelu(x)
#endif
#define ROLLOUT_GELU_ERF 0u // activations, as padic_rollout_act
#define ROLLOUT_NONE 1u
#define ROLLOUT_RELU 2u
#define ROLLOUT_GELU_TANH 3u
#define ROLLOUT_SILU 4u

#define ROLLOUT_PERIODIC 1u // boundaries
#define ROLLOUT_REFLECT 2u
#define ROLLOUT_REPLICATE 3u

// Phi(-t) = e^(-t^2/2) p(1/(1 + 0.23 t)) for t >= 0: p as simd/rollout/acts.c has it.
PD_FN pd_f32 rollout_tail(pd_f32 t)
{
    const pd_f32 s = ROLLOUT_RECIPROCAL(PD_FMA(0.23f, t, 1.0f));
    pd_f32 p = PD_FMA(s, -0.07836881f, 0.28991216f);
    p = PD_FMA(s, p, -0.2770347f);
    p = PD_FMA(s, p, 0.3001475f);
    p = PD_FMA(s, p, -0.031941142f);
    p = PD_FMA(s, p, 0.11906384f);
    p = PD_FMA(s, p, 0.08588857f);
    p = PD_FMA(s, p, 0.09235902f);
    return PD_FMA(s, p, -2.648817e-05f);
}

// x Phi(x).
PD_FN pd_f32 rollout_gelu(pd_f32 x)
{
    const pd_f32 size = PD_FABS(x), t = size > 13.0f ? 13.0f : size; // NaN stays
    const pd_f32 low = x < -13.0f ? -13.0f : x;
    const pd_f32 p = rollout_tail(t) * PD_EXP(-0.5f * (t * t));
    return x < 0.0f ? low * p : PD_FMA(-t, p, x);
}

PD_FN pd_f32 rollout_sigmoid(pd_f32 x)
{
    return ROLLOUT_RECIPROCAL(1.0f + PD_EXP(-x));
}

// Cephes: a polynomial near 0, 1 - 2/(e^2x + 1) beyond.
PD_FN pd_f32 rollout_tanh(pd_f32 a)
{
    const pd_f32 size = PD_FABS(a), square = a * a;
    const pd_f32 outer = 1.0f - 2.0f * ROLLOUT_RECIPROCAL(PD_EXP(2.0f * size) + 1.0f);
    pd_f32 x = PD_FMA(-5.70498872745e-3f, square, 2.06390887954e-2f);
    x = PD_FMA(x, square, -5.37397155531e-2f);
    x = PD_FMA(x, square, 1.33314422036e-1f);
    x = PD_FMA(x, square, -3.33332819422e-1f);
    x = PD_FMA(x * square, a, a);
    return size < 0.625f ? x : a < 0.0f ? -outer : outer; // NaN stays
}

PD_FN pd_f32 rollout_act(pd_f32 x, pd_u32 act)
{
    if (act == ROLLOUT_NONE) return x;
    if (act == ROLLOUT_GELU_ERF) return ROLLOUT_GELU(x);
    if (act == ROLLOUT_RELU) return x < 0.0f ? 0.0f : x;
    if (act == ROLLOUT_GELU_TANH) { // x s(2 sqrt(2/pi) (x + 0.044715 x^3))
        const pd_f32 z = PD_FMA(x * x * x, 0.044715f, x);
        return (x < -40.0f ? -40.0f : x) * rollout_sigmoid(1.59576912f * z);
    }
    if (act == ROLLOUT_SILU) return (x < -110.0f ? -110.0f : x) * rollout_sigmoid(x);
    return rollout_tanh(x);
}

// The cell that stands for cell i, which may be negative; n: none.
PD_FN pd_u32 rollout_bound(pd_i32 i, pd_u32 n, pd_u32 boundary)
{
    const pd_i32 size = (pd_i32)n;
    pd_i32 at = i;
    if (i >= 0 && i < size) return (pd_u32)i;
    if (boundary == ROLLOUT_PERIODIC) {
        at = i % size;
        if (at < 0) at += size;
    } else if (boundary == ROLLOUT_REFLECT) {
        at = i < 0 ? -i : 2 * size - 2 - i;
    } else if (boundary == ROLLOUT_REPLICATE) {
        at = i < 0 ? 0 : size - 1;
    }
    return at >= 0 && at < size ? (pd_u32)at : n; // beyond the grid a tile may have anything
}

// A field that nodes read, in words of params: where it is in a trajectory's numbers and how many
// these are; where mu, a and beta of its channels are among the trajectory's, plus 1 (0: none);
// its activation.
#define ROLLOUT_AT 0
#define ROLLOUT_STEP 1
#define ROLLOUT_MAP 2
#define ROLLOUT_ACT 3

// x of a channel whose map begins at number `map` - 1, channels apart.
PD_FN pd_f32 rollout_mapped(PD_GPTR(const pd_f32) fields, pd_f32 x, pd_u32 map, pd_u32 channels,
                            pd_u32 act)
{
    pd_f32 y = x;
    if (map > 0u)
        y = PD_FMA(fields[map - 1u + channels], x - fields[map - 1u],
                   fields[map - 1u + 2u * channels]);
    return rollout_act(y, act);
}

// Of so many numbers their mean, and the sum of squared differences from it.
typedef struct {
    pd_two mean;
    pd_f32 count, squares;
} rollout_moments;

PD_FN rollout_moments rollout_moments_of(pd_f32 count, pd_f32 mean, pd_f32 less, pd_f32 squares)
{
    rollout_moments m;
    m.mean = pd_two_raw(mean, less);
    m.count = count;
    m.squares = squares;
    return m;
}

// Those of two sets become those of both: Chan, Golub, LeVeque 1979.
PD_FN rollout_moments rollout_merge(const rollout_moments a, const rollout_moments b)
{
    const pd_f32 count = a.count + b.count, share = b.count / (count > 0.0f ? count : 1.0f);
    const pd_two apart = pd_two_sub(b.mean, a.mean);
    const pd_two mean = pd_two_add(a.mean, pd_two_mul1(apart, share));
    if (!(b.count > 0.0f)) return a;
    if (!(a.count > 0.0f)) return b;
    return rollout_moments_of(count, mean.hi, mean.lo,
                              a.squares + b.squares + apart.hi * apart.hi * (a.count * share));
}

// From sums of x - mean and of its square over `count` numbers, `mean` being close to theirs.
PD_FN void rollout_moments_put(PD_GPTR(pd_f32) to, pd_u32 at, pd_f32 count, pd_f32 mean, pd_f32 sum,
                               pd_f32 square)
{
    const pd_f32 off = sum * ROLLOUT_RECIPROCAL(count);
    const pd_two is = pd_two_sum(mean, off);
    const pd_f32 squares = square - sum * off;
    to[at] = is.hi;
    to[at + 1u] = is.lo;
    to[at + 2u] = squares < 0.0f ? 0.0f : squares;
}

// Sums over items: row `row` of an item is at ROLLOUT_STRAND(row) of local memory.
#define ROLLOUT_STRAND(row) (((row) * 8u + PD_LID / 32u) * 33u + PD_LID % 32u)
#define ROLLOUT_SUMMED(rows) ((rows) * 264u + 384u) // local memory for it; results may follow
#define ROLLOUT_SUMS_ROOM(rows) (ROLLOUT_SUMMED(rows) + (rows))

// Of so many rows, 1, 2, 4 or 8; the items of side s of `sides` are 32 in a row, every `sides`th
// such. Its sum of a row comes to `to` + row sides + s.
ROLLOUT_FN void rollout_sums(PD_LPTR(pd_f32) room, pd_u32 rows, pd_u32 sides, pd_u32 to)
{
    const pd_u32 parts = rows * 264u, strands = 8u * rows, results = rows * sides;
    const pd_u32 first = PD_LID % strands * 33u + PD_LID / strands * rows;
    pd_f32 sum = room[first];
    for (pd_u32 i = 1u; i < rows; i++) sum += room[first + i];
    room[parts + PD_LID] = sum;
    PD_BARRIER();
    if (PD_LID < 32u * sides) {
        const pd_u32 part = PD_LID / results, result = PD_LID - part * results;
        const pd_u32 row = result / sides, side = result - row * sides;
        sum = 0.0f;
        for (pd_u32 i = side; i < 8u; i += sides)
            sum += room[parts + part * strands + row * 8u + i];
        room[parts + 256u + PD_LID] = sum;
    }
    PD_BARRIER();
    if (PD_LID < results) {
        sum = 0.0f;
        for (pd_u32 i = PD_LID; i < 32u * sides; i += results) sum += room[parts + 256u + i];
        room[to + PD_LID] = sum;
    }
    PD_BARRIER();
}

// Cells of the tile that are in the grid.
PD_FN pd_u32 rollout_tile_cells(pd_u32 tile, pd_u32 tiles, pd_u32 wide, pd_u32 tall, pd_u32 columns,
                                pd_u32 rows)
{
    const pd_u32 x = columns - tile % tiles * wide, y = rows - tile / tiles * tall;
    return (x < wide ? x : wide) * (y < tall ? y : tall);
}
