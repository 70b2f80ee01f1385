# SPDX-License-Identifier: MIT
# gam-fit.t: weights against closed forms and against each other, the complete pipeline,
# reports, reproducibility, errors.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

m=10001011111
pfsa-gen --build -l 20 -o noise
pfsa-gen --build -l 20 --p1 0.7 -o biased
pfsa-gen --build -l 20 -m 0011001 -o motif
pfsa-gen -l 20 -m $m --mix 0.8 -n 2000 -o D
pfsa-gen -l 20 -m $m -n 1000 -o pure
pfsa-gen -l 20 -m $m --mix 0.8 -n 1000 -s 2 -o T

# cell FEATURE COLUMN [FILE]: of the report's table
cell() {
    awk -F '\t' -v f="$1" -v c="$2" '$1 == "feature" { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == f { print $at[c] }' "${3:-report}"
}

# --- stated means ---

# lambda = log(t / (1 - t)) - log((1 - f) / f) as below, with a mean that is stated.
run gam-fit --base noise --feature motif:$m --target motif:$m=0.25 --report report -o stated </dev/null
is "$status" 0 'a target needs no data'
f=$(pfsa-entropy -l 20 -m $m | awk '$1 == "partition" { print $2 }')
near "$(cell motif:$m lambda)" "$(awk -v f="$f" 'BEGIN { printf "%.12g", log(0.25 / 0.75) - log((1 - f) / f) }')" \
    1e-9 'the weight of a stated mean'
near "$(cell motif:$m model)" 0.25 1e-12 'is met without a prior'
model-convert --to pfsa -o stated.pfsa stated
pfsa-entropy --relative-to noise stated.pfsa >exact
near "$(row kl report)" "$(row kl exact)" 1e-12 'the price of the knowledge is KL(P || r)'
is "$(row kl_se report) $(row strings report)" '0 0' 'exactly, from no strings'
for regime in guided rs snis; do
    run gam-fit --base noise --feature motif:011 --feature count:11 --target motif:011=0.25 \
        --target count:11=0.2 --regime $regime --report report -o g
    near "$(cell motif:011 model)" 0.25 "$(awk 'BEGIN { print 5 * 0.01 }')" "$regime: the mean is met"
    gam-fit --base noise --feature motif:011 --feature count:11 --report exact -o g \
        --lambda "motif:011=$(cell motif:011 lambda)" --lambda "count:11=$(cell count:11 lambda)"
    near "$(row kl report)" "$(row kl exact)" "$(awk '$1 == "kl_se" { print 5 * $2 }' report)" \
        "$regime: KL within its error"
    awk '$1 == "kl_se" && $2 > 0 && $2 < 0.1 { found = 1 } END { exit !found }' report
    ok $? "$regime: which is small"
done
echo 11 >rest
(gam-fit -q --base noise --require motif:01 -o g && cat) <rest >out
is "$(cat out)" 11 'stdin is not read'
printf 'first = motif:011\ncount:1\n' >listed
for stated in '--lambda first=-1 --lambda count:1=2' '--target first=0.4 --target count:1=0.6' \
    '--lambda first=-1 --target count:1=0.6'; do
    # shellcheck disable=SC2086
    (gam-fit -q --base noise --features listed $stated -o g && cat) <rest >out
    is "$(cat out)" 11 "stdin is not read with a file of features and $stated"
done
run gam-fit --base noise --features listed --lambda first=-1 --target count:1=0.6 --ft 1000000 -m 011 \
    --report report -o g <D
is "$(row strings report)" 2000 'stdin is read for the features that remain'
run gam-fit --base noise --feature motif:$m --feature count:1 --target count:1=0.6 --report report -o g D
near "$(cell count:1 model)" 0.6 1e-9 'a stated mean with data'
near "$(cell motif:$m target)" "$(motif-freq -m $m D | awk 'NR == 2 { print 1 - $4 }')" 1e-12 \
    'beside a mean in the data'
