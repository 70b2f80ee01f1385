/* SPDX-License-Identifier: MIT */
#include "feature/text_statistics.h"

#include <math.h>
#include <string.h>

#include "automata/line_dfa.h"
#include "automata/word_counter.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "core/wide.h"
#include "feature/feature_set.h"
#include "text/fasta_blocks.h"
#include "text/line_reader.h"
#include "text/string_reader.h"
#include "text/string_writer.h"
#include "text/strings.h"

/* The counts of one thread.  Squares of lengths (length2) and their squares are summed over
 * strings.  In the worst case all strings have LINE_SYMBOLS_MAX symbols; then the first sum fits
 * 64 bits, and below the second sum times the number of strings 128 bits, for less than 2^44 bytes
 * of text. */
struct thread_counts {
    uint64_t strings;
    struct word_counter_count *count; /* [word_counter_words] */
    uint64_t *accepted;               /* [tables] strings that the table accepts */
    uint64_t shortest, longest;
    uint64_t *sum;       /* [followed] of the values as whole numbers */
    struct wide *square; /* [followed] of their squares */
    uint64_t *whole;     /* [followed] of the present string */
    void *state;
    struct string_writer text; /* strings as lines */
    struct err error;
};

/* How the values of a feature are found. */
enum method {
    BY_WORD,  /* word_counter counts the strings with a word */
    BY_TABLE, /* line_dfa counts the strings that an automaton accepts */
    BY_STEPS  /* feature_set follows the string */
};

struct text_statistics {
    const struct feature_set *features;
    struct pool *pool;
    struct word_counter *scan;
    struct line_dfa *table; /* [tables] */
    size_t tables;
    struct feature_set *followed; /* features that are followed by steps */
    enum method *method;          /* [features] */
    size_t *place;                /* [features] among the words, tables or followed features */
    size_t *motif;                /* [motifs] among scan's words */
    size_t motifs, motif_capacity;
    struct thread_counts *worker; /* [threads] */
    uint64_t skipped;
};

/* ---- building ------------------------------------------------------------------ */

/* Counts the strings with the word of a feature. */
static int
scan_word(struct text_statistics *t, size_t i, bool at_start, struct err *e)
{
    const struct feature *f = feature_set_feature(t->features, i);
    const struct alphabet *a = feature_set_alphabet(t->features);
    char *word = mem_zero(alphabet_text_max(a, f->word_length) + 1, 1, e);
    if (word == NULL)
        return ERR_NOMEM;
    alphabet_decode(a, f->word, f->word_length, word);
    int rc = word_counter_add_word(t->scan, word, at_start, &t->place[i], e);
    mem_free(word);
    return rc;
}

static int
place_features(struct text_statistics *t, struct err *e)
{
    const struct feature_set *f = t->features;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < feature_set_count(f); i++) {
        enum feature_type kind = feature_set_type(f, i);
        const struct dfa *d = feature_dfa(feature_set_feature(f, i));
        if (kind == FEATURE_MOTIF || kind == FEATURE_PREFIX) {
            t->method[i] = BY_WORD;
            rc = scan_word(t, i, kind == FEATURE_PREFIX, e);
        } else if (d != NULL) {
            t->method[i] = BY_TABLE;
            t->place[i] = t->tables++;
            if (feature_set_alphabet(f)->bytes)
                rc = line_dfa_init(&t->table[t->place[i]], d, feature_set_alphabet(f), e);
        } else {
            t->method[i] = BY_STEPS;
            t->place[i] = feature_set_count(t->followed);
            rc = feature_set_add_named(t->followed, feature_set_name(f, i), feature_set_spec(f, i),
                                       e);
        }
    }
    return rc;
}

struct text_statistics *
text_statistics_new(const struct feature_set *f, struct pool *pool, struct err *e)
{
    struct text_statistics *t = mem_zero(1, sizeof *t, e);
    if (t == NULL)
        return NULL;
    t->features = f;
    t->pool = pool;
    t->scan = word_counter_new(feature_set_alphabet(f), e);
    t->followed = feature_set_new(feature_set_alphabet(f), e);
    t->table = mem_zero(feature_set_count(f), sizeof *t->table, e);
    t->method = mem_array(feature_set_count(f), sizeof *t->method, e);
    t->place = mem_array(feature_set_count(f), sizeof *t->place, e);
    if (t->scan != NULL && t->followed != NULL && t->table != NULL && t->method != NULL &&
        t->place != NULL && place_features(t, e) == 0)
        return t;
    text_statistics_free(t);
    return NULL;
}

