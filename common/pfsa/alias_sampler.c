/* SPDX-License-Identifier: MIT */
#include "pfsa/alias_sampler.h"

#include <endian.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/pool.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "io/output.h"
#include "model/sampler.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_stats.h"
#include "text/alphabet.h"
#include "text/string_writer.h"

enum {
    TEXT_MAX = 8,                   /* maximum characters of a path: one 64-bit store */
    PATHS_MAX = 256,                /* maximum paths from one state, if memory allows */
    PATHS_LEAST = ALPHABET_MAX + 1, /* one step from any state */
    ENTRIES_MAX = 1 << 18,          /* columns in all tables: 10 MB, which caches hold */
    MASS_BITS = 62,                 /* probability 1 is 2^62 */
    BLOCK_BYTES = 1 << 16,          /* approximate text of a block */
    LANES = 16,                     /* blocks that one thread draws alternately */
    ROUND = 128,                    /* draws between checks of the size of a block */
    TASKS_A_THREAD = 2
};

/* 2^bits columns, each for an equal share of the random numbers. */
struct alias_table {
    uint32_t column; /* the first */
    uint8_t bits;
};

/* The effect of a draw. */
struct path {
    uint64_t text;   /* characters or symbols, the first in the lowest byte */
    uint32_t target; /* the first column of the table to draw from next; before, the state */
    uint8_t bits;    /* of that table */
    uint8_t length;  /* characters */
    uint8_t ended;   /* the last of them ends the string */
};

/* A random number below `cut` selects the first path, otherwise the second.  All data of a draw are
 * in one place: with large tables, memory access takes most of the time. */
struct column {
    uint64_t cut;
    struct path path[2];
};

struct alias_sampler {
    struct alias_table *table;
    struct column *column;
    size_t tables, columns;
    uint64_t block; /* strings in a block */
    struct alphabet alphabet;
    struct alias_sampler_format format;
    bool plain; /* the text of paths is that of the strings */
};

enum { END = ALPHABET_MAX }; /* of a string, where paths have symbols */

void
alias_sampler_free(struct alias_sampler *s)
{
    if (s == NULL)
        return;
    mem_free(s->table);
    mem_free(s->column);
    mem_free(s);
}

/* --- paths from a state --- */

struct path_list {
    unsigned count;
    bool open; /* some path can be continued */
    struct path path[PATHS_MAX + 1];
    double logp[PATHS_MAX + 1];
};

/* Adds the path that extends `path` by one character.  The list has one place more than the
 * limit, so that an overflow can be detected. */
static void
add_path(struct path_list *l, unsigned limit, struct path path, double logp, char c, uint32_t state,
         bool ended)
{
    if (l->count > limit)
        return;
    path.text |= (uint64_t)(unsigned char)c << 8 * path.length;
    path.length++;
    path.target = state;
    path.ended = ended;
    l->open |= !ended && path.length < TEXT_MAX;
    l->path[l->count] = path;
    l->logp[l->count++] = logp;
}

static void
continue_path(const struct pfsa *p, bool plain, const struct path_list *from, unsigned i,
              unsigned limit, struct path_list *to)
{
    const char *chars = p->model.alphabet.text;
    struct path path = from->path[i];
    double logp = from->logp[i];
    uint32_t q = path.target;
    if (path.ended || path.length == TEXT_MAX) {
        if (to->count <= limit) {
            to->path[to->count] = path;
            to->logp[to->count++] = logp;
        }
        return;
    }
    if (p->final_logp[q] > -INFINITY)
        add_path(to, limit, path, logp + p->final_logp[q], plain ? '\n' : (char)END, 0, true);
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        add_path(to, limit, path, logp + p->logp[a],
                 plain ? chars[p->symbol[a]] : (char)p->symbol[a], p->next[a], false);
}

/* All paths from q, as long as possible while there are at most `limit`, but at least one
 * step.  The two lists alternate; the result is one of them. */
