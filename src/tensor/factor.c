#include "factor.h"
#include "../context/messages.h"
#include "../context/operands.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"
#include "eigh.h"
#include "plan.h"
#include "product.h"
#include "qr.h"
#include "svd.h"
#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// Calls of svd, qr and eigh: batches of matrices of any strides and dtypes are read, factored and
// written.

// Finds host tensors (an absent one has dtype NONE), sets their data; the first `in` are read.
PADICI_FN padic_result padici_tensor_host(padic_context *context, padic_tensor *tensors,
                                          const char *const *names, padici_operand *operands,
                                          uint32_t count, uint32_t in)
{
    uint32_t i, j;
    memset(operands, 0, count * sizeof *operands);
    for (i = 0; i < count; i++) {
        padici_operand *o = &operands[i];
        uint64_t elements;
        padic_result result;
        if (tensors[i].dtype == PADIC_DTYPE_NONE) continue;
        o->tensor = &tensors[i];
        o->name = names[i];
        o->out = i >= in;
        result = padici_tensor_check_view(o->tensor, i < in, &elements);
        if (result) return padici_fail_view(context, result, o->name, o->tensor);
        result = padici_operand_find(context, o, elements);
        if (result) return result;
        if (!o->home.host)
            return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, o->name,
                                     "is in a device's memory: download it first");
        for (j = 0; j < i; j++)
            if (o->out && o->bytes && operands[j].bytes && padici_operands_overlap(o, &operands[j]))
                return padici_fail_overlap(context, o, &operands[j]);
    }
    for (i = 0; i < count; i++)
        if (operands[i].tensor && operands[i].bytes)
            tensors[i].data = (void *)(uintptr_t)(operands[i].home.mem.bits + operands[i].home.at);
    return PADIC_OK;
}

// The field of a desc that tensor i is.
static const char *padici_tensor_factor_name(const padici_tensor_factor *f, uint32_t i)
{
    static const char *const names[3][4] = {
        {"a", "u", "vh", "s"}, {"a", "q", "r", ""}, {"a", "v", "w", ""}};
    return names[f->kind][i];
}

// Shape and strides of tensor i, which has `rows` x `columns` (0: a vector) a matrix.
static padic_result padici_tensor_factor_shape(padic_context *context, padici_tensor_factor *f,
                                               uint32_t i, uint64_t rows, uint64_t columns,
                                               int vector)
{
    const padic_tensor *t = &f->tensors[i];
    const uint32_t batched = f->tensors[0].rank == 3, rank = batched + (vector ? 1 : 2);
    const padic_dtype dtype = f->tensors[0].dtype;
    const padic_dtype real = padici_tensor_is_double(dtype) ? PADIC_F64 : PADIC_F32;
    int64_t stride[PADIC_MAX_RANK];
    if (t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (t->dtype != (vector ? real : dtype))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, padici_tensor_factor_name(f, i),
                                 vector ? "has not the real dtype of a" : "has not the dtype of a");
    if (t->rank != rank || (batched && t->shape[0] != f->batch) || t->shape[batched] != rows ||
        (!vector && t->shape[batched + 1] != columns))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, padici_tensor_factor_name(f, i),
                                 "has not the shape that a asks for");
    padici_tensor_dense(t, stride);
    f->stride[i][0] = batched ? stride[0] : 0;
    f->stride[i][1] = stride[batched];
    f->stride[i][2] = vector ? 0 : stride[batched + 1];
    return PADIC_OK;
}

// The size of the matrices: 0, or what is wrong with a.
static padic_result padici_tensor_factor_begin(padic_context *context, padici_tensor_factor *f)
{
    const padic_tensor *a = &f->tensors[0];
    if (a->dtype != PADIC_F32 && !padici_tensor_is_double(a->dtype) &&
        !padici_tensor_is_complex(a->dtype))
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "a is F32, F64, C64 or C128");
    if (a->rank != 2 && a->rank != 3)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "a has rank 2 or 3");
    f->batch = a->rank == 3 ? a->shape[0] : 1;
    f->m = a->shape[a->rank - 2];
    f->n = a->shape[a->rank - 1];
    f->r = f->m < f->n ? f->m : f->n;
    if (f->kind == PADICI_TENSOR_FACTOR_EIGH && f->m != f->n)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "a is not square");
    if (f->m >> 24 || f->n >> 24 || f->batch >> 31)
        return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                "a has an extent of 2^24 or more, or 2^31 matrices");
    return padici_tensor_factor_shape(context, f, 0, f->m, f->n, 0);
}

