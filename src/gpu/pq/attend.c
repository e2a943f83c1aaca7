#include "view.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../launch.h"
#include "../tests.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// Attention over lists, or over all keys: kernels/pq/attend.cl; parts of it as one, lists as
// weights: kernels/pq/merge.cl.

#define PADICI_GPU_PQ_ATTEND_WORDS (UINT64_C(1) << 26) // of a call's memory, but for one query
#define PADICI_GPU_PQ_SPLIT 64u                        // entries
#define PADICI_GPU_PQ_FEW 2048u                        // entries of short splits
#define PADICI_GPU_PQ_SPLIT_HEAD 5u                    // words before its sums
// flags of kernels/pq/attend.cl
#define PADICI_GPU_PQ_ATTEND_LISTS 1u
#define PADICI_GPU_PQ_ATTEND_WIDE 2u
#define PADICI_GPU_PQ_ATTEND_LENGTHS 4u
#define PADICI_GPU_PQ_ATTEND_WEIGHTS 8u
#define PADICI_GPU_PQ_ATTEND_COUNTS 16u
#define PADICI_GPU_PQ_ATTEND_SHARED 32u
#define PADICI_GPU_PQ_ATTEND_PAGES 64u
#define PADICI_GPU_PQ_ATTEND_LSE 128u
#define PADICI_GPU_PQ_ATTEND_STATUS 256u

typedef struct padici_gpu_pq_attention {
    padici_gpu *gpu;
    padici_gpu_pq_space space;
    padici_gpu_pq_view queries, keys, values, pages, lists, lengths, weights, out, lse, status;
    padici_k_pq_attend_split_params k;
    padici_k_pq_attend_join_params j;
    padic_mem memory;
    uint64_t all, each, batch; // queries; words of one; queries at a time
    uint32_t kernel, join, shared; // of splits, of their sums; heads that read keys once
    const char *defines[3];
    uint32_t define_count;
} padici_gpu_pq_attention;

static void padici_gpu_pq_address(const padici_gpu_pq_view *view, uint32_t *low, uint32_t *high,
                                  uint32_t step[4])
{
    *low = (uint32_t)view->at;
    *high = (uint32_t)(view->at >> 32);
    memcpy(step, view->step, 4 * sizeof *step);
}

// What both calls have.
static void padici_gpu_pq_attention_begin(padici_gpu_pq_attention *a, padici_gpu *gpu,
                                          const padici_call *call, const padic_tensor *queries,
                                          const padic_tensor *keys, const padic_tensor *values,
                                          const padic_tensor *pages, double scale)
{
    const double by = scale != 0 ? scale : 1 / sqrt((double)queries->shape[3]);
    memset(a, 0, sizeof *a);
    a->gpu = a->space.gpu = gpu;
    padici_gpu_pq_view_of(call, queries, &a->queries);
    padici_gpu_pq_view_of(call, keys, &a->keys);
    padici_gpu_pq_view_of(call, values, &a->values);
    padici_gpu_pq_view_of(call, pages, &a->pages);
    a->all = queries->shape[0] * queries->shape[1] * queries->shape[2];
    a->k.heads = a->j.heads = (uint32_t)queries->shape[1];
    a->k.queries = a->j.queries = (uint32_t)queries->shape[2];
    a->k.per = keys->shape[1] ? (uint32_t)(queries->shape[1] / keys->shape[1]) : 1;
    a->k.d = (uint32_t)queries->shape[3];
    a->k.d_v = a->j.d_v = (uint32_t)values->shape[3];
    a->k.query_dtype = a->queries.dtype;
    a->k.key_dtype = a->keys.dtype;
    a->k.value_dtype = a->values.dtype;
    padici_gpu_pq_address(&a->queries, &a->k.query_lo, &a->k.query_hi, a->k.query_step);
    padici_gpu_pq_address(&a->keys, &a->k.key_lo, &a->k.key_hi, a->k.key_step);
    padici_gpu_pq_address(&a->values, &a->k.value_lo, &a->k.value_hi, a->k.value_step);
    a->k.positions = (uint32_t)(keys->shape[2] * (a->pages.here ? pages->shape[1] : 1));
    a->k.page = (uint32_t)keys->shape[2];
    a->k.page_count = (uint32_t)keys->shape[0];
    a->k.row_pages = a->pages.here ? (uint32_t)pages->shape[1] : 0;
    a->k.pages_at = (uint32_t)a->pages.at;
    a->k.flags = a->pages.here ? PADICI_GPU_PQ_ATTEND_PAGES : 0;
    a->k.scale_hi = (float)by;
    a->k.scale_lo = (float)(by - (double)a->k.scale_hi);
    a->kernel = PADICI_KERNEL_PQ_ATTEND_SPLIT;
    a->join = PADICI_KERNEL_PQ_ATTEND_JOIN;
    a->shared = 1;
}

