
// Whether axis y goes on where x ends: x is joined to it.
static int padici_einsum_join(padici_einsum_axis *x, const padici_einsum_axis *y)
{
    uint32_t k;
    if (x->has != y->has) return 0;
    for (k = 0; k < 3; k++) // y is the inner one; sizes are 2 at least
        if (x->step[k] % (int64_t)y->size || x->step[k] / (int64_t)y->size != y->step[k]) return 0;
    x->size *= y->size;
    for (k = 0; k < 3; k++) x->step[k] = y->step[k];
    return 1;
}

// The axes of a step: its labels, joined where they can be.
static void padici_einsum_axes_make(padici_einsum *e, const uint32_t node[3], int last)
{
    uint32_t i, j, k;
    e->axes = 0;
    for (i = 0; i < e->ordered; i++) {
        const uint32_t label = e->order[i];
        padici_einsum_axis *axis = &e->axis[e->axes];
        axis->has = axis->loop = 0;
        axis->size = e->extent[label];
        axis->digit = 0;
        for (k = 0; k < 3; k++) {
            if (node[k] == PADIC_TENSOR_NONE) {
                axis->step[k] = 0;
                continue;
            }
            axis->step[k] = e->row[k][label];
            if (padici_labels_has(k == 2 && last ? &e->out : &e->set[node[k]], label))
                axis->has |= 1u << k;
        }
        e->axes += axis->has != 0;
    }
    for (i = 0; i < e->axes; i++)
        for (j = 0; j < e->axes; j++)
            if (i != j && padici_einsum_join(&e->axis[i], &e->axis[j])) {
                e->axis[j] = e->axis[--e->axes];
                if (i == e->axes) i = j; // it was the last one and has moved
                j = UINT32_MAX;          // from the begin again
            }
}

// Until no tensor has more than 8 axes, the shortest of them becomes a loop around the calls. A
// tensor that does not move along any takes an axis of 1, since strides all 0 mean dense.
static void padici_einsum_loops(padici_einsum *e)
{
    for (;;) {
        uint32_t count[3] = {0, 0, 0}, moves = 4, i, k, over = 0, chosen = PADIC_TENSOR_NONE;
        for (i = 0; i < e->axes; i++)
            for (k = 0; k < 3 && !e->axis[i].loop; k++) {
                count[k] += e->axis[i].has >> k & 1;
                if (e->axis[i].step[k]) moves |= 1u << k;
            }
        for (k = 0; k < 3; k++)
            if (count[k] + (moves >> k & 1 ? 0u : 1u) > PADIC_MAX_RANK) over |= 1u << k;
        if (!over) return;
        for (i = 0; i < e->axes; i++)
            if (!e->axis[i].loop && (e->axis[i].has & over) &&
                (chosen == PADIC_TENSOR_NONE || e->axis[i].size < e->axis[chosen].size))
                chosen = i;
        e->axis[chosen].loop = 1;
    }
}

// The view of tensor k in a call: the axes that are no loops, from element `at` on.
static void padici_einsum_view(const padici_einsum *e, uint32_t k, const padic_tensor *base,
                               int64_t at, padic_tensor *view, uint8_t *labels)
{
    uint32_t i, moves = 0;
    memset(view, 0, sizeof *view);
    memset(labels, 0, PADIC_MAX_RANK);
    view->dtype = base->dtype;
    view->buffer = base->buffer;
    view->data = base->data;
    view->offset = base->offset;
    if (view->data)
        view->data = (char *)view->data + at * (int64_t)padic_dtype_size(view->dtype);
    else
        view->offset += (uint64_t)at;
    for (i = 0; i < e->axes; i++) {
        if (e->axis[i].loop || !(e->axis[i].has >> k & 1)) continue;
        labels[view->rank] = (uint8_t)(i + 1);
        view->shape[view->rank] = e->axis[i].size;
        view->stride[view->rank++] = e->axis[i].step[k];
        moves |= e->axis[i].step[k] != 0;
    }
    if (!view->rank || moves) return;
    labels[view->rank] = (uint8_t)(200 + k);
    view->shape[view->rank] = 1;
    view->stride[view->rank++] = 1;
}

// A node as a tensor of any shape: an operand, the result or a part of the workspace.
static void padici_einsum_base(const padici_einsum *e, const padic_tensor *workspace, uint32_t node,
                               int last, padic_tensor *base)
{
    static const double one = 1;
    static const float single = 1;
    const uint32_t paired = node == PADIC_TENSOR_NONE ? 0u : e->paired[node];
    uint64_t at;
    if (last || node < e->count) {
        *base = last ? e->desc->out.tensor : e->desc->operands[node].tensor;
        return;
    }
    memset(base, 0, sizeof *base);
    base->dtype = e->unit == 8 ? (paired ? PADIC_C128 : PADIC_F64) : paired ? PADIC_C64 : PADIC_F32;
    if (node == PADIC_TENSOR_NONE) {
        base->data = (void *)(uintptr_t)(e->unit == 8 ? (const void *)&one : (const void *)&single);
        return;
    }
    at = e->place[node];
    base->buffer = workspace->buffer;
    if (workspace->data)
        base->data = (char *)workspace->data + at;
    else
        base->offset = (workspace->offset + at) / padic_dtype_size(base->dtype);
}

