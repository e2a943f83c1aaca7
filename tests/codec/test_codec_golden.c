// test_codec_golden.c: the stored streams of tests/golden/ decode for ever, and this machine packs
// the same bytes from the same arrays.
//
//     cc -O2 tests/codec/test_codec_golden.c -o t -lm -lpthread && ./t
//
// The folder is looked for beside this source file and below the current one; PADIC_GOLDEN names
// another.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include "codec_cases.h"
#include "golden_cases.h"
#include "codec_reader.h"

static char folder[1024];

static FILE *open_manifest(void)
{
    const char *named = getenv("PADIC_GOLDEN");
    char beside[900];
    snprintf(beside, sizeof beside, "%s", __FILE__);
    size_t end = strlen(beside);
    while (end && beside[end - 1] != '/' && beside[end - 1] != '\\') end--;
    beside[end] = 0;
    for (int i = 0; i < 5; i++) {
        if (i == 0 && named) snprintf(folder, sizeof folder, "%s", named);
        if (i == 1) snprintf(folder, sizeof folder, "%s../golden", beside);
        if (i == 2) snprintf(folder, sizeof folder, "tests/golden");
        if (i == 3) snprintf(folder, sizeof folder, "golden");
        if (i == 4) snprintf(folder, sizeof folder, "../tests/golden");
        if (i == 0 && !named) continue;
        char path[1100];
        snprintf(path, sizeof path, "%s/manifest.txt", folder);
        FILE *file = fopen(path, "rb");
        if (file) return file;
    }
    return NULL;
}

typedef struct line {
    char name[64];
    unsigned long size;
    uint64_t packed, decoded;
} line;

static int next_line(FILE *file, line *l)
{
    char packed[17], decoded[17];
    if (fscanf(file, "%63s %lu %16s %16s", l->name, &l->size, packed, decoded) != 4) return 0;
    l->packed = strtoull(packed, NULL, 16);
    l->decoded = strtoull(decoded, NULL, 16);
    return 1;
}

static const golden_case *find_case(const char *name)
{
    for (int i = 0; i < GOLDEN_CASES; i++) {
        if (!strcmp(golden_cases[i].name, name)) return &golden_cases[i];
    }
    return NULL;
}

// A heap block of exactly the file's bytes.
static uint8_t *read_stream(const char *name, size_t *size)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s.padc", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    uint8_t *room = (uint8_t *)cc_new(1 << 20);
    *size = fread(room, 1, 1 << 20, file);
    fclose(file);
    uint8_t *bytes = (uint8_t *)cc_copy(room, *size);
    free(room);
    return bytes;
}

// The next line of the manifest and its stream; NULL after the last.
static uint8_t *next_stream(FILE *file, line *l, size_t *size)
{
    while (next_line(file, l)) {
        uint8_t *bytes = read_stream(l->name, size);
        snprintf(cc_label, sizeof cc_label, "%s", l->name);
        CC_CHECK(bytes != NULL);
        if (bytes) return bytes;
    }
    return NULL;
}

TEST(stored_streams_decode)
{
    FILE *file = open_manifest();
    REQUIRE(file != NULL);
    line l;
    int lines = 0;
    size_t size = 0;
    for (uint8_t *bytes; (bytes = next_stream(file, &l, &size)) != NULL; lines++) {
        CC_CHECK(size == l.size && cc_fnv(CC_FNV_START, bytes, size) == l.packed);
        CC_CHECK(codec_verify(NULL, NULL, bytes, size) == PADIC_OK);
        CC_CHECK(golden_decoded(bytes, size, find_case(l.name)) == l.decoded);
        free(bytes);
    }
    fclose(file);
    CHECK(lines >= GOLDEN_CASES);
}

// The second reader, which shares nothing with the library, finds the same numbers.
TEST(second_reader)
{
    FILE *file = open_manifest();
    REQUIRE(file != NULL);
    line l;
    int lines = 0;
    size_t size = 0;
    for (uint8_t *bytes; (bytes = next_stream(file, &l, &size)) != NULL; lines++) {
        rd_array a = rd_read(bytes, size);
        CC_CHECK(a.data != NULL);
        if (a.data) CC_CHECK(cc_hash_elements(a.dtype, a.data, a.count) == l.decoded);
        free(a.data);
        free(bytes);
    }
    fclose(file);
    CHECK(lines >= GOLDEN_CASES);
}

