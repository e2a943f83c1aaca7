#include "calls.h"
#include "../../codec/buffers.h"
#include "../../codec/choose_profiles.h"
#include "../../codec/constants.h"
#include "../../codec/header.h"
#include "../../codec/pack.h"
#include "../../codec/pack_check.h"
#include "../../codec/pack_tolerance.h"
#include "../../codec/transforms.h"
#include "../../codec/unpack.h"
#include "../../context/cpu.h"
#include "../../context/messages.h"
#include "../../context/place.h"
#include "../../context/pool.h"
#include "../../context/state.h"
#include "../../context/target.h"
#include "../../core/tensor.h"
#include "driver.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC_PACK)

// Calls of the codec on a device: which of them it supports, and the driver's arguments.

// 1 if array and packed bytes lie in the device's memory, without gaps.
static int padici_gpu_codec_lies_here(const padici_call *call)
{
    return call->operand_count >= 2 && call->operands[0].tensor && call->operands[1].tensor &&
           !call->operands[0].home.host && !call->operands[1].home.host &&
           call->operands[0].dense;
}

// Adds the sentence that a refusal lacks, if none was written since `said`.
static padic_result padici_gpu_codec_say(padic_context *context, uint32_t said,
                                         const char *operation, const padici_codec_header *header,
                                         padic_result result)
{
    if (!result || result == PADIC_ERROR_NOT_SUPPORTED || context->said != said) return result;
    return padici_codec_fail(context, operation, header, result);
}

// Packs a profile of an array without gaps in blocks of consecutive elements.
static padic_result padici_gpu_codec_pack_call(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_codec_pack_desc *desc = &((const padici_codec_pack_request *)call->task)->desc;
    padic_context *context = gpu->context;
    uint8_t bytes[PADICI_CODEC_HEADER_MOST];
    padici_codec_header header;
    padici_codec_drive d;
    padic_result result = padici_codec_check(desc, PADICI_CODEC_CHECK_SIZES, &header);
    if (result) return padici_codec_fail(context, "codec_pack", &header, result);
    if (!desc->profile || !padici_codec_runs(&header, &d)) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_gpu_codec_lies_here(call)) return PADIC_ERROR_NOT_SUPPORTED;
    d.array = call->operands[0].now;
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE && !(desc->range > 0)) {
        d.asked = 1;
        result = padici_gpu_codec(gpu, 0, &d, query);
        if (result) return result;
        d.asked = 0;
    }
    if (desc->tolerance_mode != PADIC_CODEC_TOLERANCE_NONE) {
        header.error_bound = padici_codec_scalar_tolerance(
            desc, desc->range > 0 ? desc->range : padici_codec_difference_down(d.high, d.low));
        d.bounded = padici_codec_scales_of(header.error_bound, d.size, &d.scales);
        while (d.guess < 2 && d.size == 4 &&
               (d.high > padici_codec_value(PADIC_F32, d.scales.most[d.guess]) ||
                -d.low > padici_codec_value(PADIC_F32, d.scales.most[d.guess])))
            d.guess++;
    }
    padici_codec_put_header(bytes, &header);
    d.header = bytes;
    d.fetch = desc->profile == PADIC_CODEC_PROFILE_FETCH;
    d.coded = desc->profile == PADIC_CODEC_PROFILE_CODED;
    d.packed = call->operands[1].now;
    d.room = desc->packed.capacity;
    d.proving = !(desc->flags & PADIC_CODEC_PACK_NO_PROOF);
    result = padici_gpu_codec(gpu, 0, &d, query);
    if (query) return result;
    // the stream is wrong: the host makes one, if it may
    if (!result && d.wrong)
        return context->strict ? PADIC_ERROR_SELF_TEST : PADIC_ERROR_NOT_SUPPORTED;
    desc->report->packed_size = d.total; // 0 after an error
    if (!result && d.total > d.room)
        return padici_fail_field(context, PADIC_ERROR_CAPACITY, "packed",
                                 "is smaller than the stream: packed_size in the report tells");
    if (!result) padici_codec_report_blocks(context, &header, d.total, d.reencoded, desc->report);
    return result;
}

