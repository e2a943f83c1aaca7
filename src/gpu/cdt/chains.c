#include "chains.h"
#include "../../context/operation.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CDT)

// Chains whose memory lies on the device: their heads go there and back, the moves are made there.

#define PADICI_GPU_CDT_SHARE 8192u // steps of a chain in one launch: some milliseconds
#define PADICI_GPU_CDT_LANES 32u   // chains of a group
#define PADICI_GPU_CDT_SPREAD 16u  // groups of a compute unit, before they get a second chain

enum { // the kernel's modes
    PADICI_GPU_CDT_MOVES,
    PADICI_GPU_CDT_VISITS,
    PADICI_GPU_CDT_GROW
};

// The variant of the kernel for these rules.
PADICI_FN uint32_t padici_gpu_cdt_defines(const padici_cdt_rules *rules, const char *defines[2])
{
    uint32_t n = 0;
    if (rules->sphere) defines[n++] = "PD_CDT_SPHERE=1";
    if (rules->desc.volume == PADIC_CDT_VOLUME_SQUARE) defines[n++] = "PD_CDT_SQUARE=1";
    return n;
}

// All but where the state begins and what a launch does.
PADICI_FN void padici_gpu_cdt_params(const padici_cdt_rules *rules, padici_k_cdt_run_params *k)
{
    uint64_t part[3];
    const uint64_t stride = padici_cdt_stride(rules, part) / 4;
    memset(k, 0, sizeof *k);
    k->replicas = (uint32_t)rules->desc.replicas;
    k->lanes = PADICI_GPU_CDT_LANES;
    k->share = PADICI_GPU_CDT_SHARE;
    k->stride_lo = (uint32_t)stride;
    k->stride_hi = (uint32_t)(stride >> 32);
    k->places = (uint32_t)(part[0] / 4);
    k->lengths = (uint32_t)((part[0] + part[1]) / 4);
    k->slices = rules->desc.slices;
    k->least = rules->desc.min_length;
    k->seed_lo = (uint32_t)rules->desc.seed;
    k->seed_hi = (uint32_t)(rules->desc.seed >> 32);
    k->flips = rules->flips;
    k->inserts = rules->inserts;
    k->moves = rules->moves;
    k->counted = rules->by_capacity;
    k->weight_insert = rules->desc.weight_insert;
    k->weight_delete = rules->desc.weight_delete;
}

// Fills the heads of the plan. 1: a replica cannot grow so far, and stays as it is.
PADICI_FN uint32_t padici_gpu_cdt_heads(const padici_cdt_run *run)
{
    const padici_cdt_rules *rules = &run->plan->rules;
    uint64_t i, *head = run->plan->heads;
    uint32_t k, missed = 0;
    for (i = 0; i < rules->desc.replicas; i++, head += PADICI_CDT_HEAD) {
        const padici_cdt_replica *r = &run->plan->replicas[i];
        const uint32_t goal = padici_cdt_goal(r), full = run->grow && goal > rules->most;
        const uint32_t end = r->vertices > goal ? r->vertices : goal;
        head[PADICI_CDT_HEAD_VERTICES] = r->vertices;
        head[PADICI_CDT_HEAD_ATTEMPT] = r->attempt;
        for (k = 0; k < PADIC_CDT_MOVES; k++) {
            head[PADICI_CDT_HEAD_ATTEMPTS + k] = r->attempts[k];
            head[PADICI_CDT_HEAD_ACCEPTED + k] = r->accepted[k];
        }
        head[PADICI_CDT_HEAD_REFUSED] = r->refused;
        for (k = 0; k < 2; k++) {
            head[PADICI_CDT_HEAD_INSERT + k] = r->insert[k];
            head[PADICI_CDT_HEAD_REMOVE + k] = r->remove[k];
        }
        head[PADICI_CDT_HEAD_LEFT] = full        ? 0
                                     : run->grow ? padici_cdt_discard(run, end)
                                                 : run->attempts;
        head[PADICI_CDT_HEAD_VISITS] = run->visits;
        head[PADICI_CDT_HEAD_FROM] = r->from;
        head[PADICI_CDT_HEAD_TO] = r->to;
        head[PADICI_CDT_HEAD_TARGET] = r->target;
        head[PADICI_CDT_HEAD_GOAL] = full ? 0 : goal;
        head[PADICI_CDT_HEAD_STREAM] = r->stream;
        head[PADICI_CDT_HEAD_LAMBDA] = (uint64_t)r->lambda;
        head[PADICI_CDT_HEAD_EPSILON] = (uint64_t)r->epsilon;
        missed |= full;
    }
    return missed;
}

