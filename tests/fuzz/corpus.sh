#!/bin/sh
# corpus.sh TARGET: prints the files that a fuzz target starts from, one a line: its own in
# tests/fuzz/corpus/TARGET/, and the golden streams.
# corpus.sh TARGET PROGRAM: runs PROGRAM (the target compiled with -DPADIC_FUZZ_REPLAY) on them.
program=
[ -z "$2" ] || program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")/../.." || exit 1
files() {
    find "tests/fuzz/corpus/$1" tests/golden -type f -size -256k 2>/dev/null | sort
}
if [ -z "$program" ]; then
    files "$1"
    exit
fi
[ -n "$(files "$1")" ] || { echo "no corpus for $1"; exit 1; }
files "$1" | xargs "$program"
