#include "blocks_vbmi.h"
#include "../../codec/bytes.h"
#include "../../codec/constants.h"
#include "../../codec/differences.h"
#include "../../codec/transforms.h"
#include "../../codec/streams.h"
#include "../level.h"
#include "../levels.h"
#include "../words.h"
#include "transforms.h"
#include "vbmi.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- AVX-512 with VBMI: blocks whose words fit into 32 bits, 16 at a time

#define PADICI_CODEC_NARROW_TILE 2048u

// A lane sum that overflows 32 bits sets the sign of `over`.
PADICI_IFMA PADICI_INLINE __m512i padici_simd_codec_narrow_add(__m512i a, __m512i b, __m512i *over)
{
    const __m512i sum = _mm512_add_epi32(a, b);
    const __m512i left = _mm512_ternarylogic_epi32(a, b, sum, 0x42); // signs a = b != sum
    *over = _mm512_or_si512(*over, left);
    return sum;
}

PADICI_IFMA PADICI_INLINE __m512i padici_simd_codec_narrow_unfold(__m512i z)
{
    const __m512i half = _mm512_srli_epi32(z, 1);
    return _mm512_mask_xor_epi32(half, _mm512_test_epi32_mask(z, _mm512_set1_epi32(1)), half,
                                 _mm512_set1_epi32(-1));
}

PADICI_IFMA PADICI_INLINE __mmask16 padici_simd_codec_narrow_there(size_t left)
{
    return (__mmask16)(left >= 16 ? 0xffff : (1u << left) - 1);
}

// Reduces a longer word so that its unfolded value is right modulo 2^32.
PADICI_INLINE uint32_t padici_simd_codec_narrow_cut(uint64_t z, int zigzag)
{
    uint32_t r = (uint32_t)padici_codec_unfold(z);
    return zigzag && z >> 32 ? r << 1 ^ (0 - (r >> 31)) : (uint32_t)z;
}

// 1 if the packed words have exactly the expected size and none has more than `most` bits.
static int padici_simd_codec_narrow_fits(const padici_codec_decoder *decoder, size_t n,
                                         uint32_t most)
{
    uint64_t bytes = decoder->at;
    size_t g, e, place = decoder->place;
    for (g = 0; g * PADICI_CODEC_GROUP < n; g++) {
        if (decoder->widths[g] > most) return 0;
        const size_t count = padici_codec_least(n - g * PADICI_CODEC_GROUP, PADICI_CODEC_GROUP);
        bytes += (count * decoder->widths[g] + 7) / 8;
    }
    if (bytes != decoder->end) return 0;
    for (e = 0; e < decoder->exceptions; e++) {
        if (e && decoder->gaps[e] >= n - place) return 0;
        if (e) place += (size_t)decoder->gaps[e] + 1;
        if (place >= n) return 0;
        if (most < 64 && decoder->high[e] >> (most - decoder->widths[place / PADICI_CODEC_GROUP]))
            return 0;
    }
    return 1;
}

// A group of more than 32 bits per word.
PADICI_IFMA PADICI_NOINLINE static void padici_simd_codec_narrow_long(padici_codec_decoder *decoder,
                                                                      uint8_t *x, size_t from,
                                                                      size_t count, uint32_t width,
                                                                      int zigzag)
{
    uint64_t words[PADICI_CODEC_GROUP];
    size_t i;
    padici_simd_codec_fixed_ifma(decoder->plain + decoder->at, decoder->plain + decoder->end, width,
                                 words, count);
    while (decoder->exceptions && decoder->place < from + count) {
        if (width < 64) words[decoder->place - from] |= *decoder->high << width;
        decoder->high++;
        decoder->gaps++;
        if (--decoder->exceptions) decoder->place += (size_t)*decoder->gaps + 1;
    }
    for (i = 0; i < count; i++) {
        const uint32_t word = padici_simd_codec_narrow_cut(words[i], zigzag);
        memcpy(x + 4 * (from + i), &word, 4);
    }
}

