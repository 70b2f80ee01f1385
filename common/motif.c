/* SPDX-License-Identifier: MIT */
#include "motif.h"

#include <stdbool.h>
#include <string.h>

#include "err.h"
#include "mem.h"

/* --- the Aho-Corasick automaton of all words --- */

struct node {
    uint64_t wanted; /* words that end here, also as a suffix */
    uint32_t fail;   /* the longest proper suffix that is a node */
    bool unwanted;   /* an unwanted word ends here */
};

struct trie {
    unsigned symbols;
    uint32_t nodes;
    struct node *node;
    size_t node_capacity;
    uint32_t *next; /* [nodes][symbols], 0 for none until linked */
    size_t next_capacity;
};

static int
add_node(struct trie *t, struct err *e)
{
    size_t entries = ((size_t)t->nodes + 1) * t->symbols;
    if (entries > MOTIF_ENTRIES_MAX)
        return err_set(e, ERR_LIMIT, "the motifs are too long together");
    struct node *node = mem_grow(t->node, &t->node_capacity, (size_t)t->nodes + 1, sizeof *node, e);
    if (node == NULL)
        return ERR_NOMEM;
    t->node = node;
    uint32_t *next = mem_grow(t->next, &t->next_capacity, entries, sizeof *next, e);
    if (next == NULL)
        return ERR_NOMEM;
    t->next = next;
    t->node[t->nodes] = (struct node){0};
    memset(t->next + (size_t)t->nodes * t->symbols, 0, t->symbols * sizeof *t->next);
    t->nodes++;
    return 0;
}

/* Adds a word and gives the node at its end. */
static int
add_word(struct trie *t, const struct alphabet *a, const char *word, uint32_t *end, struct err *e)
{
    size_t length;
    uint8_t *codes = alphabet_word(a, word, &length, e);
    int status = codes == NULL ? ERR_USAGE : 0;
    uint32_t at = 0;
    for (size_t i = 0; status == 0 && i < length; i++) {
        size_t arc = (size_t)at * t->symbols + codes[i];
        if (t->next[arc] == 0) {
            status = add_node(t, e);
            if (status == 0)
                t->next[arc] = t->nodes - 1;
        }
        at = t->next[arc];
    }
    mem_free(codes);
    *end = at;
    return status;
}

/* Completes `next` breadth first: where the trie has no arc, the longest
 * suffix that has one decides. */
static int
link_nodes(struct trie *t, struct err *e)
{
    uint32_t *queue = mem_array(t->nodes, sizeof *queue, e), tail = 0;
    if (queue == NULL)
        return ERR_NOMEM;
    queue[tail++] = 0;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t at = queue[head];
        for (unsigned c = 0; c < t->symbols; c++) {
            uint32_t *to = &t->next[(size_t)at * t->symbols + c];
            uint32_t suffix = at == 0 ? 0 : t->next[(size_t)t->node[at].fail * t->symbols + c];
            if (*to == 0) {
                *to = suffix;
                continue;
            }
            t->node[*to].fail = suffix;
            t->node[*to].wanted |= t->node[suffix].wanted;
            t->node[*to].unwanted |= t->node[suffix].unwanted;
            queue[tail++] = *to;
        }
    }
    mem_free(queue);
    return 0;
}

static void
clear_trie(struct trie *t)
{
    mem_free(t->node);
    mem_free(t->next);
}

/* --- exploring pairs of node and words seen --- */

struct pair {
    uint32_t node;
    uint64_t seen;
};

struct explorer {
    const struct trie *trie;
    uint64_t all;      /* the wanted words */
    bool any_unwanted; /* if not, nothing matters once all are seen */
    struct motif *out;
    size_t next_capacity;
    struct pair *pair; /* [states] */
    size_t pair_capacity;
    uint32_t *table;   /* hash table of states + 1, 0 = free */
    size_t table_size; /* a power of two, more than twice the states */
};

static size_t
hash_pair(struct pair p)
{
    uint64_t h = (p.seen + p.node) * 0x9E3779B97F4A7C15u ^ (uint64_t)p.node << 32;
    return (size_t)((h ^ h >> 29) * 0xBF58476D1CE4E5B9u >> 20);
}

