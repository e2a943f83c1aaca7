#include "engine.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../core/view.h"
#include "noise.h"

#if PADICI_IMPLEMENT_ROLLOUT

// NOISE nodes: which random numbers they take, and their work.

// Element of a view of U32, F32 or F64, by its number in C order; rank 1 or 2.
static const char *padici_rollout_element(const padic_tensor *t, uint64_t i)
{
    const size_t size = padic_dtype_size(t->dtype);
    int64_t stride[PADIC_MAX_RANK], at;
    padici_tensor_dense(t, stride);
    at = t->rank == 2 ? (int64_t)(i / t->shape[1]) * stride[0] +
                            (int64_t)(i % t->shape[1]) * stride[1]
                      : (int64_t)i * stride[0];
    return (const char *)t->data + at * (int64_t)size;
}

static uint32_t padici_rollout_id_of(const padic_tensor *t, uint64_t i)
{
    uint32_t id;
    memcpy(&id, padici_rollout_element(t, i), 4);
    return id;
}

static padic_result padici_rollout_ids_check(padic_context *context, const char *name,
                                             const padic_tensor *t, uint32_t rank, uint64_t first,
                                             uint64_t last)
{
    if (!padici_rollout_here(t)) return PADIC_OK;
    if (t->dtype != PADIC_U32) return padici_fail_field(context, PADIC_ERROR_DTYPE, name,
                                                        "are not U32");
    if (t->rank != rank || t->shape[0] != first || t->shape[rank - 1] != last)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                                 "has not one for each operator, or for each realisation");
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_chance_check(padic_context *context,
                                                   const padic_tensor *ids,
                                                   const padic_tensor *noise_ids,
                                                   const padic_tensor *noise_scale, uint64_t n,
                                                   uint32_t rank, uint64_t initials,
                                                   uint64_t realisations)
{
    padic_result result = padici_rollout_ids_check(context, "ids", ids, 1, n, n);
    if (!result)
        result = padici_rollout_ids_check(context, "noise_ids", noise_ids, rank,
                                          rank == 2 ? initials : realisations, realisations);
    if (result || !padici_rollout_here(noise_scale)) return result;
    if (noise_scale->dtype != PADIC_F32 && noise_scale->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "noise_scale", "is not F32 or F64");
    if (noise_scale->rank != 1 || noise_scale->shape[0] != n)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "noise_scale", "is not (N)");
    return PADIC_OK;
}

PADICI_FN uint32_t padici_rollout_chance_operands(padici_operand *operands, uint32_t n,
                                                  padic_tensor *ids, padic_tensor *noise_ids,
                                                  padic_tensor *noise_scale)
{
    static const char *const names[3] = {"ids", "noise_ids", "noise_scale"};
    padic_tensor *const tensors[3] = {ids, noise_ids, noise_scale};
    uint32_t i;
    for (i = 0; i < 3; i++) {
        if (!padici_rollout_here(tensors[i])) continue;
        operands[n].name = names[i];
        operands[n].tensor = tensors[i];
        operands[n++].any_stride = 1;
    }
    return n;
}

PADICI_FN double padici_rollout_scale_of(const padici_rollout_engine *e,
                                         const padici_rollout_node *node, uint64_t n)
{
    const padic_tensor *t = e->chance.noise_scale;
    return t ? padici_rollout_get(padici_rollout_element(t, n), 0, padic_dtype_size(t->dtype))
             : node->scale;
}

