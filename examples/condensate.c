// condensate.c: four pictures of condensates side by side. A laser beam stirs one, which sheds
// vortices in pairs; the same a turn later; what it comes to when it may cool in a frame that
// turns, a lattice of vortices; three solitons that meet, across place and time.
//
//     cc -O2 -o condensate examples/condensate.c -lpng -lm && ./condensate condensate.png
//
// Colours are phases, brightness is density: round a vortex all colours follow each other, and in
// its middle there is nothing. The picture of the solitons has time upwards: they pass through each
// other, and are shifted.
#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_FIELD
#include "../padic.h"
#include "../backends/padic_simd.h"
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

#define GRID 160
#define SIDE 256
#define LINE 512
#define PICTURES 4

static const double pi = 3.14159265358979, box = 20;
static uint8_t picture[SIDE][PICTURES * SIDE][3];
static double psi[GRID][GRID][2], beam[GRID][GRID], line[LINE][2];
static padic_context *context;

static int failed(padic_result result)
{
    if (result) puts(padic_context_message(context));
    return result != PADIC_OK;
}

static void paint(int x, int y, double re, double im, double most)
{
    const double size = sqrt((re * re + im * im) / most), phase = atan2(im, re);
    for (int c = 0; c < 3; c++) {
        const double tint = 0.7 + 0.3 * cos(phase - c * 2 * pi / 3 - 0.6);
        const double light = size < 1 ? size * tint : tint;
        picture[SIDE - 1 - y][x][c] = (uint8_t)(255 * light);
    }
}

// The square in the middle of the field, from -half to half, with points between the grid's.
static void draw(int number, double half, double most)
{
    const double step = 2 * half / SIDE * GRID / box;
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++) {
            const double u = GRID / 2 + (x - SIDE / 2) * step, v = GRID / 2 + (y - SIDE / 2) * step;
            const int i = (int)u, j = (int)v;
            const double right = u - i, above = v - j;
            double value[2];
            for (int c = 0; c < 2; c++) {
                const double here = psi[i][j][c] + above * (psi[i][j + 1][c] - psi[i][j][c]);
                const double there =
                    psi[i + 1][j][c] + above * (psi[i + 1][j + 1][c] - psi[i + 1][j][c]);
                value[c] = here + right * (there - here);
            }
            paint(number * SIDE + x, y, value[0], value[1], most);
        }
}

// A beam of light that pushes atoms away, at a place on a circle.
static void aim(double angle)
{
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            const double x = (i - GRID / 2) * box / GRID - 2.8 * cos(angle);
            const double y = (j - GRID / 2) * box / GRID - 2.8 * sin(angle);
            beam[i][j] = 25 * exp(-(x * x + y * y) / (2 * 0.35 * 0.35));
        }
}

static int stir(void)
{
    padic_field_plan_desc desc = PADIC_ZERO;
    padic_field_plan *plan;
    padic_field_ground_desc ground = PADIC_ZERO;
    padic_field_step_desc step = PADIC_ZERO;
    padic_field_measure_desc measure = PADIC_ZERO;
    padic_field_record record;
    int bad;
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) { // of norm 1
            const double r = hypot(i - GRID / 2, j - GRID / 2) * box / GRID;
            psi[i][j][0] = exp(-r * r / 18) / (3 * sqrt(pi));
        }
    desc.dims = 2;
    desc.shape[0] = desc.shape[1] = GRID;
    desc.spacing[0] = desc.spacing[1] = box / GRID;
    desc.dtype = PADIC_C128;
    desc.dt = 0.0045;
    desc.trap[0] = desc.trap[1] = 0.5;
    desc.power[0].g = 700;
    desc.potential = padic_tensor_2d(PADIC_F64, beam, GRID, GRID);
    aim(0);
    if (failed(padic_field_plan_create(context, &desc, &plan))) return 1;
    ground.plan = step.plan = measure.plan = plan;
    ground.psi = step.psi = measure.psi = padic_tensor_2d(PADIC_C128, psi, GRID, GRID);
    ground.tolerance = 1e-6;
    bad = failed(padic_field_ground(context, &ground));
    measure.report = &record;
    step.count = 4;
    for (int t = 1; t <= 400 && !bad; t++) { // at two thirds of the speed of sound
        aim(t * 4 * desc.dt * 0.8);
        bad = failed(padic_field_plan_set(context, &desc, plan)) ||
              failed(padic_field_step(context, &step));
        if (t == 110) draw(0, 6, 0.016);
        if (t == 400) draw(1, 6, 0.016);
    }
    if (!bad) bad = failed(padic_field_measure(context, &measure));
    printf("stirred: each atom has %.2f hbar of angular momentum\n", record.angular_momentum);
    memset(beam, 0, sizeof beam); // the beam goes, and the frame turns
    desc.rotation = 0.75;
    bad = bad || failed(padic_field_plan_set(context, &desc, plan));
    ground.tolerance = 1e-4;
    ground.max_iterations = 400;
    if (!bad) (void)padic_field_ground(context, &ground); // near enough, even if it wants longer
    if (!bad) bad = failed(padic_field_measure(context, &measure));
    printf("cooled: %.2f hbar, energy %.3f in the frame\n", record.angular_momentum, record.energy);
    draw(2, 7.6, 0.012);
    padic_field_plan_destroy(plan);
    return bad;
}

static int collide(void)
{
    static const double place[3] = {-16, 2.5, 17}, speed[3] = {1.4, -0.2, -1.6};
    static const double size[3] = {1, 0.7, 1.2};
    padic_field_plan_desc desc = PADIC_ZERO;
    padic_field_plan *plan;
    padic_field_step_desc step = PADIC_ZERO;
    int bad = 0;
    for (int i = 0; i < LINE; i++)
        for (int s = 0; s < 3; s++) {
            const double x = (i - LINE / 2) * 80.0 / LINE - place[s];
            line[i][0] += size[s] / cosh(size[s] * x) * cos(speed[s] * x);
            line[i][1] += size[s] / cosh(size[s] * x) * sin(speed[s] * x);
        }
    desc.dims = 1;
    desc.shape[0] = LINE;
    desc.spacing[0] = 80.0 / LINE;
    desc.dtype = PADIC_C128;
    desc.dt = 0.012;
    desc.method = PADIC_FIELD_METHOD_SPLIT4;
    desc.power[0].g = -1;
    if (failed(padic_field_plan_create(context, &desc, &plan))) return 1;
    step.plan = plan;
    step.psi = padic_tensor_1d(PADIC_C128, line, LINE);
    step.count = 7;
    for (int y = 0; y < SIDE && !bad; y++) {
        for (int x = 0; x < SIDE; x++)
            paint(3 * SIDE + x, y, line[x + SIDE / 2][0], line[x + SIDE / 2][1], 1.0);
        bad = failed(padic_field_step(context, &step));
    }
    padic_field_plan_destroy(plan);
    return bad;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "condensate.png";
    padic_context_desc desc = PADIC_ZERO;
    png_image image;
    int bad;
    desc.backends[0] = padic_simd();
    if (padic_context_create(&desc, &context)) return puts("no context"), 1;
    bad = stir() || collide();
    padic_context_destroy(context);
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = PICTURES * SIDE;
    image.height = SIDE;
    image.format = PNG_FORMAT_RGB;
    if (!bad && !png_image_write_to_file(&image, path, 0, picture, 0, NULL))
        return puts(image.message), 1;
    return bad;
}
