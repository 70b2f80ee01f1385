# SPDX-License-Identifier: MIT
# pfsa-gen.t: strings of every kind of process, models, determinism, mistakes.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# --- processes ---

run pfsa-gen -l 30
is "$status" 0 'draws'
is "$(wc -l <out | tr -d ' ')" 1 'one string by default'
is "$(tr -d '01' <out | tr -d '\n')" '' 'of zeros and ones'

run pfsa-gen -l 30 -m 10001011111000 -n 5000
is "$(grep -c '^[01]\{30\}$' out)" 5000 'strings of 30 bits'
is "$(grep -c 10001011111000 out)" 5000 'all with the motif'

run pfsa-gen -l 20 -m 0110 -m 1001 -x 000 -x 111 -n 2000
is "$(grep 0110 out | grep -c 1001)" 2000 'two motifs in all strings'
grep -q -e 000 -e 111 out
is $? 1 'and no exclusion'

# 0.9 within 5 standard deviations, sqrt(.09 / 20000): false alarm 6e-7
run pfsa-gen -l 30 -m 10001011111000 --mix 0.9 -n 20000
near "$(grep -c 10001011111000 out)" 18000 213 'a mixture has its share of the motif'

run pfsa-gen -l 25 --p1 0.1 -n 8000
near "$(tr -d '0\n' <out | wc -c)" 20000 671 'a biased bit: 20000 of 200000 ones, 5 deviations'

run pfsa-gen -a ACGT --probs 0,.5,.25,.25 -l 10 -n 4000
grep -q A out
is $? 1 'a symbol of probability 0 never comes'
near "$(tr -d 'GT\n' <out | wc -c)" 20000 500 'one of probability 1/2 half the time'

# mean (1-P)/P = 9, deviation sqrt(90 / 20000) = 0.067
run pfsa-gen --stop 0.1 -n 20000
near "$(awk '{ n += length($0) } END { print n / NR }' out)" 9 0.335 'a geometric length'
near "$(grep -c '^$' out)" 2000 212 'a tenth of them empty'

run pfsa-gen -l 0 -n 2
is "$(od -An -c out | tr -d ' ')" '\n\n' 'strings of length 0 are empty lines'
run pfsa-gen -l 5 -n 0
is "$status$(wc -c <out | tr -d ' ')" 00 'no strings at all'
run pfsa-gen -l 4 -m 0 -l 6 -n 1
is "$(tr -d '\n' <out | wc -c | tr -d ' ')" 6 'if an option is repeated, the last one wins'

# --- values of features before the strings ---

printf 'ones = count:1\n' >listed
pfsa-gen -l 12 -m 011 -n 3000 -s 3 >drawn
run pfsa-gen -l 12 -m 011 -n 3000 -s 3 --ft 1100000 --feature run@..5 --features listed
is "$status" 0 'with features'
cut -f 5 out | cmp -s - drawn
ok $? 'the strings are the same'
awk '{ ones = gsub(/1/, "1")
       print 0, !/0110/, /000000|111111/ ? 1 : 0, ones, $0 }' drawn >expected
awk '{ printf "%s %s %s %.0f %s\n", $1, $2, $3, 12 * $4, $5 }' out | cmp -s - expected
ok $? 'their values are before them, in the order of the options'
pfsa-gen -l 12 -m 011 -n 3000 -s 3 --ft 1100000 --feature run@..5 --features listed -j 3 | cmp -s - out
ok $? 'the same for any number of threads'
pfsa-gen -b -l 4 -a 'at é' --tokens -o tokens.pfsa
run pfsa-gen -n 100 --feature 'motif:at é' tokens.pfsa
is "$(awk -F '\t' '$1 != !index($2, "at é")' out | wc -l)" 0 'of tokens'
is "$(pfsa-gen -s 9 --stop .2 --max-length 40 --feature length -n 400 |
    awk -F '\t' '$1 - length($2) / 40 > 1e-12 || length($2) / 40 - $1 > 1e-12' | wc -l)" 0 \
    'lengths relative to --max-length'

# --- determinism ---

pfsa-gen -l 40 -m 1101 --mix .3 -n 60000 -j 1 >one
for threads in 2 3 8; do
    pfsa-gen -l 40 -m 1101 --mix .3 -n 60000 -j $threads | cmp -s - one
    ok $? "the same bytes with $threads threads"
done
pfsa-gen -l 40 -m 1101 --mix .3 -n 100 | cmp -s - "$(head -n 100 one >few && echo few)"
ok $? 'the first strings do not depend on the count'
pfsa-gen -l 40 -m 1101 --mix .3 -n 60000 -s 2 | cmp -s - one
is $? 1 'another seed, other strings'

# --- models ---

