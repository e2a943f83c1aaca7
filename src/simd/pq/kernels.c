#include "kernels.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_PQ) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// ------------------------------------------------------------------------------------- >>pq, simd
//
// Tables of 16 to 256 bytes stay in registers: a byte permute looks up as many codes as a vector
// has bytes. All give the bytes of src/pq/plain.c.

#if PADICI_SIMD_X86

// AVX2

// 32 codes, of keys 0 to 31 of a tile or of those from 32 on.
PADICI_AVX2 PADICI_INLINE __m256i padici_pq_codes_avx2(const uint8_t *codes, uint32_t bits,
                                                       uint32_t half)
{
    __m256i v;
    if (bits > 4) return _mm256_loadu_si256((const __m256i *)(const void *)(codes + 32 * half));
    v = _mm256_loadu_si256((const __m256i *)(const void *)codes);
    if (half) v = _mm256_srli_epi16(v, 4);
    return _mm256_and_si256(v, _mm256_set1_epi8(15));
}

// table[code mod 16 parts], parts 1, 4 or 16: those of 16 bytes, chosen by the bits above.
PADICI_AVX2 PADICI_INLINE __m256i padici_pq_lookup_avx2(const __m256i *table, uint32_t parts,
                                                        __m256i codes)
{
    const __m256i low = _mm256_and_si256(codes, _mm256_set1_epi8(15));
    __m256i part[16], bit;
    uint32_t i, shift = 3;
    for (i = 0; i < parts; i++) part[i] = _mm256_shuffle_epi8(table[i], low);
    for (; parts > 1; parts /= 2, shift--) {
        bit = _mm256_sll_epi16(codes, _mm_cvtsi32_si128((int)shift));
        for (i = 0; i < parts / 2; i++)
            part[i] = _mm256_blendv_epi8(part[2 * i], part[2 * i + 1], bit);
    }
    return part[0];
}

PADICI_AVX2 PADICI_INLINE void padici_pq_table_avx2(const uint8_t *bytes, uint32_t parts,
                                                    __m256i *table)
{
    uint32_t i;
    for (i = 0; i < parts; i++)
        table[i] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i)));
}

