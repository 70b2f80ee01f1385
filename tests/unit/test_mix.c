/* SPDX-License-Identifier: MIT
 * Mixtures against sums taken by hand over all strings, EM against a grid, and files. */
#include "mix/mix.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "gam/gam.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "mix/mix_fit.h"
#include "model/container.h"
#include "model/meta.h"
#include "model/scorer.h"
#include "pfsa/pfsa.h"
#include "support/anymodel.h"
#include "support/ignore.h"
#include "support/random_model.h"
#include "support/space.h"
#include "support/tap.h"
#include "support/tempfile.h"
#include "support/toy.h"
#include "text/strings.h"

enum { PARTS_MAX = 4, LONGEST = 7 };

/* A mixture of automata, and the same written down independently. */
struct sample {
    struct mix *mix;
    const struct pfsa *part[PARTS_MAX];
    double weight[PARTS_MAX];
    size_t count;
};

static struct model_file
pack(const struct model *m)
{
    struct model_file file = {0};
    struct meta *meta = meta_new(IGNORE_ERR);
    model_pack(m, meta, &file, IGNORE_ERR);
    meta_free(meta);
    return file;
}

static struct sample
random_sample(uint64_t seed, const char *alphabet, bool acyclic, size_t count)
{
    struct sample s = {.mix = mix_new(IGNORE_ERR), .count = count};
    struct rng r;
    double sum = 0;
    rng_init(&r, seed, "test_mix", 0);
    for (size_t k = 0; k < count; k++) {
        struct pfsa *p = random_model_pfsa(&r, alphabet, acyclic, 3 + (uint32_t)rng_below(&r, 4));
        s.part[k] = p;
        s.weight[k] = .05 + rng_double(&r);
        sum += s.weight[k];
        mix_add(s.mix, &p->model, pack(&p->model), IGNORE_ERR);
    }
    for (size_t k = 0; k < count; k++)
        s.weight[k] /= sum;
    mix_set_weights(s.mix, s.weight, IGNORE_ERR);
    return s;
}

/* p(x) by the definition: products of weighted means over the automata that are not lost. */
static double
by_hand(const struct sample *s, const uint8_t *x, size_t length)
{
    uint32_t state[PARTS_MAX] = {0};
    bool lost[PARTS_MAX] = {false};
    double p = 1;
    for (size_t t = 0; t <= length; t++) {
        double sum = 0, total = 0;
        for (size_t k = 0; k < s->count; k++) {
            if (lost[k])
                continue;
            total += s->weight[k];
            uint64_t arc = t < length ? pfsa_find_arc(s->part[k], state[k], x[t]) : 0;
            if (t == length)
                sum += s->weight[k] * exp(s->part[k]->final_logp[state[k]]);
            else if (arc == PFSA_NO_ARC)
                lost[k] = true;
            else {
                sum += s->weight[k] * exp(s->part[k]->logp[arc]);
                state[k] = s->part[k]->next[arc];
            }
        }
        p *= total > 0 ? sum / total : 0;
    }
    return p;
}

static void
fill_space(struct strings *all, const struct space *sp)
{
    for (size_t i = 0; i < sp->count; i++) {
        uint8_t symbols[20];
        size_t length = space_string(sp, i, symbols);
        strings_add(all, symbols, length, IGNORE_ERR);
    }
}

static double *
score_all(const struct model *m, const struct strings *all, struct pool *pool)
{
    double *logp = mem_array(all->count, sizeof *logp, IGNORE_ERR);
    struct scorer *score = scorer_new(m, pool, IGNORE_ERR);
    scorer_score(score, all, 0, logp, IGNORE_ERR);
    scorer_free(score);
    return logp;
}

