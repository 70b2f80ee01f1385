# SPDX-License-Identifier: MIT
# motif-freq.t: counts and means against awk, input of all kinds, errors.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# cell FEATURE-OR-MOTIF COLUMN: of the tables in `out`
cell() {
    awk -F '\t' -v n="$1" -v c="$2" '$1 == n { print $c }' out
}

# fair bits of all lengths up to 40, from awk's own generator
awk 'BEGIN {
    srand(7)
    for (i = 0; i < 19999; i++) {
        x = ""
        for (n = int(41 * rand()); n > 0; n--)
            x = x (rand() < .5 ? "0" : "1")
        print x
    }
    print "0110"
}' >bits

# --- motifs ---

run motif-freq -m 10001 -m 11 --occurrences bits
is "$status" 0 'counts'
is "$(head -n 1 out)" "$(printf 'motif\tstrings\twith\tfreq\tlo95\thi95\toccurrences\tper_string')" \
    'the header'
is "$(cut -f 1 out | tr '\n' ' ')" 'motif 10001 11 ' 'a row for each motif, in order'
for motif in 10001 11; do
    awk -v m=$motif '{
        hits = 0
        for (i = 1; i + length(m) - 1 <= length($0); i++)
            hits += substr($0, i, length(m)) == m
        with += hits > 0
        all += hits
    } END { print NR, with, all }' bits >want
    is "$(cell $motif 2) $(cell $motif 3) $(cell $motif 7)" "$(cat want)" "$motif as awk counts"
done
# Wilson: the ends of the interval are the p with |freq - p| = z sqrt(p (1-p) / n)
for column in 5 6; do
    awk -v f="$(cell 10001 4)" -v p="$(cell 10001 $column)" 'BEGIN {
        z = (f - p) / sqrt(p * (1 - p) / 20000); print z < 0 ? -z : z }' >z
    near "$(cat z)" 1.959963984540054 1e-5 "95 % interval, column $column"
done
awk -v l="$(cell 10001 5)" -v f="$(cell 10001 4)" -v h="$(cell 10001 6)" \
    'BEGIN { exit !(l < f && f < h) }'
ok $? 'the interval holds the frequency'

run motif-freq -m 01 bits
is "$(head -n 1 out)" "$(printf 'motif\tstrings\twith\tfreq\tlo95\thi95')" 'the plain header'
is "$(wc -l <out)" "$(grep -c . out)" 'one table, no blank line'
printf '111\n' | motif-freq -m 1 >out
is "$(cell 1 4) $(cell 1 6)" '1 1' 'all strings: the interval ends at 1'
printf '000\n' | motif-freq -m 1 >out
is "$(cell 1 4) $(cell 1 5)" '0 0' 'no string: the interval begins at 0'
long=$(printf '%0100d' 1)
printf '%s\n1%s\n' "$long" "$long" | motif-freq -m "$long" --occurrences >out
is "$(cell "$long" 3) $(cell "$long" 7)" '2 2' 'a motif of 100 symbols'
printf '0%s\n' "$long" | motif-freq -m "$long" -m "0$long" -m "1$long" >out
is "$(cut -f 3 out | tr '\n' ' ')" 'with 1 1 0 ' 'motifs that differ in the first symbol'
run motif-freq -m 1 -m 0 -m 1 bits
is "$(cut -f 1 out | tr '\n' ' ')" 'motif 1 0 1 ' 'the same motif twice is two rows'

# --- features ---

run motif-freq -m 1001 --ft 1111111 --feature length --feature length2 --feature count:11 \
    --feature suffix:1 --feature length:7 --feature lcs:1111 --feature edit:1111 bits
is "$status" 0 'features'
is "$(sed -n 3p out)" '' 'a blank line between the tables'
is "$(sed -n 4p out)" "$(printf 'feature\tmean\tse\tfreq')" 'the header of features'
is "$(sed -n '5,$p' out | cut -f 1 | tr '\n' ' ')" \
    'm m+0 m/2 d0 d1 d2 d3 length length2 count:11 suffix:1 length:7 lcs:1111 edit:1111 ' 'their names'
