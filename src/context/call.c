// Operations.

// Finds the memory of an operand and checks that the view stays inside.
static padic_result padici_operand_find(padic_context *context, padici_operand *o, uint64_t count)
{
    const padic_tensor *t = o->tensor;
    const uint64_t size = padic_dtype_size(t->dtype);
    const padici_slot *slot;
    uint64_t at;
    o->block = PADICI_NO_BLOCK;
    o->dense = 1;
    o->bytes = count ? padici_tensor_span(t, &o->dense, &o->before) : 0;
    o->home.host = 1;
    o->home.at = o->before;
    o->home.mem.bits = (uint64_t)(uintptr_t)t->data - o->before;
    if (!t->data && t->buffer.id) {
        slot = context ? padici_slot_find(context, t->buffer) : NULL;
        if (!slot)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, o->name,
                                     "is in a buffer that is destroyed or another context's");
        if (!padici_mul_u64(t->offset, size, &at) || at < o->before || o->bytes > slot->size ||
            at - o->before > slot->size - o->bytes)
            return padici_fail_field(context, PADIC_ERROR_REGION, o->name,
                                     "reaches beyond its buffer");
        o->home.mem = slot->mem;
        o->home.at = at;
        o->home.host = slot->host;
    } else if (!t->data && count) {
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, o->name,
                                 "has elements, but neither data nor a buffer");
    }
    o->now = o->home;
    return PADIC_OK;
}

static int padici_operands_overlap(const padici_operand *a, const padici_operand *b)
{
    padici_place first = a->home, second = b->home;
    first.at -= a->before;
    second.at -= b->before;
    return padici_places_overlap(&first, a->bytes, &second, b->bytes);
}

// "out shares memory with psi".
static padic_result padici_fail_overlap(padic_context *context, const padici_operand *out,
                                        const padici_operand *other)
{
    char space[160];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "shares memory with ");
    padici_text_add(&text, other->name ? other->name : "another tensor");
    return padici_fail_field(context, PADIC_ERROR_OVERLAP, out->name, space);
}

// Copies the desc and validates everything about it.
static padic_result padici_call_begin(padici_call *call, padic_context *context, uint32_t op,
                                      const void *desc)
{
    uint32_t i, j;
    padic_result result;
    memset(call, 0, sizeof *call);
    if (op == PADIC_OP_NONE || op >= PADIC_OP_COUNT)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "supports",
                              "op is no operation: choose a padic_op");
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    call->context = context;
    call->op = op;
    memcpy(&call->desc, desc, padici_op_rows[op].desc_size);
    call->operand_count = (*padici_op_rows[op].operands)(&call->desc, call->operands);
    for (i = 0; i < call->operand_count; i++) {
        uint64_t count;
        result = padici_tensor_check_view(call->operands[i].tensor, call->operands[i].any_stride,
                                          &count);
        if (result)
            return padici_fail_view(context, result, call->operands[i].name,
                                    call->operands[i].tensor);
        result = padici_operand_find(context, &call->operands[i], count);
        if (result) return result;
        if (count > call->count) call->count = count;
    }
    result = (*padici_op_rows[op].check)(context, &call->desc);
    if (result) return result;
    for (i = 0; i < call->operand_count; i++)
        for (j = 0; j < call->operand_count; j++) {
            const padici_operand *a = &call->operands[i], *b = &call->operands[j];
            if (i != j && a->out && a->bytes && b->bytes && padici_operands_overlap(a, b))
                return padici_fail_overlap(context, a, b);
        }
    return PADIC_OK;
}

// How a target does the call: 0 not at all, 1 by its own run, 2 by the driver, 3 by kernels.
static int padici_call_way(padici_call *call, padici_target *target)
{
    const padic_backend *backend = target->backend;
    const padici_op_row *row = &padici_op_rows[call->op];
    if (backend->run && !(*backend->run)(target->device, call->op, &call->desc, 1)) return 1;
    if (padici_target_is_host(target)) return 0;
    if (row->driver && !(*row->driver)(call, target, 1)) return 2;
    if (backend->drive && !(*backend->drive)(call->context, call->op, call, 1)) return 3;
    return 0;
}

// Whether a target comes into question: devices reach host operands by moving them, except that
// what moves anyway (a copy) stays on the host when both its ends lie there.
static int padici_call_eligible(const padici_call *call, const padici_target *target)
{
    uint32_t i;
    if (padici_target_is_host(target) || !padici_op_rows[call->op].mixed) return 1;
    for (i = 0; i < call->operand_count; i++)
        if (!call->operands[i].home.host) return 1;
    return 0;
}

