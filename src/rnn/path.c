#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../core/view.h"
#include "weights.h"

#if PADICI_IMPLEMENT_RNN

// Fourier paths.

#define PADICI_RNN_TERMS 8u // most of a preset

// A term of an axis: cosine and sine of harmonic n.
typedef struct padici_rnn_term {
    uint32_t axis, n;
    double cosine, sine;
} padici_rnn_term;

// The terms of a preset; returns how many.
static uint32_t padici_rnn_path_terms(const padic_rnn_path_desc *desc, padici_rnn_term *terms)
{
    static const struct {
        padic_rnn_preset preset;
        padici_rnn_term term;
    } table[] = {{PADIC_RNN_PRESET_CIRCLE, {0, 1, 1, 0}},
                 {PADIC_RNN_PRESET_CIRCLE, {1, 1, 0, 1}},
                 {PADIC_RNN_PRESET_FIGURE8, {0, 1, 0, 1}},
                 {PADIC_RNN_PRESET_FIGURE8, {1, 2, 0, 0.5}},
                 {PADIC_RNN_PRESET_STAR5, {0, 2, 0.6, 0}},
                 {PADIC_RNN_PRESET_STAR5, {0, 3, 0.4, 0}},
                 {PADIC_RNN_PRESET_STAR5, {1, 2, 0, 0.6}},
                 {PADIC_RNN_PRESET_STAR5, {1, 3, 0, -0.4}},
                 {PADIC_RNN_PRESET_HEART, {0, 1, 0, 12.0 / 17}},
                 {PADIC_RNN_PRESET_HEART, {0, 3, 0, -4.0 / 17}},
                 {PADIC_RNN_PRESET_HEART, {1, 1, 13.0 / 17, 0}},
                 {PADIC_RNN_PRESET_HEART, {1, 2, -5.0 / 17, 0}},
                 {PADIC_RNN_PRESET_HEART, {1, 3, -2.0 / 17, 0}},
                 {PADIC_RNN_PRESET_HEART, {1, 4, -1.0 / 17, 0}},
                 {PADIC_RNN_PRESET_TREFOIL, {0, 1, 0, 1.0 / 3}},
                 {PADIC_RNN_PRESET_TREFOIL, {0, 2, 0, 2.0 / 3}},
                 {PADIC_RNN_PRESET_TREFOIL, {1, 1, 1.0 / 3, 0}},
                 {PADIC_RNN_PRESET_TREFOIL, {1, 2, -2.0 / 3, 0}},
                 {PADIC_RNN_PRESET_TREFOIL, {2, 3, 0, -1.0 / 3}}};
    const padic_rnn_preset preset =
        desc->preset == PADIC_RNN_PRESET_SPIRAL ? PADIC_RNN_PRESET_CIRCLE : desc->preset;
    uint32_t i, n = 0;
    for (i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].preset == preset) terms[n++] = table[i].term;
    for (i = 0; preset == PADIC_RNN_PRESET_LISSAJOUS && i < 3; i++) {
        const int none = !desc->ratio[0] && !desc->ratio[1] && !desc->ratio[2];
        terms[n].axis = i;
        terms[n].n = none ? i + 1 : desc->ratio[i];
        terms[n].cosine = 0;
        terms[n++].sine = 1;
    }
    return n;
}

PADICI_FN uint32_t padici_rnn_path_operands(void *desc_, padici_operand *operands)
{
    static const char *const name[5] = {"cosines", "sines", "times", "position", "velocity"};
    padic_rnn_path_desc *desc = (padic_rnn_path_desc *)desc_;
    padic_tensor *const t[5] = {&desc->cosines, &desc->sines, &desc->times, &desc->position,
                                &desc->velocity};
    uint32_t i, n = 0;
    for (i = 0; i < 5; i++) {
        if (!padici_rnn_here(t[i])) continue;
        operands[n].name = name[i];
        operands[n].tensor = t[i];
        operands[n].out = i > 2;
        n++;
    }
    return n;
}

static padic_result padici_rnn_coefficients_check(padic_context *context,
                                                  const padic_rnn_path_desc *desc)
{
    const padic_tensor *const t[2] = {&desc->cosines, &desc->sines};
    static const char *const name[2] = {"cosines", "sines"};
    const int custom = desc->preset == PADIC_RNN_PRESET_CUSTOM;
    uint32_t i, seen = 0;
    uint64_t n = 0;
    for (i = 0; i < 2; i++) {
        int64_t stride[PADIC_MAX_RANK];
        if (!padici_rnn_here(t[i])) continue;
        if (!custom)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, name[i],
                                     "are of a CUSTOM path");
        if (t[i]->dtype != PADIC_F64)
            return padici_fail_field(context, PADIC_ERROR_DTYPE, name[i], "are not f64");
        if (t[i]->rank != 2 || t[i]->shape[0] != 3 || (seen && t[i]->shape[1] != n))
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, name[i],
                                     "are not (3, N + 1), the same N for both");
        n = t[i]->shape[1];
        seen = 1;
        padici_tensor_dense(t[i], stride);
        if (!n || (n > 1 && stride[1] != 1) || stride[0] != (int64_t)n)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, name[i],
                                     "are empty or not dense");
        if (n > PADIC_RNN_HARMONICS + 1)
            return padici_fail_field(context, PADIC_ERROR_LIMIT, name[i],
                                     "have more than PADIC_RNN_HARMONICS harmonics");
    }
    if (custom && !seen)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "cosines", "and sines are missing");
    return PADIC_OK;
}

