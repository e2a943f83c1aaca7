#include "device.h"
#include "../../context/ops.h"

#if PADICI_IMPLEMENT_CUDA

// -------------------------------------------------------------------------------------- >>device

PADICI_FN void **padici_cuda_functions(padici_cuda_program *program)
{
    return (void **)(void *)(program + 1);
}

// Error messages.

PADICI_FN void padici_cuda_say(padici_cuda *cuda, padici_text *text)
{
    padici_text_begin(text, cuda->env.message, cuda->env.message_size);
    padici_text_add(text, "cuda: ");
}

PADICI_FN padic_result padici_cuda_fail(padici_cuda *cuda, padic_result result,
                                        const char *sentence)
{
    padici_text text;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, sentence);
    return result;
}

// Results after which the driver's context is lost for good.
static int padici_cuda_is_lost(int error)
{
    return error == 700 || error == 702 || error == 710 || (error >= 714 && error <= 719) ||
           error == 999;
}

static void padici_cuda_say_memory(padici_cuda *cuda, padici_text *text, uint64_t asked)
{
    size_t idle = 0, total = 0;
    padici_text_add(text, "; out of device memory");
    if (asked) {
        padici_text_add(text, ": ");
        padici_text_number(text, asked, 1);
        padici_text_add(text, " bytes asked for");
    }
    if (asked && cuda->api.cuMemGetInfo_v2 && !cuda->api.cuMemGetInfo_v2(&idle, &total)) {
        padici_text_add(text, ", ");
        padici_text_number(text, idle, 1);
        padici_text_add(text, " of ");
        padici_text_number(text, total, 1);
        padici_text_add(text, " free");
    }
}

static const char *padici_cuda_op_name(uint32_t op)
{
    return padici_op_name(op)[0] ? padici_op_name(op) : "a launch";
}

// Translates a result of the driver, with a message. `asked`: the bytes of an allocation, or 0.
PADICI_FN padic_result padici_cuda_answer(padici_cuda *cuda, int error, const char *call,
                                          uint64_t asked)
{
    padici_text text;
    const char *name = NULL;
    if (!error) return PADIC_OK;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, call);
    padici_text_add(&text, " answered ");
    padici_text_number(&text, (uint64_t)(uint32_t)error, 1);
    if (cuda->api.cuGetErrorName && !cuda->api.cuGetErrorName(error, &name) && name) {
        padici_text_add(&text, " (");
        padici_text_add(&text, name);
        padici_text_add(&text, ")");
    }
    if (error == 2) {
        padici_cuda_say_memory(cuda, &text, asked);
        return PADIC_ERROR_MEMORY;
    }
    if (padici_cuda_is_lost(error)) {
        cuda->lost = 1;
        if (cuda->is_open) {
            padici_text_add(&text, "; the device is lost after ");
            padici_text_add(&text, padici_cuda_op_name(cuda->last_op));
            padici_text_add(&text, ": run it under compute-sanitizer to see why");
        } else {
            padici_text_add(&text, "; an earlier fault has spoilt CUDA for this process");
        }
        return PADIC_ERROR_DEVICE_LOST;
    }
    if (error >= 900 && error <= 908)
        padici_text_add(&text, "; the capture of the stream forbids it or is broken");
    return PADIC_ERROR_DEVICE;
}

// Every entry point pushes the context and pops it again: enter first, then leave with the result.
PADICI_FN padic_result padici_cuda_enter(padici_cuda *cuda)
{
    if (cuda->lost)
        return padici_cuda_fail(cuda, PADIC_ERROR_DEVICE_LOST,
                                "the device is lost: make a new context");
    return padici_cuda_answer(cuda, cuda->api.cuCtxPushCurrent_v2(cuda->context),
                              "cuCtxPushCurrent", 0);
}

PADICI_FN padic_result padici_cuda_leave(padici_cuda *cuda, padic_result result)
{
    void *popped = NULL;
    (void)cuda->api.cuCtxPopCurrent_v2(&popped);
    return result;
}

// Calls that would break a capture are refused before they reach the driver.
PADICI_FN padic_result padici_cuda_no_capture(padici_cuda *cuda, const char *call)
{
    padici_text text;
    int status = 0;
    if (!cuda->recording && !cuda->own_stream && cuda->api.cuStreamIsCapturing &&
        cuda->api.cuStreamIsCapturing(cuda->stream, &status))
        status = 0; // the legacy stream while another captures: the call itself will report it
    if (!cuda->recording && !status) return PADIC_OK;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, "no ");
    padici_text_add(&text, call);
    padici_text_add(&text, cuda->recording ? " while a recording is open"
                                           : " while the engine captures its stream");
    return PADIC_ERROR_ARGUMENT;
}

PADICI_FN padic_result padici_cuda_enter_idle(padici_cuda *cuda, const char *call)
{
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    result = padici_cuda_no_capture(cuda, call);
    return result ? padici_cuda_leave(cuda, result) : PADIC_OK;
}

#endif
