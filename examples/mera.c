// mera.c: the energy of the critical Ising chain, H = -sum (X_i X_{i+1} + Z_i), by a ternary MERA
// from a random start. One layer joins three spins of 2 states to a site of chi; the layer above it
// is the same at every scale. Each round makes the energy of all layers less (Evenbly and Vidal
// 0707.1454); it stays above the exact -4/pi, and comes nearer each time that chi grows. A second
// argument is the rounds for each chi: 400 take a minute and show more than the 40 of the default.
//
//     cc -O2 -o mera examples/mera.c -lm && ./mera mera.svg
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCALES 4    // how many of the equal layers the energy is carried up for a round
#define MOST 8      // the largest chi
#define ROUNDS 4096 // at most
#define RUNS 3

static const double exact = -4 / 3.14159265358979323846;
static const unsigned sizes[RUNS] = {2, 4, 8};
static double errors[RUNS * ROUNDS];

typedef struct layer {
    padic_tensor_mera_layer tensors;
    unsigned below, above; // extents of two sites
    double u[MOST * MOST * MOST * MOST], w[MOST * MOST * MOST * MOST];
} layer;
static layer layers[2], old[2]; // of the spins; of all scales above

typedef double matrix[MOST * MOST * MOST * MOST]; // on two sites, dense
static matrix energy[SCALES + 2], density[2], sum;

static padic_result make(padic_context *context, layer *l, unsigned below, unsigned above,
                         uint64_t seed)
{
    const uint64_t u[4] = {below, below, below, below}, w[4] = {below, below, below, above};
    padic_tensor_mera_random_desc desc = PADIC_ZERO;
    memset(&l->tensors, 0, sizeof l->tensors);
    l->tensors.kind = PADIC_TENSOR_MERA_TERNARY;
    l->tensors.u = padic_tensor_nd(PADIC_F64, l->u, 4, u);
    l->tensors.w = padic_tensor_nd(PADIC_F64, l->w, 4, w);
    l->below = below * below, l->above = above * above;
    desc.layer = l->tensors, desc.seed = seed;
    return padic_tensor_mera_random(context, &desc);
}

static padic_tensor square(double *data, unsigned n)
{
    return padic_tensor_2d(PADIC_F64, data, n, n);
}

static padic_result ascend(padic_context *context, layer *l, double *op, double *out)
{
    padic_tensor_mera_ascend_desc desc = PADIC_ZERO;
    desc.layer = l->tensors, desc.op = square(op, l->below), desc.out = square(out, l->above);
    return padic_tensor_mera_ascend(context, &desc);
}

static padic_result descend(padic_context *context, layer *l, double *rho, double *out)
{
    padic_tensor_mera_descend_desc desc = PADIC_ZERO;
    desc.layer = l->tensors, desc.rho = square(rho, l->above), desc.out = square(out, l->below);
    return padic_tensor_mera_descend(context, &desc);
}

// Both tensors of a layer, for the energy `op` below it and the density matrix `rho` above it.
static padic_result update(padic_context *context, layer *l, double *op, double *rho)
{
    padic_tensor_mera_update_desc desc = PADIC_ZERO;
    desc.layer = l->tensors, desc.op = square(op, l->below), desc.rho = square(rho, l->above);
    return padic_tensor_mera_update(context, &desc);
}

// One round; *value: the energy of a site with the layers as they were.
static padic_result improve(padic_context *context, double *value)
{
    padic_tensor_mera_expect_desc pair = PADIC_ZERO;
    padic_tensor_mera_expect_report trace = {0, 0};
    const unsigned n = layers[1].above;
    padic_result result = descend(context, &layers[1], density[0], density[1]);
    memcpy(density[0], density[1], sizeof density[0]);
    if (!result) result = descend(context, &layers[0], density[0], density[1]);
    pair.op = square(energy[0], 4), pair.rho = square(density[1], 4), pair.report = &trace;
    if (!result) result = padic_tensor_mera_expect(context, &pair);
    *value = trace.re;
    if (!result) result = update(context, &layers[0], energy[0], density[0]);
    if (!result) result = ascend(context, &layers[0], energy[0], energy[1]);
    memcpy(sum, energy[1], sizeof sum);
    for (int k = 1; k <= SCALES && !result; k++) { // one tensor, in the energy at every scale
        result = ascend(context, &layers[1], energy[k], energy[k + 1]);
        for (unsigned i = 0; i < n * n; i++) sum[i] += energy[k + 1][i];
    }
    return result ? result : update(context, &layers[1], sum, density[0]);
}

// Row-major numbers of an (a, a, a, b) tensor in one of larger extents.
static void embed(const double *from, unsigned a, unsigned b, double *to, unsigned a2, unsigned b2)
{
    for (unsigned i = 0; i < a * a * a; i++) {
        const unsigned row = (i / (a * a) * a2 + i / a % a) * a2 + i % a;
        memcpy(to + row * b2, from + i * b, b * sizeof *to);
    }
}

