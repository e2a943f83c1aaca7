// program: sample
// sample.cl: radical inverses of indices, plain or scrambled, and the maps that belong to them: the
// functions of padic.h, whose comments explain modes, hashes and values. Integers only, so the
// bytes are the same everywhere.
//
// An item does indices PD_GID, PD_GID + all items, ... of one base. Division by a number d below
// 2^32 of i < 2^32 is (i m + a) >> s (Robison, 2005); of 64-bit numbers by floor((2^64 - 1) / d),
// whose high product is the quotient or one less.
// variant: PD_SAMPLE_NODES=1

#ifndef PD_SAMPLE_NODES
#define PD_SAMPLE_NODES 0 // 1: uniform permutations, and back from scrambled digits
#endif
#define SAMPLE_TABLE 512u // reversals of several digits at once
#define SAMPLE_LEVELS 64u

#define SAMPLE_NONE 0u // modes
#define SAMPLE_PERMUTE 1u

#define SAMPLE_VALUE 0u // tasks
#define SAMPLE_SCRAMBLE 1u
#define SAMPLE_UNSCRAMBLE 2u
#define SAMPLE_SHUFFLE 3u
#define SAMPLE_RATIO 4u

typedef struct {
    pd_u32 n_lo, n_hi, first_lo, first_hi;
    pd_u32 index;                                // bytes of an index in buffer 0; 0: first + j
    pd_u32 index_at[2], index_stride[2];         // in indices
    pd_u32 out_at[2], out_stride[2];             // in elements of dtype
    pd_u32 kind;                                 // of out: 0 U32, 1 U64, 2 F32, 3 F64
    pd_u32 task, mode, full, wide, integers;
    pd_u32 base, levels, together, span;         // b^together = span
    pd_u32 is_long;                              // reversals have 64 bits
    pd_u32 divide[3], divide_span[3];            // m, a, s
    pd_u32 inverse[2], inverse_span[2], last[2]; // of 64-bit numbers; the largest index
    pd_u32 group[2];                             // of a shuffle; 0: all
    pd_u32 ratio[2], scaled[2], reciprocal[2];   // fractions are over `ratio` (0: 2^64), and
    pd_u32 shift;                                // scaled = ratio << shift >= 2^63
    pd_u32 ratio_inverse[2];                     // floor((2^64 - 1) / ratio) or 0
} padic_k_sample_points_params;

PD_FN pd_u32 sample_divide32(pd_u32 i, pd_u32 m, pd_u32 a, pd_u32 s)
{
    return (pd_u32)((PD_MULWIDE(i, m) + a) >> 32) >> (s - 32u);
}

PD_FN pd_u64 sample_divide(pd_u64 x, pd_u64 d, pd_u64 inverse)
{
    const pd_u64 q = PD_MULHI64(x, inverse);
    return q + (x - q * d >= d ? 1u : 0u);
}

