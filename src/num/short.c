#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/tensor.h"
#include "array.h"
#include "ring.h"

#if PADICI_IMPLEMENT_NUM

// ---- short ways: memory from the allocator, and the calls with descs

PADIC_API padic_result padic_num_new(padic_context *context, const padic_num_ring *ring,
                                     padic_num_model model, uint64_t count, padic_num_array *out)
{
    uint64_t size, i;
    void *memory;
    padic_result result;
    if (out) memset(out, 0, sizeof *out);
    if (!out || !padici_num_ring_is(ring) || (uint32_t)model > PADIC_NUM_BALL)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_new",
                              !out                        ? "out is NULL"
                              : !padici_num_ring_is(ring) ? "ring was not made by num_ring_init"
                                                          : "model must be RING, FLOAT or BALL");
    size = padic_num_array_size_bound(ring, model, count);
    if (!size)
        return padici_fail_in(context, PADIC_ERROR_LIMIT, "num_new", "count is above its limit");
    memory = padici_alloc(padici_allocator(context), (size_t)size, 64);
    if (!memory)
        return padici_fail_in(context, PADIC_ERROR_MEMORY, "num_new",
                              "the allocator has no memory for so many numbers");
    memset(memory, 0, (size_t)size);
    result = padic_num_place(out, ring, model, count, memory, size);
    for (i = 0; i < count && model != PADIC_NUM_RING; i++)
        ((int32_t *)out->val.data)[i] = PADIC_NUM_ZERO;
    return result;
}

PADIC_API void padic_num_free(padic_context *context, padic_num_array *array)
{
    uint64_t size;
    if (!array || !array->unit.data) return;
    size = padic_num_array_size_bound(array->ring, array->model, array->count);
    padici_free(padici_allocator(context), array->unit.data, (size_t)size); // the first plane
    memset(array, 0, sizeof *array);
}

PADIC_API padic_result padic_num_from_fractions(padic_context *context, const padic_num_ring *ring,
                                                padic_num_model model, const int64_t *numerators,
                                                const int64_t *denominators, uint64_t count,
                                                padic_num_array *out)
{
    padic_num_from_int_desc whole;
    padic_num_from_rational_desc desc;
    padic_result result = padic_num_new(context, ring, model, count, out);
    if (result) return result;
    memset(&whole, 0, sizeof whole);
    memset(&desc, 0, sizeof desc);
    whole.out = desc.out = *out;
    whole.in = desc.numerator =
        padic_tensor_1d(PADIC_I64, (void *)(uintptr_t)numerators, count);
    desc.denominator = padic_tensor_1d(PADIC_I64, (void *)(uintptr_t)denominators, count);
    result = denominators ? padic_num_from_rational(context, &desc)
                          : padic_num_from_int(context, &whole);
    if (result) padic_num_free(context, out);
    return result;
}

PADIC_API padic_result padic_num_to_fractions(padic_context *context, const padic_num_array *in,
                                              int64_t *numerators, int64_t *denominators)
{
    padic_num_to_rational_desc desc;
    if (!in)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_fractions", "in is NULL");
    memset(&desc, 0, sizeof desc);
    desc.in = *in;
    desc.numerator = padic_tensor_1d(PADIC_I64, numerators, in->count);
    desc.denominator = padic_tensor_1d(PADIC_I64, denominators, in->count);
    return padic_num_to_rational(context, &desc);
}

PADIC_API padic_result padic_num_from_digit_rows(padic_context *context,
                                                 const padic_num_ring *ring, padic_num_model model,
                                                 const uint64_t *digits, const int32_t *valuations,
                                                 uint64_t count, padic_num_array *out)
{
    padic_num_from_digits_desc desc;
    padic_result result = padic_num_new(context, ring, model, count, out);
    if (!result && valuations && model == PADIC_NUM_RING)
        result = padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_digit_rows",
                                "valuations must be NULL: a RING has none");
    if (!result) {
        memset(&desc, 0, sizeof desc);
        desc.out = *out;
        desc.digits = padic_tensor_2d(PADIC_U64, (void *)(uintptr_t)digits, count, ring->precision);
        desc.layout = PADIC_NUM_LAYOUT_ROWS;
        if (valuations)
            desc.val = padic_tensor_1d(PADIC_I32, (void *)(uintptr_t)valuations, count);
        result = padic_num_from_digits(context, &desc);
    }
    if (result) padic_num_free(context, out);
    return result;
}

PADIC_API padic_result padic_num_to_digit_rows(padic_context *context, const padic_num_array *in,
                                               uint64_t *digits, int32_t *valuations)
{
    padic_num_to_digits_desc desc;
    if (!in || !padici_num_ring_is(in->ring) || (valuations && in->model == PADIC_NUM_RING))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_digit_rows",
                              in && valuations ? "valuations must be NULL: a RING has none"
                                               : "in is NULL, or has no ring");
    memset(&desc, 0, sizeof desc);
    desc.in = *in;
    desc.digits = padic_tensor_2d(PADIC_U64, digits, in->count, in->ring->precision);
    desc.layout = PADIC_NUM_LAYOUT_ROWS;
    if (valuations) desc.val = padic_tensor_1d(PADIC_I32, valuations, in->count);
    return padic_num_to_digits(context, &desc);
}

