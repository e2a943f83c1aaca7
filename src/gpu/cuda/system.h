#pragma once
#include "../../core/platform.h"

#ifdef PADIC_CUDA_PTX
typedef struct padici_cuda_ptx_row { // a compiled-in program
    const char *name;
    uint64_t hash;       // of its text
    const char *defines; // separated by spaces
    const unsigned char *text;
    size_t size; // a 0 at the end counts
} padici_cuda_ptx_row;
#include PADIC_CUDA_PTX
#endif

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#define PADICI_CUDA_CALL __stdcall
#else
#include <dlfcn.h>
#define PADICI_CUDA_CALL
#endif
