// test_simd_codec.c: the codec's loops of padic_simd.h, at every level that this CPU has, against
// the plain ones of padic.h, on words of every length, edges and nonsense; then whole streams.

#define PADIC_IMPLEMENT_CODEC
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../../backends/padic_simd.h"
#include "../support/padic_test.h"

static const char *const levels[] = {"avx2", "avx512", "avx512ifma", "neon", "none"};
enum { LEVELS = 5, WORDS = 5000 };

static padic_context *simd_context(const char *level)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = padic_simd();
    desc.device.name = level;
    return padic_context_create(&desc, &context) ? NULL : context;
}

static uint64_t want[WORDS + 8], got[WORDS + 8], words[WORDS + 8];
static uint8_t bytes[8 * WORDS + 64], other[8 * WORDS + 64];

static size_t below(size_t n)
{
    return (size_t)(test_random() % n);
}

// Random words of random lengths, or all of one.
static void fill(uint64_t *x, size_t n, uint32_t length)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = length ? length : 1 + (uint32_t)below(64);
        x[i] = test_random() >> (64 - bits);
        if (!length && below(2)) x[i] = 0 - x[i];
    }
}

static const char *level; // of the loops in use
static padici_codec_loops loops;

// The next level that there is, its loops in `loops`; NULL behind the last.
static padic_context *next_level(padic_context *before, int *l)
{
    static int failures;
    padic_context *context = NULL;
    if (before && test_failures != failures) printf("\n  at level %s", level);
    failures = test_failures;
    padic_context_destroy(before);
    while (!context && *l < LEVELS) context = simd_context(level = levels[(*l)++]);
    if (context) padici_codec_pick(context, &loops);
    return context;
}

#define EACH_LEVEL                                                                                \
    padic_context *context = NULL;                                                                \
    for (int l = 0; (context = next_level(context, &l)) != NULL;)

TEST(chosen) // a level replaces what it should: a table left plain would pass every other test
{
    EACH_LEVEL {
        const int none = !strcmp(level, "none"), neon = !strcmp(level, "neon");
        CHECK_EQ(loops.checksum == padici_codec_plain_table.checksum, none);
        CHECK_EQ(loops.fixed == padici_codec_plain_table.fixed, none);
        CHECK_EQ(loops.sum == padici_codec_plain_table.sum, none);
        CHECK_EQ(loops.planes == padici_codec_plain_table.planes, none);
        CHECK_EQ(loops.elements == padici_codec_plain_table.elements, none || neon);
        CHECK_EQ(loops.words == padici_codec_plain_table.words, none || neon);
        CHECK_EQ(loops.wave_steps == padici_codec_plain_table.wave_steps,
                 strncmp(level, "avx512", 6) != 0);
        CHECK_EQ(loops.context == padici_codec_plain_table.context, none || neon);
        CHECK_EQ(loops.range == padici_codec_plain_table.range, none || neon);
        CHECK_EQ(loops.within == padici_codec_plain_table.within, none || neon);
        CHECK_EQ(loops.rans_table == padici_codec_plain_table.rans_table, none);
        CHECK_EQ(loops.rans == padici_codec_plain_table.rans, none || neon);
        CHECK_EQ(loops.buckets == padici_codec_plain_table.buckets,
                 strcmp(level, "avx512ifma") != 0);
        const int wide = !strncmp(level, "avx512", 6);
        CHECK_EQ(loops.difference == padici_codec_plain_table.difference, none);
        CHECK_EQ(loops.lower == padici_codec_plain_table.lower, none);
        CHECK_EQ(loops.put_fixed == padici_codec_plain_table.put_fixed, !wide);
        CHECK_EQ(loops.least == padici_codec_plain_table.least, !wide);
        CHECK_EQ(loops.runs == padici_codec_plain_table.runs, !wide);
        CHECK_EQ(loops.group == padici_codec_plain_table.group, !wide);
        CHECK_EQ(loops.pick == padici_codec_plain_table.pick, !wide);
        CHECK_EQ(loops.packed == padici_codec_plain_table.packed, !wide);
        CHECK_EQ(loops.tokens == padici_codec_plain_table.tokens, !wide);
        CHECK_EQ(loops.put_plain == padici_codec_plain_table.put_plain, !wide);
        CHECK_EQ(loops.plane == padici_codec_plain_table.plane, !wide);
        CHECK_EQ(loops.linear == padici_codec_plain_table.linear, !wide);
        CHECK_EQ(loops.outer == padici_codec_plain_table.outer, !wide);
        CHECK_EQ(loops.copy == NULL, !wide);
        CHECK_EQ(loops.join == padici_codec_plain_table.join, !wide);
        CHECK_EQ(loops.packed_bytes == padici_codec_plain_table.packed_bytes,
                 strcmp(level, "avx512ifma") != 0);
        CHECK_EQ(loops.between == padici_codec_plain_table.between, !wide);
        CHECK_EQ(loops.close == padici_codec_plain_table.close, !wide);
    }
}

TEST(checksum)
{
    EACH_LEVEL {
        for (size_t n = 0; n < 4000; n += n < 300 ? 1 : 1 + below(97)) {
            const size_t at = below(9);
            const uint64_t seed = below(2) ? below(5) : test_random();
            for (size_t i = 0; i < n; i++) bytes[at + i] = (uint8_t)test_random();
            CHECK_EQ((*loops.checksum)(bytes + at, n, seed), padici_checksum(bytes + at, n, seed));
        }
    }
}

TEST(fixed) // memory ends where it may be read: sanitizers see what is beyond
{
    EACH_LEVEL {
        for (uint32_t width = 0; width <= 64; width++) {
            for (int k = 0; k < 12; k++) {
                const size_t n = k < 4 ? PADICI_CODEC_GROUP : below(300),
                             size = (n * width + 7) / 8;
                const size_t more = below(3) ? below(100) : 0; // of groups that follow
                uint8_t *p = (uint8_t *)malloc(size + more + 8);
                if (!p) continue;
                for (size_t i = 0; i < size + more + 8; i++) p[i] = (uint8_t)test_random();
                padici_codec_fixed_loop(p, p + size + more, width, want, n);
                for (size_t i = 0; i < n; i++) { // and the definition
                    uint64_t x = 0;
                    for (size_t b = i * width; b < (i + 1) * width; b++)
                        x |= (uint64_t)(p[b / 8] >> b % 8 & 1) << (b - i * width);
                    CHECK_EQ(want[i], x);
                }
                memset(got, 0xa5, sizeof got);
                (*loops.fixed)(p, p + size + more, width, got, n);
                CHECK(!memcmp(want, got, n * sizeof *got));
                CHECK_EQ(got[n], 0xa5a5a5a5a5a5a5a5u);
                free(p);
            }
        }
    }
}

TEST(put_fixed) // words may have bits above the width: exceptions have
{
    EACH_LEVEL {
        for (uint32_t width = 1; width <= 64; width++) {
            for (int k = 0; k < 12; k++) {
                const size_t n = k < 4 ? PADICI_CODEC_GROUP : below(300),
                             size = (n * width + 7) / 8;
                const size_t room = size + 8 + (below(2) ? below(100) : 0);
                fill(words, n, k % 2 ? width : 0);
                memset(bytes, 0xa5, sizeof bytes);
                (*loops.put_fixed)(words, n, width, bytes, room);
                for (size_t i = 0; i < 64; i++) CHECK_EQ(bytes[room + i], 0xa5);
                padici_codec_fixed_loop(bytes, bytes + size, width, got, n);
                for (size_t i = 0; i < n; i++)
                    CHECK_EQ(got[i], words[i] & (~UINT64_C(0) >> (64 - width)));
                if (size && n * width % 8) CHECK_EQ(bytes[size - 1] >> n * width % 8, 0);
            }
        }
    }
}

