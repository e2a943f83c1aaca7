#include "plan.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/place.h"
#include "../context/pool.h"
#include "../context/state.h"
#include "../context/workspace.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "fused.h"

#if PADICI_IMPLEMENT_FIELD

// Plans: tables and arrays in one piece of memory, and plans of transforms.

#define PADICI_FIELD_PADDED(count) (((count) + 7) & ~(uint64_t)7)

// Memory that is handed out in pieces; `at` NULL: only counted.
typedef struct padici_field_room {
    double *at;
    uint64_t used; // doubles
} padici_field_room;

static double *padici_field_take(padici_field_room *room, uint64_t count)
{
    double *piece = room->at ? room->at + room->used : NULL;
    room->used += PADICI_FIELD_PADDED(count);
    return piece;
}

static void *padici_field_arena_alloc(size_t size, size_t align, void *user)
{
    padici_field_arena *arena = (padici_field_arena *)user;
    const uint64_t first = (arena->used + align - 1) & ~(uint64_t)(align - 1);
    if (first > arena->size || size > arena->size - first) return NULL;
    arena->used = first + size;
    return arena->at + first;
}

// What was taken last is there again.
static void padici_field_arena_free(void *pointer, size_t size, void *user)
{
    padici_field_arena *arena = (padici_field_arena *)user;
    if ((char *)pointer + size == arena->at + arena->used) arena->used -= size;
}

static uint32_t padici_field_arrays(const padici_field_rules *rules)
{
    return rules->desc.method == PADIC_FIELD_METHOD_RK4 ? 4 : 3;
}

// Hands out the arrays of a plan. Returns the bytes.
static uint64_t padici_field_arrange(const padici_field_rules *rules, padic_field_plan *plan,
                                   double *memory)
{
    padici_field_room room;
    uint64_t longest = 0;
    uint32_t a;
    room.at = memory;
    room.used = 0;
    for (a = 0; a < 3; a++) {
        const uint64_t n = rules->n[a];
        if (n > longest) longest = n;
        plan->x[a] = padici_field_take(&room, n);
        plan->trap[a] = padici_field_take(&room, n);
        plan->k[a] = padici_field_take(&room, n);
        plan->slope[a] = padici_field_take(&room, n);
        plan->turn[0][a] = padici_field_take(&room, 2 * n);
        plan->turn[1][a] = padici_field_take(&room, 2 * n);
    }
    plan->angle = padici_field_take(&room, rules->n[2]);
    for (a = 0; a < 2; a++)
        plan->waves[a] = rules->is_double ? plan->turn[a][rules->first]
                                          : padici_field_take(&room, rules->n[rules->first]);
    plan->line = padici_field_take(&room, 4 * longest);
    plan->part = padici_field_take(&room, rules->chunks * PADICI_FIELD_SUMS);
    plan->potential = plan->absorber = NULL;
    if (rules->desc.potential.data) plan->potential = padici_field_take(&room, rules->points);
    if (rules->desc.absorber.data) plan->absorber = padici_field_take(&room, rules->points);
    for (a = 0; a < padici_field_arrays(rules); a++)
        plan->array[a] = padici_field_take(&room, 2 * rules->points);
    return room.used * sizeof(double);
}

static void padici_field_range_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    uint64_t i;
    for (i = 0; i < piece->count; i++) {
        const double v = padici_field_potential(pass->plan, piece, i);
        const double w = pass->plan->absorber ? pass->plan->absorber[piece->at + i] : 0;
        padici_field_largest(&sums[9], v);
        padici_field_largest(&sums[10], -v);
        padici_field_largest(&sums[11], -w);
    }
}

// Tables of new parameters: places and modes along an axis.
static void padici_field_axis_tables(padic_field_plan *plan, uint32_t a)
{
    const padici_field_rules *rules = &plan->rules;
    const uint64_t n = rules->n[a];
    const uint32_t mine = a - rules->first;
    const int there = a >= rules->first;
    uint64_t i;
    for (i = 0; i < n; i++) {
        const double x = rules->x[a] + (double)i * rules->h[a];
        const double mode = i < (n + 1) / 2 ? (double)i : (double)i - (double)n;
        const double k = there ? 2 * 3.14159265358979323846 * mode / ((double)n * rules->h[a]) : 0;
        const double away = there ? x - rules->desc.centre[mine] : 0;
        plan->x[a][i] = x;
        plan->trap[a][i] = there ? rules->desc.trap[mine] * away * away : 0;
        plan->k[a][i] = rules->desc.kinetic * k * k;
        plan->slope[a][i] = 2 * i == n ? 0 : k;
    }
}

