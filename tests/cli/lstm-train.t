# SPDX-License-Identifier: MIT
# lstm-train.t: the model file, recipes, resuming, interruptions, errors.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# Random numbers that are the same with every awk.
random='function random() { seed = (16807 * seed) % 2147483647; return seed / 2147483647 }
        BEGIN { seed *= 1000003; for (i = 0; i < 10; i++) random() }'

# bits N SEED: N strings of 12 fair bits with 11011 in the middle
bits() {
    awk -v n="$1" -v seed="$2" "$random"'
    BEGIN {
        for (i = 0; i < n; i++) {
            x = ""
            for (j = 0; j < 12; j++)
                x = x (j == 7 ? "11011" : random() < .5 ? "0" : "1")
            print substr(x, 1, 12)
        }
    }'
}
bits 200 1 >D
bits 50 2 >V
bits 500 3 >T

# ce MODEL FILE: in nats per character
ce() {
    lm-eval "$1" "$2" | row ce -
}

# value NAME MODEL: of the metadata
value() {
    model-info "$2" | row "$1" -
}

# quick ARGUMENT...: a run of a few milliseconds
quick() {
    lstm-train --hidden 8 --batch 20 --lr 0.01 --epochs 4 "$@"
}

# --- the model ---

run lstm-train --valid V --log log -o r.lstm --hidden 16 --batch 5 --lr 0.01 --epochs 60 D
is "$status" 0 'trains'
is "$(cat out err)" '' 'and says nothing'
# 7 free bits of 13 characters
floor=$(awk 'BEGIN { print 7 * log(2) / 13 }')
near "$(ce r.lstm T)" "$floor" 0.08 'learns the fixed bits'
near "$(value valid_ce r.lstm)" "$(ce r.lstm V)" 1e-6 'records the validation CE that lm-eval finds'
is "$(value max_length r.lstm)" 12 'strings of one length: L is that length'
is "$(head -n 1 log)" "$(printf 'epoch\tsteps\ttrain_ce\tvalid_ce\tstrings_per_s\tseconds')" \
    'the header of the log'
is "$(($(wc -l <log) - 1))" "$(value epochs_run r.lstm)" 'a row for each epoch'
is "$(awk 'NR > 1' log | sort -g -k 4 | head -n 1 | cut -f 1)" "$(value best_epoch r.lstm)" \
    'the best epoch is the one with the least validation CE'
quick --log - -o logged.lstm D >out
is "$(awk 'NR > 1 { print $1 }' out | xargs)" '1 2 3 4' '--log -: to the standard output'

printf '0\n11\n' | quick -o short.lstm
is "$(value max_length short.lstm)" 5 'strings of several lengths: L is 2 x longest + 1'
quick --recipe paper -o paper.lstm D
is "$(value max_length paper.lstm)" 25 'as it is in the recipe of the paper'
is "$(value hidden paper.lstm) $(value clip paper.lstm) $(value patience paper.lstm)" '8 0.25 10' \
    'explicit options beat the recipe'
quick -o before.lstm D --recipe paper
cmp -s before.lstm paper.lstm
ok $? 'in any order'

# The paper's loss is a mean over strings; the reported one is a mean over characters.
awk 'BEGIN { for (i = 0; i < 20; i++) { print "0"; print "1101101101101" i % 2 } }' >lengths
quick --recipe paper --valid lengths --log lengths.tsv -o lengths.lstm D
near "$(value valid_ce lengths.lstm)" "$(ce lengths.lstm lengths)" 1e-6 \
    'the recipe of the paper: valid_ce is per character'
is "$(sed 1d lengths.tsv | awk -v n="$(value best_epoch lengths.lstm)" '$1 == n { print $4 }')" \
    "$(value valid_ce lengths.lstm)" 'in the log, too'

# --- a validation set that overlaps with the training set ---

