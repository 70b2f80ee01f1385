# SPDX-License-Identifier: MIT
# promoters.sh: 53 promoters of E. coli, 57 bases each, by cross-validation.
#
#   sh promoters.sh [DIR]          export them from R's package kernlab (Debian: r-cran-kernlab)
#   FILE=sites sh promoters.sh     your own strings over acgt, all of one length
#
# What is known of a promoter is which bases stand where, so a position weight matrix is the
# baseline.  Compared with it: an n-gram model, an LSTM, and the mixture of all three, whose
# weights are the mean of those found on FOLDS inner folds of the training set.  The last lines are
# the table; files stay in DIR, ./promoters by default.

set -eu
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
: "${FOLDS:=5}" "${SEED:=1}" "${FILE:=}" "${RECIPES:=pwm ngram r mix}"
out=${1-promoters}
mkdir -p "$out"
if [ -n "$FILE" ]; then
    cp "$FILE" "$out/data.tmp"
else
    command -v Rscript >/dev/null || {
        echo "promoters.sh: no R: install r-cran-kernlab, or set FILE" >&2
        exit 1
    }
    # shellcheck disable=SC2016 # R's
    Rscript --vanilla -e 'data(promotergene, package = "kernlab")' \
        -e 'x <- promotergene[promotergene$Class == "+", -1]' \
        -e 'cat(apply(as.matrix(x), 1, paste, collapse = ""), sep = "\n")' >"$out/data.tmp"
fi
cmp -s "$out/data.tmp" "$out/data" || cp "$out/data.tmp" "$out/data"
rm "$out/data.tmp"

# shellcheck disable=SC2016 # variables of the recipes, expanded by make and by its shell
make -s -f "$here/../cross-validate.mk" DATA="$out/data" ALPHABET=acgt OUT="$out/cv" FOLDS="$FOLDS" SEED="$SEED" \
    RECIPES="$RECIPES" \
    RECIPE_pwm='pfsa-train -a $$A --positional --order 0 $$TRAIN -o $$MODEL' \
    RECIPE_mix="FOLDS=$FOLDS sh '\"'\"'$here/mix-by-folds.sh'\"'\"' \$\$TRAIN \$\$MODEL \$\$TMP"
