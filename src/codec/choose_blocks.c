#include "choose_blocks.h"
#include "../core/jobs.h"
#include "bytes.h"
#include "choose_transform.h"
#include "choose_profiles.h"
#include "constants.h"
#include "differences.h"
#include "grid.h"
#include "pack.h"
#include "pack_load.h"
#include "pack_tolerance.h"
#include "policy.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: the shape of blocks
//
// Of an array in memory whose desc gives no shape and no stages, levels from 4 on keep slices apart
// that have nothing to do with each other, and levels from 5 on pack some blocks of other shapes,
// spread over the array, without windows: balanced in all axes, several times larger. What they
// take is compared by the differences of neighbours in the same blocks, as these may lie elsewhere.

enum {
    PADICI_CODEC_SHAPE_PLAIN,
    PADICI_CODEC_SHAPE_APART,
    PADICI_CODEC_SHAPE_BALANCED,
    PADICI_CODEC_SHAPES
};

// The slowest axis of which a block has several slices, if these are whole and large and few.
static int padici_codec_sliced_axis(const padici_codec_grid *grid, uint32_t *axis)
{
    uint64_t slice = padici_codec_parts(grid->dtype);
    uint32_t k = 0, j;
    while (k < grid->axes && grid->block[k] == 1) k++;
    for (j = k + 1; j < grid->axes; j++) {
        if (grid->block[j] != grid->shape[j]) return 0;
        slice *= grid->block[j];
    }
    *axis = k;
    return k + 1 < grid->axes && grid->shape[k] <= PADICI_CODEC_SLICE_AXIS &&
           slice >= PADICI_CODEC_SLICE_LEAST;
}

// A desc with shape `number` of blocks, that of the grid being 0. 0: there is none.
PADICI_FN uint32_t padici_codec_shapes(const padic_codec_pack_desc *desc,
                                       const padici_codec_header *header,
                                       padic_codec_pack_desc *other, uint32_t number)
{
    const padici_codec_policy *policy = padici_codec_policy_of(header->level);
    const uint32_t larger = number / PADICI_CODEC_SHAPES;
    const uint64_t target = (uint64_t)PADICI_CODEC_BLOCK_TARGET << 2 * larger;
    const padic_codec_stages *m = &desc->stages;
    padici_codec_grid grid = header->grid;
    uint32_t k;
    for (k = 0; k < desc->tensor.rank; k++)
        if (desc->block[k]) return 0;
    if (m->transforms | m->predictors | m->patterns | m->representations | m->coders) return 0;
    if (header->flags || desc->profile || grid.rank == 0 || header->layers > 1 ||
        desc->reference.data || desc->importance.data || grid.total < 2 ||
        desc->tolerance_mode > PADIC_CODEC_TOLERANCE_POINTWISE ||
        larger > policy->blocks.larger)
        return 0;
    if (larger && header->level < 9 && grid.total >> 2 * larger < PADICI_CODEC_SHAPE_TASKS)
        return 0; // threads come first
    if (number % PADICI_CODEC_SHAPES == PADICI_CODEC_SHAPE_BALANCED) {
        if (!policy->blocks.axes ||
            !padici_codec_grid_balance(&grid, policy->blocks.axes, target))
            return 0;
    } else {
        padici_codec_grid_choose(&grid, 0, target);
    }
    if (number % PADICI_CODEC_SHAPES == PADICI_CODEC_SHAPE_APART) {
        if (!policy->blocks.apart || !padici_codec_sliced_axis(&grid, &k)) return 0;
        grid.block[k] = 1;
    }
    if (larger && grid.axes > 2 && grid.block[0] > 1 &&
        grid.shape[0] <= PADICI_CODEC_SHAPE_QUANTITIES)
        return 0;
    *other = *desc;
    for (k = 0; k < grid.axes; k++) other->block[k] = grid.block[k];
    return 1;
}

// The element at a place, less as many steps back on up to three axes.
static uint64_t padici_codec_scalar_at(const padici_codec_packing *packing, const uint64_t *at,
                                       const uint32_t *axes, uint32_t back)
{
    const padici_codec_grid *grid = &packing->header.grid;
    const padic_dtype dtype = padici_codec_scalar(grid->dtype);
    const uint32_t size = padic_dtype_size(dtype);
    const uint8_t *p = packing->data;
    uint8_t bytes[8];
    uint32_t k;
    for (k = 0; k < grid->axes; k++)
        p += (int64_t)at[k] * packing->stride[k] * (int64_t)grid->element;
    for (k = 0; k < 3; k++)
        if (back >> k & 1) p -= packing->stride[axes[k]] * (int64_t)grid->element;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, p, size);
    padici_codec_swap_elements(bytes, 1, size);
    return padici_codec_to_ordered(dtype, padici_codec_element(bytes, 0, size), size);
}