pfsa-gen -l 30 -m 1011 -n 100 >first
pfsa-gen -l 30 -m 1011 -n 500 >longer
pfsa-gen -l 30 -m 1011 -n 500 -s 2 >other
head -n 20 first >part
for valid in part longer; do
    run quick --valid $valid -o /dev/null first
    is "$(cat err)" "lstm-train: warning: $(grep -cxF -f first $valid) of $(grep -c . $valid) strings of \
'$valid' are also in the training set, more than chance explains; use other strings, such as those of another \
seed (-s)" "a validation set that shares strings: $valid"
done
run quick -q --valid part -o /dev/null first
is "$(cat err)" '' '-q hides the warning'
run quick --valid other -o /dev/null first
is "$(cat err)" '' 'no warning about strings of another seed'
pfsa-gen -l 6 -n 300 >short
pfsa-gen -l 6 -n 300 -s 2 >short-too
run quick --valid short-too -o /dev/null short
is "$(cat err)" '' 'nor about short strings, all of which are shared by chance'

# --- strings of one length ---

# all N: the strings of at most N bits
all() {
    awk -v n="$1" 'BEGIN {
        for (length_ = 0; length_ <= n; length_++)
            for (i = 0; i < 2 ^ length_; i++) {
                x = ""
                for (j = 0; j < length_; j++)
                    x = x int(i / 2 ^ j) % 2
                print x
            }
    }'
}
# mass MODEL N: the probabilities of all strings of N bits, and of all up to 5 bits
mass() {
    lm-eval -q --per-string "$1" strings5 | awk -v n="$2" '
        { all += exp($1) }
        length($2) == n { these += exp($1) }
        END { printf "%.9f %.9f\n", these, all }'
}
all 5 >strings5
pfsa-gen -l 4 -n 60 -m 101 -o D4
run quick -v -o fixed.lstm D4
is "$(head -n 1 err)" 'lstm-train: all strings have 4 symbols; the model generates no other length' \
    'strings of one length: -v says so'
is "$(value fixed_length fixed.lstm) $(value max_length fixed.lstm)" 'yes 4' 'and the model knows'
is "$(mass fixed.lstm 4)" '1.000000000 1.000000000' 'no probability is lost on other lengths'
is "$(echo 01010 | lm-eval -q --per-string fixed.lstm) $(echo 010 | lm-eval -q --per-string fixed.lstm)" \
    "$(printf -- '-inf\t01010 -inf\t010')" 'which are impossible'
gam-sample -n 500 --stats stats -o S fixed.lstm
is "$(awk '{ print length($0) }' S | sort -u) $(row dropped stats)" '4 0' 'and never drawn'
near "$(value valid_ce fixed.lstm)" "$(quick --log - -o /dev/null D4 | awk 'END { print $4 }')" 1e-12 \
    'validation takes the end as certain'
quick --valid D4 -o own.lstm D4
near "$(value valid_ce own.lstm)" "$(ce own.lstm D4)" 1e-6 'as lm-eval does'
# free NAME ARGUMENT...: a model that can make other lengths, too
free() {
    name=$1
    shift
    quick -o free.lstm "$@"
    is "$(value fixed_length free.lstm) $(mass free.lstm 4 | awk '{ print ($1 < .99) }')" 'no 1' "$name"
}
free '--free-length turns it off' --free-length D4
free 'so does the recipe of the paper' --recipe paper D4
free 'and a larger --max-length' --max-length 9 D4
free 'and a validation set with another length' --valid strings5 D4
quick --max-length 4 -o given.lstm D4
is "$(value fixed_length given.lstm)" yes '--max-length of their length does not'
lstm-train --init free.lstm --steps 1 -o again.lstm D4
is "$(value fixed_length again.lstm) $(value max_length again.lstm)" 'no 11' '--init: L of the model'
run lstm-train --init fixed.lstm --steps 1 -o again.lstm D4
is "$status $(cat err) $(value fixed_length again.lstm)" '0  yes' '--init with such strings'
run lstm-train --init fixed.lstm --steps 1 -o again.lstm strings5
is "$(cat err) $(value fixed_length again.lstm) $(value max_length again.lstm)" \
    "lstm-train: warning: the model 'fixed.lstm' generates strings of 4 symbols only; the end of string is learned anew no 11" \
    'and with others'
quick --checkpoint fixed.ck -o /dev/null D4
run quick --free-length --max-length 4 --checkpoint fixed.ck --resume D4
has err 'checkpoint is from a run with other data, settings or seed' '--free-length is a setting'
quick --checkpoint fixed.ck --resume D4 | cmp -s - fixed.lstm
ok $? 'a checkpoint knows the length'
quick -j 3 D4 | cmp -s - fixed.lstm
ok $? 'and threads do not matter'

