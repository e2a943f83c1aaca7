#include "kernels.h"
#include "numbers.h"

#if PADICI_IMPLEMENT_RNN

// ------------------------------------------------------------------------------------ >>rnn impl
//
// The plain kernels: doubles, row by row.

// A row of weights times x.
static double padici_rnn_plain_dot(const void *row, padic_dtype dtype, uint64_t depth,
                                   const double *x)
{
    double sum = 0;
    uint64_t k;
    if (dtype == PADIC_F64) {
        for (k = 0; k < depth; k++) sum += ((const double *)row)[k] * x[k];
    } else if (dtype == PADIC_F32) {
        for (k = 0; k < depth; k++) sum += (double)((const float *)row)[k] * x[k];
    } else if (dtype == PADIC_I8) {
        for (k = 0; k < depth; k++) sum += (double)((const int8_t *)row)[k] * x[k];
    } else if (dtype == PADIC_BF16) {
        for (k = 0; k < depth; k++)
            sum += padici_rnn_from_bfloat(((const uint16_t *)row)[k]) * x[k];
    } else {
        for (k = 0; k < depth; k++) sum += padici_rnn_from_half(((const uint16_t *)row)[k]) * x[k];
    }
    return sum;
}

static void padici_rnn_plain_product(const padici_rnn_product *p)
{
    const padici_rnn_matrix *m = p->matrix;
    const uint64_t bytes = m->row_bytes ? m->row_bytes : m->depth * padic_dtype_size(m->dtype);
    uint64_t i, j;
    for (i = 0; i < p->rows; i++) {
        const double *x = (const double *)p->x + i * p->x_step;
        double *sums = (double *)p->sums + i * p->sum_step;
        for (j = 0; j < m->width; j++) {
            const double sum = padici_rnn_plain_dot((const char *)m->data + j * bytes, m->dtype,
                                                    m->depth, x);
            sums[j] += m->row_scale ? (double)m->row_scale[j] * sum
                       : m->scale   ? ((const double *)m->scale)[j] * sum
                                    : sum;
        }
    }
}

PADICI_INLINE double padici_rnn_sigmoid(double a)
{
    return 1 / (1 + exp(-a));
}

PADICI_INLINE double padici_rnn_narrow(double value, uint32_t narrow)
{
    return narrow ? (double)(float)value : value;
}

static void padici_rnn_plain_gru_reset(const padici_rnn_cell *cell)
{
    const double *sums = (const double *)cell->sums, *h = (const double *)cell->h;
    double *out = (double *)cell->out;
    uint64_t i;
    for (i = 0; i < cell->units; i++) out[i] = padici_rnn_sigmoid(sums[i]) * h[i];
}

static void padici_rnn_plain_gru(const padici_rnn_cell *cell)
{
    const uint64_t n = cell->units;
    const double *sums = (const double *)cell->sums, *fresh = (const double *)cell->fresh;
    const double *h = (const double *)cell->h;
    double *out = (double *)cell->out;
    uint64_t i;
    for (i = 0; i < n; i++) {
        const double z = padici_rnn_sigmoid(sums[n + i]);
        const double a = fresh ? sums[2 * n + i] + padici_rnn_sigmoid(sums[i]) * fresh[i]
                               : sums[2 * n + i];
        const double next = tanh(a);
        out[i] = padici_rnn_narrow(cell->replace ? (1 - z) * h[i] + z * next
                                                 : (1 - z) * next + z * h[i], cell->narrow);
    }
}

static void padici_rnn_plain_lstm(const padici_rnn_cell *cell)
{
    const uint64_t n = cell->units;
    const double *sums = (const double *)cell->sums, *c = (const double *)cell->c;
    double *out = (double *)cell->out, *out_c = (double *)cell->out_c;
    uint64_t i;
    for (i = 0; i < n; i++) {
        const double kept = padici_rnn_sigmoid(sums[n + i]) * c[i];
        const double next = kept + padici_rnn_sigmoid(sums[i]) * tanh(sums[2 * n + i]);
        const double o = padici_rnn_sigmoid(sums[3 * n + i]);
        out_c[i] = padici_rnn_narrow(next, cell->narrow);
        out[i] = padici_rnn_narrow(o * tanh(next), cell->narrow);
    }
}

static void padici_rnn_plain_activate(padic_rnn_activation activation, double gain, uint64_t count,
                                      const void *in_, void *out_, uint32_t narrow)
{
    const double *in = (const double *)in_;
    double *out = (double *)out_;
    uint64_t i;
    for (i = 0; i < count; i++) {
        double value = in[i];
        if (activation == PADIC_RNN_ACTIVATION_TANH) value = tanh(value);
        else if (activation == PADIC_RNN_ACTIVATION_SIGMOID) value = padici_rnn_sigmoid(value);
        else if (activation == PADIC_RNN_ACTIVATION_RELU && value < 0) value = 0;
        out[i] = padici_rnn_narrow(gain * value, narrow);
    }
}

static const uint8_t *padici_rnn_plain_order(padic_dtype dtype)
{
    (void)dtype;
    return NULL;
}

static const padici_rnn_kernels padici_rnn_plain_kernels = {
    1,
    1,
    padici_rnn_plain_order,
    padici_rnn_plain_product,
    padici_rnn_plain_gru_reset,
    padici_rnn_plain_gru,
    padici_rnn_plain_lstm,
    padici_rnn_plain_activate};

PADICI_FN const padici_rnn_kernels *padici_rnn_plain(void)
{
    return &padici_rnn_plain_kernels;
}

#endif
