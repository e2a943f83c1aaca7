// entropy.c: how entangled is a critical chain? The ground state of the Ising ring of 14 spins,
//
//     H = -sum (Z_i Z_{i+1} + X_i),
//
// is found by Lanczos steps; then the entropy of every block of l spins beside the law of conformal
// field theory, S = (c/3) ln((N/pi) sin(pi l/N)) + a with c = 1/2 (Calabrese and Cardy 2004).
//
//     cc -O2 -o entropy examples/entropy.c -lm && ./entropy entropy.svg
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPINS 14
#define DIM (1u << SPINS)
#define STEPS 60

static const double pi = 3.14159265358979323846;
static double basis[STEPS + 1][DIM], state[DIM]; // of the Krylov space

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (unsigned i = 0; i < DIM; i++) sum += a[i] * b[i];
    return sum;
}

// out = H in; bit i of the index is spin i: 0 up, 1 down.
static void hamiltonian(const double *in, double *out)
{
    for (unsigned s = 0; s < DIM; s++) {
        const unsigned turned = (s >> 1) | ((s & 1) << (SPINS - 1));
        unsigned walls = 0;
        for (unsigned x = s ^ turned; x; x &= x - 1) walls++;
        out[s] = in[s] * (2.0 * walls - SPINS);
        for (unsigned i = 0; i < SPINS; i++) out[s] -= in[s ^ (1u << i)];
    }
}

// The ground state and its energy. The vectors stay orthogonal because each is made so twice.
static padic_result ground(double *energy)
{
    static double h[STEPS][STEPS], v[STEPS][STEPS], w[STEPS];
    padic_tensor_eigh_desc desc = PADIC_ZERO;
    for (unsigned i = 0; i < DIM; i++) basis[0][i] = 1 / sqrt((double)DIM);
    for (int k = 0; k < STEPS; k++) {
        double *next = basis[k + 1];
        hamiltonian(basis[k], next);
        h[k][k] = dot(basis[k], next);
        for (int j = 0; j < 2 * (k + 1); j++) {
            const double *old = basis[j % (k + 1)], part = dot(old, next);
            for (unsigned i = 0; i < DIM; i++) next[i] -= part * old[i];
        }
        const double norm = sqrt(dot(next, next));
        for (unsigned i = 0; i < DIM; i++) next[i] /= norm;
        if (k + 1 < STEPS) h[k + 1][k] = h[k][k + 1] = norm;
    }
    desc.a = padic_tensor_2d(PADIC_F64, h, STEPS, STEPS);
    desc.v = padic_tensor_2d(PADIC_F64, v, STEPS, STEPS);
    desc.w = padic_tensor_1d(PADIC_F64, w, STEPS);
    const padic_result result = padic_tensor_eigh(NULL, &desc);
    if (result) return result;
    for (int k = 0; k < STEPS; k++) {
        for (unsigned i = 0; i < DIM; i++) state[i] += v[k][0] * basis[k][i];
    }
    *energy = w[0];
    return PADIC_OK;
}

static double law(double l, double constant)
{
    return log(SPINS / pi * sin(pi * l / SPINS)) / 6 + constant;
}

static int draw(const char *path, const double *entropy, double constant, double slope)
{
    const double x0 = 60, y0 = 360, dx = 40, dy = 420;
    FILE *file = fopen(path, "w");
    if (!file) return perror(path), 1;
    fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='420'"
                  " font-family='sans-serif' font-size='14'>\n"
                  "<rect width='640' height='420' fill='white'/>\n"
                  "<text x='340' y='16' text-anchor='middle'>entropy of a block in the critical "
                  "Ising ring of %d spins, in nats</text>\n", SPINS);
    for (int tick = 0; tick <= 8; tick += 2) {
        const double y = y0 - tick * 0.1 * dy;
        fprintf(file, "<path d='M60 %.1f H620' stroke='#d8d8d8'/>\n<text x='52' y='%.1f' "
                      "text-anchor='end'>%.1f</text>\n", y, y + 5, tick * 0.1);
    }
    fprintf(file, "<path d='M60 20 V360 H620' fill='none' stroke='black'/>\n"
                  "<path fill='none' stroke='#2060c0' stroke-width='2' d='M");
    for (double l = 0.5; l <= SPINS - 0.49; l += 0.05) {
        fprintf(file, " %.1f %.1f", x0 + l * dx, y0 - law(l, constant) * dy);
    }
    fprintf(file, "'/>\n");
    for (int l = 1; l < SPINS; l++) {
        fprintf(file, "<circle cx='%.1f' cy='%.1f' r='4' fill='#c03020'/>\n", x0 + l * dx,
                y0 - entropy[l] * dy);
        fprintf(file, "<text x='%.1f' y='378' text-anchor='middle'>%d</text>\n", x0 + l * dx, l);
    }
    fprintf(file, "<text x='340' y='402' text-anchor='middle'>spins in the block, l</text>\n"
                  "<rect x='205' y='228' width='390' height='88' fill='white'/>\n"
                  "<circle cx='230' cy='245' r='4' fill='#c03020'/>\n"
                  "<text x='250' y='250'>ground state, by Lanczos steps</text>\n"
                  "<path d='M215 272 H242' stroke='#2060c0' stroke-width='2'/>\n"
                  "<text x='250' y='277'>(c/3) ln((%d/pi) sin(pi l/%d)) + %.4f, c = 1/2</text>\n"
                  "<text x='250' y='304'>slope of the dots %.4f; c/3 = %.4f</text>\n</svg>\n",
            SPINS, SPINS, constant, slope, 1.0 / 6);
    return fclose(file) ? (perror(path), 1) : 0;
}

int main(int argc, char **argv)
{
    double energy, entropy[SPINS] = {0}, x = 0, y = 0, xx = 0, xy = 0;
    padic_result result = ground(&energy);
    if (result) return puts(padic_result_text(result)), 1;
    printf("energy %.12f, exact %.12f\n", energy, -2 / sin(pi / (2 * SPINS)));
    puts(" l   entropy   law");
    for (int l = 1; l < SPINS; l++) {
        uint64_t cut[2] = {(uint64_t)1 << (SPINS - l), (uint64_t)1 << l};
        padic_tensor_entropy_desc desc = PADIC_ZERO;
        padic_tensor_entropy_report report;
        desc.state = padic_tensor_1d(PADIC_F64, state, DIM);
        desc.dims = padic_tensor_1d(PADIC_U64, cut, 2), desc.part = 2; // the last l spins
        desc.report = &report;
        result = padic_tensor_entropy(NULL, &desc);
        if (result) return puts(padic_result_text(result)), 1;
        entropy[l] = report.von_neumann;
        const double chord = law(l, 0) * 6;
        x += chord, y += entropy[l], xx += chord * chord, xy += chord * entropy[l];
    }
    const int n = SPINS - 1;
    const double slope = (n * xy - x * y) / (n * xx - x * x), constant = (y - x / 6) / n;
    for (int l = 1; l < SPINS; l++) printf("%2d  %.6f  %.6f\n", l, entropy[l], law(l, constant));
    printf("slope %.4f, c/3 = %.4f\n", slope, 1.0 / 6);
    return argc > 1 ? draw(argv[1], entropy, constant, slope) : 0;
}