// Where an operand, or the result, stands in this slice.
static int64_t padici_einsum_offset(const padici_einsum *e, const padic_tensor_path *path,
                                    uint32_t node, int last)
{
    const int64_t *steps;
    int64_t at = 0;
    uint32_t i;
    if (!last && node >= e->count) return 0;
    steps = e->step[last ? PADIC_TENSOR_MAX_OPERANDS : node];
    for (i = 0; i < path->slice_count; i++)
        at += (int64_t)e->digit[i] * steps[path->slice[i]];
    return at;
}

static padic_result padici_einsum_step(padici_einsum *e, padic_context *context,
                                       const padic_tensor_path *path, uint32_t s,
                                       const padic_tensor *workspace, int more)
{
    const int last = s + 1 == path->steps;
    const uint32_t node[3] = {path->left[s], path->right[s], e->count + s};
    padic_tensor_contract_desc call;
    padic_tensor base[3];
    int64_t at[3];
    padic_result result;
    uint32_t i, k;
    memset(&call, 0, sizeof call);
    call.math = e->desc->math;
    for (k = 0; k < 3; k++) {
        const int out = k == 2 && last;
        if (node[k] != PADIC_TENSOR_NONE) padici_einsum_row(e, k, node[k], out);
        padici_einsum_base(e, workspace, node[k], out, &base[k]);
        at[k] = padici_einsum_offset(e, path, node[k], out);
        if (k < 2 && node[k] < e->count && e->paired[node[k]] && e->desc->operands[node[k]].conj)
            call.conj |= 1u << k;
    }
    padici_einsum_axes_make(e, node, last);
    padici_einsum_loops(e);
    do {
        int again = more && last; // something has been written there
        for (i = 0; i < e->axes; i++)
            again |= e->axis[i].digit && !(e->axis[i].has & 4);
        call.beta[0] = again;
        padici_einsum_view(e, 0, &base[0], at[0], &call.a, call.labels_a);
        padici_einsum_view(e, 1, &base[1], at[1], &call.b, call.labels_b);
        padici_einsum_view(e, 2, &base[2], at[2], &call.c, call.labels_c);
        result = padic_tensor_contract(context, &call);
        for (i = 0; i < e->axes; i++) { // the loops go on
            padici_einsum_axis *axis = &e->axis[i];
            if (!axis->loop) continue;
            axis->digit++;
            for (k = 0; k < 3; k++) at[k] += axis->step[k];
            if (axis->digit < axis->size) break;
            for (k = 0; k < 3; k++) at[k] -= (int64_t)axis->size * axis->step[k];
            axis->digit = 0;
        }
    } while (!result && i < e->axes);
    return result;
}

// All slices. Of what a result's element is the sum of, the first slice writes, later ones add.
static padic_result padici_einsum_run(padici_einsum *e, padic_context *context,
                                      const padic_tensor_path *path, const padic_tensor *workspace)
{
    padici_steps steps;
    padic_result result = PADIC_OK;
    uint32_t s, i;
    padici_steps_begin(&steps, NULL, padici_progress(context), path->slices * path->steps);
    padici_einsum_sort(e, path->steps);
    memset(e->digit, 0, sizeof e->digit);
    do {
        int more = 0;
        for (i = 0; i < path->slice_count; i++)
            more |= e->digit[i] && !padici_labels_has(&e->out, path->slice[i]);
        for (s = 0; s < path->steps && !result; s++) {
            result = padici_einsum_step(e, context, path, s, workspace, more);
            if (!result && padici_steps_more(&steps, 1))
                result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it midway");
        }
        for (i = 0; i < path->slice_count; i++) {
            if (++e->digit[i] < e->size[path->slice[i]]) break;
            e->digit[i] = 0;
        }
    } while (!result && i < path->slice_count);
    return result;
}

