// float.cl: numbers from floats of PD_NUM_SIZE bytes and to the nearest ones.

// A float of PD_NUM_SIZE bytes as +-m 2^e, m odd or 0; `finite` 0: infinity or NaN.
typedef struct {
    pd_u64 m;
    pd_i32 e;
    pd_u32 negative, finite, spare;
} num_float;

PD_FN num_float num_float_of(pd_u64 bits, pd_u32 mantissa, pd_u32 exponent)
{
    const pd_u32 top = (1u << exponent) - 1u, field = (pd_u32)(bits >> mantissa) & top;
    num_float x;
    x.m = bits & (((pd_u64)1u << mantissa) - 1u);
    if (field) x.m |= (pd_u64)1u << mantissa;
    x.e = 0;
    x.negative = (pd_u32)(bits >> (mantissa + exponent)) & 1u;
    x.finite = field != top ? 1u : 0u;
    x.spare = 0u;
    if (x.finite && x.m) { // the lowest bit of a subnormal is worth as much as that of field 1
        const pd_u32 zeros = num_ctz(x.m);
        x.e = (pd_i32)(zeros + (field ? field : 1u)) - (pd_i32)(top / 2u + mantissa);
        x.m >>= zeros;
    }
    return x;
}

// The number of a float. `mode` 0: itself; 1: its m; 2: the integer nearest to it times 2^scale,
// below P / 2; p_bits: length of P.
PD_FN num_cell num_of_float(const num_ring r, num_float f, pd_u32 mode, pd_i64 scale, pd_u32 p_bits,
                            pd_u64 inverse, pd_u64 limit)
{
    num_cell x = num_cell_of(r);
    pd_u32 bits = 0u;
    num_int m;
    m.m = f.m;
    m.negative = 0u;
    m.spare = 0u;
    if (mode == 2u && f.m) {
        const pd_u32 high = (pd_u32)(f.m >> 32);
        const pd_u32 length = high ? 64u - PD_CLZ(high) : 32u - PD_CLZ((pd_u32)f.m);
        const pd_i64 s = f.e + scale;
        if (s + (pd_i64)length >= (pd_i64)p_bits) {
            x.bits = NUM_RANGE;
            return x;
        }
        if (s >= 0) {
            m.m = f.m << (pd_u32)s;
        } else {
            const pd_u32 drop = s < -63 ? 63u : (pd_u32)-s;
            const pd_u64 middle = (pd_u64)1u << (drop - 1u), rest = f.m & (2u * middle - 1u);
            m.m = f.m >> drop;
            if (rest) bits = NUM_INEXACT;
            if (rest > middle || (rest == middle && (m.m & 1u))) m.m += 1u;
        }
    }
    x = num_of_int(r, m, 1u, inverse, limit);
    if (mode == 2u && x.v != NUM_ZERO) {
        const num_u u = num_up(r, x.u, x.v);
        if (u >= num_sub(r, 0u, u)) bits |= NUM_RANGE;
    }
    if (mode == 0u && x.v != NUM_ZERO) {
#if PD_NUM_TWO
        x.v += f.e;
#else
        const pd_u32 e = f.e < 0 ? 0u - (pd_u32)f.e : (pd_u32)f.e;
        const num_u two = num_enter(r, f.e < 0 ? (r.base >> 1) + 1u : 2u);
        x.u = num_mont(r, x.u, num_pow(r, two, (pd_u64)e));
#endif
    }
    if (f.negative) x.u = num_sub(r, 0u, x.u);
    x = num_settle(r, x);
    x.bits |= bits;
    return x;
}

#if PD_NUM_OP == NUM_OP_TO_FLOAT || (PD_NUM_OP == NUM_OP_TROPICAL && PD_NUM_SIZE == 8)
// m 2^e as the nearest float, ties to even, without a sign; as padici_num_float_round(). `more`:
// nonzero bits follow the lowest bit of m.
typedef struct {
    pd_u64 bits;
    pd_u32 status, spare;
} num_rounded;

