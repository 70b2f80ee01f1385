# SPDX-License-Identifier: MIT
# faults.t: the first, second, .. allocation, open, read, write, .. of each tool
# fails, until a run has not so many of them.  Each time: one line that says so,
# exit status 1, no leak (the build is under asan), nothing under the final name
# and no temporary file.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

[ "${VARIANT-}" = faults ] || skip_all 'tools of VARIANT=faults only'

pfsa-gen -l 8 -m 101 -n 40 -o D
pfsa-gen -l 8 -m 101 -n 10 -s 2 -o V
gzip -c D >D.gz
pfsa-gen -l 8 -m 101 -b -o m.pfsa
lstm-train -q --hidden 4 --epochs 3 --batch 10 --valid V --checkpoint old -o r.lstm D.gz
gam-fit -q --base m.pfsa --feature motif:11 -o g.gam D
model-convert --to att -o m.att m.pfsa
model-convert --to json -o m.json m.pfsa
model-convert --to safetensors -o r.st r.lstm

# What may stay of a run that failed: side outputs, each complete.
side='side-*'
injected=0
GAMUT_FAULT_LOG=$work/fired
export GAMUT_FAULT_LOG

# complaint TOOL: what is wrong with the run that has just failed, or nothing
complaint() {
    [ "$status" -eq 1 ] || echo "exit $status"
    [ "$(wc -l <err)" -eq 1 ] && grep -q "^$1: ." err || echo "says '$(head -n 3 err)'"
    [ ! -e new ] || echo 'left a file'
    find . -name '.*.tmp'
}

# fail_each POINT COMMAND..: N = 1, 2, .. until the fault does not happen
fail_each() {
    point=$1
    shift
    n=0
    wrong=
    while [ -z "$wrong" ]; do
        n=$((n + 1))
        rm -f fired new
        # shellcheck disable=SC2086 # a pattern
        rm -f $side
        cp old side-old
        env "GAMUT_FAULT_$point=$n" "$@" >out 2>err </dev/null
        status=$?
        [ -s fired ] || break
        wrong=$(complaint "$1")
    done
    injected=$((injected + n - 1))
    # Not every run reads or starts a thread; all else is there in each.
    case $point in
    READ | THREAD) ;;
    *) [ $n -gt 1 ] || wrong='no fault' ;;
    esac
    is "$wrong" '' "$((n - 1)) x $point: $*"
    [ -z "$wrong" ] || printf '#   N = %d\n' "$n"
    is "$status$([ -f new ] || echo ' without a file')" 0 'and without a fault it succeeds'
}

while read -r command; do
    for point in ALLOC OPEN READ WRITE FSYNC LINK CLOSE RENAME THREAD; do
        # shellcheck disable=SC2086 # words
        fail_each $point $command
    done
done <<'END'
pfsa-gen -l 8 -m 101 -n 20 -j 2 -o new
pfsa-gen -l 8 -m 101 --mix 0.9 -b -o new
pfsa-entropy -l 8 -m 101 --ft 1001111 --relative-to m.pfsa -o new
lstm-train -q --hidden 4 --epochs 2 --batch 10 -j 2 --valid V --checkpoint side-ck --log side-log -o new D.gz
lstm-train -q --hidden 4 --epochs 3 --batch 10 --valid V --checkpoint side-old --resume -o new D.gz
gam-fit -q --base r.lstm -m 101 --ft 1001111 --accepted 50 --epochs 2 --log side-log --report side-report -o new D
gam-fit -q --base m.pfsa --feature length:8 --feature edit:11 -j 2 -o new D
gam-sample -n 20 -j 2 --stats side-stats -o new g.gam
gam-sample -n 20 --plain -o new r.lstm
lm-eval -j 2 --truth m.pfsa -o new r.lstm D.gz
lm-eval --log-z-se 1 -o new g.gam D
motif-freq -m 101 --ft 1001111 -o new D D.gz
motif-freq -m 101 -j 2 -o new D
model-info -o new g.gam
model-convert --to att --symbols side-symbols -o new m.pfsa
model-convert --from att -o new m.att
model-convert --from json -o new m.json
model-convert --from safetensors -o new r.st
model-convert --to safetensors -o new r.lstm
END
printf '# faults injected: %d\n' "$injected"

done_testing
