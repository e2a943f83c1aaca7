#pragma once
#include "platform.h"

// Sentences without stdio: appends until the space ends, always terminated.
typedef struct padici_text {
    char *at;
    size_t left; // the terminator included
} padici_text;

PADICI_FN void padici_text_begin(padici_text *text, char *space, size_t size);
PADICI_FN void padici_text_add(padici_text *text, const char *words);
PADICI_FN void padici_text_number(padici_text *text, uint64_t value, uint32_t digits);
PADICI_FN void padici_log_write(const padic_logger *log, padic_log_level level, uint32_t item,
                                const char *words);
PADICI_FN padic_result padici_fail_in(padic_context *context, padic_result result,
                                      const char *operation, const char *sentence);
PADICI_FN padic_result padici_fail_field(padic_context *context, padic_result result,
                                         const char *field, const char *sentence);
PADICI_FN padic_result padici_fail_view(padic_context *context, padic_result result,
                                        const char *field, const padic_tensor *t);
PADICI_FN padic_result padici_env_fail(const padic_env *env, padic_result result,
                                       const char *sentence);
