# SPDX-License-Identifier: MIT
# gam-sample.t: the distribution of samples, reproducibility, budgets, errors.  Chi-square tests
# have a false-alarm rate of 1e-6 each, once, when the seed was chosen.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

pfsa-gen --build -l 8 -m 1011 -o motif
pfsa-gen --build --stop 0.2 --p1 0.7 -o geometric
pfsa-gen --build -l 3 -o noise
pfsa-gen --build -l 30 -o long
pfsa-gen -l 6 -n 300 | lstm-train -q --hidden 6 --layers 2 --steps 60 --lr 0.02 -o lstm

# --- the distribution ---

awk 'function grow(x) { print x; if (length(x) < 9) { grow(x "0"); grow(x "1") } }
    BEGIN { grow("") }' >all

# fits MODEL FILE: the strings of FILE against the model's probabilities given
# at most 9 symbols; cells of less than 10 are pooled.  Wilson and Hilferty's
# normal deviate of the chi-square must be below 4.753 (1e-6).
fits() {
    lm-eval -q --per-string "$1" all | awk -F '\t' '
        NR == FNR { p[$2] = exp($1); mass += exp($1); next }
        { seen[$1]++; n++; if (!($1 in p) || p[$1] == 0) impossible++ }
        END {
            for (x in p) {
                e = p[x] / mass * n
                if (e < 10) { pe += e; ps += seen[x]; continue }
                chi += (seen[x] - e) ^ 2 / e; df++
            }
            if (pe >= 1) { chi += (ps - pe) ^ 2 / pe; df++ }
            df--
            h = 2 / (9 * df)
            z = ((chi / df) ^ (1 / 3) - (1 - h)) / sqrt(h)
            printf "#   chi-square %.1f, %d degrees of freedom, z = %.2f\n", chi, df, z
            exit impossible > 0 || z >= 4.753
        }' - "$2"
}

for model in motif geometric lstm; do
    run gam-sample -n 50000 --max-length 9 $model
    is "$status $(wc -l <out)" '0 50000' "$model: draws"
    fits $model out
    ok $? "$model: the distribution fits"
    run gam-sample -n 10000 --max-length 9 --plain $model
    is "$status $(wc -l <out)" '0 10000' "$model: draws with --plain"
    fits $model out
    ok $? "$model: the distribution of --plain fits"
done

# Parts of a sample: of an automaton by tables and symbol by symbol, of a network.
# parts MODEL TOTAL [OPTION...]: the seven parts of a sample, one after the other, into `out`
parts() {
    model=$1
    total=$2
    shift 2
    for i in 1 2 3 4 5 6 7; do
        gam-sample -n "$total" --max-length 9 --shard "$i/7" "$@" "$model" >"part$i"
    done
    cat part[1-7] >out
}
for model in motif geometric lstm; do
    parts "$model" 50000
    is "$(wc -l <part1) $(wc -l <part7) $(wc -l <out)" '7143 7142 50000' "$model: parts have equal counts"
    fits "$model" out
    ok $? "$model: the parts together fit the distribution"
    gam-sample -n 50000 --max-length 9 -j 1 --shard 3/7 "$model" | cmp -s - part3
    ok $? "$model: a part is the same with another number of threads"
    ! cmp -s part1 part2
    ok $? "$model: parts differ"
    gam-sample -n 500 --max-length 9 "$model" >whole
    gam-sample -n 500 --max-length 9 --shard 1/1 "$model" | cmp -s - whole
    ok $? "$model: one part is the whole"
    parts "$model" 7000 --plain
    fits "$model" out
    ok $? "$model: the parts with --plain fit the distribution"
    ! cmp -s part1 part2
    ok $? "$model: parts with --plain differ"
done
for bad in 0/2 3/2 2 /2 1/ 1/0 x/y 1/2/3 ''; do
    run gam-sample --shard "$bad" motif
    is "$status $(grep -c -e '--shard: ' err)" '2 1' "--shard '$bad' is refused"
done

