#include "sample.h"
#include "../core/words.h"
#include "../sample/driver.h"
#include "../sample/fractions.h"
#include "../sample/hashes.h"
#include "../sample/reverse.h"
#include "../sample/sample.h"
#include "level.h"
#include "words.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_SAMPLE)

// ---------------------------------------------------------------------------------------- >>sample

// Numbers go through in blocks of words as in padic.h: fetched, reversed, emitted. Of numbers above
// 2^32 (LONG) only the scrambling is done here, which is nearly all of their time.

#define PADICI_SAMPLE_WORDS (2 * PADICI_SAMPLE_BLOCK)
#define PADICI_SAMPLE_POWERS 24

typedef struct padici_sample_plan {
    const padic_sample_call *call;
    padici_sample_radix radix;
    padici_sample_job job; // for the plain functions
    padici_sample_fraction fraction; // of LONG
    uint32_t ranged;        // consecutive indices, not scrambled: `table`; else `by`
    uint64_t n, cut, shift; // floor(2^32 R / n) is (R cut) >> shift, or up to 2 more
    // Consecutive indices q span + t share what their high digits add to R, `low`.
    uint64_t q, t, low, scale; // of their low digits
    union {
        uint16_t table[PADICI_SAMPLE_TABLE + 8];
        struct {
            // q_k = floor(i / b^k) = (i m[k] + a[k]) >> s[k] for every i < 2^32; c[k]: its weight
            uint64_t m[PADICI_SAMPLE_POWERS], a[PADICI_SAMPLE_POWERS], s[PADICI_SAMPLE_POWERS];
            uint64_t c[PADICI_SAMPLE_POWERS], top; // b^(levels - 1): the weight of q_0
            // IFMA: q_k = (q w[k]) >> 52, q = i while b^k <= 2^20, k <= nearby, then q = q_nearby
            uint64_t w[PADICI_SAMPLE_POWERS];
            uint32_t nearby;
        } by;
    } u;
} padici_sample_plan;

// With d_k = q_k - b q_(k+1), R = q_0 b^(D-1) - (b^2 - 1) (q_1 b^(D-2) + ... + q_(D-1)).
static void padici_sample_plan_powers(padici_sample_plan *p)
{
    const uint64_t base = p->radix.base;
    uint64_t power = 1, nearby_power = 1, weight = 1;
    uint32_t k;
    for (k = 1; k < p->radix.levels; k++) {
        power *= base;
        if (power <= 1u << 20) nearby_power = power, p->u.by.nearby = k;
        p->u.by.w[k] =
            (UINT64_C(1) << 52) / (p->u.by.nearby < k ? power / nearby_power : power) + 1;
        padici_sample_reciprocal32(power, &p->u.by.m[k], &p->u.by.a[k], &p->u.by.s[k]);
    }
    p->u.by.top = power;
    for (k = p->radix.levels; k-- > 1; weight *= base)
        p->u.by.c[k] = 0 - weight * (base * base - 1);
}

static void padici_sample_plan_next(padici_sample_plan *p) // the next run of consecutive indices
{
    p->t = 0;
    p->low = padici_sample_reverse(&p->radix, p->radix.levels - p->radix.together, ++p->q);
}

