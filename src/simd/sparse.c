#include "sparse.h"
#include "../core/words.h"
#include "level.h"
#include "words.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_SPARSE)

// ---------------------------------------------------------------------------------------- >>sparse

// Keys are processed in blocks of 64: `find` makes a mask of those to keep, `fill` writes the kept
// entries, whole vectors at a time, so the next block starts inside what the previous one wrote. A
// block is a part of a long row, or a whole short one.

#define PADICI_PICK_BLOCKS 32 // masks made at a time
#define PADICI_PICK_ROWS 128  // short rows at a time

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
typedef struct padici_simd_sparse_span {
    const uint8_t *key; // 64 of them may be read from the start of each block
    const uint64_t *masks;
    uint32_t blocks, keys; // keys from block to block
    uint64_t first, next;  // column of the first key; columns from block to block
    uint32_t size, index_size;
    uint8_t *col, *value; // room for 64 entries from the start of each block; value may be NULL
} padici_simd_sparse_span;

// Byte k of entry m is the number of the k-th bit of m: a shuffle that moves the bytes selected by
// m.
#define PADICI_NTH(v, m, i) ((v) << 8 * ((m) >> (i) & 1) | (uint64_t)(i) * ((m) >> (i) & 1))
#define PADICI_NTH4(v, m, i) \
    PADICI_NTH(PADICI_NTH(PADICI_NTH(PADICI_NTH(v, m, (i) + 3), m, (i) + 2), m, (i) + 1), m, i)
#define PADICI_BYTES1(m) PADICI_NTH4(PADICI_NTH4(UINT64_C(0), m, 4), m, 0)
#define PADICI_BYTES4(m) \
    PADICI_BYTES1(m), PADICI_BYTES1((m) + 1), PADICI_BYTES1((m) + 2), PADICI_BYTES1((m) + 3)
#define PADICI_BYTES16(m) \
    PADICI_BYTES4(m), PADICI_BYTES4((m) + 4), PADICI_BYTES4((m) + 8), PADICI_BYTES4((m) + 12)
#define PADICI_BYTES64(m) \
    PADICI_BYTES16(m), PADICI_BYTES16((m) + 16), PADICI_BYTES16((m) + 32), PADICI_BYTES16((m) + 48)
static const uint64_t padici_simd_sparse_bytes[256] = {PADICI_BYTES64(0), PADICI_BYTES64(64),
                                                  PADICI_BYTES64(128), PADICI_BYTES64(192)};

#if PADICI_SIMD_X86
#define PADICI_PICK_ANY PADICI_AVX2 // every level has it
#define PADICI_PICK_POPCOUNT(m) ((uint32_t)_mm_popcnt_u64(m))
#else
#define PADICI_PICK_ANY
#define PADICI_PICK_POPCOUNT(m) ((uint32_t)__builtin_popcountll(m))
#endif

PADICI_INLINE void padici_simd_sparse_entry(const padici_simd_sparse_span *s, uint32_t block,
                                            uint32_t i, uint64_t to, uint32_t size,
                                            uint32_t index_size)
{
    const uint64_t column = s->first + block * s->next + i;
    const uint32_t half = (uint32_t)column;
    if (index_size == 4)
        memcpy(s->col + (size_t)to * 4, &half, 4);
    else
        memcpy(s->col + (size_t)to * 8, &column, 8);
    if (s->value)
        memcpy(s->value + (size_t)to * size, s->key + ((size_t)block * s->keys + i) * size, size);
}

// Writes only kept keys; fastest where hardly any block keeps any.
static uint32_t padici_simd_sparse_exact(const padici_simd_sparse_span *s)
{
    uint32_t b, n = 0;
    uint64_t m;
    for (b = 0; b < s->blocks; b++)
        for (m = s->masks[b]; m; m &= m - 1)
            padici_simd_sparse_entry(s, b, padici_ctz64(m), n++, s->size, s->index_size);
    return n;
}

// Few keys per block: four are written whether kept or not, which hardly ever takes a branch.
PADICI_PICK_ANY PADICI_INLINE uint32_t padici_simd_sparse_few_of(
    const padici_simd_sparse_span *span, uint32_t size, uint32_t index_size)
{
    const padici_simd_sparse_span own = *span, *const s = &own; // a copy that no store can change
    uint32_t b, n = 0, i, j;
    for (b = 0; b < s->blocks; b++) {
        uint64_t m = s->masks[b];
        const uint32_t kept = PADICI_PICK_POPCOUNT(m);
        for (j = 0; j < kept || !j; j += 4)
            for (i = 0; i < 4; i++, m &= m - 1)
                padici_simd_sparse_entry(s, b, padici_ctz64(m | UINT64_C(1) << 63), n + j + i, size,
                                         index_size);
        n += kept;
    }
    return n;
}

