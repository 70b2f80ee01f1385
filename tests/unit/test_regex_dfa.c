/* SPDX-License-Identifier: MIT
 * regex_dfa: random expressions against grep -E and against a plain evaluation of their
 * syntax trees, on all short strings and some longer ones; sizes of known minimal automata;
 * malformed expressions; limits. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "automata/regex_dfa.h"
#include "automata/regex_nfa.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "support/tempfile.h"
#include "text/alphabet.h"

enum {
    EXPRESSIONS = 60, /* per alphabet */
    STRINGS_MAX = 700,
    RANDOM_STRINGS = 100,
    LENGTH_MAX = 40, /* below the bits of a uint64_t */
    TREES_MAX = 64,
    TEXT_MAX = 2000
};

/* ---- random expressions, and what they match */

enum tree_kind { EMPTY, SYMBOL, START, END, SEQUENCE, EITHER, REPEAT };

struct tree {
    enum tree_kind kind;
    char text[40];       /* of a symbol */
    bool set[128];       /* its characters */
    unsigned min, max;   /* of a repetition; max 0 is none */
    const char *repeats; /* its operator */
    struct tree *left, *right;
};

struct generator {
    struct rng r;
    const struct alphabet *alphabet;
    struct tree tree[TREES_MAX];
    size_t count;
    char text[TEXT_MAX];
    size_t length;
};

static unsigned
below(struct generator *g, unsigned n)
{
    return (unsigned)rng_below(&g->r, n);
}

static char
random_character(struct generator *g)
{
    return g->alphabet->text[below(g, g->alphabet->size)];
}

static void
add_text(char *to, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsprintf(to + strlen(to), format, ap);
    va_end(ap);
}

static void
random_literal(struct generator *g, struct tree *t)
{
    char c = random_character(g);
    add_text(t->text, strchr(".[\\()*+?{|^$", c) != NULL ? "\\%c" : "%c", c);
    t->set[(unsigned char)c] = true;
}

/* A character or range that means itself anywhere in brackets, or a class. */
static void
random_item(struct generator *g, struct tree *t)
{
    char low = random_character(g), high = random_character(g);
    if (below(g, 5) == 0) {
        bool digits = below(g, 2) == 0;
        add_text(t->text, digits ? "[:digit:]" : "[:alpha:]");
        for (int c = 0; c < 128; c++)
            t->set[c] |= digits ? isdigit(c) != 0 : isalpha(c) != 0;
        return;
    }
    if (strchr("^]-[", low) != NULL)
        low = 'a';
    if (strchr("^]-[", high) != NULL || high < low || below(g, 2) == 0)
        high = low;
    add_text(t->text, low < high ? "%c-%c" : "%c", low, high);
    for (int c = low; c <= high; c++)
        t->set[c] = true;
}

static void
add_special(struct generator *g, struct tree *t, char c)
{
    if (below(g, 3) != 0)
        return;
    add_text(t->text, "%c", c);
    t->set[(unsigned char)c] = true;
}

static void
random_brackets(struct generator *g, struct tree *t)
{
    bool negated = below(g, 3) == 0, any = false;
    add_text(t->text, negated ? "[^" : "[");
    add_special(g, t, ']');
    for (unsigned n = 1 + below(g, 2); n > 0; n--)
        random_item(g, t);
    add_special(g, t, '^');
    add_special(g, t, '[');
    add_special(g, t, '-');
    add_text(t->text, "]");
    for (unsigned s = 0; s < g->alphabet->size; s++)
        any |= t->set[(unsigned char)g->alphabet->text[s]];
    for (int c = 0; negated && c < 128; c++)
        t->set[c] = !t->set[c];
    if (any || negated)
        return;
    *t = (struct tree){.kind = SYMBOL};
    random_literal(g, t);
}

static void
random_symbol(struct generator *g, struct tree *t)
{
    t->kind = SYMBOL;
    switch (below(g, 4)) {
    case 0:
        strcpy(t->text, ".");
        memset(t->set, true, sizeof t->set);
        break;
    case 1:
        random_brackets(g, t);
        break;
    default:
        random_literal(g, t);
    }
}

