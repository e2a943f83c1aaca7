// How do I stream a height map, coarse first? It is packed in layers; whatever part of the file has
// arrived is shown. Writes a picture (PGM) of each part.
//
//     cc -O2 -o terrain examples/terrain.c -lm && ./terrain [dem_bigtujunga.bin]
//
// The file (500 x 500 floats) is in tests/data/; without it the land is made up.

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <math.h>
#include <stdio.h>

enum { SIZE = 500, LAYERS = 4 };

static float land[SIZE][SIZE], seen[SIZE][SIZE];

static void make_land(void)
{
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            double height = 0.0, size = 400.0, wide = 0.008;
            for (int k = 0; k < 8; k++, size *= 0.5, wide *= 2.1) {
                height += size * fabs(sin(wide * x + k) * cos(wide * y * 1.3 + 2.0 * k));
            }
            land[y][x] = (float)floor(height); // metres
        }
    }
}

// Light from the left, as maps have it.
static int picture(const char *name)
{
    FILE *file = fopen(name, "wb");
    if (!file) return 0;
    fprintf(file, "P5 %d %d 255\n", SIZE, SIZE);
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            const double slope = (double)(seen[y][x ? x - 1 : 0] - seen[y][x]);
            const double grey = 128.0 - 4.0 * slope;
            fputc(grey < 0.0 ? 0 : grey > 255.0 ? 255 : (int)grey, file);
        }
    }
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(land, sizeof land, 1, file) != 1) make_land();
    if (file) fclose(file);

    padic_codec_pack_desc desc = PADIC_ZERO;
    desc.tensor = padic_tensor_2d(PADIC_F32, land, SIZE, SIZE);
    padic_bytes alone, packed = PADIC_ZERO;
    padic_result result = padic_codec_pack_new(NULL, &desc, &alone);
    desc.layers = LAYERS;
    if (!result) result = padic_codec_pack_new(NULL, &desc, &packed);
    padic_codec_report report = PADIC_ZERO; // says where each layer ends
    padic_codec_info_desc info = PADIC_ZERO;
    info.packed = packed;
    info.report = &report;
    if (!result) result = padic_codec_info(NULL, &info);
    printf("raw %d bytes, packed at once %d, in %d layers %d\n", (int)sizeof land,
           (int)alone.size, LAYERS, (int)packed.size);
    padic_codec_free_packed(NULL, &alone);

    for (unsigned k = 1; k <= LAYERS && !result; k++) {
        // only this much has arrived
        const size_t arrived = (size_t)report.layer_end[k - 1];
        padic_codec_unpack_desc back = PADIC_ZERO;
        back.tensor = padic_tensor_2d(PADIC_F32, seen, SIZE, SIZE);
        back.layers = k;
        back.packed = padic_bytes_in(packed.data, arrived);
        result = padic_codec_unpack(NULL, &back);
        if (result) break;
        double worst = 0.0;
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                worst = fmax(worst, fabs((double)land[y][x] - (double)seen[y][x]));
            }
        }
        char name[32];
        snprintf(name, sizeof name, "terrain-%u.pgm", k);
        if (!picture(name)) printf("cannot write %s\n", name);
        printf("%s: after %6d bytes, largest error %g m\n", name, (int)arrived, worst);
        if (k == LAYERS && worst > 0.0) return 1;
    }
    padic_codec_free_packed(NULL, &packed);
    if (result) puts(padic_result_text(result));
    return result != PADIC_OK;
}
