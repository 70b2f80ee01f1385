# SPDX-License-Identifier: MIT
# lib.sh: the beginning of every script of the benchmarks.
#
#   BUILD    directory of the tools [build/release]
#   OUT      directory for tables and figures [build/bench]
#   PYTHON   an interpreter with PyTorch [the first one found]
#   MOTIF    the motif of the strings [10001011111000]
#   SHRINK   divides the sizes of jobs, to test a script [1]

set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${BUILD:-$top/build/release}
out=${OUT:-$top/build/bench}
shrink=${SHRINK:-1}
motif=${MOTIF:-10001011111000}
PATH=$build/bin:$build/tests/bench:$PATH
export PATH
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
if ! { command -v pfsa-gen && command -v cost; } >/dev/null; then
    echo "bench: no tools in '$build': run 'make bench' or 'make everything'" >&2
    exit 1
fi

say() {
    echo "bench: $*" >&2
}

now() {
    date +%s%N
}

# scratch: changes to an empty directory that is removed at the end
scratch() {
    work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-bench.XXXXXX") || exit 1
    trap 'cd /; rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    cd "$work" || exit 1
}

# columns NAME...: a line of a table
columns() {
    first=$1
    shift
    printf '%s' "$first"
    [ $# -eq 0 ] || printf '\t%s' "$@"
    printf '\n'
}

# value NAME FILE: from a report of name<TAB>value lines
value() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

# calc EXPRESSION: its value, by awk
calc() {
    awk "BEGIN { print $1 }"
}

# torch: sets `python` to an interpreter with PyTorch, and `torch_version`, or fails
torch() {
    for python in ${PYTHON:-python3 /usr/bin/python3}; do
        torch_version=$($python -c 'import torch; print(torch.__version__)' 2>/dev/null) && return 0
    done
    return 1
}

# plot NAME [TABLE]: NAME.svg from TABLE.tsv [NAME], if gnuplot is installed; it ends lines with
# blanks
plot() {
    if ! command -v gnuplot >/dev/null; then
        say "SKIPPED the figure $1.svg: no gnuplot ('make bench-deps' installs it)"
        return 0
    fi
    gnuplot -e "table = '$out/${2-$1}.tsv'" "$here/$1.gp" >"$out/$1.svg.tmp" &&
        sed 's/ *$//' "$out/$1.svg.tmp" >"$out/$1.svg" && rm "$out/$1.svg.tmp"
}