static void
random_repetition(struct generator *g, struct tree *t)
{
    static const struct {
        const char *text;
        unsigned min, max;
    } kinds[] = {{"*", 0, 0},     {"+", 1, 0},     {"?", 0, 1},    {"{2}", 2, 2},
                 {"{0,2}", 0, 2}, {"{1,3}", 1, 3}, {"{0,}", 0, 0}, {"{2,}", 2, 0}};
    unsigned k = below(g, sizeof kinds / sizeof kinds[0]);
    t->kind = REPEAT;
    t->repeats = kinds[k].text;
    t->min = kinds[k].min;
    t->max = kinds[k].max;
}

static struct tree *
random_tree(struct generator *g, unsigned size)
{
    struct tree *t = &g->tree[g->count++];
    *t = (struct tree){.kind = EMPTY};
    unsigned kind = below(g, 20);
    if (size <= 1 && kind < 3)
        t->kind = kind == 0 ? EMPTY : kind == 1 ? START : END;
    else if (size <= 1)
        random_symbol(g, t);
    else if (kind < 5) {
        random_repetition(g, t);
        t->left = random_tree(g, size - 1);
    } else {
        unsigned left = 1 + below(g, size - 1);
        t->kind = kind < 9 ? EITHER : SEQUENCE;
        t->left = random_tree(g, left);
        t->right = random_tree(g, size - left);
    }
    return t;
}

/* With as few parentheses as possible, or some more. */
static void
write_tree(struct generator *g, const struct tree *t, int level)
{
    static const int levels[] = {[EMPTY] = 1,    [SYMBOL] = 3, [START] = 2, [END] = 2,
                                 [SEQUENCE] = 1, [EITHER] = 0, [REPEAT] = 2};
    bool group = levels[t->kind] < level || below(g, 16) == 0;
    add_text(g->text, group ? "(" : "");
    if (t->kind == SYMBOL)
        add_text(g->text, "%s", t->text);
    else if (t->kind == START || t->kind == END)
        add_text(g->text, t->kind == START ? "^" : "$");
    else if (t->kind != EMPTY) {
        write_tree(g, t->left, t->kind == REPEAT ? 3 : t->kind == SEQUENCE ? 2 : 0);
        add_text(g->text, "%s", t->kind == REPEAT ? t->repeats : t->kind == EITHER ? "|" : "");
        if (t->kind != REPEAT)
            write_tree(g, t->right, t->kind == SEQUENCE ? 2 : 0);
    }
    add_text(g->text, group ? ")" : "");
}

static uint64_t match_ends(const struct tree *t, const char *x, size_t n, uint64_t begins);

/* Places where `min` to `max` matches in a row can end. */
static uint64_t
repetition_ends(const struct tree *t, const char *x, size_t n, uint64_t begins)
{
    uint64_t places = begins, all = t->min == 0 ? begins : 0;
    for (unsigned i = 1; places != 0 && (t->max == 0 || i <= t->max); i++) {
        places = match_ends(t->left, x, n, places);
        if (i > t->min)
            places &= ~all; /* only new ones are of interest */
        if (i >= t->min)
            all |= places;
    }
    return all;
}

/* The set of places where a match that begins at one of `begins` can end; place i is before
 * x[i]. */
static uint64_t
match_ends(const struct tree *t, const char *x, size_t n, uint64_t begins)
{
    uint64_t ends = 0;
    switch (t->kind) {
    case EMPTY:
        return begins;
    case START:
        return begins & 1;
    case END:
        return begins & (uint64_t)1 << n;
    case SYMBOL:
        for (size_t i = 0; i < n; i++)
            if (begins >> i & 1 && t->set[(unsigned char)x[i]])
                ends |= (uint64_t)2 << i;
        return ends;
    case SEQUENCE:
        return match_ends(t->right, x, n, match_ends(t->left, x, n, begins));
    case EITHER:
        return match_ends(t->left, x, n, begins) | match_ends(t->right, x, n, begins);
    default:
        return repetition_ends(t, x, n, begins);
    }
}

/* ---- strings */

