/* SPDX-License-Identifier: MIT */
#include "automata/regex_dfa.h"

#include <stdbool.h>
#include <string.h>

#include "automata/regex_nfa.h"
#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "text/alphabet.h"

/* ---- sets of small numbers */

enum { WORD_BITS = 64 };

static bool
has_bit(const uint64_t *set, uint32_t i)
{
    return set[i / WORD_BITS] >> i % WORD_BITS & 1;
}

static void
set_bit(uint64_t *set, uint32_t i)
{
    set[i / WORD_BITS] |= (uint64_t)1 << i % WORD_BITS;
}

static void
clear_bit(uint64_t *set, uint32_t i)
{
    set[i / WORD_BITS] &= ~((uint64_t)1 << i % WORD_BITS);
}

/* ---- subset construction */

/* A state of the DFA is a set of NFA nodes: those that read a symbol, and the match node.
 * The nodes between them are followed at once.  One more number in the set means that the
 * match node is reached through a $.
 *
 * Symbols that the NFA does not tell apart form a class, and the DFA has one column per
 * class. */
struct subsets {
    const struct regex_nfa *nfa;
    bool ends;                 /* for regex_dfa_ends */
    uint32_t match, end_match; /* their numbers in a set */
    size_t bytes, words;       /* size of a set */
    uint64_t work;             /* done so far, see REGEX_WORK_MAX */

    unsigned classes;
    uint8_t class_of[REGEX_SYMBOLS_MAX]; /* by symbol */
    struct intern *readers;              /* by class: the set of nodes that read it */

    uint64_t *set;   /* under construction */
    uint64_t *fresh; /* matches that begin after the start of the string */
    uint32_t *stack; /* items to follow: twice the node, plus 1 after a $ */
    uint32_t *seen;  /* by item: the last walk that saw it */
    uint32_t depth, walk;

    uint64_t *reading;    /* the nodes of a state that read a symbol */
    struct intern *moves; /* such sets that were followed, at most moves_max */
    uint32_t *target;     /* by move: the state it leads to */
    size_t target_capacity;
    uint32_t moves_max;

    struct intern *sets; /* their numbers are the states */
    uint32_t states_max;
    struct dfa dfa; /* over classes; with `ends`, the last column is the end of the string */
    size_t capacity;
};

/* Symbols are in one class if the same nodes read them. */
static int
find_classes(struct subsets *s, unsigned symbols, struct err *e)
{
    s->readers = intern_new(s->bytes, REGEX_SYMBOLS_MAX, e);
    int rc = s->readers == NULL ? ERR_NOMEM : 0;
    for (unsigned c = 0; rc == 0 && c < symbols; c++) {
        uint32_t number = 0;
        memset(s->set, 0, s->bytes);
        for (uint32_t i = 0; i < s->nfa->count; i++)
            if (s->nfa->node[i].reads[c])
                set_bit(s->set, i);
        rc = intern_add(s->readers, s->set, &number, e);
        s->class_of[c] = (uint8_t)number;
    }
    s->classes = rc == 0 ? intern_count(s->readers) : 0;
    return rc;
}

static int
subsets_init(struct subsets *s, const struct regex_nfa *nfa, unsigned symbols, bool ends,
             struct err *e)
{
    size_t items = 2 * (size_t)nfa->count;
    *s = (struct subsets){.nfa = nfa, .ends = ends, .walk = 1};
    s->match = nfa->count - 1;
    s->end_match = nfa->count;
    s->words = nfa->count / WORD_BITS + 1;
    s->bytes = s->words * sizeof *s->set;
    s->set = mem_zero(1, s->bytes, e);
    s->fresh = mem_zero(1, s->bytes, e);
    s->reading = mem_zero(1, s->bytes, e);
    s->moves = intern_new(s->bytes, INTERN_NONE - 1, e);
    s->stack = mem_array(items, sizeof *s->stack, e);
    s->seen = mem_zero(items, sizeof *s->seen, e);
    s->sets = intern_new(s->bytes, INTERN_NONE - 1, e);
    if (s->set == NULL || s->fresh == NULL || s->stack == NULL || s->seen == NULL ||
        s->sets == NULL || s->reading == NULL || s->moves == NULL)
        return ERR_NOMEM;
    s->states_max = intern_most(s->bytes, REGEX_BYTES_MAX, REGEX_ENTRIES_MAX / symbols);
    s->moves_max =
        intern_most(s->bytes + sizeof *s->target, REGEX_BYTES_MAX / 4, REGEX_ENTRIES_MAX);
    int rc = find_classes(s, symbols, e);
    s->dfa.symbols = s->classes + ends;
    return rc;
}