#define PADICI_SAMPLE_KERNELS(L, TARGET, V, N)                                                  \
    /* U32 indices side by side; whether one is above `last`. */                                \
    TARGET static int padici_sample_fetch_##L(const padici_sample_plan *p, const char *from,    \
                                              uint64_t *v)                                      \
    {                                                                                           \
        const V last = padici_##L##_all(p->call->last);                                         \
        V bad = padici_##L##_all(0);                                                            \
        uint64_t any[N], all = 0;                                                               \
        uint32_t j;                                                                             \
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += N) {                                          \
            const V i = padici_##L##_load32(from + 4 * j);                                      \
            bad = padici_##L##_or(bad, padici_##L##_above(i, last));                            \
            padici_##L##_store(v + j, i);                                                       \
        }                                                                                       \
        padici_##L##_store(any, bad);                                                           \
        for (j = 0; j < N; j++) all |= any[j];                                                  \
        return all != 0;                                                                        \
    }                                                                                           \
                                                                                                \
    TARGET static void padici_sample_bits_##L(const padici_sample_plan *p, uint64_t *v)         \
    {                                                                                           \
        static const uint64_t masks[6] = {                                                      \
            0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,                      \
            0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};                     \
        const V rest = padici_##L##_all(64 - p->radix.levels);                                  \
        uint32_t j, k;                                                                          \
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += N) {                                          \
            V x = padici_##L##_load(v + j);                                                     \
            for (k = 0; k < 6; k++) {                                                           \
                const V mask = padici_##L##_all(masks[k]), n = padici_##L##_all(1u << k);       \
                x = padici_##L##_or(padici_##L##_and(padici_##L##_srl(x, n), mask),             \
                                    padici_##L##_sll(padici_##L##_and(x, mask), n));            \
            }                                                                                   \
            padici_##L##_store(v + j, padici_##L##_srl(x, rest));                               \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    TARGET static void padici_sample_plain_##L(const padici_sample_plan *p, uint64_t *v)        \
    {                                                                                           \
        const V top = padici_##L##_all(p->u.by.top), mask = padici_##L##_all(0xffffffffu);      \
        uint32_t j, k;                                                                          \
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += 2 * N) {                                      \
            const V i = padici_##L##_load(v + j), h = padici_##L##_load(v + j + N);             \
            V r = padici_##L##_mul(i, top), s = padici_##L##_mul(h, top);                       \
            for (k = 1; k < p->radix.levels; k++) {                                             \
                const V m = padici_##L##_all(p->u.by.m[k]), a = padici_##L##_all(p->u.by.a[k]); \
                const V n = padici_##L##_all(p->u.by.s[k]), c = padici_##L##_all(p->u.by.c[k]); \
                V q = padici_##L##_srl(padici_##L##_add(padici_##L##_mul(i, m), a), n);         \
                r = padici_##L##_add(r, padici_##L##_mul(q, c));                                \
                q = padici_##L##_srl(padici_##L##_add(padici_##L##_mul(h, m), a), n);           \
                s = padici_##L##_add(s, padici_##L##_mul(q, c));                                \
            }                                                                                   \
            padici_##L##_store(v + j, padici_##L##_and(r, mask));                               \
            padici_##L##_store(v + j + N, padici_##L##_and(s, mask));                           \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    /* One affine map a node (OWEN) or a level: see padici_sample_owen32() and _permute(). */   \
    TARGET static void padici_sample_map_##L(const padici_sample_plan *p, uint64_t *v)          \
    {                                                                                           \
        const V base = padici_##L##_all(p->radix.base), less = padici_##L##_all(p->radix.base - 1);\
        const V m = padici_##L##_all(p->u.by.m[1]), a = padici_##L##_all(p->u.by.a[1]);         \
        const V n = padici_##L##_all(p->u.by.s[1]), mix1 = padici_##L##_all(0x7feb352du);       \
        const V mix2 = padici_##L##_all(0x846ca68bu), mix3 = padici_##L##_all(0x01000193u);     \
        const V inverse = padici_##L##_all(UINT32_MAX / p->radix.base + 1);                     \
        const V prefixes = padici_##L##_all(p->radix.mode == PADIC_SAMPLE_PERMUTE ? 0 : ~0ull); \
        uint64_t r[PADICI_SAMPLE_WORDS];                                                        \
        uint32_t j, k;                                                                          \
        memset(r, 0, sizeof r);                                                                 \
        for (k = 0; k < p->radix.levels; k++) {                                                 \
            const V key = padici_##L##_all(p->radix.keys[k]);                                   \
            for (j = 0; j < PADICI_SAMPLE_WORDS; j += N) {                                      \
                const V i = padici_##L##_load(v + j), prefix = padici_##L##_load(r + j);        \
                const V q = padici_##L##_srl(padici_##L##_add(padici_##L##_mul(i, m), a), n);   \
                const V d = padici_##L##_sub(i, padici_##L##_mul(q, base));                     \
                V h = padici_##L##_xor(padici_##L##_and(prefix, prefixes), key), t;             \
                h = padici_##L##_mul(padici_##L##_xor(h, padici_##L##_half16(h)), mix1);        \
                h = padici_##L##_mul(padici_##L##_xor(h, padici_##L##_half15(h)), mix2);        \
                h = padici_##L##_xor(h, padici_##L##_half16(h));                                \
                t = padici_##L##_high(padici_##L##_mul(padici_##L##_mul(h, mix3), less));       \
                t = padici_##L##_add(padici_##L##_add(padici_##L##_mul(t, d), d),               \
                                     padici_##L##_high(padici_##L##_mul(h, base)));             \
                h = padici_##L##_high(padici_##L##_mul(t, inverse));                            \
                t = padici_##L##_sub(t, padici_##L##_mul(h, base));                             \
                padici_##L##_store(v + j, q);                                                   \
                padici_##L##_store(r + j, padici_##L##_add(padici_##L##_mul(prefix, base), t)); \
            }                                                                                   \
        }                                                                                       \
        memcpy(v, r, sizeof r);                                                                 \
    }                                                                                           \
                                                                                                \
    /* floor(h b / 2^64), b < 2^32. */                                                          \
    TARGET PADICI_INLINE V padici_sample_part_##L(V h, V b)                                     \
    {                                                                                           \
        const V low = padici_##L##_high(padici_##L##_mul(h, b));                                \
        const V high = padici_##L##_mul(padici_##L##_high(h), b);                               \
        return padici_##L##_high(padici_##L##_add(high, low));                                  \
    }                                                                                           \
                                                                                                \
    /* floor(x / b) of x < 2^32; *rest: x mod b. */                                             \
    TARGET PADICI_INLINE V padici_sample_div_##L(const padici_sample_plan *p, V x, V *rest)     \
    {                                                                                           \
        const V m = padici_##L##_all(p->u.by.m[1]), a = padici_##L##_all(p->u.by.a[1]);         \
        const V n = padici_##L##_all(p->u.by.s[1]), base = padici_##L##_all(p->radix.base);     \
        const V q = padici_##L##_srl(padici_##L##_add(padici_##L##_mul(x, m), a), n);           \
        *rest = padici_##L##_sub(x, padici_##L##_mul(q, base));                                 \
        return q;                                                                               \
    }                                                                                           \
                                                                                                \
    /* The same with 64-bit words and hashes, b < 2^16; i is divided from the top down, 16 bits \
     * of it at a time after the upper half: see padici_sample_owen64(). */                     \
    TARGET static void padici_sample_map64_##L(const padici_sample_plan *p, uint64_t *v)        \
    {                                                                                           \
        const V base = padici_##L##_all(p->radix.base), less = padici_##L##_all(p->radix.base - 1);\
        const V mix1 = padici_##L##_all(0xbf58476d1ce4e5b9u);                                   \
        const V mix2 = padici_##L##_all(0x94d049bb133111ebu);                                   \
        const V mix3 = padici_##L##_all(0x9e3779b97f4a7c15u), half = padici_##L##_all(0xffff);  \
        const V by16 = padici_##L##_all(16), by27 = padici_##L##_all(27);                       \
        const V by30 = padici_##L##_all(30), by31 = padici_##L##_all(31);                       \
        const V by32 = padici_##L##_all(32);                                                    \
        const V prefixes = padici_##L##_all(p->radix.mode == PADIC_SAMPLE_PERMUTE ? 0 : ~0ull); \
        uint64_t r[PADICI_SAMPLE_WORDS];                                                        \
        uint32_t j, k;                                                                          \
        memset(r, 0, sizeof r);                                                                 \
        for (k = 0; k < p->radix.levels; k++) {                                                 \
            const V key = padici_##L##_all(p->radix.keys[k]);                                   \
            for (j = 0; j < PADICI_SAMPLE_WORDS; j += N) {                                      \
                const V i = padici_##L##_load(v + j), prefix = padici_##L##_load(r + j);        \
                V h = padici_##L##_xor(padici_##L##_and(prefix, prefixes), key), d, q, a, c;    \
                q = padici_##L##_sll(padici_sample_div_##L(p, padici_##L##_high(i), &d), by32); \
                a = padici_##L##_and(padici_##L##_srl(i, by16), half);                          \
                a = padici_##L##_or(padici_##L##_sll(d, by16), a);                              \
                a = padici_sample_div_##L(p, a, &d);                                            \
                q = padici_##L##_add(q, padici_##L##_sll(a, by16));                             \
                a = padici_##L##_or(padici_##L##_sll(d, by16), padici_##L##_and(i, half));      \
                q = padici_##L##_add(q, padici_sample_div_##L(p, a, &d));                       \
                padici_##L##_store(v + j, q);                                                   \
                h = padici_##L##_xor(h, padici_##L##_srl(h, by30));                             \
                h = padici_##L##_mul64(h, mix1);                                                \
                h = padici_##L##_xor(h, padici_##L##_srl(h, by27));                             \
                h = padici_##L##_mul64(h, mix2);                                                \
                h = padici_##L##_xor(h, padici_##L##_srl(h, by31));                             \
                c = padici_sample_part_##L(h, base);                                            \
                a = padici_sample_part_##L(padici_##L##_mul64(h, mix3), less);                  \
                a = padici_##L##_add(padici_##L##_add(padici_##L##_mul(a, d), d), c);           \
                (void)padici_sample_div_##L(p, a, &d);                                          \
                padici_##L##_store(r + j, padici_##L##_add(padici_##L##_mul64(prefix, base), d));\
            }                                                                                   \
        }                                                                                       \
        memcpy(v, r, sizeof r);                                                                 \
    }                                                                                           \
                                                                                                \
    /* 64 consecutive indices, as padici_sample_range(); the table is read beyond its end. */   \
    TARGET static void padici_sample_range_##L(padici_sample_plan *p, uint64_t *v)              \
    {                                                                                           \
        const V scale = padici_##L##_all(p->scale);                                             \
        uint32_t j = 0, i, run;                                                                 \
        while (j < PADICI_SAMPLE_WORDS) {                                                       \
            const V low = padici_##L##_all(p->low);                                             \
            run = PADICI_SAMPLE_WORDS - j;                                                      \
            if (run > p->radix.span - p->t) run = (uint32_t)(p->radix.span - p->t);             \
            for (i = 0; i < run; i += N) { /* up to N - 1 words too far, in v as well */        \
                const V t = p->radix.together > 1                                               \
                                ? padici_##L##_load16(p->u.table + p->t + i)                    \
                                : padici_##L##_add(padici_##L##_lanes(),                        \
                                                   padici_##L##_all(p->t + i));                 \
                padici_##L##_store(v + j + i,                                                   \
                                   padici_##L##_add(padici_##L##_mul(t, scale), low));          \
            }                                                                                   \
            j += run;                                                                           \
            p->t += run;                                                                        \
            if (p->t == p->radix.span) padici_sample_plan_next(p);                              \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    /* *rest 2^32 over n, cut off; *rest becomes the remainder. */                              \
    TARGET PADICI_INLINE V padici_sample_cut_##L(const padici_sample_plan *p, V *rest)          \
    {                                                                                           \
        const V n = padici_##L##_all(p->n), last = padici_##L##_all(p->n - 1);                  \
        const V q = padici_##L##_srl(padici_##L##_mul(*rest, padici_##L##_all(p->cut)),         \
                                     padici_##L##_all(p->shift));                               \
        const V r = padici_##L##_sub(padici_##L##_sll(*rest, padici_##L##_all(32)),             \
                                     padici_##L##_mul(q, n));                                   \
        const V more = padici_##L##_above(r, last);                                             \
        const V s = padici_##L##_sub(r, padici_##L##_and(more, n));                             \
        const V again = padici_##L##_above(s, last);                                            \
        *rest = padici_##L##_sub(s, padici_##L##_and(again, n));                                \
        return padici_##L##_sub(padici_##L##_sub(q, more), again);                              \
    }                                                                                           \
                                                                                                \
    /* r 2^24 over n, cut off. */                                                               \
    TARGET PADICI_INLINE V padici_sample_cut24_##L(const padici_sample_plan *p, V r)            \
    {                                                                                           \
        const V n = padici_##L##_all(p->n), up = padici_##L##_all(24), by = padici_##L##_all(8);\
        const V cut = padici_##L##_all(p->cut), shift = padici_##L##_all(p->shift + 8);         \
        const V q = padici_##L##_srl(padici_##L##_mul(r, cut), shift);                          \
        const V rest = padici_##L##_sub(padici_##L##_sll(r, up), padici_##L##_mul(q, n));       \
        if (p->n >> 32) return padici_##L##_srl(r, by);                                         \
        return padici_##L##_sub(q, padici_##L##_above(rest, padici_##L##_all(p->n - 1)));       \
    }                                                                                           \
                                                                                                \
    TARGET static void padici_sample_emit_##L(const padici_sample_plan *p, const uint64_t *v,   \
                                              char *out, uint32_t words)                        \
    {                                                                                           \
        const padic_dtype dtype = p->call->dtype;                                               \
        const V eleven = padici_##L##_all(11), up = padici_##L##_all(32);                       \
        const int whole = p->call->integers || p->n >> 32;                                      \
        uint32_t j;                                                                             \
        for (j = 0; dtype == PADIC_F32 && j < words; j += 2 * N, out += 8 * N)                  \
            padici_##L##_put_f32(out, padici_sample_cut24_##L(p, padici_##L##_load(v + j)),     \
                                 padici_sample_cut24_##L(p, padici_##L##_load(v + j + N)));     \
        for (j = 0; dtype == PADIC_U32 && j < words; j += 2 * N, out += 8 * N) {                \
            V r = padici_##L##_load(v + j), s = padici_##L##_load(v + j + N);                   \
            if (!whole) r = padici_sample_cut_##L(p, &r);                                       \
            if (!whole) s = padici_sample_cut_##L(p, &s);                                       \
            padici_##L##_put_u32(out, r, s);                                                    \
        }                                                                                       \
        if (dtype == PADIC_U32 || dtype == PADIC_F32) return;                                   \
        for (j = 0; j < words; j += N, out += 8 * N) {                                          \
            V r = padici_##L##_load(v + j);                                                     \
            if (!whole) {                                                                       \
                const V q = padici_sample_cut_##L(p, &r);                                       \
                r = padici_##L##_or(padici_##L##_sll(q, up), padici_sample_cut_##L(p, &r));     \
            } else if (!p->call->integers) {                                                    \
                r = padici_##L##_sll(r, up);                                                    \
            }                                                                                   \
            if (dtype == PADIC_U64)                                                             \
                padici_##L##_store(out, r);                                                     \
            else                                                                                \
                padici_##L##_put_f64(out, padici_##L##_srl(r, eleven));                         \
        }                                                                                       \
    }

#if PADICI_SIMD_X86
PADICI_SAMPLE_KERNELS(avx2, PADICI_AVX2, __m256i, 4)
PADICI_SAMPLE_KERNELS(avx512, PADICI_AVX512, __m512i, 8)

// madd52 takes the low 52 bits of its factors, so what gathers above them does no harm.
PADICI_IFMA static void padici_sample_plain_ifma(const padici_sample_plan *p, uint64_t *v)
{
    const __m512i zero = _mm512_setzero_si512(), mask = padici_avx512_all(0xffffffffu);
    const __m512i top = padici_avx512_all(p->u.by.top);
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += 16) {
        __m512i i = padici_avx512_load(v + j), h = padici_avx512_load(v + j + 8);
        __m512i r = _mm512_madd52lo_epu64(zero, i, top), s = _mm512_madd52lo_epu64(zero, h, top);
        for (k = 1; k < p->radix.levels; k++) {
            const __m512i w = padici_avx512_all(p->u.by.w[k]), c = padici_avx512_all(p->u.by.c[k]);
            const __m512i q = _mm512_madd52hi_epu64(zero, i, w);
            const __m512i t = _mm512_madd52hi_epu64(zero, h, w);
            r = _mm512_madd52lo_epu64(r, q, c);
            s = _mm512_madd52lo_epu64(s, t, c);
            if (k == p->u.by.nearby) i = q, h = t;
        }
        padici_avx512_store(v + j, _mm512_and_si512(r, mask));
        padici_avx512_store(v + j + 8, _mm512_and_si512(s, mask));
    }
}

PADICI_IFMA static void padici_sample_map_ifma(const padici_sample_plan *p, uint64_t *v)
{
    const uint64_t b = p->radix.base;
    const __m512i zero = _mm512_setzero_si512(), base = padici_avx512_all(b);
    const __m512i minus = padici_avx512_all(0 - b), inverse = padici_avx512_all(p->u.by.w[1]);
    const __m512i base20 = padici_avx512_all(b << 20), less = padici_avx512_all(b - 1);
    const __m512i mix1 = padici_avx512_all(0x7feb352du), mix2 = padici_avx512_all(0x846ca68bu);
    const __m512i mix3 = padici_avx512_all(0x01000193u), mask = padici_avx512_all(0xffffffffu);
    const __m512i prefixes = padici_avx512_all(p->radix.mode == PADIC_SAMPLE_PERMUTE ? 0 : ~0u);
    __m512i r[PADICI_SAMPLE_WORDS / 8];
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) r[j] = zero;
    for (k = 0; k < p->radix.levels; k++) {
        const __m512i key = padici_avx512_all(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) {
            const __m512i i = padici_avx512_load(v + 8 * j);
            const __m512i q = _mm512_madd52hi_epu64(zero, i, inverse);
            const __m512i d = _mm512_madd52lo_epu64(i, q, minus);
            __m512i h = _mm512_ternarylogic_epi64(r[j], prefixes, key, 0x6a), a, t; // (r & p) ^ key
            h = _mm512_mul_epu32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 16)), mix1);
            h = _mm512_mul_epu32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 15)), mix2);
            h = _mm512_ternarylogic_epi64(h, _mm512_srli_epi32(h, 16), mask, 0x28); // (a ^ b) & c
            a = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_mul_epu32(h, mix3), less), 32);
            t = _mm512_madd52hi_epu64(d, h, base20);
            t = _mm512_madd52lo_epu64(t, a, d);
            h = _mm512_madd52hi_epu64(zero, t, inverse);
            t = _mm512_madd52lo_epu64(t, h, minus);
            padici_avx512_store(v + 8 * j, q);
            r[j] = _mm512_madd52lo_epu64(t, r[j], base);
        }
    }
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++)
        padici_avx512_store(v + 8 * j, _mm512_and_si512(r[j], mask));
}

