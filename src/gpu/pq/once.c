#include "select.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../pq/select.h"
#include "../launch.h"
#include "../tests.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// padic_pq_select() in one launch, and padic_pq_append() of one key: kernels/cuda/pq/lists.cu. In a
// recorded step of a plan the selection's launch does both.

#define PADICI_GPU_PQ_GROUP_KEYS 139264u // candidates that a group has bits for

// Tests of other programs do without this one.
static int padici_gpu_pq_once_may(const padici_gpu *gpu)
{
    const uint32_t program = PADICI_KERNEL_CUDA_PQ_LISTS >> 16;
    return !gpu->tested || gpu->state->variants[gpu->tested - 1].program == program;
}

// Groups of a query: one, of many items where there are few queries; several where one would have
// too many keys. 0: more keys than they have bits for. Clusters start later than groups do.
static uint32_t padici_gpu_pq_once_groups(const padici_gpu *gpu, uint64_t queries, uint64_t keys)
{
    const uint64_t most = PADICI_GPU_PQ_GROUP_KEYS - 32;
    uint32_t groups = 1;
    if (keys > most || (keys > most / 2 && queries * 4 <= gpu->info->compute_units)) groups = 4;
    if (keys > 4 * most) groups = 8;
    return keys > 8 * most ? 0 : padici_gpu_tested(gpu, "PD_PQ_CTAS", groups);
}

// The variant with so many groups of a query. `keys`: it adds keys, too.
static uint32_t padici_gpu_pq_once_defines(const padici_gpu *gpu, uint32_t groups, uint64_t queries,
                                           int keys, const char **defines)
{
    uint32_t count = 0;
    if (groups > 1 || (queries > gpu->info->compute_units && !keys))
        defines[count++] = "PD_PQ_WG=512";
    if (groups > 1) defines[count++] = groups == 8 ? "PD_PQ_CTAS=8" : "PD_PQ_CTAS=4";
    if (keys) defines[count++] = "PD_PQ_APPEND=1";
    return count;
}

static uint64_t padici_gpu_pq_once_queries(const padic_pq_select_desc *desc)
{
    return desc->queries.shape[0] * desc->queries.shape[1] * desc->queries.shape[2];
}

// How many groups each query has; 0: it is not for this kernel.
PADICI_FN uint32_t padici_gpu_pq_once(const padici_gpu *gpu, const padic_pq_select_desc *desc)
{
    padici_pq_book book;
    padici_pq_store store;
    if (!padici_gpu_is_sm(gpu, 90) || !padici_gpu_pq_once_may(gpu) ||
        !padici_pq_select_is_basic(desc))
        return 0;
    padici_pq_book_of(&desc->codebook, &book);
    padici_pq_store_of(&desc->cache, &book, &store);
    if (book.m != 2 || book.bits != 6 || book.ds > 128 || !padici_pq_here(&desc->cache.counts) ||
        padici_gpu_pq_packed(&desc->cache) || padici_pq_here(&desc->cache.pages) ||
        padici_pq_here(&desc->key_counts) || padici_pq_here(&desc->query_counts) ||
        desc->order != PADIC_PQ_ORDER_POSITION ||
        (desc->method != PADIC_PQ_METHOD_AUTO && desc->method != PADIC_PQ_METHOD_CELLS) ||
        store.tiles >> 24)
        return 0;
    return padici_gpu_pq_once_groups(gpu, padici_gpu_pq_once_queries(desc),
                                     store.tiles * PADICI_PQ_TILE);
}

PADICI_FN padic_result padici_gpu_pq_once_need(padici_gpu *gpu, const padic_pq_select_desc *desc,
                                               uint32_t groups)
{
    const char *defines[3];
    const uint32_t count =
        padici_gpu_pq_once_defines(gpu, groups, padici_gpu_pq_once_queries(desc), 0, defines);
    return padici_gpu_need(gpu, PADICI_KERNEL_CUDA_PQ_LISTS, defines, count);
}

