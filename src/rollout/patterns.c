#include "initial.h"
#include "../context/ops.h"
#include "random.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Initial conditions of objects, fronts, clusters and blocks.

static double padici_rollout_number_of(const padic_rollout_number *n, uint32_t word)
{
    const double u = (double)padic_random_f32(word);
    switch (n->draw) {
    case PADIC_ROLLOUT_DRAW_UNIFORM: return n->a + u * (n->b - n->a);
    case PADIC_ROLLOUT_DRAW_NORMAL: return n->a + n->b * (double)padic_random_normal(word);
    case PADIC_ROLLOUT_DRAW_LOG: return n->a * pow(n->b / n->a, u);
    default: return n->a;
    }
}

// From one place to another along an axis, by the nearest image.
static double padici_rollout_apart(double to, double from, double size, uint32_t open)
{
    const double d = to - from;
    return open ? d : d - size * floor(d / size + 0.5);
}

// ---- objects

static void padici_rollout_object(const padici_rollout_initial_job *job, uint64_t stream,
                                  uint32_t j, uint32_t c, double *out)
{
    const padic_rollout_initial_desc *desc = job->desc;
    const double width = (double)job->shape[3], height = (double)job->shape[2];
    const double all = desc->weights[0] + desc->weights[1] + desc->weights[2];
    const uint32_t block = 2 * (j * (uint32_t)job->shape[1] + c);
    uint32_t word[4], more[4], what;
    double place[2], radius, amplitude, normal[2], pick;
    uint64_t x, y;
    padici_rollout_words(desc->seed, stream, 0, block, word);
    padici_rollout_words(desc->seed, stream, 0, block + 1, more);
    place[0] = width * (double)padic_random_f32(word[0]);
    place[1] = height * (double)padic_random_f32(word[1]);
    radius = padici_rollout_number_of(&desc->radii, word[2]);
    amplitude = job->sigma * padici_rollout_number_of(&desc->amplitudes, word[3]);
    if (!(radius > 0)) return;
    normal[0] = cos(6.283185307179586477 * (double)padic_random_f32(more[0]));
    normal[1] = sin(6.283185307179586477 * (double)padic_random_f32(more[0]));
    pick = (double)padic_random_f32(more[1]) * all;
    what = (uint32_t)desc->kind - (uint32_t)PADIC_ROLLOUT_INITIAL_DISCS;
    if (desc->kind == PADIC_ROLLOUT_INITIAL_STRUCTURED)
        what = desc->weights[0] > pick                      ? 0
               : desc->weights[0] + desc->weights[1] > pick ? 1
                                                            : 2;
    for (y = 0; y < job->shape[2]; y++)
        for (x = 0; x < job->shape[3]; x++) {
            const double dx = padici_rollout_apart((double)x, place[0], width, desc->open);
            const double dy = padici_rollout_apart((double)y, place[1], height, desc->open);
            const double along = dx * normal[0] + dy * normal[1], square = dx * dx + dy * dy;
            double *at = &out[y * job->shape[3] + x];
            if (what == 1) *at += amplitude * exp(-0.5 * square / radius / radius);
            else if ((what ? along * along : square) < radius * radius) *at += amplitude;
        }
}

// ---- fronts and gradients

static double padici_rollout_front_of(double d, double width)
{
    if (width > 0) return tanh(d / (1.41421356237309504880 * width));
    return d > 0 ? 1 : d < 0 ? -1 : 0;
}

static double padici_rollout_level(const padici_rollout_initial_job *job, const double *g,
                                   uint64_t x, uint64_t y)
{
    const uint64_t h = job->shape[2], w = job->shape[3];
    const double dx = 0.5 * (g[y * w + (x + 1) % w] - g[y * w + (x + w - 1) % w]);
    const double dy = 0.5 * (g[(y + 1) % h * w + x] - g[(y + h - 1) % h * w + x]);
    const double slope = sqrt(dx * dx + dy * dy), value = g[y * w + x];
    return slope > 0 ? value / slope : value > 0 ? 1e30 : value < 0 ? -1e30 : 0;
}