// Bits of differences at places anywhere: to the neighbour on each of the axes, slow to fast; along
// the two fast ones; along all. And how often all of the three neighbours are equal.
typedef struct padici_codec_shape_bits {
    uint64_t one[3], two, three, places, equal;
} padici_codec_shape_bits;

static void padici_codec_shape_look(const padici_codec_packing *packing, const uint32_t axes[3],
                                    padici_codec_shape_bits *bits)
{
    const padici_codec_grid *grid = &packing->header.grid;
    const uint32_t differ = axes[0] == axes[1] ? 5 : 7; // no axis twice
    uint64_t at[PADIC_MAX_RANK], z = 24, x[8];
    uint32_t run, i, k;
    memset(bits, 0, sizeof *bits);
    for (run = 0; run < PADICI_CODEC_SHAPE_PLACES; run++) {
        for (k = 0; k < grid->axes; k++) { // a step of a linear congruence
            const uint64_t low = k == axes[0] || k == axes[1] || k == axes[2];
            z = z * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            at[k] = low + (z >> 33) % (grid->shape[k] - low);
        }
        for (i = 0; i < PADICI_CODEC_SHAPE_RUN && at[axes[2]] < grid->shape[axes[2]];
             i++, at[axes[2]]++) {
            for (k = 0; k < 8; k++) x[k] = padici_codec_scalar_at(packing, at, axes, k & differ);
            for (k = 0; k < 3; k++)
                bits->one[k] += padici_codec_bit_length(padici_codec_fold(x[0] - x[1u << k]));
            bits->two += padici_codec_bit_length(padici_codec_fold(x[0] - x[2] - x[4] + x[6]));
            bits->three += padici_codec_bit_length(
                padici_codec_fold(x[0] - x[1] - x[2] - x[4] + x[3] + x[5] + x[6] - x[7]));
            bits->equal += x[0] == x[1] && x[0] == x[2] && x[0] == x[4];
            bits->places++;
        }
    }
}

PADICI_INLINE uint64_t padici_codec_lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// 1 if differences between slices are larger than those inside of them.
static int padici_codec_unrelated(const padici_codec_packing *packing, uint32_t axis)
{
    const uint32_t last = packing->header.grid.axes - 1, axes[3] = {axis, axis, last};
    padici_codec_shape_bits bits;
    if (packing->header.grid.shape[last] < 2) return 0;
    padici_codec_shape_look(packing, axes, &bits);
    return bits.one[0] > bits.one[2] + bits.one[2] / PADICI_CODEC_SLICE_SHARE;
}

// What differences take where blocks lack neighbours at their borders.
static uint64_t padici_codec_border_bits(const padici_codec_shape_bits *bits,
                                         const uint32_t axes[3], const uint64_t *block)
{
    const uint64_t fast = bits->one[2], flat = padici_codec_lesser(fast, bits->two);
    const uint64_t deep = padici_codec_lesser(padici_codec_lesser(flat, bits->three), bits->one[0]);
    const uint64_t slow = padici_codec_lesser(bits->one[1], bits->one[0]);
    return deep + (flat - deep) / block[axes[0]] + (fast - flat) / block[axes[1]] +
           (slow > deep ? (slow - deep) / block[axes[2]] : 0);
}

// 1 if balanced blocks may be better: a few places tell, before any is packed.
static int padici_codec_balance_promises(const padici_codec_packing *packing, const uint64_t *block)
{
    const padici_codec_grid *grid = &packing->header.grid;
    uint32_t axes[3], k, count = 3;
    padici_codec_shape_bits bits;
    uint64_t before, after;
    for (k = grid->axes; k-- > 0 && count;)
        if (grid->shape[k] > 16 && block[k] > 1) axes[--count] = k;
    if (count) return 1; // of fewer axes: that only packing tells
    padici_codec_shape_look(packing, axes, &bits);
    before = padici_codec_border_bits(&bits, axes, grid->block);
    after = padici_codec_border_bits(&bits, axes, block);
    return after < before - before / PADICI_CODEC_SHAPE_PROMISE ||
           bits.equal > bits.places / PADICI_CODEC_SHAPE_EQUAL;
}

typedef struct padici_codec_shape_trial {
    padici_codec_packing *packing;
    uint64_t count;                                                // blocks, spread evenly
    uint64_t packed[PADICI_JOBS_AT_ONCE], bits[PADICI_JOBS_AT_ONCE]; // by worker
} padici_codec_shape_trial;

