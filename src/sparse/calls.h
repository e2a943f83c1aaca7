#pragma once
#include "../core/platform.h"
#include "decode.h"
#include "tasks.h"

#ifndef PADIC_NO_SPARSE

enum { // views of a decoding, after the four planes
    PADICI_SPARSE_V_DENSE = 4
};

typedef struct padici_sparse_decode_task {
    padici_sparse_task t;
    padic_sparse_decode_desc desc;
} padici_sparse_decode_task;

#endif