// A bit where a < b.
PADICI_AVX2 PADICI_INLINE uint32_t padici_pq_below_avx2(__m256i a, __m256i b)
{
    const __m256i none = _mm256_cmpeq_epi8(_mm256_subs_epu8(b, a), _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_epi8(none);
}

// table[code mod 64], of 64 bytes.
PADICI_AVX2 PADICI_INLINE __m256i padici_pq_lookup_64_avx2(const __m256i *table, __m256i codes)
{
    const __m256i low = _mm256_and_si256(codes, _mm256_set1_epi8(15));
    const __m256i bit = _mm256_slli_epi16(codes, 3), next = _mm256_slli_epi16(codes, 2);
    const __m256i first = _mm256_blendv_epi8(_mm256_shuffle_epi8(table[0], low),
                                             _mm256_shuffle_epi8(table[1], low), bit);
    const __m256i second = _mm256_blendv_epi8(_mm256_shuffle_epi8(table[2], low),
                                              _mm256_shuffle_epi8(table[3], low), bit);
    return _mm256_blendv_epi8(first, second, next);
}

// The bits of 64 keys, those of `above` only of the few tiles that have any.
PADICI_AVX2 PADICI_INLINE uint64_t padici_pq_cells_tiles_avx2(const uint8_t *tiles, uint64_t count,
                                                              uint32_t bits, const __m256i *rank,
                                                              const __m256i *most,
                                                              const __m256i *above,
                                                              uint64_t *mask)
{
    const uint32_t step = bits <= 4 ? 32 : 64;
    uint64_t t, some = 0;
    for (t = 0; t < count; t++, tiles += 2 * step) {
        const __m256i c0 = padici_pq_codes_avx2(tiles, bits, 0);
        const __m256i c1 = padici_pq_codes_avx2(tiles, bits, 1);
        const __m256i r0 =
            padici_pq_lookup_64_avx2(rank, padici_pq_codes_avx2(tiles + step, bits, 0));
        const __m256i r1 =
            padici_pq_lookup_64_avx2(rank, padici_pq_codes_avx2(tiles + step, bits, 1));
        const uint64_t any =
            padici_pq_below_avx2(r0, padici_pq_lookup_64_avx2(most, c0)) |
            (uint64_t)padici_pq_below_avx2(r1, padici_pq_lookup_64_avx2(most, c1)) << 32;
        mask[2 * t] = any;
        if (!any) continue;
        some |= (uint64_t)1 << t;
        mask[2 * t + 1] =
            padici_pq_below_avx2(r0, padici_pq_lookup_64_avx2(above, c0)) |
            (uint64_t)padici_pq_below_avx2(r1, padici_pq_lookup_64_avx2(above, c1)) << 32;
    }
    return some;
}

PADICI_AVX2 static uint64_t padici_pq_cells_avx2(const uint8_t *tiles, uint64_t count,
                                                 uint32_t bits, const uint8_t *rank,
                                                 const uint8_t *most, const uint8_t *above,
                                                 uint64_t *mask)
{
    __m256i by_rank[4], by_most[4], by_above[4];
    padici_pq_table_avx2(rank, 4, by_rank);
    padici_pq_table_avx2(most, 4, by_most);
    padici_pq_table_avx2(above, 4, by_above);
    return bits <= 4 ? padici_pq_cells_tiles_avx2(tiles, count, 4, by_rank, by_most, by_above, mask)
                     : padici_pq_cells_tiles_avx2(tiles, count, 6, by_rank, by_most, by_above,
                                                  mask);
}

PADICI_AVX2 PADICI_INLINE void padici_pq_sums_tile_avx2(const uint8_t *tile, uint64_t m,
                                                        uint32_t bits, uint32_t parts,
                                                        const uint8_t *table, uint16_t *out)
{
    __m256i even[2], odd[2], by[16];
    uint64_t j;
    uint32_t half;
    for (half = 0; half < 2; half++) even[half] = odd[half] = _mm256_setzero_si256();
    for (j = 0; j < m; j++, table += 256, tile += bits <= 4 ? 32 : 64) {
        padici_pq_table_avx2(table, parts, by);
        for (half = 0; half < 2; half++) {
            const __m256i v =
                padici_pq_lookup_avx2(by, parts, padici_pq_codes_avx2(tile, bits, half));
            even[half] = _mm256_add_epi16(even[half], _mm256_and_si256(v, _mm256_set1_epi16(255)));
            odd[half] = _mm256_add_epi16(odd[half], _mm256_srli_epi16(v, 8));
        }
    }
    for (half = 0; half < 2; half++) {
        const __m256i low = _mm256_unpacklo_epi16(even[half], odd[half]);
        const __m256i high = _mm256_unpackhi_epi16(even[half], odd[half]);
        _mm256_storeu_si256((__m256i *)(void *)(out + 32 * half),
                            _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(void *)(out + 32 * half + 16),
                            _mm256_permute2x128_si256(low, high, 0x31));
    }
}

PADICI_AVX2 static void padici_pq_sums_avx2(const uint8_t *tiles, uint64_t count, uint64_t m,
                                            uint32_t bits, const uint8_t *table, uint16_t *out)
{
    const uint64_t step = m * (bits <= 4 ? 32 : 64);
    uint64_t t;
    if (bits <= 4) {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_avx2(tiles, m, 4, 1, table, out);
    } else if (bits <= 6) {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_avx2(tiles, m, 6, 4, table, out);
    } else {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_avx2(tiles, m, 8, 16, table, out);
    }
}

PADICI_AVX2 static uint64_t padici_pq_tops_avx2(const uint16_t *sums, uint64_t n, uint32_t least,
                                                uint64_t most, uint32_t *place)
{
    const __m256i low = _mm256_set1_epi16((short)least);
    uint64_t count = 0, i;
    for (i = 0; i < n; i += 16) {
        uint32_t some = 0, k;
        if (i + 16 <= n) {
            const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(sums + i));
            some = (uint32_t)_mm256_movemask_epi8(
                       _mm256_cmpeq_epi16(_mm256_max_epu16(v, low), v)) &
                   0x55555555u;
        } else {
            for (k = 0; k < n - i; k++) some |= (uint32_t)(sums[i + k] >= least) << 2 * k;
        }
        for (; some; some &= some - 1) {
            if (count == most) return UINT64_MAX;
            place[count++] = (uint32_t)i + padici_ctz64(some) / 2;
        }
    }
    return count;
}

