# SPDX-License-Identifier: MIT
# run.sh DIR SECONDS: runs each fuzz target in DIR for that long, beginning with the inputs in
# tests/fuzz/corpus and the golden models.  Findings are in DIR/NAME.found: fix them, then add
# the (minimized) input to the corpus.  Fails if there is a finding.

set -u
dir=$1
seconds=$2
top=$(dirname "$0")
status=0

for target in "$top"/*.c; do
    name=$(basename "$target" .c)
    [ "$name" != replay ] || continue
    mkdir -p "$dir/$name.corpus" "$dir/$name.found"
    seeds=$top/../golden
    [ ! -d "$top/corpus/$name" ] || seeds="$seeds $top/corpus/$name"
    # shellcheck disable=SC2086 # one or two directories
    "$dir/$name" -max_total_time="$seconds" -max_len=6000 -timeout=10 -rss_limit_mb=1024 \
        -malloc_limit_mb=256 -print_final_stats=1 -artifact_prefix="$dir/$name.found/" \
        "$dir/$name.corpus" $seeds >"$dir/$name.log" 2>&1 || status=1
    awk -v name="$name" '
        /^stat::number_of_executed_units/ { runs = $2 }
        /^stat::peak_rss_mb/ { mb = $2 }
        / cov: / { cov = $0; sub(/.* cov: /, "", cov); sub(/ .*/, "", cov) }
        END { printf "%-12s %10d runs %6d edges %5d MB", name, runs, cov, mb }' "$dir/$name.log"
    found=$(find "$dir/$name.found" -type f | wc -l)
    printf ' %3d found\n' "$found"
    [ "$found" -eq 0 ] || status=1
done
exit $status
