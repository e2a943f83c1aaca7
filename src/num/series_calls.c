#include "series_calls.h"
#include "../context/messages.h"
#include "../core/log.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"
#include "residue.h"
#include "ring.h"
#include "packs.h"
#include "ring_tables.h"
#include "series.h"
#include "series_loops.h"

#if PADICI_IMPLEMENT_NUM

static PADICI_NOINLINE padic_result
padici_num_series_call(padic_context *context, const char *name, uint32_t op, int64_t k,
                   const void *options, void (*loop)(padic_num_call *call),
                   const padic_num_array *out, const padic_num_array *a, const padic_num_array *b)
{
    padici_num_task task;
    if (!out || !a)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL" : b ? "x is NULL" : "a is NULL");
    padici_num_task_begin(&task, name, op, loop, out, a, b, NULL);
    if (op == PADIC_OP_NUM_ROOTS) task.call.op = PADIC_OP_NUM_ROOT; // one of them
    if (op == PADIC_OP_NUM_ROOT && k == 2) task.call.op = PADIC_OP_NUM_SQRT;
    if (b) { // x^s
        task.field[1] = "x";
        task.field[2] = "s";
    }
    task.call.k = k;
    task.call.options = options;
    return padici_num_run(context, &task);
}

static padic_result padici_num_root(padic_context *context, const char *name, uint32_t op,
                                    const padic_num_array *out, const padic_num_array *a,
                                    uint64_t n)
{
    padici_root root;
    if (!out || !padici_num_ring_is(out->ring) || !n)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL"
                              : n  ? "out.ring was not made by num_ring_init"
                                   : "n is 0: there is no 0th root");
    if (out->ring->composite)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, name,
                              "out.ring has a radix that is no prime");
    padici_num_root_init(&root, out->ring, n, 0);
    return padici_num_series_call(context, name, op, (int64_t)n, &root, padici_num_root_loop, out,
                                  a, NULL);
}

PADIC_API padic_result padic_num_root(padic_context *context, const padic_num_array *out,
                                      const padic_num_array *a, uint64_t n)
{
    return padici_num_root(context, "num_root", PADIC_OP_NUM_ROOT, out, a, n);
}

PADIC_API padic_result padic_num_sqrt(padic_context *context, const padic_num_array *out,
                                      const padic_num_array *a)
{
    return padici_num_root(context, "num_sqrt", PADIC_OP_NUM_SQRT, out, a, 2);
}

PADIC_API uint64_t padic_num_root_count(const padic_num_ring *ring, uint64_t n)
{
    if (!padici_num_ring_is(ring) || ring->composite || !n) return 0;
    return padici_num_gcd(n, ring->p == 2 ? 2 : ring->p - 1);
}

// Operands of functions whose output has its own count: planes, status, the memory of both.
PADICI_FN padic_result padici_num_series_out(padic_context *context, padici_num_memory *memory,
                                         const padic_num_array *out, padic_num_planes *planes,
                                         void **status)
{
    padic_result result = padici_num_planes_add(context, memory, out, 1, planes);
    if (!result && (out->status.dtype || out->status.data))
        result = padici_num_plane_add(context, memory, &out->status, out->count, 1u << PADIC_U8, 0,
                                      1, status);
    if (!result) padici_num_host(memory, out->sticky, sizeof *out->sticky, 2);
    return result;
}

PADICI_FN padic_result padici_num_series_in(padic_context *context, padici_num_memory *memory,
                                        const padic_num_array *a, padic_num_planes *planes)
{
    uint32_t first = memory->count;
    const padic_result result = padici_num_planes_add(context, memory, a, 0, planes);
    for (; first < memory->count; first++) memory->range[first].kind = 0; // none may coincide
    return result;
}

// Root number root->turn of each number.
PADICI_FN padic_result padici_num_root_turn(padic_context *context, const padic_num_array *out,
                                        const padic_num_array *a, const padici_root *root)
{
    return padici_num_series_call(context, "num_roots", PADIC_OP_NUM_ROOTS, (int64_t)root->n, root,
                              padici_num_roots_loop, out, a, NULL);
}

