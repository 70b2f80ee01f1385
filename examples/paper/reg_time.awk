# SPDX-License-Identifier: MIT
# reg_time.awk: the paper's table t:reg_time (see lib.awk): rs over snis, for the one motif
# with ft 1011111 (m) and 1001111 (mam).  Time is that of fitting lambda, CPU seconds.

!ours { theirs[at("size")] = $2 " | " $3 " | " $4 " | " $5 " | " $6 " | " $7 }
ours && at("motif") == motif "" && at("mode") == "two" &&
    at("ft") == (at("kind") == "m" ? "1011111" : "1001111") {
    key = at("recipe") SUBSEP at("size") SUBSEP at("kind") SUBSEP at("regime") SUBSEP
    see(key "freq", at("freq_pi"))
    see(key "ce", at("ce_pi"))
    runs[at("recipe"), at("size")]++
    see(key "time", at("seconds_fit"))
}

function cells(key) {
    return ratio_text(key, "rs", "snis", "freq") " | " ratio_text(key, "rs", "snis", "ce") " | " \
        ratio_text(key, "rs", "snis", "time")
}

END {
    by_size("m: motif rs/snis | m: CE rs/snis | m: time rs/snis | " \
        "mam: motif rs/snis | mam: CE rs/snis | mam: time rs/snis", "m", "mam")
}
