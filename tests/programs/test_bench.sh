#!/bin/sh
# The bench runs: every operation once on tiny input, for crashes and wrong output only, no times.
# Also planted faults: a peer that gives wrong bytes must be reported, compare.py must flag a slower
# row and leave noise alone. Skips what needs Python where there is none.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# check WANTED-STATUS WHAT COMMAND...
check() {
    wanted=$1 what=$2
    shift 2
    status=0
    "$@" >"$work/out" 2>&1 || status=$?
    [ "$status" = "$wanted" ] && return 0
    echo "test_bench: $what: status $status, not $wanted"
    sed 's/^/    /' "$work/out" | tail -20
    bad=1
}
# holds FILE TEXT WHAT
holds() {
    grep -q "$2" "$1" && return 0
    echo "test_bench: $3: no '$2' in the output"
    sed 's/^/    /' "$1" | tail -20
    bad=1
}

# Arrays: text as bytes of several types, odd sizes, one constant.
mkdir "$work/data"
head -c 4096 "$root/padic.h" >"$work/data/text_f32.bin"
head -c 2002 "$root/padic.h" >"$work/data/text_u16.bin"
head -c 1015 "$root/padic.h" >"$work/data/text_i8.bin"
head -c 65536 /dev/zero >"$work/data/zero_f64.bin"
{
    printf 'category\tname\tdtype\tdims(slow..fast)\tbytes\tnote\n'
    printf 'text\ttext_f32\tf32\t32x32\t4096\t\n'
    printf 'text\ttext_u16\tu16\t7x11x13\t2002\t\n'
    printf 'text\ttext_i8\ti8\t1015\t1015\t\n'
    printf 'zero\tzero_f64\tf64\t2x64x64\t65536\t\n'
} >"$work/data/MANIFEST.tsv"

