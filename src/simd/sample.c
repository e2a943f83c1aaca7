#include "sample.h"
#include "../core/words.h"
#include "../sample/driver.h"
#include "../sample/fractions.h"
#include "../sample/hashes.h"
#include "../sample/reverse.h"
#include "../sample/sample.h"
#include "levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_SAMPLE)

// ---------------------------------------------------------------------------------------- >>sample

// Numbers are processed in blocks of words as in padic.h: fetched, reversed, emitted. For numbers
// above 2^32 (LONG) only the scrambling is vectorised, which takes nearly all of their time.

// With d_k = q_k - b q_(k+1), R = q_0 b^(D-1) - (b^2 - 1) (q_1 b^(D-2) + ... + q_(D-1)).
static void padici_simd_sample_plan_powers(padici_simd_sample_plan *p)
{
    const uint64_t base = p->radix.base;
    uint64_t power = 1, nearby_power = 1, weight = 1;
    uint32_t k;
    for (k = 1; k < p->radix.levels; k++) {
        power *= base;
        if (power <= 1u << 20) nearby_power = power, p->u.by.nearby = k;
        p->u.by.w[k] =
            (UINT64_C(1) << 52) / (p->u.by.nearby < k ? power / nearby_power : power) + 1;
        padici_sample_reciprocal32(power, &p->u.by.m[k], &p->u.by.a[k], &p->u.by.s[k]);
    }
    p->u.by.top = power;
    for (k = p->radix.levels; k-- > 1; weight *= base)
        p->u.by.c[k] = 0 - weight * (base * base - 1);
}

// The next run of consecutive indices.
PADICI_FN void padici_simd_sample_next(padici_simd_sample_plan *p)
{
    p->t = 0;
    p->low = padici_sample_reverse(&p->radix, p->radix.levels - p->radix.together, ++p->q);
}

static const padici_simd_sample_kernels *padici_simd_sample_kernels_of(uint32_t level)
{
#if PADICI_SIMD_X86
    return level == PADICI_SIMD_IFMA     ? padici_simd_sample_kernels_ifma()
           : level == PADICI_SIMD_AVX512 ? padici_simd_sample_kernels_avx512()
                                         : padici_simd_sample_kernels_avx2();
#elif PADICI_SIMD_ARM
    (void)level;
    return padici_simd_sample_kernels_neon();
#else
    (void)level;
    return NULL;
#endif
}

static void padici_simd_sample_plan_make(padici_simd_sample_plan *p, const padic_sample_call *call)
{
    const uint32_t n_bits = 64 - padici_clz64(call->scale);
    uint32_t k, rest;
    p->call = call;
    padici_sample_radix_make(&p->radix, call->base, 0);
    p->radix.levels = call->levels;
    p->radix.mode = call->mode;
    p->radix.keys = call->keys;
    memset(&p->job, 0, sizeof p->job);
    p->job.first = call->first;
    p->job.index = (const char *)call->index;
    p->job.index_stride = call->index_stride;
    p->job.index_dtype = call->index_dtype;
    p->job.last = call->last;
    p->job.out = (char *)call->out;
    p->job.out_stride = call->out_stride;
    p->job.dtype = call->dtype;
    p->job.integers = call->integers;
    p->u.by.nearby = 0;
    p->u.by.w[1] = (UINT64_C(1) << 52) / call->base + 1;
    padici_sample_reciprocal32(call->base, &p->u.by.m[1], &p->u.by.a[1], &p->u.by.s[1]);
    p->n = call->scale + 1;
    if (call->scale >> 32) {
        padici_sample_fraction_make(&p->fraction, call->scale, 1);
    } else {
        p->cut = (UINT64_C(1) << (31 + n_bits)) / p->n;
        p->shift = n_bits - 1;
    }
    p->ranged = call->mode == PADIC_SAMPLE_MODE_NONE && !call->index && !call->index_out;
    if (!p->ranged && call->base > 2 &&
        (call->mode == PADIC_SAMPLE_MODE_NONE || call->index_out || call->reversed_in))
        padici_simd_sample_plan_powers(p);
    if (!p->ranged) return;
    memset(p->u.table, 0, sizeof p->u.table);
    if (p->radix.together > 1) padici_sample_table(&p->radix, p->u.table);
    rest = p->radix.levels - p->radix.together;
    for (k = 0, p->scale = 1; k < rest; k++) p->scale *= call->base;
    p->q = call->first / p->radix.span - 1;
    padici_simd_sample_next(p);
    p->t = call->first % p->radix.span;
}

