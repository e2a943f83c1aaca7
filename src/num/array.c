#include "array.h"
#include "../context/cpu.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/place.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"
#include "packs.h"
#include "ring.h"

#if PADICI_IMPLEMENT_NUM

// Arrays

// The words of a unit plane for `count` elements of ring->unit_size bytes each; 0 on overflow.
PADICI_FN uint64_t padici_num_words(const padic_num_ring *ring, uint64_t count)
{
    const uint32_t rx = ring->form == PADIC_NUM_RX;
    uint64_t words;
    if (rx) count = (count >> 5) + ((count & 31) != 0);
    if (!padici_mul_u64(count, rx ? 32u * ring->words : ring->words, &words)) return 0;
    return words >> 58 ? 0 : words;
}

PADIC_API uint64_t padic_num_workspace(const padic_num_ring *ring)
{
    if (!padici_num_ring_is(ring) || ring->form != PADIC_NUM_RX) return 0;
    return ((PADICI_NUM_TEMPS + PADICI_NUM_CELLS) * (uint64_t)ring->words +
            padici_num_packs_words(ring)) * sizeof(uint64_t);
}

// Takes `size` bytes, rounded up to a multiple of 64, from a block at *at; address 0 if `base` is
// NULL.
PADICI_FN void *padici_num_take(char *base, uint64_t *at, uint64_t size)
{
    void *here = base ? base + *at : NULL;
    *at += (size + 63) & ~UINT64_C(63);
    return here;
}

PADIC_API padic_num_plane padic_num_plane_of(padic_dtype dtype, void *data)
{
    padic_num_plane plane = {NULL, {0}, PADIC_DTYPE_NONE, 0};
    plane.data = data;
    plane.dtype = dtype;
    return plane;
}

PADIC_API padic_num_plane padic_num_plane_in(padic_dtype dtype, padic_buffer buffer,
                                             uint64_t offset)
{
    padic_num_plane plane = {NULL, {0}, PADIC_DTYPE_NONE, 0};
    plane.buffer = buffer;
    plane.dtype = dtype;
    plane.offset = offset;
    return plane;
}

// Lays out the planes of an array in a block at an address divisible by 64. Returns the block's
// size in bytes.
PADICI_FN uint64_t padici_num_lay(padic_num_array *a, const padic_num_ring *ring,
                                  padic_num_model model, uint64_t count, char *base)
{
    const uint64_t padded = (count + 63) & ~UINT64_C(63);
    const uint32_t wide = ring->precision > 255;
    uint64_t at = 0;
    memset(a, 0, sizeof *a);
    a->ring = ring;
    a->model = model;
    a->count = count;
    a->unit = padic_num_plane_of(
        ring->unit_size == 4 ? PADIC_U32 : PADIC_U64,
        padici_num_take(base, &at, padici_num_words(ring, padded) * ring->unit_size));
    if (ring->form == PADIC_NUM_W128) a->high = padded;
    if (model != PADIC_NUM_RING)
        a->val = padic_num_plane_of(PADIC_I32, padici_num_take(base, &at, padded * 4));
    if (model == PADIC_NUM_BALL)
        a->known = padic_num_plane_of(wide ? PADIC_U16 : PADIC_U8,
                                      padici_num_take(base, &at, padded << wide));
    a->status = padic_num_plane_of(PADIC_U8, padici_num_take(base, &at, padded));
    a->workspace_size = padic_num_workspace(ring);
    if (a->workspace_size) a->workspace = padici_num_take(base, &at, a->workspace_size);
    return at;
}

PADIC_API uint64_t padic_num_array_size_bound(const padic_num_ring *ring, padic_num_model model,
                                              uint64_t count)
{
    padic_num_array a;
    uint64_t size;
    if (!padici_num_ring_is(ring) || (uint32_t)model > PADIC_NUM_BALL || count >> 40 ||
        (count && !padici_num_words(ring, (count + 63) & ~UINT64_C(63))))
        return 0;
    size = padici_num_lay(&a, ring, model, count, NULL) + 63; // for the alignment of the block
    return size > (size_t)-1 / 2 ? 0 : size;
}

