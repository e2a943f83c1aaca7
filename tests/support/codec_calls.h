// codec_calls.h: the codec's calls with their arguments side by side, as most tests want them.
// Include it after padic.h.
#ifndef CODEC_CALLS_H
#define CODEC_CALLS_H

#include <string.h>

// The report of an unpacker is one number.
#define CODEC_BAD_BLOCK(number) ((padic_codec_unpack_report *)(void *)(number))

// U8 views as bytes.
static inline padic_bytes codec_bytes(const padic_tensor *view)
{
    padic_bytes bytes = padic_bytes_out(view->data, view->shape[0]);
    bytes.size = view->shape[0];
    if (!view->data) bytes.buffer = view->buffer, bytes.offset = view->offset;
    return bytes;
}

static inline padic_tensor codec_workspace(void *data, uint64_t size)
{
    return padic_tensor_1d(PADIC_U8, data, size);
}

static inline padic_result codec_pack(padic_context *context, const padic_codec_pack_desc *desc,
                                      void *to, size_t capacity, size_t *size)
{
    padic_codec_pack_desc all = *desc;
    padic_codec_report own;
    padic_result result;
    all.packed = padic_bytes_out(to, capacity);
    if (!all.report) all.report = &own;
    result = padic_codec_pack(context, &all);
    *size = (size_t)all.report->packed_size;
    return result;
}

static inline padic_result codec_pack_to(padic_context *context, const padic_codec_pack_desc *desc,
                                         const padic_tensor *packed, uint64_t *size)
{
    padic_codec_pack_desc all = *desc;
    padic_codec_report own;
    padic_result result;
    all.packed = codec_bytes(packed);
    if (!all.report) all.report = &own;
    result = padic_codec_pack(context, &all);
    *size = all.report->packed_size;
    return result;
}

static inline padic_result codec_unpack(padic_context *context, const padic_codec_unpack_desc *desc,
                                        const void *from, size_t size)
{
    padic_codec_unpack_desc all = *desc;
    all.packed = padic_bytes_in(from, size);
    return padic_codec_unpack(context, &all);
}

static inline padic_result codec_unpack_from(padic_context *context,
                                             const padic_codec_unpack_desc *desc,
                                             const padic_tensor *packed)
{
    padic_codec_unpack_desc all = *desc;
    all.packed = codec_bytes(packed);
    return padic_codec_unpack(context, &all);
}

static inline padic_result codec_verify(padic_context *context, const padic_codec_unpack_desc *desc,
                                        const void *from, size_t size)
{
    padic_codec_verify_desc all;
    memset(&all, 0, sizeof all);
    all.packed = padic_bytes_in(from, size);
    if (desc) {
        all.reference = desc->reference;
        all.layers = desc->layers;
        all.memory_limit = desc->memory_limit;
        all.output_limit = desc->output_limit;
        all.workspace = desc->workspace;
        all.allocator = desc->allocator;
        all.progress = desc->progress;
        all.report = desc->report;
    }
    return padic_codec_verify(context, &all);
}

static inline padic_result codec_info(const void *from, size_t size, padic_codec_report *report)
{
    padic_codec_info_desc desc;
    desc.packed = padic_bytes_in(from, size);
    desc.report = report;
    return padic_codec_info(NULL, &desc);
}

static inline padic_result codec_pack_begin(padic_context *context,
                                            const padic_codec_pack_desc *desc,
                                            padic_codec_write write, void *user,
                                            padic_codec_packer **packer)
{
    padic_codec_pack_begin_desc begin;
    memset(&begin, 0, sizeof begin);
    if (desc) begin.pack = *desc;
    begin.write = write;
    begin.user = user;
    return padic_codec_pack_begin(context, &begin, packer);
}

static inline padic_result codec_pack_push(padic_codec_packer *packer, const void *data,
                                           size_t size)
{
    const padic_bytes bytes = padic_bytes_in(data, size);
    return padic_codec_pack_push(packer, &bytes);
}

static inline padic_result codec_unpack_begin(padic_context *context,
                                              const padic_codec_unpack_desc *desc,
                                              padic_codec_read read, void *user,
                                              padic_codec_report *report,
                                              padic_codec_unpacker **unpacker)
{
    padic_codec_unpack_begin_desc begin;
    memset(&begin, 0, sizeof begin);
    if (desc) begin.unpack = *desc;
    begin.read = read;
    begin.user = user;
    begin.report = report;
    return padic_codec_unpack_begin(context, &begin, unpacker);
}

static inline padic_result codec_unpack_pull(padic_codec_unpacker *unpacker, void *data,
                                             size_t size, size_t *got)
{
    padic_bytes bytes = padic_bytes_out(data, size);
    const padic_result result = padic_codec_unpack_pull(unpacker, &bytes);
    *got = (size_t)bytes.size;
    return result;
}

#endif
