#pragma once
// --------------------------------------------------------------------------------- >>buffer API
//
// Memory of the context's device. Owned buffers come from a pool: sizes are rounded to 4 steps a
// power of two from 256 bytes to 64 MiB, then to 2 MiB, and a destroyed buffer's block serves the
// next of its size, so a program that repeats itself allocates nothing. Two live buffers never
// share memory, unless borrowed so.
//
// Common errors: ARGUMENT (no context; a zero id, a destroyed one or one of another context),
// DEVICE, DEVICE_LOST. (16 bits tell ids apart: an old one is recognised until its slot has been
// used 65,535 times more, one of another context all but once in 65,535 times.)

typedef struct padic_buffer_desc {
    uint64_t size;    // bytes; at most the device's max_alloc
    const void *data; // first contents; NULL: none in particular
    void *host;       // borrow this host memory instead of allocating; stays valid until destroy
    uint64_t native;  // borrow this cl_mem, CUdeviceptr, ... of the device instead
} padic_buffer_desc;

typedef struct padic_buffer_report {
    uint64_t size;
    uint64_t native; // the device's handle; a host pointer where the memory is the host's
    uint32_t borrowed, host;
} padic_buffer_report;

// On failure *buffer is zero. Errors: ARGUMENT (desc or buffer is NULL, two sources of memory, in a
// recording), LIMIT (max_alloc, 65,535 buffers), MEMORY.
PADIC_API padic_result padic_buffer_create(padic_context *context, const padic_buffer_desc *desc,
                                           padic_buffer *buffer);
// The id is dead at once; work already queued on the memory still ends well. Errors: ARGUMENT (in a
// recording).
PADIC_API padic_result padic_buffer_destroy(padic_context *context, padic_buffer buffer);
// Errors: ARGUMENT (report is NULL).
PADIC_API padic_result padic_buffer_info(padic_context *context, padic_buffer buffer,
                                         padic_buffer_report *report);
// Bytes in and out, in the order of the calls. Upload returns when `data` may be used again,
// download when the bytes are there. Errors: ARGUMENT (data is NULL, in a recording), REGION (a
// range that reaches beyond the end).
PADIC_API padic_result padic_buffer_upload(padic_context *context, padic_buffer buffer, uint64_t at,
                                           const void *data, uint64_t size);
PADIC_API padic_result padic_buffer_download(padic_context *context, padic_buffer buffer,
                                             uint64_t at, void *data, uint64_t size);
// Between two buffers, or two ranges of one. Errors: REGION, OVERLAP (the ranges share bytes), and
// MEMORY in a recording.
PADIC_API padic_result padic_buffer_copy(padic_context *context, padic_buffer to, uint64_t to_at,
                                         padic_buffer from, uint64_t from_at, uint64_t size);
// Repeats a 32-bit word, in the device's byte order. Errors: ARGUMENT (`at` or `size` is no
// multiple of 4), REGION, and MEMORY in a recording.
PADIC_API padic_result padic_buffer_fill(padic_context *context, padic_buffer buffer, uint64_t at,
                                         uint32_t word, uint64_t size);

