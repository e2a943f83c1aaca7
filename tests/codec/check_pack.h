// check_pack.h: one case of gen.h is packed, decoded in every way that there is, and compared. The
// oracle is exact arithmetic of its own. Include after padic.h, padic_simd.h, padic_threads.h.
//
//     static check_tools tools;               // all zero; every, lean: see below
//     check_begin(&tools);
//     if (check_pack(&tools, &c)) puts(tools.why);        // 0: all is as documented
//
// Each case: one packer (plain, or at a level of vectors), info, two decoders. Drawn by the case's
// plan, one in some: another packer (plain, vectors, threads, streams) gives the same bytes; boxes,
// pulls in pieces, layers, verify, buffers, widening, another reader (codec_reader.h), small
// capacities and scratch of exactly the size.
#ifndef PADIC_CHECK_PACK_H
#define PADIC_CHECK_PACK_H

#include "gen.h"

#define CHECK_LEVELS 5 // plain, and what the CPU may have
#define CHECK_ARENA ((size_t)96 << 20)

typedef struct check_tools {
    padic_context *level[CHECK_LEVELS]; // NULL where there is none; level[0] is always NULL
    const char *name[CHECK_LEVELS];
    int levels[CHECK_LEVELS], level_count; // those that are here
    padic_threads *threads[2];
    padic_context *thread[2]; // two and three workers, the second with vectors
    uint8_t *arena, *packed; // packed: of the last case
    size_t packed_size;
    int every; // do everything in each case
    int lean;  // and what takes long only one in so many times of what is drawn otherwise
    int allow_reencoded; // blocks that did not pass the proof are counted, no failure
    // counted
    uint64_t packs[10], profiles, refused, decodes, streams, boxes, pulls, readers, planes, fixed;
    uint64_t references, importances, lossy;
    uint64_t reencoded, reencoded_cases;
    uint64_t worst_ratio_size; // bytes of the largest stream
    char why[400];
} check_tools;

static inline void check_begin(check_tools *t)
{
    static const char *const names[CHECK_LEVELS] = {"plain", "avx2", "avx512", "avx512ifma",
                                                    "neon"};
    const int every = t->every, lean = t->lean, allow_reencoded = t->allow_reencoded;
    memset(t, 0, sizeof *t);
    t->every = every;
    t->lean = lean;
    t->allow_reencoded = allow_reencoded;
    t->level_count = 1;
    for (int i = 0; i < CHECK_LEVELS; i++) {
        padic_context_desc d;
        memset(&d, 0, sizeof d);
        t->name[i] = names[i];
        if (i == 0) continue;
        d.backends[0] = padic_simd();
        d.device.name = names[i];
        if (padic_context_create(&d, &t->level[i])) t->level[i] = NULL;
        else t->levels[t->level_count++] = i;
    }
    for (int i = 0; i < 2; i++) {
        padic_context_desc d;
        memset(&d, 0, sizeof d);
        t->threads[i] = padic_threads_create((uint32_t)i + 2, NULL);
        d.jobs = padic_threads_jobs(t->threads[i]);
        if (i) d.backends[0] = padic_simd();
        if (padic_context_create(&d, &t->thread[i])) exit(3);
    }
    t->arena = (uint8_t *)gen_new(CHECK_ARENA + 64);
}

static inline void check_end(check_tools *t)
{
    for (int i = 1; i < CHECK_LEVELS; i++) padic_context_destroy(t->level[i]);
    for (int i = 0; i < 2; i++) {
        padic_context_destroy(t->thread[i]);
        padic_threads_destroy(t->threads[i]);
    }
    free(t->arena);
    free(t->packed);
}

// ---------------------------------------------------------------------------------- exact numbers

#define CHECK_TERMS 160

typedef struct check_term { // (-1)^negative m 2^e
    int negative, e;
    uint64_t m;
} check_term;

typedef struct check_number { // the sum of its terms
    int n;
    check_term t[CHECK_TERMS];
} check_number;

static inline void check_put(check_number *x, int negative, uint64_t m, int e)
{
    if (!m) return;
    if (x->n == CHECK_TERMS) abort();
    x->t[x->n].negative = negative;
    x->t[x->n].m = m;
    x->t[x->n++].e = e;
}

static inline void check_add_double(check_number *x, int negative, double d)
{
    int e = 0;
    const double m = frexp(fabs(d), &e);
    check_put(x, negative ^ (d < 0), (uint64_t)ldexp(m, 53), e - 53);
}

// A finite scalar of any type.
static inline void check_add_scalar(check_number *x, int negative, padic_dtype scalar,
                                    uint64_t bits)
{
    const int size = 8 * (int)gen_size(scalar);
    if (gen_is_float(scalar)) {
        check_add_double(x, negative, gen_value(scalar, bits));
    } else if (gen_is_signed(scalar) && bits >> (size - 1)) {
        check_put(x, !negative, (~bits + 1) & (UINT64_MAX >> (64 - size)), 0);
    } else {
        check_put(x, negative, bits, 0);
    }
}

static inline void check_times(check_number *to, const check_number *a, const check_number *b)
{
    for (int i = 0; i < a->n; i++) {
        for (int k = 0; k < b->n; k++) {
            const uint64_t x = a->t[i].m, y = b->t[k].m, mask = 0xffffffffu;
            const int negative = a->t[i].negative ^ b->t[k].negative, e = a->t[i].e + b->t[k].e;
            const uint64_t p = (x & mask) * (y & mask), q = (x >> 32) * (y & mask);
            const uint64_t r = (x & mask) * (y >> 32), s = (x >> 32) * (y >> 32);
            const uint64_t middle = (p >> 32) + (q & mask) + (r & mask);
            check_put(to, negative, (p & mask) | middle << 32, e);
            check_put(to, negative, s + (middle >> 32) + (q >> 32) + (r >> 32), e + 64);
        }
    }
}

#define CHECK_WORDS 148
#define CHECK_LOWEST (-4640) // the exponent of bit 0

