// How do I use all cores? Give a context the jobs hook: your engine's own job system, or this small
// one. The packed bytes do not depend on it.
//
//     cc -O2 -o threads examples/threads.c -lm -lpthread

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_threads.h"
#include <stdio.h>
#include <string.h>

enum { ROWS = 2000, COLUMNS = 1500 };

static float map[ROWS][COLUMNS], again[ROWS][COLUMNS];

int main(void)
{
    for (int y = 0; y < ROWS; y++) {
        for (int x = 0; x < COLUMNS; x++) {
            map[y][x] = 0.125f * (float)((x * y / 64) ^ (3 * x + y));
        }
    }
    padic_threads *threads = padic_threads_create(0, NULL); // 0: one for each core
    padic_context_desc hooks = PADIC_ZERO;
    hooks.jobs = padic_threads_jobs(threads);
    padic_context *context = NULL;
    padic_result result = padic_context_create(&hooks, &context);

    padic_codec_pack_desc desc = PADIC_ZERO;
    desc.tensor = padic_tensor_2d(PADIC_F32, map, ROWS, COLUMNS);
    padic_bytes packed = PADIC_ZERO, alone = PADIC_ZERO;
    if (!result) {
        result = padic_codec_pack_new(context, &desc, &packed);
    }
    if (!result) {
        result = padic_codec_pack_new(NULL, &desc, &alone); // this thread only
    }
    padic_codec_unpack_desc back = PADIC_ZERO;
    back.packed = packed;
    back.tensor = padic_tensor_2d(PADIC_F32, again, ROWS, COLUMNS);
    if (!result) {
        result = padic_codec_unpack(context, &back);
    }
    int same = !result && packed.size == alone.size &&
               memcmp(packed.data, alone.data, packed.size) == 0 &&
               memcmp(map, again, sizeof map) == 0;
    printf("%u jobs at once: %u -> %u bytes, %s\n", (unsigned)hooks.jobs.workers,
           (unsigned)sizeof map, (unsigned)packed.size,
           result ? padic_result_text(result)
           : same ? "the same bytes as with one, and exact"
                  : "different");
    padic_codec_free_packed(context, &packed);
    padic_codec_free_packed(NULL, &alone);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
    return !same;
}