// The tables and arrays of the plan's rules; what is not finite is DOMAIN.
static padic_result padici_field_tables(padic_context *context, padic_field_plan *plan)
{
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS];
    uint32_t a;
    plan->tables++;
    for (a = 0; a < 3; a++) padici_field_axis_tables(plan, a);
    if (plan->potential)
        padici_field_load_real(plan, &plan->rules.desc.potential, plan->potential);
    if (plan->absorber) padici_field_load_real(plan, &plan->rules.desc.absorber, plan->absorber);
    plan->turn_time[0] = plan->turn_time[1] = plan->angle_time = 0;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.piece = padici_field_range_piece;
    padici_field_run(&pass, sums);
    plan->potential_most = sums[9];
    plan->potential_least = -sums[10];
    if (!(sums[9] - sums[9] == 0) || !(sums[10] - sums[10] == 0))
        return padici_fail_field(context, PADIC_ERROR_DOMAIN, "potential", "is not finite");
    if (!(sums[11] <= 0))
        return padici_fail_field(context,
                                 sums[11] > 0 ? PADIC_ERROR_ARGUMENT : PADIC_ERROR_DOMAIN,
                                 "absorber", "is negative or not finite");
    return PADIC_OK;
}

// A plan of transforms of the first axis, or of the others, of arrays of `dtype`.
PADICI_FN padic_result padici_field_transform_plan(padic_context *context, padic_field_plan *plan,
                                                   padic_dtype dtype, uint32_t others,
                                                   padic_fft_plan **fft)
{
    const uint32_t dims = plan->rules.desc.dims;
    padic_fft_transform_desc desc;
    padici_fft_choice choice;
    padici_fft_shape shape;
    padic_env env;
    padic_result result;
    uint32_t a;
    memset(&desc, 0, sizeof desc);
    desc.out = padic_tensor_nd(dtype, plan->array[0], dims, plan->rules.desc.shape);
    desc.axis_count = others ? dims - 1 : 1;
    for (a = 0; a < desc.axis_count; a++) desc.axis[a] = others + a;
    padici_fft_shape_of(&desc, &shape);
    choice.is_double = shape.is_double;
    choice.kernels = padici_fft_plain();
    (void)padici_loop_run(padici_loop_of(context, PADIC_OP_FFT_KERNELS), &choice);
    memset(&env, 0, sizeof env);
    if (context) env = context->env;
    env.allocator = &plan->allocator;
    result = padici_fft_plan_make(&env, context, choice.kernels, &shape, fft);
    if (result) return padici_fail_here(context, result, "no memory for the plan");
    plan->size += padic_fft_plan_size(*fft);
    return PADIC_OK;
}

static padic_result padici_field_transforms(padic_context *context, padic_field_plan *plan)
{
    const uint32_t count = plan->rules.desc.dims > 1 ? 2 : 1;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < count && plan->rules.spectral && !result; i++)
        result = padici_field_transform_plan(context, plan, PADIC_C128, i, &plan->fft[i]);
    for (i = 0; i < count && plan->fused && !result; i++) {
        if (plan->rules.is_double)
            plan->fused_fft[i] = plan->fft[i];
        else
            result = padici_field_transform_plan(context, plan, PADIC_C64, i, &plan->fused_fft[i]);
    }
    return result;
}

// Loops of a backend, and whether steps are fused by them.
static void padici_field_choose(padic_context *context, padic_field_plan *plan)
{
    const padici_field_rules *rules = &plan->rules;
    const padici_loop loop = padici_loop_of(context, PADIC_OP_FIELD_KERNELS);
    padici_field_choice choice;
    choice.is_double = 1;
    choice.kernels = NULL;
    (void)padici_loop_run(loop, &choice);
    plan->kernels = choice.kernels;
    if (rules->desc.method > PADIC_FIELD_METHOD_SPLIT4) return;
    choice.is_double = rules->is_double;
    choice.kernels = NULL;
    (void)padici_loop_run(loop, &choice);
    plan->fused = choice.kernels;
}