static padic_result padici_rnn_points_check(padic_context *context, const padic_rnn_path_desc *desc)
{
    static const char *const name[3] = {"times", "position", "velocity"};
    const padic_tensor *const t[3] = {&desc->times, &desc->position, &desc->velocity};
    uint64_t n = 0;
    uint32_t i, seen = 0;
    for (i = 0; i < 3; i++) {
        if (!padici_rnn_here(t[i])) continue;
        if (t[i]->dtype != PADIC_F32 && t[i]->dtype != PADIC_F64)
            return padici_fail_field(context, PADIC_ERROR_DTYPE, name[i], "is not f32 or f64");
        if (t[i]->rank != (i ? 2u : 1u) || (seen && t[i]->shape[0] != n) ||
            (i && t[i]->shape[1] != 3))
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, name[i],
                                     "is not (n), or (n, 3) of points");
        n = t[i]->shape[0];
        seen = 1;
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_rnn_path_check(padic_context *context, const void *desc_)
{
    const padic_rnn_path_desc *desc = (const padic_rnn_path_desc *)desc_;
    padic_result result;
    uint32_t i;
    if ((uint32_t)desc->preset > PADIC_RNN_PRESET_CUSTOM)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "preset", "is unknown");
    for (i = 0; i < 3; i++)
        if (desc->ratio[i] > PADIC_RNN_HARMONICS)
            return padici_fail_field(context, PADIC_ERROR_LIMIT, "ratio",
                                     "is above PADIC_RNN_HARMONICS");
    result = padici_rnn_coefficients_check(context, desc);
    return result ? result : padici_rnn_points_check(context, desc);
}

// A path with its defaults filled in.
typedef struct padici_rnn_path {
    const padic_rnn_path_desc *desc;
    double frequency, scale, drift[3];
    uint32_t terms;
    padici_rnn_term term[PADICI_RNN_TERMS];
} padici_rnn_path;

// p and its derivative by th, without scale.
static void padici_rnn_path_sums(const padici_rnn_path *path, double th, double p[3], double v[3])
{
    const padic_tensor *a = &path->desc->cosines, *b = &path->desc->sines;
    const uint64_t harmonics = a->data ? a->shape[1] : b->data ? b->shape[1] : 0;
    uint32_t i, n;
    for (i = 0; i < 3; i++) p[i] = v[i] = 0;
    for (i = 0; i < path->terms; i++) {
        const padici_rnn_term *term = &path->term[i];
        const double k = (double)term->n, c = cos(k * th), s = sin(k * th);
        p[term->axis] += term->cosine * c + term->sine * s;
        v[term->axis] += k * (term->sine * c + term->cosine * -s); // sums are not fused
    }
    for (n = 0; n < harmonics; n++) {
        const double k = (double)n, c = cos(k * th), s = sin(k * th);
        for (i = 0; i < 3; i++) {
            const double cosine = a->data ? ((const double *)a->data)[i * harmonics + n] : 0;
            const double sine = b->data ? ((const double *)b->data)[i * harmonics + n] : 0;
            p[i] += cosine * c + sine * s;
            v[i] += k * (sine * c + cosine * -s);
        }
    }
}

static void padici_rnn_path_put(const padic_tensor *t, uint64_t row, const double value[3])
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    if (!t->data) return;
    padici_tensor_dense(t, stride);
    for (i = 0; i < 3; i++) {
        const int64_t at = (int64_t)row * stride[0] + (int64_t)i * stride[1];
        if (t->dtype == PADIC_F64) ((double *)t->data)[at] = value[i];
        else ((float *)t->data)[at] = (float)value[i];
    }
}

static double padici_rnn_path_time(const padic_rnn_path_desc *desc, uint64_t i)
{
    const padic_tensor *t = &desc->times;
    int64_t stride[PADIC_MAX_RANK];
    if (!t->data) return desc->start + (double)i * (desc->step != 0 ? desc->step : 1);
    padici_tensor_dense(t, stride);
    return t->dtype == PADIC_F64 ? ((const double *)t->data)[(int64_t)i * stride[0]]
                                 : (double)((const float *)t->data)[(int64_t)i * stride[0]];
}

PADICI_FN padic_result padici_rnn_path_host(const padic_env *env, const void *desc_)
{
    const padic_rnn_path_desc *desc = (const padic_rnn_path_desc *)desc_;
    const padic_tensor *out = desc->position.data ? &desc->position : &desc->velocity;
    const uint64_t count = out->data ? out->shape[0] : 0;
    padici_rnn_path path;
    uint64_t i;
    uint32_t k;
    (void)env;
    path.desc = desc;
    path.frequency = desc->frequency != 0 ? desc->frequency : 1;
    path.scale = desc->scale != 0 ? desc->scale : 1;
    path.terms = padici_rnn_path_terms(desc, path.term);
    memcpy(path.drift, desc->drift, sizeof path.drift);
    if (desc->preset == PADIC_RNN_PRESET_SPIRAL && path.drift[0] == 0 && path.drift[1] == 0 &&
        path.drift[2] == 0)
        path.drift[2] = 1;
    for (i = 0; i < count; i++) {
        const double t = padici_rnn_path_time(desc, i);
        double p[3], v[3];
        padici_rnn_path_sums(&path, path.frequency * t + desc->phase, p, v);
        for (k = 0; k < 3; k++) {
            p[k] = desc->centre[k] + path.drift[k] * t + path.scale * p[k];
            v[k] = path.drift[k] + path.scale * path.frequency * v[k];
        }
        padici_rnn_path_put(&desc->position, i, p);
        padici_rnn_path_put(&desc->velocity, i, v);
    }
    return PADIC_OK;
}

#undef PADICI_RNN_TERMS

#endif
