/* SPDX-License-Identifier: MIT
 *
 * gamtest: small GAMs, and all their strings with their weights, for unit tests.
 *
 * Features are computed here from the text by their definitions, independently of feature.h.
 */
#ifndef GAMUT_GAMTEST_H
#define GAMUT_GAMTEST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_groups.h"
#include "core/err.h"
#include "feature/feature_set.h"
#include "gam/gam.h"
#include "gam/partition.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "model/meta.h"
#include "model/model.h"
#include "model/scorer.h"
#include "pfsa/pfsa.h"
#include "support/definition.h"
#include "support/ignore.h"
#include "support/space.h"
#include "support/tempfile.h"
#include "text/strings.h"

enum { GAMTEST_FEATURES = 8 };

struct gamtest_setting {
    const char *alphabet;
    const char *probs; /* of the symbols, or NULL */
    double stop;       /* chance of ending at each position; 0: `longest` always */
    uint64_t longest;  /* L */
    bool lstm;         /* random weights instead of an automaton */
    const char *motif; /* that all strings of the automaton contain, or NULL */
    const char *spec[GAMTEST_FEATURES];
};

static inline struct pfsa *
gamtest_pfsa(const struct gamtest_setting *s)
{
    struct process_options p = {.alphabet = s->alphabet, .probs = s->probs, .stop = s->stop};
    p.has_stop = s->stop > 0;
    p.has_length = !p.has_stop;
    p.length = s->longest;
    if (s->motif != NULL)
        text_list_add(&p.motifs, s->motif, IGNORE_ERR);
    struct pfsa *made = process_options_build(&p, IGNORE_ERR);
    text_list_clear(&p.motifs);
    return made;
}

static inline struct lstm *
gamtest_lstm(const struct gamtest_setting *s)
{
    struct alphabet a;
    alphabet_init(&a, s->alphabet, IGNORE_ERR);
    struct lstm *l = lstm_new(&a, 6, 2, s->longest, IGNORE_ERR);
    lstm_init(l, 4);
    /* Larger weights make symbols depend more on the prefix. */
    for (size_t i = 0; i < l->layout.count; i++)
        l->params[i] *= 3;
    return l;
}

/* Writes the base to a file and starts a GAM with it; the file is removed. */
static inline struct gam *
gamtest_base(const struct gamtest_setting *s)
{
    char path[TEMPFILE_MAX];
    struct err e = {0};
    struct meta *meta = meta_new(&e);
    tempfile_new(path);
    struct output *out = output_open(path, &e);
    if (s->lstm) {
        struct lstm *l = gamtest_lstm(s);
        model_write(&l->model, meta, out, &e);
        lstm_free(l);
    } else {
        struct pfsa *p = gamtest_pfsa(s);
        model_write(&p->model, meta, out, &e);
        pfsa_free(p);
    }
    output_commit(out, &e);
    struct gam *g = gam_from_base(path, &e);
    unlink(path);
    meta_free(meta);
    if (e.code != 0)
        printf("# %s\n", e.text);
    return g;
}

static inline struct gam *
gamtest_new(const struct gamtest_setting *s)
{
    struct err e = {0};
    struct gam *g = gamtest_base(s);
    struct feature_set *f = feature_set_new(&g->model.alphabet, &e);
    for (const char *const *spec = s->spec; *spec != NULL; spec++)
        feature_set_add(f, *spec, &e);
    if (e.code != 0 || gam_set_features(g, f, s->longest, &e) != 0)
        printf("# %s\n", e.text);
    return g;
}

/* ---- features by definition */

static inline double
gamtest_count(const char *text, const char *word)
{
    double n = 0;
    while ((text = strstr(text, word)) != NULL) {
        n++;
        text++;
    }
    return n;
}

static inline double
gamtest_lcs(const char *text, const char *word)
{
    size_t best = 0, m = strlen(word);
    for (size_t i = 0; i < m; i++)
        for (size_t n = 1; n <= m - i; n++) {
            char part[32] = {0};
            memcpy(part, word + i, n);
            if (n > best && strstr(text, part) != NULL)
                best = n;
        }
    return 1 - (double)best / (double)m;
}

