#!/bin/sh
# run.sh: every check of the repository.
#
#     sh tests/run.sh             what runs on every change, a quarter of an hour on two cores
#     sh tests/run.sh full        with large sizes, optimised kernels, long fuzzing, more machines
#                                 and chips: hours
#     sh tests/run.sh NAME...     these stages, or the checks whose names begin so
#     sh tests/run.sh list        the stages with their packages and checks
#
# Root on Debian: missing packages are installed. Elsewhere they are named, and the checks that need
# them are skipped with the reason. Environment: NO_INSTALL=1 installs nothing, KEEP=1 leaves the
# scratch folder with its logs, JOBS is how many checks run at once (2).
#
# A check's line ends with its seconds and CPU seconds; stages and all end with their sums. The
# last line is `N passed, N failed, N skipped`: test cases where a program reports them, else one
# per check. The exit status is 1 if anything failed; a check whose tools are installed and that
# ran nothing has failed.
#
# How it works: stage_X prints one line per check, `name arguments`; this same script, called with
# --check, runs each line as `check_name arguments` in a process, a folder and a log of its own. A
# new stage is a name in `stages`, packages_X and stage_X. Checks of all stages run as one list, the
# longest first.
#
# In checks `set -e` holds, so conditions that must hold stand alone on a line.

cd "$(dirname "$0")/.." || exit 1
root=$PWD
stages="unit warnings header sanitizers kernels opencl levels machines cuda fuzz dist repository
    programs"
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
link="-lm -lpthread"
ends="-DPADICI_REENCODED=abort()" # a block that the packer's proof did not let pass fails the test
# These begin first: a long check that begins last leaves a core without work.
first="rooms|stack gcc|implementation address|machine aarch64|stack clang|machine s390x|machine i686
    |machine mingw64|implementation thread|gate amd|opencl_ops pocl|docs
    |sanitizer address test_ops|opencl_kernels oclgrind wave|opencl_kernels oclgrind codec
    |gate intel|opencl_buffers pocl|gate nvidia|cuda nvrtc|bench|opencl_kernels oclgrind tensor|cli
    |symbols|kernel_threads|unit gcc test_values|dist|opencl faults|opencl pocl|cuda mock|demo"
# For a unit that is linked with tests/compile/impl.c.
implemented="-DPADIC_IMPLEMENTED -DPADIC_NUM_IMPLEMENTED -DPADIC_SIMD_IMPLEMENTED
    -DPADIC_THREADS_IMPLEMENTED -DPADIC_NULL_IMPLEMENTED -DPADIC_CACHE_IMPLEMENTED
    -DPADIC_OPENCL_IMPLEMENTED -DPADIC_CUDA_IMPLEMENTED -DPADIC_GPU_IMPLEMENTED"

# ---------------------------------------------------------------------------------------- packages

clang_packages="clang-19 libclang-rt-19-dev clang-tools-19"
clang_fallback="clang libclang-rt-14-dev clang-tools" # where there is no clang-19

packages_unit="gcc libc6-dev meson ninja-build pkg-config python3 libgmp-dev
    libflint-dev $clang_packages"
packages_warnings="gcc g++ libc6-dev $clang_packages"
packages_header="gcc g++ libc6-dev binutils tcc $clang_packages gcc-aarch64-linux-gnu
    libc6-dev-arm64-cross"
packages_sanitizers="gcc libc6-dev $clang_packages"
packages_kernels="python3 clang-19 rocm-device-libs clang-15 llvm-spirv-15 spirv-tools
    intel-opencl-icd"
packages_opencl="gcc libc6-dev pocl-opencl-icd ocl-icd-opencl-dev mesa-opencl-icd oclgrind"
packages_levels="gcc g++ libc6-dev tcc qemu-user $clang_packages"
packages_machines="qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-aarch64-linux-gnu
    libc6-dev-arm64-cross gcc-i686-linux-gnu libc6-dev-i386-cross gcc-mingw-w64-x86-64 wine wine64"
packages_full="gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-arm-linux-gnueabihf
    libc6-dev-armhf-cross gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross"
packages_cuda="gcc libc6-dev python3"
packages_fuzz="gcc libc6-dev meson ninja-build pkg-config $clang_packages"
packages_dist="gcc libc6-dev meson ninja-build pkg-config git"
packages_repository="python3 gcc g++ libc6-dev binutils libpng-dev ocl-icd-opencl-dev
    pocl-opencl-icd"
packages_programs="gcc libc6-dev python3 python3-numpy libzstd-dev libflint-dev libpari-dev"

missing() {
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
            echo "$package"
    done
}

packages() { # of the stages named
    all=$([ -z "$FULL" ] || echo "$packages_full")
    for stage in "$@"; do eval "all=\"\$all \$packages_$stage\""; done
    if ! command -v dpkg-query >/dev/null; then
        echo "== packages: this is not Debian; checks whose tools are missing are skipped"
        return
    fi
    # shellcheck disable=SC2046,SC2086
    lack=$(missing $(printf '%s\n' $all | sort -u))
    if [ -z "$lack" ]; then
        echo "== packages: all installed"
        return
    fi
    if [ "$(id -u)" != 0 ] || [ -n "$NO_INSTALL" ]; then
        echo "== packages: these are missing, and the checks that need them are skipped:"
        # shellcheck disable=SC2086
        echo "apt-get install --no-install-recommends" $lack
        return
    fi
    begin=$(date +%s)
    export DEBIAN_FRONTEND=noninteractive
    apt="apt-get install -q -y --no-install-recommends"
    apt-get update -q >"$B/log/apt" 2>&1
    # shellcheck disable=SC2086
    if ! $apt $lack >>"$B/log/apt" 2>&1; then
        for package in $lack; do
            $apt "$package" >>"$B/log/apt" 2>&1 || echo "package $package cannot be installed"
        done
        # shellcheck disable=SC2086
        command -v clang-19 >/dev/null || $apt $clang_fallback >>"$B/log/apt" 2>&1 ||
            echo "no clang can be installed"
    fi
    # shellcheck disable=SC2086
    still=$(missing $lack)
    # shellcheck disable=SC2086
    echo "== packages: $(($(date +%s) - begin)) s, installed" $(printf '%s\n' $lack $still | sort |
        uniq -u)
    # shellcheck disable=SC2086
    [ -z "$still" ] || echo "== packages: still missing:" $still "(apt's words: $B/log/apt, KEEP=1)"
}

