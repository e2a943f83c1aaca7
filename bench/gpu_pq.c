// gpu_pq.c: a decoder's steps with product-quantised keys on a device, as CSV, microseconds.
//
//     cc -O2 -std=gnu99 -DPADIC_ONLY_PQ bench/gpu_pq.c -o gpu_pq -lm -lpthread -ldl
//     ./gpu_pq [cuda|opencl] [--repeat N] [--filter NAME]
//     python3 bench/peers/pq_torch.py                            the same shapes by PyTorch
//
// Keys of 128 components, random codes; sink, window and the first coded position 128; f32 queries,
// keys and values for attention in f16. Each step appends a key to each head, so lengths go back
// after 64 steps, outside the clock. All is in the device's memory, and lists are compared with the
// reference's. Columns: device, name, rows, heads, keys (of a head), first (plan, programs, tests,
// a step), call (a step as three calls by a plan, which wait for the append's answer), step
// (recorded: append, lists, attention), lists (recorded: append, lists), wall (a recorded step and
// the wait for its end), cold (the same, after 256 MB were copied), attend (over the lists, calls),
// full (over all keys, calls), launches (of a step), gbs (codes over `lists`), share (keys and
// values of `full` over the copy rate of this run). 0: not measured for this shape.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#define PADIC_IMPLEMENTATION
#include "../padic.h"

#include "../backends/padic_cuda.h"
#include "../backends/padic_opencl.h"

#include "gpu.h"

enum { D = 128, EDGE = 128, STEPS = 64 }; // EDGE: sink, window, first coded position

typedef struct pq_row {
    const char *name;
    uint64_t b, h, g, keys, m, heavy;
    uint32_t bits;
    int attends; // keys and values fit into memory
} pq_row;

static const pq_row rows[] = {
    {"small", 1, 4, 2, 3000, 2, 64, 6, 1},
    {"PQ-32k", 1, 32, 32, 32000, 2, 128, 6, 1},
    {"PQ-32k g8", 1, 32, 8, 32000, 2, 128, 6, 1},
    {"PQ-32k g1", 1, 32, 1, 32000, 2, 128, 6, 1},
    {"4k", 1, 32, 32, 4096, 2, 128, 6, 1},
    {"128k", 1, 32, 32, 131072, 2, 128, 6, 1},
    {"1M", 1, 32, 32, 1 << 20, 2, 128, 6, 0},
    {"b 16", 16, 32, 32, 32000, 2, 128, 6, 0},
    {"b 64", 64, 32, 32, 32000, 2, 128, 6, 0},
    {"k 512", 1, 32, 32, 32000, 2, 512, 6, 1},
    {"k 4096", 1, 32, 32, 32000, 2, 4096, 6, 1},
    {"2 x 256", 1, 32, 32, 32000, 2, 128, 8, 0},
    {"4 x 16", 1, 32, 32, 32000, 4, 128, 4, 0},
    {"8 x 256", 1, 32, 32, 32000, 8, 128, 8, 0},
    {"16 x 16", 1, 32, 32, 32000, 16, 128, 4, 0},
    {"16 x 256", 1, 32, 32, 32000, 16, 128, 8, 0},
    {"32 x 16", 1, 32, 32, 32000, 32, 128, 4, 0},
    {"32 x 256", 1, 32, 32, 32000, 32, 128, 8, 0},
    {"PQ-1M", 1, 1, 1, 1 << 20, 32, 2048, 8, 0},
};

typedef struct world { // what the device has; `host` beside it has other memory
    padic_pq_plan_desc desc, host;
    padic_pq_attend_full_desc full;
    padic_buffer lengths, counts, flush[2]; // of before the steps
    uint64_t counts_size, rows;
    padic_pq_plan *plan, *lists;
    padic_record step, shorter;
} world;

static padic_tensor tensor(padic_dtype dtype, void *data, uint32_t rank, uint64_t n0, uint64_t n1,
                           uint64_t n2, uint64_t n3, uint64_t n4)
{
    const uint64_t shape[5] = {n0, n1, n2, n3, n4};
    return padic_tensor_nd(dtype, data, rank, shape);
}

// In a buffer.
static padic_tensor there(const padic_tensor *t)
{
    const uint64_t size = padic_tensor_count(t) * padic_dtype_size(t->dtype);
    padic_tensor x = *t;
    if (!t->data) return x;
    x.data = NULL;
    return padic_tensor_in(x, buffer_with(size, t->data), 0);
}

