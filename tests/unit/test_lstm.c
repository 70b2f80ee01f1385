/* SPDX-License-Identifier: MIT
 *
 * The LSTM: the reference against finite differences, the fast path against
 * the reference, prefix trees against strings one by one, files.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "core/rng.h"
#include "io/input.h"
#include "io/output.h"
#include "lstm/backprop.h"
#include "lstm/kernel.h"
#include "lstm/lstm.h"
#include "lstm/packed_weights.h"
#include "model/container.h"
#include "model/meta.h"
#include "support/ignore.h"
#include "support/lstm_reference.h"
#include "support/tap.h"
#include "text/prefix_tree.h"
#include "text/strings.h"

/* Enough for several blocks of rows and chunks of nodes in the kernels. */
enum { STRINGS_MAX = 150, LENGTH_MAX = 30 };

/* Random strings in lexicographic order, with random weights. */
struct sample {
    struct weighted_string string[STRINGS_MAX];
    uint8_t symbols[STRINGS_MAX][LENGTH_MAX];
    size_t count;
};

static int
by_symbols(const void *a, const void *b)
{
    const struct weighted_string *x = a, *y = b;
    return strings_compare(x->symbols, x->length, y->symbols, y->length);
}

static void
draw_sample(struct sample *s, struct rng *rng, unsigned letters, size_t count, unsigned longest)
{
    s->count = count;
    for (size_t i = 0; i < count; i++) {
        struct weighted_string *x = &s->string[i];
        x->length = (uint32_t)rng_below(rng, longest + 1);
        x->weight = (float)(1 + rng_below(rng, 3));
        x->symbols = s->symbols[i];
        for (size_t j = 0; j < x->length; j++)
            s->symbols[i][j] = (uint8_t)rng_below(rng, letters);
    }
    qsort(s->string, count, sizeof *s->string, by_symbols);
}

static struct lstm *
random_model(unsigned letters, unsigned hidden, unsigned layers, uint64_t seed, struct err *e)
{
    struct alphabet a;
    char chars[] = "abcdefghijklmnopqrstuvwxyz";
    chars[letters] = '\0';
    alphabet_init(&a, chars, e);
    struct lstm *m = lstm_new(&a, hidden, layers, 20, e);
    lstm_init(m, seed);
    return m;
}

static double *
doubles(const float *x, size_t n, struct err *e)
{
    double *d = mem_array(n, sizeof *d, e);
    for (size_t i = 0; i < n; i++)
        d[i] = (double)x[i];
    return d;
}

/* Derivative along a random direction, by differences and by the gradient.
 * Central differences with step h err by h^2 and 1e-16/h: 1e-9 at h = 1e-5. */
static void
test_finite_differences(void)
{
    struct err e = {0};
    struct rng rng;
    rng_init(&rng, 1, "test/differences", 0);
    double worst = 0;
    for (int round = 0; round < 12; round++) {
        unsigned letters = 1 + (unsigned)rng_below(&rng, 4);
        unsigned hidden = 1 + (unsigned)rng_below(&rng, 7);
        unsigned layers = 1 + (unsigned)rng_below(&rng, 3);
        struct lstm *m = random_model(letters, hidden, layers, (uint64_t)round, &e);
        const struct lstm_layout *l = &m->layout;
        struct sample s;
        struct prefix_tree tree = {0};
        draw_sample(&s, &rng, letters, 1 + rng_below(&rng, 8), 6);
        prefix_tree_build(&tree, s.string, s.count, l->symbols, &e);
        double *w = doubles(m->params, l->count, &e), *grad = mem_zero(l->count, 8, &e);
        double *way = mem_array(l->count, 8, &e), h = 1e-5, loss, up, down, slope = 0;
        lstm_reference_loss(l, w, &tree, NULL, &loss, grad, &e);
        for (size_t i = 0; i < l->count; i++) {
            way[i] = rng_double(&rng) - 0.5;
            slope += way[i] * grad[i];
            w[i] += h * way[i];
        }
        lstm_reference_loss(l, w, &tree, NULL, &up, NULL, &e);
        for (size_t i = 0; i < l->count; i++)
            w[i] -= 2 * h * way[i];
        lstm_reference_loss(l, w, &tree, NULL, &down, NULL, &e);
        double error = fabs((up - down) / (2 * h) - slope) / (fabs(slope) + loss);
        worst = fmax(worst, error);
        mem_free(w);
        mem_free(grad);
        mem_free(way);
        prefix_tree_clear(&tree);
        lstm_free(m);
    }
    ok(worst < 1e-8, "the reference's gradient is that of its loss (%.2g)", worst);
}

