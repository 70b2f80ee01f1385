# SPDX-License-Identifier: MIT
# weak.sh: the weak network of the paper, trained on 500 strings; sourced by the rows that use it.

weak_gam() {
    # shellcheck disable=SC2154 # of rows.sh
    pfsa-gen -l 30 -m "$motif" -n 500 -o D && pfsa-gen -l 30 -m "$motif" -n 125 -s 2 -o V &&
        lstm-train -q --recipe paper --epochs $((20 / shrink + 1)) --valid V -o base D &&
        gam-fit -q --base base -m "$motif" --ft 1001111 -o gam D
}
