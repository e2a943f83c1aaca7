#include "einsum_find.h"
#include "../core/memory.h"
#include "../core/words.h"
#include "einsum_exact.h"
#include "einsum_greedy.h"
#include "einsum_path.h"

#if PADICI_IMPLEMENT_TENSOR

// Finds a path, or takes a given one; slices it until the workspace fits.

// Fixes labels until the workspace fits: of those that make it smaller (or, when none does, of
// those that a result has) the one with the fewest flops in all.
static padic_result padici_tensor_einsum_slice(padici_tensor_einsum *e, padic_tensor_path *path,
                                               padici_tensor_einsum_cost *cost)
{
    const uint64_t limit = e->desc->memory_limit;
    while (limit && cost->workspace > limit) {
        uint32_t label, s, chosen = PADIC_TENSOR_NO_OPERAND;
        int helps = 0;
        double least = 0;
        uint64_t most = 0;
        padici_tensor_label_set any;
        any.w[0] = any.w[1] = 0;
        for (s = 0; s + 1 < path->steps; s++)
            any = padici_tensor_label_set_or(any, e->set[e->count + s]);
        for (label = 0; label < PADIC_TENSOR_MAX_LABELS; label++) {
            padici_tensor_einsum_cost then;
            int better;
            if (e->extent[label] < 2 || !padici_tensor_label_set_has(&any, label) ||
                path->slices > (UINT64_C(1) << 20) / e->extent[label])
                continue;
            e->extent[label] = 1;
            padici_tensor_einsum_measure(e, path, &then);
            e->extent[label] = e->size[label];
            better = then.workspace < cost->workspace;
            if (better < helps) continue;
            then.flops *= (double)e->size[label];
            if (chosen != PADIC_TENSOR_NO_OPERAND && better == helps &&
                (then.flops > least || (then.flops >= least && then.workspace >= most)))
                continue;
            chosen = label, helps = better, least = then.flops, most = then.workspace;
        }
        if (chosen == PADIC_TENSOR_NO_OPERAND || path->slice_count == PADIC_TENSOR_MAX_SLICED)
            return PADIC_ERROR_LIMIT;
        path->slice[path->slice_count++] = (uint8_t)chosen;
        path->slices *= e->size[chosen];
        e->extent[chosen] = 1;
        padici_tensor_einsum_measure(e, path, cost);
    }
    return cost->workspace == UINT64_MAX ? PADIC_ERROR_LIMIT : PADIC_OK;
}

// The numbers of a path from what was measured.
static void padici_tensor_einsum_totals(const padici_tensor_einsum_cost *cost,
                                        padic_tensor_path *path)
{
    if (!padici_mul_u64(cost->whole_flops, path->slices, &path->flops)) path->flops = UINT64_MAX;
    if (!padici_mul_u64(cost->whole_writes, path->slices, &path->writes))
        path->writes = UINT64_MAX;
    path->peak_bytes = cost->peak;
    path->workspace_bytes = cost->workspace;
}

// A path of somebody else: valid or not, sizes set to its slices, measured anew.
PADICI_FN padic_result padici_tensor_einsum_take(padici_tensor_einsum *e, padic_tensor_path *path)
{
    padici_tensor_einsum_cost cost;
    uint32_t i;
    path->slices = 1;
    e->fault = "path is not one of these operands";
    if (path->operands != e->count || path->slice_count > PADIC_TENSOR_MAX_SLICED ||
        !padici_tensor_einsum_path_valid(e, path))
        return PADIC_ERROR_ARGUMENT;
    for (i = 0; i < path->slice_count; i++) {
        const uint32_t label = path->slice[i];
        if (label >= PADIC_TENSOR_MAX_LABELS || e->extent[label] < 2 ||
            path->slices > (UINT64_C(1) << 20) / e->extent[label])
            return PADIC_ERROR_ARGUMENT;
        path->slices *= e->extent[label];
        e->extent[label] = 1;
    }
    padici_tensor_einsum_measure(e, path, &cost);
    padici_tensor_einsum_totals(&cost, path);
    e->fault = "workspace is larger than memory_limit, or than 2^62 bytes: it needs ";
    return cost.workspace == UINT64_MAX ||
                   (e->desc->memory_limit && cost.workspace > e->desc->memory_limit)
               ? PADIC_ERROR_LIMIT
               : PADIC_OK;
}

// Finds a path. The sizes of what is sliced are 1 afterwards.
PADICI_FN padic_result padici_tensor_einsum_find(padici_tensor_einsum *e,
                                                 const padic_allocator *allocator,
                                                 padic_tensor_path *path)
{
    const size_t size = e->count <= PADICI_TENSOR_EINSUM_EXACT
                            ? ((size_t)1 << e->count) * sizeof(padici_tensor_einsum_best)
                            : sizeof(padici_tensor_einsum_greedy);
    padici_tensor_einsum_cost cost;
    padic_result result;
    void *space;
    uint32_t i;
    if (e->desc->method != PADIC_TENSOR_METHOD_GIVEN) memset(path, 0, sizeof *path);
    path->slice_count = 0;
    path->slices = 1;
    if (e->desc->method == PADIC_TENSOR_METHOD_GIVEN) {
        e->fault = "path is not one of these operands";
        if (path->operands != e->count || !padici_tensor_einsum_path_valid(e, path))
            return PADIC_ERROR_ARGUMENT;
    } else if (e->count < 3 || e->desc->method == PADIC_TENSOR_METHOD_LEFT) {
        path->steps = e->count < 2 ? 1 : e->count - 1;
        for (i = 0; i < path->steps; i++) {
            path->left[i] = (uint8_t)(i ? e->count + i - 1 : 0);
            path->right[i] = (uint8_t)(e->count < 2 ? PADIC_TENSOR_NO_OPERAND : i + 1);
        }
    } else {
        space = padici_alloc(allocator, size, 16);
        e->fault = padic_result_text(PADIC_ERROR_MEMORY);
        if (!space) return PADIC_ERROR_MEMORY;
        if (e->count <= PADICI_TENSOR_EINSUM_EXACT)
            padici_tensor_einsum_exact(e, (padici_tensor_einsum_best *)space, path);
        else
            padici_tensor_einsum_greedy_all(e, (padici_tensor_einsum_greedy *)space, path);
        padici_free(allocator, space, size);
    }
    path->operands = e->count;
    padici_tensor_einsum_measure(e, path, &cost);
    result = padici_tensor_einsum_slice(e, path, &cost);
    padici_tensor_einsum_totals(&cost, path);
    e->fault = "workspace is larger than memory_limit, or than 2^62 bytes: it needs ";
    return result;
}

#endif
