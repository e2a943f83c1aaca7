#include "fused.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "../fft/line.h"

#if PADICI_IMPLEMENT_FIELD

// Split steps in psi's own precision, by a backend's loops, in two ways over memory a step: one
// over planes of all axes but the first (of two axes: over rows), which transforms them back, turns
// the phases of the potential and transforms again; one along the first axis, which transforms,
// turns the phases of k^2 and transforms back. One axis alone is transformed as a whole.

typedef struct padici_field_ways {
    const padic_field_plan *plan;
    char *at;
    double time;
    uint32_t back, ahead;              // transforms before and after the phases
    uint32_t which;                    // of the plan's tables of k
    uint32_t number, tasks;            // bytes of a complex number
    uint64_t units;                    // planes; of two axes parts of the rows' sweep; of k parts
    padici_fft_sweep middle[2];        // of axis 1 of three, back and ahead
    padici_fft_sweep last[2];          // of axis 2
    padici_fft_twice twice;
} padici_field_ways;

// ---- phases of the potential

static double padici_field_ways_base(const padici_field_ways *ways, uint64_t row)
{
    const padic_field_plan *plan = ways->plan;
    const uint64_t n = plan->rules.n[1];
    const double x = -ways->time * (plan->trap[0][row / n] + plan->trap[1][row % n]);
    const double rounder = 6755399441055744.0;
    if (plan->rules.is_double) return x;
    return x - ((x * 0.15915494309189533577 + rounder) - rounder) * 6.28318530717958647692;
}

static void padici_field_ways_terms(const padici_field_ways *ways, padici_field_phase_row *phase)
{
    const padici_field_rules *rules = &ways->plan->rules;
    uint32_t j;
    phase->terms = rules->terms;
    for (j = 0; j < rules->terms; j++) {
        phase->power[j] = rules->half[j] == 1 ? 1 : rules->half[j] == 2 ? 2 : 0;
        phase->scale[j] = -ways->time * rules->g[j];
    }
}

// A point whose angle is too large for the loops.
static void padici_field_ways_point(const padici_field_ways *ways, uint64_t row, uint64_t i,
                                    char *re_at, char *im_at, char *out_re, char *out_im)
{
    const padic_field_plan *plan = ways->plan;
    const uint32_t is_double = plan->rules.is_double;
    const double re = padici_fft_get(re_at, is_double), im = padici_fft_get(im_at, is_double);
    padici_field_piece piece;
    double angle, turn[2];
    piece.at = row * plan->rules.n[2] + i;
    piece.count = 1;
    piece.i[0] = row / plan->rules.n[1];
    piece.i[1] = row % plan->rules.n[1];
    piece.i[2] = i;
    angle = -ways->time * padici_field_rate(plan, &piece, 0, re * re + im * im);
    padici_field_turn(1, &angle, turn);
    padici_fft_put(out_re, is_double, turn[0] * re + -turn[1] * im);
    padici_fft_put(out_im, is_double, turn[0] * im + turn[1] * re);
}

// Points [from, end) of a row.
static void padici_field_ways_row(const padici_field_ways *ways, uint64_t row, uint64_t from,
                                  uint64_t end)
{
    const padic_field_plan *plan = ways->plan;
    const uint32_t real = ways->number / 2;
    char *psi = ways->at + row * plan->rules.n[2] * ways->number;
    padici_field_phase_row phase;
    padici_field_angle_row angles;
    double room[64], base;
    padici_field_ways_terms(ways, &phase);
    padici_fft_put(&base, plan->rules.is_double, padici_field_ways_base(ways, row));
    phase.base = &base;
    while (from < end) {
        uint64_t done;
        phase.count = end - from;
        phase.angle = (const char *)plan->angle + from * real;
        if (plan->potential) {
            if (phase.count > 64) phase.count = 64;
            angles.trap = plan->trap[2] + from;
            angles.potential = plan->potential + row * plan->rules.n[2] + from;
            angles.time = ways->time;
            angles.count = phase.count;
            angles.out = room;
            (*plan->fused->angles)(&angles);
            phase.angle = room;
        }
        phase.psi = psi + from * ways->number;
        done = (*plan->fused->phase)(&phase);
        from += done;
        if (done == phase.count) continue;
        for (done = 0; done < 16 && from < end; done++, from++) {
            char *at = psi + from * ways->number;
            padici_field_ways_point(ways, row, from, at, at + real, at, at + real);
        }
    }
}

