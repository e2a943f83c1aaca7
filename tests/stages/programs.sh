#!/bin/sh
# programs.sh: the command-line tool, its demonstration and the bench.
. tests/stages/common.sh

packages() {
    everyday gcc libc6-dev python3 meson ninja-build
    wide python3-numpy libzstd-dev libflint-dev libpari-dev
}

checks() {
    everyday 36 cli
    wide 36 demo
    turn 0 31 bench
    turn 3 35 "cli numpy"
}

check_demo() {
    need gcc
    sh examples/demo.sh
}

check_cli() { # [numpy]: with its checks of .npy files; `demo` compiles the tool as people do
    need gcc
    [ "$1" != numpy ] || python3 -c 'import numpy' 2>/dev/null || skip "no numpy"
    implementation gcc
    # shellcheck disable=SC2086
    OBJECT=$object IMPLEMENTED=$(echo $implemented) sh tests/programs/test_cli.sh
}

check_bench() { # for crashes and wrong output only: its times are for people
    need gcc
    sh tests/programs/test_bench.sh
}

stage "$@"
