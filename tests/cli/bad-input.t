# SPDX-License-Identifier: MIT
# bad-input.t: the exact message of each tool for bad input.  One table: exit status, command,
# text on stderr (exit status 2 is followed by the hint to try --help).  None of them prints a
# result or leaves a file.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# --- what is given ---

printf '0101\n1101\n0011\n' >D
printf '1111\n' >V
printf '# a comment\nmotif:1\nregex:1(0\n' >bad-features
printf 'one = motif:1\ntwo = motif:0\n' >good-features
printf 'motif:1\0\n' >nul-features
printf '0101\n01x1\n' >bad
printf '0101\n0\00011\n' >nul
awk 'BEGIN { for (i = 0; i < 70000; i++) printf "0101010101010101"; print "" }' >wide
printf 'ACGT\n' >acgt
: >empty
printf 'not a model' >text
printf '0 1 1 x\n' >number.att
printf '0 1 9 0.5\n1\n' >label.att
printf '{"a": ' >half.json
# 60 arcs per state to anywhere, and to the next one; some weights are too small for iteration
awk 'BEGIN {
    n = 6000
    for (i = 0; i < n; i++)
        for (k = 0; k < 60; k++)
            print i, (k == 0 ? i + 1 : i * i * (2 * k + 1) + k * 7919) % n, k + 1, k == 1 ? "900.0" : "5.0"
    print 0, 1
}' >dense.att
printf '0 0 1 1e-10\n0 30\n' >endless.att
gzip -c D >D.gz
head -c 20 D.gz >cut.gz
{
    echo 0x1
    head -c 5000000 /dev/zero | tr '\000' 0
} >bad-wide
mkdir dir
mkfifo pipe
ln -s new dangling
# shellcheck disable=SC2034 # the table has it
foreign=$(printf 'a\033[2J\nb') # orders to a terminal
json='{"__metadata__":{"max_length":"a\u001b[2J\nb"}}'
{
    printf '%b\000\000\000\000\000\000\000' "\\0$(printf %o ${#json})"
    printf %s "$json"
} >foreign.st
pfsa-gen -b -l 4 -o m.pfsa
pfsa-gen -b --stop 0.00001 -o long.pfsa
printf '01\n' >short
cat D short >uneven
awk 'BEGIN { srand(1); for (i = 0; i < 9000; i++) printf "%d", 2 * rand(); print "" }' >deep
# shellcheck disable=SC2034 # the table has it
many=$(awk 'BEGIN { srand(3); for (i = 0; i < 40; i++) { printf "--feature edit:"
    for (j = 0; j < 200; j++) printf "%d", 2 * rand(); printf " " } }')
pfsa-gen -b -l 4 -a ACGT -o dna.pfsa
pfsa-gen -b --stop 0.5 -o loop.pfsa
pfsa-gen -b -l 30 -o noise.pfsa
lstm-train -q --hidden 2 --steps 2 --checkpoint other.ck -o r.lstm D
lstm-train -q --hidden 2 --steps 2 -a ACGT -o dna.lstm acgt
gam-fit -q --base m.pfsa --feature motif:11 -o g.gam D
gam-fit -q --base r.lstm --feature motif:11 -o neural.gam D
lm-mix --weights 0.5,0.5 -o x.mix m.pfsa r.lstm
lm-eval --per-string m.pfsa D >scores
head -n 2 scores >few-scores
sed 's/1101/1100/' scores >other-scores
model-convert --from att -o endless.pfsa endless.att
# 1 in 500 strings of noise has the motif, and the others are forbidden
printf '111111111111111111111111111111\n' >run
gam-fit -q --base noise.pfsa --feature motif:00000000000 --lambda motif:00000000000=-9 -o rare.gam run

# A header of version 4 with its checksum, and the rest of the file.
{
    printf '\211GAMUT\r\n\004\000\000\000\001\000\000\000\000\000\000\000\000\000\000\000'
    printf '\074\274\257\247\300\243\262\050'
    tail -c +33 m.pfsa
} >newer.pfsa
{
    head -c 400 m.pfsa
    printf '\377'
    tail -c +402 m.pfsa
} >flip.pfsa
head -c 300 m.pfsa >cut.pfsa
head -c 20 m.pfsa >head.pfsa
head -c 700 r.lstm >cut.lstm
head -c 600 g.gam >cut.gam
head -c 600 x.mix >cut.mix

# zeros N: N floats
zeros() {
    i=0
    while [ "$i" -lt "$1" ]; do
        printf '\000\000\000\000'
        i=$((i + 1))
    done
}