// Words [from, to); `from` starts a group.
PADICI_IFMA static void padici_simd_codec_narrow_fixed(padici_codec_decoder *decoder, uint8_t *x,
                                                       size_t from, size_t to, int zigzag)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i four = _mm512_set1_epi32(0x03020100);
    const uint8_t *const end = decoder->plain + decoder->end;
    uint64_t words[PADICI_CODEC_GROUP];
    for (; from < to; from += PADICI_CODEC_GROUP) {
        const size_t count = padici_codec_least(to - from, PADICI_CODEC_GROUP);
        const uint32_t width = decoder->widths[from / PADICI_CODEC_GROUP];
        const uint8_t *p = decoder->plain + decoder->at;
        uint32_t word;
        size_t i = 0;
        if (width > 32) {
            padici_simd_codec_narrow_long(decoder, x, from, count, width, zigzag);
        } else if (width <= 25) {
            const __m512i bit = _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)width));
            const __m512i mask = _mm512_set1_epi32((int)((1u << width) - 1));
            const __m512i down = _mm512_and_si512(bit, _mm512_set1_epi32(7));
            __m512i take = _mm512_srli_epi32(bit, 3);
            take = _mm512_add_epi32(_mm512_mullo_epi32(take, _mm512_set1_epi32(0x01010101)), four);
            for (; i + 16 <= count && end - p >= 56; i += 16, p += 2 * width) {
                __m512i v = _mm512_permutexvar_epi8(take, padici_avx512_load(p));
                _mm_prefetch((const char *)p + 2048, _MM_HINT_T0);
                v = _mm512_and_si512(_mm512_srlv_epi32(v, down), mask);
                padici_avx512_store(x + 4 * (from + i), v);
            }
        } else {
            const __m512i bit = _mm512_mullo_epi64(padici_avx512_lanes(), padici_avx512_all(width));
            const __m512i mask = padici_avx512_all(~UINT64_C(0) >> (64 - width));
            for (; i + 8 <= count && end - p >= 56; i += 8, p += width) {
                const __m512i v = padici_simd_codec_window(padici_avx512_load(p), bit);
                const __m256i cut = _mm512_cvtepi64_epi32(_mm512_and_si512(v, mask));
                _mm256_storeu_si256((__m256i *)(void *)(x + 4 * (from + i)), cut);
            }
        }
        if (i < count && width <= 32) {
            size_t k;
            padici_simd_codec_fixed_ifma(p, end, width, words, count - i);
            for (k = 0; k < count - i; k += 8)
                _mm512_mask_cvtepi64_storeu_epi32(
                    x + 4 * (from + i + k), (__mmask8)padici_simd_codec_narrow_there(count - i - k),
                    padici_avx512_load(words + k));
        }
        decoder->at += (count * width + 7) / 8;
        while (decoder->exceptions && decoder->place < from + count) {
            memcpy(&word, x + 4 * decoder->place, 4);
            word = padici_simd_codec_narrow_cut(word | *decoder->high++ << width, zigzag);
            memcpy(x + 4 * decoder->place, &word, 4);
            decoder->gaps++;
            if (--decoder->exceptions) decoder->place += (size_t)*decoder->gaps + 1;
        }
    }
}

// Folded differences at a distance below 16 to words. Those of 16 lanes have no more than 28 bits,
// so that their sums fit; `kept` holds the 16 words before `from`.
PADICI_IFMA PADICI_INLINE void padici_simd_codec_narrow_scan(uint8_t *x, size_t from, size_t to,
                                                             const padici_codec_op *op,
                                                             const uint32_t kept[16], __m512i *over,
                                                             uint32_t steps, int apart, int zigzag)
{
    const uint32_t stride = op->stride;
    // words are loaded before the previous ones are stored, as in ..._narrow_short()
    __m512i back[4], next, carry, sum = *over, z = padici_avx512_load(x + 4 * from);
    __mmask16 have[4], there;
    uint32_t lanes[16], k;
    size_t i = from;
    for (k = 0; k < 4; k++) {
        uint32_t j;
        for (j = 0; j < 16; j++) lanes[j] = (j - (stride << k)) & 15;
        back[k] = padici_avx512_load(lanes);
        have[k] = (__mmask16)(stride << k < 16 ? 0xffffu << (stride << k) : 0);
    }
    for (k = 0; k < 16; k++) lanes[k] = 16 - stride + k % stride;
    next = padici_avx512_load(lanes);
    while (i < to) {
        const size_t place = i % op->segment, end = padici_codec_least(i + op->segment - place, to);
        for (k = 0; k < 16; k++)
            lanes[k] = place + k % stride < stride ? 0 : kept[16 - stride + k % stride];
        carry = padici_avx512_load(lanes);
#define PADICI_CODEC_UP(K) \
    if (steps > (K)) \
        v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(have[K], back[K], v))
#define PADICI_CODEC_ROW(WORDS, NEXT, STORE) \
    do { \
        __m512i v = WORDS, w; \
        if (zigzag) v = padici_simd_codec_narrow_unfold(v); \
        PADICI_CODEC_UP(0); \
        PADICI_CODEC_UP(1); \
        PADICI_CODEC_UP(2); \
        PADICI_CODEC_UP(3); \
        w = padici_simd_codec_narrow_add(v, carry, &sum); \
        NEXT; \
        STORE; \
        carry = apart ? _mm512_add_epi32(carry, _mm512_permutexvar_epi32(next, v)) \
                      : _mm512_permutexvar_epi32(next, w); \
    } while (0)
        for (; i + 16 <= end; i += 16)
            PADICI_CODEC_ROW(z, z = padici_avx512_load(x + 4 * i + 64),
                       padici_avx512_store(x + 4 * i, w));
        there = padici_simd_codec_narrow_there(end - i);
        if (i < end)
            PADICI_CODEC_ROW(_mm512_maskz_mov_epi32(there, z), z = padici_avx512_load(x + 4 * end),
                       _mm512_mask_storeu_epi32(x + 4 * i, there, w));
#undef PADICI_CODEC_ROW
#undef PADICI_CODEC_UP
        i = end;
    }
    *over = sum;
}