// Keys and values as kernels/cuda/pq/attend.cu reads them: 16 bytes at a time.
static int padici_gpu_pq_attention_wide(const padici_gpu_pq_view *view)
{
    uint32_t i;
    if (!view->dtype || view->step[3] != 1 || (view->mem.bits + 2 * view->at) % 16 || view->at % 8)
        return 0;
    for (i = 0; i < 3; i++)
        if (view->step[i] % 8) return 0;
    return 1;
}

// Chooses the kernels of NVIDIA's devices with fast f64, where they fit.
static padic_result padici_gpu_pq_attention_choose(padici_gpu_pq_attention *a, uint64_t entries)
{
    const padici_gpu *gpu = a->gpu;
    const uint32_t program = PADICI_KERNEL_CUDA_PQ_ATTEND_FEW >> 16, d = a->k.d;
    const int lists = (a->k.flags & PADICI_GPU_PQ_ATTEND_LISTS) != 0;
    padic_result result;
    int few;
    if (gpu->tested && gpu->state->variants[gpu->tested - 1].program != program) return PADIC_OK;
    if (strcmp(gpu->target->backend->name, "cuda") ||
        (strcmp(gpu->info->arch, "sm_90") && strcmp(gpu->info->arch, "sm_100")) ||
        (d != 64 && d != 128 && d != 256) || a->k.d_v != d || a->keys.dtype != a->values.dtype ||
        !padici_gpu_pq_attention_wide(&a->keys) || !padici_gpu_pq_attention_wide(&a->values))
        return PADIC_OK;
    few = entries <= PADICI_GPU_PQ_FEW && !a->lse.here && !a->status.here;
    if (!few && !lists && a->k.queries == 1 && d <= 128) {
        for (a->shared = 8; a->k.per % a->shared;) a->shared /= 2;
        a->shared = padici_gpu_tested(gpu, "PD_PQ_HEADS", gpu->tested ? 1 : a->shared);
    }
    if (a->shared > 1)
        a->defines[a->define_count++] = a->shared == 2   ? "PD_PQ_HEADS=2"
                                        : a->shared == 4 ? "PD_PQ_HEADS=4"
                                                         : "PD_PQ_HEADS=8";
    if (d != 128) a->defines[a->define_count++] = d == 64 ? "PD_PQ_D=64" : "PD_PQ_D=256";
    if (a->keys.dtype == 2) a->defines[a->define_count++] = "PD_PQ_BF16=1";
    a->kernel = few ? PADICI_KERNEL_CUDA_PQ_ATTEND_FEW : PADICI_KERNEL_CUDA_PQ_ATTEND_MANY;
    a->join = PADICI_KERNEL_CUDA_PQ_ATTEND_JOIN;
    if (!few && entries > 256 * PADICI_GPU_PQ_FEW) a->join = PADICI_KERNEL_PQ_ATTEND_JOIN;
    result = padici_gpu_need(a->gpu, a->kernel, a->defines, a->define_count);
    if (!result && !few && a->join != PADICI_KERNEL_PQ_ATTEND_JOIN)
        result = padici_gpu_need(a->gpu, a->join, a->defines, a->define_count);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    a->kernel = PADICI_KERNEL_PQ_ATTEND_SPLIT;
    a->join = PADICI_KERNEL_PQ_ATTEND_JOIN;
    a->shared = 1;
    a->define_count = 0;
    return PADIC_OK;
}

