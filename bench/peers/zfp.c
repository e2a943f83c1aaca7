// zfp: reversible, and bounded (its accuracy mode) when --bound is absolute or of the range.
// Compile beside bench.c: -DBENCH_ZFP bench/peers/zfp.c -lzfp
//
// Takes f32 and f64 of rank 1 to 4; other arrays stand as "-" in the tables.

#include "../bench.h"
#include <stdlib.h>
#include <zfp.h>

typedef struct zfp_state {
    const bench_array *array;
    double tolerance; // 0: reversible
    zfp_type type;
} zfp_state;

static zfp_field *zfp_shape(const zfp_state *s, void *data)
{
    const bench_array *a = s->array;
    size_t n[4] = {0, 0, 0, 0}; // fastest axis first
    uint32_t i;
    for (i = 0; i < a->rank; i++) n[i] = (size_t)a->shape[a->rank - 1 - i];
    if (a->rank == 1) return zfp_field_1d(data, s->type, n[0]);
    if (a->rank == 2) return zfp_field_2d(data, s->type, n[0], n[1]);
    if (a->rank == 3) return zfp_field_3d(data, s->type, n[0], n[1], n[2]);
    return zfp_field_4d(data, s->type, n[0], n[1], n[2], n[3]);
}

static void zfp_mode_set(const zfp_state *s, zfp_stream *stream)
{
    if (s->tolerance > 0) zfp_stream_set_accuracy(stream, s->tolerance);
    else zfp_stream_set_reversible(stream);
}

static void *zfp_open(const bench_codec *codec, const bench_array *array, size_t *room)
{
    zfp_state *s;
    zfp_stream *stream;
    zfp_field *shape;
    if (array->kind != 'f' || array->item < 4 || array->rank < 1 || array->rank > 4) return NULL;
    if (codec->option && !(array->absolute > 0)) return NULL;
    s = (zfp_state *)calloc(1, sizeof *s);
    if (!s) return NULL;
    s->array = array;
    s->type = array->item == 8 ? zfp_type_double : zfp_type_float;
    s->tolerance = codec->option ? array->absolute : 0;
    stream = zfp_stream_open(NULL);
    shape = zfp_shape(s, array->data);
    zfp_mode_set(s, stream);
    *room = zfp_stream_maximum_size(stream, shape);
    zfp_field_free(shape);
    zfp_stream_close(stream);
    return s;
}

static size_t zfp_pack(void *state, void *dst, size_t room)
{
    zfp_state *s = (zfp_state *)state;
    bitstream *bits = stream_open(dst, room);
    zfp_stream *stream = zfp_stream_open(bits);
    zfp_field *field = zfp_shape(s, s->array->data);
    size_t size;
    zfp_mode_set(s, stream);
    size = zfp_compress(stream, field);
    zfp_field_free(field);
    zfp_stream_close(stream);
    stream_close(bits);
    return size;
}

static int zfp_unpack(void *state, const void *src, size_t size, void *dst)
{
    zfp_state *s = (zfp_state *)state;
    bitstream *bits = stream_open((void *)(uintptr_t)src, size);
    zfp_stream *stream = zfp_stream_open(bits);
    zfp_field *field = zfp_shape(s, dst);
    size_t used;
    zfp_mode_set(s, stream);
    used = zfp_decompress(stream, field);
    zfp_field_free(field);
    zfp_stream_close(stream);
    stream_close(bits);
    return used == 0;
}

static void zfp_close(void *state)
{
    free(state);
}

static const char *zfp_version(void)
{
    return ZFP_VERSION_STRING;
}

const bench_codec bench_zfp[] = {
    {"zfp", 0, 0, zfp_open, zfp_pack, zfp_unpack, zfp_close, zfp_version},
    {"zfpacc", 0, 1, zfp_open, zfp_pack, zfp_unpack, zfp_close, zfp_version},
    {NULL, 0, 0, NULL, NULL, NULL, NULL, NULL},
};
