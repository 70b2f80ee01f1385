# SPDX-License-Identifier: MIT
# rewrite.sh: makes the golden models again (`make golden`).  They ensure that files of this
# version of the format stay readable; look at the diff before committing it, and keep the old
# file if the format has changed.
set -eu
cd "$(dirname "$0")"
pfsa-gen -b -l 8 -m 101 --mix 0.9 -o mixture.pfsa
pfsa-gen -b --stop 0.25 -a ACGT --probs 0.1,0.2,0.3,0.4 -x GG -o dna.pfsa
printf 'ACGT\nGATTACA\nTTT\n' | lstm-train -q -a ACGT --hidden 3 --layers 2 --steps 3 -o dna.lstm
printf '0101\n1101\n0011\n' >strings
lstm-train -q --hidden 2 --epochs 2 --free-length --checkpoint epoch.lstm -o /dev/null strings
lstm-train -q --hidden 2 --epochs 2 --checkpoint fixed.lstm -o /dev/null strings
gam-fit -q --base mixture.pfsa -m 1011 --ft 1111111 --feature suffix:1 --feature edit:01 \
    --feature count:11 --lambda motif:00=-inf --feature motif:00 -o mixture.gam - <<END
01010110
11010110
END
printf 'ACGT\nGATTACA\n' | gam-fit -q --base dna.lstm --feature length --feature lcs:TTA \
    --feature prefix:G --max-length 15 -o dna.gam
printf 'ACGT\nGATTACA\n' | gam-fit -q --base dna.lstm --feature motif:GA --lambda motif:GA=-2 \
    --max-length 15 -o estimate.gam
printf '\303\251t\303\251\nt\303\251 t\n' | pfsa-train -q -a auto --order 1 --smoothing wb -o utf8.pfsa
printf 'atg gcc taa\natg taa\n' | lstm-train -q --tokens --hidden 2 --steps 2 -o tokens.lstm
printf 'atg gcc taa\natg taa\n' | gam-fit -q --base tokens.lstm --feature 'motif:gcc taa' \
    --feature count:atg -o tokens.gam
lm-mix --weights 0.3,0.7 -o dna.mix dna.lstm dna.pfsa
rm -f strings
