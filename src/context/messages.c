#include "messages.h"
#include "../core/log.h"

#if PADICI_IMPLEMENT_CORE

// Error messages of a context: one sentence that begins with the name of the public function.

PADICI_FN padic_result padici_fail(padic_context *context, padic_result result,
                                   const char *sentence)
{
    if (context && !context->quiet && result != PADIC_ERROR_ASKED) {
        padici_text text;
        context->said++;
        padici_text_begin(&text, context->message, sizeof context->message);
        padici_text_add(&text, sentence);
        padici_log_write(&context->log, PADIC_LOG_ERROR, 0, context->message);
    }
    return result;
}

PADICI_FN padic_result padici_blame(padic_context *context, padic_result result, const char *field,
                                    const char *plane, const char *why)
{
    if (!context || !result) return result;
    if (field && !context->fault[0]) context->fault[0] = field;
    if (plane && !context->fault[1]) context->fault[1] = plane;
    if (why && !context->fault[2]) context->fault[2] = why;
    return result;
}

PADICI_FN padic_result padici_fault(padic_context *context, padic_result result,
                                    const char *operation)
{
    const char *words = padic_result_text(result);
    char space[512];
    padici_text text;
    if (!context) return result;
    if (context->fault[0]) {
        switch (result) {
        case PADIC_ERROR_ARGUMENT: words = "is missing, not dense, or makes no sense"; break;
        case PADIC_ERROR_DTYPE: words = "has an element type that is not taken here"; break;
        case PADIC_ERROR_MISMATCH: words = "has another shape or count than is wanted"; break;
        case PADIC_ERROR_OVERLAP: words = "shares memory with another operand"; break;
        case PADIC_ERROR_LIMIT: words = "is larger than its limit"; break;
        case PADIC_ERROR_CAPACITY: words = "is too small"; break;
        case PADIC_ERROR_NOT_SUPPORTED: words = "is not supported here"; break;
        case PADIC_ERROR_RING: words = "is of another ring or model: convert one side"; break;
        case PADIC_ERROR_ALIGNMENT:
            words = "has an address that is no multiple of its element's size: move it";
            break;
        default: break;
        }
    }
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, operation);
    padici_text_add(&text, ": ");
    if (context->fault[0]) {
        padici_text_add(&text, context->fault[0]);
        padici_text_add(&text, context->fault[1] ? "." : "");
        padici_text_add(&text, context->fault[1] ? context->fault[1] : "");
        padici_text_add(&text, " ");
    }
    padici_text_add(&text, context->fault[2] ? context->fault[2] : words);
    context->fault[0] = context->fault[1] = context->fault[2] = NULL;
    return result ? padici_fail(context, result, space) : result;
}

PADICI_FN const char *padici_enter(padic_context *context, const char *operation)
{
    const char *before = context ? context->operation : NULL;
    if (context && !before) context->operation = operation;
    return before;
}

PADICI_FN void padici_leave(padic_context *context, const char *before)
{
    if (context) context->operation = before;
}

PADICI_FN PADICI_NOINLINE padic_result padici_fail_here(padic_context *context, padic_result result,
                                                        const char *sentence)
{
    if (!context || !context->operation) return padici_fail(context, result, sentence);
    return padici_fail_in(context, result, context->operation, sentence);
}

// The same for a sentence that several operations share: "operation: sentence".
PADICI_FN PADICI_NOINLINE padic_result padici_fail_in(padic_context *context, padic_result result,
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

PADICI_FN PADICI_NOINLINE padic_result padici_fail_field(padic_context *context,
                                                         padic_result result, const char *field,
                                                         const char *sentence)
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
PADICI_FN PADICI_NOINLINE padic_result padici_fail_view(padic_context *context, padic_result result,
                                                        const char *field, const padic_tensor *t)
{
    const char *sentence = result == PADIC_ERROR_DTYPE ? "has a dtype that is no padic_dtype"
                           : result == PADIC_ERROR_ARGUMENT
                               ? "has strides that are not positive, or elements that share memory"
                           : result == PADIC_ERROR_LIMIT && t && t->rank > PADIC_MAX_RANK
                               ? "has a rank above 8"
                           : result == PADIC_ERROR_LIMIT ? "has a shape of 2^63 bytes or more"
                           : result == PADIC_ERROR_ALIGNMENT
                               ? "has an address that is no multiple of its element's size"
                                                         : padic_result_text(result);
    if (!t) sentence = "is NULL";
    return padici_fail_field(context, result, field, sentence);
}

// A result of a host's function, with a sentence for the context.
PADICI_FN padic_result padici_env_fail(const padic_env *env, padic_result result,
                                       const char *sentence)
{
    padici_text text;
    if (!env) return result;
    padici_text_begin(&text, env->message, env->message_size);
    padici_text_add(&text, sentence);
    return result;
}

PADICI_FN void padici_log_once(padic_context *context, uint32_t op, const char *sentence)
{
    if (!context || context->ask || (context->logged[op] & PADICI_LOGGED_WARNING)) return;
    context->logged[op] |= PADICI_LOGGED_WARNING;
    padici_log_write(&context->log, PADIC_LOG_WARNING, op, sentence);
}

#endif
