#!/bin/sh
# fuzz.sh: the fuzz targets on the stored corpus, a little further with libFuzzer, long in the full
# set.
. tests/stages/common.sh

packages() {
    wide gcc libc6-dev meson ninja-build $clang_packages
}

checks() {
    wide 25 "implementation fuzz" replay
    turn 0 40 "replay meson"
    for target in $(fuzzers); do wide 6 "fuzz $target"; done
}

fuzzers() {
    for file in tests/fuzz/fuzz_*.c; do basename "$file" .c; done
}

check_implementation() { # key: compiled for the checks that link with it
    need_clang
    implementation "$1"
}

check_fuzz() { # target: libFuzzer from the stored corpus
    need_clang
    implementation fuzz
    $(flags fuzz) -fsanitize=fuzzer $implemented "tests/fuzz/$1.c" "$object" -o "$W/fuzz" $link
    mkdir "$W/corpus" "$W/found"
    sh tests/fuzz/corpus.sh "$1" | while read -r file; do cp "$file" "$W/corpus/"; done
    [ -n "$(ls "$W/corpus")" ]
    cd "$W/found"
    "$W/fuzz" -max_total_time=$((FULL ? 150 : 2)) -timeout=3000 -rss_limit_mb=2048 \
        -print_final_stats=1 "$W/corpus"
}

check_replay() { # the stored corpus without libFuzzer, by another compiler's optimised library
    need gcc
    if [ "$1" = meson ]; then # Meson's option: one target, in `full` all of them
        need meson ninja
        one=$([ -n "$FULL" ] || echo fuzz_info)
        # clang takes half of gcc's time.
        CC=$(command -v clang-19 || echo gcc) \
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

stage "$@"