/* All strings up to a length: probabilities, their sum, and what can be produced. */
static void
test_enumeration(uint64_t seed, const char *alphabet, bool acyclic, size_t count, struct pool *pool)
{
    struct sample s = random_sample(seed, alphabet, acyclic, count);
    struct strings all = {0};
    struct space sp = space_of(s.mix->model.alphabet.size, LONGEST);
    fill_space(&all, &sp);
    double *logp = score_all(&s.mix->model, &all, pool), sum = 0, worst = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < all.count; i++) {
        size_t length;
        const uint8_t *x = strings_get(&all, i, &length);
        double p = by_hand(&s, x, length);
        bool possible = false;
        for (size_t k = 0; k < count; k++)
            possible = possible || pfsa_log_prob(s.part[k], x, length) > -INFINITY;
        wrong += possible != (logp[i] > -INFINITY);
        worst = p > 0 ? fmax(worst, fabs(exp(logp[i]) / p - 1)) : worst;
        sum += exp(logp[i]);
    }
    ok(wrong == 0 && worst < 1e-13, "%zu automata over %s: all strings as by hand (%.1e)", count,
       alphabet, worst);
    struct err e = {0};
    struct pfsa *p = mix_automaton(s.mix, MIX_AUTOMATON_SIZE_MAX, &e);
    double apart = 0;
    for (size_t i = 0; p != NULL && i < all.count; i++) {
        size_t length;
        const uint8_t *x = strings_get(&all, i, &length);
        double q = pfsa_log_prob(p, x, length);
        if (q != logp[i])
            apart = fmax(apart, fabs(q - logp[i])); /* also if one is -inf */
    }
    ok(p != NULL && p->acyclic == acyclic && apart < 1e-13,
       "as an automaton of %u states it is the same (%.1e)", p != NULL ? p->states : 0, apart);
    pfsa_free(p);
    ok(!acyclic || fabs(sum - 1) < 1e-13, "probabilities sum to 1 (%.1e)", sum - 1);
    mem_free(logp);
    strings_clear(&all);
    mix_free(s.mix);
}

/* A mixture of two mixtures, of which one is lost where all its automata are. */
static void
test_nested(struct pool *pool)
{
    struct sample a = random_sample(20, "01", true, 2), b = random_sample(21, "01", false, 2);
    struct mix *m = mix_new(IGNORE_ERR);
    struct strings all = {0};
    struct space sp = space_of(2, LONGEST);
    fill_space(&all, &sp);
    mix_add(m, &a.mix->model, pack(&a.mix->model), IGNORE_ERR);
    mix_add(m, &b.mix->model, pack(&b.mix->model), IGNORE_ERR);
    mix_set_weights(m, (double[]){.3, .7}, IGNORE_ERR);
    double *logp = score_all(&m->model, &all, pool), worst = 0;
    double *la = score_all(&a.mix->model, &all, pool), *lb = score_all(&b.mix->model, &all, pool);
    /* By the chain rule from the probabilities of prefixes, which are sums over what
     * begins with them: exact for the acyclic mixture, so it is checked on single symbols. */
    size_t wrong = 0;
    for (size_t i = 0; i < all.count; i++)
        wrong += (logp[i] > -INFINITY) != (la[i] > -INFINITY || lb[i] > -INFINITY);
    worst = fabs(exp(logp[0]) - (.3 * exp(la[0]) + .7 * exp(lb[0])));
    ok(m->depth == 2 && wrong == 0 && worst < 1e-15, "a mixture of mixtures");
    mem_free(logp);
    mem_free(la);
    mem_free(lb);
    strings_clear(&all);
    mix_free(m);
}

/* Scores do not depend on what else is in a batch, which is larger here than what a mixture
 * steps at a time, nor on threads. */
