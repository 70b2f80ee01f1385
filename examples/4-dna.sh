# SPDX-License-Identifier: MIT
# 4-dna.sh: your own strings, over your own alphabet.  Here they are DNA, all of 24 bases,
# and each has a TATA box; the file could as well be yours, one string a line.
#
#   sh 4-dna.sh [FILE]     strings over ACGT; without it, made up

# shellcheck disable=SC2086 # some variables hold several options
set -eu
LC_ALL=C
export LC_ALL
: "${MOTIF:=TATAAA}" "${LENGTH:=24}" "${SIZE:=200}" "${DISTIL:=20000}"
: "${TRAIN:=}" "${FIT:=--accepted 5000}" # options: both LSTMs, lambda
input=${1-}
case $input in
'' | /*) ;;
*) input=$PWD/$input ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

# A process to make strings up from: more A and T than C and G.
if [ -n "$input" ]; then
    cp "$input" all
else
    pfsa-gen -a ACGT --probs .3,.2,.2,.3 -l "$LENGTH" -m "$MOTIF" -n "$SIZE" -o all
fi

# One string in five is kept back, to know when to stop.
awk 'NR % 5 == 0 { print >"V"; next } { print >"D" }' all
head -n 3 D

# What matters in them: that the motif occurs, and how long they are.  Any number of
# features may be named; those that say nothing get a weight near 0.
lstm-train -q -a ACGT $TRAIN --valid V D -o r.lstm
gam-fit -q $FIT --base r.lstm --feature "motif:$MOTIF" --feature "length:$LENGTH" --feature prefix:G \
    --report g.report D -o g.gam
awk -F '\t' 'NF == 8 { printf "%-16s %8.8s %8.8s %8.8s %8.8s\n", $1, $2, $3, $4, $5 }' g.report

gam-sample -n "$DISTIL" g.gam -o S
lstm-train -q -a ACGT $TRAIN --valid-fraction 0.1 S -o pi.lstm

for model in r.lstm pi.lstm; do
    gam-sample -n 2000 "$model" -o sample
    echo "$model:"
    motif-freq -a ACGT -m "$MOTIF" --feature "length:$LENGTH" --max-length 100 sample
done
