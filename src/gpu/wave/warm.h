#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_WAVE

// Known answers: more than one block of sources and one tile of points, where drivers have been
// wrong. (Slow emulators get fewer, and smaller groups, which are blocks of sources.)
#ifndef PADICI_TEST_WAVE_SOURCES
#define PADICI_TEST_WAVE_SOURCES 131u
#define PADICI_TEST_WAVE_SMALL 203u // points of tensors
#define PADICI_TEST_WAVE_ITEMS 64
#endif

#endif
