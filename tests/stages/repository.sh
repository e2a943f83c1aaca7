#!/bin/sh
# repository.sh: the repository itself: headers as src/ makes them, lists that must be complete,
# documents that say what is true, the archive of a release, this runner.
. tests/stages/common.sh

packages() {
    everyday python3 gcc libc6-dev
    wide g++ meson ninja-build libpng-dev ocl-icd-opencl-dev pocl-opencl-icd pkg-config git
}

checks() {
    everyday 1 lines runner
    everyday 50 rooms
    wide 86 docs
    turn 0 36 dist
    wide 20 support
}

check_rooms() { # the headers that ship are what src/ makes
    need python3
    python3 tests/repository/test_rooms.py
}

check_lines() {
    sh tests/repository/test_lines.sh
}

check_runner() { # the runner sees what fails, what ran nothing and what died, and counts it
    sh tests/repository/test_runner.sh
}

check_docs() {
    need gcc
    implementation gcc
    # shellcheck disable=SC2086
    OBJECT=$object IMPLEMENTED=$(echo $implemented) \
        QUICK_CC=$(command -v clang-19 || command -v clang) sh tests/repository/test_docs.sh
}

check_dist() {
    need gcc meson ninja git pkg-config
    # clang takes half of gcc's time.
    CC=$(command -v clang-19 || command -v clang || echo gcc) sh tests/repository/test_dist.sh
}

check_support() { # the table in backends/README.md of operations by kernels is what test_ops sees
    need gcc python3
    program_once gcc test_ops
    native_quick
    "$shared" support >"$W/table"
    sed -n '/^| operation | element types | by kernels |/,/^$/p' backends/README.md |
        grep . >"$W/readme"
    diff "$W/readme" "$W/table" ||
        { echo "FAILED: paste the lines after > into backends/README.md"; return 1; }
}

stage "$@"