// All roots in buffers, whose planes have been checked, one root number after the other.
static PADICI_NOINLINE padic_result padici_num_roots_apart(padic_context *context,
                                                       const padic_num_array *out,
                                                       const padic_num_array *a, padici_root *root)
{
    padic_result result = PADIC_OK, one;
    root->alone = 1;
    for (root->turn = 0; root->turn < root->count; root->turn++) {
        padic_num_array part = *out;
        const uint64_t first = root->turn * a->count;
        part.count = a->count;
        part.unit.offset += first;
        part.val.offset += first;
        part.known.offset += first;
        part.status.offset += first;
        one = padici_num_root_turn(context, &part, a, root);
        if (one && one != PADIC_ERROR_DOMAIN) return one;
        if (one) result = one;
    }
    return result;
}

static padic_result padici_num_roots_check(padic_context *context, const padic_num_roots_desc *desc)
{
    const padic_num_array *const out = &desc->out, *const in = &desc->in;
    const uint64_t roots = padic_num_root_count(out->ring, desc->n);
    uint64_t count;
    if (!roots)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_roots",
                              "n is 0, or out.ring is none of a prime");
    if (!padici_num_ring_is(in->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_roots",
                              "in.ring was not made by num_ring_init");
    if (!padici_num_ring_equal(out->ring, in->ring) || out->model != in->model)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_roots",
                              "out and in are of different rings or models");
    if (!padici_mul_u64(roots, in->count, &count) || out->count != count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_roots",
                              "out.count must be num_root_count times in.count");
    return PADIC_OK;
}

// Checks that everything lies in allowed, disjoint memory; *device: 1 if that is on a device.
static padic_result padici_num_roots_memory(padic_context *context, const padic_num_array *out,
                                        const padic_num_array *a, padici_num_task *task,
                                        uint32_t *device)
{
    padici_num_memory memory;
    padic_num_planes planes;
    void *status = NULL;
    padic_result result;
    memory.count = memory.host = memory.device = 0;
    result = padici_num_series_out(context, &memory, out, &task->call.out, &status);
    padici_blame(context, result, "out", NULL, NULL);
    if (!result) {
        result = padici_num_series_in(context, &memory, a, &planes);
        padici_blame(context, result, "in", NULL, NULL);
    }
    task->call.status = (uint8_t *)status;
    if (!result) result = padici_num_overlap(memory.range, memory.count);
    if (!result && memory.device && memory.host)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL,
                              "and in lie apart, in host memory and on a device");
    if (!result && memory.device && out->ring->form > PADIC_NUM_W64)
        result = padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "out", NULL,
                              "must be in host memory in rings of more than 64 bits");
    *device = memory.device;
    return result;
}

PADIC_API padic_result padic_num_roots(padic_context *context, const padic_num_roots_desc *desc)
{
    padici_num_task task;
    padici_root root;
    padic_num_array in;
    uint32_t device;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_roots", "desc is NULL");
    result = padici_num_roots_check(context, desc);
    if (result) return result;
    in = desc->in;
    in.workspace = desc->out.workspace;
    in.workspace_size = desc->out.workspace_size;
    padici_num_task_begin(&task, "num_roots", PADIC_OP_NUM_ROOTS, padici_num_roots_loop, NULL, &in,
                          NULL, NULL);
    task.field[1] = "in";
    result = padici_num_roots_memory(context, &desc->out, &desc->in, &task, &device);
    if (result) return padici_fault(context, result, "num_roots");
    padici_num_root_init(&root, desc->out.ring, desc->n, 1);
    if (device) return padici_num_roots_apart(context, &desc->out, &desc->in, &root);
    task.call.stride = desc->in.count;
    task.call.options = &root;
    task.sticky = desc->out.sticky;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_exp(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_num_series_call(context, "num_exp", PADIC_OP_NUM_EXP, 0, NULL,
                                  padici_num_exp_loop, out, a, NULL);
}

PADIC_API padic_result padic_num_log(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, padic_num_log_branch branch)
{
    if ((uint32_t)branch > PADIC_NUM_LOG_IWASAWA)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_log",
                              "branch is none that there is");
    return padici_num_series_call(context, "num_log", PADIC_OP_NUM_LOG, (int64_t)branch, NULL,
                              padici_num_log_loop, out, a, NULL);
}

