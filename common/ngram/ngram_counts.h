/* SPDX-License-Identifier: MIT
 *
 * ngram_counts: how often each symbol follows each context, and the smoothed
 * probabilities that these counts give.
 *
 * A context is the last k symbols before a position, k up to the order.  Strings begin
 * with a mark, which only contexts contain, as their first symbol.  A context is made from
 * the one that lacks its first symbol, its parent, and parents have smaller numbers; the
 * empty context has number 0.
 *
 * Counts are of two kinds.  Raw counts are occurrences.  Lower counts, for contexts below
 * the order in Kneser-Ney smoothing, are the number of different symbols, the mark among
 * them, that stand before context and symbol; for a context that begins with the mark they
 * are the raw ones, as nothing stands before it.
 *
 * A string can be removed again, after which all counts are those of the other strings.
 * So the probability of a string under a model trained on all others is exact, at the cost
 * of two updates.
 *
 * References: Chen and Goodman, An empirical study of smoothing techniques for language
 * modeling, 1999.
 *
 * Tested by tests/unit/test_ngram.c.
 */
#ifndef GAMUT_NGRAM_COUNTS_H
#define GAMUT_NGRAM_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct intern;
struct strings;

enum { NGRAM_EVENTS_MAX = 1 << 25 }; /* different pairs of context and next symbol */

enum ngram_smoothing { NGRAM_WB, NGRAM_KN, NGRAM_SMOOTHINGS };
enum ngram_count_kind { NGRAM_RAW, NGRAM_LOWER, NGRAM_COUNT_KINDS };

/* What follows a context. */
struct ngram_tally {
    uint64_t total;   /* sum of the counts of its symbols */
    uint32_t seen[3]; /* symbols with a count of 1, of 2, of 3 or more */
};

struct ngram_context {
    uint32_t parent;
    uint32_t depth; /* symbols in it */
    uint8_t first;  /* its first symbol, or the mark */
    struct ngram_tally tally[NGRAM_COUNT_KINDS];
};

struct ngram_event {
    uint64_t count[NGRAM_COUNT_KINDS];
};

/* What is subtracted from counts of 1, 2, and 3 or more. */
struct ngram_discount {
    double by[3];
};

/* All zero is empty. */
struct ngram_counts {
    unsigned symbols; /* that can follow a context, the end among them if it is counted */
    bool has_end;
    unsigned order;
    struct intern *context_index, *event_index;
    struct ngram_context *context;
    struct ngram_event *event;
    size_t contexts, context_capacity, event_capacity;
    uint64_t (*with_count)[NGRAM_COUNT_KINDS][4];         /* [order+1] events with count 1 to 4 */
    struct ngram_discount (*discount)[NGRAM_COUNT_KINDS]; /* [order+1], of ngram_counts_estimate */
};

/* Counts nothing yet; `alphabet` symbols, and the end of a string if `has_end`.  0 or
 * ERR_NOMEM; clear in either case. */
int ngram_counts_init(struct ngram_counts *c, unsigned alphabet, bool has_end, unsigned order,
                      struct err *e);
void ngram_counts_clear(struct ngram_counts *c);

/* 0, ERR_NOMEM, or ERR_LIMIT past NGRAM_EVENTS_MAX. */
int ngram_counts_add(struct ngram_counts *c, const uint8_t *symbols, size_t length, struct err *e);
int ngram_counts_add_all(struct ngram_counts *c, const struct strings *s, struct err *e);

/* Removes one occurrence of a string, and adds it again.  Contexts remain, possibly with
 * counts of 0; these do not change any probability. */
void ngram_counts_remove(struct ngram_counts *c, const uint8_t *symbols, size_t length);
void ngram_counts_restore(struct ngram_counts *c, const uint8_t *symbols, size_t length);

/* Discounts from the present counts, for both kinds and all depths.  With n_i events of
 * count i, and Y = (n_1 + 1/2) / (n_1 + 2 n_2 + 1),
 *
 *     D_1 = Y,  D_k = k - (k + 1) Y (n_(k+1) + 1/2) / (n_k + 1/2),  Y <= D_k <= k - 1 + Y:
 *
 * the modified Kneser-Ney estimates, kept off 0 and k for few counts by the halves and
 * the bounds. */
void ngram_counts_estimate(struct ngram_counts *c);

#define NGRAM_NO_CONTEXT UINT32_MAX

/* The context with `first` in front of another, or NGRAM_NO_CONTEXT.  ngram_counts_mark
 * represents the beginning of a string. */
uint32_t ngram_counts_context(const struct ngram_counts *c, uint32_t parent, uint8_t first);
uint8_t ngram_counts_mark(void);

/* The context before the first symbol of a string. */
uint32_t ngram_counts_start(const struct ngram_counts *c);

/* next[contexts][alphabet]: the longest context after each context and each symbol of an
 * alphabet of that size. */
void ngram_counts_next(const struct ngram_counts *c, unsigned alphabet, uint32_t *next);

/* Whether a symbol, or the end, has ever followed a context. */
bool ngram_counts_seen(const struct ngram_counts *c, uint32_t context, unsigned symbol);

/* The probability of a symbol after a context, from its probability after the parent.  With
 * the count n, N and T the sum and number of the context's positive counts,
 *
 *     Witten-Bell   (n + T lower) / (N + T)
 *     Kneser-Ney    (n - D(n) + (D_1 T_1 + D_2 T_2 + D_3 T_3) lower) / N
 *
 * where D(0) = 0, and T_i symbols have a count of i, T_3 of 3 or more.  `lower` itself if
 * N = 0.  Witten-Bell is for raw counts. */
double ngram_counts_step(const struct ngram_counts *c, uint32_t context, unsigned symbol,
                         enum ngram_smoothing smoothing, enum ngram_count_kind kind, double lower);

/* The probability of symbols[at], or of the end at `length`, by every order: p[order][0] by
 * Witten-Bell, p[order][1] by Kneser-Ney, up to the order of the counts. */
void ngram_counts_predict(const struct ngram_counts *c, const uint8_t *symbols, size_t length,
                          size_t at, double (*p)[NGRAM_SMOOTHINGS]);

#endif