// The first target that does the call, from number *index on, and how; 0 for none. *first becomes
// the number of the first that comes into question.
static int padici_call_choose(padici_call *call, uint32_t *index, uint32_t *first)
{
    padic_context *context = call->context;
    *first = PADICI_NO_BLOCK;
    for (; *index < context->target_count; ++*index) {
        int way;
        if (!padici_call_eligible(call, &context->targets[*index])) continue;
        if (*first == PADICI_NO_BLOCK) *first = *index;
        way = padici_call_way(call, &context->targets[*index]);
        if (way) return way;
        if (context->strict) break;
    }
    return 0;
}

static padic_result padici_call_refused(const padici_call *call)
{
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, padici_op_rows[call->op].name);
    padici_text_add(&text, ": not done by ");
    padici_text_add(&text, call->context->targets[0].backend->name);
    padici_text_add(&text, ", and this context is strict: name a second backend or none");
    return padici_fail(call->context, PADIC_ERROR_NOT_SUPPORTED, space);
}

static void padici_call_log_fallback(const padici_call *call, uint32_t first, uint32_t index)
{
    padic_context *context = call->context;
    padici_text text;
    char space[160];
    context->stats.ops[call->op].fallbacks++;
    if (context->logged[call->op]) return;
    context->logged[call->op] = 1;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, padici_op_rows[call->op].name);
    padici_text_add(&text, ": not done by ");
    padici_text_add(&text, context->targets[first].backend->name);
    padici_text_add(&text, " but by ");
    padici_text_add(&text, context->targets[index].backend->name);
    padici_text_add(&text, " (said once)");
    padici_log_write(&context->log, PADIC_LOG_WARNING, call->op, space);
}

// Moves one operand to where the target can reach it, into a block of the pool there.
static padic_result padici_operand_move(const padici_call *call, padici_operand *o,
                                        const padici_target *target)
{
    padic_context *context = call->context;
    const uint32_t host = (uint32_t)padici_target_is_host(target);
    padici_pool *pool = &context->pools[host];
    padici_place home = o->home, now;
    padic_result result = padici_pool_take(context, pool, o->bytes, &o->block);
    if (result) {
        o->block = PADICI_NO_BLOCK;
        return result;
    }
    now.mem = pool->blocks[o->block].mem;
    now.at = 0;
    now.host = host;
    o->now = now;
    o->now.at = o->before;
    home.at -= o->before;
    if (o->out == 1 && o->dense) return PADIC_OK; // all of it will be written
    context->stats.ops[call->op].staged_bytes += o->bytes;
    return padici_target_move(context, &context->targets[0], &now, &home, o->bytes);
}

// Moves what was written back to its home, if the work was done, and gives the block back.
static padic_result padici_operand_return(const padici_call *call, padici_operand *o, int done)
{
    padic_context *context = call->context;
    padic_result result = PADIC_OK;
    if (o->block == PADICI_NO_BLOCK) return PADIC_OK;
    if (done && o->out) {
        context->stats.ops[call->op].staged_bytes += o->bytes;
        result = padici_target_move(context, &context->targets[0], &o->home, &o->now, o->bytes);
    }
    padici_pool_give(context, &context->pools[o->now.host], o->block);
    o->block = PADICI_NO_BLOCK;
    o->now = o->home;
    return result;
}

// Does the call on one target. Operands are moved unless it takes them as they lie.
static padic_result padici_call_do(padici_call *call, padici_target *target, int way)
{
    const padici_op_row *row = &padici_op_rows[call->op];
    const uint32_t host = (uint32_t)padici_target_is_host(target);
    padic_result result = PADIC_OK, returned;
    uint32_t i;
    int done;
    for (i = 0; i < call->operand_count && !result; i++) {
        padici_operand *o = &call->operands[i];
        if (o->now.host != host && o->bytes && !(way == 2 && row->mixed))
            result = padici_operand_move(call, o, target);
        o->tensor->buffer.id = 0;
        o->tensor->offset = o->now.at / padic_dtype_size(o->tensor->dtype);
        o->tensor->data = (void *)(uintptr_t)o->now.mem.bits;
        if (host) { // host pointers need no offset
            o->tensor->data = padici_mem_at(o->now.mem, o->now.at);
            o->tensor->offset = 0;
        }
    }
    if (!result && way == 2) {
        result = (*row->driver)(call, target, 0);
    } else if (!result && way == 3) {
        result = (*target->backend->drive)(call->context, call->op, call, 0);
    } else if (!result) {
        result = padici_target_begin(call->context, target);
        if (!result) result = (*target->backend->run)(target->device, call->op, &call->desc, 0);
        if (result != PADIC_ERROR_NOT_SUPPORTED)
            result = padici_target_end(call->context, target, result);
    }
    done = !result || (row->partial && (result == PADIC_ERROR_NOT_FINITE ||
                                        result == PADIC_ERROR_DOMAIN));
    for (i = 0; i < call->operand_count; i++) {
        returned = padici_operand_return(call, &call->operands[i], done);
        if (!result) result = returned;
    }
    return result;
}

