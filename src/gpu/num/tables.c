#include "tables.h"
#include "../../core/memory.h"
#include "../../core/words.h"
#include "../../num/cell.h"
#include "../../num/euclid.h"
#include "../../num/euclid_word.h"
#include "../../num/floats.h"
#include "../../num/residue.h"
#include "../../num/ring_tables.h"
#include "../../num/root.h"
#include "../../num/series.h"
#include "../../num/series_loops.h"
#include "../../num/valuation.h"
#include "../../num/words.h"
#include "../launch.h"
#include "params.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// Tables that the host makes for the kernel: bounds, powers, coefficients, norms, roots.

// For each precision j: p^j, Nmax, Dmax (clamped), whether they are compatible; p in place of p^0.
// `o` NULL: the defaults.
PADICI_FN void padici_gpu_num_bounds(const padic_num_ring *r, const padici_num_rational *o,
                                     uint64_t *table)
{
    const padici_num_bounds usual = {1, 0, 0, {0, 0}, {0, 0}, 0}, *b = o ? &o->bounds : &usual;
    const int whole =
        o && (o->mode == PADIC_NUM_RATIONAL_COMMON || o->mode == PADIC_NUM_RATIONAL_FIXED);
    uint32_t j, i;
    memset(table, 0, 32);
    table[0] = r->p;
    for (j = 1; j <= r->precision; j++) {
        uint64_t *const entry = table + 4 * (size_t)j;
        padici_num_wide bound[2];
        const int fit = !b->quotient && padici_num_bounds_wide(r, j, b, &bound[0], &bound[1]);
        entry[0] = j < r->precision || r->base ? r->power[j][0] : 0;
        for (i = 0; i < 2; i++)
            entry[1 + i] = !fit ? 0 : bound[i].high ? UINT64_MAX : bound[i].low;
        if (!whole && !entry[2]) entry[1] = 0;
        entry[3] = (uint64_t)fit;
    }
}

// Writes the powers of p below 2^limit to `table`, unless it is NULL. Returns the words they take.
PADICI_FN uint64_t padici_gpu_num_powers(uint64_t p, uint32_t limit, uint64_t *table)
{
    uint64_t power[66], at = 0; // 4,096 bits and one more factor
    uint32_t turn, most = 0;
    for (turn = 0; turn < 2; turn++) {
        uint32_t used = 1, v = 0;
        memset(power, 0, sizeof power);
        power[0] = 1;
        at = 3 + (uint64_t)most;
        for (; 64 * used - padici_clz64(power[used - 1]) <= limit; v++) {
            if (turn && table) {
                table[1 + v] = at;
                memcpy(table + at, power, used * sizeof *power);
            }
            at += used;
            used = padici_num_norm_times(power, used, p);
        }
        most = v - 1;
    }
    if (table) {
        table[0] = most;
        table[2 + (size_t)most] = at;
    }
    return at;
}

// The table of TO_FLOAT in `block`: default bounds for fractions; powers of p.
PADICI_FN padic_result padici_gpu_num_floats(padici_gpu *gpu, const padic_num_call *call,
                                             padici_gpu_block *block)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    const int fractions = padici_gpu_num_float_kind(call) == 2;
    const int64_t scale = -(call->k >> 8);
    const uint32_t begin = fractions ? 4 * (call->ring->precision + 1) : 0;
    const uint32_t limit = fractions                                   ? call->model ? 1300 : 1
                           : (call->k & 255) == PADIC_NUM_FLOAT_SPLIT ||
                                     scale < -(4096 - 1100)            ? 4096
                           : scale < 0                                 ? 1100 + (uint32_t)-scale
                                                                       : 1100;
    const uint64_t words = begin + padici_gpu_num_powers(call->ring->p, limit, NULL);
    padic_result result = padici_gpu_scratch(gpu, 8 * words, block);
    uint64_t *const table =
        result ? NULL : (uint64_t *)padici_alloc(allocator, 8 * (size_t)words, 16);
    if (!table) return result ? result : PADIC_ERROR_MEMORY;
    if (fractions) padici_gpu_num_bounds(call->ring, NULL, table);
    padici_gpu_num_powers(call->ring->p, limit, table + begin);
    result = padici_gpu_upload(gpu, block->mem, 0, table, 8 * words);
    padici_free(allocator, table, 8 * (size_t)words);
    return result;
}