// A block of rows, from that number on.
static void padici_field_ways_block(const padici_field_ways *ways, uint64_t row, uint32_t lines,
                                    void *block)
{
    const padic_field_plan *plan = ways->plan;
    const uint32_t real = ways->number / 2, lanes = plan->fused_fft[1]->kernels->lanes;
    padici_field_phase_row phase;
    double base[16];
    uint64_t i, done;
    uint32_t l;
    for (l = 0; l < lanes; l++)
        padici_fft_put((char *)base + l * real, plan->rules.is_double,
                       padici_field_ways_base(ways, row + (l < lines ? l : lines - 1)));
    padici_field_ways_terms(ways, &phase);
    phase.base = base;
    phase.swapped = ways->back;
    for (i = 0; i < plan->rules.n[2]; i++) {
        char *at;
        phase.count = plan->rules.n[2] - i;
        phase.angle = (const char *)plan->angle + i * real;
        phase.psi = (char *)block + i * lanes * ways->number;
        done = (*plan->fused->phase_block)(&phase);
        i += done;
        at = (char *)block + i * lanes * ways->number;
        for (l = 0; done < phase.count && l < lanes; l++, at += real) {
            char *other = at + lanes * real;
            padici_field_ways_point(ways, row + (l < lines ? l : lines - 1), i,
                                    ways->back ? other : at, ways->back ? at : other, at, other);
        }
    }
}

typedef struct padici_field_ways_rows {
    const padici_field_ways *ways;
    uint64_t row; // of the sweep's first line
} padici_field_ways_rows;

static void padici_field_ways_between(void *argument, uint64_t part, uint32_t lines, void *block)
{
    const padici_field_ways_rows *rows = (const padici_field_ways_rows *)argument;
    const uint32_t lanes = rows->ways->plan->fused_fft[1]->kernels->lanes;
    padici_field_ways_block(rows->ways, rows->row + part * lanes, lines, block);
}

// Parts [first, end) of the rows that begin with number `row`, in which the sweep's lines are.
static void padici_field_ways_parts(const padici_field_ways *ways, uint64_t row, uint64_t first,
                                    uint64_t end, uint32_t worker)
{
    const padic_field_plan *plan = ways->plan;
    const padic_fft_plan *fft = plan->fused_fft[1];
    const int64_t offset = (int64_t)(row * plan->rules.n[2] * ways->number);
    const uint64_t width = ways->last[0].blocks ? fft->kernels->lanes : 1;
    const uint64_t lines = ways->last[0].count[0];
    if (ways->last[0].blocks && !plan->potential) {
        padici_fft_twice twice = ways->twice;
        padici_field_ways_rows rows;
        rows.ways = ways;
        rows.row = row;
        twice.argument = &rows;
        twice.sweep.from.at += offset;
        twice.sweep.to.at += offset;
        padici_fft_axis_twice(fft, &twice, first, end, worker);
        return;
    }
    for (; first < end; first++) {
        padici_fft_sweep sweep;
        uint64_t i;
        if (ways->back) {
            sweep = ways->last[0];
            sweep.from.at += offset;
            sweep.to.at += offset;
            padici_fft_axis_parts(fft, &sweep, first, first + 1, worker);
        }
        for (i = first * width; i < (first + 1) * width && i < lines; i++)
            padici_field_ways_row(ways, row + i, 0, plan->rules.n[2]);
        if (ways->ahead) {
            sweep = ways->last[1];
            sweep.from.at += offset;
            sweep.to.at += offset;
            padici_fft_axis_parts(fft, &sweep, first, first + 1, worker);
        }
    }
}

static void padici_field_ways_middle(const padici_field_ways *ways, uint32_t ahead, uint64_t plane,
                                     uint32_t worker)
{
    const padici_field_rules *rules = &ways->plan->rules;
    const int64_t offset = (int64_t)(plane * rules->n[1] * rules->n[2] * ways->number);
    padici_fft_sweep sweep = ways->middle[ahead];
    sweep.from.at += offset;
    sweep.to.at += offset;
    padici_fft_axis_parts(ways->plan->fused_fft[1], &sweep, 0, sweep.parts, worker);
}

