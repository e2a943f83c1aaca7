#include "../gpu/cuda/padic_cuda.in.h"
