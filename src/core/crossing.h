#pragma once
#include "platform.h"

// +1 where the way from a to b, two complex numbers {re, im} that are finite and not 0, crosses the
// negative real axis downwards, -1 upwards, 0 not at all. Exact.
PADICI_FN int padici_crossing(const double a[2], const double b[2]);
