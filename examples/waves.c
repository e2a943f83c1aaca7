// waves.c: the field of a hundred point sources on a plane, drawn: brightness is the amplitude, hue
// the phase. On a GPU where there is one, else on the CPU, with the same picture.
//
//     cc -O2 -o waves examples/waves.c -lpng -lm -lpthread -ldl && ./waves waves.png
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

#define SIZE 512
#define SOURCES 100

static uint8_t picture[SIZE][SIZE][4];

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "waves.png";
    double sources[SOURCES][3], phase[SOURCES], wavenumber = 2 * 3.14159265358979; // wavelength 1
    for (int i = 0; i < SOURCES; i++) { // a ring with one turn of phase: a vortex in its middle
        const double angle = 2 * 3.14159265358979 * i / SOURCES;
        sources[i][0] = 12 * cos(angle);
        sources[i][1] = 12 * sin(angle);
        sources[i][2] = 4; // above the plane
        phase[i] = angle;
    }

    padic_context_desc with = PADIC_ZERO; // the first of these that finds a device, else the CPU
    with.backends[0] = padic_cuda();
    with.backends[1] = padic_opencl();
    padic_context *context = NULL;
    padic_result result = padic_context_create(&with, &context);
    if (result) return puts(padic_result_text(result)), 1;

    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.sources = padic_tensor_2d(PADIC_F64, sources, SOURCES, 3);
    desc.phase = padic_tensor_1d(PADIC_F64, phase, SOURCES);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &wavenumber, 0, NULL); // one for all
    desc.grid.count[0] = desc.grid.count[1] = SIZE; // rows, then columns
    desc.grid.axis[0][1] = desc.grid.axis[1][0] = desc.grid.axis[2][2] = 1; // rows go along y
    desc.grid.step[0] = desc.grid.step[1] = 16.0 / SIZE;
    desc.grid.origin[0] = desc.grid.origin[1] = -8;
    desc.output = PADIC_WAVE_OUTPUT_RGBA8;
    desc.tone.value = PADIC_WAVE_OUTPUT_AMPLITUDE;
    desc.tone.map = PADIC_WAVE_MAP_HUE;
    desc.tone.high = 3;
    desc.out = padic_tensor_3d(PADIC_U8, picture, SIZE, SIZE, 4);
    padic_wave_superpose_report told = PADIC_ZERO;
    desc.report = &told;
    result = padic_wave_superpose(context, &desc);
    if (result) return puts(padic_context_message(context)), 1;

    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = SIZE;
    image.format = PNG_FORMAT_RGBA;
    if (!png_image_write_to_file(&image, path, 0, picture, 0, NULL)) return puts(image.message), 1;
    padic_device_info device;
    padic_context_device_info(context, &device);
    printf("%s: %d sources on %d x %d points by %s; no phase is wrong by more than %.1e turns\n",
           path, SOURCES, SIZE, SIZE, device.name, told.error_bound);
    padic_context_destroy(context);
    return 0;
}
