// padic_native.h: a device for tests that runs the kernel texts as plain C in host memory, with the
// sanitizers of the test program. Include it after backends/padic_opencl.h, in a unit that defines
// PADIC_IMPLEMENTATION; the working directory is the repository's root.
//
// Each variant of a program becomes a shared object: native.h, the text, the wrappers that
// `tools/kernels.py --native` prints. They are kept in ${TMPDIR:-/tmp}/padic-native-UID under a
// hash of all that goes in, so a second run compiles nothing. Without Linux, python3 or a compiler
// (NATIVE_CC, else what compiled the test; NATIVE_FLAGS, else -g -O1) `open` answers NO_DEVICE.
//
// Buffers are as large as they were asked for; a borrowed one (padic_buffer_desc.native) is a host
// pointer, so a block of malloc() shows the sanitizers the first byte outside.
#ifndef PADIC_NATIVE_H
#define PADIC_NATIVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__) && !defined(__TINYC__)
#define NATIVE_HERE 1
#include <dlfcn.h>
#include <unistd.h>
#else
#define NATIVE_HERE 0
#endif

typedef struct padic_native_desc { // desc.device.native_context, may be NULL
    int down;                      // run the items of a group from the last to the first
    uint32_t features;             // 0: F64 and I64_ATOMICS
    uint32_t builds, together, kept, launches, fetches; // counted; together: by programs()
    uint32_t no_fetch;             // 1: it has no copies beside the queue
} padic_native_desc;

typedef int (*native_launch_fn)(uint32_t kernel, void *const *mem, uint32_t mem_count,
                                const void *params, uint32_t params_size, uint32_t group,
                                const uint32_t groups[3], int down);

typedef struct native_program { // a padic_program
    struct native_program *next;
    native_launch_fn launch;
} native_program;

typedef struct native_device { // a padic_device
    padic_env env;
    padic_native_desc *desc, own;
    const char *kernel_dir;
    native_program *programs;
    uint64_t blocks;
    padic_fetch fetched[PADIC_FETCH_SLOTS]; // copies that have not been waited for: to is not NULL
    void *open;                             // memory that they go to
} native_device;

#if defined(__has_feature)
#define NATIVE_FEATURE(x) __has_feature(x)
#else
#define NATIVE_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || NATIVE_FEATURE(address_sanitizer)
#define NATIVE_SANITIZE " -fsanitize=address,undefined -fno-sanitize-recover=all"
#elif defined(__SANITIZE_THREAD__) || NATIVE_FEATURE(thread_sanitizer)
#define NATIVE_SANITIZE " -fsanitize=thread -DNATIVE_THREADS"
#elif NATIVE_FEATURE(memory_sanitizer)
#define NATIVE_SANITIZE " -fsanitize=memory"
#elif defined(NATIVE_COVERAGE)
#define NATIVE_SANITIZE " --coverage"
#else
#define NATIVE_SANITIZE ""
#endif
#define NATIVE_TEXT(x) NATIVE_TEXT_(x)
#define NATIVE_TEXT_(x) #x
#if defined(__clang__)
#define NATIVE_COMPILER "clang-" NATIVE_TEXT(__clang_major__)
#else
#define NATIVE_COMPILER "gcc"
#endif

static padic_result native_say(native_device *d, padic_result result, const char *sentence)
{
    if (d->env.message_size) snprintf(d->env.message, d->env.message_size, "native: %s", sentence);
    return result;
}

#if NATIVE_HERE
static uint64_t native_hash(uint64_t hash, const char *text)
{
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return (hash ^ '\n') * 0x100000001b3u;
}

static int native_folder(char *folder, size_t size)
{
    const char *base = getenv("TMPDIR");
    char command[600];
    snprintf(folder, size, "%s/padic-native-%u", base ? base : "/tmp", (unsigned)getuid());
    snprintf(command, sizeof command, "mkdir -p -m 700 '%s'", folder);
    return !system(command);
}

static const char *native_compiler(void)
{
    const char *given = getenv("NATIVE_CC");
    return given ? given : NATIVE_COMPILER;
}

static const char *native_flags(void)
{
    const char *given = getenv("NATIVE_FLAGS");
    return given ? given : "-g -O1";
}

