# SPDX-License-Identifier: MIT
# lm-eval.t: log-probabilities against exact ones, the report against awk, input of all kinds,
# errors.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# A machine whose probabilities are easy: after a 0, the end has 1/2.
printf '0 1 1 0.693147180559945309\n0 0 2 0.693147180559945309\n1 0 2 0.693147180559945309\n1 0.693147180559945309\n' |
    model-convert --from att -o machine || exit 1
pfsa-gen --build -l 10 -m 1011 --p1 0.7 -o motif
pfsa-gen --build -l 10 -o noise
pfsa-gen --build --stop 0.2 --p1 0.7 -o geometric
pfsa-gen --build -a ACGT --stop 0.1 -o dna
pfsa-gen -l 8 -n 300 | lstm-train -q --hidden 6 --layers 2 --steps 40 --lr 0.02 -o lstm

# --- single strings ---

printf '0\n10\n010\n1110\n\n1\n00\n' >some
run lm-eval --per-string machine some
is "$status" 0 'scores each string'
cut -f 2 out | cmp -s - some
ok $? 'strings come in the order of the input'
# x must end in 0 and have no 00; then p = 2^-(length + 1)
awk '{ p = /0$/ && !/00/ ? -(length($0) + 1) * log(2) : "-inf"; print p "\t" $0 }' some >want
awk -F '\t' 'NR == FNR { want[FNR] = $1; next }
    { d = $1 - want[FNR]; if ($1 == "-inf" || want[FNR] == "-inf") bad += $1 != want[FNR]
      else bad += d > 1e-5 || d < -1e-5 }
    END { exit bad != 0 || FNR != 7 }' want out
ok $? 'log-probabilities are the exact ones'

# The model's chain rule: p(x) sums to 1 over all strings, and to the
# probability of having ended within 12 symbols over those.
awk 'function grow(x) { print x; if (length(x) < 12) { grow(x "0"); grow(x "1") } }
    BEGIN { grow("") }' >all
lm-eval --per-string geometric all | awk '{ s += exp($1) } END { printf "%.12f\n", s }' >sum
near "$(cat sum)" "$(awk 'BEGIN { printf "%.12f", 1 - .8 ^ 13 }')" 1e-11 'probabilities sum to the exact mass'
lm-eval --per-string lstm all | awk '{ s += exp($1) } END { printf "%.12f\n", s }' >sum
awk '{ exit !($1 > .5 && $1 <= 1 + 1e-9) }' sum
ok $? "an LSTM's probabilities sum to 1 at most"

# --- given a maximum length ---

# log Z against the sum over all strings of at most 12 symbols.
pfsa-gen -n 300 geometric | lstm-train -q --hidden 6 --layers 2 --steps 40 --lr 0.02 -o open
lm-eval --per-string open all | awk '{ s += exp($1) } END { printf "%.12f\n", s }' >sum
run lm-eval --max-length 12 --log-z-se 0.005 open some
is "$status" 0 'an LSTM given a maximum length'
awk -v z="$(row log_z)" -v se="$(row log_z_se)" -v ess="$(row ess)" '{
    p = $1; exit !(se > 0 && se <= 0.005 && (z - log(p)) ^ 2 < (4 * se) ^ 2 && ess > 100) }' sum
ok $? 'log Z is within 4 standard errors of the exact one'
z=$(row log_z)
lm-eval --max-length 12 --log-z-se 0.005 --per-string open some >limited
lm-eval --per-string open some | awk -v z="$z" '{ printf "%.9f\t%s\n", $1 - z, $2 }' >want
awk -F '\t' '{ printf "%.9f\t%s\n", $1, $2 }' limited | cmp -s - want
ok $? 'every score is divided by Z'
for n in 0 3 9; do
    awk -v n=$n 'length($0) <= n' all | lm-eval --per-string open - | awk '{ s += exp($1) } END { printf "%.12f\n", s }' >sum
    run lm-eval --max-length $n open some
    awk -v z="$(row log_z)" -v se="$(row log_z_se)" '{ exit !((z - log($1)) ^ 2 < (4 * se) ^ 2) }' sum
    ok $? "log Z of at most $n symbols is near the sum over all such strings"
done
run lm-eval --max-length 8 lstm some
is "$(row log_z) $(row log_z_se)" '0 0' 'an LSTM whose strings all have one length needs no estimate'
run lm-eval --max-length 7 lstm some
is "$status" 1 'and has none that are shorter'
run lm-eval -j 3 --max-length 9 open some
cp out three
run lm-eval -j 1 --max-length 9 open some
cmp -s out three
ok $? 'the same bytes for any number of threads'