typedef struct check_sum {
    uint64_t w[CHECK_WORDS]; // two's complement, lowest first
} check_sum;

static inline void check_accumulate(check_sum *sum, const check_number *x, int negative)
{
    for (int i = 0; i < x->n; i++) {
        const int at = x->t[i].e - CHECK_LOWEST;
        if (at < 0 || at / 64 + 3 >= CHECK_WORDS) abort();
        const uint64_t low = x->t[i].m << at % 64;
        const uint64_t high = at % 64 ? x->t[i].m >> (64 - at % 64) : 0;
        uint64_t carry = 0;
        for (int k = at / 64; k < CHECK_WORDS; k++) {
            const uint64_t add = (k == at / 64 ? low : k == at / 64 + 1 ? high : 0);
            const uint64_t before = sum->w[k];
            if (k > at / 64 + 1 && !carry) break;
            if (x->t[i].negative ^ negative) {
                sum->w[k] = before - add - carry;
                carry = before < add || (before == add && carry);
            } else {
                sum->w[k] = before + add + carry;
                carry = sum->w[k] < before || (carry && sum->w[k] == before);
            }
        }
    }
}

static inline int check_negative(const check_sum *sum)
{
    return (int)(sum->w[CHECK_WORDS - 1] >> 63);
}

// ----------------------------------------------------------------------------------------- bounds

typedef struct check_range { // of the finite scalars
    int any;
    uint64_t low, high; // bits
} check_range;

static inline int check_less(padic_dtype scalar, uint64_t a, uint64_t b)
{
    if (gen_is_float(scalar)) return gen_value(scalar, a) < gen_value(scalar, b);
    if (!gen_is_signed(scalar)) return a < b;
    const uint64_t sign = UINT64_C(1) << (8 * gen_size(scalar) - 1);
    return (a ^ sign) < (b ^ sign);
}

static inline check_range check_find_range(const gen_case *c)
{
    check_range r = {0, 0, 0};
    const uint32_t size = gen_size(c->scalar);
    for (size_t i = 0; i < c->scalars; i++) {
        const uint64_t x = gen_load(size, c->dense, i);
        if (!gen_finite(c->scalar, x)) continue;
        if (!r.any || check_less(c->scalar, x, r.low)) r.low = x;
        if (!r.any || check_less(c->scalar, r.high, x)) r.high = x;
        r.any = 1;
    }
    return r;
}

static inline double check_about(padic_dtype scalar, uint64_t bits) // rounded
{
    const int size = 8 * (int)gen_size(scalar);
    if (gen_is_float(scalar)) return gen_value(scalar, bits);
    if (gen_is_signed(scalar) && bits >> (size - 1))
        return -(double)((~bits + 1) & (UINT64_MAX >> (64 - size)));
    return (double)bits;
}

// How far an element may be off: `bound` (of the mode) times `factor` times 2^shift.
typedef struct check_limit {
    padic_codec_tolerance_mode mode;
    double tolerance, range; // range: 0 for that of r
    check_range r;
    int shift;
    int apart; // real and imaginary parts are looked at each by itself
} check_limit;

// Is element i of `got` (dense) within the limit of that of the case?
static inline int check_within(const gen_case *c, const check_limit *l, double factor,
                               const uint8_t *got, size_t i)
{
    const uint32_t parts = l->apart ? 1 : gen_parts(c->desc.tensor.dtype);
    const uint32_t size = gen_size(c->scalar);
    uint64_t x[2] = {0, 0}, y[2] = {0, 0};
    double off = 0, limit = ldexp(l->tolerance * factor, l->shift), weight = 0;
    int finite = 0;
    for (uint32_t k = 0; k < parts; k++) {
        x[k] = gen_load(size, c->dense, i * parts + k);
        y[k] = gen_load(size, got, i * parts + k);
        if (!gen_finite(c->scalar, x[k])) {
            if (x[k] != y[k]) return 0;
            continue;
        }
        if (!gen_finite(c->scalar, y[k])) return 0;
        finite = 1;
        off = off + fabs(check_about(c->scalar, x[k]) - check_about(c->scalar, y[k]));
        weight += fabs(check_about(c->scalar, x[k]));
        if (k == 1 && l->mode == PADIC_CODEC_TOLERANCE_POINTWISE) weight /= 1.5; // at most the size
    }
    if (!finite || (x[0] == y[0] && x[1] == y[1])) return 1;
    // What is far from the limit needs no more.
    if (l->mode == PADIC_CODEC_TOLERANCE_POINTWISE) limit *= weight;
    if (l->mode == PADIC_CODEC_TOLERANCE_RANGE)
        limit *= l->range > 0
                     ? l->range
                     : check_about(c->scalar, l->r.high) - check_about(c->scalar, l->r.low);
    if (limit > 1e-280 && limit < 1e300 && off > 1e-280 && off < limit * (1 - 1e-9) &&
        (gen_is_float(c->scalar) || off > 1e6 || weight < 1e15))
        return 1;
    // off^2 <= limit^2, exactly
    check_number tolerance = {0, {{0, 0, 0}}}, more = {0, {{0, 0, 0}}}, whole = {0, {{0, 0, 0}}};
    check_number square = {0, {{0, 0, 0}}};
    check_sum sum;
    memset(&sum, 0, sizeof sum);
    check_add_double(&tolerance, 0, l->tolerance);
    check_add_double(&more, 0, factor);
    check_times(&whole, &tolerance, &more);
    for (int k = 0; k < whole.n; k++) whole.t[k].e += l->shift;
    if (l->mode == PADIC_CODEC_TOLERANCE_RANGE) {
        more.n = tolerance.n = 0;
        if (l->range > 0) {
            check_add_double(&more, 0, l->range);
        } else {
            check_add_scalar(&more, 0, c->scalar, l->r.high);
            check_add_scalar(&more, 1, c->scalar, l->r.low);
        }
        check_times(&tolerance, &whole, &more);
        whole = tolerance;
    }
    check_times(&square, &whole, &whole);
    for (uint32_t k = 0; k < parts; k++) {
        if (!gen_finite(c->scalar, x[k])) continue;
        tolerance.n = more.n = 0;
        if (l->mode == PADIC_CODEC_TOLERANCE_POINTWISE) {
            check_number size2 = {0, {{0, 0, 0}}};
            check_add_scalar(&tolerance, 0, c->scalar, x[k]);
            check_times(&size2, &tolerance, &tolerance);
            check_times(&more, &size2, &square);
            check_accumulate(&sum, &more, 0);
        }
        tolerance.n = more.n = 0;
        check_add_scalar(&tolerance, 0, c->scalar, x[k]);
        check_add_scalar(&tolerance, 1, c->scalar, y[k]);
        check_times(&more, &tolerance, &tolerance);
        check_accumulate(&sum, &more, 1);
    }
    if (l->mode != PADIC_CODEC_TOLERANCE_POINTWISE) check_accumulate(&sum, &square, 0);
    return !check_negative(&sum);
}

