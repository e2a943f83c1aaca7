#include "neon.h"
#include "../../codec/bytes.h"
#include "../../codec/differences.h"
#include "../../codec/representation.h"
#include "../../codec/rans.h"
#include "../../codec/streams.h"
#include "../level.h"
#include "../words.h"
#include "all.h"
#include "blocks_vbmi.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC)

// -------------------------------------------------------------------------------- >>codec, AArch64

#if PADICI_SIMD_ARM
PADICI_CODEC_WORDS(neon, , uint64x2_t, 2)

// Two lanes do not pay for the steps between them.
PADICI_INLINE size_t padici_codec_near_neon(uint64_t *x, size_t i, size_t end, size_t place,
                                            uint32_t stride, uint64_t carry[8], int zigzag,
                                            int exclusive)
{
    (void)x;
    (void)end;
    (void)place;
    (void)stride;
    (void)carry;
    (void)zigzag;
    (void)exclusive;
    return i;
}

PADICI_INLINE int padici_codec_rows_neon(uint64_t *x, size_t i, size_t to,
                                         const padici_codec_op *op, uint64_t carry[8], int zigzag,
                                         int exclusive)
{
    (void)x;
    (void)i;
    (void)to;
    (void)op;
    (void)carry;
    (void)zigzag;
    (void)exclusive;
    return 0;
}

PADICI_CODEC_SUMS(neon, )

static void padici_codec_fixed_neon(const uint8_t *p, const uint8_t *end, uint32_t width,
                                    uint64_t *z, size_t n)
{
    padici_codec_pairs pairs;
    size_t i = 0;
    if (width - 1 < 57 && n >= 16) {
        const uint64x2_t mask = vdupq_n_u64(~UINT64_C(0) >> (64 - width));
        uint8x16_t take[4];
        uint64x2_t down[4];
        uint32_t k;
        padici_codec_pairs_make(&pairs, width);
        for (k = 0; k < 4; k++) {
            take[k] = vld1q_u8(pairs.take[k]);
            down[k] = vld1q_u64(pairs.shift + 2 * k);
        }
        for (; i + 8 <= n && (size_t)(end - p) >= width + 16; i += 8, p += width) {
            for (k = 0; k < 4; k++) {
                const uint8x16_t v = vqtbl1q_u8(vld1q_u8(p + pairs.at[k]), take[k]);
                const uint64x2_t w = padici_neon_srl(vreinterpretq_u64_u8(v), down[k]);
                vst1q_u64(z + i + 2 * k, vandq_u64(w, mask));
            }
        }
    }
    padici_codec_fixed_loop(p, end, width, z + i, n - i);
}

// Words of bytes: 16 of each plane at a time.
static void padici_codec_planes_neon(const padici_codec_decoder *decoder, uint64_t *z, size_t from,
                                     size_t to)
{
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 16 <= to; i += 16) {
        uint32x4_t half[2][4]; // bytes 0 to 3, 4 to 7 of four words each
        uint32_t h, k;
        for (h = 0; h < 2; h++) {
            uint8x16_t p[4];
            uint16x8_t low[2], high[2];
            for (k = 0; k < 4; k++)
                p[k] = 4 * h + k < planes ? vld1q_u8(decoder->plane[4 * h + k] + i) : vdupq_n_u8(0);
            for (k = 0; k < 2; k++) {
                low[k] = vreinterpretq_u16_u8(vzip1q_u8(p[2 * k], p[2 * k + 1]));
                high[k] = vreinterpretq_u16_u8(vzip2q_u8(p[2 * k], p[2 * k + 1]));
            }
            half[h][0] = vreinterpretq_u32_u16(vzip1q_u16(low[0], low[1]));
            half[h][1] = vreinterpretq_u32_u16(vzip2q_u16(low[0], low[1]));
            half[h][2] = vreinterpretq_u32_u16(vzip1q_u16(high[0], high[1]));
            half[h][3] = vreinterpretq_u32_u16(vzip2q_u16(high[0], high[1]));
        }
        for (k = 0; k < 4; k++) {
            vst1q_u64(z + i + 4 * k, vreinterpretq_u64_u32(vzip1q_u32(half[0][k], half[1][k])));
            vst1q_u64(z + i + 4 * k + 2, vreinterpretq_u64_u32(vzip2q_u32(half[0][k], half[1][k])));
        }
    }
    padici_codec_next_planes(decoder, z, i, to);
}

