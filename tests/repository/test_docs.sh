#!/bin/sh
# test_docs.sh: programs and commands that the documents show do what they say. With OBJECT, the
# compiled implementation, and IMPLEMENTED, the flags beside it, examples that need no other are
# linked with that. QUICK_CC: a compiler that takes less time than cc for the programs of areas.
#
#  - the program in the first comment of padic.h, with the compile line beside it; that of each
#    area, of at most 25 lines;
#  - the compile line in the first comment of each examples/*.c, from the repository's root, and
#    the example;
#  - each ```c block of README.md, CONTRIBUTING.md and FORMAT.md that has a main() is compiled and
#    run beside a copy of padic.h and backends/; one without is compiled in a function after the
#    include. A block that is not C code of ours is marked ```text;
#  - the links of the documents to files.
cd "$(dirname "$0")/../.." || exit 1
. tests/support/sh_test.sh
root=$PWD
warn="-Wall -Wextra -Werror -Wno-misleading-indentation" # gcc takes ten times as long for it

first_program() { # header, source file that its compile line names, line that the program prints
    mkdir "$tmp/$2" && cp padic.h "$tmp/$2" || return # alone
    # The comment's lines from the #define to the closing brace of main.
    head -n 100 "$1" | awk '/^\/\/     #define PADIC_IMPLEMENTATION/ { on = 1 }
        on { print substr($0, 8) } on && substr($0, 8) == "}" { exit }' >"$tmp/$2/$2"
    command=$(head -n 100 "$1" | sed -n "s/.*\`\(cc [^\`]*$2[^\`]*\)\`.*/\1/p" | head -n 1)
    [ -n "$FULL" ] || command=$(echo "$command" | sed 's/ -O2 / -O0 /')
    cd "$tmp/$2" && [ -s "$2" ] && [ -n "$command" ] && echo "$command" &&
        sh -c "$command $warn" && ./a.out >out && cat out || return
    grep -q "$3" out
}
first_in_cpp() { # the first comment promises both languages
    cd "$tmp/$1" && g++ -x c++ -std=c++11 ${FULL:+-O1} "$1" -o cpp -lm && ./cpp
}
area_program() { # area, line that the program prints
    mkdir "$tmp/area_$1" && cp padic.h "$tmp/area_$1" || return
    awk -v tag=">>$1 API" 'index($0, "-- " tag) { here = 1 } /^[^\/]/ { here = 0 }
        here && /^\/\/     #define PADIC_IMPLEMENTATION/ { on = 1 }
        on { print substr($0, 8) } on && substr($0, 8) == "}" { exit }' padic.h \
        >"$tmp/area_$1/program.c"
    cd "$tmp/area_$1" && [ -s program.c ] && [ "$(wc -l <program.c)" -le 25 ] &&
        ${QUICK_CC:-cc} ${FULL:+-O2} -Wall -Wextra -Werror program.c -lm && ./a.out >out &&
        cat out && grep -q -e "$2" out
}
example() { # file
    command=$(sed -n '1,20s/^\/\/ *\(cc .*\)$/\1/p' "$1" | head -n 1 | sed 's/  .*//')
    echo "$command"
    [ -n "$command" ] || { echo "no compile line in the first comment"; return 1; }
    # Everyday the library is not optimised, or is there already: half a minute, not five.
    if [ -z "$FULL" ] && [ -n "$OBJECT" ] && ! grep -q '^#define PADIC_NO_' "$1"; then
        command=$(echo "$command" | awk -v flags="$IMPLEMENTED" -v object="$OBJECT" '{
            compile = $0
            sub(/ && .*/, "", compile)
            run = substr($0, length(compile) + 1)
            sub(/^cc -O2/, "cc -O1 " flags, compile)
            print compile, object, "-lm -lpthread" run
        }')
    elif [ -z "$FULL" ]; then
        command=$(echo "$command" | sed 's/^cc -O2/cc -O0/')
    fi
    mkdir -p "$tmp/example" && cp -R padic.h backends examples "$tmp/example" &&
        cd "$tmp/example" && sh -c "$command" || return
    # The command line program has tests of its own; every other example just runs, and those that
    # compare with a law are held to it.
    name=$(basename "$1" .c)
    [ "$name" != padic ] && [ -x "$name" ] || return 0
    if [ "$name" = rollout ]; then # the same bytes by other batches, and after a cut
        printf 'operators 5\nsteps 9\ngrid 16 16\nfeatures 4\n' >settings
        ./rollout make settings a 2 && ./rollout make settings b 5 && head -c 30000 a >c &&
            ./rollout make settings c 1 && cmp a b && cmp a c && ./rollout show a &&
            ./rollout strip a 3 strip.png && ./rollout sheet a sheet.png || return
        return 0
    fi
    "./$name" >out || return
    cat out
    case $name in
    mera) # above the exact energy, nearer each time
        awk '/relative error/ { e = $NF + 0; if (e <= 0 || n++ && e >= last) exit 1; last = e }
            END { if (n != 3) exit 1 }' out ;;
    fractions) grep -q '^1/3 + 22/7 = 73/21$' out ;;
    entropy) # the slope of the law within 2 %
        awk '/^slope/ { n++; d = $2 * 6 - 1; if (d * d > 4e-4) exit 1 }
            END { if (n != 1) exit 1 }' out ;;
    forecast) # better than the last year again
        awk '/^root mean square error/ { n++; if ($5 + 0 > 0.7 * $NF) exit 1 }
            END { if (n != 1) exit 1 }' out ;;
    decoder) # 260 keys of at most 8,192 have most of the attention
        awk 'NF == 5 && $1 + 0 { n++; if (!($5 + 0 < 0.3)) exit 1 } END { if (n != 4) exit 1 }' \
            out ;;
    universe) # within 0.01 of the law
        awk '/^largest deviation/ { n++; if ($3 > 0.01) exit 1 } END { if (n != 1) exit 1 }' out ;;
    esac
}
blocks() { # document: its ```c blocks as files block_N.c
    mkdir -p "$tmp/$1.d"
    awk -v to="$tmp/$1.d/block_" '/^```c$/ { n++; on = 1; printf "" >(to n ".c"); next }
        /^```/ { on = 0 } on { print >(to n ".c") }' "$1"
}
block() { # document, file
    cp padic.h "$tmp/$1.d" && cp -R backends "$tmp/$1.d" && cd "$tmp/$1.d" || return
    if grep -q 'main(' "$2"; then
        cc ${FULL:+-O1} $warn "$2" -o program -lm -lpthread && ./program
    else
        # Includes go before the function.
        { printf '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n'
          printf '#define PADIC_IMPLEMENTATION\n#include "padic.h"\n'
          grep '^#' "$2"; printf 'void fragment(void);\nvoid fragment(void)\n{\n'
          grep -v '^#' "$2"; printf '}\n'; } >fragment.c
        cc -fsyntax-only fragment.c
    fi
}
links() { # document: each ](path) is a file beside it
    grep -o '](\([^)#]*\)' "$1" | sed 's/](//' | grep -v '^[a-z]*:' >"$tmp/links"
    while read -r path; do
        [ -e "$(dirname "$1")/$path" ] || { echo "$1: no $path"; return 1; }
    done <"$tmp/links"
}
commands() { # README: the commands of its sh blocks that compile, from the root
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' README.md | sed 's/ *#.*//' |
        grep '^cc ' >"$tmp/commands"
    [ -s "$tmp/commands" ] || { echo "README.md shows no compile line"; return 1; }
    mkdir -p "$tmp/readme" && cp -R padic.h backends examples "$tmp/readme" &&
        cd "$tmp/readme" || return
    [ -n "$FULL" ] || sed -i 's/ -O2 / -O0 /' "$tmp/commands"
    sh -e "$tmp/commands"
}

expect "the first program of padic.h compiles, runs and says what it should" \
    first_program padic.h first.c 'bit for bit the same'
if command -v g++ >/dev/null; then
    expect "the first program is C++ too" first_in_cpp first.c
else
    skip "the first program is C++ too" "no g++"
fi
for row in "num 73/21" "sparse 3 entries, y = 201 30" "sample no error" "wave 0.00" \
    "tensor 4 5, 10 11" "fft 60 Hz" "cdt 65 links a slice, no error" \
    "rnn 0.40874, no error" "rollout -0.006" "field centre 2.000" "pq key 38 of 4096"; do
    expect "the program of the area ${row%% *}" area_program "${row%% *}" "${row#* }"
done
for file in examples/*.c; do
    if grep -q 'CL/cl.h' "$file" && ! echo '#include <CL/cl.h>' | cc -E - >/dev/null 2>&1; then
        skip "$file compiles as it says and runs" "no CL/cl.h"
        continue
    fi
    if grep -q lpng "$file" && ! echo '#include <png.h>' | cc -E - >/dev/null 2>&1; then
        skip "$file compiles as it says and runs" "no png.h"
        continue
    fi
    expect "$file compiles as it says and runs" example "$file"
done
expect "the compile lines of README.md" commands
for document in README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md FORMAT.md tests/TRUST.md \
    tests/data/README.md backends/README.md bench/README.md examples/README.md \
    src/kernels/README.md bench/results/*.md; do
    case $document in
    */*) ;;
    *)
        [ -f "$document" ] || { expect "$document exists" false; continue; }
        blocks "$document"
        for file in "$tmp/$document.d"/block_*.c; do
            [ ! -f "$file" ] || expect "$document: $(basename "$file" .c)" block "$document" "$file"
        done ;;
    esac
    expect "$document: links lead to files" links "$document"
done
finish test_docs