# --- distilling ---

run lstm-train --recipe distil D
is "$status $(head -n 1 err)" '2 lstm-train: --recipe distil requires --init MODEL, the base model' \
    'the recipe to distil starts from a model'
quick -o base.lstm D
lstm-train --recipe distil --init base.lstm -o pi.lstm D
is "$(value valid_strings pi.lstm) $(value strings pi.lstm) $(value recipe pi.lstm) $(value lr pi.lstm)" \
    '10 190 distil 0.004' 'and has settings of its own'
[ "$(value epochs_run pi.lstm)" -le 12 ]
ok $? 'and few epochs'
lstm-train --recipe distil --init base.lstm --valid-fraction 0.1 --epochs 2 -o pi.lstm D
is "$(value epochs_run pi.lstm) $(value valid_strings pi.lstm)" '2 20' 'unless told otherwise'

# --- a head start, and settings that are chosen ---

# sites N SEED: strings of 16 bits, each of which is as in a pattern with probability 0.85
sites() {
    awk -v n="$1" -v seed="$2" "$random"'
    BEGIN {
        for (i = 0; i < n; i++) {
            x = ""
            for (j = 1; j <= 16; j++)
                x = x (substr("0010111011000101", j, 1) + (random() < .15)) % 2
            print x
        }
    }'
}
sites 40 6 >few
run lstm-train -v -j 1 -o head.lstm few
is "$(grep -c 'trying a head start' err) $(value head_start head.lstm)" '1 20000' \
    'few strings: a head start where an automaton is better'
lstm-train -q -j 2 few | cmp -s - head.lstm
ok $? 'the same bytes for any number of threads'
run lstm-train --lr 0.004 -o plain.lstm few
has err 'lstm-train: warning: an automaton has a lower validation loss, ' 'with settings given, only a warning'
has err '; try pfsa-train --positional' 'which names the automaton'
awk -v a="$(value valid_ce head.lstm)" -v b="$(value valid_ce plain.lstm)" 'BEGIN { exit !(a < b) }'
ok $? 'the head start has a lower validation loss'
run quick --tune --patience 2 -v -o tuned.lstm few
is "$status $(grep -c 'better$' err)" '0 3' '--tune tries settings that are not given'
awk -v a="$(value valid_ce tuned.lstm)" -v b="$(quick --patience 2 -q few | model-info - | row valid_ce -)" \
    'BEGIN { exit !(a <= b) }'
ok $? 'and the result is no worse in validation'
quick -q --tune --patience 2 -j 3 few | cmp -s - tuned.lstm
ok $? 'and the same for any number of threads'
# Strings with an even number of 1, which an automaton of two states makes.
printf '0\t0\t1\t.7\n0\t1\t2\t1.4\n0\t1.4\n1\t1\t1\t.4\n1\t0\t2\t1.1\n' |
    model-convert --from att -o even.pfsa
pfsa-gen -n 5000 even.pfsa -o many
for j in 1 2; do
    lstm-train -v --tune --hidden 3 --lr 0.004 --dropout 0 --average 0.999 --epochs 1 -j $j many 2>err >imitation$j
done
cmp -s imitation1 imitation2
ok $? 'samples of an automaton: the same bytes for any number of threads'
is "$(grep -c 'training on its samples' err) $(value head_start imitation1)" '1 400000' \
    'many strings of a small automaton: trained on its samples'
awk -v a="$(value valid_ce imitation1)" -v b="$(lstm-train -q --hidden 3 --dropout 0 --epochs 1 many | model-info - | row valid_ce -)" \
    'BEGIN { exit !(a < b) }'
ok $? 'which lowers the validation loss'
echo 0101 >one
run lstm-train --tune -o new one
is "$status $(cat err) $(ls new 2>/dev/null)" \
    '1 lstm-train: only one string; --tune requires strings for validation ' 'not from one string'
run lstm-train --tune --steps 3 few
is "$status $(head -n 1 err)" '2 lstm-train: --tune cannot be combined with --steps' 'nor without validation'
run lstm-train --tune --valid-fraction 0 few
is "$status $(head -n 1 err)" '2 lstm-train: --tune requires validation; raise --valid-fraction' 'of some size'

