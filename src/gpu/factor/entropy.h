#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_TENSOR

#endif