run gam-fit --base - --feature motif:1 --target motif:1=0.5 -o g <noise
is "$status" 0 'the base can be stdin if there are no data'

# --- one motif in i.i.d. symbols: lambda by hand ---

run gam-fit --base noise --feature motif:$m --l2 0 --report report -o g D
is "$status" 0 'fits'
[ ! -s out ]
ok $? 'prints nothing when -o is given'
# With f the base's frequency of the motif and t the data's mean of the feature:
# t = (1-f) e^l / ((1-f) e^l + f), log Z = log(f / (1 - t)).
f=$(pfsa-entropy -l 20 -m $m | awk '$1 == "partition" { print $2 }')
t=$(motif-freq -m $m D | awk 'NR == 2 { print 1 - $4 }')
near "$(cell motif:$m target)" "$t" 1e-12 'the target is the mean in the data'
near "$(cell motif:$m base)" "$(awk -v f="$f" 'BEGIN { print 1 - f }')" 1e-5 'the mean under the base'
near "$(cell motif:$m model)" "$t" 1e-9 'the mean under the model is the target'
near "$(cell motif:$m lambda)" "$(awk -v f="$f" -v t="$t" 'BEGIN { print log(t / (1 - t) * f / (1 - f)) }')" \
    1e-4 'the weight'
near "$(row log_z report)" "$(awk -v f="$f" -v t="$t" 'BEGIN { print log(f / (1 - t)) }')" 1e-4 'log Z'
near "$(cell motif:$m target_freq)" "$(motif-freq -m $m D | awk 'NR == 2 { print $4 }')" 1e-12 \
    'the share of strings with the motif in the data'
near "$(cell motif:$m base_freq)" "$f" 1e-5 'under the base'
near "$(cell motif:$m model_freq)" "$(cell motif:$m target_freq)" 1e-9 'under the model'
# Fisher: 1 / sqrt(n t (1 - t))
near "$(cell motif:$m lambda_se)" "$(awk -v t="$t" 'BEGIN { print 1 / sqrt(2000 * t * (1 - t)) }')" \
    1e-6 'its error'
is "$(row regime report) $(row optimizer report) $(row log_z_se report) $(row ess report)" \
    'exact newton 0 inf' 'an automaton is exact by default'

# --- the drawn regimes against the exact one, on three bases ---

for base in noise biased motif; do
    gam-fit -q --base $base -m $m --ft 1001001 --report exact -o g.$base D
    for regime in snis rs; do
        run gam-fit -q --base $base -m $m --ft 1001001 --regime $regime --samples 200000 \
            --report report -o x D
        # The third base always has d3, which the data often lack: a weight that cannot be fitted.
        is "$status $(row regime report)" "$([ $base = motif ] && echo 3 || echo 0) $regime" "$base, $regime: fits"
        # 5 of its own standard errors: a false-alarm rate of 6e-7 each, once, when the seed was
        # chosen.
        for name in m d0 $([ $base = motif ] || echo d3); do
            near "$(cell "$name" lambda)" "$(cell "$name" lambda exact)" \
                "$(awk -v s="$(cell "$name" draws_se)" 'BEGIN { print 5 * s }')" "$base, $regime: $name"
        done
    done
done

is "$(cell d3 note)" 'target outside the samples, not fitted' 'what the base cannot do is told'
is "$(grep -c "feature 'd3'.*not fitted: target" err)" 1 'in spite of -q'
run gam-fit --base motif --feature count:0 --feature motif:0011001 --report report -o x D
is "$(cell motif:0011001 note)" 'target impossible for the base model, kept in bounds' 'and what it never can'

# A word in 0.5% of the strings: of 300 draws, 1.5 have it on average, and with none or one of them
# the weight is no worse.  Beyond four standard errors there should be 1 in 16,000.
pfsa-gen -b -l 20 -o coins
pfsa-gen -s 9 -l 20 -n 3000 -o few
refusals=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    gam-fit -q -s $seed --regime rs --accepted 300 --base coins --feature motif:11101000101 few -o x 2>/dev/null ||
        refusals=$((refusals + 1))
