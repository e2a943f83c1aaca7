// test_codec_roundtrip.c: what goes in comes out, bit for bit: every dtype, rank, stride, size,
// block shape, level, prime and stage; the lattices are found; nothing expands; coders reach the
// entropy.
//
//     cc -O2 tests/codec/test_codec_roundtrip.c -o t -lm -lpthread && ./t          FULL=1 for more
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include "codec_cases.h"
#include <math.h> // log2, for the entropy of the oracle only

// ---------------------------------------------------------------------------------- values, sizes

// Every f16 and bf16 there is, in order and shuffled.
TEST(all_halves)
{
    static uint16_t value[65536];
    for (int d = 0; d < 2; d++) {
        const padic_dtype dtype = d ? PADIC_BF16 : PADIC_F16;
        for (int shuffled = 0; shuffled < 2; shuffled++) {
            cc_random r = {11};
            for (uint32_t i = 0; i < 65536; i++) value[i] = (uint16_t)i;
            for (uint32_t i = 65535; i > 0 && shuffled; i--) {
                const uint32_t j = (uint32_t)cc_below(&r, i + 1);
                const uint16_t t = value[i];
                value[i] = value[j];
                value[j] = t;
            }
            for (int level = 1; level <= 9; level += test_tiny ? 4 : 2) {
                padic_codec_pack_desc desc = cc_desc_1d(dtype, value, 65536);
                desc.level = (uint32_t)level;
                snprintf(cc_label, sizeof cc_label, "%s, shuffled %d, level %d", d ? "bf16" : "f16",
                         shuffled, level);
                const size_t size = cc_round_trip(NULL, &desc, NULL);
                if (!shuffled) CC_CHECK(size < 4096); // 0, 1, 2, ... holds no information
            }
        }
    }
}

// The boundary classes of every dtype, alone, in pairs and drawn at random.
TEST(boundary_classes)
{
    for (int d = 0; d < CC_DTYPES; d++) {
        const padic_dtype dtype = cc_dtypes[d];
        const size_t size = cc_size(cc_base(dtype)), parts = cc_components(dtype);
        uint64_t cell[512];
        for (uint64_t i = 0; i < 36; i++) {
            for (uint64_t j = 0; j < 36; j++) {
                for (size_t k = 0; k < 6 * parts; k++) {
                    cc_store_bits(size, cell, k, cc_class_bits(dtype, k % 2 ? j : i));
                }
                const uint64_t n = i == j ? 1 : 6;
                padic_codec_pack_desc desc = cc_desc_1d(dtype, cell, n);
                snprintf(cc_label, sizeof cc_label, "dtype %d, classes %d %d", (int)dtype, (int)i,
                         (int)j);
                cc_round_trip(NULL, &desc, NULL);
                if (test_tiny && j > i) j += 5;
            }
        }
        const size_t n = test_tiny ? 3000 : 70001;
        void *data = cc_new(n * cc_size(dtype));
        cc_fill(CC_CLASSES, dtype, data, n, 0, 3);
        padic_codec_pack_desc desc = cc_desc_1d(dtype, data, n);
        snprintf(cc_label, sizeof cc_label, "dtype %d, classes at random", (int)dtype);
        cc_round_trip(NULL, &desc, NULL);
        free(data);
    }
}

// 2^22 (full: 2^24) of the 2^32 floats, one from each piece of the number line, and others in
// random order.
TEST(sampled_f32)
{
    const size_t n = (size_t)1 << test_amount(16, 22, 24), step = ((uint64_t)1 << 32) / n;
    uint32_t *value = (uint32_t *)cc_new(n * 4);
    cc_random r = {24};
    for (size_t i = 0; i < n; i++) value[i] = (uint32_t)(i * step + cc_below(&r, step));
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, value, n);
    desc.level = 1;
    snprintf(cc_label, sizeof cc_label, "floats in order");
    cc_round_trip(NULL, &desc, NULL);
    const size_t m = n / (test_tiny ? 1 : 8);
    for (size_t i = 0; i < m; i++) value[i] = (uint32_t)cc_next(&r);
    desc = cc_desc_1d(PADIC_F32, value, m);
    snprintf(cc_label, sizeof cc_label, "2^21 floats at random");
    cc_round_trip(NULL, &desc, NULL);
    free(value);
}

// Every kind of array of every dtype at sizes 0, 1, odd, prime, block - 1, block + 1 and beyond.
TEST(sizes)
{
    static const uint32_t sizes[] = {0,   1,   2,   3,    4,    5,    7,    8,    9,
                                     15,  16,  17,  31,   32,   33,   63,   64,   65,
                                     97,  127, 128, 129,  251,  255,  256,  257,  258,
                                     511, 512, 513, 1009, 2048, 4095, 4096, 4097, 10007};
    const int count = (int)(sizeof sizes / sizeof *sizes);
    for (int d = 0; d < CC_DTYPES; d++) {
        const padic_dtype dtype = cc_dtypes[d];
        void *data = cc_new(10007 * cc_size(dtype));
        for (int kind = 0; kind < CC_KINDS; kind++) {
            cc_fill((cc_kind)kind, dtype, data, 10007, 0, 17);
            for (int s = test_tiny ? kind % 5 : 0; s < count; s += test_tiny ? 5 : 1) {
                padic_codec_pack_desc desc = cc_desc_1d(dtype, data, sizes[s]);
                snprintf(cc_label, sizeof cc_label, "dtype %d, %s, %u elements", (int)dtype,
                         cc_kind_names[kind], (unsigned)sizes[s]);
                cc_round_trip(NULL, &desc, NULL);
            }
        }
        free(data);
    }
}

TEST(sizes_around_blocks)
{
    for (int d = 0; d < CC_DTYPES; d += test_tiny ? 5 : 1) {
        const padic_dtype dtype = cc_dtypes[d];
        const size_t most = (size_t)1 << 18;
        void *data = cc_new(most * cc_size(dtype));
        cc_fill((cc_kind)(CC_SMOOTH + d % 14), dtype, data, most, 300, 5);
        padic_codec_report r;
        padic_codec_pack_desc desc = cc_desc_1d(dtype, data, most);
        snprintf(cc_label, sizeof cc_label, "dtype %d, 2^18", (int)dtype);
        REQUIRE(cc_round_trip(NULL, &desc, &r));
        const uint64_t b = r.block[0];
        CC_CHECK(b >= 1 && b <= (uint64_t)1 << 20);
        CC_CHECK(r.blocks == (most + b - 1) / b);
        const uint64_t sizes[5] = {b - 1, b, b + 1, 2 * b + 1, 3 * b - 1};
        for (int s = 0; s < 5; s++) {
            if (sizes[s] > most) continue;
            desc = cc_desc_1d(dtype, data, sizes[s]);
            snprintf(cc_label, sizeof cc_label, "dtype %d, block %lu, %lu elements", (int)dtype,
                     (unsigned long)b, (unsigned long)sizes[s]);
            cc_round_trip(NULL, &desc, NULL);
        }
        free(data);
    }
}

// ----------------------------------------------------------------------- shapes, strides, options