// 64-bit words and hashes, b <= 1,024: the rest of the upper half times 2^32, with the lower half,
// is below 2^42, so that its product with w[1] is right.
PADICI_IFMA static void padici_sample_map64_ifma(const padici_sample_plan *p, uint64_t *v)
{
    const uint64_t b = p->radix.base;
    const __m512i zero = _mm512_setzero_si512(), base = padici_avx512_all(b);
    const __m512i minus = padici_avx512_all(0 - b), inverse = padici_avx512_all(p->u.by.w[1]);
    const __m512i less = padici_avx512_all(b - 1), mask = padici_avx512_all(0xffffffffu);
    const __m512i mix1 = padici_avx512_all(0xbf58476d1ce4e5b9u);
    const __m512i mix2 = padici_avx512_all(0x94d049bb133111ebu);
    const __m512i mix3 = padici_avx512_all(0x9e3779b97f4a7c15u);
    const __m512i prefixes = padici_avx512_all(p->radix.mode == PADIC_SAMPLE_PERMUTE ? 0 : ~0ull);
    __m512i r[PADICI_SAMPLE_WORDS / 8];
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) r[j] = zero;
    for (k = 0; k < p->radix.levels; k++) {
        const __m512i key = padici_avx512_all(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) {
            const __m512i i = padici_avx512_load(v + 8 * j), upper = _mm512_srli_epi64(i, 32);
            const __m512i q = _mm512_madd52hi_epu64(zero, upper, inverse);
            __m512i h = _mm512_ternarylogic_epi64(r[j], prefixes, key, 0x6a), d, t, a;
            d = _mm512_slli_epi64(_mm512_madd52lo_epu64(upper, q, minus), 32);
            t = _mm512_ternarylogic_epi64(d, i, mask, 0xf8); // d | (i & mask)
            a = _mm512_madd52hi_epu64(zero, t, inverse);
            padici_avx512_store(v + 8 * j, _mm512_add_epi64(_mm512_slli_epi64(q, 32), a));
            d = _mm512_madd52lo_epu64(t, a, minus);
            h = _mm512_mullo_epi64(_mm512_xor_si512(h, _mm512_srli_epi64(h, 30)), mix1);
            h = _mm512_mullo_epi64(_mm512_xor_si512(h, _mm512_srli_epi64(h, 27)), mix2);
            h = _mm512_xor_si512(h, _mm512_srli_epi64(h, 31));
            t = _mm512_add_epi64(padici_sample_part_avx512(h, base), d);
            a = padici_sample_part_avx512(_mm512_mullo_epi64(h, mix3), less);
            t = _mm512_madd52lo_epu64(t, a, d);
            a = _mm512_madd52hi_epu64(zero, t, inverse);
            t = _mm512_and_si512(_mm512_madd52lo_epu64(t, a, minus), mask);
            r[j] = _mm512_add_epi64(_mm512_mullo_epi64(r[j], base), t);
        }
    }
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) padici_avx512_store(v + 8 * j, r[j]);
}
#elif PADICI_SIMD_ARM
PADICI_SAMPLE_KERNELS(neon, , uint64x2_t, 2)
#endif

