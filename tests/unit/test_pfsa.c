/* SPDX-License-Identifier: MIT
 * pfsa: random weighted acceptors against sums over their strings, the model
 * interface, and files whose every rule is broken once. */
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/rng.h"
#include "io/input.h"
#include "io/output.h"
#include "model/container.h"
#include "model/meta.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { STATES = 7, SYMBOLS = 2, LENGTH = 8 };

/* A random acceptor with dead and unreachable states; `forward` allows only
 * arcs that lead up in a hidden order of the states. */
static void
random_draft(struct rng *r, bool forward, double scale, struct pfsa_builder *d)
{
    uint32_t order[STATES], q;
    *d = (struct pfsa_builder){0};
    alphabet_init(&d->alphabet, "ab", IGNORE_ERR);
    rng_permutation(r, order, STATES);
    for (uint32_t i = 0; i < STATES; i++)
        pfsa_builder_state(d, rng_below(r, 3) == 0 ? scale * rng_double(r) : -INFINITY, &q,
                           IGNORE_ERR);
    for (uint32_t i = 0; i < STATES; i++)
        for (uint8_t c = SYMBOLS; c-- > 0;) { /* not in ascending order */
            uint32_t k = (uint32_t)rng_below(r, STATES);
            if (rng_below(r, 5) == 0 || (forward && k <= i))
                continue;
            double w = rng_below(r, 10) == 0 ? -INFINITY : scale * (1 + rng_double(r));
            pfsa_builder_arc(d, order[i], c, order[k], w, IGNORE_ERR);
        }
    d->start = order[0];
}

/* log weight of a string by following the draft's own arcs. */
static double
draft_weight(const struct pfsa_builder *d, const uint8_t *code, size_t length)
{
    uint32_t q = d->start;
    double sum = 0;
    for (size_t i = 0; i < length; i++) {
        size_t a = 0;
        while (a < d->arcs && (d->arc[a].source != q || d->arc[a].symbol != code[i]))
            a++;
        if (a == d->arcs)
            return -INFINITY;
        sum += d->arc[a].logw;
        q = d->arc[a].target;
    }
    return sum + d->final_logw[q];
}

/* Total weight over all strings of at most `length` symbols, less a scale. */
static double
sum_strings(const struct pfsa_builder *d, uint8_t *code, size_t length, size_t most, double less)
{
    double sum = exp(draft_weight(d, code, length) - less);
    for (uint8_t c = 0; length < most && c < SYMBOLS; c++) {
        code[length] = c;
        sum += sum_strings(d, code, length + 1, most, less);
    }
    return sum;
}

/* The worst difference of p(x) from w(x) / Z over all short strings. */
static double
worst_string(const struct pfsa_builder *d, const struct pfsa *p, uint8_t *code, size_t length)
{
    double exact = draft_weight(d, code, length) - p->log_partition;
    double got = pfsa_log_prob(p, code, length);
    double worst = exact == got ? 0 : fabs(exact - got);
    for (uint8_t c = 0; length < LENGTH && c < SYMBOLS; c++) {
        code[length] = c;
        worst = fmax(worst, worst_string(d, p, code, length + 1));
    }
    return worst;
}

/* Stochastic, ascending, and topological if it says so. */
static int
is_sound(const struct pfsa *p)
{
    for (uint32_t q = 0; q < p->states; q++) {
        double sum = exp(p->final_logp[q]);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
            sum += exp(p->logp[a]);
            if ((a > p->first[q] && p->symbol[a] <= p->symbol[a - 1]) ||
                (p->acyclic && p->next[a] <= q) || p->logp[a] > 0)
                return 0;
        }
        if (fabs(sum - 1) > 1e-14)
            return 0;
    }
    return 1;
}

