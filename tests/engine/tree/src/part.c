// part.c: one part of a split build; the build says which, by -DPADIC_IMPLEMENT_PART.
#include "padic.h"
#include "padic_cache.h"
#include "padic_cuda.h"
#include "padic_null.h"
#include "padic_opencl.h"
#include "padic_simd.h"
#include "padic_threads.h"

extern int studio_part_is_not_empty; // -Wpedantic wants something in every unit