// Ranks 0 to 8, extents of 0, 1 and odd numbers among them.
TEST(ranks)
{
    static const uint64_t shapes[][9] = {
        // rank, extents
        {0},
        {1, 1},
        {1, 1201},
        {2, 1, 77},
        {2, 77, 1},
        {2, 43, 67},
        {2, 500, 3},
        {2, 3, 500},
        {2, 5, 0},
        {3, 13, 17, 11},
        {3, 1, 1, 1},
        {3, 4, 0, 9},
        {3, 31, 29, 2},
        {4, 5, 7, 9, 11},
        {4, 2, 3, 40, 3},
        {4, 1, 30, 1, 30},
        {5, 3, 4, 5, 6, 7},
        {6, 3, 2, 5, 3, 2, 5},
        {7, 2, 3, 2, 3, 2, 3, 4},
        {8, 2, 2, 3, 2, 2, 3, 2, 3},
        {8, 1, 1, 1, 1, 1, 1, 1, 1},
        {8, 3, 1, 4, 1, 5, 1, 9, 2},
    };
    static const cc_kind kinds[] = {CC_SMOOTH, CC_BITS, CC_RECORDS, CC_DECIMAL, CC_CONSTANT};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint32_t rank = (uint32_t)shapes[s][0];
        const size_t n = cc_count(rank, shapes[s] + 1);
        const size_t width = rank ? (size_t)shapes[s][rank] : 1;
        for (int d = 0; d < CC_DTYPES; d++) {
            void *data = cc_new(n * cc_size(cc_dtypes[d]));
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                if (test_tiny && (s + (size_t)d + k) % 4) continue;
                cc_fill(kinds[k], cc_dtypes[d], data, n, width, s);
                padic_codec_pack_desc desc = cc_desc(cc_dtypes[d], data, rank, shapes[s] + 1);
                snprintf(cc_label, sizeof cc_label, "dtype %d, shape number %d, %s",
                         (int)cc_dtypes[d], (int)s, cc_kind_names[kinds[k]]);
                cc_round_trip(NULL, &desc, NULL);
            }
            free(data);
        }
    }
}

// Packs a strided view of `all` and a dense copy of it: both must come back, with the same bytes.
// Then decodes into the same strides, where the elements between must stay as they were.
static void strided_case(padic_dtype dtype, uint8_t *all, size_t elements, uint32_t rank,
                         const uint64_t *shape, const int64_t *stride)
{
    padic_codec_pack_desc desc = cc_desc(dtype, all, rank, shape);
    for (uint32_t a = 0; a < rank; a++) desc.tensor.stride[a] = stride[a];
    if (!cc_round_trip(NULL, &desc, NULL)) return;
    size_t bytes = 0;
    uint8_t *dense = (uint8_t *)cc_dense(&desc.tensor, &bytes);
    padic_codec_pack_desc plain = cc_desc(dtype, dense, rank, shape);
    cc_packed p = cc_pack(NULL, &desc), q = cc_pack(NULL, &plain);
    CC_CHECK(p.size == q.size && memcmp(p.bytes, q.bytes, p.size) == 0);

    const size_t size = cc_size(dtype), n = cc_count(rank, shape);
    uint8_t *out = (uint8_t *)cc_new(elements * size), *want = (uint8_t *)cc_new(elements * size);
    memset(out, 0x6B, elements * size);
    memset(want, 0x6B, elements * size);
    for (size_t i = 0; i < n; i++) {
        size_t rest = i, at = 0;
        for (uint32_t a = rank; a-- > 0;) {
            at += (rest % (size_t)shape[a]) * (size_t)stride[a];
            rest /= (size_t)shape[a];
        }
        memcpy(want + at * size, dense + i * size, size);
    }
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = desc.tensor;
    u.tensor.data = out;
    CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
    CC_CHECK(memcmp(out, want, elements * size) == 0);
    free(out);
    free(want);
    free(dense);
    free(p.bytes);
    free(q.bytes);
}

TEST(strides)
{
    for (int d = 0; d < CC_DTYPES; d++) {
        const padic_dtype dtype = cc_dtypes[d];
        const size_t elements = 24000;
        uint8_t *all = (uint8_t *)cc_new(elements * cc_size(dtype));
        for (int k = 0; k < 2; k++) {
            cc_fill(k ? CC_BITS : CC_SMOOTH, dtype, all, elements, 150, 9);
            const uint64_t s1[1] = {9000}, s2[2] = {97, 120}, s3[3] = {11, 13, 17};
            const int64_t second[1] = {2}, fifth[1] = {3 - 1}, rows[2] = {150, 1},
                          turned[2] = {1, 97}, both[2] = {240, 2}, axes[3] = {1, 11, 11 * 13},
                          mixed[3] = {17, 11 * 17, 1}, wide[3] = {2000, 150, 3};
            snprintf(cc_label, sizeof cc_label, "dtype %d, data %d, strides", (int)dtype, k);
            strided_case(dtype, all, elements, 1, s1, second);
            strided_case(dtype, all, elements, 1, s1, fifth);
            strided_case(dtype, all, elements, 2, s2, rows);
            strided_case(dtype, all, elements, 2, s2, turned);
            strided_case(dtype, all, elements, 2, s2, both);
            strided_case(dtype, all, elements, 3, s3, axes);
            strided_case(dtype, all, elements, 3, s3, mixed);
            strided_case(dtype, all, elements, 3, s3, wide);
        }
        free(all);
    }
    // More than one block, transposed and padded.
    const uint64_t big[2] = {400, 500};
    const int64_t turned[2] = {1, 401}, padded[2] = {512, 1};
    const size_t elements = 512 * 401;
    uint8_t *all = (uint8_t *)cc_new(elements * 4);
    cc_fill(CC_SMOOTH, PADIC_F32, all, elements, 512, 2);
    snprintf(cc_label, sizeof cc_label, "strides over many blocks");
    strided_case(PADIC_F32, all, elements, 2, big, turned);
    strided_case(PADIC_F32, all, elements, 2, big, padded);
    free(all);
}

// The shape of a block is the caller's: all of the array, one element, odd boxes, larger than it.
TEST(block_shapes)
{
    const uint64_t shape[3] = {23, 31, 37};
    static const uint64_t blocks[][3] = {{23, 31, 37}, {1, 1, 37},   {1, 31, 37}, {5, 7, 11},
                                         {16, 16, 16}, {64, 64, 64}, {23, 1, 1},  {2, 3, 64}};
    for (int d = 0; d < CC_DTYPES; d++) {
        const size_t n = cc_count(3, shape);
        uint8_t *data = (uint8_t *)cc_new(n * cc_size(cc_dtypes[d]));
        cc_fill((cc_kind)(CC_SMOOTH + d % 14), cc_dtypes[d], data, n, 37, 4);
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            if (test_tiny && (b + (size_t)d) % 6) continue;
            padic_codec_pack_desc desc = cc_desc(cc_dtypes[d], data, 3, shape);
            uint64_t expected = 1;
            for (int a = 0; a < 3; a++) {
                desc.block[a] = blocks[b][a];
                expected *= (shape[a] + blocks[b][a] - 1) / blocks[b][a];
            }
            padic_codec_report r;
            snprintf(cc_label, sizeof cc_label, "dtype %d, block shape number %d",
                     (int)cc_dtypes[d], (int)b);
            if (cc_round_trip(NULL, &desc, &r)) CC_CHECK(r.blocks == expected);
        }
        free(data);
    }
    // Single elements as blocks, and blocks of an array of four axes.
    const uint64_t four[4] = {3, 4, 5, 6};
    float value[360];
    cc_fill(CC_SMOOTH, PADIC_F32, value, 360, 6, 1);
    padic_codec_pack_desc desc = cc_desc(PADIC_F32, value, 4, four);
    for (int a = 0; a < 4; a++) desc.block[a] = 1;
    snprintf(cc_label, sizeof cc_label, "blocks of one element");
    cc_round_trip(NULL, &desc, NULL);
    for (int a = 0; a < 4; a++) desc.block[a] = 2;
    snprintf(cc_label, sizeof cc_label, "blocks of 2 x 2 x 2 x 2");
    cc_round_trip(NULL, &desc, NULL);
}

