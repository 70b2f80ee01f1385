# SPDX-License-Identifier: MIT
# pfsa-entropy.t: exact numbers against counting in awk and closed forms.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# --- the numbers that are known ---

run pfsa-entropy -l 30 -m 10001011111000
is "$status" 0 'computes'
is "$(cut -f 1 out | tr '\n' ' ')" \
    'entropy entropy_per_char mean_length partition log_partition support states transitions ' \
    'the rows and their order'
near "$(row entropy)" 13.9231444875 5e-11 'the entropy of the paper'
near "$(row entropy_per_char)" 0.44913369 5e-9 'per character'
near "$(row partition)" 0.0010371581 5e-11 'its partition'
near "$(row log_partition)" "$(awk 'BEGIN { print log(1113640 / 2^30) }')" 1e-5 'and log'
is "$(row support)" 1113640 'its support'
is "$(row mean_length)" 30 'its length'
[ "$(row states)" -le 300 ]
ok $? 'with at most a few hundred states'
run pfsa-entropy -l 30 -m 10001011111000 --mix 0.9
near "$(row entropy)" 14.9352507842 5e-11 'the mixture'
near "$(row entropy_per_char)" 0.48178228 5e-9 'per character'
is "$(row partition) $(row support)" '1 1073741824' 'partition and support of a mixture'
run pfsa-entropy -l 10 -m 1111111
near "$(row entropy)" 2.9957322736 5e-11 'twenty strings'
is "$(row support)" 20 'are twenty'

# --- features by expression: all strings of six symbols over ACGT, by grep and awk ---

awk 'BEGIN { for (i = 0; i < 4096; i++) {
    x = ""
    for (k = i; length(x) < 6; k = int(k / 4)) x = x substr("ACGT", k % 4 + 1, 1)
    print x } }' >all
pfsa-entropy -a ACGT -l 6 --feature 'regex:^A|G[CT]+$' --feature site:GRC --feature at:-2:TA \
    --feature 'count:[GC]@2..3' --feature 'count:[GC]@45%..55%' --feature run@..2 \
    --feature 'matches:[AC]G' >out
# lacks FEATURE COMMAND...: the share of the strings that the command prints
lacks() {
    share=$(awk -v n="$(sh -c "$2" | wc -l)" 'BEGIN { printf "%.12g", 1 - n / 4096 }')
    near "$(row "moment:$1")" "$share" 1e-12 "$1"
}
lacks 'regex:^A|G[CT]+$' 'grep -E "^A|G[CT]+$" all'
lacks site:GRC 'grep -E "G[AG]C|G[CT]C" all'
lacks at:-2:TA 'grep "TA$" all'
lacks 'count:[GC]@2..3' "awk '{ x = \$0; n = gsub(/[GC]/, \"\", x) } n >= 2 && n <= 3' all"
lacks 'count:[GC]@45%..55%' "awk '{ x = \$0; n = gsub(/[GC]/, \"\", x) } n == 3' all"
lacks run@..2 'grep -v -e AAA -e CCC -e GGG -e TTT all'
near "$(row 'moment:matches:[AC]G')" "$(awk '{ n += gsub(/[AC]G/, "") }
    END { printf "%.12g", n / NR / 6 }' all)" 1e-12 'matches:[AC]G'

# Constraints: how many strings are left, and their share.
run pfsa-entropy -a ACGT -l 6 --require site:GRC --forbid run@3.. --require 'count:[GC]@2..3' \
    --feature motif:A
left=$(grep -E 'G[AG]C|G[CT]C' all | grep -v -e AAA -e CCC -e GGG -e TTT |
    awk '{ x = $0; n = gsub(/[GC]/, "", x) } n >= 2 && n <= 3' | tee kept | wc -l)
is "$(row support)" "$left" 'constraints by name'
near "$(row log_support)" "$(awk -v n="$left" 'BEGIN { printf "%.12g", log(n) }')" 1e-11 'and log'
near "$(row partition)" "$(awk -v n="$left" 'BEGIN { printf "%.14g", n / 4096 }')" 1e-13 'their share'
near "$(row moment:motif:A)" "$(awk '!/A/ { n++ } END { printf "%.14g", n / NR }' kept)" 1e-12 \
    'moments given the constraints'
run pfsa-gen -a ACGT -l 6 --require site:GRC --forbid run@3.. --require 'count:[GC]@2..3' -n 5000
is "$(grep -vc -x -F -f kept out)" 0 'pfsa-gen keeps to them'
is "$(sort -u out | wc -l)" "$left" 'and draws all strings that are left'
pfsa-gen -b -a ACGT -l 6 -o fair
run pfsa-entropy --require site:GRC --forbid run@3.. --require 'count:[GC]@2..3' fair
is "$(row support)" "$left" 'constraints on a model'

