/* SPDX-License-Identifier: MIT */
#include "automata/motif_dfa.h"

#include <stdbool.h>
#include <string.h>

#include "automata/aho_corasick.h"
#include "automata/dfa.h"
#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"

/* The automaton of all words, and for each row the set of words that end there, also as
 * suffixes. */
struct lexicon {
    struct aho_corasick ac;
    uint64_t *wanted; /* [ac.rows] a bit each */
    bool *unwanted;   /* [ac.rows] */
};

static int
lexicon_init(struct lexicon *l, unsigned symbols, size_t total_length, struct err *e)
{
    size_t rows = total_length + 1;
    if (rows > MOTIF_DFA_ENTRIES_MAX / symbols)
        return err_set(e, ERR_LIMIT, "motifs are too long in total");
    l->wanted = mem_zero(rows, sizeof *l->wanted, e);
    l->unwanted = mem_zero(rows, sizeof *l->unwanted, e);
    if (l->wanted == NULL || l->unwanted == NULL)
        return ERR_NOMEM;
    return aho_corasick_init(&l->ac, symbols, total_length, e);
}

static void
lexicon_clear(struct lexicon *l)
{
    aho_corasick_clear(&l->ac);
    mem_free(l->wanted);
    mem_free(l->unwanted);
}

/* Adds a word and gives the row at its end. */
static int
add_word(struct lexicon *l, const struct alphabet *a, const char *word, uint32_t *row,
         struct err *e)
{
    size_t length;
    uint8_t *symbols;
    int rc = alphabet_word(a, word, &symbols, &length, e);
    if (rc != 0)
        return rc;
    *row = aho_corasick_add(&l->ac, symbols, length, 0);
    mem_free(symbols);
    return 0;
}

static int
lexicon_compile(struct lexicon *l, struct err *e)
{
    int rc = aho_corasick_compile(&l->ac, e);
    for (uint32_t row = 0; rc == 0 && row < l->ac.rows; row++)
        for (uint32_t s = l->ac.output_link[row]; s != 0; s = l->ac.output_link[s]) {
            l->wanted[row] |= l->wanted[s];
            l->unwanted[row] |= l->unwanted[s];
        }
    return rc;
}

/* --- exploring pairs of row and words seen --- */

struct motif_state {
    uint64_t row;
    uint64_t seen;
};

struct explorer {
    const struct lexicon *lexicon;
    uint64_t all;         /* the wanted words */
    bool any_unwanted;    /* if false, nothing matters once all words have been seen */
    struct intern *pairs; /* whose numbers are the states */
    struct dfa *out;
    size_t next_capacity;
};

/* The state of a pair, which is added if it is new. */
static int
state_of(struct explorer *x, struct motif_state p, uint32_t *state, struct err *e)
{
    struct dfa *d = x->out;
    int rc = intern_add(x->pairs, &p, state, e);
    if (rc != 0 || *state < d->states)
        return rc;
    size_t entries = ((size_t)d->states + 1) * d->symbols;
    if (entries > MOTIF_DFA_ENTRIES_MAX)
        return err_set(e, ERR_LIMIT, "motifs need more than %u states in total",
                       MOTIF_DFA_ENTRIES_MAX / d->symbols);
    if (mem_reserve(&d->next, &x->next_capacity, entries, sizeof *d->next, e) != 0)
        return ERR_NOMEM;
    d->states++;
    return 0;
}

static int
follow(struct explorer *x, uint32_t q, unsigned symbol, struct err *e)
{
    const struct lexicon *l = x->lexicon;
    struct motif_state p = *(const struct motif_state *)intern_get(x->pairs, q);
    uint32_t to = DFA_DEAD;
    p.row = (l->ac.next[p.row * l->ac.symbols + symbol] & ~AHO_CORASICK_HIT) / l->ac.symbols;
    p.seen |= l->wanted[p.row];
    if (!l->unwanted[p.row]) {
        if (p.seen == x->all && !x->any_unwanted)
            p.row = 0;
        int rc = state_of(x, p, &to, e);
        if (rc != 0)
            return rc;
    }
    x->out->next[(size_t)q * x->out->symbols + symbol] = to;
    return 0;
}

static int
explore(struct explorer *x, struct err *e)
{
    struct dfa *d = x->out;
    uint32_t start;
    int rc = state_of(x, (struct motif_state){0, 0}, &start, e);
    for (uint32_t q = 0; rc == 0 && q < d->states; q++)
        for (unsigned c = 0; rc == 0 && c < d->symbols; c++)
            rc = follow(x, q, c, e);
    if (rc == 0 && (d->accept = mem_array(d->states, 1, e)) == NULL)
        rc = ERR_NOMEM;
    for (uint32_t q = 0; rc == 0 && q < d->states; q++)
        d->accept[q] = ((const struct motif_state *)intern_get(x->pairs, q))->seen == x->all;
    return rc;
}

/* --- */

static size_t
total_length(const char *const *word, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += strlen(word[i]);
    return total;
}

static int
lexicon_make(struct lexicon *l, const struct alphabet *a, const char *const *wanted,
             size_t wanted_count, const char *const *unwanted, size_t unwanted_count, struct err *e)
{
    uint32_t row;
    size_t total = total_length(wanted, wanted_count) + total_length(unwanted, unwanted_count);
    int rc = lexicon_init(l, a->size, total, e);
    for (size_t i = 0; rc == 0 && i < wanted_count; i++) {
        rc = add_word(l, a, wanted[i], &row, e);
        if (rc == 0)
            l->wanted[row] |= (uint64_t)1 << i;
    }
    for (size_t i = 0; rc == 0 && i < unwanted_count; i++) {
        rc = add_word(l, a, unwanted[i], &row, e);
        if (rc == 0)
            l->unwanted[row] = true;
    }
    return rc == 0 ? lexicon_compile(l, e) : rc;
}

int
motif_dfa_build(struct dfa *d, const struct alphabet *a, const char *const *wanted,
                size_t wanted_count, const char *const *unwanted, size_t unwanted_count,
                struct err *e)
{
    struct lexicon l = {0};
    *d = (struct dfa){.symbols = a->size};
    if (wanted_count > MOTIF_DFA_WANTED_MAX)
        return err_set(e, ERR_USAGE, "%zu words are required, maximum is %d", wanted_count,
                       MOTIF_DFA_WANTED_MAX);
    struct explorer x = {.lexicon = &l, .out = d, .any_unwanted = unwanted_count > 0};
    x.all = wanted_count == 0 ? 0 : UINT64_MAX >> (MOTIF_DFA_WANTED_MAX - wanted_count);
    x.pairs = intern_new(sizeof(struct motif_state), INTERN_NONE - 1, e);
    int rc = x.pairs == NULL
                 ? ERR_NOMEM
                 : lexicon_make(&l, a, wanted, wanted_count, unwanted, unwanted_count, e);
    if (rc == 0)
        rc = explore(&x, e);
    intern_free(x.pairs);
    lexicon_clear(&l);
    return rc == 0 ? dfa_minimize(d, e) : rc;
}
