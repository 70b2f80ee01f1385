/* SPDX-License-Identifier: MIT */
#include "automata/regex_nfa.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "text/alphabet.h"

#define NO_MAXIMUM   UINT32_MAX
#define NO_CHARACTER UINT32_MAX

/* After the first error `rc` is set; then parse functions may return anything and their
 * callers only return. */
struct regex_parser {
    const struct alphabet *alphabet;
    const char *text;
    size_t at;
    unsigned depth;
    struct regex_node *node;
    size_t capacity;
    uint32_t count;
    int rc;
    size_t position; /* of the error */
    struct err *e;
};

__attribute__((format(printf, 4, 5))) static void
fail(struct regex_parser *p, int code, size_t at, const char *format, ...)
{
    char reason[ERR_TEXT_MAX];
    va_list ap;
    if (p->rc != 0)
        return;
    va_start(ap, format);
    vsnprintf(reason, sizeof reason, format, ap);
    va_end(ap);
    p->position = at;
    p->rc = err_set(p->e, code, "position %zu: %s", utf8_count(p->text, at) + 1, reason);
    err_point(p->e, p->text, at);
}

/* ---- fragments */

/* A part of the expression.  Its nodes are those from `begin` to the newest when it is
 * complete, and refer only to each other; so it can be copied.  `next` of the exit is open. */
struct fragment {
    uint32_t begin, entry, exit;
};

static int
reserve_nodes(struct regex_parser *p, size_t more)
{
    if (p->count + more > REGEX_NODES_MAX)
        fail(p, ERR_LIMIT, p->at, "expression is too large (more than %d nodes)", REGEX_NODES_MAX);
    if (p->rc == 0)
        p->rc = mem_reserve(&p->node, &p->capacity, p->count + more, sizeof *p->node, p->e);
    return p->rc;
}

/* The number of a new node, or 0 after an error. */
static uint32_t
add_node(struct regex_parser *p, enum regex_node_kind kind, uint32_t other)
{
    if (reserve_nodes(p, 1) != 0)
        return 0;
    p->node[p->count] = (struct regex_node){.kind = kind, .next = REGEX_NO_NODE, .other = other};
    return p->count++;
}

static struct fragment
single_node(struct regex_parser *p, enum regex_node_kind kind)
{
    uint32_t n = add_node(p, kind, REGEX_NO_NODE);
    return (struct fragment){n, n, n};
}

static struct fragment
concatenate(struct regex_parser *p, struct fragment a, struct fragment b)
{
    p->node[a.exit].next = b.entry;
    return (struct fragment){a.begin, a.entry, b.exit};
}

static struct fragment
either(struct regex_parser *p, struct fragment a, struct fragment b)
{
    uint32_t fork = add_node(p, REGEX_EMPTY, b.entry);
    uint32_t join = add_node(p, REGEX_EMPTY, REGEX_NO_NODE);
    p->node[fork].next = a.entry;
    p->node[a.exit].next = p->node[b.exit].next = join;
    return (struct fragment){a.begin, fork, join};
}

static struct fragment
optional(struct regex_parser *p, struct fragment a)
{
    uint32_t fork = add_node(p, REGEX_EMPTY, a.entry);
    uint32_t join = add_node(p, REGEX_EMPTY, REGEX_NO_NODE);
    p->node[fork].next = p->node[a.exit].next = join;
    return (struct fragment){a.begin, fork, join};
}

static struct fragment
loop(struct regex_parser *p, struct fragment a, bool may_skip)
{
    uint32_t again = add_node(p, REGEX_EMPTY, a.entry);
    p->node[a.exit].next = again;
    return (struct fragment){a.begin, may_skip ? again : a.entry, again};
}

/* A copy of the nodes a.begin ... end-1.  `next` of the exit may be in use by now; in the copy
 * it has no meaning and is set when the copy is linked, as in any fragment. */
static struct fragment
copy(struct regex_parser *p, struct fragment a, uint32_t end)
{
    uint32_t shift = p->count - a.begin;
    if (reserve_nodes(p, end - a.begin) != 0)
        return a;
    for (uint32_t i = a.begin; i < end; i++) {
        struct regex_node *n = &p->node[p->count++];
        *n = p->node[i];
        n->next = n->next == REGEX_NO_NODE ? REGEX_NO_NODE : n->next + shift;
        n->other = n->other == REGEX_NO_NODE ? REGEX_NO_NODE : n->other + shift;
    }
    return (struct fragment){a.begin + shift, a.entry + shift, a.exit + shift};
}

