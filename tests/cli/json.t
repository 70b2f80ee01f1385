# SPDX-License-Identifier: MIT
# json.t: the output of --json is JSON also if a value is infinite or missing.  model-convert
# reads strictly: for JSON that is not a model it reports what is missing, for a model that it
# is of another kind, for other text the byte where it stops being JSON.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

pfsa-gen -l 4 -b -o m.pfsa
pfsa-gen -l 4 -m 11 -b -o some.pfsa
pfsa-gen -l 4 -n 50 -o D
: >none
gam-fit --base m.pfsa --feature motif:11 --lambda motif:11=-inf -q -o hard.gam D

# json WANTED COMMAND...: the output is JSON and has this member in it
json() {
    want=$1
    shift
    run "$@"
    is "$status" 0 "$*"
    has out "$want" "  has $want"
    cp out report
    run model-convert --from json report
    grep -q -e ' is missing or not ' -e "expected a model of kind 'pfsa'" err
    ok $? '  is JSON'
}

json '"ce": null' lm-eval -q --json m.pfsa none
json '"ce": "inf"' lm-eval -q --json some.pfsa D
json '"freq": null' motif-freq --json -m 1 none
json '"se": null' motif-freq --json --feature length none
json '"kl": "inf"' pfsa-entropy --json --relative-to some.pfsa m.pfsa
json '"ess": "inf"' gam-fit -q --json --base m.pfsa --feature motif:11 --report - -o g D
json '"lambda": "-inf"' model-info --json hard.gam

done_testing
