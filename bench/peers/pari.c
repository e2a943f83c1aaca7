// PARI's p-adic numbers (t_PADIC), one element after the other, as a peer of bench/num.c. Results
// are dropped from its stack as they come; the last run's can be looked at again.

#include "../num.h"

#include <pari/pari.h>
#include <stdlib.h>

typedef struct pari_state {
    num_op op;
    size_t count;
    pari_sp start;
    GEN p, modulus, *a, *b;
    ulong word_modulus;
} pari_state;

static const char *version(void)
{
    return paricfg_version;
}

static GEN words(const uint64_t *u, size_t limbs)
{
    GEN x;
    size_t i;
    while (limbs > 1 && !u[limbs - 1]) limbs--;
    x = cgetipos((long)limbs + 2);
    for (i = 0; i < limbs; i++) *int_W(x, (long)i) = (long)u[i];
    return x;
}

static GEN *elements(const pari_state *s, uint32_t precision, size_t limbs, const uint64_t *u,
                     int32_t v)
{
    GEN *x = (GEN *)malloc(s->count * sizeof *x);
    size_t i;
    for (i = 0; i < s->count; i++) {
        const pari_sp here = avma;
        GEN y = words(u + i * limbs, limbs);
        if (s->op != NUM_RATREC && s->op != NUM_BARE_MUL) {
            y = cvtop(y, s->p, (long)precision);
            setvalp(y, v);
        }
        x[i] = gclone(y); // out of the stack
        set_avma(here);
    }
    return x;
}

static void *open_state(num_op op, uint64_t p, uint32_t precision, size_t count, size_t limbs,
                        const uint64_t *a, const uint64_t *b, int32_t v)
{
    static int ready;
    pari_state *s = (pari_state *)calloc(1, sizeof *s);
    if (!ready) pari_init((size_t)1 << 28, 2);
    ready = 1;
    s->op = op;
    s->count = count;
    s->start = avma;
    s->p = utoipos(p);
    s->modulus = powiu(s->p, precision);
    s->a = elements(s, precision, limbs, a, v);
    s->b = b ? elements(s, precision, limbs, b, v) : NULL;
    return s;
}

static GEN one(const pari_state *s, size_t i)
{
    switch (s->op) {
    case NUM_ADD: return gadd(s->a[i], s->b[i]);
    case NUM_MUL: return gmul(s->a[i], s->b[i]);
    case NUM_INV: return ginv(s->a[i]);
    case NUM_SQRT: return Qp_sqrt(s->a[i]);
    case NUM_EXP: return Qp_exp(s->a[i]);
    case NUM_LOG: return Qp_log(s->a[i]);
    case NUM_TEICHMUELLER: return teich(s->a[i]);
    case NUM_RATREC: {
        GEN bound = sqrti(shifti(s->modulus, -1)), n, d;
        return Fp_ratlift(s->a[i], s->modulus, bound, bound, &n, &d) ? gdiv(n, d) : gen_0;
    }
    default: return Fp_mul(s->a[i], s->b[i], s->modulus);
    }
}

static void run(void *state)
{
    pari_state *s = (pari_state *)state;
    const pari_sp here = avma;
    size_t i;
    if (s->op == NUM_RATREC) { // the bound once
        GEN bound = sqrti(shifti(s->modulus, -1)), n, d;
        const pari_sp inner = avma;
        for (i = 0; i < s->count; i++) {
            Fp_ratlift(s->a[i], s->modulus, bound, bound, &n, &d);
            set_avma(inner);
        }
    } else {
        for (i = 0; i < s->count; i++) {
            one(s, i);
            set_avma(here);
        }
    }
    set_avma(here);
}

static int same(void *state, size_t i, int32_t v, const uint64_t *u, size_t limbs,
                int64_t numerator, int64_t denominator)
{
    pari_state *s = (pari_state *)state;
    const pari_sp here = avma;
    GEN x = one(s, i), y;
    int equal;
    if (s->op == NUM_RATREC) {
        equal = x && gequal(x, gdiv(stoi((long)numerator), stoi((long)denominator)));
    } else {
        y = mulii(words(u, limbs), powiu(s->p, (ulong)v));
        if (typ(x) == t_PADIC) x = gtrunc(x);
        equal = dvdii(subii(x, y), s->modulus);
        if (s->op == NUM_SQRT && !equal)
            equal = dvdii(addii(x, y), s->modulus) || dvdii(subii(sqri(x), sqri(y)), s->modulus);
    }
    set_avma(here);
    return equal;
}

static void close_state(void *state)
{
    pari_state *s = (pari_state *)state;
    size_t i;
    for (i = 0; i < s->count; i++) {
        gunclone(s->a[i]);
        if (s->b) gunclone(s->b[i]);
    }
    free(s->a);
    free(s->b);
    set_avma(s->start);
    free(s);
}

const num_peer num_pari = {"pari", version, open_state, run, same, close_state};
