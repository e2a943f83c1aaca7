#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../context/view_task.h"
#include "../core/splitmix.h"
#include "../core/words.h"
#include "arrays.h"
#include "check.h"
#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Checkpoints
//
//     0 "PDC" 1   4 kind, volume, 0, 0   8 slices, min_length   16 weights of flip, insert, delete
//     28 stream   32 seed   40 replicas   48 capacity   56 epsilon   64 window_min, window_max
//     80 size of all   88 checksum of what is before
//
// then each replica:
//
//     0 lambda   8 target   16 next attempt   24 attempts   48 accepted   72 refused
//     80 vertices   88 thresholds: insert below and from the target, remove up to and above it
//     120 records, as words of 32 bits; 0 up to a multiple of 8; checksum of the replica
//
// Records of the torus: 4 words of each link, then the slice of each. Of the sphere: origin and
// opposite of half-edges 3 t + k, then a half-edge of each vertex. All numbers little-endian.

#define PADICI_CDT_HEADER 96u
#define PADICI_CDT_REPLICA 120u

static uint64_t padici_cdt_record_words(const padici_cdt_rules *rules, uint64_t vertices)
{
    return rules->sphere ? 6 * padici_cdt_triangles(rules, vertices) + vertices : 5 * vertices;
}

// Bytes of a replica.
static uint64_t padici_cdt_replica_bytes(const padici_cdt_rules *rules, uint64_t vertices)
{
    const uint64_t words = padici_cdt_record_words(rules, vertices);
    return PADICI_CDT_REPLICA + 4 * (words + words % 2) + 8;
}

PADIC_API uint64_t padic_cdt_save_size_bound(const padic_cdt_plan *plan)
{
    uint64_t size = PADICI_CDT_HEADER, i;
    if (!plan) return 0;
    for (i = 0; i < plan->rules.desc.replicas; i++)
        size += padici_cdt_replica_bytes(&plan->rules, plan->replicas[i].vertices);
    return size;
}

static uint64_t padici_cdt_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static double padici_cdt_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

// Half-edge 4 t + k as 3 t + k, and back.
static inline uint32_t padici_cdt_dense(uint32_t h)
{
    return h - h / 4;
}

static inline uint32_t padici_cdt_spread(uint32_t h)
{
    return h + h / 3;
}

static void padici_cdt_save_header(const padic_cdt_plan *plan, uint8_t *at, uint64_t size)
{
    const padic_cdt_plan_desc *d = &plan->rules.desc;
    memset(at, 0, PADICI_CDT_HEADER);
    memcpy(at, "PDC\1", 4);
    at[4] = (uint8_t)d->kind;
    at[5] = (uint8_t)d->volume;
    padici_store32(at + 8, d->slices);
    padici_store32(at + 12, d->min_length);
    padici_store32(at + 16, d->weight_flip);
    padici_store32(at + 20, d->weight_insert);
    padici_store32(at + 24, d->weight_delete);
    padici_store32(at + 28, d->stream);
    padici_store64(at + 32, d->seed);
    padici_store64(at + 40, d->replicas);
    padici_store64(at + 48, d->capacity);
    padici_store64(at + 56, padici_cdt_bits(d->epsilon));
    padici_store64(at + 64, d->window_min);
    padici_store64(at + 72, d->window_max);
    padici_store64(at + 80, size);
    padici_store64(at + 88, padici_checksum(at, 88, 0));
}

static void padici_cdt_save_records(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                    uint8_t *at)
{
    const uint32_t n = r->vertices;
    const uint32_t edges = rules->sphere ? 3 * (2 * n - 4) : 0;
    uint64_t i;
    for (i = 0; i < edges; i++, at += 8) {
        const uint32_t *record = r->records + 2 * (size_t)padici_cdt_spread((uint32_t)i);
        padici_store32(at, record[0]);
        padici_store32(at + 4, padici_cdt_dense(record[1]));
    }
    for (i = 0; !rules->sphere && i < 4 * (uint64_t)n; i++, at += 4)
        padici_store32(at, r->records[i]);
    for (i = 0; i < n; i++, at += 4)
        padici_store32(at, rules->sphere ? padici_cdt_dense(r->places[i]) : r->places[i]);
    if (padici_cdt_record_words(rules, n) % 2) padici_store32(at, 0);
}

