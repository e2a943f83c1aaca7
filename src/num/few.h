#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

PADICI_FN int padici_num_few(padic_context *context, uint32_t op, uint32_t kernel,
                             const padic_num_array *out, const padic_num_array *a,
                             const padic_num_array *b);

#endif
