/* SPDX-License-Identifier: MIT
 *
 * dfa:TEXT, an automaton in the text of its specification: 0 iff it accepts the string.
 *
 * States are separated by semicolons, the first one is the start.  A state is + (accepting) or -,
 * then for each symbol, separated by commas, the number of the next state, from 0, or a full stop
 * if there is none:
 *
 *     dfa:-1,.;+1,0     over 01: begins and ends with 0
 */
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "feature/feature.h"
#include "feature/feature_internal.h"

enum { ENTRIES_MAX = 4 << 20, DIGITS_MAX = 10 };

/* The table as it is read; missing arcs are DFA_DEAD. */
static int
parse_target(const char **at, uint32_t states, uint32_t *target, struct err *e)
{
    char digits[DIGITS_MAX + 1];
    size_t n = strspn(*at, "0123456789");
    uint64_t value;
    *target = DFA_DEAD;
    if (n == 0 && **at == '.') {
        ++*at;
        return 0;
    }
    if (n == 0 || n > DIGITS_MAX)
        return err_set(e, ERR_USAGE, "expected the number of a state or a full stop at '%.10s'",
                       *at);
    memcpy(digits, *at, n);
    digits[n] = '\0';
    *at += n;
    int rc = num_parse_u64(digits, 0, states - 1, &value, e);
    *target = rc == 0 ? (uint32_t)value : DFA_DEAD;
    return rc;
}

static int
parse_state(const char **at, struct dfa *d, uint32_t q, struct err *e)
{
    int rc = 0;
    d->accept[q] = **at == '+';
    if (**at != '+' && **at != '-')
        return err_set(e, ERR_USAGE, "expected + or - at '%.10s'", *at);
    ++*at;
    for (unsigned a = 0; rc == 0 && a < d->symbols; a++) {
        if (a > 0 && **at != ',')
            return err_set(e, ERR_USAGE, "a state needs %u arcs, one for each symbol", d->symbols);
        *at += a > 0;
        rc = parse_target(at, d->states, &d->next[(size_t)q * d->symbols + a], e);
    }
    return rc;
}

static int
parse_table(struct dfa *d, const char *text, struct err *e)
{
    int rc = 0;
    d->states = 1;
    for (const char *s = text; (s = strchr(s, ';')) != NULL; s++)
        d->states++;
    if (d->states > ENTRIES_MAX / d->symbols)
        return err_set(e, ERR_LIMIT, "the automaton has more than %u states",
                       ENTRIES_MAX / d->symbols);
    d->next = mem_array((size_t)d->states * d->symbols, sizeof *d->next, e);
    d->accept = mem_array(d->states, 1, e);
    if (d->next == NULL || d->accept == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; rc == 0 && q < d->states; q++) {
        rc = parse_state(&text, d, q, e);
        if (rc == 0 && *text != (q + 1 < d->states ? ';' : '\0'))
            rc = err_set(e, ERR_USAGE, "a state needs %u arcs, one for each symbol", d->symbols);
        text++;
    }
    return rc;
}

/* Numbers the states that are reached breadth first, as dfa_minimize needs them, with a state for
 * arcs that are missing; order[] receives the old numbers, number[] the new ones. */
static uint32_t
number_states(const struct dfa *d, uint32_t *order, uint32_t *number)
{
    uint32_t count = 1;
    for (uint32_t q = 0; q <= d->states; q++)
        number[q] = UINT32_MAX;
    order[0] = 0;
    number[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned a = 0; a < d->symbols; a++) {
            bool sink = order[i] == d->states;
            uint32_t next = sink ? DFA_DEAD : d->next[(size_t)order[i] * d->symbols + a];
            next = next == DFA_DEAD ? d->states : next;
            if (number[next] == UINT32_MAX) {
                order[count] = next;
                number[next] = count++;
            }
        }
    return count;
}

/* The complete automaton of the states that are reached. */
static int
complete(const struct dfa *d, struct dfa *all, struct err *e)
{
    uint32_t *order = mem_array((size_t)d->states + 1, 2 * sizeof *order, e);
    if (order == NULL)
        return ERR_NOMEM;
    uint32_t *number = order + d->states + 1;
    *all = (struct dfa){.symbols = d->symbols, .states = number_states(d, order, number)};
    all->next = mem_array((size_t)all->states * all->symbols, sizeof *all->next, e);
    all->accept = mem_array(all->states, 1, e);
    bool made = all->next != NULL && all->accept != NULL;
    for (uint32_t i = 0; made && i < all->states; i++) {
        bool sink = order[i] == d->states;
        all->accept[i] = !sink && d->accept[order[i]];
        for (unsigned a = 0; a < d->symbols; a++) {
            uint32_t next = sink ? DFA_DEAD : d->next[(size_t)order[i] * d->symbols + a];
            all->next[(size_t)i * d->symbols + a] = number[next == DFA_DEAD ? d->states : next];
        }
    }
    mem_free(order);
    return made ? 0 : ERR_NOMEM;
}

int
feature_dfa_compile(struct feature *f, const struct alphabet *a, const char *text, struct err *e)
{
    struct dfa d = {.symbols = f->symbols}, all = {0};
    (void)a;
    int rc = parse_table(&d, text, e);
    if (rc == 0)
        rc = complete(&d, &all, e);
    if (rc == 0)
        rc = feature_pattern_init(&f->pattern, &all, e);
    dfa_clear(&all);
    dfa_clear(&d);
    return rc;
}
