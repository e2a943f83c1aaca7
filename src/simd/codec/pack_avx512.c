#include "pack_avx512.h"
#include "../../codec/block_decode.h"
#include "../../codec/bytes.h"
#include "../../codec/constants.h"
#include "../../codec/representation.h"
#include "../../codec/differences.h"
#include "../../codec/transforms.h"
#include "../../codec/neighbours.h"
#include "../../codec/interpolation.h"
#include "../../codec/repeats.h"
#include "../../codec/streams.h"
#include "../../core/words.h"
#include "../words.h"
#include "avx512.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- AVX-512, packing

PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_step(const uint64_t *x, size_t stride,
                                                           __mmask8 lanes, int zigzag,
                                                           int exclusive)
{
    const __m512i a = _mm512_maskz_loadu_epi64(lanes, x);
    const __m512i b = _mm512_maskz_loadu_epi64(lanes, x - stride);
    const __m512i r = exclusive ? _mm512_xor_si512(a, b) : _mm512_sub_epi64(a, b);
    return zigzag ? padici_avx512_fold(r) : r;
}

PADICI_AVX512 PADICI_INLINE void padici_simd_codec_difference_loop(const uint64_t *x, uint64_t *to,
                                                                   size_t n,
                                                                   const padici_codec_op *op,
                                                                   int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    if (segment < 96) { // in descending order, too
        const __m512i size = padici_avx512_all(segment), first = padici_avx512_all(stride);
        const __m512i by = padici_avx512_all(segment - 8 % segment);
        size_t left = n;
        __m512i place = padici_simd_codec_places((n + 8 * segment - 8) % segment, segment);
        while (left) {
            const size_t at = left >= 8 ? left - 8 : 0;
            const __mmask8 there = (__mmask8)(0xffu >> (at + 8 - left));
            __m512i a, b;
            if (left < 8) place = padici_simd_codec_places(0, segment);
            a = _mm512_maskz_loadu_epi64(there, x + at);
            b = _mm512_maskz_loadu_epi64(there & _mm512_cmpge_epu64_mask(place, first),
                                         x + at - stride);
            a = exclusive ? _mm512_xor_si512(a, b) : _mm512_sub_epi64(a, b);
            _mm512_mask_storeu_epi64(to + at, there, zigzag ? padici_avx512_fold(a) : a);
            place = padici_simd_codec_behind(place, by, size);
            left = at;
        }
        return;
    }
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_codec_least(from + segment, n);
        const size_t edge = padici_codec_least(from + stride, end);
        for (i = end; i >= edge + 8; i -= 8)
            padici_avx512_store(to + i - 8,
                                padici_simd_codec_step(x + i - 8, stride, 0xff, zigzag, exclusive));
        if (i > edge) {
            const __mmask8 rest = (__mmask8)((1u << (i - edge)) - 1);
            _mm512_mask_storeu_epi64(
                to + edge, rest,
                padici_simd_codec_step(x + edge, stride, rest, zigzag, exclusive));
        }
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_codec_fold(x[i]) : x[i];
    }
}

PADICI_AVX512 static void padici_simd_codec_difference_avx512(const uint64_t *x, uint64_t *to,
                                                              size_t n, const padici_codec_op *op,
                                                              int zigzag, int exclusive)
{
    if (exclusive)
        padici_simd_codec_difference_loop(x, to, n, op, 0, 1);
    else if (zigzag)
        padici_simd_codec_difference_loop(x, to, n, op, 1, 0);
    else
        padici_simd_codec_difference_loop(x, to, n, op, 0, 0);
}

PADICI_AVX512 static uint64_t padici_simd_codec_least_avx512(const uint64_t *x, size_t n,
                                                             uint64_t *differ)
{
    const __m512i first = padici_avx512_all(x[0]);
    __m512i low = first, all = _mm512_setzero_si512();
    uint64_t rest, least;
    size_t i;
    for (i = 0; i + 8 <= n; i += 8) {
        const __m512i v = padici_avx512_load(x + i);
        low = _mm512_min_epi64(low, v);
        all = _mm512_or_si512(all, _mm512_xor_si512(v, first));
    }
    *differ = (uint64_t)_mm512_reduce_or_epi64(all);
    least = (uint64_t)_mm512_reduce_min_epi64(low);
    if (i == n) return least;
    low = padici_avx512_all(padici_codec_least_word(x + i, n - i, &rest));
    *differ |= rest | (x[i] ^ x[0]);
    rest = (uint64_t)_mm512_reduce_min_epi64(low);
    return (int64_t)rest < (int64_t)least ? rest : least;
}

PADICI_AVX512 static size_t padici_simd_codec_runs_avx512(const uint64_t *z, size_t n)
{
    size_t i, runs = 1;
    for (i = 1; i + 8 <= n; i += 8)
        runs += (size_t)_mm_popcnt_u32((uint32_t)padici_mask8(_mm512_cmpneq_epi64_mask(
            padici_avx512_load(z + i), padici_avx512_load(z + i - 1))));
    return i < n ? runs + padici_codec_count_runs(z + i - 1, n - i + 1) - 1 : runs;
}

// A mask of the 256 bytes of `lengths` that are at least `width`.
PADICI_AVX512 PADICI_INLINE uint64_t padici_simd_codec_wide(const uint8_t *lengths, uint32_t width)
{
    return (uint64_t)padici_mask64(_mm512_cmpge_epu8_mask(padici_avx512_load(lengths),
                                                          _mm512_set1_epi8((char)width)));
}

