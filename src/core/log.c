// ---------------------------------------------------------------------------------------- >>log

// Sentences without stdio: appends until the space ends, always terminated.
typedef struct padici_text {
    char *at;
    size_t left; // the terminator included
} padici_text;

PADICI_UNUSED static void padici_text_begin(padici_text *text, char *space, size_t size)
{
    text->at = space;
    text->left = size;
    space[0] = 0;
}

PADICI_UNUSED static void padici_text_add(padici_text *text, const char *words)
{
    while (*words && text->left > 1) {
        *text->at++ = *words++;
        text->left--;
    }
    *text->at = 0;
}

// Decimal, at least `digits` wide, filled with zeros.
PADICI_UNUSED static void padici_text_number(padici_text *text, uint64_t value, uint32_t digits)
{
    char reversed[21];
    uint32_t n = 0;
    do {
        reversed[n++] = (char)('0' + value % 10);
        value /= 10;
    } while ((value || n < digits) && n < 20);
    while (n > 0 && text->left > 1) {
        *text->at++ = reversed[--n];
        text->left--;
    }
    *text->at = 0;
}

PADICI_UNUSED static void padici_log_write(const padic_logger *log, padic_log_level level,
                                           uint32_t item, const char *words)
{
    if (log && log->write) (*log->write)(level, item, words, log->user);
}

// Keeps the sentence in the context (when there is one), logs it and returns `result`.
PADICI_UNUSED static padic_result padici_fail(padic_context *context, padic_result result,
                                              const char *sentence);
// The same for a sentence that several operations share: "operation: sentence".
PADICI_UNUSED static padic_result padici_fail_in(padic_context *context, padic_result result,
                                                 const char *operation, const char *sentence)
{
    char space[512];
    padici_text text;
    if (!context) return result;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, operation);
    padici_text_add(&text, ": ");
    padici_text_add(&text, sentence);
    return padici_fail(context, result, space);
}
// What is at fault: a field of the call, a plane of it, and what is wrong with it; NULL where that
// is not known here. The first who knows says so, the operation then makes a sentence of it:
// "operation: field.plane why". Without a `why` the code has words of its own.
PADICI_UNUSED static padic_result padici_blame(padic_context *context, padic_result result,
                                               const char *field, const char *plane,
                                               const char *why);
PADICI_UNUSED static padic_result padici_fault(padic_context *context, padic_result result,
                                               const char *operation);

// The operation that a caller asked for, whatever others it is made of: padici_enter() returns what
// padici_leave() puts back. And a sentence about it, or about a field of its desc.
PADICI_UNUSED static const char *padici_enter(padic_context *context, const char *operation);
PADICI_UNUSED static void padici_leave(padic_context *context, const char *before);
PADICI_UNUSED static padic_result padici_fail_here(padic_context *context, padic_result result,
                                                   const char *sentence);
PADICI_UNUSED static padic_result padici_fail_field(padic_context *context, padic_result result,
                                                    const char *field, const char *sentence)
{
    char space[512];
    padici_text text;
    if (!context) return result;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, field ? field : "a tensor");
    padici_text_add(&text, " ");
    padici_text_add(&text, sentence);
    return padici_fail_here(context, result, space);
}
// The sentence for what padici_tensor_check_view() says of a view.
PADICI_UNUSED static padic_result padici_fail_view(padic_context *context, padic_result result,
                                                   const char *field, const padic_tensor *t)
{
    const char *sentence = result == PADIC_ERROR_DTYPE      ? "has a dtype that is no padic_dtype"
                           : result == PADIC_ERROR_ARGUMENT ? "has strides that no such tensor has"
                           : result == PADIC_ERROR_LIMIT && t && t->rank > PADIC_MAX_RANK
                               ? "has a rank above 8"
                           : result == PADIC_ERROR_LIMIT ? "has a shape of 2^63 bytes or more"
                                                         : padic_result_text(result);
    if (!t) sentence = "is NULL";
    return padici_fail_field(context, result, field, sentence);
}
// A result of a host's function, with a sentence for the context.
PADICI_UNUSED static padic_result padici_env_fail(const padic_env *env, padic_result result,
                                                  const char *sentence)
{
    padici_text text;
    if (!env) return result;
    padici_text_begin(&text, env->message, env->message_size);
    padici_text_add(&text, sentence);
    return result;
}
// The hooks of a context; NULL without one.
PADICI_UNUSED static const padic_allocator *padici_allocator(padic_context *context);
PADICI_UNUSED static const padic_jobs *padici_jobs(padic_context *context);
PADICI_UNUSED static const padic_logger *padici_logger(padic_context *context);
PADICI_UNUSED static const padic_progress *padici_progress(padic_context *context);
// Offers a kernel (see padic_kernel) to the context's backends; NOT_SUPPORTED: do it yourself. Any
// thread may ask.
PADICI_UNUSED static padic_result padici_kernel(padic_context *context, uint32_t kernel,
                                                void *call);
// Where the first element of a dense view lies in host memory, its own or a buffer's. REGION beyond
// the buffer, NOT_SUPPORTED on a device, ARGUMENT for a dead id; *pointer NULL for no memory.
PADICI_UNUSED static padic_result padici_host_pointer(padic_context *context,
                                                      const padic_tensor *tensor, void **pointer);
// Offers a kernel to the device's `drive`: its operands lie in buffers of a device.
PADICI_UNUSED static padic_result padici_drive(padic_context *context, uint32_t kernel, void *call,
                                               int query);