// Numbers at .. at + n - 1, the rest of the block 0; `bad`: bits of those above `last`, which
// become 0.
static void padici_simd_sample_take(const padici_simd_sample_plan *p,
                                    const padici_simd_sample_kernels *kernels, uint64_t at,
                                    uint64_t *v, uint32_t n, uint64_t bad[2])
{
    const padic_sample_call *call = p->call;
    uint32_t j;
    bad[0] = bad[1] = 0;
    if (!call->index) {
        for (j = 0; j < PADICI_SAMPLE_WORDS; j++) v[j] = call->first + at + j;
        return;
    }
    if (n == PADICI_SAMPLE_WORDS && call->index_stride == 1 && call->index_dtype == PADIC_U32 &&
        !(*kernels->fetch)(p, (const char *)call->index + (size_t)at * 4, v))
        return;
    memset(v, 0, PADICI_SAMPLE_WORDS * sizeof *v);
    j = n < PADICI_SAMPLE_BLOCK ? n : PADICI_SAMPLE_BLOCK;
    bad[0] = padici_sample_fetch(&p->job, at, v, j);
    bad[1] = padici_sample_fetch(&p->job, at + j, v + j, n - j);
}

static void padici_simd_sample_digits(const padici_simd_sample_plan *p,
                                      const padici_simd_sample_kernels *kernels, uint64_t *v,
                                      uint64_t *space)
{
    const padic_sample_call *call = p->call;
    void (*plain)(const padici_simd_sample_plan *, uint64_t *) =
        call->base == 2 ? kernels->bits : kernels->plain;
    uint32_t j;
    if (call->reversed_in) (*plain)(p, v);
    for (j = 0; call->group && j < PADICI_SAMPLE_WORDS; j++) {
        space[j] = v[j] - v[j] % call->group;
        v[j] -= space[j];
    }
    if (call->mode == PADIC_SAMPLE_MODE_NONE)
        (*plain)(p, v);
    else if (call->wide)
        (*(call->base < 1024 ? kernels->map64 : kernels->map64_any))(p, v);
    else
        (*kernels->map)(p, v);
    if (call->index_out) (*plain)(p, v);
    for (j = 0; call->group && j < PADICI_SAMPLE_WORDS; j++) v[j] += space[j];
}

static void padici_simd_sample_put(const padici_simd_sample_plan *p,
                                   const padici_simd_sample_kernels *kernels, uint64_t at,
                                   const uint64_t *v, uint32_t n, uint64_t *space)
{
    const padic_sample_call *call = p->call;
    const size_t size = call->dtype == PADIC_U64 || call->dtype == PADIC_F64 ? 8 : 4;
    const size_t step = (size_t)call->out_stride * size;
    char *out = (char *)call->out + (size_t)at * step;
    uint32_t j;
    if (call->scale >> 32) {
        padici_sample_emit(&p->job, &p->fraction, at, v, n);
        return;
    }
    if (n == PADICI_SAMPLE_WORDS && step == size) {
        (*kernels->write)(p, v, out, n);
        return;
    }
    (*kernels->write)(p, v, (char *)space, PADICI_SAMPLE_WORDS);
    if (size == 4)
        for (j = 0; j < n; j++, out += step) memcpy(out, (char *)space + j * 4, 4);
    else
        for (j = 0; j < n; j++, out += step) memcpy(out, space + j, 8);
}

PADICI_FN padic_result padici_simd_sample_loop(padici_simd *simd, void *call_)
{
    padic_sample_call *call = (padic_sample_call *)call_;
    const padici_simd_sample_kernels *kernels = padici_simd_sample_kernels_of(simd->level);
    uint64_t v[PADICI_SAMPLE_WORDS + 8], space[PADICI_SAMPLE_WORDS], bad[2], at;
    padici_simd_sample_plan plan;
    uint32_t n, j;
    if (!kernels || call->count < 32 || call->full || call->base > 65536)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (call->scale >> 32 &&
        (call->mode == PADIC_SAMPLE_MODE_NONE || call->reversed_in || call->index_out))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_simd_sample_plan_make(&plan, call);
    call->outside = 0;
    for (at = 0; at < call->count; at += n) {
        n = call->count - at < PADICI_SAMPLE_WORDS ? (uint32_t)(call->count - at)
                                                   : PADICI_SAMPLE_WORDS;
        if (plan.ranged) {
            (*kernels->range)(&plan, v);
        } else {
            padici_simd_sample_take(&plan, kernels, at, v, n, bad);
            padici_simd_sample_digits(&plan, kernels, v, space);
            for (j = 0; (bad[0] | bad[1]) && j < PADICI_SAMPLE_WORDS; j++)
                if (bad[j / 64] >> (j % 64) & 1) {
                    call->outside = 1;
                    v[j] = 0;
                }
        }
        padici_simd_sample_put(&plan, kernels, at, v, n, space);
    }
    return PADIC_OK;
}


#endif
