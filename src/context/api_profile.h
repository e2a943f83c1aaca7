#pragma once
// ------------------------------------------------------------------------------- >>profile API

// Hands the recorded spans to `sink` as Chrome trace JSON (chrome://tracing, Perfetto), in pieces.
// One row an operation or replay: microseconds since the context was made, bytes of its operands,
// launches (of a replay: times), and the backend or its method as `method`. Track 1 is the host,
// track 2 the device. Its spans are taken by the device's own clock, which is tied to the host's at
// create and at each sync; where it has no clock they are host times around a wait, marked
// "clock":"host". `sink` returns 0 on success, anything else stops with CALLBACK.
// Without PADIC_CONTEXT_PROFILE the trace is empty. Errors: ARGUMENT (no context; sink is NULL),
// CALLBACK.
typedef int (*padic_context_profile_sink)(const char *text, size_t size, void *user);
PADIC_API padic_result padic_context_profile_write(padic_context *context,
                                                   padic_context_profile_sink sink, void *user);
