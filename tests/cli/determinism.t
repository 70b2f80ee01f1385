# SPDX-License-Identifier: MIT
# determinism.t: every tool gives the same bytes with any number of threads and
# any instruction set.  `make determinism` adds compilers and optimization.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# sums NAME THREADS: into the file NAME, run in its own directory
sums() {
    mkdir "$1.dir"
    (cd "$1.dir" && sh "$top/tests/support/determinism.sh" "$2") >"$1"
}

# A sanitizer looks at one run, with threads; the bytes are compared without it.
if [ "${VARIANT:-release}" != release ]; then
    sums three 3
    is "$(grep -c ' 0	' three)" 0 'every tool gives something, with three threads'
    done_testing
fi

sums one 1
results=$(grep -c "result '" "$top/tests/support/determinism.sh")
is "$(grep -c . one) $(grep -c ' 0	' one)" "$results 0" \
    "every tool gives something: $results results"
for threads in 2 3 8; do
    sums "threads-$threads" $threads
    is "$(diff one "threads-$threads")" '' "$threads threads: the same bytes as one"
done
printf '01\n' >D
for cpu in baseline avx2 avx512; do
    if GAMUT_CPU=$cpu lstm-train -q --steps 1 -o /dev/null D 2>/dev/null; then
        GAMUT_CPU=$cpu sums $cpu 2
        is "$(diff one $cpu)" '' "GAMUT_CPU=$cpu: the same bytes"
    else
        skip "GAMUT_CPU=$cpu: the same bytes" 'this machine does not run it (see make test-avx512)'
    fi
done

# --- output that is compressed ---

pfsa-gen -l 8 -m 101 -n 4000 -o D
pfsa-gen -l 8 -m 101 -b -o m.pfsa.gz
lstm-train -q --hidden 4 --epochs 2 -o r.lstm.gz D
gam-fit -q --base r.lstm.gz --feature motif:11 --report report.gz --log log.gz -o g.gam.gz D
gam-sample -n 100 --stats stats.gz g.gam.gz -o sample
is "$(gzip -t report.gz log.gz stats.gz 2>&1)$(gzip -dc stats.gz | awk '$1 == "strings" { print $2 }')" 100 \
    'a report, a log and statistics whose names end in .gz are compressed'
{ cat D; cut -c 1-5 D; } >U
while read -r command; do
    $command -o plain
    $command -j 1 -o one.gz
    $command -j 3 -o three.gz
    gzip -dc one.gz | cmp -s - plain && cmp -s one.gz three.gz && ! cmp -s one.gz plain
    ok $? "-o FILE.gz has the same data, the same bytes for any number of threads: $command"
done <<END
pfsa-gen -l 30 -n 20000
pfsa-gen -l 30 -m 101 -b
pfsa-entropy m.pfsa.gz
pfsa-train D
pfsa-train --merge U
lstm-train -q --hidden 4 --epochs 2 D
lm-mix --weights 0.5,0.5 r.lstm.gz m.pfsa.gz
gam-fit -q --base m.pfsa.gz --feature motif:11 D
gam-features --samples 2000 --null 19 D
gam-sample -n 500 g.gam.gz
lm-eval --per-string r.lstm.gz D
lm-compare r.lstm.gz m.pfsa.gz D
motif-freq -m 101 D
model-info g.gam.gz
model-convert --to json m.pfsa.gz
END
lstm-train -q --hidden 4 --epochs 1 --checkpoint ck.gz -o /dev/null D
gzip -dc r.lstm.gz >r.lstm
gzip -t ck.gz && lstm-train -q --hidden 4 --epochs 2 --checkpoint ck.gz --resume D |
    cmp -s - r.lstm
ok $? 'a compressed checkpoint is resumed'
done_testing
