// ------------------------------------------------------------------------------ >>context impl

struct padici_target { // an opened backend
    const padic_backend *backend;
    padic_device *device;
    padic_device_info info;
    uint32_t lost;
};

typedef struct padici_block {
    padic_mem mem;
    uint64_t size; // 0: the record is unused
    uint32_t next; // in its class when idle, in its recording, among the unused records
    uint32_t idle;
} padici_block;

#define PADICI_POOL_CLASSES 74 // 73 sizes from 256 bytes to 64 MiB, and all larger ones

typedef struct padici_pool {
    padici_target *target;
    padici_block *blocks;
    uint32_t count, capacity, unused; // unused: first of the records without a block
    uint32_t idle[PADICI_POOL_CLASSES];
} padici_pool;

typedef struct padici_slot { // a buffer
    padic_mem mem;
    uint64_t size;
    uint32_t block; // in pools[0]; PADICI_NO_BLOCK when borrowed
    uint32_t next;  // free slot after this
    uint32_t noted; // serial of the last recording that uses it; 0: none does
    uint16_t generation;
    uint8_t live, host; // host: mem is a host pointer
} padici_slot;

enum {
    PADICI_NODE_LAUNCH = 1,
    PADICI_NODE_COPY,
    PADICI_NODE_FILL
};

typedef struct padici_node { // one call of a recording
    uint32_t kind;
    uint32_t word;               // fill
    uint64_t at, from_at, size;  // copy, fill; of mem[0] and mem[1]
    padic_launch launch;         // its params are:
    uint32_t params[64];
} padici_node;

// Kept by the backend when that records, else as a list. `held` are blocks of the pool that the
// calls use and nobody else may.
typedef struct padici_recording {
    padic_recording *handle;
    padici_node *nodes;
    uint32_t *buffers; // ids in use
    uint32_t node_count, node_capacity, buffer_count, buffer_capacity;
    uint32_t live, native, stale, held, next;
    uint16_t generation;
} padici_recording;

#define PADICI_AUTO_COUNT 32u

typedef struct padici_auto { // a call that LOW_OVERHEAD has seen
    padici_any_desc desc;
    uint64_t hash, bytes, used; // used: when, in calls
    uint32_t op;          // 0: unused
    uint32_t refused;     // cannot be recorded
    padic_record record;  // 0: not yet
} padici_auto;

typedef struct padici_span {
    const char *name, *method;
    uint64_t begin, end, bytes, launches; // device times while `pending`
    uint32_t track, pending, slot;        // slot: its first stamp, the second follows
    uint32_t host_clock;                  // a device's work in host times
} padici_span;

typedef struct padici_stamp { // a span that has begun
    uint64_t begin, launches;
    uint32_t slot; // PADIC_TIME_SLOTS: host times
} padici_stamp;

typedef struct padici_tie { // one moment on both clocks
    uint64_t device, host;
} padici_tie;

struct padic_context {
    padic_allocator allocator;
    padic_jobs jobs;
    padic_logger log;
    padic_cache cache;
    padic_clock clock;
    padic_progress progress;
    padic_env env; // lent to the backends
    padici_target targets[PADIC_MAX_BACKENDS + 1]; // buffers live on the first; the CPU is last
    uint32_t target_count, flags, strict, device_flags;
    padici_pool pools[2]; // of the first target, and of host memory when that has none
    padici_slot *slots;
    uint32_t slot_count, slot_capacity, slot_free, generation;
    padici_span *spans;
    uint32_t span_capacity;
    uint64_t span_count, start;
    padici_tie tie;         // the last one; device 0: the device's stamps are not used
    uint32_t stamps;        // slots in use since then; the last slot is for ties
    uint32_t stamp_open;    // a span has begun: its slots must stay
    uint64_t first_pending; // span
    uint64_t device_end;    // of the last span whose times are final
    padici_recording *recordings;
    uint32_t recording_count, recording_capacity, recording_free;
    uint32_t recording;        // the one begun, + 1; 0: none
    uint32_t recording_serial; // how many were begun
    padic_result recording_broken;
    uint32_t quiet;     // failures are not the caller's: no sentence
    uint32_t said;      // sentences so far: who finds none new has to say one
    uint32_t tuning;    // calls are the tuner's: no spans, nothing kept
    const char *operation; // that was asked for; NULL: none that has a name
    const char *method; // of the operation that runs; its backend's name, or its driver's word
    padic_mode mode;
    padici_auto *autos; // PADICI_AUTO_COUNT of them, in LOW_OVERHEAD
    uint64_t auto_calls;
    uint32_t tune_ms;
    uint8_t logged[PADIC_OP_COUNT]; // its fallback has been
    void *gpu;          // what padic_gpu.h keeps: programs and what their tests said
#ifndef PADIC_NO_TENSOR
    padici_einsum_kept einsum;
#endif
    padic_stats stats;
    const char *fault[3]; // of padici_blame()
    char message[512], driver_message[512];
};

PADICI_UNUSED static const padic_allocator *padici_allocator(padic_context *context)
{
    return context ? &context->allocator : NULL;
}

PADICI_UNUSED static const padic_logger *padici_logger(padic_context *context)
{
    return context ? &context->log : NULL;
}

PADICI_UNUSED static const padic_jobs *padici_jobs(padic_context *context)
{
    return context ? &context->jobs : NULL;
}

PADICI_UNUSED static const padic_progress *padici_progress(padic_context *context)
{
    return context ? &context->progress : NULL;
}

#ifndef PADIC_NO_TENSOR
static padici_einsum_kept *padici_context_einsum(padic_context *context)
{
    return &context->einsum;
}
#endif

PADICI_UNUSED static padic_result padici_fail(padic_context *context, padic_result result,
                                              const char *sentence)
{
    if (context && !context->quiet) {
        padici_text text;
        context->said++;
        padici_text_begin(&text, context->message, sizeof context->message);
        padici_text_add(&text, sentence);
        padici_log_write(&context->log, PADIC_LOG_ERROR, 0, context->message);
    }
    return result;
}

PADICI_UNUSED static padic_result padici_blame(padic_context *context, padic_result result,
                                               const char *field, const char *plane,
                                               const char *why)
{
    if (!context || !result) return result;
    if (field && !context->fault[0]) context->fault[0] = field;
    if (plane && !context->fault[1]) context->fault[1] = plane;
    if (why && !context->fault[2]) context->fault[2] = why;
    return result;
}

