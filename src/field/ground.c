#include "calls.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../context/workspace.h"
#include "../core/memory.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_FIELD

// Ground states.

#define PADICI_FIELD_SEARCH_ARRAYS 5

// Conjugate gradients over psi of unit norm, arrays: psi, and L = (-K Lap - Omega L_z) psi.
typedef struct padici_field_search {
    padic_field_plan *plan;
    double *psi, *l, *space;                // the plan's arrays
    double *gradient, *before, *step, *d, *ld; // of the workspace
    double mu, energy, residual, shift, density;
    double product, size; // of the iteration before: <gradient|step>; of d before it was scaled
} padici_field_search;

typedef void (*padici_field_piece_function)(const padici_field_pass *pass,
                                            const padici_field_piece *piece, double *sums);

static void padici_field_search_pass(const padici_field_search *s, padici_field_piece_function f,
                                     const double *in, const double *other, double *out,
                                     double value, double sums[PADICI_FIELD_SUMS])
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = s->plan;
    pass.piece = f;
    pass.in = in;
    pass.other = other;
    pass.out = out;
    pass.value[0] = value;
    padici_field_run(&pass, sums);
}

// <in|other>: sums 0 and 1.
static void padici_field_dot_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                   double *sums)
{
    const double *a = pass->in + 2 * piece->at, *b = pass->other + 2 * piece->at;
    uint64_t i;
    for (i = 0; i < piece->count; i++, a += 2, b += 2) {
        sums[0] += a[0] * b[0] + a[1] * b[1];
        sums[1] += a[0] * b[1] - a[1] * b[0];
    }
}

static double padici_field_dot(const padici_field_search *s, const double *a, const double *b)
{
    double sums[PADICI_FIELD_SUMS];
    padici_field_search_pass(s, padici_field_dot_piece, a, b, NULL, 0, sums);
    return sums[0] * s->plan->rules.volume;
}

// in: psi, other: L. Sums: norm, <psi|L>, potential, <U>, energies of the interaction; the largest
// density, and minus the least U.
static void padici_field_state_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const double *psi = pass->in + 2 * piece->at, *l = pass->other + 2 * piece->at;
    uint64_t i;
    uint32_t j;
    for (i = 0; i < piece->count; i++, psi += 2, l += 2) {
        const double density = psi[0] * psi[0] + psi[1] * psi[1];
        const double v = padici_field_potential(plan, piece, i);
        double u = v;
        sums[0] += density;
        sums[1] += psi[0] * l[0] + psi[1] * l[1];
        sums[2] += v * density;
        for (j = 0; j < plan->rules.terms; j++) {
            const double rate =
                plan->rules.g[j] * padici_field_power(density, plan->rules.half[j]);
            u += rate;
            sums[4] += rate / (1 + plan->rules.half[j]) * density;
        }
        sums[3] += u * density;
        padici_field_largest(&sums[9], density);
        padici_field_largest(&sums[10], -u);
    }
}

// gradient = L + U psi - mu psi.
static void padici_field_gradient_piece(const padici_field_pass *pass,
                                        const padici_field_piece *piece, double *sums)
{
    const double *psi = pass->in + 2 * piece->at, *l = pass->other + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    for (i = 0; i < piece->count; i++, psi += 2, l += 2, out += 2) {
        const double u = padici_field_rate(pass->plan, piece, i, psi[0] * psi[0] + psi[1] * psi[1]);
        out[0] = l[0] + (u - pass->value[0]) * psi[0];
        out[1] = l[1] + (u - pass->value[0]) * psi[1];
        sums[0] += out[0] * out[0] + out[1] * out[1];
    }
}

// The energy, mu, the gradient and its size, where psi is now.
static void padici_field_search_look(padici_field_search *s)
{
    const double volume = s->plan->rules.volume;
    double sums[PADICI_FIELD_SUMS], least;
    padici_field_search_pass(s, padici_field_state_piece, s->psi, s->l, NULL, 0, sums);
    s->mu = (sums[1] + sums[3]) / sums[0];
    s->energy = (sums[1] + sums[2] + sums[4]) / sums[0];
    s->density = sums[9];
    least = -sums[10] < 0 ? -sums[10] : 0;
    s->shift = (sums[1] + sums[3]) / sums[0] - 2 * least; // a + U >= a - least > 0
    if (!(s->shift > -least)) s->shift = 1 - 2 * least;
    padici_field_search_pass(s, padici_field_gradient_piece, s->psi, s->l, s->gradient, s->mu,
                             sums);
    s->residual = sqrt(sums[0] * volume);
}

