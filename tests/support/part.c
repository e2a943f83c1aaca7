// part.c: one part of the library, as a split build has them; the build says which, by
// -DPADIC_SPLIT -DPADIC_IMPLEMENT_PART. Test programs share the parts (see inside.h).
#include "../../padic.h"
#include "../../backends/padic_cache.h"
#include "../../backends/padic_cuda.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_opencl.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"

extern int padic_part_is_not_empty; // -Wpedantic wants something in every unit
