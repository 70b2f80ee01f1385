# SPDX-License-Identifier: MIT
# curve.awk: summarizes the rows of runs as one row per recipe and |D|: CE/H and motif frequency of
# r, rL (r given |x| <= L), P, pi and pi0 (distilled without features), each as mean, smallest and
# largest value over motifs and seeds.  A dash means "not run".

BEGIN { FS = "\t"; OFS = "\t" }
NR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}

# see(NAME, X): adds a value of a quantity for this recipe and |D|
function see(name, x) {
    if (!((key, name) in count) || x < least[key, name])
        least[key, name] = x
    if (!((key, name) in count) || x > most[key, name])
        most[key, name] = x
    count[key, name]++
    sum[key, name] += x
}

{
    key = $at["recipe"] OFS $at["size"]
    if (!known[key]++)
        place(key)
}
# In rows without ce_rL, the P of a control, which has no features, is r given |x| <= L.
$at["ft"] == "0000000" {
    if (!("ce_rL" in at))
        see("ce_rL", $at["ce_P"] / $at["H"])
    see("ce_pi0", $at["ce_pi"] / $at["H"])
    see("freq_pi0", $at["freq_pi"])
    next
}
{
    for (i = 1; i <= split("r P pi", model, " "); i++)
        see("ce_" model[i], $at["ce_" model[i]] / $at["H"])
    if ("ce_rL" in at)
        see("ce_rL", $at["ce_rL"] / $at["H"])
    see("freq_r", $at["freq_r"])
    see("freq_P", $at["freq_distilled"])
    see("freq_pi", $at["freq_pi"])
}

# place(KEY): inserts it in order of recipe and |D|
function place(key,    k) {
    for (k = ++keys; k > 1 && after(order[k - 1], key); k--)
        order[k] = order[k - 1]
    order[k] = key
}
function after(a, b,    x, y) {
    split(a, x, OFS)
    split(b, y, OFS)
    return x[1] == y[1] ? x[2] + 0 > y[2] + 0 : x[1] > y[1]
}

END {
    quantities = split("ce_r ce_P ce_pi freq_r freq_P freq_pi ce_pi0 freq_pi0 ce_rL", quantity, " ")
    printf "recipe\tsize\truns\tcontrols"
    for (q = 1; q <= quantities; q++)
        printf "\t%s\t%s_min\t%s_max", quantity[q], quantity[q], quantity[q]
    print ""
    for (k = 1; k <= keys; k++) {
        key = order[k]
        printf "%s\t%d\t%d", key, count[key, "ce_pi"], count[key, "ce_pi0"]
        for (q = 1; q <= quantities; q++) {
            name = quantity[q]
            if (count[key, name])
                printf "\t%.5f\t%.5f\t%.5f", sum[key, name] / count[key, name],
                    least[key, name], most[key, name]
            else
                printf "\t-\t-\t-"
        }
        print ""
    }
}
