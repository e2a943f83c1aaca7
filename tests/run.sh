#!/bin/sh
# run.sh: the checks of the repository. See CONTRIBUTING.md.
#
#     sh tests/run.sh             everyday: 11 minutes on two cores, once its packages are there
#     sh tests/run.sh wide        what .ci/run adds on every change: emulated machines, sanitizers,
#                                 other compilers, the compilers of devices: 19 minutes. What costs
#                                 most takes turns: a sixth of it in each change
#     sh tests/run.sh later       the five sixths that `wide` leaves to the next changes
#     sh tests/run.sh full        all of it with large sizes, optimised kernels, long fuzzing, more
#                                 machines and chips: hours
#     sh tests/run.sh NAME...     these stages, or the checks whose names begin so; `full NAME...`
#                                 with large sizes
#     sh tests/run.sh list        the checks: stage, set, about how many CPU seconds, name
#
# Root on Debian: missing packages are installed. Elsewhere they are named, and the checks that need
# them are skipped with the reason. Environment: NO_INSTALL=1 installs nothing, KEEP=1 leaves the
# scratch folder with its logs, JOBS is how many checks run at once (one more than processors: some
# wait for what others compile), TURN=0 to 5 chooses the sixth of those that take turns.
#
# A check's line ends with its seconds and CPU seconds; stages and all end with their sums. The
# last line is `N passed, N failed, N skipped`: test cases where a program reports them, else one
# per check. The exit status is 1 if anything failed; a check whose tools are installed and that
# ran nothing has failed. A check that hangs ends after an hour, in the full set after six.
#
# A stage is a script in tests/stages, whose common.sh says what it must have.
cd "$(dirname "$0")/.." || exit 1
stages=${STAGES:-tests/stages}
alone="rooms build" # these run first, one at a time; then the others, the longest first