// While recording, only work that the device keeps: its launches, or its own way when it records.
static padic_result padici_call_recordable(const padici_call *call, uint32_t index, int way)
{
    padic_context *context = call->context;
    if (!context->recording || (!index && way >= 2)) return PADIC_OK;
    if (!index && context->recordings[context->recording - 1].native) return PADIC_OK;
    return padici_refuse(context, "an operation that the device does not do by launches");
}

static padic_result padici_call_run(padici_call *call, uint32_t *index)
{
    padic_context *context = call->context;
    uint32_t first = PADICI_NO_BLOCK, should = PADICI_NO_BLOCK;
    padic_result result;
    *index = 0;
    if (context->targets[0].lost) return padici_target_begin(context, &context->targets[0]);
    do { // a backend may still say NOT_SUPPORTED when it sees the memory: the next one, then
        const int way = padici_call_choose(call, index, &first);
        if (!way) return padici_call_refused(call);
        if (should == PADICI_NO_BLOCK) should = first;
        context->method = context->targets[*index].backend->name;
        result = padici_call_recordable(call, *index, way);
        if (!result) result = padici_call_do(call, &context->targets[*index], way);
    } while (result == PADIC_ERROR_NOT_SUPPORTED && !context->strict &&
             ++*index < context->target_count);
    if (result == PADIC_ERROR_NOT_SUPPORTED) return padici_call_refused(call);
    if (!result && *index != should) padici_call_log_fallback(call, should, *index);
    return result;
}

static padic_result padici_run_in(padici_call *call)
{
    padic_context *context = call->context;
    padic_op_stats *stats = &context->stats.ops[call->op];
    padici_stamp begin = padici_stamp_begin(context, &context->targets[0]);
    padici_target *target;
    uint64_t bytes = 0;
    uint32_t index, i;
    padic_result result = padici_call_run(call, &index);
    for (i = 0; i < call->operand_count; i++) bytes += call->operands[i].bytes;
    target = &context->targets[index < context->target_count ? index : 0];
    result = padici_stamp_end(context, target, &begin, result, padici_op_rows[call->op].name,
                              context->method, bytes, 0);
    if (result && context->recording && !context->recording_broken)
        context->recording_broken = result;
    if (result) return result;
    stats->calls++;
    stats->backend = target->backend->name;
    stats->method = context->method;
    return PADIC_OK;
}

// Calls that LOW_OVERHEAD keeps.

// Whether a desc points at nothing but its tensors, so that equal bytes are the same work.
static int padici_auto_may(uint32_t op, const void *desc)
{
    switch (op) {
    case PADIC_OP_FILL: return !((const padic_fill_desc *)desc)->value;
#ifndef PADIC_NO_WAVE
    case PADIC_OP_WAVE_SUPERPOSE:
        return !((const padic_wave_superpose_desc *)desc)->coincident &&
               !((const padic_wave_superpose_desc *)desc)->bound &&
               !((const padic_wave_superpose_desc *)desc)->tone.table &&
               !((const padic_wave_superpose_desc *)desc)->tone.range;
    case PADIC_OP_WAVE_OBSERVE: return 1;
    case PADIC_OP_WAVE_PHASE_GRADIENT:
        return !((const padic_wave_phase_gradient_desc *)desc)->skipped;
#endif
#ifndef PADIC_NO_TENSOR
    case PADIC_OP_TENSOR_GEMM: return !((const padic_tensor_gemm_desc *)desc)->groups;
    case PADIC_OP_TENSOR_CONTRACT:
#endif
    case PADIC_OP_COPY:
    case PADIC_OP_RANDOM_FILL: return 1;
    default: return 0;
    }
}

static void padici_auto_end(padic_context *context, padici_auto *seen)
{
    padici_recording *r = padici_recording_find(context, seen->record);
    if (r) padici_recording_free(context, r);
    memset(seen, 0, sizeof *seen);
}

static void padici_auto_end_stale(padic_context *context)
{
    uint32_t i;
    for (i = 0; context->autos && i < PADICI_AUTO_COUNT; i++) {
        const padici_recording *r = padici_recording_find(context, context->autos[i].record);
        if (r && r->stale) padici_auto_end(context, &context->autos[i]);
    }
}

static void padici_auto_end_all(padic_context *context)
{
    uint32_t i;
    for (i = 0; context->autos && i < PADICI_AUTO_COUNT; i++)
        padici_auto_end(context, &context->autos[i]);
}

// The entry of a call that was seen before, or NULL.
static padici_auto *padici_auto_find(padic_context *context, uint32_t op, const void *desc)
{
    uint64_t hash;
    uint32_t i, size;
    if (!context || !context->autos || context->recording || context->tuning || !desc ||
        op >= PADIC_OP_COUNT || !padici_auto_may(op, desc))
        return NULL;
    size = padici_op_rows[op].desc_size;
    hash = padici_checksum(desc, size, op);
    context->auto_calls++;
    for (i = 0; i < PADICI_AUTO_COUNT; i++) {
        padici_auto *seen = &context->autos[i];
        if (seen->op != op || seen->hash != hash || memcmp(&seen->desc, desc, size)) continue;
        seen->used = context->auto_calls;
        return seen;
    }
    return NULL;
}