// Says the fault with its character or the bytes needed.
static padic_result padici_einsum_say(padic_context *context, const padici_einsum *e,
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

static padic_result padici_tensor_path_find_named(padic_context *context,
                                                  const padic_tensor_einsum_desc *desc,
                                                  padic_tensor_path *path)
{
    const padic_allocator *allocator = padici_allocator(context);
    padici_einsum *e;
    padic_result result;
    if (!desc || !path)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or path is NULL");
    path->position = 0;
    e = (padici_einsum *)padici_alloc(allocator, sizeof *e, 16);
    if (!e) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of memory");
    result = padici_einsum_begin(e, desc);
    if (result) {
        path->position = e->placed ? e->at : 0;
        (void)padici_einsum_say(context, e, result, 0);
    } else {
        result = padici_einsum_find(e, allocator, path);
        if (result)
            (void)padici_einsum_say(context, e, result,
                                    result == PADIC_ERROR_LIMIT ? path->workspace_bytes : 0);
    }
    padici_free(allocator, e, sizeof *e);
    return result;
}

PADIC_API padic_result padic_tensor_path_find(padic_context *context,
                                              const padic_tensor_einsum_desc *desc,
                                              padic_tensor_path *path)
{
    const char *before = padici_enter(context, "tensor_path_find");
    const padic_result result = padici_tensor_path_find_named(context, desc, path);
    padici_leave(context, before);
    return result;
}

static uint64_t padici_einsum_hash(const padici_einsum *e)
{
    uint64_t hash = e->desc->memory_limit;
    const uint32_t words[4] = {e->count, e->desc->method, e->desc->objective, e->unit};
    hash = padici_checksum(words, sizeof words, hash);
    hash = padici_checksum(e->size, sizeof e->size, hash);
    hash = padici_checksum(e->set, sizeof e->set, hash); // 0 beyond the operands
    hash = padici_checksum(e->paired, sizeof e->paired, hash);
    return padici_checksum(&e->out, sizeof e->out, hash);
}

// Given, kept or found: a valid path, measured, its slices' sizes 1.
static padic_result padici_einsum_path(padici_einsum *e, padic_context *context,
                                       padic_tensor_path *path)
{
    const padic_tensor_einsum_desc *desc = e->desc;
    // From left to right a path is found as fast as one that is kept.
    const int plain = !desc->memory_limit && desc->method == PADIC_TENSOR_LEFT;
    padici_einsum_kept *kept = context && !plain ? padici_context_einsum(context) : NULL;
    const uint64_t hash = kept ? padici_einsum_hash(e) : 0;
    padic_result result;
    if (e->desc->path || (kept && kept->hash == hash)) {
        *path = e->desc->path ? *e->desc->path : kept->path;
        return padici_einsum_take(e, path);
    }
    e->fault = "method is GIVEN, but path is NULL";
    if (e->desc->method == PADIC_TENSOR_GIVEN) return PADIC_ERROR_ARGUMENT;
    result = padici_einsum_find(e, padici_allocator(context), path);
    if (!result && kept) {
        kept->path = *path;
        kept->hash = hash;
    }
    return result;
}

// No output shares memory with anything: the result with no operand, the workspace with neither.
static padic_result padici_einsum_places(padici_einsum *e, padic_context *context,
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
            return padici_einsum_say(context, e, PADIC_ERROR_OVERLAP, 0);
    }
    return code;
}

// The caller's workspace, or a buffer from the pool; without a context memory, to be freed.
static padic_result padici_einsum_workspace(padici_einsum *e, padic_context *context,
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
            return padici_einsum_say(context, e, PADIC_ERROR_ARGUMENT, 0);
        e->fault = "workspace is too small: it needs ";
        if (count < bytes) return padici_einsum_say(context, e, PADIC_ERROR_CAPACITY, bytes);
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

static padic_result padici_einsum_do(padici_einsum *e, padic_context *context,
                                     const padic_tensor_einsum_desc *desc)
{
    padic_tensor_path path;
    padic_tensor workspace;
    padic_result result = padici_einsum_begin(e, desc), freed;
    uint32_t i, none = 0;
    if (result) return padici_einsum_say(context, e, result, 0);
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) none |= !e->size[i];
    memset(&path, 0, sizeof path);
    if (!none) {
        result = padici_einsum_path(e, context, &path);
        if (result)
            return padici_einsum_say(context, e, result,
                                     result == PADIC_ERROR_LIMIT ? path.workspace_bytes : 0);
    }
    result = padici_einsum_workspace(e, context, path.workspace_bytes, &workspace);
    if (result) return result;
    result = padici_einsum_places(e, context, &workspace, path.workspace_bytes);
    if (!result && none) { // nothing to sum: zeros, if there is anywhere to write them
        padic_fill_desc fill;
        memset(&fill, 0, sizeof fill);
        fill.tensor = desc->out.tensor;
        result = padic_fill(context, &fill);
    } else if (!result) {
        result = padici_einsum_run(e, context, &path, &workspace);
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
    padici_einsum *e;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    e = (padici_einsum *)padici_alloc(allocator, sizeof *e, 16);
    if (!e) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of memory");
    result = padici_einsum_do(e, context, desc);
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