# Constraints on a model of any kind; the expected share of the strings is the model's own.
# given FILE: the share of its probabilities, among those of at most L symbols, that is allowed
given() {
    awk -F '\t' -v n="$2" 'length($2) <= n { all += exp($1) }
        length($2) <= n && $2 ~ /^0*1/ && $2 !~ /111/ { s += exp($1) }
        END { printf "%.12g", s / all }' "$1"
}
# keeps to them
allowed() { awk '!/^0*1/ || /111/ { bad++ } END { exit bad > 0 }' "$1"; }
for model in motif geometric lstm; do
    longest=$(model-info $model | awk '$1 == "max_length" && $2 < 9 { print $2 }')
    set -- --max-length "${longest:-9}" --require 'regex:^0*1' --forbid motif:111
    run gam-sample -n 20000 --stats stats "$@" $model
    is "$status $(wc -l <out)" '0 20000' "$model: draws with constraints"
    allowed out
    ok $? "$model: strings meet the constraints"
    lm-eval -q --per-string $model all >scores
    near "$(row constraint_probability stats)" "$(given scores "${longest:-9}")" \
        "$(awk '$1 == "constraint_probability_se" { print 5 * $2 + 1e-12 }' stats)" \
        "$model: their probability"
done
is "$(row constraint_probability_se stats | awk '{ print ($1 > 0 && $1 < 0.01) }')" 1 'its error'
lm-eval -q --per-string --require 'regex:^0*1' --forbid motif:111 lstm all >scores
gam-sample -n 20000 --require 'regex:^0*1' --forbid motif:111 lstm | awk -F '\t' '
    NR == FNR { p[$2] = exp($1); mass += exp($1); next }
    { seen[$1]++; n++ }
    END { for (x in p) if (p[x] * n > 100) { d = (seen[x] - p[x] * n) ^ 2 / (p[x] * n); if (d > 28) bad++ }
        exit bad > 0 || mass < 0.98 || mass > 1.02 }' scores -
ok $? 'lm-eval scores given the constraints, and the strings are drawn so'

# GAMs with given weights; the data do not matter then.
for base in geometric lstm; do
    echo 0110 | gam-fit -q --base $base --max-length 9 --feature motif:0110 --feature length \
        --feature suffix:1 --lambda motif:0110=-6 --lambda length=3 --lambda suffix:1=-inf -o gam.$base
    run gam-sample -n 50000 --stats stats gam.$base
    is "$status $(wc -l <out)" '0 50000' "GAM on $base: draws"
    fits gam.$base out
    ok $? "GAM on $base: the distribution fits"
    run gam-sample -n 20000 --method exact --stats stats gam.$base
    fits gam.$base out
    ok $? "GAM on $base: the distribution of --method exact fits"
    run gam-sample -n 3000 --plain --stats plain gam.$base
    fits gam.$base out
    ok $? "GAM on $base: the distribution of --plain fits"
    # Both estimate Z / b: 5 standard errors of the difference.
    awk -F '\t' 'NR == FNR { v[$1] = $2; next } { w[$1] = $2 }
        END { p = v["acceptance_rate"]; q = w["acceptance_rate"]
            exit (p - q) ^ 2 > 25 * q * (1 - q) * (1 / v["proposals"] + 1 / w["proposals"]) }' stats plain
    ok $? "GAM on $base: the acceptance rates agree"
done
awk -F '\t' '!/1$/ { bad++ } length($0) > 9 { bad++ } END { exit bad > 0 }' out
ok $? 'a hard constraint and the maximum length hold'

# A motif that the base has in 2 strings of 1000.
m=1000101111100
pfsa-gen -l 30 -m $m -n 10 | gam-fit -q --base long -m $m --ft 1000000 --lambda m=-9 -o rare.gam
run limited 250000 gam-sample -j 1 -n 20000 --method exact --stats stats rare.gam
is "$status $(wc -l <out)" '0 20000' 'rare: draws, in bounded memory'
run gam-sample -n 500 --plain --stats plain rare.gam
awk -F '\t' 'NR == FNR { v[$1] = $2; next } { w[$1] = $2 }
    END { exit !(w["model_steps"] / 500 * 20000 > 100 * v["model_steps"]) }' stats plain
ok $? 'rare: 100 times fewer steps than the textbook loop'
near "$(row acceptance_rate stats)" 0.0023 0.0001 'rare: the rate is that of textbook rejection'
run gam-sample -n 1000 --method exact --max-proposals 20000 --stats stats rare.gam
is "$status $(row proposals stats)" '3 20000' 'rare: the budget ends'
is "$(wc -l <out)" "$(row strings stats)" 'rare: what there is comes out'
for j in 1 3; do
    gam-sample -j $j -n 2000 rare.gam >j$j
    gam-sample -j $j -n 2000 --method exact rare.gam >exact$j