# ------------------------------------------------------------------------------------------- tools

need() { # programs without which this check is skipped
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "SKIP: no $tool"; exit 77; }
    done
}

need_x86() {
    [ "$(uname -m)" = x86_64 ] || { echo "SKIP: this machine is not x86-64"; exit 77; }
}

need_clang() { # sets $clang and $clangxx
    for clang in clang-19 clang-20 clang-18 clang-17 clang-16 clang; do
        clangxx=$(echo "$clang" | sed 's/clang/clang++/')
        ! command -v "$clang" >/dev/null || return 0
    done
    echo "SKIP: no clang"
    exit 77
}

compiler() { # gcc or clang: sets $cc and $cxx
    case $1 in
    gcc) need gcc && cc=gcc cxx=g++ ;;
    clang) need_clang && cc=$clang cxx=$clangxx ;;
    esac
}

limit() { # a check that hangs fails, after 15 minutes (half an hour in the full set)
    if command -v timeout >/dev/null; then timeout $((FULL ? 1800 : 900)) "$@"; else "$@"; fi
}

units() { # the test programs, from the one list that there is
    sed -n "s,^ *'[a-z]*/\(test_[a-z0-9_]*\)'\,$,\1,p" meson.build
}

source_of() { # test program
    echo tests/*/"$1.c"
}

flags() { # key: the compiler with its flags, for the library and for the programs beside it
    safe="-std=c99 -g1 -O1 -fno-omit-frame-pointer"
    case $1 in
    gcc) echo "gcc -std=c99 $warn -Wvla -O2 -g1" ;;
    clang) echo "$clang -std=c99 $warn -O2 -g1" ;;
    address) echo "gcc $safe -fsanitize=address,undefined -fno-sanitize-recover=all" ;;
    memory) echo "$clang $safe -fsanitize=memory" ;;
    thread) echo "$clang $safe -fsanitize=thread" ;;
    oclgrind) # everyday known answers of two blocks of sources, the second short, instead of three,
              # in groups of 32 items, with fewer tiles of points, and of tiles that miss a column
              # instead of one more tile of columns
        few="-DPADICI_TEST_WAVE_SOURCES=43u -DPADICI_TEST_WAVE_SMALL=70u"
        few="$few -DPADICI_TEST_WAVE_ITEMS=32 -DPADICI_TEST_TENSOR_COLUMNS=-1"
        echo "gcc $safe -O0 $([ -n "$FULL" ] || echo "$few")" ;;
    fuzz) # everyday mostly the corpus: compiling takes longer than running
        [ -n "$FULL" ] || safe="$safe -O0"
        echo "$clang $safe -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all" ;;
    integer) # unsigned integers wrap on purpose; all else that loses a value is looked at
        echo "$clang $safe -fno-sanitize-recover=all -fsanitize=undefined,float-cast-overflow" \
            "-fsanitize=float-divide-by-zero,implicit-signed-integer-truncation" ;;
    # Compiling takes longer than running: optimised in the full set.
    *) sh tests/support/cross.sh "$1" cc | if [ -n "$FULL" ]; then cat; else sed 's/-O2/-O1/'; fi ;;
    esac
}

implementation() { # key: sets $object, the library compiled once for all checks of a key
    object=$B/lib/$1.o part=$B/lib/$1.part.o
    more=
    case $1 in
    gcc) more=-fstack-usage ;; # read by `stack`
    clang) more="-Wno-error -Wframe-larger-than=4096 -Wvla -Walloca" ;;
    fuzz) more="-DALONE -DPADIC_NO_WAVE -DPADIC_NO_TENSOR" ;;
    esac
    ! without_vectors "$1" || more=-DNO_VECTORS
    if mkdir "$object.begun" 2>/dev/null; then
        if $(flags "$1") $ends $more -c tests/compile/impl.c -o "$part" 2>"$B/lib/$1.said"; then
            mv "$part" "$object"
        else
            touch "$object.failed"
        fi
    fi
    while [ ! -f "$object" ]; do # another check is at it
        [ ! -f "$object.failed" ] || { cat "$B/lib/$1.said"; return 1; }
        sleep 1
    done
}

program() { # key, source, output, more flags: a test program, which takes the shared
    key=$1 source=$2 out=$3 # implementation unless it looks inside (padici_ names). Those are
    shift 3                 # many: unoptimised, each takes seconds instead of a minute.
    # Everyday the tests' own lines have one sanitizer, and drivers have both in a few programs.
    case $FULL$key/$source in
    address/*/test_ops.c | address/*/test_simd_codec.c) ;;
    address/*) set -- "$@" -fno-sanitize=undefined ;;
    esac
    if whole "$source" || { without_vectors "$key" && grep -q padic_simd.h "$source"; }; then
        $(flags "$key") $ends -O0 -g1 "$source" "$@" -o "$out" $link
    else
        implementation "$key" || return
        $(flags "$key") -O1 $implemented "$source" "$object" "$@" -o "$out" $link \
            $([ "$key" != address ] || echo -lubsan)
    fi
}

without_vectors() { # key: is the shared implementation compiled without them, in half the time?
    case $FULL$1 in thread | oclgrind | i686) ;; *) return 1 ;; esac
}

whole() { # test program's source: does it look inside the library?
    grep -q -e padici_ -e padic_native.h -e gpu_devices.h "$1"
}

program_once() { # key, test program: sets $shared, the program for all checks of a key
    shared=$B/lib/$1.$2
    once_key=$1 once_source=$(source_of "$2")
    set --
    # FLINT is an oracle where it is installed.
    case $once_source in
    *_gmp.c)
        ! echo '#include <flint/padic.h>' | gcc -E - >/dev/null 2>&1 ||
            set -- -DPADIC_TEST_FLINT -lflint -lgmp ;;
    esac
    if mkdir "$shared.begun" 2>/dev/null; then
        if program "$once_key" "$once_source" "$shared.part" "$@"; then
            mv "$shared.part" "$shared"
        else
            touch "$shared.failed"
        fi
    fi
    while [ ! -f "$shared" ]; do # another check is at it
        [ ! -f "$shared.failed" ] || { echo "does not compile: $once_source"; return 1; }
        sleep 1
    done
}

opencl_quick() { # PoCL takes a minute to optimise all kernels: in the full set
    [ -n "$FULL" ] || export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
}

native_quick() { # the same for kernels as plain C
    [ -n "$FULL" ] || export NATIVE_FLAGS=-O0
    export TMPDIR="$B" # where they are kept
}

on_devices() { # test program: does it look for devices, and bring kernels as plain C?
    grep -q -e padic_native.h -e gpu_devices.h -e padic_opencl.h -e padic_cuda.h "$(source_of "$1")"
}

fuzzers() {
    for file in tests/fuzz/fuzz_*.c; do basename "$file" .c; done
}

same_hash() { # command: prints padic_self_hash() as every build does
    hash=$("$@" | tr -d '\r')
    echo "self hash $hash, reference $(cat "$B/hash")"
    [ "$hash" = "$(cat "$B/hash")" ]
}

# -------------------------------------------------------------------------------------------- unit

stage_unit() {
    for unit in $(units); do
        # The stage opencl has more platforms.
        case $unit in test_opencl | test_cl_*) continue ;; esac
        echo "unit gcc $unit"
        # The second compiler's others are run in the stage sanitizers.
        case $FULL$unit in
        1* | test_simd | test_simd_tensor | *_golden) echo "unit clang $unit" ;;
        esac
    done
    [ -z "$FULL" ] || printf '%s\n' "meson gcc" "meson clang" # everyday `dist` builds with Meson
    echo plant
}

check_plant() { # mistakes in the packer: none loses data, and a test sees each
    need gcc python3
    CC=gcc python3 tests/codec/plant_bugs.py $([ -n "$FULL" ] || echo --quick)
}

check_unit() { # compiler, test program; warnings are errors
    compiler "$1"
    # test_ops looks for devices in the stage opencl.
    opencl_quick
    native_quick
    case $1/$2 in
    clang/* | */test_ops) export OCL_ICD_VENDORS="$W/none" ;;
    *) export OCL_ICD_VENDORS=pocl.icd ;;
    esac
    # The second compiler's programs, and the longest of the first's, run with small sizes.
    tiny=
    case $FULL/$1/$2 in
    /clang/* | /*/test_ops | /*/test_values | /*/test_num_hostile) tiny=--tiny ;;
    /*/*_bound | /*/*_golden | /*/*_roundtrip | /*/*_stream) tiny=--tiny ;;
    esac
    program_once "$1" "$2"
    case $2 in
    test_gpu_num) # as in meson.build
        "$shared" --tiny --filter arithmetic
        "$shared" --tiny --filter systems
        "$shared" --tiny --filter hensel ;;
    *) "$shared" $tiny ;;
    esac
}

