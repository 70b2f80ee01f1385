# SPDX-License-Identifier: MIT
# model-convert.t: automata to other formats and back.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# two numbers per line: largest difference of the second one between two files
worst_difference() {
    paste "$1" "$2" | awk '{ d = $2 - $4; if (d < 0) d = -d; if (d > w) w = d } END { print w + 0 }'
}

pfsa-gen -b -l 12 -m 1001 -x 0000 --p1 .3 -o a.pfsa
run model-convert --to att a.pfsa
is "$status" 0 'an automaton becomes AT&T text'
# Its strings by enumeration in awk: the weights of all paths sum to 1.
awk 'NF == 4 { n = ++arcs[$1]; to[$1, n] = $2; w[$1, n] = exp(-$4) }
     NF == 2 { final[$1] = exp(-$2) }
     function total(q,  i, s) {
         if (!(q in sum)) {
             s = q in final ? final[q] : 0
             for (i = 1; i <= arcs[q]; i++) s += w[q, i] * total(to[q, i])
             sum[q] = s
         }
         return sum[q]
     }
     END { printf "%.12f\n", total(0) }' out >sum
is "$(cat sum)" 1.000000000000 'whose paths sum to 1'

model-convert --from att -o b.pfsa out
pfsa-entropy a.pfsa | grep -v partition >a.rows
pfsa-entropy b.pfsa | grep -v partition >b.rows
near "$(worst_difference a.rows b.rows)" 0 1e-12 'and back it has the same entropy'
model-convert --to json -o a.json a.pfsa
model-convert --from json a.json -o c.pfsa
pfsa-entropy a.pfsa >a.rows
pfsa-entropy c.pfsa >c.rows
near "$(worst_difference a.rows c.rows)" 0 1e-12 'JSON keeps the partition too'
if command -v python3 >/dev/null; then
    python3 -c 'import json; print(len(json.load(open("a.json"))["states"]))' >n
    is "$(cat n)" "$(pfsa-entropy a.pfsa | awk '$1 == "states" { print $2 }')" \
        'another reader of JSON agrees'
fi

run model-convert --to dot a.pfsa
has out 'digraph pfsa {' 'Graphviz text'
is "$(grep -c -e '->' out)" $(($(pfsa-entropy a.pfsa | awk '$1 == "transitions" { print $2 }') + 1)) \
    'with an arrow for every arc, and one to the start'

run model-convert --to att --symbols symbols -o a.att a.pfsa
is "$(cat symbols)" "$(printf '<eps>\t0\n0\t1\n1\t2')" 'the table of symbols'

# Weights of any total, states of any number, final states first or last.
printf '7 99 3 1.5\n7 7 1 2.5\n99 5\n99 7 4 Infinity\n' >w.att
run model-convert --from att -a ACGT --to att w.att
is "$status" 0 'weights are pushed'
printf '%s\n' "$(awk '$3 == 3 { print exp(-$4) }' out)" >p
near "$(cat p)" 0.917915 1e-6 'to 1 - exp(-2.5) for leaving the loop'
model-convert --from att -a ACGT w.att | model-info - >info
# total weight: exp(-1.5 - 5) / (1 - exp(-2.5))
near "$(row log_partition info)" -6.414349516 1e-8 'the total weight is remembered'
is "$(row command info)" 'model-convert --from att --alphabet ACGT' 'with the way it was made'

model-convert --to native a.pfsa -o same.pfsa
cmp -s a.pfsa same.pfsa
ok $? 'native to native is the identity'
old=$top/tests/golden/dna.gam # its base is deflated as a whole, as older versions did
model-convert --to native "$old" -o new.gam
model-convert --to native new.gam | cmp -s - new.gam
ok $? 'also of a GAM'
is "$(model-info new.gam && model-info --base --sections new.gam)" \
    "$(model-info "$old" && model-info --base --sections "$old")" 'with its base as it was'

