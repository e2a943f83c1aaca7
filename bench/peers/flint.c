// FLINT's p-adic numbers (padic_t), one element after the other, as a peer of bench/num.c.

#include "../num.h"

#include <flint/flint.h>
#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/nmod_vec.h>
#include <flint/padic.h>
#include <stdlib.h>

typedef struct flint_state {
    num_op op;
    size_t count;
    fmpz_t p, modulus, root;
    padic_ctx_t context;
    padic_t *a, *b, *x;
    fmpz *units; // of RATREC and of BARE_MUL above one word
    fmpz *others, *products;
    fmpq *fractions;
    mp_limb_t *words[3];
    nmod_t mod;
    fmpz_mod_ctx_t mod_context;
    int failed;
} flint_state;

static const char *version(void)
{
    return FLINT_VERSION;
}

static void set_words(fmpz_t x, const uint64_t *u, size_t limbs)
{
    fmpz_set_ui_array(x, (const mp_limb_t *)u, (slong)limbs);
}

static padic_t *elements(const flint_state *s, uint32_t precision, size_t limbs, const uint64_t *u,
                         int32_t v)
{
    padic_t *x = (padic_t *)malloc(s->count * sizeof *x);
    size_t i;
    for (i = 0; i < s->count; i++) {
        padic_init2(x[i], precision);
        if (!u) continue;
        set_words(padic_unit(x[i]), u + i * limbs, limbs);
        padic_val(x[i]) = v;
        _padic_canonicalise(x[i], s->context);
        padic_reduce(x[i], s->context);
    }
    return x;
}

static void *open_state(num_op op, uint64_t p, uint32_t precision, size_t count, size_t limbs,
                        const uint64_t *a, const uint64_t *b, int32_t v)
{
    flint_state *s = (flint_state *)calloc(1, sizeof *s);
    size_t i;
    s->op = op;
    s->count = count;
    fmpz_init(s->root);
    fmpz_init_set_ui(s->p, p);
    fmpz_init(s->modulus);
    fmpz_pow_ui(s->modulus, s->p, precision);
    padic_ctx_init(s->context, s->p, 0, precision + 2, PADIC_VAL_UNIT);
    if (op == NUM_BARE_MUL && fmpz_abs_fits_ui(s->modulus)) {
        nmod_init(&s->mod, fmpz_get_ui(s->modulus));
        for (i = 0; i < 3; i++) s->words[i] = (mp_limb_t *)calloc(count, sizeof(mp_limb_t));
        for (i = 0; i < count; i++) {
            s->words[0][i] = a[i * limbs];
            s->words[1][i] = b[i * limbs];
        }
    } else if (op == NUM_RATREC || op == NUM_BARE_MUL) {
        fmpz_mod_ctx_init(s->mod_context, s->modulus);
        s->units = (fmpz *)calloc(count, sizeof(fmpz));
        s->others = (fmpz *)calloc(count, sizeof(fmpz));
        s->products = (fmpz *)calloc(count, sizeof(fmpz));
        s->fractions = (fmpq *)calloc(count, sizeof(fmpq));
        for (i = 0; i < count; i++) {
            fmpq_init(s->fractions + i);
            set_words(s->units + i, a + i * limbs, limbs);
            if (b) set_words(s->others + i, b + i * limbs, limbs);
        }
    } else {
        s->a = elements(s, precision, limbs, a, v);
        s->b = b ? elements(s, precision, limbs, b, v) : NULL;
        s->x = elements(s, precision, limbs, NULL, 0);
    }
    return s;
}