// The sum of the squares of all errors is at most elements bound^2 2^(2 shift).
static inline int check_mean(const gen_case *c, const check_limit *l, double factor,
                             const uint8_t *got)
{
    const uint32_t parts = gen_parts(c->desc.tensor.dtype), size = gen_size(c->scalar);
    check_sum sum;
    check_number one, two, tolerance, count;
    uint64_t elements = 0;
    double about = 0, limit;
    int far = 0;
    memset(&sum, 0, sizeof sum);
    for (int pass = 0; pass < 2; pass++) {
        elements = 0;
        for (size_t i = 0; i < c->count; i++) {
            int finite = 0;
            for (uint32_t k = 0; k < parts; k++) {
                const uint64_t x = gen_load(size, c->dense, i * parts + k);
                const uint64_t y = gen_load(size, got, i * parts + k);
                if (!gen_finite(c->scalar, x)) {
                    if (x != y) return 0;
                    continue;
                }
                if (!gen_finite(c->scalar, y)) return 0;
                finite = 1;
                if (x == y) continue;
                if (!pass) {
                    const double d = check_about(c->scalar, x) - check_about(c->scalar, y);
                    if (!gen_is_float(c->scalar) && fabs(check_about(c->scalar, x)) > 1e15) far = 1;
                    if (fabs(d) < 1e-140 || fabs(d) > 1e140) far = 1;
                    about += d * d;
                    continue;
                }
                one.n = two.n = 0;
                check_add_scalar(&one, 0, c->scalar, x);
                check_add_scalar(&one, 1, c->scalar, y);
                check_times(&two, &one, &one);
                check_accumulate(&sum, &two, 1);
            }
            elements += (uint64_t)finite;
        }
        limit = (double)elements * ldexp(l->tolerance * factor, l->shift) *
                ldexp(l->tolerance * factor, l->shift);
        if (!pass && !far && limit > 1e-280 && limit < 1e280 && about < limit * (1 - 1e-6))
            return 1;
    }
    one.n = two.n = tolerance.n = count.n = 0;
    check_add_double(&one, 0, l->tolerance);
    check_add_double(&two, 0, factor);
    check_times(&tolerance, &one, &two);
    for (int k = 0; k < tolerance.n; k++) tolerance.t[k].e += l->shift;
    one.n = two.n = 0;
    check_times(&one, &tolerance, &tolerance);
    check_put(&count, 0, elements, 0);
    check_times(&two, &one, &count);
    check_accumulate(&sum, &two, 0);
    return !check_negative(&sum);
}

// The factor of element i's block: its least; what is not above 0 and finite means lossless (0).
static inline int check_factors(const gen_case *c, const padic_codec_report *r, double *of_block,
                                uint64_t *block_of)
{
    const padic_tensor *t = &c->desc.tensor;
    uint64_t blocks = 1;
    for (uint32_t k = 0; k < t->rank; k++) {
        if (!r->block[k]) return 0;
        blocks *= (t->shape[k] + r->block[k] - 1) / r->block[k];
    }
    if (blocks > 65536 || (c->factors_by_block && blocks != c->factor_count)) return 0;
    for (uint64_t b = 0; b < blocks; b++)
        of_block[b] = c->factors && c->factors_by_block ? (double)c->factors[b] : 1e300;
    for (size_t i = 0; i < c->count; i++) {
        uint64_t b = 0, step = 1;
        size_t rest = i;
        for (uint32_t k = t->rank; k-- > 0;) {
            b += rest % t->shape[k] / r->block[k] * step;
            step *= (t->shape[k] + r->block[k] - 1) / r->block[k];
            rest /= (size_t)t->shape[k];
        }
        block_of[i] = b;
        if (!c->factors) of_block[b] = 1;
        else if (!c->factors_by_block) {
            const float f = c->factors[i];
            if (!(f > 0) || f - f != 0) of_block[b] = 0;
            else if ((double)f < of_block[b]) of_block[b] = (double)f;
        }
    }
    for (uint64_t b = 0; b < blocks; b++)
        if (!(of_block[b] > 0) || of_block[b] - of_block[b] != 0) of_block[b] = 0;
    return 1;
}

#define CHECK_FAIL(...) (snprintf(tools->why, sizeof tools->why, __VA_ARGS__), 1)
#define CHECK_THAT(x, ...) \
    if (!(x)) return CHECK_FAIL(__VA_ARGS__)

