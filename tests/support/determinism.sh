# SPDX-License-Identifier: MIT
# determinism.sh THREADS: runs every tool once, in the current directory, with this number of
# threads; prints the checksum of each result.  Results that depend on time (seconds, strings
# per second) are left out.

set -eu
j=$1

# result NAME: checksum of stdin
result() {
    printf '%s\t%s\n' "$(cksum)" "$1"
}

pfsa-gen -j "$j" -l 20 -m 10111 -n 300 -o D
pfsa-gen -j "$j" -l 20 -m 10111 -n 100 -s 2 -o V
pfsa-gen -j "$j" -l 20 -m 10111 -n 100000 -o many # work for all threads of tools that are fast
pfsa-gen -j "$j" -l 20 -m 10111 --mix 0.9 -b -o m.pfsa
pfsa-gen -j "$j" --stop 0.1 -a ACGT --probs 0.1,0.2,0.3,0.4 -x GG -b -o loop.pfsa
result 'pfsa-gen' <many
result 'pfsa-gen --build' <m.pfsa
result 'pfsa-gen --stop' <loop.pfsa
pfsa-gen -j "$j" -n 100000 loop.pfsa | result 'pfsa-gen MODEL'
pfsa-entropy -j "$j" --feature length --ft 1001111 -l 20 -m 10111 --relative-to m.pfsa |
    result 'pfsa-entropy'
pfsa-entropy -j "$j" loop.pfsa | result 'pfsa-entropy MODEL'
pfsa-train -j "$j" D | result 'pfsa-train'
pfsa-train -j "$j" --positional D | result 'pfsa-train --positional'
gam-features -q -j "$j" --samples 2000 D | result 'gam-features'
gam-features -q -j "$j" --against V D | result 'gam-features --against'
gam-features -q -j "$j" --samples 2000 --background m.pfsa D | result 'gam-features --background'
lstm-train -q -j "$j" --valid V --hidden 20 --layers 2 --epochs 3 -o r.lstm D
result 'lstm-train' <r.lstm
lstm-train -q -j "$j" --recipe paper --hidden 9 --epochs 2 -o free.lstm D
result 'lstm-train --recipe paper' <free.lstm
lstm-train -q -j "$j" --init r.lstm --steps 2 D | result 'lstm-train --init'
# Interrupted after the first epoch or later, and resumed.
set -- -q -j "$j" --valid V --hidden 9 --epochs 30 --checkpoint run.ck
lstm-train "$@" -o interrupted.lstm D 2>/dev/null &
while [ ! -f run.ck ] && kill -0 $! 2>/dev/null; do
    sleep 0.02
done
kill $! 2>/dev/null || :
wait $! 2>/dev/null || :
lstm-train "$@" --resume D | result 'lstm-train --resume'
gam-fit -q -j "$j" --base r.lstm -m 10111 --ft 1001111 -o g.gam D
result 'gam-fit' <g.gam
gam-fit -q -j "$j" --base r.lstm -m 10111 --ft 1001111 --regime snis --samples 2000 \
    --optimizer sgd --epochs 2 D | result 'gam-fit --regime snis'
gam-fit -q -j "$j" --base m.pfsa --feature length --feature edit:0110 D |
    result 'gam-fit --regime exact'
gam-fit -q -j "$j" --base ngram --feature motif:1011 --feature edit:0110 D | result 'gam-fit --base ngram'
gam-fit -q -j "$j" --base r.lstm --valid D --feature motif:1011 D | result 'gam-fit --smooth auto'
gam-sample -j "$j" -n 3000 m.pfsa | result 'gam-sample PFSA'
gam-sample -j "$j" -n 3000 r.lstm | result 'gam-sample LSTM'
gam-sample -j "$j" -n 300 g.gam | result 'gam-sample GAM'
gam-sample -j "$j" -n 300 --method exact g.gam | result 'gam-sample --method exact'
gam-sample -j "$j" -n 300 --method guided g.gam | result 'gam-sample --method guided'
gam-sample -j "$j" -n 30000 --keep-partial g.gam | result 'gam-sample --keep-partial'
gam-sample -j "$j" -n 300 --weighted g.gam | result 'gam-sample --weighted'
gam-fit -q -j "$j" --base r.lstm --feature motif:011 --target motif:011=.5 --forbid suffix:1 | result 'gam-fit --target'
gam-sample -j "$j" -n 300 --require motif:01 --forbid suffix:1 r.lstm | result 'gam-sample --require'
gam-sample -j "$j" -n 100 --plain r.lstm | result 'gam-sample --plain'
pfsa-train -j "$j" -o n.pfsa D
lm-mix -j "$j" --valid V -o x.mix r.lstm n.pfsa m.pfsa
result 'lm-mix' <x.mix
lm-mix -j "$j" --weights 0.5,0.5 n.pfsa m.pfsa | model-convert -j "$j" --to pfsa | result 'model-convert MIX'
gam-sample -j "$j" -n 3000 x.mix | result 'gam-sample MIX'
lm-eval -j "$j" --per-string x.mix D | result 'lm-eval MIX'
lm-compare -j "$j" r.lstm x.mix g.gam m.pfsa V | result 'lm-compare'
lm-eval -j "$j" --truth m.pfsa r.lstm D | result 'lm-eval'
lm-eval -j "$j" --per-string r.lstm D | result 'lm-eval --per-string'
lm-eval -j "$j" --log-z-se 0.1 g.gam D | result 'lm-eval GAM'
lm-eval -j "$j" --max-length 22 --log-z-se 0.05 free.lstm D | result 'lm-eval --max-length'
motif-freq -j "$j" -m 10111 -m 11 --occurrences many | result 'motif-freq'
motif-freq -j "$j" -m 10111 --ft 1111111 --feature lcs:0110 many | result 'motif-freq --ft'
model-info -j "$j" --sections g.gam | result 'model-info'
model-convert -j "$j" --to att m.pfsa | result 'model-convert --to att'
model-convert -j "$j" --to json loop.pfsa | result 'model-convert --to json'
model-convert -j "$j" --to dot loop.pfsa | result 'model-convert --to dot'
model-convert -j "$j" --to safetensors -o r.st r.lstm
result 'model-convert --to safetensors' <r.st
model-convert -j "$j" --to att m.pfsa | model-convert -j "$j" --from att |
    result 'model-convert --from att'
model-convert -j "$j" --to json loop.pfsa | model-convert -j "$j" --from json |
    result 'model-convert --from json'
model-convert -j "$j" --from safetensors r.st | result 'model-convert --from safetensors'
