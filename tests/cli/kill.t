# SPDX-License-Identifier: MIT
# kill.t: processes that end at any moment leave nothing incomplete: checkpoints can be read,
# resumed runs give the same bytes, files appear complete or not at all, no temporary files
# remain.  The moments are random, from a fixed seed; the progress of a process until then
# depends on the machine.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
command -v timeout >/dev/null || skip_all 'timeout(1) is missing'
[ "${VARIANT-}" != valgrind ] || export VALGRIND_OPTS=--leak-check=no

# moments N LEAST MOST: N numbers of seconds
moments() {
    awk -v n="$1" -v least="$2" -v most="$3" 'BEGIN {
        srand(7)
        for (i = 0; i < n; i++)
            printf "%.3f\n", least + (most - least) * rand()
    }'
}

# litter: temporary files that remain
litter() {
    find . -name '*.tmp'
}

pfsa-gen -l 12 -m 11011 -n 200 -o D

# --- lstm-train, killed ---

train() {
    timeout "$@" lstm-train -q -j 2 --hidden 24 --batch 5 --epochs 60 --patience 0 \
        --checkpoint ck --resume -o r.lstm D
}
begun=$(date +%s%N)
lstm-train -q -j 2 --hidden 24 --batch 5 --epochs 60 --patience 0 -o straight.lstm D
# The longest moment is a part of the whole run, so that a slow build reaches a checkpoint too.
longest=$(awk -v ns=$(($(date +%s%N) - begun)) 'BEGIN { t = ns / 5e9; print (t > 0.12 ? t : 0.12) }')

# A run that reaches its end anyway is compared, and another one begins.
met=0
unreadable=0
different=0
runs=1
for moment in $(moments 40 0.01 "$longest"); do
    train -s KILL "$moment" 2>/dev/null
    if [ -e r.lstm ]; then
        cmp -s r.lstm straight.lstm || different=$((different + 1))
        rm -f ck r.lstm
        runs=$((runs + 1))
    elif [ -e ck ]; then
        met=$((met + 1))
        model-info --check ck || unreadable=$((unreadable + 1))
    fi
done
is "$unreadable" 0 '40 kills: the checkpoint can always be read'
[ $met -gt 0 ]
ok $? "$met of them left one"
train 300
cmp -s r.lstm straight.lstm || different=$((different + 1))
is "$different" 0 "$runs runs that were resumed give the same bytes"
is "$(litter)" '' 'and no temporary file stays'

# --- lstm-train, asked to stop ---

# asked SIGNAL STATUS
asked() {
    rm -f ck r.lstm
    # The first checkpoint appears after the first epoch, whenever that is.
    # --foreground: timeout sends one signal, not a second to the group, which
    # would end the trainer at once.
    for moment in 0.3 1 3 10; do
        run timeout --foreground --preserve-status -s "$1" $moment lstm-train -j 2 --hidden 24 --batch 5 \
            --epochs 100000000 --patience 0 --checkpoint ck -o r.lstm D
        [ ! -e ck ] || break
    done
    is "$status" "$2" "SIG$1: dies by that signal"
    has err "use --resume to continue from 'ck'" 'says where the state is'
    model-info --check ck && [ ! -e r.lstm ]
    ok $? 'the state is complete, and there is no model'
}
asked HUP 129
asked INT 130
asked TERM 143

# Without a checkpoint the work is lost; a message says so, also with -q.
for moment in 0.3 1 3 10; do
    run timeout --foreground --preserve-status -s INT $moment lstm-train -q --hidden 24 --batch 5 \
        --epochs 100000000 --patience 0 -o r.lstm D
    [ ! -s err ] || break
done
is "$status $(sed 's/[0-9][0-9]* updates/N updates/' err)" "130 lstm-train: stopped after N updates; \
nothing was saved, use --checkpoint FILE to save the state" \
    'without --checkpoint: says that nothing was written'

