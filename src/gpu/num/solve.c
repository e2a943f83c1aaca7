#include "solve.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../../num/array.h"
#include "../../num/determinant.h"
#include "../../num/lifting.h"
#include "../launch.h"
#include "../variants.h"
#include "params.h"
#include "run.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// Small exact linear algebra

#define PADICI_GPU_NUM_ROOM (UINT64_C(32) << 20) // bytes that fit in a large cache

// The last word of the host's `bits`: the status of all systems together.
PADICI_FN padic_result padici_gpu_num_report(padici_gpu *gpu, padici_num_task *task, padic_mem mem)
{
    padici_place from = {{0}, 0, 0}, to = {{0}, 0, 1};
    if (!task->report) return PADIC_OK;
    from.mem = mem;
    to.mem.bits = (uint64_t)(uintptr_t)&task->call.bits;
    return padici_target_move(gpu->context, gpu->target, &to, &from, 4);
}

// The number of groups of `items` systems of a launch: enough for all, at most as many as run at a
// time, limited by `each` bytes of scratch per group.
PADICI_FN uint32_t padici_gpu_num_groups(const padici_gpu *gpu, uint64_t count, uint32_t items,
                                         uint32_t most, uint64_t each)
{
    const uint32_t units = gpu->info->compute_units;
    const uint64_t all = (count + items - 1) / items;
    uint64_t groups = (uint64_t)(units ? units : 64) * most;
    if (groups > all) groups = all;
    if (groups > PADICI_GPU_NUM_ROOM / each) groups = PADICI_GPU_NUM_ROOM / each;
    return groups ? (uint32_t)groups : 1;
}

// The part of a batch in one launch: systems from `system` on, and right sides from `side` on.
typedef struct padici_gpu_solve_cut {
    uint64_t system, systems;
    uint32_t side, sides;
} padici_gpu_solve_cut;

#define PADICI_GPU_SOLVE_SIDES 64u // per launch: as many as a group has items

// The first cut (systems = 0), or the next one. 0: there is none.
static int padici_gpu_solve_next(const padici_num_solving *s, padici_gpu_solve_cut *cut)
{
    const uint32_t sides = s->right.wanted ? s->sides : 0;
    const uint64_t each = (uint64_t)s->n * (s->n > sides ? s->n : sides);
    const uint64_t most = PADICI_GPU_SOLVE_CELLS > each ? PADICI_GPU_SOLVE_CELLS / each : 1;
    cut->side += cut->sides;
    if (cut->side >= sides) {
        cut->side = 0;
        cut->system += cut->systems;
    }
    cut->systems = s->batch - cut->system < most ? s->batch - cut->system : most;
    cut->sides = sides - cut->side < PADICI_GPU_SOLVE_SIDES ? sides - cut->side
                                                            : PADICI_GPU_SOLVE_SIDES;
    return cut->systems != 0;
}

// Byte offset of a cut in a tensor with `each` elements per system: for B and its like including
// the side.
static uint64_t padici_gpu_solve_at(const padici_num_integers *x, const padici_gpu_solve_cut *cut,
                                    uint64_t each, uint32_t side)
{
    return (cut->system * each + side) * padic_dtype_size(x->dtype);
}

