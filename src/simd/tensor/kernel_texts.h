#pragma once
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#define PADICI_GEMM_DEPTH 384u // rows of the packed b: a panel of it fills the first cache
#define PADICI_GEMM_ROWS 128u  // of a packed at a time, which stay in the second
#define PADICI_GEMM_WIDE 1024u // columns of the packed b, in real numbers; half with workers
#define PADICI_GEMM_MOST 1024u // rows of c that one task does with a packed b
#define PADICI_GEMM_THIN 2048u // columns at a time when c has but one row
#define PADICI_GEMM_LINES 32  // most lines of a panel
#define PADICI_GEMM_SMALL 128u // real numbers of a line of c in a product that is not packed

// Lines (rows of a, columns of b) of one panel to be packed: where they and the places of the sum
// lie, in elements; `flat`: the lines lie next to each other.
typedef struct padici_gemm_pack {
    const char *from;
    const int64_t *sum;
    uint32_t depth, flat;
    uint32_t paired, negate; // complex; to be conjugated
    uint32_t adjacent;       // of a: places of the sum lie next to each other
    uint32_t twice;          // b next to a complex a
    int scaled;
    double scale[2];
    int64_t line[PADICI_GEMM_LINES]; // beyond the last one it is repeated
} padici_gemm_pack;

// A product that is not packed: lines of b and c lie as they are, whole vectors of them. Steps in
// real numbers.
typedef struct padici_gemm_direct {
    uint32_t depth, rows, columns, paired, add; // columns: real numbers
    int64_t a_row, a_sum, b_sum, c_row;
} padici_gemm_direct;

typedef struct padici_gemm_kernels {
    uint32_t mr, nr;
    void (*a)(const padici_gemm_pack *pack, void *to);
    void (*b)(const padici_gemm_pack *pack, void *to);
    // Rows of c are `row` apart from `c`, in real numbers; `add`: to what is there.
    void (*product)(uint32_t depth, const void *a, const void *b, void *c, const int64_t *row,
                    int add);
    // sum += lines of b at `place`, in bytes, each times its factor: four numbers, for even and odd
    // places, then, if b and the factor are complex (`twice`), for their neighbours.
    void (*line)(uint32_t count, uint32_t lines, const char *b, const int64_t *place,
                 const void *factor, uint32_t twice, void *sum);
    uint32_t lanes; // of a vector
    void (*direct)(const padici_gemm_direct *d, const void *a, const void *b, void *c);
} padici_gemm_kernels;

// Loops over rows must unroll, so that sums stay in registers.
#if defined(__clang__)
#define PADICI_GEMM_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define PADICI_GEMM_UNROLL _Pragma("GCC unroll 8")
#else
#define PADICI_GEMM_UNROLL
#endif

// Memory to be read soon; the address need not exist.
#if defined(__GNUC__) || defined(__clang__)
#define PADICI_GEMM_AHEAD(address) __builtin_prefetch((const void *)(address))
#else
#define PADICI_GEMM_AHEAD(address) ((void)(address))
#endif

// sum += lines of b by their factors, n vectors of them, held in registers.
#define PADICI_GEMM_STRIP(suffix, TARGET, T, n)                                                    \
    TARGET static void padici_gemm_strip##n##_##suffix(uint32_t lines, const char *b,              \
                                                       const int64_t *place, const T *factor,      \
                                                       uint32_t twice, T *sum)                     \
    {                                                                                              \
        PADICI_GEMM_V s[n], t[n];                                                                  \
        uint32_t i, r;                                                                             \
        PADICI_GEMM_UNROLL                                                                         \
        for (i = 0; i < n; i++) {                                                                  \
            s[i] = PADICI_GEMM_LOAD(sum + i * PADICI_GEMM_LANES);                                  \
            t[i] = PADICI_GEMM_NONE;                                                               \
        }                                                                                          \
        for (r = 0; r < lines; r++, factor += 4) {                                                 \
            const PADICI_GEMM_V p = PADICI_GEMM_PAIR(factor), q = PADICI_GEMM_PAIR(factor + 2);    \
            const T *from = (const T *)(const void *)(b + place[r]);                               \
            PADICI_GEMM_UNROLL                                                                     \
            for (i = 0; i < n; i++) {                                                              \
                const PADICI_GEMM_V x = PADICI_GEMM_LOAD(from + i * PADICI_GEMM_LANES);            \
                s[i] = PADICI_GEMM_FMA(x, p, s[i]);                                                \
                if (twice) t[i] = PADICI_GEMM_FMA(PADICI_GEMM_SWAP(x), q, t[i]);                   \
            }                                                                                      \
        }                                                                                          \
        PADICI_GEMM_UNROLL                                                                         \
        for (i = 0; i < n; i++) {                                                                  \
            PADICI_GEMM_STORE(sum + i * PADICI_GEMM_LANES, PADICI_GEMM_ADD(s[i], t[i]));           \
        }                                                                                          \
    }