static struct path_list *
find_paths(const struct pfsa *p, bool plain, uint32_t q, unsigned limit, struct path_list lists[2])
{
    struct path_list *now = &lists[0], *next = &lists[1];
    now->count = 1;
    now->open = true;
    now->path[0] = (struct path){.target = q};
    now->logp[0] = 0;
    for (unsigned most = PATHS_LEAST; now->open; most = limit) {
        next->count = 0;
        next->open = false;
        for (unsigned i = 0; i < now->count; i++)
            continue_path(p, plain, now, i, most, next);
        if (next->count > most)
            break;
        struct path_list *swap = now;
        now = next;
        next = swap;
    }
    return now;
}

/* --- alias tables --- */

/* The probabilities of the paths as integers that sum to 2^MASS_BITS: rounded, with the
 * remainder added to the most likely path. */
static void
find_masses(const struct path_list *l, uint64_t *mass)
{
    uint64_t sum = 0;
    unsigned likeliest = 0;
    for (unsigned i = 0; i < l->count; i++) {
        mass[i] = (uint64_t)(ldexp(dm_exp(l->logp[i]), MASS_BITS) + 0.5);
        sum += mass[i];
        if (mass[i] > mass[likeliest])
            likeliest = i;
    }
    mass[likeliest] += ((uint64_t)1 << MASS_BITS) - sum;
}

/* Fills 2^bits columns: a path with less than the share of a column keeps its own column,
 * and one with more fills the rest of it, until all are full (Walker, 1977; in integers, so
 * without rounding).  When no small path is left, each large one has exactly the share of a
 * column. */
static void
fill_columns(struct column *column, unsigned bits, uint64_t *mass, const struct path_list *l)
{
    const unsigned paths = l->count;
    uint64_t share = (uint64_t)1 << (MASS_BITS - bits);
    unsigned columns = 1u << bits, small[PATHS_MAX], smalls = 0, large[PATHS_MAX], larges = 0;
    memset(mass + paths, 0, (columns - paths) * sizeof *mass);
    for (unsigned i = 0; i < columns; i++)
        if (mass[i] < share)
            small[smalls++] = i;
        else
            large[larges++] = i;
    while (larges > 0) {
        unsigned rich = large[--larges], poor = smalls > 0 ? small[--smalls] : rich;
        uint64_t own = poor == rich ? share : mass[poor];
        /* The cut of a full column may wrap to 0 at the end; then both paths are the same. */
        column[poor].cut = ((poor * share) + own) << (64 - MASS_BITS);
        column[poor].path[0] = l->path[poor < paths ? poor : rich];
        column[poor].path[1] = l->path[rich];
        if (poor == rich)
            continue;
        mass[rich] -= share - own;
        if (mass[rich] < share)
            small[smalls++] = rich;
        else
            large[larges++] = rich;
    }
}

/* --- all tables --- */

struct builder {
    const struct pfsa *p;
    struct alias_sampler *out;
    unsigned limit;   /* paths from a state */
    uint32_t *number; /* [states] the state's table, NONE if it has none yet */
    uint32_t *state;  /* [states] the tables' states */
    struct path_list list[2];
    uint64_t mass[PATHS_MAX];
};

#define NONE UINT32_MAX

static uint32_t
table_of(struct builder *b, uint32_t state)
{
    if (b->number[state] == NONE) {
        b->number[state] = (uint32_t)b->out->tables;
        b->state[b->out->tables++] = state;
    }
    return b->number[state];
}

/* The paths from the state of a table, and the bits of its columns. */
static struct path_list *
table_paths(struct builder *b, size_t number, unsigned *bits)
{
    struct path_list *l = find_paths(b->p, b->out->plain, b->state[number], b->limit, b->list);
    *bits = 0;
    while (1u << *bits < l->count)
        ++*bits;
    for (unsigned i = 0; i < l->count; i++)
        l->path[i].target = table_of(b, l->path[i].target);
    return l;
}

