#pragma once
#include "../core/platform.h"
#include "header.h"
#include "packing.h"

#ifndef PADIC_NO_CODEC

PADICI_FN uint32_t padici_codec_workers(const padic_jobs *jobs, uint64_t tasks);

// Working memory: the caller's workspace for as many workers as fit, or from the allocator.
typedef struct padici_codec_memory {
    const padic_allocator *allocator;
    uint8_t *at;
    size_t size; // 0: the caller's
} padici_codec_memory;

PADICI_FN padic_result padici_codec_memory_take(padici_codec_memory *memory, padic_context *context,
                                                const padic_allocator *own,
                                                const padic_tensor *workspace, uint64_t need,
                                                padici_codec_header *header);
PADICI_FN uint64_t padici_codec_workspace_size(const padic_tensor *workspace);
PADICI_FN void padici_codec_memory_give(padici_codec_memory *memory);
PADICI_FN PADICI_NOINLINE padic_result padici_codec_pack_in_memory(padic_context *context,
                                                              const padic_codec_pack_desc *desc);
PADICI_FN void padici_codec_report_blocks(padic_context *context, const padici_codec_header *header,
                                          uint64_t written, uint64_t reencoded,
                                          padic_codec_report *report);
PADICI_FN void padici_codec_report_packed(padic_context *context,
                                          const padici_codec_packing *packing,
                                          padic_codec_report *report);

#endif