PD_FN pd_u32 sample_mix32(pd_u32 h)
{
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

PD_FN pd_u64 sample_mix64(pd_u64 h)
{
    h = (h ^ (h >> 30)) * PD_U64(0x1ce4e5b9u, 0xbf58476du);
    h = (h ^ (h >> 27)) * PD_U64(0x133111ebu, 0x94d049bbu);
    return h ^ (h >> 31);
}

// ---- fractions: floor(2^64 r / ratio) and floor(2^32 r / ratio)

PD_FN pd_u64 sample_cut64(pd_u64 r, const padic_k_sample_points_params k)
{
    const pd_u64 d = PD_U64(k.scaled[0], k.scaled[1]);
    const pd_u64 v = PD_U64(k.reciprocal[0], k.reciprocal[1]);
    pd_u64 u, q, low, rest;
    if ((k.ratio[0] | k.ratio[1]) == 0u) return r;
    u = r << k.shift;
    q = PD_MULHI64(v, u) + u + 1u;
    low = v * u;
    rest = 0u - q * d;
    if (rest > low) {
        q--;
        rest += d;
    }
    return q + (rest >= d ? 1u : 0u);
}

PD_FN pd_u32 sample_cut32(pd_u64 r, const padic_k_sample_points_params k)
{
    const pd_u32 x = (pd_u32)r;
    const pd_u64 n = PD_U64(k.ratio[0], k.ratio[1]);
    pd_u32 q;
    if ((k.ratio_inverse[0] | k.ratio_inverse[1]) == 0u)
        return (pd_u32)(sample_cut64(r, k) >> 32);
    q = x * k.ratio_inverse[1] + PD_MULHI32(x, k.ratio_inverse[0]);
    return q + (PD_U64(0u, x) - (pd_u64)q * n >= n ? 1u : 0u);
}

PD_FN void sample_emit(PD_GPTR(pd_u32) out, pd_u64 j, pd_u64 r,
                       const padic_k_sample_points_params k)
{
    const pd_u64 at = PD_U64(k.out_at[0], k.out_at[1]) +
                      j * PD_U64(k.out_stride[0], k.out_stride[1]);
    pd_u64 word;
    if (k.kind == 0u) {
        out[at] = k.integers ? (pd_u32)r : sample_cut32(r, k);
        return;
    }
    if (k.kind == 2u) {
        out[at] = PD_AS_U32((pd_f32)(pd_i32)(sample_cut32(r, k) >> 8) * (1.0f / 16777216.0f));
        return;
    }
    word = k.integers ? r : sample_cut64(r, k);
    if (k.kind == 3u) { // as the bits of word 2^-53, word < 2^53
        const pd_u32 top = (pd_u32)(word >> 43), low = (pd_u32)(word >> 11);
        const pd_u32 e = top ? 63u - PD_CLZ(top) : 31u - PD_CLZ(low); // its highest bit
        word = PD_U64(low, top);
        if (word)
            word = ((word << (52u - e)) & PD_U64(0xffffffffu, 0xfffffu)) |
                   PD_U64(0u, (970u + e) << 20);
    }
    out[2u * at] = (pd_u32)word;
    out[2u * at + 1u] = (pd_u32)(word >> 32);
}

// Index number j; one above the limit becomes 0, and sets *outside.
PD_FN pd_u64 sample_fetch(PD_GPTR(const pd_u32) index, pd_u64 j, pd_u32 *outside,
                          const padic_k_sample_points_params k)
{
    const pd_u64 at = PD_U64(k.index_at[0], k.index_at[1]) +
                      j * PD_U64(k.index_stride[0], k.index_stride[1]);
    pd_u64 v;
    *outside = 0u;
    if (k.index == 0u) return PD_U64(k.first_lo, k.first_hi) + j;
    v = k.index == 4u ? index[at] : PD_U64(index[2u * at], index[2u * at + 1u]);
    if (v <= PD_U64(k.last[0], k.last[1])) return v;
    *outside = 1u;
    return 0u;
}

// ---- plain

// t with its `together` digits reversed, for all t < span; no table for single digits.
PD_FN void sample_table(PD_LPTR(pd_u16) table, const padic_k_sample_points_params k)
{
    for (pd_u32 t = PD_LID; k.together > 1u && t < k.span; t += (pd_u32)PD_WG) {
        pd_u32 i = t, r = 0u;
        for (pd_u32 d = 0u; d < k.together; d++) {
            const pd_u32 q = sample_divide32(i, k.divide[0], k.divide[1], k.divide[2]);
            r = r * k.base + (i - q * k.base);
            i = q;
        }
        table[t] = (pd_u16)r;
    }
    PD_BARRIER();
}

PD_FN pd_u64 sample_reverse(PD_LPTR(const pd_u16) table, pd_u64 v,
                            const padic_k_sample_points_params k)
{
    const pd_u32 groups = k.together > 1u ? k.levels / k.together : 0u;
    const pd_u32 odd = k.levels - groups * k.together;
    pd_u32 g;
    if (k.is_long == 0u) {
        pd_u32 i = (pd_u32)v, r = 0u;
        for (g = 0u; g < odd; g++) {
            const pd_u32 q = sample_divide32(i, k.divide[0], k.divide[1], k.divide[2]);
            r = r * k.base + (i - q * k.base);
            i = q;
        }
        for (g = 0u; g < groups; g++) {
            const pd_u32 q =
                sample_divide32(i, k.divide_span[0], k.divide_span[1], k.divide_span[2]);
            r = r * k.span + table[i - q * k.span];
            i = q;
        }
        return r;
    } else {
        const pd_u64 inverse = PD_U64(k.inverse[0], k.inverse[1]);
        const pd_u64 inverse_span = PD_U64(k.inverse_span[0], k.inverse_span[1]);
        pd_u64 r = 0u;
        for (g = 0u; g < odd; g++) {
            const pd_u64 q = sample_divide(v, k.base, inverse);
            r = r * k.base + (v - q * k.base);
            v = q;
        }
        for (g = 0u; g < groups; g++) {
            const pd_u64 q = sample_divide(v, k.span, inverse_span);
            r = r * k.span + table[(pd_u32)(v - q * k.span)];
            v = q;
        }
        return r;
    }
}

// Reversals without scrambling, and i / n.
PD_KERNEL(padic_k_sample_points)
(PD_CBUF(pd_u32, index), PD_BUF(pd_u32, out), PD_BUF(pd_u32, bad),
 PD_PARAMS(padic_k_sample_points_params, k))
{
    PD_LOCAL pd_u16 table[SAMPLE_TABLE];
    const pd_u64 n = PD_U64(k.n_lo, k.n_hi);
    if (k.task != SAMPLE_RATIO) sample_table(table, k);
    for (pd_u64 j = PD_GID; j < n; j += PD_NGRP * (pd_u32)PD_WG) {
        pd_u32 outside;
        pd_u64 v = sample_fetch(index, j, &outside, k);
        if (k.task != SAMPLE_RATIO) v = sample_reverse(table, v, k);
        if (outside) {
            PD_ATOMIC_OR_G(bad, 1u);
            v = 0u;
        }
        sample_emit(out, j, v, k);
    }
}

// ---- scrambled

// The digits one by one.
PD_FN pd_u64 sample_reverse_each(pd_u64 v, const padic_k_sample_points_params k)
{
    pd_u64 r = 0u;
    for (pd_u32 g = 0u; g < k.levels; g++) {
        const pd_u64 q = sample_divide(v, k.base, PD_U64(k.inverse[0], k.inverse[1]));
        r = r * k.base + (v - q * k.base);
        v = q;
    }
    return r;
}

// A node's hash; `prefix`: the scrambled digits before it.
PD_FN pd_u64 sample_node(pd_u64 prefix, pd_u64 key, const padic_k_sample_points_params k)
{
    if (k.mode == SAMPLE_PERMUTE) prefix = 0u;
    return k.wide ? sample_mix64(prefix ^ key) : sample_mix32((pd_u32)prefix ^ (pd_u32)key);
}

// d -> (a d + c) mod b.
PD_FN void sample_affine(pd_u64 h, pd_u32 *a, pd_u32 *c, const padic_k_sample_points_params k)
{
    if (k.wide) {
        *c = (pd_u32)PD_MULHI64(h, (pd_u64)k.base);
        *a = 1u + (pd_u32)PD_MULHI64(h * PD_U64(0x7f4a7c15u, 0x9e3779b9u), (pd_u64)(k.base - 1u));
    } else {
        *c = PD_MULHI32((pd_u32)h, k.base);
        *a = 1u + PD_MULHI32((pd_u32)h * 0x01000193u, k.base - 1u);
    }
}

#if PD_SAMPLE_NODES
// The place that Fisher-Yates swaps with place j.
PD_FN pd_u32 sample_partner(pd_u64 h, pd_u32 j, const padic_k_sample_points_params k)
{
    if (k.wide)
        return (pd_u32)PD_MULHI64(sample_mix64(h + (pd_u64)j * 0x9e3779b9u), (pd_u64)(j + 1u));
    return PD_MULHI32(sample_mix32((pd_u32)h + j * 0x9e3779b9u), j + 1u);
}

PD_FN pd_u32 sample_digit(pd_u64 h, pd_u32 d, const padic_k_sample_points_params k)
{
    pd_u32 a, c, at, j;
    if (k.full) { // place d is final after step d; its content is followed through the other steps
        at = sample_partner(h, d, k);
        for (j = d + 1u; j < k.base; j++)
            if (sample_partner(h, j, k) == at) at = j;
        return at;
    }
    sample_affine(h, &a, &c, k);
    return (pd_u32)(((pd_u64)a * d + c) % k.base);
}

// The digit that is scrambled to s.
PD_FN pd_u32 sample_undo(pd_u64 h, pd_u32 s, const padic_k_sample_points_params k)
{
    pd_u32 a, c, r = k.base, j; // 1 / a by Euclid
    pd_i32 one = 0, other = 1;
    if (k.full) {
        for (j = k.base - 1u; j > 0u; j--) {
            const pd_u32 partner = sample_partner(h, j, k);
            if (partner == s) return j;
            if (j == s) s = partner;
        }
        return 0u;
    }
    sample_affine(h, &a, &c, k);
    while (a > 1u) {
        const pd_u32 q = r / a, rest = r % a;
        const pd_i32 next = one - (pd_i32)q * other;
        r = a;
        a = rest;
        one = other;
        other = next;
    }
    if (other < 0) other += (pd_i32)k.base;
    return (pd_u32)((pd_u64)((s + k.base - c) % k.base) * (pd_u32)other % k.base);
}

// Digits of v, low first, scrambled one after the other, or back; the reversal of the result.
PD_FN pd_u64 sample_map(PD_LPTR(const pd_u64) keys, pd_u64 v, const padic_k_sample_points_params k)
{
    const pd_u64 inverse = PD_U64(k.inverse[0], k.inverse[1]);
    pd_u64 r = 0u, prefix = 0u;
    for (pd_u32 g = 0u; g < k.levels; g++) {
        const pd_u64 q = sample_divide(v, k.base, inverse), h = sample_node(prefix, keys[g], k);
        const pd_u32 from = (pd_u32)(v - q * k.base);
        const pd_u32 to =
            k.task == SAMPLE_UNSCRAMBLE ? sample_undo(h, from, k) : sample_digit(h, from, k);
        r = r * k.base + to;
        prefix = prefix * k.base + (k.task == SAMPLE_UNSCRAMBLE ? from : to);
        v = q;
    }
    return r;
}

#else
// Digits of v, low first, scrambled one after the other; their reversal.
PD_FN pd_u64 sample_map(PD_LPTR(const pd_u64) keys, pd_u64 v, const padic_k_sample_points_params k)
{
    if (k.is_long == 0u && k.wide == 0u) { // a d + c < 2^20
        const pd_u32 modulus = 0xffffffffu / k.base + 1u;
        pd_u32 i = (pd_u32)v, x = 0u;
        for (pd_u32 g = 0u; g < k.levels; g++) {
            const pd_u32 q = sample_divide32(i, k.divide[0], k.divide[1], k.divide[2]);
            const pd_u32 h = (pd_u32)sample_node(x, keys[g], k);
            const pd_u32 t = (1u + PD_MULHI32(h * 0x01000193u, k.base - 1u)) * (i - q * k.base) +
                             PD_MULHI32(h, k.base);
            x = x * k.base + (t - PD_MULHI32(t, modulus) * k.base);
            i = q;
        }
        return x;
    } else {
        const pd_u64 inverse = PD_U64(k.inverse[0], k.inverse[1]);
        pd_u64 r = 0u;
        for (pd_u32 g = 0u; g < k.levels; g++) {
            const pd_u64 q = sample_divide(v, k.base, inverse);
            pd_u64 t;
            pd_u32 a, c;
            sample_affine(sample_node(r, keys[g], k), &a, &c, k);
            t = (pd_u64)a * (pd_u32)(v - q * k.base) + c; // below 2^34
            r = r * k.base + (t - sample_divide(t, k.base, inverse) * k.base);
            v = q;
        }
        return r;
    }
}
#endif

// Calls that have keys, or take or give other numbers than indices and reversals.
PD_KERNEL(padic_k_sample_maps)
(PD_CBUF(pd_u32, index), PD_BUF(pd_u32, out), PD_BUF(pd_u32, bad), PD_CBUF(pd_u32, key),
 PD_PARAMS(padic_k_sample_points_params, k))
{
    PD_LOCAL pd_u64 keys[SAMPLE_LEVELS];
    PD_LOCAL pd_u64 group[1]; // of a shuffle, or 0; here since scalar registers are scarce
    const pd_u64 n = PD_U64(k.n_lo, k.n_hi);
    // From a reversal: reverse before the map. To an index: after it.
    const pd_u32 first = k.task == SAMPLE_SCRAMBLE || k.task == SAMPLE_UNSCRAMBLE ? 0u : 1u;
    const pd_u32 last = k.task == SAMPLE_SHUFFLE ? 2u : 1u;
    for (pd_u32 g = PD_LID; g < k.levels; g += (pd_u32)PD_WG)
        keys[g] = k.mode == SAMPLE_NONE ? 0u : PD_U64(key[2u * g], key[2u * g + 1u]);
    if (PD_LID == 0u)
        group[0] = k.task == SAMPLE_SHUFFLE ? PD_U64(k.group[0], k.group[1]) : 0u;
    PD_BARRIER();
    for (pd_u64 j = PD_GID; j < n; j += PD_NGRP * (pd_u32)PD_WG) {
        pd_u32 outside;
        pd_u64 v = sample_fetch(index, j, &outside, k), high = 0u;
        if (group[0]) {
            high = v - v % group[0];
            v -= high;
        }
        for (pd_u32 step = first; step <= last; step++) {
            if (step != 1u || k.mode == SAMPLE_NONE)
                v = sample_reverse_each(v, k);
            else
                v = sample_map(keys, v, k);
        }
        v += high;
        if (outside) {
            PD_ATOMIC_OR_G(bad, 1u);
            v = 0u;
        }
        sample_emit(out, j, v, k);
    }
}
