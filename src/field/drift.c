#include "plan.h"
#include "../context/state.h"
#include "../core/jobs.h"

#if PADICI_IMPLEMENT_FIELD

// The kinetic step: by transforms, exact, or along the lines of each axis by Cayley's form.

// exp(i angle), for neighbouring points. Reduced by three parts of pi/2; polynomials of fdlibm.
PADICI_FN void padici_field_turn(uint64_t count, const double *angle, double *out)
{
    const double magic = 6755399441055744.0; // 1.5 2^52: rounds to integers
    uint64_t i;
    for (i = 0; i < count; i++) {
        const double x = angle[i];
        if (!(x < 1e5 && x > -1e5)) {
            out[2 * i] = cos(x);
            out[2 * i + 1] = sin(x);
        } else {
            const double q = (x * 0.63661977236758134308 + magic) - magic;
            const double r = (x - q * 1.57079632673412561417) - q * 6.07710050630396597660e-11 -
                             q * 2.02226624879595063154e-21;
            const double z = r * r;
            const double s =
                r + r * z *
                        (-1.66666666666666324348e-01 +
                         z * (8.33333333332248946124e-03 +
                              z * (-1.98412698298579493134e-04 +
                                   z * (2.75573137070700676789e-06 +
                                        z * (-2.50507602534068634195e-08 +
                                             z * 1.58969099521155010221e-10)))));
            const double c =
                1 - z * (0.5 - z * (4.16666666666666019037e-02 +
                                    z * (-1.38888888888741095749e-03 +
                                         z * (2.48015872894767294178e-05 +
                                              z * (-2.75573143513906633035e-07 +
                                                   z * (2.08757232129817482790e-09 -
                                                        z * 1.13596475577881948265e-11))))));
            const uint32_t turns = (uint32_t)(int32_t)q;
            const double a = turns & 1 ? s : c, b = turns & 1 ? c : s;
            out[2 * i] = (turns + 1) & 2 ? -a : a;
            out[2 * i + 1] = turns & 2 ? -b : b;
        }
    }
}

// ---- by transforms

PADICI_FN void padici_field_drift_tables(padic_field_plan *plan, double time, uint32_t which,
                                         int imaginary)
{
    uint64_t i;
    uint32_t a;
    if (plan->turn_time[which] == time && plan->turn_imaginary[which] == imaginary) return;
    for (a = 0; a < 3; a++)
        for (i = 0; i < plan->rules.n[a]; i++) {
            double *turn = plan->turn[which][a] + 2 * i;
            const double angle = -time * plan->k[a][i], n = (double)plan->rules.n[a];
            turn[0] = imaginary ? exp(angle) / n : cos(angle) / n;
            turn[1] = imaginary ? 0 : sin(angle) / n;
        }
    for (i = 0; i < 2 * plan->rules.n[plan->rules.first] && !plan->rules.is_double; i++)
        ((float *)plan->waves[which])[i] = (float)plan->turn[which][plan->rules.first][i];
    plan->turn_time[which] = time;
    plan->turn_imaginary[which] = imaginary;
}

static void padici_field_drift_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    double *const *turn = pass->plan->turn[pass->number[0]];
    const double *a = turn[0] + 2 * piece->i[0], *b = turn[1] + 2 * piece->i[1];
    const double *k = turn[2] + 2 * piece->i[2];
    const double re = a[0] * b[0] + -a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    if (pass->plan->kernels) {
        padici_field_drift_row row;
        double turn_of[2];
        turn_of[0] = re;
        turn_of[1] = im;
        row.psi = out;
        row.k = k;
        row.turn = turn_of;
        row.count = piece->count;
        (*pass->plan->kernels->drift)(&row);
        return;
    }
    for (i = 0; i < piece->count; i++) {
        const double c = re * k[2 * i] + -im * k[2 * i + 1], s = re * k[2 * i + 1] + im * k[2 * i];
        const double x = out[2 * i], y = out[2 * i + 1];
        out[2 * i] = c * x + -s * y;
        out[2 * i + 1] = c * y + s * x;
    }
}

