#include "select.h"
#include "cache.h"

#if PADICI_IMPLEMENT_PQ

// Three ways to the same list. On a device the first two are one launch per head: scores and cells
// are looked up by all work-items, thresholds found by one, positions ordered by a scan.

// By scores: all of them, then a histogram.
PADICI_FN uint64_t padici_pq_by_scores(const padici_pq_search *s)
{
    const uint64_t end = s->first + s->count;
    uint64_t at = s->first, i;
    float scores[PADICI_PQ_TILE];
    while (at < end) {
        const uint64_t tile = at / PADICI_PQ_TILE, base = tile * PADICI_PQ_TILE;
        const uint64_t stop = base + PADICI_PQ_TILE < end ? base + PADICI_PQ_TILE : end;
        padici_pq_tile_scores(s->store, s->tables,
                              padici_pq_tile(s->store, s->row, s->head, tile), scores);
        for (; at < stop; at++) s->order[at - s->first] = padici_pq_order(scores[at - base]);
    }
    padici_pq_best(s->order, s->count, s->k, s->tie, s->bins, s->out);
    for (i = 0; i < s->k; i++) s->out[i] += (uint32_t)s->first;
    return s->k;
}

// By cells. Cells (c0, c1) have the score T0[c0] + T1[c1], which for each c0 falls with the rank of
// T1[c1]; so the cells from a threshold on are those with a rank below a number of c0 each.
typedef struct padici_pq_front {
    float first[64], second[64]; // T0, and T1 in descending order
    uint32_t head[64];           // of each c0 the order of its next cell
    uint8_t by_first[64], by_second[64], rank[64]; // c0, c1 in descending order; rank of c1
    uint8_t most[64], above[64]; // of each c0: ranks from the threshold on, and above it
} padici_pq_front;

static void padici_pq_ranks(const padici_pq_kernels *kernels, const float *t, uint32_t cells,
                            uint8_t *rank, uint8_t *by)
{
    uint32_t order[64], i;
    for (i = 0; i < 64; i++) order[i] = i < cells ? padici_pq_order(t[i]) : 0;
    (*kernels->ranks)(order, cells, rank);
    for (i = 0; i < cells; i++) by[rank[i]] = (uint8_t)i;
}

static uint32_t padici_pq_front_order(const padici_pq_front *f, uint32_t c0, uint32_t rank,
                                      uint32_t cells)
{
    return rank < cells ? padici_pq_order(f->first[c0] + f->second[rank]) : 0;
}

static void padici_pq_front_begin(const padici_pq_kernels *kernels, padici_pq_front *f,
                                  const float *tables, uint32_t cells)
{
    uint8_t unused[64];
    uint32_t i;
    padici_pq_ranks(kernels, tables, cells, unused, f->by_first);
    padici_pq_ranks(kernels, tables + cells, cells, f->rank, f->by_second);
    memcpy(f->first, tables, cells * sizeof *tables);
    for (i = 0; i < cells; i++) f->second[i] = tables[cells + f->by_second[i]];
    for (i = 0; i < cells; i++) f->head[i] = padici_pq_front_order(f, i, 0, cells);
    memset(f->most, 0, sizeof f->most);
    memset(f->above, 0, sizeof f->above);
}

// Takes cells best first until `k` keys are in them, and the cells that tie with the last. Returns
// how many keys tie; *found has all.
static uint64_t padici_pq_front_run(const padici_pq_search *s, padici_pq_front *f,
                                    const uint32_t *counts, uint64_t *found)
{
    const uint32_t cells = (uint32_t)1 << s->store->bits;
    uint32_t active = 1, value = 0, taken, i;
    uint64_t ties = 0;
    *found = 0;
    for (taken = 0; taken < cells * cells; taken++) {
        uint32_t best = 0, c0, c1;
        for (i = 1; i < active; i++)
            if (f->head[f->by_first[i]] > f->head[f->by_first[best]]) best = i;
        c0 = f->by_first[best];
        if (f->head[c0] != value || !taken) {
            if (*found >= s->k) break;
            value = f->head[c0];
            ties = 0;
        }
        c1 = f->by_second[f->most[c0]];
        ties += counts[c0 * cells + c1] - s->excluded[c0 * cells + c1];
        *found += counts[c0 * cells + c1] - s->excluded[c0 * cells + c1];
        f->most[c0]++;
        f->head[c0] = padici_pq_front_order(f, c0, f->most[c0], cells);
        if (best + 1 == active && active < cells) active++;
    }
    for (i = 0; i < cells; i++) {
        f->above[i] = f->most[i];
        while (f->above[i] && padici_pq_front_order(f, i, f->above[i] - 1u, cells) == value)
            f->above[i]--;
    }
    for (i = cells; i < 64; i++) { // six bits are looked up, of which `bits` count
        f->rank[i] = f->rank[i - cells];
        f->most[i] = f->most[i - cells];
        f->above[i] = f->above[i - cells];
    }
    return ties;
}