// The variant that adds keys, and the word that it counts in; NOT_SUPPORTED in a recording for
// which nothing has made them ready.
static padic_result padici_gpu_pq_once_ready(padici_gpu *gpu, uint32_t groups, padic_mem *waiting)
{
    const char *defines[3];
    const uint32_t count = padici_gpu_pq_once_defines(gpu, groups, 0, 1, defines);
    if (gpu->context->recording && gpu->state) {
        const uint32_t i = padici_variant_find(gpu->state, PADICI_KERNEL_CUDA_PQ_LISTS >> 16,
                                               defines, count);
        if (i == gpu->state->count || gpu->state->variants[i].state != PADICI_VARIANT_READY)
            return PADIC_ERROR_NOT_SUPPORTED;
    } else {
        const padic_result result =
            padici_gpu_need(gpu, PADICI_KERNEL_CUDA_PQ_LISTS, defines, count);
        if (result) return result;
    }
    return padici_gpu_kept(gpu, 4, waiting);
}

// Where a tensor's first element is, as the kernel has it; 0: there is none.
static void padici_gpu_pq_address_of(const padici_gpu_pq_view *view, uint32_t *lo, uint32_t *hi,
                                     uint32_t *step, size_t size)
{
    const uint64_t at = view->here && view->mem.bits ? view->mem.bits + view->at * 4 : 0;
    *lo = (uint32_t)at;
    *hi = (uint32_t)(at >> 32);
    memcpy(step, view->step, size);
}

// Whether codes and counts begin where the kernel can read 16 bytes at a time.
static int padici_gpu_pq_once_aligned(const padici_gpu_pq_view *codes,
                                      const padici_gpu_pq_view *counts)
{
    return !((codes->mem.bits + codes->at) % 16 || (counts->mem.bits + counts->at * 4) % 16 ||
             codes->at % 16 || counts->at % 4 || codes->at >> 35);
}

// Whether this selection is to add the keys of the append before it.
PADICI_FN int padici_gpu_pq_once_waits(const padici_gpu *gpu)
{
    return gpu->state->pq_keys.waits && gpu->context->recording && gpu->context->pq_next;
}

static void padici_gpu_pq_once_keys(padici_k_cuda_pq_lists_params *k,
                                    const padici_gpu_state *state, padic_mem waiting, uint32_t rows)
{
    k->rows = rows;
    k->key_dtype = state->pq_keys.dtype;
    k->key_lo = state->pq_keys.lo;
    k->key_hi = state->pq_keys.hi;
    memcpy(k->key_step, state->pq_keys.step, sizeof k->key_step);
    k->waiting_lo = (uint32_t)waiting.bits;
    k->waiting_hi = (uint32_t)(waiting.bits >> 32);
}

