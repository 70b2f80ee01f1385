# SPDX-License-Identifier: MIT
# page.sh SET DIR FIGURE..: the summary page of a set of runs, on stdout, from the tables in DIR.

set -eu
set_name=$1
dir=$2
shift 2
runs=$(awk 'END { print NR - 1 }' "$dir/results.tsv")
# An r is counted once, however many runs share it.
hours=$(awk -F '\t' '
    NR == 1 {
        for (i = 1; i <= NF; i++)
            at[$i] = i
        next
    }
    !seen[$1, $2, $3, $4, $5]++ { sum += $at["seconds_r"] }
    { sum += $at["seconds_fit"] + $at["seconds_distil"] + $at["seconds_pi"] }
    END { printf "%.1f", sum / 3600 }' "$dir/results.tsv")

section() {
    printf '\n## %s\n\n' "$1"
}

cat <<END
# The experiments of the paper: $set_name

Made by \`make $set_name\` in \`examples/paper\`: $runs runs, one a row in [results.tsv](results.tsv), with
$hours hours of CPU in training and sampling. Cross-entropies are nats a character on strings that no
model has seen; H is the entropy of the process, exactly. *m*: every string has the motif; *mam*: nine in
ten have it. The paper's figures stand beside ours, by its recipe (a network of 2 x 200, large batches, a
patience that is never reset) and by our default (1 x 64, small batches); a dash is what was not run.
END
section 'Illustration'
cat "$dir/illustration.md"
section 't:stats: cross-entropies and frequencies'
cat "$dir/stats.md"
section 't:reg_time: rejection against importance sampling in Training-1'
cat "$dir/reg_time.md"
section 't:cycle_two: two-stage against cyclic'
cat "$dir/cycle_two.md"
section 'The footnote: strings of varying length, features length and length2'
cat "$dir/lengths.md"
cat <<'END'

The features bring mean and variance of P to those of D. The paper's loss is averaged over each string's
characters first, which makes short strings count for more: its r and pi are too short, whatever they learn from.
END
section 'Figures'
for figure in "$@"; do
    printf '![%s](%s.svg)\n' "$figure" "$figure"
done