motif-freq -m 1001 bits | awk 'NR == 2 { print $4 }' >share
near "$(cell m 4)" "$(cat share)" 1e-12 'the share of strings with the motif'
is "$(cell count:11 4)" nan 'a count is not a share of strings'
# L is 2 x 40 + 1.  On runs of ones, edit and lcs of 1111 have simple formulas: the longest run,
# and the largest number of ones within a substring minus its zeros.
awk -v L=81 '
function add(name, x) { s[name] += x; q[name] += x * x }
function run_of_ones(x,   n) { for (n = 4; n > 0; n--) if (index(x, substr("1111", 1, n))) return n; return 0 }
# least edit distance of a substring to 1111: cost of a substring is at least
# its zeros + what its ones lack of 4, or surplus
function least(x,   i, j, ones, zeros, c, best) {
    best = 4
    for (i = 1; i <= length(x); i++) {
        ones = zeros = 0
        for (j = i; j <= length(x) && j < i + 8; j++) {
            if (substr(x, j, 1) == "1") ones++; else zeros++
            # substitutions turn zeros into ones as long as ones are missing
            c = ones + zeros <= 4 ? zeros + 4 - ones - zeros : (zeros > ones + zeros - 4 ? zeros : ones + zeros - 4)
            if (c < best) best = c
        }
    }
    return best
}
{
    n = length($0); count = 0
    for (i = 1; i < n; i++)
        count += substr($0, i, 2) == "11"
    add("m", !index($0, "1001")); add("m+0", !index($0, "10010")); add("m/2", !index($0, "10"))
    add("d0", !/^0/); add("d1", !index($0, "1010")); add("d2", !index($0, "100100"))
    add("d3", !index($0, "00")); add("length", n / L); add("length2", (n / L) ^ 2)
    add("count:11", count / L); add("suffix:1", !/1$/); add("length:7", n != 7)
    add("lcs:1111", 1 - run_of_ones($0) / 4); add("edit:1111", least($0) / 4)
}
END {
    for (name in s)
        printf "%s %.15g %.15g\n", name, s[name] / NR, sqrt((q[name] - s[name] ^ 2 / NR) / (NR - 1) / NR)
}' bits >want
while read -r name mean se; do
    near "$(awk -F '\t' -v n="$name" '$1 == n { print $2 }' out)" "$mean" 1e-12 "mean of $name"
    near "$(awk -F '\t' -v n="$name" '$1 == n { print $3 }' out)" "$se" 1e-12 "error of $name"
done <want

printf '01\n11\n' | motif-freq --feature length --feature count:1 >out
is "$(cell length 2) $(cell count:1 2)" '1 0.75' 'strings of one length: that is L'
printf '01\n1\n' | motif-freq --feature length >out
is "$(cell length 2)" 0.3 'of several: L is 2 x longest + 1'
printf '01\n1\n' | motif-freq --feature length --feature length2 --max-length 10 >out
is "$(cell length 2) $(cell length2 2)" '0.15 0.025' '--max-length sets it'
printf 'ACGT\nGATT\n' | motif-freq -a ACGT -m A --feature prefix:GAT --feature lcs:TTT >out
is "$(cell A 3) $(cell prefix:GAT 2) $(cell lcs:TTT 2)" '2 0.5 0.5' 'another alphabet'

# L of a model: the means are those that gam-fit reports.
pfsa-gen -a ACGT -l 12 -b -o dna.pfsa
printf 'ACGT\nGAATT\n' >sites
gam-fit -q --base dna.pfsa --max-length 12 --feature length --feature count:T --lambda length=0 --lambda count:T=0 \
    --report fit -o sites.gam sites
motif-freq --model sites.gam --feature length --feature count:T sites >out
is "$(cell length 2) $(cell count:T 2)" "$(awk -F '\t' '$1 == "length" || $1 == "count:T" { printf "%s%s", n++ ? " " : "", $2 }' fit)" \
    '--model: L and the alphabet are those of the model'
near "$(cell length 2)" 0.375 1e-12 'L is 12'

# --- input ---

motif-freq -m 10001 --ft 1111111 --feature count:11 --occurrences bits >want
gzip -c bits >bits.gz
printf '%s' "$(cat bits)" >nonewline
sed "s/\$/$(printf '\r')/" bits >crlf
for file in bits.gz - nonewline crlf; do
    run motif-freq -m 10001 --ft 1111111 --feature count:11 --occurrences $file <bits
    cmp -s out want
    ok $? "the same from $file"
