// --------------------------------------------------------------------------------------- >>source

// Adds text to a block, or only counts it when there is none yet.
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

// The dialect, then the program; from kernel_dir (dialect.h, AREA.cl, cuda/AREA.cu) if it is given.
static int padici_gpu_text(const char *kernel_dir, const padici_program_text *program, char *block,
                           size_t room, size_t *size)
{
    uint32_t i;
    *size = 0;
    for (i = 0; kernel_dir && i < 2; i++) {
        char path[1024];
        padici_text text;
        const char *line;
        padici_text_begin(&text, path, sizeof path);
        padici_text_add(&text, kernel_dir);
        padici_text_add(&text, i && program->cuda ? "/cuda/" : "/");
        padici_text_add(&text, i ? program->name + (program->cuda ? 5 : 0) : "dialect.h");
        if (i) padici_text_add(&text, program->cuda ? ".cu" : ".cl");
        line = i ? program->lines[0] : padici_dialect_lines[0]; // names the file
        padici_gpu_text_add(block, size, line, strlen(line));
        if (!padici_gpu_text_file(block, size, room, path)) return 0;
    }
    if (kernel_dir) return 1;
    for (i = 0; i < PADICI_DIALECT_COUNT; i++)
        padici_gpu_text_add(block, size, padici_dialect_lines[i], strlen(padici_dialect_lines[i]));
    for (i = 0; i < program->line_count; i++)
        padici_gpu_text_add(block, size, program->lines[i], strlen(program->lines[i]));
    return 1;
}

// The whole text of a program for a compiler, with a 0 behind it: a block of *size + 1 bytes from
// the allocator. BUILD when kernel_dir lacks a file; the sentence is in env->message.
PADICI_UNUSED static padic_result padici_gpu_source(const padic_env *env, const char *kernel_dir,
                                                    uint32_t program, char **text, size_t *size)
{
    const padici_program_text *row = &padici_programs[program];
    padici_text message;
    size_t room;
    *text = NULL;
    if (padici_gpu_text(kernel_dir, row, NULL, 0, &room)) {
        *text = (char *)padici_alloc(env->allocator, room + 1, 16);
        if (!*text) return PADIC_ERROR_MEMORY;
        if (padici_gpu_text(kernel_dir, row, *text, room, size)) {
            memset(*text + *size, 0, room + 1 - *size); // a file may have shrunk
            *size = room;
            return PADIC_OK;
        }
        padici_free(env->allocator, *text, room + 1);
        *text = NULL;
    }
    padici_text_begin(&message, env->message, env->message_size);
    padici_text_add(&message, "kernel_dir lacks dialect.h or the file of program ");
    padici_text_add(&message, row->name);
    return PADIC_ERROR_BUILD;
}

// Tunables: what changes the speed of a driver's kernels and no bit of what they compute. A driver
// asks padici_gpu_choose() for the choice that holds on this device for a call of n elements (its
// own measure of size), and passes the choice's defines to padici_gpu_need() and _launch(). The
// first choice is the default. An area's tunables stand in its table of tunables; see >>tuner.

#define PADICI_TUNE_CLASSES 5u  // below 2^12, 2^16, 2^20, 2^24 elements, and above
#define PADICI_TUNE_CHOICES 12u // at most
#define PADICI_TUNE_MOST 64u    // tunables

typedef struct padici_gpu_choice {
    const char *defines[4];
    uint32_t define_count;
    uint32_t number; // for the driver itself: items of a thread, parts of a sum's index, ...
} padici_gpu_choice;

typedef struct padici_gpu_tunable {
    const char *name;
    uint32_t area, op, program; // padic_area; operation; the program whose kernels it changes
    uint32_t count;
    padici_gpu_choice choices[PADICI_TUNE_CHOICES];
    // A typical call of a size class: dtypes and shapes of the desc's tensors, without memory or
    // strides. Inputs are then filled with padic_random_fill(), outputs with zeros. 0: none.
    int (*example)(padici_any_desc *desc, uint32_t size_class);
    // Largest difference of floats from the CPU's, over the largest value; 0: the same bits.
    double bound;
} padici_gpu_tunable;

static const padici_gpu_choice *padici_gpu_choose(padici_gpu *gpu, const padici_gpu_tunable *t,
                                                  uint64_t n);