# --- the same bytes ---

quick -j 1 -o one.lstm D
for j in 2 3 8; do
    quick -j $j D | cmp -s - one.lstm
    ok $? "$j threads give the same bytes as one"
done
runs=
for cpu in baseline avx2 avx512; do
    GAMUT_CPU=$cpu lstm-train --steps 1 D >/dev/null 2>&1 || continue
    runs="$cpu${runs:+, $runs}"
    for name in $cpu "$(echo $cpu | tr '[:lower:]' '[:upper:]')"; do
        GAMUT_CPU=$name quick D | cmp -s - one.lstm
        ok $? "GAMUT_CPU=$name gives the same bytes"
    done
done
run env GAMUT_CPU=mmx lstm-train --steps 1 D
is "$status $(head -n 1 err)" "2 lstm-train: GAMUT_CPU is 'mmx', which this processor does not support; \
set it to one of $runs, or unset it" 'what the machine does not run is refused with the list of what it does'
GAMUT_CPU='' quick D | cmp -s - one.lstm
ok $? 'an empty GAMUT_CPU is as none'
quick -s 2 D | cmp -s - one.lstm
[ $? -eq 1 ]
ok $? 'another seed gives another model'

# --- the loss ---

# Half of the strings are short; if the loss of a batch were divided by its own characters,
# three quarters of the model's strings would be short.
awk 'BEGIN { for (i = 0; i < 100; i++) { print "0"; print "111111111111111" } }' >halves
lstm-train --hidden 8 --batch 2 --dropout 0 --clip 0 --epochs 60 --valid halves -o halves.lstm halves
near "$(echo 0 | lm-eval --per-string halves.lstm | awk '{ print exp($1) }')" 0.5 0.02 \
    'strings of all lengths count for the same'

# --- resuming ---

lstm-train --hidden 8 --batch 200 --steps 3 -o three.lstm D
lstm-train --hidden 8 --batch 200 --steps 2 -o two.lstm D
is "$(value updates two.lstm)" 2 'exactly two updates'
lstm-train --init two.lstm --batch 200 --dropout 0 --steps 1 -o two1.lstm D
is "$(value updates two1.lstm)" 3 'one more with --init'
lstm-train --hidden 8 --batch 200 --dropout 0 --steps 2 -o a.lstm D
lstm-train --init a.lstm --batch 200 --dropout 0 --steps 1 -o b.lstm D
lstm-train --hidden 8 --batch 200 --dropout 0 --steps 3 -o c.lstm D
is "$(lm-eval b.lstm D)" "$(lm-eval c.lstm D)" 'the optimizer goes on where it stopped'

quick --checkpoint ck -o whole.lstm D
is "$(lm-eval ck V | row strings -)" 50 'a checkpoint is a model'
quick --checkpoint ck --resume D | cmp -s - whole.lstm
ok $? 'resuming a finished run gives its result'
quick --checkpoint none --resume D | cmp -s - whole.lstm
ok $? 'resuming without a checkpoint begins'

# longer NAME OPTION...: resumes the run of ext.ck with these; the result is that of one run
# with them
longer() {
    name=$1
    shift
    quick "$@" -o straight.lstm D
    quick "$@" --checkpoint ext.ck --resume D | cmp -s - straight.lstm
    ok $? "$name"
}
quick --epochs 1 --checkpoint ext.ck -o first.lstm D
longer 'an ended run continues with more epochs' --epochs 2
longer 'and once more' --epochs 5
is "$(value epochs_run straight.lstm) $(value end straight.lstm)" '5 epochs' 'to the new end'
run quick --epochs 4 --checkpoint ext.ck --resume D
is "$status $(head -n 1 err)" \
    '2 lstm-train: ext.ck: the run is in epoch 5 and cannot end after epoch 4' 'but not back'
rm ext.ck
quick --epochs 80 --lr 0.1 --patience 2 --checkpoint ext.ck -o first.lstm D
is "$(value end first.lstm)" patience 'a run that ends by its patience'
longer 'continues with more of it' --epochs 80 --lr 0.1 --patience 4
[ "$(value epochs_run straight.lstm)" -gt "$(value epochs_run first.lstm)" ]
ok $? 'to more epochs'
run quick --epochs 80 --lr 0.1 --patience 3 --checkpoint ext.ck --resume D
is "$status $(head -n 1 err)" \
    '2 lstm-train: ext.ck: the patience of the run is 4 and cannot be lowered' 'but not with less'