PADICI_AVX512 static uint64_t padici_pq_tops_avx512(const uint16_t *sums, uint64_t n,
                                                    uint32_t least, uint64_t most,
                                                    uint32_t *place)
{
    const __m512i low = _mm512_set1_epi16((short)least);
    uint64_t count = 0, i;
    for (i = 0; i < n; i += 32) {
        const __mmask32 in = (__mmask32)(n - i < 32 ? ((uint32_t)1 << (n - i)) - 1u : UINT32_MAX);
        const __m512i v = _mm512_maskz_loadu_epi16(in, (const void *)(sums + i));
        uint64_t some = padici_mask32(_mm512_mask_cmpge_epu16_mask(in, v, low));
        for (; some; some &= some - 1) {
            if (count == most) return UINT64_MAX;
            place[count++] = (uint32_t)i + padici_ctz64(some);
        }
    }
    return count;
}

PADICI_AVX2 static void padici_pq_ranks_avx2(const uint32_t *order, uint32_t cells, uint8_t *rank)
{
    padici_pq_ranks_loop(order, cells, rank);
}

// AVX-512

PADICI_AVX512 static void padici_pq_ranks_avx512(const uint32_t *order, uint32_t cells,
                                                 uint8_t *rank)
{
    __m512i v[4];
    uint32_t i, k;
    for (k = 0; k < 4; k++) { // nothing is below 0
        const uint32_t n = cells > 16 * k ? cells - 16 * k : 0;
        const __mmask16 some = (__mmask16)(n < 16 ? (1u << n) - 1u : 0xffffu);
        v[k] = _mm512_maskz_loadu_epi32(some, order + (n ? 16 * k : 0));
    }
    for (i = 0; i < cells; i++) {
        const __m512i one = _mm512_set1_epi32((int)order[i]);
        uint64_t above = 0, equal = 0;
        for (k = 0; k < 4; k++) {
            above |= (uint64_t)padici_mask16(_mm512_cmpgt_epu32_mask(v[k], one)) << 16 * k;
            equal |= (uint64_t)padici_mask16(_mm512_cmpeq_epu32_mask(v[k], one)) << 16 * k;
        }
        above |= equal & (((uint64_t)1 << i) - 1);
        rank[i] = (uint8_t)_mm_popcnt_u64(above);
    }
}

