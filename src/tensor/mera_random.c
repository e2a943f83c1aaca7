#include "mera_random.h"
#include "../context/state.h"
#include "../core/philox.h"
#include "../core/platform.h"
#include "../core/tensor.h"
#include "mera_chain.h"
#include "mera_fields.h"
#include "plan.h"
#include "qr.h"
#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// Random disentanglers and isometries.

// Columns of a Gaussian matrix, orthonormalised; to t, of `columns` coarse ones.
static padic_result padici_tensor_mera_haar(padici_tensor_mera *m, const padic_tensor *t,
                                            uint64_t columns, uint64_t seed, uint64_t stream)
{
    const uint64_t rows = padic_tensor_count(t) / columns;
    const uint32_t used = m->used;
    uint64_t shape[1], i, j;
    padic_tensor space, out;
    double *a, *q, *tau, *diag, phase[2];
    padic_result result;
    shape[0] = 2 * rows * columns + 2 * columns;
    result = padici_tensor_mera_take(m, 1, shape, &space);
    if (!result) result = padici_tensor_mera_take(m, t->rank, t->shape, &out);
    if (result) return result;
    a = (double *)space.data;
    q = a + 2 * rows * columns;
    tau = q + 2 * rows * columns;
    diag = tau + columns;
    for (i = 0; i < rows * columns; i++) {
        uint32_t word[4];
        double radius, angle;
        padic_random_block(seed, stream, 0, (uint32_t)i, word);
        radius = sqrt(-2 * log(1 - padic_random_f64(word[0], word[1])));
        angle = 6.283185307179586477 * padic_random_f64(word[2], word[3]);
        a[2 * i] = radius * cos(angle);
        a[2 * i + 1] = padici_tensor_is_complex(m->dtype) ? radius * sin(angle) : 0;
        q[2 * i] = i % (rows + 1) == 0 && i / rows < columns ? 1 : 0;
        q[2 * i + 1] = 0;
    }
    padici_tensor_z_qr(rows, columns, a, tau, diag);
    padici_tensor_z_qr_apply(rows, columns, a, tau, columns, q);
    for (j = 0; j < columns; j++) {
        padici_tensor_z_phase(diag + 2 * j, phase);
        padici_tensor_z_scale(rows, q + 2 * j * rows, phase[0], phase[1]);
        for (i = 0; i < rows; i++)
            memcpy((double *)out.data + 2 * (i * columns + j), q + 2 * (j * rows + i), 16);
    }
    padici_tensor_mera_add(t, &out, NULL, 1, 1);
    padici_tensor_mera_back_to(m, used);
    return PADIC_OK;
}

PADICI_FN padic_result padici_tensor_mera_random(padic_context *context,
                                                 const padic_tensor_mera_random_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 1, NULL, NULL, NULL, NULL};
    padici_tensor_mera m;
    padic_tensor t[5];
    padic_result result = padici_tensor_mera_find(&m, context, &given, t);
    if (!result) result = padici_tensor_mera_haar(&m, &t[0], m.f * m.f, desc->seed, 0);
    if (!result) result = padici_tensor_mera_haar(&m, &t[1], m.c, desc->seed, 1);
    padici_tensor_mera_end(&m);
    return result;
}

#endif