PADICI_AVX512 static size_t padici_simd_codec_group_avx512(const uint64_t *z, size_t from,
                                                           size_t to, uint8_t *chosen,
                                                           uint64_t *gaps, uint64_t *high,
                                                           size_t count, size_t *before)
{
    uint8_t lengths[PADICI_CODEC_GROUP];
    uint32_t width, best, above = 0, k;
    uint32_t cost = 0xffffffffu;
    __m512i all = _mm512_setzero_si512();
    size_t i;
    if (to - from != PADICI_CODEC_GROUP)
        return padici_codec_fixed_group(z, from, to, chosen, gaps, high, count, before);
    for (i = 0; i < PADICI_CODEC_GROUP; i += 8) {
        const __m512i v = padici_avx512_load(z + from + i);
        const __m512i length = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_lzcnt_epi64(v));
        all = _mm512_or_si512(all, v);
        _mm_storel_epi64((__m128i *)(void *)(lengths + i), _mm512_cvtepi64_epi8(length));
    }
    width = best = padici_codec_bit_length((uint64_t)_mm512_reduce_or_epi64(all));
    for (;; width--) {
        const uint32_t here = PADICI_CODEC_GROUP * width + 12 * above;
        if (8 * above > PADICI_CODEC_GROUP) break;
        if (here <= cost) cost = here, best = width;
        if (width == 0) break;
        for (above = 0, k = 0; k < PADICI_CODEC_GROUP; k += 64)
            above += (uint32_t)_mm_popcnt_u64(padici_simd_codec_wide(lengths + k, width));
    }
    *chosen = (uint8_t)best;
    for (k = 0; k < PADICI_CODEC_GROUP && best < 64; k += 64) {
        uint64_t over = padici_simd_codec_wide(lengths + k, best + 1);
        for (; over; over &= over - 1) {
            i = from + k + padici_ctz64(over);
            gaps[count] = i - *before;
            high[count++] = z[i] >> best;
            *before = i + 1;
        }
    }
    return count;
}

PADICI_AVX512 static uint64_t padici_simd_codec_tokens_avx512(const uint64_t *z, size_t n,
                                                              uint32_t m, uint8_t *tokens,
                                                              uint32_t *widest)
{
    const __m512i one = _mm512_set1_epi64(1), top = padici_avx512_all(63 - m);
    const __m512i plain = padici_avx512_all((uint64_t)2 << m);
    const __m512i low = padici_avx512_all((1u << m) - 1);
    const __m128i up = _mm_cvtsi32_si128((int)m);
    __m512i sum = _mm512_setzero_si512(), most = sum;
    uint64_t total;
    uint32_t rest = 0;
    size_t i;
    for (i = 0; i + 8 <= n; i += 8) {
        const __m512i v = padici_avx512_load(z + i);
        const __m512i e = _mm512_maskz_sub_epi64(_mm512_cmpge_epu64_mask(v, plain), top,
                                                 _mm512_lzcnt_epi64(v));
        const __m512i t = _mm512_add_epi64(_mm512_sll_epi64(_mm512_add_epi64(e, one), up),
                                           _mm512_and_si512(_mm512_srlv_epi64(v, e), low));
        sum = _mm512_add_epi64(sum, e);
        most = _mm512_max_epi64(most, e);
        _mm_storel_epi64((__m128i *)(void *)(tokens + i),
                         _mm512_cvtepi64_epi8(_mm512_mask_mov_epi64(
                             t, _mm512_cmplt_epu64_mask(v, plain), v)));
    }
    total = (uint64_t)_mm512_reduce_add_epi64(sum) +
            padici_codec_make_tokens(z + i, n - i, m, tokens + i, &rest);
    *widest = (uint32_t)_mm512_reduce_max_epi64(most);
    if (rest > *widest) *widest = rest;
    return total;
}

