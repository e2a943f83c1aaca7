#!/bin/sh
# test_symbols.sh: what padic.h brings into a program: symbols, macros, types and constants, all
# with the prefix; and which functions of the C library it needs. CC names another compiler.
cd "$(dirname "$0")/../.." || exit 1
. tests/support/sh_test.sh
cc=${CC:-gcc}

printf '#define PADIC_IMPLEMENTATION\n' >"$tmp/with.c"
for header in padic*.h backends/*.h; do
    printf '#include "%s/%s"\n' "$PWD" "$header" >>"$tmp/with.c"
done
# The system headers that ours include on this machine, without ours: what they define is not ours.
$cc -H -fsyntax-only "$tmp/with.c" 2>&1 | sed -n 's,^\.\. \(/.*\),#include "\1",p' |
    grep -v "$PWD" | sort -u >"$tmp/without.c"

symbols() { # every external symbol is padic_...; private ones are static
    $cc -O0 -c "$tmp/with.c" -o "$tmp/with.o" || return
    nm -g --defined-only "$tmp/with.o" | awk '{print $NF}' | sort >"$tmp/exported"
    echo "$(wc -l <"$tmp/exported") exported"
    [ -s "$tmp/exported" ] || return
    ! grep -v '^padic_' "$tmp/exported"
}
cxx_symbols() { # as C++ too, so that C and C++ units of one program share them
    case $cc in *clang*) cxx=$(echo "$cc" | sed 's/clang/clang++/') ;; *) cxx=g++ ;; esac
    command -v "$cxx" || return
    $cxx -x c++ -O0 -c "$tmp/with.c" -o "$tmp/withxx.o" || return
    # Not optimised, templates of the C++ library are instantiated.
    nm -g --defined-only "$tmp/withxx.o" | awk '$NF !~ /^_ZSt/ {print $NF}' | sort \
        >"$tmp/exportedxx"
    diff "$tmp/exported" "$tmp/exportedxx"
}
declared() { # every function the API declares is defined, and the other way round
    sed -n 's/^PADIC_API [^(]*[ *]\(padic_[a-z0-9_]*\)(.*/\1/p' padic*.h backends/*.h |
        sort -u >"$tmp/declared"
    diff "$tmp/declared" "$tmp/exported"
}
private_static() { # PADIC_STATIC exports nothing
    $cc -O0 -DPADIC_STATIC -c "$tmp/with.c" -o "$tmp/static.o" || return
    nm -g --defined-only "$tmp/static.o" >"$tmp/leaked"
    cat "$tmp/leaked"
    [ ! -s "$tmp/leaked" ]
}
plain_needs() { # both headers alone: memory and nothing that prints, opens, exits, or rounds
    # (libm); waves, tensors, transforms, networks and the errors of series take sines,
    # logarithms and roots
    printf '#define PADIC_IMPLEMENTATION\n#include "%s/padic.h"\n' "$PWD" >"$tmp/alone.c"
    $cc -O0 -DPADIC_NO_WAVE -DPADIC_NO_TENSOR -DPADIC_NO_FFT -DPADIC_NO_CDT -DPADIC_NO_FIELD \
        -DPADIC_NO_RNN -DPADIC_NO_ROLLOUT -DPADIC_NO_PQ \
        -c "$tmp/alone.c" -o "$tmp/alone.o" || return
    nm -u "$tmp/alone.o" | awk '{print $NF}' | sort >"$tmp/needed"
    tr '\n' ' ' <"$tmp/needed"
    ! grep -v -x -e malloc -e free -e calloc -e aligned_alloc -e posix_memalign -e memcpy \
        -e memmove -e memset -e memcmp -e memchr -e strlen -e strcmp -e strncmp -e strchr \
        -e clock -e time -e clock_gettime -e timespec_get -e _GLOBAL_OFFSET_TABLE_ \
        -e __stack_chk_fail -e '__[a-z]*ti[34]' "$tmp/needed"
}
macros() { # every macro, also those that only the implementation uses
    $cc -dM -E "$tmp/without.c" | awk '{print $2}' | sed 's/(.*//' | sort -u >"$tmp/system"
    $cc -dM -E "$tmp/with.c" | awk '{print $2}' | sed 's/(.*//' | sort -u >"$tmp/all"
    comm -13 "$tmp/system" "$tmp/all" >"$tmp/ours"
    echo "$(wc -l <"$tmp/ours") macros"
    [ -s "$tmp/ours" ] || return
    # Feature test macros ask the system for something and name nothing of ours.
    ! grep -v -e '^PADIC_' -e '^PADICI_' -e '^padic_context_create\(_best\)*$' \
        -e '^_[A-Z_]*_SOURCE$' \
        "$tmp/ours"
}
names() { # types, tags, enumerators, functions and variables, from gcc's own list of declarations
    for list in without with; do
        gcc -S -o /dev/null -fdump-go-spec="$tmp/$list.go" "$tmp/$list.c" || return
        sed 's,^// ,,' "$tmp/$list.go" | awk '$1 ~ /^(type|const|func|var)$/ {print $2}' |
            sed 's/(.*//; s/^_*//; s/^sizeof_//' | sort -u >"$tmp/$list.names"
    done
    comm -13 "$tmp/without.names" "$tmp/with.names" >"$tmp/ours.names"
    echo "$(wc -l <"$tmp/ours.names") names"
    [ -s "$tmp/ours.names" ] || return
    ! grep -v -i -e '^padici\{0,1\}_' -e '^mm[0-9]*_' -e '^k[a-z]*_mask' \
        "$tmp/ours.names" # and intrinsics in use
}
planted() { # the checks above see what they should see
    printf '#include "%s/padic.h"\nint stray; typedef int stray_type;\n#define STRAY 1\n' "$PWD" \
        >"$tmp/with.c"
    for check in symbols macros names; do
        if $check >"$tmp/planted"; then
            echo "not found by $check"
            return 1
        fi
        grep -qi '^stray' "$tmp/planted" || { echo "not named by $check"; return 1; }
    done
}

if ! command -v nm >/dev/null; then
    skip symbols "no nm"
    finish test_symbols
fi
expect "exported symbols have the prefix" symbols
expect "C++ exports the same symbols" cxx_symbols
expect "declared functions are defined" declared
expect "PADIC_STATIC exports nothing" private_static
expect "the C library is asked for memory only" plain_needs
expect "macros have the prefix" macros
if command -v gcc >/dev/null; then
    expect "types and constants have the prefix" names
    expect "a planted name is found" planted
else
    skip "types and constants have the prefix" "no gcc"
fi
finish test_symbols
