# SPDX-License-Identifier: MIT
# curve.awk: rows of runs to a row for each |D|: CE/H and motif frequency of r, P and pi,
# each as mean, least and greatest over motifs and seeds.

BEGIN { FS = "\t"; OFS = "\t" }
NR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}

# see(NAME, X): one more value of a quantity at this |D|
function see(name, x) {
    if (!((size, name) in count) || x < least[size, name])
        least[size, name] = x
    if (!((size, name) in count) || x > most[size, name])
        most[size, name] = x
    count[size, name]++
    sum[size, name] += x
}

{
    size = $at["size"]
    sizes[size]
    for (i = 1; i <= split("r P pi", model, " "); i++)
        see("ce_" model[i], $at["ce_" model[i]] / $at["H"])
    see("freq_r", $at["freq_r"])
    see("freq_P", $at["freq_distilled"])
    see("freq_pi", $at["freq_pi"])
}

END {
    quantities = split("ce_r ce_P ce_pi freq_r freq_P freq_pi", quantity, " ")
    printf "size\truns"
    for (q = 1; q <= quantities; q++)
        printf "\t%s\t%s_min\t%s_max", quantity[q], quantity[q], quantity[q]
    print ""
    for (size = 1; size <= 1000000; size++)
        if (size in sizes) {
            printf "%d\t%d", size, count[size, "ce_r"]
            for (q = 1; q <= quantities; q++) {
                name = quantity[q]
                printf "\t%.5f\t%.5f\t%.5f", sum[size, name] / count[size, name], least[size, name], most[size, name]
            }
            print ""
        }
}
