#include "../context/buffer.h"
#include "../context/messages.h"
#include "../context/operands.h"
#include "../context/operation.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/platform.h"
#include "../core/splitmix.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "einsum_expression.h"
#include "einsum_find.h"
#include "einsum_steps.h"

#if PADICI_IMPLEMENT_TENSOR

// The calls of einsum: a path that is given, kept or found, and the workspace.

// Says the fault with its character or the bytes needed.
static padic_result padici_tensor_einsum_say(padic_context *context, const padici_tensor_einsum *e,
                                             padic_result result, uint64_t bytes)
{
    padici_text text;
    char space[192];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, e->fault);
    if (e->placed) {
        padici_text_add(&text, " (at character ");
        padici_text_number(&text, e->at, 1);
        padici_text_add(&text, ")");
    } else if (bytes) {
        padici_text_number(&text, bytes, 1);
        padici_text_add(&text, " bytes");
    }
    return padici_fail_here(context, result, space);
}

static padic_result padici_tensor_einsum_info_named(padic_context *context,
                                                    const padic_tensor_einsum_desc *desc,
                                                    padic_tensor_path *path)
{
    const padic_allocator *allocator = padici_allocator(context);
    padici_tensor_einsum *e;
    padic_result result;
    if (!desc || !path)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or path is NULL");
    if (desc->method == PADIC_TENSOR_METHOD_GIVEN && !desc->path)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "method is GIVEN, but path is NULL");
    if (desc->method == PADIC_TENSOR_METHOD_GIVEN && path != desc->path) *path = *desc->path;
    path->position = 0;
    e = (padici_tensor_einsum *)padici_alloc(allocator, sizeof *e, 16);
    if (!e) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of memory");
    result = padici_tensor_einsum_begin(e, desc);
    if (result) {
        path->position = e->placed ? e->at : 0;
        (void)padici_tensor_einsum_say(context, e, result, 0);
    } else {
        result = padici_tensor_einsum_find(e, allocator, path);
        if (result)
            (void)padici_tensor_einsum_say(context, e, result,
                                           result == PADIC_ERROR_LIMIT ? path->workspace_bytes : 0);
    }
    padici_free(allocator, e, sizeof *e);
    return result;
}

PADIC_API padic_result padic_tensor_einsum_info(padic_context *context,
                                                const padic_tensor_einsum_desc *desc,
                                                padic_tensor_path *path)
{
    const char *before = padici_enter(context, "tensor_einsum_info");
    const padic_result result = padici_tensor_einsum_info_named(context, desc, path);
    padici_leave(context, before);
    return result;
}

PADIC_API uint64_t padic_tensor_einsum_workspace(padic_context *context,
                                                 const padic_tensor_einsum_desc *desc)
{
    const char *before = padici_enter(context, "tensor_einsum_workspace");
    padic_tensor_path path;
    padic_result result = PADIC_OK;
    if (desc && desc->path)
        path = *desc->path;
    else
        result = padici_tensor_einsum_info_named(context, desc, &path);
    padici_leave(context, before);
    if (result) return 0;
    return path.workspace_bytes ? path.workspace_bytes : 64;
}

static uint64_t padici_tensor_einsum_hash(const padici_tensor_einsum *e)
{
    uint64_t hash = e->desc->memory_limit;
    const uint32_t words[4] = {e->count, (uint32_t)e->desc->method, (uint32_t)e->desc->objective,
                               e->unit};
    hash = padici_checksum(words, sizeof words, hash);
    hash = padici_checksum(e->size, sizeof e->size, hash);
    hash = padici_checksum(e->set, sizeof e->set, hash); // 0 beyond the operands
    hash = padici_checksum(e->paired, sizeof e->paired, hash);
    return padici_checksum(&e->out, sizeof e->out, hash);
}

// Given, kept or found: a valid path, measured, its slices' sizes 1.
static padic_result padici_tensor_einsum_path(padici_tensor_einsum *e, padic_context *context,
                                              padic_tensor_path *path)
{
    const padic_tensor_einsum_desc *desc = e->desc;
    // From left to right a path is found as fast as one that is kept.
    const int plain = !desc->memory_limit && desc->method == PADIC_TENSOR_METHOD_LEFT;
    padici_tensor_einsum_kept *kept = context && !plain ? padici_context_einsum(context) : NULL;
    const uint64_t hash = kept ? padici_tensor_einsum_hash(e) : 0;
    padic_result result;
    if (e->desc->path || (kept && kept->hash == hash)) {
        *path = e->desc->path ? *e->desc->path : kept->path;
        return padici_tensor_einsum_take(e, path);
    }
    e->fault = "method is GIVEN, but path is NULL";
    if (e->desc->method == PADIC_TENSOR_METHOD_GIVEN) return PADIC_ERROR_ARGUMENT;
    result = padici_tensor_einsum_find(e, padici_allocator(context), path);
    if (!result && kept) {
        kept->path = *path;
        kept->hash = hash;
    }
    return result;
}

