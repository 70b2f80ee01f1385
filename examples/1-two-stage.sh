# SPDX-License-Identifier: MIT
# 1-two-stage.sh: the complete method as shell commands.
#
#   sh 1-two-stage.sh [DIR]     keep the files in DIR; without it they are removed
#
# An LSTM r trained on few strings D generates the motif too rarely.  The GAM
# P(x) = r(x) exp(lambda . phi(x)) corrects that, and pi is trained on samples of P.  The result
# is a table: compare r, P (g) and pi with the source.  Set the sizes with variables:
# SIZE=200 sh 1-two-stage.sh

# shellcheck disable=SC2086 # some variables hold several options
set -eu
LC_ALL=C
export LC_ALL
: "${MOTIF:=10001011111000}" "${LENGTH:=30}" "${FT:=1001111}" "${SIZE:=100}" "${DISTIL:=20000}" "${SEED:=1}"
: "${TEST:=5000}" "${TRAIN:=}" "${FIT:=}" # options of lstm-train and gam-fit
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cd "$1"
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/gamut.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    cd "$work"
fi

# The source, and three samples of it: training, validation and test set.  Each has its own seed;
# with the same seed, T would begin with the strings of D.
pfsa-gen -l "$LENGTH" -m "$MOTIF" --build -o truth.pfsa
pfsa-gen -s "$SEED" -n "$SIZE" truth.pfsa -o D
pfsa-gen -s "1$SEED" -n $((SIZE / 4)) truth.pfsa -o V
pfsa-gen -s "2$SEED" -n "$TEST" truth.pfsa -o T

# Training-1: the LSTM trained on the data alone, then the weights of the features.  With --valid,
# r is smoothed with n-grams, so that P predicts V best.
lstm-train -s "$SEED" $TRAIN --valid V D -o r.lstm
gam-fit -q -s "$SEED" $FIT --base r.lstm --valid V -m "$MOTIF" --ft "$FT" --feature "length:$LENGTH" D -o g.gam

# Training-2: starting from r, train pi on samples of P, a twentieth of them for validation.  The status of a pipe is
# that of its last command, so the first one records a failure in a file; pi.lstm gets its name
# after both have succeeded.
rm -f failed
{ gam-sample -s "$SEED" -n "$DISTIL" g.gam || echo gam-sample >failed; } |
    lstm-train -s "$SEED" --recipe distil --init r.lstm -o pi.lstm.tmp
[ ! -e failed ] || { echo "$0: $(cat failed) failed" >&2 && exit 1; }
mv pi.lstm.tmp pi.lstm

# Evaluation: CE on T in nats per character, and the share of samples with the motif.  All models
# are scored given the maximum length that P and all samples have.  Reports go to files first, so
# that a tool that fails stops the script instead of appearing as a 0.
pfsa-entropy truth.pfsa -o exact
printf 'model\tCE\tmotif\nsource\t%.4f\t1\n' "$(awk '$1 == "entropy_per_char" { print $2 }' exact)" >table.tmp
for model in r.lstm g.gam pi.lstm; do
    lm-eval --max-length "$LENGTH" "$model" T -o "$model.eval"
    gam-sample -n 2000 "$model" -o "$model.sample"
    motif-freq -m "$MOTIF" "$model.sample" -o "$model.freq"
    printf '%s\t%.4f\t%.4f\n' "${model%.*}" "$(awk '$1 == "ce" { print $2 }' "$model.eval")" \
        "$(awk 'NR == 2 { print $4 }' "$model.freq")" >>table.tmp
done
mv table.tmp table
cat table

# Is pi better than r?  Differences from r on the same strings, with their errors and p-values.
lm-compare --reference r.lstm r.lstm g.gam pi.lstm T -o comparison
cat comparison
