# SPDX-License-Identifier: MIT
# run.sh TEST...: runs C units and command-line tests (*.t) under one prove(1), with one count
# at the end.  Fails also if a test left a file in the tree.  PROVEFLAGS may add options such as
# -v.

set -u

untracked() {
    git status --porcelain --untracked-files=all 2>/dev/null | grep '^??' | sort
}

before=$(untracked)
# shellcheck disable=SC2086 # PROVEFLAGS is a list of options
prove -j2 ${PROVEFLAGS-} --exec 'sh tests/support/run-one.sh' "$@"
status=$?
after=$(untracked)

if [ "$before" != "$after" ]; then
    echo 'tests: the work tree has changed while they ran:' >&2
    printf '%s\n%s\n' "$before" "$after" | sort | uniq -u >&2
    status=1
fi
exit $status