// n rows of c, two vectors of each; or, of complex numbers, one, whose products with the real and
// with the imaginary parts of a are summed apart; or one of real ones.
#define PADICI_GEMM_DIRECT(suffix, TARGET, T, n)                                                   \
    TARGET static void padici_gemm_direct##n##_##suffix(const padici_gemm_direct *d, const T *a,   \
                                                        const T *b, T *c, int two)                 \
    {                                                                                              \
        PADICI_GEMM_V v[n], w[n];                                                                  \
        const int64_t a_row = d->a_row, a_sum = d->a_sum, b_sum = d->b_sum;                        \
        uint32_t i, k = d->depth;                                                                  \
        PADICI_GEMM_UNROLL                                                                         \
        for (i = 0; i < n; i++) v[i] = w[i] = PADICI_GEMM_NONE;                                    \
        if (d->paired) {                                                                           \
            for (; k; k--, a += a_sum, b += b_sum) {                                               \
                const PADICI_GEMM_V y = PADICI_GEMM_LOAD(b), z = PADICI_GEMM_SWAP(y);              \
                PADICI_GEMM_UNROLL                                                                 \
                for (i = 0; i < n; i++) {                                                          \
                    const T *x = a + (int64_t)i * a_row;                                           \
                    v[i] = PADICI_GEMM_FMA(PADICI_GEMM_SET(x[0]), y, v[i]);                        \
                    w[i] = PADICI_GEMM_FMA(PADICI_GEMM_SET(x[1]), z, w[i]);                        \
                }                                                                                  \
            }                                                                                      \
            PADICI_GEMM_UNROLL                                                                     \
            for (i = 0; i < n; i++) v[i] = PADICI_GEMM_TURN(v[i], w[i]);                           \
        } else if (two) {                                                                          \
            for (; k; k--, a += a_sum, b += b_sum) {                                               \
                const PADICI_GEMM_V y = PADICI_GEMM_LOAD(b);                                       \
                const PADICI_GEMM_V z = PADICI_GEMM_LOAD(b + PADICI_GEMM_LANES);                   \
                PADICI_GEMM_UNROLL                                                                 \
                for (i = 0; i < n; i++) {                                                          \
                    const PADICI_GEMM_V x = PADICI_GEMM_SET(a[(int64_t)i * a_row]);                \
                    v[i] = PADICI_GEMM_FMA(x, y, v[i]);                                            \
                    w[i] = PADICI_GEMM_FMA(x, z, w[i]);                                            \
                }                                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            for (; k; k--, a += a_sum, b += b_sum) {                                               \
                const PADICI_GEMM_V y = PADICI_GEMM_LOAD(b);                                       \
                PADICI_GEMM_UNROLL                                                                 \
                for (i = 0; i < n; i++) {                                                          \
                    v[i] = PADICI_GEMM_FMA(PADICI_GEMM_SET(a[(int64_t)i * a_row]), y, v[i]);       \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        PADICI_GEMM_UNROLL                                                                         \
        for (i = 0; i < n; i++) {                                                                  \
            T *to = c + (int64_t)i * d->c_row;                                                     \
            if (d->add) v[i] = PADICI_GEMM_ADD(PADICI_GEMM_LOAD(to), v[i]);                        \
            PADICI_GEMM_STORE(to, v[i]);                                                           \
            if (!two) continue;                                                                    \
            to += PADICI_GEMM_LANES;                                                               \
            if (d->add) w[i] = PADICI_GEMM_ADD(PADICI_GEMM_LOAD(to), w[i]);                        \
            PADICI_GEMM_STORE(to, w[i]);                                                           \
        }                                                                                          \
    }

// One row of c, n vectors of complex numbers: as many chains of sums as hide how long one takes.
#define PADICI_GEMM_ROW(suffix, TARGET, T, n)                                                      \
    TARGET static void padici_gemm_row##n##_##suffix(const padici_gemm_direct *d, const T *a,      \
                                                     const T *b, T *c)                             \
    {                                                                                              \
        PADICI_GEMM_V v[n], w[n];                                                                  \
        uint32_t i, k;                                                                             \
        PADICI_GEMM_UNROLL                                                                         \
        for (i = 0; i < n; i++) v[i] = w[i] = PADICI_GEMM_NONE;                                    \
        for (k = d->depth; k; k--, a += d->a_sum, b += d->b_sum) {                                 \
            const PADICI_GEMM_V x = PADICI_GEMM_SET(a[0]), y = PADICI_GEMM_SET(a[1]);              \
            PADICI_GEMM_UNROLL                                                                     \
            for (i = 0; i < n; i++) {                                                              \
                const PADICI_GEMM_V z = PADICI_GEMM_LOAD(b + i * PADICI_GEMM_LANES);               \
                v[i] = PADICI_GEMM_FMA(x, z, v[i]);                                                \
                w[i] = PADICI_GEMM_FMA(y, PADICI_GEMM_SWAP(z), w[i]);                              \
            }                                                                                      \
        }                                                                                          \
        PADICI_GEMM_UNROLL                                                                         \
        for (i = 0; i < n; i++) {                                                                  \
            T *to = c + i * PADICI_GEMM_LANES;                                                     \
            v[i] = PADICI_GEMM_TURN(v[i], w[i]);                                                   \
            if (d->add) v[i] = PADICI_GEMM_ADD(PADICI_GEMM_LOAD(to), v[i]);                        \
            PADICI_GEMM_STORE(to, v[i]);                                                           \
        }                                                                                          \
    }

// A micro-kernel and its packing, from the PADICI_GEMM_ words of a level and a type T.
#define PADICI_GEMM_LEVEL(suffix, TARGET, T, mr)                                             \
    TARGET static void padici_gemm_product_##suffix(uint32_t depth, const void *a_,                \
                                                    const void *b_, void *c_,                      \
                                                    const int64_t *row, int add)                   \
    {                                                                                              \
        const T *a = (const T *)a_, *b = (const T *)b_;                                            \
        T *c = (T *)c_;                                                                            \
        PADICI_GEMM_V v[mr], w[mr];                                                                \
        uint32_t i;                                                                                \
        PADICI_GEMM_UNROLL                                                                         \
        for (i = 0; i < mr; i++) {                                                                 \
            v[i] = w[i] = PADICI_GEMM_NONE;                                                        \
            PADICI_GEMM_AHEAD(c + row[i]);                                                         \
            PADICI_GEMM_AHEAD(c + row[i] + PADICI_GEMM_LANES);                                     \
        }                                                                                          \
        for (; depth; depth--) {                                                                   \
            const PADICI_GEMM_V y = PADICI_GEMM_LOAD(b);                                           \
            const PADICI_GEMM_V z = PADICI_GEMM_LOAD(b + PADICI_GEMM_LANES);                       \
            PADICI_GEMM_AHEAD((uintptr_t)a + 32 * mr * sizeof(T));                                 \
            PADICI_GEMM_AHEAD((uintptr_t)b + 32 * PADICI_GEMM_LANES * sizeof(T));                  \
            if (PADICI_GEMM_LANES * sizeof(T) > 32)                                                \
                PADICI_GEMM_AHEAD((uintptr_t)b + 33 * PADICI_GEMM_LANES * sizeof(T));              \
            PADICI_GEMM_UNROLL                                                                     \
            for (i = 0; i < mr; i++) {                                                             \
                const PADICI_GEMM_V x = PADICI_GEMM_SET(a[i]);                                     \
                v[i] = PADICI_GEMM_FMA(x, y, v[i]);                                                \
                w[i] = PADICI_GEMM_FMA(x, z, w[i]);                                                \
            }                                                                                      \
            a += mr;                                                                               \
            b += 2 * PADICI_GEMM_LANES;                                                            \
        }                                                                                          \
        PADICI_GEMM_UNROLL                                                                         \
        for (i = 0; i < mr; i++) {                                                                 \
            T *to = c + row[i];                                                                    \
            if (add) {                                                                             \
                v[i] = PADICI_GEMM_ADD(PADICI_GEMM_LOAD(to), v[i]);                                \
                w[i] = PADICI_GEMM_ADD(PADICI_GEMM_LOAD(to + PADICI_GEMM_LANES), w[i]);            \
            }                                                                                      \
            PADICI_GEMM_STORE(to, v[i]);                                                           \
            PADICI_GEMM_STORE(to + PADICI_GEMM_LANES, w[i]);                                       \
        }                                                                                          \
    }                                                                                              \
    PADICI_GEMM_DIRECT(suffix, TARGET, T, mr)                                                      \
    PADICI_GEMM_DIRECT(suffix, TARGET, T, 4)                                                       \
    PADICI_GEMM_DIRECT(suffix, TARGET, T, 1)                                                       \
    PADICI_GEMM_ROW(suffix, TARGET, T, 4)                                                          \
    PADICI_GEMM_ROW(suffix, TARGET, T, 2)                                                          \
    TARGET static void padici_gemm_direct_##suffix(const padici_gemm_direct *d, const void *a_,    \
                                                   const void *b_, void *c_)                       \
    {                                                                                              \
        const T *b = (const T *)b_;                                                                \
        T *c = (T *)c_;                                                                            \
        uint32_t i, j = 0, rows;                                                                   \
        const uint32_t vectors = d->rows == 1 && d->paired ? d->columns / PADICI_GEMM_LANES : 0;   \
        for (i = vectors / 4; i > 0; i--, j += 4 * PADICI_GEMM_LANES)                              \
            padici_gemm_row4_##suffix(d, (const T *)a_, b + j, c + j);                             \
        for (i = vectors % 4 / 2; i > 0; i--, j += 2 * PADICI_GEMM_LANES)                          \
            padici_gemm_row2_##suffix(d, (const T *)a_, b + j, c + j);                             \
        while (j < d->columns) {                                                                   \
            const int two = !d->paired && d->columns - j >= 2 * PADICI_GEMM_LANES;                 \
            for (i = 0; i < d->rows; i += rows) {                                                  \
                const T *a = (const T *)a_ + (int64_t)i * d->a_row;                                \
                T *to = c + (int64_t)i * d->c_row + j;                                             \
                rows = d->rows - i >= mr ? mr : d->rows - i >= 4 ? 4 : 1;                          \
                if (rows == mr)                                                                    \
                    padici_gemm_direct##mr##_##suffix(d, a, b + j, to, two);                       \
                else if (rows == 4)                                                                \
                    padici_gemm_direct4_##suffix(d, a, b + j, to, two);                            \
                else                                                                               \
                    padici_gemm_direct1_##suffix(d, a, b + j, to, two);                            \
            }                                                                                      \
            j += two ? 2 * PADICI_GEMM_LANES : PADICI_GEMM_LANES;                                  \
        }                                                                                          \
    }                                                                                              \
    PADICI_GEMM_STRIP(suffix, TARGET, T, 1)                                                        \
    PADICI_GEMM_STRIP(suffix, TARGET, T, 4)                                                        \
    TARGET static uint32_t padici_gemm_four_##suffix(uint32_t count, const char *b,                \
                                                     const int64_t *place, const T *factor,        \
                                                     uint32_t twice, T *sum)                       \
    {                                                                                              \
        const uintptr_t ahead = 4 * (uintptr_t)(place[1] - place[0]);                              \
        PADICI_GEMM_V p[4], q[4];                                                                  \
        uint32_t i, r;                                                                             \
        PADICI_GEMM_UNROLL                                                                         \
        for (r = 0; r < 4; r++) {                                                                  \
            p[r] = PADICI_GEMM_PAIR(factor + 4 * r);                                               \
            q[r] = PADICI_GEMM_PAIR(factor + 4 * r + 2);                                           \
        }                                                                                          \
        for (i = 0; i + PADICI_GEMM_LANES <= count; i += PADICI_GEMM_LANES) {                      \
            PADICI_GEMM_V s = PADICI_GEMM_LOAD(sum + i);                                           \
            PADICI_GEMM_UNROLL                                                                     \
            for (r = 0; r < 4; r++) {                                                              \
                const T *from = (const T *)(const void *)(b + place[r]) + i;                       \
                const PADICI_GEMM_V x = PADICI_GEMM_LOAD(from);                                    \
                PADICI_GEMM_AHEAD((uintptr_t)from + ahead);                                        \
                s = PADICI_GEMM_FMA(x, p[r], s);                                                   \
                if (twice) s = PADICI_GEMM_FMA(PADICI_GEMM_SWAP(x), q[r], s);                      \
            }                                                                                      \
            PADICI_GEMM_STORE(sum + i, s);                                                         \
        }                                                                                          \
        return i;                                                                                  \
    }                                                                                              \
    TARGET static void padici_gemm_line_##suffix(uint32_t count, uint32_t lines, const char *b,    \
                                                 const int64_t *place, const void *factor_,        \
                                                 uint32_t twice, void *sum_)                       \
    {                                                                                              \
        const T *factor = (const T *)factor_;                                                      \
        T *sum = (T *)sum_;                                                                        \
        uint32_t i, r, done, first = 0; /* lines before `first` are done up to number `done` */    \
        if (count <= 8 * PADICI_GEMM_LANES) {                                                      \
            for (done = 0; done + 4 * PADICI_GEMM_LANES <= count; done += 4 * PADICI_GEMM_LANES) { \
                padici_gemm_strip4_##suffix(lines, b + done * sizeof(T), place, factor, twice,     \
                                            sum + done);                                           \
            }                                                                                      \
            for (; done + PADICI_GEMM_LANES <= count; done += PADICI_GEMM_LANES) {                 \
                padici_gemm_strip1_##suffix(lines, b + done * sizeof(T), place, factor, twice,     \
                                            sum + done);                                           \
            }                                                                                      \
            first = lines;                                                                         \
        } else {                                                                                   \
            for (done = 0; first + 4 <= lines; first += 4) {                                       \
                done = padici_gemm_four_##suffix(count, b, place + first, factor + 4 * first,      \
                                                 twice, sum);                                      \
            }                                                                                      \
        }                                                                                          \
        for (r = 0; r < lines; r++) {                                                              \
            const T *from = (const T *)(const void *)(b + place[r]), *f = factor + 4 * r;          \
            for (i = r < first ? done : 0; i < count; i++) {                                       \
                sum[i] += f[i & 1] * from[i];                                                      \
                if (twice) sum[i] += f[2 + (i & 1)] * from[i ^ 1];                                 \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    TARGET static void padici_gemm_a_##suffix(const padici_gemm_pack *pack, void *to)              \
    {                                                                                              \
        padici_gemm_a_##T(pack, (T *)to, mr);                                                      \
    }                                                                                              \
    TARGET static void padici_gemm_b_##suffix(const padici_gemm_pack *pack, void *to)              \
    {                                                                                              \
        padici_gemm_b_##T(pack, (T *)to, 2 * PADICI_GEMM_LANES);                                   \
    }

// The texts of the kernels, for any instruction set and both precisions: packing of panels
// and products of panels, lines and whole small matrices.

// Packing. a: for each place of the sum the real parts of the lines, then the imaginary ones. Lines
// next to each other are copied a place at a time, others a line at a time. b: see above.
#define PADICI_GEMM_PACK(T)                                                                        \
    PADICI_INLINE void padici_gemm_a_##T(const padici_gemm_pack *pack, T *to, uint32_t mr)         \
    {                                                                                              \
        const T *from = (const T *)(const void *)pack->from;                                       \
        const T sign = pack->negate ? (T)-1 : (T)1;                                                \
        const int64_t *sum = pack->sum;                                                            \
        uint32_t k, i;                                                                             \
        if (!pack->paired && pack->flat) {                                                         \
            for (k = 0; k < pack->depth; k++, to += mr)                                            \
                memcpy(to, from + pack->line[0] + sum[k], mr * sizeof(T));                         \
        } else if (pack->flat) {                                                                   \
            for (k = 0; k < pack->depth; k++, to += 2 * mr) {                                      \
                const T *x = from + 2 * (pack->line[0] + sum[k]);                                  \
                for (i = 0; i < mr; i++) to[i] = x[2 * i];                                         \
                for (i = 0; i < mr; i++) to[mr + i] = sign * x[2 * i + 1];                         \
            }                                                                                      \
        } else if (pack->adjacent) {                                                               \
            const uint32_t parts = pack->paired ? 2 : 1;                                           \
            const T *x[PADICI_GEMM_LINES];                                                         \
            for (i = 0; i < mr; i++) x[i] = from + parts * (pack->line[i] + sum[0]);               \
            for (k = 0; k < parts * pack->depth; k++, to += mr)                                    \
                for (i = 0; i < mr; i++) to[i] = x[i][k];                                          \
            for (k = mr; k < parts * pack->depth * mr && pack->negate; k += 2 * mr)                \
                for (i = 0; i < mr; i++) (to - parts * pack->depth * mr)[k + i] *= sign;           \
        } else if (!pack->paired) {                                                                \
            for (i = 0; i < mr; i++) {                                                             \
                const T *x = from + pack->line[i];                                                 \
                for (k = 0; k < pack->depth; k++) to[k * mr + i] = x[sum[k]];                      \
            }                                                                                      \
        } else {                                                                                   \
            for (i = 0; i < mr; i++) {                                                             \
                const T *x = from + 2 * pack->line[i];                                             \
                for (k = 0; k < pack->depth; k++) {                                                \
                    to[2 * k * mr + i] = x[2 * sum[k]];                                            \
                    to[(2 * k + 1) * mr + i] = sign * x[2 * sum[k] + 1];                           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* One complex number of b; under it, for a complex a, i times the number. */                  \
    PADICI_INLINE void padici_gemm_turn_##T(const padici_gemm_pack *pack, const T *x, T *to,       \
                                            uint32_t nr)                                           \
    {                                                                                              \
        T re = x[0], im = pack->negate ? -x[1] : x[1];                                             \
        if (pack->scaled) {                                                                        \
            const T p = (T)pack->scale[0], q = (T)pack->scale[1], m = -q;                          \
            const T r = p * re + m * im;                                                           \
            im = p * im + q * re;                                                                  \
            re = r;                                                                                \
        }                                                                                          \
        to[0] = re;                                                                                \
        to[1] = im;                                                                                \
        if (!pack->twice) return;                                                                  \
        to[nr] = -im;                                                                              \
        to[nr + 1] = re;                                                                           \
    }                                                                                              \
    PADICI_INLINE void padici_gemm_b_##T(const padici_gemm_pack *pack, T *to, uint32_t nr)         \
    {                                                                                              \
        const T *from = (const T *)(const void *)pack->from;                                       \
        const T scale = pack->scaled ? (T)pack->scale[0] : (T)1;                                   \
        const T sign = pack->negate ? (T)-1 : (T)1;                                                \
        const uint32_t rows = pack->twice ? 2 : 1;                                                 \
        const int64_t *sum = pack->sum;                                                            \
        uint32_t k, i;                                                                             \
        if (!pack->paired && pack->flat) {                                                         \
            for (k = 0; k < pack->depth; k++, to += nr) {                                          \
                const T *x = from + pack->line[0] + sum[k];                                        \
                for (i = 0; i < nr; i++) to[i] = scale * x[i];                                     \
            }                                                                                      \
        } else if (!pack->paired) {                                                                \
            for (i = 0; i < nr; i++) {                                                             \
                const T *x = from + pack->line[i];                                                 \
                for (k = 0; k < pack->depth; k++) to[k * nr + i] = scale * x[sum[k]];              \
            }                                                                                      \
        } else if (pack->flat && !pack->scaled && pack->twice) {                                   \
            for (k = 0; k < pack->depth; k++, to += 2 * nr) {                                      \
                const T *x = from + 2 * (pack->line[0] + sum[k]);                                  \
                for (i = 0; i < nr; i += 2) {                                                      \
                    to[i] = to[nr + i + 1] = x[i];                                                 \
                    to[i + 1] = sign * x[i + 1];                                                   \
                    to[nr + i] = -sign * x[i + 1];                                                 \
                }                                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            for (i = 0; i < nr; i += 2)                                                            \
                for (k = 0; k < pack->depth; k++)                                                  \
                    padici_gemm_turn_##T(pack, from + 2 * (pack->line[i / 2] + sum[k]),            \
                                         to + k * rows * nr + i, nr);                              \
        }                                                                                          \
    }

PADICI_GEMM_PACK(float)

PADICI_GEMM_PACK(double)

#undef PADICI_GEMM_PACK

#endif
