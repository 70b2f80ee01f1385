#!/bin/sh
# SPDX-License-Identifier: MIT
# submit.sh: runs a Make graph on Slurm; see usage() and examples/slurm/README.md.

set -u

usage() {
    cat <<'EOF'
Usage: submit.sh steps [OPTION]... [MAKE-ARGUMENT]...
       submit.sh array [OPTION]... --targets LIST [MAKE-ARGUMENT]...
Run a Make graph on Slurm.

steps: one job with make inside; every recipe of the graph is a job step. The default choice.
array: one task of a job array for each target of LIST, for large parts that need nothing of
       each other. With --before and --merge, jobs that run before and after all of them.

Submit again whatever was interrupted or has failed: make does only what is missing.

  -n, --plan          print what would be submitted, and submit nothing
  -j, --jobs N        tasks at a time [default: 4]
      --targets LIST  array: targets, separated by blanks
      --before LIST   array: targets that all of them need
      --merge LIST    array: targets that need all of them
      --array-size N  array: largest number of tasks; more targets share them [default: 1000]
  -p, --partition P   partition [default: that of the cluster]
  -A, --account A     account to charge
  -t, --time T        time limit of each job, such as 2:00:00
  -m, --memory M      memory of each task, such as 2G
  -l, --logs DIR      where the output of the jobs goes [default: slurm-logs]
      --wait          return when all is done, with the status of the last job
      --help          print this help

Examples:
  submit.sh steps -j 32 -t 12:00:00 -C examples/paper quick
  submit.sh array --targets "$(make -s -f shards.mk list)" --merge all -f shards.mk
EOF
}

fail() {
    printf 'submit.sh: %s\n' "$1" >&2
    exit "${2-2}"
}

mode=${1-}
case $mode in
steps | array) shift ;;
--help) usage && exit 0 ;;
*) fail "the first argument is 'steps' or 'array'; see submit.sh --help" ;;
esac

plan=no waiting='' job='' jobs=4 targets='' before='' merge='' array_size=1000 logs=slurm-logs
partition='' account='' time='' memory=''
while [ $# -gt 0 ]; do
    case $1 in
    -n | --plan) plan=yes && shift && continue ;;
    --wait) waiting=--wait && shift && continue ;;
    --help) usage && exit 0 ;;
    --) shift && break ;;
    -j | --jobs | --targets | --before | --merge | --array-size | -p | --partition | -A | --account | \
        -t | --time | -m | --memory | -l | --logs)
        [ $# -gt 1 ] || fail "$1 requires a value"
        ;;
    *) break ;; # the arguments of make
    esac
    case $1 in
    -j | --jobs) jobs=$2 ;;
    --targets) targets=$2 ;;
    --before) before=$2 ;;
    --merge) merge=$2 ;;
    --array-size) array_size=$2 ;;
    -p | --partition) partition=$2 ;;
    -A | --account) account=$2 ;;
    -t | --time) time=$2 ;;
    -m | --memory) memory=$2 ;;
    -l | --logs) logs=$2 ;;
    esac
    shift 2
done
for number in "$jobs" "$array_size"; do
    case $number in
    '' | *[!0-9]* | 0*) fail "'$number' is not a number of tasks" ;;
    esac
done
case $mode$targets in
array) fail 'array requires --targets' ;;
steps) ;;
steps*) fail '--targets is for array; with steps, name targets as arguments of make' ;;
esac

# quoted WORD...: for a shell to read again
quoted() {
    for word in "$@"; do
        printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
    done
}

