# SPDX-License-Identifier: MIT
# page.sh SET DIR FIGURE..: the summary page of a set of runs, on stdout, from the tables in DIR.
# It says what was measured and how; what came out is for the tables to say.

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

# caption FIGURE: what it shows, by its name, and the figure of the paper that it corresponds to
caption() {
    case $1 in
    curve-*)
        echo "$1" | awk -F - '{
            panel["m0111111"] = "(a)"
            panel["m1011111"] = "(b)"
            panel["m1001111"] = "(c)"
            panel["mam1001111"] = "(d)"
            which = $3 == "10001011111000" ? panel[$2 $4] : ""
            print (which == "" ? "" : "As figure 2 " which " of the paper: ") ($2 == "m" ? "pure" : "mixture") \
                ", motif " $3 ", ft " $4 ": cross-entropy, l1 distance of moments, motif frequency"
        }'
        ;;
    rareness) echo 'As in the supplement, by rareness of the motif: pure, ft 1001111' ;;
    cyclic) echo 'As in the supplement, cyclic against two-stage training' ;;
    esac
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
if grep -q '| the paper |$' "$dir/illustration.md"; then
    cat <<'END'

The paper's runs had d0 reversed (0 if the string begins with 1), so its moments .47, .53 and .43 and its
weight of d0 are of another feature than ours. What its table calls the moments of pi are those of the
distilled set, D'.
END
fi
section 't:stats: cross-entropies and frequencies'
cat "$dir/stats.md"
cat <<'END'

Mean±deviation over runs of the ratios of cross-entropies, [least, greatest] of those of frequencies; a single
run has neither. The paper's are over 15 settings (five motifs, three ft) and over five for the mixture. Ours
are over the runs in [results.tsv](results.tsv): in `quick` over three ft of one motif, which share an r, so
that its deviation says little of other motifs. `inf`: no string of some r had the motif.
END
section 't:reg_time: rejection against importance sampling in Training-1'
cat "$dir/reg_time.md"
cat <<'END'

One motif, ft 1011111 (m) and 1001111 (mam), means over seeds. Our time is the CPU of fitting lambda alone, one
thread, with r already trained; the paper gives the time of Training-1 on its machines.
END
section 't:cycle_two: two-stage against cyclic'
cat "$dir/cycle_two.md"
cat <<'END'

One motif, ft 1001111, pure, means over seeds. Our time is the CPU of the whole run: r, lambda, distilling, pi.
END
if [ -s "$dir/rounds.md" ]; then
    section 'Acceptance rate by round of the cyclic runs'
    cat "$dir/rounds.md"
    cat <<'END'

The share of the strings of r that are accepted as strings of P, in the first round (r as trained on D), in the
best and in the last; after that the rest is drawn from the best P. A round has 550 strings, so that a rate has an
error of its own.
END
fi
section 'The footnote: strings of varying length, features length and length2'
cat "$dir/lengths.md"
cat <<'END'

lambda is fitted so that P has mean and variance of D; pi learns from strings of P. The paper's loss is averaged
over each string's own characters first, so that short strings count for more: its optimum is not the process.
END
section 'Figures'
for figure in "$@"; do
    text=$(caption "$figure")
    printf '![%s](%s.svg)\n\n*%s.*\n\n' "$text" "$figure" "$text"
done
echo 'Full lines: our default recipe; dotted: the paper'\''s recipe (in the figure of cyclic training: cyclic);'
echo 'crosses: read off the figure of the paper. The l1 distance is of the moments of a sample to those of D.'
