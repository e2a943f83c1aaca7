// The first program: packs an array, gives it back, and shows that it is the same.
//
//     cc -O2 -o first examples/first.c -lm

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
    static float height[512][512], again[512][512];
    for (int y = 0; y < 512; y++)
        for (int x = 0; x < 512; x++) height[y][x] = 0.25f * (float)((x * x + 3 * y * y) / 999);

    padic_codec_pack_desc pack = PADIC_ZERO; // zero is the default of every field
    pack.tensor = padic_tensor_2d(PADIC_F32, height, 512, 512);
    padic_bytes packed;
    padic_result result = padic_codec_pack_new(NULL, &pack, &packed);
    if (result) return puts(padic_result_text(result)), 1;

    padic_codec_unpack_desc unpack = PADIC_ZERO;
    unpack.packed = packed;
    unpack.tensor = padic_tensor_2d(PADIC_F32, again, 512, 512);
    result = padic_codec_unpack(NULL, &unpack);
    if (result) return puts(padic_result_text(result)), 1;
    printf("%u -> %u bytes, %s\n", (unsigned)sizeof height, (unsigned)packed.size,
           memcmp(height, again, sizeof height) ? "different" : "bit for bit the same");
    padic_codec_free_packed(NULL, &packed);
    return 0;
}
