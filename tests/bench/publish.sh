# SPDX-License-Identifier: MIT
# publish.sh: copies the tables and figures of a run to tests/bench/results, where they are committed.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
results=${RESULTS:-$here/results}
mkdir -p "$results" || exit 1
# Every run starts by writing machine.txt: an older table is from another run.
cp "$out/machine.txt" "$results/machine.txt" || exit 1
for file in bench.tsv bench.svg memory.tsv instructions.tsv growth.tsv growth.svg \
    experiment.tsv quality.tsv quality-course.tsv quality.svg; do
    if [ -e "$out/$file" ] && [ -z "$(find "$out/machine.txt" -newer "$out/$file")" ]; then
        cp "$out/$file" "$results/$file" || exit 1
    else
        say "this run has not made $file: the published one stays"
    fi
done

# markdown NAME: the table NAME.tsv
markdown() {
    [ -e "$results/$1.tsv" ] || return 0
    awk -F '\t' '
        { gsub(/\|/, "\\|"); line = "| " $1; for (i = 2; i <= NF; i++) line = line " | " $i; print line " |" }
        NR == 1 { line = "|"; for (i = 1; i <= NF; i++) line = line "---|"; print line }' "$results/$1.tsv"
}

# figure NAME TEXT
figure() {
    [ ! -e "$results/$1.svg" ] || printf '\n![%s](%s.svg)\n' "$2" "$1"
}

page() {
    printf '# Results of one run\n\n'
    # shellcheck disable=SC2016 # the quotes of Markdown
    printf 'Made by `make bench-publish`; [explained here](../README.md).\n\n```\n'
    cat "$results/machine.txt"
    printf '```\n\n## Rows\n\n'
    markdown bench
    figure bench 'measured and required ratios'
    printf '\n## The complete experiment\n\n'
    markdown experiment
    printf '\n## Time to a cross-entropy\n\n'
    markdown quality
    figure quality 'cross-entropy by training time'
    printf '\n## Memory\n\n'
    markdown memory
    printf '\n## Instructions\n\n'
    markdown instructions
    printf '\n## Growth\n\nThe table is [growth.tsv](growth.tsv).\n'
    figure growth 'time, memory and sampling rate by size'
}

page >"$results/README.md" && say "published in $results"
