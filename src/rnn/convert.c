#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../core/view.h"
#include "numbers.h"
#include "weights.h"

#if PADICI_IMPLEMENT_RNN

// Weights from one convention to another.

enum { PADICI_RNN_INPUT, PADICI_RNN_RECURRENT };

// Arrays of one side.
typedef struct padici_rnn_side {
    padic_rnn_convention convention;
    const padic_rnn_weights *w;
    uint64_t direction;
    uint64_t gates, inputs, units;
    uint32_t biases; // of a unit's gate: 0, 1 or 2
    const uint32_t *order; // place of the library's gates
} padici_rnn_side;

typedef struct padici_rnn_conversion {
    const padic_rnn_convert_desc *desc;
    padici_rnn_side in, out;
} padici_rnn_conversion;

static const uint32_t *padici_rnn_gate_order(padic_rnn_convention convention, int gru)
{
    static const uint32_t same[4] = {0, 1, 2, 3}, onnx[4] = {0, 2, 3, 1}, zrn[3] = {1, 0, 2};
    if (convention == PADIC_RNN_CONVENTION_LIBRARY) return same;
    if (gru) return zrn;
    return convention == PADIC_RNN_CONVENTION_ONNX ? onnx : same;
}

PADICI_FN uint32_t padici_rnn_convert_operands(void *desc_, padici_operand *operands)
{
    static const char *const name[2][6] = {
        {"in.input", "in.recurrent", "in.bias", "in.recurrent_bias", "in.input_scale",
         "in.recurrent_scale"},
        {"out.input", "out.recurrent", "out.bias", "out.recurrent_bias", "out.input_scale",
         "out.recurrent_scale"}};
    padic_rnn_convert_desc *desc = (padic_rnn_convert_desc *)desc_;
    uint32_t side, i, n = 0;
    for (side = 0; side < 2; side++) {
        padic_rnn_weights *w = side ? &desc->out : &desc->in;
        padic_tensor *const t[6] = {&w->input,          &w->recurrent,   &w->bias,
                                    &w->recurrent_bias, &w->input_scale, &w->recurrent_scale};
        for (i = 0; i < 6; i++) {
            if (!padici_rnn_here(t[i])) continue;
            operands[n].name = name[side][i];
            operands[n].tensor = t[i];
            operands[n].out = (uint8_t)side;
            n++;
        }
    }
    if (!padici_rnn_here(&desc->peepholes)) return n;
    operands[n].name = "peepholes";
    operands[n].tensor = &desc->peepholes;
    return n + 1;
}

// A dense array of floats, or of I8 with `bytes`, of the shape with or without a first axis.
static padic_result padici_rnn_array_check(padic_context *context, const char *field,
                                           const padic_tensor *t, int bytes, int directions,
                                           uint32_t rank, uint64_t n0, uint64_t n1, uint64_t n2)
{
    const uint64_t shape[3] = {n0, n1, n2};
    int64_t stride[PADIC_MAX_RANK];
    uint64_t step = 1;
    uint32_t i, more = directions && t->rank == rank + 1;
    if (t->dtype != PADIC_F32 && t->dtype != PADIC_F64 && t->dtype != PADIC_F16 &&
        t->dtype != PADIC_BF16 && (t->dtype != PADIC_I8 || !bytes))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, field,
                                 "is not f32, f64, f16 or bf16, or i8 where that may be");
    for (i = 0; t->rank == rank + more && i < rank; i++)
        if (t->shape[i + more] != shape[i]) break;
    if (i != rank || (more && (t->shape[0] < 1 || t->shape[0] > 2)))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, field,
                                 "has another shape than its convention says");
    padici_tensor_dense(t, stride);
    for (i = t->rank; i > 0; i--) {
        if (t->shape[i - 1] > 1 && stride[i - 1] != (int64_t)step)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is not dense");
        step *= t->shape[i - 1];
    }
    return PADIC_OK;
}