# An LSTM whose gradient overflows: 1e10 between units, 3e38 toward a symbol.
header='{"rnn.weight_ih_l0":{"dtype":"F32","shape":[4,3],"data_offsets":[0,48]},
"rnn.weight_hh_l0":{"dtype":"F32","shape":[4,1],"data_offsets":[48,64]},
"rnn.bias_ih_l0":{"dtype":"F32","shape":[4],"data_offsets":[64,80]},
"rnn.bias_hh_l0":{"dtype":"F32","shape":[4],"data_offsets":[80,96]},
"decoder.weight":{"dtype":"F32","shape":[3,1],"data_offsets":[96,108]},
"decoder.bias":{"dtype":"F32","shape":[3],"data_offsets":[108,120]}}'
e10='\371\002\025\120'
e38='\346\261\141\177'
# tensors LENGTH-IN-OCTAL DECODER-WEIGHT BIAS-OF-THE-END
tensors() {
    # shellcheck disable=SC2059 # octal numbers
    printf "$1\\000\\000\\000\\000\\000\\000%s" "$header"
    zeros 12
    # shellcheck disable=SC2059
    printf "$e10$e10$e10$e10"
    zeros 8
    # shellcheck disable=SC2059
    printf "$2"
    zeros 2
    # shellcheck disable=SC2059
    printf "$3"
}
length=$(printf '\\%03o\\%03o' $((${#header} % 256)) $((${#header} / 256)))
zero='\000\000\000\000'
tensors "$length" "$e38$zero$zero" "$zero" >steep.st
tensors "$length" "$e38$e38$e38" "$zero" >huge.st
model-convert --from safetensors -a 01 --max-length 4 -o steep.lstm steep.st
# an LSTM whose strings do not end: probability exp(-10000)
tensors "$length" "$zero$zero$zero" '\000\100\034\306' >endless.st
model-convert --from safetensors -a 01 --max-length 18446744073709551614 -o endless.lstm endless.st
model-convert --from safetensors -a 01 --max-length 4 -o never.lstm endless.st
pfsa-gen -b --stop .00001 -o long.pfsa

printf '01\n00\n11\n10\n' >four
printf '01\n00\n11\n10\n11\n' >five
printf '01\n01\n01\n01\n01\n' >same
printf '01\n0\n101\n01\n10\n' >spread
printf '1\n11\n\n1\n11\n1\n' >ones

# --- the table ---

# answer STATUS COMMAND MESSAGE: one row
answer() {
    case $2 in
    */dev/fd/* | */dev/std* | */proc/self/*)
        if ! has_descriptors; then
            skip "$2" 'no names of descriptors: no /proc'
            return
        fi
        ;;
    esac
    printf '%s' "${3:+$3
}" >want
    [ "$1" -ne 2 ] || printf "Try '%s --help' for more information.\n" "${3%%:*}" >>want
    eval "$2" >out 2>err </dev/null
    got=$?
    # without the expression and its caret, which motif-freq.t tests
    is "$got $(sed '/^    /d' err)$(cat out)" "$1 $(cat want)" "$2"
    ls -A >after
    if ! cmp -s before after; then
        is "$(diff before after)" '' "$2: no file is left"
        ls -A >before
    fi
}

touch out err want before after
ls -A >before
while IFS='|' read -r code command message; do
    case $code in
    '#'* | '') continue ;;
    esac
    command=${command# }
    answer "${code% }" "${command% }" "${message# }"
done <<'END'
# a character outside the alphabet, an over-long line, a NUL byte
1 | lstm-train -o new bad | lstm-train: bad:2: 'x' in column 3 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | lstm-train -o new nul | lstm-train: nul:2: byte 0x00 in column 2 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | lstm-train -o new wide | lstm-train: wide:1: line has more than 1048576 characters
1 | lstm-train --valid bad -o new D | lstm-train: bad:2: 'x' in column 3 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | pfsa-train -o new bad | pfsa-train: bad:2: 'x' in column 3 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | pfsa-train -o new nul | pfsa-train: nul:2: byte 0x00 in column 2 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | pfsa-train -o new wide | pfsa-train: wide:1: line has more than 1048576 characters
1 | gam-features -o new bad | gam-features: bad:2: 'x' in column 3 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | gam-features -o new nul | gam-features: nul:2: byte 0x00 in column 2 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | gam-features -o new wide | gam-features: wide:1: line has more than 1048576 characters
1 | lstm-train --init r.lstm --steps 1 -o new bad | lstm-train: bad:2: 'x' in column 3 is not in the alphabet '01'; leave such strings out with --skip-bad
2 | pfsa-entropy --feature motif:2 m.pfsa | pfsa-entropy: --feature: feature 'motif:2': '2': character 1 is not in the alphabet '01'
1 | gam-fit --base m.pfsa --feature length -o new bad | gam-fit: bad:2: 'x' in column 3 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | gam-fit --base m.pfsa --feature length -o new nul | gam-fit: nul:2: byte 0x00 in column 2 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | gam-fit --base m.pfsa --feature length -o new wide | gam-fit: wide:1: line has more than 1048576 characters
1 | gam-fit --base dna.pfsa --feature length -o new D | gam-fit: D:1: '0' in column 1 is not in the alphabet 'ACGT'; leave such strings out with --skip-bad
1 | gam-fit --base m.pfsa --feature length --max-length 3 -o new D | gam-fit: D:1: string has 4 symbols, maximum is 3; raise --max-length
1 | motif-freq -o new -m 1 bad-wide | motif-freq: bad-wide:1: 'x' in column 2 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | lm-mix --valid bad -o new m.pfsa r.lstm | lm-mix: bad:2: 'x' in column 3 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | lm-mix --valid acgt -o new m.pfsa r.lstm | lm-mix: acgt:1: 'A' in column 1 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | lm-eval -o new m.pfsa bad | lm-eval: bad:2: 'x' in column 3 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | lm-eval -o new m.pfsa nul | lm-eval: nul:2: byte 0x00 in column 2 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | lm-eval -o new m.pfsa wide | lm-eval: wide:1: line has more than 1048576 characters
1 | lm-eval -o new --per-string m.pfsa bad | lm-eval: bad:2: 'x' in column 3 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | lm-eval -o new r.lstm acgt | lm-eval: acgt:1: 'A' in column 1 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | motif-freq -m 1 -o new bad | motif-freq: bad:2: 'x' in column 3 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | motif-freq -m 1 -o new nul | motif-freq: nul:2: byte 0x00 in column 2 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | motif-freq -m 1 -o new wide | motif-freq: wide:1: line has more than 1048576 characters
1 | motif-freq -m 1 -o new acgt | motif-freq: acgt:1: 'A' in column 1 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | motif-freq -m 1 -o new D bad | motif-freq: bad:2: 'x' in column 3 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | motif-freq -m 1 -o new m.pfsa | motif-freq: m.pfsa:1: byte 0x89 in column 1 is not a printable character in UTF-8; leave such strings out with --skip-bad
1 | motif-freq --feature length -o new bad | motif-freq: bad:2: 'x' in column 3 is not in the alphabet '01'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
1 | model-convert --from att -o new nul | model-convert: nul:2: not AT&T text
1 | model-convert --from att -o new m.pfsa | model-convert: m.pfsa:1: not AT&T text
1 | model-convert --from att -o new text | model-convert: text:1: 'not' is not a whole number from 0 to 9223372036854775807
1 | model-convert --from att -o new number.att | model-convert: number.att:1: 'x' is not a number
1 | limited 1000000 model-convert --from att -a 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz -o new dense.att | model-convert: dense.att: 6000 states on cycles have too many arcs; reduce the number of states or arcs
1 | model-convert --from att -o new label.att | model-convert: label.att:1: '9' is not a whole number from 1 to 2
1 | model-convert --from json -o new text | model-convert: text: byte 1: expected a value
1 | model-convert --from json -o new half.json | model-convert: half.json: byte 7: expected a value
1 | model-convert --from safetensors -o new text | model-convert: text: not a safetensors file, or truncated
# empty data
1 | lstm-train -o new empty | lstm-train: 'empty' contains no strings
1 | lstm-train --valid empty -o new D | lstm-train: 'empty' contains no strings
1 | lstm-train -o new </dev/null | lstm-train: 'standard input' contains no strings
1 | pfsa-train -o new empty | pfsa-train: 'empty' contains no strings
1 | pfsa-train --positional -o new </dev/null | pfsa-train: 'standard input' contains no strings
1 | pfsa-train --merge -o new D | pfsa-train: --merge: all strings have 4 symbols, but merged states do not know positions
1 | pfsa-train --positional -o new uneven | pfsa-train: --positional: strings have 2 to 4 symbols, but positions require equal lengths
1 | lm-mix --valid empty -o new m.pfsa r.lstm | lm-mix: 'empty' contains no strings
1 | lm-mix --valid - -o new m.pfsa r.lstm | lm-mix: 'standard input' contains no strings
1 | lm-mix --valid uneven -o new m.pfsa m.pfsa | lm-mix: uneven: no model can produce string 4
1 | lm-mix --weights 0.5,0.5 --max-length 3 -o new m.pfsa m.pfsa | lm-mix: no string has at most 3 symbols; the shortest string of the model has 4
1 | limited 2000000 pfsa-train --order 40 -o new deep | pfsa-train: order 40: the automaton would have more than 33554432 transitions; use a lower order
1 | gam-fit --base m.pfsa --feature length -o new empty | gam-fit: 'empty' contains no strings
1 | gam-features -o new empty | gam-features: too few strings to find features: 0; at least 5 are needed
1 | gam-features -o new four | gam-features: too few strings to find features: 4; at least 5 are needed
1 | gam-features -o new same | gam-features: all 5 strings are the same; there is nothing to compare
1 | gam-features -o new ones | gam-features: the strings have no other symbol than '1'; there is nothing to find
1 | gam-fit --base ngram --feature length -o new empty | gam-fit: 'empty' contains no strings
1 | gam-fit --base ngram:2 --feature motif:11 --max-length 1000000 -o new uneven | gam-fit: n-grams and features together have more than 6000000 states and transitions; use a lower order
1 | model-convert --from att -o new empty | model-convert: empty: contains no automaton
1 | model-convert --from json -o new empty | model-convert: empty: byte 1: expected a value
1 | model-convert --from safetensors -o new empty | model-convert: empty: not a safetensors file, or truncated
1 | gam-sample -o new empty | gam-sample: empty: file is empty
# unknown options, missing values, values out of range
2 | pfsa-gen -Z | pfsa-gen: invalid option -- 'Z'
2 | pfsa-gen --lenght 3 | pfsa-gen: unrecognized option '--lenght'
2 | pfsa-gen -l | pfsa-gen: option requires an argument -- 'l'
2 | pfsa-gen -l x | pfsa-gen: --length: 'x' is not a whole number from 0 to 1048576
2 | pfsa-gen -l -1 | pfsa-gen: --length: '-1' is not a whole number from 0 to 1048576
2 | pfsa-gen -l 1.5 | pfsa-gen: --length: '1.5' is not a whole number from 0 to 1048576
2 | pfsa-gen -l '' | pfsa-gen: --length: '' is not a whole number from 0 to 1048576
2 | pfsa-gen -l 99999999999999999999 | pfsa-gen: --length: '99999999999999999999' is not a whole number from 0 to 1048576
2 | pfsa-gen --stop 0 | pfsa-gen: --stop: '0' is not in the range 1e-06 to 1
2 | pfsa-gen --stop nan | pfsa-gen: --stop: 'nan' is not a number
2 | pfsa-gen -l 3 --p1 2 | pfsa-gen: --p1: '2' is not in the range 0 to 1
2 | pfsa-gen -l 3 --p1 0x1 | pfsa-gen: --p1: '0x1' is not a number
2 | pfsa-gen -l 3 -a '' | pfsa-gen: --alphabet: the alphabet is empty
2 | pfsa-gen -l 3 -a 00 | pfsa-gen: --alphabet: '0' is repeated in the alphabet
2 | pfsa-gen -l 3 --probs 0.5 | pfsa-gen: --probs: '0.5' has 1 numbers, expected 2, one per symbol
2 | pfsa-gen -l 3 --probs 0.5,0.6 | pfsa-gen: --probs: '0.5,0.6' sums to 1.1, expected 1
2 | pfsa-gen -l 3 --probs 0.5,x | pfsa-gen: --probs: 'x' is not a number
2 | pfsa-gen -l 3 -m 012 | pfsa-gen: --motif: '012': character 3 is not in the alphabet '01'; set the alphabet with -a
2 | pfsa-gen -l 3 -m '' | pfsa-gen: --motif: word is empty
2 | pfsa-gen -l 3 -x 2 | pfsa-gen: --exclude: '2': character 1 is not in the alphabet '01'; set the alphabet with -a
2 | pfsa-gen -l 3 -m 1 --mix 2 | pfsa-gen: --mix: '2' is not in the range 0 to 1
2 | pfsa-gen -l 3 -n -1 | pfsa-gen: --count: '-1' is not a whole number from 0 to 9223372036854775807
2 | pfsa-gen -l 3 -s x | pfsa-gen: --seed: 'x' is not a whole number from 0 to 18446744073709551615
2 | pfsa-gen -l 3 -j 1000000 | pfsa-gen: --threads: '1000000' is not a whole number from 0 to 1024
2 | pfsa-entropy -l x | pfsa-entropy: --length: 'x' is not a whole number from 0 to 1048576
2 | pfsa-entropy -l 4 --feature 'regex:1(0' | pfsa-entropy: --feature: feature 'regex:1(0': position 2: missing ')'
2 | pfsa-entropy -l 4 --feature regex:12 | pfsa-entropy: --feature: feature 'regex:12': position 2: '2' is not in the alphabet '01'
2 | pfsa-entropy -l 4 --feature count:1@3..2 | pfsa-entropy: --feature: feature 'count:1@3..2': the range '3..2' ends before it begins
2 | pfsa-entropy -l 4 --feature site:GAT | pfsa-entropy: --feature: feature 'site:GAT': sites need an alphabet with ACGT or ACGU, not '01'
1 | pfsa-entropy -l 4 --features bad-features | pfsa-entropy: bad-features:3:8: feature 'regex:1(0': position 2: missing ')'
1 | pfsa-entropy -l 4 --features nul-features | pfsa-entropy: nul-features:1:8: the line has a NUL byte
1 | pfsa-entropy -l 4 --features no-such-file | pfsa-entropy: cannot open 'no-such-file': No such file or directory
2 | pfsa-entropy -l 4 --feature what:1 | pfsa-entropy: --feature: feature 'what:1': not a feature; known are motif:S prefix:S suffix:S length:N length length2 count:S count:[...] lcs:S edit:S regex:RE matches:RE site:WORD site+:WORD run run:S at:I:S within:I..J:S fsa:FILE, SPEC@LO..HI and not:SPEC
2 | pfsa-entropy -l 4 --feature motif:2 | pfsa-entropy: --feature: feature 'motif:2': '2': character 1 is not in the alphabet '01'; set the alphabet with -a
2 | pfsa-entropy -l 4 --feature motif: | pfsa-entropy: --feature: feature 'motif:': word is empty
2 | pfsa-entropy -l 4 --feature length:x | pfsa-entropy: --feature: feature 'length:x': 'x' is not a whole number from 0 to 4294967294
2 | pfsa-entropy -l 4 -m 101 --ft 10 | pfsa-entropy: --ft: '10': expected 7 bits, for m, m+0, m/2, d0, d1, d2, d3
2 | pfsa-entropy -l 4 -m 101 --ft 1000002 | pfsa-entropy: --ft: '1000002': expected 7 bits, for m, m+0, m/2, d0, d1, d2, d3
2 | pfsa-entropy -l 4 -a ACGT -m ACG --ft 1000000 | pfsa-entropy: --ft: requires the alphabet '01', not 'ACGT'
2 | lstm-train --valid-fraction 1 D | lstm-train: --valid-fraction: '1' is not in the range 0 to 0.99
2 | lstm-train --hidden 0 D | lstm-train: --hidden: '0' is not a whole number from 1 to 16384
2 | lstm-train --hidden 1e3 D | lstm-train: --hidden: '1e3' is not a whole number from 1 to 16384
2 | lstm-train --layers 100 D | lstm-train: --layers: '100' is not a whole number from 1 to 64
2 | lstm-train --dropout 1 D | lstm-train: --dropout: '1' is not in the range 0 to 0.99
2 | lstm-train --batch 0 D | lstm-train: --batch: '0' is not a whole number from 1 to 1000000000
2 | lstm-train --lr inf D | lstm-train: --lr: 'inf' is not a number
2 | lstm-train --lr nan D | lstm-train: --lr: 'nan' is not a number
2 | lstm-train --clip -1 D | lstm-train: --clip: '-1' is not in the range 0 to 1e+30
2 | lstm-train --epochs 0 D | lstm-train: --epochs: '0' is not a whole number from 1 to 1000000000000000
2 | lstm-train --patience -1 D | lstm-train: --patience: '-1' is not a whole number from 0 to 1000000000000000
2 | lstm-train --steps 0 D | lstm-train: --steps: '0' is not a whole number from 1 to 9223372036854775807
2 | lstm-train --average 1 D | lstm-train: --average: '1' is not in the range 0 to 0.9999
2 | lstm-train --average -1 D | lstm-train: --average: '-1' is not in the range 0 to 0.9999
2 | lstm-train --average x D | lstm-train: --average: 'x' is not a number
2 | lstm-train --recipe nice D | lstm-train: --recipe: 'nice' is not one of default, distil, paper
2 | lstm-train --max-length 3 D | lstm-train: --max-length: 3 is less than 4, the length of the longest string
2 | lm-compare -o new m.pfsa D | lm-compare: a comparison requires at least 2 models and DATA, got 2 operands
2 | lm-compare -o new m.pfsa | lm-compare: a comparison requires at least 2 models and DATA, got 1 operand
2 | lm-compare -o new | lm-compare: missing operand; usage: lm-compare MODEL MODEL... DATA
2 | lm-compare --scores -o new scores | lm-compare: a comparison requires at least 2 files of scores, got 1 operand
2 | lm-compare --reference dna.pfsa -o new m.pfsa r.lstm D | lm-compare: --reference: 'dna.pfsa' is none of the models
2 | lm-compare --log-z-se 0 -o new m.pfsa r.lstm D | lm-compare: --log-z-se: '0' is not in the range 1e-06 to 1
1 | lm-compare -o new m.pfsa dna.pfsa D | lm-compare: alphabet of 'dna.pfsa' is 'ACGT', but alphabet of 'm.pfsa' is '01'
1 | lm-compare -o new m.pfsa r.lstm empty | lm-compare: 'empty' contains no strings
1 | lm-compare -o new m.pfsa r.lstm bad | lm-compare: bad:2: 'x' in column 3 is not in the alphabet '01'; leave such strings out with --skip-bad
1 | lm-compare -o new m.pfsa cut.lstm D | lm-compare: cut.lstm: section 'weights': file is truncated after 700 bytes
1 | lm-compare -o new m.pfsa r.lstm absent | lm-compare: cannot open 'absent': No such file or directory
1 | lm-compare --scores -o new scores few-scores | lm-compare: 'scores' and 'few-scores' have different numbers of strings
1 | lm-compare --scores -o new scores other-scores | lm-compare: other-scores:2: string is not that of 'scores'
1 | lm-compare --scores -o new scores D | lm-compare: D:1: expected a log-probability, a tab and a string
1 | lm-compare --scores -o new empty empty | lm-compare: 'empty' contains no strings
2 | lm-mix --weights 1 -o new m.pfsa | lm-mix: a mixture requires at least 2 models, got 1
2 | lm-mix -o new m.pfsa r.lstm | lm-mix: missing required option --valid FILE or --weights W,W,...
2 | lm-mix --weights 0.5,0.5 --valid V -o new m.pfsa r.lstm | lm-mix: --weights cannot be combined with --valid
2 | lm-mix --weights 0.5,0.4 -o new m.pfsa r.lstm | lm-mix: --weights: '0.5,0.4' sums to 0.9, expected 1
2 | lm-mix --weights 0.5,0.4,0.1 -o new m.pfsa r.lstm | lm-mix: --weights: '0.5,0.4,0.1': expected 2 numbers, one per model
2 | lm-mix --weights 1 -o new m.pfsa r.lstm | lm-mix: --weights: '1' has 1 numbers, expected 2, one per model
2 | lm-mix --weights 1,0 -o new m.pfsa r.lstm | lm-mix: --weights: the weight of 'r.lstm' is 0; leave the model out
2 | lm-mix --weights 1,x -o new m.pfsa r.lstm | lm-mix: --weights: 'x' is not a number
2 | lm-mix --weights 0.5,0.5 --log log -o new m.pfsa r.lstm | lm-mix: --log requires --valid
2 | lm-mix --weights 0.5,0.5 --report - -o new m.pfsa r.lstm | lm-mix: --report requires --valid
2 | lm-mix --weights 0.5,0.5 -o new $(awk 'BEGIN { for (i = 0; i < 33; i++) print "m.pfsa" }') | lm-mix: a mixture has at most 32 models, got 33
2 | pfsa-train --order x D | pfsa-train: --order: 'x' is neither auto nor a whole number from 0 to 1048576
2 | pfsa-train --order -1 D | pfsa-train: --order: '-1' is neither auto nor a whole number from 0 to 1048576
2 | pfsa-train --order 1048577 D | pfsa-train: --order: '1048577' is neither auto nor a whole number from 0 to 1048576
2 | pfsa-train --smoothing nice D | pfsa-train: --smoothing: 'nice' is not one of auto, wb, kn
2 | pfsa-train -a '' D | pfsa-train: --alphabet: the alphabet is empty
2 | pfsa-train --merge --positional D | pfsa-train: --merge cannot be combined with --positional
2 | pfsa-train --merge --order 2 D | pfsa-train: --merge cannot be combined with --order
2 | pfsa-train --merge --smoothing kn D | pfsa-train: --merge cannot be combined with --smoothing
2 | pfsa-train --positional --order 2 D | pfsa-train: --order: with --positional, the order is 0 or 1, not 2
2 | pfsa-train --positional --smoothing kn D | pfsa-train: --smoothing cannot be combined with --positional
2 | gam-features --background chain:9 D | gam-features: --background: 'chain:9' is not chain:K with K from 0 to 8
2 | gam-features --kinds motif,nice D | gam-features: --kinds: 'nice' is not one of motif, prefix, suffix, absent, length, count, class, at, within, edit
2 | gam-features --kinds '' D | gam-features: --kinds: '' is not one of motif, prefix, suffix, absent, length, count, class, at, within, edit
2 | gam-features --alpha 2 D | gam-features: --alpha: '2' is not in the range 0 to 1
2 | gam-features --min-gain -1 D | gam-features: --min-gain: '-1' is not in the range 0 to 1000000
2 | gam-features --max-features 0 D | gam-features: --max-features: '0' is not a whole number from 1 to 1000
2 | gam-features --max-word 256 D | gam-features: --max-word: '256' is not a whole number from 1 to 255
2 | gam-features --samples 99 D | gam-features: --samples: '99' is not a whole number from 100 to 100000000
2 | gam-features --null 18 D | gam-features: --null: '18' is not a whole number from 19 to 100000
2 | gam-features --background m.pfsa --against D D | gam-features: --background cannot be combined with --against
2 | gam-features --kinds length D | gam-features: --kinds: length requires --background MODEL or --against; a chain has the lengths of DATA
2 | gam-features --against - | gam-features: DATA and --against cannot both be stdin; name a file
1 | gam-features --against five -o new five | gam-features: the strings to compare with are the same strings
1 | gam-features --kinds at -o new spread | gam-features: positions require strings of one length, at most 256 symbols, but strings have 1 to 3
1 | gam-features --against four -o new five | gam-features: too few strings to compare with: 4; at least 5 are needed
1 | gam-features --against absent -o new five | gam-features: cannot open 'absent': No such file or directory
1 | gam-features --background dna.pfsa -o new five | gam-features: dna.pfsa: the alphabet of the model is 'ACGT', that of DATA is '01'; set the alphabet with -a
1 | gam-features --against five -o new same | gam-features: all 5 strings are the same; there is nothing to compare
1 | gam-features --background m.pfsa -o new same | gam-features: all 5 strings are the same; there is nothing to compare
1 | gam-features --background endless.pfsa -o new five | gam-features: endless.pfsa: strings have 1e+10 symbols on average, maximum for sampling is 1048576
1 | gam-features --background never.lstm -o new five | gam-features: never.lstm: no string ends within 4 symbols
1 | gam-features --background long.pfsa --samples 200 -o new five | gam-features: long.pfsa: strings are too long to be compared: 94000 symbols on average
1 | gam-features --background five -o new five | gam-features: five: not a gamut model file
2 | gam-fit --base m.pfsa --regime nice --feature length D | gam-fit: --regime: 'nice' is not one of guided, rs, snis, exact
2 | gam-fit --base m.pfsa --optimizer nice --feature length D | gam-fit: --optimizer: 'nice' is not one of sgd, newton
2 | gam-fit --base m.pfsa --feature motif:11 --lambda x D | gam-fit: --lambda: 'x': expected NAME=VALUE
2 | gam-fit --base m.pfsa --feature motif:11 --lambda motif:1=3 D | gam-fit: --lambda: unknown feature 'motif:1'
2 | gam-fit --base m.pfsa --feature motif:11 --lambda motif:11=inf D | gam-fit: --lambda: 'inf' is neither -inf nor in the range -1000000 to 1000000
2 | gam-fit --base m.pfsa --feature motif:11 --lambda motif:11=x D | gam-fit: --lambda: 'x' is not a number
2 | gam-fit --base m.pfsa --feature motif:11 --l2 -1 D | gam-fit: --l2: '-1' is not in the range 0 to 1000000
2 | gam-fit --base m.pfsa --feature motif:11 --accepted 0 D | gam-fit: --accepted: '0' is not a whole number from 1 to 2147483647
2 | gam-fit --base m.pfsa --feature motif:11 --alpha0 x D | gam-fit: --alpha0: 'x' is not a number
2 | gam-fit --base m.pfsa --feature motif:11 --samples 0 D | gam-fit: --samples: '0' is not a whole number from 1 to 2147483647
2 | gam-fit --base m.pfsa --feature motif:11 --epochs 0 D | gam-fit: --epochs: '0' is not a whole number from 1 to 2147483647
2 | gam-fit --base m.pfsa --feature motif:11 --patience 0 D | gam-fit: --patience: '0' is not a whole number from 1 to 2147483647
2 | gam-fit --base m.pfsa --feature motif:11 --max-length 0 D | gam-fit: --max-length: '0' is not a whole number from 1 to 4294967295
2 | gam-sample -n x m.pfsa | gam-sample: --count: 'x' is not a whole number from 0 to 9223372036854775807
2 | gam-sample -n -5 m.pfsa | gam-sample: --count: '-5' is not a whole number from 0 to 9223372036854775807
2 | gam-sample --max-length -1 m.pfsa | gam-sample: --max-length: '-1' is not a whole number from 0 to 9223372036854775807
2 | gam-sample --method fast m.pfsa | gam-sample: --method: 'fast' is not one of auto, exact, guided, plain
2 | gam-sample --max-proposals 0 m.pfsa | gam-sample: --max-proposals: '0' is not a whole number from 1 to 9223372036854775807
2 | lm-eval --log-z-se 0 g.gam D | lm-eval: --log-z-se: '0' is not in the range 1e-06 to 1
2 | lm-eval --max-length x m.pfsa D | lm-eval: --max-length: 'x' is not a whole number from 0 to 9223372036854775807
2 | lm-eval --log-z-se x g.gam D | lm-eval: --log-z-se: 'x' is not a number
2 | motif-freq -m 2 D | motif-freq: --motif: '2': character 1 is not in the alphabet '01'; set the alphabet with -a
2 | motif-freq -m '' D | motif-freq: --motif: word is empty
2 | motif-freq --ft 1 -m 1 D | motif-freq: --ft: '1': expected 7 bits, for m, m+0, m/2, d0, d1, d2, d3
2 | gam-fit --base m.pfsa --feature motif:1 --target motif:1=1.5 | gam-fit: --target: '1.5' is not in the range 0 to 1
2 | gam-fit --base m.pfsa --feature motif:1 --target motif:0=.5 | gam-fit: --target: unknown feature 'motif:0'
2 | gam-fit --base m.pfsa --feature motif:1 --target motif:1 | gam-fit: --target: 'motif:1': expected NAME=VALUE
2 | gam-fit --base m.pfsa --require motif:1 --target motif:1=.5 | gam-fit: --target: the weight of the feature 'motif:1' is fixed
2 | gam-fit --base - --features good-features --target one=.5 <m.pfsa | gam-fit: DATA and --base cannot both be stdin; name a file
1 | gam-fit --base noise.pfsa --feature motif:1 --target motif:1=0 -o new | gam-fit: feature 'motif:1': mean 0 needs an infinite weight, means between 0 and 1 can be reached; use --require or --forbid
1 | gam-fit --base noise.pfsa --forbid motif:11 --feature count:1 --target count:1=.9 -o new | gam-fit: feature 'count:1': mean 0.9 is impossible, the range is 0 to 0.5
1 | gam-fit --base r.lstm --forbid motif:11 --feature count:1 --target count:1=.9 -o new | gam-fit: feature 'count:1': mean 0.9 is impossible, the range is 0 to 0.5
1 | gam-fit --base m.pfsa --feature length --target length=.5 -o new | gam-fit: feature 'length': mean 0.5 is impossible, it is always 1
1 | gam-fit --base r.lstm --feature length --target length=.5 -o new | gam-fit: feature 'length': mean 0.5 is impossible, it is always 1
1 | gam-fit --base noise.pfsa --feature count:1 --target count:1=.8 --feature count:0 --target count:0=.5 -o new | gam-fit: feature 'count:0': mean 0.5 is impossible together with count:1=0.8, which makes it 0.2
1 | gam-fit --base noise.pfsa --feature count:1 --target count:1=.2 --feature prefix:0 --target prefix:0=.5 --feature count:11 --target count:11=.3 -o new | gam-fit: feature 'count:11': mean 0.3 is impossible together with count:1=0.2, the range is 0 to 0.193333
1 | gam-fit --base r.lstm --feature motif:1 --target motif:1=.6 --feature prefix:1 --target prefix:1=.5 -o new | gam-fit: feature 'prefix:1': mean 0.5 is impossible together with motif:1=0.6, the range is 0.6 to 1
1 | gam-fit --base uniform --feature motif:1 --target motif:1=.6 --feature prefix:1 --target prefix:1=.5 -o new D | gam-fit: feature 'prefix:1': mean 0.5 is impossible together with motif:1=0.6, the range is 0.6 to 1
2 | pfsa-gen -l 4 --require count:1 | pfsa-gen: --require: 'count:1' is a number; give a range of it, such as count:1@1..
2 | pfsa-entropy -l 4 --forbid motif:2 | pfsa-entropy: --forbid: feature 'not:motif:2': '2': character 1 is not in the alphabet '01'; set the alphabet with -a
2 | gam-sample --require 'regex:1(0' m.pfsa | gam-sample: --require: feature 'regex:1(0': position 2: missing ')'
2 | lm-eval --forbid count:1 m.pfsa D | lm-eval: --forbid: feature 'not:count:1': not: needs a feature that is 0 or 1; give a range SPEC@LO..HI
1 | pfsa-gen -l 4 --require motif:0000 --require run@..9 --forbid motif:00 | pfsa-gen: no string of at most 4 symbols satisfies the constraints: require motif:0000, forbid motif:00
1 | pfsa-entropy -l 4 --require length:5 | pfsa-entropy: no string of at most 4 symbols satisfies the constraints: require length:5
1 | gam-sample --require prefix:1 --forbid prefix:1 m.pfsa | gam-sample: no string of at most 4 symbols satisfies the constraints: require prefix:1, forbid prefix:1
1 | lm-eval --require prefix:0 --forbid prefix:0 m.pfsa D | lm-eval: no string of at most 4 symbols satisfies the constraints: require prefix:0, forbid prefix:0
1 | gam-fit --base m.pfsa --require prefix:0 --forbid prefix:0 --feature motif:1 D | gam-fit: no string of at most 4 symbols satisfies the constraints: require prefix:0, forbid prefix:0
2 | motif-freq -m 1 --max-length x D | motif-freq: --max-length: 'x' is not a whole number from 1 to 4294967295
2 | model-info -j x m.pfsa | model-info: --threads: 'x' is not a whole number from 0 to 1024
2 | model-convert --to nice m.pfsa | model-convert: --to: 'nice' is not one of att, dot, json, safetensors, native, pfsa
2 | model-convert --from nice m.pfsa | model-convert: --from: 'nice' is not one of att, dot, json, safetensors, native, pfsa
2 | model-convert --from pfsa m.pfsa | model-convert: --from: 'pfsa' is an output format only
2 | model-convert --from dot m.pfsa | model-convert: --from: 'dot' is an output format only
2 | model-convert --from safetensors --max-length -1 text | model-convert: --max-length: '-1' is not a whole number from 0 to 18446744073709551614
# options that are missing or cannot be combined
2 | pfsa-gen | pfsa-gen: missing required option --length N or --stop P
2 | pfsa-gen -l 3 --stop 0.5 | pfsa-gen: --length cannot be combined with --stop
2 | pfsa-gen -l 3 --p1 0.5 --probs 0.5,0.5 | pfsa-gen: --p1 cannot be combined with --probs
2 | pfsa-gen -l 3 -a ACGT --p1 0.5 | pfsa-gen: --p1: the alphabet 'ACGT' does not have two symbols; use --probs
2 | pfsa-gen -l 3 --mix 0.5 | pfsa-gen: --mix requires exactly one --motif, got 0
1 | pfsa-gen -l 3 -m 1111 --mix 0.5 | pfsa-gen: --mix: no string contains the motif, or every string does
2 | pfsa-gen -l 3 -m 1 -m 0 --mix 0.5 | pfsa-gen: --mix requires exactly one --motif, got 2
2 | pfsa-gen -l 3 -b m.pfsa | pfsa-gen: --build cannot be combined with the model 'm.pfsa'
2 | pfsa-gen m.pfsa D | pfsa-gen: unexpected operand 'D'
2 | pfsa-entropy | pfsa-entropy: missing required option --length N or --stop P
2 | pfsa-entropy -l 3 m.pfsa | pfsa-entropy: --length cannot be combined with the model 'm.pfsa'
2 | pfsa-entropy -l 4 --ft 1000000 | pfsa-entropy: --ft: requires exactly one --motif, got 0
2 | lstm-train D V | lstm-train: unexpected operand 'V'
2 | lstm-train --valid V --valid-fraction 0.5 D | lstm-train: --valid cannot be combined with --valid-fraction
2 | lstm-train --steps 5 --valid D D | lstm-train: --steps cannot be combined with --valid
2 | lstm-train --steps 5 --epochs 3 D | lstm-train: --steps cannot be combined with --epochs
2 | lstm-train --resume D | lstm-train: --resume requires --checkpoint FILE
2 | lstm-train --init r.lstm --hidden 3 D | lstm-train: --hidden cannot be combined with --init
2 | gam-fit D | gam-fit: missing required option --base MODEL
2 | gam-fit --base m.pfsa D | gam-fit: missing features; use --feature, --require, or --motif with --ft
2 | gam-fit --base ngram --valid V --feature length D | gam-fit: --valid cannot be combined with --base ngram or uniform; add all strings to DATA
2 | gam-fit --base ngram --smooth .5 --feature length D | gam-fit: --smooth cannot be combined with --base ngram or uniform; add all strings to DATA
2 | gam-fit --base m.pfsa --smooth auto --feature length D | gam-fit: --smooth auto requires --valid FILE
2 | gam-fit --base m.pfsa --smooth 2 --feature length D | gam-fit: --smooth: '2' is neither auto nor a number from 0 to 1
1 | gam-fit --base m.pfsa --valid empty --feature length -o new D | gam-fit: 'empty' contains no strings
1 | gam-fit --base m.pfsa --valid wide --feature length -o new D | gam-fit: wide:1: line has more than 1048576 characters
2 | gam-fit --base ngram:x --feature length D | gam-fit: --base: 'ngram:x' is not ngram:K with an order K from 0 to 1000
2 | gam-fit --base ngram:1001 --feature length D | gam-fit: --base: 'ngram:1001' is not ngram:K with an order K from 0 to 1000
2 | pfsa-gen -l 3 -a auto | pfsa-gen: --alphabet: auto requires data; list the symbols
2 | pfsa-gen -l 3 --tokens | pfsa-gen: --tokens requires --alphabet
2 | pfsa-gen -l 3 -a z-a | pfsa-gen: --alphabet: a range ends before it begins; write '\-' for a minus sign
2 | pfsa-gen --format xml -l 3 | pfsa-gen: --format: 'xml' is not one of lines, fasta
2 | pfsa-gen --require motif:2 m.pfsa | pfsa-gen: --require: feature 'motif:2': '2': character 1 is not in the alphabet '01'
2 | pfsa-gen --feature motif:2 m.pfsa | pfsa-gen: --feature: feature 'motif:2': '2': character 1 is not in the alphabet '01'
2 | pfsa-gen --feature 'regex:1(' -l 3 | pfsa-gen: --feature: feature 'regex:1(': position 2: missing ')'
2 | pfsa-gen --stop .5 --feature count:1 | pfsa-gen: strings have no maximum length; features of lengths and counts require --max-length
2 | pfsa-gen -b -l 3 --feature count:1 | pfsa-gen: features cannot be combined with --build
2 | pfsa-gen --format fasta -l 3 --feature count:1 | pfsa-gen: features cannot be combined with --format fasta
2 | pfsa-gen -b --format fasta -l 3 | pfsa-gen: --build cannot be combined with --format fasta
2 | gam-sample --weighted --format fasta m.pfsa | gam-sample: --weighted cannot be combined with --format fasta
2 | lstm-train --format xml D | lstm-train: --format: 'xml' is not one of auto, lines, fasta
2 | lm-eval --tokens m.pfsa D | lm-eval: --tokens: the symbols of the model are characters, '01'
2 | model-convert --from att --tokens D | model-convert: --tokens requires --alphabet
2 | gam-fit --base m.pfsa -a 01 --feature length D | gam-fit: --alphabet requires --base ngram or uniform; the base model has its own
2 | gam-fit --base ngram --max-length 3 --feature length -o new D | gam-fit: --max-length: 3 is less than 4, the length of the longest string
1 | gam-fit --base ngram -a ACGT --feature length -o new D | gam-fit: D:1: '0' in column 1 is not in the alphabet 'ACGT'; -a auto takes the symbols that occur, --skip-bad leaves such strings out
2 | gam-fit --base m.pfsa -m 101 D | gam-fit: --motif requires --ft; for the motif alone, use --feature motif:101
2 | gam-fit --base m.pfsa --ft 1000000 D | gam-fit: --ft: requires exactly one --motif, got 0
2 | gam-fit --base m.pfsa --feature motif:11 --feature motif:11 D | gam-fit: --feature: feature 'motif:11' is given twice
2 | gam-fit --base loop.pfsa --feature length D | gam-fit: feature 'length' is relative to the maximum length, but the base model has none; set --max-length
2 | gam-fit --base m.pfsa --feature motif:11 D V | gam-fit: unexpected operand 'V'
2 | gam-sample m.pfsa D | gam-sample: unexpected operand 'D'
2 | lm-eval | lm-eval: missing operand; usage: lm-eval MODEL [DATA]
2 | lm-eval m.pfsa D V | lm-eval: unexpected operand 'V'
2 | lm-eval --per-string --json m.pfsa D | lm-eval: --per-string cannot be combined with --json
2 | motif-freq D | motif-freq: nothing to count; use --motif or --feature
2 | motif-freq -m 1 -a 01 --model m.pfsa D | motif-freq: --model cannot be combined with --alphabet
2 | motif-freq -m 1 --max-length 9 --model m.pfsa D | motif-freq: --model cannot be combined with --max-length
2 | motif-freq -m 1 -o new --model - | motif-freq: DATA and --model cannot both be stdin; name a file
1 | motif-freq -m 1 -o new --model endless.pfsa D | motif-freq: endless.pfsa: model has no maximum length greater than 0; use --max-length
1 | motif-freq -m 1 -o new --model D D | motif-freq: D: not a gamut model file
1 | motif-freq -m 1 -o new --model m.pfsa acgt | motif-freq: acgt:1: 'A' in column 1 is not in the alphabet '01'; leave such strings out with --skip-bad
2 | motif-freq -m A -o new --model m.pfsa D | motif-freq: --motif: 'A': character 1 is not in the alphabet '01'
2 | motif-freq --ft 1000000 D | motif-freq: --ft: requires exactly one --motif, got 0
2 | model-info | model-info: missing operand; usage: model-info MODEL
2 | model-info m.pfsa D | model-info: unexpected operand 'D'
2 | model-convert m.pfsa | model-convert: missing required option --to FORMAT: att, dot, json, safetensors, native or pfsa
2 | model-convert --to att m.pfsa D | model-convert: unexpected operand 'D'
2 | model-convert --to json --symbols new m.pfsa | model-convert: --symbols requires --to att
2 | model-convert --to att -a 01 m.pfsa | model-convert: --alphabet requires --from att or safetensors; other formats contain the alphabet
# two inputs from standard input, two outputs to one place
2 | pfsa-entropy --relative-to - - | pfsa-entropy: MODEL and --relative-to cannot both be stdin; name a file
2 | lstm-train --valid - - | lstm-train: TRAIN and --valid cannot both be stdin; name a file
2 | lstm-train --init - - | lstm-train: TRAIN and --init cannot both be stdin; name a file
2 | gam-fit --base - --feature length | gam-fit: DATA and --base cannot both be stdin; name a file
2 | lm-eval - - | lm-eval: MODEL and DATA cannot both be stdin; name a file
2 | lm-eval - | lm-eval: MODEL and DATA cannot both be stdin; name a file
2 | lm-eval --truth - m.pfsa | lm-eval: DATA and --truth cannot both be stdin; name a file
2 | motif-freq -m 1 - - | motif-freq: DATA and DATA cannot both be stdin; name a file
2 | lm-eval - /dev/stdin | lm-eval: MODEL and DATA cannot both be stdin; name a file
2 | motif-freq -m 1 /dev/stdin /dev/fd/0 | motif-freq: DATA and DATA cannot both be stdin; name a file
2 | motif-freq -m 1 pipe D pipe | motif-freq: DATA and DATA cannot both be read from 'pipe'
1 | lm-eval m.pfsa "$foreign" | lm-eval: cannot open 'a [2J b': No such file or directory
1 | model-convert --from safetensors -a 01 foreign.st -o new | model-convert: foreign.st: max_length: 'a [2J b' is not a whole number from 0 to 18446744073709551615
2 | lstm-train --log - D | lstm-train: --output and --log cannot both be written to '-'; name another file
2 | lstm-train --log new -o new D | lstm-train: --output and --log cannot both be written to 'new'; name another file
2 | lstm-train --checkpoint - D | lstm-train: --checkpoint requires a regular file
2 | lstm-train --checkpoint pipe D | lstm-train: --checkpoint requires a regular file
2 | lstm-train --checkpoint dir -o new D | lstm-train: --checkpoint requires a regular file
2 | lstm-train --checkpoint /dev/full -o new D | lstm-train: --checkpoint requires a regular file
2 | lstm-train --checkpoint /dev/stdout -o new D | lstm-train: --checkpoint requires a regular file
2 | lstm-train --checkpoint new -o new D | lstm-train: --output and --checkpoint cannot both be written to 'new'; name another file
2 | gam-fit --base m.pfsa --feature motif:11 --report - D | gam-fit: --output and --report cannot both be written to '-'; name another file
2 | gam-fit --base m.pfsa --feature motif:11 --report new --log new D | gam-fit: --report and --log cannot both be written to 'new'; name another file
2 | gam-sample --stats - m.pfsa | gam-sample: --output and --stats cannot both be written to '-'; name another file
2 | gam-sample --stats new -o new m.pfsa | gam-sample: --output and --stats cannot both be written to 'new'; name another file
2 | model-convert --to att --symbols - m.pfsa | model-convert: --output and --symbols cannot both be written to '-'; name another file
2 | lstm-train -o ./new --checkpoint new D | lstm-train: --output and --checkpoint cannot both be written to 'new'; name another file
2 | lstm-train -o new --log dir/../new D | lstm-train: --output and --log cannot both be written to 'dir/../new'; name another file
2 | gam-fit --base m.pfsa --feature motif:11 -o new --report ./new D | gam-fit: --output and --report cannot both be written to './new'; name another file
2 | gam-sample -o new --stats ./new m.pfsa | gam-sample: --output and --stats cannot both be written to './new'; name another file
2 | model-convert --to att -o ./new --symbols new m.pfsa | model-convert: --output and --symbols cannot both be written to 'new'; name another file
2 | lstm-train --log new -o dangling D | lstm-train: --output and --log cannot both be written to 'new'; name another file
2 | gam-sample -o pipe --stats pipe m.pfsa | gam-sample: --output and --stats cannot both be written to 'pipe'; name another file
2 | gam-sample -o /dev/stdout --stats /dev/fd/1 m.pfsa >/dev/null | gam-sample: --output and --stats cannot both be written to '/dev/fd/1'; name another file
2 | gam-sample --stats /dev/stderr m.pfsa 2>&1 | gam-sample: --output and --stats cannot both be written to '/dev/stderr'; name another file
0 | gam-sample -o /dev/null --stats /dev/null m.pfsa |
0 | gam-sample --stats /dev/null m.pfsa >/dev/null |
# an output in the place of standard output, which is the file `out`
2 | lstm-train --log out D | lstm-train: --output and --log cannot both be written to 'out'; name another file
2 | lstm-train --log - -o out D | lstm-train: --output and --log cannot both be written to 'out'; name another file
2 | lstm-train --checkpoint out D | lstm-train: --output and --checkpoint cannot both be written to 'out'; name another file
2 | gam-fit --base m.pfsa --feature motif:11 --report ./out D | gam-fit: --output and --report cannot both be written to './out'; name another file
2 | gam-fit --base m.pfsa --feature motif:11 --log out D | gam-fit: --output and --log cannot both be written to 'out'; name another file
2 | gam-sample -n 5 --stats out m.pfsa | gam-sample: --output and --stats cannot both be written to 'out'; name another file
2 | gam-sample -n 5 --stats out -o /dev/stdout m.pfsa | gam-sample: --output and --stats cannot both be written to 'out'; name another file
2 | model-convert --to att --symbols out m.pfsa | model-convert: --output and --symbols cannot both be written to 'out'; name another file
2 | lm-eval --per-string m.pfsa out | lm-eval: --output: 'out' is also an input; name another file
2 | lstm-train --init r.lstm --steps 1 D >>r.lstm | lstm-train: --output: 'r.lstm' is also an input; name another file
# an output in the place of an input
2 | gam-fit --base m.pfsa --feature motif:11 --log m.pfsa D | gam-fit: --log: 'm.pfsa' is also an input; name another file
2 | gam-fit --base m.pfsa --feature motif:11 -o D D | gam-fit: --output: 'D' is also an input; name another file
2 | gam-sample -o m.pfsa m.pfsa | gam-sample: --output: 'm.pfsa' is also an input; name another file
2 | pfsa-train -o D D | pfsa-train: --output: 'D' is also an input; name another file
2 | gam-features -o D D | gam-features: --output: 'D' is also an input; name another file
2 | pfsa-train -o D <D | pfsa-train: --output: 'D' is also an input; name another file
2 | lm-eval -o D m.pfsa D | lm-eval: --output: 'D' is also an input; name another file
2 | motif-freq -m 1 -o D D | motif-freq: --output: 'D' is also an input; name another file
2 | model-info -o m.pfsa m.pfsa | model-info: --output: 'm.pfsa' is also an input; name another file
2 | pfsa-gen -o m.pfsa m.pfsa | pfsa-gen: --output: 'm.pfsa' is also an input; name another file
2 | pfsa-entropy -o m.pfsa m.pfsa | pfsa-entropy: --output: 'm.pfsa' is also an input; name another file
2 | model-convert --to dot -o m.pfsa m.pfsa | model-convert: --output: 'm.pfsa' is also an input; name another file
2 | model-convert --to att -o ./m.pfsa m.pfsa | model-convert: --output: './m.pfsa' is also an input; name another file
2 | model-convert --to safetensors -o r.lstm r.lstm | model-convert: --output: 'r.lstm' is also an input; name another file
2 | model-convert --from att -o number.att number.att | model-convert: --output: 'number.att' is also an input; name another file
# also if the input is standard input
2 | lstm-train -o D <D | lstm-train: --output: 'D' is also an input; name another file
2 | lstm-train --steps 1 --log D -o new <D | lstm-train: --log: 'D' is also an input; name another file
2 | gam-fit --base m.pfsa --feature motif:11 -o ./D <D | gam-fit: --output: './D' is also an input; name another file
2 | motif-freq -m 1 -o D <D | motif-freq: --output: 'D' is also an input; name another file
2 | gam-sample -o m.pfsa <m.pfsa | gam-sample: --output: 'm.pfsa' is also an input; name another file
2 | timeout 10 lm-eval --per-string m.pfsa <D >>D | lm-eval: --output: stdout is the input file of DATA; name another file
# a motif longer than the strings, an impossible constraint
1 | pfsa-gen -l 3 -m 0101 -o new | pfsa-gen: no string of length 3 satisfies the options: --motif 0101
1 | pfsa-gen -l 3 -m 11 -x 1 -o new | pfsa-gen: no string of length 3 satisfies the options: --motif 11, --exclude 1
1 | pfsa-gen -l 3 -m 1 --p1 0 -o new | pfsa-gen: no string of length 3 satisfies the options: --motif 1
1 | pfsa-gen -l 9 -m 1 -m 0000 -m 101 -x 111 -x 00 -x 1111 -o new | pfsa-gen: no string of length 9 satisfies the options: --motif 0000, --exclude 00
1 | pfsa-gen --stop 0.5 -m 1 -x 1 -o new | pfsa-gen: no string satisfies the options: --motif 1, --exclude 1
1 | pfsa-gen -l 3 -m 0101 -b -o new | pfsa-gen: no string of length 3 satisfies the options: --motif 0101
1 | pfsa-entropy -l 2 -m 111 -o new | pfsa-entropy: no string of length 2 satisfies the options: --motif 111
1 | gam-fit --base m.pfsa --feature motif:11111 --lambda motif:11111=-inf -o new D | gam-fit: no string of at most 4 symbols satisfies the constraints: require motif:11111
1 | gam-fit --base r.lstm --feature lcs:0@2.. --lambda lcs:0@2..=-inf -o new D | gam-fit: no string of at most 4 symbols satisfies the constraints: require lcs:0@2..
1 | limited 1500000 gam-fit --regime exact --base noise.pfsa $many -o new D | gam-fit: too large for exact moments: feature automaton: more than 128 MB at 13955 states; use --regime guided
1 | limited 2000000 gam-fit --regime exact --base loop.pfsa --feature length:11 --max-length 4294967295 -o new D | gam-fit: too large for exact moments: features distinguish lengths up to 4294967295, maximum is 6000000; use --regime guided
# a damaged, truncated, foreign or newer model file
1 | pfsa-gen -o new text | pfsa-gen: text: not a gamut model file
1 | pfsa-gen -o new cut.pfsa | pfsa-gen: cut.pfsa: section 'log_partition': file is truncated after 300 bytes
1 | pfsa-entropy -o new flip.pfsa | pfsa-entropy: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | pfsa-entropy -o new -l 4 --relative-to newer.pfsa | pfsa-entropy: --relative-to: newer.pfsa: file header: format version 4; this program reads versions 1 to 3
1 | lstm-train -o new --init text D | lstm-train: text: not a gamut model file
1 | lstm-train -o new --init cut.lstm D | lstm-train: cut.lstm: section 'weights': file is truncated after 700 bytes
1 | lstm-train -o new --resume --checkpoint text D | lstm-train: text: not a gamut model file
1 | lstm-train -o new --resume --checkpoint r.lstm D | lstm-train: r.lstm: section 'train.identity' is missing
2 | lstm-train -o new --resume --checkpoint other.ck D | lstm-train: other.ck: checkpoint is from a run with other data, settings or seed
1 | gam-fit -o new --base text --feature length D | gam-fit: text: not a gamut model file
1 | gam-fit -o new --base cut.pfsa --feature length D | gam-fit: cut.pfsa: section 'log_partition': file is truncated after 300 bytes
1 | gam-fit -o new --base newer.pfsa --feature length D | gam-fit: newer.pfsa: file header: format version 4; this program reads versions 1 to 3
1 | gam-sample -o new text | gam-sample: text: not a gamut model file
1 | gam-sample -o new head.pfsa | gam-sample: head.pfsa: file header: file is truncated after 20 bytes
1 | gam-sample -o new cut.gam | gam-sample: cut.gam: section 'base': file is truncated after 600 bytes
1 | gam-sample -o new D.gz | gam-sample: D.gz: not a gamut model file
1 | gam-sample -o new newer.pfsa | gam-sample: newer.pfsa: file header: format version 4; this program reads versions 1 to 3
1 | lm-eval -o new text D | lm-eval: text: not a gamut model file
1 | lm-eval -o new flip.pfsa D | lm-eval: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | lm-eval -o new cut.lstm D | lm-eval: cut.lstm: section 'weights': file is truncated after 700 bytes
1 | lm-eval -o new cut.gam D | lm-eval: cut.gam: section 'base': file is truncated after 600 bytes
1 | lm-eval -o new --truth cut.pfsa m.pfsa D | lm-eval: cut.pfsa: section 'log_partition': file is truncated after 300 bytes
1 | model-info -o new text | model-info: text: not a gamut model file
1 | model-info -o new head.pfsa | model-info: head.pfsa: file header: file is truncated after 20 bytes
1 | model-info -o new flip.pfsa | model-info: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | model-info -o new newer.pfsa | model-info: newer.pfsa: file header: format version 4; this program reads versions 1 to 3
1 | model-info --check cut.lstm | model-info: cut.lstm: section 'weights': file is truncated after 700 bytes
1 | model-convert -o new --to att cut.pfsa | model-convert: cut.pfsa: section 'log_partition': file is truncated after 300 bytes
1 | model-convert -o new --to native newer.pfsa | model-convert: newer.pfsa: file header: format version 4; this program reads versions 1 to 3
1 | pfsa-gen -o new newer.pfsa | pfsa-gen: newer.pfsa: file header: format version 4; this program reads versions 1 to 3
1 | lstm-train -o new --init newer.pfsa D | lstm-train: newer.pfsa: file header: format version 4; this program reads versions 1 to 3
1 | lm-eval -o new newer.pfsa D | lm-eval: newer.pfsa: file header: format version 4; this program reads versions 1 to 3
1 | pfsa-gen -o new flip.pfsa | pfsa-gen: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | lstm-train -o new --init flip.pfsa D | lstm-train: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | lstm-train -o new --resume --checkpoint flip.pfsa D | lstm-train: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | gam-fit -o new --base flip.pfsa --feature length D | gam-fit: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | gam-sample -o new flip.pfsa | gam-sample: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | model-convert -o new --to att flip.pfsa | model-convert: flip.pfsa: section 'final': checksum mismatch (the file is damaged)
1 | lstm-train -o new cut.gz | lstm-train: 'cut.gz' is a truncated gzip file
1 | pfsa-train -o new cut.gz | pfsa-train: 'cut.gz' is a truncated gzip file
1 | gam-features -o new cut.gz | gam-features: 'cut.gz' is a truncated gzip file
1 | gam-fit -o new --base m.pfsa --feature length cut.gz | gam-fit: 'cut.gz' is a truncated gzip file
1 | lm-eval -o new m.pfsa cut.gz | lm-eval: 'cut.gz' is a truncated gzip file
1 | motif-freq -o new -m 1 cut.gz | motif-freq: 'cut.gz' is a truncated gzip file
# a model of the wrong kind or alphabet
1 | pfsa-gen -o new r.lstm | pfsa-gen: r.lstm: expected a model of kind 'pfsa', found 'lstm'
1 | pfsa-gen -o new g.gam | pfsa-gen: g.gam: expected a model of kind 'pfsa', found 'gam'
1 | pfsa-entropy -o new r.lstm | pfsa-entropy: r.lstm: expected a model of kind 'pfsa', found 'lstm'
1 | pfsa-entropy -o new --relative-to r.lstm -l 4 | pfsa-entropy: --relative-to: r.lstm: expected a model of kind 'pfsa', found 'lstm'
1 | pfsa-entropy -o new --relative-to dna.pfsa -l 4 | pfsa-entropy: --relative-to: alphabets differ: '01' and 'ACGT'
1 | lstm-train -o new --init m.pfsa D | lstm-train: m.pfsa: expected a model of kind 'lstm', found 'pfsa'
1 | lstm-train -o new --init g.gam D | lstm-train: g.gam: expected a model of kind 'lstm', found 'gam'
2 | lstm-train -o new --init dna.lstm -a 01 D | lstm-train: dna.lstm: alphabet is 'ACGT', not '01'; omit -a
1 | gam-fit -o new --base g.gam --feature length D | gam-fit: g.gam: expected a model of kind 'lstm' or 'pfsa' or 'mix', found 'gam'
1 | gam-fit -o new --base r.lstm --regime exact --feature motif:11 D | gam-fit: exact moments require a base model of kind 'pfsa', got 'lstm'; use --regime guided
1 | lm-mix --weights 0.5,0.5 -o new m.pfsa dna.lstm | lm-mix: dna.lstm: alphabet is 'ACGT', but alphabet of the first component is '01'
1 | lm-mix --weights 0.5,0.5 -o new m.pfsa neural.gam | lm-mix: neural.gam: base model of a GAM in a mixture must be of kind 'pfsa', got 'lstm'; train an LSTM on samples of the GAM instead
1 | lm-mix --weights 0.5,0.5 -o new m.pfsa D | lm-mix: D: not a gamut model file
1 | lm-mix --weights 0.5,0.5 -o new m.pfsa cut.mix | lm-mix: cut.mix: section 'component.1': file is truncated after 600 bytes
1 | model-convert --to pfsa -o new x.mix | model-convert: x.mix: only a mixture of automata is an automaton, and component 2 is of kind 'lstm'
1 | model-convert --to safetensors -o new x.mix | model-convert: x.mix: model of kind 'mix' cannot be written as safetensors, which requires 'lstm'
1 | pfsa-gen -o new x.mix | pfsa-gen: x.mix: expected a model of kind 'pfsa', found 'mix'
1 | lstm-train -o new --init x.mix D | lstm-train: x.mix: expected a model of kind 'lstm', found 'mix'
1 | lm-eval -o new --truth r.lstm m.pfsa D | lm-eval: r.lstm: expected a model of kind 'pfsa', found 'lstm'
1 | lm-eval -o new --truth dna.pfsa m.pfsa D | lm-eval: alphabet of 'dna.pfsa' is 'ACGT', but alphabet of 'm.pfsa' is '01'
1 | model-info -o new --base m.pfsa | model-info: m.pfsa: expected a model of kind 'gam', found 'pfsa'
1 | model-convert -o new --to safetensors m.pfsa | model-convert: m.pfsa: model of kind 'pfsa' cannot be written as safetensors, which requires 'lstm'
1 | model-convert -o new --to att r.lstm | model-convert: r.lstm: model of kind 'lstm' cannot be written as att, which requires 'pfsa'
1 | model-convert -o new --to att g.gam | model-convert: g.gam: model of kind 'gam' cannot be written as att, which requires 'pfsa'
# acceptance so low that the budget runs out
3 | gam-sample -n 10 --max-length 1 --max-proposals 100 long.pfsa | gam-sample: 100 proposals gave 0 of 10 strings, an acceptance rate of 0; raise --max-proposals
3 | gam-sample -n 10 --max-length 1 --max-proposals 100 --plain long.pfsa | gam-sample: 100 proposals gave 0 of 10 strings, an acceptance rate of 0; raise --max-proposals
3 | gam-sample -n 10 --max-length 1 --max-proposals 100 -q long.pfsa | gam-sample: 100 proposals gave 0 of 10 strings, an acceptance rate of 0; raise --max-proposals
# strings that are too long to be drawn
1 | pfsa-gen endless.pfsa | pfsa-gen: strings have 1e+10 symbols on average, maximum for sampling is 10000000; use gam-sample with --max-length
1 | gam-sample endless.pfsa | gam-sample: strings have 1e+10 symbols on average, maximum for sampling is 1048576; limit the length with --max-length
1 | gam-sample --plain endless.pfsa | gam-sample: strings have 1e+10 symbols on average, maximum for sampling is 1048576; limit the length with --max-length
1 | gam-fit --base endless.pfsa --regime rs --feature motif:11 -o new D | gam-fit: strings have 1e+10 symbols on average, maximum for sampling is 1048576; limit the length with --max-length
1 | limited 1000000 gam-sample -n 100000 endless.lstm | gam-sample: a string has more than 1048576 symbols, the maximum for sampling; limit the length with --max-length
1 | limited 1000000 gam-sample --plain endless.lstm | gam-sample: a string has more than 1048576 symbols, the maximum for sampling; limit the length with --max-length
1 | limited 1000000 gam-sample -n 100000 --max-length 1048577 endless.pfsa | gam-sample: a string has more than 1048576 symbols, the maximum for sampling; limit the length with --max-length
1 | limited 1000000 gam-fit --base endless.lstm --regime snis --feature motif:11 -o new D | gam-fit: a string has more than 1048576 symbols, the maximum for sampling; limit the length with --max-length
1 | limited 1000000 gam-fit --base endless.lstm --regime rs --feature motif:11 -o new D | gam-fit: a string has more than 1048576 symbols, the maximum for sampling; limit the length with --max-length
3 | gam-sample --max-length 9 --max-proposals 100 -q endless.pfsa | gam-sample: 100 proposals gave 0 of 1 strings, an acceptance rate of 0; raise --max-proposals
3 | gam-sample --max-length 1048576 --max-proposals 1 -q endless.lstm | gam-sample: 1 proposals gave 0 of 1 strings, an acceptance rate of 0; raise --max-proposals
# no string is short enough
1 | gam-fit --base m.pfsa --max-length 3 --regime exact --feature motif:1 -o new short | gam-fit: no string has at most 3 symbols; the shortest string of the model has 4
1 | gam-fit --base m.pfsa --max-length 3 --regime rs --feature motif:1 -o new short | gam-fit: no string has at most 3 symbols; the shortest string of the model has 4
1 | gam-fit --base m.pfsa --max-length 3 --regime snis --feature motif:1 -o new short | gam-fit: no string has at most 3 symbols; the shortest string of the model has 4
1 | gam-sample -n 10 --max-length 3 m.pfsa | gam-sample: no string has at most 3 symbols; the shortest string of the model has 4
1 | gam-sample -n 10 --max-length 3 --plain m.pfsa | gam-sample: no string has at most 3 symbols; the shortest string of the model has 4
1 | gam-fit -o new --base m.pfsa --max-length 3 --regime rs --feature motif:1 short | gam-fit: no string has at most 3 symbols; the shortest string of the model has 4
# NaN or infinity while training
1 | lstm-train -o new --init steep.lstm --steps 5 D | lstm-train: loss or gradient is not finite in update 1; try a lower --lr
1 | lstm-train -o new --init steep.lstm --epochs 5 D | lstm-train: loss or gradient is not finite in update 1; try a lower --lr
1 | model-convert --from safetensors -a 01 --max-length 4 -o new huge.st | model-convert: huge.st: parameters are so large that sums overflow
# files that are not there, directories given as files
1 | pfsa-gen absent | pfsa-gen: cannot open 'absent': No such file or directory
1 | pfsa-gen dir | pfsa-gen: cannot read 'dir': Is a directory
1 | pfsa-entropy absent | pfsa-entropy: cannot open 'absent': No such file or directory
1 | lstm-train absent | lstm-train: cannot open 'absent': No such file or directory
1 | lstm-train dir | lstm-train: cannot read 'dir': Is a directory
1 | lstm-train --valid absent D | lstm-train: cannot open 'absent': No such file or directory
1 | lstm-train --init absent D | lstm-train: cannot open 'absent': No such file or directory
2 | lstm-train --resume --checkpoint dir D | lstm-train: --checkpoint requires a regular file
1 | gam-fit --base m.pfsa --feature length absent | gam-fit: cannot open 'absent': No such file or directory
1 | gam-fit --base m.pfsa --feature length dir | gam-fit: cannot read 'dir': Is a directory
1 | gam-fit --base absent --feature length D | gam-fit: cannot open 'absent': No such file or directory
1 | gam-sample absent | gam-sample: cannot open 'absent': No such file or directory
1 | gam-sample dir | gam-sample: cannot read 'dir': Is a directory
1 | lm-eval m.pfsa absent | lm-eval: cannot open 'absent': No such file or directory
1 | lm-eval m.pfsa dir | lm-eval: cannot read 'dir': Is a directory
1 | lm-eval absent D | lm-eval: cannot open 'absent': No such file or directory
1 | lm-eval m.pfsa <dir | lm-eval: cannot read 'standard input': Is a directory
1 | motif-freq -m 1 D absent | motif-freq: cannot open 'absent': No such file or directory
1 | motif-freq -m 1 dir | motif-freq: cannot read 'dir': Is a directory
1 | model-info absent | model-info: cannot open 'absent': No such file or directory
1 | model-info dir | model-info: cannot read 'dir': Is a directory
1 | model-convert --to att absent | model-convert: cannot open 'absent': No such file or directory
1 | model-convert --from att dir | model-convert: cannot read 'dir': Is a directory
# places that cannot be written to
1 | pfsa-gen -l 3 -o dir | pfsa-gen: cannot write 'dir': is a directory
1 | pfsa-gen -l 3 -o no/such | pfsa-gen: cannot write 'no/such': No such file or directory
1 | pfsa-gen -l 3 -o D/new | pfsa-gen: cannot write 'D/new': Not a directory
1 | pfsa-gen -l 3 -o '' | pfsa-gen: cannot write '': No such file or directory
1 | pfsa-entropy -l 3 -o dir | pfsa-entropy: cannot write 'dir': is a directory
1 | lstm-train --steps 1 -o dir D | lstm-train: cannot write 'dir': is a directory
1 | lstm-train --steps 1 --checkpoint no/such D | lstm-train: cannot write 'no/such': No such file or directory
1 | lstm-train --steps 1 --log dir D | lstm-train: cannot write 'dir': Is a directory
1 | lstm-train --steps 1 --log no/such D | lstm-train: cannot write 'no/such': No such file or directory
1 | gam-fit --base m.pfsa --feature motif:11 -o dir D | gam-fit: cannot write 'dir': is a directory
1 | gam-fit --base m.pfsa --feature motif:11 -o new --report no/such D | gam-fit: cannot write 'no/such': No such file or directory
1 | gam-fit --base m.pfsa --feature motif:11 -o new --log no/such D | gam-fit: cannot write 'no/such': No such file or directory
1 | gam-sample -o dir m.pfsa | gam-sample: cannot write 'dir': is a directory
1 | gam-sample -o new --stats no/such m.pfsa | gam-sample: cannot write 'no/such': No such file or directory
1 | lm-eval -o no/such m.pfsa D | lm-eval: cannot write 'no/such': No such file or directory
1 | motif-freq -m 1 -o no/such D | motif-freq: cannot write 'no/such': No such file or directory
1 | gam-features -o no/such five | gam-features: cannot write 'no/such': No such file or directory
1 | model-info -o no/such m.pfsa | model-info: cannot write 'no/such': No such file or directory
1 | model-convert --to att -o no/such m.pfsa | model-convert: cannot write 'no/such': No such file or directory
1 | pfsa-gen -l 3 -o /dev/fd/77 | pfsa-gen: cannot write '/dev/fd/77': Bad file descriptor
1 | pfsa-gen -l 3 -o /dev/stdin <D | pfsa-gen: cannot write '/dev/stdin': Bad file descriptor
1 | lstm-train --steps 1 -o new --log /dev/fd/77 D | lstm-train: cannot write '/dev/fd/77': Bad file descriptor
1 | model-convert --to att -o new --symbols dir m.pfsa | model-convert: cannot write 'dir': is a directory
# a full disk
1 | pfsa-gen --help >/dev/full | pfsa-gen: cannot write 'standard output': No space left on device
1 | pfsa-gen --version >/dev/full | pfsa-gen: cannot write 'standard output': No space left on device
1 | pfsa-gen -l 3 >/dev/full | pfsa-gen: cannot write 'standard output': No space left on device
1 | pfsa-gen -l 3 -b -o /dev/full | pfsa-gen: cannot write '/dev/full': No space left on device
1 | pfsa-entropy -l 3 >/dev/full | pfsa-entropy: cannot write 'standard output': No space left on device
1 | lstm-train --steps 1 D >/dev/full | lstm-train: cannot write 'standard output': No space left on device
1 | lstm-train --steps 1 -o new --log /dev/full D | lstm-train: cannot write '/dev/full': No space left on device
1 | gam-fit --base m.pfsa --feature motif:11 D >/dev/full | gam-fit: cannot write 'standard output': No space left on device
1 | gam-fit --base m.pfsa --feature motif:11 -o new --report /dev/full D | gam-fit: cannot write '/dev/full': No space left on device
1 | gam-fit --base m.pfsa --feature motif:11 -o new --log /dev/full D | gam-fit: cannot write '/dev/full': No space left on device
1 | gam-sample -n 100000 m.pfsa >/dev/full | gam-sample: cannot write 'standard output': No space left on device
1 | gam-sample -o new --stats /dev/full m.pfsa | gam-sample: cannot write '/dev/full': No space left on device
1 | lm-eval m.pfsa D >/dev/full | lm-eval: cannot write 'standard output': No space left on device
1 | lm-eval --per-string m.pfsa D >/dev/full | lm-eval: cannot write 'standard output': No space left on device
1 | motif-freq -m 1 D >/dev/full | motif-freq: cannot write 'standard output': No space left on device
1 | gam-features -q --samples 100 --null 19 five >/dev/full | gam-features: cannot write 'standard output': No space left on device
1 | model-info m.pfsa >/dev/full | model-info: cannot write 'standard output': No space left on device
1 | model-convert --to att m.pfsa >/dev/full | model-convert: cannot write 'standard output': No space left on device
1 | model-convert --to att -o new --symbols /dev/full m.pfsa | model-convert: cannot write '/dev/full': No space left on device
# closed descriptors
1 | pfsa-gen - <&- | pfsa-gen: cannot read 'standard input': Bad file descriptor
1 | pfsa-entropy - <&- | pfsa-entropy: cannot read 'standard input': Bad file descriptor
1 | lstm-train <&- | lstm-train: cannot read 'standard input': Bad file descriptor
1 | gam-fit --base m.pfsa --feature motif:11 <&- | gam-fit: cannot read 'standard input': Bad file descriptor
1 | gam-sample <&- | gam-sample: cannot read 'standard input': Bad file descriptor
1 | lm-eval m.pfsa <&- | lm-eval: cannot read 'standard input': Bad file descriptor
1 | motif-freq -m 1 <&- | motif-freq: cannot read 'standard input': Bad file descriptor
1 | gam-features <&- | gam-features: cannot read 'standard input': Bad file descriptor
1 | model-info - <&- | model-info: cannot read 'standard input': Bad file descriptor
1 | model-convert --to att <&- | model-convert: cannot read 'standard input': Bad file descriptor
1 | pfsa-gen --help >&- | pfsa-gen: cannot write 'standard output': Bad file descriptor
1 | pfsa-gen -l 3 >&- | pfsa-gen: cannot write 'standard output': Bad file descriptor
1 | pfsa-entropy -l 3 >&- | pfsa-entropy: cannot write 'standard output': Bad file descriptor
1 | lstm-train --steps 1 D >&- | lstm-train: cannot write 'standard output': Bad file descriptor
1 | lstm-train --steps 1 -o new --log - D >&- | lstm-train: cannot write 'standard output': Bad file descriptor
1 | gam-fit --base m.pfsa --feature motif:11 D >&- | gam-fit: cannot write 'standard output': Bad file descriptor
1 | gam-sample m.pfsa >&- | gam-sample: cannot write 'standard output': Bad file descriptor
1 | lm-eval m.pfsa D >&- | lm-eval: cannot write 'standard output': Bad file descriptor
1 | motif-freq -m 1 D >&- | motif-freq: cannot write 'standard output': Bad file descriptor
1 | model-info m.pfsa >&- | model-info: cannot write 'standard output': Bad file descriptor
1 | model-convert --to att m.pfsa >&- | model-convert: cannot write 'standard output': Bad file descriptor
1 | pfsa-gen -l 3 >&- 2>&- |
END

# --- cases that do not fit the table ---

# Warnings with a result.
run lm-eval m.pfsa empty
is "$status $(cat err)" "0 lm-eval: warning: 'empty' contains no strings" 'nothing to evaluate: a warning'
printf '01\r\n\r\n11' >crlf
run lm-eval --per-string noise.pfsa crlf
is "$(cut -f 2 out | tr '\n' ,)" '01,,11,' 'CRLF, an empty line, no newline at the end'

# A budget that yields some of the strings: the acceptance rate is that of the motif, at most 19
# 2^-12 + 2^-11, which 10000 proposals show within 5 standard errors.
run gam-sample -n 1000 --method exact --max-proposals 10000 rare.gam
is "$status" 3 'the budget runs out'
rate=$(sed -n 's/.*acceptance rate of \([^;]*\);.*/\1/p' err)
near "$rate" 0.0051 0.0036 'the measured rate is told'
is "$(sed 's/, an.*//' err)" "gam-sample: 10000 proposals gave $(wc -l <out) of 1000 strings" \
    'and so is what came out'

# The checkpoint of a run that fails later keeps the last good state.
cp other.ck good.ck
run lstm-train -q --init steep.lstm --steps 5 --checkpoint good.ck -o new D
is "$status" 1 'NaN in training'
cmp -s other.ck good.ck
ok $? 'leaves the checkpoint alone'

# The largest network does not fit into memory; the exact number does not matter.
run lstm-train -o new --hidden 16384 --layers 64 --steps 1 D
is "$status" 1 'a network larger than memory'
has err 'lstm-train: out of memory (' 'says so'

# Closed standard error: no message, but the status.
pfsa-gen absent 2>&-
is $? 1 'a closed stderr changes no exit status'
pfsa-gen -l 3 -o closed 2>&-
is "$? $(wc -c <closed)" '0 4' 'nor a result'
pfsa-gen absent 2>/dev/full
is $? 1 'a full stderr neither'
pfsa-gen -l 3 -o closed <&- >&- 2>&-
is "$? $(wc -c <closed)" '0 4' 'all three closed: a file is written all the same'

# A file that may not become so large, 2000 blocks of 512 or 1024 bytes.
(ulimit -f 2000 && run pfsa-gen -l 30 -n 1000000 -o large && exit "$status")
is "$? $(cat err)" "1 pfsa-gen: cannot write 'large': File too large" 'a limit to the size of files'
[ ! -e large ]
ok $? 'and no file'
(ulimit -f 2000 && run pfsa-gen -l 30 -n 1000000 && exit "$status")
is "$? $(cat err)" "1 pfsa-gen: cannot write 'standard output': File too large" 'also for stdout'

# A closed pipe ends a tool by SIGPIPE, without a message.
pipes='pfsa-gen -l 30 -n 100000000
gam-sample -n 100000000 noise.pfsa
gam-sample -n 100000000 r.lstm
lm-eval --per-string noise.pfsa many'
pfsa-gen -l 30 -n 100000 >many
printf '%s\n' "$pipes" | while read -r command; do
    { eval "$command" 2>err; echo $? >code; } </dev/null | head -n 1 >/dev/null
    echo "$(cat code)$(cat err)"
done >ends
is "$(sort -u ends)" 141 'a closed pipe ends each of them in silence, by the signal'

# FIFOs at either end.
mkfifo fifo
pfsa-gen -l 4 -n 5 -s 3 -o plain
pfsa-gen -l 4 -n 5 -s 3 >fifo &
run motif-freq -m 1 fifo
is "$status$(cat err)" 0 'strings from a FIFO'
motif-freq -m 1 plain | cmp -s - out
ok $? 'are those of a file'
cat m.pfsa >fifo &
run model-info --check fifo
is "$status" 0 'a model from a FIFO'

# through INPUT COMMAND...: a FIFO works as input like a file
through() {
    input=$1
    shift
    # shellcheck disable=SC2046 # words without blanks
    run $(printf '%s ' "$@" | sed "s/@/$input/")
    mv out from-file
    cat "$input" >fifo &
    # shellcheck disable=SC2046
    run $(printf '%s ' "$@" | sed 's/@/fifo/')
    wait
    cmp -s out from-file && [ "$status" -eq 0 ]
    ok $? "from a FIFO: $*"
}
through m.pfsa pfsa-gen -n 5 @
through m.pfsa pfsa-entropy @
through D lstm-train -q --hidden 2 --steps 2 @
through D gam-fit -q --base m.pfsa --feature motif:11 @
through m.pfsa gam-fit -q --base @ --feature motif:11 D
through r.lstm gam-sample -n 5 @
through g.gam gam-sample -n 5 @
through r.lstm lm-eval @ D
through D lm-eval --per-string m.pfsa @
through m.pfsa model-convert --to att @

# into COMMAND...: output to a FIFO goes through it and leaves it in place
into() {
    run "$@"
    mv out plain
    cat fifo >through &
    run "$@" -o fifo
    wait
    cmp -s through plain && [ -p fifo ]
    ok $? "into a FIFO: $*"
}
into pfsa-gen -l 4 -n 5 -s 3
into pfsa-gen -l 4 -b
into pfsa-entropy -l 4
into lstm-train -q --hidden 2 --steps 2 D
into gam-fit -q --base m.pfsa --feature motif:11 D
into gam-sample -n 5 r.lstm
into lm-eval m.pfsa D
into motif-freq -m 1 D
into gam-features -q --samples 100 --null 19 five
into model-info m.pfsa
into model-convert --to json m.pfsa
pfsa-gen -l 4 -n 5 -s 3 -o plain

# between NAME: output to the name of an open descriptor goes between the output of others; it
# is not replaced as a file, not even through a link
ln -s /dev/stdout to-stdout
between() {
    if ! has_descriptors; then
        skip "$1 is written as it is" 'no names of descriptors: no /proc'
        return
    fi
    {
        echo header
        pfsa-gen -l 4 -n 5 -s 3 -o "$1"
        echo footer
    } >around 3>&1
    is "$(cat around)" "$(echo header && cat plain && echo footer)" "$1 is written as it is"
}
between /dev/stdout
between /dev/fd/1
between /dev/fd/3
between /proc/self/fd/3
between to-stdout
if has_descriptors; then
    {
        echo header
        lstm-train -q --hidden 2 --epochs 2 --log /dev/stdout -o between.lstm D
        echo footer
    } >around
    is "$(cut -f 1 around | tr '\n' ' ')" 'header epoch 1 2 footer ' 'and so is it by a log'
else
    skip 'and so is it by a log' 'no names of descriptors: no /proc'
fi

# The longest possible name; a temporary name beside it must not be longer.
name=$(head -c 255 /dev/zero | tr '\000' n)
run pfsa-gen -l 4 -n 5 -s 3 -o "$name"
cmp -s "$name" plain
ok $? 'a name of 255 characters'

# Beside the output there may be a file that only looks like a temporary one, a directory of
# that name, and the file of a writer that was killed, which is removed.
echo kept >.beside.tmp
mkdir .beside.gamut-0.tmp
: >.beside.gamut-1.tmp
run timeout 10 pfsa-gen -l 4 -n 5 -s 3 -o beside
cmp -s beside plain
ok $? 'another name where that of the temporary file is taken'
is "$(cat .beside.tmp) $(find . -name '.beside.*' | LC_ALL=C sort | tr '\n' ' ')" \
    'kept ./.beside.gamut-0.tmp ./.beside.tmp ' 'what is not a stale temporary file stays'

# Directories without permission; root may write to all of them, so it switches to another user.
# (Only the first line counts: a build for coverage also complains about its own files.)
chmod 755 .
mkdir locked
echo kept >locked/file
chmod 444 locked/file
chmod 555 locked
echo secret >unreadable
chmod 000 unreadable
unprivileged=
[ "$(id -u)" -ne 0 ] || unprivileged='setpriv --reuid=65534 --regid=65534 --clear-groups'
if $unprivileged pfsa-gen --version >/dev/null 2>&1; then
    while read -r command; do
        # shellcheck disable=SC2086 # words
        run $unprivileged $command
        is "$status $(head -n 1 err)" \
            "1 ${command%% *}: cannot write 'locked/new': Permission denied" "read-only: $command"
    done <<END
pfsa-gen -l 3 -o locked/new
pfsa-entropy -l 3 -o locked/new
lstm-train --hidden 2 --steps 1 -o locked/new D
gam-fit --base m.pfsa --feature motif:11 -o locked/new D
gam-fit --base m.pfsa --feature motif:11 --report locked/new D
gam-sample -o locked/new m.pfsa
gam-sample --stats locked/new m.pfsa
lm-eval -o locked/new m.pfsa D
motif-freq -m 1 -o locked/new D
model-info -o locked/new m.pfsa
model-convert --to att -o locked/new m.pfsa
model-convert --to att --symbols locked/new m.pfsa
END
    run $unprivileged pfsa-gen -l 3 -o locked/file
    is "$status $(head -n 1 err)" "1 pfsa-gen: cannot write 'locked/file': Permission denied" \
        'a file that is read-only'
    chmod 666 locked/file
    run $unprivileged pfsa-gen -l 3 -o locked/file
    is "$status $(head -n 1 err)" "1 pfsa-gen: cannot write 'locked/file': it is replaced, not \
changed, which needs a new file in '$(pwd -P)/locked': Permission denied" \
        'a file that can be written, in a directory that cannot'
    run $unprivileged motif-freq -m 1 unreadable
    is "$status $(head -n 1 err)" "1 motif-freq: cannot open 'unreadable': Permission denied" \
        'a file that may not be read'
    run $unprivileged lstm-train --steps 1 --checkpoint locked/ck D
    is "$status $(head -n 1 err)" "1 lstm-train: cannot write 'locked/ck': Permission denied" \
        'a checkpoint that cannot be written'
    is "$(ls -A locked) $(cat locked/file)" 'file kept' 'and nothing has changed there'
fi
chmod 755 locked

# Temporary files of two owners: each leaves that of the other.
if [ "$(id -u)" -eq 0 ] && $unprivileged pfsa-gen --version >/dev/null 2>&1; then
    mkdir -m 1777 sticky
    echo kept >sticky/.new.gamut-0.tmp
    chmod 666 sticky/.new.gamut-0.tmp
    $unprivileged sh -c 'echo kept >sticky/.mine.gamut-0.tmp'
    run $unprivileged timeout 10 pfsa-gen -l 4 -n 5 -s 3 -o sticky/new
    run timeout 10 pfsa-gen -l 4 -n 5 -s 3 -o sticky/mine
    cmp -s sticky/new plain && cmp -s sticky/mine plain
    ok $? 'a temporary name is taken by a file of somebody else'
    is "$(cat sticky/.new.gamut-0.tmp)" kept 'who keeps it'
    is "$(cat sticky/.mine.gamut-0.tmp)" kept 'also from root'
fi

done_testing
