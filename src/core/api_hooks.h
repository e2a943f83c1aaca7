#pragma once
// -------------------------------------------------------------------------------------- >>hooks

// Memory. `alloc` returns NULL when there is none; `align` is a power of two; `free` is told the
// size that was asked for. Both NULL: malloc and free; one of them alone is ARGUMENT.
typedef struct padic_allocator {
    void *(*alloc)(size_t size, size_t align, void *user);
    void (*free)(void *pointer, size_t size, void *user);
    void *user;
} padic_allocator;

// Work for other threads. `enqueue` runs fn(arg) some time on some thread and returns a task (NULL:
// it has run already); `finish` waits for one task. `workers` is how many run at once; 0 or 1, or
// both NULL, means everything runs in the calling thread; one of them alone is ARGUMENT. No result
// depends on it.
typedef struct padic_jobs {
    uint32_t workers;
    void *(*enqueue)(void (*fn)(void *arg), void *arg, void *user);
    void (*finish)(void *task, void *user);
    void *user;
} padic_jobs;

typedef enum padic_log_level {
    PADIC_LOG_ERROR = 1,
    PADIC_LOG_WARNING = 2,
    PADIC_LOG_INFO = 3
} padic_log_level;

// `item` is a stable number for filtering (the op, or 0); `text` is one line without a newline.
typedef struct padic_logger {
    void (*write)(padic_log_level level, uint32_t item, const char *text, void *user);
    void *user;
} padic_logger;

// Compiled programs and measured choices that outlive the process. `load` with data NULL asks for
// the size; it returns 0 for a miss. Both NULL: none; one of them alone is ARGUMENT.
typedef struct padic_cache {
    int (*load)(const char *key, void *data, size_t *size, void *user);
    void (*store)(const char *key, const void *data, size_t size, void *user);
    void *user;
} padic_cache;

// How far a long call is. It is told what is done, in steps of that call (blocks of the codec) and
// never less than before, and how many there are in all, or 0 where that is not known. Returns 0 to
// go on; after anything else the call stops as soon as it can, with CANCELLED. With a jobs hook a
// worker may ask, but never two at a time.
typedef struct padic_progress {
    int (*step)(uint64_t done, uint64_t total, void *user);
    void *user;
} padic_progress;

