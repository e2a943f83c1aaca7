#include "calls.h"
#include "../../num/array.h"
#include "../../num/cell.h"
#include "../../num/reduction.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_NUM)

// --------------------------------------------------------------------------------- >>number calls

// A few elements, for the end of a call and for operands of one element.
typedef struct padici_simd_num_tail {
    uint64_t unit[4][PADICI_SIMD_NUM_TAIL];
    int32_t val[4][PADICI_SIMD_NUM_TAIL], other[PADICI_SIMD_NUM_TAIL];
    uint8_t status[PADICI_SIMD_NUM_TAIL];
} padici_simd_num_tail;

// The kind of a kernel. 0: odd p, P < 2^49; 1: P is a power of two; 2: odd p, P < 2^64.
PADICI_FN int padici_simd_num_kind(const padic_num_ring *r)
{
    return r->form == PADIC_NUM_B2 ? 1 : r->form == PADIC_NUM_W64 ? 2 : 0;
}

// Copies elements [first, first + n) of a plane, or its scalar n times; units up to `lanes` are
// padded with 1.
PADICI_FN void padici_simd_num_tail_in(const padic_num_call *call, padic_num_planes *p,
                                       uint64_t first, uint32_t n, uint32_t lanes, uint64_t *unit,
                                       int32_t *val)
{
    uint32_t i;
    for (i = 0; i < lanes; i++) {
        const uint64_t from = p->scalar ? 0 : first + i;
        const uint64_t u = i < n ? padici_num_word(call->ring, p->unit, from) : 1;
        padici_num_word_set(call->ring, unit, i, u);
        if (p->val) val[i] = i < n ? ((const int32_t *)p->val)[from] : 0;
    }
    p->unit = unit;
    if (p->val) p->val = val;
}

// Runs a kernel that takes whole vectors of non-scalar operands over any call.
PADICI_FN uint32_t padici_simd_num_drive(const padic_num_call *call, uint32_t lanes,
                                         padici_simd_num_kernel kernel)
{
    const size_t size = call->ring->unit_size;
    const uint32_t scalars = call->a.scalar | call->b.scalar | call->c.scalar;
    uint64_t first = scalars ? 0 : call->count - call->count % lanes;
    uint32_t bits = 0, i, filled = 0;
    padici_simd_num_tail rest;
    padic_num_call part;
    if (call->count && first == call->count) return (*kernel)(call);
    part = *call;
    part.count = first;
    memset(rest.status, 0, sizeof rest.status);
    if (first) bits = (*kernel)(&part);
    for (; first < call->count; first += PADICI_SIMD_NUM_TAIL) {
        const uint64_t left = call->count - first;
        const uint32_t n = left < PADICI_SIMD_NUM_TAIL ? (uint32_t)left : PADICI_SIMD_NUM_TAIL;
        const uint32_t whole = (n + lanes - 1) / lanes * lanes;
        const padic_num_planes *const from[4] = {&call->out, &call->a, &call->b, &call->c};
        padic_num_planes *const to[4] = {&part.out, &part.a, &part.b, &part.c};
        for (i = 0; i < 4; i++) {
            if (!from[i]->unit || (from[i]->scalar && filled)) continue;
            *to[i] = *from[i];
            if (from[i]->scalar) {
                padici_simd_num_tail_in(call, to[i], 0, PADICI_SIMD_NUM_TAIL, PADICI_SIMD_NUM_TAIL,
                                        rest.unit[i], rest.val[i]);
            } else if (n < whole) {
                padici_simd_num_tail_in(call, to[i], first, n, whole, rest.unit[i], rest.val[i]);
            } else {
                padici_num_advance(call->ring, to[i], first);
            }
        }
        filled = 1;
        part.count = whole;
        part.status = n < whole || !call->status ? rest.status : call->status + first;
        if (call->other[0])
            part.other[0] = n < whole ? rest.other : (int32_t *)call->other[0] + first;
        (*kernel)(&part);
        for (i = 0; i < n; i++) bits |= part.status[i];
        if (n == whole) continue;
        if (call->out.unit) memcpy((char *)call->out.unit + first * size, part.out.unit, n * size);
        if (call->out.val)
            memcpy((int32_t *)call->out.val + first, part.out.val, n * sizeof(int32_t));
        if (call->status) memcpy(call->status + first, part.status, n);
        if (call->other[0])
            memcpy((int32_t *)call->other[0] + first, part.other[0], n * sizeof(int32_t));
    }
    return bits;
}