static void padici_field_ways_task(void *arg, uint32_t task)
{
    const padici_field_ways *ways = (const padici_field_ways *)arg;
    const padici_field_rules *rules = &ways->plan->rules;
    uint64_t unit = ways->units * task / ways->tasks;
    const uint64_t end = ways->units * (task + 1) / ways->tasks;
    if (rules->desc.dims == 2) {
        padici_field_ways_parts(ways, 0, unit, end, task);
        return;
    }
    for (; unit < end; unit++) {
        if (ways->back) padici_field_ways_middle(ways, 0, unit, task);
        padici_field_ways_parts(ways, unit * rules->n[1], 0, ways->last[0].parts, task);
        if (ways->ahead) padici_field_ways_middle(ways, 1, unit, task);
    }
}

static void padici_field_ways_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                    double *sums)
{
    padici_field_ways ways;
    (void)sums;
    ways.plan = pass->plan;
    ways.at = pass->memory;
    ways.time = pass->value[0];
    ways.number = pass->plan->rules.is_double ? 16 : 8;
    padici_field_ways_row(&ways, piece->i[0] * pass->plan->rules.n[1] + piece->i[1], piece->i[2],
                          piece->i[2] + piece->count);
}

// ---- phases of k^2

static void padici_field_ways_waves(void *argument, uint64_t part, uint32_t lines, void *block)
{
    const padici_field_ways *ways = (const padici_field_ways *)argument;
    const padic_field_plan *plan = ways->plan;
    const padici_field_rules *rules = &plan->rules;
    const uint32_t real = ways->number / 2, lanes = plan->fused_fft[0]->kernels->lanes;
    double *const *turn = plan->turn[ways->which];
    padici_field_drift_row drift;
    double factor[16];
    uint32_t l;
    for (l = 0; l < lanes; l++) {
        const uint64_t at = part * lanes + (l < lines ? l : lines - 1);
        const double *a = turn[1 - rules->first] + 2 * (at / rules->n[2]);
        const double *b = turn[2] + 2 * (at % rules->n[2]);
        padici_fft_put((char *)factor + l * real, rules->is_double, a[0] * b[0] + -a[1] * b[1]);
        padici_fft_put((char *)factor + (lanes + l) * real, rules->is_double,
                       a[0] * b[1] + a[1] * b[0]);
    }
    drift.psi = block;
    drift.k = plan->waves[ways->which];
    drift.turn = factor;
    drift.count = rules->n[rules->first];
    (*plan->fused->drift_block)(&drift);
}

static void padici_field_ways_waves_task(void *arg, uint32_t task)
{
    padici_field_ways *ways = (padici_field_ways *)arg;
    padici_fft_axis_twice(ways->plan->fused_fft[0], &ways->twice, ways->units * task / ways->tasks,
                          ways->units * (task + 1) / ways->tasks, task);
}

static void padici_field_ways_line_piece(const padici_field_pass *pass,
                                         const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const uint32_t number = plan->rules.is_double ? 16 : 8;
    padici_field_drift_row drift;
    double one[2];
    (void)sums;
    padici_fft_put(one, plan->rules.is_double, 1);
    padici_fft_put((char *)one + number / 2, plan->rules.is_double, 0);
    drift.psi = pass->memory + piece->at * number;
    drift.k = (const char *)plan->waves[pass->number[0]] + piece->at * number;
    drift.turn = one;
    drift.count = piece->count;
    (*plan->fused->drift)(&drift);
}

// ---- steps

// Sweeps of an axis of psi at `at`, in place, in a tensor whose first extent is `first`.
static padici_fft_sweep padici_field_ways_sweep(const padici_field_fused *fused, uint32_t fft,
                                                uint32_t axis, int inverse, uint64_t first)
{
    const padic_field_plan *plan = fused->plan;
    const padici_field_rules *rules = &plan->rules;
    uint64_t shape[PADIC_FIELD_AXES];
    padici_fft_memory memory;
    int64_t step = rules->is_double ? 16 : 8;
    uint32_t a;
    memory.at = fused->at;
    memory.imaginary = step / 2;
    memory.is_double = rules->is_double;
    for (a = rules->desc.dims; a-- > 0; step *= (int64_t)rules->desc.shape[a]) {
        memory.step[a] = step;
        shape[a] = rules->desc.shape[a];
    }
    shape[0] = first;
    return padici_fft_one_axis(plan->fused_fft[fft], axis, shape, inverse,
                               !fft || axis + 2 == rules->desc.dims, 1, &memory, &memory);
}

static void padici_field_ways_begin(const padici_field_fused *fused, padici_field_ways *ways)
{
    memset(ways, 0, sizeof *ways);
    ways->plan = fused->plan;
    ways->at = fused->at;
    ways->number = fused->plan->rules.is_double ? 16 : 8;
}