PADICI_FN padic_result padici_gpu_pq_once_run(padici_gpu_pq_search *s, uint32_t groups)
{
    const char *defines[3];
    padici_gpu_state *state = s->gpu->state;
    const int keys = padici_gpu_pq_once_waits(s->gpu);
    const uint32_t count = padici_gpu_pq_once_defines(s->gpu, groups, s->all, keys, defines);
    padici_k_cuda_pq_lists_params k;
    padic_mem mem[7];
    if (!padici_gpu_pq_once_aligned(&s->codes, &s->counts)) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&k, 0, sizeof k);
    k.heads = s->t.heads;
    k.queries = s->t.queries;
    k.per = s->t.per;
    k.groups = s->t.groups;
    k.ds = s->t.ds;
    k.extra = s->t.extra;
    k.book_rows = s->t.book_rows;
    k.recent = (s->t.flags & PADICI_GPU_PQ_RECENT) != 0;
    k.dtype = s->t.dtype;
    k.query_lo = s->t.query_lo;
    k.query_hi = s->t.query_hi;
    memcpy(k.query_step, s->t.query_step, sizeof k.query_step);
    k.scaled_at = s->t.scaled_at;
    k.info_at = s->t.info_at;
    k.lengths_at = s->t.lengths_at;
    k.codes_at = (uint32_t)(s->codes.at / 16);
    k.counts_at = (uint32_t)(s->counts.at / 4);
    k.tiles = s->k.tiles;
    k.start = s->t.start;
    k.keys = s->t.keys;
    k.sink = s->t.sink;
    k.window = s->t.window;
    k.heavy = s->t.heavy;
    k.least = k.sink + k.heavy + k.window;
    if (k.least < s->t.full_below) k.least = s->t.full_below;
    k.cap = s->k.cap;
    padici_gpu_pq_place(&s->lists, &k.list_at, k.list_step, sizeof k.list_step);
    padici_gpu_pq_address_of(&s->list_lengths, &k.length_lo, &k.length_hi, k.length_step,
                             sizeof k.length_step);
    padici_gpu_pq_address_of(&s->status, &k.status_lo, &k.status_hi, k.status_step,
                             sizeof k.status_step);
    if (keys) {
        padic_mem waiting;
        const padic_result result = padici_gpu_kept(s->gpu, 4, &waiting);
        state->pq_keys.waits = 0;
        if (result) return padici_fail(s->gpu->context, result, "the step's keys are lost");
        padici_gpu_pq_once_keys(&k, state, waiting, (uint32_t)(s->all / k.groups));
    }
    mem[0] = s->queries.mem;
    mem[1] = s->scaled.mem;
    mem[2] = s->info.mem;
    mem[3] = s->lengths.mem;
    mem[4] = s->codes.mem;
    mem[5] = s->counts.mem;
    mem[6] = s->lists.mem;
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_CUDA_PQ_LISTS, defines, count, mem, 7,
                                &k, sizeof k, s->all * groups);
}

// Whether the selection after an append has the same codebook and cache, and its window the key.
static int padici_gpu_pq_once_follows(const padic_pq_append_desc *a, const padic_pq_select_desc *s)
{
    const padic_tensor *const one[5] = {&a->cache.codes, &a->cache.counts, &a->cache.lengths,
                                        &a->codebook.scaled, &a->codebook.info};
    const padic_tensor *const two[5] = {&s->cache.codes, &s->cache.counts, &s->cache.lengths,
                                        &s->codebook.scaled, &s->codebook.info};
    uint32_t i;
    for (i = 0; i < 5; i++)
        if (!one[i]->buffer.id || one[i]->buffer.id != two[i]->buffer.id ||
            one[i]->offset != two[i]->offset)
            return 0;
    return s->window && !s->key_count && a->cache.start == s->cache.start &&
           a->codebook.scaled.shape[0] == s->codebook.scaled.shape[0] &&
           s->queries.shape[2] == 1 && s->queries.shape[1] == a->keys.shape[1] &&
           s->queries.shape[0] == a->keys.shape[0];
}

static int padici_gpu_pq_once_fits(const padici_gpu_pq_coding *c, const padic_pq_append_desc *desc,
                                   const padici_gpu_pq_view *codes,
                                   const padici_gpu_pq_view *counts)
{
    return padici_gpu_is_sm(c->gpu, 90) && padici_gpu_pq_once_may(c->gpu) && c->book.m == 2 &&
           c->book.bits == 6 && c->book.ds <= 128 && !c->k.extra && desc->keys.shape[2] == 1 &&
           !padici_pq_here(&desc->cache.pages) && !padici_pq_here(&desc->key_counts) &&
           !padici_pq_here(&desc->not_finite) && !padici_pq_here(&desc->clamped) &&
           counts->here && !padici_gpu_pq_packed(&desc->cache) &&
           desc->cache.codes.shape[2] < (1u << 24) &&
           padici_gpu_pq_once_aligned(codes, counts);
}