static void
test_acyclic(double scale)
{
    struct rng r;
    double worst = 0;
    int unsound = 0, wrong = 0, empty = 0, trials = 300;
    rng_init(&r, 1, "test_pfsa/acyclic", (uint64_t)fabs(scale));
    for (int i = 0; i < trials; i++) {
        struct pfsa_builder d;
        struct err e = {0};
        uint8_t code[LENGTH];
        random_draft(&r, true, scale, &d);
        struct pfsa *p = pfsa_builder_finish(&d, &e);
        double less = p != NULL ? p->log_partition : scale;
        double total = sum_strings(&d, code, 0, STATES, less);
        if (p == NULL) {
            wrong += e.code != ERR_EMPTY || total != 0;
            empty++;
        } else {
            unsound += !is_sound(p) || !p->acyclic;
            worst = fmax(worst, fabs(total - 1));
            worst = fmax(worst, worst_string(&d, p, code, 0));
        }
        pfsa_free(p);
        pfsa_builder_clear(&d);
    }
    double allowed = 1e-14 * fmax(1, fabs(scale));
    ok(wrong == 0, "weights near %g: empty means empty (%d of %d)", scale, empty, trials);
    ok(unsound == 0, "stochastic, sorted and topological");
    ok(worst < 10 * allowed, "probabilities are weights over their sum: %.2g", worst);
}

/* The total weight from each state by plain iteration, which converges since
 * no state's arcs weigh more than 0.8. */
static double
iterate(const struct pfsa_builder *d)
{
    double x[STATES] = {0}, y[STATES];
    for (int round = 0; round < 400; round++) {
        for (uint32_t q = 0; q < STATES; q++)
            y[q] = exp(d->final_logw[q]);
        for (size_t a = 0; a < d->arcs; a++)
            y[d->arc[a].source] += exp(d->arc[a].logw) * x[d->arc[a].target];
        memcpy(x, y, sizeof x);
    }
    return log(x[d->start]);
}

/* Symbols of the shortest string: the same iteration with sums and minima. */
static double
shortest(const struct pfsa_builder *d)
{
    double x[STATES];
    for (uint32_t q = 0; q < STATES; q++)
        x[q] = d->final_logw[q] > -INFINITY ? 0 : INFINITY;
    for (int round = 0; round < STATES; round++)
        for (size_t a = 0; a < d->arcs; a++)
            if (d->arc[a].logw > -INFINITY)
                x[d->arc[a].source] = fmin(x[d->arc[a].source], 1 + x[d->arc[a].target]);
    return x[d->start];
}

static void
test_cyclic(void)
{
    struct rng r;
    double worst = 0;
    int unsound = 0, wrong = 0, cyclic = 0, longer = 0;
    rng_init(&r, 1, "test_pfsa/cyclic", 0);
    for (int i = 0; i < 500; i++) {
        struct pfsa_builder d;
        struct err e = {0};
        uint8_t code[LENGTH];
        random_draft(&r, false, -log(2.5), &d); /* arcs weigh up to 0.4 */
        struct pfsa *p = pfsa_builder_finish(&d, &e);
        double exact = iterate(&d);
        if (p == NULL) {
            wrong += e.code != ERR_EMPTY || exact != -INFINITY;
        } else {
            cyclic += !p->acyclic;
            wrong += p->acyclic != (p->model.max_length != MODEL_UNBOUNDED);
            wrong += (double)p->model.min_length != shortest(&d);
            longer += p->model.min_length > 1;
            unsound += !is_sound(p);
            worst = fmax(worst, fabs(p->log_partition - exact));
            worst = fmax(worst, worst_string(&d, p, code, 0));
        }
        pfsa_free(p);
        pfsa_builder_clear(&d);
    }
    ok(wrong == 0 && cyclic > 100 && longer > 20, "%d cyclic machines, their shortest strings",
       cyclic);
    ok(unsound == 0, "stochastic and sorted");
    ok(worst < 1e-13, "their weights agree with an iteration: %.2g", worst);
}

static void
refuses(struct pfsa_builder *d, int code, const char *what)
{
    struct err e = {0};
    struct pfsa *p = pfsa_builder_finish(d, &e);
    ok(p == NULL && e.code == code, "%s: %s", what, e.text);
    pfsa_free(p);
    pfsa_builder_clear(d);
}

