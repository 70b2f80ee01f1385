# SPDX-License-Identifier: MIT
# fuzz.t: the fuzz targets, with the inputs in the tree: seeds, inputs that once failed, and the
# golden models.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

ln -s "$top/tests" tests # names without blanks, wherever the tree is
inputs=0
for source in "$top"/tests/fuzz/*.c; do
    name=$(basename "$source" .c)
    [ "$name" != replay ] || continue
    find tests/golden "tests/fuzz/corpus/$name" -type f 2>/dev/null | sort >files
    inputs=$((inputs + $(wc -l <files)))
    # shellcheck disable=SC2046 # names without blanks
    run "${BUILD:-$top/build/release}/tests/fuzz/$name" $(cat files)
    is "$status$(cat err)" 0 "$name: $(wc -l <files) inputs"
done
printf '# inputs replayed: %d\n' "$inputs"
done_testing
