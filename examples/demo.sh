# SPDX-License-Identifier: MIT
# demo.sh: shows in a minute what gamut is for: from 62 strings to a model close to the source.
# The source draws 30 fair bits that contain the motif 10001011111000.
# Run it with `make demo`, or `SIZE=500 make demo` for more strings.

set -eu
LC_ALL=C
export LC_ALL
: "${MOTIF:=10001011111000}" "${LENGTH:=30}" "${SIZE:=50}" "${DISTIL:=20000}" "${SAMPLE:=20000}" "${TRAIN:=}"
: "${FIT:=}"
examples=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
features="-m $MOTIF --ft 1001111 --feature length:$LENGTH"

title() {
    printf '\n== %s\n' "$*"
}

# show COMMAND: prints it, then runs it
show() {
    printf '$ %s\n' "$*"
    eval "$*"
}

# value NAME FILE: from a report of name<TAB>value lines
value() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

# rounded FILE: prints such a report in columns, with few digits
rounded() {
    awk -F '\t' 'NF == 2 { printf "%-18s %s\n", $1, $2 ~ /^[0-9]+$/ ? $2 : sprintf("%.5g", $2) }' "$1"
}

title "Data: $SIZE training strings D from a known source, a quarter as many for validation V, 5000 for testing T"
show "pfsa-gen --build -l $LENGTH -m $MOTIF -o truth.pfsa"
show "pfsa-gen -n $SIZE truth.pfsa -o D"
show "pfsa-gen -s 2 -n $((SIZE / 4)) truth.pfsa -o V"
show "pfsa-gen -s 3 -n 5000 truth.pfsa -o T"
show 'head -n 3 D'

title 'The source, exactly: its entropy is a lower bound on the expected cross-entropy of any model'
show "pfsa-entropy -l $LENGTH $features -o truth.moments"
rounded truth.moments

title 'r: an LSTM trained on these strings alone'
show "lstm-train ${TRAIN:+$TRAIN }--valid V D -o r.lstm"

title "P: r, smoothed with n-grams, corrected by features: the motif, four distractors, the length"
show "gam-fit -q ${FIT:+$FIT }--base r.lstm --valid V $features --report g.report D -o g.gam"
echo 'A feature is 0 if a string has the property and 1 if not, so its mean is the share that lacks it.'
echo 'Share of the strings that have the property, in D, in r and in P; means of the feature; its weight:'
awk -F '\t' '
    $1 == "feature" {
        for (i = 1; i <= NF; i++)
            at[$i] = i
        printf "%-12s%9s%9s%9s  %9s%9s%9s%9s\n", "feature", "D has", "r has", "P has", "mean D", "mean r", "mean P", "weight"
    }
    NF > 2 && $1 != "feature" {
        printf "%-12s%8.1f%%%8.1f%%%8.1f%%  %9.4f%9.4f%9.4f%9.3f\n", $1, 100 * $at["target_freq"], 100 * $at["base_freq"],
            100 * $at["model_freq"], $at["target"], $at["base"], $at["model"], $at["lambda"]
    }' g.report

title "pi: an LSTM that starts from r and is trained on $DISTIL samples of P"
show "gam-sample -n $DISTIL --stats S.stats g.gam -o S"
printf '%s proposals of r gave %s samples of P, with %s next-symbol predictions of the LSTM\n' \
    "$(value proposals S.stats)" "$(value accepted S.stats)" "$(value model_steps S.stats)"
show 'lstm-train --recipe distil --init r.lstm S -o pi.lstm'

title 'Evaluation: cross-entropy on the test set, and the motif in samples'
show 'lm-eval --truth truth.pfsa r.lstm T -o r.eval'
show "lm-eval --max-length $LENGTH r.lstm T -o rL.eval"
show 'lm-eval --truth truth.pfsa g.gam T -o P.eval'
show 'lm-eval --truth truth.pfsa pi.lstm T -o pi.eval'
show "gam-sample -n $SAMPLE r.lstm -o r.sample"
show "gam-sample -n $SAMPLE pi.lstm -o pi.sample"
for set in r.sample pi.sample S; do
    # shellcheck disable=SC2086 # options
    motif-freq $features --feature length --max-length 100 $set -o "${set%.sample}.moments"
done
awk -v run="default-m-$MOTIF-$SIZE-1-1001111L-rs-two" -v string_true="$(head -n 1 T)" \
    -v string_r="$(head -n 1 r.sample)" -v string_pi="$(head -n 1 pi.sample)" -f "$examples/row.awk" \
    truth.moments r.eval rL.eval P.eval pi.eval r.moments S.moments pi.moments g.report S.stats >row.tsv

title 'Which differences are significant'
show 'lm-compare r.lstm g.gam pi.lstm T'

title 'One string of each model, and all results: [the motif], or (its longest part)'
awk -f "$examples/illustration.awk" -v motif="$MOTIF" row.tsv

title 'Cross-entropy in nats per character (bars start at the entropy), and share of strings with the motif'
echo "iid: a model of $LENGTH fair bits, which knows the length and nothing else"
{
    printf 'iid\t%s\t%s\n' "$(awk -v n="$LENGTH" 'BEGIN { print n * log(2) / (n + 1) }')" \
        "$(value partition truth.moments)"
    awk -F '\t' -v OFS='\t' '
        NR == 1 {
            for (i = 1; i <= NF; i++)
                at[$i] = i
        }
        NR == 2 {
            print "r", $at["ce_r"], $at["freq_r"]
            print "P", $at["ce_P"], $at["freq_distilled"]
            print "pi", $at["ce_pi"], $at["freq_pi"]
            print "source", $at["H"], 1
        }' row.tsv
} >picture
awk -F '\t' -v floor="$(value entropy_per_char truth.moments)" '
    # bar(X, WIDTH): a bar of length X, where 1 is the full width; > marks a longer one
    function bar(x, width,    i, text) {
        for (i = 1; i <= width; i++)
            text = text (i > width * x + 0.5 ? " " : x > 1.02 && i == width ? ">" : "#")
        return text
    }
    NR == 1 { top = $2 }
    {
        printf "%-6s %.4f |%s|  %.3f |%s|\n", $1, $2,
            bar(($2 - floor) / (top - floor), 32), $3, bar($3, 20)
    }' picture

title 'In words'
awk -F '\t' -v n=$((SIZE + SIZE / 4)) -v distil="$DISTIL" '
    { loss[$1] = $2; freq[$1] = 100 * $3 }
    # above(MODEL): its cross-entropy relative to the entropy
    function above(model,    x) {
        x = 100 * (loss[model] / loss["source"] - 1)
        return sprintf("%.1f%% %s the entropy", x < 0 ? -x : x, x < 0 ? "below" : "above")
    }
    END {
        printf "From %d strings, the LSTM r reaches a cross-entropy %s; %.1f%% of its samples\n",
            n, above("r"), freq["r"]
        printf "contain the motif. With the features, P is %s. The LSTM pi, trained on\n", above("P")
        printf "%d samples of P, is %s, and %.1f%% of its samples contain the motif.\n",
            distil, above("pi"), freq["pi"]
    }' picture
echo
echo 'Next: examples/README.md has the same steps as short scripts, and the experiments of the paper.'
echo 'gamut-pipelines(7) explains each step: man man/gamut-pipelines.7'
