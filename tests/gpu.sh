#!/bin/sh
# gpu.sh [quick | sanitizer [TOOL...]]: everything that needs an NVIDIA GPU, on a machine that has
# one and a CUDA toolkit: the test programs with --backend cuda, then compute-sanitizer (memcheck,
# racecheck, initcheck, synccheck) on tiny sizes. `quick` leaves the second part out, `sanitizer`
# the first; a program that takes longer than $LIMIT (150) seconds there is skipped. CC names the
# compiler (cc). Logs go to $OUT where that is set.
#
# Each line says what ran; the last is `N passed, N failed, N skipped`.

cd "$(dirname "$0")/.." || exit 1
cc=${CC:-cc}
B=$(mktemp -d "${TMPDIR:-/tmp}/padic-gpu.XXXXXX") || exit 1
trap 'rm -rf "$B"' EXIT
logs=${OUT:-$B}
passed=0 failed=0 skipped=0

for folder in /usr/local/cuda/bin "${CUDA_PATH:-/usr/local/cuda}/bin"; do
    case :$PATH: in *:$folder:*) ;; *) PATH=$PATH:$folder ;; esac
done
nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total --format=csv,noheader ||
    echo "no nvidia-smi"
$cc --version | head -n 1

count() { # log: adds the last line of a test program, `name: P passed, F failed, S skipped`
    set -- $(tr -d '\r' <"$1" | sed -n \
        's/^[a-z_0-9]*: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
    [ $# = 3 ] || return 1
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
    [ "$2" = 0 ]
}

source_of() {
    for file in tests/*/"$1.c" tests/gpu/cuda/"$1.c"; do [ ! -f "$file" ] || echo "$file"; done
}

build() { # test program
    flags="-O2 -DGPU_CUDA -DPADIC_NO_CODEC"
    ! grep -q -e codec -e rollout "$(source_of "$1")" || flags="-O2 -DGPU_CUDA"
    # shellcheck disable=SC2086
    $cc -std=gnu99 $flags "$(source_of "$1")" -o "$B/$1" -lm -lpthread -ldl \
        >"$logs/$1.build" 2>&1 && return
    echo "FAILED   $1 does not compile"
    tail -n 20 "$logs/$1.build"
    failed=$((failed + 1))
    return 1
}

run() { # name, log, command
    name=$1 log=$logs/$2
    shift 2
    begin=$(date +%s)
    "$@" >"$log" 2>&1
    code=$?
    before=$passed/$failed/$skipped
    if [ $code = 77 ] && ! grep -q ' passed, ' "$log"; then
        skipped=$((skipped + 1)) word=skipped
    elif [ $code = 124 ]; then
        skipped=$((skipped + 1)) word="too long"
    elif ! count "$log"; then
        [ "$before" != "$passed/$failed/$skipped" ] || failed=$((failed + 1)) # it said nothing
        word=FAILED
    elif [ $code != 0 ] && [ $code != 77 ]; then # a sanitizer's finding, or a crash at its end
        failed=$((failed + 1)) word=FAILED
    elif [ $code = 77 ]; then word=skipped
    else word=ok
    fi
    echo "$word  $name: $(tail -n 1 "$log"), $(($(date +%s) - begin)) s"
    case $word in
    FAILED) grep -n -i -e failed -e ERROR -e '=========' "$log" | head -n 40 ;;
    skipped) grep -m 1 skipped: "$log" ;;
    esac
}

choice() { # of a program that takes several backends
    ! grep -q -e '--backend' "$(source_of "$1")" || echo "--backend cuda"
}

programs=
for source in tests/gpu/cuda/test_*.c tests/*/test_*.c; do
    name=$(basename "$source" .c)
    case $name in test_mock_cuda | test_cl_fault | test_opencl) continue ;; esac
    if grep -q -e padic_cuda.h -e gpu_devices.h "$source"; then programs="$programs $name"; fi
done
for name in $programs; do build "$name" & done
wait
if [ "$1" != sanitizer ]; then
    for name in $programs; do
        [ -x "$B/$name" ] || continue
        # shellcheck disable=SC2046
        run "$name" "$name.log" "$B/$name" $(choice "$name")
    done

    # An engine's own context, stream, memory and graph.
    if $cc -O2 -DPADIC_NO_CODEC examples/engine_cuda.c -o "$B/engine" -lm -ldl \
        >"$logs/engine.log" 2>&1 && "$B/engine" >>"$logs/engine.log" 2>&1; then
        if grep -q 'nothing to show' "$logs/engine.log"; then
            skipped=$((skipped + 1))
        else
            passed=$((passed + 1))
        fi
    else
        failed=$((failed + 1))
    fi
    cat "$logs/engine.log"
fi

if [ "$1" != quick ]; then
    export PADIC_SANITIZER=1
    compute-sanitizer "$B/test_cuda" --filter device >"$logs/sanitizer.log" 2>&1
    if grep -q -i -e 'not supported' -e 'not found' "$logs/sanitizer.log"; then
        echo "skipped  compute-sanitizer: $(grep -m 1 -i -e 'not supported' -e 'not found' \
            "$logs/sanitizer.log")"
        skipped=$((skipped + 4))
    else
        [ "$1" != sanitizer ] || shift
        [ $# != 0 ] || set -- memcheck racecheck initcheck synccheck
        for tool in "$@"; do
            for name in $programs; do
                [ -x "$B/$name" ] || continue
                # shellcheck disable=SC2046
                run "$tool $name" "$tool.$name.log" timeout "${LIMIT:-150}" compute-sanitizer \
                    --tool "$tool" \
                    --report-api-errors no --error-exitcode 9 "$B/$name" --tiny $(choice "$name")
            done
        done
    fi
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
