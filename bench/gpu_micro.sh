#!/bin/sh
# gpu_micro.sh [cuda|opencl]: builds bench/gpu_micro.c with its kernels and runs it; CSV on stdout.
# Exit status 77 where there is no such device.
set -e
cd "$(dirname "$0")/.."
B=$(mktemp -d "${TMPDIR:-/tmp}/padic-micro.XXXXXX")
trap 'rm -rf "$B"' EXIT
[ "$1" != opencl ] || define=-DMICRO_OPENCL
root=$PWD
# All kernels and ours, in the place of padic_kernels.h.
(cd backends/kernels && python3 embed.py "$B/padic_kernels.h" dialect.h *.cl \
    $(ls cuda/*.cu 2>/dev/null) "$root/bench/gpu_micro.cl")
cat >>"$B/padic_kernels.h" <<'END'
#define PADICI_PROGRAM_GPU_MICRO_HERE
typedef padici_k_gpu_micro_params padic_k_micro;
END
${CC:-cc} -std=gnu99 -O2 -DPADIC_NO_CODEC $define -include stddef.h -include "$B/padic_kernels.h" \
    bench/gpu_micro.c -o "$B/gpu_micro" -lm -lpthread -ldl
"$B/gpu_micro"