// A call ran for the first time: it takes the place of the one unused longest.
static void padici_auto_note(const padici_call *call, const void *desc)
{
    padic_context *context = call->context;
    const uint32_t size = padici_op_rows[call->op].desc_size;
    padici_auto *place = context->autos;
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].home.host) return;
    for (i = 1; i < PADICI_AUTO_COUNT; i++)
        if (context->autos[i].used < place->used) place = &context->autos[i];
    padici_auto_end(context, place);
    memcpy(&place->desc, desc, size);
    place->hash = padici_checksum(desc, size, call->op);
    place->used = context->auto_calls;
    place->op = call->op;
    for (i = 0; i < call->operand_count; i++) place->bytes += call->operands[i].bytes;
}

// Does a call by replay, recording it first when this is the second time. NOT_SUPPORTED: run it.
// `call` is space to do so.
static padic_result padici_auto_run(padic_context *context, padici_auto *seen,
                                    padici_call *call)
{
    padici_recording *r = padici_recording_find(context, seen->record);
    padici_stamp begin;
    padic_result result;
    uint32_t index;
    if (seen->refused || (r && r->stale)) {
        if (r) padici_auto_end(context, seen);
        return PADIC_ERROR_NOT_SUPPORTED;
    }
    if (!r) {
        context->quiet++;
        result = padic_record_begin(context);
        if (!result) { // from here on buffers are noted
            result = padici_call_begin(call, context, seen->op, &seen->desc);
            if (!result) result = padici_call_run(call, &index);
            if (result && !context->recording_broken) context->recording_broken = result;
            (void)padic_record_end(context, &seen->record);
        }
        context->quiet--;
        r = padici_recording_find(context, seen->record);
        if (!r) {
            seen->refused = 1; // also for want of memory: as it was before is good enough
            return PADIC_ERROR_NOT_SUPPORTED;
        }
    }
    begin = padici_stamp_begin(context, &context->targets[0]);
    result = padici_recording_replay(context, r, 1);
    result = padici_stamp_end(context, &context->targets[0], &begin, result,
                              padici_op_rows[seen->op].name, padici_recording_method(r),
                              seen->bytes, 1);
    context->stats.ops[seen->op].calls += !result;
    context->stats.ops[seen->op].method = padici_recording_method(r);
    return result;
}

#ifndef PADIC_NO_TENSOR
// A small matrix product takes less time than a call: where nothing is asked for that needs one,
// the first backend's kernel does it. 0: not done.
static int padici_run_product(padic_context *context, const padic_tensor_gemm_desc *desc)
{
    padic_op_stats *stats = &context->stats.ops[PADIC_OP_TENSOR_GEMM];
    const padici_target *target = &context->targets[0];
    padic_tensor_product product;
    if (context->target_count < 2 || !padici_target_is_host(target) || !target->backend->run ||
        context->spans || context->autos || context->recording || context->tuning ||
        !desc || !padici_tensor_gemm_small(desc, &product) ||
        (*target->backend->run)(target->device, PADIC_KERNEL_TENSOR, &product, 0))
        return 0;
    context->method = target->backend->name;
    stats->calls++;
    stats->backend = stats->method = context->method;
    return 1;
}
#endif