static void padici_gpu_pq_attention_out(padici_gpu_pq_attention *a, const padici_call *call,
                                        const padic_tensor *out, const padic_tensor *lse,
                                        const padic_tensor *status)
{
    padici_gpu_pq_view_of(call, out, &a->out);
    padici_gpu_pq_view_of(call, lse, &a->lse);
    padici_gpu_pq_view_of(call, status, &a->status);
    a->j.flags = (a->lse.here ? PADICI_GPU_PQ_ATTEND_LSE : 0u) |
                 (a->status.here ? PADICI_GPU_PQ_ATTEND_STATUS : 0u);
    padici_gpu_pq_place(&a->out, &a->j.out_at, a->j.out_step, sizeof a->j.out_step);
    padici_gpu_pq_place(&a->lse, &a->j.lse_at, a->j.lse_step, sizeof a->j.lse_step);
    padici_gpu_pq_place(&a->status, &a->j.status_at, a->j.status_step, sizeof a->j.status_step);
}

// Splits of a query with so many entries at most, and memory for some of the queries. 0: too much.
static int padici_gpu_pq_attention_sizes(padici_gpu_pq_attention *a, uint64_t entries)
{
    uint64_t parts = entries ? (entries - 1) / PADICI_GPU_PQ_SPLIT + 1 : 1;
    if (a->kernel != PADICI_KERNEL_PQ_ATTEND_SPLIT) { // as the kernel splits them
        parts = ((entries < PADICI_GPU_PQ_FEW ? entries : PADICI_GPU_PQ_FEW) + 15) / 16;
        if (entries > 256 * parts) parts = (entries + 255) / 256;
        if (!parts) parts = 1;
    }
    a->k.parts = a->j.parts = (uint32_t)parts;
    a->each = parts * (PADICI_GPU_PQ_SPLIT_HEAD + a->k.d_v);
    if (a->each >> 31) return 0;
    a->batch = PADICI_GPU_PQ_ATTEND_WORDS / a->each;
    if (a->batch < 1) a->batch = 1;
    if (a->gpu->tested && a->batch > 3) a->batch = 3;
    a->batch = (a->batch + a->shared - 1) / a->shared * a->shared;
    if (a->batch > a->all) a->batch = a->all;
    a->j.down = 1;
    a->j.up = 128;
    while ((double)parts * (double)a->j.down > 1) {
        a->j.down *= 0.5f;
        a->j.up *= 2;
    }
    return 1;
}

// In one launch, with words that count a query's groups.
static padic_result padici_gpu_pq_attention_few(padici_gpu_pq_attention *a, padic_mem *mem,
                                                uint64_t now)
{
    padic_mem waiting;
    const padic_result result = padici_gpu_kept(a->gpu, 4 * now, &waiting);
    if (result) return result;
    mem[7] = a->out.mem;
    a->k.out_at = a->j.out_at;
    memcpy(a->k.out_step, a->j.out_step, sizeof a->k.out_step);
    a->k.space_lo = (uint32_t)a->memory.bits;
    a->k.space_hi = (uint32_t)(a->memory.bits >> 32);
    a->k.waiting_lo = (uint32_t)waiting.bits;
    a->k.waiting_hi = (uint32_t)(waiting.bits >> 32);
    return padici_gpu_pq_launch(a->gpu, a->kernel, a->defines, a->define_count, mem, 8, &a->k,
                                sizeof a->k, 4 * now);
}

