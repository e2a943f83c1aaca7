#!/bin/sh
# corpus.sh TARGET: prints the files that a fuzz target starts from, one a line: its own in
# tests/fuzz/corpus/TARGET/, and the golden streams.
cd "$(dirname "$0")/../.." || exit 1
find "tests/fuzz/corpus/$1" tests/golden -type f -size -256k 2>/dev/null | sort
