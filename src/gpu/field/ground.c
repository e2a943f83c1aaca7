#include "ground.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/recording.h"
#include "../../core/memory.h"
#include "../launch.h"
#include "../variants.h"
#include "lines.h"
#include "norm.h"
#include "record.h"
#include "step.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Ground states of fields in a device's memory: field/ground.c, all fields of a batch at a time.
// What decides stays there (kernels/field/search.cl); the host asks once in a few iterations
// whether fields have ended. A field that is at its goal by sums that were updated waits until they
// are made anew.

#define PADICI_GPU_FIELD_CG_EACH 4 // iterations from one look of the host to the next
#define PADICI_GPU_FIELD_FLOW_EACH 32

enum { // arrays
    PADICI_GPU_FIELD_STEP = 2,
    PADICI_GPU_FIELD_DIRECTION = 3,
    PADICI_GPU_FIELD_OF_DIRECTION = 4
};

// A call in progress.
typedef struct padici_gpu_field_ground_run {
    padici_gpu_field x;
    padici_gpu_field_search s;
    const padic_field_ground_desc *desc;
    uint32_t *words; // numbers of all fields, as the host has them
    uint64_t size;   // their bytes
    uint64_t most, waiting, ended, missed; // fields
} padici_gpu_field_ground_run;

// A launch of `kernel` with tables, psi and so on, what it changes, the state and sums.
static padic_result padici_gpu_field_search_pass(const padici_gpu_field_search *s, uint32_t kernel,
                                                 const padic_mem *mem, uint32_t count,
                                                 uint32_t what)
{
    padici_gpu_field_look_at at;
    memset(&at, 0, sizeof at);
    at.kernel = kernel;
    at.what = what;
    at.mem[at.count++] = s->x->plan->device.mem;
    at.mem[at.count++] = s->x->psi.mem;
    while (at.count < count + 2) {
        at.mem[at.count] = mem[at.count - 2];
        at.count++;
    }
    if (kernel != PADICI_KERNEL_FIELD_GROUND_SOFTEN) at.mem[at.count++] = s->state;
    at.mem[at.count++] = s->x->plan->device.sums;
    return padici_gpu_field_pass_over(s, &at);
}

// The gradient and whether that is the goal; the step before it is smooth.
static padic_result padici_gpu_field_search_judge(const padici_gpu_field_search *s)
{
    padic_mem mem[3];
    padic_result result;
    mem[0] = s->l;
    mem[1] = s->array[s->now];
    mem[2] = s->array[PADICI_GPU_FIELD_STEP];
    result = padici_gpu_field_search_pass(s, PADICI_KERNEL_FIELD_GROUND_GRADIENT, mem, 3, 0);
    return result ? result : padici_gpu_field_decide(s, PADICI_GPU_FIELD_JUDGE, 1, 1);
}

// The next direction.
static padic_result padici_gpu_field_search_turn(const padici_gpu_field_search *s)
{
    padic_mem mem[3];
    const padic_mem step = s->array[PADICI_GPU_FIELD_STEP];
    padic_result result = padici_gpu_field_through(s, step, PADICI_GPU_FIELD_SMOOTH);
    mem[0] = s->array[s->now];
    mem[1] = s->array[1 - s->now];
    mem[2] = step;
    if (!result)
        result = padici_gpu_field_search_pass(s, PADICI_KERNEL_FIELD_GROUND_SOFTEN, mem, 3, 0);
    if (!result) result = padici_gpu_field_decide(s, PADICI_GPU_FIELD_BETA, 8, 8);
    mem[0] = step;
    mem[1] = s->array[PADICI_GPU_FIELD_DIRECTION];
    mem[2] = s->array[PADICI_GPU_FIELD_OF_DIRECTION];
    if (!result)
        result = padici_gpu_field_search_pass(s, PADICI_KERNEL_FIELD_GROUND_DIRECT, mem, 3, 0);
    return result ? result : padici_gpu_field_decide(s, PADICI_GPU_FIELD_SIZE, 3, 3);
}

// psi and L of it after the step, if there is one, and what they are then.
static padic_result padici_gpu_field_search_move(const padici_gpu_field_search *s, uint32_t stays)
{
    padic_mem mem[3];
    padic_result result;
    mem[0] = s->l;
    mem[1] = s->array[PADICI_GPU_FIELD_DIRECTION];
    mem[2] = s->array[PADICI_GPU_FIELD_OF_DIRECTION];
    result = padici_gpu_field_search_pass(s, PADICI_KERNEL_FIELD_GROUND_MOVE, mem, 3, stays);
    return result ? result : padici_gpu_field_decide(s, PADICI_GPU_FIELD_LOOK, 7, 5);
}