TEST(classes)
{
    static uint8_t tokens[WORDS], extra[256];
    static uint64_t base[256], mask[256];
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 60 : 400); k++) {
            const uint32_t m = (uint32_t)below(4), widest = (uint32_t)below(64);
            const size_t n = 1 + below(600), from = below(n);
            padici_codec_decoder a = PADIC_ZERO;
            uint64_t total = 0;
            for (uint32_t t = 0; t < 256; t++) { // as padici_codec_begin_buckets() makes them
                const uint32_t e = t < 2u << m ? 0 : (t >> m) - 1;
                extra[t] = (uint8_t)(e < 64 ? e : 63);
                base[t] = t < 2u << m ? t
                                      : (uint64_t)((t & ((1u << m) - 1)) | 1u << m) << extra[t];
                mask[t] = e ? ~UINT64_C(0) >> (64 - extra[t]) : 0;
            }
            for (size_t i = 0; i < n; i++) {
                do tokens[i] = (uint8_t)(test_random() >> below(8));
                while (k % 8 && extra[tokens[i]] > widest);
                if (i >= from) total += extra[tokens[i]];
            }
            const size_t size = k % 5 ? (size_t)(total / 8 + 1) : below((size_t)(total / 8 + 1));
            uint8_t *p = (uint8_t *)malloc(size + 8);
            if (!p) continue;
            for (size_t i = 0; i < size + 8; i++) p[i] = (uint8_t)test_random();
            a.tokens = tokens;
            a.base = base;
            a.mask = mask;
            a.extra = extra;
            a.plain = p;
            a.end = 8 * (uint64_t)size;
            a.at = size ? below(8) : 0;
            a.widest = widest;
            a.m = m;
            padici_codec_decoder b = a;
            const size_t done = padici_codec_buckets_loop(&a, want, from, n);
            CHECK_EQ((*loops.buckets)(&b, got, from, n), done);
            CHECK_EQ(b.at, a.at);
            if (k % 8) CHECK(!memcmp(want + from, got + from, (done - from) * sizeof *got));
            free(p);
        }
    }
}

TEST(planes)
{
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)test_random();
    EACH_LEVEL {
        for (uint32_t planes = 0; planes <= 8; planes++) {
            for (int k = 0; k < 40; k++) {
                const size_t n = below(600), from = n ? below(n) : 0;
                padici_codec_decoder representations = PADIC_ZERO;
                representations.planes = planes;
                for (uint32_t i = 0; i < planes; i++)
                    representations.plane[i] = bytes + i * (n + below(9));
                padici_codec_next_planes(&representations, want, from, n);
                got[n] = 77;
                (*loops.planes)(&representations, got, from, n);
                CHECK(!memcmp(want + from, got + from, (n - from) * sizeof *got));
                CHECK_EQ(got[n], 77);
            }
        }
    }
}

TEST(rans) // any states above the limit and any words will do
{
    static uint32_t table[PADICI_CODEC_RANS_TOTAL];
    EACH_LEVEL {
        for (int k = 0; k < 60; k++) {
            uint32_t at = 0, a[32], b[32];
            for (uint32_t s = 0; at < PADICI_CODEC_RANS_TOTAL; s++) {
                uint32_t f = 1 + (uint32_t)below(k % 2 ? 60 : 3000);
                if (f > PADICI_CODEC_RANS_TOTAL - at || s == 255) f = PADICI_CODEC_RANS_TOTAL - at;
                for (uint32_t i = 0; i < f; i++) table[at++] = s | (f - 1) << 8 | i << 20;
            }
            const size_t n = below(3000), size = 2 * below(2000);
            size_t done = 0, have = 0;
            uint8_t *p = (uint8_t *)malloc(size + 8);
            if (!p) continue;
            for (size_t i = 0; i < size + 8; i++) p[i] = (uint8_t)test_random();
            for (uint32_t i = 0; i < 32; i++)
                a[i] = b[i] = (uint32_t)test_random() | (k % 3 ? PADICI_CODEC_RANS_LOW : 1u << 31);
            const uint8_t *stop = padici_codec_rans_rounds(a, table, p, p + size, bytes, n, &done);
            other[n] = 0xa5;
            CHECK((*loops.rans)(b, table, p, p + size, other, n, &have) == stop);
            CHECK_EQ(have, done);
            CHECK(!memcmp(a, b, sizeof a));
            CHECK(!memcmp(bytes, other, done));
            CHECK_EQ(other[n], 0xa5);
            free(p);
        }
    }
}

TEST(slots) // as the format says: of a symbol as many as its frequency, in order
{
    static uint32_t table[PADICI_CODEC_RANS_TOTAL + 16];
    EACH_LEVEL {
        for (int k = 0; k < 100; k++) {
            uint16_t freq[256];
            uint32_t left = PADICI_CODEC_RANS_TOTAL, at = 0;
            int failed = 0;
            memset(freq, 0, sizeof freq);
            for (uint32_t s = (uint32_t)below(200); left; s++) {
                const uint32_t most = k % 5 == 0 ? 4096 : k % 2 ? 40 : 700;
                uint32_t f = below(3) ? (uint32_t)below(most + 1) : 0;
                if (f > left || s == 255) f = left;
                freq[s] = (uint16_t)f;
                left -= f;
            }
            memset(table, 0xa5, sizeof table);
            (*loops.rans_table)(freq, table);
            for (uint32_t s = 0; s < 256; s++) {
                for (uint32_t i = 0; i < freq[s]; i++, at++) {
                    failed |= (table[at] & 255) != s || table[at] >> 20 != i;
                    failed |= (table[at] >> 8 & 4095) + 1 != freq[s];
                }
            }
            CHECK(!failed && table[at] == 0xa5a5a5a5u);
        }
    }
}

TEST(context) // steps as far as the level does them, the rest plainly, against all of it plainly
{
    static uint32_t table[PADICI_CODEC_CONTEXTS * PADICI_CODEC_RANS_TOTAL];
    static uint8_t rows[9000 + PADICI_CODEC_STEP_ROOM], stream[40000 + 8], map[512];
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 40 : 200); k++) {
            padici_codec_context_plan plan = PADIC_ZERO;
            const size_t n = 1 + below(9000), size = 2 * below(20000);
            uint32_t at = 0, a[32], b[32];
            plan.count = 1 + (uint32_t)below(PADICI_CODEC_CONTEXTS);
            for (uint32_t c = 0; c < plan.count; c++) {
                const uint32_t to = (c + 1) * PADICI_CODEC_RANS_TOTAL;
                if (c) plan.from[c] = (uint16_t)(plan.from[c - 1] + 1 + below(k % 2 ? 30 : 8));
                for (uint32_t s = 0; at < to; s++) {
                    uint32_t f = 1 + (uint32_t)below(k % 3 ? 3000 : 60);
                    if (f > to - at || s == 255) f = to - at;
                    for (uint32_t i = 0; i < f; i++) table[at++] = s | (f - 1) << 8 | i << 20;
                }
            }
            plan.length = (n + 31) / 32 + (below(3) ? 0 : below(50));
            plan.a = below(4) ? 1 + (uint32_t)below(below(2) ? 10 : n + 5) : 0;
            plan.b = !plan.a || below(2) ? 1 + (uint32_t)below(plan.a ? n + 5 : 9) : 0;
            if (k % 4 == 0) plan.a = 1; // the two that have loops of their own
            if (k % 8 == 0) plan.b = k % 16 ? 2 : 0;
            if (!plan.a) plan.length = (plan.length + plan.b - 1) / plan.b * plan.b;
            padici_codec_context_map(&plan, map);
            for (size_t i = 0; i < size + 8; i++) stream[i] = (uint8_t)test_random();
            for (uint32_t i = 0; i < 32; i++)
                a[i] = b[i] = (uint32_t)test_random() | (k % 3 ? PADICI_CODEC_RANS_LOW : 1u << 31);
            const uint8_t *p = stream, *q = stream, *end = stream + size;
            size_t j = 0, steps;
            memset(bytes, 0xa5, n + 8);
            memset(other, 0xa5, n + 8);
            while (j < plan.length && j < n &&
                   padici_codec_context_step(&plan, table, map, a, bytes, n, j, &p, end))
                j++;
            steps = (*loops.context)(&plan, table, map, b, other, n, &q, end, rows, sizeof rows);
            CHECK(steps <= plan.length);
            if (level[0] == 'a' && plan.length >= 32 && size > 30000 && n > 64 && plan.a == 1 &&
                plan.b <= 2 && plan.b != plan.length)
                CHECK(steps > 0);
            while (steps < plan.length && steps < n &&
                   padici_codec_context_step(&plan, table, map, b, other, n, steps, &q, end))
                steps++;
            CHECK_EQ(steps, j);
            if (steps != j || j < padici_codec_least(plan.length, n)) continue;
            CHECK(p == q);
            CHECK(!memcmp(a, b, sizeof a));
            CHECK(!memcmp(bytes, other, n + 8));
        }
    }
}