longer 'or for ever' --epochs 80 --lr 0.1 --patience 0
run quick --epochs 80 --lr 0.1 --patience 100 --checkpoint ext.ck --resume D
is "$status $(head -n 1 err)" \
    '2 lstm-train: ext.ck: the patience of the run is 0 and cannot be lowered' '0 is the largest'

run quick --checkpoint ck --resume -s 5 D
is "$status" 2 'a checkpoint of another run is refused'
has err 'other data, settings or seed' 'and why'

# The checkpoint follows the run, whose epochs are one update each; kill.t kills at any moment.
lstm-train --hidden 8 --batch 200 --epochs 1000000 --patience 0 --checkpoint far.ck -o far.lstm D &
pid=$!
for _ in $(seq 600); do
    [ ! -e far.ck ] || [ "$(value updates far.ck)" -le 20 ] || break
    sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
[ "$(value updates far.ck)" -gt 20 ]
ok $? 'checkpoints are written at the ends of later epochs, too'

# SIGTERM: checkpoint, message, death by the same signal
lstm-train --hidden 24 --epochs 100000 --patience 0 --checkpoint term.ck -o term.lstm D 2>err &
pid=$!
while [ ! -f term.ck ]; do sleep 0.1; done
kill -TERM $pid
wait $pid 2>/dev/null
is $? 143 'SIGTERM: ends by that signal'
has err "to continue from 'term.ck'" 'and says where the state is'
[ ! -f term.lstm ]
ok $? 'and writes no model'
lm-eval term.ck V >/dev/null
ok $? 'the checkpoint is complete'

# --- unusual data ---

printf '0110\n' | quick -o single.lstm 2>err
is $? 0 'one string'
has err 'without validation' 'which cannot be divided'
printf '\n\n\n' | quick --epochs 400 --lr 0.1 -o empty.lstm
near "$(printf '\n' | lm-eval empty.lstm - | row perplexity -)" 1 0.1 'empty strings'
printf '0\r\n1' | quick -o crlf.lstm
is "$(value strings crlf.lstm) $(value valid_strings crlf.lstm)" '1 1' 'CRLF and no last newline'
printf 'ACGT\nAC\n' | quick -a ACGT -o dna.lstm
is "$(value alphabet dna.lstm)" ACGT 'another alphabet'
printf '000\n000\n' >zeros
printf '111\n' | quick --valid - -o ones.lstm zeros
is $? 0 'validation strings with symbols that training lacks'
quick --hidden 1 -o tiny.lstm D
is $? 0 'one hidden unit'

# --- mistakes ---