check_meson() { # compiler: the suites of meson.build
    compiler "$1"
    need meson ninja
    CC=$cc meson setup "$W/build" -Dwerror=true -Dbuildtype=debugoptimized
    ninja -j1 -C "$W/build"
    export OCL_ICD_VENDORS=pocl.icd
    [ "$1" = gcc ] || export OCL_ICD_VENDORS="$W/none"
    code=0
    meson test -C "$W/build" --num-processes 1 --no-suite opencl || code=$?
    cat "$W/build/meson-logs/testlog.txt" # the summary line of each program
    return $code
}

# ---------------------------------------------------------------------------------------- warnings

stage_warnings() {
    for compiler in gcc clang; do
        for std in c99 ${FULL:+c11} c2x c++11 ${FULL:+c++17} c++20; do
            echo "warnings $compiler $std"
        done
    done
    echo "warnings clang programs" # gcc's are seen by `unit`
}

check_warnings() { # compiler, standard: everything in tests/compile. What the optimiser warns of
                   # is seen by `stack` (-O2) and `level c++`
    compiler "$1"
    if [ "$2" = programs ]; then
        for unit in $(units); do
            echo "$unit"
            $cc -std=c99 $warn -fsyntax-only "$(source_of "$unit")"
        done
        return
    fi
    case $2 in
    c++*) need "$cxx" && compile="$cxx -x c++" ;;
    *) compile=$cc ;;
    esac
    for file in tests/compile/*.c; do
        case $file in */hostile.c) continue ;; esac
        echo "$compile -std=$2 $warn $file"
        $compile "-std=$2" $warn -fsyntax-only "$file"
    done
}

# ------------------------------------------------------------------------------------------ header

stage_header() {
    printf '%s\n' msvc symbols "link c" "link c++" "switches c" "switches c++" hostile "stack gcc" \
        "stack clang" "contraction gcc" "contraction clang" "contraction aarch64" refuses
}