// Modulo p^N: num.cl.
static padic_result padici_gpu_solve_modp(padici_gpu *gpu, const padici_call *all,
                                          padici_num_solving *s, int query)
{
    padici_num_task *const task = (padici_num_task *)all->task;
    const uint32_t n = s->n, size = s->call.ring->unit_size;
    const uint32_t sides = s->sides < PADICI_GPU_SOLVE_SIDES ? s->sides : PADICI_GPU_SOLVE_SIDES;
    const uint64_t each = 128 * (uint64_t)n * (n + sides) * size;
    padici_gpu_solve_cut cut = {0, 0, 0, 0};
    padic_num_call call = s->call;
    padici_k_num_each_params k;
    padici_gpu_num_run run;
    padici_gpu_block room;
    padic_result result;
    padici_gpu_num_places places;
    uint64_t base;
    uint32_t groups;
    if (s->call.ring->form > PADIC_NUM_W64 || s->call.ring->composite)
        return PADIC_ERROR_NOT_SUPPORTED;
    task->call.ring = s->call.ring;
    padici_gpu_num_begin(&run, gpu, all, PADIC_OP_NUM_SOLVE,
                         padici_gpu_num_op(PADIC_OP_NUM_SOLVE));
    padici_gpu_num_define(&run, run.work.define_count++, "PD_NUM_SIZE=",
                          padic_dtype_size(s->dtype));
    memset(&places, 0, sizeof places);
    places.at[0] = padici_gpu_num_find(&run, all, &s->call.out.unit);
    places.at[6] = padici_gpu_num_find(&run, all, &s->rank.data); // b's
    places.at[PADICI_NUM_STATUS] = padici_gpu_num_find(&run, all, &s->status.data);
    places.at[PADICI_NUM_OTHER] = padici_gpu_num_find(&run, all, &s->matrix.data);
    places.at[PADICI_NUM_OTHER + 1] = padici_gpu_num_find(&run, all, &s->right.data);
    if (run.beyond || run.mems > 7) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, run.work.kernel, run.defines, run.work.define_count);
    if (result || query) return result;
    groups = padici_gpu_num_groups(gpu, s->batch, 128, 32, each);
    result = padici_gpu_scratch(gpu, 256 + groups * each, &room);
    if (result) return result;
    base = padici_gpu_num_memory(&run, &room);
    if (task->report)
        result = padici_target_fill(gpu->context, gpu->target, room.mem, 0, 0, 4);
    while (!result && padici_gpu_solve_next(s, &cut)) {
        const uint64_t row = (uint64_t)n * s->sides;
        padici_gpu_num_places part = places;
        padici_gpu_num_move(&part, PADICI_NUM_STATUS, padici_gpu_solve_at(&s->status, &cut, 1, 0));
        padici_gpu_num_move(&part, PADICI_NUM_OTHER,
                            padici_gpu_solve_at(&s->matrix, &cut, (uint64_t)n * n, 0));
        padici_gpu_num_move(&part, PADICI_NUM_OTHER + 1,
                            padici_gpu_solve_at(&s->right, &cut, row, cut.side));
        padici_gpu_num_move(&part, 0, (cut.system * row + cut.side) * size);
        padici_gpu_num_move(&part, 6, padici_gpu_solve_at(&s->rank, &cut, 1, 0));
        part.at[PADICI_NUM_OTHER + 2] = base + 256;
        part.at[PADICI_NUM_STICKY] = task->report ? base : 0;
        call.count = cut.systems;
        call.k = n;
        call.stride = cut.sides | (uint64_t)s->sides << 32;
        padici_gpu_num_params(&k, &call, &part, run.bits);
        result = padici_gpu_num_launch(&run, &k, groups);
    }
    if (!result) result = padici_gpu_num_report(gpu, task, room.mem);
    padici_gpu_scratch_end(gpu, &room);
    return result;
}

// Words of a group of kind 1: for residues and for two numbers a side, then for the answers. Their
// limbs are those of the product of primes, as solve_bound() of solve.cl asks for, and one more for
// a carry or a sign.
PADICI_FN void padici_gpu_solve_room(padici_k_solve_systems_params *k)
{
    const uint32_t cells = k->n * (k->n + k->sides);
    uint32_t log = 0, bits, limbs;
    while (1u << log < k->n) log++;
    bits = k->n * (k->wide ? 64 : 32) + (k->n * log + 1) / 2;
    limbs = 31 * ((bits + 2) / 31 + 1) / 32 + 2;
    k->part = cells > 2 * k->sides * limbs ? cells : 2 * k->sides * limbs;
    k->each = k->part + limbs * (k->n * k->sides + 1);
}

// The plane q of the kernel, `bytes` further on.
static void padici_gpu_solve_place(padici_k_solve_systems_params *k, padici_gpu_work *work,
                                   const padici_call *call, uint32_t q, padici_num_integers *x,
                                   uint64_t bytes)
{
    const padici_operand *const o = padici_gpu_num_operand(call, &x->data);
    work->mem[q] = (o ? o : call->operands)->now.mem;
    if (!o) return;
    padici_gpu_num_pair(k->place + 2 * q, o->now.at + bytes);
    k->place[2 * q + 1] |= 1u << 24;
}

static void padici_gpu_solve_params(padici_k_solve_systems_params *k, padici_gpu_work *work,
                                    padici_num_solving *s, const padici_call *call,
                                    const padici_gpu_solve_cut *cut)
{
    padici_num_integers none = {NULL, 0, PADIC_DTYPE_NONE, 0, 0};
    const padici_num_integers *const out[3] = {&s->numerator, &s->denominator, &s->det};
    const uint64_t n = s->n, row = n * s->sides;
    uint32_t i;
    memset(k, 0, sizeof *k);
    k->count = (uint32_t)cut->systems;
    k->n = s->n;
    k->sides = cut->sides;
    k->step = s->sides;
    k->batch = (uint32_t)s->batch;
    k->again = cut->side != 0;
    k->wide = s->dtype == PADIC_I64;
    padici_gpu_solve_room(k);
    for (i = 0; i < 3; i++) {
        k->type[i] = padici_gpu_num_int_kind(out[i]->dtype);
        k->words[i] = out[i]->limbs;
    }
    padici_gpu_solve_place(k, work, call, 0, &s->matrix,
                           padici_gpu_solve_at(&s->matrix, cut, n * n, 0));
    padici_gpu_solve_place(k, work, call, 1, &s->right,
                           padici_gpu_solve_at(&s->right, cut, row, cut->side));
    padici_gpu_solve_place(k, work, call, 2, &s->numerator,
                           padici_gpu_solve_at(&s->numerator, cut, row, cut->side));
    padici_gpu_solve_place(k, work, call, 3, &s->denominator,
                           padici_gpu_solve_at(&s->denominator, cut, s->sides, cut->side));
    padici_gpu_solve_place(k, work, call, 4, k->again ? &none : &s->det,
                           padici_gpu_solve_at(&s->det, cut, 1, 0));
    padici_gpu_solve_place(k, work, call, 5, k->again ? &none : &s->rank,
                           padici_gpu_solve_at(&s->rank, cut, 1, 0));
    padici_gpu_solve_place(k, work, call, 6, &s->status,
                           padici_gpu_solve_at(&s->status, cut, 1, 0));
}

