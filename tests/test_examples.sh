#!/bin/sh
# test_examples.sh: every example compiles without a warning and does what its first comment says, in
# small. The table has a line for each: name, its libraries, arguments. The pictures must be there;
# two that compare with a law are held to it.
cd "$(dirname "$0")/.." || exit 1
W=${W:-$(mktemp -d)}
cc=${CC:-cc}
passed=0 failed=0 skipped=0

table='
bounded -lm
box -lm
contract -lm -ldl
desync -lm
device -lm -ldl
entropy -lm : entropy.svg
first -lm
mera -lm : mera.svg 25
moving_waves -lm -lpthread : 2 frame
neighbours -lm
owen -lpng -lm : owen.png
snapshots -lm
solve -lm
stream -lm
terrain -lm
threads -lm -lpthread
toy_backend -lm
vortices -lpng -lm : interference.png lattice.png
waves -lpng -lm -lpthread -ldl : waves.png
weights -lm
'
elsewhere=' engine_cuda engine_opencl padic ' # with a device or a tool of their own

bad() { # name why
    echo "FAILED: example $1: $2"
    tail -n 20 "$W/out"
    failed=$((failed + 1))
}

for source in examples/*.c; do # none is forgotten
    name=$(basename "$source" .c)
    case $elsewhere in *" $name "*) continue ;; esac
    echo "$table" | grep -q "^$name " || { : >"$W/out"; bad "$name" "no line in the table"; }
done

echo "$table" >"$W/table"
while read -r name rest; do
    [ -n "$name" ] || continue
    libraries=${rest%% :*} arguments=
    case $rest in *" : "*) arguments=${rest##* : } ;; esac
    case $libraries in *-lpng*)
        if ! echo '#include <png.h>' | $cc -E - >/dev/null 2>&1; then
            echo "skipped $name: no libpng"
            skipped=$((skipped + 1))
            continue
        fi ;;
    esac
    # shellcheck disable=SC2086
    if ! $cc -std=c99 -O0 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Wshadow \
        -Werror "examples/$name.c" -o "$W/$name" $libraries >"$W/out" 2>&1; then
        bad "$name" "it does not compile"
        continue
    fi
    # shellcheck disable=SC2086
    if ! (cd "$W" && "./$name" $arguments) >"$W/out" 2>&1; then
        bad "$name" "it fails"
        continue
    fi
    why=
    [ -s "$W/out" ] || why="it says nothing"
    for file in $arguments; do
        case $file in *.png | *.svg) [ -s "$W/$file" ] || why="no picture $file" ;; esac
    done
    case $name in
    mera) # above the exact energy, nearer each time
        awk '/relative error/ { e = $NF + 0; if (e <= 0 || n++ && e >= last) exit 1; last = e }
            END { if (n != 3) exit 1 }' "$W/out" || why="energies that do not fall" ;;
    entropy) # the slope of the law within 2 %
        awk '/^slope/ { n++; d = $2 * 6 - 1; if (d * d > 4e-4) exit 1 }
            END { if (n != 1) exit 1 }' "$W/out" || why="another law" ;;
    esac
    if [ -n "$why" ]; then bad "$name" "$why"; else passed=$((passed + 1)); fi
done <"$W/table"
echo "test_examples: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
