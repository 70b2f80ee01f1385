# SPDX-License-Identifier: MIT
# timed.sh FILE COMMAND..: runs the command and, if it succeeds, leaves the seconds of
# CPU that it took in FILE.  CPU, not the clock: other jobs run beside it.

set -u
file=$1
shift
"$@" || exit
# The second line of `times` is the children's: user and system, as 1m2.34s.
times >"$file.tmp" &&
    awk 'NR == 2 {
        for (i = 1; i <= 2; i++) {
            split($i, part, /[ms]/)
            seconds += 60 * part[1] + part[2]
        }
        printf "seconds\t%.2f\n", seconds
    }' "$file.tmp" >"$file.new" && mv "$file.new" "$file" && rm "$file.tmp"
