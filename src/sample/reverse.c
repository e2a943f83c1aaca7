#include "reverse.h"
#include "hashes.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- digit loops: n <= 64 indices in, n reversals out, which may be the same array

// Reverses `levels` digits of one index.
PADICI_FN uint64_t padici_sample_reverse(const padici_sample_radix *x, uint32_t levels, uint64_t i)
{
    uint64_t r = 0, q;
    for (; levels; levels--) {
        q = padici_sample_divide(i, x->base, x->inverse);
        r = r * x->base + (i - q * x->base);
        i = q;
    }
    return r;
}

// table[t] = t with its `together` digits reversed.
PADICI_FN void padici_sample_table(const padici_sample_radix *x, uint16_t *table)
{
    uint32_t size = 1, weight = x->span, t, d;
    table[0] = 0;
    while (size < x->span) {
        weight /= x->base;
        for (d = 1; d < x->base; d++)
            for (t = 0; t < size; t++) table[d * size + t] = (uint16_t)(table[t] + d * weight);
        size *= x->base;
    }
}

PADICI_FN void padici_sample_plain(const padici_sample_radix *x, const uint16_t *table,
                                   const uint64_t *in, uint64_t *out, uint32_t n)
{
    uint32_t odd = table ? x->levels % x->together : x->levels, j, k;
    uint32_t groups = table ? x->levels / x->together : 0;
    uint64_t base = x->base, inverse = x->inverse, span = x->span, span_inverse = UINT64_MAX / span;
    if (base == 2) {
        for (j = 0; j < n; j++) out[j] = padici_sample_bits(in[j]) >> (64 - x->levels);
        return;
    }
    if (x->last >> 32) {
        for (j = 0; j < n; j++) {
            uint64_t i = in[j], r = 0, q;
            for (k = 0; k < odd; k++, i = q) {
                q = padici_sample_divide(i, base, inverse);
                r = r * base + (i - q * base);
            }
            for (k = 0; k < groups; k++, i = q) {
                q = padici_sample_divide(i, span, span_inverse);
                r = r * span + table[i - q * span];
            }
            out[j] = r;
        }
        return;
    }
    for (j = 0; j < n; j++) {
        uint64_t i = in[j], r = 0, q;
        for (k = 0; k < odd; k++, i = q) {
            q = padici_sample_divide46(i, inverse);
            r = r * base + (i - q * base);
        }
        for (k = 0; k < groups; k++, i = q) {
            q = padici_sample_divide46(i, span_inverse);
            r = r * span + table[i - q * span];
        }
        out[j] = r;
    }
}

// Consecutive indices share their high digits: out = table[low digits] b^(D - together) + reversal
// of the others, which changes once every `span` indices.
PADICI_FN void padici_sample_range(const padici_sample_radix *x, const uint16_t *table,
                                   uint64_t first, uint64_t *out, uint32_t n)
{
    uint64_t span = table ? x->span : x->base, scale = 1, q, low;
    uint32_t rest = x->levels - (table ? x->together : 1), j = 0, k, t;
    for (k = 0; k < rest; k++) scale *= x->base;
    q = first / span;
    t = (uint32_t)(first - q * span);
    while (j < n) {
        low = padici_sample_reverse(x, rest, q++);
        for (; j < n && t < span; j++, t++) out[j] = (table ? table[t] : t) * scale + low;
        t = 0;
    }
}

// One map a level.
static void padici_sample_permute(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint64_t r[PADICI_SAMPLE_BLOCK], base = x->base, inverse = x->inverse;
    uint32_t k, j;
    memset(r, 0, sizeof r);
    for (k = 0; k < x->levels; k++) {
        uint64_t a, c;
        uint32_t a32, c32;
        if (x->wide) {
            padici_sample_affine64(0, x->keys[k], x->base, &a, &c);
        } else {
            padici_sample_affine32(0, (uint32_t)x->keys[k], x->base, &a32, &c32);
            a = a32;
            c = c32;
        }
        for (j = 0; j < n; j++) {
            uint64_t q = padici_sample_divide(v[j], base, inverse), t = a * (v[j] - q * base) + c;
            v[j] = q;
            r[j] = r[j] * base + (t - padici_sample_divide46(t, inverse) * base);
        }
    }
    memcpy(v, r, n * sizeof *v);
}

