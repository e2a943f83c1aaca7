#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "../core/splitmix.h"
#include "../core/words.h"
#include "cell.h"
#include "convert.h"
#include "ring.h"
#include "text.h"
#include "value.h"

#if PADICI_IMPLEMENT_NUM

// ---- bytes

#define PADICI_NUM_WIRE_HEAD 40u
#define PADICI_NUM_WIRE_BLOCK 65536u

// The layout of an array in bytes.
typedef struct padici_num_wire {
    uint32_t unit, val, known; // bytes of one element (val: at most)
    uint64_t seed;             // the checksum of the header
} padici_num_wire;

static padici_num_wire padici_num_wire_of(const padic_num_array *a)
{
    padici_num_wire w;
    w.unit = (a->ring->bits + 7) / 8;
    w.val = a->model == PADIC_NUM_RING ? 0 : 5;
    w.known = a->model != PADIC_NUM_BALL ? 0 : a->ring->precision > 255 ? 2 : 1;
    w.seed = 0;
    return w;
}

static uint32_t padici_num_zigzag(int32_t v)
{
    return (uint32_t)v << 1 ^ (v < 0 ? UINT32_MAX : 0);
}

PADIC_API uint64_t padic_num_write_size_bound(const padic_num_array *array)
{
    padici_num_wire w;
    uint64_t size;
    if (!array || !padici_num_ring_is(array->ring) || array->ring->composite) return 0;
    w = padici_num_wire_of(array);
    if (!padici_mul_u64(array->count, w.unit + w.val + w.known, &size) || size >> 62) return 0;
    size += PADICI_NUM_WIRE_HEAD + 12 * (array->count / PADICI_NUM_WIRE_BLOCK + 1);
    return size > (size_t)-1 / 2 ? 0 : (size_t)size;
}

// Units, valuations and known digits of a block, one after the other, without the checksum.
static uint8_t *padici_num_write_block(padic_num_call *call, padici_num_wire w, uint64_t first,
                                       uint64_t end, uint8_t *to, padici_num_cell *x,
                                       padici_num_work *work)
{
    uint64_t i;
    uint32_t k;
    for (i = first; i < end; i++, to += w.unit) {
        padici_num_cell_load(call, &call->a, i, x);
        padici_num_big_of_ring(call->ring, &work->a, x->u);
        for (k = 0; k < w.unit; k++)
            to[k] = (uint8_t)(k / 8 < work->a.n ? work->a.w[k / 8] >> 8 * (k % 8) : 0);
    }
    for (i = first; i < end && w.val; i++) {
        uint32_t v = padici_num_zigzag(padici_num_val_load(&call->a, i));
        for (; v > 127; v >>= 7) *to++ = (uint8_t)(v | 128);
        *to++ = (uint8_t)v;
    }
    for (i = first; i < end && w.known; i++, to += w.known) {
        padici_num_cell_load(call, &call->a, i, x);
        to[0] = (uint8_t)x->n;
        if (w.known > 1) to[1] = (uint8_t)(x->n >> 8);
    }
    return to;
}

// Checks the array and finds the exact size of its stream.
static padic_result padici_num_write_check(padic_context *context, const padic_num_array *array,
                                           padic_num_call *call, padici_num_work *work,
                                           uint64_t *size)
{
    padici_num_wire w;
    uint64_t i, need, bad;
    padic_result result;
    memset(call, 0, sizeof *call);
    result = padici_num_open(context, call, &call->a, array, work);
    need = result ? 0 : padic_num_write_size_bound(array);
    if (!result && !need)
        result = padici_blame(context, array->ring->composite ? PADIC_ERROR_NOT_SUPPORTED
                                                              : PADIC_ERROR_LIMIT,
                              NULL, array->ring->composite ? "ring" : "count", NULL);
    if (!result) result = padici_num_check_find(context, array, &bad);
    if (result) return padici_blame(context, result, "in", NULL, NULL);
    w = padici_num_wire_of(array);
    for (i = 0; i < array->count && w.val; i++) { // bytes that varints save
        uint32_t v = padici_num_zigzag(padici_num_val_load(&call->a, i)), n = 1;
        for (; v > 127; v >>= 7) n++;
        need -= 5 - n;
    }
    *size = need - (array->count % PADICI_NUM_WIRE_BLOCK ? 0 : 12);
    return PADIC_OK;
}

static void padici_num_write_all(const padic_num_array *array, padic_num_call *call,
                                 padici_num_work *work, uint8_t *p)
{
    padici_num_wire w = padici_num_wire_of(array);
    padici_num_cell x;
    uint64_t i;
    x.u = work->u;
    memset(p, 0, PADICI_NUM_WIRE_HEAD);
    memcpy(p, "PDN\1", 4);
    p[4] = (uint8_t)array->model;
    p[5] = (uint8_t)((2u << (uint32_t)array->model) - 1);
    padici_store64(p + 8, array->ring->p);
    padici_store64(p + 16, array->count);
    padici_store32(p + 24, array->ring->precision);
    w.seed = padici_checksum(p, 32, 0);
    padici_store64(p + 32, w.seed);
    p += PADICI_NUM_WIRE_HEAD;
    for (i = 0; i < array->count; i += PADICI_NUM_WIRE_BLOCK) {
        const uint64_t left = array->count - i,
                       n = left < PADICI_NUM_WIRE_BLOCK ? left : PADICI_NUM_WIRE_BLOCK;
        uint8_t *const end = padici_num_write_block(call, w, i, i + n, p + 4, &x, work);
        padici_store32(p, (uint32_t)(end - p) - 4);
        padici_store64(end, padici_checksum(p, (size_t)(end - p), w.seed + i));
        p = end + 8;
    }
}

