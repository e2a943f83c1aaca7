#pragma once
#include "../core/platform.h"
#include "level.h"

typedef struct padici_simd { // what a padic_device of this backend really is
    padic_env env;           // first: the CPU backend's functions see only this
    uint32_t level;          // not PADICI_SIMD_NONE where an operation's way is called
    void *tensor_space;      // packed panels, kept from call to call
    size_t tensor_size;
} padici_simd;
