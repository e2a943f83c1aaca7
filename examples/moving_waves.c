// moving_waves.c: seven sources that circle each other, as a sequence of pictures: the sources move
// slowly beside their waves, so that each picture is the field of where they are.
//
//     cc -O2 -o moving_waves examples/moving_waves.c -lm -lpthread && ./moving_waves 200 frame
//
// writes frame000.ppm to frame199.ppm, of which
//
//     ffmpeg -i frame%03d.ppm waves.mp4
//
// makes a film. With no argument: 3 pictures of the 200.
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 384
#define SOURCES 7
#define FRAMES 200 // once around
#define WIDTH 16.0 // of a picture

static uint8_t picture[SIZE][SIZE][4];

static int save(const char *path)
{
    FILE *file = fopen(path, "wb");
    int failed;
    if (!file) return 1;
    fprintf(file, "P6\n%d %d\n255\n", SIZE, SIZE);
    for (int i = 0; i < SIZE * SIZE; i++) fwrite(picture[i / SIZE][i % SIZE], 1, 3, file);
    failed = ferror(file);
    return fclose(file) || failed;
}

// Crests from black to orange and white, troughs to blue and white.
static void colours(uint8_t table[256][4])
{
    for (int i = 0; i < 256; i++) {
        const double x = (i - 127.5) / 127.5, size = fabs(x);
        const double strong = size < 0.5 ? 2 * size : 1, pale = size < 0.5 ? 0 : 2 * size - 1;
        const double first = 255 * strong, second = 255 * (0.45 * strong + 0.55 * pale);
        table[i][x < 0 ? 2 : 0] = (uint8_t)first;
        table[i][1] = (uint8_t)second;
        table[i][x < 0 ? 0 : 2] = (uint8_t)(255 * pale);
        table[i][3] = 255;
    }
}

// A ring around a source.
static void mark(double x, double y)
{
    for (int i = 0; i < SIZE * SIZE; i++) {
        const double dx = (i % SIZE + 0.5) * WIDTH / SIZE - WIDTH / 2 - x;
        const double dy = (i / SIZE + 0.5) * WIDTH / SIZE - WIDTH / 2 - y;
        if (fabs(sqrt(dx * dx + dy * dy) - 0.2) < 0.04) memset(picture[i / SIZE][i % SIZE], 255, 4);
    }
}

int main(int argc, char **argv)
{
    static uint8_t table[256][4];
    const double turn = 2 * 3.14159265358979;
    const int count = argc > 1 ? atoi(argv[1]) : 3;
    const char *prefix = argc > 2 ? argv[2] : "frame";
    double sources[SOURCES][2], wavenumber = turn / 0.8; // wavelength 0.8
    padic_threads *threads = padic_threads_create(0, NULL); // one a core
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    padic_result result;
    int failed = 0;
    with.backends[0] = padic_simd();
    with.jobs = padic_threads_jobs(threads);
    result = padic_context_create(&with, &context);
    if (result) return puts(padic_result_text(result)), 1;

    desc.grid.count[0] = desc.grid.count[1] = SIZE;
    desc.grid.axis[0][1] = desc.grid.axis[1][0] = desc.grid.axis[2][2] = 1; // rows go along y
    desc.grid.step[0] = desc.grid.step[1] = WIDTH / SIZE;
    desc.grid.origin[0] = desc.grid.origin[1] = (WIDTH / SIZE - WIDTH) / 2;
    desc.sources = padic_tensor_2d(PADIC_F64, sources, SOURCES, 2);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &wavenumber, 0, NULL);
    desc.kernel = PADIC_WAVE_KERNEL_SQRT;
    desc.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH;
    desc.length = 0.15;
    desc.output = PADIC_WAVE_OUTPUT_RGBA8;
    desc.tone.value = PADIC_WAVE_OUTPUT_REAL;
    colours(table);
    desc.tone.map = PADIC_WAVE_MAP_TABLE;
    desc.tone.table = &table[0][0];
    desc.tone.low = -3;
    desc.tone.high = 3;
    desc.out = padic_tensor_3d(PADIC_U8, picture, SIZE, SIZE, 4);
    for (int frame = 0; frame < count && frame < FRAMES && !failed; frame++) {
        const double around = turn * frame / FRAMES;
        char path[512];
        for (int i = 0; i < SOURCES; i++) {
            const double reach = i ? 4.5 + 1.5 * sin(3 * around + i) : 0;
            sources[i][0] = reach * cos(around + turn * i / (SOURCES - 1));
            sources[i][1] = reach * sin(around + turn * i / (SOURCES - 1));
        }
        desc.time = 0.1 * frame; // an eighth of a period each
        failed = padic_wave_superpose(context, &desc) != PADIC_OK;
        if (failed) puts(padic_context_message(context));
        for (int i = 0; i < SOURCES; i++) mark(sources[i][0], sources[i][1]);
        if (snprintf(path, sizeof path, "%s%03d.ppm", prefix, frame) >= (int)sizeof path) break;
        if (!failed) failed = save(path);
    }
    if (!failed) printf("%s000.ppm and on: %d pictures\n", prefix, count < FRAMES ? count : FRAMES);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
    return failed;
}
