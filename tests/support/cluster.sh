# SPDX-License-Identifier: MIT
# cluster.sh: a private Slurm of a few nodes on the loopback of this machine, for tests.
# To be sourced:
#
#   cluster_start DIR NODES   starts munged, slurmctld and NODES times slurmd, all files in DIR;
#                             sets SLURM_CONF for the clients; fails if nodes do not become idle
#   cluster_kill_node K       ends the daemon of node K with its job steps, as a power cut would
#   cluster_stop              ends all daemons that were started, by process id
#
# Works as root or not, without systemd and cgroups.  Ports are taken from the process id.

cluster_start() {
    cluster_dir=$1
    cluster_nodes=$2
    cluster_port=$((20000 + $$ % 20000))
    cluster_user=$(id -un)
    cluster_host=$(hostname -s)
    cluster_daemons=
    mkdir -p "$cluster_dir/state" "$cluster_dir/spool" "$cluster_dir/munge" "$cluster_dir/run"
    chmod 700 "$cluster_dir/munge"
    head -c 128 /dev/urandom >"$cluster_dir/munge/key"
    chmod 400 "$cluster_dir/munge/key"
    cluster_configure >"$cluster_dir/slurm.conf"
    export SLURM_CONF="$cluster_dir/slurm.conf"
    cluster_daemon munged --foreground --force --key-file="$cluster_dir/munge/key" \
        --socket="$cluster_dir/run/munge.socket" --pid-file="$cluster_dir/munge/pid" \
        --log-file="$cluster_dir/munge/log" --seed-file="$cluster_dir/munge/seed"
    cluster_wait 50 test -S "$cluster_dir/run/munge.socket" || return 1
    cluster_daemon slurmctld -D -c -f "$SLURM_CONF"
    k=1
    while [ "$k" -le "$cluster_nodes" ]; do
        cluster_start_node "$k"
        k=$((k + 1))
    done
    cluster_wait 150 cluster_idle
}

# cluster_daemon PROGRAM ARGUMENTS...: in the background, its process id kept
cluster_daemon() {
    PATH=$PATH:/usr/sbin:/sbin "$@" >>"$cluster_dir/daemons.log" 2>&1 &
    cluster_last=$!
    cluster_daemons="$cluster_daemons $cluster_last"
}

cluster_start_node() {
    mkdir -p "$cluster_dir/spool/n$1"
    cluster_daemon slurmd -D -f "$SLURM_CONF" -N "n$1"
    eval "cluster_node_$1=$cluster_last"
}

# cluster_wait TENTHS COMMAND...: until it succeeds
cluster_wait() {
    tenths=$1
    shift
    while ! "$@" >/dev/null 2>&1; do
        tenths=$((tenths - 1))
        [ "$tenths" -gt 0 ] || return 1
        sleep 0.1
    done
}

cluster_idle() {
    [ "$(sinfo -h -N -t idle -o %N | sort -u | wc -l)" -eq "$cluster_nodes" ]
}

cluster_configure() {
    cat <<EOF
ClusterName=gamut
SlurmctldHost=$cluster_host(127.0.0.1)
SlurmctldPort=$cluster_port
SlurmUser=$cluster_user
SlurmdUser=$cluster_user
AuthType=auth/munge
AuthInfo=socket=$cluster_dir/run/munge.socket,cred_expire=5
CryptoType=crypto/munge
StateSaveLocation=$cluster_dir/state
SlurmdSpoolDir=$cluster_dir/spool/%n
SlurmctldPidFile=$cluster_dir/run/slurmctld.pid
SlurmdPidFile=$cluster_dir/run/slurmd.%n.pid
SlurmctldLogFile=$cluster_dir/slurmctld.log
SlurmdLogFile=$cluster_dir/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
SlurmdParameters=config_overrides
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ReturnToService=2
SlurmdTimeout=8
KillWait=2
JobRequeue=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=n[1-$cluster_nodes] NodeHostname=$cluster_host NodeAddr=127.0.0.1 Port=[$((cluster_port + 1))-$((cluster_port + cluster_nodes))] CPUs=1 State=UNKNOWN
PartitionName=main Nodes=n[1-$cluster_nodes] Default=YES MaxTime=INFINITE State=UP
EOF
}

# The processes of jobs on node K.
cluster_processes() {
    for process in /proc/[0-9]*; do
        # shellcheck disable=SC2002 # a process may have ended: cat says so, and is not heard
        cat "$process/environ" 2>/dev/null | tr '\0' '\n' |
            awk -v node="SLURMD_NODENAME=n$1" -v conf="SLURM_CONF=$SLURM_CONF" \
                '$0 == node { here = 1 } $0 == conf { ours = 1 } END { exit !(here && ours) }' &&
            echo "${process#/proc/}"
    done
}

# A power cut: the daemon, then the managers of job steps, which would report what happened, then
# the processes of jobs.
cluster_kill_node() {
    jobs=$(cluster_processes "$1")
    steps=$(for process in $jobs; do
        awk '$1 == "PPid:" { print $2 }' "/proc/$process/status" 2>/dev/null
    done | sort -u | while read -r parent; do
        ! grep -q slurmstepd "/proc/$parent/comm" 2>/dev/null || echo "$parent"
    done)
    eval "kill -KILL \$cluster_node_$1"
    # shellcheck disable=SC2086 # process ids
    kill -KILL $steps $jobs 2>/dev/null
}

cluster_stop() {
    scancel --user="$cluster_user" 2>/dev/null
    # shellcheck disable=SC2086 # process ids
    kill $cluster_daemons 2>/dev/null
    wait
}
