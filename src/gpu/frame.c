#include "frame.h"

#if PADICI_IMPLEMENT_GPU

// ---------------------------------------------------------------------------------------- >>frame

// The contents of buffer i before the launch: `size` bytes, none of them 0 at first.
PADICI_FN void *padici_gpu_image(padici_gpu_case *c, uint32_t i, uint64_t size)
{
    const size_t whole = ((size_t)size + PADICI_GPU_GUARD + 15u) & ~(size_t)15u;
    if (whole > PADICI_GPU_CASE_BYTES - c->used) return NULL; // a test asks too much
    c->buffers[i].image = c->space + c->used;
    c->buffers[i].size = size;
    c->used += whole;
    memset(c->buffers[i].image, 0xa5, whole);
    return c->buffers[i].image;
}

// The contents of buffer i after the launch; they begin as a copy of the image.
PADICI_FN void *padici_gpu_answer(padici_gpu_case *c, uint32_t i)
{
    const size_t whole = ((size_t)c->buffers[i].size + 15u) & ~(size_t)15u;
    if (whole > PADICI_GPU_CASE_BYTES - c->used) return NULL;
    c->buffers[i].answer = c->space + c->used;
    c->used += whole;
    memcpy(c->buffers[i].answer, c->buffers[i].image, (size_t)c->buffers[i].size);
    return c->buffers[i].answer;
}

// The number behind "WORD=" among the lines of a variant; `otherwise` if there is none.
PADICI_FN uint32_t padici_gpu_define(const padici_gpu_case *c, const char *word, uint32_t otherwise)
{
    const padici_variant *variant = &c->gpu->state->variants[c->variant];
    const size_t length = strlen(word);
    const char *line = variant->defines, *end = line + variant->defines_size;
    while (line < end) {
        const char *next = (const char *)memchr(line, '\n', (size_t)(end - line));
        if (!strncmp(line, word, length) && line[length] == '=') {
            uint32_t number = 0;
            for (line += length + 1; *line >= '0' && *line <= '9'; line++)
                number = number * 10 + (uint32_t)(*line - '0');
            return number;
        }
        line = next + 1;
    }
    return otherwise;
}

// Whether a device is NVIDIA's, through CUDA, and of this architecture or a later one: "sm_80".
PADICI_FN int padici_gpu_is_sm(const padici_gpu *gpu, uint32_t least)
{
    const char *arch = gpu->info->arch;
    uint32_t number = 0;
    if (strcmp(gpu->target->backend->name, "cuda") || strncmp(arch, "sm_", 3)) return 0;
    for (arch += 3; *arch >= '0' && *arch <= '9'; arch++)
        number = number * 10 + (uint32_t)(*arch - '0');
    return number >= least;
}

#endif
