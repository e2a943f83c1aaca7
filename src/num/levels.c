#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "../core/words.h"
#include "channels.h"
#include "floats.h"
#include "integers.h"
#include "residue.h"
#include "ring.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// ---- levels
//
// With |x| = 2^k g, 1 <= g < 2, the first F + 1 bits of log2 g come from squaring g F + 1 times,
// halving it and noting a 1 whenever it reaches 2; then y = 2^F k + floor((those bits + 1) / 2). No
// tie exists: 2^((2c - 1) / 2^(F+1)) is irrational. In words of w bits a squaring cuts off less
// than 6 units of 2^(1-w), and each one doubles the previous relative error, so the last value is
// less than 2^(F+5) units too small, and the bits are right unless it is that close to 2. With 64
// bits it nearly never is; then 128 bits always decide: all 2^31 - 1 thresholds 2^(j / 2^31) are
// further than 2^-85 from any multiple of 2^-53 (tests/num/test_num_channels.c enumerates them), so
// from every g of 53 bits, and from every tie of decoding.

static uint64_t padici_num_log_bits_wide(uint64_t g, uint32_t n)
{
    padici_num_wide a = padici_num_wide_make(0, g);
    uint64_t bits = 0;
    for (; n > 0; n--) {
        a = padici_num_wide_mul_high(a, a);
        bits = bits << 1 | a.high >> 63;
        if (!(a.high >> 63)) a = padici_num_wide_shl(a, 1);
    }
    return bits;
}

// The first n <= 31 bits of log2 of g / 2^63.
PADICI_INLINE uint64_t padici_num_log_bits(uint64_t g, uint32_t n)
{
    uint64_t a = g, bits = 0;
    uint32_t j;
    for (j = 0; j < n; j++) {
        const uint64_t low = a * a, high = padici_mulhi64(a, a), one = high >> 63;
        bits = bits << 1 | one;
        a = high << (1 - one) | (low >> 63 & ~one);
    }
    return PADICI_UNLIKELY(a >= 0 - (UINT64_C(16) << n)) ? padici_num_log_bits_wide(g, n) : bits;
}

static void padici_num_log_encode_loop(padici_num_sweep *sweep, uint32_t piece, uint64_t first,
                                   uint64_t end)
{
    const padic_num_log_desc *desc = (const padic_num_log_desc *)sweep->desc;
    const padic_dtype dtype = desc->value.dtype;
    const uint32_t f = desc->fraction;
    uint64_t i, m;
    int32_t e;
    for (i = first; i < end; i++) {
        const uint64_t bits = padici_num_float_load(sweep->data[0], dtype, i);
        const uint32_t negative = padici_num_float_parts(dtype, bits, &m, &e);
        uint32_t note = 0;
        int64_t level = 0;
        if (!padici_num_float_finite(dtype, bits)) {
            note = PADIC_NUM_OUTSIDE;
            m = 0;
        } else if (!m) {
            note = negative ? PADIC_NUM_INEXACT : 0;
        } else {
            const uint32_t up = padici_clz64(m);
            level = (int64_t)((padici_num_log_bits(m << up, f + 1) + 1) >> 1);
            level += (e + 63 - (int32_t)up) * ((int64_t)1 << f);
        }
        ((int8_t *)sweep->data[1])[i] = (int8_t)(!m ? 0 : negative ? -1 : 1);
        padici_num_int_store(sweep->data[2], sweep->size[2], i, (uint64_t)level);
        padici_num_sweep_note(sweep, piece, i, note);
    }
}

// 2^(c / 2^f) for c < 2^f in units of 2^-127, less than 2^9 too small: a product of 2^(2^-i).
static padici_num_wide padici_num_log_power(uint64_t c, uint32_t f)
{
    static const uint64_t root[60] = { // floor(2^(127 + 2^-i)), high word first, i = 1 to 30
        0xb504f333f9de6484u, 0x597d89b3754abe9fu, 0x9837f0518db8a96fu, 0x46ad23182e42f6f6u,
        0x8b95c1e3ea8bd6e6u, 0xfbe4628758a53c90u, 0x85aac367cc487b14u, 0xc5c95b8c2154c1b2u,
        0x82cd8698ac2ba1d7u, 0x3e2a475b46520bffu, 0x8164d1f3bc030773u, 0x7be56527bd14def4u,
        0x80b1ed4fd999ab6cu, 0x25335719b6e6fd20u, 0x8058d7d2d5e5f6b0u, 0x94d589f608ee4aa2u,
        0x802c6436d0e04f50u, 0xff8ce94a6797b3ceu, 0x8016302f17467628u, 0x3690dfe44d11d008u,
        0x800b179c82028fd0u, 0x945e54e2ae18f2f0u, 0x80058baf7fee3b5du, 0x1c718b38e549cb93u,
        0x8002c5d00fdcfcb6u, 0xb6566a58c048be1fu, 0x800162e61bed4a48u, 0xe84c2e1a463473d9u,
        0x8000b17292f702a3u, 0xaa22beacca949013u, 0x800058b92abbae02u, 0x030c5fa5256f41feu,
        0x80002c5c8dade4d7u, 0x1776c0f4dbea67d6u, 0x8000162e44eaf636u, 0x526be456600bdbe4u,
        0x80000b1721fa7c18u, 0x8307016c1cd4e8b6u, 0x8000058b90de7e4cu, 0xecfc487503488bb1u,
        0x800002c5c8678f36u, 0xcbfce50a6de60b14u, 0x80000162e431db9fu, 0x80b2347b5d62e516u,
        0x800000b1721872d0u, 0xc7b08cf1e0114152u, 0x80000058b90c1aa8u, 0xa5c3736cb77e8dffu,
        0x8000002c5c8605a4u, 0x635f2efc2362d978u, 0x800000162e4300e6u, 0x35cf4a109e3939bdu,
        0x8000000b17217ff8u, 0x1bef9c551590cf83u, 0x800000058b90bfddu, 0x4e39cd52c0cfa27cu,
        0x80000002c5c85fe6u, 0xf72d669e0e76e411u, 0x8000000162e42ff1u, 0x8f9ad35186d0df28u
    };
    padici_num_wide x = padici_num_wide_make(0, UINT64_C(1) << 63);
    uint32_t i;
    for (i = 0; i < f; i++)
        if (c >> (f - 1 - i) & 1)
            x = padici_num_wide_shl(
                padici_num_wide_mul_high(x, padici_num_wide_make(root[2 * i + 1], root[2 * i])), 1);
    return x;
}

