#include "tree_digits.h"
#include "../core/words.h"
#include "residue.h"
#include "tree.h"

#if PADICI_IMPLEMENT_NUM

// ---- digits

// The words of element i, up to W128.
PADICI_INLINE void padici_num_tree_load(const padic_num_ring *r, const padic_num_planes *p,
                                        uint64_t i, uint64_t u[2])
{
    u[0] = padici_num_word(r, p->unit, i);
    u[1] = r->words > 1 ? padici_num_word(r, p->unit, i + p->high) : 0;
}

// The digit of element i at an exponent.
static uint64_t padici_num_tree_digit(const padic_num_ring *r, const padic_num_planes *p,
                                      uint64_t i, int64_t exponent)
{
    const int32_t v = padici_num_tree_val(p, i);
    const int64_t k = exponent - v;
    uint64_t step, u[2];
    if (v == PADIC_NUM_ZERO || k < 0 || k >= r->precision) return 0;
    if (r->form == PADIC_NUM_RX) {
        const uint64_t at = padici_num_at(r, p, i, &step);
        const uint64_t limb = padici_num_word(r, p->unit, at + (uint64_t)k / r->limb_digits * step);
        return limb / r->power[k % r->limb_digits][0] % r->p;
    }
    padici_num_tree_load(r, p, i, u);
    padici_num_ring_down(r, u, u, (uint64_t)k);
    return padici_num_ring_digit(r, u);
}

// How many low digits two units share.
static uint64_t padici_num_tree_shared(const padic_num_ring *r, const padic_num_planes *a,
                                       uint64_t i, const padic_num_planes *b, uint64_t j)
{
    uint64_t step, unit, x[2], y[2];
    uint32_t k;
    if (r->form != PADIC_NUM_RX) {
        padici_num_tree_load(r, a, i, x);
        padici_num_tree_load(r, b, j, y);
        padici_num_ring_sub(r, x, x, y);
        return padici_num_ring_valuation(r, x);
    }
    i = padici_num_at(r, a, i, &step);
    j = padici_num_at(r, b, j, &step);
    for (k = 0; k < r->words; k++) {
        x[0] = padici_num_word(r, a->unit, i + k * step);
        y[0] = padici_num_word(r, b->unit, j + k * step);
        if (x[0] != y[0])
            return (uint64_t)k * r->limb_digits +
                   padici_num_split1(r, x[0] > y[0] ? x[0] - y[0] : y[0] - x[0], &unit);
    }
    return r->precision;
}

// Where two numbers diverge, EQUAL if they do not; *after: the first one comes after the second.
PADICI_FN uint64_t padici_num_tree_place(const padic_num_ring *r, const padic_num_planes *a,
                                         uint64_t i, const padic_num_planes *b, uint64_t j,
                                         int *after)
{
    const int32_t v = padici_num_tree_val(a, i), w = padici_num_tree_val(b, j);
    int64_t e = v < w ? v : w;
    uint64_t x, y;
    if (v == w) e += (int64_t)padici_num_tree_shared(r, a, i, b, j);
    x = padici_num_tree_digit(r, a, i, e);
    y = padici_num_tree_digit(r, b, j, e);
    *after = x > y;
    return x == y ? PADICI_NUM_TREE_EQUAL : padici_num_tree_limit(e) | padici_clz64(x ^ y);
}

// The same for two ids, which always diverge (an id and itself in the last bit).
PADICI_FN uint64_t padici_num_tree_part(const padic_num_ring *r, const padic_num_planes *p,
                                        uint32_t a, uint32_t b, int *after)
{
    const uint64_t place = padici_num_tree_place(r, p, a, p, b, after);
    if (place != PADICI_NUM_TREE_EQUAL) return place;
    *after = a > b;
    return place | padici_clz64((a ^ b) | 1);
}

// Returns a leaf that shares at least as many digits with element i of q as any other leaf does.
PADICI_FN uint32_t padici_num_tree_descend(const padic_num_tree *tree, const padic_num_planes *q,
                                       uint64_t i, uint32_t id)
{
    const padic_num_ring *r = tree->points.ring;
    uint64_t exponent = UINT64_MAX, digit = 0;
    uint32_t link = tree->root;
    while (link >= PADICI_NUM_TREE_INNER) {
        const padic_num_tree_node *n = padici_num_tree_node(tree, link);
        if (n->place >> 6 != exponent) {
            exponent = n->place >> 6;
            digit = n->place >= PADICI_NUM_TREE_EQUAL
                        ? id
                        : padici_num_tree_digit(r, q, i, padici_num_tree_exponent(n->place));
        }
        link = n->child[digit >> (63 - (n->place & 63)) & 1];
    }
    return link;
}

#endif