check_link() { # c or c++: two units share one library, or have a private copy each
    need gcc g++
    compile="gcc -std=c99"
    [ "$1" = c ] || compile="g++ -x c++ -std=c++11"
    for pair in unit static; do
        $compile $warn -c "tests/compile/${pair}_a.c" -o "$W/a.o"
        $compile $warn -c "tests/compile/${pair}_b.c" -o "$W/b.o"
        $compile -x none "$W/a.o" "$W/b.o" -o "$W/$pair" $link
        "$W/$pair"
    done
    # A C unit and a C++ unit of one program.
    gcc -c tests/compile/unit_a.c -o "$W/a.o"
    sed 's,^uint32_t unit_b_size(padic_dtype dtype);,extern "C" { &,; s,^const.*result);,& },' \
        tests/compile/unit_b.c | sed "s,\.\./\.\.,$root," >"$W/b.cpp"
    g++ -c "$W/b.cpp" -o "$W/b.o"
    g++ "$W/a.o" "$W/b.o" -o "$W/mixed" $link
    "$W/mixed"
}

check_switches() { # c or c++: each PADIC_NO_* that the header names, and all of them, compile
    need gcc g++
    compile="gcc -std=c99"
    [ "$1" = c ] || compile="g++ -x c++ -std=c++11"
    object=$compile # clang takes half of gcc's time
    [ "$1$FULL" != c ] || ! command -v clang-19 >/dev/null || object="clang-19 -std=c99"
    names=$(grep -ho 'PADIC_NO_[A-Z0-9_]*' padic*.h backends/*.h | sort -u)
    all=
    for name in $names; do
        all="$all -D$name"
        echo "$name"
        # Everyday C has static functions, C++ others.
        [ "$1$FULL" = c ] || $compile $warn "-D$name" -fsyntax-only tests/compile/impl.c
        if [ "$1" = c ]; then
            $object $warn "-D$name" -DPADIC_STATIC -O0 -c -o "$W/o" tests/compile/impl.c
            if nm -u "$W/o" | grep padic; then return 1; fi
        elif [ -n "$FULL" ]; then
            $object $warn "-D$name" -DPADIC_STATIC -fsyntax-only tests/compile/impl.c
        fi
        printf '#include "%s/padic_num.h"\n' "$root" >"$W/use.c"
        $compile $warn "-D$name" -fsyntax-only "$W/use.c"
    done
    [ -n "$all" ]
    $compile $warn $all -c tests/compile/impl.c -o "$W/o"
}

check_hostile() { # macros of other headers
    need gcc g++
    gcc -std=gnu99 $warn -fsyntax-only tests/compile/hostile.c
    g++ -x c++ $warn -fsyntax-only tests/compile/hostile.c
}

check_stack() { # compiler: no frame above 4 KiB, none of unknown size; and the optimiser's warnings
    compiler "$1"
    for level in 0 2 ${FULL:+1 3}; do
        if [ "$1$level" = gcc2 ] || [ "$1$level" = clang2 ]; then # the stage unit's
            implementation "$1"
            cp "$B/lib/$1.said" "$W/said"
            [ "$1" = clang ] || cp "$B/lib/gcc.part.su" "$W/impl.su"
        else
            # Unoptimised, each vector of a kernel has a place of its own: those are not looked at.
            alone=$([ $level != 0 ] || echo -DNO_VECTORS)
            more=$([ "$1" = gcc ] && echo -fstack-usage ||
                echo "-Wframe-larger-than=4096 -Wvla -Walloca")
            $cc -std=c99 $warn $alone -O$level $more -c tests/compile/impl.c -o "$W/impl.o" \
                2>"$W/said" || { cat "$W/said"; return 1; }
        fi
        cat "$W/said"
        [ ! -s "$W/said" ]
        if [ "$1" = gcc ]; then
            sort -t "$(printf '\t')" -k 2 -n -r "$W/impl.su" | head -n 1
            awk -F '\t' '$2 > 4096 || ($3 ~ /dynamic/ && $3 !~ /bounded/) { print; bad = 1 }
                END { exit bad }' "$W/impl.su"
        fi
    done
    # Functions of the tables of vectors end without upper halves in use.
    ! command -v objdump >/dev/null || [ "$(uname -m)" != x86_64 ] ||
        objdump -d --no-show-raw-insn "$object" | awk '/^[0-9a-f]+ </ { name = $2 }
            /%[yz]mm/ { wide[name] = 1 }
            /vzeroupper/ { clean[name] = 1 }
            END { for (name in wide) if (!clean[name] && name ~ /_(avx2|avx512|ifma)>:/) {
                print "upper halves in use after", name
                bad = 1
            }
            exit bad }'
}

check_contraction() { # a * b + c stays two operations in the header and not in the user's code
    case $1 in
    aarch64)
        need aarch64-linux-gnu-gcc
        compile="aarch64-linux-gnu-gcc -std=gnu99 -O2" fused='fn?m(add|sub)|fml[as]' ;;
    *)
        need_x86
        compiler "$1"
        level=-O1 # clang fuses from there on; full: as users have it
        [ -z "$FULL" ] || level=-O2
        [ "$1" = clang ] || level=-O3
        compile="$cc -std=gnu99 $level -march=haswell" fused='vfn?m(add|sub)' ;;
    esac
    $compile -DALONE -S tests/compile/impl.c -o "$W/impl.s" # kernels of backends fuse by name
    awk '/^after_the_header:/ { user = 1 } { print >(user ? USER : OURS) }
        user && /\.size[ \t]/ { user = 0 }' USER="$W/user.s" OURS="$W/ours.s" "$W/impl.s"
    # The user's line shows that the compiler would fuse, and that the setting ended.
    grep -E "$fused" "$W/user.s"
    if grep -E "$fused" "$W/ours.s"; then return 1; fi
    # And where this CPU can, it gives the bytes of every other build.
    if [ "$1" = gcc ] && grep -q ' fma .* avx2 ' /proc/cpuinfo; then
        $cc -c "$W/impl.s" -o "$W/impl.o"
        hash_and_goldens "$compile $W/impl.o"
    fi
}

check_refuses() { # arithmetic that would break the promises does not compile
    need_x86
    need gcc
    for flags in -ffast-math -mfpmath=387; do
        if gcc $flags -fsyntax-only tests/compile/impl.c 2>"$W/errors"; then return 1; fi
        grep '#error "padic.h: ' "$W/errors"
    done
}

check_msvc() { # clang-cl reads it as MSVC would; a planted GNU extension is refused
    for cl in clang-cl-19 clang-cl-14 clang-cl; do ! command -v $cl >/dev/null || break; done
    need $cl
    for file in impl api unit_b static_a; do
        CLANG_CL=$cl sh tests/compile/msvc_gate.sh "tests/compile/$file.c"
    done
    printf 'int f(void);\nint f(void)\n{\n    return ({ 1; });\n}\n' >"$W/gnu.c"
    if CLANG_CL=$cl sh tests/compile/msvc_gate.sh "$W/gnu.c"; then return 1; fi
}

check_symbols() {
    need gcc g++ nm
    sh tests/repository/test_symbols.sh
}

# -------------------------------------------------------------------------------------- sanitizers

stage_sanitizers() {
    printf '%s\n' "implementation address" ${FULL:+"implementation memory"} \
        "implementation thread" planted kernel_threads
    for unit in $(units); do
        # Their libraries are not instrumented. (`opencl pocl` runs under the address sanitizer.)
        # (`cuda mock` does, too.)
        case $unit in test_num_gmp | test_opencl | test_cl_* | test_mock_cuda) continue ;; esac
        case $FULL$unit in
        # In the full set: hundreds of kernels, compiled again; what others have of threads,
        # drivers (`test_ops`), numbers (`test_num_core`), waves, tensors, and of the coder
        # (`test_codec_stream`, `fuzz fuzz_pack`).
        test_gpu_num | test_selftest | test_device | test_tune | test_profile | test_threads) ;;
        test_num_oracle | test_num_identities | test_values | test_sweeps) ;;
        test_record | test_mera | test_codec_levels | test_codec_roundtrip) ;;
        *) echo "sanitizer address $unit" ;;
        esac
        # Threads are only looked at where there are some.
        threads=$(on_devices "$unit" || grep -l padic_threads "$(source_of "$unit")")
        [ -z "$FULL$threads" ] || echo "sanitizer thread $unit"
        # Oclgrind looks for unwritten memory in kernels every day, these in the full set.
        [ -z "$FULL" ] || printf '%s\n' "sanitizer memory $unit" "sanitizer integer $unit"
    done
}

check_planted() { # each sanitizer sees a bug of its kind
    need gcc
    need_clang
    cat >"$W/bug.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
static int shared;
static void *race(void *unused)
{
    shared++;
    return unused;
}
int main(int argc, char **argv)
{
    (void)argv;
    volatile int *p = (int *)malloc(4 * sizeof *p), big = 2147483647;
    pthread_t thread;
#if BUG == 1
    p[3 + argc] = 0;
#elif BUG == 2
    big += argc;
#elif BUG == 3
    if (p[2]) big = 1;
#elif BUG == 4
    if (pthread_create(&thread, NULL, race, NULL)) return 0;
    shared++;
    pthread_join(thread, NULL);
#endif
    (void)thread;
    (void)race;
    free((void *)p);
    return big == 5;
}
END
    for bug in "1 gcc address" "2 gcc undefined" "3 $clang memory" "4 $clang thread"; do
        set -- $bug
        for number in 0 "$1"; do
            $2 -g -O1 -fsanitize=$3 -fno-sanitize-recover=all -DBUG=$number "$W/bug.c" \
                -o "$W/bug$number" -lpthread
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
    cp backends/kernels/dialect.h backends/kernels/sparse.cl "$W"
    PADIC_KERNEL_DIR="$W" "$W/test" --filter sparse
    sed '0,/^    PD_BARRIER();$/s///' backends/kernels/sparse.cl >"$W/sparse.cl"
    if cmp -s "$W/sparse.cl" backends/kernels/sparse.cl; then return 1; fi
    if PADIC_KERNEL_DIR="$W" "$W/test" --filter sparse >"$W/out" 2>&1; then return 1; fi
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
            /padic_threads_create|threads_context|_jobs|open_level\(/ && name { found[name] }
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

# ------------------------------------------------------------------------------------------ opencl

stage_opencl() {
    printf '%s\n' "opencl pocl" "opencl rusticl" "opencl oclgrind" "opencl none" "opencl faults" \
        opencl_planted "opencl_ops pocl" "opencl_ops rusticl" "opencl_kernels pocl" \
        "opencl_kernels rusticl" "opencl_kernels linked" "opencl_buffers pocl" \
        "opencl_buffers rusticl"
    # Everyday `opencl_ops` compares with the reference, whose digits `unit` looks at.
    [ -z "$FULL" ] || printf '%s\n' "opencl_values pocl" "opencl_values rusticl"
    for area in base num sparse sample wave tensor codec; do
        echo "opencl_kernels oclgrind $area"
    done
}

opencl_platform() { # its ICD, its name: from here on the loader sees it alone
    [ -f "/etc/OpenCL/vendors/$1.icd" ] || { echo "SKIP: no $1.icd"; exit 77; }
    export OCL_ICD_VENDORS="$1.icd" RUSTICL_ENABLE=llvmpipe
}


check_opencl() { # the programs that need a device, on one platform
    need gcc
    [ "$1" = pocl ] || [ "$1" = none ] || [ "$1" = faults ] || program_once gcc test_opencl
    case $1 in
    pocl)
        opencl_platform pocl
        export LSAN_OPTIONS=suppressions=$root/tests/opencl/lsan.supp
        program address tests/gpu/test_opencl.c "$W/test_opencl"
        "$W/test_opencl" | tee "$W/out"
        grep -q '^device (Portable Computing Language' "$W/out" ;; # it ran, and there
    rusticl)
        opencl_platform rusticl
        "$shared" | tee "$W/out"
        grep -q '^device (rusticl' "$W/out" ;;
    oclgrind)
        need oclgrind
        code=0
        sh tests/gpu/opencl/oclgrind.sh "$shared" --tiny >"$W/out" || code=1
        cat "$W/out"
        [ $code = 0 ]
        grep -q '^device (Oclgrind' "$W/out" ;;
    none) check_opencl_none ;;
    faults) # every call fails once, and nothing is left behind
        opencl_platform pocl
        [ -f /usr/include/CL/cl_layer.h ] || { echo "SKIP: no CL/cl_layer.h"; exit 77; }
        gcc -std=gnu99 -Wall -Wextra -Werror -shared -fPIC tests/gpu/opencl/cl_fault_layer.c \
            -o "$W/cl_fault.so"
        program_once gcc test_cl_fault
        OPENCL_LAYERS=$W/cl_fault.so "$shared" | tee "$W/out"
        grep -q '^test_cl_fault: .* 0 skipped' "$W/out" ;;
    esac
}

check_opencl_kernels() { # platform, area: the known-answer tests of all kernels
    need gcc
    case $1 in
    linked) # PADIC_OPENCL_LINK, as where nothing may be opened at run time; PoCL optimises
        opencl_platform pocl
        [ -f /usr/include/CL/cl.h ] || { echo "SKIP: no CL/cl.h"; exit 77; }
        gcc -DPADIC_OPENCL_LINK tests/gpu/test_cl_kernels.c -o "$W/linked" -lOpenCL $link
        "$W/linked" --filter base
        return ;;
    oclgrind)
        need oclgrind
        program_once oclgrind test_cl_kernels
        sh tests/gpu/opencl/oclgrind.sh "$shared" --filter "$2"
        return ;;
    esac
    opencl_platform "$1"
    opencl_quick
    program_once gcc test_cl_kernels
    # Mesa compiles waves for two minutes.
    areas=
    [ "$FULL$1" != rusticl ] || areas="base num sparse sample tensor codec"
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
        wave_phase wave_winding ${FULL:+wave_superpose wave_frames tensor_}"
    for op in ${ops:-all}; do
        "$shared" $([ "$op" = all ] || echo "--op $op") --filter opencl --tiny | tee "$W/out"
        grep -q ' 0 failed, 0 skipped' "$W/out"
    done
}

check_opencl_buffers() { # platform: sparse matrices, points and streams in a device's memory
    need gcc
    opencl_platform "$1"
    opencl_quick
    native_quick
    for name in test_gpu_sparse test_gpu_sample test_gpu_codec test_pack_device test_codec_words; do
        # Mesa 22.3 takes minutes for the other cases, and falls in its own compiler.
        case $FULL$1/$name in
        *rusticl/test_codec_words) continue ;;
        rusticl/test_gpu_codec) only="--filter kinds" ;;
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

check_opencl_planted() { # Oclgrind sees a bug of each kind, and none where there is none
    need gcc oclgrind
    [ -f /usr/include/CL/cl.h ] || { echo "SKIP: no CL/cl.h"; exit 77; }
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

# ------------------------------------------------------------------------------------------ levels

stage_levels() {
    # -O3 -march=haswell is seen by `contraction`.
    for level in -O0 ${FULL:+-O1 -O2 -O3 -Os}; do echo "level gcc $level"; done
    for level in -O0 ${FULL:+-O1 -O2 -O3 -Os}; do echo "level clang $level"; done
    printf '%s\n' "level c++" "level tcc" "level no-int128" "level optimised"
    [ -z "$FULL" ] || echo "level native"
    # The highest that the CPU has is seen by `unit`.
    printf '%s\n' ${FULL:+"simd avx512ifma"} "simd avx512" "simd avx2" "simd none" "simd old"
    # AVX2 is emulated where the CPU has none: six minutes
    [ -z "$FULL" ] && grep -q avx2 /proc/cpuinfo 2>/dev/null || echo "simd emulated"
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
    compile="$compile -DALONE -DPADIC_NO_WAVE -DPADIC_NO_TENSOR"
    if [ "$1" = c++ ]; then # the tests are C99
        $compile tests/compile/hash.c -o "$W/hash" $link
        same_hash "$W/hash"
        return
    fi
    $compile -c tests/compile/impl.c -o "$W/impl.o"
    hash_and_goldens "$compile $W/impl.o"
}

hash_and_goldens() { # compiler with flags and object
    $1 $implemented tests/compile/hash.c -o "$W/hash" $link
    same_hash "$W/hash"
    $1 $implemented tests/codec/test_codec_golden.c -o "$W/test" $link
    "$W/test" --tiny
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

# ---------------------------------------------------------------------------------------- machines

stage_machines() {
    printf '%s\n' "machine s390x" "machine aarch64" "machine i686" "machine mingw64"
    [ -z "$FULL" ] ||
        printf '%s\n' "machine riscv64" "machine armhf" "machine ppc64le"
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

# -------------------------------------------------------------------------------------------- cuda

stage_cuda() {
    printf '%s\n' "cuda mock" "cuda stub" "cuda nvrtc"
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
        [ -e "$folder/stubs/libcuda.so" ] || { echo "SKIP: no stub of the driver"; exit 77; }
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

# -------------------------------------------------------------------------------------------- fuzz

stage_fuzz() {
    echo "implementation fuzz"
    fuzzers | sed 's/^/fuzz /'
    echo replay
    echo "replay meson"
}

check_fuzz() { # target: libFuzzer from the stored corpus
    need_clang
    if grep -q padic_simd.h "tests/fuzz/$1.c"; then # the shared implementation has no vectors
        $(flags fuzz) -fsanitize=fuzzer "tests/fuzz/$1.c" -o "$W/fuzz" $link
    else
        implementation fuzz
        $(flags fuzz) -fsanitize=fuzzer $implemented "tests/fuzz/$1.c" "$object" -o "$W/fuzz" $link
    fi
    mkdir "$W/corpus" "$W/found"
    sh tests/fuzz/corpus.sh "$1" | while read -r file; do cp "$file" "$W/corpus/"; done
    [ -n "$(ls "$W/corpus")" ]
    cd "$W/found"
    "$W/fuzz" -max_total_time=$((FULL ? 150 : 2)) -timeout=25 -rss_limit_mb=2048 \
        -print_final_stats=1 "$W/corpus"
}

check_replay() { # the stored corpus without libFuzzer, by another compiler's optimised library
    need gcc
    if [ "$1" = meson ]; then # Meson's option: one target, in `full` all of them
        need meson ninja
        one=$([ -n "$FULL" ] || echo fuzz_info)
        meson setup "$W/build" -Dfuzz=true -Doptimization=0 -Ddebug=false
        meson compile -C "$W/build" $one
        meson test -C "$W/build" --no-rebuild --num-processes 1 --suite fuzz $one
        return
    fi
    passed=0 failed=0
    for target in $(fuzzers); do
        grep -q "'$target'" meson.build || { echo "FAILED: meson.build has no $target"; failed=1; }
        program gcc "tests/fuzz/$target.c" "$W/$target" -DPADIC_FUZZ_REPLAY
        if sh tests/fuzz/corpus.sh "$target" "$W/$target"; then
            passed=$((passed + 1))
        else
            echo "FAILED $target"
            failed=$((failed + 1))
        fi
    done
    echo "replay: $passed passed, $failed failed, 0 skipped"
    [ $failed = 0 ]
}

# -------------------------------------------------------------------------------------------- dist

stage_dist() {
    echo dist
}

check_dist() {
    need gcc meson ninja git pkg-config
    sh tests/repository/test_dist.sh
}

# -------------------------------------------------------------------------------------- repository

stage_repository() {
    printf '%s\n' rooms lines docs support
}

check_support() { # the README's table of operations by kernels is what test_ops sees
    need gcc python3
    program_once gcc test_ops
    native_quick
    "$shared" support >"$W/table"
    sed -n '/^| operation | element types | by kernels |/,/^$/p' README.md | grep . >"$W/readme"
    diff "$W/readme" "$W/table" ||
        { echo "FAILED: paste the lines after > into README.md"; return 1; }
}

check_rooms() { # the headers that ship are what src/ makes
    need python3
    python3 tests/repository/test_rooms.py
}

check_lines() {
    sh tests/repository/test_lines.sh
}

check_docs() {
    need gcc
    implementation gcc
    # shellcheck disable=SC2086
    OBJECT=$object IMPLEMENTED=$(echo $implemented) sh tests/repository/test_docs.sh
}

# ----------------------------------------------------------------------------------------- kernels

stage_kernels() {
    printf '%s\n' embedded "gate clang" "gate amd" "gate nvidia" "gate spirv" "gate intel" \
        bad_kernels
}

check_embedded() { # backends/padic_kernels.h is what its texts make
    need python3
    cd backends/kernels
    set -- *.cl
    ! ls cuda/*.cu >/dev/null 2>&1 || set -- "$@" cuda/*.cu
    python3 embed.py --check ../padic_kernels.h dialect.h "$@"
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
    export KERNELS=$W/kernels
    mkdir -p "$KERNELS"
    cp backends/kernels/dialect.h "$KERNELS"
    cat >"$KERNELS/double.cl" <<'END'
#define PASTE(a, b) a##b
typedef struct {
    pd_u32 n;
} padic_k_bad_params;
PD_KERNEL(padic_k_bad)
(PD_BUF(pd_f32, x), PD_PARAMS(padic_k_bad_params, k))
{
    typedef PASTE(dou, ble) wide; // embed.py would see the word itself
    const wide y = x[PD_LID];
    x[PD_LID] = (pd_f32)(y * y + k.n);
}
END
    cat >"$KERNELS/spill.cl" <<'END'
typedef struct {
    pd_u32 n;
} padic_k_bad_params;
PD_KERNEL(padic_k_bad)
(PD_BUF(pd_u32, x), PD_PARAMS(padic_k_bad_params, k))
{
    pd_u32 held[400];
    for (pd_u32 i = 0u; i < 400u; i++) held[i] = x[i + PD_LID];
    for (pd_u32 j = 0u; j < k.n; j++) x[j] = held[x[j] % 400u];
}
END
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

# ---------------------------------------------------------------------------------------- programs

stage_programs() {
    printf '%s\n' demo cli bench
}

check_demo() {
    need gcc
    sh examples/demo.sh
}

check_cli() { # `demo` compiles the tool as people do
    need gcc
    implementation gcc
    # shellcheck disable=SC2086
    OBJECT=$object IMPLEMENTED=$(echo $implemented) sh tests/programs/test_cli.sh
}

check_bench() { # for crashes and wrong output only: its times are for people
    need gcc
    sh tests/programs/test_bench.sh
}

# ----------------------------------------------------------------------------------------- running

run_check() { # name arguments: one check, its line, its log when it failed
    name=$*
    key=$(echo "$name" | tr -c 'A-Za-z0-9\n' _)
    log=$B/log/$key
    W=$B/work/$key
    mkdir -p "$W"
    begin=$(date +%s)
    export W
    limit sh "$root/tests/run.sh" --body "$@" >"$log" 2>&1 </dev/null
    code=$?
    seconds=$(($(date +%s) - begin))
    times >"$W/.times" # the second line is that of the children: 1m2.34s 0m5.67s
    cpu=$(awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/)
        printf "%d", 60 * (u[1] + s[1]) + u[2] + s[2] }' "$W/.times")
    # Program names and counts; Windows programs end their lines with a carriage return.
    counts=$(tr -d '\r' <"$log" | awk '
        /^[A-Za-z0-9_.+-]+: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
            n++; p += $2; f += $4; s += $6 }
        END { print n + 0, p + 0, f + 0, s + 0 }')
    # shellcheck disable=SC2086
    set -- $counts
    n=$1 p=$2 f=$3 s=$4 note=
    if [ $code = 77 ] && [ "$n" = 0 ] && tail -n 1 "$log" | grep -q '^SKIP: '; then
        s=1 note=" ($(tail -n 1 "$log" | sed 's/^SKIP: //'))"
    elif [ "$n" = 0 ]; then
        if [ $code = 0 ]; then p=1; else f=1; fi
    elif [ $((p + f)) = 0 ]; then
        f=1 note=" (its tools are installed, and it ran nothing)"
    elif [ $code != 0 ] && [ "$f" = 0 ]; then
        f=1 note=" (exit status $code)"
    fi
    [ $code != 124 ] || note=" (it did not come to an end)"
    word=ok
    [ $((p + f)) != 0 ] || word=skipped
    [ "$f" = 0 ] || word=FAILED
    echo "$p $f $s $cpu" >"$B/result/$key"
    {
        printf '%-8s %-38s %5d passed %2d failed %2d skipped %4d s, %d cpu%s\n' "$word" "$name" \
            "$p" "$f" "$s" "$seconds" "$cpu" "$note"
        if [ $word = FAILED ]; then
            # What failed by name, wherever it stands, then the end of the log.
            grep -n -i -e 'failed:' -e '^ *FAILED' -e 'error:' -e '^SUMMARY' "$log" | head -n 8
            tail -n 25 "$log" | sed 's/^/    | /'
        fi
    } | cut -c 1-200 >"$W/.line"
    cat "$W/.line"
    [ -n "$KEEP" ] || rm -rf "$W"
}

run_lines() { # the lines of checks in a file, JOBS at once
    xargs -P "${JOBS:-2}" -L 1 sh "$root/tests/run.sh" --check <"$1"
    while read -r line; do # a check that died with its shell has not passed
        key=$(echo "$line" | tr -c 'A-Za-z0-9\n' _)
        [ -f "$B/result/$key" ] || {
            echo "FAILED   $line: it did not come to an end"
            echo "0 1 0 0" >"$B/result/$key"
        }
    done <"$1"
}

in_order() { # lines of checks: the long ones first
    awk -v first="$(echo $first)" 'BEGIN { n = split(first, want, / *[|] */) }
        { line[NR] = $0 }
        END {
            for (i = 1; i <= n; i++)
                for (j = 1; j <= NR; j++) if (line[j] == want[i]) { print line[j]; done[j] = 1 }
            for (j = 1; j <= NR; j++) if (!done[j]) print line[j]
        }'
}

