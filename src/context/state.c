#include "state.h"

#if PADICI_IMPLEMENT_CORE

// ------------------------------------------------------------------------------ >>context impl
//
// What a context holds: backends that are open, the pool, buffers, recordings, spans of the
// profile; and the hooks of its environment.

PADICI_FN const padic_allocator *padici_allocator(padic_context *context)
{
    return context ? &context->allocator : NULL;
}

PADICI_FN const padic_logger *padici_logger(padic_context *context)
{
    return context ? &context->log : NULL;
}

PADICI_FN const padic_jobs *padici_jobs(padic_context *context)
{
    return context ? &context->jobs : NULL;
}

PADICI_FN const padic_progress *padici_progress(padic_context *context)
{
    return context ? &context->progress : NULL;
}

PADICI_FN padici_tensor_einsum_kept *padici_context_einsum(padic_context *context)
{
    return &context->einsum;
}

#endif
