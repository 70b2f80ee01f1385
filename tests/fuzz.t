# SPDX-License-Identifier: MIT
# fuzz.t: the fuzz targets, with the inputs that are kept: seeds, and what once
# broke something.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

inputs=0
for source in "$top"/tests/fuzz/*.c; do
    name=$(basename "$source" .c)
    [ "$name" != replay ] || continue
    count=$(find "$top/tests/fuzz/corpus/$name" -type f | wc -l)
    inputs=$((inputs + count))
    run "${BUILD:-$top/build/release}/tests/fuzz/$name" "$top/tests/fuzz/corpus/$name"/*
    is "$status$(cat err)" 0 "$name: $count inputs"
done
printf '# inputs replayed: %d\n' "$inputs"
done_testing