# Before the end of the first epoch only the signal writes a checkpoint.
pfsa-gen -l 12 -m 11011 -n 200000 -o slow
rm -f ck r.lstm
for moment in 0.3 1 3 10; do
    run timeout --foreground --preserve-status -s TERM $moment lstm-train -j 1 --hidden 24 \
        --batch 1 --epochs 2 --patience 0 --checkpoint ck -o r.lstm slow
    ! grep -q stopped err || break
done
model-info --check ck
ok $? 'in the first epoch: the signal itself saves the state'

rm -f ck
train -s TERM 0.3 2>/dev/null
[ -e r.lstm ] || train 300
cmp -s r.lstm straight.lstm
ok $? 'resuming after a signal gives the same bytes'

# A second signal, of any kind, does not wait for the end of a long update.
proc=yes
[ -e /proc/self/status ] || proc=no
case ${VARIANT-},$proc in
tsan,* | valgrind,*) skip 'a second signal ends it at once' 'the first update begins too late' ;;
*,no) skip 'a second signal ends it at once' 'no /proc to see when the first update begins' ;;
*)
    awk 'BEGIN { for (i = 0; i < 3000; i++) { x = ""; for (j = 11; j >= 0; j--)
        x = x int(i / 2 ^ j) % 2; print x } }' >many
    lstm-train -j 1 --hidden 1000 --layers 2 --steps 5 --batch 3000 -o long.lstm many 2>err &
    # SIGHUP has number 1, so its bit is the last: it is caught when training begins.
    for _ in $(seq 100); do
        ! grep -q '^SigCgt:.*[13579bdf]$' "/proc/$!/status" 2>/dev/null || break
        sleep 0.1
    done
    sleep 1
    kill -HUP $!
    sleep 0.2
    kill -TERM $!
    wait $! 2>/dev/null
    is "$? $(cat err)" '143 ' 'a second signal ends it at once'
    ;;
esac

# An ignored signal stays ignored, as it is for jobs in the background.
lstm-train -q --hidden 24 --batch 5 --steps 8000 --checkpoint quiet.ck -o quiet.lstm D &
sleep 0.2
kill -INT $!
wait $!
is $? 0 'an ignored SIGINT is ignored'

# --- output that is cut short ---

# cut_short MOMENTS: slow and endless output, to an existing file and to a new one; prints what
# has changed
cut_short() {
    for signal in KILL TERM INT HUP; do
        for moment in $1; do
            for file in old new; do
                echo kept >old
                timeout -s $signal "$moment" \
                    gam-sample --plain -n 1000000000 -o $file straight.lstm 2>/dev/null
                [ "$(cat old)" = kept ] && [ ! -e new ] || echo "SIG$signal after $moment: $file"
            done
        done
    done
}
is "$(cut_short "$(moments 3 0.02 0.2)")" '' '24 signals during output change no file'
is "$(litter)" '' 'and leave no temporary file'

# Without O_TMPFILE, a signal that can be caught removes the file.
if [ "${VARIANT-}" = faults ]; then
    # removed SIGNAL STATUS: it dies by the signal
    removed() {
        GAMUT_FAULT_TMPFILE=1 timeout --preserve-status -s "$1" 0.5 \
            gam-sample --plain -n 1000000000 -o new straight.lstm 2>/dev/null
        is "$? $(litter)$(ls new 2>/dev/null)" "$2 " "a named temporary file: SIG$1 removes it"
    }
    removed HUP 129
    removed INT 130
    removed QUIT 131
    removed TERM 143
    removed XCPU 152
    for moment in $(moments 6 0.1 0.4); do
        GAMUT_FAULT_TMPFILE=1 timeout -s KILL "$moment" \
            gam-sample --plain -n 1000000000 -o new straight.lstm
    done
    # Of the last one, and of an earlier one that was not quite dead when it began.
    [ "$(litter | wc -l)" -le 2 ]
    ok $? 'SIGKILL leaves it, but the next writer takes it away'
    sleep 0.5
    GAMUT_FAULT_TMPFILE=1 gam-sample --plain -n 1000000000 -o new straight.lstm &
    sleep 1
    is "$(litter)" ./.new.gamut-0.tmp 'there is that of the writer at work'
    GAMUT_FAULT_TMPFILE=1 gam-sample --plain -n 10 -o new straight.lstm
    is "$? $(wc -l <new) $(litter)" '0 10 ./.new.gamut-0.tmp' 'which another one leaves alone'
    kill $!
    wait $!
    is "$(litter)" '' 'and each takes away its own'
    rm new
    GAMUT_FAULT_TMPFILE=1 gam-sample --plain -n 10 -o new straight.lstm
    is "$? $(wc -l <new)" '0 10' 'without a signal it becomes the file'
    is "$(litter)" '' 'and has lost its name'