static void
make_table(struct builder *b, size_t number)
{
    struct alias_sampler *s = b->out;
    unsigned bits;
    const struct path_list *l = table_paths(b, number, &bits);
    s->table[number] = (struct alias_table){(uint32_t)s->columns, (uint8_t)bits};
    find_masses(l, b->mass);
    fill_columns(s->column + s->columns, bits, b->mass, l);
    s->columns += (size_t)1 << bits;
}

/* Targets become places, when all tables have theirs. */
static void
link_path(const struct alias_sampler *s, struct path *p)
{
    const struct alias_table t = s->table[p->target];
    p->target = t.column;
    p->bits = t.bits;
}

static void
link_tables(struct alias_sampler *s)
{
    for (size_t i = 0; i < s->columns; i++) {
        link_path(s, &s->column[i].path[0]);
        link_path(s, &s->column[i].path[1]);
    }
}

/* Numbers the tables, that of the start and those of all states where a path ends, and counts
 * their columns, up to ENTRIES_MAX unless there is no choice. */
static void
count_tables(struct builder *b)
{
    struct alias_sampler *s = b->out;
    memset(b->number, 0xFF, b->p->states * sizeof *b->number);
    s->tables = s->columns = 0;
    table_of(b, 0);
    for (size_t i = 0; i < s->tables && (s->columns <= ENTRIES_MAX || b->limit <= 1); i++) {
        unsigned bits;
        table_paths(b, i, &bits);
        s->columns += (size_t)1 << bits;
    }
}

/* If there are too many columns, with fewer paths per table. */
static int
make_tables(struct builder *b, struct err *e)
{
    struct alias_sampler *s = b->out;
    b->limit = PATHS_MAX;
    count_tables(b);
    for (; s->columns > ENTRIES_MAX && b->limit > 1; count_tables(b))
        b->limit /= 4;
    if (s->columns > UINT32_MAX)
        return err_set(e, ERR_LIMIT, "automaton is too large for sampling");
    s->table = mem_array(s->tables, sizeof *s->table, e);
    s->column = mem_array(s->columns, sizeof *s->column, e);
    if (s->table == NULL || s->column == NULL)
        return ERR_NOMEM;
    s->columns = 0;
    for (size_t i = 0; i < s->tables; i++)
        make_table(b, i);
    link_tables(s);
    return 0;
}

static int
find_mean(const struct pfsa *p, double most, double *mean, struct err *e)
{
    struct pfsa_stats stats;
    int rc = pfsa_stats(p, &stats, e);
    if (rc != 0)
        return rc;
    *mean = stats.mean_length;
    if (*mean <= most)
        return 0;
    return err_advise(e, ERR_LIMIT, REMEDY_LOWER_MAX_LENGTH,
                      "strings have %.3g symbols on average, maximum for sampling is %.0f", *mean,
                      most);
}

int
alias_sampler_check(const struct model *m, uint64_t max_length, struct err *e)
{
    const struct pfsa *p = pfsa_of(m);
    double mean;
    if (p == NULL || max_length != MODEL_UNBOUNDED || p->acyclic)
        return 0;
    return find_mean(p, SAMPLER_LENGTH_MAX, &mean, e);
}

/* Strings in a block: as many as make about 64 kB of text. */
static int
choose_block(const struct pfsa *p, struct alias_sampler *s, struct err *e)
{
    double length = (double)p->model.max_length;
    int rc = p->acyclic ? 0 : find_mean(p, ALIAS_SAMPLER_MEAN_MAX, &length, e);
    if (rc != 0)
        return rc;
    s->block = (uint64_t)(BLOCK_BYTES / (length + 1)) + 1;
    return 0;
}