PADICI_NOINLINE static padic_result padici_run_named(padic_context *context, uint32_t op,
                                                     const void *desc)
{
    padici_call call;
    padici_auto *seen;
    padic_result result;
#ifndef PADIC_NO_TENSOR
    if (op == PADIC_OP_TENSOR_GEMM && context &&
        padici_run_product(context, (const padic_tensor_gemm_desc *)desc))
        return PADIC_OK;
#endif
    seen = padici_auto_find(context, op, desc);
    if (seen) {
        result = padici_auto_run(context, seen, &call);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
    result = padici_call_begin(&call, context, op, desc);
    if (result && context && context->recording && !context->recording_broken)
        context->recording_broken = result;
    if (result || (!call.count && !padici_op_rows[op].host_env)) return result;
    if (!context || !call.count)
        return padici_op_host(op, context ? &context->env : NULL, &call.desc);
    result = padici_run_in(&call);
    if (!result && context->autos && !seen && !context->recording && !context->tuning &&
        padici_auto_may(op, desc))
        padici_auto_note(&call, desc);
    return result;
}

// The one way into every operation.
PADICI_NOINLINE static padic_result padici_run(padic_context *context, uint32_t op,
                                               const void *desc)
{
    const char *before = padici_enter(context, op < PADIC_OP_COUNT ? padici_op_rows[op].name : "");
    const padic_result result = padici_run_named(context, op, desc);
    padici_leave(context, before);
    return result;
}

#define PADICI_OP_ENTRY(NAME, name, driver)                                                      \
    PADIC_API padic_result padic_##name(padic_context *context, const padic_##name##_desc *desc) \
    {                                                                                            \
        return padici_run(context, PADIC_OP_##NAME, desc);                                       \
    }
PADIC_OPS(PADICI_OP_ENTRY)
#undef PADICI_OP_ENTRY

static padic_result padici_supports_named(padic_context *context, padic_op op, const void *desc,
                                          const char **backend)
{
    padici_call call;
    uint32_t index = 0, first;
    padic_result result = padici_call_begin(&call, context, (uint32_t)op, desc);
    if (backend) *backend = "";
    if (result) return result;
    if (context) {
        if (context->targets[0].lost) return padici_target_begin(context, &context->targets[0]);
        if (call.count && !padici_call_choose(&call, &index, &first)) // of nothing, anyone can
            return padici_call_refused(&call);
    }
    if (backend) *backend = context ? context->targets[index].backend->name : "cpu";
    return PADIC_OK;
}

PADIC_API padic_result padic_supports(padic_context *context, padic_op op, const void *desc,
                                      const char **backend)
{
    const char *before =
        padici_enter(context, (uint32_t)op < PADIC_OP_COUNT ? padici_op_rows[op].name : NULL);
    const padic_result result = padici_supports_named(context, op, desc, backend);
    padici_leave(context, before);
    return result;
}

// Context.

static int padici_backend_complete(const padic_backend *b)
{
    return b->version == PADIC_BACKEND_VERSION && b->name && b->open && b->close && b->info &&
           b->alloc && b->free && b->upload && b->download && b->copy && b->fill && b->program &&
           b->launch && b->sync;
}

// Opens one backend. Finding no device is an ordinary answer, logged, unless the context is strict.
static padic_result padici_context_open(padic_context *context, const padic_backend *backend,
                                        const padic_device_desc *desc)
{
    padici_target *target = &context->targets[context->target_count];
    padic_result result;
    target->backend = backend;
    context->driver_message[0] = 0;
    if (!padici_backend_complete(backend))
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "one of backends was made for another version of padic.h: compile "
                                "both from one");
    result = (*backend->open)(&context->env, desc, &target->device);
    if (!result) {
        (*backend->info)(target->device, &target->info);
        context->target_count++;
        return PADIC_OK;
    }
    if (!context->strict && (result == PADIC_ERROR_NO_DEVICE || result == PADIC_ERROR_BUILD ||
                             result == PADIC_ERROR_DEVICE || result == PADIC_ERROR_SELF_TEST)) {
        padici_log_write(&context->log, PADIC_LOG_INFO, 0,
                         context->driver_message[0] ? context->driver_message
                                                    : padic_result_text(result));
        return PADIC_OK;
    }
    return padici_target_end(context, target, result);
}

// Everything that needs memory or a driver; what was made is undone by padic_context_destroy().
static padic_result padici_context_fill(padic_context *context, const padic_context_desc *desc)
{
    const uint32_t spans = desc->profile_spans ? desc->profile_spans : 4096;
    uint32_t i;
    padic_result result = PADIC_OK;
    padici_pool_begin(&context->pools[0], &context->targets[0]);
    padici_pool_begin(&context->pools[1], NULL);
    if (context->flags & PADIC_CONTEXT_PROFILE) {
        size_t size;
        if (padici_mul_size(spans, sizeof *context->spans, &size))
            context->spans = (padici_span *)padici_alloc(&context->allocator, size, 16);
        if (!context->spans)
            return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
        context->span_capacity = spans;
        context->stats.host_allocations++;
    }
    for (i = 0; i < PADIC_MAX_BACKENDS && !result; i++) {
        const padic_backend *backend = desc->backends[i];
        // The first device has the buffers; after it only helpers in host memory make sense.
        if (!backend || (context->target_count && !(backend->flags & PADIC_BACKEND_HOST))) continue;
        result = padici_context_open(context, backend, &desc->device);
    }
    if (!result) result = padici_context_open(context, &padici_cpu, &desc->device);
    if (result) return result;
    context->pools[1].target = &context->targets[context->target_count - 1];
    if (context->spans) (void)padici_tie_now(context, &context->targets[0], &context->tie);
    return padic_context_set_mode(context, desc->mode);
}

PADIC_API padic_result padic_context_create(const padic_context_desc *desc, padic_context **out)
{
    static const padic_context_desc plain = PADIC_ZERO;
    static const padic_cache none = PADIC_ZERO;
    padic_context *context;
    padic_result result;
    uint32_t named = 0, i;
    if (!desc) desc = &plain;
    if (!out) {
        padici_log_write(&desc->log, PADIC_LOG_ERROR, 0,
                         "context_create: context is NULL: give a place for it");
        return PADIC_ERROR_ARGUMENT;
    }
    *out = NULL;
    context = (padic_context *)padici_alloc(&desc->allocator, sizeof *context, 64);
    if (!context) {
        padici_log_write(&desc->log, PADIC_LOG_ERROR, 0, "context_create: out of host memory");
        return PADIC_ERROR_MEMORY;
    }
    memset(context, 0, sizeof *context);
    context->allocator = desc->allocator;
    context->jobs = desc->jobs;
    context->log = desc->log;
    context->cache = desc->cache;
    context->clock = desc->clock;
    context->progress = desc->progress;
    if (!context->clock.now) context->clock.now = padici_clock_default;
    context->flags = desc->flags;
    context->device_flags = desc->device.flags;
    context->slot_free = context->recording_free = PADICI_NO_BLOCK;
    context->tune_ms = desc->tune_ms ? desc->tune_ms : 2000;
    context->stats.host_allocations = 1;
    // Ids of different contexts should differ: their first generation comes from the address.
    context->generation =
        (uint32_t)(((uint64_t)(uintptr_t)context >> 4) * 0x9e3779b97f4a7c15u >> 48);
    for (i = 0; i < PADIC_MAX_BACKENDS; i++) named += desc->backends[i] != NULL;
    context->strict = named == 1 || (desc->flags & PADIC_CONTEXT_STRICT);
    context->env.allocator = &context->allocator;
    context->env.jobs = &context->jobs;
    context->env.log = &context->log;
    context->env.cache = desc->device.flags & PADIC_DEVICE_NO_CACHE ? &none : &context->cache;
    context->env.message = context->driver_message;
    context->env.message_size = sizeof context->driver_message;
    context->env.stats = &context->stats;
    context->env.progress = &context->progress;
    context->start = (*context->clock.now)(context->clock.user);
    context->operation = "context_create";
    result = padici_context_fill(context, desc);
    context->operation = NULL;
    if (result)
        padic_context_destroy(context);
    else
        *out = context;
    return result;
}

PADIC_API void padic_context_destroy(padic_context *context)
{
    padic_allocator allocator;
    uint32_t i;
    if (!context) return;
    if (context->recording) (void)padic_record_end(context, NULL);
    if (context->gpu)
        (void)(*context->targets[0].backend->drive)(context, PADICI_DRIVE_CLOSE, NULL, 0);
    for (i = 0; i < context->recording_count; i++)
        if (context->recordings[i].live)
            padici_recording_free(context, &context->recordings[i]);
    for (i = 0; i < 2; i++) padici_pool_end(context, &context->pools[i]);
    for (i = context->target_count; i > 0; i--)
        (*context->targets[i - 1].backend->close)(context->targets[i - 1].device);
    padici_free(&context->allocator, context->slots,
                context->slot_capacity * sizeof *context->slots);
    padici_free(&context->allocator, context->spans,
                context->span_capacity * sizeof *context->spans);
    padici_free(&context->allocator, context->recordings,
                context->recording_capacity * sizeof *context->recordings);
    padici_free(&context->allocator, context->autos, PADICI_AUTO_COUNT * sizeof *context->autos);
    allocator = context->allocator; // its own copy goes with the context
    padici_free(&allocator, context, sizeof *context);
}

PADIC_API const char *padic_context_message(const padic_context *context)
{
    return context ? context->message : "";
}

static padic_result padici_context_sync_named(padic_context *context)
{
    return padici_target_sync(context, &context->targets[0]);
}

PADICI_ENTRY(context_sync, (padic_context *context), (context))

PADIC_API padic_mode padic_context_mode(const padic_context *context)
{
    return context ? context->mode : PADIC_MODE_DEFAULT;
}

static padic_result padici_context_set_mode_named(padic_context *context, padic_mode mode)
{
    const size_t size = PADICI_AUTO_COUNT * sizeof(padici_auto);
    padic_result result = padici_refuse(context, "a change of mode");
    if (result) return result;
    if ((uint32_t)mode > PADIC_MODE_AUTOTUNE)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "mode is none: choose a padic_mode");
    if (mode == PADIC_MODE_LOW_OVERHEAD && !context->autos &&
        !padici_target_is_host(&context->targets[0])) {
        context->autos = (padici_auto *)padici_alloc(&context->allocator, size, 16);
        if (!context->autos)
            return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
        context->stats.host_allocations++;
        memset(context->autos, 0, size);
    } else if (mode != PADIC_MODE_LOW_OVERHEAD) {
        padici_auto_end_all(context);
        padici_free(&context->allocator, context->autos, size);
        context->autos = NULL;
    }
    context->mode = mode;
    return PADIC_OK;
}

