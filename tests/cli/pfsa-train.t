# SPDX-License-Identifier: MIT
# pfsa-train.t: automata learned from strings, and what the other tools do with them.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

letters=abcdefghijklmnopqrstuvwxyz
tr -s ' ' '\n' >words <<'END'
able about above action actor address adult advice affect after again agent agree ahead allow almost alone
along already always amount animal another answer anyone appear apply argue around arrive artist assume attack
attend author avoid battle beauty because become before begin behind believe benefit better between beyond
billion board border bottom bring brother budget build business button camera campaign cancer candidate capital
career carry catch cause center central century certain chair challenge chance change character charge check
child choice church citizen civil claim class clear close coach college common company compare computer concern
condition consider contain continue control could country couple course court cover create crime culture current
dark data daughter death debate decade decide decision deep defense degree design despite detail determine
develop dinner direction discover discuss disease doctor dream drive drop drug during each early economy edge
education effect effort eight either election employee energy enjoy enough enter entire environment especially
establish evening event ever every everyone evidence exactly example executive exist expect experience expert
explain face fact factor fail fall family father federal feel feeling field fight figure fill film final finally
financial find fine finger finish fire firm first fish five floor follow food foot force foreign forget former
forward four free friend from front full fund future game garden general generation girl give glass goal good
government great green ground group grow growth guess hair half hand hang happen happy hard have head health
hear heart heat heavy help here herself high himself history hold home hope hospital hotel hour house however
huge human hundred husband idea identify image imagine impact important improve include increase indeed indicate
END
awk 'NR % 4 > 0' words >D
awk 'NR % 4 == 0' words >T

# ce MODEL DATA
ce() {
    lm-eval "$1" "$2" | awk '$1 == "ce" { print $2 }'
}

# below A B NAME: the first number is less than the second
below() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a < b) }'
    ok $? "$3: $1 < $2"
}

# --- n-grams of strings of several lengths ---

run pfsa-train -a $letters -o auto.pfsa D
is "$status $(cat out err)" '0 ' 'trains in silence'
pfsa-train -a $letters --order 0 -o zero.pfsa D
below "$(ce auto.pfsa T)" "$(ce zero.pfsa T)" 'the chosen order beats order 0 on strings that were held out'
run model-info auto.pfsa
is "$(row kind) $(row tool) $(row seed) $(row max_length)" 'pfsa pfsa-train 1 unbounded' 'model-info says what it is'
is "$(row command)" "pfsa-train --alphabet $letters" 'the command without files'
order=$(row order)
smoothing=$(row smoothing)
loo=$(row loo_ce)
pfsa-train -v -a $letters D 2>tried >again.pfsa
cmp -s auto.pfsa again.pfsa
ok $? 'the same bytes again'
is "$(grep -c 'by leave-one-out' tried)" 10 'five orders and two methods are compared'
is "$(sort -t : -k 3n tried | sed -n '1s/pfsa-train: order \([0-9]*\), \([a-z]*\).*/\1 \2/p')" "$order $smoothing" \
    'the best by leave-one-out is taken'
pfsa-train -a $letters --order "$order" --smoothing "$smoothing" -o stated.pfsa D
model-convert --to att auto.pfsa >auto.att
model-convert --to att stated.pfsa | cmp -s - auto.att
ok $? 'stating what was chosen gives the same automaton'
below "$(ce auto.pfsa D)" "$loo" 'leave-one-out is not fooled by the strings themselves'
for smoothing in kn wb; do
    run pfsa-train -a $letters --smoothing $smoothing --order 2 -o $smoothing.pfsa D
    model-info $smoothing.pfsa >out
    is "$status $(row order) $(row smoothing)" "0 2 $smoothing" "--smoothing $smoothing is obeyed"
done
gzip -c D | pfsa-train -a $letters | model-convert --to att | cmp -s - auto.att
ok $? 'gzip data on stdin'
sed 's/$/\r/' D | pfsa-train -a $letters | model-convert --to att | cmp -s - auto.att
ok $? 'carriage returns are dropped'

# --- what others do with it ---

run pfsa-entropy kn.pfsa
near "$(row log_partition)" 0 1e-12 'pfsa-entropy: the probabilities of all strings sum to 1'
pfsa-gen -n 2000 kn.pfsa >S
near "$(ce kn.pfsa S)" "$(row entropy_per_char)" 0.03 'strings drawn from it have its entropy'
run gam-fit -q --base kn.pfsa --max-length 20 --feature suffix:e -o g.gam D
is "$status" 0 'gam-fit takes it as a base'
run lm-eval g.gam T
below "$(row ce)" "$(ce kn.pfsa T)" 'and a feature that holds improves it'

