#include "../gpu/opencl/padic_opencl.in.h"