PADICI_UNUSED static padic_result padici_fault(padic_context *context, padic_result result,
                                               const char *operation)
{
    const char *words = padic_result_text(result);
    char space[512];
    padici_text text;
    if (!context) return result;
    if (context->fault[0]) {
        switch (result) {
        case PADIC_ERROR_ARGUMENT: words = "is missing, not dense, or makes no sense"; break;
        case PADIC_ERROR_DTYPE: words = "has an element type that is not taken here"; break;
        case PADIC_ERROR_MISMATCH: words = "has another shape or count than is wanted"; break;
        case PADIC_ERROR_OVERLAP: words = "shares memory with another operand"; break;
        case PADIC_ERROR_LIMIT: words = "is larger than its limit"; break;
        case PADIC_ERROR_CAPACITY: words = "is too small"; break;
        case PADIC_ERROR_NOT_SUPPORTED: words = "is not supported here"; break;
        case PADIC_ERROR_RING: words = "is of another ring or model: convert one side"; break;
        case PADIC_ERROR_ALIGNMENT:
            words = "has an address that is no multiple of its element's size: move it";
            break;
        default: break;
        }
    }
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, operation);
    padici_text_add(&text, ": ");
    if (context->fault[0]) {
        padici_text_add(&text, context->fault[0]);
        padici_text_add(&text, context->fault[1] ? "." : "");
        padici_text_add(&text, context->fault[1] ? context->fault[1] : "");
        padici_text_add(&text, " ");
    }
    padici_text_add(&text, context->fault[2] ? context->fault[2] : words);
    context->fault[0] = context->fault[1] = context->fault[2] = NULL;
    return result ? padici_fail(context, result, space) : result;
}

PADICI_UNUSED static const char *padici_enter(padic_context *context, const char *operation)
{
    const char *before = context ? context->operation : NULL;
    if (context && !before) context->operation = operation;
    return before;
}

PADICI_UNUSED static void padici_leave(padic_context *context, const char *before)
{
    if (context) context->operation = before;
}

PADICI_UNUSED static padic_result padici_fail_here(padic_context *context, padic_result result,
                                                   const char *sentence)
{
    if (!context || !context->operation) return padici_fail(context, result, sentence);
    return padici_fail_in(context, result, context->operation, sentence);
}

PADICI_UNUSED static padic_result padici_kernel(padic_context *context, uint32_t kernel,
                                                void *call)
{
    uint32_t i;
    for (i = 0; context && i + 1 < context->target_count; i++) { // the last is the CPU itself
        const padici_target *target = &context->targets[i];
        padic_result result = PADIC_ERROR_NOT_SUPPORTED;
        if ((target->backend->flags & PADIC_BACKEND_HOST) && target->backend->run)
            result = (*target->backend->run)(target->device, kernel, call, 0);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
    return PADIC_ERROR_NOT_SUPPORTED;
}

// Room for one more element in a table of the context: doubles it. Nothing changes on failure.
static padic_result padici_grow(padic_context *context, void **table, uint32_t *capacity,
                                uint32_t used, size_t element)
{
    uint32_t more = *capacity ? *capacity * 2 : 16;
    size_t size;
    void *bigger;
    if (used < *capacity) return PADIC_OK;
    if (more < *capacity || !padici_mul_size(more, element, &size))
        return padici_fail_here(context, PADIC_ERROR_LIMIT, "too many blocks of memory");
    bigger = padici_alloc(&context->allocator, size, 16);
    if (!bigger) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    context->stats.host_allocations++;
    if (used) memcpy(bigger, *table, used * element);
    padici_free(&context->allocator, *table, *capacity * element);
    *table = bigger;
    *capacity = more;
    return PADIC_OK;
}

// The device interface: each wrapper asks begin() first and passes the answer through end().

static padic_result padici_target_begin(padic_context *context, padici_target *target)
{
    context->driver_message[0] = 0;
    if (!target->lost) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_DEVICE_LOST,
                            padic_result_text(PADIC_ERROR_DEVICE_LOST));
}

// On failure keeps the backend's sentence, or makes one.
static padic_result padici_target_end(padic_context *context, padici_target *target,
                                      padic_result result)
{
    padici_text text;
    if (!result) return PADIC_OK;
    if (result == PADIC_ERROR_DEVICE_LOST) target->lost = 1;
    if (context->recording && !context->recording_broken) context->recording_broken = result;
    if (context->driver_message[0])
        return padici_fail_here(context, result, context->driver_message);
    padici_text_begin(&text, context->driver_message, sizeof context->driver_message);
    padici_text_add(&text, target->backend->name);
    padici_text_add(&text, ": ");
    padici_text_add(&text, padic_result_text(result));
    return padici_fail_here(context, result, context->driver_message);
}

static int padici_target_is_host(const padici_target *target)
{
    return (target->backend->flags & PADIC_BACKEND_HOST) != 0;
}

static void padici_profile_settle(padic_context *context); // after a sync
static void padici_auto_end_stale(padic_context *context); // a buffer went
static void padici_auto_end_all(padic_context *context);

// What cannot be part of a recording, refused before the driver sees it.
static padic_result padici_refuse(padic_context *context, const char *what)
{
    padici_text text;
    char space[160];
    if (!context->recording) return PADIC_OK;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, what);
    padici_text_add(&text, " cannot be recorded: do it before padic_record_begin()");
    return padici_fail_here(context, PADIC_ERROR_ARGUMENT, space);
}

// A call that is being recorded: NULL when it is not, or when the backend itself keeps it. Without
// memory the recording is broken and the node goes nowhere.
static padic_result padici_node_new(padic_context *context, const padici_target *target,
                                    padici_node **node)
{
    padici_recording *r;
    padic_result result = PADIC_OK;
    *node = NULL;
    if (!context->recording || target != &context->targets[0]) return PADIC_OK;
    r = &context->recordings[context->recording - 1];
    context->stats.recorded_nodes++;
    if (r->native) return PADIC_OK;
    result = padici_grow(context, (void **)&r->nodes, &r->node_capacity, r->node_count,
                         sizeof *r->nodes);
    if (result) {
        context->recording_broken = result;
        return result;
    }
    *node = &r->nodes[r->node_count++];
    memset(*node, 0, sizeof **node);
    return PADIC_OK;
}

static padic_result padici_target_fill(padic_context *context, padici_target *target, padic_mem mem,
                                       uint64_t at, uint32_t word, uint64_t size)
{
    padici_node *node;
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_FILL;
        node->launch.mem[0] = mem;
        node->at = at;
        node->word = word;
        node->size = size;
        return PADIC_OK;
    }
    context->stats.fills += !context->recording;
    return padici_target_end(context, target,
                             (*target->backend->fill)(target->device, mem, at, word, size));
}

// A launch that has been checked.
PADICI_UNUSED static padic_result padici_target_launch(padic_context *context,
                                                       padici_target *target,
                                                       const padic_launch *launch)
{
    padici_node *node;
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_LAUNCH;
        node->launch = *launch;
        node->launch.params = NULL; // found in the node, which may move
        memcpy(node->params, launch->params, launch->params_size);
        return PADIC_OK;
    }
    context->stats.launches += !context->recording;
    return padici_target_end(context, target, (*target->backend->launch)(target->device, launch));
}

static padic_result padici_target_sync(padic_context *context, padici_target *target)
{
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_refuse(context, "waiting for the device");
    if (result) return result;
    context->stats.syncs++;
    result = padici_target_end(context, target, (*target->backend->sync)(target->device));
    if (!result && target == &context->targets[0]) padici_profile_settle(context);
    return result;
}