PADIC_API padic_result padic_num_write(padic_context *context, const padic_num_write_desc *desc)
{
    padic_num_call call;
    padici_num_work work;
    uint64_t size = 0;
    void *at = NULL;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_write", "desc is NULL");
    result = padici_num_write_check(context, &desc->in, &call, &work, &size);
    if (!result)
        result = padici_num_bytes_at(context, "out", &desc->out,
                                     desc->out.capacity < size ? desc->out.capacity : size, &at);
    if (!result && desc->out.capacity < size)
        result = padici_blame(context, PADIC_ERROR_CAPACITY, "out", NULL,
                              "is too small: report.size is the capacity needed");
    if (!result)
        result = padici_num_bytes_apart(context, "out", at, size, &desc->in, &call.a, NULL);
    if (desc->report) desc->report->size = size;
    if (result) return padici_fault(context, result, "num_write");
    padici_num_write_all(&desc->in, &call, &work, (uint8_t *)at);
    return PADIC_OK;
}

// The header of a stream.
static padic_result padici_num_read_head(const uint8_t *p, uint64_t size, padic_num_report *head)
{
    memset(head, 0, sizeof *head);
    if (!p) return PADIC_ERROR_ARGUMENT;
    if (size < PADICI_NUM_WIRE_HEAD || memcmp(p, "PDN", 3) != 0) return PADIC_ERROR_CORRUPT;
    if (p[3] != 1) return p[3] ? PADIC_ERROR_VERSION : PADIC_ERROR_CORRUPT;
    if (padici_load64(p + 32) != padici_checksum(p, 32, 0)) return PADIC_ERROR_CHECKSUM;
    if (p[4] > PADIC_NUM_BALL || p[5] != (2u << p[4]) - 1 || p[6] | p[7] || padici_load32(p + 28))
        return PADIC_ERROR_CORRUPT;
    head->model = (padic_num_model)p[4];
    head->p = padici_load64(p + 8);
    head->count = padici_load64(p + 16);
    head->precision = padici_load32(p + 24);
    return PADIC_OK;
}

// The same for the bytes of a call.
static padic_result padici_num_read_begin(padic_context *context, const padic_bytes *bytes,
                                          const uint8_t **p, padic_num_report *head)
{
    void *at;
    padic_result result = padici_num_bytes_at(context, "bytes", bytes, bytes->size, &at);
    memset(head, 0, sizeof *head);
    *p = (const uint8_t *)at;
    if (!result) result = padici_num_read_head(*p, bytes->size, head);
    return padici_blame(context, result, "bytes", NULL,
                        result == PADIC_ERROR_ARGUMENT ? "has neither data nor a buffer"
                                                       : padic_result_text(result));
}

PADIC_API padic_result padic_num_info(padic_context *context, const padic_num_info_desc *desc)
{
    const uint8_t *p;
    padic_result result;
    if (!desc || !desc->report)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_info",
                              desc ? "report is NULL" : "desc is NULL");
    result = padici_num_read_begin(context, &desc->bytes, &p, desc->report);
    return result ? padici_fault(context, result, "num_info") : PADIC_OK;
}

