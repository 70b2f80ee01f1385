# SPDX-License-Identifier: MIT
# words.sh: English words or place names: an n-gram model, r, P and pi on strings of your own kind.
#
#   sh words.sh [DIR]               words of /usr/share/dict/american-english (Debian: wamerican)
#   SET=places sh words.sh [DIR]    cities of /usr/share/zoneinfo/zone.tab (Debian: tzdata)
#   FILE=names sh words.sh [DIR]    your own strings; characters other than a to z are skipped
#
# SIZE strings are for training, a quarter as many for validation, and TEST others for testing, all
# drawn at random.  The words have 4 to 10 letters.  The features of P are the length and FEATURES,
# prefixes and endings of English words by default.  Models:
#
#   ngram   pfsa-train with Kneser-Ney smoothing, on training and validation set
#   r       an LSTM
#   plain   the GAM over r as it is
#   P       the GAM over r, smoothed with n-grams
#   pi      an LSTM trained on DISTIL samples of P: an alphabet of 26 letters needs more than bits
#
# The last lines are the table of lm-compare(1), with differences from r; figure.svg shows it.
# Files stay in DIR, ./words by default.

# shellcheck disable=SC2086 # FEATURES and FIT are lists
set -eu
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
: "${SET:=words}" "${SIZE:=200}" "${TEST:=5000}" "${DISTIL:=100000}" "${SEED:=1}" "${FIT:=}"
: "${TRAIN:=}" # options of lstm-train
lengths=1,
case $SET in
words)
    [ -n "${FILE-}" ] || lengths=4,10
    : "${FILE:=/usr/share/dict/american-english}"
    : "${FEATURES:=suffix:s suffix:ed suffix:ing suffix:ly suffix:er suffix:ers suffix:es suffix:ion suffix:ness \
        suffix:y suffix:e prefix:un prefix:re prefix:in prefix:de}"
    ;;
places)
    : "${FILE:=/usr/share/zoneinfo/zone.tab}" "${FEATURES:=suffix:a suffix:o prefix:s}"
    ;;
*) echo "words.sh: SET is words or places" >&2 && exit 1 ;;
esac
[ -r "$FILE" ] || { echo "words.sh: cannot read $FILE; set FILE to a file of strings" >&2 && exit 1; }
mkdir -p "${1-$SET}"
letters=abcdefghijklmnopqrstuvwxyz
case $FILE in
*/zone.tab) awk -F '\t' '!/^#/ { sub(/.*\//, "", $3); print tolower($3) }' "$FILE" ;;
*) cat "$FILE" ;;
esac | grep -E "^[a-z]{$lengths}\$" | sort -u | awk -v seed="$SEED" '
    BEGIN { key = (seed * 48271 + 1) % 2147483647 }
    { for (i = 0; i < 3; i++) key = (key * 16807 + 1) % 2147483647; printf "%010d\t%s\n", key, $0 }' |
    sort | cut -f 2 >"${1-$SET}/all"
cd "${1-$SET}"
[ "$(wc -l <all)" -gt $((SIZE + SIZE / 4)) ] || { echo "words.sh: no more than $((SIZE + SIZE / 4)) strings in $FILE; lower SIZE" >&2 && exit 1; }
rest=$((SIZE + SIZE / 4 + 1))
head -n "$SIZE" all >D
tail -n +$((SIZE + 1)) all | head -n $((SIZE / 4)) >V
tail -n +$rest all | head -n "$TEST" >T

cat D V | pfsa-train -q -a $letters --smoothing kn -o ngram.pfsa
lstm-train -q -a $letters -s "$SEED" $TRAIN --valid V D -o r.lstm
specs='--feature length --feature length2'
for feature in $FEATURES; do
    specs="$specs --feature $feature"
done
gam-fit -q -s "$SEED" $FIT --base r.lstm $specs D -o plain.gam
gam-fit -q -s "$SEED" $FIT --base r.lstm --valid V $specs D -o P.gam
gam-sample -s "$SEED" -n "$DISTIL" P.gam -o S
lstm-train -q -s "$SEED" --recipe distil --init r.lstm S -o pi.lstm

lm-compare --reference r.lstm ngram.pfsa r.lstm plain.gam P.gam pi.lstm T -o table
awk -v title="$SIZE $SET for training, $(wc -l <T | tr -d ' ') for testing" -f "$here/figure.awk" table >figure.svg
cat table
