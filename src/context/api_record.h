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
// Operations of every area are recorded, with every value of their descs as it was, where the
// device does them by launches alone; so are padic_buffer_copy() and padic_buffer_fill(). Whatever
// would need the host is refused with ARGUMENT before the driver sees it: creating and destroying
// buffers, upload, download, sync, and an operation that the device does not do, that has an
// operand in host memory, that sends a table up or waits for a result on its way, or whose program
// was not built by a call before. An operation (any padic_op) that fails or is refused breaks the
// recording, as does a failure of the driver, or of memory to record in: its end says which one,
// and why. Any other call that is refused (upload, sync, ...) does nothing, and the recording goes
// on. In host memory there is nothing to gain: NOT_SUPPORTED.
//
// A recording keeps the scratch it took. It uses its buffers where they are: once one of them is
// destroyed, replay is refused. Ids are like those of buffers. Common errors: ARGUMENT (no
// context), DEVICE, DEVICE_LOST.

typedef struct padic_record {
    uint32_t id;
} padic_record;

// Errors: NOT_SUPPORTED (host memory), ARGUMENT (begun already), LIMIT (65,535 recordings), MEMORY.
PADIC_API padic_result padic_record_begin(padic_context *context);
// `record` NULL: throws away what was recorded. On failure nothing is kept and *record is zero.
// Errors: ARGUMENT (not begun), that of the operation that failed, MEMORY.
PADIC_API padic_result padic_record_end(padic_context *context, padic_record *record);
// Returns at once. Errors: ARGUMENT (null, dropped, a buffer destroyed; in a recording).
PADIC_API padic_result padic_record_replay(padic_context *context, padic_record record,
                                           uint32_t times);
// Frees a recording. Errors: ARGUMENT (null, dropped; in a recording).
PADIC_API padic_result padic_record_drop(padic_context *context, padic_record record);

