# SPDX-License-Identifier: MIT
# machine.sh: writes what the figures depend on to machine.txt: the machine, the tools, the
# peers.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

# cpu FIELD: of the first processor
cpu() {
    sed -n "s/^$1[[:blank:]]*: //p" /proc/cpuinfo 2>/dev/null | head -n 1
}

# version COMMAND...: the first line that it prints, if the command exists
version() {
    command -v "$1" >/dev/null && "$@" 2>&1 | head -n 1
}

describe() {
    echo "processor: $(cpu 'model name'), $(nproc) cores for us, cache $(cpu 'cache size')"
    echo "vectors: $(cpu flags | tr ' ' '\n' | grep -x -e avx2 -e fma -e avx512f | paste -s -d ' ')"
    echo "peak: $(peak 1 | cut -f 1) flops/s with one thread, $(peak 2 | cut -f 1) with two"
    echo "memory: $(awk '/^MemTotal/ { printf "%.1f GB", $2 / 1e6 }' /proc/meminfo 2>/dev/null)"
    echo "system: $(uname -s -r -m)"
    echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null)"
    echo "gamut: $(git -C "$top" describe --always --dirty 2>/dev/null || pfsa-gen --version)"
    echo "compiler: $(version "${CC:-cc}" --version), ${CFLAGS:--O2 -g}"
    echo "libraries: $(getconf GNU_LIBC_VERSION 2>/dev/null), $(pfsa-gen --version -v | sed 1,2d | paste -s -d ' ')"
    echo "PyTorch: $(torch && echo "$torch_version")"
    echo "BLAS: $(readlink -f "$(ldconfig -p 2>/dev/null | awk '$1 == "libblas.so.3" { print $NF; exit }')")"
    # shellcheck disable=SC2016 # not the shell's
    echo "OpenFst: $(version dpkg-query -W -f '${Version}' libfst-tools)"
    echo "grep: $(version grep --version)"
}

describe | sed 's/: *$/: none/' | tee "$out/machine.txt"
