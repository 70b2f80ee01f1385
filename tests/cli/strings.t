# SPDX-License-Identifier: MIT
# strings.t: strings as people have them: FASTA, UTF-8, tokens, alphabets by name.  The whole
# pipeline on each, the same bytes for any number of threads, and all bad inputs.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# pipeline NAME FEATURE MOTIF DATA OPTION...: train, fit, sample, evaluate, distil
pipeline() {
    name=$1 feature=$2 motif=$3 data=$4
    shift 4
    for j in 1 2; do
        lstm-train -q -j $j "$@" --hidden 8 --epochs 3 "$data" -o r.$j &&
            gam-fit -q -j $j --base r.$j --feature "$feature" "$data" -o g.$j &&
            gam-sample -q -j $j -n 300 --forbid length:0 g.$j -o s.$j &&
            gam-sample -q -j $j -n 300 --forbid length:0 --format fasta g.$j -o f.$j &&
            lstm-train -q -j $j "$@" --hidden 8 --epochs 2 f.$j -o pi.$j &&
            lm-eval -j $j --per-string pi.$j "$data" >e.$j
        is $? 0 "$name: train, fit, sample, distil, evaluate with $j threads"
        motif-freq -q -j $j "$@" -m "$motif" --feature "$feature" s.$j >m.$j
        motif-freq -q -j $j "$@" -m "$motif" --feature "$feature" f.$j >mf.$j
    done
    for file in r g s f pi e m mf; do
        cmp -s $file.1 $file.2
        ok $? "$name: $file has the same bytes with 1 and 2 threads"
    done
    is "$(cat m.1)" "$(cat mf.1)" "$name: the same counts from lines and FASTA"
    is "$(grep -v '>' f.1)" "$(cat s.1)" "$name: FASTA has the strings of lines"
    is "$(awk -F'\t' 'NR == 2 { print ($4 > 0.8) }' m.1)" 1 "$name: most samples have the motif"
    is "$(cut -f 2 e.1)" "$(cat plain)" "$name: lm-eval prints the strings"
}

# --- DNA in FASTA, over several lines, with names, CRLF and lower case ---

pfsa-gen -s 3 -a dna -l 12 -m TATA -n 60 -o plain
awk '{ printf ">site%d some text\r\n%s\r\n%s\r\n", NR, substr($0, 1, 8), substr($0, 9) }' plain >dna.fa
pipeline dna motif:TATA TATA dna.fa -a dna
is "$(cut -f 3 e.1 | head -n 2 | tr '\n' ' ')" 'site1 site2 ' 'dna: lm-eval prints the names'
tr ACGT acgt <dna.fa | sed 's/^>.*/>x/' | gzip >low.fa.gz
lstm-train -q -a dna --fold-case --hidden 8 --epochs 3 low.fa.gz -o folded
lm-eval folded plain >one
lm-eval r.1 plain >two
is "$(cat one)" "$(cat two)" '--fold-case: the same model from lower-case, compressed FASTA'

# --- words with accents ---

i=0
while [ $i -lt 12 ]; do
    printf 'été\nfâché\nnaïveté\ncafé\n'
    i=$((i + 1))
done >words
cp words plain
pipeline words suffix:é é words -a auto
run lstm-train -a auto --hidden 2 --steps 1 -o m words
is "$status $(cat err)" '0 lstm-train: alphabet of 11 characters: acefhntvâéï' '-a auto says what it found'
run model-info m
has out 'alphabet	acefhntvâéï' 'the model keeps it'
run lstm-train -q -a auto --hidden 2 --steps 1 -o m words
is "$(cat err)" '' '-q hides the message'
lstm-train -q -a 'a-hm-vâéï' --hidden 2 --steps 1 -o m - <words
is $? 0 'ranges and characters of several bytes'
run motif-freq -a 'a-z' -m fé --skip-bad words
is "$status $(cat err)" "2 motif-freq: --motif: 'fé': character 2 is not in the alphabet 'abcdefghijklmnopqrstuvwxyz'; set the alphabet with -a
Try 'motif-freq --help' for more information." 'a word outside the alphabet'
printf 'ÉTÉ\nété\n' | motif-freq -q -a étÉ --fold-case -m é >out
is "$(sed 1d out | cut -f 2,3)" '2	1' 'both cases are symbols: nothing is folded'
printf 'ÉTÉ\nété\n' | motif-freq -a ét --fold-case -m é >out
is "$(sed 1d out | cut -f 2,3)" '2	2' 'accented letters are folded'

# --- codons as tokens ---

