# SPDX-License-Identifier: MIT
# gam-features.t: features found in strings, and what gam-fit makes of them.  Levels of error and
# the parts of the search are tested by tests/unit/test_discover.c.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

tab=$(printf '\t')
header="feature${tab}gain${tab}data${tab}background${tab}model${tab}score${tab}p${tab}q${tab}note"

# cell ROW COLUMN: of the table in `out`, by number
cell() {
    awk -F '\t' -v row="$1" -v column="$2" 'NR == row + 1 { print $column }' out
}

# --- a planted motif ---

motif=1000101111
pfsa-gen -l 24 -m $motif --mix 0.5 -n 60 -o D
run gam-features --samples 5000 --null 19 D
is "$status $(cat err)" '0 ' 'searches in silence'
is "$(head -n 1 out)" "$header" 'a table with a header'
is "$(cell 1 1)" motif:$motif 'the motif is found first'
is "$(wc -l <out | tr -d ' ')" 2 'and nothing else'
share=$(motif-freq -m $motif D | awk 'NR == 2 { print $4 }')
near "$(cell 1 3)" "$share" 1e-12 'its share in the data'
exact=$(pfsa-train --order 1 --smoothing wb D | pfsa-entropy --feature motif:$motif - |
    awk '/^moment/ { print 1 - $2 }')
near "$(cell 1 4)" "$exact" 0.01 'its share in the background is about that of a smoothed chain'
near "$(cell 1 5)" "$(cell 1 4)" 1e-12 'the model without features is the background'
want=$(awk -v d="$(cell 1 3)" -v m="$(cell 1 5)" 'BEGIN {
    m = (m * 5000 + 0.5) / 5001
    print d * log(d / m) + (1 - d) * log((1 - d) / (1 - m))
}')
near "$(cell 1 2)" "$want" 1e-5 'the gain is the relative entropy of the shares'
awk -v p="$(cell 1 7)" -v q="$(cell 1 8)" 'BEGIN { exit !(p > 0 && p < 1e-6 && q >= p && q < 1e-6) }'
ok $? 'p and q are small'
cp out table
gam-features --samples 5000 --null 19 -j 2 D | cmp -s - table
ok $? 'the same table with two threads'
gzip -c D | gam-features --samples 5000 --null 19 | cmp -s - table
ok $? 'and from gzip data on stdin'
sort D | gam-features --samples 5000 --null 19 | cmp -s - table
ok $? 'the order of the strings does not matter'
gam-features --samples 5000 --null 19 --json D | grep -q "\"feature\": \"motif:$motif\""
ok $? '--json'
run gam-features --samples 5000 --null 19 -v D
has err 'gam-features: the next best is ' '-v names what was not taken'

# --- gam-fit reads it ---

pfsa-train --order 1 -o base.pfsa D
gam-features -q --samples 5000 --null 19 D | gam-fit -q --base base.pfsa --features - -o g.gam D
is $? 0 'gam-fit --features - reads the table'
model-info g.gam | grep -q "^motif:$motif$tab"
ok $? 'the GAM has the feature'

# --- nothing to find ---

pfsa-gen -l 24 -n 60 -s 5 -o fair
run gam-features --samples 5000 --null 19 fair
is "$status $(cat out)" "0 $header" 'fair bits: an empty table'
is "$(cat err)" 'gam-features: warning: no feature sets the strings apart from the background at p <= 0.05' \
    'and a warning'

# --- kinds and limits ---

