// unity_audio.cpp: what audio.c does, as a file of the unity build.
#include "padic.h"

#include "checks.h"

extern "C" const char *studio_audio(void)
{
    return studio_codec() ? nullptr : "codec";
}
