# SPDX-License-Identifier: MIT
# reg_time.awk: the paper's table t:reg_time (see lib.awk): rs over snis, for the one motif
# with ft 1011111 (m) and 1001111 (mam).  Time is that of fitting lambda, CPU seconds.

!ours { theirs[at("size")] = $2 " | " $3 " | " $4 " | " $5 " | " $6 " | " $7 }
ours && at("motif") == motif "" && at("mode") == "two" &&
    at("ft") == (at("kind") == "m" ? "1011111" : "1001111") {
    key = at("recipe") SUBSEP at("size") SUBSEP at("kind") SUBSEP at("regime") SUBSEP
    see(key "freq", at("freq_pi"))
    see(key "ce", at("ce_pi"))
    see(key "time", at("seconds_fit"))
}

# The ratio of the means over seeds.
function ratio(key, name,    rs, snis) {
    rs = key "rs" SUBSEP name
    snis = key "snis" SUBSEP name
    return (rs in count) && mean(snis) > 0 ? sprintf("%.3f", mean(rs) / mean(snis)) : "-"
}
function cells(key) {
    return ratio(key, "freq") " | " ratio(key, "ce") " | " ratio(key, "time")
}

END {
    markdown_header("size of D | from | m: motif rs/snis | m: CE rs/snis | m: time rs/snis | " \
        "mam: motif rs/snis | mam: CE rs/snis | mam: time rs/snis")
    for (n = 1; n <= sizes; n++) {
        print "| " size[n] " | the paper | " theirs[size[n]] " |"
        for (s = 1; s <= sources; s++) {
            key = source[s] SUBSEP size[n] SUBSEP
            line = cells(key "m" SUBSEP) " | " cells(key "mam" SUBSEP)
            if (line ~ /[0-9]/)
                print "| " size[n] " | " label[source[s]] " | " line " |"
        }
    }
}
