# SPDX-License-Identifier: MIT
# slurm.t: examples/slurm on a private Slurm cluster of three nodes on this machine: a small grid
# as job steps, a sample as an array of parts, a node that dies, and mistakes.  Everything has the
# bytes of a local run.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
# shellcheck source=tests/support/cluster.sh
. "$top/tests/support/cluster.sh"

[ "${VARIANT:-release}" = release ] || skip_all 'the tools are tested elsewhere; this is about Slurm'

submit() {
    sh "$top/examples/slurm/submit.sh" "$@"
}
shards=$top/examples/slurm/shards.mk

# --- without a cluster ---

run submit --help
is "$status" 0 'help'
has out 'Usage: submit.sh steps' 'which says how to use it'
run submit
is "$status" 2 'no mode is a mistake'
run submit array -f "$shards"
has err 'array requires --targets' 'an array needs targets'
run submit steps -j many
has err "'many' is not a number of tasks" 'the number of tasks is a number'
run submit steps -n -p night -A lab -t 1:00 -m 1G -j 3 -C "a b's" all
is "$status" 0 'a plan needs no Slurm'
for option in --partition=night --account=lab --time=1:00 --mem-per-cpu=1G --ntasks=3 SHELL=srun --requeue; do
    has out "$option" "the plan has $option"
done
[ ! -e slurm-logs ]
ok $? 'and leaves nothing behind'

pfsa-gen -l 12 -m 1011 -n 200 | lstm-train -q --hidden 8 --steps 40 -o r.lstm
parts=$(make -s -f "$shards" MODEL=r.lstm SHARDS=4 list)
run submit array -n --targets "$parts" --merge all --array-size 3 -f "$shards" MODEL=r.lstm SHARDS=4
is "$(grep -c '^target ' out) $(grep -c -e --array=1-3%4 out) $(grep -c afterok:NUMBER-OF-array out)" '4 1 1' \
    'the plan of an array: targets, tasks, what waits for them'

make -s -f "$shards" MODEL=r.lstm SHARDS=2 COUNT=10 OUT=two all
for change in SHARDS=3 COUNT=20 SEED=2; do
    run make -s -f "$shards" MODEL=r.lstm SHARDS=2 COUNT=10 OUT=two "$change" all
    is "$status $(grep -c 'two has a sample with COUNT=10 SHARDS=2 SEED=1; use another OUT' err)" '2 1' \
        "parts of another sample are not joined: $change"
done
for number in 0 x; do
    run make -s -f "$shards" MODEL=r.lstm SHARDS=$number all
    is "$status $(grep -c "SHARDS=$number is not a number of parts" err)" '2 1' "SHARDS=$number"
done

for program in slurmctld slurmd munged; do
    if ! PATH=$PATH:/usr/sbin:/sbin command -v $program >/dev/null; then
        skip 'the cluster' "$program not found (Debian: slurm-wlm and munge)"
        done_testing
    fi
done

# --- a cluster of three nodes ---

trap 'cluster_stop; cd /; rm -rf "$work"' EXIT
if ! cluster_start "$work/cluster" 3; then
    sed 's/^/# /' "$work/cluster/daemons.log" | tail -n 20
    skip 'the cluster' 'the daemons of Slurm do not run here'
    done_testing
fi
export PATH="$PATH:/usr/sbin"

