#!/bin/sh
# levels.sh: the same bytes whatever the compiler does and whatever vectors the CPU has.
. tests/stages/common.sh

packages() {
    wide gcc g++ libc6-dev tcc qemu-user meson ninja-build $clang_packages
}

checks() {
    # -O3 -march=haswell is seen by `contraction`.
    wide 15 "level gcc -O0" "level optimised"
    turn 0 15 "level clang -O0" "level no-int128"
    turn 1 15 "level c++"
    turn 2 15 "level tcc"
    for level in -O1 -O2 -O3 -Os; do full 60 "level gcc $level" "level clang $level"; done
    full 60 "level native" "simd avx512ifma"
    # The highest that the CPU has is seen by `unit`.
    wide 10 "simd avx512" "simd avx2" "simd none" "simd old"
    # AVX2 is emulated where the CPU has none: six minutes
    if grep -q avx2 /proc/cpuinfo 2>/dev/null; then full 360 "simd emulated"
    else wide 360 "simd emulated"
    fi
}

check_level() { # the same bytes whatever the compiler does: the self hash and the goldens
    case $1 in
    c++) need g++ && compile="g++ -x c++ -std=c++11 ${FULL:+-O2} $warn" ;;
    tcc) need tcc && compile=tcc ;;
    no-int128) need gcc && compile="gcc ${FULL:+-O1} -DPADIC_NO_INT128" ;;
    native) need gcc && compile="gcc -O2 -march=native" ;;
    optimised) # as `unit` has it
        need gcc
        program gcc tests/compile/hash.c "$W/hash"
        same_hash "$W/hash"
        return ;;
    *) compiler "$1" && compile="$cc -std=c99 $2" ;;
    esac
    # Vectors and devices have checks of their own, and the hash asks for no waves.
    compile="$compile -DALONE -DPADIC_NO_WAVE -DPADIC_NO_TENSOR -DPADIC_NO_FFT"
    if [ "$1" = c++ ]; then # the tests are C99
        $compile tests/compile/hash.c -o "$W/hash" $link
        same_hash "$W/hash"
        return
    fi
    $compile -c tests/compile/impl.c -o "$W/impl.o"
    hash_and_goldens "$compile $W/impl.o"
}

check_simd() { # the programs with vector kernels: a level forced, or another CPU's level found
    need_x86
    need gcc
    emulator=
    case $1 in
    old) emulator="qemu-x86_64 -cpu Nehalem" ;; # no AVX
    emulated) emulator="qemu-x86_64 -cpu max" ;; # AVX2
    *) export PADIC_SIMD="$1" ;; # only lowers the level
    esac
    need ${emulator%% *}
    for unit in $(units); do
        grep -q padic_simd.h "$(source_of "$unit")" || continue
        # qemu 7.2 gives other bits for some AVX2 loops of numbers than the CPUs that have AVX2.
        case $1$unit in emulated*test_simd_num) continue ;; esac
        # Emulated and without vectors they are slow, and alike: one tells whether they are found.
        # AVX-512 without IFMA differs in numbers only; without a level there is nothing to compare.
        case $FULL$1/$unit in
        old/test_simd_tensor | old/test_simd_wave | avx512/test_simd_num | none/test_simd) ;;
        old/* | avx512/* | none/*) continue ;;
        esac
        ! on_devices "$unit" || continue
        program_once gcc "$unit"
        $emulator "$shared" --tiny || [ $? = 77 ] # nothing to run at this level
    done
}

stage "$@"
