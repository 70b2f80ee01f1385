# SPDX-License-Identifier: MIT
# coverage.sh DIR: which share of the lines of each file the tests have run,
# from the counts in DIR; fails below the floor, COVERAGE_FLOOR per cent.  DIR/left
# names the functions that no test has run, and the lines of each.

set -eu
dir=$1
floor=${COVERAGE_FLOOR:-95}

find "$dir/common" "$dir/tools" -name '*.gcda' | sort |
    xargs gcov -n -f 2>/dev/null |
    awk -v floor="$floor" -v left="$dir/left" '
    BEGIN { printf "" >left }
    /^Function / { file = ""; function_name = substr($2, 2, length($2) - 2) }
    /^Lines executed:0.00%/ && function_name != "" { print function_name, $NF >left }
    /^File / { file = substr($2, 2, length($2) - 2); function_name = "" }
    /^Lines executed:/ && file ~ /^(common|tools)\/.*\.c$/ {
        split($2, part, /[:%]/)
        lines = $NF
        covered = part[2] / 100 * lines
        printf "%-28s %5d lines %6.1f %%\n", file, lines, part[2]
        all += lines
        seen += covered
        file = ""
    }
    END {
        printf "%-28s %5d lines %6.1f %% (floor %d)\n", "total", all, 100 * seen / all, floor
        exit 100 * seen / all < floor
    }' >"$dir/report" && status=0 || status=$?
cat "$dir/report"
exit "$status"
