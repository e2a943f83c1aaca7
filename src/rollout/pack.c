#include "engine.h"
#include "../core/view.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// Weights in the order in which convolutions read them.

typedef struct padici_rollout_row_of { // a row of `weights`, from a node's first number on
    const char *at;
    int64_t step;
    size_t size;
    padic_rollout_precision precision;
    uint32_t faulty; // whether one is not finite
} padici_rollout_row_of;

static double padici_rollout_weight(padici_rollout_row_of *row, uint64_t i)
{
    const double w = padici_rollout_get(row->at + (int64_t)i * row->step, 0, row->size);
    if (!(w >= -1.7976931348623157e308 && w <= 1.7976931348623157e308)) row->faulty = 1;
    return w;
}

// One of those that have 16 bits where it is asked for.
static double padici_rollout_factor(padici_rollout_row_of *row, uint64_t i)
{
    const double w = padici_rollout_weight(row, i);
    float half;
    if (row->precision != PADIC_ROLLOUT_PRECISION_F16 &&
        row->precision != PADIC_ROLLOUT_PRECISION_BF16)
        return w;
    half = padici_rollout_half(row->precision, (float)w);
    if (!(half >= -3.4028234663852886e38f && half <= 3.4028234663852886e38f)) row->faulty = 1;
    return (double)half;
}

// w (out, in, tap), or (in, out, tap) if `turned`, to (block of out, block of in, tap, in, 16).
static void padici_rollout_pack_w(padici_rollout_row_of *row, char *to, size_t size,
                                  uint32_t outputs, uint32_t inputs, uint32_t taps,
                                  uint32_t turned)
{
    const uint32_t lanes = PADICI_ROLLOUT_LANES;
    uint64_t at = 0;
    uint32_t ob, ib, tap, i, l;
    for (ob = 0; ob < outputs; ob += lanes)
        for (ib = 0; ib < inputs; ib += lanes)
            for (tap = 0; tap < taps; tap++)
                for (i = ib; i < inputs && i < ib + lanes; i++)
                    for (l = 0; l < lanes; l++, at++) {
                        const uint64_t o = ob + l;
                        const uint64_t from =
                            turned ? (uint64_t)i * outputs + o : o * inputs + i;
                        padici_rollout_put(to, at, size,
                                           o < outputs
                                               ? padici_rollout_factor(row, from * taps + tap)
                                               : 0);
                    }
}

// mu, a, beta of FROZEN; gamma, beta of the other norms.
static void padici_rollout_pack_norm(const padici_rollout_engine *e, uint32_t at,
                                     padici_rollout_row_of *row, uint64_t from, char *to)
{
    const padici_rollout_node *node = &e->node[at];
    const size_t size = padici_rollout_real(e);
    const uint32_t channels = node->is.channels;
    const uint64_t padded = (uint64_t)padici_rollout_blocks(channels) * PADICI_ROLLOUT_LANES;
    uint64_t c;
    for (c = 0; c < padded; c++) {
        double gamma = 1, beta = 0, mu = 0, var = 1;
        if (c >= channels) gamma = 0;
        if (node->affine && c < channels) {
            gamma = padici_rollout_weight(row, from + c);
            beta = padici_rollout_weight(row, from + channels + c);
        }
        if (node->statistics && c < channels) {
            mu = padici_rollout_weight(row, from + node->affine + c);
            var = padici_rollout_weight(row, from + node->affine + channels + c);
        }
        if (node->is.norm == PADIC_ROLLOUT_NORM_FROZEN) {
            padici_rollout_put(to, c, size, mu);
            padici_rollout_put(to, padded + c, size, gamma / sqrt(var + (double)node->is.eps));
            padici_rollout_put(to, 2 * padded + c, size, beta);
        } else {
            padici_rollout_put(to, c, size, gamma);
            padici_rollout_put(to, padded + c, size, beta);
        }
    }
}

// W (in, out, mode, 2) to (mode, block of out, in, 2, 16).
static void padici_rollout_pack_modes(padici_rollout_row_of *row, char *to, size_t size,
                                      const padici_rollout_node *node)
{
    const uint32_t lanes = PADICI_ROLLOUT_LANES, outputs = node->is.channels;
    const uint64_t modes = (uint64_t)(node->up + node->down) * node->columns;
    uint64_t q, at = 0;
    uint32_t ob, i, l;
    for (q = 0; q < modes; q++)
        for (ob = 0; ob < outputs; ob += lanes)
            for (i = 0; i < node->inputs; i++)
                for (l = 0; l < 2 * lanes; l++, at++) {
                    const uint64_t o = ob + l % lanes;
                    const uint64_t from = (((uint64_t)i * outputs + o) * modes + q) * 2 +
                                          l / lanes;
                    padici_rollout_put(to, at, size,
                                       o < outputs ? padici_rollout_factor(row, from) : 0);
                }
}

static void padici_rollout_pack_node(const padici_rollout_engine *e, uint32_t at,
                                     padici_rollout_row_of *row, char *to)
{
    const padici_rollout_node *node = &e->node[at];
    const padici_rollout_place *place = &e->place[at];
    const size_t size = padici_rollout_real(e);
    const uint32_t channels = node->is.channels;
    const uint64_t padded = (uint64_t)padici_rollout_blocks(channels) * PADICI_ROLLOUT_LANES;
    const uint64_t bias = node->w + node->skip_w;
    uint64_t c;
    if (node->is.kind == PADIC_ROLLOUT_KIND_CONV)
        padici_rollout_pack_w(row, to + place->packed * size, size, channels, node->inputs,
                              node->is.kernel * node->is.kernel, 0);
    else if (node->spectral)
        padici_rollout_pack_modes(row, to + place->packed * size, size, node);
    else if (node->w)
        padici_rollout_pack_w(row, to + place->packed * size, size, channels, node->inputs, 4, 1);
    else if (node->skip_w)
        padici_rollout_pack_w(row, to + place->packed * size, size, channels, node->skips, 1, 0);
    for (c = 0; c < padded; c++)
        padici_rollout_put(to + place->start * size, c, size,
                           node->bias && c < channels ? padici_rollout_weight(row, bias + c) : 0);
    if (node->is.norm != PADIC_ROLLOUT_NORM_NONE)
        padici_rollout_pack_norm(e, at, row, bias + node->bias, to + place->affine * size);
}

PADICI_FN void padici_rollout_pack(padici_rollout_engine *e, const padic_tensor *weights)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_rollout_row_of row;
    uint64_t n;
    uint32_t i;
    padici_tensor_dense(weights, stride);
    row.size = padic_dtype_size(weights->dtype);
    row.step = stride[1] * (int64_t)row.size;
    row.precision = e->precision;
    for (n = 0; n < e->operators; n++) {
        row.faulty = 0;
        for (i = 1; i <= e->op.count; i++) {
            row.at = (const char *)weights->data + (int64_t)n * stride[0] * (int64_t)row.size +
                     (int64_t)e->node[i].shape.weights * row.step;
            padici_rollout_pack_node(e, i, &row,
                                     e->weights + n * e->packed * padici_rollout_real(e));
        }
        e->faulty[n] = (char)row.faulty;
    }
}

#endif