// Reports the line number and how much of the line was valid.
static padic_result padici_num_line_fail(padic_context *context, padic_result result, uint64_t line,
                                         uint64_t offset)
{
    char space[160];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "text, line ");
    padici_text_number(&text, line, 1);
    padici_text_add(&text, ", after byte ");
    padici_text_number(&text, offset, 1);
    padici_text_add(&text, result == PADIC_ERROR_DOMAIN ? ": another prime, precision or model"
                                                        : ": no number");
    return padici_fail_in(context, result, "num_from_text", space);
}

// The length of a line in bytes, without its newline.
static uint64_t padici_num_line_length(const char *line)
{
    uint64_t n = 0;
    while (line[n] && line[n] != '\n') n++;
    return n;
}

PADIC_API padic_result padic_num_from_text(padic_context *context, const padic_num_ring *ring,
                                           padic_num_model model, const char *text,
                                           padic_num_array *out)
{
    padic_num_parse_desc desc;
    padic_num_parse_report report = {0};
    uint64_t count = 0, at, n;
    padic_result result;
    if (out) memset(out, 0, sizeof *out);
    if (!text)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_text", "text is NULL");
    for (at = 0; text[at]; count++) {
        at += padici_num_line_length(text + at);
        at += text[at] != 0;
    }
    result = padic_num_new(context, ring, model, count, out);
    if (result) return result;
    memset(&desc, 0, sizeof desc);
    desc.out = *out;
    desc.report = &report;
    for (at = 0; desc.index < count && !result; desc.index++) {
        n = padici_num_line_length(text + at);
        desc.text = padic_bytes_in(text + at, n);
        result = padic_num_parse(NULL, &desc);
        at += n + (text[at + n] != 0);
    }
    if (result) {
        padic_num_free(context, out);
        return padici_num_line_fail(context, result, desc.index, report.bad_offset);
    }
    return PADIC_OK;
}

// Prints the numbers, a newline after each, into `size` bytes at `to`, or only counts: *size
// becomes the number of bytes.
static padic_result padici_num_lines(padic_context *context, padic_num_print_desc *desc, char *to,
                                     uint64_t *size)
{
    padic_num_print_report report = {0};
    uint64_t at = 0;
    padic_result result = PADIC_OK;
    desc->report = &report;
    for (desc->index = 0; desc->index < desc->in.count && !result; desc->index++) {
        desc->out = padic_bytes_out(to ? to + at : NULL, to ? *size - at : 0);
        result = padic_num_print(context, desc);
        at += report.size;
        if (!result) to[at++] = '\n'; // otherwise the size includes the terminating 0
        if (!to && result == PADIC_ERROR_CAPACITY) result = PADIC_OK;
    }
    *size = at;
    desc->report = NULL;
    return result;
}

// The planes of an array in host memory, also that of buffers, as pointers.
static padic_result padici_num_pointers(padic_context *context, const padic_num_array *in,
                                        padic_num_array *out)
{
    padic_num_planes planes;
    padic_result result;
    *out = *in;
    if (!padici_num_ring_is(in->ring) || (uint32_t)in->model > PADIC_NUM_BALL)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_text",
                              "in has no ring, or no model that there is");
    result = padici_num_planes_of(context, in, &planes);
    padici_blame(context, result, "in", NULL, NULL);
    if (result) return padici_fault(context, result, "num_to_text");
    out->unit.data = planes.unit;
    out->val.data = planes.val;
    out->known.data = planes.known;
    memset(&out->status, 0, sizeof out->status); // text has no use for it
    return PADIC_OK;
}

PADIC_API padic_result padic_num_to_text(padic_context *context, const padic_num_array *in,
                                         padic_num_text style, padic_bytes *text)
{
    padic_num_print_desc desc;
    uint64_t size = 0;
    char *data;
    padic_result result;
    if (text) memset(text, 0, sizeof *text);
    if (!in || !text)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_text",
                              in ? "text is NULL" : "in is NULL");
    memset(&desc, 0, sizeof desc);
    result = padici_num_pointers(context, in, &desc.in);
    if (result) return result;
    desc.style = style;
    result = padici_num_lines(NULL, &desc, NULL, &size);
    if (result) {
        desc.index--;
        return padic_num_print(context, &desc); // which reports the reason
    }
    data = size < (size_t)-1 / 2
               ? (char *)padici_alloc(padici_allocator(context), (size_t)size + 1, 1)
               : NULL;
    if (!data)
        return padici_fail_in(context, PADIC_ERROR_MEMORY, "num_to_text",
                              "the allocator has no memory for the text");
    result = padici_num_lines(NULL, &desc, data, &size);
    data[size] = 0;
    *text = padic_bytes_out(data, size + 1);
    text->size = size;
    return result;
}

PADIC_API void padic_num_free_text(padic_context *context, padic_bytes *text)
{
    if (!text || !text->data) return;
    padici_free(padici_allocator(context), text->data, (size_t)text->capacity);
    memset(text, 0, sizeof *text);
}

#endif
