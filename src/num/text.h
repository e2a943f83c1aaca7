#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "convert.h"

#ifndef PADIC_NO_NUM

PADICI_FN padic_result padici_num_open(padic_context *context, padic_num_call *call,
                                       padic_num_planes *planes, const padic_num_array *array,
                                       padici_num_work *work);
PADICI_FN padic_result padici_num_bytes_at(padic_context *context, const char *field,
                                           const padic_bytes *bytes, uint64_t size, void **at);
PADICI_FN padic_result padici_num_bytes_apart(padic_context *context, const char *field,
                                              const void *at, uint64_t size,
                                              const padic_num_array *array,
                                              const padic_num_planes *planes,
                                              const uint8_t *status);

#endif
