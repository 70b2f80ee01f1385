/* SPDX-License-Identifier: MIT
 *
 * Training: the optimizer and the average of the weights against their formulas,
 * losses against the reference, stopping rules, and the same bits however a run is divided.
 */
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "core/rng.h"
#include "io/input.h"
#include "io/output.h"
#include "lstm/kernel.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "model/meta.h"
#include "support/lstm_reference.h"
#include "support/tap.h"
#include "text/prefix_tree.h"
#include "train/adam.h"
#include "train/batch_gradient.h"
#include "train/training_checkpoint.h"
#include "train/training_data.h"
#include "train/training_internal.h"

/* `count` strings over two letters: random ones, with `word` and then 0110. */
static void
add_strings(struct training_data *d, struct string_order *set, uint64_t seed, size_t count,
            bool word)
{
    struct err e = {0};
    struct rng rng;
    rng_init(&rng, seed, "test/train", 0);
    for (size_t i = 0; i < count; i++) {
        uint8_t symbols[12];
        size_t length = rng_below(&rng, 9);
        for (size_t j = 0; j < length; j++)
            symbols[j] = (uint8_t)rng_below(&rng, 2);
        if (word)
            memcpy(symbols + length, (const uint8_t[]){0, 1, 1, 0}, 4);
        string_order_add(set, d->strings.count, 1, &e);
        strings_add(&d->strings, symbols, length + (word ? 4 : 0), &e);
    }
}

/* A training set without a validation set. */
static struct training_data
strings(uint64_t seed, size_t count, bool word)
{
    struct training_data d = {0};
    add_strings(&d, &d.train, seed, count, word);
    return d;
}

/* All strings of a set, which is sorted first. */
static struct string_batch
whole(struct training_data *d, const struct string_order *set, bool mean_of_strings)
{
    struct err e = {0};
    training_data_sort(d, &e);
    return (struct string_batch){&d->strings, set->at, set->count, mean_of_strings};
}

/* The prefix tree of a batch; the number of its nodes as counted without it. */
static size_t
build_tree(struct prefix_tree *tree, const struct string_batch *b, unsigned symbol_count)
{
    struct err e = {0};
    struct weighted_string *x = mem_array(b->count, sizeof *x, &e);
    weighted_string_gather(x, b->strings, b->at, b->count, b->mean_of_strings);
    prefix_tree_build(tree, x, b->count, symbol_count, &e);
    size_t nodes = prefix_tree_count(x, b->count);
    mem_free(x);
    return nodes;
}

static struct lstm *
model(unsigned hidden, unsigned layers, struct err *e)
{
    struct alphabet a;
    alphabet_init(&a, "01", e);
    struct lstm *m = lstm_new(&a, hidden, layers, 12, e);
    lstm_init(m, 3);
    return m;
}

/* Three updates in double, straight from the paper. */
static void
test_adam(struct pool *pool)
{
    enum { N = 100003 }; /* several tasks */
    static float w[N], g[N], m[N], v[N], mean_w[N];
    static double exact[N], first[N], second[N], average[N];
    double norm = 0, worst = 0;
    struct err e = {0};
    struct rng rng;
    struct lstm_adam a = {m, v, 0};
    const struct adam_rule rule = {.rate = 0.01, .clip = 0.25, .average = mean_w, .share = 0.3};
    rng_init(&rng, 1, "test/adam", 0);
    for (int i = 0; i < N; i++) {
        exact[i] = (double)(w[i] = (float)(rng_double(&rng) - 0.5));
        g[i] = (float)(rng_double(&rng) - 0.5);
        norm += (double)g[i] * (double)g[i];
    }
    norm = sqrt(norm);
    ok(fabs(adam_norm(kernel_select(NULL, &e), g, N, pool) - norm) < 1e-12 * norm,
       "the global norm");
    for (int step = 1; step <= 3; step++) {
        adam_update(kernel_select(NULL, &e), &a, w, g, N, norm, &rule, pool);
        for (int i = 0; i < N; i++) {
            double grad = (double)g[i] * 0.25 / norm;
            first[i] = 0.9 * first[i] + 0.1 * grad;
            second[i] = 0.999 * second[i] + 0.001 * grad * grad;
            double mean = first[i] / (1 - pow(0.9, step));
            double square = second[i] / (1 - pow(0.999, step));
            exact[i] -= 0.01 * mean / (sqrt(square) + 1e-8);
            average[i] += 0.3 * (exact[i] - average[i]);
            worst = fmax(worst, fabs(exact[i] - (double)w[i]));
            worst = fmax(worst, fabs(average[i] - (double)mean_w[i]));
        }
    }
    ok(a.step == 3 && worst < 1e-6, "three clipped updates and their average (%.2g)", worst);
}

