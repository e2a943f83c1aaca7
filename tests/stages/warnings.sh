#!/bin/sh
# warnings.sh: what compilers say of tests/compile in each standard, and of the test programs. What
# the optimiser warns of is seen by `stack` (-O2) and `level c++`; gcc's warnings of the test
# programs by `build`.
. tests/stages/common.sh

packages() {
    everyday gcc g++ libc6-dev
    wide $clang_packages
}

checks() {
    everyday 4 "warnings gcc c99" "warnings gcc c++17"
    wide 5 "warnings gcc c2x" "warnings gcc c++11" "warnings gcc c++20" "warnings clang c99" \
        "warnings clang c2x" "warnings clang c++11" "warnings clang c++20"
    wide 45 "warnings clang programs"
    full 15 "warnings gcc c11" "warnings clang c11" "warnings clang c++17"
}

check_warnings() { # compiler, standard
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
    [ "$1" = gcc ] || warn="$warn -Wmisleading-indentation"
    for file in tests/compile/*.c; do
        case $file in */hostile.c) continue ;; esac
        echo "$compile -std=$2 $warn $file"
        $compile "-std=$2" $warn -fsyntax-only "$file"
    done
}

stage "$@"
