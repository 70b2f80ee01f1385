# SPDX-License-Identifier: MIT
# analyse.sh: clang-tidy and gcc -fanalyzer over common/ and tools/ (`make analyse`; minutes;
# cppcheck is part of `make lint`).  Every finding must be in tests/support/analyse.known, which
# says why it is a false alarm: file, check, number, reason.  A finding too many or too few is
# an error, so the list stays current.

set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-analyse.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
flags='-std=c11 -D_GNU_SOURCE -Icommon'
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
tab=$(printf '\t')

# each COMMAND: for every source, FILE in the command, with its vector flags ISA
each() {
    for file in common/*/*.c tools/*.c; do
        isa=
        case $file in
        *_avx2.c) isa='-mavx2 -mfma' ;;
        *_avx512.c) isa='-mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma' ;;
        esac
        echo "$1 >$work/${file##*/}.out 2>&1" | sed "s|FILE|$file|; s|ISA|$isa|"
    done | tr '\n' '\0' | xargs -0 -n 1 -P "$jobs" sh -c
    cat "$work"/*.out
    rm "$work"/*.out
}

# program NAME FUNCTION: its findings, "file<TAB>check" each, if it is installed
program() {
    if command -v "$1" >/dev/null; then
        $2 >>"$work/all" && echo "$1" >>"$work/ran"
    else
        echo "analyse: $1: SKIPPED, not installed"
    fi
}

# The place and the name in brackets, which gcc and clang-tidy write alike; a finding in a
# header is reported once for each file that includes it.
findings() {
    tee -a "$work/text" |
        sed -nE "s#^(.*/)?((common|tools)/[a-z0-9_./-]+):([0-9]+):[0-9]+: [a-z]+: .*\[([A-Za-z0-9_.-]+)[,a-z0-9.-]*\]\$#\2:\4$tab\5#p" |
        sort -u | sed "s/:[0-9]*$tab/$tab/"
}

tidy() {
    each "clang-tidy --quiet FILE -- $flags ISA" | findings
}

gnu() {
    each "gcc $flags ISA -O2 -fanalyzer -c -o /dev/null FILE" | findings
}

program clang-tidy tidy
program gcc gnu

sort "$work/all" | uniq -c | sed "s/^ *\([0-9]*\) \(.*\)/\2$tab\1/" >"$work/found"
grep -v '^#' tests/support/analyse.known | cut -f 1-3 | sort >"$work/known"
# Known findings of a program that is not installed are ignored.
awk -F '\t' -v OFS='\t' '
    FILENAME ~ /ran$/ { ran[$1] = 1; next }
    ran[$2 ~ /^-Wanalyzer/ ? "gcc" : "clang-tidy"]' "$work/ran" "$work/known" >"$work/expected"
sort -o "$work/found" "$work/found"
if diff "$work/expected" "$work/found" >"$work/diff"; then
    echo "analyse: $(grep -c . "$work/found") kinds of findings, all explained in tests/support/analyse.known"
else
    cat "$work/text"
    echo 'analyse: FAILED; < known but not found, > found but not known:'
    grep '^[<>]' "$work/diff"
    exit 1
fi