static char *native_file(const char *path) // its text, from malloc; NULL: none
{
    FILE *file = fopen(path, "rb");
    char *text;
    long size;
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    text = (char *)calloc((size_t)size + 1, 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = 0;
    fclose(file);
    return text;
}

static const char native_tail[] =
    "int native_launch(uint32_t kernel, void *const *mem, uint32_t mem_count, const void *params,\n"
    "                  uint32_t params_size, uint32_t group, const uint32_t groups[3], int down);\n"
    "int native_launch(uint32_t kernel, void *const *mem, uint32_t mem_count, const void *params,\n"
    "                  uint32_t params_size, uint32_t group, const uint32_t groups[3], int down)\n"
    "{\n"
    "    const native_kernel *k = &native_kernels[kernel];\n"
    "    if (kernel >= sizeof native_kernels / sizeof native_kernels[0]) return 1;\n"
    "    if (k->mem_count != mem_count || k->params_size != params_size) return 2;\n"
    "    if (!group || group > NATIVE_MAX_GROUP) return 3;\n"
    "    native_groups(k, mem, params, group, groups, down);\n"
    "    return 0;\n"
    "}\n";

// The compiler's words: each line to the log, the first to the message.
static padic_result native_log(native_device *d, const char *path)
{
    char *log = native_file(path), *line, *end;
    if (d->env.message_size)
        snprintf(d->env.message, d->env.message_size, "native: %.450s", log ? log : "no compiler");
    for (line = log; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        if (d->env.log->write) (*d->env.log->write)(PADIC_LOG_ERROR, 0, line, d->env.log->user);
    }
    free(log);
    return PADIC_ERROR_BUILD;
}

// Compiles `text` and the table of `area`, words for tools/kernels.py (NULL: none), to `object`.
static padic_result native_compile(native_device *d, const char *folder, const char *object,
                                   const char *text, const char *area, const char *defines)
{
    const uint64_t hash = native_hash(0xcbf29ce484222325u, text);
    char source[640], table[640], command[8192];
    FILE *file;
    padic_result result = PADIC_OK;
    snprintf(source, sizeof source, "%s/%ld.c", folder, (long)getpid());
    file = fopen(source, "wb");
    if (!file) return native_say(d, PADIC_ERROR_BUILD, "cannot write to the temporary folder");
    fprintf(file, "#include \"native.h\"\n%s\n", text);
    fclose(file);
    command[0] = 0;
    if (area) {
        // The table is one for all variants of a text.
        snprintf(table, sizeof table, "%s/%08x%08x.table", folder, (unsigned)(hash >> 32),
                 (unsigned)hash);
        snprintf(command, sizeof command,
                 "{ [ -f '%s' ] || { python3 -B tools/kernels.py %s"
                 " >'%s.table' 2>'%s.log' && mv '%s.table' '%s'; }; } && cat '%s' >>'%s'",
                 table, area, source, source, source, table, table, source);
        file = system(command) ? NULL : fopen(source, "ab");
        if (file) fputs(native_tail, file);
        if (file) fclose(file);
        if (!file) result = PADIC_ERROR_BUILD;
    }
    // Written under another name first: several tests may run at once.
    snprintf(command, sizeof command,
             "%s -std=gnu99 %s -fPIC -shared -ffp-contract=off -Wall -Wno-unused-function"
             " -Wno-unused-const-variable -Wno-unknown-pragmas -Werror" NATIVE_SANITIZE
             " -Itests/native%s '%s' -o '%s.%ld' -lm -lpthread 2>'%s.log' && mv '%s.%ld' '%s'",
             native_compiler(), native_flags(), defines, source, object, (long)getpid(), source,
             object, (long)getpid(), object);
    if (!result && system(command)) result = PADIC_ERROR_BUILD;
    snprintf(command, sizeof command, "%s.log", source);
    if (result) result = native_log(d, command);
    unlink(command);
    unlink(source);
    return result;
}

// The shared object for a text; compiled unless it is there. NULL: *result says why.
static void *native_object(native_device *d, const char *text, const char *area,
                           const char *defines, padic_result *result)
{
    char folder[512], object[600], *harness = native_file("tests/native/native.h");
    uint64_t hash = native_hash(0xcbf29ce484222325u, text);
    void *handle;
    *result = PADIC_ERROR_BUILD;
    if (!harness || !native_folder(folder, sizeof folder)) {
        free(harness);
        native_say(d, *result, "not in the root of the repository, or no temporary folder");
        return NULL;
    }
    hash = native_hash(native_hash(hash, harness), native_tail);
    hash = native_hash(native_hash(hash, native_compiler()), NATIVE_SANITIZE __VERSION__);
    hash = native_hash(hash, native_flags());
    hash = native_hash(hash, defines);
    free(harness);
    snprintf(object, sizeof object, "%s/%08x%08x.so", folder, (unsigned)(hash >> 32),
             (unsigned)hash);
    *result = PADIC_OK;
    if (access(object, R_OK)) {
        *result = native_compile(d, folder, object, text, area, defines);
        d->desc->builds += !*result;
    }
    if (*result) return NULL;
    handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!handle) *result = native_say(d, PADIC_ERROR_BUILD, dlerror());
    return handle;
}
#endif