static uint16_t *halves(uint64_t count) // f16 below 2
{
    uint16_t *data = (uint16_t *)malloc(count * sizeof *data);
    uint32_t seed = 7;
    uint64_t i;
    if (!data) exit(1);
    for (i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (uint16_t)(seed >> 12 & 0xbfffu);
    }
    return data;
}

static void *zeros(uint64_t size)
{
    void *p = calloc(size ? size : 1, 1);
    if (!p) exit(1);
    return p;
}

// Codes of all but the window and the key of the first step.
static void make_cache(const pq_row *r, padic_pq_append_desc *append)
{
    const uint64_t cells = (uint64_t)1 << r->bits, ds = D / r->m, n = r->keys - EDGE - 1;
    const uint64_t tiles = (n + STEPS) / 64 + 1, width = r->bits <= 4 ? 32 : 64;
    const uint64_t count = r->b * r->g * n * r->m;
    padic_pq_prepare_desc prepare = PADIC_ZERO;
    padic_pq_import_desc import = PADIC_ZERO;
    uint8_t *codes = (uint8_t *)zeros(count);
    uint32_t seed = 3;
    uint64_t i;
    padic_pq_codebook *book = &append->codebook;
    padic_pq_cache *cache = &append->cache;
    book->centroids =
        tensor(PADIC_F32, numbers(r->g * r->m * cells * ds), 5, 1, r->g, r->m, cells, ds);
    book->scaled = tensor(PADIC_F32, zeros(r->g * r->m * cells * (ds + 1) * 4), 5, 1, r->g, r->m,
                          ds + 1, cells);
    book->info = tensor(PADIC_I32, zeros(r->g * r->m * 16), 4, 1, r->g, r->m, 4, 0);
    prepare.codebook = *book;
    must(padic_pq_prepare(NULL, &prepare), "prepare");
    cache->codes = tensor(PADIC_U8, zeros(r->b * r->g * tiles * r->m * width), 5, r->b, r->g,
                          tiles, r->m, width);
    cache->lengths = padic_tensor_1d(PADIC_U32, zeros(r->b * 4), r->b);
    if (r->m * r->bits <= 13)
        cache->counts = tensor(PADIC_U32, zeros(r->b * r->g * 4 << r->m * r->bits), 3, r->b, r->g,
                               (uint64_t)1 << r->m * r->bits, 0, 0);
    cache->start = EDGE;
    cache->bits = r->bits;
    for (i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        codes[i] = (uint8_t)(seed >> 16 & (cells - 1));
    }
    import.cache = *cache;
    import.codes = tensor(PADIC_U8, codes, 4, r->b, r->g, n, r->m, 0);
    must(padic_pq_import(NULL, &import), "import");
    append->keys = tensor(PADIC_F32, numbers(r->b * r->g * D), 4, r->b, r->g, 1, D, 0);
    free(codes);
}

static void make_device(const pq_row *r, world *w)
{
    const padic_pq_append_desc *from = &w->host.append;
    padic_pq_append_desc *to = &w->desc.append;
    w->desc = w->host;
    to->codebook.centroids = there(&from->codebook.centroids);
    to->codebook.scaled = there(&from->codebook.scaled);
    to->codebook.info = there(&from->codebook.info);
    to->cache.codes = there(&from->cache.codes);
    to->cache.lengths = there(&from->cache.lengths);
    to->cache.counts = there(&from->cache.counts);
    to->keys = there(&from->keys);
    w->desc.select.queries = there(&w->host.select.queries);
    w->lengths = buffer_with(4 * r->b, from->cache.lengths.data);
    w->counts_size = padic_tensor_count(&from->cache.counts) * 4;
    if (!from->cache.counts.data) w->counts_size = 0;
    w->counts = buffer_with(w->counts_size, from->cache.counts.data);
    w->rows = r->b;
    w->flush[0] = buffer_of(UINT64_C(1) << 28);
    w->flush[1] = buffer_of(UINT64_C(1) << 28);
}