/* A gradient summed over slices is that of one tree over all strings. */
static void
test_slices(struct pool *pool)
{
    struct err e = {0};
    struct lstm *m = model(7, 2, &e);
    struct training_data d = strings(1, 200, false);
    struct string_batch b = whole(&d, &d.train, true);
    struct prefix_tree tree = {0};
    const size_t count = m->layout.count;
    struct packed_weights *net = packed_weights_new(&m->layout, true, &e);
    packed_weights_pack(net, m->params, pool);
    struct batch_gradient *slices =
        batch_gradient_new(net, (struct end_rule){0}, pool, b.count, &e);
    float *fast = mem_array(count, sizeof *fast, &e);
    double *slow = mem_zero(count, sizeof *slow, &e), *w = mem_array(count, sizeof *w, &e);
    double loss, reference, plain, error = 0, size = 0;
    struct dropout none = {0};
    for (size_t i = 0; i < count; i++)
        w[i] = (double)m->params[i];
    batch_gradient_grad(slices, &b, &none, 1, &loss, fast, &e);
    batch_gradient_loss(slices, &b, &plain, &e);
    size_t nodes = build_tree(&tree, &b, 3);
    ok(nodes == tree.nodes, "nodes are counted without building a tree");
    lstm_reference_loss(&m->layout, w, &tree, NULL, &reference, slow, &e);
    for (size_t i = 0; i < count; i++) {
        error = fmax(error, fabs((double)fast[i] - slow[i]));
        size = fmax(size, fabs(slow[i]));
    }
    ok(fabs(loss - reference) < 1e-6 * reference && fabs(plain - reference) < 1e-6 * reference,
       "slices give the loss of the whole");
    ok(error < 1e-5 * size, "and its gradient (%.2g)", error / size);
    mem_free(fast);
    mem_free(slow);
    mem_free(w);
    batch_gradient_free(slices);
    packed_weights_free(net);
    prefix_tree_clear(&tree);
    training_data_clear(&d);
    lstm_free(m);
}

/* The reference's CE: total loss / total characters, or the strings' means averaged. */
static double
reference_ce(const struct lstm *m, const struct training_data *d, const struct string_order *set,
             bool by_string)
{
    struct err e = {0};
    double *w = mem_array(m->layout.count, sizeof *w, &e), sum = 0, weight = 0;
    for (size_t i = 0; i < m->layout.count; i++)
        w[i] = (double)m->params[i];
    for (size_t i = 0; i < set->count; i++) {
        double loss;
        size_t length;
        struct prefix_tree tree = {0};
        strings_get(&d->strings, set->at[i], &length);
        build_tree(&tree, &(struct string_batch){&d->strings, &set->at[i], 1, false}, 3);
        lstm_reference_loss(&m->layout, w, &tree, NULL, &loss, NULL, &e);
        sum += by_string ? loss / (double)(length + 1) : loss;
        weight += by_string ? 1 : (double)(length + 1);
        prefix_tree_clear(&tree);
    }
    mem_free(w);
    return sum / weight;
}

/* With a learning rate of 0 the reported CEs are those of the initial model. */
static void
test_ce(struct pool *pool, bool by_string)
{
    struct err e = {0};
    struct lstm *m = model(5, 1, &e);
    struct training_data data = strings(2, 60, false);
    add_strings(&data, &data.valid, 3, 30, false);
    struct training_options o = {.seed = 1, .batch = 7, .epochs = 1, .mean_of_strings = by_string};
    struct training *t = training_new(m, &data, &o, pool, &e);
    struct training_outcome r;
    training_run(t, &(struct training_callbacks){0}, &e);
    training_get_outcome(t, &r);
    ok(fabs(r.train_ce - reference_ce(m, &data, &data.train, by_string)) < 1e-6 &&
           fabs(t->totals.best_loss - reference_ce(m, &data, &data.valid, by_string)) < 1e-6,
       "the losses are averaged over %s", by_string ? "strings" : "characters");
    ok(fabs(r.valid_ce - reference_ce(m, &data, &data.valid, false)) < 1e-6,
       "valid_ce is per character");
    training_free(t);
    training_data_clear(&data);
    lstm_free(m);
}