# bad STATUS MESSAGE ARGUMENT...: model-convert fails, with this on stderr
bad() {
    wanted=$1
    message=$2
    shift 2
    run model-convert "$@" <input
    is "$status" "$wanted" "status $wanted: $message"
    has err "model-convert: $message" "says so"
}
printf '0 1 0 1\n1\n' >input
bad 1 "standard input:1: '0' is not a whole number from 1 to 2" --from att
printf '0 1 1 1\n1 x\n' >input
bad 1 "standard input:2: 'x' is not a number" --from att
printf '0 1 1 1 1\n' >input
bad 1 'standard input:1: more than 4 fields, as of a transducer; print with fstprint --acceptor' \
    --from att
printf '0 1 1 0\n1 0 2 2\n0\n' >input
bad 1 'standard input:2: the fourth field can be a weight or an output label; print with fstprint --acceptor, or write weights as 1.0' \
    --from att
is "$(printf '0 1 1 1.0\n1 0 2 2.0\n0\n' | model-convert --from att | pfsa-entropy -)" \
    "$(printf '0 1 1 1\n1 0 2 2\n0 0 2 Infinity\n0\n' | model-convert --from att | pfsa-entropy -)" \
    'unless a weight has a point, or cannot be a label'
printf '0 1 1\n1 0 2 2\n0\n' | model-convert --from att >bare.pfsa
ok $? 'or an arc has none'
# A weight of exactly 1: one arc, and the end with the rest of the probability.
printf '0 1 1 1.0\n0 0.45867514538708193\n1\n' | model-convert --from att --to att >own.att
model-convert --from att own.att >own.pfsa
ok $? 'what is written can be read'
printf '0 1 1 1.0\n0 2 1 1\n1\n2\n' >input
bad 1 "standard input: state 0 has two arcs for '0'; determinize the automaton first" --from att
printf '0 1 1 0.5\n' >input
bad 1 'standard input: no string has positive probability' --from att
printf '0 0 1 -1\n0\n' >input
bad 1 'standard input: ' --from att
: >input
bad 1 'standard input: contains no automaton' --from att
printf '{"alphabet": "01", "states": [{"arcs": [{"symbol": "0", "target": 9, "logp": 0}]}]}' >input
bad 1 "standard input: state 0: 'target' is not a whole number from 0 to 0" --from json
state='{"final": 0, "arcs": []}'
printf '{"alphabet": "01", "states": [%s, %s, 7]}' "$state" "$state" >input
bad 1 'standard input: state 2: not an object' --from json
printf '{"alphabet": "01", "states": [{"final": "0", "arcs": []}]}' >input
bad 1 "standard input: state 0: member 'final' is not a number" --from json
printf '{"alphabet": "01", "log_partition": null, "states": [%s]}' "$state" >input
bad 1 "standard input: member 'log_partition' is not a number" --from json
printf '{"alphabet": "01", "log_partition": 1e999, "states": [%s]}' "$state" >input
bad 1 "standard input: member 'log_partition' is not finite" --from json
printf '{"alphabet": "00", "states": []}' >input
bad 1 "standard input: '0' is repeated in the alphabet" --from json
printf '{"kind": "lstm", "alphabet": "01", "states": [%s]}' "$state" >input
bad 1 "standard input: expected a model of kind 'pfsa', found 'lstm'" --from json
printf '{"kind": 1, "alphabet": "01", "states": [%s]}' "$state" >input
bad 1 "standard input: member 'kind' is not a string" --from json
printf '{"alphabet": "01", "states": [%s]}' "$state" | model-convert --from json >kindless.pfsa
ok $? 'JSON without a kind is an automaton'
printf '[1,' >input
bad 1 'standard input: byte 4: expected a value' --from json
bad 1 'standard input: not a gamut model file' --to att
bad 2 'missing required option --to FORMAT: att, dot, json, safetensors, native or pfsa'
bad 2 "--to: 'png' is not one of att, dot, json, safetensors, native, pfsa" --to png
bad 2 "--from: 'dot' is an output format only" --from dot
bad 2 '--symbols requires --to att' --to dot --symbols s
bad 2 "--output and --symbols cannot both be written to '-'; name another file" --to att --symbols - a.pfsa
bad 2 "--output and --symbols cannot both be written to 's'; name another file" --to att --symbols s -o s a.pfsa
bad 2 '--alphabet requires --from att or safetensors; other formats contain the alphabet' --to dot -a 01
bad 2 '--max-length requires --from safetensors; other formats contain the maximum length' --to dot --max-length 9
bad 1 'standard input: not a safetensors file, or truncated' --from safetensors
is "$(ls s 2>/dev/null)" '' 'and a failure leaves no file'