static void
test_batches(void)
{
    static struct toy toy[2];
    struct mix *m = mix_new(IGNORE_ERR);
    struct strings many = {0};
    struct rng r;
    struct pool *one = pool_new(1, IGNORE_ERR), *three = pool_new(3, IGNORE_ERR);
    toy_init(&toy[0], "ACGT", .1, true, 1);
    toy_init(&toy[1], "ACGT", .02, false, 2);
    for (int k = 0; k < 2; k++)
        mix_add(m, &toy[k].model, (struct model_file){0}, IGNORE_ERR);
    rng_init(&r, 3, "test_mix", 1);
    for (int i = 0; i < 6000; i++) {
        uint8_t x[12];
        size_t length = rng_below(&r, sizeof x);
        for (size_t t = 0; t < length; t++)
            x[t] = (uint8_t)rng_below(&r, 4);
        strings_add(&many, x, length, IGNORE_ERR);
    }
    double *a = score_all(&m->model, &many, one), *b = score_all(&m->model, &many, three);
    ok(memcmp(a, b, many.count * sizeof *a) == 0, "the same bits with three threads");
    size_t wrong = 0;
    for (size_t i = 0; i < many.count; i += 97) {
        size_t length;
        struct strings single = {0};
        const uint8_t *x = strings_get(&many, i, &length);
        strings_add(&single, x, length, IGNORE_ERR);
        double *alone = score_all(&m->model, &single, one);
        wrong += memcmp(alone, &a[i], sizeof *a) != 0;
        mem_free(alone);
        strings_clear(&single);
    }
    ok(wrong == 0, "and alone");
    mem_free(a);
    mem_free(b);
    strings_clear(&many);
    mix_free(m);
    pool_free(one);
    pool_free(three);
}

/* ---- EM -------------------------------------------------------------------------------- */

struct course {
    double last;
    bool monotone;
};

static int
watch(void *arg, const struct mix_iteration *i, struct err *e)
{
    struct course *c = arg;
    (void)e;
    c->monotone = c->monotone && i->loss <= c->last + 1e-14;
    c->last = i->loss;
    return 0;
}

/* Mean loss per character of the strings, by hand. */
static double
loss_of(struct sample *s, const struct strings *data, double a, double b)
{
    double sum = 0;
    s->weight[0] = a;
    s->weight[1] = b;
    if (s->count == 3)
        s->weight[2] = 1 - a - b;
    for (size_t i = 0; i < data->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(data, i, &length);
        sum -= log(by_hand(s, x, length));
    }
    return sum / (double)(data->symbols + data->count);
}

/* The best of a grid of weights with steps of 1/200. */
static double
grid(struct sample *s, const struct strings *data)
{
    enum { STEPS = 200 };
    double best = INFINITY;
    for (int i = 1; i < STEPS; i++)
        for (int k = 1; k < STEPS - i; k++)
            if (s->count == 3 || k == STEPS - i - 1)
                best =
                    fmin(best, loss_of(s, data, (double)i / STEPS,
                                       s->count == 3 ? (double)k / STEPS : 1 - (double)i / STEPS));
    return best;
}

/* Strings that the components produce, more of the first. */
static void
draw_data(const struct sample *s, struct strings *data, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed, "test_mix", 2);
    while (data->count < 30) {
        uint8_t x[8];
        size_t length = rng_below(&r, sizeof x);
        for (size_t t = 0; t < length; t++)
            x[t] = (uint8_t)rng_below(&r, s->mix->model.alphabet.size);
        if (by_hand(s, x, length) > 0)
            strings_add(data, x, length, IGNORE_ERR);
    }
}

static void
test_em(uint64_t seed, bool acyclic, size_t count, struct pool *pool)
{
    struct sample s = random_sample(seed, "01", acyclic, count);
    struct strings data = {0};
    struct mix_evidence v;
    struct mix_fit_result result;
    struct course c = {.last = INFINITY, .monotone = true};
    struct mix_fit_options o = {.iteration = watch, .arg = &c};
    double weight[PARTS_MAX] = {1.0 / (double)count, 1.0 / (double)count, 1.0 / (double)count};
    struct err e = {0};
    draw_data(&s, &data, seed);
    int rc = mix_evidence_gather(&v, s.mix, &data, pool, &e);
    rc = rc == 0 ? mix_fit(&v, &o, weight, &result, &e) : rc;
    ok(rc == 0, "EM on %zu %s automata takes %d iterations", count, acyclic ? "acyclic" : "cyclic",
       (int)result.iterations);
    double best = grid(&s, &data), found = loss_of(&s, &data, weight[0], weight[1]);
    ok(c.monotone && result.iterations > 0, "the loss never grows");
    ok(fabs(found - result.loss) < 1e-13, "it is the loss by hand (%.1e)", found - result.loss);
    ok(found <= best + 1e-8 && found >= best - 1e-3, "no weights of a grid are better (%.1e)",
       found - best);
    mix_evidence_clear(&v);
    strings_clear(&data);
    mix_free(s.mix);
}

