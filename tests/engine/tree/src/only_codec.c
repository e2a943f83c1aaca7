// only_codec.c: a packer of assets needs nothing but the codec.
#define PADIC_ONLY_CODEC
#define STUDIO_ONLY_CODEC
#define PADIC_IMPLEMENTATION
#include "padic.h"

#include "checks.h"

int main(void)
{
    return studio_report("only_codec", studio_check());
}