static double padici_rollout_decay_of(const padic_rollout_initial_desc *desc, double r)
{
    switch (desc->decay) {
    case PADIC_ROLLOUT_DECAY_POWER: return pow(1 + r / desc->width, -desc->exponent);
    case PADIC_ROLLOUT_DECAY_LOGISTIC: return 1 / (1 + exp((r - desc->radius) / desc->width));
    default: return exp(-r / desc->width);
    }
}

static void padici_rollout_plane_front(const padici_rollout_initial_job *job, const double *g,
                                       double *out)
{
    const padic_rollout_initial_desc *desc = job->desc;
    const double normal[2] = {cos(desc->angle), sin(desc->angle)};
    uint64_t x, y;
    for (y = 0; y < job->shape[2]; y++)
        for (x = 0; x < job->shape[3]; x++) {
            const double px = (double)x - job->centre[0], py = (double)y - job->centre[1];
            const double r = sqrt(px * px + py * py);
            const uint64_t at = y * job->shape[3] + x;
            double d = px * normal[0] + py * normal[1];
            if (desc->kind == PADIC_ROLLOUT_INITIAL_GRADIENT) {
                out[at] = job->sigma * (padici_rollout_decay_of(desc, r) +
                                        (g ? desc->fraction * g[at] : 0));
                continue;
            }
            if (desc->front == PADIC_ROLLOUT_FRONT_CIRCLE) d = desc->radius - r;
            if (desc->front == PADIC_ROLLOUT_FRONT_LEVEL) d = padici_rollout_level(job, g, x, y);
            out[at] = job->sigma * padici_rollout_front_of(d, desc->width);
        }
}

// ---- points with a distance, clusters, blocks

static void padici_rollout_plane_cells(const padici_rollout_initial_job *job, uint64_t stream,
                                       uint32_t c, double *out, double *places)
{
    const padic_rollout_initial_desc *desc = job->desc;
    const double width = (double)job->shape[3], height = (double)job->shape[2];
    uint32_t found = 0, t, i;
    uint64_t x, y;
    for (t = 0; t < 32 * desc->count && found < desc->count; t++) {
        uint32_t word[4];
        double *at = places + 2 * found;
        padici_rollout_words(desc->seed, stream, 0, t * (uint32_t)job->shape[1] + c, word);
        at[0] = width * (double)padic_random_f32(word[0]);
        at[1] = height * (double)padic_random_f32(word[1]);
        for (i = 0; i < found; i++) {
            const double dx = padici_rollout_apart(at[0], places[2 * i], width, desc->open);
            const double dy = padici_rollout_apart(at[1], places[2 * i + 1], height, desc->open);
            if (dx * dx + dy * dy < desc->radius * desc->radius) break;
        }
        found += i == found;
    }
    for (i = 0; i < found; i++)
        for (y = 0; y < job->shape[2]; y++)
            for (x = 0; x < job->shape[3]; x++) {
                const double dx = padici_rollout_apart((double)x, places[2 * i], width,
                                                       desc->open);
                const double dy = padici_rollout_apart((double)y, places[2 * i + 1], height,
                                                       desc->open);
                out[y * job->shape[3] + x] +=
                    job->sigma * exp(-0.5 * (dx * dx + dy * dy) / desc->width / desc->width);
            }
}

// A neighbour of a cell: left, right, up, down; the number of cells: none.
static uint64_t padici_rollout_neighbour(const padici_rollout_initial_job *job, uint64_t at,
                                         uint32_t side)
{
    const uint64_t h = job->shape[2], w = job->shape[3];
    const uint64_t x = at % w, y = at / w;
    const int edge = side == 0 ? x == 0 : side == 1 ? x + 1 == w : side == 2 ? y == 0 : y + 1 == h;
    if (edge && job->desc->open) return job->cells;
    if (side < 2) return y * w + (side ? (x + 1) % w : (x + w - 1) % w);
    return (side == 3 ? (y + 1) % h : (y + h - 1) % h) * w + x;
}

