// @per-level
#if !defined(PADIC_NO_CODEC) && (PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3)

// rANS with contexts, 32 stretches at once. The bytes of the last two steps stay in registers; all
// bytes go to rows, lane by lane, which are transposed to stretches at the end.

#if PADICI_ISA_LEVEL == 3
// The contexts of sums 0 to 511, 4 bits each, rotated so that those of 8 k are at bit 12.
PADICI_TARGET PADICI_INLINE void PADICI_CK(nibbles)(const padici_codec_context_plan *plan,
                                                    const uint8_t *map, __m512i nibbles[4])
{
    const uint32_t reach = plan->b ? 64 : 32;
    uint32_t packed[64], k, v;
    for (k = 0; k < reach; k++) {
        uint32_t word = 0;
        for (v = 8; v-- > 0;) word = word << 4 | map[8 * k + v];
        packed[k] = word << 12 | word >> 20;
    }
    for (; k < 64; k++) packed[k] = 0;
    for (k = 0; k < 4; k++) nibbles[k] = PADICI_L(load)(packed + 16 * k);
}

// The table offsets of the contexts of 16 sums.
PADICI_TARGET PADICI_INLINE __m512i PADICI_CK(bucket16)(__m512i sum, const __m512i nibbles[4],
                                                        int wide)
{
    const __m512i at = _mm512_srli_epi32(sum, 3), turn = _mm512_slli_epi32(sum, 2);
    __m512i v = _mm512_permutex2var_epi32(nibbles[0], at, nibbles[1]);
    if (wide)
        v = _mm512_mask_mov_epi32(v, _mm512_cmpge_epu32_mask(sum, _mm512_set1_epi32(256)),
                                  _mm512_permutex2var_epi32(nibbles[2], at, nibbles[3]));
    return _mm512_and_si512(_mm512_rorv_epi32(v, turn), _mm512_set1_epi32(0xf000));
}

// The previous bytes, and the one `lanes` stretches and `steps` steps before where it exists.
PADICI_TARGET PADICI_INLINE __m512i PADICI_CK(before)(__m512i last, const uint8_t *row, size_t j,
                                                      size_t steps, size_t lanes, size_t half)
{
    const uint8_t *const from = row + half - 32 * steps - lanes;
    if (steps > j || lanes >= 32 || (steps == 1 && lanes == 0)) return last;
    return _mm512_mask_cvtepu8_epi32(last, (__mmask16)((0xffffffffu << lanes) >> half),
                                     PADICI_LOADQ(from));
}

PADICI_TARGET PADICI_INLINE size_t PADICI_CK(context_run)(const padici_codec_context_plan *plan,
                                                          const uint32_t *table, const uint8_t *map,
                                                          uint32_t state[32], size_t n,
                                                          const uint8_t **words, const uint8_t *end,
                                                          uint8_t *row, uint32_t what)
{
    const size_t length = plan->length, a = plan->a / length, b = plan->b / length;
    const size_t a_steps = plan->a % length, b_steps = plan->b % length;
    const int wide = plan->b && plan->from[plan->count - 1] > 255;
    const __m512i most = _mm512_set1_epi32(255);
    __m512i x = PADICI_L(load)(state), y = PADICI_L(load)(state + 16), nibbles[4];
    __m512i last_x = _mm512_setzero_si512(), last_y = last_x, old_x = last_x, old_y = last_x;
    size_t lanes = (n + length - 1) / length, j;
    const uint8_t *p = *words;
    PADICI_CK(nibbles)(plan, map, nibbles);
    for (j = 0; j < length && end - p >= 64; j++, row += 32) {
        __m512i u = last_x, v = last_y;
        uint32_t active;
        while ((lanes - 1) * length + j >= n) lanes--;
        active = 0xffffffffu >> (32 - lanes);
        if (what == PADICI_CODEC_CONTEXT_COLUMN) {
            u = v = _mm512_set1_epi32(map[j % plan->b] << 12);
        } else {
            if (what == PADICI_CODEC_CONTEXT_TWO) {
                u = _mm512_add_epi32(u, j > 1 ? old_x : last_x);
                v = _mm512_add_epi32(v, j > 1 ? old_y : last_y);
                old_x = last_x;
                old_y = last_y;
            } else if (what == PADICI_CODEC_CONTEXT_ANY) {
                u = PADICI_CK(before)(last_x, row, j, a_steps, a, 0);
                v = PADICI_CK(before)(last_y, row, j, a_steps, a, 16);
                if (plan->b) {
                    u = _mm512_add_epi32(u, PADICI_CK(before)(last_x, row, j, b_steps, b, 0));
                    v = _mm512_add_epi32(v, PADICI_CK(before)(last_y, row, j, b_steps, b, 16));
                }
            }
            if (what != PADICI_CODEC_CONTEXT_ONE && !wide) {
                u = _mm512_min_epu32(u, most);
                v = _mm512_min_epu32(v, most);
            }
            u = PADICI_CK(bucket16)(u, nibbles, wide);
            v = PADICI_CK(bucket16)(v, nibbles, wide);
        }
        last_x = PADICI_CK(context_step)(&x, u, (__mmask16)(active & 0xffff), table, &p);
        last_y = PADICI_CK(context_step)(&y, v, (__mmask16)(active >> 16), table, &p);
        PADICI_CK(store_symbols)(row, last_x);
        PADICI_CK(store_symbols)(row + 16, last_y);
    }
    PADICI_L(store)(state, x);
    PADICI_L(store)(state + 16, y);
    *words = p;
    return j;
}
#else
// The order of the 16-bit lanes of a step after packing four vectors of states: lanes 0 to 3, 8 to
// 11, 4 to 7, 12 to 15.
PADICI_TARGET PADICI_INLINE __m256i PADICI_CK(mixed)(__m128i bytes)
{
    return _mm256_permute4x64_epi64(_mm256_cvtepu8_epi16(bytes), 0xd8);
}

