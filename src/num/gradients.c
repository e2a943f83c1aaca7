#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "../core/view.h"
#include "array.h"
#include "channels.h"
#include "floats.h"
#include "integers.h"
#include "task.h"

#if PADICI_IMPLEMENT_NUM

// ---- gradients

static double padici_num_float_double(padic_dtype dtype, uint64_t bits)
{
    const padici_num_format f = padici_num_format_of(dtype);
    uint64_t m, x = bits;
    int32_t e;
    double value, power = 1;
    const uint32_t negative = padici_num_float_parts(dtype, bits, &m, &e);
    if (dtype != PADIC_F64 && !padici_num_float_finite(dtype, bits)) { // the payload, left-aligned
        x = UINT64_C(0x7ff) << 52 | bits << (64 - f.mantissa) >> 12;
    } else if (dtype != PADIC_F64) {
        x = (uint64_t)(1023 + e) << 52;
        memcpy(&power, &x, 8);
        power *= (double)m;
        memcpy(&x, &power, 8);
    }
    x |= (uint64_t)negative << 63;
    memcpy(&value, &x, 8);
    return value;
}

static void padici_num_ste_loop(padici_num_sweep *sweep, uint32_t piece, uint64_t first,
                                uint64_t end)
{
    const padic_num_ste_desc *desc = (const padic_num_ste_desc *)sweep->desc;
    uint64_t i;
    (void)piece;
    for (i = first; i < end; i++) {
        const uint64_t bits = padici_num_float_load(sweep->data[2], desc->in.dtype, i);
        const uint64_t grad = padici_num_float_load(sweep->data[1], desc->grad.dtype, i);
        const double x = padici_num_float_double(desc->in.dtype, bits);
        padici_num_float_store(sweep->data[0], desc->out.dtype, i,
                           x >= desc->low && x <= desc->high ? grad : 0);
    }
}

PADIC_API padic_result padic_num_ste_backward(padic_context *context,
                                              const padic_num_ste_desc *desc)
{
    padici_num_sweep sweep;
    padic_result result;
    padici_num_sweep_begin(&sweep, "num_ste_backward", desc, padici_num_ste_loop);
    if (!desc || desc->low != desc->low || desc->high != desc->high)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_ste_backward",
                              desc ? "low or high is NaN" : "desc is NULL");
    padici_num_sweep_tensor(&sweep, 0, "out", &desc->out, PADICI_NUM_FLOATS, 1);
    padici_num_sweep_tensor(&sweep, 1, "grad", &desc->grad, PADICI_NUM_FLOATS, 0);
    padici_num_sweep_tensor(&sweep, 2, "in", &desc->in, PADICI_NUM_FLOATS, 0);
    result = padici_num_sweep_check(context, &sweep, 3);
    if (!result && desc->out.dtype != desc->grad.dtype)
        result = padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL,
                              "must have the dtype of `grad`");
    return result ? padici_fault(context, result, "num_ste_backward")
                  : padici_num_sweep_run(context, &sweep);
}

// The integer nearest to m / 2^t, ties to even; t < 64.
PADICI_INLINE uint64_t padici_num_round_shift(uint64_t m, uint32_t t)
{
    const uint64_t q = m >> t, rest = m - (q << t), half = t ? UINT64_C(1) << (t - 1) : 1;
    return q + (rest > half || (rest == half && (q & 1)));
}

