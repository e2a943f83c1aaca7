#pragma once
// -------------------------------------------------------------------------------- >>record API
//
// Work that repeats can be kept and handed to the driver again at a fraction of the cost: as a
// graph where the device has graphs (PADIC_FEATURE_RECORD), else as the list of its launches.
//
//     padic_wave_superpose(context, &desc);               // once unrecorded: builds, takes scratch
//     padic_record_begin(context);
//     padic_wave_superpose(context, &desc);               // nothing runs here
//     padic_record_end(context, &record);
//     padic_record_replay(context, record, 1000);         // a thousand times, in order
//     padic_record_drop(context, record);
//
// Operations, padic_buffer_copy() and padic_buffer_fill() are recorded, with every value of their
// descs as it was. Whatever would need the host is refused with ARGUMENT before the driver sees it:
// creating and destroying buffers, upload, download, sync, an operation that the device does not do
// or that was not called before. A recording in which an operation failed is broken: the end says
// so, and the context is as before. In host memory there is nothing to gain: NOT_SUPPORTED.
//
// A recording keeps the scratch it took. It uses its buffers where they are: once one of them is
// destroyed, replay is refused. Ids are like those of buffers.

typedef struct padic_record {
    uint32_t id;
} padic_record;

// Errors: NOT_SUPPORTED (host memory), ARGUMENT (begun already), MEMORY, DEVICE, DEVICE_LOST.
PADIC_API padic_result padic_record_begin(padic_context *context);
// `record` NULL: throws away what was recorded. On failure nothing is kept and *record is zero.
// Errors: ARGUMENT (not begun), that of the operation that failed, MEMORY, DEVICE, DEVICE_LOST.
PADIC_API padic_result padic_record_end(padic_context *context, padic_record *record);
// Returns at once. Errors: ARGUMENT (null, dropped, a buffer destroyed; in a recording), DEVICE,
// DEVICE_LOST.
PADIC_API padic_result padic_record_replay(padic_context *context, padic_record record,
                                           uint32_t times);
PADIC_API padic_result padic_record_drop(padic_context *context, padic_record record);