stage_cpu() { # stage: the CPU seconds of its checks
    "stage_$1" | tr -c 'A-Za-z0-9\n' _ | while read -r key; do
        [ ! -f "$B/result/$key" ] || cat "$B/result/$key"
    done | awk -v stage="$1" '{ n++; c += $4 } END { if (n) printf "== %s: %d cpu\n", stage, c }'
}

case $1 in
--check)
    shift
    run_check "$@"
    exit 0 ;; # the result is in its file
--body)
    shift
    set -e
    "check_$@"
    exit 0 ;;
list)
    for stage in $stages; do
        eval "echo $stage: \$packages_$stage"
        "stage_$stage" | sed 's/^/    /'
    done
    exit ;;
full)
    FULL=1
    shift ;;
-*)
    sed -n '2,13s/^# \{0,1\}//p' tests/run.sh
    exit 2 ;;
esac
export FULL KEEP

B=$(mktemp -d "${TMPDIR:-/tmp}/padic-tests.XXXXXX") || exit 1
export B POCL_CACHE_DIR="$B/pocl"
mkdir "$B/log" "$B/work" "$B/result" "$B/lib" "$B/pocl"
[ -n "$KEEP" ] || trap 'rm -rf "$B"' EXIT
trap 'exit 130' INT TERM
whole_begin=$(date +%s)