/* The ranges of the initial weights: nearly reached, never exceeded. */
static void
test_init(void)
{
    enum { H = 50 };
    struct err e = {0};
    struct alphabet a;
    alphabet_init(&a, "ACGT", &e);
    struct lstm *m = lstm_new(&a, H, 2, 5, &e);
    const size_t decoder = m->layout.decoder_weight, bias = m->layout.decoder_bias;
    double most = 0, most_decoder = 0, most_bias = 0;
    lstm_init(m, 1);
    for (size_t i = 0; i < m->layout.count; i++) {
        double *of = i < decoder ? &most : i < bias ? &most_decoder : &most_bias;
        *of = fmax(*of, fabs((double)m->params[i]));
    }
    double bound = 1 / sqrt(H);
    ok(bias == decoder + 5 * H && most <= bound && most > 0.99 * bound,
       "initial weights fill +-1/sqrt(H)");
    ok(most_decoder <= 0.1f && most_decoder > 0.095 && most_bias == 0,
       "those of the decoder +-0.1, its bias is 0");
    lstm_free(m);
}

/* The largest difference of two gradients, relative to the largest element. */
static double
distance(const float *fast, const double *slow, size_t n)
{
    double worst = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs((double)fast[i] - slow[i]));
        size = fmax(size, fabs(slow[i]));
    }
    return worst / size;
}

/* One random shape: fast loss and gradient beside the reference's, with the
 * same masks.  Returns the larger relative error. */
static double
compare_paths(struct rng *rng, struct pool *pool, unsigned letters, unsigned hidden,
              unsigned layers, double dropout)
{
    struct err e = {0};
    struct lstm *m = random_model(letters, hidden, layers, rng_u64(rng), &e);
    const struct lstm_layout *l = &m->layout;
    struct sample s;
    struct prefix_tree tree = {0};
    draw_sample(&s, rng, letters, 1 + rng_below(rng, STRINGS_MAX), LENGTH_MAX);
    prefix_tree_build(&tree, s.string, s.count, l->symbols, &e);
    struct packed_weights *net = packed_weights_new(l, true, &e);
    struct backprop *work = backprop_new(net, (struct end_rule){0}, &e);
    packed_weights_pack(net, m->params, pool);
    float *raw = mem_array(gradient_block_size(net), 4, &e), *grad = mem_array(l->count, 4, &e);
    struct dropout d = {dropout / 2, dropout, {1, 2}, 3, 4};
    double loss, slow, plain, *w = doubles(m->params, l->count, &e);
    double *reference = mem_zero(l->count, 8, &e);
    backprop_grad(work, &tree, &d, 1, &loss, raw, grad, &e);
    gradient_block_sum(net, raw, 1, grad, pool);
    struct lstm_masks masks = backprop_masks(work);
    lstm_reference_loss(l, w, &tree, &masks, &slow, reference, &e);
    double error = fmax(fabs(loss - slow) / slow, distance(grad, reference, l->count));
    backprop_loss(work, &tree, &loss, &e);
    lstm_reference_loss(l, w, &tree, NULL, &plain, NULL, &e);
    error = fmax(error, fabs(loss - plain) / plain);
    mem_free(raw);
    mem_free(grad);
    mem_free(w);
    mem_free(reference);
    backprop_free(work);
    packed_weights_free(net);
    prefix_tree_clear(&tree);
    lstm_free(m);
    return e.code == 0 ? error : INFINITY;
}