PADICI_PICK_ANY static uint32_t padici_simd_sparse_few(const padici_simd_sparse_span *s)
{
    switch (s->size + (s->index_size == 8)) {
    case 1: return padici_simd_sparse_few_of(s, 1, 4);
    case 2:
        return s->size == 1 ? padici_simd_sparse_few_of(s, 1, 8)
                            : padici_simd_sparse_few_of(s, 2, 4);
    case 3: return padici_simd_sparse_few_of(s, 2, 8);
    case 4: return padici_simd_sparse_few_of(s, 4, 4);
    case 5: return padici_simd_sparse_few_of(s, 4, 8);
    case 8: return padici_simd_sparse_few_of(s, 8, 4);
    default: return padici_simd_sparse_few_of(s, 8, 8);
    }
}

#endif

#if PADICI_SIMD_X86
// A number of `bits` bits repeated to a word.
PADICI_INLINE uint64_t padici_simd_sparse_spread(uint64_t v, uint32_t bits)
{
    const uint64_t ones = UINT64_MAX >> (64 - bits);
    return (v & ones) * (UINT64_MAX / ones);
}

// Products of bytes, for which there is no instruction, from those of 16-bit lanes.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_sparse_mul8_avx512(__m512i a, __m512i b)
{
    const __m512i odd = _mm512_mullo_epi16(_mm512_srli_epi16(a, 8), _mm512_srli_epi16(b, 8));
    const __m512i even = _mm512_and_si512(_mm512_mullo_epi16(a, b), _mm512_set1_epi16(255));
    return _mm512_or_si512(_mm512_slli_epi16(odd, 8), even);
}

PADICI_AVX2 PADICI_INLINE __m256i padici_simd_sparse_mul8_avx2(__m256i a, __m256i b)
{
    const __m256i odd = _mm256_mullo_epi16(_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8));
    const __m256i even = _mm256_and_si256(_mm256_mullo_epi16(a, b), _mm256_set1_epi16(255));
    return _mm256_or_si256(_mm256_slli_epi16(odd, 8), even);
}

// The upper bits of the bytes of two halves, lanes in order: 32, 16, 8 or 4 bits.
PADICI_AVX2 PADICI_INLINE uint64_t padici_simd_sparse_bits8_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_epi8(x);
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_simd_sparse_bits16_avx2(__m256i x)
{
    const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_simd_sparse_bits32_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(x));
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_simd_sparse_bits64_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(x));
}

// Prefetches: branches of the fill keep the processor from running ahead by itself. A prefetch
// beyond the end does nothing.
#define PADICI_PICK_AHEAD(key) \
    _mm_prefetch((const char *)((uintptr_t)(key) + 768), _MM_HINT_T0)