awk 'BEGIN {
    for (i = 0; i < 60; i++) {
        r = (r * 16807 + 11) % 2147483647
        s = ""
        for (t = 0; t < 8; t++) {
            r = (r * 16807 + 11) % 2147483647
            s = s substr("abcd", 1 + int(r / 4096) % 4, 1)
        }
        print (i % 2 ? "ab" : "") s (i % 3 ? "cda" : "")
    }
}' >affixes
run gam-features -a abcd --samples 5000 --null 19 affixes
is "$(cut -f 1 out | sort | tr '\n' ' ')" 'feature prefix:ab suffix:cda ' 'prefixes and suffixes of strings of several lengths'
run gam-features -a abcd --samples 5000 --null 19 --kinds prefix affixes
is "$(cell 1 1) $(grep -c suffix out)" 'prefix:ab 0' '--kinds prefix'
run gam-features -a abcd --samples 5000 --null 19 --max-features 1 affixes
is "$(wc -l <out | tr -d ' ') $(cat err)" \
    '2 gam-features: warning: stopped after 1 feature: there may be more; raise --max-features' '--max-features'
run gam-features -a abcd -v --samples 5000 --null 19 --min-gain 5 affixes
is "$(cat out)" "$header" '--min-gain'
has err 'which gains less than --min-gain' 'and -v says so'
run gam-features --samples 5000 --null 19 --max-word 6 D
is "$(awk -F '\t' 'NR > 1 { sub(/.*:/, "", $1); if (length($1) > 6) print }' out)" '' '--max-word'
pfsa-gen -l 30 -x 111 -n 200 -o without
run gam-features --samples 5000 --null 19 --max-features 1 without
is "$(cell 1 1) $(cell 1 3) $(cell 1 9)" 'motif:111 0 rarer than expected' 'a word that is missing'
run gam-features --samples 5000 --null 19 --alpha 1 --max-features 5 --kinds absent without
is "$(cell 1 1) $(grep -c rarer out)" 'motif:111 5' '--kinds absent: rare words only'
run gam-features --null 19 --alpha 1 --max-features 3 --kinds absent --against fair without
is "$(cell 1 1) $(grep -c rarer out)" 'motif:111 3' 'in comparison with other strings, too'
run gam-features --samples 5000 --null 19 --kinds motif,suffix without
is "$(grep -c rarer out)" 0 'is not looked for without absent'
run gam-features --samples 5000 --null 19 --background chain:2 --max-features 1 without
is "$(cat out)" "$header" 'a chain of order 2 explains words of three symbols'

# --- kinds on request ---

# sites N WORD PLACE SPREAD: strings of 40 bases with a word at PLACE or up to SPREAD later, whose
# bases are replaced by random ones with probability 0.15
sites() {
    awk -v n="$1" -v word="$2" -v place="$3" -v spread="$4" 'function random(n) {
            r = (r * 16807 + 11) % 2147483647
            return int(r / 2147483647 * n)
        }
        BEGIN {
            for (i = 0; i < n; i++) {
                at = place + random(spread + 1)
                s = ""
                for (t = 1; t <= 40; t++) {
                    c = substr("ACGT", 1 + random(4), 1)
                    if (t >= at && t < at + length(word) && random(100) >= 15)
                        c = substr(word, t - at + 1, 1)
                    s = s c
                }
                print s
            }
        }'
}

# agrees FILE WHAT: the share in the data is that of the feature as motif-freq reads it
agrees() {
    share=$(cut -f 1 out | motif-freq -a ACGT --features - "$1" | awk -F '\t' 'NR == 2 { print $4 }')
    near "$(cell 1 3)" "$share" 1e-12 "$2: its share is that of the feature"
}