# All of them at once: the number of strings left.
pfsa-gen -b -a ACGT -l 6 -o fair
gam-fit -q --base fair --feature site:GRC --lambda site:GRC=-inf --feature run@..2 \
    --lambda run@..2=-inf --feature 'count:[GC]@2..3' --lambda 'count:[GC]@2..3=-inf' all -o given
model-convert --to pfsa -o left given
pfsa-entropy left >out
is "$(row support)" "$(grep -E 'G[AG]C|G[CT]C' all | grep -v -e AAA -e CCC -e GGG -e TTT |
    awk '{ x = $0; n = gsub(/[GC]/, "", x) } n >= 2 && n <= 3' | wc -l)" 'a product of kinds'

# --- counting in awk ---

# enumerate LENGTH P1 WANTED UNWANTED: partition, entropy, support
enumerate() {
    awk -v n="$1" -v p="$2" -v m="$3" -v x="$4" 'BEGIN {
        for (i = 0; i < 2^n; i++) {
            s = ""; w = 1; v = i
            for (k = 0; k < n; k++) {
                s = s (v % 2); w *= v % 2 ? p : 1 - p; v = int(v / 2)
            }
            if (index(s, m) && !(x != "" && index(s, x))) {
                z += w; h -= w * log(w); c++
            }
        }
        printf "%.15g %.15g %d\n", z, h / z + log(z), c
    }'
}
for case in '12 0.5 0110 000' '11 0.3 11011 00' '13 0.9 0 ' '8 0.25 1010 '; do
    # shellcheck disable=SC2086 # words are meant
    set -- $case
    run pfsa-entropy -l "$1" --p1 "$2" -m "$3" ${4:+-x "$4"}
    enumerate "$1" "$2" "$3" "${4-}" >want
    read -r z h c <want
    near "$(row partition)" "$z" 1e-14 "$case: partition"
    near "$(row entropy)" "$h" 1e-12 "$case: entropy"
    is "$(row support)" "$c" "$case: support"
done

# --- closed forms ---

run pfsa-entropy --stop 0.001
near "$(row mean_length)" 999 1e-9 'mean of a geometric length'
near "$(row entropy)" \
    "$(awk 'BEGIN { s = .001; printf "%.13g", (-s * log(s) - (1 - s) * log((1 - s) / 2)) / s }')" \
    1e-9 'its entropy'
is "$(row support) $(row states)" 'inf 1' 'infinitely many strings from one state'
# Without 11 there are F(n+2) strings of n bits, sum F(n+2) z^n = (1+z)/(1-z-z^2);
# asking for a 1 takes away the strings of zeros, sum z^n = 1/(1-z).
closed=$(awk 'BEGIN { s = .1; z = (1 - s) / 2; d = 1 - z - z^2; g = (1 + z) / d; o = 1 / (1 - z)
    n = z / (1 + z) + z * (1 + 2 * z) / d
    printf "%.15g %.15g %.15g %.15g", s * g, n, log(g) - n * log(z), s * (g - o) }')
# shellcheck disable=SC2086 # four numbers
set -- $closed
run pfsa-entropy -l 0 --feature length
is "$(row entropy) $(row support) $(row moment:length)" '0 1 0' 'the empty string alone'
run pfsa-entropy --stop 0.1 -x 11
near "$(row partition)" "$1" 1e-13 'a geometric length without 11'
near "$(row mean_length)" "$2" 1e-11 'its mean'
near "$(row entropy)" "$3" 1e-11 'and its entropy'
run pfsa-entropy --stop 0.1 -x 11 -m 1
near "$(row partition)" "$4" 1e-13 'and with a 1'
run pfsa-entropy -a ACGT -l 31 --bits
near "$(row entropy)" 62 1e-12 'two bits a base'
is "$(row support)" 4611686018427387904 'a support of 63 bits is exact'
run pfsa-entropy -l 64
is "$(row support)" 1.8446744073709552e+19 'a larger one is a double'
run pfsa-entropy -l 64 -x 1111111100000000111111110000000011111111000000001111111100000000
is "$(row support)" 18446744073709551615 'one less is the largest that is exact'
run pfsa-entropy -l 20000
near "$(row entropy)" "$(awk 'BEGIN { printf "%.12g", 20000 * log(2) }')" 1e-6 'long strings'
run pfsa-entropy -l 2000 -m "$(printf '%01000d' 1)"
# 1001 places, no overlap: 1001 2^-1000, to first order in 2^-1000
near "$(row log_partition)" "$(awk 'BEGIN { printf "%.13g", log(1001) - 1000 * log(2) }')" 1e-9 \
    'long motifs'

