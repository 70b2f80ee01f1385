# SPDX-License-Identifier: MIT
# words.sh [FILE...]: finds words and constructions that our texts do not use, and prints
# FILE:LINE, the text, and what to write instead.  Without arguments it checks all tracked text:
# README, manual pages, messages, comments, scripts.  Exit status 1 if there is a hit.
#
# A rule is an extended regular expression, a tab, and the replacement.  Lines are searched one by
# one, without regard to case.

cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Rates ("per", not "a"); ellipsis (two dots are a range such as 0 .. n-1); riddles and personified
# data; one term for one thing; messages; American spelling.
cat >"$work/rules" <<'EOF'
(nats|bits|bytes|kB|MB|tokens|instructions|characters|symbols|cost|MB|milliseconds|microseconds) an? (character|symbol|string|token|second|core|size|line|update|step|node|row|level|table|prefix|run)\b	X per Y
(strings|draws|samples|runs|steps|updates|proposals|products|operations|look-ups|times|lines|millions|seconds|arcs) an? (second|minute|core|size|update|token|line|state|table)\b	X per Y
\b(one|two|three|all|number) an? (core|thread|line|row|symbol|character|size)\b	X per Y
(, |\+ )\.\.([^.]|$)	... for an ellipsis
[a-z,] \.\. ?(\*/|$)|/\* \.\. |# \.\. 	... for an ellipsis
\b[a-z]{3,}\.\.([]:" )]|$)	... for an ellipsis
\bwhole story\b	See PAGE(N)
\b(fail|fails|failures|faults) to order\b	fault injection
\btalks? to the\b	writes to
\bat most so many\b|\bso many at (least|most)\b	maximum number of X
\btell more\b	print details
\b(tremble|creeps?|die early|falls? out)\b	say what happens
\bto and fro\b	alternates
\b(nothing|none) to speak of\b|\bnext to nothing\b	negligible, or a figure
\bthe better part of\b	most of, or a figure
\bfor who (has|have|wants?)\b	for callers that
\bthe only door\b	all X, including
\bwhat (it|they) (is|are) (worth|known)\b	value
\bwhat the data have\b	feature mean in the training set
\bno longer gains?\b	stops improving
\bbeyond all bounds\b	too large
\ba run without hope\b	a hopeless run
\b(can|cannot|could) be had\b	is available
\bis (the|its|his) [a-z]+'s to (say|report|set|tell|free)\b	X reports
\b(was|were|is|are) asked for\b	requested
\bthan asked for\b	requested
\bso many (draws|rows|strings|symbols|steps|samples)\b	this number of X
\bmakes? of it\b	say what happens
\bstate of affairs\b	state
\b(learn(s|ed)?|teach(es)?|taught) (an LSTM )?accidents\b	chance patterns
\bwhat was run of\b	say which runs
\bflatter(s|ed)?\b	is too optimistic
\bin vain\b	say what happens
\bnothing of each other\b	are independent
\bas [a-z_0-9().]+ has it\b	as X defines it
\btoo large to go on\b	too large to continue
\b(what|which) the model was trained on\b	the training set of the model
\bhas (it|them) [a-z]+ly too\b	X also
\bnobody's\b	no one requested it
\bof an option given\b	if an option is repeated
\bto (learn from|judge by)\b	training set, validation set
\bof their own for each\b	separate X for each
\b(goes?|going) on with\b	use, or continue
\bwill do\.	can be used
\bwhat is to be (found|known|learned)\b	name it
\bwhite noise\b	i.i.d. symbols
\brate of acceptance\b	acceptance rate
\bstrings? begun\b	proposal
\bnormali[sz]er\b	normalizing constant
\bstandard error stream\b	stderr
\bexcludes? each other\b	cannot be combined
\bmakes? no sense\b	invalid value
\bdoes nothing (without|with)\b	is ignored without
\bmay not be given (with|together)\b	cannot be combined
\b(get|gets|are|stand) in(to)? each other's way\b	conflict
\bper cent\b	percent
\b(parted|parts) (by|a table)\b	separated by
[a-z]*(normalis|optimis(ed|es|ation|ing|er[^_])|minimis|maximis|initialis|recognis|serialis|summaris|organis|randomis|vectoris)[a-z]*	American spelling: -ize
\b(neighbour|behaviour|favour|colour|honour)[a-z]*	American spelling: -or
\b(towards|afterwards|learnt|spoilt|whilst|centre|licence|labelled|modelled|cancelled|travelled|grey)\b	American spelling
EOF
cut -f 1 "$work/rules" >"$work/patterns"

# Files that hold other people's text, data, or names that cannot change.
list() {
    { git ls-files 2>/dev/null || find . -type f ! -path './build/*' ! -path './.git/*' | sed 's,^\./,,'; } |
        grep -v -e '^tests/golden/' -e '^tests/fuzz/corpus/' -e '^LICENSE$' \
            -e '\.svg$' -e '\.tsv$' -e '\.gz$' -e '^tests/support/words\.sh$'
}

# explain: adds to each hit "FILE:LINE:text" the first rule that it breaks
explain() {
    while IFS= read -r hit; do
        while IFS="$tab" read -r pattern instead; do
            found=$(printf '%s\n' "${hit#*:*:}" | grep -oiE -e "$pattern" | head -n 1)
            [ -z "$found" ] && continue
            place=${hit%%:*}
            line=${hit#*:}
            echo "$place:${line%%:*}: \"$found\": $instead"
            break
        done <"$work/rules"
    done
}

tab=$(printf '\t')
if [ $# -gt 0 ]; then
    grep -HniIE -f "$work/patterns" -- "$@" >"$work/hits"
else
    list | while read -r file; do [ ! -f "$file" ] || echo "$file"; done |
        xargs grep -HniIE -f "$work/patterns" -- >"$work/hits"
fi
explain <"$work/hits"
[ ! -s "$work/hits" ]