TEST(sum) // in pieces of any size, with what is carried between them
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 300 : 3000); k++) {
            const size_t n = 1 + below(k % 7 ? 300 : WORDS);
            const int kind = (int)below(3);
            uint64_t a[8], b[8];
            padici_codec_op op;
            op.axis = 0;
            op.stride = 1 + (uint32_t)below(k % 3 ? 9 : 70);
            op.segment = op.stride * (1 + (uint32_t)below(k % 2 ? 300 : 8));
            fill(want, n, below(2) ? 0 : 9);
            memcpy(got, want, n * sizeof *got);
            got[n] = 99;
            memset(a, 0xa5, sizeof a); // of a stride of 8 and more it is not used
            memset(b, 0xa5, sizeof b);
            padici_codec_sum(want, 0, n, &op, a, kind == 1, kind == 2);
            for (size_t from = 0; from < n;) {
                const size_t to = padici_codec_least(n, from + 1 + below(400));
                (*loops.sum)(got, from, to, &op, b, kind == 1, kind == 2);
                from = to;
            }
            CHECK(!memcmp(want, got, n * sizeof *got));
            CHECK_EQ(got[n], 99);
        }
    }
}

TEST(difference) // in place, too; and sums give the words back
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 300 : 3000); k++) {
            const size_t n = 1 + below(k % 7 ? 300 : WORDS);
            const int kind = (int)below(3), inside = (int)below(2);
            uint64_t carry[8];
            padici_codec_op op;
            op.axis = 0;
            op.stride = 1 + (uint32_t)below(k % 3 ? 9 : 70);
            op.segment = op.stride * (1 + (uint32_t)below(k % 2 ? 300 : 8));
            fill(words, n, below(2) ? 0 : 9);
            memcpy(got, words, n * sizeof *got);
            got[n] = 99;
            padici_codec_difference(words, want, n, &op, kind == 1, kind == 2);
            (*loops.difference)(inside ? got : words, got, n, &op, kind == 1, kind == 2);
            CHECK(!memcmp(want, got, n * sizeof *got));
            CHECK_EQ(got[n], 99);
            padici_codec_sum(got, 0, n, &op, carry, kind == 1, kind == 2);
            CHECK(!memcmp(words, got, n * sizeof *got));
        }
    }
}

TEST(least)
{
    EACH_LEVEL {
        for (int k = 0; k < 2000; k++) {
            const size_t n = 1 + below(60);
            const uint32_t shift = (uint32_t)below(64);
            uint64_t low, differ = 7, all = 0, first = test_random();
            fill(words, n, below(2) ? 0 : 1 + (uint32_t)below(64));
            if (k % 5 == 0)
                for (size_t i = 1; i < n; i++) words[i] = words[0];
            low = words[0];
            for (size_t i = 0; i < n; i++) {
                for (size_t j = 0; j < i; j++) all |= words[i] ^ words[j];
                if ((int64_t)words[i] < (int64_t)low) low = words[i];
            }
            CHECK_EQ((*loops.least)(words, n, &differ), low);
            CHECK_EQ(differ, all);
            memcpy(got, words, (n + 1) * sizeof *got);
            (*loops.lower)(got, n, first, shift);
            for (size_t i = 0; i < n; i++) CHECK_EQ(got[i], (words[i] - first) >> shift);
            CHECK_EQ(got[n], words[n]);
            size_t runs = 1;
            for (size_t i = 0; i < n; i++) words[i] &= 1;
            for (size_t i = 1; i < n; i++) runs += words[i] != words[i - 1];
            CHECK_EQ((*loops.runs)(words, n), runs);
        }
    }
}

static uint32_t bits_of(uint64_t x)
{
    uint32_t bits = 0;
    for (; x; x >>= 1) bits++;
    return bits;
}

// What n words take with this width: those that are wider 16 bits more, but at most an eighth.
static uint64_t width_cost(const uint64_t *z, size_t n, uint32_t width)
{
    uint64_t above = 0;
    for (size_t i = 0; i < n; i++) above += bits_of(z[i]) > width;
    return 8 * above > n ? UINT64_MAX : n * width + 16 * above;
}

TEST(group) // the width that costs least, and the exceptions of it
{
    static uint64_t gaps[PADICI_CODEC_GROUP], high[PADICI_CODEC_GROUP];
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 60 : 600); k++) {
            const size_t n = below(2) ? PADICI_CODEC_GROUP : 1 + below(PADICI_CODEC_GROUP),
                         from = below(100);
            const uint32_t most = (uint32_t)below(65);
            uint8_t width = 77;
            size_t before = below(from + 1), at = before, count;
            for (size_t i = 0; i < n; i++)
                words[from + i] = below(20) == 0 ? test_random() >> below(64)
                                  : most         ? test_random() >> (64 - most)
                                                 : 0;
            count = (*loops.group)(words, from, from + n, &width, gaps, high, 0, &before);
            const uint64_t cost = width_cost(words + from, n, width);
            CHECK(cost != UINT64_MAX);
            for (uint32_t other_width = 0; other_width <= 64; other_width++)
                CHECK(width_cost(words + from, n, other_width) >= cost);
            for (size_t i = from, e = 0; i < from + n; i++) {
                if (bits_of(words[i]) <= width) continue;
                CHECK(e < count);
                if (e >= count) break;
                CHECK_EQ(gaps[e], i - at);
                CHECK_EQ(high[e], words[i] >> width);
                at = i + 1;
                CHECK(++e <= count);
            }
            CHECK_EQ(before, at);
            uint64_t total = 0;
            for (size_t i = 0; i < n; i += 32) {
                uint64_t least = UINT64_MAX;
                for (uint32_t w = 0; w <= 64; w++) {
                    const uint64_t here =
                        width_cost(words + from + i, padici_codec_least(32, n - i), w);
                    if (here < least) least = here;
                }
                total += least;
            }
            CHECK_EQ((*loops.packed)(words + from, n), total);
        }
    }
}

TEST(pick) // a share of the places, the same for the same content
{
    static uint32_t a[WORDS + 1], b[WORDS + 1];
    EACH_LEVEL {
        for (int k = 0; k < 200; k++) {
            const uint32_t size = 1u << below(4), share = below(2) ? 4 : 6;
            const uint32_t split = size == 8 && below(2) ? 9 : (uint32_t)below(2);
            const size_t n = below(WORDS), at = below(8);
            for (size_t i = 0; i < n * size; i++) bytes[at + i] = (uint8_t)(test_random() >> 3);
            const size_t count = padici_codec_pick_plain(bytes + at, n, size, split, share, a);
            CHECK_EQ((*loops.pick)(bytes + at, n, size, split, share, b), count);
            CHECK(!memcmp(a, b, count * sizeof *a));
            CHECK(size < 4 || n < 3000 || (count > n / 128 && count < n / 8));
        }
    }
}