// Differences of neighbours inside segments of 2 to 16 words: as many whole segments as fit at a
// time.
PADICI_IFMA static void padici_simd_codec_narrow_short(uint8_t *x, size_t from, size_t to,
                                                       uint32_t segment, uint32_t carry, int zigzag)
{
    const size_t each = 16 - 16 % segment;
    __m512i back[4], next;
    __mmask16 have[4] = {0, 0, 0, 0}, there;
    uint32_t lanes[16], k, j;
    size_t i = from, count;
    for (k = 0; k < 4; k++) {
        for (j = 0; j < 16; j++) {
            lanes[j] = (j - (1u << k)) & 15;
            if (j % segment >= 1u << k) have[k] = (__mmask16)(have[k] | 1u << j);
        }
        back[k] = padici_avx512_load(lanes);
    }
    for (; i < to && i % segment; i++) { // of a segment that started earlier
        uint32_t z;
        memcpy(&z, x + 4 * i, 4);
        carry += zigzag ? z >> 1 ^ (0 - (z & 1)) : z;
        memcpy(x + 4 * i, &carry, 4);
    }
    // the next words are loaded before these are stored: a load right after a masked store waits
    for (there = padici_simd_codec_narrow_there(padici_codec_least(each, to - i)),
         next = _mm512_maskz_loadu_epi32(there, x + 4 * i);
         i < to; i += count) {
        const __mmask16 here = there;
        __m512i v = next;
        count = padici_codec_least(each, to - i);
        there = padici_simd_codec_narrow_there(padici_codec_least(each, to - i - count));
        next = _mm512_maskz_loadu_epi32(there, x + 4 * (i + count));
        if (zigzag) v = padici_simd_codec_narrow_unfold(v);
        for (k = 0; 1u << k < segment; k++)
            v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(have[k], back[k], v));
        _mm512_mask_storeu_epi32(x + 4 * i, here, v);
    }
}

PADICI_IFMA static void padici_simd_codec_narrow_near(uint8_t *x, size_t from, size_t to,
                                                      const padici_codec_op *op, uint32_t kept[16],
                                                      __m512i *over, int zigzag)
{
    if (op->segment < 32)
        padici_simd_codec_narrow_short(x, from, to, op->segment, kept[15], zigzag);
    else if (!zigzag)
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, 4, 0, 0);
    else if (op->stride == 1)
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, 4, 1, 1);
    else if (op->stride == 2)
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, 3, 1, 1);
    else if (op->stride == 3)
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, 3, 0, 1);
    else
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, op->stride < 8 ? 2 : 1, 0, 1);
    memcpy(kept, x + 4 * (to - 16), 64);
}

