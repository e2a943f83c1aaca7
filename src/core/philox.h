#pragma once
#include "platform.h"

PADICI_FN void padici_random_store(padic_dtype dtype, char *to, const uint32_t *w);
PADICI_FN uint32_t padici_random_words(padic_dtype dtype);