static padic_result native_open(const padic_env *env, const padic_device_desc *desc,
                                padic_device **out)
{
    native_device *d = (native_device *)calloc(1, sizeof *d);
    padic_result result = PADIC_ERROR_NO_DEVICE;
    *out = NULL;
    if (!d) return PADIC_ERROR_MEMORY;
    d->env = *env;
    d->desc = desc->native_context ? (padic_native_desc *)desc->native_context : &d->own;
    d->kernel_dir = desc->kernel_dir;
#if NATIVE_HERE
    {
        const char *probe = "int native_probe(void);\n"
                            "int native_probe(void)\n{\n    return 0;\n}\n";
        if (!native_object(d, probe, NULL, "", &result)) result = PADIC_ERROR_NO_DEVICE;
    }
#else
    native_say(d, result, "only on Linux");
#endif
    if (result)
        free(d);
    else
        *out = (padic_device *)(void *)d;
    return result;
}

static void native_close(padic_device *device)
{
    native_device *d = (native_device *)(void *)device;
    while (d->programs) {
        native_program *program = d->programs;
        d->programs = program->next;
        free(program);
    }
    if (d->blocks) { // the pool must have given everything back
        printf("native: %lu blocks leaked\n", (unsigned long)d->blocks);
        abort();
    }
    free(d);
}

static void native_info(padic_device *device, padic_device_info *info)
{
    const native_device *d = (const native_device *)(void *)device;
    memset(info, 0, sizeof *info);
    memcpy(info->name, "kernels as plain C", 19);
    memcpy(info->vendor, "padic", 6);
    info->features =
        d->desc->features ? d->desc->features : PADIC_FEATURE_F64 | PADIC_FEATURE_I64_ATOMICS;
    if (getenv("NATIVE_FLAGS") && strstr(getenv("NATIVE_FLAGS"), "PD_HAS_WARPS=1"))
        info->features |= PADIC_FEATURE_SUBGROUPS;
    info->compute_units = 1; // so that the loops of kernels turn
    info->max_group = 256;
    info->alignment = 16;
    info->memory = info->max_alloc = UINT64_C(1) << 30;
    info->local_bytes = 32768;
}

static padic_result native_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    void *block = size >> 31 ? NULL : malloc((size_t)size);
    out->bits = (uint64_t)(uintptr_t)block;
    if (!block) return PADIC_ERROR_MEMORY;
    ((native_device *)(void *)device)->blocks++;
    return PADIC_OK;
}

static void native_free(padic_device *device, padic_mem mem, uint64_t size)
{
    (void)size;
    free((void *)(uintptr_t)mem.bits);
    ((native_device *)(void *)device)->blocks--;
}

static padic_result native_upload(padic_device *device, padic_mem mem, uint64_t at,
                                  const void *from, uint64_t size)
{
    (void)device;
    memcpy((char *)(uintptr_t)mem.bits + at, from, (size_t)size);
    return PADIC_OK;
}

static padic_result native_download(padic_device *device, padic_mem mem, uint64_t at, void *to,
                                    uint64_t size)
{
    (void)device;
    memcpy(to, (char *)(uintptr_t)mem.bits + at, (size_t)size);
    return PADIC_OK;
}

static padic_result native_copy(padic_device *device, padic_mem to, uint64_t at, padic_mem from,
                                uint64_t from_at, uint64_t size)
{
    return native_upload(device, to, at, (char *)(uintptr_t)from.bits + from_at, size);
}

static padic_result native_fill(padic_device *device, padic_mem mem, uint64_t at, uint32_t value,
                                uint64_t size)
{
    uint64_t i;
    (void)device;
    for (i = 0; i < size; i += 4) memcpy((char *)(uintptr_t)mem.bits + at + i, &value, 4);
    return PADIC_OK;
}