// The logarithms of 16 counts at once; those of 0 do not matter.
PADICI_AVX512 static uint64_t padici_simd_codec_entropy_avx512(const uint32_t *counts,
                                                               uint32_t symbols, uint32_t total)
{
    const __m512i all = _mm512_set1_epi32((int)(total ? padici_codec_log2(total) : 0));
    __m512i sum = _mm512_setzero_si512();
    uint32_t i;
    for (i = 0; i < symbols; i += 16) {
        const uint32_t left = symbols - i < 16 ? symbols - i : 16;
        const __m512i x =
            _mm512_maskz_loadu_epi32((__mmask16)(0xffffu >> (16 - left)), counts + i);
        const __m512i zeros = _mm512_lzcnt_epi32(x);
        const __m512i whole = _mm512_sub_epi32(_mm512_set1_epi32(31), zeros);
        const __m512i f =
            _mm512_and_si512(_mm512_srli_epi32(_mm512_sllv_epi32(x, zeros), 15),
                             _mm512_set1_epi32(0xffff));
        const __m512i bow = _mm512_srli_epi32(
            _mm512_mullo_epi32(f, _mm512_sub_epi32(_mm512_set1_epi32(65536), f)), 16);
        const __m512i part = _mm512_add_epi32(
            f, _mm512_srli_epi32(_mm512_mullo_epi32(bow, _mm512_set1_epi32(22479)), 16));
        const __m512i bits = _mm512_sub_epi32(
            all, _mm512_or_si512(_mm512_slli_epi32(whole, 8), _mm512_srli_epi32(part, 8)));
        sum = _mm512_add_epi64(sum, _mm512_mul_epu32(x, bits));
        sum = _mm512_add_epi64(sum, _mm512_mul_epu32(_mm512_srli_epi64(x, 32),
                                                     _mm512_srli_epi64(bits, 32)));
    }
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

// Plain bits of two or four words at a time.
PADICI_AVX512 static void padici_simd_codec_put_plain_avx512(const uint64_t *z,
                                                             const uint8_t *tokens, size_t n,
                                                             uint32_t m, uint32_t widest,
                                                             uint8_t *p)
{
    const __m512i one = _mm512_set1_epi64(1);
    const __m128i down = _mm_cvtsi32_si128((int)m);
    uint64_t bits8[8], extra8[8];
    const uint32_t step = widest <= 14 ? 4 : 2;
    padici_codec_bits bits;
    size_t i;
    uint32_t k;
    bits.at = p;
    bits.held = 0;
    bits.count = 0;
    for (i = 0; i + 8 <= n && widest <= 28; i += 8) {
        const __m512i t = _mm512_cvtepu8_epi64(
            _mm_loadl_epi64((const __m128i *)(const void *)(tokens + i)));
        __m512i e = _mm512_sub_epi64(_mm512_max_epi64(_mm512_srl_epi64(t, down), one), one);
        __m512i v = _mm512_and_si512(padici_avx512_load(z + i),
                                     _mm512_sub_epi64(_mm512_sllv_epi64(one, e), one));
        v = _mm512_or_si512(v, _mm512_sllv_epi64(_mm512_bsrli_epi128(v, 8), e));
        e = _mm512_add_epi64(e, _mm512_bsrli_epi128(e, 8));
        if (step == 4) {
            v = _mm512_or_si512(v, _mm512_sllv_epi64(_mm512_permutex_epi64(v, 0xee), e));
            e = _mm512_add_epi64(e, _mm512_permutex_epi64(e, 0xee));
        }
        padici_avx512_store(bits8, v);
        padici_avx512_store(extra8, e);
        for (k = 0; k < 8; k += step) padici_codec_put_bits(&bits, bits8[k], (uint32_t)extra8[k]);
    }
    (void)padici_codec_put_plain_bits(bits, z + i, tokens + i, n - i, m);
}

PADICI_AVX512 static uint64_t padici_simd_codec_packed_avx512(const uint64_t *z, size_t n)
{
    const __m512i all = _mm512_set1_epi64(64);
    uint64_t total = 0;
    size_t i;
    for (i = 0; i + 32 <= n; i += 32) {
        const __m512i a = _mm512_sub_epi64(all, _mm512_lzcnt_epi64(padici_avx512_load(z + i)));
        const __m512i b = _mm512_sub_epi64(all, _mm512_lzcnt_epi64(padici_avx512_load(z + i + 8)));
        const __m512i c = _mm512_sub_epi64(all, _mm512_lzcnt_epi64(padici_avx512_load(z + i + 16)));
        const __m512i d = _mm512_sub_epi64(all, _mm512_lzcnt_epi64(padici_avx512_load(z + i + 24)));
        const __m512i ab = _mm512_or_si512(a, _mm512_slli_epi64(b, 8));
        const __m512i cd = _mm512_or_si512(c, _mm512_slli_epi64(d, 8));
        const __m512i lengths = _mm512_or_si512(ab, _mm512_slli_epi64(cd, 16));
        const __m256i bytes = _mm512_cvtepi64_epi32(lengths);
        uint32_t width = (uint32_t)_mm512_reduce_max_epi64(
            _mm512_max_epi64(_mm512_max_epi64(a, b), _mm512_max_epi64(c, d)));
        uint32_t cost = 32 * width, above, here;
        for (; width > 0; width--) {
            above = (uint32_t)_mm_popcnt_u32((uint32_t)padici_mask32(
                _mm256_cmpge_epu8_mask(bytes, _mm256_set1_epi8((char)width))));
            here = 32 * (width - 1) + 16 * above;
            if (8 * above > 32) break;
            if (here < cost) cost = here;
        }
        total += cost;
    }
    return i < n ? total + padici_codec_packed_cost(z + i, n - i) : total;
}

PADICI_AVX512 PADICI_INLINE size_t padici_simd_codec_pick16(__m512i upper, uint32_t share, size_t i,
                                                            uint32_t *picks)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i h = _mm512_mullo_epi32(upper, _mm512_set1_epi32((int)0x9e3779b1u));
    const __mmask16 found = _mm512_testn_epi32_mask(
        h, _mm512_set1_epi32((int)(0xffffffffu << (32 - share))));
    const uint32_t mask = (uint32_t)padici_mask16(found);
    // no branch; what follows the places found is overwritten: there is room for n
    _mm512_storeu_si512(picks, _mm512_maskz_compress_epi32(
                                   found, _mm512_add_epi32(lanes, _mm512_set1_epi32((int)i))));
    return (size_t)_mm_popcnt_u32(mask);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_upper8(const uint8_t *raw, uint32_t split)
{
    const __m512i v = _mm512_srl_epi64(_mm512_rol_epi64(padici_avx512_load(raw), 1),
                                       _mm_cvtsi32_si128((int)split));
    return _mm512_xor_si512(v, _mm512_srli_epi64(v, 32));
}

PADICI_AVX512 static size_t padici_simd_codec_pick_avx512(const uint8_t *raw, size_t n,
                                                          uint32_t size, uint32_t split,
                                                          uint32_t share, uint32_t *picks)
{
    const __m128i down = _mm_cvtsi32_si128((int)split);
    size_t i = 0, count = 0, rest, k;
    if (size == 8) {
        for (; i + 16 <= n; i += 16) {
            const __m512i a = padici_simd_codec_upper8(raw + 8 * i, split);
            const __m512i b = padici_simd_codec_upper8(raw + 8 * i + 64, split);
            const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(a));
            const __m512i v = _mm512_inserti64x4(low, _mm512_cvtepi64_epi32(b), 1);
            count += padici_simd_codec_pick16(v, share, i, picks + count);
        }
    } else if (size == 4) {
        for (; i + 16 <= n; i += 16) {
            const __m512i v = _mm512_rol_epi32(padici_avx512_load(raw + 4 * i), 1);
            count += padici_simd_codec_pick16(_mm512_srl_epi32(v, down), share, i, picks + count);
        }
    } else if (size == 2) {
        for (; i + 16 <= n; i += 16) {
            const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(raw + 2 * i));
            const __m256i v = _mm256_or_si256(_mm256_slli_epi16(x, 1), _mm256_srli_epi16(x, 15));
            const __m512i upper = _mm512_srl_epi32(_mm512_cvtepu16_epi32(v), down);
            count += padici_simd_codec_pick16(upper, share, i, picks + count);
        }
    }
    rest = padici_codec_pick_plain(raw + i * size, n - i, size, split, share, picks + count);
    for (k = 0; k < rest; k++) picks[count + k] += (uint32_t)i;
    return count + rest;
}

PADICI_AVX512 static void padici_simd_codec_plane_avx512(const uint64_t *z, size_t n,
                                                         uint32_t shift, uint8_t *to)
{
    const __m128i down = _mm_cvtsi32_si128((int)shift);
    size_t i;
    for (i = 0; i + 8 <= n; i += 8)
        _mm_storel_epi64((__m128i *)(void *)(to + i),
                         _mm512_cvtepi64_epi8(_mm512_srl_epi64(padici_avx512_load(z + i), down)));
    padici_codec_plane_loop(z + i, n - i, shift, to + i);
}

PADICI_AVX512 static void padici_simd_codec_join_avx512(const padici_codec_transform *transform,
                                                        uint32_t split, uint64_t *words,
                                                        const uint8_t *low, size_t plane, size_t n)
{
    const __m512i first = padici_avx512_all(transform->first);
    const __m512i step = padici_avx512_all(transform->step);
    const __m128i by = _mm_cvtsi32_si128((int)split);
    size_t i;
    uint32_t k;
    for (i = 0; i + 8 <= n; i += 8) {
        __m512i w = padici_avx512_load(words + i);
        if (transform->step != 1) w = _mm512_mullo_epi64(w, step);
        w = _mm512_sll_epi64(_mm512_add_epi64(w, first), by);
        for (k = 0; k < split; k += 8) {
            const uint8_t *const bytes = low + k / 8 * plane + i;
            const __m512i b =
                _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)bytes));
            w = _mm512_or_si512(w, _mm512_sll_epi64(b, _mm_cvtsi32_si128((int)k)));
        }
        padici_avx512_store(words + i, w);
    }
    padici_codec_join_split(transform, split, words + i, low + i, plane, n - i);
}