typedef struct padici_sample_kernels {
    int (*fetch)(const padici_sample_plan *p, const char *from, uint64_t *v);
    void (*bits)(const padici_sample_plan *p, uint64_t *v);
    void (*plain)(const padici_sample_plan *p, uint64_t *v);
    void (*map)(const padici_sample_plan *p, uint64_t *v);
    void (*map64)(const padici_sample_plan *p, uint64_t *v); // bases below 1,024
    void (*map64_any)(const padici_sample_plan *p, uint64_t *v);
    void (*range)(padici_sample_plan *p, uint64_t *v);
    void (*write)(const padici_sample_plan *p, const uint64_t *v, char *out, uint32_t words);
} padici_sample_kernels;

static const padici_sample_kernels *padici_sample_kernels_of(uint32_t level)
{
#if PADICI_SIMD_X86
    static const padici_sample_kernels kernels[3] = {
        {padici_sample_fetch_avx2, padici_sample_bits_avx2, padici_sample_plain_avx2,
         padici_sample_map_avx2, padici_sample_map64_avx2, padici_sample_map64_avx2,
         padici_sample_range_avx2, padici_sample_emit_avx2},
        {padici_sample_fetch_avx512, padici_sample_bits_avx512, padici_sample_plain_avx512,
         padici_sample_map_avx512, padici_sample_map64_avx512, padici_sample_map64_avx512,
         padici_sample_range_avx512, padici_sample_emit_avx512},
        {padici_sample_fetch_avx512, padici_sample_bits_avx512, padici_sample_plain_ifma,
         padici_sample_map_ifma, padici_sample_map64_ifma, padici_sample_map64_avx512,
         padici_sample_range_avx512, padici_sample_emit_avx512}};
    return &kernels[level - PADICI_SIMD_AVX2];
#elif PADICI_SIMD_ARM
    static const padici_sample_kernels kernels = {
        padici_sample_fetch_neon, padici_sample_bits_neon,  padici_sample_plain_neon,
        padici_sample_map_neon,   padici_sample_map64_neon, padici_sample_map64_neon,
        padici_sample_range_neon, padici_sample_emit_neon};
    (void)level;
    return &kernels;
#else
    (void)level;
    return NULL;
#endif
}