TEST(tokens) // written and read again
{
    static uint8_t tokens[WORDS], other_tokens[WORDS];
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 60 : 600); k++) {
            const uint32_t m = (uint32_t)below(4), most = 1 + (uint32_t)below(m < 3 ? 64 : 33);
            const size_t n = below(300);
            uint32_t widest = 99, wide = 0, extra;
            uint64_t total = 0, at = 0;
            for (size_t i = 0; i < n; i++) words[i] = test_random() >> (64 - 1 - below(most));
            for (size_t i = 0; i < n; i++) {
                tokens[i] = (uint8_t)padici_codec_token(words[i], m, &extra);
                total += extra;
                if (extra > wide) wide = extra;
            }
            CHECK_EQ((*loops.tokens)(words, n, m, other_tokens, &widest), total);
            CHECK_EQ(widest, wide);
            CHECK(!memcmp(tokens, other_tokens, n));
            memset(bytes, 0, (size_t)(total + 7) / 8 + 16);
            bytes[(total + 7) / 8 + 8] = 0xa5;
            if (total) (*loops.put_plain)(words, tokens, n, m, widest, bytes);
            CHECK_EQ(bytes[(total + 7) / 8 + 8], 0xa5);
            for (size_t i = 0; i < n; i++) {
                (void)padici_codec_token(words[i], m, &extra);
                for (uint32_t b = 0; b < extra; b++, at++)
                    CHECK_EQ(bytes[at / 8] >> at % 8 & 1, words[i] >> b & 1);
            }
        }
    }
}

TEST(linear) // neighbours at any distance; and what was taken off comes back
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 100 : 1000); k++) {
            const uint32_t shift = (uint32_t)below(16);
            const size_t from = 200, to = from + below(300);
            padici_codec_tap_places taps = PADIC_ZERO;
            taps.count = (uint32_t)below(k % 3 ? 20 : PADICI_CODEC_MAX_TAPS + 1);
            for (uint32_t t = 0; t < ((taps.count + 3) & ~3u); t++) {
                const int long_way = k % 2 && t > (uint32_t)k / 2 % 17;
                taps.distance[t] = 1 + (uint32_t)below(long_way ? 168 : k % 4 > 1 ? 15 : 5);
                if (long_way) taps.distance[t] += k % 5 ? 15u : 14u;
                taps.weight[t] = t < taps.count ? (int64_t)below(65536) - 32768 : 0;
            }
            fill(words, to, below(2) ? 0 : 20);
            for (size_t i = from; i < to; i++) { // the definition
                uint64_t sum = (uint64_t)1 << shift >> 1;
                for (uint32_t t = 0; t < taps.count; t++)
                    sum += (uint64_t)taps.weight[t] * words[i - taps.distance[t]];
                const uint64_t about =
                    taps.count ? words[i - taps.distance[0]] + (uint64_t)((int64_t)sum >> shift)
                               : 0;
                want[i - from] = words[i] - about;
            }
            got[to - from] = 66;
            (*loops.linear)(&taps, shift, words, got, from, to, PADICI_CODEC_LINEAR_DO);
            CHECK(!memcmp(want, got, (to - from) * sizeof *got));
            CHECK_EQ(got[to - from], 66);
            for (int fold = 0; fold < 2; fold++) {
                memcpy(got, words, from * sizeof *got);
                for (size_t i = from; i < to; i++)
                    got[i] = fold ? padici_codec_fold(want[i - from]) : want[i - from];
                (*loops.linear)(&taps, shift, got, NULL, from, to,
                                fold ? PADICI_CODEC_LINEAR_UNFOLD : PADICI_CODEC_LINEAR_UNDO);
                CHECK(!memcmp(words, got, to * sizeof *got));
            }
        }
    }
}

static uint64_t closed[2][4097];

TEST(between) // interpolation on one to four axes in any order, also of too few axes
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 200 : 4000); k++) {
            const uint32_t rank = 1 + (uint32_t)below(4);
            const uint32_t most = rank == 1 ? 600u : 1200u >> 2 * rank;
            padici_codec_predictor predictor = PADIC_ZERO;
            padici_codec_box box = PADIC_ZERO;
            uint32_t a;
            size_t n = 1;
            box.rank = rank;
            for (a = 0; a < rank; a++) {
                box.extent[a] = 1 + (uint32_t)below(below(3) ? most + 1 : 5);
                n *= box.extent[a];
            }
            if (n > 4096) continue;
            box.n = n;
            predictor.kind = PADICI_CODEC_PREDICTOR_INTERPOLATE;
            predictor.scale = below(2) ? 31 : 1 + (uint32_t)below(255);
            const int back = (int)below(2), few = below(8) == 0;
            for (a = 0; a < rank; a++) {
                const uint32_t axis = back ? rank - 1 - a : a;
                if (box.extent[axis] < 2 || (few && below(2))) continue;
                predictor.op[predictor.count] = padici_codec_axis_op(&box, axis);
                predictor.op[predictor.count++].cubic =
                    below(3) ? below(2) ? UINT32_MAX : 0 : (uint32_t)test_random();
            }
            if (predictor.count == 0) continue;
            const int zigzag = (int)below(2);
            fill(words, n, below(2) ? 0 : 20);
            memcpy(want, words, n * sizeof *want);
            memcpy(got, words, n * sizeof *got);
            got[n] = 66;
            padici_codec_between_loop(&predictor, want, n, zigzag);
            (*loops.between)(&predictor, got, n, zigzag);
            CHECK(!memcmp(want, got, n * sizeof *got));
            CHECK_EQ(got[n], 66);
            // and the other way: words that a reader has, from residuals in z
            predictor.scale = 31;
            memcpy(want, words, n * sizeof *want);
            memcpy(got, words, n * sizeof *got);
            got[n] = 66;
            for (size_t i = 0; i <= n; i++) closed[0][i] = closed[1][i] = 55;
            padici_codec_close_loop(&predictor, want, closed[0], n);
            (*loops.close)(&predictor, got, closed[1], n);
            CHECK(!memcmp(want, got, n * sizeof *got) && got[n] == 66);
            CHECK(!memcmp(closed[0], closed[1], (n + 1) * sizeof **closed));
            if (few) continue; // not all words are coded
            (*loops.between)(&predictor, closed[1], n, 1);
            CHECK(!memcmp(want, closed[1], n * sizeof *want));
            for (size_t i = 0; i < n; i++)
                CHECK(words[i] - want[i] + 15 <= 30);
        }
    }
}

// The word of the nearest float in order, by its bits.
static uint64_t float_word(padic_dtype dtype, double x)
{
    uint64_t bits;
    if (dtype == PADIC_F64) {
        memcpy(&bits, &x, 8);
        return bits >> 63 ? ~(bits & ~(UINT64_C(1) << 63)) : bits;
    }
    const float y = (float)x;
    uint32_t low;
    memcpy(&low, &y, 4);
    return low >> 31 ? ~(uint64_t)(low & 0x7fffffffu) : low;
}

static double word_float(padic_dtype dtype, uint64_t word)
{
    double x;
    float y;
    const uint64_t m = word >> 63 ? ~word : word;
    const uint32_t part = (uint32_t)word; // what lies above an element's bits has no part
    const uint32_t low = part >> 31 ? ~part | 0x80000000u : part;
    memcpy(&y, &low, 4);
    const uint64_t high = m | (word >> 63 ? UINT64_C(1) << 63 : 0);
    memcpy(&x, &high, 8);
    x = dtype == PADIC_F64 ? x : (double)y;
    return x - x == 0 ? x : 0;
}

static double values[3 * WORDS];

