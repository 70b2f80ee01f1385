# SPDX-License-Identifier: MIT
# man-examples.t: runs every example of the manual and of README.md, and compares the output.
#
# In the section EXAMPLES, a `.Bd -literal` block holds `$ command` lines, each followed by its
# exact output.  In README.md, a block ```console does the same, and a block ```sh run is one
# script that prints nothing.  Blocks marked `slow` are skipped if a sanitizer would make them
# even slower.  A backslash continues a command in the next line.  The commands of a page run in
# order in one fresh directory, each with its own sh, and must succeed.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

hurry=
[ "${VARIANT:-release}" = release ] || hurry=1

# extract PAGE: writes the n-th example to the files n.cmd and n.out
# shellcheck disable=SC2016 # awk's, not the shell's
extract() {
    awk -v hurry="$hurry" '
    # The characters that a manual page must write as escapes.
    function plain(s) {
        if (markdown)
            return s
        gsub(/\\&/, "", s); gsub(/\\-/, "-", s); gsub(/\\\(aq/, "\047", s)
        gsub(/\\\(dq/, "\"", s); gsub(/\\\(ti/, "~", s); gsub(/\\\(ha/, "^", s)
        gsub(/\\\(ga/, "`", s); gsub(/\\\(rs|\\e/, "\\", s)
        return s
    }
    BEGIN { markdown = examples = (ARGV[1] ~ /\.md$/) }
    /^\.Sh/ { examples = ($2 == "EXAMPLES") }
    !examples { next }
    hurry && /^```(console|sh run) slow/ { next }
    /^\.Bd -literal/ || /^```console/ { block = 1; more = 0; name = ""; next }
    /^```sh run/ { script = 1; name = ++n; printf "" >name ".out"; next }
    /^\.Ed/ || /^```/ { block = script = 0; next }
    script { print >name ".cmd" }
    !block { next }
    {
        line = plain($0)
        if (more) {
            sub(/^> ?/, "", line)
            print line >name ".cmd"
        } else if (line ~ /^\$ /) {
            name = ++n
            printf "" >name ".out"
            line = substr(line, 3)
            print line >name ".cmd"
        } else if (name != "")
            print line >name ".out"
        more = (name != "" && line ~ /\\$/ && (more || $0 ~ /^\$ /))
    }' "$1"
}

# example PAGE N: one test
example() {
    (cd run && sh "../$2.cmd" >../got 2>../talk </dev/null)
    status=$?
    cmp -s got "$2.out" && [ $status -eq 0 ]
    ok $? "$1: $(head -n 1 "$2.cmd")"
    if ! cmp -s got "$2.out" || [ $status -ne 0 ]; then
        diff "$2.out" got | sed 's/^/#   /'
        sed 's/^/#   /' talk
        echo "#   exit status $status"
    fi
}

for page in "$top"/README.md "$top"/man/*.[157]; do
    rm -rf "$work/page"
    mkdir -p "$work/page/run"
    cd "$work/page" || exit 1
    case ${VARIANT-}$page in
    valgrind*gamut-pipelines.7) skip "$(basename "$page")" 'trains for hours under valgrind' && continue ;;
    esac
    extract "$page"
    n=1
    while [ -f $n.cmd ]; do
        example "$(basename "$page")" $n
        n=$((n + 1))
    done
done
cd "$work" || exit 1

done_testing