// Counts codes that are no candidates; `by` 0 takes it back.
static void padici_pq_exclude(const padici_pq_search *s, uint64_t from, uint64_t to, uint32_t by)
{
    const uint32_t mask = ((uint32_t)1 << s->store->bits) - 1;
    uint64_t tile = from / PADICI_PQ_TILE;
    uint8_t cells[2][PADICI_PQ_TILE];
    uint32_t i;
    for (; from < to; tile++) {
        const uint64_t stop = (tile + 1) * PADICI_PQ_TILE < to ? (tile + 1) * PADICI_PQ_TILE : to;
        const uint8_t *codes = padici_pq_tile(s->store, s->row, s->head, tile);
        const uint32_t first = (uint32_t)(from % PADICI_PQ_TILE);
        const uint32_t end = first + (uint32_t)(stop - from);
        if (s->store->tile_bytes == 64) {
            memcpy(cells, codes, sizeof cells);
        } else {
            for (i = first; i < end; i++) {
                cells[0][i] = (uint8_t)padici_pq_code(s->store, codes, 0, i);
                cells[1][i] = (uint8_t)padici_pq_code(s->store, codes, 1, i);
            }
        }
        for (i = first; i < end; i++) {
            uint32_t *count =
                s->excluded + ((cells[0][i] & mask) << s->store->bits | (cells[1][i] & mask));
            *count = by ? *count + by : 0;
        }
        from = stop;
    }
}

// Bits of the keys of a tile from first to end.
static uint64_t padici_pq_tile_part(uint64_t tile, uint64_t first, uint64_t end)
{
    uint64_t mask = UINT64_MAX;
    if (first > tile * PADICI_PQ_TILE) mask <<= first - tile * PADICI_PQ_TILE;
    if (end < (tile + 1) * PADICI_PQ_TILE)
        mask &= UINT64_MAX >> ((tile + 1) * PADICI_PQ_TILE - end);
    return mask;
}

// Tiles that are unpacked at a time, of two sub-vectors.
#define PADICI_PQ_UNPACKED 16

// As the kernel `cells`, of tiles from `tile` on.
static PADICI_NOINLINE uint64_t padici_pq_cells_of(const padici_pq_search *s,
                                                   const padici_pq_front *f, uint64_t tile,
                                                   uint64_t run, uint64_t *mask)
{
    const uint8_t *codes = padici_pq_tile(s->store, s->row, s->head, tile);
    uint8_t bytes[PADICI_PQ_UNPACKED * 2 * PADICI_PQ_TILE];
    if (s->store->tile_bytes == PADICI_PQ_PACKED) {
        padici_pq_unpack(codes, 2 * run, bytes);
        codes = bytes;
    }
    return (*s->kernels->cells)(codes, run, s->store->bits, f->rank, f->most, f->above, mask);
}

// One pass over the codes: all above the threshold, and `take` of those at it after `skip`.
static uint64_t padici_pq_cells_pass(const padici_pq_search *s, const padici_pq_front *f,
                                     uint64_t skip, uint64_t take)
{
    const uint64_t end = s->first + s->count, last = (end - 1) / PADICI_PQ_TILE + 1;
    const uint64_t longest = s->store->tile_bytes == PADICI_PQ_PACKED ? PADICI_PQ_UNPACKED : 64;
    uint64_t tile = s->first / PADICI_PQ_TILE, mask[2 * 64], found = 0, some;
    while (tile < last) {
        uint64_t run = padici_pq_tiles_run(s->store, tile, last);
        if (run > longest) run = longest;
        some = padici_pq_cells_of(s, f, tile, run, mask);
        for (; some; some &= some - 1) {
            const uint32_t i = padici_ctz64(some);
            const uint64_t at = tile + i;
            uint64_t any = mask[2 * i] & padici_pq_tile_part(at, s->first, end);
            for (; any; any &= any - 1) {
                const uint32_t bit = padici_ctz64(any);
                if (!(mask[2 * i + 1] >> bit & 1)) {
                    if (skip) {
                        skip--;
                        continue;
                    }
                    if (!take) continue;
                    take--;
                }
                if (found == s->k) return found; // counts that are not the codes'
                s->out[found++] = (uint32_t)(at * PADICI_PQ_TILE + bit);
            }
        }
        tile += run;
    }
    return found;
}