static void
test_fast_path(struct pool *pool)
{
    struct rng rng;
    rng_init(&rng, 1, "test/fast", 0);
    double worst = 0;
    for (int round = 0; round < 40; round++) {
        unsigned letters = 1 + (unsigned)rng_below(&rng, 25);
        unsigned hidden = 1 + (unsigned)rng_below(&rng, 70);
        unsigned layers = 1 + (unsigned)rng_below(&rng, 3);
        double dropout = round % 2 == 0 ? 0 : 0.3;
        worst = fmax(worst, compare_paths(&rng, pool, letters, hidden, layers, dropout));
    }
    /* float rounding: a few hundred terms of 2^-24 each */
    ok(worst < 1e-5, "fast and reference agree on loss and gradient (%.2g)", worst);
}

/* The tree counts each string's own loss: the sum over single-string trees. */
static void
test_sharing(struct pool *pool)
{
    struct err e = {0};
    struct rng rng;
    rng_init(&rng, 1, "test/sharing", 0);
    struct lstm *m = random_model(2, 9, 2, 5, &e);
    struct sample s;
    struct prefix_tree tree = {0};
    draw_sample(&s, &rng, 2, STRINGS_MAX, 8);
    struct packed_weights *net = packed_weights_new(&m->layout, false, &e);
    struct backprop *work = backprop_new(net, (struct end_rule){0}, &e);
    packed_weights_pack(net, m->params, pool);
    double shared, one, sum = 0;
    size_t symbols = 0;
    for (size_t i = 0; i < s.count; i++) {
        prefix_tree_build(&tree, &s.string[i], 1, 3, &e);
        symbols += tree.nodes;
        backprop_loss(work, &tree, &one, &e);
        sum += one;
    }
    prefix_tree_build(&tree, s.string, s.count, 3, &e);
    backprop_loss(work, &tree, &shared, &e);
    ok(tree.nodes < symbols / 2, "strings share prefixes: %u nodes for %zu", tree.nodes, symbols);
    ok(fabs(shared - sum) < 1e-9 * sum, "and the loss is the sum over strings");
    backprop_free(work);
    packed_weights_free(net);
    prefix_tree_clear(&tree);
    lstm_free(m);
}

/* Factors are 0 with probability p, else 1/(1-p), anew for each node, layer,
 * update and tree.  42,000 of them: a false alarm at 5 standard deviations
 * comes once in a million seeds. */
static void
test_dropout(struct pool *pool)
{
    enum { H = 40, NODES = 350 };
    struct err e = {0};
    struct lstm *m = random_model(2, H, 2, 5, &e);
    uint8_t symbols[NODES] = {0};
    struct weighted_string long_one = {symbols, NODES - 1, 1};
    struct prefix_tree tree = {0};
    prefix_tree_build(&tree, &long_one, 1, 3, &e);
    struct packed_weights *net = packed_weights_new(&m->layout, true, &e);
    struct backprop *work = backprop_new(net, (struct end_rule){0}, &e);
    float *raw = mem_array(gradient_block_size(net), 4, &e), *kept = mem_zero(NODES * H, 4, &e);
    double loss, zeros = 0, inputs = 0, n = 3 * NODES * H;
    size_t strange = 0, same[3] = {0}, layers = 0, neighbors = 0;
    packed_weights_pack(net, m->params, pool);
    for (uint32_t round = 0; round < 3; round++) { /* the next update, then its next tree */
        struct dropout d = {0.25, 0.25, {1, 2}, round > 0, round > 1};
        backprop_grad(work, &tree, &d, 1, &loss, raw, NULL, &e);
        struct lstm_masks masks = backprop_masks(work);
        for (size_t i = 0; i < NODES; i++) {
            inputs += masks.input[i] == 0;
            strange += masks.input[i] != 0 && fabsf(masks.input[i] - 4.0f / 3) > 1e-6f;
        }
        for (size_t i = 0; i < NODES * H; i++) {
            const float *x = masks.output[0] + i / H * masks.stride + i % H;
            const float *above = masks.output[1] + i / H * masks.stride + i % H;
            zeros += *x == 0;
            strange += *x != 0 && fabsf(*x - 4.0f / 3) > 1e-6f;
            same[round] += *x == kept[i];
            layers += round == 1 && *x == *above;
            neighbors += round == 1 && i >= H && *x == x[-(ptrdiff_t)masks.stride];
            kept[i] = *x;
        }
    }
    ok(strange == 0, "factors are 0 or 1/(1-p)");
    ok(fabs(zeros - n / 4) < 5 * sqrt(n * 3 / 16), "a quarter of them 0 (%.4f)", zeros / n);
    ok(fabs(inputs - n / H / 4) < 5 * sqrt(n / H * 3 / 16), "of the inputs, too (%.4f)",
       inputs / (n / H));
    double agree = 0.25 * 0.25 + 0.75 * 0.75, each = n / 3, bound = 5 * sqrt(each * agree);
    ok(fabs((double)same[1] - each * agree) < bound &&
           fabs((double)same[2] - each * agree) < bound &&
           fabs((double)layers - each * agree) < bound &&
           fabs((double)neighbors - each * agree) < bound,
       "independent between updates, trees, layers and nodes");
    mem_free(raw);
    mem_free(kept);
    backprop_free(work);
    packed_weights_free(net);
    prefix_tree_clear(&tree);
    lstm_free(m);
}