PADICI_INLINE uint64_t padici_num_absolute(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

// *state += x 2^scale; returns the status bits.
static uint32_t padici_num_grad_add(padic_dtype dtype, uint64_t bits, int32_t scale, int64_t *state)
{
    uint64_t m, whole, sum;
    int32_t e;
    const uint32_t negative = padici_num_float_parts(dtype, bits, &m, &e);
    uint32_t note = 0;
    if (!padici_num_float_finite(dtype, bits)) return PADIC_NUM_OUTSIDE;
    if (!m) return 0;
    e += scale;
    if (e >= 0) {
        if (e > 62 || m >> (63 - e)) return PADIC_NUM_RANGE;
        whole = m << e;
    } else {
        whole = e > -64 ? padici_num_round_shift(m, (uint32_t)-e) : 0;
        if (e <= -64 || whole << -e != m) note = PADIC_NUM_INEXACT;
    }
    if (negative) whole = 0 - whole;
    sum = (uint64_t)*state + whole;
    if (((sum ^ (uint64_t)*state) & (sum ^ whole)) >> 63) return PADIC_NUM_RANGE;
    *state = (int64_t)sum;
    return note;
}

// Subtracts q 2^step from *state and returns q, which has `size` bytes.
static int64_t padici_num_grad_send(int64_t *state, uint32_t step, uint32_t size)
{
    const uint64_t limit = (UINT64_C(1) << (8 * size - 1)) - (*state >= 0);
    uint64_t q = padici_num_round_shift(padici_num_absolute(*state), step);
    if (q > limit) q = limit;
    if (*state < 0) q = 0 - q;
    *state = (int64_t)((uint64_t)*state - (q << step));
    return (int64_t)q;
}

static void padici_num_grad_loop(padici_num_sweep *sweep, uint32_t piece, uint64_t first,
                                 uint64_t end)
{
    const padic_num_grad_desc *desc = (const padic_num_grad_desc *)sweep->desc;
    int64_t *state = (int64_t *)sweep->data[1];
    uint64_t i;
    for (i = first; i < end; i++) {
        const uint32_t note = padici_num_grad_add(
            desc->in.dtype, padici_num_float_load(sweep->data[0], desc->in.dtype, i), desc->scale,
            &state[i]);
        sweep->tally[piece][0] += note == PADIC_NUM_INEXACT;
        sweep->tally[piece][1] += (note & PADIC_NUM_HARD) != 0;
        padici_num_sweep_note(sweep, piece, i, note);
    }
}

// The k-th largest |state|, 0 < k <= n, byte by byte from the highest; *ties is how many elements
// equal to it are among the k.
static PADICI_NOINLINE uint64_t padici_num_grad_select(const int64_t *state, uint64_t n, uint64_t k,
                                                       uint64_t *ties)
{
    uint64_t bucket[256], prefix = 0, i;
    uint32_t shift = 64, b;
    while (shift > 0) {
        shift -= 8;
        memset(bucket, 0, sizeof bucket);
        for (i = 0; i < n; i++) {
            const uint64_t m = padici_num_absolute(state[i]) >> shift;
            if (m >> 8 == prefix) bucket[m & 255]++;
        }
        for (b = 255; k > bucket[b]; b--) k -= bucket[b];
        prefix = prefix << 8 | b;
    }
    *ties = k;
    return prefix;
}

// Sends the elements above `least` and the first `ties` that equal it.
static padic_result padici_num_grad_pick(padici_num_sweep *sweep, const padic_num_grad_desc *desc,
                                     void *sent, void *index, uint64_t room, uint64_t *count)
{
    int64_t *state = (int64_t *)sweep->data[1];
    const uint32_t sent_size = padic_dtype_size(desc->sent.dtype);
    const uint32_t index_size = padic_dtype_size(desc->index.dtype);
    uint64_t least = desc->mode ? desc->threshold : 0, ties = UINT64_MAX, n = 0, i;
    if (desc->mode == PADIC_NUM_GRAD_TOP) {
        n = desc->top < sweep->count ? desc->top : sweep->count;
        ties = 0;
        least = n ? padici_num_grad_select(state, sweep->count, n, &ties) : UINT64_MAX;
    } else {
        for (i = 0; i < sweep->count; i++) n += padici_num_absolute(state[i]) >= least;
    }
    *count = n;
    if (n > room) return PADIC_ERROR_CAPACITY;
    for (i = 0, n = 0; n < *count; i++) {
        const uint64_t m = padici_num_absolute(state[i]);
        if (m < least || (m == least && !ties)) continue;
        ties -= m == least;
        if (index) padici_num_int_store(index, index_size, n, i);
        padici_num_int_store(sent, sent_size, n++,
                         (uint64_t)padici_num_grad_send(&state[i], desc->step, sent_size));
    }
    return PADIC_OK;
}

static padic_result padici_num_grad_check(padic_context *context, const padic_num_grad_desc *desc,
                                      padici_num_sweep *sweep, void **sent, void **index,
                                      uint64_t *room)
{
    padic_result result;
    padici_num_sweep_begin(sweep, "num_grad_step", desc, padici_num_grad_loop);
    if (!desc || desc->scale < -1100 || desc->scale > 1100 || desc->step > 62 ||
        (uint32_t)desc->mode > PADIC_NUM_GRAD_TOP)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            !desc             ? "desc is NULL"
                            : desc->step > 62 ? "step must be at most 62"
                            : (uint32_t)desc->mode > PADIC_NUM_GRAD_TOP
                                ? "mode is none that there is"
                                : "scale must be between -1,100 and 1,100");
    padici_num_sweep_tensor(sweep, 0, "in", &desc->in, PADICI_NUM_FLOATS, 0);
    padici_num_sweep_tensor(sweep, 1, "residual", &desc->residual, 1u << PADIC_I64, 1);
    padici_num_sweep_status(sweep, &desc->status, desc->sticky);
    result = padici_tensor_check_shape(&desc->sent, room);
    if (!result) result = padici_num_plane(context, &desc->sent, *room, PADICI_NUM_SIGNED, sent);
    padici_blame(context, result, "sent", NULL, NULL);
    if (!result && desc->mode != PADIC_NUM_GRAD_ALL) {
        result = padici_num_plane(context, &desc->index, *room, 1u << PADIC_U32 | 1u << PADIC_U64,
                                  index);
        padici_blame(context, result, "index", NULL, NULL);
    }
    if (result) return result;
    padici_num_range_add(sweep->range, &sweep->ranges, *sent,
                         *room * padic_dtype_size(desc->sent.dtype), 0, 1);
    padici_num_range_add(sweep->range, &sweep->ranges, *index,
                         *room * padic_dtype_size(desc->index.dtype), 0, 1);
    result = padici_num_sweep_check(context, sweep, 0);
    if (!result && *index && desc->index.dtype == PADIC_U32 && sweep->count >> 32)
        result = padici_blame(context, PADIC_ERROR_LIMIT, "index", NULL,
                              "must be U64 for so many elements");
    return result;
}

PADIC_API padic_result padic_num_grad_step(padic_context *context, const padic_num_grad_desc *desc)
{
    padici_num_sweep sweep;
    void *sent = NULL, *index = NULL;
    uint64_t room = 0;
    uint32_t j;
    padic_num_grad_report r = {0, 0, 0};
    padic_result picked = PADIC_OK;
    padic_result result = padici_num_grad_check(context, desc, &sweep, &sent, &index, &room);
    if (!result) {
        result = padici_num_sweep_run(context, &sweep);
        picked = padici_num_grad_pick(&sweep, desc, sent, index, room, &r.sent);
        for (j = 0; j < PADICI_NUM_CHUNKS; j++) {
            r.inexact += sweep.tally[j][0];
            r.refused += sweep.tally[j][1];
        }
        if (picked)
            result = padici_fail_in(context, picked, "num_grad_step",
                                    "sent is too small: report.sent is how many there are");
    } else {
        result = padici_fault(context, result, "num_grad_step");
    }
    if (desc && desc->report) *desc->report = r;
    return result;
}

#endif
