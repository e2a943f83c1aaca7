#include "select.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// Codes of keys: as flat arrays, at the end of a cache; keys of codes. kernels/pq/pq.cl.

static void padici_gpu_pq_coding_begin(padici_gpu_pq_coding *c, padici_gpu *gpu,
                                       const padici_call *call, const padic_pq_codebook *codebook,
                                       const padic_tensor *keys)
{
    memset(c, 0, sizeof *c);
    c->gpu = c->space.gpu = gpu;
    padici_pq_book_of(codebook, &c->book);
    padici_gpu_pq_view_of(call, keys, &c->keys);
    padici_gpu_pq_view_of(call, &codebook->scaled, &c->scaled);
    padici_gpu_pq_view_of(call, &codebook->info, &c->info);
    c->k.rows = (uint32_t)keys->shape[0];
    c->k.groups = (uint32_t)c->book.groups;
    c->k.count = keys->shape[2] ? (uint32_t)keys->shape[2] : 1;
    if (!keys->shape[2]) c->k.counts = 2;
    c->k.d = (uint32_t)keys->shape[3];
    c->k.m = (uint32_t)c->book.m;
    c->k.bits = c->book.bits;
    c->k.ds = (uint32_t)c->book.ds;
    c->k.extra = (uint32_t)(c->book.components - c->book.ds);
    c->k.book_rows = c->book.batch > 1;
    c->k.scaled_at = (uint32_t)c->scaled.at;
    c->k.info_at = (uint32_t)c->info.at;
    c->k.dtype = c->keys.dtype;
    c->k.keys_lo = (uint32_t)c->keys.at;
    c->k.keys_hi = (uint32_t)(c->keys.at >> 32);
    memcpy(c->k.key_step, c->keys.step, sizeof c->k.key_step);
    c->all = (uint64_t)c->k.rows * c->k.groups * c->k.count;
}

// So many keys that a launch can have a group for each, and words for all their codes.
static int padici_gpu_pq_coding_fits(const padic_pq_codebook *codebook, const padic_tensor *keys)
{
    const uint64_t m = codebook->centroids.shape[2], limit = (uint64_t)1 << 31;
    const uint64_t heads = keys->shape[0] * keys->shape[1];
    return heads < limit && keys->shape[2] < limit && (!heads || keys->shape[2] < limit / heads) &&
           heads * keys->shape[2] < limit / m;
}

// Groups that share the sub-vectors of a key: more where there are few keys.
static uint32_t padici_gpu_pq_coding_slices(const padici_gpu_pq_coding *c)
{
    const uint64_t units = c->gpu->info->compute_units ? c->gpu->info->compute_units : 16;
    const uint64_t cells = UINT64_C(1) << c->k.bits, sides = cells < 128 ? 128 / cells : 1;
    uint64_t slices = (c->k.m + sides - 1) / sides;
    if (c->gpu->tested) return 2;
    if (slices > 8 * units / c->all) slices = 8 * units / c->all;
    return slices < 1 ? 1 : (uint32_t)slices;
}

static padic_result padici_gpu_pq_coding_run(padici_gpu_pq_coding *c, padic_mem out)
{
    padic_mem mem[8];
    c->k.slices = padici_gpu_pq_coding_slices(c);
    mem[0] = c->keys.here ? c->keys.mem : c->scaled.mem;
    mem[1] = c->scaled.mem;
    mem[2] = c->info.mem;
    mem[3] = c->lengths.here ? c->lengths.mem : c->info.mem;
    mem[4] = c->pages.here ? c->pages.mem : c->info.mem;
    mem[5] = c->counts.here ? c->counts.mem : c->info.mem;
    mem[6] = out;
    mem[7] = c->found;
    return padici_gpu_pq_launch_sliced(c->gpu, PADICI_KERNEL_PQ_KEYS, NULL, 0, mem, 8, &c->k,
                                       sizeof c->k, c->all, c->k.slices);
}

// padic_pq_encode()

