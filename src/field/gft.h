#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_FIELD

#define PADICI_FIELD_GFT_TASKS 64

PADICI_FN padic_result padici_field_gft_check_terms(padic_context *context,
                                                    const padic_field_term *power);
PADICI_FN void padici_field_gft_terms(const padic_field_term *power, double *g, double *p);
PADICI_FN double padici_field_gft_power(double square, double exponent);

#endif
