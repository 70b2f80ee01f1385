# SPDX-License-Identifier: MIT
# timed.sh FILE COMMAND...: runs the command and, if it succeeds, writes its CPU seconds to FILE.
# CPU time, not wall time: other jobs run at the same time.
#
# The time of a command that resumes from a checkpoint includes its earlier attempts: the time of
# attempts that failed or were ended by a signal is summed in FILE.spent.  If this shell is killed
# by SIGKILL or the power fails, the time of that attempt is lost.

set -u
file=$1
shift
# The command receives the signal, too, and ends; this shell continues and records the time.
trap : HUP INT TERM
"$@"
status=$?
# The second line of `times` is the children's: user and system, as 1m2.34s.
times >"$file.tmp"
[ -e "$file.spent" ] || printf 'seconds\t0\n' >"$file.spent"
awk 'NR == FNR {
        earlier = $2
        next
    }
    FNR == 2 {
        for (i = 1; i <= 2; i++) {
            split($i, part, /[ms]/)
            seconds += 60 * part[1] + part[2]
        }
        printf "seconds\t%.2f\n", earlier + seconds
    }' "$file.spent" "$file.tmp" >"$file.new" || exit
rm "$file.tmp"
if [ "$status" -eq 0 ]; then
    mv "$file.new" "$file" && rm "$file.spent"
else
    mv "$file.new" "$file.spent"
    exit "$status"
fi
