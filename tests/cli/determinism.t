# SPDX-License-Identifier: MIT
# determinism.t: every tool gives the same bytes with any number of threads and
# any instruction set.  `make determinism` adds compilers and optimization.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# sums NAME THREADS: into the file NAME, run in its own directory
sums() {
    mkdir "$1.dir"
    (cd "$1.dir" && sh "$top/tests/support/determinism.sh" "$2") >"$1"
}

# A sanitizer looks at one run, with threads; the bytes are compared without it.
if [ "${VARIANT:-release}" != release ]; then
    sums three 3
    is "$(grep -c ' 0	' three)" 0 'every tool gives something, with three threads'
    done_testing
fi

sums one 1
results=$(grep -c "result '" "$top/tests/support/determinism.sh")
is "$(grep -c . one) $(grep -c ' 0	' one)" "$results 0" \
    "every tool gives something: $results results"
for threads in 2 3 8; do
    sums "threads-$threads" $threads
    is "$(diff one "threads-$threads")" '' "$threads threads: the same bytes as one"
done
printf '01\n' >D
for cpu in baseline avx2 avx512; do
    if GAMUT_CPU=$cpu lstm-train -q --steps 1 -o /dev/null D 2>/dev/null; then
        GAMUT_CPU=$cpu sums $cpu 2
        is "$(diff one $cpu)" '' "GAMUT_CPU=$cpu: the same bytes"
    else
        skip "GAMUT_CPU=$cpu: the same bytes" 'this machine does not run it (see make test-avx512)'
    fi
done
done_testing