static padic_result padici_gpu_pq_attention_now(padici_gpu_pq_attention *a, uint64_t now)
{
    const padic_mem none = a->queries.mem;
    padic_mem mem[8];
    padic_result result;
    mem[0] = a->queries.mem;
    mem[1] = a->keys.mem;
    mem[2] = a->values.mem;
    mem[3] = a->pages.here ? a->pages.mem : none;
    mem[4] = a->lists.here ? a->lists.mem : none;
    mem[5] = a->lengths.here ? a->lengths.mem : none;
    mem[6] = a->weights.here ? a->weights.mem : none;
    mem[7] = a->memory;
    if (a->kernel == PADICI_KERNEL_CUDA_PQ_ATTEND_FEW)
        return padici_gpu_pq_attention_few(a, mem, now);
    a->k.tasks = (uint32_t)(now / a->shared * a->k.parts);
    result = padici_gpu_pq_launch(a->gpu, a->kernel, a->defines, a->define_count, mem, 8, &a->k,
                                  sizeof a->k,
                                  a->kernel == PADICI_KERNEL_PQ_ATTEND_SPLIT
                                      ? a->k.tasks
                                      : ((uint64_t)a->k.tasks + 7) / 8);
    mem[0] = a->memory;
    mem[1] = a->out.mem;
    mem[2] = a->lse.here ? a->lse.mem : a->out.mem;
    mem[3] = a->status.here ? a->status.mem : a->out.mem;
    return result ? result
                  : padici_gpu_pq_launch(a->gpu, a->join, a->defines,
                                         a->join == PADICI_KERNEL_PQ_ATTEND_JOIN ? 0
                                                                                 : a->define_count,
                                         mem, 4, &a->j, sizeof a->j, now);
}

static padic_result padici_gpu_pq_attention_run(padici_gpu_pq_attention *a, uint64_t entries)
{
    padic_result result;
    if (!a->all) return PADIC_OK;
    result = padici_gpu_pq_attention_choose(a, entries);
    if (result) return result;
    if (!padici_gpu_pq_attention_sizes(a, entries)) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_pq_take(&a->space, a->batch * a->each * 4, &a->memory);
    for (; !result && a->k.first < a->all; a->k.first += (uint32_t)a->batch) {
        const uint64_t left = a->all - a->k.first;
        a->j.first = a->k.first;
        result = padici_gpu_pq_attention_now(a, left < a->batch ? left : a->batch);
    }
    padici_gpu_pq_end(&a->space);
    return result;
}

static padic_result padici_gpu_pq_attention_need(padici_gpu *gpu, const padici_call *call,
                                                 const padic_tensor *queries,
                                                 const padic_tensor *keys,
                                                 const padic_tensor *values, double scale)
{
    padic_result result;
    if (!padici_gpu_pq_reach(call, queries, keys, values) || padic_tensor_count(queries) >> 31 ||
        scale > 3e38 || scale < -3e38)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_ATTEND_SPLIT, NULL, 0);
    return result ? result : padici_gpu_need(gpu, PADICI_KERNEL_PQ_ATTEND_JOIN, NULL, 0);
}

// padic_pq_attend()

static void padici_gpu_pq_attention_lists(padici_gpu_pq_attention *a, const padici_call *call,
                                          const padic_pq_attend_desc *desc)
{
    padici_gpu_pq_view_of(call, &desc->lists, &a->lists);
    padici_gpu_pq_view_of(call, &desc->lengths, &a->lengths);
    padici_gpu_pq_view_of(call, &desc->weights, &a->weights);
    a->k.flags |=
        PADICI_GPU_PQ_ATTEND_LISTS | (a->lengths.here ? PADICI_GPU_PQ_ATTEND_LENGTHS : 0u) |
        (a->weights.here ? PADICI_GPU_PQ_ATTEND_WEIGHTS : 0u) |
        (desc->lists.dtype == PADIC_I64 ? PADICI_GPU_PQ_ATTEND_WIDE : 0u) |
        (desc->lists.shape[1] != desc->queries.shape[1] ? PADICI_GPU_PQ_ATTEND_SHARED : 0u);
    a->k.count = (uint32_t)desc->lists.shape[3];
    padici_gpu_pq_place(&a->lists, &a->k.list_at, a->k.list_step, sizeof a->k.list_step);
    padici_gpu_pq_place(&a->lengths, &a->k.length_at, a->k.length_step, sizeof a->k.length_step);
    padici_gpu_pq_place(&a->weights, &a->k.weight_at, a->k.weight_step, sizeof a->k.weight_step);
}