struct alias_sampler *
alias_sampler_new(const struct pfsa *p, struct alias_sampler_format f, struct err *e)
{
    struct alias_sampler *s = mem_zero(1, sizeof *s, e);
    struct builder *b = mem_zero(1, sizeof *b, e);
    int rc = ERR_NOMEM;
    if (s != NULL && b != NULL) {
        b->p = p;
        b->out = s;
        s->alphabet = p->model.alphabet;
        s->format = f;
        s->plain = s->alphabet.bytes && !f.fasta && f.values == NULL;
        b->number = mem_array(p->states, sizeof *b->number, e);
        b->state = mem_array(p->states, sizeof *b->state, e);
        if (b->number != NULL && b->state != NULL)
            rc = make_tables(b, e);
        mem_free(b->number);
        mem_free(b->state);
    }
    mem_free(b);
    if (rc == 0)
        rc = choose_block(p, s, e);
    if (rc == 0)
        return s;
    alias_sampler_free(s);
    return NULL;
}

/* --- drawing --- */

/* A block that is being drawn. */
struct lane {
    struct rng rng;
    uint64_t random[ROUND];
    struct alias_table table; /* to draw from next */
    int64_t left;             /* strings still to finish; negative past the end */
    char *text;
    size_t used, capacity;
    size_t length;               /* among the requested strings; later ones are discarded */
    struct string_writer writer; /* the text of the strings, where `text` has symbols */
    double *phi;                 /* [features] with the record of a string after them */
    struct err error;
};

static void
lane_clear(struct lane *l)
{
    mem_free(l->text);
    string_writer_clear(&l->writer);
    mem_free(l->phi);
}

/* Prepares random numbers and space for a round of draws; false without memory. */
static bool
provide(struct lane *l)
{
    rng_fill(&l->rng, l->random, ROUND);
    size_t need = l->used + ROUND * TEXT_MAX;
    return mem_reserve(&l->text, &l->capacity, need, 1, &l->error) == 0;
}

/* Without a branch, since neither the path nor the end of a string can be predicted.  The column
 * of the next draw, by the random number `next`, is in the cache when the lane's turn comes. */
static inline void
draw(const struct alias_sampler *s, struct lane *l, uint64_t random, uint64_t next)
{
    const struct column *c = &s->column[l->table.column + (random >> 1 >> (63 - l->table.bits))];
    const struct path *p = &c->path[random >= c->cut];
    uint64_t text = htole64(p->text);
    memcpy(l->text + l->used, &text, sizeof text);
    l->used += p->length;
    l->length = l->left > 0 ? l->used : l->length;
    l->left -= p->ended;
    l->table = (struct alias_table){p->target, p->bits};
    __builtin_prefetch(&s->column[l->table.column + (next >> 1 >> (63 - l->table.bits))]);
}

/* Draws several blocks alternately, so that their memory accesses overlap, until each has
 * its strings or an error. */
static void
draw_blocks(const struct alias_sampler *s, struct lane *lanes, unsigned count)
{
    struct lane *lane[LANES];
    for (unsigned i = 0; i < count; i++)
        lane[i] = &lanes[i];
    for (;;) {
        for (unsigned i = 0; i < count;)
            if (lane[i]->left <= 0 || !provide(lane[i]))
                lane[i] = lane[--count];
            else
                i++;
        if (count == 0)
            return;
        for (unsigned k = 0; k < ROUND; k++)
            for (unsigned i = 0; i < count; i++)
                draw(s, lane[i], lane[i]->random[k], lane[i]->random[(k + 1) % ROUND]);
    }
}

/* Blocks that the threads of the pool draw at the same time, LANES per task. */
struct batch {
    const struct alias_sampler *s;
    const struct alias_sampler_request *request;
    uint64_t block;      /* the first */
    uint64_t characters; /* written so far */
    size_t lanes;
    struct lane *lane;
};

/* Writes phi of the string, if requested. */
static void
write_values(const struct feature_set *f, struct lane *l, const uint8_t *symbols, size_t length)
{
    if (f == NULL)
        return;
    char number[NUM_TEXT_MAX + 1];
    size_t n = feature_set_count(f);
    if (l->phi == NULL)
        l->phi = mem_array(1, n * sizeof *l->phi + feature_set_state_bytes(f), &l->error);
    if (l->phi == NULL)
        return;
    feature_set_run(f, l->phi + n, symbols, length);
    feature_set_values(f, l->phi + n, l->phi);
    for (size_t i = 0; i < n && l->error.code == ERR_NONE; i++) {
        num_text(l->phi[i], number);
        strcat(number, "\t");
        string_writer_put(&l->writer, number, strlen(number), &l->error);
    }
}