// Residuals of random words are what the definition says; all loops bring the words back.
static void check_float_taps(const padici_codec_predictor *predictor, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double x = (double)below(1000) * 1e-3 + (double)i;
        words[i] = float_word(predictor->dtype, below(2) ? x : -x * x);
        if (below(200) == 0) words[i] = 0x7f800000u + below(99); // no numbers
        if (below(200) == 0) words[i] = test_random(); // words of no element
    }
    for (size_t i = 0; i < n; i++) { // the definition
        double factor[PADICI_CODEC_MAX_TAPS], tap[PADICI_CODEC_MAX_TAPS], sum = 0;
        int64_t lost = 0, weight[PADICI_CODEC_MAX_TAPS];
        uint32_t there = 0;
        for (uint32_t t = 0; t < predictor->taps; t++) {
            int64_t distance = 0;
            int inside = 1;
            for (uint32_t a = 0; a < predictor->count; a++) {
                const padici_codec_op *op = &predictor->op[a];
                const int64_t at = (int64_t)(i % op->segment / op->stride) -
                                   predictor->back[t][a];
                inside &= at >= 0 && at < (int64_t)(op->segment / op->stride);
                distance += predictor->back[t][a] * (int64_t)op->stride;
            }
            if (!inside) {
                lost += predictor->weight[t];
                continue;
            }
            weight[there] = predictor->weight[t];
            tap[there++] = word_float(predictor->dtype, words[(int64_t)i - distance]);
        }
        if (there) weight[0] += lost;
        for (uint32_t t = there; t-- > 0;) {
            factor[t] = (double)weight[t] / (double)(1u << predictor->shift);
            const volatile double product = factor[t] * tap[t];
            sum += product;
        }
        if (there) sum += tap[0];
        want[i] = words[i] - (there && sum == sum ? float_word(predictor->dtype, sum) : 0);
    }
    padici_codec_find_values(predictor, words, n);
    padici_codec_linear(&loops, predictor, words, got, 0, n, n, PADICI_CODEC_LINEAR_DO);
    CHECK(!memcmp(want, got, n * sizeof *got));
    for (int fold = 0; fold < 2; fold++) {
        for (size_t i = 0; i < n; i++) got[i] = fold ? padici_codec_fold(want[i]) : want[i];
        got[n] = 99;
        memset(values, 0xff, sizeof values);
        padici_codec_linear(&loops, predictor, got, NULL, 0, n, n,
                            fold ? PADICI_CODEC_LINEAR_UNFOLD : PADICI_CODEC_LINEAR_UNDO);
        CHECK(!memcmp(words, got, n * sizeof *got));
        CHECK_EQ(got[n], 99);
    }
}

TEST(float_taps) // of up to three axes, as FORMAT.md says; several rows at once give the same
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 30 : 200); k++) {
            const uint32_t stride = k % 5 ? 1 : 3, axes = k % 7 ? 2 + (uint32_t)k % 2 : 1;
            const uint32_t row = (30 + (uint32_t)below(k % 3 ? 150 : 30)) * stride;
            const uint32_t rows = axes > 2 ? 1 + (uint32_t)below(9) : 1; // of a plane
            const size_t n = row * rows * (1 + below(WORDS / (row * rows)));
            padici_codec_predictor predictor = PADIC_ZERO;
            const int ahead = (int)below(3), reach = k % 4 ? 3 : 8; // 8: more edges than are kept
            predictor.kind = PADICI_CODEC_PREDICTOR_LINEAR;
            predictor.count = axes;
            predictor.dtype = below(2) ? PADIC_F32 : PADIC_F64;
            predictor.values = values;
            predictor.shift = (uint32_t)below(28);
            predictor.taps = 1 + (uint32_t)below(PADICI_CODEC_MAX_TAPS);
            predictor.op[axes - 1].stride = stride;
            predictor.op[axes - 1].segment = row;
            if (axes > 1) {
                predictor.op[axes - 2].stride = row;
                predictor.op[axes - 2].segment = axes > 2 ? row * rows : (uint32_t)n;
                predictor.op[0].stride = axes > 2 ? row * rows : row;
                predictor.op[0].segment = (uint32_t)n;
            }
            for (uint32_t t = 0; t < predictor.taps; t++) {
                int8_t *back = predictor.back[t];
                for (uint32_t a = 0; a + 1 < axes; a++) back[a] = (int8_t)below((size_t)reach);
                if (axes > 2 && back[0]) back[1] = (int8_t)(back[1] - 1);
                back[axes - 1] = (int8_t)(1 + below(3));
                if (axes > 1 && (back[0] || back[axes - 2]))
                    back[axes - 1] = (int8_t)((int)below(k % 4 ? 4 : 6) - ahead);
                if (axes > 2 && !back[0] && !back[1]) back[2] = (int8_t)(1 + below(3));
                predictor.weight[t] = (int32_t)below(1u << predictor.shift) * (below(2) ? 1 : -1);
            }
            check_float_taps(&predictor, n);
        }
    }
}

// Rows that differ in more ways than a wavefront keeps: what a lane uses stays. The first axis
// steps on inside a plane of the second, as no stream has it: there the oldest is never in use.
TEST(float_taps_of_many_rows)
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 30 : 200); k++) {
            const uint32_t row = 24 + (uint32_t)below(12), rows = 4 + (uint32_t)below(6);
            const uint32_t step = 5 + (uint32_t)below(8), all = step * rows;
            const size_t n = (size_t)row * all * (1 + below(WORDS / (row * all)));
            padici_codec_predictor predictor = PADIC_ZERO;
            predictor.kind = PADICI_CODEC_PREDICTOR_LINEAR;
            predictor.count = 3;
            predictor.dtype = below(2) ? PADIC_F32 : PADIC_F64;
            predictor.values = values;
            predictor.shift = 20;
            predictor.taps = 12;
            predictor.op[0].stride = row * step;
            predictor.op[0].segment = (uint32_t)n;
            predictor.op[1].stride = row;
            predictor.op[1].segment = row * rows;
            predictor.op[2].stride = 1;
            predictor.op[2].segment = row;
            for (uint32_t t = 0; t < predictor.taps; t++) {
                int8_t *back = predictor.back[t];
                back[0] = (int8_t)(t % 3 ? 0 : 1 + t / 3);
                back[1] = (int8_t)(t % 3 == 1 ? 1 + t : 0);
                back[2] = (int8_t)(t % 3 == 2 ? 1 + t / 2 : t % 2);
                predictor.weight[t] = (int32_t)below(1u << 17) * (below(2) ? 1 : -1);
            }
            predictor.back[0][2] = -2; // seven edges: the most that there are
            predictor.back[11][2] = 5;
            check_float_taps(&predictor, n);
        }
    }
}

TEST(outer) // the same doubles, to the bit; and planes of bytes
{
    static double a[33 * 33], b[33 * 33], y[33];
    EACH_LEVEL {
        for (int k = 0; k < 200; k++) {
            const uint32_t m = (uint32_t)below(33);
            const double counts = 1.0 / (double)(1 + below(1000));
            for (size_t i = 0; i < 33 * 33; i++) a[i] = b[i] = (double)below(1000000) / 7;
            for (uint32_t j = 0; j <= m; j++) y[j] = (double)below(1000000) / 3 - 1e5;
            padici_codec_outer_loop(a, 33, y, m, counts);
            (*loops.outer)(b, 33, y, m, counts);
            for (uint32_t i = 0; i < 33; i++)
                for (uint32_t j = i; j < 33; j++)
                    CHECK(!memcmp(a + 33 * i + j, b + 33 * i + j, sizeof *a));
            const size_t n = below(100);
            const uint32_t shift = (uint32_t)below(64);
            fill(words, n, 0);
            other[n] = 0xa5;
            (*loops.plane)(words, n, shift, other);
            for (size_t i = 0; i < n; i++) CHECK_EQ(other[i], words[i] >> shift & 255);
            CHECK_EQ(other[n], 0xa5);
        }
    }
}

static double some_float(void)
{
    static const double odd[] = {0.0, -0.0, 1e30, -1e30, 1e-45, -1e-42, 0.5, -0.5};
    const double infinite = padici_codec_double_of(UINT64_C(0x7ff) << 52);
    const size_t kind = below(40);
    if (kind < 8) return odd[kind];
    if (kind == 8) return infinite;
    if (kind == 9) return -infinite;
    if (kind < 13) return infinite - infinite;
    return ((double)below(2000001) - 1e6) / 1024;
}

