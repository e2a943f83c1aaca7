#include "plan.h"
#include "line.h"
#include "roots.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_FFT

// Plans: tables and scratch.

PADICI_FN int padici_fft_smooth(uint64_t n)
{
    static const uint32_t primes[4] = {2, 3, 5, 7};
    uint32_t i;
    for (i = 0; i < 4; i++)
        while (n % primes[i] == 0) n /= primes[i];
    return n == 1;
}

PADIC_API uint64_t padic_fft_next_size(uint64_t n)
{
    const uint64_t most = UINT64_C(1) << 63;
    uint64_t a, b, c, best = most;
    if (n < 2) return 1;
    if (n > most) return 0;
    for (a = 1; a < best; a = a > most / 7 ? most : 7 * a) // 7^i 5^j 3^k times a power of two
        for (b = a; b < best; b = b > most / 5 ? most : 5 * b)
            for (c = b; c < best; c = c > most / 3 ? most : 3 * c) {
                uint64_t d = c;
                while (d < n && d <= most / 2) d *= 2;
                if (d >= n && d < best) best = d;
            }
    return best;
}

// Memory that the plan keeps; NULL, and so is all that follows.
static void *padici_fft_take(padic_fft_plan *plan, uint64_t count, uint64_t size)
{
    uint64_t bytes;
    void *piece;
    if (plan->pieces >= PADICI_FFT_PIECES || !padici_mul_u64(count, size, &bytes) ||
        bytes > (size_t)-1 / 2)
        return NULL;
    piece = padici_alloc(&plan->allocator, (size_t)bytes, 64);
    if (!piece) return NULL;
    plan->piece[plan->pieces] = piece;
    plan->piece_size[plan->pieces++] = (size_t)bytes;
    plan->size += bytes;
    return piece;
}

PADIC_API void padic_fft_plan_destroy(padic_fft_plan *plan)
{
    padic_allocator allocator;
    if (!plan) return;
    while (plan->pieces) {
        plan->pieces--;
        padici_free(&plan->allocator, plan->piece[plan->pieces], plan->piece_size[plan->pieces]);
    }
    allocator = plan->allocator;
    padici_free(&allocator, plan, sizeof *plan);
}

PADIC_API uint64_t padic_fft_plan_size(const padic_fft_plan *plan)
{
    return plan ? plan->size + sizeof *plan : 0;
}

// The radices of n, powers of two as the widest ones; 0 when there are other primes.
PADICI_FN uint32_t padici_fft_radices(uint64_t n, uint32_t widest, uint32_t *radix)
{
    uint32_t count = 0, odd, twos = 0;
    for (odd = 7; odd > 2; odd -= 2)
        for (; n % odd == 0; n /= odd) radix[count++] = odd;
    for (; n % 2 == 0; n /= 2) twos++;
    if (n > 1) return 0;
    while (twos) {
        const uint32_t take = widest == 8 && (twos == 3 || twos > 4) ? 3 : twos > 1 ? 2 : 1;
        radix[count++] = 1u << take;
        twos -= take;
    }
    return count;
}

// Roots of an array: number i is exp(-2 pi i k / n), times what `put` is told.
static void padici_fft_root_put(const padic_fft_plan *plan, const padici_fft_roots *roots,
                                uint64_t k, void *at, size_t imaginary)
{
    const uint32_t is_double = plan->kernels->is_double;
    double root[2];
    padici_fft_root(roots, k, root);
    padici_fft_put(at, is_double, root[0]);
    padici_fft_put((char *)at + imaginary, is_double, root[1]);
}

// The tables of a block's stages.
static const padici_fft_stages *padici_fft_stages_of(padic_fft_plan *plan, uint64_t n)
{
    const size_t real = plan->kernels->is_double ? 8 : 4;
    padici_fft_stages *stages;
    padici_fft_roots roots;
    uint32_t radix[64], i, k;
    uint64_t p, done = 1, size = n;
    for (i = 0; i < plan->stages_count; i++)
        if (plan->stages[i].n == n) return &plan->stages[i];
    if (i == PADICI_FFT_TABLES) return NULL;
    stages = &plan->stages[i];
    stages->n = n;
    stages->count = padici_fft_radices(n, plan->kernels->widest, radix);
    for (i = 0; i < stages->count; i++, size /= radix[i - 1], done *= radix[i - 1]) {
        padici_fft_stage *s = &stages->stage[i];
        s->radix = radix[i];
        s->rest = size / radix[i];
        s->done = done;
        s->twiddle = padici_fft_take(plan, s->rest * (radix[i] - 1), 2 * real);
        if (!s->twiddle) return NULL;
    }
    if (padici_fft_roots_begin(&roots, &plan->allocator, n)) return NULL;
    for (i = 0; i < stages->count; i++) {
        const padici_fft_stage *s = &stages->stage[i];
        char *table = (char *)plan->piece[plan->pieces - stages->count + i];
        for (p = 0; p < s->rest; p++)
            for (k = 1; k < s->radix; k++, table += 2 * real)
                padici_fft_root_put(plan, &roots, p * k * s->done, table, real);
    }
    padici_fft_roots_end(&roots);
    plan->stages_count++;
    return stages;
}

