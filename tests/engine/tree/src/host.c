// host.c: a program that uses the shared library and nothing of padic.h.
#include <stdio.h>

const char *studio_plugin(unsigned long long *hash);

int main(void)
{
    unsigned long long hash = 0;
    const char *failed = studio_plugin(&hash);
    if (failed) printf("plugin: %s failed\n", failed);
    else printf("plugin: fine, hash %016llx\n", hash);
    return failed != NULL;
}