done
cat bits bits bits bits bits bits bits bits bits bits bits bits >many
for threads in 1 2 7; do
    motif-freq -j $threads -m 10001 --ft 1111111 --feature count:11 many >"by$threads"
done
cmp -s by1 by2 && cmp -s by1 by7
ok $? 'the same for any number of threads'
is "$(awk 'NR == 2 { print $2 }' by1)" 240000 'all of them'
head -n 5000 bits >first
tail -n +5001 bits | gzip >rest.gz
run motif-freq -m 10001 --ft 1111111 --feature count:11 --occurrences first rest.gz
cmp -s out want
ok $? 'several files make one table'
printf '1\n\n\n0' | motif-freq -m 1 >out
is "$(cell 1 2) $(cell 1 3)" '4 1' 'blank lines are strings; the last line may lack its newline'

run motif-freq -m 1 --occurrences --feature length /dev/null
is "$status" 0 'no strings at all'
has err 'no strings' 'which is told'
is "$(sed -n 2p out)" "$(printf '1\t0\t0\tnan\t0\t1\t0\tnan')" 'nothing is known then'
is "$(tail -n 1 out)" "$(printf 'length\tnan\tnan\tnan')" 'of features neither'
printf '11\n' | motif-freq --feature motif:1 >out
is "$(cell motif:1 2) $(cell motif:1 3)" '0 nan' 'no error from one string'

run motif-freq --json -m 10001 --feature length bits
is "$status" 0 'JSON'
has out '"motif": "10001", "strings": 20000, "with": ' 'motifs in JSON'
has out '"feature": "length", "mean": ' 'features in JSON'
if command -v python3 >/dev/null; then
    python3 -m json.tool out >/dev/null
    ok $? 'Python reads it'
fi

# --- bad input ---

printf '01\n0x\n' >bad
run motif-freq -m 1 -o table bits bad
is "$status" 1 'a bad file fails'
is "$(cat err)" "motif-freq: bad:2: 'x' in column 2 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out" 'names file and line'
[ ! -s out ] && [ ! -e table ]
ok $? 'and prints no table'
run motif-freq -m 1 no-such-file
is "$status" 1 'a missing file fails'
has err "'no-such-file'" 'and is named'
head -c 1000 /dev/zero | cat bits.gz - >padded.gz
is "$(motif-freq -m 1 padded.gz)" "$(motif-freq -m 1 bits.gz)" 'gzip data with padding'
head -c 1000 bits.gz >cut.gz
run motif-freq -m 1 cut.gz
is "$status" 1 'a truncated gzip file fails'
has err 'cut.gz' 'and is named'
printf '01\n0\0001\n' | motif-freq -m 1 2>err
is "$?" 1 'NUL fails'
has err 'standard input:2: byte 0x00 in column 2' 'and is shown'
motif-freq -m 1 bits >/dev/full 2>err
is "$?" 1 'a full disk fails'

# --- errors: arguments, then a part of the message ---

mistake() {
    text=$1
    shift
    run motif-freq "$@" bits
    is "$status" 2 "usage: $*"
    has err "$text" "$* says why"
}
mistake 'nothing to count' -a 01
mistake "--motif: word is empty" -m ''
mistake "--motif: '012': character 3 is not in the alphabet '01'; set the alphabet with -a" -m 012
mistake '--ft: requires exactly one --motif, got 0' --ft 1111111
mistake '--ft: requires exactly one --motif, got 2' --ft 1111111 -m 0 -m 1
mistake "--ft: '101': expected 7 bits" --ft 101 -m 0
mistake "--ft: requires the alphabet '01'" --ft 1000000 -m A -a ACGT
mistake "--feature: feature 'length' is given twice" --feature length --feature length
mistake "--feature: feature 'foo:1': not a feature" --feature foo:1
mistake "--max-length: '0'" --max-length 0 --feature length
mistake '--occurrences requires --motif' --occurrences --feature length
mistake "--alphabet: '0' is repeated" -a 00 -m 0
run motif-freq -m 1 - -
is "$status" 2 'stdin twice'

