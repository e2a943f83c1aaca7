#!/bin/sh
# oclgrind.sh: OpenCL in Oclgrind, which looks at every access of every item.
. tests/stages/common.sh

packages() {
    wide gcc libc6-dev meson ninja-build ocl-icd-opencl-dev oclgrind
}

checks() {
    turn 4 46 "oclgrind sparse" "oclgrind fft"
    turn 4 110 "oclgrind codec"
    turn 5 53 "oclgrind wave" "oclgrind tensor"
    wide 12 "oclgrind base" "oclgrind num" "oclgrind sample" "oclgrind program"
    wide 5 oclgrind_planted
}

check_oclgrind() { # area: the known-answer tests of its kernels; or the test program test_opencl
    need gcc oclgrind
    if [ "$1" != program ]; then
        program_once oclgrind test_cl_kernels
        sh tests/gpu/opencl/oclgrind.sh "$shared" --filter "$1"
        return
    fi
    program_once gcc test_opencl
    code=0
    sh tests/gpu/opencl/oclgrind.sh "$shared" --tiny >"$W/out" || code=1
    cat "$W/out"
    [ $code = 0 ]
    grep -q '^device (Oclgrind' "$W/out"
}

check_oclgrind_planted() { # Oclgrind sees a bug of each kind, and none where there is none
    need gcc oclgrind
    [ -f /usr/include/CL/cl.h ] || skip "no CL/cl.h"
    gcc -std=gnu99 tests/gpu/opencl/cl_bugs.c -o "$W/cl_bugs" -lOpenCL
    for bug in race_local race_global race_increment race_same_value oob_write oob_read oob_local \
        oob_private uninit_local uninit_private uninit_global divergent_barrier misaligned \
        "good wrong_size" "good wrong_range"; do
        if sh tests/gpu/opencl/oclgrind.sh "$W/cl_bugs" tests/gpu/opencl/cl_bugs.cl $bug; then
            echo "FAILED: Oclgrind did not see $bug"
            return 1
        fi
    done
    sh tests/gpu/opencl/oclgrind.sh "$W/cl_bugs" tests/gpu/opencl/cl_bugs.cl good
}

stage "$@"
