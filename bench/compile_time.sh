#!/bin/sh
# Prints what the headers cost a compiler, with what is wanted beside it.
#
#     sh bench/compile_time.sh [COMPILER...]     default: gcc and clang, those that are there
#
# Each figure is processor time, which other programs disturb least, and wall time. The include is
# the median of 21 runs, above an empty file; the rest runs once, three minutes a compiler.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timer N COMMAND...: median milliseconds of processor and of wall time; N > 1 warms up first.
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
    for (i = n == 1; i <= n; i++) {
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
    qsort(cpu + 1, (size_t)n, sizeof cpu[0], order); /* 0 is the one that warms up */
    qsort(wall + 1, (size_t)n, sizeof wall[0], order);
    printf("%.1f %.1f\n", cpu[1 + n / 2], wall[1 + n / 2]);
    return 0;
}
C
cc -O2 -o "$work/timer" "$work/timer.c"

# file NAME HEADERS SWITCH...: writes NAME.c
file() {
    name=$1 headers=$2
    shift 2
    for switch in "$@"; do echo "#define PADIC_$switch"; done >"$work/$name.c"
    for header in $headers; do echo "#include \"$header\""; done >>"$work/$name.c"
    echo 'extern int nothing;' >>"$work/$name.c"
}
# measure RUNS FLAG NAME
measure() { "$work/timer" "$1" "$c" "$2" -I"$root" -c -o "$work/o.o" "$work/$3.c"; }
# row WHAT PROCESSOR WALL WANTED: times in ms; WANTED 0 is none, WALL 0 is not measured
row() {
    printf '%s|%s|%s|%s\n' "$1" "$2" "$3" "$4" | awk -F'|' '
        function text(t) { return t < 1000 ? sprintf("%.1f ms", t) : sprintf("%.2f s", t / 1000) }
        {
            printf "    %-36s%10s%10s", $1, text($2), ($3 > 0 ? text($3) : "")
            if ($4 > 0) printf "  %s %s", ($2 < $4 ? "under" : "SLOW: wanted under"), text($4)
            print ""
        }'
}
# once WHAT FLAG NAME WANTED
once() {
    took=$(measure 1 "$2" "$3")
    row "$1" "${took% *}" "${took#* }" "$4"
}

areas="CODEC NUM SPARSE SAMPLE WAVE TENSOR CDT RNN ROLLOUT PQ"
others="simd opencl cuda threads cache null"
backends=$(for b in $others; do printf 'backends/padic_%s.h ' "$b"; done)
file empty ''
file include padic.h
file six padic.h IMPLEMENTATION
file everything "padic.h $backends" IMPLEMENTATION
for area in $areas; do file "only_$area" padic.h IMPLEMENTATION "ONLY_$area"; done
for part in CORE $areas; do file "part_$part" padic.h SPLIT "IMPLEMENT_$part"; done
for b in $others; do
    part=$(echo "$b" | tr a-z A-Z)
    file "part_$part" "backends/padic_$b.h" SPLIT "IMPLEMENT_$part"
done
file part_GPU backends/padic_opencl.h SPLIT IMPLEMENT_GPU
parts="CORE $areas SIMD GPU OPENCL CUDA THREADS CACHE NULL"

if [ $# -eq 0 ]; then
    clang=clang
    command -v clang >/dev/null 2>&1 || clang=clang-19
    for c in gcc $clang; do
        command -v "$c" >/dev/null 2>&1 && set -- "$@" "$c"
    done
fi
for c in "$@"; do
    printf '%-40s%10s%10s\n' "$c" processor wall
    empty=$(measure 21 -O2 empty)
    include=$(measure 21 -O2 include)
    added=$(echo "$include $empty" | awk '{ print $1 - $3, $2 - $4 }')
    row 'the include, beyond an empty file' "${added% *}" "${added#* }" 30
    once 'the six areas, -O0' -O0 six 6000
    once 'the six areas, -O2' -O2 six 20000
    for area in $areas; do
        wanted=0
        [ $area != CODEC ] || wanted=7000
        once "PADIC_ONLY_$area, -O2" -O2 "only_$area" $wanted
    done
    once 'all and all backends, one file, -O2' -O2 everything 0
    : >"$work/parts"
    for part in $parts; do
        took=$(measure 1 -O2 "part_$part")
        echo "$took $part" >>"$work/parts"
    done
    # Two cores: the longest part that is left goes to the one that is free first.
    row 'the same in parts, two cores, -O2' "$(sort -rn "$work/parts" | awk '
        { if (a <= b) a += $1; else b += $1 }
        END { print (a > b ? a : b) }')" 0 35000
    while read -r cpu wall part; do row "part $part, -O2" "$cpu" "$wall" 0; done <"$work/parts"
done
