// padic_simd_codec.h: the codec's hot loops in vectors. Part of padic_simd.h, which includes it; of
// no use alone. Each function gives the bytes of the plain loop of padic.h that it replaces (see
// padici_codec_loops), and loads nothing that the plain one might not.

#if defined(PADICI_SIMD_CODEC) && !defined(PADICI_SIMD_CODEC_BEGUN)
#define PADICI_SIMD_CODEC_BEGUN

// room: src/simd/codec/all.c
// ------------------------------------------------------------------------------- >>codec, all CPUs

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM

// What is left of a checksum behind `words` words, and the mix of the size.
static uint64_t padici_checksum_rest(const uint8_t *data, size_t size, size_t words, uint64_t seed)
{
    uint64_t key = (seed + 1) * UINT64_C(0xd1342543de82ef95), sum = 0;
    key += words * UINT64_C(0x9e3779b97f4a7c15);
    for (; words < size / 8; words++, key += UINT64_C(0x9e3779b97f4a7c15))
        sum += padici_mix(padici_load64(data + 8 * words) ^ key);
    if (size % 8) {
        uint8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        memcpy(last, data + 8 * words, size % 8);
        sum += padici_mix(padici_load64(last) ^ key);
    }
    return sum + padici_mix(size ^ ~seed);
}

// One vector of mix(w ^ key); `key` is of the first lane.
#define PADICI_CODEC_WORDS(L, TARGET, V, N)                                                     \
    TARGET PADICI_INLINE V padici_##L##_mix(V x)                                                  \
    {                                                                                             \
        x = padici_##L##_mul64(x, padici_##L##_all(UINT64_C(0xbf58476d1ce4e5b9)));                \
        x = padici_##L##_xor(x, padici_##L##_high(x));                                            \
        x = padici_##L##_mul64(x, padici_##L##_all(UINT64_C(0x94d049bb133111eb)));                \
        return padici_##L##_xor(x, padici_##L##_srl(x, padici_##L##_all(29)));                    \
    }                                                                                             \
                                                                                                  \
    TARGET static uint64_t padici_codec_checksum_##L(const void *data, size_t size, uint64_t seed) \
    {                                                                                             \
        const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);                                       \
        const uint64_t first = (seed + 1) * UINT64_C(0xd1342543de82ef95);                         \
        const uint8_t *p = (const uint8_t *)data;                                                 \
        const size_t words = size / 8 - size / 8 % (2 * N);                                       \
        const V near_step = padici_##L##_all(N * step), far_step = padici_##L##_all(2 * N * step); \
        uint64_t keys[N], lanes[N], sum = 0;                                                      \
        V key, a = padici_##L##_all(0), b = a;                                                    \
        size_t i;                                                                                 \
        for (i = 0; i < N; i++) keys[i] = first + i * step;                                       \
        key = padici_##L##_load(keys);                                                            \
        for (i = 0; i < words; i += 2 * N, p += 16 * N) {                                         \
            const V x = padici_##L##_xor(padici_##L##_load(p), key);                              \
            const V y = padici_##L##_xor(padici_##L##_load(p + 8 * N),                            \
                                         padici_##L##_add(key, near_step));                       \
            a = padici_##L##_add(a, padici_##L##_mix(x));                                         \
            b = padici_##L##_add(b, padici_##L##_mix(y));                                         \
            key = padici_##L##_add(key, far_step);                                                \
        }                                                                                         \
        padici_##L##_store(lanes, padici_##L##_add(a, b));                                        \
        for (i = 0; i < N; i++) sum += lanes[i];                                                  \
        return sum + padici_checksum_rest((const uint8_t *)data, size, words, seed);              \
    }                                                                                             \
                                                                                                  \
    TARGET PADICI_INLINE V padici_##L##_unfold(V z)                                               \
    {                                                                                             \
        const V one = padici_##L##_all(1);                                                        \
        return padici_##L##_xor(padici_##L##_srl(z, one),                                         \
                                padici_##L##_sub(padici_##L##_all(0), padici_##L##_and(z, one))); \
    }                                                                                             \
                                                                                                  \
    TARGET PADICI_INLINE void padici_codec_unfold_##L(uint64_t *x, size_t i, size_t end)          \
    {                                                                                             \
        for (; i + N <= end; i += N)                                                              \
            padici_##L##_store(x + i, padici_##L##_unfold(padici_##L##_load(x + i)));             \
        for (; i < end; i++) x[i] = padici_unfold(x[i]);                                          \
    }                                                                                             \
                                                                                                  \
    /* x[i] from x[i - stride], stride at least a vector; whole vectors, returns how far. */      \
    TARGET PADICI_INLINE size_t padici_codec_far_##L(uint64_t *x, size_t i, size_t end,           \
                                                     size_t stride, int zigzag, int exclusive)    \
    {                                                                                             \
        for (; i + N <= end; i += N) {                                                            \
            V r = padici_##L##_load(x + i);                                                       \
            const V before = padici_##L##_load(x + i - stride);                                   \
            if (zigzag) r = padici_##L##_unfold(r);                                               \
            r = exclusive ? padici_##L##_xor(r, before) : padici_##L##_add(r, before);            \
            padici_##L##_store(x + i, r);                                                         \
        }                                                                                         \
        return i;                                                                                 \
    }

// Running sums with a level's `near`.
#define PADICI_CODEC_SUMS(L, TARGET)                                                              \
    TARGET PADICI_INLINE void padici_codec_sum_loop_##L(uint64_t *x, size_t i, size_t to,         \
                                                        const padici_op *op, uint64_t carry[8],   \
                                                        int zigzag, int exclusive)                \
    {                                                                                             \
        const size_t stride = op->stride, segment = op->segment;                                  \
        if (padici_codec_rows_##L(x, i, to, op, carry, zigzag, exclusive)) return;                \
        while (i < to) {                                                                          \
            const size_t place = i % segment, end = padici_least(i + segment - place, to);        \
            if (stride >= 8) {                                                                    \
                const size_t edge = place < stride ? padici_least(i + stride - place, end) : i;   \
                if (zigzag) padici_codec_unfold_##L(x, i, edge);                                  \
                i = padici_codec_far_##L(x, edge, end, stride, zigzag, exclusive);                \
            } else if (end - i >= 16)   {                                                        \
                if (place == 0) memset(carry, 0, 8 * sizeof *carry);                              \
                i = padici_codec_near_##L(x, i, end, place, op->stride, carry, zigzag, exclusive); \
            }                                                                                     \
            if (i < end) padici_sum(x, i, end, op, carry, zigzag, exclusive);                     \
            i = end;                                                                              \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    TARGET static void padici_codec_sum_##L(uint64_t *x, size_t from, size_t to,                  \
                                            const padici_op *op, uint64_t carry[8], int zigzag,   \
                                            int exclusive)                                        \
    {                                                                                             \
        if (exclusive)                                                                            \
            padici_codec_sum_loop_##L(x, from, to, op, carry, 0, 1);                              \
        else if (zigzag)                                                                          \
            padici_codec_sum_loop_##L(x, from, to, op, carry, 1, 0);                              \
        else                                                                                      \
            padici_codec_sum_loop_##L(x, from, to, op, carry, 0, 0);                              \
    }

// Words of up to 57 bits come in pairs that lie within 16 bytes: where each pair begins, the bytes
// that make 8 of each word, and by how much it is shifted down. 8 words take `width` bytes.
typedef struct padici_codec_pairs {
    uint8_t at[4], take[4][16];
    uint64_t shift[8];
} padici_codec_pairs;

static void padici_codec_pairs_make(padici_codec_pairs *pairs, uint32_t width)
{
    uint32_t k, b;
    for (k = 0; k < 4; k++) {
        const uint32_t first = 2 * k * width % 8, second = first + width;
        pairs->at[k] = (uint8_t)(2 * k * width / 8);
        pairs->shift[2 * k] = first;
        pairs->shift[2 * k + 1] = second % 8;
        for (b = 0; b < 8; b++) {
            pairs->take[k][b] = (uint8_t)b;
            pairs->take[k][8 + b] = (uint8_t)(second / 8 + b);
        }
    }
}
#endif

// room: src/simd/codec/x86.c
// ------------------------------------------------------------------------------------ >>codec, x86
// room: src/simd/padic_simd_codec.in.h:10

#if PADICI_SIMD_X86

// room: src/simd/codec/forms.c
// The forms and sizes that have a loop of vectors; `run` is that of a level.
#define PADICI_CODEC_FORMS(RUN)                                                                   \
    RUN(PADICI_FORM_BITS, 1, 8)                                                                   \
    RUN(PADICI_FORM_BITS, 1, 4)                                                                   \
    RUN(PADICI_FORM_BITS, 1, 2)                                                                   \
    RUN(PADICI_FORM_BITS, 0, 8)                                                                   \
    RUN(PADICI_FORM_BITS, 0, 4)                                                                   \
    RUN(PADICI_FORM_BITS, 0, 2)                                                                   \
    RUN(PADICI_FORM_BITS, 0, 1)                                                                   \
    RUN(PADICI_FORM_FIELDS, 1, 8)                                                                 \
    RUN(PADICI_FORM_FIELDS, 1, 4)                                                                 \
    RUN(PADICI_FORM_FIELDS, 1, 2)                                                                 \
    RUN(PADICI_FORM_SCALE, 1, 8)                                                                  \
    RUN(PADICI_FORM_SCALE, 1, 4)                                                                  \
    RUN(PADICI_FORM_SCALE, 1, 2)                                                                  \
    RUN(PADICI_FORM_AFFINE, 1, 8)                                                                 \
    RUN(PADICI_FORM_AFFINE, 1, 4)                                                                 \
    RUN(PADICI_FORM_DECIMAL, 1, 8)                                                                \
    RUN(PADICI_FORM_DECIMAL, 1, 4)

// Whether a form has no rule of its own: a shift, bf16 lattices, and factors that could make a NaN,
// whose bits depend on the instruction.
static int padici_codec_plain_form(const padici_form *form, padic_dtype dtype)
{
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    if (form->kind == PADICI_FORM_BITS) return form->shift != 0;
    if (form->kind == PADICI_FORM_FIELDS) return 0;
    return dtype == PADIC_BF16 || !(g - g == 0) || !(o - o == 0) || g == 0;
}

// A difference below this is within the bound; others are looked at one by one.
static double padici_codec_within(const padici_bound *bound)
{
    return bound->mode == PADIC_BOUND_ABSOLUTE || bound->mode == PADIC_BOUND_RANGE ? bound->absolute
                                                                                   : 0;
}

// room: src/simd/codec/avx2.c
// ---- AVX2

PADICI_CODEC_WORDS(avx2, PADICI_AVX2, __m256i, 4)

// Running sums at distances 1 to 4 of whole vectors; `carry` is indexed by place mod stride.
PADICI_AVX2 PADICI_INLINE size_t padici_codec_near_avx2(uint64_t *x, size_t i, size_t end,
                                                        size_t place, uint32_t stride,
                                                        uint64_t carry[8], int zigzag,
                                                        int exclusive)
{
    const __m256i none = _mm256_setzero_si256();
    uint64_t lanes[4];
    size_t k;
    __m256i c;
    if (stride > 4) return i;
    for (k = 0; k < 4; k++) lanes[k] = carry[(place + k) % stride];
    c = padici_avx2_load(lanes);
    place -= i;
#define PADICI_JOIN(a, b) (exclusive ? _mm256_xor_si256(a, b) : _mm256_add_epi64(a, b))
#define PADICI_ROWS(SCAN, NEXT)                                                                   \
    for (; i + 4 <= end; i += 4) {                                                                \
        __m256i v = padici_avx2_load(x + i);                                                      \
        if (zigzag) v = padici_avx2_unfold(v);                                                    \
        SCAN;                                                                                     \
        v = PADICI_JOIN(v, c);                                                                    \
        padici_avx2_store(x + i, v);                                                              \
        c = NEXT;                                                                                 \
    }
#define PADICI_UP1 _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x90), none, 0x03)
#define PADICI_UP2 _mm256_permute2x128_si256(v, v, 0x08)
#define PADICI_UP3 _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x00), none, 0x3f)
    if (stride == 1) {
        PADICI_ROWS((v = PADICI_JOIN(v, PADICI_UP1), v = PADICI_JOIN(v, PADICI_UP2)),
                    _mm256_permute4x64_epi64(v, 0xff))
    } else if (stride == 2) {
        PADICI_ROWS(v = PADICI_JOIN(v, PADICI_UP2), _mm256_permute4x64_epi64(v, 0xee))
    } else if (stride == 3) {
        PADICI_ROWS(v = PADICI_JOIN(v, PADICI_UP3), _mm256_permute4x64_epi64(v, 0x79))
    } else {
        PADICI_ROWS((void)0, v)
    }
#undef PADICI_ROWS
#undef PADICI_UP1
#undef PADICI_UP2
#undef PADICI_UP3
#undef PADICI_JOIN
    padici_avx2_store(lanes, c);
    for (k = 0; k < stride; k++) carry[(place + i + k) % stride] = lanes[k];
    return i;
}

PADICI_INLINE int padici_codec_rows_avx2(uint64_t *x, size_t i, size_t to, const padici_op *op,
                                       uint64_t carry[8], int zigzag, int exclusive)
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

PADICI_CODEC_SUMS(avx2, PADICI_AVX2)

PADICI_AVX2 static void padici_codec_fixed_avx2(const uint8_t *p, const uint8_t *end,
                                                uint32_t width, uint64_t *z, size_t n)
{
    padici_codec_pairs pairs;
    size_t i = 0;
    if (width - 1 < 57 && n >= 16) {
        const __m256i mask = padici_avx2_all(~UINT64_C(0) >> (64 - width));
        __m256i low, high, down[2];
        padici_codec_pairs_make(&pairs, width);
        low = padici_avx2_load(pairs.take[0]);
        high = padici_avx2_load(pairs.take[2]);
        down[0] = padici_avx2_load(pairs.shift);
        down[1] = padici_avx2_load(pairs.shift + 4);
        for (; i + 8 <= n && (size_t)(end - p) >= width + 16; i += 8, p += width) {
            const __m128i *const a = (const __m128i *)(const void *)p;
            const __m128i *const b = (const __m128i *)(const void *)(p + pairs.at[1]);
            const __m128i *const c = (const __m128i *)(const void *)(p + pairs.at[2]);
            const __m128i *const d = (const __m128i *)(const void *)(p + pairs.at[3]);
            __m256i v = _mm256_set_m128i(_mm_loadu_si128(b), _mm_loadu_si128(a));
            __m256i w = _mm256_set_m128i(_mm_loadu_si128(d), _mm_loadu_si128(c));
            v = _mm256_srlv_epi64(_mm256_shuffle_epi8(v, low), down[0]);
            w = _mm256_srlv_epi64(_mm256_shuffle_epi8(w, high), down[1]);
            padici_avx2_store(z + i, _mm256_and_si256(v, mask));
            padici_avx2_store(z + i + 4, _mm256_and_si256(w, mask));
        }
    }
    padici_fixed_loop(p, end, width, z + i, n - i);
}

PADICI_AVX2 static void padici_codec_planes_avx2(const padici_digits *digits, uint64_t *z,
                                                 size_t from, size_t to)
{
    const uint8_t *const *p = digits->plane;
    const uint32_t planes = digits->planes;
    size_t i = from;
    for (; planes && i + 8 <= to; i += 8) {
        __m256i low = _mm256_setzero_si256(), high = low;
        uint32_t k;
        for (k = 0; k < planes; k++) {
            const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)(p[k] + i));
            const __m256i wide = _mm256_cvtepu8_epi32(bytes);
            const __m128i up = _mm_cvtsi32_si128((int)(8 * (k & 3)));
            if (k < 4)
                low = _mm256_or_si256(low, _mm256_sll_epi32(wide, up));
            else
                high = _mm256_or_si256(high, _mm256_sll_epi32(wide, up));
        }
        low = _mm256_permute4x64_epi64(low, 0xd8); // so that the halves that meet are in order
        high = _mm256_permute4x64_epi64(high, 0xd8);
        padici_avx2_store(z + i, _mm256_unpacklo_epi32(low, high));
        padici_avx2_store(z + i + 4, _mm256_unpackhi_epi32(low, high));
    }
    padici_next_planes(digits, z, i, to);
}