// Reads matrix b, conjugated and transposed when `turn`; its scale, a power of 2 that all entries
// are divided by, so that no square overflows. 0 when an entry is not finite.
PADICI_FN int padici_tensor_factor_read(const padici_tensor_factor *f, uint64_t b, int turn,
                                        double *a, double *scale)
{
    const padic_tensor *t = &f->tensors[0];
    const int64_t *stride = f->stride[0];
    const uint64_t m = turn ? f->n : f->m, n = turn ? f->m : f->n;
    double largest = 0;
    uint64_t i, j;
    int power;
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++) {
            const int64_t row = (int64_t)(turn ? j : i), column = (int64_t)(turn ? i : j);
            double *z = a + 2 * (j * m + i);
            if (f->kind == PADICI_TENSOR_FACTOR_EIGH && i < j) continue;
            padici_tensor_read(t->dtype, (const char *)t->data,
                               (int64_t)b * stride[0] + row * stride[1] + column * stride[2], z,
                               z + 1);
            if (turn) z[1] = -z[1];
            if (f->kind == PADICI_TENSOR_FACTOR_EIGH && i == j) z[1] = 0;
            if (!(z[0] - z[0] == 0) || !(z[1] - z[1] == 0)) return 0;
            if (fabs(z[0]) > largest) largest = fabs(z[0]);
            if (fabs(z[1]) > largest) largest = fabs(z[1]);
        }
    frexp(largest, &power);
    *scale = largest > 0 ? ldexp(1.0, power < -1000 ? -1000 : power > 1000 ? 1000 : power) : 1;
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++) {
            double *z = a + 2 * (j * m + i);
            if (f->kind == PADICI_TENSOR_FACTOR_EIGH && i < j) {
                z[0] = a[2 * (i * m + j)]; // read and divided before
                z[1] = -a[2 * (i * m + j) + 1];
            } else {
                z[0] /= *scale;
                z[1] /= *scale;
            }
        }
    return 1;
}

// Sets `power` so that 2^-power brings the largest part of a tensor to about 1, as far as such a
// factor is a number. 0 when a part is not finite.
PADICI_FN int padici_tensor_power(const padic_tensor *t, int *power)
{
    const uint64_t count = padic_tensor_count(t);
    int64_t step[PADIC_MAX_RANK];
    double largest = 0;
    uint64_t e;
    uint32_t i;
    padici_tensor_dense(t, step);
    for (e = 0; e < count; e++) {
        uint64_t rest = e;
        int64_t at = 0;
        double re, im;
        for (i = t->rank; i-- > 0; rest /= t->shape[i])
            at += (int64_t)(rest % t->shape[i]) * step[i];
        padici_tensor_read(t->dtype, (const char *)t->data, at, &re, &im);
        if (!(re - re == 0) || !(im - im == 0)) return 0;
        if (fabs(re) > largest) largest = fabs(re);
        if (fabs(im) > largest) largest = fabs(im);
    }
    *power = 0;
    if (largest > 0) frexp(largest, power);
    if (*power > 1000) *power = 1000;
    if (*power < -1000) *power = -1000;
    return 1;
}

// Whether a number is finite, and stays so when it is written to a tensor.
PADICI_FN int padici_tensor_holds(padic_dtype dtype, double x)
{
    // Half a step above the largest F32, numbers are rounded up to infinity.
    return padici_tensor_is_double(dtype) ? x - x == 0 : fabs(x) < 3.40282356779733661638e38;
}