PADICI_FN PADICI_NOINLINE uint64_t padici_pq_by_cells(const padici_pq_search *s)
{
    const padici_pq_store *store = s->store;
    const uint32_t *counts = store->counts + (s->row * store->groups + s->head) * store->cells;
    const uint64_t end = s->first + s->count;
    padici_pq_front front;
    uint64_t found, ties, take;
    if (!store->cells || store->m != 2 || store->bits > 6) return UINT64_MAX;
    padici_pq_front_begin(s->kernels, &front, s->tables, (uint32_t)1 << store->bits);
    padici_pq_exclude(s, 0, s->first, 1);
    padici_pq_exclude(s, end, s->coded, 1);
    ties = padici_pq_front_run(s, &front, counts, &found);
    padici_pq_exclude(s, 0, s->first, 0);
    padici_pq_exclude(s, end, s->coded, 0);
    take = found - ties < s->k ? s->k - (found - ties) : 0;
    if (found < s->k || take > ties) return UINT64_MAX; // counts that are not the codes'
    return padici_pq_cells_pass(s, &front, s->tie == PADIC_PQ_TIE_RECENT ? ties - take : 0, take);
}

// By tables in bytes: q_j = floor((T_j - min_j) / step), one step for all. A key's sum of q_j is at
// most (score - min) / step, and less than m below it; so keys whose sum is below that of the k-th
// by m + 1 (1 for what rounding can do) are out, and the scores of the others decide.

// The tables, and whether rounding is as small as that.
static int padici_pq_quantise(const padici_pq_search *s)
{
    const uint64_t m = s->store->m, cells = (uint64_t)1 << s->store->bits;
    float range = 0, sum = 0, scale;
    uint64_t j, c;
    for (j = 0; j < m; j++) {
        const float *t = s->tables + j * cells;
        float least = t[0], most = t[0];
        for (c = 1; c < cells; c++) {
            if (t[c] < least) least = t[c];
            if (t[c] > most) most = t[c];
        }
        if (!(most - least <= 16777216.0f)) return 0; // also NaN
        if (most - least > range) range = most - least;
        sum = sum + (most > -least ? most : -least);
    }
    if (!(range > 0)) return 0;
    scale = 254.5f / range;
    if (!(sum * scale * (float)m < 1048576.0f)) return 0; // 2^20 of 2^-23: an eighth of a step
    for (j = 0; j < m; j++) {
        const float *t = s->tables + j * cells;
        float least = t[0];
        for (c = 1; c < cells; c++)
            if (t[c] < least) least = t[c];
        for (c = 0; c < 256; c++) { // whole bytes are looked up, of which `bits` count
            const float value = t[c & (cells - 1)];
            if (!(value >= least)) return 0; // NaN
            s->quantised[256 * j + c] = (uint8_t)(uint32_t)((value - least) * scale);
        }
    }
    return 1;
}

// The largest multiple of 2^shift that `wanted` sums reach, of those with a bin of theirs.
static uint32_t padici_pq_filter_bin(const padici_pq_search *s, uint64_t wanted, uint32_t shift)
{
    uint32_t bin;
    uint64_t above = 0;
    for (bin = PADICI_PQ_BINS - 1; bin; bin--) {
        above += s->bins[bin];
        if (above >= wanted) break;
    }
    return bin << shift;
}

