// native.h: runs the groups of a kernel that is compiled as plain C. padic_native.h writes a file
// that includes this, the kernel text and the table of embed.py --native, and makes a shared object
// of it.
//
// Fibres: one a work-item, a barrier switches to the next. Items that end early or wait at
// different barriers are reported. `down` runs the items of a group in the other order: the results
// must be the same. -DNATIVE_THREADS: one thread an item and a real barrier, for TSan. Groups run
// one after the other, so local memory may be static.
#ifndef NATIVE_H
#define NATIVE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define NATIVE_MAX_GROUP 1024u

typedef struct native_kernel {
    const char *name;
    void (*run)(void *const *mem, const void *params);
    uint32_t mem_count;
    size_t params_size;
    int barriers; // it may wait at one
} native_kernel;

static uint32_t pd_host_grp[3], pd_host_ngrp = 1;
static const native_kernel *native_now;
static void *const *native_mem;
static const void *native_params;

#ifdef NATIVE_THREADS
#include <pthread.h>
static __thread uint32_t pd_host_lid;
static pthread_barrier_t native_barrier;

static inline void pd_host_barrier(int line)
{
    (void)line;
    pthread_barrier_wait(&native_barrier);
}

static void *native_thread(void *id)
{
    pd_host_lid = (uint32_t)(uintptr_t)id;
    native_now->run(native_mem, native_params);
    return NULL;
}

static void native_group(uint32_t size, int down)
{
    static pthread_t thread[NATIVE_MAX_GROUP];
    pthread_barrier_init(&native_barrier, NULL, size);
    for (uint32_t i = 0; i < size; i++) {
        const uintptr_t id = down ? size - 1 - i : i;
        if (pthread_create(&thread[i], NULL, native_thread, (void *)id)) abort();
    }
    for (uint32_t i = 0; i < size; i++) pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&native_barrier);
}
#else
#include <ucontext.h>
#define NATIVE_STACK 65536u
static uint32_t pd_host_lid;
static ucontext_t native_main, native_fibre[NATIVE_MAX_GROUP];
static int native_line[NATIVE_MAX_GROUP]; // of the barrier waited at; 0 when ended

static inline void pd_host_barrier(int line)
{
    const uint32_t lid = pd_host_lid;
    native_line[lid] = line;
    swapcontext(&native_fibre[lid], &native_main);
}

static void native_entry(void)
{
    native_now->run(native_mem, native_params);
    native_line[pd_host_lid] = 0;
}

static void native_make(uint32_t i, char *stack)
{
    getcontext(&native_fibre[i]);
    native_fibre[i].uc_stack.ss_sp = stack;
    native_fibre[i].uc_stack.ss_size = NATIVE_STACK;
    native_fibre[i].uc_link = &native_main;
    makecontext(&native_fibre[i], native_entry, 0);
}

static void native_fibres(uint32_t size, int down)
{
    static char *stacks;
    if (!stacks) stacks = (char *)malloc(NATIVE_MAX_GROUP * (size_t)NATIVE_STACK);
    if (!stacks) abort();
    for (uint32_t i = 0; i < size; i++) native_make(i, stacks + i * (size_t)NATIVE_STACK);
    do {
        for (uint32_t i = 0; i < size; i++) {
            pd_host_lid = down ? size - 1 - i : i;
            swapcontext(&native_main, &native_fibre[pd_host_lid]);
        }
        for (uint32_t i = 1; i < size; i++)
            if (native_line[i] != native_line[0]) {
                printf("BARRIER DIVERGENCE in %s, group %u %u %u: item 0 at line %d, item %u at "
                       "line %d (0: ended)\n",
                       native_now->name, pd_host_grp[0], pd_host_grp[1], pd_host_grp[2],
                       native_line[0], i, native_line[i]);
                fflush(stdout);
                _Exit(3);
            }
    } while (native_line[0]);
}

static void native_group(uint32_t size, int down)
{
    if (native_now->barriers) {
        native_fibres(size, down);
        return;
    }
    for (uint32_t i = 0; i < size; i++) {
        pd_host_lid = down ? size - 1 - i : i;
        native_now->run(native_mem, native_params);
    }
}
#endif

static void native_groups(const native_kernel *kernel, void *const *mem, const void *params,
                          uint32_t group, const uint32_t groups[3], int down)
{
    native_now = kernel;
    native_mem = mem;
    native_params = params;
    pd_host_ngrp = groups[0];
    for (pd_host_grp[2] = 0; pd_host_grp[2] < groups[2]; pd_host_grp[2]++)
        for (pd_host_grp[1] = 0; pd_host_grp[1] < groups[1]; pd_host_grp[1]++)
            for (uint32_t i = 0; i < groups[0]; i++) {
                pd_host_grp[0] = down ? groups[0] - 1 - i : i;
                native_group(group, down);
            }
}
#endif // NATIVE_H
