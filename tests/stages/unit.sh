#!/bin/sh
# unit.sh: the test programs by area, built and run by Meson. What takes long runs with --tiny
# everyday and with its own sizes in the wide set: the list `long` of meson.build. The second
# compiler's programs are vectors and goldens, and all in the full set; its others are run in the
# stage sanitizers.
. tests/stages/common.sh

packages() {
    everyday gcc libc6-dev python3 meson ninja-build pocl-opencl-icd
    wide libgmp-dev libflint-dev $clang_packages
}

checks() {
    everyday 145 build
    for area in $(areas) header; do
        case $area in
        context) everyday 150 "unit context" ;; # kernels as plain C
        codec | wave) everyday 36 "unit $area" ;;
        gpu) turn 0 330 "unit gpu" ;;
        *) everyday 15 "unit $area" ;;
        esac
    done
    for area in $(long_areas); do
        case $area in
        codec) turn 2 330 "unit_long codec" ;;
        num) turn 5 65 "unit_long num" ;;
        context) turn 4 200 "unit_long context" ;;
        fft) turn 0 36 "unit_long fft" ;;
        *) turn 5 22 "unit_long $area" ;;
        esac
    done
    turn 4 37 "unit_clang test_codec_golden test_num_golden test_simd test_simd_tensor"
    wide 5 flint
    turn 3 40 plant
    full 1000 "unit_clang all"
}

long_areas() {
    sed -n "/^ *long = \[/,/\]/s,^ *'\([a-z]*\)/.*,\1,p" meson.build | sort -u
}

run_tests() { # compiler's key, more of `meson test`
    key=$1 log=log_${W##*/} code=0
    shift
    opencl_quick
    native_quick
    meson test -C "$B/build_$key" --no-rebuild --logbase "$log" --num-processes 1 \
        --timeout-multiplier 0 "$@" || code=$?
    log=$B/build_$key/meson-logs/$log.txt
    cat "$log"
    [ $code = 0 ] || return $code
    grep -q '^Ok: *[1-9]' "$log" # it ran something
}

check_build() { # all programs at once: alone, with all processors
    # shellcheck disable=SC2046
    meson_build gcc $(for area in $(areas); do [ $area = gpu ] || units $area; done) \
        two_units private_copies
}

check_unit() { # area
    export OCL_ICD_VENDORS=pocl.icd
    if [ "$1" = header ]; then meson_build gcc two_units private_copies
    else meson_build gcc $(units "$1")
    fi
    run_tests gcc --suite "$1"
}

check_unit_long() { # area
    export OCL_ICD_VENDORS=pocl.icd
    meson_build gcc $(units "$1")
    run_tests gcc --suite "$1-long"
}

check_unit_clang() { # test programs, without devices
    export OCL_ICD_VENDORS="$W/none"
    meson_build clang "$@"
    case $1 in
    all) run_tests clang --no-suite opencl ;;
    *)
        for unit in "$@"; do "$B/build_clang/$unit" --tiny; done ;;
    esac
}

check_flint() { # numbers against GMP and FLINT
    need gcc
    echo '#include <flint/padic.h>' | gcc -E - >/dev/null 2>&1 || skip "no FLINT"
    program gcc tests/num/test_num_gmp.c "$W/test" -DPADIC_TEST_FLINT -lflint -lgmp
    "$W/test" | tee "$W/out"
    grep -q ' passed, 0 failed, 0 skipped$' "$W/out"
}

check_plant() { # mistakes in the packer: none loses data, and a test sees each
    need gcc python3
    CC=gcc python3 tests/codec/plant_bugs.py $([ -n "$FULL" ] || echo --quick)
}

stage "$@"