// out = in (a + U)^(-1/2), U of psi in `other`.
static void padici_field_soften_piece(const padici_field_pass *pass,
                                      const padici_field_piece *piece, double *sums)
{
    const double *psi = pass->other + 2 * piece->at, *in = pass->in + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++, psi += 2, in += 2, out += 2) {
        const double u = padici_field_rate(pass->plan, piece, i, psi[0] * psi[0] + psi[1] * psi[1]);
        const double factor = 1 / sqrt(pass->value[0] + u);
        out[0] = in[0] * factor;
        out[1] = in[1] * factor;
    }
}

// out -= <psi|out> psi.
static void padici_field_project_piece(const padici_field_pass *pass,
                                       const padici_field_piece *piece, double *sums)
{
    const double *psi = pass->in + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    for (i = 0; i < piece->count; i++, psi += 2, out += 2) {
        const double re = pass->value[0] * psi[0] + -pass->value[1] * psi[1];
        const double im = pass->value[0] * psi[1] + pass->value[1] * psi[0];
        out[0] -= re;
        out[1] -= im;
        sums[0] += out[0] * out[0] + out[1] * out[1];
    }
}

// Makes `out` orthogonal to psi. Returns its norm.
static double padici_field_project(const padici_field_search *s, double *out)
{
    const double volume = s->plan->rules.volume;
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS];
    padici_field_search_pass(s, padici_field_dot_piece, s->psi, out, NULL, 0, sums);
    memset(&pass, 0, sizeof pass);
    pass.plan = s->plan;
    pass.piece = padici_field_project_piece;
    pass.in = s->psi;
    pass.out = out;
    pass.value[0] = sums[0] * volume;
    pass.value[1] = sums[1] * volume;
    padici_field_run(&pass, sums);
    return sums[0] * volume;
}

// d = -step + value d
static void padici_field_direction_piece(const padici_field_pass *pass,
                                         const padici_field_piece *piece, double *sums)
{
    const double *step = pass->in + 2 * piece->at;
    double *d = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < 2 * piece->count; i++) d[i] = pass->value[0] * d[i] - step[i];
}

// The next direction, of unit norm, and L of it. Returns the slope along it.
static double padici_field_search_turn(padici_field_search *s, int restart)
{
    const padic_field_plan *plan = s->plan;
    double product, beta = 0, size;
    padici_field_search_pass(s, padici_field_soften_piece, s->gradient, s->psi, s->step, s->shift,
                             NULL);
    padici_field_smoothen(s->plan, s->shift, s->step);
    padici_field_search_pass(s, padici_field_soften_piece, s->step, s->psi, s->step, s->shift,
                             NULL);
    (void)padici_field_project(s, s->step);
    product = padici_field_dot(s, s->gradient, s->step);
    if (!restart && s->product > 0)
        beta = s->size * (product - padici_field_dot(s, s->before, s->step)) / s->product;
    if (!(beta > 0)) beta = 0;
    if (beta == 0) memset(s->d, 0, (size_t)plan->rules.points * 2 * sizeof(double));
    s->product = product;
    padici_field_search_pass(s, padici_field_direction_piece, s->step, NULL, s->d, beta, NULL);
    size = padici_field_project(s, s->d);
    if (!(size > 0)) return 0;
    s->size = sqrt(size);
    padici_field_scale(plan, 1 / s->size, s->d);
    padici_field_copy(plan, s->gradient, s->before);
    padici_field_kinetic(plan, s->d, s->ld);
    if (plan->rules.desc.rotation != 0) padici_field_rotation(plan, s->d, s->space, s->ld);
    return 2 * padici_field_dot(s, s->gradient, s->d);
}

