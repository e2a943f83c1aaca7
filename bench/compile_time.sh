#!/bin/sh
# Prints what the header costs a compiler, as medians: the include alone (wanted: under 30 ms above
# an empty file) and the implementation at -O2 (wanted: under 4 s).
#
#     sh bench/compile_time.sh [COMPILER...]     default: gcc and clang, those that are there
#
# Each figure is processor time / wall time; on a quiet machine they agree. What is wanted is
# compared with the processor time, which other programs disturb least.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timer N COMMAND...: median milliseconds of processor and of wall time, N runs after a warm-up.
cat >"$work/timer.c" <<'C'
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double spent(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return 1e3 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}
int main(int argc, char **argv)
{
    double cpu[100], wall[100];
    int i, n = argc > 2 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 99) return 2;
    for (i = 0; i <= n; i++) {
        struct timespec a, b;
        int status;
        pid_t child;
        double before = spent();
        clock_gettime(CLOCK_MONOTONIC, &a);
        child = fork();
        if (child == 0) {
            execvp(argv[2], argv + 2);
            _exit(127);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status) return 1;
        clock_gettime(CLOCK_MONOTONIC, &b);
        wall[i] = 1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec);
        cpu[i] = spent() - before;
    }
    qsort(cpu + 1, (size_t)n, sizeof cpu[0], order); /* the first one only warms up */
    qsort(wall + 1, (size_t)n, sizeof wall[0], order);
    printf("%.1f %.1f\n", cpu[1 + n / 2], wall[1 + n / 2]);
    return 0;
}
C
cc -O2 -o "$work/timer" "$work/timer.c"

echo 'int nothing;' >"$work/empty.c"
printf '#include "padic.h"\nint nothing;\n' >"$work/include.c"
printf '#define PADIC_IMPLEMENTATION\n#include "padic.h"\n' >"$work/whole.c"

if [ $# -eq 0 ]; then
    for c in gcc clang; do
        command -v $c >/dev/null 2>&1 && set -- "$@" $c
    done
fi
printf '%-12s %15s %15s %9s %17s %17s\n' compiler 'empty ms' 'include ms' 'added ms' \
    'whole -O0 ms' 'whole -O2 ms'
slow=0
# measure RUNS FLAGS FILE
measure() {
    "$work/timer" "$1" "$c" "$2" -I"$root" -c -o "$work/o.o" "$work/$3"
}
for c in "$@"; do
    empty=$(measure 21 -O2 empty.c)
    include=$(measure 21 -O2 include.c)
    plain=$(measure 3 -O0 whole.c)
    whole=$(measure 5 -O2 whole.c)
    added=$(awk "BEGIN { printf \"%.1f\", ${include% *} - ${empty% *} }")
    printf '%-12s %15s %15s %9s %17s %17s\n' "$c" "${empty% *} / ${empty#* }" \
        "${include% *} / ${include#* }" "$added" "${plain% *} / ${plain#* }" \
        "${whole% *} / ${whole#* }"
    awk "BEGIN { exit !($added < 30) }" || { echo "$c: the include is slower than wanted"; slow=1; }
    awk "BEGIN { exit !(${whole% *} < 4000) }" || { echo "$c: -O2 is slower than wanted"; slow=1; }
done
[ $slow = 0 ] && echo "within what is wanted: include under 30 ms, implementation under 4000 ms"
exit 0