// The previous bytes, and the one `lanes` stretches and `steps` steps before where it exists, of
// lanes from `half` on, which start at `row`.
PADICI_TARGET PADICI_INLINE __m256i PADICI_CK(before)(__m256i last, const uint8_t *row, size_t j,
                                                      size_t steps, size_t lanes, uint32_t half)
{
    const uint8_t *const from = row - 32 * steps - lanes;
    const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
    if (steps > j || lanes >= 32 || (steps == 1 && lanes == 0)) return last;
    return _mm256_blendv_epi8(
        PADICI_CK(mixed)(PADICI_LOADH(from)), last,
        _mm256_cmpgt_epi16(_mm256_set1_epi16((short)((int)lanes - (int)half)), lane));
}

PADICI_TARGET PADICI_INLINE size_t PADICI_CK(context_run)(const padici_codec_context_plan *plan,
                                                          const uint32_t *table, const uint8_t *map,
                                                          uint32_t state[32], size_t n,
                                                          const uint8_t **words, const uint8_t *end,
                                                          uint8_t *row, uint32_t what)
{
    const size_t length = plan->length, steps[2] = {plan->a % length, plan->b % length};
    const size_t behind[2] = {plan->a / length, plan->b / length};
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), none = _mm256_setzero_si256();
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i x[4], last[2], old[2], active[4], from[PADICI_CODEC_CONTEXTS];
    size_t lanes = (n + length - 1) / length + 1, j;
    const uint8_t *p = *words;
    uint32_t k, h;
    for (k = 0; k < 4; k++) x[k] = PADICI_L(load)(state + 8 * k);
    for (k = 1; k < plan->count; k++) from[k] = _mm256_set1_epi16((short)(plan->from[k] - 1));
    last[0] = last[1] = old[0] = old[1] = none;
    for (j = 0; j < length && end - p >= 64; j++, row += 32) {
        __m256i begin[2];
        if ((lanes - 1) * length + j >= n || j == 0) {
            while ((lanes - 1) * length + j >= n) lanes--;
            for (k = 0; k < 4; k++)
                active[k] = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)lanes - 8 * (int)k), lane);
        }
        for (h = 0; h < 2; h++) {
            __m256i sum = last[h], bucket16 = none;
            if (what == PADICI_CODEC_CONTEXT_COLUMN) {
                begin[h] = _mm256_set1_epi16((short)((uint32_t)map[j % plan->b] << 12));
                continue;
            }
            if (what == PADICI_CODEC_CONTEXT_TWO) {
                sum = _mm256_add_epi16(sum, j > 1 ? old[h] : last[h]);
                old[h] = last[h];
            } else if (what == PADICI_CODEC_CONTEXT_ANY) {
                sum = PADICI_CK(before)(last[h], row + 16 * h, j, steps[0], behind[0], 16 * h);
                if (plan->b)
                    sum = _mm256_add_epi16(
                        sum, PADICI_CK(before)(last[h], row + 16 * h, j, steps[1], behind[1],
                                               16 * h));
            }
            for (k = 1; k < plan->count; k++)
                bucket16 = _mm256_sub_epi16(bucket16, _mm256_cmpgt_epi16(sum, from[k]));
            begin[h] = _mm256_slli_epi16(bucket16, 12);
        }
        for (h = 0; h < 2; h++) {
            const __m256i a = PADICI_CK(context_step)(
                &x[2 * h], _mm256_unpacklo_epi16(begin[h], none), active[2 * h], table, &p);
            const __m256i b = PADICI_CK(context_step)(
                &x[2 * h + 1], _mm256_unpackhi_epi16(begin[h], none), active[2 * h + 1], table, &p);
            last[h] = _mm256_packus_epi32(a, b);
        }
        PADICI_L(store)(
            row, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(last[0], last[1]), order));
    }
    for (k = 0; k < 4; k++) PADICI_L(store)(state + 8 * k, x[k]);
    *words = p;
    return j;
}
#endif

PADICI_TARGET static size_t PADICI_CK(context)(const padici_codec_context_plan *plan,
                                               const uint32_t *table, const uint8_t *map,
                                               uint32_t state[32], uint8_t *data, size_t n,
                                               const uint8_t **words, const uint8_t *end,
                                               uint8_t *rows, size_t room)
{
    uint8_t *const row = rows + 64;
    size_t j;
    if (!padici_simd_codec_rows_fit(plan, n, room)) return 0;
    memset(rows, 0, 64);
    if (plan->a == 0)
        j = PADICI_CK(context_run)(plan, table, map, state, n, words, end, row,
                                   PADICI_CODEC_CONTEXT_COLUMN);
    else if (plan->a == 1 && plan->b == 0)
        j = PADICI_CK(context_run)(plan, table, map, state, n, words, end, row,
                                   PADICI_CODEC_CONTEXT_ONE);
    else if (plan->a == 1 && plan->b == 2)
        j = PADICI_CK(context_run)(plan, table, map, state, n, words, end, row,
                                   PADICI_CODEC_CONTEXT_TWO);
    else
        j = PADICI_CK(context_run)(plan, table, map, state, n, words, end, row,
                                   PADICI_CODEC_CONTEXT_ANY);
    padici_simd_codec_stretches(row, data, j, plan->length, n);
    return j;
}

#endif