# --- expressions, counted by a table: parts of a block, empty lines, CR ---

{ cat bits; printf '\r\n\n'; } >"more"
for lines in 0 1 2 3 5 9 20002; do
    head -n $lines more >some
    tr -d '\r' <some >plain
    for expression in '1{3}0' '^$' '^0(01)*' '01$' '^1+$'; do
        n=$(grep -cE "$expression" plain)
        motif-freq -q --feature "regex:$expression" some >out
        awk -F '\t' -v n="$n" -v all=$lines 'NR == 2 { d = all == 0 ? $2 != "nan" : (1 - $2) * all - n }
            END { exit d < -1e-6 || d > 1e-6 }' out || echo "$lines $expression"
    done
done >wrong
is "$(cat wrong)" '' 'expressions as grep counts'

# --- an automaton as a feature ---

# begins and ends with 0
printf '0 1 1\n1 1 1\n1 2 2 0.7\n2 1 1\n2 2 2\n1\n' >ends.att
pfsa-gen --build -l 4 -m 11 -o four.pfsa
run motif-freq --feature fsa:ends.att --feature not:fsa:ends.att --feature fsa:four.pfsa bits
is "$(cell fsa:ends.att 2)" "$(grep -vcE '^0$|^0.*0$' bits | awk '{ printf "%.12g", $1 / 20000 }')" \
    'AT&T text'
is "$(cell not:fsa:ends.att 2)" "$(grep -cE '^0$|^0.*0$' bits | awk '{ printf "%.12g", $1 / 20000 }')" \
    'and its complement'
is "$(cell fsa:four.pfsa 2)" "$(grep -E '^....$' bits | grep -c 11 | awk '{ printf "%.12g", 1 - $1 / 20000 }')" \
    'a model'
pfsa-gen --build -l 6 -o fair
gam-fit -q --base fair --require fsa:ends.att --feature fsa:four.pfsa --lambda fsa:four.pfsa=1 -o g
rm ends.att four.pfsa
is "$(gam-sample -n 2000 g | sort -u | grep -cE '^0.*0$')" 16 'a GAM contains the automaton'
run motif-freq --feature fsa:ends.att bits
is "$status" 1 'a missing file'
has err "cannot open 'ends.att'" 'is named'

# --- features from a file ---

printf 'feature\tmean\n# a comment\n\nones = count:[1]@2..\t0.5\n  run \r\nlast = suffix:1' >known
run motif-freq --max-length 40 --feature 'count:[1]@2..' --feature run --feature suffix:1 bits
cut -f 2- out >want
run motif-freq --max-length 40 --features known bits
is "$(cut -f 1 out | tr '\n' ' ')" 'feature ones run last ' 'names, comments and a header'
cut -f 2- out >got
cmp -s got want
ok $? 'the same as given one by one'
motif-freq --max-length 40 --feature motif:1 --features known bits | cut -f 1 | sed -n 2p >got
is "$(cat got)" motif:1 'those of --feature first'
printf 'motif:1\nfeature\n' >bad
run motif-freq --features bad bits
is "$status" 1 'a header in the second line'
grep -q "^motif-freq: bad:2:1: feature 'feature': not a feature" err
ok $? 'names file, line and column'
printf 'motif:1\n  x = not:regex:1(0|1\tfield\n' >bad
run motif-freq --features bad bits
is "$(sed '2,$s/^/|/' err)" "motif-freq: bad:2:18: feature 'not:regex:1(0|1': position 2: missing ')'
|    1(0|1
|     ^" 'and points at the place'
echo | motif-freq --feature 'edit:01@..50%' --feature 'edit:01@50%..' --feature 'count:1@50%..' >out
is "$(cut -f 2 out | tail -n 3 | tr '\n' ' ')" '1 0 0 ' 'percentages of the empty string'
run motif-freq --feature "regex:$(printf '%0200d' 0)(" bits
is "$(tail -n 3 err | head -n 2 | wc -L) $(sed -n 3p err | tr -d ' ')" '41 ^' 'also in a long expression'
run motif-freq --features - - <known
is "$status" 2 'standard input is read once'

done_testing
