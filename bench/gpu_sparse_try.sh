#!/bin/sh
# gpu_sparse_try.sh: variants of the one-pass kernel of sparse matrices on this GPU, as CSV: which
# tile, how many tiles are looked back at in one go, how many groups a multiprocessor has room for.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
while read -r vectors loop defines; do
    n=$((n + 1))
    ${CC:-cc} -O2 -std=gnu99 -DPADIC_NO_CODEC "-DPADICI_SPARSE_VECTORS=$vectors" "-DPADICI_SPARSE_LOOP=$loop" \
        "-DPADICI_SPARSE_TRY=$defines" bench/gpu_sparse.c -o "$tmp/gs$n" -lm -lpthread -ldl || exit 1
    echo "# vectors $vectors, loop $loop, $defines"
    "$tmp/gs$n" cuda --repeat 5 --cases 2 --method one_pass
done <<'END'
4 0 "PD_SPARSE_VECTORS=4",
8 0 "PD_SPARSE_VECTORS=8",
4 0 "PD_SPARSE_WINDOWS=2",
4 4 "PD_SPARSE_LOOP=1",
4 3 "PD_SPARSE_LOOP=1","PD_SPARSE_BLOCKS=3",
8 2 "PD_SPARSE_VECTORS=8","PD_SPARSE_LOOP=1","PD_SPARSE_BLOCKS=2",
8 0 "PD_SPARSE_VECTORS=8","PD_SPARSE_WINDOWS=8","PD_SPARSE_BLOCKS=3",
END