# refuse STATUS TEXT ARGUMENT...: and no output file
refuse() {
    want=$1
    text=$2
    shift 2
    run lstm-train -o refused "$@"
    is "$status" "$want" "exit $want: $text"
    has err "$text" 'says so'
    [ ! -e refused ]
    ok $? 'leaves no file'
}
printf '01\n0x1\n' >bad
refuse 1 'bad:2:' bad
: >nothing
refuse 1 "'nothing' contains no strings" nothing
refuse 1 'no-such-file' no-such-file
refuse 2 "--lr: 'fast'" --lr fast D
refuse 2 "--dropout: '1'" --dropout 1 D
refuse 2 "--hidden: '0'" --hidden 0 D
refuse 2 "--recipe: 'cake'" --recipe cake D
refuse 2 'cannot be combined' --valid V --valid-fraction 0.1 D
refuse 2 '--steps' --steps 3 --valid V D
refuse 2 '--steps cannot be combined with --patience' --steps 3 --patience 3 D
refuse 2 '--steps cannot be combined with --average' --steps 3 --average 0.9 D
refuse 2 "--average: '1'" --average 1 D
refuse 2 '--hidden cannot be combined with --init' --init r.lstm --hidden 3 D
refuse 2 '--resume' --resume D
refuse 2 '--max-length: 5 is less' --max-length 5 D
refuse 2 'cannot both be stdin' --valid - -
refuse 2 "--checkpoint: 'D' is also an input" --checkpoint D D
refuse 2 "--log: './V' is also an input" --log ./V --valid V D
refuse 2 "--checkpoint: 'r.lstm' is also an input" --checkpoint r.lstm --init r.lstm D
run lstm-train --steps 1 -o ./D D
is "$status" 2 '-o does not replace the strings'
cp r.lstm again.lstm
lstm-train --init again.lstm --steps 1 -o again.lstm D
is "$(model-info again.lstm | row steps_run -)" 1 'but may replace the model that it began with'
refuse 2 "alphabet is '01'" --init r.lstm -a ACGT D
sed 's/weights/weighTs/' r.lstm >damaged
refuse 1 'damaged' --init damaged D
run env GAMUT_CPU=abacus lstm-train -o refused D
is "$status" 2 'GAMUT_CPU that is not there'
has err "'abacus'" 'is named'
awk 'BEGIN { for (i = 0; i < 4; i++) print "01" }' >few
run lstm-train --lr 1000000 --clip 0 --epochs 200 --layers 3 --patience 0 -o absurd.lstm few
[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
ok $? 'an absurd learning rate ends one way or the other'
# steep OCTAL: one unit at rest, h = 0, whose gradient grows by W_hg / 4 per step backward; W_hg
# is the float with these bytes.
lstm-train --hidden 1 --steps 1 D | model-convert --to safetensors >unit
steep() {
    {
        head -c $(($(wc -c <unit) - 120)) unit
        head -c $((14 * 4)) /dev/zero # weight_ih, weight_hh of gates i and f
        printf '%b' "$1"              # weight_hh of gate g
        head -c $((9 * 4)) /dev/zero  # weight_hh of gate o; the biases
        printf '\0\0\200\077'         # the decoder: 1 for '0'
        head -c $((5 * 4)) /dev/zero
    } | model-convert --from safetensors -a 01 --max-length 12
}
steep '\0231\0166\0226\0176' >steep.lstm # 1e38
refuse 1 'loss or gradient is not finite in update 1; try a lower --lr' --init steep.lstm D
steep '\0\0100\0234\0105' >steep.lstm # 5000: the gradient is finite, its square is not
refuse 1 'not finite in update 1' --init steep.lstm --clip 0 D
lstm-train --init steep.lstm --steps 1 -o clipped.lstm D
model-info --check clipped.lstm
ok $? 'unless it is clipped'
lstm-train --hidden 1 --epochs 1 --checkpoint good.ck D >/dev/null
cp good.ck kept.ck
run lstm-train --init steep.lstm --clip 0 --checkpoint good.ck D
cmp -s good.ck kept.ck
ok $? 'a run that fails leaves the checkpoint alone'
# late EPOCHS ARG...: the gradient overflows as soon as dropout lets it pass the unit, which is
# in the fifth epoch.
steep '\0231\0166\0226\0176' >steep.lstm # 1e38
printf '0101101\n' >one
late() {
    epochs=$1
    shift
    lstm-train -q -s 1 --free-length --init steep.lstm --dropout 0.95 --epochs "$epochs" "$@" one
}
run late 500 --checkpoint late.ck --log late.tsv -o late.lstm
is "$status $(cat err)" "1 lstm-train: the last good state is in 'late.ck': loss or gradient is \
not finite in update 5; try a lower --lr" 'a run that fails after some good epochs'
is "$(sed 1d late.tsv | wc -l | tr -d ' ') $(ls late.lstm 2>/dev/null)" '4 ' 'has their rows, no model'
model-convert --to safetensors late.ck >kept
same=
for epochs in 1 2 3 4; do # which one, depends on the second between two checkpoints
    late $epochs | model-convert --to safetensors | cmp -s - kept && same=$epochs
done
ok "$([ -n "$same" ]; echo $?)" 'the checkpoint is a model, that of a good epoch'
run late 500 --checkpoint late.ck --resume -o late.lstm
is "$status $(sed 's/.*update/update/' err)" '1 update 5; try a lower --lr' 'and can be resumed'
has err "the last good state is in 'late.ck'" 'which is said then too'
run sh -c 'lstm-train --steps 1 D >/dev/full'
is "$status" 1 'a full disk'

done_testing
