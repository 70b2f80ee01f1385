# SPDX-License-Identifier: MIT
# guard.sh [write]: compares the instructions of a few small jobs with guard.tsv.  Fails if one
# takes more than TOLERANCE percent above its figure.  With `write`, the current counts become
# the figures: use it, and review the diff, after a change that is worth its cost.
#
# Figures are valid for the compiler and the libraries named in the file; with others, the
# tolerance is LOOSE percent.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
figures=${FIGURES:-$here/guard.tsv}
tolerance=${TOLERANCE:-5}
loose=${LOOSE:-100}

say() {
    echo "guard: $*"
}

if ! command -v valgrind >/dev/null; then
    say "SKIPPED, no valgrind ('make guard-deps' installs it)"
    exit 0
fi
# shellcheck source=tests/bench/count.sh
. "$here/count.sh"
scratch

prepare() {
    pfsa-gen -l 30 -m "$motif" -n 5000 -o data &&
        head -n 100 data >few &&
        pfsa-gen -l 30 --build -o noise &&
        awk 'BEGIN {
            for (q = 0; q < 2000; q++)
                printf "%d %d 1 0.8\n%d %d 2 0.7\n%d 3.0\n",
                    q, q * 1103 % 2000, q, (q * 877 + 12345) % 1999, q
        }' | model-convert --from att -o cycles &&
        lstm-train -q --hidden 32 --steps 20 -o lstm data &&
        gam-fit -q --base noise --feature "motif:$motif" --lambda "motif:$motif=-10" -o gam few
}

# job TOOL ARGUMENT...: a line "command<TAB>instructions"
job() {
    command=$*
    tool=$1
    shift
    instructions=$(count "$tool" -q -j 1 "$@") || { say "FAILED: $command" >&2 && return 1; }
    printf '%s\t%s\n' "$command" "$instructions"
}

jobs() {
    job pfsa-gen -l 30 -m "$motif" -n 20000 &&
        job pfsa-entropy -l 30 -m "$motif" &&
        job pfsa-entropy cycles &&
        job motif-freq -m "$motif" -m 0011001 data &&
        job lstm-train --hidden 32 --steps 20 data &&
        job gam-fit --base noise --feature "motif:$motif" few &&
        job gam-sample -n 5000 noise &&
        job gam-sample -n 200 lstm &&
        job gam-sample -n 200 --method exact gam &&
        job lm-eval noise data &&
        job lm-eval lstm few
}

# Compares the counts on stdin with the figures: one line per job; fails if one grew too much.
compare() {
    awk -F '\t' -v tolerance="$1" '
    NR == FNR { if (NF == 2) figure[$1] = $2; next }
    !($1 in figure) { printf "guard: NEW: %s: %d, not in the figures\n", $1, $2; red = 1; next }
    {
        jobs++
        change = 100 * ($2 / figure[$1] - 1)
        word = change > tolerance ? "GREW" : change < -tolerance ? "fell" : "ok"
        red = red || word == "GREW"
        fell = fell || word == "fell"
        printf "guard: %s: %s: %d instructions, %+.1f %%\n", word, $1, $2, change
    }
    END {
        if (red)
            print "guard: RED: more than " tolerance " % above the figures; if it is meant to cost that: make guard-figures"
        else if (fell)
            print "guard: green; keep what was gained: make guard-figures"
        else
            print "guard: green: " jobs " jobs within " tolerance " % of the figures"
        exit red
    }' "$figures" -
}

prepare || exit 1
# An old valgrind may fail on the debugging information of a newer compiler.
if ! count pfsa-gen --version >/dev/null; then
    say "SKIPPED, valgrind does not run these builds"
    exit 0
fi
jobs >counts || exit 1
built=$(built_with)
if [ "${1-}" = write ]; then
    {
        echo "# Instructions by callgrind; written by 'make guard-figures'.  Built with:"
        echo "# $built"
        cat counts
    } >"$figures" && say "wrote $figures"
    exit
fi
if ! grep -qxF "# $built" "$figures"; then
    say "LOOSE: the figures are for $(sed -n '2s/^# //p' "$figures"); this is $built"
    tolerance=$loose
fi
compare "$tolerance" <counts
