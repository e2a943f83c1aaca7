#pragma once
#include "../core/platform.h"
#include "grid.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE size_t padici_codec_work_layout(padici_codec_work *w,
                                                          const padici_codec_grid *grid, int packer,
                                                          void *memory);

#endif