done
is $refusals 0 'rs: a rare feature is matched within its error in 20 runs'

# --- CE(T, P) = CE(T, r) + (log Z - lambda . mean phi) / characters ---

for base in noise biased; do
    model-info g.$base | awk '/^feature/ { table = 1; next } table { print $1, $3 }' >weights
    motif-freq -m $m --ft 1001001 T | awk '/^feature/ { table = 1; next } table { print $1, $2 }' >means
    dot=$(awk 'NR == FNR { w[$1] = $2; next } { d += w[$1] * $2 } END { printf "%.15g", d }' weights means)
    lm-eval -q g.$base T >ce.p
    lm-eval -q $base T >ce.r
    near "$(row ce ce.p)" "$(awk -v r="$(row ce ce.r)" -v z="$(row log_z ce.p)" -v d="$dot" \
        'BEGIN { printf "%.15g", r + (z - d) / 21 }')" 1e-13 "$base: the identity of cross-entropies"
done

# --- the method of the paper ---

for regime in snis rs; do
    run gam-fit -q --base noise -m $m --ft 1001111 --regime $regime --optimizer sgd \
        --report report --log log -o x pure
    is "$status" 0 "sgd, $regime: fits"
    awk -v l="$(cell m lambda)" 'BEGIN { exit !(l < -7 && l > -20) }'
    ok $? "sgd, $regime: the motif's weight is near -10: $(cell m lambda)"
    for name in d0 d1 d2; do
        awk -v l="$(cell "$name" lambda)" 'BEGIN { exit !(l < 2 && l > -2) }'
        ok $? "sgd, $regime: that of $name near 0: $(cell "$name" lambda)"
    done
    is "$(cell m note)" 'no finite optimum, kept by the stopping rule' "sgd, $regime: says why"
    awk -F '\t' 'NR > 1 && ($2 * $1 - 10) ^ 2 > 1e-18 { bad++ } NR > 1 && NF != 9 { bad++ } END { exit bad > 0 || NR < 11 }' log
    ok $? "sgd, $regime: the log has a row an epoch, rate 10/k"
done
is "$(head -n 1 log | cut -f 1-6)" "$(printf 'epoch\trate\tl1_mom\tsamples\tm\td0')" 'and a header'

# The weights of the row with the smallest distance, the first of them.
run gam-fit --base noise -m $m --ft 1001000 --regime snis --optimizer sgd --log log --report report -o x D
best=$(awk -F '\t' 'NR > 1 && (NR == 2 || $3 < least) { least = $3; found = $5 " " $6 } END { print found }' log)
is "$(cell m lambda) $(cell d0 lambda)" "$best" 'the weights of the best epoch are kept'
is "$(tail -n 1 log | cut -f 5,6 | tr '\t' ' ' | grep -cxF -e "$best")" 0 'which is not the last'
# At weight 0 all draws have equal weight and Z is 1; an estimate still has an error.
run gam-fit --base noise --feature motif:1 --lambda motif:1=0 --regime snis --optimizer sgd \
    --samples 2500 --report report -o x D
is "$(row ess report) $(row log_z_se report)" '2500 0.0004' 'the buffer forgets its oldest strings'
awk -v n="$(row samples report)" 'BEGIN { exit !(n > 2500) }'
ok $? 'of which there were more'

# --- hard constraints and fixed weights ---

