// zstd with and without byte shuffle. With bench.c: -DBENCH_ZSTD bench/peers/zstd.c -lzstd
//
// The whole array goes through one ZSTD_compressCCtx call with a context that is made once.

#include "../bench.h"
#include "shuffle.h"
#include <stdlib.h>
#include <zstd.h>

typedef struct zstd_state {
    const bench_array *array;
    int level;
    size_t item;           // bytes between equal bytes of two numbers; 0: no shuffle
    unsigned char *planes; // the shuffled array
    ZSTD_CCtx *encoder;
    ZSTD_DCtx *decoder;
} zstd_state;

static void zstd_close(void *state)
{
    zstd_state *s = (zstd_state *)state;
    ZSTD_freeCCtx(s->encoder);
    ZSTD_freeDCtx(s->decoder);
    free(s->planes);
    free(s);
}

static void *zstd_open(const bench_codec *codec, const bench_array *array, size_t *room)
{
    zstd_state *s = (zstd_state *)calloc(1, sizeof *s);
    if (!s) return NULL;
    s->array = array;
    s->level = codec->level;
    if (codec->option) s->item = array->kind == 'c' ? array->item / 2 : array->item;
    s->planes = (unsigned char *)malloc(array->bytes + 1);
    s->encoder = ZSTD_createCCtx();
    s->decoder = ZSTD_createDCtx();
    *room = ZSTD_compressBound(array->bytes);
    if (s->planes && s->encoder && s->decoder) return s;
    zstd_close(s);
    return NULL;
}

static size_t zstd_pack(void *state, void *dst, size_t room)
{
    zstd_state *s = (zstd_state *)state;
    const unsigned char *src = s->array->data;
    size_t size;
    if (s->item > 1) {
        shuffle_bytes(src, s->planes, s->array->bytes, s->item);
        src = s->planes;
    }
    size = ZSTD_compressCCtx(s->encoder, dst, room, src, s->array->bytes, s->level);
    return ZSTD_isError(size) ? 0 : size;
}

static int zstd_unpack(void *state, const void *src, size_t size, void *dst)
{
    zstd_state *s = (zstd_state *)state;
    void *to = s->item > 1 ? s->planes : dst;
    const size_t bytes = s->array->bytes;
    if (ZSTD_decompressDCtx(s->decoder, to, bytes, src, size) != bytes) return 1;
    if (s->item > 1) unshuffle_bytes(s->planes, (unsigned char *)dst, s->array->bytes, s->item);
    return 0;
}

static const char *zstd_version(void)
{
    return ZSTD_versionString();
}

#define ZSTD_ROW(name, level, shuffle)                                                             \
    {                                                                                              \
        name, level, shuffle, zstd_open, zstd_pack, zstd_unpack, zstd_close, zstd_version          \
    }

const bench_codec bench_zstd[] = {
    ZSTD_ROW("zstd3s", 3, 1),   ZSTD_ROW("zstd9s", 9, 1), ZSTD_ROW("zstd1s", 1, 1),
    ZSTD_ROW("zstd19s", 19, 1), ZSTD_ROW("zstd3", 3, 0),  ZSTD_ROW("zstd9", 9, 0),
    {NULL, 0, 0, NULL, NULL, NULL, NULL, NULL},
};
