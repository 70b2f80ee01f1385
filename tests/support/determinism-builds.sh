# SPDX-License-Identifier: MIT
# determinism-builds.sh: builds the tools with each installed compiler, with and without
# optimization, runs them with 1, 2, 3 and 8 threads and every instruction set of the machine,
# and compares the checksums of their results with those of the first.  Takes about ten minutes.

set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-builds.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
printf '01\n' >"$work/D"
path=$PATH
status=0

# runs CPU: whether this machine has that instruction set
runs() {
    GAMUT_CPU=$1 lstm-train -q --steps 1 -o /dev/null "$work/D" 2>/dev/null
}

# compare CPU THREADS: one run of every tool in PATH with the first such run
compare() {
    rm -rf "$work/run"
    mkdir "$work/run"
    (cd "$work/run" && GAMUT_CPU=$1 sh "$top/tests/support/determinism.sh" "$2") >"$work/sums" || return 1
    [ -f "$work/first" ] || cp "$work/sums" "$work/first"
    diff "$work/first" "$work/sums"
}

# matrix NAME: all runs of a build
matrix() {
    for cpu in baseline avx2 avx512; do
        runs $cpu || continue
        for threads in 1 2 3 8; do
            compare $cpu $threads && continue
            echo "$1: $cpu with $threads threads gives something else"
            status=1
        done
        echo "$1: $cpu with 1, 2, 3 and 8 threads: $(grep -c . "$work/first") results compared"
    done
}

for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for level in -O0 -O2; do
        name=$compiler$level
        "${MAKE:-make}" -s VARIANT="$name" CC=$compiler CFLAGS=$level all || exit 1
        PATH=$top/build/$name/bin:$path
        matrix "$name"
    done
done
exit $status
