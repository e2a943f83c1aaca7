// stdlib.h: stub for msvc_gate.sh.
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
unsigned long strtoul(const char *, char **, int);
void abort(void);
int getenv_s(size_t *, char *, size_t, const char *);
#ifdef __cplusplus
}
#endif
