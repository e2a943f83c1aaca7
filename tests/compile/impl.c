// impl.c: the implementation and nothing else: symbols, stack frames, contraction, PADIC_NO_*.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#ifndef ALONE // without the backends
#ifndef NO_VECTORS
#include "../../backends/padic_simd.h"
#endif
#include "../../backends/padic_cache.h"
#include "../../backends/padic_cuda.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_threads.h"
#include "../../backends/padic_opencl.h"
#endif

// What follows the implementation is the user's own: its settings must be the user's again.
double after_the_header(double a, double b, double c);

double after_the_header(double a, double b, double c)
{
    return a * b + c;
}