PADIC_API padic_result padic_num_place(padic_num_array *array, const padic_num_ring *ring,
                                       padic_num_model model, uint64_t count, void *memory,
                                       uint64_t size)
{
    const uint64_t need = padic_num_array_size_bound(ring, model, count);
    const uint64_t skip = (0u - (uintptr_t)memory) & 63;
    if (!array || !memory || !need) return PADIC_ERROR_ARGUMENT;
    if (size < skip || size - skip < need - 63) return PADIC_ERROR_CAPACITY;
    padici_num_lay(array, ring, model, count, (char *)memory + skip);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_place_buffer(padic_num_array *array, const padic_num_ring *ring,
                                              padic_num_model model, uint64_t count,
                                              padic_buffer buffer, uint64_t at)
{
    padic_num_plane *planes[4];
    uint32_t i;
    if (!array || !buffer.id || at & 63 || at >> 55 ||
        !padic_num_array_size_bound(ring, model, count))
        return PADIC_ERROR_ARGUMENT;
    padici_num_lay(array, ring, model, count, (char *)(uintptr_t)64); // as if the block began there
    array->workspace = NULL;
    array->workspace_size = 0;
    planes[0] = &array->unit;
    planes[1] = &array->val;
    planes[2] = &array->known;
    planes[3] = &array->status;
    for (i = 0; i < 4; i++)
        if (planes[i]->data) {
            planes[i]->buffer = buffer;
            planes[i]->offset = ((uint64_t)(uintptr_t)planes[i]->data - 64 + at) /
                                padic_dtype_size(planes[i]->dtype);
            planes[i]->data = NULL;
        }
    return PADIC_OK;
}

// Adds a range of host memory.
PADICI_FN void padici_num_range_add(padici_num_range *list, uint32_t *n, const void *p,
                                    uint64_t bytes, uint32_t kind, uint32_t out)
{
    padici_num_range *const range = &list[*n];
    if (!p || !bytes) return;
    range->begin = (uint64_t)(uintptr_t)p;
    range->end = range->begin + bytes;
    range->mem.bits = 0;
    range->pointer = NULL;
    range->kind = kind;
    range->out = out;
    ++*n;
}

PADICI_FN void padici_num_ranges(const padic_num_ring *r, const padic_num_planes *p, uint64_t count,
                                 uint32_t out, padici_num_range *list, uint32_t *n)
{
    const uint64_t words = p->high ? p->high + count : padici_num_words(r, count);
    padici_num_range_add(list, n, p->unit, words * r->unit_size, 1, out);
    padici_num_range_add(list, n, p->val, count * (p->val16 ? 2 : 4), 2, out);
    padici_num_range_add(list, n, p->known, count * (p->known16 ? 2 : 1), 3, out);
}

PADICI_FN PADICI_NOINLINE padic_result padici_num_overlap(const padici_num_range *list, uint32_t n)
{
    uint32_t i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n && list[i].out; j++) {
            const padici_num_range *const a = &list[i], *const b = &list[j];
            const int same = a->begin == b->begin && a->end == b->end && a->kind == b->kind &&
                             a->kind && !b->out;
            if (i != j && !same && a->mem.bits == b->mem.bits && a->begin < b->end &&
                b->begin < a->end)
                return PADIC_ERROR_OVERLAP;
        }
    return PADIC_OK;
}

// Host memory that is never moved: a workspace, a word that takes status bits.
PADICI_FN void padici_num_host(padici_num_memory *memory, const void *p, uint64_t bytes,
                               uint32_t out)
{
    padici_num_range_add(memory->range, &memory->count, p, bytes, 0, out);
}

// The address of a plane, or with `memory` a place on a device, where *pointer is NULL.
static padic_result padici_num_plane_find(padic_context *context, const padic_num_plane *plane,
                                          uint64_t bytes, padici_place *place)
{
    const uint64_t size = padic_dtype_size(plane->dtype);
    uint64_t at;
    place->mem.bits = (uint64_t)(uintptr_t)plane->data;
    place->at = 0;
    place->host = 1;
    if (plane->data) return PADIC_OK;
    if (!plane->buffer.id) return PADIC_ERROR_ARGUMENT;
    if (!padici_mul_u64(plane->offset, size, &at)) at = UINT64_MAX;
    return padici_buffer_range(context, plane->buffer, at, bytes, place);
}

// Checks a plane of `count` elements of one of the dtypes in `allowed` (a mask of 1 << dtype). It
// may lie on a device only with `memory`, which takes its range; *pointer is NULL then.
PADICI_FN padic_result padici_num_plane_add(padic_context *context, padici_num_memory *memory,
                                            const padic_num_plane *plane, uint64_t count,
                                            uint32_t allowed, uint32_t kind, uint32_t out,
                                            void **pointer)
{
    const uint64_t size = padic_dtype_size(plane->dtype);
    padici_num_range *range;
    padici_place place;
    padic_result result;
    *pointer = NULL;
    if ((uint32_t)plane->dtype > 31 || !(allowed >> (uint32_t)plane->dtype & 1))
        return PADIC_ERROR_DTYPE;
    if (!count) return PADIC_OK;
    if (!padici_aligned(plane->data, (size_t)size)) return PADIC_ERROR_ALIGNMENT;
    result = padici_num_plane_find(context, plane, count * size, &place);
    if (result) return result;
    if (!memory && !place.host)
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "the buffer is in a device's memory: download it first");
    if (place.host) *pointer = padici_mem_at(place.mem, place.at);
    if (!memory) return PADIC_OK;
    range = &memory->range[memory->count++];
    range->begin = place.host ? place.mem.bits + place.at : place.at;
    range->end = range->begin + count * size;
    range->mem.bits = place.host ? 0 : place.mem.bits;
    range->pointer = pointer;
    range->kind = kind;
    range->out = out;
    memory->host += place.host;
    memory->device += !place.host;
    return PADIC_OK;
}