// Whether tensor i holds n numbers x times the scale; one that is absent holds any.
PADICI_FN int padici_tensor_factor_holds(const padici_tensor_factor *f, uint32_t i, const double *x,
                                         uint64_t n, double scale)
{
    uint64_t k;
    if (f->tensors[i].dtype == PADIC_DTYPE_NONE) return 1;
    for (k = 0; k < n; k++)
        if (!padici_tensor_holds(f->tensors[i].dtype, x[k] * scale)) return 0;
    return 1;
}

// Writes x (rows x columns, columns `step` entries apart) to tensor i of matrix b; or its
// conjugate transpose.
static void padici_tensor_factor_write(const padici_tensor_factor *f, uint32_t i, uint64_t b,
                                       const double *x, uint64_t rows, uint64_t columns, int turn)
{
    const padic_tensor *t = &f->tensors[i];
    const int64_t *stride = f->stride[i];
    uint64_t j, k;
    if (t->dtype == PADIC_DTYPE_NONE) return;
    for (j = 0; j < columns; j++)
        for (k = 0; k < rows; k++) {
            const double *z = x + 2 * (j * rows + k);
            const int64_t row = (int64_t)(turn ? j : k), column = (int64_t)(turn ? k : j);
            padici_tensor_write(t->dtype, (char *)t->data,
                                (int64_t)b * stride[0] + row * stride[1] + column * stride[2], z[0],
                                turn ? -z[1] : z[1]);
        }
}

PADICI_FN void padici_tensor_factor_values(const padici_tensor_factor *f, uint32_t i, uint64_t b,
                                           const double *x, uint64_t n, double scale)
{
    const padic_tensor *t = &f->tensors[i];
    uint64_t k;
    for (k = 0; t->dtype != PADIC_DTYPE_NONE && k < n; k++)
        padici_tensor_write(t->dtype, (char *)t->data,
                            (int64_t)b * f->stride[i][0] + (int64_t)k * f->stride[i][1],
                            x[k] * scale, 0);
}

// How many of the r singular values s, which descend, are kept, after what is said of them; those
// of f->columns that are not become 0.
PADICI_FN uint64_t padici_tensor_factor_keep(const padici_tensor_factor *f, uint64_t b, double *s)
{
    double all = 0, lost = 0, square;
    uint64_t kept = f->columns, k;
    while (f->cutoff > 0 && kept && s[kept - 1] <= f->cutoff * s[0]) kept--;
    for (k = f->r; k-- > 0;) { // the least first; of the largest, so that squares fit
        square = s[0] > 0 ? s[k] / s[0] * (s[k] / s[0]) : 0;
        all += square;
        if (k >= kept) lost += square;
    }
    if (f->ranks.dtype != PADIC_DTYPE_NONE)
        ((int32_t *)f->ranks.data)[(int64_t)b * f->ranks_step] = (int32_t)kept;
    if (f->discarded.dtype != PADIC_DTYPE_NONE)
        ((double *)f->discarded.data)[(int64_t)b * f->discarded_step] = all > 0 ? lost / all : 0;
    for (k = kept; k < f->columns; k++) s[k] = 0;
    return kept;
}

