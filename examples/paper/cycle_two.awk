# SPDX-License-Identifier: MIT
# cycle_two.awk: the paper's table t:cycle_two (see lib.awk): two-stage over cyclic, for the
# one motif with ft 1001111.  Time is that of whole runs, CPU seconds.

!ours { theirs[at("size")] = $2 " | " $3 " | " $4 " | " $5 }
ours && at("motif") == motif "" && at("kind") == "m" && at("ft") == "1001111" {
    key = at("recipe") SUBSEP at("size") SUBSEP at("regime") SUBSEP at("mode") SUBSEP
    see(key "ce", at("ce_pi"))
    runs[at("recipe"), at("size")]++
    see(key "time", at("seconds_r") + at("seconds_fit") + at("seconds_distil") + at("seconds_pi"))
}

function cells(key) {
    return ratio_text(key, "two", "cyclic", "ce") " | " ratio_text(key, "two", "cyclic", "time")
}

END {
    by_size("rs: CE two/cyclic | rs: time two/cyclic | " \
        "snis: CE two/cyclic | snis: time two/cyclic", "rs", "snis")
}
