#include "place.h"
#include "../core/log.h"
#include "../core/view.h"
#include "../core/words.h"
#include "buffer.h"
#include "cpu.h"
#include "messages.h"

#if PADICI_IMPLEMENT_CORE

// Where ranges of buffers and elements of views lie, and whether two of them share memory.

// Where a range of a buffer lies, which is a field of the call.
PADICI_FN padic_result padici_buffer_part(padic_context *context, const char *field,
                                          padic_buffer buffer, uint64_t at, uint64_t size,
                                          padici_place *place)
{
    const padici_slot *slot;
    char space[80];
    padici_text text;
    if (!context) return PADIC_ERROR_ARGUMENT;
    slot = padici_slot_find(context, buffer);
    if (!slot) return padici_buffer_bad(context, field);
    if (size > slot->size || at > slot->size - size) {
        padici_text_begin(&text, space, sizeof space);
        padici_text_add(&text, "has ");
        padici_text_number(&text, slot->size, 1);
        padici_text_add(&text, " bytes, and the range reaches beyond them");
        return padici_fail_field(context, PADIC_ERROR_REGION, field, space);
    }
    place->mem = slot->mem;
    place->at = at;
    place->host = slot->host;
    return PADIC_OK;
}

PADICI_FN padic_result padici_buffer_range(padic_context *context, padic_buffer buffer, uint64_t at,
                                           uint64_t size, padici_place *place)
{
    return padici_buffer_part(context, "buffer", buffer, at, size, place);
}

// Where the first element of a dense view lies, on the host or the device. REGION beyond its
// buffer, ARGUMENT for a dead id; mem 0 for no memory.
PADICI_FN padic_result padici_field_place(padic_context *context, const char *field,
                                          const padic_tensor *tensor, padici_place *place)
{
    uint64_t count, at, size = padic_dtype_size(tensor->dtype);
    padic_result result = padici_tensor_check_shape(tensor, &count);
    place->mem.bits = (uint64_t)(uintptr_t)tensor->data;
    place->at = 0;
    place->host = 1;
    if (result) return padici_fail_view(context, result, NULL, tensor);
    if (tensor->data || !tensor->buffer.id) return PADIC_OK;
    if (!padici_mul_u64(tensor->offset, size, &at)) at = UINT64_MAX;
    return padici_buffer_part(context, field, tensor->buffer, at, count * size, place);
}

PADICI_FN padic_result padici_operand_place(padic_context *context, const padic_tensor *tensor,
                                            padici_place *place)
{
    return padici_field_place(context, "buffer", tensor, place);
}

PADICI_FN padic_result padici_host_pointer(padic_context *context, const padic_tensor *tensor,
                                           void **pointer)
{
    padici_place place;
    padic_result result = padici_operand_place(context, tensor, &place);
    *pointer = NULL;
    if (result) return result;
    if (!place.host)
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "the buffer is in a device's memory: download it first");
    if (place.mem.bits) *pointer = padici_mem_at(place.mem, place.at);
    return PADIC_OK;
}

// Whether two ranges share a byte. Different handles of a device are different memory; host
// pointers may point into one another.
PADICI_FN PADICI_NOINLINE int padici_places_overlap(const padici_place *a, uint64_t a_size,
                                                    const padici_place *b, uint64_t b_size)
{
    uint64_t a_at = a->at, b_at = b->at;
    if (a->host != b->host) return 0;
    if (a->host) {
        a_at += a->mem.bits;
        b_at += b->mem.bits;
    } else if (a->mem.bits != b->mem.bits) {
        return 0;
    }
    return a_at < b_at ? b_at - a_at < a_size : a_at - b_at < b_size;
}

#endif
