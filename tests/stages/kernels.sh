#!/bin/sh
# kernels.sh: kernel texts through the compilers of devices that are not here.
. tests/stages/common.sh

packages() {
    wide python3 clang-19 rocm-device-libs clang-15 llvm-spirv-15 spirv-tools intel-opencl-icd
}

checks() {
    turn 3 215 "gate amd"
    turn 2 54 "gate intel"
    turn 5 115 "gate nvidia"
    wide 15 "gate clang" "gate spirv" bad_kernels
}

check_gate() { # the texts through the compilers of devices that are not here
    case $1 in nvidia) [ -x /usr/local/cuda/bin/nvcc ] || need nvcc ;; intel) need ocloc ;; esac
    need python3
    if [ -n "$FULL" ]; then
        export NVIDIA_CHIPS="75 80 90 100"
    else # one chip of each maker, and few variants on a second and where it is slow
        export AMD_CHIPS=gfx90a NVIDIA_CHIPS=90 INTEL_CHIPS=dg2
        case $1 in
        intel) export FEW=1 ;;
        amd) FEW=1 AMD_CHIPS=gfx1100 sh tests/gates.sh amd ;;
        esac
    fi
    sh tests/gates.sh "$1"
}

check_bad_kernels() { # each gate refuses a text that it is there to refuse
    need python3 clang-19
    export KERNELS="$W/kernels"
    mkdir "$KERNELS"
    cp "$kernels/dialect.h" tests/gpu/bad_kernels/*.cl "$KERNELS"
    tried=0
    for try in "clang double" "spirv double" "amd spill" "nvidia spill"; do
        set -- $try
        code=0
        sh tests/gates.sh "$1" "$2" >"$W/out" 2>&1 || code=$?
        [ $code != 77 ] || continue
        grep "FAILED $1 $2" "$W/out" || { echo "FAILED: gate $1 took a $2"; return 1; }
        tried=$((tried + 1))
    done
    [ $tried -gt 0 ]
}

stage "$@"