// `got` is the array as the first `layers` of all layers (0: one layer, all) give it.
static inline int check_close(check_tools *tools, const gen_case *c, const padic_codec_report *r,
                              const uint8_t *got, uint32_t layers, const char *who)
{
    const padic_codec_pack_desc *d = &c->desc;
    const uint32_t all = d->layers > 1 ? d->layers : 1;
    check_limit l;
    double most = 0;
    memset(&l, 0, sizeof l);
    if (!layers) layers = all;
    l.mode = d->tolerance_mode;
    l.tolerance = d->tolerance;
    l.range = d->range;
    l.shift = 4 * (int)(all - layers);
    l.r = check_find_range(c);
    if (l.mode == PADIC_CODEC_TOLERANCE_NONE ||
        (l.mode != PADIC_CODEC_TOLERANCE_POINTWISE && r->error_bound == 0) ||
        (l.mode == PADIC_CODEC_TOLERANCE_POINTWISE && layers < all)) {
        if (layers == all) {
            if (c->count && memcmp(got, c->dense, c->count * c->element)) {
                size_t i = 0;
                while (got[i] == c->dense[i]) i++;
                return CHECK_FAIL("%s: lossless, and element %d differs", who,
                                  (int)(i / c->element));
            }
            return 0;
        }
        l.mode = PADIC_CODEC_TOLERANCE_RANGE;
        l.tolerance = 1;
        l.apart = 1;
        l.range = 0;
        l.shift = -6 - 4 * (int)(layers - 1);
    }
    // These are searched for; what was found is what layers are multiples of.
    const int searched =
        l.mode == PADIC_CODEC_TOLERANCE_FIXED || l.mode == PADIC_CODEC_TOLERANCE_RMS;
    check_limit found = l;
    found.mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    found.tolerance = r->error_bound;
    found.apart = 1;
    if (!c->count) return 0;
    double *of_block = (double *)gen_new(65536 * sizeof(double));
    uint64_t *block_of = (uint64_t *)gen_new(c->count * sizeof(uint64_t));
    int bad = !check_factors(c, r, of_block, block_of);
    if (bad) snprintf(tools->why, sizeof tools->why, "%s: no blocks", who);
    for (size_t i = 0; i < c->count && !bad; i++) {
        const double factor = of_block[block_of[i]];
        if (factor > most) most = factor;
        if (factor == 0) {
            if (layers == all)
                bad = memcmp(got + i * c->element, c->dense + i * c->element, c->element) != 0;
        } else {
            const check_limit *limit = searched ? &found : &l;
            const uint32_t parts = limit->apart ? gen_parts(d->tensor.dtype) : 1;
            for (uint32_t k = 0; k < parts; k++)
                bad |= !check_within(c, limit, factor, got, i * parts + k);
        }
        if (bad) {
            const uint32_t size = gen_size(c->scalar), parts = gen_parts(d->tensor.dtype);
            const uint64_t x = gen_load(size, c->dense, i * parts);
            const uint64_t y = gen_load(size, got, i * parts);
            snprintf(tools->why, sizeof tools->why,
                     "%s: element %d of layer %d: %.17g (%llx) became %.17g (%llx), bound %g of "
                     "mode %d times %g times 2^%d, range %g",
                     who, (int)i, (int)layers,
                     gen_finite(c->scalar, x) ? check_about(c->scalar, x) : 0.0 / 1,
                     (unsigned long long)x,
                     gen_finite(c->scalar, y) ? check_about(c->scalar, y) : 0.0 / 1,
                     (unsigned long long)y, searched ? found.tolerance : l.tolerance, (int)l.mode,
                     factor, l.shift,
                     check_about(c->scalar, l.r.high) - check_about(c->scalar, l.r.low));
        }
    }
    if (!bad && l.mode == PADIC_CODEC_TOLERANCE_RMS && layers == all &&
        !check_mean(c, &l, most > 1 ? most : 1, got)) {
        snprintf(tools->why, sizeof tools->why, "%s: mean square of layer %d above the bound", who,
                 (int)layers);
        bad = 1;
    }
    if (!bad && l.mode == PADIC_CODEC_TOLERANCE_FIXED) { // what is no number stays as it is
        const uint32_t size = gen_size(c->scalar);
        for (size_t i = 0; i < c->scalars && !bad; i++) {
            const uint64_t x = gen_load(size, c->dense, i);
            if (!gen_finite(c->scalar, x) && gen_load(size, got, i) != x) bad = 1;
            if (gen_finite(c->scalar, x) && !gen_finite(c->scalar, gen_load(size, got, i))) bad = 1;
        }
        if (bad) snprintf(tools->why, sizeof tools->why, "%s: fixed: what is no number", who);
    }
    free(of_block);
    free(block_of);
    return bad;
}

// --------------------------------------------------------------------------------------- decoders

static inline uint64_t check_draw(gen_source *s, uint64_t n)
{
    return n < 2 ? 0 : (gen_noise(s) >> 8) % n;
}

typedef struct check_pipe {
    const uint8_t *bytes;
    uint8_t *to;
    size_t size, at;
} check_pipe;

static int check_read(void *data, size_t size, size_t *got, void *user)
{
    check_pipe *p = (check_pipe *)user;
    const size_t n = p->size - p->at < size ? p->size - p->at : size;
    if (n) memcpy(data, p->bytes + p->at, n);
    p->at += n;
    *got = n;
    return 0;
}

static int check_write(const void *data, size_t size, void *user)
{
    check_pipe *p = (check_pipe *)user;
    if (p->size - p->at < size) return 1;
    if (size) memcpy(p->to + p->at, data, size);
    p->at += size;
    return 0;
}

static inline padic_tensor check_dense(const gen_case *c, void *data)
{
    padic_tensor t = c->desc.tensor;
    memset(t.stride, 0, sizeof t.stride);
    t.data = data;
    return t;
}

static inline padic_codec_unpack_desc check_unpack_desc(const gen_case *c, void *data)
{
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = check_dense(c, data);
    u.reference = c->desc.reference;
    return u;
}