PADICI_FN padic_result padici_gpu_pq_encode(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_encode_desc *desc = &call->desc->pq_encode;
    padici_gpu_pq_coding c;
    padici_gpu_pq_view beyond;
    padici_k_pq_store_params k;
    uint32_t found = 0;
    padic_result result;
    if (!padici_gpu_pq_reach(call, &desc->keys, NULL, NULL) ||
        !padici_gpu_pq_coding_fits(&desc->codebook, &desc->keys))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_KEYS, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_TALLY, NULL, 0);
    if (query || result) return result;
    padici_gpu_pq_coding_begin(&c, gpu, call, &desc->codebook, &desc->keys);
    if (!c.all) return PADIC_OK;
    padici_gpu_pq_view_of(call, &desc->out, &c.out);
    padici_gpu_pq_view_of(call, &desc->clamped, &beyond);
    c.k.width = padic_dtype_size(desc->out.dtype);
    padici_gpu_pq_place(&c.out, &c.k.out_at, c.k.out_step, sizeof c.k.out_step);
    c.k.words_at = 1;
    memset(&k, 0, sizeof k);
    k.groups = c.k.groups;
    k.count = c.k.count;
    k.words_at = 1;
    k.beyond = beyond.here;
    padici_gpu_pq_place(&beyond, &k.beyond_at, k.beyond_step, sizeof k.beyond_step);
    result = padici_gpu_pq_take(&c.space, (1 + c.all) * 4, &c.found);
    if (!result) result = padici_target_fill(gpu->context, gpu->target, c.found, 0, 0, 4);
    if (!result) result = padici_gpu_pq_coding_run(&c, c.out.here ? c.out.mem : c.found);
    if (!result) {
        padic_mem mem[2];
        mem[0] = c.found;
        mem[1] = beyond.here ? beyond.mem : c.info.mem;
        result = padici_gpu_pq_launch(gpu, PADICI_KERNEL_PQ_TALLY, NULL, 0, mem, 2, &k, sizeof k,
                                      (uint64_t)c.k.rows * c.k.groups);
    }
    if (!result && !gpu->context->recording)
        result = padici_gpu_download(gpu, c.found, 0, &found, 4);
    padici_gpu_pq_end(&c.space);
    if (!result && found)
        return padici_fail(gpu->context, PADIC_ERROR_NOT_FINITE, "a key has a NaN or an infinity");
    return result;
}

// padic_pq_append()

static padic_result padici_gpu_pq_store_run(padici_gpu_pq_coding *c, const padici_call *call,
                                            const padic_pq_append_desc *desc, padic_mem fresh)
{
    padici_gpu_pq_view codes, cells, bad, beyond;
    padici_pq_store store;
    padici_k_pq_store_params k;
    padic_mem mem[8];
    memset(&k, 0, sizeof k);
    padici_pq_store_of(&desc->cache, &c->book, &store);
    padici_gpu_pq_view_of(call, &desc->cache.codes, &codes);
    padici_gpu_pq_view_of(call, &desc->cache.counts, &cells);
    padici_gpu_pq_view_of(call, &desc->not_finite, &bad);
    padici_gpu_pq_view_of(call, &desc->clamped, &beyond);
    codes.at *= padic_dtype_size(desc->cache.codes.dtype);
    k.groups = c->k.groups;
    k.count = c->k.count;
    k.m = c->k.m;
    k.bits = c->k.bits;
    k.bytes = store.tile_bytes;
    k.spans = (c->k.count + 62) / 64 + 1;
    k.codes_lo = (uint32_t)codes.at;
    k.codes_hi = (uint32_t)(codes.at >> 32);
    k.tiles = (uint32_t)store.tiles;
    k.page_tiles = (uint32_t)store.page_tiles;
    k.page_count = (uint32_t)store.page_count;
    k.row_pages = (uint32_t)store.row_pages;
    k.pages_at = (uint32_t)c->pages.at;
    k.lengths_at = (uint32_t)c->lengths.at;
    k.cells = cells.here ? (uint32_t)desc->cache.counts.shape[2] : 0;
    k.counts_at = (uint32_t)cells.at;
    k.bad = bad.here;
    padici_gpu_pq_place(&bad, &k.bad_at, k.bad_step, sizeof k.bad_step);
    k.beyond = beyond.here;
    padici_gpu_pq_place(&beyond, &k.beyond_at, k.beyond_step, sizeof k.beyond_step);
    k.words_at = c->k.words_at;
    mem[0] = fresh;
    mem[1] = c->found;
    mem[2] = codes.here ? codes.mem : fresh;
    mem[3] = c->lengths.mem;
    mem[4] = c->pages.here ? c->pages.mem : c->info.mem;
    mem[5] = cells.here ? cells.mem : fresh;
    mem[6] = bad.here ? bad.mem : fresh;
    mem[7] = beyond.here ? beyond.mem : fresh;
    return padici_gpu_pq_launch(c->gpu, PADICI_KERNEL_PQ_STORE, NULL, 0, mem, 8, &k, sizeof k,
                                (uint64_t)c->k.rows * c->k.groups * k.spans);
}

static padic_result padici_gpu_pq_append_work(padici_gpu_pq_coding *c, const padici_call *call,
                                              const padic_pq_append_desc *desc, uint32_t *found)
{
    padici_pq_store store;
    padic_mem fresh;
    padic_result result;
    padici_pq_store_of(&desc->cache, &c->book, &store);
    padici_gpu_pq_view_of(call, &desc->cache.lengths, &c->lengths);
    padici_gpu_pq_view_of(call, &desc->cache.pages, &c->pages);
    if (!c->k.counts) padici_gpu_pq_view_of(call, &desc->key_counts, &c->counts);
    if (c->counts.here) c->k.counts = 1;
    c->k.counts_at = (uint32_t)c->counts.at;
    c->k.counts_step = c->counts.step[0];
    c->k.width = 2;
    c->k.out_step[3] = 1;
    c->k.out_step[2] = c->k.m;
    c->k.out_step[1] = c->k.m * c->k.count;
    c->k.out_step[0] = c->k.m * c->k.count * c->k.groups;
    c->k.appended = 1;
    c->k.lengths_at = (uint32_t)c->lengths.at;
    c->k.capacity = (uint32_t)(store.tiles * PADICI_PQ_TILE);
    c->k.page = (uint32_t)(store.page_tiles * PADICI_PQ_TILE);
    c->k.page_count = (uint32_t)store.page_count;
    c->k.row_pages = (uint32_t)store.row_pages;
    c->k.pages_at = (uint32_t)c->pages.at;
    c->k.words_at = 1 + 2 * c->k.rows;
    result = padici_gpu_pq_take(&c->space, c->all * c->k.m * 2, &fresh);
    if (!result) result = padici_gpu_pq_take(&c->space, (c->k.words_at + c->all) * 4, &c->found);
    if (!result) result = padici_gpu_pq_coding_run(c, fresh);
    if (!result) result = padici_gpu_pq_store_run(c, call, desc, fresh);
    if (!result && !c->gpu->context->recording)
        result = padici_gpu_download(c->gpu, c->found, 0, found, 4);
    return result;
}

