#include "../padic.in.h"
