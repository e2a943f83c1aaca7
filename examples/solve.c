// How do I solve linear equations over the rationals, exactly? Three systems: 60 H, H the 3 x 3
// Hilbert matrix; the node voltages of a bridge of resistors; 20 unknowns with a Hilbert matrix,
// where doubles have no digit left, with integers of many words as the result.
//
//     cc -O2 -o solve examples/solve.c -lm && ./solve

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <stdio.h>
#include <stdlib.h>

// One system in plain 64-bit integers: x = numerator / denominator. There is no status plane here,
// so that a system without a result (or one too wide for 64 bits) is an error of the call.
static padic_result solve(int64_t *a, int64_t *b, uint64_t n, int64_t *numerator,
                          int64_t *denominator, int64_t *det)
{
    padic_num_solve_desc desc = PADIC_ZERO;
    desc.matrix = padic_tensor_2d(PADIC_I64, a, n, n);
    desc.right = padic_tensor_1d(PADIC_I64, b, n);
    desc.numerator = padic_tensor_1d(PADIC_I64, numerator, n);
    desc.denominator = padic_tensor_1d(PADIC_I64, denominator, 1);
    desc.det = padic_tensor_1d(PADIC_I64, det, 1);
    return padic_num_solve(NULL, &desc);
}

static void print(const char *what, const int64_t *numerator, int64_t denominator, int n)
{
    printf("%s", what);
    for (int i = 0; i < n; i++) printf(" %ld/%ld", (long)numerator[i], (long)denominator);
    printf("\n");
}

enum { N = 20, WORDS = 16 }; // integers of up to 1,024 bits

// lcm(1 .. 39) times the Hilbert matrix, x = 1, 2, ..., 20: b is computed, x must come back.
static padic_result hilbert(int *right)
{
    static int64_t a[N * N], b[N];
    static uint64_t numerator[WORDS * N], denominator[WORDS];
    const int64_t lcm = 5342931457063200; // of 1 ... 39
    padic_num_solve_desc desc = PADIC_ZERO;
    padic_result result = PADIC_ERROR_MEMORY;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i * N + j] = lcm / (i + j + 1);
            b[i] += a[i * N + j] * (j + 1);
        }
    desc.matrix = padic_tensor_2d(PADIC_I64, a, N, N);
    desc.right = padic_tensor_1d(PADIC_I64, b, N);
    desc.numerator = padic_tensor_2d(PADIC_U64, numerator, WORDS, N); // planes of words
    desc.denominator = padic_tensor_2d(PADIC_U64, denominator, WORDS, 1);
    desc.verify = 1;
    // Working memory is taken from the allocator; who calls often keeps it, as here.
    const uint64_t size = padic_num_solve_workspace(&desc);
    desc.workspace = padic_tensor_1d(PADIC_U8, malloc(size), size);
    if (desc.workspace.data) result = padic_num_solve(NULL, &desc);
    free(desc.workspace.data);
    *right = denominator[0] == 1;
    for (uint64_t i = 0; i < N; i++) *right &= numerator[i] == i + 1 && !numerator[N + i];
    return result;
}

int main(void)
{
    int64_t h[9] = {60, 30, 20, 30, 20, 15, 20, 15, 12}, first[3] = {1, 0, 0};
    // Potentials of a bridge: resistors 2, 3, 5, 7, 11 ohm, 1 ampere in at node 1, node 4 at 0.
    // Each row is Kirchhoff's law times 2310.
    int64_t bridge[9] = {1155 + 770, -1155, -770, -1155, 1155 + 462 + 330, -462,
                         -770, -462, 770 + 462 + 210};
    int64_t current[3] = {2310, 0, 0}, x[3], d = 0, det = 0;
    int right = 0;

    padic_result result = solve(h, first, 3, x, &d, &det);
    if (!result) {
        printf("det 60 H = %ld\n", (long)det);    // 100
        print("60 H x = (1, 0, 0): x =", x, d, 3); // 3/20 -12/20 10/20
        result = solve(bridge, current, 3, x, &d, &det);
    }
    if (!result) {
        print("bridge, volts:", x, d, 3);
        result = hilbert(&right);
    }
    if (result) return puts(padic_result_text(result)), 1;
    if (!right) return puts("20 unknowns: wrong"), 1;
    printf("20 unknowns of a Hilbert matrix: exact\n");
    return 0;
}
