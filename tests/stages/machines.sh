#!/bin/sh
# machines.sh: other byte orders, word sizes and systems, emulated.
. tests/stages/common.sh

packages() {
    wide qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-aarch64-linux-gnu \
        libc6-dev-arm64-cross gcc-i686-linux-gnu libc6-dev-i386-cross gcc-mingw-w64-x86-64 \
        wine wine64
    full gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-arm-linux-gnueabihf \
        libc6-dev-armhf-cross gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross
}

checks() {
    turn 5 55 "machine i686"
    turn 1 55 "machine mingw64"
    turn 4 130 "machine s390x"
    turn 5 86 "machine aarch64"
    full 600 "machine riscv64" "machine armhf" "machine ppc64le"
}

check_machine() { # another byte order, word size or system: test programs and the hash
    emulator=$(sh tests/support/cross.sh "$1" run)
    case $1 in i686 | mingw64) need_x86 ;; esac
    compile=$(flags "$1")
    need ${compile%% *} $emulator
    export WINEDEBUG=-all WINEPREFIX="$W/wine" HOME="$W"
    program "$1" tests/compile/hash.c "$W/hash.exe"
    same_hash $emulator "$W/hash.exe"
    code=0
    for unit in $(units); do
        # Everyday what the machine is another in: bytes in memory and in streams, the width of
        # words, vectors, the system's threads and clocks.
        case $FULL/$1/$unit in
        /*/test_context | /*/test_cache | /*/test_random | /*/test_threads | /*/*_golden) ;;
        /aarch64/test_simd* | /aarch64/test_frames | /mingw64/test_simd*) ;;
        /aarch64/*) continue ;;
        /i686/test_simd_codec | /i686/*_stream | /mingw64/*_stream) ;;
        # Arithmetic in words of these widths is i686's and s390x's.
        /mingw64/*_exact | /mingw64/*_identities | /mingw64/*_channels) continue ;;
        /*/*_corrupt | /*/*_layers | /*/test_sparse | /*/test_tree) ;;
        /*/test_sample | /*/*_convert | /*/*_exact | /*/*_identities | /*/*_channels) ;;
        /*/test_cdt_chains) ;;
        /*) continue ;;
        esac
        [ -n "$FULL" ] || ! on_devices "$unit" || continue # there are no devices there
        program "$1" "$(source_of "$unit")" "$W/$unit.exe" &&
            { $emulator "$W/$unit.exe" --tiny || [ $? = 77 ]; } || # 77: nothing to run there
            { echo "FAILED $unit"; code=1; }
    done
    [ -z "$emulator" ] || [ "$emulator" != wine ] || wineserver -k || true
    return $code
}

stage "$@"
