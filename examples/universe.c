// universe.c: random universes of one space and one time dimension: causal triangulations of the
// torus, drawn with their volume profile, against the exact law of the length of a slice.
//
//     cc -O2 -o universe examples/universe.c -lpng -lm && ./universe universe.png
//
// A universe is 32 rings of links, glued by triangles; the chain flips, inserts and deletes. Each
// link costs a factor g = 0.48. For long times a slice has l links with the probability
//
//     P(l) = l (1 - F^2)^2 F^(2 (l - 1)),  F = (1 - sqrt(1 - 4 g^2)) / (2 g)
//
// (Ambjorn and Loll, hep-th/9805108). The picture: on the left a universe, time upwards, as a tube
// whose girth is the length of its slices; on the right how often which length was seen (bars), and
// the law (dots).
#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_CDT
#include "../padic.h"
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

enum { SLICES = 32, REPLICAS = 32, ROUNDS = 200, LENGTHS = 24, SIZE = 384 };

static uint8_t picture[SIZE][2 * SIZE][3];

static void paint(int x, int y, double red, double green, double blue)
{
    if (x < 0 || y < 0 || x >= 2 * SIZE || y >= SIZE) return;
    picture[SIZE - 1 - y][x][0] = (uint8_t)(255 * red);
    picture[SIZE - 1 - y][x][1] = (uint8_t)(255 * green);
    picture[SIZE - 1 - y][x][2] = (uint8_t)(255 * blue);
}

static void tube(const uint32_t length[SLICES])
{
    for (int y = 0; y < SIZE; y++) {
        const double time = (double)y * (int)SLICES / (int)SIZE, part = time - floor(time);
        const uint32_t t = (uint32_t)time, next = (t + 1) % SLICES;
        const double width = 11 * ((1 - part) * length[t] + part * length[next]);
        for (int x = 0; x < SIZE; x++) {
            const double s = (x - SIZE / 2) / width; // -1 to 1 across
            const double light = s * s < 1 ? sqrt(1 - s * s) : 0;
            const double slice = part < 0.12 ? 0.55 : 1;
            if (light > 0) paint(x, y, slice * light, slice * (0.3 + 0.5 * light), slice * 0.9);
        }
    }
}

static void bars(const double seen[LENGTHS], const double law[LENGTHS])
{
    const int step = SIZE / LENGTHS;
    for (int l = 1; l < LENGTHS; l++) {
        const int left = SIZE + l * step, height = (int)(1700 * seen[l]) + 8;
        const int dot = (int)(1700 * law[l]) + 8;
        for (int x = 2; x < step - 2; x++)
            for (int y = 8; y < height; y++) paint(left + x, y, 0.2, 0.5, 0.9);
        for (int x = -3; x <= 3; x++)
            for (int y = -3; y <= 3; y++)
                if (x * x + y * y < 11) paint(left + step / 2 + x, dot + y, 1, 0.75, 0.1);
    }
}

int main(int argc, char **argv)
{
    static uint32_t profile[REPLICAS][SLICES];
    const double g = 0.48, f = (1 - sqrt(1 - 4 * g * g)) / (2 * g);
    double seen[LENGTHS] = {0}, law[LENGTHS] = {0}, off = 0;
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_run_desc run = PADIC_ZERO;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    padic_cdt_plan *plan;
    desc.slices = SLICES;
    desc.replicas = REPLICAS;
    desc.min_length = 1;
    desc.volume = PADIC_CDT_VOLUME_NONE; // the volume is what it likes to be
    desc.lambda = -log(g);               // N2 = 2 N0: a link has two triangles, g^2 a link
    desc.seed = 2;
    padic_result result = padic_cdt_plan_create(NULL, &desc, &plan);
    if (result) return puts(padic_result_text(result)), 1;
    run.plan = plan;
    measure.plan = plan;
    measure.profile = padic_tensor_2d(PADIC_U32, profile, REPLICAS, SLICES);
    for (int i = -20; i < ROUNDS && !result; i++) { // 20 rounds to forget the start
        run.attempts = 4000;
        result = padic_cdt_run(NULL, &run);
        if (!result) result = padic_cdt_measure(NULL, &measure);
        for (int k = 0; i >= 0 && k < REPLICAS * SLICES; k++) {
            const uint32_t l = profile[k / SLICES][k % SLICES];
            if (l < LENGTHS) seen[l] += 1.0 / (ROUNDS * REPLICAS * SLICES);
        }
    }
    padic_cdt_plan_destroy(plan);
    if (result) return puts(padic_result_text(result)), 1;
    puts("length   seen     law");
    for (int l = 1; l < LENGTHS; l++) {
        law[l] = l * (1 - f * f) * (1 - f * f) * pow(f, 2 * (l - 1));
        if (fabs(seen[l] - law[l]) > off) off = fabs(seen[l] - law[l]);
        if (l <= 8) printf("%4d   %.4f   %.4f\n", l, seen[l], law[l]);
    }
    printf("largest deviation %.4f\n", off);
    if (argc < 2) return 0;
    tube(profile[0]);
    bars(seen, law);
    png_image image = {0};
    image.version = PNG_IMAGE_VERSION;
    image.width = 2 * SIZE;
    image.height = SIZE;
    image.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&image, argv[1], 0, picture, 0, NULL))
        return puts(image.message), 1;
    return 0;
}