// States that are low (-1) take one word each.
PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_refill(__m256i y, __m256i low, const uint8_t **p)
{
    __m256i sum = _mm256_add_epi32(low, _mm256_slli_si256(low, 4)), words;
    sum = _mm256_add_epi32(sum, _mm256_slli_si256(sum, 8));
    sum = _mm256_add_epi32(sum, _mm256_blend_epi32(_mm256_setzero_si256(),
                                                   _mm256_permutevar8x32_epi32(
                                                       sum, _mm256_set1_epi32(3)),
                                                   0xf0));
    words = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)*p));
    words = _mm256_permutevar8x32_epi32(words, _mm256_sub_epi32(low, sum)); // how many came before
    *p += 2 * _mm_popcnt_u32((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(low)));
    return _mm256_blendv_epi8(y, _mm256_or_si256(_mm256_slli_epi32(y, 16), words), low);
}

// 8 states.
PADICI_AVX2 PADICI_INLINE __m256i padici_codec_rans8(__m256i x, const uint32_t *table,
                                                     const uint8_t **p, uint8_t *data)
{
    const __m256i slot = _mm256_and_si256(x, _mm256_set1_epi32(PADICI_RANS_TOTAL - 1));
    const __m256i e = _mm256_i32gather_epi32((const int *)(const void *)table, slot, 4);
    const __m256i f = _mm256_and_si256(_mm256_srli_epi32(e, 8), _mm256_set1_epi32(4095));
    const __m256i q = _mm256_srli_epi32(x, PADICI_RANS_BITS);
    const __m256i y = _mm256_add_epi32(
        _mm256_mullo_epi32(_mm256_add_epi32(f, _mm256_set1_epi32(1)), q), _mm256_srli_epi32(e, 20));
    const __m256i low = _mm256_cmpeq_epi32(_mm256_srli_epi32(y, 16), _mm256_setzero_si256());
    const __m256i first = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, -1);
    const __m256i bytes = _mm256_shuffle_epi8(e, first);
    padici_store32(data, (uint32_t)_mm256_extract_epi32(bytes, 0));
    padici_store32(data + 4, (uint32_t)_mm256_extract_epi32(bytes, 4));
    return padici_avx2_refill(y, low, p);
}

PADICI_AVX2 static const uint8_t *padici_codec_rans_avx2(uint32_t state[32], const uint32_t *table,
                                                         const uint8_t *p, const uint8_t *end,
                                                         uint8_t *data, size_t n, size_t *done)
{
    __m256i a = padici_avx2_load(state), b = padici_avx2_load(state + 8);
    __m256i c = padici_avx2_load(state + 16), d = padici_avx2_load(state + 24);
    size_t at = 0;
    for (; at + 32 <= n && end - p >= 64; at += 32) {
        a = padici_codec_rans8(a, table, &p, data + at);
        b = padici_codec_rans8(b, table, &p, data + at + 8);
        c = padici_codec_rans8(c, table, &p, data + at + 16);
        d = padici_codec_rans8(d, table, &p, data + at + 24);
    }
    padici_avx2_store(state, a);
    padici_avx2_store(state + 8, b);
    padici_avx2_store(state + 16, c);
    padici_avx2_store(state + 24, d);
    *done = at;
    return p;
}

// The double nearest to a signed word: both halves are parts of doubles, and added once.
PADICI_AVX2 PADICI_INLINE __m256d padici_avx2_to_double(__m256i n)
{
    const __m256i tail = _mm256_set1_epi64x(0x4330000000000000);
    const __m256i head = _mm256_set1_epi64x(0x4530000080000000);
    const __m256d both = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
    const __m256i low = _mm256_blend_epi32(tail, n, 0x55);
    const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(n, 32), head);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both), _mm256_castsi256_pd(low));
}

// Rounded to odd on the way, which the next rounding cannot tell from the whole: 29 bits fewer are
// the 24 of a float. What is too small or too large for a float is so for f16.
PADICI_AVX2 PADICI_INLINE __m128i padici_avx2_to_f16(__m256d x)
{
    const __m256i bits = _mm256_castpd_si256(x), low = _mm256_set1_epi64x((1 << 29) - 1);
    const __m256i whole = _mm256_cmpeq_epi64(_mm256_and_si256(bits, low), _mm256_setzero_si256());
    const __m256i odd = _mm256_andnot_si256(whole, _mm256_set1_epi64x(1 << 29));
    const __m256i y = _mm256_or_si256(_mm256_andnot_si256(low, bits), odd);
    return _mm_cvtps_ph(_mm256_cvtpd_ps(_mm256_castsi256_pd(y)), _MM_FROUND_TO_NEAREST_INT);
}

// The lowest `size` bytes of 4 words.
PADICI_AVX2 PADICI_INLINE void padici_avx2_put(uint8_t *to, __m256i n, uint32_t size)
{
    const __m256i halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m128i four = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(n, halves));
    const __m128i twos = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i ones = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    if (size == 8) padici_avx2_store(to, n);
    if (size == 4) _mm_storeu_si128((__m128i *)(void *)to, four);
    if (size == 2) _mm_storel_epi64((__m128i *)(void *)to, _mm_shuffle_epi8(four, twos));
    if (size == 1)
        padici_store32(to, (uint32_t)_mm_cvtsi128_si32(_mm_shuffle_epi8(four, ones)));
}

// 4 elements of a form; `kind` and `size` are constants where it is called.
PADICI_AVX2 PADICI_INLINE void padici_codec_put4(const padici_form *form, uint32_t kind,
                                                 int is_float, uint32_t size, __m256i n,
                                                 uint8_t *to)
{
    if (kind == PADICI_FORM_BITS && is_float) {
        const __m256i top = _mm256_sll_epi64(n, _mm_cvtsi32_si128((int)(64 - 8 * size)));
        const __m256i sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), top);
        n = _mm256_xor_si256(n, _mm256_srl_epi64(sign, _mm_cvtsi32_si128((int)(65 - 8 * size))));
    } else if (kind == PADICI_FORM_FIELDS) {
        const __m256i ones = padici_avx2_all(~UINT64_C(0) >> (64 - 8 * size));
        const __m256i top = _mm256_sll_epi64(n, _mm_cvtsi32_si128((int)(8 * size - 1)));
        n = _mm256_or_si256(_mm256_srli_epi64(_mm256_and_si256(n, ones), 1), top);
    } else if (kind >= PADICI_FORM_SCALE && is_float) {
        const __m256d g = _mm256_castsi256_pd(padici_avx2_all(form->g));
        __m256d x = padici_avx2_to_double(n);
        x = kind == PADICI_FORM_DECIMAL ? _mm256_div_pd(x, g) : _mm256_mul_pd(x, g);
        if (kind == PADICI_FORM_AFFINE)
            x = _mm256_add_pd(x, _mm256_castsi256_pd(padici_avx2_all(form->o)));
        if (size == 2) {
            _mm_storel_epi64((__m128i *)(void *)to, padici_avx2_to_f16(x));
            return;
        }
        if (size == 4) {
            _mm_storeu_ps((float *)(void *)to, _mm256_cvtpd_ps(x));
            return;
        }
        if (form->single) x = _mm256_cvtps_pd(_mm256_cvtpd_ps(x));
        n = _mm256_castpd_si256(x);
    }
    padici_avx2_put(to, n, size);
}

PADICI_AVX2 PADICI_INLINE void padici_codec_run_avx2(const padici_form *given, uint32_t kind,
                                                     int is_float, uint32_t size,
                                                     const uint64_t *words, uint8_t *raw, size_t n)
{
    const padici_form form = *given;
    const __m256i first = padici_avx2_all(form.first), step = padici_avx2_all(form.step);
    size_t i;
    for (i = 0; i < n; i += 4) {
        __m256i w = padici_avx2_load(words + i);
        if (form.step != 1) w = padici_avx2_mul64(step, w);
        padici_codec_put4(&form, kind, is_float, size, _mm256_add_epi64(first, w), raw + i * size);
    }
}

PADICI_AVX2 static void padici_codec_elements_avx2(const padici_form *form, padic_dtype dtype,
                                                   const uint64_t *words, uint8_t *raw, size_t n)
{
    const uint32_t size = padic_dtype_size(dtype);
    const int is_float = padici_is_float(dtype);
    const size_t whole = n - n % 4;
#define PADICI_RUN_FORM(KIND, FLOAT, SIZE)                                                        \
    if (form->kind == (KIND) && is_float == (FLOAT) && size == (SIZE)) {                          \
        padici_codec_run_avx2(form, KIND, FLOAT, SIZE, words, raw, whole);                        \
        padici_words_to_elements(form, dtype, words + whole, raw + whole * size, n - whole);      \
        return;                                                                                   \
    }
    if (!padici_codec_plain_form(form, dtype)) {
        PADICI_CODEC_FORMS(PADICI_RUN_FORM)
    }
#undef PADICI_RUN_FORM
    padici_words_to_elements(form, dtype, words, raw, n);
}

// Whether 4 elements hold, and their words. What this leaves out is decided one by one.
PADICI_AVX2 PADICI_INLINE int padici_codec_get4(const padici_form *form, uint32_t kind,
                                                uint32_t size, double inverse, double within,
                                                const uint8_t *from, __m256i *word)
{
    const __m256d g = _mm256_castsi256_pd(padici_avx2_all(form->g));
    const __m256d o = _mm256_castsi256_pd(padici_avx2_all(form->o));
    const __m256d half = _mm256_set1_pd(0.5), sign = _mm256_set1_pd(-0.0);
    const __m256d limit = _mm256_set1_pd(2251799813685247.0); // 2^51 - 1
    const __m256d magic = _mm256_set1_pd(6755399441055744.0); // 2^52 + 2^51: its low bits are n
    __m256d value, v, again, holds, equal;
    __m256i bits, raw;
    if (size == 8) {
        bits = padici_avx2_load(from);
        value = _mm256_castsi256_pd(bits);
    } else if (size == 4) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
        bits = _mm256_cvtepi32_epi64(x);
        value = _mm256_cvtps_pd(_mm_castsi128_ps(x));
    } else {
        const __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)from);
        bits = _mm256_cvtepi16_epi64(x);
        value = _mm256_cvtps_pd(_mm_cvtph_ps(x));
    }
    if (kind == PADICI_FORM_BITS) { // shift 0
        const __m256i below = _mm256_cmpgt_epi64(_mm256_setzero_si256(), bits);
        *word = _mm256_xor_si256(
            bits, _mm256_srl_epi64(below, _mm_cvtsi32_si128((int)(65 - 8 * size))));
        return 1;
    }
    if (kind == PADICI_FORM_FIELDS) {
        const __m256i ones = padici_avx2_all(~UINT64_C(0) >> (64 - 8 * size));
        const __m256i top = _mm256_srli_epi64(bits, 63); // they are signed
        *word = _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi64(bits, 1), ones), top);
        return 1;
    }
    v = kind == PADICI_FORM_AFFINE ? _mm256_sub_pd(value, o) : value;
    v = _mm256_mul_pd(v, kind == PADICI_FORM_DECIMAL ? g : _mm256_set1_pd(inverse));
    holds = _mm256_cmp_pd(_mm256_andnot_pd(sign, v), limit, _CMP_LT_OQ);
    v = _mm256_add_pd(v, _mm256_or_pd(half, _mm256_and_pd(v, sign)));
    v = _mm256_add_pd(_mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC), magic);
    *word = _mm256_sub_epi64(_mm256_castpd_si256(v), _mm256_castpd_si256(magic));
    again = _mm256_sub_pd(v, magic);
    again = kind == PADICI_FORM_DECIMAL ? _mm256_div_pd(again, g) : _mm256_mul_pd(again, g);
    if (kind == PADICI_FORM_AFFINE) again = _mm256_add_pd(again, o);
    if (size == 8) {
        if (form->single) again = _mm256_cvtps_pd(_mm256_cvtpd_ps(again));
        raw = _mm256_castpd_si256(again);
    } else if (size == 4) {
        const __m128 x = _mm256_cvtpd_ps(again);
        raw = _mm256_cvtepi32_epi64(_mm_castps_si128(x));
        again = _mm256_cvtps_pd(x);
    } else {
        const __m128i x = padici_avx2_to_f16(again);
        raw = _mm256_cvtepi16_epi64(x);
        again = _mm256_cvtps_pd(_mm_cvtph_ps(x));
    }
    equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(raw, bits));
    again = _mm256_andnot_pd(sign, _mm256_sub_pd(value, again));
    equal = _mm256_or_pd(equal, _mm256_cmp_pd(again, _mm256_set1_pd(within), _CMP_LT_OQ));
    return _mm256_movemask_pd(_mm256_and_pd(holds, equal)) == 15;
}

PADICI_AVX2 PADICI_INLINE size_t padici_codec_words_loop4(
    const padici_form *given, uint32_t kind, const padici_bound *bound, padic_dtype dtype,
    uint32_t size, const uint8_t *raw, size_t n, uint64_t *words, uint32_t *off, size_t most)
{
    const padici_form form = *given;
    const double inverse = 1.0 / padici_double_of(form.g), within = padici_codec_within(bound);
    size_t count = 0, i = 0, run = 4; // run: how many are decided one by one where these four are
    while (i + 4 <= n) {
        __m256i word;
        if (PADICI_LIKELY(padici_codec_get4(&form, kind, size, inverse, within, raw + i * size,
                                            &word))) {
            padici_avx2_store(words + i, word);
            i += 4, run = 4;
            continue;
        }
        run = padici_least(run, n - i);
        count = padici_convert_from(given, bound, dtype, size, raw, i, i + run, words, off, count,
                                    most);
        if (count > most) return count;
        i += run, run = run < 256 ? 2 * run : run;
    }
    return padici_convert_from(given, bound, dtype, size, raw, i, n, words, off, count, most);
}

PADICI_AVX2 static size_t padici_codec_words_avx2(const padici_form *form,
                                                  const padici_bound *bound, padic_dtype dtype,
                                                  uint32_t size, const uint8_t *raw, size_t n,
                                                  uint64_t *words, uint32_t *off, size_t most)
{
    const int is_float = padici_is_float(dtype);
#define PADICI_RUN_FORM(KIND, FLOAT, SIZE)                                                        \
    if (form->kind == (KIND) && is_float && (FLOAT) && size == (SIZE))                            \
        return padici_codec_words_loop4(form, KIND, bound, dtype, SIZE, raw, n, words, off, most);
    if (!padici_codec_plain_form(form, dtype)) {
        PADICI_CODEC_FORMS(PADICI_RUN_FORM)
    }
#undef PADICI_RUN_FORM
    return padici_elements_to_words(form, bound, dtype, size, raw, n, words, off, most);
}

// The plain loops, for the compiler to turn into vectors.
PADICI_AVX2 static void padici_codec_difference_avx2(const uint64_t *x, uint64_t *to, size_t n,
                                                     const padici_op *op, int zigzag,
                                                     int exclusive)
{
    if (x == to || exclusive || op->stride < 4)
        padici_difference(x, to, n, op, zigzag, exclusive);
    else if (zigzag)
        padici_difference_loop(x, to, n, op, 1, 0);
    else
        padici_difference_loop(x, to, n, op, 0, 0);
}

PADICI_AVX2 static void padici_codec_lower_avx2(uint64_t *x, size_t n, uint64_t first,
                                                uint32_t shift)
{
    padici_lower_loop(x, n, first, shift);
}

// room: src/simd/codec/contexts_avx2.c
// ---- rANS with contexts: rows of 32 lanes, one a step, become stretches

// Whether the rows of all steps have room, and no step looks at itself.
static int padici_codec_rows_fit(const padici_context_plan *plan, size_t n, size_t room)
{
    const size_t length = plan->length;
    if (length < 32 || length > room / 32 || 32 * length + 64 > room || n < length) return 0;
    return !plan->a || (plan->a % length && (!plan->b || plan->b % length));
}