# A GAM over an automaton as an automaton: the same probabilities, the same Z.
pfsa-gen --build -l 8 --p1 .3 -o coin.pfsa
pfsa-gen -l 8 -n 20 -s 2 >data
gam-fit -q --base coin.pfsa --feature motif:101 --feature count:1 --feature edit:0110 \
    --lambda edit:0110=2 data -o g.gam
run model-convert --to pfsa g.gam -o g.pfsa
is "$status $(model-info g.pfsa | grep -c -e 'kind.pfsa' -e 'tool.gam-fit')" '0 2' 'GAM to automaton, with its provenance'
model-info --check g.pfsa
ok $? 'which can be read'
lm-eval --per-string g.gam data >want
lm-eval --per-string g.pfsa data | paste want - |
    awk -F '\t' '{ d = $1 - $3; if (d < 0) d = -d; if (d > 1e-12) bad++ } END { exit bad > 0 || NR != 20 }'
ok $? 'the same probabilities'
near "$(pfsa-entropy g.pfsa | awk '$1 == "log_partition" { print $2 }')" \
    "$(lm-eval g.gam data | awk '$1 == "log_z" { print $2 }')" 1e-12 'its log_partition is log Z'
model-convert --to pfsa a.pfsa | cmp -s - a.pfsa
ok $? 'an automaton stays what it is'
lstm-train -q --steps 1 --hidden 2 data -o small.lstm
gam-fit -q --base small.lstm --feature motif:101 --lambda motif:101=1 data -o l.gam
run model-convert --to pfsa l.gam
is "$status $(cat err)" "1 model-convert: l.gam: only a GAM over an automaton can be written as pfsa, and its base model is of kind 'lstm'" \
    'a GAM over an LSTM is none'
run model-convert --to pfsa small.lstm
is "$status $(cat err)" "1 model-convert: small.lstm: model of kind 'lstm' cannot be written as pfsa, which requires 'pfsa'" \
    'nor is an LSTM'

# OpenFst reads it and finds the same total weight: the shortest distance to
# the end from the start is -ln 1 = 0.
if command -v fstcompile >/dev/null; then
    fstcompile --acceptor --arc_type=log64 a.att >a.fst &&
        fstshortestdistance --reverse a.fst | awk '$1 == 0 { print $2 + 0 }' >distance
    near "$(cat distance)" 0 1e-9 'OpenFst agrees on the total weight'
    fstprint --acceptor a.fst | model-convert --from att -o back.pfsa
    pfsa-entropy a.pfsa | grep -v partition >a.rows
    pfsa-entropy back.pfsa | grep -v partition >b.rows
    near "$(worst_difference a.rows b.rows)" 0 1e-6 'and what it prints is read back'
else
    skip 'OpenFst agrees on the total weight' 'OpenFst is not installed'
    skip 'and what it prints is read back' 'OpenFst is not installed'
fi

# An LSTM made by PyTorch, and the log-probabilities that PyTorch computes.
golden=$top/tests/golden
cut -f 2 "$golden/torch.tsv" >strings.txt
run model-convert --from safetensors -a ACGT --max-length 30 -o t.lstm "$golden/torch.safetensors"
is "$status" 0 'weights saved by PyTorch load'
lm-eval --per-string t.lstm strings.txt | cut -f 1 >ours
cut -f 1 "$golden/torch.tsv" | paste - ours |
    awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > w) w = d } END { print w + 0 }' >worst