// And back. 1: a replica has visits left.
PADICI_FN uint32_t padici_gpu_cdt_back(padici_cdt_run *run)
{
    const uint64_t *head = run->plan->heads;
    uint64_t i;
    uint32_t k, missed = 0;
    for (i = 0; i < run->plan->rules.desc.replicas; i++, head += PADICI_CDT_HEAD) {
        padici_cdt_replica *r = &run->plan->replicas[i];
        r->vertices = (uint32_t)head[PADICI_CDT_HEAD_VERTICES];
        r->attempt = head[PADICI_CDT_HEAD_ATTEMPT];
        for (k = 0; k < PADIC_CDT_MOVES; k++) {
            r->attempts[k] = head[PADICI_CDT_HEAD_ATTEMPTS + k];
            r->accepted[k] = head[PADICI_CDT_HEAD_ACCEPTED + k];
        }
        r->refused = head[PADICI_CDT_HEAD_REFUSED];
        for (k = 0; k < 2; k++) {
            r->insert[k] = head[PADICI_CDT_HEAD_INSERT + k];
            r->remove[k] = head[PADICI_CDT_HEAD_REMOVE + k];
        }
        missed |= head[PADICI_CDT_HEAD_VISITS] != 0;
    }
    return missed;
}

typedef struct padici_gpu_cdt_work {
    padici_gpu *gpu;
    padici_cdt_run *run;
    padici_gpu_work work;
    padici_k_cdt_run_params k;
    padici_gpu_block heads, busy;
    uint32_t made;    // attempts of all chains, mod 2^32
    uint32_t stopped; // by the progress hook
} padici_gpu_cdt_work;

// Launches until all chains have done what a mode means, or the progress hook stops them.
static padic_result padici_gpu_cdt_until_done(padici_gpu_cdt_work *c, uint32_t mode)
{
    uint32_t busy[2] = {0, 0};
    padic_result result;
    c->k.mode = mode;
    do {
        c->k.turn++;
        result = padici_gpu_launch(c->gpu, &c->work);
        if (!result) result = padici_gpu_download(c->gpu, c->busy.mem, 0, busy, sizeof busy);
        c->k.begin = c->k.arrive = 0;
        if (!result) c->stopped = padici_steps_more(&c->run->steps, busy[1] - c->made) != 0;
        c->made = busy[1];
    } while (!result && !c->stopped && busy[0] == c->k.turn);
    return result;
}

// What padici_cdt_run_replica() does, of all chains.
static padic_result padici_gpu_cdt_walk(padici_gpu_cdt_work *c)
{
    const padici_cdt_run *run = c->run;
    padic_result result = PADIC_OK;
    if (run->grow) result = padici_gpu_cdt_until_done(c, PADICI_GPU_CDT_GROW);
    if (!result && !c->stopped && (run->grow || run->attempts))
        result = padici_gpu_cdt_until_done(c, PADICI_GPU_CDT_MOVES);
    if (result || c->stopped || !run->visits) return result;
    c->k.begin = 1;
    c->k.arrive = run->attempts != 0;
    c->k.more_lo = (uint32_t)run->more;
    c->k.more_hi = (uint32_t)(run->more >> 32);
    return padici_gpu_cdt_until_done(c, PADICI_GPU_CDT_VISITS);
}