run pfsa-entropy -a abc -l 1000 --probs 0.3333333333,0.3333333333,0.3333333333
near "$(row partition)" 1 1e-12 '--probs that sum to 1 up to rounding are normalized'

# --- models, and two of them ---

pfsa-gen -l 30 -m 10001011111000 -b -o pure.pfsa
pfsa-gen -l 30 -m 10001011111000 --mix 0.9 -b -o mixed.pfsa
pfsa-entropy -l 30 -m 10001011111000 >options
run pfsa-entropy pure.pfsa
cmp -s out options
ok $? 'a model gives the rows of its options'
run sh -c 'pfsa-entropy - <pure.pfsa'
cmp -s out options
ok $? 'also through a pipe'
run pfsa-entropy --relative-to mixed.pfsa pure.pfsa
near "$(row kl)" 0.105360515657826 1e-14 'divergence -log 0.9'
near "$(row cross_entropy)" 14.0285050031577 1e-10 'and the cross-entropy'
run pfsa-entropy --relative-to mixed.pfsa pure.pfsa --bits
near "$(row kl)" 0.152003093445050 1e-14 'in bits'
run pfsa-entropy --relative-to pure.pfsa mixed.pfsa
is "$(row kl) $(row cross_entropy)" 'inf inf' 'strings that are not covered'
run pfsa-entropy mixed.pfsa --relative-to mixed.pfsa
is "$(row kl)" 0 'nothing from itself'
near "$(row cross_entropy)" "$(row entropy)" 1e-13 'and the entropy'
pfsa-gen -l 30 --p1 0.5000001 -b -o almost.pfsa
run pfsa-entropy -l 30 --p1 0.5 --relative-to almost.pfsa
near "$(row kl)" 6.0000000e-13 1e-19 'a small divergence is accurate, too'
run pfsa-entropy --relative-to mixed.pfsa -l 30 -a ab
is "$status" 1 'another alphabet'
has err "--relative-to: alphabets differ: 'ab' and '01'" 'is refused'

run pfsa-entropy --json -l 10 -m 1111111
is "$(head -c 1 out)" '{' 'JSON'
has out '"support": 20,' 'with the same rows'

# --- many states on cycles ---

# Each of 30,000 states ends with probability 0.05; else it moves to one of two random states.
awk 'BEGIN {
    srand(1)
    for (q = 0; q < 30000; q++) {
        printf "%d %d 1 %.17g\n", q, int(30000 * rand()), -log(0.45)
        printf "%d %d 2 %.17g\n%d %.17g\n", q, int(30000 * rand()), -log(0.5), q, -log(0.05)
    }
}' | model-convert --from att -o random.pfsa
run pfsa-entropy random.pfsa
is "$status" 0 '30,000 states with random arcs'
awk -F '\t' '$1 == "mean_length" { good += ($2 / 19 - 1) ^ 2 < 1e-26 }
    $1 == "entropy" { good += ($2 / (-20 * (0.45 * log(0.45) + 0.5 * log(0.5) + 0.05 * log(0.05))) - 1) ^ 2 < 1e-26 }
    END { exit good != 2 }' out
ok $? 'their mean length is 19, and their entropy 20 times that of a state'

# --- mistakes ---

run pfsa-entropy
is "$status" 2 'no process'
has err 'missing required option --length N or --stop P' 'says what to give'
run pfsa-entropy -l 30 pure.pfsa
is "$status" 2 'options and a model'
has err "--length cannot be combined with the model 'pure.pfsa'" 'a length cannot be combined with a model'
run sh -c 'pfsa-entropy - --relative-to - <pure.pfsa'
is "$status" 2 'stdin twice'
run pfsa-entropy -l 3 -m 0101
is "$status" 1 'an impossible motif'
has err 'no string of length 3 satisfies' 'says so'
run pfsa-entropy -l 30 --relative-to no-such.pfsa
is "$status" 1 'a missing model'
has err "'no-such.pfsa'" 'is named'
is "$(wc -c <out | tr -d ' ')" 0 'and nothing is printed'
size=$(wc -c <pure.pfsa)
dd if=/dev/zero of=pure.pfsa bs=1 seek=$((size / 2)) count=4 conv=notrunc 2>/dev/null
run pfsa-entropy pure.pfsa
is "$status" 1 'a damaged model'
has err "pfsa-entropy: pure.pfsa: section '" 'is refused with its section'
pfsa-entropy -l 30 2>err >/dev/full
is $? 1 'a full disk exits 1'

done_testing