TEST(levels)
{
    const uint64_t shape[2] = {test_tiny ? 37u : 111u, 131};
    const size_t n = cc_count(2, shape);
    for (int d = 0; d < CC_DTYPES; d++) {
        uint8_t *data = (uint8_t *)cc_new(n * cc_size(cc_dtypes[d]));
        for (int kind = d % 3; kind < CC_KINDS; kind += test_tiny ? 11 : 3) {
            cc_fill((cc_kind)kind, cc_dtypes[d], data, n, 131, 6);
            for (int level = 0; level <= 9; level += test_tiny ? 3 : 1) {
                padic_codec_pack_desc desc = cc_desc(cc_dtypes[d], data, 2, shape);
                desc.level = (uint32_t)level;
                padic_codec_report r;
                snprintf(cc_label, sizeof cc_label, "dtype %d, %s, level %d", (int)cc_dtypes[d],
                         cc_kind_names[kind], level);
                if (cc_round_trip(NULL, &desc, &r))
                    CC_CHECK(r.level == (level ? (uint32_t)level : 5));
            }
        }
        free(data);
    }
}

TEST(primes)
{
    static const uint32_t primes[] = {2, 3, 5, 7, 11, 251, 257, 4093, 65521, 65537};
    static const cc_kind kinds[] = {CC_PRIME, CC_WALK, CC_BITS, CC_ZERO, CC_VALUATION};
    for (int d = 0; d < CC_DTYPES; d++) {
        const size_t n = test_tiny ? 300 : 3001;
        uint8_t *data = (uint8_t *)cc_new(n * cc_size(cc_dtypes[d]));
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            cc_fill(kinds[k], cc_dtypes[d], data, n, 0, 8);
            for (size_t p = 0; p < sizeof primes / sizeof *primes; p++) {
                padic_codec_pack_desc desc = cc_desc_1d(cc_dtypes[d], data, n);
                desc.prime = primes[p];
                desc.stages.representations = PADIC_CODEC_REPRESENTATION_PRIME;
                desc.stages.patterns = PADIC_CODEC_PATTERN_NONE;
                padic_codec_report r;
                snprintf(cc_label, sizeof cc_label, "dtype %d, %s, prime %u", (int)cc_dtypes[d],
                         cc_kind_names[kinds[k]], (unsigned)primes[p]);
                if (cc_round_trip(NULL, &desc, &r) && kinds[k] == CC_PRIME &&
                    cc_dtypes[d] == PADIC_I32) {
                    CC_CHECK(r.representations[4] == r.blocks);
                }
            }
        }
        free(data);
    }
    uint32_t value[4] = {1, 2, 3, 4};
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_U32, value, 4);
    desc.stages.representations = PADIC_CODEC_REPRESENTATION_PRIME;
    uint8_t room[1024];
    size_t size;
    static const uint32_t wrong[] = {1, 4, 6, 9, 255, 65535, 65536, 65539, 4294967291u};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        desc.prime = wrong[i]; // 65539 and 4294967291 are primes beyond the limit
        CHECK_EQ(codec_pack(NULL, &desc, room, sizeof room, &size),
                 wrong[i] > 65537 ? PADIC_ERROR_LIMIT : PADIC_ERROR_PRIME);
    }
}

// ----------------------------------------------------------------------------------------- stages

#define GROUPS 5
static const int group_size[GROUPS] = {8, 8, 5, 8, 8};
static const char *const group_name[GROUPS] = {"form", "predictor", "pattern", "digits", "coder"};

static uint32_t *stage_mask(padic_codec_stages *s, int group)
{
    uint32_t *const masks[GROUPS] = {&s->transforms, &s->predictors, &s->patterns,
                                     &s->representations, &s->coders};
    return masks[group];
}

static const uint64_t *stage_count(const padic_codec_report *r, int group)
{
    const uint64_t *const counts[GROUPS] = {r->transforms, r->predictors, r->patterns,
                                            r->representations, r->streams};
    return counts[group];
}

// Nothing but what was allowed, and the plain choice for blocks on which nothing allowed holds.
static void check_stages(const padic_codec_report *r, padic_codec_stages stages)
{
    for (int g = 0; g < GROUPS; g++) {
        const uint32_t mask = *stage_mask(&stages, g);
        for (int c = 0; c < 8; c++) {
            const int allowed = !mask || (mask >> c & 1) || c == 0 || (g == 0 && c == 5);
            CC_CHECK(allowed || stage_count(r, g)[c] == 0);
            CC_CHECK(c < group_size[g] || stage_count(r, g)[c] == 0);
            if (g < 4) CC_CHECK(stage_count(r, g)[c] <= r->blocks);
        }
    }
}

// The kind of array on which a choice ought to hold.
static const cc_kind stage_kind[GROUPS][8] = {
    {CC_SMOOTH, CC_WEIGHTS, CC_BINARY, CC_AFFINE, CC_DECIMAL, CC_BITS, CC_REPEAT, CC_REPEAT},
    {CC_NOISE, CC_WALK, CC_RAMP, CC_SMOOTH, CC_RUNS, CC_SMOOTH, CC_SMOOTH, CC_SMOOTH},
    {CC_WALK, CC_RUNS, CC_REPEAT, CC_CONSTANT, CC_REPEAT, CC_BITS, CC_BITS, CC_BITS},
    {CC_SKEW, CC_WALK, CC_NOISE, CC_VALUATION, CC_PRIME, CC_SKEW, CC_TWO, CC_RUNS},
    {CC_BITS, CC_ZERO, CC_NOISE, CC_SKEW, CC_SKEW, CC_SPARSE, CC_WALK, CC_REPEAT},
};

// One forced round trip of a small array whose shape is chosen by `turn`.
static void forced_case(padic_dtype dtype, cc_kind kind, padic_codec_stages stages, uint32_t turn,
                        size_t n)
{
    const uint64_t shapes[4][4] = {{n}, {n / 23, 23}, {n / 35, 7, 5}, {n / 30, 3, 2, 5}};
    const uint32_t rank = turn % 4 + 1;
    const uint64_t *shape = shapes[turn % 4];
    const size_t count = cc_count(rank, shape);
    uint8_t *data = (uint8_t *)cc_new(count * cc_size(dtype));
    cc_fill(kind, dtype, data, count, (size_t)shape[rank - 1], turn);
    padic_codec_pack_desc desc = cc_desc(dtype, data, rank, shape);
    desc.stages = stages;
    if (turn % 5 == 0)
        desc.block[0] = shape[0] / 2 + 1; // rows of more than one block, when allowed
    for (uint32_t a = 1; a < rank && desc.block[0]; a++) desc.block[a] = shape[a];
    if (!desc.block[0]) memset(desc.block, 0, sizeof desc.block);
    snprintf(cc_label, sizeof cc_label, "dtype %d, %s, rank %d, %d elements, masks %x %x %x %x %x",
             (int)dtype, cc_kind_names[kind], (int)rank, (int)count, (unsigned)stages.transforms,
             (unsigned)stages.predictors, (unsigned)stages.patterns,
             (unsigned)stages.representations, (unsigned)stages.coders);
    padic_codec_report r;
    if (cc_round_trip(NULL, &desc, &r)) check_stages(&r, stages);
    free(data);
}

// Every single choice, on every kind of array of every dtype.
TEST(single_stages)
{
    uint32_t turn = 0;
    for (int g = 0; g < GROUPS; g++) {
        for (int c = 0; c < group_size[g]; c++) {
            padic_codec_stages stages;
            memset(&stages, 0, sizeof stages);
            *stage_mask(&stages, g) = 1u << c;
            for (int d = 0; d < CC_DTYPES; d++) {
                for (int kind = 0; kind < CC_KINDS; kind++, turn++) {
                    if (test_tiny && turn % 11) continue;
                    forced_case(cc_dtypes[d], (cc_kind)kind, stages, turn, 1050);
                }
            }
        }
    }
}