static void padici_cdt_save_replica(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                    uint8_t *at)
{
    const uint64_t size = padici_cdt_replica_bytes(rules, r->vertices);
    uint32_t k;
    padici_store64(at, padici_cdt_bits(r->lambda_given));
    padici_store64(at + 8, r->target_given);
    padici_store64(at + 16, r->attempt);
    for (k = 0; k < PADIC_CDT_MOVES; k++) {
        padici_store64(at + 24 + 8 * k, r->attempts[k]);
        padici_store64(at + 48 + 8 * k, r->accepted[k]);
    }
    padici_store64(at + 72, r->refused);
    padici_store64(at + 80, r->vertices);
    for (k = 0; k < 2; k++) {
        padici_store64(at + 88 + 8 * k, r->insert[k]);
        padici_store64(at + 104 + 8 * k, r->remove[k]);
    }
    padici_cdt_save_records(rules, r, at + PADICI_CDT_REPLICA);
    padici_store64(at + size - 8, padici_checksum(at, (size_t)size - 8, 1));
}

typedef struct padici_cdt_save_task {
    padici_view_task task;
    const padic_cdt_plan *plan;
    padic_tensor bytes, state;
    uint64_t capacity, size;
} padici_cdt_save_task;

static padic_result padici_cdt_save_inspect(padici_view_task *task)
{
    padici_cdt_save_task *call = (padici_cdt_save_task *)(void *)task;
    if (!call->plan)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "plan", "is NULL");
    if (!task->view[0].tensor)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "out", "has no memory");
    if (call->capacity < call->size)
        return padici_fail_field(task->context, PADIC_ERROR_CAPACITY, "out",
                                 "is below cdt_save_size_bound");
    return PADIC_OK;
}

static padic_result padici_cdt_save_work(padici_view_task *task)
{
    padici_cdt_save_task *call = (padici_cdt_save_task *)(void *)task;
    uint8_t *at = (uint8_t *)call->bytes.data;
    uint64_t i;
    padici_cdt_state_reach(call->plan, 0, call->plan->rules.desc.replicas, &call->state);
    padici_cdt_save_header(call->plan, at, call->size);
    at += PADICI_CDT_HEADER;
    for (i = 0; i < call->plan->rules.desc.replicas; i++) {
        const padici_cdt_replica *r = &call->plan->replicas[i];
        padici_cdt_save_replica(&call->plan->rules, r, at);
        at += padici_cdt_replica_bytes(&call->plan->rules, r->vertices);
    }
    return PADIC_OK;
}

PADICI_VIEW_TASK(cdt_save)

// Bytes as a view.
static padic_tensor padici_cdt_bytes_view(const padic_bytes *bytes, uint64_t size)
{
    padic_tensor t = padic_tensor_1d(PADIC_U8, bytes->data, size);
    t.buffer = bytes->buffer;
    t.offset = bytes->offset;
    return t;
}

PADIC_API padic_result padic_cdt_save(padic_context *context, const padic_cdt_save_desc *desc)
{
    padici_cdt_save_task call;
    if (!desc) return padici_cdt_no_desc(context, "cdt_save");
    call.plan = desc->plan;
    call.size = padic_cdt_save_size_bound(desc->plan);
    call.capacity = desc->out.capacity;
    call.bytes = padici_cdt_bytes_view(&desc->out,
                                       call.size < call.capacity ? call.size : call.capacity);
    padici_view_task_begin(&call.task, context, padici_cdt_save_inspect, padici_cdt_save_work);
    padici_view_add(&call.task, "out", &call.bytes, 1);
    padici_cdt_state_view(desc->plan, 0, desc->plan ? desc->plan->rules.desc.replicas : 0,
                          &call.state);
    padici_view_add(&call.task, "state", &call.state, 0);
    if (desc->report) desc->report->size = call.size;
    return padici_run_task(context, PADIC_OP_CDT_SAVE, &call);
}