PADIC_API padic_result padic_num_pow_padic(padic_context *context, const padic_num_array *out,
                                           const padic_num_array *x, const padic_num_array *s)
{
    if (!s) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_pow_padic", "s is NULL");
    return padici_num_series_call(context, "num_pow_padic", PADIC_OP_NUM_POW_PADIC, 0, NULL,
                              padici_num_pow_padic_loop, out, x, s);
}

PADIC_API padic_result padic_num_teichmueller(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *a)
{
    return padici_num_series_call(context, "num_teichmueller", PADIC_OP_NUM_TEICHMUELLER, 0, NULL,
                              padici_num_teichmueller_loop, out, a, NULL);
}

// Tables: lays them out in 64-bit words; returns the number of words, 0 if there are none.
static uint64_t padici_num_tables_lay(const padic_num_ring *r, padici_num_tables *t)
{
    const uint64_t most = r->p > 4096 ? r->p : 4096;
    uint64_t at = (sizeof *t + 7) / 8, q = 1;
    int log;
    memset(t, 0, sizeof *t);
    if (r->p <= 65537) {
        for (; t->digits < r->precision && q * r->p <= most; q *= r->p) t->digits++;
        t->modulus = q;
        t->reciprocal = UINT64_MAX / q;
        t->p_reciprocal = UINT64_MAX / r->p;
        t->root_digits = r->p > 2 ? t->digits : t->digits > 3 ? t->digits - 1 : 2;
        t->inverse = (uint32_t)at;
        at += (q + 1) / 2;
        t->root = (uint32_t)at;
        at += (q + 1) / 2;
        if (r->p > 2 && r->p * r->words <= UINT64_C(1) << 18) {
            t->teichmueller = (uint32_t)at;
            at += (r->p + (r->form == PADIC_NUM_RX ? 8 : 0)) * r->words;
        }
    }
    if (r->form == PADIC_NUM_RX) {
        uint32_t bits;
        const uint32_t windows = padici_num_windows(r, &bits);
        if (windows) { // and working memory
            t->series[0] = (uint32_t)at;
            at += ((uint64_t)windows * r->words << bits) + 12 * (uint64_t)r->words;
            t->series[1] = (uint32_t)at;
            at += padici_num_limb_terms(r);
        }
        return t->modulus || windows ? at : 0;
    }
    for (log = 0; log < 2; log++) {
        t->series[log] = (uint32_t)at;
        at += padici_num_series_count(r, log) * r->words;
    }
    return at;
}

PADIC_API uint64_t padic_num_ring_tables_size_bound(const padic_num_ring *ring)
{
    padici_num_tables t;
    if (!padici_num_ring_is(ring) || ring->composite) return 0;
    return padici_num_tables_lay(ring, &t) * sizeof(uint64_t);
}

static void padici_num_tables_seeds(const padic_num_ring *r, const padici_num_tables *t,
                                    uint64_t *base)
{
    uint32_t *const inverse = (uint32_t *)(void *)(base + t->inverse);
    uint32_t *const root = (uint32_t *)(void *)(base + t->root);
    uint64_t i;
    memset(inverse, 0, (size_t)(t->root - t->inverse) * 16);
    for (i = 1; i < t->modulus; i++)
        if (i % r->p) inverse[i] = (uint32_t)padici_num_inverse_mod(i, t->modulus);
    for (i = 1; i < t->modulus; i++)
        if (r->p == 2 ? (i & 3) == 1 : i % r->p && i % r->p <= r->p / 2)
            root[i * i % t->modulus] = inverse[i];
}

