// How do I draw Owen-scrambled Halton points? A ball under a square lamp, path by path: two
// coordinates choose a place in the pixel, then at each of two bounces two choose a place on the
// lamp and two a direction. Writes a grey picture and says how much less noise it has than one
// drawn with random numbers and as many paths. The picture needs libpng (Debian: libpng-dev).
//
//     cc -O2 -o owen examples/owen.c -lpng -lm && ./owen owen.png

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 120, PATHS = 27, MANY = 1024, EVERY = 4 };

typedef struct vec {
    double x, y, z;
} vec;

static float points[MANY][10];
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

// A direction about the normal, denser where the light counts more (by the cosine).
static vec bounce(vec n, float u, float v)
{
    const double angle = 6.283185307179586 * (double)v, r = sqrt((double)u);
    const double along_n = sqrt(1 - (double)u), sign = n.z < 0 ? -1 : 1;
    const double a = -1 / (sign + n.z), b = n.x * n.y * a; // two axes (Duff and others, 2017)
    const vec s = {1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    const vec t = {b, sign + n.y * n.y * a, -n.y};
    const double x = r * cos(angle), y = r * sin(angle);
    vec d = {x * s.x + y * t.x + along_n * n.x, x * s.y + y * t.y + along_n * n.y,
             x * s.z + y * t.z + along_n * n.z};
    return d;
}

// Light along one path: through (column + u[0], row + u[1]); at each of two places it meets, what
// comes from a point of the lamp (two coordinates), then on in a random direction (two more).
static double path(int column, int row, const float u[8])
{
    vec from = {0, 2, -6};
    const double scale = 1.0 / (double)HEIGHT, x = column + (double)u[0], y = row + (double)u[1];
    vec d = {scale * x - 0.5 * scale * (double)WIDTH, 0.42 - scale * y, 1.2};
    double light = 0, share = 1;
    for (int place = 0; place < 2; place++) {
        const double ball = hit_ball(from, d);
        vec n = {0, 1, 0}, lamp = {u[2] * 3.0 - 2.5, 5, u[3] * 3.0 - 2.5};
        if (ball == 0 && d.y >= 0) return light + 0.1 * share; // the sky
        const vec p = along(from, d, ball > 0 ? ball : -from.y / d.y);
        if (ball > 0) n = p, n.y -= 1;
        from = p;
        d = along(lamp, p, -1); // from the place to the lamp
        const double cosine = dot(n, d), r2 = dot(d, d);
        share *= ball > 0 ? 0.8 : 0.5; // what the surface gives back
        if (cosine > 0 && hit_ball(p, d) == 0) light += share * 20 * cosine * d.y / (r2 * r2);
        d = bounce(n, u[4], u[5]);
        u += 4;
    }
    return light;
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
    static uint64_t keys[512];
    padic_sample_keys_desc init = PADIC_ZERO;
    init.seed = seed;
    init.dimensions = 10;
    init.out = padic_tensor_1d(PADIC_U64, keys, 512);
    padic_result result = padic_sample_keys(NULL, &init);
    if (result) return result;
    padic_sample_halton_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_2d(PADIC_F32, points, paths, 10);
    desc.layout = PADIC_SAMPLE_LAYOUT_POINTS;
    desc.scrambling.mode = PADIC_SAMPLE_MODE_OWEN;
    desc.scrambling.keys = init.out;
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
                for (uint32_t k = 0; k < 10; k++) {
                    uint32_t word[4];
                    padic_random_block(seed, k, 0, s, word);
                    points[s][k] = padic_random_f32(word[0]);
                }
            }
            const double other = pixel(column, row, PATHS);
            owen += (value - truth) * (value - truth);
            random += (other - truth) * (other - truth);
        }
    }
    const double scale = (double)(EVERY * EVERY) / (double)(WIDTH * HEIGHT);
    printf("%d paths a pixel, error: Owen %.5f, random %.5f (%.1f times)\n", PATHS,
           sqrt(owen * scale), sqrt(random * scale), sqrt(random / owen));
    if (argc > 1) {
        png_image image;
        memset(&image, 0, sizeof image);
        image.version = PNG_IMAGE_VERSION;
        image.width = WIDTH;
        image.height = HEIGHT;
        image.format = PNG_FORMAT_GRAY;
        if (!png_image_write_to_file(&image, argv[1], 0, grey, 0, NULL))
            return puts(image.message), 1;
    }
    return owen < random ? 0 : 1;
}