run lm-eval --max-length 12 geometric all
near "$(row log_z)" "$(awk 'BEGIN { printf "%.15g", log(1 - .8 ^ 13) }')" 1e-13 'log Z of an automaton is exact'
is "$(row log_z_se) $(row ess)" '0 inf' 'and has no error'
lm-eval --max-length 12 --per-string geometric all | awk '{ s += exp($1) } END { printf "%.12f\n", s }' >sum
near "$(cat sum)" 1 1e-11 'its scores sum to 1'
run lm-eval --max-length 3 --per-string geometric some
is "$(awk -F '\t' '($1 == "-inf") != (length($2) > 3)' out)" '' 'longer strings, and only those, have probability 0'
has err 'warning: 1 of 7 strings are longer than --max-length 3' 'and a warning counts them'
run lm-eval --max-length 20 noise some
near "$(row log_z)" 0 1e-15 'a limit beyond the longest string changes nothing'
run lm-eval --max-length 9 noise some
is "$status" 1 'no string is short enough'
has err 'no string' 'says so'

# A GAM: the sum over all strings of at most 6 symbols.
awk 'length($0) <= 8' all | shuf -n 200 --random-source=all >few
gam-fit -q --base geometric --max-length 9 --feature motif:11 --feature length few -o limited.gam
gam-fit -q --base open --max-length 9 --feature motif:11 --feature length few -o limited-lstm.gam
for g in limited.gam limited-lstm.gam; do
    awk 'length($0) <= 6' all >short
    run lm-eval --max-length 6 --per-string $g short
    awk -F '\t' '{ s += exp($1) } END { exit !((s - 1) ^ 2 < .04 ^ 2) }' out
    ok $? "$g: scores given a shorter maximum sum to 1"
    run lm-eval --max-length 9 $g short
    cp out nine
    run lm-eval --max-length 30 $g short
    cmp -s out nine
    ok $? "$g: a longer maximum than L is L"
done

# --- the report ---

pfsa-gen -n 3000 -s 5 geometric >data
run lm-eval geometric data
is "$status" 0 'evaluates'
is "$(cut -f 1 out | tr '\n' ' ')" \
    'strings chars ce ce_se perplexity bits_per_char log_likelihood ' 'the rows'
lm-eval --per-string geometric data | awk -F '\t' '
    { x[NR] = -$1; m[NR] = length($2) + 1; sx += x[NR]; sm += m[NR] }
    END {
        ce = sx / sm
        for (i = 1; i <= NR; i++) q += (x[i] - ce * m[i]) ^ 2
        printf "%d %d %.10f %.10f %.9f %.9f %.6f\n", NR, sm, ce, sqrt(q * NR / (NR - 1)) / sm,
            exp(ce), ce / log(2), -sx
    }' >want
cut -f 2 out | awk '{ f = NR <= 2 ? "%d" : NR <= 4 ? "%.10f" : NR <= 6 ? "%.9f" : "%.6f"
    printf f (NR < 7 ? " " : "\n"), $1 }' >got
is "$(cat got)" "$(cat want)" 'the numbers are those of the definition'

# I.i.d. symbols have the same loss for every string: (10 ln 2) / 11, with standard error 0.
pfsa-gen -l 10 -n 1000 >flat
run lm-eval noise flat
near "$(row ce)" 0.630133800509041208 1e-14 'the CE of i.i.d. symbols is exact'
near "$(row ce_se)" 0 1e-15 'and without error'

run lm-eval --json noise flat
is "$status" 0 'reports as JSON'
has out '"strings": 1000' 'JSON has the rows'

# --- truth ---

# The estimate is within 5 of its standard errors of the exact divergence.
pfsa-gen -n 20000 -s 3 motif >sample
run lm-eval --truth motif noise sample
is "$status" 0 'compares with the truth'
kl=$(row kl) se=$(row kl_se) ce=$(row ce) true_ce=$(row true_ce)
pfsa-entropy --relative-to noise motif >exact
near "$kl" "$(awk '$1 == "kl" { printf "%.15g", $2 / 11 }' exact)" "$(awk -v s="$se" 'BEGIN { print 5 * s + 1e-12 }')" \
    'the divergence is near the exact one'
near "$true_ce" "$(awk '$1 == "entropy" { printf "%.15g", $2 / 11 }' exact)" 1e-2 'so is the CE of the truth'
near "$kl" "$(awk -v a="$ce" -v b="$true_ce" 'BEGIN { printf "%.15g", a - b }')" 1e-12 \
    'the divergence is the difference of the CEs'