/* Least edit distance of a substring to the word, by Sellers' recurrence. */
static inline double
gamtest_edit(const char *text, const char *word)
{
    size_t m = strlen(word), best = m, column[32];
    for (size_t i = 0; i <= m; i++)
        column[i] = i;
    for (; *text != '\0'; text++) {
        size_t diagonal = 0;
        for (size_t i = 1; i <= m; i++) {
            size_t least = diagonal + (word[i - 1] != *text);
            diagonal = column[i];
            least = column[i] + 1 < least ? column[i] + 1 : least;
            column[i] = column[i - 1] + 1 < least ? column[i - 1] + 1 : least;
        }
        best = column[m] < best ? column[m] : best;
    }
    return (double)best / (double)m;
}

static inline double
gamtest_phi(const char *spec, const char *text, double longest)
{
    const char *word = strchr(spec, ':') != NULL ? strchr(spec, ':') + 1 : "";
    size_t length = strlen(text);
    if (strncmp(spec, "not:", 4) == 0)
        return 1 - gamtest_phi(spec + 4, text, longest);
    if (strpbrk(spec, "@[") != NULL)
        return definition_value(spec, text, longest);
    if (strncmp(spec, "motif:", 6) == 0)
        return strstr(text, word) == NULL;
    if (strncmp(spec, "prefix:", 7) == 0)
        return strncmp(text, word, strlen(word)) != 0;
    if (strncmp(spec, "suffix:", 7) == 0)
        return length < strlen(word) || strcmp(text + length - strlen(word), word) != 0;
    if (strncmp(spec, "edit:", 5) == 0)
        return gamtest_edit(text, word);
    if (strncmp(spec, "count:", 6) == 0)
        return gamtest_count(text, word) / longest;
    if (strncmp(spec, "lcs:", 4) == 0)
        return gamtest_lcs(text, word);
    if (strncmp(spec, "length:", 7) == 0)
        return length != (size_t)atoi(word);
    if (strcmp(spec, "length") == 0)
        return (double)length / longest;
    if (strcmp(spec, "length2") == 0)
        return (double)(length * length) / (longest * longest);
    return definition_value(spec, text, longest);
}

/* ---- all strings up to the maximum length, with their probabilities and features */

struct gamtest_space {
    struct space all;
    size_t count;  /* all.count */
    double *log_r; /* [count] under the base */
    double *phi;   /* [count][features] */
    size_t features;
};

static inline void
gamtest_enumerate(struct gamtest_space *sp, const struct gamtest_setting *s, const struct gam *g,
                  struct pool *pool)
{
    struct strings block = {0};
    uint8_t symbols[20];
    char text[21] = {0};
    *sp = (struct gamtest_space){.all = space_of(g->model.alphabet.size, s->longest)};
    sp->count = sp->all.count;
    sp->features = feature_set_count(g->features);
    sp->log_r = calloc(sp->count, sizeof *sp->log_r);
    sp->phi = calloc(sp->count * sp->features, sizeof *sp->phi);
    for (size_t x = 0; x < sp->count; x++) {
        size_t length = space_string(&sp->all, x, symbols);
        strings_add(&block, symbols, length, IGNORE_ERR);
        alphabet_decode(&g->model.alphabet, symbols, length, text);
        text[length] = '\0';
        for (size_t i = 0; i < sp->features; i++)
            sp->phi[x * sp->features + i] = gamtest_phi(s->spec[i], text, (double)s->longest);
    }
    struct scorer *score = scorer_new(g->model.base, pool, IGNORE_ERR);
    scorer_score(score, &block, 0, sp->log_r, IGNORE_ERR);
    scorer_free(score);
    strings_clear(&block);
}

static inline void
gamtest_space_clear(struct gamtest_space *sp)
{
    free(sp->log_r);
    free(sp->phi);
}

/* p[count] = P at lambda, normalized; log Z. */
static inline double
gamtest_distribution(const struct gamtest_space *sp, const double *lambda, double *p)
{
    double z = 0;
    for (size_t x = 0; x < sp->count; x++) {
        double dot = 0;
        for (size_t i = 0; i < sp->features; i++)
            if (sp->phi[x * sp->features + i] != 0 && lambda[i] != 0)
                dot += lambda[i] * sp->phi[x * sp->features + i];
        p[x] = exp(sp->log_r[x] + dot);
        z += p[x];
    }
    for (size_t x = 0; x < sp->count; x++)
        p[x] /= z;
    return log(z);
}

/* Z of a GAM at its own L. */
static inline int
gamtest_partition(const struct gam *g, struct pool *pool, double error, struct partition *z,
                  struct err *e)
{
    struct partition_options o = {.max_length = MODEL_UNBOUNDED, .seed = 1, .error = error};
    return partition_find(&g->model, pool, &o, z, e);
}

#endif