static padic_result padici_gpu_field_search_once(padici_gpu_field_search *s)
{
    const padic_mem direction = s->array[PADICI_GPU_FIELD_DIRECTION];
    const padic_mem of_direction = s->array[PADICI_GPU_FIELD_OF_DIRECTION];
    padic_mem mem[4];
    padic_result result = padici_gpu_field_search_judge(s);
    if (!result) result = padici_gpu_field_search_turn(s);
    if (!result) result = padici_gpu_field_applied(s, &direction, of_direction);
    mem[0] = s->l;
    mem[1] = s->array[s->now];
    mem[2] = direction;
    mem[3] = of_direction;
    if (!result)
        result = padici_gpu_field_search_pass(s, PADICI_KERNEL_FIELD_GROUND_BEND, mem, 4, 0);
    if (!result) result = padici_gpu_field_decide(s, PADICI_GPU_FIELD_ANGLES, 4, 4);
    mem[1] = direction;
    mem[2] = of_direction;
    if (!result)
        result = padici_gpu_field_search_pass(s, PADICI_KERNEL_FIELD_GROUND_ARC, mem, 3, 0);
    if (!result) result = padici_gpu_field_decide(s, PADICI_GPU_FIELD_CHOOSE, 4, 4);
    s->now = 1 - s->now;
    return result ? result : padici_gpu_field_search_move(s, 0);
}

// L of psi of the fields that wait for it.
static padic_result padici_gpu_field_search_renew(padici_gpu_field_search *s)
{
    padic_result result;
    s->skip = s->x->at.rest;
    result = padici_gpu_field_applied(s, NULL, s->l);
    if (!result) result = padici_gpu_field_search_move(s, 1);
    s->skip = s->x->at.stop;
    return result;
}

static double padici_gpu_field_ground_number(const padici_gpu_field_ground_run *r, uint64_t field,
                                             uint32_t number)
{
    return padici_gpu_field_value(r->x.gpu, r->words + 2 * (field * r->s.places + number));
}

// How many fields have ended, and how many wait. Waits itself.
static padic_result padici_gpu_field_ground_ask(padici_gpu_field_ground_run *r)
{
    const padic_result result = padici_gpu_download(r->x.gpu, r->s.state, 0, r->words, r->size);
    uint64_t i;
    r->waiting = r->ended = r->missed = 0;
    for (i = 0; i < r->x.rules->fields && !result; i++) {
        const double ended = padici_gpu_field_ground_number(r, i, PADICI_GPU_FIELD_ENDED);
        r->ended += ended > 0;
        r->missed += !(ended > 0 && ended < 2);
        if (r->s.places > PADICI_GPU_FIELD_WAITS)
            r->waiting += padici_gpu_field_ground_number(r, i, PADICI_GPU_FIELD_WAITS) > 0;
    }
    return result;
}

static padic_result padici_gpu_field_conjugate(padici_gpu_field_ground_run *r)
{
    const uint64_t fields = r->x.rules->fields;
    uint64_t done = 0;
    uint32_t j, each = PADICI_GPU_FIELD_CG_EACH;
    padic_result result = PADIC_OK;
    r->waiting = fields;
    r->ended = 0;
    while (!result && r->ended < fields && (done < r->most || r->waiting)) {
        if (r->waiting) result = padici_gpu_field_search_renew(&r->s);
        if (r->waiting && done && r->waiting + r->ended == fields) each = 1;
        for (j = 0; j < each && done < r->most && !result; j++, done++)
            result = padici_gpu_field_search_once(&r->s);
        if (!result && done >= r->most) result = padici_gpu_field_search_judge(&r->s);
        if (!result) result = padici_gpu_field_ground_ask(r);
        each = PADICI_GPU_FIELD_CG_EACH;
    }
    return result;
}

static padic_result padici_gpu_field_relax(padici_gpu_field_ground_run *r)
{
    uint64_t done = 0;
    padic_result result = PADIC_OK;
    r->ended = 0;
    while (!result && r->ended < r->x.rules->fields && done <= r->most) {
        uint32_t j;
        for (j = 0; j < PADICI_GPU_FIELD_FLOW_EACH && done <= r->most && !result; j++, done++)
            result = padici_gpu_field_flow(&r->s, 1);
        if (!result) result = padici_gpu_field_ground_ask(r);
    }
    return result;
}

static padic_result padici_gpu_field_search_memory(padici_gpu_field_search *s)
{
    const padici_field_rules *rules = s->x->rules;
    const uint64_t array = rules->points * rules->fields * (rules->is_double ? 16 : 8);
    padic_result result = PADIC_OK;
    while (s->blocks <= PADICI_GPU_FIELD_SEARCH_ARRAYS && !result) {
        const uint32_t i = s->blocks;
        const int numbers = i == PADICI_GPU_FIELD_SEARCH_ARRAYS;
        result = padici_gpu_scratch(
            s->x->gpu, numbers ? rules->fields * PADICI_GPU_FIELD_PLACES * 8 : array, &s->block[i]);
        if (result) break;
        if (numbers) s->state = s->block[i].mem;
        else s->array[i] = s->block[i].mem;
        s->blocks++;
    }
    return result;
}

