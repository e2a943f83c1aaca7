// hostile.h: what other headers define before padic.h comes: those of Windows and X, debug heaps,
// complex.h and tgmath.h, Qt, engines' own short words.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef STUDIO_COMPLEX
#include <complex.h>
#endif
#ifdef STUDIO_TGMATH
#include <tgmath.h>
#endif

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) < (b) ? (b) : (a))
#define emit
#define slots
#define signals public
#define near
#define far
#define NEAR
#define FAR
#define small char
#define hyper long
#define interface struct
#define pascal
#define cdecl
#define CALLBACK
#define CONST const
#define VOID void
#define BOOL int
#define TRUE 1
#define FALSE 0
#define IN
#define OUT
#define OPTIONAL
#define OK 0
#define ERROR 0
#define DOMAIN 1
#define STRICT 1
#define DELETE 4
#define TRANSPARENT 1
#define RELATIVE 2
#define ABSOLUTE 1
#define TEXT(x) L##x
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Success 0
#define PI 3.14
#define N 4
#define check(x) ((void)0)
#define verify(x) ((void)0)
#define assert(x)
#define foreach(a, b) for (a : b)
#ifndef I
#define I _Complex_I
#endif
#ifndef STUDIO_TGMATH
#define abs(x) ((x) > 0 ? (x) : -(x))
#endif

void *studio_malloc(size_t size, const char *file, int line);
void studio_free(void *pointer, const char *file, int line);
#define malloc(x) studio_malloc(x, __FILE__, __LINE__)
#define free(x) studio_free(x, __FILE__, __LINE__)
#define calloc(x, y) studio_malloc((x) * (y), __FILE__, __LINE__)
#define realloc(x, y) studio_realloc(x, y, __FILE__, __LINE__)
