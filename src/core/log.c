#include "log.h"
#include "../context/messages.h"
#include "../context/state.h"

#if PADICI_IMPLEMENT_CORE

// ---------------------------------------------------------------------------------------- >>log

PADICI_FN void padici_text_begin(padici_text *text, char *space, size_t size)
{
    text->at = space;
    text->left = size;
    space[0] = 0;
}

PADICI_FN void padici_text_add(padici_text *text, const char *words)
{
    while (*words && text->left > 1) {
        *text->at++ = *words++;
        text->left--;
    }
    *text->at = 0;
}

// Decimal, at least `digits` wide, filled with zeros.
PADICI_FN void padici_text_number(padici_text *text, uint64_t value, uint32_t digits)
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

PADICI_FN void padici_log_write(const padic_logger *log, padic_log_level level, uint32_t item,
                                const char *words)
{
    if (log && log->write) (*log->write)(level, item, words, log->user);
}

// The same for a sentence that several operations share: "operation: sentence".
PADICI_FN padic_result padici_fail_in(padic_context *context, padic_result result,
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

PADICI_FN padic_result padici_fail_field(padic_context *context, padic_result result,
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
PADICI_FN padic_result padici_fail_view(padic_context *context, padic_result result,
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
PADICI_FN padic_result padici_env_fail(const padic_env *env, padic_result result,
                                       const char *sentence)
{
    padici_text text;
    if (!env) return result;
    padici_text_begin(&text, env->message, env->message_size);
    padici_text_add(&text, sentence);
    return result;
}

#endif