static void
test_refusals(void)
{
    struct pfsa_builder d = {0};
    uint32_t q;
    alphabet_init(&d.alphabet, "ab", IGNORE_ERR);
    refuses(&d, ERR_DATA, "no state");
    pfsa_builder_state(&d, -INFINITY, &q, IGNORE_ERR);
    refuses(&d, ERR_EMPTY, "no final state");
    pfsa_builder_state(&d, 0, &q, IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 0, 0, -1, IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 0, 0, -1, IGNORE_ERR);
    refuses(&d, ERR_DATA, "two arcs for one symbol");
    pfsa_builder_state(&d, 0, &q, IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 0, 1, -1, IGNORE_ERR);
    refuses(&d, ERR_DATA, "an arc to nowhere");
    pfsa_builder_state(&d, 0, &q, IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 2, 0, -1, IGNORE_ERR);
    refuses(&d, ERR_DATA, "a symbol outside the alphabet");
    pfsa_builder_state(&d, NAN, &q, IGNORE_ERR);
    refuses(&d, ERR_DATA, "a weight that is no number");
    pfsa_builder_state(&d, 0, &q, IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 0, 0, 1e300, IGNORE_ERR);
    refuses(&d, ERR_DATA, "a weight out of range");
    pfsa_builder_state(&d, 0, &q, IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 0, 0, 0, IGNORE_ERR);
    refuses(&d, ERR_NUMERIC, "a loop of weight 1");
}

/* a*b: one loop and one exit. */
static struct pfsa *
small_machine(void)
{
    struct pfsa_builder d = {0};
    uint32_t q;
    alphabet_init(&d.alphabet, "ab", IGNORE_ERR);
    pfsa_builder_state(&d, -INFINITY, &q, IGNORE_ERR);
    pfsa_builder_state(&d, log(0.5), &q, IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 0, 0, log(0.25), IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 1, 1, log(0.75), IGNORE_ERR);
    struct pfsa *p = pfsa_builder_finish(&d, IGNORE_ERR);
    pfsa_builder_clear(&d);
    return p;
}

static void
test_model(void)
{
    struct pfsa *p = small_machine();
    const struct model *m = &p->model;
    ok(fabs(p->log_partition - log(0.5)) < 1e-15, "partition of a small machine");
    uint32_t states[2], parent[3] = {0, 0, 1}, children[3];
    uint8_t symbol[3] = {0, 1, 1};
    double logp[3][3];
    m->kind->root(m, NULL, states, logp[0]);
    ok(fabs(exp(logp[0][0]) - 0.25) < 1e-15 && fabs(exp(logp[0][1]) - 0.75) < 1e-15 &&
           logp[0][2] == -INFINITY,
       "the empty prefix");
    m->kind->step(m, NULL, 1, states, parent, &symbol[1], states + 1, logp[0]);
    m->kind->step(m, NULL, 3, states, parent, symbol, children, logp[0]);
    ok(fabs(exp(logp[0][1]) - 0.75) < 1e-15, "after 'a'");
    ok(logp[1][0] == -INFINITY && logp[1][2] == 0, "after 'b' it ends");
    ok(logp[2][0] == -INFINITY && logp[2][1] == -INFINITY && logp[2][2] == -INFINITY,
       "after 'bb' nothing is possible");
    uint32_t dead[1];
    uint32_t zero = 0;
    m->kind->step(m, NULL, 1, &children[2], &zero, symbol, dead, logp[0]);
    ok(logp[0][0] == -INFINITY && logp[0][2] == -INFINITY, "and it stays so");
    pfsa_free(p);
}

/* --- files --- */

static struct pfsa *
load(const struct output *out, struct err *e)
{
    size_t size;
    const void *data = output_bytes(out, &size);
    struct input *in = input_from_memory(data, size, "test", e);
    struct container *m = container_read(in, e);
    struct pfsa *p = m == NULL ? NULL : pfsa_of(model_read_kind(m, &pfsa_kind, e));
    container_free(m);
    input_close(in);
    return p;
}