/* a{min,max} of the newest fragment: a sequence of copies.  Those past the minimum are
 * optional; without a maximum the last one is a loop. */
static struct fragment
repeat(struct regex_parser *p, struct fragment a, uint32_t min, uint32_t max)
{
    uint32_t end = p->count, copies = max != NO_MAXIMUM ? max : min > 0 ? min : 1;
    struct fragment all = a;
    if (copies == 0)
        return single_node(p, REGEX_EMPTY);
    for (uint32_t i = 0; i < copies && p->rc == 0; i++) {
        struct fragment one = i == 0 ? a : copy(p, a, end);
        if (max == NO_MAXIMUM && i + 1 == copies)
            one = loop(p, one, min == 0);
        else if (i >= min)
            one = optional(p, one);
        all = i == 0 ? one : concatenate(p, all, one);
    }
    return all;
}

/* ---- characters and symbols ---- */

/* The code of a character; of a byte that is not part of a valid one, a code that is in no
 * alphabet. */
static uint32_t
read_character(struct regex_parser *p)
{
    uint32_t code = NO_CHARACTER;
    size_t n = utf8_decode(p->text + p->at, strnlen(p->text + p->at, UTF8_BYTES_MAX), &code);
    p->at += n > 0 ? n : 1;
    return code;
}

static uint32_t
character_of(const struct alphabet *a, unsigned symbol)
{
    uint32_t code = NO_CHARACTER;
    size_t n;
    const char *text = alphabet_symbol(a, symbol, &n);
    if (a->bytes)
        return (unsigned char)*text;
    utf8_decode(text, n, &code);
    return code;
}

/* Adds the symbols whose characters are from `low` to `high`; whether there are any. */
static bool
add_range(const struct alphabet *a, bool *set, uint32_t low, uint32_t high)
{
    bool found = false;
    for (unsigned s = 0; s < a->size; s++)
        if (character_of(a, s) >= low && character_of(a, s) <= high)
            set[s] = found = true;
    return found;
}

/* ---- single symbols */

static struct fragment
parse_literal(struct regex_parser *p)
{
    size_t at = p->at;
    uint32_t c = read_character(p);
    struct fragment f = single_node(p, REGEX_SYMBOLS);
    if (p->rc != 0 || add_range(p->alphabet, p->node[f.entry].reads, c, c))
        return f;
    char alphabet[ALPHABET_SHOW_MAX];
    if (c != NO_CHARACTER)
        fail(p, ERR_USAGE, at, "'%.*s' is not in the alphabet '%s'", (int)(p->at - at),
             p->text + at, alphabet_show(p->alphabet, alphabet));
    else
        fail(p, ERR_USAGE, at, "character 0x%02x is not in the alphabet '%s'",
             (unsigned char)p->text[at], alphabet_show(p->alphabet, alphabet));
    return f;
}

static struct fragment
parse_escape(struct regex_parser *p)
{
    unsigned char c = (unsigned char)p->text[p->at + 1];
    if (c == '\0')
        fail(p, ERR_USAGE, p->at, "backslash at the end");
    else if (isdigit(c))
        fail(p, ERR_USAGE, p->at, "back-references are not supported");
    else if (isalpha(c))
        fail(p, ERR_USAGE, p->at, "'\\%c' is not supported", c);
    p->at++;
    return p->rc == 0 ? parse_literal(p) : (struct fragment){0};
}

/* [:NAME:], which begins at p->at. */
static void
parse_class(struct regex_parser *p, bool *set)
{
    static const struct {
        const char *name;
        int (*contains)(int);
    } classes[] = {{"[:alnum:]", isalnum}, {"[:alpha:]", isalpha}, {"[:blank:]", isblank},
                   {"[:cntrl:]", iscntrl}, {"[:digit:]", isdigit}, {"[:graph:]", isgraph},
                   {"[:lower:]", islower}, {"[:print:]", isprint}, {"[:punct:]", ispunct},
                   {"[:space:]", isspace}, {"[:upper:]", isupper}, {"[:xdigit:]", isxdigit}};
    const struct alphabet *a = p->alphabet;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        size_t n = strlen(classes[i].name);
        if (strncmp(p->text + p->at, classes[i].name, n) != 0)
            continue;
        for (unsigned s = 0; s < a->size; s++)
            if (character_of(a, s) < 128 && classes[i].contains((int)character_of(a, s)))
                set[s] = true;
        p->at += n;
        return;
    }
    fail(p, ERR_USAGE, p->at, "not a character class; they are [:alpha:], [:digit:], ...");
}

