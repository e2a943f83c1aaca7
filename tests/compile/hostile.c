// hostile.c: macros that other headers are known to leave behind (windows.h, curses.h, X11, old
// game engines). The library must read as if they were not there.
#include <math.h> // C's own would not survive them either
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define small char
#define interface struct
#define ERROR 0
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define BOOL int
#define TRUE 1
#define FALSE 0
#define True 1
#define False 0
#define None 0L
#define Bool int
#define Status int
#define Success 0
#define KEY 1
#define CHECK(x) ((void)(x))
#define ABS(x) ((x) < 0 ? -(x) : (x))
#define MIN min
#define MAX max
#define ARRAY_SIZE(a) (sizeof(a) / sizeof *(a))
#define U8 unsigned
#define I 1
#define PI 3.14159265358979
#define countof(a) (sizeof(a) / sizeof *(a))
#define swap(a, b) hostile_swap((a), (b))
#define log2 hostile_log2
#define clamp(x, a, b) min(max((x), (a)), (b))
// A debugging allocator that captures the plain names.
#define alloc(size) hostile_alloc(size)
#define dealloc(pointer) hostile_free(pointer)

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_cuda.h"
#include "../../backends/padic_cache.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_threads.h"
#include "../../backends/padic_opencl.h"
int main(void)
{
    return padic_dtype_size(PADIC_U8) != 1;
}