// The whole array into a tensor of some strides, `got` gets it dense.
static inline int check_decode(check_tools *tools, const gen_case *c, padic_context *context,
                               gen_source *plan, const uint8_t *bytes, size_t size,
                               const padic_codec_report *r, uint32_t planes, uint8_t *got,
                               const char *who)
{
    gen_plane plane;
    uint64_t bad = 5;
    padic_codec_unpack_desc u = check_unpack_desc(c, NULL);
    const uint32_t strides = check_draw(plan, 4) ? 0 : (uint32_t)check_draw(plan, 16);
    const size_t span = gen_strides(plan, &u.tensor, strides);
    plane = gen_plane_new(span, c->element);
    u.tensor.data = plane.first;
    u.layers = planes;
    u.report = CODEC_BAD_BLOCK(&bad);
    uint8_t *scratch = (uint8_t *)(((uintptr_t)tools->arena + 63) & ~(uintptr_t)63);
    const int own = context == NULL && r->workspace + 64 < CHECK_ARENA && check_draw(plan, 2);
    if (own) { // exactly what info says
        u.workspace = codec_workspace(scratch, r->workspace);
        memset(scratch + r->workspace, 0xa5, 64);
    } else if (check_draw(plan, 4) == 0 && context == NULL) {
        u.memory_limit = r->workspace + 64;
    }
    const padic_result result = codec_unpack(context, &u, bytes, size);
    int intact = 1;
    for (int i = 0; i < 64 && own; i++) intact &= scratch[r->workspace + (size_t)i] == 0xa5;
    const int good = gen_collect(&u.tensor, &plane, got, c->count, c->element);
    gen_plane_free(&plane);
    tools->decodes++;
    CHECK_THAT(result == PADIC_OK, "%s: unpack gives %d, block %d (%s)", who, (int)result, (int)bad,
               context ? padic_context_message(context) : "");
    CHECK_THAT(bad == UINT64_MAX, "%s: unpack says nothing of bad_block", who);
    CHECK_THAT(intact, "%s: wrote behind its scratch", who);
    CHECK_THAT(good, "%s: wrote beside the elements", who);
    return 0;
}

static inline int check_pull(check_tools *tools, const gen_case *c, padic_context *context,
                             gen_source *plan, const uint8_t *bytes, size_t size,
                             const uint8_t *whole, uint8_t *got, const char *who)
{
    check_pipe in = {bytes, NULL, size, 0};
    padic_codec_unpacker *unpacker = NULL;
    padic_codec_report r;
    padic_codec_unpack_desc u;
    const size_t all = c->count * c->element, large = 1 + check_draw(plan, 2 + all);
    size_t at = 0, more = 0;
    uint8_t one[1];
    memset(&u, 0, sizeof u);
    u.reference = c->desc.reference;
    padic_result result = codec_unpack_begin(context, &u, check_read, &in, &r, &unpacker);
    if (c->desc.layers > 1) { // layers are not for streams
        memcpy(got, whole, all);
        CHECK_THAT(result == PADIC_ERROR_NOT_SUPPORTED && !unpacker, "%s: layers give %d", who,
                   (int)result);
        return 0;
    }
    CHECK_THAT(result == PADIC_OK, "%s: unpack_begin gives %d", who, (int)result);
    while (at < all && result == PADIC_OK) {
        const size_t left = all - at, want = 1 + (size_t)check_draw(plan, large);
        const size_t n = want < left ? want : left;
        size_t n_got = 0;
        result = codec_unpack_pull(unpacker, got + at, n, &n_got);
        at += n_got;
        if (n_got < n) break;
    }
    if (result == PADIC_OK) result = codec_unpack_pull(unpacker, one, 1, &more);
    padic_codec_unpack_end(unpacker);
    tools->pulls++;
    CHECK_THAT(result == PADIC_OK, "%s: pull gives %d at %d of %d", who, (int)result, (int)at,
               (int)all);
    CHECK_THAT(at == all && more == 0, "%s: pulled %d + %d of %d", who, (int)at, (int)more,
               (int)all);
    return 0;
}

static inline int check_box(check_tools *tools, const gen_case *c, padic_context *context,
                            gen_source *plan, const uint8_t *bytes, size_t size,
                            const uint8_t *whole, const char *who)
{
    padic_codec_unpack_desc u = check_unpack_desc(c, NULL);
    size_t count = 1;
    if (!c->count || !u.tensor.rank) return 0;
    for (uint32_t k = 0; k < u.tensor.rank; k++) {
        const uint64_t extent = c->desc.tensor.shape[k];
        u.begin[k] = check_draw(plan, extent);
        u.count[k] = 1 + check_draw(plan, extent - u.begin[k]);
        u.tensor.shape[k] = u.count[k];
        count *= (size_t)u.count[k];
    }
    const size_t span = gen_strides(plan, &u.tensor, (uint32_t)check_draw(plan, 16));
    gen_plane plane = gen_plane_new(span, c->element);
    uint8_t *got = (uint8_t *)gen_new(count * c->element);
    u.tensor.data = plane.first;
    const padic_result result = codec_unpack(context, &u, bytes, size);
    int good = gen_collect(&u.tensor, &plane, got, count, c->element), same = 1;
    for (size_t i = 0; i < count && good && result == PADIC_OK; i++) {
        size_t rest = i, from = 0, step = 1;
        for (uint32_t k = u.tensor.rank; k-- > 0;) {
            from += (rest % (size_t)u.count[k] + (size_t)u.begin[k]) * step;
            rest /= (size_t)u.count[k];
            step *= (size_t)c->desc.tensor.shape[k];
        }
        same &= !memcmp(got + i * c->element, whole + from * c->element, c->element);
    }
    gen_plane_free(&plane);
    free(got);
    tools->boxes++;
    CHECK_THAT(result == PADIC_OK, "%s: a box gives %d", who, (int)result);
    CHECK_THAT(good, "%s: a box wrote beside its elements", who);
    CHECK_THAT(same, "%s: a box is not that of the whole", who);
    return 0;
}