#define PADICI_PICK_FIND512(BITS, MUL, AS_BITS) \
    PADICI_AVX512 static uint64_t padici_simd_sparse_find##BITS##_avx512( \
        const padic_sparse_call *call, const uint8_t *key, uint32_t blocks, uint64_t *masks) \
    { \
        const __m512i factor = padici_avx512_all(padici_simd_sparse_spread(call->factor, BITS)); \
        const __m512i bias = padici_avx512_all(padici_simd_sparse_spread(call->bias, BITS)); \
        const __m512i mask = padici_avx512_all(padici_simd_sparse_spread(call->mask, BITS)); \
        const __m512i limit = padici_avx512_all(padici_simd_sparse_spread(call->limit, BITS)); \
        const int times = call->factor != 1; \
        uint64_t kept = 0, m; \
        uint32_t b, j; \
        for (b = 0; b < blocks; b++) { \
            for (m = 0, j = 0; j < BITS; j += 8, key += 64) { \
                __m512i x = padici_avx512_load(key); \
                PADICI_PICK_AHEAD(key); \
                if (times) x = MUL(x, factor); \
                x = _mm512_and_si512(_mm512_add_epi##BITS(x, bias), mask); \
                m |= AS_BITS(_mm512_cmpgt_epu##BITS##_mask(x, limit)) \
                     << (512 / BITS * (j / 8)); \
            } \
            masks[b] = m; \
            kept += (uint64_t)_mm_popcnt_u64(m); \
        } \
        return kept; \
    }

#define PADICI_PICK_FIND256(BITS, MUL) \
    PADICI_AVX2 static uint64_t padici_simd_sparse_find##BITS##_avx2( \
        const padic_sparse_call *call, const uint8_t *key, uint32_t blocks, uint64_t *masks) \
    { \
        const uint64_t sign = padici_simd_sparse_spread(UINT64_C(1) << (BITS - 1), BITS); \
        const __m256i factor = padici_avx2_all(padici_simd_sparse_spread(call->factor, BITS)); \
        const __m256i bias = padici_avx2_all(padici_simd_sparse_spread(call->bias, BITS)); \
        const __m256i mask = padici_avx2_all(padici_simd_sparse_spread(call->mask, BITS)); \
        const __m256i flip = padici_avx2_all(sign); \
        const __m256i limit = \
            padici_avx2_all(padici_simd_sparse_spread(call->limit, BITS) ^ sign); \
        const int times = call->factor != 1; \
        uint64_t kept = 0, m; \
        uint32_t b, j; \
        for (b = 0; b < blocks; b++) { \
            for (m = 0, j = 0; j < BITS; j += 4, key += 32) { \
                __m256i x = padici_avx2_load(key); \
                PADICI_PICK_AHEAD(key); \
                if (times) x = MUL(x, factor); \
                x = _mm256_and_si256(_mm256_add_epi##BITS(x, bias), mask); \
                x = _mm256_cmpgt_epi##BITS(_mm256_xor_si256(x, flip), limit); \
                m |= padici_simd_sparse_bits##BITS##_avx2(x) << (256 / BITS * (j / 4)); \
            } \
            masks[b] = m; \
            kept += (uint64_t)_mm_popcnt_u64(m); \
        } \
        return kept; \
    }

PADICI_PICK_FIND512(8, padici_simd_sparse_mul8_avx512, padici_mask64)
PADICI_PICK_FIND512(16, _mm512_mullo_epi16, padici_mask32)
PADICI_PICK_FIND512(32, _mm512_mullo_epi32, padici_mask16)
PADICI_PICK_FIND512(64, _mm512_mullo_epi64, padici_mask8)
PADICI_PICK_FIND256(8, padici_simd_sparse_mul8_avx2)
PADICI_PICK_FIND256(16, _mm256_mullo_epi16)
PADICI_PICK_FIND256(32, _mm256_mullo_epi32)
PADICI_PICK_FIND256(64, padici_avx2_mul64)

// 8 keys of `size` bytes from p on, with those that the table's entry selects first.
PADICI_AVX2 PADICI_INLINE void padici_simd_sparse_move_avx2(uint8_t *to, const uint8_t *p,
                                                            __m128i entry, __m128i entry4,
                                                            uint32_t n4, uint32_t size)
{
    const __m256i pair = _mm256_set1_epi64x(0x100000000);
    if (size == 1) {
        const __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)p);
        _mm_storel_epi64((__m128i *)(void *)to, _mm_shuffle_epi8(x, entry));
    } else if (size == 2) { // numbers of bytes: 2 e, 2 e + 1
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i twice = _mm_add_epi8(entry, entry), both = _mm_unpacklo_epi8(twice, twice);
        _mm_storeu_si128((__m128i *)(void *)to,
                         _mm_shuffle_epi8(x, _mm_add_epi8(both, _mm_set1_epi16(256))));
    } else if (size == 4) {
        const __m256i x = padici_avx2_load(p);
        padici_avx2_store(to, _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(entry)));
    } else { // four and four; numbers of halves: 2 e, 2 e + 1
        const __m256i low = _mm256_cvtepu8_epi64(entry), high = _mm256_cvtepu8_epi64(entry4);
        const __m256i x = padici_avx2_load(p), y = padici_avx2_load(p + 32);
        const __m256i i = _mm256_or_si256(_mm256_slli_epi64(low, 1), _mm256_slli_epi64(low, 33));
        const __m256i j = _mm256_or_si256(_mm256_slli_epi64(high, 1), _mm256_slli_epi64(high, 33));
        padici_avx2_store(to, _mm256_permutevar8x32_epi32(x, _mm256_or_si256(i, pair)));
        padici_avx2_store(to + 8 * n4, _mm256_permutevar8x32_epi32(y, _mm256_or_si256(j, pair)));
    }
}