static void
subsets_clear(struct subsets *s)
{
    mem_free(s->set);
    mem_free(s->fresh);
    mem_free(s->stack);
    mem_free(s->seen);
    mem_free(s->reading);
    mem_free(s->target);
    intern_free(s->readers);
    intern_free(s->moves);
    intern_free(s->sets);
    dfa_clear(&s->dfa);
}

static void
push(struct subsets *s, uint32_t node, bool ended)
{
    uint32_t item = 2 * node + ended;
    if (node == REGEX_NO_NODE || s->seen[item] == s->walk)
        return;
    s->seen[item] = s->walk;
    s->stack[s->depth++] = item;
}

/* Adds to the set all nodes that can be reached from the pushed ones without reading a
 * symbol. */
static void
follow(struct subsets *s, bool at_start)
{
    while (s->depth > 0) {
        uint32_t item = s->stack[--s->depth], i = item / 2;
        bool ended = item % 2;
        const struct regex_node *n = &s->nfa->node[i];
        s->work++;
        if (n->kind == REGEX_MATCH)
            set_bit(s->set, ended ? s->end_match : s->match);
        else if (n->kind == REGEX_SYMBOLS && !ended) /* nothing is read after a $ */
            set_bit(s->set, i);
        else if (n->kind == REGEX_END)
            push(s, n->next, true);
        else if (n->kind == REGEX_EMPTY || (n->kind == REGEX_START && at_start)) {
            push(s, n->next, ended);
            push(s, n->other, ended);
        }
    }
    s->walk++;
}

/* The set for matches that begin here; with `ends` without the empty match. */
static void
begin_match(struct subsets *s, bool at_start)
{
    memset(s->set, 0, s->bytes);
    push(s, s->nfa->entry, false);
    follow(s, at_start);
    if (s->ends) {
        clear_bit(s->set, s->match);
        clear_bit(s->set, s->end_match);
    }
}

/* The state of the set under construction; it is added if it is new. */
static int
find_state(struct subsets *s, uint32_t *state, struct err *e)
{
    struct dfa *d = &s->dfa;
    if (has_bit(s->set, s->match)) {
        if (!s->ends) /* a match was found: the rest of the string does not matter */
            memset(s->set, 0, s->bytes);
        set_bit(s->set, s->match);
        clear_bit(s->set, s->end_match);
    }
    int rc = intern_add(s->sets, s->set, state, e);
    if (rc != 0 || *state < d->states)
        return rc;
    if (d->states == s->states_max)
        return err_set(e, ERR_LIMIT, "expression needs more than %u states", s->states_max);
    size_t entries = ((size_t)d->states + 1) * d->symbols;
    rc = mem_reserve(&d->next, &s->capacity, entries, sizeof *d->next, e);
    d->states += rc == 0;
    return rc;
}

/* Builds the set that follows when the nodes in `reading` have read a symbol. */
static void
advance(struct subsets *s)
{
    memcpy(s->set, s->fresh, s->bytes);
    for (uint32_t w = 0; w < s->words; w++)
        for (uint64_t rest = s->reading[w]; rest != 0; rest &= rest - 1)
            push(s, s->nfa->node[w * WORD_BITS + (uint32_t)__builtin_ctzll(rest)].next, false);
    follow(s, false);
}

/* The state that a class leads to.  It depends only on those nodes of `state` that read the
 * class, which are often the same in other states and for other classes. */
static int
step(struct subsets *s, uint32_t state, unsigned class, uint32_t *to, struct err *e)
{
    const uint64_t *from = intern_get(s->sets, state), *readers = intern_get(s->readers, class);
    for (size_t w = 0; w < s->words; w++)
        s->reading[w] = from[w] & readers[w];
    s->work += s->words;
    uint32_t move = intern_find(s->moves, s->reading);
    if (move != INTERN_NONE) {
        *to = s->target[move];
        return 0;
    }
    advance(s);
    int rc = find_state(s, to, e);
    if (rc != 0 || intern_count(s->moves) == s->moves_max)
        return rc;
    rc = intern_add(s->moves, s->reading, &move, e);
    if (rc == 0)
        rc = mem_reserve(&s->target, &s->target_capacity, move + 1, sizeof *s->target, e);
    if (rc == 0)
        s->target[move] = *to;
    return rc;
}

