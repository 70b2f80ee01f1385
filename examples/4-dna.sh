# SPDX-License-Identifier: MIT
# 4-dna.sh: your own strings over another alphabet.
#
#   sh 4-dna.sh                     generated strings: 24 bases with a TATA box
#   MOTIF=GATTACA sh 4-dna.sh FILE  your strings over ACGT, one per line, plain or gzip.  MOTIF is
#                                   what they have in common.  The length feature uses the most
#                                   frequent length, or LENGTH.
#
# The table shows, for each feature, its mean in the training set, under r and under P, and its
# weight.  The last lines count the motif and the length in samples of r and pi.

# shellcheck disable=SC2086 # some variables hold several options
set -eu
LC_ALL=C
export LC_ALL
: "${DISTIL:=20000}"
: "${TRAIN:=}" "${FIT:=}" # options of lstm-train and gam-fit
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
    [ -n "${MOTIF-}" ] || fail 'set MOTIF to a motif of your strings: MOTIF=... sh 4-dna.sh FILE'
    # The tools read gzip; awk does not.
    case $input in
    *.gz) gzip -cd "$input" >all ;;
    *) cat "$input" >all ;;
    esac
    motif-freq -a ACGT -m "$MOTIF" all -o found
    awk 'NR == 2 { exit !($3 > 0) }' found || fail "no string of $1 contains $MOTIF"
    : "${LENGTH:=$(awk '{ sub(/\r$/, "") }
        length && ++count[length] > count[most] { most = length }
        END { print most }' all)}"
else
    # A source with more A and T than C and G.
    : "${MOTIF:=TATAAA}" "${LENGTH:=24}" "${SIZE:=200}"
    pfsa-gen -a ACGT --probs .3,.2,.2,.3 -l "$LENGTH" -m "$MOTIF" -n "$SIZE" -o all
fi

# Of five strings, one is for validation and one for the comparison at the end.
awk 'NF { print >(++n % 5 == 0 ? "V" : n % 5 == 3 ? "T" : "D") } END { exit n < 5 }' all ||
    fail 'fewer than 5 strings'
head -n 3 D

# The features: the motif, the length, and a prefix that does not matter and gets a weight near 0.
# r is smoothed with n-grams, so that P predicts V best.
lstm-train -q -a ACGT $TRAIN --valid V D -o r.lstm
gam-fit -q $FIT --base r.lstm --valid V --feature "motif:$MOTIF" --feature "length:$LENGTH" --feature prefix:G \
    --report g.report D -o g.gam
# The share of strings that have each property, in D, in r and in P; the weight.
awk -F '\t' '
    $1 == "feature" {
        for (i = 1; i <= NF; i++)
            at[$i] = i
        printf "%-16s %8s %8s %8s %8s\n", $1, "D has", "r has", "P has", "lambda"
    }
    NF > 2 && $1 != "feature" {
        printf "%-16s %8.3f %8.3f %8.3f %8.3f\n", $1, $at["target_freq"], $at["base_freq"], $at["model_freq"], $at["lambda"]
    }' g.report

gam-sample -n "$DISTIL" g.gam -o S
lstm-train -q --recipe distil --init r.lstm S -o pi.lstm

for model in r.lstm pi.lstm; do
    gam-sample -n 2000 "$model" -o sample
    echo "$model:"
    motif-freq -a ACGT -m "$MOTIF" --feature "length:$LENGTH" sample
done

# On the strings that no model has seen: is pi better than r?
lm-compare --reference r.lstm r.lstm g.gam pi.lstm T