// Half of E'' along d, without mu: <d|(L + U) d> + sum_j g_j (p_j - 2) rho^((p_j-4)/2)
// (Re conj(psi) d)^2. in: psi, other: d, out: L of d.
static void padici_field_bend_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                    double *sums)
{
    const padici_field_rules *rules = &pass->plan->rules;
    const double *psi = pass->in + 2 * piece->at, *d = pass->other + 2 * piece->at;
    const double *l = pass->out + 2 * piece->at;
    uint64_t i;
    uint32_t j;
    for (i = 0; i < piece->count; i++, psi += 2, d += 2, l += 2) {
        const double density = psi[0] * psi[0] + psi[1] * psi[1];
        const double along = psi[0] * d[0] + psi[1] * d[1];
        const double u = padici_field_rate(pass->plan, piece, i, density);
        sums[0] += d[0] * l[0] + d[1] * l[1] + u * (d[0] * d[0] + d[1] * d[1]);
        for (j = 0; j < rules->terms && density > 0; j++)
            sums[0] += 2 * rules->g[j] * rules->half[j] *
                       (padici_field_power(density, rules->half[j]) / density) * along * along;
    }
}

// The energy of psi cos + d sin: value[0] and [1]; in psi, other d, out L, psi of the pass L of d.
static void padici_field_arc_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                   double *sums)
{
    const padici_field_rules *rules = &pass->plan->rules;
    const double c = pass->value[0], s = pass->value[1];
    const double *psi = pass->in + 2 * piece->at, *d = pass->other + 2 * piece->at;
    const double *l = pass->out + 2 * piece->at, *ld = pass->psi + 2 * piece->at;
    uint64_t i;
    uint32_t j;
    for (i = 0; i < piece->count; i++, psi += 2, d += 2, l += 2, ld += 2) {
        const double re = c * psi[0] + s * d[0], im = c * psi[1] + s * d[1];
        const double density = re * re + im * im;
        sums[0] += density;
        sums[1] += re * (c * l[0] + s * ld[0]) + im * (c * l[1] + s * ld[1]) +
                   padici_field_potential(pass->plan, piece, i) * density;
        for (j = 0; j < rules->terms; j++)
            sums[1] += rules->g[j] / (1 + rules->half[j]) *
                       padici_field_power(density, rules->half[j]) * density;
    }
}

static double padici_field_arc_energy(const padici_field_search *s, double angle)
{
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS];
    memset(&pass, 0, sizeof pass);
    pass.plan = s->plan;
    pass.piece = padici_field_arc_piece;
    pass.in = s->psi;
    pass.other = s->d;
    pass.out = s->l;
    pass.psi = s->ld;
    pass.value[0] = cos(angle);
    pass.value[1] = sin(angle);
    padici_field_run(&pass, sums);
    return sums[1] / sums[0];
}

// out = value[0] out + value[1] in
static void padici_field_blend_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const double *in = pass->in + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < 2 * piece->count; i++)
        out[i] = pass->value[0] * out[i] + pass->value[1] * in[i];
}

static void padici_field_blend(const padici_field_search *s, double a, double *out, double b,
                               const double *in)
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = s->plan;
    pass.piece = padici_field_blend_piece;
    pass.in = in;
    pass.out = out;
    pass.value[0] = a;
    pass.value[1] = b;
    padici_field_run(&pass, NULL);
}

// One step along the arc through psi and d; 0: none lowers the energy.
static int padici_field_search_step(padici_field_search *s, double slope)
{
    const double least = s->energy + 1e-13 * (s->energy < 0 ? -s->energy : s->energy);
    double sums[PADICI_FIELD_SUMS], bend, angle, factor;
    uint32_t halves;
    padici_field_search_pass(s, padici_field_bend_piece, s->psi, s->d, s->ld, 0, sums);
    bend = 2 * (sums[0] * s->plan->rules.volume - s->mu);
    angle = bend > 0 ? -slope / bend : 0.1;
    if (angle > 1) angle = 1;
    for (halves = 0; halves < 40; halves++, angle /= 2)
        if (padici_field_arc_energy(s, angle) <= least) break;
    if (halves == 40) return 0;
    padici_field_blend(s, cos(angle), s->psi, sin(angle), s->d);
    padici_field_blend(s, cos(angle), s->l, sin(angle), s->ld);
    factor = 1 / sqrt(padici_field_norm(s->plan, s->psi));
    padici_field_scale(s->plan, factor, s->psi);
    padici_field_scale(s->plan, factor, s->l);
    return 1;
}