/* Textbook gradient descent in double: Adam on all strings at once, with the reference's
 * gradient.  ce[i] and norm[i] are those before update i. */
enum { UPDATES = 6 };
static void
textbook(const struct lstm_layout *l, struct training_data *data, double rate, double clip,
         double *w, double *ce, double *norm)
{
    struct err e = {0};
    struct string_batch b = whole(data, &data->train, false);
    struct prefix_tree tree = {0};
    build_tree(&tree, &b, l->symbols);
    double characters = string_batch_weight(&b);
    double *first = mem_zero(l->count, 8, &e), *second = mem_zero(l->count, 8, &e);
    for (int step = 1; step <= UPDATES; step++) {
        double *g = mem_zero(l->count, 8, &e), square = 0;
        lstm_reference_loss(l, w, &tree, NULL, &ce[step - 1], g, &e);
        ce[step - 1] /= characters;
        for (size_t i = 0; i < l->count; i++)
            square += g[i] * g[i];
        norm[step - 1] = sqrt(square) / characters;
        double factor = clip > 0 && norm[step - 1] > clip ? clip / norm[step - 1] : 1;
        for (size_t i = 0; i < l->count; i++) {
            double grad = g[i] / characters * factor;
            first[i] = 0.9 * first[i] + 0.1 * grad;
            second[i] = 0.999 * second[i] + 0.001 * grad * grad;
            w[i] -= rate * first[i] / (1 - pow(0.9, step)) /
                    (sqrt(second[i] / (1 - pow(0.999, step))) + 1e-8);
        }
        mem_free(g);
    }
    mem_free(first);
    mem_free(second);
    prefix_tree_clear(&tree);
}

/* A clip that some gradients exceed shows how they are scaled, to which Adam alone is
 * insensitive. */
static void
test_updates(struct pool *pool)
{
    struct err e = {0};
    struct lstm *m = model(6, 2, &e);
    struct training_data data = strings(11, 50, true);
    const size_t count = m->layout.count;
    double *w = mem_array(count, sizeof *w, &e), ce[UPDATES], norm[UPDATES], worst = 0;
    for (size_t i = 0; i < count; i++)
        w[i] = (double)m->params[i];
    textbook(&m->layout, &data, 0.02, 0, w, ce, norm);
    double lo = norm[0], hi = norm[0];
    for (int i = 1; i < UPDATES; i++) {
        lo = fmin(lo, norm[i]);
        hi = fmax(hi, norm[i]);
    }
    double clip = sqrt(lo * hi);
    for (size_t i = 0; i < count; i++)
        w[i] = (double)m->params[i];
    textbook(&m->layout, &data, 0.02, clip, w, ce, norm);
    struct training_options o = {
        .seed = 1, .batch = 50, .rate = 0.02, .clip = clip, .epochs = UPDATES};
    struct training *t = training_new(m, &data, &o, pool, &e);
    const struct epoch_row *rows;
    training_run(t, &(struct training_callbacks){0}, &e);
    training_rows(t, &rows);
    for (int i = 0; i < UPDATES; i++)
        worst = fmax(worst, fabs(rows[i].train_ce - ce[i]));
    ok(hi > 1.2 * lo && worst < 1e-5, "the loss of each epoch is that of the textbook (%.2g)",
       worst);
    worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)m->params[i] - w[i]));
    ok(worst < 1e-4, "and so are the weights after six updates (%.2g)", worst);
    mem_free(w);
    training_free(t);
    training_data_clear(&data);
    lstm_free(m);
}

/* Epochs divide the strings in different ways. */
static void
test_shuffles(struct pool *pool)
{
    enum { N = 60 };
    struct err e = {0};
    struct lstm *m = model(3, 1, &e);
    struct training_data data = strings(12, N, true);
    uint32_t before[N];
    size_t same = 0;
    struct training_options o = {.seed = 1, .batch = 1, .rate = 0.01, .steps = N};
    struct training *t = training_new(m, &data, &o, pool, &e);
    training_run(t, &(struct training_callbacks){0}, &e);
    memcpy(before, t->order, sizeof before);
    t->state.end = TRAINING_RUNNING;
    t->o.steps = 2 * N;
    training_run(t, &(struct training_callbacks){0}, &e);
    for (size_t i = 0; i < N; i++)
        same += before[i] == t->order[i];
    ok(t->state.epoch == 2 && same < N / 4, "epochs have orders of their own");
    training_free(t);
    training_data_clear(&data);
    lstm_free(m);
}