pfsa-gen -n 20000 -s 3 geometric >sample
run lm-eval --truth geometric lstm sample
near "$(row true_ce)" "$(pfsa-entropy geometric | awk '$1 == "entropy_per_char" { print $2 }')" \
    "$(lm-eval geometric sample | awk '$1 == "ce_se" { print 5 * $2 }')" \
    'lengths that vary: the CE of the truth is its entropy within 5 errors'
run lm-eval --truth geometric geometric sample
is "$(row kl) $(row kl_se)" '0 0' 'a model does not diverge from itself'

# --- GAMs ---

# The probabilities of all strings up to the maximum length sum to 1, exactly
# or within 5 of the stated errors of log Z.
for base in geometric lstm; do
    echo 0110 | gam-fit -q --base $base --max-length 12 --feature motif:0110 --feature length \
        --lambda motif:0110=-3 --lambda length=2 -o gam.$base
    lm-eval --per-string --log-z-se 0.02 gam.$base all | awk '{ s += exp($1) } END { printf "%.12f\n", s }' >sum
    near "$(cat sum)" 1 "$([ $base = lstm ] && echo 0.1 || echo 1e-11)" "GAM on $base: probabilities sum to 1"
done
gam-sample -n 1000 gam.lstm >from_gam
run lm-eval gam.geometric from_gam
is "$(row log_z_se) $(row ess)" '0 inf' 'log Z is exact on an automaton'
run lm-eval --log-z-se 0.05 gam.lstm from_gam
is "$(tail -n 3 out | cut -f 1 | tr '\n' ' ')" 'log_z log_z_se ess ' 'rows of a GAM'
awk -v s="$(row log_z_se)" -v n="$(row ess)" 'BEGIN { exit !(s > 0 && s <= 0.05 && n >= 400) }'
ok $? 'log Z has the requested error'
# ce_se^2 = se^2 + (log_z_se strings / chars)^2, se from the single strings
lm-eval --per-string gam.lstm from_gam | awk -F '\t' '
    { x[NR] = -$1; m[NR] = length($2) + 1; sx += x[NR]; sm += m[NR] }
    END { for (i = 1; i <= NR; i++) q += (x[i] - sx / sm * m[i]) ^ 2
        printf "%.12g\n", sqrt(q * NR / (NR - 1)) / sm }' >se
near "$(row ce_se)" "$(awk -v z="$(row log_z_se)" -v n="$(row strings)" -v c="$(row chars)" \
    '{ printf "%.12g", sqrt($1 ^ 2 + (z * n / c) ^ 2) }' se)" 1e-4 'and it is a part of ce_se'
lm-eval -j 1 gam.lstm from_gam >one
lm-eval -j 3 gam.lstm from_gam | cmp -s - one
ok $? 'a GAM: the same bytes for any -j'
printf '0110\n0110110110110\n' >too_long
run lm-eval gam.geometric too_long
is "$status $(row ce)" '0 inf' 'a string beyond L has probability 0'
has err "1 of 2 strings are longer than 12 symbols, the maximum length of the model" 'and is told'
run lm-eval --log-z-se 0 gam.lstm from_gam
is "$status" 2 'an error of 0 is refused'

# --- the same bytes ---

pfsa-gen --stop 0.05 -n 5000 >long
for model in geometric lstm; do
    lm-eval -j 1 $model long >one
    lm-eval -j 1 --per-string $model long >each
    for threads in 2 3 8; do
        lm-eval -j $threads $model long | cmp -s - one &&
            lm-eval -j $threads --per-string $model long | cmp -s - each
        ok $? "$model: the same bytes with $threads threads"
    done
done
awk '{ print NR "\t" $0 }' long | sort -k 2 | cut -f 2 | lm-eval --per-string lstm | sort >sorted
sort each | cmp -s - sorted
ok $? 'a score does not depend on the other strings'

# --- input of all kinds ---

lm-eval geometric data >want
lm-eval geometric <data | cmp -s - want
ok $? 'reads the standard input'
gzip <data | lm-eval geometric - | cmp -s - want
ok $? 'reads gzip'
awk '{ printf "%s\r\n", $0 }' data | lm-eval geometric | cmp -s - want
ok $? 'drops carriage returns'
head -c -1 data | lm-eval geometric | cmp -s - want
ok $? 'needs no last newline'
lm-eval - data <geometric | cmp -s - want
ok $? 'reads the model from the standard input'
run lm-eval -o file geometric data
cmp -s file want
ok $? 'writes to a file'
run lm-eval geometric /dev/null
is "$status $(row strings) $(row ce)" '0 0 nan' 'no strings'
has err 'contains no strings' 'and it says so'
printf '01\n' | lm-eval geometric >out
is "$(row strings) $(row ce_se)" '1 nan' 'one string has no error'
run lm-eval machine some
is "$status $(row ce) $(row ce_se) $(row log_likelihood)" '0 inf nan -inf' 'an impossible string'
has err '3 of 7 strings have probability 0 under the model' 'is counted in a warning'
run lm-eval --truth machine geometric some
is "$(row true_ce)" inf 'a string that the truth cannot make'
is "$(row kl)" nan 'has no part in a divergence from it'
has err 'under the source' 'is counted too'
# Memory does not grow with the strings.
pfsa-gen --stop 0.2 -n 1000000 >many
limited 120000 lm-eval -j 1 geometric many >out 2>err
is "$(row strings)" 1000000 'a million strings in bounded memory'

