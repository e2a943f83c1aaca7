// planted.c: a bug for each sanitizer to see, -DBUG=1 to 4; 0 has none. For sanitizers.sh.
#include <pthread.h>
#include <stdlib.h>
static int shared;
static void *race(void *unused)
{
    shared++;
    return unused;
}
int main(int argc, char **argv)
{
    (void)argv;
    volatile int *p = (int *)malloc(4 * sizeof *p), big = 2147483647;
    pthread_t thread;
#if BUG == 1
    p[3 + argc] = 0;
#elif BUG == 2
    big += argc;
#elif BUG == 3
    if (p[2]) big = 1;
#elif BUG == 4
    if (pthread_create(&thread, NULL, race, NULL)) return 0;
    shared++;
    pthread_join(thread, NULL);
#endif
    (void)thread;
    (void)race;
    free((void *)p);
    return big == 5;
}