/* The model interface: exp(logp) sums to 1, and a string's log-probability is
 * minus the loss of its tree. */
static void
test_interface(struct pool *pool)
{
    struct err e = {0};
    struct lstm *m = random_model(3, 11, 2, 7, &e);
    const struct model *model = &m->model;
    const uint8_t word[] = {2, 0, 1, 1, 2};
    const size_t length = sizeof word, bytes = model->kind->state_bytes(model);
    void *scratch = model->kind->scratch_new(model, pool, &e);
    char *states = mem_zero(2, bytes, &e);
    double logp[4], total = 0, loss;
    const uint32_t zero = 0;
    model->kind->root(model, scratch, states, logp);
    for (size_t i = 0; i <= length; i++) {
        double sum = 0;
        for (int s = 0; s < 4; s++)
            sum += exp(logp[s]);
        if (fabs(sum - 1) > 1e-12)
            total = NAN;
        total += logp[i < length ? word[i] : 3];
        char *from = states + i % 2 * bytes, *to = states + (i + 1) % 2 * bytes;
        if (i < length)
            model->kind->step(model, scratch, 1, from, &zero, &word[i], to, logp);
    }
    struct prefix_tree tree = {0};
    struct weighted_string string = {word, (uint32_t)length, 1};
    double *w = doubles(m->params, m->layout.count, &e);
    prefix_tree_build(&tree, &string, 1, 4, &e);
    lstm_reference_loss(&m->layout, w, &tree, NULL, &loss, NULL, &e);
    ok(fabs(total + loss) < 1e-5, "steps give the string's log-probability, normalized");
    mem_free(w);
    mem_free(states);
    model->kind->scratch_free(scratch);
    prefix_tree_clear(&tree);
    lstm_free(m);
}

/* Random strings of one length, in lexicographic order. */
static void
draw_one_length(struct sample *s, struct rng *rng, unsigned letters, size_t count, unsigned length)
{
    s->count = count;
    for (size_t i = 0; i < count; i++) {
        s->string[i] = (struct weighted_string){s->symbols[i], length, 1};
        for (size_t j = 0; j < length; j++)
            s->symbols[i][j] = (uint8_t)rng_below(rng, letters);
    }
    qsort(s->string, count, sizeof *s->string, by_symbols);
}

/* Where strings have one length, the loss is that of the reference with an end whose logit is
 * so low that it is impossible, and whose weight is 0.  What the full loss has beside it is the
 * loss of predicting the end, a share of whose gradient is added. */