# submit NAME COMMAND SBATCH-OPTION...: a job that runs COMMAND; sets $job to its number.  A job that
# is lost with its node, or pre-empted, starts again.
submit() {
    name=$1 command=$2
    shift 2
    set -- --parsable --requeue --open-mode=append --job-name="gamut-$name" \
        ${partition:+--partition="$partition"} ${account:+--account="$account"} \
        ${time:+--time="$time"} ${memory:+--mem-per-cpu="$memory"} "$@" --wrap="$command"
    if [ $plan = yes ]; then
        printf 'sbatch %s\n' "$(quoted "$@")"
        job="NUMBER-OF-$name"
        return 0
    fi
    job=$(sbatch "$@")
    [ -n "$job" ] || fail "the job '$name' was not submitted" 1
    job=${job%%;*}
    printf 'submitted %s as job %s\n' "$name" "$job"
}

# finished JOB: whether it has run to its end; sbatch --wait does not say if it was removed
finished() {
    scontrol show job --oneliner "$1" | grep -q 'JobState=COMPLETED' && return
    fail "job $1 has failed, or was removed because another one has; see the files in '$logs'" 1
}

# after JOB: options of a job that starts if JOB succeeds, and is removed if it fails
after() {
    printf -- '--dependency=afterok:%s --kill-on-invalid-dep=yes' "$1"
}

# up_to_date MAKE-ARGUMENT...: whether make has nothing to do; arguments that make refuses end
# the submission
up_to_date() {
    make -q "$@" >/dev/null 2>"$list"
    case $? in
    0) return 0 ;;
    1) return 1 ;;
    esac
    cat "$list" >&2
    rm "$list"
    fail 'make refuses these arguments; nothing was submitted' 1
}

steps() {
    if [ $plan = no ] && up_to_date "$@"; then
        printf 'all targets are up to date\n'
        return
    fi
    submit steps "exec make -j$jobs SHELL=srun .SHELLFLAGS='-Q --exact -N1 -n1 sh -c' $(quoted "$@")" \
        --ntasks="$jobs" --output="$logs/%x-%j" $waiting
}

# missing MAKE-ARGUMENT...: sets $wanted to the targets that are not up to date
missing() {
    wanted=
    for target in $targets; do
        up_to_date "$@" "$target" || wanted="$wanted $target"
    done
}

# submit_targets SIZE MAKE-ARGUMENT...: an array of SIZE tasks, which share the targets in $list
submit_targets() {
    size=$1
    shift
    # shellcheck disable=SC2046,SC2086 # options
    submit array "awk 'NR % $size == '\$((SLURM_ARRAY_TASK_ID % $size)) $(quoted "$list") |
        xargs -n 1 make $(quoted "$@")" \
        --array="1-$size%$jobs" --output="$logs/%x-%A-%a" ${last:+$(after "$last")} \
        $([ -n "$merge" ] || printf '%s' "$waiting")
}

array() {
    last=
    missing "$@"
    if [ -n "$before" ]; then
        # shellcheck disable=SC2086 # a list
        submit before "exec make $(quoted "$@" $before)" --output="$logs/%x-%j"
        last=$job
    fi
    # shellcheck disable=SC2086 # a list
    printf '%s\n' $wanted | sed '/^$/d' >"$list"
    count=$(wc -l <"$list")
    [ $plan = no ] || sed 's/^/target /' "$list"
    if [ "$count" -gt 0 ]; then
        submit_targets $((count < array_size ? count : array_size)) "$@"
        last=$job
    fi
    if [ -n "$merge" ]; then
        # shellcheck disable=SC2086,SC2046 # lists
        submit merge "exec make $(quoted "$@" $merge)" --output="$logs/%x-%j" \
            ${last:+$(after "$last")} $waiting
        last=$job
    fi
    [ -n "$last" ] || printf 'all targets are up to date\n'
}

if [ $plan = yes ]; then
    list=$(mktemp) || exit 1
    trap 'rm -f "$list"' EXIT
else
    command -v sbatch >/dev/null || fail 'sbatch not found; --plan works without it' 1
    mkdir -p "$logs" || exit 1
    list=$logs/targets-$(date +%Y%m%d-%H%M%S)-$$ # the tasks of an array read it
fi
$mode "$@"
[ -z "$waiting" ] || [ $plan = yes ] || [ -z "$job" ] || finished "$job"