i=0
while [ $i -lt 15 ]; do
    printf 'atg gcc taa\natg  ggg gcc taa\natg aaa gcc taa\n'
    i=$((i + 1))
done >codons
sed 's/  / /' codons >plain
pipeline codons 'motif:gcc taa' 'gcc taa' codons --tokens
pfsa-train -q --tokens -o c.pfsa codons
run gam-sample -n 2 c.pfsa
is "$(tr -d 'a-z \n' <out)" '' 'an automaton of tokens draws tokens'
run gam-fit -q --base ngram --tokens --feature 'count:gcc@1..' --feature 'at:1:atg' -o c.gam codons
is "$status" 0 'features over tokens, with a base of n-grams'
run gam-features -q --tokens codons
is "$status" 0 'gam-features over tokens'
run gam-fit --base c.pfsa --feature 'regex:a.g' -o new codons
is "$status $(head -n 1 err)" "2 gam-fit: --feature: feature 'regex:a.g': expressions and brackets are over characters, but the symbols are tokens" 'regex is refused'
lm-eval --per-string c.pfsa codons >score
run lm-compare --scores --tokens score score
is "$status" 0 'lm-compare counts tokens'
lm-eval c.pfsa codons | sed -n 's/^ce	//p' >ce
is "$(sed -n 2p out | cut -f 2)" "$(cat ce)" 'and has the CE of lm-eval'
model-convert --to att c.pfsa -o c.att
pfsa-gen -b --tokens -a 'on off' -l 3 | model-convert --to json | model-convert --from json |
    model-info - >out
has out 'alphabet	on off' 'JSON carries tokens'
model-convert --from att --tokens -a 'aaa atg gcc ggg taa' c.att | model-info - >out
has out 'alphabet	aaa atg gcc ggg taa' 'model-convert takes tokens for att'
model-convert --to safetensors r.1 | model-convert --from safetensors -o back
is "$(lm-eval back codons)" "$(lm-eval r.1 codons)" 'safetensors carry tokens'
run pfsa-gen --tokens -a 'on off' -l 3 -m 'on off' -n 20
is "$status $(grep -vc 'on off' out)" '0 0' 'pfsa-gen draws tokens'

# --- large alphabets ---

awk 'BEGIN { for (i = 0; i < 255; i++) printf "t%d%s", i, i % 15 == 14 ? "\n" : " " }' >t255
lstm-train -q --tokens --hidden 3 --steps 3 -o big t255
gam-sample -n 3 big >out
is $? 0 '255 tokens: an LSTM draws'
gam-fit -q --base big --feature 'motif:t1 t2' --lambda 'motif:t1 t2=-1' --max-length 20 -o bigg
gam-sample -n 20 --method exact bigg -o drawn
is $? 0 'a GAM over it draws'
lm-eval big t255 >out
is "$(head -n 2 out | cut -f 2 | tr '\n' ' ')" '17 272 ' 'and it is evaluated'
pfsa-train -q --tokens -o big.pfsa t255
gam-sample -n 400 --format fasta big.pfsa -o drawn.fa
pfsa-gen -l 12 --tokens -a "$(tr '\n' ' ' <t255)" -n 80 >plain
{ cat t255 && sed 's/^\([^ ]*\) [^ ]* [^ ]* [^ ]*/\1 t254 t0 t253/' plain; } >planted
pfsa-gen -s 2 -l 12 --tokens -a "$(tr '\n' ' ' <t255)" -n 80 >plain
gam-features -q --tokens --null 19 --kinds motif --against plain planted >out
is "$(sed -n 2p out | cut -f 1)" 'motif:t254 t0 t253' 'features are found among all of them'
motif-freq -q --tokens -m t254 drawn.fa >out
is $? 0 'an automaton over it draws FASTA'

# --- alphabets by name, and what a backslash does ---

# shellcheck disable=SC1003 # '\\' is two backslashes
for a in dna:ACGT rna:ACGU protein:ACDEFGHIKLMNPQRSTVWY digits:0123456789 'a-c5-7:abc567' \
    '\dna:dna' 'x\-z:x-z' '\\:\' 'é-ë:éêë'; do
    pfsa-gen -b -l 2 -a "${a%:*}" | model-info - >out
    is "$(sed -n 's/^alphabet	//p' out)" "${a##*:}" "-a ${a%:*}"
done
printf 'a b\nc\n' | motif-freq -a print -m ' b' >out
is "$(sed 1d out | cut -f 3)" 1 'a blank is a character'

# --- parts of a FASTA file ---

for i in 1 2 3; do
    pfsa-gen -a dna -l 5 -n 10 --shard $i/3 --format fasta