static void
test_evidence(struct pool *pool)
{
    struct sample s = random_sample(30, "01", true, 2);
    struct strings data = {0};
    struct mix_evidence v;
    struct err empty = {0}, impossible = {0};
    static const uint8_t x[60];
    ok(mix_evidence_gather(&v, s.mix, &data, pool, &empty) == ERR_DATA, "%s", empty.text);
    mix_evidence_clear(&v);
    strings_add(&data, x, sizeof x, IGNORE_ERR);
    ok(mix_evidence_gather(&v, s.mix, &data, pool, &impossible) == ERR_DATA &&
           strstr(impossible.text, "string 1") != NULL,
       "%s", impossible.text);
    ok(isinf(mix_evidence_loss(&v, 0)), "the loss of a string that cannot be produced");
    mix_evidence_clear(&v);
    strings_clear(&data);
    mix_free(s.mix);
}

/* ---- components and files --------------------------------------------------------------- */

static struct model *
uniform(const char *alphabet)
{
    static struct toy toys[80];
    static size_t used;
    toy_init(&toys[used], alphabet, .1, false, used);
    return &toys[used++].model;
}

static void
test_refusals(void)
{
    const struct model_file none = {0};
    struct mix *m = mix_new(IGNORE_ERR);
    struct err e[6] = {0};
    mix_add(m, uniform("01"), none, IGNORE_ERR);
    ok(mix_add(m, uniform("ACGT"), none, &e[0]) == ERR_DATA && m->count == 1, "%s", e[0].text);
    struct model *g = model_load("tests/golden/mixture.gam", IGNORE_ERR);
    ok(mix_add(m, g, none, &e[1]) == ERR_DATA, "%s", e[1].text);
    mix_add(m, uniform("01"), none, IGNORE_ERR);
    ok(m->part[0].weight == .5 && m->part[1].weight == .5, "weights are equal at first");
    ok(mix_set_weights(m, (double[]){.5, .4}, &e[2]) == ERR_DATA, "%s", e[2].text);
    ok(mix_set_weights(m, (double[]){1, 0}, &e[3]) == ERR_DATA, "%s", e[3].text);
    ok(mix_set_weights(m, (double[]){NAN, 1}, &e[4]) == ERR_DATA, "%s", e[4].text);
    while (m->count < MIX_PARTS_MAX)
        mix_add(m, uniform("01"), none, IGNORE_ERR);
    ok(mix_add(m, uniform("01"), none, &e[5]) == ERR_LIMIT, "%s", e[5].text);
    mix_free(m);
}

static void
test_automaton_refusals(void)
{
    struct sample s = random_sample(40, "01", false, 3);
    struct err e[2] = {0};
    ok(mix_automaton(s.mix, 4, &e[0]) == NULL && e[0].code == ERR_LIMIT, "%s", e[0].text);
    mix_add(s.mix, uniform("01"), (struct model_file){0}, IGNORE_ERR);
    ok(mix_automaton(s.mix, 100, &e[1]) == NULL && e[1].code == ERR_DATA, "%s", e[1].text);
    mix_free(s.mix);
}

static void
test_lengths(void)
{
    const struct model_file none = {0};
    struct mix *m = mix_new(IGNORE_ERR);
    struct model *part[3] = {uniform("01"), uniform("01"), uniform("01")};
    part[1]->max_length = 30;
    part[1]->min_length = 7;
    part[0]->min_length = 9;
    part[2]->max_length = 12;
    part[2]->min_length = 8;
    mix_add(m, part[0], none, IGNORE_ERR);
    ok(m->model.max_length == MODEL_UNBOUNDED && m->model.min_length == 9, "one without a limit");
    mix_add(m, part[1], none, IGNORE_ERR);
    mix_add(m, part[2], none, IGNORE_ERR);
    ok(m->model.max_length == 30 && m->model.min_length == 7, "the limit is the largest there is");
    mix_free(m);
}