struct strings {
    char text[STRINGS_MAX][LENGTH_MAX + 1];
    size_t count;
    char path[TEMPFILE_MAX]; /* one per line */
};

static void
add_all(struct strings *s, const struct alphabet *a, const char *prefix, size_t more)
{
    char *text = s->text[s->count++];
    strcpy(text, prefix);
    for (unsigned c = 0; more > 0 && c < a->size; c++) {
        char longer[LENGTH_MAX + 1];
        sprintf(longer, "%s%c", text, a->text[c]);
        add_all(s, a, longer, more - 1);
    }
}

static void
make_strings(struct strings *s, const struct alphabet *a, struct generator *g)
{
    s->count = 0;
    add_all(s, a, "", a->size == 2 ? 8 : a->size == 4 ? 4 : 3);
    for (int i = 0; i < RANDOM_STRINGS; i++) {
        char *text = s->text[s->count++];
        size_t n = 4 + below(g, LENGTH_MAX - 3);
        for (size_t k = 0; k < n; k++)
            text[k] = random_character(g);
        text[n] = '\0';
    }
    tempfile_new(s->path);
    FILE *f = fopen(s->path, "w");
    for (size_t i = 0; f != NULL && i < s->count; i++)
        fprintf(f, "%s\n", s->text[i]);
    if (f != NULL)
        fclose(f);
}

/* ---- comparisons */

static uint32_t
next_state(const struct dfa *d, const struct alphabet *a, uint32_t q, char c)
{
    uint8_t symbol = 0;
    size_t n;
    alphabet_encode(a, &c, 1, &symbol, &n);
    return d->next[(size_t)q * d->symbols + symbol];
}

static bool
accepts(const struct dfa *d, const struct alphabet *a, const char *x)
{
    uint32_t q = 0;
    for (; *x != '\0'; x++)
        q = next_state(d, a, q, *x);
    return d->accept[q];
}