static void make_attention(const pq_row *r, world *w)
{
    const uint64_t keys = r->keys + STEPS;
    uint16_t *data = halves(r->b * r->g * keys * D);
    const padic_tensor on_host = tensor(PADIC_F16, data, 4, r->b, r->g, keys, D, 0);
    padic_pq_attend_desc *a = &w->desc.attend;
    a->keys = there(&on_host);
    a->values = there(&on_host);
    a->out = tensor(PADIC_F32, NULL, 4, r->b, r->h, 1, D, 0);
    a->out = padic_tensor_in(a->out, buffer_of(r->b * r->h * D * 4), 0);
    w->full.queries = w->desc.select.queries;
    w->full.keys = a->keys;
    w->full.values = a->values;
    w->full.key_count = r->keys;
    w->full.out = a->out;
    free(data);
}

// Lengths and counts as they were before the steps.
static void back(const world *w)
{
    const padic_pq_cache *cache = &w->desc.append.cache;
    must(padic_buffer_copy(context, cache->lengths.buffer, 0, w->lengths, 0, 4 * w->rows), "back");
    if (w->counts_size)
        must(padic_buffer_copy(context, cache->counts.buffer, 0, w->counts, 0, w->counts_size),
             "back");
}

static void call_plan(void *arg)
{
    must(padic_pq_plan_step(((const world *)arg)->plan, NULL), "step");
}

static void call_step(void *arg)
{
    must(padic_record_replay(context, ((const world *)arg)->step, 1), "replay");
}

static void call_lists(void *arg)
{
    must(padic_record_replay(context, ((const world *)arg)->shorter, 1), "replay");
}

static void call_attend(void *arg)
{
    must(padic_pq_attend(context, (const padic_pq_attend_desc *)arg), "attend");
}

static void call_full(void *arg)
{
    must(padic_pq_attend_full(context, (const padic_pq_attend_full_desc *)arg), "attend_full");
}

// us of one of `calls` calls that follow each other from the first length on. `cold`: after a copy.
static double steps(call_fn call, world *w, int calls, int cold)
{
    double t[64];
    int i;
    for (i = 0; i < repeats; i++) {
        back(w);
        if (cold)
            must(padic_buffer_copy(context, w->flush[1], 0, w->flush[0], 0, UINT64_C(1) << 28),
                 "flush");
        must(padic_context_sync(context), "sync");
        t[i] = measure_once(call, w, calls) / calls;
    }
    return median(t, repeats) * 1e-3;
}

static padic_record record_of(padic_pq_plan *plan, const world *w)
{
    padic_record record = {0};
    back(w);
    must(padic_pq_plan_step(plan, NULL), "step"); // takes what other recordings do not hold
    back(w);
    must(padic_record_begin(context), "record");
    must(padic_pq_plan_step(plan, NULL), "step");
    must(padic_record_end(context, &record), "record");
    return record;
}

// The device's lists are those of the reference after the same step.
static void compare(const pq_row *r, world *w)
{
    padic_pq_plan *plan = NULL;
    padic_pq_plan_report got, want;
    uint64_t size;
    void *data;
    w->host.parts = PADIC_PQ_PLAN_APPEND | PADIC_PQ_PLAN_SELECT;
    must(padic_pq_plan_create(NULL, &w->host, &plan), "plan");
    must(padic_pq_plan_step(plan, NULL), "step");
    must(padic_pq_plan_info(plan, &want), "info");
    must(padic_pq_plan_info(w->plan, &got), "info");
    size = padic_tensor_count(&want.lists) * 4;
    data = zeros(size);
    must(padic_buffer_download(context, got.lists.buffer, got.lists.offset * 4, data, size),
         "download");
    if (memcmp(data, want.lists.data, size)) {
        fprintf(stderr, "%s: other lists than the reference's\n", r->name);
        exit(1);
    }
    free(data);
    padic_pq_plan_destroy(plan);
}

static uint64_t launches(void)
{
    padic_stats stats;
    padic_context_stats(context, &stats);
    return stats.launches;
}

