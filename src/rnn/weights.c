#include "weights.h"
#include "../context/messages.h"
#include "../core/view.h"
#include "numbers.h"

#if PADICI_IMPLEMENT_RNN

// Checks of tensors, and weights as kernels take them.

PADICI_FN int padici_rnn_here(const padic_tensor *t)
{
    return t->data || t->buffer.id;
}

// In bytes; 0 where an axis is absent or has no second element: its stride may be any number, and
// so may all of a view without elements.
PADICI_FN void padici_rnn_strides(const padic_tensor *t, int64_t *stride)
{
    const uint64_t size = padic_dtype_size(t->dtype);
    padici_tensor_dense(t, stride);
    for (uint32_t i = 0; i < PADIC_MAX_RANK; i++)
        stride[i] = i < t->rank && t->shape[i] > 1 ? (int64_t)((uint64_t)stride[i] * size) : 0;
}

PADICI_FN padic_result padici_rnn_dtype_check(padic_context *context, const char *field,
                                              const padic_tensor *t, padic_dtype dtype)
{
    if (t->dtype == dtype) return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_DTYPE, field, "has another dtype than is wanted");
}

PADICI_FN padic_result padici_rnn_shape_check(padic_context *context, const char *field,
                                              const padic_tensor *t, uint32_t rank, uint64_t n0,
                                              uint64_t n1, uint64_t n2)
{
    if (t->rank == rank && t->shape[0] == n0 && (rank < 2 || t->shape[1] == n1) &&
        (rank < 3 || t->shape[2] == n2))
        return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_MISMATCH, field,
                             "has another shape than goes with the other fields");
}

static padic_result padici_rnn_vector_check(padic_context *context, const char *field,
                                            const padic_tensor *t, padic_dtype dtype, uint64_t n)
{
    int64_t stride[PADIC_MAX_RANK];
    padic_result result;
    if (!padici_rnn_here(t)) return PADIC_OK;
    result = padici_rnn_dtype_check(context, field, t, dtype);
    if (!result) result = padici_rnn_shape_check(context, field, t, 1, n, 0, 0);
    if (result) return result;
    padici_tensor_dense(t, stride);
    if (n > 1 && stride[0] != 1)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is not dense");
    return PADIC_OK;
}

static padic_result padici_rnn_matrix_check(padic_context *context, const char *field,
                                            const padic_tensor *t, padic_dtype dtype)
{
    int64_t stride[PADIC_MAX_RANK];
    if (!padici_rnn_here(t))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "has no memory");
    if (t->dtype != PADIC_F32 && t->dtype != PADIC_F16 && t->dtype != PADIC_BF16 &&
        t->dtype != PADIC_I8 && (t->dtype != PADIC_F64 || dtype != PADIC_F64))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, field,
                                 "is not f32, f16, bf16 or i8, or f64 with f64 states");
    if (t->rank != 2)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, field, "is no matrix");
    if (!t->shape[0] || !t->shape[1])
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "has no rows or columns");
    padici_tensor_dense(t, stride);
    if (t->shape[1] > 1 && stride[1] != 1)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field,
                                 "has rows that are not contiguous");
    return PADIC_OK;
}

static padic_result padici_rnn_scale_check(padic_context *context, const char *field,
                                           const padic_tensor *t, const padic_tensor *matrix)
{
    if (matrix->dtype != PADIC_I8) {
        if (!padici_rnn_here(t)) return PADIC_OK;
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field,
                                 "is given, but the weights are not i8");
    }
    if (!padici_rnn_here(t))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field,
                                 "is missing: i8 weights have a factor for each row");
    return padici_rnn_vector_check(context, field, t, PADIC_F32, matrix->shape[0]);
}

PADICI_FN padic_result padici_rnn_options_check(padic_context *context,
                                                const padici_rnn_options *is)
{
    const char *field = NULL;
    if ((uint32_t)is->kind > PADIC_RNN_KIND_LINEAR) field = "kind";
    else if ((uint32_t)is->reset > PADIC_RNN_RESET_BEFORE) field = "reset";
    else if ((uint32_t)is->update > PADIC_RNN_UPDATE_REPLACE) field = "update";
    else if ((uint32_t)is->activation > PADIC_RNN_ACTIVATION_RELU) field = "activation";
    if (field) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is unknown");
    if (is->gain - is->gain != 0) field = "gain";
    if (is->forget_bias - is->forget_bias != 0) field = "forget_bias";
    if (field) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is not finite");
    return PADIC_OK;
}