PADICI_AVX512 static void padici_simd_codec_outer_avx512(double *sums, size_t row, const double *y,
                                                         uint32_t m, double counts)
{
    uint32_t j, k;
    for (j = 0; j <= m; j++, sums += row) {
        const __m512d f = _mm512_set1_pd(y[j] * counts);
        for (k = j; k <= m; k += 8) {
            const __mmask8 there = (__mmask8)(m - k >= 7 ? 0xff : (2u << (m - k)) - 1);
            const __m512d v = _mm512_mul_pd(f, _mm512_maskz_loadu_pd(there, y + k));
            _mm512_mask_storeu_pd(sums + k, there,
                                  _mm512_add_pd(_mm512_maskz_loadu_pd(there, sums + k), v));
        }
    }
}

// Prediction at the midpoint, with a[] = left + right: the mean, or with b[] = three times as far
// the cubic.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_cubic(__m512i a, __m512i b)
{
    const __m512i nine = _mm512_add_epi64(_mm512_slli_epi64(a, 3), a);
    return _mm512_srai_epi64(
        _mm512_add_epi64(_mm512_sub_epi64(nine, b), _mm512_set1_epi64(8)), 4);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_scaled(__m512i v, __m512i scale, int zigzag)
{
    return _mm512_mullo_epi64(zigzag ? padici_avx512_unfold(v) : v, scale);
}

// Every `period`-th word of a row, x[i] to x[end - 1]: residuals to words, from those at distance d
// in other rows.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_between8(uint64_t *x, size_t i, size_t end,
                                                            size_t period, size_t d, uint32_t order,
                                                            uint64_t scale, int zigzag)
{
    const __m512i by = _mm512_set1_epi64((int64_t)scale);
    const __mmask8 each = (__mmask8)(period == 1 ? 0xff : period == 2 ? 0x55 : 0x11);
    for (; i + 8 <= end; i += 8) {
        const __m512i old = padici_avx512_load(x + i);
        __m512i v = padici_simd_codec_scaled(old, by, zigzag), a = padici_avx512_load(x + i - d);
        if (order) a = _mm512_add_epi64(a, padici_avx512_load(x + i + d));
        if (order == 2)
            a = padici_simd_codec_cubic(a, _mm512_add_epi64(padici_avx512_load(x + i - 3 * d),
                                                            padici_avx512_load(x + i + 3 * d)));
        else if (order == 1)
            a = _mm512_srai_epi64(a, 1);
        v = _mm512_mask_add_epi64(old, each, v, a);
        _mm512_storeu_si512((void *)(x + i), v);
    }
    for (; i < end; i += period)
        x[i] = (zigzag ? padici_codec_unfold(x[i]) : x[i]) * scale +
               padici_codec_between_words(x, i, d, order);
}

PADICI_AVX512 static void padici_simd_codec_between_row(uint64_t *x, size_t from, size_t end,
                                                        size_t period, size_t d, uint32_t order,
                                                        uint64_t scale, int zigzag)
{
    size_t i;
    if (period > 4) {
        for (i = from; i < end; i += period)
            x[i] = (zigzag ? padici_codec_unfold(x[i]) : x[i]) * scale +
                   padici_codec_between_words(x, i, d, order);
    } else if (order == 2) {
        padici_simd_codec_between8(x, from, end, period, d, 2, scale, zigzag);
    } else if (order == 1) {
        padici_simd_codec_between8(x, from, end, period, d, 1, scale, zigzag);
    } else {
        padici_simd_codec_between8(x, from, end, period, d, 0, scale, zigzag);
    }
}

// Of a line the words from c + 7 on, as far as it goes.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_line_next(const uint64_t *x, size_t extent,
                                                                size_t c)
{
    const size_t left = extent - c - 7;
    return _mm512_maskz_loadu_epi64((__mmask8)(left >= 8 ? 0xff : (1u << left) - 1), x + c + 7);
}

// What is between their neighbours for the words from c - 1 on, of which `here` are, the eight
// before and the eight after.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_line8(__m512i before, __m512i here,
                                                            __m512i next, size_t extent, size_t c,
                                                            int cubic)
{
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i at = _mm512_add_epi64(lanes, _mm512_set1_epi64((int64_t)c - 1));
    const __m512i low = _mm512_alignr_epi64(here, before, 7);
    const __m512i sum = _mm512_add_epi64(low, _mm512_alignr_epi64(next, here, 1));
    const __mmask8 both = _mm512_cmplt_epi64_mask(at, _mm512_set1_epi64((int64_t)extent - 1));
    const __m512i a = _mm512_mask_srai_epi64(low, both, sum, 1);
    const __mmask8 wide = _mm512_cmplt_epi64_mask(at, _mm512_set1_epi64((int64_t)extent - 3)) &
                          _mm512_cmpgt_epi64_mask(at, _mm512_set1_epi64(2));
    if (!cubic) return a;
    return _mm512_mask_mov_epi64(
        a, wide,
        padici_simd_codec_cubic(sum, _mm512_add_epi64(_mm512_alignr_epi64(here, before, 5),
                                                      _mm512_alignr_epi64(next, here, 3))));
}

// One line along the fastest axis, whose points at multiples of 2 step are already decoded. At the
// finest level the next vector is loaded before this one is stored, so that no load waits for a
// store.
PADICI_AVX512 static void padici_simd_codec_between_line(uint64_t *x, size_t extent, size_t step,
                                                         int cubic, uint64_t scale, int zigzag)
{
    const __m512i by = _mm512_set1_epi64((int64_t)scale);
    __m512i before = _mm512_setzero_si512(), here = before;
    size_t c = step;
    if (step == 1 && extent >= 8) here = padici_avx512_load(x);
    for (; step == 1 && c + 7 <= extent; c += 8) { // at c - 1
        const __m512i next = padici_simd_codec_line_next(x, extent, c);
        __m512i a = padici_simd_codec_line8(before, here, next, extent, c, cubic);
        a = _mm512_mask_add_epi64(here, 0xaa, padici_simd_codec_scaled(here, by, zigzag), a);
        _mm512_storeu_si512((void *)(x + c - 1), a);
        before = here;
        here = next;
    }
    for (; c < extent; c += 2 * step) {
        uint32_t order = 0;
        if (c + step < extent) order = cubic && c >= 3 * step && c + 3 * step < extent ? 2 : 1;
        x[c] = (zigzag ? padici_codec_unfold(x[c]) : x[c]) * scale +
               padici_codec_between_words(x, c, step, order);
    }
}