// 16 rows to 16 bytes of 32 stretches, as far as they reach.
PADICI_AVX2 static void padici_codec_turn(const uint8_t *rows, uint8_t *data, size_t length,
                                          size_t left)
{
    __m256i four[4][4]; // rows 4 g to 4 g + 3 of lanes 4 t to 4 t + 3 and 16 behind them
    uint32_t g, t, k;
    for (g = 0; g < 4; g++) {
        const __m256i a = padici_avx2_load(rows + 128 * g);
        const __m256i b = padici_avx2_load(rows + 128 * g + 32);
        const __m256i c = padici_avx2_load(rows + 128 * g + 64);
        const __m256i d = padici_avx2_load(rows + 128 * g + 96);
        const __m256i ab = _mm256_unpacklo_epi8(a, b), cd = _mm256_unpacklo_epi8(c, d);
        const __m256i ab_high = _mm256_unpackhi_epi8(a, b), cd_high = _mm256_unpackhi_epi8(c, d);
        four[g][0] = _mm256_unpacklo_epi16(ab, cd);
        four[g][1] = _mm256_unpackhi_epi16(ab, cd);
        four[g][2] = _mm256_unpacklo_epi16(ab_high, cd_high);
        four[g][3] = _mm256_unpackhi_epi16(ab_high, cd_high);
    }
    for (t = 0; t < 4; t++) {
        const __m256i a = _mm256_unpacklo_epi32(four[0][t], four[1][t]);
        const __m256i b = _mm256_unpackhi_epi32(four[0][t], four[1][t]);
        const __m256i c = _mm256_unpacklo_epi32(four[2][t], four[3][t]);
        const __m256i d = _mm256_unpackhi_epi32(four[2][t], four[3][t]);
        __m256i lane[4];
        lane[0] = _mm256_unpacklo_epi64(a, c);
        lane[1] = _mm256_unpackhi_epi64(a, c);
        lane[2] = _mm256_unpacklo_epi64(b, d);
        lane[3] = _mm256_unpackhi_epi64(b, d);
        for (k = 0; k < 8; k++) {
            const size_t at = (4 * t + k % 4 + k / 4 * 16) * length;
            const __m128i v = k < 4 ? _mm256_castsi256_si128(lane[k % 4])
                                    : _mm256_extracti128_si256(lane[k % 4], 1);
            uint8_t bytes[16];
            if (at + 16 <= left) {
                _mm_storeu_si128((__m128i *)(void *)(data + at), v);
            } else if (at < left) {
                _mm_storeu_si128((__m128i *)(void *)bytes, v);
                memcpy(data + at, bytes, left - at);
            }
        }
    }
}

PADICI_AVX2 static void padici_codec_stretches(const uint8_t *rows, uint8_t *data, size_t steps,
                                               size_t length, size_t n)
{
    size_t k;
    for (k = 0; k + 16 <= steps; k += 16) padici_codec_turn(rows + 32 * k, data + k, length, n - k);
    for (; k < steps; k++) {
        size_t lane, i = k;
        for (lane = 0; i < n; lane++, i += length) data[i] = rows[32 * k + lane];
    }
}

// What a class depends on: a column, the byte before, the two before, any bytes.
enum { PADICI_CONTEXT_COLUMN, PADICI_CONTEXT_ONE, PADICI_CONTEXT_TWO, PADICI_CONTEXT_ANY };

#define PADICI_CODEC_CONTEXT(L, TARGET)                                                          \
    TARGET static size_t padici_codec_context_##L(                                                \
        const padici_context_plan *plan, const uint32_t *table, const uint8_t *map,               \
        uint32_t state[32], uint8_t *data, size_t n, const uint8_t **words, const uint8_t *end,   \
        uint8_t *rows, size_t room)                                                               \
    {                                                                                             \
        size_t j;                                                                                 \
        uint8_t *const row = rows + 64;                                                           \
        if (!padici_codec_rows_fit(plan, n, room)) return 0;                                      \
        memset(rows, 0, 64);                                                                      \
        if (plan->a == 0)                                                                         \
            j = padici_codec_context_run_##L(plan, table, map, state, n, words, end, row,         \
                                             PADICI_CONTEXT_COLUMN);                              \
        else if (plan->a == 1 && plan->b == 0)                                                    \
            j = padici_codec_context_run_##L(plan, table, map, state, n, words, end, row,         \
                                             PADICI_CONTEXT_ONE);                                 \
        else if (plan->a == 1 && plan->b == 2)                                                    \
            j = padici_codec_context_run_##L(plan, table, map, state, n, words, end, row,         \
                                             PADICI_CONTEXT_TWO);                                 \
        else                                                                                      \
            j = padici_codec_context_run_##L(plan, table, map, state, n, words, end, row,         \
                                             PADICI_CONTEXT_ANY);                                 \
        padici_codec_stretches(row, data, j, plan->length, n);                                    \
        return j;                                                                                 \
    }

// 16-bit lanes of a step in the order that packing four vectors of states gives: lanes 0 to 3, 8 to
// 11, 4 to 7, 12 to 15.
PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_mixed(__m128i bytes)
{
    return _mm256_permute4x64_epi64(_mm256_cvtepu8_epi16(bytes), 0xd8);
}

// The bytes before, and the one `lanes` stretches and `steps` steps before where there is one, of
// lanes `half` and up, which stand from `row` on.
PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_before(__m256i last, const uint8_t *row, size_t j,
                                                     size_t steps, size_t lanes, uint32_t half)
{
    const uint8_t *const from = row - 32 * steps - lanes;
    const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
    if (steps > j || lanes >= 32 || (steps == 1 && lanes == 0)) return last;
    return _mm256_blendv_epi8(
        padici_avx2_mixed(_mm_loadu_si128((const __m128i *)(const void *)from)), last,
        _mm256_cmpgt_epi16(_mm256_set1_epi16((short)((int)lanes - (int)half)), lane));
}

// 8 states, of a class each; the symbols are returned in 32 bits each.
PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_context8(__m256i *state, __m256i begin,
                                                       __m256i active, const uint32_t *table,
                                                       const uint8_t **p)
{
    const __m256i x = *state, slots = _mm256_set1_epi32(PADICI_RANS_TOTAL - 1);
    const __m256i at = _mm256_or_si256(begin, _mm256_and_si256(x, slots));
    const __m256i e = _mm256_i32gather_epi32((const int *)(const void *)table, at, 4);
    const __m256i f = _mm256_and_si256(_mm256_srli_epi32(e, 8), slots);
    const __m256i q = _mm256_srli_epi32(x, PADICI_RANS_BITS);
    const __m256i y = _mm256_add_epi32(_mm256_mullo_epi32(f, q),
                                       _mm256_add_epi32(q, _mm256_srli_epi32(e, 20)));
    const __m256i low = _mm256_and_si256(
        active, _mm256_cmpeq_epi32(_mm256_srli_epi32(y, 16), _mm256_setzero_si256()));
    *state = _mm256_blendv_epi8(x, padici_avx2_refill(y, low, p), active);
    return _mm256_and_si256(e, _mm256_set1_epi32(255));
}

PADICI_AVX2 PADICI_INLINE size_t padici_codec_context_run_avx2(
    const padici_context_plan *plan, const uint32_t *table, const uint8_t *map, uint32_t state[32],
    size_t n, const uint8_t **words, const uint8_t *end, uint8_t *row, uint32_t what)
{
    const size_t length = plan->length, steps[2] = {plan->a % length, plan->b % length};
    const size_t behind[2] = {plan->a / length, plan->b / length};
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), none = _mm256_setzero_si256();
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i x[4], last[2], old[2], active[4], from[PADICI_CONTEXTS];
    size_t lanes = (n + length - 1) / length + 1, j;
    const uint8_t *p = *words;
    uint32_t k, h;
    for (k = 0; k < 4; k++) x[k] = padici_avx2_load(state + 8 * k);
    for (k = 1; k < plan->count; k++) from[k] = _mm256_set1_epi16((short)(plan->from[k] - 1));
    last[0] = last[1] = old[0] = old[1] = none;
    for (j = 0; j < length && end - p >= 64; j++, row += 32) {
        __m256i symbols[4], begin[2];
        if ((lanes - 1) * length + j >= n || j == 0) {
            while ((lanes - 1) * length + j >= n) lanes--;
            for (k = 0; k < 4; k++)
                active[k] = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)lanes - 8 * (int)k), lane);
        }
        for (h = 0; h < 2; h++) {
            __m256i sum = last[h], class16 = none;
            if (what == PADICI_CONTEXT_COLUMN) {
                begin[h] = _mm256_set1_epi16((short)((uint32_t)map[j % plan->b] << 12));
                continue;
            }
            if (what == PADICI_CONTEXT_TWO) {
                sum = _mm256_add_epi16(sum, j > 1 ? old[h] : last[h]);
                old[h] = last[h];
            } else if (what == PADICI_CONTEXT_ANY) {
                sum = padici_avx2_before(last[h], row + 16 * h, j, steps[0], behind[0], 16 * h);
                if (plan->b)
                    sum = _mm256_add_epi16(sum, padici_avx2_before(last[h], row + 16 * h, j,
                                                                   steps[1], behind[1], 16 * h));
            }
            for (k = 1; k < plan->count; k++)
                class16 = _mm256_sub_epi16(class16, _mm256_cmpgt_epi16(sum, from[k]));
            begin[h] = _mm256_slli_epi16(class16, 12);
        }
        for (h = 0; h < 2; h++) {
            symbols[2 * h] = padici_avx2_context8(&x[2 * h], _mm256_unpacklo_epi16(begin[h], none),
                                                  active[2 * h], table, &p);
            symbols[2 * h + 1] =
                padici_avx2_context8(&x[2 * h + 1], _mm256_unpackhi_epi16(begin[h], none),
                                     active[2 * h + 1], table, &p);
            last[h] = _mm256_packus_epi32(symbols[2 * h], symbols[2 * h + 1]);
        }
        padici_avx2_store(row, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(last[0], last[1]),
                                                           order));
    }
    for (k = 0; k < 4; k++) padici_avx2_store(state + 8 * k, x[k]);
    *words = p;
    return j;
}

PADICI_CODEC_CONTEXT(avx2, PADICI_AVX2)

// Symbol | frequency - 1 << 8 | offset << 20, as many of each symbol as its frequency.
PADICI_AVX2 static void padici_codec_slots_avx2(const uint16_t freq[256], uint32_t *table)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1 << 20, 2 << 20, 3 << 20, 4 << 20, 5 << 20, 6 << 20,
                                            7 << 20);
    const __m256i up = _mm256_set1_epi32(8 << 20);
    const uint32_t *const end = table + PADICI_RANS_TOTAL;
    uint32_t s, i;
    for (s = 0; s < 256; s++) {
        const uint32_t f = freq[s], entry = s | (f - 1) << 8;
        __m256i v = _mm256_add_epi32(lanes, _mm256_set1_epi32((int)entry));
        for (i = 0; i < f && end - table >= (ptrdiff_t)i + 8; i += 8, v = _mm256_add_epi32(v, up))
            padici_avx2_store(table + i, v); // what is beyond f is written over
        for (; i < f; i++) table[i] = entry | i << 20;
        table += f;
    }
}

// room: src/simd/codec/avx512.c
// ---- AVX-512

PADICI_CODEC_WORDS(avx512, PADICI_AVX512, __m512i, 8)

PADICI_AVX512 PADICI_INLINE size_t padici_codec_near_avx512(uint64_t *x, size_t i, size_t end,
                                                            size_t place, uint32_t stride,
                                                            uint64_t carry[8], int zigzag,
                                                            int exclusive)
{
    const __m512i lane = padici_avx512_lanes();
    const uint32_t steps = stride == 1 ? 3 : stride < 4 ? 2 : 1;
    __m512i from[3], next, c;
    __mmask8 have[3];
    uint64_t lanes[8], k;
    for (k = 0; k < 3; k++) {
        from[k] = _mm512_sub_epi64(lane, padici_avx512_all((uint64_t)stride << k));
        have[k] = (__mmask8)(0xffu << (stride << k) & 0xffu);
    }
    for (k = 0; k < 8; k++) lanes[k] = 8 - stride + k % stride;
    next = padici_avx512_load(lanes);
    for (k = 0; k < 8; k++) lanes[k] = carry[(place + k) % stride];
    c = padici_avx512_load(lanes);
    place -= i;
#define PADICI_JOIN(a, b) (exclusive ? _mm512_xor_si512(a, b) : _mm512_add_epi64(a, b))
#define PADICI_UP(K) v = PADICI_JOIN(v, _mm512_maskz_permutexvar_epi64(have[K], from[K], v))
    // the sums of a vector are known before what came before it; where the stride divides 8 the
    // lanes stay in step, so that only one addition waits for the last vector
#define PADICI_ROWS(SCAN, APART)                                                                  \
    for (; i + 8 <= end; i += 8) {                                                                \
        __m512i v = padici_avx512_load(x + i), w;                                                 \
        if (zigzag) v = padici_avx512_unfold(v);                                                  \
        SCAN;                                                                                     \
        w = PADICI_JOIN(v, c);                                                                    \
        padici_avx512_store(x + i, w);                                                            \
        c = APART ? PADICI_JOIN(c, _mm512_permutexvar_epi64(next, v))                             \
                  : _mm512_permutexvar_epi64(next, w);                                            \
    }
    if (steps == 3) {
        PADICI_ROWS((PADICI_UP(0), PADICI_UP(1), PADICI_UP(2)), 1)
    } else if (stride == 2) {
        PADICI_ROWS((PADICI_UP(0), PADICI_UP(1)), 1)
    } else if (steps == 2) {
        PADICI_ROWS((PADICI_UP(0), PADICI_UP(1)), 0)
    } else {
        PADICI_ROWS(PADICI_UP(0), 0)
    }
#undef PADICI_ROWS
#undef PADICI_UP
#undef PADICI_JOIN
    padici_avx512_store(lanes, c);
    for (k = 0; k < stride; k++) carry[(place + i + k) % stride] = lanes[k];
    return i;
}

// Places of 8 words within their segments, and of those 8 behind or before them: `by` is 8 mod the
// segment.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_places(size_t i, size_t segment)
{
    uint64_t lanes[8], k, place = i % segment;
    for (k = 0; k < 8; k++) {
        lanes[k] = place;
        if (++place == segment) place = 0;
    }
    return padici_avx512_load(lanes);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_behind(__m512i places, __m512i by, __m512i segment)
{
    const __m512i v = _mm512_add_epi64(places, by);
    return _mm512_min_epu64(v, _mm512_sub_epi64(v, segment));
}

// Differences of neighbours in short segments: a sum passes on only what is of its own segment.
PADICI_AVX512 PADICI_INLINE int padici_codec_rows_avx512(uint64_t *x, size_t i, size_t to,
                                                         const padici_op *op, uint64_t carry[8],
                                                         int zigzag, int exclusive)
{
    const __m512i lane = padici_avx512_lanes(), segment = padici_avx512_all(op->segment);
    const __m512i by = padici_avx512_all(8 % op->segment), last = _mm512_set1_epi64(7);
    size_t at = i % op->segment, inner;
    __m512i from[3], place, c, v;
    uint32_t k;
    if (op->stride != 1 || op->segment < 2) return 0;
    if (i >= to) return 1;
    for (k = 0; k < 3; k++) from[k] = _mm512_sub_epi64(lane, padici_avx512_all(UINT64_C(1) << k));
    place = padici_codec_places(i, op->segment);
    c = padici_avx512_all(i ? carry[0] : 0); // nothing is carried to the first
#define PADICI_JOIN(a, b) (exclusive ? _mm512_xor_si512(a, b) : _mm512_add_epi64(a, b))
#define PADICI_UP(K, WHERE)                                                                       \
    v = PADICI_JOIN(v, _mm512_maskz_permutexvar_epi64(                                            \
                           (__mmask8)((WHERE) & (0xffu << (1u << (K)) & 0xffu)), from[K], v))
#define PADICI_OWN(K) _mm512_cmpge_epu64_mask(place, padici_avx512_all(UINT64_C(1) << (K)))
    while (i < to) {
        __mmask8 there;
        if (op->segment >= 32) { // vectors inside the segment; then one that holds its end
            inner = padici_least(op->segment - at, to - i) / 8;
            if (at == 0) c = _mm512_setzero_si512();
            at += 8 * inner;
            for (; inner > 0; inner--, i += 8) {
                v = padici_avx512_load(x + i);
                if (zigzag) v = padici_avx512_unfold(v);
                PADICI_UP(0, 0xffu);
                PADICI_UP(1, 0xffu);
                PADICI_UP(2, 0xffu);
                padici_avx512_store(x + i, PADICI_JOIN(v, c));
                c = PADICI_JOIN(c, _mm512_permutexvar_epi64(last, v));
            }
            if (at == op->segment) {
                at = 0;
                continue;
            }
            if (i == to) break;
            place = padici_codec_behind(padici_avx512_all(at), lane, segment);
            at = at + 8 < op->segment ? at + 8 : at + 8 - op->segment;
        }
        there = (__mmask8)(to - i >= 8 ? 0xff : (1u << (to - i)) - 1);
        v = _mm512_maskz_loadu_epi64(there, x + i);
        if (zigzag) v = padici_avx512_unfold(v);
        PADICI_UP(0, PADICI_OWN(0));
        PADICI_UP(1, PADICI_OWN(1));
        PADICI_UP(2, PADICI_OWN(2));
        v = PADICI_JOIN(v, _mm512_maskz_mov_epi64(_mm512_cmpgt_epu64_mask(place, lane), c));
        _mm512_mask_storeu_epi64(x + i, there, v);
        c = _mm512_permutexvar_epi64(last, v);
        place = padici_codec_behind(place, by, segment);
        i += 8;
    }
#undef PADICI_OWN
#undef PADICI_UP
#undef PADICI_JOIN
    carry[0] = x[to - 1];
    return 1;
}

PADICI_CODEC_SUMS(avx512, PADICI_AVX512)

PADICI_AVX512 static void padici_codec_planes_avx512(const padici_digits *digits, uint64_t *z,
                                                     size_t from, size_t to)
{
    const uint8_t *const *p = digits->plane;
    const uint32_t planes = digits->planes;
    size_t i = from;
    for (; planes && i + 16 <= to; i += 16) {
        __m512i low = _mm512_setzero_si512(), high = low, a, b;
        uint32_t k;
        for (k = 0; k < planes; k++) {
            const __m512i wide = _mm512_cvtepu8_epi32(
                _mm_loadu_si128((const __m128i *)(const void *)(p[k] + i)));
            const __m128i up = _mm_cvtsi32_si128((int)(8 * (k & 3)));
            if (k < 4)
                low = _mm512_or_si512(low, _mm512_sll_epi32(wide, up));
            else
                high = _mm512_or_si512(high, _mm512_sll_epi32(wide, up));
        }
        a = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(low));
        b = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(low, 1));
        if (planes > 4) {
            const __m512i c = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(high));
            const __m512i d = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(high, 1));
            a = _mm512_or_si512(a, _mm512_slli_epi64(c, 32));
            b = _mm512_or_si512(b, _mm512_slli_epi64(d, 32));
        }
        padici_avx512_store(z + i, a);
        padici_avx512_store(z + i + 8, b);
    }
    padici_next_planes(digits, z, i, to);
}