static int
count_down(void *arg, const struct epoch_row *row, struct err *e)
{
    volatile sig_atomic_t *stop = arg;
    (void)row;
    (void)e;
    *stop = 1;
    return 0;
}

/* Stops in the middle of an epoch. */
static void
stop_at_five(void *arg, uint64_t done)
{
    volatile sig_atomic_t *stop = arg;
    if (done >= 230)
        *stop = 1;
}

/* After the best epoch: what is best must be remembered. */
static int
stop_after_best(void *arg, const struct epoch_row *row, struct err *e)
{
    volatile sig_atomic_t *stop = arg;
    (void)e;
    *stop = row->epoch >= 5;
    return 0;
}

enum manner { STRAIGHT, AFTER_EPOCH, IN_EPOCH, AFTER_BEST };

/* The run as a file that has been written and read. */
static struct container *
checkpoint(const struct training *t, uint64_t identity)
{
    struct err e = {0};
    struct meta *meta = meta_new(&e);
    struct output *out = output_to_memory(&e);
    struct container_writer *w = container_writer_new(out, &lstm_kind, 1, meta, &e);
    size_t size;
    lstm_kind.write(&t->model->model, w, &e);
    checkpoint_put(t, identity, w, &e);
    container_finish(w, &e);
    container_writer_free(w);
    const void *bytes = output_bytes(out, &size);
    struct input *in = input_from_memory(bytes, size, "memory", &e);
    struct container *mdl = container_read(in, &e);
    input_close(in);
    output_abort(out);
    meta_free(meta);
    return mdl;
}

/* Trains from the same start; after an interruption, new objects resume from the checkpoint.
 * If the validation strings are of the same kind as the others, late epochs are the best;
 * else an early one is.  Returns the final model. */
static struct lstm *
trained(int threads, enum manner manner, bool same_kind, struct training_outcome *r)
{
    struct err e = {0};
    struct pool *pool = pool_new(threads, &e);
    struct training_data data = strings(4, 100, true);
    add_strings(&data, &data.valid, 5, 40, same_kind);
    struct training_options o = {.seed = 1,
                                 .batch = 30,
                                 .rate = 0.02,
                                 .clip = 1,
                                 .dropout = 0.2,
                                 .input_dropout = 0.1,
                                 .average = 0.8,
                                 .epochs = same_kind ? 6 : 12,
                                 .patience = same_kind ? 3 : 0};
    struct lstm *m = model(9, 2, &e);
    struct training *t = training_new(m, &data, &o, pool, &e);
    volatile sig_atomic_t stop = 0;
    struct training_callbacks watch = {.arg = (void *)(uintptr_t)&stop,
                                       .epoch = manner == AFTER_EPOCH  ? count_down
                                                : manner == AFTER_BEST ? stop_after_best
                                                                       : NULL,
                                       .update = manner == IN_EPOCH ? stop_at_five : NULL,
                                       .stop = &stop};
    training_run(t, &watch, &e);
    if (manner != STRAIGHT) {
        struct container *mdl = checkpoint(t, 99);
        training_free(t);
        lstm_free(m);
        m = model(9, 2, &e);
        t = training_new(m, &data, &o, pool, &e);
        struct err other = {0};
        ok(checkpoint_get(t, 98, mdl, &other) == ERR_USAGE, "another run's checkpoint is refused");
        ok(checkpoint_get(t, 99, mdl, &e) == 0, "its own is taken");
        container_free(mdl);
        training_run(t, &(struct training_callbacks){0}, &e);
    }
    training_get_outcome(t, r);
    training_free(t);
    training_data_clear(&data);
    pool_free(pool);
    return m;
}

static bool
same_model(const struct lstm *a, const struct lstm *b)
{
    size_t bytes = a->layout.count * sizeof *a->params;
    return memcmp(a->params, b->params, bytes) == 0 && memcmp(a->adam.m, b->adam.m, bytes) == 0 &&
           memcmp(a->adam.v, b->adam.v, bytes) == 0 && a->adam.step == b->adam.step;
}

