# common.sh: what the stages share. A stage is a script of this folder that reads this file with
# `.`, then has
#
#     packages() { everyday gcc python3; wide clang-19; }   # Debian's, of each set
#     checks() { everyday 20 "warnings gcc c99"; }          # about CPU seconds, lines of checks
#                                                           # `turn N`: every sixth change
#     check_warnings() { ...; }                             # runs `warnings gcc c99`
#     stage "$@"
#
# A check runs in the repository's root as a process of its own under `set -e`, so a condition that
# must hold stands alone on a line. $W is its folder, $B that of the whole run, $FULL is set in the
# full set. It has failed when its exit status is not 0, unless that is 77 and the last line begins
# with `SKIP: `. Lines `program: 1 passed, 0 failed, 2 skipped` in what it prints are added up.
root=$PWD
. tests/support/paths.sh
# gcc 12 takes 15 seconds to compare the indentation of 80,000 lines; clang is asked.
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-misleading-indentation"
link="-lm -lpthread"
ends="-DPADICI_REENCODED=abort()" # a block that the packer's proof did not let pass fails the test
# For a unit that is linked with tests/compile/impl.c: the list of meson.build.
implemented=$(grep -o -e '-DPADIC_[A-Z_]*IMPLEMENTED' meson.build | tr '\n' ' ')
clang_packages="clang-19 libclang-rt-19-dev clang-tools-19"

everyday() { printf "everyday %s\n" "$@"; }
wide() { printf "wide %s\n" "$@"; }
full() { printf "full %s\n" "$@"; }
turn() { # a number, then as `wide`: so in every sixth change ($TURN: how many), else `later`
    set=later
    [ $((${TURN:-0} % 6)) != $(($1 % 6)) ] || set=wide
    shift
    printf "$set %s\n" "$@"
}

stage() { # what a stage's script was called for
    case $1 in
    packages) packages | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' ;;
    checks) checks | awk '$2 ~ /^[0-9]+$/ && NF == 2 { seconds = $2; next }
        { set = $1; sub(/^[a-z]* /, ""); print set, seconds, $0 }' ;;
    check)
        shift
        set -e
        "check_$@" ;;
    *) echo "usage: $0 packages | checks | check NAME ARGUMENTS"; exit 2 ;;
    esac
}

# ------------------------------------------------------------------------------------------- tools

skip() {
    echo "SKIP: $*"
    exit 77
}

need() { # programs without which this check is skipped
    for tool in "$@"; do command -v "$tool" >/dev/null || skip "no $tool"; done
}

need_x86() {
    [ "$(uname -m)" = x86_64 ] || skip "this machine is not x86-64"
}

need_clang() { # sets $clang and $clangxx
    for clang in clang-19 clang-20 clang-18 clang-17 clang-16 clang; do
        clangxx=$(echo "$clang" | sed 's/clang/clang++/')
        ! command -v "$clang" >/dev/null || return 0
    done
    skip "no clang"
}

compiler() { # gcc or clang: sets $cc and $cxx
    case $1 in
    gcc) need gcc && cc=gcc cxx=g++ ;;
    clang) need_clang && cc=$clang cxx=$clangxx ;;
    esac
}

# ---------------------------------------------------------------------------------- test programs

areas() { # folders of test programs: one list, that of meson.build
    sed -n "s,^ *'\([a-z]*\)/test_[a-z0-9_]*'\,$,\1,p" meson.build | awk '!seen[$0]++'
}

units() { # the test programs, of an area or all
    sed -n "s,^ *'${1:-[a-z]*}/\(test_[a-z0-9_]*\)'\,$,\1,p" meson.build |
        awk '!seen[$0]++'
}

