# SPDX-License-Identifier: MIT
# words.sh: what the rows on English words share; sourced by them.  500 words of 4 to 10 letters,
# an LSTM trained on them, and 17 features: lengths, endings, vowels.

dictionary=/usr/share/dict/american-english
[ -e $dictionary ] || need=wamerican
letters=abcdefghijklmnopqrstuvwxyz

# Words for training, and others for a test; a network of the default recipe.
word_base() {
    # shellcheck disable=SC2154 # of rows.sh
    grep -x '[a-z]\{4,10\}' $dictionary >all &&
        awk 'NR % 83 == 1 && n++ < 500' all >D &&
        awk 'NR % 14 == 5 && n++ < 3000' all >T &&
        lstm-train -q -a $letters --steps $((600 / shrink)) -o base D
}

# word_fit OPTION...: the GAM
word_fit() {
    for f in length:4 length:5 length:6 length:7 length:8 length:9 length:10 \
        suffix:s suffix:ed suffix:ing suffix:er suffix:ly count:a count:e count:i count:o count:u; do
        echo $f
    done >features
    gam-fit -q --base base --features features "$@" D
}