// I and H of the arrays of `in`, by their convention.
static padic_result padici_rnn_side_sizes(padic_context *context, padici_rnn_side *side)
{
    const padic_tensor *t = &side->w->input, *u = &side->w->recurrent;
    uint64_t rows;
    if (!padici_rnn_here(t))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "in.input", "has no memory");
    if (t->rank < 2 || t->rank > 3)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "in.input", "has an unknown rank");
    if (side->convention == PADIC_RNN_CONVENTION_LEGACY) {
        side->units = t->shape[1];
        rows = t->shape[t->rank - 1];
        side->inputs = rows > side->units ? rows - side->units : 0;
    } else {
        const int keras = side->convention == PADIC_RNN_CONVENTION_KERAS;
        side->inputs = t->shape[keras ? 0 : t->rank - 1];
        if (!padici_rnn_here(u))
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "in.recurrent",
                                     "has no memory");
        if (u->rank < 2 || u->rank > 3)
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, "in.recurrent",
                                     "has an unknown rank");
        side->units = u->shape[keras ? 0 : u->rank - 1];
    }
    if (!side->inputs || !side->units || side->units > UINT64_MAX / 16)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "in.input",
                                 "has no inputs or units");
    return PADIC_OK;
}

static padic_result padici_rnn_scales_check(padic_context *context, const padici_rnn_side *side,
                                            int output)
{
    const padic_rnn_weights *w = side->w;
    uint32_t i;
    for (i = 0; i < 2; i++) {
        const padic_tensor *t = i ? &w->recurrent : &w->input;
        const padic_tensor *s = i ? &w->recurrent_scale : &w->input_scale;
        const char *field = output ? (i ? "out.recurrent_scale" : "out.input_scale")
                                   : (i ? "in.recurrent_scale" : "in.input_scale");
        padic_result result;
        if ((t->dtype == PADIC_I8) != (padici_rnn_here(s) != 0))
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field,
                                     "goes with i8 weights, and they with it");
        if (!padici_rnn_here(s)) continue;
        result = padici_rnn_dtype_check(context, field, s, PADIC_F32);
        if (!result)
            result = padici_rnn_array_check(context, field, s, 0, 0, 1, side->gates * side->units,
                                            0, 0);
        if (result) return result;
    }
    return PADIC_OK;
}

// Biases: how many, and their shapes.
static padic_result padici_rnn_biases_check(padic_context *context, padici_rnn_side *side,
                                            int after, int output)
{
    const padic_tensor *b = &side->w->bias, *c = &side->w->recurrent_bias;
    const char *field = output ? "out.bias" : "in.bias";
    const char *other = output ? "out.recurrent_bias" : "in.recurrent_bias";
    const uint64_t all = side->gates * side->units;
    padic_result result = PADIC_OK;
    side->biases = padici_rnn_here(b) != 0;
    if (side->convention == PADIC_RNN_CONVENTION_LIBRARY) {
        if (side->biases)
            result = padici_rnn_array_check(context, field, b, 0, 0, 1, all, 0, 0);
        if (!padici_rnn_here(c)) return result;
        if (!side->biases && output)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, other, "is without bias");
        side->biases = 2;
        return result ? result : padici_rnn_array_check(context, other, c, 0, 0, 1, all, 0, 0);
    }
    if (padici_rnn_here(c))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, other,
                                 "is no array of this convention");
    if (!side->biases) return PADIC_OK;
    if (side->convention == PADIC_RNN_CONVENTION_ONNX) {
        side->biases = 2;
        return padici_rnn_array_check(context, field, b, 0, 1, 1, 2 * all, 0, 0);
    }
    if (side->convention == PADIC_RNN_CONVENTION_LEGACY)
        return padici_rnn_array_check(context, field, b, 0, 0, 2, 3, side->units, 0);
    if (!after) return padici_rnn_array_check(context, field, b, 0, 0, 1, all, 0, 0);
    side->biases = 2;
    return padici_rnn_array_check(context, field, b, 0, 0, 2, 2, all, 0);
}

