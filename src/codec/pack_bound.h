#pragma once
#include "../core/platform.h"
#include "choose_form.h"
#include "packing.h"

#ifndef PADIC_NO_CODEC

PADICI_FN double padici_down(double x);
PADICI_FN double padici_product_down(double a, double b);
PADICI_FN double padici_difference_down(double a, double b);
PADICI_FN padici_bound padici_block_bound(const padici_packing *packing, uint32_t layer,
                                          uint64_t index);
PADICI_FN double padici_measure_range(padici_packing *packing);
PADICI_FN double padici_scalar_bound(const padic_codec_desc *desc, double range);
PADICI_FN void padici_measure_bound(const padic_codec_desc *desc, padici_packing *packing);
PADICI_FN PADICI_NOINLINE void padici_layer_bounds(const padic_codec_desc *desc,
                                                   padici_packing *packing);

#endif