/* The slot that holds the pair, or the free one where it belongs. */
static uint32_t *
find_slot(struct explorer *x, struct pair p)
{
    size_t i = hash_pair(p);
    for (;; i++) {
        uint32_t *slot = &x->table[i & (x->table_size - 1)];
        if (*slot == 0)
            return slot;
        struct pair q = x->pair[*slot - 1];
        if (q.node == p.node && q.seen == p.seen)
            return slot;
    }
}

static int
grow_table(struct explorer *x, struct err *e)
{
    size_t size = x->table_size == 0 ? 64 : 2 * x->table_size;
    uint32_t *table = mem_zero(size, sizeof *table, e);
    if (table == NULL)
        return ERR_NOMEM;
    mem_free(x->table);
    x->table = table;
    x->table_size = size;
    for (uint32_t q = 0; q < x->out->states; q++)
        *find_slot(x, x->pair[q]) = q + 1;
    return 0;
}

static int
add_state(struct explorer *x, struct pair p, struct err *e)
{
    struct motif *m = x->out;
    size_t entries = ((size_t)m->states + 1) * m->symbols;
    if (entries > MOTIF_ENTRIES_MAX)
        return err_set(e, ERR_LIMIT, "the motifs together need more than %u states",
                       MOTIF_ENTRIES_MAX / m->symbols);
    struct pair *pair = mem_grow(x->pair, &x->pair_capacity, (size_t)m->states + 1, sizeof p, e);
    if (pair == NULL)
        return ERR_NOMEM;
    x->pair = pair;
    uint32_t *next = mem_grow(m->next, &x->next_capacity, entries, sizeof *next, e);
    if (next == NULL)
        return ERR_NOMEM;
    m->next = next;
    x->pair[m->states++] = p;
    return 2 * (size_t)m->states > x->table_size ? grow_table(x, e) : 0;
}

/* The state of a pair, made if it is new. */
static int
state_of(struct explorer *x, struct pair p, uint32_t *state, struct err *e)
{
    uint32_t *slot = find_slot(x, p);
    if (*slot == 0) {
        *slot = x->out->states + 1;
        int status = add_state(x, p, e);
        if (status != 0)
            return status;
        *state = x->out->states - 1;
        return 0;
    }
    *state = *slot - 1;
    return 0;
}

static int
follow(struct explorer *x, uint32_t q, unsigned symbol, struct err *e)
{
    const struct trie *t = x->trie;
    struct pair p = x->pair[q];
    uint32_t to = MOTIF_DEAD;
    p.node = t->next[(size_t)p.node * t->symbols + symbol];
    p.seen |= t->node[p.node].wanted;
    if (!t->node[p.node].unwanted) {
        if (p.seen == x->all && !x->any_unwanted)
            p.node = 0;
        int status = state_of(x, p, &to, e);
        if (status != 0)
            return status;
    }
    x->out->next[(size_t)q * t->symbols + symbol] = to;
    return 0;
}

static int
explore(struct explorer *x, struct err *e)
{
    struct motif *m = x->out;
    int status = grow_table(x, e);
    uint32_t start;
    if (status == 0)
        status = state_of(x, (struct pair){0, 0}, &start, e);
    for (uint32_t q = 0; status == 0 && q < m->states; q++)
        for (unsigned c = 0; status == 0 && c < m->symbols; c++)
            status = follow(x, q, c, e);
    if (status == 0 && (m->accept = mem_array(m->states, 1, e)) == NULL)
        status = ERR_NOMEM;
    for (uint32_t q = 0; status == 0 && q < m->states; q++)
        m->accept[q] = x->pair[q].seen == x->all;
    mem_free(x->pair);
    mem_free(x->table);
    return status;
}

/* --- minimising (Hopcroft, 1971) --- */

/* States in blocks: member[begin[b] .. end[b]-1] are block b, of which the
 * first marked[b] are marked. */