// The table of bounds in `block`: that of RATIONAL, or the default ones of the ring of a.
PADICI_FN padic_result padici_gpu_num_fractions(padici_gpu *gpu, const padici_num_task *task,
                                                uint32_t kernel, padici_gpu_block *block)
{
    const padic_num_ring *r = task->a->ring;
    uint64_t table[4 * 65];
    const uint64_t size = 32 * ((uint64_t)r->precision + 1);
    padic_result result;
    padici_gpu_num_bounds(r, kernel == PADICI_NUM_RATIONAL
                                 ? (const padici_num_rational *)task->call.options
                                 : NULL, table);
    result = padici_gpu_scratch(gpu, size, block);
    if (!result) result = padici_gpu_upload(gpu, block->mem, 0, table, size);
    return result;
}

// Of ROOT, n = p^e m: 1 / m modulo P, the root of unity that multiplies each root (0: none), and e
// with the numbers of coefficients.
PADICI_FN uint32_t padici_gpu_num_root_numbers(const padic_num_call *call, uint64_t *less,
                                               uint64_t *turn)
{
    const padici_root *const root = (const padici_root *)call->options;
    const padic_num_ring *r = call->ring;
    uint64_t n, m = (uint64_t)call->k, temp[16];
    uint32_t mode = 0;
    if (padici_gpu_num_root_kind(call) & 2) {
        for (; m % r->p == 0; m /= r->p) mode++;
        mode |= padici_num_series_count(r, 0) << 8 | padici_num_series_count(r, 1) << 20;
    }
    *less = *turn = 0;
    padici_num_ring_set(r, &n, m);
    if (m % r->p) padici_num_ring_inv(r, less, &n, temp);
    if (!root->turn) return mode;
    padici_num_root_unity(r, root, &n, temp);
    padici_num_ring_pow(r, turn, &n, root->turn, temp);
    return mode;
}

// The coefficients of exp (1), log (2) or both, in the kernel's layout of units; returns their
// number, in halves of a word if there are two.
PADICI_FN uint64_t padici_gpu_num_coefficients(const padic_num_ring *r, uint32_t which, void *to,
                                               uint64_t *terms)
{
    uint64_t c[PADICI_NUM_SERIES_TERMS], temp[16], at = 0;
    uint32_t log, i;
    *terms = 0;
    for (log = 0; log < 2; log++) {
        const uint32_t count = which >> log & 1 ? padici_num_series_count(r, (int)log) : 0;
        if (!count) continue;
        *terms |= (uint64_t)count << (which == 3 && log ? 32 : 0);
        if (to) padici_num_series_make(r, (int)log, c, count, temp);
        for (i = 0; i < count && to; i++) padici_num_word_set(r, to, at + i, c[i]);
        at += count;
    }
    return at * r->unit_size;
}

PADICI_FN padic_result padici_gpu_num_series(padici_gpu *gpu, const padic_num_ring *r,
                                             uint32_t which, padici_gpu_block *block,
                                             uint64_t *terms)
{
    uint64_t c[2 * PADICI_NUM_SERIES_TERMS];
    const uint64_t size = padici_gpu_num_coefficients(r, which, c, terms);
    padic_result result = padici_gpu_scratch(gpu, size, block);
    if (!result) result = padici_gpu_upload(gpu, block->mem, 0, c, size);
    return result;
}

// 1 / the smallest n-th root of each residue modulo p, 0 where there is none; 2 p words of room.
static void padici_gpu_num_root_table(uint64_t p, uint64_t n, uint32_t *table)
{
    uint32_t *const inverse = table + p;
    uint64_t x, y, square, k;
    memset(table, 0, 2 * (size_t)p * sizeof *table);
    inverse[1] = 1;
    for (x = 2; x < p; x++) inverse[x] = (uint32_t)(p - p / x * inverse[p % x] % p);
    for (x = p - 1; x > 0 && p > 2; x--) {
        for (y = 1, square = x, k = n % (p - 1); k; k >>= 1, square = square * square % p)
            if (k & 1) y = y * square % p;
        table[y] = inverse[x];
    }
}

PADICI_FN void padici_gpu_num_norm_table(const padic_num_call *call, uint32_t most, void *table)
{
    const padic_dtype dtype = (padic_dtype)call->k;
    uint64_t power[PADICI_NUM_NORM_WORDS];
    uint32_t used = 1, v, side, overflow;
    memset(power, 0, sizeof power);
    power[0] = 1;
    for (v = 0; v <= most; v++) {
        for (side = 0; side < 2; side++) {
            const int64_t e = side ? -(int64_t)v : (int64_t)v;
            uint32_t inexact;
            padici_num_float_store(
                table, dtype, side ? most + v : most - v,
                call->ring->p == 2
                    ? padici_num_float_round(dtype, 1, e, 0, &inexact, &overflow)
                    : padici_num_norm_round(power, used, side && v, dtype, &overflow));
        }
        if (used < PADICI_NUM_NORM_WORDS - 1 && call->ring->p != 2)
            used = padici_num_norm_times(power, used, call->ring->p);
    }
}