// Unoptimised, gcc 12 has a macro here, which narrows its own mask.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_gather16(const uint32_t *table, __m512i at)
{
    return _mm512_i32gather_epi32(at, (const void *)table, 4);
}

// Words and doubles at p[at].
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_fetch(__m512i at, const uint64_t *p)
{
    return _mm512_i64gather_epi64(at, (const void *)p, 8);
}

PADICI_AVX512 PADICI_INLINE __m512d padici_codec_fetch_doubles(__m512i at, const double *p)
{
    return _mm512_i64gather_pd(at, (const void *)p, 8);
}

PADICI_AVX512 PADICI_INLINE void padici_codec_scatter(__m512i at, uint64_t *p, __m512i v)
{
    _mm512_i64scatter_epi64((void *)p, at, v, 8);
}

PADICI_AVX512 PADICI_INLINE void padici_codec_scatter_doubles(__m512i at, double *p, __m512d v)
{
    _mm512_i64scatter_pd((void *)p, at, v, 8);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// 16 states: the symbols go to `data`, words in as many lanes as need one.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_rans16(__m512i x, const uint32_t *table,
                                                        const uint8_t **p, uint8_t *data)
{
    const __m512i slot = _mm512_and_si512(x, _mm512_set1_epi32(PADICI_RANS_TOTAL - 1));
    const __m512i e = padici_codec_gather16(table, slot);
    const __m512i f = _mm512_and_si512(_mm512_srli_epi32(e, 8), _mm512_set1_epi32(4095));
    const __m512i q = _mm512_srli_epi32(x, PADICI_RANS_BITS);
    const __m512i y = _mm512_add_epi32(
        _mm512_mullo_epi32(_mm512_add_epi32(f, _mm512_set1_epi32(1)), q), _mm512_srli_epi32(e, 20));
    const __mmask16 low = _mm512_cmplt_epu32_mask(y, _mm512_set1_epi32(PADICI_RANS_LOW));
    const __m512i words =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)*p));
    _mm_storeu_si128((__m128i *)(void *)data, _mm512_cvtepi32_epi8(e));
    *p += 2 * _mm_popcnt_u32((uint32_t)padici_mask16(low));
    return _mm512_mask_or_epi32(y, low, _mm512_slli_epi32(y, 16),
                                _mm512_maskz_expand_epi32(low, words));
}

PADICI_AVX512 static const uint8_t *padici_codec_rans_avx512(uint32_t state[32],
                                                             const uint32_t *table,
                                                             const uint8_t *p, const uint8_t *end,
                                                             uint8_t *data, size_t n, size_t *done)
{
    __m512i a = padici_avx512_load(state), b = padici_avx512_load(state + 16);
    size_t at = 0;
    for (; at + 32 <= n && end - p >= 64; at += 32) {
        a = padici_codec_rans16(a, table, &p, data + at);
        b = padici_codec_rans16(b, table, &p, data + at + 16);
    }
    padici_avx512_store(state, a);
    padici_avx512_store(state + 16, b);
    *done = at;
    return p;
}

// room: src/simd/codec/contexts_avx512.c
// ---- rANS with contexts, 32 stretches at once. The bytes of the last two steps stay in registers,
// 32 bits each; all go to rows, lane by lane, which become stretches at the end.

// The classes of sums 0 to 511, 4 bits each, turned so that those of 8 k stand at bit 12.
PADICI_AVX512 PADICI_INLINE void padici_codec_nibbles(const padici_context_plan *plan,
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
    for (k = 0; k < 4; k++) nibbles[k] = padici_avx512_load(packed + 16 * k);
}

// Where the tables of the classes of 16 sums begin.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_class16(__m512i sum, const __m512i nibbles[4],
                                                         int wide)
{
    const __m512i at = _mm512_srli_epi32(sum, 3), turn = _mm512_slli_epi32(sum, 2);
    __m512i v = _mm512_permutex2var_epi32(nibbles[0], at, nibbles[1]);
    if (wide)
        v = _mm512_mask_mov_epi32(v, _mm512_cmpge_epu32_mask(sum, _mm512_set1_epi32(256)),
                                  _mm512_permutex2var_epi32(nibbles[2], at, nibbles[3]));
    return _mm512_and_si512(_mm512_rorv_epi32(v, turn), _mm512_set1_epi32(0xf000));
}

// 16 states of a step; its bytes are returned and go to `row`.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_context16(__m512i *state, __m512i begin,
                                                           __mmask16 active, const uint32_t *table,
                                                           const uint8_t **p, uint8_t *row)
{
    const __m512i x = *state, slots = _mm512_set1_epi32(PADICI_RANS_TOTAL - 1);
    const __m512i at = _mm512_ternarylogic_epi32(begin, x, slots, 0xf8); // begin | (x & slots)
    const __m512i e = padici_codec_gather16(table, at), q = _mm512_srli_epi32(x, PADICI_RANS_BITS);
    const __m512i f = _mm512_and_si512(_mm512_srli_epi32(e, 8), slots);
    const __m512i y = _mm512_mask_add_epi32(
        x, active, _mm512_mullo_epi32(f, q), _mm512_add_epi32(q, _mm512_srli_epi32(e, 20)));
    const __mmask16 low =
        _mm512_mask_cmplt_epu32_mask(active, y, _mm512_set1_epi32(PADICI_RANS_LOW));
    const __m512i words =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)*p));
    _mm_storeu_si128((__m128i *)(void *)row, _mm512_cvtepi32_epi8(e));
    *p += 2 * _mm_popcnt_u32((uint32_t)padici_mask16(low));
    *state = _mm512_mask_or_epi32(y, low, _mm512_slli_epi32(y, 16),
                                  _mm512_maskz_expand_epi32(low, words));
    return _mm512_and_si512(e, _mm512_set1_epi32(255));
}

// The bytes before, and the one `lanes` stretches and `steps` steps before where there is one.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_before(__m512i last, const uint8_t *row, size_t j,
                                                        size_t steps, size_t lanes, size_t half)
{
    const uint8_t *const from = row + half - 32 * steps - lanes;
    if (steps > j || lanes >= 32 || (steps == 1 && lanes == 0)) return last;
    return _mm512_mask_cvtepu8_epi32(last, (__mmask16)((0xffffffffu << lanes) >> half),
                                     _mm_loadu_si128((const __m128i *)(const void *)from));
}

PADICI_AVX512 PADICI_INLINE size_t padici_codec_context_run_avx512(
    const padici_context_plan *plan, const uint32_t *table, const uint8_t *map, uint32_t state[32],
    size_t n, const uint8_t **words, const uint8_t *end, uint8_t *row, uint32_t what)
{
    const size_t length = plan->length, a = plan->a / length, b = plan->b / length;
    const size_t a_steps = plan->a % length, b_steps = plan->b % length;
    const int wide = plan->b && plan->from[plan->count - 1] > 255;
    const __m512i most = _mm512_set1_epi32(255);
    __m512i x = padici_avx512_load(state), y = padici_avx512_load(state + 16), nibbles[4];
    __m512i last_x = _mm512_setzero_si512(), last_y = last_x, old_x = last_x, old_y = last_x;
    size_t lanes = (n + length - 1) / length, j;
    const uint8_t *p = *words;
    padici_codec_nibbles(plan, map, nibbles);
    for (j = 0; j < length && end - p >= 64; j++, row += 32) {
        __m512i u = last_x, v = last_y;
        uint32_t active;
        while ((lanes - 1) * length + j >= n) lanes--;
        active = 0xffffffffu >> (32 - lanes);
        if (what == PADICI_CONTEXT_COLUMN) {
            u = v = _mm512_set1_epi32(map[j % plan->b] << 12);
        } else {
            if (what == PADICI_CONTEXT_TWO) {
                u = _mm512_add_epi32(u, j > 1 ? old_x : last_x);
                v = _mm512_add_epi32(v, j > 1 ? old_y : last_y);
                old_x = last_x;
                old_y = last_y;
            } else if (what == PADICI_CONTEXT_ANY) {
                u = padici_codec_before(last_x, row, j, a_steps, a, 0);
                v = padici_codec_before(last_y, row, j, a_steps, a, 16);
                if (plan->b) {
                    u = _mm512_add_epi32(u, padici_codec_before(last_x, row, j, b_steps, b, 0));
                    v = _mm512_add_epi32(v, padici_codec_before(last_y, row, j, b_steps, b, 16));
                }
            }
            if (what != PADICI_CONTEXT_ONE && !wide) {
                u = _mm512_min_epu32(u, most);
                v = _mm512_min_epu32(v, most);
            }
            u = padici_codec_class16(u, nibbles, wide);
            v = padici_codec_class16(v, nibbles, wide);
        }
        last_x = padici_codec_context16(&x, u, (__mmask16)(active & 0xffff), table, &p, row);
        last_y = padici_codec_context16(&y, v, (__mmask16)(active >> 16), table, &p, row + 16);
    }
    padici_avx512_store(state, x);
    padici_avx512_store(state + 16, y);
    *words = p;
    return j;
}

PADICI_CODEC_CONTEXT(avx512, PADICI_AVX512)

// Symbol | frequency - 1 << 8 | offset << 20, as many of each symbol as its frequency.
PADICI_AVX512 static void padici_codec_slots_avx512(const uint16_t freq[256], uint32_t *table)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i up = _mm512_set1_epi32(16 << 20);
    uint32_t s;
    for (s = 0; s < 256; s++) {
        uint32_t left = freq[s];
        __m512i v = _mm512_add_epi32(_mm512_slli_epi32(lanes, 20),
                                     _mm512_set1_epi32((int)(s | (left - 1) << 8)));
        for (; left > 16; left -= 16, table += 16, v = _mm512_add_epi32(v, up))
            padici_avx512_store(table, v);
        _mm512_mask_storeu_epi32(table, (__mmask16)((1u << left) - 1), v);
        table += left;
    }
}

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_to_f16(__m512d x)
{
    // Rounded to odd on the way, which the next rounding cannot tell from the whole: 29 bits fewer
    // are the 24 of a float. What is too small or too large for a float is so for f16.
    const __m512i bits = _mm512_castpd_si512(x), low = _mm512_set1_epi64((1 << 29) - 1);
    const __m512i cut = _mm512_andnot_si512(low, bits), odd = _mm512_set1_epi64(1 << 29);
    const __m512i y = _mm512_mask_or_epi64(cut, _mm512_test_epi64_mask(bits, low), cut, odd);
    const __m256 f = _mm512_cvtpd_ps(_mm512_castsi512_pd(y));
    return _mm512_castsi128_si512(_mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));
}

// 8 elements of a form; `kind` and `size` are constants where it is called.
PADICI_AVX512 PADICI_INLINE void padici_codec_put8(const padici_form *form, uint32_t kind,
                                                   int is_float, uint32_t size, __m512i n,
                                                   uint8_t *to)
{
    if (kind == PADICI_FORM_BITS && is_float) {
        const __m512i top = _mm512_sll_epi64(n, _mm_cvtsi32_si128((int)(64 - 8 * size)));
        const __m512i sign = _mm512_srai_epi64(top, 63);
        n = _mm512_xor_si512(n, _mm512_srl_epi64(sign, _mm_cvtsi32_si128((int)(65 - 8 * size))));
    } else if (kind == PADICI_FORM_FIELDS) {
        const __m512i ones = _mm512_set1_epi64((long long)(~UINT64_C(0) >> (64 - 8 * size)));
        const __m512i top = _mm512_sll_epi64(n, _mm_cvtsi32_si128((int)(8 * size - 1)));
        n = _mm512_or_si512(_mm512_srli_epi64(_mm512_and_si512(n, ones), 1), top);
    } else if (kind >= PADICI_FORM_SCALE && is_float) {
        const __m512d g = _mm512_castsi512_pd(padici_avx512_all(form->g));
        __m512d x = _mm512_cvtepi64_pd(n);
        x = kind == PADICI_FORM_DECIMAL ? _mm512_div_pd(x, g) : _mm512_mul_pd(x, g);
        if (kind == PADICI_FORM_AFFINE)
            x = _mm512_add_pd(x, _mm512_castsi512_pd(padici_avx512_all(form->o)));
        if (size == 2) {
            n = padici_codec_to_f16(x);
            _mm_storeu_si128((__m128i *)(void *)to, _mm512_castsi512_si128(n));
            return;
        }
        if (size == 4) {
            _mm256_storeu_ps((float *)(void *)to, _mm512_cvtpd_ps(x));
            return;
        }
        if (form->single) x = _mm512_cvtps_pd(_mm512_cvtpd_ps(x));
        n = _mm512_castpd_si512(x);
    }
    if (size == 8) padici_avx512_store(to, n);
    if (size == 4)
        _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi64_epi32(n));
    if (size == 2) _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi64_epi16(n));
    if (size == 1) _mm_storel_epi64((__m128i *)(void *)to, _mm512_cvtepi64_epi8(n));
}

PADICI_AVX512 PADICI_INLINE void padici_codec_run_avx512(const padici_form *given, uint32_t kind,
                                                         int is_float, uint32_t size,
                                                         const uint64_t *words, uint8_t *raw,
                                                         size_t n)
{
    const padici_form form = *given;
    const __m512i first = padici_avx512_all(form.first), step = padici_avx512_all(form.step);
    size_t i;
    if (form.step == 1) {
        for (i = 0; i < n; i += 8)
            padici_codec_put8(&form, kind, is_float, size,
                              _mm512_add_epi64(first, padici_avx512_load(words + i)),
                              raw + i * size);
    } else {
        for (i = 0; i < n; i += 8) {
            const __m512i w = _mm512_mullo_epi64(step, padici_avx512_load(words + i));
            padici_codec_put8(&form, kind, is_float, size, _mm512_add_epi64(first, w),
                              raw + i * size);
        }
    }
}

