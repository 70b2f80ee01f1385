# SPDX-License-Identifier: MIT
# faults.t: the first, second, ... allocation, open, read, write, ... of each tool fails, until
# a run has fewer of them; once only that one, once also all later ones.  Each time: one
# message, exit status 1, no leak (the build is under asan), no file under the final name and no
# temporary file.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

[ "${VARIANT-}" = faults ] || skip_all 'tools of VARIANT=faults only'

pfsa-gen -l 8 -m 101 -n 40 -o D
pfsa-gen -l 8 -m 101 -n 10 -s 2 -o V
{ cat D; cut -c 1-5 D; } >uneven
gzip -c D >D.gz
pfsa-gen -l 8 -m 101 -b -o m.pfsa
lstm-train -q --hidden 4 --epochs 3 --batch 10 --valid V --checkpoint old -o r.lstm D.gz
gam-fit -q --base m.pfsa --feature motif:11 -o g.gam D
model-convert --to att -o m.att m.pfsa
model-convert --to json -o m.json m.pfsa
model-convert --to safetensors -o r.st r.lstm
lm-mix --weights 0.5,0.5 -o x.mix r.lstm m.pfsa
lm-mix --weights 0.5,0.5 -o y.mix g.gam m.pfsa
lm-eval --per-string r.lstm D >p1
lm-eval --per-string m.pfsa D >p2

# Files that may remain after a failed run: side outputs, each complete.
side='side-*'
injected=0
GAMUT_FAULT_LOG=$work/fired
export GAMUT_FAULT_LOG

# complaint COMMAND...: what is wrong with the run that has just failed, or nothing.  It is
# called thousands of times, so it starts a process only for a checkpoint.
complaint() {
    [ "$status" -eq 1 ] || echo "exit $status"
    line=
    more=
    { read -r line && read -r more; } <err
    case $line$more in
    "$1: "?*) [ -z "$more" ] || echo "says also '$more'" ;;
    *) echo "says '$line'" ;;
    esac
    [ ! -e new ] || echo 'left a file'
    for file in .*.tmp; do
        [ ! -e "$file" ] || echo "left $file"
    done
    case $* in
    *' --checkpoint side-old '*) cmp -s old side-old || model-info --check side-old 2>&1 ;;
    *' --checkpoint side-ck '*) [ ! -e side-ck ] || model-info --check side-ck 2>&1 ;;
    esac
}

# start VARIABLE=VALUE...  COMMAND...: from the same state each time
start() {
    # shellcheck disable=SC2086 # a pattern
    rm -f fired new $side
    cp old side-old
    env "$@" >out 2>err </dev/null
    status=$?
}

# must_have POINT COMMAND...: whether a run must have at least one: not every run reads or
# starts a thread, and standard output is neither opened nor replaced
must_have() {
    case $1,$* in
    ALLOC,*) true ;;
    READ,* | THREAD,*) false ;;
    *' -o new'*) true ;;
    *) false ;;
    esac
}

# fail_each POINT COMMAND...: N = 1, 2, ... until the fault does not happen.  $lasting is a
# setting of the environment, or empty; $step is the distance from one N to the next.
fail_each() {
    point=$1
    shift
    n=1
    runs=0
    wrong=
    while [ -z "$wrong" ]; do
        # shellcheck disable=SC2086 # may be no word
        start "GAMUT_FAULT_$point=$n" $lasting "$@"
        [ -s fired ] || break
        wrong=$(complaint "$@")
        [ -z "$wrong" ] || printf '#   N = %d\n' "$n"
        n=$((n + step))
        runs=$((runs + 1))
    done
    injected=$((injected + runs))
    [ $runs -gt 0 ] || ! must_have "$point" "$@" || wrong='no fault'
    is "$wrong" '' "$runs x $point: $*"
    case $* in
    *' -o new'*) [ -f new ] || status="$status without a file" ;;
    esac
    is "$status" 0 'and without a fault it succeeds'
}

# in_pieces COMMAND...: reads and writes of a few bytes make no difference
in_pieces() {
    start GAMUT_FAULT=none "$@"
    mv out whole
    [ ! -f new ] || mv new whole
    start GAMUT_FAULT_SHORT=1 GAMUT_FAULT_LASTING=1 "$@"
    [ ! -f new ] || mv new out
    [ "$status" -eq 0 ] && [ -s fired ] && cmp -s whole out
    ok $? "the same in pieces: $*"
}

