# SPDX-License-Identifier: MIT
# examples.t: the examples run, at sizes that take seconds; what they state about failures and
# resuming is true.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

case ${VARIANT:-release} in
release | coverage) ;;
*) skip_all 'trains LSTMs: too slow here' ;;
esac
examples=$top/examples
motif=10111
export MOTIF=$motif LENGTH=12 SIZE=60 DISTIL=300 TEST=300 SAMPLE=300
export TRAIN='--hidden 32 --epochs 150' FIT='--accepted 500'

# A table of models with CE and frequency: P is below r in CE, and has the motif more often.
better() {
    awk -F '\t' '{ ce[$1] = $2; freq[$1] = $3 }
        END { exit !(ce["source"] < ce["g"] && ce["g"] < ce["r"] && freq["r"] < freq["g"] && ce["pi"] > 0) }' "$1"
}

# there FILE: yes or no
there() {
    if [ -e "$1" ]; then echo yes; else echo no; fi
}

run sh "$examples/1-two-stage.sh" one
is "$status" 0 '1-two-stage.sh runs'
better one/table && [ "$(wc -l <one/comparison)" = 4 ]
ok $? '1-two-stage.sh: P is better than r'

mk() {
    run make -s -f "$examples/2-two-stage.mk" OUT=two MOTIF=$motif LENGTH=12 SIZE=60 VALID=15 DISTIL=300 TEST=300 \
        SAMPLE=300 TRAIN="$TRAIN" FIT="$FIT" "$@"
}
mk
is "$status" 0 '2-two-stage.mk runs'
better two/table && [ "$(wc -l <two/comparison)" = 4 ]
ok $? '2-two-stage.mk: P is better than r'
cp two/pi.lstm before
rm two/pi.lstm two/r.lstm.eval
mk
cmp -s two/pi.lstm before
ok $? '2-two-stage.mk: what is missing is made again, the same'
touch two/D2
mk -n
has out 'lstm-train' '2-two-stage.mk: what depends on a change is made again'
grep -q gam-fit out
is $? 1 '2-two-stage.mk: what does not depend on it is not'

# A stage that fails leaves no file that looks complete: here gam-sample fails.
mkdir broken
printf '#!/bin/sh\necho 0101\nexit 1\n' >broken/gam-sample
chmod +x broken/gam-sample
good=$PATH
PATH=$work/broken:$PATH
run sh "$examples/1-two-stage.sh" bad
is "$status" 1 '1-two-stage.sh fails if a stage does'
[ ! -e bad/pi.lstm ] && [ ! -e bad/table ]
ok $? '1-two-stage.sh: and leaves no pi'
rm -f two/D2 two/pi.lstm
mk
is "$status" 2 '2-two-stage.mk fails if a stage does'
[ ! -e two/D2 ] && [ ! -e two/pi.lstm ]
ok $? '2-two-stage.mk: and leaves no pi'
PATH=$good
mk
# A sample that is too short (exit status 3) is not left for the next make.
rm two/table two/r.lstm.sample two/r.lstm.freq
printf '#!/bin/sh\n"%s" "$@" --max-proposals 20\n' "$(command -v gam-sample)" >broken/gam-sample
PATH=$work/broken:$PATH
mk
PATH=$good
is "$status:$(there two/r.lstm.sample)" 2:no '2-two-stage.mk: a sample that is too short is not kept'
mk
is "$status:$(wc -l <two/r.lstm.sample)" 0:300 '2-two-stage.mk: and is made again; samples are kept'

