// contexts.h: the contexts that a test of an area on the CPU compares: none, one without backends
// if `plain`, vectors of this CPU, of a lower level if there is one, and vectors and three workers.
// Include it after padic.h, padic_simd.h and padic_threads.h.
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <string.h>

static padic_context *contexts[6]; // NULL is the first, the one with workers the last
static uint32_t context_count;
static padic_threads *contexts_workers;

static inline void contexts_begin(int plain)
{
    static const char *const lower[] = {"avx2", "neon"};
    padic_context_desc desc = PADIC_ZERO;
    contexts[0] = NULL;
    context_count = 1;
    if (plain && !padic_context_create(&desc, &contexts[context_count])) context_count++;
    desc.backends[0] = padic_simd();
    if (!padic_context_create(&desc, &contexts[context_count])) context_count++;
    for (int i = 0; i < 2; i++) {
        desc.device.name = lower[i];
        if (!padic_context_create(&desc, &contexts[context_count])) {
            context_count++;
            break;
        }
    }
    contexts_workers = padic_threads_create(3, NULL);
    if (!contexts_workers) return;
    memset(&desc, 0, sizeof desc);
    desc.backends[0] = padic_simd();
    desc.jobs = padic_threads_jobs(contexts_workers);
    if (!padic_context_create(&desc, &contexts[context_count])) context_count++;
}

static inline void contexts_end(void)
{
    while (context_count) padic_context_destroy(contexts[--context_count]);
    padic_threads_destroy(contexts_workers);
}

#endif