static padic_result padici_rnn_side_check(padic_context *context, padici_rnn_side *side, int after,
                                          int output)
{
    const padic_tensor *t = &side->w->input, *u = &side->w->recurrent;
    const char *field = output ? "out.input" : "in.input";
    const char *other = output ? "out.recurrent" : "in.recurrent";
    const uint64_t all = side->gates * side->units;
    const int onnx = side->convention == PADIC_RNN_CONVENTION_ONNX;
    const int keras = side->convention == PADIC_RNN_CONVENTION_KERAS;
    padic_result result;
    if (side->convention == PADIC_RNN_CONVENTION_LEGACY) {
        result = padici_rnn_array_check(context, field, t, 0, 0, 3, 3, side->units,
                                        side->inputs + side->units);
        if (!result && padici_rnn_here(u))
            result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, other,
                                       "is no array of this convention");
    } else {
        result = padici_rnn_array_check(context, field, t, 1, onnx, 2, keras ? side->inputs : all,
                                        keras ? all : side->inputs, 0);
        if (!result)
            result = padici_rnn_array_check(context, other, u, 1, onnx, 2,
                                            keras ? side->units : all, keras ? all : side->units,
                                            0);
    }
    if (!result && side->direction &&
        (!onnx || t->rank != 3 || u->rank != 3 || t->shape[0] != 2 || u->shape[0] != 2))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT,
                                   output ? "to_direction" : "from_direction",
                                   "is 1, but the arrays have one direction");
    if (!result) result = padici_rnn_scales_check(context, side, output);
    if (!result) result = padici_rnn_biases_check(context, side, after, output);
    if (!result && side->direction && side->biases &&
        (side->w->bias.rank != 2 || side->w->bias.shape[0] != 2))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, output ? "out.bias" : "in.bias",
                                   "has one direction, but the other is meant");
    return result;
}

static void padici_rnn_conversion_of(const padic_rnn_convert_desc *desc, padici_rnn_conversion *c)
{
    const int gru = desc->kind == PADIC_RNN_KIND_GRU;
    memset(c, 0, sizeof *c);
    c->desc = desc;
    c->in.convention = desc->from;
    c->out.convention = desc->to;
    c->in.w = &desc->in;
    c->out.w = &desc->out;
    c->in.direction = desc->from_direction;
    c->out.direction = desc->to_direction;
    c->in.gates = c->out.gates = gru ? 3 : 4;
    c->in.order = padici_rnn_gate_order(desc->from, gru);
    c->out.order = padici_rnn_gate_order(desc->to, gru);
}

static padic_result padici_rnn_convert_enums(padic_context *context,
                                             const padic_rnn_convert_desc *desc)
{
    const int gru = desc->kind == PADIC_RNN_KIND_GRU;
    const int legacy = desc->from == PADIC_RNN_CONVENTION_LEGACY ||
                       desc->to == PADIC_RNN_CONVENTION_LEGACY;
    const char *field = NULL;
    if ((uint32_t)desc->kind > PADIC_RNN_KIND_LSTM) field = "kind";
    else if ((uint32_t)desc->reset > PADIC_RNN_RESET_BEFORE) field = "reset";
    else if ((uint32_t)desc->update > PADIC_RNN_UPDATE_REPLACE) field = "update";
    else if ((uint32_t)desc->from > PADIC_RNN_CONVENTION_LEGACY) field = "from";
    else if ((uint32_t)desc->to > PADIC_RNN_CONVENTION_LEGACY) field = "to";
    else if (desc->from_direction > 1) field = "from_direction";
    else if (desc->to_direction > 1) field = "to_direction";
    if (field) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is unknown");
    if (desc->update && !gru)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "update", "is of a GRU");
    if (legacy && (!gru || desc->reset != PADIC_RNN_RESET_BEFORE))
        return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, "reset",
                                 "is not BEFORE, or the cell no GRU: LEGACY has no other, and no "
                                 "weights turn one into the other");
    if (desc->projection)
        return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, "projection", "is not 0");
    if (padici_rnn_here(&desc->peepholes) && gru)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "peepholes", "are of an LSTM");
    return PADIC_OK;
}

