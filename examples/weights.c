// How small do weights get? A layer of a network packed as f32, rounded to bf16 and packed, and
// packed within a bound; and what each does to the layer's outputs.
//
//     cc -O2 -o weights examples/weights.c -lm && ./weights [nn_silero_f32.bin]
//
// The file (floats) is in tests/data/; without it the weights are made up.

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, COLUMNS = 500, COUNT = ROWS * COLUMNS };

static float weight[COUNT], again[COUNT];
static uint16_t half[COUNT];

// Sums of twelve numbers between 0 and 1, less 6, are about normal.
static void make_weights(void)
{
    uint32_t x = 1;
    for (int i = 0; i < COUNT; i++) {
        float sum = -6.0f;
        for (int k = 0; k < 12; k++) {
            x = x * 1664525u + 1013904223u;
            sum += (float)(x >> 8) / 16777216.0f;
        }
        weight[i] = 0.05f * sum;
    }
}

// Root mean square of the change of the outputs over that of the outputs, for inputs of all signs.
static double change(void)
{
    double error = 0.0, all = 0.0;
    uint32_t bits = 12345;
    for (int r = 0; r < ROWS; r++) {
        double y = 0.0, z = 0.0;
        for (int c = 0; c < COLUMNS; c++) {
            bits = bits * 1664525u + 1013904223u;
            const double input = bits >> 31 ? 1.0 : -1.0;
            y += input * (double)weight[r * COLUMNS + c];
            z += input * (double)again[r * COLUMNS + c];
        }
        error += (y - z) * (y - z);
        all += y * y;
    }
    return sqrt(error / all);
}

// Packs an array of `dtype` and unpacks it to `again`. Returns 0 after a failure.
static int run(const char *what, padic_dtype dtype, void *data, padic_codec_tolerance_mode mode,
               double bound)
{
    padic_codec_pack_desc desc = PADIC_ZERO;
    desc.tensor = padic_tensor_2d(dtype, data, ROWS, COLUMNS);
    desc.tolerance_mode = mode;
    desc.tolerance = bound;
    padic_bytes packed;
    padic_result result = padic_codec_pack_new(NULL, &desc, &packed);
    const size_t size = (size_t)packed.size;
    padic_codec_unpack_desc back = PADIC_ZERO;
    back.packed = packed;
    back.tensor = padic_tensor_2d(PADIC_F32, again, ROWS, COLUMNS); // bf16 is widened
    if (!result) result = padic_codec_unpack(NULL, &back);
    padic_codec_free_packed(NULL, &packed);
    if (result) {
        puts(padic_result_text(result));
        return 0;
    }
    double worst = 0.0;
    for (int i = 0; i < COUNT; i++) {
        worst = fmax(worst, fabs((double)weight[i] - (double)again[i]));
    }
    printf("%-20s %7d bytes, ratio %5.2f, largest error %-9.3g outputs change by %.2g\n", what,
           (int)size, (double)sizeof weight / (double)size, worst, change());
    return 1;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(weight, sizeof weight, 1, file) != 1) make_weights();
    if (file) fclose(file);
    for (int i = 0; i < COUNT; i++) { // to nearest, ties to even
        uint32_t bits;
        memcpy(&bits, &weight[i], 4);
        half[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
    const int ok =
        run("f32", PADIC_F32, weight, PADIC_CODEC_TOLERANCE_NONE, 0.0) &&
        run("bf16", PADIC_BF16, half, PADIC_CODEC_TOLERANCE_NONE, 0.0) &&
        run("1/256 of each", PADIC_F32, weight, PADIC_CODEC_TOLERANCE_POINTWISE, 1.0 / 256) &&
        run("1e-4 of the range", PADIC_F32, weight, PADIC_CODEC_TOLERANCE_RANGE, 1e-4) &&
        run("1e-3 of the range", PADIC_F32, weight, PADIC_CODEC_TOLERANCE_RANGE, 1e-3) &&
        run("a tenth of the bytes", PADIC_F32, weight, PADIC_CODEC_TOLERANCE_FIXED, COUNT * 0.4);
    return !ok;
}
