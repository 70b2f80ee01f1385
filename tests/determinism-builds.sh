# SPDX-License-Identifier: MIT
# determinism-builds.sh: builds the tools with each compiler that is there, with
# and without optimisation, and compares the checksums of what they give.

set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-builds.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
status=0
first=

for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for level in -O0 -O2; do
        name=$compiler$level
        "${MAKE:-make}" -s VARIANT="$name" CC=$compiler CFLAGS=$level all || exit 1
        mkdir "$work/$name.dir"
        (
            PATH=$top/build/$name/bin:$PATH
            cd "$work/$name.dir" && sh "$top/tests/determinism.sh" 2
        ) >"$work/$name"
        first=${first:-$name}
        if diff "$work/$first" "$work/$name"; then
            echo "$name: $(grep -c . "$work/$name") results, the same as $first"
        else
            status=1
        fi
    done
done
exit $status