// A cell is 0, in the list (2) or taken (1) while the cluster grows.
static void padici_rollout_plane_cluster(const padici_rollout_initial_job *job, uint64_t stream,
                                         uint32_t c, double *out, double *list)
{
    const double w = (double)job->shape[3], h = (double)job->shape[2];
    double x = floor(job->centre[0] + 0.5), y = floor(job->centre[1] + 0.5);
    uint64_t length = 1, size, i;
    uint32_t side;
    x = x < 0 ? 0 : x < w ? x : w - 1;
    y = y < 0 ? 0 : y < h ? y : h - 1;
    list[0] = y * w + x;
    for (size = 0; size < job->desc->count && length; size++) {
        uint64_t pick = 0, cell;
        if (size) {
            uint32_t word[4];
            padici_rollout_words(job->desc->seed, stream, 0,
                                 (uint32_t)(size / 4) * (uint32_t)job->shape[1] + c, word);
            pick = (uint64_t)word[size % 4] * length >> 32;
        }
        cell = (uint64_t)list[pick];
        list[pick] = list[--length];
        out[cell] = 1;
        for (side = 0; side < 4; side++) {
            const uint64_t next = padici_rollout_neighbour(job, cell, side);
            if (next == job->cells || out[next] != 0) continue;
            out[next] = 2;
            list[length++] = (double)next;
        }
    }
    for (i = 0; i < job->cells; i++) out[i] = out[i] == 1 ? job->sigma : 0;
}

static void padici_rollout_plane_blocks(const padici_rollout_initial_job *job, uint64_t field,
                                        uint32_t c, double *out)
{
    const padic_rollout_initial_desc *desc = job->desc;
    const uint64_t signs = padici_rollout_initial_stream(job, field, 0);
    const uint64_t flips = padici_rollout_initial_stream(job, field, 1);
    const uint64_t side = desc->count, across = (job->shape[3] + side - 1) / side;
    uint64_t x, y;
    for (y = 0; y < job->shape[2]; y++)
        for (x = 0; x < job->shape[3]; x++) {
            const uint64_t at = y * job->shape[3] + x, b = y / side * across + x / side;
            uint32_t word[4], flip;
            padici_rollout_words(desc->seed, signs, 0,
                                 (uint32_t)(b / 4 * job->shape[1] + c), word);
            flip = padici_rollout_word(desc->seed, flips, 0, c * job->cells + at);
            out[at] = (word[b % 4] & 1) != ((double)padic_random_f32(flip) < desc->fraction)
                          ? -job->sigma
                          : job->sigma;
        }
}

// ---- all of them

PADICI_FN uint64_t padici_rollout_pattern_room(const padic_rollout_initial_desc *desc,
                                               uint64_t cells)
{
    if (desc->kind == PADIC_ROLLOUT_INITIAL_CLUSTER) return cells;
    return desc->kind == PADIC_ROLLOUT_INITIAL_CELLS ? 2 * (uint64_t)desc->count + 2 : 0;
}

PADICI_FN void padici_rollout_plane_pattern(const padici_rollout_initial_job *job,
                                            uint32_t worker, uint64_t field, uint32_t c,
                                            double *out, double *room)
{
    const uint64_t stream = padici_rollout_initial_stream(job, field, 0);
    const double *g = job->spectral ? job->spectral[worker].field : NULL;
    uint32_t j;
    memset(out, 0, (size_t)job->cells * sizeof *out);
    if (g)
        padici_rollout_spectral_draw(&job->spectral[worker], job->desc->seed, stream, 0,
                                     (uint32_t)job->shape[1], c);
    switch (job->desc->kind) {
    case PADIC_ROLLOUT_INITIAL_FRONT:
    case PADIC_ROLLOUT_INITIAL_GRADIENT: padici_rollout_plane_front(job, g, out); break;
    case PADIC_ROLLOUT_INITIAL_CELLS:
        padici_rollout_plane_cells(job, stream, c, out, room);
        break;
    case PADIC_ROLLOUT_INITIAL_CLUSTER:
        padici_rollout_plane_cluster(job, stream, c, out, room);
        break;
    case PADIC_ROLLOUT_INITIAL_BLOCKS: padici_rollout_plane_blocks(job, field, c, out); break;
    default:
        for (j = 0; j < job->desc->count; j++) padici_rollout_object(job, stream, j, c, out);
        break;
    }
}

