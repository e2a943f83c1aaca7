#pragma once
#include "../../core/platform.h"
#include "handles.h"

typedef struct padici_cl_candidate {
    padici_cl_device device;
    padici_cl_platform platform;
    uint64_t memory;
    uint32_t rank; // the lower the better
} padici_cl_candidate;

typedef struct padici_cl_choice {
    const padic_device_desc *desc;
    uint32_t any_type;  // the caller named the device, so CPUs are allowed
    uint32_t count, seen;
    const char *unfit;  // reason of the last refusal
    padici_cl_candidate list[PADICI_CL_DEVICES_MAX]; // best first
} padici_cl_choice;

PADICI_FN void padici_cl_offer(const padici_cl *cl, padici_cl_choice *choice,
                               padici_cl_platform platform, padici_cl_device device);
PADICI_FN padic_result padici_cl_pick(padici_cl *cl, const padici_cl_choice *choice);
PADICI_FN padic_result padici_cl_choose(padici_cl *cl, padici_cl_choice *choice);
PADICI_FN padici_cl_platform padici_cl_platform_of(const padici_cl *cl, padici_cl_device device);
PADICI_FN padic_result padici_cl_choose_in_context(padici_cl *cl, padici_cl_choice *choice);
PADICI_FN padic_result padici_cl_adopt_queue(padici_cl *cl, const padic_device_desc *desc,
                                             padici_cl_choice *choice);
