#!/bin/sh
# demo.sh: builds the command-line tool and packs the real arrays of tests/data/ with it, without
# loss and within a bound of 1e-3 of each array's range. Prints one table: array, dtype, ratio,
# speed, and the proof that every value came back as promised. Fails if one proof fails.
#
#     sh examples/demo.sh
#
# Needs a C compiler, nothing else. CC=... chooses one. On a Debian system without any, root gets
# gcc installed.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

find_compiler() {
    for cc in "$CC" cc gcc clang tcc; do
        [ -n "$cc" ] && command -v "${cc%% *}" >/dev/null && return
    done
    return 1
}

if ! find_compiler && [ -n "$(command -v apt-get)" ] && [ "$(id -u)" = 0 ]; then
    echo "no C compiler: installing gcc"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -q && apt-get install -q -y --no-install-recommends gcc libc6-dev; } \
        >"$tmp/apt" 2>&1 || tail -n 20 "$tmp/apt"
fi
if ! find_compiler; then
    echo "demo.sh: no C compiler was found (cc, gcc, clang, tcc)."
    echo "Install one, on Debian: apt-get install gcc libc6-dev; or say CC=/path/to/one."
    exit 1
fi

padic=$tmp/padic
command="$cc -O2 -o padic examples/padic.c -lm -lpthread"
echo "$command"
if ! $cc -O2 -o "$padic" examples/padic.c -lm -lpthread 2>"$tmp/log"; then
    cat "$tmp/log"
    echo "demo.sh: $cc cannot build the tool; a C99 compiler with its C library is needed"
    echo "(on Debian: apt-get install gcc libc6-dev), or CC=another."
    exit 1
fi

# In one process: ratio, speed and proof of each array.
"$padic" bench --list tests/data/MANIFEST.tsv --level 5 --bound 1e-3 --relative --seconds 0.25
status=$?

# In separate processes, through files, threads and pipes: the bytes themselves.
same=0 all=0
{
    read -r _
    while read -r name dtype shape _; do
        all=$((all + 1))
        raw=tests/data/$name.bin
        if "$padic" pack --dtype "$dtype" --shape "$shape" "$raw" "$tmp/packed" &&
            "$padic" verify "$tmp/packed" >/dev/null &&
            "$padic" unpack "$tmp/packed" "$tmp/again" && cmp "$raw" "$tmp/again" &&
            "$padic" pack --threads 2 --dtype "$dtype" --shape "$shape" - - <"$raw" >"$tmp/piped" &&
            "$padic" unpack - - <"$tmp/piped" | cmp "$raw" -; then
            same=$((same + 1))
        else
            echo "$name: not the same through files" >&2
        fi
    done
    echo "through files and pipes, each step a process of its own: $same of $all the same bytes"
    [ "$same" = "$all" ] && [ "$all" -gt 0 ] || status=1
} <tests/data/MANIFEST.tsv
exit "$status"
