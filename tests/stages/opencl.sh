#!/bin/sh
# opencl.sh: OpenCL on PoCL; the wide set has Mesa's rusticl, too, and calls that fail.
. tests/stages/common.sh

packages() {
    everyday gcc libc6-dev meson ninja-build pocl-opencl-icd ocl-icd-opencl-dev
    wide mesa-opencl-icd
}

checks() {
    everyday 6 "opencl quick" "opencl none" "opencl_kernels pocl"
    wide 30 "opencl pocl" "opencl_ops pocl"
    turn 0 30 "opencl faults"
    turn 1 30 "opencl rusticl"
    turn 3 30 "opencl_ops rusticl"
    turn 3 190 "opencl_buffers rusticl"
    turn 1 400 "opencl_buffers pocl"
    wide 20 "opencl_kernels rusticl"
    turn 2 20 "opencl_kernels linked"
    # `opencl_ops` compares with the reference, whose digits `unit` looks at.
    full 200 "opencl_values pocl" "opencl_values rusticl"
}

check_opencl() { # the programs that need a device, on one platform
    need gcc
    case $1 in
    quick)
        opencl_platform pocl
        opencl_quick
        program_once gcc test_opencl
        "$shared" | tee "$W/out"
        grep -q '^device (Portable Computing Language' "$W/out" ;; # it ran, and there
    pocl)
        opencl_platform pocl
        export LSAN_OPTIONS=suppressions=$root/tests/gpu/opencl/lsan.supp
        program address tests/gpu/test_opencl.c "$W/test_opencl"
        "$W/test_opencl" | tee "$W/out"
        grep -q '^device (Portable Computing Language' "$W/out" ;;
    rusticl)
        opencl_platform rusticl
        program_once gcc test_opencl
        "$shared" | tee "$W/out"
        grep -q '^device (rusticl' "$W/out" ;;
    none) check_opencl_none ;;
    faults) # every call fails once, and nothing is left behind
        opencl_platform pocl
        [ -f /usr/include/CL/cl_layer.h ] || skip "no CL/cl_layer.h"
        gcc -std=gnu99 -Wall -Wextra -Werror -shared -fPIC tests/gpu/opencl/cl_fault_layer.c \
            -o "$W/cl_fault.so"
        program_once gcc test_cl_fault
        OPENCL_LAYERS=$W/cl_fault.so "$shared" | tee "$W/out"
        grep -q '^test_cl_fault: .* 0 skipped' "$W/out" ;;
    esac
}

check_opencl_kernels() { # platform: the known-answer tests of all kernels
    need gcc
    case $1 in
    linked) # PADIC_OPENCL_LINK, as where nothing may be opened at run time; PoCL optimises
        opencl_platform pocl
        [ -f /usr/include/CL/cl.h ] || skip "no CL/cl.h"
        gcc -DPADIC_OPENCL_LINK tests/gpu/test_cl_kernels.c -o "$W/linked" -lOpenCL $link
        "$W/linked" --filter base
        return ;;
    esac
    opencl_platform "$1"
    opencl_quick
    program_once gcc test_cl_kernels
    # Mesa compiles waves for two minutes.
    areas=
    [ "$FULL$1" != rusticl ] ||
        areas="base num sparse sample tensor codec cdt fft rnn field pq rollout"
    for area in ${areas:-all}; do
        "$shared" $([ "$area" = all ] || echo "--filter $area") | tee "$W/out"
        grep -q '^test_cl_kernels: .* 0 failed, 0 skipped' "$W/out"
    done
}

check_opencl_ops() { # platform: every operation against the plain reference
    need gcc
    opencl_platform "$1"
    opencl_quick
    program_once gcc test_ops
    ops=
    # Mesa 22.3 on llvmpipe crashes in the series of num_exp and num_pow_padic, computes some
    # fractions wrong (the self-test drops that kernel) and compiles a gradient, frames, or all of
    # superposition, for minutes.
    [ "$1" != rusticl ] || ops="fill copy random_fill num_add num_mul num_div num_root num_sqrt \
        num_change_prime num_to_float num_tropical num_valuation num_random num_hensel num_solve \
        num_det tensor_gemm tensor_svd wave_observe wave_tonemap wave_normalise wave_vortex \
        wave_phase wave_winding fft ${FULL:+wave_superpose wave_frames tensor_}"
    for op in ${ops:-all}; do
        "$shared" $([ "$op" = all ] || echo "--op $op") --filter opencl --tiny | tee "$W/out"
        grep -q ' 0 failed, 0 skipped' "$W/out"
    done
}

check_opencl_buffers() { # platform: sparse matrices, points, streams, chains in a device's memory
    need gcc
    opencl_platform "$1"
    opencl_quick
    native_quick
    for name in test_gpu_sparse test_gpu_sample test_gpu_codec test_gpu_cdt test_gpu_fft \
        test_gpu_field test_gpu_field_methods test_gpu_field_ground test_gpu_rnn test_gpu_pq \
        test_gpu_pq_page test_gpu_rollout test_gpu_rollout_parts \
        test_pack_device test_codec_words; do
        # Mesa 22.3 takes minutes for the other cases, and falls in its own compiler.
        case $FULL$1/$name in
        *rusticl/test_codec_words) continue ;;
        rusticl/test_gpu_codec) only="--filter kinds" ;;
        rusticl/test_gpu_rollout) only="--filter graphs" ;;
        rusticl/test_gpu_rollout_parts) only="--filter uafno" ;;
        rusticl/test_gpu_rnn) [ -n "$FULL" ] && only= || only="--filter recorded" ;;
        *) only= ;;
        esac
        program_once gcc $name
        PADIC_TEST_OPENCL=1 "$shared" --tiny $only
        case $1/$name in # what NVIDIA's devices run, as plain C
        pocl/test_gpu_codec) NATIVE_FLAGS="-O0 -DPD_HAS_WARPS=1" "$shared" --tiny ;;
        esac
    done
}

check_opencl_values() { # platform: the published digits of waves and tensors
    need gcc
    opencl_platform "$1"
    native_quick
    program_once gcc test_values
    PADIC_TEST_OPENCL=1 "$shared" --tiny
}

check_opencl_none() { # no loader, a loader that is none, no platform, a platform without a device
    program_once gcc test_opencl
    mkdir "$W/empty" "$W/bogus"
    absent() { # words of the sentence
        "$shared" --filter absent | tee "$W/out"
        grep -q "$1" "$W/out"
        grep -q '^test_opencl: 1 passed, 0 failed, 0 skipped' "$W/out"
    }
    "$shared" --filter absent >"$W/here" || true # skipped where there is a device
    if ! grep -q 'there is no libOpenCL' "$W/here"; then # a loader is installed
        (export OCL_ICD_VENDORS="$W/empty/" && absent 'no platform')
    fi
    if [ -f /etc/OpenCL/vendors/mesa.icd ]; then # Clover, which has no device
        (export OCL_ICD_VENDORS=mesa.icd && absent 'no platform has a device')
    fi
    for name in libOpenCL.so.1 libOpenCL.so; do echo "not a library" >"$W/bogus/$name"; done
    (export LD_LIBRARY_PATH="$W/bogus" && absent 'not installed')
    for name in libOpenCL.so.1 libOpenCL.so; do
        echo 'int nothing;' | gcc -shared -x c - -o "$W/bogus/$name"
    done
    (export LD_LIBRARY_PATH="$W/bogus" && absent 'it lacks clGetPlatformIDs')
}

stage "$@"