static double
compare_fixed(struct rng *rng, struct pool *pool, unsigned letters, unsigned length, struct err *e)
{
    const double share = length / 10.0;
    struct lstm *m = random_model(letters, 5 + length, 1 + length % 2, length, e);
    const struct lstm_layout *l = &m->layout;
    struct sample s;
    struct prefix_tree tree = {0};
    draw_one_length(&s, rng, letters, 1 + rng_below(rng, 20), length);
    prefix_tree_build(&tree, s.string, s.count, l->symbols, e);
    struct packed_weights *net = packed_weights_new(l, true, e);
    struct backprop *work = backprop_new(net, (struct end_rule){true, share}, e);
    packed_weights_pack(net, m->params, pool);
    float *raw = mem_array(gradient_block_size(net), 4, e), *grad = mem_array(l->count, 4, e);
    double loss, plain, full, slow, *w = doubles(m->params, l->count, e);
    double *of_full = mem_zero(l->count, 8, e), *reference = mem_zero(l->count, 8, e);
    struct dropout none = {0};
    backprop_grad(work, &tree, &none, 1, &loss, raw, grad, e);
    gradient_block_sum(net, raw, 1, grad, pool);
    backprop_loss(work, &tree, &plain, e);
    lstm_reference_loss(l, w, &tree, NULL, &full, of_full, e);
    w[l->decoder_bias + letters] = -1e4;
    for (size_t node = 0; node < tree.nodes; node++)
        tree.next_weight[node * l->symbols + letters] = 0;
    lstm_reference_loss(l, w, &tree, NULL, &slow, reference, e);
    for (size_t i = 0; i < l->count; i++)
        reference[i] += share * (of_full[i] - reference[i]);
    double error = fmax(fabs(loss - slow), fabs(plain - slow)) / (slow + 1);
    error = fmax(error, distance(grad, reference, l->count));
    mem_free(raw);
    mem_free(grad);
    mem_free(w);
    mem_free(of_full);
    mem_free(reference);
    backprop_free(work);
    packed_weights_free(net);
    prefix_tree_clear(&tree);
    lstm_free(m);
    return error;
}

static void
test_fixed_loss(struct pool *pool)
{
    struct err e = {0};
    struct rng rng;
    rng_init(&rng, 1, "test/fixed", 0);
    double worst = 0;
    for (unsigned length = 0; length < 10; length++)
        worst =
            fmax(worst, compare_fixed(&rng, pool, 1 + (unsigned)rng_below(&rng, 6), length, &e));
    ok(worst < 1e-5, "strings of one length: loss without the end, gradient with a share (%.2g)",
       worst);
}

struct enumeration {
    const struct model *model;
    void *scratch;
    size_t bytes;
    double mass;  /* of the strings of the fixed length */
    bool strange; /* a prefix could end before it, or go on after it */
};

static void
enumerate(struct enumeration *n, const void *state, const double *logp, uint64_t length, double sum)
{
    const unsigned letters = n->model->alphabet.size;
    char *child = mem_zero(1, n->bytes, IGNORE_ERR);
    double next[8];
    bool complete = length == n->model->max_length;
    n->strange |= logp[letters] != (complete ? 0 : -INFINITY);
    n->mass += exp(sum + logp[letters]);
    for (uint8_t a = 0; a < letters; a++) {
        n->strange |= complete ? logp[a] != -INFINITY : !isfinite(logp[a]);
        if (complete)
            continue;
        n->model->kind->step(n->model, n->scratch, 1, state, &(uint32_t){0}, &a, child, next);
        enumerate(n, child, next, length + 1, sum + logp[a]);
    }
    mem_free(child);
}

/* The probabilities of all strings of the fixed length sum to 1. */
static void
test_fixed_steps(struct pool *pool)
{
    struct err e = {0};
    for (unsigned length = 0; length <= 6; length += 3) {
        struct lstm *m = random_model(3, 7, 2, 3, &e);
        lstm_set_length(m, length, true);
        struct enumeration n = {.model = &m->model, .bytes = m->model.kind->state_bytes(&m->model)};
        n.scratch = m->model.kind->scratch_new(&m->model, pool, &e);
        char *root = mem_zero(1, n.bytes, &e);
        double logp[8];
        m->model.kind->root(&m->model, n.scratch, root, logp);
        enumerate(&n, root, logp, 0, 0);
        ok(fabs(n.mass - 1) < 1e-12 && !n.strange && m->model.min_length == length,
           "all strings of %u symbols, and no others, have probability 1 (%.2g)", length,
           n.mass - 1);
        mem_free(root);
        m->model.kind->scratch_free(n.scratch);
        lstm_free(m);
    }
}

