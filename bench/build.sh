#!/bin/sh
# Builds the bench with every peer that is installed.
#
#     sh bench/build.sh OUT [FLAGS...]     flags default to -O2; CC chooses the compiler
#
# An OUT named bench-num... is the bench of numbers (num.c), bench-small... that of small calls
# (small_calls.c), else that of the codec (bench.c).
# The library under test and the peers' shuffle get the same flags. BENCH_PEERS="zstd lz4" asks
# for these peers only, BENCH_PEERS=none for none.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?"usage: sh bench/build.sh OUT [FLAGS...]"}
shift
[ $# -gt 0 ] || set -- -O2
cc=${CC:-cc}
text=$*
try=$(mktemp -d)
trap 'rm -rf "$try"' EXIT

commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo none)
git -C "$root" diff --quiet HEAD 2>/dev/null || commit=$commit+

sources="$root/bench/bench.c"
peers="zstd lz4 blosc zfp"
case $(basename "$out") in
bench-num*)
    sources="$root/bench/num.c"
    peers="flint pari"
    ;;
bench-small*)
    sources="$root/bench/small_calls.c"
    peers="flint"
    ;;
esac
libraries=
found=
for peer in ${BENCH_PEERS:-$peers}; do
    [ "$peer" = none ] && break
    header=$peer.h
    links=-l$peer
    case $peer in
    flint) header=flint/padic.h links="-lflint -lgmp" ;;
    pari) header=pari/pari.h ;;
    esac
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" >"$try/t.c"
    # shellcheck disable=SC2086
    if $cc -o "$try/t" "$try/t.c" $links 2>/dev/null; then
        found="$found $peer"
        sources="$sources $root/bench/peers/$peer.c"
        libraries="$libraries $links"
        set -- "$@" "-DBENCH_$(echo "$peer" | tr a-z A-Z)"
    fi
done
[ -f "$root/backends/padic_threads.h" ] && set -- "$@" -DBENCH_THREADS -pthread
# shellcheck disable=SC2086
$cc "$@" "-DBENCH_FLAGS=\"$text\"" "-DBENCH_COMMIT=\"$commit\"" -o "$out" $sources $libraries \
    -lm -ldl
echo "built $out with $cc $text, peers:${found:- none}"
