# SPDX-License-Identifier: MIT
# deps.sh build|lint|guard|analyse|bench|portability|slurm: checks for the
# programs that a purpose needs, and
# installs missing ones with the system's package manager, as root or by a sudo that does not
# ask for a password.  If it may not, it prints the command to run and fails.  If nothing is
# missing, it prints nothing.

set -u

# Package names differ by system; the columns are apt, dnf, apk, pacman, brew, and - where the
# system has it anyway or does not have it.
packages='
cc          gcc             gcc             gcc           gcc        gcc
libc        libc6-dev       glibc-devel     musl-dev      -          -
zlib        zlib1g-dev      zlib-devel      zlib-dev      zlib       zlib
xxhash      libxxhash-dev   xxhash-devel    xxhash-dev    xxhash     xxhash
prove       perl            perl-Test-Harness perl-utils  perl       perl
mandoc      mandoc          mandoc          mandoc        mandoc     mandoc
shellcheck  shellcheck      ShellCheck      shellcheck    shellcheck shellcheck
cppcheck    cppcheck        cppcheck        cppcheck      cppcheck   cppcheck
clang       clang           clang           clang         clang      -
clang-format clang-format   clang-tools-extra clang-extra-tools clang clang-format
clang-tidy  clang-tidy      clang-tools-extra clang-extra-tools clang -
openfst     libfst-tools    openfst-tools   -             -          openfst
torch       python3-torch   python3-torch   py3-pytorch   python-pytorch pytorch
blas        libopenblas0    openblas        openblas      openblas   openblas
openblas    libopenblas-dev openblas-devel  openblas-dev  openblas   openblas
onednn      libdnnl-dev     onednn-devel    onednn-dev    onednn     onednn
gnuplot     gnuplot-nox     gnuplot         gnuplot       gnuplot    gnuplot
valgrind    valgrind        valgrind        valgrind      valgrind   valgrind
lambda      bowtie2-examples -              -             -          -
aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu - - - -
libc-arm64  libc6-dev-arm64-cross - - - -
i686-linux-gnu-gcc gcc-i686-linux-gnu - - - -
libc-i386   libc6-dev-i386-cross - - - -
musl-gcc    musl-tools      -               -             -          -
qemu-aarch64 qemu-user      -               -             -          -
qemu-i386   qemu-user       -               -             -          -
slurmctld   slurm-wlm       slurm-slurmctld slurm         -          -
slurmd      slurm-wlm       slurm-slurmd    slurm         -          -
munged      munge           munge           munge         munge      -
'

has_program() {
    command -v "$1" >/dev/null 2>&1
}

# compiles TEXT: whether the compiler accepts a translation unit
compiles() {
    # shellcheck disable=SC2086 # CC, CPPFLAGS may hold options
    printf '%s\n' "$1" | ${CC:-cc} ${CPPFLAGS-} -fsyntax-only -x c - 2>/dev/null
}

have() {
    case $1 in
    # In the usual case, with all headers in place, this is one run of the compiler.
    headers) compiles '#include <stdio.h>
        #include <zlib.h>
        #include <xxhash.h>
        XXH3_state_t *state;' ;;
    cc) has_program "${CC:-cc}" ;;
    libc) compiles '#include <stdio.h>' ;;
    zlib) compiles '#include <zlib.h>' ;;
    xxhash) compiles '#include <xxhash.h>
        XXH3_state_t *state;' ;;
    openfst) has_program fstrandgen ;;
    torch) python3 -c 'import torch' 2>/dev/null || /usr/bin/python3 -c 'import torch' 2>/dev/null ;;
    libc-arm64) [ -f /usr/aarch64-linux-gnu/include/stdio.h ] ;;
    libc-i386) [ -f /usr/i686-linux-gnu/include/stdio.h ] ;;
    # Debian's PyTorch accepts any BLAS; the reference BLAS would be a slow peer.
    blas) ldconfig -p 2>/dev/null | grep -q libopenblas ;;
    # Other libraries have a cblas.h as well.
    openblas) compiles '#include <cblas.h>
        int (*threads)(void) = openblas_get_num_threads;' ;;
    # the genome of phage lambda, of row design-lstm
    lambda) [ -r /usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz ] ;;
    onednn) compiles '#include <dnnl.h>' ;;
    *) has_program "$1" ;;
    esac
}

# Sets `manager` to the command that installs, and `column` to its package names.
find_manager() {
    column=1
    for manager in apt-get dnf apk pacman brew; do
        column=$((column + 1))
        has_program $manager && break
        manager=
    done
    case $manager in
    apt-get) manager='apt-get install -y --no-install-recommends' ;;
    dnf) manager='dnf install -y' ;;
    apk) manager='apk add' ;;
    pacman) manager='pacman -S --noconfirm --needed' ;;
    brew) manager='brew install' ;;
    esac
}

# How to become root without a password; fails if there is no way.
as_root() {
    case $manager in
    brew*) return 0 ;;
    esac
    [ "$(id -u)" -eq 0 ] && return 0
    sudo='sudo '
    has_program sudo && sudo -n true 2>/dev/null
}

# shellcheck disable=SC2086 # sudo, manager and names are lists of words
install_packages() {
    echo "deps: installing: $names" >&2
    # The package lists of a fresh machine may be empty or old.
    case $manager in
    apt-get*)
        ${sudo}apt-get update -qq >&2
        ${sudo}env DEBIAN_FRONTEND=noninteractive $manager $names >&2
        ;;
    *) ${sudo}$manager $names >&2 ;;
    esac
}

case ${1-} in
build) wanted='cc libc zlib xxhash prove' ;;
lint) wanted='mandoc shellcheck cppcheck clang clang-format' ;;
guard) wanted='valgrind' ;;
analyse) wanted='clang-tidy' ;;
bench) wanted='openfst torch blas openblas onednn gnuplot valgrind lambda' ;;
portability)
    wanted='aarch64-linux-gnu-gcc libc-arm64 i686-linux-gnu-gcc libc-i386 musl-gcc qemu-aarch64 qemu-i386'
    ;;
slurm)
    wanted='slurmctld slurmd munged'
    PATH=$PATH:/usr/sbin:/sbin
    ;;
*)
    echo 'usage: deps.sh build|lint|guard|analyse|bench|portability|slurm' >&2
    exit 2
    ;;
esac

[ "$1" = build ] && have headers && wanted='prove'
missing=
for need in $wanted; do
    have "$need" || missing="$missing $need"
done
[ -n "$missing" ] || exit 0

sudo=
find_manager
if [ -z "$manager" ]; then
    echo "deps: please install:$missing" >&2
    exit 1
fi
names=
for need in $missing; do
    name=$(printf '%s' "$packages" | awk -v n="$need" -v c=$column '$1 == n { print $c }')
    [ "$name" = - ] || names="$names $name"
done
names=${names# }

# `make lint-deps bench-deps` runs this script twice, and package managers do not wait for each
# other.
exec 9<"$0"
! has_program flock || flock 9
if ! as_root || ! install_packages; then
    echo "deps: missing:$missing; please run: ${sudo}$manager $names" >&2
    exit 1
fi
for need in $missing; do
    have "$need" && continue
    echo "deps: '$need' is still missing after: ${sudo}$manager $names" >&2
    exit 1
done
