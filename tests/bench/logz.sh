# SPDX-License-Identifier: MIT
# logz.sh: the error of log Z at given weights, times the root of the model steps; sourced by rows.

# keep_weights: options that make the GAM `gam` again
keep_weights() {
    model-info gam | awk -F '\t' 'rows { print "--feature " $2 " --lambda " $2 "=" $3 }
        $1 == "feature" { rows = 1 }' >options
    [ -s options ]
}
error_of() {
    # shellcheck disable=SC2046 # several options
    set -- "$@" $(cat options)
    gam-fit -q --base base "$@" --report report -o again D
    fit_status=$?
    cost=$(awk '{ v[$1] = $2 } END { print v["log_z_se"] * sqrt(v["model_steps"]) }' report)
}
ours() {
    error_of --regime guided
    [ $fit_status -eq 0 ]
}
peer() {
    # shellcheck disable=SC2154 # of rows.sh
    error_of --regime snis --samples $((50000 / shrink))
    [ $fit_status -ne 1 ] # few effective samples are what is measured
}