// The same at a distance of at least 16.
PADICI_IFMA static void padici_simd_codec_narrow_far(uint8_t *x, size_t from, size_t to,
                                                     const padici_codec_op *op, int zigzag,
                                                     __m512i *over)
{
    const size_t stride = op->stride;
    __m512i sum = *over;
    size_t i = from;
    while (i < to) {
        const size_t place = i % op->segment, end = padici_codec_least(i + op->segment - place, to);
        const size_t edge = place < stride ? padici_codec_least(i + stride - place, end) : i;
        for (; zigzag && i < edge; i += 16) {
            const __mmask16 there = padici_simd_codec_narrow_there(edge - i);
            const __m512i v = _mm512_maskz_loadu_epi32(there, x + 4 * i);
            _mm512_mask_storeu_epi32(x + 4 * i, there, padici_simd_codec_narrow_unfold(v));
        }
        for (i = edge; i + 16 <= end; i += 16) {
            __m512i v = padici_avx512_load(x + 4 * i);
            if (zigzag) v = padici_simd_codec_narrow_unfold(v);
            v = padici_simd_codec_narrow_add(v, padici_avx512_load(x + 4 * (i - stride)), &sum);
            padici_avx512_store(x + 4 * i, v);
        }
        if (i < end) {
            const __mmask16 there = padici_simd_codec_narrow_there(end - i);
            __m512i v = _mm512_maskz_loadu_epi32(there, x + 4 * i);
            if (zigzag) v = padici_simd_codec_narrow_unfold(v);
            v = padici_simd_codec_narrow_add(
                v, _mm512_maskz_loadu_epi32(there, x + 4 * (i - stride)), &sum);
            _mm512_mask_storeu_epi32(x + 4 * i, there, v);
        }
        i = end;
    }
    *over = sum;
}

// Words [from, to) to elements; `wide` has room for a tile of longer words.
PADICI_IFMA static void padici_simd_codec_narrow_elements(const uint8_t *x, size_t from, size_t to,
                                                          const padici_codec_transform *transform,
                                                          padic_dtype dtype, uint64_t *wide,
                                                          uint8_t *raw)
{
    const uint32_t size = padic_dtype_size(dtype);
    size_t i = from, done;
    if (transform->kind == PADICI_CODEC_TRANSFORM_BITS && transform->shift == 0 &&
        padici_codec_is_float(dtype) && size == 4 && transform->step == 1 &&
        transform->first == 0) {
        for (; i + 16 <= to; i += 16) {
            const __m512i v = padici_avx512_load(x + 4 * i);
            const __m512i sign = _mm512_srli_epi32(_mm512_srai_epi32(v, 31), 1);
            padici_avx512_store(raw + 4 * i, _mm512_xor_si512(v, sign));
        }
    }
    if (transform->kind == PADICI_CODEC_TRANSFORM_FIELDS && size == 4 && transform->step == 1 &&
        transform->first == 0)
        for (; i + 16 <= to; i += 16)
            padici_avx512_store(raw + 4 * i, _mm512_ror_epi32(padici_avx512_load(x + 4 * i), 1));
    if (transform->kind <= PADICI_CODEC_TRANSFORM_FIELDS && transform->shift == 0 &&
        padici_codec_is_float(dtype) && size == 2 && transform->step == 1 &&
        transform->first == 0) {
        const int bits = transform->kind == PADICI_CODEC_TRANSFORM_BITS;
        for (; i + 16 <= to; i += 16) {
            const __m512i v = padici_avx512_load(x + 4 * i), up = _mm512_slli_epi32(v, 16);
            const __m512i twice = _mm512_or_si512(up, _mm512_srli_epi32(up, 16));
            const __m512i turned = _mm512_srli_epi32(twice, 1);
            const __m512i sign = _mm512_srli_epi32(_mm512_srai_epi32(up, 31), 17);
            _mm256_storeu_si256((__m256i *)(void *)(raw + 2 * i),
                                _mm512_cvtepi32_epi16(bits ? _mm512_xor_si512(v, sign) : turned));
        }
    }
    // n times a power of 2 is rounded once, to a float or first to a double, which it is
    if (transform->kind == PADICI_CODEC_TRANSFORM_SCALE && dtype == PADIC_F32 &&
        transform->step == 1 && transform->first == 0 &&
        (transform->g & ((UINT64_C(1) << 52) - 1)) == 0 && transform->g >> 52 >= 1023 - 126 &&
        transform->g >> 52 <= 1023 + 96) {
        const __m512 g = _mm512_set1_ps((float)padici_codec_double_of(transform->g));
        for (; i + 16 <= to; i += 16)
            _mm512_storeu_ps((float *)(void *)(raw + 4 * i),
                             _mm512_mul_ps(_mm512_cvtepi32_ps(padici_avx512_load(x + 4 * i)), g));
    }
    i = padici_simd_codec_scaled_avx512(x, i, to, transform, dtype, raw);
    if (i == to) return;
    for (done = i; i < to; i += 8) {
        const __mmask8 there = (__mmask8)padici_simd_codec_narrow_there(to - i);
        const __m256i v = _mm512_castsi512_si256(_mm512_maskz_loadu_epi32(there, x + 4 * i));
        padici_avx512_store(wide + (i - done), _mm512_cvtepi32_epi64(v));
    }
    padici_simd_codec_elements_avx512(transform, dtype, wide, raw + done * size, to - done);
}