/* For any number of prefixes per step, and any division among threads: the same bits as one
 * by one. */
static void
test_batches(struct pool *pool)
{
    enum { MOST = 200, V = 4 };
    static const size_t sizes[] = {1, 12, 13, 25, 48, 49, 96, 97, MOST};
    struct err e = {0};
    struct lstm *m = random_model(3, 11, 2, 7, &e);
    const struct model *model = &m->model;
    const size_t bytes = model->kind->state_bytes(model);
    void *scratch = model->kind->scratch_new(model, pool, &e);
    char *parents = mem_zero(3, bytes, &e), *one = mem_zero(MOST, bytes, &e);
    char *many = mem_zero(MOST, bytes, &e);
    double logp_one[MOST * V], logp_many[MOST * V];
    uint32_t parent[MOST];
    uint8_t symbol[MOST], different = 0;
    for (uint32_t i = 0; i < MOST; i++) {
        parent[i] = i * 7 % 3;
        symbol[i] = (uint8_t)(i * 5 % 4 % 3);
    }
    model->kind->root(model, scratch, parents, logp_one);
    model->kind->step(model, scratch, 2, parents, (const uint32_t[]){0, 0}, symbol, parents + bytes,
                      logp_one);
    for (size_t i = 0; i < MOST; i++)
        model->kind->step(model, scratch, 1, parents, &parent[i], &symbol[i], one + i * bytes,
                          logp_one + i * V);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        model->kind->step(model, scratch, sizes[k], parents, parent, symbol, many, logp_many);
        different |= memcmp(many, one, sizes[k] * bytes) != 0 ||
                     memcmp(logp_many, logp_one, sizes[k] * V * sizeof *logp_one) != 0;
        memset(many, 0, MOST * bytes);
    }
    ok(!different, "a step of many prefixes gives the bits of many steps of one");
    mem_free(many);
    mem_free(one);
    mem_free(parents);
    model->kind->scratch_free(scratch);
    lstm_free(m);
}

/* Writes, reads back, and compares. */
static void
test_files(void)
{
    struct err e = {0};
    struct lstm *m = random_model(2, 5, 2, 9, &e), *back = NULL;
    struct meta *meta = meta_new(&e);
    struct output *out = output_to_memory(&e);
    size_t size, count = m->layout.count;
    lstm_need_adam(m, &e);
    m->adam.step = 77;
    m->adam.v[count - 1] = 0.25f;
    ok(model_write(&m->model, meta, out, &e) == 0, "a model is written");
    const void *bytes = output_bytes(out, &size);
    struct input *in = input_from_memory(bytes, size, "memory", &e);
    struct container *mdl = container_read(in, &e);
    if (mdl != NULL)
        back = lstm_of(model_read_kind(mdl, &lstm_kind, &e));
    ok(back != NULL && memcmp(back->params, m->params, count * 4) == 0 &&
           back->model.max_length == 20 &&
           alphabet_equal(&back->model.alphabet, &m->model.alphabet),
       "and read back");
    ok(back != NULL && back->adam.step == 77 && memcmp(back->adam.v, m->adam.v, count * 4) == 0,
       "with the optimizer's state");
    lstm_free(back);
    container_free(mdl);
    input_close(in);
    output_abort(out);
    meta_free(meta);
    lstm_free(m);
}

/* A model of strings of one length whose file says another maximum than it has. */
static int
write_other_length(const struct lstm *m, const struct meta *meta, uint64_t other,
                   struct output *out, struct err *e)
{
    const uint32_t shape[3] = {m->layout.symbols, m->layout.hidden, m->layout.layers};
    struct container_writer *w = model_begin_file(&m->model, meta, out, e);
    model_put_alphabet(&m->model.alphabet, w, e);
    container_put(w, "shape", SECTION_U32, shape, 3, e);
    container_put(w, "max_length", SECTION_U64, &other, 1, e);
    container_put(w, "fixed_length", SECTION_U64, &m->model.max_length, 1, e);
    container_put(w, "weights", SECTION_F32, m->params, m->layout.count, e);
    container_finish(w, e);
    container_writer_free(w);
    return e->code;
}