// The columns of w from `first` on become orthonormal to each other and to those before.
static void orthonormalise(double *w, unsigned rows, unsigned columns, unsigned first)
{
    for (unsigned k = 2 * first; k < 2 * columns; k++) { // each twice
        double norm = 0;
        for (unsigned j = 0; j < k / 2; j++) {
            double part = 0;
            for (unsigned i = 0; i < rows; i++) part += w[i * columns + j] * w[i * columns + k / 2];
            for (unsigned i = 0; i < rows; i++) w[i * columns + k / 2] -= part * w[i * columns + j];
        }
        for (unsigned i = 0; i < rows; i++) norm += w[i * columns + k / 2] * w[i * columns + k / 2];
        for (unsigned i = 0; i < rows; i++) w[i * columns + k / 2] /= sqrt(norm);
    }
}

// The same state with more room: u = 1 and random columns of w where there was nothing.
static padic_result grow(padic_context *context, unsigned chi, unsigned larger)
{
    padic_result result;
    memcpy(old, layers, sizeof old);
    memcpy(density[1], density[0], sizeof density[1]);
    memset(density[0], 0, sizeof density[0]);
    result = make(context, &layers[0], 2, larger, 1);
    if (!result) result = make(context, &layers[1], larger, larger, 1);
    for (int k = 0; k < 2 && !result && chi; k++) {
        layer *l = &layers[k];
        const unsigned f = k ? larger : 2, before = k ? chi : 2;
        for (unsigned i = 0; i < f * f * f; i++) memset(l->w + i * larger, 0, chi * sizeof *l->w);
        embed(old[k].w, before, chi, l->w, f, larger);
        orthonormalise(l->w, f * f * f, larger, chi);
        memset(l->u, 0, sizeof l->u);
        for (unsigned i = 0; i < f * f; i++) {
            if (i / f >= before || i % f >= before) l->u[i * (f * f + 1)] = 1;
        }
        embed(old[k].u, before, before, l->u, f, f);
    }
    embed(density[1], chi, chi, density[0], larger, larger);
    for (unsigned i = 0; i < larger * larger && !chi; i++) { // nothing is known
        density[0][i * (larger * larger + 1)] = 1.0 / (larger * larger);
    }
    return result;
}

// The error by round, on a scale of powers of ten that holds all of it.
static int draw(const char *path, int rounds)
{
    const double width = 540.0 / RUNS, top = 50, bottom = 370;
    double least = 1;
    for (int i = 0; i < RUNS * rounds; i++) {
        if (errors[i] < least) least = errors[i];
    }
    const int powers = (int)ceil(-log10(least));
    const double decade = (bottom - top) / (powers > 0 ? powers : 1);
    FILE *file = fopen(path, "w");
    if (!file) return perror(path), 1;
    fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='430'"
                  " font-family='sans-serif' font-size='14'>\n"
                  "<rect width='640' height='430' fill='white'/>\n"
                  "<text x='340' y='24' text-anchor='middle'>ternary MERA of the critical Ising "
                  "chain: relative error of the energy</text>\n"
                  "<text x='340' y='415' text-anchor='middle'>rounds</text>\n");
    for (int power = 0; power <= powers; power++) {
        const double y = top + decade * power;
        fprintf(file, "<path d='M70 %.1f H610' stroke='#d8d8d8'/>\n<text x='62' y='%.1f' "
                      "text-anchor='end'>1%s%.0d</text>\n", y, y + 5, power ? "e-" : "", power);
    }
    for (int k = 0; k <= RUNS; k++) {
        const double x = 70 + width * k;
        fprintf(file, "<path d='M%.1f 50 V375' stroke='#808080' stroke-dasharray='4'/>\n", x);
        fprintf(file, "<text x='%.1f' y='392' text-anchor='middle'>%d</text>\n", x, k * rounds);
        if (k == RUNS) break;
        fprintf(file, "<text x='%.1f' y='44' text-anchor='middle'>chi = %u: %.1e</text>\n",
                x + width / 2, sizes[k], errors[(k + 1) * rounds - 1]);
    }
    fprintf(file, "<path d='M70 50 V370 H610' fill='none' stroke='black'/>\n"
                  "<path fill='none' stroke='#2060c0' stroke-width='2' d='M");
    for (int i = 0; i < RUNS * rounds; i++) {
        const double lost = errors[i] > 0 ? -log10(errors[i]) : powers;
        fprintf(file, " %.1f %.1f", 70 + width * i / rounds, top + decade * lost);
    }
    fprintf(file, "'/>\n</svg>\n");
    return fclose(file) ? (perror(path), 1) : 0;
}

int main(int argc, char **argv)
{
    // X X and half of each Z, on spins with the left one most significant.
    static const double h[16] = {-1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, 1};
    const int rounds = argc > 2 ? atoi(argv[2]) : 40;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    desc.backends[0] = padic_simd();
    padic_result result = padic_context_create(&desc, &context);
    if (result || rounds < 1 || rounds > ROUNDS) return puts("rounds: 1 to 4096"), 1;
    memcpy(energy[0], h, sizeof h);
    for (int k = 0; k < RUNS && !result; k++) {
        result = grow(context, k ? sizes[k - 1] : 0, sizes[k]);
        for (int i = 0; i < rounds && !result; i++) {
            double value = 0;
            result = improve(context, &value);
            errors[k * rounds + i] = (exact - value) / exact;
        }
        const double last = errors[(k + 1) * rounds - 1];
        printf("chi %u: energy %.9f, exact %.9f, relative error %.2e\n", sizes[k],
               exact - last * exact, exact, last);
    }
    if (result) puts(padic_context_message(context));
    padic_context_destroy(context);
    return result || argc < 2 ? result != PADIC_OK : draw(argv[1], rounds);
}