# --- mistakes ---

printf '0101\n01a1\n' >bad
run lm-eval -o never geometric bad
is "$status" 1 'a character outside the alphabet fails'
has err "bad:2: 'a' in column 3" 'file, line and column are named'
[ ! -e never ]
ok $? 'no output file'
run lm-eval geometric missing
is "$status" 1 'a missing file fails'
has err missing 'and is named'
run lm-eval - - <geometric
is "$status" 2 'two inputs from the standard input are refused'
run lm-eval --truth - geometric <data
is "$status" 2 'also with --truth'
run lm-eval --truth dna geometric data
is "$status" 1 'a truth of another alphabet fails'
has err "alphabet of 'dna' is 'ACGT', but alphabet of 'geometric' is '01'" 'both alphabets are named'
run lm-eval --per-string --json geometric data
is "$status" 2 '--per-string cannot be combined with --json'
run lm-eval --per-string --truth motif noise data
is "$status" 2 '--per-string cannot be combined with --truth'
run lm-eval
is "$status" 2 'a model is needed'
head -c 100 lstm >short
run lm-eval short data
is "$status" 1 'a truncated model fails'
has err short 'and is named'
run lm-eval data data
is "$status" 1 'strings are not a model'
# Exact sums stop at a maximum length; above it samples are used, and memory is bounded.
pfsa-gen -b --stop 0.2 -m 11 -o long
printf '0110\n11\n' >two
for length in 4294967295 1000; do
    gam-fit -q --regime rs --base long --feature length:3 --lambda length:3=2 \
        --max-length $length -o far.$length two
done
run lm-eval far.1000 two
near=$(row log_z)
run limited 1000000 lm-eval far.4294967295 two
is "$status" 0 'a maximum length that is far away'
near "$(row log_z)" "$near" 0.05 'has the partition of a near one'
# gam-fit's estimate of log Z is in the file, and is used if it is accurate enough.
pfsa-gen -s 3 -l 8 -n 50 -o eight
gam-fit -q --base lstm --feature count:11 --report fit -o stored eight
stored=$(awk '$1 == "log_z" { print $2 }' fit)
for seed in 1 2; do
    run lm-eval -s $seed --log-z-se 0.05 stored eight
    is "$(row log_z)" "$stored" "the stored log Z is used, seed $seed"
done
echo GATTACA | lm-eval --log-z-se 0.05 "$top/tests/golden/estimate.gam" >out
is "$(row log_z)" -1.3566156837510395 'also of a file of an earlier version'
run lm-eval --log-z-se 0.00005 stored eight
is "$status" 0 'a smaller error is requested'
[ "$(row log_z)" != "$stored" ]
ok $? 'and estimated anew'
near "$(row log_z)" "$stored" "$(awk '$1 == "log_z_se" { print 5 * $2 }' fit)" 'within 5 standard errors'
# log Z of GAMs over an LSTM against the sum over all strings: 40 standardized errors, of which 33
# or more are within 1.96 with probability 0.999 if the standard errors are right.
awk 'BEGIN { for (n = 0; n <= 8; n++)
    for (k = 0; k < 2 ^ n; k++) { s = ""; for (i = n - 1; i >= 0; i--) s = s int(k / 2 ^ i) % 2; print s } }' >every
awk 'length($0) <= 8' data | lstm-train -q --hidden 6 --steps 100 --max-length 8 -o short
lm-eval --per-string short every >of_base
for weights in '-4 6 -3' '-inf -8 2'; do
    # shellcheck disable=SC2086
    set -- $weights
    gam-fit -q --base short --feature motif:0110 --feature count:1 --feature length:5 \
        --lambda "motif:0110=$1" --lambda "count:1=$2" --lambda "length:5=$3" -o short.gam </dev/null
    z=$(awk -F '\t' -v a="$1" -v b="$2" -v c="$3" '{
        x = $2; absent = x !~ /0110/; ones = gsub(/1/, "1", x)
        if (!absent || a != "-inf") z += exp($1 + (absent ? a : 0) + b * ones / 8 + c * (length(x) != 5))
    } END { printf "%.12g", log(z) }' of_base)
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        lm-eval -q -s $seed --log-z-se 0.0003 short.gam eight >out
        awk -v z="$z" -v got="$(row log_z)" -v se="$(row log_z_se)" 'BEGIN { print (got - z) / se }'
    done
