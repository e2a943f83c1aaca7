#include "../simd/padic_simd.in.h"
