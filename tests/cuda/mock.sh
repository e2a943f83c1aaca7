#!/bin/sh
# mock.sh FOLDER: builds the fake CUDA driver and the fake NVRTC there, and an old one of each. CC
# and CFLAGS as usual (CFLAGS with the same sanitizers as the program that will open them).
set -e
to=$1
cd "$(dirname "$0")/../.."
mkdir -p "$to"
python3 backends/kernels/embed.py --native backends/kernels/base.cl >"$to/native_table.h"
for old in "" _old; do
    define=
    [ -z "$old" ] || define=-DMOCK_OLD
    ${CC:-cc} -std=gnu99 -g -O1 -ffp-contract=off $CFLAGS $define -shared -fPIC -I. -I"$to" \
        tests/cuda/mock_cuda.c -o "$to/libcuda$old.so.1" -lm
    ${CC:-cc} -std=gnu99 -g -O1 $CFLAGS $define -shared -fPIC tests/cuda/mock_nvrtc.c \
        -o "$to/libnvrtc$old.so"
done