static padic_result padici_rollout_law_values(const padic_env *env, const padici_rollout_engine *e,
                                              const padici_rollout_node *node)
{
    padic_rollout_noise_law law = node->law;
    double scale = node->scale;
    uint64_t n;
    law.scale = &scale;
    for (n = 0; n < e->operators; n++) {
        const char *fault;
        scale = padici_rollout_scale_of(e, node, n);
        fault = padici_rollout_noise_fault(&law, e->chance.frames);
        if (fault && law.schedule == PADIC_ROLLOUT_NOISE_ANNEALING && !e->chance.frames)
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT,
                                   "frames: 0, but a NOISE node is ANNEALING");
        if (fault)
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT,
                                   "noise_scale: one is negative, not finite, or 1 for DROPOUT");
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_chance_values(const padic_env *env,
                                                    const padici_rollout_engine *e)
{
    const padic_tensor *ids = e->chance.noise_ids;
    const uint64_t count = ids ? padic_tensor_count(ids) : 0;
    padic_result result = PADIC_OK;
    uint64_t i;
    uint32_t k, noisy = 0;
    for (k = 1; k <= e->op.count && !result; k++) {
        if (e->node[k].is.kind != PADIC_ROLLOUT_KIND_NOISE || e->chance.quiet) continue;
        noisy = 1;
        result = padici_rollout_law_values(env, e, &e->node[k]);
    }
    if (result || !noisy) return result;
    for (i = 0; i < count; i++)
        if (padici_rollout_id_of(ids, i) >= 1u << 20) break;
    if (i < count || (!ids && e->chance.realisations > 1u << 20))
        return padici_env_fail(env, PADIC_ERROR_LIMIT,
                               "noise_ids: a realisation is 2^20 or above");
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_disturb_begin(padici_rollout_engine *e, const padic_env *env)
{
    uint32_t i, w;
    for (i = 1; i <= e->op.count; i++) {
        const padici_rollout_node *node = &e->node[i];
        padici_rollout_place *place = &e->place[i];
        padic_rollout_spectrum spectrum;
        if (e->chance.quiet || !(node->law.length > 0)) continue;
        memset(&spectrum, 0, sizeof spectrum);
        spectrum.ell = node->law.length;
        place->correlated = padici_rollout_spectrals_begin(env, e->workers, node->shape.height,
                                                           node->shape.width);
        if (!place->correlated) {
            padici_rollout_disturb_end(e);
            return PADIC_ERROR_MEMORY;
        }
        e->more += e->workers * sizeof *place->correlated;
        for (w = 0; w < e->workers; w++) {
            (void)padici_rollout_spectral_set(&place->correlated[w], &spectrum);
            e->more += place->correlated[w].bytes + padic_fft_plan_size(place->correlated[w].plan);
        }
    }
    return PADIC_OK;
}

PADICI_FN void padici_rollout_disturb_end(padici_rollout_engine *e)
{
    uint32_t i;
    for (i = 1; i <= e->op.count; i++) {
        if (!e->place[i].correlated) continue;
        padici_rollout_spectrals_end(e->place[i].correlated, e->workers);
        e->place[i].correlated = NULL;
    }
}

// x of one channel, cells i to i + some - 1: every 16th number of `lane`. In doubles s and n are
// what they are in floats.
static void padici_rollout_disturb_lane(const padici_rollout_noise *noise, uint64_t i,
                                        uint64_t some, char *lane, size_t size)
{
    const double s = (double)noise->scale;
    float run[PADICI_ROLLOUT_NOISE_RUN];
    double *x = (double *)(void *)lane + i * PADICI_ROLLOUT_LANES;
    float *f = (float *)(void *)lane + i * PADICI_ROLLOUT_LANES;
    uint64_t k;
    if (size == 4) {
        for (k = 0; k < some; k++) run[k] = f[k * PADICI_ROLLOUT_LANES];
        padici_rollout_noise_add(noise, i, some, run);
        for (k = 0; k < some; k++) f[k * PADICI_ROLLOUT_LANES] = run[k];
        return;
    }
    if (noise->type != PADIC_ROLLOUT_NOISE_DROPOUT) padici_rollout_noise_draw(noise, i, some, run);
    for (k = 0; k < some; k++, x += PADICI_ROLLOUT_LANES) {
        if (noise->type == PADIC_ROLLOUT_NOISE_DROPOUT)
            *x = noise->kept > 0 ? *x * noise->kept : 0;
        else if (noise->type == PADIC_ROLLOUT_NOISE_MULTIPLICATIVE) *x *= 1 + s * (double)run[k];
        else *x += s * (double)run[k];
    }
}

// `count` channels side by side, a run of cells after another.
static void padici_rollout_disturb_lanes(const padici_rollout_noise *noise, uint32_t count,
                                         uint64_t cells, char *lane, size_t size)
{
    const uint64_t run = PADICI_ROLLOUT_NOISE_RUN;
    uint64_t i;
    uint32_t c;
    for (i = 0; i < cells; i += run)
        for (c = 0; c < count; c++)
            padici_rollout_disturb_lane(&noise[c], i, cells - i < run ? cells - i : run,
                                        lane + c * size, size);
}

PADICI_FN uint32_t padici_rollout_operator_id(const padici_rollout_engine *e, uint64_t trajectory)
{
    const uint64_t n = trajectory / e->per_operator;
    return e->chance.ids ? padici_rollout_id_of(e->chance.ids, n) : (uint32_t)n;
}

PADICI_FN uint32_t padici_rollout_realisation(const padici_rollout_engine *e, uint64_t trajectory)
{
    const uint64_t r = trajectory % e->per_operator;
    return e->chance.noise_ids ? padici_rollout_id_of(e->chance.noise_ids, r)
                               : (uint32_t)(r % e->chance.realisations);
}

PADICI_FN void padici_rollout_disturb(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_node *node = &e->node[e->at];
    const padici_rollout_place *place = &e->place[e->at];
    const uint32_t blocks = padici_rollout_blocks(node->is.channels), lanes = PADICI_ROLLOUT_LANES;
    const uint64_t slot = item / blocks, trajectory = e->first + slot;
    const uint64_t n = trajectory / e->per_operator;
    const uint32_t b = (uint32_t)(item % blocks);
    const size_t size = padici_rollout_real(e);
    const uint64_t cells = (uint64_t)node->shape.height * node->shape.width;
    char *out = padici_rollout_field(e, slot, e->at) +
                padici_rollout_row_at(&node->shape, b, 0) * size;
    char *mark = padici_rollout_mark(e, slot, b);
    const uint32_t id = padici_rollout_operator_id(e, trajectory);
    const uint32_t realisation = padici_rollout_realisation(e, trajectory);
    padic_rollout_noise_law law = node->law;
    const double given = padici_rollout_scale_of(e, node, n);
    padici_rollout_noise noise[PADICI_ROLLOUT_LANES];
    double scale;
    uint32_t c, y, count = 0;
    law.scale = &given;
    scale = padici_rollout_noise_scale(&law, e->step, e->chance.frames);
    for (y = 0; y < node->shape.height; y++)
        padici_rollout_read_row(e, slot, node->is.input, b, y,
                                out + y * (uint64_t)node->shape.width * lanes * size, mark);
    for (c = b * lanes; c < node->is.channels && c < (b + 1) * lanes && !e->chance.quiet; c++) {
        padici_rollout_noise_begin(&noise[count], &law, scale, e->chance.seed, id, realisation,
                                   e->at, e->step, node->is.channels, c, cells,
                                   place->correlated
                                       ? &place->correlated[padici_rollout_worker(e, scratch)]
                                       : NULL);
        noise[count++].normals = e->kernels->normals;
        if (!place->correlated) continue; // else the next one needs the memory of its field
        padici_rollout_disturb_lanes(noise, 1, cells, out + c % lanes * size, size);
        count = 0;
    }
    padici_rollout_disturb_lanes(noise, count, cells, out, size);
    if (e->at < e->op.count) padici_rollout_halve(e, out, cells * lanes, mark);
}

#endif