done >errors
awk '{ e = $1 < 0 ? -$1 : $1; within += e < 1.96; far += e > 4 } END { exit NR != 40 || within < 33 || far }' errors
ok $? 'log Z over an LSTM has the error that is stated'
# The error is as small as requested, but not to be trusted.
pfsa-gen --build -l 30 -m 10001011111000 -o thirty
lm-mix --weights 0.5,0.5 thirty thirty -o mixed
gam-fit -q --base mixed --feature count:1 --lambda count:1=-100 -o mixed.gam
pfsa-gen -l 30 -m 10001011111000 -n 10 -o ten
run lm-eval --log-z-se 0.5 mixed.gam ten
is "$status" 3 'few effective draws: status 3'
has err 'proposals is only' 'with the reason'
lm-eval --per-string geometric data >/dev/full 2>err
is $? 1 'a full disk is a failure'

# --- strings that the model was trained on ---

seen="the training set of the model; use other strings, such as those of another seed (-s)"
pfsa-gen -l 12 -m 1011 -n 100 >first
pfsa-gen -l 12 -m 1011 -n 500 >longer
pfsa-gen -l 12 -m 1011 -n 500 -s 2 >other
head -n 99 first >fewer
lstm-train -q --hidden 4 --epochs 2 -o of-first first
gam-fit -q --base of-first --feature motif:11 -o over-first.gam other
lm-mix --weights 0.5,0.5 -o with-first.mix of-first geometric
gzip -c longer >longer.gz
for model in of-first over-first.gam with-first.mix; do
    lm-eval $model first 2>err >/dev/null
    is "$(cat err)" "lm-eval: warning: 'first' is $seen" "$model: the training set"
    lm-eval $model longer.gz 2>err >/dev/null
    is "$(cat err)" "lm-eval: warning: 'longer.gz' begins with $seen" "$model: data that begin with it"
    lm-eval $model fewer 2>err >/dev/null
    is "$(cat err)" '' "$model: a part of it is not recognized"
done
lm-eval of-first other 2>err >/dev/null
is "$(cat err)" '' 'no warning about strings of another seed'
lm-eval over-first.gam other 2>err >/dev/null
is "$(cat err)" "lm-eval: warning: 'other' is $seen" 'the strings of gam-fit count, too'
lm-eval -q of-first first 2>err >/dev/null
is "$(cat err)" '' '-q hides the warning'

# --- progress in a terminal ---

# terminal COMMAND: what it draws, a line each time
terminal() {
    script -qec "$1" /dev/null </dev/null 2>&1 | tr '\r' '\n' >drawn
}

if has_terminals; then
    pfsa-gen --stop 0.04 -n 60 >bits
    lstm-train -q --hidden 512 --steps 1 -o wide bits
    slow='gam-fit -j 1 --base wide --feature motif:10001 --regime rs --epochs 1 -o wide.gam'
    terminal "$slow bits"
    # How much of the work is done by the first tick depends on the machine.
    grep -q '^fitting, rs, 0:0\|proposals.*, 0:0' drawn
    ok $? 'gam-fit shows progress from the first second'
    terminal "$slow -q bits"
    ! grep -q ', 0:0' drawn
    ok $? '-q silences it'
    terminal 'lm-eval -j 1 --log-z-se 0.003 wide.gam bits'
    grep -q '^log Z, 0:0\|proposals.*, log Z' drawn
    ok $? 'lm-eval shows that it estimates log Z'
    terminal 'lm-eval -j 1 --max-length 20 --log-z-se 0.001 wide bits'
    grep -q '^log Z, 0:0\|proposals.*, log Z' drawn
    ok $? 'also of the maximum length'
    terminal '{ sleep 1; cat data; } | gam-fit --base geometric --max-length 99 --feature motif:11 -o read.gam'
    grep -q '^reading, 0:0' drawn
    ok $? 'gam-fit shows that it reads'
    terminal '{ cat data; sleep 1; cat data; } | lm-eval geometric'
    grep -q '^0 strings, 0/s, 0:0' drawn
    ok $? 'lm-eval shows that it reads'
else
    skip 'progress in a terminal' 'no script(1), or no terminals for it'
fi

done_testing