run gam-fit --base noise -m $m --ft 1001000 --lambda m=-inf --lambda d0=0.5 --report report -o hard pure
is "$status $(cell m lambda) $(cell d0 lambda) $(cell d0 note)" '0 -inf 0.5 fixed' 'weights stay as given'
near "$(cell m model)" 0 0 'a hard constraint holds'
is "$(gam-sample -n 2000 hard | motif-freq -m $m | awk 'NR == 2 { print $3 }')" 2000 'in samples'
printf '%s\n' 00000000000000000000 1000101111100000000000 >odd
run lm-eval --per-string hard odd
is "$(cut -f 1 out | tr '\n' ' ')" '-inf -inf ' 'and in probabilities'
run lm-eval hard odd
has err '1 of 2 strings are longer than 20 symbols, the maximum length of the model' 'long strings are told'
run gam-fit -q --base noise -m $m --ft 1000000 --lambda m=-inf --regime rs --report report -o x pure
near "$(row log_z report)" "$(awk -v f="$f" 'BEGIN { print log(f) }')" \
    "$(awk -v s="$(row log_z_se report)" 'BEGIN { print 5 * s }')" 'Z is the mass that is left'
run gam-fit --base motif --feature motif:0011001 --lambda motif:0011001=-inf -o x D
has err 'strings of the training set violate the hard constraints' 'data that violate it are told'

# If all weights are given, nothing has to be fitted, whatever can be drawn.
rare=10001011111000100010111110001000101111
pfsa-gen --build -l 40 -o long
pfsa-gen -l 40 -m $rare -n 5 -o seldom
for regime in rs snis exact; do
    run gam-fit --base long --feature motif:$rare --lambda motif:$rare=-inf --regime $regime --report report \
        -o given.$regime seldom
    is "$status $(cell motif:$rare lambda) $(cell motif:$rare note)" '0 -inf fixed' "$regime: a given weight is kept"
done
is "$(row log_z report)" "$(lm-eval given.rs seldom | awk '$1 == "log_z" { print $2 }')" 'exact: its Z too'

# --- a base that is fitted with the weights ---

motif=1011001
pfsa-gen -l 20 -m $motif -n 40 -s 5 >few
pfsa-gen --build -l 20 -m $motif -o truth
run gam-fit --base ngram --feature motif:$motif --report report -o n.gam few
is "$status $(row regime report)" '0 exact' 'a GAM without a model file'
is "$(model-info n.gam | awk '$1 == "base" { print $2 }')" pfsa 'its base is an automaton'
near "$(lm-eval n.gam few | awk '$1 == "log_z" { print $2 }')" "$(row log_z report)" 1e-9 'its Z is exact'
near "$(cell motif:$motif model)" "$(cell motif:$motif target)" 0.01 'moments match'
model-convert --to pfsa n.gam -o pi
kl=$(pfsa-entropy truth --relative-to pi | awk '$1 == "entropy" { h = $2 } $1 == "kl" { print $2 / h }')
near "$kl" 0 0.02 'P is within 2% of the entropy'
run gam-fit -v --base ngram --feature motif:$motif -o x few
is "$(awk '/nats per character by cross-validation/ { n++ } END { print (n > 5) }' err)" 1 '-v prints the losses'
run gam-fit --base uniform --feature motif:$motif --report report -o u.gam few
is "$(row order report) $(row prior report)" 'none 0' 'uniform has no words'
pfsa-gen --build -l 20 -o fair
run gam-fit --base fair --feature motif:$motif --report fair-report -o f.gam few
near "$(awk -v f="motif:$motif" '$1 == f { print $5 }' fair-report)" "$(cell motif:$motif lambda)" 1e-6 \
    'it is the GAM over fair bits'
# A base that is smoothed with n-grams: a bad one gets little weight.
pfsa-gen --build -l 20 --p1 0.2 -o bad
pfsa-gen -l 20 -m $motif -n 20 -s 6 >valid
run gam-fit --base bad --valid valid --feature motif:$motif --report report -o s.gam few
is "$status $(model-info s.gam | awk '$1 == "base" { print $2 }') $(row strings report)" '0 mix 60' \
    'a base that is smoothed is a mixture'