// Reads bytes at a place in a device's memory.
static padic_result padici_gpu_codec_read(padic_context *context, const padici_place *place,
                                      uint64_t at, void *to, uint64_t size)
{
    padici_place from = *place, here;
    from.at += at;
    here.mem.bits = (uint64_t)(uintptr_t)to;
    here.at = 0;
    here.host = 1;
    return padici_target_move(context, &context->targets[0], &here, &from, size);
}

// Header and index of a stream in a device's memory. The header usually gives the index's length;
// then, if *unseen, only the header is read, otherwise *unseen becomes 0.
static padic_result padici_gpu_codec_read_head(padic_context *context, const padici_place *from,
                                           uint64_t size, padici_codec_header *header,
                                           uint64_t *index, uint32_t *unseen, uint32_t *coded)
{
    uint8_t head[256], *bytes;
    uint64_t at = size < sizeof head ? size : sizeof head;
    uint32_t block;
    padic_result result = padici_gpu_codec_read(context, from, 0, head, at);
    if (!result) result = padici_codec_take_header(head, (size_t)at, header);
    if (result) return result;
    if (size < header->size + PADICI_CODEC_INDEX_FIXED) return PADIC_ERROR_CORRUPT;
    *coded = header->size + 20u < at &&
             head[header->size + 20] == PADICI_CODEC_REPRESENTATION_BUCKETS;
    at = header->grid.total * header->layers; // read again if there are fewer
    *index =
        size - PADICI_CODEC_INDEX_FIXED - (at > (size - PADICI_CODEC_INDEX_FIXED) / 8 ? 0 : 8 * at);
    *unseen &= !(header->flags & PADICI_CODEC_UNKNOWN_LENGTH) && at >> 16 == 0 &&
               *index >= header->size && size - *index == 8 * at + PADICI_CODEC_INDEX_FIXED;
    if (*unseen) return PADIC_OK;
    do {
        result = padici_pool_take(context, &context->pools[1], size - (at = *index), &block);
        if (result) return result;
        bytes = (uint8_t *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
        result = padici_gpu_codec_read(context, from, at, bytes, size - at);
        *index = result ? size : padici_load64(bytes + (size - at - 24));
        if (!result && (memcmp(bytes + (size - at - 8), "PADC-END", 8) != 0 ||
                        *index < header->size || *index > size - PADICI_CODEC_INDEX_FIXED))
            result = PADIC_ERROR_CORRUPT;
        else if (!result && *index >= at)
            result = padici_codec_index_check(bytes + (*index - at), size - *index, header);
        padici_pool_give(context, &context->pools[1], block);
    } while (!result && *index < at);
    return result;
}

// The host's answer to a stream that the device of a strict context refuses: its code and its bad
// block. NOT_SUPPORTED: the host would take it. Nothing is unpacked.
static padic_result padici_gpu_codec_verdict(padic_context *context,
                                         const padic_codec_unpack_desc *desc,
                                         const padici_place *from, uint64_t size)
{
    padic_codec_unpack_desc plain = *desc;
    padici_codec_unpacking region;
    uint64_t bad = UINT64_MAX;
    uint32_t block;
    uint8_t *bytes;
    padic_result result = padici_pool_take(context, &context->pools[1], size + 8, &block);
    if (result) return result;
    bytes = (uint8_t *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    memset(&region, 0, sizeof region);
    plain.tensor.data = &plain; // not read
    plain.packed = padic_bytes_in(bytes, size);
    result = padici_gpu_codec_read(context, from, 0, bytes, size);
    if (!result) {
        result = padici_codec_take_header(bytes, (size_t)size, &region.header);
        if (!result && !(region.header.flags & PADICI_CODEC_UNKNOWN_LENGTH))
            result = padici_codec_unpack_region(&region, &plain, 0);
        if (!result)
            result =
                padici_codec_unpack_all(context, &region, &plain, 1, &bad);
        if (result)
            padici_codec_fail(context, "codec_unpack", &region.header, result);
        else
            result = PADIC_ERROR_NOT_SUPPORTED;
    }
    padici_pool_give(context, &context->pools[1], block);
    if (desc->report) desc->report->bad_block = bad;
    return result;
}

// *unseen: the driver reads the index; 1 afterwards: it is not the expected one.
static padic_result padici_gpu_codec_unpack_seen(padici_gpu *gpu,
                                             const padic_codec_unpack_desc *desc,
                                             const padici_place *array, const padici_place *from,
                                             uint64_t size, uint32_t *unseen)
{
    padici_codec_header header;
    padici_codec_unpacking region;
    padici_codec_drive d;
    uint64_t index;
    padic_codec_unpack_desc plain = *desc;
    padic_context *context = gpu->context;
    uint32_t k, coded = 0;
    padic_result result =
        padici_gpu_codec_read_head(context, from, size, &header, &index, unseen, &coded);
    if (result)
        return context->strict ? padici_gpu_codec_verdict(context, desc, from, size)
                               : PADIC_ERROR_NOT_SUPPORTED;
    memset(&region, 0, sizeof region);
    region.header = header;
    plain.tensor.data = &plain; // not read
    result = padici_codec_unpack_region(&region, &plain, 0);
    if (result) return padici_codec_fail(context, "codec_unpack", &region.header, result);
    for (k = 0; k < header.grid.axes && !result; k++)
        if (region.count[k] != header.grid.shape[k]) result = PADIC_ERROR_NOT_SUPPORTED;
    if (!result && (desc->tensor.dtype != header.grid.dtype || header.layers > 1 ||
                    !padici_codec_runs(&header, &d)))
        result = PADIC_ERROR_NOT_SUPPORTED;
    if (result) return result;
    d.array = *array;
    d.packed = *from;
    d.room = index;
    d.unseen = *unseen;
    d.mostly = coded;
    d.bounded = header.tolerance_mode != PADIC_CODEC_TOLERANCE_NONE && d.size >= 4 && d.kind == 2;
    result = padici_gpu_codec(gpu, 1, &d, 0);
    *unseen = d.unseen;
    if (result || d.unseen || d.bad == UINT64_MAX) return result;
    return context->strict ? padici_gpu_codec_verdict(context, desc, from, size)
                           : PADIC_ERROR_NOT_SUPPORTED;
}

// Unpacks the whole array into the same dtype. Where the host reports more, also about errors, the
// answer is NOT_SUPPORTED, so that it is asked; in a strict context it only gives the error code.
static padic_result padici_gpu_codec_unpack_call(padici_gpu *gpu, const padici_call *call,
                                                 int query)
{
    const padic_codec_unpack_desc *desc = &((const padici_codec_unpack_request *)call->task)->desc;
    const padici_place *array = &call->operands[0].now, *from = &call->operands[1].now;
    const uint64_t size = desc->packed.size;
    uint32_t unseen = 1;
    padic_result result;
    if (!padici_gpu_codec_lies_here(call)) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK; // the remaining conditions depend on the stream
    result = padici_gpu_codec_unpack_seen(gpu, desc, array, from, size, &unseen);
    if (!result && unseen) {
        unseen = 0;
        result = padici_gpu_codec_unpack_seen(gpu, desc, array, from, size, &unseen);
    }
    return result;
}

PADICI_FN padic_result padici_gpu_codec_pack(padici_gpu *gpu, const padici_call *call, int query)
{
    const uint32_t said = gpu->context->said;
    return padici_gpu_codec_say(gpu->context, said, "codec_pack", NULL,
                                padici_gpu_codec_pack_call(gpu, call, query));
}

PADICI_FN padic_result padici_gpu_codec_unpack(padici_gpu *gpu, const padici_call *call, int query)
{
    const uint32_t said = gpu->context->said;
    return padici_gpu_codec_say(gpu->context, said, "codec_unpack", NULL,
                                padici_gpu_codec_unpack_call(gpu, call, query));
}

#elif PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC) // the host unpacks

PADICI_FN padic_result padici_gpu_codec_pack(padici_gpu *gpu, const padici_call *call, int query)
{
    (void)gpu;
    (void)call;
    (void)query;
    return PADIC_ERROR_NOT_SUPPORTED;
}

PADICI_FN padic_result padici_gpu_codec_unpack(padici_gpu *gpu, const padici_call *call, int query)
{
    (void)gpu;
    (void)call;
    (void)query;
    return PADIC_ERROR_NOT_SUPPORTED;
}

#endif