PADICI_AVX512 static void padici_codec_elements_avx512(const padici_form *form, padic_dtype dtype,
                                                       const uint64_t *words, uint8_t *raw,
                                                       size_t n)
{
    const uint32_t size = padic_dtype_size(dtype);
    const int is_float = padici_is_float(dtype);
    const size_t whole = n - n % 8;
#define PADICI_RUN_FORM(KIND, FLOAT, SIZE)                                                        \
    if (form->kind == (KIND) && is_float == (FLOAT) && size == (SIZE)) {                          \
        padici_codec_run_avx512(form, KIND, FLOAT, SIZE, words, raw, whole);                      \
        if (whole < n)                                                                            \
            padici_words_to_elements(form, dtype, words + whole, raw + whole * size, n - whole);  \
        return;                                                                                   \
    }
    if (!padici_codec_plain_form(form, dtype)) {
        PADICI_CODEC_FORMS(PADICI_RUN_FORM)
    }
#undef PADICI_RUN_FORM
    padici_words_to_elements(form, dtype, words, raw, n);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_ordered(__m512i bits, uint32_t size)
{
    const __m512i sign = _mm512_srai_epi64(bits, 63);
    return _mm512_xor_si512(bits,
                            _mm512_srl_epi64(sign, _mm_cvtsi32_si128((int)(65 - 8 * size))));
}

// Whether 8 elements hold, or come so close that their words are told relative to; and their words.
// Within a bound what this leaves out is decided one by one.
PADICI_AVX512 PADICI_INLINE __mmask8 padici_codec_get8(const padici_form *form, uint32_t kind,
                                                       int is_float, uint32_t size, double inverse,
                                                       double within, const uint8_t *from,
                                                       __m512i *word, __mmask8 *close)
{
    const __m512d g = _mm512_castsi512_pd(padici_avx512_all(form->g));
    const __m512d o = _mm512_castsi512_pd(padici_avx512_all(form->o));
    const __m512d half = _mm512_set1_pd(0.5), limit = _mm512_set1_pd(4611686018427387904.0);
    const __m512d none = _mm512_setzero_pd(), whole = _mm512_set1_pd(4503599627370496.0);
    __m512d value, v, again;
    __m512i bits, raw;
    __mmask8 holds, equal;
    if (size == 8) {
        bits = padici_avx512_load(from);
        value = _mm512_castsi512_pd(bits);
    } else if (size == 4) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)from);
        bits = _mm512_cvtepi32_epi64(x);
        value = _mm512_cvtps_pd(_mm256_castsi256_ps(x));
    } else {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
        bits = _mm512_cvtepi16_epi64(x);
        value = _mm512_cvtps_pd(_mm256_cvtph_ps(x));
    }
    if (kind == PADICI_FORM_BITS) { // shift 0
        *word = is_float ? padici_codec_ordered(bits, size) : bits;
        return 0xff;
    }
    if (kind == PADICI_FORM_FIELDS) {
        const __m512i ones = _mm512_set1_epi64((long long)(~UINT64_C(0) >> (64 - 8 * size)));
        const __m512i top = _mm512_and_si512(_mm512_srli_epi64(bits, 8 * size - 1),
                                             _mm512_set1_epi64(1));
        *word = _mm512_or_si512(_mm512_and_si512(_mm512_slli_epi64(bits, 1), ones), top);
        return 0xff;
    }
    v = kind == PADICI_FORM_AFFINE ? _mm512_sub_pd(value, o) : value;
    v = _mm512_mul_pd(v, kind == PADICI_FORM_DECIMAL ? g : _mm512_set1_pd(inverse));
    holds = _mm512_cmp_pd_mask(_mm512_abs_pd(v), limit, _CMP_LT_OQ);
    again = _mm512_mask_sub_pd(_mm512_add_pd(v, half), _mm512_cmp_pd_mask(v, none, _CMP_LT_OQ), v,
                               half);
    v = _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(_mm512_abs_pd(v), whole, _CMP_LT_OQ), again);
    *word = _mm512_cvttpd_epi64(v);
    again = _mm512_cvtepi64_pd(*word);
    again = kind == PADICI_FORM_DECIMAL ? _mm512_div_pd(again, g) : _mm512_mul_pd(again, g);
    if (kind == PADICI_FORM_AFFINE) again = _mm512_add_pd(again, o);
    if (size == 8) {
        if (form->single) again = _mm512_cvtps_pd(_mm512_cvtpd_ps(again));
        raw = _mm512_castpd_si512(again);
    } else if (size == 4) {
        const __m256 x = _mm512_cvtpd_ps(again);
        raw = _mm512_cvtepi32_epi64(_mm256_castps_si256(x));
        again = _mm512_cvtps_pd(x);
    } else {
        const __m128i x = _mm512_castsi512_si128(padici_codec_to_f16(again));
        raw = _mm512_cvtepi16_epi64(x);
        again = _mm512_cvtps_pd(_mm256_cvtph_ps(x));
    }
    equal = _mm512_mask_cmpeq_epi64_mask(holds, raw, bits);
    if (PADICI_LIKELY(padici_mask8(equal) == 0xff)) return equal;
    again = _mm512_abs_pd(_mm512_sub_pd(value, again));
    *close = _mm512_mask_cmple_epu64_mask(
        holds,
        _mm512_add_epi64(_mm512_sub_epi64(padici_codec_ordered(raw, size),
                                          padici_codec_ordered(bits, size)),
                         _mm512_set1_epi64(64)),
        _mm512_set1_epi64(128));
    return equal | _mm512_mask_cmp_pd_mask(holds, again, _mm512_set1_pd(within), _CMP_LT_OQ);
}

PADICI_AVX512 PADICI_INLINE size_t padici_codec_words_loop(
    const padici_form *given, uint32_t kind, const padici_bound *bound, padic_dtype dtype,
    int is_float, uint32_t size, const uint8_t *raw, size_t n, uint64_t *words, uint32_t *off,
    size_t most)
{
    const padici_form form = *given;
    const double inverse = 1.0 / padici_double_of(form.g), within = padici_codec_within(bound);
    size_t count = 0, i = 0, run = 8; // as of loop4
    while (i + 8 <= n) {
        __m512i word;
        __mmask8 close = 0;
        const __mmask8 holds = padici_codec_get8(&form, kind, is_float, size, inverse, within,
                                                 raw + i * size, &word, &close);
        uint32_t bad = 0xff & ~(uint32_t)padici_mask8(holds), lost;
        if (PADICI_LIKELY(bad == 0)) {
            padici_avx512_store(words + i, word);
            i += 8, run = 8;
            continue;
        }
        if (bound->mode == PADIC_BOUND_NONE && count + 8 <= most) {
            padici_avx512_store(words + i, word);
            for (lost = bad & ~(uint32_t)padici_mask8(close); lost; lost &= lost - 1) {
                const size_t at = i + padici_ctz64(lost);
                words[at] = at ? words[at - 1] : 0;
            }
            for (; bad; bad &= bad - 1, count++)
                if (off) off[count] = (uint32_t)(i + padici_ctz64(bad));
            i += 8, run = 8;
            continue;
        }
        run = padici_least(run, n - i);
        count = padici_convert_from(given, bound, dtype, size, raw, i, i + run, words, off, count,
                                    most);
        if (count > most) return count;
        i += run, run = run < 256 ? 2 * run : run;
    }
    return padici_convert_from(given, bound, dtype, size, raw, i, n, words, off, count, most);
}

PADICI_AVX512 static size_t padici_codec_words_avx512(const padici_form *form,
                                                      const padici_bound *bound, padic_dtype dtype,
                                                      uint32_t size, const uint8_t *raw, size_t n,
                                                      uint64_t *words, uint32_t *off, size_t most)
{
    const int is_float = padici_is_float(dtype);
#define PADICI_RUN_FORM(KIND, FLOAT, SIZE)                                                        \
    if (form->kind == (KIND) && is_float && (FLOAT) && size == (SIZE))                            \
        return padici_codec_words_loop(form, KIND, bound, dtype, 1, SIZE, raw, n, words, off, most);
    if (!padici_codec_plain_form(form, dtype)) {
        PADICI_CODEC_FORMS(PADICI_RUN_FORM)
    }
#undef PADICI_RUN_FORM
    return padici_elements_to_words(form, bound, dtype, size, raw, n, words, off, most);
}

// room: src/simd/codec/pack_avx512.c
// ---- AVX-512, packing

PADICI_AVX512 PADICI_INLINE __m512i padici_avx512_fold(__m512i r)
{
    return _mm512_xor_si512(_mm512_add_epi64(r, r), _mm512_srai_epi64(r, 63));
}

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_step(const uint64_t *x, size_t stride,
                                                      __mmask8 lanes, int zigzag, int exclusive)
{
    const __m512i a = _mm512_maskz_loadu_epi64(lanes, x);
    const __m512i b = _mm512_maskz_loadu_epi64(lanes, x - stride);
    const __m512i r = exclusive ? _mm512_xor_si512(a, b) : _mm512_sub_epi64(a, b);
    return zigzag ? padici_avx512_fold(r) : r;
}

PADICI_AVX512 PADICI_INLINE void padici_codec_difference_loop(const uint64_t *x, uint64_t *to,
                                                              size_t n, const padici_op *op,
                                                              int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    if (segment < 96) { // downwards as well
        const __m512i size = padici_avx512_all(segment), first = padici_avx512_all(stride);
        const __m512i by = padici_avx512_all(segment - 8 % segment);
        size_t left = n;
        __m512i place = padici_codec_places((n + 8 * segment - 8) % segment, segment);
        while (left) {
            const size_t at = left >= 8 ? left - 8 : 0;
            const __mmask8 there = (__mmask8)(0xffu >> (at + 8 - left));
            __m512i a, b;
            if (left < 8) place = padici_codec_places(0, segment);
            a = _mm512_maskz_loadu_epi64(there, x + at);
            b = _mm512_maskz_loadu_epi64(there & _mm512_cmpge_epu64_mask(place, first),
                                         x + at - stride);
            a = exclusive ? _mm512_xor_si512(a, b) : _mm512_sub_epi64(a, b);
            _mm512_mask_storeu_epi64(to + at, there, zigzag ? padici_avx512_fold(a) : a);
            place = padici_codec_behind(place, by, size);
            left = at;
        }
        return;
    }
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_least(from + segment, n);
        const size_t edge = padici_least(from + stride, end);
        for (i = end; i >= edge + 8; i -= 8)
            padici_avx512_store(to + i - 8,
                                padici_codec_step(x + i - 8, stride, 0xff, zigzag, exclusive));
        if (i > edge) {
            const __mmask8 rest = (__mmask8)((1u << (i - edge)) - 1);
            _mm512_mask_storeu_epi64(to + edge, rest,
                                     padici_codec_step(x + edge, stride, rest, zigzag, exclusive));
        }
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_fold(x[i]) : x[i];
    }
}

PADICI_AVX512 static void padici_codec_difference_avx512(const uint64_t *x, uint64_t *to, size_t n,
                                                         const padici_op *op, int zigzag,
                                                         int exclusive)
{
    if (exclusive)
        padici_codec_difference_loop(x, to, n, op, 0, 1);
    else if (zigzag)
        padici_codec_difference_loop(x, to, n, op, 1, 0);
    else
        padici_codec_difference_loop(x, to, n, op, 0, 0);
}

PADICI_AVX512 static uint64_t padici_codec_least_avx512(const uint64_t *x, size_t n,
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
    low = padici_avx512_all(padici_least_word(x + i, n - i, &rest));
    *differ |= rest | (x[i] ^ x[0]);
    rest = (uint64_t)_mm512_reduce_min_epi64(low);
    return (int64_t)rest < (int64_t)least ? rest : least;
}

PADICI_AVX512 static void padici_codec_lower_avx512(uint64_t *x, size_t n, uint64_t first,
                                                    uint32_t shift)
{
    const __m128i down = _mm_cvtsi32_si128((int)shift);
    const __m512i low = padici_avx512_all(first);
    size_t i;
    for (i = 0; i + 8 <= n; i += 8)
        padici_avx512_store(
            x + i, _mm512_srl_epi64(_mm512_sub_epi64(padici_avx512_load(x + i), low), down));
    padici_lower_loop(x + i, n - i, first, shift);
}

PADICI_AVX512 static size_t padici_codec_runs_avx512(const uint64_t *z, size_t n)
{
    size_t i, runs = 1;
    for (i = 1; i + 8 <= n; i += 8)
        runs += (size_t)_mm_popcnt_u32((uint32_t)padici_mask8(_mm512_cmpneq_epi64_mask(
            padici_avx512_load(z + i), padici_avx512_load(z + i - 1))));
    return i < n ? runs + padici_count_runs(z + i - 1, n - i + 1) - 1 : runs;
}

// Lanes of `lengths`, 256 bytes, that are at least `width`.
PADICI_AVX512 PADICI_INLINE uint64_t padici_codec_wide(const uint8_t *lengths, uint32_t width)
{
    return (uint64_t)padici_mask64(_mm512_cmpge_epu8_mask(padici_avx512_load(lengths),
                                                          _mm512_set1_epi8((char)width)));
}

PADICI_AVX512 static size_t padici_codec_group_avx512(const uint64_t *z, size_t from, size_t to,
                                                      uint8_t *chosen, uint64_t *gaps,
                                                      uint64_t *high, size_t count, size_t *before)
{
    uint8_t lengths[PADICI_GROUP];
    uint32_t width, best, above = 0, k;
    uint32_t cost = 0xffffffffu;
    __m512i all = _mm512_setzero_si512();
    size_t i;
    if (to - from != PADICI_GROUP)
        return padici_fixed_group(z, from, to, chosen, gaps, high, count, before);
    for (i = 0; i < PADICI_GROUP; i += 8) {
        const __m512i v = padici_avx512_load(z + from + i);
        const __m512i length = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_lzcnt_epi64(v));
        all = _mm512_or_si512(all, v);
        _mm_storel_epi64((__m128i *)(void *)(lengths + i), _mm512_cvtepi64_epi8(length));
    }
    width = best = padici_bit_length((uint64_t)_mm512_reduce_or_epi64(all));
    for (;; width--) {
        const uint32_t here = PADICI_GROUP * width + 12 * above;
        if (8 * above > PADICI_GROUP) break;
        if (here <= cost) cost = here, best = width;
        if (width == 0) break;
        for (above = 0, k = 0; k < PADICI_GROUP; k += 64)
            above += (uint32_t)_mm_popcnt_u64(padici_codec_wide(lengths + k, width));
    }
    *chosen = (uint8_t)best;
    for (k = 0; k < PADICI_GROUP && best < 64; k += 64) {
        uint64_t over = padici_codec_wide(lengths + k, best + 1);
        for (; over; over &= over - 1) {
            i = from + k + padici_ctz64(over);
            gaps[count] = i - *before;
            high[count++] = z[i] >> best;
            *before = i + 1;
        }
    }
    return count;
}

PADICI_AVX512 static uint64_t padici_codec_tokens_avx512(const uint64_t *z, size_t n, uint32_t m,
                                                         uint8_t *tokens, uint32_t *widest)
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
            padici_make_tokens(z + i, n - i, m, tokens + i, &rest);
    *widest = (uint32_t)_mm512_reduce_max_epi64(most);
    if (rest > *widest) *widest = rest;
    return total;
}

// Plain bits of two or four words at a time.
PADICI_AVX512 static void padici_codec_put_plain_avx512(const uint64_t *z, const uint8_t *tokens,
                                                        size_t n, uint32_t m, uint32_t widest,
                                                        uint8_t *p)
{
    const __m512i one = _mm512_set1_epi64(1);
    const __m128i down = _mm_cvtsi32_si128((int)m);
    uint64_t bits8[8], extra8[8];
    const uint32_t step = widest <= 14 ? 4 : 2;
    padici_bits bits;
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
        for (k = 0; k < 8; k += step) padici_put_bits(&bits, bits8[k], (uint32_t)extra8[k]);
    }
    (void)padici_put_plain_bits(bits, z + i, tokens + i, n - i, m);
}

PADICI_AVX512 static uint64_t padici_codec_packed_avx512(const uint64_t *z, size_t n)
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
    return i < n ? total + padici_packed_cost(z + i, n - i) : total;
}

PADICI_AVX512 PADICI_INLINE size_t padici_codec_pick16(__m512i upper, uint32_t share, size_t i,
                                                       uint32_t *picks)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i h = _mm512_mullo_epi32(upper, _mm512_set1_epi32((int)0x9e3779b1u));
    const __mmask16 found = _mm512_testn_epi32_mask(
        h, _mm512_set1_epi32((int)(0xffffffffu << (32 - share))));
    const uint32_t mask = (uint32_t)padici_mask16(found);
    if (mask)
        _mm512_mask_compressstoreu_epi32(picks, found,
                                         _mm512_add_epi32(lanes, _mm512_set1_epi32((int)i)));
    return (size_t)_mm_popcnt_u32(mask);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_upper8(const uint8_t *raw, uint32_t split)
{
    const __m512i v = _mm512_srl_epi64(_mm512_rol_epi64(padici_avx512_load(raw), 1),
                                       _mm_cvtsi32_si128((int)split));
    return _mm512_xor_si512(v, _mm512_srli_epi64(v, 32));
}