is "$(awk '$1 == "base_weight" { print ($2 < 0.2) } $1 == "valid_gain" { print ($2 > 0.1) }' report | tr '\n' ' ')" '1 1 ' \
    'by validation strings'
run gam-fit -q --base bad --smooth 0.5 --feature motif:$motif --report report -o s.gam few
is "$status $(row base_weight report) $(row ngram_weight report)" '0 0.5 0.5' 'or by a weight that is stated'
# Words of varying length over many letters.
printf '%s\n' banana bandana cabana ban nab cab bad dab >words
run gam-fit --base ngram:1 -a abcdefghijklmnopqrstuvwxyz --feature suffix:a --report report -o w.gam words
is "$status $(row order report) $(model-info w.gam | awk '$1 == "max_length" { print $2 }')" '0 1 15' \
    'an order, and the maximum length of lstm-train'
printf 'banana\nana\n' >few2
run gam-fit --base ngram:1 -a abn --feature suffix:a --max-length 9 --lambda suffix:a=-inf -o h.gam few2
is "$status $(gam-sample -n 200 h.gam | motif-freq -a abn --feature suffix:a | awk 'NR > 1 { print $2 }')" '0 0' \
    'a hard constraint holds'

# --- exact moments without a table of feature vectors ---

pfsa-gen --build -a abcdefghijklmnopqrstuvwxyz --stop .1 -o letters
pfsa-gen -l 7 -a abcdefghijklmnopqrstuvwxyz -n 500 -s 3 >words
set --
for c in a b c d e f g h i j k l m n o p q r s t; do
    set -- "$@" --feature count:$c
done
run limited 100000 gam-fit --base letters --max-length 21 "$@" --l2 0 --report report -o counts.gam words
is "$status" 0 'twenty counts over 26 letters'
near "$(row l1_mom report)" 0 1e-9 'match exactly'
near "$(lm-eval counts.gam words | awk '$1 == "log_z" { print $2 }')" "$(row log_z report)" 1e-9 'log Z is that of lm-eval'
# Above the limit, exact moments are refused if they were requested, with bounded memory.
word=$(pfsa-gen -l 20000 -n 1)
run limited 560000 gam-fit --base long --feature "lcs:$word" --regime exact -o x seldom
is "$status $(cut -c -62 err)" '1 gam-fit: too large for exact moments: product of automaton and' 'too large for exact'
pfsa-gen --build --stop .01 -o endless
run gam-fit --base endless --max-length 300000 --feature motif:$m --epochs 1 -o x D
has err 'features have too many states for --regime exact; using rs instead' 'or give way to draws'

# --- strings that the base cannot have ---

pfsa-gen --build -l 20 -x 11 -o without
run gam-fit --base without --feature count:1 -o x D
has err 'strings of the training set have probability 0 under the base model' 'impossible data are told'

# --- no finite optimum ---

run gam-fit --base noise -m $m --ft 1001000 --report report -o x pure
is "$(cell m note)" 'no finite optimum, kept by the prior' 'the prior keeps a weight finite'
has err "feature 'm': no finite optimum" 'and a warning says so'
near "$(cell m model)" "$(awk -v l="$(cell m lambda)" 'BEGIN { print -l / 1e5 }')" 1e-7 'at E phi = -l2 lambda'
run gam-fit --base noise -m $m --ft 1001000 --l2 0 --report report -o x pure
is "$(cell m note)" 'no finite optimum, kept by the stopping rule' 'without it the stopping rule does'
awk -v l="$(cell m lambda)" 'BEGIN { exit !(l < -10 && l >= -30) }'
ok $? 'within bounds'

# --- features of many units, whose weights are large ---

