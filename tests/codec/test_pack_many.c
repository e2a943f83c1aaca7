// test_pack_many.c: very many small arrays with structure (gen.h), each packed and decoded in every
// way (check_pack.h). A case is a number: number k of seed s is the same everywhere.
//
//     test_pack_many [--seed S] [--count N] [--from K] [--one K] [--every] [--keep-going]
//                    [--level L] [--lean K] [--no-shrink] [--tiny] [--allow-reencoded]
//
// Everyday a fixed count; a long run is `--seed S --count 10000000`, one S a core. --one K runs one
// case with everything that is drawn otherwise, and prints it. A failure is made smaller, by zeros
// in the string that it was made from, and printed with that string, which `--string HEX` runs.
// --allow-reencoded counts blocks that the packer stored raw because they did not come back, where
// they are a failure otherwise; all data must come back then as well (plant_bugs.py).
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"

#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"

#include "codec_cases.h"
#include "codec_reader.h"

#include "check_pack.h"

#include <signal.h>

static check_tools tools;
static gen_case now;
static uint64_t now_number, now_seed;

static void crashed(int number)
{
    printf("\n  FAILED: signal %d in case --seed %lu --one %lu: %s\n", number,
           (unsigned long)now_seed, (unsigned long)now_number, now.text);
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
}

static int run(const uint8_t *bytes, size_t size)
{
    gen_make(&now, bytes, size);
    const int bad = check_pack(&tools, &now);
    gen_free(&now);
    return bad;
}

// Does it fail in the same way: by the same check, in the same mode?
static int fails(const uint8_t *bytes, size_t size, const char *why, int mode)
{
    const size_t n = strcspn(why, ":0123456789");
    if (!run(bytes, size)) return 0;
    return (int)now.desc.tolerance_mode == mode && !strncmp(why, tools.why, n);
}

// Zeros wherever it fails all the same; then smaller numbers, and a shorter string.
static size_t shrink(uint8_t *bytes, size_t size)
{
    uint8_t held[GEN_STRING];
    char why[sizeof tools.why];
    const int mode = (int)now.desc.tolerance_mode;
    memcpy(why, tools.why, sizeof why);
    for (int again = 0; again < 3; again++) {
        for (size_t length = 64; length; length /= 2) {
            for (size_t at = 0; at + length <= size; at += length) {
                size_t any = 0;
                memcpy(held, bytes, size);
                for (size_t i = 0; i < length; i++) any |= bytes[at + i];
                memset(bytes + at, 0, length);
                if (any && !fails(bytes, size, why, mode)) memcpy(bytes, held, size);
            }
        }
        for (size_t at = 0; at < size; at++) {
            const uint8_t was = bytes[at];
            for (uint32_t less = 0; less < was; less += (was - less + 1) / 2) {
                bytes[at] = (uint8_t)less;
                if (fails(bytes, size, why, mode)) break;
                bytes[at] = was;
            }
        }
    }
    while (size && !bytes[size - 1]) size--;
    run(bytes, size);
    return size;
}

static void say_string(const uint8_t *bytes, size_t size)
{
    printf("  --string ");
    for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
    printf("\n");
}

static int report(uint8_t *bytes, size_t size, int small)
{
    printf("\n  FAILED: --seed %lu --one %lu: %s\n    %s\n", (unsigned long)now_seed,
           (unsigned long)now_number, tools.why, now.text);
    fflush(stdout);
    if (!small) return 1;
    size = shrink(bytes, size);
    printf("  smaller: %s\n    %s\n", tools.why, now.text);
    say_string(bytes, size);
    fflush(stdout);
    return 1;
}

static uint64_t count, from;
static int keep, one, only_level, small = 1;
static const char *string;

static int run_string(void)
{
    uint8_t bytes[GEN_STRING];
    size_t size = 0;
    for (; string[2 * size] && string[2 * size + 1] && size < GEN_STRING; size++) {
        const char pair[3] = {string[2 * size], string[2 * size + 1], 0};
        bytes[size] = (uint8_t)strtoul(pair, NULL, 16);
    }
    const int bad = run(bytes, size);
    printf("\n  %s\n  %s", now.text, bad ? tools.why : "ok");
    return bad;
}

TEST(cases)
{
    int failed = 0;
    check_begin(&tools); // calls padic_threads_create()
    now_seed = test_seed;
    if (!count) count = test_tiny ? 300 : 15000;
    if (one) tools.every = 1;
    if (string) failed = run_string();
    for (now_number = from; now_number < from + count && !string; now_number++) {
        uint8_t bytes[GEN_STRING];
        gen_seeded(now_seed * UINT64_C(1000000007) + now_number, bytes);
        if (only_level) bytes[GEN_AT_LEVEL] = (uint8_t)(only_level - 1);
        if (one) {
            gen_make(&now, bytes, sizeof bytes);
            printf("\n  %s", now.text);
            gen_free(&now);
        }
        if (!run(bytes, sizeof bytes)) continue;
        failed += report(bytes, sizeof bytes, small);
        if (!keep) break;
    }
    printf("\n  packs by level:");
    for (int l = 1; l < 10; l++) printf(" %lu", (unsigned long)tools.packs[l]);
    printf("; profiles %lu, refused %lu\n", (unsigned long)tools.profiles,
           (unsigned long)tools.refused);
    printf("  bounded %lu, fixed %lu, references %lu, importances %lu\n",
           (unsigned long)tools.lossy, (unsigned long)tools.fixed,
           (unsigned long)tools.references, (unsigned long)tools.importances);
    printf("  decoded %lu, layers %lu, pulled %lu, boxes %lu, streams %lu, other reader %lu\n",
           (unsigned long)tools.decodes, (unsigned long)tools.planes, (unsigned long)tools.pulls,
           (unsigned long)tools.boxes, (unsigned long)tools.streams, (unsigned long)tools.readers);
    if (tools.allow_reencoded)
        printf("  stored raw: %lu blocks in %lu cases\n", (unsigned long)tools.reencoded,
               (unsigned long)tools.reencoded_cases);
    check_end(&tools);
    CHECK_EQ(failed, 0);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {CASE(cases)};
    int rest = 1;
    for (int i = 1; i < argc; i++) { // what is left is for test_main()
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(word, "--every")) tools.every = 1;
        else if (!strcmp(word, "--keep-going")) keep = 1;
        else if (!strcmp(word, "--no-shrink")) small = 0;
        else if (!strcmp(word, "--allow-reencoded")) tools.allow_reencoded = 1;
        else if (!strcmp(word, "--lean")) tools.lean = atoi(value), i++;
        else if (!strcmp(word, "--count")) count = strtoull(value, NULL, 0), i++;
        else if (!strcmp(word, "--from")) from = strtoull(value, NULL, 0), i++;
        else if (!strcmp(word, "--level")) only_level = atoi(value), i++;
        else if (!strcmp(word, "--string")) string = value, i++;
        else if (!strcmp(word, "--one")) from = strtoull(value, NULL, 0), count = 1, one = 1, i++;
        else argv[rest++] = argv[i];
    }
    signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
    signal(SIGFPE, crashed);
    return test_main("test_pack_many", cases, 1, rest, argv);
}