static padic_result padici_target_copy(padic_context *context, padici_target *target,
                                       const padici_place *to, const padici_place *from,
                                       uint64_t size)
{
    padici_node *node;
    padic_result result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_COPY;
        node->launch.mem[0] = to->mem;
        node->launch.mem[1] = from->mem;
        node->at = to->at;
        node->from_at = from->at;
        node->size = size;
        return PADIC_OK;
    }
    context->stats.copies += !context->recording;
    return padici_target_end(context, target,
                             (*target->backend->copy)(target->device, to->mem, to->at, from->mem,
                                                      from->at, size));
}

// Between two places, of which those that are not host memory belong to `target`.
static padic_result padici_target_move(padic_context *context, padici_target *target,
                                       const padici_place *to, const padici_place *from,
                                       uint64_t size)
{
    padic_result result = padici_target_begin(context, target);
    const padic_backend *backend = target->backend;
    if (result || !size) return result;
    if (!to->host && !from->host) return padici_target_copy(context, target, to, from, size);
    result = padici_refuse(context, "moving memory to or from the host");
    if (result) return result;
    if (to->host && from->host) {
        memcpy(padici_mem_at(to->mem, to->at), padici_mem_at(from->mem, from->at), (size_t)size);
        context->stats.copies++;
    } else if (to->host) {
        result = (*backend->download)(target->device, from->mem, from->at,
                                      padici_mem_at(to->mem, to->at), size);
        context->stats.downloads++;
        context->stats.download_bytes += size;
    } else {
        result = (*backend->upload)(target->device, to->mem, to->at,
                                    padici_mem_at(from->mem, from->at), size);
        context->stats.uploads++;
        context->stats.upload_bytes += size;
    }
    return padici_target_end(context, target, result);
}

// The pool. Sizes are rounded so that blocks serve again: 4 steps a power of two.

// Rounds *size up and returns its class.
static uint32_t padici_pool_class(uint64_t *size)
{
    const uint64_t big = UINT64_C(64) << 20, huge = UINT64_C(2) << 20;
    uint32_t k;
    uint64_t step;
    if (*size <= 256) {
        *size = 256;
        return 0;
    }
    if (*size > big) {
        *size = (*size + huge - 1) / huge * huge;
        return PADICI_POOL_CLASSES - 1;
    }
    k = 63 - padici_clz64(*size - 1); // 2^k < size <= 2^(k + 1)
    step = UINT64_C(1) << (k - 2);
    *size = (*size + step - 1) / step * step;
    return (k - 8) * 4 + (uint32_t)((*size - (UINT64_C(1) << k)) / step);
}

static void padici_pool_begin(padici_pool *pool, padici_target *target)
{
    uint32_t i;
    memset(pool, 0, sizeof *pool);
    pool->target = target;
    pool->unused = PADICI_NO_BLOCK;
    for (i = 0; i < PADICI_POOL_CLASSES; i++) pool->idle[i] = PADICI_NO_BLOCK;
}

// Gives one idle block back to its backend.
static void padici_pool_drop(padic_context *context, padici_pool *pool, uint32_t index)
{
    padici_block *block = &pool->blocks[index];
    uint64_t size = block->size;
    uint32_t *link = &pool->idle[padici_pool_class(&size)];
    while (*link != index) link = &pool->blocks[*link].next;
    *link = block->next;
    (*pool->target->backend->free)(pool->target->device, block->mem, block->size);
    context->stats.pool_idle -= block->size;
    block->size = 0;
    block->idle = 0;
    block->next = pool->unused;
    pool->unused = index;
}

// The best idle block for a rounded size: a class has one size (unless max_alloc cuts it); of
// larger ones the smallest that wastes at most an eighth.
static uint32_t padici_pool_find(const padici_pool *pool, uint32_t bin, uint64_t size)
{
    uint32_t i = pool->idle[bin], best = PADICI_NO_BLOCK;
    for (; i != PADICI_NO_BLOCK; i = pool->blocks[i].next) {
        const uint64_t has = pool->blocks[i].size;
        if (has < size || has - size > size / 8) continue;
        if (best == PADICI_NO_BLOCK || has < pool->blocks[best].size) best = i;
        if (has == size) break;
    }
    return best;
}

static void padici_pool_drop_all(padic_context *context, padici_pool *pool)
{
    uint32_t i;
    for (i = 0; i < pool->count; i++)
        if (pool->blocks[i].idle) padici_pool_drop(context, pool, i);
}

// Says what was asked for and what the pool holds, with the backend's sentence in front.
static padic_result padici_pool_full(padic_context *context, padici_target *target, uint64_t size)
{
    char space[512];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, context->driver_message[0] ? context->driver_message
                                                      : target->backend->name);
    padici_text_add(&text, ": ");
    padici_text_number(&text, size, 1);
    padici_text_add(&text, " bytes asked");
    if (target->info.memory) {
        padici_text_add(&text, ", the device has ");
        padici_text_number(&text, target->info.memory, 1);
    }
    padici_text_add(&text, "; the pool has ");
    padici_text_number(&text, context->stats.pool_live, 1);
    padici_text_add(&text, " in use, ");
    padici_text_number(&text, context->stats.pool_idle, 1);
    padici_text_add(&text, " idle");
    memcpy(context->driver_message, space, sizeof space);
    return padici_target_end(context, target, PADIC_ERROR_MEMORY);
}

// A new block from the backend; when that has no memory left, idle blocks are freed first, and the
// calls that LOW_OVERHEAD keeps, with their scratch.
static padic_result padici_pool_new(padic_context *context, padici_pool *pool, uint64_t size,
                                    uint32_t *index)
{
    padici_target *target = pool->target;
    padic_mem mem;
    padic_result result = padici_target_begin(context, target);
    if (result) return result;
    if (pool->unused == PADICI_NO_BLOCK) {
        result = padici_grow(context, (void **)&pool->blocks, &pool->capacity, pool->count,
                             sizeof *pool->blocks);
        if (result) return result;
    }
    mem.bits = 0;
    result = (*target->backend->alloc)(target->device, size, &mem);
    if (result == PADIC_ERROR_MEMORY && (context->stats.pool_idle || context->autos)) {
        padici_auto_end_all(context);
        padici_pool_drop_all(context, pool);
        result = (*target->backend->alloc)(target->device, size, &mem);
    }
    if (result == PADIC_ERROR_MEMORY) return padici_pool_full(context, target, size);
    if (result) return padici_target_end(context, target, result);
    context->stats.device_allocations++;
    if (pool->unused != PADICI_NO_BLOCK) {
        *index = pool->unused;
        pool->unused = pool->blocks[*index].next;
    } else {
        *index = pool->count++;
    }
    pool->blocks[*index].mem = mem;
    pool->blocks[*index].size = size;
    pool->blocks[*index].idle = 0;
    return PADIC_OK;
}