// The launch that adds keys and selects nothing.
static padic_result padici_gpu_pq_once_add(padici_gpu_pq_coding *c, padic_mem waiting,
                                           const padici_gpu_pq_view *codes,
                                           const padici_gpu_pq_view *counts,
                                           const padic_pq_append_desc *desc)
{
    padici_gpu *gpu = c->gpu;
    const char *defines[3];
    const uint32_t groups = padici_gpu_tested(gpu, "PD_PQ_CTAS", 1);
    const uint32_t count = padici_gpu_pq_once_defines(gpu, groups, 0, 1, defines);
    padici_k_cuda_pq_lists_params k;
    padic_mem mem[7];
    memset(&k, 0, sizeof k);
    k.heads = k.groups = c->k.groups;
    k.queries = k.per = k.window = 1;
    k.ds = c->k.ds;
    k.book_rows = c->k.book_rows;
    k.dtype = c->k.dtype; // the query is the key
    k.query_lo = c->k.keys_lo;
    k.query_hi = c->k.keys_hi;
    memcpy(k.query_step, c->k.key_step, sizeof k.query_step);
    k.query_step[2] = 0;
    k.scaled_at = c->k.scaled_at;
    k.info_at = c->k.info_at;
    k.lengths_at = (uint32_t)c->lengths.at;
    k.codes_at = (uint32_t)(codes->at / 16);
    k.counts_at = (uint32_t)(counts->at / 4);
    k.tiles = (uint32_t)desc->cache.codes.shape[2];
    k.start = (uint32_t)desc->cache.start;
    k.keys = UINT32_MAX;
    padici_gpu_pq_once_keys(&k, gpu->state, waiting, c->k.rows);
    mem[0] = c->keys.mem;
    mem[1] = c->scaled.mem;
    mem[2] = c->info.mem;
    mem[3] = c->lengths.mem;
    mem[4] = codes->mem;
    mem[5] = counts->mem;
    mem[6] = c->lengths.mem;
    gpu->state->pq_keys.waits = 0;
    return padici_gpu_pq_launch(gpu, PADICI_KERNEL_CUDA_PQ_LISTS, defines, count, mem, 7, &k,
                                sizeof k, (uint64_t)c->k.rows * c->k.groups * groups);
}

// Nobody is told whether there was room: in recordings, and in tests.
PADICI_FN padic_result padici_gpu_pq_once_append(padici_gpu_pq_coding *c, const padici_call *call,
                                                 const padic_pq_append_desc *desc)
{
    padici_gpu *gpu = c->gpu;
    const padic_pq_select_desc *next = (const padic_pq_select_desc *)gpu->context->pq_next;
    padici_gpu_pq_view codes, counts;
    uint64_t key;
    padic_mem waiting;
    uint32_t groups;
    padic_result result;
    gpu->state->pq_keys.waits = 0;
    padici_gpu_pq_view_of(call, &desc->cache.codes, &codes);
    padici_gpu_pq_view_of(call, &desc->cache.counts, &counts);
    padici_gpu_pq_view_of(call, &desc->cache.lengths, &c->lengths);
    codes.at *= padic_dtype_size(desc->cache.codes.dtype);
    if (!padici_gpu_pq_once_fits(c, desc, &codes, &counts)) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_pq_once_ready(gpu, padici_gpu_tested(gpu, "PD_PQ_CTAS", 1), &waiting);
    if (result) return result;
    key = c->keys.mem.bits + c->keys.at * padic_dtype_size(desc->keys.dtype);
    gpu->state->pq_keys.waits = 1;
    gpu->state->pq_keys.dtype = c->keys.dtype;
    gpu->state->pq_keys.lo = (uint32_t)key;
    gpu->state->pq_keys.hi = (uint32_t)(key >> 32);
    memcpy(gpu->state->pq_keys.step, c->keys.step, sizeof gpu->state->pq_keys.step);
    groups = next && padici_gpu_pq_once_follows(desc, next) ? padici_gpu_pq_once(gpu, next) : 0;
    if (next && padici_gpu_pq_once_queries(next) > gpu->info->compute_units) groups = 0;
    if (groups && padici_gpu_pq_once_ready(gpu, groups, &waiting)) groups = 0;
    if (gpu->context->recording && groups) return PADIC_OK; // the selection does it
    if (gpu->context->recording || gpu->tested)
        return padici_gpu_pq_once_add(c, waiting, &codes, &counts, desc);
    gpu->state->pq_keys.waits = 0;
    return PADIC_ERROR_NOT_SUPPORTED; // and what the selection needs is ready
}

#undef PADICI_GPU_PQ_GROUP_KEYS

#endif