near "$(cat worst)" 0 1e-5 'and give the log-probabilities that PyTorch gives'
model-convert --to safetensors t.lstm -o t.safetensors
model-convert --from safetensors t.safetensors -o u.lstm
model-convert --to safetensors u.lstm | cmp -s - t.safetensors
ok $? 'safetensors and back is the identity, alphabet and length included'
# padded SIZE PREFIX: the file with blanks after its header up to that size; PREFIX is the
# length in the format of the file
padded() {
    n=$(od -A n -t u8 -N 8 t.safetensors | tr -d ' ')
    # shellcheck disable=SC2059 # octal numbers
    printf "$2"
    tail -c +9 t.safetensors | head -c "$n"
    head -c $(($1 - n)) /dev/zero | tr '\0' ' '
    tail -c +$((9 + n)) t.safetensors
}
padded 16777216 '\000\000\000\001\000\000\000\000' >input
model-convert --from safetensors input | model-convert --to safetensors | cmp -s - t.safetensors
ok $? 'a header may have 16 megabytes'
padded 16777217 '\001\000\000\001\000\000\000\000' >input
bad 1 'standard input: not a safetensors file, or truncated' --from safetensors
python=$(command -v /usr/bin/python3 || command -v python3)
if [ -n "$python" ] && "$python" -c 'import torch' 2>/dev/null; then
    "$python" "$golden/pytorch.py" t.safetensors <strings.txt | cut -f 1 | paste - ours |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > w) w = d } END { print w + (NR != 7) }' >worst
    near "$(cat worst)" 0 1e-5 'PyTorch reads our file and computes the same'
else
    skip 'PyTorch reads our file and computes the same' 'PyTorch is not installed'
fi

# Strings of one length stay so.
printf '0110\n1010\n0011\n' >four
lstm-train -q --hidden 3 --steps 3 -o four.lstm four
model-convert --to safetensors -o four.st four.lstm
model-convert --from safetensors four.st -o back.lstm
is "$(model-info back.lstm | row fixed_length -) $(lm-eval back.lstm four)" \
    "yes $(lm-eval four.lstm four)" 'safetensors keep the length of all strings'
cp four.st input
bad 1 'standard input: fixed_length is 4 and the maximum length is 5' --from safetensors --max-length 5
sed 's/"fixed_length":"4"/"fixed_length":"x"/' four.st >input
bad 1 "standard input: fixed_length: 'x' is not a whole number" --from safetensors

cp "$golden/torch.safetensors" input
bad 2 'standard input: file does not name its alphabet; set --alphabet' --from safetensors
printf '\n\n\n' >D.empty
lstm-train -q --hidden 2 --steps 3 -o empty.lstm D.empty
model-convert --to safetensors empty.lstm | model-convert --from safetensors >again.lstm
is "$(lm-eval again.lstm D.empty)" "$(lm-eval empty.lstm D.empty)" 'empty strings alone: L is 0'
bad 2 'standard input: file does not have a maximum length; set --max-length' \
    --from safetensors -a ACGT
bad 1 "standard input: decoder has 5 outputs, but the alphabet '01' and the end of string require 3" \
    --from safetensors -a 01 --max-length 9
cp t.lstm input
bad 1 "standard input: model of kind 'lstm' cannot be written as att, which requires 'pfsa'" --to att

# rename_tensor FROM TO: a header of the same length with another name in it
rename_tensor() {
    sed "s/$1/$2/" "$golden/torch.safetensors" >input
}
rename_tensor decoder.bias decoder.bios
bad 1 "standard input: tensor 'decoder.bios': unexpected in an LSTM" \
    --from safetensors -a ACGT --max-length 9
rename_tensor '_l1' '_l2'
bad 1 "standard input: tensor 'rnn.weight_ih_l1' is missing" \
    --from safetensors -a ACGT --max-length 9

