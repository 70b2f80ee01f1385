# SPDX-License-Identifier: MIT
# bench.t: the benchmarks run, at sizes that take seconds, and judge correctly.  The
# measurements are meaningless.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

case ${VARIANT:-release}${RUN-} in
release | coverage) ;;
*) skip_all 'measures nothing that holds here' ;;
esac
bench=$top/tests/bench
export BUILD="${BUILD:-$top/build/release}" OUT="$work/made" SHRINK=1000 ROUNDS=2
export PYTHON=false # a Python without PyTorch: its start takes longer than all of this

# numbers FILE COLUMN...: every line but the first has a positive number there
numbers() {
    awk -F '\t' -v columns="$*" '
        BEGIN { n = split(columns, c, " ") }
        NR > 1 { for (i = 2; i <= n; i++) if (!($c[i] > 0)) bad = 1 }
        END { exit bad || NR < 2 }' "$1"
}

mkdir made
echo old >made/memory.tsv
touch -t 202001010000 made/memory.tsv
run sh "$bench/machine.sh"
has out 'processor: ' 'machine.sh describes the machine'

run sh "$bench/rows.sh" motif-freq-1 pfsa-entropy
is "$status" 0 'rows.sh runs'
is "$(wc -l <out)" 3 'rows.sh prints a line a row'
cmp -s out "$OUT/bench.tsv"
ok $? 'rows.sh writes the table'
awk -F '\t' 'NR == 2 { exit !($5 <= $4 && $4 <= $6 && $8 == ($4 >= $7 ? "yes" : "no")) }' out
ok $? 'rows.sh: the median is within the range, and decides'
run env OUT="$work/guided" sh "$bench/rows.sh" gam-sample-guided
is "$status" 0 'rows.sh: guided proposals'
numbers out 2 3 4
ok $? 'rows.sh: counts model steps'
run env OUT="$work/elsewhere" sh "$bench/rows.sh" motif-freq-2
is "$status" 1 'rows.sh: a row that is not there'

run "$BUILD/tests/bench/cost" used sh -c 'exit 7'
is "$status" 7 'cost exits as the command does'
run "$BUILD/tests/bench/cost" used sleep 0.1
awk -F '\t' '{ exit !($1 >= 0.1 && $1 < 5 && $2 >= 0 && $2 < 0.1 && $3 > 0) }' used
ok $? 'cost tells seconds, CPU seconds and memory'
run "$BUILD/tests/bench/peak" 1
awk '{ exit !($1 > 1e8 && $1 < 1e13) }' out
ok $? 'peak finds some flops'
run "$BUILD/tests/bench/peak" 0
is "$status" 2 'peak without threads'

run env SIZES='100 1000' SIZES_ONE=100 DATA=50 DATA_PAPER=5 MOTIFS='3 5' DISTIL=100 sh "$bench/growth.sh"
is "$status" 0 'growth.sh runs'
numbers "$OUT/growth.tsv" 2 3 4 6 7
ok $? 'growth.sh: a table of numbers'
is "$(wc -l <"$OUT/growth.tsv")" 28 'growth.sh: all curves'
awk -F '\t' '$1 == "distil:pfsa" && $2 == 1 { rate[++n] = $3 }
    END { exit !(rate[1] > 0.9 && rate[2] > 0.5 && rate[2] < 0.65) }' "$OUT/growth.tsv"
ok $? 'growth.sh: acceptance rates of 3 and of 5 bits in 30'

run env MOTIF=10111 RECIPE='--hidden 16 --epochs 10' SHRINK=100 sh "$bench/experiment.sh"
is "$status" 0 'experiment.sh runs'
is "$(awk -F '\t' '$1 == "CE pi" { print $3, $4 }' out)" '<=0.4510 no' 'experiment.sh: ten epochs are not enough'

run env SIZE=100 GOAL=0.9 RECIPE='--hidden 8 --epochs 10' sh "$bench/quality.sh"
is "$status" 0 'quality.sh runs'
has err 'SKIPPED PyTorch' 'quality.sh: says that PyTorch is not there'
numbers "$OUT/quality-course.tsv" 2 3 4
ok $? 'quality.sh: the course'

run env RESULTS="$work/results" sh "$bench/publish.sh"
is "$status" 0 'publish.sh runs'
cmp -s results/growth.tsv "$OUT/growth.tsv"
ok $? 'publish.sh copies tables'
[ ! -e results/memory.tsv ]
ok $? 'publish.sh: but not one of another run'
has results/README.md '| motif-freq, one motif' 'publish.sh writes a page'
if command -v gnuplot >/dev/null; then
    for figure in bench growth quality; do
        has "results/$figure.svg" '</svg>' "there is a figure $figure.svg"
    done
fi

# The guard, with a fake valgrind that reports given counts.
mkdir bin
cat >bin/valgrind <<'END'
#!/bin/sh
echo "==1== Collected : $COUNT" >&2
END
chmod +x bin/valgrind
# guard COUNT [ARGUMENT]
guard() {
    count=$1
    shift
    run env PATH="$work/bin:$PATH" COUNT="$count" FIGURES="$work/figures" sh "$bench/guard.sh" "$@"
}
guard 1000 write
is "$status" 0 'guard.sh writes figures'
guard 1049
is "$status" 0 'guard.sh: less than 5 % are tolerated'
guard 1051
is "$status" 1 'guard.sh: more are not'
has out 'GREW: pfsa-gen' 'guard.sh says what grew'
guard 900
is "$status" 0 'guard.sh: less is fine'
has out 'fell: pfsa-gen' 'guard.sh says what fell'
sed '2s/compiler [^,]*/compiler 1.0/' figures >changed && mv changed figures
guard 1900
is "$status" 0 'guard.sh: another compiler may double'
has out 'LOOSE' 'guard.sh says so'
guard 2100
is "$status" 1 'guard.sh: but not more'
done_testing