// Moves 8 words x to the nearest that differ from their predictions by multiples of 31, which go to
// z, folded. Quotients of doubles are exact below 2^45: no multiple of 1/31 is near to a half.
// Returns 0 if one is larger.
PADICI_AVX512 PADICI_INLINE int padici_simd_codec_close8(__m512i old, __m512i between,
                                                         __mmask8 each, uint64_t *x, uint64_t *z)
{
    const __m512i apart = _mm512_sub_epi64(old, between);
    const __m512d share = _mm512_mul_pd(_mm512_cvtepi64_pd(apart), _mm512_set1_pd(1.0 / 31));
    const __m512i q = _mm512_cvt_roundpd_epi64(share,
                                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512i moved = _mm512_add_epi64(
        between, _mm512_sub_epi64(_mm512_slli_epi64(q, 5), q));
    if (_mm512_mask_cmpge_epu64_mask(each, _mm512_abs_epi64(apart),
                                     _mm512_set1_epi64((int64_t)1 << 45)))
        return 0;
    _mm512_storeu_si512((void *)x, _mm512_mask_mov_epi64(old, each, moved));
    _mm512_mask_storeu_epi64(z, each, padici_avx512_fold(q));
    return 1;
}

// As between_row, the other way.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_close_row(uint64_t *x, uint64_t *z, size_t i,
                                                             size_t end, size_t period, size_t d,
                                                             uint32_t order)
{
    const __mmask8 each = (__mmask8)(period == 1 ? 0xff : period == 2 ? 0x55 : 0x11);
    size_t k;
    for (; i + 8 <= end && period <= 4; i += 8) {
        __m512i a = padici_avx512_load(x + i - d);
        if (order) a = _mm512_add_epi64(a, padici_avx512_load(x + i + d));
        if (order == 2)
            a = padici_simd_codec_cubic(a, _mm512_add_epi64(padici_avx512_load(x + i - 3 * d),
                                                            padici_avx512_load(x + i + 3 * d)));
        else if (order == 1)
            a = _mm512_srai_epi64(a, 1);
        if (padici_simd_codec_close8(padici_avx512_load(x + i), a, each, x + i, z + i)) continue;
        for (k = i; k < i + 8; k += period)
            padici_codec_close_point(x, z, k, padici_codec_between_words(x, k, d, order));
    }
    for (; i < end; i += period)
        padici_codec_close_point(x, z, i, padici_codec_between_words(x, i, d, order));
}

// As between_line, the other way.
PADICI_AVX512 static void padici_simd_codec_close_line(uint64_t *x, uint64_t *z, size_t extent,
                                                       size_t step, int cubic)
{
    __m512i before = _mm512_setzero_si512(), here = before;
    size_t c = step;
    if (step == 1 && extent >= 8) here = padici_avx512_load(x);
    for (; step == 1 && c + 7 <= extent; c += 8) { // at c - 1
        const __m512i next = padici_simd_codec_line_next(x, extent, c);
        const __m512i a = padici_simd_codec_line8(before, here, next, extent, c, cubic);
        if (!padici_simd_codec_close8(here, a, 0xaa, x + c - 1, z + c - 1)) break;
        before = here; // at even places as they were
        here = next;
    }
    for (; c < extent; c += 2 * step) {
        uint32_t order = 0;
        if (c + step < extent) order = cubic && c >= 3 * step && c + 3 * step < extent ? 2 : 1;
        padici_codec_close_point(x, z, c, padici_codec_between_words(x, c, step, order));
    }
}

// Row by row along the fastest axis; if that is not among the axes the generic loop is used. If it
// is the last one, the axis before it is processed together with it, each row just before its line.
// z NULL: residuals to words; otherwise words are moved, and z are the residuals. Returns 0 where
// it does nothing.
PADICI_AVX512 PADICI_INLINE int padici_simd_codec_between_all(
    const padici_codec_predictor *predictor, uint64_t *x, uint64_t *z, size_t n, int zigzag)
{
    const padici_codec_op *op = predictor->op;
    const uint32_t count = predictor->count;
    const uint64_t scale = predictor->scale;
    size_t extent[PADICI_CODEC_MAX_OPS], at[PADICI_CODEC_MAX_OPS], all = 1;
    uint32_t fast = count, level = 0, k, j, with;
    for (k = 0; k < count; k++) {
        extent[k] = op[k].segment / op[k].stride;
        all *= extent[k];
        if (op[k].stride == 1) fast = k;
        while ((size_t)1 << level < extent[k]) level++;
    }
    if (fast == count || all != n) return 0;
    with = fast && fast + 1 == count ? fast - 1 : count;
    if (z) padici_codec_close_point(x, z, 0, 0);
    else x[0] = (zigzag ? padici_codec_unfold(x[0]) : x[0]) * scale;
    while (level-- > 0) {
        const size_t step = (size_t)1 << level;
        for (k = 0; k < count; k++) {
            const uint32_t row = k == fast ? with : k; // the axis whose rows are decoded
            if (k == with || (k != fast && step >= extent[k])) continue;
            for (j = 0; j < count; j++) at[j] = 0;
            if (k != fast) at[k] = step;
            for (;;) {
                size_t base = 0;
                for (j = 0; j < count; j++) base += at[j] * op[j].stride;
                if (row < count && (at[row] & step)) {
                    const size_t c = at[row], end = extent[row];
                    uint32_t order = 0;
                    if (c + step < end)
                        order = (op[row].cubic >> level & 1) && c >= 3 * step && c + 3 * step < end
                                    ? 2
                                    : 1;
                    if (z)
                        padici_simd_codec_close_row(
                            x, z, base, base + extent[fast], fast < row ? step : 2 * step,
                            step * op[row].stride, order);
                    else padici_simd_codec_between_row(
                        x, base, base + extent[fast], fast < row ? step : 2 * step,
                        step * op[row].stride, order, scale, zigzag);
                }
                if (z && k == fast && step < extent[k])
                    padici_simd_codec_close_line(x + base, z + base, extent[k], step,
                                                 op[k].cubic >> level & 1);
                else if (k == fast && step < extent[k])
                    padici_simd_codec_between_line(x + base, extent[k], step,
                                                   op[k].cubic >> level & 1, scale, zigzag);
                for (j = count; j-- > 0;) {
                    if (j == fast) continue;
                    at[j] += j < k ? step : 2 * step;
                    if (at[j] < extent[j]) break;
                    at[j] = j == k ? step : 0;
                }
                if (j == UINT32_MAX) break;
            }
        }
    }
    return 1;
}

