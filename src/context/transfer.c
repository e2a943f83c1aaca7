#include "../core/platform.h"
#include "messages.h"
#include "operation.h"
#include "place.h"
#include "state.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// Buffers to and from the host, and from one to another.

static padic_result padici_buffer_upload_named(padic_context *context, padic_buffer buffer,
                                               uint64_t at, const void *data, uint64_t size)
{
    padici_place to, from;
    padic_result result = padici_buffer_range(context, buffer, at, size, &to);
    if (result) return result;
    if (!data && size)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "data is NULL: give size bytes");
    from.mem.bits = (uint64_t)(uintptr_t)data;
    from.at = 0;
    from.host = 1;
    return padici_target_move(context, &context->targets[0], &to, &from, size);
}

PADICI_ENTRY(buffer_upload,
             (padic_context *context, padic_buffer buffer, uint64_t at, const void *data,
              uint64_t size),
             (context, buffer, at, data, size))

static padic_result padici_buffer_download_named(padic_context *context, padic_buffer buffer,
                                                 uint64_t at, void *data, uint64_t size)
{
    padici_place to, from;
    padic_result result = padici_buffer_range(context, buffer, at, size, &from);
    if (result) return result;
    if (!data && size)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "data is NULL: give room for size bytes");
    to.mem.bits = (uint64_t)(uintptr_t)data;
    to.at = 0;
    to.host = 1;
    return padici_target_move(context, &context->targets[0], &to, &from, size);
}

PADICI_ENTRY(buffer_download,
             (padic_context *context, padic_buffer buffer, uint64_t at, void *data, uint64_t size),
             (context, buffer, at, data, size))

static padic_result padici_buffer_copy_named(padic_context *context, padic_buffer to,
                                             uint64_t to_at, padic_buffer from, uint64_t from_at,
                                             uint64_t size)
{
    padici_place target, source;
    padic_result result = padici_buffer_part(context, "to", to, to_at, size, &target);
    if (!result) result = padici_buffer_part(context, "from", from, from_at, size, &source);
    if (result || !size) return result;
    if (padici_places_overlap(&target, size, &source, size))
        return padici_fail_here(context, PADIC_ERROR_OVERLAP,
                                "the ranges of to and from share bytes: copy through another "
                                "buffer");
    return padici_target_move(context, &context->targets[0], &target, &source, size);
}

PADICI_ENTRY(buffer_copy,
             (padic_context *context, padic_buffer to, uint64_t to_at, padic_buffer from,
              uint64_t from_at, uint64_t size),
             (context, to, to_at, from, from_at, size))

static padic_result padici_buffer_fill_named(padic_context *context, padic_buffer buffer,
                                             uint64_t at, uint32_t word, uint64_t size)
{
    padici_place to = {{0}, 0, 0};
    padic_result result = padici_buffer_range(context, buffer, at, size, &to);
    if (result) return result;
    if ((at | size) & 3)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "at and size must be multiples of 4, for a word is repeated");
    if (!size) return PADIC_OK;
    // Borrowed host memory is not the device's.
    return padici_target_fill(context,
                              &context->targets[to.host ? context->target_count - 1 : 0], to.mem,
                              at, word, size);
}

PADICI_ENTRY(buffer_fill,
             (padic_context *context, padic_buffer buffer, uint64_t at, uint32_t word,
              uint64_t size),
             (context, buffer, at, word, size))

#endif
