// device.h: kernels as plain C as the device of a program that otherwise takes a real one. (run.sh
// looks for padic_native.h in programs that it has to compile whole.)
#include "../../backends/padic_opencl.h"
#include "padic_native.h"
