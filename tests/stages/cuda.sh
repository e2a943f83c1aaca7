#!/bin/sh
# cuda.sh: the CUDA backend without a GPU: on a fake driver, and through the real compiler.
. tests/stages/common.sh

packages() {
    wide gcc libc6-dev python3
}

checks() {
    turn 2 75 "cuda mock"
    wide 21 "cuda nvrtc"
    wide 10 "cuda stub"
}

toolkit() { # the folder of a CUDA toolkit's libraries; without one this check is skipped
    for folder in "$CUDA_PATH/lib64" /usr/local/cuda/lib64 /usr/lib/x86_64-linux-gnu; do
        [ ! -e "$folder/libnvrtc.so" ] || { echo "$folder"; return; }
    done
    echo "SKIP: no CUDA toolkit"
    exit 77
}

check_cuda() { # the CUDA backend with no GPU
    need gcc python3
    export LD_LIBRARY_PATH=
    compile="gcc -std=gnu99 -g1 -O0 -DPADIC_NO_CODEC"
    if [ "$1" = mock ]; then # each call fails in turn, and an engine's program runs
        checked="-fsanitize=address,undefined -fno-sanitize-recover=all"
        CC=gcc CFLAGS="-Wall -Wextra -Werror $checked" sh tests/gpu/cuda/mock.sh "$W/mock"
        $compile $checked tests/gpu/test_mock_cuda.c -o "$W/test" $link -ldl
        PADIC_MOCK_CUDA=$W/mock "$W/test"
        $compile $checked "-DPADIC_CUDA_PTX=\"$W/mock/ptx.h\"" tests/gpu/test_mock_cuda.c \
            -o "$W/test" $link -ldl
        PADIC_MOCK_CUDA=$W/mock "$W/test" --filter shipped
        $compile $checked examples/engine_cuda.c -o "$W/engine" $link -ldl
        export LD_LIBRARY_PATH="$W/mock"
        "$W/engine" >"$W/engine.out"
        cat "$W/engine.out"
        [ "$(grep -c 'as on the CPU$' "$W/engine.out")" = 2 ]
        return
    fi
    toolkit
    folder=$(toolkit)
    $compile tests/gpu/test_mock_cuda.c -o "$W/test" $link -ldl
    case $1 in
    stub) # the library that is only there to link with
        [ -e "$folder/stubs/libcuda.so" ] || skip "no stub of the driver"
        PADIC_CUDA_STUB=$folder/stubs/libcuda.so "$W/test" --filter stub ;;
    nvrtc) # the compiler that users have reads every text, for the oldest chip that takes it; in
           # the full set for more, and in every variant
        CC=gcc sh tests/gpu/cuda/mock.sh "$W/mock"
        export LD_LIBRARY_PATH="$folder"
        # Every variant's registers are looked at by `gate nvidia`.
        PADIC_MOCK_CUDA=$W/mock PADIC_REAL_NVRTC=$([ -n "$FULL" ] && echo variants || echo texts) \
            "$W/test" --filter real_compiler ;;
    esac
}

stage "$@"