// What a matrix of n1 rows and n / n1 columns costs: elements in blocks, empty lanes included, and
// a block that the first cache does not hold costs more.
static double padici_fft_matrix_cost(const padici_fft_kernels *kernels, uint64_t n, uint64_t n1)
{
    const uint64_t lanes = kernels->lanes, n2 = n / n1;
    double cost = 0;
    uint32_t radix[64], i, side;
    for (side = 0; side < 2; side++) {
        const uint64_t length = side ? n2 : n1, lines = side ? n1 : n2;
        const double all = (double)((lines + lanes - 1) / lanes * lanes) * (double)length;
        const double bytes = (double)(length * lanes) * (kernels->is_double ? 32 : 16);
        double each = 1; // moves; what stages cost was measured
        const uint32_t count = padici_fft_radices(length, kernels->widest, radix);
        for (i = 0; i < count; i++)
            each += radix[i] % 2 ? 0.55 + 0.15 * radix[i] : 0.75 + 0.065 * radix[i];
        cost += all * each * (bytes > 2097152 ? 4 : bytes > 49152 ? 1.4 : 1);
    }
    return cost;
}

static void padici_fft_matrix_shape(const padici_fft_kernels *kernels, padici_fft_line *line)
{
    double best = 0;
    uint64_t d;
    line->n1 = line->n2 = 0;
    for (d = 1; d <= line->n && d <= 65536; d++) {
        double cost;
        if (line->n % d) continue;
        cost = padici_fft_matrix_cost(kernels, line->n, d);
        if (line->n1 && cost >= best) continue;
        best = cost;
        line->n1 = d;
        line->n2 = line->n / d;
    }
}

// Twiddles w^(l k1) for neighbouring columns l, and those of each block's first column, or, of
// lines that are not long, all of them.
static int padici_fft_twiddles(padic_fft_plan *plan, padici_fft_line *line)
{
    const size_t real = plan->kernels->is_double ? 8 : 4;
    const uint64_t lanes = plan->kernels->lanes, blocks = line->columns;
    const uint64_t full = line->n <= PADICI_FFT_FULL || blocks == 1 ? blocks : 1;
    padici_fft_roots roots;
    uint64_t block, k, l;
    char *at;
    line->twiddle = padici_fft_take(plan, full * line->n1 * lanes, 2 * real);
    line->factor = full == blocks
                       ? NULL
                       : padici_fft_take(plan, (blocks - 1) * line->n1, 2 * real);
    if (!line->twiddle || (full != blocks && !line->factor) ||
        padici_fft_roots_begin(&roots, &plan->allocator, line->n))
        return 0;
    at = (char *)line->twiddle;
    for (block = 0; block < full; block++)
        for (k = 0; k < line->n1; k++, at += 2 * lanes * real)
            for (l = 0; l < lanes; l++)
                padici_fft_root_put(plan, &roots, k * (block * lanes + l) % line->n,
                                    at + l * real, lanes * real);
    at = (char *)line->factor;
    for (block = 1; block < blocks && at; block++)
        for (k = 0; k < line->n1; k++, at += 2 * real)
            padici_fft_root_put(plan, &roots, k * block * lanes % line->n, at, real);
    padici_fft_roots_end(&roots);
    return 1;
}

static padici_fft_line *padici_fft_matrix_of(padic_fft_plan *plan, uint64_t n)
{
    padici_fft_line *line;
    uint32_t i;
    for (i = 0; i < plan->line_count; i++)
        if (plan->line[i].n == n) return &plan->line[i];
    if (i == PADICI_FFT_TABLES) return NULL;
    line = &plan->line[i];
    line->n = n;
    padici_fft_matrix_shape(plan->kernels, line);
    line->whole = plan->kernels->whole && (n == 64 || (n % 128 == 0 && n <= PADICI_FFT_WHOLE));
    if (line->whole) {
        line->n1 = n / 16;
        line->n2 = 16;
    }
    line->columns = (line->n2 + plan->kernels->lanes - 1) / plan->kernels->lanes;
    line->rows = (line->n1 + plan->kernels->lanes - 1) / plan->kernels->lanes;
    line->first = padici_fft_stages_of(plan, line->n1);
    line->second = padici_fft_stages_of(plan, line->n2);
    if (!line->first || !line->second || !padici_fft_twiddles(plan, line)) return NULL;
    plan->line_count++;
    return line;
}