PADICI_FN padic_result padici_gpu_pq_attend(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_attend_desc *desc = &call->desc->pq_attend;
    padici_gpu_pq_attention a;
    padic_result result =
        padici_gpu_pq_attention_need(gpu, call, &desc->queries, &desc->keys, &desc->values,
                                     desc->scale);
    if (!result && desc->lists.shape[3] >> 31) result = PADIC_ERROR_NOT_SUPPORTED;
    if (query || result) return result;
    padici_gpu_pq_attention_begin(&a, gpu, call, &desc->queries, &desc->keys, &desc->values,
                                  &desc->pages, desc->scale);
    padici_gpu_pq_attention_out(&a, call, &desc->out, &desc->lse, &desc->status);
    padici_gpu_pq_attention_lists(&a, call, desc);
    return padici_gpu_pq_attention_run(&a, desc->lists.shape[3]);
}

// padic_pq_attend_full()

PADICI_FN padic_result padici_gpu_pq_attend_full(padici_gpu *gpu, const padici_call *call,
                                                 int query)
{
    const padic_pq_attend_full_desc *desc = &call->desc->pq_attend_full;
    const uint64_t given = desc->key_count;
    padici_gpu_pq_attention a;
    uint64_t most;
    padic_result result =
        padici_gpu_pq_attention_need(gpu, call, &desc->queries, &desc->keys, &desc->values,
                                     desc->scale);
    if (query || result) return result;
    padici_gpu_pq_attention_begin(&a, gpu, call, &desc->queries, &desc->keys, &desc->values,
                                  &desc->pages, desc->scale);
    padici_gpu_pq_attention_out(&a, call, &desc->out, &desc->lse, &desc->status);
    padici_gpu_pq_view_of(call, &desc->key_counts, &a.lists);
    padici_gpu_pq_view_of(call, &desc->query_counts, &a.lengths);
    a.k.flags |= (a.lists.here ? PADICI_GPU_PQ_ATTEND_COUNTS : 0u) |
                 (a.lengths.here ? PADICI_GPU_PQ_ATTEND_LENGTHS : 0u);
    a.k.list_at = (uint32_t)a.lists.at;
    a.k.list_step[0] = a.lists.step[0];
    a.k.length_at = (uint32_t)a.lengths.at;
    a.k.length_step[0] = a.lengths.step[0];
    a.k.count = !given ? a.k.positions : given < UINT32_MAX ? (uint32_t)given : UINT32_MAX;
    most = !a.lists.here && given && given < a.k.positions ? given : a.k.positions;
    return padici_gpu_pq_attention_run(&a, most);
}

// padic_pq_merge()

PADICI_FN padic_result padici_gpu_pq_merge(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_merge_desc *desc = &call->desc->pq_merge;
    const uint64_t *n = desc->first.shape, rows = n[0] * n[1] * n[2];
    padici_gpu_pq_view first, second, one, two, out, lse;
    padici_k_pq_merge_parts_params k;
    padic_mem mem[6];
    padic_result result;
    if (!padici_gpu_pq_reach(call, NULL, NULL, NULL) || rows >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_MERGE_PARTS, NULL, 0);
    if (query || result || !rows) return result;
    memset(&k, 0, sizeof k);
    padici_gpu_pq_view_of(call, &desc->first, &first);
    padici_gpu_pq_view_of(call, &desc->second, &second);
    padici_gpu_pq_view_of(call, &desc->first_lse, &one);
    padici_gpu_pq_view_of(call, &desc->second_lse, &two);
    padici_gpu_pq_view_of(call, &desc->out, &out);
    padici_gpu_pq_view_of(call, &desc->lse, &lse);
    k.heads = (uint32_t)n[1];
    k.queries = (uint32_t)n[2];
    k.d_v = (uint32_t)n[3];
    k.has_lse = lse.here;
    padici_gpu_pq_place(&first, &k.first_at, k.first_step, sizeof k.first_step);
    padici_gpu_pq_place(&second, &k.second_at, k.second_step, sizeof k.second_step);
    padici_gpu_pq_place(&one, &k.one_at, k.one_step, sizeof k.one_step);
    padici_gpu_pq_place(&two, &k.two_at, k.two_step, sizeof k.two_step);
    padici_gpu_pq_place(&out, &k.out_at, k.out_step, sizeof k.out_step);
    padici_gpu_pq_place(&lse, &k.lse_at, k.lse_step, sizeof k.lse_step);
    mem[0] = first.mem;
    mem[1] = second.mem;
    mem[2] = one.mem;
    mem[3] = two.mem;
    mem[4] = out.mem;
    mem[5] = lse.here ? lse.mem : out.mem;
    return padici_gpu_pq_launch(gpu, PADICI_KERNEL_PQ_MERGE_PARTS, NULL, 0, mem, 6, &k, sizeof k,
                                rows);
}

