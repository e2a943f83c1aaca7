#!/bin/sh
# header.sh: what the headers bring into a user's program: names, switches, frames of the stack,
# settings of the compiler; and what they need of a compiler.
. tests/stages/common.sh

packages() {
    everyday gcc g++ libc6-dev binutils make cmake
    wide tcc $clang_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross
}

checks() {
    everyday 75 layouts engine
    wide 10 msvc hostile refuses
    turn 1 25 "link c" "link c++"
    turn 0 60 "stack gcc"
    turn 1 60 "stack clang"
    turn 0 20 "switches c"
    turn 2 20 "switches c++"
    wide 40 symbols odd
    turn 2 40 orders areas
    turn 1 25 "orders rest"
    turn 3 56 "engine rest"
    wide 40 "contraction gcc"
    turn 0 20 "contraction clang" "contraction aarch64"
}

check_symbols() {
    need gcc g++ nm
    sh tests/repository/test_symbols.sh
}

check_layouts() { # what a switch may not change, what is off
    need gcc g++ python3 readelf
    python3 tests/headers/test_switches.py
}

check_areas() { # implementations with each area off, and with each alone
    need gcc python3
    python3 tests/headers/test_areas.py
}

check_orders() { # any headers in any order, two versions, parts; rest: each other header first
    need gcc g++ python3 nm
    REST=${1:-} python3 tests/headers/test_headers.py
}

check_engine() { # an engine's tree by make and CMake, a program of every area in an empty folder;
                 # rest: by the other compilers and languages
    need gcc g++ python3 make
    REST=${1:-} python3 tests/engine/test_engine.py
}

check_odd() { # users who do odd things
    need gcc g++ python3 nm
    python3 tests/engine/test_odd.py
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
        printf '#include "%s/padic.h"\n' "$root" >"$W/use.c"
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
        # Unoptimised, each vector of a kernel has a place of its own: those are not looked at.
        alone=$([ $level != 0 ] || echo -DNO_VECTORS)
        more=$([ "$1" = gcc ] && echo -fstack-usage ||
            echo "-Wframe-larger-than=4096 -Wvla -Walloca")
        $cc -std=c99 $warn $ends $alone -O$level $more -c tests/compile/impl.c -o "$W/$level.o" \
            2>"$W/said" || { cat "$W/said"; return 1; }
        cat "$W/said"
        [ ! -s "$W/said" ]
        [ "$1" = gcc ] || continue
        sort -t "$(printf '\t')" -k 2 -n -r "$W/$level.su" | head -n 1
        awk -F '\t' '$2 > 4096 || ($3 ~ /dynamic/ && $3 !~ /bounded/) { print; bad = 1 }
            END { exit bad }' "$W/$level.su"
    done
    # Functions of the tables of vectors end without upper halves in use.
    ! command -v objdump >/dev/null || [ "$(uname -m)" != x86_64 ] ||
        objdump -d --no-show-raw-insn "$W/2.o" | awk '/^[0-9a-f]+ </ { name = $2 }
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

stage "$@"