static void padici_sample_plan_make(padici_sample_plan *p, const padic_sample_call *call)
{
    const uint32_t n_bits = 64 - padici_clz64(call->scale);
    uint32_t k, rest;
    p->call = call;
    padici_sample_radix_make(&p->radix, call->base, 0);
    p->radix.levels = call->levels;
    p->radix.mode = call->mode;
    p->radix.keys = call->keys;
    memset(&p->job, 0, sizeof p->job);
    p->job.first = call->first;
    p->job.index = (const char *)call->index;
    p->job.index_stride = call->index_stride;
    p->job.index_dtype = call->index_dtype;
    p->job.last = call->last;
    p->job.out = (char *)call->out;
    p->job.out_stride = call->out_stride;
    p->job.dtype = call->dtype;
    p->job.integers = call->integers;
    p->u.by.nearby = 0;
    p->u.by.w[1] = (UINT64_C(1) << 52) / call->base + 1;
    padici_sample_reciprocal32(call->base, &p->u.by.m[1], &p->u.by.a[1], &p->u.by.s[1]);
    p->n = call->scale + 1;
    if (call->scale >> 32) {
        padici_sample_fraction_make(&p->fraction, call->scale, 1);
    } else {
        p->cut = (UINT64_C(1) << (31 + n_bits)) / p->n;
        p->shift = n_bits - 1;
    }
    p->ranged = call->mode == PADIC_SAMPLE_NONE && !call->index && !call->index_out;
    if (!p->ranged && call->base > 2 &&
        (call->mode == PADIC_SAMPLE_NONE || call->index_out || call->reversed_in))
        padici_sample_plan_powers(p);
    if (!p->ranged) return;
    memset(p->u.table, 0, sizeof p->u.table);
    if (p->radix.together > 1) padici_sample_table(&p->radix, p->u.table);
    rest = p->radix.levels - p->radix.together;
    for (k = 0, p->scale = 1; k < rest; k++) p->scale *= call->base;
    p->q = call->first / p->radix.span - 1;
    padici_sample_plan_next(p);
    p->t = call->first % p->radix.span;
}