static void
test_same_bits(void)
{
    struct training_outcome r, again;
    struct lstm *m = trained(1, STRAIGHT, true, &r);
    for (int threads = 2; threads <= 8; threads += 3) {
        struct lstm *other = trained(threads, STRAIGHT, true, &again);
        ok(same_model(m, other), "%d threads give the same bits as one", threads);
        lstm_free(other);
    }
    for (int manner = AFTER_EPOCH; manner <= IN_EPOCH; manner++) {
        struct lstm *other = trained(2, (enum manner)manner, true, &again);
        ok(same_model(m, other) && again.steps == r.steps && again.best_epoch == r.best_epoch,
           "so does a run that was interrupted %s",
           manner == IN_EPOCH ? "within an epoch" : "after one");
        lstm_free(other);
    }
    lstm_free(m);
}

static void
test_after_best(void)
{
    struct training_outcome r, again;
    struct lstm *m = trained(1, STRAIGHT, false, &r);
    struct lstm *other = trained(1, AFTER_BEST, false, &again);
    ok(r.best_epoch < 5 && same_model(m, other) && again.best_epoch == r.best_epoch,
       "interrupted after the best epoch, which was %llu", (unsigned long long)r.best_epoch);
    lstm_free(m);
    lstm_free(other);
}

/* Impossible numbers in a checkpoint whose checksums are correct. */
static void
test_hostile(struct pool *pool)
{
    struct err e = {0};
    struct training_data data = strings(4, 20, true);
    struct lstm *m = model(4, 1, &e);
    struct training_options o = {.seed = 1, .batch = 5, .rate = 0.1, .average = 0.9, .epochs = 2};
    string_order_add_range(&data.valid, 0, data.strings.count, &e);
    struct training *t = training_new(m, &data, &o, pool, &e);
    training_run(t, &(struct training_callbacks){0}, &e);
    const struct {
        float *at;
        float value;
        const char *section;
    } change[] = {{&t->best->params[3], NAN, "best.weights"},
                  {&t->best->adam.m[3], INFINITY, "best.m"},
                  {&t->best->adam.v[3], -1, "best.v"},
                  {&t->average[3], NAN, "train.average"},
                  {&m->adam.v[3], -1, "adam.v"}};
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        struct err why = {0};
        float kept = *change[i].at;
        *change[i].at = change[i].value;
        struct container *mdl = checkpoint(t, 1);
        *change[i].at = kept;
        ok(checkpoint_get(t, 1, mdl, &why) == ERR_FORMAT &&
               strstr(why.text, change[i].section) != NULL,
           "refused: %s", why.text);
        container_free(mdl);
    }
    training_free(t);
    lstm_free(m);
    training_data_clear(&data);
}

/* Restores a checkpoint of t, which is refused, and restores the numbers of t. */
static void
refuse(struct training *t, const char *section)
{
    struct err why = {0};
    const struct training_state state = t->state;
    const struct training_totals totals = t->totals;
    struct container *mdl = checkpoint(t, 1);
    ok(checkpoint_get(t, 1, mdl, &why) == ERR_FORMAT && strstr(why.text, section) != NULL,
       "refused: %s", why.text);
    container_free(mdl);
    t->state = state;
    t->totals = totals;
}

/* The same for the rest of the state: each number out of range. */
static void
test_hostile_state(struct pool *pool)
{
    struct err e = {0};
    struct training_data data = strings(4, 20, true);
    struct lstm *m = model(4, 1, &e);
    struct training_options o = {.seed = 1, .batch = 5, .rate = 0.1, .epochs = 2};
    string_order_add_range(&data.valid, 0, data.strings.count, &e);
    struct training *t = training_new(m, &data, &o, pool, &e);
    training_run(t, &(struct training_callbacks){0}, &e);
    const struct training_state good = t->state;
    const struct {
        uint64_t *at, value;
    } change[] = {{&t->state.end, TRAINING_STEPS + 1},
                  {&t->state.in_epoch, training_updates(t) + 1},
                  {&t->state.best_epoch, good.epoch + 1},
                  {&t->state.steps, (UINT64_C(1) << 53) + 1}};
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        *change[i].at = change[i].value;
        refuse(t, "section 'train.state': invalid value");
        t->state = good;
    }
    t->rows[1].epoch = 1;
    refuse(t, "section 'train.rows': invalid row 2");
    t->rows[1].epoch = 2;
    t->rows[0].steps = good.steps + 1;
    refuse(t, "section 'train.rows': invalid row 1");
    t->rows[0].steps = 1;
    t->totals.best_loss = NAN;
    refuse(t, "section 'train.sums': invalid value");
    training_free(t);
    lstm_free(m);
    training_data_clear(&data);
}

