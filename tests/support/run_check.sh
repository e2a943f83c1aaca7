#!/bin/sh
# run_check.sh STAGES STAGE CHECK...: one check of run.sh in a process, a folder and a log of its
# own; prints its line, with the log's end if it failed, and writes its counts to $B/result.
stages=$1 stage=$2
shift 2
name=$*
key=$(echo "$name" | tr -c 'A-Za-z0-9\n' _)
log=$B/log/$key
export W="$B/work/$key"
mkdir -p "$W"
# Against hangs: nothing that is merely slow takes so long.
limit="timeout $([ -n "$FULL" ] && echo 6h || echo 1h)"
command -v timeout >/dev/null || limit=
begin=$(date +%s)
# shellcheck disable=SC2086
$limit sh "$stages/$stage.sh" check "$@" >"$log" 2>&1 </dev/null
code=$?
seconds=$(($(date +%s) - begin))
times >"$W/.times" # the second line is that of the children: 1m2.34s 0m5.67s
cpu=$(awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/)
    printf "%d", 60 * (u[1] + s[1]) + u[2] + s[2] }' "$W/.times")
# Program names and counts; Windows programs end their lines with a carriage return.
counts=$(tr -d '\r' <"$log" | awk '
    /^[A-Za-z0-9_.+-]+: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
        n++; p += $2; f += $4; s += $6 }
    END { print n + 0, p + 0, f + 0, s + 0 }')
# shellcheck disable=SC2086
set -- $counts
n=$1 p=$2 f=$3 s=$4 note=
if [ $code = 77 ] && [ "$n" = 0 ] && tail -n 1 "$log" | grep -q '^SKIP: '; then
    s=1 note=" ($(tail -n 1 "$log" | sed 's/^SKIP: //'))"
elif [ "$n" = 0 ]; then
    if [ $code = 0 ]; then p=1; else f=1; fi
elif [ $((p + f)) = 0 ]; then
    f=1 note=" (its tools are installed, and it ran nothing)"
elif [ $code != 0 ] && [ "$f" = 0 ]; then
    f=1 note=" (exit status $code)"
fi
[ $code != 124 ] || note=" (it did not come to an end)"
word=ok
[ $((p + f)) != 0 ] || word=skipped
[ "$f" = 0 ] || word=FAILED
echo "$p $f $s $cpu $stage" >"$B/result/$key"
{
    printf '%-8s %-38s %5d passed %2d failed %2d skipped %4d s, %d cpu%s\n' "$word" "$name" \
        "$p" "$f" "$s" "$seconds" "$cpu" "$note"
    if [ $word = FAILED ]; then
        # What failed by name, wherever it stands, then the end of the log.
        grep -n -i -e 'failed:' -e '^ *FAILED' -e 'error:' -e '^SUMMARY' "$log" | head -n 8
        tail -n 25 "$log" | sed 's/^/    | /'
    fi
} | cut -c 1-200 >"$W/.line"
cat "$W/.line"
[ -n "$KEEP" ] || rm -rf "$W"
exit 0 # the result is in its file