// Elements [first, first + n) by the generic loop, for the few that a kernel cannot do.
PADICI_FN uint32_t padici_simd_num_plain(const padic_num_call *call, uint64_t first, uint64_t n,
                                         void (*loop)(padic_num_call *call))
{
    padic_num_call part = *call;
    padici_num_advance(call->ring, &part.out, first);
    padici_num_advance(call->ring, &part.a, first);
    padici_num_advance(call->ring, &part.b, first);
    padici_num_advance(call->ring, &part.c, first);
    if (part.status) part.status += first;
    if (part.other[0]) part.other[0] = (char *)part.other[0] + first * padic_dtype_size(part.dtype);
    if (part.other[1]) // exponents, denominators, or valuations
        part.other[1] = (char *)part.other[1] +
                        first * (part.op == PADIC_OP_NUM_FROM_FLOAT    ? 2
                                 : part.op == PADIC_OP_NUM_TO_RATIONAL ? 8
                                                                               : 4);
    part.first += first;
    part.count = n;
    part.bits = 0;
    (*loop)(&part);
    return part.bits;
}

// A kernel for whole vectors, and the generic loop for the remaining elements.
PADICI_FN void padici_simd_num_ends(padic_num_call *call, uint32_t lanes,
                                    padici_simd_num_kernel kernel, void (*loop)(padic_num_call *))
{
    const uint64_t count = call->count, rest = count % lanes;
    call->count = count - rest;
    if (call->count) call->bits |= (*kernel)(call);
    if (rest) call->bits |= padici_simd_num_plain(call, count - rest, rest, loop);
    call->count = count;
}

// FLOAT, long residues, one tile after the other: by `kernel` where all numbers are finite and not
// 0, valuations of terms equal and no sum divisible by p; otherwise by the generic loop.
PADICI_FN void padici_simd_num_tiles(padic_num_call *call, padici_simd_num_kernel kernel,
                                     void (*loop)(padic_num_call *))
{
    const padic_num_ring *r = call->ring;
    const uint32_t op = call->op;
    const int32_t limit = call->out.val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
    uint64_t first;
    for (first = 0; first < call->count; first += 32) {
        padic_num_call part = *call;
        int32_t val[32];
        uint32_t i, n = call->count - first < 32 ? (uint32_t)(call->count - first) : 0;
        padici_num_advance(r, &part.out, first);
        padici_num_advance(r, &part.a, first);
        padici_num_advance(r, &part.b, first);
        part.count = 32;
        for (i = 0; !n && i < 32; i++) {
            const int32_t a = padici_num_val_load(&part.a, i);
            const int32_t b = op == PADIC_OP_NUM_NEG ? a : padici_num_val_load(&part.b, i);
            val[i] = a;
            if (!padici_num_val_finite(a) || !padici_num_val_finite(b)) {
                n = 32;
            } else if (op == PADIC_OP_NUM_MUL) {
                val[i] += b;
            } else if (op != PADIC_OP_NUM_NEG) {
                const uint64_t x = r->unit_size == 4 ? ((const uint32_t *)part.a.unit)[i]
                                                     : ((const uint64_t *)part.a.unit)[i];
                const uint64_t y = r->unit_size == 4 ? ((const uint32_t *)part.b.unit)[i]
                                                     : ((const uint64_t *)part.b.unit)[i];
                const uint64_t sum = op == PADIC_OP_NUM_ADD ? x + y : x + r->base - y;
                if (a != b || sum % r->p == 0) n = 32;
            }
            if (val[i] > limit || val[i] < -limit) n = 32;
        }
        if (n) {
            call->bits |= padici_simd_num_plain(call, first, n, loop);
            continue;
        }
        (*kernel)(&part);
        for (i = 0; i < 32; i++) padici_num_val_store(&part.out, i, val[i]);
        if (call->status) memset(call->status + first, 0, 32);
    }
}