// Tensors a, u, vh, s. A wide matrix is done as its adjoint: A^dagger = V S U^dagger.
static int padici_tensor_factor_svd(const padici_tensor_factor *f, uint64_t b, double *space)
{
    const int turn = f->m < f->n;
    const int vectors = f->tensors[1].dtype != PADIC_DTYPE_NONE ||
                        f->tensors[2].dtype != PADIC_DTYPE_NONE;
    const uint64_t m = turn ? f->n : f->m, n = f->r;
    double *w = space, *s = w + 2 * m * n, *v = s + n, *work = v + 2 * n * n, scale;
    uint64_t j, kept;
    int good;
    if (!padici_tensor_factor_read(f, b, turn, w, &scale)) return PADIC_ERROR_NOT_FINITE;
    good = padici_tensor_z_svd(m, n, w, s, vectors ? v : NULL, work,
                               !padici_tensor_is_double(f->tensors[0].dtype));
    if (!padici_tensor_factor_holds(f, 3, s, n, scale)) return PADIC_ERROR_NOT_FINITE;
    kept = padici_tensor_factor_keep(f, b, s);
    for (j = 0; vectors && j < kept; j++) {
        if (turn)
            padici_tensor_z_sign(n, v + 2 * j * n, m, w + 2 * j * m);
        else
            padici_tensor_z_sign(m, w + 2 * j * m, n, v + 2 * j * n);
    }
    if (vectors) memset(w + 2 * kept * m, 0, (size_t)(16 * m * (f->columns - kept)));
    if (vectors) memset(v + 2 * kept * n, 0, (size_t)(16 * n * (f->columns - kept)));
    padici_tensor_factor_write(f, turn ? 2 : 1, b, w, m, f->columns, turn);
    padici_tensor_factor_write(f, turn ? 1 : 2, b, v, n, f->columns, !turn);
    padici_tensor_factor_values(f, 3, b, s, f->columns, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

// Tensors a, q, r.
static int padici_tensor_factor_qr(const padici_tensor_factor *f, uint64_t b, double *space)
{
    const uint64_t m = f->m, n = f->n, r = f->r;
    double *a = space, *q = a + 2 * m * n, *rr = q + 2 * m * r, *tau = rr + 2 * r * n;
    double *diag = tau + r, scale, phase[2];
    uint64_t j, k;
    if (!padici_tensor_factor_read(f, b, 0, a, &scale)) return PADIC_ERROR_NOT_FINITE;
    padici_tensor_z_qr(m, n, a, tau, diag);
    memset(q, 0, (size_t)(16 * (m * r + r * n)));
    for (j = 0; j < r; j++) q[2 * (j * m + j)] = 1;
    padici_tensor_z_qr_apply(m, r, a, tau, r, q);
    for (j = 0; j < n; j++)
        for (k = 0; k <= j && k < r; k++) {
            double *z = rr + 2 * (j * r + k);
            memcpy(z, k == j ? diag + 2 * k : a + 2 * (j * m + k), 16);
            padici_tensor_z_phase(diag + 2 * k, phase);
            padici_tensor_z_scale(1, z, phase[0] * scale, -phase[1] * scale);
            if (k == j) z[1] = 0;
        }
    if (!padici_tensor_factor_holds(f, 2, rr, 2 * r * n, 1)) return PADIC_ERROR_NOT_FINITE;
    for (k = 0; k < r; k++) {
        padici_tensor_z_phase(diag + 2 * k, phase);
        padici_tensor_z_scale(m, q + 2 * k * m, phase[0], phase[1]);
    }
    padici_tensor_factor_write(f, 1, b, q, m, r, 0);
    padici_tensor_factor_write(f, 2, b, rr, r, n, 0);
    return PADIC_OK;
}

// Tensors a, v, w.
static int padici_tensor_factor_eigh(const padici_tensor_factor *f, uint64_t b, double *space)
{
    const uint64_t n = f->n;
    const int vectors = f->tensors[1].dtype != PADIC_DTYPE_NONE;
    double *a = space, *v = a + 2 * n * n, *values = v + 2 * n * n, scale;
    uint64_t j;
    int good;
    if (!padici_tensor_factor_read(f, b, 0, a, &scale)) return PADIC_ERROR_NOT_FINITE;
    good = padici_tensor_z_eigh(n, a, values, vectors ? v : NULL, values + n);
    if (!padici_tensor_factor_holds(f, 2, values, n, scale)) return PADIC_ERROR_NOT_FINITE;
    for (j = 0; vectors && j < n; j++) padici_tensor_z_sign(n, v + 2 * j * n, 0, NULL);
    padici_tensor_factor_write(f, 1, b, v, n, n, 0);
    padici_tensor_factor_values(f, 2, b, values, n, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

static void padici_tensor_factor_task(void *arg, uint32_t task)
{
    padici_tensor_factor *f = (padici_tensor_factor *)arg;
    double *space = f->space + task * f->each;
    uint64_t b;
    for (b = task; b < f->batch; b += f->tasks) {
        f->info[b] = f->one                               ? (*f->one)(f, b, space)
                     : f->kind == PADICI_TENSOR_FACTOR_SVD ? padici_tensor_factor_svd(f, b, space)
                     : f->kind == PADICI_TENSOR_FACTOR_QR ? padici_tensor_factor_qr(f, b, space)
                                                          : padici_tensor_factor_eigh(f, b, space);
        if (padici_steps_more(&f->steps, 1)) return;
    }
}

// The first result that is not OK, and the sentence about it.
PADICI_FN padic_result padici_tensor_factor_say(const int32_t *info, uint64_t batch, char *to,
                                                size_t size)
{
    padici_text text;
    uint64_t b;
    for (b = 0; b < batch && !info[b]; b++) continue;
    if (b == batch) return PADIC_OK;
    padici_text_begin(&text, to, size);
    padici_text_add(&text, "a: matrix ");
    padici_text_number(&text, b, 1);
    padici_text_add(&text, info[b] == PADIC_ERROR_NOT_FINITE
                               ? " has a NaN or an infinity, or results beyond its dtype"
                               : " did not converge");
    return (padic_result)info[b];
}

// Doubles that the tasks need together; 0: too many.
static int padici_tensor_factor_space(padici_tensor_factor *f, size_t *bytes)
{
    const uint64_t longer = f->m < f->n ? f->n : f->m;
    if (f->one)
        return padici_mul_size(f->each, 8, bytes) &&
               padici_mul_size(*bytes, (size_t)f->tasks, bytes) && *bytes <= ((size_t)-1) / 2;
    if (!padici_mul_size((size_t)(longer + 1), (size_t)(f->r + 1), &f->each) ||
        !padici_mul_size(f->each, 8 * 8, bytes) ||
        !padici_mul_size(*bytes, (size_t)f->tasks, bytes) || *bytes > ((size_t)-1) / 2)
        return 0;
    f->each *= 8;
    return 1;
}

// Runs a call that is checked: memory, tasks, what they said.
PADICI_FN padic_result padici_tensor_factor_run(const padic_env *env, padici_tensor_factor *f)
{
    const padic_allocator *allocator = env ? env->allocator : NULL;
    const padic_jobs *jobs = env ? env->jobs : NULL;
    const size_t infos = ((size_t)f->batch * 4 + 63) / 64 * 64;
    size_t bytes;
    uint64_t b;
    padic_result result;
    char *memory, space[96];
    f->tasks = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (f->tasks > f->batch) f->tasks = f->batch;
    if (!padici_tensor_factor_space(f, &bytes))
        return padici_env_fail(env, PADIC_ERROR_LIMIT, "a has matrices too large for memory");
    if (!f->batch) return PADIC_OK;
    bytes += infos;
    memory = (char *)padici_alloc(allocator, bytes, 64);
    if (!memory) return padici_env_fail(env, PADIC_ERROR_MEMORY, "out of host memory");
    f->info = (int32_t *)(void *)memory;
    f->space = (double *)(void *)(memory + infos);
    padici_steps_begin(&f->steps, NULL, env ? env->progress : NULL, f->batch);
    padici_parallel(jobs, (uint32_t)f->tasks, padici_tensor_factor_task, f);
    if (padici_steps_end(&f->steps)) {
        padici_free(allocator, memory, bytes);
        return padici_env_fail(env, PADIC_ERROR_CANCELLED,
                               "the progress hook stopped it midway");
    }
    if (f->status.dtype != PADIC_DTYPE_NONE) {
        for (b = 0; b < f->batch; b++)
            ((int32_t *)f->status.data)[(int64_t)b * f->status_step] = f->info[b];
        result = PADIC_OK;
    } else {
        result = padici_tensor_factor_say(f->info, f->batch, space, sizeof space);
        if (result) result = padici_env_fail(env, result, space);
    }
    padici_free(allocator, memory, bytes);
    return result;
}

// A tensor of one number for each matrix.
static padic_result padici_tensor_factor_each(padic_context *context, const padici_tensor_factor *f,
                                              const padic_tensor *given, padic_dtype dtype,
                                              const char *sentence, padic_tensor *to, int64_t *step)
{
    int64_t stride[PADIC_MAX_RANK];
    *to = *given;
    if (given->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (given->dtype != dtype || given->rank != 1 || given->shape[0] != f->batch)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, sentence);
    padici_tensor_dense(given, stride);
    *step = stride[0];
    return PADIC_OK;
}

// Where the results of the matrices go.
static padic_result padici_tensor_factor_status(padic_context *context, padici_tensor_factor *f,
                                                const padic_tensor *status)
{
    return padici_tensor_factor_each(context, f, status, PADIC_I32,
                                     "status has one I32 for each matrix", &f->status,
                                     &f->status_step);
}

// What a truncated SVD leaves out, and where it says so.
static padic_result padici_tensor_factor_cut(padic_context *context,
                                             const padic_tensor_svd_desc *desc,
                                             padici_tensor_factor *f)
{
    padic_result result;
    f->columns = desc->rank ? desc->rank : f->r;
    f->cutoff = desc->cutoff;
    if ((uint32_t)desc->method > PADIC_TENSOR_SVD_METHOD_JACOBI)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "method is no padic_tensor_svd_method");
    if (f->columns > f->r)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "rank is above the smaller side of a");
    if (!(desc->cutoff >= 0) || !(desc->cutoff <= 1))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "cutoff is not from 0 to 1");
    result = padici_tensor_factor_each(context, f, &desc->ranks, PADIC_I32,
                                       "ranks has one I32 for each matrix", &f->ranks,
                                       &f->ranks_step);
    if (result) return result;
    return padici_tensor_factor_each(context, f, &desc->discarded, PADIC_F64,
                                     "discarded has one F64 for each matrix", &f->discarded,
                                     &f->discarded_step);
}

// Everything about a call but its memory.

PADICI_FN padic_result padici_tensor_factor_of_svd(padic_context *context,
                                                   const padic_tensor_svd_desc *desc,
                                                   padici_tensor_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_TENSOR_FACTOR_SVD;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->u;
    f->tensors[2] = desc->vh;
    f->tensors[3] = desc->s;
    result = padici_tensor_factor_begin(context, f);
    if (!result) result = padici_tensor_factor_cut(context, desc, f);
    if (!result) result = padici_tensor_factor_shape(context, f, 1, f->m, f->columns, 0);
    if (!result) result = padici_tensor_factor_shape(context, f, 2, f->columns, f->n, 0);
    if (!result) result = padici_tensor_factor_shape(context, f, 3, f->columns, 0, 1);
    return result ? result : padici_tensor_factor_status(context, f, &desc->status);
}

PADICI_FN padic_result padici_tensor_factor_of_qr(padic_context *context,
                                                  const padic_tensor_qr_desc *desc,
                                                  padici_tensor_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_TENSOR_FACTOR_QR;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->q;
    f->tensors[2] = desc->r;
    result = padici_tensor_factor_begin(context, f);
    if (!result) result = padici_tensor_factor_shape(context, f, 1, f->m, f->r, 0);
    if (!result) result = padici_tensor_factor_shape(context, f, 2, f->r, f->n, 0);
    return result ? result : padici_tensor_factor_status(context, f, &desc->status);
}

PADICI_FN padic_result padici_tensor_factor_of_eigh(padic_context *context,
                                                    const padic_tensor_eigh_desc *desc,
                                                    padici_tensor_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_TENSOR_FACTOR_EIGH;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->v;
    f->tensors[2] = desc->w;
    result = padici_tensor_factor_begin(context, f);
    if (!result) result = padici_tensor_factor_shape(context, f, 1, f->n, f->n, 0);
    if (!result) result = padici_tensor_factor_shape(context, f, 2, f->n, 0, 1);
    return result ? result : padici_tensor_factor_status(context, f, &desc->status);
}

#endif