run pfsa-gen -l 40 -m 1101 --mix .3 -b -o m.pfsa
is "$status" 0 'builds a model'
is "$(wc -c <out | tr -d ' ')" 0 'and writes it where it should'
run pfsa-gen -n 60000 m.pfsa
cmp -s out one
ok $? 'the model gives the strings of its options'
run sh -c 'pfsa-gen -n 60000 - <m.pfsa'
cmp -s out one
ok $? 'also from a pipe'
pfsa-gen -l 40 -m 1101 --mix .3 --build | cmp -s - m.pfsa
ok $? 'the same options give the same file'
head -c 400 m.pfsa >short.pfsa
run pfsa-gen short.pfsa
is "$status" 1 'a truncated model is refused'
has err 'pfsa-gen: short.pfsa: ' 'by name'
run pfsa-gen no-such.pfsa
is "$status" 1 'a missing model'
has err "'no-such.pfsa'" 'is named'

# --- mistakes ---

# refused STATUS TEXT ARGUMENT...: nothing on stdout
refused() {
    want=$1
    text=$2
    shift 2
    run pfsa-gen "$@"
    is "$status" "$want" "exit $want: pfsa-gen $*"
    has err "$text" "$text"
    [ ! -s out ]
    ok $? 'and no output'
}
refused 2 'missing required option --length N or --stop P'
refused 2 '--length cannot be combined with --stop' -l 5 --stop .5
refused 2 '--p1 cannot be combined with --probs' -l 5 --p1 .5 --probs .5,.5
refused 2 '--mix requires exactly one --motif, got 0' -l 5 --mix .5
refused 2 '--mix requires exactly one --motif, got 2' -l 5 --mix .5 -m 0 -m 1
refused 2 '--length cannot be combined with the model' -l 5 m.pfsa
refused 2 '--build cannot be combined with the model' -b m.pfsa
refused 2 '--build cannot be combined with --count' -b -n 3 -l 5
refused 2 "--length: 'ten' is not" -l ten
refused 2 "--length: '-1' is not" -l -1
refused 2 "--length: '1048577' is not" -l 1048577
refused 2 "--stop: '0' is not" --stop 0
refused 2 "--mix: '1.5' is not" -l 5 -m 1 --mix 1.5
refused 2 "--p1: 'nan' is not" -l 5 --p1 nan
refused 2 "--probs: '.5,.6' sums to 1.1" -l 5 --probs .5,.6
refused 2 "--probs: '.5,.5000001' sums to 1.0000001" -l 5 --probs .5,.5000001
refused 2 "--motif: '012': character 3" -l 5 -m 012
refused 2 "--exclude: word is empty" -l 5 -x ''
refused 2 "--alphabet: 'A' is repeated" -l 5 -a AA
refused 2 "--count: 'x' is not" -l 5 -n x
refused 2 'unexpected operand' a b
refused 1 'no string of length 3 satisfies' -l 3 -m 0101
refused 1 'no string of length 3 satisfies' -l 3 -m 01 -x 1
refused 1 'no string satisfies' --stop .5 -m 01 -x 1
# Parts of a sample.
for i in 1 2 3; do
    pfsa-gen -l 3 -n 80000 --shard "$i/3" >"part$i"
done
is "$(wc -l <part1) $(wc -l <part2) $(wc -l <part3)" '26667 26667 26666' 'parts have equal counts'
sort part[123] | uniq -c | awk '{ d = $1 - 10000; chi += d * d / 10000 }
    END { exit !(NR == 8 && chi < 41) }' # 7 degrees of freedom, 1e-6
ok $? 'and together the distribution'
! cmp -s part1 part2
ok $? 'they differ'
refused 2 '--shard' -l 3 --shard 3/2
refused 2 '--build cannot be combined with --shard' -b -l 3 --shard 1/2
# The options are recorded in the model, as far as there is room.
long=$(printf '%0100000d' 4)
pfsa-gen -b -l "$long" -l "$long" -o long.pfsa
is "$(model-info long.pfsa | sed -n 's/^command.//p')" \
    "pfsa-gen --build --length $long --length $long" 'a command of 200 kB is recorded as it was'
refused 2 'options have more than 524288 characters in total' -b -l "$long" -l "$long" -l "$long" \
    -l "$long" -l "$long" -l "$long"
pfsa-gen -l 30 -n 100000 2>err >/dev/full
is $? 1 'a full disk exits 1'
has err 'standard output' 'and is named'
run pfsa-gen -l 3 -m 0101 -o never
[ ! -e never ]
ok $? 'no file is left after a failure'
if has_terminals; then
    script -qec 'pfsa-gen -b -l 3; echo "status $?"' /dev/null </dev/null >out 2>&1
    has out 'refusing to write a model to a terminal' 'a model is not written to a terminal'
    has out 'status 2' 'which is a mistake'
else
    skip 'a model is not written to a terminal' 'no script(1), or no terminals for it'
fi
run sh -c 'pfsa-gen -l 30 -n 10000000 | head -n 1 | wc -l | tr -d " "'
is "$(cat out)$(cat err)" 1 'a closed pipe is silent'

done_testing
