// stdio.h: stub for msvc_gate.sh.
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct _iobuf {
    void *_Placeholder;
} FILE;
#define SEEK_SET 0
#define SEEK_END 2
int fopen_s(FILE **, const char *, const char *);
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
int fseek(FILE *, long, int);
long ftell(FILE *);
int fflush(FILE *);
int fclose(FILE *);
int remove(const char *);
int rename(const char *, const char *);
int printf(const char *, ...);
int puts(const char *);
int snprintf(char *, size_t, const char *, ...);
#ifdef __cplusplus
}
#endif
