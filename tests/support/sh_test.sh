# sh_test.sh: a test script reads it with `.` and then says
#
#     expect "what must hold" command arguments...     # its output is shown when it fails
#     skip "what" "why"
#     finish name                                      # the summary line that run.sh counts; exits
#
# A command may be a function; it runs in a subshell, so `cd` and `exit` stay inside. $tmp is a
# scratch folder that goes away with the script.
sh_passed=0 sh_failed=0 sh_skipped=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

expect() {
    sh_what=$1
    shift
    if ("$@") >"$tmp/.log" 2>&1 </dev/null; then
        echo "$sh_what: ok"
        sh_passed=$((sh_passed + 1))
    else
        echo "FAILED: $sh_what"
        sed 's/^/    /' "$tmp/.log" | tail -n 30
        sh_failed=$((sh_failed + 1))
    fi
}

skip() {
    echo "$1: skipped: $2"
    sh_skipped=$((sh_skipped + 1))
}

finish() {
    echo "$1: $sh_passed passed, $sh_failed failed, $sh_skipped skipped"
    [ "$sh_failed" = 0 ] || exit 1
    [ "$sh_passed" != 0 ] || exit 77
    exit 0
}