every_stage() { # what the stages say of themselves, after their names
    for file in "$stages"/*.sh; do
        stage=$(basename "$file" .sh)
        [ "$stage" = common ] || sh "$file" "$1" | sed "s/^/$stage /"
    done
}

chosen() { # sets, name of a stage or beginning of a check's name: lines "seconds stage check"
    awk -v sets=" $1 " -v name="$2" 'index(sets, " " $2 " ") {
        check = $0
        sub(/^[^ ]* [^ ]* [^ ]* /, "", check)
        if (name == "" || name == $1 || index(check, name) == 1) print $3, $1, check }' "$B/checks"
}

minutes() { # lines "seconds ...": about how long they take
    awk -v jobs="$JOBS" -v processors="$processors" '{ s += $1 }
        END { printf "%d", s / (jobs < processors ? jobs : processors) / 60 + 1 }'
}

# ---------------------------------------------------------------------------------------- packages

missing() { # packages
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
            echo "$package"
    done
}

install() { # packages
    echo "== packages to install:" "$@"
    if [ "$(id -u)" != 0 ] || [ -n "$NO_INSTALL" ]; then
        echo "== not root, or NO_INSTALL is set: checks that need them are skipped. The command:"
        echo "apt-get install --no-install-recommends" "$@"
        return
    fi
    begin=$(date +%s)
    export DEBIAN_FRONTEND=noninteractive
    apt="apt-get install -q -y --no-install-recommends"
    apt-get update -q >"$B/log/apt" 2>&1
    apt-get install -s --no-install-recommends "$@" 2>>"$B/log/apt" |
        awk '/^Inst/ { n++ } END { print "== with what these need:", n + 0, "packages" }'
    if ! $apt "$@" >>"$B/log/apt" 2>&1; then # one by one
        for package in "$@"; do
            $apt "$package" >>"$B/log/apt" 2>&1 || echo "package $package cannot be installed"
        done
        case " $* " in *" clang-19 "*) # older releases have another
            command -v clang-19 >/dev/null ||
                $apt clang libclang-rt-14-dev clang-tools >>"$B/log/apt" 2>&1 ;;
        esac
    fi
    still=$(missing "$@" | tr '\n' ' ')
    echo "== packages: $(($(date +%s) - begin)) s${still:+, still missing: $still}"
    [ -z "$still" ] || echo "== apt's words: $B/log/apt, with KEEP=1"
}

packages() { # of the stages and sets in question
    chosen=$(cut -d ' ' -f 2 "$B/lines" | sort -u | tr '\n' ' ')
    lack=$(every_stage packages | awk -v sets=" $sets " -v stages=" $chosen" '
        index(stages, " " $1 " ") && index(sets, " " $2 " ") { print $3 }' | sort -u)
    if ! command -v dpkg-query >/dev/null; then
        echo "== not Debian: checks whose tools are missing are skipped. They want:" $lack
        return
    fi
    lack=$(missing $lack)
    if [ -z "$lack" ]; then echo "== packages: all installed"; else install $lack; fi
}

# ------------------------------------------------------------------------------------------ running

key_of() { # check: its name as a file's
    echo "$*" | tr -c 'A-Za-z0-9\n' _
}

run_lines() { # jobs; standard input: lines "stage check"
    cat >"$B/now"
    [ ! -s "$B/now" ] || xargs -P "$1" -L 1 sh tests/support/run_check.sh "$stages" <"$B/now"
    while read -r stage check; do # a check that died with its shell has not passed
        [ -f "$B/result/$(key_of "$check")" ] || {
            echo "FAILED   $check: it did not come to an end"
            echo "0 1 0 0 $stage" >"$B/result/$(key_of "$check")"
        }
    done <"$B/now"
}

case $1 in
"" | everyday) sets=everyday wanted=everyday ;;
wide) sets="everyday wide" wanted=wide ;;
later) sets="everyday wide later" wanted=later ;;
full) sets="everyday wide later full" wanted=$sets FULL=1 ;;
list) ;;
-*) sed -n '2,17s/^# \{0,1\}//p' tests/run.sh; exit 2 ;;
*) sets="everyday wide later" wanted=$sets ;;
esac
case $1 in everyday | wide | later | full) shift ;; esac
processors=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
JOBS=${JOBS:-$((processors + 1))}
export TURN="${TURN:-$(git rev-list --count HEAD 2>/dev/null)}"
if [ "$1" = list ]; then every_stage checks; exit; fi

# .ci/run names a folder, where the second set finds what the first has compiled.
B=${SCRATCH:-$(mktemp -d "${TMPDIR:-/tmp}/padic-tests.XXXXXX")} || exit 1
[ -n "$KEEP$SCRATCH" ] || trap 'rm -rf "$B"' EXIT
trap 'exit 130' INT TERM
rm -rf "$B/result"
mkdir -p "$B/log" "$B/work" "$B/result" "$B/lib" "$B/pocl" || exit 1
export B FULL KEEP JOBS POCL_CACHE_DIR="$B/pocl"
start=$(date +%s)

every_stage checks >"$B/checks"
for name in "${@:-}"; do chosen "$wanted" "$name"; done | awk '!seen[$0]++' |
    sort -s -n -r -k 1,1 >"$B/lines"
[ -s "$B/lines" ] || { echo "no stage or check is called $*; see sh tests/run.sh list"; exit 2; }
checks=$(wc -l <"$B/lines")
echo "== $checks checks, about $(minutes <"$B/lines") minutes with $JOBS at once" \
    "(JOBS), after the packages"
packages
for check in $alone; do
    awk -v check="$check" '$3 == check { print $2, $3 }' "$B/lines" | run_lines 1
done
awk -v alone=" $alone " '!index(alone, " " $3 " ") { sub(/^[^ ]* /, ""); print }' "$B/lines" |
    run_lines "$JOBS"

cat "$B"/result/* | awk -v seconds=$(($(date +%s) - start)) '{ c[$5] += $4; all += $4 }
    END { for (stage in c) printf "== %s: %d cpu\n", stage, c[stage]
        printf "== of all: %d cpu, %d s\n", all, seconds }' | sort
case $wanted$* in
everyday) left="wide later full" ;;
wide) left="later full" ;;
*) left= ;;
esac
if [ -n "$left" ]; then
    for set in $left; do
        echo "== left out: sh tests/run.sh $set, $(chosen $set | wc -l) checks:" \
            "$(chosen $set | cut -d ' ' -f 2 | sort -u | tr '\n' ' ')"
    done
fi
[ -z "$KEEP" ] || echo "logs are in $B/log"
cat "$B"/result/* | awk -v checks="$checks" '{ p += $1; f += $2; s += $3 }
    END { f += checks - NR # those without a result
        printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }'
