#include "observe.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../launch.h"
#include "../variants.h"
#include "chains.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CDT)

// Counts, slices and orders of chains that lie on the device. Shells and returns are the host's.

#define PADICI_GPU_CDT_ORDERS 4096u // vertices of a group

// All but where the chains and the output begin.
PADICI_FN void padici_gpu_cdt_measure_params(const padici_cdt_rules *rules, uint32_t output,
                                             const padic_tensor *out,
                                             padici_k_cdt_measure_params *k)
{
    uint64_t part[3];
    const uint64_t stride = padici_cdt_stride(rules, part) / 4;
    memset(k, 0, sizeof *k);
    k->replicas = (uint32_t)rules->desc.replicas;
    k->rows = (uint32_t)out->shape[0];
    k->n = (uint32_t)(out->shape[1] * (out->rank > 2 ? out->shape[2] : 1));
    k->what = output == PADICI_CDT_OUT_COUNTS    ? PADICI_GPU_CDT_COUNTS
              : output == PADICI_CDT_OUT_PROFILE ? PADICI_GPU_CDT_PROFILE
              : output == PADICI_CDT_OUT_PRODUCT ? PADICI_GPU_CDT_PRODUCT
                                                 : PADICI_GPU_CDT_SUM;
    k->stride_lo = (uint32_t)stride;
    k->stride_hi = (uint32_t)(stride >> 32);
    k->at = (uint32_t)((output == PADICI_CDT_OUT_ORDER ? part[0] : part[0] + part[1]) / 4);
    k->slices = rules->desc.slices;
}

typedef struct padici_gpu_cdt_look {
    padici_gpu *gpu;
    padici_cdt_measure *m;
    const padici_call *call;
    padici_place state;
    padici_gpu_work work;
    padici_gpu_block heads, counts;
} padici_gpu_cdt_look;

static void padici_gpu_cdt_state_at(padici_k_cdt_measure_params *k, const padici_place *state)
{
    k->state_lo = (uint32_t)(state->at / 4);
    k->state_hi = (uint32_t)(state->at / 4 >> 32);
}

// Histograms of each replica, into scratch; *k then means them.
static padic_result padici_gpu_cdt_orders(padici_gpu_cdt_look *l, padici_k_cdt_measure_params *k)
{
    const padici_cdt_rules *rules = &l->m->desc.plan->rules;
    const uint64_t bytes = 4 * (uint64_t)k->replicas * k->n;
    padic_result result = padici_gpu_scratch(l->gpu, bytes, &l->counts);
    if (!result)
        result = padici_target_fill(l->gpu->context, l->gpu->target, l->counts.mem, 0, 0, bytes);
    if (result) return result;
    l->work.kernel = PADICI_KERNEL_CDT_ORDER;
    l->work.mem_count = 3;
    l->work.mem[0] = l->state.mem;
    l->work.mem[2] = l->counts.mem;
    l->work.groups[0] = k->replicas;
    l->work.groups[1] = (rules->most + PADICI_GPU_CDT_ORDERS - 1) / PADICI_GPU_CDT_ORDERS;
    result = padici_gpu_launch(l->gpu, &l->work);
    k->state_lo = k->state_hi = k->stride_hi = k->at = 0;
    k->stride_lo = k->n;
    return result;
}

