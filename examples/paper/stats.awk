# SPDX-License-Identifier: MIT
# stats.awk: the paper's table t:stats, over the settings that were run (see lib.awk):
# mean and deviation of the ratios of cross-entropies, range of those of frequencies.  The
# paper's are over 15 settings (m: five motifs, three ft) and over five (mam).

!ours { theirs[at("regime"), at("size")] = "15 | " $3 " | " $4 " | " $5 " | 5 | " $6 " | " $7 " | " $8 }
ours && at("mode") == "two" {
    key = at("recipe") SUBSEP at("regime") SUBSEP at("size") SUBSEP at("kind")
    see(key SUBSEP "gain", at("ce_r") / at("ce_pi"))
    see(key SUBSEP "floor", at("ce_pi") / at("H"))
    see_ratio(key SUBSEP "freq", at("freq_pi"), at("freq_r"))
}

function cells(recipe, regime, n, kind,    key) {
    key = recipe SUBSEP regime SUBSEP n SUBSEP kind SUBSEP
    return (key "gain" in count ? count[key "gain"] : "-") " | " mean_deviation_text(key "gain") " | " \
        mean_deviation_text(key "floor") " | " range_text(key "freq")
}

END {
    markdown_header("tReg | size of D | from | m: runs | m: CE(r)/CE(pi) | m: CE(pi)/H | m: motif pi/r | " \
        "mam: runs | mam: CE(r)/CE(pi) | mam: CE(pi)/H | mam: motif pi/r")
    for (g = 1; g <= split("rs snis", regime, " "); g++)
        for (n = 1; n <= sizes; n++) {
            begin = "| " regime[g] " | " size[n] " | "
            if ((regime[g], size[n]) in theirs)
                print begin "the paper | " theirs[regime[g], size[n]] " |"
            for (s = 1; s <= sources; s++) {
                key = source[s] SUBSEP regime[g] SUBSEP size[n]
                if ((key SUBSEP "m" SUBSEP "gain") in count || (key SUBSEP "mam" SUBSEP "gain") in count)
                    print begin label[source[s]] " | " cells(source[s], regime[g], size[n], "m") " | " \
                        cells(source[s], regime[g], size[n], "mam") " |"
            }
        }
}
