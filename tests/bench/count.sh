# SPDX-License-Identifier: MIT
# count.sh: counts the instructions of a command, for scripts that source it.  Counts are the
# same in every run and on a busy machine; seconds are not.
#
# valgrind presents the same processor to programs on every machine, so libc and the kernels
# select the same code; it has no AVX-512.

if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
    cpu=avx2
else
    cpu=baseline
fi

# What the counts depend on besides the source.
built_with() {
    {
        lstm-train --version -v | sed 1d
        getconf GNU_LIBC_VERSION 2>/dev/null
        echo "$cpu"
    } | tr -d : | paste -s -d , | sed 's/,/, /g'
}

# count COMMAND...: prints how many instructions it took
count() {
    GAMUT_CPU=$cpu valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk '/ Collected : / { n = $NF } END { if (n == 0) exit 1; print n }'
}
