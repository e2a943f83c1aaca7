// static_a.cpp, static_b.c: two private copies of the library in one program.
#define PADIC_STATIC
#define PADIC_IMPLEMENTATION
#include "padic.h"
#include "padic_threads.h"

#include "checks.h"

extern "C" const char *studio_other(unsigned long long *hash); // static_b.c

int main()
{
    unsigned long long hash = 0;
    const char *failed = studio_check();
    if (!failed) failed = studio_other(&hash);
    if (!failed && hash != padic_self_hash()) failed = "the copies' hash";
    return studio_report("static", failed);
}