// padic_pq_weights_dense()

PADICI_FN padic_result padici_gpu_pq_weights_dense(padici_gpu *gpu, const padici_call *call,
                                                   int query)
{
    const padic_pq_weights_dense_desc *desc = &call->desc->pq_weights_dense;
    const uint64_t *n = desc->lists.shape, rows = n[0] * n[1] * n[2], keys = desc->out.shape[3];
    padici_gpu_pq_view lists, lengths, weights, out;
    padici_k_pq_merge_dense_params k;
    padic_mem mem[4];
    padic_result result;
    if (!padici_gpu_pq_reach(call, &desc->out, NULL, NULL) || rows >> 31 || n[3] >> 31 ||
        keys >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_MERGE_DENSE, NULL, 0);
    if (query || result || !rows || !keys) return result;
    memset(&k, 0, sizeof k);
    padici_gpu_pq_view_of(call, &desc->lists, &lists);
    padici_gpu_pq_view_of(call, &desc->lengths, &lengths);
    padici_gpu_pq_view_of(call, &desc->weights, &weights);
    padici_gpu_pq_view_of(call, &desc->out, &out);
    k.heads = (uint32_t)n[1];
    k.queries = (uint32_t)n[2];
    k.n = (uint32_t)n[3];
    k.keys = (uint32_t)keys;
    k.flags = (desc->lists.dtype == PADIC_I64 ? 1u : 0u) | (lengths.here ? 2u : 0u) |
              (weights.here ? 4u : 0u);
    padici_gpu_pq_place(&lists, &k.list_at, k.list_step, sizeof k.list_step);
    padici_gpu_pq_place(&lengths, &k.length_at, k.length_step, sizeof k.length_step);
    padici_gpu_pq_place(&weights, &k.weight_at, k.weight_step, sizeof k.weight_step);
    padici_gpu_pq_address(&out, &k.out_lo, &k.out_hi, k.out_step);
    mem[0] = lists.mem;
    mem[1] = lengths.here ? lengths.mem : lists.mem;
    mem[2] = weights.here ? weights.mem : lists.mem;
    mem[3] = out.mem;
    return padici_gpu_pq_launch(gpu, PADICI_KERNEL_PQ_MERGE_DENSE, NULL, 0, mem, 4, &k, sizeof k,
                                rows);
}

#undef PADICI_GPU_PQ_ATTEND_WORDS
#undef PADICI_GPU_PQ_SPLIT
#undef PADICI_GPU_PQ_FEW
#undef PADICI_GPU_PQ_SPLIT_HEAD
#undef PADICI_GPU_PQ_ATTEND_LISTS
#undef PADICI_GPU_PQ_ATTEND_WIDE
#undef PADICI_GPU_PQ_ATTEND_LENGTHS
#undef PADICI_GPU_PQ_ATTEND_WEIGHTS
#undef PADICI_GPU_PQ_ATTEND_COUNTS
#undef PADICI_GPU_PQ_ATTEND_SHARED
#undef PADICI_GPU_PQ_ATTEND_PAGES
#undef PADICI_GPU_PQ_ATTEND_LSE
#undef PADICI_GPU_PQ_ATTEND_STATUS

#endif