// With rotation, in the mixed representation of part 0 or 1: K k_x^2 + Omega y k_x, or
// K (k_y^2 + k_z^2) - Omega x k_y.
static void padici_field_swirl_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const uint32_t x = plan->rules.first, y = x + 1;
    const double omega = plan->rules.desc.rotation, time = pass->value[0];
    double *out = pass->out + 2 * piece->at, angle[64], factor[128];
    uint64_t i, j, n;
    (void)sums;
    for (i = 0; i < piece->count; i += n) {
        n = piece->count - i < 64 ? piece->count - i : 64;
        for (j = 0; j < n; j++) {
            const uint64_t at_x = piece->i[x], at_y = piece->i[y] + (y == 2 ? i + j : 0);
            double rate = pass->number[0] ? plan->k[y][at_y] - omega * plan->x[x][at_x] *
                                                                  plan->slope[y][at_y]
                                          : plan->k[x][at_x] + omega * plan->x[y][at_y] *
                                                                  plan->slope[x][at_x];
            if (pass->number[0] && y < 2) rate += plan->k[2][piece->i[2] + i + j];
            angle[j] = -time * rate;
        }
        if (!pass->number[1]) padici_field_turn(n, angle, factor);
        for (j = 0; j < n; j++) {
            const double c = pass->number[1] ? exp(angle[j]) : factor[2 * j];
            const double s = pass->number[1] ? 0 : factor[2 * j + 1];
            const double re = out[2 * (i + j)] * pass->value[1];
            const double im = out[2 * (i + j) + 1] * pass->value[1];
            out[2 * (i + j)] = c * re + -s * im;
            out[2 * (i + j) + 1] = c * im + s * re;
        }
    }
}

static void padici_field_swirl(padic_field_plan *plan, double time, uint32_t part, int imaginary,
                               double *psi)
{
    const double n = (double)plan->rules.n[plan->rules.first];
    padici_field_pass pass;
    padici_field_transform(plan, 1u << part, PADIC_FFT_FORWARD, psi);
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.out = psi;
    pass.number[0] = part;
    pass.number[1] = (uint64_t)imaginary;
    pass.value[0] = time;
    pass.value[1] = part ? n / (double)plan->rules.points : 1 / n;
    pass.piece = padici_field_swirl_piece;
    padici_field_run(&pass, NULL);
    padici_field_transform(plan, 1u << part, PADIC_FFT_INVERSE, psi);
}

// psi by e^(-i time T), or e^(-time T), T = -K Lap - Omega L_z. `which` of the tables it uses.
PADICI_FN void padici_field_drift(padic_field_plan *plan, double time, uint32_t which,
                                  int imaginary, double *psi)
{
    padici_field_pass pass;
    if (plan->rules.desc.rotation != 0) {
        padici_field_swirl(plan, time / 2, 0, imaginary, psi);
        padici_field_swirl(plan, time, 1, imaginary, psi);
        padici_field_swirl(plan, time / 2, 0, imaginary, psi);
        return;
    }
    padici_field_drift_tables(plan, time, which, imaginary);
    padici_field_transform(plan, 3, PADIC_FFT_FORWARD, psi);
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.out = psi;
    pass.number[0] = which;
    pass.piece = padici_field_drift_piece;
    padici_field_run(&pass, NULL);
    padici_field_transform(plan, 3, PADIC_FFT_INVERSE, psi);
}

// ---- along lines: (1 + b T) y = d, T the second difference (-1, 2, -1) of an axis, b complex

#define PADICI_FIELD_LINES 16 // neighbouring lines that are solved together

typedef struct padici_field_lines {
    double *psi;
    const double *inverse, *column; // of the pivots; periodic: of the corners' column
    double off[2], corner[2];       // beside the diagonal; factor of the corners' part
    uint64_t n, stride, lines, bundles, tasks;
    uint32_t periodic;
} padici_field_lines;

// Sums with what is negated: gcc 12 makes fused operations of a difference beside a sum, whatever
// -ffp-contract says.
static void padici_field_times(double a, double b, double c, double d, double *out)
{
    out[0] = a * c + -b * d;
    out[1] = a * d + b * c;
}

static void padici_field_over(const double *a, const double *b, double *out)
{
    const double size = b[0] * b[0] + b[1] * b[1];
    padici_field_times(a[0], a[1], b[0] / size, -b[1] / size, out);
}