# With count:1 fair bits become biased ones, lambda = L log(t / (1 - t)).
pfsa-gen --build -l 12 -o dozen
pfsa-gen -l 12 --p1 0.95 -n 1000 -o ones
logit='BEGIN { print 12 * log(t / (1 - t)) }'
run gam-fit --base dozen --feature count:1 --l2 0 --report report -o x ones
wanted=$(awk -v t="$(cell count:1 target)" "$logit")
near "$(cell count:1 lambda)" "$wanted" 1e-3 'a weight beyond 30'
is "$(cell count:1 target_freq)" nan 'a count is not a share of strings'
is "$(awk -v w="$wanted" 'BEGIN { print (w > 33) }') $(cell count:1 note)" '1 -' 'has no note'
run gam-fit --base dozen --feature count:1 --l2 0 --regime rs --report report -o x ones
# 5 standard errors: 6e-7, once, when the seed was chosen
near "$(cell count:1 lambda)" "$wanted" "$(awk -v s="$(cell count:1 draws_se)" 'BEGIN { print 5 * s }')" \
    'rs gets there too'
awk -v s="$(cell count:1 draws_se)" 'BEGIN { exit !(s < 3) }'
ok $? 'with a small error'
# A rate so high that sgd would overshoot.
run gam-fit --base dozen --feature count:1 --optimizer sgd --alpha0 1e6 --report report -o x ones
is "$(cell count:1 lambda | tr -d -) $(cell count:1 note)" '360 weight at its bound, moments differ' 'sgd too'
# 139 strides of 4 would be more than the maximum number of steps.
pfsa-gen --build -l 400 -o long
pfsa-gen -l 400 --p1 0.8 -n 50 -o ones
run gam-fit --base long --feature count:1 --l2 0 --report report -o x ones
near "$(cell count:1 lambda)" \
    "$(awk -v t="$(cell count:1 target)" 'BEGIN { print 400 * log(t / (1 - t)) }')" 1e-2 'a weight of hundreds'
# Bits that are 1 once in 1e15 need 4 log(1e15) to be fair: beyond 30 a unit.
pfsa-gen --build -l 4 --p1 1e-15 -o zeros
printf '%s\n' 0011 0101 >halves
run gam-fit --base zeros --feature count:1 --l2 0 --report report -o x halves
is "$(cell count:1 lambda) $(cell count:1 note)" '120 weight at its bound, moments differ' \
    'no weight is cut in silence'
has err 'weight at its bound' 'a warning says so'
run gam-fit --base noise --feature count:1 --regime rs --accepted 100000 --lambda count:1=300 -o x D
has err 'samples of P were accepted within the limit' 'nor are draws'
is "$status" 0 'weights that are given need no fit'
run gam-fit -q --base noise --feature count:1 --target count:1=0.52 --regime rs --require motif:1011100010111000101 \
    --report report -o x D
is "$status" 3 'rs: too few samples for a fit'
has err 'samples of P were accepted within the limit' 'is told in spite of -q'
! grep -q 'raise --epochs' err
ok $? 'and no option is named that cannot help'

run gam-fit --base noise --feature count:1 --samples 9 --accepted 9 --alpha0 1 --patience 9 --json -o x D
is "$(cut -d ' ' -f 1-6 err)" 'gam-fit: warning: --samples is ignored without
gam-fit: warning: --accepted is ignored without
gam-fit: warning: --alpha0 is ignored without
gam-fit: warning: --patience is ignored without
gam-fit: warning: --json is ignored without' 'options of another method are told'

# --- pipes, files, reproducibility ---

gam-fit -q --base noise -m $m --ft 1001001 D -o a
gam-fit -q --base noise -m $m --ft 1001001 <D >b
cmp a b
ok $? 'data from the standard input'
gam-fit -q --base - -m $m --ft 1001001 D <noise >b
cmp a b
ok $? 'the base from the standard input'
gzip -c noise >noise.gz
gzip -c D >D.gz
gam-fit -q --base noise.gz -m $m --ft 1001001 D.gz >b
cmp a b
ok $? 'both compressed'
for regime in snis rs; do
    for j in 1 3; do
        gam-fit -q -j $j --base noise -m $m --ft 1001001 --regime $regime --accepted 100 --samples 3000 D -o j$j
    done
    cmp j1 j3
    ok $? "$regime: the same bytes for any -j"