for name in "${@:-}"; do # stage:beginning of the names of its checks
    for stage in $stages; do
        if [ -z "$name" ] || [ "$name" = "$stage" ]; then echo "$stage:"
        elif "stage_$stage" | grep -q "^$name"; then echo "$stage:$name"
        fi
    done
done >"$B/wanted"
[ -s "$B/wanted" ] || { echo "no stage or check is called $*; see sh tests/run.sh list"; exit 2; }

# shellcheck disable=SC2046
packages $(sed 's/:.*//' "$B/wanted" | sort -u)
cc=$(command -v gcc || command -v cc || command -v clang-19) || echo "there is no C compiler"
if [ -n "$cc" ] && "$cc" tests/compile/hash.c -o "$B/hash.out" $link; then
    "$B/hash.out" >"$B/hash"
fi
while IFS=: read -r stage name; do
    "stage_$stage" | grep "^$name"
done <"$B/wanted" | awk '!seen[$0]++' | in_order >"$B/lines"
run_lines "$B/lines"
for stage in $stages; do stage_cpu "$stage"; done

cpu=$(cat "$B"/result/* | awk '{ c += $4 } END { print c + 0 }')
echo "== all: $(($(date +%s) - whole_begin)) s, $cpu cpu"
[ -z "$KEEP" ] || echo "logs are in $B/log"
cat "$B"/result/* | awk '{ p += $1; f += $2; s += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }'