// Heads there, launches, heads back.
static padic_result padici_gpu_cdt_chains(padici_gpu_cdt_work *c)
{
    padici_cdt_run *run = c->run;
    const uint64_t bytes = run->plan->rules.desc.replicas * PADICI_CDT_HEAD * 8;
    const uint32_t zero[2] = {0, 0}, before = c->gpu->launches;
    uint32_t missed = padici_gpu_cdt_heads(run);
    padic_result result = padici_gpu_scratch(c->gpu, bytes, &c->heads), back;
    if (!result) result = padici_gpu_scratch(c->gpu, 8, &c->busy);
    if (!result) result = padici_gpu_upload(c->gpu, c->heads.mem, 0, run->plan->heads, bytes);
    if (!result) result = padici_gpu_upload(c->gpu, c->busy.mem, 0, zero, sizeof zero);
    if (result) return result;
    c->work.mem[1] = c->heads.mem;
    c->work.mem[2] = c->busy.mem;
    padici_cdt_run_begin(run);
    result = padici_gpu_cdt_walk(c);
    if (c->gpu->launches != before || !result) { // what was done is kept, whatever happened then
        back = padici_gpu_download(c->gpu, c->heads.mem, 0, run->plan->heads, bytes);
        if (!back) missed |= padici_gpu_cdt_back(run);
        if (!back && !result) return padici_cdt_run_end(run, missed);
        if (!result) result = back;
    }
    memset(&run->report, 0, sizeof run->report);
    return result;
}

static padic_result padici_gpu_cdt_drive(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_cdt_run *run = (padici_cdt_run *)call->task;
    const padici_cdt_rules *rules = &run->plan->rules;
    const padici_place *state = &call->operands[0].now;
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const uint64_t groups = units * PADICI_GPU_CDT_SPREAD;
    const char *defines[2];
    padici_gpu_cdt_work c;
    padic_result result;
    memset(&c, 0, sizeof c);
    c.work.kernel = PADICI_KERNEL_CDT_RUN;
    c.work.defines = defines;
    c.work.define_count = padici_gpu_cdt_defines(rules, defines);
    if (gpu->context->recording) return PADIC_ERROR_NOT_SUPPORTED; // heads move
    result = padici_gpu_need(gpu, c.work.kernel, defines, c.work.define_count);
    if (!run->plan->heads || state->at % 4) result = PADIC_ERROR_NOT_SUPPORTED;
    if (query || result) return result;
    c.gpu = gpu;
    c.run = run;
    c.heads.block = c.busy.block = PADICI_NO_BLOCK;
    padici_gpu_cdt_params(rules, &c.k);
    if (rules->desc.replicas < groups * c.k.lanes) // rather more groups than full ones
        c.k.lanes = (uint32_t)((rules->desc.replicas + groups - 1) / groups);
    c.k.state_lo = (uint32_t)(state->at / 4);
    c.k.state_hi = (uint32_t)(state->at / 4 >> 32);
    c.work.mem[0] = state->mem;
    c.work.mem_count = 3;
    c.work.params = &c.k;
    c.work.params_size = sizeof c.k;
    c.work.groups[0] = (uint32_t)((rules->desc.replicas + c.k.lanes - 1) / c.k.lanes);
    result = padici_gpu_cdt_chains(&c);
    padici_gpu_scratch_end(gpu, &c.heads);
    padici_gpu_scratch_end(gpu, &c.busy);
    return result;
}

PADICI_FN padic_result padici_gpu_cdt_grow(padici_gpu *gpu, const padici_call *call, int query)
{
    return padici_gpu_cdt_drive(gpu, call, query);
}

PADICI_FN padic_result padici_gpu_cdt_run(padici_gpu *gpu, const padici_call *call, int query)
{
    return padici_gpu_cdt_drive(gpu, call, query);
}

// Both kinds.
PADICI_FN padic_result padici_warm_cdt(padici_gpu *gpu)
{
    static const char *const sphere[] = {"PD_CDT_SPHERE=1"};
    const padic_result result = padici_gpu_need(gpu, PADICI_KERNEL_CDT_RUN, NULL, 0);
    return result ? result : padici_gpu_need(gpu, PADICI_KERNEL_CDT_RUN, sphere, 1);
}

#undef PADICI_GPU_CDT_SHARE
#undef PADICI_GPU_CDT_LANES
#undef PADICI_GPU_CDT_SPREAD

#endif