// The least sum that may be among the best. A sample of the sums says which few to look at, of
// which the k-th is that of all if they are k or more.
static uint32_t padici_pq_filter_least(const padici_pq_search *s, const uint16_t *sums,
                                       uint32_t *place)
{
    const uint64_t m = s->store->m;
    uint64_t i, some = UINT64_MAX;
    uint32_t shift = 0, bin;
    while (m * 255 >> shift >= PADICI_PQ_BINS) shift++;
    memset(s->bins, 0, PADICI_PQ_BINS * sizeof *s->bins);
    if (s->count >= 4096) {
        for (i = 0; i < s->count; i += 16) s->bins[sums[i] >> shift]++;
        bin = padici_pq_filter_bin(s, s->k / 8 + 8, shift);
        some = (*s->kernels->tops)(sums, s->count, bin, s->count / 4, place);
        memset(s->bins, 0, PADICI_PQ_BINS * sizeof *s->bins);
    }
    if (some != UINT64_MAX && some >= s->k)
        for (i = 0; i < some; i++) s->bins[sums[place[i]] >> shift]++;
    else
        for (i = 0; i < s->count; i++) s->bins[sums[i] >> shift]++;
    bin = padici_pq_filter_bin(s, s->k, shift);
    return bin > m ? bin - (uint32_t)m : 0;
}

// The sums of tiles from..last, as the kernel `sums`. Packed codes are unpacked as many sub-vectors
// at a time as there is room for, and their sums added.
static PADICI_NOINLINE void padici_pq_filter_sums(const padici_pq_search *s, uint64_t from,
                                                  uint64_t last, uint16_t *sums)
{
    const padici_pq_store *store = s->store;
    const uint64_t most = 2 * PADICI_PQ_UNPACKED;
    uint8_t bytes[2 * PADICI_PQ_UNPACKED * PADICI_PQ_TILE];
    uint16_t part[PADICI_PQ_TILE];
    uint64_t run, j, i;
    for (; from < last; from += run, sums += run * PADICI_PQ_TILE) {
        const uint8_t *codes = padici_pq_tile(store, s->row, s->head, from);
        run = store->tile_bytes == PADICI_PQ_PACKED ? 1 : padici_pq_tiles_run(store, from, last);
        if (store->tile_bytes != PADICI_PQ_PACKED)
            (*s->kernels->sums)(codes, run, store->m, store->bits, s->quantised, sums);
        for (j = 0; j < store->m && store->tile_bytes == PADICI_PQ_PACKED; j += most) {
            const uint64_t n = store->m - j < most ? store->m - j : most;
            padici_pq_unpack(codes + j * PADICI_PQ_PACKED, n, bytes);
            (*s->kernels->sums)(bytes, 1, n, store->bits, s->quantised + 256 * j, j ? part : sums);
            for (i = 0; i < PADICI_PQ_TILE && j; i++) sums[i] = (uint16_t)(sums[i] + part[i]);
        }
    }
}

PADICI_FN PADICI_NOINLINE uint64_t padici_pq_by_filter(const padici_pq_search *s)
{
    const padici_pq_store *store = s->store;
    const uint64_t end = s->first + s->count, last = (end - 1) / PADICI_PQ_TILE + 1;
    const uint64_t base = s->first / PADICI_PQ_TILE;
    uint16_t *all = (uint16_t *)(void *)s->order, *sums = all + s->first % PADICI_PQ_TILE;
    uint32_t *place = s->order + (last - base) * (PADICI_PQ_TILE / 2), *order;
    uint64_t left, i;
    uint32_t least;
    if (store->bits > 8 || !padici_pq_quantise(s)) return UINT64_MAX;
    padici_pq_filter_sums(s, base, last, all);
    least = padici_pq_filter_least(s, sums, place);
    left = (*s->kernels->tops)(sums, s->count, least, s->count / 4, place);
    if (left == UINT64_MAX) return UINT64_MAX; // there is no room, and no gain
    order = place + left;
    for (i = 0; i < left; i++) {
        const uint64_t at = s->first + place[i];
        place[i] = (uint32_t)at;
        order[i] = padici_pq_order(padici_pq_key_score(
            store, s->tables, padici_pq_tile(store, s->row, s->head, at / PADICI_PQ_TILE),
            (uint32_t)(at % PADICI_PQ_TILE)));
    }
    padici_pq_best(order, left, s->k, s->tie, s->bins, s->out);
    for (i = 0; i < s->k; i++) s->out[i] = place[s->out[i]];
    return s->k;
}

#undef PADICI_PQ_UNPACKED

#endif
