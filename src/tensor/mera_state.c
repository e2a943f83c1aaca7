#include "mera_state.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/platform.h"
#include "../core/tensor.h"
#include "factor.h"
#include "mera_chain.h"
#include "mera_fields.h"

#if PADICI_IMPLEMENT_TENSOR

// The state of a ring of sites that layers make of a coarse one.

#define PADICI_TENSOR_MERA_RING 1024u // most sites; only legs of 1 have so many

// One factor of the ring: x, seen as (left, middle, right), to y, seen as (left, new, right); or of
// its last and first site.
static padic_result padici_tensor_mera_ring(padici_tensor_mera *m, padic_tensor *x, padic_tensor *y,
                                            const padic_tensor *b, uint64_t left, uint64_t right,
                                            int wrap)
{
    padic_tensor_contract_desc desc;
    const uint64_t rows = b->shape[0];
    void *data = x->data;
    padic_result result;
    memset(&desc, 0, sizeof desc);
    desc.b = *b;
    desc.a = padic_tensor_3d(PADIC_C128, x->data, left, wrap ? rows : b->shape[1], right);
    desc.c = padic_tensor_3d(PADIC_C128, y->data, left, rows, right);
    memcpy(desc.labels_a, "lcr", 3);
    memcpy(desc.labels_b, "xc", 2);
    memcpy(desc.labels_c, "lxr", 3);
    if (wrap) { // left and right are both f: u (right', left', right, left)
        desc.a.shape[1] = desc.c.shape[1] = padic_tensor_count(x) / (left * right);
        memcpy(desc.labels_b, "RLrl", 4);
        memcpy(desc.labels_c, "LcR", 3);
    }
    result = padic_tensor_contract(m->context, &desc);
    x->data = y->data;
    y->data = data;
    return result;
}

PADICI_FN padic_result padici_tensor_mera_state(padic_context *context,
                                                const padic_tensor_mera_state_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 0,          NULL,
                                            &desc->state, &desc->out, "state"};
    padici_tensor_mera m;
    padic_tensor t[5], x, y, u, w;
    int power = 0;
    uint64_t n, legs, i, fine = 1, coarse = 1, left = 1, right;
    padic_result result = padici_tensor_mera_begin(&m, context, &given, t);
    if (result) return result;
    n = desc->sites;
    legs = m.sites == 3 ? 2 : 3;
    for (i = 0; i < n * legs && m.f > 1 && fine <= 1u << 20; i++) fine *= m.f;
    for (i = 0; i < n && m.c > 1 && coarse <= 1u << 20; i++) coarse *= m.c;
    if (n < 2)
        result = padici_fail_here(context, PADIC_ERROR_ARGUMENT, "sites is below 2");
    else if (n > PADICI_TENSOR_MERA_RING || fine > 1u << 20 || coarse > 1u << 20)
        result = padici_fail_here(context, PADIC_ERROR_LIMIT,
                                  "sites is above 1,024, or the ring has more than 2^20 numbers");
    else if (t[3].rank != 1 || t[3].shape[0] != coarse || t[4].rank != 1 || t[4].shape[0] != fine)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                  "state is not (c^n), or out not (f^(2 n)), ternary (f^(3 n))");
    right = fine > coarse ? fine : coarse; // in between it is never longer
    if (!result) result = padici_tensor_mera_take(&m, 1, &right, &x);
    if (!result) result = padici_tensor_mera_take(&m, 1, &right, &y);
    if (!result && !padici_tensor_power(&t[3], &power))
        result = padici_tensor_mera_infinite(&m, "state");
    if (!result) padici_tensor_mera_add(&x, &t[3], NULL, ldexp(1.0, -power), 1);
    x.shape[0] = fine;
    u = padic_tensor_2d(PADIC_C128, m.u.data, m.f * m.f, m.f * m.f);
    w = padic_tensor_2d(PADIC_C128, m.w.data, padic_tensor_count(&m.w) / m.c, m.c);
    for (i = 0, right = coarse; i < n && !result; i++, left *= w.shape[0])
        result = padici_tensor_mera_ring(&m, &x, &y, &w, left, right /= m.c, 0);
    for (i = 1, left = w.shape[0] / m.f; i < n && !result; i++, left *= w.shape[0])
        result = padici_tensor_mera_ring(&m, &x, &y, &u, left, fine / left / m.f / m.f, 0);
    if (!result) result = padici_tensor_mera_ring(&m, &x, &y, &m.u, m.f, m.f, 1);
    if (!result) result = padici_tensor_mera_write(&m, &t[4], &x, power);
    padici_tensor_mera_end(&m);
    return result;
}

#undef PADICI_TENSOR_MERA_RING

#endif
