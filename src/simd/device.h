#pragma once
#include "../context/ops.h"
#include "../core/platform.h"
#include "level.h"

typedef struct padici_simd { // the padic_device of this backend
    padic_env env;           // first: the CPU backend's functions only see this
    uint32_t level;          // not PADICI_SIMD_NONE where an operation's function is called
    void *tensor_space;      // packed panels, reused from call to call
    size_t tensor_size;
} padici_simd;

// The vectorised rows of src/ops.def that are not loops.
#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
#define PADICI_SIMD_DECLARE_0(kind, name)
#define PADICI_SIMD_DECLARE_1(kind, name)
#define PADICI_SIMD_DECLARE_2(kind, name) PADICI_SIMD_DECLARE_##kind(name)
#define PADICI_SIMD_DECLARE_3(kind, name) PADICI_SIMD_DECLARE_##kind(name)
#define PADICI_SIMD_DECLARE_CALL(name) \
    PADICI_FN padic_result padici_simd_##name(padici_simd *simd, const padic_##name##_desc *desc);
#define PADICI_SIMD_DECLARE_QUICK(name) PADICI_SIMD_DECLARE_CALL(name)
#define PADICI_SIMD_DECLARE_TASK(name) \
    PADICI_FN padic_result padici_simd_##name(padici_simd *simd, padici_##name##_task *task);
#define PADICI_SIMD_DECLARE_LOOP(name)
#define PADICI_SIMD_DECLARE(number, NAME, name, kind, by, rules) \
    PADICI_SIMD_DECLARE_##by(kind, name)
PADICI_OPS_HERE(PADICI_SIMD_DECLARE)
#undef PADICI_SIMD_DECLARE
#undef PADICI_SIMD_DECLARE_0
#undef PADICI_SIMD_DECLARE_1
#undef PADICI_SIMD_DECLARE_2
#undef PADICI_SIMD_DECLARE_3
#undef PADICI_SIMD_DECLARE_CALL
#undef PADICI_SIMD_DECLARE_QUICK
#undef PADICI_SIMD_DECLARE_TASK
#undef PADICI_SIMD_DECLARE_LOOP
#endif
