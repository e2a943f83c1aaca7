#!/bin/sh
# coverage.sh [FOLDER]: which lines and branch sides of the codec and of the other readers the tests
# reach. Builds programs with clang's instrumentation, runs them, merges, and prints a table; FOLDER
# (else a scratch one) keeps programs, profiles and `missed`, the lines and branch sides that
# nothing reached. What is there already is not made again: remove it to have it anew.
#
#     sh tests/coverage.sh /tmp/coverage      a quarter of an hour, most of which compiles
#     LESS=1                                  a tenth of the cases that are drawn
#     LLVM=19                                 the version of clang, llvm-profdata and llvm-cov
#                                             (Debian: clang-19, libclang-rt-19-dev, llvm-19)
#
# Every program is compiled as "<stdin>", so that a static function is the same one in all of them
# and its counts add up. A branch side is one outcome of one condition:
# `2F` in `missed` is the second condition of that line, which was never false.
cd "$(dirname "$0")/.." || exit 1
LLVM=${LLVM--19}
LLVM=${LLVM:+-${LLVM#-}}
for tool in clang llvm-profdata llvm-cov; do
    command -v "$tool$LLVM" >/dev/null || { echo "SKIP: no $tool$LLVM"; exit 77; }
done
out=$1
[ -n "$out" ] || { out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT; }
mkdir -p "$out" || exit 1

tenth() { if [ -n "$LESS" ]; then echo $(($1 / 10)); else echo "$1"; fi; }

# profile, source, flags of the compiler, arguments
programs() {
    cat <<END
many|tests/codec/test_pack_many.c||--count $(tenth 15000)
every|tests/codec/test_pack_many.c||--every --seed 2 --count $(tenth 1000)
read|tests/fuzz/fuzz_read.c|-DFUZZ_MANY|--count $(tenth 300000)
END
    for test in roundtrip corrupt bound layers golden stream proof words; do
        echo "codec_$test|tests/codec/test_codec_$test.c||--tiny"
    done
    echo "simd_codec|tests/simd/test_simd_codec.c||--tiny"
    for test in codec/test_limits context/test_context num/test_num_convert sparse/test_sparse \
        num/test_tree; do
        echo "${test#*/test_}|tests/$test.c||--tiny"
    done
    for target in cut decode info simd num_parse num_read sparse tree; do
        echo "fuzz_$target|tests/fuzz/fuzz_$target.c|-DPADIC_FUZZ_REPLAY|REPLAY"
    done
}

program_of() { basename "$1" .c; }

rm -f "$out/failed"
programs | while IFS='|' read -r name source flags args; do
    program=$out/$(program_of "$source")
    if [ ! -x "$program" ]; then
        # shellcheck disable=SC2086
        echo "#include \"$PWD/$source\"" | "clang$LLVM" -x c -std=c99 -O1 -w -I. $flags \
            -DPADIC_NO_WAVE -DPADIC_NO_TENSOR -DPADIC_NO_FFT \
            -fprofile-instr-generate -fcoverage-mapping - \
            -o "$program" -lm -lpthread || {
            rm -f "$program"
            echo "FAILED: $source"
            touch "$out/failed"
            continue
        }
    fi
    [ ! -f "$out/$name.profraw" ] || continue
    begin=$(date +%s)
    if [ "$args" = REPLAY ]; then
        LLVM_PROFILE_FILE="$out/$name.part" sh tests/fuzz/corpus.sh "$(program_of "$source")" \
            "$program" >"$out/$name.log" 2>&1
    else
        # shellcheck disable=SC2086
        LLVM_PROFILE_FILE="$out/$name.part" "$program" $args >"$out/$name.log" 2>&1
    fi || { echo "FAILED: $name, see $out/$name.log"; touch "$out/failed"; }
    [ ! -f "$out/$name.part" ] || mv "$out/$name.part" "$out/$name.profraw"
    echo "$name: $(($(date +%s) - begin)) s: $(tail -n 1 "$out/$name.log" | cut -c1-60)"
done

"llvm-profdata$LLVM" merge -sparse "$out"/*.profraw -o "$out/all.profdata" || exit 1
set --
for program in $(programs | cut -d'|' -f2 | sort -u); do
    program=$out/$(program_of "$program")
    [ ! -x "$program" ] || set -- "$@" ${1:+-object} "$program"
done
library="padic.h backends/padic_simd.h"
# shellcheck disable=SC2086
"llvm-cov$LLVM" export -format=lcov -instr-profile="$out/all.profdata" "$@" -sources $library \
    >"$out/lcov" 2>"$out/llvm-cov.log" || { cat "$out/llvm-cov.log"; exit 1; }
# shellcheck disable=SC2086
"llvm-cov$LLVM" report -show-functions -instr-profile="$out/all.profdata" "$@" -sources $library \
    >"$out/functions" 2>>"$out/llvm-cov.log" || exit 1

# Which part a function belongs to: by its room, and by its name where a room has both directions.
cat >"$out/parts.awk" <<'AWK'
function part_of(room, name) {
    sub(/.*:/, "", name)
    sub(/\.[ch]$/, "", room)
    if (room == "num/bytes") return name ~ /write|hash/ ? "" : "numbers: read"
    if (room == "num/text") return name ~ /scan|parse/ ? "numbers: parse" : ""
    if (room == "num/tree_bytes") return name ~ /write|hash/ ? "" : "tree: validate, read"
    if (room ~ /^sparse\//)
        return name ~ /sparse_(info|read|validate|check|move$)/ ? "sparse: read, validate" : ""
    if (room ~ /^simd\/codec\//)
        return room ~ /neon/ ? "" : room ~ /avx512|vbmi/ ? "vectors: AVX-512" : \
            room ~ /avx2/ ? "vectors: AVX2" : "vectors: all CPUs"
    if (!sub(/^codec\//, "", room)) return ""
    if (room ~ /^(choose_|find_|pack|block_encode)/) return "codec: encoder"
    if (room ~ /^(unpack|block_decode|forms)/) return "codec: readers"
    if (room ~ /^(bytes|grid|work)$/) return "codec: both"
    if (room == "repeats") return name ~ /put|find|split/ ? "codec: encoder" : "codec: readers"
    if (room ~ /^(differences|interpolation|neighbours|prediction)$/)
        return name ~ /difference|least|count_runs|residual/ ? "codec: encoder" : "codec: readers"
    if (room == "header") return name ~ /put/ ? "codec: encoder" : "codec: readers"
    if (room !~ /^(huffman|rans|streams|contexts|bytes_repeats|digits)$/) return ""
    if (name ~ /take|expand|_begin_|_next_|huffman_(fast|codes|lanes)|rans_rounds|_slots/)
        return "codec: readers"
    if (name ~ /classes_(loop|table)|packed_bytes|fixed_loop|context_(step|none|byte|map)/)
        return name ~ /put/ ? "codec: encoder" : "codec: readers"
    return "codec: encoder"
}
function add(kind, side, hit) {
    all[side, kind]++
    if (hit) got[side, kind]++
}
FILENAME == report { # the rows of functions: regions
    if (NF >= 10 && $2 ~ /^[0-9]+$/ && $4 ~ /%$/) {
        name = $1; sub(/.*:/, "", name)
        regions[name] = $2
        if (!(name in missed) || $3 + 0 < missed[name]) missed[name] = $3 + 0
    }
    next
}
FILENAME != lcov { # a header: text and, from the banners, room and its line by line
    if (/^\/\/ room: src\//) {
        room = substr($0, 14); at = 0
        if (match(room, /:[0-9]+$/)) { at = substr(room, RSTART + 1) - 1
                                       room = substr(room, 1, RSTART - 1) }
    } else at++
    where[FILENAME, FNR] = room
    place[FILENAME, FNR] = at
    text[FILENAME, FNR] = $0
    next
}
/^SF:/ { file = substr($0, 4); sub(root "/", "", file); highest = 0
         split("", da); split("", br); split("", names) }
/^FN:/ { line = substr($0, 4) + 0; name = $0; sub(/^FN:[0-9]*,/, "", name); names[line] = name }
/^DA:/ { split(substr($0, 4), f, ","); da[f[1] + 0] = f[2]; if (f[1] + 0 > highest) highest = f[1] }
/^BRDA:/ { split(substr($0, 6), f, ","); br[f[1] + 0] = br[f[1] + 0] " " (f[4] == "-" ? 0 : f[4]) }
/^end_of_record/ {
    name = ""
    for (line = 1; line <= highest; line++) {
        if (line in names) {
            name = names[line]
            part = part_of(where[file, line], name)
            bare = name; sub(/.*:/, "", bare)
            if (part != "" && !((file, bare) in done)) {
                done[file, bare] = 1
                all[part, "regions"] += regions[bare]
                got[part, "regions"] += regions[bare] - missed[bare]
                if (!(part in known)) { known[part] = 1; order[++parts] = part }
            }
        }
        if (name == "" || part == "") continue
        miss = ""
        if (line in da) { add("lines", part, da[line] > 0); if (da[line] == 0) miss = "line" }
        if (line in br) {
            n = split(br[line], f, " ")
            for (i = 1; i <= n; i++) {
                add("branches", part, f[i] > 0)
                if (f[i] == 0 && miss != "line")
                    miss = miss " " int((i + 1) / 2) (i % 2 ? "T" : "F")
            }
        }
        if (miss != "") printf "%s|src/%s|%s|%d|%s|%s\n", part, where[file, line], bare, \
            place[file, line], miss, text[file, line] >list
    }
}
END {
    printf "| part | lines | missed | regions | missed | branch sides | missed |\n"
    printf "|---|---|---|---|---|---|---|\n"
    for (i = 1; i <= parts; i++) {
        p = order[i]
        printf "| %s", p
        split("lines regions branches", kinds, " ")
        for (k = 1; k <= 3; k++)
            printf " | %.2f %% of %d | %d", all[p, kinds[k]] ? 100 * got[p, kinds[k]] / \
                all[p, kinds[k]] : 0, all[p, kinds[k]], all[p, kinds[k]] - got[p, kinds[k]]
        print " |"
    }
}
AWK
rm -f "$out/missed"
# shellcheck disable=SC2086
awk -v root="$PWD" -v lcov="$out/lcov" -v report="$out/functions" -v list="$out/missed" \
    -f "$out/parts.awk" "$out/functions" $library "$out/lcov" || exit 1
[ ! -f "$out/failed" ]
