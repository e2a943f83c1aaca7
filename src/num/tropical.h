#pragma once
#include "../core/platform.h"
#include "words.h"

#ifndef PADIC_NO_NUM

PADICI_FN padici_num_wide padici_num_ln(uint64_t p);

#endif
