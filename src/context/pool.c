#include "pool.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/words.h"
#include "grow.h"
#include "kept_calls.h"
#include "messages.h"
#include "operation.h"
#include "recording.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// The pool. Sizes are rounded so that blocks serve again: 4 steps a power of two.

// Rounds *size up and returns its size class.
static uint32_t padici_pool_size_class(uint64_t *size)
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
        return PADICI_POOL_SIZE_CLASSES - 1;
    }
    k = 63 - padici_clz64(*size - 1); // 2^k < size <= 2^(k + 1)
    step = UINT64_C(1) << (k - 2);
    *size = (*size + step - 1) / step * step;
    return (k - 8) * 4 + (uint32_t)((*size - (UINT64_C(1) << k)) / step);
}

PADICI_FN void padici_pool_begin(padici_pool *pool, padici_target *target)
{
    uint32_t i;
    memset(pool, 0, sizeof *pool);
    pool->target = target;
    pool->unused = PADICI_NO_BLOCK;
    for (i = 0; i < PADICI_POOL_SIZE_CLASSES; i++) pool->idle[i] = PADICI_NO_BLOCK;
}

// Gives one idle block back to its backend.
static void padici_pool_drop(padic_context *context, padici_pool *pool, uint32_t index)
{
    padici_block *block = &pool->blocks[index];
    uint64_t size = block->size;
    uint32_t *link = &pool->idle[padici_pool_size_class(&size)];
    while (*link != index) link = &pool->blocks[*link].next;
    *link = block->next;
    (*pool->target->backend->free)(pool->target->device, block->mem, block->size);
    context->stats.pool_idle -= block->size;
    block->size = 0;
    block->idle = 0;
    block->next = pool->unused;
    pool->unused = index;
}

// The best idle block for a rounded size: a size class has one size (unless max_alloc cuts it); of
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
    if (result == PADIC_ERROR_MEMORY && (context->stats.pool_idle || context->kept_calls)) {
        padici_kept_call_end_all(context);
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

PADICI_FN void padici_pool_give(padic_context *context, padici_pool *pool, uint32_t index)
{
    padici_block *block = &pool->blocks[index];
    uint64_t size = block->size;
    uint32_t bin = padici_pool_size_class(&size);
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

PADICI_FN padic_result padici_pool_take(padic_context *context, padici_pool *pool, uint64_t size,
                                        uint32_t *index)
{
    const uint64_t limit = pool->target->info.max_alloc;
    padic_result result = PADIC_OK;
    uint32_t bin;
    padici_block *block;
    if (size >> 62 || (limit && size > limit)) return padici_pool_limit(context, size, limit);
    bin = padici_pool_size_class(&size);
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

PADICI_FN void padici_pool_end(padic_context *context, padici_pool *pool)
{
    uint32_t i;
    for (i = 0; i < pool->count; i++)
        if (pool->blocks[i].size)
            (*pool->target->backend->free)(pool->target->device, pool->blocks[i].mem,
                                           pool->blocks[i].size);
    padici_free(&context->allocator, pool->blocks, pool->capacity * sizeof *pool->blocks);
}

PADIC_API void padic_context_trim(padic_context *context, uint64_t keep)
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

#endif
