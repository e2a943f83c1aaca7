// padic_threads.h: a small job system for programs that have none. Needs padic.h, which
// it includes; where PADIC_IMPLEMENTATION is defined, its functions are compiled, too.
// Link with -lpthread where the platform still wants it; Windows needs Vista or later.
//
//     padic_threads *threads = padic_threads_create(0, NULL);   // as many as there are cores
//     padic_context_desc desc = PADIC_ZERO;
//     desc.jobs = padic_threads_jobs(threads);
//     padic_context_create(&desc, &context);
//     ...
//     padic_context_destroy(context);
//     padic_threads_destroy(threads);                           // after everyone who used it
//
// Jobs wait in a queue of fixed size: one that finds it full runs at once in the thread that
// brought it. A thread that waits for a job works off others meanwhile, so jobs may bring jobs and
// wait for them. Several contexts and threads may share one padic_threads.
#if !defined(PADIC_HEADER) || !defined(PADIC_IMPLEMENTED)
#ifdef __has_include
#if __has_include("padic.h")
#include "padic.h"
#elif __has_include("../padic.h")
#include "../padic.h"
#endif
#elif !defined(PADIC_HEADER)
#include "../padic.h"
#endif
#endif
#ifndef PADIC_HEADER
#error "padic_threads.h needs padic.h beside it or in the folder above: put it there"
#endif
#if PADIC_BACKEND_VERSION != 4u
#error "padic_threads.h is for another version of padic.h: take both from one release"
#endif

#ifndef PADIC_THREADS_H
#define PADIC_THREADS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct padic_threads padic_threads;

// Cores that the operating system gives this machine; at least 1.
PADIC_API uint32_t padic_threads_cores(void);

// `workers` jobs run at once: workers - 1 threads, and the one that waits. 0: one a core; at most
// 256. The allocator (NULL: malloc) must outlive it. NULL when there is no memory. Should the
// system refuse a thread there are fewer; padic_threads_jobs() tells how many.
PADIC_API padic_threads *padic_threads_create(uint32_t workers, const padic_allocator *allocator);

// The hook for padic_context_desc.jobs. NULL gives one that runs everything in the calling thread.
PADIC_API padic_jobs padic_threads_jobs(padic_threads *threads);

// Runs what is still queued and ends the threads. No one may use the hook any more. NULL is fine.
PADIC_API void padic_threads_destroy(padic_threads *threads);

#ifdef __cplusplus
}
#endif
#endif // PADIC_THREADS_H

// ================================================================================================
#if (defined(PADIC_IMPLEMENTATION) || defined(PADIC_IMPLEMENT_THREADS)) && \
    !defined(PADIC_THREADS_IMPLEMENTED)
#define PADIC_THREADS_IMPLEMENTED

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <process.h>
#include <windows.h>
typedef HANDLE padici_thread;
typedef CRITICAL_SECTION padici_mutex;
typedef CONDITION_VARIABLE padici_signal;
#else
#include <pthread.h>
#include <unistd.h>
typedef pthread_t padici_thread;
typedef pthread_mutex_t padici_mutex;
typedef pthread_cond_t padici_signal;
#endif

#define PADICI_THREADS_MAX 256u
#define PADICI_THREADS_TASKS 1024u // queued or not yet waited for
#ifndef PADICI_THREADS_LOOKS
#define PADICI_THREADS_LOOKS 250u // of a tenth to a third of a microsecond
#endif

typedef struct padici_task {
    void (*fn)(void *arg);
    void *arg;
    uint32_t next; // free task after this
    uint32_t done;
} padici_task;

struct padic_threads {
    padic_allocator allocator;
    padici_mutex mutex; // guards all below
    padici_signal work; // for workers: something is queued, or it ends
    padici_signal news; // for those who wait: a task is done, or something is queued
    uint32_t count, waiting, ending;
    uint32_t free_task, head, queued;          // the queue is a ring of task numbers
    uint32_t queue[PADICI_THREADS_TASKS];
    padici_task tasks[PADICI_THREADS_TASKS];
    padici_thread threads[PADICI_THREADS_MAX]; // count of them
};