static void run(void *state)
{
    flint_state *s = (flint_state *)state;
    const size_t n = s->count;
    size_t i;
    switch (s->op) {
    case NUM_ADD:
        for (i = 0; i < n; i++) padic_add(s->x[i], s->a[i], s->b[i], s->context);
        break;
    case NUM_MUL:
        for (i = 0; i < n; i++) padic_mul(s->x[i], s->a[i], s->b[i], s->context);
        break;
    case NUM_INV:
        for (i = 0; i < n; i++) padic_inv(s->x[i], s->a[i], s->context);
        break;
    case NUM_SQRT:
        for (i = 0; i < n; i++) s->failed |= !padic_sqrt(s->x[i], s->a[i], s->context);
        break;
    case NUM_EXP:
        for (i = 0; i < n; i++) s->failed |= !padic_exp(s->x[i], s->a[i], s->context);
        break;
    case NUM_LOG:
        for (i = 0; i < n; i++) s->failed |= !padic_log(s->x[i], s->a[i], s->context);
        break;
    case NUM_TEICHMUELLER:
        for (i = 0; i < n; i++) padic_teichmuller(s->x[i], s->a[i], s->context);
        break;
    case NUM_RATREC:
        for (i = 0; i < n; i++)
            s->failed |= !fmpq_reconstruct_fmpz(s->fractions + i, s->units + i, s->modulus);
        break;
    default:
        if (s->words[0])
            for (i = 0; i < n; i++)
                s->words[2][i] = nmod_mul(s->words[0][i], s->words[1][i], s->mod);
        else
            for (i = 0; i < n; i++)
                fmpz_mod_mul(s->products + i, s->units + i, s->others + i, s->mod_context);
    }
}

static int same(void *state, size_t i, int32_t v, const uint64_t *u, size_t limbs,
                int64_t numerator, int64_t denominator)
{
    flint_state *s = (flint_state *)state;
    fmpz_t x, y;
    int equal;
    if (s->failed) return 0;
    fmpz_init(x);
    fmpz_init(y);
    if (s->op == NUM_RATREC) {
        fmpz_set_si(x, numerator);
        fmpz_set_si(y, denominator);
        equal = fmpz_equal(x, fmpq_numref(s->fractions + i)) &&
                fmpz_equal(y, fmpq_denref(s->fractions + i));
    } else {
        set_words(x, u, limbs);
        if (v) {
            fmpz_pow_ui(y, s->p, (ulong)v);
            fmpz_mul(x, x, y);
        }
        if (s->op == NUM_BARE_MUL && s->words[0])
            fmpz_set_ui(y, s->words[2][i]);
        else if (s->op == NUM_BARE_MUL)
            fmpz_set(y, s->products + i);
        else
            padic_get_fmpz(y, s->x[i], s->context);
        fmpz_sub(s->root, x, y);
        equal = fmpz_divisible(s->root, s->modulus);
        if (s->op == NUM_SQRT && !equal) { // at p = 2 known to N - 1 digits, either sign elsewhere
            fmpz_add(s->root, x, y);
            equal = fmpz_divisible(s->root, s->modulus);
        }
        if (s->op == NUM_SQRT && !equal && fmpz_equal_ui(s->p, 2)) {
            fmpz_mul(x, x, x);
            fmpz_mul(y, y, y);
            fmpz_sub(s->root, x, y);
            equal = fmpz_divisible(s->root, s->modulus);
        }
    }
    fmpz_clear(x);
    fmpz_clear(y);
    return equal;
}

static void close_state(void *state)
{
    flint_state *s = (flint_state *)state;
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (s->a) padic_clear(s->a[i]);
        if (s->b) padic_clear(s->b[i]);
        if (s->x) padic_clear(s->x[i]);
        if (!s->units) continue;
        fmpz_clear(s->units + i);
        fmpz_clear(s->others + i);
        fmpz_clear(s->products + i);
        fmpq_clear(s->fractions + i);
    }
    free(s->a);
    free(s->b);
    free(s->x);
    if (s->units) fmpz_mod_ctx_clear(s->mod_context);
    free(s->units);
    free(s->others);
    free(s->products);
    free(s->fractions);
    for (i = 0; i < 3; i++) free(s->words[i]);
    padic_ctx_clear(s->context);
    fmpz_clear(s->p);
    fmpz_clear(s->modulus);
    fmpz_clear(s->root);
    free(s);
}

const num_peer num_flint = {"flint", version, open_state, run, same, close_state};