// Every pair of choices from two stages, on arrays that suit one, the other, and on random bits.
TEST(pairs_of_stages)
{
    uint32_t turn = 0;
    for (int g = 0; g < GROUPS; g++) {
        for (int h = g + 1; h < GROUPS; h++) {
            for (int c = 0; c < group_size[g]; c++) {
                for (int e = 0; e < group_size[h]; e++) {
                    padic_codec_stages stages;
                    memset(&stages, 0, sizeof stages);
                    *stage_mask(&stages, g) = 1u << c;
                    *stage_mask(&stages, h) = 1u << e;
                    const cc_kind kinds[3] = {stage_kind[g][c], stage_kind[h][e], CC_BITS};
                    for (int d = 0; d < CC_DTYPES; d++) {
                        for (int k = 0; k < 3; k++, turn++) {
                            if (turn % (test_full() ? 1u : test_tiny ? 17u : 2u)) continue;
                            forced_case(cc_dtypes[d], kinds[k], stages, turn / 7, 1050);
                        }
                    }
                }
            }
        }
    }
}

// Every combination of five choices.
TEST(all_combinations)
{
    uint32_t turn = 0;
    const uint32_t every = test_tiny ? 13 : 1;
    const int rounds = test_full() ? 14 : 1;
    for (int f = 0; f < group_size[0]; f++) {
        for (int p = 0; p < group_size[1]; p++) {
            for (int a = 0; a < group_size[2]; a++) {
                for (int d = 0; d < group_size[3]; d++) {
                    for (int c = 0; c < group_size[4]; c++) {
                        padic_codec_stages stages = {1u << f, 1u << p, 1u << a, 1u << d, 1u << c};
                        for (int i = 0; i < rounds; i++, turn++) {
                            if (turn % every) continue;
                            const cc_kind kinds[6] = {stage_kind[0][f], stage_kind[1][p],
                                                      stage_kind[2][a], stage_kind[3][d],
                                                      stage_kind[4][c], (cc_kind)(turn % CC_KINDS)};
                            forced_case(cc_dtypes[turn * 5 % CC_DTYPES], kinds[turn % 6], stages,
                                        turn / 3, 420);
                        }
                    }
                }
            }
        }
    }
}

static size_t linear_size(padic_codec_pack_desc *desc, uint32_t predictors, padic_codec_report *r)
{
    desc->stages.predictors = predictors;
    snprintf(cc_label, sizeof cc_label, "rank %d, predictors %x", (int)desc->tensor.rank,
             (unsigned)predictors);
    return cc_round_trip(NULL, desc, r) ? (size_t)r->packed_size : 0;
}

// Arrays with a law: x[i] = 2 cos(w) x[i - 1] - x[i - 2], on one axis or on both. The weights leave
// a few units; differences leave most of it. Along the slow axis, too, and as the default's choice.
TEST(weights_are_found)
{
    static const uint64_t shapes[3][2] = {{20000, 1}, {160, 125}, {10000, 2}};
    for (int c = 0; c < 3; c++) {
        const size_t n = 20000, row = (size_t)shapes[c][1];
        int32_t *x = (int32_t *)cc_new(n * 4);
        for (size_t i = 0; i < n; i++) {
            const double a = (double)(i / row), b = (double)(i % row);
            x[i] = (int32_t)floor(0.5 + 2e3 * sin(1.3 * a) * (c == 1 ? sin(1.1 * b + 0.2) : 1 + b));
        }
        padic_codec_pack_desc desc = cc_desc(PADIC_I32, x, c ? 2 : 1, shapes[c]);
        padic_codec_report r;
        desc.stages.patterns = PADIC_CODEC_PATTERN_NONE;
        const size_t rest = linear_size(&desc, 0x3f, &r);
        const size_t linear = linear_size(&desc, PADIC_CODEC_PREDICTOR_LINEAR, &r);
        CC_CHECK(r.predictors[7] == r.blocks);
        CC_CHECK(linear * 2 < rest && linear < n);
        const size_t chosen = linear_size(&desc, 0, &r);
        CC_CHECK(chosen * 2 < rest);
        free(x);
    }
}

// On an array that suits it a forced choice is really taken, so none of them is an empty name.
static void taken_case(int group, int choice, padic_dtype dtype, cc_kind kind, uint32_t rank,
                       const uint64_t *shape)
{
    const size_t n = cc_count(rank, shape);
    uint8_t *data = (uint8_t *)cc_new(n * cc_size(dtype));
    cc_fill(kind, dtype, data, n, (size_t)shape[rank - 1], 12);
    padic_codec_pack_desc desc = cc_desc(dtype, data, rank, shape);
    *stage_mask(&desc.stages, group) = 1u << choice;
    if (group != 2) desc.stages.patterns = PADIC_CODEC_PATTERN_NONE;
    padic_codec_report r;
    snprintf(cc_label, sizeof cc_label, "%s %d on dtype %d, %s", group_name[group], choice,
             (int)dtype, cc_kind_names[kind]);
    if (cc_round_trip(NULL, &desc, &r)) {
        CC_CHECK(stage_count(&r, group)[choice] > 0);
        if (group < 4) CC_CHECK(stage_count(&r, group)[choice] == r.blocks);
    }
    free(data);
}

// Of the three planes of bits of 0, 1, 4 and 5 the middle one is empty: a stream of one value.
static void taken_constant_stream(void)
{
    int32_t data[3000];
    cc_random random = {4};
    for (int i = 0; i < 3000; i++) {
        data[i] = (int32_t)(cc_below(&random, 2) + 4 * cc_below(&random, 2));
    }
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_I32, data, 3000);
    desc.stages.predictors = PADIC_CODEC_PREDICTOR_NONE;
    desc.stages.patterns = PADIC_CODEC_PATTERN_NONE;
    desc.stages.representations = PADIC_CODEC_REPRESENTATION_BITS;
    padic_codec_report r;
    for (int forced = 0; forced < 2; forced++) {
        desc.stages.coders = forced ? PADIC_CODEC_CODER_CONSTANT : 0;
        snprintf(cc_label, sizeof cc_label, "constant streams, forced %d", forced);
        if (cc_round_trip(NULL, &desc, &r)) CC_CHECK(r.streams[1] > 0);
    }
}