static void padici_codec_shape_task(void *arg, uint32_t task)
{
    padici_codec_shape_trial *trial = (padici_codec_shape_trial *)arg;
    const padici_codec_packing *packing = trial->packing;
    padici_codec_work *w = packing->work + task;
    const uint64_t step = packing->header.grid.total / trial->count;
    padici_codec_box box;
    uint64_t b, last;
    size_t i;
    trial->packed[task] = trial->bits[task] = 0;
    for (b = task; b < trial->count; b += packing->workers) {
        (void)padici_codec_load_block(packing, b * step + step / 2, w->raw, &box);
        last = 0;
        for (i = 0; i < box.n; i++) {
            const uint64_t x = padici_codec_to_ordered(
                box.dtype, padici_codec_element(w->raw, i, box.size), box.size);
            if (i) trial->bits[task] += padici_codec_bit_length(padici_codec_fold(x - last));
            last = x;
        }
        trial->packed[task] += PADICI_CODEC_FRAME_SIZE + 8 +
                               padici_codec_pack_block(w, &box, &packing->tolerance);
    }
}

// What some blocks take, the differences in them, and whether these are all of the array.
typedef struct padici_codec_shape_size {
    uint64_t packed, bits;
    int all;
} padici_codec_shape_size;

// 1 if blocks as in `a` save more than 1 / share of those as in `b`. Some are compared by how much
// there is in them.
static int padici_codec_shape_saves(const padici_codec_shape_size *a,
                                    const padici_codec_shape_size *b, uint32_t share)
{
    uint64_t x = a->packed, y = b->packed;
    if (!a->all || !b->all) {
        x = (x << 24) / (a->bits + 1);
        y = (y << 24) / (b->bits + 1);
    }
    return x < y - y / share;
}

// Packs blocks of this desc.
static padic_result padici_codec_try_shape(padic_context *context,
                                           const padic_codec_pack_desc *desc,
                                           padici_codec_packing *packing,
                                           padici_codec_shape_size *size)
{
    const padici_codec_policy *policy = padici_codec_policy_of(desc->level);
    padici_codec_grid *grid = &packing->header.grid;
    padic_codec_pack_desc trial_desc = *desc;
    padici_codec_shape_trial trial;
    padici_codec_memory memory;
    uint64_t need;
    padic_result result;
    uint32_t k;
    trial_desc.level = policy->blocks.trial;
    result = padici_codec_check(&trial_desc, PADICI_CODEC_CHECK_PACK, &packing->header);
    if (result) return result;
    grid->span = 1;
    packing->header.features &= ~PADICI_CODEC_FEATURE_WINDOW;
    trial.packing = packing;
    trial.count = grid->total / policy->blocks.share;
    if (trial.count < PADICI_CODEC_SHAPE_SAMPLE) trial.count = PADICI_CODEC_SHAPE_SAMPLE;
    if (trial.count > PADICI_CODEC_SHAPE_MOST) trial.count = PADICI_CODEC_SHAPE_MOST;
    if (trial.count > grid->total) trial.count = grid->total;
    packing->workers = padici_codec_workers(packing->jobs, trial.count);
    while (packing->workers > 1 && padici_codec_packing_memory(grid, packing->workers, 1) >
                                       padici_codec_workspace_size(&desc->workspace))
        packing->workers--;
    need = padici_codec_packing_memory(grid, packing->workers, 1);
    result = padici_codec_memory_take(&memory, context, desc->allocator, &desc->workspace, need,
                                      &packing->header);
    if (result) return result;
    padici_codec_packing_place(packing, &trial_desc, 1, memory.at);
    padici_codec_measure_tolerance(desc, packing);
    padici_parallel(packing->jobs, packing->workers, padici_codec_shape_task, &trial);
    size->packed = size->bits = 0;
    for (k = 0; k < packing->workers; k++)
        size->packed += trial.packed[k], size->bits += trial.bits[k];
    size->all = trial.count == grid->total;
    padici_codec_memory_give(&memory);
    return PADIC_OK;
}

// What an array's elements would take as differences within a tolerance, and where they lie.
typedef struct padici_codec_far {
    const uint8_t *data;
    padic_dtype dtype;
    uint32_t size;
    uint64_t n, mask; // of bits that repeats have in common
    double inverse;   // 1 / step
    int relative;     // to each element
} padici_codec_far;