// ---- back

// The header, which must be one that _save_header() writes.
static padic_result padici_cdt_load_header(padic_context *context, const uint8_t *at, uint64_t size,
                                           padici_cdt_rules *rules)
{
    padic_cdt_plan_desc d;
    uint64_t epsilon;
    memset(rules, 0, sizeof *rules);
    if (size < 4 || memcmp(at, "PDC", 3) || !at[3])
        return padici_fail_field(context, PADIC_ERROR_CORRUPT, "bytes", "are no checkpoint");
    if (at[3] > 1)
        return padici_fail_field(context, PADIC_ERROR_VERSION, "bytes", "are of a newer version");
    if (size < PADICI_CDT_HEADER)
        return padici_fail_field(context, PADIC_ERROR_CORRUPT, "bytes", "are cut short");
    if (padici_load64(at + 88) != padici_checksum(at, 88, 0))
        return padici_fail_field(context, PADIC_ERROR_CHECKSUM, "bytes", "have a damaged header");
    memset(&d, 0, sizeof d);
    d.kind = (padic_cdt_kind)(at[4] % 2); // compared below
    d.volume = (padic_cdt_volume)(at[5] % 4);
    d.slices = padici_load32(at + 8);
    d.min_length = padici_load32(at + 12);
    d.weight_flip = padici_load32(at + 16);
    d.weight_insert = padici_load32(at + 20);
    d.weight_delete = padici_load32(at + 24);
    d.stream = padici_load32(at + 28);
    d.seed = padici_load64(at + 32);
    d.replicas = padici_load64(at + 40);
    d.capacity = padici_load64(at + 48);
    epsilon = padici_load64(at + 56);
    d.epsilon = padici_cdt_double(epsilon);
    d.window_min = padici_load64(at + 64);
    d.window_max = padici_load64(at + 72);
    if (padici_cdt_rules_make(NULL, &d, rules) || at[4] != (uint32_t)d.kind ||
        at[5] != (uint32_t)d.volume || memcmp(at + 6, "\0", 2) || // as they are, no defaults
        rules->desc.slices != d.slices || rules->desc.min_length != d.min_length ||
        rules->desc.weight_flip != d.weight_flip || rules->desc.weight_insert != d.weight_insert ||
        rules->desc.replicas != d.replicas || rules->desc.capacity != d.capacity ||
        rules->desc.window_max != d.window_max || rules->desc.window_min != d.window_min ||
        padici_cdt_bits(rules->desc.epsilon) != epsilon)
        return padici_fail_field(context, PADIC_ERROR_CORRUPT, "bytes",
                                 "have a header that cdt_save does not write");
    if (padici_load64(at + 80) != size)
        return padici_fail_field(context, PADIC_ERROR_CORRUPT, "bytes", "have another length");
    return PADIC_OK;
}

// Replicas as their counts say: all of them, and no byte more. `vertices` is the most of any.
static padic_result padici_cdt_load_sizes(padic_context *context, const padici_cdt_rules *rules,
                                          const uint8_t *at, uint64_t size, uint64_t *vertices)
{
    uint64_t i, left = size - PADICI_CDT_HEADER;
    *vertices = 0;
    at += PADICI_CDT_HEADER;
    for (i = 0; i < rules->desc.replicas; i++) {
        const uint64_t n = left < PADICI_CDT_REPLICA ? 0 : padici_load64(at + 80);
        uint64_t bytes;
        if (n < rules->least || n > rules->most) break;
        bytes = padici_cdt_replica_bytes(rules, n);
        if (bytes > left) break;
        if (padici_load64(at + bytes - 8) != padici_checksum(at, (size_t)bytes - 8, 1))
            return padici_fail_field(context, PADIC_ERROR_CHECKSUM, "bytes", "are damaged");
        if (padici_cdt_law_check(NULL, rules, padici_cdt_double(padici_load64(at)),
                                 padici_load64(at + 8)))
            break;
        if (n > *vertices) *vertices = n;
        at += bytes;
        left -= bytes;
    }
    if (i < rules->desc.replicas || left)
        return padici_fail_field(context, PADIC_ERROR_CORRUPT, "bytes",
                                 "have a replica that is cut short, or makes no sense");
    return PADIC_OK;
}