static void padici_pool_give(padic_context *context, padici_pool *pool, uint32_t index)
{
    padici_block *block = &pool->blocks[index];
    uint64_t size = block->size;
    uint32_t bin = padici_pool_class(&size);
    if (context->flags & PADIC_CONTEXT_DEBUG)
        (void)padici_target_fill(context, pool->target, block->mem, 0, 0xcdcdcdcdu,
                                 block->size & ~UINT64_C(3));
    if (context->recording && pool == &context->pools[0]) { // its calls will use it again
        padici_recording *r = &context->recordings[context->recording - 1];
        block->next = r->held;
        r->held = index;
        return;
    }
    block->idle = 1;
    block->next = pool->idle[bin];
    pool->idle[bin] = index;
    context->stats.pool_live -= block->size;
    context->stats.pool_idle += block->size;
}

static padic_result padici_pool_limit(padic_context *context, uint64_t size, uint64_t limit)
{
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_number(&text, size, 1);
    padici_text_add(&text, " bytes are more than the ");
    padici_text_number(&text, limit ? limit : UINT64_C(1) << 62, 1);
    padici_text_add(&text, " that the device allows for one block: split the work");
    return padici_fail_here(context, PADIC_ERROR_LIMIT, space);
}

// Out of what the recording took and gave back before: 1, or 0 when nothing there fits.
static int padici_pool_take_held(padic_context *context, padici_pool *pool, uint64_t size,
                                 uint32_t *index)
{
    uint32_t *link;
    if (!context->recording || pool != &context->pools[0]) return 0;
    for (link = &context->recordings[context->recording - 1].held; *link != PADICI_NO_BLOCK;
         link = &pool->blocks[*link].next) {
        const uint64_t has = pool->blocks[*link].size;
        if (has < size || has - size > size / 8) continue;
        *index = *link;
        *link = pool->blocks[*index].next;
        context->stats.pool_hits++;
        return 1;
    }
    return 0;
}

static padic_result padici_pool_take(padic_context *context, padici_pool *pool, uint64_t size,
                                     uint32_t *index)
{
    const uint64_t limit = pool->target->info.max_alloc;
    padic_result result = PADIC_OK;
    uint32_t bin;
    padici_block *block;
    if (size >> 62 || (limit && size > limit)) return padici_pool_limit(context, size, limit);
    bin = padici_pool_class(&size);
    if (limit && size > limit) size = limit; // same class, see padici_pool_find()
    if (padici_pool_take_held(context, pool, size, index)) return PADIC_OK;
    *index = padici_pool_find(pool, bin, size);
    if (*index != PADICI_NO_BLOCK) {
        uint32_t *link = &pool->idle[bin];
        while (*link != *index) link = &pool->blocks[*link].next;
        *link = pool->blocks[*index].next;
        pool->blocks[*index].idle = 0;
        context->stats.pool_idle -= pool->blocks[*index].size;
        context->stats.pool_hits++;
    } else {
        result = padici_refuse(context, "taking memory that no call took before");
        if (!result) result = padici_pool_new(context, pool, size, index);
        if (result) return result;
    }
    block = &pool->blocks[*index];
    context->stats.pool_live += block->size;
    if (context->stats.pool_live > context->stats.pool_peak)
        context->stats.pool_peak = context->stats.pool_live;
    if (context->flags & PADIC_CONTEXT_DEBUG) {
        result = padici_target_fill(context, pool->target, block->mem, 0, 0xcdcdcdcdu,
                                    block->size & ~UINT64_C(3));
        if (result) padici_pool_give(context, pool, *index);
    }
    return result;
}

static void padici_pool_end(padic_context *context, padici_pool *pool)
{
    uint32_t i;
    for (i = 0; i < pool->count; i++)
        if (pool->blocks[i].size)
            (*pool->target->backend->free)(pool->target->device, pool->blocks[i].mem,
                                           pool->blocks[i].size);
    padici_free(&context->allocator, pool->blocks, pool->capacity * sizeof *pool->blocks);
}

PADIC_API void padic_trim(padic_context *context, uint64_t keep)
{
    padic_stats *stats;
    if (!context || context->recording) return;
    stats = &context->stats;
    if (!keep) keep = stats->pool_peak + stats->pool_peak / 5;
    while (stats->pool_idle && stats->pool_live + stats->pool_idle > keep) {
        padici_pool *from = NULL;
        uint32_t largest = 0, p, i;
        for (p = 0; p < 2; p++)
            for (i = 0; i < context->pools[p].count; i++) {
                const padici_block *block = &context->pools[p].blocks[i];
                if (!block->idle || (from && block->size <= from->blocks[largest].size)) continue;
                from = &context->pools[p];
                largest = i;
            }
        padici_pool_drop(context, from, largest);
    }
}

// The profile.

static uint64_t padici_clock_default(void *user)
{
#if defined(CLOCK_MONOTONIC) && !defined(_WIN32)
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#elif defined(TIME_UTC)
    struct timespec t;
    (void)user;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#else
    (void)user; // strict C99 has no wall clock finer than a second
    return (uint64_t)clock() * (1000000000u / (uint64_t)CLOCKS_PER_SEC);
#endif
}

static uint64_t padici_profile_now(padic_context *context)
{
    uint64_t now = (*context->clock.now)(context->clock.user);
    return now > context->start ? now - context->start : 0;
}

// The next span of the ring, begun and ended in host time. Names must be literals, or a backend's.
static padici_span *padici_profile_span(padic_context *context, const char *name,
                                        const char *method, uint64_t begin)
{
    padici_span *span;
    if (context->span_count >= context->span_capacity) context->stats.spans_lost++;
    span = &context->spans[context->span_count++ % context->span_capacity];
    memset(span, 0, sizeof *span);
    span->name = name;
    span->method = method;
    span->begin = begin;
    span->end = padici_profile_now(context);
    return span;
}

// A device's spans. With PADIC_FEATURE_TIME the queue stamps slots before and after the work, and
// the times are read and moved to the host's clock at the next sync: between two syncs that clock
// is linear in the device's. Without it, or once it failed, host times around a wait do.

#define PADICI_TIE_SLOT (PADIC_TIME_SLOTS - 1u)

static int padici_time(padici_target *target, uint32_t slot, uint64_t *ns)
{
    return !(*target->backend->time)(target->device, slot, ns);
}

// With nothing in the queue: one moment on both clocks. 0: the device's clock is no use.
static int padici_tie_now(padic_context *context, padici_target *target, padici_tie *tie)
{
    uint64_t before;
    tie->device = 0;
    if (!(target->info.features & PADIC_FEATURE_TIME) || !target->backend->time) return 0;
    before = padici_profile_now(context);
    if (!padici_time(target, PADICI_TIE_SLOT, NULL) ||
        (*target->backend->sync)(target->device) ||
        !padici_time(target, PADICI_TIE_SLOT, &tie->device))
        tie->device = 0;
    tie->host = before + (padici_profile_now(context) - before) / 2;
    return tie->device != 0;
}