fi

# --- gam-sample, asked to stop ---

pfsa-gen --build -l 12 -m 11011 -o source
gam-fit -q --base source --feature count:1 --lambda count:1=-3 -o sampled.gam D

# partial SIGNAL STATUS OPTIONS...: whole lines that obey the motif, as many as --stats says
partial() {
    signal=$1 wanted=$2
    shift 2
    for moment in 0.3 1 3 10; do
        rm -f part stats
        run timeout --foreground --preserve-status -s "$signal" $moment \
            gam-sample --keep-partial -n 1000000000000 --stats stats -o part "$@"
        [ ! -s part ] || break
    done
    is "$status $(grep -c 'stopped by a signal after' err)" "$wanted 1" "SIG$signal: gam-sample $*"
    awk -F '\t' 'NR == FNR { if ($1 == "strings") n = $2; next }
        { bad += !/^[01]*11011[01]*$/ || length != 12 } END { exit !(n > 0 && n == FNR && !bad) }' stats part
    ok $? 'what it has is complete'
}
partial INT 130 source
partial TERM 143 --method exact sampled.gam
partial HUP 129 --method guided sampled.gam
partial INT 130 --plain sampled.gam
rm -f part
run timeout --foreground --preserve-status -s INT 0.3 gam-sample -n 1000000000000 -o part source
[ ! -e part ]
ok $? 'without --keep-partial there is no file'
is "$(litter)" '' 'and no temporary file stays'

# --- many writers of one file ---

# writers [SETTING]: each succeeds, and the file is that of one of them
writers() {
    pids=
    for seed in $(seq 40); do
        env "${1-GAMUT_FAULT=none}" pfsa-gen -l 30 -n 1000 -s "$seed" -o shared &
        pids="$pids $!"
    done
    failures=0
    for pid in $pids; do
        wait "$pid" || failures=$((failures + 1))
    done
    is "$failures $(wc -c <shared) $(litter)" '0 31000 ' "40 writers at once${1:+, $1}"
}
writers
[ "${VARIANT-}" != faults ] || writers GAMUT_FAULT_TMPFILE=1

# --- a pipeline of make ---

cat >Makefile <<'END'
all: samples
D1:
	pfsa-gen -l 12 -m 11011 -n 200 -o $@
r1: D1
	lstm-train -q --hidden 16 --batch 5 --epochs 40 --patience 0 --checkpoint c1 --resume -o $@ D1
g1: r1 D1
	gam-fit -q --base r1 --feature motif:11011 -o $@ D1
samples: g1
	gam-sample -n 2000 -o $@ g1
END
mkdir calm
cp Makefile calm
make -s -C calm all
kills=0
for moment in $(moments 40 0.005 0.08); do
    [ ! -e samples ] || break
    timeout -s KILL "$moment" make -s all 2>/dev/null
    kills=$((kills + 1))
done
make -s all
same=0
for file in D1 r1 g1 samples; do
    cmp -s $file calm/$file || same=1
done
ok $same "make, killed $kills times: every file has the bytes of the calm run"
is "$(litter)" '' 'and no temporary file stays'

done_testing
