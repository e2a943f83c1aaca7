#include "../codec/padic_fetch.in.h"