PADICI_AVX2 PADICI_INLINE uint32_t padici_simd_sparse_fill_of_avx2(
    const padici_simd_sparse_span *span, uint32_t size)
{
    const padici_simd_sparse_span own = *span, *const s = &own; // a copy that no store can change
    uint32_t b, i, n = 0;
    for (b = 0; b < s->blocks; b++) {
        const uint8_t *key = s->key + (size_t)b * s->keys * size;
        const uint64_t mask = s->masks[b];
        for (i = 0; i < s->keys; i += 8) {
            const uint32_t m = (uint32_t)(mask >> i) & 255;
            const __m128i entry =
                _mm_loadl_epi64((const __m128i *)(const void *)&padici_simd_sparse_bytes[m]);
            const uint64_t first = s->first + b * s->next + i;
            if (s->index_size == 4) {
                padici_avx2_store(s->col + 4 * (size_t)n,
                                  _mm256_add_epi32(_mm256_cvtepu8_epi32(entry),
                                                   _mm256_set1_epi32((int)first)));
            } else {
                const __m128i rest = _mm_srli_si128(entry, 4);
                padici_avx2_store(s->col + 8 * (size_t)n,
                                  _mm256_add_epi64(_mm256_cvtepu8_epi64(entry),
                                                   padici_avx2_all(first)));
                padici_avx2_store(s->col + 8 * (size_t)n + 32,
                                  _mm256_add_epi64(_mm256_cvtepu8_epi64(rest),
                                                   padici_avx2_all(first)));
            }
            if (s->value)
                padici_simd_sparse_move_avx2(
                    s->value + (size_t)n * size, key + i * size, entry,
                    _mm_loadl_epi64(
                        (const __m128i *)(const void *)&padici_simd_sparse_bytes[m >> 4]),
                    (uint32_t)_mm_popcnt_u32(m & 15), size);
            n += (uint32_t)_mm_popcnt_u32(m);
        }
    }
    return n;
}

PADICI_AVX2 static uint32_t padici_simd_sparse_fill_avx2(const padici_simd_sparse_span *s)
{
    switch (s->size) {
    case 1: return padici_simd_sparse_fill_of_avx2(s, 1);
    case 2: return padici_simd_sparse_fill_of_avx2(s, 2);
    case 4: return padici_simd_sparse_fill_of_avx2(s, 4);
    default: return padici_simd_sparse_fill_of_avx2(s, 8);
    }
}

// Columns 16 k to 16 k + 15 of a block, whose numbers in it are `id`.
PADICI_IFMA PADICI_INLINE void padici_simd_sparse_columns_ifma(uint8_t *col, __m128i id,
                                                               uint64_t first, uint32_t index_size)
{
    if (index_size == 4) {
        const __m512i x = _mm512_cvtepu8_epi32(id);
        padici_avx512_store(col, _mm512_add_epi32(x, _mm512_set1_epi32((int)first)));
    } else {
        const __m512i x = _mm512_cvtepu8_epi64(id), all = padici_avx512_all(first);
        const __m512i y = _mm512_cvtepu8_epi64(_mm_srli_si128(id, 8));
        padici_avx512_store(col, _mm512_add_epi64(x, all));
        padici_avx512_store(col + 64, _mm512_add_epi64(y, all));
    }
}

PADICI_IFMA PADICI_INLINE void padici_simd_sparse_move_ifma(uint8_t *to, const uint8_t *key,
                                                            uint64_t m, uint32_t size)
{
    uint32_t i;
    for (i = 0; i < size; i++, key += 64) {
        const __m512i x = padici_avx512_load(key);
        const uint64_t part = m >> (64 / size * i) & (UINT64_MAX >> (64 - 64 / size));
        padici_avx512_store(to, size == 1   ? _mm512_maskz_compress_epi8(part, x)
                                : size == 2 ? _mm512_maskz_compress_epi16((__mmask32)part, x)
                                : size == 4 ? _mm512_maskz_compress_epi32((__mmask16)part, x)
                                            : _mm512_maskz_compress_epi64((__mmask8)part, x));
        to += size * (uint32_t)_mm_popcnt_u64(part);
    }
}

