# SPDX-License-Identifier: MIT
# peers.sh: compiles the programs of tests/bench/peer, LSTMs over other libraries, into the
# directory of the benchmarks.  A library that is not installed is reported; the rows that need
# its program are then skipped.
#
#   CC       compiler [cc]

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
peer=$here/peer
to=$build/tests/bench
wide=
case $(uname -m) in
x86_64) wide=-mprefer-vector-width=512 ;;
esac

# compile NAME LIBRARY: unless it is newer than its source; these programs need not give the same
# bytes on every machine, so they may use all that the compiler can do
compile() {
    program=$to/$1
    if [ -x "$program" ] && [ -z "$(find "$peer" -newer "$program" -name '*.[ch]')" ]; then
        return 0
    fi
    if ! ${CC:-cc} -O3 -march=native $wide -ffast-math -D_GNU_SOURCE \
        -o "$program" "$peer/peer.c" "$peer/$1.c" -l"$2" -lm 2>"$out/$1.log"; then
        say "SKIPPED $1, it does not compile without $2 ('make bench-deps' installs it): $out/$1.log"
    fi
}

compile lstm_openblas openblas
compile lstm_onednn dnnl