static void
test_round_trip(void)
{
    struct rng r;
    int differ = 0, saved = 0;
    rng_init(&r, 1, "test_pfsa/files", 0);
    for (int i = 0; i < 100; i++) {
        struct pfsa_builder d;
        random_draft(&r, i % 2 == 0, -log(2.5), &d);
        struct pfsa *p = pfsa_builder_finish(&d, IGNORE_ERR);
        pfsa_builder_clear(&d);
        if (p == NULL)
            continue;
        struct meta *meta = meta_new(IGNORE_ERR);
        meta_set(meta, "tool", IGNORE_ERR, "test");
        struct output *out = output_to_memory(IGNORE_ERR);
        struct err e = {0};
        differ += model_write(&p->model, meta, out, &e) != 0;
        struct pfsa *q = load(out, &e);
        differ += q == NULL || q->states != p->states || q->arcs != p->arcs ||
                  q->acyclic != p->acyclic || q->log_partition != p->log_partition ||
                  q->model.max_length != p->model.max_length ||
                  !alphabet_equal(&q->model.alphabet, &p->model.alphabet) ||
                  memcmp(q->first, p->first, (p->states + 1) * sizeof *p->first) != 0 ||
                  memcmp(q->symbol, p->symbol, p->arcs) != 0 ||
                  memcmp(q->next, p->next, p->arcs * sizeof *p->next) != 0 ||
                  memcmp(q->logp, p->logp, p->arcs * sizeof *p->logp) != 0 ||
                  memcmp(q->final_logp, p->final_logp, p->states * sizeof *p->logp) != 0 ||
                  strcmp(meta_get(q->model.meta, "tool"), "test") != 0;
        saved++;
        output_abort(out);
        meta_free(meta);
        pfsa_free(q);
        pfsa_free(p);
    }
    ok(saved > 30 && differ == 0, "what is saved is read back (%d machines)", saved);
}

/* A diamond with a loop: 0 -> 1, 2; 1 -> 3; 2 -> 2, 3; 3 ends. */
struct parts {
    double final[4], logp[5], log_partition;
    uint64_t first[5];
    uint8_t symbol[5];
    uint32_t target[5];
    const char *alphabet;
};

static const struct parts sound = {
    .final = {-INFINITY, -INFINITY, -INFINITY, 0},
    .first = {0, 2, 3, 5, 5},
    .symbol = {0, 1, 0, 0, 1},
    .target = {1, 2, 3, 2, 3},
    .logp = {-0.69314718055994531, -0.69314718055994531, 0, -0.69314718055994531,
             -0.69314718055994531},
    .alphabet = "ab",
};

static void
check_parts(const struct parts *x, size_t states, int code, const char *what)
{
    struct err e = {0};
    struct meta *meta = meta_new(IGNORE_ERR);
    struct output *out = output_to_memory(IGNORE_ERR);
    struct container_writer *w = container_writer_new(out, &pfsa_kind, 1, meta, IGNORE_ERR);
    container_put(w, "alphabet", SECTION_TEXT, x->alphabet, strlen(x->alphabet), IGNORE_ERR);
    container_put(w, "log_partition", SECTION_F64, &x->log_partition, 1, IGNORE_ERR);
    container_put(w, "final", SECTION_F64, x->final, states, IGNORE_ERR);
    container_put(w, "first", SECTION_U64, x->first, 5, IGNORE_ERR);
    container_put(w, "symbol", SECTION_U8, x->symbol, 5, IGNORE_ERR);
    container_put(w, "target", SECTION_U32, x->target, 5, IGNORE_ERR);
    container_put(w, "logp", SECTION_F64, x->logp, 5, IGNORE_ERR);
    container_finish(w, IGNORE_ERR);
    container_writer_free(w);
    meta_free(meta);
    struct pfsa *p = load(out, &e);
    ok(e.code == code && (p == NULL) == (code != 0), "%s: %s", what, e.text);
    pfsa_free(p);
    output_abort(out);
}