// The table of norms in `block`.
PADICI_FN padic_result padici_gpu_num_norms(padici_gpu *gpu, const padic_num_call *call,
                                            padici_gpu_block *block)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    const uint32_t most = padici_gpu_num_norm_most(call);
    const uint64_t size = (2 * (uint64_t)most + 1) * padic_dtype_size((padic_dtype)call->k);
    padic_result result = padici_gpu_scratch(gpu, size, block);
    void *const table = result ? NULL : padici_alloc(allocator, (size_t)size, 16);
    if (!table) return result ? result : PADIC_ERROR_MEMORY;
    padici_gpu_num_norm_table(call, most, table);
    result = padici_gpu_upload(gpu, block->mem, 0, table, size);
    padici_free(allocator, table, (size_t)size);
    return result;
}

// The data for seeds of roots where p is too large for a table: see num_mod_root().
#define PADICI_GPU_NUM_SYLOW (16 + 8 * 15)

static void padici_gpu_num_sylow(const padici_root *root, uint64_t *table)
{
    uint32_t i;
    memset(table, 0, PADICI_GPU_NUM_SYLOW * sizeof *table);
    table[0] = root->p;
    table[1] = root->inverse;
    table[2] = root->one;
    table[3] = root->square;
    table[4] = root->count;
    table[5] = root->outside;
    table[6] = root->zeta;
    table[7] = root->sylows;
    table[8] = (root->n - 1) % (root->p - 1);
    for (i = 0; i < root->sylows; i++) {
        const padici_num_sylow *y = &root->sylow[i];
        uint64_t *const entry = table + 16 + 8 * i;
        entry[0] = y->q;
        entry[1] = y->order;
        entry[2] = y->share;
        entry[3] = y->generator;
        entry[4] = y->unity;
        entry[5] = y->project;
        entry[6] = y->inverse;
    }
}

// Bytes of seeds, of the coefficients after them (p divides n), and of scratch to make the seeds.
PADICI_FN void padici_gpu_num_root_sizes(const padic_num_ring *r, uint32_t kind, uint64_t size[3])
{
    uint64_t terms;
    size[0] = kind & 1 ? 8 * PADICI_GPU_NUM_SYLOW : 4 * ((r->p + 1) & ~UINT64_C(1));
    size[1] = kind & 2 ? padici_gpu_num_coefficients(r, 3, NULL, &terms) : 0;
    size[2] = kind & 1 ? 0 : 4 * r->p;
}

PADICI_FN void padici_gpu_num_root_make(const padic_num_call *call, uint32_t kind, char *to)
{
    uint64_t size[3], terms;
    padici_gpu_num_root_sizes(call->ring, kind, size);
    if (kind & 1) {
        uint64_t *const table = (uint64_t *)(void *)to;
        const padici_root *root = (const padici_root *)call->options;
        padici_root full;
        if (root->search) { // the host does not need the subgroups
            padici_num_root_init(&full, call->ring, root->n, 1);
            root = &full;
        }
        padici_gpu_num_sylow(root, table);
        table[10] = padici_gpu_num_root_numbers(call, &table[9], &table[11]);
        table[12] = (uint64_t)call->k;
    } else
        padici_gpu_num_root_table(call->ring->p, (uint64_t)call->k, (uint32_t *)(void *)to);
    if (kind & 2) padici_gpu_num_coefficients(call->ring, 3, to + size[0], &terms);
}

PADICI_FN padic_result padici_gpu_num_root_tables(padici_gpu *gpu, const padic_num_call *call,
                                            padici_gpu_block *block)
{
    const uint32_t kind = padici_gpu_num_root_kind(call);
    const padic_allocator *allocator = &gpu->context->allocator;
    uint64_t size[3], all;
    padic_result result;
    char *table;
    padici_gpu_num_root_sizes(call->ring, kind, size);
    all = size[0] + size[1] + size[2];
    result = padici_gpu_scratch(gpu, size[0] + size[1], block);
    table = result ? NULL : (char *)padici_alloc(allocator, (size_t)all, 16);
    if (!table) return result ? result : PADIC_ERROR_MEMORY;
    padici_gpu_num_root_make(call, kind, table);
    result = padici_gpu_upload(gpu, block->mem, 0, table, size[0] + size[1]);
    padici_free(allocator, table, (size_t)all);
    return result;
}

#undef PADICI_GPU_NUM_SYLOW

#endif
