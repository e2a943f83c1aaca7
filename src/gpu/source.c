#include "source.h"
#include "../made/texts.h"
#include "../core/log.h"
#include "../core/memory.h"

#if PADICI_IMPLEMENT_GPU

// --------------------------------------------------------------------------------------- >>source

// Adds text to a block, or only counts it when there is no block yet.
static void padici_gpu_text_add(char *block, size_t *size, const char *words, size_t length)
{
    if (block) memcpy(block + *size, words, length);
    *size += length;
}

// Adds a file; 0 when it cannot be read, or grew since it was counted.
static int padici_gpu_text_file(char *block, size_t *size, size_t room, const char *path)
{
    char piece[1024];
    size_t got;
    FILE *file;
    int fits = 1;
#ifdef _MSC_VER
    if (fopen_s(&file, path, "rb")) return 0;
#else
    file = fopen(path, "rb");
    if (!file) return 0;
#endif
    while (fits && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        fits = !block || got <= room - *size;
        if (fits) padici_gpu_text_add(block, size, piece, got);
    }
    fclose(file);
    return fits;
}

// A text of a program: the shared ones, or `own`, which are for CUDA only.
static const padici_kernel_lines *padici_gpu_lines(uint32_t number, const padici_kernel_lines *own)
{
    return number < PADICI_TEXT_SHARED ? &padici_texts[number] : &own[number - PADICI_TEXT_SHARED];
}

// One text, from kernel_dir if that is given, under its name below src/kernels. 0: it cannot be
// read.
static int padici_gpu_text_one(const char *kernel_dir, const padici_kernel_lines *text, char *block,
                               size_t room, size_t *size)
{
    char path[1024];
    padici_text words;
    uint32_t i;
    for (i = 0; i < text->count && !(kernel_dir && i); i++) // the first line names the file
        padici_gpu_text_add(block, size, text->lines[i],
                            kernel_dir ? strcspn(text->lines[i], "\n") + 1
                                       : strlen(text->lines[i]));
    if (!kernel_dir) return 1;
    padici_text_begin(&words, path, sizeof path);
    padici_text_add(&words, kernel_dir);
    padici_text_add(&words, "/");
    padici_text_add(&words, text->name);
    return padici_gpu_text_file(block, size, room, path);
}

// The dialect, then the texts of the program. Returns the number of the text that cannot be read;
// 0: none.
static const char *padici_gpu_text(const char *kernel_dir, const padici_program_text *program,
                                   const padici_kernel_lines *own, char *block, size_t room,
                                   size_t *size)
{
    uint32_t i;
    *size = 0;
    for (i = 0; i <= program->text_count; i++) {
        const padici_kernel_lines *text = padici_gpu_lines(i ? program->texts[i - 1] : 0, own);
        if (!padici_gpu_text_one(kernel_dir, text, block, room, size)) return text->name;
    }
    return NULL;
}

// The whole text of a program for a compiler, 0-terminated: a block of *size + 1 bytes from the
// allocator. `own`: the texts for CUDA only, or NULL. BUILD when kernel_dir lacks a file; the
// message is in env->message.
PADICI_FN padic_result padici_gpu_source(const padic_env *env, const char *kernel_dir,
                                         uint32_t program, const padici_kernel_lines *own,
                                         char **text, size_t *size)
{
    const padici_program_text *row = &padici_programs[program];
    const char *lacks;
    padici_text message;
    size_t room;
    *text = NULL;
    lacks = padici_gpu_text(kernel_dir, row, own, NULL, 0, &room);
    if (!lacks) {
        *text = (char *)padici_alloc(env->allocator, room + 1, 16);
        if (!*text) return PADIC_ERROR_MEMORY;
        lacks = padici_gpu_text(kernel_dir, row, own, *text, room, size);
        if (!lacks) {
            memset(*text + *size, 0, room + 1 - *size); // a file may have shrunk
            *size = room;
            return PADIC_OK;
        }
        padici_free(env->allocator, *text, room + 1);
        *text = NULL;
    }
    padici_text_begin(&message, env->message, env->message_size);
    padici_text_add(&message, "kernel_dir lacks ");
    padici_text_add(&message, lacks);
    padici_text_add(&message, ", a text of program ");
    padici_text_add(&message, row->name);
    return PADIC_ERROR_BUILD;
}

// Tunables change the speed of a driver's kernels and no bit of their results. A driver asks
// padici_gpu_choose() for the best choice on this device for a call of n elements (its own measure
// of size), and passes the choice's defines to padici_gpu_need() and _launch(). The first choice is
// the default. An area's tunables are in its table of tunables; see >>tuner.

#endif