// By the definition, value by value; every third array is finite, every other one nearly equal.
TEST(bounds)
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 500 : 5000); k++) {
            const padic_dtype dtype = below(2) ? PADIC_F32 : PADIC_F64;
            const size_t n = below(4) ? below(70) : below(600), size = padic_dtype_size(dtype);
            const double tolerance = below(2) ? 0.25 : (double)below(1000) / 4096;
            uint8_t *a = (uint8_t *)malloc(2 * n * size + 1), *b = a + n * size;
            double low = 0, high = 0, some_low = 0, some_high = 0;
            int any = 0, inside = 1;
            if (!a) continue;
            for (size_t i = 0; i < n; i++) {
                double x = some_float(), y = 0;
                while (k % 3 == 0 && !(x - x == 0)) x = some_float();
                y = k % 2 && below(300) ? x + tolerance * ((double)below(99) - 49) / 50 : x;
                if (k % 2 && below(300) == 0) y = x + (below(2) ? tolerance : -tolerance);
                if (dtype == PADIC_F32) {
                    const float u = (float)x, v = (float)y;
                    memcpy(a + 4 * i, &u, 4);
                    memcpy(b + 4 * i, &v, 4);
                    x = (double)u, y = (double)v;
                } else {
                    memcpy(a + 8 * i, &x, 8);
                    memcpy(b + 8 * i, &y, 8);
                }
                if (x == x && (!any || x < low)) low = x;
                if (x == x && (!any || x > high)) high = x;
                any |= x == x;
                inside &= x - y < tolerance && y - x < tolerance;
            }
            (*loops.range)(dtype, a, n, &some_low, &some_high);
            CHECK_EQ(some_low > some_high, !any);
            CHECK(!any || (some_low == low && some_high == high));
            CHECK_EQ((*loops.within)(dtype, a, b, n, tolerance), inside);
            free(a);
        }
    }
}

static padici_codec_transform some_form(padic_dtype dtype)
{
    static const double steps[] = {0x1p-3,  1e-3,   1000,  0.1f,   3e-5,
                                   0x1p-24, 6.1e-5, 7e300, 1e-310, 9};
    padici_codec_transform form = PADIC_ZERO;
    form.kind = (uint32_t)below(PADICI_CODEC_TRANSFORM_RAW);
    if (form.kind == PADICI_CODEC_TRANSFORM_DECIMAL && !padici_codec_is_float(dtype))
        form.kind = PADICI_CODEC_TRANSFORM_SCALE;
    form.step = below(2) ? 1 : 1 + below(1000);
    form.first = below(2) ? 0 : test_random() >> below(64);
    if (form.kind == PADICI_CODEC_TRANSFORM_BITS && below(4) == 0)
        form.shift = (uint32_t)below(8 * padic_dtype_size(dtype) - 1);
    form.single = dtype == PADIC_F64 && below(2);
    form.g = padici_codec_is_float(dtype) ? padici_codec_bits_of(steps[below(10)]) : 1 + below(100);
    if (form.kind == PADICI_CODEC_TRANSFORM_AFFINE)
        form.o =
            padici_codec_is_float(dtype) ? padici_codec_bits_of(steps[below(10)]) : test_random();
    return form;
}

TEST(elements)
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 1000 : 20000); k++) {
            const padic_dtype dtype = (padic_dtype)(PADIC_F64 + (int)below(12));
            const uint32_t size = padic_dtype_size(dtype);
            const padici_codec_transform form = some_form(dtype);
            const size_t n = below(100), at = below(8);
            fill(words, n, below(2) ? 0 : 1 + (uint32_t)below(20));
            memset(bytes, 0xa5, at + n * size + 8);
            memset(other, 0xa5, at + n * size + 8);
            padici_codec_words_to_elements(&form, dtype, words, bytes + at, n);
            (*loops.elements)(&form, dtype, words, other + at, n);
            if (memcmp(bytes, other, at + n * size + 8))
                printf("\n  form %u dtype %d shift %u single %d", form.kind, (int)dtype, form.shift,
                       form.single);
            CHECK(!memcmp(bytes, other, at + n * size + 8));
        }
    }
}

TEST(copy) // to any place, nothing beside it; large arrays go another way
{
    EACH_LEVEL {
        for (int k = 0; loops.copy && k < 300; k++) {
            const size_t n = k % 3 ? 4000 + below(5000) : below(200);
            const size_t to = 64 + below(64), from = below(64);
            for (size_t i = 0; i < from + n; i++) bytes[i] = (uint8_t)test_random();
            memset(other, 0xa5, to + n + 64);
            (*loops.copy)(other + to, bytes + from, n, k % 2 ? n : UINT64_C(1) << 40);
            CHECK(!memcmp(other + to, bytes + from, n));
            for (size_t i = 0; i < 64; i++)
                CHECK(other[to - 64 + i] == 0xa5 && other[to + n + i] == 0xa5);
        }
    }
}

TEST(packed_bytes) // memory ends where it may be read
{
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 300 : 3000); k++) {
            const uint32_t width = 1 + (uint32_t)below(8), base = (uint32_t)below(256);
            const size_t n = below(k % 5 ? 300 : 3000), size = (n * width + 7) / 8;
            uint8_t *p = (uint8_t *)malloc(size + 8);
            if (!p) continue;
            for (size_t i = 0; i < size + 8; i++) p[i] = (uint8_t)test_random();
            memset(other, 0xa5, n + 8);
            (*loops.packed_bytes)(p, base, width, other, n);
            for (size_t i = 0; i < n; i++) {
                uint32_t byte = 0;
                for (uint32_t b = 0; b < width; b++)
                    byte |= (uint32_t)(p[(i * width + b) / 8] >> (i * width + b) % 8 & 1) << b;
                CHECK_EQ(other[i], (uint8_t)(byte + base));
            }
            for (size_t i = 0; i < 8; i++) CHECK_EQ(other[n + i], 0xa5);
            free(p);
        }
    }
}

TEST(join) // low bits that stand in planes of bytes
{
    EACH_LEVEL {
        for (int k = 0; k < 1000; k++) {
            const size_t n = below(100), plane = n + below(20);
            const uint32_t split = 1 + (uint32_t)below(32);
            padici_codec_transform form = PADIC_ZERO;
            form.first = below(2) ? 0 : test_random();
            form.step = below(2) ? 1 : test_random();
            fill(words, n + 1, 1 + (uint32_t)below(20));
            for (size_t i = 0; i < n; i++) want[i] = (words[i] * form.step + form.first) << split;
            for (size_t i = 0; i < 4 * plane; i++) {
                bytes[i] = (uint8_t)test_random();
                if (i % plane < n && i / plane * 8 < split)
                    want[i % plane] |= (uint64_t)bytes[i] << i / plane * 8;
            }
            want[n] = words[n];
            (*loops.join)(&form, split, words, bytes, plane, n);
            CHECK(!memcmp(words, want, (n + 1) * sizeof *want));
        }
    }
}