PADICI_INLINE uint64_t padici_codec_far_element(const padici_codec_far *f, uint64_t i)
{
    uint8_t bytes[8];
    if (!PADICI_BIG_ENDIAN) return padici_codec_element(f->data + i * f->size, 0, f->size);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, f->data + i * f->size, f->size);
    padici_codec_swap_elements(bytes, 1, f->size);
    return padici_codec_element(bytes, 0, f->size);
}

static double padici_codec_far_value(const padici_codec_far *f, uint64_t i)
{
    const uint64_t bits = padici_codec_far_element(f, i);
    if (padici_codec_is_float(f->dtype)) return padici_codec_value(f->dtype, bits);
    return (double)(int64_t)padici_codec_to_ordered(f->dtype, bits, f->size);
}

// Bits of the difference of element i to the one before.
static uint32_t padici_codec_far_bits(const padici_codec_far *f, uint64_t i)
{
    const double x = padici_codec_far_value(f, i);
    double steps = x - padici_codec_far_value(f, i - 1);
    if (f->relative && x != 0) steps /= x;
    steps *= steps < 0 ? -f->inverse : f->inverse;
    if (steps < 0.5) return 0;
    if (!(steps < 1e19)) return 8 * f->size; // or no number
    return padici_codec_bit_length((uint64_t)(steps + 0.5)) + 1;
}

// The spread of an array is that of some of its elements.
static padici_codec_far padici_codec_far_begin(const padic_codec_pack_desc *desc,
                                               const padici_codec_packing *packing, uint64_t n)
{
    padici_codec_far f;
    double low = 0, high = 0;
    uint64_t i;
    int any = 0;
    f.data = packing->data;
    f.dtype = padici_codec_scalar(packing->header.grid.dtype);
    f.size = padic_dtype_size(f.dtype);
    f.n = n;
    f.mask = ~UINT64_C(0) >> (64 - 8 * f.size);
    if (padici_codec_is_float(f.dtype)) f.mask >>= 1;   // not the sign
    if (f.dtype == PADIC_F64) f.mask &= ~UINT64_C(255); // nor what symmetric fields round
    f.inverse = 0.5 / desc->tolerance;
    f.relative = desc->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE;
    if (desc->tolerance_mode != PADIC_CODEC_TOLERANCE_RANGE) return f;
    for (i = 0; i < n && !(desc->range > 0); i += n / PADICI_CODEC_SHAPE_SPREAD + 1) {
        const double x = padici_codec_far_value(&f, i);
        if (!(x - x == 0)) continue;
        if (!any || x < low) low = x;
        if (!any || x > high) high = x;
        any = 1;
    }
    f.inverse /= desc->range > 0 ? desc->range : high > low ? high - low : 1;
    return f;
}

// 1 if repeats of elements save a share of what their differences take, as those that a hash of two
// neighbours selects tell; 1 too if few are selected. Predictors find runs.
static PADICI_NOINLINE int padici_codec_repeats_far(const padici_codec_far *f)
{
    uint32_t seen[PADICI_CODEC_SHAPE_SEEN], tested = 0, shift = 0, slot;
    uint64_t a, b = 0, all = 0, saved = 0, i, k;
    while (f->n >> shift > PADICI_CODEC_SHAPE_SEEN / 2) shift++;
    memset(seen, 0, sizeof seen);
    for (i = 0; i + 2 < f->n; i++, b = a) {
        uint64_t h, at;
        uint32_t each, cost = 0;
        a = padici_codec_far_element(f, i) & f->mask;
        h = (b * UINT64_C(0xc2b2ae3d27d4eb4f) ^ a) * UINT64_C(0x9e3779b97f4a7c15);
        if ((shift && h >> (64 - shift)) || a == b || i == 0) continue;
        for (k = 1; k < 3; k++)
            h = ((h ^ h >> 32) + (padici_codec_far_element(f, i + k) & f->mask)) *
                UINT64_C(0x165667b19e3779f9);
        slot = (uint32_t)(h >> 32) % PADICI_CODEC_SHAPE_SEEN;
        at = seen[slot];
        seen[slot] = (uint32_t)i;
        each = padici_codec_far_bits(f, i);
        all += each;
        tested++;
        for (k = 0; at && k < PADICI_CODEC_SHAPE_REPEAT_MOST && i + k < f->n; k++) {
            if ((padici_codec_far_element(f, at + k) ^ padici_codec_far_element(f, i + k)) &
                f->mask)
                break;
            cost += padici_codec_far_bits(f, i + k);
        }
        if (cost > PADICI_CODEC_REPEAT_BITS)
            saved += each * UINT64_C(16) - each * UINT64_C(16) * PADICI_CODEC_REPEAT_BITS / cost;
    }
    return tested < PADICI_CODEC_SHAPE_TESTED || saved > all * 16 / PADICI_CODEC_SHAPE_REPEATS;
}