static void
test_damage(void)
{
    struct parts x = sound;
    check_parts(&x, 4, 0, "a sound file");
    check_parts(&x, 3, ERR_FORMAT, "sections that do not fit");
    x.alphabet = "aa";
    check_parts(&x, 4, ERR_FORMAT, "alphabet");
    x = sound, x.first[0] = 1;
    check_parts(&x, 4, ERR_FORMAT, "first arc");
    x = sound, x.first[4] = 6;
    check_parts(&x, 4, ERR_FORMAT, "last arc");
    x = sound, x.first[1] = 4;
    check_parts(&x, 4, ERR_FORMAT, "arcs that go back");
    x = sound, x.first[2] = UINT64_MAX;
    check_parts(&x, 4, ERR_FORMAT, "a huge arc number");
    x = sound, x.symbol[1] = 2;
    check_parts(&x, 4, ERR_FORMAT, "symbol");
    x = sound, x.symbol[0] = 1;
    check_parts(&x, 4, ERR_FORMAT, "symbols twice");
    x = sound, x.target[2] = 4;
    check_parts(&x, 4, ERR_FORMAT, "target");
    x = sound, x.logp[0] = 0, x.logp[1] = -1.1e9;
    check_parts(&x, 4, ERR_FORMAT, "a probability too small to sum");
    x = sound, x.logp[0] = 0, x.logp[1] = -0.9e9;
    check_parts(&x, 4, 0, "a small one");
    x = sound, x.final[0] = -1e308;
    check_parts(&x, 4, ERR_FORMAT, "a final one too small to sum");
    x = sound, x.target[4] = 0;
    check_parts(&x, 4, ERR_FORMAT, "order of a cycle");
    x = sound, x.target[0] = 2, x.target[3] = 1;
    check_parts(&x, 4, ERR_FORMAT, "order");
    x = sound, x.target[0] = 2;
    check_parts(&x, 4, ERR_FORMAT, "a state not reached");
    x = sound, x.logp[0] = -0.6931471;
    check_parts(&x, 4, ERR_FORMAT, "sum");
    x = sound, x.logp[2] = NAN;
    check_parts(&x, 4, ERR_FORMAT, "probability NaN");
    x = sound, x.logp[0] = 0, x.logp[1] = -INFINITY;
    check_parts(&x, 4, ERR_FORMAT, "probability 0");
    x = sound, x.logp[2] = 1e-12;
    check_parts(&x, 4, ERR_FORMAT, "probability above 1");
    x = sound, x.final[3] = NAN;
    check_parts(&x, 4, ERR_FORMAT, "final NaN");
    x = sound, x.target[4] = 2;
    check_parts(&x, 4, ERR_FORMAT, "a state that never ends");
    x = sound, x.log_partition = INFINITY;
    check_parts(&x, 4, ERR_FORMAT, "partition");
}

/* Many strings at once, by a table, against one by one: strings of several lengths, also some that
 * have probability 0, in numbers that are no multiple of a few. */
static void
test_scores(void)
{
    enum { STRINGS = 203, LONGEST = 12 };
    int wrong = 0, impossible = 0;
    struct rng r;
    rng_init(&r, 1, "test_scores", 0);
    for (int trial = 0; trial < 50; trial++) {
        struct pfsa_builder d;
        uint8_t code[STRINGS][LONGEST];
        struct model_string x[STRINGS];
        double logp[STRINGS];
        random_draft(&r, false, -1, &d);
        struct pfsa *p = pfsa_builder_finish(&d, IGNORE_ERR);
        pfsa_builder_clear(&d);
        if (p == NULL)
            continue;
        for (int i = 0; i < STRINGS; i++) {
            x[i] = (struct model_string){.symbols = code[i], .length = rng_below(&r, LONGEST + 1)};
            for (size_t k = 0; k < x[i].length; k++)
                code[i][k] = (uint8_t)rng_below(&r, SYMBOLS);
        }
        size_t n = STRINGS - (size_t)trial % 5;
        pfsa_score(&p->model, x, n, logp);
        for (size_t i = 0; i < n; i++) {
            wrong += logp[i] != pfsa_log_prob(p, x[i].symbols, x[i].length);
            impossible += logp[i] == -INFINITY;
        }
        pfsa_free(p);
    }
    ok(wrong == 0 && impossible > 100, "scores of many strings, %d of them impossible", impossible);
}

int
main(void)
{
    test_scores();
    test_acyclic(-1);
    test_acyclic(-5000);
    test_cyclic();
    test_refusals();
    test_model();
    test_round_trip();
    test_damage();
    return tap_done();
}