// Iterations, and what padic_field_measure() says of the end.
static padic_result padici_gpu_field_ground_tell(padici_gpu_field_ground_run *r)
{
    padic_context *context = r->x.gpu->context;
    const size_t size = (size_t)r->x.rules->fields * sizeof(padic_field_record);
    padic_field_record *record;
    uint64_t i;
    padic_result result;
    if (!r->desc->report) return PADIC_OK;
    record = (padic_field_record *)padici_alloc(&context->allocator, size, 16);
    if (!record) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_field_report(&r->x, record);
    for (i = 0; i < r->x.rules->fields && !result; i++) {
        const double n = padici_gpu_field_ground_number(r, i, PADICI_GPU_FIELD_ITERATIONS);
        padic_field_ground_report *report = &r->desc->report[i];
        report->iterations = (uint64_t)n < r->most ? (uint64_t)n : r->most;
        report->residual = record[i].residual;
        report->energy = record[i].energy;
        report->mu = record[i].mu;
        report->norm = record[i].norm;
    }
    padici_free(&context->allocator, record, size);
    return result;
}

static void padici_gpu_field_ground_open(padici_gpu_field_ground_run *r)
{
    const padic_field_ground_desc *desc = r->desc;
    padici_gpu_field_search_of(&r->s, &r->x);
    r->most = desc->max_iterations ? desc->max_iterations : 10000;
    r->s.relative = desc->tolerance == 0 && !r->x.rules->is_double;
    r->s.goal = desc->tolerance > 0 ? desc->tolerance : r->x.rules->is_double ? 1e-9 : 3e-5;
    r->s.limit = r->x.rules->desc.density_limit;
    r->s.time = desc->dt > 0 ? 1 / desc->dt : 1;
    if (desc->method == PADIC_FIELD_GROUND_CG) r->s.places = PADICI_GPU_FIELD_PLACES;
    r->size = 8 * r->x.rules->fields * r->s.places;
}

static padic_result padici_gpu_field_ground_search(padici_gpu_field_ground_run *r)
{
    const int conjugate = r->desc->method == PADIC_FIELD_GROUND_CG;
    padic_context *context = r->x.gpu->context;
    padic_result result = PADIC_OK;
    r->words = (uint32_t *)padici_alloc(&context->allocator, (size_t)r->size, 16);
    if (!r->words) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    if (conjugate) result = padici_gpu_field_search_memory(&r->s);
    if (!result) result = padici_gpu_field_cool_begin(&r->x);
    if (!result) result = padici_gpu_field_decide(&r->s, PADICI_GPU_FIELD_SEARCH_BEGIN, 1, 1);
    if (!result)
        result = conjugate ? padici_gpu_field_conjugate(r) : padici_gpu_field_relax(r);
    if (!result) result = padici_gpu_field_ground_tell(r);
    while (r->s.blocks) padici_gpu_scratch_end(r->x.gpu, &r->s.block[--r->s.blocks]);
    padici_free(&context->allocator, r->words, (size_t)r->size);
    if (!result && r->missed)
        result = padici_fail_here(context, PADIC_ERROR_DOMAIN,
                                  "the tolerance was not reached: see the report's residual");
    return result;
}

// Whether psi's precision can have a residual as small: the rounding of transforms reaches all
// modes, and K k^2 makes it 0.7 to 1.1 units of the largest one.
static int padici_gpu_field_ground_reaches(const padici_gpu_field_ground_run *r)
{
    const padici_field_rules *rules = r->x.rules;
    const double unit = rules->is_double ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
    double top = 0;
    uint32_t a;
    for (a = rules->first; a < 3; a++) {
        const double k = 3.14159265358979323846 / rules->h[a];
        top += rules->desc.kinetic * k * k;
    }
    return r->s.goal >= 1.5 * unit * top;
}

PADICI_FN padic_result padici_gpu_field_ground(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_field_ground_call *c = (const padici_field_ground_call *)call->task;
    padici_gpu_field_ground_run r;
    padic_result result;
    memset(&r, 0, sizeof r);
    r.desc = &c->desc;
    if (c->desc.method == PADIC_FIELD_GROUND_SPLIT || !c->desc.plan->rules.spectral ||
        !padici_gpu_field_begin(&r.x, gpu, c->desc.plan, &call->operands[0]))
        return PADIC_ERROR_NOT_SUPPORTED;
    r.x.copies = 1;
    padici_gpu_field_ground_open(&r);
    if (!padici_gpu_field_ground_reaches(&r)) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_field_need_ground(&r.x, c->desc.method == PADIC_FIELD_GROUND_CG);
    if (!result && c->desc.report) result = padici_gpu_field_need_record(&r.x);
    if (query || result) return result;
    result = padici_refuse(gpu->context, "a search, for which the host waits,");
    if (!result) result = padici_gpu_field_ready(&r.x);
    if (result) return result;
    padici_gpu_field_ground_open(&r); // where the plan's memory is now
    return padici_gpu_field_ground_search(&r);
}

#undef PADICI_GPU_FIELD_CG_EACH
#undef PADICI_GPU_FIELD_FLOW_EACH

#endif