// The two halves of a matrix of LEGACY would share one factor a row.
static padic_result padici_rnn_convert_bytes(padic_context *context,
                                             const padic_rnn_convert_desc *desc)
{
    static const char *const name[] = {"in.input", "in.recurrent", "out.input", "out.recurrent"};
    const padic_tensor *t[4];
    uint32_t i;
    t[0] = &desc->in.input, t[1] = &desc->in.recurrent;
    t[2] = &desc->out.input, t[3] = &desc->out.recurrent;
    for (i = 0; i < 4; i++)
        if (padici_rnn_here(t[i]) && t[i]->dtype == PADIC_I8 &&
            (desc->from == PADIC_RNN_CONVENTION_LEGACY || desc->to == PADIC_RNN_CONVENTION_LEGACY))
            return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, name[i],
                                     "is i8, which LEGACY neither becomes nor is made of");
    return PADIC_OK;
}

static padic_result padici_rnn_convert_sides(padic_context *context, padici_rnn_conversion *c)
{
    const padic_rnn_convert_desc *desc = c->desc;
    const int after = desc->kind == PADIC_RNN_KIND_GRU && desc->reset == PADIC_RNN_RESET_AFTER;
    padic_result result = padici_rnn_convert_bytes(context, desc);
    if (!result) result = padici_rnn_side_sizes(context, &c->in);
    if (result) return result;
    c->out.inputs = c->in.inputs;
    c->out.units = c->in.units;
    result = padici_rnn_side_check(context, &c->in, after, 0);
    if (!result && !padici_rnn_here(&desc->out.input))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out.input", "has no memory");
    if (!result && !padici_rnn_here(&desc->out.recurrent) &&
        desc->to != PADIC_RNN_CONVENTION_LEGACY)
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out.recurrent", "has no memory");
    if (!result) result = padici_rnn_side_check(context, &c->out, after, 1);
    if (!result && c->in.biases && !c->out.biases)
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out.bias",
                                   "is missing: in has biases");
    if (!result && after && c->in.biases == 2 && c->out.biases == 1)
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out.recurrent_bias",
                                   "is missing: a GRU AFTER needs both");
    return result;
}

PADICI_FN padic_result padici_rnn_convert_check(padic_context *context, const void *desc_)
{
    const padic_rnn_convert_desc *desc = (const padic_rnn_convert_desc *)desc_;
    padici_rnn_conversion c;
    padic_result result = padici_rnn_convert_enums(context, desc);
    if (result) return result;
    padici_rnn_conversion_of(desc, &c);
    result = padici_rnn_convert_sides(context, &c);
    if (!result && padici_rnn_here(&desc->peepholes))
        result = padici_rnn_array_check(context, "peepholes", &desc->peepholes, 0, 1, 1,
                                        3 * c.in.units, 0, 0);
    return result;
}

// Elements

static char *padici_rnn_at(const padic_tensor *t, uint64_t element)
{
    return (char *)t->data + element * padic_dtype_size(t->dtype);
}

// Weight (gate, unit, column) of the input or the recurrent matrix.
static char *padici_rnn_side_weight(const padici_rnn_side *side, uint32_t part, uint64_t gate,
                                    uint64_t unit, uint64_t column)
{
    const uint64_t all = side->gates * side->units, row = side->order[gate] * side->units + unit;
    const uint64_t depth = part ? side->units : side->inputs;
    const padic_tensor *t = part ? &side->w->recurrent : &side->w->input;
    if (side->convention == PADIC_RNN_CONVENTION_LEGACY)
        return padici_rnn_at(&side->w->input, row * (side->inputs + side->units) +
                                                  (part ? side->inputs : 0) + column);
    if (side->convention == PADIC_RNN_CONVENTION_KERAS)
        return padici_rnn_at(t, column * all + row);
    return padici_rnn_at(t, (side->direction * all + row) * depth + column);
}