// Numbers at .. at + n - 1, the rest of the block 0; bits of those above `last`, which become 0.
static void padici_sample_take(const padici_sample_plan *p, const padici_sample_kernels *kernels,
                               uint64_t at, uint64_t *v, uint32_t n, uint64_t bad[2])
{
    const padic_sample_call *call = p->call;
    uint32_t j;
    bad[0] = bad[1] = 0;
    if (!call->index) {
        for (j = 0; j < PADICI_SAMPLE_WORDS; j++) v[j] = call->first + at + j;
        return;
    }
    if (n == PADICI_SAMPLE_WORDS && call->index_stride == 1 && call->index_dtype == PADIC_U32 &&
        !(*kernels->fetch)(p, (const char *)call->index + (size_t)at * 4, v))
        return;
    memset(v, 0, PADICI_SAMPLE_WORDS * sizeof *v);
    j = n < PADICI_SAMPLE_BLOCK ? n : PADICI_SAMPLE_BLOCK;
    bad[0] = padici_sample_fetch(&p->job, at, v, j);
    bad[1] = padici_sample_fetch(&p->job, at + j, v + j, n - j);
}

static void padici_sample_digits(const padici_sample_plan *p, const padici_sample_kernels *kernels,
                                 uint64_t *v, uint64_t *space)
{
    const padic_sample_call *call = p->call;
    void (*plain)(const padici_sample_plan *, uint64_t *) =
        call->base == 2 ? kernels->bits : kernels->plain;
    uint32_t j;
    if (call->reversed_in) (*plain)(p, v);
    for (j = 0; call->group && j < PADICI_SAMPLE_WORDS; j++) {
        space[j] = v[j] - v[j] % call->group;
        v[j] -= space[j];
    }
    if (call->mode == PADIC_SAMPLE_NONE)
        (*plain)(p, v);
    else if (call->wide)
        (*(call->base < 1024 ? kernels->map64 : kernels->map64_any))(p, v);
    else
        (*kernels->map)(p, v);
    if (call->index_out) (*plain)(p, v);
    for (j = 0; call->group && j < PADICI_SAMPLE_WORDS; j++) v[j] += space[j];
}

