# SPDX-License-Identifier: MIT
# table.awk: prints the rows of runs from several tables as one table (grid.mk).
#
#   awk -v runs='RUN ...' -f table.awk TABLE...
#
# A table has a header and one row per run; its first eight columns are the name of the run.
# The output has a row of each run of RUNS that some table has, in the order of RUNS.  The first
# table with a run wins.  Tables can have different columns: - stands for those that a table lacks.

BEGIN { FS = OFS = "\t" }

FNR == 1 {
    tables++
    split("", here)
    width = NF
    for (i = 1; i <= NF; i++) {
        here[i] = $i
        if (!($i in known)) {
            known[$i]
            name[++names] = $i
        }
    }
    next
}
{
    run = $1
    for (i = 2; i <= 8; i++)
        run = run "-" $i
    if (run in table)
        next
    table[run] = tables
    for (i = 1; i <= width; i++)
        cell[run, here[i]] = $i
}

END {
    for (i = 1; i <= names; i++)
        printf "%s%s", name[i], i < names ? OFS : ORS
    n = split(runs, run_of, " ")
    for (k = 1; k <= n; k++) {
        if (!(run_of[k] in table))
            continue
        rows++
        for (i = 1; i <= names; i++)
            printf "%s%s", (run_of[k], name[i]) in cell ? cell[run_of[k], name[i]] : "-", i < names ? OFS : ORS
    }
    if (!rows) {
        print "table.awk: none of the runs is complete" >"/dev/stderr"
        exit 1
    }
}