# A small grid, every recipe a job step.
cat >grid.mk <<END
RUNS := default-m-1011-60-1-1001111-rs-two default-m-1011-60-2-1001111-snis-two
VALIDATE := quarter
all: \$(RUNS:%=\$(OUT)/run/%/row.tsv)
include $top/examples/grid.mk
END
small="LENGTH=12 POOL=60 TEST=100 SAMPLE=100 DISTIL=100 DISTIL_VALID=20"
# shellcheck disable=SC2086 # variables of make
make -s -f grid.mk OUT="$work/home" TRAIN='--hidden 4 --epochs 2' FIT='--epochs 20' $small all >/dev/null 2>home.log
ok $? 'the grid at home'
# shellcheck disable=SC2086
run submit steps --wait -j 3 -f grid.mk OUT="$work/away" TRAIN='--hidden 4 --epochs 2' FIT='--epochs 20' $small all
is "$status" 0 'the grid as job steps'
[ "$status" -eq 0 ] || sed 's/^/# /' slurm-logs/* | tail -n 20
models() {
    (cd "$1" && find . -name '*.lstm' -o -name '*.gam' -o -name '*.pfsa' -o -name S | sort | xargs cksum)
}
is "$(models away)" "$(models home)" "the same $(models home | wc -l) models"

# A sample in parts, and a node that dies while it works on one.
gam-sample -q -j 1 -n 21000 --shard 5/7 -o fifth r.lstm
run submit array --wait --targets "$(make -s -f "$shards" MODEL=r.lstm SHARDS=7 list)" --merge all \
    -f "$shards" MODEL=r.lstm SHARDS=7 COUNT=21000
is "$status" 0 'an array of parts, and their join'
is "$(wc -l <sample/strings)" 21000 'all strings are there'
cmp -s fifth sample/part-5
ok $? 'a part has the bytes of a local run'
make -s -f "$shards" MODEL=r.lstm SHARDS=7 COUNT=21000 OUT=local all >/dev/null
cmp -s local/strings sample/strings
ok $? 'and so has the sample'
run submit array --targets "$(make -s -f "$shards" MODEL=r.lstm SHARDS=7 list)" -f "$shards" MODEL=r.lstm SHARDS=7 COUNT=21000
has out 'all targets are up to date' 'nothing is done twice'
run submit steps -f "$shards" MODEL=r.lstm SHARDS=7 COUNT=21000 all
has out 'all targets are up to date' 'nor is a job submitted for nothing'

# --- what goes wrong ---

cat >slow.mk <<'END'
all: a b c
a b c: ; touch started-$@; n=0; while [ ! -e go ]; do sleep 0.1; done; echo $@ >$@.tmp && mv $@.tmp $@
END
submit array --targets 'a b c' --merge 'all' --wait -f slow.mk >out 2>err &
waiting=$!
cluster_wait 300 test -e started-a -a -e started-b -a -e started-c
cluster_kill_node 2
: >go
cluster_start_node 2
wait "$waiting"
is "$? $(cat a b c | tr -d '\n')" '0 abc' 'a node that dies costs time and nothing else'

# The same with job steps.  Slurm must notice that the node is gone: it does not look for steps that
# a restarted daemon has lost.
# shellcheck disable=SC2317 # called by cluster_wait
node_is_down() {
    # shellcheck disable=SC2317 # cluster_wait calls it
    sinfo -h -n n2 -o %T | grep -q down
}
rm -f a b c go started-*
submit steps --wait -j 3 -f slow.mk all >out 2>err &
waiting=$!
cluster_wait 300 test -e started-a -a -e started-b -a -e started-c
cluster_kill_node 2
cluster_wait 900 node_is_down
: >go
cluster_start_node 2
wait "$waiting"
is "$? $(cat a b c | tr -d '\n')" '0 abc' 'nor does it with job steps'

rm a
run submit steps -p no-such-partition -f slow.mk all
is "$status" 1 'a partition that does not exist'
has err 'invalid partition' 'is named by sbatch'
has err "the job 'steps' was not submitted" 'and nothing is submitted'

run submit steps -f no-such-file all
is "$status" 1 'make refuses its arguments'
has err 'no-such-file: No such file' 'make says why'
has err 'nothing was submitted' 'and nothing is submitted'
run submit array --targets 'a x' -f slow.mk
is "$status $(grep -c "No rule to make target 'x'" err)" '1 1' 'make does not know a target'

printf 'all: good bad; cat good bad >$@\ngood: ; echo 1 >$@\nbad: ; cp cause $@\n' >fails.mk
run submit array --wait --targets 'good bad' --merge all -f fails.mk
[ "$status" -ne 0 ] && [ -e good ] && [ ! -e bad ] && [ ! -e all ]
ok $? 'a part that fails: no join, and a status'
echo 2 >cause
run submit array --wait -l again --targets 'good bad' --merge all -f fails.mk
is "$status $(tr -d '\n' <all)" '0 12' 'the next submission does what is missing'
is "$(cat again/targets-*)" bad 'and only that'

done_testing
