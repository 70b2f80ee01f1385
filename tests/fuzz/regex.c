/* SPDX-License-Identifier: MIT
 *
 * A regular expression, after a digit that selects the alphabet.  If it is accepted, a string
 * has a match iff one ends somewhere in it; otherwise the error has a position.
 */
#include "automata/regex_dfa.h"
#include "automata/regex_nfa.h"
#include "core/err.h"
#include "core/mem.h"
#include "fuzz.h"
#include "text/alphabet.h"

static void
check_complete(const struct dfa *d)
{
    for (size_t i = 0; i < (size_t)d->states * d->symbols; i++)
        MUST(d->next[i] < d->states);
}

/* All strings of the first two symbols up to a length. */
static void
check_strings(const struct dfa *search, const struct regex_ends *m)
{
    enum { LENGTH = 6 };
    unsigned k = search->symbols;
    for (unsigned length = 0; length <= LENGTH; length++)
        for (unsigned x = 0; x < 1u << length; x++) {
            uint32_t p = 0, q = 0;
            bool found = false;
            for (unsigned i = 0; i < length; i++) {
                unsigned symbol = (x >> i & 1) % k;
                p = search->next[(size_t)p * k + symbol];
                q = m->dfa.next[(size_t)q * k + symbol];
                found |= m->dfa.accept[q] || (i + 1 == length && m->at_end[q]);
                MUST(m->at_end[q] >= m->dfa.accept[q]);
            }
            MUST(!found || search->accept[p]);
        }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const alphabets[] = {"01", "ACGT", "abZ09]", "\\^$*-[", "a"};
    struct err e[2] = {{0}};
    struct alphabet a;
    struct dfa search;
    struct regex_ends m;
    size_t position[2] = {0};
    if (size == 0)
        return 0;
    alphabet_init(&a, alphabets[data[0] % 5], &e[0]);
    char *text = mem_string((const char *)data + 1, size - 1, &e[0]);
    int rc = regex_dfa_search(&search, &a, text, &position[0], &e[0]);
    int ends_rc = regex_dfa_ends(&m, &a, text, &position[1], &e[1]);
    MUST(rc == e[0].code && ends_rc == e[1].code);
    MUST(rc == 0 || rc == ERR_LIMIT || (rc == ERR_USAGE && rc == ends_rc));
    MUST(rc != ERR_USAGE || (position[0] <= strlen(text) && position[0] == position[1]));
    MUST(rc != ERR_USAGE || strncmp(e[0].text, "position ", 9) == 0);
    if (rc == 0)
        check_complete(&search);
    if (ends_rc == 0)
        check_complete(&m.dfa);
    if (rc == 0 && ends_rc == 0)
        check_strings(&search, &m);
    dfa_clear(&search);
    regex_ends_clear(&m);
    mem_free(text);
    return 0;
}
