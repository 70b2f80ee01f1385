# SPDX-License-Identifier: MIT
# demo.sh: what the toolkit is for, in a minute: from 62 strings to a model that is
# nearly the truth.  The truth is 30 fair bits that contain 10001011111000, somewhere.
# `make demo` runs it; SIZE=500 make demo, with more strings.

set -eu
LC_ALL=C
export LC_ALL
: "${MOTIF:=10001011111000}" "${LENGTH:=30}" "${SIZE:=50}" "${DISTIL:=20000}" "${SAMPLE:=20000}" "${TRAIN:=}"
: "${FIT:=--accepted 5000}"
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

# rounded FILE: the same, in columns and with few digits
rounded() {
    awk -F '\t' 'NF == 2 { printf "%-18s %s\n", $1, $2 ~ /^[0-9]+$/ ? $2 : sprintf("%.5g", $2) }' "$1"
}

title "The truth, and $SIZE strings of it to learn from (and a quarter more to know when to stop)"
show "pfsa-gen --build -l $LENGTH -m $MOTIF -o truth.pfsa"
show "pfsa-gen -n $SIZE truth.pfsa -o D"
show "pfsa-gen -s 2 -n $((SIZE / 4)) truth.pfsa -o V"
show "pfsa-gen -s 3 -n 5000 truth.pfsa -o T"
show 'head -n 3 D'

title 'What there is to know about it, exactly: no model has a loss below its entropy'
show "pfsa-entropy -l $LENGTH $features -o truth.moments"
rounded truth.moments

title 'r: an LSTM of these strings alone'
show "lstm-train ${TRAIN:+$TRAIN }--valid V D -o r.lstm"

title "P: r corrected by what is known of whole strings: a motif, four distractors, a length"
show "gam-fit -q $FIT --base r.lstm $features --report g.report D -o g.gam"
awk -F '\t' 'NF == 8 {
    printf "%-12s", $1
    for (i = 2; i <= 5; i++)
        printf $1 == "feature" ? "%10s" : "%10.4f", $i
    print ""
}' g.report

title "pi: an LSTM of $DISTIL strings of P"
show "gam-sample -n $((DISTIL + DISTIL / 10)) --stats S.stats g.gam -o S"
printf 'of %s strings of r that were begun, %s were accepted: in %s steps of the LSTM\n' \
    "$(value proposals S.stats)" "$(value accepted S.stats)" "$(value model_steps S.stats)"
show "lstm-train ${TRAIN:+$TRAIN }--valid-fraction 0.0909 S -o pi.lstm"

title 'How good are they?  On 5000 other strings, and by what they generate'
show 'lm-eval --truth truth.pfsa r.lstm T -o r.eval'
show 'lm-eval --truth truth.pfsa g.gam T -o P.eval'
show 'lm-eval --truth truth.pfsa pi.lstm T -o pi.eval'
show "gam-sample -n $SAMPLE r.lstm -o r.sample"
show "gam-sample -n $SAMPLE pi.lstm -o pi.sample"
for set in r.sample pi.sample S; do
    # shellcheck disable=SC2086 # options
    motif-freq $features --feature length --max-length 100 $set -o "${set%.sample}.moments"
done
awk -v run="default-m-$MOTIF-$SIZE-1-1001111L-rs-two" -f "$examples/row.awk" \
    truth.moments r.eval P.eval pi.eval r.moments S.moments pi.moments g.report S.stats >row.tsv

title 'One string of each, and the whole in numbers: [the motif], or (the longest part of it)'
awk -f "$examples/illustration.awk" -v motif="$MOTIF" -v true="$(head -n 1 T)" \
    -v r="$(head -n 1 r.sample)" -v pi="$(head -n 1 pi.sample)" row.tsv

title 'Loss in nats a character, bars from the entropy on; and the share of strings with the motif'
echo "coins are fair coins of length $LENGTH: what a model knows that has learnt the length and nothing else"
{
    printf 'coins\t%s\t%s\n' "$(awk -v n="$LENGTH" 'BEGIN { print n * log(2) / (n + 1) }')" \
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
            print "truth", $at["H"], 1
        }' row.tsv
} >picture
awk -F '\t' -v floor="$(value entropy_per_char truth.moments)" '
    # bar(X, WIDTH): X of 1 in #, with a > if it goes beyond
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
    # above(MODEL): its loss in per cent above the entropy
    function above(model,    x) {
        x = 100 * (loss[model] / loss["truth"] - 1)
        return sprintf("%.1f%% %s the entropy", x < 0 ? -x : x, x < 0 ? "below" : "above")
    }
    END {
        printf "From %d strings the LSTM r has a loss %s; %.1f%% of its strings have the motif.\n",
            n, above("r"), freq["r"]
        printf "With the features, P has a loss %s.  The LSTM pi, which has learnt\n", above("P")
        printf "from %d strings of P, has one %s, and %.1f%% of its strings have the motif.\n",
            distil, above("pi"), freq["pi"]
    }' picture
echo
echo 'Next: examples/README.md, the same as scripts in reading order and the experiments of the paper;'
echo 'and gamut-pipelines(7), man -l man/gamut-pipelines.7, which tells the whole story.'