static void padici_field_plan_free(padic_field_plan *plan)
{
    const padic_allocator allocator = plan->allocator;
    uint32_t i;
    for (i = 0; i < plan->device.made && !plan->device.recorded; i++) // else as long as the context
        padici_pool_give(plan->context, &plan->context->pools[0], plan->device.block[i]);
    padic_fft_plan_destroy(plan->fft[0]);
    padic_fft_plan_destroy(plan->fft[1]);
    if (!plan->rules.is_double) {
        padic_fft_plan_destroy(plan->fused_fft[0]);
        padic_fft_plan_destroy(plan->fused_fft[1]);
    }
    if (plan->arena.at) return;
    if (plan->memory) padici_free(&allocator, plan->memory, (size_t)plan->memory_size);
    padici_free(&allocator, plan, sizeof *plan);
}

// The plan by itself, from the allocator or the caller's memory.
static padic_result padici_field_plan_begin(padic_context *context,
                                            const padic_field_plan_desc *desc,
                                            padic_field_plan **out)
{
    const padic_tensor *space = &desc->workspace;
    const int placed = space->data || space->buffer.id;
    padici_field_arena arena;
    padic_field_plan *plan;
    memset(&arena, 0, sizeof arena);
    if (placed) {
        const uint64_t bytes = padic_field_plan_size_bound(context, desc);
        const padic_result result = padici_workspace_check(context, space, bytes);
        if (result) return result;
        arena.at = (char *)space->data;
        arena.size = bytes;
        plan = (padic_field_plan *)padici_field_arena_alloc(sizeof *plan, 64, &arena);
    } else {
        plan = (padic_field_plan *)padici_alloc(padici_allocator(context), sizeof *plan, 64);
    }
    if (!plan) return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for the plan");
    memset(plan, 0, sizeof *plan);
    plan->context = context;
    plan->arena = arena;
    if (placed) {
        plan->allocator.alloc = padici_field_arena_alloc;
        plan->allocator.free = padici_field_arena_free;
        plan->allocator.user = &plan->arena;
    } else if (padici_allocator(context)) {
        plan->allocator = *padici_allocator(context);
    }
    *out = plan;
    return PADIC_OK;
}

PADICI_FN padic_result padici_field_plan_make(padic_context *context,
                                              const padic_field_plan_desc *desc,
                                              padic_field_plan **out)
{
    padici_field_rules rules;
    padic_field_plan *plan = NULL;
    padic_result result = padici_field_rules_make(context, desc, &rules);
    *out = NULL;
    if (!result) result = padici_field_plan_begin(context, desc, &plan);
    if (result) return result;
    plan->rules = rules;
    plan->memory_size = padici_field_arrange(&rules, plan, NULL);
    if (plan->memory_size <= (size_t)-1 - 64)
        plan->memory = padici_alloc(&plan->allocator, (size_t)plan->memory_size, 64);
    if (!plan->memory) {
        padici_field_plan_free(plan);
        return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for the plan");
    }
    (void)padici_field_arrange(&rules, plan, (double *)plan->memory);
    plan->size = sizeof *plan + plan->memory_size;
    padici_field_choose(context, plan);
    result = padici_field_tables(context, plan);
    if (!result) result = padici_field_transforms(context, plan);
    if (result) padici_field_plan_free(plan);
    else *out = plan;
    return result;
}

PADICI_FN void padici_field_plan_end(padic_field_plan *plan)
{
    if (plan) padici_field_plan_free(plan);
}

PADICI_FN padic_result padici_field_plan_check(padic_context *context,
                                               const padic_field_plan *plan)
{
    if (!plan) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plan", "is NULL");
    if (plan->context != context)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plan", "is of another context");
    if (plan->unset)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plan",
                                 "has parameters that padic_field_plan_set() refused");
    return PADIC_OK;
}