done
gam-fit -q -s 2 --base noise -m $m --ft 1001001 --regime rs --accepted 100 D -o other
cmp -s j1 other
is $? 1 'another seed gives other weights'
is "$(model-info --base a)" "$(model-info noise)" 'the base is in the GAM as it was'
run model-info a
is "$(row kind) $(row base) $(row regime)" 'gam pfsa exact' 'the GAM says how it was made'
pfsa-gen -l 20 -m $m -n 300 | tee D300 | lstm-train -q --hidden 8 --steps 50 |
    gam-fit -q --base - -m $m --ft 1000000 --accepted 200 D300 | gam-sample -n 500 |
    lstm-train -q --hidden 8 --steps 10 >pi.lstm
is "$(model-info pi.lstm | awk '$1 == "kind" { print $2 }')" lstm 'the whole chain from one pipe'
run gam-fit -q --base noise -m $m --ft 1001001 --json --report - -o x D
has out '"l1_mom":' 'the report as JSON'

# --- mistakes ---

while IFS='|' read -r want arguments text; do
    # shellcheck disable=SC2086 # several words
    run gam-fit -o never $arguments
    is "$status" "$want" "gam-fit $arguments"
    has err "$text" "  says: $text"
done <<EOT
2|D|missing required option --base MODEL
2|--base noise D|missing features
2|--base noise -m 11 D|--motif requires --ft
2|--base - --feature motif:1 -|DATA and --base cannot both be stdin
2|--base noise --feature nonsense D|not a feature
2|--base noise --feature motif:2 D|not in the alphabet '01'
2|--base noise --feature motif:1 --lambda x=1 D|unknown feature 'x'
2|--base noise --feature motif:1 --lambda motif:1 D|expected NAME=VALUE
2|--base noise --feature motif:1 --lambda motif:1=inf D|'inf' is neither -inf nor in the range -1000000 to 1000000
2|--base noise --feature motif:1 --lambda motif:1=1e300 D|'1e300' is neither
2|--base noise --feature motif:1 --samples 99999999999999999 D|--samples
2|--base noise --feature motif:1 --lambda motif:1=z D|'z'
2|--base noise --feature motif:1 --regime best D|'best' is not one of guided, rs, snis, exact
2|--base noise --feature motif:1 --optimizer best D|'best' is not one of sgd, newton
2|--base noise --feature motif:1 --l2 -1 D|--l2
2|--base noise --feature motif:1 --report r --log r D|--report and --log cannot both be written to 'r'; name another file
1|--base nowhere --feature motif:1 D|nowhere
1|--base D --feature motif:1 D|D
1|--base noise --feature motif:1 nowhere|nowhere
1|--base noise --feature motif:1 /dev/null|contains no strings
1|--base noise --feature motif:1 --max-length 19 D|D:1: string has 20 symbols, maximum is 19; raise --max-length
1|--base noise --feature motif:111111111111111111111 --lambda motif:111111111111111111111=-inf D|satisfies the constraints: require
1|--base a --feature motif:1 D|found 'gam'
EOT
pfsa-gen -l 4 -n 50 | lstm-train -q --hidden 4 --steps 2 -o four.lstm
printf '0110\n010\n0111\n' >lengths
run gam-fit --base four.lstm --feature motif:11 -o four.gam lengths
has err 'gam-fit: warning: 1 strings of the training set have probability 0 under the base model' \
    'a base with strings of one length: others are impossible'