// Words of the records; the check comes later, but for numbers that cannot be made into ours.
static padic_cdt_fault padici_cdt_load_records(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                               const uint8_t *at, uint64_t *label)
{
    const uint32_t n = r->vertices;
    const uint32_t edges = rules->sphere ? 3 * (2 * n - 4) : 0;
    uint64_t i;
    for (i = 0; i < edges; i++, at += 8) {
        uint32_t *record = r->records + 2 * (size_t)padici_cdt_spread((uint32_t)i);
        const uint32_t opposite = padici_load32(at + 4);
        *label = i / 3;
        if (opposite >= edges) return PADIC_CDT_FAULT_LABEL;
        record[0] = padici_load32(at);
        record[1] = padici_cdt_spread(opposite);
    }
    for (i = 0; !rules->sphere && i < 4 * (uint64_t)n; i++, at += 4)
        r->records[i] = padici_load32(at);
    for (i = 0; i < n; i++, at += 4) {
        const uint32_t place = padici_load32(at);
        *label = rules->sphere ? i : 2 * i;
        if (place >= (rules->sphere ? edges : rules->desc.slices)) return PADIC_CDT_FAULT_LABEL;
        r->places[i] = rules->sphere ? padici_cdt_spread(place) : place;
        if (!rules->sphere) r->lengths[place]++;
    }
    *label = 0;
    return padici_cdt_record_words(rules, n) % 2 && padici_load32(at) ? PADIC_CDT_FAULT_LABEL
                                                                      : PADIC_CDT_FAULT_NONE;
}

static padic_cdt_fault padici_cdt_load_replica(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                               const uint8_t *at, void *scratch, uint64_t *label)
{
    padic_cdt_fault fault;
    uint32_t k, t;
    r->vertices = (uint32_t)padici_load64(at + 80);
    padici_cdt_law_set(rules, r, padici_cdt_double(padici_load64(at)), padici_load64(at + 8));
    r->attempt = padici_load64(at + 16);
    r->refused = padici_load64(at + 72);
    *label = 0;
    if (padici_cdt_bits(r->lambda_given) != padici_load64(at)) return PADIC_CDT_FAULT_COUNTER;
    for (k = 0; k < PADIC_CDT_MOVES; k++) {
        r->attempts[k] = padici_load64(at + 24 + 8 * k);
        r->accepted[k] = padici_load64(at + 48 + 8 * k);
    }
    for (k = 0; k < 2; k++)
        if (r->insert[k] != padici_load64(at + 88 + 8 * k) ||
            r->remove[k] != padici_load64(at + 104 + 8 * k))
            return PADIC_CDT_FAULT_COUNTER;
    for (t = 0; t < rules->desc.slices; t++) r->lengths[t] = 0;
    fault = padici_cdt_load_records(rules, r, at + PADICI_CDT_REPLICA, label);
    return fault ? fault : padici_cdt_check_replica(rules, r, scratch, label);
}

typedef struct padici_cdt_load_task {
    padici_view_task task;
    const padic_cdt_load_desc *desc;
    padic_tensor bytes;
    padic_cdt_plan *plan;
} padici_cdt_load_task;

static padic_result padici_cdt_load_plan(padici_cdt_load_task *call, padic_cdt_plan *plan,
                                         void *scratch)
{
    const uint8_t *at = (const uint8_t *)call->bytes.data + PADICI_CDT_HEADER;
    const padici_cdt_rules *rules = &plan->rules;
    uint64_t i, label;
    for (i = 0; i < rules->desc.replicas; i++) {
        padici_cdt_replica *r = &plan->replicas[i];
        const padic_cdt_fault fault = padici_cdt_load_replica(rules, r, at, scratch, &label);
        if (fault)
            return padici_cdt_corrupt(call->task.context, fault, i, label, call->desc->report);
        at += padici_cdt_replica_bytes(rules, r->vertices);
    }
    return PADIC_OK;
}