static void padici_threads_lock(padic_threads *t)
{
#ifdef _WIN32
    EnterCriticalSection(&t->mutex);
#else
    pthread_mutex_lock(&t->mutex);
#endif
}

static void padici_threads_unlock(padic_threads *t)
{
#ifdef _WIN32
    LeaveCriticalSection(&t->mutex);
#else
    pthread_mutex_unlock(&t->mutex);
#endif
}

static void padici_threads_wait(padic_threads *t, padici_signal *signal)
{
#ifdef _WIN32
    SleepConditionVariableCS(signal, &t->mutex, INFINITE);
#else
    pthread_cond_wait(signal, &t->mutex);
#endif
}

static void padici_threads_wake(padici_signal *signal, int all)
{
#ifdef _WIN32
    if (all)
        WakeAllConditionVariable(signal);
    else
        WakeConditionVariable(signal);
#else
    if (all)
        pthread_cond_broadcast(signal);
    else
        pthread_cond_signal(signal);
#endif
}

#if defined(__GNUC__) || defined(__clang__)
#define PADICI_THREADS_PEEK(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define PADICI_THREADS_SET(p, x) __atomic_store_n(p, x, __ATOMIC_RELAXED)
#else
#define PADICI_THREADS_PEEK(p) (*(volatile uint32_t *)(p))
#define PADICI_THREADS_SET(p, x) (*(volatile uint32_t *)(p) = (x))
#endif

// Looks a while for something queued, or for the end of a task, before the thread goes to sleep: to
// wake it takes longer. Locked on entry and on return.
static void padici_threads_look(padic_threads *t, padici_task *task)
{
    uint32_t k;
    padici_threads_unlock(t);
    for (k = 0; k < PADICI_THREADS_LOOKS; k++) {
        if (PADICI_THREADS_PEEK(&t->queued) || (task && PADICI_THREADS_PEEK(&task->done))) break;
        padici_idle(100);
    }
    padici_threads_lock(t);
}

// Runs the oldest queued task. Locked on entry and on return.
static void padici_threads_run_one(padic_threads *t)
{
    padici_task *task = &t->tasks[t->queue[t->head]];
    t->head = (t->head + 1) % PADICI_THREADS_TASKS;
    PADICI_THREADS_SET(&t->queued, t->queued - 1);
    padici_threads_unlock(t);
    (*task->fn)(task->arg);
    padici_threads_lock(t);
    PADICI_THREADS_SET(&task->done, 1);
    if (t->waiting) padici_threads_wake(&t->news, 1);
}

static void padici_threads_work(padic_threads *t)
{
    padici_threads_lock(t);
    while (t->queued || !t->ending) {
        if (!t->queued) padici_threads_look(t, NULL);
        if (t->queued)
            padici_threads_run_one(t);
        else if (!t->ending)
            padici_threads_wait(t, &t->work);
    }
    padici_threads_unlock(t);
}

#ifdef _WIN32
static unsigned __stdcall padici_threads_main(void *arg)
{
#ifdef __MINGW32__
    _fpreset(); // as in main(): its sine and cosine use the x87, whose precision is a thread's own
#endif
    padici_threads_work((padic_threads *)arg);
    return 0;
}
#else
static void *padici_threads_main(void *arg)
{
    padici_threads_work((padic_threads *)arg);
    return NULL;
}
#endif

// A task stays in use until finish(), which every task is owed.
static void *padici_threads_enqueue(void (*fn)(void *arg), void *arg, void *user)
{
    padic_threads *t = (padic_threads *)user;
    padici_task *task = NULL;
    padici_threads_lock(t);
    if (t->free_task < PADICI_THREADS_TASKS) {
        const uint32_t index = t->free_task;
        task = &t->tasks[index];
        t->free_task = task->next;
        task->fn = fn;
        task->arg = arg;
        PADICI_THREADS_SET(&task->done, 0);
        t->queue[(t->head + t->queued) % PADICI_THREADS_TASKS] = index;
        PADICI_THREADS_SET(&t->queued, t->queued + 1);
        if (t->waiting) padici_threads_wake(&t->news, 1);
    }
    padici_threads_unlock(t);
    if (task)
        padici_threads_wake(&t->work, 0); // who wakes finds the mutex free
    else
        (*fn)(arg);
    return task;
}

