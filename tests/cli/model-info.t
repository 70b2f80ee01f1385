# SPDX-License-Identifier: MIT
# model-info.t: displays models, and refuses other files.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

golden=$top/tests/golden/mixture.pfsa

run model-info "$golden"
is "$status" 0 'a golden file is read'
is "$(row kind)" pfsa 'its kind'
is "$(row alphabet)" 01 'its alphabet'
is "$(row max_length)" 8 'its length'
is "$(row acyclic)" yes 'its shape'
is "$(row tool)" pfsa-gen 'who made it'
is "$(row command)" 'pfsa-gen --build --length 8 --motif 101 --mix 0.9' 'and how'
is "$(row seed)" 1 'with which seed'
run model-info --sections "$golden"
is "$(cut -f 1 out | tr '\n' ' ')" \
    'section meta alphabet log_partition final first symbol target logp ' 'its sections'

run model-info --json "$golden"
is "$status" 0 'the same as JSON'
has out '"kind": "pfsa",' 'with its kind'

has out '"seed": 1' 'with numbers as numbers'
printf '01\n10\n11\n' >lines
lstm-train --hidden 2 --batch 3 --epochs 2 -s 18446744073709551615 -o numbers.lstm lines
model-info numbers.lstm >plain
run model-info --json numbers.lstm
sed 's/^  //; s/": /\t/; s/^"//; s/,$//; /^[{}]$/d' out >members
awk -F '\t' '$2 !~ /^"/ { print $1 }' members | sort >numbers
awk -F '\t' '$2 ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && $1 !~ /^(version|alphabet|input|input[.].*)$/ { print $1 }' plain |
    sort >wanted
is "$(cat numbers)" "$(cat wanted)" 'of an LSTM, too'
has members "$(printf 'seed\t18446744073709551615')" 'in full'
sed 's/\t"\(.*\)"$/\t\1/' members | cmp -s - plain
ok $? 'and the same values as in the rows'

run model-info --check "$golden"
is "$status$(cat out err)" 0 '--check is silent about a sound file'
model-info - <"$golden" >piped
run model-info "$golden"
cmp -s out piped
ok $? 'a pipe will do'
gzip -c "$golden" >packed.gz
run model-info packed.gz
cmp -s out piped
ok $? 'so will a gzip file'
run model-info -o report.txt "$golden"
cmp -s report.txt piped
ok $? '-o writes a file'

# Damage: every truncation and every flipped byte of the file; the test of the container flips
# each bit, this one checks the messages.
size=$(wc -c <"$golden")
accepted=0
unnamed=0
n=0
while [ "$n" -lt "$size" ]; do
    head -c "$n" "$golden" >cut.pfsa
    run model-info --check cut.pfsa
    [ "$status" -eq 1 ] || accepted=$((accepted + 1))
    grep -qE '^model-info: cut.pfsa: .*(section|file header|file is empty|not a gamut model file|end marker)' err ||
        unnamed=$((unnamed + 1))
    n=$((n + 7))
done
is "$accepted $unnamed" '0 0' 'truncated files are refused, file and section named'

head -c 400 "$golden" >flip.pfsa
printf 'X' >>flip.pfsa
tail -c +402 "$golden" >>flip.pfsa
run model-info flip.pfsa
is "$status" 1 'a changed byte is refused'
has err 'checksum mismatch (the file is damaged)' 'and called by its name'
is "$(cat out)" '' 'nothing is printed of it'

# 231 letters in place of a section that only --resume uses, with their checksum.
{
    head -c 2554 "$top/tests/golden/epoch.lstm"
    printf '%231s' '' | tr ' ' x
    printf '\231\257\045\235\247\167\350\017'
    tail -c +2794 "$top/tests/golden/epoch.lstm"
} >junk.lstm
run model-info --check junk.lstm
is "$status $(cat err)" "1 model-info: junk.lstm: section 'best.m': cannot be decompressed to 65 elements" \
    'what nobody asks for is looked at too'

echo 0101 >strings.txt
run model-info strings.txt
is "$status" 1 'strings are no model'
is "$(cat err)" 'model-info: strings.txt: not a gamut model file' 'and it says so'
run model-info absent
is "$status" 1 'a file that is not there'
is "$(cat err)" "model-info: cannot open 'absent': No such file or directory" 'is named'
run model-info
is "$status" 2 'no operand is a mistake'
run model-info "$golden" "$golden"
is "$status" 2 'so are two'
: >empty
run model-info empty
is "$(cat err)" 'model-info: empty: file is empty' 'an empty file'
cat "$golden" "$golden" >two
run model-info two
is "$(cat err)" 'model-info: two: extra bytes after the end marker' 'two models in one file'
# The page of the format has a row for every section, with its type.
printf '01\n10\n' | lstm-train --hidden 2 --layers 1 --steps 1 -o a.lstm 2>err
lm-mix --weights 0.5,0.5 -o a.mix a.lstm "$golden"
for model in "$golden" a.lstm a.mix; do
    kind=$(model-info "$model" | sed -n 's/^kind.//p')
    sed -n "/^\.Ss Kind $kind/,/^\.El/p" "$top/man/gamut-model.5" |
        sed -n 's/^\.It Cm \([a-zN_.]*\) Ta \([a-z0-9]*\) .*/\1 \2/p' >page
    model-info --sections "$model" | awk 'NR > 2 { sub(/[.][0-9]+$/, ".N", $1); print $1, $2 }' | uniq >file
    is "$(cat page)" "$(cat file)" "gamut-model(5) knows the sections of kind $kind"
done

model-info "$golden" >/dev/full 2>err
is $? 1 'a full disk is noticed'
model-info "$golden" >&- 2>err
is $? 1 'so is a closed stdout'
done_testing
