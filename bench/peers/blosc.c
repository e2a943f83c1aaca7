// Blosc 1 with zstd, byte or bit shuffle. Compile beside bench.c:
// -DBENCH_BLOSC bench/peers/blosc.c -lblosc
//
// One thread, Blosc's own block size. Blosc's level 5 of 9 is its default.

#include "../bench.h"
#include <blosc.h>
#include <stdlib.h>

typedef struct blosc_state {
    const bench_array *array;
    int level, shuffle;
    size_t item;
} blosc_state;

static void *blosc_open(const bench_codec *codec, const bench_array *array, size_t *room)
{
    blosc_state *s;
    if (array->bytes > BLOSC_MAX_BUFFERSIZE) return NULL;
    s = (blosc_state *)calloc(1, sizeof *s);
    if (!s) return NULL;
    s->array = array;
    s->level = codec->level;
    s->shuffle = codec->option;
    s->item = array->kind == 'c' ? array->item / 2 : array->item;
    *room = array->bytes + BLOSC_MAX_OVERHEAD;
    return s;
}

static size_t blosc_pack(void *state, void *dst, size_t room)
{
    blosc_state *s = (blosc_state *)state;
    int size = blosc_compress_ctx(s->level, s->shuffle, s->item, s->array->bytes, s->array->data,
                                  dst, room, "zstd", 0, 1);
    return size > 0 ? (size_t)size : 0;
}

static int blosc_unpack(void *state, const void *src, size_t size, void *dst)
{
    blosc_state *s = (blosc_state *)state;
    (void)size;
    return blosc_decompress_ctx(src, dst, s->array->bytes, 1) != (int)s->array->bytes;
}

static void blosc_close(void *state)
{
    free(state);
}

static const char *blosc_version(void)
{
    return BLOSC_VERSION_STRING;
}

const bench_codec bench_blosc[] = {
    {"blosc5", 5, BLOSC_SHUFFLE, blosc_open, blosc_pack, blosc_unpack, blosc_close, blosc_version},
    {"blosc9", 9, BLOSC_SHUFFLE, blosc_open, blosc_pack, blosc_unpack, blosc_close, blosc_version},
    {"blosc5b", 5, BLOSC_BITSHUFFLE, blosc_open, blosc_pack, blosc_unpack, blosc_close,
     blosc_version},
    {NULL, 0, 0, NULL, NULL, NULL, NULL, NULL},
};