PADICI_AVX512 static size_t padici_codec_pick_avx512(const uint8_t *raw, size_t n, uint32_t size,
                                                     uint32_t split, uint32_t share,
                                                     uint32_t *picks)
{
    const __m128i down = _mm_cvtsi32_si128((int)split);
    size_t i = 0, count = 0, rest, k;
    if (size == 8) {
        for (; i + 16 <= n; i += 16) {
            const __m256i a = _mm512_cvtepi64_epi32(padici_codec_upper8(raw + 8 * i, split));
            const __m256i b = _mm512_cvtepi64_epi32(padici_codec_upper8(raw + 8 * i + 64, split));
            const __m512i v = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
            count += padici_codec_pick16(v, share, i, picks + count);
        }
    } else if (size == 4) {
        for (; i + 16 <= n; i += 16) {
            const __m512i v = _mm512_rol_epi32(padici_avx512_load(raw + 4 * i), 1);
            count += padici_codec_pick16(_mm512_srl_epi32(v, down), share, i, picks + count);
        }
    } else if (size == 2) {
        for (; i + 16 <= n; i += 16) {
            const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(raw + 2 * i));
            const __m256i v = _mm256_or_si256(_mm256_slli_epi16(x, 1), _mm256_srli_epi16(x, 15));
            count += padici_codec_pick16(_mm512_srl_epi32(_mm512_cvtepu16_epi32(v), down), share, i,
                                         picks + count);
        }
    }
    rest = padici_pick_plain(raw + i * size, n - i, size, split, share, picks + count);
    for (k = 0; k < rest; k++) picks[count + k] += (uint32_t)i;
    return count + rest;
}

PADICI_AVX512 static void padici_codec_plane_avx512(const uint64_t *z, size_t n, uint32_t shift,
                                                    uint8_t *to)
{
    const __m128i down = _mm_cvtsi32_si128((int)shift);
    size_t i;
    for (i = 0; i + 8 <= n; i += 8)
        _mm_storel_epi64((__m128i *)(void *)(to + i),
                         _mm512_cvtepi64_epi8(_mm512_srl_epi64(padici_avx512_load(z + i), down)));
    padici_plane_loop(z + i, n - i, shift, to + i);
}

PADICI_AVX512 static void padici_codec_join_avx512(const padici_form *form, uint32_t split,
                                                   uint64_t *words, const uint8_t *low,
                                                   size_t plane, size_t n)
{
    const __m512i first = padici_avx512_all(form->first), step = padici_avx512_all(form->step);
    const __m128i by = _mm_cvtsi32_si128((int)split);
    size_t i;
    uint32_t k;
    for (i = 0; i + 8 <= n; i += 8) {
        __m512i w = padici_avx512_load(words + i);
        if (form->step != 1) w = _mm512_mullo_epi64(w, step);
        w = _mm512_sll_epi64(_mm512_add_epi64(w, first), by);
        for (k = 0; k < split; k += 8) {
            const uint8_t *const bytes = low + k / 8 * plane + i;
            const __m512i b =
                _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)bytes));
            w = _mm512_or_si512(w, _mm512_sll_epi64(b, _mm_cvtsi32_si128((int)k)));
        }
        padici_avx512_store(words + i, w);
    }
    padici_join_split(form, split, words + i, low + i, plane, n - i);
}

PADICI_AVX512 static void padici_codec_outer_avx512(double *sums, size_t row, const double *y,
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

// What lies between a[] = left + right: the mean, or with b[] = three times as far the cubic.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_cubic(__m512i a, __m512i b)
{
    const __m512i nine = _mm512_add_epi64(_mm512_slli_epi64(a, 3), a);
    return _mm512_srai_epi64(
        _mm512_add_epi64(_mm512_sub_epi64(nine, b), _mm512_set1_epi64(8)), 4);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_scaled(__m512i v, __m512i scale, int zigzag)
{
    const __m512i odd = _mm512_and_si512(v, _mm512_set1_epi64(1));
    if (zigzag)
        v = _mm512_xor_si512(_mm512_srli_epi64(v, 1),
                             _mm512_sub_epi64(_mm512_setzero_si512(), odd));
    return _mm512_mullo_epi64(v, scale);
}

// Every `period`-th word of a row, x[i] to x[end - 1]: residuals to words by those at distance d,
// which lie in others.
PADICI_AVX512 PADICI_INLINE void padici_codec_between8(uint64_t *x, size_t i, size_t end,
                                                       size_t period, size_t d, uint32_t order,
                                                       uint64_t scale, int zigzag)
{
    const __m512i by = _mm512_set1_epi64((int64_t)scale);
    const __mmask8 each = (__mmask8)(period == 1 ? 0xff : period == 2 ? 0x55 : 0x11);
    for (; i + 8 <= end; i += 8) {
        const __m512i old = padici_avx512_load(x + i);
        __m512i v = padici_codec_scaled(old, by, zigzag), a = padici_avx512_load(x + i - d);
        if (order) a = _mm512_add_epi64(a, padici_avx512_load(x + i + d));
        if (order == 2)
            a = padici_codec_cubic(a, _mm512_add_epi64(padici_avx512_load(x + i - 3 * d),
                                                       padici_avx512_load(x + i + 3 * d)));
        else if (order == 1)
            a = _mm512_srai_epi64(a, 1);
        v = _mm512_mask_add_epi64(old, each, v, a);
        _mm512_storeu_si512((void *)(x + i), v);
    }
    for (; i < end; i += period)
        x[i] = (zigzag ? padici_unfold(x[i]) : x[i]) * scale + padici_between_words(x, i, d, order);
}

PADICI_AVX512 static void padici_codec_between_row(uint64_t *x, size_t from, size_t end,
                                                   size_t period, size_t d, uint32_t order,
                                                   uint64_t scale, int zigzag)
{
    size_t i;
    if (period > 4) {
        for (i = from; i < end; i += period)
            x[i] = (zigzag ? padici_unfold(x[i]) : x[i]) * scale +
                   padici_between_words(x, i, d, order);
    } else if (order == 2) {
        padici_codec_between8(x, from, end, period, d, 2, scale, zigzag);
    } else if (order == 1) {
        padici_codec_between8(x, from, end, period, d, 1, scale, zigzag);
    } else {
        padici_codec_between8(x, from, end, period, d, 0, scale, zigzag);
    }
}

// One line along the fastest axis, whose points at multiples of 2 step are there. Of the finest
// one the next vector is loaded before this one is stored, so that no load waits for a store.
PADICI_AVX512 static void padici_codec_between_line(uint64_t *x, size_t extent, size_t step,
                                                    int cubic, uint64_t scale, int zigzag)
{
    const __m512i by = _mm512_set1_epi64((int64_t)scale);
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i before = _mm512_setzero_si512(), here = before;
    size_t c = step;
    if (step == 1 && extent >= 8) here = padici_avx512_load(x);
    for (; step == 1 && c + 7 <= extent; c += 8) { // at c - 1
        const size_t left = extent - c - 7;
        const __mmask8 there = (__mmask8)(left >= 8 ? 0xff : (1u << left) - 1);
        const __m512i next = _mm512_maskz_loadu_epi64(there, x + c + 7);
        const __m512i at = _mm512_add_epi64(lanes, _mm512_set1_epi64((int64_t)c - 1));
        const __m512i low = _mm512_alignr_epi64(here, before, 7);
        const __m512i sum = _mm512_add_epi64(low, _mm512_alignr_epi64(next, here, 1));
        const __mmask8 both = _mm512_cmplt_epi64_mask(at, _mm512_set1_epi64((int64_t)extent - 1));
        __m512i a = _mm512_mask_srai_epi64(low, both, sum, 1);
        if (cubic) {
            const __mmask8 wide =
                _mm512_cmplt_epi64_mask(at, _mm512_set1_epi64((int64_t)extent - 3)) &
                _mm512_cmpgt_epi64_mask(at, _mm512_set1_epi64(2));
            a = _mm512_mask_mov_epi64(
                a, wide,
                padici_codec_cubic(sum, _mm512_add_epi64(_mm512_alignr_epi64(here, before, 5),
                                                         _mm512_alignr_epi64(next, here, 3))));
        }
        a = _mm512_mask_add_epi64(here, 0xaa, padici_codec_scaled(here, by, zigzag), a);
        _mm512_storeu_si512((void *)(x + c - 1), a);
        before = here;
        here = next;
    }
    for (; c < extent; c += 2 * step) {
        uint32_t order = 0;
        if (c + step < extent) order = cubic && c >= 3 * step && c + 3 * step < extent ? 2 : 1;
        x[c] = (zigzag ? padici_unfold(x[c]) : x[c]) * scale +
               padici_between_words(x, c, step, order);
    }
}

// Row by row along the fastest axis; where that is not among the axes the plain loop does it. If it
// is the last one, the axis before it has its turn with it, each row right before its line.
PADICI_AVX512 static void padici_codec_between_avx512(const padici_predictor *predictor,
                                                      uint64_t *x, size_t n, int zigzag)
{
    const padici_op *op = predictor->op;
    const uint32_t count = predictor->count;
    const uint64_t scale = predictor->scale;
    size_t extent[PADICI_MAX_OPS], at[PADICI_MAX_OPS], all = 1;
    uint32_t fast = count, level = 0, k, j, with;
    for (k = 0; k < count; k++) {
        extent[k] = op[k].segment / op[k].stride;
        all *= extent[k];
        if (op[k].stride == 1) fast = k;
        while ((size_t)1 << level < extent[k]) level++;
    }
    if (fast == count || all != n) {
        padici_between_loop(predictor, x, n, zigzag);
        return;
    }
    with = fast && fast + 1 == count ? fast - 1 : count;
    x[0] = (zigzag ? padici_unfold(x[0]) : x[0]) * scale;
    while (level-- > 0) {
        const size_t step = (size_t)1 << level;
        for (k = 0; k < count; k++) {
            const uint32_t row = k == fast ? with : k; // the axis that rows are made on
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
                    padici_codec_between_row(x, base, base + extent[fast],
                                             fast < row ? step : 2 * step, step * op[row].stride,
                                             order, scale, zigzag);
                }
                if (k == fast && step < extent[k])
                    padici_codec_between_line(x + base, extent[k], step, op[k].cubic >> level & 1,
                                              scale, zigzag);
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
}

// The weighted sum of 8 words' neighbours, of taps [0, count) that `use` holds as bits.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_taps(const padici_taps *taps, uint32_t use,
                                                      const uint64_t *x)
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

#define PADICI_TAP_STRIPE 16u

// A stripe at a time: what lies before the stripe is summed in vectors, 4 `fours` neighbours within
// it word by word.
typedef struct padici_codec_within_stripe {
    uint64_t weight[PADICI_TAP_STRIPE];
    size_t distance[PADICI_TAP_STRIPE];
} padici_codec_within_stripe;

PADICI_AVX512 PADICI_INLINE size_t padici_codec_stripes(const padici_taps *taps, uint32_t before,
                                                        const padici_codec_within_stripe *within,
                                                        uint32_t fours, uint32_t shift,
                                                        uint64_t *x, size_t i, size_t to,
                                                        int zigzag)
{
    const uint64_t half = (uint64_t)1 << shift >> 1, *weight = within->weight;
    const size_t first = taps->distance[0], *distance = within->distance;
    uint64_t part[PADICI_TAP_STRIPE];
    size_t k;
    for (; i + PADICI_TAP_STRIPE <= to; i += PADICI_TAP_STRIPE) {
        for (k = 0; k < PADICI_TAP_STRIPE; k += 8)
            padici_avx512_store(part + k, padici_codec_taps(taps, before, x + i + k));
        for (k = i; k < i + PADICI_TAP_STRIPE; k++) {
            uint64_t sum = half + part[k - i];
            uint32_t t;
            for (t = 4 * fours; t > 0; t -= 4) { // the nearest last: known last
                sum += weight[t - 1] * x[k - distance[t - 1]];
                sum += weight[t - 2] * x[k - distance[t - 2]];
                sum += weight[t - 3] * x[k - distance[t - 3]];
                sum += weight[t - 4] * x[k - distance[t - 4]];
            }
            x[k] = x[k - first] + (uint64_t)((int64_t)sum >> shift) +
                   (zigzag ? padici_unfold(x[k]) : x[k]);
        }
    }
    return i;
}

PADICI_AVX512 PADICI_INLINE size_t padici_codec_undo(const padici_taps *taps, uint32_t shift,
                                                     uint64_t *x, size_t from, size_t to,
                                                     int zigzag)
{
    padici_codec_within_stripe within;
    uint32_t before = 0, count = 0, t;
    for (t = 0; t < taps->count; t++) {
        if (taps->distance[t] >= PADICI_TAP_STRIPE) {
            before |= 1u << t;
        } else {
            if (count == PADICI_TAP_STRIPE) return from;
            within.distance[count] = taps->distance[t];
            within.weight[count++] = (uint64_t)taps->weight[t];
        }
    }
    if (!before || from == 0) return from;
    for (t = count; t < PADICI_TAP_STRIPE; t++) {
        within.distance[t] = 1;
        within.weight[t] = 0;
    }
#define PADICI_STRIPES(FOURS)                                                                     \
    padici_codec_stripes(taps, before, &within, FOURS, shift, x, from, to, zigzag)
    if (count <= 4) return PADICI_STRIPES(1);
    if (count <= 8) return PADICI_STRIPES(2);
    if (count <= 12) return PADICI_STRIPES(3);
    return PADICI_STRIPES(4);
#undef PADICI_STRIPES
}

PADICI_AVX512 static void padici_codec_linear_avx512(const padici_taps *taps, uint32_t shift,
                                                     uint64_t *x, uint64_t *z, size_t from,
                                                     size_t to, int what)
{
    const __m512i half = padici_avx512_all((uint64_t)1 << shift >> 1);
    const __m128i down = _mm_cvtsi32_si128((int)shift);
    size_t i = from;
    if (taps->count && what == PADICI_LINEAR_DO) {
        const uint32_t use = 0xffffffffu >> (32 - taps->count);
        for (; i + 8 <= to; i += 8) {
            const __m512i sum = _mm512_add_epi64(half, padici_codec_taps(taps, use, x + i));
            const __m512i about = _mm512_add_epi64(padici_avx512_load(x + i - taps->distance[0]),
                                                   _mm512_sra_epi64(sum, down));
            padici_avx512_store(z + i - from, _mm512_sub_epi64(padici_avx512_load(x + i), about));
        }
    } else if (taps->count) {
        i = what == PADICI_LINEAR_UNFOLD ? padici_codec_undo(taps, shift, x, from, to, 1)
                                         : padici_codec_undo(taps, shift, x, from, to, 0);
    }
    padici_linear_words(taps, shift, x, z ? z + (i - from) : NULL, i, to, what);
}

// Rows of floats in 8 lanes, which stand `apart` words from each other. The last values of each row
// are kept, so that only those of other rows are fetched lane by lane.
PADICI_AVX512 PADICI_INLINE void padici_codec_float_run(const padici_float_taps *taps,
                                                        padic_dtype dtype, uint64_t *x,
                                                        double *values, size_t apart, size_t from,
                                                        size_t to, int zigzag)
{
    const __m512i at = _mm512_mullo_epi64(padici_avx512_lanes(), padici_avx512_all(apart));
    const __m128i down = _mm_cvtsi32_si128(dtype == PADIC_F64 ? 1 : 33);
    const __m512d none = _mm512_setzero_pd();
    double kept[64];
    size_t s;
    uint32_t t;
    for (s = from - 7; s < from; s++)
        _mm512_storeu_pd(kept + 8 * (s & 7), padici_codec_fetch_doubles(at, values + s));
    for (s = from; s < to; s++) {
        const __m512i z = padici_codec_fetch(at, x + s);
        __m512d sum = none, v = none;
        __m512i about, word;
        for (t = taps->count; t-- > 0;) {
            const ptrdiff_t back = taps->back[t];
            v = back > -8 ? _mm512_loadu_pd(kept + 8 * ((s + (size_t)back) & 7))
                          : padici_codec_fetch_doubles(at, values + s + back);
            sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_set1_pd(taps->factor[t]), v));
        }
        sum = _mm512_add_pd(sum, v);
        if (dtype == PADIC_F64)
            about = _mm512_castpd_si512(sum);
        else
            about = _mm512_cvtepi32_epi64(_mm256_castps_si256(_mm512_cvtpd_ps(sum)));
        about = _mm512_xor_si512(about, _mm512_srl_epi64(_mm512_srai_epi64(about, 63), down));
        about = _mm512_maskz_mov_epi64(_mm512_cmp_pd_mask(sum, sum, _CMP_ORD_Q), about);
        word = _mm512_add_epi64(about, zigzag ? padici_avx512_unfold(z) : z);
        if (dtype == PADIC_F64) {
            const __m512i sign = _mm512_srli_epi64(_mm512_srai_epi64(word, 63), 1);
            v = _mm512_castsi512_pd(_mm512_xor_si512(word, sign));
        } else { // the sign is that of the lower half
            const __m256i low = _mm512_cvtepi64_epi32(word);
            const __m256i sign = _mm256_srli_epi32(_mm256_srai_epi32(low, 31), 1);
            v = _mm512_cvtps_pd(_mm256_castsi256_ps(_mm256_xor_si256(low, sign)));
        }
        v = _mm512_maskz_mov_pd(
            _mm512_cmp_pd_mask(_mm512_sub_pd(v, v), none, _CMP_EQ_OQ), v); // what is finite
        _mm512_storeu_pd(kept + 8 * (s & 7), v);
        padici_codec_scatter(at, x + s, word);
        padici_codec_scatter_doubles(at, values + s, v);
    }
}

