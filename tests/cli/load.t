# SPDX-License-Identifier: MIT
# load.t: memory does not grow with the number of strings written or read; training, which holds
# its strings, takes the memory per string that its manual page states.  `make load` does the
# same with large jobs.  Nor does memory grow with the unpacked size of a gzip file.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
PATH=$(dirname "$(command -v pfsa-gen)")/../tests/bench:$PATH

case ${VARIANT-release} in
asan* | tsan | faults | valgrind) skip_all 'a sanitizer has memory of its own' ;;
esac

few=1200000
many=3600000
pfsa-gen -l 6 -n $few -o few
pfsa-gen -l 6 -n $many -o many
pfsa-gen -l 6 --build -o m.pfsa
head -n 1000 few >D
lstm-train -q --hidden 4 --steps 2 -o r.lstm D
gam-fit -q --base m.pfsa --feature motif:111 -o g.gam D

# peak COMMAND...: kilobytes
peak() {
    cost used "$@" >/dev/null && awk '{ printf "%d", 1024 * $3 }' used
}

# grows MOST NAME COMMAND...: from `few` strings to `many`, COUNT or FILE in the command, by at
# most MOST bytes per string; 2 MB is the variation between runs
grows() {
    most=$1
    name=$2
    shift 2
    # shellcheck disable=SC2046 # words
    less=$(peak $(echo "$*" | sed "s/COUNT/$few/; s/FILE/few/"))
    # shellcheck disable=SC2046 # words
    more=$(peak $(echo "$*" | sed "s/COUNT/$many/; s/FILE/many/"))
    awk -v less="$less" -v more="$more" -v most="$most" -v strings=$((many - few)) 'BEGIN {
        exit !(less > 0 && 1024 * (more - less) <= most * strings + 2e6)
    }'
    ok $? "$name: $less kB, with three times as many strings $more kB"
}

grows 0 'pfsa-gen' pfsa-gen -n COUNT m.pfsa
grows 0 'gam-sample, a PFSA' gam-sample -n COUNT m.pfsa
grows 0 'gam-sample, an LSTM' gam-sample -n COUNT r.lstm
grows 0 'gam-sample, a GAM' gam-sample -n COUNT g.gam
grows 0 'motif-freq' motif-freq -m 111 FILE
grows 0 'motif-freq --ft' motif-freq -m 111 --ft 1001111 FILE
grows 0 'lm-eval, a PFSA' lm-eval m.pfsa FILE
grows 0 'lm-eval, an LSTM' lm-eval r.lstm FILE
grows 0 'lm-eval, a GAM' lm-eval g.gam FILE
grows 0 'lm-compare' lm-compare m.pfsa m.pfsa FILE
grows 0 'gam-fit, exact' gam-fit -q --base m.pfsa -m 111 --ft 1001111 FILE
grows 22 'pfsa-train' pfsa-train FILE
grows 22 'lstm-train, 16 bytes and one per symbol' lstm-train -q --hidden 4 --steps 2 FILE

# A small gzip file with much data: a file that is not a model is not read to its end, nor is a
# line without an end.
head -c 64000000 /dev/zero | gzip -1 >bomb.gz
while read -r line; do
    # shellcheck disable=SC2086 # words
    cost used $line >/dev/null 2>said
    is "$?" 1 "$line: $(cat said)"
    ok "$(awk '{ print !($3 < 8) }' used)" "memory: $(awk '{ print $3 }' used) MB"
done <<'E'
gam-fit --base bomb.gz --feature length D
gam-fit --base m.pfsa --feature length bomb.gz
gam-sample bomb.gz
lm-eval bomb.gz D
lm-eval m.pfsa bomb.gz
lm-eval --truth bomb.gz m.pfsa D
pfsa-train bomb.gz
lstm-train -q bomb.gz
lstm-train -q --init bomb.gz D
lstm-train -q --resume --checkpoint bomb.gz D
lstm-train -q --valid bomb.gz D
model-convert --from att bomb.gz
model-convert --from safetensors bomb.gz
model-info bomb.gz
motif-freq -m 111 bomb.gz
pfsa-entropy bomb.gz
pfsa-gen bomb.gz
E
done_testing