// The codes of a tile.
PADICI_IFMA PADICI_INLINE __m512i padici_pq_codes_vbmi(const uint8_t *codes, uint32_t bits)
{
    __m256i low, high;
    if (bits > 4) return _mm512_loadu_si512((const void *)codes);
    low = _mm256_loadu_si256((const __m256i *)(const void *)codes);
    high = _mm256_and_si256(_mm256_srli_epi16(low, 4), _mm256_set1_epi8(15));
    low = _mm256_and_si256(low, _mm256_set1_epi8(15));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

PADICI_IFMA PADICI_INLINE uint64_t padici_pq_cells_tiles_vbmi(const uint8_t *tiles, uint64_t count,
                                                              uint32_t bits, const uint8_t *rank,
                                                              const uint8_t *most,
                                                              const uint8_t *above,
                                                              uint64_t *mask)
{
    const uint32_t step = bits <= 4 ? 32 : 64;
    const __m512i by_rank = _mm512_loadu_si512((const void *)rank);
    const __m512i by_most = _mm512_loadu_si512((const void *)most);
    const __m512i by_above = _mm512_loadu_si512((const void *)above);
    uint64_t t, some = 0;
    __m512i first, at;
    for (t = 0; t < count; t++, tiles += 2 * step) {
        // Codes of all heads are more than fits near the core, and of one head less than what the
        // hardware takes to see a stream. Beyond the end nothing is read.
        _mm_prefetch((const char *)((uintptr_t)tiles + 3072), _MM_HINT_T0);
        if (bits > 4) _mm_prefetch((const char *)((uintptr_t)tiles + 3136), _MM_HINT_T0);
        first = padici_pq_codes_vbmi(tiles, bits);
        at = _mm512_permutexvar_epi8(padici_pq_codes_vbmi(tiles + step, bits), by_rank);
        const uint64_t any = padici_mask64(
            _mm512_cmplt_epu8_mask(at, _mm512_permutexvar_epi8(first, by_most)));
        mask[2 * t] = any;
        mask[2 * t + 1] = padici_mask64(
            _mm512_cmplt_epu8_mask(at, _mm512_permutexvar_epi8(first, by_above)));
        some |= (uint64_t)(any != 0) << t;
    }
    return some;
}

PADICI_IFMA static uint64_t padici_pq_cells_vbmi(const uint8_t *tiles, uint64_t count,
                                                 uint32_t bits, const uint8_t *rank,
                                                 const uint8_t *most, const uint8_t *above,
                                                 uint64_t *mask)
{
    return bits <= 4 ? padici_pq_cells_tiles_vbmi(tiles, count, 4, rank, most, above, mask)
                     : padici_pq_cells_tiles_vbmi(tiles, count, 6, rank, most, above, mask);
}

PADICI_IFMA PADICI_INLINE __m512i padici_pq_lookup_vbmi(const uint8_t *table, uint32_t bits,
                                                        __m512i codes)
{
    const __m512i t0 = _mm512_loadu_si512((const void *)table);
    __m512i low, high;
    if (bits <= 6) return _mm512_permutexvar_epi8(codes, t0);
    low = _mm512_permutex2var_epi8(t0, codes, _mm512_loadu_si512((const void *)(table + 64)));
    high = _mm512_permutex2var_epi8(_mm512_loadu_si512((const void *)(table + 128)), codes,
                                    _mm512_loadu_si512((const void *)(table + 192)));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high);
}

PADICI_IFMA PADICI_INLINE void padici_pq_sums_tile_vbmi(const uint8_t *tile, uint64_t m,
                                                        uint32_t bits, const uint8_t *table,
                                                        uint16_t *out)
{
    __m512i even = _mm512_setzero_si512(), odd = _mm512_setzero_si512(), low, high;
    uint64_t j;
    for (j = 0; j < m; j++, table += 256, tile += bits <= 4 ? 32 : 64) {
        const __m512i v = padici_pq_lookup_vbmi(table, bits, padici_pq_codes_vbmi(tile, bits));
        even = _mm512_add_epi16(even, _mm512_and_si512(v, _mm512_set1_epi16(255)));
        odd = _mm512_add_epi16(odd, _mm512_srli_epi16(v, 8));
    }
    low = _mm512_unpacklo_epi16(even, odd); // of each four of 16 bytes their first eight keys
    high = _mm512_unpackhi_epi16(even, odd);
    even = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
    odd = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
    _mm512_storeu_si512((void *)out, even);
    _mm512_storeu_si512((void *)(out + 32), odd);
}

PADICI_IFMA static void padici_pq_sums_vbmi(const uint8_t *tiles, uint64_t count, uint64_t m,
                                            uint32_t bits, const uint8_t *table, uint16_t *out)
{
    const uint64_t step = m * (bits <= 4 ? 32 : 64);
    uint64_t t;
    if (bits <= 4) {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_vbmi(tiles, m, 4, table, out);
    } else if (bits <= 6) {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_vbmi(tiles, m, 6, table, out);
    } else {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_vbmi(tiles, m, 8, table, out);
    }
}

