# SPDX-License-Identifier: MIT
# row.awk: prints the reports of one run (grid.mk) as a table with a header and one row.
#
#   awk -v run=NAME [-v string_true=X -v string_r=X -v string_pi=X] -f row.awk REPORT...
#
# A report is recognized by its file name: r.eval, g.report, S.stats, ...  Lists have one
# element per feature, in order, separated by commas; `rounds` has one per round of a cyclic run,
# the acceptance rate.  string_NAME is a sample of a model; - stands for what is not given.

BEGIN { FS = "\t"; OFS = "\t" }

FNR == 1 {
    count = split(FILENAME, part, "/")
    file = part[count]
    columns = 0
}

# A table starts with its header and ends with the first line of another shape.
$1 == "feature" || $1 == "motif" || $1 == "round" {
    columns = NF
    for (i = 1; i <= NF; i++)
        column[i] = $i
    next
}
columns && NF == columns {
    for (i = 2; i <= NF; i++)
        value[file, $1, column[i]] = $i
    if (file == "g.report")
        feature[++features] = $1
    next
}
NF == 2 { columns = 0; value[file, $1] = $2 }

# of(FILE, NAME): a value, or - if it is missing
function of(file, name) {
    return (file, name) in value ? value[file, name] : "-"
}

# rates(): the acceptance rates of the rounds of a cyclic run
function rates(    i, text) {
    for (i = 1; ("rounds.tsv", i, "acceptance") in value; i++)
        text = text (i > 1 ? "," : "") value["rounds.tsv", i, "acceptance"]
    return text == "" ? "-" : text
}

# list(FILE, COLUMN): the column of all features
function list(file, column,    i, text) {
    for (i = 1; i <= features; i++)
        text = text (i > 1 ? "," : "") sprintf("%.6g", value[file, feature[i], column])
    return text
}

# l1(FILE): the l1 distance of its moments from those of D
function l1(file,    i, d, sum) {
    for (i = 1; i <= features; i++) {
        d = value[file, feature[i], "mean"] - value["g.report", feature[i], "target"]
        sum += d < 0 ? -d : d
    }
    return sprintf("%.6g", sum)
}

function add(name, text) {
    header = header (header == "" ? "" : OFS) name
    row = row (row == "" ? "" : OFS) text
}

END {
    split(run, setting, "-")
    split("recipe kind motif size seed ft regime mode", name, " ")
    for (i = 1; i <= 8; i++)
        add(name[i], setting[i])
    add("H", of("truth.moments", "entropy_per_char"))
    add("partition", of("truth.moments", "partition"))
    split("r P pi", model, " ")
    for (i = 1; i <= 3; i++)
        add("ce_" model[i], of(model[i] ".eval", "ce"))
    add("ce_rL", of("rL.eval", "ce"))
    for (i = 1; i <= 3; i++) {
        add("kl_" model[i], of(model[i] ".eval", "kl"))
        add("kl_se_" model[i], of(model[i] ".eval", "kl_se"))
    }
    add("freq_true", setting[2] == "mam" ? 0.9 : 1)
    split("r S pi", sample, " ")
    split("r distilled pi", name, " ")
    for (i = 1; i <= 3; i++)
        add("freq_" name[i], value[sample[i] ".moments", setting[3], "freq"])
    add("length_true", of("truth.moments", "mean_length"))
    for (i = 1; i <= 3; i++)
        add("length_" name[i], 100 * value[sample[i] ".moments", "length", "mean"])
    for (i = 1; i <= features; i++) {
        names = names (i > 1 ? "," : "") feature[i]
        value["truth.moments", feature[i], "mean"] = value["truth.moments", "moment:" feature[i]]
    }
    add("features", names)
    add("mom_true", list("truth.moments", "mean"))
    add("mom_data", list("g.report", "target"))
    add("mom_P", list("g.report", "model"))
    for (i = 1; i <= 3; i++)
        add("mom_" name[i], list(sample[i] ".moments", "mean"))
    add("l1_mom", of("g.report", "l1_mom"))
    for (i = 1; i <= 3; i++)
        add("l1_" name[i], l1(sample[i] ".moments"))
    add("lambda", list("g.report", "lambda"))
    add("log_z", of("P.eval", "log_z"))
    add("log_z_se", of("P.eval", "log_z_se"))
    add("acceptance", of("S.stats", "acceptance_rate"))
    add("seconds_r", of("r.seconds", "seconds"))
    add("seconds_fit", of("g.seconds", "seconds"))
    add("seconds_distil", of("S.seconds", "seconds"))
    add("seconds_pi", of("pi.seconds", "seconds"))
    add("rounds", rates())
    rest = "rounds.tsv" SUBSEP "rest" SUBSEP "acceptance"
    add("rounds_rest", rest in value ? value[rest] : "-")
    add("string_true", string_true == "" ? "-" : string_true)
    add("string_r", string_r == "" ? "-" : string_r)
    add("string_pi", string_pi == "" ? "-" : string_pi)
    print header
    print row
}