TEST(stages_are_taken)
{
    const uint64_t line[1] = {6000}, plane[2] = {60, 100}, space[3] = {20, 20, 15};
    taken_case(0, 0, PADIC_F32, CC_SMOOTH, 1, line);
    taken_case(0, 0, PADIC_I32, CC_WALK, 1, line);
    taken_case(0, 1, PADIC_F32, CC_WEIGHTS, 1, line);
    taken_case(0, 1, PADIC_F64, CC_WEIGHTS, 1, line);
    taken_case(0, 1, PADIC_F16, CC_WEIGHTS, 1, line);
    taken_case(0, 1, PADIC_BF16, CC_WEIGHTS, 1, line);
    taken_case(0, 2, PADIC_F32, CC_BINARY, 1, line);
    taken_case(0, 2, PADIC_F64, CC_BINARY, 1, line);
    taken_case(0, 2, PADIC_I32, CC_BINARY, 1, line);
    taken_case(0, 2, PADIC_U64, CC_BINARY, 1, line);
    taken_case(0, 3, PADIC_F64, CC_AFFINE, 1, line);
    taken_case(0, 3, PADIC_I32, CC_AFFINE, 1, line);
    taken_case(0, 4, PADIC_F64, CC_DECIMAL, 1, line);
    taken_case(0, 4, PADIC_F32, CC_DECIMAL, 1, line);
    taken_case(0, 5, PADIC_F32, CC_WALK, 1, line);
    for (int p = 0; p < 8; p++) {
        taken_case(1, p, PADIC_I32, CC_WALK, 2, plane);
        taken_case(1, p, PADIC_F32, CC_BINARY, 2, plane);
        if (p == 3) taken_case(1, p, PADIC_I16, CC_SMOOTH, 3, space);
    }
    taken_case(0, 6, PADIC_F64, CC_DECIMAL, 2, plane);
    taken_case(0, 6, PADIC_I16, CC_WALK, 1, line);
    taken_case(0, 6, PADIC_C64, CC_SMOOTH, 1, line);
    taken_case(1, 1, PADIC_I32, CC_RECORDS, 1, line);
    taken_case(1, 2, PADIC_F64, CC_RAMP, 1, line);
    taken_case(2, 0, PADIC_I32, CC_WALK, 1, line);
    taken_case(2, 1, PADIC_I32, CC_RUNS, 1, line);
    taken_case(2, 1, PADIC_F64, CC_RUNS, 1, line);
    taken_case(2, 2, PADIC_I32, CC_REPEAT, 1, line);
    taken_case(2, 2, PADIC_F64, CC_REPEAT, 1, line);
    taken_case(2, 2, PADIC_U8, CC_REPEAT, 1, line);
    taken_case(2, 3, PADIC_I32, CC_CONSTANT, 1, line);
    taken_case(2, 3, PADIC_C128, CC_CONSTANT, 1, line);
    taken_case(2, 4, PADIC_I32, CC_REPEAT, 1, line);
    taken_case(2, 4, PADIC_C64, CC_REPEAT, 1, line);
    taken_case(2, 4, PADIC_U8, CC_REPEAT, 1, line);
    for (int d = 0; d < 8; d++) {
        taken_case(3, d, PADIC_I32, CC_SKEW, 1, line);
        taken_case(3, d, PADIC_F64, CC_BINARY, 1, line);
    }
    taken_case(3, 3, PADIC_I64, CC_VALUATION, 1, line);
    taken_case(3, 4, PADIC_U32, CC_PRIME, 1, line);
    taken_case(4, 0, PADIC_I32, CC_SKEW, 1, line);
    taken_constant_stream();
    taken_case(4, 2, PADIC_I32, CC_NOISE, 1, line);
    taken_case(4, 3, PADIC_I32, CC_SKEW, 1, line);
    taken_case(4, 4, PADIC_I32, CC_SKEW, 1, line);
    taken_case(4, 5, PADIC_I32, CC_SPARSE, 1, line);
    taken_case(4, 6, PADIC_I32, CC_WALK, 1, line);
    taken_case(4, 6, PADIC_F32, CC_SMOOTH, 2, plane);
}

// --------------------------------------------------------------------------------------- lattices

// Builds n values of a lattice whose integers are uniform in [0, 2^bits), so that nothing but the
// lattice itself can make them small; `every` > 0 plants a value that is not on it at each such
// place. The packed size must then be near bits / 8 bytes a value.
typedef enum lattice {
    LATTICE_DECIMAL, // n / 10^k
    LATTICE_RATIO,   // n / D
    LATTICE_AFFINE,  // o + g n
    LATTICE_STEP,    // g n
    LATTICE_BINARY   // n 2^k
} lattice;

static double lattice_value(lattice kind, double n, double parameter, double offset)
{
    if (kind == LATTICE_DECIMAL || kind == LATTICE_RATIO) return cc_div(n, parameter);
    if (kind == LATTICE_AFFINE) return cc_add(cc_mul(n, parameter), offset);
    return cc_mul(n, parameter);
}

// k of the largest 2^k that is not above x > 0
static int binary_exponent(double x)
{
    int k = 0;
    for (; x >= 2; x /= 2) k++;
    for (; x < 1; x *= 2) k--;
    return k;
}

// forms: mask of the reported choices that count as "found"
static void lattice_case(lattice kind, padic_dtype dtype, double parameter, double offset, int bits,
                         uint64_t every, uint32_t transforms)
{
    const size_t n = 30000;
    uint8_t *data = (uint8_t *)cc_new(n * cc_size(dtype));
    cc_random r = {(uint64_t)bits * 1000 + every};
    size_t planted = 0;
    for (size_t i = 0; i < n; i++) {
        const double m = (double)(int64_t)cc_below(&r, (uint64_t)1 << bits);
        cc_put(dtype, data, i, lattice_value(kind, m, parameter, offset));
        if (every && i % every == every / 2) {
            cc_store_bits(cc_size(dtype), data, i,
                          planted % 3 ? cc_next(&r) : cc_class_bits(dtype, planted / 3));
            planted++;
        }
    }
    padic_codec_pack_desc desc = cc_desc_1d(dtype, data, n);
    padic_codec_report report;
    snprintf(cc_label, sizeof cc_label,
             "lattice %d, dtype %d, parameter %.17g, offset %g, %d bits, "
             "planted %d",
             (int)kind, (int)dtype, parameter, offset, bits, (int)planted);
    const size_t size = cc_round_trip(NULL, &desc, &report);
    uint64_t found = 0;
    for (int c = 0; c < 8; c++) found += transforms >> c & 1 ? report.transforms[c] : 0;
    // A general step is found to the last bit or nearly: some values then stand an ulp beside it.
    const double margin = kind == LATTICE_AFFINE ? 1.12 : 1.06;
    const double most =
        (double)n * bits / 8.0 * margin + (double)planted * (double)(cc_size(dtype) + 6) + 600;
    if (size) {
        const int failures = test_failures;
        // Multiples of a power of two are short in ordered bits, too; there the size decides alone.
        const int binary = parameter == cc_scale2(1.0, binary_exponent(parameter));
        CC_CHECK((double)size <= most);
        if (!binary) CC_CHECK(found == report.blocks);
        if (!binary && planted) CC_CHECK(report.exceptions > 0);
        if (test_failures > failures && test_failures <= 5) {
            printf(" (found %d of %d blocks, %lu bytes, at most %.0f, %lu exceptions)", (int)found,
                   (int)report.blocks, (unsigned long)size, most, (unsigned long)report.exceptions);
        }
    }
    free(data);
}

