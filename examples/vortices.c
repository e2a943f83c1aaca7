// vortices.c: two pictures: the interference of three sources, and a lattice of 61 vortices in a
// field, which are then found again from the field alone.
//
//     cc -O2 -o vortices examples/vortices.c -lpng -lm && ./vortices interference.png lattice.png
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

#define SIZE 512
#define RINGS 4 // of the lattice: 1 + 6 + 12 + 18 + 24 vortices

static uint8_t picture[SIZE][SIZE][4];
static float psi[SIZE][SIZE][2];

static int save(const char *path)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = SIZE;
    image.format = PNG_FORMAT_RGBA;
    if (png_image_write_to_file(&image, path, 0, picture, 0, NULL)) return 0;
    return puts(image.message), 1;
}

// Rows along y, from -half to half.
static padic_wave_grid square(double half)
{
    padic_wave_grid grid = PADIC_ZERO;
    grid.count[0] = grid.count[1] = SIZE;
    grid.axis[0][1] = grid.axis[1][0] = grid.axis[2][2] = 1;
    grid.step[0] = grid.step[1] = 2 * half / (SIZE - 1);
    grid.origin[0] = grid.origin[1] = -half;
    return grid;
}

static int interference(padic_context *context, const char *path)
{
    double sources[3][2] = {{-3, -5}, {3, -5}, {0, 5}}, wavenumber = 2 * 3.14159265358979;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.grid = square(8);
    desc.sources = padic_tensor_2d(PADIC_F64, sources, 3, 2);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &wavenumber, 0, NULL); // wavelength 1, for all
    desc.kernel = PADIC_WAVE_KERNEL_SQRT; // waves on water, far from where they begin
    desc.softening = PADIC_WAVE_SOFTENING_PLUMMER_BOTH;
    desc.length = 0.2;
    desc.output = PADIC_WAVE_OUTPUT_RGBA8;
    desc.tone.value = PADIC_WAVE_OUTPUT_INTENSITY;
    desc.tone.map = PADIC_WAVE_MAP_HEAT;
    desc.tone.high = 2;
    desc.out = padic_tensor_3d(PADIC_U8, picture, SIZE, SIZE, 4);
    if (padic_wave_superpose(context, &desc)) return puts(padic_context_message(context)), 1;
    printf("%s: the intensity of three sources in step, 16 wavelengths across; white is %.0f or "
           "more, 1 what one source has at distance 1\n", path, desc.tone.high);
    return save(path);
}

static int lattice(padic_context *context, const char *path)
{
    static double centres[3 * RINGS * (RINGS + 1) + 1][2];
    double core = 0.3;
    uint64_t n = 0;
    padic_wave_winding_report found = PADIC_ZERO;
    padic_wave_vortex_desc desc = PADIC_ZERO;
    padic_wave_winding_desc winding = PADIC_ZERO;
    for (int a = -RINGS; a <= RINGS; a++) // triangles of side 1.5
        for (int b = -RINGS; b <= RINGS; b++) {
            if (a + b < -RINGS || a + b > RINGS) continue;
            centres[n][0] = 1.5 * (a + 0.5 * b) + 0.013; // on no point of the grid
            centres[n++][1] = 1.5 * 0.8660254 * b + 0.007;
        }
    desc.grid = square(8);
    desc.centres = padic_tensor_2d(PADIC_F64, centres, n, 2);
    desc.cores = padic_tensor_nd(PADIC_F64, &core, 0, NULL);
    desc.core = PADIC_WAVE_CORE_PADE; // as in a condensate
    desc.output = PADIC_WAVE_OUTPUT_RGBA8;
    desc.tone.value = PADIC_WAVE_OUTPUT_AMPLITUDE;
    desc.tone.map = PADIC_WAVE_MAP_HUE;
    desc.out = padic_tensor_3d(PADIC_U8, picture, SIZE, SIZE, 4);
    if (padic_wave_vortex(context, &desc)) return puts(padic_context_message(context)), 1;

    desc.output = PADIC_WAVE_OUTPUT_COMPLEX; // the field itself, to look for its vortices
    desc.out = padic_tensor_2d(PADIC_C64, psi, SIZE, SIZE);
    if (padic_wave_vortex(context, &desc)) return puts(padic_context_message(context)), 1;
    winding.psi = desc.out;
    winding.report = &found;
    if (padic_wave_winding(context, &winding)) return puts(padic_context_message(context)), 1;
    // rows run along y, so that a turn to the left in the plane is one to the right in the array
    printf("%s: phase as hue, amplitude as brightness, 16 across; %d vortices 1.5 apart; found %d, "
           "total charge %d\n", path, (int)n, (int)found.absolute, -(int)found.total[2]);
    return save(path) || found.absolute != n || found.total[2] != -(int64_t)n || found.undefined;
}

int main(int argc, char **argv)
{
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_result result;
    int failed;
    with.backends[0] = padic_simd();
    result = padic_context_create(&with, &context);
    if (result) return puts(padic_result_text(result)), 1;
    failed = interference(context, argc > 1 ? argv[1] : "interference.png");
    if (!failed) failed = lattice(context, argc > 2 ? argv[2] : "lattice.png");
    padic_context_destroy(context);
    return failed;
}