static const char *const padici_rnn_layer_names[] = {"weights.input", "weights.input_scale",
                                                     "weights.bias"};

// Weights of a layer for states of `dtype`; memory and strides of the views have been checked.
// `names` of the input weights, their scale and the bias: NULL where they are of a layer.
PADICI_FN padic_result padici_rnn_weights_check(padic_context *context, padic_rnn_kind kind,
                                                const padic_rnn_weights *w, padic_dtype dtype,
                                                const char *const *names)
{
    const uint64_t gates = kind == PADIC_RNN_KIND_GRU ? 3 : 4;
    const char *const *name = names ? names : padici_rnn_layer_names;
    uint64_t units;
    padic_result result = padici_rnn_matrix_check(context, name[0], &w->input, dtype);
    if (!result) result = padici_rnn_scale_check(context, name[1], &w->input_scale, &w->input);
    if (!result)
        result = padici_rnn_vector_check(context, name[2], &w->bias, dtype, w->input.shape[0]);
    if (result) return result;
    if (kind == PADIC_RNN_KIND_LINEAR) {
        if (!padici_rnn_here(&w->recurrent) && !padici_rnn_here(&w->recurrent_bias) &&
            !padici_rnn_here(&w->recurrent_scale))
            return PADIC_OK;
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "weights.recurrent",
                                 "is given, but the layer is linear");
    }
    result = padici_rnn_matrix_check(context, "weights.recurrent", &w->recurrent, dtype);
    if (result) return result;
    units = w->recurrent.shape[1];
    if (units > UINT64_MAX / 4 || w->recurrent.shape[0] != gates * units)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "weights.recurrent",
                                 "is not (3 H, H) of a GRU or (4 H, H) of an LSTM");
    if (w->input.shape[0] != gates * units)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "weights.input",
                                 "has other rows than weights.recurrent");
    result = padici_rnn_scale_check(context, "weights.recurrent_scale", &w->recurrent_scale,
                                    &w->recurrent);
    return result ? result
                  : padici_rnn_vector_check(context, "weights.recurrent_bias", &w->recurrent_bias,
                                            dtype, gates * units);
}

static void padici_rnn_matrix_view(const padic_tensor *t, const padic_tensor *scale,
                                   uint64_t first, uint64_t rows, padici_rnn_matrix *m)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    m->width = rows;
    m->depth = t->shape[1];
    m->dtype = t->dtype;
    m->row_bytes = (uint64_t)stride[0] * padic_dtype_size(t->dtype);
    m->data = t->data ? (const char *)t->data + first * m->row_bytes : NULL;
    m->scale = NULL;
    m->row_scale = scale->data ? (const float *)scale->data + first : NULL;
}

// A layer's part that works on the caller's rows; without its biases.
PADICI_FN void padici_rnn_part_begin(const padici_rnn_options *is, const padic_rnn_weights *w,
                                     padici_rnn_part *part)
{
    const int linear = is->kind == PADIC_RNN_KIND_LINEAR;
    memset(part, 0, sizeof *part);
    part->is = *is;
    if (is->gain == 0) part->is.gain = 1;
    part->inputs = w->input.shape[1];
    part->width = w->input.shape[0];
    part->units = linear ? part->width : w->recurrent.shape[1];
    padici_rnn_matrix_view(&w->input, &w->input_scale, 0, part->width, &part->input);
    if (linear) return;
    padici_rnn_matrix_view(&w->recurrent, &w->recurrent_scale, 0,
                           is->kind == PADIC_RNN_KIND_GRU ? 2 * part->units : part->width,
                           &part->gates);
    if (is->kind == PADIC_RNN_KIND_GRU)
        padici_rnn_matrix_view(&w->recurrent, &w->recurrent_scale, 2 * part->units, part->units,
                               &part->fresh);
}

static double padici_rnn_bias_at(const padic_tensor *t, uint64_t i)
{
    if (!t->data) return 0;
    return t->dtype == PADIC_F64 ? ((const double *)t->data)[i]
                                 : (double)((const float *)t->data)[i];
}

static void padici_rnn_bias_put(void *at, uint32_t is_double, uint64_t i, double value)
{
    if (is_double) ((double *)at)[i] = value;
    else ((float *)at)[i] = (float)value;
}

