// make_corpus.c: writes the seeds of the fuzz targets: small streams of every dtype and stage, cut,
// damaged and joined ones, and choices.
//
//     cc -O2 tests/fuzz/make_corpus.c -o make_corpus -lm && ./make_corpus tests/fuzz/corpus
//
// The folder and its five parts, named after the targets, must exist.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include "../codec/codec_cases.h"
#include "../codec/golden_cases.h"
#include "../codec/gen.h"

static const char *folder;
static int files;
static size_t total;

static void write_file(const char *part, const char *name, const uint8_t *head, size_t head_size,
                       const uint8_t *bytes, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s", folder, part, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        printf("cannot write %s\n", path);
        exit(1);
    }
    if (head_size) fwrite(head, 1, head_size, file);
    if (size) fwrite(bytes, 1, size, file);
    fclose(file);
    files++;
    total += head_size + size;
}

int main(int argc, char **argv)
{
    if (argc != 2) return printf("usage: make_corpus FOLDER\n"), 2;
    folder = argv[1];
    cc_random r = {1};
    for (int i = 0; i < GOLDEN_CASES; i++) {
        golden_case g = golden_cases[i];
        if (cc_count(g.rank, g.shape) > 3000) continue;
        // A quarter of the golden arrays: a seed should be small.
        if (g.rank == 1) g.shape[0] = (g.shape[0] + 3) / 4;
        cc_packed p = golden_pack(&g);
        if (p.result != PADIC_OK) return printf("%s: %d\n", g.name, (int)p.result), 1;
        if (p.size > 1500) {
            free(p.bytes);
            continue;
        }
        char name[128];
        snprintf(name, sizeof name, "%s", g.name);
        write_file("fuzz_decode", name, NULL, 0, p.bytes, p.size);
        if (i % 3 == 0) write_file("fuzz_info", name, NULL, 0, p.bytes, p.size);
        if (i % 6 == 1) {
            snprintf(name, sizeof name, "%s_cut", g.name);
            write_file("fuzz_decode", name, NULL, 0, p.bytes, (size_t)cc_below(&r, p.size));
            uint8_t *damaged = (uint8_t *)cc_copy(p.bytes, p.size);
            damaged[cc_below(&r, p.size)] ^= (uint8_t)(1 << cc_below(&r, 8));
            snprintf(name, sizeof name, "%s_damaged", g.name);
            write_file("fuzz_decode", name, NULL, 0, damaged, p.size);
            free(damaged);
        }
        if (i % 2 == 0) {
            uint8_t box[32];
            for (int k = 0; k < 32; k++) box[k] = (uint8_t)(k % 2 ? 0 : cc_next(&r));
            snprintf(name, sizeof name, "%s_box", g.name);
            write_file("fuzz_cut", name, box, sizeof box, p.bytes, p.size);
        }
        free(p.bytes);
    }
    for (uint64_t k = 0; k < 40; k++) { // choices of tests/codec/gen.h, and of fuzz_read
        uint8_t choice[GEN_STRING];
        char name[64];
        gen_seeded(k, choice);
        snprintf(name, sizeof name, "seed%d", (int)k);
        write_file("fuzz_pack", name, NULL, 0, choice, 160);
        write_file("fuzz_read", name, NULL, 0, choice, 64);
    }
    printf("%d files, %lu bytes\n", files, (unsigned long)total);
    return 0;
}