void
text_statistics_free(struct text_statistics *t)
{
    if (t == NULL)
        return;
    for (int i = 0; t->worker != NULL && i < pool_threads(t->pool); i++) {
        mem_free(t->worker[i].count);
        mem_free(t->worker[i].accepted);
        mem_free(t->worker[i].sum);
        mem_free(t->worker[i].square);
        mem_free(t->worker[i].whole);
        mem_free(t->worker[i].state);
        string_writer_clear(&t->worker[i].text);
    }
    mem_free(t->worker);
    mem_free(t->motif);
    mem_free(t->place);
    mem_free(t->method);
    for (size_t i = 0; i < t->tables; i++)
        line_dfa_clear(&t->table[i]);
    mem_free(t->table);
    feature_set_free(t->followed);
    word_counter_free(t->scan);
    mem_free(t);
}

int
text_statistics_add_motif(struct text_statistics *t, const char *motif, struct err *e)
{
    if (mem_reserve(&t->motif, &t->motif_capacity, t->motifs + 1, sizeof *t->motif, e) != 0)
        return ERR_NOMEM;
    int rc = word_counter_add_word(t->scan, motif, false, &t->motif[t->motifs], e);
    if (rc == 0)
        t->motifs++;
    return rc;
}

int
text_statistics_compile(struct text_statistics *t, struct err *e)
{
    int rc = word_counter_compile(t->scan, e);
    size_t n = feature_set_count(t->followed);
    t->worker = mem_zero((size_t)pool_threads(t->pool), sizeof *t->worker, e);
    if (t->worker == NULL)
        return ERR_NOMEM;
    for (int i = 0; rc == 0 && i < pool_threads(t->pool); i++) {
        struct thread_counts *w = &t->worker[i];
        w->shortest = UINT64_MAX;
        w->text.alphabet = feature_set_alphabet(t->features);
        w->count = mem_zero(word_counter_words(t->scan), sizeof *w->count, e);
        w->accepted = mem_zero(t->tables, sizeof *w->accepted, e);
        w->sum = mem_zero(n, sizeof *w->sum, e);
        w->square = mem_zero(n, sizeof *w->square, e);
        w->whole = mem_array(n, sizeof *w->whole, e);
        w->state = mem_array(feature_set_state_bytes(t->followed), 1, e);
        if (w->count == NULL || w->accepted == NULL || w->sum == NULL || w->square == NULL ||
            w->whole == NULL || w->state == NULL)
            rc = ERR_NOMEM;
    }
    return rc;
}

/* ---- counting -------------------------------------------------------------------- */

/* Adds the values of a string of n symbols, after its last symbol. */
static void
add_values(const struct feature_set *f, struct thread_counts *w, size_t n)
{
    feature_set_numerators(f, w->state, w->whole);
    for (size_t i = 0; i < feature_set_count(f); i++) {
        w->sum[i] += w->whole[i];
        w->square[i] = wide_add(w->square[i], wide_product(w->whole[i], w->whole[i]));
    }
    w->shortest = n < w->shortest ? n : w->shortest;
    w->longest = n > w->longest ? n : w->longest;
}

static void
follow_line(const struct feature_set *f, struct thread_counts *w, const char *text, size_t n)
{
    const uint8_t *symbol = feature_set_alphabet(f)->symbol;
    feature_set_start(f, w->state);
    for (size_t i = 0; i < n; i++)
        feature_set_step(f, w->state, symbol[(unsigned char)text[i]]);
    add_values(f, w, n);
}