// A bias; NULL: there is none.
static char *padici_rnn_side_bias(const padici_rnn_side *side, uint32_t part, uint64_t gate,
                                  uint64_t unit)
{
    const uint64_t all = side->gates * side->units, row = side->order[gate] * side->units + unit;
    if (part >= side->biases) return NULL;
    if (side->convention == PADIC_RNN_CONVENTION_LIBRARY) {
        const padic_tensor *t = part ? &side->w->recurrent_bias : &side->w->bias;
        return t->data ? padici_rnn_at(t, row) : NULL;
    }
    return padici_rnn_at(&side->w->bias, (2 * side->direction + part) * all + row);
}

static float *padici_rnn_side_scale(const padici_rnn_side *side, uint32_t part, uint64_t gate,
                                    uint64_t unit)
{
    const padic_tensor *t = part ? &side->w->recurrent_scale : &side->w->input_scale;
    return t->data ? (float *)t->data + side->order[gate] * side->units + unit : NULL;
}

// A number in another dtype; in its own, its bits.
static void padici_rnn_put(const char *from, padic_dtype in, double factor, char *to,
                           padic_dtype out, int negate)
{
    const uint32_t size = padic_dtype_size(out);
    double value;
    if (in != out || factor != 1) {
        value = padici_rnn_get(from, in) * factor;
        padici_rnn_store(to, out, negate ? -value : value);
        return;
    }
    memcpy(to, from, size);
    if (negate) to[PADICI_BIG_ENDIAN ? 0 : size - 1] = (char)(to[PADICI_BIG_ENDIAN ? 0 : size - 1]
                                                              ^ 0x80);
}

// A row in 8 bits, with its factor.
static void padici_rnn_convert_small(const padici_rnn_conversion *c, uint32_t part, uint64_t gate,
                                     uint64_t unit, int negate)
{
    const uint64_t depth = part ? c->in.units : c->in.inputs;
    const padic_dtype dtype = part ? c->in.w->recurrent.dtype : c->in.w->input.dtype;
    const float *given = padici_rnn_side_scale(&c->in, part, gate, unit);
    float *scale = padici_rnn_side_scale(&c->out, part, gate, unit);
    const uint32_t quiet = 0x7fc00000u; // a NaN, everywhere the same
    double most = 0, bad = 0; // bad: NaN where one is not finite
    uint64_t k;
    for (k = 0; !given && k < depth; k++) {
        const double w = padici_rnn_get(padici_rnn_side_weight(&c->in, part, gate, unit, k), dtype);
        bad += w - w;
        if (w > most) most = w;
        if (-w > most) most = -w;
    }
    *scale = given ? *given : most > 0 ? (float)(most / 127) : 1.0f;
    if (!(*scale > 0) && !given) *scale = FLT_MIN;
    if (bad != 0) memcpy(scale, &quiet, sizeof quiet);
    for (k = 0; k < depth; k++) {
        const char *from = padici_rnn_side_weight(&c->in, part, gate, unit, k);
        int8_t *to = (int8_t *)padici_rnn_side_weight(&c->out, part, gate, unit, k);
        if (given) *to = *(const int8_t *)from;
        else if (bad != 0) *to = 0;
        else *to = padici_rnn_nearest(padici_rnn_get(from, dtype) / (double)*scale);
    }
    if (negate) *scale = -*scale;
}

