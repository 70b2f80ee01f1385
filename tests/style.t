# SPDX-License-Identifier: MIT
# style.t: what can be checked of the source text without a tool that might be
# missing: blanks, lengths, layers, stray words.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

# Tracked files and those about to be; in an unpacked release, all files.
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

# each LIST COMMAND..: runs the command on the listed files; what it prints are
# offences
each() {
    list=$1
    shift
    xargs "$@" <"$work/$list" >"$work/found"
}

# none NAME: there was no offence
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
none 'every C file names the licence'

# A function's braces stand alone in column 0; nothing else does that.
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

# layer_of MODULE: its number in tests/layers, nothing if it is not there
layer_of() {
    sed '/^#/d; /^$/d' tests/layers | {
        number=0
        while IFS=: read -r _ modules; do
            number=$((number + 1))
            for pattern in $modules; do
                # shellcheck disable=SC2254 # a pattern is meant
                case $1 in
                $pattern) echo $number && return ;;
                esac
            done
        done
    }
}

set -f
sed 's,common/,,; s,\.[ch]$,,' "$work/common" | sort -u | while read -r module; do
    echo "$module $(layer_of "$module")"
done >"$work/layers"
awk 'NF < 2 { print "common/" $1 }' "$work/layers" >"$work/found"
none 'every module has a layer in tests/layers'

# shellcheck disable=SC2016
each common awk '
    FNR == NR { layer[$1] = $2; next }
    /^#include "/ {
        split(FILENAME, part, /[\/.]/)
        split($2, other, /[".]/)
        if (layer[part[2]] != "" && layer[other[2]] > layer[part[2]])
            print FILENAME ":" FNR ": looks up to " other[2] ".h"
    }' "$work/layers"
none 'common/ only looks down'

# Modules of one layer may not include each other in a circle, but for those that are one in
# several files and share the first word of their names.
# shellcheck disable=SC2016
each common awk '
    /^#include "/ {
        split(FILENAME, part, /[\/.]/)
        split($2, other, /[".]/)
        module[part[2]]
        reaches[part[2], other[2]] = part[2] != other[2]
    }
    END {
        for (k in module) for (i in module) if (reaches[i, k])
            for (j in module) if (reaches[k, j]) reaches[i, j] = 1
        for (i in module) for (j in module) {
            split(i, a, "_")
            split(j, b, "_")
            if (reaches[i, j] && reaches[j, i] && a[1] < b[1])
                print i " and " j " include each other"
        }
    }'
none 'no circles in common/ but within a family'

done_testing