/* Whether all strings that grep prints, and no others, are accepted. */
static bool
agrees_with_grep(const struct dfa *d, const struct alphabet *a, const struct strings *s,
                 const char *expression)
{
    char path[TEMPFILE_MAX], command[200], line[100];
    bool found[STRINGS_MAX] = {false}, same = true;
    tempfile_new(path);
    FILE *f = fopen(path, "w");
    if (f == NULL)
        return false;
    fprintf(f, "%s\n", expression);
    fclose(f);
    snprintf(command, sizeof command, "LC_ALL=C exec grep -n -a -E -f %s %s", path, s->path);
    f = popen(command, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        found[strtoul(line, NULL, 10) - 1] = true;
    int status = f == NULL ? -1 : pclose(f);
    unlink(path);
    for (size_t i = 0; i < s->count; i++)
        same &= accepts(d, a, s->text[i]) == found[i];
    return same && status >= 0 && status / 256 < 2;
}

static bool
agrees_with_tree(const struct dfa *d, const struct alphabet *a, const struct strings *s,
                 const struct tree *t)
{
    bool same = true;
    for (size_t i = 0; i < s->count; i++) {
        size_t n = strlen(s->text[i]);
        uint64_t anywhere = ((uint64_t)2 << n) - 1;
        same &= accepts(d, a, s->text[i]) == (match_ends(t, s->text[i], n, anywhere) != 0);
    }
    return same;
}

/* Whether each place where a nonempty match ends is found, and no other. */
static bool
ends_agree(const struct regex_ends *m, const struct alphabet *a, const struct strings *s,
           const struct tree *t)
{
    bool same = m->dfa.accept[0] == 0 && m->at_end[0] == 0;
    for (size_t i = 0; i < s->count; i++) {
        const char *x = s->text[i];
        size_t n = strlen(x);
        uint64_t ends = 0;
        for (size_t k = 0; k < n; k++)
            ends |= match_ends(t, x, n, (uint64_t)1 << k) & ~((uint64_t)1 << k);
        uint32_t q = 0;
        for (size_t k = 1; k <= n; k++) {
            q = next_state(&m->dfa, a, q, x[k - 1]);
            same &= (k < n ? m->dfa.accept[q] : m->at_end[q]) == (ends >> k & 1);
        }
    }
    return same;
}

/* Classes of states by Moore's algorithm; `at_end` may be NULL. */
static uint32_t
distinguishable(const struct dfa *d, const uint8_t *at_end)
{
    uint32_t n = d->states, groups = 0, before;
    uint32_t *group = mem_zero(2 * (size_t)n, sizeof *group, IGNORE_ERR), *next = group + n;
    for (uint32_t q = 0; q < n; q++)
        group[q] = d->accept[q] + (at_end != NULL ? 2u * at_end[q] : 0);
    do {
        before = groups;
        groups = 0;
        for (uint32_t q = 0; q < n; q++) {
            uint32_t p = 0;
            for (bool same = false; p < q; p++) {
                same = group[p] == group[q];
                for (unsigned c = 0; same && c < d->symbols; c++)
                    same = group[d->next[p * d->symbols + c]] == group[d->next[q * d->symbols + c]];
                if (same)
                    break;
            }
            next[q] = p < q ? next[p] : groups++;
        }
        memcpy(group, next, n * sizeof *group);
    } while (groups != before);
    mem_free(group);
    return groups;
}

/* Complete, numbered breadth first, without two equivalent states. */
static bool
is_minimal(const struct dfa *d, const uint8_t *at_end)
{
    uint32_t found = 1;
    for (uint32_t i = 0; i < d->states * d->symbols; i++) {
        if (d->next[i] > found || d->next[i] >= d->states)
            return false;
        found += d->next[i] == found;
    }
    return found == d->states && distinguishable(d, at_end) == d->states;
}

struct tally {
    int refused, grep, tree, ends, larger;
    size_t pairs;
};

static void
compare(struct generator *g, const struct strings *s, bool grep, struct tally *n)
{
    struct dfa d;
    struct regex_ends m;
    g->count = 0;
    g->text[0] = '\0';
    const struct tree *t = random_tree(g, 1 + below(g, 12));
    write_tree(g, t, 0);
    if (regex_dfa_search(&d, g->alphabet, g->text, NULL, IGNORE_ERR) != 0 ||
        regex_dfa_ends(&m, g->alphabet, g->text, NULL, IGNORE_ERR) != 0) {
        n->refused++;
        printf("#   refused: %s\n", g->text);
        return;
    }
    struct tally before = *n;
    n->grep += grep && !agrees_with_grep(&d, g->alphabet, s, g->text);
    n->tree += !agrees_with_tree(&d, g->alphabet, s, t);
    n->ends += !ends_agree(&m, g->alphabet, s, t);
    n->larger += !is_minimal(&d, NULL) || !is_minimal(&m.dfa, m.at_end);
    if (memcmp(&before, n, sizeof before) != 0)
        printf("#   wrong: %s\n", g->text);
    n->pairs += s->count;
    dfa_clear(&d);
    regex_ends_clear(&m);
}

static size_t
test_random(const char *chars, bool grep)
{
    static struct generator g;
    static struct strings s;
    struct alphabet a;
    struct tally n = {0};
    alphabet_init(&a, chars, IGNORE_ERR);
    g.alphabet = &a;
    rng_init(&g.r, 1, "test_regex_dfa", (unsigned char)chars[0]);
    make_strings(&s, &a, &g);
    for (int i = 0; i < EXPRESSIONS; i++)
        compare(&g, &s, grep, &n);
    ok(n.refused == 0, "'%s': %d random expressions are accepted", chars, EXPRESSIONS);
    if (grep)
        ok(n.grep == 0, "'%s': search agrees with grep -E on %zu pairs", chars, n.pairs);
    else
        tap_skip("search agrees with grep -E", "no GNU grep");
    ok(n.tree == 0, "'%s': search agrees with evaluation of the tree", chars);
    ok(n.ends == 0, "'%s': ends of matches agree with evaluation of the tree", chars);
    ok(n.larger == 0, "'%s': automata are minimal and complete, in breadth-first order", chars);
    unlink(s.path);
    return n.pairs;
}

/* ---- single expressions */

static void
test_sizes(void)
{
    static const struct {
        const char *alphabet, *expression;
        uint32_t states;
    } table[] = {
        {"01", "", 1},
        {"01", "()", 1},
        {"01", "0", 2},
        {"01", "^", 1},
        {"01", "$", 1},
        {"01", "^$", 2},
        {"01", "$^", 2},
        {"01", "0^1", 1},
        {"01", "0$1", 1},
        {"01", "[^01]", 1},
        {"01", "^0$", 3},
        {"01", "(^0|1$)", 4},
        {"01", "^(00)*$", 3},
        {"01", "10001011111000", 15},
        {"01", "1...$", 16},
        {"01", "(0|1)*1(0|1){4}$", 32},
        {"01", "^(0|1(01*0)*1)*$", 3}, /* binary numbers divisible by 3 */
        {"ACGT", "GGTCTC|GAGACC", 10},
        {"ACGT", "^.{20,40}$", 42},
        {"ACGT", "^([^G]|G[^C])*G?$", 3}, /* no GC, but only if G and C alternate so */
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct alphabet a;
        struct dfa d;
        struct err e = {0};
        alphabet_init(&a, table[i].alphabet, IGNORE_ERR);
        int rc = regex_dfa_search(&d, &a, table[i].expression, NULL, &e);
        ok(rc == 0 && d.states == table[i].states, "'%s' has %u states, expected %u %s",
           table[i].expression, d.states, table[i].states, e.text);
        dfa_clear(&d);
    }
}

/* By state of the match, then at the end of the string. */
static void
test_ends(void)
{
    static const struct {
        const char *expression, *text, *ends;
    } table[] = {
        {"1", "01101", ".xx.x"},  {"11$", "1111", "...x"}, {"1$|00", "10011", "..x.x"},
        {"1*", "01101", ".xx.x"}, {"^1", "111", "x.."},    {"^1*", "1101", "xx.."},
        {"$", "01", ".."},        {"(1$)?", "111", "..x"}, {"^0?1$", "01", ".x"},
        {"0.*", "1010", ".xxx"},  {"1^", "11", ".."},      {"(0|^)1", "1101", "x..x"},
    };
    struct alphabet a;
    alphabet_init(&a, "01", IGNORE_ERR);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct regex_ends m;
        bool same = regex_dfa_ends(&m, &a, table[i].expression, NULL, IGNORE_ERR) == 0;
        uint32_t q = 0;
        for (size_t k = 0; same && table[i].text[k] != '\0'; k++) {
            q = next_state(&m.dfa, &a, q, table[i].text[k]);
            uint8_t found = table[i].text[k + 1] != '\0' ? m.dfa.accept[q] : m.at_end[q];
            same = found == (table[i].ends[k] == 'x');
        }
        ok(same, "matches of '%s' in %s", table[i].expression, table[i].text);
        regex_ends_clear(&m);
    }
}