PADICI_FN const padici_pq_kernels *padici_simd_pq_kernels(const padici_simd *simd)
{
    static const padici_pq_kernels kernels[3] = {
        {padici_simd_pq_dots_avx2, padici_pq_cells_avx2, padici_pq_sums_avx2,
         padici_pq_tops_avx2, padici_pq_ranks_avx2, padici_simd_pq_rows_dots_avx2,
         padici_simd_pq_rows_add_avx2},
        {padici_simd_pq_dots_avx512, padici_pq_cells_avx2, padici_pq_sums_avx2,
         padici_pq_tops_avx512, padici_pq_ranks_avx512, padici_simd_pq_rows_dots_avx512,
         padici_simd_pq_rows_add_avx512},
        {padici_simd_pq_dots_avx512, padici_pq_cells_vbmi, padici_pq_sums_vbmi,
         padici_pq_tops_avx512, padici_pq_ranks_avx512, padici_simd_pq_rows_dots_avx512,
         padici_simd_pq_rows_add_avx512}};
    return &kernels[simd->level >= PADICI_SIMD_IFMA     ? 2
                    : simd->level >= PADICI_SIMD_AVX512 ? 1
                                                        : 0];
}

#else // NEON

// 16 codes, of keys 16 part to 16 part + 15 of a tile.
PADICI_INLINE uint8x16_t padici_pq_codes_neon(const uint8_t *codes, uint32_t bits, uint32_t part)
{
    uint8x16_t v;
    if (bits > 4) return vld1q_u8(codes + 16 * part);
    v = vld1q_u8(codes + 16 * (part & 1));
    return part & 2 ? vshrq_n_u8(v, 4) : vandq_u8(v, vdupq_n_u8(15));
}

PADICI_INLINE uint8x16x4_t padici_pq_table_neon(const uint8_t *bytes)
{
    uint8x16x4_t t;
    t.val[0] = vld1q_u8(bytes);
    t.val[1] = vld1q_u8(bytes + 16);
    t.val[2] = vld1q_u8(bytes + 32);
    t.val[3] = vld1q_u8(bytes + 48);
    return t;
}

// The top bits of 16 bytes of 0 or 255.
PADICI_INLINE uint64_t padici_pq_bits_neon(uint8x16_t v)
{
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t some = vandq_u8(v, vld1q_u8(places));
    return (uint64_t)vaddv_u8(vget_low_u8(some)) | (uint64_t)vaddv_u8(vget_high_u8(some)) << 8;
}

static uint64_t padici_pq_cells_neon(const uint8_t *tiles, uint64_t count, uint32_t bits,
                                     const uint8_t *rank, const uint8_t *most,
                                     const uint8_t *above, uint64_t *mask)
{
    const uint32_t step = bits <= 4 ? 32 : 64;
    const uint8x16x4_t by_rank = padici_pq_table_neon(rank), by_most = padici_pq_table_neon(most);
    const uint8x16x4_t by_above = padici_pq_table_neon(above);
    const uint8x16_t low = vdupq_n_u8(63);
    uint64_t t, tiles_with = 0;
    uint32_t part;
    for (t = 0; t < count; t++, tiles += 2 * step) {
        uint64_t any = 0, best = 0;
        for (part = 0; part < 4; part++) {
            const uint8x16_t first = vandq_u8(padici_pq_codes_neon(tiles, bits, part), low);
            const uint8x16_t second =
                vandq_u8(padici_pq_codes_neon(tiles + step, bits, part), low);
            const uint8x16_t at = vqtbl4q_u8(by_rank, second);
            const uint8x16_t some = vcltq_u8(at, vqtbl4q_u8(by_most, first));
            if (!vmaxvq_u8(some)) continue;
            any |= padici_pq_bits_neon(some) << 16 * part;
            best |= padici_pq_bits_neon(vcltq_u8(at, vqtbl4q_u8(by_above, first))) << 16 * part;
        }
        mask[2 * t] = any;
        mask[2 * t + 1] = best;
        tiles_with |= (uint64_t)(any != 0) << t;
    }
    return tiles_with;
}