static void padici_field_ways_run(padici_field_ways *ways, const padic_fft_plan *fft,
                                  void (*task)(void *arg, uint32_t task))
{
    ways->tasks = fft->workers < ways->units ? fft->workers : (uint32_t)ways->units;
    padici_parallel(padici_jobs(ways->plan->context), ways->tasks, task, ways);
}

static void padici_field_fused_angles(padic_field_plan *plan, double time)
{
    padici_field_angle_row row;
    if (plan->angle_time == time) return;
    row.trap = plan->trap[2];
    row.potential = NULL;
    row.time = time;
    row.count = plan->rules.n[2];
    row.out = plan->angle;
    (*plan->fused->angles)(&row);
    plan->angle_time = time;
}

// The phases of the potential for `time`; `mixed`: to the representation of the next phases of k^2.
static void padici_field_fused_phase(padici_field_fused *fused, double time, uint32_t mixed)
{
    padic_field_plan *plan = fused->plan;
    const padici_field_rules *rules = &plan->rules;
    padici_field_ways ways;
    uint32_t i;
    padici_field_fused_angles(plan, time);
    if (rules->desc.dims == 1) {
        padici_field_pass pass;
        memset(&pass, 0, sizeof pass);
        pass.plan = plan;
        pass.memory = fused->at;
        pass.value[0] = time;
        pass.piece = padici_field_ways_piece;
        padici_field_run(&pass, NULL);
        return;
    }
    padici_field_ways_begin(fused, &ways);
    ways.time = time;
    ways.back = fused->mixed;
    ways.ahead = mixed;
    for (i = 0; i < 2; i++) {
        const uint64_t first = rules->desc.dims == 3 ? 1 : rules->desc.shape[0];
        ways.last[i] = padici_field_ways_sweep(fused, 1, rules->desc.dims - 2, !i, first);
        if (rules->desc.dims == 3) ways.middle[i] = padici_field_ways_sweep(fused, 1, 0, !i, 1);
    }
    ways.twice.sweep = ways.last[0];
    ways.twice.sweep.from.swapped = ways.back;
    ways.twice.sweep.to.swapped = 0;
    ways.twice.before = ways.back;
    ways.twice.after = ways.ahead;
    ways.twice.between = padici_field_ways_between;
    ways.units = rules->desc.dims == 3 ? rules->n[0] : ways.last[0].parts;
    padici_field_ways_run(&ways, plan->fused_fft[1], padici_field_ways_task);
    fused->mixed = mixed;
}

static void padici_field_fused_line(padici_field_fused *fused, padic_fft_direction direction)
{
    const padic_field_plan *plan = fused->plan;
    padic_fft_transform_desc fft;
    memset(&fft, 0, sizeof fft);
    fft.out = padic_tensor_nd(plan->rules.desc.dtype, fused->at, 1, plan->rules.desc.shape);
    fft.axis_count = 1;
    fft.direction = direction;
    fft.scale = PADIC_FFT_SCALE_NONE;
    fft.plan = plan->fused_fft[0];
    (void)padici_fft_run(plan->context ? &plan->context->env : NULL, padici_fft_plain(), &fft);
}

static void padici_field_fused_drift(padici_field_fused *fused, double time, uint32_t which)
{
    padic_field_plan *plan = fused->plan;
    const padici_field_rules *rules = &plan->rules;
    padici_field_ways ways;
    padici_field_drift_tables(plan, time, which, 0);
    if (rules->desc.dims == 1) {
        padici_field_pass pass;
        memset(&pass, 0, sizeof pass);
        pass.plan = plan;
        pass.memory = fused->at;
        pass.number[0] = which;
        pass.piece = padici_field_ways_line_piece;
        padici_field_fused_line(fused, PADIC_FFT_FORWARD);
        padici_field_run(&pass, NULL);
        padici_field_fused_line(fused, PADIC_FFT_INVERSE);
        return;
    }
    padici_field_ways_begin(fused, &ways);
    ways.which = which;
    ways.twice.sweep = padici_field_ways_sweep(fused, 0, 0, 0, rules->desc.shape[0]);
    ways.twice.sweep.to.swapped = 1;
    ways.twice.before = ways.twice.after = 1;
    ways.twice.between = padici_field_ways_waves;
    ways.twice.argument = &ways;
    ways.units = ways.twice.sweep.parts;
    padici_field_ways_run(&ways, plan->fused_fft[0], padici_field_ways_waves_task);
}