# fails TOOL: puts one that fails before the others in PATH
fails() {
    rm -f broken/*
    printf '#!/bin/sh\nexit 1\n' >broken/"$1"
    chmod +x broken/"$1"
    PATH=$work/broken:$good
}
for tool in motif-freq lm-eval pfsa-entropy; do
    rm -f one/table
    fails $tool
    run sh "$examples/1-two-stage.sh" one
    PATH=$good
    is "$status:$(there one/table)" 1:no "1-two-stage.sh: no table of zeros if $tool fails"
done

# Cyclic: r changes in each round; an interrupted run resumes and has the same result.
run env TOTAL=200 BATCH=50 WAIT=2 sh "$examples/3-cyclic.sh" -d three
is "$status" 0 '3-cyclic.sh runs'
cmp -s three/round/1/r.lstm three/round/2/r.lstm
is $? 1 '3-cyclic.sh: a round changes r'
for r in 1 2; do lm-eval three/round/$r/r.lstm three/round/1/D | row ce -; done >ces
awk 'NR == 1 { before = $1 } END { exit !($1 < before) }' ces
ok $? '3-cyclic.sh: and r has learned from its strings'
is "$(wc -l <three/S)" 200 '3-cyclic.sh distils as many strings as asked for'
is "$(wc -l <three/pi.D)" 260 '3-cyclic.sh adds D at the end'
awk -F '\t' 'NR > 1 && !($3 > 0 && $3 <= 1) { bad = 1 } END { exit bad || NR < 3 }' three/rounds.tsv
ok $? '3-cyclic.sh: a table of acceptance rates by round'
cp three/S whole
rm -r three/round/2/g.gam three/round/2/S three/round/[3-9] three/round/rest three/S three/g.gam 2>/dev/null
run env TOTAL=200 BATCH=50 WAIT=2 sh "$examples/3-cyclic.sh" -d three
cmp -s three/S whole
ok $? '3-cyclic.sh goes on where it was'
# A fit whose moments miss their targets ends no later round; any other failure does.
for code in 3 1; do
    printf '#!/bin/sh\n"%s" "$@"\ncase "$*" in *round/2/*) exit %s;; esac\n' "$(command -v gam-fit)" $code >broken/gam-fit
    chmod +x broken/gam-fit
    rm -r three/round/2/g.gam three/round/2/S three/round/[3-9] three/round/rest three/S three/g.gam 2>/dev/null
    PATH=$work/broken:$PATH
    run env TOTAL=200 BATCH=50 WAIT=2 sh "$examples/3-cyclic.sh" -d three
    PATH=$good
    is "$status:$(there three/S)" "$([ $code = 3 ] && echo 0:yes || echo 1:no)" "3-cyclic.sh: a later fit with status $code"
done
rm broken/gam-fit
run env TOTAL=200 BATCH=50 WAIT=2 sh "$examples/3-cyclic.sh" -d three
# The complete script, from existing rounds; then with an evaluation that fails.
cyclic() {
    run env TOTAL=200 BATCH=50 WAIT=2 sh "$examples/3-cyclic.sh" three
}
cyclic
is "$status:$(grep -c '^CE' out)" 0:3 '3-cyclic.sh: pi, and how good it is'
fails lm-eval
cyclic
PATH=$good
is "$status:$(grep -c '^CE' out)" 1:0 '3-cyclic.sh: no CE of 0 if lm-eval fails'
# A gam-sample that exhausts its budget leaves what it has, which is not enough.
printf '#!/bin/sh\n"%s" "$@" --max-proposals 20\n' "$(command -v gam-sample)" >broken/gam-sample
chmod +x broken/gam-sample
rm -r three/round/1/S three/round/[2-9] three/round/rest three/S three/g.gam 2>/dev/null
PATH=$work/broken:$PATH
run env TOTAL=200 BATCH=50 WAIT=2 sh "$examples/3-cyclic.sh" -d three
PATH=$good
is "$status" 3 '3-cyclic.sh fails if a stage does'
[ ! -e three/round/1/S ] && [ ! -e three/S ]
ok $? '3-cyclic.sh: and leaves no strings that look finished'

run env MOTIF=TATA DISTIL=300 sh "$examples/4-dna.sh"
is "$status" 0 '4-dna.sh runs'
has out motif:TATA '4-dna.sh shows the weights'
has out 'diff_se' '4-dna.sh compares r, P and pi'
pfsa-gen -a ACGT -l 12 -m TATA -n 60 >mine
run env MOTIF=TATA DISTIL=300 sh "$examples/4-dna.sh" mine
is "$(head -n 1 out)" "$(head -n 1 mine)" '4-dna.sh takes a file'
# The length is that of the data, here with a few other ones; gzip and CRLF are accepted.
{ pfsa-gen -a ACGT -l 9 -m TATA -n 60; pfsa-gen -a ACGT -l 7 -m TATA -n 5; } | sed 's/$/\r/' | gzip >mine.gz
run env -u LENGTH MOTIF=TATA DISTIL=300 sh "$examples/4-dna.sh" mine.gz
is "$status" 0 '4-dna.sh takes a compressed file'
has out 'length:9 ' '4-dna.sh has the length from the data'
run env -u MOTIF sh "$examples/4-dna.sh" mine
is "$status" 1 '4-dna.sh: a file needs a motif'
has err 'set MOTIF to a motif' '4-dna.sh: and says so'
run env MOTIF=GGGGGGGGGGG sh "$examples/4-dna.sh" mine
is "$status:$(cat err)" '1:4-dna.sh: no string of mine contains GGGGGGGGGGG' '4-dna.sh: a motif that none has'

run sh "$examples/demo.sh"
is "$status" 0 'demo.sh runs without a terminal'
has out "[$motif]" 'demo.sh shows the motif'
has out 'source ' 'demo.sh draws its picture'
has out 'of its samples contain the motif' 'demo.sh says how it came out'

# A few runs of the grid, with their rows; `make smoke` runs all of it.
ln -s "$top" tree # a name without blanks, wherever the tree is
cat >grid <<END
VALIDATE := quarter
RUNS := $(printf "default-m-$motif-60-1-%s " 1001111L-rs-two 0000000-rs-two 1001111-rs-cyclic)
SET := smoke
PAGE := $work/grid-out
.DEFAULT_GOAL := all
include tree/examples/grid.mk
include tree/examples/paper/lengths.mk
all: \$(ROWS) \$(PAGE)/lengths.md
\$(OUT)/results.tsv: \$(ROWS) \$(PUBLISHED) FORCE
	mkdir -p \$(OUT); \$(table)
END
run make -s -f grid OUT="$work/grid-out" POOL=60 DISTIL_VALID=50 LENGTHS_SIZE=60 all
is "$status" 0 'runs of the grid'
row=grid-out/run/default-m-$motif-60-1-0000000-rs-two/row.tsv
column() {
    awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[name] }' "$row"
}
# Without features P is r, except for longer strings of r.
is "$(column lambda)" 0 'ft 0000000: the feature weighs nothing'
near "$(column ce_P)" "$(column ce_r)" 0.02 'ft 0000000: P is r'
row=grid-out/run/default-m-$motif-60-1-1001111-rs-cyclic/row.tsv
is "$(column acceptance | awk '{ print ($1 > 0 && $1 <= 1) }')" 1 'a cyclic run of the grid'
is "$(grep -c '^| [rPp]i*, default recipe | [0-9.]* | [0-9.]* |$' grid-out/lengths.md)" 3 \
    'the footnote: mean and variance of lengths'
row=grid-out/run/default-m-$motif-60-1-1001111L-rs-two/row.tsv
is "$(awk -F '\t' '{ print NF }' "$row" | uniq -c | awk '{ print $1 }')" 2 'the row has as many cells as its header'
near "$(column H)" "$(pfsa-entropy -l 12 -m $motif | awk '$1 == "entropy_per_char" { print $2 }')" 1e-12 'the row has the entropy'
is "$(column length_distilled | awk '{ print ($1 > 11.9) }')" 1 'the length feature holds in what is distilled'
awk -F '\t' '{ for (i = 1; i <= NF; i++) if ($i == "" || ($i == "-" && name[i] !~ /^rounds/)) exit 1; else name[i] = $i }' "$row"
ok $? 'no cell is missing, but the rounds of a cyclic run'
is "$(column string_true) $(column string_r) $(column string_pi)" \
    "$(head -qn 1 grid-out/data/*/T grid-out/r/*/r.sample "${row%/*}/pi.sample" | xargs)" 'the row has sample strings'
row=grid-out/run/default-m-$motif-60-1-1001111-rs-cyclic/row.tsv
is "$(column rounds)" "$(awk '$1 + 0 { print $3 }' "${row%/*}/rounds.tsv" | paste -sd ,)" 'a cyclic row has the rate of each round'

# A moment that misses its target (status 3) does not end a run; any other failure does.
for code in 1 3; do
    fails gam-fit
    printf '#!/bin/sh\nPATH=%s\ngam-fit "$@"\nexit %s\n' "$good" $code >broken/gam-fit
    rm -r grid-out/run/*-0000000-*
    run make -s -f grid OUT="$work/grid-out" POOL=60 DISTIL_VALID=50 LENGTHS_SIZE=60 PATH="$PATH" all
    PATH=$good
    is "$status $(find grid-out/run/*-0000000-* -name g.seconds | wc -l)" "$([ $code = 3 ] && echo 0 1 || echo 2 0)" \
        "a run of the grid whose fit has status $code"
done

# On Slurm, a recipe that calls make is a job step, which gives that make one CPU.
make -n -C "$examples/paper" NEEDS= OUT="$work/none" full >graph
is "$(grep -c -e '--no-print-directory' graph)" 0 'paper: a set as the only goal calls no other make'

# Published rows count as done, with the same settings; an older table may lack columns.
published() {
    run make -s -f grid OUT="$work/later" POOL=60 DISTIL_VALID=50 LENGTHS_SIZE=60 RESULTS="$work/pub $work/older" "$@" \
        "$work/later/results.tsv"
}
mkdir pub older
cp grid-out/settings pub
cp grid-out/settings older
row=grid-out/run/default-m-$motif-60-1-1001111L-rs-two/row.tsv
cut -f 1-12 grid-out/run/*-0000000-*/row.tsv >older/results.tsv
{ cat "$row" && tail -n 1 grid-out/run/*-cyclic/row.tsv; } >pub/results.tsv
published
is "$status:$(there later/run):$(cut -f 6,8 later/results.tsv | xargs)" '0:no:ft mode 1001111L two 0000000 two 1001111 cyclic' \
    'runs in published tables count as done, in the order of the runs'
sed -n 2p later/results.tsv >first
tail -n 1 "$row" | cmp -s - first
ok $? 'a published row is taken as it is'
is "$(sed -n 3p later/results.tsv | cut -f 12-14 | xargs)" "$(sed -n 2p older/results.tsv | cut -f 12) - -" \
    'a dash for what an older table lacks'
published -n FRESH=1
is "$(grep -c 'gam-fit -q' out)" 2 'FRESH=1 makes them again'
published -n DISTIL=301
is "$(grep -c 'gam-fit -q' out)" 2 'as do other settings'
sed -i 2d older/results.tsv
rm -r later
published PARTIAL=1
is "$status:$(cut -f 6 later/results.tsv | xargs)" '0:ft 1001111L 1001111' 'PARTIAL=1 makes none'
published PARTIAL=1 FRESH=1
is "$status:$(grep -c 'none of the runs is complete' err)" 2:1 'PARTIAL=1: no table of nothing'

run make -s -f grid OUT="$work/grid-out" POOL=60 DISTIL=77 DISTIL_VALID=50 LENGTHS_SIZE=60 all
is "$status" 2 'other settings need another place'
has err 'was made with other settings' 'and make says so'
run make -s -f grid NEEDS=no-such-program all
is "$status" 2 'a program that is missing stops make'
has err 'not found: no-such-program' 'and is named at once'

# The published tables are made of the published rows.
for set in full quick; do
    tables=$(find "$examples/paper/results/$set" -name '*.tsv' -o -name '[!R]*.md' | sed 's,.*/,,')
    # shellcheck disable=SC2046,SC2086 # names without blanks
    env -i PATH="$PATH" make -s -C "$examples/paper" NEEDS= SET=$set PARTIAL=1 OUT="$work/pages" \
        $(printf "$work/pages/$set/%s " $tables) >/dev/null 2>made
    for table in $tables; do
        cmp "$work/pages/$set/$table" "$examples/paper/results/$set/$table" 2>&1
    done >differ
    is "$(cat made differ)" '' "paper/results/$set: the tables are those of its rows"
done

# The time of earlier attempts is added: by the attempt that succeeds, to those that did not.
printf 'seconds\t100\n' >took.spent
run sh "$examples/timed.sh" took sh -c 'kill -TERM $PPID; exit 9'
is "$status:$(awk '{ print ($2 >= 100 && $2 < 110) }' took.spent)" 9:1 'timed.sh: the seconds of a try that failed are kept'
run sh "$examples/timed.sh" took true
is "$status:$(awk '{ print $1, ($2 >= 100 && $2 < 110) }' took):$(there took.spent)" '0:seconds 1:no' 'timed.sh: and added'

# The efficiency curve, from made-up runs; pi0 has no features.
tr ' ' '\t' >results.tsv <<END
recipe size ft H ce_r ce_P ce_pi freq_r freq_distilled freq_pi
default 100 1001111L 0.5 0.55 0.52 0.53 0.5 0.9 0.8
default 20 1001111L 0.5 0.75 0.6 0.55 0.5 0.9 0.8
default 20 1001111L 0.5 0.65 0.6 0.55 0.5 0.9 0.8
default 20 0000000 0.5 0.75 0.69 0.6 0.5 0.5 0.4
default 20 0000000 0.5 0.75 0.69 0.7 0.5 0.5 0.4
END
awk -f "$examples/efficiency/curve.awk" results.tsv >curve.tsv
awk -v distil=9 -v test=9 -f "$examples/efficiency/page.awk" "$examples/recipes.tsv" curve.tsv >out
has out '| default | 20 + 5 | 2 | 1.400 [1.300, 1.500] | 1.380 [1.380, 1.380] | 1.200 [1.200, 1.200] |' 'efficiency: mean, least, greatest'
has out '| 1.300 [1.200, 1.400] | 0.400 [0.400, 0.400] |' 'efficiency: pi0 stands apart'
has out '25 strings: -0.020, -0.080 and -0.200.' 'efficiency: what is due to the length limit, to distilling, to the features'
has out 'pi is worse than P at 125 strings' 'efficiency: where pi is above P'
has out '| 0.800 | - | - |' 'efficiency: what was not run is a dash'
awk -v OFS='\t' '{ $(NF + 1) = NR == 1 ? "ce_rL" : 0.64; print }' results.tsv |
    awk -f "$examples/efficiency/curve.awk" | cut -f 2,3,29 >out
has out '20	2	1.28000' 'efficiency: r given L, where all runs have it'

# The tables, from made-up runs with known answers: H = 0.5; CE(pi) = 0.55, 0.65; CE(r) = 0.66,
# 0.91; frequencies .1 to 1 and .04 to .8.
tr ' ' '\t' >results.tsv <<END
recipe kind motif size seed ft regime mode H ce_r ce_pi freq_r freq_pi seconds_r seconds_fit seconds_distil seconds_pi
default m 1 500 1 1011111 rs two 0.5 0.66 0.55 0.1 1 1 6 1 1
default m 1 500 2 1011111 rs two 0.5 0.91 0.65 0.04 0.8 1 2 1 1
default m 1 500 1 1011111 snis two 0.5 0.66 0.6 0.1 0.9 1 2 1 1
default m 1 500 1 1001111 rs cyclic 0.5 0.66 0.5 0.1 0.9 1 7 - 4
default mam 1 500 1 1011111 rs two 0.5 0.66 0.55 0.1 1 1 6 1 1
default m 1 1000 1 1011111 rs two 0.5 0.66 0.55 0.1 1 1 6 1 1
default m 1 1000 2 1011111 rs two 0.5 0.66 0.55 0 1 1 6 1 1
END
table() {
    awk -v motif=1 -f "$examples/paper/lib.awk" -f "$examples/paper/$1.awk" "$examples/paper/$1.tsv" results.tsv >out
}
table stats
has out '| rs | 500 | ours, default recipe | 2 | 1.300±0.100 | 1.200±0.100 | [10.00, 20.00] | 1 | 1.200 | 1.100 | 10.00 |' \
    't:stats: mean and deviation, least and greatest; neither of a single run'
has out '| 1.100±0.000 | [10.00, inf] | - |' 't:stats: a frequency of 0 in r is not passed over'
has out '| rs | 500 | the paper | 15 | 1.24±0.07 | 1.19±0.07 |' 't:stats: beside the figures of the paper'
table reg_time
has out '| 500 | ours, default recipe | 3 | 1.000 | 1.000 | 2.000 | - | - | - |' 't:reg_time: rs over snis'
printf 'default\tm\t1\t500\t1\t1001111\trs\ttwo\t0.5\t0.66\t0.6\t0.1\t0.9\t1\t2\t1\t2\n' >>results.tsv
table cycle_two
has out '| 500 | ours, default recipe | 2 | 1.200 | 0.500 | - | - |' 't:cycle_two: two-stage over cyclic'

tr ' ' '\t' >results.tsv <<END
recipe kind motif size seed ft regime mode rounds rounds_rest
default m 1 500 1 1001111 rs cyclic .2,.5,.4 .45
default m 1 500 1 1001111 rs two - -
END
awk -f "$examples/paper/rounds.awk" results.tsv >out
has out '| default | 500 | 1 | rs | 3 | 0.2000 | 0.5000 (2) | 0.4000 | 0.4500 |' 'acceptance by round: first, best, last'
is "$(wc -l <out)" 3 'acceptance by round: of cyclic runs'

# --- cross-validation ---

cv() {
    # shellcheck disable=SC2016 # for make and its shell
    run make -s -f "$examples/cross-validate.mk" DATA=sites ALPHABET=01 OUT=cv FOLDS=4 RECIPES='zero auto' \
        RECIPE_zero='pfsa-train -a $$A --order 0 $$TRAIN -o $$MODEL' RECIPE_auto='pfsa-train -a $$A $$D -o $$MODEL' "$@"
}
pfsa-gen -l 8 -m 1101 -n 43 -o sites
cv
is "$status $(head -n 1 out | tr '\t' ' ')" '0 recipe ce ce_se diff diff_se p' 'cross-validate.mk runs'
sort cv/?/T | cmp -s - "$(sort sites >sorted && echo sorted)"
ok $? 'cross-validate.mk: each string is tested once'
sort cv/1/T cv/1/D cv/1/V | cmp -s - sorted && cat cv/1/D cv/1/V | sort >both && sort cv/1/TRAIN | cmp -s - both
ok $? 'cross-validate.mk: and the others are trained on'
cut -f 2 cv/zero.scores | cmp -s - "$(cut -f 2 cv/auto.scores >scored && echo scored)"
ok $? 'cross-validate.mk: recipes are compared on the same strings'
cp cv/table before
sort -r sites >reversed
cv DATA=reversed OUT=cv2 FOLDS=2
is "$status $(find cv2 -name T | wc -l)" '0 2' 'cross-validate.mk: another number of folds'
run make -s -f "$examples/cross-validate.mk" OUT=cv3
is "$status $(head -n 1 err)" '2 cross-validate.mk: set DATA to a file of strings' 'cross-validate.mk: without DATA'
awk 'NR < 5' sites >few
cv DATA=few OUT=cv4
is "$status $(head -n 1 err)" '2 cross-validate.mk: 4 strings are too few' 'cross-validate.mk: few strings'
by_folds() {
    run make -s -f "$examples/smooth-by-folds.mk" DATA=sites FEATURES='--feature motif:1101' OUT=folds FOLDS=2 \
        TRAIN='--hidden 4 --epochs 3' WEIGHTS='0 1' "$@"
}
by_folds
is "$status $(head -n 1 out | tr '\t' ' ') $(wc -l <folds/table)" '0 weight ce ce_se diff diff_se p 3' \
    'smooth-by-folds.mk runs'
is "$(model-info folds/P.gam | row kind -) $(sed -n '$s/.*weight //p' out)" \
    "gam $(sed -n '2s/\.scores.*//p' folds/table)" 'smooth-by-folds.mk: P has the best weight'
cut -f 2 folds/0.scores | sort | cmp -s - "$(sort sites >sorted && echo sorted)"
ok $? 'smooth-by-folds.mk: each string is predicted once'
cat folds/1/T folds/1/D folds/1/V | sort | cmp -s - sorted && ! cmp -s folds/1/r.lstm folds/2/r.lstm
ok $? 'smooth-by-folds.mk: r is trained anew, without the fold'
run make -s -f "$examples/smooth-by-folds.mk" OUT=folds2 FEATURES=x
is "$status $(head -n 1 err)" '2 smooth-by-folds.mk: set DATA to a file of strings' 'smooth-by-folds.mk: without DATA'
by_folds OUT=folds3 FEATURES=
is "$status $(head -n 1 err)" '2 smooth-by-folds.mk: set FEATURES to options of gam-fit' \
    'smooth-by-folds.mk: without features'
by_folds DATA=few OUT=folds4 FOLDS=3
is "$status $(head -n 1 err)" '2 smooth-by-folds.mk: 4 strings are too few' 'smooth-by-folds.mk: few strings'

tr 01 ac <sites >acs
FILE=acs FOLDS=2 LSTM='--hidden 4' RECIPES='pwm mix' run sh "$examples/real/promoters.sh" promoters
is "$status $(wc -l <out)" '0 3' 'real/promoters.sh runs'

awk 'BEGIN { srand(1); for (i = 0; i < 90; i++) { x = ""; do x = x (rand() < .5 ? "ab" : "c"); while (rand() < .7); print x } }' >syllables
FILE=syllables SIZE=24 DISTIL=300 TRAIN='--hidden 4 --epochs 5' FEATURES='suffix:c' FIT='--accepted 300' \
    run sh "$examples/real/words.sh" syl
is "$status $(cut -f 1 out | sort | xargs)" '0 P.gam model ngram.pfsa pi.lstm plain.gam r.lstm' 'real/words.sh runs'
grep -c '<circle' syl/figure.svg >circles
is "$(cat circles)" 5 'real/words.sh draws a figure'
FILE=syllables SIZE=900 run sh "$examples/real/words.sh" syl
is "$status $(cat err)" '1 words.sh: no more than 1125 strings in syllables; lower SIZE' 'real/words.sh: few strings'
FILE=absent run sh "$examples/real/words.sh" syl
is "$status $(cat err)" '1 words.sh: cannot read absent; set FILE to a file of strings' 'real/words.sh: no file'

N=200 TEST=100 TRAIN='--hidden 4 --epochs 2' MODELS='ngram merged old r mix' run sh "$examples/automata.sh" 20
is "$status $(cut -f 2 out | xargs)" '0 model ngram merged old r mix' 'automata.sh runs'
awk -F '\t' 'NR > 1 && !($3 > 0)' out >negative
is "$(cat negative)" '' 'automata.sh: models diverge from the source'
SIZES=20 SEEDS=1 MOTIFS=$motif TEST=50 run sh "$examples/base.sh" fair mk2
is "$status $(cut -f 1,3 out | xargs)" \
    '0 source model fair r fair plain fair smooth fair pi fair ngram mk2 r mk2 plain mk2 smooth mk2 pi mk2 ngram' 'base.sh runs'

# --- discovery ---

RUNS=1 SIZES=20 run "$examples/discovery/levels.sh" found default length later
is "$status $(cut -f 1 found/levels.tsv | sort | uniq -c | xargs)" '0 6 default 6 later 3 length' 'levels.sh runs'
awk -F '\t' 'NF != 6 || ($6 != "-" && !($6 > 0 && $6 <= 1)) || ($1 == "default" && $6 < 0.001)' found/levels.tsv >odd
is "$(cat odd)" '' 'levels.sh: p-values, and none is tiny'
cp found/levels.tsv before
RUNS=1 SIZES=20 run "$examples/discovery/levels.sh" found default
cmp -s found/levels.tsv before
ok $? 'levels.sh: a row is not made twice'
RUNS=1 SIZES=20 run "$examples/discovery/discovery.sh" found planted sites
is "$status $(cut -f 4-5 found/planted.tsv | awk '$1 == $2' | wc -l)" '0 2' 'discovery.sh runs'
is "$(cut -f 3 found/sites.tsv)" motif:TATAAT 'discovery.sh: the site is found'
cp -r "$examples/discovery/results" page
grep -v '^Made by' page/README.md >before
run "$examples/discovery/discovery-page.sh" page
grep -v '^Made by' page/README.md | cmp -s - before
ok $? 'discovery-page.sh: the page is made of the rows beside it'
awk -F '\t' 'split($3, f, " ") != split($4, p, " ") { bad = 1 } END { exit bad }' page/words.tsv &&
    awk -F '\t' 'split($5, f, " ") != split($6, p, " ") { bad = 1 } END { exit bad }' page/gain.tsv
ok $? 'every feature that was found has a p-value'

done_testing
