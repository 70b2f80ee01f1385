# SPDX-License-Identifier: MIT
# 3-cyclic.sh: cyclic training, where r is trained on the samples of each round.
#
#   sh 3-cyclic.sh [-d] [DIR]
#
# If r is weak, few of its proposals are accepted as samples of P.  So the distilled set is drawn
# in rounds.  After each round, r is trained on the samples of the round, and lambda is fitted
# again to D.  In the paper, r makes one update with all strings of the round
# (UPDATE='--recipe paper --steps 1'); here it makes one pass in small batches.  After WAIT rounds
# without a better acceptance rate, the remaining samples are drawn from the best P.  Then D and V
# are added, and pi is trained on all.  Watch the acceptance rate in the table it prints: if it
# does not grow, two-stage training is enough.
#
# D, V and r.lstm are taken from DIR if they exist.  Each round has a directory whose files are
# complete or absent: a run that was killed resumes where it was, r and pi at their last epoch.
# With -d, the script stops before pi.  Set sizes and options with variables:
# TOTAL=5000 sh 3-cyclic.sh

# shellcheck disable=SC2086 # some variables hold several options
set -eu
LC_ALL=C
export LC_ALL
: "${MOTIF:=10001011111000}" "${LENGTH:=30}" "${SIZE:=100}" "${SEED:=1}" "${THREADS:=0}"
: "${TOTAL:=20000}" "${BATCH:=500}" "${WAIT:=15}" "${TEST:=5000}"
: "${FEATURES:=-m $MOTIF --ft 1001111 --feature length:$LENGTH}"
# Options: of both LSTMs, of the update of r after a round, of the first fit, of later fits
: "${TRAIN:=}" "${UPDATE:=--steps $((BATCH / 5)) --batch 5 --lr 0.0005}"
: "${FIT:=--accepted 5000}" "${REFIT:=$FIT}"

only_distil=
if [ "${1-}" = -d ]; then
    only_distil=1
    shift
fi
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cd "$1"
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/gamut.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    cd "$work"
fi

# value NAME FILE: a value of a report
value() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

# train MODEL V D: trains an LSTM, from its checkpoint if there is one
train() {
    [ -e "$1" ] || lstm-train -q -j "$THREADS" -s "$SEED" $TRAIN --checkpoint "$1.checkpoint" --resume \
        --valid "$2" "$3" -o "$1"
    rm -f "$1.checkpoint"
}

# fit DIR OPTION...: fits lambda for DIR/r.lstm, to DIR/g.gam; the report is complete before it
fit() {
    to=$1
    shift
    gam-fit -q -j "$THREADS" -s "$SEED" --base "$to/r.lstm" $FEATURES "$@" --report "$to/g.report" \
        D -o "$to/g.gam"
}

# distil DIR COUNT SEED: draws samples of DIR/g.gam, with a tenth more for validation
distil() {
    # An incomplete sample (exit status 3) is written, too, but does not become S.
    [ -e "$1/S" ] || {
        gam-sample -q -j "$THREADS" -s "$3" -n $(($2 + $2 / 10)) --stats "$1/S.stats" \
            "$1/g.gam" -o "$1/S.tmp"
        mv "$1/S.tmp" "$1/S"
    }
    head -n "$2" "$1/S" >"$1/D"
    tail -n $(($2 / 10)) "$1/S" >"$1/V"
}

# next ROUND NEXT: trains r on the samples of the round, and fits lambda again.  If moments miss
# their targets (exit status 3), gam-fit says so, and lambda is used for the round.
next() {
    mkdir -p "$2"
    [ -e "$2/r.lstm" ] || lstm-train -q -j "$THREADS" -s "$SEED" $UPDATE --init "$1/r.lstm" \
        "$1/D" -o "$2/r.lstm"
    [ -e "$2/g.gam" ] || fit "$2" $REFIT || [ $? -eq 3 ]
}

[ -e D ] || pfsa-gen -s "$SEED" -l "$LENGTH" -m "$MOTIF" -n "$SIZE" -o D
[ -e V ] || pfsa-gen -s "1$SEED" -l "$LENGTH" -m "$MOTIF" -n $((SIZE / 4)) -o V
train r.lstm V D

# The rounds.  `best` is the one with the highest acceptance rate so far.
mkdir -p round/1
[ -e round/1/r.lstm ] || { cp r.lstm round/1/r.tmp && mv round/1/r.tmp round/1/r.lstm; }
[ -e round/1/g.gam ] || fit round/1 $FIT
round=1 strings=0 best=1 best_rate=0
printf 'round\tstrings\tacceptance\tbest\n' >rounds.tmp
while :; do
    distil "round/$round" "$BATCH" "$SEED$round"
    strings=$((strings + BATCH))
    rate=$(value acceptance_rate "round/$round/S.stats")
    if awk -v a="$rate" -v b="$best_rate" 'BEGIN { exit !(a > b) }'; then
        best=$round best_rate=$rate
    fi
    printf '%d\t%d\t%.6f\t%d\n' "$round" "$strings" "$rate" "$best" | tee -a rounds.tmp
    if [ "$strings" -ge "$TOTAL" ] || [ $((round - best)) -ge "$WAIT" ]; then
        break
    fi
    next "round/$round" "round/$((round + 1))"
    round=$((round + 1))
done

# The remaining samples, from the best P.
if [ "$strings" -lt "$TOTAL" ]; then
    mkdir -p round/rest
    cp "round/$best/g.gam" "round/$best/g.report" round/rest
    distil round/rest $((TOTAL - strings)) "$SEED"0
    printf 'rest\t%d\t%.6f\t%d\n' "$TOTAL" "$(value acceptance_rate round/rest/S.stats)" "$best" |
        tee -a rounds.tmp
fi
mv rounds.tmp rounds.tsv

# All samples, then D and V.
cat round/*/D >S.tmp
cat S.tmp D >pi.D.tmp
cat round/*/V V >pi.V.tmp
awk -F '\t' -v OFS='\t' '
    $1 == "proposals" || $1 == "accepted" { sum[$1] += $2 }
    END {
        for (name in sum)
            print name, sum[name]
        print "acceptance_rate", sum["accepted"] / sum["proposals"]
    }' round/*/S.stats >S.stats
cp "round/$best/g.report" .
cp "round/$best/g.gam" g.gam.tmp
for file in S pi.D pi.V g.gam; do
    mv $file.tmp $file
done
[ -z "$only_distil" ] || exit 0

train pi.lstm pi.V pi.D
pfsa-gen -s "2$SEED" -l "$LENGTH" -m "$MOTIF" -n "$TEST" -o T
for model in r.lstm g.gam pi.lstm; do
    # Not in a pipe, where a failure would look like a CE of 0.
    lm-eval -j "$THREADS" --max-length "$LENGTH" "$model" T -o "$model.eval"
    printf 'CE %s\t%.4f\n' "$model" "$(value ce "$model.eval")"
done
lm-compare -j "$THREADS" --reference r.lstm r.lstm g.gam pi.lstm T -o comparison
cat comparison