PADICI_ENTRY(context_set_mode, (padic_context *context, padic_mode mode), (context, mode))

static padic_result padici_prewarm_named(padic_context *context, uint32_t areas)
{
    uint32_t wanted = areas ? areas : ~0u;
    padic_result result = padici_refuse(context, "building programs");
    if (!result) result = padici_target_begin(context, &context->targets[0]);
    if (!result) result = padici_drive(context, PADICI_DRIVE_PREWARM, &wanted, 0);
    return result == PADIC_ERROR_NOT_SUPPORTED ? PADIC_OK : result;
}

PADICI_ENTRY(prewarm, (padic_context *context, uint32_t areas), (context, areas))

static padic_result padici_tune_named(padic_context *context, uint32_t areas, uint32_t budget_ms)
{
    padici_drive_tune call;
    padic_result result;
    call.areas = areas ? areas : ~0u;
    call.ms = budget_ms ? budget_ms : 200;
    result = padici_refuse(context, "tuning");
    if (!result) result = padici_target_begin(context, &context->targets[0]);
    if (!result) result = padici_drive(context, PADICI_DRIVE_TUNE, &call, 0);
    if (!context->recording) padici_auto_end_all(context); // of variants that were
    return result == PADIC_ERROR_NOT_SUPPORTED ? PADIC_OK : result;
}