// Through a context's buffers.
static inline int check_buffers(check_tools *tools, const gen_case *c, padic_context *context,
                                const uint8_t *bytes, size_t size, const uint8_t *whole)
{
    padic_buffer_desc b;
    padic_buffer buffer = {0};
    uint8_t *got = (uint8_t *)gen_new(c->count * c->element);
    padic_codec_unpack_desc u = check_unpack_desc(c, got);
    memset(&b, 0, sizeof b);
    b.size = size;
    padic_result result = padic_buffer_create(context, &b, &buffer);
    if (result == PADIC_OK) result = padic_buffer_upload(context, buffer, 0, bytes, size);
    const padic_tensor packed =
        padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, size), buffer, 0);
    if (result == PADIC_OK) result = codec_unpack_from(context, &u, &packed);
    const int same = !c->count || !memcmp(got, whole, c->count * c->element);
    (void)padic_buffer_destroy(context, buffer);
    free(got);
    CHECK_THAT(result == PADIC_OK, "unpack_from gives %d (%s)", (int)result,
               padic_context_message(context));
    CHECK_THAT(same, "unpack_from gives other elements");
    return 0;
}

static inline int check_widen(check_tools *tools, const gen_case *c, padic_context *context,
                              gen_source *plan, const uint8_t *bytes, size_t size,
                              const uint8_t *whole)
{
    const padic_dtype from = c->desc.tensor.dtype;
    if (from < PADIC_F32 || from > PADIC_BF16) return 0;
    const padic_dtype to = from == PADIC_F32 || check_draw(plan, 2) ? PADIC_F64 : PADIC_F32;
    uint8_t *got = (uint8_t *)gen_new(c->count * gen_size(to));
    padic_codec_unpack_desc u = check_unpack_desc(c, got);
    u.tensor.dtype = to;
    const padic_result result = codec_unpack(context, &u, bytes, size);
    size_t bad = SIZE_MAX;
    for (size_t i = 0; i < c->count && result == PADIC_OK; i++) {
        const uint64_t x = gen_load(gen_size(from), whole, i), y = gen_load(gen_size(to), got, i);
        const int representations = gen_digits(from), wide = gen_digits(to);
        const int sign = (int)(x >> (8 * gen_size(from) - 1)) ==
                         (int)(y >> (8 * gen_size(to) - 1));
        if (gen_finite(from, x)
                ? !gen_finite(to, y) || gen_value(from, x) != gen_value(to, y) || !sign
                : gen_finite(to, y) || !sign ||
                      ((x << (65 - representations)) == 0) != ((y << (65 - wide)) == 0))
            bad = i;
    }
    free(got);
    CHECK_THAT(result == PADIC_OK, "widening to %s gives %d", gen_name(to), (int)result);
    CHECK_THAT(bad == SIZE_MAX, "widened to %s, element %d is another", gen_name(to), (int)bad);
    return 0;
}

// ----------------------------------------------------------------------------------------- packers

// As a stream; 1: it failed. Bytes and size in pipe.
static inline padic_result check_push(const gen_case *c, padic_context *context, gen_source *plan,
                                      int unknown, check_pipe *out)
{
    padic_codec_pack_desc d = c->desc;
    padic_codec_packer *packer = NULL;
    const size_t all = c->count * c->element, large = 1 + (size_t)check_draw(plan, 2 + all);
    size_t at = 0;
    padic_codec_report told;
    memset(d.tensor.stride, 0, sizeof d.tensor.stride);
    d.tensor.data = NULL;
    memset(&d.workspace, 0, sizeof d.workspace);
    d.report = &told;
    if (unknown) d.tensor.shape[0] = PADIC_CODEC_UNKNOWN;
    padic_result result = codec_pack_begin(context, &d, check_write, out, &packer);
    if (result != PADIC_OK) return result;
    while (at < all && result == PADIC_OK) {
        const size_t want = 1 + (size_t)check_draw(plan, large);
        const size_t n = want < all - at ? want : all - at;
        uint8_t *piece = (uint8_t *)gen_new(n);
        memcpy(piece, c->dense + at, n);
        result = codec_pack_push(packer, piece, n);
        free(piece);
        at += n;
    }
    const padic_result ended = padic_codec_pack_end(packer);
    if (result == PADIC_OK) result = ended;
    if (result == PADIC_OK && told.packed_size != out->at) result = PADIC_ERROR_DEVICE; // said
                                                                                        // another
                                                                                        // size
    return result;
}

// Plain, a level of vectors, or one of the two with threads.
static inline padic_context *check_context(const check_tools *tools, int who)
{
    return who < tools->level_count ? tools->level[tools->levels[who]]
                                    : tools->thread[who - tools->level_count];
}

// What padic.h says of this desc; FIXED may be LIMIT.
static inline padic_result check_expect(const gen_case *c)
{
    const padic_codec_pack_desc *d = &c->desc;
    const int mode = (int)d->tolerance_mode;
    const int wide = d->tensor.dtype <= PADIC_F32 || d->tensor.dtype >= PADIC_C64;
    if (d->profile) {
        if (mode > PADIC_CODEC_TOLERANCE_RANGE || (mode && !wide)) return PADIC_ERROR_TOLERANCE;
    }
    return PADIC_OK;
}

