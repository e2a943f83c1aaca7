#pragma once
#include "../core/platform.h"
#include "header.h"
#include "packing.h"

#ifndef PADIC_NO_CODEC

PADICI_FN uint32_t padici_workers(const padic_jobs *jobs, uint64_t tasks);

// Working memory: the caller's scratch for as many workers as fit, or from the allocator.
typedef struct padici_memory {
    const padic_allocator *allocator;
    uint8_t *at;
    size_t size; // 0: the caller's
} padici_memory;

PADICI_FN padic_result padici_memory_take(padici_memory *memory, padic_context *context,
                                          const padic_allocator *own, void *scratch,
                                          size_t scratch_size, uint64_t need);
PADICI_FN void padici_memory_give(padici_memory *memory);
PADICI_FN void padici_report_blocks(padic_context *context, const padici_header *header,
                                    uint64_t written, uint64_t reencoded,
                                    padic_codec_report *report);
PADICI_FN void padici_report_packed(padic_context *context, const padici_packing *packing,
                                    padic_codec_report *report);

#endif