// One affine map a node, 32-bit hashes: a d + c < b^2 <= 2^20, so a 32-bit reciprocal is exact.
PADICI_FN void padici_sample_owen32(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint32_t r[PADICI_SAMPLE_BLOCK], i[PADICI_SAMPLE_BLOCK], base = x->base, inverse, k, j;
    const uint32_t reciprocal = UINT32_MAX / base + 1;
    uint64_t m, add, shift;
    padici_sample_reciprocal32(base, &m, &add, &shift);
    inverse = (uint32_t)m; // 32-bit factors: the loop becomes vectors
    for (j = 0; j < n; j++) {
        i[j] = (uint32_t)v[j];
        r[j] = 0;
    }
    for (k = 0; k < x->levels; k++) {
        const uint32_t key = (uint32_t)x->keys[k];
        for (j = 0; j < n; j++) {
            uint32_t a, c, t, q = (uint32_t)(((uint64_t)i[j] * inverse + add) >> shift);
            padici_sample_affine32(r[j], key, base, &a, &c);
            t = a * (i[j] - q * base) + c;
            i[j] = q;
            r[j] = r[j] * base + (t - padici_sample_mulhi32(t, reciprocal) * base);
        }
    }
    for (j = 0; j < n; j++) v[j] = r[j];
}

PADICI_FN void padici_sample_owen64(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint64_t r[PADICI_SAMPLE_BLOCK];
    const uint64_t base = x->base, inverse = x->inverse;
    uint32_t k, j;
    memset(r, 0, sizeof r);
    for (k = 0; k < x->levels; k++) {
        const uint64_t key = x->keys[k];
        for (j = 0; j < n; j++) {
            uint64_t a, c, t, q = padici_sample_divide(v[j], base, inverse);
            padici_sample_affine64(r[j], key, x->base, &a, &c);
            t = a * (v[j] - q * base) + c;
            v[j] = q;
            r[j] = r[j] * base + (t - padici_sample_divide46(t, inverse) * base);
        }
    }
    memcpy(v, r, n * sizeof *v);
}

static void padici_sample_fisher(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint32_t k, j;
    for (j = 0; j < n; j++) {
        uint64_t i = v[j], r = 0, q;
        for (k = 0; k < x->levels; k++, i = q) {
            q = padici_sample_divide(i, x->base, x->inverse);
            r = r * x->base +
                padici_sample_full(x, padici_sample_node(x, r, k), (uint32_t)(i - q * x->base));
        }
        v[j] = r;
    }
}

// Reverses and scrambles.
PADICI_FN void padici_sample_forward(const padici_sample_radix *x, const uint16_t *table,
                                     uint64_t *v, uint32_t n)
{
    if (x->mode == PADIC_SAMPLE_MODE_NONE) {
        padici_sample_plain(x, table, v, v, n);
    } else if (x->full) {
        padici_sample_fisher(x, v, n);
    } else if (x->mode == PADIC_SAMPLE_MODE_PERMUTE) {
        padici_sample_permute(x, v, n);
    } else if (x->wide) {
        padici_sample_owen64(x, v, n);
    } else {
        padici_sample_owen32(x, v, n);
    }
}

// From scrambled digits, low first, to the reversal of the plain ones. The digits before a node are
// known, so each map can be undone on its own.
PADICI_FN void padici_sample_backward(const padici_sample_radix *x, uint64_t *v, uint32_t n)
{
    uint32_t k, j, a32, c32;
    for (j = 0; j < n; j++) {
        uint64_t i = v[j], r = 0, prefix = 0, base = x->base, q, s, d, a, c;
        for (k = 0; k < x->levels; k++, i = q) {
            q = padici_sample_divide(i, base, x->inverse);
            d = s = i - q * base;
            if (x->full) {
                d = padici_sample_full_inverse(x, padici_sample_node(x, prefix, k), (uint32_t)s);
            } else if (x->mode != PADIC_SAMPLE_MODE_NONE) {
                uint64_t from = x->mode == PADIC_SAMPLE_MODE_PERMUTE ? 0 : prefix;
                if (x->wide) {
                    padici_sample_affine64(from, x->keys[k], x->base, &a, &c);
                } else {
                    padici_sample_affine32((uint32_t)from, (uint32_t)x->keys[k], x->base, &a32,
                                           &c32);
                    a = a32;
                    c = c32;
                }
                d = (s + base - c) % base * padici_sample_reciprocal(a, base) % base;
            }
            prefix = prefix * base + s;
            r = r * base + d;
        }
        v[j] = r;
    }
}

#endif