static void padici_field_search_begin(padici_field_search *s)
{
    padici_field_kinetic(s->plan, s->psi, s->l);
    if (s->plan->rules.desc.rotation != 0)
        padici_field_rotation(s->plan, s->psi, s->space, s->l);
    padici_field_search_look(s);
}

static double padici_field_goal(const padic_field_plan *plan, double tolerance, double mu)
{
    const double size = mu < 0 ? -mu : mu;
    if (tolerance > 0) return tolerance;
    return plan->rules.is_double ? 1e-9 : 3e-5 * (size > 1 ? size : 1);
}

static uint64_t padici_field_conjugate(padici_field_search *s, const padic_field_ground_desc *desc,
                                       double limit, uint64_t most)
{
    uint64_t i;
    int restart = 1;
    s->product = 0;
    padici_field_search_begin(s);
    for (i = 0; i < most; i++) {
        double slope;
        if (s->residual <= padici_field_goal(s->plan, desc->tolerance, s->mu)) {
            padici_field_search_begin(s); // without what the updates of L rounded off
            if (s->residual <= padici_field_goal(s->plan, desc->tolerance, s->mu)) break;
            restart = 1;
        }
        if (!(s->residual - s->residual == 0) || (limit > 0 && s->density > limit)) break;
        slope = padici_field_search_turn(s, restart);
        if (!(slope < 0) && !restart) slope = padici_field_search_turn(s, 1);
        restart = !(slope < 0) || !padici_field_search_step(s, slope);
        padici_field_search_look(s);
    }
    return i;
}

// FLOW and SPLIT.
static uint64_t padici_field_relax(padici_field_search *s, const padic_field_ground_desc *desc,
                                   double limit, uint64_t most)
{
    const int flow = desc->method == PADIC_FIELD_GROUND_FLOW;
    const double dt = desc->dt > 0 ? desc->dt : flow ? 1 : 0.01;
    uint64_t i;
    padici_field_search_begin(s);
    for (i = 0; i < most; i++) {
        if (s->residual <= padici_field_goal(s->plan, desc->tolerance, s->mu)) break;
        if (!(s->residual - s->residual == 0) || (limit > 0 && s->density > limit)) break;
        if (flow) padici_field_flow(s->plan, dt, 1);
        else padici_field_split_imaginary(s->plan, dt, 1);
        padici_field_search_begin(s);
    }
    return i;
}

// ---- the call

PADIC_API uint64_t padic_field_ground_workspace(const padic_field_plan *plan)
{
    return plan ? plan->rules.points * 2 * sizeof(double) * PADICI_FIELD_SEARCH_ARRAYS : 0;
}

// One field of the batch, in the plan's first array. Returns whether the goal was reached.
static int padici_field_ground_one(padici_field_ground_call *call, double *memory, double norm,
                                   padic_field_ground_report *report)
{
    const padic_field_ground_desc *desc = &call->desc;
    padic_field_plan *plan = desc->plan;
    const uint64_t most = desc->max_iterations ? desc->max_iterations : 10000;
    const double limit = plan->rules.desc.density_limit / norm;
    double g[PADIC_FIELD_TERMS];
    padic_field_record record;
    padici_field_search s;
    uint64_t size = 2 * plan->rules.points;
    uint32_t j;
    memset(&s, 0, sizeof s);
    s.plan = plan;
    s.psi = plan->array[0];
    s.l = plan->array[1];
    s.space = plan->array[2];
    s.gradient = memory;
    s.before = memory + size;
    s.step = memory + 2 * size;
    s.d = memory + 3 * size;
    s.ld = memory + 4 * size;
    memcpy(g, plan->rules.g, sizeof g);
    for (j = 0; j < plan->rules.terms; j++) plan->rules.g[j] *= pow(norm, plan->rules.half[j]);
    padici_field_scale(plan, 1 / sqrt(norm), s.psi);
    report->iterations = desc->method == PADIC_FIELD_GROUND_CG
                             ? padici_field_conjugate(&s, desc, limit, most)
                             : padici_field_relax(&s, desc, limit, most);
    memcpy(plan->rules.g, g, sizeof g);
    padici_field_scale(plan, sqrt(norm), s.psi);
    padici_field_record(plan, s.psi, s.l, s.space, &record);
    report->residual = record.residual;
    report->energy = record.energy;
    report->mu = record.mu;
    report->norm = record.norm;
    return s.residual <= padici_field_goal(plan, desc->tolerance, s.mu);
}