// Where the sums start: both biases, but of n of a GRU AFTER, whose recurrent one is in `fresh`.
PADICI_FN void padici_rnn_bias_fill(const padici_rnn_options *is, const padic_rnn_weights *w,
                                    const padici_rnn_part *part, uint32_t is_double, void *bias,
                                    void *fresh)
{
    const uint64_t n = part->units, all = part->width;
    const int apart = is->kind == PADIC_RNN_KIND_GRU && is->reset == PADIC_RNN_RESET_AFTER;
    const int floats = !is_double && w->bias.data && w->recurrent_bias.data &&
                       w->bias.dtype == PADIC_F32 && w->recurrent_bias.dtype == PADIC_F32;
    uint64_t i;
    if (floats) { // the same numbers, of many steps
        const float *b = (const float *)w->bias.data, *c = (const float *)w->recurrent_bias.data;
        const uint64_t both = apart ? 2 * n : all;
        for (i = 0; i < both; i++) ((float *)bias)[i] = b[i] + c[i];
        if (apart) memcpy((float *)bias + both, b + both, (size_t)n * 4);
        if (apart) memcpy(fresh, c + both, (size_t)n * 4);
    } else if (!w->bias.data && !w->recurrent_bias.data) {
        memset(bias, 0, (size_t)(all * (is_double ? 8 : 4)));
        memset(fresh, 0, (size_t)(n * (is_double ? 8 : 4)));
    } else {
        for (i = 0; i < all; i++) {
            const double c = padici_rnn_bias_at(&w->recurrent_bias, i);
            const double b = padici_rnn_bias_at(&w->bias, i);
            padici_rnn_bias_put(bias, is_double, i, apart && i >= 2 * n ? b : b + c);
            if (apart && i >= 2 * n) padici_rnn_bias_put(fresh, is_double, i - 2 * n, c);
        }
    }
    if (is->kind != PADIC_RNN_KIND_LSTM || is->forget_bias == 0) return;
    for (i = n; i < 2 * n; i++)
        padici_rnn_bias_put(bias, is_double, i,
                            padici_rnn_bias_at(&w->bias, i) +
                                padici_rnn_bias_at(&w->recurrent_bias, i) + is->forget_bias);
}

// Bytes of packed weights.
PADICI_FN uint64_t padici_rnn_matrix_bytes(const padici_rnn_matrix *m, uint64_t panel)
{
    return (m->width + panel - 1) / panel * panel * m->depth * padic_dtype_size(m->dtype);
}

// Packs rows into the kernels' panels, and factors into their reals.
PADICI_FN void padici_rnn_matrix_pack(const padici_rnn_kernels *kernels,
                                      const padici_rnn_matrix *from, void *data, void *scale,
                                      padici_rnn_matrix *to)
{
    const uint64_t size = padic_dtype_size(from->dtype), panel = kernels->panel;
    const uint8_t *order = (*kernels->order)(from->dtype);
    uint64_t i, k;
    *to = *from;
    to->data = data;
    to->row_scale = NULL;
    to->row_bytes = 0;
    memset(data, 0, (size_t)padici_rnn_matrix_bytes(from, panel));
    for (i = 0; i < from->width; i++) {
        const char *row = (const char *)from->data + i * from->row_bytes;
        const uint64_t place = order ? order[i % panel] : i % panel;
        char *at = (char *)data + (i / panel * panel * from->depth + place) * size;
        for (k = 0; k < from->depth; k++)
            memcpy(at + k * panel * size, row + k * size, (size_t)size);
    }
    if (!from->row_scale) return;
    to->scale = scale;
    for (i = 0; i < from->width; i++) {
        if (kernels->is_double) ((double *)scale)[i] = (double)from->row_scale[i];
        else ((float *)scale)[i] = from->row_scale[i];
    }
}

// Whether all numbers of a view are finite, of rows with `lengths` up to these.
PADICI_FN int padici_rnn_finite(const padici_rnn_view *view, uint64_t times, uint64_t rows,
                                uint64_t columns, const padici_rnn_view *lengths,
                                uint32_t is_double)
{
    uint64_t t, i, j;
    if (!view->at) return 1;
    for (i = 0; i < rows; i++) {
        const uint64_t end = lengths && lengths->at
                                 ? *(const uint32_t *)(const void *)(lengths->at +
                                                                     (int64_t)i * lengths->row)
                                 : times;
        for (t = 0; t < end; t++) {
            const char *at = view->at + (int64_t)t * view->time + (int64_t)i * view->row;
            for (j = 0; j < columns; j++, at += view->column) {
                const double value = is_double ? *(const double *)(const void *)at
                                               : (double)*(const float *)(const void *)at;
                if (value - value != 0) return 0;
            }
        }
    }
    return 1;
}

#endif