static padic_result padici_cdt_load_work(padici_view_task *task)
{
    padici_cdt_load_task *call = (padici_cdt_load_task *)(void *)task;
    const uint8_t *at = (const uint8_t *)call->bytes.data;
    const uint64_t size = call->bytes.shape[0];
    uint64_t limit = call->desc->memory_limit, bytes, vertices = 0, check;
    padici_cdt_rules rules;
    padici_cdt_scratch memory, scratch;
    padic_result result = padici_cdt_load_header(task->context, at, size, &rules);
    if (!result) result = padici_cdt_load_sizes(task->context, &rules, at, size, &vertices);
    if (result) return result;
    if (!limit) limit = PADIC_CDT_MEMORY;
    bytes = padici_cdt_plan_bytes(&rules, 0);
    check = padici_cdt_check_bytes(&rules, vertices);
    if (!bytes || bytes > limit || check > limit - bytes)
        return padici_fail_field(task->context, PADIC_ERROR_LIMIT, "memory_limit",
                                 "is below what the plan and its check need");
    result = padici_cdt_scratch_take(task->context, NULL, bytes, &memory);
    if (result) return result;
    result = padici_cdt_scratch_take(task->context, NULL, check, &scratch);
    if (!result) {
        const padic_allocator *allocator = padici_allocator(task->context);
        call->plan = padici_cdt_plan_place(memory.memory, &rules, NULL);
        if (allocator) call->plan->allocator = *allocator;
        result = padici_cdt_load_plan(call, call->plan, scratch.memory);
        padici_cdt_scratch_give(task->context, &scratch);
    }
    if (!result) return PADIC_OK;
    call->plan = NULL;
    padici_cdt_scratch_give(task->context, &memory);
    return result;
}

static padic_result padici_cdt_load_inspect(padici_view_task *task)
{
    if (task->view[0].tensor) return PADIC_OK;
    return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "bytes", "have no memory");
}

PADICI_VIEW_TASK(cdt_load)

PADIC_API padic_result padic_cdt_load(padic_context *context, const padic_cdt_load_desc *desc,
                                      padic_cdt_plan **plan)
{
    padici_cdt_load_task call;
    padic_result result;
    if (plan) *plan = NULL;
    if (!desc) return padici_cdt_no_desc(context, "cdt_load");
    if (!plan) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "cdt_load", "plan is NULL");
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    call.desc = desc;
    call.plan = NULL;
    call.bytes = padici_cdt_bytes_view(&desc->bytes, desc->bytes.size);
    padici_view_task_begin(&call.task, context, padici_cdt_load_inspect, padici_cdt_load_work);
    padici_view_add(&call.task, "bytes", &call.bytes, 0);
    result = padici_run_task(context, PADIC_OP_CDT_LOAD, &call);
    if (!result) *plan = call.plan;
    return result;
}

PADIC_API padic_result padic_cdt_info(padic_context *context, const padic_bytes *bytes,
                                      padic_cdt_plan_report *report)
{
    const char *before = padici_enter(context, "cdt_info");
    padici_cdt_rules rules;
    uint64_t vertices = 0;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (report) memset(report, 0, sizeof *report);
    if (!bytes || !bytes->data || !report)
        padici_fail_here(context, result, "bytes or report is NULL");
    else
        result = padici_cdt_load_header(context, (const uint8_t *)bytes->data, bytes->size, &rules);
    if (!result)
        result = padici_cdt_load_sizes(context, &rules, (const uint8_t *)bytes->data, bytes->size,
                                       &vertices);
    if (!result) {
        const uint8_t *at = (const uint8_t *)bytes->data + PADICI_CDT_HEADER;
        report->desc = rules.desc;
        report->desc.lambda = padici_cdt_double(padici_load64(at));
        report->desc.target = padici_load64(at + 8);
        report->size = padici_cdt_plan_bytes(&rules, 0);
        report->triangles = padici_cdt_triangles(&rules, vertices);
    }
    padici_leave(context, before);
    return result;
}

#undef PADICI_CDT_HEADER
#undef PADICI_CDT_REPLICA

#endif