PD_FN num_rounded num_round(pd_u64 m, pd_i64 given, pd_u32 more, pd_u32 mantissa, pd_u32 exponent)
{
    const pd_i64 t = (pd_i64)mantissa + 1, bias = ((pd_i64)1 << (exponent - 1u)) - 1;
    const pd_u32 high = (pd_u32)(m >> 32);
    const pd_i64 length = high ? 64 - (pd_i64)PD_CLZ(high) : 32 - (pd_i64)PD_CLZ((pd_u32)m);
    pd_i64 drop = length - t; // bits below the significand
    pd_i64 e = given;
    pd_u64 q, rest = 0u, middle = 0u;
    num_rounded x;
    x.bits = 0u;
    x.status = x.spare = 0u;
    if (!m) return x;
    if (e + drop < 2 - bias - t) drop = 2 - bias - t - e; // subnormal
    if (drop <= 0) {
        q = m << (pd_u32)-drop;
    } else if (drop > 64) {
        q = 0u;
        rest = 1u;
        middle = 2u;
    } else {
        middle = (pd_u64)1u << (pd_u32)(drop - 1);
        q = drop > 63 ? 0u : m >> (pd_u32)drop;
        rest = drop > 63 ? m : m & (2u * middle - 1u);
    }
    if (rest || more) x.status = NUM_INEXACT;
    if (middle && (rest > middle || (rest == middle && (more || (q & 1u))))) q++;
    e += drop; // the value is q 2^e, q <= 2^t
    if (q >> (pd_u32)t) {
        q >>= 1;
        e++;
    }
    x.bits = q;
    if (!(q >> mantissa)) return x; // subnormal or zero
    e += bias + t - 1;
    if (e >= ((pd_i64)1 << exponent) - 1) {
        x.status = NUM_RANGE;
        x.bits = (((pd_u64)1u << exponent) - 1u) << mantissa;
        return x;
    }
    x.bits = (pd_u64)e << mantissa | (q & (((pd_u64)1u << mantissa) - 1u));
    return x;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND
// Powers of p in words, lowest first: K, the highest; the offset in `powers` of each v <= K, and
// the end of the last one.
typedef struct {
    pd_u64 high, low; // the value is (high 2^64 + low) 2^e and, if `more`, a part of 2^e above
    pd_i64 e;
    pd_u32 words, more;
} num_long;

PD_FN pd_u32 num_clz64(pd_u64 x)
{
    const pd_u32 high = (pd_u32)(x >> 32);
    return high ? PD_CLZ(high) : 32u + PD_CLZ((pd_u32)x);
}

// m p^v, m not 0, v <= K, with the highest bit of `high` set.
PD_FN num_long num_long_of(PD_GPTR(pd_u64) powers, pd_u32 v, pd_u64 m)
{
    const pd_u32 end = (pd_u32)powers[2u + v];
    pd_u64 carry = 0u, third = 0u, rest = 0u;
    pd_u32 shift;
    num_long x;
    x.high = x.low = 0u;
    x.words = 0u;
    for (pd_u32 j = (pd_u32)powers[1u + v]; j <= end; j++) {
        pd_u64 word = carry;
        if (j < end) {
            const pd_u64 w = powers[j];
            word += m * w;
            carry = PD_MULHI64(m, w) + (word < carry ? 1u : 0u);
        } else if (!carry) {
            break;
        }
        rest |= third;
        third = x.low;
        x.low = x.high;
        x.high = word;
        x.words++;
    }
    shift = num_clz64(x.high);
    x.e = 64 * ((pd_i64)x.words - 2) - (pd_i64)shift;
    if (shift) {
        x.high = x.high << shift | x.low >> (64u - shift);
        x.low = x.low << shift | third >> (64u - shift);
        third <<= shift;
    }
    x.more = (rest | third) ? 1u : 0u;
    return x;
}

// floor((high 2^64 + low) / d), high < d, and whether the remainder is not 0.
typedef struct {
    pd_u64 q;
    pd_u32 more, spare;
} num_ratio;

PD_FN num_ratio num_ratio_of(pd_u64 high, pd_u64 low, pd_u64 d)
{
    pd_u64 rest = high;
    num_ratio x;
    x.q = 0u;
    x.spare = 0u;
    for (pd_u32 j = 0u; j < 64u; j++) {
        const pd_u32 carry = (pd_u32)(rest >> 63);
        rest = rest << 1 | (low >> (63u - j) & 1u);
        x.q <<= 1;
        if (carry || rest >= d) {
            rest -= d;
            x.q |= 1u;
        }
    }
    x.more = rest ? 1u : 0u;
    return x;
}
#endif

#if PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND == 2
// 1 if q d p^k > n 2^s.
PD_FN pd_u32 num_above_ratio(PD_GPTR(pd_u64) powers, pd_u32 k, pd_u64 d, pd_u64 q, pd_u64 n,
                             pd_u32 s)
{
    const pd_u32 begin = (pd_u32)powers[1u + k], end = (pd_u32)powers[2u + k];
    const pd_u32 at = s / 64u, part = s & 63u;
    pd_u64 first = 0u, second = 0u;
    pd_u32 borrow = 0u;
    for (pd_u32 j = 0u; j < end - begin + 2u || j < at + 2u; j++) {
        const pd_u64 w = begin + j < end ? powers[begin + j] : 0u;
        const pd_u64 x = d * w + first, y = q * x + second; // words of d p^k, of q d p^k
        const pd_u64 right = j == at                ? n << part
                             : j == at + 1u && part ? n >> (64u - part)
                                                    : 0u;
        first = PD_MULHI64(d, w) + (x < first ? 1u : 0u);
        second = PD_MULHI64(q, x) + (y < second ? 1u : 0u);
        borrow = right < y || (right == y && borrow) ? 1u : 0u;
    }
    return borrow;
}

// n p^v / d to the nearest float times 2^e.
PD_FN num_rounded num_round_fraction(PD_GPTR(pd_u64) powers, pd_u64 n, pd_u64 d, pd_i32 v,
                                     pd_u32 mantissa, pd_u32 exponent)
{
    const pd_u32 k = v < 0 ? 0u - (pd_u32)v : (pd_u32)v;
    num_rounded y;
    if ((pd_u64)k > powers[0]) // far above all floats, or below
        return num_round(1u, v < 0 ? -(pd_i64)1048576 : (pd_i64)1048576, 0u, mantissa, exponent);
    if (v >= 0) {
        const num_long x = num_long_of(powers, k, n);
        const pd_u64 whole = x.high / d;
        const num_ratio low = num_ratio_of(x.high - whole * d, x.low, d);
        const pd_u32 shift = whole ? num_clz64(whole) : num_clz64(low.q);
        if (!whole) { // d is above 2^63
            y = num_round(low.q, x.e, low.more | x.more, mantissa, exponent);
        } else {
            const pd_u64 m = shift ? whole << shift | low.q >> (64u - shift) : whole;
            const pd_u32 more = shift ? low.q << shift != 0u : low.q != 0u;
            y = num_round(m, x.e + 64 - (pd_i64)shift, low.more | x.more | more, mantissa,
                          exponent);
        }
    } else { // the remainder is never 0; the estimate is at most 3 too large
        const num_long x = num_long_of(powers, k, d);
        const pd_u32 shift = num_clz64(n), s = (pd_u32)(x.e + 64) + 63u;
        const pd_u64 top = n << shift;
        pd_u64 q = num_ratio_of(top >> 1, top << 63, x.high).q;
        while (num_above_ratio(powers, k, d, q, top, s)) q--;
        y = num_round(q, -(pd_i64)s - (pd_i64)shift, 1u, mantissa, exponent);
    }
    return y;
}
#endif

#if PD_NUM_OP == NUM_OP_FROM_FLOAT
// mode: 0 to 3 that of the call, then 8 bits each for mantissa and exponent; k: scale;
// stride: bits of P; other1: i16 exponents.
PD_FN pd_u32 num_item_from_float(const num_ring r, const num_work w, pd_u32 i)
{
    const num_float f = num_float_of((pd_u64)((PD_GPTR(num_item))w.other0)[i],
                                     w.mode >> 8 & 255u, w.mode >> 16 & 255u);
    num_cell x = num_cell_of(r);
    x.bits = NUM_OUTSIDE;
    if (f.finite) {
        x = num_of_float(r, f, w.mode & 3u, (pd_i64)w.k, (pd_u32)w.stride, w.inverse,
                         w.limit);
        if (!f.m && f.negative) x.bits |= NUM_INEXACT;
    }
    if (w.has_other1) ((PD_GPTR(pd_u16))w.other1)[i] = (pd_u16)((pd_u32)f.e & 65535u);
    if (x.bits & NUM_HARD) x.v = NUM_NAN;
    return num_store(w.out, i, x);
}
#define NUM_ITEM num_item_from_float
#endif

#if PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND == 2
// mode as below; other2: a table of bounds, then one of powers.
PD_FN pd_u32 num_item_to_float(const num_ring r, const num_work w, pd_u32 i)
{
    PD_GPTR(pd_u64) const table = (PD_GPTR(pd_u64))w.other2;
    const pd_u32 mantissa = w.mode >> 8 & 255u, exponent = w.mode >> 16 & 255u;
    const num_cell x = num_load(r, w.a, i);
    num_rounded y;
    pd_u32 bits = 0u, negative = 0u;
    y.bits = 0u;
    y.status = y.spare = 0u;
    if (x.v == NUM_NAN) {
        bits = x.bits;
    } else if (x.v != NUM_ZERO && (x.u || !x.n)) {
        const num_fraction f = num_euclid(table, x.n, (pd_u64)x.u);
        negative = f.negative;
        if (f.found && f.n) // 0: of a unit that is none
            y = num_round_fraction(table + 4u * (r.n + 1u), f.n, f.d, x.v, mantissa, exponent);
        else if (!f.found)
            bits = NUM_RATREC;
        bits |= y.status;
    }
    if (bits & NUM_HARD & (0xffffffffu - y.status))
        y.bits = (((pd_u64)2u << exponent) - 1u) << (mantissa - 1u); // NaN
    else if (negative)
        y.bits |= (pd_u64)1u << (mantissa + exponent);
    num_int_store(w.other0, i, y.bits);
    return bits;
}
#define NUM_ITEM num_item_to_float
#endif

#if PD_NUM_OP == NUM_OP_TO_FLOAT && PD_NUM_KIND != 2
// As FROM_FLOAT, the scale -k. A ring, or p = 2: then p^v is only an exponent. A magnitude above
// 2^4096 before 2^e is infinite, as on the host.
PD_FN pd_u32 num_item_to_float(const num_ring r, const num_work w, pd_u32 i)
{
    const pd_u32 mantissa = w.mode >> 8 & 255u, exponent = w.mode >> 16 & 255u;
    const num_cell x = num_load(r, w.a, i);
    num_rounded y;
    num_int m;
    pd_u32 bits = 0u;
    y.bits = 0u;
    y.status = y.spare = 0u;
    m.m = 0u;
    m.negative = m.spare = 0u;
    if (x.v == NUM_NAN) {
        bits = x.bits;
    } else if (x.v != NUM_ZERO) {
        pd_i64 e = w.mode & 3u ? (pd_i64)w.k : 0;
        if (w.has_other1) {
            const pd_u32 own = ((PD_GPTR(pd_u16))w.other1)[i];
            e = (pd_i64)own - (own > 32767u ? 65536 : 0);
        }
        if (x.v < 0 && (w.mode & 3u))
            bits = NUM_OUTSIDE;
        else if (!x.n)
            bits = NUM_PRECLOSS;
        m = num_residue(r, x, 1u);
        if (bits) m.m = 0u;
        e += x.v;
        if (!PD_NUM_KIND && (w.mode & 3u) && m.m) {
            const pd_u32 high = (pd_u32)(m.m >> 32);
            const pd_u32 low = (pd_u32)m.m;
            if (x.v + (pd_i32)(high ? 64u - PD_CLZ(high) : 32u - PD_CLZ(low)) > 4096)
                e = (pd_i64)1 << 40;
        }
#if PD_NUM_KIND == 1
        if (!bits && m.m) { // the integer m p^v; other2: a table of powers
            PD_GPTR(pd_u64) const powers = (PD_GPTR(pd_u64))w.other2;
            num_long z;
            z.words = 65u;
            e -= x.v;
            if ((pd_u64)x.v <= powers[0]) z = num_long_of(powers, (pd_u32)x.v, m.m);
            if (z.words > 64u)
                y = num_round(1u, (pd_i64)1 << 40, 0u, mantissa, exponent);
            else
                y = num_round(z.high, e + z.e + 64, z.low || z.more ? 1u : 0u, mantissa,
                              exponent);
        }
#else
        if (!(bits & NUM_HARD)) y = num_round(m.m, e, 0u, mantissa, exponent);
#endif
        bits |= y.status;
    }
    if (bits & NUM_HARD & (0xffffffffu - y.status))
        y.bits = (((pd_u64)2u << exponent) - 1u) << (mantissa - 1u); // NaN
    else if (m.negative && y.bits + y.status)
        y.bits |= (pd_u64)1u << (mantissa + exponent);
    num_int_store(w.other0, i, y.bits);
    return bits;
}
#define NUM_ITEM num_item_to_float
#endif
