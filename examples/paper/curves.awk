# SPDX-License-Identifier: MIT
# curves.awk: rows of runs to rows of means over seeds, for the figures.

BEGIN {
    FS = OFS = "\t"
    settings = split("recipe kind motif ft regime mode size", setting, " ")
    values = split("partition H ce_r ce_P ce_pi freq_true freq_r freq_pi l1_mom l1_r l1_distilled l1_pi", name, " ")
}
NR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    for (i = 1; i <= settings; i++)
        printf "%s\t", setting[i]
    for (i = 1; i <= values; i++)
        printf "%s%s", name[i], i < values ? OFS : ORS
    next
}
{
    key = $at[setting[1]]
    for (i = 2; i <= settings; i++)
        key = key OFS $at[setting[i]]
    if (!count[key]++)
        order[++keys] = key
    for (i = 1; i <= values; i++)
        sum[key, i] += $at[name[i]]
}
END {
    for (k = 1; k <= keys; k++) {
        printf "%s", order[k]
        for (i = 1; i <= values; i++)
            printf "%s%.6g", OFS, sum[order[k], i] / count[order[k]]
        print ""
    }
}