// Forwards and backwards over `count` neighbouring lines.
static void padici_field_bundle(const padici_field_lines *lines, double *at, uint64_t count)
{
    const uint64_t step = 2 * lines->stride;
    double *d = at;
    uint64_t i, j;
    for (i = 0; i < lines->n; i++, d += step)
        for (j = 0; j < 2 * count; j += 2) {
            double re = d[j], im = d[j + 1], x[2];
            if (i) {
                const double *below = d + j - step;
                padici_field_times(lines->off[0], lines->off[1], below[0], below[1], x);
                re -= x[0];
                im -= x[1];
            }
            padici_field_times(re, im, lines->inverse[2 * i], lines->inverse[2 * i + 1], d + j);
        }
    for (i = lines->n - 1, d = at + i * step; i-- > 0;) {
        double factor[2];
        padici_field_times(lines->off[0], lines->off[1], lines->inverse[2 * i],
                           lines->inverse[2 * i + 1], factor);
        d -= step;
        for (j = 0; j < 2 * count; j += 2) {
            double x[2];
            padici_field_times(factor[0], factor[1], d[j + step], d[j + step + 1], x);
            d[j] -= x[0];
            d[j + 1] -= x[1];
        }
    }
    for (j = 0; lines->periodic && j < 2 * count; j += 2) {
        double sum[2], share[2];
        d = at + (lines->n - 1) * step + j; // u's row: first minus last
        padici_field_times(at[j] - d[0], at[j + 1] - d[1], lines->corner[0], lines->corner[1], sum);
        for (i = 0, d = at + j; i < lines->n; i++, d += step) {
            padici_field_times(sum[0], sum[1], lines->column[2 * i], lines->column[2 * i + 1],
                               share);
            d[0] -= share[0];
            d[1] -= share[1];
        }
    }
}

static void padici_field_lines_task(void *arg, uint32_t task)
{
    const padici_field_lines *lines = (const padici_field_lines *)arg;
    const uint64_t width = lines->stride > 1 ? PADICI_FIELD_LINES : 1;
    const uint64_t across = (lines->stride + width - 1) / width; // bundles of one outer index
    uint64_t at = lines->bundles / lines->tasks * task;
    const uint64_t end = task + 1 == lines->tasks ? lines->bundles
                                                  : at + lines->bundles / lines->tasks;
    for (; at < end; at++) {
        const uint64_t outer = at / across, from = at % across * width;
        const uint64_t count = lines->stride - from < width ? lines->stride - from : width;
        padici_field_bundle(lines, lines->psi + 2 * (outer * lines->n * lines->stride + from),
                            count);
    }
}

// Pivots of 1 + b T; `ends`: what T has at its ends, 2 at walls where psi is 0, 1 at mirrors.
static void padici_field_pivots(padici_field_lines *lines, const double *b, double ends,
                                double *inverse)
{
    static const double one[2] = {1, 0};
    uint64_t i;
    for (i = 0; i < lines->n; i++) {
        double t = 2, pivot[2], x[2] = {0, 0}, square[2];
        if (i == 0) t += ends - 2;
        if (i + 1 == lines->n) t += ends - 2;
        if (i) {
            padici_field_times(lines->off[0], lines->off[1], lines->off[0], lines->off[1], square);
            padici_field_times(square[0], square[1], inverse[2 * i - 2], inverse[2 * i - 1], x);
        }
        pivot[0] = 1 + t * b[0] - x[0];
        pivot[1] = t * b[1] - x[1];
        padici_field_over(one, pivot, inverse + 2 * i);
    }
}

// The periodic T is that of mirrors, of ends 1, plus u u^T, u the first minus the last unit vector.
// Of M = M' + b u u^T the inverse is M'^-1 - q b (u^T M'^-1) / (1 + b u^T q), q = M'^-1 u (Sherman,
// Morrison).
static void padici_field_corners(padici_field_lines *lines, const double *b, double *column)
{
    static const double one[2] = {1, 0};
    const uint64_t last = 2 * (lines->n - 1);
    double below[2], x[2];
    memset(column, 0, (size_t)lines->n * 2 * sizeof *column);
    column[0] = 1;
    column[last] = -1;
    lines->periodic = 0;
    {
        padici_field_lines single = *lines;
        single.stride = 1;
        padici_field_bundle(&single, column, 1);
    }
    padici_field_times(column[0] - column[last], column[1] - column[last + 1], b[0], b[1], x);
    below[0] = 1 + x[0];
    below[1] = x[1];
    padici_field_over(one, below, x);
    padici_field_times(x[0], x[1], b[0], b[1], lines->corner);
    lines->periodic = 1;
}