// In a recording nothing waits: a call that would fail leaves all as it is.
PADICI_FN padic_result padici_gpu_pq_append(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_append_desc *desc = &call->desc->pq_append;
    padici_gpu_pq_coding c;
    uint32_t found = UINT32_MAX;
    padic_result result;
    if (desc->deferred ||
        !padici_gpu_pq_reach(call, &desc->keys, &desc->cache.codes, NULL) ||
        !padici_gpu_pq_coding_fits(&desc->codebook, &desc->keys))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_KEYS, NULL, 0);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_STORE, NULL, 0);
    if (query || result) return result;
    padici_gpu_pq_coding_begin(&c, gpu, call, &desc->codebook, &desc->keys);
    if (!c.all) return PADIC_ERROR_NOT_SUPPORTED; // rows without heads have lengths
    result = padici_gpu_pq_once_append(&c, call, desc);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    result = padici_gpu_pq_append_work(&c, call, desc, &found);
    padici_gpu_pq_end(&c.space);
    if (result || found == UINT32_MAX) return result;
    if ((found & 3) == 1)
        return padici_fail(gpu->context, PADIC_ERROR_ARGUMENT, "key_counts has one above c");
    if ((found & 3) == 3)
        return padici_fail(gpu->context, PADIC_ERROR_CAPACITY,
                           "the tiles of a row have no room for its keys");
    return padici_fail(gpu->context, PADIC_ERROR_DOMAIN,
                       "cache has a length beyond its capacity, or a page that is none");
}

// padic_pq_decode()

PADICI_FN padic_result padici_gpu_pq_decode(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_decode_desc *desc = &call->desc->pq_decode;
    const uint64_t *n = desc->codes.shape, limit = (uint64_t)1 << 31;
    padici_gpu_pq_view centroids, codes, out;
    padici_gpu_pq_space space;
    padici_pq_book book;
    padici_k_pq_decode_params k;
    padic_mem mem[4];
    uint32_t found = 0;
    padic_result result;
    if (!padici_gpu_pq_reach(call, NULL, NULL, NULL) || padic_tensor_count(&desc->codes) >= limit)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_DECODE, NULL, 0);
    if (query || result || !padic_tensor_count(&desc->codes)) return result;
    memset(&k, 0, sizeof k);
    memset(&space, 0, sizeof space);
    space.gpu = gpu;
    padici_pq_book_of(&desc->codebook, &book);
    padici_gpu_pq_view_of(call, &desc->codebook.centroids, &centroids);
    padici_gpu_pq_view_of(call, &desc->codes, &codes);
    padici_gpu_pq_view_of(call, &desc->out, &out);
    k.n = (uint32_t)padic_tensor_count(&desc->codes);
    k.groups = (uint32_t)n[1];
    k.count = (uint32_t)n[2];
    k.m = (uint32_t)book.m;
    k.ds = (uint32_t)book.ds;
    k.d = (uint32_t)(book.m * book.ds);
    k.cells = (uint32_t)book.cells;
    k.book_rows = book.batch > 1;
    k.components = (uint32_t)book.components;
    k.centroids_at = (uint32_t)centroids.at;
    k.width = padic_dtype_size(desc->codes.dtype);
    padici_gpu_pq_place(&codes, &k.codes_at, k.code_step, sizeof k.code_step);
    padici_gpu_pq_place(&out, &k.out_at, k.out_step, sizeof k.out_step);
    result = padici_gpu_pq_take(&space, 4, &mem[3]);
    if (!result) result = padici_target_fill(gpu->context, gpu->target, mem[3], 0, 0, 4);
    mem[0] = centroids.mem;
    mem[1] = codes.mem;
    mem[2] = out.mem;
    if (!result)
        result = padici_gpu_pq_launch(gpu, PADICI_KERNEL_PQ_DECODE, NULL, 0, mem, 4, &k, sizeof k,
                                      padici_gpu_groups(gpu, k.n, 128));
    if (!result && !gpu->context->recording)
        result = padici_gpu_download(gpu, mem[3], 0, &found, 4);
    padici_gpu_pq_end(&space);
    if (!result && found)
        return padici_fail(gpu->context, PADIC_ERROR_DOMAIN, "codes has one that is not below K");
    return result;
}

#endif
