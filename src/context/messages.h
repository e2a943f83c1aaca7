#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN padic_result padici_fail(padic_context *context, padic_result result,
                                   const char *sentence);
PADICI_FN padic_result padici_blame(padic_context *context, padic_result result, const char *field,
                                    const char *plane, const char *why);
PADICI_FN padic_result padici_fault(padic_context *context, padic_result result,
                                    const char *operation);
PADICI_FN const char *padici_enter(padic_context *context, const char *operation);
PADICI_FN void padici_leave(padic_context *context, const char *before);
PADICI_FN PADICI_NOINLINE padic_result padici_fail_here(padic_context *context, padic_result result,
                                                        const char *sentence);

// Defines a public function that needs a context; its error messages begin with its name.
#define PADICI_ENTRY(name, parameters, arguments)                        \
    PADIC_API padic_result padic_##name parameters                       \
    {                                                                    \
        const char *before = padici_enter(context, #name);               \
        const padic_result result =                                      \
            context ? padici_##name##_named arguments : PADIC_ERROR_ARGUMENT; \
        padici_leave(context, before);                                   \
        return result;                                                   \
    }
PADICI_FN PADICI_NOINLINE padic_result padici_fail_in(padic_context *context, padic_result result,
                                                      const char *operation, const char *sentence);
PADICI_FN PADICI_NOINLINE padic_result padici_fail_field(padic_context *context,
                                                         padic_result result, const char *field,
                                                         const char *sentence);
PADICI_FN PADICI_NOINLINE padic_result padici_fail_view(padic_context *context, padic_result result,
                                                        const char *field, const padic_tensor *t);
PADICI_FN padic_result padici_env_fail(const padic_env *env, padic_result result,
                                       const char *sentence);
// An operation's warning, once in a context, if there is one.
PADICI_FN void padici_log_once(padic_context *context, uint32_t op, const char *sentence);