TEST(lattices)
{
    const uint32_t any =
        PADIC_CODEC_TRANSFORM_SCALE | PADIC_CODEC_TRANSFORM_AFFINE | PADIC_CODEC_TRANSFORM_DECIMAL;
    static const uint64_t planted[3] = {0, 1000, 100};
    for (int p = 0; p < 3; p++) {
        const uint64_t every = planted[p];
        // n / 10^k
        lattice_case(LATTICE_DECIMAL, PADIC_F64, 10.0, 0, 16, every, any);
        lattice_case(LATTICE_DECIMAL, PADIC_F64, 100.0, 0, 20, every, any);
        lattice_case(LATTICE_DECIMAL, PADIC_F64, 1000.0, 0, 16, every, any);
        lattice_case(LATTICE_DECIMAL, PADIC_F64, 1e6, 0, 24, every, any);
        lattice_case(LATTICE_DECIMAL, PADIC_F64, 1e10, 0, 40, every, any);
        lattice_case(LATTICE_DECIMAL, PADIC_F32, 10.0, 0, 14, every, any);
        lattice_case(LATTICE_DECIMAL, PADIC_F32, 1000.0, 0, 16, every, any);
        lattice_case(LATTICE_DECIMAL, PADIC_F32, 1e5, 0, 20, every, any);
        // n / D
        lattice_case(LATTICE_RATIO, PADIC_F64, 3.0, 0, 16, every, any);
        lattice_case(LATTICE_RATIO, PADIC_F64, 360.0, 0, 18, every, any);
        lattice_case(LATTICE_RATIO, PADIC_F64, 255.0, 0, 8, every, any);
        lattice_case(LATTICE_RATIO, PADIC_F32, 255.0, 0, 8, every, any);
        lattice_case(LATTICE_RATIO, PADIC_F32, 12.0, 0, 14, every, any);
        // o + g n, rounded twice
        lattice_case(LATTICE_AFFINE, PADIC_F64, 0.0152590219, 275.1534, 14, every, any);
        lattice_case(LATTICE_AFFINE, PADIC_F64, 0.25, 1013.0, 16, every, any);
        lattice_case(LATTICE_AFFINE, PADIC_F32, 0.5, 37.25, 12, every, any);
        lattice_case(LATTICE_AFFINE, PADIC_F32, 0.371519, 1013.27731, 12, every, any);
        // These lie on a finer lattice, too (10^-4 and the integers), which may be taken instead
        // where there are exceptions.
        lattice_case(LATTICE_AFFINE, PADIC_F64, 0.0173, 251.31, 14, 0, any);
        lattice_case(LATTICE_AFFINE, PADIC_F32, 3.0, 1e5, 12, 0, any);
        // g n
        lattice_case(LATTICE_STEP, PADIC_F64, 0.0173, 0, 16, every, any);
        lattice_case(LATTICE_STEP, PADIC_F64, 1e-6, 0, 20, every, any);
        // n 2^k
        lattice_case(LATTICE_BINARY, PADIC_F32, 1.0 / 32768, 0, 16, every, any);
        lattice_case(LATTICE_BINARY, PADIC_F64, 1.0 / 32768, 0, 16, every, any);
        lattice_case(LATTICE_BINARY, PADIC_F64, 4096.0, 0, 12, every, any);
        lattice_case(LATTICE_BINARY, PADIC_F32, 1048576.0, 0, 10, every, any);
        if (test_tiny) break;
    }
}

// f32 values rounded from the decimals, stored as f64: the text tables of the field.
TEST(lattice_f32_in_f64)
{
    const size_t n = 20000;
    double *value = (double *)cc_new(n * 8);
    cc_random r = {3};
    for (size_t i = 0; i < n; i++) {
        value[i] = (double)cc_narrow(cc_div((double)(int64_t)cc_below(&r, 65536), 1000.0));
    }
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_F64, value, n);
    snprintf(cc_label, sizeof cc_label, "decimals of f32 in f64");
    const size_t size = cc_round_trip(NULL, &desc, NULL);
    CC_CHECK(size && size < n * 4); // at the very least the 29 low bits cost nothing
    free(value);
}

// Integers that are all multiples of a step, or have one remainder.
TEST(lattice_integers)
{
    static const padic_dtype dtypes[] = {PADIC_I16, PADIC_U16, PADIC_I32,
                                         PADIC_U32, PADIC_I64, PADIC_U64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        const int narrow = cc_size(dtypes[d]) == 2;
        const uint64_t steps[3] = {narrow ? 100u : 1000u, narrow ? 64u : 4096u,
                                   narrow ? 257u : 86400u};
        for (int s = 0; s < 3; s++) {
            for (int o = 0; o < 2; o++) {
                const size_t n = 30000, size = cc_size(dtypes[d]);
                uint8_t *data = (uint8_t *)cc_new(n * size);
                cc_random r = {(uint64_t)s};
                for (size_t i = 0; i < n; i++) { // below 2^15, so that nothing wraps
                    cc_store_bits(size, data, i, cc_below(&r, 127) * steps[s] + (o ? 13u : 0u));
                }
                padic_codec_pack_desc desc = cc_desc_1d(dtypes[d], data, n);
                snprintf(cc_label, sizeof cc_label, "integers, dtype %d, step %d, offset %d",
                         (int)dtypes[d], (int)steps[s], o);
                const size_t packed = cc_round_trip(NULL, &desc, NULL);
                CC_CHECK(packed && packed < n * 7 / 8 + 600); // of 30 to 60 thousand plain
                free(data);
            }
        }
    }
}

// Values one ulp beside the lattice are listed or refused, never rounded.
TEST(one_ulp_off)
{
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_F64};
    static const uint64_t every[] = {1, 2, 10, 1000};
    for (int d = 0; d < 2; d++) {
        for (int kind = 0; kind < 5; kind++) {
            for (int e = 0; e < 4; e++) {
                const size_t n = 5000, size = cc_size(dtypes[d]);
                uint8_t *data = (uint8_t *)cc_new(n * size);
                cc_random r = {(uint64_t)(kind * 10 + e)};
                for (size_t i = 0; i < n; i++) {
                    static const double parameter[5] = {1000.0, 360.0, 0.0173, 0.1, 1.0 / 64};
                    const double m = (double)(int64_t)cc_below(&r, 4000);
                    cc_put(dtypes[d], data, i,
                           lattice_value((lattice)kind, m, parameter[kind], 17.5));
                    if (i % every[e] == 0) {
                        const uint64_t bits = cc_load_bits(size, data, i);
                        cc_store_bits(size, data, i, cc_below(&r, 2) && bits ? bits - 1 : bits + 1);
                    }
                }
                padic_codec_pack_desc desc = cc_desc_1d(dtypes[d], data, n);
                for (uint32_t form = 0; form < 64; form = form ? form * 2 : 1) {
                    desc.stages.transforms = form;
                    snprintf(cc_label, sizeof cc_label,
                             "one ulp off, dtype %d, lattice %d, every %d, form %x", (int)dtypes[d],
                             kind, (int)every[e], (unsigned)form);
                    cc_round_trip(NULL, &desc, NULL);
                }
                free(data);
            }
        }
    }
}

// ---------------------------------------------------------------------------------- size promises

// Random bits of every dtype: header plus 0.1 %, at every level; padic_codec_size_bound() is exact
// when the elements are stored as they are.
TEST(expansion)
{
    for (int d = 0; d < CC_DTYPES; d++) {
        const padic_dtype dtype = cc_dtypes[d];
        uint64_t one = 0;
        padic_codec_pack_desc none = cc_desc_1d(dtype, &one, 0);
        snprintf(cc_label, sizeof cc_label, "empty array, dtype %d", (int)dtype);
        const size_t header = cc_round_trip(NULL, &none, NULL);
        static const size_t sizes[] = {70000, 300007};
        for (int s = 0; s < (test_tiny ? 1 : 2); s++) {
            const size_t n = sizes[s], raw = n * cc_size(dtype);
            uint8_t *data = (uint8_t *)cc_new(raw);
            cc_fill(CC_BITS, dtype, data, n, 0, 77);
            for (int level = 1; level <= 9; level += 4) {
                padic_codec_pack_desc desc = cc_desc_1d(dtype, data, n);
                desc.level = (uint32_t)level;
                snprintf(cc_label, sizeof cc_label, "random bits, dtype %d, %d elements, level %d",
                         (int)dtype, (int)n, level);
                const size_t size = cc_round_trip(NULL, &desc, NULL);
                CC_CHECK(size && size <= header + raw + raw / 1000);
                desc.stages.transforms = PADIC_CODEC_TRANSFORM_RAW;
                const size_t stored = cc_round_trip(NULL, &desc, NULL);
                CC_CHECK(stored == padic_codec_size_bound(&desc));
            }
            free(data);
        }
        // Small random arrays cost a header, never a multiple of themselves.
        for (size_t n = 1; n < 4000; n = n * 3 + 1) {
            uint8_t *data = (uint8_t *)cc_new(n * cc_size(dtype));
            cc_fill(CC_BITS, dtype, data, n, 0, n);
            padic_codec_pack_desc desc = cc_desc_1d(dtype, data, n);
            snprintf(cc_label, sizeof cc_label, "random bits, dtype %d, %d elements", (int)dtype,
                     (int)n);
            const size_t size = cc_round_trip(NULL, &desc, NULL);
            CC_CHECK(size && size <= header + n * cc_size(dtype) + 80);
            free(data);
        }
    }
}