# --- strings of one length ---

pfsa-gen -l 12 -m 1011 -n 60 -o bits
run pfsa-train -o bits.pfsa bits
model-info bits.pfsa >out
is "$status $(row max_length) $(row acyclic)" '0 12 yes' 'the end is certain at the common length'
printf '101\n1011010110101\n' | lm-eval --per-string bits.pfsa 2>/dev/null | cut -f 1 >out
is "$(sort -u out)" '-inf' 'shorter and longer strings are impossible'
pfsa-train --order 40 bits | pfsa-entropy - >out
near "$(row log_partition)" 0 1e-12 'an order beyond the length'
printf '\n\n' | pfsa-train -o empty.pfsa
is "$(gam-sample -n 2 empty.pfsa | wc -c | tr -d ' ')" 2 'empty strings are strings'
printf '0110\n' | pfsa-train -o one.pfsa
is $? 0 'a single string'

# --- position-specific symbols ---

cat >sites <<'END'
TATAATGC
TATGATCC
TACAATGA
TATATTAC
GATAATTG
TATACTGT
TAAAATCA
TATAATTC
END
run pfsa-train -a ACGT --positional -o sites.pfsa sites
model-info sites.pfsa >out
is "$status $(row max_length) $(row order) $(row states)" '0 8 0 9' '--positional chooses order 0 for a few sites'
below "$(row loo_ce)" 1.232 'and does better than equal probabilities, 8/9 ln 4'
pfsa-train -a ACGT --order 0 --smoothing wb sites | model-info - >ngram
below "$(row loo_ce)" "$(row loo_ce ngram)" 'and than the composition alone'
# p_1(T) = (7 + K f) / (8 + K) with f = (N(T) + 1) / (64 + 4)
model-info sites.pfsa >out
want=$(awk -v k="$(row pseudo_count)" -v t="$(tr -cd T <sites | wc -c)" \
    'BEGIN { print (7 + k * (t + 1) / 68) / (8 + k) }')
got=$(pfsa-entropy --feature prefix:T sites.pfsa | awk '$1 == "moment:prefix:T" { print 1 - $2 }')
near "$got" "$want" 1e-5 'the first position is counts mixed with the composition'
# the second symbol repeats the first, positions differ
awk 'BEGIN { for (i = 0; i < 40; i++) { a = i % 2; b = int(i / 2) % 2; print a a b 1 - b } }' >pairs
pfsa-train --positional -o pairs.pfsa pairs
model-info pairs.pfsa >out
is "$(row order)" 1 'where neighbors depend on each other by position, order 1 is chosen'
pfsa-train --positional --order 0 -o independent.pfsa pairs
below "$(ce pairs.pfsa pairs)" "$(ce independent.pfsa pairs)" 'which fits better'

# --- merged states ---

# Strings with an even number of b.
printf '0\t0\t1\t.7\n0\t1\t2\t1.4\n0\t1.4\n1\t1\t1\t.4\n1\t0\t2\t1.1\n' |
    model-convert --from att -a ab -o even.pfsa
pfsa-gen -n 2000 even.pfsa -o E
pfsa-gen -n 2000 -s 2 even.pfsa -o F
run pfsa-train -v -a ab --merge -o merged.pfsa E
is "$status $(grep -c 'held out$' err)" '0 4' '--merge compares thresholds'
model-info merged.pfsa >out
is "$(row states)" 2 '--merge finds the states of the source'
near "$(row held_out_ce)" "$(pfsa-entropy even.pfsa | awk '$1 == "entropy_per_char" { print $2 }')" 0.02 \
    'and predicts strings that it holds back'
pfsa-train -a ab -o ngram.pfsa E
below "$(ce merged.pfsa F)" "$(ce ngram.pfsa F)" 'no n-gram model does'
pfsa-train -s 7 -j 2 -a ab --merge E | model-convert --to att >seven
model-convert --to att merged.pfsa | cmp -s - seven
ok $? 'seed and threads have no influence'
pfsa-train -a ab --merge -q <<END | model-info - | grep -c '^held_out_ce' >found
ab
b
END
is "$(cat found)" 0 'few strings: nothing is held back'

done_testing