// 0, or 1 with the reason in tools->why.
static inline int check_pack(check_tools *tools, gen_case *c)
{
    padic_codec_pack_desc *d = &c->desc;
    uint8_t noise[256];
    gen_source plan = {noise, sizeof noise, 0, gen_mix(c->plan + 99)};
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)(gen_noise(&plan) >> 32);
    const size_t bytes = c->count * c->element;
    const int every = tools->every;
    const uint64_t lean = tools->lean > 1 ? (uint64_t)tools->lean : 1;
    uint8_t *const scratch = (uint8_t *)(((uintptr_t)tools->arena + 63) & ~(uintptr_t)63);
    padic_codec_report r;
    size_t size = 0, other = 0;
    uint8_t *one = NULL, *two = NULL;
    int bad = 0;
    const padic_result expect = check_expect(c);
    const size_t room = padic_codec_size_bound(d);
    CHECK_THAT((room == 0) == (expect != PADIC_OK), "bound gives %d where %d is expected",
               (int)room, (int)expect);
    free(tools->packed);
    tools->packed = (uint8_t *)gen_new(room + 64);
    tools->packed_size = 0;
    memset(tools->packed, 0xa5, room + 64);
    const size_t need = (size_t)padic_codec_pack_workspace(d);
    const int lent = need + 64 < CHECK_ARENA && check_draw(&plan, 4);
    if (lent) {
        d->workspace = codec_workspace(scratch, need);
        memset(scratch + need, 0xa5, 64);
    }
    const int packer = tools->levels[check_draw(&plan, (uint64_t)tools->level_count)];
    padic_codec_report told;
    memset(&told, 0xa5, sizeof told);
    d->report = &told;
    padic_result result = codec_pack(tools->level[packer], d, tools->packed, room, &size);
    d->report = NULL;
    memset(&d->workspace, 0, sizeof d->workspace);
    tools->packed_size = result == PADIC_OK ? size : 0;
    if (d->profile) tools->profiles++;
    else tools->packs[d->level]++;
    for (int i = 0; i < 64 && lent; i++)
        CHECK_THAT(scratch[need + (size_t)i] == 0xa5, "packing wrote behind its scratch");
    for (int i = 0; i < 64; i++)
        CHECK_THAT(tools->packed[room + (size_t)i] == 0xa5, "packing wrote behind its capacity");
    if (expect == PADIC_OK && d->tolerance_mode == PADIC_CODEC_TOLERANCE_FIXED &&
        result == PADIC_ERROR_LIMIT) {
        CHECK_THAT((double)size > d->tolerance, "LIMIT, and %d bytes would do", (int)size);
        tools->refused++;
        return 0;
    }
    CHECK_THAT(result == expect, "%s: pack gives %d, expected %d (%s)", tools->name[packer],
               (int)result, (int)expect,
               packer ? padic_context_message(tools->level[packer]) : padic_result_text(result));
    if (result != PADIC_OK) {
        tools->refused++;
        return 0;
    }
    tools->reencoded += told.blocks_reencoded;
    tools->reencoded_cases += told.blocks_reencoded != 0;
    CHECK_THAT(told.blocks_reencoded == 0 || tools->allow_reencoded,
               "%s: %d blocks did not pass the proof", tools->name[packer],
               (int)told.blocks_reencoded);
    CHECK_THAT(told.packed_size == size, "the packer's report says %d of %d bytes",
               (int)told.packed_size, (int)size);
    CHECK_THAT(size <= room, "%d bytes, and the bound is %d", (int)size, (int)room);
    if (d->tolerance_mode == PADIC_CODEC_TOLERANCE_FIXED) {
        CHECK_THAT((double)size <= d->tolerance, "%d bytes, and FIXED allows %g", (int)size,
                   d->tolerance);
        tools->fixed++;
    }
    tools->references += d->reference.data != NULL;
    tools->importances += d->importance.data != NULL;
    tools->lossy += d->tolerance_mode != PADIC_CODEC_TOLERANCE_NONE;
    for (size_t i = size; i < room; i++)
        if (tools->packed[i] != 0xa5) bad = 1;
    CHECK_THAT(!bad, "packing wrote behind what it wrote");
    uint8_t *const packed = (uint8_t *)gen_new(size); // a byte too far is seen by sanitizers
    memcpy(packed, tools->packed, size);
    one = (uint8_t *)gen_new(bytes);
    two = (uint8_t *)gen_new(bytes);
    memset(&r, 0, sizeof r);

#define CHECK_OR_END(x)           \
    if (1) {                      \
        if (!bad && (x)) bad = 1; \
        if (bad) goto end;        \
    } else ((void)0)
