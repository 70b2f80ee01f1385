/* SPDX-License-Identifier: MIT */
#include "feature/record_automaton.h"

#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_set.h"

#define UNKNOWN UINT32_MAX /* a transition nobody has asked for */

struct record_automaton {
    const struct feature_set *features;
    unsigned symbols;
    struct intern *states;
    uint32_t *next; /* [states][symbols] */
    size_t capacity;
    void *record; /* scratch */
};

/* Gives the state in `record` a number, and a new one its row. */
static int
add_state(struct record_automaton *m, uint32_t *state, struct err *e)
{
    uint32_t before = intern_count(m->states);
    int rc = intern_add(m->states, m->record, state, e);
    if (rc < 0 || *state < before)
        return rc;
    size_t row = m->symbols * sizeof *m->next;
    if (mem_reserve(&m->next, &m->capacity, (size_t)before + 1, row, e) != 0)
        return ERR_NOMEM;
    for (unsigned a = 0; a < m->symbols; a++)
        m->next[(size_t)before * m->symbols + a] = UNKNOWN;
    return 0;
}

struct record_automaton *
record_automaton_new(const struct feature_set *f, size_t budget, struct err *e)
{
    struct record_automaton *m = mem_zero(1, sizeof *m, e);
    if (m == NULL)
        return NULL;
    uint32_t start;
    m->features = f;
    m->symbols = feature_set_alphabet(f)->size;
    size_t record = feature_set_state_bytes(f), row = m->symbols * sizeof *m->next;
    m->states = intern_new(record, intern_most(record + row, budget, FSM_STATES_MAX), e);
    m->record = mem_zero(record, 1, e);
    if (m->states != NULL && m->record != NULL) {
        feature_set_start(f, m->record);
        if (add_state(m, &start, e) == 0)
            return m;
    }
    record_automaton_free(m);
    return NULL;
}

void
record_automaton_free(struct record_automaton *m)
{
    if (m == NULL)
        return;
    intern_free(m->states);
    mem_free(m->next);
    mem_free(m->record);
    mem_free(m);
}

int
record_automaton_step(struct record_automaton *m, uint32_t state, uint8_t symbol, uint32_t *target,
                      struct err *e)
{
    *target = m->next[(size_t)state * m->symbols + symbol];
    if (*target != UNKNOWN)
        return 0;
    memcpy(m->record, record_automaton_record(m, state), feature_set_state_bytes(m->features));
    feature_set_step(m->features, m->record, symbol);
    int rc = add_state(m, target, e);
    if (rc == 0)
        m->next[(size_t)state * m->symbols + symbol] = *target;
    else if (rc == ERR_LIMIT)
        err_prefix(e, "the features' automaton");
    return rc;
}

const void *
record_automaton_record(const struct record_automaton *m, uint32_t state)
{
    return intern_get(m->states, state);
}