sites 50 GATTACAGTCCA 1 28 >mutated
run gam-features -q -a ACGT --samples 3000 --null 19 --kinds edit --max-features 1 mutated
is "$(cell 1 1 | sed 's/[ACGT]*@/@/')" 'edit:@..1' 'edit: a word with mutations'
agrees mutated edit
sites 50 TATAAT 20 4 >window
run gam-features -q -a ACGT --samples 3000 --null 19 --kinds motif,within --max-features 1 window
is "$(cell 1 1)" within:20..29:TATAAT 'within: a word in a window of positions'
agrees window within
sites 50 TATA 20 0 >placed
run gam-features -q -a ACGT --samples 3000 --null 19 --kinds motif,at --max-features 1 placed
is "$(cell 1 1)" at:20:TATA 'at: a word at a position'
agrees placed at
sites 100 A 1 0 >plain
sites 60 GCGGCGCCGCGGCCG 3 9 >rich
run gam-features -q -a ACGT --null 19 --kinds class --against plain --max-features 1 rich
is "$(cell 1 1 | sed 's/@.*//')" 'count:[AT]' 'class: few symbols of a class'
agrees rich class
gam-features -q -a ACGT --samples 3000 --null 19 --kinds edit,within,at,class,count -j 1 window >out
gam-features -q -a ACGT --samples 3000 --null 19 --kinds edit,within,at,class,count -j 2 window | cmp -s - out
ok $? 'the same table with two threads'

# --- other backgrounds ---

pfsa-gen -l 24 -n 300 -s 8 -o other
run gam-features --null 19 --against other --max-features 1 D
is "$(cell 1 1) $status" "motif:$motif 0" '--against: the motif is found in comparison with other strings'
share=$(motif-freq -m $motif other | awk 'NR == 2 { print $4 }')
near "$(cell 1 4)" "$share" 1e-12 'its share there'
gam-features --null 19 --against other --max-features 1 -j 2 -q D | cmp -s - out
ok $? 'the same table with two threads'
run gam-features --samples 500 --null 19 --alpha 0 --against other D
has err 'warning: --samples is ignored with --against' '--samples with --against'
pfsa-gen -l 24 -n 60 -s 9 | gam-features -q --null 19 --against other >out
is "$(cat out)" "$header" 'strings of the same source: an empty table'
awk '{ print substr($0, 1, 10 + NR % 8) }' other >short
awk '{ print substr($0, 1, 14 + NR % 8) }' fair >long
run gam-features --null 19 --against short --max-features 1 long
is "$(cell 1 1)" length@18.. 'ranges of the length: no string of the others is as long'
awk '{ gsub(/00/, "01"); print }' fair >ones
run gam-features --null 19 --against other --kinds count --max-features 1 ones
is "$(cell 1 1 | sed 's/[01]@.*//')" count: 'ranges of the number of a symbol'
feature=$(cell 1 1)
share=$(motif-freq --feature "$feature" ones | awk -F '\t' 'NR == 2 { print 1 - $2 }')
near "$(cell 1 3)" "$share" 1e-5 'which is what the feature says'
pfsa-gen -l 24 -b -o fair.pfsa
run gam-features --samples 5000 --null 19 --background fair.pfsa --max-features 1 D
is "$(cell 1 1) $status" "motif:$motif 0" '--background MODEL: the motif is found'
exact=$(pfsa-entropy --feature motif:$motif fair.pfsa | awk '/^moment/ { print 1 - $2 }')
near "$(cell 1 4)" "$exact" 0.005 'with its share under the model'
gam-fit -q --base fair.pfsa --feature motif:$motif -o fitted.gam D
run gam-features -q --samples 5000 --null 19 --background fitted.gam D
is "$(cat out)" "$header" 'under a GAM with the motif, nothing is left'
lstm-train -q --hidden 4 --steps 20 -o r.lstm other
run gam-features -q --samples 2000 --null 19 --background r.lstm --max-features 1 D
is "$(cell 1 1)" "motif:$motif" 'an LSTM as background'
awk 'BEGIN { for (i = 0; i < 200; i++) print (i % 2 ? "11" : "10") (i % 3 ? "011" : "100") }' >two
awk 'BEGIN { for (i = 0; i < 200; i++) print (i % 8 ? "10" : "11") (i % 9 ? "100" : "011") }' >three
run gam-features -q --null 19 --kinds prefix,suffix --against three two
is "$(cut -f 1 out | grep -c -e '^prefix:' -e '^suffix:')" 2 'features of both ends, one under the tilt of the other'

done_testing