PADICI_AVX512 static void padici_simd_codec_between_avx512(const padici_codec_predictor *predictor,
                                                           uint64_t *x, size_t n, int zigzag)
{
    if (!padici_simd_codec_between_all(predictor, x, NULL, n, zigzag))
        padici_codec_between_loop(predictor, x, n, zigzag);
}

PADICI_AVX512 static void padici_simd_codec_close_avx512(const padici_codec_predictor *predictor,
                                                         uint64_t *x, uint64_t *z, size_t n)
{
    if (!padici_simd_codec_between_all(predictor, x, z, n, 0))
        padici_codec_close_loop(predictor, x, z, n);
}

// The weighted sum of 8 words' neighbours, over the taps [0, count) in the bit set `use`.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_taps(const padici_codec_tap_places *taps,
                                                           uint32_t use, const uint64_t *x)
{
    __m512i sum = _mm512_setzero_si512();
    for (; use; use &= use - 1) {
        const uint32_t t = padici_ctz64(use);
        sum = _mm512_add_epi64(
            sum, _mm512_mullo_epi64(padici_avx512_load(x - taps->distance[t]),
                                    padici_avx512_all((uint64_t)taps->weight[t])));
    }
    return sum;
}

#define PADICI_CODEC_TAP_STRIPE 16u

// One stripe at a time: neighbours before the stripe are summed in vectors, 4 `fours` neighbours
// within it word by word.
typedef struct padici_simd_codec_stripe {
    uint64_t weight[PADICI_CODEC_TAP_STRIPE];
    size_t distance[PADICI_CODEC_TAP_STRIPE];
} padici_simd_codec_stripe;

PADICI_AVX512 PADICI_INLINE size_t padici_simd_codec_stripes(const padici_codec_tap_places *taps,
                                                             uint32_t before,
                                                             const padici_simd_codec_stripe *within,
                                                             uint32_t fours, uint32_t shift,
                                                             uint64_t *x, size_t i, size_t to,
                                                             int zigzag)
{
    const uint64_t half = (uint64_t)1 << shift >> 1, *weight = within->weight;
    const size_t first = taps->distance[0], *distance = within->distance;
    uint64_t part[PADICI_CODEC_TAP_STRIPE];
    size_t k;
    for (; i + PADICI_CODEC_TAP_STRIPE <= to; i += PADICI_CODEC_TAP_STRIPE) {
        for (k = 0; k < PADICI_CODEC_TAP_STRIPE; k += 8)
            padici_avx512_store(part + k, padici_simd_codec_taps(taps, before, x + i + k));
        for (k = i; k < i + PADICI_CODEC_TAP_STRIPE; k++) {
            uint64_t sum = half + part[k - i];
            uint32_t t;
            for (t = 4 * fours; t > 0; t -= 4) { // nearest last: it is known last
                sum += weight[t - 1] * x[k - distance[t - 1]];
                sum += weight[t - 2] * x[k - distance[t - 2]];
                sum += weight[t - 3] * x[k - distance[t - 3]];
                sum += weight[t - 4] * x[k - distance[t - 4]];
            }
            x[k] = x[k - first] + (uint64_t)((int64_t)sum >> shift) +
                   (zigzag ? padici_codec_unfold(x[k]) : x[k]);
        }
    }
    return i;
}

PADICI_AVX512 PADICI_INLINE size_t padici_simd_codec_undo(const padici_codec_tap_places *taps,
                                                          uint32_t shift, uint64_t *x, size_t from,
                                                          size_t to, int zigzag)
{
    padici_simd_codec_stripe within;
    uint32_t before = 0, count = 0, t;
    for (t = 0; t < taps->count; t++) {
        if (taps->distance[t] >= PADICI_CODEC_TAP_STRIPE) {
            before |= 1u << t;
        } else {
            if (count == PADICI_CODEC_TAP_STRIPE) return from;
            within.distance[count] = taps->distance[t];
            within.weight[count++] = (uint64_t)taps->weight[t];
        }
    }
    if (!before || from == 0) return from;
    for (t = count; t < PADICI_CODEC_TAP_STRIPE; t++) {
        within.distance[t] = 1;
        within.weight[t] = 0;
    }
#define PADICI_CODEC_STRIPES(FOURS) \
    padici_simd_codec_stripes(taps, before, &within, FOURS, shift, x, from, to, zigzag)
    if (count <= 4) return PADICI_CODEC_STRIPES(1);
    if (count <= 8) return PADICI_CODEC_STRIPES(2);
    if (count <= 12) return PADICI_CODEC_STRIPES(3);
    return PADICI_CODEC_STRIPES(4);
#undef PADICI_CODEC_STRIPES
}

PADICI_AVX512 static void padici_simd_codec_linear_avx512(const padici_codec_tap_places *taps,
                                                          uint32_t shift, uint64_t *x, uint64_t *z,
                                                          size_t from, size_t to, int what)
{
    const __m512i half = padici_avx512_all((uint64_t)1 << shift >> 1);
    const __m128i down = _mm_cvtsi32_si128((int)shift);
    size_t i = from;
    if (taps->count && what == PADICI_CODEC_LINEAR_DO) {
        const uint32_t use = 0xffffffffu >> (32 - taps->count);
        for (; i + 8 <= to; i += 8) {
            const __m512i sum = _mm512_add_epi64(half, padici_simd_codec_taps(taps, use, x + i));
            const __m512i about = _mm512_add_epi64(padici_avx512_load(x + i - taps->distance[0]),
                                                   _mm512_sra_epi64(sum, down));
            padici_avx512_store(z + i - from, _mm512_sub_epi64(padici_avx512_load(x + i), about));
        }
    } else if (taps->count) {
        i = what == PADICI_CODEC_LINEAR_UNFOLD ? padici_simd_codec_undo(taps, shift, x, from, to, 1)
                                         : padici_simd_codec_undo(taps, shift, x, from, to, 0);
    }
    padici_codec_linear_words(taps, shift, x, z ? z + (i - from) : NULL, i, to, what);
}