/* Weights that no file could hold end the run; steps this large cause them. */
static void
test_overflow(struct pool *pool)
{
    struct err e = {0};
    struct training_data data = strings(4, 20, true);
    struct lstm *m = model(4, 1, &e);
    struct training_options o = {.seed = 1, .batch = 20, .rate = 3e38, .epochs = 3};
    struct training *t = training_new(m, &data, &o, pool, &e);
    ok(training_run(t, &(struct training_callbacks){0}, &e) == ERR_NUMERIC &&
           strstr(e.text, "after update 1: ") != NULL,
       "weights that overflow: %s", e.text);
    training_free(t);
    lstm_free(m);
    training_data_clear(&data);
}

/* One update with dropout of the input is another than without. */
static void
test_input_dropout(struct pool *pool)
{
    struct err e = {0};
    struct training_data data = strings(4, 20, true);
    struct lstm *m[2];
    for (int i = 0; i < 2; i++) {
        struct training_options o = {
            .seed = 1, .batch = 20, .rate = 0.1, .input_dropout = i * 0.5, .steps = 1};
        m[i] = model(4, 1, &e);
        struct training *t = training_new(m[i], &data, &o, pool, &e);
        training_run(t, &(struct training_callbacks){0}, &e);
        training_free(t);
    }
    ok(!same_model(m[0], m[1]), "the input has dropout");
    lstm_free(m[0]);
    lstm_free(m[1]);
    training_data_clear(&data);
}

/* A large learning rate makes validation worse sooner or later. */
static void
test_patience(struct pool *pool, bool in_total)
{
    struct err e = {0};
    struct lstm *m = model(6, 1, &e);
    struct training_data data = strings(6, 12, true);
    add_strings(&data, &data.valid, 7, 40, true);
    struct training_options o = {.seed = 1,
                                 .batch = 2,
                                 .rate = 0.02,
                                 .dropout = 0.5,
                                 .epochs = 400,
                                 .patience = 5,
                                 .patience_in_total = in_total};
    struct training *t = training_new(m, &data, &o, pool, &e);
    const struct epoch_row *rows;
    struct training_outcome r;
    training_run(t, &(struct training_callbacks){0}, &e);
    training_get_outcome(t, &r);
    size_t count = training_rows(t, &rows), failures = 0, best = 0, expected = 0;
    for (size_t i = 0; i < count && expected == 0; i++) { /* the rule, again */
        if (rows[i].valid_ce < rows[best].valid_ce || i == 0) {
            best = i;
            failures = in_total ? failures : 0;
        } else {
            failures++;
        }
        if (failures == 5)
            expected = i + 1;
    }
    ok(r.end == TRAINING_PATIENCE && expected == count && r.best_epoch == best + 1,
       "patience %s: ends after epoch %zu, the best was %zu", in_total ? "in total" : "in a row",
       count, best + 1);
    struct training *check = training_new(m, &data, &o, pool, &e);
    struct packed_weights *net = packed_weights_new(&m->layout, false, &e);
    struct batch_gradient *slices = batch_gradient_new(net, (struct end_rule){0}, pool, 1, &e);
    struct string_batch b = whole(&data, &data.valid, false);
    double loss;
    packed_weights_pack(net, m->params, pool);
    batch_gradient_loss(slices, &b, &loss, &e);
    ok(loss / string_batch_weight(&b) == r.valid_ce, "and its weights are given back");
    batch_gradient_free(slices);
    packed_weights_free(net);
    training_free(check);
    training_free(t);
    training_data_clear(&data);
    lstm_free(m);
}

/* Slices of the same strings drop different units; otherwise the batch would have fewer
 * dropout masks than expected. */