source_of() { # test program
    echo tests/*/"$1.c"
}

whole() { # test program's source: does it look inside the library, without naming parts?
    grep -q -e padici_ -e padic_native.h -e gpu_devices.h "$1" && ! inside "$1"
}

inside() { # test program's source: does it look inside, and name the parts that it compiles itself?
    grep -q PADIC_IMPLEMENT_ "$1"
}

on_devices() { # test program: does it look for devices, and bring kernels as plain C?
    grep -q -e padic_native.h -e gpu_devices.h -e padic_opencl.h -e padic_cuda.h "$(source_of "$1")"
}

flags() { # key: the compiler with its flags, for the library and for the programs beside it
    safe="-std=c99 -g1 -O1 -fno-omit-frame-pointer"
    case $1 in
    gcc) echo "gcc -std=c99 $warn -Wvla -O2 -g1" ;;
    address) echo "gcc $safe -fsanitize=address,undefined -fno-sanitize-recover=all" ;;
    memory) echo "$clang $safe -fsanitize=memory" ;;
    thread) echo "$clang $safe -fsanitize=thread" ;;
    oclgrind) # known answers of two blocks of sources, the second short, instead of three, in
              # groups of 32 items, with fewer tiles of points, of tiles that miss a column instead
              # of one more tile of columns, of short blocks, one of them damaged
        few="-DPADICI_TEST_WAVE_SOURCES=43u -DPADICI_TEST_WAVE_SMALL=70u"
        few="$few -DPADICI_TEST_WAVE_ITEMS=32 -DPADICI_TEST_TENSOR_COLUMNS=-1"
        few="$few -DPADICI_TEST_CODEC_STEP=300u -DPADICI_TEST_CODEC_DAMAGED=1u"
        echo "gcc $safe -O0 $([ -n "$FULL" ] || echo "$few")" ;;
    fuzz) # mostly the corpus: compiling takes longer than running
        [ -n "$FULL" ] || safe="$safe -O0"
        echo "$clang $safe -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all" ;;
    integer) # unsigned integers wrap on purpose; all else that loses a value is looked at
        echo "$clang $safe -fno-sanitize-recover=all -fsanitize=undefined,float-cast-overflow" \
            "-fsanitize=float-divide-by-zero,implicit-signed-integer-truncation" ;;
    # Compiling takes longer than running: optimised in the full set.
    *) sh tests/support/cross.sh "$1" cc |
        if [ -n "$FULL" ]; then cat; else sed 's/-O2/-O1/'; fi ;;
    esac
}

once() { # file, command that makes FILE.part: run by the first check that asks
    if mkdir "$1.begun" 2>/dev/null; then
        if (shift && "$@") >"$1.said" 2>&1; then mv "$1.part" "$1"; else touch "$1.failed"; fi
    fi
    while [ ! -e "$1" ]; do # another check is at it
        [ ! -e "$1.failed" ] || { cat "$1.said"; return 1; }
        sleep 1
    done
}

meson_build() { # compiler's key, targets: the build of all test programs, $B/build_KEY
    build=$B/build_$1
    need meson ninja
    compiler "$1"
    shift
    while ! mkdir "$build.lock" 2>/dev/null; do sleep 1; done # one ninja at a time
    code=0
    { [ -f "$build/build.ninja" ] || CC=$cc meson setup "$build" -Dwerror=true -Dcli=false \
        -Doptimization=2 -Ddebug=false; } >"$build.said" 2>&1 &&
        ninja -C "$build" -j "${JOBS:-2}" "$@" >>"$build.said" 2>&1 || code=$?
    rmdir "$build.lock"
    [ $code = 0 ] || cat "$build.said"
    return $code
}

implementation() { # key: sets $object, the library compiled once for all checks of a key
    if [ "$1" = gcc ] && command -v meson >/dev/null && command -v ninja >/dev/null; then
        meson_build gcc libpadic_implementation.a
        object=$B/build_gcc/libpadic_implementation.a
        return
    fi
    object=$B/lib/$1.a
    once "$object" parts "$1" "$object.part"
}

# The parts of the library, of a split build. Vectors are unoptimised: each of their functions is
# compiled for several processors, and intrinsics take a sanitizer's compiler minutes.
parts() { # key, archive
    compile="$(flags "$1") $ends -DPADIC_SPLIT" ar=${compile%% *} to=$2.d
    case $ar in *-gcc) ar=${ar%gcc}ar ;; *) ar=ar ;; esac
    export compile to
    mkdir -p "$to"
    { echo "SIMD -O0"; sed -n 's/^PARTS = //p' tests/engine/tree/Makefile | tr ' ' '\n'; } |
        awk '!seen[$1]++' | xargs -P "${JOBS:-2}" -L 1 sh -c \
        '$compile $1 -DPADIC_IMPLEMENT_$0 -c tests/support/part.c -o "$to/$0.o"' || return
    $ar rcs "$2" "$2.d/"*.o
}

program() { # key, source, output, more flags: a test program, linked with the shared parts. Those
    key=$1 source=$2 out=$3 # that look inside are many: unoptimised, each takes seconds.
    shift 3
    # The tests' own lines have one sanitizer, and drivers have both in a few programs.
    case $FULL$key/$source in
    address/*/test_ops.c | address/*/test_simd_codec.c) ;;
    address/*) set -- "$@" -fno-sanitize=undefined ;;
    esac
    if whole "$source"; then
        $(flags "$key") $ends -O0 -g1 "$source" "$@" -o "$out" $link
        return
    fi
    implementation "$key" || return
    if inside "$source"; then set -- $ends -O0 -g1 -DPADIC_SPLIT "$@"
    else set -- -O1 $implemented "$@"
    fi
    more=$([ "$key" != address ] || echo -lubsan)
    $(flags "$key") "$source" "$object" "$@" -o "$out" $link $more
}

program_once() { # key, test program: sets $shared, the program for all checks of a key
    case $1 in
    gcc | clang)
        meson_build "$1" "$2"
        shared=$B/build_$1/$2 ;;
    *)
        shared=$B/lib/$1.$2
        once "$shared" program "$1" "$(source_of "$2")" "$shared.part" ;;
    esac
}

# ----------------------------------------------------------------------------------------- devices

opencl_platform() { # its ICD, its name: from here on the loader sees it alone
    [ -f "/etc/OpenCL/vendors/$1.icd" ] || skip "no $1.icd"
    export OCL_ICD_VENDORS="$1.icd" RUSTICL_ENABLE=llvmpipe
}

opencl_quick() { # PoCL takes a minute to optimise all kernels: in the full set
    [ -n "$FULL" ] || export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
}

native_quick() { # the same for kernels as plain C
    [ -n "$FULL" ] || export NATIVE_FLAGS=-O0
    export TMPDIR="$B" # where they are kept
}

# ------------------------------------------------------------------------------------ the self hash

same_hash() { # command: prints padic_self_hash() as every build does
    compiler_of_hash
    hash=$("$@" | tr -d '\r')
    echo "self hash $hash, reference $(cat "$B/lib/hash")"
    [ "$hash" = "$(cat "$B/lib/hash")" ]
}

compiler_of_hash() { # the reference: this machine's own compiler, unoptimised
    for reference in gcc cc clang-19 clang; do ! command -v $reference >/dev/null || break; done
    once "$B/lib/hash" sh -c "$reference tests/compile/hash.c -o '$B/lib/hash.out' $link &&
        '$B/lib/hash.out' >'$B/lib/hash.part'"
}

hash_and_goldens() { # compiler with flags and object
    $1 $implemented tests/compile/hash.c -o "$W/hash" $link
    same_hash "$W/hash"
    $1 $implemented tests/codec/test_codec_golden.c -o "$W/test" $link
    "$W/test" --tiny
}
