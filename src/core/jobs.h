#pragma once
#include "platform.h"

#define PADICI_JOBS_AT_ONCE 64

PADICI_FN void padici_parallel(const padic_jobs *jobs, uint32_t tasks, void (*fn)(void *arg,
                               uint32_t task), void *arg);

// A lock that is held for a few instructions. Without atomics there is none, and one worker.
#if defined(__GCC_ATOMIC_LONG_LOCK_FREE) && __GCC_ATOMIC_LONG_LOCK_FREE == 2
#define PADICI_SWAP(lock, x) __atomic_exchange_n(lock, x, __ATOMIC_ACQ_REL)
#elif defined(_MSC_VER)
#define PADICI_SWAP(lock, x) _InterlockedExchange(lock, x)
#endif

PADICI_FN void padici_idle(uint32_t rounds);

enum { PADICI_UNLOCK, PADICI_LOCK };

PADICI_FN void padici_lock(long *lock, long state);

// Steps of one call, counted by all of its workers.
typedef struct padici_steps {
    const padic_progress *hook;
    uint64_t done, total, said;
    long lock;
    int asking, stop;
} padici_steps;

PADICI_FN void padici_steps_begin(padici_steps *steps, const padic_progress *own,
                                  const padic_progress *other, uint64_t total);
PADICI_FN int padici_steps_more(padici_steps *steps, uint64_t more);
PADICI_FN padic_result padici_steps_end(padici_steps *steps);