// A symmetric step; the phases of its end are owed.
PADICI_FN void padici_field_fused_step(padici_field_fused *fused, double time, uint32_t which)
{
    padici_field_fused_phase(fused, fused->owed + time / 2, 1);
    padici_field_fused_drift(fused, time, which);
    fused->owed = time / 2;
}

// What is owed, before somebody looks.
PADICI_FN void padici_field_fused_settle(padici_field_fused *fused)
{
    if (fused->owed != 0 || fused->mixed) padici_field_fused_phase(fused, fused->owed, 0);
    fused->owed = 0;
}

// ---- whether, and where

// Whether there are such steps with the plan's parameters.
PADICI_FN void padici_field_fused_begin(padic_field_plan *plan, padici_field_fused *fused)
{
    const padici_field_rules *rules = &plan->rules;
    const padic_field_plan_desc *desc = &rules->desc;
    uint32_t i;
    memset(fused, 0, sizeof *fused);
    if (!plan->fused || desc->time != PADIC_FIELD_TIME_REAL || plan->absorber ||
        desc->rotation != 0 || desc->noise > 0)
        return;
    for (i = 0; i < rules->terms; i++)
        if (rules->half[i] != 1 && rules->half[i] != 2 && rules->half[i] != 0.5) return;
    for (i = 0; i < desc->dims && desc->dims > 1; i++)
        if (desc->shape[i] >= PADICI_FFT_WIDE) return;
    fused->plan = plan;
    if (desc->dims > 1 && !padici_field_ways_sweep(fused, 0, 0, 0, desc->shape[0]).blocks)
        fused->plan = NULL;
}

static void padici_field_out_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                   double *sums)
{
    const uint32_t is_double = pass->plan->rules.is_double;
    const char *at = pass->memory + piece->at * (is_double ? 16 : 8);
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < 2 * piece->count; i++) out[i] = padici_fft_get(at + i * (is_double ? 8 : 4),
                                                                   is_double);
}

static void padici_field_in_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                  double *sums)
{
    const uint32_t is_double = pass->plan->rules.is_double;
    char *at = pass->memory + piece->at * (is_double ? 16 : 8);
    const double *in = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < 2 * piece->count; i++)
        padici_fft_put(at + i * (is_double ? 8 : 4), is_double, in[i]);
}

static void padici_field_fused_move(const padici_field_fused *fused,
                                    void (*piece)(const padici_field_pass *pass,
                                                  const padici_field_piece *piece, double *sums))
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = fused->plan;
    pass.memory = fused->at;
    pass.out = fused->plan->array[0];
    pass.piece = piece;
    padici_field_run(&pass, NULL);
}

// The field to and from the plan's array 0.
PADICI_FN void padici_field_fused_out(const padici_field_fused *fused)
{
    padici_field_fused_move(fused, padici_field_out_piece);
}

PADICI_FN void padici_field_fused_in(const padici_field_fused *fused)
{
    padici_field_fused_move(fused, padici_field_in_piece);
}

// A field of psi, where it lies if that is dense.
PADICI_FN void padici_field_fused_take(padici_field_fused *fused, const padic_tensor *psi,
                                       uint64_t field)
{
    padic_field_plan *plan = fused->plan;
    const padici_field_rules *rules = &plan->rules;
    const uint32_t lead = rules->desc.batch > 0;
    const int64_t number = rules->is_double ? 16 : 8;
    int64_t stride[PADIC_MAX_RANK], step = 1;
    uint32_t a;
    padici_tensor_dense(psi, stride);
    fused->own = rules->planar;
    for (a = rules->desc.dims; a-- > 0 && !fused->own; step *= (int64_t)rules->desc.shape[a])
        fused->own = stride[lead + a] != step && rules->desc.shape[a] > 1;
    fused->at = (char *)plan->array[1];
    fused->owed = 0;
    fused->mixed = 0;
    if (!fused->own) {
        fused->at = (char *)psi->data + (lead ? (int64_t)field * stride[0] * number : 0);
        return;
    }
    padici_field_load(plan, psi, field, plan->array[0]);
    padici_field_fused_in(fused);
}

PADICI_FN void padici_field_fused_give(const padici_field_fused *fused, const padic_tensor *psi,
                                       uint64_t field)
{
    if (!fused->own) return;
    padici_field_fused_out(fused);
    padici_field_store(fused->plan, psi, field, fused->plan->array[0]);
}

#endif
