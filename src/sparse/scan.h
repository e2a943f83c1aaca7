#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN void padici_sparse_plain(padic_sparse_call *c, uint32_t kernel);

#endif
