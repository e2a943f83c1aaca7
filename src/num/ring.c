#include "ring.h"
#include "../core/words.h"
#include "residue.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Rings

// a b mod m for any 64-bit m, and a^k.
PADICI_FN uint64_t padici_num_mulmod(uint64_t a, uint64_t b, uint64_t m)
{
    padici_num_wide rest;
    padici_num_wide_div(padici_num_wide_mul(a, b), padici_num_wide_make(m, 0), &rest);
    return rest.low;
}

PADIC_API int padic_num_is_prime(uint64_t n)
{
    static const uint8_t bases[12] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint32_t i, j, twos;
    if (n < 2) return 0;
    for (i = 0; i < 12; i++)
        if (n % bases[i] == 0) return n == bases[i];
    twos = padici_ctz64(n - 1);
    for (i = 0; i < 12; i++) {
        uint64_t x = 1, k;
        for (k = UINT64_C(1) << 63; k; k >>= 1) { // bases[i]^((n - 1) / 2^twos)
            x = padici_num_mulmod(x, x, n);
            if ((n - 1) >> twos & k) x = padici_num_mulmod(x, bases[i], n);
        }
        if (x == 1) continue;
        for (j = 1; j < twos && x != n - 1; j++) x = padici_num_mulmod(x, x, n);
        if (x != n - 1) return 0;
    }
    return 1;
}

// The bit length of p^N - 1. Powers are followed as 64-bit mantissas, rounded down: no power of an
// odd p with N < 2^16 comes within 2^-40 of a power of two from below.
PADICI_FN uint32_t padici_num_power_bits(uint64_t p, uint32_t precision)
{
    uint64_t m = UINT64_C(1) << 63; // value m 2^(bits - 64)
    uint32_t bits = 1, i;
    if (!(p & (p - 1))) return padici_ctz64(p) * precision;
    for (i = 0; i < precision; i++) {
        padici_num_wide x = padici_num_wide_mul(m, p);
        const uint32_t n = padici_num_wide_bits(x) - 64;
        m = padici_num_wide_shr(x, n).low;
        bits += n;
        if (bits > 2 * PADIC_NUM_MAX_BITS) break;
    }
    return bits;
}

static void padici_num_ring_constants(padic_num_ring *r)
{
    padici_num_wide power = {1, 0}, square;
    uint32_t k = 0, j;
    while (padici_num_wide_bits(power) <= 127 && k < 128) { // p^k below 2^127, and the next for B2
        r->power[k][0] = power.low;
        r->power[k++][1] = power.high;
        square = padici_num_wide_make(r->p, 0);
        if (padici_num_wide_bits(power) + padici_num_wide_bits(square) > 128) break;
        power = padici_num_wide_mul_low(power, square);
    }
    r->power_count = k;
    if (r->form < PADIC_NUM_RX) {
        r->modulus[0] = r->power[r->precision][0];
        r->modulus[1] = r->power[r->precision][1];
    }
    if (r->form < PADIC_NUM_W128) r->base = r->modulus[0];
    if (r->form == PADIC_NUM_RX) r->base = r->power[r->limb_digits][0];
    if (r->base) {
        r->shift = padici_clz64(r->base);
        r->reciprocal = padici_num_reciprocal(r->base << r->shift);
    }
    if (r->form < PADIC_NUM_W128 && r->base && r->bits <= 49)
        r->barrett =
            padici_num_wide_div(padici_num_wide_shl(padici_num_wide_make(1, 0), 50 + r->bits),
                                padici_num_wide_make(r->base, 0), NULL)
                .low;
    if (r->p & 1) {
        const uint64_t below = r->form < PADIC_NUM_W128 || r->form == PADIC_NUM_RX ? r->base
                                                                                   : UINT64_MAX;
        uint64_t x = r->p;
        r->inverse = padici_num_inverse64(r->p);
        r->unit_limit = UINT64_MAX / r->p;
        power = padici_num_wide_make(r->inverse, 0); // one more Newton step: p^-1 mod 2^128
        square = padici_num_wide_mul_low(power, padici_num_wide_make(r->p, 0));
        square = padici_num_wide_sub(padici_num_wide_make(2, 0), square);
        padici_num_wide_store(r->wide_inverse, padici_num_wide_mul_low(power, square));
        padici_num_wide_store(r->wide_limit,
                              padici_num_wide_div(padici_num_wide_make(UINT64_MAX, UINT64_MAX),
                                                  padici_num_wide_make(r->p, 0), NULL));
        for (j = 0; j < 6 && x < below; j++) {
            r->ladder_power[j] = x;
            r->ladder_inverse[j] = padici_num_inverse64(x);
            r->ladder_limit[j] = UINT64_MAX / x;
            r->ladder = j + 1;
            if (x >> 32) break;
            x *= x;
        }
    }
    if (r->p & 1 && r->form < PADIC_NUM_RX) {
        r->mont_inverse = 0u - padici_num_inverse64(r->modulus[0]);
        power = padici_num_wide_make(1, 0);
        for (j = r->form == PADIC_NUM_W128 ? 256 : 128; j > 0; j--)
            power = padici_num_add2(r, power, power);
        padici_num_wide_store(r->mont_square, power);
    }
}