// A device time between two ties on the host's clock; outside them, the nearer one.
static uint64_t padici_tie_map(const padici_tie *a, const padici_tie *b, uint64_t device)
{
    if (device <= a->device || b->device <= a->device || b->host <= a->host) return a->host;
    if (device >= b->device) return b->host;
    return a->host + (uint64_t)((double)(device - a->device) / (double)(b->device - a->device) *
                                (double)(b->host - a->host));
}

// The device has just waited: reads the stamps since the last time, and ties the clocks anew. When
// any of that fails the clock is no use, and spans keep the host times of their calls.
static void padici_profile_settle(padic_context *context)
{
    padici_target *target = &context->targets[0];
    padici_tie tie;
    uint64_t stamps[PADIC_TIME_SLOTS], i = context->first_pending;
    uint32_t slot;
    int good;
    if (!context->spans || !context->tie.device || context->recording || context->stamp_open)
        return;
    if (context->span_count - i > context->span_capacity)
        i = context->span_count - context->span_capacity;
    good = padici_tie_now(context, target, &tie);
    for (slot = 0; slot < context->stamps && good; slot++)
        good = padici_time(target, slot, &stamps[slot]);
    for (; i < context->span_count && good; i++) {
        padici_span *span = &context->spans[i % context->span_capacity];
        if (!span->pending) continue;
        span->begin = padici_tie_map(&context->tie, &tie, stamps[span->slot]);
        span->end = padici_tie_map(&context->tie, &tie, stamps[span->slot + 1]);
        span->pending = span->host_clock = 0;
        context->device_end = span->end;
    }
    context->first_pending = context->span_count;
    context->stamps = 0;
    if (!good) tie.device = 0;
    context->tie = tie;
}

// Begins a span of work that the target is about to get. Costs a branch without a profile.
PADICI_UNUSED static padici_stamp padici_stamp_begin(padic_context *context, padici_target *target)
{
    padici_stamp stamp = {0, 0, PADIC_TIME_SLOTS};
    if (!context->spans || context->recording || context->tuning) return stamp;
    if (target == &context->targets[0] && context->tie.device && !target->lost) {
        if (context->stamps + 2 > PADICI_TIE_SLOT) (void)padici_target_sync(context, target);
        if (context->tie.device && context->stamps + 2 <= PADICI_TIE_SLOT &&
            padici_time(target, context->stamps, NULL))
            stamp.slot = context->stamps;
        context->stamp_open = 1;
    }
    stamp.begin = padici_profile_now(context);
    stamp.launches = context->stats.launches;
    return stamp;
}

// The work was handed to the target, or done by a host's, or has failed: then there is no span.
PADICI_UNUSED static padic_result padici_stamp_end(padic_context *context, padici_target *target,
                                                   const padici_stamp *stamp, padic_result result,
                                                   const char *name, const char *method,
                                                   uint64_t bytes, uint64_t replays)
{
    const int device = !padici_target_is_host(target);
    padici_span *span;
    int stamped = 0;
    if (!context->spans || context->recording || context->tuning) return result;
    if (!result && device && stamp->slot < PADIC_TIME_SLOTS)
        stamped = padici_time(target, stamp->slot + 1, NULL);
    if (!result && device && !stamped) result = padici_target_sync(context, target);
    context->stamp_open = 0;
    if (result) return result;
    if (device && !stamped) padici_profile_settle(context);
    span = padici_profile_span(context, name, method, stamp->begin);
    if (device && !stamped) { // what was queued before ran in this time, too
        if (span->begin < context->device_end) span->begin = context->device_end;
        context->device_end = span->end;
    }
    span->bytes = bytes;
    span->launches = context->stats.launches - stamp->launches + replays;
    span->track = device ? 2 : 1;
    span->host_clock = device != 0;
    span->pending = stamped != 0;
    span->slot = stamp->slot;
    if (stamped) context->stamps += 2;
    return PADIC_OK;
}

static void padici_text_microseconds(padici_text *text, uint64_t ns)
{
    padici_text_number(text, ns / 1000, 1);
    padici_text_add(text, ".");
    padici_text_number(text, ns % 1000, 3);
}

// Names of backends are the caller's: only what JSON takes as it is.
static void padici_text_name(padici_text *text, const char *name)
{
    char one[2] = {0, 0};
    for (; *name; name++) {
        one[0] = *name >= ' ' && *name <= '~' && *name != '"' && *name != '\\' ? *name : '?';
        padici_text_add(text, one);
    }
}

static void padici_profile_track(padici_text *text, uint32_t track, const char *name)
{
    padici_text_add(text, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":");
    padici_text_number(text, track, 1);
    padici_text_add(text, ",\"args\":{\"name\":\"");
    padici_text_name(text, name);
    padici_text_add(text, "\"}}");
}

static void padici_profile_row(padici_text *text, const padici_span *span)
{
    padici_text_add(text, ",\n{\"name\":\"");
    padici_text_add(text, span->name);
    padici_text_add(text, "\",\"cat\":\"padic\",\"ph\":\"X\",\"ts\":");
    padici_text_microseconds(text, span->begin);
    padici_text_add(text, ",\"dur\":");
    padici_text_microseconds(text, span->end > span->begin ? span->end - span->begin : 0);
    padici_text_add(text, ",\"pid\":1,\"tid\":");
    padici_text_number(text, span->track, 1);
    padici_text_add(text, ",\"args\":{\"bytes\":");
    padici_text_number(text, span->bytes, 1);
    padici_text_add(text, ",\"launches\":");
    padici_text_number(text, span->launches, 1);
    padici_text_add(text, ",\"method\":\"");
    padici_text_name(text, span->method);
    padici_text_add(text, span->host_clock ? "\",\"clock\":\"host\"}}" : "\"}}");
}

// A function of the context, under whose name its refusals are said. It has one.
#define PADICI_ENTRY(name, parameters, arguments)                        \
    PADIC_API padic_result padic_##name parameters                       \
    {                                                                    \
        const char *before = padici_enter(context, #name);               \
        const padic_result result =                                      \
            context ? padici_##name##_named arguments : PADIC_ERROR_ARGUMENT; \
        padici_leave(context, before);                                   \
        return result;                                                   \
    }

static padic_result padici_profile_write_named(padic_context *context, padic_profile_sink sink,
                                               void *user)
{
    char space[512];
    padici_text text;
    uint64_t i;
    if (!sink)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "sink is NULL: give a function that takes the text");
    if (context->first_pending < context->span_count && !context->recording)
        (void)padici_target_sync(context, &context->targets[0]);
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "{\"traceEvents\":[\n");
    padici_profile_track(&text, 1, "host");
    if (!(context->targets[0].backend->flags & PADIC_BACKEND_HOST)) {
        padici_text_add(&text, ",\n");
        padici_profile_track(&text, 2, context->targets[0].backend->name);
    }
    i = context->span_count > context->span_capacity ? context->span_count - context->span_capacity
                                                     : 0;
    for (;; i++) {
        if ((*sink)(space, sizeof space - text.left, user))
            return padici_fail_here(context, PADIC_ERROR_CALLBACK,
                                    "sink refused a piece of the text");
        padici_text_begin(&text, space, sizeof space);
        if (i >= context->span_count) break;
        padici_profile_row(&text, &context->spans[i % context->span_capacity]);
    }
    padici_text_add(&text, "\n],\"displayTimeUnit\":\"ns\"}\n");
    if ((*sink)(space, sizeof space - text.left, user))
        return padici_fail_here(context, PADIC_ERROR_CALLBACK, "sink refused a piece of the text");
    return PADIC_OK;
}

