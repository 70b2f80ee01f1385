# SPDX-License-Identifier: MIT
# cycle_two.awk: the paper's table t:cycle_two (see lib.awk): two-stage over cyclic, for the
# one motif with ft 1001111.  Time is that of whole runs, CPU seconds.

!ours { theirs[at("size")] = $2 " | " $3 " | " $4 " | " $5 }
ours && at("motif") == motif "" && at("kind") == "m" && at("ft") == "1001111" {
    key = at("recipe") SUBSEP at("size") SUBSEP at("regime") SUBSEP at("mode") SUBSEP
    see(key "ce", at("ce_pi"))
    see(key "time", at("seconds_r") + at("seconds_fit") + at("seconds_distil") + at("seconds_pi"))
}

function ratio(key, name,    two, cyclic) {
    two = key "two" SUBSEP name
    cyclic = key "cyclic" SUBSEP name
    return (two in count) && mean(cyclic) > 0 ? sprintf("%.3f", mean(two) / mean(cyclic)) : "-"
}
function cells(key) {
    return ratio(key, "ce") " | " ratio(key, "time")
}

END {
    markdown_header("size of D | from | rs: CE two/cyclic | rs: time two/cyclic | " \
        "snis: CE two/cyclic | snis: time two/cyclic")
    for (n = 1; n <= sizes; n++) {
        print "| " size[n] " | the paper | " theirs[size[n]] " |"
        for (s = 1; s <= sources; s++) {
            key = source[s] SUBSEP size[n] SUBSEP
            line = cells(key "rs" SUBSEP) " | " cells(key "snis" SUBSEP)
            if (line ~ /[0-9]/)
                print "| " size[n] " | " label[source[s]] " | " line " |"
        }
    }
}
