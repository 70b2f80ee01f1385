# SPDX-License-Identifier: MIT
# page.sh SET DIR DEFAULT PAPER FIGURE...: prints the summary page of a set of runs, from the tables
# in DIR.  The set has DEFAULT runs by the default recipe, PAPER by the paper's.  The text describes
# what was measured and how; the results are in the tables.

set -eu
set_name=$1
dir=$2
planned="$3 $4"
shift 4

# A row per recipe: runs and CPU time.  The time of an r that several runs share is counted once.
cost() {
    awk -F '\t' -v planned="$planned" '
    BEGIN {
        split(planned, of, " ")
        print "| recipe | runs | of | hours of CPU time | r | lambda | samples of P | pi |"
        print "|---|---|---|---|---|---|---|---|"
    }
    NR == 1 {
        for (i = 1; i <= NF; i++)
            at[$i] = i
        next
    }
    {
        runs[$1]++
        if (!seen[$1, $2, $3, $4, $5]++)
            r[$1] += $at["seconds_r"]
        fit[$1] += $at["seconds_fit"]
        distil[$1] += $at["seconds_distil"]
        pi[$1] += $at["seconds_pi"]
    }
    function row(recipe, name, number) {
        if (number || runs[recipe])
            printf "| %s | %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, runs[recipe], number,
                (r[recipe] + fit[recipe] + distil[recipe] + pi[recipe]) / 3600,
                r[recipe] / 3600, fit[recipe] / 3600, distil[recipe] / 3600, pi[recipe] / 3600
    }
    END {
        row("default", "default", of[1])
        row("paper", "the paper\047s", of[2])
    }' "$dir/results.tsv"
}

section() {
    printf '\n## %s\n\n' "$1"
}

# caption FIGURE: what it shows, from its name, and the corresponding figure of the paper
caption() {
    case $1 in
    curve-*)
        echo "$1" | awk -F - '{
            panel["m0111111"] = "(a)"
            panel["m1011111"] = "(b)"
            panel["m1001111"] = "(c)"
            panel["mam1001111"] = "(d)"
            which = $3 == "10001011111000" ? panel[$2 $4] : ""
            print (which == "" ? ($2 == "m" ? "All" : "90% of the") : \
                "As figure 2 " which " of the paper: " ($2 == "m" ? "all" : "90% of the")) \
                " strings contain " $3 ", ft " $4
        }'
        ;;
    rareness) echo 'As in the supplement: by rareness of the motif, ft 1001111' ;;
    cyclic) echo 'As in the supplement: two-stage and cyclic training' ;;
    esac
}

cat <<END
# The experiments of the paper: $set_name

Made by \`make $set_name\` in \`examples/paper\`; each run is a row of [results.tsv](results.tsv). Cross-entropies (CE) are
in nats per character on a test set. H is the exact entropy of the source. *m*: all strings contain the motif; *mam*: 90%
of them do. The tables show the figures of the paper, ours with its recipe (a network of 2 x 200, large batches, a patience
that is never reset), and ours with the default recipe (1 x 64, small batches). A dash means "not run".

## What was run, and what it cost

$(cost)

The CPU time is that of training and sampling, without evaluation; runs with the same data share r. The runs of a cyclic
training count the strings that it draws with lambda.
END
section 'Illustration'
cat "$dir/illustration.md"
if grep -q '| the paper |$' "$dir/illustration.md"; then
    cat <<'END'

In the runs of the paper, d0 was reversed (0 if the string begins with 1). Its moments .47, .53 and .43 and its weight of
d0 therefore belong to another feature than ours. What its table calls the moments of pi are those of the distilled set
D'.
END
fi
section 't:stats: cross-entropies and frequencies'
cat "$dir/stats.md"
cat <<'END'

Mean±standard deviation over runs for ratios of cross-entropies, and [smallest, largest] for ratios of frequencies; a
single run has neither. The values of the paper are over 15 settings (five motifs, three ft), and over five for the
mixture. Ours are over the runs in [results.tsv](results.tsv). In `quick` these are three ft of one motif with a common r,
so the deviation says little about other motifs. `inf`: no sample of some r contained the motif. CE(r) is that of r at
any length, as in the paper, while samples, and so pi, are limited to 30 symbols: part of CE(r)/CE(pi) is due to this
limit. The column `ce_rL` of [results.tsv](results.tsv), where it was run, has the CE of r given this limit.
END
section 't:reg_time: rejection sampling and importance sampling in Training-1'
cat "$dir/reg_time.md"
cat <<'END'

One motif, ft 1011111 (m) and 1001111 (mam), means over seeds. Our time is the CPU time of fitting lambda, with one thread,
after r is trained; the paper reports the time of Training-1 on its machines.
END
section 't:cycle_two: two-stage and cyclic training'
cat "$dir/cycle_two.md"
cat <<'END'

One motif, ft 1001111, all strings with the motif, means over seeds. Our time is the CPU time of the complete run: r,
lambda, distillation, pi.
END
if [ -s "$dir/rounds.md" ]; then
    section 'Acceptance rate by round of cyclic training'
    cat "$dir/rounds.md"
    cat <<'END'

The acceptance rate is the share of the proposals of r that are accepted as samples of P: in the first round (r trained on
D), in the best one, and in the last one. The remaining samples are drawn from the best P. A round has 550 strings, so
each rate has a statistical error.
END
fi
section 'Footnote: strings of varying length, features length and length2'
cat "$dir/lengths.md"
cat <<'END'

lambda is fitted so that P has the mean and the variance of the lengths in D; pi is trained on samples of P. The loss of
the paper is averaged over the characters of each string first, which gives short strings more weight: its optimum is not
the source.
END
section 'Figures'
for figure in "$@"; do
    text=$(caption "$figure")
    printf '![%s](%s.svg)\n\n*%s.*\n\n' "$text" "$figure" "$text"
done
cat <<'END'
Solid lines: default recipe; dotted lines: the paper's recipe (in the figure of cyclic training: cyclic); crosses: read off
the figure of the paper. The distance is the l1 distance between the moments of a sample and those of D.
END
