#include "errors.h"

#if PADICI_IMPLEMENT_OPENCL

// ---- errors

static const char *padici_cl_error_name(int32_t code)
{
    static const struct {
        int32_t code;
        const char *name;
    } names[] = {
        {-1, "device not found"},       {-2, "device not available"},
        {-3, "no compiler"},            {-4, "no device memory"},
        {-5, "out of resources"},       {-6, "out of host memory"},
        {-7, "profiling not available"},{-11, "build failed"},
        {-14, "a command failed"},      {-30, "invalid value"},
        {-33, "invalid device"},        {-34, "invalid context"},
        {-36, "invalid queue"},         {-38, "invalid buffer"},
        {-42, "invalid binary"},        {-43, "invalid build option"},
        {-45, "invalid executable"},    {-46, "no kernel of that name"},
        {-47, "invalid kernel text"},   {-48, "invalid kernel"},
        {-49, "invalid argument index"},{-50, "invalid argument"},
        {-51, "invalid argument size"}, {-52, "arguments not set"},
        {-54, "invalid group size"},    {-55, "invalid item size"},
        {-59, "invalid operation"},     {-61, "invalid buffer size"},
        {-1001, "no platform"},         {-9999, "the kernel was stopped"},
    };
    uint32_t i;
    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code) return names[i].name;
    return "";
}

PADICI_FN void padici_cl_text_code(padici_text *text, int32_t code)
{
    const char *name = padici_cl_error_name(code);
    if (code < 0) padici_text_add(text, "-");
    padici_text_number(text, (uint64_t)(code < 0 ? -(int64_t)code : (int64_t)code), 1);
    if (name[0]) {
        padici_text_add(text, " (");
        padici_text_add(text, name);
        padici_text_add(text, ")");
    }
}

PADICI_FN padic_result padici_cl_say(const padici_cl *cl, padic_result result, const char *words,
                                     const char *more)
{
    padici_text text;
    if (!cl->env.message_size) return result;
    padici_text_begin(&text, cl->env.message, cl->env.message_size);
    padici_text_add(&text, "OpenCL: ");
    padici_text_add(&text, words);
    padici_text_add(&text, more);
    return result;
}

PADICI_FN padic_result padici_cl_lost(const padici_cl *cl)
{
    return padici_cl_say(cl, PADIC_ERROR_DEVICE_LOST,
                         "the device is lost: destroy the context and make a new one", "");
}

// Translates the driver's answer to a call, with a message.
PADICI_FN padic_result padici_cl_check(padici_cl *cl, const char *call, int32_t code)
{
    padic_result result = PADIC_ERROR_DEVICE;
    padici_text text;
    const char *more = "";
    if (!code) return PADIC_OK;
    switch (code) {
    case PADICI_CL_NO_DEVICE_MEMORY: result = PADIC_ERROR_MEMORY; break;
    case PADICI_CL_NO_HOST_MEMORY: result = PADIC_ERROR_MEMORY; break;
    case PADICI_CL_BAD_BUFFER_SIZE: result = PADIC_ERROR_LIMIT; break;
    case PADICI_CL_BUILD_FAILED: result = PADIC_ERROR_BUILD; break;
    case PADICI_CL_BAD_QUEUE:
        result = PADIC_ERROR_DEVICE_LOST;
        cl->lost = 1;
        more = "; the device is lost";
        break;
    default: break;
    }
    if (cl->env.message_size) {
        padici_text_begin(&text, cl->env.message, cl->env.message_size);
        padici_text_add(&text, "OpenCL: ");
        padici_text_add(&text, call);
        padici_text_add(&text, " answered ");
        padici_cl_text_code(&text, code);
        padici_text_add(&text, more);
    }
    return result;
}

// The result of a wait. An error found by a wait cannot be undone: the queue is lost.
PADICI_FN padic_result padici_cl_check_wait(padici_cl *cl, const char *call, int32_t code)
{
    padic_result result = padici_cl_check(cl, call, code);
    if (code == PADICI_CL_NO_RESOURCES || code == PADICI_CL_NV_LOST) {
        cl->lost = 1;
        result = PADIC_ERROR_DEVICE_LOST;
    }
    return result;
}

PADICI_FN padic_result padici_cl_no_memory(const padici_cl *cl)
{
    return padici_cl_say(cl, PADIC_ERROR_MEMORY, "out of host memory", "");
}

#endif
