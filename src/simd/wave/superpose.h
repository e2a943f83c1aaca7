#pragma once
#include "../device.h"
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#endif
