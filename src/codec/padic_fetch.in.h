// padic_fetch.h 0.1.0: elements of an array that is packed in the profile FETCH, read by kernels of
// your own, without unpacking. MIT or Unlicense.
//
// In a kernel's text (OpenCL C 1.2, CUDA, HIP), or with PADIC_FETCH_CODE in C, this file is the
// functions; their comments, below, say how they are used. In a host program it is that same text,
// to be compiled in front of a kernel's:
//
//     padic_fetch_lines[PADIC_FETCH_LINES]   one string a line, as clCreateProgramWithSource takes
//     padic_fetch_text(to, room)             all of it, for NVRTC or hiprtc: writes at most `room`
//                                            bytes, the last a 0, and returns the room it takes
//
// Made by tools/amalgamate.py from src/codec/padic_fetch.in.h.
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__) || defined(__CUDA_ARCH__) || \
    defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__) || defined(PADIC_FETCH_CODE)
#ifndef PADIC_FETCH_CODE_H
#define PADIC_FETCH_CODE_H
#include "../kernels/dialect.h"
#include "../kernels/codec/fetch.h"
#endif
#else
#ifndef PADIC_FETCH_H
#define PADIC_FETCH_H
#include <string.h>

static const char *const padic_fetch_lines[] = {
#include "../made/fetch.h"
};
#define PADIC_FETCH_LINES (sizeof padic_fetch_lines / sizeof padic_fetch_lines[0])

#if defined(__GNUC__) || defined(__clang__)
__attribute__((unused))
#endif
static size_t padic_fetch_text(char *to, size_t room)
{
    size_t size = 0, i;
    for (i = 0; i < PADIC_FETCH_LINES; i++) {
        const size_t length = strlen(padic_fetch_lines[i]);
        if (size + length < room) memcpy(to + size, padic_fetch_lines[i], length + 1);
        size += length;
    }
    return size + 1;
}
#endif
#endif
// @identity
