// audio.c: a unit in C of the same program.
#include "padic.h"
#include "padic_threads.h"

#include "checks.h"

const char *studio_audio(void);
const char *studio_audio(void)
{
    uint32_t word[4];
    const char *failed = studio_check();
    padic_random_block(0, 0, 0, 0, word); // the first known answer of Philox4x32-10
    if (word[0] != 0x6627e8d5u || word[3] != 0x9b00dbd8u) return "random";
    (void)studio_report;
    return failed;
}
