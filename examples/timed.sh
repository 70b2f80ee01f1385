# SPDX-License-Identifier: MIT
# timed.sh FILE COMMAND..: runs the command and, if it succeeds, leaves the seconds of
# CPU that it took in FILE.  CPU, not the clock: other jobs run beside it.
#
# A command that goes on from a checkpoint has taken what its earlier tries took, too: those
# that failed or were ended by a signal are added up in FILE.spent.  A SIGKILL to this
# shell, or a loss of power, loses the seconds of that try.

set -u
file=$1
shift
# The command has the signal as well and ends by it; this shell stays to write down what it took.
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
