// How do I contract tensors where they are, on a GPU when there is one?
//
//     cc -O2 examples/contract.c -o contract -lm -ldl && ./contract
//
// A chain of 64 site tensors, as a quantum state in matrix product form has them: A[site] with legs
// (left, spin, right). Its norm is contracted site by site with an environment E, by two
// contractions a site; no leg is ever moved in memory. The norm is 1 because every A is an
// isometry.
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SITES = 64, BOND = 32, SPIN = 2 };

// Random numbers made orthonormal over (left, spin): sum conj(A[l,s,r]) A[l,s,r'] = 1 where r = r'.
static void isometry(float *a, uint64_t site)
{
    enum { ROWS = BOND * SPIN };
    padic_random_fill_desc random = PADIC_ZERO;
    random.tensor = padic_tensor_1d(PADIC_C64, a, ROWS * BOND);
    random.seed = 1;
    random.stream = site;
    padic_random_fill(NULL, &random);
    for (int i = 0; i < 2 * ROWS * BOND; i++) a[i] -= 0.5f;
    for (int r = 0; r < BOND; r++) { // Gram and Schmidt, twice
        for (int q = 0; q < 2 * r; q++) {
            double re = 0, im = 0;
            for (int i = 0; i < ROWS; i++) {
                const float *x = a + 2 * (i * BOND + q % r), *y = a + 2 * (i * BOND + r);
                re += (double)x[0] * y[0] + (double)x[1] * y[1];
                im += (double)x[0] * y[1] - (double)x[1] * y[0];
            }
            for (int i = 0; i < ROWS; i++) {
                const float *x = a + 2 * (i * BOND + q % r);
                float *y = a + 2 * (i * BOND + r);
                y[0] -= (float)(re * x[0] - im * x[1]);
                y[1] -= (float)(re * x[1] + im * x[0]);
            }
        }
        double norm = 0;
        for (int i = 0; i < ROWS; i++) {
            const float *y = a + 2 * (i * BOND + r);
            norm += (double)y[0] * y[0] + (double)y[1] * y[1];
        }
        for (int i = 0; i < ROWS; i++) {
            a[2 * (i * BOND + r)] /= (float)sqrt(norm);
            a[2 * (i * BOND + r) + 1] /= (float)sqrt(norm);
        }
    }
}

static padic_context *context;

static void must(padic_result result)
{
    if (!result) return;
    fprintf(stderr, "%s: %s\n", padic_result_text(result), padic_context_message(context));
    exit(1);
}

static padic_buffer memory(uint64_t elements, const void *data)
{
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer;
    desc.size = elements * 8;
    desc.data = data;
    must(padic_buffer_create(context, &desc, &buffer));
    return buffer;
}

int main(void)
{
    static float a[2 * BOND * SPIN * BOND], e[2 * BOND * BOND];
    padic_context_desc desc = PADIC_ZERO;
    padic_device_info info;
    padic_tensor_contract_desc left = PADIC_ZERO, right = PADIC_ZERO;
    desc.backends[0] = padic_cuda();
    desc.backends[1] = padic_opencl();
    if (padic_context_create(&desc, &context) != PADIC_OK) return 1;
    padic_context_device_info(context, &info);

    // E starts as one over BOND: every bond state of the left end, equally likely.
    for (int i = 0; i < BOND; i++) e[2 * (i * BOND + i)] = 1.0f / BOND;
    padic_buffer environment = memory(BOND * BOND, e), half = memory(BOND * SPIN * BOND, NULL);
    padic_tensor legs2 = padic_tensor_2d(PADIC_C64, NULL, BOND, BOND);
    padic_tensor legs3 = padic_tensor_3d(PADIC_C64, NULL, BOND, SPIN, BOND);

    padic_tensor_labels_desc labels = PADIC_ZERO;
    labels.expression = "xy, ysr -> xsr", labels.out = &left; // E with A
    must(padic_tensor_labels(context, &labels));
    labels.expression = "xsq, xsr -> qr", labels.out = &right; // conj(A) with that
    must(padic_tensor_labels(context, &labels));
    right.conj = 1;
    left.a = right.c = padic_tensor_in(legs2, environment, 0);
    left.c = right.b = padic_tensor_in(legs3, half, 0);
    for (uint64_t site = 0; site < SITES; site++) {
        isometry(a, site);
        padic_buffer tensor = memory(BOND * SPIN * BOND, a);
        left.b = right.a = padic_tensor_in(legs3, tensor, 0);
        must(padic_tensor_contract(context, &left));
        must(padic_tensor_contract(context, &right));
        must(padic_buffer_destroy(context, tensor));
    }
    must(padic_buffer_download(context, environment, 0, e, sizeof e));
    double off = 0; // every A keeps one over BOND as it is: the norm of the state is 1
    for (int i = 0; i < BOND * BOND; i++) {
        const double re = e[2 * i] - (i % (BOND + 1) ? 0.0 : 1.0 / BOND), im = e[2 * i + 1];
        if (hypot(re, im) > off) off = hypot(re, im);
    }
    printf("%s: %d sites, the environment is off by %.1e\n", info.name, SITES, off);
    padic_context_destroy(context);
    return !(off < 1e-6);
}