// A whole block whose words fit into 32 bits, or whose elements depend only on that many bits of
// them: see padici_codec_loops.
PADICI_FN PADICI_IFMA int padici_simd_codec_narrow_ifma(const padici_codec_decoder *given,
                                                        const padici_codec_predictor *predictor,
                                                        int zigzag,
                                                        const padici_codec_transform *transform,
                                                        padic_dtype dtype, void *space,
                                                        uint8_t *raw, size_t n)
{
    padici_codec_decoder decoder = *given;
    uint8_t *const x = (uint8_t *)space;
    uint64_t *const wide = (uint64_t *)space + n / 2 + 16; // after the words
    const int cut = padic_dtype_size(dtype) <= 4 &&
                    transform->kind <= PADICI_CODEC_TRANSFORM_FIELDS && transform->shift == 0;
    __m512i over = _mm512_setzero_si512();
    size_t from, to, ready = 0, step = PADICI_CODEC_NARROW_TILE;
    uint32_t kept[3][16], k, near_ops = 0, most = cut ? 64 : predictor->count ? 28 : 31, sums = 1;
    if (n < 4 * PADICI_CODEC_NARROW_TILE || (predictor->count && !zigzag) ||
        predictor->kind == PADICI_CODEC_PREDICTOR_XOR ||
        predictor->kind >= PADICI_CODEC_PREDICTOR_MEDIAN)
        return 0;
    for (k = 0; k < predictor->count; k++) {
        const padici_codec_op *op = predictor->op + k;
        if (op->stride < 16) {
            if (k != near_ops || k == 3 || (k && op[-1].segment >= 32 && !cut) ||
                (op->segment < 32 && (op->stride > 1 || op->segment > 16)))
                return 0;
            near_ops++;
            sums *= op->segment < 32 ? op->segment : 15 / op->stride + 1;
        } else if (k + 1 < predictor->count) { // it is looked back at, inside its segments
            step = (step + op->segment - 1) / op->segment * op->segment;
        }
    }
    for (k = near_ops; k + 1 < predictor->count; k++)
        if (step % predictor->op[k].segment) step = n;
    for (; sums > 16 && !cut; sums = (sums + 1) / 2) most--;
    if (!padici_simd_codec_narrow_fits(&decoder, n, most)) return 0;
    memset(kept, 0, sizeof kept);
    for (from = 0; from < n; from = to) {
        size_t done;
        to = n - from < step + 16 ? n : from + step; // the last one has at least 16
        while (ready < to) {
            done = ready;
            ready = n - done < PADICI_CODEC_NARROW_TILE + 16 ? n : done + PADICI_CODEC_NARROW_TILE;
            padici_simd_codec_narrow_fixed(&decoder, x, done, ready, zigzag);
            for (k = 0; k < near_ops; k++)
                padici_simd_codec_narrow_near(x, done, ready, predictor->op + k, kept[k], &over,
                                              k == 0);
        }
        for (k = near_ops; k < predictor->count; k++)
            padici_simd_codec_narrow_far(x, from, to, predictor->op + k, k == 0, &over);
        if (!cut && _mm512_movepi32_mask(over)) return 0;
        for (done = from; done < to;) {
            const size_t end = padici_codec_least(done + PADICI_CODEC_NARROW_TILE, to);
            padici_simd_codec_narrow_elements(x, done, end, transform, dtype, wide, raw);
            done = end;
        }
    }
    return 1;
}

#undef PADICI_CODEC_NARROW_TILE

#endif