TEST(narrow) // the plain loops' elements, or a refusal: always where sums leave 32 bits
{
    enum { MOST = 20000, GROUPS = MOST / PADICI_CODEC_GROUP + 1 };
    static uint64_t x[MOST + 64], y[MOST + 64], gaps[100], high[100];
    static uint8_t a[8 * MOST + 8], b[8 * MOST + 8], widths[GROUPS];
    static padici_codec_work w;
    EACH_LEVEL {
        uint32_t done = 0, left = 0;
        CHECK_EQ(loops.narrow != NULL, !strcmp(level, "avx512ifma"));
        w.loops = &padici_codec_plain_table;
        for (int k = 0; loops.narrow && k < (test_tiny ? 500 : 2000); k++) {
            const padic_dtype dtype = (padic_dtype)(PADIC_F64 + (int)below(12));
            const size_t n = 8192 + below(MOST - 8192), bytes_each = padic_dtype_size(dtype);
            const uint32_t most = k % 9 == 8 ? (uint32_t)below(66)
                                  : k % 4    ? (uint32_t)below(26)
                                             : 20 + (uint32_t)below(14);
            padici_codec_transform form = some_form(dtype);
            padici_codec_predictor predictor = PADIC_ZERO;
            padici_codec_decoder representations = PADIC_ZERO;
            uint64_t carry[PADICI_CODEC_MAX_OPS][8];
            size_t size = 0, place = 0;
            int bad = 0, zigzag;
            if (k % 3 == 0) form.step = 1, form.first = 0;
            predictor.kind =
                below(4) ? PADICI_CODEC_PREDICTOR_LORENZO : PADICI_CODEC_PREDICTOR_NONE;
            predictor.count = predictor.kind ? 1 + (uint32_t)below(3) : 0;
            zigzag = predictor.kind && below(20);
            for (uint32_t i = 0, stride = 1 + (uint32_t)below(k % 5 ? 2 : 40); i < predictor.count;
                 i++, stride *= i == 1 ? 16 + (uint32_t)below(2000) : 3) {
                predictor.op[i].stride = stride;
                predictor.op[i].segment =
                    below(3) ? stride * (1 + (uint32_t)below(3000)) : (uint32_t)n;
                if (predictor.op[i].segment % stride) predictor.op[i].axis = PADICI_CODEC_FLAT;
            }
            if (predictor.count && k % 5 == 1) { // axes, the last one short
                size_t stride = 1, axis = 2 + below(16);
                for (uint32_t i = 0; i < predictor.count; i++) {
                    memset(&predictor.op[i], 0, sizeof predictor.op[i]);
                    predictor.op[i].stride = (uint32_t)stride;
                    predictor.op[i].segment = (uint32_t)(stride *= axis);
                    axis = 1 + below(200);
                }
            }
            for (size_t g = 0; g * PADICI_CODEC_GROUP < n; g++) {
                widths[g] = (uint8_t)below(most + 1);
                size += (padici_codec_least(n - g * PADICI_CODEC_GROUP, PADICI_CODEC_GROUP) *
                             widths[g] +
                         7) /
                        8;
            }
            representations.exceptions = below(3) ? below(50) : 0;
            for (size_t e = 0; e < representations.exceptions; e++) {
                gaps[e] = below(k % 7 ? 150 : 800);
                high[e] = below(k % 11 ? 8 : 1000000);
                if (e == 0)
                    place = representations.place = (size_t)gaps[0];
                else
                    place += (size_t)gaps[e] + 1;
                bad |= place >= n;
            }
            uint8_t *p = (uint8_t *)malloc(size + 8);
            if (!p) continue;
            for (size_t i = 0; i < size + 8; i++) p[i] = (uint8_t)test_random();
            representations.widths = widths;
            representations.gaps = gaps;
            representations.high = high;
            representations.plain = p;
            representations.end = size + (below(50) == 0);
            padici_codec_decoder plain = representations;
            memset(a, 0xa5, n * bytes_each + 8);
            memset(b, 0xa5, n * bytes_each + 8);
            memset(y, 0xa5, sizeof y);
            bad |= !padici_codec_next_fixed(&w, &plain, x, 0, n, n);
            const int taken =
                (*loops.narrow)(&representations, &predictor, zigzag, &form, dtype, y, b, n);
            for (int i = 0; i < 8; i++) CHECK_EQ(b[n * bytes_each + (size_t)i], 0xa5);
            CHECK(!bad || !taken);
            if (bad || !taken) {
                left++;
                free(p);
                continue;
            }
            done++;
            padici_codec_unpredict(&padici_codec_plain_table, &predictor, x, 0, n, carry, zigzag);
            padici_codec_words_to_elements(&form, dtype, x, a, n);
            CHECK(!memcmp(a, b, n * bytes_each + 8));
            free(p);
        }
        if (loops.narrow) CHECK(done > 50 && left > 50);
    }
}

TEST(words) // elements on a lattice, near it, and any; exactly or within a bound
{
    static uint32_t off[200], off_want[200];
    EACH_LEVEL {
        for (int k = 0; k < (test_tiny ? 1000 : 20000); k++) {
            const padic_dtype dtype = (padic_dtype)(PADIC_F64 + (int)below(12));
            const uint32_t size = padic_dtype_size(dtype);
            padici_codec_transform form = some_form(dtype);
            const size_t n = below(100), most = below(2) ? n : below(n + 1), bad = below(3) * 40;
            padici_codec_tolerance tolerance = PADIC_ZERO;
            form.first = 0; // of the coset, which this does not see
            form.step = 1;
            fill(words, n, below(2) ? 0 : 1 + (uint32_t)below(20));
            padici_codec_words_to_elements(&form, dtype, words, bytes, n);
            for (size_t i = 0; i < n * size; i++)
                if (bad && below(bad) == 0)
                    bytes[i] = (uint8_t)(below(2) ? bytes[i] + 1u : test_random());
            if (below(3) == 0) {
                tolerance.mode =
                    below(4) ? PADIC_CODEC_TOLERANCE_ABSOLUTE : PADIC_CODEC_TOLERANCE_POINTWISE;
                tolerance.pointwise = tolerance.absolute = below(2) ? 1e-3 : 3e5;
            }
            const size_t count = padici_codec_elements_to_words(&form, &tolerance, dtype, size,
                                                                bytes, n, want, off_want, most);
            got[n] = 55;
            CHECK_EQ((*loops.words)(&form, &tolerance, dtype, size, bytes, n, got, off, most),
                     count);
            CHECK_EQ(got[n], 55);
            const size_t done = count > most ? 0 : n;
            if (count <= most && memcmp(want, got, done * sizeof *got))
                printf("\n  form %u dtype %d shift %u single %d", form.kind, (int)dtype,
                       form.shift, form.single);
            CHECK(!memcmp(want, got, done * sizeof *got));
            CHECK(!memcmp(off, off_want, padici_codec_least(count, most) * sizeof *off));
        }
    }
}

// ---- whole streams

enum { ROOM = 90000 };
static double source[ROOM], back[ROOM], plain_back[ROOM];
static uint8_t plain[12 * ROOM], packed[12 * ROOM];

// Arrays that lead to every form: smooth, decimal, fixed point, repeated, noise, almost constant.
static void make(padic_dtype dtype, int kind, size_t n)
{
    const uint32_t size = padic_dtype_size(padici_codec_scalar(dtype));
    double x = 0, v = 0;
    for (size_t i = 0; i < n; i++) {
        const double r = (double)(int64_t)below(2001) / 1000 - 1;
        v = 0.9 * v + r;
        x += v;
        double y = kind == 0   ? x * 0.37
                   : kind == 1 ? (double)(int64_t)(x * 10) / 100
                   : kind == 2 ? (double)(int64_t)(x * 4) / 64
                   : kind == 3 ? (double)(int)(i % 700 % 97)
                   : kind == 4 ? r * 1e9
                               : (i % 1000 == 3 ? r : 5);
        if (kind == 0 && below(3000) == 0) y = below(2) ? -0.0 : (double)INFINITY;
        if (padici_codec_is_float(padici_codec_scalar(dtype)))
            padici_codec_set_element(
                (uint8_t *)source, i, size,
                padici_codec_rounded(padici_codec_scalar(dtype), y, kind == 1 && size == 8));
        else
            padici_codec_set_element((uint8_t *)source, i, size,
                                     y - y == 0 ? (uint64_t)(int64_t)y : 7);
    }
    padici_codec_swap_elements((uint8_t *)source, n, size);
}

