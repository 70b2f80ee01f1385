#!/bin/sh
# SPDX-License-Identifier: MIT
# levels.sh: p-values of gam-features on strings without anything to find.
#
#   examples/discovery/levels.sh DIRECTORY [SEARCH]...
#
# Adds rows to DIRECTORY/levels.tsv, one per set of strings: search, source, strings, run, what was
# found, its p-value.  Rows that are there already are not run again.  discovery-page.sh makes a
# table of them.
#
# Sources: i.i.d. symbols, 2, 4 and 26 of them, of one length and of geometric lengths.  Letters have
# the frequencies of English.
#
# Searches:
#   default         the default kinds, with a chain fitted to the strings
#   KIND            one kind, with a chain; length has no chain and compares with the source
#   model, against  all kinds, in comparison with the source, with twice as many strings of it
#   later, later-model, later-against
#                   most strings have a word; the p-value is that of the second feature, in sets where
#                   the word is the first one
#
# RUNS is the number of sets of a cell (20), SIZES are the numbers of strings (20 100 500 5000).

set -eu
LC_ALL=C
export LC_ALL
out=$1
shift
[ $# -gt 0 ] ||
    set -- default motif prefix suffix absent length count class at within edit model against later later-model later-against
runs=${RUNS:-20}
sizes=${SIZES:-20 100 500 5000}
letters=abcdefghijklmnopqrstuvwxyz
english=.082,.015,.028,.043,.124,.022,.020,.061,.070,.002,.008,.040,.024,.067,.075,.019,.001,.060,.063,.091,.028,.010,.024,.002,.020,.001
mkdir -p "$out"
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-levels.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# choose SOURCE: its alphabet, how pfsa-gen draws it, and a word that is rare, and one that is
# frequent, in its strings
choose() {
    case $1 in
    bits*) alphabet=01 rare=1000101111 frequent=100110 stop=.03 length=30 probs=.5,.5 ;;
    bases*) alphabet=ACGT rare=GATTAC frequent=TAC stop=.03 length=30 probs=.25,.25,.25,.25 ;;
    letters*) alphabet=$letters rare=dogs frequent=u stop=.12 length=8 probs=$english ;;
    esac
    case $1 in
    *-one) lengths="-l $length" ;;
    *) lengths="--stop $stop" ;;
    esac
}

# draw OPTION...: pfsa-gen of the source
draw() {
    # shellcheck disable=SC2086 # `lengths` is an option and its value
    pfsa-gen -a "$alphabet" --probs "$probs" $lengths "$@"
}

# search OPTION...: the first features of the strings in D, whatever their p-values
search() {
    gam-features -q -j 1 --alpha 1 -a "$alphabet" -s "$run" "$@" "$work/D" >"$work/table"
}

# cell ROW COLUMN: of the table; - if it has no such row
cell() {
    awk -F '\t' -v row="$1" -v column="$2" 'NR == row + 1 { print $column; found = 1 }
        END { if (!found) print "-" }' "$work/table"
}

# first OPTION...: the best feature of strings with nothing to find
first() {
    draw -n "$n" -s "$seed" -o "$work/D"
    search --max-features 1 "$@"
    found=$(cell 1 1) p=$(cell 1 7)
    [ "$p" != - ] || p=1 # there is no candidate
}

# second WORD SHARE OPTION...: the second feature of strings that have a word
second() {
    word=$1 share=$2
    shift 2
    draw -n "$n" -s "$seed" -m "$word" --mix "$share" -o "$work/D"
    search --max-features 2 "$@"
    found=$(cell 2 1) p=$(cell 2 7)
    [ "$(cell 1 1)" = "motif:$word" ] || found=none p=-
}

# others: the source as a model, and other strings of it
others() {
    draw -b -o "$work/model"
    draw -n $((2 * n)) -s $((seed + 50000)) -o "$work/others"
}

# one SEARCH: sets `found` and `p`
one() {
    case $1 in
    length | model | later-model | against | later-against) others ;;
    esac
    case $1 in
    default) first ;;
    length) first --kinds length --background "$work/model" ;;
    model) first --background "$work/model" ;;
    against) first --against "$work/others" ;;
    later) second "$rare" 0.6 ;;
    later-model) second "$frequent" 0.8 --background "$work/model" ;;
    later-against) second "$frequent" 0.8 --against "$work/others" ;;
    *) first --kinds "$1" ;;
    esac
}

run=0
while [ $((run += 1)) -le "$runs" ]; do
    for n in $sizes; do
        for what; do
            seed=$((100000 * n + run))
            for source in bits-one bits bases-one bases letters-one letters; do
                choose $source
                key=$(printf '%s\t%s\t%s\t%s' "$what" $source "$n" $run)
                seed=$((seed + 1000))
                # strings of one length have no other; positions are for them only
                case $what-$source in
                length-*-one) continue ;;
                at-*-one | within-*-one) ;;
                at-* | within-*) continue ;;
                esac
                if ! [ -f "$out/levels.tsv" ] || ! grep -q "^$key	" "$out/levels.tsv"; then
                    one "$what"
                    printf '%s\t%s\t%s\n' "$key" "$found" "$p" >>"$out/levels.tsv"
                fi
            done
        done
    done
done
