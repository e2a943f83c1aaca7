#include "happy.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/tensor.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_TENSOR

// Holographic codes: tiles and the links between them, layer by layer.

#define PADICI_TENSOR_HAPPY_UNSET 0xffffffffu
#define PADICI_TENSOR_HAPPY_TILES (1u << 24) // more than 8 layers have

// A dense array of host memory with `count` elements or more: *data is NULL where none is given,
// neither data nor a buffer.
PADICI_FN PADICI_NOINLINE padic_result
padici_tensor_happy_array(padic_context *context, const padic_tensor *t, const char *field,
                          padic_dtype dtype, uint64_t count, padic_result few, void **data)
{
    uint64_t n = 0, before;
    int dense = 1;
    padic_result result;
    *data = NULL;
    if (!t->data && !t->buffer.id) return PADIC_OK;
    if (t->dtype != dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, field,
                                 "has another dtype than it takes");
    result = padici_tensor_check_view(t, 0, &n);
    if (result) return padici_fail_view(context, result, field, t);
    if (!t->data)
        return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, field,
                                 "is not in host memory");
    if (n) (void)padici_tensor_span(t, &dense, &before);
    if (!dense)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is no dense array");
    if (n < count) return padici_fail_field(context, few, field, "has too few elements");
    *data = t->data;
    return PADIC_OK;
}

static uint32_t
padici_tensor_happy_base(padic_tensor_code code) // the first slot that is no bulk leg
{
    return code == PADIC_TENSOR_CODE_PENTAGON;
}

static void padici_tensor_happy_join(uint32_t *links, uint32_t a, uint32_t b)
{
    links[a] = b;
    links[b] = a;
}

// The first outward slot of a tile in the last layer but one: two of its legs may lead inward.
static uint32_t padici_tensor_happy_first(const uint32_t *links, uint32_t tile, uint32_t base)
{
    const uint32_t second = links[6 * tile + base + 1];
    return 6 * tile + base + (second != PADICI_TENSOR_HAPPY_UNSET && second / 6 < tile ? 2 : 1);
}

// The tiles on the layer [begin, end); returns how many tiles there are then.
static uint32_t padici_tensor_happy_layer(uint32_t *links, uint32_t base, uint32_t begin,
                                          uint32_t end)
{
    uint32_t t, slot, tiles = end;
    for (t = begin; t < end; t++) {
        const uint32_t next = t + 1 < end ? t + 1 : begin, last = 6 * t + 5;
        for (slot = padici_tensor_happy_first(links, t, base) + 1; slot < last; slot++)
            padici_tensor_happy_join(links, slot, 6 * tiles++ + base);
        padici_tensor_happy_join(links, padici_tensor_happy_first(links, next, base),
                                 6 * tiles + base);
        padici_tensor_happy_join(links, last, 6 * tiles++ + base + 1);
    }
    return tiles;
}