// Bytes of the words before the kernel's scratch.
PADICI_FN uint64_t padici_gpu_solve_head(uint64_t count)
{
    return 8 + 4 * ((count + 1) & ~UINT64_C(1));
}

// A padici_num_solving: over the rationals by solve.cl, small systems first, then the remaining
// ones.
PADICI_FN padic_result padici_gpu_solve(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_num_task *const task = (padici_num_task *)call->task;
    static const char *const large = "PD_SOLVE_KIND=1", *const bound = "PD_SOLVE_KIND=2";
    static const char *const check = "PD_SOLVE_KIND=3";
    padici_num_solving *const s = (padici_num_solving *)(uintptr_t)task->call.options;
    padici_gpu_solve_cut cut = {0, 0, 0, 0};
    padici_k_solve_systems_params k;
    padici_gpu_work work;
    padici_gpu_block room;
    uint64_t each[2], busy, bytes, head;
    uint32_t groups[2], i;
    padic_result result;
    if (s->batch >> 32) return PADIC_ERROR_NOT_SUPPORTED;
    if (s->call.ring) return padici_gpu_solve_modp(gpu, call, s, query);
    result = padici_gpu_need(gpu, PADICI_KERNEL_SOLVE_SYSTEMS, &bound, s->bound);
    if (!result && !s->bound)
        result = padici_gpu_need(gpu, PADICI_KERNEL_SOLVE_SYSTEMS, &large, 1);
    if (!result && s->verify)
        result = padici_gpu_need(gpu, PADICI_KERNEL_SOLVE_SYSTEMS, &check, 1);
    if (result || query) return result;
    memset(&work, 0, sizeof work);
    padici_gpu_solve_next(s, &cut); // the largest
    padici_gpu_solve_params(&k, &work, s, call, &cut);
    head = padici_gpu_solve_head(cut.systems);
    each[0] = (uint64_t)64 * 8 * s->n * (s->n + cut.sides);
    each[1] = (uint64_t)4 * k.each;
    busy = each[1] / 8 > 4 * k.part ? each[1] / 8 : 4 * k.part; // the most that is read
    if (s->bound) each[0] = each[1] = busy = 4; // no room
    groups[0] = padici_gpu_num_groups(gpu, cut.systems, 64, 32, each[0]);
    groups[1] = padici_gpu_num_groups(gpu, cut.systems, 1, 16, busy);
    bytes = groups[0] * each[0] > groups[1] * each[1] ? groups[0] * each[0] : groups[1] * each[1];
    result = padici_gpu_scratch(gpu, head + bytes, &room);
    if (result) return result;
    work.mem_count = 8;
    work.kernel = PADICI_KERNEL_SOLVE_SYSTEMS;
    work.params = &k;
    work.params_size = sizeof k;
    result = padici_target_fill(gpu->context, gpu->target, room.mem, 0, 0, 4);
    memset(&cut, 0, sizeof cut);
    while (!result && padici_gpu_solve_next(s, &cut)) {
        padici_gpu_solve_params(&k, &work, s, call, &cut);
        work.mem[7] = room.mem;
        result = padici_target_fill(gpu->context, gpu->target, room.mem, 4, 0, 4);
        for (i = s->bound; i < 2 + s->verify && !result; i++) {
            k.items = i ? groups[1] : groups[0] * 64;
            work.defines = s->bound ? &bound : i == 2 ? &check : &large;
            work.define_count = i > 0;
            work.groups[0] = groups[i > 0];
            result = padici_gpu_launch(gpu, &work);
        }
    }
    if (!result) result = padici_gpu_num_report(gpu, task, room.mem);
    padici_gpu_scratch_end(gpu, &room);
    return result;
}

#undef PADICI_GPU_NUM_ROOM
#undef PADICI_GPU_SOLVE_SIDES

#endif
