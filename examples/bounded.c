// How do I trade precision for size? No value ever moves by more than the bound.
//
//     cc -O2 -o bounded examples/bounded.c -lm

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <math.h>
#include <stdio.h>

enum { ROWS = 600, COLUMNS = 800 };

static double field[ROWS][COLUMNS], again[ROWS][COLUMNS];

// Packs and unpacks with a bound that is a share of max - min; prints the size and the worst error.
static int run(double share)
{
    padic_codec_report report = PADIC_ZERO; // says what the share is in the array's own unit
    padic_codec_pack_desc desc = PADIC_ZERO;
    desc.report = &report;
    desc.tensor = padic_tensor_2d(PADIC_F64, field, ROWS, COLUMNS);
    if (share > 0.0) {
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE; // or PADIC_CODEC_TOLERANCE_ABSOLUTE,
                                                           // PADIC_CODEC_TOLERANCE_POINTWISE
        desc.tolerance = share;
    }
    padic_bytes packed;
    padic_result result = padic_codec_pack_new(NULL, &desc, &packed);

    padic_codec_unpack_desc back = PADIC_ZERO;
    back.packed = packed;
    back.tensor = padic_tensor_2d(PADIC_F64, again, ROWS, COLUMNS);
    if (!result) {
        result = padic_codec_unpack(NULL, &back);
    }
    padic_codec_free_packed(NULL, &packed);
    if (result) {
        puts(padic_result_text(result));
        return 1;
    }
    double worst = 0.0;
    for (int y = 0; y < ROWS; y++) {
        for (int x = 0; x < COLUMNS; x++) {
            worst = fmax(worst, fabs(field[y][x] - again[y][x]));
        }
    }
    printf("bound %-6g ratio %7.2f, largest error %.3g of at most %.3g\n", share,
           (double)sizeof field / (double)report.packed_size, worst, report.error_bound);
    return worst > report.error_bound;
}

int main(void)
{
    for (int y = 0; y < ROWS; y++) {
        for (int x = 0; x < COLUMNS; x++) {
            field[y][x] = sin(0.01 * x) * cos(0.013 * y) + 0.2 * sin(0.1 * x + 0.07 * y);
        }
    }
    return run(0.0) | run(1e-6) | run(1e-4) | run(1e-2);
}
