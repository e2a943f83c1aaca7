#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE uint64_t padici_codec_self_hash(void);

#endif
