#!/bin/sh
# The table of p-adic numbers: eleven rings beside FLINT and PARI and bare modular loops, numbers
# that stay in the nearest cache and 10^6 of them (long ones, and the peers': as many as a tenth of
# a second does), one thread and all; then the rings of the targets, and systems. About five minutes
# on a quiet machine.
#
#     sh bench/num.sh CSV [MACHINE] [FLAGS...]     flags default to -O2; CSV begins anew
set -eu
csv=${1:?"usage: sh bench/num.sh CSV [MACHINE] [FLAGS...]"}
name=${2:-$(uname -n)}
[ $# -lt 2 ] || shift
shift
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$root/bench/build.sh" "$work/bench-num" "$@"
rm -f "$csv"
run() { "$work/bench-num" --csv "$csv" --machine "$name" --sizes both --budget 0.1 "$@"; }
run --op num --repeat 2 --seconds 0.002
for ring in 257^3 257^7 257^12 257^18 257^66 257^132 257^258 257^516; do
    run --op num --ring $ring --filter bare --repeat 3 --seconds 0.005 | grep '\^'
done
run --op num --ring 257^3 --filter horner --repeat 3 --seconds 0.005 | grep '\^3 '
run --op solve --repeat 3 --seconds 0.02 | grep solve