PADICI_ENTRY(profile_write, (padic_context *context, padic_profile_sink sink, void *user),
             (context, sink, user))

// Buffers. An id is generation << 16 | slot + 1. Free slots wait in a list, last in first out.

// The recording uses a buffer: the first time, it keeps the id.
static void padici_recording_note(padic_context *context, padici_slot *slot, uint32_t id)
{
    padici_recording *r = &context->recordings[context->recording - 1];
    padic_result result;
    if (slot->noted == context->recording_serial) return;
    result = padici_grow(context, (void **)&r->buffers, &r->buffer_capacity, r->buffer_count,
                         sizeof *r->buffers);
    if (result) {
        context->recording_broken = result;
        return;
    }
    slot->noted = context->recording_serial;
    r->buffers[r->buffer_count++] = id;
}

// A buffer is gone, and with it what the recordings that use it are good for.
static void padici_recording_forget(padic_context *context, uint32_t id)
{
    uint32_t i, j;
    for (i = 0; i < context->recording_count; i++) {
        padici_recording *r = &context->recordings[i];
        for (j = 0; r->live && j < r->buffer_count; j++)
            if (r->buffers[j] == id) r->stale = 1;
    }
}

static padici_slot *padici_slot_find(padic_context *context, padic_buffer buffer)
{
    const uint32_t index = (buffer.id & 0xffffu) - 1u; // of id 0: far beyond
    padici_slot *slot;
    if (index >= context->slot_count) return NULL;
    slot = &context->slots[index];
    if (!slot->live || slot->generation != buffer.id >> 16) return NULL;
    if (context->recording) padici_recording_note(context, slot, buffer.id);
    return slot;
}

// A slot and its id, ready to be filled.
static padic_result padici_slot_new(padic_context *context, padici_slot **slot,
                                    padic_buffer *buffer)
{
    uint32_t index = context->slot_free;
    padic_result result;
    if (index == PADICI_NO_BLOCK) {
        if (context->slot_count >= 0xffffu)
            return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                    "65,535 buffers are live: destroy some");
        result = padici_grow(context, (void **)&context->slots, &context->slot_capacity,
                             context->slot_count, sizeof **slot);
        if (result) return result;
        index = context->slot_count++;
        memset(&context->slots[index], 0, sizeof **slot);
        context->slots[index].generation = (uint16_t)(context->generation + index);
    } else {
        context->slot_free = context->slots[index].next;
    }
    *slot = &context->slots[index];
    (*slot)->generation++;
    (*slot)->noted = 0;
    (*slot)->live = 1;
    buffer->id = (uint32_t)(*slot)->generation << 16 | (index + 1);
    return PADIC_OK;
}

static void padici_slot_free(padic_context *context, padici_slot *slot)
{
    slot->live = 0;
    slot->next = context->slot_free;
    context->slot_free = (uint32_t)(slot - context->slots);
}

static padic_result padici_buffer_bad(padic_context *context, const char *field)
{
    return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field,
                             "is null, destroyed or another context's");
}

static padic_result padici_buffer_create_named(padic_context *context,
                                               const padic_buffer_desc *desc, padic_buffer *buffer)
{
    padici_slot *slot = NULL;
    padici_place to, from;
    padic_buffer made = {0};
    padic_result result;
    if (!desc || !buffer)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                desc ? "buffer is NULL: give a place for the id"
                                     : "desc is NULL: give one with a size");
    result = padici_refuse(context, "creating a buffer");
    if (result) return result;
    if ((desc->host != NULL) + (desc->native != 0) + (desc->data != NULL) > 1)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "data, host and native are set: a buffer has one of them, or none");
    result = padici_slot_new(context, &slot, &made);
    if (result) return result;
    slot->size = desc->size;
    slot->block = PADICI_NO_BLOCK;
    slot->host = (uint8_t)(desc->host || padici_target_is_host(&context->targets[0]));
    if (desc->host || desc->native) {
        slot->mem.bits = desc->host ? (uint64_t)(uintptr_t)desc->host : desc->native;
    } else {
        result = padici_pool_take(context, &context->pools[0], desc->size, &slot->block);
        if (!result) slot->mem = context->pools[0].blocks[slot->block].mem;
    }
    if (!result && desc->data) {
        to.mem = slot->mem;
        to.at = from.at = 0;
        to.host = slot->host;
        from.mem.bits = (uint64_t)(uintptr_t)desc->data;
        from.host = 1;
        result = padici_target_move(context, &context->targets[0], &to, &from, desc->size);
        if (result) padici_pool_give(context, &context->pools[0], slot->block);
    }
    if (result)
        padici_slot_free(context, slot);
    else
        *buffer = made;
    return result;
}

PADIC_API padic_result padic_buffer_create(padic_context *context, const padic_buffer_desc *desc,
                                           padic_buffer *buffer)
{
    const char *before = padici_enter(context, "buffer_create");
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (buffer) buffer->id = 0;
    if (context) result = padici_buffer_create_named(context, desc, buffer);
    padici_leave(context, before);
    return result;
}

static padic_result padici_buffer_destroy_named(padic_context *context, padic_buffer buffer)
{
    padici_slot *slot;
    padic_result result;
    result = padici_refuse(context, "destroying a buffer");
    if (result) return result;
    slot = padici_slot_find(context, buffer);
    if (!slot) return padici_buffer_bad(context, "buffer");
    if (slot->noted) padici_recording_forget(context, buffer.id);
    if (slot->noted) padici_auto_end_stale(context);
    if (slot->block != PADICI_NO_BLOCK) padici_pool_give(context, &context->pools[0], slot->block);
    padici_slot_free(context, slot);
    return PADIC_OK;
}

PADICI_ENTRY(buffer_destroy, (padic_context *context, padic_buffer buffer), (context, buffer))

static padic_result padici_buffer_info_named(padic_context *context, padic_buffer buffer,
                                             padic_buffer_report *report)
{
    const padici_slot *slot;
    if (!report)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "report is NULL: give a place for it");
    memset(report, 0, sizeof *report);
    slot = padici_slot_find(context, buffer);
    if (!slot) return padici_buffer_bad(context, "buffer");
    report->size = slot->size;
    report->native = slot->mem.bits;
    report->borrowed = slot->block == PADICI_NO_BLOCK;
    report->host = slot->host;
    return PADIC_OK;
}

PADICI_ENTRY(buffer_info,
             (padic_context *context, padic_buffer buffer, padic_buffer_report *report),
             (context, buffer, report))