PADICI_FN padic_result padici_num_ring_make(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                        const padic_num_ring_options *options, uint32_t composite)
{
    const uint32_t wanted = options ? (uint32_t)options->form : 0;
    const uint32_t limb32 = options ? options->limb32 : 0;
    uint32_t least;
    padic_num_ring r;
    memset(&r, 0, sizeof r);
    r.p = p;
    r.precision = precision;
    r.composite = composite;
    if (wanted > PADIC_NUM_RX || limb32 > 1) return PADIC_ERROR_ARGUMENT;
    if (!precision || precision > PADIC_NUM_MAX_PRECISION) return PADIC_ERROR_PRECISION;
    if (p >> 63) return PADIC_ERROR_LIMIT;
    r.bits = padici_num_power_bits(p, precision);
    if (r.bits > PADIC_NUM_MAX_BITS) return PADIC_ERROR_PRECISION;
    least = r.bits > 127 || (r.bits == 127 && p == 2) ? PADIC_NUM_RX
            : r.bits > 64                             ? PADIC_NUM_W128
            : p == 2                                  ? PADIC_NUM_B2
            : r.bits > 49                             ? PADIC_NUM_W64
            : r.bits > 32                             ? PADIC_NUM_W49
                                                      : PADIC_NUM_W32;
    if (wanted && wanted < least) return PADIC_ERROR_PRECISION;
    if (p == 2 && wanted > PADIC_NUM_B2 && wanted < PADIC_NUM_W128 && (r.bits == 64 ||
        (wanted == PADIC_NUM_W32 && r.bits > 31) || (wanted == PADIC_NUM_W49 && r.bits > 48)))
        return PADIC_ERROR_PRECISION; // P itself does not fit
    r.form = (padic_num_form)(wanted ? wanted : least);
    r.unit_size = r.form == PADIC_NUM_W32 || (r.form == PADIC_NUM_B2 && precision <= 32) ? 4 : 8;
    r.words = r.form == PADIC_NUM_W128 ? 2 : 1;
    if (r.form == PADIC_NUM_RX) {
        const uint64_t limit = UINT64_C(1) << (limb32 ? 32 : p >> 49 ? 63 : 49);
        uint64_t base = 1;
        if (p >= limit) return PADIC_ERROR_LIMIT;
        for (; base <= (limit - 1) / p; base *= p) r.limb_digits++;
        r.unit_size = limb32 ? 4 : 8;
        r.words = (precision + r.limb_digits - 1) / r.limb_digits;
        r.top_digits = precision - r.limb_digits * (r.words - 1);
    }
    padici_num_ring_constants(&r);
    r.magic = PADICI_NUM_MAGIC;
    *ring = r;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_ring_init(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                           const padic_num_ring_options *options)
{
    if (!ring) return PADIC_ERROR_ARGUMENT;
    memset(ring, 0, sizeof *ring);
    if (!padic_num_is_prime(p)) return PADIC_ERROR_PRIME;
    return padici_num_ring_make(ring, p, precision, options, 0);
}

PADIC_API padic_result padic_num_ring_init_radix(padic_num_ring *ring, uint64_t b,
                                                 uint32_t precision,
                                                 const padic_num_ring_options *options)
{
    if (!ring) return PADIC_ERROR_ARGUMENT;
    memset(ring, 0, sizeof *ring);
    if (b < 2) return PADIC_ERROR_ARGUMENT;
    return padici_num_ring_make(ring, b, precision, options, !padic_num_is_prime(b));
}

PADICI_FN int padici_num_ring_is(const padic_num_ring *ring)
{
    return ring && ring->magic == PADICI_NUM_MAGIC;
}

PADICI_FN int padici_num_ring_equal(const padic_num_ring *a, const padic_num_ring *b)
{
    return a == b || (a->p == b->p && a->precision == b->precision && a->form == b->form &&
                      a->unit_size == b->unit_size);
}

#endif