struct partition {
    const struct motif *m;
    uint32_t blocks;
    uint32_t *member, *place, *block; /* [states]: place is the inverse of member */
    uint32_t *begin, *end, *marked;   /* [blocks] */
    uint32_t *source;                 /* states by (head, symbol) of their arcs */
    uint32_t *source_begin;           /* [states * symbols + 1] */
    uint32_t *touched;                /* blocks with marks */
    uint32_t *todo;                   /* blocks to split by, a stack */
    uint32_t touched_count, todo_count;
};

static int
new_partition(struct partition *p, const struct motif *m, struct err *e)
{
    size_t n = m->states, entries = n * m->symbols;
    *p = (struct partition){.m = m};
    uint32_t **const each[] = {&p->member, &p->place,  &p->block,   &p->begin,
                               &p->end,    &p->marked, &p->touched, &p->todo};
    bool failed = false;
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
        failed |= (*each[i] = mem_zero(n, sizeof **each[i], e)) == NULL;
    failed |= (p->source = mem_array(entries, sizeof *p->source, e)) == NULL;
    failed |= (p->source_begin = mem_zero(entries + 1, sizeof *p->source_begin, e)) == NULL;
    return failed ? ERR_NOMEM : 0;
}

static void
clear_partition(struct partition *p)
{
    uint32_t *const each[] = {p->member, p->place,   p->block, p->begin,  p->end,
                              p->marked, p->touched, p->todo,  p->source, p->source_begin};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
        mem_free(each[i]);
}

/* Arcs the other way round, by counting. */
static void
invert_arcs(struct partition *p)
{
    const struct motif *m = p->m;
    unsigned k = m->symbols;
    size_t entries = (size_t)m->states * k;
    for (size_t i = 0; i < entries; i++)
        if (m->next[i] != MOTIF_DEAD)
            p->source_begin[(size_t)m->next[i] * k + i % k]++;
    uint32_t sum = 0;
    for (size_t i = 0; i <= entries; i++)
        sum += p->source_begin[i], p->source_begin[i] = sum;
    for (size_t i = entries; i-- > 0;)
        if (m->next[i] != MOTIF_DEAD)
            p->source[--p->source_begin[(size_t)m->next[i] * k + i % k]] = (uint32_t)(i / k);
}

static void
mark(struct partition *p, uint32_t q)
{
    uint32_t b = p->block[q], front = p->begin[b] + p->marked[b];
    if (p->place[q] < front)
        return;
    if (p->marked[b]++ == 0)
        p->touched[p->touched_count++] = b;
    uint32_t other = p->member[front];
    p->member[p->place[q]] = other;
    p->place[other] = p->place[q];
    p->member[front] = q;
    p->place[q] = front;
}

/* Splits each touched block into its marked and its other members.  The new
 * block is the smaller part and is put on the list: where the old one waits
 * there too, both parts do, and where it has been used, the smaller is enough. */
static void
split_touched(struct partition *p)
{
    while (p->touched_count > 0) {
        uint32_t b = p->touched[--p->touched_count];
        uint32_t cut = p->begin[b] + p->marked[b], fresh = p->blocks;
        p->marked[b] = 0;
        if (cut == p->end[b])
            continue;
        if (cut - p->begin[b] <= p->end[b] - cut) {
            p->begin[fresh] = p->begin[b];
            p->end[fresh] = p->begin[b] = cut;
        } else {
            p->end[fresh] = p->end[b];
            p->begin[fresh] = p->end[b] = cut;
        }
        p->blocks++;
        for (uint32_t i = p->begin[fresh]; i < p->end[fresh]; i++)
            p->block[p->member[i]] = fresh;
        p->todo[p->todo_count++] = fresh;
    }
}

static void
split_by(struct partition *p, uint32_t splitter, uint32_t *copy)
{
    uint32_t n = p->end[splitter] - p->begin[splitter];
    memcpy(copy, p->member + p->begin[splitter], n * sizeof *copy);
    for (unsigned c = 0; c < p->m->symbols; c++) {
        for (uint32_t i = 0; i < n; i++) {
            size_t to = (size_t)copy[i] * p->m->symbols + c;
            for (uint32_t a = p->source_begin[to]; a < p->source_begin[to + 1]; a++)
                mark(p, p->source[a]);
        }
        split_touched(p);
    }
}