/* A file of a fixed length needs version 2, so that readers of version 1 refuse it. */
static void
test_fixed_files(void)
{
    struct err e = {0};
    struct lstm *m = random_model(2, 3, 1, 9, &e);
    struct meta *meta = meta_new(&e);
    for (int other = 0; other < 2; other++) {
        struct output *out = output_to_memory(&e);
        size_t size;
        lstm_set_length(m, 6, true);
        if (other)
            write_other_length(m, meta, 7, out, &e);
        else
            model_write(&m->model, meta, out, &e);
        const void *bytes = output_bytes(out, &size);
        struct input *in = input_from_memory(bytes, size, "memory", &e);
        struct container *file = container_read(in, &e);
        struct lstm *back = lstm_of(model_read_kind(file, &lstm_kind, &e));
        if (other)
            ok(back == NULL && strstr(e.text, "section 'fixed_length' has 6") != NULL,
               "a length that is not the maximum: %s", e.text);
        else
            ok(container_version(file) == 2 && back != NULL && back->fixed_length &&
                   back->model.min_length == 6 && back->model.max_length == 6,
               "a file of version 2 keeps the length of all strings");
        lstm_free(back);
        container_free(file);
        input_close(in);
        output_abort(out);
    }
    meta_free(meta);
    lstm_free(m);
}

/* Writes m with its weights 3 and 4 set to `weight`, and reads it. */
static void
refuse_weights(struct lstm *m, float weight, const char *text)
{
    struct err e = {0};
    struct meta *meta = meta_new(&e);
    struct output *out = output_to_memory(&e);
    size_t size;
    m->params[3] = m->params[4] = weight;
    model_write(&m->model, meta, out, &e);
    const void *bytes = output_bytes(out, &size);
    struct input *in = input_from_memory(bytes, size, "memory", &e);
    struct container *mdl = container_read(in, &e);
    ok(mdl != NULL && lstm_of(model_read_kind(mdl, &lstm_kind, &e)) == NULL &&
           strcmp(e.text, text) == 0,
       "refused: %s", e.text);
    container_free(mdl);
    input_close(in);
    output_abort(out);
    meta_free(meta);
}

/* In files whose checksums are right. */
static void
test_bad_weights(void)
{
    struct err e = {0};
    struct lstm *m = random_model(2, 5, 2, 9, &e);
    refuse_weights(m, NAN, "memory: section 'weights' has a NaN or infinity at element 3");
    refuse_weights(m, -INFINITY, "memory: section 'weights' has a NaN or infinity at element 3");
    refuse_weights(m, -0.75f * FLT_MAX,
                   "memory: section 'weights': parameters are so large that sums overflow");
    lstm_free(m);
}

static void
test_layout(void)
{
    struct err e = {0};
    struct lstm_layout l;
    struct lstm_tensor t;
    lstm_layout(&l, 3, 200, 2, &e);
    ok(l.count == 486203, "the paper's network has 486,203 parameters");
    size_t at = 0;
    bool dense = true;
    for (unsigned i = 0; i < lstm_tensors(&l); i++) {
        lstm_tensor(&l, i, &t);
        dense = dense && t.offset == at;
        at += (size_t)t.rows * (t.columns > 0 ? t.columns : 1);
    }
    ok(dense && at == l.count && strcmp(t.name, "decoder.bias") == 0,
       "tensors lie one after another and fill the block");
    ok(lstm_layout(&l, 3, 0, 1, &e) == ERR_LIMIT, "no hidden units are refused");
}

int
main(void)
{
    struct err e = {0};
    struct pool *pool = pool_new(2, &e);
    test_layout();
    test_finite_differences();
    test_fast_path(pool);
    test_sharing(pool);
    test_init();
    test_dropout(pool);
    test_interface(pool);
    test_fixed_loss(pool);
    test_fixed_steps(pool);
    test_batches(pool);
    test_files();
    test_fixed_files();
    test_bad_weights();
    pool_free(pool);
    return tap_done();
}
