/* SPDX-License-Identifier: MIT */
#include "train/head_start.h"

#include <math.h>
#include <stdbool.h>

#include "core/err.h"
#include "lstm/lstm.h"
#include "model/sampler.h"
#include "ngram/merging.h"
#include "ngram/ngram.h"
#include "ngram/positional.h"
#include "pfsa/pfsa.h"
#include "text/strings.h"
#include "train/training.h"
#include "train/training_data.h"

/* NULL without an error: the n-gram model, of cross-entropy `ce`, is better. */
static struct pfsa *
build_positional(const struct strings *s, const struct alphabet *a, double ce, struct err *e)
{
    struct positional choice;
    if (positional_choose(s, a, POSITIONAL_CHOOSE, &choice, e) != 0 ||
        choice.loo_ce[choice.order] >= ce)
        return NULL;
    return positional_build(s, a, &choice, e);
}

/* The same; also if there are too many characters or states. */
static struct pfsa *
build_merging(const struct strings *s, const struct alphabet *a, double ce, struct err *e)
{
    struct merging_choice choice;
    struct err why = {0};
    struct pfsa *p = NULL;
    if (merging_choose(s, a, &choice, &why) == 0 && choice.ce < ce)
        p = merging_build(s, a, choice.threshold, &why);
    if (why.code != ERR_LIMIT)
        err_pass(e, &why);
    return p;
}

static struct pfsa *
build(const struct strings *s, const struct alphabet *a, const char **command, struct err *e)
{
    bool one_length = s->shortest == s->longest;
    struct ngram_choice ngrams;
    if (ngram_choose(s, a, NGRAM_CHOOSE, NGRAM_CHOOSE, &ngrams, e) != 0)
        return NULL;
    const struct ngram_candidate *best = &ngrams.candidate[ngrams.best];
    struct pfsa *p =
        one_length ? build_positional(s, a, best->loo_ce, e) : build_merging(s, a, best->loo_ce, e);
    *command = p == NULL    ? "pfsa-train"
               : one_length ? "pfsa-train --positional"
                            : "pfsa-train --merge";
    if (p != NULL || e->code != ERR_NONE)
        return p;
    return ngram_build(s, a, best->order, best->smoothing, e);
}

struct pfsa *
head_start_automaton(const struct training_data *d, const struct alphabet *a, const char **command,
                     struct err *e)
{
    struct strings train = {0};
    struct pfsa *p = NULL;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < d->train.count; i++) {
        size_t length;
        const uint8_t *symbols = string_order_get(&d->train, &d->strings, i, &length);
        rc = strings_add(&train, symbols, length, e);
    }
    if (rc == 0)
        p = build(&train, a, command, e);
    strings_clear(&train);
    return p;
}

double
head_start_valid_ce(const struct pfsa *p, const struct training_data *d)
{
    double sum = 0, characters = 0;
    for (size_t i = 0; i < d->valid.count; i++) {
        size_t length;
        const uint8_t *symbols = string_order_get(&d->valid, &d->strings, i, &length);
        sum -= pfsa_log_prob(p, symbols, length);
        characters += (double)length + 1;
    }
    return sum / characters;
}

uint64_t
head_start_strings(const struct training_data *d, double characters, double most)
{
    const struct strings *s = &d->strings;
    double n = floor(characters * (double)s->count / (double)(s->symbols + s->count));
    return (uint64_t)fmin(fmax(n, 1000), most);
}

static int
add_sample(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    return strings_add(arg, symbols, length, e);
}

static int
draw(const struct pfsa *p, uint64_t strings, const struct sampler_options *o, struct pool *pool,
     struct training_data *d, struct err *e)
{
    struct sampler_request request = {.count = strings,
                                      .max_proposals = UINT64_MAX / 2,
                                      .string = add_sample,
                                      .arg = &d->strings};
    struct sampler *s = sampler_new(&p->model, pool, o, e);
    int rc = s != NULL ? sampler_run(s, &request, e) : e->code;
    sampler_free(s);
    return rc == 0 ? string_order_add_range(&d->train, 0, d->strings.count, e) : rc;
}

int
head_start_train(struct lstm *m, const struct pfsa *p, uint64_t strings,
                 const struct training_options *o, struct pool *pool,
                 const volatile sig_atomic_t *stop, struct err *e)
{
    struct sampler_options drawing = {
        .seed = o->seed, .purpose = "lstm-train/head-start", .max_length = m->model.max_length};
    struct training_data samples = {0};
    struct training_options once = *o;
    struct training_callbacks silent = {.stop = stop};
    struct training *t = NULL;
    once.dropout = once.input_dropout = 0;
    once.epochs = 1;
    once.start_counts = false;
    int rc = draw(p, strings, &drawing, pool, &samples, e);
    if (rc == 0)
        t = training_new(m, &samples, &once, pool, e);
    if (t != NULL)
        training_run(t, &silent, e);
    training_free(t);
    training_data_clear(&samples);
    return e->code;
}
