#!/bin/sh
# mock.sh FOLDER: builds the fake CUDA driver and the fake NVRTC there, an old one of each, and
# ptx.h for PADIC_CUDA_PTX. CC and CFLAGS as usual (CFLAGS with the same sanitizers as the program
# that will open them).
set -e
to=$1
cd "$(dirname "$0")/../../.."
. tests/support/paths.sh
mkdir -p "$to"
python3 "$embed" --native base >"$to/native_table.h"
for old in "" _old; do
    define=
    [ -z "$old" ] || define=-DMOCK_OLD
    ${CC:-cc} -std=gnu99 -g -O1 -ffp-contract=off $CFLAGS $define -shared -fPIC -I. -I"$to" \
        tests/gpu/cuda/mock_cuda.c -o "$to/libcuda$old.so.1" -lm
    ${CC:-cc} -std=gnu99 -g -O1 $CFLAGS $define -shared -fPIC tests/gpu/cuda/mock_nvrtc.c \
        -o "$to/libnvrtc$old.so"
done
# A fake nvcc: its last argument is the file to write.
printf '#!/bin/sh\nfor last; do :; done\necho "// .version 7.0" >"$last"\n' >"$to/nvcc"
chmod +x "$to/nvcc"
ptx=$(cd "$to" && pwd)/ptx.h
NVCC="$(dirname "$ptx")/nvcc" python3 "$make_ptx" "$ptx"