// exp(-pi i j^2 / n), and the conjugates' spectrum over its length, which divides it: an inverse
// transform leaves it out.
static int padici_fft_chirps(padic_fft_plan *plan, padici_fft_line *line)
{
    const uint32_t is_double = plan->kernels->is_double;
    const size_t real = is_double ? 8 : 4;
    const uint64_t n = line->n, length = line->chirped->n;
    padici_fft_roots roots;
    padici_fft_view view;
    uint64_t j;
    char *chirp = (char *)padici_fft_take(plan, n, 2 * real);
    char *wave = (char *)padici_fft_take(plan, length, 2 * real);
    if (!chirp || !wave || padici_fft_roots_begin(&roots, &plan->allocator, 2 * n)) return 0;
    memset(wave, 0, (size_t)length * 2 * real);
    for (j = 0; j < n; j++) {
        char *at = chirp + 2 * j * real;
        padici_fft_root_put(plan, &roots, j * j % (2 * n), at, real);
        memcpy(wave + 2 * j * real, at, real);
        padici_fft_put(wave + (2 * j + 1) * real, is_double,
                       -padici_fft_get(at + real, is_double));
        if (j) memcpy(wave + 2 * (length - j) * real, wave + 2 * j * real, 2 * real);
    }
    padici_fft_roots_end(&roots);
    line->chirp = chirp;
    line->spectrum = wave;
    memset(&view, 0, sizeof view);
    view.at = wave;
    view.element = 2 * (int64_t)real;
    view.imaginary = (int64_t)real;
    view.is_double = is_double;
    view.scale = 1 / (double)length;
    padici_fft_line_run(plan, line->chirped, &view, &view, 0, NULL);
    return 1;
}

static padici_fft_line *padici_fft_chirp_of(padic_fft_plan *plan, uint64_t n)
{
    padici_fft_line *chirped = padici_fft_matrix_of(plan, padic_fft_next_size(2 * n - 1)), *line;
    if (!chirped || plan->line_count == PADICI_FFT_TABLES) return NULL;
    line = &plan->line[plan->line_count++];
    line->n = n;
    line->chirped = chirped;
    return line;
}

static padic_result padici_fft_axis_of(padic_fft_plan *plan, const padici_fft_shape *shape,
                                       uint32_t i)
{
    padici_fft_axis *axis = &plan->axis[i];
    const size_t real = plan->kernels->is_double ? 8 : 4;
    const int reals = shape->real && i + 1 == shape->axis_count;
    padici_fft_roots roots;
    uint64_t k;
    axis->axis = shape->axis[i];
    axis->n = reals ? shape->last : shape->complex_shape[axis->axis];
    axis->m = reals && axis->n % 2 == 0 ? axis->n / 2 : axis->n;
    if (reals && axis->n % 2 == 0) {
        char *at = (char *)padici_fft_take(plan, axis->n / 4 + 1, 2 * real);
        if (!at || padici_fft_roots_begin(&roots, &plan->allocator, axis->n))
            return PADIC_ERROR_MEMORY;
        axis->roots = at;
        for (k = 0; k <= axis->n / 4; k++, at += 2 * real)
            padici_fft_root_put(plan, &roots, k, at, real);
        padici_fft_roots_end(&roots);
    }
    if (padici_fft_smooth(axis->m)) {
        axis->line = padici_fft_matrix_of(plan, axis->m);
        if (axis->m <= PADICI_FFT_BLOCK) {
            axis->block = padici_fft_stages_of(plan, axis->m);
            if (!axis->block) return PADIC_ERROR_MEMORY;
        }
    } else {
        axis->line = padici_fft_chirp_of(plan, axis->m);
    }
    return axis->line ? PADIC_OK : PADIC_ERROR_MEMORY;
}