static padic_result padici_tensor_happy_build_named(padic_context *context,
                                                    const padic_tensor_happy_build_desc *desc)
{
    padic_tensor_happy *happy = desc ? desc->out : NULL;
    uint32_t *links;
    void *memory;
    padic_result result;
    uint64_t f, g = 0, tiles = 1, legs;
    uint32_t base, layer, begin, end, i;
    if (!happy || (uint32_t)desc->code > PADIC_TENSOR_CODE_HEXAGON || desc->layers > 8)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "desc or out is NULL, code is unknown, or layers above 8");
    happy->code = desc->code;
    happy->layers = desc->layers;
    memset(&happy->links, 0, sizeof happy->links);
    base = padici_tensor_happy_base(happy->code);
    f = legs = 6 - base;
    for (layer = 1; layer <= happy->layers; layer++) {
        const uint64_t both = f + g, more = (3 - base) * f + (2 - base) * g;
        if (layer > 1) {
            g = both;
            f = more;
        }
        tiles += f + g;
        legs = (5 - base) * f + (4 - base) * g;
    }
    happy->tiles = (uint32_t)tiles;
    happy->legs = (uint32_t)legs;
    result = padici_tensor_happy_array(context, &desc->links, "links", PADIC_U32, 6 * tiles,
                                       PADIC_ERROR_CAPACITY, &memory);
    links = (uint32_t *)memory;
    if (result || !links) return result;
    happy->links = padic_tensor_2d(PADIC_U32, links, tiles, 6);
    for (i = 0; i < 6 * tiles; i++) links[i] = PADICI_TENSOR_HAPPY_UNSET;
    for (begin = 0, end = 1, layer = 1; layer <= happy->layers; layer++) {
        uint32_t now = end;
        if (layer == 1)
            for (i = base; i < 6; i++) padici_tensor_happy_join(links, i, 6 * now++ + base);
        else
            now = padici_tensor_happy_layer(links, base, begin, end);
        begin = end;
        end = now;
    }
    for (i = 0, legs = 0; i < 6 * tiles; i++) {
        if (base && i % 6 == 0)
            links[i] = PADIC_TENSOR_HAPPY_BULK + i / 6;
        else if (links[i] == PADICI_TENSOR_HAPPY_UNSET)
            links[i] = PADIC_TENSOR_HAPPY_LEG + (uint32_t)legs++;
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_build(padic_context *context,
                                                const padic_tensor_happy_build_desc *desc)
{
    const char *before = padici_enter(context, "tensor_happy_build");
    const padic_result result = padici_tensor_happy_build_named(context, desc);
    padici_leave(context, before);
    return result;
}

static const char *padici_tensor_happy_fault(const padic_tensor_happy *happy)
{
    const uint32_t *links = padici_tensor_happy_links(happy);
    uint32_t i, legs = 0;
    for (i = 0; i < 6 * happy->tiles; i++) {
        const uint32_t link = links[i];
        if (happy->code == PADIC_TENSOR_CODE_PENTAGON && i % 6 == 0) {
            if (link != PADIC_TENSOR_HAPPY_BULK + i / 6) return "links are damaged";
        } else if (link & PADIC_TENSOR_HAPPY_LEG) { // in order
            if (link - PADIC_TENSOR_HAPPY_LEG != legs++) return "links are damaged";
        } else if (link >= 6 * happy->tiles || links[link] != i) {
            return "links are damaged";
        }
    }
    return legs != happy->legs ? "links are damaged, or legs" : NULL;
}

// Links as _build() made them.
PADICI_FN PADICI_NOINLINE padic_result padici_tensor_happy_check(padic_context *context,
                                                                 const padic_tensor_happy *happy)
{
    static const char none[] = "happy has no code: padic_tensor_happy_build() makes it, with links";
    const char *fault = none;
    void *links;
    if (happy && (uint32_t)happy->code <= PADIC_TENSOR_CODE_HEXAGON && happy->tiles &&
        happy->tiles <= PADICI_TENSOR_HAPPY_TILES) {
        const padic_result result =
            padici_tensor_happy_array(context, &happy->links, "happy.links", PADIC_U32,
                                      6 * (uint64_t)happy->tiles, PADIC_ERROR_MISMATCH, &links);
        if (result) return result;
        if (links) fault = padici_tensor_happy_fault(happy);
    }
    return fault ? padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault) : PADIC_OK;
}

// A mask of `bits` bits and none beyond.
PADICI_FN PADICI_NOINLINE padic_result padici_tensor_happy_part(padic_context *context,
                                                                const padic_tensor *t,
                                                                uint32_t bits,
                                                                const uint64_t **part)
{
    void *words;
    const padic_result result =
        padici_tensor_happy_array(context, t, "part", PADIC_U64, ((uint64_t)bits + 63) / 64,
                                  PADIC_ERROR_MISMATCH, &words);
    if (result) return result;
    *part = (const uint64_t *)words;
    if (!words) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "part is missing");
    if (bits % 64 && (*part)[bits / 64] >> bits % 64)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "part has bits beyond the legs or qubits");
    return PADIC_OK;
}

#undef PADICI_TENSOR_HAPPY_UNSET
#undef PADICI_TENSOR_HAPPY_TILES

#endif
