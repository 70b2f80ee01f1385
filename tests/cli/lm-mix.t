# SPDX-License-Identifier: MIT
# lm-mix.t: mixtures against what follows from their models, and what the other tools do
# with them.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

pfsa-gen -l 6 -m 101 -n 200 -o D
pfsa-gen -l 6 -m 101 -n 40 -s 2 -o V
pfsa-train --order 1 -o order1.pfsa D
pfsa-train --positional --order 0 -o sites.pfsa D
lstm-train -q --hidden 8 --steps 100 -o r.lstm D
awk 'function grow(x) { if (length(x) == 6) print x; else { grow(x "0"); grow(x "1") } } BEGIN { grow("") }' >all

# ce MODEL DATA
ce() {
    lm-eval "$1" "$2" | awk '$1 == "ce" { print $2 }'
}

# --- stated weights ---

run lm-mix --weights 0.3,0.7 -o m.mix order1.pfsa sites.pfsa
is "$status$(cat out err)" 0 'mixes in silence'
run model-info m.mix
is "$(row kind) $(row alphabet) $(row max_length) $(row component_count) $(row command)" \
    'mix 01 6 2 lm-mix --weights 0.3,0.7' 'model-info says what it is'
is "$(tail -n 3 out | tr '\t\n' '  ')" 'component kind weight 1 pfsa 0.3 2 pfsa 0.7 ' 'and what is inside'

# Probabilities of prefixes are sums over strings; their ratios, those of next symbols.
for model in order1.pfsa sites.pfsa m.mix; do
    lm-eval --per-string $model all | awk -F '\t' '
        { for (n = 0; n <= length($2); n++) sum[substr($2, 1, n)] += exp($1) }
        END { for (u in sum) print (u == "" ? "-" : u), sum[u] }' | sort >$model.prefixes
done
join order1.pfsa.prefixes sites.pfsa.prefixes | join - m.mix.prefixes >prefixes
awk '{ a[$1] = $2; b[$1] = $3; mix[$1] = $4 }
    END {
        if (mix["-"] < 1 - 1e-12 || mix["-"] > 1 + 1e-12) bad++
        for (u in a)
            if (u != "-") {
                before = length(u) > 1 ? substr(u, 1, length(u) - 1) : "-"
                p = .3 * a[u] / a[before] + .7 * b[u] / b[before]
                d = mix[u] / mix[before] - p
                if (d > 1e-5 || d < -1e-5) bad++
                seen++
            }
        exit bad != 0 || seen != 126
    }' prefixes
ok $? 'each symbol has the weighted mean of its probabilities, and all strings sum to 1'

lm-mix --weights 0.3,0.7 - sites.pfsa <order1.pfsa | cmp -s - m.mix
ok $? 'a model from stdin'
gzip -c sites.pfsa >packed.gz
lm-mix --weights 0.3,0.7 order1.pfsa packed.gz | cmp -s - m.mix
ok $? 'a model that is compressed'
lm-mix --weights 0.3333333333,0.6666666667 order1.pfsa sites.pfsa | model-info - >out
is "$?" 0 'weights sum to 1 up to their rounding'

# --- weights by EM ---

run lm-mix --valid V --report report --log log -o em.mix order1.pfsa sites.pfsa r.lstm
is "$status$(cat out err)" 0 'finds weights in silence'
near "$(row ce report)" "$(ce em.mix V)" 1e-12 'the loss that it reports is that of lm-eval'
for model in order1.pfsa sites.pfsa r.lstm; do
    near "$(awk -v m=$model '$1 == m { print $4 }' report)" "$(ce $model V)" 1e-12 "so is that of $model"
done
is "$(row strings report) $(row chars report)" '40 280' 'and the size of the validation set'
awk -F '\t' 'NR == 2 { last = $2 } NR > 1 { bad += $2 > last + 1e-14; last = $2; s = $4 + $5 + $6
        bad += s < 1 - 1e-9 || s > 1 + 1e-9 }
    END { exit bad != 0 || NR < 3 }' log
ok $? 'the loss never grows, and weights sum to 1'
is "$(head -n 1 log | tr '\t' ' ')" 'iteration ce gap order1.pfsa sites.pfsa r.lstm' 'the columns of the log'
model-info em.mix >out
is "$(row valid_ce) $(row iterations)" "$(row ce report) " 'the model records the loss'

# No weights of a grid are better.
best=9
for w in 0.1 0.3 0.5 0.7 0.9; do
    lm-mix --weights "$w,$(awk -v w=$w 'BEGIN { print 1 - w }')" -o grid.mix order1.pfsa sites.pfsa
    best=$(awk -v a="$(ce grid.mix V)" -v b="$best" 'BEGIN { printf "%.17g", a < b ? a : b }')
done
lm-mix --valid V -o two.mix order1.pfsa sites.pfsa
awk -v a="$(ce two.mix V)" -v b="$best" 'BEGIN { exit !(a <= b + 1e-8) }'
ok $? 'no weights of a grid are better'

run lm-mix --valid - --report - --json -o em2.mix order1.pfsa sites.pfsa r.lstm <V
cmp -s em.mix em2.mix
ok $? 'the validation set from stdin'
has out '"iterations": ' 'a report as JSON'
run lm-mix -v --valid V -o em2.mix order1.pfsa sites.pfsa
is "$(grep -c 'nats per character' err)" 3 '-v tells of each model, and of the mixture'