PADICI_IFMA PADICI_INLINE uint32_t padici_simd_sparse_fill_of_ifma(
    const padici_simd_sparse_span *span, uint32_t size)
{
    const padici_simd_sparse_span own = *span, *const s = &own; // a copy that no store can change
    const __m512i numbers = _mm512_set_epi64(
        0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
        0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
    const uint32_t wide = s->index_size;
    uint32_t b, n = 0;
    for (b = 0; b < s->blocks; b++) {
        const uint64_t m = s->masks[b], first = s->first + b * s->next;
        const uint32_t kept = (uint32_t)_mm_popcnt_u64(m);
        const __m512i ids = _mm512_maskz_compress_epi8(m, numbers);
        uint8_t *const col = s->col + (size_t)n * wide;
        padici_simd_sparse_columns_ifma(col, _mm512_castsi512_si128(ids), first, wide);
        if (kept > 16)
            padici_simd_sparse_columns_ifma(col + 16 * wide, _mm512_extracti32x4_epi32(ids, 1),
                                            first, wide);
        if (kept > 32) {
            padici_simd_sparse_columns_ifma(col + 32 * wide, _mm512_extracti32x4_epi32(ids, 2),
                                            first, wide);
            padici_simd_sparse_columns_ifma(col + 48 * wide, _mm512_extracti32x4_epi32(ids, 3),
                                            first, wide);
        }
        if (s->value)
            padici_simd_sparse_move_ifma(s->value + (size_t)n * size,
                                         s->key + (size_t)b * s->keys * size, m, size);
        n += kept;
    }
    return n;
}

PADICI_IFMA static uint32_t padici_simd_sparse_fill_ifma(const padici_simd_sparse_span *s)
{
    switch (s->size) {
    case 1: return padici_simd_sparse_fill_of_ifma(s, 1);
    case 2: return padici_simd_sparse_fill_of_ifma(s, 2);
    case 4: return padici_simd_sparse_fill_of_ifma(s, 4);
    default: return padici_simd_sparse_fill_of_ifma(s, 8);
    }
}
#elif PADICI_SIMD_ARM
// The upper bits of 64 bytes: the bit of each byte in its group of 8, added up pairwise.
PADICI_INLINE uint64_t padici_simd_sparse_bits_neon(const uint8x16_t x[4])
{
    const uint8x16_t own = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    const uint8x16_t a = vpaddq_u8(vandq_u8(x[0], own), vandq_u8(x[1], own));
    const uint8x16_t b = vpaddq_u8(vandq_u8(x[2], own), vandq_u8(x[3], own));
    const uint8x16_t c = vpaddq_u8(a, b);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(c, c)), 0);
}

// Masks of `count` vectors narrowed to bytes, to four vectors.
PADICI_INLINE uint64_t padici_simd_sparse_narrow_neon(uint8x16_t *x, uint32_t count)
{
    uint32_t i;
    for (; count > 4; count /= 2)
        for (i = 0; i < count / 2; i++) x[i] = vuzp1q_u8(x[2 * i], x[2 * i + 1]);
    return padici_simd_sparse_bits_neon(x);
}

