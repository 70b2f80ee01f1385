# SPDX-License-Identifier: MIT
# 1-two-stage.sh: the whole idea, once, as shell commands.
#
#   sh 1-two-stage.sh [DIR]     the files stay in DIR; without it they are removed
#
# From few strings D an LSTM r learns something, but hardly the motif.  The GAM
# P(x) = r(x) exp(lambda . phi(x)) sets that right, and pi learns from as many
# strings of P as one likes.  The sizes can be set: SIZE=200 sh 1-two-stage.sh

# shellcheck disable=SC2086 # some variables hold several options
set -eu
LC_ALL=C
export LC_ALL
: "${MOTIF:=10001011111000}" "${LENGTH:=30}" "${FT:=1001111}" "${SIZE:=100}" "${DISTIL:=20000}" "${SEED:=1}"
: "${TEST:=5000}" "${TRAIN:=}" "${FIT:=--accepted 5000}" # options: both LSTMs, lambda
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cd "$1"
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/gamut.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    cd "$work"
fi

# The truth, and three samples of it: to learn from, to know when to stop, to judge by.
pfsa-gen -l "$LENGTH" -m "$MOTIF" --build -o truth.pfsa
pfsa-gen -s "$SEED" -n "$SIZE" truth.pfsa -o D
pfsa-gen -s "1$SEED" -n $((SIZE / 4)) truth.pfsa -o V
pfsa-gen -s "2$SEED" -n "$TEST" truth.pfsa -o T

# Training-1: the LSTM of the data alone, then the weights of the features.
lstm-train -s "$SEED" $TRAIN --valid V D -o r.lstm
gam-fit -q -s "$SEED" $FIT --base r.lstm -m "$MOTIF" --ft "$FT" --feature "length:$LENGTH" D -o g.gam

# Training-2: pi learns from strings of P, a tenth of them held back to know when to stop.
# A shell takes the status of a pipe from its last command, so the first one notes if it
# fails; the name pi.lstm appears when both have done well.
rm -f failed
{ gam-sample -s "$SEED" -n $((DISTIL + DISTIL / 10)) g.gam || echo gam-sample >failed; } |
    lstm-train -s "$SEED" $TRAIN --valid-fraction 0.0909 -o pi.lstm.tmp
[ ! -e failed ] || { echo "$0: $(cat failed) failed" >&2 && exit 1; }
mv pi.lstm.tmp pi.lstm

# How good are they?  Nats a character on T, and the share of samples with the motif.  The
# reports go to files first, so that a tool that fails ends the run and is not taken for a 0.
pfsa-entropy truth.pfsa -o exact
printf 'model\tCE\tmotif\ntruth\t%.4f\t1\n' "$(awk '$1 == "entropy_per_char" { print $2 }' exact)" >table.tmp
for model in r.lstm g.gam pi.lstm; do
    lm-eval "$model" T -o "$model.eval"
    gam-sample -n 2000 "$model" -o "$model.sample"
    motif-freq -m "$MOTIF" "$model.sample" -o "$model.freq"
    printf '%s\t%.4f\t%.4f\n' "${model%.*}" "$(awk '$1 == "ce" { print $2 }' "$model.eval")" \
        "$(awk 'NR == 2 { print $4 }' "$model.freq")" >>table.tmp
done
mv table.tmp table
cat table
