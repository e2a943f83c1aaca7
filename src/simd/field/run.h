#pragma once
#include "../../core/platform.h"
#include "../device.h"
#include "kernels.h"