# A model that cannot produce all strings helps with the others.
printf '000000\n' >none
cat V none >V0
pfsa-gen -b -l 6 -m 101 -o motif.pfsa
pfsa-gen -b -l 6 -o uniform.pfsa
run lm-mix --valid V0 --report report -o part.mix motif.pfsa uniform.pfsa
is "$status $(awk '$1 == "motif.pfsa" { print $4, ($3 > .5) }' report)" '0 inf 1' 'a model that is sometimes lost'
lm-eval --per-string part.mix all | awk -F '\t' '{ s += exp($1); bad += $1 == "-inf" }
    END { exit bad != 0 || s < 1 - 1e-12 || s > 1 + 1e-12 }'
ok $? 'the mixture produces what any of them can produce'

# An LSTM of one length has no opinion on longer strings.
pfsa-gen -b -l 8 -o eight.pfsa
pfsa-gen -n 20 eight.pfsa | cat V - >V8
lm-mix --valid V8 --report report -o lengths.mix r.lstm eight.pfsa
near "$(row ce report)" "$(ce lengths.mix V8)" 1e-12 'models of two lengths: the loss is that of lm-eval'
awk 'function grow(x) { if (length(x) == 8) print x; else { grow(x "0"); grow(x "1") } } BEGIN { grow("") }' |
    cat all - | lm-eval --per-string lengths.mix - | awk '{ s += exp($1) } END { exit s < 1 - 1e-9 || s > 1 + 1e-9 }'
ok $? 'and their strings sum to 1'

# --- mixtures as models ---

run lm-mix --weights 0.5,0.5 -o nested.mix m.mix r.lstm
is "$status" 0 'a mixture of a mixture'
gam-sample -n 20000 m.mix >S
is "$(awk 'length != 6' S | wc -l)" 0 'strings drawn from it have the length of both'
lm-eval --per-string m.mix all >exact
sort S | uniq -c >counts
awk 'NR == FNR { p[$2] = exp($1); next } { n[$2] = $1 }
    END { for (x in p) chi += (n[x] - 20000 * p[x]) ^ 2 / (20000 * p[x])
        exit !(chi > 0 && chi < 63 + 4.5 * sqrt(126)) }' exact counts
ok $? 'and their probabilities (chi-squared, 63 degrees of freedom, 4.5 sigma)'
gam-sample -n 2000 --plain nested.mix | lm-eval nested.mix - >out
is "$?" 0 'plain sampling from a nested one'
run gam-fit -q --base m.mix --feature motif:101 -o g.gam D
is "$status" 0 'as a base model'
near "$(gam-sample -n 5000 g.gam | grep -c 101)" 5000 40 'strings with the motif'
run model-info --base g.gam
is "$(row kind)" mix 'the base inside the GAM'
run gam-fit -q --base uniform.pfsa --feature motif:101 --lambda motif:101=-inf -o hard.gam D
run lm-mix --weights 0.5,0.5 -o hard.mix hard.gam uniform.pfsa
lm-mix --weights 0.5,0.5 -o motif.mix motif.pfsa uniform.pfsa
lm-eval --per-string hard.mix all >a
lm-eval --per-string motif.mix all >b
paste a b | awk '{ d = $1 - $3; bad += d > 1e-9 || d < -1e-9 } END { exit bad != 0 || NR != 64 }'
ok $? 'a GAM over an automaton is mixed as the automaton that it is'

# --- a mixture of automata as an automaton ---

run model-convert --to pfsa -o automaton.pfsa m.mix
is "$status$(cat err)" 0 'a mixture of automata is an automaton'
lm-eval --per-string automaton.pfsa all | paste - exact | awk '{ d = $1 - $3; bad += d > 1e-12 || d < -1e-12 }
    END { exit bad != 0 || NR != 64 }'
ok $? 'with the same probabilities'
model-info automaton.pfsa >out
is "$(row kind) $(row tool)" 'pfsa lm-mix' 'and the provenance of the mixture'
model-convert --to json m.mix | model-convert --from json | lm-eval - V >out
near "$(row ce)" "$(ce m.mix V)" 1e-12 'through JSON'
model-convert --to native m.mix | cmp -s - m.mix
ok $? 'and as it is'
run gam-fit -q --base automaton.pfsa --feature motif:101 -o exact.gam D
near "$(ce exact.gam V)" "$(ce g.gam V)" 0.003 'the guided fit of the mixture is near the exact one'

# --- the maximum length ---

pfsa-gen -b --stop 0.2 -o loop.pfsa
lm-mix --weights 0.5,0.5 loop.pfsa sites.pfsa | model-info - >out
is "$(row max_length)" 6 'automata without a maximum length do not count'
lm-mix --weights 0.5,0.5 loop.pfsa loop.pfsa | model-info - >out
is "$(row max_length)" unbounded 'unless there are no others'
lm-mix --weights 0.5,0.5 --max-length 9 -o nine.mix loop.pfsa sites.pfsa
is "$(gam-sample -n 3000 nine.mix | awk 'length > n { n = length } END { print n }')" 9 '--max-length is obeyed'
lm-mix --weights 0.5,0.5 -o loops.mix loop.pfsa loop.pfsa
run gam-sample -n 10 loops.mix
is "$status $(grep -c '' out)" '0 10' 'strings without a maximum length'

done_testing
