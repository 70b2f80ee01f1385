# SPDX-License-Identifier: MIT
# load.sh: compares the peak memory of large jobs with the bounds that the manual pages state
# (`make load`); also in build/load.tsv.  A job that fails, or takes more than its bound, is an
# error.  Takes minutes; SHRINK=100 tests the script itself.

set -u
LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build/release}
shrink=${SHRINK:-1}
PATH=$build/bin:$build/tests/bench:$PATH
export PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-load.XXXXXX") || exit 1
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
motif=10001011111000
sixtyfour=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/
million=$((1000000 / shrink))
table=${OUT:-$top/build/load.tsv}

# load BOUND COMMAND...: one row; the bound in MB
load() {
    bound=$1
    shift
    verdict=ok
    cost used "$@" >/dev/null 2>err || verdict="FAILED: $(head -n 1 err)"
    awk -v OFS='\t' -v what="$*" -v bound="$bound" -v verdict="$verdict" '{
        if (verdict == "ok" && $3 > bound)
            verdict = "TOO MUCH"
        printf "%s\t%.0f\t%.1f\t%d\t%s\n", what, $3, $2, bound, verdict
    }' used
}

all() {
    printf 'what\tpeak_mb\tcpu_seconds\tbound_mb\tok\n'

    # Many strings, out and in.
    pfsa-gen -l 30 -m $motif --build -o m.pfsa
    load 16 pfsa-gen -n $((100 * million)) m.pfsa
    load 64 gam-sample -n $((100 * million)) m.pfsa
    pfsa-gen -n $((10 * million)) -o strings m.pfsa
    head -n 1000 strings >few
    lstm-train -q --hidden 8 --steps 20 -o small.lstm few
    load 16 motif-freq -m $motif strings
    load 16 motif-freq -m $motif --ft 1001111 strings
    load 32 lm-eval m.pfsa strings
    load 32 lm-eval small.lstm strings
    load 16 gam-fit -q --base m.pfsa --regime exact -m $motif --ft 1001111 strings
    # Per string, 16 bytes plus one per symbol; and 16 MB.
    load $((10 * (16 + 30) / shrink + 16)) lstm-train -q --hidden 8 --steps 20 strings
    rm strings

    # Many symbols.
    pfsa-gen -a $sixtyfour -l 30 -m cafe --build -o m64.pfsa
    load 16 pfsa-gen -n $million -o strings64 m64.pfsa
    load 16 pfsa-entropy m64.pfsa
    load 16 motif-freq -a $sixtyfour -m cafe --feature edit:cafe strings64
    load 32 lm-eval m64.pfsa strings64
    load 16 gam-fit -q --base m64.pfsa --feature count:c strings64
    load 128 gam-sample -n $((million / 10)) m64.pfsa
    head -n $((20000 / shrink)) strings64 >few64
    load 32 lstm-train -q -a $sixtyfour --steps 1000 -o m64.lstm few64
    load 64 lm-eval m64.lstm few64
    load 128 gam-sample -n $((20000 / shrink)) m64.lstm

    # Long strings.
    pfsa-gen -l 10000 -m $motif --build -o long.pfsa
    load 256 pfsa-gen -n $((10000 / shrink)) -o long long.pfsa
    load 32 pfsa-entropy long.pfsa
    load 16 motif-freq -m $motif --ft 1001111 long
    load 32 lm-eval long.pfsa long
    load 64 gam-fit -q --base long.pfsa --feature motif:11111111111 -o long.gam long
    load 192 gam-sample -n $((10000 / shrink)) long.pfsa
    load 64 gam-sample -n 100 long.gam
    pfsa-gen --stop 0.000005 --build -o longer.pfsa
    load 192 gam-sample -n $((2000 / shrink)) --max-length 1048576 longer.pfsa
    head -n 20 long >few-long
    # 60 bytes per unit and symbol of a batch.
    load $((5 * 10000 * 64 * 60 / 1000000 + 16)) lstm-train -q --steps 3 -o long.lstm few-long
    load 32 lm-eval long.lstm few-long
    load 64 gam-sample -n 100 long.lstm

    # A large network: the file has 3 floats per parameter, of which there are 4.2 million.
    load 256 lstm-train -q --hidden 1024 --steps 3 -o wide.lstm few
    load 192 lm-eval wide.lstm few
    load 192 gam-sample -n 1000 wide.lstm
    load 160 model-info wide.lstm
    load 192 model-convert --to safetensors -o wide.st wide.lstm
    load 128 model-convert --from safetensors -a 01 --max-length 30 wide.st
}

all | tee "$table"
awk -F '\t' '$5 != "ok" { bad = 1 } END { exit bad }' "$table"
