/* SPDX-License-Identifier: MIT */
#include "discover/background.h"

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "discover/string_tilt.h"
#include "discover/tilted_chain.h"
#include "gam/gam_sampler.h"
#include "model/model.h"
#include "text/strings.h"

/* Strings are kept by thinning down to this share. */
static const double rate_min = 0.01;

enum { ROUNDS_MAX = 64 }; /* of a draw */

struct background {
    struct background_options options;
    const struct strings *data;
    struct pool *pool;
    uint64_t draws;             /* calls so far */
    struct tilted_chain *chain; /* or: */
    struct string_tilt *tilt;
};

struct background *
background_new(const struct background_options *o, const struct strings *data,
               const struct alphabet *a, struct pool *pool, struct err *e)
{
    struct background *b = mem_zero(1, sizeof *b, e);
    if (b == NULL)
        return NULL;
    *b = (struct background){.options = *o, .data = data, .pool = pool};
    if (o->model == NULL && o->others == NULL)
        b->chain = tilted_chain_new(data, a, o->order, e);
    else
        b->tilt = string_tilt_new(a, e);
    if (e->code == 0)
        return b;
    background_free(b);
    return NULL;
}

void
background_free(struct background *b)
{
    if (b == NULL)
        return;
    tilted_chain_free(b->chain);
    string_tilt_free(b->tilt);
    mem_free(b);
}

/* ---- thinned strings */

/* Where strings go that are kept. */
struct sieve {
    struct background *background;
    struct strings *out;
    struct rng rng;
    size_t wanted;        /* strings in `out` at most */
    uint64_t symbols_max; /* in `out` */
};

static int
sift(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    struct sieve *s = arg;
    double keep = string_tilt_keep(s->background->tilt, symbols, length);
    if (s->out->symbols + length > s->symbols_max)
        return err_set(e, ERR_LIMIT, "strings are too long to be compared: %llu symbols on average",
                       (unsigned long long)(s->out->symbols / (s->out->count + 1)));
    if (s->out->count >= s->wanted || (keep < 1 && rng_double(&s->rng) >= keep))
        return 0;
    return strings_add(s->out, symbols, length, e);
}

static int
sift_others(struct background *b, struct sieve *s, struct err *e)
{
    int rc = 0;
    s->wanted = SIZE_MAX;
    s->symbols_max = UINT64_MAX;
    for (size_t i = 0; rc == 0 && i < b->options.others->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(b->options.others, i, &length);
        rc = sift(s, x, length, e);
    }
    return rc;
}

/* Nothing was drawn: the features ask for too much, or the model does not end. */
static int
no_strings(const struct background *b, struct err *e)
{
    if (string_tilt_rate(b->tilt) < 1)
        return err_set(e, ERR_EMPTY, "strings with all features are too rare to be drawn");
    return err_set(e, ERR_EMPTY, "no string ends within %llu symbols",
                   (unsigned long long)b->options.model->max_length);
}

/* Draws more than are needed at the expected rate, again and again. */
static int
sift_model(struct background *b, struct sieve *s, struct err *e)
{
    const struct model *m = b->options.model;
    double mean = (double)b->data->symbols / (double)b->data->count + 1;
    int rc = 0;
    s->symbols_max = s->out->symbols + BACKGROUND_SYMBOLS_FEW +
                     (uint64_t)(BACKGROUND_TIMES_MAX * mean * (double)(s->wanted - s->out->count));
    for (uint64_t round = 0; rc == 0 && s->out->count < s->wanted; round++) {
        double need = (double)(s->wanted - s->out->count) / string_tilt_rate(b->tilt);
        struct gam_sampler_options so = {.seed = b->options.seed,
                                         .purpose = "gam-features/model",
                                         .part = b->draws * ROUNDS_MAX + round,
                                         .max_length = m->max_length,
                                         .choice = SAMPLE_AUTO,
                                         .tvd = 0.01};
        struct sampler_request request = {.count = (uint64_t)(need * 1.02) + 50,
                                          .max_proposals = INT64_MAX,
                                          .string = sift,
                                          .arg = s};
        struct gam_sampler_outcome outcome;
        so.total = request.count;
        size_t before = s->out->count;
        rc = gam_sampler_run(m, b->pool, &so, &request, &outcome, e);
        if (rc == 0 && (s->out->count == before || round + 1 == ROUNDS_MAX))
            rc = no_strings(b, e);
    }
    if (rc != 0)
        err_prefix(e, "%s", b->options.model_name);
    return rc;
}

int
background_draw(struct background *b, size_t count, struct strings *out, struct err *e)
{
    uint64_t draw = b->draws++;
    if (b->chain != NULL)
        return tilted_chain_draw(b->chain, b->options.seed, draw, count, out, e);
    if (string_tilt_rate(b->tilt) < rate_min)
        return no_strings(b, e);
    struct sieve s = {.background = b, .out = out, .wanted = out->count + count};
    rng_init(&s.rng, b->options.seed, "gam-features/thinning", draw);
    return b->options.others != NULL ? sift_others(b, &s, e) : sift_model(b, &s, e);
}

int
background_add(struct background *b, const char *spec, const struct strings *first, struct err *e)
{
    struct string_range data = {b->data, 0, b->data->count}, all = {first, 0, first->count};
    return b->chain != NULL ? tilted_chain_add(b->chain, spec, e)
                            : string_tilt_add(b->tilt, spec, &data, &all, e);
}