pfsa-gen -l 20 -n 50 | lstm-train -q --hidden 4 --steps 2 -o lstm
run gam-fit --base lstm --feature motif:1 --regime exact -o never D
is "$status" 1 'exact moments of an LSTM are refused'
has err "require a base model of kind 'pfsa'" 'and told why'
has err 'use --regime guided' 'and what to do'
pfsa-gen --build --stop 0.1 -o endless
run gam-fit --base endless --feature length -o never D
is "$status" 2 'a length relative to nothing is refused'
has err 'set --max-length' 'and told what to do'
[ ! -e never ]
ok $? 'no output after a mistake'

# Features with too many states for a guide are fitted by rejection, unless guided was
# requested.
word=$(pfsa-gen -l 60 -n 1 -s 5)
run gam-fit --base lstm --max-length 20000 --feature "edit:$word" --l2 1000 --report report -o x D
is "$(row regime report)" rs 'too many states for a guide: by rejection'
has err 'too many states for --regime guided; using rs instead' 'and it is told'
run gam-fit --base lstm --max-length 20000 --feature "edit:$word" --regime guided -o never D
is "$status" 1 'unless guided was requested'

# Weights that cannot be fitted are named, with exit status 3.
pfsa-gen -l 20 -m 1011011100011101 -n 100 -o rare
rare=motif:1011011100011101
run gam-fit -q --base lstm --feature $rare --regime snis --samples 1000 --report report -o x rare
is "$status" 3 'snis: no draw has the target value'
has err 'not fitted' 'the reason is printed also with -q'
is "$(awk -F '\t' '$1 ~ /^motif/ { print $5 }' report)" 0 'the weight stays 0'
run gam-fit -q --base lstm --feature $rare --feature count:1 --epochs 1 -o x rare
is "$status" 3 'guided: one round is not enough'
has err 'not converged' 'and it is told'
run gam-fit -q --base lstm --feature $rare --report report -o x rare
is "$status" 0 'guided draws find what draws from the base do not have'
[ "$(awk -F '\t' '$1 ~ /^motif/ { print ($4 < 0.01) }' report)" = 1 ]
ok $? 'and match its mean'

# Given weights far from the base: the guide is learned in steps.
far=-1e9
for seed in 1 2 3; do
    run gam-fit -s $seed --base lstm --feature count:1 --lambda count:1=-200 --report report -o x </dev/null
    is "$status $(cat err)" '0 ' "given weights far from the base, seed $seed"
    awk -v z="$(row log_z report)" -v far="$far" 'BEGIN { exit !(far == -1e9 || (z - far) ^ 2 < 0.01 ^ 2) }'
    ok $? 'log Z as with the other seeds'
    far=$(row log_z report)
done

# The base has a motif to place that the feature cannot see: the guide places it at the end.
pfsa-gen --build -l 30 -m 10001011111000 -o hidden
pfsa-gen -l 30 -m 10001011111000 -n 50 |
    gam-fit -q --base hidden --feature count:1 --lambda count:1=-300 -o hidden.gam
run gam-fit --base hidden --regime guided --feature count:1 --lambda count:1=-100 -o x
is "$status" 0 'guided: few effective draws at weights that are given'
has err 'less than 0.05 per draw' 'are told'
gam-sample -n 300 -s 5 hidden.gam -o few
run gam-fit -q -s 8 --epochs 15 --base hidden --regime guided --feature count:1 -o x few
is "$status" 3 'guided: strings of the data that no draw comes near'
has err 'guided draws miss 0.73 of the training set' 'and their share is told'
has err 'guided draws disagree about log Z by 1.2' 'and what differs'

# Hard constraints on a base that is only fitted with the weights.
pfsa-gen -l 10 -n 60 -o ten
run gam-fit -q --base ngram:1 --require motif:111 -o ten.gam ten
is "$status $(gam-sample -n 50 ten.gam | grep -c 111)" '0 50' 'an n-gram given a constraint'
run gam-fit --base uniform --require motif:111 --forbid motif:1 -o never.gam ten
is "$status" 1 'constraints that contradict each other, without a base'
has err 'require motif:111, forbid motif:1' 'are named'

done_testing