/* Replaces a model's file by that of a mixture of `copies` of it. */
static void
nest(struct model_file *file, size_t copies)
{
    struct output *out = output_to_memory(IGNORE_ERR);
    struct meta *meta = meta_new(IGNORE_ERR);
    struct container_writer *w = container_writer_new(out, &mix_kind, 1, meta, IGNORE_ERR);
    double weight[MIX_PARTS_MAX];
    for (size_t k = 0; k < copies; k++)
        weight[k] = 1.0 / (double)copies;
    container_put(w, "weights", SECTION_F64, weight, copies, IGNORE_ERR);
    container_put(w, "max_length", SECTION_U64, &(uint64_t){9}, 1, IGNORE_ERR);
    for (size_t k = 0; k < copies; k++) {
        char name[SECTION_NAME_MAX + 1];
        snprintf(name, sizeof name, "component.%zu", k + 1);
        container_put(w, name, SECTION_MODEL, file->bytes, file->size, IGNORE_ERR);
    }
    container_finish(w, IGNORE_ERR);
    container_writer_free(w);
    meta_free(meta);
    mem_free(file->bytes);
    const void *bytes = output_bytes(out, &file->size);
    file->bytes = mem_array(file->size, 1, IGNORE_ERR);
    memcpy(file->bytes, bytes, file->size);
    output_abort(out);
}

/* Mixtures inside each other: a few are read, and many are refused before they take stack. */
static void
test_depth(struct pool *pool)
{
    struct model_file file = {0};
    bool sound;
    struct model *p = model_load_part("tests/golden/dna.pfsa", &file, IGNORE_ERR);
    model_free(p);
    for (int depth = 1; depth <= 12; depth++) {
        struct err e = {0};
        nest(&file, 2);
        bool accepted = anymodel_try(file.bytes, file.size, "deep", pool, &sound, &e);
        if (accepted != (depth <= MIX_DEPTH_MAX) || depth == MIX_DEPTH_MAX + 1)
            ok(!accepted && depth == MIX_DEPTH_MAX + 1, "%s", e.text);
        if (depth == 12)
            ok(strstr(e.text, "inside each other") != NULL, "%s", e.text);
    }
    mem_free(file.bytes);
}

/* All components count together where it matters how far a file expands. */
static void
test_expansion(void)
{
    enum { PARTS = 12, HIDDEN = 700 }; /* 8 MB each, where 64 MB are allowed */
    struct alphabet a;
    struct err e = {0};
    char path[TEMPFILE_MAX];
    alphabet_init(&a, "01", IGNORE_ERR);
    struct lstm *flat = lstm_new(&a, HIDDEN, 1, 9, IGNORE_ERR);
    struct model_file file = pack(&flat->model);
    lstm_free(flat);
    nest(&file, PARTS);
    tempfile_new(path);
    gzFile gz = gzopen(path, "wb9");
    gzwrite(gz, file.bytes, (unsigned)file.size);
    gzclose(gz);
    struct model *m = model_load(path, &e);
    ok(m == NULL && strstr(e.text, "expands") != NULL, "%s", e.text);
    model_free(m);
    mem_free(file.bytes);
    unlink(path);
}

int
main(void)
{
    struct pool *pool = pool_new(2, IGNORE_ERR);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        test_enumeration(seed, "01", true, 2 + seed % 3, pool);
        test_enumeration(seed, "01", false, 2 + seed % 2, pool);
        test_enumeration(seed, "abc", seed % 2 == 0, 3, pool);
    }
    test_nested(pool);
    test_batches();
    for (uint64_t seed = 10; seed <= 14; seed++) {
        test_em(seed, false, 2, pool);
        test_em(seed, true, 3, pool);
    }
    test_evidence(pool);
    test_refusals();
    test_automaton_refusals();
    test_lengths();
    test_depth(pool);
    test_expansion();
    pool_free(pool);
    return tap_done();
}