// No output shares memory with anything: the result with no operand, the workspace with neither.
static padic_result padici_tensor_einsum_places(padici_tensor_einsum *e, padic_context *context,
                                                padic_tensor *workspace, uint64_t bytes)
{
    padici_operand out, space, one;
    padic_tensor result = e->desc->out.tensor, t;
    padic_result code;
    uint32_t i;
    memset(&out, 0, sizeof out);
    memset(&space, 0, sizeof space);
    out.name = "out";
    out.tensor = &result;
    space.name = "workspace";
    space.tensor = workspace;
    code = padici_operand_find(context, &out, padic_tensor_count(&result));
    if (!code && bytes) code = padici_operand_find(context, &space, bytes);
    for (i = 0; i <= e->count && !code; i++) {
        memset(&one, 0, sizeof one);
        t = i < e->count ? e->desc->operands[i].tensor : result;
        one.name = "operands";
        one.tensor = &t;
        code = padici_operand_find(context, &one, padic_tensor_count(&t));
        if (code || !one.bytes) continue;
        e->fault = i < e->count ? "one of the operands shares memory with out or workspace"
                                : "workspace shares memory with out";
        if ((i < e->count && out.bytes && padici_operands_overlap(&out, &one)) ||
            (space.bytes && padici_operands_overlap(&space, &one)))
            return padici_tensor_einsum_say(context, e, PADIC_ERROR_OVERLAP, 0);
    }
    return code;
}

// The caller's workspace, or a buffer from the pool; without a context memory, to be freed.
static padic_result padici_tensor_einsum_workspace(padici_tensor_einsum *e, padic_context *context,
                                                   uint64_t bytes, padic_tensor *workspace)
{
    padic_buffer_desc desc;
    padic_buffer buffer;
    const padic_tensor *given = &e->desc->workspace;
    uint64_t count = 0;
    padic_result result;
    memset(workspace, 0, sizeof *workspace);
    e->placed = 0;
    if (!bytes) return PADIC_OK;
    if (given->data || given->buffer.id) {
        e->fault = "workspace is not U8, dense, at a multiple of 16 bytes of its buffer";
        result = padici_tensor_check_view(given, 0, &count);
        if (result || given->dtype != PADIC_U8 || given->rank != 1 ||
            (given->stride[0] && given->stride[0] != 1) || (!given->data && given->offset % 16))
            return padici_tensor_einsum_say(context, e, PADIC_ERROR_ARGUMENT, 0);
        e->fault = "workspace is too small: it needs ";
        if (count < bytes) return padici_tensor_einsum_say(context, e, PADIC_ERROR_CAPACITY, bytes);
        *workspace = padic_tensor_1d(PADIC_U8, given->data, bytes);
        workspace->buffer = given->buffer;
        workspace->offset = given->offset;
        return PADIC_OK;
    }
    if (!context) { // as much of malloc
        size_t size = (size_t)bytes;
        *workspace = padic_tensor_1d(PADIC_U8, NULL, bytes);
        if (size == bytes) workspace->data = padici_alloc(NULL, size, 64);
        return workspace->data ? PADIC_OK : PADIC_ERROR_MEMORY;
    }
    memset(&desc, 0, sizeof desc);
    desc.size = bytes;
    result = padic_buffer_create(context, &desc, &buffer);
    if (!result)
        *workspace = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, bytes), buffer, 0);
    return result;
}

static padic_result padici_tensor_einsum_do(padici_tensor_einsum *e, padic_context *context,
                                            const padic_tensor_einsum_desc *desc)
{
    padic_tensor_path path;
    padic_tensor workspace;
    padic_result result = padici_tensor_einsum_begin(e, desc), freed;
    uint32_t i, none = 0;
    if (result) return padici_tensor_einsum_say(context, e, result, 0);
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) none |= !e->size[i];
    memset(&path, 0, sizeof path);
    if (!none) {
        result = padici_tensor_einsum_path(e, context, &path);
        if (result)
            return padici_tensor_einsum_say(context, e, result,
                                            result == PADIC_ERROR_LIMIT ? path.workspace_bytes : 0);
    }
    result = padici_tensor_einsum_workspace(e, context, path.workspace_bytes, &workspace);
    if (result) return result;
    result = padici_tensor_einsum_places(e, context, &workspace, path.workspace_bytes);
    if (!result && none) { // nothing to sum: zeros, if there is anywhere to write them
        padic_fill_desc fill;
        memset(&fill, 0, sizeof fill);
        fill.tensor = desc->out.tensor;
        result = padic_fill(context, &fill);
    } else if (!result) {
        result = padici_tensor_einsum_run(e, context, &path, &workspace);
    }
    if (workspace.buffer.id && !desc->workspace.buffer.id) {
        freed = padic_buffer_destroy(context, workspace.buffer);
        if (!result) result = freed;
    }
    if (!context && !desc->workspace.data)
        padici_free(NULL, workspace.data, (size_t)path.workspace_bytes);
    return result;
}

static padic_result padici_tensor_einsum_named(padic_context *context,
                                               const padic_tensor_einsum_desc *desc)
{
    const padic_allocator *allocator = padici_allocator(context);
    padici_tensor_einsum *e;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    e = (padici_tensor_einsum *)padici_alloc(allocator, sizeof *e, 16);
    if (!e) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of memory");
    result = padici_tensor_einsum_do(e, context, desc);
    padici_free(allocator, e, sizeof *e);
    return result;
}

PADIC_API padic_result padic_tensor_einsum(padic_context *context,
                                           const padic_tensor_einsum_desc *desc)
{
    const char *before = padici_enter(context, "tensor_einsum");
    const padic_result result = padici_tensor_einsum_named(context, desc);
    padici_leave(context, before);
    return result;
}

#endif