// Two views in host memory that share none of it. (Buffers the context looks at.)
PADICI_FN padic_result padici_field_apart(padic_context *context, const char *field,
                                          const padic_tensor *a, const padic_tensor *b)
{
    uint64_t size, more, before;
    padici_place at, other;
    int dense;
    if (!a->data || !b->data) return PADIC_OK;
    memset(&at, 0, sizeof at);
    memset(&other, 0, sizeof other);
    at.host = other.host = 1;
    at.mem.bits = (uint64_t)(uintptr_t)a->data;
    other.mem.bits = (uint64_t)(uintptr_t)b->data;
    size = padici_tensor_span(a, &dense, &before);
    more = padici_tensor_span(b, &dense, &before);
    if (size && more && padici_places_overlap(&at, size, &other, more))
        return padici_fail_field(context, PADIC_ERROR_OVERLAP, field, "shares memory with psi");
    return PADIC_OK;
}

// ---- public

// At least the bytes of the transforms of an axis: tables, and the scratch of each worker, for
// vectors of up to 8 lanes in f64, 16 in f32.
static uint64_t padici_field_transform_bytes(uint64_t n, uint64_t workers)
{
    const uint64_t length = padici_fft_smooth(n) ? n : 4 * n; // of Bluestein's convolution
    return 16 * (24 * length + workers * (30 * length + 300));
}

PADIC_API uint64_t padic_field_plan_size_bound(padic_context *context,
                                               const padic_field_plan_desc *desc)
{
    const padic_jobs *jobs = padici_jobs(context);
    uint64_t workers = jobs && jobs->workers > 1 ? jobs->workers : 1, bytes;
    padici_field_rules rules;
    padic_field_plan plan;
    uint32_t a;
    if (!desc || padici_field_rules_make(context, desc, &rules)) return 0;
    if (workers > PADICI_FFT_WORKERS) workers = PADICI_FFT_WORKERS;
    bytes = ((sizeof plan + 63) & ~(uint64_t)63) + padici_field_arrange(&rules, &plan, NULL);
    for (a = rules.first; a < 3 && rules.spectral; a++)
        bytes += (rules.is_double ? 1 : 2) *
                 (sizeof(padic_fft_plan) + padici_field_transform_bytes(rules.n[a], workers));
    return bytes;
}

PADICI_FN void padici_field_limits_of(const padic_field_plan *plan, padic_field_limits *limits)
{
    const padici_field_rules *rules = &plan->rules;
    const double least = plan->potential_least, most = plan->potential_most;
    double k = 0, h = 0, least_u = least, most_u = most, size;
    uint32_t a, j;
    memset(limits, 0, sizeof *limits);
    for (a = rules->first; a < 3; a++) {
        h += 1 / (rules->h[a] * rules->h[a]);
        k += 9.86960440108935861883 / (rules->h[a] * rules->h[a]); // pi^2
    }
    size = most > -least ? most : -least;
    for (j = 0; j < rules->terms; j++) {
        const double u = rules->g[j] *
                         padici_field_power(rules->desc.density_hint, rules->half[j]);
        size += u < 0 ? -u : u;
        if (u < 0) least_u += u;
        else most_u += u;
    }
    limits->energy_max = 4 * rules->desc.kinetic * h + size;
    limits->split_dt = 3.14159265358979323846 / (rules->desc.kinetic * k);
    limits->leapfrog_dt = 2 / limits->energy_max;
    limits->rk4_dt = 2.83 / limits->energy_max;
    size = most_u > -least_u ? most_u : -least_u;
    limits->phase = size * (rules->desc.dt < 0 ? -rules->desc.dt : rules->desc.dt);
    limits->past_split = rules->desc.method <= PADIC_FIELD_METHOD_SPLIT4 &&
                         rules->desc.time == PADIC_FIELD_TIME_REAL &&
                         !(rules->desc.dt < limits->split_dt && -rules->desc.dt < limits->split_dt);
}

PADIC_API padic_result padic_field_plan_limits(const padic_field_plan *plan,
                                               padic_field_limits *report)
{
    if (report) memset(report, 0, sizeof *report);
    if (!plan || !report) return PADIC_ERROR_ARGUMENT;
    padici_field_limits_of(plan, report);
    return PADIC_OK;
}

// A number above 0 with four digits, for sentences.
static void padici_field_number(padici_text *text, double x)
{
    int power = 0;
    for (; x >= 10 && power < 400; power++) x /= 10;
    for (; x < 1 && power > -400; power--) x *= 10;
    padici_text_number(text, (uint64_t)x, 1);
    padici_text_add(text, ".");
    padici_text_number(text, (uint64_t)((x - (double)(uint64_t)x) * 1000), 3);
    padici_text_add(text, power < 0 ? "e-" : "e");
    padici_text_number(text, (uint64_t)(power < 0 ? -power : power), 1);
}

