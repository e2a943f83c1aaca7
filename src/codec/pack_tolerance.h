#pragma once
#include "../core/platform.h"
#include "choose_transform.h"
#include "packing.h"

#ifndef PADIC_NO_CODEC

PADICI_FN double padici_codec_down(double x);
PADICI_FN double padici_codec_product_down(double a, double b);
PADICI_FN double padici_codec_difference_down(double a, double b);
PADICI_FN padici_codec_tolerance padici_codec_block_tolerance(const padici_codec_packing *packing,
                                                              uint32_t layer, uint64_t index);
PADICI_FN double padici_codec_measure_range(padici_codec_packing *packing);
PADICI_FN double padici_codec_scalar_tolerance(const padic_codec_pack_desc *desc, double range);
PADICI_FN void padici_codec_measure_tolerance(const padic_codec_pack_desc *desc,
                                              padici_codec_packing *packing);
PADICI_FN PADICI_NOINLINE void padici_codec_layer_tolerances(const padic_codec_pack_desc *desc,
                                                             padici_codec_packing *packing);

#endif