// The scratch of each worker: of all where each does lines of its own, else of the first only.
static padic_result padici_fft_scratch_of(padic_fft_plan *plan)
{
    const uint64_t lanes = plan->kernels->lanes, number = plan->kernels->is_double ? 16 : 8;
    uint64_t block = 1, reals = 0, matrix[2] = {0, 0}, chirp[2] = {0, 0}; // of all, of the first
    uint32_t i;
    for (i = 0; i < plan->axis_count; i++)
        if (plan->axis[i].n + 1 > reals) reals = plan->axis[i].n + 1;
    for (i = 0; i < plan->axis_count; i++)
        if (plan->axis[i].block && plan->axis[i].n + 1 > block) block = plan->axis[i].n + 1;
    for (i = 0; i < plan->line_count; i++) {
        const padici_fft_line *line = &plan->line[i];
        const uint32_t shared = line->n >= PADICI_FFT_WIDE;
        uint64_t size = line->rows * lanes * line->n2;
        if (line->chirped) {
            if (line->chirped->n > chirp[shared]) chirp[shared] = line->chirped->n;
            line = line->chirped;
            size = line->rows * lanes * line->n2;
        }
        if (line->n1 > block) block = line->n1;
        if (line->n2 > block) block = line->n2;
        if (size > matrix[shared]) matrix[shared] = size;
    }
    block += lanes; // which are loaded and stored that many at a time
    for (i = 0; i < plan->workers; i++) {
        padici_fft_scratch *s = &plan->scratch[i];
        const uint64_t m = i || matrix[0] > matrix[1] ? matrix[0] : matrix[1];
        const uint64_t c = i || chirp[0] > chirp[1] ? chirp[0] : chirp[1];
        s->x = padici_fft_take(plan, block * lanes, number);
        s->y = padici_fft_take(plan, block * lanes, number);
        s->matrix = padici_fft_take(plan, m, number);
        s->reals = plan->real ? padici_fft_take(plan, reals, number) : s->x;
        s->chirp = c ? padici_fft_take(plan, c, number) : s->x;
        s->convolved = c ? padici_fft_take(plan, c, number) : s->x;
        if (!s->x || !s->y || !s->matrix || !s->reals || !s->chirp || !s->convolved)
            return PADIC_ERROR_MEMORY;
    }
    return PADIC_OK;
}

static padic_result padici_fft_plan_fill(padic_fft_plan *plan, const padici_fft_shape *shape)
{
    uint64_t count = 1;
    uint32_t i;
    padic_result result = PADIC_OK;
    for (i = 0; i < plan->axis_count && !result; i++) result = padici_fft_axis_of(plan, shape, i);
    if (!result) result = padici_fft_scratch_of(plan);
    for (i = 0; i < plan->line_count && !result; i++)
        if (plan->line[i].chirped && !padici_fft_chirps(plan, &plan->line[i]))
            result = PADIC_ERROR_MEMORY;
    if (result || plan->axis_count < 2) return result;
    for (i = 0; i < plan->rank; i++)
        if (!padici_mul_u64(count, plan->shape[i], &count)) return PADIC_ERROR_LIMIT;
    if (plan->kernels->is_double != plan->is_double || plan->real) {
        plan->work = padici_fft_take(plan, count, plan->kernels->is_double ? 16 : 8);
        if (!plan->work) return PADIC_ERROR_MEMORY;
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_fft_plan_make(const padic_env *env, const padic_context *context,
                                            const padici_fft_kernels *kernels,
                                            const padici_fft_shape *shape, padic_fft_plan **out)
{
    const padic_allocator *allocator = env ? env->allocator : NULL;
    const padic_jobs *jobs = env ? env->jobs : NULL;
    padic_fft_plan *plan = (padic_fft_plan *)padici_alloc(allocator, sizeof *plan, 16);
    padic_result result;
    *out = NULL;
    if (!plan) return PADIC_ERROR_MEMORY;
    memset(plan, 0, sizeof *plan);
    plan->context = context;
    if (allocator) plan->allocator = *allocator;
    plan->kernels = kernels;
    plan->workers = jobs && jobs->enqueue && jobs->finish && jobs->workers > 1 ? jobs->workers : 1;
    if (plan->workers > PADICI_FFT_WORKERS) plan->workers = PADICI_FFT_WORKERS;
    plan->is_double = shape->is_double;
    plan->real = shape->real;
    plan->rank = shape->rank;
    plan->axis_count = shape->axis_count;
    memcpy(plan->shape, shape->complex_shape, sizeof plan->shape);
    result = padici_fft_plan_fill(plan, shape);
    if (result) padic_fft_plan_destroy(plan);
    else *out = plan;
    return result;
}

PADICI_FN int padici_fft_plan_fits(const padic_fft_plan *plan, const padici_fft_shape *shape)
{
    uint32_t i;
    if (plan->is_double != shape->is_double || plan->real != shape->real ||
        plan->rank != shape->rank || plan->axis_count != shape->axis_count)
        return 0;
    for (i = 0; i < plan->rank; i++)
        if (plan->shape[i] != shape->complex_shape[i]) return 0;
    for (i = 0; i < plan->axis_count; i++)
        if (plan->axis[i].axis != shape->axis[i]) return 0;
    return !plan->real || plan->axis[plan->axis_count - 1].n == shape->last;
}

#endif