static padic_result padici_field_explicit_check(padic_context *context,
                                                const padic_field_plan *plan)
{
    const padic_field_method method = plan->rules.desc.method;
    const double dt = plan->rules.desc.dt;
    padic_field_limits limits;
    double most;
    padici_text text;
    char sentence[64];
    padici_field_limits_of(plan, &limits);
    most = method == PADIC_FIELD_METHOD_LEAPFROG2 ? limits.leapfrog_dt : limits.rk4_dt;
    if (method != PADIC_FIELD_METHOD_LEAPFROG2 && method != PADIC_FIELD_METHOD_RK4)
        return PADIC_OK;
    if (dt < most && -dt < most) return PADIC_OK;
    padici_text_begin(&text, sentence, sizeof sentence);
    padici_text_add(&text, "is not below the method's limit, ");
    padici_field_number(&text, most);
    return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "dt", sentence);
}

static padic_result padici_field_create_named(padic_context *context,
                                              const padic_field_plan_desc *desc,
                                              padic_field_plan **plan)
{
    padic_result result;
    if (!plan) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "plan is NULL");
    *plan = NULL;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    result = padici_field_plan_make(context, desc, plan);
    if (!result) result = padici_field_explicit_check(context, *plan);
    if (!result) return PADIC_OK;
    padici_field_plan_end(*plan);
    *plan = NULL;
    return result;
}

PADIC_API padic_result padic_field_plan_create(padic_context *context,
                                               const padic_field_plan_desc *desc,
                                               padic_field_plan **plan)
{
    const char *before = padici_enter(context, "field_plan_create");
    const padic_result result = padici_field_create_named(context, desc, plan);
    padici_leave(context, before);
    return result;
}

PADIC_API void padic_field_plan_destroy(padic_field_plan *plan)
{
    padici_field_plan_end(plan);
}

PADIC_API uint64_t padic_field_plan_size(const padic_field_plan *plan)
{
    return plan ? plan->size : 0;
}

static int padici_field_same_grid(const padici_field_rules *a, const padici_field_rules *b)
{
    uint32_t i;
    if (a->desc.dims != b->desc.dims || a->desc.batch != b->desc.batch ||
        a->desc.dtype != b->desc.dtype || a->planar != b->planar ||
        a->desc.method != b->desc.method)
        return 0;
    for (i = 0; i < a->desc.dims; i++)
        if (a->desc.shape[i] != b->desc.shape[i] || a->desc.boundary[i] != b->desc.boundary[i])
            return 0;
    for (i = 0; i < 3; i++)
        if (a->h[i] != b->h[i] || a->x[i] != b->x[i]) return 0;
    return 1;
}

static padic_result padici_field_set_named(padic_context *context,
                                           const padic_field_plan_desc *desc,
                                           padic_field_plan *plan)
{
    padici_field_rules rules;
    padic_result result = PADIC_OK;
    const uint32_t unset = plan ? plan->unset : 0;
    if (plan) plan->unset = 0;
    result = padici_field_plan_check(context, plan);
    if (plan) plan->unset = unset;
    if (result) return result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    result = padici_field_rules_make(context, desc, &rules);
    if (result) return result;
    if (!padici_field_same_grid(&rules, &plan->rules))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "the plan is of another grid, dtype, layout, batch or method");
    if (!plan->potential != !rules.desc.potential.data)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "potential",
                                 "is there, or not, unlike when the plan was made");
    if (!plan->absorber != !rules.desc.absorber.data)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "absorber",
                                 "is there, or not, unlike when the plan was made");
    plan->rules = rules;
    plan->warned = 0;
    result = padici_field_tables(context, plan);
    if (!result) result = padici_field_explicit_check(context, plan);
    plan->unset = result != PADIC_OK;
    return result;
}

PADIC_API padic_result padic_field_plan_set(padic_context *context,
                                            const padic_field_plan_desc *desc,
                                            padic_field_plan *plan)
{
    const char *before = padici_enter(context, "field_plan_set");
    const padic_result result = padici_field_set_named(context, desc, plan);
    padici_leave(context, before);
    return result;
}

#undef PADICI_FIELD_PADDED

#endif
