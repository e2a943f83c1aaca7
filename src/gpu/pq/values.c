#include "select.h"
#include "../../context/operation.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// What a selection may ask for besides the best of the scores: kernels/pq/values.cl.

PADICI_FN int padici_gpu_pq_valued(const padic_pq_select_desc *desc)
{
    return padici_pq_here(&desc->bias) || padici_pq_here(&desc->slopes) ||
           desc->reduce != PADIC_PQ_REDUCE_NONE || desc->limit == PADIC_PQ_LIMIT_TOP_P;
}

// The variant, of 256 items at most: for more there are too few registers.
static uint32_t padici_gpu_pq_values_defines(const char *const *from, uint32_t count,
                                             const char **defines)
{
    defines[0] = count ? from[0] : NULL;
    defines[1] = "PD_WG=256";
    return count;
}

PADICI_FN padic_result padici_gpu_pq_values_need(padici_gpu *gpu, const char *const *from,
                                                 uint32_t count, const padic_pq_select_desc *desc)
{
    const char *defines[2];
    const int shares = desc->reduce == PADIC_PQ_REDUCE_SOFTMAX_SUM;
    padic_result result;
    count = padici_gpu_pq_values_defines(from, count, defines);
    result =
        padici_gpu_need(gpu, shares ? PADICI_KERNEL_PQ_VALUES_SHARES : PADICI_KERNEL_PQ_VALUES_MAKE,
                        defines, count);
    if (!result && shares)
        result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_VALUES_SUMS, defines, count);
    if (!result && desc->limit == PADIC_PQ_LIMIT_TOP_P)
        result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_VALUES_MASS, defines, count);
    return result;
}

// A number as two words, of a size that both are normal.
static void padici_gpu_pq_two(double x, float *hi, float *lo)
{
    *hi = (float)x;
    *lo = (float)(x - (double)*hi);
}

// heavy_fraction as 53 bits and a shift; below 2^-32 no length has a part of 1.
static void padici_gpu_pq_fraction(padici_gpu_pq_search *s, double fraction)
{
    uint64_t bits, whole;
    uint32_t exponent;
    if (!(fraction > 0)) return;
    memcpy(&bits, &fraction, 8);
    exponent = (uint32_t)(bits >> 52);
    whole = exponent < 1023 - 32 ? 0 : (bits & 0xfffffffffffffu) | UINT64_C(1) << 52;
    s->t.part_lo = (uint32_t)whole;
    s->t.part_hi = (uint32_t)(whole >> 32);
    s->t.part_shift = whole ? 52 + 1023 - exponent : 52;
}

PADICI_FN void padici_gpu_pq_options(padici_gpu_pq_search *s, const padici_call *call,
                                     const padic_pq_select_desc *desc)
{
    const int best = desc->order == PADIC_PQ_ORDER_BEST;
    const uint64_t d = desc->queries.shape[3];
    s->reduce = desc->reduce;
    padici_gpu_pq_view_of(call, &desc->heavy_counts, &s->heavy_counts);
    padici_gpu_pq_view_of(call, &desc->bias, &s->bias);
    padici_gpu_pq_view_of(call, &desc->slopes, &s->slopes);
    if (s->bias.here) s->bias_n = (uint32_t)desc->bias.shape[2];
    if (desc->reduce) {
        s->all /= s->t.per;
        s->t.share = s->t.per;
        s->k.heads = s->t.groups;
    }
    if (s->heavy_counts.here) s->k.flags |= PADICI_GPU_PQ_HEAVY;
    if (padici_gpu_pq_valued(desc)) s->k.flags |= PADICI_GPU_PQ_VALUES;
    if (desc->limit == PADIC_PQ_LIMIT_THRESHOLD)
        s->k.flags |= PADICI_GPU_PQ_LEAST |
                      (padici_gpu_pq_valued(desc) ? 0u : PADICI_GPU_PQ_UNSCALE);
    if (desc->limit == PADIC_PQ_LIMIT_TOP_P)
        s->k.flags |= PADICI_GPU_PQ_BEST | (best ? 0u : PADICI_GPU_PQ_PLACES);
    s->k.limit = padici_pq_order(desc->threshold);
    padici_gpu_pq_fraction(s, desc->heavy_fraction);
    padici_gpu_pq_two(desc->scale != 0 ? desc->scale : 1 / sqrt((double)(d ? d : 1)),
                      &s->k.scale_hi, &s->k.scale_lo);
    padici_gpu_pq_two(desc->top_p, &s->k.part_hi, &s->k.part_lo);
}