static size_t
count_block(void *arg, const char *text, size_t size, uint64_t *lines, int worker)
{
    const struct text_statistics *t = arg;
    struct thread_counts *w = &t->worker[worker];
    uint64_t before = w->strings;
    size_t done = word_counter_scan(t->scan, text, size, w->count, &w->strings);
    *lines = w->strings - before;
    for (size_t i = 0; done == size && i < t->tables; i++)
        w->accepted[i] += line_dfa_count(&t->table[i], text, size);
    if (done < size || feature_set_count(t->followed) == 0)
        return done;
    for (const char *line = text, *end = text + size; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)(newline - line);
        follow_line(t->followed, w, line, n > 0 && line[n - 1] == '\r' ? n - 1 : n);
        line = newline + 1;
    }
    return size;
}

/* ---- strings that are not lines of characters of one byte -------------------------- */

enum { BLOCK_STRINGS = 1 << 14, BLOCK_SYMBOLS = 1 << 22, TASK_STRINGS = 1 << 8 };

struct string_block {
    struct text_statistics *t;
    const struct strings *strings;
};

static void
count_symbols(const struct text_statistics *t, struct thread_counts *w, const uint8_t *symbols,
              size_t length)
{
    word_counter_string(t->scan, symbols, length, w->count, &w->strings);
    for (size_t i = 0; i < feature_set_count(t->features); i++)
        if (t->method[i] == BY_TABLE) {
            const struct dfa *d = feature_dfa(feature_set_feature(t->features, i));
            uint32_t q = 0;
            for (size_t k = 0; k < length; k++)
                q = d->next[(size_t)q * d->symbols + symbols[k]];
            w->accepted[t->place[i]] += d->accept[q];
        }
    if (feature_set_count(t->followed) == 0)
        return;
    feature_set_start(t->followed, w->state);
    for (size_t i = 0; i < length; i++)
        feature_set_step(t->followed, w->state, symbols[i]);
    add_values(t->followed, w, length);
}

/* Strings of characters of one byte become lines again, for the fast search. */
static void
count_as_lines(struct text_statistics *t, const struct strings *s, size_t first, size_t end,
               int worker)
{
    struct thread_counts *w = &t->worker[worker];
    uint64_t lines;
    struct err e = {0};
    w->text.used = 0;
    for (size_t i = first; i < end && e.code == ERR_NONE; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        string_writer_add(&w->text, symbols, length, &e);
    }
    if (e.code == ERR_NONE)
        count_block(t, w->text.text, w->text.used, &lines, worker);
    else
        w->error = e;
}

static void
count_task(void *arg, size_t task, int worker)
{
    const struct string_block *b = arg;
    size_t first = task * TASK_STRINGS, end = first + TASK_STRINGS;
    end = end < b->strings->count ? end : b->strings->count;
    if (feature_set_alphabet(b->t->features)->bytes) {
        count_as_lines(b->t, b->strings, first, end, worker);
        return;
    }
    for (size_t i = first; i < end; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(b->strings, i, &length);
        count_symbols(b->t, &b->t->worker[worker], symbols, length);
    }
}

int
text_statistics_add(struct text_statistics *t, const struct strings *s, struct err *e)
{
    struct string_block b = {t, s};
    int rc = 0;
    pool_run(t->pool, (s->count + TASK_STRINGS - 1) / TASK_STRINGS, count_task, &b);
    for (int i = 0; i < pool_threads(t->pool); i++)
        if (t->worker[i].error.code != ERR_NONE)
            rc = err_pass(e, &t->worker[i].error);
    return rc;
}

static int
read_blocks(void *arg, struct string_reader *r, struct err *e)
{
    struct text_statistics *t = arg;
    struct strings s = {0};
    int rc = 1;
    while (rc > 0) {
        strings_reset(&s);
        rc = strings_read(&s, r, BLOCK_STRINGS, BLOCK_SYMBOLS, e);
        int counted = rc >= 0 ? text_statistics_add(t, &s, e) : 0;
        rc = counted < 0 ? counted : rc;
    }
    strings_clear(&s);
    return rc;
}

int
text_statistics_read(struct text_statistics *t, struct input *in, const struct string_format *f,
                     struct err *e)
{
    const struct alphabet *a = feature_set_alphabet(t->features);
    int kind = string_kind_find(in, a, f, e);
    if (kind < 0)
        return kind;
    bool plain = a->bytes && !f->fold_case && !f->skip_bad;
    if (kind == STRINGS_LINES && plain)
        return line_blocks_run(in, a, f->kind == STRINGS_DETECT, t->pool, count_block, t, e);
    if (plain)
        return fasta_blocks_run(in, a, f->kind == STRINGS_DETECT, t->pool, count_block, read_blocks,
                                t, e);
    struct string_reader *r = string_reader_new(in, a, f, e);
    int rc = r != NULL ? read_blocks(t, r, e) : ERR_NOMEM;
    t->skipped += r != NULL ? string_reader_skipped(r) : 0;
    string_reader_free(r);
    return rc;
}