PADICI_AVX512 static void padici_codec_float_steps_avx512(
    const padici_float_taps *taps, padic_dtype dtype, uint64_t *x, double *values, size_t segment,
    size_t lag, size_t from, size_t to, size_t rows, int zigzag)
{
    if (rows != 8 || from < 7 || taps->count == 0)
        padici_float_steps(taps, dtype, x, values, segment, lag, from, to, rows, zigzag);
    else if (dtype == PADIC_F64)
        padici_codec_float_run(taps, PADIC_F64, x, values, segment - lag, from, to, zigzag);
    else
        padici_codec_float_run(taps, PADIC_F32, x, values, segment - lag, from, to, zigzag);
}

// Where the bits of 8 words of 32 to 64 bits come from: of each output word up to three words.
typedef struct padici_codec_spread {
    uint64_t word[8], down[8], up[8];
} padici_codec_spread;

static void padici_codec_spread_make(padici_codec_spread *s, uint32_t width)
{
    uint32_t q, word = 0, bit = 0;
    for (q = 0; q < 8; q++, bit += 64) {
        while (bit >= width) bit -= width, word++;
        s->word[q] = word < 8 ? word : 8;
        s->down[q] = word < 8 ? bit : 64;
        s->up[q] = word + 1 < 8 ? width - bit : 64;
    }
}

// Words are joined in pairs until they have 32 bits or more; a vector of such gives `width` bytes.
PADICI_AVX512 static void padici_codec_put_fixed_avx512(const uint64_t *z, size_t n, uint32_t width,
                                                        uint8_t *p, size_t room)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i mask = padici_avx512_all(~UINT64_C(0) >> (64 - width));
    const __m512i none = _mm512_setzero_si512();
    __m512i held[6], word, next, last, down, up, above;
    padici_codec_spread spread;
    uint32_t joins = 0, k;
    size_t i, block;
    while (width << joins < 32) joins++;
    block = (size_t)8 << joins;
    padici_codec_spread_make(&spread, width << joins);
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
    padici_put_fixed_loop(z + i, n - i, width, p, room);
}

// room: src/simd/codec/vbmi.c
// ---- AVX-512 with VBMI: any 8 bytes of 64 are one instruction away

PADICI_IFMA PADICI_INLINE __m512i padici_codec_window(__m512i window, __m512i bit)
{
    const __m512i spread = _mm512_set_epi64(
        0x3838383838383838, 0x3030303030303030, 0x2828282828282828, 0x2020202020202020,
        0x1818181818181818, 0x1010101010101010, 0x0808080808080808, 0x0000000000000000);
    const __m512i byte = _mm512_permutexvar_epi8(spread, _mm512_srli_epi64(bit, 3));
    const __m512i eight = _mm512_set1_epi64(0x0706050403020100);
    const __m512i v = _mm512_permutexvar_epi8(_mm512_add_epi8(byte, eight), window);
    return _mm512_srlv_epi64(v, _mm512_and_si512(bit, _mm512_set1_epi64(7)));
}

PADICI_IFMA static void padici_codec_packed_bytes_ifma(const uint8_t *p, uint32_t base,
                                                       uint32_t width, uint8_t *data, size_t n)
{
    const __m512i mask = _mm512_set1_epi8((char)((1u << width) - 1));
    const __m512i add = _mm512_set1_epi8((char)base);
    uint8_t take[64], shift[64];
    __m512i from, by;
    size_t i, j;
    for (j = 0; j < 64; j++) {
        take[j] = (uint8_t)(j / 8 * width + j % 8);
        shift[j] = (uint8_t)(j % 8 * width);
    }
    from = padici_avx512_load(take);
    by = padici_avx512_load(shift);
    for (i = 0; i + 64 <= n && (n - i) * width / 8 + 8 >= 64; i += 64, p += 8 * width) {
        const __m512i v = _mm512_permutexvar_epi8(from, padici_avx512_load(p));
        const __m512i b = _mm512_and_si512(_mm512_multishift_epi64_epi8(by, v), mask);
        padici_avx512_store(data + i, _mm512_add_epi8(b, add));
    }
    padici_packed_bytes(p, base, width, data + i, n - i);
}

PADICI_IFMA static void padici_codec_fixed_ifma(const uint8_t *p, const uint8_t *end,
                                                uint32_t width, uint64_t *z, size_t n)
{
    size_t i = 0;
    if (width - 1 < 57) {
        const __m512i bit = _mm512_mullo_epi64(padici_avx512_lanes(), padici_avx512_all(width));
        const __m512i mask = padici_avx512_all(~UINT64_C(0) >> (64 - width));
        for (; i + 8 <= n && end - p >= 56; i += 8, p += width) {
            const __m512i v = padici_codec_window(padici_avx512_load(p), bit);
            padici_avx512_store(z + i, _mm512_and_si512(v, mask));
        }
    }
    padici_fixed_loop(p, end, width, z + i, n - i);
}

// 8 words of classes whose plain bits lie in 64 bytes from bit `at` of `p` on; how many these are.
PADICI_IFMA PADICI_INLINE uint32_t padici_codec_classes8(const uint8_t *tokens, __m128i m,
                                                         __m512i lead, const uint8_t *p,
                                                         uint64_t at, uint64_t *z)
{
    const __m512i below = _mm512_sub_epi64(lead, _mm512_set1_epi64(1));
    const __m128i t = _mm_loadl_epi64((const __m128i *)(const void *)tokens);
    const __m128i t16 = _mm_cvtepu8_epi16(t);
    const __m128i e16 = _mm_min_epu16(_mm_subs_epu16(_mm_srl_epi16(t16, m), _mm_set1_epi16(1)),
                                      _mm_set1_epi16(63));
    __m128i sum = _mm_add_epi16(e16, _mm_slli_si128(e16, 2));
    __m512i t64 = _mm512_cvtepu8_epi64(t), e = _mm512_cvtepu16_epi64(e16), bit, v, mask;
    const __m512i led = _mm512_or_si512(_mm512_and_si512(t64, below), lead);
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 4));
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 8));
    bit = _mm512_add_epi64(_mm512_cvtepu16_epi64(_mm_sub_epi16(sum, e16)),
                           padici_avx512_all(at & 7));
    v = padici_codec_window(padici_avx512_load(p + (at >> 3)), bit);
    mask = _mm512_sub_epi64(_mm512_sllv_epi64(_mm512_set1_epi64(1), e), _mm512_set1_epi64(1));
    t64 = _mm512_mask_mov_epi64(t64, _mm512_test_epi64_mask(e, e), led);
    t64 = _mm512_add_epi64(_mm512_sllv_epi64(t64, e), _mm512_and_si512(v, mask));
    padici_avx512_store(z, t64);
    return (uint32_t)_mm_extract_epi16(sum, 7);
}

PADICI_IFMA static size_t padici_codec_classes_ifma(padici_digits *digits, uint64_t *z, size_t from,
                                                    size_t to)
{
    const __m128i m = _mm_cvtsi32_si128((int)digits->m);
    const __m512i lead = padici_avx512_all(UINT64_C(1) << digits->m);
    const __m512i least = _mm512_set1_epi8((char)(2u << digits->m)); // with plain bits
    const uint8_t *p = digits->plain, *tokens = digits->tokens;
    const uint64_t end = digits->end;
    uint64_t at = digits->at, first = 0;
    uint8_t rest[128]; // the last bits, which many words may share
    size_t i = from, look = from;
    while (digits->widest <= 57 && i < to && at <= end) {
        uint32_t bits;
        if (i >= look) {
            look = i + 64;
            if (look <= to && !_mm512_cmpge_epu8_mask(padici_avx512_load(tokens + i), least)) {
                for (; i < look; i += 8) {
                    const __m128i t = _mm_loadl_epi64((const __m128i *)(const void *)(tokens + i));
                    padici_avx512_store(z + i, _mm512_cvtepu8_epi64(t));
                }
                continue;
            }
        }
        if (p != rest && at + 56 * 8 > end) { // 8 bytes behind the end may be loaded
            first = at & ~(uint64_t)7;
            memset(rest, 0, sizeof rest);
            memcpy(rest, p + first / 8, (size_t)((end - first + 7) / 8));
            p = rest;
        }
        if (i + 8 <= to) {
            bits = padici_codec_classes8(tokens + i, m, lead, p, at - first, z + i);
            if (bits > end - at) break; // padici_classes_loop() knows how far it comes
        } else {
            uint64_t few[8];
            uint8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
            memcpy(last, tokens + i, to - i);
            bits = padici_codec_classes8(last, m, lead, p, at - first, few);
            if (bits > end - at) break;
            memcpy(z + i, few, (to - i) * sizeof *z);
        }
        at += bits;
        i = padici_least(i + 8, to);
    }
    digits->at = at;
    return padici_classes_loop(digits, z, i, to);
}

// room: src/simd/codec/blocks_vbmi.c
// ---- AVX-512 with VBMI: blocks whose words fit into 32 bits, 16 at a time

#define PADICI_NARROW_TILE 2048u

// A sum of lanes that leaves 32 bits sets the sign of `over`.
PADICI_IFMA PADICI_INLINE __m512i padici_narrow_add(__m512i a, __m512i b, __m512i *over)
{
    const __m512i sum = _mm512_add_epi32(a, b);
    const __m512i left = _mm512_ternarylogic_epi32(a, b, sum, 0x42); // signs a = b != sum
    *over = _mm512_or_si512(*over, left);
    return sum;
}

PADICI_IFMA PADICI_INLINE __m512i padici_narrow_unfold(__m512i z)
{
    const __m512i half = _mm512_srli_epi32(z, 1);
    return _mm512_mask_xor_epi32(half, _mm512_test_epi32_mask(z, _mm512_set1_epi32(1)), half,
                                 _mm512_set1_epi32(-1));
}

PADICI_IFMA PADICI_INLINE __mmask16 padici_narrow_there(size_t left)
{
    return (__mmask16)(left >= 16 ? 0xffff : (1u << left) - 1);
}

// A word that is longer, cut so that what it unfolds to is right modulo 2^32.
PADICI_INLINE uint32_t padici_narrow_cut(uint64_t z, int zigzag)
{
    uint32_t r = (uint32_t)padici_unfold(z);
    return zigzag && z >> 32 ? r << 1 ^ (0 - (r >> 31)) : (uint32_t)z;
}

// Whether the digits are whole and no word of them has more than `most` bits.
static int padici_narrow_fits(const padici_digits *digits, size_t n, uint32_t most)
{
    uint64_t bytes = digits->at;
    size_t g, e, place = digits->place;
    for (g = 0; g * PADICI_GROUP < n; g++) {
        if (digits->widths[g] > most) return 0;
        bytes += (padici_least(n - g * PADICI_GROUP, PADICI_GROUP) * digits->widths[g] + 7) / 8;
    }
    if (bytes != digits->end) return 0;
    for (e = 0; e < digits->exceptions; e++) {
        if (e && digits->gaps[e] >= n - place) return 0;
        if (e) place += (size_t)digits->gaps[e] + 1;
        if (place >= n) return 0;
        if (most < 64 && digits->high[e] >> (most - digits->widths[place / PADICI_GROUP])) return 0;
    }
    return 1;
}

// A group of more than 32 bits a word.
PADICI_IFMA PADICI_NOINLINE static void padici_narrow_long(padici_digits *digits, uint8_t *x,
                                                           size_t from, size_t count,
                                                           uint32_t width, int zigzag)
{
    uint64_t words[PADICI_GROUP];
    size_t i;
    padici_codec_fixed_ifma(digits->plain + digits->at, digits->plain + digits->end, width, words,
                            count);
    while (digits->exceptions && digits->place < from + count) {
        if (width < 64) words[digits->place - from] |= *digits->high << width;
        digits->high++;
        digits->gaps++;
        if (--digits->exceptions) digits->place += (size_t)*digits->gaps + 1;
    }
    for (i = 0; i < count; i++) {
        const uint32_t word = padici_narrow_cut(words[i], zigzag);
        memcpy(x + 4 * (from + i), &word, 4);
    }
}

// Words [from, to), from a group's begin on.
PADICI_IFMA static void padici_narrow_fixed(padici_digits *digits, uint8_t *x, size_t from,
                                            size_t to, int zigzag)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i four = _mm512_set1_epi32(0x03020100);
    const uint8_t *const end = digits->plain + digits->end;
    uint64_t words[PADICI_GROUP];
    for (; from < to; from += PADICI_GROUP) {
        const size_t count = padici_least(to - from, PADICI_GROUP);
        const uint32_t width = digits->widths[from / PADICI_GROUP];
        const uint8_t *p = digits->plain + digits->at;
        uint32_t word;
        size_t i = 0;
        if (width > 32) {
            padici_narrow_long(digits, x, from, count, width, zigzag);
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
                const __m512i v = padici_codec_window(padici_avx512_load(p), bit);
                const __m256i cut = _mm512_cvtepi64_epi32(_mm512_and_si512(v, mask));
                _mm256_storeu_si256((__m256i *)(void *)(x + 4 * (from + i)), cut);
            }
        }
        if (i < count && width <= 32) {
            size_t k;
            padici_codec_fixed_ifma(p, end, width, words, count - i);
            for (k = 0; k < count - i; k += 8)
                _mm512_mask_cvtepi64_storeu_epi32(
                    x + 4 * (from + i + k), (__mmask8)padici_narrow_there(count - i - k),
                    padici_avx512_load(words + k));
        }
        digits->at += (count * width + 7) / 8;
        while (digits->exceptions && digits->place < from + count) {
            memcpy(&word, x + 4 * digits->place, 4);
            word = padici_narrow_cut(word | *digits->high++ << width, zigzag);
            memcpy(x + 4 * digits->place, &word, 4);
            digits->gaps++;
            if (--digits->exceptions) digits->place += (size_t)*digits->gaps + 1;
        }
    }
}

// Folded differences at a distance below 16 to words. Those of 16 lanes have no more than 28 bits,
// so that their sums fit; `kept` are the 16 words before `from`.
PADICI_IFMA PADICI_INLINE void padici_narrow_scan(uint8_t *x, size_t from, size_t to,
                                                  const padici_op *op, const uint32_t kept[16],
                                                  __m512i *over, uint32_t steps, int apart,
                                                  int zigzag)
{
    const uint32_t stride = op->stride;
    // words are loaded before those in front of them are stored: see padici_narrow_short()
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
        const size_t place = i % op->segment, end = padici_least(i + op->segment - place, to);
        for (k = 0; k < 16; k++)
            lanes[k] = place + k % stride < stride ? 0 : kept[16 - stride + k % stride];
        carry = padici_avx512_load(lanes);
#define PADICI_UP(K)                                                                              \
    if (steps > (K))                                                                              \
        v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(have[K], back[K], v))