# A missing tensor, in the middle or at an end, or a surplus one is named, whatever the bytes
# after the header.
length=$(od -A n -t u8 -N 8 "$golden/torch.safetensors" | tr -d ' ')
header=$(tail -c +9 "$golden/torch.safetensors" | head -c "$length")
# with_header TEXT: the golden weights under another header
with_header() {
    printf '%b' "$(printf '\\0%o\\0%o' $((${#1} % 256)) $((${#1} / 256)))\\0\\0\\0\\0\\0\\0"
    printf '%s' "$1"
    tail -c 2040 "$golden/torch.safetensors"
}
for name in rnn.weight_ih_l0 rnn.bias_hh_l0 rnn.weight_hh_l1 decoder.weight decoder.bias; do
    with_header "$(echo "$header" | sed "s/\"$name\": {[^}]*},* *//; s/, *}/}/")" >input
    bad 1 "standard input: tensor '$name' is missing" \
        --from safetensors -a ACGT --max-length 9
done
for name in rnn.weight_hr_l0 rnn.weight_ih_l0_reverse attention.weight; do
    extra="\"$name\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [2040, 2044]}"
    {
        with_header "$(echo "$header" | sed "s/^{/{$extra, /")"
        printf '\000\000\000\000'
    } >input
    bad 1 "standard input: tensor '$name': unexpected in an LSTM" \
        --from safetensors -a ACGT --max-length 9
done
rename_tensor '"F32"' '"F16"'
bad 1 "standard input: tensor 'rnn.weight_ih_l0': type is F16, expected F32" \
    --from safetensors -a ACGT --max-length 9
rename_tensor '\[20, 5\]' '[20, 6]'
bad 1 "standard input: tensor 'rnn.weight_ih_l0': shape is 20 x 6, expected 20 x 5" \
    --from safetensors -a ACGT --max-length 9

rename_tensor '"shape": \[20\], "data_offsets": \[800' '"shape":[20,0],"data_offsets": [800'
bad 1 "standard input: tensor 'rnn.bias_ih_l0': a dimension is 0" \
    --from safetensors -a ACGT --max-length 9
rename_tensor '\[1760, 1840\]' '[1840, 1920]'
bad 1 "standard input: tensor 'rnn.bias_hh_l1': overlaps another tensor" \
    --from safetensors -a ACGT --max-length 9
{
    cat "$golden/torch.safetensors"
    printf x
} >input
bad 1 'standard input: extra bytes after the last tensor' \
    --from safetensors -a ACGT --max-length 9

# However large the file, no more than the maximum is read.
cat "$golden/torch.safetensors" /dev/zero 2>/dev/null |
    limited 1000000 model-convert --from safetensors -a ACGT --max-length 9 2>err
is "$? $(cat err)" '1 model-convert: standard input: extra bytes after the last tensor' \
    'weights without an end'
tr '\000' ' ' </dev/zero 2>/dev/null | limited 2000000 model-convert --from json 2>err
is "$? $(cat err)" "1 model-convert: standard input: more than 268435456 bytes of JSON; use \
another format, such as att" 'JSON without an end'

# No truncated file is accepted, and none crashes.
size=$(wc -c <"$golden/torch.safetensors")
accepted=0
n=0
while [ "$n" -lt "$size" ]; do
    head -c "$n" "$golden/torch.safetensors" >input
    run model-convert --from safetensors -a ACGT --max-length 9 <input
    [ "$status" -eq 1 ] || accepted=$((accepted + 1))
    n=$((n + 31))
done
is "$accepted" 0 'truncated weights are refused'

# A loop of probability almost 1: the output can be read again.
printf '0 0 1 1e-17\n0 800\n' | model-convert --from att -o loop.pfsa
is "$?" 0 'a loop that is left once in 10^17 times'
run model-info --check loop.pfsa
is "$status$(cat err)" 0 'is read again'
near "$(pfsa-entropy loop.pfsa | row mean_length -)" 1e17 1e6 'and has the mean length that it should'

done_testing
