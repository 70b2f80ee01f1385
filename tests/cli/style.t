# SPDX-License-Identifier: MIT
# style.t: checks of the source text that need no additional program: blanks, lengths, layers,
# words.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# Tracked files and new ones; in an unpacked release, all files.
list() {
    git ls-files --cached --others --exclude-standard 2>/dev/null ||
        find . -type f ! -path './build/*' ! -path './.git/*' | sed 's,^\./,,'
}
cd "$top" || exit 1
list | while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$work/files"
grep '\.[ch]$' "$work/files" >"$work/source"
grep '\.h$' "$work/files" >"$work/headers"
grep '^common/.*\.[ch]$' "$work/files" >"$work/common"
grep -v -e '^tests/golden/' -e '^tests/fuzz/corpus/' -e '\.gz$' "$work/files" >"$work/text"

# each LIST COMMAND...: runs the command on the listed files; its output lists violations
each() {
    list=$1
    shift
    xargs "$@" <"$work/$list" >"$work/found"
}

# none NAME: there was no violation
none() {
    [ ! -s "$work/found" ]
    ok $? "$1"
    sed 's/^/#   /' "$work/found" | head -n 20
}

blank=$(printf '[ \t]')
tab=$(printf '\t')
each text grep -HnIE "$blank\$"
none 'no blanks at the end of a line'
each source grep -Hn "$tab"
none 'no tabs in C'
each source grep -HnE '^.{101}'
none 'no line of C is longer than 100 columns'
each text grep -HnIwE 'TO''DO|FIX''ME|XX''X'
none 'no unfinished business'
each text grep -HnIE '/(home|root|work|Users)/'
none 'no path of one machine'
git ls-files 2>/dev/null | grep -v -e '^tests/golden/' -e '^tests/fuzz/corpus/' >"$work/tracked"
each tracked -r grep -LI ''
none 'nothing compiled is tracked'
each source grep -L 'SPDX-License-Identifier: MIT'
none 'every C file names the license'

# The list of words that we do not use, and whether a phrase of it is found.
sh tests/support/words.sh >"$work/found"
none 'no words of the list in tests/support/words.sh'
printf '%s\n' 'one' '/* 0.45 nats a ''character */' >"$work/bad.c"
sh tests/support/words.sh "$work/bad.c" | sed 's,.*/,,' >"$work/hits"
is "$(cut -d ' ' -f 1-4 "$work/hits")" 'bad.c:2: "nats a ''character":' 'words.sh names the line and the phrase'

# The braces of a function are alone in column 0; no others are.
# shellcheck disable=SC2016 # awk's, not the shell's
each source awk '
    FNR == 1 { start = 0 }
    /^[{]$/ { start = FNR }
    /^[}]$/ && start {
        if (FNR - start - 1 > (FILENAME ~ /^tests/ ? 60 : 40))
            print FILENAME ":" start ": " FNR - start - 1 " lines"
        start = 0
    }'
none 'no function is longer than 40 lines, of tests 60'

# shellcheck disable=SC2016
each headers awk '
    FNR == 1 { n = split(FILENAME, part, /[\/.]/); guard = "GAMUT_" toupper(part[n - 1]) "_H" }
    /^#ifndef/ && !seen[FILENAME]++ && $2 != guard { print FILENAME ": " $2 ", not " guard }'
none 'include guards are named after the file'

# The rules of common/README.md.  Its table has a row for each folder: its purpose and the
# folders that it may include.
# shellcheck disable=SC2016
sed -n 's/^| `\([a-z]*\)\/` | [^|]* | \([^|]*\) |$/\1 \2/p' common/README.md | tr -d '`/,' >"$work/folders"
find common -mindepth 1 -maxdepth 1 -type d | sed 's,common/,,' | sort >"$work/there"
cut -d ' ' -f 1 "$work/folders" | sort | diff - "$work/there" >"$work/found"
none 'common/README.md lists the folders of common/'

# shellcheck disable=SC2016
each common awk '
    FNR == NR { for (i = 1; i <= NF; i++) may[$1, $i] = 1; next }
    /^#include "/ {
        split(FILENAME, part, "/")
        n = split($2, other, /["\/]/)
        if (n != 4)
            print FILENAME ":" FNR ": " $2 " names no folder"
        else if (!((part[2], other[2]) in may))
            print FILENAME ":" FNR ": " part[2] "/ may not include " other[2] "/"
    }' "$work/folders"
none 'a module includes its own folder and those that common/README.md lists for it'

sed 's,.*/,,' "$work/common" | sort | uniq -d >"$work/found"
none 'every file of common/ has a name of its own'

# Every module has a unit test of its name, or its header names the test that covers it.
grep '^common/.*\.h$' "$work/files" | while read -r header; do
    stem=$(basename "$header" .h)
    case $stem in
    *_internal | kernel_body | simd | version) continue ;;
    esac
    [ -f "tests/unit/test_$stem.c" ] || grep -q 'Tested by tests/' "$header" || echo "$header"
done >"$work/found"
none 'every module has a test, or its header says which'

# X_internal.h belongs to the files of module X: X.c, X_part.c, X_internal.h.
# shellcheck disable=SC2016
each common awk '
    /^#include ".*_internal.h"/ {
        n = split(FILENAME, part, "/")
        split($2, other, /["\/]/)
        sub(/_internal.h/, "", other[3])
        if (part[2] != other[2] || index(part[n], other[3]) != 1)
            print FILENAME ":" FNR ": " $2 " belongs to module " other[3]
    }'
none 'no internal header of another module is included'

# X_internal.h counts as X.
# shellcheck disable=SC2016
each common awk '
    FNR == 1 {
        module = FILENAME
        sub(/common\//, "", module)
        sub(/(_internal)?\.[ch]$/, "", module)
    }
    /^#include "/ {
        split($2, quoted, "\"")
        sub(/(_internal)?\.h$/, "", quoted[2])
        if (module != quoted[2]) reaches[module, quoted[2]] = 1
        node[module]
        node[quoted[2]]
    }
    END {
        for (k in node) for (i in node) if ((i, k) in reaches)
            for (j in node) if ((k, j) in reaches) reaches[i, j] = 1
        for (i in node) for (j in node)
            if (i < j && (i, j) in reaches && (j, i) in reaches) print i " and " j " include each other"
    }'
none 'no include cycles in common/'

done_testing
