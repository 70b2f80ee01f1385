# SPDX-License-Identifier: MIT
# doc-check.t: every tool has a manual page with exactly its options, --help, --version, and a
# message for an unknown option.  Tools are found in tools/, so a new one is checked at once.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

version=$(sed -n 's/.*GAMUT_VERSION "\(.*\)"/\1/p' "$top/common/core/version.h")

# names: the long options on stdin, one per line; --[no-]x is both x and no-x
names() {
    grep -oE -e '--(\[no-\])?[a-z][a-z0-9-]*' |
        sed -e 's/^--//' -e '/^\[no-\]/{s///;p;s/^/no-/;}' | sort -u
}

# within FILE FILE NAME: the first list contains only lines of the second
within() {
    comm -23 "$1" "$2" >extra
    [ ! -s extra ]
    ok $? "$3"
    sed 's/^/#   --/' extra
}

check_help() {
    run "$1" --help
    is "$status" 0 "$1 --help exits 0"
    [ -s out ] && [ ! -s err ]
    ok $? "$1 --help writes to stdout"
    cp out help
    is "$(awk 'length > 80' help)" '' "$1 --help fits into 80 columns"
    is "$(sed 1d help | grep -F '[' | grep -v -F '[default: ')" '' "$1 --help gives defaults in one form"
    has help "See $1(1)" "$1 --help names its manual page"
    has help 'Examples:' "$1 --help has examples"
    run "$1" no-such-file --no-such-option --seed=many -h
    [ "$status" -eq 0 ] && cmp -s out help
    ok $? "$1: -h wins over other arguments"
    run "$1" --version
    is "$status" 0 "$1 --version exits 0"
    is "$(head -n 1 out)" "$1 $version" "$1 --version names tool and version"
    "$1" --version -v | grep -qE '^compiler: (gcc|clang) [0-9]+\.[0-9]'
    ok $? "$1 --version -v names the compiler"
    for option in --help --version; do
        "$1" $option >/dev/full 2>err
        is $? 1 "$1 $option to a full disk exits 1"
        has err "$1: " "$1 $option to a full disk says so"
    done
}

check_mistake() {
    run "$1" --no-such-option
    is "$status" 2 "$1: an unknown option exits 2"
    has err no-such-option "$1: an unknown option is named"
    has err "Try '$1 --help'" "$1: help is offered"
    [ ! -s out ]
    ok $? "$1: nothing on stdout after a mistake"
    run "$1" --seed many
    is "$status" 2 "$1: a seed that is no number exits 2"
    has err "'many'" "$1: the wrong value is named"
}

# The order of the sections is the same in all pages; some may be absent.
check_sections() {
    sed -n 's/^\.Sh //p' "$2" >sections
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS OUTPUT 'EXIT STATUS' EXAMPLES DIAGNOSTICS 'SEE ALSO'; do
        grep -qx "$section" sections
        ok $? "$1(1) has a section $section"
    done
    printf '%s\n' NAME SYNOPSIS DESCRIPTION OPTIONS OUTPUT 'IMPLEMENTATION NOTES' ENVIRONMENT FILES \
        'EXIT STATUS' EXAMPLES DIAGNOSTICS 'SEE ALSO' HISTORY AUTHORS CAVEATS BUGS | grep -xF -f sections >ordered
    grep -xF -f ordered sections | cmp -s - ordered
    ok $? "$1(1) has its sections in the usual order"
    grep -qx "\.Dt $(printf '%s' "$1" | tr '[:lower:]' '[:upper:]') 1" "$2"
    ok $? "$1(1) has the right title"
}

# An option is documented by an item of a list (`.It Fl n , Fl -count Ar N`); common options may
# be mentioned anywhere.
check_options() {
    sed -nE 's/^  (-[A-Za-z0-9], |    )(--[^ ]*).*/\2/p' help | names >in-help
    sed 's/[\\]//g' "$2" | sed -n 's/Fl -\([^ ]\)/--\1/gp' | names >in-page
    sed 's/[\\]//g' "$2" | grep '^\.It' | sed -n 's/Fl -\([^ ]\)/--\1/gp' | names >items
    within in-help in-page "$1(1) knows all options of $1 --help"
    within items in-help "$1 --help knows all options of $1(1)"
}

for source in "$top"/tools/*.c; do
    tool=$(basename "$source" .c)
    check_help "$tool"
    check_mistake "$tool"
    page=$top/man/$tool.1
    [ -f "$page" ]
    ok $? "$tool has a manual page"
    if [ -f "$page" ]; then
        check_sections "$tool" "$page"
        check_options "$tool" "$page"
    fi
done

# The overview and the README mention every tool and page.
for page in "$top"/man/*.[157]; do
    file=$(basename "$page")
    has "$top/README.md" "man/$file" "README.md leads to $file"
    [ "$file" = gamut.7 ] || has "$top/man/gamut.7" "Xr ${file%.*} ${file##*.}" "gamut(7) leads to $file"
done

# Every diagnostic of a page is a message in the sources.  String literals are joined first, and
# the diagnostic is cut at its placeholders: FILE, N, N features, 01, an option; and where a tool adds
# its advice.  cli_warn adds "warning: ".
cat >stale.awk <<'EOF'
FILENAME ~ /\.c$/ { source = source "\n" $0; next }
FNR == 1 { gsub(/"[ \t\n]*"/, "", source); inside = 0 }
/^\.Sh/ { inside = /DIAGNOSTICS/ }
inside && /^\.It / {
    gsub(/^\.It "?(warning: )?|"$/, "")
    n = split($0, part, /'[^' ]*'|FILE|LINE|--[a-z-]+|[^a-zA-Z][A-Z][^a-zA-Z]|^[A-Z] | [A-Z]$|[0-9]+|\.\.\.?|; | N [a-z]+s: /)
    for (i = 1; i <= n; i++) {
        gsub(/^[ :,;]+|[ :,;]+$/, "", part[i])
        if (length(part[i]) > 3 && index(source, part[i]) == 0)
            print FILENAME ": " $0
    }
    known++
}
END { print known > "known" }
EOF
awk -f stale.awk "$top"/common/*/*.c "$top"/tools/*.c "$top"/man/*.1 >stale
is "$(cat stale)" '' "the $(cat known) diagnostics of the pages are messages of the tools"

# The formula of --average, which test_training.c checks.
if command -v mandoc >/dev/null; then
    mandoc -T utf8 "$top/man/lstm-train.1" | col -b | tr -s '[:space:]' ' ' >average
    has average 'at most (t + 9)/10: the weight of the latest parameters is the larger of 1' \
        'lstm-train(1) says how far an average reaches back'
    has average 'and 10/(t + 9).' 'and with which weights'
else
    skip 'lstm-train(1) says how far an average reaches back' 'no mandoc'
fi

# The environment variables that the library reads, except for fault injection, are in the page
# that all tools refer to.
grep -ho 'getenv("GAMUT_[A-Z_]*")' "$top"/common/*/*.c | cut -d '"' -f 2 | grep -v FAULT >asked
while read -r name; do
    has "$top/man/gamut.7" "$name" "gamut.7 explains $name"
done <asked

done_testing
