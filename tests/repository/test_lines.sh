#!/bin/sh
# test_lines.sh: the repository itself: columns, characters, lists that must be complete.
cd "$(dirname "$0")/../.." || exit 1
. tests/support/sh_test.sh

sources() {
    find padic*.h src backends tools examples tests bench .ci \( -name '*.h' -o -name '*.c' \
        -o -name '*.sh' -o -name '*.cl' -o -name '*.py' -o -path .ci/run \) -type f |
        grep -v src/made | sort
}
columns() { # in characters: comments may hold a letter that takes two bytes
    sources | xargs awk '{ s = $0; gsub(/[\200-\277]/, "", s) }
        length(s) > 100 && !/^ *"/ { print FILENAME ":" FNR ": " length(s) " columns"; bad = 1 }
        END { exit bad }'
}
blanks() {
    tab=$(printf '\t')
    cr=$(printf '\r')
    ! sources | xargs grep -n -e "$tab" -e "$cr" -e ' $' /dev/null
}
ascii() { # MSVC reads a header in the user's code page
    ! LC_ALL=C grep -n '[^ -~]' padic*.h backends/*.h
}
last_lines() {
    for file in $(sources); do
        [ -z "$(tail -c 1 "$file")" ] || { echo "$file does not end with a newline"; return 1; }
    done
}
scripts_parse() {
    for file in tests/*.sh tests/*/*.sh examples/*.sh bench/*.sh; do
        [ ! -f "$file" ] || sh -n "$file" || return
    done
}
insiders_known() { # which tests look inside the library: the patterns of whole() in common.sh
    patterns=$(sed -n '/^whole()/,/^}/p' tests/stages/common.sh | tr ' ' '\n' |
        sed -n '/^-e$/{n;p;}')
    [ -n "$patterns" ] || return 1
    for pattern in $patterns; do
        grep -q "contains('$pattern')" meson.build || { echo "not $pattern"; return 1; }
    done
}
units_listed() { # meson.build names every test program, so nothing is written and never run
    for file in tests/*/test_*.c tests/fuzz/fuzz_*.c; do
        [ -f "$file" ] || { echo "no $file"; return 1; }
        name=${file#tests/} name=${name%.c} name=${name#fuzz/}
        grep -q "'$name'" meson.build || { echo "$name is not in meson.build"; return 1; }
    done
}
headers_listed() {
    for file in padic*.h backends/*.h; do
        grep -q "'$file'" meson.build || { echo "$file is not in meson.build"; return 1; }
    done
}
versions() { # the header's version in the build file and the changelog
    version=$(sed -n 's/^#define PADIC_VERSION "\(.*\)"/\1/p' padic.h)
    numbers=$(sed -n 's/^#define PADIC_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\).*/\2/p' padic.h |
        tr '\n' . | sed 's/\.$//')
    echo "version $version, numbers $numbers"
    [ "$version" = "$numbers" ] && grep -q "version: '$version'" meson.build &&
        grep -q "^## $version" CHANGELOG.md && head -n 1 padic.h | grep -q "$version" &&
        [ "$(grep -l "^// .*Part of padic.h $version" padic_*.h)" = "$(ls padic_*.h)" ]
}
tags() { # header: each tag of its table of contents heads a section
    awk '/^\/\/ >>contents/ { on = 1; next } on && !/^\/\// { exit } on && /^\/\/ >>/ { exit }
        on { while (match($0, />>[a-z]+( (API|view|impl|table|backend|operations))?/)) {
            print substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH) } }' \
        "$1" >"$tmp/contents"
    sed -n 's/^\/\/ -*[- ]*\(>>[a-zA-Z ]*[a-zA-Z]\)$/\1/p' "$1" >"$tmp/sections"
    [ -s "$tmp/contents" ] || return
    for tag in $(tr ' ' _ <"$tmp/contents"); do
        tag=$(echo "$tag" | tr _ ' ')
        grep -qxF -e "$tag" "$tmp/sections" || { echo "no section $tag"; return 1; }
    done
}

for header in padic*.h; do
    expect "the table of contents of $header is true" tags $header
done
expect "no line has more than 100 columns" columns
expect "no tab, carriage return or space at a line's end" blanks
expect "headers are ASCII" ascii
expect "files end with a newline" last_lines
expect "scripts parse" scripts_parse
expect "meson.build lists every test and fuzz target" units_listed
expect "meson.build knows which tests look inside" insiders_known
expect "meson.build installs every header" headers_listed
expect "one version everywhere" versions
finish test_lines