done
cmp -s j1 j3 && cmp -s exact1 exact3
ok $? 'rare: the same strings for any -j'
run gam-sample -n 20000 --stats stats rare.gam
is "$status $(row acceptance_rate stats) $(row method stats)" '0 1 automaton' \
    'rare: over an automaton no string is rejected'
awk -F '\t' '{ v[$1] = $2 } END { exit !(v["model_steps"] <= 30 * v["strings"]) }' stats
ok $? 'rare: and takes no more steps than it has symbols'
near "$(motif-freq -m $m out | awk 'NR == 2 { print $4 }')" 0.9468 0.008 'rare: the motif is as frequent as Z says'

# A motif that geometric lengths rarely have; no maximum length.
pfsa-gen --build --stop .032 -o stop.pfsa
echo 10001011111000 | gam-fit -q --base stop.pfsa --feature motif:10001011111000 \
    --lambda motif:10001011111000=-inf -o hard.gam
run gam-sample -n 2000 --stats stats hard.gam
is "$(motif-freq -m 10001011111000 out | awk 'NR == 2 { print $3 }')" 2000 'a hard constraint, any length'
awk -F '\t' 'NR == FNR { v[$1] = $2; next } { n += length($0) } END { exit !(v["model_steps"] <= n) }' stats out
ok $? 'no more steps than symbols'
# If the product is too large, the other methods remain.
echo 10001011111000 | gam-fit -q --base stop.pfsa --max-length 1000000 --feature motif:10001011111000 \
    --lambda motif:10001011111000=-1 --regime snis --samples 100 -o big.gam
run gam-sample -n 20 big.gam
is "$status $(wc -l <out)" '0 20' 'too large for a product: draws all the same'
has err "product of automaton and features is too large; sampling by 'rejection' instead" 'and says how'
gam-sample -n 50 --max-length 20 rare.gam >out 2>err
is "$? $(cat err)" '1 gam-sample: no string has at most 20 symbols; the shortest string of the model has 30' \
    'rare: no string of the base is so short'
gam-sample -n 500 --max-length 7 gam.geometric | awk 'length($0) > 7 { bad++ } END { exit bad > 0 }'
ok $? 'a GAM takes a shorter maximum length'
gam-sample -n 500 --max-length 20 gam.geometric | awk 'length($0) > 9 { bad++ } END { exit bad > 0 }'
ok $? 'but not a longer one'

# Over several rounds (one holds about a million): every line, shuffled.
gam-sample -n 2500000 noise >out
is "$(wc -l <out)" 2500000 'several rounds'
# Strings at the same place in two rounds are independent: half of them begin alike.
near "$(awk 'NR <= 1048576 { first[NR] = substr($0, 1, 3); next }
    { n++; same += first[NR - 1048576] == substr($0, 1, 3) } NR == 2097152 { exit }
    END { print same / n }' out)" 0.125 0.003 'each in an order of its own'
sort out | uniq -c | awk '{ d = $1 - 312500; chi += d * d / 312500 }
    END { exit !(NR == 8 && chi < 41) }' # 7 degrees of freedom, 1e-6
ok $? 'are evenly distributed'
# Neighbors are equal one time in eight: 5 standard errors.
awk 'NR > 1 && $1 == last { same++ } { last = $1 }
    END { d = same - NR / 8; exit !(d * d < 25 * NR * 7 / 64) }' out
ok $? 'and in random order'

# --- statistics ---

run gam-sample -n 5000 --max-length 2 --stats stats geometric
is "$(cut -f 1 stats | tr '\n' ' ')" \
    'method strings proposals accepted acceptance_rate dropped model_steps ess tvd tvd_hi95 seconds ' 'the rows of --stats'
is "$(row strings stats)" 5000 'strings written'
is "$(($(row accepted stats) + $(row dropped stats)))" "$(row proposals stats)" \
    'what is begun is accepted or dropped'
[ "$(row accepted stats)" -ge 5000 ]
ok $? 'enough were accepted'

# Strings of 20 letters share few prefixes, so several rounds approach the number requested.
pfsa-gen -b -l 20 -a protein -o protein.pfsa
pfsa-gen -n 50 protein.pfsa |
    gam-fit -q --base protein.pfsa --feature motif:AC --lambda motif:AC=-10 -o protein.gam