/* Characters and brackets over an alphabet with special ones. */
static void
test_syntax(void)
{
    static const struct {
        const char *expression, *accepted, *rejected;
    } table[] = {
        {"^[]a]$", "]", "^"},
        {"^[^]a]$", "^", "]"},
        {"^[a-]$", "-", "b"},
        {"^[-a]$", "-", "b"},
        {"^[+--]$", "-", "a"},
        {"^[a^]$", "^", "b"},
        {"^[\\]$", "\\", "a"},
        {"^[a\\]]$", "\\]", "]"},
        {"^\\\\$", "\\", "a"},
        {"^\\]\\-$", "]-", "a"},
        {"^]-$", "]-", "a"},
        {"^[[:punct:]]+$", "\\-", "a"},
        {"^[:]$", ":", "a"},
        {"^[:a]$", ":", "b"},
        {"^[[:alpha:]-]$", "-", "^"},
        {"^[[:lower:]B]$", "B", "^"},
        {"^[a-zX]$", "b", "B"},
        {"^\\^b$", "^b", "b"},
        {"^[[a]$", "[", "]"},
        {"^[^[:upper:]]$", "a", "B"},
        {"^(a|)$", "", "b"},
        {"^a{0}$", "", "a"},
        {"^(a{2}){2}$", "aaaa", "aaa"},
        {"^(a*)?b$", "b", "a"},
        {"^(^a)+$", "a", "aa"},
        {"^(a$)+$", "a", "aa"},
    };
    struct alphabet a;
    alphabet_init(&a, "abB^]-[\\:", IGNORE_ERR);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct dfa d;
        struct err e = {0};
        int rc = regex_dfa_search(&d, &a, table[i].expression, NULL, &e);
        ok(rc == 0 && accepts(&d, &a, table[i].accepted) && !accepts(&d, &a, table[i].rejected),
           "'%s' accepts '%s', not '%s' %s", table[i].expression, table[i].accepted,
           table[i].rejected, e.text);
        dfa_clear(&d);
    }
}