static const char *padici_rollout_number_fault(const padic_rollout_number *n)
{
    if ((uint32_t)n->draw > PADIC_ROLLOUT_DRAW_LOG)
        return "has a draw that is no padic_rollout_draw";
    if (n->a - n->a != 0 || n->b - n->b != 0) return "has an a or b that is not finite";
    if (n->draw == PADIC_ROLLOUT_DRAW_LOG && !(n->a > 0 && n->b > 0))
        return "has a LOG of a or b that is not above 0";
    return NULL;
}

// What is wrong with the fields of these kinds.
PADICI_FN const char *padici_rollout_pattern_fault(const padic_rollout_initial_desc *desc,
                                                   const char **field)
{
    const padic_rollout_initial_kind kind = desc->kind;
    const char *fault;
    uint32_t i;
    *field = "open";
    if (desc->open > 1) return "is not 0 or 1";
    *field = "front";
    if ((uint32_t)desc->front > PADIC_ROLLOUT_FRONT_LEVEL) return "is no padic_rollout_front";
    *field = "decay";
    if ((uint32_t)desc->decay > PADIC_ROLLOUT_DECAY_LOGISTIC) return "is no padic_rollout_decay";
    *field = "angle";
    if (desc->angle - desc->angle != 0) return "is not finite";
    *field = "radius";
    if (!(desc->radius >= 0) || desc->radius - desc->radius != 0)
        return "is negative or not finite";
    *field = "exponent";
    if (desc->exponent - desc->exponent != 0) return "is not finite";
    *field = "fraction";
    if (desc->fraction - desc->fraction != 0) return "is not finite";
    if (kind == PADIC_ROLLOUT_INITIAL_BLOCKS && !(desc->fraction >= 0 && desc->fraction <= 1))
        return "is not from 0 to 1";
    *field = "count";
    if (kind == PADIC_ROLLOUT_INITIAL_BLOCKS && !desc->count) return "is 0";
    if (((kind >= PADIC_ROLLOUT_INITIAL_DISCS && kind <= PADIC_ROLLOUT_INITIAL_STRUCTURED) ||
         kind == PADIC_ROLLOUT_INITIAL_CELLS) &&
        desc->count > 4096)
        return "is above 4096";
    *field = "width";
    if ((kind == PADIC_ROLLOUT_INITIAL_GRADIENT || kind == PADIC_ROLLOUT_INITIAL_CELLS) &&
        !(desc->width > 0 && desc->width - desc->width == 0))
        return "is not above 0 and finite";
    if (kind == PADIC_ROLLOUT_INITIAL_FRONT &&
        !(desc->width >= 0 && desc->width - desc->width == 0))
        return "is negative or not finite";
    *field = "weights";
    for (i = 0; i < 3; i++)
        if (!(desc->weights[i] >= 0) || desc->weights[i] > 1e300)
            return "has one that is negative or not finite";
    if (kind == PADIC_ROLLOUT_INITIAL_STRUCTURED &&
        !(desc->weights[0] + desc->weights[1] + desc->weights[2] > 0))
        return "are all 0";
    *field = "radii";
    fault = padici_rollout_number_fault(&desc->radii);
    if (fault) return fault;
    *field = "amplitudes";
    return padici_rollout_number_fault(&desc->amplitudes);
}

#endif
