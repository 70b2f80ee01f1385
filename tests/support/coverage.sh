# SPDX-License-Identifier: MIT
# coverage.sh DIR: the share of lines of each file that the tests have run, from the counts in
# DIR; fails below COVERAGE_FLOOR percent.  DIR/left lists the functions that no test has run,
# with their lines.  A header is counted for each file that includes it: the kernels for each
# instruction set.

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
    /^Lines executed:/ && file ~ /^(common|tools)\/.*\.[ch]$/ {
        split($2, part, /[:%]/)
        if (!(file in lines))
            name[++files] = file
        lines[file] += $NF
        seen[file] += part[2] / 100 * $NF
        file = ""
    }
    END {
        for (i = 1; i <= files; i++) {
            file = name[i]
            printf "%-28s %5d lines %6.1f %%\n", file, lines[file], 100 * seen[file] / lines[file]
            all += lines[file]
            covered += seen[file]
        }
        printf "%-28s %5d lines %6.1f %% (floor %d)\n", "total", all, 100 * covered / all, floor
        exit 100 * covered / all < floor
    }' >"$dir/report" && status=0 || status=$?
cat "$dir/report"
exit "$status"