// And of fresh streams: every form of stage that the encoder comes to choose on the kinds of
// arrays that there are.
TEST(second_reader_of_fresh_streams)
{
    const uint64_t shape[2] = {37, 41};
    uint32_t turn = 0;
    for (int d = 0; d < CC_DTYPES; d++) {
        for (int kind = 0; kind < CC_KINDS; kind++, turn++) {
            const size_t n = cc_count(2, shape), bytes = n * cc_size(cc_dtypes[d]);
            uint8_t *data = (uint8_t *)cc_new(bytes);
            if (test_tiny && turn % 5) {
                free(data);
                continue;
            }
            cc_fill((cc_kind)kind, cc_dtypes[d], data, n, 41, turn);
            padic_codec_pack_desc desc = cc_desc(cc_dtypes[d], data, 2, shape);
            desc.level = (uint32_t)((int)(turn % 9) + 1);
            if (turn % 3 == 0) desc.stages.coders = 1u << turn / 3 % 8;
            if (turn % 4 == 1) desc.stages.representations = 1u << turn / 4 % 8;
            if (turn % 5 == 2) desc.stages.predictors = 1u << turn / 5 % 8;
            if (turn % 7 == 3) desc.stages.patterns = 1u << turn / 7 % 5;
            if (turn % 13 == 5) desc.stages.transforms = PADIC_CODEC_TRANSFORM_COLUMNS;
            if (turn % 17 == 3) desc.stages.transforms = PADIC_CODEC_TRANSFORM_PLAIN;
            if (turn % 11 == 4)
                desc.stages.coders = PADIC_CODEC_CODER_REPEAT | PADIC_CODEC_CODER_RANS;
            if (turn % 11 == 4) desc.block[0] = 16, desc.block[1] = 20;
            cc_packed p = cc_pack(NULL, &desc);
            snprintf(cc_label, sizeof cc_label, "dtype %d, %s, level %d", (int)cc_dtypes[d],
                     cc_kind_names[kind], desc.level);
            CC_CHECK(p.result == PADIC_OK);
            if (p.result == PADIC_OK) {
                rd_array a = rd_read(p.bytes, p.size);
                CC_CHECK(a.data != NULL);
                if (a.data) CC_CHECK(a.count == n && !memcmp(a.data, data, bytes));
                free(a.data);
            }
            free(p.bytes);
            free(data);
        }
    }
}

// Weighted neighbours on one to three axes, in boxes that are cut, in columns, behind repeats.
TEST(second_reader_of_weights)
{
    static const uint64_t shapes[6][4] = {{900},    {30, 31},       {9, 10, 11},
                                          {450, 2}, {3, 9, 8, 10}, {1, 17, 1, 40}};
    static const uint32_t ranks[6] = {1, 2, 3, 2, 4, 4};
    static const uint32_t patterns[4] = {PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_PATTERN_LZ,
                                         PADIC_CODEC_PATTERN_RUNS, PADIC_CODEC_PATTERN_MATCH};
    uint64_t taken = 0;
    for (uint32_t turn = 0; turn < (test_tiny ? 7u : 6u * CC_DTYPES * 4); turn++) {
        const uint32_t which = turn % 6, d = turn / 6 % CC_DTYPES, rank = ranks[which];
        const size_t n = cc_count(rank, shapes[which]), bytes = n * cc_size(cc_dtypes[d]);
        const cc_kind kinds[4] = {CC_SMOOTH, CC_WALK, CC_REPEAT, CC_BITS};
        uint8_t *data = (uint8_t *)cc_new(bytes);
        cc_fill(kinds[turn % 4], cc_dtypes[d], data, n, (size_t)shapes[which][rank - 1], turn);
        padic_codec_pack_desc desc = cc_desc(cc_dtypes[d], data, rank, shapes[which]);
        desc.stages.predictors = PADIC_CODEC_PREDICTOR_LINEAR;
        desc.stages.patterns = patterns[turn / 4 % 4];
        if (turn % 5 == 2)
            desc.stages.transforms = PADIC_CODEC_TRANSFORM_COLUMNS | PADIC_CODEC_TRANSFORM_BITS;
        if (turn % 7 == 3)
            for (uint32_t k = 0; k < rank; k++) desc.block[k] = shapes[which][k] / 2 + 1;
        desc.level = (uint32_t)((int)(turn % 9) + 1);
        cc_packed p = cc_pack(NULL, &desc);
        snprintf(cc_label, sizeof cc_label, "turn %u", (unsigned)turn);
        CC_CHECK(p.result == PADIC_OK);
        if (p.result == PADIC_OK) {
            padic_codec_report r;
            rd_array a = rd_read(p.bytes, p.size);
            CC_CHECK(a.data != NULL);
            if (a.data) CC_CHECK(a.count == n && !memcmp(a.data, data, bytes));
            CC_CHECK(codec_info(p.bytes, p.size, &r) == PADIC_OK);
            taken += r.predictors[7];
            free(a.data);
        }
        free(p.bytes);
        free(data);
    }
    CHECK(taken > 2);
}