for count in 2200 5000; do
    gam-sample -n $count --method exact --stats surplus protein.gam >/dev/null
    [ "$(row accepted surplus)" -le $((count + count / 20)) ]
    ok $? "at most 5 % surplus for $count strings"
done
# 1 - .8^3 of the strings end within 2 symbols; 5 standard errors
near "$(row acceptance_rate stats)" 0.488 0.03 'the acceptance rate'
[ "$(row model_steps stats)" -le 30 ]
ok $? 'a step for each distinct prefix'
run gam-sample -n 500 --max-length 2 --plain --stats stats geometric
is "$(row accepted stats)" 500 '--plain: accepted'
[ "$(row model_steps stats)" -gt 500 ]
ok $? '--plain: a step for each character'

# --- the same bytes ---

for model in long lstm; do
    gam-sample -j 1 -n 20000 -s 7 $model >one
    for threads in 2 3 8; do
        gam-sample -j $threads -n 20000 -s 7 $model | cmp -s - one
        ok $? "$model: the same strings with $threads threads"
    done
    gam-sample -n 20000 -s 8 $model | cmp -s - one
    is $? 1 "$model: another seed, other strings"
done

# --- numbers of strings ---

run gam-sample -n 0 --stats stats motif
is "$status $(wc -c <out) $(row proposals stats) $(row acceptance_rate stats)" '0 0 0 nan' 'no strings'
run gam-sample motif
is "$status $(wc -l <out)" '0 1' 'one by default'
run gam-sample -n 3 --max-length 0 geometric
is "$status $(wc -c <out)" '0 3' 'only the empty string'
limited 250000 gam-sample -j 1 -n 6000000 noise | wc -l >count
is "$(tr -d ' ' <count)" 6000000 'millions in bounded memory'
gam-sample -n 1000000000000 noise 2>err | head -n 1 >out
is "$(wc -l <out) $(wc -c <err)" '1 0' 'a closed pipe ends it in silence'
gam-sample -n 100 - <motif >out
is "$(wc -l <out)" 100 'reads the model from the standard input'
run gam-sample -n 100 -o file motif
is "$(wc -l <file)" 100 'writes to a file'

# --- the budget ---

for plain in '' --plain; do
    # shellcheck disable=SC2086 # empty or one word
    run gam-sample -n 1000 --max-length 0 --max-proposals 500 --stats stats $plain geometric
    is "$status" 3 "${plain:-tree}: the budget ends"
    is "$(row proposals stats)" 500 'it is used up'
    is "$(wc -l <out)" "$(row strings stats)" 'what there is comes out'
    [ "$(row strings stats)" -gt 50 ] && [ "$(row strings stats)" -lt 150 ]
    ok $? 'a fifth of it'
    has err "acceptance rate of 0." 'the rate is told'
    has err '500 proposals gave' 'and the budget'
done
pfsa-gen --build --stop 0.00001 -o endless
run gam-sample -n 10 --max-length 1 --max-proposals 1000 -o file endless
is "$status $(wc -c <file)" '3 0' 'when nothing is accepted the file is empty'

# --- mistakes ---

run gam-sample -n -1 motif
is "$status" 2 'a negative number is refused'
has err "'-1'" 'and named'
run gam-sample -n 1 --max-proposals 0 motif
is "$status" 2 'no proposals are refused'
run gam-sample --stats - motif
is "$status" 2 'strings and statistics do not go to the same place'
run gam-sample motif motif
is "$status" 2 'one model'
run gam-sample missing
is "$status" 1 'a missing model fails'
has err missing 'and is named'
head -c 200 lstm >short
run gam-sample -o never short
is "$status" 1 'a truncated model fails'
[ ! -e never ]
ok $? 'and leaves no file'
printf '0101\n' >text
run gam-sample text
is "$status" 1 'strings are not a model'
gam-sample -n 100000 noise >/dev/full 2>err
is $? 1 'a full disk is a failure'
run gam-sample -n 5 --stats /dev/full motif
is "$status" 1 'also for the statistics'

# --- guided proposals ---

# A base of motif strings that cannot all be completed without 0110: some proposals cannot end.
pfsa-gen --build -l 9 -m 11011 -o hidden
pfsa-gen -l 9 -m 11011 -n 50 |
    gam-fit -q --base hidden --feature count:0110 --lambda count:0110=-inf -o hidden.gam
