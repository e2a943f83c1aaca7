// -------------------------------------------------------------------------------- >>areas API
//
// They have files of their own beside this one.

#ifndef PADIC_NO_SAMPLE
#include "padic_sample.h"
#endif
#ifndef PADIC_NO_WAVE
#include "padic_wave.h"
#endif
#ifndef PADIC_NO_TENSOR
#include "padic_tensor.h"
#endif

