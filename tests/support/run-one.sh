# SPDX-License-Identifier: MIT
# run-one.sh TEST: how prove(1) starts a test.  A script runs with sh; a C unit runs directly,
# with the command prefix RUN if there is one (see valgrind.sh).  A test that runs longer than
# TEST_TIMEOUT seconds is stopped and counts as failed.

# shellcheck disable=SC2086 # RUN is a command prefix of several words
case $1 in
*.t) set -- sh "$@" ;;
*) set -- ${RUN-} "$@" ;;
esac
if command -v timeout >/dev/null; then
    set -- timeout "${TEST_TIMEOUT:-600}" "$@"
fi
exec "$@"