static void padici_rnn_convert_row(const padici_rnn_conversion *c, uint32_t part, uint64_t gate,
                                   uint64_t unit, int negate)
{
    const uint64_t depth = part ? c->in.units : c->in.inputs;
    const int joined = c->in.convention == PADIC_RNN_CONVENTION_LEGACY;
    const int joins = c->out.convention == PADIC_RNN_CONVENTION_LEGACY;
    const padic_dtype in = part && !joined ? c->in.w->recurrent.dtype : c->in.w->input.dtype;
    const padic_dtype out = part && !joins ? c->out.w->recurrent.dtype : c->out.w->input.dtype;
    const float *scale = padici_rnn_side_scale(&c->in, part, gate, unit);
    uint64_t k;
    if (out == PADIC_I8) {
        padici_rnn_convert_small(c, part, gate, unit, negate);
        return;
    }
    for (k = 0; k < depth; k++)
        padici_rnn_put(padici_rnn_side_weight(&c->in, part, gate, unit, k), in,
                       scale ? (double)*scale : 1,
                       padici_rnn_side_weight(&c->out, part, gate, unit, k), out, negate);
}

static void padici_rnn_convert_bias(const padici_rnn_conversion *c, uint64_t gate, uint64_t unit,
                                    int negate)
{
    const int apart = c->in.convention == PADIC_RNN_CONVENTION_LIBRARY;
    const padic_dtype in = c->in.w->bias.dtype;
    const padic_dtype other = apart ? c->in.w->recurrent_bias.dtype : in;
    const padic_dtype out = c->out.w->bias.dtype;
    const padic_dtype more = c->out.convention == PADIC_RNN_CONVENTION_LIBRARY
                                 ? c->out.w->recurrent_bias.dtype
                                 : out;
    const char *b = padici_rnn_side_bias(&c->in, 0, gate, unit);
    const char *r = padici_rnn_side_bias(&c->in, 1, gate, unit);
    char *to = padici_rnn_side_bias(&c->out, 0, gate, unit);
    char *recurrent = padici_rnn_side_bias(&c->out, 1, gate, unit);
    if (!to) return;
    if (recurrent) {
        memset(recurrent, 0, padic_dtype_size(more));
        if (r) padici_rnn_put(r, other, 1, recurrent, more, negate);
        r = NULL;
    }
    memset(to, 0, padic_dtype_size(out));
    if (b && r && padici_rnn_get(b, in) != 0 && padici_rnn_get(r, other) != 0) {
        const double sum = padici_rnn_get(b, in) + padici_rnn_get(r, other);
        padici_rnn_store(to, out, negate ? -sum : sum);
    } else if (r && (!b || padici_rnn_get(b, in) == 0)) {
        padici_rnn_put(r, other, 1, to, out, negate);
    } else if (b) {
        padici_rnn_put(b, in, 1, to, out, negate);
    }
}

PADICI_FN padic_result padici_rnn_convert_host(const padic_env *env, const void *desc_)
{
    const padic_rnn_convert_desc *desc = (const padic_rnn_convert_desc *)desc_;
    const padic_tensor *peepholes = &desc->peepholes;
    padici_rnn_conversion c;
    uint64_t gate, unit, i;
    padic_result result;
    for (i = 0; peepholes->data && i < padic_tensor_count(peepholes); i++)
        if (padici_rnn_get(padici_rnn_at(peepholes, i), peepholes->dtype) != 0)
            return padici_env_fail(env, PADIC_ERROR_NOT_SUPPORTED, "peepholes are not 0");
    padici_rnn_conversion_of(desc, &c);
    result = padici_rnn_convert_sides(NULL, &c); // sets sizes and numbers of biases
    if (result) return result;
    for (gate = 0; gate < c.in.gates; gate++)
        for (unit = 0; unit < c.in.units; unit++) {
            const int negate = desc->update == PADIC_RNN_UPDATE_REPLACE && gate == 1;
            padici_rnn_convert_row(&c, PADICI_RNN_INPUT, gate, unit, negate);
            padici_rnn_convert_row(&c, PADICI_RNN_RECURRENT, gate, unit, negate);
            padici_rnn_convert_bias(&c, gate, unit, negate);
        }
    return PADIC_OK;
}

#endif
