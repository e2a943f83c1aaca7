// padic_impl.c: the one unit of an ordinary build that has the functions.
#define PADIC_IMPLEMENTATION
#include "padic.h"
#include "padic_threads.h"