// Where a range of a buffer lies, which is a field of the call.
static padic_result padici_buffer_part(padic_context *context, const char *field,
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

static padic_result padici_buffer_range(padic_context *context, padic_buffer buffer, uint64_t at,
                                        uint64_t size, padici_place *place)
{
    return padici_buffer_part(context, "buffer", buffer, at, size, place);
}

// Where the first element of a dense view lies, on the host or the device. REGION beyond its
// buffer, ARGUMENT for a dead id; mem 0 for no memory.
static padic_result padici_field_place(padic_context *context, const char *field,
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

PADICI_UNUSED static padic_result padici_operand_place(padic_context *context,
                                                       const padic_tensor *tensor,
                                                       padici_place *place)
{
    return padici_field_place(context, "buffer", tensor, place);
}

PADICI_UNUSED static padic_result padici_host_pointer(padic_context *context,
                                                      const padic_tensor *tensor, void **pointer)
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

// Whether two ranges share a byte. Different handles of a device are different memory; host
// pointers may point into one another.
static int padici_places_overlap(const padici_place *a, uint64_t a_size, const padici_place *b,
                                 uint64_t b_size)
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

// Programs and launches. What a backend sees has been checked here, in every build.

typedef struct padici_shape { // what a launch of a kernel must agree with
    uint32_t group, buffers, params_size;
} padici_shape;

typedef struct padici_program {
    padic_program *handle;
    uint32_t kernels;
    const padici_shape *shapes; // one a kernel
} padici_program;

// On the context's first device, which owns the program until it is closed. `shapes` must live as
// long.
PADICI_UNUSED static padic_result padici_program_build(padic_context *context,
                                                       const padic_program_desc *desc,
                                                       uint32_t kernels,
                                                       const padici_shape *shapes,
                                                       padici_program *program)
{
    padici_target *target = &context->targets[0];
    padic_result result = padici_target_begin(context, target);
    uint64_t begin;
    uint32_t i;
    memset(program, 0, sizeof *program);
    if (result) return result;
    result = padici_refuse(context, "building a program");
    if (result) return result;
    for (i = 0; i < kernels; i++)
        if (!shapes[i].group ||
            (target->info.max_group && shapes[i].group > target->info.max_group))
            return padici_fail(context, PADIC_ERROR_LIMIT,
                               "the device allows no groups of that size");
    begin = (*context->clock.now)(context->clock.user);
    result = (*target->backend->program)(target->device, desc, &program->handle);
    context->stats.build_ns += (*context->clock.now)(context->clock.user) - begin;
    if (result) return padici_target_end(context, target, result);
    program->kernels = kernels;
    program->shapes = shapes;
    context->stats.programs++;
    return PADIC_OK;
}

static const char *padici_launch_fault(const padici_program *program, const padic_launch *launch)
{
    const padici_shape *shape;
    uint32_t i;
    if (!program->handle || launch->kernel >= program->kernels) return "launch: no such kernel";
    shape = &program->shapes[launch->kernel];
    if (launch->group != shape->group) return "launch: not the group that was compiled";
    if (!launch->groups[0] || !launch->groups[1] || !launch->groups[2])
        return "launch: no groups";
    if ((uint64_t)launch->groups[0] * launch->group >> 32 || launch->groups[1] > 65535 ||
        launch->groups[2] > 65535)
        return "launch: too many groups";
    if (launch->mem_count != shape->buffers || launch->mem_count > 8)
        return "launch: not as many buffers as the kernel has";
    for (i = 0; i < launch->mem_count; i++)
        if (!launch->mem[i].bits) return "launch: a buffer is missing";
    if (!launch->params || launch->params_size != shape->params_size || launch->params_size < 4 ||
        launch->params_size > 256 || launch->params_size & 3)
        return "launch: params are the kernel's 4 to 256 bytes of 32-bit values";
    if (launch->op >= PADIC_OP_COUNT && launch->op < PADIC_KERNEL_SAMPLE)
        return "launch: unknown operation";
    return NULL;
}

// Whether a handle is memory that the context knows on its device: a block in use, or borrowed.
static int padici_mem_live(const padic_context *context, padic_mem mem)
{
    const padici_pool *pool = &context->pools[0];
    const int is_host = padici_target_is_host(&context->targets[0]);
    uint32_t i;
    for (i = 0; i < pool->count; i++)
        if (pool->blocks[i].size && pool->blocks[i].mem.bits == mem.bits)
            return !pool->blocks[i].idle;
    for (i = 0; i < context->slot_count; i++)
        if (context->slots[i].live && context->slots[i].mem.bits == mem.bits)
            return is_host || !context->slots[i].host;
    return 0;
}

// Launches on memory that came from live buffers or the pool; PADIC_CONTEXT_DEBUG looks again.
PADICI_UNUSED static padic_result padici_launch(padic_context *context,
                                                const padici_program *program,
                                                const padic_launch *desc)
{
    padici_target *target = &context->targets[0];
    padic_launch launch = *desc;
    const char *fault = padici_launch_fault(program, desc);
    uint32_t i;
    if (!fault && (context->flags & PADIC_CONTEXT_DEBUG))
        for (i = 0; i < launch.mem_count; i++)
            if (!padici_mem_live(context, launch.mem[i])) fault = "launch: a buffer is not alive";
    if (fault) return padici_fail(context, PADIC_ERROR_ARGUMENT, fault);
    for (i = launch.mem_count; i < 8; i++) launch.mem[i].bits = 0;
    launch.program = program->handle;
    return padici_target_launch(context, target, &launch);
}

// Recordings. An id is made like a buffer's.

static padici_recording *padici_recording_find(padic_context *context, padic_record record)
{
    const uint32_t index = (record.id & 0xffffu) - 1u;
    padici_recording *r;
    if (index >= context->recording_count) return NULL;
    r = &context->recordings[index];
    return r->live && r->generation == record.id >> 16 ? r : NULL;
}

static padic_result padici_recording_new(padic_context *context, uint32_t *index)
{
    padici_recording *r;
    padic_result result;
    *index = context->recording_free;
    if (*index == PADICI_NO_BLOCK) {
        if (context->recording_count >= 0xffffu)
            return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                    "65,535 recordings are live: drop some");
        result = padici_grow(context, (void **)&context->recordings, &context->recording_capacity,
                             context->recording_count, sizeof *r);
        if (result) return result;
        *index = context->recording_count++;
        memset(&context->recordings[*index], 0, sizeof *r);
        context->recordings[*index].generation = (uint16_t)(context->generation + *index);
    } else {
        context->recording_free = context->recordings[*index].next;
    }
    r = &context->recordings[*index];
    r->generation++;
    r->live = 1;
    r->held = PADICI_NO_BLOCK;
    return PADIC_OK;
}

// Frees all that a recording has; no recording is open. The backend's own is gone on a lost device.
static void padici_recording_free(padic_context *context, padici_recording *r)
{
    padici_target *target = &context->targets[0];
    if (r->handle && !target->lost)
        (void)(*target->backend->record)(target->device, PADIC_RECORD_DROP, &r->handle);
    while (r->held != PADICI_NO_BLOCK) {
        const uint32_t index = r->held;
        r->held = context->pools[0].blocks[index].next;
        padici_pool_give(context, &context->pools[0], index);
    }
    padici_free(&context->allocator, r->nodes, r->node_capacity * sizeof *r->nodes);
    padici_free(&context->allocator, r->buffers, r->buffer_capacity * sizeof *r->buffers);
    r->handle = NULL;
    r->nodes = NULL;
    r->buffers = NULL;
    r->node_count = r->node_capacity = r->buffer_count = r->buffer_capacity = 0;
    r->live = r->native = r->stale = 0;
    r->next = context->recording_free;
    context->recording_free = (uint32_t)(r - context->recordings);
}

static padic_result padici_record_begin_named(padic_context *context)
{
    padici_target *target = &context->targets[0];
    uint32_t index;
    padic_result result = padici_target_begin(context, target);
    if (result) return result;
    if (context->recording)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "a recording was begun already: end it with padic_record_end()");
    if (padici_target_is_host(target))
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "in host memory there is nothing to record: call the operations");
    result = padici_recording_new(context, &index);
    if (result) return result;
    if (target->backend->record && target->backend->replay) {
        padici_recording *r = &context->recordings[index];
        result = (*target->backend->record)(target->device, PADIC_RECORD_BEGIN, &r->handle);
        r->handle = NULL;
        r->native = !result;
        if (result && result != PADIC_ERROR_NOT_SUPPORTED) { // then it is kept as a list
            padici_recording_free(context, r);
            return padici_target_end(context, target, result);
        }
    }
    context->recording = index + 1;
    context->recording_serial++;
    context->recording_broken = PADIC_OK;
    return PADIC_OK;
}