static void free_all(const pq_row *r, world *w)
{
    padic_tensor *const t[10] = {
        &w->desc.append.codebook.centroids, &w->desc.append.codebook.scaled,
        &w->desc.append.codebook.info,      &w->desc.append.cache.codes,
        &w->desc.append.cache.lengths,      &w->desc.append.cache.counts,
        &w->desc.append.keys,               &w->desc.select.queries,
        &w->desc.attend.keys,               &w->desc.attend.values};
    padic_tensor *const on_host[8] = {
        &w->host.append.codebook.centroids, &w->host.append.codebook.scaled,
        &w->host.append.codebook.info,      &w->host.append.cache.codes,
        &w->host.append.cache.lengths,      &w->host.append.cache.counts,
        &w->host.append.keys,               &w->host.select.queries};
    int i;
    must(padic_record_drop(context, w->step), "drop");
    must(padic_record_drop(context, w->shorter), "drop");
    padic_pq_plan_destroy(w->plan);
    padic_pq_plan_destroy(w->lists);
    for (i = 0; i < 10; i++)
        if (t[i]->buffer.id) must(padic_buffer_destroy(context, t[i]->buffer), "buffer");
    for (i = 0; i < 8; i++) free(on_host[i]->data);
    if (r->attends) must(padic_buffer_destroy(context, w->desc.attend.out.buffer), "buffer");
    must(padic_buffer_destroy(context, w->lengths), "buffer");
    must(padic_buffer_destroy(context, w->counts), "buffer");
    for (i = 0; i < 2; i++) must(padic_buffer_destroy(context, w->flush[i]), "buffer");
}

static void bench(const pq_row *r)
{
    const double bytes = (double)(r->b * r->g * r->keys * r->m) * (r->bits <= 4 ? 0.5 : 1);
    const double read = (double)(r->b * r->g * r->keys) * D * 4; // keys and values, f16
    padic_pq_plan_report report;
    padic_pq_attend_desc attend;
    uint64_t count;
    double first, call, step, list, wall, cold, over = 0, full = 0, t[64];
    world w;
    memset(&w, 0, sizeof w);
    make_cache(r, &w.host.append);
    w.host.select.queries =
        tensor(PADIC_F32, numbers(r->b * r->h * D), 4, r->b, r->h, 1, D, 0);
    w.host.select.sink = w.host.select.window = EDGE;
    w.host.select.heavy = r->heavy;
    make_device(r, &w);
    w.desc.parts = PADIC_PQ_PLAN_APPEND | PADIC_PQ_PLAN_SELECT;
    must(padic_pq_plan_create(context, &w.desc, &w.lists), "plan");
    if (r->attends) make_attention(r, &w);
    if (r->attends) w.desc.parts = 0;
    first = now();
    must(padic_pq_plan_create(context, &w.desc, &w.plan), "plan");
    call_plan(&w);
    must(padic_context_sync(context), "sync");
    first = (now() - first) * 1e-3;
    compare(r, &w);
    must(padic_pq_plan_step(w.lists, NULL), "step");
    w.step = record_of(w.plan, &w);
    w.shorter = record_of(w.lists, &w);
    back(&w);
    count = launches();
    call_plan(&w);
    count = launches() - count;
    call = steps(call_plan, &w, STEPS, 0);
    step = steps(call_step, &w, STEPS, 0);
    list = steps(call_lists, &w, STEPS, 0);
    wall = steps(call_step, &w, 1, 0);
    cold = steps(call_step, &w, 1, 1);
    if (r->attends) {
        attend = w.desc.attend;
        must(padic_pq_plan_info(w.plan, &report), "info");
        attend.queries = w.desc.select.queries;
        attend.lists = report.lists;
        attend.lengths = report.lengths;
        over = measure_many(call_attend, &attend, 2e7, t) * 1e-3;
        full = measure_many(call_full, &w.full, 2e7, t) * 1e-3;
    }
    printf("\"%s\",%s,%llu,%llu,%llu,%.0f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%llu,%.1f,%.3f\n",
           info.name, r->name, (unsigned long long)r->b, (unsigned long long)r->h,
           (unsigned long long)r->keys, first, call, step, list, wall, cold, over, full,
           (unsigned long long)count, bytes / list * 1e-3,
           full > 0 ? read / full * 1e-3 / copy_rate : 0);
    fflush(stdout);
    free_all(r, &w);
}

int main(int argc, char **argv)
{
    const char *filter = NULL;
    size_t i;
    const int code = open_named(argc, argv, padic_cuda(), padic_opencl(), &filter);
    if (code) return code;
    puts("device,name,rows,heads,keys,first,call,step,lists,wall,cold,attend,full,launches,gbs,"
         "share");
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!filter || !strcmp(filter, rows[i].name)) bench(&rows[i]);
    padic_context_destroy(context);
    return 0;
}