/* Whether "[:", "[." or "[=" begins at p->at: the last character, else 0. */
static char
bracket_element(const struct regex_parser *p)
{
    char c = p->text[p->at] == '[' ? p->text[p->at + 1] : '\0';
    return c == ':' || c == '.' || c == '=' ? c : '\0';
}

/* A character, a range or a class in brackets. */
static void
parse_bracket_item(struct regex_parser *p, bool *set)
{
    size_t start = p->at;
    char element = bracket_element(p);
    if (element == ':') {
        parse_class(p, set);
        return;
    }
    if (element != '\0')
        fail(p, ERR_USAGE, start, "collating elements ([. and [=) are not supported");
    uint32_t low = read_character(p), high = low;
    if (p->text[p->at] == '-' && p->text[p->at + 1] != ']' && p->text[p->at + 1] != '\0') {
        p->at++;
        if (bracket_element(p) != '\0')
            fail(p, ERR_USAGE, p->at, "a range must end with a character");
        high = read_character(p);
    }
    if (high < low)
        fail(p, ERR_USAGE, start, "the range ends before it begins");
    add_range(p->alphabet, set, low, high != NO_CHARACTER ? high : low);
}

/* Up to and with the ']'; a ']' in front is an ordinary character. */
static void
parse_bracket_items(struct regex_parser *p, size_t start, bool *set)
{
    do {
        if (p->text[p->at] == '\0')
            fail(p, ERR_USAGE, start, "missing ']'");
        else
            parse_bracket_item(p, set);
    } while (p->rc == 0 && p->text[p->at] != ']');
    if (p->rc != 0)
        return;
    if (p->text[start + 1] == ':' && p->text[p->at - 1] == ':' && p->at - start > 2)
        fail(p, ERR_USAGE, start, "a character class needs a second pair of brackets: [[:alpha:]]");
    p->at++;
}

static struct fragment
parse_brackets(struct regex_parser *p)
{
    size_t start = p->at++;
    bool set[REGEX_SYMBOLS_MAX] = {false}, found = false;
    bool negated = p->text[p->at] == '^';
    p->at += negated;
    parse_bracket_items(p, start, set);
    struct fragment f = single_node(p, REGEX_SYMBOLS);
    for (unsigned s = 0; p->rc == 0 && s < p->alphabet->size; s++) {
        p->node[f.entry].reads[s] = set[s] != negated;
        found |= set[s];
    }
    char alphabet[ALPHABET_SHOW_MAX];
    if (!found && !negated)
        fail(p, ERR_USAGE, start, "none of these characters is in the alphabet '%s'",
             alphabet_show(p->alphabet, alphabet));
    return f;
}

static struct fragment
parse_dot(struct regex_parser *p)
{
    struct fragment f = single_node(p, REGEX_SYMBOLS);
    if (p->rc == 0)
        memset(p->node[f.entry].reads, true, p->alphabet->size);
    p->at++;
    return f;
}

/* ---- expressions */

static bool
at_repetition(const struct regex_parser *p)
{
    char c = p->text[p->at];
    return c == '*' || c == '+' || c == '?' || c == '{';
}

static struct fragment
parse_anchor(struct regex_parser *p)
{
    struct fragment f = single_node(p, p->text[p->at] == '^' ? REGEX_START : REGEX_END);
    p->at++;
    if (at_repetition(p))
        fail(p, ERR_USAGE, p->at, "an anchor cannot be repeated");
    return f;
}

static struct fragment parse_alternatives(struct regex_parser *p);

static struct fragment
parse_group(struct regex_parser *p)
{
    struct fragment f = {0};
    size_t start = p->at++;
    if (++p->depth > REGEX_DEPTH_MAX)
        fail(p, ERR_LIMIT, start, "more than %d nested parentheses", REGEX_DEPTH_MAX);
    else
        f = parse_alternatives(p);
    if (p->rc == 0 && p->text[p->at] != ')')
        fail(p, ERR_USAGE, start, "missing ')'");
    p->at++;
    p->depth--;
    return f;
}