PADICI_ENTRY(record_begin, (padic_context *context), (context))

static padic_result padici_record_end_named(padic_context *context, padic_record *record)
{
    padici_target *target;
    padici_recording *r;
    padic_recording *none = NULL;
    padic_result result;
    if (!context->recording)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "no recording was begun: call padic_record_begin() first");
    target = &context->targets[0];
    r = &context->recordings[context->recording - 1];
    result = context->recording_broken; // its sentence has been said
    context->recording = 0;
    if (r->native && (result || !record)) {
        if (!target->lost)
            (void)(*target->backend->record)(target->device, PADIC_RECORD_DROP, &none);
    } else if (r->native) {
        padic_result ended = padici_target_begin(context, target);
        if (!ended)
            ended = padici_target_end(context, target,
                                      (*target->backend->record)(target->device, PADIC_RECORD_END,
                                                                 &r->handle));
        result = ended;
    }
    if (result || !record)
        padici_recording_free(context, r);
    else
        record->id = (uint32_t)r->generation << 16 | ((uint32_t)(r - context->recordings) + 1);
    return result;
}

PADIC_API padic_result padic_record_end(padic_context *context, padic_record *record)
{
    const char *before = padici_enter(context, "record_end");
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (record) record->id = 0;
    if (context) result = padici_record_end_named(context, record);
    padici_leave(context, before);
    return result;
}

// One pass over a list.
static padic_result padici_recording_play(padici_target *target, padici_recording *r)
{
    const padic_backend *b = target->backend;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < r->node_count && !result; i++) {
        padici_node *n = &r->nodes[i];
        n->launch.params = n->params;
        if (n->kind == PADICI_NODE_LAUNCH)
            result = (*b->launch)(target->device, &n->launch);
        else if (n->kind == PADICI_NODE_COPY)
            result = (*b->copy)(target->device, n->launch.mem[0], n->at, n->launch.mem[1],
                                n->from_at, n->size);
        else
            result = (*b->fill)(target->device, n->launch.mem[0], n->at, n->word, n->size);
    }
    return result;
}

static const char *padici_recording_method(const padici_recording *r)
{
    return r->native ? "graph" : "list";
}

static padic_result padici_recording_replay(padic_context *context, padici_recording *r,
                                            uint32_t times)
{
    padici_target *target = &context->targets[0];
    padic_result result = padici_target_begin(context, target);
    uint32_t i;
    if (result || !times) return result;
    context->stats.replays += times;
    if (r->native) {
        result = (*target->backend->replay)(target->device, r->handle, times);
    } else {
        for (i = 0; i < times && !result; i++) result = padici_recording_play(target, r);
    }
    return padici_target_end(context, target, result);
}

static padic_result padici_record_bad(padic_context *context)
{
    return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                            "record is null, dropped or another context's");
}

static padic_result padici_record_replay_named(padic_context *context, padic_record record,
                                               uint32_t times)
{
    padici_recording *r;
    padici_stamp begin;
    padic_result result = padici_refuse(context, "a replay");
    if (result) return result;
    r = padici_recording_find(context, record);
    if (!r) return padici_record_bad(context);
    if (r->stale)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "a buffer of record was destroyed: record again");
    begin = padici_stamp_begin(context, &context->targets[0]);
    result = padici_recording_replay(context, r, times);
    return padici_stamp_end(context, &context->targets[0], &begin, result, "replay",
                            padici_recording_method(r), 0, times);
}

PADICI_ENTRY(record_replay, (padic_context *context, padic_record record, uint32_t times),
             (context, record, times))

static padic_result padici_record_drop_named(padic_context *context, padic_record record)
{
    padici_recording *r;
    padic_result result = padici_refuse(context, "dropping a recording");
    if (result) return result;
    r = padici_recording_find(context, record);
    if (!r) return padici_record_bad(context);
    padici_recording_free(context, r);
    return PADIC_OK;
}

PADICI_ENTRY(record_drop, (padic_context *context, padic_record record), (context, record))

// Layer 0 on the device of the buffers: a span and a method like those of an operation.
PADICI_UNUSED static padic_result padici_drive(padic_context *context, uint32_t kernel, void *call,
                                               int query)
{
    static const char *const names[] = {"service", "sample", "num", "sparse", "codec"};
    padici_target *target = context ? &context->targets[0] : NULL;
    padic_op_stats *stats;
    padici_stamp begin;
    padic_result result;
    if (!target || !target->backend->drive) return PADIC_ERROR_NOT_SUPPORTED;
    if (query || kernel < PADIC_KERNEL_SAMPLE)
        return (*target->backend->drive)(context, kernel, call, query);
    stats = &context->stats.kernels;
    context->method = target->backend->name;
    begin = padici_stamp_begin(context, target);
    result = (*target->backend->drive)(context, kernel, call, 0);
    result = padici_stamp_end(context, target, &begin, result,
                              names[kernel / 1000 < 5 ? kernel / 1000 : 0], context->method, 0, 0);
    if (!result) {
        stats->backend = target->backend->name;
        stats->method = context->method;
    } else if (result != PADIC_ERROR_NOT_SUPPORTED && context->recording &&
               !context->recording_broken) {
        context->recording_broken = result;
    }
    return result;
}