PADICI_ENTRY(tune, (padic_context *context, uint32_t areas, uint32_t budget_ms),
             (context, areas, budget_ms))

PADIC_API void padic_context_device(const padic_context *context, padic_device_info *info)
{
    if (!info) return;
    memset(info, 0, sizeof *info);
    if (context) *info = context->targets[0].info;
}

// The report.

typedef struct padici_report_count {
    const char *name;
    uint64_t value;
} padici_report_count;

// "head name value, name value\n"; counts of 0 are left out, unless all are.
static void padici_report_counts(padici_text *text, const char *head,
                                 const padici_report_count *counts, uint32_t n)
{
    uint32_t i, written = 0;
    padici_text_add(text, head);
    for (i = 0; i < n; i++) {
        if (!counts[i].value && (written || i + 1 < n)) continue;
        padici_text_add(text, written++ ? ", " : " ");
        padici_text_add(text, counts[i].name);
        padici_text_add(text, " ");
        padici_text_number(text, counts[i].value, 1);
    }
    padici_text_add(text, "\n");
}

static void padici_report_features(padici_text *text, uint32_t features)
{
    static const char *const names[] = {"f64",    "64-bit atomics", "subgroups", "progress",
                                        "record", "time",           "unified memory"};
    uint32_t i, written = 0;
    padici_text_add(text, "  features:");
    for (i = 0; i < 7; i++) {
        if (!(features >> i & 1)) continue;
        padici_text_add(text, written++ ? ", " : " ");
        padici_text_add(text, names[i]);
    }
    padici_text_add(text, written ? "\n" : " none\n");
}

static void padici_report_target(padici_text *text, const padici_target *target)
{
    const padic_device_info *info = &target->info;
    const char *const words[] = {info->vendor, info->platform, info->driver, info->arch};
    static const char *const heads[] = {", vendor ", ", platform ", ", driver ", ", arch "};
    padici_report_count counts[7];
    uint32_t i, n = 0;
    padici_text_add(text, target->backend->name);
    padici_text_add(text, ": ");
    padici_text_add(text, info->name);
    for (i = 0; i < 4; i++) {
        if (!words[i][0]) continue;
        padici_text_add(text, heads[i]);
        padici_text_add(text, words[i]);
    }
    padici_text_add(text, target->lost ? " (lost)\n" : "\n");
    padici_report_features(text, info->features);
    counts[n].name = "group", counts[n++].value = info->max_group;
    counts[n].name = "subgroup", counts[n++].value = info->subgroup;
    counts[n].name = "local bytes", counts[n++].value = info->local_bytes;
    counts[n].name = "MiB of memory", counts[n++].value = info->memory >> 20;
    counts[n].name = "largest block", counts[n++].value = info->max_alloc;
    counts[n].name = "alignment", counts[n++].value = info->alignment;
    counts[n].name = "units", counts[n++].value = info->compute_units;
    padici_report_counts(text, "  limits:", counts, n);
}

static void padici_report_stats(padici_text *text, const padic_stats *s)
{
    const padici_report_count work[] = {{"launches", s->launches}, {"copies", s->copies},
                                 {"fills", s->fills},       {"uploads", s->uploads},
                                 {"bytes up", s->upload_bytes}, {"downloads", s->downloads},
                                 {"bytes down", s->download_bytes}, {"syncs", s->syncs}};
    const padici_report_count memory[] = {{"live", s->pool_live}, {"idle", s->pool_idle},
                                   {"used again", s->pool_hits},
                                   {"allocations", s->device_allocations},
                                   {"host allocations", s->host_allocations},
                                   {"most live", s->pool_peak}};
    const padici_report_count built[] = {{"us building", s->build_ns / 1000},
                                  {"cache hits", s->cache_hits}, {"cache misses", s->cache_misses},
                                  {"cache entries bad", s->cache_bad},
                                  {"self-tests", s->self_tests},
                                  {"self-tests failed", s->self_tests_failed},
                                  {"variants timed", s->tuner_candidates},
                                  {"programs", s->programs}};
    const padici_report_count kept[] = {{"nodes", s->recorded_nodes}, {"replays", s->replays}};
    padici_report_counts(text, "work:", work, 8);
    padici_report_counts(text, "memory:", memory, 6);
    padici_report_counts(text, "built:", built, 8);
    padici_report_counts(text, "recorded:", kept, 2);
}