/* Makes text of the symbols of a block. */
static void
translate(const struct batch *b, struct lane *l, uint64_t block)
{
    struct string_writer *w = &l->writer;
    w->alphabet = &b->s->alphabet;
    w->fasta = b->s->format.fasta;
    w->number = b->request->first + block * b->s->block;
    w->used = 0;
    for (const char *at = l->text, *end = at + l->length; l->error.code == ERR_NONE && at < end;) {
        const char *stop = memchr(at, END, (size_t)(end - at));
        write_values(b->s->format.values, l, (const uint8_t *)at, (size_t)(stop - at));
        string_writer_add(w, (const uint8_t *)at, (size_t)(stop - at), &l->error);
        at = stop + 1;
    }
}

static void
draw_task(void *arg, size_t task, int worker)
{
    struct batch *b = arg;
    struct lane *lane = b->lane + task * LANES;
    (void)worker;
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t block = b->block + task * LANES + i, start = block * b->s->block;
        uint64_t count = b->request->count, left = start < count ? count - start : 0;
        lane[i].left = (int64_t)(left < b->s->block ? left : b->s->block);
        lane[i].used = lane[i].length = 0;
        lane[i].table = b->s->table[0];
        rng_init(&lane[i].rng, b->request->seed, b->request->purpose,
                 rng_part_index(b->request->part, block));
    }
    draw_blocks(b->s, lane, LANES);
    for (unsigned i = 0; i < LANES && !b->s->plain; i++)
        translate(b, &lane[i], b->block + task * LANES + i);
}

static int
write_batch(struct batch *b, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < b->lanes; i++)
        if (b->lane[i].error.code != ERR_NONE)
            rc = err_pass(e, &b->lane[i].error);
        else if (b->s->plain && b->lane[i].length > 0)
            rc = output_write(b->request->out, b->lane[i].text, b->lane[i].length, e);
        else if (b->lane[i].writer.used > 0)
            rc = output_write(b->request->out, b->lane[i].writer.text, b->lane[i].writer.used, e);
    for (size_t i = 0; i < b->lanes; i++)
        b->characters += b->lane[i].length;
    return rc;
}

static uint64_t
min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int
alias_sampler_write(const struct alias_sampler *s, struct pool *pool,
                    const struct alias_sampler_request *r, uint64_t *characters, struct err *e)
{
    uint64_t blocks = r->count / s->block + (r->count % s->block != 0);
    size_t tasks = (size_t)min_u64((uint64_t)pool_threads(pool) * TASKS_A_THREAD,
                                   blocks / LANES + (blocks % LANES != 0));
    struct batch b = {.s = s, .request = r, .lanes = tasks * LANES};
    b.lane = mem_zero(b.lanes, sizeof *b.lane, e);
    int rc = b.lane == NULL ? ERR_NOMEM : 0;
    for (; rc == 0 && b.block < blocks; b.block += b.lanes) {
        pool_run(pool, tasks, draw_task, &b);
        rc = write_batch(&b, e);
        uint64_t done = min_u64(r->count, (b.block + b.lanes) * s->block);
        if (rc == 0 && r->written != NULL)
            *r->written = done;
        if (rc == 0 && r->progress != NULL)
            r->progress(r->arg, done);
        if (rc == 0 && r->stop != NULL && *r->stop != 0)
            rc = err_set(e, ERR_STOPPED, "stopped by a signal");
    }
    for (size_t i = 0; b.lane != NULL && i < b.lanes; i++)
        lane_clear(&b.lane[i]);
    mem_free(b.lane);
    if (characters != NULL)
        *characters = b.characters;
    return rc;
}
