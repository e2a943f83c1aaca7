// stdio.h: stub for msvc_gate.sh.
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
int printf(const char *, ...);
int puts(const char *);
int snprintf(char *, size_t, const char *, ...);
#ifdef __cplusplus
}
#endif