run gam-sample -n 20000 --weighted hidden.gam
is "$status" 0 '--weighted runs'
log_z=$(echo 110111111 | lm-eval hidden.gam | awk '$1 == "log_z" { print $2 }')
# 4 standard errors, of the weights and of the share that ends
awk -v log_z="$log_z" '{ s += exp($1) } END {
    d = log(s / NR) - log_z; exit !(NR == 20000 && d < 0.012 && d > -0.012) }' out
ok $? '--weighted: the mean weight is Z'
run gam-sample -n 20000 --method guided --stats stats hidden.gam
awk '{ v[$1] = $2 } END { share = v["dropped"] / v["proposals"]
    exit !(share > 0.05 && share < 0.2) }' stats
ok $? 'guided: a tenth of the proposals is dropped'

# A network whose strings have one length: what it can never generate is refused at once.
pfsa-gen -l 10 -n 60 | lstm-train -q --hidden 4 --steps 20 -o ten
run gam-sample --require length@..9 --require motif:111 --forbid motif:0000 ten
is "$status" 1 'a length that the network never has'
has err 'satisfies the constraints: require length@..9' 'is named'

# Parts of a guided sample accept alike: the same guide, the same bound.
for i in 1 2; do
    gam-sample -n 4000 --method guided --shard "$i/2" --stats "stats$i" hidden.gam >"part$i"
done
cat part1 part2 >out
fits hidden.gam out
ok $? 'guided: the parts together fit the distribution'
! cmp -s part1 part2
ok $? 'guided: parts differ'
is "$(grep tvd stats1)" "$(grep tvd stats2)" 'guided: parts have one bound'

# The base must place a motif; the features do not depend on it, and favor few 1s.
pfsa-gen --build -l 30 -m 10001011111000 -o hidden
pfsa-gen -l 30 -m 10001011111000 -n 50 |
    gam-fit -q --base hidden --feature count:1 --lambda count:1=-100 -o hidden.gam
run gam-sample -q -n 100 --method guided hidden.gam
is "$status" 3 'poor weights are refused'
has err 'no strings: the guided proposal has an effective sample size of' 'with their figure'
is "$(wc -l <out)" 0 'and nothing is written'
run gam-sample -q -n 100 --method guided --stats stats hidden.gam
is "$(awk '$1 ~ /^tvd/ { print $2 }' stats)" "$(printf 'nan\nnan')" 'a refused run has no distance'
run gam-sample -q -n 100 --weighted hidden.gam
is "$status" 3 'weighted strings are written, with exit status 3'
has err 'unreliable weights: ' 'and the reason'
is "$(wc -l <out)" 100 'all of them'

# The same over a mixture, which is no automaton: rejection gives all of them.
lm-mix --weights 0.5,0.5 hidden hidden -o mixed
gam-fit -q --base mixed --feature count:1 --lambda count:1=-100 -o mixed.gam
run gam-sample -q -n 300 --stats stats mixed.gam
is "$status $(wc -l <out)" '0 300' 'auto: rejection is the last resort'
is "$(awk '$1 == "method" || $1 ~ /^tvd/ { print $2 }' stats)" "$(printf 'rejection\n0\n0')" 'and is exact'
gam-sample -n 300 --method exact mixed.gam >expected
cmp -s expected out
ok $? 'the strings of --method exact'

# The base hardly ever lacks the motif that the GAM forbids, and a guide cannot know where to leave it.
pfsa-gen --build -l 30 -o thirty
lm-mix --weights 0.9999,0.0001 hidden thirty -o mixed
gam-fit -q --base mixed --forbid motif:10001011111000 -o mixed.gam
run gam-sample -n 20000 --stats stats mixed.gam
is "$status $(awk '$1 == "method" { print $2 }' stats)" '0 rejection' 'auto: the cheaper method'

# Fewer ones still: all proposals are one string of equal weight, and 16 of 17 are missed.
pfsa-gen -l 30 -m 10001011111000 -n 50 |
    gam-fit -q --base hidden --feature count:1 --lambda count:1=-300 -o hidden.gam
for seed in 1 4; do
    run gam-sample -q -n 100 -s $seed --method guided hidden.gam
    is "$status" 3 "seed $seed: a guide with perfect weights that misses most is refused"
    has err 'guid' 'with the reason'
    is "$(wc -l <out)" 0 'and nothing is written'
done

done_testing