static padic_result padici_field_ground_fields(padici_field_ground_call *call, double *memory)
{
    padic_field_plan *plan = call->desc.plan;
    padic_field_ground_report report;
    uint64_t i;
    int missed = 0;
    for (i = 0; i < plan->rules.fields; i++) {
        double norm;
        padici_field_load(plan, &call->desc.psi, i, plan->array[0]);
        norm = padici_field_norm(plan, plan->array[0]);
        if (!(norm > 0) || !(norm - norm == 0))
            return padici_fail_field(call->task.context, PADIC_ERROR_DOMAIN, "psi",
                                     "has a norm that is 0 or not finite");
    }
    for (i = 0; i < plan->rules.fields; i++) {
        memset(&report, 0, sizeof report);
        padici_field_load(plan, &call->desc.psi, i, plan->array[0]);
        missed |= !padici_field_ground_one(call, memory,
                                           padici_field_norm(plan, plan->array[0]), &report);
        padici_field_store(plan, &call->desc.psi, i, plan->array[0]);
        if (call->desc.report) call->desc.report[i] = report;
    }
    return missed ? padici_fail_here(call->task.context, PADIC_ERROR_DOMAIN,
                                     "the tolerance was not reached: see the report's residual")
                  : PADIC_OK;
}

static padic_result padici_field_ground_work(padici_view_task *task)
{
    padici_field_ground_call *call = (padici_field_ground_call *)(void *)task;
    const uint64_t bytes = padic_field_ground_workspace(call->desc.plan);
    double *memory = (double *)call->desc.workspace.data;
    padic_result result;
    if (!memory)
        memory = (double *)padici_alloc(padici_allocator(task->context), (size_t)bytes, 64);
    if (!memory)
        return padici_fail_here(task->context, PADIC_ERROR_MEMORY, "no memory to work in");
    result = padici_field_ground_fields(call, memory);
    if (memory != call->desc.workspace.data)
        padici_free(padici_allocator(task->context), memory, (size_t)bytes);
    return result;
}

static padic_result padici_field_ground_inspect(padici_view_task *task)
{
    const padici_field_ground_call *call = (const padici_field_ground_call *)(const void *)task;
    const padic_field_ground_desc *desc = &call->desc;
    padic_context *context = task->context;
    padic_result result = padici_field_plan_check(context, desc->plan);
    if (result) return result;
    result = padici_field_psi_check(context, "psi", &desc->plan->rules, &desc->psi);
    if (result) return result;
    if ((uint32_t)desc->method > PADIC_FIELD_GROUND_SPLIT)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "method", "is not a method");
    if (!(desc->tolerance >= 0) || !(desc->tolerance - desc->tolerance == 0))
        return padici_fail_field(context, PADIC_ERROR_TOLERANCE, "tolerance",
                                 "is negative or not finite");
    if (!(desc->dt >= 0) || !(desc->dt - desc->dt == 0))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "dt", "is negative or not finite");
    result = padici_workspace_check(context, &desc->workspace,
                                    padic_field_ground_workspace(desc->plan));
    if (result) return result;
    return padici_field_apart(context, "workspace", &desc->workspace, &desc->psi);
}

PADICI_VIEW_TASK(field_ground)

// The task of call->desc.
PADICI_FN void padici_field_ground_prepare(padici_field_ground_call *call, padic_context *context)
{
    padici_view_task_begin(&call->task, context, padici_field_ground_inspect,
                           padici_field_ground_work);
    padici_view_add(&call->task, "psi", &call->desc.psi, 2);
}

PADIC_API padic_result padic_field_ground(padic_context *context,
                                          const padic_field_ground_desc *desc)
{
    padici_field_ground_call call;
    if (!desc) return padici_field_no_desc(context, "field_ground");
    memset(&call, 0, sizeof call);
    call.desc = *desc;
    padici_field_ground_prepare(&call, context);
    return padici_run_task(context, PADIC_OP_FIELD_GROUND, &call);
}

#undef PADICI_FIELD_SEARCH_ARRAYS

#endif