done >out
is "$(grep -c '>' out) $(grep '>' out | sort -u | wc -l | tr -d ' ') $(tail -n 2 out | head -n 1)" '10 10 >10' 'parts continue the numbers'

# --- motif-freq joins the lines of records, in pieces of 4 MB ---

pfsa-gen -a dna -l 30 -n 180000 --format fasta -o many.fa
pfsa-gen -a dna -l 30 -n 180000 -o many
is "$(motif-freq -a dna -m ACGT --feature count:A many.fa)" "$(motif-freq -a dna -m ACGT --feature count:A many)" 'many records'
awk '/>/ { print; next } { print substr($0, 1, 20) "\r\n" substr($0, 21) }' many.fa | motif-freq -a dna -m ACGT --feature count:A >out
is "$(cat out)" "$(motif-freq -a dna -m ACGT --feature count:A many)" 'with CR, over two lines'
printf '>bad\nACGT\nACNT\n>more\nA\n' >>many.fa
run motif-freq -a dna -m ACGT many.fa
has err "many.fa:360003: record 'bad': 'N' in column 3" 'the line of a symbol in a late piece'
run motif-freq -a dna --format fasta -m ACGT many
has err "many:1: line does not begin with '>'" 'lines are not FASTA'
run motif-freq -a dna -m ACGT /dev/null
is "$status $(cat err)" '0 motif-freq: warning: no strings' 'no strings'

# --- strings that are left out ---

printf 'ACGT\nANGT\nAC\377\nGG\n' >some
run motif-freq -a dna --skip-bad -m G some
is "$status $(cat err) $(sed 1d out | cut -f 2,3)" '0 motif-freq: warning: left out 2 strings that are not over the alphabet 2	2' '--skip-bad counts'
printf 'AC\nAx\n' | motif-freq -a dna --skip-bad -m A >out 2>err
has err 'left out 1 string that is not' 'one string'
run pfsa-train -a dna --skip-bad -o m some
has err 'left out 2 strings' 'pfsa-train'
run lm-eval --skip-bad m some
has err 'left out 2 strings' 'lm-eval'

# --- bad input: file, line or record, position, what helps; nothing is written ---

# refuse MESSAGE COMMAND...
refuse() {
    message=$1
    shift
    rm -f new
    run "$@"
    is "$status $(head -n 1 err)" "1 $message" "$*"
    [ ! -e new ]
    ok $? "$*: nothing is written"
}

skip='leave such strings out with --skip-bad'
auto='-a auto takes the symbols that occur, --skip-bad leaves such strings out'
printf '>a\nACGT\n>b\nACNT\n' >n.fa
refuse "pfsa-train: n.fa:4: record 'b': 'N' in column 3 is not in the alphabet 'ACGT'; $auto" pfsa-train -a dna -o new n.fa
printf '>a\nACGT\n>b\nacgt\n' >l.fa
refuse "lstm-train: l.fa:4: record 'b': 'a' in column 1 is not in the alphabet 'ACGT'; use --fold-case" lstm-train -a dna -o new l.fa
printf '>a\nAC*\n' >star.fa
refuse "pfsa-train: star.fa:2: record 'a': '*' in column 3 is not in the alphabet 'ACGT'; $auto" pfsa-train -a dna -o new star.fa
printf '>a\n>b\nAC\n' >empty.fa
refuse "pfsa-train: empty.fa:1: record 'a' is empty" pfsa-train -a dna --skip-bad -o new empty.fa
printf 'AC\n>a\nAC\n' >half.fa
for a in dna auto; do
    refuse "pfsa-train: half.fa:2: line begins with '>', as in FASTA, but the file does not; state --format lines or fasta" pfsa-train -a $a --skip-bad -o new half.fa
done
refuse "motif-freq: half.fa:2: line begins with '>', as in FASTA, but the file does not; state --format lines or fasta" motif-freq -a dna -m A -o new half.fa
printf '>a\nACGT\n>b\nACGG\n>c\nACCT\nACAT\nTCAT\n' >half3.fa
printf '>a\nACGTACG\n>b\nAC\n>c\nACCT\nACAT\n' >half4.fa
for file in half3.fa:3 half4.fa:2; do
    stem="${file%:*}:5: record 'c' has ${file#*:} lines, but each record before it has one; state --format lines or fasta"
    refuse "pfsa-train: $stem" pfsa-train -a dna -o new ${file%:*}
    refuse "pfsa-train: $stem" pfsa-train -a auto -o new ${file%:*}
    refuse "motif-freq: $stem" motif-freq -a dna -m A -o new ${file%:*}
    is "$(motif-freq -a dna --format fasta -m A ${file%:*} | awk 'NR == 2 { print $2 }')" 3 'unless it is stated'
