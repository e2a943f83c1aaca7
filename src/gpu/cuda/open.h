#pragma once
#include "../../core/log.h"
#include "../../core/platform.h"
#include "device.h"
#include "loader.h"
#include "../texts.h"

PADICI_FN void padici_cuda_version_text(padici_text *text, int version);
PADICI_FN int padici_cuda_has_graphs(const padici_cuda_api *api);
PADICI_FN int padici_cuda_has_events(const padici_cuda_api *api);
PADICI_FN padic_result padici_cuda_open(const padic_env *env, const padic_device_desc *desc,
                                        padic_device **out);
PADICI_FN void padici_cuda_forget(padici_cuda *cuda, padici_cuda_program *program);
PADICI_FN void padici_cuda_drop_program(padici_cuda *cuda, padici_cuda_program *program);
PADICI_FN void padici_cuda_drop_recording(padici_cuda *cuda, padici_cuda_recording *recording);
PADICI_FN void padici_cuda_drop_ring(padici_cuda *cuda);
PADICI_FN void padici_cuda_drop_copies(padici_cuda *cuda);
PADICI_FN void padici_cuda_close(padic_device *device);
PADICI_FN void padici_cuda_info(padic_device *device, padic_device_info *info);