static int
explore(struct subsets *s, struct err *e)
{
    uint32_t to;
    begin_match(s, false);
    memcpy(s->fresh, s->set, s->bytes);
    begin_match(s, true);
    int rc = find_state(s, &to, e);
    for (uint32_t q = 0; rc == 0 && q < s->dfa.states; q++)
        for (unsigned c = 0; rc == 0 && c < s->classes; c++) {
            to = q; /* a search that has found a match stays there */
            if (s->ends || !has_bit(intern_get(s->sets, q), s->match))
                rc = step(s, q, c, &to, e);
            s->dfa.next[(size_t)q * s->dfa.symbols + c] = to;
            if (rc == 0 && s->work > REGEX_WORK_MAX)
                rc = err_set(e, ERR_LIMIT, "expression takes too long to compile");
        }
    return rc;
}

/* With `ends` a state has two properties, but minimization distinguishes states only by
 * `accept` and by their arcs.  So the second property becomes an arc in the last column, to
 * state 0 as to any other. */
static int
mark_matches(struct subsets *s, struct err *e)
{
    struct dfa *d = &s->dfa;
    if ((d->accept = mem_array(d->states, 1, e)) == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; q < d->states; q++) {
        const uint64_t *set = intern_get(s->sets, q);
        bool always = has_bit(set, s->match), at_end = always || has_bit(set, s->end_match);
        d->accept[q] = s->ends ? always : at_end;
        if (s->ends)
            d->next[(size_t)q * d->symbols + s->classes] = at_end ? 0 : DFA_DEAD;
    }
    return 0;
}

/* ---- */

/* The minimal automaton, over symbols in the place of classes. */
static int
widen(const struct subsets *s, unsigned symbols, struct regex_ends *m, struct err *e)
{
    const struct dfa *d = &s->dfa;
    m->dfa = (struct dfa){.symbols = symbols, .states = d->states};
    m->dfa.next = mem_array((size_t)d->states * symbols, sizeof *m->dfa.next, e);
    m->dfa.accept = mem_array(d->states, 1, e);
    m->at_end = mem_array(d->states, 1, e);
    if (m->dfa.next == NULL || m->dfa.accept == NULL || m->at_end == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; q < d->states; q++) {
        const uint32_t *row = d->next + (size_t)q * d->symbols;
        for (unsigned c = 0; c < symbols; c++)
            m->dfa.next[(size_t)q * symbols + c] = row[s->class_of[c]];
        m->dfa.accept[q] = d->accept[q];
        m->at_end[q] = s->ends ? row[s->classes] != DFA_DEAD : d->accept[q];
    }
    return 0;
}

static int
determinize(struct regex_ends *m, const struct regex_nfa *nfa, unsigned symbols, bool ends,
            struct err *e)
{
    struct subsets s;
    int rc = subsets_init(&s, nfa, symbols, ends, e);
    if (rc == 0)
        rc = explore(&s, e);
    if (rc == 0)
        rc = mark_matches(&s, e);
    if (rc == 0)
        rc = dfa_minimize(&s.dfa, e);
    if (rc == 0)
        rc = widen(&s, symbols, m, e);
    subsets_clear(&s);
    if (rc != 0)
        regex_ends_clear(m);
    return rc;
}

static int
compile(struct regex_ends *m, const struct alphabet *a, const char *expression, bool ends,
        size_t *position, struct err *e)
{
    struct regex_nfa nfa;
    *m = (struct regex_ends){0};
    int rc = regex_nfa_parse(&nfa, a, expression, position, e);
    if (rc != 0)
        return rc;
    rc = determinize(m, &nfa, a->size, ends, e);
    if (rc != 0 && position != NULL)
        *position = REGEX_NO_POSITION;
    regex_nfa_clear(&nfa);
    return rc;
}

int
regex_dfa_search(struct dfa *d, const struct alphabet *a, const char *expression, size_t *position,
                 struct err *e)
{
    struct regex_ends m;
    int rc = compile(&m, a, expression, false, position, e);
    *d = m.dfa;
    mem_free(m.at_end); /* the same as accept */
    return rc;
}

int
regex_dfa_ends(struct regex_ends *m, const struct alphabet *a, const char *expression,
               size_t *position, struct err *e)
{
    return compile(m, a, expression, true, position, e);
}

void
regex_ends_clear(struct regex_ends *m)
{
    dfa_clear(&m->dfa);
    mem_free(m->at_end);
    *m = (struct regex_ends){0};
}