static void padici_threads_finish(void *handle, void *user)
{
    padic_threads *t = (padic_threads *)user;
    padici_task *task = (padici_task *)handle;
    if (!task) return;
    padici_threads_lock(t);
    while (!task->done) {
        if (!t->queued) padici_threads_look(t, task);
        if (t->queued) {
            padici_threads_run_one(t);
        } else if (!task->done) {
            t->waiting++;
            padici_threads_wait(t, &t->news);
            t->waiting--;
        }
    }
    task->next = t->free_task;
    t->free_task = (uint32_t)(task - t->tasks);
    padici_threads_unlock(t);
}

PADIC_API uint32_t padic_threads_cores(void)
{
#ifdef _WIN32
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors ? (uint32_t)info.dwNumberOfProcessors : 1;
#elif defined(_SC_NPROCESSORS_ONLN)
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
#else
    return 1;
#endif
}

static int padici_threads_start(padic_threads *t)
{
#ifdef _WIN32
    t->threads[t->count] = (HANDLE)_beginthreadex(NULL, 0, padici_threads_main, t, 0, NULL);
    return t->threads[t->count] != NULL;
#else
    return !pthread_create(&t->threads[t->count], NULL, padici_threads_main, t);
#endif
}

PADIC_API padic_threads *padic_threads_create(uint32_t workers, const padic_allocator *allocator)
{
    padic_threads *t = (padic_threads *)padici_alloc(allocator, sizeof *t, 64);
    uint32_t i;
    if (!t) return NULL;
    memset(t, 0, sizeof *t);
    if (allocator) t->allocator = *allocator;
    for (i = 0; i < PADICI_THREADS_TASKS; i++) t->tasks[i].next = i + 1;
#ifdef _WIN32
    InitializeCriticalSection(&t->mutex);
    InitializeConditionVariable(&t->work);
    InitializeConditionVariable(&t->news);
#else
    if (pthread_mutex_init(&t->mutex, NULL)) {
        padici_free(allocator, t, sizeof *t);
        return NULL;
    }
    (void)pthread_cond_init(&t->work, NULL); // cannot fail where the mutex could be made
    (void)pthread_cond_init(&t->news, NULL);
#endif
    if (!workers) workers = padic_threads_cores();
    if (workers > PADICI_THREADS_MAX) workers = PADICI_THREADS_MAX;
    while (t->count + 1 < workers && padici_threads_start(t)) t->count++;
    return t;
}

PADIC_API padic_jobs padic_threads_jobs(padic_threads *threads)
{
    padic_jobs jobs = {0, NULL, NULL, NULL};
    if (!threads) return jobs;
    jobs.workers = threads->count + 1;
    jobs.enqueue = padici_threads_enqueue;
    jobs.finish = padici_threads_finish;
    jobs.user = threads;
    return jobs;
}

PADIC_API void padic_threads_destroy(padic_threads *threads)
{
    padic_allocator allocator;
    uint32_t i;
    if (!threads) return;
    padici_threads_lock(threads);
    threads->ending = 1;
    padici_threads_wake(&threads->work, 1);
    padici_threads_unlock(threads);
    padici_threads_work(threads); // with one worker there is no one else to run what is queued
    for (i = 0; i < threads->count; i++) {
#ifdef _WIN32
        WaitForSingleObject(threads->threads[i], INFINITE);
        CloseHandle(threads->threads[i]);
#else
        pthread_join(threads->threads[i], NULL);
#endif
    }
#ifdef _WIN32
    DeleteCriticalSection(&threads->mutex);
#else
    pthread_cond_destroy(&threads->news);
    pthread_cond_destroy(&threads->work);
    pthread_mutex_destroy(&threads->mutex);
#endif
    allocator = threads->allocator;
    padici_free(&allocator, threads, sizeof *threads);
}

#endif // PADIC_IMPLEMENTATION