// Symbol | frequency - 1 << 8 | offset << 20, as many of each symbol as its frequency.
static void padici_codec_slots_neon(const uint16_t freq[256], uint32_t *table)
{
    static const uint32_t lanes[4] = {0, 1u << 20, 2u << 20, 3u << 20};
    const uint32_t *const end = table + PADICI_CODEC_RANS_TOTAL;
    const uint32x4_t up = vdupq_n_u32(4u << 20);
    uint32_t s, i;
    for (s = 0; s < 256; s++) {
        const uint32_t f = freq[s], entry = s | (f - 1) << 8;
        uint32x4_t v = vaddq_u32(vld1q_u32(lanes), vdupq_n_u32(entry));
        for (i = 0; i < f && end - table >= (ptrdiff_t)i + 4; i += 4, v = vaddq_u32(v, up))
            vst1q_u32(table + i, v); // what is beyond f is written over
        for (; i < f; i++) table[i] = entry | i << 20;
        table += f;
    }
}

PADICI_INLINE void padici_codec_difference_loop_neon(const uint64_t *x, uint64_t *to, size_t n,
                                                     const padici_codec_op *op, int zigzag,
                                                     int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_codec_least(from + segment, n);
        const size_t edge = padici_codec_least(from + stride, end);
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_codec_fold(x[i]) : x[i];
        for (; i + 2 <= end; i += 2) {
            const uint64x2_t a = vld1q_u64(x + i), b = vld1q_u64(x + i - stride);
            const uint64x2_t r = exclusive ? veorq_u64(a, b) : vsubq_u64(a, b);
            const uint64x2_t sign =
                vreinterpretq_u64_s64(vshrq_n_s64(vreinterpretq_s64_u64(r), 63));
            vst1q_u64(to + i, zigzag ? veorq_u64(vaddq_u64(r, r), sign) : r);
        }
        for (; i < end; i++) {
            const uint64_t r = exclusive ? x[i] ^ x[i - stride] : x[i] - x[i - stride];
            to[i] = zigzag ? padici_codec_fold(r) : r;
        }
    }
}

static void padici_codec_difference_neon(const uint64_t *x, uint64_t *to, size_t n,
                                         const padici_codec_op *op, int zigzag, int exclusive)
{
    if (x == to)
        padici_codec_difference(x, to, n, op, zigzag, exclusive);
    else if (exclusive)
        padici_codec_difference_loop_neon(x, to, n, op, 0, 1);
    else if (zigzag)
        padici_codec_difference_loop_neon(x, to, n, op, 1, 0);
    else
        padici_codec_difference_loop_neon(x, to, n, op, 0, 0);
}

static void padici_codec_lower_neon(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    const uint64x2_t base = vdupq_n_u64(first);
    const int64x2_t down = vdupq_n_s64(-(int64_t)shift);
    size_t i;
    for (i = 0; i + 2 <= n; i += 2)
        vst1q_u64(x + i, vshlq_u64(vsubq_u64(vld1q_u64(x + i), base), down));
    padici_codec_lower_loop(x + i, n - i, first, shift);
}
#endif

PADICI_FN padic_result padici_simd_codec(uint32_t level, padici_codec_loops *loops)
{
#if PADICI_SIMD_X86
    padici_simd_codec_x86(level, loops);
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)level;
    loops->checksum = padici_codec_checksum_neon;
    loops->fixed = padici_codec_fixed_neon;
    loops->sum = padici_codec_sum_neon;
    loops->planes = padici_codec_planes_neon;
    loops->rans_table = padici_codec_slots_neon;
    loops->difference = padici_codec_difference_neon;
    loops->lower = padici_codec_lower_neon;
    return PADIC_OK;
#else
    (void)level;
    (void)loops;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#endif