static int
refine(struct partition *p, struct err *e)
{
    const struct motif *m = p->m;
    uint32_t *copy = mem_array(m->states, sizeof *copy, e);
    if (copy == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; q < m->states; q++)
        p->member[q] = p->place[q] = q;
    p->blocks = 1;
    p->end[0] = m->states;
    p->todo[p->todo_count++] = 0;
    for (uint32_t q = 0; q < m->states; q++)
        if (m->accept[q])
            mark(p, q);
    split_touched(p);
    while (p->todo_count > 0)
        split_by(p, p->todo[--p->todo_count], copy);
    mem_free(copy);
    return 0;
}

/* Replaces the machine by its blocks, numbered in the order in which the old
 * states, found breadth first, first mention them: the start stays 0. */
static int
merge_blocks(struct motif *m, const struct partition *p, struct err *e)
{
    uint32_t *number = mem_array(p->blocks, sizeof *number, e), merged = 0;
    if (number == NULL)
        return ERR_NOMEM;
    memset(number, 0xFF, p->blocks * sizeof *number);
    for (uint32_t q = 0; q < m->states; q++)
        if (number[p->block[q]] == UINT32_MAX)
            number[p->block[q]] = merged++;
    uint32_t done = 0;
    for (uint32_t q = 0; q < m->states; q++) {
        if (number[p->block[q]] != done) /* not the first of its block */
            continue;
        for (unsigned c = 0; c < m->symbols; c++) {
            uint32_t to = m->next[(size_t)q * m->symbols + c];
            m->next[(size_t)done * m->symbols + c] = to == MOTIF_DEAD ? to : number[p->block[to]];
        }
        m->accept[done++] = m->accept[q];
    }
    m->states = merged;
    mem_free(number);
    return 0;
}

static int
minimise(struct motif *m, struct err *e)
{
    struct partition p;
    int status = new_partition(&p, m, e);
    if (status == 0) {
        invert_arcs(&p);
        status = refine(&p, e);
    }
    if (status == 0)
        status = merge_blocks(m, &p, e);
    clear_partition(&p);
    return status;
}

/* --- */

static int
make_trie(struct trie *t, const struct alphabet *a, const char *const *wanted, size_t wanted_count,
          const char *const *unwanted, size_t unwanted_count, struct err *e)
{
    uint32_t end;
    int status = add_node(t, e);
    for (size_t i = 0; status == 0 && i < wanted_count; i++) {
        status = add_word(t, a, wanted[i], &end, e);
        if (status == 0)
            t->node[end].wanted |= (uint64_t)1 << i;
        else
            err_prefix(e, "--motif");
    }
    for (size_t i = 0; status == 0 && i < unwanted_count; i++) {
        status = add_word(t, a, unwanted[i], &end, e);
        if (status == 0)
            t->node[end].unwanted = true;
        else
            err_prefix(e, "--exclude");
    }
    return status == 0 ? link_nodes(t, e) : status;
}

int
motif_init(struct motif *m, const struct alphabet *a, const char *const *wanted,
           size_t wanted_count, const char *const *unwanted, size_t unwanted_count, struct err *e)
{
    struct trie t = {.symbols = a->size};
    *m = (struct motif){.symbols = a->size};
    if (wanted_count > MOTIF_WANTED_MAX)
        return err_set(e, ERR_USAGE, "--motif: %zu motifs; at most %d can be asked for",
                       wanted_count, MOTIF_WANTED_MAX);
    int status = make_trie(&t, a, wanted, wanted_count, unwanted, unwanted_count, e);
    if (status == 0) {
        struct explorer x = {.trie = &t, .out = m, .any_unwanted = unwanted_count > 0};
        x.all = wanted_count == 0 ? 0 : UINT64_MAX >> (MOTIF_WANTED_MAX - wanted_count);
        status = explore(&x, e);
    }
    clear_trie(&t);
    return status == 0 ? minimise(m, e) : status;
}

void
motif_clear(struct motif *m)
{
    mem_free(m->next);
    mem_free(m->accept);
    m->next = NULL;
    m->accept = NULL;
    m->states = 0;
}