// Metadata below 1 % from 64 KiB on: what is not payload, for arrays that do not compress at all.
TEST(constants_are_small)
{
    for (int d = 0; d < CC_DTYPES; d++) {
        const size_t n = 200000;
        uint8_t *data = (uint8_t *)cc_new(n * cc_size(cc_dtypes[d]));
        cc_fill(CC_CONSTANT, cc_dtypes[d], data, n, 0, 1);
        padic_codec_pack_desc desc = cc_desc_1d(cc_dtypes[d], data, n);
        snprintf(cc_label, sizeof cc_label, "constant, dtype %d", (int)cc_dtypes[d]);
        const size_t size = cc_round_trip(NULL, &desc, NULL);
        CC_CHECK(size && size < 600);
        // Random values all the same: the constant is any bits.
        cc_random r = {9};
        const uint64_t lo = cc_next(&r), hi = cc_next(&r);
        const size_t part = cc_size(cc_base(cc_dtypes[d])), parts = cc_components(cc_dtypes[d]);
        for (size_t i = 0; i < n * parts; i++) cc_store_bits(part, data, i, i % parts ? hi : lo);
        const size_t random_size = cc_round_trip(NULL, &desc, NULL);
        CC_CHECK(random_size && random_size < 900); // at most 7 blocks
        free(data);
    }
}

// ----------------------------------------------------------------------------------------- coders

// Order-0 entropy in bytes of symbols below 65538.
static double entropy_bytes(const uint64_t *count, size_t symbols, size_t n)
{
    double bits = 0;
    for (size_t s = 0; s < symbols; s++) {
        if (count[s]) bits += (double)count[s] * log2((double)n / (double)count[s]);
    }
    return bits / 8;
}

typedef enum coder_shape { SHAPE_UNIFORM, SHAPE_GEOMETRIC, SHAPE_STEEP, SHAPE_LINEAR } coder_shape;

// One byte a symbol, no prediction, no pattern: what is left is the coder. `overhead` is what a
// table and the container may cost: the header as measured on an empty array, 12 bits for each
// symbol that occurs, 32 states of 4 bytes and a block header of 64 bytes, for each block.
static void coder_case(coder_shape shape, uint32_t symbols, size_t n, uint32_t coder, size_t block,
                       double margin)
{
    uint8_t *data = (uint8_t *)cc_new(n);
    static uint64_t count[256];
    memset(count, 0, sizeof count);
    cc_random r = {symbols + n};
    for (size_t i = 0; i < n; i++) {
        uint64_t v = 0;
        if (shape == SHAPE_UNIFORM) v = cc_below(&r, symbols);
        if (shape == SHAPE_GEOMETRIC) {
            while (v + 1 < symbols && cc_below(&r, 2)) v++;
        }
        // (a symbol rarer than 1 in 4,096 costs more than its entropy: the tables have 12 bits)
        if (shape == SHAPE_STEEP)
            v = cc_below(&r, 50) ? 0 : cc_below(&r, symbols < 9 ? symbols : 9);
        if (shape == SHAPE_LINEAR) {
            const uint64_t a = cc_below(&r, symbols), b = cc_below(&r, symbols);
            v = a < b ? a : b;
        }
        v = v * 167 % 256; // no order among the symbols
        data[i] = (uint8_t)v;
        count[v]++;
    }
    double entropy = 0, overhead = 0;
    static uint64_t part[256];
    for (size_t at = 0; at < n; at += block) {
        const size_t m = n - at < block ? n - at : block;
        memset(part, 0, sizeof part);
        for (size_t i = 0; i < m; i++) part[data[at + i]]++;
        size_t present = 0;
        for (int s = 0; s < 256; s++) present += part[s] != 0;
        entropy += entropy_bytes(part, 256, m);
        overhead += (double)present * 1.5 + 32 * 4 + 64;
    }
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_U8, data, n);
    desc.block[0] = block;
    desc.stages.predictors = PADIC_CODEC_PREDICTOR_NONE;
    desc.stages.patterns = PADIC_CODEC_PATTERN_NONE;
    desc.stages.transforms = PADIC_CODEC_TRANSFORM_BITS;
    desc.stages.representations = PADIC_CODEC_REPRESENTATION_BYTES;
    desc.stages.coders = coder;
    if (!coder) desc.level = 9; // below, the choice also counts the time that decoding takes
    padic_codec_report report;
    snprintf(cc_label, sizeof cc_label, "coder %x, shape %d, %u symbols, %lu of them",
             (unsigned)coder, (int)shape, (unsigned)symbols, (unsigned long)n);
    const size_t size = cc_round_trip(NULL, &desc, &report);
    padic_codec_pack_desc none = cc_desc_1d(PADIC_U8, data, 0);
    const double header = (double)cc_round_trip(NULL, &none, NULL);
    const double most = entropy * margin + overhead + header;
    CC_CHECK(size && (double)size <= most);
    if (size && (double)size > most && test_failures <= 5) {
        printf(" (%lu bytes, entropy %.0f, at most %.0f)", (unsigned long)size, entropy, most);
    }
    free(data);
}

TEST(coders_reach_the_entropy)
{
    static const uint32_t symbols[] = {2, 3, 16, 100, 256};
    for (size_t s = 0; s < sizeof symbols / sizeof *symbols; s++) {
        for (int shape = 0; shape < 4; shape++) {
            // RANS: 1 %; the free choice of level 9: 2 %. Huffman spends up to a bit a symbol more.
            coder_case((coder_shape)shape, symbols[s], 10000, 0, 65536, 1.02);
            coder_case((coder_shape)shape, symbols[s], 10000, PADIC_CODEC_CODER_RANS, 65536, 1.01);
            if (test_tiny) continue;
            coder_case((coder_shape)shape, symbols[s], 400000, 0, 65536, 1.02);
            coder_case((coder_shape)shape, symbols[s], 400000, PADIC_CODEC_CODER_RANS, 65536, 1.01);
            // In blocks of 2^20 the overhead allowed above is itself below 0.1 %.
            coder_case((coder_shape)shape, symbols[s], 1000000, PADIC_CODEC_CODER_RANS, 1 << 20,
                       1.01);
        }
    }
    // A Huffman code of a uniform power of two loses nothing.
    coder_case(SHAPE_UNIFORM, 16, 20000, PADIC_CODEC_CODER_HUFFMAN, 65536, 1.01);
    coder_case(SHAPE_UNIFORM, 256, 20000, PADIC_CODEC_CODER_HUFFMAN, 65536, 1.01);
    coder_case(SHAPE_GEOMETRIC, 16, 20000, PADIC_CODEC_CODER_HUFFMAN, 65536, 1.01);
    // Huffman's worst for a skewed alphabet: never above one bit a symbol more than the entropy.
    coder_case(SHAPE_LINEAR, 100, 20000, PADIC_CODEC_CODER_HUFFMAN, 65536, 1.04);
}