// The bits of 2^(y / 2^f), correctly rounded, in a float type.
static uint64_t padici_num_log_value(padic_dtype dtype, int64_t y, uint32_t f, uint32_t *note)
{
    const uint64_t c = (uint64_t)y & ((UINT64_C(1) << f) - 1);
    const int64_t whole = (y - (int64_t)c) / ((int64_t)1 << f);
    const int64_t k = whole < -4096 ? -4096 : whole > 4096 ? 4096 : whole; // no float is beyond
    uint32_t inexact, overflow;
    const uint64_t bits = padici_num_float_round(dtype, padici_num_log_power(c, f).high, k - 63,
                                                 c != 0, &inexact, &overflow);
    *note = overflow ? PADIC_NUM_RANGE : bits ? 0 : PADIC_NUM_INEXACT;
    return bits;
}

static void padici_num_log_decode_loop(padici_num_sweep *sweep, uint32_t piece, uint64_t first,
                                   uint64_t end)
{
    const padic_num_log_desc *desc = (const padic_num_log_desc *)sweep->desc;
    const padic_dtype dtype = desc->value.dtype;
    const padici_num_format f = padici_num_format_of(dtype);
    uint64_t i;
    for (i = first; i < end; i++) {
        const int8_t sign = ((const int8_t *)sweep->data[1])[i];
        int negative;
        uint64_t level = padici_num_int_load(sweep->data[2], desc->level.dtype, i, &negative),
                 bits = 0;
        uint32_t note = 0;
        if (negative) level = 0 - level;
        if (sign < -1 || sign > 1) { // no sign: a quiet NaN
            bits = ((UINT64_C(2) << f.exponent) - 1) << (f.mantissa - 1);
            note = PADIC_NUM_OUTSIDE;
        } else if (sign) {
            bits = padici_num_log_value(dtype, (int64_t)level, desc->fraction, &note);
            bits |= (uint64_t)(sign < 0) << (f.mantissa + f.exponent);
        }
        padici_num_float_store(sweep->data[0], dtype, i, bits);
        padici_num_sweep_note(sweep, piece, i, note);
    }
}

// Checks that F, the ring and the width of levels fit the floats.
static padic_result padici_num_log_check(padic_context *context, const padic_num_log_desc *desc)
{
    const padici_num_format t = padici_num_format_of(desc->value.dtype);
    const uint32_t f = desc->fraction;
    const uint64_t most = ((UINT64_C(1) << (t.exponent - 1)) - 1 + t.mantissa) << (f & 31);
    if (f + 1 > t.mantissa || f > 30)
        return padici_blame(context, PADIC_ERROR_LIMIT, "fraction", NULL,
                            "must be at most 30 and 2 below the significant bits of `value`");
    if (most >> (8 * padic_dtype_size(desc->level.dtype) - 1))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "level", NULL,
                            "has a dtype too narrow for so large a `fraction`");
    if (desc->ring) {
        if (!padici_num_ring_is(desc->ring))
            return padici_blame(context, PADIC_ERROR_ARGUMENT, "ring", NULL,
                                "was not made by num_ring_init");
        if (desc->ring->bits < 44 && desc->ring->modulus[0] <= UINT64_C(2150) << f)
            return padici_blame(context, PADIC_ERROR_LIMIT, "ring", NULL,
                                "has too few digits for all levels: P > 2,150 2^fraction");
    }
    return PADIC_OK;
}

static padic_result padici_num_log(padic_context *context, const padic_num_log_desc *desc,
                               uint32_t encode)
{
    const char *const name = encode ? "num_log_encode" : "num_log_decode";
    padici_num_sweep sweep;
    padic_result result;
    padici_num_sweep_begin(&sweep, name, desc,
                       encode ? padici_num_log_encode_loop : padici_num_log_decode_loop);
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
    padici_num_sweep_tensor(&sweep, 0, "value", &desc->value, PADICI_NUM_FLOATS, !encode);
    padici_num_sweep_tensor(&sweep, 1, "sign", &desc->sign, 1u << PADIC_I8, encode);
    padici_num_sweep_tensor(&sweep, 2, "level", &desc->level, PADICI_NUM_SIGNED & ~(1u << PADIC_I8),
                        encode);
    padici_num_sweep_status(&sweep, &desc->status, desc->sticky);
    result = padici_num_sweep_check(context, &sweep, 0);
    if (!result) result = padici_num_log_check(context, desc);
    return result ? padici_fault(context, result, name) : padici_num_sweep_run(context, &sweep);
}

PADIC_API padic_result padic_num_log_encode(padic_context *context, const padic_num_log_desc *desc)
{
    return padici_num_log(context, desc, 1);
}

PADIC_API padic_result padic_num_log_decode(padic_context *context, const padic_num_log_desc *desc)
{
    return padici_num_log(context, desc, 0);
}

#endif
