#!/bin/sh
# test_runner.sh: tests/run.sh with stages of its own: what passes, fails, is skipped, runs nothing
# or dies is counted, and the exit status follows.
cd "$(dirname "$0")/../.." || exit 1
. tests/support/sh_test.sh
unset SCRATCH KEEP FULL B W
mkdir "$tmp/stages"
{
    echo '. tests/stages/common.sh'
    echo 'packages() { everyday; }'
    cat <<'STAGE'
checks() {
    everyday 5 "good one" counted
    wide 5 bad "bad count" missing nothing died crashed
    full 5 "good full" killed swept
    for n in 0 1 2 3 4 5; do turn $n 5 "turned $n"; done
}
check_turned() { echo "$1" >"$W/file"; cat "$W/file"; }
check_good() { echo "$1" >"$W/file"; cat "$W/file"; }
check_counted() { echo "some_program: 4 passed, 0 failed, 2 skipped"; }
check_bad() {
    if [ "$1" = count ]; then echo "some_program: 4 passed, 1 failed, 2 skipped"; exit 1; fi
    false
    echo "this was not to be reached"
}
check_missing() { need a_tool_that_is_not_there; }
check_nothing() { echo "some_program: 0 passed, 0 failed, 3 skipped"; }
check_died() { kill -9 $$; }
check_killed() { kill -9 "$(cut -d ' ' -f 4 "/proc/$PPID/stat")" "$PPID"; } # with run_check.sh
check_swept() { rm -r "$B/result"; }
check_crashed() { echo "some_program: 4 passed, 0 failed, 0 skipped"; exit 3; }
stage "$@"
STAGE
} >"$tmp/stages/some.sh"

run() { # arguments: the runner's exit status in $code, its words in $tmp/out
    code=0
    STAGES=$tmp/stages NO_INSTALL=1 sh tests/run.sh "$@" >"$tmp/out" 2>&1 || code=$?
    cat "$tmp/out"
}
ends() { # exit status, last line
    [ "$code" = "$1" ] && [ "$(tail -n 1 "$tmp/out")" = "$2" ]
}
everyday() {
    run
    ends 0 '5 passed, 0 failed, 2 skipped' && grep -q '^== 2 checks, about 1 minutes' "$tmp/out" &&
        grep -q 'left out: sh tests/run.sh wide, 7 checks: some' "$tmp/out"
}
fails() { # bad 1; count 4, 1, 2; nothing 3 skipped and 1 failed; died 1; crashed 4 and 1
    run wide
    ends 1 '9 passed, 5 failed, 6 skipped' &&
        grep -q '^FAILED   nothing .*ran nothing' "$tmp/out" &&
        grep -q '^FAILED   died' "$tmp/out" && grep -q '^skipped  missing .*no a_tool' "$tmp/out" &&
        ! grep -q 'not to be reached' "$tmp/out"
}
names() {
    run good && ends 0 '1 passed, 0 failed, 0 skipped' && run full good &&
        ends 0 '2 passed, 0 failed, 0 skipped' && run "bad count" missing &&
        ends 1 '4 passed, 1 failed, 3 skipped' && run some &&
        ends 1 '19 passed, 5 failed, 8 skipped'
}
killed() {
    run full killed && ends 1 '0 passed, 1 failed, 0 skipped' && grep -q 'not come to' "$tmp/out"
}
swept() { # all results are gone
    run full swept good && ends 1 '0 passed, 3 failed, 0 skipped'
}
unknown() {
    run there_is_no_such_check
    [ "$code" = 2 ]
}
listed() {
    run list
    [ "$(wc -l <"$tmp/out")" = 17 ] && grep -qx 'some wide 5 bad count' "$tmp/out"
}
turns() { # each has its own, and the others' are left out by name
    for n in 0 1 2 3 4 5; do
        export TURN=$((6 * n + n))
        run list
        [ "$(grep -c 'some wide 5 turned' "$tmp/out")" = 1 ] || return 1
        grep -qx "some wide 5 turned $n" "$tmp/out" || return 1
        run later
        ends 0 '5 passed, 0 failed, 0 skipped' || return 1
        run turned
        ends 0 '6 passed, 0 failed, 0 skipped' || return 1
    done
    unset TURN
}
ci() { # both sets' sums in one line, as .ci/run prints it
    code=0
    STAGES=$tmp/stages NO_INSTALL=1 sh .ci/run >"$tmp/out" 2>&1 || code=$?
    cat "$tmp/out"
    ends 1 '14 passed, 5 failed, 8 skipped'
}

expect "the everyday set passes and says what it left out" everyday
expect "what fails is seen" fails
expect "checks are chosen by name" names
if command -v timeout >/dev/null && [ -d /proc/$$ ]; then
    expect "a check that dies with its shell has failed" killed
else
    skip "a check that dies with its shell has failed" "no timeout or no /proc"
fi
expect "checks whose results are gone have failed" swept
expect "an unknown name is refused" unknown
expect "the list names stage, set and check" listed
expect "what takes turns is there in its own" turns
expect ".ci/run adds both sets" ci
finish test_runner
