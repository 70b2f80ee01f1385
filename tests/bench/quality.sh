# SPDX-License-Identifier: MIT
# quality.sh: seconds until a model of 5000 strings with a motif has a cross-entropy of GOAL
# on 5000 others, where the truth has 0.4491: the default recipe beside PyTorch with the
# paper's.  To quality.tsv, and the course of both to quality-course.tsv and quality.svg.
#
# PyTorch is stopped after LIMIT seconds [10 times ours], so that this ends; it needs about
# 80 epochs.  Its evaluation is not counted, ours is.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
: "${GOAL:=0.46}" "${SIZE:=5000}" "${RECIPE:=}" "${BAR:=10}"
scratch

# reached FILE: seconds at which a course got to the goal, nothing if it did not
reached() {
    awk -v goal="$GOAL" '$3 <= goal { printf "%.2f\n", $2; exit }' "$1"
}

# course NAME FILE: its lines in the table of courses
course() {
    awk -v OFS='\t' -v name="$1" '{ print name, $1, $2, $3 }' "$2"
}

# ratio SIGN SECONDS: the peer's seconds over ours, beside the bar
ratio() {
    times=$(calc "sprintf(\"%.1f\", $2 / $ours)")
    columns ratio "$1$times" ">=$BAR" "$(calc "($times >= $BAR) ? \"yes\" : \"no\"")"
}

# The outcome; what PyTorch did not reach is a bound.
compare() {
    columns what value bar met
    columns 'seconds, lstm-train' "${ours:-not reached}" - -
    if [ ! -s peer ]; then
        columns 'seconds, PyTorch' 'not measured' - -
    elif [ -n "$theirs" ]; then
        columns 'seconds, PyTorch' "$theirs" - -
        ratio '' "$theirs"
    else
        spent=$(awk 'END { print $2 }' peer)
        columns 'seconds, PyTorch' "not reached after $spent" - -
        ratio '> ' "$spent"
    fi
}

pfsa-gen -l 30 -m "$motif" -n "$SIZE" -o data &&
    pfsa-gen -l 30 -m "$motif" -s 2 -n "$SIZE" -o test || exit 1
say "lstm-train, to a CE of $GOAL"
# The test strings take the place of validation strings, to have their CE in the log.
# shellcheck disable=SC2086 # options
lstm-train -q $RECIPE --valid test --log log data >/dev/null || exit 1
awk -v OFS='\t' 'NR > 1 { print $1, $6, $4 }' log >ours
ours=$(reached ours)
: >peer
if [ -z "$ours" ]; then
    say "lstm-train has not reached $GOAL"
elif torch; then
    limit=${LIMIT:-$(calc "10 * $ours")}
    say "PyTorch, to a CE of $GOAL or for $limit seconds"
    $python "$here/lstm_train.py" data 0 test "$GOAL" "$limit" >peer || exit 1
else
    say "SKIPPED PyTorch: not installed ('make bench-deps' installs it)"
fi
theirs=$(reached peer)
compare | tee "$out/quality.tsv"
{
    columns what epoch seconds ce
    course lstm-train ours
    course PyTorch peer
} >"$out/quality-course.tsv"
plot quality quality-course