// 1, 2 and 65,537 different symbols through every coder.
TEST(coders_alphabets)
{
    static const uint32_t alphabet[] = {1, 2, 255, 256, 257, 65536, 65537};
    for (size_t a = 0; a < sizeof alphabet / sizeof *alphabet; a++) {
        const size_t n = test_tiny ? 3000 : 140000;
        uint32_t *data = (uint32_t *)cc_new(n * 4);
        cc_random r = {5};
        for (size_t i = 0; i < n; i++) {
            data[i] = i < alphabet[a] ? (uint32_t)i : (uint32_t)cc_below(&r, alphabet[a]);
        }
        for (uint32_t coder = 0; coder < 64; coder = coder ? coder * 2 : 1) {
            padic_codec_pack_desc desc = cc_desc_1d(PADIC_U32, data, n);
            desc.stages.coders = coder;
            desc.stages.predictors = PADIC_CODEC_PREDICTOR_NONE;
            snprintf(cc_label, sizeof cc_label, "%u symbols, coder %x", (unsigned)alphabet[a],
                     (unsigned)coder);
            const size_t size = cc_round_trip(NULL, &desc, NULL);
            if (!coder && alphabet[a] == 65537) {
                CC_CHECK(size && (double)size < (double)n * 17 / 8 * 1.02 + 2000);
            }
        }
        free(data);
    }
}

// --------------------------------------------------------------------------------- widening, boxes

TEST(widening)
{
    static const padic_dtype from[5] = {PADIC_F16, PADIC_F16, PADIC_BF16, PADIC_BF16, PADIC_F32};
    static const padic_dtype to[5] = {PADIC_F32, PADIC_F64, PADIC_F32, PADIC_F64, PADIC_F64};
    for (int c = 0; c < 5; c++) {
        const size_t n = 65536, small = cc_size(from[c]), large = cc_size(to[c]);
        uint8_t *data = (uint8_t *)cc_new(n * small), *out = (uint8_t *)cc_new(n * large);
        cc_random r = {1};
        for (size_t i = 0; i < n; i++) {
            cc_store_bits(small, data, i,
                          small == 2 ? i
                          : i < 64   ? cc_class_bits(from[c], i)
                                     : cc_next(&r));
        }
        for (int bounded = 0; bounded < 2; bounded++) {
            padic_codec_pack_desc desc = cc_desc_1d(from[c], data, n);
            if (bounded)
                desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE,
                desc.tolerance = 1e-30; // still lossless
            cc_packed p = cc_pack(NULL, &desc);
            padic_codec_unpack_desc u;
            memset(&u, 0, sizeof u);
            u.tensor = cc_tensor(to[c], out, 1, &desc.tensor.shape[0]);
            snprintf(cc_label, sizeof cc_label, "dtype %d to %d", (int)from[c], (int)to[c]);
            CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
            const cc_format f = cc_float_format(to[c]);
            for (size_t i = 0; i < n; i++) {
                uint64_t want = cc_widen_bits(from[c], cc_load_bits(small, data, i), to[c]);
                uint64_t got = cc_load_bits(large, out, i);
                if (!cc_load(from[c], data, i).finite) { // a NaN may become quiet
                    const uint64_t quiet = UINT64_C(1) << (f.mantissa - 1);
                    const uint64_t mantissa = (UINT64_C(1) << f.mantissa) - 1;
                    if ((want & mantissa) && (got & mantissa)) want |= quiet, got |= quiet;
                }
                CC_CHECK(got == want);
            }
            free(p.bytes);
        }
        free(data);
        free(out);
    }
}

// Any box of any array, into dense and strided memory, equals the same box of the whole.
TEST(boxes)
{
    static const uint64_t shapes[][9] = {{0},
                                         {1, 200001},
                                         {2, 401, 333},
                                         {2, 3, 70000},
                                         {2, 70000, 3},
                                         {3, 45, 51, 63},
                                         {4, 13, 17, 19, 21},
                                         {5, 7, 8, 9, 10, 11},
                                         {6, 5, 6, 5, 6, 5, 6},
                                         {8, 3, 4, 3, 4, 3, 4, 3, 4}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint32_t rank = (uint32_t)shapes[s][0];
        const uint64_t *shape = shapes[s] + 1;
        const padic_dtype dtype = cc_dtypes[(s * 3 + 1) % CC_DTYPES];
        const size_t n = cc_count(rank, shape), size = cc_size(dtype);
        if (test_tiny && n > 90000) continue;
        uint8_t *data = (uint8_t *)cc_new(n * size);
        cc_fill(s % 2 ? CC_SMOOTH : CC_WALK, dtype, data, n, rank ? (size_t)shape[rank - 1] : 1, s);
        for (int own = 0; own < 2; own++) {
            padic_codec_pack_desc desc = cc_desc(dtype, data, rank, shape);
            for (uint32_t a = 0; a < rank && own; a++)
                desc.block[a] = a + 1 == rank ? 16 : a % 2 ? 3 : 5;
            cc_packed p = cc_pack(NULL, &desc);
            cc_random r = {s};
            for (int trial = 0; trial < (test_tiny ? 4 : 25); trial++) {
                padic_codec_unpack_desc u;
                memset(&u, 0, sizeof u);
                for (uint32_t a = 0; a < rank; a++) {
                    u.begin[a] = cc_below(&r, shape[a]);
                    u.count[a] = 1 + cc_below(&r, shape[a] - u.begin[a]);
                    if (trial % 5 == 1) u.count[a] = 1;
                    if (trial % 5 == 2) u.begin[a] = 0, u.count[a] = shape[a];
                    if (trial % 5 == 3 && cc_below(&r, 2))
                        u.begin[a] = shape[a] - 1, u.count[a] = 1;
                }
                const int gaps = trial % 2; // leave a gap after each row
                u.tensor = cc_tensor(dtype, NULL, rank, u.count);
                size_t room = 1, box = cc_count(rank, u.count);
                for (uint32_t a = rank; a-- > 0;) {
                    u.tensor.stride[a] = gaps ? (int64_t)room : 0;
                    room *= (size_t)u.count[a] + (size_t)gaps;
                }
                if (!gaps) room = box;
                uint8_t *out = (uint8_t *)cc_new(room * size),
                        *want = (uint8_t *)cc_new(room * size);
                memset(out, 0x3C, room * size);
                memset(want, 0x3C, room * size);
                u.tensor.data = out;
                for (size_t i = 0; i < box; i++) {
                    size_t rest = i, from = 0, to = 0, step = 1, gap = 1;
                    for (uint32_t a = rank; a-- > 0;) {
                        const size_t x = rest % (size_t)u.count[a];
                        rest /= (size_t)u.count[a];
                        from += (x + (size_t)u.begin[a]) * step;
                        to += x * gap;
                        step *= (size_t)shape[a];
                        gap *= (size_t)u.count[a] + (size_t)gaps;
                    }
                    memcpy(want + to * size, data + from * size, size);
                }
                snprintf(cc_label, sizeof cc_label,
                         "box %d of shape number %d, dtype %d, blocks %d", trial, (int)s,
                         (int)dtype, own);
                CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
                CC_CHECK(memcmp(out, want, room * size) == 0);
                free(out);
                free(want);
            }
            free(p.bytes);
        }
        free(data);
    }
}

TEST_MAIN("codec_roundtrip", CASE(all_halves), CASE(boundary_classes), CASE(sampled_f32),
          CASE(sizes), CASE(sizes_around_blocks), CASE(ranks), CASE(strides), CASE(block_shapes),
          CASE(levels), CASE(primes), CASE(single_stages), CASE(pairs_of_stages),
          CASE(all_combinations), CASE(weights_are_found), CASE(stages_are_taken), CASE(lattices),
          CASE(lattice_f32_in_f64), CASE(lattice_integers), CASE(one_ulp_off), CASE(expansion),
          CASE(constants_are_small), CASE(coders_reach_the_entropy), CASE(coders_alphabets),
          CASE(widening), CASE(boxes))
