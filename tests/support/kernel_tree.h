// kernel_tree.h: a copy of src/kernels for kernel_dir, in which a piece of text is another. Include
// it after backends/padic_opencl.h in a unit that looks inside; the working directory is the root.
#ifndef KERNEL_TREE_H
#define KERNEL_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int kernel_tree_begin(const char *folder) // makes it; 0: it cannot
{
    char command[1600];
    snprintf(command, sizeof command,
             "rm -rf '%s' && mkdir -m 700 '%s' && cp -R src/kernels/. '%s'",
             folder, folder, folder);
    return !system(command);
}

static inline void kernel_tree_end(const char *folder)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) printf("\n  cannot remove %s", folder);
}

// From malloc; NULL: none.
static inline char *kernel_tree_text(const char *folder, const char *name)
{
    char path[700], *text = (char *)calloc(1, 1u << 19);
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file || !fread(text, 1, (1u << 19) - 1, file)) {
        free(text);
        text = NULL;
    }
    if (file) fclose(file);
    return text;
}

// How often `from` stands in the texts of an area ("base/"); each time it becomes `to`. All of
// them are those of the tree before.
static inline int kernel_tree_change(const char *folder, const char *area, const char *from,
                              const char *to)
{
    int found = 0;
    for (uint32_t i = 0; i < PADICI_TEXT_SHARED; i++) {
        const char *name = padici_texts[i].name;
        char path[700], *text, *at, *next;
        FILE *file;
        if (strncmp(name, area, strlen(area))) continue;
        text = kernel_tree_text("src/kernels", name);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        file = fopen(path, "wb");
        if (!text || !file) return 0;
        for (at = next = text; *at; at++) // runs of spaces as one, unless `from` has some
            if (*at != ' ' || at[1] != ' ' || strstr(from, "  ")) *next++ = *at;
        *next = 0;
        for (at = text; (next = strstr(at, from)) != NULL; at = next + strlen(from), found++) {
            fwrite(at, 1, (size_t)(next - at), file);
            fputs(to, file);
        }
        fputs(at, file);
        fclose(file);
        free(text);
    }
    return found;
}

#endif // KERNEL_TREE_H
