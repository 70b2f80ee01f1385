# SPDX-License-Identifier: MIT
# 4-dna.sh: your own strings, over your own alphabet.  Here they are DNA, all of 24 bases,
# and each has a TATA box; the file could as well be yours, one string a line.
#
#   sh 4-dna.sh                     strings that are made up
#   MOTIF=GATTACA sh 4-dna.sh FILE  yours, over ACGT, plain or gzip; what matters in them is
#                                   for you to say.  The length feature is for one length:
#                                   that of most of them, or LENGTH.

# shellcheck disable=SC2086 # some variables hold several options
set -eu
LC_ALL=C
export LC_ALL
: "${DISTIL:=20000}"
: "${TRAIN:=}" "${FIT:=--accepted 5000}" # options: both LSTMs, lambda
fail() {
    echo "4-dna.sh: $*" >&2
    exit 1
}
input=${1-}
case $input in
'' | /*) ;;
*) input=$PWD/$input ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

if [ -n "$input" ]; then
    [ -n "${MOTIF-}" ] || fail 'say what your strings have in common: MOTIF=... sh 4-dna.sh FILE'
    # The tools read gzip, but awk does not.
    case $input in
    *.gz) gzip -cd "$input" >all ;;
    *) cat "$input" >all ;;
    esac
    motif-freq -a ACGT -m "$MOTIF" all -o found
    awk 'NR == 2 { exit !($3 > 0) }' found || fail "no string of $1 has $MOTIF"
    : "${LENGTH:=$(awk '{ sub(/\r$/, "") }
        length && ++count[length] > count[most] { most = length }
        END { print most }' all)}"
else
    # A process to make strings up from: more A and T than C and G.
    : "${MOTIF:=TATAAA}" "${LENGTH:=24}" "${SIZE:=200}"
    pfsa-gen -a ACGT --probs .3,.2,.2,.3 -l "$LENGTH" -m "$MOTIF" -n "$SIZE" -o all
fi

# One string in five is kept back, to know when to stop.
awk 'NF { print >(++n % 5 == 0 ? "V" : "D") } END { exit n < 5 }' all ||
    fail 'that is too few strings to learn from'
head -n 3 D

# What matters in them: that the motif occurs, and how long they are.  Any number of
# features may be named; those that say nothing get a weight near 0.
lstm-train -q -a ACGT $TRAIN --valid V D -o r.lstm
gam-fit -q $FIT --base r.lstm --feature "motif:$MOTIF" --feature "length:$LENGTH" --feature prefix:G \
    --report g.report D -o g.gam
awk -F '\t' '
    NF == 8 && $1 == "feature" { printf "%-16s %8s %8s %8s %8s\n", $1, $2, $3, $4, $5 }
    NF == 8 && $1 != "feature" { printf "%-16s %8.3f %8.3f %8.3f %8.3f\n", $1, $2, $3, $4, $5 }' g.report

gam-sample -n "$DISTIL" g.gam -o S
lstm-train -q -a ACGT $TRAIN --valid-fraction 0.1 S -o pi.lstm

for model in r.lstm pi.lstm; do
    gam-sample -n 2000 "$model" -o sample
    echo "$model:"
    motif-freq -a ACGT -m "$MOTIF" --feature "length:$LENGTH" sample
done
