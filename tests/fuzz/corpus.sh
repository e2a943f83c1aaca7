#!/bin/sh
# corpus.sh TARGET: prints the files that a fuzz target starts from, one a line: its own in
# tests/fuzz/corpus/TARGET/ (fuzz_simd those of fuzz_decode), and the golden streams where it reads
# streams.
# corpus.sh TARGET PROGRAM: runs PROGRAM (the target compiled with -DPADIC_FUZZ_REPLAY) on them.
program=
[ -z "$2" ] || program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")/../.." || exit 1
files() {
    own=tests/fuzz/corpus/$(echo "$1" | sed s/simd/decode/) golden=tests/golden
    # Bytes of these are no streams.
    case $1 in
    fuzz_pack | fuzz_pq | fuzz_read | fuzz_rnn | fuzz_cdt_calls | fuzz_field | fuzz_rollout | \
        fuzz_rollout_record)
        golden= ;;
    esac
    # shellcheck disable=SC2086
    find "$own" $golden -type f -size -256k 2>/dev/null | sort
}
if [ -z "$program" ]; then
    files "$1"
    exit
fi
[ -n "$(files "$1")" ] || { echo "no corpus for $1"; exit 1; }
files "$1" | xargs "$program"