// Factors of 1 + b T along an axis, 2 n numbers each: 0 where T is 0.
static int padici_field_lines_begin(const padici_field_rules *rules, uint32_t axis,
                                    const double *b, double *inverse, double *column,
                                    padici_field_lines *lines)
{
    const padic_field_boundary wall = rules->desc.boundary[axis - rules->first];
    memset(lines, 0, sizeof *lines);
    lines->n = rules->n[axis];
    lines->stride = axis == 0 ? rules->n[1] * rules->n[2] : axis == 1 ? rules->n[2] : 1;
    lines->inverse = inverse;
    lines->column = column;
    lines->off[0] = -b[0];
    lines->off[1] = -b[1];
    if (wall == PADIC_FIELD_BOUNDARY_PERIODIC && lines->n == 1) return 0;
    padici_field_pivots(lines, b, wall == PADIC_FIELD_BOUNDARY_DIRICHLET ? 2 : 1, inverse);
    if (wall == PADIC_FIELD_BOUNDARY_PERIODIC) padici_field_corners(lines, b, column);
    return 1;
}

// The same for devices: inverses of the pivots, the corners' column and its factor.
PADICI_FN int padici_field_lines_factors(const padici_field_rules *rules, uint32_t axis,
                                         const double *b, double *inverse, double *column,
                                         double *corner)
{
    padici_field_lines lines;
    const int there = padici_field_lines_begin(rules, axis, b, inverse, column, &lines);
    memcpy(corner, lines.corner, sizeof lines.corner);
    return there;
}

// psi = (1 + b T)^-1 psi along an axis of the three.
PADICI_FN void padici_field_lines_solve(padic_field_plan *plan, uint32_t axis, double re,
                                        double im, double *psi)
{
    const padici_field_rules *rules = &plan->rules;
    const padic_jobs *jobs = padici_jobs(plan->context);
    padici_field_lines lines;
    double b[2];
    b[0] = re;
    b[1] = im;
    if (!padici_field_lines_begin(rules, axis, b, plan->line, plan->line + 2 * rules->n[axis],
                                  &lines))
        return;
    lines.psi = psi;
    lines.lines = rules->points / lines.n;
    lines.bundles = lines.stride > 1
                        ? (lines.stride + PADICI_FIELD_LINES - 1) / PADICI_FIELD_LINES *
                              (lines.lines / lines.stride)
                        : lines.lines;
    lines.tasks = jobs && jobs->workers > 1 ? 4 * (uint64_t)jobs->workers : 1;
    if (lines.tasks > lines.bundles) lines.tasks = lines.bundles;
    padici_parallel(jobs, (uint32_t)lines.tasks, padici_field_lines_task, &lines);
}

static void padici_field_mirror_piece(const padici_field_pass *pass,
                                      const padici_field_piece *piece, double *sums)
{
    const double *in = pass->in + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < 2 * piece->count; i++) out[i] = 2 * in[i] - out[i];
}

// psi = prod_a (1 + b_a T)^-1 (1 - b_a T) psi = prod_a (2 (1 + b_a T)^-1 - 1) psi, with
// b_a = i time K / (2 h_a^2), in imaginary time without i.
PADICI_FN void padici_field_cayley(padic_field_plan *plan, double time, int imaginary, double *psi,
                                   double *space)
{
    padici_field_pass pass;
    uint32_t a;
    for (a = plan->rules.first; a < 3; a++) {
        const double h = plan->rules.h[a];
        const double b = time * plan->rules.desc.kinetic / (2 * h * h);
        padici_field_copy(plan, psi, space);
        padici_field_lines_solve(plan, a, imaginary ? b : 0, imaginary ? 0 : b, space);
        memset(&pass, 0, sizeof pass);
        pass.plan = plan;
        pass.in = space;
        pass.out = psi;
        pass.piece = padici_field_mirror_piece;
        padici_field_run(&pass, NULL);
    }
}

#undef PADICI_FIELD_LINES

#endif