static void
test_malformed(void)
{
    static const struct {
        const char *expression;
        size_t position;
        const char *text;
    } table[] = {
        {"01)", 2, "unmatched ')'"},
        {"0(1", 1, "missing ')'"},
        {"(0(1)", 0, "missing ')'"},
        {"0[1", 1, "missing ']'"},
        {"0[]", 1, "missing ']'"},
        {"0[^]", 1, "missing ']'"},
        {"[0-", 0, "missing ']'"},
        {"[", 0, "missing ']'"},
        {"*0", 0, "nothing to repeat before '*'"},
        {"0|+", 2, "nothing to repeat before '+'"},
        {"(?0)", 1, "nothing to repeat before '?'"},
        {"{2}", 0, "nothing to repeat before '{'"},
        {"^*0", 1, "an anchor cannot be repeated"},
        {"0$+", 2, "an anchor cannot be repeated"},
        {"0**", 2, "'*' repeats a repetition; use parentheses"},
        {"0+?", 2, "'?' repeats a repetition; use parentheses"},
        {"0{2}{3}", 4, "'{' repeats a repetition; use parentheses"},
        {"0{", 2, "expected a number, as in {m}, {m,} or {m,n}"},
        {"0{,2}", 2, "expected a number, as in {m}, {m,} or {m,n}"},
        {"0{1,x}", 4, "expected a number, as in {m}, {m,} or {m,n}"},
        {"0{1", 3, "expected '}'"},
        {"0{1,", 4, "expected a number, as in {m}, {m,} or {m,n}"},
        {"0{1,2", 5, "expected '}'"},
        {"01{3,2}", 2, "in {m,n}, n is less than m"},
        {"01\\", 2, "backslash at the end"},
        {"(0)\\1", 3, "back-references are not supported"},
        {"\\d", 0, "'\\d' is not supported"},
        {"0[1-0]", 2, "the range ends before it begins"},
        {"[0-[:digit:]]", 3, "a range must end with a character"},
        {"[[:dig:]]", 1, "not a character class; they are [:alpha:], [:digit:], ..."},
        {"[[:digit]", 1, "not a character class; they are [:alpha:], [:digit:], ..."},
        {"[[.0.]]", 1, "collating elements ([. and [=) are not supported"},
        {"[[=0=]]", 1, "collating elements ([. and [=) are not supported"},
        {"[:digit:]", 0, "a character class needs a second pair of brackets: [[:alpha:]]"},
        {"0[a-z]", 1, "none of these characters is in the alphabet '01'"},
        {"01A0", 2, "'A' is not in the alphabet '01'"},
        {"0\\.", 2, "'.' is not in the alphabet '01'"},
        {"0\303\251", 1, "'\303\251' is not in the alphabet '01'"},
        {"0\n1", 1, "character 0x0a is not in the alphabet '01'"},
    };
    struct alphabet a;
    alphabet_init(&a, "01", IGNORE_ERR);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct dfa d;
        struct err e = {0};
        char expected[200];
        size_t position = 99;
        snprintf(expected, sizeof expected, "position %zu: %s", table[i].position + 1,
                 table[i].text);
        int rc = regex_dfa_search(&d, &a, table[i].expression, &position, &e);
        ok(rc == ERR_USAGE && position == table[i].position && strcmp(e.text, expected) == 0, "%s",
           expected);
        dfa_clear(&d);
    }
}