#define CHECK_HERE(x, ...) CHECK_OR_END(!(x) && CHECK_FAIL(__VA_ARGS__))
#define CHECK_SAME(who) \
    CHECK_HERE(!bytes || !memcmp(one, two, bytes), "%s: other elements than plain C", who)

    result = codec_info(packed, size, &r);
    CHECK_HERE(result == PADIC_OK, "info gives %d", (int)result);
    CHECK_HERE(r.dtype == d->tensor.dtype && r.rank == d->tensor.rank && r.packed_size == size &&
                   r.raw_size == bytes && r.tolerance_mode == d->tolerance_mode &&
                   !memcmp(r.shape, d->tensor.shape, sizeof r.shape) &&
                   r.layers == (d->layers ? d->layers : 1) &&
                   r.level == (d->profile ? 0 : d->level) && (!r.reference || d->reference.data),
               "info says something else");
    CHECK_OR_END(check_decode(tools, c, NULL, &plan, packed, size, &r, 0, one, "plain"));
    CHECK_OR_END(check_close(tools, c, &r, one, 0, "plain"));
    for (int k = 1; k < tools->level_count; k++) { // one of them, or all
        const int level =
            tools->levels[every ? k : 1 + (int)check_draw(&plan, (uint64_t)tools->level_count - 1)];
        CHECK_OR_END(check_decode(tools, c, tools->level[level], &plan, packed, size, &r, 0, two,
                                  tools->name[level]));
        CHECK_SAME(tools->name[level]);
        if (!every && check_draw(&plan, 8)) break;
    }
    if (d->layers > 1 && (every || check_draw(&plan, 2))) {
        for (uint32_t k = 1; k < d->layers; k++) {
            const int level = tools->levels[check_draw(&plan, (uint64_t)tools->level_count)];
            CHECK_OR_END(check_decode(tools, c, NULL, &plan, packed, size, &r, k, one, "layers"));
            CHECK_OR_END(check_close(tools, c, &r, one, k, "layers"));
            CHECK_OR_END(check_decode(tools, c, tools->level[level], &plan, packed, size, &r, k,
                                      two, "layers with vectors"));
            CHECK_SAME("layers with vectors");
            tools->planes++;
        }
        CHECK_OR_END(
            check_decode(tools, c, NULL, &plan, packed, size, &r, d->layers, one, "layers"));
    }
    // Another packer gives the same bytes.
    if (every || check_draw(&plan, 4 * lean) == 0) {
        const int who = (int)check_draw(&plan, (uint64_t)tools->level_count + 2);
        padic_context *const context = check_context(tools, who);
        const size_t capacity = check_draw(&plan, 8) ? room : size;
        uint8_t *again = (uint8_t *)gen_new(capacity);
        d->flags = check_draw(&plan, 4) ? 0 : PADIC_CODEC_PACK_NO_PROOF;
        result = codec_pack(context, d, again, capacity, &other);
        d->flags = 0;
        const int same = result == PADIC_OK && other == size && !memcmp(again, packed, size);
        free(again);
        CHECK_HERE(result == PADIC_OK, "packer %d: pack gives %d", who, (int)result);
        CHECK_HERE(same, "packer %d gives other bytes than %s (%d, %d)", who, tools->name[packer],
                   (int)other, (int)size);
    }
    if (check_draw(&plan, 32 * lean) == 0) { // a capacity that is too small
        const size_t capacity = (size_t)check_draw(&plan, size);
        uint8_t *again = (uint8_t *)gen_new(capacity);
        result = codec_pack(NULL, d, again, capacity, &other);
        free(again);
        CHECK_HERE(result == PADIC_ERROR_CAPACITY && other == size,
                   "capacity %d gives %d, %d bytes needed of %d", (int)capacity, (int)result,
                   (int)other, (int)size);
    }
    // A stream, of which the length may not be known before.
    if (d->layers < 2 && d->tensor.rank && d->tolerance_mode != PADIC_CODEC_TOLERANCE_FIXED &&
        d->tolerance_mode != PADIC_CODEC_TOLERANCE_RMS && c->count &&
        (d->tolerance_mode != PADIC_CODEC_TOLERANCE_RANGE || d->range > 0) &&
        (every || check_draw(&plan, 8 * lean) == 0)) {
        const int unknown = !d->reference.data && !d->importance.data && d->block[0] &&
                            check_draw(&plan, 2);
        const int who = (int)check_draw(&plan, (uint64_t)tools->level_count + 2);
        padic_context *const context = check_context(tools, who);
        check_pipe out = {NULL, (uint8_t *)gen_new(room + 4096), room + 4096, 0};
        result = check_push(c, context, &plan, unknown, &out);
        if (result == PADIC_OK && !unknown && (out.at != size || memcmp(out.to, packed, size)))
            bad = 1;
        if (result == PADIC_OK && unknown &&
            check_pull(tools, c, context, &plan, out.to, out.at, one, two, "stream")) {
            free(out.to);
            bad = 1;
            goto end;
        }
        free(out.to);
        tools->streams++;
        if (bad) snprintf(tools->why, sizeof tools->why, "a stream has other bytes (%d, %d)",
                          (int)out.at, (int)size);
        CHECK_HERE(result == PADIC_OK, "streams%s give %d", unknown ? " of unknown length" : "",
                   (int)result);
        if (unknown) {
            CHECK_OR_END(check_close(tools, c, &r, two, 0, "stream of unknown length"));
            CHECK_SAME("stream of unknown length");
        }
    }
    if (every || check_draw(&plan, 6) == 0) {
        const int who = (int)check_draw(&plan, (uint64_t)tools->level_count + 2);
        CHECK_OR_END(check_pull(tools, c, check_context(tools, who), &plan, packed, size, one, two,
                                "pull"));
        CHECK_SAME("pull");
    }
    if (every || check_draw(&plan, 6) == 0) {
        const int who = (int)check_draw(&plan, (uint64_t)tools->level_count + 2);
        CHECK_OR_END(
            check_box(tools, c, check_context(tools, who), &plan, packed, size, one, "box"));
    }
    if (every || check_draw(&plan, 16) == 0) {
        const int who = (int)check_draw(&plan, 2);
        CHECK_OR_END(check_decode(tools, c, tools->thread[who], &plan, packed, size, &r, 0, two,
                                  "threads"));
        CHECK_SAME("threads");
    }
    if (every || check_draw(&plan, 16) == 0) {
        CHECK_OR_END(check_buffers(tools, c, tools->thread[1], packed, size, one));
    }
    if (every || check_draw(&plan, 16) == 0) {
        const int who = tools->levels[check_draw(&plan, (uint64_t)tools->level_count)];
        CHECK_OR_END(check_widen(tools, c, tools->level[who], &plan, packed, size, one));
    }
    if (every || check_draw(&plan, 8) == 0) {
        padic_codec_unpack_desc u;
        uint64_t block = 7;
        memset(&u, 0, sizeof u);
        u.report = CODEC_BAD_BLOCK(&block);
        u.reference = d->reference;
        result = codec_verify(tools->level[packer], &u, packed, size);
        CHECK_HERE(result == PADIC_OK && block == UINT64_MAX, "verify gives %d, block %d",
                   (int)result, (int)block);
    }
    if (r.reference && check_draw(&plan, 4) == 0) { // without it, or with another one
        padic_codec_unpack_desc u = check_unpack_desc(c, two);
        memset(&u.reference, 0, sizeof u.reference);
        result = codec_unpack(NULL, &u, packed, size);
        CHECK_HERE(result == PADIC_ERROR_MISMATCH, "no reference gives %d", (int)result);
        result = codec_verify(NULL, NULL, packed, size);
        CHECK_HERE(result == PADIC_ERROR_MISMATCH, "verify without reference gives %d",
                   (int)result);
    }
#ifdef PADIC_CODEC_READER_H
    if (!r.reference && c->count && (every || check_draw(&plan, 24 * lean) == 0)) {
        const rd_array a = rd_read(packed, size);
        const int same = a.data && a.count == c->count && !memcmp(a.data, one, bytes);
        free(a.data);
        tools->readers++;
        CHECK_HERE(same, "tests/codec/codec_reader.h decodes something else");
    }
#endif
end:
    free(packed);
    free(one);
    free(two);
    return bad;
}

#endif // PADIC_CHECK_PACK_H
