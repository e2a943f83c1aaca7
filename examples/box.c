// How do I read a part of a packed array? Only the blocks that the box touches are decoded.
//
//     cc -O2 -o box examples/box.c -lm

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 48, HEIGHT = 160, WIDTH = 200 };

static float volume[DEPTH][HEIGHT][WIDTH];

int main(void)
{
    for (int z = 0; z < DEPTH; z++) {
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                volume[z][y][x] = 0.01f * (float)(x * x / 50 + 3 * y + z * z);
            }
        }
    }
    padic_codec_pack_desc desc = PADIC_ZERO;
    desc.tensor = padic_tensor_3d(PADIC_F32, volume, DEPTH, HEIGHT, WIDTH);
    desc.block[0] = desc.block[1] = desc.block[2] = 32; // smaller blocks: less to decode for a box
    padic_bytes packed;
    padic_result result = padic_codec_pack_new(NULL, &desc, &packed);

    // The box of 4 x 20 x 30 elements that begins at (10, 100, 60).
    static float box[4][20][30];
    padic_codec_unpack_desc part = PADIC_ZERO;
    part.packed = packed;
    part.tensor = padic_tensor_3d(PADIC_F32, box, 4, 20, 30);
    part.begin[0] = 10, part.begin[1] = 100, part.begin[2] = 60;
    part.count[0] = 4, part.count[1] = 20, part.count[2] = 30;
    if (!result) {
        result = padic_codec_unpack(NULL, &part);
    }
    const unsigned size = (unsigned)packed.size;
    padic_codec_free_packed(NULL, &packed);
    if (result) {
        puts(padic_result_text(result));
        return 1;
    }
    int wrong = 0;
    for (int z = 0; z < 4; z++) {
        for (int y = 0; y < 20; y++) {
            for (int x = 0; x < 30; x++) {
                wrong += box[z][y][x] != volume[10 + z][100 + y][60 + x];
            }
        }
    }
    printf("%u -> %u bytes; the box holds %s\n", (unsigned)sizeof volume, size,
           wrong ? "wrong values" : "what the array holds there");
    return wrong != 0;
}
