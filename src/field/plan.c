#include "plan.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/tensor.h"

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
        plan->turn[a] = padici_field_take(&room, 2 * n);
    }
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
        if (!(v <= sums[9])) sums[9] = v;
        if (!(-v <= sums[10])) sums[10] = -v;
        if (!(-w <= sums[11])) sums[11] = -w;
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
    for (a = 0; a < 3; a++) padici_field_axis_tables(plan, a);
    if (plan->potential)
        padici_field_load_real(plan, &plan->rules.desc.potential, plan->potential);
    if (plan->absorber) padici_field_load_real(plan, &plan->rules.desc.absorber, plan->absorber);
    plan->turn_time = 0;
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

static padic_result padici_field_transforms(padic_context *context, padic_field_plan *plan)
{
    const uint32_t dims = plan->rules.desc.dims;
    padic_fft_transform_desc fft;
    padic_result result = PADIC_OK;
    uint32_t i, a;
    if (!plan->rules.spectral) return PADIC_OK;
    for (i = 0; i < (dims > 1 ? 2u : 1u) && !result; i++) {
        memset(&fft, 0, sizeof fft);
        fft.out = padic_tensor_nd(PADIC_C128, plan->array[0], dims, plan->rules.desc.shape);
        fft.axis_count = i ? dims - 1 : 1;
        for (a = 0; a < fft.axis_count; a++) fft.axis[a] = i + a;
        result = padic_fft_plan_create(context, &fft, &plan->fft[i]);
        if (!result) plan->size += padic_fft_plan_size(plan->fft[i]);
    }
    return result;
}

static void padici_field_plan_free(padic_field_plan *plan)
{
    const padic_allocator allocator = plan->allocator;
    padic_fft_plan_destroy(plan->fft[0]);
    padic_fft_plan_destroy(plan->fft[1]);
    if (plan->memory) padici_free(&allocator, plan->memory, (size_t)plan->memory_size);
    padici_free(&allocator, plan, sizeof *plan);
}

PADICI_FN padic_result padici_field_plan_make(padic_context *context,
                                              const padic_field_plan_desc *desc,
                                              padic_field_plan **out)
{
    padici_field_rules rules;
    padic_field_plan *plan;
    padic_result result = padici_field_rules_make(context, desc, &rules);
    *out = NULL;
    if (result) return result;
    plan = (padic_field_plan *)padici_alloc(padici_allocator(context), sizeof *plan, 64);
    if (!plan) return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for the plan");
    memset(plan, 0, sizeof *plan);
    plan->rules = rules;
    plan->context = context;
    if (padici_allocator(context)) plan->allocator = *padici_allocator(context);
    plan->memory_size = padici_field_arrange(&rules, plan, NULL);
    if (plan->memory_size <= (size_t)-1 - 64)
        plan->memory = padici_alloc(&plan->allocator, (size_t)plan->memory_size, 64);
    if (!plan->memory) {
        padici_field_plan_free(plan);
        return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for the plan");
    }
    (void)padici_field_arrange(&rules, plan, (double *)plan->memory);
    plan->size = sizeof *plan + plan->memory_size;
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

#undef PADICI_FIELD_PADDED

#endif
