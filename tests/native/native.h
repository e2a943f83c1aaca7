// native.h: runs the groups of a kernel that is compiled as plain C. padic_native.h writes a file
// that includes this, the kernel text and the table of `tools/kernels.py --native`, and makes a
// shared object of it.
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
#define NATIVE_STACK 65536u
#include <sys/mman.h>
static uint32_t pd_host_lid;
static int native_line[NATIVE_MAX_GROUP]; // of the barrier waited at; 0 when ended
static void native_entry(void);

#if defined(__x86_64__) && !defined(__ILP32__)
// swapcontext() asks the system for the mask of signals, which takes longer than the kernels. A
// context is its stack, with the registers that a call keeps on top and where to go on.
typedef void *native_context;
__attribute__((visibility("hidden"))) void native_swap(void **from, void **to);
__asm__(".text\n.globl native_swap\n.hidden native_swap\n.type native_swap, @function\n"
        "native_swap:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\nmovq (%rsi), %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
        ".size native_swap, .-native_swap\n");

static void native_make(native_context *c, char *stack)
{
    void **top = (void **)(void *)(stack + NATIVE_STACK);
    for (uint32_t i = 1; i <= 8; i++) top[-(int)i] = NULL;
    *(void (**)(void))&top[-2] = native_entry; // as if it had been called, at a multiple of 16
    *c = top - 8;
}
#else
#include <ucontext.h>
typedef ucontext_t native_context;
#define native_swap swapcontext

static void native_make(native_context *c, char *stack)
{
    getcontext(c);
    c->uc_stack.ss_sp = stack;
    c->uc_stack.ss_size = NATIVE_STACK;
    c->uc_link = NULL;
    makecontext(c, native_entry, 0);
}
#endif
static native_context native_main, native_fibre[NATIVE_MAX_GROUP];

static inline void pd_host_barrier(int line)
{
    const uint32_t lid = pd_host_lid;
    native_line[lid] = line;
    native_swap(&native_fibre[lid], &native_main);
}

static void native_entry(void)
{
    native_now->run(native_mem, native_params);
    pd_host_barrier(0); // for ever
}

static void native_fibres(uint32_t size, int down)
{
    static char *stacks; // pages that are not used cost nothing, whatever MALLOC_PERTURB_ is
    if (!stacks)
        stacks = (char *)mmap(NULL, NATIVE_MAX_GROUP * (size_t)NATIVE_STACK,
                              PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stacks == (char *)MAP_FAILED) abort();
    for (uint32_t i = 0; i < size; i++)
        native_make(&native_fibre[i], stacks + i * (size_t)NATIVE_STACK);
    do {
        for (uint32_t i = 0; i < size; i++) {
            pd_host_lid = down ? size - 1 - i : i;
            native_swap(&native_main, &native_fibre[pd_host_lid]);
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