static padic_result padici_gpu_cdt_output(padici_gpu_cdt_look *l, uint32_t output)
{
    const padic_tensor *out = l->call->operands[output].tensor;
    const padici_place *to = &l->call->operands[output].now;
    const uint64_t at = to->at / padic_dtype_size(out->dtype);
    padici_k_cdt_measure_params k;
    padic_result result = PADIC_OK;
    padici_gpu_cdt_measure_params(&l->m->desc.plan->rules, output, out, &k);
    if (!k.n) return PADIC_OK;
    padici_gpu_cdt_state_at(&k, &l->state);
    l->work.params = &k;
    l->work.params_size = sizeof k;
    if (output == PADICI_CDT_OUT_ORDER) result = padici_gpu_cdt_orders(l, &k);
    if (result) return result;
    k.add = l->m->desc.accumulate && output != PADICI_CDT_OUT_PROFILE;
    k.out_lo = (uint32_t)at;
    k.out_hi = (uint32_t)(at >> 32);
    l->work.kernel = PADICI_KERNEL_CDT_ROWS;
    l->work.mem_count = 4;
    l->work.mem[0] = output == PADICI_CDT_OUT_ORDER ? l->counts.mem : l->state.mem;
    l->work.mem[2] = l->work.mem[3] = to->mem; // one of them is not touched
    l->work.groups[0] = padici_gpu_groups(l->gpu, (uint64_t)k.rows * k.n, 128);
    l->work.groups[1] = 1;
    return padici_gpu_launch(l->gpu, &l->work);
}

// Whether the kernels do all that is asked for.
static int padici_gpu_cdt_fits(const padici_call *call, const padici_cdt_measure *m)
{
    const padic_cdt_plan *plan = m->desc.plan;
    const padici_place *state = &call->operands[PADICI_CDT_OUTS].now;
    uint32_t i;
    if (!plan->heads || state->at % 4) return 0;
    for (i = 0; i < PADICI_CDT_OUTS; i++) {
        const padici_operand *o = &call->operands[i];
        const padic_tensor *t = o->tensor;
        if (!t) continue;
        if (i >= PADICI_CDT_OUT_SHELLS || o->now.at % padic_dtype_size(t->dtype)) return 0;
        if (padic_tensor_count(t) >> 31) return 0;
        if (i == PADICI_CDT_OUT_ORDER && (plan->rules.desc.replicas * t->shape[1]) >> 31) return 0;
        // Mesa's loops end after 65,535.
        if (t->shape[0] == 1 && plan->rules.desc.replicas > 32768) return 0;
    }
    return 1;
}

PADICI_FN padic_result padici_gpu_cdt_measure(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_cdt_measure *m = (padici_cdt_measure *)call->task;
    const uint64_t bytes = m->desc.plan->rules.desc.replicas * PADICI_CDT_HEAD * 8;
    padici_gpu_cdt_look l;
    padici_cdt_run none;
    const char *defines[2];
    uint32_t i;
    padic_result result;
    if (gpu->context->recording || !padici_gpu_cdt_fits(call, m)) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&l, 0, sizeof l);
    l.work.defines = defines;
    l.work.define_count = padici_gpu_cdt_defines(&m->desc.plan->rules, defines);
    result = padici_gpu_need(gpu, PADICI_KERNEL_CDT_ROWS, defines, l.work.define_count);
    if (!result && call->operands[PADICI_CDT_OUT_ORDER].tensor)
        result = padici_gpu_need(gpu, PADICI_KERNEL_CDT_ORDER, defines, l.work.define_count);
    if (query || result) return result;
    memset(&none, 0, sizeof none);
    none.plan = (padic_cdt_plan *)(uintptr_t)m->desc.plan; // only its heads are written
    (void)padici_gpu_cdt_heads(&none);
    l.gpu = gpu;
    l.m = m;
    l.call = call;
    l.state = call->operands[PADICI_CDT_OUTS].now;
    l.heads.block = l.counts.block = PADICI_NO_BLOCK;
    result = padici_gpu_scratch(gpu, bytes, &l.heads);
    if (!result) result = padici_gpu_upload(gpu, l.heads.mem, 0, m->desc.plan->heads, bytes);
    l.work.mem[1] = l.heads.mem;
    if (!call->operands[PADICI_CDT_OUTS].tensor) l.state.mem = l.heads.mem; // counts alone
    for (i = 0; i < PADICI_CDT_OUTS && !result; i++)
        if (call->operands[i].tensor) result = padici_gpu_cdt_output(&l, i);
    padici_gpu_scratch_end(gpu, &l.heads);
    padici_gpu_scratch_end(gpu, &l.counts);
    return result;
}

#undef PADICI_GPU_CDT_ORDERS

#endif