sh "$root/bench/build.sh" "$work/bench" -O0 >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
}
# Programs for devices and tuning run elsewhere: here the compiler reads them.
for file in "$root"/bench/*.c; do
    [ "$(basename "$file")" = gpu_micro.c ] || # which is made with kernels of its own
        check 0 "$(basename "$file") compiles" cc -std=gnu99 -fsyntax-only "$file"
done
run() {
    "$work/bench" --repeat 1 --seconds 0 "$@"
}
all=$("$work/bench" --list | awk '/^padic/ { next } { printf "%s%s", c, $1; c = "," }')

check 0 codec run --data "$work/data" --level 1,5,9 --peer "${all:-none}" \
    --csv "$work/a.csv" --json "$work/a.json" --machine test
holds "$work/out" '^all ' 'codec table'
columns=$(awk -F, '{ print NF }' "$work/a.csv" | sort -u)
[ "$columns" = 33 ] || { echo "test_bench: CSV rows of $columns columns"; bad=1; }
check 0 'codec, one array' run --data "$work/data" --filter text_u16 --peer none
check 0 'codec, no category' run --data "$work/data" --filter zero --peer none \
    --clock cpu --show best
for mode in absolute range pointwise; do
    bound=1e-3
    check 0 "codec, bound $mode" run --data "$work/data" --filter f64,f32 --peer none \
        --bound $bound --mode $mode
done
if [ -f "$root/backends/padic_threads.h" ]; then
    check 0 'codec, threads' run --data "$work/data" --threads 1,2 --peer none
fi
check 0 memcpy run --op memcpy --size 100000
check 0 random run --op random --size 100000
check 2 'unknown option' run --nonsense 1
check 1 'unknown operation' run --op nonsense
check 1 'unknown peer' run --data "$work/data" --peer nonsense
check 1 'no folder' run --data "$work/nowhere"
check 2 'bound of zero' run --data "$work/data" --bound 0

# A peer that loses a bit must be found out.
cat >"$work/broken.c" <<'C'
#include "bench.h"
#include <stdlib.h>
#include <string.h>
static const bench_array *of;
static void *start(const bench_codec *codec, const bench_array *array, size_t *room)
{
    (void)codec;
    of = array;
    *room = array->bytes;
    return malloc(1);
}
static size_t pack(void *state, void *dst, size_t room)
{
    (void)state;
    memcpy(dst, of->data, room);
    return room;
}
static int unpack(void *state, const void *src, size_t size, void *dst)
{
    (void)state;
    memcpy(dst, src, size);
    ((unsigned char *)dst)[size / 2] ^= 1;
    return 0;
}
static const char *version(void) { return "0"; }
const bench_codec bench_lz4[] = {
    {"broken", 0, 0, start, pack, unpack, free, version},
    {NULL, 0, 0, NULL, NULL, NULL, NULL, NULL},
};
C
${CC:-cc} -O1 -DBENCH_NO_PADIC -DBENCH_LZ4 -I"$root/bench" -o "$work/planted" \
    "$root/bench/bench.c" "$work/broken.c" -lm
check 0 'planted fault' "$work/planted" --repeat 1 --seconds 0 --data "$work/data" --peer broken
holds "$work/out" 'broken on text_f32: WRONG OUTPUT' 'planted fault'
holds "$work/out" '4 results of peers were wrong' 'planted fault'

if command -v python3 >/dev/null 2>&1; then
    head -1 "$work/a.csv" >"$work/b.csv"
    cp "$work/b.csv" "$work/c.csv"
    cp "$work/b.csv" "$work/d.csv"
    row() { # MEDIAN P10 P90 RATIO
        head=m,d,c,gcc,-O2,cpu,1,pack,codec,x,,f32,8,8,padic5,9
        echo "$head,$1,$2,$3,$2,host,32,1,,0,exact,$4,,,,,,"
    }
    row 100 99 101 0.5 >>"$work/b.csv"
    row 120 118 122 0.5 >>"$work/c.csv"
    row 120 95 122 0.5 >>"$work/d.csv"
    check 1 'compare.py on a slower row' \
        python3 "$root/bench/compare.py" "$work/b.csv" "$work/c.csv"
    holds "$work/out" 'slower: 100.0 -> 120.0 us' compare.py
    check 0 'compare.py on noise' python3 "$root/bench/compare.py" "$work/b.csv" "$work/d.csv"
    check 0 'compare.py on a faster row' \
        python3 "$root/bench/compare.py" "$work/c.csv" "$work/b.csv"
    row 100 99 101 0.51 >>"$work/b.csv"
    check 1 'compare.py on a larger row' python3 "$root/bench/compare.py" "$work/b.csv"
    holds "$work/out" 'larger: ratio' compare.py
else
    echo "test_bench: compare.py not run: no python3"
fi
# Numbers, beside FLINT and PARI where they are installed: every result is compared with theirs.
sh "$root/bench/build.sh" "$work/bench-num" -O0 >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
}
num() {
    "$work/bench-num" --repeat 1 --seconds 0 --sizes small "$@"
}
for ring in '257^6' '2^53' '4294967291^2' '257^64'; do # series of the last take 20 s: in full
    only=bare
    [ "$ring${FULL:-}" = '257^64' ] || only=$ring
    check 0 "numbers of $ring" num --op num --ring "$ring" --filter "$only" --csv "$work/num.csv"
    holds "$work/out" "bare mul *$ring" "numbers of $ring"
done
holds "$work/num.csv" '^machine,date,commit' 'CSV of numbers'
check 0 'a ring of its own' num --op num --ring 257^18 --filter 'bare add'
holds "$work/out" 'bare add *257^18' 'a ring of its own'
check 0 systems num --op solve
holds "$work/out" 'solve *8 x 8' systems
check 0 sparse num --op sparse --elements 1048576
holds "$work/out" 'x the loop' sparse
check 0 sample num --op sample
holds "$work/out" 'owen  *base 257' sample
check 1 'unknown option' num --nonsense 1
# Small calls, with every context.
sh "$root/bench/build.sh" "$work/bench-small" -O0 >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
}
check 0 'small calls' "$work/bench-small" --rounds 1 --csv "$work/small.csv"
holds "$work/out" 'codec unpack' 'small calls'
holds "$work/small.csv" 'num mul, FLOAT",plain' 'CSV of small calls'
check 2 'unknown option of small calls' "$work/bench-small" --nonsense

[ $bad = 0 ] && echo "test_bench: passed"
exit $bad
