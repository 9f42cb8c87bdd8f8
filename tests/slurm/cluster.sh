#!/bin/bash
# A cluster of two nodes on this one host, for a test: cluster.sh start DIR, then SLURM_CONF=DIR/slurm.conf, and
# cluster.sh stop DIR. `cluster.sh kill DIR NODE` ends a node as a power cut does. Needs slurmctld, slurmd and munged
# (packages slurm-wlm, slurm-wlm-basic-plugins and munge), and root, as which the jobs run.
set -eu
command=$1 folder=$(realpath -m "$2")
conf=$folder/slurm.conf host=$(hostname -s)
user=$(id -un) port=$((20000 + $$ % 20000))

start() {
    for program in slurmctld slurmd munged; do
        command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 77; }
    done
    mkdir -p "$folder"/{state,spool.one,spool.two,munge}
    chmod 700 "$folder/munge"
    dd if=/dev/urandom bs=1 count=1024 of="$folder/munge/key" status=none
    chmod 400 "$folder/munge/key"
    munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
    cat >"$conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
MessageTimeout=20
KillWait=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
SlurmdParameters=config_overrides
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 RealMemory=1000
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 RealMemory=1000
PartitionName=test Nodes=one,two Default=YES MaxTime=INFINITE State=UP
END
    slurmctld -f "$conf"
    slurmd -f "$conf" -N one
    slurmd -f "$conf" -N two
    for _ in $(seq 60); do
        [ "$(SLURM_CONF=$conf sinfo -h -o %T | sort -u)" = idle ] && return
        sleep 0.5
    done
    echo "the nodes did not come up" >&2
    tail -n 20 "$folder"/*.log >&2
    exit 1
}

# Ends a node: its daemon, the keepers of its jobs, and all that the jobs started.
kill_node() {
    kill -9 "$(cat "$folder/slurmd.$1.pid")"
    for process in /proc/[0-9]*; do
        variables=$(cat "$process/environ" 2>/dev/null | tr '\0' '\n' || true)
        grep -qx "SLURMD_NODENAME=$1" <<<"$variables" && grep -qx "SLURM_CONF=$conf" <<<"$variables" || continue
        pid=${process#/proc/}
        parent=$(ps -o ppid= -p "$pid" | tr -d ' ') || continue
        [ "$(ps -o comm= -p "$parent")" = slurmstepd ] && kill -9 "$parent" || true
        kill -9 "$pid" 2>/dev/null || true
    done
}

stop() {
    for pid in "$folder"/slurmd.*.pid "$folder/slurmctld.pid" "$folder/munge/pid"; do
        [ -f "$pid" ] && kill "$(cat "$pid")" 2>/dev/null || true
    done
}

case $command in
start) start ;;
kill) kill_node "$3" ;;
stop) stop ;;
*) echo "cluster.sh start|kill|stop DIR [NODE]" >&2; exit 2 ;;
esac
