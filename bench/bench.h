// What bench.c and the programs of peers/ share: an array, a compressor, nothing else.

#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_array {
    char name[64], category[32], dtype[12];
    char origin[12]; // "native": stored as binary floats; "decoded": integers or decimals before
    char kind;     // 'f' float, 'b' bfloat16, 'i' signed, 'u' unsigned, 'c' complex
    uint32_t item; // bytes of one element
    uint32_t rank;
    uint64_t shape[8]; // slowest axis first
    size_t bytes;
    unsigned char *data;
    int tolerance_mode; // 0 lossless, 1 absolute, 2 of the range, 3 pointwise
    double tolerance;   // as asked for
    double absolute; // what that is in the array's unit, 0 for lossless and pointwise
} bench_array;

// One way to compress. Everything that may be reused (contexts, scratch) is made in open() and so
// is outside the measured calls, for every codec alike.
typedef struct bench_codec bench_codec;
struct bench_codec {
    const char *name; // as --peer and the tables call it
    int level;
    int option; // the file's own: shuffle or not, reversible or bounded
    // State for this array and the room its packed bytes may need; NULL if it cannot take it.
    void *(*open)(const bench_codec *codec, const bench_array *array, size_t *room);
    size_t (*pack)(void *state, void *dst, size_t room);                       // bytes, 0: failed
    int (*unpack)(void *state, const void *src, size_t size, void *dst);       // 0: done
    void (*close)(void *state);
    const char *(*version)(void);
};

// Tables that end with a row whose name is NULL; bench.c looks at those it was compiled with.
extern const bench_codec bench_zstd[];  // -DBENCH_ZSTD,  peers/zstd.c  -lzstd
extern const bench_codec bench_lz4[];   // -DBENCH_LZ4,   peers/lz4.c   -llz4
extern const bench_codec bench_blosc[]; // -DBENCH_BLOSC, peers/blosc.c -lblosc
extern const bench_codec bench_zfp[];   // -DBENCH_ZFP,   peers/zfp.c   -lzfp

#endif
