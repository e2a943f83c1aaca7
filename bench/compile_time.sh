#!/bin/sh
# Prints what the header costs a compiler, as medians: the include alone (wanted: under 30 ms above
# an empty file) and the implementation at -O2 (wanted: under 4 s).
#
#     sh bench/compile_time.sh [COMPILER...]     default: gcc and clang, those that are there
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timer N COMMAND...: the median wall milliseconds of N runs after one that warms up.
cat >"$work/timer.c" <<'C'
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
int main(int argc, char **argv)
{
    double ms[100];
    int i, n = argc > 2 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 99) return 2;
    for (i = 0; i <= n; i++) {
        struct timespec a, b;
        int status;
        pid_t child;
        clock_gettime(CLOCK_MONOTONIC, &a);
        child = fork();
        if (child == 0) {
            execvp(argv[2], argv + 2);
            _exit(127);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status) return 1;
        clock_gettime(CLOCK_MONOTONIC, &b);
        ms[i] = 1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec);
    }
    qsort(ms + 1, (size_t)n, sizeof ms[0], order); /* the first one only warms up */
    printf("%.1f\n", ms[1 + n / 2]);
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
printf '%-12s %12s %12s %12s %16s %16s\n' \
    compiler 'empty ms' 'include ms' 'added ms' 'whole -O0 ms' \
    'whole -O2 ms'
slow=0
for c in "$@"; do
    empty=$("$work/timer" 21 "$c" -O2 -I"$root" -c -o "$work/o.o" "$work/empty.c")
    include=$("$work/timer" 21 "$c" -O2 -I"$root" -c -o "$work/o.o" "$work/include.c")
    plain=$("$work/timer" 3 "$c" -O0 -I"$root" -c -o "$work/o.o" "$work/whole.c")
    whole=$("$work/timer" 5 "$c" -O2 -I"$root" -c -o "$work/o.o" "$work/whole.c")
    added=$(awk "BEGIN { printf \"%.1f\", $include - $empty }")
    printf '%-12s %12s %12s %12s %16s %16s\n' "$c" "$empty" "$include" "$added" "$plain" "$whole"
    awk "BEGIN { exit !($added < 30) }" || { echo "$c: the include is slower than wanted"; slow=1; }
    awk "BEGIN { exit !($whole < 4000) }" || { echo "$c: the whole is slower than wanted"; slow=1; }
done
[ $slow = 0 ] && echo "within what is wanted: include under 30 ms, implementation under 4000 ms"
exit 0
