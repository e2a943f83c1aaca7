#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_CODEC

PADICI_NOINLINE PADICI_FN uint64_t padici_codec_self_hash(void);

#endif
