# SPDX-License-Identifier: MIT
# lm-compare.t: the table against lm-eval's figures and awk's, mistakes, scores.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

pfsa-gen -l 8 -m 101 -n 100 -o D
pfsa-gen -l 8 -m 101 -n 60 -s 2 -o T
pfsa-train --order 0 -o a.pfsa D
pfsa-train --order 3 -o b.pfsa D
lstm-train -q --hidden 8 --steps 60 -o r.lstm D
gam-fit -q --base r.lstm --feature motif:101 -o g.gam D

# cell MODEL COLUMN: of the table in `out`
cell() {
    awk -F '\t' -v m="$1" -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == m { print $(at[c]) }' out
}

run lm-compare a.pfsa r.lstm g.gam b.pfsa T
is "$status$(cat err)" 0 'compares in silence'
is "$(head -n 1 out | tr '\t' ' ')" 'model ce ce_se diff diff_se p impossible' 'the columns'
is "$(awk 'NR > 1 { if ($2 < last) bad = 1; last = $2 } END { print NR, bad + 0 }' out)" '5 0' \
    'a row for each model, the best first'
for model in a.pfsa r.lstm g.gam b.pfsa; do
    lm-eval $model T >report
    near "$(cell $model ce)" "$(row ce report)" 1e-13 "$model: the CE of lm-eval"
    near "$(cell $model ce_se)" "$(row ce_se report)" 1e-12 "$model: and its error"
    lm-eval --per-string $model T | cut -f 1 >$model.p
done
best=$(sed -n 2p out | cut -f 1)
is "$(cell "$best" diff) $(cell "$best" diff_se) $(cell "$best" p)" '0 0 1' 'the best is the reference'

# paired A B: difference and error from the definition, 9 characters each
paired() {
    paste "$1.p" "$2.p" | awk '{ d[NR] = $2 - $1; s += d[NR] }
        END { r = s / (9 * NR); for (i = 1; i <= NR; i++) q += (d[i] - 9 * r) ^ 2
            printf "%.15g %.15g\n", r, sqrt(q * NR / (NR - 1)) / (9 * NR) }'
}
run lm-compare --reference b.pfsa a.pfsa b.pfsa r.lstm g.gam T
for model in a.pfsa r.lstm; do
    near "$(cell $model diff)" "$(paired $model b.pfsa | cut -d ' ' -f 1)" 1e-13 "$model - b.pfsa"
    near "$(cell $model diff_se)" "$(paired $model b.pfsa | cut -d ' ' -f 2)" 1e-12 'its error'
done
# The error of log Z is in that of a GAM.
z=$(lm-eval g.gam T | awk '$1 == "log_z_se" { print $2 }')
near "$(cell g.gam diff_se)" "$(paired g.gam b.pfsa | awk -v z="$z" '{ print sqrt($2 ^ 2 + (z / 9) ^ 2) }')" \
    1e-8 'the error of a GAM has that of log Z'
awk -v z="$z" 'BEGIN { exit !(z > 0) }'
ok $? 'which is not 0'
run lm-compare --reference a.pfsa a.pfsa a.pfsa T
is "$(cut -f 4,6 out | tail -n 1)" "0	1" 'a model and itself: no difference, p = 1'

run lm-compare --json a.pfsa b.pfsa T
has out '"model": "b.pfsa", "ce": ' 'JSON'
lm-compare a.pfsa b.pfsa - <T >stdin
lm-compare a.pfsa b.pfsa T | cmp -s - stdin
ok $? 'DATA from stdin'
run lm-compare -o new a.pfsa b.pfsa T
cmp -s new stdin
ok $? '-o writes a file'

# --- strings that a model cannot produce ---

pfsa-gen -b -l 8 -m 101 -o source.pfsa
printf '00000000\n' | cat T - >T0
run lm-compare source.pfsa a.pfsa b.pfsa T0
is "$status $(cat err)" \
    '0 lm-compare: warning: source.pfsa: 1 of 61 strings have probability 0 under the model' 'it is said'
is "$(tail -n 1 out)" "source.pfsa	inf	nan	inf	nan	nan	1" 'an infinite loss comes last, without an error'
run lm-compare --reference source.pfsa source.pfsa a.pfsa T0
is "$(cell a.pfsa diff) $(cell a.pfsa p)" '-inf nan' 'as the reference'
head -n 1 T >one
run lm-compare a.pfsa b.pfsa one
is "$status $(cat err) $(tail -n 1 out | cut -f 5,6)" \
    '0 lm-compare: warning: a single string gives no standard error nan	nan' 'one string'

# --- scores ---

for model in a b; do
    lm-eval --per-string $model.pfsa T0 >$model.scores
done
lm-compare a.pfsa b.pfsa T0 | cut -f 2- >want
run lm-compare --scores a.scores b.scores
is "$(cut -f 2- out)" "$(cat want)" 'files of scores give the same table'
gzip -c a.scores >a.gz
run lm-compare --scores a.gz b.scores
is "$(cut -f 2- out)" "$(cat want)" 'compressed, too'

done_testing