# Allocations take most of the time, so lasting failures are tested for every seventh one;
# guided sampling allocates thousands of times.  FAULTS=short skips most allocations, for a gate
# of minutes.
coarse=1
[ "${FAULTS-}" != short ] || coarse=11
while read -r command; do
    lasting=
    step=1
    for point in ALLOC OPEN READ WRITE FSYNC LINK CLOSE RENAME THREAD; do
        case $point,$command in
        ALLOC,*guided* | ALLOC,gam-features* | ALLOC,*--forbid*r.lstm) step=$((61 * coarse)) ;;
        ALLOC,*) step=$coarse ;;
        *) step=1 ;;
        esac
        # shellcheck disable=SC2086 # words
        fail_each $point $command
    done
    lasting=GAMUT_FAULT_LASTING=1
    for point in OPEN READ WRITE FSYNC LINK CLOSE RENAME; do
        # shellcheck disable=SC2086
        fail_each $point $command
    done
    step=$((7 * coarse))
    case $command in
    *guided* | gam-features* | *--forbid*r.lstm) step=$((211 * coarse)) ;;
    esac
    # shellcheck disable=SC2086
    fail_each ALLOC $command
    # shellcheck disable=SC2086
    in_pieces $command
done <<'END'
pfsa-gen -l 8 -m 101 -n 20 -j 2 -o new
pfsa-gen -l 8 -m 101 --mix 0.9 -b -o new
pfsa-entropy -l 8 -m 101 --ft 1001111 --relative-to m.pfsa -o new
pfsa-train -o new D.gz
pfsa-train --positional --order 1 -o new D
pfsa-train --merge -o new uneven
lstm-train -q --hidden 4 --epochs 2 --batch 10 -j 2 --valid V --checkpoint side-ck --log side-log -o new D.gz
lstm-train -q --hidden 4 --epochs 3 --batch 10 --valid V --checkpoint side-old --resume -o new D.gz
gam-features -q --samples 200 --null 19 -j 2 --max-features 2 --alpha 1 -o new D
gam-fit -q --base r.lstm -m 101 --ft 1001111 --regime rs --accepted 50 --log side-log --report side-report -o new D
gam-fit -q --base m.pfsa --feature length:8 --feature edit:11 -j 2 -o new D
gam-fit -q --base ngram:1 --feature motif:101 -j 2 --report side-report -o new D
gam-fit -q --base r.lstm --regime guided --feature motif:101 --feature suffix:1 -o new D
gam-sample -n 20 -j 2 --stats side-stats.gz -o new g.gam
gam-sample -n 20 --method guided -o new g.gam
gam-sample -n 20 --require motif:1 --stats side-stats -o new m.pfsa
gam-sample -n 20 --forbid motif:111 --stats side-stats -o new r.lstm
pfsa-entropy -l 6 --require motif:01 --forbid run@3.. -o new
gam-sample -n 20 --plain -o new r.lstm
lm-eval -q -j 2 --truth m.pfsa -o new r.lstm D.gz
lm-eval -q --log-z-se 1 -o new g.gam D
lm-mix --valid V --log side-log --report side-report -j 2 -o new r.lstm g.gam
lm-mix --weights 0.3,0.7 -o new m.pfsa x.mix
model-convert --to pfsa -o new y.mix
lm-eval -q -j 2 -o new x.mix D
gam-sample -n 20 -o new x.mix
lm-eval -q --max-length 9 --log-z-se 1 -o new r.lstm D
lm-eval --max-length 9 -o new m.pfsa D
lm-compare -j 2 -o new r.lstm m.pfsa D.gz
lm-compare --scores -o new p1 p2
motif-freq -m 101 --ft 1001111 -o new D D.gz
motif-freq -m 101 -j 2 -o new D
model-info -o new g.gam
model-convert --to att --symbols side-symbols -o new m.pfsa
model-convert --from att -o new m.att
model-convert --from json -o new m.json
model-convert --from safetensors -o new r.st
model-convert --to safetensors -o new r.lstm
model-convert --to dot -o new m.pfsa
model-convert --to pfsa -o new g.gam
model-convert --to json -o new m.pfsa
pfsa-gen -n 20 -j 2 -o new m.pfsa
pfsa-gen -l 8 -m 101 -n 20
pfsa-gen -l 8 -b
lstm-train -q --hidden 4 --steps 2 --batch 10 D
lstm-train -q --init r.lstm --epochs 2 --batch 10 --valid V -o new D
gam-fit -q --base m.pfsa --feature motif:11 D
gam-fit -q --base r.lstm --regime snis --samples 100 --feature motif:11 -o new D
gam-fit -q --base m.pfsa --optimizer sgd --patience 1 --feature motif:11 -o new D
gam-sample -n 20 r.lstm
lm-eval -q --per-string -o new r.lstm D
lm-eval m.pfsa D
motif-freq -m 101 D
model-info m.pfsa
model-info --check g.gam
END
printf '# faults injected: %d\n' "$injected"

done_testing