TEST(same_bytes_here)
{
    FILE *file = open_manifest();
    REQUIRE(file != NULL);
    line l;
    int seen = 0;
    while (next_line(file, &l)) {
        const golden_case *g = find_case(l.name);
        if (!g) continue; // of an older encoder: decoded above
        size_t size = 0;
        uint8_t *bytes = read_stream(l.name, &size);
        cc_packed p = golden_pack(g);
        snprintf(cc_label, sizeof cc_label, "%s", l.name);
        CC_CHECK(p.result == PADIC_OK && bytes && p.size == size && !memcmp(p.bytes, bytes, size));
        seen++;
        free(bytes);
        free(p.bytes);
    }
    fclose(file);
    CHECK_EQ(seen, GOLDEN_CASES);
}

// 5,880 streams more, of which only hashes are stored.
TEST(same_digests_here)
{
    FILE *file = open_manifest();
    REQUIRE(file != NULL);
    fclose(file);
    char path[1200], text[17];
    snprintf(path, sizeof path, "%s/digests.txt", folder);
    file = fopen(path, "rb");
    REQUIRE(file != NULL);
    for (int d = 0; d < GOLDEN_DIGESTS; d++) {
        if (fscanf(file, "%16s", text) != 1) text[0] = 0;
        snprintf(cc_label, sizeof cc_label, "digest %d", d);
        CC_CHECK(strlen(text) == 16);
        if (!test_tiny || d == 2 || d == 3) CC_CHECK(golden_digest(d) == strtoull(text, NULL, 16));
    }
    fclose(file);
}

// The set holds what it is for: each dtype, each choice of each stage, each bound.
TEST(every_choice_is_there)
{
    FILE *file = open_manifest();
    REQUIRE(file != NULL);
    line l;
    uint64_t dtypes = 0, modes = 0, flags = 0, seen[5][8];
    static const int sizes[5] = {7, 8, 5, 8, 7};
    memset(seen, 0, sizeof seen);
    while (next_line(file, &l)) {
        size_t size = 0;
        uint8_t *bytes = read_stream(l.name, &size);
        padic_codec_report r;
        if (bytes && codec_info(bytes, size, &r) == PADIC_OK) {
            dtypes |= (uint64_t)1 << (int)r.dtype;
            modes |= (uint64_t)1 << (int)r.tolerance_mode;
            // The flags of the first block: after the header and its frame, unless it is raw.
            const size_t head = (size_t)bytes[10] | (size_t)bytes[11] << 8;
            if (r.blocks && bytes[head + 16] < 5) flags |= bytes[head + 17];
            for (uint32_t k = 1; k < r.layers; k++) { // and of the next layers' first blocks
                const size_t at = (size_t)r.layer_end[k - 1] + 16;
                if (bytes[at] < 5) flags |= bytes[at + 1];
            }
            for (int c = 0; c < 8; c++) {
                seen[0][c] += r.transforms[c];
                seen[1][c] += r.predictors[c];
                seen[2][c] += r.patterns[c];
                seen[3][c] += r.representations[c];
                seen[4][c] += r.streams[c];
            }
        }
        free(bytes);
    }
    fclose(file);
    CHECK(dtypes == 0x7ffe);
    CHECK(modes == 0x3f);
    CHECK(flags == 127); // folded, pattern first, single, exceptions, coset, split, reference
    for (int g = 0; g < 5; g++) {
        for (int c = 0; c < sizes[g]; c++) {
            snprintf(cc_label, sizeof cc_label, "stage %d, choice %d", g, c);
            CC_CHECK(seen[g][c] > 0);
        }
    }
}

TEST_MAIN("codec_golden", CASE(stored_streams_decode), CASE(second_reader),
          CASE(second_reader_of_fresh_streams), CASE(second_reader_of_weights),
          CASE(same_bytes_here), CASE(same_digests_here),
          CASE(every_choice_is_there))