done
printf '>a\nat gc\n>b\nat\n>c\ngc gc\nat gc at\n' >half5.fa
refuse "pfsa-train: half5.fa:5: record 'c' has 2 lines, but each record before it has one; state --format lines or fasta" \
    pfsa-train --tokens -o new half5.fa
printf '>a\nACG\n>b\nAC\n>c\nACCT\nACAT\n' >whole1.fa
printf '>a\nACGT\nACGT\n>b\nACGT\n>c\nACGT\nACAT\n' >whole2.fa
printf '>a\nACGT\n>b\nACGT\nAC\n' >whole3.fa
printf '>a\nACGT\n>b\nACGTA\n>c\nACGT\nAC\n>d\nACC\n' >whole4.fa
for file in whole1 whole2 whole3 whole4; do
    run motif-freq -a dna -m A $file.fa
    is "$status" 0 "$file: records of more lines"
done
# In pieces of some hundred kilobytes, of which some are read again.
pfsa-gen -a dna -l 60 -n 60000 --format fasta -o many.fa
cat whole2.fa many.fa >many2.fa
printf 'ACGT\n' >>many.fa
refuse "motif-freq: many.fa:119999: record '60000' has 2 lines, but each record before it has one; state --format lines or fasta" \
    motif-freq -a dna -m A -o new many.fa
printf 'ACGT\n' >>many2.fa
run motif-freq -a dna -m A many2.fa
is "$status" 0 'a record far before had more lines, too'
rm many.fa many2.fa
# Files of other systems can begin with a byte order mark.
printf '\357\273\277ACC\nAA\n' >marked
printf '\357\273\277>a\r\nACC\r\n>b\r\nAA\r\n' | gzip >marked.fa.gz
printf 'ACC\nAA\n' >unmarked
motif-freq -a dna -m A --feature length unmarked >expected
for file in marked marked.fa.gz; do
    motif-freq -a dna -m A --feature length $file | cmp -s - expected
    ok $? "$file: a byte order mark is ignored"
    is "$(pfsa-train -a auto $file -o marked.pfsa 2>&1)" 'pfsa-train: alphabet of 2 characters: AC' "$file: it is no symbol"
done
motif-freq -a dna --format lines -m A --feature length - <marked | cmp -s - expected
ok $? 'from a pipe'
printf 'A\357\273\277\n' >marked
refuse "motif-freq: marked:1: '$(printf '\357\273\277')' in column 2 is not in the alphabet 'ACGT'; -a auto takes the symbols that occur, --skip-bad leaves such strings out" \
    motif-freq -a dna -m A -o new marked
printf '>a\nACGT\n\nAC\nACG\n' >half2.fa
refuse "pfsa-train: half2.fa:4: record 'a': a record continues after a blank line" pfsa-train -a dna -o new half2.fa
printf 'é\nt\351t\n' >latin1
refuse "pfsa-train: latin1:2: byte 0xe9 in column 2 is not a printable character in UTF-8; $skip" pfsa-train -a auto -o new latin1
printf 'at\0g\n' >nul
refuse "pfsa-train: nul:1: byte 0x00 as token 1 is not a printable character in UTF-8; $skip" pfsa-train --tokens -o new nul
awk 'BEGIN { for (i = 0; i < 256; i++) printf "t%d%s", i, i % 16 == 15 ? "\n" : " " }' >t256
refuse "pfsa-train: t256:16: more than 255 symbols; 't255' is number 256" pfsa-train --tokens -o new t256
printf 'atg xyz\n' >unknown
refuse "lm-eval: unknown:1: 'xyz' as token 2 is not in the alphabet 'aaa atg gcc ggg taa'; $skip" lm-eval -o new c.pfsa unknown
refuse 'lm-eval: unknown:1: line does not begin with '\''>'\'', as a record of FASTA does' lm-eval --format fasta -o new c.pfsa unknown
printf '\n' >blank
refuse 'pfsa-train: the strings have no symbols; set the alphabet with -a' pfsa-train -a auto -o new blank
pfsa-gen -b -a dna --stop .5 -o stop.pfsa
refuse 'gam-sample: string 1 is empty, which FASTA cannot express; use --format lines, or --forbid length:0 against empty strings' gam-sample -n 100 --format fasta -o new stop.pfsa
printf 'Hello\n' >english
refuse "lstm-train: english:1: 'H' in column 1 is not in the alphabet '01'; $auto" lstm-train -o new english

done_testing