TEST(streams) // the same bytes packed, the same array back, at every level of SIMD and speed
{
    for (int k = 0; k < (test_tiny ? 12 : 120); k++) {
        const padic_dtype dtype = (padic_dtype)(PADIC_F64 + (int)below(12));
        const size_t rows = 1 + below(60), n = rows * (1 + below(ROOM / rows / 2));
        padic_codec_pack_desc desc = PADIC_ZERO;
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        size_t size = 0, have = 0;
        make(dtype, k % 6, n);
        desc.tensor = k % 3 ? padic_tensor_2d(dtype, source, rows, n / rows)
                            : padic_tensor_1d(dtype, source, n);
        desc.level = (uint32_t)(1 + k % 9);
        if (k % 5 == 0) desc.stages.coders = PADIC_CODEC_CODER_RANS;
        if (k % 7 == 0) desc.stages.representations = PADIC_CODEC_REPRESENTATION_PACKED;
        if (k % 11 == 0) desc.stages.predictors = PADIC_CODEC_PREDICTOR_XOR;
        if (k % 4 == 1 && padici_codec_is_float(dtype)) {
            desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE;
            desc.tolerance = 1e-4;
        }
        CHECK_EQ(codec_pack(NULL, &desc, plain, sizeof plain, &size), PADIC_OK);
        unpack.tensor = desc.tensor;
        unpack.tensor.data = plain_back;
        CHECK_EQ(codec_unpack(NULL, &unpack, plain, size), PADIC_OK);
        EACH_LEVEL {
            CHECK_EQ(codec_pack(context, &desc, packed, sizeof packed, &have), PADIC_OK);
            CHECK_EQ(have, size);
            CHECK(!memcmp(plain, packed, size));
            unpack.tensor.data = back;
            memset(back, 0, n * padic_dtype_size(dtype));
            CHECK_EQ(codec_unpack(context, &unpack, plain, size), PADIC_OK);
            CHECK(!memcmp(back, plain_back, n * padic_dtype_size(dtype)));
            CHECK_EQ(codec_verify(context, NULL, plain, size), PADIC_OK);
        }
    }
}

// Smooth fields within a bound: of one to three axes, with values that are no numbers or far away.
TEST(fields)
{
    for (int k = 0; k < (test_tiny ? 12 : 90); k++) {
        const padic_dtype dtype = k % 2 ? PADIC_F32 : PADIC_F64;
        const size_t a = 1 + below(20), b = 2 + below(30), c = 2 + below(60), n = a * b * c;
        const double noise = k % 3 ? 0 : 1e-4, size_of = k % 7 ? 1 : 1e25;
        padic_codec_pack_desc desc = PADIC_ZERO;
        size_t size = 0, have = 0;
        if (n > ROOM) continue;
        for (size_t i = 0; i < n; i++) {
            const double u = (double)(i % c) / (double)c, v = (double)(i / c % b) / (double)b;
            double x = (u * u * v + v * (1 - v) + noise * (double)below(1000) / 1000) * size_of;
            if (k % 5 == 4 && below(30) == 0) x = some_float();
            if (dtype == PADIC_F32) {
                const float y = (float)x;
                memcpy((uint8_t *)source + 4 * i, &y, 4);
            } else {
                memcpy((uint8_t *)source + 8 * i, &x, 8);
            }
        }
        desc.tensor = k % 4 ? padic_tensor_2d(dtype, source, a * b, c)
                            : padic_tensor_1d(dtype, source, n);
        if (k % 4 == 3) desc.tensor = padic_tensor_3d(dtype, source, a, b, c);
        desc.level = (uint32_t)(3 + k % 4);
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE;
        desc.tolerance = k % 9 < 3 ? 1e-2 : k % 9 < 6 ? 1e-4 : 1e-10;
        CHECK_EQ(codec_pack(NULL, &desc, plain, sizeof plain, &size), PADIC_OK);
        EACH_LEVEL {
            CHECK_EQ(codec_pack(context, &desc, packed, sizeof packed, &have), PADIC_OK);
            CHECK_EQ(have, size);
            CHECK(!memcmp(plain, packed, size));
        }
    }
}

// Damaged streams: at every level the same answer, the same damaged block and the same bytes. What
// is read ends where it may be read.
TEST(damaged)
{
    int unseen = 0, seen = 0;
    for (int k = 0; k < (test_tiny ? 12 : 60); k++) {
        const padic_dtype dtype = k % 2 ? PADIC_F32 : PADIC_F64;
        const size_t n = 1 + below(k % 3 ? 9000 : 40000);
        padic_codec_pack_desc desc = PADIC_ZERO;
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        uint64_t bad, plain_bad;
        size_t size = 0;
        make(dtype, k % 6, n);
        desc.tensor = padic_tensor_1d(dtype, source, n);
        desc.level = (uint32_t)(1 + k % 9);
        if (k % 3) desc.block[0] = 1000;
        if (k % 3 == 0 && k % 2) desc.stages.representations = PADIC_CODEC_REPRESENTATION_PACKED;
        CHECK_EQ(codec_pack(NULL, &desc, plain, sizeof plain, &size), PADIC_OK);
        unpack.tensor = desc.tensor;
        for (int d = 0; d < (test_tiny ? 10 : 40); d++) {
            uint8_t *exact = (uint8_t *)malloc(size);
            const size_t header = size < 64 ? size / 2 : 64;
            padic_result said;
            REQUIRE(exact);
            memcpy(exact, plain, size);
            for (size_t i = below(3) + 1; i-- > 0;) // up to three bytes behind the header
                exact[header + below(size - header)] ^= (uint8_t)(1 + below(255));
            unpack.tensor.data = plain_back;
            unpack.report = CODEC_BAD_BLOCK(&plain_bad);
            plain_bad = 77;
            memset(plain_back, 0xA6, sizeof plain_back);
            said = codec_unpack(NULL, &unpack, exact, size);
            *(said == PADIC_OK ? &unseen : &seen) += 1;
            EACH_LEVEL {
                unpack.tensor.data = back;
                unpack.report = CODEC_BAD_BLOCK(&bad);
                bad = 77;
                memset(back, 0xA6, sizeof back);
                CHECK_EQ(codec_unpack(context, &unpack, exact, size), said);
                CHECK_EQ(bad, plain_bad);
                CHECK(!memcmp(back, plain_back, sizeof back));
            }
            free(exact);
        }
    }
    CHECK(unseen * 10 <= seen);
}

// The packer's estimate of chains that come back to an axis, from the first word on; memory begins
// where it may be read.
TEST(chain_samples)
{
    static const uint32_t axes[4][4] = {{2, 1, 2, 0}, {2, 1, 2, 1}, {1, 2, 1, 0}, {2, 2, 1, 2}};
    const size_t extent[3] = {6, 9, 14}, step[3] = {126, 14, 1}, n = 756;
    for (int c = 0; c < 4; c++) {
        uint64_t *x = (uint64_t *)malloc(n * 8), *z = (uint64_t *)malloc(n * 8);
        REQUIRE(x && z);
        padici_codec_predictor p;
        memset(&p, 0, sizeof p);
        p.kind = PADICI_CODEC_PREDICTOR_LORENZO;
        p.count = 4;
        for (size_t i = 0; i < n; i++) want[i] = x[i] = i * i % 1009 * (i % 7);
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t axis = axes[c][k];
            p.op[k].axis = axis;
            p.op[k].stride = (uint32_t)step[axis];
            p.op[k].segment = (uint32_t)(step[axis] * extent[axis]);
            for (size_t i = n; i-- > 0;) // one difference after the other
                if (i / step[axis] % extent[axis]) want[i] -= want[i - step[axis]];
        }
        for (size_t from = 0; from < n; from += 27) {
            const size_t count = n - from < 27 ? n - from : 27;
            padici_codec_stretch_residuals(&p, x, from, count, n, z + from);
        }
        for (size_t i = 0; i < n; i++)
            CHECK(z[i] == (want[i] << 1 ^ (uint64_t)((int64_t)want[i] >> 63)));
        free(x);
        free(z);
    }
}

TEST_MAIN("simd_codec", CASE(chosen), CASE(checksum), CASE(fixed), CASE(put_fixed), CASE(classes),
          CASE(planes), CASE(rans), CASE(slots), CASE(context), CASE(sum), CASE(difference),
          CASE(least), CASE(group), CASE(pick), CASE(tokens), CASE(linear), CASE(between),
          CASE(float_taps), CASE(float_taps_of_many_rows), CASE(outer), CASE(bounds),
          CASE(elements), CASE(copy), CASE(packed_bytes), CASE(join), CASE(narrow), CASE(words),
          CASE(streams), CASE(fields), CASE(damaged), CASE(chain_samples))