#define PADICI_PICK_FIND_NEON(BITS, LANES, FROM, TO, MUL) \
    static uint64_t padici_simd_sparse_find##BITS##_neon(const padic_sparse_call *call, \
                                                    const uint8_t *key, uint32_t blocks, \
                                                    uint64_t *masks) \
    { \
        const uint##BITS##x##LANES##_t factor = vdupq_n_u##BITS((uint##BITS##_t)call->factor); \
        const uint##BITS##x##LANES##_t bias = vdupq_n_u##BITS((uint##BITS##_t)call->bias); \
        const uint##BITS##x##LANES##_t mask = vdupq_n_u##BITS((uint##BITS##_t)call->mask); \
        const uint##BITS##x##LANES##_t limit = vdupq_n_u##BITS((uint##BITS##_t)call->limit); \
        const int times = call->factor != 1; \
        uint64_t kept = 0; \
        uint32_t b, j; \
        for (b = 0; b < blocks; b++) { \
            uint8x16_t found[BITS / 2]; \
            for (j = 0; j < BITS / 2; j++, key += 16) { \
                uint##BITS##x##LANES##_t x = FROM(vld1q_u8(key)); \
                if (times) x = MUL(x, factor); \
                x = vandq_u##BITS(vaddq_u##BITS(x, bias), mask); \
                found[j] = TO(vcgtq_u##BITS(x, limit)); \
            } \
            masks[b] = padici_simd_sparse_narrow_neon(found, BITS / 2); \
            kept += padici_popcount64(masks[b]); \
        } \
        return kept; \
    }

#define PADICI_SAME(x) (x)
PADICI_PICK_FIND_NEON(8, 16, PADICI_SAME, PADICI_SAME, vmulq_u8)
PADICI_PICK_FIND_NEON(16, 8, vreinterpretq_u16_u8, vreinterpretq_u8_u16, vmulq_u16)
PADICI_PICK_FIND_NEON(32, 4, vreinterpretq_u32_u8, vreinterpretq_u8_u32, vmulq_u32)
PADICI_PICK_FIND_NEON(64, 2, vreinterpretq_u64_u8, vreinterpretq_u8_u64, padici_neon_mul64)

// 8 keys from p on, with those that the table's entry selects first: byte k of key e is byte size e
// + k of them.
PADICI_INLINE void padici_simd_sparse_move_neon(uint8_t *to, const uint8_t *p, uint64_t entry,
                                                uint32_t size)
{
    static const uint8_t of[8][16] = {
        {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7},
        {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3},
        {4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
        {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
        {2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
        {4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5},
        {6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7},
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
    const uint8x16_t e = vreinterpretq_u8_u64(vdupq_n_u64(entry));
    const uint8x16_t by = vld1q_u8(of[7]), byte = vandq_u8(by, vdupq_n_u8((uint8_t)(size - 1)));
    const int8x16_t up = vdupq_n_s8((int8_t)(size == 2 ? 1 : size == 4 ? 2 : 3));
    uint32_t k;
    if (size == 1) {
        vst1_u8(to, vtbl1_u8(vld1_u8(p), vcreate_u8(entry)));
        return;
    }
    for (k = 0; k < size / 2; k++) {
        const uint8x16_t which = vqtbl1q_u8(e, vld1q_u8(of[size / 2 - 1 + k]));
        const uint8x16_t from = vaddq_u8(vshlq_u8(which, up), byte);
        if (size == 2)
            vst1q_u8(to, vqtbl1q_u8(vld1q_u8(p), from));
        else if (size == 4)
            vst1q_u8(to + 16 * k, vqtbl2q_u8(vld1q_u8_x2(p), from));
        else
            vst1q_u8(to + 16 * k, vqtbl4q_u8(vld1q_u8_x4(p), from));
    }
}

PADICI_INLINE void padici_simd_sparse_columns_neon(uint8_t *col, uint64_t entry, uint64_t first,
                                                   uint32_t index_size)
{
    const uint32x4_t half = vdupq_n_u32((uint32_t)first);
    const uint64x2_t all = vdupq_n_u64(first);
    const uint16x8_t id = vmovl_u8(vcreate_u8(entry));
    const uint32x4_t low = vmovl_u16(vget_low_u16(id)), high = vmovl_u16(vget_high_u16(id));
    if (index_size == 4) {
        vst1q_u8(col, vreinterpretq_u8_u32(vaddq_u32(low, half)));
        vst1q_u8(col + 16, vreinterpretq_u8_u32(vaddq_u32(high, half)));
        return;
    }
    padici_neon_store(col, vaddw_u32(all, vget_low_u32(low)));
    padici_neon_store(col + 16, vaddw_u32(all, vget_high_u32(low)));
    padici_neon_store(col + 32, vaddw_u32(all, vget_low_u32(high)));
    padici_neon_store(col + 48, vaddw_u32(all, vget_high_u32(high)));
}

static uint32_t padici_simd_sparse_fill_neon(const padici_simd_sparse_span *s)
{
    uint32_t b, i, n = 0;
    for (b = 0; b < s->blocks; b++) {
        const uint8_t *key = s->key + (size_t)b * s->keys * s->size;
        for (i = 0; i < s->keys; i += 8) {
            const uint32_t m = (uint32_t)(s->masks[b] >> i) & 255;
            padici_simd_sparse_columns_neon(s->col + (size_t)n * s->index_size,
                                            padici_simd_sparse_bytes[m], s->first + b * s->next + i,
                                            s->index_size);
            if (s->value)
                padici_simd_sparse_move_neon(s->value + (size_t)n * s->size, key + i * s->size,
                                             padici_simd_sparse_bytes[m], s->size);
            n += PADICI_PICK_POPCOUNT(m);
        }
    }
    return n;
}
#endif

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
typedef struct padici_simd_sparse_kernels {
    uint64_t (*find[4])(const padic_sparse_call *call, const uint8_t *key, uint32_t blocks,
                        uint64_t *masks); // of keys of 1, 2, 4, 8 bytes; their bits
    uint32_t (*fill)(const padici_simd_sparse_span *span);
    uint32_t few; // up to this many kept keys per block padici_simd_sparse_few() is faster
} padici_simd_sparse_kernels;

#if PADICI_SIMD_X86
static const padici_simd_sparse_kernels padici_simd_sparse_table[3] = {
    {{padici_simd_sparse_find8_avx2, padici_simd_sparse_find16_avx2, padici_simd_sparse_find32_avx2,
      padici_simd_sparse_find64_avx2},
     padici_simd_sparse_fill_avx2,
     5},
    {{padici_simd_sparse_find8_avx512, padici_simd_sparse_find16_avx512,
      padici_simd_sparse_find32_avx512, padici_simd_sparse_find64_avx512},
     padici_simd_sparse_fill_avx2,
     5},
    {{padici_simd_sparse_find8_avx512, padici_simd_sparse_find16_avx512,
      padici_simd_sparse_find32_avx512, padici_simd_sparse_find64_avx512},
     padici_simd_sparse_fill_ifma,
     0}};
#else
static const padici_simd_sparse_kernels padici_simd_sparse_table[1] = {
    {{padici_simd_sparse_find8_neon, padici_simd_sparse_find16_neon, padici_simd_sparse_find32_neon,
      padici_simd_sparse_find64_neon},
     padici_simd_sparse_fill_neon,
     5}};
#endif

typedef struct padici_simd_sparse_work {
    const padici_simd_sparse_kernels *kernels;
    padic_sparse_call *call;
    uint32_t kind; // of `find`
    int fill;
} padici_simd_sparse_work;

// Writes the `found` kept keys of the blocks of a span: whole vectors as long as they certainly
// fit, the last keys one by one. `whole`: blocks of which 64 keys may be read.
static void padici_simd_sparse_write(const padici_simd_sparse_work *w, padici_simd_sparse_span *s,
                                     uint64_t found, uint32_t whole)
{
    padic_sparse_call *call = w->call;
    const uint32_t all = s->blocks;
    uint32_t at = 0;
    const int few = found <= (uint64_t)all * w->kernels->few, rare = found * 8 <= all;
    s->size = call->size;
    s->index_size = call->index_size;
    for (; at < all && found; at += s->blocks) {
        const uint64_t room = (call->room - call->kept) / 64;
        uint32_t kept;
        s->blocks = at < whole && room ? whole - at : 1;
        if (room && s->blocks > room) s->blocks = (uint32_t)room;
        s->col = (uint8_t *)call->col + (size_t)(call->kept * s->index_size);
        s->value = call->value ? (uint8_t *)call->value + (size_t)(call->kept * s->size) : NULL;
        kept = rare || at >= whole || !room ? padici_simd_sparse_exact(s)
               : few                        ? padici_simd_sparse_few(s)
                                            : (*w->kernels->fill)(s);
        call->kept += kept;
        found -= kept;
        s->masks += s->blocks;
        s->key += (size_t)s->blocks * s->keys * s->size;
        s->first += s->blocks * s->next;
    }
}

// Blocks of one row from column `column` on; `last`: the keys of the last block that belong to it.
static void padici_simd_sparse_part(const padici_simd_sparse_work *w, const uint8_t *key,
                                    uint32_t blocks, uint64_t column, uint64_t last)
{
    uint64_t masks[PADICI_PICK_BLOCKS], found;
    padici_simd_sparse_span s;
    found = (*w->kernels->find[w->kind])(w->call, key, blocks, masks);
    found -= padici_popcount64(masks[blocks - 1] & ~last);
    masks[blocks - 1] &= last;
    s.key = key;
    s.masks = masks;
    s.blocks = blocks;
    s.keys = 64;
    s.first = w->call->first + column;
    s.next = 64;
    if (!w->fill)
        w->call->kept += found;
    else if (found)
        padici_simd_sparse_write(w, &s, found, blocks);
}

// A row, and how many keys from its start on may be read: a short last block reads into the
// following keys, or is copied to our memory.
static void padici_simd_sparse_row(const padici_simd_sparse_work *w, const uint8_t *key,
                                   uint64_t readable)
{
    const uint64_t cols = w->call->cols, last = UINT64_MAX >> (63 - (cols - 1) % 64);
    const uint64_t blocks = ((cols + 63) / 64 * 64 <= readable ? cols + 63 : cols) / 64;
    const uint32_t size = w->call->size;
    uint64_t c, space[64];
    uint32_t n;
    for (c = 0; c < blocks; c += n) {
        n = blocks - c < PADICI_PICK_BLOCKS ? (uint32_t)(blocks - c) : PADICI_PICK_BLOCKS;
        padici_simd_sparse_part(w, key + (size_t)(c * 64 * size), n, c * 64,
                                (c + n) * 64 < cols ? UINT64_MAX : last);
    }
    if (blocks * 64 >= cols) return;
    memset(space, 0, sizeof space);
    memcpy(space, key + (size_t)(blocks * 64 * size), (size_t)(cols - blocks * 64) * size);
    padici_simd_sparse_part(w, (const uint8_t *)space, 1, blocks * 64, last);
}

// Starts row r of the call.
PADICI_INLINE void padici_simd_sparse_pointer(const padic_sparse_call *call, uint64_t r)
{
    const uint64_t before = call->start + call->kept;
    const uint32_t half = (uint32_t)before;
    if (call->row_ptr && call->index_size == 4)
        memcpy((uint8_t *)call->row_ptr + (size_t)r * 4, &half, 4);
    else if (call->row_ptr)
        memcpy((uint8_t *)call->row_ptr + (size_t)r * 8, &before, 8);
}

// Consecutive rows of up to 64 keys, as many as have their masks at a time.
PADICI_PICK_ANY static void padici_simd_sparse_short(const padici_simd_sparse_work *w)
{
    padic_sparse_call *call = w->call;
    const uint32_t cols = (uint32_t)call->cols, size = call->size;
    const uint64_t all = UINT64_MAX >> (64 - cols);
    const uint32_t most = PADICI_PICK_BLOCKS * 64 / cols;
    const uint32_t at_once = most < PADICI_PICK_ROWS ? most : PADICI_PICK_ROWS;
    uint64_t masks[PADICI_PICK_BLOCKS + 2], rows[PADICI_PICK_ROWS], space[64], r, before;
    uint64_t left = call->rows * cols;
    const uint8_t *key = (const uint8_t *)call->key;
    for (r = 0; r < call->rows; key += (size_t)size * cols * at_once) {
        const uint32_t n = call->rows - r < at_once ? (uint32_t)(call->rows - r) : at_once;
        const uint32_t blocks = n * cols / 64, rest = n * cols % 64;
        const uint64_t whole = left < 64 ? 0 : (left - 64) / cols + 1;
        padici_simd_sparse_span s;
        uint32_t k, at = 0;
        (void)(*w->kernels->find[w->kind])(call, key, blocks, masks);
        memset(space, 0, sizeof space);
        memcpy(space, key + (size_t)blocks * 64 * size, rest * size);
        (void)(*w->kernels->find[w->kind])(call, (const uint8_t *)space, 1, masks + blocks);
        masks[blocks + 1] = 0;
        before = call->kept;
        for (k = 0; k < n; k++, at += cols) {
            const uint32_t bit = at % 64;
            rows[k] = (masks[at / 64] >> bit | masks[at / 64 + 1] << 1 << (63 - bit)) & all;
            padici_simd_sparse_pointer(call, r++);
            call->kept += PADICI_PICK_POPCOUNT(rows[k]);
        }
        left -= (uint64_t)n * cols;
        if (!w->fill || call->kept == before) continue;
        s.key = key;
        s.masks = rows;
        s.blocks = n;
        s.keys = cols;
        s.first = call->first;
        s.next = 0;
        at = (uint32_t)(call->kept - before);
        call->kept = before;
        padici_simd_sparse_write(w, &s, at, whole < n ? (uint32_t)whole : n);
    }
}
#endif

static padic_result padici_simd_sparse(uint32_t level, padic_sparse_call *call, int fill)
{
#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
    padici_simd_sparse_work w;
    uint64_t r;
    const int flat = call->cols <= 64 && call->stride == call->cols;
    if (!call->cols || (call->cols < 32 && !flat)) // generic loops are faster
        return PADIC_ERROR_NOT_SUPPORTED;
    w.kernels = &padici_simd_sparse_table[PADICI_SIMD_X86 ? level - PADICI_SIMD_AVX2 : 0];
    w.call = call;
    w.kind = call->size == 8 ? 3 : call->size / 2;
    w.fill = fill;
    call->kept = 0;
    if (flat) padici_simd_sparse_short(&w);
    for (r = 0; !flat && r < call->rows; r++) {
        padici_simd_sparse_pointer(call, r);
        padici_simd_sparse_row(
            &w, (const uint8_t *)call->key + (size_t)(r * call->stride * call->size),
            call->stride == call->cols ? (call->rows - r) * call->cols : call->cols);
    }
    return PADIC_OK;
#else
    (void)level;
    (void)call;
    (void)fill;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

PADICI_FN padic_result padici_simd_sparse_count_loop(padici_simd *simd, void *call)
{
    return padici_simd_sparse(simd->level, (padic_sparse_call *)call, 0);
}

PADICI_FN padic_result padici_simd_sparse_fill_loop(padici_simd *simd, void *call)
{
    return padici_simd_sparse(simd->level, (padic_sparse_call *)call, 1);
}

#undef PADICI_PICK_BLOCKS
#undef PADICI_PICK_ROWS
#undef PADICI_NTH
#undef PADICI_NTH4
#undef PADICI_BYTES1
#undef PADICI_BYTES4
#undef PADICI_BYTES16
#undef PADICI_BYTES64
#undef PADICI_PICK_ANY
#undef PADICI_PICK_POPCOUNT
#undef PADICI_PICK_AHEAD
#undef PADICI_PICK_FIND512
#undef PADICI_PICK_FIND256
#undef PADICI_PICK_FIND_NEON
#undef PADICI_SAME

#endif
