#!/bin/sh
# gpu_micro.sh [cuda|opencl]: builds bench/gpu_micro.c with its kernels and runs it; CSV on stdout.
# Exit status 77 where there is no such device.
set -e
cd "$(dirname "$0")/.."
B=$(mktemp -d "${TMPDIR:-/tmp}/padic-micro.XXXXXX")
trap 'rm -rf "$B"' EXIT
[ "$1" != opencl ] || define=-DMICRO_OPENCL
# The headers as they would be with one program more.
cp -R src tools "$B"
mkdir "$B/backends" "$B/bench" "$B/src/kernels/gpu_micro"
cp bench/gpu_micro.cl "$B/src/kernels/gpu_micro"
cp bench/gpu_micro.c "$B/bench"
python3 "$B/tools/amalgamate.py"
# shellcheck disable=SC2086
${CC:-cc} -std=gnu99 -O2 -DPADIC_NO_CODEC -DMICRO_KERNELS $define \
    "$B/bench/gpu_micro.c" -o "$B/gpu_micro" -lm -lpthread -ldl
"$B/gpu_micro"
