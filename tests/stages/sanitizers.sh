#!/bin/sh
# sanitizers.sh: the address, undefined behaviour and thread sanitizers; memory, integers and the
# other programs in the full set.
. tests/stages/common.sh

packages() {
    wide gcc libc6-dev $clang_packages
}

checks() {
    wide 60 "implementation address"
    wide 25 "implementation thread"
    number=0
    turn 5 120 kernel_threads
    wide 2 planted
    full 60 "implementation memory"
    for unit in $(units); do
        number=$((number + 1)) # its turn
        # Their libraries are not instrumented. (`opencl pocl` and `cuda mock` run under the address
        # sanitizer.)
        case $unit in test_num_gmp | test_opencl | test_cl_* | test_mock_cuda) continue ;; esac
        case $unit in
        # In the full set: hundreds of kernels, compiled again; what others have of threads,
        # drivers (`test_ops`), numbers (`test_num_core`), waves, tensors, and of the coder
        # (`test_codec_stream`, `fuzz fuzz_pack`).
        test_gpu_num | test_selftest | test_device | test_tune | test_profile | test_threads | \
            test_num_oracle | test_num_identities | test_values | test_sweeps | \
            test_record | test_mera | test_codec_levels | test_codec_roundtrip)
            full 30 "sanitizer address $unit" ;;
        test_ops) turn 3 60 "sanitizer address $unit" ;;
        *) turn $number 6 "sanitizer address $unit" ;;
        esac
        # Threads are only looked at where there are some. (Those of kernels: `kernel_threads`.)
        if ! on_devices "$unit" && grep -q padic_threads "$(source_of "$unit")"; then
            turn $number 5 "sanitizer thread $unit"
        else
            full 20 "sanitizer thread $unit"
        fi
        # Oclgrind looks for unwritten memory in kernels in the wide set, these in the full set.
        full 30 "sanitizer memory $unit" "sanitizer integer $unit"
    done
}

check_planted() { # each sanitizer sees a bug of its kind
    need gcc
    need_clang
    for bug in "1 gcc address" "2 gcc undefined" "3 $clang memory" "4 $clang thread"; do
        set -- $bug
        for number in 0 "$1"; do
            $2 -g -O1 -fsanitize=$3 -fno-sanitize-recover=all -DBUG=$number \
                tests/stages/planted.c -o "$W/bug$number" -lpthread
        done
        "$W/bug0" # without the bug it runs
        if "$W/bug$1"; then
            echo "FAILED: the $3 sanitizer did not see its bug"
            return 1
        fi
    done
}

check_kernel_threads() { # known answers of all kernels as plain C, a thread an item; and a kernel
                         # that lacks a barrier is seen
    need_clang
    export TMPDIR="$W" # where kernels are kept
    compile="$(flags thread) -O0 -DGPU_NATIVE"
    $compile tests/gpu/test_cl_kernels.c -o "$W/test" $link
    "$W/test"
    cp -R "$kernels" "$W/kernels"
    PADIC_KERNEL_DIR="$W/kernels" "$W/test" --filter sparse
    awk '/^PD_FN void sparse_bits_of/ { on = 1 }
        on && /^    PD_BARRIER\(\);$/ { on = 0; next } { print }' "$kernels/sparse/sparse.cl" \
        >"$W/kernels/sparse/sparse.cl"
    if cmp -s "$W/kernels/sparse/sparse.cl" "$kernels/sparse/sparse.cl"; then return 1; fi
    if PADIC_KERNEL_DIR="$W/kernels" "$W/test" --filter sparse >"$W/out" 2>&1; then return 1; fi
    grep -q 'SUMMARY: ThreadSanitizer: data race' "$W/out"
}

check_implementation() { # key: compiled for the checks that link with it
    case $1 in address) need gcc ;; *) need_clang ;; esac
    implementation "$1"
}

check_sanitizer() { # kind, test program
    case $1 in address) need gcc ;; *) need_clang ;; esac
    tiny=--tiny
    [ "$FULL/$1" != 1/address ] || tiny=
    program "$1" "$(source_of "$2")" "$W/test"
    # gcc 12 misplaces vectors of 64 bytes in the frames that this option makes (its bug 110027).
    used=1
    ! grep -q padic_simd "$(source_of "$2")" || used=0
    export ASAN_OPTIONS=detect_stack_use_after_return=$used UBSAN_OPTIONS=print_stacktrace=1
    export OCL_ICD_VENDORS="$W/none" # some platforms cannot live in a sanitized program
    native_quick
    case $FULL/$1/$2 in
    /*/test_ops) # in the full set without backends, with threads and on poorer devices, too. (The
                 # reference runs beside each of these.)
        for part in complete simd native_down; do
            "$W/test" $tiny --filter $part || [ $? = 77 ]
        done ;;
    /address/test_num_hostile) # its kernels, a text each to compile, in the full set
        for part in plain vectors; do
            "$W/test" $tiny --filter $part || [ $? = 77 ]
        done ;;
    /thread/*) # the cases with threads
        cases=$(awk '/^}/ { name = "" }
            /^TEST\(/ { sub(/TEST\(/, ""); sub(/\).*/, ""); name = $0 }
            /padic_threads_create|threads_context|contexts_begin|_jobs|open_level\(/ && name {
                found[name]
            }
            END { # a name in another runs both
                for (a in found) {
                    for (b in found) if (a != b && index(a, b)) a = ""
                    if (a) print a
                }
            }' "$(source_of "$2")")
        [ -n "$cases" ]
        for part in $cases; do
            "$W/test" $tiny --filter "$part" || [ $? = 77 ]
        done ;;
    *) "$W/test" $tiny ;;
    esac
}

stage "$@"