// Words and values of 8 lanes, from their sums without the nearest neighbour.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_wave_put(const padici_codec_wave *wave,
                                                            padic_dtype dtype, __m512d sum,
                                                            __m512i at, double *values, int zigzag)
{
    const __mmask8 active = _mm512_cmplt_epu64_mask(at, padici_avx512_load(wave->end));
    const __mmask8 number = _mm512_cmp_pd_mask(sum, sum, _CMP_ORD_Q);
    const __m512i old = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), active, at,
                                                    (const void *)wave->x, 8);
    const __m512i z = zigzag ? padici_avx512_unfold(old) : old;
    __m512i word;
    __m512d v;
    if (dtype == PADIC_F64) {
        const __m512i bits = _mm512_castpd_si512(sum), ones = padici_avx512_all(0x7ff);
        const __m512i way = _mm512_srli_epi64(_mm512_srai_epi64(bits, 63), 1);
        __m512i back;
        word = _mm512_add_epi64(_mm512_maskz_xor_epi64(number, bits, way), z);
        back = _mm512_xor_si512(word, _mm512_srli_epi64(_mm512_srai_epi64(word, 63), 1));
        v = _mm512_maskz_mov_pd(active & _mm512_cmpneq_epi64_mask(
                                             _mm512_and_si512(_mm512_srli_epi64(back, 52), ones),
                                             ones),
                                _mm512_castsi512_pd(back));
    } else { // the lower half has the sign
        const __m256i bits = _mm256_castps_si256(_mm512_cvtpd_ps(sum));
        const __m256i way = _mm256_srli_epi32(_mm256_srai_epi32(bits, 31), 1);
        const __m256i about = _mm256_maskz_xor_epi32(number, bits, way);
        const __m256i low = _mm256_add_epi32(about, _mm512_cvtepi64_epi32(z));
        const __m256i sign = _mm256_srai_epi32(low, 31), ones = _mm256_set1_epi32(0x7f800000);
        const __m256i back = _mm256_xor_si256(low, _mm256_srli_epi32(sign, 1));
        word = _mm512_add_epi64(_mm512_cvtepi32_epi64(about), z);
        v = _mm512_maskz_cvtps_pd(
            active & _mm256_cmpneq_epi32_mask(_mm256_and_si256(back, ones), ones),
            _mm256_castsi256_ps(back));
    }
    _mm512_mask_i64scatter_epi64((void *)wave->x, active, at, word, 8);
    _mm512_storeu_pd(values, v);
}

typedef struct padici_simd_codec_wave_lanes {
    __m512i from;         // the place of the nearest neighbour
    __mmask8 some, other; // whether there is one; and it is not tap 0
} padici_simd_codec_wave_lanes;

// The rest of a step whose sum has the taps from `recent` on; v is the values of the last one.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_wave_close(
    const padici_codec_wave *wave, const padici_simd_codec_wave_lanes *lanes, padic_dtype dtype,
    double *values, __m512i at, __m512d sum, __m512d v, int zigzag)
{
    uint32_t t;
    for (t = wave->recent; t-- > 0;) {
        if (!(wave->use >> t & 1)) continue;
        v = _mm512_loadu_pd(values + wave->place[t]);
        sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_loadu_pd(wave->factor[t]), v));
    }
    if (lanes->other)
        v = _mm512_mask_i64gather_pd(v, lanes->other, lanes->from, (const void *)values, 8);
    sum = _mm512_mask_add_pd(sum, lanes->some, sum, v);
    padici_simd_codec_wave_put(wave, dtype, sum, at, values, zigzag);
}

// Four steps, or one, are side by side as long as they do not need each other.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_wave_run(const padici_codec_wave *wave,
                                                            padic_dtype dtype, double *values,
                                                            size_t steps, int zigzag)
{
    const __m512i one = padici_avx512_all(1), nearest = padici_avx512_load(wave->nearest);
    padici_simd_codec_wave_lanes lanes;
    __m512i at = padici_avx512_load(wave->at);
    size_t s = 0;
    uint32_t t;
    lanes.from = _mm512_add_epi64(padici_avx512_lanes(), nearest);
    lanes.some = _mm512_test_epi64_mask(nearest, nearest);
    lanes.other = lanes.some & (__mmask8)~wave->first;
    for (; s + 4 <= steps; s += 4) {
        __m512d a = _mm512_setzero_pd(), b = a, c = a, d = a, va = a, vb = a, vc = a, vd = a;
        for (t = wave->taps; t-- > wave->recent;) {
            const __m512d factor = _mm512_loadu_pd(wave->factor[t]);
            const double *value;
            if (!(wave->use >> t & 1)) continue;
            value = values + wave->place[t];
            va = _mm512_loadu_pd(value);
            vb = _mm512_loadu_pd(value + 8);
            vc = _mm512_loadu_pd(value + 16);
            vd = _mm512_loadu_pd(value + 24);
            a = _mm512_add_pd(a, _mm512_mul_pd(factor, va));
            b = _mm512_add_pd(b, _mm512_mul_pd(factor, vb));
            c = _mm512_add_pd(c, _mm512_mul_pd(factor, vc));
            d = _mm512_add_pd(d, _mm512_mul_pd(factor, vd));
        }
        padici_simd_codec_wave_close(wave, &lanes, dtype, values, at, a, va, zigzag);
        at = _mm512_add_epi64(at, one);
        padici_simd_codec_wave_close(wave, &lanes, dtype, values + 8, at, b, vb, zigzag);
        at = _mm512_add_epi64(at, one);
        padici_simd_codec_wave_close(wave, &lanes, dtype, values + 16, at, c, vc, zigzag);
        at = _mm512_add_epi64(at, one);
        padici_simd_codec_wave_close(wave, &lanes, dtype, values + 24, at, d, vd, zigzag);
        at = _mm512_add_epi64(at, one);
        values += 32;
    }
    for (; s < steps; s++, values += 8) {
        __m512d sum = _mm512_setzero_pd(), v = sum;
        for (t = wave->taps; t-- > wave->recent;) {
            if (!(wave->use >> t & 1)) continue;
            v = _mm512_loadu_pd(values + wave->place[t]);
            sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_loadu_pd(wave->factor[t]), v));
        }
        padici_simd_codec_wave_close(wave, &lanes, dtype, values, at, sum, v, zigzag);
        at = _mm512_add_epi64(at, one);
    }
}