static void
test_slices_dropout(struct pool *pool)
{
    enum { COPIES = 32 }; /* two slices */
    struct err e = {0};
    struct lstm *m = model(7, 1, &e);
    struct strings word = {0};
    struct string_order copies = {0};
    strings_add(&word, (const uint8_t[]){0, 1, 1, 0, 1}, 5, &e);
    string_order_add(&copies, 0, COPIES, &e);
    const struct string_batch two = {&word, copies.at, COPIES, false},
                              first = {&word, copies.at, COPIES / 2, false};
    struct packed_weights *net = packed_weights_new(&m->layout, true, &e);
    packed_weights_pack(net, m->params, pool);
    struct batch_gradient *slices = batch_gradient_new(net, (struct end_rule){0}, pool, COPIES, &e);
    float *grad = mem_array(m->layout.count, sizeof *grad, &e);
    struct dropout d = {.output = 0.5, .key = {1, 2}};
    double both, one;
    batch_gradient_grad(slices, &two, &d, 1, &both, grad, &e);
    batch_gradient_grad(slices, &first, &d, 1, &one, grad, &e);
    ok(fabs(both - 2 * one) > 1e-6 * both, "slices have dropout of their own");
    strings_clear(&word);
    string_order_clear(&copies);
    mem_free(grad);
    batch_gradient_free(slices);
    packed_weights_free(net);
    lstm_free(m);
}

static void
test_not_finite(struct pool *pool)
{
    struct err e = {0};
    struct lstm *m = model(4, 1, &e);
    struct training_data data = strings(8, 5, false);
    struct training_options o = {.seed = 1, .batch = 5, .rate = 0.1, .steps = 3};
    m->params[m->layout.decoder_weight] = INFINITY;
    struct training *t = training_new(m, &data, &o, pool, &e);
    ok(training_run(t, &(struct training_callbacks){0}, &e) == ERR_NUMERIC &&
           strstr(e.text, "update 1") != NULL,
       "a loss that is not finite stops the run: %s", e.text);
    training_free(t);
    training_data_clear(&data);
    lstm_free(m);
}

/* Weights after exactly `steps` updates, or their average; the caller frees them. */
static struct lstm *
updated(uint64_t steps, double average, struct training_data *data, struct pool *pool)
{
    struct err e = {0};
    struct lstm *m = model(4, 1, &e);
    struct training_options o = {
        .seed = 1, .batch = 5, .rate = 0.02, .dropout = 0.2, .average = average, .steps = steps};
    struct training *t = training_new(m, data, &o, pool, &e);
    training_run(t, &(struct training_callbacks){0}, &e);
    training_free(t);
    return m;
}

/* The average of a run, compared with that of the weights of runs which end after its first,
 * second, ... update.  The share of the latest, 10 / (t + 9) as lstm-train(1) says, falls
 * from 1 to 1 - 0.7. */
static void
test_average(struct pool *pool)
{
    enum { STEPS = 40 };
    struct err e = {0};
    struct training_data data = strings(10, 20, true);
    struct lstm *fast = updated(STEPS, 0.7, &data, pool);
    const size_t count = fast->layout.count;
    double *slow = mem_zero(count, sizeof *slow, &e), worst = 0, trembling = 0;
    for (uint64_t step = 1; step <= STEPS; step++) {
        struct lstm *m = updated(step, 0, &data, pool);
        for (size_t i = 0; i < count; i++) {
            slow[i] += fmax(0.3, 10 / (9 + (double)step)) * ((double)m->params[i] - slow[i]);
            if (step == STEPS)
                trembling = fmax(trembling, fabs(slow[i] - (double)m->params[i]));
        }
        lstm_free(m);
    }
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(slow[i] - (double)fast->params[i]));
    ok(worst < 1e-6 && trembling > 1e-3, "the average of the weights (%.2g of %.2g)", worst,
       trembling);
    mem_free(slow);
    lstm_free(fast);
    training_data_clear(&data);
}

int
main(void)
{
    struct err e = {0};
    struct pool *pool = pool_new(2, &e);
    test_adam(pool);
    test_slices(pool);
    test_ce(pool, false);
    test_ce(pool, true);
    test_updates(pool);
    test_shuffles(pool);
    test_same_bits();
    test_after_best();
    test_hostile(pool);
    test_hostile_state(pool);
    test_overflow(pool);
    test_input_dropout(pool);
    test_patience(pool, false);
    test_patience(pool, true);
    test_slices_dropout(pool);
    test_not_finite(pool);
    test_average(pool);
    pool_free(pool);
    return tap_done();
}