static void
expect_limit(const char *chars, const char *expression, size_t expected, const char *text)
{
    struct alphabet a;
    struct regex_ends m;
    struct dfa d;
    struct err e = {0};
    size_t position = 99;
    alphabet_init(&a, chars, IGNORE_ERR);
    ok(regex_dfa_search(&d, &a, expression, &position, &e) == ERR_LIMIT && position == expected &&
           strstr(e.text, text) != NULL && d.next == NULL,
       "%.40s: %s", expression, e.text);
    ok(regex_dfa_ends(&m, &a, expression, NULL, IGNORE_ERR) == ERR_LIMIT && m.at_end == NULL,
       "%.40s: as well for ends", expression);
    dfa_clear(&d);
    regex_ends_clear(&m);
}

static void
test_limits(void)
{
    char deep[2 * REGEX_DEPTH_MAX + 4] = ""; /* of even size */
    struct alphabet a;
    struct dfa d;
    alphabet_init(&a, "01", IGNORE_ERR);
    memset(deep, '(', REGEX_DEPTH_MAX);
    memset(deep + REGEX_DEPTH_MAX, ')', REGEX_DEPTH_MAX);
    ok(regex_dfa_search(&d, &a, deep, NULL, IGNORE_ERR) == 0 && d.states == 1,
       "%d nested parentheses", REGEX_DEPTH_MAX);
    dfa_clear(&d);
    for (size_t i = 0; i < sizeof deep - 1; i++)
        deep[i] = i % 2 == 0 ? '(' : ')';
    deep[sizeof deep - 2] = '\0';
    ok(regex_dfa_search(&d, &a, deep, NULL, IGNORE_ERR) == 0, "more, one after the other");
    dfa_clear(&d);
    memset(deep, '(', REGEX_DEPTH_MAX + 1);
    expect_limit("01", deep, REGEX_DEPTH_MAX, "nested parentheses");
    ok(regex_dfa_search(&d, &a, "^0{1000}$", NULL, IGNORE_ERR) == 0 && d.states == 1002,
       "a thousand repetitions");
    dfa_clear(&d);
    expect_limit("01", "0{1001}", 2, "repetition count is more than 1000");
    expect_limit("01", "0{4294967297}", 2, "repetition count");
    expect_limit("01", "((01){1000}1){10}", 17, "too large");
    expect_limit("01", "((((0*)*){9}){1000}){1000}", 19, "too large");
    expect_limit("01", "((0?1?){400})*1.{20}$", REGEX_NO_POSITION, "takes too long");
    expect_limit("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-", "A.{20}$",
                 REGEX_NO_POSITION, "more than 65536 states");
}

/* How long 200 characters take; a figure to look at, no test. */
static void
show_speed(void)
{
    struct alphabet a;
    struct dfa d = {0};
    char text[TEXT_MAX] = "";
    static const char *const parts[] = {"GGTC[TC]C|", "GA(GACC|T{2,4})+|", "(AC.?GT)*TT[^A]|"};
    alphabet_init(&a, "ACGT", IGNORE_ERR);
    for (int i = 0; strlen(text) < 190; i++)
        add_text(text, "%s", parts[i % 3]);
    add_text(text, "^TATAAT$");
    clock_t start = clock();
    int rc = regex_dfa_search(&d, &a, text, NULL, IGNORE_ERR);
    double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("# %zu characters: %u states in %.2f ms\n", strlen(text), d.states, 1000 * took);
    ok(rc == 0, "an expression of 200 characters");
    dfa_clear(&d);
}

int
main(void)
{
    bool grep = system("grep --version 2>/dev/null | grep -q GNU") == 0;
    size_t pairs = test_random("01", grep) + test_random("ACGT", grep) +
                   test_random("aBz059", grep) + test_random("a]^-[\\", grep) +
                   test_random("{}()|*", grep);
    ok(pairs >= 100000, "%zu pairs of expression and string", pairs);
    test_sizes();
    test_ends();
    test_syntax();
    test_malformed();
    test_limits();
    show_speed();
    return tap_done();
}