uint64_t
text_statistics_skipped(const struct text_statistics *t)
{
    return t->skipped;
}

/* ---- results --------------------------------------------------------------------- */

uint64_t
text_statistics_strings(const struct text_statistics *t)
{
    uint64_t n = 0;
    for (int i = 0; i < pool_threads(t->pool); i++)
        n += t->worker[i].strings;
    return n;
}

uint64_t
text_statistics_max_length(const struct text_statistics *t)
{
    uint64_t shortest = UINT64_MAX, longest = 0;
    for (int i = 0; i < pool_threads(t->pool); i++) {
        const struct thread_counts *w = &t->worker[i];
        shortest = w->shortest < shortest ? w->shortest : shortest;
        longest = w->longest > longest ? w->longest : longest;
    }
    return longest > 0 ? strings_default_max_length(shortest, longest) : 1;
}

static struct word_counter_count
total_count(const struct text_statistics *t, size_t word)
{
    struct word_counter_count total = {0};
    for (int i = 0; i < pool_threads(t->pool); i++) {
        total.lines += t->worker[i].count[word].lines;
        total.occurrences += t->worker[i].count[word].occurrences;
    }
    return total;
}

static uint64_t
total_accepted(const struct text_statistics *t, size_t table)
{
    uint64_t total = 0;
    for (int i = 0; i < pool_threads(t->pool); i++)
        total += t->worker[i].accepted[table];
    return total;
}

/* Wilson's score interval: the values p that the normal test at 95 % does not reject. */
static void
wilson(struct text_statistics_motif *m, double n)
{
    const double z = 1.959963984540054, z2 = z * z;
    double p = m->freq, middle = p + z2 / (2 * n);
    double reach = z * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    m->lo95 = m->with == 0 ? 0 : (middle - reach) / (1 + z2 / n);
    m->hi95 = p == 1 ? 1 : (middle + reach) / (1 + z2 / n);
}

struct text_statistics_motif
text_statistics_motif_result(const struct text_statistics *t, size_t i)
{
    struct word_counter_count total = total_count(t, t->motif[i]);
    uint64_t n = text_statistics_strings(t);
    struct text_statistics_motif m = {.with = total.lines,
                                      .occurrences = total.occurrences,
                                      .freq = NAN,
                                      .lo95 = 0,
                                      .hi95 = 1,
                                      .per_string = NAN};
    if (n > 0) {
        m.freq = (double)m.with / (double)n;
        m.per_string = (double)m.occurrences / (double)n;
        wilson(&m, (double)n);
    }
    return m;
}

struct text_statistics_feature
text_statistics_feature_result(const struct text_statistics *t, size_t i)
{
    uint64_t strings = text_statistics_strings(t), sum = 0;
    struct wide square = {0};
    if (t->method[i] == BY_WORD)
        sum = square.low = strings - total_count(t, t->place[i]).lines;
    if (t->method[i] == BY_TABLE)
        sum = square.low = strings - total_accepted(t, t->place[i]);
    for (int k = 0; t->method[i] == BY_STEPS && k < pool_threads(t->pool); k++) {
        sum += t->worker[k].sum[t->place[i]];
        square = wide_add(square, t->worker[k].square[t->place[i]]);
    }
    /* n times the sum of squared deviations, exactly: n sum x^2 - (sum x)^2 */
    struct wide spread = wide_subtract(wide_scale(square, strings), wide_product(sum, sum));
    double n = (double)strings, divisor = feature_set_denominator(t->features, i);
    if (strings == 0)
        return (struct text_statistics_feature){NAN, NAN};
    return (struct text_statistics_feature){
        (double)sum / n / divisor,
        strings == 1 ? NAN : sqrt(wide_double(spread) / n / (n - 1) / n) / divisor};
}