// FLOAT dot product: lanes of chunks in vectors, their sums and those of the chunks as in
// padici_sum_loop. NOT_SUPPORTED, with nothing written, if there is a special element.
PADICI_FN padic_result padici_simd_num_dot(padic_num_call *call, padici_simd_num_lanes lanes)
{
    enum { CHUNK = 4096, LEVELS = 38, LANE_LEVELS = 7, TEMPS = 20 };
    uint64_t local[LEVELS + LANE_LEVELS + TEMPS], unit[32], first;
    uint64_t *const temp = local + LEVELS + LANE_LEVELS;
    int32_t val[32];
    padici_num_reduction chunks, part;
    padici_num_cell x;
    uint32_t bits = 0, i;
    for (i = 0; i < LEVELS; i++) chunks.level[i].u = local + i;
    for (i = 0; i < LANE_LEVELS; i++) part.level[i].u = local + LEVELS + i;
    chunks.count = chunks.depth = 0;
    x.n = call->ring->precision;
    for (first = 0; first < call->count; first += CHUNK) {
        const uint64_t end = call->count - first < CHUNK ? call->count : first + CHUNK;
        if (!(*lanes)(call, first, end, unit, val, &bits)) return PADIC_ERROR_NOT_SUPPORTED;
        part.count = part.depth = 0;
        for (i = 0; i < 32; i++) {
            x.u = unit + i;
            x.v = val[i];
            x.bits = 0;
            padici_num_reduce_push(call, &part, &x, temp);
        }
        padici_num_reduce_push(call, &chunks, &part.level[0], temp);
    }
    while (chunks.depth > 1) padici_num_reduce_merge(call, &chunks, temp);
    chunks.level[0].bits |= bits;
    call->out = call->c;
    padici_num_cell_store(call, 0, &chunks.level[0]);
    return PADIC_OK;
}

// Systems and determinants.
PADICI_FN padic_result padici_simd_num_systems_loop(padici_simd *simd, const void *systems)
{
    const padic_num_systems *s = (const padic_num_systems *)systems;
    const uint32_t level = simd->level;
    (void)level;
    if (s->n < 3 || s->n > 8 || s->count > PADIC_NUM_SYSTEMS) return PADIC_ERROR_NOT_SUPPORTED;
#if PADICI_SIMD_X86
    if (level >= PADICI_SIMD_AVX512) return padici_simd_num_systems_avx512(s);
    if (level == PADICI_SIMD_AVX2) return padici_simd_num_systems_avx2(s);
#elif PADICI_SIMD_ARM
    if (level == PADICI_SIMD_NEON) return padici_simd_num_systems_neon(s);
#endif
    return PADIC_ERROR_NOT_SUPPORTED;
}

PADICI_FN padic_result padici_simd_num_loop(padici_simd *simd, void *call_)
{
    padic_num_call *call = (padic_num_call *)call_;
    const uint32_t level = simd->level, op = call->op;
    const padic_num_ring *r = call->ring;
    if (r->form != PADIC_NUM_RX &&
        (call->model == PADIC_NUM_BALL || call->out.val16 | call->a.val16 | call->b.val16 |
                                              call->c.val16))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (r->p == 2 && r->form != PADIC_NUM_B2 && r->form < PADIC_NUM_W128)
        return PADIC_ERROR_NOT_SUPPORTED;
    // 1 if the generic loop is faster: series of one digit, and sums of 64 bits without unsigned
    // compares.
    if (r->precision == 1 && (op == PADIC_OP_NUM_EXP || op == PADIC_OP_NUM_LOG))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (r->form == PADIC_NUM_W64 && call->model == PADIC_NUM_FLOAT && level < PADICI_SIMD_AVX512 &&
        (op == PADIC_OP_NUM_ADD || op == PADIC_OP_NUM_SUB))
        return PADIC_ERROR_NOT_SUPPORTED;
#if PADICI_SIMD_X86
    if (level == PADICI_SIMD_IFMA) return padici_simd_num_call_ifma(call);
    if (level == PADICI_SIMD_AVX512) return padici_simd_num_call_avx512(call);
    if (level == PADICI_SIMD_AVX2) return padici_simd_num_call_avx2(call);
#elif PADICI_SIMD_ARM
    if (level == PADICI_SIMD_NEON) return padici_simd_num_call_neon(call);
#endif
    return PADIC_ERROR_NOT_SUPPORTED;
}

#endif
