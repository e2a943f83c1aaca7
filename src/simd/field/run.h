#pragma once
#include "../../core/platform.h"
#include "../device.h"
#include "kernels.h"

#ifndef PADIC_NO_FIELD
PADICI_FN padic_result padici_simd_field_kernels(padici_simd *simd, void *choice);
#endif
