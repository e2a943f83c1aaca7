#include "each_arrays_test.h"
#include "../../core/tensor.h"
#include "../../num/array.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

PADICI_FN uint64_t padici_test_num_room(const padici_test_num *t) // bytes of other[0]
{
    const uint32_t digits = t->op == 14 || t->op == 15;
    return (t->op == 18 ? 64 : t->count) * (digits ? 64 * t->size : 16);
}

// An array of a test, *at bytes into the block at base (NULL: only *at moves).
PADICI_FN void padici_test_num_array(const padici_test_num *t, padic_num_array *a,
                                     const padic_num_ring *ring, uint64_t count, char *base,
                                     uint64_t *at)
{
    const padic_num_model model =
        t->op == 30 && a == &t->a ? (padic_num_model)t->kind : t->model;
    char *const here = (char *)padici_num_take(base, at, 0);
    *at += padici_num_lay(a, ring, model, count, here);
    if (t->val == 16 && model) a->val.dtype = PADIC_I16;
    if (t->known == 16 && model == PADIC_NUM_BALL)
        a->known = padic_num_plane_of(PADIC_U16, padici_num_take(base, at, count * 2));
}

// The arrays and tensors of a test in one block of memory; the bytes it takes.
PADICI_FN uint64_t padici_test_num_lay(padici_test_num *t, unsigned char *base_)
{
    const uint64_t n = t->count, few = t->op == 18 ? 64 : n; // sums of many use one array
    char *const base = (char *)base_;
    uint64_t at = 0;
    padici_test_num_array(t, &t->a, &t->from, n, base, &at);
    padici_test_num_array(t, &t->b, &t->ring, few, base, &at);
    padici_test_num_array(t, &t->c, &t->ring, t->op == 13 || t->op == 33 ? 3 : few, base, &at);
    padici_test_num_array(t, &t->x, &t->ring, few, base, &at);
    t->other[0] = (unsigned char *)padici_num_take(base, &at, padici_test_num_room(t));
    t->other[1] = (unsigned char *)padici_num_take(base, &at, few * 16);
    return at;
}

PADICI_FN uint64_t padici_test_num_word(uint64_t i) // splitmix64
{
    uint64_t z = i * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

PADICI_FN void padici_test_num_fill(const padic_num_array *a, uint64_t seed)
{
    const padic_num_ring *r = a->ring;
    uint64_t i;
    for (i = 0; i < a->count; i++) {
        const uint64_t word = padici_test_num_word(seed + i), kind = i % 17;
        padic_num_value v = {0, 0, {0, 0}};
        v.v = (int32_t)(word >> 60) - 3;
        v.n = a->model == PADIC_NUM_BALL ? 1 + (uint32_t)(word >> 32) % r->precision
                                         : r->precision;
        v.u[0] = r->base || v.n < r->precision ? word % r->power[v.n][0] : word;
        if (a->model == PADIC_NUM_RING) {
            if (kind < 4) v.u[0] = v.u[0] / r->power[kind + 1][0] * r->power[kind + 1][0];
        } else if (kind == 5) {
            v.v = PADIC_NUM_ZERO;
        } else if (kind == 7) {
            v.v = PADIC_NUM_NAN;
            v.u[0] = PADIC_NUM_DIV0;
        } else if (v.u[0] % r->p == 0) {
            v.u[0] = 1;
        }
        if (kind == 9 && a->model == PADIC_NUM_BALL) v.n = 0; // O(p^v)
        if (v.v == PADIC_NUM_ZERO || !v.n) v.u[0] = 0;
        if (v.v == PADIC_NUM_ZERO || v.v == PADIC_NUM_NAN) v.n = 0;
        padic_num_set(a, i, &v);
    }
}

// Small integers among them, which are fractions.
PADICI_FN void padici_test_num_small(const padic_num_array *a)
{
    const padic_num_ring *r = a->ring;
    uint64_t i;
    for (i = 0; i < a->count; i += 3) {
        padic_num_value v = {0, 0, {0, 0}};
        v.v = a->model == PADIC_NUM_RING ? 0 : (int32_t)(i % 5) - 2;
        v.n = a->model == PADIC_NUM_BALL ? r->precision - (uint32_t)(i % 3) : r->precision;
        v.u[0] = 1 + i % r->p % 60 % (r->p - 1 ? r->p - 1 : 1);
        padic_num_set(a, i, &v);
    }
}

#endif
