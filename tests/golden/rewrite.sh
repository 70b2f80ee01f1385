# SPDX-License-Identifier: MIT
# rewrite.sh: makes the golden models anew (`make golden`).  They are kept so
# that files of this version of the format stay readable; look at the diff
# before committing it, and keep the old file if the format has changed.
set -eu
cd "$(dirname "$0")"
pfsa-gen -b -l 8 -m 101 --mix 0.9 -o mixture.pfsa
pfsa-gen -b --stop 0.25 -a ACGT --probs 0.1,0.2,0.3,0.4 -x GG -o dna.pfsa