// A zigzag varint of 32 bits, which must have its shortest form.
static int padici_num_varint(const uint8_t **at, const uint8_t *end, int32_t *v)
{
    uint32_t x = 0, shift = 0, byte;
    do {
        if (*at == end) return 0;
        byte = *(*at)++;
        if (shift == 28 && byte > 15) return 0;
        x |= (byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    *v = (int32_t)(x >> 1 ^ (x & 1 ? UINT32_MAX : 0));
    return byte || shift == 7;
}

// Checks the elements of a payload and writes them if `store`.
static padic_result padici_num_read_block(padic_num_call *call, padici_num_wire w, uint64_t first,
                                          uint64_t n, const uint8_t *p, const uint8_t *end,
                                          padici_num_cell *x, padici_num_work *work, int store)
{
    const padic_num_ring *r = call->ring;
    const uint8_t *const known = end - n * w.known, *val = p + n * w.unit;
    padic_num_planes wide = call->out;
    uint64_t i;
    uint32_t k;
    wide.val16 = 0; // to tell a canonical value that does not fit from a bad one
    for (i = 0; i < n; i++, p += w.unit) {
        x->v = 0;
        x->n = r->precision;
        x->bits = 0;
        work->a.n = (w.unit + 7) / 8;
        memset(work->a.w, 0, work->a.n * sizeof *work->a.w);
        for (k = 0; k < w.unit; k++) work->a.w[k / 8] |= (uint64_t)p[k] << 8 * (k % 8);
        padici_num_big_trim(&work->a);
        if (w.val && !padici_num_varint(&val, known, &x->v)) return PADIC_ERROR_CORRUPT;
        if (w.known == 1) x->n = known[i];
        if (w.known == 2) x->n = padici_load16(known + 2 * i);
        if (x->v == PADIC_NUM_NAN) {
            memset(x->u, 0, r->words * sizeof *x->u);
            if (work->a.n) x->u[0] = work->a.w[0];
            if (work->a.n > 1) return PADIC_ERROR_CORRUPT;
            x->bits = (uint32_t)x->u[0] & 255;
        } else if (!padici_num_ring_of_big(r, x->u, &work->a)) {
            return PADIC_ERROR_CORRUPT;
        }
        if (!padici_num_cell_canonical(call, &wide, x)) return PADIC_ERROR_CORRUPT;
        if (call->out.val16 && x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN &&
            (x->v > PADIC_NUM_MAX_VALUATION16 || x->v < -PADIC_NUM_MAX_VALUATION16))
            return PADIC_ERROR_LIMIT;
        if (store) padici_num_cell_store(call, first + i, x);
    }
    return w.val && val != known ? PADIC_ERROR_CORRUPT : PADIC_OK;
}

static padic_result padici_num_read_blocks(padic_num_call *call, padici_num_wire w, uint64_t count,
                                           const uint8_t *p, uint64_t left, padici_num_work *work,
                                           int store)
{
    padici_num_cell x;
    uint64_t i;
    padic_result result;
    x.u = work->u;
    for (i = 0; i < count; i += PADICI_NUM_WIRE_BLOCK) {
        const uint64_t n = count - i < PADICI_NUM_WIRE_BLOCK ? count - i : PADICI_NUM_WIRE_BLOCK;
        const uint64_t size = left < 12 ? 0 : padici_load32(p);
        if (left < 12 || size > left - 12 || size < n * (w.unit + (w.val != 0) + w.known) ||
            size > n * (w.unit + w.val + w.known))
            return PADIC_ERROR_CORRUPT;
        if (padici_load64(p + 4 + size) != padici_checksum(p, (size_t)size + 4, w.seed + i))
            return PADIC_ERROR_CHECKSUM;
        result = padici_num_read_block(call, w, i, n, p + 4, p + 4 + size, &x, work, store);
        if (result) return result;
        p += size + 12;
        left -= size + 12;
    }
    return left ? PADIC_ERROR_CORRUPT : PADIC_OK;
}

// 1 if `out` is an array for that stream.
static padic_result padici_num_read_check(padic_context *context, const padic_num_array *out,
                                          const padic_num_report *head)
{
    if (head->p != out->ring->p || head->precision != out->ring->precision ||
        head->model != out->model || out->ring->composite)
        return padici_blame(context, PADIC_ERROR_RING, "out", NULL,
                            "has another prime, precision or model than the stream: see num_info");
    if (head->count < out->count)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", "count",
                            "is more than the stream has: see num_info");
    if (head->count > out->count)
        return padici_blame(context, PADIC_ERROR_CAPACITY, "out", "count",
                            "is less than the stream has: see num_info");
    return PADIC_OK;
}

PADIC_API padic_result padic_num_read(padic_context *context, const padic_num_read_desc *desc)
{
    const uint8_t *p;
    padic_num_report head;
    padic_num_call call;
    padici_num_wire w;
    padici_num_work work;
    int store;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_read", "desc is NULL");
    result = padici_num_read_begin(context, &desc->bytes, &p, &head);
    memset(&call, 0, sizeof call);
    if (!result) {
        result = padici_num_open(context, &call, &call.out, &desc->out, &work);
        padici_blame(context, result, "out", NULL, NULL);
    }
    if (!result) result = padici_num_read_check(context, &desc->out, &head);
    if (!result)
        result = padici_num_bytes_apart(context, "bytes", p, desc->bytes.size, &desc->out,
                                        &call.out, call.status);
    if (result) return padici_fault(context, result, "num_read");
    w = padici_num_wire_of(&desc->out);
    w.seed = padici_load64(p + 32);
    for (store = 0; store < 2 && !result; store++)
        result = padici_num_read_blocks(&call, w, head.count, p + PADICI_NUM_WIRE_HEAD,
                                        desc->bytes.size - PADICI_NUM_WIRE_HEAD, &work, store);
    if (!result) return PADIC_OK;
    padici_blame(context, result, result == PADIC_ERROR_LIMIT ? "out" : "bytes",
                 result == PADIC_ERROR_LIMIT ? "val" : NULL,
                 result == PADIC_ERROR_LIMIT ? "is I16, and a valuation of the stream does not fit"
                                             : padic_result_text(result));
    return padici_fault(context, result, "num_read");
}

#undef PADICI_NUM_WIRE_HEAD
#undef PADICI_NUM_WIRE_BLOCK

#endif