#define PADICI_ROW(WORDS, NEXT, STORE)                                                            \
    do {                                                                                          \
        __m512i v = WORDS, w;                                                                     \
        if (zigzag) v = padici_narrow_unfold(v);                                                  \
        PADICI_UP(0);                                                                             \
        PADICI_UP(1);                                                                             \
        PADICI_UP(2);                                                                             \
        PADICI_UP(3);                                                                             \
        w = padici_narrow_add(v, carry, &sum);                                                    \
        NEXT;                                                                                     \
        STORE;                                                                                    \
        carry = apart ? _mm512_add_epi32(carry, _mm512_permutexvar_epi32(next, v))                \
                      : _mm512_permutexvar_epi32(next, w);                                        \
    } while (0)
        for (; i + 16 <= end; i += 16)
            PADICI_ROW(z, z = padici_avx512_load(x + 4 * i + 64),
                       padici_avx512_store(x + 4 * i, w));
        there = padici_narrow_there(end - i);
        if (i < end)
            PADICI_ROW(_mm512_maskz_mov_epi32(there, z), z = padici_avx512_load(x + 4 * end),
                       _mm512_mask_storeu_epi32(x + 4 * i, there, w));
#undef PADICI_ROW
#undef PADICI_UP
        i = end;
    }
    *over = sum;
}

// Differences of neighbours inside segments of 2 to 16 words: as many whole ones as fit at a time.
PADICI_IFMA static void padici_narrow_short(uint8_t *x, size_t from, size_t to, uint32_t segment,
                                            uint32_t carry, int zigzag)
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
    for (; i < to && i % segment; i++) { // of a segment that began before
        uint32_t z;
        memcpy(&z, x + 4 * i, 4);
        carry += zigzag ? z >> 1 ^ (0 - (z & 1)) : z;
        memcpy(x + 4 * i, &carry, 4);
    }
    // the next words are loaded before these are stored: a load right behind a masked store waits
    for (there = padici_narrow_there(padici_least(each, to - i)),
         next = _mm512_maskz_loadu_epi32(there, x + 4 * i);
         i < to; i += count) {
        const __mmask16 here = there;
        __m512i v = next;
        count = padici_least(each, to - i);
        there = padici_narrow_there(padici_least(each, to - i - count));
        next = _mm512_maskz_loadu_epi32(there, x + 4 * (i + count));
        if (zigzag) v = padici_narrow_unfold(v);
        for (k = 0; 1u << k < segment; k++)
            v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(have[k], back[k], v));
        _mm512_mask_storeu_epi32(x + 4 * i, here, v);
    }
}

PADICI_IFMA static void padici_narrow_near(uint8_t *x, size_t from, size_t to, const padici_op *op,
                                           uint32_t kept[16], __m512i *over, int zigzag)
{
    if (op->segment < 32)
        padici_narrow_short(x, from, to, op->segment, kept[15], zigzag);
    else if (!zigzag)
        padici_narrow_scan(x, from, to, op, kept, over, 4, 0, 0);
    else if (op->stride == 1)
        padici_narrow_scan(x, from, to, op, kept, over, 4, 1, 1);
    else if (op->stride == 2)
        padici_narrow_scan(x, from, to, op, kept, over, 3, 1, 1);
    else if (op->stride == 3)
        padici_narrow_scan(x, from, to, op, kept, over, 3, 0, 1);
    else
        padici_narrow_scan(x, from, to, op, kept, over, op->stride < 8 ? 2 : 1, 0, 1);
    memcpy(kept, x + 4 * (to - 16), 64);
}

// The same at a distance of 16 and more.
PADICI_IFMA static void padici_narrow_far(uint8_t *x, size_t from, size_t to, const padici_op *op,
                                          int zigzag, __m512i *over)
{
    const size_t stride = op->stride;
    __m512i sum = *over;
    size_t i = from;
    while (i < to) {
        const size_t place = i % op->segment, end = padici_least(i + op->segment - place, to);
        const size_t edge = place < stride ? padici_least(i + stride - place, end) : i;
        for (; zigzag && i < edge; i += 16) {
            const __mmask16 there = padici_narrow_there(edge - i);
            const __m512i v = _mm512_maskz_loadu_epi32(there, x + 4 * i);
            _mm512_mask_storeu_epi32(x + 4 * i, there, padici_narrow_unfold(v));
        }
        for (i = edge; i + 16 <= end; i += 16) {
            __m512i v = padici_avx512_load(x + 4 * i);
            if (zigzag) v = padici_narrow_unfold(v);
            v = padici_narrow_add(v, padici_avx512_load(x + 4 * (i - stride)), &sum);
            padici_avx512_store(x + 4 * i, v);
        }
        if (i < end) {
            const __mmask16 there = padici_narrow_there(end - i);
            __m512i v = _mm512_maskz_loadu_epi32(there, x + 4 * i);
            if (zigzag) v = padici_narrow_unfold(v);
            v = padici_narrow_add(v, _mm512_maskz_loadu_epi32(there, x + 4 * (i - stride)), &sum);
            _mm512_mask_storeu_epi32(x + 4 * i, there, v);
        }
        i = end;
    }
    *over = sum;
}

// Whole vectors of words; how far they reach. `kind` and `size` are constants where it is called.
PADICI_IFMA PADICI_INLINE size_t padici_narrow_run(const uint8_t *x, size_t i, size_t to,
                                                   const padici_form *given, uint32_t kind,
                                                   uint32_t size, uint8_t *raw)
{
    const padici_form form = *given;
    const __m512i first = padici_avx512_all(form.first);
    for (; i + 8 <= to; i += 8) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(x + 4 * i));
        padici_codec_put8(&form, kind, 1, size, _mm512_add_epi64(first, _mm512_cvtepi32_epi64(v)),
                          raw + i * size);
    }
    return i;
}

// Words [from, to) to elements; `wide` has room for a tile of longer words.
PADICI_IFMA static void padici_narrow_elements(const uint8_t *x, size_t from, size_t to,
                                               const padici_form *form, padic_dtype dtype,
                                               uint64_t *wide, uint8_t *raw)
{
    const uint32_t size = padic_dtype_size(dtype);
    size_t i = from, done;
    if (form->kind == PADICI_FORM_BITS && form->shift == 0 && padici_is_float(dtype) &&
        size == 4 && form->step == 1 && form->first == 0) {
        for (; i + 16 <= to; i += 16) {
            const __m512i v = padici_avx512_load(x + 4 * i);
            const __m512i sign = _mm512_srli_epi32(_mm512_srai_epi32(v, 31), 1);
            padici_avx512_store(raw + 4 * i, _mm512_xor_si512(v, sign));
        }
    }
    if (form->kind == PADICI_FORM_FIELDS && size == 4 && form->step == 1 && form->first == 0)
        for (; i + 16 <= to; i += 16)
            padici_avx512_store(raw + 4 * i, _mm512_ror_epi32(padici_avx512_load(x + 4 * i), 1));
    if (form->kind <= PADICI_FORM_FIELDS && form->shift == 0 && padici_is_float(dtype) &&
        size == 2 && form->step == 1 && form->first == 0) {
        const int bits = form->kind == PADICI_FORM_BITS;
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
    if (form->kind == PADICI_FORM_SCALE && dtype == PADIC_F32 && form->step == 1 &&
        form->first == 0 && (form->g & ((UINT64_C(1) << 52) - 1)) == 0 &&
        form->g >> 52 >= 1023 - 126 && form->g >> 52 <= 1023 + 96) {
        const __m512 g = _mm512_set1_ps((float)padici_double_of(form->g));
        for (; i + 16 <= to; i += 16)
            _mm512_storeu_ps((float *)(void *)(raw + 4 * i),
                             _mm512_mul_ps(_mm512_cvtepi32_ps(padici_avx512_load(x + 4 * i)), g));
    }
#define PADICI_RUN_FORM(KIND, SIZE)                                                               \
    if (form->kind == (KIND) && padici_is_float(dtype) && size == (SIZE) && form->step == 1 &&    \
        !padici_codec_plain_form(form, dtype))                                                    \
        i = padici_narrow_run(x, i, to, form, KIND, SIZE, raw);
    PADICI_RUN_FORM(PADICI_FORM_SCALE, 4)
    PADICI_RUN_FORM(PADICI_FORM_SCALE, 8)
    PADICI_RUN_FORM(PADICI_FORM_DECIMAL, 4)
    PADICI_RUN_FORM(PADICI_FORM_DECIMAL, 8)
#undef PADICI_RUN_FORM
    if (i == to) return;
    for (done = i; i < to; i += 8) {
        const __mmask8 there = (__mmask8)padici_narrow_there(to - i);
        const __m256i v = _mm512_castsi512_si256(_mm512_maskz_loadu_epi32(there, x + 4 * i));
        padici_avx512_store(wide + (i - done), _mm512_cvtepi32_epi64(v));
    }
    padici_codec_elements_avx512(form, dtype, wide, raw + done * size, to - done);
}

// A whole block whose words fit into 32 bits, or whose elements are told by so many bits of them:
// see padici_codec_loops.
PADICI_IFMA static int padici_codec_narrow_ifma(const padici_digits *given,
                                                const padici_predictor *predictor, int zigzag,
                                                const padici_form *form, padic_dtype dtype,
                                                void *space, uint8_t *raw, size_t n)
{
    padici_digits digits = *given;
    uint8_t *const x = (uint8_t *)space;
    uint64_t *const wide = (uint64_t *)space + n / 2 + 16; // behind the words
    const int cut = padic_dtype_size(dtype) <= 4 && form->kind <= PADICI_FORM_FIELDS &&
                    form->shift == 0;
    __m512i over = _mm512_setzero_si512();
    size_t from, to, ready = 0, step = PADICI_NARROW_TILE;
    uint32_t kept[3][16], k, near_ops = 0, most = cut ? 64 : predictor->count ? 28 : 31, sums = 1;
    if (n < 4 * PADICI_NARROW_TILE || (predictor->count && !zigzag) ||
        predictor->kind == PADICI_PREDICT_XOR || predictor->kind >= PADICI_PREDICT_MEDIAN)
        return 0;
    for (k = 0; k < predictor->count; k++) {
        const padici_op *op = predictor->op + k;
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
    if (!padici_narrow_fits(&digits, n, most)) return 0;
    memset(kept, 0, sizeof kept);
    for (from = 0; from < n; from = to) {
        size_t done;
        to = n - from < step + 16 ? n : from + step; // the last one has 16 and more
        while (ready < to) {
            done = ready;
            ready = n - done < PADICI_NARROW_TILE + 16 ? n : done + PADICI_NARROW_TILE;
            padici_narrow_fixed(&digits, x, done, ready, zigzag);
            for (k = 0; k < near_ops; k++)
                padici_narrow_near(x, done, ready, predictor->op + k, kept[k], &over, k == 0);
        }
        for (k = near_ops; k < predictor->count; k++)
            padici_narrow_far(x, from, to, predictor->op + k, k == 0, &over);
        if (!cut && _mm512_movepi32_mask(over)) return 0;
        for (done = from; done < to;) {
            const size_t end = padici_least(done + PADICI_NARROW_TILE, to);
            padici_narrow_elements(x, done, end, form, dtype, wide, raw);
            done = end;
        }
    }
    return 1;
}

#define PADICI_CODEC_LARGE 67108864u // bytes of an array that no cache holds

// Past the caches into a large array, which would only be read to be written over; into others with
// what is written next asked for ahead.
PADICI_AVX512 static void padici_codec_copy_avx512(void *to, const void *from, size_t size,
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

static void padici_simd_codec_x86(uint32_t level, padici_codec_loops *loops)
{
    loops->checksum = padici_codec_checksum_avx2;
    loops->fixed = padici_codec_fixed_avx2;
    loops->sum = padici_codec_sum_avx2;
    loops->planes = padici_codec_planes_avx2;
    loops->rans = padici_codec_rans_avx2;
    loops->context = padici_codec_context_avx2;
    loops->slots = padici_codec_slots_avx2;
    loops->elements = padici_codec_elements_avx2;
    loops->words = padici_codec_words_avx2;
    loops->difference = padici_codec_difference_avx2;
    loops->lower = padici_codec_lower_avx2;
    if (level == PADICI_SIMD_AVX2) return;
    loops->checksum = padici_codec_checksum_avx512;
    loops->sum = padici_codec_sum_avx512;
    loops->planes = padici_codec_planes_avx512;
    loops->rans = padici_codec_rans_avx512;
    loops->context = padici_codec_context_avx512;
    loops->slots = padici_codec_slots_avx512;
    loops->elements = padici_codec_elements_avx512;
    loops->words = padici_codec_words_avx512;
    loops->put_fixed = padici_codec_put_fixed_avx512;
    loops->difference = padici_codec_difference_avx512;
    loops->least = padici_codec_least_avx512;
    loops->lower = padici_codec_lower_avx512;
    loops->runs = padici_codec_runs_avx512;
    loops->group = padici_codec_group_avx512;
    loops->pick = padici_codec_pick_avx512;
    loops->packed = padici_codec_packed_avx512;
    loops->tokens = padici_codec_tokens_avx512;
    loops->put_plain = padici_codec_put_plain_avx512;
    loops->plane = padici_codec_plane_avx512;
    loops->linear = padici_codec_linear_avx512;
    loops->float_steps = padici_codec_float_steps_avx512;
    loops->outer = padici_codec_outer_avx512;
    loops->copy = padici_codec_copy_avx512;
    loops->join = padici_codec_join_avx512;
    loops->between = padici_codec_between_avx512;
    if (level == PADICI_SIMD_AVX512) return;
    loops->fixed = padici_codec_fixed_ifma;
    loops->classes = padici_codec_classes_ifma;
    loops->narrow = padici_codec_narrow_ifma;
    loops->packed_bytes = padici_codec_packed_bytes_ifma;
}
// room: src/simd/padic_simd_codec.in.h:21
#endif

// room: src/simd/codec/neon.c
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

PADICI_INLINE int padici_codec_rows_neon(uint64_t *x, size_t i, size_t to, const padici_op *op,
                                       uint64_t carry[8], int zigzag, int exclusive)
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
    padici_fixed_loop(p, end, width, z + i, n - i);
}

// Words of bytes: 16 of each plane at a time.
static void padici_codec_planes_neon(const padici_digits *digits, uint64_t *z, size_t from,
                                     size_t to)
{
    const uint32_t planes = digits->planes;
    size_t i = from;
    for (; planes && i + 16 <= to; i += 16) {
        uint32x4_t half[2][4]; // bytes 0 to 3, 4 to 7 of four words each
        uint32_t h, k;
        for (h = 0; h < 2; h++) {
            uint8x16_t p[4];
            uint16x8_t low[2], high[2];
            for (k = 0; k < 4; k++)
                p[k] = 4 * h + k < planes ? vld1q_u8(digits->plane[4 * h + k] + i) : vdupq_n_u8(0);
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
    padici_next_planes(digits, z, i, to);
}

// Symbol | frequency - 1 << 8 | offset << 20, as many of each symbol as its frequency.
static void padici_codec_slots_neon(const uint16_t freq[256], uint32_t *table)
{
    static const uint32_t lanes[4] = {0, 1u << 20, 2u << 20, 3u << 20};
    const uint32_t *const end = table + PADICI_RANS_TOTAL;
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
                                                     const padici_op *op, int zigzag,
                                                     int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_least(from + segment, n);
        const size_t edge = padici_least(from + stride, end);
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_fold(x[i]) : x[i];
        for (; i + 2 <= end; i += 2) {
            const uint64x2_t a = vld1q_u64(x + i), b = vld1q_u64(x + i - stride);
            const uint64x2_t r = exclusive ? veorq_u64(a, b) : vsubq_u64(a, b);
            const uint64x2_t sign =
                vreinterpretq_u64_s64(vshrq_n_s64(vreinterpretq_s64_u64(r), 63));
            vst1q_u64(to + i, zigzag ? veorq_u64(vaddq_u64(r, r), sign) : r);
        }
        for (; i < end; i++) {
            const uint64_t r = exclusive ? x[i] ^ x[i - stride] : x[i] - x[i - stride];
            to[i] = zigzag ? padici_fold(r) : r;
        }
    }
}

static void padici_codec_difference_neon(const uint64_t *x, uint64_t *to, size_t n,
                                         const padici_op *op, int zigzag, int exclusive)
{
    if (x == to)
        padici_difference(x, to, n, op, zigzag, exclusive);
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
    padici_lower_loop(x + i, n - i, first, shift);
}
#endif

static padic_result padici_simd_codec(uint32_t level, padici_codec_loops *loops)
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
    loops->slots = padici_codec_slots_neon;
    loops->difference = padici_codec_difference_neon;
    loops->lower = padici_codec_lower_neon;
    return PADIC_OK;
#else
    (void)level;
    (void)loops;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}
// room: src/simd/padic_simd_codec.in.h:24
#endif // PADICI_SIMD_CODEC