static void padici_sample_put(const padici_sample_plan *p, const padici_sample_kernels *kernels,
                              uint64_t at, const uint64_t *v, uint32_t n, uint64_t *space)
{
    const padic_sample_call *call = p->call;
    const size_t size = call->dtype == PADIC_U64 || call->dtype == PADIC_F64 ? 8 : 4;
    const size_t step = (size_t)call->out_stride * size;
    char *out = (char *)call->out + (size_t)at * step;
    uint32_t j;
    if (call->scale >> 32) {
        padici_sample_emit(&p->job, &p->fraction, at, v, n);
        return;
    }
    if (n == PADICI_SAMPLE_WORDS && step == size) {
        (*kernels->write)(p, v, out, n);
        return;
    }
    (*kernels->write)(p, v, (char *)space, PADICI_SAMPLE_WORDS);
    if (size == 4)
        for (j = 0; j < n; j++, out += step) memcpy(out, (char *)space + j * 4, 4);
    else
        for (j = 0; j < n; j++, out += step) memcpy(out, space + j, 8);
}

PADICI_FN padic_result padici_simd_sample(uint32_t level, padic_sample_call *call)
{
    const padici_sample_kernels *kernels = padici_sample_kernels_of(level);
    uint64_t v[PADICI_SAMPLE_WORDS + 8], space[PADICI_SAMPLE_WORDS], bad[2], at;
    padici_sample_plan plan;
    uint32_t n, j;
    if (!kernels || call->count < 32 || call->full || call->base > 65536)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (call->scale >> 32 &&
        (call->mode == PADIC_SAMPLE_NONE || call->reversed_in || call->index_out))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_sample_plan_make(&plan, call);
    call->outside = 0;
    for (at = 0; at < call->count; at += n) {
        n = call->count - at < PADICI_SAMPLE_WORDS ? (uint32_t)(call->count - at)
                                                   : PADICI_SAMPLE_WORDS;
        if (plan.ranged) {
            (*kernels->range)(&plan, v);
        } else {
            padici_sample_take(&plan, kernels, at, v, n, bad);
            padici_sample_digits(&plan, kernels, v, space);
            for (j = 0; (bad[0] | bad[1]) && j < PADICI_SAMPLE_WORDS; j++)
                if (bad[j / 64] >> (j % 64) & 1) {
                    call->outside = 1;
                    v[j] = 0;
                }
        }
        padici_sample_put(&plan, kernels, at, v, n, space);
    }
    return PADIC_OK;
}

#undef PADICI_SAMPLE_WORDS
#undef PADICI_SAMPLE_POWERS
#undef PADICI_SAMPLE_KERNELS

#endif