// The elements of which the search for far repeats looks at the first ones; 0: there are gaps.
static uint64_t padici_codec_looked_elements(const padici_codec_packing *packing)
{
    const padici_codec_grid *grid = &packing->header.grid;
    uint64_t n = padici_codec_parts(grid->dtype);
    int64_t dense[PADIC_MAX_RANK];
    uint32_t k;
    for (k = 0; k < grid->axes; k++) n *= grid->shape[k];
    padici_codec_dense_strides(grid->shape, grid->axes, dense);
    for (k = 0; k < grid->axes; k++)
        if (grid->shape[k] > 1 && packing->stride[k] != dense[k]) return 0;
    return n > PADICI_CODEC_SHAPE_LOOKED ? PADICI_CODEC_SHAPE_LOOKED : n;
}

// Within a tolerance the blocks of a window are packed in turn: there is none where nothing
// repeats.
static void padici_codec_choose_window(const padic_codec_pack_desc *desc,
                                       padici_codec_packing *packing)
{
    padici_codec_header *header = &packing->header;
    padici_codec_far far_repeats;
    uint64_t n;
    if (padici_codec_policy_of(header->level)->blocks.larger || header->grid.span < 2 ||
        desc->tolerance_mode == PADIC_CODEC_TOLERANCE_NONE)
        return;
    n = padici_codec_looked_elements(packing);
    if (!n) return;
    far_repeats = padici_codec_far_begin(desc, packing, n);
    if (padici_codec_repeats_far(&far_repeats)) return;
    header->grid.span = 1;
    header->features &= ~PADICI_CODEC_FEATURE_WINDOW;
    header->size = (uint32_t)padici_codec_header_size(header->grid.rank, header->features);
}

// Replaces packing->header by one with the blocks to be packed. Data, strides, jobs and loops of
// the packing stand already.
PADICI_FN padic_result padici_codec_choose_blocks(padic_context *context,
                                                  const padic_codec_pack_desc *desc,
                                                  padici_codec_packing *packing)
{
    const padici_codec_header first = packing->header;
    const padici_codec_policy *policy = padici_codec_policy_of(first.level);
    const uint64_t enough =
        policy->blocks.larger ? PADICI_CODEC_SHAPE_FEW : PADICI_CODEC_SHAPE_LEAST;
    padic_codec_pack_desc other;
    uint32_t best = PADICI_CODEC_SHAPE_PLAIN, axis;
    padici_codec_shape_size least, size;
    padic_result result = PADIC_OK;
    int balanced = 0;
    if (!padici_codec_shapes(desc, &first, &other, PADICI_CODEC_SHAPE_PLAIN)) return PADIC_OK;
    if (policy->blocks.apart && padici_codec_sliced_axis(&first.grid, &axis) &&
        padici_codec_unrelated(packing, axis))
        best = PADICI_CODEC_SHAPE_APART;
    if (policy->blocks.trial && first.grid.total >= enough)
        balanced = padici_codec_shapes(desc, &first, &other, PADICI_CODEC_SHAPE_BALANCED) &&
                   (policy->blocks.share == 1 ||
                    padici_codec_balance_promises(packing, other.block));
    if (balanced || (policy->blocks.larger && first.grid.total >= enough)) {
        (void)padici_codec_shapes(desc, &first, &other, best);
        result = padici_codec_try_shape(context, &other, packing, &least);
        if (balanced) {
            (void)padici_codec_shapes(desc, &first, &other, PADICI_CODEC_SHAPE_BALANCED);
            if (!result) result = padici_codec_try_shape(context, &other, packing, &size);
            if (!result && padici_codec_shape_saves(&size, &least, policy->blocks.saves))
                best = PADICI_CODEC_SHAPE_BALANCED, least = size;
        }
        while (!result &&
               padici_codec_shapes(desc, &first, &other, best + PADICI_CODEC_SHAPES)) {
            result = padici_codec_try_shape(context, &other, packing, &size);
            if (result || !padici_codec_shape_saves(&size, &least, PADICI_CODEC_SHAPE_PROMISE))
                break;
            best += PADICI_CODEC_SHAPES, least = size;
        }
    }
    packing->header = first;
    if (!result && best != PADICI_CODEC_SHAPE_PLAIN) {
        (void)padici_codec_shapes(desc, &first, &other, best);
        result = padici_codec_check(&other, PADICI_CODEC_CHECK_PACK, &packing->header);
    }
    if (!result) padici_codec_choose_window(desc, packing);
    return result;
}

#endif