static void padici_gpu_pq_values_params(const padici_gpu_pq_search *s,
                                        padici_k_pq_values_params *v)
{
    memset(v, 0, sizeof *v);
    v->first = s->k.first;
    v->heads = s->k.heads;
    v->queries = s->k.queries;
    v->parts = s->k.parts;
    v->share = s->t.share;
    v->reduce = (uint32_t)s->reduce;
    v->m = s->k.m;
    v->bits = s->k.bits;
    v->bytes = s->k.bytes;
    v->groups = s->k.groups;
    v->flags = s->k.flags;
    v->codes_lo = s->k.codes_lo;
    v->codes_hi = s->k.codes_hi;
    v->tiles = s->k.tiles;
    v->page_tiles = s->k.page_tiles;
    v->page_count = s->k.page_count;
    v->row_pages = s->k.row_pages;
    v->pages_at = s->k.pages_at;
    v->start = s->k.start;
    v->n = s->k.n;
    v->bins_at = s->k.bins_at;
    v->tables_at = s->k.tables_at;
    v->heads_at = s->t.heads_at;
    v->order_at = s->k.order_at;
    padici_gpu_pq_place(&s->bias, &v->bias_at, v->bias_step, sizeof v->bias_step);
    v->bias_n = s->bias_n;
    v->sloped = s->slopes.here;
    v->slope_at = (uint32_t)s->slopes.at;
    v->slope_step = s->slopes.step[0];
    v->scale_hi = s->k.scale_hi;
    v->scale_lo = s->k.scale_lo;
}

PADICI_FN padic_result padici_gpu_pq_values(padici_gpu_pq_search *s)
{
    padici_k_pq_values_params v;
    padic_mem mem[5];
    const char *defines[2];
    const uint32_t count = padici_gpu_pq_values_defines(s->defines, s->define_count, defines);
    const int shares = s->reduce == PADIC_PQ_REDUCE_SOFTMAX_SUM;
    padic_result result = PADIC_OK;
    padici_gpu_pq_values_params(s, &v);
    mem[0] = s->memory;
    mem[1] = s->codes.here ? s->codes.mem : s->info.mem;
    mem[2] = s->pages.here ? s->pages.mem : s->info.mem;
    mem[3] = s->bias.here ? s->bias.mem : s->info.mem;
    mem[4] = s->slopes.here ? s->slopes.mem : s->info.mem;
    if (shares)
        result = padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_VALUES_SUMS, defines,
                                      count, mem, 5, &v, sizeof v,
                                      padici_gpu_pq_now(s) * s->t.share);
    return result ? result
                  : padici_gpu_pq_launch(s->gpu,
                                         shares ? PADICI_KERNEL_PQ_VALUES_SHARES
                                                : PADICI_KERNEL_PQ_VALUES_MAKE,
                                         defines, count, mem, 5, &v, sizeof v,
                                         padici_gpu_pq_now(s) * s->k.parts);
}

PADICI_FN padic_result padici_gpu_pq_mass(padici_gpu_pq_search *s)
{
    const char *defines[2];
    const uint32_t count = padici_gpu_pq_values_defines(s->defines, s->define_count, defines);
    padic_mem mem[4];
    mem[0] = s->memory;
    mem[1] = s->lists.mem;
    mem[2] = s->list_lengths.here ? s->list_lengths.mem : s->lists.mem;
    mem[3] = s->status.here ? s->status.mem : s->lists.mem;
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_VALUES_MASS, defines, count, mem,
                                4, &s->k, sizeof s->k, padici_gpu_pq_now(s));
}

#endif