static padic_result native_build(padic_device *device, const padic_program_desc *desc,
                                 padic_program **out)
{
    native_device *d = (native_device *)(void *)device;
    padic_result result = PADIC_ERROR_BUILD;
    *out = NULL;
#if NATIVE_HERE
    native_program *program = (native_program *)calloc(1, sizeof *program);
    char defines[2048] = "", area[1100], *text = NULL;
    size_t size = 0;
    void *handle = NULL;
    uint32_t i;
    if (!program) return PADIC_ERROR_MEMORY;
    for (i = 0; i < desc->define_count; i++) {
        const size_t used = strlen(defines);
        snprintf(defines + used, sizeof defines - used, " '-D%s'", desc->defines[i]);
    }
    snprintf(area, sizeof area, "--native %s", padici_programs[desc->program].name);
    if (d->kernel_dir)
        snprintf(area, sizeof area, "--kernels '%s' --native %s", d->kernel_dir,
                 padici_programs[desc->program].name);
    result = padici_gpu_source(&d->env, d->kernel_dir, desc->program, NULL, &text, &size);
    if (!result) handle = native_object(d, text, area, defines, &result);
    if (text) padici_free(d->env.allocator, text, size + 1);
    if (handle) {
        void *symbol = dlsym(handle, "native_launch");
        memcpy(&program->launch, &symbol, sizeof symbol); // ISO C has no such cast
        if (!symbol) result = native_say(d, PADIC_ERROR_BUILD, "no entry");
    }
    if (result) {
        free(program);
        return result;
    }
    program->next = d->programs;
    d->programs = program;
    *out = (padic_program *)(void *)program;
#else
    (void)desc;
    (void)d;
#endif
    return result;
}

static padic_result native_launch(padic_device *device, const padic_launch *launch)
{
    native_device *d = (native_device *)(void *)device;
    const native_program *program = (const native_program *)(void *)launch->program;
    void *mem[8] = {0};
    uint32_t i;
    for (i = 0; i < launch->mem_count; i++) mem[i] = (void *)(uintptr_t)launch->mem[i].bits;
    d->desc->launches++;
    if ((*program->launch)(launch->kernel, mem, launch->mem_count, launch->params,
                           launch->params_size, launch->group, launch->groups, d->desc->down))
        return native_say(d, PADIC_ERROR_DEVICE, "the launch does not fit the kernel");
    return PADIC_OK;
}

static padic_result native_sync(padic_device *device)
{
    (void)device;
    return PADIC_OK;
}

// What is copied beside the queue comes when it is waited for, and what it would come over is
// spoilt: memory that is used again too early, or too soon, gives wrong bytes.
static padic_result native_fetch(padic_device *device, const padic_fetch *fetch)
{
    native_device *d = (native_device *)(void *)device;
    padic_fetch *slot = &d->fetched[fetch->slot];
    if (fetch->action == PADIC_FETCH_OPEN && d->desc->no_fetch) return PADIC_ERROR_NOT_SUPPORTED;
    if (fetch->action == PADIC_FETCH_OPEN) d->open = fetch->to;
    if (fetch->action == PADIC_FETCH_OPEN) return PADIC_OK;
    if (fetch->slot >= PADIC_FETCH_SLOTS || !d->open)
        return native_say(d, PADIC_ERROR_DEVICE, "a copy beside the queue that nobody began");
    if (fetch->action == PADIC_FETCH_CLOSE) {
        if (d->open != fetch->to || d->fetched[0].to || d->fetched[1].to)
            return native_say(d, PADIC_ERROR_DEVICE, "copies beside the queue are not done");
        d->open = NULL;
    } else if (fetch->action == PADIC_FETCH_COPY) {
        if (slot->to) return native_say(d, PADIC_ERROR_DEVICE, "the slot has a copy already");
        *slot = *fetch;
        memset(slot->to, 0xee, (size_t)slot->size);
        d->desc->fetches++;
    } else {
        if (!slot->to) return native_say(d, PADIC_ERROR_DEVICE, "the slot has no copy");
        memcpy(slot->to, (char *)(uintptr_t)slot->mem.bits + slot->at, (size_t)slot->size);
        slot->to = NULL;
    }
    return PADIC_OK;
}

static void native_keep(padic_device *device, padic_program *program)
{
    (void)program;
    ((native_device *)(void *)device)->desc->kept++;
}

static void native_programs(padic_device *device, const padic_program_desc *descs, uint32_t count,
                            padic_program **out, padic_result *results)
{
    for (uint32_t i = 0; i < count; i++) results[i] = native_build(device, &descs[i], &out[i]);
    ((native_device *)(void *)device)->desc->together += count;
}

static inline const padic_backend *padic_native(void)
{
    static const padic_backend backend = {PADIC_BACKEND_VERSION,
                                          "native",
                                          native_open,
                                          native_close,
                                          native_info,
                                          native_alloc,
                                          native_free,
                                          native_upload,
                                          native_download,
                                          native_copy,
                                          native_fill,
                                          native_build,
                                          native_launch,
                                          native_sync,
                                          NULL,
                                          NULL,
                                          NULL,
                                          NULL,
                                          0,
                                          0,
                                          padici_gpu_drive,
                                          native_keep,
                                          native_programs,
                                          native_fetch};
    return &backend;
}
#endif // PADIC_NATIVE_H
