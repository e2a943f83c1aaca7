// make_golden.c: writes tests/golden/: one stream for each case of golden_cases.h and manifest.txt
// with a line for each: name, bytes, FNV-1a 64 of the packed bytes, FNV-1a 64 of the numbers that
// come back (as little-endian bytes); and digests.txt, hashes of the bytes of many more streams.
//
//     cc -O2 tests/codec/make_golden.c -o make_golden -lm -lpthread && ./make_golden tests/golden
//
// What was released stays readable: when an encoder comes to write other bytes, keep the old files
// and their lines under a new name (f32@0.1.0), which is then only decoded, and say so in the
// CHANGELOG. So a file is not overwritten with other bytes unless --force is given.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include "codec_cases.h"
#include "golden_cases.h"

#define KEPT 65536 // bytes of lines of released streams

static int same_file(const char *path, const cc_packed *p)
{
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    uint8_t *bytes = (uint8_t *)cc_new(p->size + 1);
    const size_t n = fread(bytes, 1, p->size + 1, file);
    fclose(file);
    const int same = n == p->size && !memcmp(bytes, p->bytes, n);
    free(bytes);
    return same;
}

// What the manifest at `path` says of released streams (name@version), line by line.
static size_t kept_lines(const char *path, char *to, size_t room)
{
    char line[256];
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    while (file && fgets(line, sizeof line, file)) {
        const size_t n = strlen(line);
        if (!memchr(line, '@', strcspn(line, " ")) || n >= room - size) continue;
        memcpy(to + size, line, n);
        size += n;
    }
    if (file) fclose(file);
    return size;
}

int main(int argc, char **argv)
{
    const int force = argc == 3 && !strcmp(argv[2], "--force");
    if (argc != 2 && !force) return printf("usage: make_golden FOLDER [--force]\n"), 2;
    char path[1024], *manifest = (char *)cc_new((size_t)GOLDEN_CASES * 160 + KEPT);
    size_t total = 0, text = 0;
    int changed = 0;
    for (int i = 0; i < GOLDEN_CASES; i++) {
        const golden_case *g = &golden_cases[i];
        cc_packed p = golden_pack(g);
        if (p.result != PADIC_OK)
            return printf("%s: packing failed with %d\n", g->name, (int)p.result), 1;
        const uint64_t decoded = golden_decoded(p.bytes, p.size, g);
        if (!decoded) return printf("%s: does not come back\n", g->name), 1;
        snprintf(path, sizeof path, "%s/%s.padc", argv[1], g->name);
        const int same = same_file(path, &p);
        if (same == 0 && !force) {
            printf("%s: other bytes than the file; not written\n", g->name);
            changed++;
        } else if (same != 1) {
            FILE *file = fopen(path, "wb");
            if (!file || fwrite(p.bytes, 1, p.size, file) != p.size || fclose(file))
                return printf("cannot write %s\n", path), 1;
        }
        const uint64_t packed = cc_fnv(CC_FNV_START, p.bytes, p.size);
        text += (size_t)snprintf(
            manifest + text, 160, "%s %lu %08lx%08lx %08lx%08lx\n", g->name, (unsigned long)p.size,
            (unsigned long)(packed >> 32), (unsigned long)(packed & 0xffffffffu),
            (unsigned long)(decoded >> 32), (unsigned long)(decoded & 0xffffffffu));
        total += p.size;
        free(p.bytes);
    }
    printf("%d streams, %lu bytes\n", GOLDEN_CASES, (unsigned long)total);
    if (changed)
        return printf("%d files hold other bytes: rename them, or use --force\n", changed), 1;
    snprintf(path, sizeof path, "%s/manifest.txt", argv[1]);
    text += kept_lines(path, manifest + text, KEPT);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(manifest, 1, text, file) != text || fclose(file))
        return printf("cannot write %s\n", path), 1;
    free(manifest);
    snprintf(path, sizeof path, "%s/digests.txt", argv[1]);
    file = fopen(path, "wb");
    for (int d = 0; file && d < GOLDEN_DIGESTS; d++) {
        const uint64_t digest = golden_digest(d);
        fprintf(file, "%08lx%08lx\n", (unsigned long)(digest >> 32),
                (unsigned long)(digest & 0xffffffffu));
    }
    if (!file || fclose(file)) return printf("cannot write %s\n", path), 1;
    return 0;
}