PADICI_AVX512 static void padici_simd_codec_wave_steps_avx512(const padici_codec_wave *wave,
                                                              double *values, size_t steps)
{
    if (wave->dtype == PADIC_F64)
        padici_simd_codec_wave_run(wave, PADIC_F64, values, steps, wave->zigzag);
    else
        padici_simd_codec_wave_run(wave, PADIC_F32, values, steps, wave->zigzag);
}

// The source of the bits of 8 words of 32 to 64 bits: up to three words for each output word.
typedef struct padici_simd_codec_spread {
    uint64_t word[8], down[8], up[8];
} padici_simd_codec_spread;

static void padici_simd_codec_spread_make(padici_simd_codec_spread *s, uint32_t width)
{
    uint32_t q, word = 0, bit = 0;
    for (q = 0; q < 8; q++, bit += 64) {
        while (bit >= width) bit -= width, word++;
        s->word[q] = word < 8 ? word : 8;
        s->down[q] = word < 8 ? bit : 64;
        s->up[q] = word + 1 < 8 ? width - bit : 64;
    }
}

// Words are joined in pairs until they have at least 32 bits; a vector of those gives `width`
// bytes.
PADICI_AVX512 static void padici_simd_codec_put_fixed_avx512(const uint64_t *z, size_t n,
                                                             uint32_t width, uint8_t *p,
                                                             size_t room)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i mask = padici_avx512_all(~UINT64_C(0) >> (64 - width));
    const __m512i none = _mm512_setzero_si512();
    __m512i held[6], word, next, last, down, up, above;
    padici_simd_codec_spread spread;
    uint32_t joins = 0, k;
    size_t i, block;
    while (width << joins < 32) joins++;
    block = (size_t)8 << joins;
    padici_simd_codec_spread_make(&spread, width << joins);
    word = padici_avx512_load(spread.word);
    next = _mm512_add_epi64(word, _mm512_set1_epi64(1));
    last = _mm512_add_epi64(word, _mm512_set1_epi64(2));
    down = padici_avx512_load(spread.down);
    up = padici_avx512_load(spread.up);
    above = _mm512_mask_mov_epi64(
        _mm512_add_epi64(up, padici_avx512_all(width << joins)),
        _mm512_cmpgt_epi64_mask(last, _mm512_set1_epi64(7)), _mm512_set1_epi64(64));
    for (k = 0; k < 6; k++) held[k] = none;
    for (i = 0; i + block <= n && room >= 64; i += block) {
        __m512i v = none, out;
        uint32_t vector;
        for (vector = 0; vector < 1u << joins; vector++) {
            v = _mm512_and_si512(padici_avx512_load(z + i + 8 * vector), mask);
            for (k = 0; vector >> k & 1; k++) {
                const __m512i high = _mm512_permutex2var_epi64(held[k], odd, v);
                const __m128i by = _mm_cvtsi32_si128((int)(width << k));
                v = _mm512_or_si512(_mm512_permutex2var_epi64(held[k], even, v),
                                    _mm512_sll_epi64(high, by));
            }
            held[k] = v;
        }
        out = _mm512_srlv_epi64(_mm512_permutexvar_epi64(word, v), down);
        out = _mm512_or_si512(out, _mm512_sllv_epi64(_mm512_permutexvar_epi64(next, v), up));
        out = _mm512_or_si512(out, _mm512_sllv_epi64(_mm512_permutexvar_epi64(last, v), above));
        padici_avx512_store(p, out);
        p += width << joins;
        room -= width << joins;
    }
    padici_codec_put_fixed_loop(z + i, n - i, width, p, room);
}

#define PADICI_CODEC_LARGE 67108864u // bytes of an array larger than any cache

// Copies to a large array bypass the caches, which would only read it to overwrite it; to others
// the next destination is prefetched.
PADICI_AVX512 static void padici_simd_codec_copy_avx512(void *to, const void *from, size_t size,
                                                        uint64_t all)
{
    const uint8_t *q = (const uint8_t *)from;
    uint8_t *p = (uint8_t *)to;
    const size_t head = (0 - (size_t)(uintptr_t)p) & 63;
    size_t i;
    if (size < 4096) {
        memcpy(p, q, size);
        return;
    }
    memcpy(p, q, 64);
    if (all >= PADICI_CODEC_LARGE) {
        for (i = head; i + 64 <= size; i += 64)
            _mm512_stream_si512((__m512i *)(void *)(p + i), padici_avx512_load(q + i));
        _mm_sfence();
    } else {
        for (i = head; i + 64 <= size; i += 64) {
            if (size - i > 2048) _mm_prefetch((const char *)(p + i + 2048), _MM_HINT_T0);
            padici_avx512_store(p + i, padici_avx512_load(q + i));
        }
    }
    memcpy(p + size - 64, q + size - 64, 64);
}

// Loops that only this level has.
PADICI_FN void padici_simd_codec_pack_avx512(padici_codec_loops *loops)
{
    loops->put_fixed = padici_simd_codec_put_fixed_avx512;
    loops->difference = padici_simd_codec_difference_avx512;
    loops->least = padici_simd_codec_least_avx512;
    loops->runs = padici_simd_codec_runs_avx512;
    loops->group = padici_simd_codec_group_avx512;
    loops->pick = padici_simd_codec_pick_avx512;
    loops->packed = padici_simd_codec_packed_avx512;
    loops->tokens = padici_simd_codec_tokens_avx512;
    loops->entropy = padici_simd_codec_entropy_avx512;
    loops->put_plain = padici_simd_codec_put_plain_avx512;
    loops->plane = padici_simd_codec_plane_avx512;
    loops->linear = padici_simd_codec_linear_avx512;
    loops->wave_steps = padici_simd_codec_wave_steps_avx512;
    loops->outer = padici_simd_codec_outer_avx512;
    loops->copy = padici_simd_codec_copy_avx512;
    loops->join = padici_simd_codec_join_avx512;
    loops->between = padici_simd_codec_between_avx512;
    loops->close = padici_simd_codec_close_avx512;
}

#undef PADICI_CODEC_TAP_STRIPE
#undef PADICI_CODEC_LARGE

#endif
