// lz4 with byte shuffle. Compile beside bench.c: -DBENCH_LZ4 bench/peers/lz4.c -llz4

#include "../bench.h"
#include "shuffle.h"
#include <limits.h>
#include <lz4.h>
#include <stdlib.h>

typedef struct lz4_state {
    const bench_array *array;
    size_t item; // 0: no shuffle
    unsigned char *planes;
    void *work; // what LZ4 calls its state
} lz4_state;

static void lz4_close(void *state)
{
    lz4_state *s = (lz4_state *)state;
    free(s->work);
    free(s->planes);
    free(s);
}

static void *lz4_open(const bench_codec *codec, const bench_array *array, size_t *room)
{
    lz4_state *s;
    if (array->bytes > LZ4_MAX_INPUT_SIZE) return NULL;
    s = (lz4_state *)calloc(1, sizeof *s);
    if (!s) return NULL;
    s->array = array;
    if (codec->option) s->item = array->kind == 'c' ? array->item / 2 : array->item;
    s->planes = (unsigned char *)malloc(array->bytes + 1);
    s->work = malloc((size_t)LZ4_sizeofState());
    *room = (size_t)LZ4_compressBound((int)array->bytes);
    if (s->planes && s->work) return s;
    lz4_close(s);
    return NULL;
}

static size_t lz4_pack(void *state, void *dst, size_t room)
{
    lz4_state *s = (lz4_state *)state;
    const unsigned char *src = s->array->data;
    int size;
    if (s->item > 1) {
        shuffle_bytes(src, s->planes, s->array->bytes, s->item);
        src = s->planes;
    }
    size = LZ4_compress_fast_extState(s->work, (const char *)src, (char *)dst, (int)s->array->bytes,
                                      room > INT_MAX ? INT_MAX : (int)room, 1);
    return size > 0 ? (size_t)size : 0;
}

static int lz4_unpack(void *state, const void *src, size_t size, void *dst)
{
    lz4_state *s = (lz4_state *)state;
    void *to = s->item > 1 ? (void *)s->planes : dst;
    int raw = (int)s->array->bytes;
    if (LZ4_decompress_safe((const char *)src, (char *)to, (int)size, raw) != raw) return 1;
    if (s->item > 1) unshuffle_bytes(s->planes, (unsigned char *)dst, s->array->bytes, s->item);
    return 0;
}

static const char *lz4_version(void)
{
    return LZ4_versionString();
}

const bench_codec bench_lz4[] = {
    {"lz4s", 1, 1, lz4_open, lz4_pack, lz4_unpack, lz4_close, lz4_version},
    {"lz4", 1, 0, lz4_open, lz4_pack, lz4_unpack, lz4_close, lz4_version},
    {NULL, 0, 0, NULL, NULL, NULL, NULL, NULL},
};
