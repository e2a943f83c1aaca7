// How do I draw Owen-scrambled Halton points? A ball under a square lamp, path by path: two
// coordinates choose a place in the pixel, two a place on the lamp. Writes a grey picture and says
// how much less noise it has than one drawn with random numbers and as many paths.
//
//     cc -O2 -o owen examples/owen.c -lm && ./owen owen.pgm

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <math.h>
#include <stdio.h>

enum { WIDTH = 160, HEIGHT = 120, PATHS = 27, MANY = 1024, EVERY = 4 };

typedef struct vec {
    double x, y, z;
} vec;

static float points[MANY][4];
static unsigned char grey[HEIGHT][WIDTH];

static vec along(vec a, vec d, double t)
{
    vec p = {a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
    return p;
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Where the ray enters the unit ball around (0, 1, 0), or 0.
static double hit_ball(vec from, vec d)
{
    vec c = {from.x, from.y - 1, from.z};
    const double b = dot(c, d), a = dot(d, d), under = b * b - a * (dot(c, c) - 1);
    const double t = under > 0 ? (-b - sqrt(under)) / a : 0;
    return t > 1e-6 ? t : 0;
}

// Light along one path: through (column + u[0], row + u[1]), from the lamp's point (u[2], u[3]).
static double path(int column, int row, const float u[4])
{
    vec eye = {0, 2, -6}, p, n = {0, 1, 0}, lamp = {u[2] * 3.0 - 2.5, 5, u[3] * 3.0 - 2.5};
    const double scale = 1.0 / (double)HEIGHT, x = column + (double)u[0], y = row + (double)u[1];
    vec d = {scale * x - 0.5 * scale * (double)WIDTH, 0.42 - scale * y, 1.2};
    const double ball = hit_ball(eye, d);
    if (ball == 0 && d.y >= 0) return 0.1;
    p = along(eye, d, ball > 0 ? ball : -eye.y / d.y);
    if (ball > 0) n = p, n.y -= 1;
    d = along(lamp, p, -1); // from the point to the lamp
    const double cosine = dot(n, d), r2 = dot(d, d);
    if (cosine <= 0 || hit_ball(p, d) > 0) return 0.02;
    return 0.02 + 14 * cosine * d.y / (r2 * r2);
}

static double pixel(int column, int row, int paths)
{
    double sum = 0;
    for (int s = 0; s < paths; s++) sum += path(column, row, points[s]);
    return sum / paths;
}

// The points of one pixel: every pixel has a scrambling of its own.
static padic_result draw(uint64_t seed, uint64_t paths)
{
    static uint64_t keys[256];
    padic_sample_scramble_init_desc init = PADIC_ZERO;
    init.seed = seed;
    init.dimensions = 4;
    padic_result result = padic_sample_scramble_init(&init, keys, sizeof keys);
    if (result) return result;
    padic_sample_halton_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_2d(PADIC_F32, points, paths, 4);
    desc.layout = PADIC_SAMPLE_POINTS;
    desc.scrambling.mode = PADIC_SAMPLE_OWEN;
    desc.scrambling.keys = keys;
    desc.scrambling.keys_size = sizeof keys;
    return padic_sample_halton(NULL, &desc);
}

int main(int argc, char **argv)
{
    double owen = 0, random = 0;
    for (int row = 0; row < HEIGHT; row++) {
        for (int column = 0; column < WIDTH; column++) {
            const uint64_t seed = (uint64_t)(row * WIDTH + column);
            padic_result result = draw(seed, PATHS);
            if (result) return puts(padic_result_text(result)), 1;
            const double value = pixel(column, row, PATHS);
            grey[row][column] = (unsigned char)(255 * sqrt(value < 1 ? value : 1));
            if (row % EVERY || column % EVERY) continue; // the error is measured on some pixels
            result = draw(seed + 1000000, MANY);
            if (result) return puts(padic_result_text(result)), 1;
            const double truth = pixel(column, row, MANY);
            for (uint32_t s = 0; s < PATHS; s++) {
                uint32_t word[4];
                padic_random_block(seed, 0, 0, s, word);
                for (int k = 0; k < 4; k++) points[s][k] = padic_random_f32(word[k]);
            }
            const double other = pixel(column, row, PATHS);
            owen += (value - truth) * (value - truth);
            random += (other - truth) * (other - truth);
        }
    }
    const double scale = (double)(EVERY * EVERY) / (double)(WIDTH * HEIGHT);
    printf("%d paths a pixel, error: Owen %.5f, random %.5f (%.1f times)\n", PATHS,
           sqrt(owen * scale), sqrt(random * scale), sqrt(random / owen));
    FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (file) {
        fprintf(file, "P5 %d %d 255\n", WIDTH, HEIGHT);
        fwrite(grey, 1, sizeof grey, file);
        if (fclose(file)) return puts("cannot write the picture"), 1;
    } else if (argc > 1) {
        return puts("cannot open the picture"), 1;
    }
    return owen < random ? 0 : 1;
}