// The same for a dense tensor.
PADICI_FN padic_result padici_num_tensor_add(padic_context *context, padici_num_memory *memory,
                                             const padic_tensor *t, uint64_t count,
                                             uint32_t allowed, uint32_t out, void **pointer)
{
    uint64_t n, i, step = 1;
    uint32_t axis;
    int64_t stride[PADIC_MAX_RANK];
    padic_result result = padici_tensor_check_shape(t, &n);
    padic_num_plane plane;
    *pointer = NULL;
    if (result) return result;
    if (!(allowed >> (uint32_t)t->dtype & 1)) return PADIC_ERROR_DTYPE;
    if (n != count) return PADIC_ERROR_MISMATCH;
    padici_tensor_dense(t, stride);
    for (axis = t->rank; count && axis > 0; axis--) {
        i = t->shape[axis - 1];
        if (i > 1 && stride[axis - 1] != (int64_t)step) return PADIC_ERROR_ARGUMENT;
        step *= i;
    }
    plane = padic_num_plane_in(t->dtype, t->buffer, t->offset);
    plane.data = t->data;
    return padici_num_plane_add(context, memory, &plane, count, allowed, 0, out, pointer);
}

PADICI_FN padic_result padici_num_plane(padic_context *context, const padic_tensor *t,
                                        uint64_t count, uint32_t allowed, void **pointer)
{
    return padici_num_tensor_add(context, NULL, t, count, allowed, 0, pointer);
}

// The planes of an array as loops read them.
PADICI_FN padic_result padici_num_planes_add(padic_context *context, padici_num_memory *memory,
                                             const padic_num_array *a, uint32_t out,
                                             padic_num_planes *planes)
{
    const padic_num_ring *r = a->ring;
    const uint32_t word = 1u << (r->unit_size == 4 ? PADIC_U32 : PADIC_U64);
    uint64_t words = padici_num_words(r, a->count);
    padic_result result;
    memset(planes, 0, sizeof *planes);
    if (!a->count) return PADIC_OK;
    if (!words) return padici_blame(context, PADIC_ERROR_LIMIT, NULL, "count", NULL);
    if (r->form == PADIC_NUM_W128) { // one plane follows the other, or a gap lies between
        planes->high = a->high ? a->high : a->count;
        if (planes->high < a->count || planes->high >> 58)
            return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, "high",
                                "must be 0 or at least `count`");
        words = planes->high + a->count;
    }
    if (words != a->count && out) out = 2; // with gaps, which are not written
    result = padici_num_plane_add(context, memory, &a->unit, words, word, 1, out, &planes->unit);
    out = out ? 1 : 0;
    if (result) return padici_blame(context, result, NULL, "unit", NULL);
    if (a->model != PADIC_NUM_RING) {
        result = padici_num_plane_add(context, memory, &a->val, a->count,
                                      1u << PADIC_I32 | 1u << PADIC_I16, 2, out, &planes->val);
        if (result) return padici_blame(context, result, NULL, "val", NULL);
        planes->val16 = a->val.dtype == PADIC_I16;
    }
    if (a->model == PADIC_NUM_BALL) {
        result = padici_num_plane_add(context, memory, &a->known, a->count,
                                      (r->precision > 255 ? 0 : 1u << PADIC_U8) | 1u << PADIC_U16,
                                      3, out, &planes->known);
        if (result) return padici_blame(context, result, NULL, "known", NULL);
        planes->known16 = a->known.dtype == PADIC_U16;
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_num_planes_of(padic_context *context, const padic_num_array *a,
                                            padic_num_planes *planes)
{
    return padici_num_planes_add(context, NULL, a, 0, planes);
}

// 1 if two arrays have the same unit plane.
PADICI_FN int padici_num_same_units(const padic_num_array *a, const padic_num_array *b)
{
    if (a->unit.data || b->unit.data) return a->unit.data == b->unit.data;
    return a->unit.buffer.id && a->unit.buffer.id == b->unit.buffer.id &&
           a->unit.offset == b->unit.offset;
}

PADICI_FN void padici_num_advance(const padic_num_ring *r, padic_num_planes *p, uint64_t first)
{
    if (!p->unit || p->scalar) return;
    p->unit = (char *)p->unit +
              (r->form == PADIC_NUM_RX ? first * r->words : first) * r->unit_size; // first in tiles
    if (p->val) p->val = (char *)p->val + first * (p->val16 ? 2 : 4);
    if (p->known) p->known = (char *)p->known + first * (p->known16 ? 2 : 1);
}

#endif