static void padici_report_op(padici_text *text, const char *name, const padic_op_stats *op)
{
    const padici_report_count counts[] = {
        {"fallbacks", op->fallbacks}, {"bytes staged", op->staged_bytes}, {"calls", op->calls}};
    if (!op->calls) return;
    padici_text_add(text, name);
    padici_text_add(text, ": ");
    padici_text_add(text, op->backend ? op->backend : "?");
    if (op->method && op->backend && strcmp(op->method, op->backend)) {
        padici_text_add(text, ", ");
        padici_text_add(text, op->method);
    }
    padici_report_counts(text, ",", counts, 3);
}

static padic_result padici_context_report_named(padic_context *context, char *space, size_t size)
{
    static const char *const modes[] = {"default", "off", "low overhead", "autotune"};
    padici_text text;
    uint32_t i;
    if (!space || !size)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                space ? "size is 0: 4096 bytes are mostly enough"
                                      : "text is NULL: give room for size bytes");
    padici_text_begin(&text, space, size);
    padici_text_add(&text, "padic.h " PADIC_VERSION ", mode ");
    padici_text_add(&text, modes[context->mode]);
    if (context->strict) padici_text_add(&text, ", strict");
    if (context->spans) padici_text_add(&text, ", profile");
    padici_text_add(&text, "\n");
    for (i = 0; i < context->target_count; i++)
        padici_report_target(&text, &context->targets[i]);
    padici_report_stats(&text, &context->stats);
    for (i = 1; i < PADIC_OP_COUNT; i++)
        padici_report_op(&text, padici_op_rows[i].name, &context->stats.ops[i]);
    padici_report_op(&text, "numbers and matrices in buffers", &context->stats.kernels);
    if (text.left > 1) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_CAPACITY,
                            "size is too small for the report, whose end is missing");
}

PADICI_ENTRY(context_report, (padic_context *context, char *space, size_t size),
             (context, space, size))

PADIC_API void padic_get_stats(const padic_context *context, padic_stats *stats)
{
    if (!stats) return;
    memset(stats, 0, sizeof *stats);
    if (context) *stats = context->stats;
}

// FNV-1a over the value, low byte first.
static uint64_t padici_hash_u64(uint64_t hash, uint64_t value)
{
    uint32_t i;
    for (i = 0; i < 8; i++, value >>= 8) hash = (hash ^ (value & 0xff)) * 0x100000001b3u;
    return hash;
}

// A word of 1, 2, 4 or 8 bytes in this machine's byte order.
static uint64_t padici_self_word(const void *from, uint32_t size)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t u;
    switch (size) {
    case 1: memcpy(&b, from, 1); return b;
    case 2: memcpy(&h, from, 2); return h;
    case 4: memcpy(&w, from, 4); return w;
    default: memcpy(&u, from, 8); return u;
    }
}

// Philox, and every conversion of its words.
PADICI_NOINLINE static uint64_t padici_random_self_hash(void)
{
    uint64_t hash = 0xcbf29ce484222325u, i, values[2 * 37];
    uint32_t dtype, block[4];
    for (i = 0; i < 64; i++) {
        padic_random_block(i * 0x0123456789abcdefu, ~i, (uint32_t)i, (uint32_t)(i * i), block);
        hash = padici_hash_u64(hash, (uint64_t)block[1] << 32 | block[0]);
        hash = padici_hash_u64(hash, (uint64_t)block[3] << 32 | block[2]);
    }
    for (dtype = PADIC_F64; dtype <= PADIC_C128; dtype++) {
        padic_random_fill_desc desc = PADIC_ZERO;
        const uint32_t parts = dtype >= PADIC_C64 ? 2 : 1;
        const uint32_t size = padic_dtype_size((padic_dtype)dtype) / parts;
        desc.tensor = padic_tensor_1d((padic_dtype)dtype, values, 37);
        desc.seed = dtype;
        if (padic_random_fill(NULL, &desc)) return 0;
        // As integers of the element's size (of its parts, when complex), so in no byte order.
        for (i = 0; i < 37u * parts; i++)
            hash = padici_hash_u64(hash, padici_self_word((const char *)values + i * size, size));
    }
    return hash;
}

PADIC_API uint64_t padic_self_hash(void)
{
    uint64_t hash = padici_random_self_hash();
#ifndef PADIC_NO_CODEC
    hash = padici_hash_u64(hash, padici_codec_self_hash());
#endif
    return hash;
}