// Of long numbers: exp(p^c 2^(w i) k) for k < 2^w, and the coefficients of the logarithm of a limb.
static void padici_num_tables_windows(const padic_num_ring *r, const padici_num_tables *t,
                                      uint64_t *base)
{
    padic_num_ring limb = *r;
    uint32_t bits, i, k;
    const uint32_t windows = padici_num_windows(r, &bits), size = r->words;
    uint64_t *to = base + t->series[0], *const temp = to + ((uint64_t)windows * size << bits);
    uint64_t *const step = temp, local[8];
    padici_num_ring_set(r, step, r->power[r->p == 2 ? 2 : 1][0]);
    padici_num_limbs_exp_log(r, 0, to, step, temp + size);
    padici_num_ring_copy(r, step, to);
    for (i = 0; i < windows; i++) {
        padici_num_ring_set(r, to, 1);
        for (k = 1; k < 1u << bits; k++, to += size) padici_num_ring_mul(r, to + size, to, step);
        padici_num_ring_mul(r, temp + size, to, step);
        padici_num_ring_copy(r, step, temp + size);
        to += size;
    }
    limb.words = 1;
    limb.top_digits = limb.precision = r->limb_digits;
    padici_num_series_make(&limb, 1, base + t->series[1], padici_num_limb_terms(r), local);
}

// Builds them in 8-byte aligned memory that is large enough.
static void padici_num_tables_make(padic_num_ring *ring, uint64_t *base)
{
    padici_num_tables t;
    uint64_t temp[16], i;
    int log;
    padici_num_tables_lay(ring, &t);
    if (t.inverse) padici_num_tables_seeds(ring, &t, base);
    for (i = 0; t.teichmueller && i < ring->p; i++) { // RX: working memory after the last one
        uint64_t *const w = base + t.teichmueller + i * ring->words;
        padici_num_ring_teichmueller(ring, w, i,
                                     ring->form == PADIC_NUM_RX ? w + ring->words : temp);
    }
    if (t.series[0] && ring->form == PADIC_NUM_RX) padici_num_tables_windows(ring, &t, base);
    for (log = 0; log < 2 && t.series[0] && ring->form != PADIC_NUM_RX; log++)
        padici_num_series_make(ring, log, base + t.series[log], padici_num_series_count(ring, log),
                               temp);
    memcpy(base, &t, sizeof t);
    ring->tables = base;
}

PADIC_API padic_result padic_num_ring_tables(padic_context *context,
                                             const padic_num_ring_tables_desc *desc)
{
    static const char *const name = "num_ring_tables";
    padic_num_ring *const ring = desc ? desc->ring : NULL;
    const padic_tensor *const memory = desc ? &desc->memory : NULL;
    uint64_t need;
    if (!padici_num_ring_is(ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !desc ? "desc is NULL" : "ring was not made by num_ring_init");
    if (ring->composite)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, name,
                              "ring has a radix that is no prime");
    ring->tables = NULL;
    need = padic_num_ring_tables_size_bound(ring);
    if (!need) return PADIC_OK;
    if (!memory->data || memory->dtype != PADIC_U8 || memory->rank != 1 || memory->stride[0] > 1 ||
        memory->stride[0] < 0)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              "memory must be U8 of rank 1, without gaps, in host memory");
    if (!padici_aligned(memory->data, 8))
        return padici_fail_in(context, PADIC_ERROR_ALIGNMENT, name,
                              "memory must be 8-byte aligned");
    if (memory->shape[0] < need)
        return padici_fail_in(context, PADIC_ERROR_CAPACITY, name,
                              "memory is too small: see num_ring_tables_size_bound");
    padici_num_tables_make(ring, (uint64_t *)memory->data);
    return PADIC_OK;
}

#endif