static void padici_pq_sums_neon(const uint8_t *tiles, uint64_t count, uint64_t m, uint32_t bits,
                                const uint8_t *table, uint16_t *out)
{
    const uint32_t step = bits <= 4 ? 32 : 64;
    uint64_t t, j;
    uint32_t part;
    for (t = 0; t < count; t++, tiles += m * step, out += 64)
        for (part = 0; part < 4; part++) {
            uint16x8_t low = vdupq_n_u16(0), high = low;
            for (j = 0; j < m; j++) {
                const uint8_t *row = table + 256 * j;
                const uint8x16_t codes = padici_pq_codes_neon(tiles + j * step, bits, part);
                uint8x16_t v = vqtbl4q_u8(padici_pq_table_neon(row), codes);
                if (bits > 4) { // of 64 entries each: an index outside leaves what was there
                    v = vqtbx4q_u8(v, padici_pq_table_neon(row + 64),
                                   vsubq_u8(codes, vdupq_n_u8(64)));
                    v = vqtbx4q_u8(v, padici_pq_table_neon(row + 128),
                                   vsubq_u8(codes, vdupq_n_u8(128)));
                    v = vqtbx4q_u8(v, padici_pq_table_neon(row + 192),
                                   vsubq_u8(codes, vdupq_n_u8(192)));
                }
                low = vaddw_u8(low, vget_low_u8(v));
                high = vaddw_u8(high, vget_high_u8(v));
            }
            vst1q_u16(out + 16 * part, low);
            vst1q_u16(out + 16 * part + 8, high);
        }
}

static uint64_t padici_pq_tops_neon(const uint16_t *sums, uint64_t n, uint32_t least, uint64_t most,
                                    uint32_t *place)
{
    const uint16x8_t low = vdupq_n_u16((uint16_t)least);
    uint64_t count = 0, i, k;
    for (i = 0; i < n; i += 8) {
        if (i + 8 <= n && !vmaxvq_u16(vcgeq_u16(vld1q_u16(sums + i), low))) continue;
        for (k = i; k < i + 8 && k < n; k++) {
            if (sums[k] < least) continue;
            if (count == most) return UINT64_MAX;
            place[count++] = (uint32_t)k;
        }
    }
    return count;
}

static void padici_pq_ranks_neon(const uint32_t *order, uint32_t cells, uint8_t *rank)
{
    padici_pq_ranks_loop(order, cells, rank);
}

PADICI_FN const padici_pq_kernels *padici_simd_pq_kernels(const padici_simd *simd)
{
    static const padici_pq_kernels kernels = {
        padici_simd_pq_dots_neon, padici_pq_cells_neon, padici_pq_sums_neon,
        padici_pq_tops_neon,      padici_pq_ranks_neon, padici_simd_pq_rows_dots_neon,
        padici_simd_pq_rows_add_neon};
    (void)simd;
    return &kernels;
}

#endif

PADICI_FN padic_result padici_simd_pq_train(padici_simd *simd, const padic_pq_train_desc *desc)
{
    return padici_pq_train_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_encode(padici_simd *simd, const padic_pq_encode_desc *desc)
{
    return padici_pq_encode_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_append(padici_simd *simd, const padic_pq_append_desc *desc)
{
    return padici_pq_append_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_score(padici_simd *simd, const padic_pq_score_desc *desc)
{
    return padici_pq_score_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_select(padici_simd *simd, const padic_pq_select_desc *desc)
{
    return padici_pq_select_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_attend(padici_simd *simd, const padic_pq_attend_desc *desc)
{
    return padici_pq_attend_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_attend_full(padici_simd *simd,
                                                  const padic_pq_attend_full_desc *desc)
{
    return padici_pq_attend_full_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_lut(padici_simd *simd, const padic_pq_lut_desc *desc)
{
    return padici_pq_lut_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_quality(padici_simd *simd, const padic_pq_quality_desc *desc)
{
    return padici_pq_quality_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

#endif