static struct fragment
parse_atom(struct regex_parser *p)
{
    switch (p->text[p->at]) {
    case '(':
        return parse_group(p);
    case '[':
        return parse_brackets(p);
    case '\\':
        return parse_escape(p);
    case '.':
        return parse_dot(p);
    case '^':
    case '$':
        return parse_anchor(p);
    default:
        if (at_repetition(p))
            fail(p, ERR_USAGE, p->at, "nothing to repeat before '%c'", p->text[p->at]);
        return parse_literal(p);
    }
}

static uint32_t
parse_number(struct regex_parser *p)
{
    uint32_t value = 0;
    size_t start = p->at;
    for (; isdigit((unsigned char)p->text[p->at]) && value <= REGEX_REPEAT_MAX; p->at++)
        value = 10 * value + (uint32_t)(p->text[p->at] - '0');
    if (p->at == start)
        fail(p, ERR_USAGE, start, "expected a number, as in {m}, {m,} or {m,n}");
    if (value > REGEX_REPEAT_MAX)
        fail(p, ERR_LIMIT, start, "repetition count is more than %d", REGEX_REPEAT_MAX);
    return value;
}

/* {m}, {m,} or {m,n} */
static void
parse_interval(struct regex_parser *p, uint32_t *min, uint32_t *max)
{
    size_t start = p->at++;
    *min = *max = parse_number(p);
    if (p->rc == 0 && p->text[p->at] == ',') {
        p->at++;
        *max = p->text[p->at] == '}' ? NO_MAXIMUM : parse_number(p);
    }
    if (p->text[p->at] != '}')
        fail(p, ERR_USAGE, p->at, "expected '}'");
    else
        p->at++;
    if (*max < *min)
        fail(p, ERR_USAGE, start, "in {m,n}, n is less than m");
}

static struct fragment
parse_piece(struct regex_parser *p)
{
    struct fragment f = parse_atom(p);
    if (p->rc != 0 || !at_repetition(p))
        return f;
    char c = p->text[p->at];
    uint32_t min = c == '+', max = c == '?' ? 1 : NO_MAXIMUM;
    if (c == '{')
        parse_interval(p, &min, &max);
    else
        p->at++;
    if (p->rc == 0 && at_repetition(p))
        fail(p, ERR_USAGE, p->at, "'%c' repeats a repetition; use parentheses", p->text[p->at]);
    return p->rc == 0 ? repeat(p, f, min, max) : f;
}

static bool
at_sequence_end(const struct regex_parser *p)
{
    char c = p->text[p->at];
    return c == '\0' || c == '|' || c == ')';
}

static struct fragment
parse_sequence(struct regex_parser *p)
{
    if (at_sequence_end(p))
        return single_node(p, REGEX_EMPTY);
    struct fragment f = parse_piece(p);
    while (p->rc == 0 && !at_sequence_end(p)) {
        struct fragment more = parse_piece(p);
        f = concatenate(p, f, more);
    }
    return f;
}

static struct fragment
parse_alternatives(struct regex_parser *p)
{
    struct fragment f = parse_sequence(p);
    while (p->rc == 0 && p->text[p->at] == '|') {
        p->at++;
        struct fragment other = parse_sequence(p);
        f = either(p, f, other);
    }
    return f;
}

/* ---- */

int
regex_nfa_parse(struct regex_nfa *nfa, const struct alphabet *a, const char *expression,
                size_t *position, struct err *e)
{
    struct regex_parser p = {
        .alphabet = a, .text = expression, .position = REGEX_NO_POSITION, .e = e};
    *nfa = (struct regex_nfa){0};
    if (reserve_nodes(&p, 1) == 0) { /* node 0 is there for all the rest */
        struct fragment f = parse_alternatives(&p);
        if (p.rc == 0 && p.text[p.at] == ')')
            fail(&p, ERR_USAGE, p.at, "unmatched ')'");
        f = concatenate(&p, f, single_node(&p, REGEX_MATCH));
        *nfa = (struct regex_nfa){p.node, p.count, f.entry};
    }
    if (p.rc != 0)
        regex_nfa_clear(nfa);
    if (p.rc != 0 && position != NULL)
        *position = p.position;
    return p.rc;
}

void
regex_nfa_clear(struct regex_nfa *nfa)
{
    mem_free(nfa->node);
    *nfa = (struct regex_nfa){0};
}
