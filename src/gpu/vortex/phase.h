#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

#endif
